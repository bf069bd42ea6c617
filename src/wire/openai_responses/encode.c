/* OpenAI Responses: no messages but items; each call, result and thought is one of its own.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 *     item            on the wire                                   otherwise
 *     text, JSON      a string, or a part {type: input_text}        assistant: a message each, with
 *                                                                   the parts that it had
 *     text file       the same, its heading before it
 *     image           part input_image {detail, image_url}          uploaded: {detail, file_id}
 *     PDF, document   part input_file {filename, file_data}         {file_url}, {file_id}
 *     sound, video    refused
 *     call            item function_call, its arguments as a string
 *     result          item function_call_output, a string           media inside: a list of parts
 *     call, result    items custom_tool_call, ..._output            of a custom tool of its own client
 *     thinking        item reasoning before the item it led to
 *
 * There is no mark for a failed result, whose text says so, and no stop. Nothing is stored on the
 * other side, so thoughts travel encrypted: that is asked of every model that has thoughts. A
 * client of this API decides that itself; thoughts that it has stored go by their ids. */
#include "base/utf8.h"
#include "plan/words.h"
#include "wire/answer.h"
#include "wire/openai_responses/openai_responses.h"
#include "wire/wire.h"

/* Content parts. */

/* Of files the detail is kept as it came: they have no field for it. */
static void own_of_part(struct rf_json *w, const struct rf_item *item)
{
    bool image = item->asset->kind == RF_KIND_IMAGE;
    const char *const written[] = { "type",
                                    "image_url",
                                    "file_data",
                                    "file_id",
                                    "file_url",
                                    "filename",
                                    image ? "detail" : NULL,
                                    NULL };
    rf_json_members(w, item->own, written);
}

static void image_part(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_asset *asset = item->asset;
    struct rf_str detail = rf_wire_detail(asset);
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("input_image"));
    rf_json_str(w, "detail", detail.n ? detail : RF_STR("auto"));
    if (asset->state == RF_ASSET_FILE_ID)
        rf_wire_asset(w, "file_id", asset);
    else
        rf_wire_data_url(w, "image_url", asset);
    own_of_part(w, item);
    rf_json_end(w);
}

static void file_part(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("input_file"));
    switch (item->asset->state) {
    case RF_ASSET_BYTES:
        rf_json_str(w, "filename", rf_wire_filename(item, w->rope->arena));
        rf_wire_data_url(w, "file_data", item->asset);
        break;
    case RF_ASSET_URL:
        rf_wire_asset(w, "file_url", item->asset);
        break;
    case RF_ASSET_FILE_ID:
        rf_wire_asset(w, "file_id", item->asset);
        break;
    case RF_ASSET_BROKEN:
    case RF_ASSET_TOLD:
        RF_BUG("broken file in a plan");
    }
    own_of_part(w, item);
    rf_json_end(w);
}

static void media_part(struct rf_json *w, const struct rf_item *item)
{
    switch (item->asset->kind) {
    case RF_KIND_IMAGE:
        image_part(w, item);
        return;
    case RF_KIND_AUDIO:
    case RF_KIND_VIDEO:
        rf_wire_refuse(w, "a message", item->asset);
        return;
    case RF_KIND_PDF:
    case RF_KIND_TEXT:
    case RF_KIND_OFFICE:
    case RF_KIND_UNKNOWN:
        file_part(w, item);
        return;
    }
}

static void part(struct rf_json *w, const struct rf_item *item)
{
    rf_wire_content_part(w, "input_text", item, media_part);
}

/* Input items. */

#define MOST_ID 64 /* bytes */

/* What its own client said of a tool or of a call, where that goes back; or NULL. */
static const struct rf_jval *own_of(const struct rf_plan *p, const struct rf_jval *extra)
{
    return p->kept ? rf_wire_own(extra, "openai-responses") : NULL;
}

/* How the tool of a call is called. */
static struct rf_responses_called called(const struct rf_json *w, const struct rf_plan *p,
                                         const struct rf_block *call)
{
    return rf_responses_called(own_of(p, call->extra), call->call.name, w->rope->arena);
}

