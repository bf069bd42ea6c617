/* What a server says of a model when it is asked: one const struct rf_description a program that
 * can be asked, found by the fact `server`. Pure: who asks is send/describe.h. */
#ifndef RF_WIRE_DESCRIBE_H
#define RF_WIRE_DESCRIBE_H

#include "base/json_write.h"
#include "config/learned.h"
#include "model/model.h"

/* The facts that an answer tells, each with its value. */
struct rf_said {
    struct rf_arena *arena;
    struct rf_str words; /* of the server, in short; the same for all */
    struct rf_learned_fact *facts;
    size_t count, cap;
};

void rf_said_add(struct rf_said *s, const char *fact, struct rf_str value);

struct rf_description {
    const char *server; /* the value of the fact */
    const char *path;   /* that is asked, after the address without a version */
    /* Write the question. */
    void (*ask)(const struct rf_model *m, struct rf_json *w);
    /* Take in the answer; what is not one tells nothing. */
    void (*read)(const struct rf_jval *answer, const struct rf_model *m, struct rf_said *out);
};

extern const struct rf_description rf_ollama_description;

/* That of a server, or NULL. */
const struct rf_description *rf_description_find(struct rf_str server);

#endif
