/* What any provider might send: the first byte chooses the model and whether it is a stream, the
 * second where it is cut. Cut or whole, it ends as the same message, which is JSON. */
#include "base/arena.h"
#include "base/json_read.h"
#include "model/model.h"

#include <refract/reply.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const models[][2] = {
    { "anthropic", "claude-sonnet-4-5" },
    { "bedrock", "anthropic.claude" },
    { "google", "gemini-3" },
    { "openai", "gpt-5" },
    { "openai-chat", "gpt-4o" },
    { "openrouter", "a/b" },
    { "mistral", "mistral-medium" },
    { "ollama", "llava" },
    { "cohere", "command-a" },
};
#define MODELS (sizeof models / sizeof *models)

/* The reply in pieces of `step` bytes; its text is copied to the arena. */
static enum rf_code decode(const struct rf_model *m, bool stream, struct rf_str s, size_t step,
                           struct rf_arena *a, struct rf_str *json)
{
    struct rf_decode *d = stream ? rf_decode_stream(m) : rf_decode_response(m);
    enum rf_code rc = RF_OK;
    for (size_t at = 0; !rc && at < s.n; at += step)
        rc =
            rf_decode_feed(d, (struct rf_str){ s.p + at, s.n - at < step ? s.n - at : step }, NULL);
    enum rf_code end = rf_decode_finish(d, json, NULL);
    *json = rf_str_dup(a, *json);
    rf_decode_free(d);
    return rc ? rc : end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    struct rf_str whole, cut;
    const struct rf_jval *v;
    if (size >= 2) {
        const char *const *name = models[(data[0] & 127) % MODELS];
        struct rf_str body = { (const char *)data + 2, size - 2 };
        bool stream = data[0] & 128;
        if (rf_model_init(&m, rf_str(name[0]), rf_str(name[1]), a, NULL))
            abort();
        enum rf_code rc = decode(&m, stream, body, body.n + 1, a, &whole);
        if (rc != decode(&m, stream, body, 1 + data[1] % 16, a, &cut) || !rf_str_eq(whole, cut))
            abort();
        if (rf_jval_parse(whole, a, &v, NULL))
            abort();
    }
    rf_arena_free(a);
    return 0;
}
