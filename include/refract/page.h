/* The web page: see what the model saw.
 *
 *     struct rf_gateway_options o = { .size = sizeof o, .config = config, .page = rf_page() };
 *     if (rf_gateway_serve(&o, &err)) …
 *
 * A gateway that is given the page serves it at "/": requests as they happen, the conversation that
 * a client sent beside the one that the model got, what other models would get, the sessions of
 * the store, and what was used over time. Once clients need keys (refract/keys.h), so do those who
 * look: an admin's. Nothing is loaded from elsewhere, and what a client, a file or a model wrote is
 * text. */
#ifndef REFRACT_PAGE_H
#define REFRACT_PAGE_H

#include <stddef.h>

#include <refract/config.h>
#include <refract/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_page_table;

/* For the options of a gateway. */
RF_API const struct rf_page_table *rf_page(void);

/* What is not set is NULL or 0. */
struct rf_page_options {
    size_t size; /* of this struct */
    const struct rf_config *config;
    const char *address; /* of this machine; NULL: 127.0.0.1, and a port that is free */
    int stop_fd;         /* a byte that comes there, or its end, ends it; -1: nothing does */
    /* Called once, when it can be reached, with its URL; or NULL. */
    void (*listening)(void *ctx, const char *url);
    void *ctx;
};

/* Serve the page without a gateway, for the sessions of the store, until it is told to stop. Fails
 * with RF_EUSAGE where other machines could reach the address, and with RF_EIO where it cannot be
 * listened on. */
RF_API RF_MUST enum rf_code rf_page_serve(const struct rf_page_options *o, struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
