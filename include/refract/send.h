/* Sending requests to their models, and their replies as they come. Keys and addresses are found as
 * the program refract finds them, and what is refused for a moment is tried again.
 *
 * To the end of one, blocking:
 *
 *     struct rf_network *network = rf_network_new();
 *     struct rf_send_options what = { .size = sizeof what, .model = model, .request = request };
 *     if (rf_send(network, &what, &send, &err)) …
 *     struct rf_str json = rf_send_json(send);
 *     rf_send_free(send);
 *
 * Or thousands in one thread, none of which ever waits for another:
 *
 *     what.event = on_event, what.done = on_done, what.ctx = …;
 *     send = rf_send_start(network, &what);
 *     while (…)
 *         rf_network_wait(network, -1);
 *
 * A program with a loop of its own waits until rf_network_fd can be read, or rf_network_timeout_ms
 * has passed, and then calls rf_network_step. One that has HTTP of its own takes a request as
 * method, URL and headers: rf_http_open.
 *
 * Callbacks are called in the thread that steps or waits, while it does: in rf_network_step,
 * rf_network_wait, rf_send and rf_http_open, those of every exchange of that network, and nowhere
 * else. A callback may start, cancel and free whatever it likes, also the exchange that it is told
 * of; it may not step, wait or block, nor free the network. */
#ifndef REFRACT_SEND_H
#define REFRACT_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/config.h>
#include <refract/error.h>
#include <refract/model.h>
#include <refract/offline.h>
#include <refract/reply.h>
#include <refract/request.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The connections of one thread, and all that it waits for. Nothing here may be called by another
 * thread at the same time. */
struct rf_network;

RF_API struct rf_network *rf_network_new(void);
/* Takes NULL. What is on its way must have ended, or been cancelled. */
RF_API void rf_network_free(struct rf_network *n);

/* A descriptor that can be read as soon as there is something to do; it is not to be read. -1 where
 * the process had none left for it: then every exchange ends with RF_EIO in its first step, which
 * rf_network_timeout_ms tells of. It stays the same as long as the network lives. */
RF_API int rf_network_fd(const struct rf_network *n);
/* After how long there is something to do in any case; 0: now; -1: never. Every start and every
 * step may change it. */
RF_API int rf_network_timeout_ms(const struct rf_network *n);
/* Do what can be done, without waiting for anything. */
RF_API void rf_network_step(struct rf_network *n);
/* Wait until there is something to do, at most so long (-1: no limit), and do it. */
RF_API void rf_network_wait(struct rf_network *n, int most_ms);

/* What a server says of a model. Some can be asked what a model takes and how long its window is
 * (Ollama: /api/show): before requests are built, and so that they fit. What it says counts more
 * than the catalogue and less than refusals and the configuration, is kept with what was learned
 * (learned.h) for that address, and holds for a day. Where a server cannot be asked, or does not
 * answer, what is known stands, and that is not a failure. */
struct rf_describing;

struct rf_describe_options {
    size_t size; /* of this struct */
    const struct rf_config *config;
    struct rf_model *model; /* knows it then */
    bool again;             /* also where it was asked today */
    /* Of rf_describe_start, once. Where `rc` is not RF_OK, the model knows what was said, and it
     * could not be kept. */
    void (*done)(void *ctx, enum rf_code rc, const struct rf_err *err);
    void *ctx;
};

/* Begin; no callback is called before the next step. NULL where there is nothing to ask: then
 * `done` is not called. It is gone when it is done. */
RF_API struct rf_describing *rf_describe_start(struct rf_network *n,
                                               const struct rf_describe_options *what);
/* Stop it, and forget it: not after it is done. */
RF_API void rf_describe_cancel(struct rf_describing *d);
/* To its end, blocking; never in a callback. Fails with RF_EIO and RF_ECONFIG, and with RF_EUSAGE
 * where the options are not complete, as `done` is told. */
RF_API RF_MUST enum rf_code rf_describe(struct rf_network *n,
                                        const struct rf_describe_options *what, struct rf_err *err);

/* A request on its way, and then what became of it. */
struct rf_send;

/* What is not set is NULL, 0 or false. All that it points to must stay until the end. Without a
 * size, a model or a request it is refused with RF_EUSAGE, by rf_send_start in `done`. */
struct rf_send_options {
    size_t size; /* of this struct */
    const struct rf_config *config;
    const struct rf_model *model;     /* that the request was built for */
    const struct rf_request *request; /* streamed where it asks for that */
    /* No further try after so long; 0: five minutes. */
    int64_t give_up_ms;
    bool keep_tokens; /* that are given for an account: in the cache folder, for the next process */
    /* An event of the reply: while a stream comes, or all at the end, before `done`. A refusal, and
     * a stream that breaks off, end with an RF_EVENT_ERROR. Tools have the names that the
     * conversation has for them. False stops: it ends with RF_EINTERRUPTED. */
    bool (*event)(void *ctx, const struct rf_event *e);
    /* It was refused with this status, or not reached (0), and is tried again after so long. Not
     * once events have come: a reply that has begun is not asked for again. False stops: it ends
     * with RF_EINTERRUPTED. */
    bool (*waiting)(void *ctx, int status, int64_t ms, struct rf_str why);
    /* Of rf_send_start, once, and the last of its callbacks: it has ended, as rf_send would have
     * returned, and `s` says the rest. */
    void (*done)(void *ctx, struct rf_send *s, enum rf_code rc, const struct rf_err *err);
    void *ctx;
    /* Who answers where the model is "offline": refract/offline.h. In a thread of its own, so `ctx`
     * of it is used there. Not set: that model is not reached. */
    struct rf_offline offline;
    int most_tries; /* 0: five */
    size_t key;     /* which of those that the configuration has for the provider */
    /* How long it may take until its answer begins, and between two pieces of it; 0: ten minutes
     * and two. It ends with RF_EPROVIDER and RF_REASON_LATE. */
    int64_t first_byte_ms, idle_ms;
};

