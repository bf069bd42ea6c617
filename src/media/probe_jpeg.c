/* JPEG: segments | FF | marker | length 2 | data |, up to the scan. The size stands in the frame
 * header, of which there are thirteen kinds; the orientation in EXIF, an APP1 segment.
 *
 * Junk between segments is skipped, as decoders do. Of the scan itself, one byte must be there. */
#include "media/probe.h"

#include "media/exif.h"

#define MAX_SEGMENTS 4096
#define MAX_SKIPPED ((uint64_t)64 * 1024) /* markers, and junk before them */

enum marker { SOF0 = 0xc0, DHT = 0xc4, JPG = 0xc8, DAC = 0xcc, SOF15 = 0xcf, RST0 = 0xd0 };
enum other_marker { SOI = 0xd8, EOI = 0xd9, SOS = 0xda, APP1 = 0xe1, TEM = 0x01 };

struct jpeg {
    uint32_t width, height;
    unsigned orientation; /* 0 while there was no EXIF */
    unsigned components;
    bool frame, scan;
    uint64_t skipped;
};

/* Move past the next marker; -1 where there is none within what may be skipped. */
static int next_marker(struct rf_look *k, uint64_t *at, struct jpeg *jpeg)
{
    int c = rf_look_byte(k, *at);
    bool after_ff = false;

    for (; c >= 0 && jpeg->skipped < MAX_SKIPPED; jpeg->skipped++) {
        if (after_ff && c != 0 && c != 0xff) {
            ++*at;
            return c;
        }
        after_ff = c == 0xff;
        c = rf_look_byte(k, ++*at);
    }
    return -1;
}

static bool is_frame(int marker)
{
    return marker >= SOF0 && marker <= SOF15 && marker != DHT && marker != JPG && marker != DAC;
}

static bool stands_alone(int marker)
{
    return (marker >= RST0 && marker <= SOI) || marker == TEM;
}

static unsigned segment_length(struct rf_look *k, uint64_t at)
{
    const uint8_t *p = rf_look(k, at, 2);

    return p ? rf_be16(p) : 0;
}

static enum rf_code take_segment(struct rf_look *k, int marker, uint64_t at, unsigned length,
                                 struct jpeg *jpeg, struct rf_err *err)
{
    if (marker == APP1 && !jpeg->orientation && RF_SEES(k, at + 2, "Exif\0\0"))
        jpeg->orientation = rf_exif_orientation(k, at + 2, at + length);
    if (is_frame(marker) && !jpeg->frame) {
        const uint8_t *p = length >= 8 ? rf_look(k, at, 8) : NULL;
        if (!p)
            return rf_cut_off(err, "JPEG frame header");
        jpeg->frame = true;
        jpeg->height = rf_be16(p + 3);
        jpeg->width = rf_be16(p + 5);
        jpeg->components = p[7];
    }
    return RF_OK;
}

static enum rf_code walk(struct rf_look *k, struct jpeg *jpeg, struct rf_err *err)
{
    uint64_t at = 2;
    int marker = 0;
    enum rf_code rc = RF_OK;

    for (int i = 0; !rc && i < MAX_SEGMENTS; i++) {
        marker = next_marker(k, &at, jpeg);
        if (marker < 0 || marker == SOS || marker == EOI)
            break;
        if (stands_alone(marker))
            continue;
        unsigned length = segment_length(k, at);
        if (length < 2)
            break;
        rc = take_segment(k, marker, at, length, jpeg, err);
        at += length;
    }
    jpeg->scan = marker == SOS && rf_look_byte(k, at + segment_length(k, at)) >= 0;
    return rc;
}

enum rf_code rf_probe_jpeg(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct jpeg jpeg = { 0 };
    enum rf_code rc = walk(k, &jpeg, err);

    if (!rc && !jpeg.frame)
        rc = rf_fail(err, RF_EFORMAT, "the JPEG has no frame header");
    if (!rc && !jpeg.scan)
        rc = rf_fail(err, RF_EFORMAT, "the JPEG holds no picture data");
    if (!rc)
        rc = rf_take_size(facts, jpeg.width, jpeg.height, err);
    facts->frames = 1;
    facts->unusual = jpeg.components == 4 || jpeg.orientation > 1;
    rf_orient(facts, jpeg.orientation);
    return rc;
}
