/* OpenAI Responses, requests that are read: a body in, a conversation out.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 *     on the wire                                conversation
 *     instructions, and messages of the roles    `system`, with blank lines between; the messages
 *     system and developer before the first      are kept whole besides, in the list "system"
 *     user message
 *     the same later on                          a user message in that name: where it stands
 *                                                matters, and every model shall get the words
 *     message of a user                          user message
 *     reasoning, function_call, message of the   blocks of one assistant message, as long as only
 *     assistant                                  such items follow each other
 *     custom_tool_call                           the same; its input is the argument "input"
 *     function_call_output,                      tool message; an object is its `data`. Where its
 *     custom_tool_call_output                    call is opaque, so is it; where that is on the
 *                                                server, it is an opaque block of a user message
 *     calls of a shell, a patch, a computer      the same; other APIs' models read them as JSON
 *     and of MCP
 *     what came of those                         opaque block of a user message
 *     any other item                             opaque block of the assistant message; an output
 *                                                between results belongs to the one before them
 *     tools, additional_tools                    tools.c
 *     reasoning.effort                           how much thinking; kept besides
 *     text.format with a schema                  schema; kept besides, for its name
 *
 * What else there is, is kept: the members of an item with its message or block (those of an
 * assistant's message with its first block, under "message"), unknown parts of users and tools
 * with the message, under "content" or "output". The model's name goes to the origin of what it
 * said, and no further. It refuses what is not a request: an input that is not a list, an item that is not an
 * object, an unknown role, a result that names no call. */
#include "base/arena.h"
#include "base/utf8.h"
#include "content/seal.h"
#include "plan/ids.h"
#include "wire/aside.h"
#include "wire/openai_responses/openai_responses.h"

struct parse {
    struct rf_builder *b;
    struct rf_str model;
    const char *known[12]; /* members of the body that are in the conversation, and a NULL */
    size_t known_count;
    struct rf_texts system;
    struct rf_aside aside; /* of the body */
    bool continues;        /* what came before is on the server: calls may be there */
    bool asked;            /* a user message has been there */
    size_t said;           /* the last assistant message that others follow, plus one; or 0 */
    size_t said_cap;       /* of its blocks */
    size_t unanswered;     /* calls in it, less the results since */
    struct rf_ids calls;   /* a place is that of the name, plus one */
    struct rf_ids others;  /* calls of tools other than functions */
    struct rf_str *names;
    size_t name_count, name_cap;
    const struct rf_jval **outputs; /* of what was run here: for the next message of a user */
    size_t output_count, output_cap;
};

/* Values. */

static bool is(const struct rf_jval *v, const char *s)
{
    return v && v->type == RF_JSTRING && rf_jval_is(v, s);
}

static bool is_given(const struct rf_jval *v)
{
    return v && v->type != RF_JNULL;
}

static const struct rf_jval *first_of(const struct rf_jval *v, enum rf_jtype type)
{
    return v && v->type == type ? rf_jval_first(v) : NULL;
}

/* The members of two objects, either of which may be NULL, as one. */
static const struct rf_jval *joined(struct rf_builder *b, const struct rf_jval *first,
                                    const struct rf_jval *second)
{
    struct rf_rope rope;
    struct rf_json w;
    if (!first || !second)
        return first ? first : second;
    rf_rope_init(&rope, b->arena);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_members(&w, first, NULL);
    rf_json_members(&w, second, NULL);
    rf_json_end(&w);
    return rf_aside_made(&w, b->arena);
}

static void add_texts(struct rf_builder *b, const struct rf_jval *list, struct rf_texts *to)
{
    for (const struct rf_jval *p = first_of(list, RF_JARRAY); p; p = rf_jval_next(list, p))
        rf_texts_add(to, rf_build_str(b, rf_jval_get(p, "text")), b->arena);
}

static struct rf_str texts_of(struct rf_builder *b, const struct rf_jval *list)
{
    struct rf_texts texts = { 0 };
    add_texts(b, list, &texts);
    return rf_texts_join(&texts, RF_STR("\n\n"), b->arena);
}

/* Messages. */

static struct rf_message *last_message(const struct parse *p)
{
    const struct rf_conversation *c = p->b->conversation;
    return c->message_count ? &c->messages[c->message_count - 1] : NULL;
}

