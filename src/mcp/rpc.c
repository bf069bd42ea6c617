#include "mcp/rpc.h"

#include "base/arena.h"

#include <inttypes.h>

static enum rf_code refuse(struct rf_rpc *out, enum rf_rpc_code code, struct rf_err *err,
                           const char *why)
{
    out->code = code;
    return rf_fail(err, RF_EFORMAT, "%s", why);
}

/* After the string whose opening quote is before `p`. */
static const char *behind_string(const char *p, const char *end)
{
    const char *quote = p;
    while ((quote = memchr(quote, '"', (size_t)(end - quote)))) {
        const char *slash = quote;
        while (slash > p && slash[-1] == '\\')
            slash--;
        quote++;
        if ((quote - slash) % 2)
            return quote;
    }
    return end;
}

/* Would reading it take more memory than it is worth? Names count as well. */
static bool has_too_many_values(struct rf_str text)
{
    const char *p = text.p, *end = text.p + text.n;
    size_t count = 1;
    if (text.n / 2 < RF_RPC_MOST_VALUES)
        return false; /* each has two bytes at least */
    while (p < end && count <= RF_RPC_MOST_VALUES) {
        char c = *p++;
        if (c == '"')
            p = behind_string(p, end);
        else
            count += c == ',' || c == ':' || c == '[' || c == '{';
    }
    return count > RF_RPC_MOST_VALUES;
}

static enum rf_code parse(struct rf_str text, struct rf_arena *a, const struct rf_jval **root,
                          struct rf_rpc *out, struct rf_err *err)
{
    enum rf_code rc;
    out->code = RF_RPC_INVALID_REQUEST;
    if (text.n > RF_RPC_MOST_BYTES)
        return rf_fail(err, RF_ELIMIT, "the message has %zu bytes, limit is %zu", text.n,
                       RF_RPC_MOST_BYTES);
    if (has_too_many_values(text))
        return rf_fail(err, RF_ELIMIT, "the message has more than %zu values", RF_RPC_MOST_VALUES);
    rc = rf_jval_parse(text, a, root, err);
    if (rc) {
        out->code = RF_RPC_PARSE_ERROR;
        return rc;
    }
    if (rf_jval_deeper(*root, RF_RPC_MOST_DEPTH))
        return rf_fail(err, RF_ELIMIT, "the message nests deeper than %d levels",
                       RF_RPC_MOST_DEPTH);
    return RF_OK;
}

static enum rf_code read_id(const struct rf_jval *id, struct rf_rpc *out, struct rf_err *err)
{
    bool is_id = id && (id->type == RF_JSTRING || id->type == RF_JNUMBER);
    if (is_id && id->raw.n <= RF_RPC_MOST_ID) {
        out->id = id;
        return RF_OK;
    }
    if (!id || (id->type == RF_JNULL && out->kind == RF_RPC_ERROR))
        return RF_OK;
    return refuse(out, RF_RPC_INVALID_REQUEST, err,
                  is_id ? "the id is too long" : "the id is neither a string nor a number");
}

static enum rf_code read_call(const struct rf_jval *root, struct rf_arena *a, struct rf_rpc *out,
                              struct rf_err *err)
{
    const struct rf_jval *method = rf_jval_get(root, "method");
    const struct rf_jval *params = rf_jval_get(root, "params");
    if (!method || method->type != RF_JSTRING)
        return refuse(out, RF_RPC_INVALID_REQUEST, err, "the message names no method");
    out->method = rf_jval_text(method, a);
    if (params && params->type != RF_JOBJECT)
        return refuse(out, RF_RPC_INVALID_PARAMS, err, "params is not an object");
    out->params = params;
    return RF_OK;
}

static enum rf_code read_error(const struct rf_jval *error, struct rf_arena *a, struct rf_rpc *out,
                               struct rf_err *err)
{
    const struct rf_jval *message = rf_jval_get(error, "message");
    int64_t code;
    if (!rf_jval_int64(rf_jval_get(error, "code"), &code) || !message ||
        message->type != RF_JSTRING)
        return refuse(out, RF_RPC_INVALID_REQUEST, err,
                      "the error has no code that is a number, or no message");
    out->code = code;
    out->message = rf_jval_text(message, a);
    out->data = rf_jval_get(error, "data");
    return RF_OK;
}

