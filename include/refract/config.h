/* The configuration: models under names of one's own, and single facts set against the catalogue.
 *
 *     models:
 *       llava: {provider: ollama, model: "llava:13b", capabilities: {vision: true}}
 *
 * Three files are read, one over the other: $XDG_CONFIG_HOME/refract/config.yaml (or
 * ~/.config/refract/config.yaml), ./.refract.yaml and, for the MCP servers that it names and in the
 * form that other hosts use, ./.mcp.json. None has to exist.
 *
 * The second and third came with a folder, perhaps from somebody else. They cannot say where
 * anything is sent, with which key or account, or to which model: in the second that is an error.
 * Their tools, servers, names of models and whatever else asks for more than there was are withheld
 * until the person trusts the files as they are:
 *
 *     if (rf_config_trust(c) == RF_TRUST_UNASKED) … show all of rf_config_asked, and ask …
 *     if (rf_config_keep_trust(c, RF_TRUST_GIVEN, &err)) …
 *     rf_config_close(c); … rf_config_open(&c, &err) … it is in force now
 */
#ifndef REFRACT_CONFIG_H
#define REFRACT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/error.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_config;

/* Read the files. What the person's says about the sandbox of the programs that read files
 * (`sandbox: reduced`) is in force for the whole process from then on; where nothing less is
 * permitted, files are read in the whole sandbox or not at all. Fails with RF_ECONFIG, naming file
 * and line of the first thing that is wrong, and with RF_EIO. */
RF_API RF_MUST enum rf_code rf_config_open(struct rf_config **out, struct rf_err *err);
RF_API void rf_config_close(struct rf_config *c); /* takes NULL */

/* Where configuration is looked for, in reading order; `exists` says which ones were read. The
 * strings live as long as the configuration. */
RF_API size_t rf_config_path_count(const struct rf_config *c);
RF_API const char *rf_config_path(const struct rf_config *c, size_t i, int *exists);

/* Does that file ask for something that needs trust? */
RF_API bool rf_config_path_asks(const struct rf_config *c, size_t i);

/* Everything that is wrong in the files, not only the first thing: `found` is called for each,
 * with "FILE:LINE: what" and a hint. One whose code is RF_OK is not wrong, only worth a look, and
 * does not count; what is wrong in a .mcp.json does, though rf_config_open goes on without it.
 * Returns how many. Works when rf_config_open would fail. */
RF_API size_t rf_config_check(void (*found)(void *ctx, const struct rf_err *problem), void *ctx);

enum rf_trust {
    RF_TRUST_UNASKED,  /* not said yet: what the project's files ask for is withheld */
    RF_TRUST_DENIED,   /* somebody said no: it is withheld */
    RF_TRUST_GIVEN,    /* it is in force */
    RF_TRUST_UNNEEDED, /* there is no such file, or none asks for anything */
};
RF_API enum rf_trust rf_config_trust(const struct rf_config *c);
/* Why nothing is trusted that perhaps was: the answers cannot be read. NULL: they can. */
RF_API const struct rf_err *rf_config_trust_problem(const struct rf_config *c);

/* One thing that a project's files ask for and that needs trust. */
struct rf_asked {
    struct rf_str entry; /* such as "tools.build", "mcp_servers.files" */
    struct rf_str key;   /* of the entry, such as "command"; empty where it has none */
    struct rf_str value; /* in one line: a text as it stands, anything else as JSON */
};
/* All of it, in the files' order, withheld or not. It lives as long as the configuration, and was
 * written by strangers. */
RF_API size_t rf_config_asked_count(const struct rf_config *c);
RF_API struct rf_asked rf_config_asked(const struct rf_config *c, size_t i);

/* Keep an answer, which is RF_TRUST_GIVEN or RF_TRUST_DENIED, for the bytes that were read, in the
 * working folder of then. It counts when the configuration is opened again. Fails with RF_EIO,
 * RF_ECONFIG and RF_EFORMAT. */
RF_API RF_MUST enum rf_code rf_config_keep_trust(const struct rf_config *c, enum rf_trust answer,
                                                 struct rf_err *err);
/* Forget all answers for a folder; `count` becomes how many versions of its files were trusted.
 * Fails with RF_EIO and RF_ECONFIG. */
RF_API RF_MUST enum rf_code rf_trust_revoke(const char *folder, size_t *count, struct rf_err *err);

/* What is in force, as YAML. It lives as long as the configuration. */
RF_API RF_MUST enum rf_code rf_config_show(struct rf_config *c, struct rf_str *yaml,
                                           struct rf_err *err);

/* One key, by its path: "limits.pages", "providers.ollama.base_url", "models.default", for which
 * "default" is short. A name with a dot in it stands in quotes: models."gpt-5.4".provider.
 *
 * What is in force for it, a text as it stands and anything else as JSON, and who says so:
 * "FILE:LINE", or "built in". For "limits" that is all of them. Both live as long as the
 * configuration. Fails with RF_ECONFIG where nobody does, and with RF_EUSAGE for a key that is not
 * one. */
RF_API RF_MUST enum rf_code rf_config_get(struct rf_config *c, const char *key,
                                          struct rf_str *value, struct rf_str *place,
                                          struct rf_err *err);
/* Set it in the person's own file, or take it out of there; comments, order and layout of the rest
 * stay. The file is made where there is none, and replaced as a whole. A value that begins with "["
 * or "{" is YAML. The default is a model that rf_model_open finds. It counts when the configuration
 * is opened again. Fails with RF_ECONFIG, and changes nothing, where the file would be wrong then;
 * also with RF_EUSAGE, RF_EIO, and RF_EPERMISSION for a file that may not be written. */
RF_API RF_MUST enum rf_code rf_config_set(const char *key, const char *value, struct rf_err *err);
RF_API RF_MUST enum rf_code rf_config_unset(const char *key, struct rf_err *err);

/* Where what was worked out once is kept: $XDG_CACHE_HOME/refract, or ~/.cache/refract; NULL where
 * neither is known. It lives as long as the configuration. */
RF_API const char *rf_config_cache_folder(const struct rf_config *c);

/* The folder that relative references of a person (@photo.png) start from, as `references:
 * {base_path: DIR}` says; NULL: where the conversation's other paths do. It lives as long as the
 * configuration. */
RF_API const char *rf_config_base_path(const struct rf_config *c);

/* The models that the configuration names, by index. */
RF_API size_t rf_config_model_count(const struct rf_config *c);
RF_API struct rf_str rf_config_model_name(const struct rf_config *c, size_t i);

#ifdef __cplusplus
}
#endif
#endif