static bool assistant_speaks(const struct parse *p)
{
    const struct rf_message *last = last_message(p);
    return last && last->role == RF_ROLE_ASSISTANT;
}

static void tell_outputs(struct parse *p)
{
    rf_build_message(p->b, RF_ROLE_USER);
    for (size_t i = 0; i < p->output_count; i++)
        rf_build_opaque(p->b, p->outputs[i]);
    p->output_count = 0;
}

static size_t count_calls(const struct rf_message *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->block_count; i++)
        count += m->blocks[i].type == RF_BLOCK_TOOL_CALL;
    return count;
}

static struct rf_message *begin(struct parse *p, enum rf_role role)
{
    if (assistant_speaks(p)) {
        p->said = p->b->conversation->message_count;
        p->said_cap = p->b->block_cap;
        p->unanswered = count_calls(last_message(p));
    }
    p->unanswered -= role == RF_ROLE_TOOL && p->unanswered;
    if (p->output_count && role != RF_ROLE_TOOL)
        tell_outputs(p);
    return rf_build_message(p->b, role);
}

/* The assistant message that is going on, or a new one. */
static struct rf_message *assistant(struct parse *p)
{
    if (assistant_speaks(p) && !p->output_count)
        return last_message(p);
    struct rf_message *m = begin(p, RF_ROLE_ASSISTANT);
    m->origin_provider = RF_STR(RF_RESPONSES_PROVIDER);
    m->origin_model = p->model;
    return m;
}

/* Into blocks of the last message; what is not such a part, and what else the item has, is kept. */
static const struct rf_jval *parts(struct rf_builder *b, const struct rf_jval *item,
                                   const char *name, const char *const *known)
{
    const struct rf_jval *list = rf_jval_get(item, name);
    struct rf_aside aside;
    size_t i = 0;
    rf_aside_init(&aside, b);
    for (const struct rf_jval *v = first_of(list, RF_JARRAY); v; v = rf_jval_next(list, v), i++)
        if (!rf_responses_part(b, v)) {
            if (rf_str_starts(rf_build_str(b, rf_jval_get(v, "type")), "input_"))
                rf_build_opaque(b, v);
            else
                rf_aside_place(&aside, name, i, v);
        }
    rf_aside_rest(&aside, item, known);
    return rf_aside_done(&aside);
}

static void user_message(struct parse *p, const struct rf_jval *item)
{
    static const char *const known[] = { "type", "content", "role", NULL };
    const struct rf_jval *role = rf_jval_get(item, "role");
    struct rf_message *m = begin(p, RF_ROLE_USER);
    rf_build_text(p->b, rf_build_str(p->b, rf_jval_get(item, "content")));
    m->speaker = is(role, "system")      ? RF_SPEAKER_SYSTEM
                 : is(role, "developer") ? RF_SPEAKER_DEVELOPER
                                         : RF_SPEAKER_USER;
    m->extra = parts(p->b, item, "content", known);
}

static void system_message(struct parse *p, const struct rf_jval *item, size_t index)
{
    const struct rf_jval *content = rf_jval_get(item, "content");
    rf_texts_add(&p->system, rf_build_str(p->b, content), p->b->arena);
    add_texts(p->b, content, &p->system);
    rf_aside_place(&p->aside, "system", index, item);
}

/* Into what is kept of a part goes what its message says besides: the first one has the members,
 * the others say that they belong to it. */
static void keep_message(struct parse *p, struct rf_block *block, const struct rf_jval *item,
                         bool is_first)
{
    static const struct rf_jval yes = { .type = RF_JTRUE, .raw = { "true", 4 }, .span = 1 };
    static const char *const known[] = { "type", "role", "content", NULL };
    static const char *const none[] = { NULL };
    struct rf_aside aside;
    rf_aside_init(&aside, p->b);
    rf_aside_rest(&aside, rf_jval_get(rf_jval_get(block->extra, "extra"), p->b->dialect), none);
    if (is_first) {
        rf_aside_open(&aside, "message");
        rf_aside_rest(&aside, item, known);
        rf_aside_close(&aside);
    } else {
        rf_aside_put(&aside, "continues", &yes);
    }
    block->extra = rf_aside_done(&aside);
}

