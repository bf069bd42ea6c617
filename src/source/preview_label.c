/* A file in one line. Names are cleaned before they get here; nothing else of a file is in it but
 * numbers. */
#include "source/preview.h"

#include "base/arena.h"

#include <inttypes.h>

#define KB ((double)1024)

const char *rf_graphics_name(enum rf_graphics g)
{
    switch (g) {
    case RF_GRAPHICS_NONE:
        break;
    case RF_GRAPHICS_BLOCKS:
        return "blocks";
    case RF_GRAPHICS_SIXEL:
        return "sixel";
    case RF_GRAPHICS_ITERM:
        return "iterm";
    case RF_GRAPHICS_KITTY:
        return "kitty";
    }
    return "none";
}

struct rf_str rf_preview_time(struct rf_arena *a, int64_t ms)
{
    int64_t s = (ms + 500) / 1000;
    if (s < 3600)
        return rf_strf(a, "%" PRId64 ":%02" PRId64, s / 60, s % 60);
    return rf_strf(a, "%" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60, s % 60);
}

static void add_size(struct rf_buf *b, uint64_t bytes)
{
    double n = (double)bytes;
    if (bytes < 1024)
        rf_buf_addf(b, ", %" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
    else if (n < KB * KB)
        rf_buf_addf(b, ", %.1f KB", n / KB);
    else if (n < KB * KB * KB)
        rf_buf_addf(b, ", %.1f MB", n / KB / KB);
    else
        rf_buf_addf(b, ", %.1f GB", n / KB / KB / KB);
}

/* What a file of this kind is called. */
static const char *kind_word(const struct rf_preview *p)
{
    switch (p->kind) {
    case RF_PREVIEW_PICTURE:
        return "Image";
    case RF_PREVIEW_PDF:
        return "PDF";
    case RF_PREVIEW_PICTURES:
        return "Pictures";
    case RF_PREVIEW_VIDEO:
        return "Video";
    case RF_PREVIEW_DOCUMENT:
        return p->read.format->parts->document;
    case RF_PREVIEW_TEXT:
        break;
    }
    if (!p->read.format)
        return "File";
    return p->read.format->kind == RF_KIND_TEXT    ? "Text"
           : p->read.format->kind == RF_KIND_AUDIO ? "Audio"
                                                   : "File";
}

/* ", 47 pages", or ", pages 21-40 of 47". */
static void add_pages(struct rf_buf *b, const struct rf_preview *p)
{
    const struct rf_file_part *part = &p->read.call.part;
    if (!part->range_count) {
        rf_buf_addf(b, ", %" PRId64 " %s%s", p->total, p->word, p->total == 1 ? "" : "s");
        return;
    }
    rf_buf_addf(b, ", %s%s ", p->word, p->count == 1 ? "" : "s");
    for (size_t i = 0; i < part->range_count; i++) {
        struct rf_pages range = rf_pages_within(part->ranges[i], p->total);
        rf_buf_addf(b, "%s%" PRId64, i ? "," : "", range.first);
        if (range.last > range.first)
            rf_buf_addf(b, "-%" PRId64, range.last);
    }
    rf_buf_addf(b, " of %" PRId64, p->total);
}

static void add_crop(struct rf_buf *b, const struct rf_file_part *part)
{
    if (part->has_crop)
        rf_buf_addf(b, ", %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64, part->crop[2],
                    part->crop[3], part->crop[0], part->crop[1]);
}

static void add_facts(struct rf_buf *b, const struct rf_preview *p)
{
    bool paged = p->kind == RF_PREVIEW_PDF || p->kind == RF_PREVIEW_PICTURES ||
                 (p->kind == RF_PREVIEW_DOCUMENT && !p->read.format->parts->flows) || p->framed;
    if (p->width > 0)
        rf_buf_addf(b, ", %" PRId64 "x%" PRId64, p->width, p->height);
    if (p->duration_ms > 0) {
        struct rf_str time = rf_preview_time(p->arena, p->duration_ms);
        rf_buf_addf(b, ", %.*s", RF_FMT(time));
    }
    add_crop(b, &p->read.call.part);
    if (paged)
        add_pages(b, p);
    if (!paged && !p->width && !p->duration_ms && !p->read.call.part.has_crop)
        add_size(b, p->read.bytes.size);
}

struct rf_str rf_preview_write_label(const struct rf_preview *p)
{
    struct rf_str text = { 0 };
    struct rf_buf b;
    rf_buf_init(&b, p->arena, 4096);
    rf_buf_addf(&b, "[%s: %.*s", kind_word(p), RF_FMT(p->read.name));
    add_facts(&b, p);
    rf_buf_addc(&b, ']');
    return rf_buf_finish(&b, &text, NULL) ? RF_STR("[File]") : text;
}