/* The program that called is named in the call too, or in neither: another model's is not there. */
static void own_of_output(struct rf_json *w, const struct rf_item *item)
{
    bool called = rf_jval_get(item->call_own, "caller");
    const char *const but[] = { "output", called ? NULL : "caller", NULL };
    rf_json_members(w, item->own, but);
}

static void call_output(struct rf_json *w, const struct rf_plan *p, const struct rf_item *item)
{
    bool custom = item->block && called(w, p, item->block).custom;
    rf_json_obj(w, NULL);
    rf_json_str(w, "type",
                custom ? RF_STR("custom_tool_call_output") : RF_STR("function_call_output"));
    rf_json_str(w, "call_id", item->id);
    rf_wire_result_content(w, "output", item, part);
    own_of_output(w, item);
    rf_json_end(w);
}

/* What only this API can say is part of a message ("input_…"), or an item of its own. */
static bool is_whole(const struct rf_item *item)
{
    const struct rf_jval *type =
        item->kind == RF_ITEM_OPAQUE ? rf_jval_get(item->block->value, "type") : NULL;
    return type && type->type == RF_JSTRING && !rf_str_starts(type->raw, "input_");
}

/* `own` is what else its client said of the message. */
static void user_message(struct rf_json *w, const struct rf_turn *turn, const struct rf_item *items,
                         size_t count, const struct rf_jval *own)
{
    static const char *const but[] = { "type", "role", "content", NULL };
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", rf_wire_speaker(turn));
    rf_wire_content(w, "content", items, count, part);
    rf_json_members(w, own, but);
    rf_json_end(w);
}

static void user_turn(struct rf_json *w, const struct rf_plan *p, const struct rf_turn *turn)
{
    const struct rf_jval *own = turn->own;
    size_t i = 0, count;
    for (; i < turn->count && turn->items[i].kind == RF_ITEM_RESULT; i++)
        call_output(w, p, &turn->items[i]);
    for (; i < turn->count; i += count) {
        count = is_whole(&turn->items[i]);
        if (count) {
            rf_json_value(w, NULL, turn->items[i].block->value);
            continue;
        }
        while (i + count < turn->count && !is_whole(&turn->items[i + count]))
            count++;
        user_message(w, turn, turn->items + i, count, own);
        own = NULL;
    }
}

/* A reply that was kept has the parts of its summary beside the text, where there are several. */
static void summary(struct rf_json *w, const struct rf_block *thought)
{
    const struct rf_jval *parts = rf_jval_get(rf_jval_get(thought->extra, "extra"), "summary");
    if (parts && parts->type == RF_JARRAY && parts->count > 1) {
        rf_json_value(w, "summary", parts);
        return;
    }
    rf_json_arr(w, "summary");
    if (thought->thinking.text.n) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("summary_text"));
        rf_json_str(w, "text", thought->thinking.text);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void reasoning(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_thinking *t = &item->block->thinking;
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("reasoning"));
    rf_json_str_opt(w, "id", t->id);
    if (!rf_jval_get(item->own, "summary"))
        summary(w, item->block);
    rf_json_str_opt(w, "encrypted_content", t->encrypted);
    rf_json_members(w, item->own, NULL);
    rf_json_end(w);
}

static void call(struct rf_json *w, const struct rf_plan *p, const struct rf_item *item)
{
    struct rf_responses_called tool = called(w, p, item->block);
    const struct rf_jval *input = rf_jval_get(item->block->call.arguments, "input");
    bool custom = tool.custom && input && input->type == RF_JSTRING;
    const char *const but[] = {
        "type", "namespace", "arguments", "input", item->thoughtless ? "id" : NULL, NULL
    };
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", custom ? RF_STR("custom_tool_call") : RF_STR("function_call"));
    rf_json_str(w, "call_id", item->id);
    rf_json_str(w, "name", custom || tool.space.n ? tool.name : item->name);
    rf_json_str_opt(w, "namespace", tool.space);
    if (custom)
        rf_json_value(w, "input", input);
    else
        rf_wire_arguments_string(w, "arguments", item->block);
    rf_json_members(w, item->own, but);
    rf_json_end(w);
}

