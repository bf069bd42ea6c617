/* Photoshop: the header of 26 bytes has the size. */
#include "media/probe.h"

enum rf_code rf_probe_psd(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, 0, 26);

    if (!p)
        return rf_cut_off(err, "Photoshop header");
    return rf_take_size(facts, rf_be32(p + 18), rf_be32(p + 14), err);
}
