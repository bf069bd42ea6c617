/* Embeddings: a vector of length 1 whose signs follow from the text, so that the same text has the
 * same one, and two texts two. */
#include "base/arena.h"
#include "base/base64.h"
#include "sim/endpoints.h"
#include "sim/gemini/proto.h"
#include "sim/ollama/library.h"
#include "sim/strict.h"

#define MOST_DIMENSIONS 16384
#define MOST_TEXTS 2048
#define MAX_VECTOR ((size_t)1 << 20)
#define BYTES_PER_TOKEN 4

/* How many numbers a vector has, where the request does not say; 0: the library of Ollama says. */
static const struct {
    const char *provider, *model; /* patterns */
    int64_t count;
} dimensions[] = {
    { "cohere", "embed-v4*", 1536 }, { "cohere", "*light*", 384 },
    { "cohere", "*", 1024 },         { "google", "gemini-embedding*", 3072 },
    { "google", "*", 768 },          { "vertex", "*", 3072 },
    { "mistral", "*", 1024 },        { "ollama", "*", 0 },
    { "*", "*3-large*", 3072 },      { "*", "*", 1536 },
};

static size_t usual_dimensions(const struct rf_sim_request *r)
{
    size_t i = 0;
    while (!rf_glob(rf_str(dimensions[i].provider), r->model->provider) ||
           !rf_glob(rf_str(dimensions[i].model), r->model->name))
        i++;
    int64_t n = dimensions[i].count;
    return (size_t)(n ? n : rf_sim_ollama_find(r->model, r->arena).embedding_length);
}

/* What the request says of it, in the member that its API has. */
static size_t wanted(const struct rf_sim_request *r, const struct rf_jval *v)
{
    int64_t n;
    return v && rf_jval_int64(v, &n) && n > 0 && n <= MOST_DIMENSIONS ? (size_t)n
                                                                      : usual_dimensions(r);
}

static bool is_negative(uint64_t seed, size_t i)
{
    return rf_sim_mix(seed, i) & 1;
}

/* By Newton: one square root is not worth a library. */
static double square_root(double n)
{
    double x = n;
    for (int i = 0; i < 40; i++)
        x = (x + n / x) / 2;
    return x;
}

static struct rf_str numbers(struct rf_arena *a, struct rf_str text, size_t n)
{
    uint64_t seed = rf_sim_hash(text);
    double size = 1 / square_root((double)n);
    struct rf_buf b;
    struct rf_str json;
    struct rf_err err;
    rf_buf_init(&b, a, MAX_VECTOR);
    for (size_t i = 0; i < n; i++)
        rf_buf_addf(&b, "%c%s%.8f", i ? ',' : '[', is_negative(seed, i) ? "-" : "", size);
    rf_buf_addc(&b, ']');
    if (rf_buf_finish(&b, &json, &err))
        RF_BUG("a vector is longer than its numbers");
    return json;
}

/* Little-endian floats in base64. */
static struct rf_str packed(struct rf_arena *a, struct rf_str text, size_t n)
{
    uint64_t seed = rf_sim_hash(text);
    float *v = RF_ARRAY(a, float, n), size = (float)(1 / square_root((double)n));
    for (size_t i = 0; i < n; i++)
        v[i] = is_negative(seed, i) ? -size : size;
    char *p = rf_arena_alloc(a, (size_t)rf_base64_length(n * sizeof *v) + 1);
    return (struct rf_str){ p, rf_base64_encode((const char *)v, n * sizeof *v, p) };
}

/* Texts */

struct texts {
    struct rf_str *list;
    size_t count, cap;
    int64_t tokens;
};

static void add_text(struct rf_sim_request *r, struct texts *t, const struct rf_jval *v)
{
    struct rf_str text = v->type == RF_JSTRING ? rf_jval_text(v, r->arena) : v->raw;
    if (t->count == MOST_TEXTS)
        return;
    *RF_PUSH(r->arena, t->list, t->count, t->cap) = text;
    t->tokens += (int64_t)(text.n / BYTES_PER_TOKEN) + 1;
}

/* A string, a list of strings, a list of tokens, or a list of such lists. */
static void read_texts(struct rf_sim_request *r, const struct rf_jval *v, struct texts *t)
{
    const struct rf_jval *first = v && v->type == RF_JARRAY ? rf_jval_first(v) : NULL;
    if (first && first->type == RF_JNUMBER)
        first = NULL; /* tokens: one text */
    if (v && !first && v->type != RF_JNULL)
        add_text(r, t, v);
    for (; first; first = rf_jval_next(v, first))
        add_text(r, t, first);
}

/* OpenAI, Mistral and Ollama's surface of that kind */

static void write_usage(struct rf_json *w, const struct texts *t)
{
    rf_json_obj(w, "usage");
    rf_json_int(w, "prompt_tokens", t->tokens);
    rf_json_int(w, "total_tokens", t->tokens);
    rf_json_end(w);
}

/* `id` is empty where there is none. */
static void embed(struct rf_sim_asked *asked, struct rf_str id)
{
    struct rf_sim_request *r = asked->r;
    const struct rf_jval *size = rf_jval_get(r->body, "dimensions");
    bool base64 = rf_str_is(rf_sim_get(r, r->body, "encoding_format"), "base64");
    struct texts t = { 0 };
    struct rf_sim_writer writer;
    size_t n = wanted(r, size ? size : rf_jval_get(r->body, "output_dimension"));
    read_texts(r, rf_jval_get(r->body, "input"), &t);
    if (t.count == 0) {
        rf_sim_asked_refuse(asked, 400, "Missing required parameter: 'input'.");
        return;
    }
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "object", RF_STR("list"));
    rf_json_str_opt(w, "id", id);
    rf_json_arr(w, "data");
    for (size_t i = 0; i < t.count; i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "object", RF_STR("embedding"));
        rf_json_int(w, "index", (int64_t)i);
        if (base64)
            rf_json_str(w, "embedding", packed(r->arena, t.list[i], n));
        else
            rf_json_raw(w, "embedding", numbers(r->arena, t.list[i], n));
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_str(w, "model", r->model->name);
    write_usage(w, &t);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

