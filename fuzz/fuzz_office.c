/* Documents of the office family. The first byte chooses what is asked about the rest, and what the
 * rest is: the file, or members of a container that is made first, so that the fuzzer need not know
 * how to write checksums: "NAME\n…" each, parted by "\n--\n". */
#include "answering.h"
#include "members.h"

#include "worker/office/office.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum container {
    NONE,
    ZIP,
    OLE, /* of a document that is encrypted */
};

static const struct {
    const char *ask;
    enum container container;
} asks[] = {
    { "op=text\n", NONE },
    { "op=text\nmime=text/html\n", NONE },
    { "op=text\nmime=message/rfc822\npictures=2\n", NONE },
    { "op=text\npictures=2\n", NONE },
    { "op=media\n", NONE },
    { "op=text\n", ZIP },
    { "op=text\nfirst=2\nlast=2\nmax_text=100\npictures=2\npicture_bytes=50\n", ZIP },
    { "op=text\nsheet=S2\npictures=9\n", ZIP },
    { "op=media\n", ZIP },
    { "op=text\npassword=secret\n", ZIP },
    { "op=text\npassword=secret\n", OLE },
    { "op=utf8\n", NONE },
};

static void ask_members(const char *ask, enum container container, struct rf_str text)
{
    struct rf_arena *a = rf_arena_new();
    struct member members[MAX_MEMBERS];
    size_t count = split_members(text, members, a);

    if (container == ZIP)
        answer_in_process(rf_office_answer, ask, zip_of(a, members, count));
    else if (text.n < MAX_OLE_BYTES)
        answer_in_process(rf_office_answer, ask, ole_of(a, members, count));
    rf_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_str body = { (const char *)data + 1, size - 1 };

    if (size == 0)
        return 0;
    size_t which = data[0] % (sizeof asks / sizeof *asks);
    if (asks[which].container == NONE)
        answer_in_process(rf_office_answer, asks[which].ask, body);
    else
        ask_members(asks[which].ask, asks[which].container, body);
    return 0;
}
