/* OpenAI Responses: blocks in, the items of an output out. See output.h. */
#include "wire/openai_responses/output.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "content/block.h"
#include "wire/custom.h"

#define IMAGE_CALL "image_generation_call"

const struct rf_output_form rf_output_text = {
    .type = "output_text",
    .member = "text",
    .index = "content_index",
    .added = "response.content_part.added",
    .delta = "response.output_text.delta",
    .said = "response.output_text.done",
    .done = "response.content_part.done",
};
static const struct rf_output_form refusal_form = {
    .type = "refusal",
    .member = "refusal",
    .index = "content_index",
    .added = "response.content_part.added",
    .delta = "response.refusal.delta",
    .said = "response.refusal.done",
    .done = "response.content_part.done",
};
static const struct rf_output_form summary_form = {
    .type = "summary_text",
    .member = "text",
    .index = "summary_index",
    .added = "response.reasoning_summary_part.added",
    .delta = "response.reasoning_summary_text.delta",
    .said = "response.reasoning_summary_text.done",
    .done = "response.reasoning_summary_part.done",
};
static const struct rf_output_form thought_form = {
    .type = "reasoning_text",
    .member = "text",
    .index = "content_index",
    .added = "response.content_part.added",
    .delta = "response.reasoning_text.delta",
    .said = "response.reasoning_text.done",
    .done = "response.content_part.done",
};

