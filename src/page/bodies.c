/* Bodies as they are on the wire, with files folded: "‹photo.png, PNG, 412,339 bytes, sha256:…›"
 * stands where their base64 was. */
#include "page/page.h"

#include "base/base64.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "page/kept.h"
#include "page/media.h"
#include "request/request.h"
#include "source/base64_text.h"
#include "source/lift.h"

#include <inttypes.h>

#define LEAST_FOLDED 200 /* bytes of base64; a file is hardly shorter */

/* Words for bytes */

struct folding {
    struct rf_request *request; /* whose files they are, or NULL */
    struct rf_arena *arena;
};

/* The name of the file with this hash. */
static struct rf_str name_by_hash(const struct folding *f, const char *hex)
{
    for (size_t i = 0; f->request && i < f->request->plan.decision_count; i++) {
        struct rf_asset *asset = f->request->plan.decisions[i].part->asset;
        if (!rf_bytes_hash(&asset->bytes, f->request->arena, NULL) &&
            rf_str_is(asset->bytes.sha256, hex))
            return asset->name;
    }
    return RF_STR("");
}

static struct rf_str folded(const struct folding *f, struct rf_str name,
                            const struct rf_bytes *bytes)
{
    uint8_t digest[32];
    char hex[65] = "?";
    if (!rf_bytes_sha256(bytes, digest, NULL))
        rf_sha256_hex(digest, hex);
    if (!name.n)
        name = name_by_hash(f, hex);
    const struct rf_format *format = rf_page_format(bytes);
    return rf_strf(f->arena, "‹%.*s%s%s, %" PRIu64 " bytes, sha256:%s›", RF_FMT(name),
                   name.n ? ", " : "", format ? format->label : "file", bytes->size, hex);
}

/* JSON */

/* Where the base64 of a string begins: after the head of a data URL, else at its first byte. */
static size_t base64_at(struct rf_str s)
{
    static const char mark[] = ";base64,";
    const char *at = rf_str_starts(s, "data:")
                         ? memmem(s.p, s.n < 200 ? s.n : 200, mark, sizeof mark - 1)
                         : NULL;
    return at ? (size_t)(at - s.p) + sizeof mark - 1 : 0;
}

static bool is_base64(struct rf_str s, struct rf_arena *a, struct rf_bytes *out)
{
    size_t n;
    if (s.n < LEAST_FOLDED || !rf_base64_decoded_length(s.p, s.n, &n))
        return false;
    char *bytes = rf_arena_alloc(a, n);
    *out = rf_bytes_memory((struct rf_str){ bytes, n });
    return rf_base64_decode(s.p, s.n, bytes);
}

/* A text with words in the place of each file that hides in it. */
static struct rf_str without_hidden(const struct folding *f, struct rf_str text)
{
    struct rf_str before, after, clean;
    struct rf_block found;
    struct rf_bytes bytes;
    struct rf_buf b;
    rf_buf_init(&b, f->arena, SIZE_MAX);
    while (rf_lift_text(text, f->arena, &before, &found, &after)) {
        bool whole = !rf_base64_clean(found.media.source.ref, f->arena, &clean, NULL) &&
                     !rf_bytes_base64(clean, &bytes, NULL);
        rf_buf_add(&b, before);
        if (whole)
            rf_buf_add(&b, folded(f, RF_STR(""), &bytes));
        else
            rf_buf_addf(&b, "‹%.*s, cut off›", RF_FMT(found.media.media_type));
        text = after;
    }
    rf_buf_add(&b, text);
    return (struct rf_str){ b.p ? b.p : "", b.n };
}

static void string_of(const struct folding *f, struct rf_json *w, struct rf_str s)
{
    struct rf_bytes bytes;
    size_t at = base64_at(s);
    if (!is_base64((struct rf_str){ s.p + at, s.n - at }, f->arena, &bytes)) {
        rf_json_str(w, NULL, without_hidden(f, s));
        return;
    }
    struct rf_str words = folded(f, RF_STR(""), &bytes);
    rf_json_str(w, NULL, rf_strf(f->arena, "%.*s%.*s", (int)at, s.p, RF_FMT(words)));
}

/* The reader has limited the depth. */
static void value_of(const struct folding *f, struct rf_json *w, const struct rf_jval *v)
{
    if (v->type == RF_JOBJECT) {
        rf_json_obj(w, NULL);
        for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
            rf_json_key(w, rf_jval_text(k, f->arena));
            value_of(f, w, k + 1);
        }
        rf_json_end(w);
    } else if (v->type == RF_JARRAY) {
        rf_json_arr(w, NULL);
        for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
            value_of(f, w, e);
        rf_json_end(w);
    } else if (v->type == RF_JSTRING) {
        string_of(f, w, rf_jval_text(v, f->arena));
    } else {
        rf_json_value(w, NULL, v);
    }
}

static void answer(struct rf_page_visit *v, const struct folding *f, struct rf_str text)
{
    const struct rf_jval *body;
    struct rf_err err = { 0 };
    if (rf_jval_parse(text, v->arena, &body, &err)) {
        v->type = "text/plain; charset=utf-8";
        v->out = rf_str_dup(v->arena, (struct rf_str){ text.p, rf_utf8_valid(text) });
        return;
    }
    struct rf_json *w = rf_page_json(v);
    value_of(f, w, body);
    rf_page_json_end(v, w);
}

/* The model's */

/* The name of the file that these bytes are of. */
static struct rf_str name_of(const struct rf_request *r, const struct rf_bytes *bytes)
{
    for (size_t i = 0; i < r->plan.decision_count; i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        bool own = &d->part->asset->bytes == bytes;
        for (size_t k = 0; !own && d->made && k < d->made->count; k++)
            own = &d->made->parts[k].asset.bytes == bytes;
        if (own)
            return d->part->asset->name;
    }
    return RF_STR("");
}

/* A text of the rope in which no file was read. */
static struct rf_str without_files(const struct folding *f)
{
    const struct rf_request *r = f->request;
    struct rf_buf b;
    rf_buf_init(&b, f->arena, SIZE_MAX);
    for (size_t i = 0; i < r->body.count; i++) {
        const struct rf_piece *p = &r->body.pieces[i];
        if (p->kind == RF_PIECE_TEXT)
            rf_buf_add(&b, p->text);
        else
            rf_buf_add(&b, folded(f, name_of(r, p->bytes), p->bytes));
    }
    return (struct rf_str){ b.p ? b.p : "", b.n };
}

void rf_page_body(struct rf_page_visit *v)
{
    struct rf_ring_entry e;
    struct rf_kept_exchange *k = rf_page_kept(v, &e);
    if (!k)
        return;
    const struct rf_translation *t = rf_page_translation(v, k, &e);
    const struct folding f = { t->request, v->arena };
    if (rf_str_is(v->words[1], "client"))
        answer(v, &f, t->body);
    else if (t->request && t->request->body.count)
        answer(v, &f, without_files(&f));
    else
        rf_page_refuse(v, 404, RF_STR("no request was made of it"));
    rf_page_done(k);
}
