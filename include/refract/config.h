/* The configuration: models under names of one's own, and single facts set against the catalogue.
 *
 *     models:
 *       llava: {provider: ollama, model: "llava:13b", capabilities: {vision: true}}
 *
 * Two files are read, the second over the first: $XDG_CONFIG_HOME/refract/config.yaml (or
 * ~/.config/refract/config.yaml) and ./.refract.yaml. Neither has to exist.
 */
#ifndef REFRACT_CONFIG_H
#define REFRACT_CONFIG_H

#include <stddef.h>

#include <refract/error.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_config;

/* Read the two files. What the person's says about the sandbox of the programs that read files
 * (`sandbox: reduced`) is in force for the whole process from then on; where nobody permits less,
 * files are read in the whole sandbox or not at all. Fails with RF_ECONFIG, naming file and line of
 * the first thing that is wrong, and with RF_EIO. */
RF_API RF_MUST enum rf_code rf_config_open(struct rf_config **out, struct rf_err *err);
RF_API void rf_config_close(struct rf_config *c); /* takes NULL */

/* Where configuration is looked for, in reading order; `exists` says which ones were read. The
 * strings live as long as the configuration. */
RF_API size_t rf_config_path_count(const struct rf_config *c);
RF_API const char *rf_config_path(const struct rf_config *c, size_t i, int *exists);

/* Everything that is wrong in the two files, not only the first thing: `found` is called for each,
 * with "FILE:LINE: what" and a hint. One whose code is RF_OK is not wrong, only worth a look, and
 * does not count. Returns how many. Works when rf_config_open would fail. */
RF_API size_t rf_config_check(void (*found)(void *ctx, const struct rf_err *problem), void *ctx);

/* What is in force, as YAML. It lives as long as the configuration. */
RF_API RF_MUST enum rf_code rf_config_show(struct rf_config *c, struct rf_str *yaml,
                                           struct rf_err *err);

/* Where what was worked out once is kept: $XDG_CACHE_HOME/refract, or ~/.cache/refract; NULL where neither
 * is known. It lives as long as the configuration. */
RF_API const char *rf_config_cache_folder(const struct rf_config *c);

/* The models that the configuration names, by index. */
RF_API size_t rf_config_model_count(const struct rf_config *c);
RF_API struct rf_str rf_config_model_name(const struct rf_config *c, size_t i);

#ifdef __cplusplus
}
#endif
#endif
