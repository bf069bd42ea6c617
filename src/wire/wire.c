/* Shared spelling: what several dialects write in the same way, from a data URL to the frame of a
 * chat completion. Everything goes to the writer at once; media is handed on as ranges of bytes and
 * never read here. Nothing here asks which dialect is being written. */
#include "wire/wire.h"

#include "base/arena.h"
#include "content/options.h"
#include "media/media.h"
#include "wire/answer.h"
#include "wire/aside.h"

/* Text. */

static bool textual(const struct rf_item *item)
{
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
    case RF_ITEM_TEXT_FILE:
        return true;
    case RF_ITEM_MEDIA:
    case RF_ITEM_THINKING:
    case RF_ITEM_OPAQUE:
    case RF_ITEM_CALL:
    case RF_ITEM_RESULT:
        return false;
    }
    RF_BUG("item of no kind");
}

void rf_wire_item_text(struct rf_json *w, const struct rf_item *item)
{
    if (!textual(item))
        RF_BUG("item without a text");
    rf_json_part(w, item->text);
    if (item->kind != RF_ITEM_TEXT_FILE)
        return;
    if (item->text.n)
        rf_json_part(w, RF_STR("\n"));
    rf_json_part_bytes(w, &item->asset->bytes);
}

static void joined(struct rf_json *w, const char *key, const struct rf_item *items, size_t count,
                   struct rf_str between)
{
    bool first = true;
    rf_json_str_open(w, key);
    for (size_t i = 0; i < count; i++) {
        if (!textual(&items[i]))
            continue;
        if (!first)
            rf_json_part(w, between);
        rf_wire_item_text(w, &items[i]);
        first = false;
    }
    rf_json_str_close(w);
}

void rf_wire_joined(struct rf_json *w, const char *key, const struct rf_item *items, size_t count)
{
    joined(w, key, items, count, RF_STR("\n"));
}

void rf_wire_paragraphs(struct rf_json *w, const char *key, const struct rf_item *items,
                        size_t count)
{
    joined(w, key, items, count, RF_STR("\n\n"));
}

bool rf_wire_all_text(const struct rf_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!textual(&items[i]))
            return false;
    }
    return true;
}

bool rf_wire_any_text(const struct rf_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (textual(&items[i]))
            return true;
    }
    return false;
}

void rf_wire_thoughts(struct rf_json *w, const char *key, const struct rf_turn *turn,
                      const char *from)
{
    bool open = false;
    for (size_t i = 0; i < turn->count; i++) {
        const struct rf_item *item = &turn->items[i];
        const struct rf_thinking *t =
            item->kind == RF_ITEM_THINKING ? &item->block->thinking : NULL;
        if (!t || !t->text.n || (from && !rf_str_is(t->field, from)))
            continue;
        if (open)
            rf_json_part(w, RF_STR("\n\n"));
        else
            rf_json_str_open(w, key);
        rf_json_part(w, t->text);
        open = true;
    }
    if (open)
        rf_json_str_close(w);
}

/* Files. */

void rf_wire_asset(struct rf_json *w, const char *key, const struct rf_asset *asset)
{
    if (asset->state == RF_ASSET_BYTES)
        rf_json_base64(w, key, &asset->bytes);
    else
        rf_json_str(w, key, asset->ref);
    rf_json_mark(w, asset);
}

void rf_wire_data_url(struct rf_json *w, const char *key, const struct rf_asset *asset)
{
    if (asset->state != RF_ASSET_BYTES) {
        rf_wire_asset(w, key, asset);
        return;
    }
    rf_json_str_open(w, key);
    rf_json_part(w, RF_STR("data:"));
    rf_json_part(w, asset->mime.n ? asset->mime : RF_STR("application/octet-stream"));
    rf_json_part(w, RF_STR(";base64,"));
    rf_json_part_base64(w, &asset->bytes);
    rf_json_str_close(w);
    rf_json_mark(w, asset);
}

