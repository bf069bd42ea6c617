/* Values that fit a JSON Schema: an answer, where the request has one in the place of its API or at
 * the end of its system prompt, and the arguments of a call that is demanded. The texts in them are
 * what the model would have said.
 *
 * A value has all that is required and, in an answer, what is optional too, up to some depth; of
 * choices it takes the first that is not null. `not` and conditions are not looked at, and a
 * pattern that is too much for model_pattern.c gets a text that says so. */
#include "base/arena.h"
#include "base/utf8.h"
#include "sim/mind.h"

#define MOST_DEPTH 32    /* of a schema that refers to itself */
#define OPTIONAL_DEPTH 4 /* up to which members and elements are there that need not be */
#define MOST_ELEMENTS 64 /* of a list in it */
#define MOST_VIEWS 16
#define MOST_TEXT 65536 /* bytes of a text that has to be long */

static const struct {
    const char *dialect;
    const char *path[6];
} places[] = {
    { "anthropic", { "output_config", "format", "schema" } },
    { "bedrock", { "outputConfig", "textFormat", "structure", "jsonSchema", "schema" } },
    { "cohere", { "response_format", "json_schema" } },
    { "cohere", { "response_format", "schema" } },
    { "gemini", { "generationConfig", "responseJsonSchema" } },
    { "gemini", { "generationConfig", "responseSchema" } },
    { "gemini", { "generationConfig", "response_json_schema" } },
    { "gemini", { "generationConfig", "response_schema" } },
    { "mistral", { "response_format", "json_schema", "schema" } },
    { "ollama", { "format" } },
    { "openai-chat", { "response_format", "json_schema", "schema" } },
    { "openai-responses", { "text", "format", "schema" } },
};

/* Where JSON is asked for without a schema. */
static const struct {
    const char *dialect, *value;
    const char *path[3];
} modes[] = {
    { "cohere", "json_object", { "response_format", "type" } },
    { "gemini", "application/json", { "generationConfig", "responseMimeType" } },
    { "gemini", "application/json", { "generationConfig", "response_mime_type" } },
    { "mistral", "json_object", { "response_format", "type" } },
    { "ollama", "json", { "format" } },
    { "openai-chat", "json_object", { "response_format", "type" } },
    { "openai-responses", "json_object", { "text", "format", "type" } },
};

static const struct rf_jval *follow(const struct rf_jval *v, const char *const *path, size_t most)
{
    for (size_t i = 0; i < most && path[i]; i++)
        v = rf_jval_get(v, path[i]);
    return v;
}

/* A system prompt may say it in words: the schema stands at its end. */
static const struct rf_jval *find_in_words(const struct rf_sim_request *r)
{
    static const char words[] = "JSON Schema: ";
    for (size_t i = 0; i < r->count; i++) {
        const struct rf_sim_seen *s = &r->seen[i];
        bool system = s->kind == RF_SIM_TEXT && strcmp(s->role, "system") == 0;
        const char *at = system ? memmem(s->text.p, s->text.n, words, sizeof words - 1) : NULL;
        const struct rf_jval *read;
        if (!at)
            continue;
        size_t begins = (size_t)(at - s->text.p) + sizeof words - 1;
        if (!rf_jval_parse((struct rf_str){ s->text.p + begins, s->text.n - begins }, r->arena,
                           &read, NULL))
            return read;
    }
    return NULL;
}

static const struct rf_jval *find(const struct rf_sim_request *r)
{
    const struct rf_jval *v = NULL, *read;
    for (size_t i = 0; !v && i < sizeof places / sizeof *places; i++)
        if (strcmp(r->dialect->name, places[i].dialect) == 0)
            v = follow(r->body, places[i].path, 6);
    if (v && v->type == RF_JSTRING &&
        !rf_jval_parse(rf_jval_text(v, r->arena), r->arena, &read, NULL))
        v = read;
    return v && v->type == RF_JOBJECT ? v : find_in_words(r);
}

static bool wants_json(const struct rf_sim_request *r)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(r->dialect->name, modes[i].dialect) == 0 &&
            rf_jval_is(follow(r->body, modes[i].path, 3), modes[i].value))
            return true;
    return false;
}

enum rf_sim_members { REQUIRED_MEMBERS, ALL_MEMBERS };

struct sample {
    const struct rf_sim_request *r;
    const struct rf_jval *root;
    struct rf_str said;
    enum rf_sim_members members;
    struct rf_json *w;
    size_t depth;
};

