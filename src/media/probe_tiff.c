/* TIFF: width, height and orientation are tags of the first directory, which exif.c reads. */
#include "media/probe.h"

#include "media/exif.h"

enum rf_code rf_probe_tiff(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct rf_tiff_tags tags;
    enum rf_code rc;

    if (!rf_tiff_read(k, 0, k->size, &tags))
        return rf_cut_off(err, "TIFF directory");
    rc = rf_take_size(facts, tags.width, tags.height, err);
    rf_orient(facts, tags.orientation);
    return rc;
}
