/* A conversation made piece by piece: what the parsers of other APIs' requests fill in.
 *
 * Strings are slices of the request or live in the arena; nothing is copied that does not have to
 * be, so a picture stays where it lies in the request until it is written.
 *
 *     rf_builder_init(&b, conversation, a, "anthropic");
 *     rf_build_message(&b, RF_ROLE_USER);
 *     rf_build_text(&b, text);
 *
 * Fields that the neutral format does not know are kept under "extra", by the name of the dialect,
 * and go back to that dialect only:  "extra": {"anthropic": {"metadata": {…}}}.
 */
#ifndef RF_CONTENT_BUILD_H
#define RF_CONTENT_BUILD_H

#include "content/content.h"

struct rf_builder {
    struct rf_conversation *conversation;
    struct rf_arena *arena;
    const char *dialect;
    size_t message_cap, tool_cap, block_cap; /* block_cap: of the last message */
};

void rf_builder_init(struct rf_builder *b, struct rf_conversation *c, struct rf_arena *a,
                     const char *dialect);

/* A new message at the end. */
struct rf_message *rf_build_message(struct rf_builder *b, enum rf_role role);
/* A new block at the end of the last message; there must be one. */
struct rf_block *rf_build_block(struct rf_builder *b, enum rf_block_type type);
/* A text block, where the text is not empty. Returns it, or NULL. */
struct rf_block *rf_build_text(struct rf_builder *b, struct rf_str text);
/* A block kept whole, for what the neutral format cannot say. */
struct rf_block *rf_build_opaque(struct rf_builder *b, const struct rf_jval *value);
/* A call; `arguments` is an object, or a string that holds one. What is not an object becomes an
 * empty one with the words kept as malformed_arguments. */
struct rf_block *rf_build_call(struct rf_builder *b, struct rf_str id, struct rf_str name,
                               const struct rf_jval *arguments);
/* A media block of the kind that a MIME type says ("image/png" is an image); documents else. The
 * source is for the caller to set. */
struct rf_block *rf_build_media(struct rf_builder *b, struct rf_str mime);
/* Base64. A file of no bytes has a data URL without any, since a source has to have a name. */
void rf_build_data_source(struct rf_block *block, struct rf_str base64);
/* The source that a string names: a data URL (its MIME type and payload) or a URL. */
void rf_build_url_source(struct rf_block *block, struct rf_str url);

struct rf_tool *rf_build_tool(struct rf_builder *b);

/* What `object` has besides the members in `known` (NULL-terminated), for `extra` of a message,
 * block, tool, options or conversation; NULL when there is nothing. */
const struct rf_jval *rf_build_extra(struct rf_builder *b, const struct rf_jval *object,
                                     const char *const *known);

/* A string value's text, or empty. */
struct rf_str rf_build_str(struct rf_builder *b, const struct rf_jval *v);

#endif
