/* One entry of a YAML text, changed where it stands: comments, order and layout of the rest stay.
 *
 *     path = { "limits", "pages" };
 *     if (rf_yaml_set(text, "config.yaml", path, 2, RF_STR("5"), a, &changed, err)) …
 */
#ifndef RF_CONFIG_YAML_EDIT_H
#define RF_CONFIG_YAML_EDIT_H

#include "config/yaml.h"

/* The value at a path of keys, or NULL. */
const struct rf_yaml *rf_yaml_at(const struct rf_yaml *root, const struct rf_str *path,
                                 size_t count);

/* Set the entry, and make the maps on the way to it. A value that begins with a bracket is YAML,
 * any other a text. Fails with RF_ECONFIG where `text` or `value` cannot be read, where something
 * on the way is not a map, and where the text is written in a way that cannot be changed here. */
RF_MUST enum rf_code rf_yaml_set(struct rf_str text, const char *file, const struct rf_str *path,
                                 size_t count, struct rf_str value, struct rf_arena *a,
                                 struct rf_str *out, struct rf_err *err);
/* Remove the entry, and maps that it leaves empty. Fails like rf_yaml_set, and where it is not
 * there. */
RF_MUST enum rf_code rf_yaml_unset(struct rf_str text, const char *file, const struct rf_str *path,
                                   size_t count, struct rf_arena *a, struct rf_str *out,
                                   struct rf_err *err);

#endif
