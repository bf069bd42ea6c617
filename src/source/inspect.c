/* One look at a file: sniff, probe and, for a text that may be written out, a walk through all
 * of it. The same as a line of text:
 *
 *     look3 image/png 800 600 1 0 0 0.0 us ok
 *     look3 application/pdf 0 0 0 0 47 1.4 x ok
 *     look3 image/jpeg 800 600 1 0 0 0.0 x ok the picture is cut off: about 50 % of it can be seen
 *     look3 text/plain 0 0 0 0 0 0.0 w400,1,1,1,1,0,0 ok
 *
 * that is format, width, height, frames, duration in ms, pages, version of PDF, flags with the
 * weight of a text after them, problem and its words. Another mark at its beginning is another
 * version of this file, or of the sniffers and probes it uses: it is never guessed at. */
#include "source/inspect.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "source/base64_text.h"

#include <inttypes.h>

#define MARK "look3" /* another one where sniffers or probes say other things of the same bytes */
#define NOTHING "-"

/* Could base64 of a file be in the text? Enough of its characters stand in a row, line breaks and
 * the backslashes of JSON between them. `run` goes on from one piece to the next. */
static bool may_hide_file(struct rf_str text, size_t *run)
{
    for (size_t i = 0; i < text.n && *run < RF_MIN_LIFT_BASE64; i++) {
        char c = text.p[i];
        bool between = c == '\\' || c == '\r' || c == '\n';
        if (!between)
            *run = rf_base64_run((struct rf_str){ &c, 1 }) ? *run + 1 : 0;
    }
    return *run >= RF_MIN_LIFT_BASE64;
}

/* All of a text file that may be written out: is it UTF-8 to its end, may a file hide there, and
 * what does it weigh? One that is not is of no format that can go out. */
static enum rf_code scan_text(struct rf_reader *r, struct rf_inspection *out, struct rf_err *err)
{
    char buf[64 * 1024];
    uint64_t at = 0, size = r->bytes->size;
    size_t got, run = 0;
    bool blank = true;
    while (at < size) {
        enum rf_code rc = rf_reader_read(r, at, buf, sizeof buf, &got, err);
        if (rc)
            return rc;
        struct rf_str text = { buf, rf_utf8_valid((struct rf_str){ buf, got }) };
        size_t rest = got - text.n; /* of a character that goes on in the next piece */
        if (rest && (at + got == size || rest > 3)) {
            out->format = NULL;
            return rf_fail(err, RF_EFORMAT, "it is not UTF-8 text at byte %" PRIu64, at + text.n);
        }
        out->may_hide = may_hide_file(text, &run);
        rf_text_weigh(text, &out->weight);
        blank = blank && rf_str_blank(text);
        at += text.n;
    }
    return blank ? rf_fail(err, RF_EFORMAT, "the file holds nothing but white space") : RF_OK;
}

static enum rf_code look_closer(struct rf_reader *r, struct rf_inspection *out, struct rf_err *err)
{
    enum rf_code rc = rf_probe(r, out->format, &out->facts, err);
    bool text = out->format->kind == RF_KIND_TEXT && r->bytes->size <= RF_MAX_INLINE_TEXT;
    if (!rc && text && !out->facts.encrypted)
        rc = scan_text(r, out, err);
    return rc;
}

static void found_wrong(struct rf_inspection *out, struct rf_str why)
{
    out->problem = RF_EFORMAT;
    out->problem_text = why;
}

enum rf_code rf_inspect(const struct rf_bytes *bytes, struct rf_arena *a, struct rf_inspection *out,
                        struct rf_err *err)
{
    struct rf_reader r = { .fd = -1 };
    struct rf_err why;
    struct rf_inspection look = { 0 };
    const struct rf_format *other = NULL;
    enum rf_code rc = rf_reader_open(&r, bytes, &why);
    if (!rc && bytes->size) {
        look.format = rf_sniff(&r);
        if (look.format)
            rc = look_closer(&r, &look, &why);
        else
            other = rf_other_sniff(&r, RF_STR(""));
    }
    rf_reader_close(&r);
    if (rc == RF_EFORMAT || rc == RF_EENCRYPTED) {
        look.problem = rc;
        look.problem_text = rf_str_dup(a, rf_str(why.msg));
    } else if (rc) {
        if (err)
            *err = why;
        return rc;
    }
    if (!bytes->size)
        found_wrong(&look, RF_STR("the file is empty"));
    else if (other && !look.problem)
        found_wrong(&look, rf_strf(a, "no API takes files of its format: %s", other->label));
    else if (!look.format && !look.problem)
        found_wrong(&look, RF_STR("its bytes are of no format that is known here"));
    *out = look;
    return RF_OK;
}