static void assistant_message(struct parse *p, const struct rf_jval *item)
{
    const struct rf_jval *content = rf_jval_get(item, "content");
    struct rf_message *m = assistant(p);
    size_t first = m->block_count;
    rf_build_text(p->b, rf_build_str(p->b, content));
    for (const struct rf_jval *v = first_of(content, RF_JARRAY); v; v = rf_jval_next(content, v))
        rf_responses_said_part(p->b, v);
    for (size_t i = first; i < m->block_count; i++)
        if (i == first || m->blocks[i].type == RF_BLOCK_TEXT)
            keep_message(p, &m->blocks[i], item, i == first);
}

/* Items. `at` is the item's place. */

static enum rf_code message(struct parse *p, const struct rf_jval *item, const struct rf_jpath *at,
                            struct rf_err *err)
{
    const struct rf_jval *role = rf_jval_get(item, "role"), *content = rf_jval_get(item, "content");
    struct rf_jpath here = { .up = at, .field = "content" };
    if (is_given(content) && content->type != RF_JSTRING && content->type != RF_JARRAY)
        return rf_fail_at(err, RF_EFORMAT, &here, "expected a string or an array, found %s",
                          rf_jtype_name(content->type));
    bool above = is(role, "system") || is(role, "developer");
    if (is(role, "assistant")) {
        assistant_message(p, item);
    } else if (above && !p->asked) {
        system_message(p, item, at->index);
    } else if (above || is(role, "user")) {
        p->asked = true;
        user_message(p, item);
    } else {
        struct rf_str shown = rf_utf8_cut(rf_build_str(p->b, role), RF_MAX_NAME_SHOWN);
        here.field = "role";
        rf_fail_at(err, RF_EFORMAT, &here, "unknown role \"%.*s\"", RF_FMT(shown));
        rf_hint(err, "The roles are user, system, developer and assistant.");
        return RF_EFORMAT;
    }
    return RF_OK;
}

/* A thought's text is its summary, else its content. What that does not tell exactly is kept. */
static void reasoning(struct parse *p, const struct rf_jval *item)
{
    const struct rf_jval *summary = rf_jval_get(item, "summary");
    struct rf_str text = texts_of(p->b, summary);
    bool other = !text.n && rf_jval_get(item, "content");
    bool told = summary && summary->type == RF_JARRAY && summary->count <= (text.n > 0) && !other;
    const char *const known[] = { "type", "id", "encrypted_content", told ? "summary" : NULL,
                                  NULL };
    assistant(p);
    struct rf_block *block = rf_build_block(p->b, RF_BLOCK_THINKING);
    block->thinking = (struct rf_thinking){
        .text = text.n ? text : texts_of(p->b, rf_jval_get(item, "content")),
        .id = rf_build_str(p->b, rf_jval_get(item, "id")),
    };
    struct rf_str mark = rf_build_str(p->b, rf_jval_get(item, "encrypted_content"));
    if (!rf_seal_open(p->b, mark, &block->thinking))
        block->thinking.encrypted = mark;
    block->extra = rf_build_extra(p->b, item, known);
}

/* What the client ran for the model, by tools that other APIs do not have, or was asked about. */
static const struct {
    const char *call, *output; /* NULL: the call says what came of it */
} run_here[] = {
    { "apply_patch_call", "apply_patch_call_output" },
    { "computer_call", "computer_call_output" },
    { "local_shell_call", "local_shell_call_output" },
    { "mcp_approval_request", "mcp_approval_response" },
    { "mcp_call", NULL },
    { "shell_call", "shell_call_output" },
};
#define RUN_HERE (sizeof run_here / sizeof *run_here)

static bool is_call_run_here(const struct rf_jval *type)
{
    for (size_t i = 0; i < RUN_HERE; i++)
        if (is(type, run_here[i].call))
            return true;
    return false;
}

static bool is_output_run_here(const struct rf_jval *type)
{
    for (size_t i = 0; i < RUN_HERE; i++)
        if (run_here[i].output && is(type, run_here[i].output))
            return true;
    return false;
}

/* Of calls other than functions': who ran them, as the place of their ids. */
enum { RUN_BY_CLIENT = 1, RUN_BY_SERVER };

