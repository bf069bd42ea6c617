/* Archives and packed files. The first byte chooses what is asked about the rest. */
#include "answering.h"

#include "worker/archive/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const asks[] = {
        "op=list\n",
        "op=list\nmember=a/one.txt\n",
        "op=list\nmember=a\n",
        "op=list\nmember=a/one.txt\npassword=secret\n",
    };

    if (size > 0)
        answer_in_process(rf_archive_answer, asks[data[0] % (sizeof asks / sizeof *asks)],
                          (struct rf_str){ (const char *)data + 1, size - 1 });
    return 0;
}
