/* For builds without the headers of libchafa: pictures are drawn as PNG only. */
#include "worker/image/chafa_library.h"

void rf_chafa_load(void)
{
}

enum rf_code rf_chafa_draw(const struct rf_chafa_wish *wish, const guint8 *pixels, GString **out,
                           struct rf_err *err)
{
    (void)wish;
    (void)pixels;
    (void)out;
    return rf_fail(err, RF_ECONFIG,
                   "this program was built without libchafa, which draws pictures with characters");
}
