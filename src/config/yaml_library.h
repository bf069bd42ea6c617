/* libyaml, loaded with dlopen at its first use: where there is no configuration, nothing is read.
 *
 * The names are those of libyaml without their yaml_. */
#ifndef RF_CONFIG_YAML_LIBRARY_H
#define RF_CONFIG_YAML_LIBRARY_H

#include "base/error.h"

#include <yaml.h>

struct rf_libyaml {
    __typeof__(yaml_event_delete) *event_delete;
    __typeof__(yaml_parser_delete) *parser_delete;
    __typeof__(yaml_parser_initialize) *parser_initialize;
    __typeof__(yaml_parser_parse) *parser_parse;
    __typeof__(yaml_parser_set_encoding) *parser_set_encoding;
    __typeof__(yaml_parser_set_input_string) *parser_set_input_string;
};

/* Filled by rf_libyaml_load, once; then it does not change. */
extern struct rf_libyaml rf_libyaml;

/* Fails with RF_ECONFIG where there is no libyaml. */
RF_MUST enum rf_code rf_libyaml_load(struct rf_err *err);

#endif
