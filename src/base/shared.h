/* A mark for the functions that librefract shows to librefract-sim alone: of each of these a
 * process has one, and no public header declares them. The two libraries are built and installed
 * together. */
#ifndef RF_BASE_SHARED_H
#define RF_BASE_SHARED_H

#include <refract/visibility.h>

#define RF_SHARED RF_API

#endif
