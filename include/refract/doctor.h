/* What works here: the programs that read files, their sandboxes, and the folder for the cache.
 *
 *     size_t bad = rf_doctor(say, NULL);
 */
#ifndef REFRACT_DOCTOR_H
#define REFRACT_DOCTOR_H

#include <stddef.h>

#include <refract/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rf_health {
    RF_HEALTH_GOOD,
    RF_HEALTH_PARTLY,  /* works, with something missing */
    RF_HEALTH_MISSING, /* does not work here */
};
/* "good", "partly", "missing". */
RF_API const char *rf_health_name(enum rf_health h);

struct rf_finding {
    const char *area; /* "worker", "folder" */
    const char *name; /* "pdf", … */
    enum rf_health health;
    const char *what; /* what it is for, or what is wrong: a line */
    const char *hint; /* what to do about it; "" where there is nothing to do */
};

/* Look at everything, and tell `found` of each. `cache` is the cache folder, or NULL. Returns how
 * many workers do not work. */
RF_API size_t rf_doctor(const char *cache, void (*found)(void *context, const struct rf_finding *f),
                        void *context);

#ifdef __cplusplus
}
#endif
#endif