void rf_sim_embed_openai(struct rf_sim_asked *asked)
{
    embed(asked, RF_STR(""));
}

void rf_sim_embed_mistral(struct rf_sim_asked *asked)
{
    embed(asked, rf_sim_id(asked->r, "embd-", 24, 0));
}

/* Cohere */

void rf_sim_embed_cohere(struct rf_sim_asked *asked)
{
    struct rf_sim_request *r = asked->r;
    struct texts t = { 0 };
    struct rf_sim_writer writer;
    read_texts(r, rf_jval_get(r->body, "texts"), &t);
    if (t.count == 0) {
        rf_sim_asked_refuse(asked, 400,
                            "invalid request: one of texts, images or inputs is "
                            "required");
        return;
    }
    size_t n = wanted(r, rf_jval_get(r->body, "output_dimension"));
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", rf_sim_uuid(r));
    rf_json_value(w, "texts", rf_jval_get(r->body, "texts"));
    rf_json_obj(w, "embeddings");
    rf_json_arr(w, "float");
    for (size_t i = 0; i < t.count; i++)
        rf_json_raw(w, NULL, numbers(r->arena, t.list[i], n));
    rf_json_end(w);
    rf_json_end(w);
    rf_json_obj(w, "meta");
    rf_json_raw(w, "api_version", RF_STR("{\"version\":\"2\"}"));
    rf_json_obj(w, "billed_units");
    rf_json_int(w, "input_tokens", t.tokens);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_str(w, "response_type", RF_STR("embeddings_by_type"));
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

/* Ollama */

void rf_sim_embed_ollama(struct rf_sim_asked *asked)
{
    struct rf_sim_request *r = asked->r;
    const struct rf_jval *input = rf_jval_get(r->body, "input");
    bool older = !input && rf_jval_get(r->body, "prompt");
    struct texts t = { 0 };
    struct rf_sim_writer writer;
    size_t n = wanted(r, rf_jval_get(r->body, "dimensions"));
    read_texts(r, older ? rf_jval_get(r->body, "prompt") : input, &t);
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    if (older) {
        rf_json_raw(w, "embedding", numbers(r->arena, t.list[0], n));
    } else {
        rf_json_str(w, "model", r->model->name);
        rf_json_arr(w, "embeddings");
        for (size_t i = 0; i < t.count; i++)
            rf_json_raw(w, NULL, numbers(r->arena, t.list[i], n));
        rf_json_end(w);
        rf_json_int(w, "total_duration", 1000000);
        rf_json_int(w, "load_duration", 1000);
        rf_json_int(w, "prompt_eval_count", t.tokens);
    }
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

/* Gemini: one content, or many; Vertex: instances. */

static struct rf_str content_text(struct rf_sim_request *r, const struct rf_jval *content)
{
    const struct rf_jval *parts = rf_sim_gemini_get(content, "parts");
    const struct rf_jval *part = parts && parts->type == RF_JARRAY ? rf_jval_at(parts, 0) : parts;
    return rf_sim_text(r, rf_sim_gemini_get(part, "text"));
}

static void write_values(struct rf_json *w, const char *key, struct rf_sim_request *r,
                         const struct rf_jval *request)
{
    const struct rf_jval *size = rf_sim_gemini_get(request, "outputDimensionality");
    struct rf_str text = content_text(r, rf_sim_gemini_get(request, "content"));
    rf_json_obj(w, key);
    rf_json_raw(w, "values", numbers(r->arena, text, wanted(r, size)));
    rf_json_end(w);
}

void rf_sim_embed_gemini(struct rf_sim_asked *asked)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    rf_json_obj(w, NULL);
    write_values(w, "embedding", asked->r, asked->r->body);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

void rf_sim_embed_gemini_batch(struct rf_sim_asked *asked)
{
    const struct rf_jval *list = rf_sim_gemini_get(asked->r->body, "requests");
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    bool listed = list && list->type == RF_JARRAY;
    rf_json_obj(w, NULL);
    rf_json_arr(w, "embeddings");
    for (const struct rf_jval *v = listed ? rf_jval_first(list) : NULL; v;
         v = rf_jval_next(list, v))
        write_values(w, NULL, asked->r, v);
    rf_json_end(w);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

void rf_sim_embed_vertex(struct rf_sim_asked *asked)
{
    struct rf_sim_request *r = asked->r;
    const struct rf_jval *list = rf_sim_gemini_get(r->body, "instances"),
                         *settings = rf_sim_gemini_get(r->body, "parameters");
    size_t n = wanted(r, rf_sim_gemini_get(settings, "outputDimensionality"));
    bool listed = list && list->type == RF_JARRAY;
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_arr(w, "predictions");
    for (const struct rf_jval *v = listed ? rf_jval_first(list) : NULL; v;
         v = rf_jval_next(list, v)) {
        struct rf_str text = rf_sim_get(r, v, "content");
        rf_json_obj(w, NULL);
        rf_json_obj(w, "embeddings");
        rf_json_raw(w, "values", numbers(r->arena, text, n));
        rf_json_obj(w, "statistics");
        rf_json_bool(w, "truncated", false);
        rf_json_int(w, "token_count", (int64_t)(text.n / BYTES_PER_TOKEN) + 1);
        rf_json_end(w);
        rf_json_end(w);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}
