/* The answer lies in memory until it is over. What does not fit there goes to a socket that is
 * large enough for all that an answer may hold, and is read from it afterwards. */
#include "answering.h"

#include "media/worker_intake.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELD_BYTES (64 << 10) /* as in worker/frame.c */
#define MAX_ANSWER (128 << 10)
#define SOCKET_BYTES (1 << 20)

/* What a library keeps until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

static int ends[2] = { -1, -1 };
static char held[HELD_BYTES];

static void open_socket(void)
{
    int room = SOCKET_BYTES;

    if (ends[0] >= 0)
        return;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        abort();
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
}

static void take(struct rf_intake *in, struct rf_str bytes)
{
    if (rf_intake_feed(in, bytes) == RF_INTAKE_BROKEN && in->job->failed != RF_ELIMIT)
        abort();
}

/* What went to the socket came first. One that was full has lost the rest. */
static void check(const struct rf_answer *to, struct rf_arena *a)
{
    struct rf_job job = { .family = "fuzz" };
    struct rf_intake in;
    char piece[16 << 10];
    ssize_t n;

    rf_intake_begin(&in, &job, true, a);
    while ((n = read(ends[1], piece, sizeof piece)) > 0)
        if (!to->gone)
            take(&in, (struct rf_str){ piece, (size_t)n });
    if (!to->gone && to->held_n)
        take(&in, (struct rf_str){ held, to->held_n });
    rf_intake_end(&in);
}

void answer_in_process(family_answer *answer, const char *lines, struct rf_str bytes)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_ask ask = {
        .arena = a, .text = rf_str(lines), .fd = -1, .size = bytes.n, .bytes = bytes
    };

    open_socket();
    struct rf_answer to = { .socket = ends[0], .max_bytes = MAX_ANSWER, .held = held };
    answer(&ask, &to);
    check(&to, a);
    rf_arena_free(a);
}
