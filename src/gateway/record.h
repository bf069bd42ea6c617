/* What is known of one exchange when it is over: what log, metrics and traces tell, and what is
 * kept of it. It is filled in on the way, by the exchange's loop. Nothing of a conversation is in
 * it: words of a client that are here (the model's name, its files' names) are to be escaped by
 * whoever writes them. */
#ifndef RF_GATEWAY_RECORD_H
#define RF_GATEWAY_RECORD_H

#include "base/str.h"

#include <refract/reply.h>

struct rf_request;
struct rf_gateway_loop;

#define RF_GATEWAY_ID 40
#define RF_ID_BYTES 16 /* random ones of an id */
#define RF_TRACE_ID 32
#define RF_SPAN_ID 16

/* Of the client, as its header "traceparent" has it. */
struct rf_trace {
    bool given, silent; /* silent: nothing of it is kept anywhere */
    char id[RF_TRACE_ID + 1], parent[RF_SPAN_ID + 1];
};

/* Strings live as long as the exchange; empty: not known, or none. */
struct rf_record {
    char id[RF_GATEWAY_ID];
    const char *client_key;        /* the name of the client's key; NULL: it needed none */
    const char *dialect;           /* of the client */
    struct rf_str agent;           /* the client's program, as it calls itself */
    struct rf_str asked;           /* the model, in the client's words */
    struct rf_str path;            /* that is not known here, of the client's API; or empty */
    struct rf_str provider, model; /* that was asked last */
    struct rf_str answered_by;     /* the model, as the provider names it */
    struct rf_trace trace;
    bool counts;         /* the client asks for a number of tokens, and no answer */
    bool probe;          /* of who watches the gateway: told of where it is refused */
    int status;          /* that the client was told; 0: it went before */
    bool streamed, gone; /* gone: the client, before the end of its reply */
    bool stopped;        /* the gateway, before that */
    enum rf_error_kind error;
    struct rf_str error_words;
    struct rf_str refused; /* why HTTP itself, or the page, did, in our own words; or empty */
    struct rf_usage usage; /* as far as it was told */
    uint64_t said;         /* bytes of text, thoughts and arguments that were seen to come */
    int64_t cost_micros;   /* millionths of a US dollar; -1: not known */
    unsigned attempts, heals;
    bool taken; /* one of the attempts, by a server that neither refused nor answered it */
    struct rf_str failed; /* of the attempts: "groq:llama key 2: 429, openai:gpt-5.4 key 1: late" */
    uint64_t bytes_in, bytes_out;         /* of the bodies */
    int64_t began_ms;                     /* since 1970 */
    int64_t began_us, first_us, ended_us; /* on rf_now_us's clock; 0: not yet */
    int64_t own_us;                       /* that it took here, without waiting for others */
    struct rf_request *request;           /* the last: deliveries; or NULL */
};

/* What was asked: empty for an answer, "count" for its tokens, or the path of another. */
struct rf_str rf_record_operation(const struct rf_record *r);

/* The name of its error. As long as nobody was asked, no file can have been refused: the request
 * itself was invalid. */
const char *rf_record_error_name(enum rf_error_kind error, unsigned attempts);

/* An exchange is over. Called once for each, by its loop. */
void rf_record_keep(struct rf_gateway_loop *l, const struct rf_record *r);
/* A request for the page, which is not an exchange, was refused. */
void rf_record_keep_refusal(struct rf_gateway_loop *l, struct rf_str path, int status,
                            struct rf_str why);

#endif