/* Other models read such a call, and what came of it, as JSON. */
static void call_run_here(struct parse *p, const struct rf_jval *item)
{
    struct rf_str id = rf_build_str(p->b, rf_jval_get(item, "call_id"));
    if (id.n)
        rf_ids_slot(&p->others, id)->place = RUN_BY_CLIENT;
    assistant(p);
    rf_build_opaque(p->b, item);
    const struct rf_message *m = last_message(p);
    m->blocks[m->block_count - 1].text_fallback = rf_jval_compact(item, p->b->arena);
}

/* It waits until all results are there: a message in between would part them from their calls. */
static void output_run_here(struct parse *p, const struct rf_jval *item)
{
    *RF_PUSH(p->b->arena, p->outputs, p->output_count, p->output_cap) = item;
}

/* An output that comes between results goes to the message before them: another one in between
 * would part the results that are still to come from their calls. */
static void opaque(struct parse *p, const struct rf_jval *item)
{
    struct rf_builder *b = p->b;
    bool is_output = rf_str_ends(rf_build_str(b, rf_jval_get(item, "type")), "_output");
    struct rf_str id = rf_build_str(b, rf_jval_get(item, "call_id"));
    if (id.n && !is_output)
        rf_ids_slot(&p->others, id)->place = RUN_BY_SERVER;
    if (!is_output || assistant_speaks(p) || !p->unanswered) {
        assistant(p);
        rf_build_opaque(b, item);
        return;
    }
    struct rf_message *m = &b->conversation->messages[p->said - 1];
    *RF_PUSH(b->arena, m->blocks, m->block_count, p->said_cap) =
        (struct rf_block){ .type = RF_BLOCK_OPAQUE, .dialect = rf_str(b->dialect), .value = item };
}

/* `known` are the members that the conversation has; the rest is kept. */
static void add_call(struct parse *p, const struct rf_jval *item, const struct rf_jval *arguments,
                     const char *const *known)
{
    struct rf_builder *b = p->b;
    struct rf_str id = rf_build_str(b, rf_jval_get(item, "call_id"));
    struct rf_str name = rf_responses_name(b, item, rf_jval_get(item, "namespace"));
    if (!id.n || !name.n) {
        opaque(p, item);
        return;
    }
    assistant(p);
    struct rf_block *block = rf_build_call(b, id, name, arguments);
    block->extra = joined(b, block->extra, rf_build_extra(b, item, known));
    *RF_PUSH(b->arena, p->names, p->name_count, p->name_cap) = name;
    rf_ids_slot(&p->calls, id)->place = p->name_count;
}

static void function_call(struct parse *p, const struct rf_jval *item)
{
    static const char *const known[] = { "type", "call_id", "name", "arguments", NULL };
    add_call(p, item, rf_jval_get(item, "arguments"), known);
}

/* Its type is kept: it is a custom call where it goes back. */
static void custom_call(struct parse *p, const struct rf_jval *item)
{
    static const char *const known[] = { "call_id", "name", "input", NULL };
    const struct rf_jmember input = { "input", rf_jval_get(item, "input") };
    add_call(p, item, rf_jval_object(&input, 1, p->b->arena), known);
}

/* A text that stands first and has no more to it is the output. */
static void lead_with_text(struct rf_message *m)
{
    if (!m->block_count || m->blocks[0].type != RF_BLOCK_TEXT || m->blocks[0].extra)
        return;
    m->output = m->blocks[0].text;
    m->blocks++;
    m->block_count--;
}

static enum rf_code call_output(struct parse *p, const struct rf_jval *item,
                                const struct rf_jpath *at, struct rf_err *err)
{
    static const char *const known[] = { "type", "call_id", "output", NULL };
    const struct rf_jval *output = rf_jval_get(item, "output");
    struct rf_str id = rf_build_str(p->b, rf_jval_get(item, "call_id"));
    struct rf_jpath here = { .up = at, .field = "call_id" };
    if (!id.n)
        return rf_fail_at(err, RF_EFORMAT, &here, "expected the id of a call");
    size_t place = rf_ids_slot(&p->calls, id)->place;
    bool custom = is(rf_jval_get(item, "type"), "custom_tool_call_output");
    size_t other = place ? 0 : rf_ids_slot(&p->others, id)->place;
    if (other == RUN_BY_CLIENT && !custom) {
        output_run_here(p, item);
        return RF_OK;
    }
    if (other == RUN_BY_SERVER || (!place && custom && !p->continues)) {
        opaque(p, item);
        return RF_OK;
    }
    if (!place && p->continues) {
        begin(p, RF_ROLE_USER);
        rf_build_opaque(p->b, item);
        return RF_OK;
    }
    struct rf_message *m = begin(p, RF_ROLE_TOOL);
    m->tool_call_id = id;
    if (place)
        m->name = p->names[place - 1];
    m->extra = parts(p->b, item, "output", known);
    lead_with_text(m);
    if (output && output->type == RF_JSTRING)
        m->output = rf_build_str(p->b, output);
    else if (is_given(output) && output->type != RF_JARRAY)
        m->data = output;
    return RF_OK;
}

