#include "source/lift.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "media/media.h"
#include "source/asset.h"
#include "source/base64_text.h"

#define CUT_OFF_LOOK 65536 /* characters that tell what a file was that is not whole */

/* What the bytes begin like; NULL: not like a file. Formats that a few random bytes can look like
 * are believed only after a data: mark. */
static const struct rf_format *begins_like(struct rf_reader *r, bool marked)
{
    const struct rf_format *f = rf_sniff(r);
    return f && f->kind != RF_KIND_TEXT && (marked || !f->weak) ? f : NULL;
}

/* The format of the file that these characters decode to, and its size; or NULL. */
static const struct rf_format *format_of(struct rf_str base64, bool marked, struct rf_arena *a,
                                         int64_t *size)
{
    struct rf_bytes bytes;
    struct rf_reader r = { .fd = -1 };
    struct rf_facts facts;
    struct rf_str clean;
    if (rf_base64_clean(base64, a, &clean, NULL) || rf_bytes_base64(clean, &bytes, NULL) ||
        rf_reader_open(&r, &bytes, NULL))
        return NULL;
    const struct rf_format *f = begins_like(&r, marked);
    bool media = f && !rf_probe(&r, f, &facts, NULL);
    rf_reader_close(&r);
    *size = (int64_t)bytes.size;
    return media ? f : NULL;
}

const struct rf_format *rf_lift_head(struct rf_str base64, bool marked)
{
    struct rf_bytes bytes;
    struct rf_reader r = { .fd = -1 };
    base64.n -= base64.n % 4;
    if (!base64.n || rf_bytes_base64(base64, &bytes, NULL) || rf_reader_open(&r, &bytes, NULL))
        return NULL;
    const struct rf_format *f = begins_like(&r, marked);
    rf_reader_close(&r);
    return f;
}

/* The beginning of it in whole groups of four. */
static struct rf_str whole_groups(struct rf_str base64)
{
    size_t digits = 0, end = 0;
    for (size_t i = 0; i < base64.n && i < CUT_OFF_LOOK; i++) {
        if (rf_base64_run((struct rf_str){ base64.p + i, 1 }) && base64.p[i] != '=' &&
            ++digits % 4 == 0)
            end = i + 1;
    }
    return (struct rf_str){ base64.p, end };
}

/* Is this base64 a file? Fills the block if so. What was cut off within a group of four is one too:
 * that it is broken is found when it is looked at, and said in its place. */
static bool is_hidden_file(struct rf_str base64, bool marked, struct rf_arena *a,
                           struct rf_block *block)
{
    int64_t size;
    if (base64.n < RF_MIN_LIFT_BASE64)
        return false;
    const struct rf_format *f = format_of(base64, marked, a, &size);
    if (!f)
        f = format_of(whole_groups(base64), marked, a, &size);
    if (!f)
        return false;
    *block = (struct rf_block){
        .type = rf_block_type_for(f->kind),
        .media = { .source = { .kind = RF_SOURCE_DATA, .ref = base64 },
                   .media_type = rf_str(f->mime),
                   .size_bytes = size },
    };
    return true;
}

/* After the run of letters and digits that ends at `at`: the payload of a data URL whose mark it
 * ends with. */
static bool is_marked(struct rf_str text, size_t at, struct rf_str *payload)
{
    struct rf_str mime;
    return at >= 4 && at < text.n && text.p[at] == ':' &&
           rf_data_url((struct rf_str){ text.p + at - 4, text.n - at + 4 }, &mime, payload);
}

/* The character that "%2B", "%2F" or "%3D" at the front stands for; '\0': none of them is there. */
static char percent_encoded(struct rf_str s)
{
    static const struct {
        const char *code;
        char is;
    } known[] = { { "%2B", '+' }, { "%2F", '/' }, { "%3D", '=' } };
    for (size_t i = 0; s.n >= 3 && i < sizeof known / sizeof *known; i++)
        if (rf_str_ieq((struct rf_str){ s.p, 3 }, rf_str(known[i].code)))
            return known[i].is;
    return '\0';
}

/* The base64 after a mark, as an address may spell it; `n` characters of the text. */
static struct rf_str payload_of(struct rf_str s, struct rf_arena *a, size_t *n)
{
    size_t end = 0, out = 0;
    bool encoded = false;
    for (size_t run = 1; run; end += run) {
        struct rf_str rest = { s.p + end, s.n - end };
        run = percent_encoded(rest) ? 3 : rf_base64_run(rest);
        encoded |= run == 3 && rest.p[0] == '%';
    }
    *n = encoded ? end : rf_base64_block(s);
    if (!encoded)
        return (struct rf_str){ s.p, *n };
    char *p = rf_arena_alloc(a, end);
    for (size_t i = 0; i < end; i++) {
        char c = percent_encoded((struct rf_str){ s.p + i, end - i });
        p[out++] = c ? c : s.p[i];
        i += c ? 2 : 0;
    }
    return (struct rf_str){ p, out };
}

