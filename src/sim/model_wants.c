/* What the model wants to read before it answers: the files that a note names
 *
 *     [System: files referenced: photo.png (image, 640x480), "my file.pdf" (pdf, 12 KiB). Use …]
 *
 * and before them the tools that the question names, with their arguments where those follow:
 *
 *     everything__echo {"message": "Hello"}
 *
 * and else the words of the question that look like a file's name.
 */
#include "base/arena.h"
#include "base/utf8.h"
#include "media/media.h"
#include "sim/mind.h"

#define NOTE "[System: files referenced: "
#define MAX_ARGUMENT 200 /* bytes of the question in a call that was demanded */

struct want {
    struct rf_str path;
    bool picture;
};

struct wants {
    const struct rf_sim_request *r;
    struct want list[RF_SIM_MOST_CALLS];
    size_t count;
};

static void add(struct wants *w, struct rf_str path, bool picture)
{
    for (size_t i = 0; i < w->count; i++)
        if (rf_str_eq(w->list[i].path, path))
            return;
    if (path.n > 0 && w->count < RF_SIM_MOST_CALLS)
        w->list[w->count++] = (struct want){ path, picture };
}

/* Notes. */

static struct rf_str from(struct rf_str s, size_t n)
{
    return n < s.n ? (struct rf_str){ s.p + n, s.n - n } : RF_STR("");
}

/* A name in quotes is a string of JSON. */
static bool quoted_name(struct wants *w, struct rf_str *rest, struct rf_str *name)
{
    size_t end = 1;
    const struct rf_jval *v;
    struct rf_err err;
    while (end < rest->n && rest->p[end] != '"')
        end += rest->p[end] == '\\' ? 2 : 1;
    if (end >= rest->n || rf_jval_parse((struct rf_str){ rest->p, end + 1 }, w->r->arena, &v, &err))
        return false;
    *name = rf_jval_text(v, w->r->arena);
    *rest = from(*rest, end + 1);
    return true;
}

static bool plain_name(struct rf_str *rest, struct rf_str *name)
{
    const char *end = memmem(rest->p, rest->n, " (", 2);
    if (!end)
        return false;
    *name = (struct rf_str){ rest->p, (size_t)(end - rest->p) };
    *rest = from(*rest, name->n);
    return true;
}

/* `NAME (KIND, …)` off the front. */
static bool referenced(struct wants *w, struct rf_str *rest)
{
    struct rf_str name;
    bool quoted = rest->n > 0 && rest->p[0] == '"';
    if (!(quoted ? quoted_name(w, rest, &name) : plain_name(rest, &name)) ||
        !rf_str_starts(*rest, " ("))
        return false;
    const char *end = memchr(rest->p, ')', rest->n);
    if (!end)
        return false;
    add(w, name, rf_str_starts(from(*rest, 2), "image"));
    *rest = from(*rest, (size_t)(end + 1 - rest->p));
    return true;
}

static void read_notes(struct wants *w, struct rf_str text)
{
    const size_t n = sizeof NOTE - 1;
    for (const char *p; text.n > 0 && (p = memmem(text.p, text.n, NOTE, n));) {
        text = from(text, (size_t)(p - text.p) + n);
        while (referenced(w, &text) && rf_str_starts(text, ", "))
            text = from(text, 2);
    }
}

/* Words. */

static bool is_edge(char c)
{
    return strchr("\"'`()<>[]{},;:!?*", c) != NULL;
}

/* Is it a name that ends as files do? */
static void read_word(struct wants *w, struct rf_str word)
{
    while (word.n > 0 && (is_edge(word.p[0]) || word.p[0] == '@'))
        word = from(word, 1);
    while (word.n > 0 && (is_edge(word.p[word.n - 1]) || word.p[word.n - 1] == '.'))
        word.n--;
    const struct rf_format *f = rf_format_by_name(word);
    if (f && word.p[0] != '.' && !rf_str_contains(word, RF_STR("://")))
        add(w, word, f->kind == RF_KIND_IMAGE);
}

static void read_words(struct wants *w, struct rf_str text)
{
    size_t start = 0;
    for (size_t i = 0; i <= text.n; i++) {
        if (i < text.n && (unsigned char)text.p[i] > ' ')
            continue;
        read_word(w, (struct rf_str){ text.p + start, i - start });
        start = i + 1;
    }
}

/* Calls. */

/* The tool for a file: the one made for it, else one that sounds like it. */
static struct rf_str find_tool(const struct rf_sim_request *r, bool picture)
{
    static const char *const pictures[] = { "view_image", "read_file", "*view*", "*image*",
                                            "*read*" };
    static const char *const others[] = { "read_file", "read", "*read*file*", "*read*", "*open*" };
    const char *const *names = picture ? pictures : others;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        for (size_t k = 0; k < r->tool_count; k++)
            if (rf_glob(rf_str(names[i]), r->tools[k]))
                return r->tools[k];
    return RF_STR("");
}