static enum rf_code read_item(struct parse *p, const struct rf_jval *item,
                              const struct rf_jpath *at, struct rf_err *err)
{
    const struct rf_jval *type = rf_jval_get(item, "type");
    if (item->type != RF_JOBJECT)
        return rf_fail_at(err, RF_EFORMAT, at, "expected an object, found %s",
                          rf_jtype_name(item->type));
    if (is(type, "message") || (!is_given(type) && rf_jval_get(item, "role")))
        return message(p, item, at, err);
    if (is(type, "function_call_output") || is(type, "custom_tool_call_output"))
        return call_output(p, item, at, err);
    if (is(type, "reasoning"))
        reasoning(p, item);
    else if (is(type, "function_call"))
        function_call(p, item);
    else if (is(type, "custom_tool_call"))
        custom_call(p, item);
    else if (is_call_run_here(type))
        call_run_here(p, item);
    else if (is_output_run_here(type))
        output_run_here(p, item);
    else
        opaque(p, item);
    return RF_OK;
}

static enum rf_code read_input(struct parse *p, const struct rf_jval *input, struct rf_err *err)
{
    struct rf_jpath here = { .field = "input" }, item = { .up = &here };
    enum rf_code rc = RF_OK;
    if (!is_given(input))
        return RF_OK;
    if (input->type == RF_JSTRING) {
        begin(p, RF_ROLE_USER);
        rf_build_text(p->b, rf_build_str(p->b, input));
        return RF_OK;
    }
    if (input->type != RF_JARRAY)
        return rf_fail_at(err, RF_EFORMAT, &here, "expected a string or an array, found %s",
                          rf_jtype_name(input->type));
    bool leads = true;
    for (const struct rf_jval *v = rf_jval_first(input); v && !rc; v = rf_jval_next(input, v)) {
        leads &= rf_responses_offers(v);
        if (!leads)
            rc = read_item(p, v, &item, err);
        item.index++;
    }
    if (p->output_count)
        tell_outputs(p);
    return rc;
}

/* The rest of the body. */

/* A member of the body if it has this type; it need not be kept then. */
static const struct rf_jval *take(struct parse *p, const struct rf_jval *body, const char *name,
                                  enum rf_jtype type)
{
    const struct rf_jval *v = rf_jval_get(body, name);
    if (!v || v->type != type)
        return NULL;
    p->known[p->known_count++] = name;
    return v;
}

static bool has_tool(const struct rf_conversation *c, struct rf_str name)
{
    for (size_t i = 0; i < c->tool_count; i++)
        if (rf_str_eq(c->tools[i].name, name))
            return true;
    return false;
}

static enum rf_choice choice_word(const struct rf_jval *v)
{
    return is(v, "auto")       ? RF_CHOICE_AUTO
           : is(v, "none")     ? RF_CHOICE_NONE
           : is(v, "required") ? RF_CHOICE_REQUIRED
                               : RF_CHOICE_UNSET;
}

static const struct rf_jval *allowed_names(struct rf_builder *b, const struct rf_jval *list)
{
    struct rf_texts names = { 0 };
    for (const struct rf_jval *v = first_of(list, RF_JARRAY); v; v = rf_jval_next(list, v))
        rf_texts_add(&names, rf_responses_name(b, v, rf_jval_get(v, "namespace")), b->arena);
    return rf_aside_strings(&names, b->arena);
}

/* Some tools of those there are: the choice is the mode, and all of it is kept. So are choices of
 * tools that are not in the conversation, and those among tools that are kept. */
