#include "send/refused.h"

#include "model/model.h"

static const struct {
    enum rf_reason reason;
    const char *words;
} advice[] = {
    [RF_ERROR_NONE] = { RF_REASON_OTHER, "Ask again, or another model." },
    [RF_ERROR_OTHER] = { RF_REASON_OTHER, "Ask again, or another model." },
    [RF_ERROR_AUTHENTICATION] = { RF_REASON_KEY_REFUSED, "Check the key." },
    [RF_ERROR_PERMISSION] = { RF_REASON_OTHER, "The key is not allowed to use this model." },
    [RF_ERROR_RATE_LIMIT] = { RF_REASON_OTHER, "Wait a while, or ask another model." },
    [RF_ERROR_OVERLOADED] = { RF_REASON_OTHER, "The provider has too much to do: try again later, "
                                               "or ask another model." },
    [RF_ERROR_CONTEXT_TOO_LONG] = { RF_REASON_OTHER,
                                    "Begin a new session, or ask a model with a larger window." },
    [RF_ERROR_TOO_LARGE] = { RF_REASON_FILE_REFUSED, "Leave the file out, or give a part of it." },
    [RF_ERROR_BAD_MEDIA] = { RF_REASON_FILE_REFUSED, "Leave the file out, or give a part of it." },
    [RF_ERROR_UNSUPPORTED] = { RF_REASON_NOT_TAKEN, "Ask another model." },
    [RF_ERROR_NOT_FOUND] = { RF_REASON_OTHER,
                             "Check the model's name, and the address where it was moved." },
};

void rf_advise_refused(enum rf_error_kind kind, struct rf_err *err)
{
    rf_advise(err, advice[kind].reason, "%s", advice[kind].words);
}

enum rf_code rf_fail_refused(const struct rf_model *m, const struct rf_refusal *r,
                             struct rf_err *err)
{
    struct rf_str provider = m->provider;
    enum rf_code code = r->kind == RF_ERROR_AUTHENTICATION     ? RF_ECONFIG
                        : r->kind == RF_ERROR_CONTEXT_TOO_LONG ? RF_ELIMIT
                                                               : RF_EPROVIDER;
    if (r->words.n)
        rf_fail_said(err, code, r->words, "%.*s refused the request (%d): ", RF_FMT(provider),
                     r->status);
    else
        rf_fail(err, code, "%.*s refused the request with status %d", RF_FMT(provider), r->status);
    struct rf_str ends = rf_model_ends(m);
    if (r->kind == RF_ERROR_NOT_FOUND && ends.n)
        rf_advise(err, RF_REASON_OTHER,
                  "Ask another model: %.*s announced the end of this one for "
                  "%.*s.",
                  RF_FMT(provider), RF_FMT(ends));
    else if (r->kind == RF_ERROR_NOT_FOUND && m->question)
        rf_advise(err, advice[r->kind].reason, "%s%s", m->question, advice[r->kind].words);
    else
        rf_advise_refused(r->kind, err);
    return code;
}
