#include "sim/openai/openai.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_PATH_SHOWN 160
#define NUMBER_SHOWN 40

static const struct rf_sim_openai_rules rules[] = {
    { .provider = "openai",
      .words = RF_SIM_AS_OPENAI,
      .strict = true,
      .families = true,
      .tier = "default" },
    { .provider = "openai-chat",
      .words = RF_SIM_AS_OPENAI,
      .strict = true,
      .families = true,
      .id_prefix = "chatcmpl-",
      .fingerprint = "fp_44709d6fcb",
      .tier = "default",
      .usage_apart = true,
      .token_details = true },
    { .provider = "xai", .words = RF_SIM_AS_XAI, .no_inline_files = true },
    { .provider = "xai-chat",
      .words = RF_SIM_AS_XAI,
      .id_prefix = "",
      .fingerprint = "fp_6ca29cf396",
      .whole_calls = true,
      .token_details = true },
    { .provider = "groq",
      .words = RF_SIM_AS_GROQ,
      .strict = true,
      .strict_messages = true,
      .result_parts = true,
      .id_prefix = "chatcmpl-",
      .fingerprint = "fp_992318f10a",
      .tier = "on_demand" },
    { .provider = "openrouter",
      .words = RF_SIM_AS_OPENROUTER,
      .result_parts = true,
      .id_prefix = "gen-1700000000-",
      .fingerprint = "fp_44709d6fcb",
      .host = "Simulator",
      .token_details = true },
    { .provider = "litellm",
      .words = RF_SIM_AS_OPENAI,
      .result_parts = true,
      .id_prefix = "chatcmpl-",
      .token_details = true },
    { .provider = "ollama",
      .words = RF_SIM_AS_OPENAI,
      .id_prefix = "chatcmpl-",
      .fingerprint = "fp_ollama",
      .whole_calls = true,
      .usage_apart = true },
    { .provider = "mistral", .id_prefix = "", .whole_calls = true, .thinking_parts = true },
    { .provider = "", /* all that are compatible */
      .words = RF_SIM_AS_OPENAI,
      .result_parts = true,
      .id_prefix = "chatcmpl-" },
};

const struct rf_sim_openai_rules *rf_sim_openai_rules(struct rf_str provider)
{
    size_t i = 0;
    while (i + 1 < sizeof rules / sizeof *rules && !rf_str_is(provider, rules[i].provider))
        i++;
    return &rules[i];
}

static struct rf_str path_text(struct rf_sim_openai *c, const struct rf_jpath *at)
{
    char path[MAX_PATH_SHOWN];
    rf_jpath_format(at, path, sizeof path);
    return rf_str_dup(c->r->arena, rf_str(path));
}

bool rf_sim_openai_refuse(struct rf_sim_openai *c, const struct rf_jpath *at, const char *code,
                          const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    c->refusal->status = 400;
    c->refusal->type = RF_STR("invalid_request_error");
    c->refusal->message = rf_strfv(c->r->arena, fmt, ap);
    c->refusal->code = rf_str(code);
    c->refusal->param = at ? path_text(c, at) : RF_STR("");
    va_end(ap);
    return false;
}

/* Members and values */

static const char *type_word(unsigned type)
{
    switch (type) {
    case RF_SIM_STRING:
        return "a string";
    case RF_SIM_NUMBER:
        return "a number";
    case RF_SIM_BOOL:
        return "a boolean";
    case RF_SIM_ARRAY:
        return "an array of objects";
    case RF_SIM_OBJECT:
        return "an object";
    default:
        return "one of a string or array of objects";
    }
}

static const char *got_word(enum rf_jtype type)
{
    switch (type) {
    case RF_JNULL:
        return "null";
    case RF_JFALSE:
    case RF_JTRUE:
        return "a boolean";
    case RF_JNUMBER:
        return "an integer";
    case RF_JSTRING:
        return "a string";
    case RF_JARRAY:
        return "an array";
    case RF_JOBJECT:
        return "an object";
    }
    return "nothing";
}

/* "messages.0" as Groq spells places. */
static struct rf_str dotted(struct rf_sim_openai *c, const struct rf_jpath *at)
{
    struct rf_str path = path_text(c, at);
    char *p = rf_arena_alloc(c->r->arena, path.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] != ']')
            p[n++] = path.p[i] == '[' ? '.' : path.p[i];
    return (struct rf_str){ p, n };
}

static bool refuse_unknown(struct rf_sim_openai *c, const struct rf_jpath *at, struct rf_str name)
{
    const char *member = rf_cstr(c->r->arena, name);
    if (!at && c->rules->words == RF_SIM_AS_OPENAI && c->chat)
        return rf_sim_openai_refuse(c, NULL, "", "Unrecognized request argument supplied: %s",
                                    member);
    if (c->rules->words != RF_SIM_AS_GROQ) {
        struct rf_jpath below = { at, member, 0 };
        /* source: reported (openai/openai-python#2720) */
        return rf_sim_openai_refuse(c, &below, "unknown_parameter", "Unknown parameter: '%s'.",
                                    path_text(c, &below).p);
    }
    if (!at)
        return rf_sim_openai_refuse(c, NULL, "", "property '%s' is unsupported", member);
    struct rf_str place = dotted(c, at);
    return rf_sim_openai_refuse(
        c, NULL, "",
        "'%.*s' : for 'role:%s' the following must be satisfied[('%.*s' : property "
        "'%s' is unsupported)]",
        RF_FMT(place), c->role ? c->role : "user", RF_FMT(place), member);
}

