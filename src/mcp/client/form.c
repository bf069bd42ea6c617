#include "mcp/client/form.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "mcp/rpc.h"

#define MOST_FIELDS 100
#define MOST_OPTIONS 1000
#define MOST_ANSWER ((size_t)1 << 20)

/* Reading */

static struct rf_str text_of(const struct rf_jval *object, const char *name, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(object, name);
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : (struct rf_str){ 0 };
}

/* "enum", with "enumNames" beside it; or "oneOf" and "anyOf" of {"const", "title"}. */
static enum rf_code read_options(const struct rf_jval *schema, struct rf_arena *a,
                                 struct rf_mcp_field *f, struct rf_err *err)
{
    const struct rf_jval *list = rf_jval_get(schema, "enum"), *titled = NULL, *v;
    const struct rf_jval *names = rf_jval_get(schema, "enumNames");
    if (!list)
        list = titled = rf_jval_get(schema, "oneOf");
    if (!list)
        list = titled = rf_jval_get(schema, "anyOf");
    if (rf_jval_type(list) != RF_JARRAY)
        return RF_OK;
    if (list->count > MOST_OPTIONS)
        return rf_fail(err, RF_ELIMIT, "field \"%.*s\" of the form has %u options, limit is %d",
                       RF_FMT(f->name), (unsigned)list->count, MOST_OPTIONS);
    f->options = RF_ARRAY(a, struct rf_mcp_option, list->count);
    for (v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        const struct rf_jval *value = titled ? rf_jval_get(v, "const") : v;
        const struct rf_jval *title =
            titled ? rf_jval_get(v, "title") : rf_jval_at(names, f->option_count);
        if (rf_jval_type(value) != RF_JSTRING)
            return rf_fail(err, RF_EFORMAT,
                           "field \"%.*s\" of the form has options that are not texts",
                           RF_FMT(f->name));
        struct rf_str text = rf_jval_text(value, a);
        f->options[f->option_count++] =
            (struct rf_mcp_option){ text, rf_jval_type(title) == RF_JSTRING ? rf_jval_text(title, a)
                                                                            : text };
    }
    return RF_OK;
}

static void read_bounds(const struct rf_jval *schema, struct rf_mcp_field *f)
{
    static const char *const least[] = { "minLength", "minimum", "minItems" };
    static const char *const most[] = { "maxLength", "maximum", "maxItems" };
    int at = f->kind == RF_MCP_FIELD_TEXT ? 0 : f->kind == RF_MCP_FIELD_CHOICES ? 2 : 1;
    f->has_least = rf_jval_double(rf_jval_get(schema, least[at]), &f->least);
    f->has_most = rf_jval_double(rf_jval_get(schema, most[at]), &f->most);
}

static const struct rf_mcp_option *option_of(const struct rf_mcp_field *f, struct rf_str typed)
{
    for (size_t i = 0; i < f->option_count; i++)
        if (rf_str_eq(f->options[i].value, typed) || rf_str_ieq(f->options[i].title, typed))
            return &f->options[i];
    return NULL;
}

/* An option of the default by its title, where that can be typed. */
static struct rf_str option_text(const struct rf_jval *v, struct rf_arena *a,
                                 const struct rf_mcp_field *f)
{
    struct rf_str text = v->type == RF_JSTRING ? rf_jval_text(v, a) : v->raw;
    const struct rf_mcp_option *o = option_of(f, text);
    bool cut = o && f->kind == RF_MCP_FIELD_CHOICES && memchr(o->title.p, ',', o->title.n);
    return o && !cut && option_of(f, o->title) == o ? o->title : text;
}

