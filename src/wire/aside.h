/* What a request says and the neutral format cannot, kept aside while the request is read:
 *
 *     rf_aside_init(&s, b);
 *     rf_aside_put(&s, "labels", value);
 *     rf_aside_place(&s, "content", 2, block);
 *     message->extra = rf_aside_done(&s);
 *
 * gives {"extra": {"bedrock": {"labels": …, "content": [{"index": 2, "value": …}]}}}. Nulls say
 * nothing and are not kept.
 */
#ifndef RF_WIRE_ASIDE_H
#define RF_WIRE_ASIDE_H

#include "base/json_write.h"
#include "content/build.h"

struct rf_aside {
    struct rf_builder *builder;
    struct rf_rope rope;
    struct rf_json w;
    const char *list;  /* the list that is open, or NULL */
    const char *group; /* an object to be opened when something is put into it, or NULL */
    bool in_group, has_any;
};

void rf_aside_init(struct rf_aside *s, struct rf_builder *b);
/* A member. Those of one list are to be placed without others in between. */
void rf_aside_put(struct rf_aside *s, const char *name, const struct rf_jval *v);
void rf_aside_put_key(struct rf_aside *s, const struct rf_jval *key);
/* An element of the list `name`, with the place that it had. */
void rf_aside_place(struct rf_aside *s, const char *name, size_t index, const struct rf_jval *v);
/* What is put between these goes into an object of that name. They do not nest. */
void rf_aside_open(struct rf_aside *s, const char *name);
void rf_aside_close(struct rf_aside *s);
/* Members of an object but for those in `known`, which ends with NULL. */
void rf_aside_rest(struct rf_aside *s, const struct rf_jval *object, const char *const *known);
/* The value for a field `extra`; NULL when nothing was kept. */
const struct rf_jval *rf_aside_done(struct rf_aside *s);

/* The value that was written to `w`, for what has to be made; `w` is finished by this. */
const struct rf_jval *rf_aside_made(struct rf_json *w, struct rf_arena *a);

/* Texts from several places that become one. */
struct rf_texts {
    struct rf_str *list;
    size_t count, cap;
};

/* One more, where it is not empty. */
void rf_texts_add(struct rf_texts *t, struct rf_str text, struct rf_arena *a);
struct rf_str rf_texts_join(const struct rf_texts *t, struct rf_str between, struct rf_arena *a);

/* A list of strings, as `stop` is? */
bool rf_aside_is_strings(const struct rf_jval *v);
/* A list of those strings, as `allowed_tools` is. */
const struct rf_jval *rf_aside_strings(const struct rf_texts *t, struct rf_arena *a);
/* No thinking is asked for, whatever was before. */
void rf_aside_unthinking(struct rf_options *o);
/* How much thinking a word asks for: "none", "minimal", "low", "MEDIUM", …; false where it is not
 * such a word. */
bool rf_aside_effort(struct rf_str word, struct rf_options *o);
/* Is it a word beyond "high", which only some models know? */
bool rf_aside_is_most(struct rf_str word);

/* Is there room to keep any part of it aside, a few levels deeper? Fails with RF_ELIMIT. */
RF_MUST enum rf_code rf_aside_check(const struct rf_jval *body, struct rf_err *err);

#endif