/* Of the same kind, which its beginning tells ("cu_…"), and the same for the same id. */
static struct rf_str other_id(struct rf_str id, struct rf_arena *a)
{
    const char *end = id.n ? memchr(id.p, '_', id.n) : NULL;
    size_t kind = end ? (size_t)(end - id.p) + 1 : 0;
    struct rf_str rest = { id.p + kind, id.n - kind };
    struct rf_str other = rf_strf(a, "%.*s0%.*s", (int)kind, id.p, RF_FMT(rest));
    return rf_utf8_cut(other, MOST_ID);
}

/* A call of the API's own tools without the thoughts that led to it: by its id the server knows
 * that they are missing, and refuses it. Where the type requires an id, it gets one that the server
 * does not know. What a client was asked is not a call: its answer names the id. */
static void without_id(struct rf_json *w, const struct rf_jval *call, struct rf_str type)
{
    static const char *const but[] = { "id", NULL };
    bool optional = rf_str_is(type, "shell_call") || rf_str_is(type, "apply_patch_call") ||
                    rf_str_is(type, "tool_search_call");
    const struct rf_jval *id = rf_jval_get(call, "id");
    rf_json_obj(w, NULL);
    rf_json_members(w, call, but);
    if (id && id->type == RF_JSTRING && !optional)
        rf_json_str(w, "id", other_id(rf_jval_text(id, w->rope->arena), w->rope->arena));
    rf_json_end(w);
}

static void opaque(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_jval *value = item->block->value, *kind = rf_jval_get(value, "type");
    bool named = kind && kind->type == RF_JSTRING;
    struct rf_str type = named ? rf_jval_text(kind, w->rope->arena) : RF_STR("");
    if (item->thoughtless && rf_str_ends(type, "_call"))
        without_id(w, value, type);
    else
        rf_json_value(w, NULL, value);
}

static bool is_text(const struct rf_item *item)
{
    return item->kind == RF_ITEM_TEXT || item->kind == RF_ITEM_JSON ||
           item->kind == RF_ITEM_TEXT_FILE;
}

/* How many items from this one on are parts of one message? */
static size_t said_together(const struct rf_item *items, size_t count)
{
    size_t n = 1;
    while (n < count && is_text(items) && is_text(&items[n]) &&
           rf_jval_get(items[n].own, "continues"))
        n++;
    return n;
}

static void cited(struct rf_json *w, const struct rf_jval *list)
{
    static const char *const names[][2] = {
        { "url", "url" }, { "title", "title" }, { "start", "start_index" }, { "end", "end_index" }
    };
    const struct rf_jval *c = list && list->type == RF_JARRAY ? rf_jval_first(list) : NULL;
    rf_json_arr(w, "annotations");
    for (; c; c = rf_jval_next(list, c)) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("url_citation"));
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (rf_jval_get(c, names[i][0]))
                rf_json_value(w, names[i][1], rf_jval_get(c, names[i][0]));
        rf_json_end(w);
    }
    rf_json_end(w);
}

/* The type is kept of what is not a text. */
static void said_part(struct rf_json *w, const struct rf_item *item)
{
    static const char *const but[] = { "message", "continues", "type", NULL };
    const struct rf_jval *refusal = rf_jval_get(item->own, "type");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", refusal ? RF_STR("refusal") : RF_STR("output_text"));
    rf_wire_joined(w, refusal ? "refusal" : "text", item, 1);
    if (!refusal && !rf_jval_get(item->own, "annotations"))
        cited(w, item->block ? item->block->citations : NULL);
    rf_json_members(w, item->own, but);
    rf_json_end(w);
}

/* Is it a text that its own client said no more of than its phase? */
static bool is_plain(const struct rf_item *item)
{
    static const char *const message[] = { "message", NULL };
    static const char *const phase[] = { "phase", NULL };
    const struct rf_jval *said = rf_jval_get(item->own, "message");
    return (!item->own || rf_jval_has_only(item->own, message)) &&
           (!said || rf_jval_has_only(said, phase));
}

