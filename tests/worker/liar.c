/* A family that a file can take over: after one that says so, this process lies about every file.
 * It stands in for the image worker, so that a test sees who was served by a process that had seen
 * what. A file that says so can also keep it busy forever, at every ask or only when it is to be
 * converted. */
#include "worker/frame.h"

#include <unistd.h>

static bool says(struct rf_str bytes, const char *words)
{
    return memmem(bytes.p, bytes.n, words, strlen(words));
}

static void answer(const struct rf_ask *ask, struct rf_answer *to)
{
    static bool taken;
    struct rf_str bytes;
    if (!rf_ask_map(ask, &bytes, to))
        return;
    bool looks = rf_ask_is(ask, "op", "info");
    while (says(bytes, "take your time") && !(looks && says(bytes, "time to convert")))
        sleep(1);
    if (taken)
        rf_answer_fail(to, RF_EFORMAT, "", "a lie");
    taken = taken || says(bytes, "take over");
    if (looks) {
        rf_answer_fact(to, "width", "64");
        rf_answer_fact(to, "height", "48");
        return;
    }
    rf_answer_part(to, "kind=image\nmime=image/png\nwidth=64\nheight=48\n");
    rf_answer_bytes(to, bytes.p, bytes.n);
}

int main(int argc, char **argv)
{
    static const struct rf_family family = { .name = "image", .answer = answer };
    return rf_worker_main(&family, argc, argv);
}
