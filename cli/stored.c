#include "stored.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "misspelt.h"
#include "report.h"

void rf_stored_close(struct rf_stored *s)
{
    rf_session_close(s->session);
    rf_store_close(s->store);
    *s = (struct rf_stored){ 0 };
}

/* The search for ids like the one that was given. */
struct likeness {
    const char *given;
    unsigned least;
    char best[RF_SESSION_ID_SIZE];
};

/* A beginning is compared with beginnings. */
static void compare(void *ctx, const struct rf_session_info *info)
{
    struct likeness *l = ctx;
    char id[RF_SESSION_ID_SIZE], beginning[RF_SESSION_ID_SIZE];
    snprintf(id, sizeof id, "%.*s", RF_FMT(info->id));
    snprintf(beginning, sizeof beginning, "%.*s", (int)strnlen(l->given, sizeof beginning - 1), id);
    unsigned distance = rf_name_distance(l->given, beginning);
    if (distance < l->least) {
        l->least = distance;
        memcpy(l->best, id, sizeof l->best);
    }
}

static void hint_like(struct rf_store *store, const char *given, struct rf_err *err)
{
    struct likeness l = { .given = given, .least = UINT_MAX };
    struct rf_err unseen;
    if (!rf_store_list(store, 0, compare, &l, &unseen) && rf_name_near(given, l.least))
        rf_say_hint(err, "Did you mean %s? \"refract sessions list\" shows all of them.", l.best);
    else if (l.least == UINT_MAX)
        rf_say_hint(err, "\"refract chat\" and \"refract ask\" begin one with the first question.");
    else
        rf_say_hint(err, "\"refract sessions list\" shows the sessions that there are.");
}

enum rf_code rf_stored_find(struct rf_stored *s, const char *id, char found[RF_SESSION_ID_SIZE],
                            struct rf_err *err)
{
    enum rf_code rc = rf_store_find(s->store, id, found, err);
    if (rc == RF_ENOTFOUND)
        hint_like(s->store, id, err);
    else if (rc == RF_EUSAGE && !err->hint[0])
        rf_say_hint(err, "\"refract sessions list\" shows the sessions and their ids.");
    return rc;
}

enum rf_code rf_stored_read(struct rf_stored *s, const char *id, struct rf_err *err)
{
    char found[RF_SESSION_ID_SIZE];
    enum rf_code rc = rf_stored_find(s, id, found, err);
    return rc ? rc : rf_session_open(s->store, found, false, &s->session, err);
}

enum rf_code rf_stored_write(struct rf_stored *s, const char *id, struct rf_err *err)
{
    char found[RF_SESSION_ID_SIZE];
    enum rf_code rc = rf_stored_find(s, id, found, err);
    return rc ? rc : rf_session_open(s->store, found, true, &s->session, err);
}

void rf_stored_unseen(const struct rf_session *session, const char *resumed,
                      const struct rf_err *err, char id[RF_SESSION_ID_SIZE])
{
    bool unseen = session && err->reason == RF_REASON_UNREACHABLE &&
                  rf_session_count(session) <= 1 && strcmp(rf_session_id(session), resumed) != 0;
    snprintf(id, RF_SESSION_ID_SIZE, "%s", unseen ? rf_session_id(session) : "");
}

void rf_stored_drop(struct rf_stored *s, const char *id)
{
    struct rf_err err;
    if (id[0] && rf_store_remove(s->store, id, NULL, &err))
        rf_warn(&err);
}