/* Whether it was a comment or the answer is told again; models are the worse without. */
static const struct rf_jval *phase_of(const struct rf_item *item)
{
    const struct rf_jval *extra = item->block ? item->block->extra : NULL;
    const struct rf_jval *own = rf_wire_own(extra, "openai-responses");
    const struct rf_jval *message = rf_jval_get(own, "message");
    return rf_jval_get(message ? message : rf_jval_get(extra, "extra"), "phase");
}

static void assistant_message(struct rf_json *w, const struct rf_item *items, size_t count)
{
    const char *const but[] = { "phase", items->thoughtless ? "id" : NULL, NULL };
    const struct rf_jval *phase = phase_of(items);
    bool plain = count == 1 && is_plain(items);
    rf_json_obj(w, NULL);
    if (!plain)
        rf_json_str(w, "type", RF_STR("message"));
    rf_json_str(w, "role", RF_STR("assistant"));
    if (phase)
        rf_json_value(w, "phase", phase);
    if (plain)
        rf_wire_joined(w, "content", items, 1);
    else
        rf_wire_parts(w, "content", items, count, said_part);
    rf_json_members(w, rf_jval_get(items->own, "message"), but);
    rf_json_end(w);
}

/* An item, or the texts of one message. */
static void assistant_item(struct rf_json *w, const struct rf_plan *p, const struct rf_item *item,
                           size_t count)
{
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
    case RF_ITEM_TEXT_FILE:
        assistant_message(w, item, count);
        return;
    case RF_ITEM_THINKING:
        reasoning(w, item);
        return;
    case RF_ITEM_OPAQUE:
        opaque(w, item);
        return;
    case RF_ITEM_CALL:
        call(w, p, item);
        return;
    case RF_ITEM_MEDIA:
        rf_wire_refuse(w, "an assistant message", item->asset);
        return;
    case RF_ITEM_RESULT:
        RF_BUG("result that an assistant gives");
    }
}

/* Who asks for JSON without a schema has to say so in a message too; instructions do not count. */
static void say_json(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->says_json)
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("system"));
    rf_json_str(w, "content", RF_STR(RF_WORDS_JSON));
    rf_json_end(w);
}

static void assistant_turn(struct rf_json *w, const struct rf_plan *p, const struct rf_turn *turn)
{
    size_t count;
    for (size_t i = 0; i < turn->count; i += count) {
        count = said_together(&turn->items[i], turn->count - i);
        assistant_item(w, p, &turn->items[i], count);
    }
}

static void input(struct rf_json *w, const struct rf_plan *p, const struct rf_jval *prompts)
{
    struct rf_kept_places first = rf_wire_kept(rf_jval_get(p->kept, "offers"), prompts);
    rf_json_arr(w, "input");
    rf_wire_kept_rest(w, &first);
    say_json(w, p);
    for (size_t i = 0; i < p->turn_count; i++) {
        const struct rf_turn *turn = &p->turns[i];
        if (turn->role == RF_ROLE_USER)
            user_turn(w, p, turn);
        else
            assistant_turn(w, p, turn);
    }
    rf_json_end(w);
}

/* The rest of the body. */

static bool is_custom(const struct rf_plan *p, const struct rf_tool *tool)
{
    return rf_jval_get(own_of(p, tool->extra), "type");
}

/* Is it offered by a namespace or an item of the input, which goes back whole? */
static bool is_within(const struct rf_plan *p, const struct rf_tool *tool)
{
    const struct rf_jval *own = own_of(p, tool->extra);
    return rf_jval_get(own, "namespace") || rf_jval_get(own, "additional");
}

/* `strict` is true by default, and refuses most schemas. */
static void function(struct rf_json *w, const struct rf_plan *p, const struct rf_tool *tool)
{
    static const char *const strict[] = { "strict", NULL };
    const struct rf_jval *own = own_of(p, tool->extra);
    rf_json_str(w, "type", RF_STR("function"));
    rf_json_str(w, "name", tool->name);
    rf_json_str_opt(w, "description", tool->description);
    rf_wire_schema(w, "parameters", tool);
    rf_json_bool(w, "strict", rf_answer_is_strict_tool(p, tool, w->rope->arena));
    rf_json_members(w, own, strict);
}

