#include "signal_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "report.h"

static int ends[2]; /* a signal writes to the second */

static void on_signal(int number)
{
    int saved = errno;
    char order = number == SIGHUP ? RF_GATEWAY_RELOAD : '\0';
    if (write(ends[1], &order, 1) < 0)
        errno = saved; /* it is full: enough was said */
    errno = saved;
}

enum rf_code rf_signal_pipe(int *fd, struct rf_err *err)
{
    struct sigaction act = { .sa_handler = on_signal };
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        rf_say(err, RF_EIO, "could not make a pipe: %s", strerror(errno));
        return RF_EIO;
    }
    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGHUP, &act, NULL);
    act.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &act, NULL);
    *fd = ends[0];
    return RF_OK;
}
