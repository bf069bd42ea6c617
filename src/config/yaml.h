/* YAML as a small tree in an arena, every node with its line.
 *
 *     if (rf_yaml_read(text, "config.yaml", a, &root, err)) …
 *     for (size_t i = 0; i < root.count; i += 2) … root.items[i] is a key, [i + 1] its value
 */
#ifndef RF_CONFIG_YAML_H
#define RF_CONFIG_YAML_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

enum rf_yaml_kind {
    RF_YAML_NULL, /* nothing, ~ or null */
    RF_YAML_TEXT, /* any other scalar, as it is spelled */
    RF_YAML_LIST,
    RF_YAML_MAP,
};

struct rf_yaml {
    enum rf_yaml_kind kind;
    bool quoted;           /* TEXT: it is in quotes, so it is neither a number nor a truth */
    size_t line;           /* counted from 1 */
    size_t begin, end;     /* its bytes of the text, brackets and quotes included */
    bool flow;             /* LIST, MAP: it is in brackets */
    struct rf_str text;    /* TEXT: UTF-8 without control characters, but for _lines */
    struct rf_yaml *items; /* LIST: its items; MAP: keys, which are TEXT, and values in turn */
    size_t count, cap;     /* of items: twice the entries of a MAP */
};

/* "nothing", "a text", "a list", "a map": for messages. */
const char *rf_yaml_kind_name(enum rf_yaml_kind kind);

/* Read `text`, which came from `file`. A file without a document is a NULL node. Fails with
 * RF_ECONFIG and "FILE:LINE: …". */
RF_MUST enum rf_code rf_yaml_read(struct rf_str text, const char *file, struct rf_arena *a,
                                  struct rf_yaml *out, struct rf_err *err);
/* The same, but texts may have several lines, as a block or with \n in quotes: for what is said,
 * not for what is set. */
RF_MUST enum rf_code rf_yaml_read_lines(struct rf_str text, const char *file, struct rf_arena *a,
                                        struct rf_yaml *out, struct rf_err *err);
/* The same, but a key that is given twice does not end it: `doubled` hears of each, and the first
 * one counts. */
RF_MUST enum rf_code rf_yaml_read_on(struct rf_str text, const char *file, struct rf_arena *a,
                                     void (*doubled)(void *ctx, const struct rf_err *problem),
                                     void *ctx, struct rf_yaml *out, struct rf_err *err);

/* The same as JSON, in one line. What is in quotes is a string; what is not may be a number or a
 * truth. */
struct rf_str rf_yaml_json(const struct rf_yaml *v, struct rf_arena *a);

#endif