static bool check_members(struct rf_sim_openai *c, const struct rf_jval *object,
                          const struct rf_jpath *at, const char *members, bool strict)
{
    if (object->type != RF_JOBJECT)
        return rf_sim_openai_refuse(
            c, at, "invalid_type", "Invalid type for '%s': expected an object, but got %s instead.",
            path_text(c, at).p, got_word(object->type));
    struct rf_sim_wrong wrong = rf_sim_members(object, members, c->r->arena);
    struct rf_jpath below = { at, rf_cstr(c->r->arena, wrong.name), 0 };
    switch (wrong.fault) {
    case RF_SIM_FINE:
        return true;
    case RF_SIM_UNKNOWN:
        return !strict || refuse_unknown(c, at, wrong.name);
    case RF_SIM_MISSING:
        return rf_sim_openai_refuse(c, &below, "missing_required_parameter",
                                    "Missing required parameter: '%s'.", path_text(c, &below).p);
    case RF_SIM_WRONG_TYPE:
        return rf_sim_openai_refuse(
            c, &below, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.",
            path_text(c, &below).p, type_word(wrong.want & ~(unsigned)RF_SIM_NULL),
            got_word(wrong.got));
    }
    return true;
}

bool rf_sim_openai_members(struct rf_sim_openai *c, const struct rf_jval *object,
                           const struct rf_jpath *at, const char *members)
{
    return check_members(c, object, at, members, c->rules->strict);
}

bool rf_sim_openai_message(struct rf_sim_openai *c, const struct rf_jval *message,
                           const struct rf_jpath *at, const char *members)
{
    return check_members(c, message, at, members, c->rules->strict_messages);
}

static struct rf_str quoted_list(struct rf_sim_openai *c, const char *words)
{
    struct rf_str rest = rf_str(words), word, out = { "", 0 };
    while (rf_str_split(&rest, ' ', &word)) {
        const char *join = !out.n ? "" : rest.n ? ", " : ", and ";
        out = rf_strf(c->r->arena, "%.*s%s'%.*s'", RF_FMT(out), join, RF_FMT(word));
    }
    return out;
}

bool rf_sim_openai_choice(struct rf_sim_openai *c, const struct rf_jval *v,
                          const struct rf_jpath *at, const char *words)
{
    struct rf_str text = rf_sim_text(c->r, v);
    if (!v || v->type == RF_JNULL || rf_sim_one_of(text, words))
        return true;
    struct rf_str list = quoted_list(c, words);
    return rf_sim_openai_refuse(c, at, "invalid_value",
                                "Invalid value: '%.*s'. Supported values are: %.*s.", RF_FMT(text),
                                RF_FMT(list));
}

static bool is_word(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.p[i];
        if (!rf_is_alnum(ch) && ch != '_' && ch != '-')
            return false;
    }
    return s.n > 0;
}

bool rf_sim_openai_string(struct rf_sim_openai *c, const struct rf_jval *v,
                          const struct rf_jpath *at, size_t max)
{
    struct rf_str text = rf_sim_text(c->r, v);
    if (text.n > max)
        return rf_sim_openai_refuse(c, at, "string_above_max_length",
                                    "Invalid '%s': string too long. Expected a string with maximum "
                                    "length %zu, but got a string with length %zu instead.",
                                    path_text(c, at).p, max, text.n);
    return text.n > 0 ||
           rf_sim_openai_refuse(c, at, "empty_string",
                                "Invalid '%s': empty string. Expected a string with minimum "
                                "length 1, but got an empty string instead.",
                                path_text(c, at).p);
}

bool rf_sim_openai_word(struct rf_sim_openai *c, const struct rf_jval *v, const struct rf_jpath *at,
                        size_t max)
{
    return rf_sim_openai_string(c, v, at, max) &&
           (is_word(rf_sim_text(c->r, v)) ||
            rf_sim_openai_refuse(
                c, at, "invalid_value",
                "Invalid '%s': string does not match pattern. Expected a string that "
                "matches the pattern '^[a-zA-Z0-9_-]+$'.",
                path_text(c, at).p));
}

