/* Reading "p=3-5,8" and its like. Nothing is looked up: whether a file has such a part, its reader
 * says. */
#include "source/part.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <limits.h>

#define MAX_PAGE ((int64_t)1000000)
#define MAX_PIXEL ((int64_t)1 << 20)
#define MAX_LINE ((int64_t)1 << 40)
#define MAX_BYTE ((int64_t)1 << 53)
#define MAX_SECONDS ((int64_t)1000000)

size_t rf_part_mark(struct rf_str path)
{
    for (size_t i = path.n; i > 0 && path.p[i - 1] != '/'; i--)
        if (path.p[i - 1] == '#')
            return i - 1;
    return path.n;
}

bool rf_part_front(struct rf_str path, struct rf_str *front)
{
    size_t n = path.n < PATH_MAX ? path.n : 0;
    while (n > 0 && path.p[n - 1] != '/' && path.p[n - 1] != '#')
        n--;
    *front = (struct rf_str){ path.p, n ? n - 1 : 0 };
    return front->n > 0;
}

struct rf_str rf_part_last(struct rf_str path)
{
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    return rf_str_behind(path, '/');
}

static enum rf_code wrong(struct rf_str text, const char *example, struct rf_err *err)
{
    text = rf_utf8_cut(text, RF_MAX_NAME_SHOWN);
    enum rf_code rc = rf_fail(err, RF_EUSAGE, "\"#%.*s\" names no part of a file", RF_FMT(text));
    rf_hint(err, "Write it as in %s.", example);
    return rc;
}

/* "3", "3-5" or "3-": `last` is -1 where nothing follows the dash. */
static bool read_span(struct rf_str text, int64_t *first, int64_t *last)
{
    const char *dash = memchr(text.p, '-', text.n);
    struct rf_str head = { text.p, dash ? (size_t)(dash - text.p) : text.n };
    if (!rf_str_int64(head, first))
        return false;
    *last = *first;
    if (!dash)
        return true;
    struct rf_str tail = { dash + 1, text.n - head.n - 1 };
    *last = -1;
    return tail.n == 0 || rf_str_int64(tail, last);
}

static bool read_range(struct rf_str text, struct rf_pages *out)
{
    int64_t first, last;
    if (!read_span(text, &first, &last) || first < 1 || first > MAX_PAGE || last > MAX_PAGE ||
        (last >= 0 && last < first))
        return false;
    *out = (struct rf_pages){ first, last < 0 ? 0 : last };
    return true;
}

static bool read_pages(struct rf_str text, struct rf_file_part *out)
{
    struct rf_str piece;
    while (rf_str_split(&text, ',', &piece))
        if (out->range_count == RF_MAX_RANGES ||
            !read_range(piece, &out->ranges[out->range_count++]))
            return false;
    return out->range_count > 0;
}

static bool read_sheet(struct rf_str text, struct rf_file_part *out)
{
    out->sheet = text;
    return text.n > 0 && !memchr(text.p, '\n', text.n);
}

static bool read_crop(struct rf_str text, struct rf_file_part *out)
{
    struct rf_str piece;
    size_t n = 0;
    while (rf_str_split(&text, ',', &piece)) {
        if (n == 4 || !rf_str_int64(piece, &out->crop[n]) || out->crop[n] < 0 ||
            out->crop[n] > MAX_PIXEL)
            return false;
        n++;
    }
    out->has_crop = true;
    return n == 4 && out->crop[2] > 0 && out->crop[3] > 0;
}

/* Seconds with up to three digits after the point. */
static bool read_ms(struct rf_str text, int64_t *ms)
{
    struct rf_str whole = { 0 }, rest = text;
    int64_t seconds, part = 0;
    if (!rf_str_split(&rest, '.', &whole) || !rf_str_int64(whole, &seconds))
        return false;
    if (rest.n > 3 || (rest.n && !rf_str_int64(rest, &part)) || part < 0 || seconds < 0 ||
        seconds > MAX_SECONDS)
        return false;
    for (size_t i = rest.n; i < 3; i++)
        part *= 10;
    *ms = seconds * 1000 + part;
    return true;
}

