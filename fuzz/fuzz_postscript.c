/* EPS files and their previews. Ghostscript is not loaded: what it does with a program is its own. */
#include "answering.h"

#include "worker/postscript/postscript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        answer_in_process(rf_postscript_answer, "op=part\n",
                          (struct rf_str){ (const char *)data, size });
    return 0;
}
