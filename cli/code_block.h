/* The first code block of a Markdown text. */
#ifndef RF_CLI_CODE_BLOCK_H
#define RF_CLI_CODE_BLOCK_H

#include "term/buffer.h"

/* Add the lines between its fences, without the spaces that stand before the first fence, each with
 * its line feed. One that nothing closes goes to the end. False where there is none. */
bool rf_code_block(struct rf_str text, struct rf_buffer *out);

#endif