struct rf_str rf_wire_filename(const struct rf_item *item, struct rf_arena *a)
{
    const struct rf_asset *asset = item->asset;
    const struct rf_format *format = rf_format_by_mime(asset->mime);
    struct rf_str name = asset->name.n ? asset->name : item->label;
    if (!name.n)
        name = RF_STR("file");
    if (!format || rf_format_by_name(name) == format)
        return name;
    return rf_strf(a, "%.*s.%s", RF_FMT(name), format->extension);
}

struct rf_str rf_wire_detail(const struct rf_asset *asset)
{
    return asset->block ? asset->block->media.detail : RF_STR("");
}

void rf_wire_refuse(struct rf_json *w, const char *place, const struct rf_asset *asset)
{
    static const char *const ways[] = {
        [RF_ASSET_BROKEN] = "",     [RF_ASSET_BYTES] = "",
        [RF_ASSET_URL] = " by URL", [RF_ASSET_FILE_ID] = " by file id",
        [RF_ASSET_TOLD] = "",
    };
    if (w->failed)
        return;
    w->failed =
        rf_fail(rf_json_error(w), RF_ECONFIG, "%s of this API cannot hold this kind of file%s: %s",
                place, ways[asset->state], rf_kind_name(asset->kind));
    rf_hint(rf_json_error(w),
            "Correct what the configuration says about the capabilities of this model.");
}

void rf_wire_refuse_media(struct rf_json *w, const struct rf_turn *turn)
{
    for (size_t i = 0; i < turn->count; i++) {
        if (turn->items[i].kind == RF_ITEM_MEDIA)
            rf_wire_refuse(w, "an assistant message", turn->items[i].asset);
    }
}

/* Tools and options. */

void rf_wire_arguments(struct rf_json *w, const char *key, const struct rf_block *call)
{
    if (call->call.arguments)
        rf_json_value(w, key, call->call.arguments);
    else
        rf_json_raw(w, key, RF_STR("{}"));
}

void rf_wire_arguments_string(struct rf_json *w, const char *key, const struct rf_block *call)
{
    rf_json_str_open(w, key);
    if (call->call.arguments)
        rf_json_part_value(w, call->call.arguments);
    else
        rf_json_part(w, RF_STR("{}"));
    rf_json_str_close(w);
}

const struct rf_jval *rf_wire_tool_schema(const struct rf_tool *tool, struct rf_arena *a)
{
    const struct rf_jval *schema = tool->input_schema;
    const struct rf_jval *type = rf_jval_get(schema, "type");
    const struct rf_jval *properties = rf_jval_get(schema, "properties");
    bool typed = type && type->type == RF_JSTRING;
    bool listed = properties && properties->type == RF_JOBJECT;
    const char *const but[] = { typed ? "properties" : "type", listed ? NULL : "properties", NULL };
    struct rf_rope rope;
    struct rf_json w;
    if (typed && listed)
        return schema;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    if (!typed)
        rf_json_str(&w, "type", RF_STR("object"));
    rf_json_members(&w, schema, but);
    if (!listed) {
        rf_json_obj(&w, "properties");
        rf_json_end(&w);
    }
    rf_json_end(&w);
    return rf_aside_made(&w, a);
}

void rf_wire_schema(struct rf_json *w, const char *key, const struct rf_tool *tool)
{
    rf_json_value(w, key, rf_wire_tool_schema(tool, w->rope->arena));
}

struct rf_str rf_wire_effort(const struct rf_plan *p)
{
    if (p->thinking_off)
        return RF_STR("none");
    return p->thinking_level.n ? p->thinking_level : rf_thinking_level(p->thinking_budget);
}

bool rf_wire_same_effort(const struct rf_plan *p, struct rf_str word)
{
    struct rf_options o = { 0 };
    if (!rf_aside_effort(rf_aside_is_most(word) ? RF_STR("high") : word, &o))
        return false;
    return rf_str_eq(rf_wire_effort(p), o.thinking_off ? RF_STR("none") : o.thinking_level);
}

