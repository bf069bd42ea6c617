#include "sim/nghttp2.h"

#include "base/library.h"

struct rf_ng rf_ng;

#define SYMBOL(name)                                   \
    {                                                  \
        "nghttp2_" #name, offsetof(struct rf_ng, name) \
    }

static const struct rf_symbol symbols[] = {
    SYMBOL(session_callbacks_del),
    SYMBOL(session_callbacks_new),
    SYMBOL(session_callbacks_set_on_begin_headers_callback),
    SYMBOL(session_callbacks_set_on_data_chunk_recv_callback),
    SYMBOL(session_callbacks_set_on_frame_recv_callback),
    SYMBOL(session_callbacks_set_on_header_callback),
    SYMBOL(session_callbacks_set_on_stream_close_callback),
    SYMBOL(session_del),
    SYMBOL(session_mem_recv),
    SYMBOL(session_mem_send),
    SYMBOL(session_resume_data),
    SYMBOL(session_server_new),
    SYMBOL(session_want_read),
    SYMBOL(session_want_write),
    SYMBOL(submit_response),
    SYMBOL(submit_settings),
};

static struct rf_library library = {
    .files = { "libnghttp2.so.14" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &rf_ng,
    .what = "the library for servers of HTTP/2",
    .hint = "Install libnghttp2 (Debian: libnghttp2-14); the model \"offline\" works without.",
    .code = RF_ECONFIG,
};

enum rf_code rf_ng_load(struct rf_err *err)
{
    return rf_library_load(&library, err);
}
