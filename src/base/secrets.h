/* Texts that must not be shown, and taking them out of what is: at once, or as it comes in pieces.
 *
 *     rf_secrets_init(&secrets, arena);
 *     rf_secrets_add(&secrets, key);
 *     rf_redaction_init(&r, &secrets, arena);
 *     show(rf_redaction_feed(&r, piece));
 *     show(rf_redaction_end(&r));
 *
 * A secret is found as it is; with any of its bytes percent-encoded (%41, "+" for a space) or
 * escaped as in JSON (\u0041, \/), several times over too; and in base64 of either alphabet,
 * wherever it stands in what was encoded and with line breaks in between. Whatever else is done to
 * it (hexadecimal, reversed, spaced out) is not found. */
#ifndef RF_BASE_SECRETS_H
#define RF_BASE_SECRETS_H

#include "base/buf.h"

#define RF_REDACTED "[redacted]"

struct rf_secret_form;
struct rf_secret_begins;
struct rf_secret_trace;

struct rf_secrets {
    struct rf_arena *arena;
    struct rf_secret_form *forms;
    size_t count, cap;
    struct rf_secret_begins *begins; /* NULL: there are no forms */
    /* A text without what is shaped like a secret that is not known; or NULL. */
    struct rf_str (*without_shapes)(struct rf_str text, struct rf_arena *a);
};

void rf_secrets_init(struct rf_secrets *s, struct rf_arena *a);
/* One of fewer than eight bytes is not added: it may stand anywhere. */
void rf_secrets_add(struct rf_secrets *s, struct rf_str secret);

/* The text with RF_REDACTED for each secret; itself where there is none. */
struct rf_str rf_secrets_redact(const struct rf_secrets *s, struct rf_str text, struct rf_arena *a);

/* A stream. What may be the beginning of a secret is held back until that is known: at most some
 * twenty times the length of the longest. */
struct rf_redaction {
    const struct rf_secrets *secrets;
    struct rf_arena *arena;
    struct rf_buf held, window, out;
    struct rf_secret_trace *traces, *next;
    size_t trace_count, trace_cap, next_count, next_cap;
    struct rf_redacted {
        size_t begin, end; /* in what is held */
        bool shown;        /* as RF_REDACTED: this is the rest of it */
    } * found;
    size_t found_count, found_cap;
    bool changed; /* a secret was taken out */
};

void rf_redaction_init(struct rf_redaction *r, const struct rf_secrets *s, struct rf_arena *a);
/* What can be shown by now; good until the next call. */
struct rf_str rf_redaction_feed(struct rf_redaction *r, struct rf_str text);
/* What was held back; the stream begins anew. */
struct rf_str rf_redaction_end(struct rf_redaction *r);

/* Is what somebody sent the secret? That takes as long wherever they differ, so its time tells
 * nothing of the secret but its length. */
bool rf_secret_eq(struct rf_str sent, struct rf_str secret);

#endif