static enum rf_code read_answer(const struct rf_jval *root, struct rf_arena *a, struct rf_rpc *out,
                                struct rf_err *err)
{
    const struct rf_jval *error = rf_jval_get(root, "error");
    out->result = rf_jval_get(root, "result");
    if (out->result && error)
        return refuse(out, RF_RPC_INVALID_REQUEST, err, "an answer with both result and error");
    if (error)
        return read_error(error, a, out, err);
    out->code = 0;
    return out->id ? RF_OK : refuse(out, RF_RPC_INVALID_REQUEST, err, "a result without an id");
}

static enum rf_rpc_kind kind_of(const struct rf_jval *root)
{
    if (!rf_jval_get(root, "method")) {
        if (rf_jval_get(root, "error"))
            return RF_RPC_ERROR;
        if (rf_jval_get(root, "result"))
            return RF_RPC_RESULT;
    } else if (!rf_jval_get(root, "id")) {
        return RF_RPC_NOTIFICATION;
    }
    return RF_RPC_REQUEST;
}

enum rf_code rf_rpc_read(struct rf_str text, struct rf_arena *a, struct rf_rpc *out,
                         struct rf_err *err)
{
    const struct rf_jval *root;
    enum rf_code rc;
    *out = (struct rf_rpc){ .kind = RF_RPC_REQUEST };
    rc = parse(text, a, &root, out, err);
    if (rc)
        return rc;
    if (root->type != RF_JOBJECT)
        return refuse(out, RF_RPC_INVALID_REQUEST, err,
                      root->type == RF_JARRAY ? "batches are not taken: send one message at a time"
                                              : "the message is not a JSON object");
    out->kind = kind_of(root);
    rc = read_id(rf_jval_get(root, "id"), out, err);
    if (rc)
        return rc;
    if (!rf_jval_is(rf_jval_get(root, "jsonrpc"), "2.0"))
        return refuse(out, RF_RPC_INVALID_REQUEST, err, "the message is not JSON-RPC 2.0");
    if (out->kind == RF_RPC_RESULT || out->kind == RF_RPC_ERROR)
        return read_answer(root, a, out, err);
    rc = read_call(root, a, out, err);
    if (!rc)
        out->code = 0;
    return rc;
}

bool rf_rpc_same_id(const struct rf_jval *a, const struct rf_jval *b, struct rf_arena *arena)
{
    if (!a || !b || a->type != b->type)
        return false;
    if (a->type == RF_JSTRING && (a->escaped || b->escaped))
        return rf_str_eq(rf_jval_text(a, arena), rf_jval_text(b, arena));
    return rf_str_eq(a->raw, b->raw);
}

/* Writing */

struct rf_json *rf_rpc_writer(struct rf_arena *a)
{
    struct rf_rope *rope = RF_NEW(a, struct rf_rope);
    struct rf_json *w = RF_NEW(a, struct rf_json);
    rf_rope_init(rope, a);
    rf_json_init(w, rope);
    return w;
}

static void open_message(struct rf_json *w)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "jsonrpc", RF_STR("2.0"));
}

static void write_id(struct rf_json *w, const struct rf_jval *id)
{
    if (id)
        rf_json_value(w, "id", id);
    else
        rf_json_null(w, "id");
}

void rf_rpc_answer(struct rf_json *w, const struct rf_jval *id)
{
    open_message(w);
    write_id(w, id);
}

void rf_rpc_call(struct rf_json *w, const struct rf_jval *id, const char *method)
{
    open_message(w);
    if (id)
        rf_json_value(w, "id", id);
    rf_json_str(w, "method", rf_str(method));
}

void rf_rpc_refuse(struct rf_json *w, const struct rf_jval *id, int64_t code, struct rf_str message)
{
    rf_rpc_answer(w, id);
    rf_json_obj(w, "error");
    rf_json_int(w, "code", code);
    rf_json_str(w, "message", message);
}

enum rf_code rf_rpc_end(struct rf_json *w, size_t most, struct rf_str *out, struct rf_err *err)
{
    while (w->depth)
        rf_json_end(w);
    enum rf_code rc = rf_json_finish(w, err);
    return rc ? rc : rf_rope_flatten(w->rope, most, w->rope->arena, out, err);
}
