/* The first pages of an Ogg file. Each stream begins with a page of its own, marked as a beginning,
 * whose first packet names the codec:
 *
 *     "OggS" | version | flags | granule 8 | serial 4 | page 4 | checksum 4 | n | n lengths | data
 *
 * A stream of pictures among them makes it video. It refuses to look at more than 16 streams. */
#include "media/ogg.h"

#include <string.h>

#define MAX_STREAMS 16
#define PAGE_HEADER 27
#define BEGINS 0x02

struct page {
    uint32_t serial;
    uint64_t data, next;
};

static bool read_beginning(struct rf_look *k, uint64_t at, struct page *out)
{
    const uint8_t *p = rf_look(k, at, PAGE_HEADER);
    uint32_t length = 0, n;

    if (!p || memcmp(p, "OggS", 4) != 0 || !(p[5] & BEGINS))
        return false;
    out->serial = rf_le32(p + 14);
    n = p[26];
    p = rf_look(k, at + PAGE_HEADER, n);
    for (uint32_t i = 0; p && i < n; i++)
        length += p[i];
    out->data = at + PAGE_HEADER + n;
    out->next = out->data + length;
    return p != NULL;
}

static void take_sound(struct rf_ogg *out, const struct page *page, enum rf_format_id format,
                       uint32_t rate, uint32_t skip)
{
    if (out->format == RF_FORMAT_NONE)
        *out = (struct rf_ogg){ format, page->serial, rate, skip };
}

static void take_stream(struct rf_look *k, const struct page *page, struct rf_ogg *out)
{
    const uint8_t *p;

    if (RF_SEES(k, page->data, "OpusHead") && (p = rf_look(k, page->data, 12)))
        take_sound(out, page, RF_FORMAT_OPUS, 48000, rf_le16(p + 10));
    else if (RF_SEES(k, page->data, "\1vorbis") && (p = rf_look(k, page->data, 16)))
        take_sound(out, page, RF_FORMAT_OGG, rf_le32(p + 12), 0);
    else if (RF_SEES(k, page->data, "Speex   ") && (p = rf_look(k, page->data, 40)))
        take_sound(out, page, RF_FORMAT_OGG, rf_le32(p + 36), 0);
    else if (RF_SEES(k, page->data, "\177FLAC") && (p = rf_look(k, page->data, 31)))
        take_sound(out, page, RF_FORMAT_OGG, rf_be32(p + 27) >> 12, 0);
    else if (RF_SEES(k, page->data, "\x80theora") || RF_SEES(k, page->data, "\1video"))
        out->format = RF_FORMAT_OGV;
}

bool rf_ogg_read(struct rf_look *k, struct rf_ogg *out)
{
    struct page page;
    uint64_t at = 0;

    *out = (struct rf_ogg){ 0 };
    for (int i = 0; i < MAX_STREAMS && read_beginning(k, at, &page); i++) {
        take_stream(k, &page, out);
        at = page.next;
    }
    return out->format != RF_FORMAT_NONE;
}
