/* DjVu documents. The first byte chooses what is asked about the rest. */
#include "answering.h"

#include "worker/djvu/djvu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* DjVuLibre writes to NULL where a page has a text of no length, which ends the worker. That is
 * known, and all that would be found. */
static bool ends_the_library(struct rf_str bytes)
{
    const char *at = bytes.p, *end = bytes.p + bytes.n;

    while ((at = memmem(at, (size_t)(end - at), "TXT", 3)) && end - ++at > 9)
        if (memcmp(at + 7, "\0\0\0", 3) == 0 || at[2] == 'z') /* z: it is packed, and may be that */
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const asks[] = {
        "op=text\n",
        "op=text\npictures=2\npicture_bytes=100000\n",
        "op=text\nfirst=2\nlast=3\n",
        "op=media\nfirst=1\nlast=1\n",
    };
    struct rf_str bytes = { (const char *)data + 1, size - 1 };

    if (size > 0 && !ends_the_library(bytes))
        answer_in_process(rf_djvu_answer, asks[data[0] % (sizeof asks / sizeof *asks)], bytes);
    return 0;
}
