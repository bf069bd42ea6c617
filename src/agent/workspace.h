/* What all parts of an agent share: the configuration and the folders. */
#ifndef RF_AGENT_WORKSPACE_H
#define RF_AGENT_WORKSPACE_H

struct rf_config;

struct rf_workspace {
    const struct rf_config *config; /* or NULL */
    const char *cache;              /* the folder of what was worked out once; or NULL */
    char *base, *root;              /* NULL: the working folder; root "": paths are free */
    char *password;                 /* that opens encrypted files; or NULL */
};

#endif