struct rf_str rf_wire_choice_word(enum rf_choice choice, struct rf_str required)
{
    switch (choice) {
    case RF_CHOICE_AUTO:
        return RF_STR("auto");
    case RF_CHOICE_NONE:
        return RF_STR("none");
    case RF_CHOICE_REQUIRED:
        return required;
    case RF_CHOICE_UNSET:
    case RF_CHOICE_TOOL:
        return RF_STR("");
    }
    RF_BUG("tool choice of no kind");
}

struct rf_str rf_wire_speaker(const struct rf_turn *turn)
{
    switch (turn->speaker) {
    case RF_SPEAKER_USER:
        return RF_STR("user");
    case RF_SPEAKER_SYSTEM:
        return RF_STR("system");
    case RF_SPEAKER_DEVELOPER:
        return RF_STR("developer");
    }
    RF_BUG("words without a speaker");
}

struct rf_kept_places rf_wire_kept(const struct rf_jval *first, const struct rf_jval *second)
{
    struct rf_kept_places kept = { .lists = { first, second } };
    for (size_t i = 0; i < 2; i++)
        if (kept.lists[i] && kept.lists[i]->type == RF_JARRAY)
            kept.next[i] = rf_jval_first(kept.lists[i]);
    return kept;
}

static size_t place_of(const struct rf_jval *v)
{
    const struct rf_jval *index = rf_jval_get(v, "index");
    int64_t n = 0;
    if (index && index->type == RF_JNUMBER && rf_str_int64(index->raw, &n) && n > 0)
        return (size_t)n;
    return 0;
}

/* The list whose next element comes first. */
static size_t nearest(const struct rf_kept_places *kept)
{
    const struct rf_jval *a = kept->next[0], *b = kept->next[1];
    return b && (!a || place_of(b) < place_of(a));
}

static void write_kept(struct rf_json *w, struct rf_kept_places *kept)
{
    size_t i = nearest(kept);
    const struct rf_jval *v = kept->next[i], *value = rf_jval_get(v, "value");
    if (value)
        rf_json_value(w, NULL, value);
    kept->next[i] = rf_jval_next(kept->lists[i], v);
    kept->count++;
}

void rf_wire_kept_before(struct rf_json *w, struct rf_kept_places *kept)
{
    const struct rf_jval *v;
    while ((v = kept->next[nearest(kept)]) && place_of(v) <= kept->count)
        write_kept(w, kept);
    kept->count++;
}

void rf_wire_kept_rest(struct rf_json *w, struct rf_kept_places *kept)
{
    while (kept->next[nearest(kept)])
        write_kept(w, kept);
}

const struct rf_jval *rf_wire_own(const struct rf_jval *extra, const char *dialect)
{
    return rf_jval_get(rf_jval_get(extra, "extra"), dialect);
}

void rf_wire_sampling(struct rf_json *w, const struct rf_plan *p)
{
    if (p->temperature)
        rf_json_value(w, "temperature", p->temperature);
    if (p->top_p)
        rf_json_value(w, "top_p", p->top_p);
}

/* The name of a setting in that object, or NULL. */
static const char *name_in(const char *path, const char *object)
{
    size_t n = object ? strlen(object) : 0;
    if (!object)
        return strchr(path, '.') ? NULL : path;
    return strncmp(path, object, n) == 0 && path[n] == '.' ? path + n + 1 : NULL;
}

void rf_wire_carried(struct rf_json *w, const struct rf_plan *p, const char *object)
{
    for (size_t i = 0; i < p->carried_count; i++) {
        const char *name = name_in(p->carried[i].path, object);
        if (name)
            rf_json_value(w, name, p->carried[i].value);
    }
}

bool rf_wire_carries(const struct rf_plan *p, const char *object)
{
    for (size_t i = 0; i < p->carried_count; i++)
        if (name_in(p->carried[i].path, object))
            return true;
    return false;
}

/* Content. */

/* Those of the objects that stand for a file, a call or a message: they are written with it. */
void rf_wire_own_members(struct rf_json *w, const struct rf_jval *own)
{
    static const char *const written[] = { "type",      "role",      "content",     "text",
                                           "image_url", "video_url", "audio_url",   "document_url",
                                           "file",      "file_data", "input_audio", "document",
                                           "function",  "custom",    "refusal",     "tool_calls",
                                           "images",    NULL };
    rf_json_members(w, own, written);
}

