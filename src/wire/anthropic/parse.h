/* A request of Anthropic's on its way into a conversation: what parse.c (the body and its
 * messages) and blocks.c (what the messages hold) share. Private to the two. */
#ifndef RF_WIRE_ANTHROPIC_PARSE_H
#define RF_WIRE_ANTHROPIC_PARSE_H

#include "plan/ids.h"
#include "wire/wire.h"

#define RF_ANTHROPIC_PROVIDER RF_STR("anthropic")

struct rf_anthropic_request {
    struct rf_builder *b;
    struct rf_err *err;
    struct rf_ids calls; /* by id; places are those of `names`, plus one */
    struct rf_str *names;
    size_t name_count, name_cap;
};

/* A string, array or object that must be there. Fails with RF_EFORMAT and its place. */
RF_MUST enum rf_code rf_anthropic_member(struct rf_anthropic_request *r,
                                         const struct rf_jval *object, const struct rf_jpath *at,
                                         const char *name, enum rf_jfield_type type, void *out);
/* The text of a member; empty where it is not a string. */
struct rf_str rf_anthropic_str(struct rf_anthropic_request *r, const struct rf_jval *object,
                               const char *name);
bool rf_anthropic_has_type(const struct rf_jval *block, const char *type);
/* A text block without marks. */
bool rf_anthropic_is_plain(const struct rf_jval *block);
/* Fail with `unknown WHAT "NAME"`. */
enum rf_code rf_anthropic_unknown(struct rf_anthropic_request *r, const struct rf_jpath *at,
                                  const char *field, const char *what, struct rf_str name);

/* Add a block, which is at `at`, to the last message. */
RF_MUST enum rf_code rf_anthropic_block(struct rf_anthropic_request *r, const struct rf_jval *v,
                                        const struct rf_jpath *at, enum rf_role role);
/* Add a message for a tool_result. */
RF_MUST enum rf_code rf_anthropic_result(struct rf_anthropic_request *r, const struct rf_jval *v,
                                         const struct rf_jpath *at);

#endif