bool rf_sim_openai_parameters(struct rf_sim_openai *c, const struct rf_jval *function,
                              const struct rf_jpath *at)
{
    const struct rf_jval *schema = rf_jval_get(function, "parameters");
    struct rf_jpath schema_at = { at, "parameters", 0 };
    struct rf_str name = rf_sim_get(c->r, function, "name");
    struct rf_str type = rf_sim_get(c->r, schema, "type");
    if (!schema || schema->type != RF_JOBJECT || !c->rules->families)
        return true;
    if (!rf_str_is(type, "object"))
        /* source: reported (i-am-bee/beeai-framework#844) */
        return rf_sim_openai_refuse(c, &schema_at, "invalid_function_parameters",
                                    "Invalid schema for function '%.*s': schema must be a JSON "
                                    "Schema of 'type: \"object\"', got 'type: \"%s\"'.",
                                    RF_FMT(name), type.n ? rf_cstr(c->r->arena, type) : "None");
    return rf_jval_get(schema, "properties") ||
           /* source: reported (evalstate/fast-agent#143) */
           rf_sim_openai_refuse(c, &schema_at, "invalid_function_parameters",
                                "Invalid schema for function '%.*s': In context=(), object schema "
                                "missing properties.",
                                RF_FMT(name));
}

bool rf_sim_openai_id(struct rf_sim_openai *c, const struct rf_jval *item, const char *prefix,
                      const struct rf_jpath *at)
{
    const struct rf_jval *v = rf_jval_get(item, "id");
    struct rf_jpath id_at = { at, "id", 0 };
    struct rf_str id = rf_sim_text(c->r, v);
    if (!v || v->type != RF_JSTRING || !c->rules->families)
        return true;
    if (!is_word(id))
        return rf_sim_openai_refuse(
            c, &id_at, "invalid_value",
            "Invalid '%s': '%.*s'. Expected an ID that contains letters, numbers, "
            "underscores, or dashes, but this value contained additional characters.",
            path_text(c, &id_at).p, RF_FMT(id));
    return rf_str_starts(id, prefix) ||
           rf_sim_openai_refuse(c, &id_at, "invalid_value",
                                "Invalid '%s': '%.*s'. Expected an ID that begins with '%s'.",
                                path_text(c, &id_at).p, RF_FMT(id), prefix);
}

bool rf_sim_openai_length(struct rf_sim_openai *c, const struct rf_jval *list,
                          const struct rf_jpath *at, size_t most)
{
    return list->count <= most ||
           rf_sim_openai_refuse(
               c, at, "array_above_max_length",
               "Invalid '%s': array too long. Expected an array with maximum length %zu, "
               "but got an array with length %zu instead.",
               path_text(c, at).p, most, (size_t)list->count);
}

bool rf_sim_openai_number(struct rf_sim_openai *c, const struct rf_jval *body, const char *name,
                          double least, double most)
{
    const struct rf_jval *v = rf_jval_get(body, name);
    if (!v || v->type != RF_JNUMBER)
        return true;
    double number = strtod(rf_cstr(c->r->arena, v->raw), NULL);
    if (number >= least && number <= most)
        return true;
    struct rf_jpath at = { NULL, name, 0 };
    bool below = number < least;
    /* source: recorded */
    return rf_sim_openai_refuse(
        c, &at, below ? "decimal_below_min_value" : "decimal_above_max_value",
        "Invalid '%s': decimal %s value. Expected a value %s %g, but got %.*s instead.", name,
        below ? "below minimum" : "above maximum", below ? ">=" : "<=", below ? least : most,
        (int)(v->raw.n < NUMBER_SHOWN ? v->raw.n : NUMBER_SHOWN), v->raw.p);
}

/* What stands in front of a body, and around it */

bool rf_sim_openai_model(struct rf_sim_openai *c, const struct rf_jval *body)
{
    struct rf_jpath at = { NULL, "model", 0 };
    struct rf_str name = rf_sim_get(c->r, body, "model");
    if (!rf_str_eq(name, c->r->model->name) || rf_sim_model_exists(c->r->model))
        return true;
    /* source: recorded */
    rf_sim_openai_refuse(c, c->rules->words == RF_SIM_AS_GROQ ? NULL : &at, "model_not_found",
                         c->chat
                             ? "The model `%.*s` does not exist or you do not have access to it."
                             : "The requested model '%.*s' does not exist.",
                         RF_FMT(name));
    if (c->chat)
        c->refusal->status = 404;
    return false;
}

bool rf_sim_openai_limits(struct rf_sim_openai *c, const struct rf_jval *body)
{
    const struct rf_caps *caps = &c->r->model->caps;
    if (caps->max_body_bytes && body->raw.n > (uint64_t)caps->max_body_bytes) {
        rf_sim_openai_refuse(c, NULL, "request_too_large",
                             "Maximum content size limit (%" PRId64 ") exceeded (%zu bytes read)",
                             caps->max_body_bytes, body->raw.n);
        c->refusal->status = 413;
        return false;
    }
    if (caps->max_images && c->images > caps->max_images)
        return rf_sim_openai_refuse(c, NULL, "too_many_images",
                                    "Too many images provided: request contains %" PRId64
                                    " images, exceeding the maximum of %" PRId64
                                    " allowed per request",
                                    c->images, caps->max_images);
    int64_t tokens = rf_sim_input_tokens(c->r);
    if (caps->context_tokens && tokens > caps->context_tokens)
        return rf_sim_openai_refuse(
            c, NULL, "context_length_exceeded",
            "This model's maximum context length is %" PRId64 " tokens. However, "
            "your messages resulted in %" PRId64 " tokens. Please reduce the "
            "length of the messages.",
            caps->context_tokens, tokens);
    return true;
}
