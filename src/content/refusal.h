/* A refusal: what a provider said instead of an answer. It is decoded once, by wire from the body
 * or by a dialect from its stream, and passed on to whoever waits, heals, learns or tells. */
#ifndef RF_CONTENT_REFUSAL_H
#define RF_CONTENT_REFUSAL_H

#include <refract/reply.h>

#include <stdbool.h>

struct rf_refusal {
    enum rf_error_kind kind; /* RF_ERROR_NONE: nothing was refused */
    int status;              /* of HTTP, or that an error in an answer names; 200, 0: unknown */
    struct rf_str words;     /* the provider's own */
    struct rf_str inner;     /* of them, what the endpoint behind a router said; may be empty */
    struct rf_str code;      /* its own name for it, such as "rate_limit_error"; may be empty */
    struct rf_str place;     /* "messages.2.content.0", where the words tell it; may be empty */
    int64_t retry_after_ms;  /* -1: not told */
    bool lasting;            /* waiting does not help: a quota is used up, a prompt is too long */
    bool foreign;            /* not in the shape of this API: the page of a proxy, or nothing */
    struct rf_str body;      /* all of it, as it came; may be empty */
};

/* Does it say of a key or an account, and not of a request, that it is refused? */
static inline bool rf_error_is_of_key(enum rf_error_kind kind)
{
    return kind == RF_ERROR_AUTHENTICATION || kind == RF_ERROR_PERMISSION;
}

static inline bool rf_refusal_is_of_key(const struct rf_refusal *r)
{
    return rf_error_is_of_key(r->kind) || r->status == 402;
}

/* Is it the server that is not well? 408 and 424 are what one says of a model behind it. */
static inline bool rf_refusal_is_of_server(const struct rf_refusal *r)
{
    return r->kind == RF_ERROR_OVERLOADED || r->status >= 500 || r->status == 408 ||
           r->status == 424;
}

#endif
