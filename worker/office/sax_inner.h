/* What the two ways to read XML share: see sax.c. */
#ifndef RF_OFFICE_SAX_INNER_H
#define RF_OFFICE_SAX_INNER_H

#include "worker/office/sax.h"

#define RF_SAX_SLOTS 512          /* a power of two, over twice RF_SAX_MAX_WORDS */
#define RF_SAX_MAX_ATTRIBUTES 500 /* of an element; further ones are not seen */

struct rf_sax {
    const struct rf_sax_grammar *grammar;
    void *state;
    struct rf_err *err;
    enum rf_code rc; /* why it was ended */
    bool stopped;    /* by a handler, which has seen enough */
    void *parser;    /* expat's, where that reads */
    unsigned depth;
    int open[RF_SAX_MAX_DEPTH]; /* the ids of the open elements, outermost first */
    const struct rf_sax_word *slots[RF_SAX_SLOTS];
    const char *name;
    /* Attributes: name, value, name, value, NULL. Where our own reader reads they are taken out of
     * the tag's text when the first is asked for: most never are. */
    const char **attributes;
    char *raw, *raw_end;
    const char *list[2 * RF_SAX_MAX_ATTRIBUTES + 1];
    /* Our own reader's: the names of the open elements as hashes, and whether one was seen. */
    uint32_t *names;
    bool root_seen;
};

/* A stream whose first bytes have been read already. */
struct rf_sax_source {
    struct rf_unzip_stream *stream; /* NULL: there is no more than `bytes` */
    struct rf_str bytes;
};

/* Read it through expat. */
enum rf_code rf_sax_expat(struct rf_sax *x, struct rf_sax_source source);

/* An element begins or ends; text; the same for both ways. `hash` is rf_sax_hash of the local
 * name. */
uint32_t rf_sax_hash(const char *name);
void rf_sax_begin(struct rf_sax *x, const char *local, uint32_t hash);
void rf_sax_finish(struct rf_sax *x);
void rf_sax_say(struct rf_sax *x, struct rf_str text);
/* End it with an error of our own. */
void rf_sax_refuse(struct rf_sax *x, const char *why);

#endif
