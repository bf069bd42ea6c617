/* What an API can say of a block, and what is told as lost: words stand for a file, the rest is
 * left out. `index` is the place of the block in the reply. */
#ifndef RF_WIRE_SAYABLE_H
#define RF_WIRE_SAYABLE_H

#include "wire/respond.h"

/* "content[1] (image): words stand for it": once, however often the block is looked at. */
void rf_sayable_lose(struct rf_telling *t, const struct rf_block *b, size_t index,
                     const char *what);

/* Can it be said as it is? Does it have anything but words? Is it an empty text, or a thought whose
 * seal was all that it had, of another API? */
bool rf_sayable_is(const struct rf_telling *t, const struct rf_block *b);
bool rf_sayable_has_marks(const struct rf_telling *t, const struct rf_block *b);
bool rf_sayable_is_hollow(const struct rf_telling *t, const struct rf_block *b);

/* Leave out its marks that cannot be said; give a call an id. */
void rf_sayable_marks(struct rf_telling *t, struct rf_block *b, size_t index);
/* A call that cannot be read is why the reply stopped, where a client is given the arguments as a
 * value. */
void rf_sayable_arguments(struct rf_telling *t, const struct rf_block *b);
/* As this dialect can say it: itself, or words for it; false: nothing. */
bool rf_sayable_as(struct rf_telling *t, struct rf_block *b, size_t index);

#endif
