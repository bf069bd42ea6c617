/* Whatever can be read is written as something that can be read, and that is then written as the
 * same bytes. */
#include <refract/conversation.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_conversation *first, *second;
    struct rf_str once, twice;
    struct rf_err err;
    if (rf_conversation_read((struct rf_str){ (const char *)data, size }, &first, &err))
        return 0;
    if (rf_conversation_write(first, &once, &err) || rf_conversation_read(once, &second, &err) ||
        rf_conversation_write(second, &twice, &err))
        abort();
    if (once.n != twice.n || memcmp(once.p, twice.p, once.n) != 0)
        abort();
    rf_conversation_free(first);
    rf_conversation_free(second);
    return 0;
}
