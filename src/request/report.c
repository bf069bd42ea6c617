/* The delivery report, read off the plan. */
#include "base/arena.h"
#include "base/json_write.h"
#include "model/tokens.h"
#include "request/request.h"

const char *rf_delivery_name(enum rf_delivery d)
{
    switch (d) {
    case RF_DELIVERY_NATIVE:
        return "native";
    case RF_DELIVERY_FALLBACK:
        return "fallback";
    case RF_DELIVERY_TEXT:
        return "text";
    case RF_DELIVERY_OMITTED:
        return "omitted";
    case RF_DELIVERY_ERROR:
        break;
    }
    return "error";
}

static const struct rf_decision *decision(const struct rf_request *r, size_t i)
{
    if (i >= r->plan.decision_count)
        RF_BUG("there is no such entry in the delivery report");
    return &r->plan.decisions[i];
}

static struct rf_asset *asset(const struct rf_request *r, size_t i)
{
    return decision(r, i)->part->asset;
}

size_t rf_report_count(const struct rf_request *r)
{
    return r->plan.decision_count;
}

struct rf_str rf_report_place(const struct rf_request *r, size_t i)
{
    struct rf_jpath at[4];
    char place[160];
    rf_jpath_format(rf_decision_path(decision(r, i), at), place, sizeof place);
    return rf_str_dup(r->arena, rf_str(place));
}

enum rf_delivery rf_report_delivery(const struct rf_request *r, size_t i)
{
    return decision(r, i)->delivery;
}

const char *rf_form_name(enum rf_form f)
{
    static const char *const names[] = {
        [RF_FORM_ORIGINAL] = "original",
        [RF_FORM_SMALLER] = "smaller",
        [RF_FORM_CONVERTED] = "converted",
        [RF_FORM_PAGES] = "pages",
        [RF_FORM_PAGE_IMAGES] = "page_images",
        [RF_FORM_FRAMES] = "frames",
        [RF_FORM_TEXT] = "text",
        [RF_FORM_RECOGNISED_TEXT] = "recognised_text",
        [RF_FORM_TRANSCRIPT] = "transcript",
        [RF_FORM_NOTE] = "note",
    };
    return names[f];
}

const char *rf_form_words(enum rf_form f)
{
    static const char *const words[] = {
        [RF_FORM_ORIGINAL] = "native",
        [RF_FORM_SMALLER] = "made smaller",
        [RF_FORM_CONVERTED] = "converted",
        [RF_FORM_PAGES] = "native",
        [RF_FORM_PAGE_IMAGES] = "converted to pictures",
        [RF_FORM_FRAMES] = "converted to frames",
        [RF_FORM_TEXT] = "text",
        [RF_FORM_RECOGNISED_TEXT] = "recognised text",
        [RF_FORM_TRANSCRIPT] = "transcript",
        [RF_FORM_NOTE] = "not sent",
    };
    return words[f];
}

enum rf_form rf_report_form(const struct rf_request *r, size_t i)
{
    return decision(r, i)->form;
}

size_t rf_report_lost_count(const struct rf_request *r, size_t i)
{
    return decision(r, i)->lost_count;
}

struct rf_str rf_report_lost(const struct rf_request *r, size_t i, size_t k)
{
    return k < decision(r, i)->lost_count ? decision(r, i)->lost[k] : RF_STR("");
}

struct rf_str rf_report_id(struct rf_request *r, size_t i)
{
    struct rf_asset *f = asset(r, i);
    return rf_asset_identify(f, r->arena, NULL) ? RF_STR("") : f->id;
}

struct rf_str rf_report_name(const struct rf_request *r, size_t i)
{
    return asset(r, i)->name;
}

struct rf_str rf_report_as(const struct rf_request *r, size_t i)
{
    return decision(r, i)->as;
}

struct rf_str rf_report_reason(const struct rf_request *r, size_t i)
{
    return decision(r, i)->reason;
}

struct rf_str rf_report_limit(const struct rf_request *r, size_t i)
{
    const struct rf_decision *d = decision(r, i);
    if (!d->limit_name)
        return RF_STR("");
    return rf_strf(r->arena, "%s: %lld", d->limit_name, (long long)d->limit);
}

int64_t rf_report_bytes(const struct rf_request *r, size_t i)
{
    const struct rf_asset *f = asset(r, i);
    int64_t declared = f->block->media.size_bytes;
    if (f->bytes.size || f->bytes.kind != RF_BYTES_MEMORY) /* memory without size: never found */
        return (int64_t)f->bytes.size;
    return declared ? declared : -1;
}

