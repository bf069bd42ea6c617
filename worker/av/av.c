/* Tells the operations apart. Each opens the file anew: a worker keeps nothing between two asks. */
#include "worker/av/av.h"

#include "worker/av/operations.h"

#include <libavutil/log.h>
#include <libavutil/mem.h>

/* No frame or packet that we would look at is larger; a header that says more is wrong. */
#define MAX_ALLOCATION ((size_t)256 << 20)

static const struct {
    const char *name;
    void (*run)(struct rf_av_input *in, const struct rf_ask *ask, struct rf_answer *to);
} operations[] = {
    { "info", rf_av_info },
    { "frames", rf_av_frames },
    { "sound", rf_av_sound },
};

const char *rf_av_start(void)
{
    av_log_set_level(AV_LOG_QUIET);
    av_max_alloc(MAX_ALLOCATION);
    return NULL;
}

void rf_av_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_av_input in;
    struct rf_str bytes;
    size_t i = 0;

    while (i < sizeof operations / sizeof *operations && !rf_ask_is(ask, "op", operations[i].name))
        i++;
    if (i == sizeof operations / sizeof *operations) {
        rf_answer_fail(to, RF_EUSAGE, "", "sound and video know no such operation");
        return;
    }
    if (!rf_ask_map(ask, &bytes, to))
        return;
    if (rf_av_open(&in, bytes, to))
        operations[i].run(&in, ask, to);
    rf_av_close(&in);
}
