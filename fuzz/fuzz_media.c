/* Hostile files: whatever the bytes are, they are sniffed and probed as what they seem to be, and
 * probed as the format that the first byte chooses. Memory cannot fail to be read, so the only way
 * to fail is RF_EFORMAT. */
#include "media/media.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void probe(struct rf_reader *r, const struct rf_format *format)
{
    struct rf_facts facts;
    struct rf_err err;
    enum rf_code rc = rf_probe(r, format, &facts, &err);
    if (rc != RF_OK && rc != RF_EFORMAT)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_str body = { (const char *)data + (size > 0), size - (size > 0) };
    struct rf_bytes bytes = rf_bytes_memory(body);
    struct rf_reader r;
    if (size == 0 || rf_reader_open(&r, &bytes, NULL))
        return 0;
    probe(&r, rf_sniff(&r));
    probe(&r, rf_format_of((enum rf_format_id)(data[0] % RF_FORMAT_COUNT)));
    return 0;
}