static void tool(struct rf_json *w, const struct rf_plan *p, const struct rf_tool *t)
{
    static const char *const but[] = { "type", NULL };
    rf_json_obj(w, NULL);
    if (is_custom(p, t)) {
        rf_json_str(w, "type", RF_STR("custom"));
        rf_json_str(w, "name", t->name);
        rf_json_members(w, own_of(p, t->extra), but);
    } else {
        function(w, p, t);
    }
    rf_json_end(w);
}

static bool lists_tools(const struct rf_plan *p)
{
    bool lists = p->server_tools || rf_jval_get(p->kept, "namespaces");
    for (size_t i = 0; i < p->tool_count && !lists; i++)
        lists = !is_within(p, &p->tools[i]);
    return lists;
}

static void tools(struct rf_json *w, const struct rf_plan *p)
{
    if (!lists_tools(p))
        return;
    struct rf_kept_places kept = rf_wire_kept(p->server_tools, rf_jval_get(p->kept, "namespaces"));
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < p->tool_count; i++) {
        if (is_within(p, &p->tools[i]))
            continue;
        rf_wire_kept_before(w, &kept);
        tool(w, p, &p->tools[i]);
    }
    rf_wire_kept_rest(w, &kept);
    rf_json_end(w);
}

/* The type of the tool that has to be called. */
static struct rf_str chosen_type(const struct rf_plan *p)
{
    for (size_t i = 0; i < p->tool_count; i++)
        if (rf_str_eq(p->tools[i].name, p->tool_choice_name) && is_custom(p, &p->tools[i]))
            return RF_STR("custom");
    return RF_STR("function");
}

/* As its own client said it, which may have named tools of the server too. */
static void allowed_tools(struct rf_json *w, const struct rf_plan *p)
{
    const struct rf_jval *kept = rf_jval_get(p->kept, "tool_choice");
    struct rf_str word = rf_wire_choice_word(p->tool_choice, RF_STR("required"));
    if (kept) {
        rf_json_value(w, "tool_choice", kept);
        return;
    }
    rf_json_obj(w, "tool_choice");
    rf_json_str(w, "type", RF_STR("allowed_tools"));
    rf_json_str(w, "mode", word.n ? word : RF_STR("auto"));
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < p->allowed_count; i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("function"));
        rf_json_str(w, "name", p->allowed[i]);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
}

/* A choice without tools is refused. */
static void tool_choice(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->tool_count)
        return;
    if (p->single_call)
        rf_json_bool(w, "parallel_tool_calls", false);
    if (p->says_allowed) {
        allowed_tools(w, p);
        return;
    }
    rf_json_str_opt(w, "tool_choice", rf_wire_choice_word(p->tool_choice, RF_STR("required")));
    if (p->tool_choice != RF_CHOICE_TOOL)
        return;
    rf_json_obj(w, "tool_choice");
    rf_json_str(w, "type", chosen_type(p));
    rf_json_str(w, "name", p->tool_choice_name);
    rf_json_end(w);
}

static void text(struct rf_json *w, const struct rf_plan *p)
{
    const struct rf_jval *kept = rf_jval_get(p->kept, "text");
    bool asked = p->conversation->options.schema || p->conversation->options.json || p->json;
    const char *but[] = { asked ? "format" : NULL, NULL };
    if (!p->schema && !p->json && !kept && !rf_wire_carries(p, "text"))
        return;
    rf_json_obj(w, "text");
    if (p->schema || p->json) {
        rf_json_obj(w, "format");
        rf_json_str(w, "type", p->schema ? RF_STR("json_schema") : RF_STR("json_object"));
        if (p->schema)
            rf_answer_format(w, p, rf_jval_get(kept, "format"));
        rf_json_end(w);
    }
    rf_wire_carried(w, p, "text");
    rf_json_members(w, kept, but);
    rf_json_end(w);
}

/* How much to think, with what its own client said besides. */
static void set_effort(struct rf_json *w, const struct rf_plan *p)
{
    static const char *const but[] = { "effort", NULL };
    rf_json_obj(w, "reasoning");
    rf_json_str(w, "effort", rf_wire_effort(p));
    rf_json_members(w, rf_jval_get(p->kept, "reasoning"), but);
    rf_json_end(w);
}