static struct rf_str text_of(const struct rf_jval *c, const char *name, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(c, name);
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

/* Which block goes into which item. */

struct rf_str rf_output_words(const struct rf_output_part *p, struct rf_arena *a)
{
    const struct rf_block *b = &p->block;
    if (b->type == RF_BLOCK_TOOL_CALL)
        return p->tool.custom ? rf_custom_input(b, a) : rf_call_arguments(b, a);
    return b->type == RF_BLOCK_THINKING ? b->thinking.text : b->text;
}

/* A summary that was kept is the thought's words in parts, or has none beside words of its own. */
static bool has_words(const struct rf_jval *summary, struct rf_arena *a)
{
    const struct rf_jval *part = summary->type == RF_JARRAY ? rf_jval_first(summary) : NULL;
    for (; part; part = rf_jval_next(summary, part))
        if (text_of(part, "text", a).n)
            return true;
    return false;
}

static const struct rf_output_form *form_of(const struct rf_answer *a, const struct rf_block *b)
{
    const struct rf_jval *summary = rf_answer_kept(a, b, "summary");
    if (b->type == RF_BLOCK_THINKING)
        return summary && !has_words(summary, a->arena) ? &thought_form : &summary_form;
    return rf_answer_refuses(b) ? &refusal_form : &rf_output_text;
}

/* How the client has the tool of a call. */
static struct rf_responses_called tool_of(const struct rf_answer *a, const struct rf_block *b)
{
    const struct rf_tool *tool = b->type == RF_BLOCK_TOOL_CALL ? rf_answer_tool(a, b) : NULL;
    const struct rf_jval *own = tool ? rf_wire_own(tool->extra, "openai-responses") : NULL;
    return rf_responses_called(own, b->call.name, a->arena);
}

static struct rf_str own_id(const struct rf_answer *a, const struct rf_block *b)
{
    if (b->type == RF_BLOCK_THINKING && a->own)
        return b->thinking.id;
    return text_of(rf_answer_aside(a, b), "id", a->arena);
}

static struct rf_str item_id(const struct rf_output *o, const struct rf_block *b)
{
    static const char *const names[RF_BLOCK_OPAQUE + 1] = { [RF_BLOCK_TEXT] = "msg",
                                                            [RF_BLOCK_IMAGE] = "ig",
                                                            [RF_BLOCK_THINKING] = "rs",
                                                            [RF_BLOCK_TOOL_CALL] = "fc",
                                                            [RF_BLOCK_OPAQUE] = "item" };
    struct rf_str own = own_id(o->answer, b), id = o->answer->id;
    const char *name = tool_of(o->answer, b).custom ? "ctc" : names[b->type];
    if (own.n)
        return own;
    if (rf_str_starts(id, RF_RESPONSE_ID))
        id = (struct rf_str){ id.p + strlen(RF_RESPONSE_ID), id.n - strlen(RF_RESPONSE_ID) };
    return rf_strf(o->answer->arena, "%s_%.*s_%zu", name, RF_FMT(id), o->item_count);
}

bool rf_output_joins(const struct rf_output *o, const struct rf_block *b)
{
    const struct rf_output_part *last = o->count ? &o->parts[o->count - 1] : NULL;
    const struct rf_answer *a = o->answer;
    if (!last)
        return false;
    if (b->type == RF_BLOCK_IMAGE && last->block.type == RF_BLOCK_OPAQUE)
        return rf_str_is(text_of(last->block.value, "type", a->arena), IMAGE_CALL) &&
               rf_str_eq(text_of(last->block.value, "result", a->arena), b->media.source.ref);
    if (b->type != RF_BLOCK_TEXT || last->block.type != RF_BLOCK_TEXT)
        return false;
    return !a->own || rf_str_eq(own_id(a, b), o->items[o->item_count - 1].id);
}

bool rf_output_place(struct rf_output *o, const struct rf_block *b)
{
    struct rf_arena *arena = o->answer->arena;
    bool begins = !rf_output_joins(o, b);
    if (begins) {
        struct rf_str id = item_id(o, b);
        *RF_PUSH(arena, o->items, o->item_count, o->item_cap) =
            (struct rf_output_item){ .id = id, .first = o->count };
    }
    *RF_PUSH(arena, o->parts, o->count, o->cap) = (struct rf_output_part){
        .block = *b, .form = form_of(o->answer, b), .tool = tool_of(o->answer, b)
    };
    o->items[o->item_count - 1].count++;
    return begins;
}

void rf_output_replace(struct rf_output *o, size_t part, const struct rf_block *b)
{
    struct rf_str own = own_id(o->answer, b);
    struct rf_output_item *item = o->items;
    while (part >= item->first + item->count)
        item++;
    if (own.n)
        item->id = own;
    o->parts[part].block = *b;
    o->parts[part].words = rf_output_words(&o->parts[part], o->answer->arena);
}

/* Parts */

static int64_t number_of(const struct rf_jval *c, const char *name, int64_t otherwise)
{
    int64_t n = rf_reply_count(rf_jval_get(c, name));
    return n < 0 ? otherwise : n;
}

/* A citation that does not say which words it belongs to belongs to all of the text. */
static void citation(struct rf_json *w, const char *key, const struct rf_answer *a,
                     const struct rf_output_part *p, const struct rf_jval *c)
{
    struct rf_str url = text_of(c, "url", a->arena), title = text_of(c, "title", a->arena);
    int64_t start, end, all = rf_utf8_count(p->words);
    rf_answer_cited(a, p->words, c, &start, &end);
    rf_json_obj(w, key);
    rf_json_str(w, "type", url.n ? RF_STR("url_citation") : RF_STR("file_citation"));
    if (url.n) {
        rf_json_str(w, "url", url);
        rf_json_str(w, "title", title);
        rf_json_int(w, "start_index", number_of(c, "start", 0));
        rf_json_int(w, "end_index", number_of(c, "end", all));
    } else {
        rf_json_str(w, "file_id", text_of(c, "source", a->arena));
        rf_json_str(w, "filename", title);
        rf_json_int(w, "index", end);
    }
    rf_json_end(w);
}

static const struct rf_jval *kept_annotations(const struct rf_answer *a,
                                              const struct rf_output_part *p)
{
    const struct rf_jval *list = rf_answer_kept(a, &p->block, "annotations");
    return list && list->type == RF_JARRAY ? list : NULL;
}

const struct rf_jval *rf_output_cited(const struct rf_answer *a, const struct rf_output_part *p)
{
    const struct rf_jval *kept = kept_annotations(a, p), *list = kept ? kept : p->block.citations;
    return p->done && list && list->type == RF_JARRAY ? list : NULL;
}

void rf_output_annotation(struct rf_json *w, const char *key, const struct rf_answer *a,
                          const struct rf_output_part *p, const struct rf_jval *c)
{
    if (kept_annotations(a, p))
        rf_json_value(w, key, c);
    else
        citation(w, key, a, p, c);
}

static void annotations(struct rf_json *w, const struct rf_answer *a,
                        const struct rf_output_part *p)
{
    const struct rf_jval *list = rf_output_cited(a, p);
    rf_json_arr(w, "annotations");
    for (const struct rf_jval *c = list ? rf_jval_first(list) : NULL; c; c = rf_jval_next(list, c))
        rf_output_annotation(w, NULL, a, p, c);
    rf_json_end(w);
}

void rf_output_part(struct rf_json *w, const char *key, const struct rf_answer *a,
                    const struct rf_output_part *p)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", rf_str(p->form->type));
    rf_json_str(w, p->form->member, p->words);
    if (p->form == &rf_output_text)
        annotations(w, a, p);
    rf_json_end(w);
}