/* All schemas that hold for one value: the schema itself, what it refers to, all of `allOf`, and
 * one of each choice. */
struct views {
    const struct rf_jval *list[MOST_VIEWS];
    size_t count;
};

static void write_sample(struct sample *s, const struct rf_jval *schema, size_t number);

/* "#/$defs/x". */
static const struct rf_jval *referred(struct sample *s, const struct rf_jval *ref)
{
    const struct rf_jval *v = s->root;
    struct rf_str rest = ref->type == RF_JSTRING ? rf_jval_text(ref, s->r->arena) : RF_STR(""),
                  step;
    rf_str_split(&rest, '/', &step);
    while (v && rf_str_split(&rest, '/', &step))
        v = rf_jval_get(v, rf_cstr(s->r->arena, step));
    return v;
}

static bool is_null(const struct rf_jval *schema)
{
    const struct rf_jval *type = rf_jval_get(schema, "type");
    return type && type->type == RF_JSTRING &&
           (rf_jval_is(type, "null") || rf_jval_is(type, "NULL"));
}

static const struct rf_jval *first_choice(const struct rf_jval *choices)
{
    const struct rf_jval *v = rf_jval_at(choices, 0);
    while (v && is_null(v) && rf_jval_next(choices, v))
        v = rf_jval_next(choices, v);
    return v;
}

static void look(struct sample *s, const struct rf_jval *schema, struct views *out)
{
    if (!schema || schema->type != RF_JOBJECT || out->count == MOST_VIEWS)
        return;
    out->list[out->count++] = schema;
    const struct rf_jval *ref = rf_jval_get(schema, "$ref"), *all = rf_jval_get(schema, "allOf");
    if (ref)
        look(s, referred(s, ref), out);
    for (const struct rf_jval *v = rf_jval_at(all, 0); v; v = rf_jval_next(all, v))
        look(s, v, out);
    look(s, first_choice(rf_jval_get(schema, "anyOf")), out);
    look(s, first_choice(rf_jval_get(schema, "oneOf")), out);
}

/* The first that says it. */
static const struct rf_jval *said_of(const struct views *views, const char *name)
{
    const struct rf_jval *v = NULL;
    for (size_t i = 0; !v && i < views->count; i++)
        v = rf_jval_get(views->list[i], name);
    return v;
}

static int64_t bound(const struct views *views, const char *name, int64_t usual)
{
    const struct rf_jval *v = said_of(views, name);
    int64_t n;
    return v && rf_jval_int64(v, &n) ? n : usual;
}

static bool real_bound(const struct views *views, const char *name, double *out)
{
    const struct rf_jval *v = said_of(views, name);
    return v && v->type == RF_JNUMBER && rf_jval_double(v, out);
}

/* Objects */

/* A member by what all schemas say of it. */
static void write_member(struct sample *s, const struct views *views, struct rf_str name)
{
    const struct rf_jval *about = NULL;
    for (size_t i = 0; !about && i < views->count; i++)
        about = rf_jval_get(rf_jval_get(views->list[i], "properties"), rf_cstr(s->r->arena, name));
    rf_json_key(s->w, name);
    write_sample(s, about ? about : said_of(views, "additionalProperties"), 0);
}

static void write_names(struct sample *s, const struct views *views, struct rf_sim_calls *done,
                        const struct rf_jval *list, size_t step)
{
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v;
         v = rf_jval_next(list, v + step)) {
        struct rf_str name = v->type == RF_JSTRING ? rf_jval_text(v, s->r->arena) : RF_STR("");
        if (v->type == RF_JSTRING && rf_sim_call_add(done, s->r->arena, name, name))
            write_member(s, views, name);
    }
}

static void write_object(struct sample *s, const struct views *views)
{
    struct rf_sim_calls done = { 0 }; /* names that are written */
    bool all = s->members == ALL_MEMBERS && s->depth <= OPTIONAL_DEPTH;
    rf_json_obj(s->w, NULL);
    for (size_t i = 0; i < views->count; i++) {
        const struct rf_jval *properties = rf_jval_get(views->list[i], "properties"),
                             *required = rf_jval_get(views->list[i], "required");
        if (all && properties && properties->type == RF_JOBJECT)
            write_names(s, views, &done, properties, 1);
        if (required && required->type == RF_JARRAY)
            write_names(s, views, &done, required, 0);
    }
    rf_json_end(s->w);
}

/* Lists */

