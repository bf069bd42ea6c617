/* Sound and video. The first byte chooses what is asked about the rest. */
#include "answering.h"

#include "worker/av/av.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const asks[] = {
    "op=info\n",
    "op=frames\ncount=3\nmax_side=64\ntypes=image/png,image/jpeg\n",
    "op=frames\ncount=2\ntypes=image/jpeg\nmax_bytes=900\n",
    "op=sound\nmime=audio/wav\nmax_bytes=20000\n",
    "op=sound\nmime=audio/mpeg\nstart_ms=10\nend_ms=200\n",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || rf_av_start())
        return 0;
    answer_in_process(rf_av_answer, asks[data[0] % (sizeof asks / sizeof *asks)],
                      (struct rf_str){ (const char *)data + 1, size - 1 });
    return 0;
}
