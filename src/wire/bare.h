/* Files of which a client does not say what they are: their first bytes do. They get the label that
 * says as much, so that they go nowhere without one of their own. */
#ifndef RF_WIRE_BARE_H
#define RF_WIRE_BARE_H

#include "content/content.h"

/* A URL that is none, but the base64 of a picture, becomes that; anything else stays. */
void rf_bare_url(struct rf_block *block);
/* Base64 without a type: the block gets the type of what it begins like, if that is known. */
void rf_bare_data(struct rf_block *block);
/* A URL without a type: the same by its name. Films of YouTube have none. */
void rf_bare_link(struct rf_block *block);

#endif
