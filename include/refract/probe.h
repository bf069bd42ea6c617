/* What a model truly sees: files that carry a fresh code, drawn or sounded and never written, are
 * given to it in each place that its API has for them, and it is asked for the code.
 *
 *     const struct rf_offline none = { 0 };
 *     if (rf_model_probe(config, "anthropic:claude-sonnet-5", none, say, NULL, &err)) …
 *
 * An API that takes a picture inside a tool result and never shows it to the model answers with a
 * 200 like any other; this finds it out. What was found is kept as learned facts (learned.h), with
 * the day.
 */
#ifndef REFRACT_PROBE_H
#define REFRACT_PROBE_H

#include <stdbool.h>

#include <refract/error.h>
#include <refract/offline.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_config;

enum rf_sight {
    RF_SIGHT_SEEN,      /* it told the code */
    RF_SIGHT_UNSEEN,    /* it was given the file, and did not */
    RF_SIGHT_REFUSED,   /* its provider refused the file there */
    RF_SIGHT_NOT_TAKEN, /* nothing was tried: it is known not to take this there */
};
/* "seen", "unseen", "refused", "not taken". */
RF_API const char *rf_sight_name(enum rf_sight s);

struct rf_probed {
    const char *kind;  /* "image", "pdf", "audio" */
    const char *place; /* "inside a tool result", "after tool results", "in a user message" */
    enum rf_sight sight;
    struct rf_str said;    /* what the model answered, or why it was refused; cut */
    struct rf_str learned; /* "unseen_inside: image"; empty where nothing was */
};

/* Probe a model, by a name that rf_model_open takes, and tell `found` of each kind and place;
 * strings live until it returns. `config` may be NULL: then nothing is kept; `offline` answers for
 * the model of that name. A sound that was not understood teaches nothing: tones are hard to spell
 * for who can hear them too. Fails as asking does where the model cannot be asked at all, and with
 * RF_EINTERRUPTED where `found` returns false, which stops it. */
RF_API RF_MUST enum rf_code rf_model_probe(const struct rf_config *config, const char *model,
                                           struct rf_offline offline,
                                           bool (*found)(void *ctx, const struct rf_probed *p),
                                           void *ctx, struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
