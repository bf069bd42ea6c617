/* What a program builds: the content of a message, and a tool's result. Blocks are checked where
 * they are added, so that whatever was built can be written, read again and sent. */
#ifndef RF_CONTENT_RESULT_H
#define RF_CONTENT_RESULT_H

#include "content/content.h"

struct rf_content {
    struct rf_arena *arena;
    struct rf_message *message; /* of a result; or NULL: */
    struct rf_conversation *of; /* the conversation that has it, whose messages may move */
    size_t index;               /* which of them */
    size_t block_cap;
    size_t cite_cap; /* of the citations of the last block */
};

struct rf_result {
    struct rf_arena *arena;
    struct rf_message message;
    struct rf_content content; /* of the message */
    size_t changed_cap;
    struct rf_err err; /* code RF_OK: it succeeded */
};

/* Give the block its place at the end: a copy that owns what it points to. Fails with RF_EUSAGE
 * where such a block cannot stand there, and with RF_ELIMIT. */
RF_MUST enum rf_code rf_content_add(struct rf_content *c, const struct rf_block *b,
                                    struct rf_err *err);

/* Is it text that a field may have? Fails with RF_EFORMAT where it is not UTF-8, with RF_EUSAGE
 * where it points nowhere, with RF_ELIMIT where it is too long. */
RF_MUST enum rf_code rf_text_check(struct rf_str text, const char *field, struct rf_err *err);
/* The same for a field that must be given. */
RF_MUST enum rf_code rf_text_check_given(struct rf_str text, const char *field, struct rf_err *err);

/* Take in a struct of a caller that begins with its size: from `least`, that of its first version,
 * to `known`. Fails with RF_EUSAGE. */
RF_MUST enum rf_code rf_struct_take(const void *given, size_t least, size_t known, void *out,
                                    struct rf_err *err);
/* Fill in a caller's struct of such a size, which it says. Fails with RF_EUSAGE. */
RF_MUST enum rf_code rf_struct_give(const void *from, size_t least, size_t known, void *out,
                                    struct rf_err *err);
/* The two sizes of a struct whose first version ended with `last`. */
#define RF_SIZES(type, last) \
    offsetof(struct type, last) + sizeof(((struct type *)0)->last), sizeof(struct type)

/* A JSON text of a caller that is a field; what `*out` points to lives in `a`, and in the text.
 * Fails with RF_EFORMAT and RF_ELIMIT, naming the field, and with RF_EUSAGE where it is empty. */
RF_MUST enum rf_code rf_value_check(struct rf_str text, const char *field, struct rf_arena *a,
                                    const struct rf_jval **out, struct rf_err *err);
/* One more element, copied, at the end of an array in `a` that is NULL at first, and `*cap` 0.
 * Fails with RF_ELIMIT. */
RF_MUST enum rf_code rf_value_append(const struct rf_jval **array, size_t *cap,
                                     const struct rf_jval *v, struct rf_arena *a,
                                     struct rf_err *err);

#endif