/* The schema of a tool, whatever the dialect calls it. */
static const struct rf_jval *find_schema(const struct rf_sim_request *r, struct rf_str tool)
{
    static const char *const names[] = { "input_schema", "parameters", "inputSchema",
                                         "parametersJsonSchema" };
    const struct rf_jval *list = rf_jval_get(r->body, "tools");
    list = list ? list : rf_jval_get(r->body, "toolConfig");
    for (size_t i = 0; list && i < list->span; i++) {
        const struct rf_jval *name = rf_jval_get(&list[i], "name");
        if (!name || name->type != RF_JSTRING || !rf_str_eq(rf_jval_text(name, r->arena), tool))
            continue;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const struct rf_jval *schema = rf_jval_get(&list[i], names[k]);
            const struct rf_jval *inner = rf_jval_get(schema, "json");
            if (schema)
                return inner ? inner : schema;
        }
    }
    return NULL;
}

/* The parameter that takes a path. */
static struct rf_str find_parameter(const struct rf_sim_request *r, const struct rf_jval *schema)
{
    static const char *const names[] = { "file_path", "path", "file", "filename", "filepath" };
    const struct rf_jval *properties = rf_jval_get(schema, "properties");
    for (size_t i = 0; properties && i < sizeof names / sizeof *names; i++)
        if (rf_jval_get(properties, names[i]))
            return rf_str(names[i]);
    const struct rf_jval *first = properties ? rf_jval_first(properties) : NULL;
    return first && properties->type == RF_JOBJECT ? rf_jval_text(first, r->arena) : RF_STR("path");
}

static void call(const struct rf_sim_request *r, struct rf_sim_said *out, struct rf_str tool,
                 struct rf_str arguments)
{
    size_t i = out->call_count++;
    out->calls[i].id = rf_sim_call_id(r, i);
    out->calls[i].name = tool;
    out->calls[i].arguments = arguments;
}

static void call_for(const struct rf_sim_request *r, const struct want *want,
                     struct rf_sim_said *out)
{
    struct rf_str tool = find_tool(r, want->picture);
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    if (tool.n == 0)
        return;
    rf_json_obj(w, NULL);
    rf_json_key(w, find_parameter(r, find_schema(r, tool)));
    rf_json_str(w, NULL, want->path);
    rf_json_end(w);
    call(r, out, tool, rf_sim_written(&writer));
}

/* Tools. */

/* The JSON object that a text begins with, and whether there is one. */
static bool take_object(const struct rf_sim_request *r, struct rf_str text, struct rf_str *object)
{
    const struct rf_jval *v;
    text = rf_str_trim(text);
    if (!rf_str_starts(text, "{"))
        return false;
    for (size_t n = 2; n <= text.n; n++) {
        *object = (struct rf_str){ text.p, n };
        if (text.p[n - 1] == '}' && !rf_jval_parse(*object, r->arena, &v, NULL))
            return true;
    }
    return false;
}

/* Names of ordinary tools are words that somebody may only speak of: those count with arguments. */
static void call_named(const struct rf_sim_request *r, struct rf_str tool, struct rf_str after,
                       struct rf_sim_said *out)
{
    struct rf_str arguments;
    bool given = take_object(r, after, &arguments);
    if (!given && !rf_str_contains(tool, RF_STR("__")))
        return;
    if (!given)
        arguments = rf_sim_arguments(r, find_schema(r, tool), tool);
    if (out->call_count < RF_SIM_MOST_CALLS)
        call(r, out, tool, arguments);
}

static void call_tools(const struct rf_sim_request *r, struct rf_str text, struct rf_sim_said *out)
{
    size_t start = 0;
    for (size_t i = 0; i <= text.n; i++) {
        if (i < text.n && (unsigned char)text.p[i] > ' ')
            continue;
        struct rf_str word = { text.p + start, i - start };
        start = i + 1;
        while (word.n && strchr(".,;:!?", word.p[word.n - 1]))
            word.n--;
        for (size_t k = 0; word.n && k < r->tool_count; k++)
            if (rf_str_eq(r->tools[k], word)) {
                call_named(r, word, from(text, i), out);
                break;
            }
    }
}

void rf_sim_want(const struct rf_sim_request *r, const struct rf_sim_question *q,
                 struct rf_sim_said *out)
{
    struct wants w = { .r = r };
    for (size_t i = q->start; i < r->count; i++)
        if (r->seen[i].kind == RF_SIM_TEXT && r->seen[i].turn == q->turn && !r->seen[i].call.n)
            call_tools(r, r->seen[i].text, out);
    if (out->call_count)
        return;
    for (int words = 0; words < 2 && w.count == 0 && !(words && q->has_files); words++)
        for (size_t i = q->start; i < r->count; i++) {
            const struct rf_sim_seen *s = &r->seen[i];
            if (s->kind != RF_SIM_TEXT || s->turn != q->turn || s->call.n > 0)
                continue;
            if (words)
                read_words(&w, s->text);
            else
                read_notes(&w, s->text);
        }
    for (size_t i = 0; i < w.count; i++)
        call_for(r, &w.list[i], out);
}

void rf_sim_call_anyway(const struct rf_sim_request *r, const struct rf_sim_question *q,
                        struct rf_sim_said *out)
{
    struct rf_str tool = r->must_call_name.n > 0 ? r->must_call_name
                         : r->tool_count > 0     ? r->tools[0]
                                                 : RF_STR("");
    if (tool.n > 0)
        call(r, out, tool,
             rf_sim_arguments(r, find_schema(r, tool), rf_utf8_cut(q->text, MAX_ARGUMENT)));
}
