/* Reading requests for Google's generateContent: contents and their parts.
 *
 *     part                               of a user                     of the model
 *     text                               text                          text; its signature in extra
 *     text with `thought`                text                          thinking
 *     inlineData, fileData               media                         media
 *     functionCall                       opaque                        tool_call with its signature
 *     functionResponse                   a tool message                opaque
 *     others                             opaque; json in a response    opaque
 *
 * What stands beside a part's data (videoMetadata, mediaResolution) is in the block's extra, and
 * what else the data says in a member of its name. A file of Google's own store is a file_id, any
 * other address a URL.
 *
 * A response is {"output": value} or, of a call that failed, {"error": value}; any other object is
 * the value itself. A string is the output or the error, all else is data. In a list {"attachment":
 * N} stands for the N-th of the response's parts, which is how our own encoder writes them: such a
 * list becomes blocks in its order. Parts that nothing refers to follow.
 *
 * Calls and responses need no ids on this wire. A call without one gets call_MESSAGE_NUMBER, and a
 * response without one answers the first open call of its name, or the first. Contents of the model
 * that follow each other are one answer, as its calls are answered together.
 */
#include "base/arena.h"
#include "base/utf8.h"
#include "content/seal.h"
#include "wire/bare.h"
#include "wire/gemini/parse.h"

#define PROVIDER "google"
#define STORE "https://generativelanguage.googleapis.com/"
#define SHORTENED STORE "v1beta/" /* what the encoder puts before "files/…" */

static bool is(const struct rf_jval *v, enum rf_jtype type)
{
    return v && v->type == type;
}

static bool is_given(const struct rf_jval *v)
{
    return v && v->type != RF_JNULL;
}

/* Members of a part that no field holds, and under its name those of the object that is its
 * data. */
static void keep_rest(struct rf_aside *s, const struct rf_jval *part, const char *const *known,
                      const char *name, const char *const *known_data)
{
    rf_gemini_rest(s, part, known);
    if (!name)
        return;
    rf_aside_open(s, name);
    rf_gemini_rest(s, rf_gemini_get(part, name), known_data);
    rf_aside_close(s);
}

static const struct rf_jval *part_extra(struct rf_gemini_request *p, const struct rf_jval *part,
                                        const char *const *known, const char *name,
                                        const char *const *known_data)
{
    struct rf_aside s;
    rf_aside_init(&s, p->b);
    keep_rest(&s, part, known, name, known_data);
    return rf_aside_done(&s);
}

static void json_block(struct rf_gemini_request *p, const struct rf_jval *value)
{
    rf_build_block(p->b, RF_BLOCK_JSON)->value = value;
}

/* Text and thoughts. */

static bool thinking_part(struct rf_gemini_request *p, const struct rf_jval *part)
{
    static const char *const known[] = { "text", "thought", "thoughtSignature", NULL };
    if (!is(rf_jval_get(part, "text"), RF_JSTRING) || !is(rf_jval_get(part, "thought"), RF_JTRUE))
        return false;
    struct rf_block *block = rf_build_block(p->b, RF_BLOCK_THINKING);
    block->thinking.text = rf_gemini_text(p->b, part, "text");
    struct rf_str mark = rf_gemini_text(p->b, part, "thoughtSignature");
    if (!rf_seal_open(p->b, mark, &block->thinking))
        block->thinking.signature = mark;
    block->extra = part_extra(p, part, known, NULL, NULL);
    return true;
}

/* A signature may come with an empty text, or with none. */
static bool text_part(struct rf_gemini_request *p, const struct rf_jval *part)
{
    static const char *const known[] = { "text", NULL };
    const struct rf_jval *text = rf_jval_get(part, "text");
    bool bare = is(part, RF_JOBJECT) && part->count == 1 && rf_gemini_get(part, "thoughtSignature");
    if (!is(text, RF_JSTRING) && !bare)
        return false;
    const struct rf_jval *extra = part_extra(p, part, known, NULL, NULL);
    struct rf_str words = rf_build_str(p->b, text);
    if (words.n || extra) {
        struct rf_block *block = rf_build_block(p->b, RF_BLOCK_TEXT);
        block->text = words;
        block->extra = extra;
    }
    return true;
}

/* Files. */

static struct rf_source file_source(struct rf_str uri)
{
    const size_t skip = sizeof SHORTENED - 1;
    bool stored = rf_str_starts(uri, STORE) || !rf_str_contains(uri, RF_STR("://"));
    if (!stored)
        return (struct rf_source){ .kind = RF_SOURCE_URL, .ref = uri };
    if (rf_str_starts(uri, SHORTENED "files/"))
        uri = (struct rf_str){ uri.p + skip, uri.n - skip };
    return (
        struct rf_source){ .kind = RF_SOURCE_FILE_ID, .ref = uri, .provider = RF_STR(PROVIDER) };
}