static bool read_time(struct rf_str text, struct rf_file_part *out)
{
    const char *dash = memchr(text.p, '-', text.n);
    struct rf_str head = { text.p, dash ? (size_t)(dash - text.p) : text.n };
    struct rf_str tail = { text.p + text.n, 0 };
    if (dash)
        tail = (struct rf_str){ dash + 1, text.n - head.n - 1 };
    out->has_time = true;
    out->end_ms = 0; /* of a "t" before this one */
    if (!read_ms(head, &out->start_ms) || (tail.n && !read_ms(tail, &out->end_ms)))
        return false;
    return !tail.n || out->end_ms > out->start_ms;
}

/* As HTTP writes a range: both ends are in it. */
static bool read_bytes(struct rf_str text, struct rf_file_part *out)
{
    out->has_bytes = true;
    if (!memchr(text.p, '-', text.n) || !read_span(text, &out->first_byte, &out->last_byte))
        return false;
    if (out->first_byte > MAX_BYTE || out->last_byte > MAX_BYTE)
        return false;
    return out->first_byte >= 0 && (out->last_byte == -1 || out->last_byte >= out->first_byte);
}

static bool read_pictures(struct rf_str text, struct rf_file_part *out)
{
    out->pictures = true;
    out->picture_range = (struct rf_pages){ 1, 0 };
    return text.n == 0 || read_range(text, &out->picture_range);
}

static bool read_source(struct rf_str text, struct rf_file_part *out)
{
    out->source = true;
    return text.n == 0;
}

/* "L10-40" or "L10-L40": there is no "=", so that it is as people write it elsewhere. */
static bool read_lines(struct rf_str text, struct rf_file_part *out)
{
    const char *dash = memchr(text.p, '-', text.n);
    struct rf_str head = { text.p, dash ? (size_t)(dash - text.p) : text.n }, tail = { 0 };
    int64_t last = 0;
    if (dash)
        tail = (struct rf_str){ dash + 1, text.n - head.n - 1 };
    if (rf_str_starts(tail, "L"))
        tail = (struct rf_str){ tail.p + 1, tail.n - 1 };
    out->has_lines = true;
    if (!rf_str_int64(head, &out->lines.first) || (tail.n && !rf_str_int64(tail, &last)))
        return false;
    out->lines.last = dash ? last : out->lines.first;
    return out->lines.first >= 1 && out->lines.first <= MAX_LINE && last <= MAX_LINE &&
           (!tail.n || last >= out->lines.first);
}

static bool is_lines(struct rf_str text)
{
    return text.n > 1 && text.p[0] == 'L' && rf_is_digit(text.p[1]);
}

static const struct {
    const char *name, *example;
    bool (*read)(struct rf_str text, struct rf_file_part *out);
} parts[] = {
    { "p", "report.pdf#p=3-5,8", read_pages },
    { "sheet", "book.xlsx#sheet=Q3", read_sheet },
    { "xywh", "shot.png#xywh=0,0,800,600", read_crop },
    { "t", "talk.mp4#t=10-20", read_time },
    { "bytes", "data.json#bytes=0-4095", read_bytes },
    { "pictures", "letter.docx#pictures=3-5", read_pictures },
    { "source", "page.html#source", read_source },
};

static enum rf_code read_one(struct rf_str text, struct rf_file_part *out, struct rf_err *err)
{
    struct rf_str value = text, key = { 0 };
    rf_str_split(&value, '=', &key);
    if (is_lines(text))
        return read_lines((struct rf_str){ text.p + 1, text.n - 1 }, out)
                   ? RF_OK
                   : wrong(text, "hello.py#L10-40", err);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (rf_str_is(key, parts[i].name))
            return parts[i].read(value, out) ? RF_OK : wrong(text, parts[i].example, err);
    return wrong(text, "report.pdf#p=3-5 or book.xlsx#sheet=Q3", err);
}

enum rf_code rf_part_read(struct rf_str text, struct rf_file_part *out, struct rf_err *err)
{
    struct rf_str rest = text, piece;
    struct rf_file_part part = { 0 };
    bool any = false;
    while (rf_str_split(&rest, '&', &piece)) {
        enum rf_code rc = read_one(piece, &part, err);
        if (rc)
            return rc;
        any = true;
    }
    if (!any)
        return wrong(text, "report.pdf#p=3-5 or book.xlsx#sheet=Q3", err);
    *out = part;
    return RF_OK;
}