size_t rf_wire_count(const struct rf_turn *turn, enum rf_item_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < turn->count; i++)
        count += turn->items[i].kind == kind;
    return count;
}

void rf_wire_parts(struct rf_json *w, const char *key, const struct rf_item *items, size_t count,
                   rf_wire_part *part)
{
    rf_json_arr(w, key);
    for (size_t i = 0; i < count; i++)
        part(w, &items[i]);
    if (count && rf_json_is_empty(w)) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("text"));
        rf_json_str(w, "text", items[0].text);
        rf_json_end(w);
    }
    rf_json_end(w);
}

void rf_wire_content(struct rf_json *w, const char *key, const struct rf_item *items, size_t count,
                     rf_wire_part *part)
{
    if (count == 1 && textual(items) && !items->own && !items->cache)
        rf_wire_joined(w, key, items, count);
    else
        rf_wire_parts(w, key, items, count, part);
}

void rf_wire_result_content(struct rf_json *w, const char *key, const struct rf_item *result,
                            rf_wire_part *part)
{
    bool plain = !result->cache && rf_wire_all_text(result->items, result->count);
    for (size_t i = 0; i < result->count; i++)
        plain = plain && !result->items[i].own;
    if (plain)
        rf_wire_joined(w, key, result->items, result->count);
    else
        rf_wire_parts(w, key, result->items, result->count, part);
}

void rf_wire_cache_control(struct rf_json *w, const struct rf_jval *mark)
{
    static const char *const written[] = { "type", NULL };
    rf_json_obj(w, "cache_control");
    rf_json_str(w, "type", RF_STR("ephemeral"));
    rf_json_members(w, mark, written);
    rf_json_end(w);
}

/* Its own client's mark is among what that said of it. */
void rf_wire_end_part(struct rf_json *w, const struct rf_item *item)
{
    rf_wire_own_members(w, item->own);
    if (item->cache && !rf_jval_get(item->own, "cache_control"))
        rf_wire_cache_control(w, item->mark);
    rf_json_end(w);
}

void rf_wire_text_part(struct rf_json *w, const char *type, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(type));
    rf_wire_joined(w, "text", item, 1);
    rf_wire_end_part(w, item);
}

void rf_wire_content_part(struct rf_json *w, const char *type, const struct rf_item *item,
                          rf_wire_part *media)
{
    if (textual(item))
        rf_wire_text_part(w, type, item);
    else if (item->kind == RF_ITEM_MEDIA)
        media(w, item);
    else if (item->kind == RF_ITEM_OPAQUE)
        rf_json_value(w, NULL, item->block->value);
    else
        RF_BUG("item that is not content");
}

void rf_wire_url_part(struct rf_json *w, const char *type, const struct rf_item *item,
                      struct rf_str detail)
{
    const char *const but[] = { "url", detail.n ? "detail" : NULL, NULL };
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(type));
    rf_json_obj(w, type);
    rf_wire_data_url(w, "url", item->asset);
    rf_json_str_opt(w, "detail", detail);
    rf_json_members(w, rf_jval_get(item->own, type), but);
    rf_json_end(w);
    rf_wire_end_part(w, item);
}

void rf_wire_document_wishes(struct rf_json *w, const struct rf_asset *asset)
{
    static const char *const dialects[] = { "anthropic", "bedrock" };
    static const char *const names[] = { "citations", "context" };
    const struct rf_jval *extra = asset->block ? asset->block->extra : NULL;
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const struct rf_jval *own = rf_wire_own(extra, dialects[i]);
        for (size_t j = 0; own && j < sizeof names / sizeof *names; j++)
            if (rf_jval_get(own, names[j]))
                rf_json_value(w, names[j], rf_jval_get(own, names[j]));
    }
}

/* Chat. */

#define BETWEEN_PROMPTS "\n\n"

