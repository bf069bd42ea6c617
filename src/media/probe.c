/* Running the probe of a format, and what the probes share. */
#include "media/probe.h"

#include <inttypes.h>

#define MAX_SIDE INT32_MAX /* what the formats themselves allow */

/* Of a format whose header says nothing that we need. */
enum rf_code rf_probe_none(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    (void)k, (void)facts, (void)err;
    return RF_OK;
}

enum rf_code rf_cut_off(struct rf_err *err, const char *what)
{
    return rf_fail(err, RF_EFORMAT, "the %s is cut off", what);
}

enum rf_code rf_take_size(struct rf_facts *facts, uint64_t width, uint64_t height,
                          struct rf_err *err)
{
    if (width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE)
        return rf_fail(err, RF_EFORMAT, "the picture is %" PRIu64 " x %" PRIu64 " pixels", width,
                       height);
    facts->width = (uint32_t)width;
    facts->height = (uint32_t)height;
    return RF_OK;
}

enum rf_code rf_probe(struct rf_reader *r, const struct rf_format *format, struct rf_facts *out,
                      struct rf_err *err)
{
    struct rf_facts facts = { 0 };
    struct rf_look k;
    enum rf_code rc;

    rf_look_init(&k, r);
    rc = (format ? format->probe : rf_probe_none)(&k, &facts, err);
    if (k.failed) {
        if (err)
            *err = k.why;
        return k.failed;
    }
    if (!rc)
        *out = facts;
    return rc;
}