/* False where nothing says what is in it. */
static bool media_part(struct rf_gemini_request *p, const struct rf_jval *part)
{
    static const char *const known[] = { "inlineData", "fileData", NULL };
    static const char *const known_data[] = { "mimeType", "data", "fileUri", NULL };
    const char *name =
        is(rf_gemini_get(part, "inlineData"), RF_JOBJECT) ? "inlineData" : "fileData";
    const struct rf_jval *media = rf_gemini_get(part, name);
    struct rf_str data = rf_gemini_text(p->b, media, "data");
    struct rf_str uri = rf_gemini_text(p->b, media, "fileUri");
    struct rf_str mime = rf_gemini_text(p->b, media, "mimeType");
    bool is_data = is(rf_gemini_get(media, "data"), RF_JSTRING);
    if (!is_data && !uri.n)
        return false;
    struct rf_block *block = rf_build_media(p->b, mime);
    block->media.name = rf_gemini_text(p->b, media, "displayName");
    if (is_data)
        rf_build_data_source(block, data);
    else
        block->media.source = file_source(uri);
    if (!mime.n)
        (is_data ? rf_bare_data : rf_bare_link)(block);
    block->extra = part_extra(p, part, known, name, known_data);
    return true;
}

/* What a tool returned. */
static void said_part(struct rf_gemini_request *p, const struct rf_jval *part)
{
    if (is_given(part) && !media_part(p, part) && !text_part(p, part))
        json_block(p, part);
}

/* Calls. */

static struct rf_str made_up_id(struct rf_gemini_request *p, size_t number)
{
    return rf_strf(p->b->arena, "call_%zu_%zu", p->b->conversation->message_count - 1, number);
}

static void remember(struct rf_gemini_request *p, const struct rf_tool_call *call)
{
    struct rf_gemini_call *c = RF_PUSH(p->b->arena, p->calls, p->call_count, p->call_cap);
    *c = (struct rf_gemini_call){ .id = call->id, .name = call->name };
    rf_ids_slot(&p->by_id, call->id)->place = p->call_count;
}

static bool call_part(struct rf_gemini_request *p, const struct rf_jval *part)
{
    static const char *const known[] = { "functionCall", "thoughtSignature", NULL };
    static const char *const known_call[] = { "id", "name", "args", NULL };
    const struct rf_jval *call = rf_gemini_get(part, "functionCall");
    const struct rf_jval *args = rf_gemini_get(call, "args");
    struct rf_str id = rf_gemini_text(p->b, call, "id"), name = rf_gemini_text(p->b, call, "name");
    if (!name.n || (is_given(args) && args->type != RF_JOBJECT))
        return false;
    if (!p->calls_here)
        p->call_count = p->first_open = 0;
    if (!id.n)
        id = made_up_id(p, p->calls_here);
    p->calls_here++;
    struct rf_block *block = rf_build_call(p->b, id, name, args);
    block->call.signature = rf_gemini_text(p->b, part, "thoughtSignature");
    block->extra = part_extra(p, part, known, "functionCall", known_call);
    remember(p, &block->call);
    return true;
}

static struct rf_gemini_call *call_by_id(struct rf_gemini_request *p, struct rf_str id)
{
    size_t place = rf_ids_slot(&p->by_id, id)->place;
    bool current = place && place <= p->call_count && rf_str_eq(p->calls[place - 1].id, id);
    return current ? &p->calls[place - 1] : NULL;
}

static struct rf_gemini_call *open_call(struct rf_gemini_request *p, struct rf_str name)
{
    while (p->first_open < p->call_count && p->calls[p->first_open].answered)
        p->first_open++;
    for (size_t i = p->first_open; i < p->call_count; i++)
        if (!p->calls[i].answered && rf_str_eq(p->calls[i].name, name))
            return &p->calls[i];
    return p->first_open < p->call_count ? &p->calls[p->first_open] : NULL;
}

/* Responses. */

/* The number of the part that {"attachment": N} refers to; `count` where it refers to none. */
static size_t attachment(const struct rf_jval *v, size_t count)
{
    const struct rf_jval *number =
        is(v, RF_JOBJECT) && v->count == 1 ? rf_jval_get(v, "attachment") : NULL;
    int64_t n;
    bool fits =
        is(number, RF_JNUMBER) && rf_jval_int64(number, &n) && n >= 0 && (uint64_t)n < count;
    return fits ? (size_t)n : count;
}

static bool refers_to_parts(const struct rf_jval *list, size_t count)
{
    if (!is(list, RF_JARRAY))
        return false;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        if (attachment(v, count) < count)
            return true;
    return false;
}

