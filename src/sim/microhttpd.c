#include "sim/microhttpd.h"

#include "base/library.h"

struct rf_mhd rf_mhd;

#define SYMBOL(name)                                \
    {                                               \
        "MHD_" #name, offsetof(struct rf_mhd, name) \
    }

static const struct rf_symbol symbols[] = {
    SYMBOL(add_connection),
    SYMBOL(add_response_header),
    SYMBOL(create_response_from_buffer),
    SYMBOL(create_response_from_callback),
    SYMBOL(destroy_response),
    SYMBOL(get_connection_info),
    SYMBOL(get_connection_values_n),
    SYMBOL(get_daemon_info),
    SYMBOL(get_timeout),
    SYMBOL(lookup_connection_value),
    SYMBOL(queue_response),
    SYMBOL(resume_connection),
    SYMBOL(run),
    SYMBOL(start_daemon),
    SYMBOL(stop_daemon),
    SYMBOL(suspend_connection),
};

static struct rf_library library = {
    .files = { "libmicrohttpd.so.12" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &rf_mhd,
    .what = "the library for servers",
    .hint = "Install libmicrohttpd (Debian: libmicrohttpd12).",
    .code = RF_ECONFIG,
};

enum rf_code rf_mhd_load(struct rf_err *err)
{
    return rf_library_load(&library, err);
}
