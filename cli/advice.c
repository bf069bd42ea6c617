#include "advice.h"

#include <stdio.h>

static const int statuses[] = {
    [RF_OK] = 0,
    [RF_EINTERNAL] = 1,
    [RF_EUSAGE] = 2,
    [RF_EUNSUPPORTED] = 3,
    [RF_EPROVIDER] = 4,
    [RF_ELIMIT] = 5,
    [RF_EIO] = 6,
    [RF_ENOTFOUND] = 6,
    [RF_EFORMAT] = 6,
    [RF_EENCRYPTED] = 6,
    [RF_EPERMISSION] = 7,
    [RF_ECONFIG] = 8,
    [RF_EINTERRUPTED] = 130,
    [RF_ESANDBOX] = 8,
};

static const char *const advice[] = {
    [RF_REASON_OTHER] = "",
    [RF_REASON_NO_KEY] = "-m offline needs no key.",
    [RF_REASON_KEY_REFUSED] = "`refract doctor` says which one was found; -m offline needs none.",
    [RF_REASON_FILE_REFUSED] = "--explain shows what was sent.",
    [RF_REASON_NOT_TAKEN] = "`refract models` shows what this one takes.",
    [RF_REASON_UNTRUSTED] = "`refract trust` lists what that is, and trusts it.",
    [RF_REASON_OWN_CONFIG] = "`refract config path` says where that is.",
    [RF_REASON_UNKNOWN_FACT] = "`refract models MODEL` lists the facts.",
    [RF_REASON_NO_WORKER] = "`refract doctor` tries all of them.",
    [RF_REASON_PASSWORD] =
        ("`ask`, `read` and `view` take it with --password-file; /attach in a chat on a terminal "
         "asks for it."),
    [RF_REASON_UNREACHABLE] = "",
    [RF_REASON_LATE] = "",
    [RF_REASON_NO_STORE] = "--no-save needs none.",
};

int rf_exit_status(enum rf_code code)
{
    return (size_t)code < sizeof statuses / sizeof *statuses ? statuses[code] : 1;
}

const char *rf_advice(const struct rf_err *err, char out[RF_ADVICE])
{
    size_t reason = err->reason;
    const char *own = reason < sizeof advice / sizeof *advice ? advice[reason] : "";
    snprintf(out, RF_ADVICE, "%s%s%s", err->hint, err->hint[0] && own[0] ? " " : "", own);
    return out;
}