static void set_words(struct rf_gemini_request *p, struct rf_message *m, const struct rf_jval *v)
{
    struct rf_str *words = m->failed ? &m->error : &m->output;
    *words = rf_build_str(p->b, v);
}

/* Parts that were put into their place are NULL afterwards. */
static void listed_values(struct rf_gemini_request *p, struct rf_message *m,
                          const struct rf_jval *list, const struct rf_jval **parts, size_t count)
{
    const struct rf_jval *first = rf_jval_first(list);
    for (const struct rf_jval *v = first; v; v = rf_jval_next(list, v)) {
        size_t n = attachment(v, count);
        if (n < count && parts[n]) {
            said_part(p, parts[n]);
            parts[n] = NULL;
        } else if (v == first && v->type == RF_JSTRING) {
            set_words(p, m, v);
        } else if (v->type == RF_JSTRING) {
            rf_build_text(p->b, rf_build_str(p->b, v));
        } else {
            json_block(p, v);
        }
    }
}

/* The value of a response: what `output` or `error` holds, where it has no other member. */
static const struct rf_jval *response_value(struct rf_message *m, const struct rf_jval *response)
{
    bool alone = is(response, RF_JOBJECT) && response->count == 1;
    const struct rf_jval *error = alone ? rf_jval_get(response, "error") : NULL;
    const struct rf_jval *output = alone ? rf_jval_get(response, "output") : NULL;
    m->failed = is_given(error);
    return error ? error : output ? output : response;
}

/* How a response was put, where we would put it in another way: "bare", without `output`; "apart",
 * where nothing in it refers to its parts. */
static const struct rf_jval *manner(struct rf_gemini_request *p, const struct rf_jval *response,
                                    const struct rf_jval *value, size_t parts)
{
    bool bare = is(value, RF_JOBJECT) && value == rf_gemini_get(response, "response");
    bool apart = parts && is_given(value) && !refers_to_parts(value, parts);
    return bare    ? rf_jval_string(RF_STR("bare"), p->b->arena)
           : apart ? rf_jval_string(RF_STR("apart"), p->b->arena)
                   : NULL;
}

static const struct rf_jval *response_content(struct rf_gemini_request *p, struct rf_message *m,
                                              const struct rf_jval *response)
{
    const struct rf_jval *list = rf_gemini_get(response, "parts");
    const struct rf_jval *value = response_value(m, rf_gemini_get(response, "response"));
    size_t count = 0, room = is(list, RF_JARRAY) ? list->count : 1;
    const struct rf_jval **parts = RF_ARRAY(p->b->arena, const struct rf_jval *, room);
    for (const struct rf_jval *v = rf_gemini_first(list); v; v = rf_gemini_next(list, v))
        parts[count++] = v;
    if (is(value, RF_JSTRING))
        set_words(p, m, value);
    else if (refers_to_parts(value, count))
        listed_values(p, m, value, parts, count);
    else if (is_given(value))
        m->data = value;
    for (size_t i = 0; i < count; i++)
        said_part(p, parts[i]);
    return manner(p, response, value, count);
}

/* `number` counts the results of this content. */
static void result(struct rf_gemini_request *p, const struct rf_jval *part, size_t number)
{
    static const char *const known[] = { "functionResponse", NULL };
    static const char *const known_response[] = { "id", "name", "response", "parts", NULL };
    const struct rf_jval *response = rf_gemini_get(part, "functionResponse");
    struct rf_message *m = rf_build_message(p->b, RF_ROLE_TOOL);
    struct rf_gemini_call *call;
    m->tool_call_id = rf_gemini_text(p->b, response, "id");
    m->name = rf_gemini_text(p->b, response, "name");
    call = m->tool_call_id.n ? call_by_id(p, m->tool_call_id) : open_call(p, m->name);
    if (call) {
        call->answered = true;
        m->tool_call_id = call->id;
        m->name = m->name.n ? m->name : call->name;
    } else if (!m->tool_call_id.n) {
        m->tool_call_id = made_up_id(p, number);
    }
    struct rf_aside s;
    rf_aside_init(&s, p->b);
    keep_rest(&s, part, known, "functionResponse", known_response);
    rf_aside_put(&s, "manner", response_content(p, m, response));
    m->extra = rf_aside_done(&s);
}

/* Contents. */

static bool is_result(const struct rf_jval *part)
{
    return is(rf_gemini_get(part, "functionResponse"), RF_JOBJECT);
}

/* Vercel's ai, where it knows no better of a model, has a tool's file stand among the parts of the
 * user, with these words after it, and no functionResponse for the call. */
