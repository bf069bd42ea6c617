/* refract-media-av: the program. */
#include "worker/av/av.h"

int main(int argc, char **argv)
{
    static const struct rf_family family = {
        .name = "av",
        .start = rf_av_start,
        .answer = rf_av_answer,
        .memory_bytes = (size_t)1 << 30,
        .cpu_seconds = 60,
    };
    return rf_worker_main(&family, argc, argv);
}
