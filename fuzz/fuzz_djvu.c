/* DjVu documents. The first byte chooses what is asked about the rest. */
#include "answering.h"

#include "worker/djvu/djvu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const asks[] = {
        "op=text\n",
        "op=text\npictures=2\npicture_bytes=100000\n",
        "op=text\nfirst=2\nlast=3\n",
        "op=media\nfirst=1\nlast=1\n",
    };

    if (size > 0)
        answer_in_process(rf_djvu_answer, asks[data[0] % (sizeof asks / sizeof *asks)],
                          (struct rf_str){ (const char *)data + 1, size - 1 });
    return 0;
}
