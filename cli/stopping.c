#include "stopping.h"

#include <signal.h>
#include <unistd.h>

#include <refract/refract.h>

#include "piped.h"

static struct rf_agent *stopped;
static volatile sig_atomic_t stops;

static void stop(int signal_number)
{
    if (stops++ || !stopped) {
        rf_piped_drop();
        rf_process_end_workers();
        _exit(128 + signal_number);
    }
    rf_agent_cancel(stopped);
}

void rf_stopping_begin(struct rf_agent *agent)
{
    struct sigaction act = { .sa_handler = stop };
    sigemptyset(&act.sa_mask);
    stopped = agent;
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
}

void rf_stopping_end(void)
{
    stopped = NULL;
}

bool rf_stopping_heard(void)
{
    return stops;
}