/* A default as a person would type it. */
static void read_initial(const struct rf_jval *v, struct rf_arena *a, struct rf_mcp_field *f)
{
    struct rf_buf b;
    f->has_initial = v && v->type != RF_JNULL;
    if (!f->has_initial)
        return;
    rf_buf_init(&b, a, MOST_ANSWER);
    if (v->type == RF_JTRUE || v->type == RF_JFALSE)
        rf_buf_add(&b, v->type == RF_JTRUE ? RF_STR("yes") : RF_STR("no"));
    else if (v->type == RF_JSTRING)
        rf_buf_add(&b, option_text(v, a, f));
    else if (v->type == RF_JNUMBER)
        rf_buf_add(&b, v->raw);
    for (const struct rf_jval *e = v->type == RF_JARRAY ? rf_jval_first(v) : NULL; e;
         e = rf_jval_next(v, e)) {
        rf_buf_add(&b, b.n ? RF_STR(", ") : RF_STR(""));
        rf_buf_add(&b, option_text(e, a, f));
    }
    f->has_initial = !rf_buf_finish(&b, &f->initial, NULL);
}

static enum rf_code read_kind(const struct rf_jval *schema, struct rf_mcp_field *f,
                              struct rf_err *err)
{
    static const struct {
        const char *type;
        enum rf_mcp_field_kind kind;
    } types[] = {
        { "string", RF_MCP_FIELD_TEXT },     { "number", RF_MCP_FIELD_NUMBER },
        { "integer", RF_MCP_FIELD_INTEGER }, { "boolean", RF_MCP_FIELD_BOOLEAN },
        { "array", RF_MCP_FIELD_CHOICES },
    };
    const struct rf_jval *type = rf_jval_get(schema, "type");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (rf_jval_is(type, types[i].type)) {
            f->kind = types[i].kind;
            return RF_OK;
        }
    return rf_fail(err, RF_EFORMAT, "field \"%.*s\" of the form is of a kind that is not known",
                   RF_FMT(f->name));
}

static enum rf_code read_field(const struct rf_jval *schema, struct rf_arena *a,
                               struct rf_mcp_field *f, struct rf_err *err)
{
    enum rf_code rc = read_kind(schema, f, err);
    if (rc)
        return rc;
    f->title = text_of(schema, "title", a);
    if (!f->title.n)
        f->title = f->name;
    f->description = text_of(schema, "description", a);
    f->format = text_of(schema, "format", a);
    read_bounds(schema, f);
    if (f->kind == RF_MCP_FIELD_TEXT || f->kind == RF_MCP_FIELD_CHOICES)
        rc = read_options(f->kind == RF_MCP_FIELD_TEXT ? schema : rf_jval_get(schema, "items"), a,
                          f, err);
    if (f->option_count && f->kind == RF_MCP_FIELD_TEXT)
        f->kind = RF_MCP_FIELD_CHOICE;
    if (!rc && f->kind == RF_MCP_FIELD_CHOICES && !f->option_count)
        rc = rf_fail(err, RF_EFORMAT, "field \"%.*s\" of the form has no options", RF_FMT(f->name));
    read_initial(rf_jval_get(schema, "default"), a, f);
    return rc;
}

static bool is_required(const struct rf_jval *required, struct rf_str name, struct rf_arena *a)
{
    if (rf_jval_type(required) == RF_JARRAY)
        for (const struct rf_jval *v = rf_jval_first(required); v; v = rf_jval_next(required, v))
            if (v->type == RF_JSTRING && rf_str_eq(rf_jval_text(v, a), name))
                return true;
    return false;
}

enum rf_code rf_mcp_form_read(const struct rf_jval *params, struct rf_arena *a,
                              struct rf_mcp_form *out, struct rf_err *err)
{
    const struct rf_jval *schema = rf_jval_get(params, "requestedSchema");
    const struct rf_jval *properties = rf_jval_get(schema, "properties");
    struct rf_mcp_form form = { .message = text_of(params, "message", a) };
    enum rf_code rc = RF_OK;
    if (rf_jval_type(properties) != RF_JOBJECT)
        return rf_fail(err, RF_EFORMAT, "the form has no fields");
    if (properties->count > MOST_FIELDS)
        return rf_fail(err, RF_ELIMIT, "the form has %u fields, limit is %d",
                       (unsigned)properties->count, MOST_FIELDS);
    form.fields = RF_ARRAY(a, struct rf_mcp_field, properties->count);
    for (const struct rf_jval *key = rf_jval_first(properties); key && !rc;
         key = rf_jval_next(properties, rf_jval_value(key))) {
        struct rf_mcp_field *f = &form.fields[form.count++];
        f->name = rf_jval_text(key, a);
        f->required = is_required(rf_jval_get(schema, "required"), f->name, a);
        rc = read_field(rf_jval_value(key), a, f, err);
    }
    if (!rc)
        *out = form;
    return rc;
}

