#include "config/yaml_library.h"

#include "base/library.h"

struct rf_libyaml rf_libyaml;

static const struct rf_symbol symbols[] = {
    { "yaml_event_delete", offsetof(struct rf_libyaml, event_delete) },
    { "yaml_parser_delete", offsetof(struct rf_libyaml, parser_delete) },
    { "yaml_parser_initialize", offsetof(struct rf_libyaml, parser_initialize) },
    { "yaml_parser_parse", offsetof(struct rf_libyaml, parser_parse) },
    { "yaml_parser_set_encoding", offsetof(struct rf_libyaml, parser_set_encoding) },
    { "yaml_parser_set_input_string", offsetof(struct rf_libyaml, parser_set_input_string) },
};

static struct rf_library library = {
    .files = { "libyaml-0.so.2" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &rf_libyaml,
    .what = "libyaml, which reads configurations",
    .hint = "Install libyaml (Debian: libyaml-0-2).",
    .code = RF_ECONFIG,
};

enum rf_code rf_libyaml_load(struct rf_err *err)
{
    return rf_library_load(&library, err);
}
