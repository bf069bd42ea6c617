/* refract-media-ocr: the program. */
#include "worker/ocr/ocr.h"

int main(int argc, char **argv)
{
    static const struct rf_family family = {
        .name = "ocr",
        .start = rf_ocr_start,
        .answer = rf_ocr_answer,
        .readable = rf_ocr_folders,
        .memory_bytes = (size_t)1 << 30,
        .cpu_seconds = 60,
    };
    return rf_worker_main(&family, argc, argv);
}
