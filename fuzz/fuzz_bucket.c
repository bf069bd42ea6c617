/* What a server of S3 answers: whatever it is, its elements are parts of it, one after the other, and
 * reading comes to an end. */
#include "base/arena.h"
#include "bucket/refused.h"
#include "bucket/xml.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void read_list(struct rf_str list, const char *name, struct rf_arena *a)
{
    struct rf_str rest = list, one;
    while (rf_xml_next(&rest, name, &one)) {
        expect(one.p >= list.p && one.p + one.n <= rest.p);
        expect(rest.p + rest.n == list.p + list.n);
        expect(rf_xml_get(one, "Key", a).n <= one.n);
        expect(rf_xml_get(one, "UploadId", a).n <= one.n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_str text = { (const char *)data, size };
    struct rf_arena *a = rf_arena_new();
    struct rf_s3_refusal r = { .method = "GET", .status = 400 };
    read_list(text, "Contents", a);
    read_list(text, "Upload", a);
    rf_s3_refusal_read(&r, text, a);
    expect(r.code.n <= size && r.words.n <= size);
    rf_arena_free(a);
    return 0;
}
