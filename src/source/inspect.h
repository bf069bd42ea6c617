/* What one look at a file's bytes tells: its format, the facts of its header, what is wrong with
 * it.
 *
 * It depends on the bytes alone, not on what a block claims of them, so that it can be kept
 * beside a blob and taken up again without opening the blob. */
#ifndef RF_SOURCE_INSPECT_H
#define RF_SOURCE_INSPECT_H

#include "base/bytes.h"
#include "media/media.h"
#include "media/weight.h"

struct rf_arena;

struct rf_inspection {
    const struct rf_format *format; /* or NULL: none that is known here */
    struct rf_facts facts;
    struct rf_text_weight weight; /* of a text that may be written out */
    /* RF_OK with words: it is damaged, and what there is of it can be saved. Before an
     * examination this is what the header says. */
    enum rf_code problem;
    struct rf_str problem_text;
    bool may_hide; /* a text in which a file may hide as base64: it has to be read */
    bool examined;   /* a worker has had its say too: examine.h */
    bool weighed;    /* a PDF: `weight` is that of the text of all its pages */
};

/* Look at the bytes. Fails only where they cannot be read. */
RF_MUST enum rf_code rf_inspect(const struct rf_bytes *bytes, struct rf_arena *a,
                                struct rf_inspection *out, struct rf_err *err);

/* The look at a file, taken where the file came in. It goes with the block that names the file, so
 * that its bytes are sniffed and hashed once. */
struct rf_looked {
    struct rf_stamp stamp; /* of the bytes that it is about */
    struct rf_str sha256;  /* theirs, in hex digits; empty where nobody needed it yet */
    struct rf_inspection look;
};
/* Look at the bytes unless that was done: where `was` (or NULL) is of the same, they get its hash,
 * too. Fails as rf_inspect does. */
RF_MUST enum rf_code rf_inspect_once(struct rf_bytes *bytes, const struct rf_looked *was,
                                     struct rf_arena *a, struct rf_inspection *out,
                                     struct rf_err *err);

/* As one line of text, and back. A line of another version of this program is not understood
 * (false): then somebody has to look again. */
struct rf_str rf_inspection_write(const struct rf_inspection *look, struct rf_arena *a);
bool rf_inspection_read(struct rf_str line, struct rf_arena *a, struct rf_inspection *out);

#endif
