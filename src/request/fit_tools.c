/* Reading as much as a model is shown. */
#include "plan/pieces.h"
#include "plan/question.h"
#include "source/read.h"

#define OTHER_WORDS 8 /* a part in so many is for what is said about the text */

static void lower(struct rf_tools *t, enum rf_limit limit, int64_t most)
{
    if (t->limits[limit] > most)
        t->limits[limit] = most;
}

void rf_tools_fit(struct rf_tools *t, const struct rf_model *m)
{
    const struct rf_caps *c = &m->caps;
    int64_t most = c->max_text_bytes - c->max_text_bytes / OTHER_WORDS;
    bool as_they_are = c->takes[RF_KIND_PDF] && c->inside[RF_KIND_PDF].n;
    t->picture_pages = as_they_are ? 0 : rf_convert_readable(c);
    t->picture_room = rf_convert_picture_room(c);
    t->whole_pdfs = as_they_are;
    t->whole_pages = most > 0;
    t->escaped_bytes = most > 0 ? most : 0;
    if (most > 0) {
        lower(t, RF_LIMIT_TEXT_BYTES, most);
        lower(t, RF_LIMIT_DOCUMENT_TEXT_BYTES, rf_text_along_most(c));
    }
}
