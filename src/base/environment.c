/* Who gets which variable: one table. What is not in it is not passed on, whatever it is called. */
#include <refract/process.h>

#include "base/error.h"
#include "base/str.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    TOOL = 1 << RF_PROGRAM_TOOL,
    KEY = 1 << RF_PROGRAM_KEY,
    DESKTOP = 1 << RF_PROGRAM_DESKTOP,
    WORKER = 1 << RF_PROGRAM_WORKER,
    PEOPLE = TOOL | KEY | DESKTOP, /* all that a person could have started */
};

static const struct {
    const char *line; /* a name, for rf_glob; or "NAME=value", which is given as it is */
    int who;
} rows[] = {
    { "PATH", PEOPLE },
    { "HOME", PEOPLE },
    { "USER", PEOPLE },
    { "LOGNAME", PEOPLE },
    { "SHELL", PEOPLE },
    { "LANG", PEOPLE },
    { "LANGUAGE", PEOPLE },
    { "LC_*", PEOPLE },
    { "TZ", PEOPLE },
    { "TZDIR", PEOPLE },
    { "TERM", PEOPLE },
    { "COLORTERM", PEOPLE },
    { "NO_COLOR", PEOPLE },
    { "TMPDIR", PEOPLE },
    { "XDG_CONFIG_HOME", PEOPLE },
    { "XDG_CONFIG_DIRS", PEOPLE },
    { "XDG_DATA_HOME", PEOPLE },
    { "XDG_DATA_DIRS", PEOPLE },
    { "XDG_CACHE_HOME", PEOPLE },
    { "XDG_STATE_HOME", PEOPLE },
    { "LD_LIBRARY_PATH", PEOPLE | WORKER },
    { "SSL_CERT_FILE", TOOL | KEY },
    { "SSL_CERT_DIR", TOOL | KEY },
    { "CURL_CA_BUNDLE", TOOL | KEY },

    { "XDG_RUNTIME_DIR", KEY | DESKTOP },
    { "XDG_SESSION_TYPE", KEY | DESKTOP },
    { "XDG_CURRENT_DESKTOP", KEY | DESKTOP },
    { "DISPLAY", KEY | DESKTOP },
    { "WAYLAND_DISPLAY", KEY | DESKTOP },
    { "XAUTHORITY", KEY | DESKTOP },
    { "DBUS_SESSION_BUS_ADDRESS", KEY | DESKTOP },

    { "SSH_AUTH_SOCK", KEY },
    { "SSH_ASKPASS", KEY },
    { "GPG_TTY", KEY },
    { "GPG_AGENT_INFO", KEY },
    { "GNUPGHOME", KEY },
    { "PINENTRY_USER_DATA", KEY },
    { "GNOME_KEYRING_CONTROL", KEY },
    { "KRB5CCNAME", KEY },
    { "PASSWORD_STORE_*", KEY },
    { "OP_*", KEY },
    { "BW_*", KEY },
    { "BITWARDENCLI_*", KEY },
    { "VAULT_*", KEY },
    { "SOPS_*", KEY },
    { "AWS_*", KEY },
    { "AZURE_*", KEY },
    { "CLOUDSDK_*", KEY },
    { "GOOGLE_APPLICATION_CREDENTIALS", KEY },
    { "http_proxy", KEY },
    { "https_proxy", KEY },
    { "all_proxy", KEY },
    { "no_proxy", KEY },

    { "PATH=/usr/bin:/bin", WORKER },
    { "HOME=/", WORKER },
    { "LC_ALL=C.UTF-8", WORKER },
    { "OMP_THREAD_LIMIT=1", WORKER },
    { "TESSDATA_PREFIX", WORKER },
    { "FONTCONFIG_FILE", WORKER },
    { "FONTCONFIG_PATH", WORKER },
    { "ASAN_OPTIONS", WORKER },
    { "UBSAN_OPTIONS", WORKER },
};
#define ROWS (sizeof rows / sizeof *rows)

static bool is_given(const char *line)
{
    return strchr(line, '=') != NULL;
}

static bool is_allowed(struct rf_str name, int who, const struct rf_str *more, size_t count)
{
    for (size_t i = 0; i < ROWS; i++)
        if ((rows[i].who & who) && !is_given(rows[i].line) && rf_glob(rf_str(rows[i].line), name))
            return true;
    for (size_t i = 0; i < count; i++)
        if (rf_str_eq(name, more[i]))
            return true;
    return false;
}

char **rf_program_environment(enum rf_program why, const struct rf_str *more, size_t count)
{
    int who = 1 << why;
    size_t ours = 0, n = 0;
    while (environ && environ[ours])
        ours++;
    char **out = calloc(ROWS + ours + 1, sizeof *out);
    if (!out)
        RF_NO_MEMORY();
    for (size_t i = 0; i < ROWS; i++)
        if ((rows[i].who & who) && is_given(rows[i].line))
            out[n++] = (char *)(uintptr_t)rows[i].line;
    for (size_t i = 0; i < ours; i++) {
        struct rf_str rest = rf_str(environ[i]), name = RF_STR("");
        rf_str_split(&rest, '=', &name);
        if (is_allowed(name, who, more, count))
            out[n++] = environ[i];
    }
    return out;
}
