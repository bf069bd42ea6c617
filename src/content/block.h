/* Blocks, between their structs and their JSON. */
#ifndef RF_CONTENT_BLOCK_H
#define RF_CONTENT_BLOCK_H

#include "content/content.h"

/* Fill the blocks of `m`, whose role is set, from the list `v` that stands at `at`. Fails with
 * RF_EFORMAT and the path of what is wrong, and with RF_ELIMIT over RF_MAX_LIST blocks. */
RF_MUST enum rf_code rf_blocks_read(const struct rf_jval *v, const struct rf_jpath *at,
                                    struct rf_arena *a, struct rf_message *m, struct rf_err *err);

/* Is it a detail that an image may have? None is one, too. */
bool rf_detail_is(struct rf_str detail);
/* The block for what a MIME type says ("image/png" is an image); documents else. */
enum rf_block_type rf_block_type_by_mime(struct rf_str mime);

/* A copy that needs nothing of what `b` was made of. */
struct rf_block rf_block_copy(const struct rf_block *b, struct rf_arena *a);

/* Was what came as arguments not an object? Then they are empty, and rf_call_arguments has the
 * words. */
bool rf_call_is_malformed(const struct rf_block *call);
/* The arguments of a call as JSON text, or as the model wrote them where that is not JSON. */
struct rf_str rf_call_arguments(const struct rf_block *call, struct rf_arena *a);

/* Write the blocks of `m` as a list under `key`. */
void rf_blocks_write(const struct rf_message *m, const char *key, struct rf_json *w);

#endif
