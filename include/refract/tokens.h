/* How many input tokens a request is, as an estimate, and where they are.
 *
 *     struct rf_tokens *t = rf_request_tokens(request);
 *     printf("%lld of %lld\n", (long long)rf_tokens_total(t), (long long)rf_tokens_context(t));
 *     rf_tokens_free(t);
 *
 * Counted is what is really sent: the messages of the request, with pictures in the size they go
 * out in and notes in place of what was left out. The estimate is never exact: expect some
 * percent, more where a file goes by its URL. */
#ifndef REFRACT_TOKENS_H
#define REFRACT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/request.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_tokens;

/* Count. Text files that are written out are read for it; one that went meanwhile is guessed. The
 * request must outlive the result. */
RF_API struct rf_tokens *rf_request_tokens(const struct rf_request *r);
RF_API void rf_tokens_free(struct rf_tokens *t); /* takes NULL */

/* All of the request, corrected by what the provider has reported for this model before. */
RF_API int64_t rf_tokens_total(const struct rf_tokens *t);
/* The same without the correction: what a report is to be compared with. */
RF_API int64_t rf_tokens_estimate(const struct rf_tokens *t);
/* Of that, the files that the model has a rule for (so much a page, a tile, a second): what no
 * correction goes below. */
RF_API int64_t rf_tokens_by_rule(const struct rf_tokens *t);
/* The model's window; 0: unknown. */
RF_API int64_t rf_tokens_context(const struct rf_tokens *t);
/* Of the window, what is kept for the answer; 0: unknown. */
RF_API int64_t rf_tokens_reserve(const struct rf_tokens *t);

/* Did the provider, which reports so many input tokens, cut the request to its window? Only of
 * servers that are known to do that without a word: those with a usual_context_tokens. */
RF_API bool rf_tokens_was_cut(const struct rf_tokens *t, int64_t reported);

/* The parts of the estimate. */
RF_API int64_t rf_tokens_system(const struct rf_tokens *t);
RF_API int64_t rf_tokens_tools(const struct rf_tokens *t);
RF_API int64_t rf_tokens_request(const struct rf_tokens *t); /* what no message says: the frame */

/* The messages of the request, by index: several of a conversation may have become one. */
RF_API size_t rf_tokens_count(const struct rf_tokens *t);
/* "user", "assistant", "tool", "system", "developer". */
RF_API const char *rf_tokens_role(const struct rf_tokens *t, size_t i);
RF_API int64_t rf_tokens_text(const struct rf_tokens *t, size_t i);
RF_API int64_t rf_tokens_media(const struct rf_tokens *t, size_t i);
RF_API size_t rf_tokens_files(const struct rf_tokens *t, size_t i); /* sent as themselves */

/* What made room: messages of the conversation that are left out, and results whose text is left
 * out or cut. Files that did are in the delivery report. */
RF_API size_t rf_tokens_gone(const struct rf_tokens *t);
RF_API size_t rf_tokens_silent(const struct rf_tokens *t);
RF_API size_t rf_tokens_cut(const struct rf_tokens *t);

#ifdef __cplusplus
}
#endif
#endif
