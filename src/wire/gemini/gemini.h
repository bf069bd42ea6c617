/* What the files of this dialect share: what reading generateContent remembers from one chunk of
 * a stream to the next, and how a tool is described. */
#ifndef RF_WIRE_GEMINI_H
#define RF_WIRE_GEMINI_H

#include "wire/wire.h"

struct rf_gemini_row {
    struct rf_str name, json; /* an element of a list has no name */
};

/* The members of an object, or the elements of a list, gathered over chunks. */
struct rf_gemini_rows {
    struct rf_gemini_row *rows;
    size_t count, cap;
};

struct rf_gemini {
    struct rf_draft *open; /* a text or thought that the next part may go on with, or NULL */
    bool sealed;           /* nothing goes on with it: what is open is over, but for citations */
    bool answered;         /* there was a candidate, or a reason why there is none */
    struct rf_gemini_rows grounding, urls, cited, others;
    struct rf_gemini_rows said; /* other members of the reply's extra */
};

/* That of the reply, made when first asked for. */
struct rf_gemini *rf_gemini_state(struct rf_reply *r);

/* A value under a name, in place of one that was there; where the name is empty, an element that
 * was not there. */
void rf_gemini_put(struct rf_reply *r, struct rf_gemini_rows *m, struct rf_str name,
                   const struct rf_jval *v);
/* All members of an object, all elements of an array; nothing where it is none. */
void rf_gemini_put_members(struct rf_reply *r, struct rf_gemini_rows *m,
                           const struct rf_jval *object);
void rf_gemini_put_elements(struct rf_reply *r, struct rf_gemini_rows *m,
                            const struct rf_jval *list);

/* A schema in Gemini's subset; the member `parametersJsonSchema` of a tool. */
void rf_gemini_json_schema(struct rf_json *w, const char *key, const struct rf_jval *schema);
void rf_gemini_parameters(struct rf_json *w, const struct rf_tool *tool);

#endif
