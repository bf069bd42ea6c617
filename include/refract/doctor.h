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

struct rf_config;

enum rf_health {
    RF_HEALTH_GOOD,
    RF_HEALTH_PARTLY,  /* works, with something missing */
    RF_HEALTH_MISSING, /* does not work here */
};
/* "good", "partly", "missing". */
RF_API const char *rf_health_name(enum rf_health h);

struct rf_finding {
    const char *area; /* "worker", "folder", "library", "provider" */
    const char *name; /* "pdf", … */
    enum rf_health health;
    const char *what; /* what it is for, or what is wrong: a line */
    const char *hint; /* what to do about it; "" where there is nothing to do */
    const char *layers; /* that confine a worker: "limits, Landlock, seccomp"; else NULL */
};

/* Look at everything, and tell `found` of each. `cache` is the cache folder, or NULL. Returns how
 * many workers do not work. One whose sandbox lacks something, with the person's leave, is PARTLY.
 */
RF_API size_t rf_doctor(const char *cache, void (*found)(void *context, const struct rf_finding *f),
                        void *context);

/* Tell `found` of each of our folders (data, sessions, cache, configuration) that others can read
 * or write to, or that belongs to somebody else, itself or something in it. Returns how many. */
RF_API size_t rf_doctor_folders(const struct rf_config *config,
                                void (*found)(void *context, const struct rf_finding *f),
                                void *context);

/* libcurl, and the providers: whether a key was found and where, which is all that is told of it,
 * and whether the endpoint of each that has one, or needs none, answers, which is tried with a call
 * that asks for nothing. `provider` is the only one to look at, or NULL. A provider without a key
 * is MISSING, one that does not answer PARTLY. Returns 1 where the one that was named does not
 * work, else 0. `config` may be NULL. */
RF_API size_t rf_doctor_providers(const struct rf_config *config, const char *provider,
                                  void (*found)(void *context, const struct rf_finding *f),
                                  void *context);

/* What the sandbox lacks in which files are read all the same, since `config` permits it (`sandbox:
 * reduced`): "Landlock (refused by the system)". NULL where it lacks nothing, and where less is not
 * permitted: then files are refused with RF_ESANDBOX. A worker is started to know. The words live
 * as long as `config`. */
RF_API const char *rf_sandbox_lacks(const struct rf_config *config);

#ifdef __cplusplus
}
#endif
#endif