/* Items */

/* Its id, its status, and what else was kept of it. */
static void item_members(struct rf_json *w, const struct rf_answer *a,
                         const struct rf_output_item *i, const struct rf_block *b)
{
    static const char *const but[] = { "annotations", "content", "id", "refusal",
                                       "status",      "summary", NULL };
    const struct rf_jval *status = i->done ? rf_answer_kept(a, b, "status") : NULL;
    rf_json_str(w, "id", i->id);
    if (status)
        rf_json_value(w, "status", status);
    else if (b->type != RF_BLOCK_THINKING)
        rf_json_str(w, "status", i->done ? RF_STR("completed") : RF_STR("in_progress"));
    rf_json_members(w, rf_answer_aside(a, b), but);
}

static void message(struct rf_json *w, const struct rf_output *o, const struct rf_output_item *i)
{
    rf_json_str(w, "type", RF_STR("message"));
    rf_json_str(w, "role", RF_STR("assistant"));
    item_members(w, o->answer, i, &o->parts[i->first].block);
    rf_json_arr(w, "content");
    for (size_t k = 0; i->done && k < i->count; k++)
        rf_output_part(w, NULL, o->answer, &o->parts[i->first + k]);
    rf_json_end(w);
}

/* Its words are in one list, what was kept in the other; a summary must be there. */
static void reasoning(struct rf_json *w, const struct rf_answer *a, const struct rf_output_item *i,
                      const struct rf_output_part *p)
{
    bool summed = !i->done || p->form == &summary_form;
    const char *other = summed ? "content" : "summary";
    const struct rf_jval *kept = i->done ? rf_answer_kept(a, &p->block, other) : NULL;
    const struct rf_jval *parts =
        i->done && summed ? rf_answer_kept(a, &p->block, "summary") : NULL;
    rf_json_str(w, "type", RF_STR("reasoning"));
    item_members(w, a, i, &p->block);
    if (parts) {
        rf_json_value(w, "summary", parts);
    } else {
        rf_json_arr(w, summed ? "summary" : "content");
        if (i->done && p->words.n)
            rf_output_part(w, NULL, a, p);
        rf_json_end(w);
    }
    if (kept)
        rf_json_value(w, other, kept);
    else if (!summed)
        rf_json_raw(w, other, RF_STR("[]"));
    if (i->done)
        rf_json_str_opt(w, "encrypted_content", p->block.thinking.encrypted);
}

static void call(struct rf_json *w, const struct rf_answer *a, const struct rf_output_item *i,
                 const struct rf_output_part *p)
{
    bool custom = p->tool.custom;
    rf_json_str(w, "type", custom ? RF_STR("custom_tool_call") : RF_STR("function_call"));
    rf_json_str(w, "call_id", p->block.call.id);
    rf_json_str(w, "name", p->tool.name);
    rf_json_str_opt(w, "namespace", p->tool.space);
    rf_json_str(w, custom ? "input" : "arguments", p->words);
    item_members(w, a, i, &p->block);
}

static void image(struct rf_json *w, const struct rf_output_item *i, const struct rf_media *m)
{
    rf_json_str(w, "type", RF_STR(IMAGE_CALL));
    rf_json_str(w, "id", i->id);
    rf_json_str(w, "status", i->done ? RF_STR("completed") : RF_STR("in_progress"));
    if (rf_str_starts(m->media_type, "image/"))
        rf_json_str(w, "output_format",
                    (struct rf_str){ m->media_type.p + 6, m->media_type.n - 6 });
    if (i->done)
        rf_json_str(w, "result", m->source.ref);
    else
        rf_json_null(w, "result");
}

void rf_output_item(struct rf_json *w, const char *key, const struct rf_output *o,
                    const struct rf_output_item *i)
{
    const struct rf_output_part *p = &o->parts[i->first];
    if (p->block.type == RF_BLOCK_OPAQUE) {
        rf_json_value(w, key, p->block.value);
        return;
    }
    rf_json_obj(w, key);
    if (p->block.type == RF_BLOCK_THINKING)
        reasoning(w, o->answer, i, p);
    else if (p->block.type == RF_BLOCK_TOOL_CALL)
        call(w, o->answer, i, p);
    else if (p->block.type == RF_BLOCK_IMAGE)
        image(w, i, &p->block.media);
    else
        message(w, o, i);
    rf_json_end(w);
}