static void read_choice(struct parse *p, const struct rf_jval *body)
{
    struct rf_conversation *c = p->b->conversation;
    const struct rf_jval *v = rf_jval_get(body, "tool_choice"), *type = rf_jval_get(v, "type");
    const struct rf_jval *list = rf_jval_get(body, "tools");
    bool all_kept = !c->tool_count && list && list->count;
    struct rf_str name = rf_build_str(p->b, rf_jval_get(v, "name"));
    c->tool_choice = choice_word(is(type, "allowed_tools") ? rf_jval_get(v, "mode") : v);
    if (is(type, "allowed_tools"))
        c->options.allowed_tools = allowed_names(p->b, rf_jval_get(v, "tools"));
    if ((is(type, "function") || is(type, "custom")) && has_tool(c, name)) {
        c->tool_choice = RF_CHOICE_TOOL;
        c->tool_choice_name = name;
        take(p, body, "tool_choice", RF_JOBJECT);
    } else if (c->tool_choice != RF_CHOICE_UNSET && !all_kept) {
        take(p, body, "tool_choice", RF_JSTRING);
    }
}

/* Efforts beyond the three that all know are the nearest of those; the word itself is kept. */
static void read_effort(struct parse *p, const struct rf_jval *effort)
{
    struct rf_options *o = &p->b->conversation->options;
    struct rf_str word = rf_build_str(p->b, effort);
    rf_aside_effort(rf_aside_is_most(word) ? RF_STR("high") : word, o);
}

/* The schema of an answer. Its name is kept, and all that stands with it. */
static void read_format(struct parse *p, const struct rf_jval *format)
{
    const struct rf_jval *schema = rf_jval_get(format, "schema");
    if (schema && schema->type == RF_JOBJECT && is(rf_jval_get(format, "type"), "json_schema"))
        p->b->conversation->options.schema = schema;
    p->b->conversation->options.json = is(rf_jval_get(format, "type"), "json_object");
}

static void read_options(struct parse *p, const struct rf_jval *body)
{
    struct rf_options *o = &p->b->conversation->options;
    const struct rf_jval *most = rf_jval_get(body, "max_output_tokens");
    int64_t n;
    if (most && most->type == RF_JNUMBER && rf_jval_int64(most, &n) && n > 0) {
        o->max_tokens = n;
        take(p, body, "max_output_tokens", RF_JNUMBER);
    }
    o->temperature = take(p, body, "temperature", RF_JNUMBER);
    o->top_p = take(p, body, "top_p", RF_JNUMBER);
    o->single_call = take(p, body, "parallel_tool_calls", RF_JFALSE);
    o->stream = take(p, body, "stream", RF_JTRUE);
    take(p, body, "stream", RF_JFALSE);
    read_effort(p, rf_jval_get(rf_jval_get(body, "reasoning"), "effort"));
    read_format(p, rf_jval_get(rf_jval_get(body, "text"), "format"));
}

enum rf_code rf_openai_responses_parse(const struct rf_jval *body, struct rf_builder *b,
                                       struct rf_err *err)
{
    struct parse p = { .b = b, .known = { "input" }, .known_count = 1 };
    if (body->type != RF_JOBJECT)
        return rf_fail(err, RF_EFORMAT, "expected an object, found %s", rf_jtype_name(body->type));
    enum rf_code rc = rf_aside_check(body, err);
    if (rc)
        return rc;
    rf_aside_init(&p.aside, b);
    rf_ids_init(&p.calls, b->arena);
    rf_ids_init(&p.others, b->arena);
    p.model = rf_build_str(b, take(&p, body, "model", RF_JSTRING));
    rf_texts_add(&p.system, rf_build_str(b, take(&p, body, "instructions", RF_JSTRING)), b->arena);
    p.continues = is_given(rf_jval_get(body, "previous_response_id")) ||
                  is_given(rf_jval_get(body, "conversation"));
    rc = read_input(&p, rf_jval_get(body, "input"), err);
    if (rc)
        return rc;
    b->conversation->system = rf_texts_join(&p.system, RF_STR("\n\n"), b->arena);
    rf_responses_tools(b, take(&p, body, "tools", RF_JARRAY), &p.aside);
    rf_responses_additional(b, rf_jval_get(body, "input"), &p.aside);
    read_choice(&p, body);
    read_options(&p, body);
    rf_aside_rest(&p.aside, body, p.known);
    b->conversation->extra = rf_aside_done(&p.aside);
    return RF_OK;
}
