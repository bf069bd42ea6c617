/* From a client's request to one for the model that answers it: what a thread does of an exchange.
 *
 *     rf_translate(&t, stop_fd);           the body in, a request out
 *     rf_translate_at_once(&t);            the same, as far as it goes without waiting
 *     rf_translate_anew(&t, stop_fd);      more is known of the model: the request again
 *     rf_translate_next(&t, …, stop_fd);   it cannot answer: the request for the next model
 *     rf_translate_again(&t, …, stop_fd);  it was refused: another one, where healing helps
 *     rf_translate_accepted(&t);           it was answered after that: the file is remembered
 *     rf_translate_learn(&t);              what helped is written down
 *     rf_translation_release(&t);
 *
 * Where the client speaks the API of the model, its body may go as it came: request/pass.h. Then
 * what cannot be read is left for the model's provider to judge.
 *
 * What the client asks for may be none of what a model does: then all of it passes, other.h.
 *
 * It sends nothing, and a client's words are never taken for a path or an address to look at. */
#ifndef RF_GATEWAY_TRANSLATE_H
#define RF_GATEWAY_TRANSLATE_H

#include "content/refusal.h"
#include "gateway/front.h"
#include "gateway/route.h"
#include "gateway/setup.h"
#include "net/endpoint.h"
#include "request/pass.h"
#include "wire/describe.h"

#include <refract/request.h>

struct rf_client_key;
struct rf_heal;
struct rf_request_options;

/* Why there is no answer. */
struct rf_fault {
    enum rf_error_kind kind; /* RF_ERROR_NONE: nothing is wrong */
    int status;              /* of HTTP; 0: what the kind has in the client's dialect */
    struct rf_str words, code;
    bool own;               /* `code` is one of the client's API */
    int64_t retry_after_ms; /* -1: not told */
    struct rf_str body; /* all of it in the upstream's words, which are the client's; or empty */
};

/* No dialect has a kind for what is wrong with a request and not with a file: all spell this one as
 * an invalid request. */
#define RF_FAULT_INVALID RF_ERROR_BAD_MEDIA

/* That the path is nobody's. What OpenAI says of names that are not found is about models. */
struct rf_fault rf_fault_of_path(const struct rf_front *f, struct rf_str words);

struct rf_translation {
    const struct rf_setup *setup;
    struct rf_front front;
    struct rf_str body;              /* of the client; it is read in place */
    struct rf_arena *arena;          /* of all that comes out */
    bool explains;                   /* the client wants `report` */
    const struct rf_client_key *key; /* of the client, where it needs one */
    bool counted;                    /* its tokens are counted against a key */
    bool at_once;                    /* while nobody is waited for */
    /* What comes out. */
    struct rf_fault fault;
    struct rf_str text;  /* the reply, where nobody has to be asked; else empty. RF_OPERATION_COUNT:
                          * unless `path` has a better one */
    struct rf_str asked; /* the model's name, as the client has it */
    bool streams;        /* the client wants a stream */
    struct rf_given_body given;
    struct rf_route route;
    struct rf_model *model; /* of the route, the one that is asked */
    struct rf_said said;    /* by its server, to be written down when the request is made anew */
    struct rf_str origin;   /* the name by which what was said under `asked` goes */
    struct rf_conversation *conversation;
    struct rf_err *unread; /* why there is no conversation: the body is not as its API has it */
    struct rf_request *request;
    struct rf_api_path path;    /* RF_OPERATION_OTHER, RF_OPERATION_COUNT: that is asked; or none */
    struct rf_pass_named named; /* RF_OPERATION_OTHER: what names the model in its body */
    int64_t input_tokens;       /* where the key counts them; else 0 */
    struct rf_str report;       /* {"deliveries":[…],"notices":[…]} */
    struct rf_heal *heal;       /* of what was refused; or NULL */
    struct rf_fault passed;     /* what was said of the request as it came, before it was planned */
    struct rf_str healed;       /* what the last healing did, in a line; or empty */
    unsigned heals;             /* requests that were made anew after that */
};

void rf_translate(struct rf_translation *t, int stop_fd);
/* For a request that is to be answered, in the loop's own thread. False: a worker has to make
 * something first, and rf_translate_anew is to do that in a thread of the pool. */
bool rf_translate_at_once(struct rf_translation *t);
/* The request alone, by what is known of the model now. False: t->fault says why not. */
bool rf_translate_anew(struct rf_translation *t, int stop_fd);
/* The same for the next model of the route that there is a request for. Where there is none, it is
 * `otherwise` that is wrong. */
void rf_translate_next(struct rf_translation *t, const struct rf_fault *otherwise, int stop_fd);
/* Where healing does not help, the refusal is t->fault. */
void rf_translate_again(struct rf_translation *t, const struct rf_refusal *refusal, int stop_fd);
/* In memory, at once. */
void rf_translate_accepted(struct rf_translation *t);
/* Where what models take is kept, which may take a while. */
void rf_translate_learn(struct rf_translation *t);
void rf_translation_release(struct rf_translation *t);

/* How a request for the model is made of a conversation, in `a`. Of a client's, in its
 * `dialect`, what the model refused before is withheld; `heal` is of what it refused now, or NULL.
 * Without a dialect it is a session's. */
struct rf_request_options *rf_translate_options(const struct rf_setup *s, const char *dialect,
                                                const struct rf_model *m,
                                                const struct rf_heal *heal, struct rf_arena *a);

/* Does the client speak the API of the model that answers? For what models do, OpenAI has two. */
bool rf_translation_is_home(const struct rf_translation *t);
/* Does it ask for a path that is not known here? */
bool rf_translation_is_other(const struct rf_translation *t);

/* What a client is told of an upstream's refusal: a key that is wrong is the gateway's, not
 * theirs. */
struct rf_fault rf_fault_of_refusal(const struct rf_refusal *r, struct rf_arena *a);
/* The same of the model that is asked: in the upstream's own words, where those are the client's
 * too and tell nothing that is the gateway's affair. */
struct rf_fault rf_translation_fault(const struct rf_translation *t, const struct rf_refusal *r);

#endif
