/* The keys of a gateway's clients: who may ask it, for which models, and how much.
 *
 *     if (rf_store_open(config, &store, &err)) …
 *     struct rf_client_key_limits limits = { .size = sizeof limits, .requests_per_minute = 60 };
 *     char key[RF_CLIENT_KEY_SIZE];
 *     if (rf_client_key_add(store, "anna", &limits, key, &err)) …     "rfk_…": show it, once
 *
 * They are kept in the store, of which a gateway sees changes within a second or so. Of a key
 * nothing but its SHA-256 is kept: it has 256 random bits, so one hash is as good as a slow one. A
 * store that had a key once belongs to a gateway that asks for keys, also after the last one was
 * revoked.
 *
 * Calls fail as those of session.h do. */
#ifndef REFRACT_KEYS_H
#define REFRACT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/error.h>
#include <refract/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "rfk_" and 64 hexadecimal digits. */
#define RF_CLIENT_KEY_SIZE 69

/* What a key may do. What is not set is not limited. */
struct rf_client_key_limits {
    size_t size; /* of this struct */
    /* Patterns with commas between them ("claude-*,openai:gpt-4o"), of which one has to fit the
     * name that the client asks for, or PROVIDER:MODEL of the model that answers. */
    const char *models;
    int64_t requests_per_minute, tokens_per_minute;
    int64_t concurrent; /* requests at once */
    const char *budget; /* US dollars for all time, as they are written: "12.50" */
    bool admin; /* it may look at the gateway's web page (refract/page.h), and so at everything */
};

/* Make a key. A name has letters, digits and "-_.@", at most 64 of them; it is free again when its
 * key was revoked. Fails with RF_EUSAGE for a name or limit that is not one, or a name that is
 * taken. */
RF_API RF_MUST enum rf_code rf_client_key_add(struct rf_store *s, const char *name,
                                              const struct rf_client_key_limits *limits,
                                              char key[RF_CLIENT_KEY_SIZE], struct rf_err *err);

/* What is known of a key; 0 where there is no such limit. The strings live until the callback
 * returns. */
struct rf_client_key_info {
    size_t size; /* of this struct */
    struct rf_str name, models;
    int64_t requests_per_minute, tokens_per_minute, concurrent;
    int64_t budget_micros;                   /* millionths of a US dollar */
    int64_t created_ms, revoked_ms, used_ms; /* since 1970; 0: never */
    int64_t requests, tokens;                /* that were counted */
    int64_t spent_micros, estimated_micros;  /* estimated: of what was spent, where nobody told */
    int64_t running;                         /* requests that are under way */
    bool admin;
};

/* All keys by their names, those that were revoked after the others. */
RF_API RF_MUST enum rf_code
rf_client_key_list(struct rf_store *s, void (*each)(void *ctx, const struct rf_client_key_info *i),
                   void *ctx, struct rf_err *err);

/* Take a key back. Requests that are under way with it are finished. Fails with RF_ENOTFOUND where
 * none of that name is in force. */
RF_API RF_MUST enum rf_code rf_client_key_revoke(struct rf_store *s, const char *name,
                                                 struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