/* Did its own client ask for as much, in whatever word? */
static bool kept_effort(const struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_jval *word = rf_jval_get(rf_jval_get(p->kept, "reasoning"), "effort");
    return word && word->type == RF_JSTRING && rf_wire_same_effort(p, rf_jval_text(word, a));
}

#define ENCRYPTED_THOUGHTS "reasoning.encrypted_content"

static bool is_stored(const struct rf_plan *p)
{
    for (size_t i = 0; i < p->carried_count; i++)
        if (strcmp(p->carried[i].path, "store") == 0)
            return true;
    return false;
}

/* Nothing is stored on the other side unless that is asked for, so thoughts come and go encrypted; a
 * model without thoughts refuses to be asked for that. A client of this API says itself what it
 * wants: it may go on with a response by its id. */
static void keep_nothing(struct rf_json *w, const struct rf_plan *p)
{
    if (p->kept)
        return;
    if (rf_caps_replay(&p->model->caps) == RF_REPLAY_ENCRYPTED) {
        rf_json_arr(w, "include");
        rf_json_str(w, NULL, RF_STR(ENCRYPTED_THOUGHTS));
        rf_json_end(w);
    }
    if (!is_stored(p))
        rf_json_bool(w, "store", false);
}

/* What its own client wants to see of an answer besides thoughts. */
static void include_others(struct rf_json *w, const struct rf_plan *p)
{
    const struct rf_jval *list = rf_jval_get(p->kept, "include"), *v;
    bool open = false;
    for (v = list && list->type == RF_JARRAY ? rf_jval_first(list) : NULL; v;
         v = rf_jval_next(list, v)) {
        if (rf_jval_is(v, ENCRYPTED_THOUGHTS))
            continue;
        if (!open)
            rf_json_arr(w, "include");
        rf_json_value(w, NULL, v);
        open = true;
    }
    if (open)
        rf_json_end(w);
}

/* As its own client asked, where there is one and nothing else was set since. */
static void thinking(struct rf_json *w, const struct rf_plan *p)
{
    bool effort = rf_caps_thinks_when_asked(&p->model->caps);
    bool encrypted = rf_caps_replay(&p->model->caps) == RF_REPLAY_ENCRYPTED;
    bool said =
        effort && (p->thinking_budget || p->thinking_off) && !kept_effort(p, w->rope->arena);
    if (said)
        set_effort(w, p);
    keep_nothing(w, p);
    rf_wire_carried(w, p, NULL);
    if (!encrypted)
        include_others(w, p);
    const char *but[] = {
        "additional",
        "model",
        "namespaces",
        "offers",
        "instructions",
        "max_output_tokens",
        "stream",
        "system",
        "text",
        "tools",
        said || !effort ? "reasoning" : "tools",
        encrypted ? "tools" : "include",
        p->tool_count && (p->tool_choice != RF_CHOICE_UNSET || p->says_allowed) ? "tool_choice"
                                                                                : "tools",
        p->single_call ? "parallel_tool_calls" : "tools",
        NULL,
    };
    rf_json_members(w, p->kept, but);
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    struct rf_str instructions;
    const struct rf_jval *prompts = rf_wire_own_system(p, w->rope->arena, &instructions);
    rf_json_obj(w, NULL);
    rf_json_str(w, "model", p->model->name);
    if (!rf_str_blank(instructions))
        rf_json_str(w, "instructions", instructions);
    input(w, p, prompts);
    tools(w, p);
    tool_choice(w, p);
    if (p->max_tokens)
        rf_json_int(w, "max_output_tokens", p->max_tokens);
    rf_wire_sampling(w, p);
    text(w, p);
    thinking(w, p);
    if (p->stream)
        rf_json_bool(w, "stream", true);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_openai_responses = {
    .name = "openai-responses",
    .encode = encode,
    .decode = rf_openai_responses_decode,
    .framing = RF_FRAMING_SSE,
    .event = rf_openai_responses_event,
    .parse = rf_openai_responses_parse,
    .replies = &rf_openai_responses_replies,
};
