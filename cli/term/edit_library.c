#include "term/edit_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What libedit draws for itself goes nowhere; this is how large it thinks that is. */
#define COLUMNS 256
#define ROWS 64

struct rf_libedit rf_libedit;

static const struct {
    const char *name;
    size_t at; /* in rf_libedit */
} symbols[] = {
    { "el_init_fd", offsetof(struct rf_libedit, init_fd) },
    { "el_end", offsetof(struct rf_libedit, end) },
    { "el_wgets", offsetof(struct rf_libedit, wgets) },
    { "el_wpush", offsetof(struct rf_libedit, wpush) },
    { "el_wset", offsetof(struct rf_libedit, wset) },
    { "el_wget", offsetof(struct rf_libedit, wget) },
    { "el_wparse", offsetof(struct rf_libedit, wparse) },
    { "el_wline", offsetof(struct rf_libedit, wline) },
    { "el_winsertstr", offsetof(struct rf_libedit, winsertstr) },
    { "el_deletestr", offsetof(struct rf_libedit, deletestr) },
    { "el_cursor", offsetof(struct rf_libedit, cursor) },
    { "tok_winit", offsetof(struct rf_libedit, tok_winit) },
    { "tok_wend", offsetof(struct rf_libedit, tok_wend) },
    { "tok_wstr", offsetof(struct rf_libedit, tok_wstr) },
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[200]; /* why the library cannot be used; "" when it can */

static void load(void)
{
    static const char *const names[] = { "libedit.so.2", "libedit.so.0", "libedit.so" };
    void *lib = NULL;
    for (size_t i = 0; !lib && i < sizeof names / sizeof *names; i++)
        lib = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; lib && i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(lib, symbols[i].name);
        memcpy((char *)&rf_libedit + symbols[i].at, &symbol, sizeof symbol);
        if (!symbol)
            lib = NULL;
    }
    if (!lib) {
        const char *why = dlerror();
        snprintf(missing, sizeof missing, "%s", why ? why : "it is another library");
    }
}

enum rf_code rf_libedit_load(struct rf_err *err)
{
    pthread_once(&once, load);
    if (!missing[0])
        return RF_OK;
    if (err) {
        *err = (struct rf_err){ .code = RF_ECONFIG };
        snprintf(err->msg, sizeof err->msg, "could not load libedit, which reads what is typed: %s",
                 missing);
        snprintf(err->hint, sizeof err->hint, "Install libedit (Debian: libedit2).");
    }
    return RF_ECONFIG;
}

int rf_libedit_terminal(int *master)
{
    int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ours < 0)
        return -1;
    char name[64];
    int theirs = -1;
    if (!grantpt(ours) && !unlockpt(ours) && !ptsname_r(ours, name, sizeof name))
        theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (theirs < 0) {
        close(ours);
        return -1;
    }
    const struct winsize size = { .ws_row = ROWS, .ws_col = COLUMNS };
    ioctl(theirs, TIOCSWINSZ, &size);
    *master = ours;
    return theirs;
}
