/* What the files that read requests for generateContent share. Names are accepted in camelCase and
 * in snake_case everywhere, and a lone object where a list of them belongs. */
#ifndef RF_WIRE_GEMINI_PARSE_H
#define RF_WIRE_GEMINI_PARSE_H

#include "plan/ids.h"
#include "wire/aside.h"
#include "wire/gemini/gemini.h"

struct rf_gemini_call {
    struct rf_str id, name;
    bool answered;
};

struct rf_gemini_request {
    struct rf_builder *b;
    struct rf_aside top;
    struct rf_texts system;
    struct rf_str model;
    struct rf_gemini_call *calls; /* of the last answer that had any */
    size_t call_count, call_cap;
    size_t first_open;   /* all before it are answered */
    size_t calls_here;   /* calls of the last message */
    struct rf_ids by_id; /* a place is an index into `calls`, plus one */
};

/* A member by its name in camelCase, and whether a key is one. */
const struct rf_jval *rf_gemini_get(const struct rf_jval *v, const char *name);
bool rf_gemini_is(const struct rf_jval *key, const char *name);
/* Does an option say that the answer is JSON, or which schema it has? */
bool rf_gemini_is_format(const struct rf_jval *key);
struct rf_str rf_gemini_text(struct rf_builder *b, const struct rf_jval *v, const char *name);
/* rf_aside_rest() with `known` in camelCase. */
void rf_gemini_rest(struct rf_aside *s, const struct rf_jval *object, const char *const *known);
/* The elements of a list; an object is a list of itself. */
const struct rf_jval *rf_gemini_first(const struct rf_jval *list);
const struct rf_jval *rf_gemini_next(const struct rf_jval *list, const struct rf_jval *v);

/* Add the messages that one content is. Fails with RF_EFORMAT. */
RF_MUST enum rf_code rf_gemini_content(struct rf_gemini_request *p, const struct rf_jval *content,
                                       const struct rf_jpath *at, struct rf_err *err);

/* A schema of Google's own kind as JSON schema: {"type": "STRING", "nullable": true} is
 * {"type": ["string", "null"]}, "3" a number where one belongs. */
const struct rf_jval *rf_gemini_schema(const struct rf_jval *schema, struct rf_arena *a);

#endif
