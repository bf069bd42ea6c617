#include "page/view.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/message.h"
#include "page/files.h"
#include "request/request.h"

#define MOST_TEXT ((size_t)20000) /* bytes of one part */

/* Parts */

static void part_open(struct rf_json *w, const char *kind)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "kind", rf_str(kind));
}

static void text_member(struct rf_json *w, struct rf_str text)
{
    struct rf_str shown = { text.p, text.n < MOST_TEXT ? text.n : MOST_TEXT };
    shown.n = rf_utf8_valid(shown);
    rf_json_str(w, "text", shown);
    if (shown.n < text.n)
        rf_json_int(w, "cut", (int64_t)text.n);
}

static void text_part(struct rf_json *w, const char *kind, struct rf_str text)
{
    part_open(w, kind);
    text_member(w, text);
    rf_json_end(w);
}

static void call_members(struct rf_json *w, const struct rf_block *b, struct rf_str id,
                         struct rf_str name, struct rf_arena *a)
{
    rf_json_str(w, "id", id);
    rf_json_str(w, "name", name);
    text_member(w, rf_call_arguments(b, a));
}

/* What the client sent */

/* Its place in the report; the number of files where it is not there. */
static size_t file_of(const struct rf_request *r, const struct rf_part *part)
{
    size_t i = 0;
    while (r && i < r->plan.decision_count && r->plan.decisions[i].part != part)
        i++;
    return i;
}

static void file_part(struct rf_json *w, const struct rf_part *p, const struct rf_request *r)
{
    size_t i = file_of(r, p);
    part_open(w, "file");
    if (r && i < r->plan.decision_count)
        rf_json_int(w, "file", (int64_t)i);
    rf_json_str(w, "name", p->asset->name);
    rf_json_str(w, "type", p->asset->format ? rf_str(p->asset->format->label) : p->asset->mime);
    rf_json_str(w, "word", rf_str(rf_asset_word(p->asset)));
    if (rf_asset_pages(p->asset) > 0)
        rf_json_int(w, "pages", rf_asset_pages(p->asset));
    if (p->block && p->block->media.source.kind == RF_SOURCE_BLOB)
        rf_json_str(w, "blob", p->block->media.source.ref);
    if (p->found_in)
        rf_json_str(w, "found_in", rf_str(p->found_in));
    rf_json_end(w);
}

static void client_part(struct rf_json *w, const struct rf_part *p, const struct rf_request *r,
                        struct rf_arena *a)
{
    switch (p->kind) {
    case RF_PART_TEXT:
        text_part(w, p->is_error ? "error" : "text", p->text);
        break;
    case RF_PART_JSON:
        text_part(w, "json", p->text);
        break;
    case RF_PART_MEDIA:
        file_part(w, p, r);
        break;
    case RF_PART_THINKING:
        text_part(w, "thinking", p->block->thinking.text);
        break;
    case RF_PART_CALL:
        part_open(w, "call");
        call_members(w, p->block, p->block->call.id, p->block->call.name, a);
        rf_json_end(w);
        break;
    case RF_PART_OPAQUE:
        text_part(w, "opaque", p->text);
        break;
    }
}

static void client_message(struct rf_json *w, const struct rf_surveyed *m,
                           const struct rf_request *r, struct rf_arena *a)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", rf_str(rf_speaker_name(m->message->role, m->message->speaker)));
    rf_json_str_opt(w, "tool", m->message->name);
    rf_json_str_opt(w, "id", m->message->tool_call_id);
    rf_json_bool(w, "failed", m->message->failed);
    rf_json_str_opt(w, "provider", m->message->origin_provider);
    rf_json_str_opt(w, "model", m->message->origin_model);
    rf_json_arr(w, "parts");
    for (size_t i = 0; i < m->count; i++)
        client_part(w, &m->parts[i], r, a);
    rf_json_end(w);
    rf_json_end(w);
}

static void tools_of(struct rf_json *w, const struct rf_tool *tools, size_t count)
{
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < count; i++)
        rf_json_str(w, NULL, tools[i].name);
    rf_json_end(w);
}

/* `added`: what refract wrote after the client's words. */
static void system_of(struct rf_json *w, struct rf_str system, struct rf_str added)
{
    if (!system.n && !added.n)
        return;
    rf_json_obj(w, "system");
    text_member(w, system);
    rf_json_str_opt(w, "added", added);
    rf_json_end(w);
}

void rf_view_client(struct rf_json *w, const char *key, const struct rf_conversation *c,
                    const struct rf_request *r, struct rf_arena *a)
{
    const struct rf_asset_place nowhere = { .root = "/nonexistent", .blobs = c->blobs };
    struct rf_survey own;
    if (!r)
        rf_survey_init(&own, c, RF_STR(""), &nowhere, a);
    const struct rf_survey *s = r ? &r->survey : &own;
    rf_json_obj(w, key);
    system_of(w, c->system, RF_STR(""));
    tools_of(w, c->tools, c->tool_count);
    rf_json_arr(w, "messages");
    for (size_t i = 0; i < s->count; i++)
        client_message(w, &s->messages[i], r, a);
    rf_json_end(w);
    rf_json_end(w);
}