static bool is_sent(const struct rf_decision *d)
{
    return d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK || d->inlined;
}

static int64_t made_bytes(const struct rf_made *made)
{
    int64_t sum = 0;
    for (size_t i = 0; i < made->count; i++)
        sum += (int64_t)made->parts[i].asset.bytes.size;
    return sum;
}

int64_t rf_report_sent_bytes(const struct rf_request *r, size_t i)
{
    const struct rf_decision *d = decision(r, i);
    if (!is_sent(d))
        return 0;
    return d->made ? made_bytes(d->made) : (int64_t)asset(r, i)->bytes.size;
}

int64_t rf_report_tokens(const struct rf_request *r, size_t i)
{
    const struct rf_decision *d = decision(r, i);
    return d->tokens >= 0 ? d->tokens : rf_text_tokens(&r->plan.model->caps, d->words);
}

static void write_number(struct rf_json *w, const char *key, int64_t n, bool known)
{
    if (known)
        rf_json_int(w, key, n);
    else
        rf_json_null(w, key);
}

static void write_text(struct rf_json *w, const char *key, struct rf_str s)
{
    if (s.n)
        rf_json_str(w, key, s);
    else
        rf_json_null(w, key);
}

static void write_limit(struct rf_json *w, const struct rf_decision *d)
{
    if (!d->limit_name) {
        rf_json_null(w, "limit");
        return;
    }
    rf_json_obj(w, "limit");
    rf_json_str(w, "name", rf_str(d->limit_name));
    rf_json_int(w, "value", d->limit);
    rf_json_end(w);
}

/* Of what the model sees: of the first page or frame where there are several. */
static const struct rf_facts *seen_facts(const struct rf_decision *d)
{
    bool made = d->made && d->made->count && is_sent(d);
    return made ? &d->made->parts[0].asset.facts : &d->part->asset->facts;
}

static void write_entry(struct rf_json *w, struct rf_request *r, size_t i)
{
    const struct rf_decision *d = decision(r, i);
    const struct rf_asset *f = asset(r, i);
    const struct rf_media *m = &f->block->media;
    const struct rf_facts *seen = seen_facts(d);
    int64_t width = seen->width ? seen->width : m->width;
    int64_t height = seen->height ? seen->height : m->height;
    rf_json_obj(w, NULL);
    rf_json_int(w, "message", (int64_t)d->message->index);
    write_number(w, "block", d->part->block_index, d->part->block_index >= 0);
    if (d->part->found_in)
        rf_json_str(w, "found_in", rf_str(d->part->found_in));
    rf_json_str(w, "place", rf_report_place(r, i));
    rf_json_str(w, "id", rf_report_id(r, i));
    rf_json_str(w, "type", rf_str(rf_block_type_name(f->block->type)));
    write_text(w, "name", f->name);
    rf_json_str(w, "delivery", rf_str(rf_delivery_name(d->delivery)));
    rf_json_str(w, "form", rf_str(rf_form_name(d->form)));
    rf_json_str(w, "as", d->as);
    rf_json_arr(w, "lost");
    for (size_t k = 0; k < d->lost_count; k++)
        rf_json_str(w, NULL, d->lost[k]);
    rf_json_end(w);
    write_text(w, "reason", d->reason);
    write_number(w, "bytes", rf_report_bytes(r, i), rf_report_bytes(r, i) >= 0);
    rf_json_int(w, "sent_bytes", rf_report_sent_bytes(r, i));
    write_number(w, "width", width, width > 0);
    write_number(w, "height", height, height > 0);
    rf_json_int(w, "tokens", rf_report_tokens(r, i));
    if (d->form == RF_FORM_RECOGNISED_TEXT && d->made && d->made->confidence)
        rf_json_int(w, "confidence", d->made->confidence);
    write_limit(w, d);
    if (!r->plan.model->known)
        rf_json_bool(w, "model_known", false);
    rf_json_end(w);
}

struct rf_str rf_report_json(struct rf_request *r, size_t i)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(r->arena, struct rf_json);
    struct rf_str out;
    rf_rope_init(&rope, r->arena);
    rf_json_init(w, &rope);
    write_entry(w, r, i);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, r->arena, &out, NULL))
        RF_BUG("a report in memory could not be written");
    return out;
}