/* Begin; no callback is called before the next step, and whatever goes wrong is told then. May be
 * called by any callback. It is the caller's, to be freed after its end. */
RF_API struct rf_send *rf_send_start(struct rf_network *n, const struct rf_send_options *what);
/* Stop it: no callback of it is called any more, and what had come of the reply is not kept. One
 * that has ended stays as it is. May be called by any callback. */
RF_API void rf_send_cancel(struct rf_send *s);
/* Read nothing more of the reply until it is resumed, for whoever cannot take it as fast as it
 * comes: it waits with the provider. A few events may still come of what was read already. May be
 * called by any callback; nothing happens where no reply is coming. */
RF_API void rf_send_pause(struct rf_send *s);
RF_API void rf_send_resume(struct rf_send *s);
/* The same as cancelling, and forget it. Takes NULL. */
RF_API void rf_send_free(struct rf_send *s);

/* To its end, blocking; never in a callback. Other exchanges of the network go on meanwhile. Fails
 * with RF_ECONFIG (there is no key, or it was refused; an address or a proxy that makes no sense;
 * libcurl is not there), RF_EPROVIDER (it was refused, not reached, or broke off), RF_ELIMIT (too
 * long, or too large), RF_EIO (a file of the request cannot be read any more, or no descriptor is
 * left), RF_EUSAGE (the options are not complete, or nobody answers for the model in the program
 * itself) and RF_EINTERRUPTED (a callback stopped it). `*out` is there also where it fails, for
 * what had come by then, and to be freed. */
RF_API RF_MUST enum rf_code rf_send(struct rf_network *n, const struct rf_send_options *what,
                                    struct rf_send **out, struct rf_err *err);

/* What became of it. The strings live as long as `s`. */
RF_API int rf_send_status(const struct rf_send *s); /* of HTTP; 0: no answer came */
RF_API int rf_send_tries(const struct rf_send *s);
/* The provider's name for the exchange, for its support; may be empty. */
RF_API struct rf_str rf_send_request_id(const struct rf_send *s);
/* Why it was refused, in the provider's own words, or that it broke off; RF_ERROR_NONE: neither, or
 * no answer came. */
RF_API enum rf_error_kind rf_send_error(const struct rf_send *s, struct rf_str *words);
/* The reply, also one that broke off or a refusal, which say so; NULL: none came. */
RF_API const struct rf_message *rf_send_reply(const struct rf_send *s);
/* The same as a neutral message, as rf_decode_finish writes it; empty where none came. */
RF_API struct rf_str rf_send_json(struct rf_send *s);

/* A request for programs that have HTTP of their own: all but its body, which
 * rf_request_reader_read reads. The reply is decoded by refract/reply.h. */
struct rf_http;

/* Refused as struct rf_send_options is, by rf_http_start in `ready`. */
struct rf_http_options {
    size_t size; /* of this struct */
    const struct rf_config *config;
    const struct rf_model *model;
    const struct rf_request *request;
    bool keep_tokens; /* as in struct rf_send_options */
    /* Of rf_http_start, once: it can be sent, or `rc` and `err` say why not. */
    void (*ready)(void *ctx, struct rf_http *h, enum rf_code rc, const struct rf_err *err);
    void *ctx;
};

/* Find the address and the key, and sign: good for one call, which should come soon. A key that
 * a command prints and a token that is given for an account are waited for: blocking, which is
 * not for callbacks, or while the network steps, from which `ready` is called. Both fail with
 * RF_ECONFIG (no key; its command fails), RF_EPROVIDER (a token is refused, or whoever gives it is
 * not reached), RF_EIO (a file of the body cannot be read for the signature) and RF_EUSAGE (the
 * options are not complete, or the model is in the program itself). `*out` is set on success only;
 * one that was started is to be closed in any case. */
RF_API RF_MUST enum rf_code rf_http_open(struct rf_network *n, const struct rf_http_options *what,
                                         struct rf_http **out, struct rf_err *err);
RF_API struct rf_http *rf_http_start(struct rf_network *n, const struct rf_http_options *what);
/* Takes NULL. One that is not ready is given up. */
RF_API void rf_http_close(struct rf_http *h);

/* These live as long as it does. The headers hold keys. */
RF_API const char *rf_http_method(const struct rf_http *h);
RF_API const char *rf_http_url(const struct rf_http *h);
RF_API size_t rf_http_header_count(const struct rf_http *h);
RF_API struct rf_str rf_http_header_name(const struct rf_http *h, size_t i);
RF_API struct rf_str rf_http_header_value(const struct rf_http *h, size_t i);
/* Take the keys of this request out of what `d` decodes; before the first bytes. `h` must stay. */
RF_API void rf_http_redact(struct rf_http *h, struct rf_decode *d);

#ifdef __cplusplus
}
#endif
#endif
