/* A reply as it is kept: the caller's names for tools, an id for each call that no other call of this reply
 * has, and of a reply that was cut only what is whole. Everything else stays as the provider said it. */
#include "agent/agent.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/price.h"

#include <inttypes.h>

#define MOST_CALLS 128 /* of one reply; what comes behind them is not run, and not kept */
#define MOST_TEXT ((size_t)64 << 20)

struct reading {
    struct rf_agent *agent;
    struct rf_arena *arena;
    enum rf_agent_whole whole;
    struct rf_agent_reply *reply;
    struct rf_json *writer;
    struct rf_buf said;
    size_t kept; /* blocks */
};

static struct rf_str text_of(const struct rf_jval *v, struct rf_arena *a)
{
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

static bool is_taken(const struct rf_agent_reply *r, struct rf_str id)
{
    for (size_t i = 0; i < r->call_count; i++)
        if (rf_str_eq(r->calls[i].id, id))
            return true;
    return false;
}

static struct rf_str id_of(struct reading *r, const struct rf_jval *block)
{
    struct rf_str id = text_of(rf_jval_get(block, "id"), r->arena);
    int64_t message = rf_agent_count(r->agent);
    for (int i = 1; !id.n || is_taken(r->reply, id); i++)
        id = rf_strf(r->arena, "call_%" PRId64 "_%d", message, i);
    return id;
}

static struct rf_str name_of(struct reading *r, const struct rf_jval *block)
{
    struct rf_str name = text_of(rf_jval_get(block, "name"), r->arena);
    return r->agent->request ? rf_request_tool(r->agent->request, name) : name;
}

/* The block with another id and name. */
static void write_call(struct reading *r, const struct rf_jval *block,
                       const struct rf_agent_call *call)
{
    struct rf_json *w = r->writer;
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("tool_call"));
    rf_json_str(w, "id", call->id);
    rf_json_str(w, "name", call->name);
    for (const struct rf_jval *k = rf_jval_first(block); k; k = rf_jval_next(block, k + 1)) {
        if (rf_jval_is(k, "type") || rf_jval_is(k, "id") || rf_jval_is(k, "name"))
            continue;
        rf_json_key(w, rf_jval_text(k, r->arena));
        rf_json_value(w, NULL, k + 1);
    }
    rf_json_end(w);
    r->kept++;
}

static void take_call(struct reading *r, const struct rf_jval *block)
{
    struct rf_agent_reply *out = r->reply;
    const struct rf_jval *arguments = rf_jval_get(block, "arguments");
    struct rf_agent_call call = {
        .id = id_of(r, block),
        .name = name_of(r, block),
        .arguments = arguments ? rf_jval_compact(arguments, r->arena) : RF_STR("{}"),
        .malformed = text_of(rf_jval_get(block, "malformed_arguments"), r->arena),
    };
    bool whole = call.name.n && !call.malformed.n;
    if (r->whole == RF_REPLY_CUT && !whole)
        return;
    if (out->call_count == MOST_CALLS) {
        if (!out->left_out++)
            rf_agent_note(r->agent,
                          "the model called more than %d tools at once: \"%.*s\" was left out, and "
                          "all behind it",
                          MOST_CALLS, RF_FMT(call.name));
        return;
    }
    *RF_PUSH(r->arena, out->calls, out->call_count, out->call_cap) = call;
    write_call(r, block, &call);
}

static void take_block(struct reading *r, const struct rf_jval *block)
{
    const struct rf_jval *type = rf_jval_get(block, "type");
    if (!type || type->type != RF_JSTRING)
        return;
    if (rf_jval_is(type, "tool_call")) {
        take_call(r, block);
        return;
    }
    if (rf_jval_is(type, "text"))
        rf_buf_add(&r->said, text_of(rf_jval_get(block, "text"), r->arena));
    rf_json_value(r->writer, NULL, block);
    r->kept++;
}

static bool is_of(const struct rf_jval *block, const char *type)
{
    const struct rf_jval *v = rf_jval_get(block, "type");
    return v && rf_jval_is(v, type);
}

/* Of a reply that was cut, what only its provider can read is whole once words or a call stand behind it: a
 * search without what it found would be refused. */
static void take_blocks(struct reading *r, const struct rf_jval *content)
{
    const struct rf_jval *last = NULL; /* words or a call */
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b))
        if ((is_of(b, "text") && text_of(rf_jval_get(b, "text"), r->arena).n) ||
            (is_of(b, "tool_call") && !rf_jval_get(b, "malformed_arguments")))
            last = b;
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b))
        if (r->whole == RF_REPLY_WHOLE || !is_of(b, "opaque") || (last && b < last))
            take_block(r, b);
}

static void write_message(struct reading *r, const struct rf_jval *root)
{
    struct rf_json *w = r->writer;
    rf_json_obj(w, NULL);
    for (const struct rf_jval *k = rf_jval_first(root); k; k = rf_jval_next(root, k + 1)) {
        rf_json_key(w, rf_jval_text(k, r->arena));
        if (!rf_jval_is(k, "content") || k[1].type != RF_JARRAY) {
            rf_json_value(w, NULL, k + 1);
            continue;
        }
        rf_json_arr(w, NULL);
        take_blocks(r, k + 1);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static int64_t count_of(const struct rf_jval *usage, const char *name)
{
    const struct rf_jval *v = rf_jval_get(usage, name);
    int64_t n;
    return v && rf_jval_int64(v, &n) && n >= 0 ? n : -1;
}

/* Routers say what they charge, in dollars. */
static int64_t cost_of(const struct rf_jval *extra)
{
    const struct rf_jval *v = rf_jval_get(extra, "cost");
    int64_t micros;
    return v && v->type == RF_JNUMBER && rf_price_read(v->raw, &micros) ? micros : -1;
}

enum rf_code rf_agent_reply_read(struct rf_agent *a, struct rf_str json, enum rf_agent_whole whole,
                                 struct rf_arena *arena, struct rf_agent_reply *out,
                                 struct rf_err *err)
{
    const struct rf_jval *root;
    struct rf_rope rope;
    struct reading r = { a, arena, whole, out, RF_NEW(arena, struct rf_json), { 0 }, 0 };
    *out = (struct rf_agent_reply){ .input_tokens = -1, .output_tokens = -1, .cost_micros = -1 };
    enum rf_code rc = rf_jval_parse(json, arena, &root, err);
    if (rc)
        return rc;
    rf_rope_init(&rope, arena);
    rf_json_init(r.writer, &rope);
    rf_buf_init(&r.said, arena, MOST_TEXT);
    write_message(&r, root);
    rc = rf_json_finish(r.writer, err);
    if (!rc && r.kept)
        rc = rf_rope_flatten(&rope, RF_MAX_DOCUMENT_BYTES, arena, &out->message, err);
    if (!rc)
        rc = rf_buf_finish(&r.said, &out->text, err);
    const struct rf_jval *usage = rf_jval_get(root, "usage");
    out->stop = text_of(rf_jval_get(root, "stop_reason"), arena);
    out->input_tokens = count_of(usage, "input_tokens");
    out->output_tokens = count_of(usage, "output_tokens");
    out->cost_micros = cost_of(rf_jval_get(root, "extra"));
    return rc;
}
