/* A file that is not there: which one in its folder may have been meant.
 *
 *     if (rc == RF_ENOTFOUND)
 *         rf_hint(err, "%sRead the folder.", rf_near_file(root, base, path, a));
 */
#ifndef RF_BASE_NEAR_FILE_H
#define RF_BASE_NEAR_FILE_H

struct rf_arena;

/* "Did you mean docs/report.pdf? ", or "" where nothing in the folder is near. A relative path
 * starts at `base`, which may be NULL. With a root that is not "", nothing outside of it is
 * looked at. Names that could not be shown as they are do not count. */
const char *rf_near_file(const char *root, const char *base, const char *path, struct rf_arena *a);

#endif
