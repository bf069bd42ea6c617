/* JPEG 2000: in boxes, whose header box tells the size, or as the bare code stream, whose first
 * segment tells the corners of the picture. */
#include "media/probe.h"

#include "media/box.h"

static enum rf_code read_stream(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, 0, 24);

    if (!p)
        return rf_cut_off(err, "JPEG 2000 header");
    uint32_t right = rf_be32(p + 8), bottom = rf_be32(p + 12);
    uint32_t left = rf_be32(p + 16), top = rf_be32(p + 20);
    return rf_take_size(facts, right > left ? right - left : 0, bottom > top ? bottom - top : 0,
                        err);
}

enum rf_code rf_probe_jp2(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct rf_box jp2h, ihdr;
    const uint8_t *p = NULL;

    if (RF_SEES(k, 0, "\xff\x4f\xff\x51"))
        return read_stream(k, facts, err);
    if (rf_box_find(k, 0, k->size, "jp2h", &jp2h) &&
        rf_box_find(k, jp2h.body, jp2h.end, "ihdr", &ihdr))
        p = rf_look(k, ihdr.body, 8);
    if (!p)
        return rf_fail(err, RF_EFORMAT, "the JPEG 2000 has no image header");
    return rf_take_size(facts, rf_be32(p + 4), rf_be32(p), err);
}