static void write_list(struct sample *s, const struct views *views)
{
    const struct rf_jval *first = said_of(views, "prefixItems"), *items = said_of(views, "items");
    bool more = s->members == ALL_MEMBERS && s->depth <= OPTIONAL_DEPTH;
    int64_t prefix = first && first->type == RF_JARRAY ? (int64_t)first->count : 0;
    int64_t count = more ? (prefix > 0 ? prefix : 1) : 0;
    int64_t least = bound(views, "minItems", 0), most = bound(views, "maxItems", MOST_ELEMENTS);
    count = count < least ? least : count;
    count = count > most ? most : count;
    count = count > MOST_ELEMENTS ? MOST_ELEMENTS : count;
    rf_json_arr(s->w, NULL);
    for (int64_t i = 0; i < count; i++)
        write_sample(s, i < prefix ? rf_jval_at(first, (size_t)i) : items, (size_t)i);
    rf_json_end(s->w);
}

/* Numbers: 1 where that is allowed, else what is next to a bound. */

static double next_multiple(double x, double step)
{
    double n = (double)(int64_t)(x / step);
    return n * step < x ? (n + 1) * step : n * step;
}

static void write_number(struct sample *s, const struct views *views, bool whole, size_t number)
{
    double least = -1e15, most = 1e15, step = 0, x;
    bool open = real_bound(views, "exclusiveMinimum", &least);
    bool ends_open = real_bound(views, "exclusiveMaximum", &most);
    if (!open)
        real_bound(views, "minimum", &least);
    if (!ends_open)
        real_bound(views, "maximum", &most);
    x = 1 + (double)number;
    if (x < least || (open && x <= least))
        x = !open ? least : whole ? (double)(int64_t)least + 1 : least + 1;
    if (x > most || (ends_open && x >= most))
        x = least > -1e15 ? whole ? least + open : (least + most) / 2
            : whole       ? most - ends_open
            : ends_open   ? most - 1
                          : most;
    if (real_bound(views, "multipleOf", &step) && step > 0)
        x = next_multiple(x, step);
    if (whole)
        rf_json_int(s->w, NULL,
                    (int64_t)(x < (double)(int64_t)x || x > (double)(int64_t)x
                                  ? (double)(int64_t)x + 1
                                  : x));
    else
        rf_json_raw(s->w, NULL, rf_strf(s->r->arena, "%.15g", x));
}

/* Texts */

static const struct {
    const char *format, *text;
} formats[] = {
    { "date", "2026-01-01" },
    { "date-time", "2026-01-01T00:00:00Z" },
    { "time", "00:00:00Z" },
    { "duration", "P1D" },
    { "email", "somebody@example.com" },
    { "idn-email", "somebody@example.com" },
    { "hostname", "example.com" },
    { "idn-hostname", "example.com" },
    { "ipv4", "127.0.0.1" },
    { "ipv6", "::1" },
    { "uri", "https://example.com/" },
    { "uri-reference", "https://example.com/" },
    { "iri", "https://example.com/" },
    { "iri-reference", "https://example.com/" },
    { "uri-template", "https://example.com/{id}" },
    { "json-pointer", "/a" },
    { "relative-json-pointer", "0/a" },
    { "regex", "^a$" },
    { "uuid", "00000000-0000-4000-8000-000000000000" },
};

/* `n` characters. */
static struct rf_str characters(struct rf_str s, size_t n)
{
    size_t i = 0;
    for (; i < s.n && n > 0; n--)
        do
            i++;
        while (i < s.n && ((unsigned char)s.p[i] & 0xC0) == 0x80);
    return (struct rf_str){ s.p, i };
}

static struct rf_str fill(struct sample *s, struct rf_str text, const struct rf_sim_lengths *length)
{
    int64_t missing = length->least - rf_utf8_count(text);
    if (missing > 0)
        text = rf_strf(s->r->arena, "%.*s%*s", RF_FMT(text), (int)missing, "");
    return length->most < INT64_MAX ? characters(text, (size_t)length->most) : text;
}

static struct rf_str formatted(struct sample *s, const struct views *views, size_t number)
{
    const struct rf_jval *format = said_of(views, "format");
    for (size_t i = 0; format && i < sizeof formats / sizeof *formats; i++)
        if (rf_jval_is(format, formats[i].format))
            return rf_str(formats[i].text);
    return number > 0 ? rf_strf(s->r->arena, "%zu: %.*s", number, RF_FMT(s->said)) : s->said;
}