static void add_texts(struct rf_texts *to, const struct rf_jval *content, struct rf_arena *a)
{
    const struct rf_jval *text = content && content->type == RF_JSTRING ? content : NULL;
    if (text)
        rf_texts_add(to, rf_jval_text(text, a), a);
    const struct rf_jval *v = content && content->type == RF_JARRAY ? rf_jval_first(content) : NULL;
    for (; v; v = rf_jval_next(content, v)) {
        text = rf_jval_get(v, "text");
        if (text && text->type == RF_JSTRING)
            rf_texts_add(to, rf_jval_text(text, a), a);
    }
}

const struct rf_jval *rf_wire_own_system(const struct rf_plan *p, struct rf_arena *a,
                                         struct rf_str *other)
{
    const struct rf_jval *list = rf_jval_get(p->kept, "system");
    struct rf_str all = p->conversation->system;
    struct rf_texts texts = { 0 };
    *other = all;
    if (!list || list->type != RF_JARRAY)
        return NULL;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        add_texts(&texts, rf_jval_get(rf_jval_get(v, "value"), "content"), a);
    struct rf_str said = rf_texts_join(&texts, RF_STR(BETWEEN_PROMPTS), a);
    struct rf_str front = { all.p, all.n < said.n ? 0 : all.n - said.n };
    if (!rf_str_eq(said, (struct rf_str){ all.p + front.n, all.n - front.n }))
        return NULL;
    if (front.n && said.n && !rf_str_ends(front, BETWEEN_PROMPTS))
        return NULL;
    if (front.n && said.n)
        front.n -= sizeof BETWEEN_PROMPTS - 1;
    *other = front;
    return list;
}

void rf_wire_prompts(struct rf_json *w, const char *key, const struct rf_plan *p)
{
    rf_json_arr(w, key);
    for (size_t i = 0; i < p->prompt_count; i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("text"));
        rf_json_str(w, "text", p->prompts[i].text);
        if (p->prompts[i].mark)
            rf_wire_cache_control(w, p->prompts[i].mark);
        rf_json_end(w);
    }
    rf_json_end(w);
}

void rf_wire_system(struct rf_json *w, const struct rf_plan *p)
{
    struct rf_str other;
    struct rf_kept_places own = rf_wire_kept(rf_wire_own_system(p, w->rope->arena, &other), NULL);
    rf_wire_kept_rest(w, &own);
    if (rf_str_blank(other))
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("system"));
    if (p->prompt_count && !own.count)
        rf_wire_prompts(w, "content", p);
    else
        rf_json_str(w, "content", other);
    rf_json_end(w);
}

/* What its own client said of a tool besides, where that goes back; or NULL. */
static const struct rf_jval *own_of_tool(const struct rf_json *w, const struct rf_plan *p,
                                         const struct rf_tool *tool)
{
    return p->kept ? rf_wire_own(tool->extra, rf_cstr(w->rope->arena, p->model->caps.dialect))
                   : NULL;
}

/* A tool that takes a text goes back as it came, to its own API. */
static void function_tool(struct rf_json *w, const struct rf_plan *p, size_t i)
{
    const struct rf_jval *own = own_of_tool(w, p, &p->tools[i]);
    const struct rf_jval *custom = rf_jval_get(own, "custom");
    rf_json_str(w, "type", custom ? RF_STR("custom") : RF_STR("function"));
    if (custom) {
        rf_json_value(w, "custom", custom);
        rf_wire_own_members(w, own);
        return;
    }
    rf_json_obj(w, "function");
    rf_json_str(w, "name", p->tools[i].name);
    rf_json_str_opt(w, "description", p->tools[i].description);
    rf_wire_schema(w, "parameters", &p->tools[i]);
    if (rf_answer_is_strict_tool(p, &p->tools[i], w->rope->arena))
        rf_json_bool(w, "strict", true);
    rf_json_members(w, rf_jval_get(own, "function"), NULL);
    rf_json_end(w);
    rf_wire_own_members(w, own);
    if (p->marks && p->marks[i] && !own)
        rf_wire_cache_control(w, p->marks[i]);
}

