/* JSON-RPC: what a message is, which error answers what is none, and that what we write is one line
 * that reads as what was meant. Documents are JSON with ' for ". */
#include "mcp/protocol.h"

#include "../testing.h"

static const struct row {
    const char *name, *text;
    enum rf_rpc_kind kind;
    int64_t code;     /* with `message`: of the failure */
    const char *id;   /* as spelled; NULL: none */
    const char *says; /* the method; or what is wrong */
} rows[] = {
    { "a request", "{'jsonrpc':'2.0','id':1,'method':'ping'}", RF_RPC_REQUEST, 0, "1", "ping" },
    { "an id that is a string", "{'jsonrpc':'2.0','id':'a','method':'m','params':{}}",
      RF_RPC_REQUEST, 0, "a", "m" },
    { "a notification", "{'jsonrpc':'2.0','method':'n'}", RF_RPC_NOTIFICATION, 0, NULL, "n" },
    { "a result", "{'jsonrpc':'2.0','id':7,'result':{}}", RF_RPC_RESULT, 0, "7", "" },
    { "an error", "{'jsonrpc':'2.0','id':7,'error':{'code':-5,'message':'no'}}", RF_RPC_ERROR, -5,
      "7", "" },
    { "an error about something unreadable",
      "{'jsonrpc':'2.0','id':null,'error':{'code':-32700,'message':'no'}}", RF_RPC_ERROR, -32700,
      NULL, "" },
    { "garbage", "hello", RF_RPC_REQUEST, -32700, NULL, "line 1, column 1" },
    { "half a message", "{'jsonrpc':", RF_RPC_REQUEST, -32700, NULL, "ends too early" },
    { "a batch", "[{'jsonrpc':'2.0','id':1,'method':'ping'}]", RF_RPC_REQUEST, -32600, NULL,
      "one message at a time" },
    { "a number", "12", RF_RPC_REQUEST, -32600, NULL, "not a JSON object" },
    { "no version", "{'id':3,'method':'ping'}", RF_RPC_REQUEST, -32600, "3", "not JSON-RPC 2.0" },
    { "an id that is null", "{'jsonrpc':'2.0','id':null,'method':'m'}", RF_RPC_REQUEST, -32600,
      NULL, "neither a string nor a number" },
    { "an id that is an object", "{'jsonrpc':'2.0','id':{},'method':'m'}", RF_RPC_REQUEST, -32600,
      NULL, "neither a string nor a number" },
    { "a method that is a number", "{'jsonrpc':'2.0','id':1,'method':2}", RF_RPC_REQUEST, -32600,
      "1", "names no method" },
    { "nothing at all", "{'jsonrpc':'2.0','id':1}", RF_RPC_REQUEST, -32600, "1",
      "names no method" },
    { "params that are a list", "{'jsonrpc':'2.0','id':1,'method':'m','params':[1]}",
      RF_RPC_REQUEST, -32602, "1", "params is not an object" },
    { "a notification with wrong params", "{'jsonrpc':'2.0','method':'m','params':1}",
      RF_RPC_NOTIFICATION, -32602, NULL, "params is not an object" },
    { "a result without an id", "{'jsonrpc':'2.0','result':{}}", RF_RPC_RESULT, -32600, NULL,
      "without an id" },
    { "result and error", "{'jsonrpc':'2.0','id':1,'result':{},'error':{}}", RF_RPC_ERROR, -32600,
      "1", "both" },
    { "an error without a code", "{'jsonrpc':'2.0','id':1,'error':{'message':'x'}}", RF_RPC_ERROR,
      -32600, "1", "no code" },
};

static void reads(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m;
    struct rf_err err = { 0 };
    bool failed = rf_rpc_read(quoted(a, row->text), a, &m, &err) != RF_OK;
    assert_int_equal(m.kind, row->kind);
    assert_int_equal(m.code, row->code);
    if (row->id)
        assert_str(m.id->raw, row->id);
    else
        assert_null(m.id);
    if (failed)
        assert_non_null(strstr(err.msg, row->says));
    else
        assert_str(m.method, row->says);
    rf_arena_free(a);
}

static void too_deep(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    char text[1024];
    struct rf_rpc m;
    struct rf_err err;
    memset(text, '[', 480);
    memset(text + 480, ']', 480);
    assert_int_equal(rf_rpc_read((struct rf_str){ text, 960 }, a, &m, &err), RF_ELIMIT);
    assert_int_equal(m.code, RF_RPC_INVALID_REQUEST);
    rf_arena_free(a);
}

/* 4 MB of zeros are refused, and so are as many names; as much text is not. */
static void too_many_values(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":";
    size_t n = sizeof head - 1, size = 2 * RF_RPC_MOST_VALUES;
    char *text = rf_arena_alloc(a, n + size + 4);
    struct rf_rpc m;
    struct rf_err err;
    memcpy(text, head, n);
    for (size_t i = 0; i < size; i += 2)
        memcpy(text + n + i, i ? ",0" : "[0", 2);
    memcpy(text + n + size, "]}}", 3);
    assert_int_equal(rf_rpc_read((struct rf_str){ text, n + size + 3 }, a, &m, &err), RF_ELIMIT);
    assert_string_equal(err.msg, "the message has more than 2000000 values");
    assert_int_equal(m.code, RF_RPC_INVALID_REQUEST);
    text[n] = '"';
    memcpy(text + n + 1, "\\\\\\\"", 4);
    text[n + size] = '"';
    assert_int_equal(rf_rpc_read((struct rf_str){ text, n + size + 3 }, a, &m, &err), RF_OK);
    rf_arena_free(a);
}