/* A file that reaches the end of its text, which was cut there: its beginning is all that there is
 * to be judged. */
static bool is_cut_file(struct rf_str base64, bool marked, struct rf_arena *a,
                        struct rf_block *block)
{
    struct rf_str clean, line = { base64.p, rf_base64_run(base64) };
    (void)block;
    line.n = (line.n < CUT_OFF_LOOK ? line.n : CUT_OFF_LOOK) / 4 * 4;
    return base64.n >= RF_MIN_LIFT_BASE64 && !rf_base64_clean(line, a, &clean, NULL) &&
           rf_lift_head(clean, marked);
}

typedef bool judge(struct rf_str base64, bool marked, struct rf_arena *a, struct rf_block *block);

/* The first stretch of base64 that is a file. */
static bool find(struct rf_str text, judge *is_file, struct rf_arena *a, struct rf_str *before,
                 struct rf_block *block, struct rf_str *after)
{
    if (text.n < RF_MIN_LIFT_BASE64)
        return false;
    for (size_t at = 0, step; at < text.n; at += step ? step : 1) {
        struct rf_str base64 = { text.p + at, text.n - at }, payload;
        size_t begin = at, n = 0;
        bool found = false;
        step = rf_base64_run(base64);
        if (step >= RF_BASE64_SHORTEST) {
            base64.n = step = rf_base64_block(base64); /* no file begins at a later line of none */
            found = is_file(base64, false, a, block);
            payload = base64;
            n = base64.n;
        }
        if (!found && is_marked(text, at + step, &payload)) {
            begin = at + step - 4;
            found = is_file(payload_of(payload, a, &n), true, a, block);
        }
        if (found) {
            const char *end = payload.p + n;
            *before = (struct rf_str){ text.p, begin };
            *after = (struct rf_str){ end, (size_t)(text.p + text.n - end) };
            return true;
        }
    }
    return false;
}

bool rf_lift_text(struct rf_str text, struct rf_arena *a, struct rf_str *before,
                  struct rf_block *block, struct rf_str *after)
{
    return find(text, is_hidden_file, a, before, block, after);
}

struct rf_str rf_lift_cut(struct rf_str text, struct rf_arena *a)
{
    struct rf_str before, after = text;
    struct rf_block block;
    while (find(after, is_cut_file, a, &before, &block, &after)) {
        size_t begin = (size_t)(before.p + before.n - text.p);
        struct rf_str file = { text.p + begin, text.n - begin };
        if (rf_base64_is_cut(after) && !rf_lift_text(file, a, &before, &block, &after))
            return rf_strf(a, "%.*s" RF_LIFT_WORDS "%s", (int)begin, text.p,
                           rf_str_ends(text, "\n") ? "\n" : "");
    }
    return text;
}

static void add_lifted(struct rf_lifted *lifted, const struct rf_block *found, struct rf_arena *a)
{
    struct rf_block *block = RF_NEW(a, struct rf_block);
    *block = *found;
    *RF_PUSH(a, lifted->blocks, lifted->count, lifted->cap) = block;
}

/* Of which file that goes along is it a copy? NULL: of none. */
static const struct rf_str *copy_of(const struct rf_block *found, const struct rf_lifted *lifted,
                                    struct rf_arena *a)
{
    struct rf_bytes bytes;
    struct rf_str clean;
    if (rf_base64_clean(found->media.source.ref, a, &clean, NULL) ||
        rf_bytes_base64(clean, &bytes, NULL) || rf_bytes_hash(&bytes, a, NULL))
        return NULL;
    for (size_t i = 0; i < lifted->copied_count; i++)
        if (rf_str_eq(lifted->copied[i], bytes.sha256))
            return &lifted->copied[i];
    return NULL;
}

/* What takes the place of a file that was found; empty: it stays. */
static struct rf_str words_for(const struct rf_block *found, const struct rf_lifted *lifted,
                               struct rf_arena *a)
{
    const struct rf_str mime = found->media.media_type;
    long long size = found->media.size_bytes;
    if (lifted->copied) {
        const struct rf_str *hash = copy_of(found, lifted, a);
        return hash ? rf_strf(a, "[%.*s, %lld bytes: the file att_%.12s of this result]",
                              RF_FMT(mime), size, hash->p)
                    : RF_STR("");
    }
    return lifted->dropped ? RF_STR(RF_LIFT_WORDS)
                           : rf_strf(a, "[%.*s, %lld bytes: taken out of this JSON, see below]",
                                     RF_FMT(mime), size);
}