void rf_wire_function_tools(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->tool_count && !p->server_tools)
        return;
    struct rf_kept_places kept = rf_wire_kept(p->server_tools, NULL);
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < p->tool_count; i++) {
        rf_wire_kept_before(w, &kept);
        rf_json_obj(w, NULL);
        function_tool(w, p, i);
        rf_json_end(w);
    }
    rf_wire_kept_rest(w, &kept);
    rf_json_end(w);
}

struct rf_str rf_completion_thought_list(struct rf_str type)
{
    return rf_str_starts(type, "reasoning.") ? RF_STR("reasoning_details")
                                             : RF_STR("thinking_blocks");
}

void rf_completion_text(struct rf_json *w, const struct rf_turn *turn)
{
    bool silent = !rf_wire_any_text(turn->items, turn->count);
    if (!turn->count)
        return;
    if (silent && rf_wire_count(turn, RF_ITEM_CALL))
        rf_json_null(w, "content");
    else
        rf_wire_paragraphs(w, "content", turn->items, turn->count);
}

static void tool_call(struct rf_json *w, const struct rf_item *item)
{
    static const char *const written[] = { "name", "arguments", NULL };
    const struct rf_jval *custom = rf_jval_get(item->own, "custom");
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", item->id);
    if (custom) { /* all of it was kept */
        rf_json_str(w, "type", RF_STR("custom"));
        rf_json_value(w, "custom", custom);
        rf_wire_own_members(w, item->own);
        rf_json_end(w);
        return;
    }
    rf_json_str(w, "type", RF_STR("function"));
    rf_json_obj(w, "function");
    rf_json_str(w, "name", item->name);
    rf_wire_arguments_string(w, "arguments", item->block);
    rf_json_members(w, rf_jval_get(item->own, "function"), written);
    rf_json_end(w);
    rf_wire_own_members(w, item->own);
    rf_json_end(w);
}

/* An answer at the end is one to go on with, and some APIs want that said. */
static bool is_marked_prefill(const struct rf_plan *p, const struct rf_turn *turn)
{
    return p->model->caps.prefill == RF_PREFILL_MARKED && turn == &p->turns[p->turn_count - 1] &&
           !rf_jval_get(turn->own, "prefix");
}

static void assistant_turn(struct rf_json *w, const struct rf_plan *p,
                           const struct rf_completion_spelling *chat, const struct rf_turn *turn)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_wire_refuse_media(w, turn);
    chat->said(w, &p->model->caps, turn);
    if (rf_wire_count(turn, RF_ITEM_CALL)) {
        rf_json_arr(w, "tool_calls");
        for (size_t i = 0; i < turn->count; i++) {
            if (turn->items[i].kind == RF_ITEM_CALL)
                tool_call(w, &turn->items[i]);
        }
        rf_json_end(w);
    }
    if (is_marked_prefill(p, turn))
        rf_json_bool(w, "prefix", true);
    rf_wire_own_members(w, turn->own);
    rf_json_end(w);
}

/* A result has no other place for its mark than its last part. */
static struct rf_item marked_inside(const struct rf_item *result, struct rf_arena *a)
{
    struct rf_item marked = *result, *last;
    marked.items = RF_ARRAY(a, struct rf_item, result->count);
    memcpy(marked.items, result->items, result->count * sizeof *result);
    last = &marked.items[result->count - 1];
    last->cache = true;
    last->mark = result->mark;
    return marked;
}

static void tool_message(struct rf_json *w, const struct rf_completion_spelling *chat,
                         const struct rf_item *item)
{
    struct rf_item marked;
    if (item->cache && !rf_jval_get(item->own, "cache_control")) {
        marked = marked_inside(item, w->rope->arena);
        item = &marked;
    }
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("tool"));
    rf_json_str(w, "tool_call_id", item->id);
    if (chat->named_results)
        rf_json_str(w, "name", item->name);
    if (chat->result)
        chat->result(w, item);
    else
        rf_wire_result_content(w, "content", item, chat->part);
    rf_wire_own_members(w, item->own);
    rf_json_end(w);
}

