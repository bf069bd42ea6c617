/* The parts of an e-mail message: header fields, their parameters and the encodings of bodies.
 *
 * All results are UTF-8 in the arena or slices of the input; what is malformed is read as far as it
 * makes sense, as mail programs do. Nothing here fails.
 */
#ifndef RF_OFFICE_MIME_H
#define RF_OFFICE_MIME_H

#include "base/str.h"

struct rf_arena;

/* Cut the header off a message: `head` is its lines, `body` what follows the empty line. */
void rf_mime_split(struct rf_str message, struct rf_str *head, struct rf_str *body);
/* The raw value of the first field of that name, folded lines and all; empty where there is
 * none. */
struct rf_str rf_mime_field(struct rf_str head, const char *name);
/* A field's value as it is to be read: unfolded, encoded words decoded. `charset` is of what is not
 * encoded, which should be ASCII; it may be empty. */
struct rf_str rf_mime_text(struct rf_arena *a, struct rf_str value, struct rf_str charset);
/* "text/html; charset=x": what stands before the first ';'. */
struct rf_str rf_mime_value(struct rf_str field);
/* A parameter of such a field, also in the forms name*=, name*0=, name*0*=. */
struct rf_str rf_mime_parameter(struct rf_arena *a, struct rf_str field, const char *name);
/* The bytes of a body by its Content-Transfer-Encoding. */
struct rf_str rf_mime_decode(struct rf_arena *a, struct rf_str encoding, struct rf_str body);

/* The next part of a multipart body: `*rest` moves past it. False when there is none. */
bool rf_mime_part(struct rf_str *rest, struct rf_str boundary, struct rf_str *part);

#endif
