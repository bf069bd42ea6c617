/* Healing: what to do about a refusal, so that one bad file does not end a conversation.
 *
 *     rf_heal_begin(h);                                    once a question
 *     again:
 *     rf_heal_apply(h, options);                           before rf_request_build
 *     … build, send …
 *     if answered:  rf_heal_learn(h, request, err), rf_heal_accepted(h, session, request, err)
 *     if refused:   rf_heal_refused(h, &attempt, a, &healing, err)
 *                   if (healing.again) show healing.note as RF_AGENT_NOTE, and build again
 *
 * heal.c says how the rejected file is found. A refusal for anything but files, limits, the window
 * and the form of a request is not healed, and nothing is left out for it. */
#ifndef RF_AGENT_HEAL_HEAL_H
#define RF_AGENT_HEAL_HEAL_H

#include "base/error.h"
#include "content/refusal.h"

#include <refract/request.h>
#include <refract/session.h>

#define RF_HEAL_TRIES 3 /* further requests between two answers */

struct rf_arena;
struct rf_withheld_file;
struct rf_heal; /* of one agent, for as long as it lives: files withheld, files that were taken */

/* It lives in `a`. */
struct rf_heal *rf_heal_new(struct rf_arena *a);

/* A new question: as many tries again. */
void rf_heal_begin(struct rf_heal *h);

/* Have the next request leave out, or make anew, what is withheld. `h` keeps what the options then
 * point to until rf_heal_refused is called again. */
void rf_heal_apply(const struct rf_heal *h, struct rf_request_options *o);

/* A request that was refused. */
struct rf_attempt {
    const struct rf_config *config; /* or NULL: what is learned is not kept */
    struct rf_model *model;         /* learns */
    struct rf_request *request;
    const struct rf_refusal *refusal;
    bool of_client; /* its words may be repeated by the provider: what these teach is for others
                     * once it has helped (rf_heal_learn) */
};

struct rf_healing {
    bool again;         /* build the request again and send it; else the refusal stands */
    struct rf_str note; /* one line for a person, in the arena; with `again` only */
    const struct rf_refusal *first; /* to be told instead, where no other form helped; or NULL */
};

/* Fails only where what was learned could not be written (RF_EIO, RF_ECONFIG); `out` is set all
 * the same. */
RF_MUST enum rf_code rf_heal_refused(struct rf_heal *h, const struct rf_attempt *t,
                                     struct rf_arena *a, struct rf_healing *out,
                                     struct rf_err *err);

/* What a provider said, in short and on one line, for a note. */
struct rf_str rf_heal_reason(const struct rf_refusal *refusal, struct rf_arena *a);

/* The request was answered: the form that it was given since a refusal is learned, for the model
 * and its address, and what waited for this. Fails where that could not be written (RF_EIO,
 * RF_ECONFIG); the model knows it all the same. */
RF_MUST enum rf_code rf_heal_learn(struct rf_heal *h, const struct rf_request *r,
                                   struct rf_err *err);

/* The request was answered (its first byte with status 200 is enough): what it holds was taken,
 * and what was left out of it, or made anew for it, is what was wrong. With a session, that is
 * kept there. Fails as rf_session_quarantine does; the file stays withheld in memory all the
 * same. */
RF_MUST enum rf_code rf_heal_accepted(struct rf_heal *h, struct rf_session *session,
                                      struct rf_request *r, struct rf_err *err);

/* After that: the next file that was found to be what was wrong, whatever it is asked about; NULL:
 * there are no more. `*at` is 0 at first. */
const struct rf_withheld_file *rf_heal_found(const struct rf_heal *h, size_t *at);

#endif
