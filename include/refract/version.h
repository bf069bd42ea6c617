/* Which refract this is. */
#ifndef REFRACT_VERSION_H
#define REFRACT_VERSION_H

#include <refract/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RF_VERSION "0.1.0"

/* The version of the library that is running, which may be newer than RF_VERSION. */
RF_API const char *rf_version(void);

#ifdef __cplusplus
}
#endif
#endif