/* The text with words in the places of the files that hide in it. */
static struct rf_str without_files(struct rf_str text, struct rf_arena *a, struct rf_lifted *lifted)
{
    struct rf_block found;
    struct rf_str before, after;
    struct rf_buf b;
    if (!rf_lift_text(text, a, &before, &found, &after))
        return text;
    rf_buf_init(&b, a, SIZE_MAX);
    do {
        struct rf_str words = words_for(&found, lifted, a);
        struct rf_str as_it_was = { before.p + before.n, (size_t)(after.p - before.p) - before.n };
        if (words.n)
            add_lifted(lifted, &found, a);
        rf_buf_add(&b, before);
        rf_buf_add(&b, words.n ? words : as_it_was);
        text = after;
    } while (rf_lift_text(text, a, &before, &found, &after));
    rf_buf_add(&b, text);
    if (rf_buf_finish(&b, &text, NULL))
        RF_BUG("a text without its files is longer than memory");
    return text;
}

/* A string is copied as it is spelled unless something hides in it. */
static void copy_string(const struct rf_jval *v, struct rf_arena *a, struct rf_json *w,
                        struct rf_lifted *lifted)
{
    size_t before = lifted->count;
    struct rf_str text = { 0 };
    if (v->raw.n >= RF_MIN_LIFT_BASE64)
        text = without_files(rf_jval_text(v, a), a, lifted);
    if (lifted->count > before)
        rf_json_str(w, NULL, text);
    else
        rf_json_value(w, NULL, v);
}

/* Recursion is bounded by the reader's depth limit. */
static void copy_value(const struct rf_jval *v, struct rf_arena *a, struct rf_json *w,
                       struct rf_lifted *lifted)
{
    if (v->type == RF_JSTRING) {
        copy_string(v, a, w, lifted);
        return;
    }
    if (v->type != RF_JARRAY && v->type != RF_JOBJECT) {
        rf_json_value(w, NULL, v);
        return;
    }
    if (v->type == RF_JOBJECT)
        rf_json_obj(w, NULL);
    else
        rf_json_arr(w, NULL);
    for (const struct rf_jval *c = rf_jval_first(v); c; c = rf_jval_next(v, c)) {
        if (v->type == RF_JOBJECT) {
            rf_json_key(w, without_files(rf_jval_text(c, a), a, lifted));
            c++;
        }
        copy_value(c, a, w, lifted);
    }
    rf_json_end(w);
}

struct rf_str rf_lift_json(const struct rf_jval *v, struct rf_arena *a, struct rf_lifted *lifted)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    copy_value(v, a, &w, lifted);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &out, NULL))
        RF_BUG("a JSON value in memory could not be written");
    return out;
}

bool rf_lift_json_text(struct rf_str text, struct rf_arena *a, struct rf_str *json,
                       struct rf_lifted *lifted)
{
    struct rf_str s = rf_str_trim(text);
    const struct rf_jval *v;
    bool container = s.n >= RF_MIN_LIFT_BASE64 && (s.p[0] == '{' || s.p[0] == '[');
    if (!container || rf_jval_parse(s, a, &v, NULL))
        return false;
    *json = rf_lift_json(v, a, lifted);
    return lifted->count > 0;
}

static struct rf_str lift_text(struct rf_str text, struct rf_arena *a, struct rf_lifted *lifted)
{
    struct rf_str before, after, out;
    struct rf_block found;
    struct rf_buf b;
    bool said = false;
    rf_buf_init(&b, a, SIZE_MAX);
    while (rf_lift_text(text, a, &before, &found, &after)) {
        add_lifted(lifted, &found, a);
        rf_buf_add(&b, before);
        rf_buf_addf(&b, "[%.*s, %lld bytes: see the file below]", RF_FMT(found.media.media_type),
                    (long long)found.media.size_bytes);
        said = said || !rf_str_blank(before);
        text = after;
    }
    said = said || !rf_str_blank(text);
    if (!b.n || !said)
        return b.n ? RF_STR("") : text;
    rf_buf_add(&b, text);
    if (rf_buf_finish(&b, &out, NULL))
        RF_BUG("a text without its files is longer than memory");
    return out;
}

struct rf_str rf_lift_out(struct rf_str text, struct rf_arena *a, struct rf_lifted *lifted)
{
    struct rf_str json;
    return rf_lift_json_text(text, a, &json, lifted) ? json : lift_text(text, a, lifted);
}

static struct rf_str replace(struct rf_str text, struct rf_arena *a, struct rf_lifted *lifted)
{
    struct rf_str json;
    return rf_lift_json_text(text, a, &json, lifted) ? json : without_files(text, a, lifted);
}

struct rf_str rf_lift_away(struct rf_str text, struct rf_arena *a)
{
    struct rf_lifted dropped = { .dropped = true };
    return replace(text, a, &dropped);
}

struct rf_str rf_lift_copies(struct rf_str text, const struct rf_str *hashes, size_t count,
                             struct rf_arena *a)
{
    struct rf_lifted copies = { .copied = hashes, .copied_count = count };
    return replace(text, a, &copies);
}
