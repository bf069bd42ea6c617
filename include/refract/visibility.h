/* Marks for functions: RF_API exports one from the library, RF_MUST makes its result count. */
#ifndef REFRACT_VISIBILITY_H
#define REFRACT_VISIBILITY_H

#if defined(__GNUC__)
#define RF_API __attribute__((visibility("default")))
#define RF_MUST __attribute__((warn_unused_result))
#else
#define RF_API
#define RF_MUST
#endif

#endif