static void long_id(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    char id[RF_RPC_MOST_ID + 2];
    struct rf_rpc m;
    struct rf_err err;
    memset(id, 'x', sizeof id);
    struct rf_str text =
        rf_strf(a, "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":\"%.*s\"}", (int)sizeof id, id);
    assert_int_equal(rf_rpc_read(text, a, &m, &err), RF_EFORMAT);
    assert_null(m.id);
    rf_arena_free(a);
}

static void writes_one_line(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m;
    struct rf_str text;
    struct rf_err err;
    assert_false(
        rf_rpc_read(quoted(a, "{'jsonrpc':'2.0','id':'\\u0041b','method':'m'}"), a, &m, &err));
    struct rf_json *w = rf_rpc_writer(a);
    rf_rpc_answer(w, m.id);
    rf_json_obj(w, "result");
    rf_json_str(w, "text", RF_STR("a\nb"));
    assert_false(rf_rpc_end(w, 1000, &text, &err));
    assert_str(text, quoted(a, "{'jsonrpc':'2.0','id':'\\u0041b','result':{'text':'a\\nb'}}").p);
    w = rf_rpc_writer(a);
    rf_rpc_refuse(w, NULL, RF_RPC_PARSE_ERROR, RF_STR("what"));
    assert_false(rf_rpc_end(w, 1000, &text, &err));
    assert_str(text,
               quoted(a, "{'jsonrpc':'2.0','id':null,'error':{'code':-32700,'message':'what'}}").p);
    w = rf_rpc_writer(a);
    rf_rpc_call(w, NULL, "notifications/x");
    assert_int_equal(rf_rpc_end(w, 10, &text, &err), RF_ELIMIT);
    rf_arena_free(a);
}

static const struct rf_jval *value(struct rf_arena *a, const char *text)
{
    const struct rf_jval *v;
    struct rf_err err;
    assert_false(rf_jval_parse(quoted(a, text), a, &v, &err));
    return v;
}

static void ids_are_compared(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    assert_true(rf_rpc_same_id(value(a, "1"), value(a, "1"), a));
    assert_false(rf_rpc_same_id(value(a, "1"), value(a, "'1'"), a));
    assert_true(rf_rpc_same_id(value(a, "'\\u0041'"), value(a, "'A'"), a));
    assert_false(rf_rpc_same_id(NULL, value(a, "'A'"), a));
    rf_arena_free(a);
}

static void revisions(void **state)
{
    (void)state;
    assert_string_equal(rf_mcp_revision_agreed(RF_STR("2025-03-26"))->name, "2025-03-26");
    assert_string_equal(rf_mcp_revision_agreed(RF_STR("1999-01-01"))->name, "2025-11-25");
    assert_string_equal(rf_mcp_revision_agreed(RF_STR("2026-07-28"))->name, "2025-11-25");
    assert_string_equal(rf_mcp_revision_newest(RF_MCP_MODERN)->name, "2026-07-28");
    assert_null(rf_mcp_revision_find(RF_STR("")));
}

static const struct era {
    const char *name, *text;
    enum rf_mcp_era era;
} eras[] = {
    { "initialize is legacy", "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{}}",
      RF_MCP_LEGACY },
    { "discover is modern, even without _meta",
      "{'jsonrpc':'2.0','id':1,'method':'server/discover'}", RF_MCP_MODERN },
    { "a revision in _meta is modern, whichever it is",
      "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{'_meta':"
      "{'io.modelcontextprotocol/protocolVersion':'1900-01-01'}}}",
      RF_MCP_MODERN },
    { "a progress token alone is not",
      "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{'_meta':{'progressToken':1}}}",
      RF_MCP_LEGACY },
};

static void era(void **state)
{
    const struct era *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m;
    struct rf_err err;
    assert_false(rf_rpc_read(quoted(a, row->text), a, &m, &err));
    assert_int_equal(rf_mcp_era_of(&m), row->era);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest read[COUNT(rows)], by_era[COUNT(eras)];
    const struct CMUnitTest rest[] = {
        cmocka_unit_test(too_deep),         cmocka_unit_test(too_many_values),
        cmocka_unit_test(long_id),          cmocka_unit_test(writes_one_line),
        cmocka_unit_test(ids_are_compared), cmocka_unit_test(revisions),
    };
    name_rows(read, reads, rows, COUNT(rows), sizeof *rows);
    name_rows(by_era, era, eras, COUNT(eras), sizeof *eras);
    return cmocka_run_group_tests(read, NULL, NULL) + cmocka_run_group_tests(by_era, NULL, NULL) +
           cmocka_run_group_tests(rest, NULL, NULL);
}