/* What was typed */

static bool is_yes(struct rf_str s)
{
    return rf_str_ieq(s, RF_STR("yes")) || rf_str_ieq(s, RF_STR("y")) ||
           rf_str_ieq(s, RF_STR("true"));
}

static bool is_no(struct rf_str s)
{
    return rf_str_ieq(s, RF_STR("no")) || rf_str_ieq(s, RF_STR("n")) ||
           rf_str_ieq(s, RF_STR("false"));
}

/* A number as JSON spells it. */
static bool number_of(struct rf_str s, double *out)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v = NULL;
    bool is = !rf_jval_parse(s, a, &v, NULL) && rf_jval_double(v, out);
    rf_arena_free(a);
    return is;
}

static enum rf_code check_bounds(const struct rf_mcp_field *f, double n, const char *of,
                                 struct rf_err *err)
{
    if (f->has_least && n < f->least)
        return rf_fail(err, RF_EFORMAT, "%.*s: at least %g%s, please", RF_FMT(f->title), f->least,
                       of);
    if (f->has_most && n > f->most)
        return rf_fail(err, RF_EFORMAT, "%.*s: at most %g%s, please", RF_FMT(f->title), f->most,
                       of);
    return RF_OK;
}

static size_t characters(struct rf_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static enum rf_code check_choices(const struct rf_mcp_field *f, struct rf_str typed,
                                  struct rf_err *err)
{
    struct rf_str piece;
    size_t n = 0;
    while (rf_str_split(&typed, ',', &piece)) {
        piece = rf_str_trim(piece);
        if (!option_of(f, piece))
            return rf_fail(err, RF_EFORMAT, "%.*s: \"%.*s\" is not one of the options",
                           RF_FMT(f->title), RF_FMT(piece));
        n++;
    }
    return check_bounds(f, (double)n, " of them", err);
}

static enum rf_code check_number(const struct rf_mcp_field *f, struct rf_str typed,
                                 struct rf_err *err)
{
    double n = 0;
    if (!number_of(typed, &n) ||
        (f->kind == RF_MCP_FIELD_INTEGER && (n < -9e15 || n > 9e15 || n != (double)(int64_t)n)))
        return rf_fail(err, RF_EFORMAT, "%.*s: \"%.*s\" is not a%s number", RF_FMT(f->title),
                       RF_FMT(typed), f->kind == RF_MCP_FIELD_INTEGER ? " whole" : "");
    return check_bounds(f, n, "", err);
}

enum rf_code rf_mcp_field_check(const struct rf_mcp_field *f, struct rf_str typed,
                                struct rf_err *err)
{
    if (!typed.n)
        return f->required ? rf_fail(err, RF_EFORMAT, "%.*s: an answer is needed", RF_FMT(f->title))
                           : RF_OK;
    switch (f->kind) {
    case RF_MCP_FIELD_TEXT:
        if (!rf_mcp_format_fits(f->format, typed))
            return rf_fail(err, RF_EFORMAT, "%.*s: \"%.*s\" is not %s", RF_FMT(f->title),
                           RF_FMT(typed), rf_mcp_format_words(f->format));
        return check_bounds(f, (double)characters(typed), " characters", err);
    case RF_MCP_FIELD_NUMBER:
    case RF_MCP_FIELD_INTEGER:
        return check_number(f, typed, err);
    case RF_MCP_FIELD_BOOLEAN:
        if (is_yes(typed) || is_no(typed))
            return RF_OK;
        return rf_fail(err, RF_EFORMAT, "%.*s: yes or no, please", RF_FMT(f->title));
    case RF_MCP_FIELD_CHOICE:
        if (option_of(f, typed))
            return RF_OK;
        return rf_fail(err, RF_EFORMAT, "%.*s: \"%.*s\" is not one of the options",
                       RF_FMT(f->title), RF_FMT(typed));
    case RF_MCP_FIELD_CHOICES:
        return check_choices(f, typed, err);
    }
    return RF_OK;
}

/* Answers */

static void write_choices(struct rf_json *w, const struct rf_mcp_field *f, struct rf_str typed)
{
    struct rf_str piece;
    rf_json_arr(w, NULL);
    while (rf_str_split(&typed, ',', &piece)) {
        const struct rf_mcp_option *o = option_of(f, rf_str_trim(piece));
        if (o)
            rf_json_str(w, NULL, o->value);
    }
    rf_json_end(w);
}

static void write_value(struct rf_json *w, const struct rf_mcp_field *f, struct rf_str typed)
{
    const struct rf_mcp_option *o;
    switch (f->kind) {
    case RF_MCP_FIELD_TEXT:
        rf_json_str(w, NULL, typed);
        break;
    case RF_MCP_FIELD_NUMBER:
    case RF_MCP_FIELD_INTEGER:
        rf_json_raw(w, NULL, rf_str_trim(typed));
        break;
    case RF_MCP_FIELD_BOOLEAN:
        rf_json_bool(w, NULL, is_yes(typed));
        break;
    case RF_MCP_FIELD_CHOICE:
        o = option_of(f, typed);
        rf_json_str(w, NULL, o ? o->value : typed);
        break;
    case RF_MCP_FIELD_CHOICES:
        write_choices(w, f, typed);
        break;
    }
}

static struct rf_str finish(struct rf_json *w)
{
    struct rf_str text;
    return rf_rpc_end(w, MOST_ANSWER, &text, NULL) ? RF_STR("{\"action\":\"cancel\"}") : text;
}

struct rf_str rf_mcp_form_answer(const struct rf_mcp_form *f, const struct rf_str *typed,
                                 struct rf_arena *a)
{
    struct rf_json *w = rf_rpc_writer(a);
    rf_json_obj(w, NULL);
    rf_json_str(w, "action", RF_STR("accept"));
    rf_json_obj(w, "content");
    for (size_t i = 0; i < f->count; i++) {
        if (!typed[i].n)
            continue;
        rf_json_key(w, f->fields[i].name);
        write_value(w, &f->fields[i], typed[i]);
    }
    rf_json_end(w);
    rf_json_end(w);
    return finish(w);
}

static void add_defaults(struct rf_json *w, const struct rf_jval *properties,
                         const struct rf_jval *content, struct rf_arena *a)
{
    for (const struct rf_jval *key = rf_jval_first(properties); key;
         key = rf_jval_next(properties, rf_jval_value(key))) {
        const struct rf_jval *otherwise = rf_jval_get(rf_jval_value(key), "default");
        if (!otherwise || rf_jval_get(content, rf_cstr(a, rf_jval_text(key, a))))
            continue;
        rf_json_key(w, rf_jval_text(key, a));
        rf_json_value(w, NULL, otherwise);
    }
}

struct rf_str rf_mcp_form_complete(const struct rf_jval *params, struct rf_str result,
                                   struct rf_arena *a)
{
    const struct rf_jval *properties =
        rf_jval_get(rf_jval_get(params, "requestedSchema"), "properties");
    const struct rf_jval *answer;
    static const char *const replaced[] = { "content", NULL };
    if (rf_jval_parse(result, a, &answer, NULL) ||
        !rf_jval_is(rf_jval_get(answer, "action"), "accept") ||
        rf_jval_type(properties) != RF_JOBJECT)
        return result;
    const struct rf_jval *content = rf_jval_get(answer, "content");
    struct rf_json *w = rf_rpc_writer(a);
    rf_json_obj(w, NULL);
    rf_json_members(w, answer, replaced);
    rf_json_obj(w, "content");
    if (rf_jval_type(content) == RF_JOBJECT)
        rf_json_members(w, content, NULL);
    add_defaults(w, properties, content, a);
    rf_json_end(w);
    rf_json_end(w);
    return finish(w);
}