/* What the model gets */

/* Which of the parts that were made of the file it is; -1: the file itself. */
static int64_t made_part(const struct rf_decision *d, const struct rf_asset *asset)
{
    for (size_t k = 0; d->made && k < d->made->count; k++)
        if (&d->made->parts[k].asset == asset)
            return (int64_t)k;
    return -1;
}

/* The message of the client's that it is of, by its place among those. */
static void origin_of(struct rf_json *w, const struct rf_item *item)
{
    if (item->of)
        rf_json_int(w, "of", (int64_t)item->of->index);
}

static void media_members(struct rf_json *w, const struct rf_item *item, const struct rf_request *r)
{
    size_t i = rf_request_decision(r, item->asset);
    if (i < r->plan.decision_count) {
        int64_t made = made_part(&r->plan.decisions[i], item->asset);
        rf_json_int(w, "file", (int64_t)i);
        if (made >= 0)
            rf_json_int(w, "part", made);
    }
    rf_json_str(w, "name", item->label.n ? item->label : item->asset->name);
    rf_json_str(w, "type",
                item->asset->format ? rf_str(item->asset->format->label) : item->asset->mime);
    rf_json_str(w, "word", rf_str(rf_asset_word(item->asset)));
    if (item->asset->pages)
        rf_json_int(w, "pages", item->asset->pages);
    text_member(w, item->text);
}

static void items_of(struct rf_json *w, const struct rf_item *items, size_t count,
                     const struct rf_request *r, struct rf_arena *a);

static void result_members(struct rf_json *w, const struct rf_item *item,
                           const struct rf_request *r, struct rf_arena *a)
{
    rf_json_str(w, "id", item->id);
    rf_json_str(w, "name", item->name);
    rf_json_bool(w, "failed", item->failed);
    items_of(w, item->items, item->count, r, a);
}

static void model_part(struct rf_json *w, const struct rf_item *item, const struct rf_request *r,
                       struct rf_arena *a)
{
    static const char *const kinds[] = {
        [RF_ITEM_TEXT] = "text",     [RF_ITEM_JSON] = "json",
        [RF_ITEM_MEDIA] = "file",    [RF_ITEM_TEXT_FILE] = "text_file",
        [RF_ITEM_CALL] = "call",     [RF_ITEM_THINKING] = "thinking",
        [RF_ITEM_OPAQUE] = "opaque", [RF_ITEM_RESULT] = "result",
    };
    part_open(w, kinds[item->kind]);
    origin_of(w, item);
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
    case RF_ITEM_OPAQUE:
        text_member(w, item->text);
        break;
    case RF_ITEM_MEDIA:
    case RF_ITEM_TEXT_FILE:
        media_members(w, item, r);
        break;
    case RF_ITEM_THINKING:
        text_member(w, item->block->thinking.text);
        break;
    case RF_ITEM_CALL:
        call_members(w, item->block, item->id, item->name, a);
        break;
    case RF_ITEM_RESULT:
        result_members(w, item, r, a);
        break;
    }
    rf_json_end(w);
}

static void items_of(struct rf_json *w, const struct rf_item *items, size_t count,
                     const struct rf_request *r, struct rf_arena *a)
{
    rf_json_arr(w, "parts");
    for (size_t i = 0; i < count; i++)
        model_part(w, &items[i], r, a);
    rf_json_end(w);
}

/* A plan adds to the client's words, or leaves them as they are. */
static void planned_system(struct rf_json *w, const struct rf_request *r)
{
    struct rf_str all = r->plan.conversation->system, own = r->survey.conversation->system;
    if (all.n > own.n && rf_str_eq((struct rf_str){ all.p, own.n }, own))
        system_of(w, own, rf_str_trim((struct rf_str){ all.p + own.n, all.n - own.n }));
    else
        system_of(w, all, RF_STR(""));
}

void rf_view_model(struct rf_json *w, const char *key, const struct rf_request *r,
                   struct rf_arena *a)
{
    const struct rf_plan *p = &r->plan;
    rf_json_obj(w, key);
    planned_system(w, r);
    tools_of(w, p->offers_tools ? p->tools : NULL, p->offers_tools ? p->tool_count : 0);
    rf_json_arr(w, "messages");
    for (size_t i = 0; i < p->turn_count; i++) {
        const struct rf_turn *t = &p->turns[i];
        rf_json_obj(w, NULL);
        rf_json_str(w, "role", rf_str(rf_speaker_name(t->role, t->speaker)));
        items_of(w, t->items, t->count, r, a);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
}

/* The report */

void rf_view_files(struct rf_json *w, struct rf_request *r)
{
    rf_json_arr(w, "files");
    for (size_t i = 0; i < rf_report_count(r); i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        rf_json_obj(w, NULL);
        rf_files_members(w, r, i);
        rf_json_str(w, "id", rf_report_id(r, i));
        rf_json_str(w, "place", rf_report_place(r, i));
        rf_json_int(w, "parts", d->made ? (int64_t)d->made->count : 0);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_arr(w, "notices");
    for (size_t i = 0; i < rf_notice_count(r); i++)
        rf_json_str(w, NULL, rf_notice(r, i));
    rf_json_end(w);
}
