/* From a client's request to one for the model that answers it: what a thread does of an exchange.
 *
 *     rf_translate(&t, stop_fd);           the body in, a request out
 *     rf_translate_anew(&t, stop_fd);      more is known of the model: the request again
 *     rf_translate_again(&t, …, stop_fd);  it was refused: another one, where healing helps
 *     rf_translate_learn(&t);              it was answered after that: what helped is learned
 *     rf_translation_release(&t);
 *
 * It sends nothing, and a client's words are never taken for a path or an address to look at. */
#ifndef RF_GATEWAY_TRANSLATE_H
#define RF_GATEWAY_TRANSLATE_H

#include "content/refusal.h"
#include "gateway/front.h"

#include <refract/gateway.h>
#include <refract/request.h>

struct rf_heal;

/* Why there is no answer. */
struct rf_fault {
    enum rf_error_kind kind; /* RF_ERROR_NONE: nothing is wrong */
    int status;              /* of HTTP; 0: what the kind has in the client's dialect */
    struct rf_str words, code;
    int64_t retry_after_ms; /* -1: not told */
};

/* No dialect has a kind for what is wrong with a request and not with a file: all spell this one as
 * an invalid request. */
#define RF_FAULT_INVALID RF_ERROR_BAD_MEDIA

struct rf_translation {
    const struct rf_gateway_options *gateway;
    struct rf_front front;
    struct rf_str body;     /* of the client; it is read in place */
    struct rf_arena *arena; /* of all that comes out */
    bool explains;          /* the client wants `report` */
    /* What comes out. */
    struct rf_fault fault;
    struct rf_str text;  /* the reply, where nobody has to be asked; else empty */
    struct rf_str asked; /* the model's name, as the client has it */
    bool streams;        /* the client wants a stream */
    struct rf_model *model;
    struct rf_conversation *conversation;
    struct rf_request *request;
    struct rf_str report; /* {"deliveries":[…],"notices":[…]} */
    struct rf_heal *heal; /* of what was refused; or NULL */
};

void rf_translate(struct rf_translation *t, int stop_fd);
/* The request alone, by what is known of the model now. False: t->fault says why not. */
bool rf_translate_anew(struct rf_translation *t, int stop_fd);
/* Where healing does not help, the refusal is t->fault. */
void rf_translate_again(struct rf_translation *t, const struct rf_refusal *refusal, int stop_fd);
void rf_translate_learn(struct rf_translation *t);
void rf_translation_release(struct rf_translation *t);

/* What a client is told of an upstream's refusal: a key that is wrong is the gateway's, not
 * theirs. */
struct rf_fault rf_fault_of_refusal(const struct rf_refusal *r, struct rf_arena *a);

#endif
