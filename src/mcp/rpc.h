/* JSON-RPC 2.0 as MCP uses it: one message in, one message out.
 *
 *     if (rf_rpc_read(line, a, &m, &err)) … m.code and m.id say what to answer …
 *     switch (m.kind) …
 *
 *     rf_rpc_answer(w, m.id);            {"jsonrpc":"2.0","id":…
 *     rf_json_obj(w, "result"); …        what the method says
 *     rf_rpc_end(w, most, &text, &err);  one line, without its line feed
 *
 * Values are slices of the text that was read, which must outlive them. Nothing here knows a
 * method, waits, or keeps anything. Batches are refused: MCP had them for one revision only. */
#ifndef RF_MCP_RPC_H
#define RF_MCP_RPC_H

#include "base/json_write.h"

#define RF_RPC_MOST_BYTES ((size_t)64 << 20) /* one message; a transport may take less */
#define RF_RPC_MOST_DEPTH 448                /* arrays and objects inside each other in one */
#define RF_RPC_MOST_VALUES ((size_t)2000000) /* each takes some 30 bytes */
#define RF_RPC_MOST_ID 1024                  /* bytes of an id */

enum rf_rpc_code {
    RF_RPC_PARSE_ERROR = -32700,
    RF_RPC_INVALID_REQUEST = -32600,
    RF_RPC_METHOD_NOT_FOUND = -32601,
    RF_RPC_INVALID_PARAMS = -32602,
    RF_RPC_INTERNAL_ERROR = -32603,
};

enum rf_rpc_kind {
    RF_RPC_REQUEST,
    RF_RPC_NOTIFICATION,
    RF_RPC_RESULT, /* of a request of ours */
    RF_RPC_ERROR,  /* the same */
};

struct rf_rpc {
    enum rf_rpc_kind kind;
    const struct rf_jval *id; /* a string or a number; NULL: it has none */
    struct rf_str method;
    const struct rf_jval *params; /* an object; NULL: there are none */
    const struct rf_jval *result;
    int64_t code; /* ERROR, and where reading failed: what to answer with */
    struct rf_str message;
    const struct rf_jval *data; /* of an error; NULL: none */
};

/* Fails with RF_EFORMAT, and with RF_ELIMIT where it is too long, too deep or has
 * too many values. `out` is filled then
 * as well: the id as far as there is one, and the code that answers it. A kind other than
 * RF_RPC_REQUEST is not answered, so that two programs do not complain to each other for ever. */
RF_MUST enum rf_code rf_rpc_read(struct rf_str text, struct rf_arena *a, struct rf_rpc *out,
                                 struct rf_err *err);

/* Are these the same id? Numbers as they are spelled, strings with their escapes undone. */
bool rf_rpc_same_id(const struct rf_jval *a, const struct rf_jval *b, struct rf_arena *arena);

/* A writer for one message, in the arena. */
struct rf_json *rf_rpc_writer(struct rf_arena *a);
/* Open the answer to `id` (NULL: null): the member "result" follows. */
void rf_rpc_answer(struct rf_json *w, const struct rf_jval *id);
/* Open a request, or with NULL for `id` a notification: the member "params" may follow. */
void rf_rpc_call(struct rf_json *w, const struct rf_jval *id, const char *method);
/* Open the answer that something went wrong: "data" may follow. It is closed by rf_rpc_end. */
void rf_rpc_refuse(struct rf_json *w, const struct rf_jval *id, int64_t code,
                   struct rf_str message);
/* Close what is open, and give all of it as one line. Fails with RF_ELIMIT over `most` bytes, and
 * as reading the files does that are written as base64. */
RF_MUST enum rf_code rf_rpc_end(struct rf_json *w, size_t most, struct rf_str *out,
                                struct rf_err *err);

#endif
