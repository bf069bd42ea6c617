/* What all parts of an agent share: the configuration and the folders. */
#ifndef RF_AGENT_WORKSPACE_H
#define RF_AGENT_WORKSPACE_H

#include <refract/error.h>

#include <stdbool.h>

struct rf_config;

struct rf_workspace {
    const struct rf_config *config; /* or NULL */
    const char *cache;              /* the folder of what was worked out once; or NULL */
    char *base, *root;              /* NULL: the working folder; root "": paths are free */
    char *password;                 /* that opens encrypted files; or NULL */
};

/* What needs no password is not opened with one: is this to be tried again, with it? */
static inline bool rf_workspace_unlocks(const struct rf_workspace *w, enum rf_code failed)
{
    return failed == RF_EENCRYPTED && w->password;
}

#endif