/* A text that does not fit is seen by whoever checks it, so it says why. */
static struct rf_str patterned(struct sample *s, struct rf_str pattern,
                               const struct rf_sim_lengths *length, size_t number)
{
    struct rf_str text;
    return rf_sim_pattern(pattern, length, number, s->r->arena, &text)
               ? text
               : rf_strf(s->r->arena,
                         "The simulator cannot write a text that fits the pattern %.*s",
                         RF_FMT(pattern));
}

static void write_text(struct sample *s, const struct views *views, size_t number)
{
    const struct rf_jval *pattern = said_of(views, "pattern");
    struct rf_sim_lengths length = { bound(views, "minLength", 0),
                                     bound(views, "maxLength", INT64_MAX) };
    length.least = length.least > MOST_TEXT ? MOST_TEXT : length.least;
    length.most = length.most < 0 ? 0 : length.most;
    rf_json_str(s->w, NULL,
                pattern && pattern->type == RF_JSTRING
                    ? patterned(s, rf_jval_text(pattern, s->r->arena), &length, number)
                    : fill(s, formatted(s, views, number), &length));
}

/* Any */

/* What a schema means that names no type. */
static const struct {
    const char *keyword, *type;
} hints[] = {
    { "properties", "object" }, { "required", "object" },   { "items", "array" },
    { "prefixItems", "array" }, { "minItems", "array" },    { "minimum", "number" },
    { "maximum", "number" },    { "multipleOf", "number" },
};

static struct rf_str type_of(struct sample *s, const struct views *views)
{
    const struct rf_jval *type = said_of(views, "type");
    if (type && type->type == RF_JARRAY) {
        const struct rf_jval *v = rf_jval_at(type, 0);
        while (v && rf_jval_is(v, "null") && rf_jval_next(type, v))
            v = rf_jval_next(type, v);
        type = v;
    }
    if (type && type->type == RF_JSTRING)
        return rf_jval_text(type, s->r->arena);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (said_of(views, hints[i].keyword))
            return rf_str(hints[i].type);
    return RF_STR("string");
}

/* Gemini spells types in capitals. */
static void write_typed(struct sample *s, const struct views *views, size_t number)
{
    struct rf_str type = type_of(s, views);
    if (rf_str_ieq(type, RF_STR("object")))
        write_object(s, views);
    else if (rf_str_ieq(type, RF_STR("array")))
        write_list(s, views);
    else if (rf_str_ieq(type, RF_STR("integer")))
        write_number(s, views, true, number);
    else if (rf_str_ieq(type, RF_STR("number")))
        write_number(s, views, false, number);
    else if (rf_str_ieq(type, RF_STR("boolean")))
        rf_json_bool(s->w, NULL, number % 2 == 1);
    else if (rf_str_ieq(type, RF_STR("null")))
        rf_json_null(s->w, NULL);
    else
        write_text(s, views, number);
}

/* `number` is the place in a list: elements differ where they can. */
static void write_sample(struct sample *s, const struct rf_jval *schema, size_t number)
{
    struct views views = { 0 };
    look(s, schema, &views);
    const struct rf_jval *constant = said_of(&views, "const"), *values = said_of(&views, "enum");
    size_t count = values && values->type == RF_JARRAY ? values->count : 0;
    if (s->depth++ >= MOST_DEPTH)
        rf_json_null(s->w, NULL);
    else if (constant)
        rf_json_value(s->w, NULL, constant);
    else if (count > 0)
        rf_json_value(s->w, NULL, rf_jval_at(values, number % count));
    else
        write_typed(s, &views, number);
    s->depth--;
}

static struct rf_str written_sample(struct sample *s)
{
    struct rf_sim_writer writer;
    s->w = rf_sim_write(&writer, s->r->arena);
    write_sample(s, s->root, 0);
    return rf_sim_written(&writer);
}

struct rf_str rf_sim_fit(const struct rf_sim_request *r, struct rf_str said)
{
    struct sample s = { .r = r, .root = find(r), .said = said, .members = ALL_MEMBERS };
    struct rf_sim_writer writer;
    if (s.root)
        return written_sample(&s);
    if (!wants_json(r))
        return said;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "answer", said);
    rf_json_end(w);
    return rf_sim_written(&writer);
}

struct rf_str rf_sim_arguments(const struct rf_sim_request *r, const struct rf_jval *schema,
                               struct rf_str text)
{
    struct sample s = { .r = r, .root = schema, .said = text };
    return schema && schema->type == RF_JOBJECT ? written_sample(&s) : RF_STR("{}");
}
