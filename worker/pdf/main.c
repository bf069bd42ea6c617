/* The program around pdf.c: what it may read, and that it keeps quiet. */
#include "worker/pdf/engine.h"
#include "worker/pdf/pdf.h"
#include "worker/pdf/watch.h"

#include <fcntl.h>
#include <unistd.h>

/* Fonts that a file names and does not hold, and the tables for their encodings. */
static const char *const readable[] = {
    "/etc/fonts",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/fontconfig",
    "/var/cache/fontconfig",
    "/usr/share/poppler",
    NULL,
};

/* Poppler and cairo write about bad fonts without being asked. */
static void silence(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (null >= 0) {
        dup2(null, STDERR_FILENO);
        close(null);
    }
}

static const char *start(void)
{
    silence();
    rf_watch_start();
    return rf_pdf_start();
}

static const struct rf_family family = {
    .name = "pdf",
    .start = start,
    .answer = rf_pdf_answer,
    .readable = readable,
    .memory_bytes = (size_t)1 << 30,
    .cpu_seconds = RF_PDF_CPU_SECONDS,
};

int main(int argc, char **argv)
{
    return rf_worker_main(&family, argc, argv);
}
