/* Messages of JSON-RPC: whatever comes is read or refused with a code and words; what was read is
 * whole, and its id is written and read again as the same. */
#include "mcp/protocol.h"

#include "base/arena.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void answer(const struct rf_rpc *m, struct rf_arena *a)
{
    struct rf_json *w = rf_rpc_writer(a);
    struct rf_str text;
    struct rf_rpc again;
    rf_rpc_answer(w, m->id);
    rf_json_obj(w, "result");
    rf_json_str(w, "method", m->method);
    if (m->params)
        rf_json_value(w, "params", m->params);
    expect(!rf_rpc_end(w, SIZE_MAX, &text, NULL));
    expect(!memchr(text.p, '\n', text.n));
    expect(!rf_rpc_read(text, a, &again, NULL) && again.kind == RF_RPC_RESULT);
    expect(rf_rpc_same_id(m->id, again.id, a));
}

static void look_at(const struct rf_rpc *m, struct rf_arena *a)
{
    expect(!m->params || m->params->type == RF_JOBJECT);
    expect((m->kind == RF_RPC_REQUEST || m->kind == RF_RPC_RESULT) <= (m->id != NULL));
    expect((m->kind == RF_RPC_RESULT) == (m->result != NULL));
    rf_mcp_era_of(m);
    rf_mcp_revision_agreed(m->method);
    if (m->kind == RF_RPC_REQUEST && !(m->params && rf_jval_deeper(m->params, 100)))
        answer(m, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m;
    struct rf_err err = { 0 };
    enum rf_code rc = rf_rpc_read((struct rf_str){ (const char *)data, size }, a, &m, &err);
    expect(!rc == !*err.msg);
    expect(!rc || m.code);
    if (!rc)
        look_at(&m, a);
    rf_arena_free(a);
    return 0;
}
