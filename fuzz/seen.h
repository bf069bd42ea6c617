/* What a body says, read back by somebody who did not write it.
 *
 * One reader a dialect walks a parsed request body and lists, in the order of the body, its turns,
 * calls, results, texts and files. The readers know the shapes that the APIs document and share
 * nothing with the encoders; a shape that a reader does not know aborts, unless it is one that the
 * conversation holds as it came from the same API.
 */
#ifndef FUZZ_SEEN_H
#define FUZZ_SEEN_H

#include "content/content.h"

enum seen_kind {
    SEEN_TURN,   /* a message begins: `text` is its role */
    SEEN_CALL,   /* `text` is its id */
    SEEN_RESULT, /* `text` is the id of its call; what it holds follows, marked `inside` */
    SEEN_TEXT,   /* `text` */
    SEEN_VALUE,  /* `value`: JSON that a tool returned, as JSON */
    SEEN_BASE64, /* `text` is base64 of a file, `label` says of which type; empty: nothing says */
    SEEN_REF,    /* `text` is a URL or an id */
};

struct seen {
    enum seen_kind kind;
    bool assistant; /* the model's own words */
    bool inside;    /* of the result before it */
    struct rf_str text, label;
    const struct rf_jval *value;
};

struct seen_list {
    struct rf_arena *arena;
    struct seen *list;
    size_t count, cap;
    bool assistant, inside; /* of what is read now */
    bool prompted;          /* the first message may be the system prompt */
    const struct rf_jval **opaque; /* what may stand there as it came; NULL: it was met */
    size_t opaque_count, opaque_cap;
};

/* Read the body of a dialect, which was made of this conversation. */
void seen_read(struct rf_str dialect, const struct rf_jval *body, const struct rf_conversation *c,
               struct rf_arena *a, struct seen_list *out);

/* A promise is broken: say which and where, and abort. */
_Noreturn __attribute__((format(printf, 2, 3))) void broken(const char *promise, const char *fmt,
                                                            ...);

#endif
