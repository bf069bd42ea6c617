#include "page/files.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/num.h"
#include "base/utf8.h"
#include "plan/plan.h"
#include "request/request.h"
#include "source/made.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_FILES 8 /* of one request, in a summary */
#define MOST_NOTICES 4
#define MOST_REASON 300
#define MOST_REST ((size_t)4000) /* bytes of the words of all other files */

/* Words */

/* "2000×1333" */
static void add_size(struct rf_buf *b, const struct rf_asset *f)
{
    char room[RF_NUM_ROOM];
    rf_buf_add(b, rf_num_text(f->facts.width, room));
    rf_buf_add(b, RF_STR("×"));
    rf_buf_add(b, rf_num_text(f->facts.height, room));
}

/* "2000×1333 JPEG", "47 pages PDF", "3.5 s WAV". */
static void add_thing(struct rf_buf *b, const struct rf_asset *f)
{
    if (f->facts.width && f->facts.height) {
        add_size(b, f);
        rf_buf_addc(b, ' ');
    } else if (f->facts.duration_ms > 0) {
        rf_buf_addf(b, "%.1f s ", (double)f->facts.duration_ms / 1e3);
    }
    if (f->format)
        rf_buf_add(b, rf_str(f->format->label));
    else
        rf_buf_add(b, f->mime.n ? f->mime : rf_str(rf_asset_word(f)));
    int64_t pages = f->pages ? f->pages : rf_asset_pages(f);
    if (pages > 0)
        rf_buf_addf(b, ", %" PRId64 " page%s", pages, pages == 1 ? "" : "s");
}

static const struct rf_made *made_of(const struct rf_decision *d)
{
    return d->made && d->made->count && rf_decision_is_sent(d) ? d->made : NULL;
}

/* What it was made of: the size alone where the kind is the same. */
static void add_origin(struct rf_buf *b, const struct rf_asset *from, const struct rf_asset *to)
{
    rf_buf_add(b, RF_STR(" of "));
    if (from->format == to->format && from->facts.width && from->facts.height)
        add_size(b, from);
    else
        add_thing(b, from);
}

/* Those that go with the text of a document. */
static size_t picture_count(const struct rf_decision *d)
{
    size_t count = 0;
    for (size_t i = 0; d->made && i < d->made->count; i++)
        count += rf_str_is(rf_str(rf_asset_word(&d->made->parts[i].asset)), "image");
    return count;
}

struct rf_str rf_files_words(const struct rf_decision *d, struct rf_arena *a)
{
    const struct rf_made *made = made_of(d);
    const struct rf_asset *from = d->part->asset;
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    if (made && made->count > 1)
        rf_buf_addf(&b, "%zu × ", made->count);
    if (made) {
        add_thing(&b, &made->parts[0].asset);
        add_origin(&b, from, &made->parts[0].asset);
    } else if (rf_decision_is_sent(d) || d->form == RF_FORM_ORIGINAL) {
        add_thing(&b, from);
    } else {
        rf_buf_add(&b, rf_str(rf_form_words(d->form)));
        rf_buf_addf(&b, d->form == RF_FORM_NOTE ? ": " : " of ");
        add_thing(&b, from);
        size_t pictures = d->form == RF_FORM_TEXT ? picture_count(d) : 0;
        if (pictures)
            rf_buf_addf(&b, ", and %zu picture%s in it", pictures, pictures == 1 ? "" : "s");
    }
    return (struct rf_str){ b.p, b.n };
}

/* JSON */

static struct rf_str cut(struct rf_str s, struct rf_arena *a)
{
    if (s.n <= MOST_REASON)
        return s;
    return rf_strf(a, "%.*s…", (int)rf_utf8_valid((struct rf_str){ s.p, MOST_REASON }), s.p);
}

void rf_files_members(struct rf_json *w, struct rf_request *r, size_t i)
{
    const struct rf_decision *d = &r->plan.decisions[i];
    const struct rf_asset *f = d->part->asset;
    rf_json_str(w, "name", rf_report_name(r, i));
    rf_json_str(w, "kind", rf_str(rf_asset_word(f)));
    rf_json_str(w, "type", f->format ? rf_str(f->format->label) : f->mime);
    if (rf_asset_pages(f) > 0)
        rf_json_int(w, "pages", rf_asset_pages(f));
    rf_json_str(w, "delivery", rf_str(rf_delivery_name(d->delivery)));
    rf_json_str(w, "form", rf_str(rf_form_name(d->form)));
    rf_json_str(w, "words", rf_files_words(d, r->arena));
    rf_json_str_opt(w, "why", cut(d->reason, r->arena));
    rf_json_str_opt(w, "limit", rf_report_limit(r, i));
    rf_json_arr(w, "lost");
    for (size_t k = 0; k < d->lost_count; k++)
        rf_json_str(w, NULL, d->lost[k]);
    rf_json_end(w);
    rf_json_int(w, "tokens", rf_report_tokens(r, i));
    rf_json_int(w, "bytes", rf_report_bytes(r, i));
    rf_json_int(w, "sent_bytes", rf_report_sent_bytes(r, i));
}

static bool is_changed(const struct rf_decision *d)
{
    return d->delivery != RF_DELIVERY_NATIVE || d->form != RF_FORM_ORIGINAL;
}

/* Those from `first` on, in few bytes. */
static void summary_rest(struct rf_json *w, struct rf_request *r, size_t first)
{
    size_t count = rf_report_count(r);
    bool changed = false;
    struct rf_buf words;
    if (count <= first)
        return;
    rf_buf_init(&words, r->arena, SIZE_MAX);
    for (size_t i = first; i < count; i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        const struct rf_str name = rf_report_name(r, i);
        changed |= is_changed(d);
        if (words.n < MOST_REST)
            rf_buf_addf(&words, "%s%.*s: %s %s", i > first ? "\n" : "", RF_FMT(cut(name, r->arena)),
                        rf_delivery_name(d->delivery), rf_form_name(d->form));
    }
    rf_json_obj(w, NULL);
    rf_json_int(w, "more", (int64_t)(count - first));
    rf_json_bool(w, "changed", changed);
    rf_json_str(w, "words", (struct rf_str){ words.p, words.n });
    rf_json_end(w);
}

static void summary_notices(struct rf_json *w, struct rf_request *r)
{
    size_t count = rf_notice_count(r);
    for (size_t i = 0; i < count && i < MOST_NOTICES; i++)
        rf_json_str(w, NULL, cut(rf_notice(r, i), r->arena));
    if (count > MOST_NOTICES)
        rf_json_str(w, NULL, rf_strf(r->arena, "and %zu more", count - MOST_NOTICES));
}

struct rf_str rf_files_summary(struct rf_request *r)
{
    size_t count = rf_report_count(r);
    struct rf_rope rope;
    struct rf_str json;
    if (!count && !rf_notice_count(r))
        return RF_STR("");
    struct rf_json writer, *w = &writer; /* too large to be kept with the request */
    rf_rope_init(&rope, r->arena);
    rf_json_init(w, &rope);
    rf_json_arr(w, NULL);
    for (size_t i = 0; i < count && i < MOST_FILES; i++) {
        rf_json_obj(w, NULL);
        rf_files_members(w, r, i);
        rf_json_end(w);
    }
    summary_rest(w, r, MOST_FILES);
    summary_notices(w, r);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, r->arena, &json, NULL))
        RF_BUG("a summary in memory could not be written");
    char *own = malloc(json.n);
    if (!own)
        RF_NO_MEMORY();
    memcpy(own, json.p, json.n);
    return (struct rf_str){ own, json.n };
}
