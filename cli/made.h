/* Files that were written here. Those that a model made, pictures and sound of its answer, are
 * saved in the working folder; so are those that a tool returned for the person alone, where no
 * session keeps them.
 *
 *     struct rf_made m = { .folder = "." };
 *     rc = rf_made_take(&m, e->done, session, &file, &err);    at RF_EVENT_BLOCK_END
 *
 * They are named refract-SESSION-1.png and so on, by the next number that is free: nothing is ever
 * written over, so nobody has to be asked. Samples without a header become a WAV file. What a
 * provider left at an address is not fetched; the address is told. */
#ifndef RF_CLI_MADE_H
#define RF_CLI_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <refract/error.h>
#include <refract/str.h>

#include "term/buffer.h"

struct rf_block;

struct rf_made {
    const char *folder; /* NULL: the working folder */
    unsigned last;      /* number */
};

struct rf_made_file {
    const char *kind;      /* "image", "audio", … */
    char media_type[64];   /* or empty */
    struct rf_buffer path; /* with a NUL after it; or the address of one that is elsewhere */
    bool is_elsewhere;
    size_t bytes;
    char tool[80]; /* that returned it; empty: the model made it */
};

/* Does this block hold a file? */
bool rf_made_is(const struct rf_block *b);
/* Save it. `session` is its id, or NULL. Fails with RF_EIO, and RF_EFORMAT for bytes that cannot be
 * read. */
enum rf_code rf_made_take(struct rf_made *m, const struct rf_block *b, const char *session,
                          struct rf_made_file *out, struct rf_err *err);
/* "* ./refract-20261115-2g2xj2-1.png: image, 412 KB, made by the model", or ", for you from TOOL";
 * not cleaned. */
void rf_made_line(const struct rf_made_file *f, struct rf_buffer *out);
/* The same as JSON. */
void rf_made_json(FILE *out, const struct rf_made_file *f);
void rf_made_file_release(struct rf_made_file *f);

/* What RF_AGENT_CHANGED says: "* a.c, b.c: changed by edit"; not cleaned. */
void rf_changed_line(struct rf_str paths, struct rf_str tool, struct rf_buffer *out);

#endif