static bool is_returned_file(struct rf_gemini_request *p, const struct rf_jval *parts,
                             const struct rf_jval *v)
{
    static const char before[] = "Tool executed successfully and returned this ";
    const struct rf_jval *next = rf_gemini_next(parts, v);
    return is(rf_gemini_get(v, "inlineData"), RF_JOBJECT) && next &&
           rf_str_starts(rf_gemini_text(p->b, next, "text"), before);
}

/* Those files as the results of the calls that have none. Returns how many there are. */
static size_t returned_files(struct rf_gemini_request *p, const struct rf_jval *parts)
{
    struct rf_gemini_call *call = open_call(p, RF_STR(""));
    size_t count = 0;
    const struct rf_jval *v = rf_gemini_first(parts);
    for (; v && call; v = rf_gemini_next(parts, v)) {
        if (!is_returned_file(p, parts, v))
            continue;
        struct rf_message *m = rf_build_message(p->b, RF_ROLE_TOOL);
        m->tool_call_id = call->id;
        m->name = call->name;
        call->answered = true;
        media_part(p, v);
        call = open_call(p, RF_STR(""));
        count++;
    }
    return count;
}

static const struct rf_jval *content_extra(struct rf_gemini_request *p,
                                           const struct rf_jval *content)
{
    static const char *const known[] = { "role", "parts", NULL };
    return part_extra(p, content, known, NULL, NULL);
}

static void user_content(struct rf_gemini_request *p, const struct rf_jval *content)
{
    const struct rf_jval *parts = rf_gemini_get(content, "parts"), *v;
    const struct rf_jval *extra = content_extra(p, content);
    size_t results = 0, others = 0;
    for (v = rf_gemini_first(parts); v; v = rf_gemini_next(parts, v)) {
        if (is_result(v))
            result(p, v, results++);
        else
            others += is_given(v);
    }
    size_t returned = returned_files(p, parts);
    if ((results || returned) && others == 2 * returned && !extra)
        return;
    rf_build_message(p->b, RF_ROLE_USER)->extra = extra;
    for (v = rf_gemini_first(parts); v; v = rf_gemini_next(parts, v)) {
        if (returned && is_returned_file(p, parts, v)) {
            v = rf_gemini_next(parts, v); /* the words after it */
            returned--;
        } else if (!is_result(v) && is_given(v) && !media_part(p, v) && !text_part(p, v)) {
            rf_build_opaque(p->b, v);
        }
    }
}

/* Makes the last message the answer that this content belongs to. */
static void begin_answer(struct rf_gemini_request *p, const struct rf_jval *extra)
{
    const struct rf_conversation *c = p->b->conversation;
    size_t count = c->message_count;
    if (count && c->messages[count - 1].role == RF_ROLE_ASSISTANT && !extra)
        return;
    struct rf_message *m = rf_build_message(p->b, RF_ROLE_ASSISTANT);
    m->origin_provider = RF_STR(PROVIDER);
    m->origin_model = p->model;
    m->extra = extra;
    p->calls_here = 0;
}

static void model_content(struct rf_gemini_request *p, const struct rf_jval *content)
{
    const struct rf_jval *parts = rf_gemini_get(content, "parts");
    begin_answer(p, content_extra(p, content));
    for (const struct rf_jval *v = rf_gemini_first(parts); v; v = rf_gemini_next(parts, v)) {
        bool taken = !is_given(v) || thinking_part(p, v) || media_part(p, v) || call_part(p, v) ||
                     text_part(p, v);
        if (!taken)
            rf_build_opaque(p->b, v);
    }
}

enum rf_code rf_gemini_content(struct rf_gemini_request *p, const struct rf_jval *content,
                               const struct rf_jpath *at, struct rf_err *err)
{
    const struct rf_jpath here = { .up = at, .field = "role" };
    const struct rf_jval *role = rf_jval_get(content, "role");
    if (content->type != RF_JOBJECT)
        return rf_fail_at(err, RF_EFORMAT, at, "expected an object, found %s",
                          rf_jtype_name(content->type));
    if (is_given(role) && role->type != RF_JSTRING)
        return rf_fail_at(err, RF_EFORMAT, &here, "expected a string, found %s",
                          rf_jtype_name(role->type));
    struct rf_str name = rf_build_str(p->b, role);
    if (!name.n || rf_str_is(name, "user") || rf_str_is(name, "function"))
        user_content(p, content);
    else if (rf_str_is(name, "model"))
        model_content(p, content);
    else
        return rf_fail_at(err, RF_EFORMAT, &here, "unknown role \"%.*s\"",
                          RF_FMT(rf_utf8_cut(name, RF_MAX_NAME_SHOWN)));
    return RF_OK;
}