enum rf_code rf_inspect_once(struct rf_bytes *bytes, const struct rf_looked *was,
                             struct rf_arena *a, struct rf_inspection *out, struct rf_err *err)
{
    bool same = was && bytes->kind == RF_BYTES_FILE && rf_stamp_same(&was->stamp, &bytes->stamp);
    if (!same)
        return rf_inspect(bytes, a, out, err);
    bytes->sha256 = was->sha256;
    *out = was->look;
    return RF_OK;
}

/* "w" and a weight; empty where it weighs nothing. */
static struct rf_str write_weight(const struct rf_text_weight *w, struct rf_arena *a)
{
    static const struct rf_text_weight nothing;
    char text[RF_WEIGHT_TEXT];
    if (memcmp(w, &nothing, sizeof nothing) == 0)
        return RF_STR("");
    rf_text_weight_write(w, text);
    return rf_strf(a, "w%s", text);
}

struct rf_str rf_inspection_write(const struct rf_inspection *look, struct rf_arena *a)
{
    const struct rf_facts *f = &look->facts;
    struct rf_str weight = write_weight(&look->weight, a);
    bool flags =
        f->unusual || f->encrypted || look->may_hide || look->examined || look->weighed || weight.n;
    return rf_strf(a, MARK " %s %u %u %u %" PRId64 " %" PRId64 " %u.%u %s%s%s%s%s%s%.*s %s%s%.*s",
                   look->format ? look->format->mime : NOTHING, f->width, f->height, f->frames,
                   f->duration_ms, f->pages, f->pdf_major, f->pdf_minor, flags ? "" : NOTHING,
                   f->unusual ? "u" : "", f->encrypted ? "e" : "", look->may_hide ? "s" : "",
                   look->examined ? "x" : "", look->weighed ? "t" : "", RF_FMT(weight),
                   look->problem ? rf_code_name(look->problem) : "ok",
                   look->problem_text.n ? " " : "", RF_FMT(look->problem_text));
}

/* The next word as a number that is at most `most`. */
static bool number(struct rf_str *rest, char end, int64_t most, int64_t *out)
{
    struct rf_str word;
    return rf_str_split(rest, end, &word) && rf_str_int64(word, out) && *out >= 0 && *out <= most;
}

static bool read_facts(struct rf_str *rest, struct rf_facts *out)
{
    int64_t width, height, frames, ms, pages, major, minor;
    if (!number(rest, ' ', UINT32_MAX, &width) || !number(rest, ' ', UINT32_MAX, &height) ||
        !number(rest, ' ', UINT32_MAX, &frames) || !number(rest, ' ', INT64_MAX, &ms) ||
        !number(rest, ' ', UINT32_MAX, &pages) || !number(rest, '.', UINT8_MAX, &major) ||
        !number(rest, ' ', UINT8_MAX, &minor))
        return false;
    *out = (struct rf_facts){
        .width = (uint32_t)width,
        .height = (uint32_t)height,
        .frames = (uint32_t)frames,
        .duration_ms = ms,
        .pages = pages,
        .pdf_major = (uint8_t)major,
        .pdf_minor = (uint8_t)minor,
    };
    return true;
}

static bool read_flags(struct rf_str flags, struct rf_inspection *out)
{
    for (size_t i = 0; i < flags.n; i++) {
        switch (flags.p[i]) {
        case 'w':
            return rf_text_weight_read((struct rf_str){ flags.p + i + 1, flags.n - i - 1 },
                                       &out->weight);
        case 'u':
            out->facts.unusual = true;
            break;
        case 'e':
            out->facts.encrypted = true;
            break;
        case 's':
            out->may_hide = true;
            break;
        case 'x':
            out->examined = true;
            break;
        case 't':
            out->weighed = true;
            break;
        case '-':
            break;
        default:
            return false;
        }
    }
    return flags.n > 0;
}

static bool read_problem(struct rf_str word, enum rf_code *out)
{
    static const enum rf_code codes[] = { RF_EFORMAT, RF_EENCRYPTED };
    *out = RF_OK;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (rf_str_is(word, rf_code_name(codes[i])))
            *out = codes[i];
    return *out || rf_str_is(word, "ok");
}

bool rf_inspection_read(struct rf_str line, struct rf_arena *a, struct rf_inspection *out)
{
    struct rf_inspection look = { 0 };
    struct rf_str word;
    if (!rf_str_split(&line, ' ', &word) || !rf_str_is(word, MARK) ||
        !rf_str_split(&line, ' ', &word))
        return false;
    look.format = rf_format_by_mime(word);
    if (!look.format && !rf_str_is(word, NOTHING))
        return false;
    if (!read_facts(&line, &look.facts) || !rf_str_split(&line, ' ', &word) ||
        !read_flags(word, &look) || !rf_str_split(&line, ' ', &word) ||
        !read_problem(word, &look.problem) || (!look.format && !look.problem))
        return false;
    look.problem_text = rf_str_dup(a, line);
    *out = look;
    return true;
}
