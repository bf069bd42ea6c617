#include "plan/carried.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"

enum {
    DRAWS = 1 << 0, /* it steers how words are drawn, as a temperature does */
    ZERO = 1 << 1,  /* 0 is a value as any other; else it says nothing */
};

/* Where a dialect has a setting: a member of the body, or one of an object in it. */
struct spelling {
    const char *dialect, *path;
    double least, most; /* of a number that it takes; both 0: any */
    const char *beside; /* the setting that must be true beside it, or NULL */
};

#define AT(dialect, path)             \
    {                                 \
        dialect, path, 0.0, 0.0, NULL \
    }
#define WITHIN(dialect, path, least, most) \
    {                                      \
        dialect, path, least, most, NULL   \
    }
#define BESIDE(dialect, path, other)   \
    {                                  \
        dialect, path, 0.0, 0.0, other \
    }

static const struct setting {
    const char *name;
    unsigned ways;
    const char *why; /* no API is asked for it on behalf of another's client; or NULL */
    struct spelling spellings[7]; /* the last has no dialect */
} settings[] = {
    { "top_k",
      DRAWS,
      NULL,
      {
          AT("anthropic", "top_k"),
          AT("bedrock", "additionalModelRequestFields.top_k"),
          WITHIN("cohere", "k", 0, 500),
          AT("gemini", "generationConfig.topK"),
          AT("ollama", "options.top_k"),
          AT("openai-chat", "top_k"),
      } },
    { "seed",
      ZERO,
      NULL,
      {
          WITHIN("cohere", "seed", 0, 1.8e19),
          WITHIN("gemini", "generationConfig.seed", INT32_MIN, INT32_MAX),
          WITHIN("mistral", "random_seed", 0, 9.2e18),
          AT("ollama", "options.seed"),
          AT("openai-chat", "seed"),
      } },
    { "frequency_penalty",
      DRAWS,
      NULL,
      {
          WITHIN("cohere", "frequency_penalty", 0, 1),
          AT("gemini", "generationConfig.frequencyPenalty"),
          AT("mistral", "frequency_penalty"),
          AT("ollama", "options.frequency_penalty"),
          AT("openai-chat", "frequency_penalty"),
      } },
    { "presence_penalty",
      DRAWS,
      NULL,
      {
          WITHIN("cohere", "presence_penalty", 0, 1),
          AT("gemini", "generationConfig.presencePenalty"),
          AT("mistral", "presence_penalty"),
          AT("ollama", "options.presence_penalty"),
          AT("openai-chat", "presence_penalty"),
      } },
    { "logit_bias",
      DRAWS,
      NULL,
      {
          AT("openai-chat", "logit_bias"),
      } },
    { "top_logprobs",
      0,
      "answers of another API come without them",
      {
          AT("gemini", "generationConfig.logprobs"),
          AT("openai-chat", "top_logprobs"),
          AT("openai-responses", "top_logprobs"),
      } },
    { "verbosity",
      0,
      NULL,
      {
          AT("openai-chat", "verbosity"),
          AT("openai-responses", "text.verbosity"),
      } },
    { "prompt_cache_key",
      0,
      NULL,
      {
          AT("mistral", "prompt_cache_key"),
          AT("openai-chat", "prompt_cache_key"),
          AT("openai-responses", "prompt_cache_key"),
      } },
    { "prompt_cache_retention",
      0,
      NULL,
      {
          AT("openai-chat", "prompt_cache_retention"),
          AT("openai-responses", "prompt_cache_retention"),
      } },
    { "service_tier",
      0,
      NULL,
      {
          AT("openai-chat", "service_tier"),
          AT("openai-responses", "service_tier"),
      } },
    { "metadata",
      0,
      NULL,
      {
          BESIDE("openai-chat", "metadata", "store"),
          AT("openai-responses", "metadata"),
      } },
    { "safety_identifier",
      0,
      NULL,
      {
          AT("openai-chat", "safety_identifier"),
          AT("openai-responses", "safety_identifier"),
      } },
    { "user",
      0,
      NULL,
      {
          AT("openai-chat", "user"),
          AT("openai-responses", "user"),
      } },
    { "store",
      0,
      NULL,
      {
          AT("openai-chat", "store"),
          AT("openai-responses", "store"),
      } },
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

const char *rf_carried_name(size_t setting)
{
    return setting < COUNT(settings) ? settings[setting].name : NULL;
}

static const struct spelling *spelling_of(const struct setting *s, struct rf_str dialect)
{
    for (const struct spelling *one = s->spellings; one->dialect; one++)
        if (rf_str_is(dialect, one->dialect))
            return one;
    return NULL;
}

static const struct rf_jval *value_at(const struct rf_jval *v, struct rf_str path,
                                      struct rf_arena *a)
{
    struct rf_str name;
    while (rf_str_split(&path, '.', &name))
        v = rf_jval_get(v, rf_cstr(a, name));
    return v;
}

/* What was kept aside of the body, or of the options where they are an object of their own, whose
 * members may also have our names. */
static const struct rf_jval *value_of(const struct rf_plan *p, const struct setting *setting,
                                      struct rf_arena *a)
{
    const struct rf_conversation *c = p->conversation;
    const struct spelling *s =
        c->extra || c->options.extra ? spelling_of(setting, c->dialect) : NULL;
    if (!s)
        return NULL;
    const struct rf_jval *body = rf_jval_get(rf_jval_get(c->extra, "extra"), s->dialect);
    const struct rf_jval *options = rf_jval_get(rf_jval_get(c->options.extra, "extra"), s->dialect);
    const struct rf_jval *v = value_at(body, rf_str(s->path), a);
    const char *dot = strchr(s->path, '.');
    if (!v && dot)
        v = rf_jval_get(options, dot + 1);
    return v || !dot ? v : rf_jval_get(options, setting->name);
}

/* It says what is so anyway. */
static bool is_idle(const struct setting *s, const struct rf_jval *v)
{
    double n;
    return v->type == RF_JFALSE || rf_jval_is(v, "auto") ||
           (!(s->ways & ZERO) && v->type == RF_JNUMBER && rf_jval_double(v, &n) && n == 0);
}

static bool is_listed(struct rf_str list, const char *name)
{
    struct rf_str one;
    while (rf_str_split(&list, ',', &one))
        if (rf_str_is(one, name))
            return true;
    return false;
}

static bool is_within(const struct spelling *s, const struct rf_jval *v)
{
    double n;
    bool bounded = s->least != 0 || s->most != 0;
    return !bounded ||
           (v->type == RF_JNUMBER && rf_jval_double(v, &n) && n >= s->least && n <= s->most);
}

static bool has_beside(const struct rf_plan *p, const struct spelling *s, struct rf_arena *a)
{
    if (!s->beside)
        return true;
    size_t i = 0;
    while (strcmp(settings[i].name, s->beside) != 0)
        i++;
    const struct rf_jval *v = value_of(p, &settings[i], a);
    return v && v->type == RF_JTRUE;
}

const char *rf_carried_take(struct rf_plan *p, size_t setting, const char *unsampled,
                            struct rf_arena *a)
{
    const struct setting *s = &settings[setting];
    const struct rf_caps *c = &p->model->caps;
    const struct rf_jval *v = p->kept ? NULL : value_of(p, s, a);
    if (!v || is_idle(s, v))
        return NULL;
    if (s->why)
        return s->why;
    const struct spelling *there = spelling_of(s, c->dialect);
    if (!there || !is_listed(c->settings, s->name))
        return "does not take it";
    if (s->ways & DRAWS && unsampled)
        return unsampled;
    if (!is_within(there, v))
        return "does not take this one";
    if (!has_beside(p, there, a))
        return "takes it only with a stored answer";
    *RF_PUSH(a, p->carried, p->carried_count, p->carried_cap) =
        (struct rf_carried){ there->path, v };
    return NULL;
}

/* Wishes that no other API has a name for. */

#define MOST_WISHES 12 /* that are named */

/* What others are asked for in their own way, or a notice of its own tells of, or has nothing to do
 * with the answer. */
/* clang-format off */
static const char *const told[] = {
    "additional", "anthropic_version", "cache_control", "candidateCount", "candidate_count",
    "documents", "function_call", "include", "n", "namespaces", "offers", "options",
    "outputConfig", "output_config", "parallel_tool_calls", "reasoning", "reasoning_effort",
    "response_format", "responseJsonSchema", "responseMimeType", "responseSchema",
    "response_json_schema", "response_mime_type", "response_schema", "stream", "stream_options",
    "system", "text", "thinking", "thinkingConfig", "thinking_config", "toolConfig",
    "tool_choice", "tool_config", "tools", "usage", NULL
};
/* clang-format on */

/* Is it a setting, by the first or the last part of its path? */
static bool is_setting(const struct rf_jval *name, struct rf_str dialect)
{
    for (size_t i = 0; i < COUNT(settings); i++) {
        const struct spelling *s = spelling_of(&settings[i], dialect);
        const char *dot = s ? strchr(s->path, '.') : NULL;
        struct rf_str rest = rf_str(s ? s->path : ""), first;
        rf_str_split(&rest, '.', &first);
        if (s && (rf_str_eq(name->raw, first) || (dot && rf_jval_is(name, dot + 1)) ||
                  rf_jval_is(name, settings[i].name)))
            return true;
    }
    return false;
}

/* A list of nothing, or of text alone, which is what an answer is anyway. */
static bool is_idle_list(const struct rf_jval *v)
{
    const struct rf_jval *first = v->type == RF_JARRAY && v->count ? rf_jval_first(v) : NULL;
    return v->type == RF_JARRAY && (!v->count || (v->count == 1 && (rf_jval_is(first, "text") ||
                                                                    rf_jval_is(first, "TEXT"))));
}

static bool is_wish(const struct rf_jval *name, const struct rf_jval *v, struct rf_str dialect)
{
    static const struct setting any = { 0 };
    return v->type != RF_JNULL && !is_idle_list(v) && !is_idle(&any, v) &&
           !rf_jval_is_any(name, told) && !is_setting(name, dialect);
}

/* Adds the names to `b`, of which there are `count`. */
static void name_wishes(const struct rf_jval *said, struct rf_str dialect, struct rf_arena *a,
                        struct rf_buf *b, size_t *count)
{
    const struct rf_jval *k = said && said->type == RF_JOBJECT ? rf_jval_first(said) : NULL;
    for (; k && *count < MOST_WISHES; k = rf_jval_next(said, k + 1)) {
        if (!is_wish(k, k + 1, dialect))
            continue;
        struct rf_str shown = rf_utf8_cut(rf_jval_text(k, a), RF_MAX_NAME_SHOWN);
        rf_buf_addf(b, "%s%.*s", (*count)++ ? ", " : "", RF_FMT(shown));
    }
}

struct rf_str rf_carried_wishes(const struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_conversation *c = p->conversation;
    size_t count = 0;
    struct rf_buf b;
    if (p->kept || !c->dialect.n || (!c->extra && !c->options.extra))
        return RF_STR("");
    const char *dialect = rf_cstr(a, c->dialect);
    rf_buf_init(&b, a, SIZE_MAX);
    name_wishes(rf_jval_get(rf_jval_get(c->extra, "extra"), dialect), c->dialect, a, &b, &count);
    name_wishes(rf_jval_get(rf_jval_get(c->options.extra, "extra"), dialect), c->dialect, a, &b,
                &count);
    return (struct rf_str){ b.p, b.n };
}

/* Names of schemas. */

#define LONGEST_NAME 64

static const struct {
    const char *dialect, *path;
} schema_names[] = {
    { "bedrock", "outputConfig.textFormat.structure.jsonSchema.name" },
    { "mistral", "response_format.json_schema.name" },
    { "openai-chat", "response_format.json_schema.name" },
    { "openai-responses", "text.format.name" },
};

static bool is_name(struct rf_str s)
{
    size_t i = 0;
    while (i < s.n && (rf_is_alnum(s.p[i]) || s.p[i] == '_' || s.p[i] == '-'))
        i++;
    return i == s.n && i <= LONGEST_NAME;
}

struct rf_str rf_carried_schema_name(const struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_conversation *c = p->conversation;
    for (size_t i = 0; i < COUNT(schema_names); i++) {
        if (!rf_str_is(c->dialect, schema_names[i].dialect))
            continue;
        const struct rf_jval *v =
            rf_jval_get(rf_jval_get(c->extra, "extra"), schema_names[i].dialect);
        v = value_at(v, rf_str(schema_names[i].path), a);
        struct rf_str name = v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
        return is_name(name) ? name : RF_STR("");
    }
    return RF_STR("");
}

/* Types of answers. */

static const struct {
    const char *dialect, *types[3], *schemas[5]; /* among the options; each ends with NULL */
} answer_types[] = {
    { "gemini",
      { "responseMimeType", "response_mime_type", NULL },
      { "responseSchema", "response_schema", "responseJsonSchema", "response_json_schema", NULL } },
};

#define ONE_OF "text/x.enum"

static const struct rf_jval *first_of(const struct rf_jval *v, const char *const *names)
{
    const struct rf_jval *found = NULL;
    for (; *names && !found; names++)
        found = rf_jval_get(v, *names);
    return found;
}

struct rf_str rf_carried_type(const struct rf_plan *p, struct rf_arena *a,
                              const struct rf_jval **choices)
{
    const struct rf_conversation *c = p->conversation;
    *choices = NULL;
    for (size_t i = 0; i < COUNT(answer_types) && !p->kept; i++) {
        if (!rf_str_is(c->dialect, answer_types[i].dialect))
            continue;
        const struct rf_jval *options =
            rf_jval_get(rf_jval_get(c->options.extra, "extra"), answer_types[i].dialect);
        const struct rf_jval *type = first_of(options, answer_types[i].types);
        const struct rf_jval *schema = first_of(options, answer_types[i].schemas);
        const struct rf_jval *list = rf_jval_get(schema, "enum");
        if (!type || type->type != RF_JSTRING || rf_jval_is(type, "text/plain"))
            return RF_STR("");
        if (rf_jval_is(type, ONE_OF) && list && list->type == RF_JARRAY && list->count)
            *choices = list;
        return rf_jval_text(type, a);
    }
    return RF_STR("");
}
