/* References to files in a question: @photo.png, @"my file.pdf", @~/x.jpg, @docs/a*.png, also with
 * a part of the file after it: @report.pdf#p=3-5.
 *
 * One counts only where it stands at the beginning of a word and the file exists; everything else
 * stays as it is: bob@example.com, @decorator, user@host:path. The file is announced and not
 * loaded: the "@" goes, and a note names the files, what they are and the tools that show them. The
 * model decides.
 *
 *     struct rf_references r = { .base = base, .config = config, .model = model,
 *                                .read_file = true, .view_image = true };
 *     rf_enrich_add_prompt(e, RF_ENRICH_REFERENCES, rf_references_step, &r);
 *     … rf_enrich_run; then r.warning, where it is not empty, as RF_AGENT_NOTE, and
 *     rf_toolbox_grant for those of r.files that the person named
 *     rf_references_release(&r);
 *
 * Names in the note are quoted where they hold anything but plain characters, so that none can end
 * the note or begin another. A file that the person typed the name of may be anywhere, and the
 * tools have to be let at it. One that only the text names is inside of the folder, where the tools
 * may read anyway, and the note says whose it is. How much is looked for is counted: RF_MOST_LOOKS.
 */
#ifndef RF_AGENT_REFERENCES_H
#define RF_AGENT_REFERENCES_H

#include "base/str.h"

#include <refract/agent.h>

#define RF_MOST_REFERENCES 64      /* files that one text can name, patterns included */
#define RF_MOST_REFERENCE_PATH 4096 /* bytes of one */
/* Names that are tried and entries of folders, for one text: lookup.h. */
#define RF_MOST_LOOKS 20000

struct rf_arena;
struct rf_config;
struct rf_model;
struct rf_prompt;

struct rf_reference {
    const char *path; /* to be opened; without a part */
    enum rf_origin origin;
};

struct rf_references {
    const char *base; /* relative names are relative to it; NULL: the working folder */
    const char *root; /* the folder that a text cannot lead out of; NULL or "": that one */
    const struct rf_config *config; /* `references:`; or NULL */
    const struct rf_model *model;   /* or NULL: any */
    bool read_file, view_image;     /* the tools that are offered; neither: nothing is announced */
    /* Of the last text: */
    /* One line for a person: the model is not one that references are for, or not all were
     * looked for; or empty. */
    struct rf_str warning;
    const struct rf_reference *files; /* that were announced */
    size_t count;
    size_t looks; /* that it took */
    struct rf_arena *arena; /* made when first needed */
};

/* A step for enrich.h; `ctx` is a struct rf_references. What it hands out lives until the next
 * call. */
bool rf_references_step(void *ctx, const struct rf_prompt *prompt, struct rf_enriched *out);
void rf_references_release(struct rf_references *r);

#endif
