/* Asking a worker's family in this process, as the caller would: what it answers is taken in by
 * the code that takes in real answers, and has to make sense there.
 *
 *     answer_in_process(rf_office_answer, "op=text\n", bytes);
 *
 * Of a long answer only the first 128 KiB are wanted.
 */
#ifndef FUZZ_ANSWERING_H
#define FUZZ_ANSWERING_H

#include "worker/frame.h"

typedef void family_answer(const struct rf_ask *ask, struct rf_answer *to);

/* Aborts where the answer makes no sense. */
void answer_in_process(family_answer *answer, const char *lines, struct rf_str bytes);

#endif
