/* Any request of any API: the first byte chooses the dialect and the second the model that it is
 * converted for. What is accepted is a neutral document that reads back, and the request that comes
 * of it is JSON in which no member stands twice. */
#include "base/arena.h"
#include "request/fold.h"
#include "request/request.h"
#include "wire/wire.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const dialects[] = { "anthropic", "bedrock",          "gemini", "openai-chat",
                                        "mistral",   "openai-responses", "ollama", "cohere" };
static const char *const models[][2] = {
    { "anthropic", "claude-sonnet-4-5" },
    { "bedrock", "meta.llama4" },
    { "google", "gemini-3-pro" },
    { "openai-chat", "gpt-4o" },
    { "mistral", "mistral-medium" },
    { "openai", "gpt-5" },
    { "ollama", "llava" },
    { "cohere", "command-a-vision" },
    { "openrouter", "a/b" },
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static void read_back(struct rf_conversation *c, struct rf_arena *a)
{
    struct rf_conversation again;
    struct rf_str json;
    struct rf_err err;
    if (rf_conversation_write(c, &json, &err) || rf_content_read(json, a, &again, &err))
        rf_bug(__FILE__, __LINE__, err.msg);
}

/* Does a member of the object stand there twice? */
static bool is_twice(const struct rf_jval *object, struct rf_arena *a)
{
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1))
        if (rf_jval_get(object, rf_cstr(a, rf_jval_text(k, a))) != k + 1)
            return true;
    return false;
}

static bool any_twice(const struct rf_jval *v, struct rf_arena *a)
{
    for (uint32_t i = 0; i < v->span; i++)
        if (v[i].type == RF_JOBJECT && is_twice(&v[i], a))
            return true;
    return false;
}

static void convert(struct rf_conversation *c, const struct rf_model *m, bool once,
                    struct rf_arena *a)
{
    struct rf_request_options *o = rf_request_options_new();
    struct rf_request *r;
    struct rf_str body;
    const struct rf_jval *v;
    struct rf_err err = { 0 };
    rf_request_options_root(o, "/no such folder");
    rf_request_options_as_is(o);
    if (!rf_request_build(c, m, o, &r, &err)) {
        if (rf_rope_flatten(&r->body, SIZE_MAX, a, &body, &err) ||
            (rf_jval_parse(body, a, &v, &err) && err.code != RF_ELIMIT))
            rf_bug(__FILE__, __LINE__, err.msg);
        if (!err.code && once && any_twice(v, a))
            rf_bug(__FILE__, __LINE__, "a member stands there twice");
        rf_request_free(r);
    }
    rf_request_options_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    struct rf_builder b;
    struct rf_model m;
    const struct rf_jval *body;
    if (size > 2 &&
        !rf_jval_parse((struct rf_str){ (const char *)data + 2, size - 2 }, a, &body, NULL)) {
        const struct rf_dialect *d = rf_dialect_find(rf_str(dialects[data[0] % COUNT(dialects)]));
        const char *const *name = models[data[1] % COUNT(models)];
        if (rf_model_init(&m, rf_str(name[0]), rf_str(name[1]), a, NULL))
            abort();
        rf_builder_init(&b, &c, a, d->name);
        if (!d->parse(body, &b, NULL)) {
            read_back(&c, a);
            rf_fold_injected(&c, a);
            convert(&c, &m, !any_twice(body, a), a);
        }
    }
    rf_arena_free(a);
    return 0;
}