static void user_turn(struct rf_json *w, const struct rf_completion_spelling *chat,
                      const struct rf_turn *turn)
{
    size_t results = rf_wire_count(turn, RF_ITEM_RESULT);
    for (size_t i = 0; i < results; i++)
        tool_message(w, chat, &turn->items[i]);
    if (results == turn->count)
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", rf_wire_speaker(turn));
    rf_wire_content(w, "content", turn->items + results, turn->count - results, chat->part);
    rf_wire_own_members(w, turn->own);
    rf_json_end(w);
}

void rf_completion_messages(struct rf_json *w, const struct rf_plan *p,
                            const struct rf_completion_spelling *chat)
{
    rf_json_arr(w, "messages");
    rf_wire_system(w, p);
    for (size_t i = 0; i < p->turn_count; i++) {
        if (p->turns[i].role == RF_ROLE_ASSISTANT)
            assistant_turn(w, p, chat, &p->turns[i]);
        else
            user_turn(w, chat, &p->turns[i]);
    }
    rf_json_end(w);
}

/* {"type":"function","function":{"name":…}} */
static void chosen_tool(struct rf_json *w, const char *key, const struct rf_plan *p,
                        struct rf_str name)
{
    const char *kind = "function";
    for (size_t i = 0; i < p->tool_count; i++)
        if (rf_str_eq(p->tools[i].name, name) &&
            rf_jval_get(own_of_tool(w, p, &p->tools[i]), "custom"))
            kind = "custom";
    rf_json_obj(w, key);
    rf_json_str(w, "type", rf_str(kind));
    rf_json_obj(w, kind);
    rf_json_str(w, "name", name);
    rf_json_end(w);
    rf_json_end(w);
}

static void allowed_tools(struct rf_json *w, const struct rf_plan *p,
                          const struct rf_completion_spelling *chat)
{
    struct rf_str word = rf_wire_choice_word(p->tool_choice, chat->required);
    rf_json_obj(w, "tool_choice");
    rf_json_str(w, "type", RF_STR("allowed_tools"));
    rf_json_obj(w, "allowed_tools");
    rf_json_str(w, "mode", word.n ? word : RF_STR("auto"));
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < p->allowed_count; i++)
        chosen_tool(w, NULL, p, p->allowed[i]);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

/* A choice without tools is refused. */
static void tool_choice(struct rf_json *w, const struct rf_plan *p,
                        const struct rf_completion_spelling *chat)
{
    if (!p->tool_count)
        return;
    if (p->single_call)
        rf_json_bool(w, "parallel_tool_calls", false);
    if (p->says_allowed) {
        allowed_tools(w, p, chat);
        return;
    }
    rf_json_str_opt(w, "tool_choice", rf_wire_choice_word(p->tool_choice, chat->required));
    if (p->tool_choice == RF_CHOICE_TOOL)
        chosen_tool(w, "tool_choice", p, p->tool_choice_name);
}

static void limit(struct rf_json *w, const struct rf_plan *p)
{
    struct rf_str field = p->model->caps.max_tokens_field;
    if (!p->max_tokens)
        return;
    rf_json_key(w, field.n ? field : RF_STR("max_tokens"));
    rf_json_int(w, NULL, p->max_tokens);
}

static void response_format(struct rf_json *w, const struct rf_plan *p)
{
    const struct rf_jval *kept = rf_jval_get(p->kept, "response_format");
    if (!p->schema && !p->json)
        return;
    rf_json_obj(w, "response_format");
    rf_json_str(w, "type", p->schema ? RF_STR("json_schema") : RF_STR("json_object"));
    if (p->schema) {
        rf_json_obj(w, "json_schema");
        rf_answer_format(w, p, rf_jval_get(kept, "json_schema"));
        rf_json_end(w);
    }
    rf_json_end(w);
}

void rf_completion_body(struct rf_json *w, const struct rf_plan *p,
                        const struct rf_completion_spelling *chat)
{
    rf_json_str(w, "model", p->model->name);
    rf_completion_messages(w, p, chat);
    rf_wire_function_tools(w, p);
    tool_choice(w, p, chat);
    limit(w, p);
    rf_wire_sampling(w, p);
    if (p->stop)
        rf_json_value(w, "stop", p->stop);
    response_format(w, p);
}
