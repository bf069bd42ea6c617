/* What Ollama says of a model. https://docs.ollama.com/api (2026-11)
 *
 *     {"capabilities": ["completion", "tools", "vision", "thinking", "audio"],
 *      "model_info": {"general.architecture": "llama", "llama.context_length": 131072},
 *      "parameters": "num_ctx    8192\nstop    \"…\""}
 *
 * Servers before 0.6.4 have no capabilities: then those of the catalogue stand. Sound is taken by
 * its own API alone. How thinking is asked for stays with the catalogue, as far as it knows. */
#include "wire/describe.h"

#include "base/arena.h"
#include "base/buf.h"

#include <inttypes.h>

#define MOST_TOKENS 1000000000

static const char *const known[] = { "completion", "tools", "vision", "thinking", "audio" };

static bool lists(const struct rf_jval *capabilities, const char *name)
{
    for (const struct rf_jval *v = rf_jval_first(capabilities); v;
         v = rf_jval_next(capabilities, v))
        if (v->type == RF_JSTRING && rf_jval_is(v, name))
            return true;
    return false;
}

static struct rf_str words_of(const struct rf_jval *capabilities, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str words;
    size_t count = 0;
    rf_buf_init(&b, a, SIZE_MAX);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (lists(capabilities, known[i]))
            rf_buf_addf(&b, "%s%s", count++ ? ", " : "/api/show: ", known[i]);
    return rf_buf_finish(&b, &words, NULL) || !count ? RF_STR("/api/show") : words;
}

static void add_flag(struct rf_said *out, const char *fact, bool has)
{
    rf_said_add(out, fact, has ? RF_STR("yes") : RF_STR("no"));
}

static void take_thinking(bool thinks, bool own, const struct rf_caps *c, struct rf_said *out)
{
    bool unasked = c->thinking == RF_THINKING_NONE || c->thinking == RF_THINKING_NO;
    if (thinks && own && unasked) {
        rf_said_add(out, "thinking", RF_STR("switch"));
        rf_said_add(out, "thinking_off", RF_STR("yes"));
    } else if (!thinks && (rf_caps_thinks_when_asked(c) || unasked)) {
        rf_said_add(out, "thinking", RF_STR("no"));
    }
}

static void take_capabilities(const struct rf_jval *list, const struct rf_model *m,
                              struct rf_said *out)
{
    bool own = rf_str_is(m->caps.dialect, rf_ollama_description.server);
    add_flag(out, "tools", lists(list, "tools"));
    add_flag(out, "vision", lists(list, "vision"));
    if (own)
        add_flag(out, "audio_input", lists(list, "audio"));
    take_thinking(lists(list, "thinking"), own, &m->caps, out);
}

static void add_tokens(struct rf_said *out, const char *fact, int64_t tokens)
{
    if (tokens > 0 && tokens <= MOST_TOKENS)
        rf_said_add(out, fact, rf_strf(out->arena, "%" PRId64, tokens));
}

static void take_length(const struct rf_jval *info, struct rf_said *out)
{
    const struct rf_jval *name = rf_jval_get(info, "general.architecture");
    int64_t tokens;
    if (!name || name->type != RF_JSTRING)
        return;
    struct rf_str architecture = rf_jval_text(name, out->arena);
    const struct rf_jval *length =
        rf_jval_get(info, rf_strf(out->arena, "%.*s.context_length", RF_FMT(architecture)).p);
    if (length && length->type == RF_JNUMBER && rf_str_int64(length->raw, &tokens))
        add_tokens(out, "context_tokens", tokens);
}

/* "num_ctx    8192": the window that the model's own file asks for. */
static void take_window(const struct rf_jval *parameters, struct rf_said *out)
{
    struct rf_str lines, line, name;
    int64_t tokens = 0;
    if (!parameters || parameters->type != RF_JSTRING)
        return;
    lines = rf_jval_text(parameters, out->arena);
    while (rf_str_split(&lines, '\n', &line)) {
        if (rf_str_split(&line, ' ', &name) && rf_str_is(name, "num_ctx"))
            rf_str_int64(rf_str_trim(line), &tokens);
    }
    add_tokens(out, "usual_context_tokens", tokens);
}

static void read(const struct rf_jval *answer, const struct rf_model *m, struct rf_said *out)
{
    const struct rf_jval *list = rf_jval_get(answer, "capabilities");
    bool lists_some = list && list->type == RF_JARRAY && list->count;
    out->words = lists_some ? words_of(list, out->arena) : RF_STR("/api/show");
    if (lists_some)
        take_capabilities(list, m, out);
    take_length(rf_jval_get(answer, "model_info"), out);
    take_window(rf_jval_get(answer, "parameters"), out);
}

static void ask(const struct rf_model *m, struct rf_json *w)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "model", m->name);
    rf_json_end(w);
}

const struct rf_description rf_ollama_description = {
    .server = "ollama",
    .path = "/api/show",
    .ask = ask,
    .read = read,
};
