/* XML as a stream of events, that knows what to refuse.
 *
 *     static const struct rf_sax_word words[] = { { "p", P }, { "t", T } };
 *     static const struct rf_sax_grammar grammar = { RF_SAX_WORDS(words), start, end, text };
 *     rc = rf_sax_member(&grammar, state, zip, index, err);
 *
 * Elements are told apart by their local names, whatever prefix a writer chose: "w:p" and "p"
 * are both P. Those that the grammar does not name are reported with id 0. Entity declarations
 * are refused (RF_EFORMAT, as all damage), a DOCTYPE without them is passed over and nothing
 * external is ever loaded; elements deeper than RF_SAX_MAX_DEPTH are not reported, those deeper
 * than RF_SAX_HARD_DEPTH end it. After a failure everything that was reported before it stands:
 * a reader may keep it and say so. */
#ifndef RF_OFFICE_SAX_H
#define RF_OFFICE_SAX_H

#include "base/error.h"
#include "base/str.h"
#include "worker/office/unzip.h"

#define RF_SAX_MAX_DEPTH 400
#define RF_SAX_HARD_DEPTH 20000
#define RF_SAX_MAX_WORDS 200 /* of a grammar */

struct rf_sax;

struct rf_sax_word {
    const char *name;
    int id; /* from 1 */
};

struct rf_sax_grammar {
    const struct rf_sax_word *words;
    size_t n_words;
    void (*start)(void *state, int id, struct rf_sax *x);
    void (*end)(void *state, int id, struct rf_sax *x);
    /* In pieces, as they come. NULL: not wanted. */
    void (*text)(void *state, struct rf_str text);
    /* A named entity that is not one of XML's five, such as "nbsp": its name. NULL: ignored. */
    void (*entity)(void *state, struct rf_str name);
};
#define RF_SAX_WORDS(table) .words = (table), .n_words = sizeof(table) / sizeof *(table)

/* Read a member of an archive, unpacked as it goes, or bytes. */
enum rf_code rf_sax_member(const struct rf_sax_grammar *g, void *state, struct rf_unzip *zip,
                           int64_t index, struct rf_err *err);
/* The same for handlers that soon stop it: no more is unpacked than they see. */
enum rf_code rf_sax_front(const struct rf_sax_grammar *g, void *state, struct rf_unzip *zip,
                          int64_t index, struct rf_err *err);
enum rf_code rf_sax_bytes(const struct rf_sax_grammar *g, void *state, struct rf_str bytes,
                          struct rf_err *err);

/* In `start`: the attribute of this local name, with any prefix or none; NULL where there is
 * none. ":id" is one with a prefix only, so that r:id and id can be told apart. Lives until
 * `start` ends. */
const char *rf_sax_attribute(const struct rf_sax *x, const char *name);
/* The same as a string, empty where there is none; and as a number. */
struct rf_str rf_sax_str(const struct rf_sax *x, const char *name);
int64_t rf_sax_int(const struct rf_sax *x, const char *name, int64_t otherwise);
/* The element's name as written, with its prefix; in `start` and `end`. */
const char *rf_sax_name(const struct rf_sax *x);
/* The id of the element that this one is in, `up` levels above (1: its parent); 0 where unknown. */
int rf_sax_parent(const struct rf_sax *x, unsigned up);
/* How many elements are open, this one included. */
unsigned rf_sax_depth(const struct rf_sax *x);
/* Leave the rest unread: rf_sax_member returns RF_OK. */
void rf_sax_stop(struct rf_sax *x);

#endif
