/* Looking at many bytes of text at once: a vector of RF_LANES bytes, questions that mark bytes
 * of it in a mask, and the first byte that is marked. One file a processor says how, all in the
 * same names, and portable C serves every other one. */
#ifndef RF_BASE_LANES_H
#define RF_BASE_LANES_H

#if defined(__SSE2__) && !defined(RF_LANES_PORTABLE)
#include "base/lanes_x86.h"
#elif defined(__aarch64__) && !defined(RF_LANES_PORTABLE)
#include "base/lanes_neon.h"
#else
#include "base/lanes_portable.h"
#endif

#endif
