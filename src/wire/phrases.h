/* What providers and servers say when they refuse: the one table of their words.
 *
 * A new wording is a new row of phrases.c. A phrase is compared without regard to ASCII case. One
 * that is looked for inside a text may hold
 *
 *     @   the limit; where a phrase names none, it is 1
 *     !   the first number that is refused
 *     &   the longest data URL
 *     $   the limit, with a unit of bytes after it ("5 MB", "5242880 bytes")
 *     #   what was sent; several are added up
 *     %   a number that says nothing
 *     *   at most RF_PHRASE_GAP other characters, as few as possible
 *
 * Numbers may be grouped by commas and carry a unit. Of units, KB, MB and GB are powers of 1024:
 * that is what they are wherever the same words give the bytes too ("exceeds 5 MB maximum: … >
 * 5242880 bytes"). */
#ifndef RF_WIRE_PHRASES_H
#define RF_WIRE_PHRASES_H

#include "media/media.h"

#include <refract/reply.h>

#define RF_PHRASE_GAP 80

enum rf_phrase_use {
    RF_PHRASE_KIND,      /* tells the kind of refusal */
    RF_PHRASE_CODE,      /* the same, as all of a code */
    RF_PHRASE_LASTING,   /* a code, too: waiting does not help */
    RF_PHRASE_INVALID,   /* a code, too: something or other is wrong with the request */
    RF_PHRASE_LIMIT,     /* names the limit `fact` of the model */
    RF_PHRASE_LACKS,     /* the model takes no files of the kind that `fact` says, or no tools */
    RF_PHRASE_MEMBER,    /* a member of a request that a server may not know: what `fact` says */
    RF_PHRASE_ACCOUNT,   /* about whoever asks: no number beside it is a limit of the model */
    RF_PHRASE_FAULT,     /* something is wrong with what is named */
    RF_PHRASE_FILES,     /* a word for files of these kinds */
    RF_PHRASE_ELSEWHERE, /* the member of a request that a path begins with, without files */
    RF_PHRASE_VAGUE,     /* all of a message that says nothing */
    RF_PHRASE_CONTENT,   /* the form of a message's content, or the type of one of its parts */
    RF_PHRASE_ORDER,     /* whose turn may follow whose */
};

#define RF_FILES(kind) (1u << RF_KIND_##kind)
#define RF_FILES_DOCUMENT (RF_FILES(PDF) | RF_FILES(TEXT) | RF_FILES(OFFICE))
#define RF_FILES_ANY (RF_FILES(IMAGE) | RF_FILES_DOCUMENT | RF_FILES(AUDIO) | RF_FILES(VIDEO))

struct rf_phrase {
    enum rf_phrase_use use;
    const char *words;       /* or several, with '|' between */
    enum rf_error_kind kind; /* KIND, CODE */
    const char *fact;        /* LIMIT, LACKS, MEMBER: a name of facts.h */
    unsigned files;          /* FILES: bits of RF_FILES */
};

/* The numbers of a phrase that was found. */
struct rf_phrase_numbers {
    int64_t limit, sent; /* `sent` -1: not named */
};

/* The first phrase of that use that is all of the text; NULL: none. */
const struct rf_phrase *rf_phrase_is(enum rf_phrase_use use, struct rf_str text);
/* The first one that is anywhere in the text. */
const struct rf_phrase *rf_phrase_in(enum rf_phrase_use use, struct rf_str text);
/* The next one after `last`, or the first where that is NULL, with its numbers. */
const struct rf_phrase *rf_phrase_next(const struct rf_phrase *last, enum rf_phrase_use use,
                                       struct rf_str text, struct rf_phrase_numbers *numbers);

#endif
