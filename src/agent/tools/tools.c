/* What a model is told of tools, who may run, and the tools that are built in.
 *
 * A model that does not see is not told that it will: it is offered the facts and the text of a picture. A
 * file that a person named may be read wherever it is: the tool then gets the folder of that one file for its
 * root. */
#include "agent/tools/tools.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "source/read.h"

#include <refract/session.h>

#include <limits.h>
#include <stdlib.h>

#define MOST_SUMMARY 200
#define MOST_ARGUMENTS ((size_t)1 << 20)

/* Describing */

static const struct {
    const char *name, *instead; /* for a model that takes no pictures */
} blind[] = {
    { "read_file",
      "Read a file or list a folder. Text and code come as lines; PDFs, office documents, e-books and "
      "mail as their text, page by page; of pictures, sound and video come their facts, and the text in "
      "them where it can be recognised; archives as a list of what is in them. Long files come in pieces: "
      "the first line of the result says how to go on." },
    { "view_image",
      "Get the facts of a picture, and the text in it where it can be recognised. The picture "
      "itself cannot be shown to you." },
};

static const char *words_for(const struct rf_agent *a, size_t tool)
{
    bool sees = !a->model || a->model->caps.takes[RF_KIND_IMAGE];
    for (size_t i = 0; !sees && i < sizeof blind / sizeof *blind; i++)
        if (strcmp(blind[i].name, rf_tools_name(tool)) == 0)
            return blind[i].instead;
    return rf_tools_description(tool);
}

static struct rf_str description(const struct rf_agent *a, size_t tool, struct rf_arena *arena)
{
    bool fetches =
        a->config && a->config->fetch && strcmp(rf_tools_name(tool), "read_attachment") != 0;
    return rf_strf(arena, "%s%s", words_for(a, tool),
                   fetches ? " A web address may stand in place of a path." : "");
}

/* Attachments are what a store has kept. */
static bool is_offered(const struct rf_agent *a, const char *name)
{
    return a->store || strcmp(name, "read_attachment") != 0;
}

static void describe_command(struct rf_json *w, const struct rf_config_tool *t)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "name", t->name);
    rf_json_str(w, "description", t->description);
    rf_json_raw(w, "input_schema",
                t->schema.n ? t->schema : RF_STR("{\"type\":\"object\",\"properties\":{}}"));
    rf_json_end(w);
}

void rf_agent_describe_tools(struct rf_agent *a, struct rf_json *w)
{
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < rf_tools_count(); i++) {
        if (!is_offered(a, rf_tools_name(i)))
            continue;
        rf_json_obj(w, NULL);
        rf_json_str(w, "name", rf_str(rf_tools_name(i)));
        rf_json_str(w, "description", description(a, i, w->rope->arena));
        rf_json_raw(w, "input_schema", rf_str(rf_tools_schema(i)));
        rf_json_end(w);
    }
    for (size_t i = 0; a->config && i < a->config->tool_count; i++)
        describe_command(w, &a->config->tools[i]);
    rf_json_end(w);
}

/* Trust */

static bool is_builtin(const struct rf_agent *a, struct rf_str name)
{
    for (size_t i = 0; i < rf_tools_count(); i++)
        if (rf_str_is(name, rf_tools_name(i)))
            return is_offered(a, rf_tools_name(i));
    return false;
}

enum rf_tool_trust rf_agent_trust(const struct rf_agent *a, struct rf_str name)
{
    const struct rf_config_tool *command = rf_command_find(a, name);
    if (a->no_tools)
        return RF_TOOL_UNKNOWN;
    if (is_builtin(a, name))
        return RF_TOOL_READS;
    if (!command)
        return RF_TOOL_UNKNOWN;
    return command->read_only || command->allow ? RF_TOOL_READS : RF_TOOL_ASKS;
}

struct rf_str rf_agent_tool_words(struct rf_agent *a, struct rf_str tool)
{
    const struct rf_config_tool *t = rf_command_find(a, tool);
    struct rf_str words = t ? t->shell : RF_STR("");
    for (size_t i = 0; t && i < t->argument_count; i++)
        words = rf_strf(a->question, "%.*s%s%.*s", RF_FMT(words), words.n ? " " : "",
                        RF_FMT(t->arguments[i]));
    if (!t || !rf_config_is_projects(a->config, t->place))
        return words;
    return rf_strf(a->question, "%.*s (named by %s)", RF_FMT(words), t->place.file);
}

/* Results */

static struct rf_str first_line(struct rf_str text, struct rf_arena *a)
{
    struct rf_str line = RF_STR("");
    text = rf_str_trim(text);
    rf_str_split(&text, '\n', &line);
    return rf_str_dup(a, rf_utf8_cut(line, MOST_SUMMARY));
}

static struct rf_str text_of(const struct rf_jval *v, struct rf_arena *a)
{
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

void rf_run_result(struct rf_run *r, const struct rf_jval *result)
{
    const struct rf_jval *success = rf_jval_get(result, "success");
    r->failed = success && success->type == RF_JFALSE;
    r->message = rf_agent_result(r->call->id, r->call->name, result, r->arena);
    r->summary = first_line(text_of(rf_jval_get(result, r->failed ? "error" : "output"), r->arena),
                            r->arena);
}

void rf_run_fail(struct rf_run *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct rf_str why = rf_strfv(r->arena, fmt, ap);
    va_end(ap);
    r->failed = true;
    r->message = rf_agent_failed_result(r->call->id, r->call->name, why, r->arena);
    r->summary = first_line(why, r->arena);
}

/* Tools that are built in */

/* The store belongs to one thread at a time. */
struct locked {
    struct rf_attachments inner;
    pthread_mutex_t *lock;
};

static enum rf_code keep_locked(void *ctx, const struct rf_bytes *bytes, struct rf_arena *a,
                                struct rf_str *blob, struct rf_err *err)
{
    struct locked *l = ctx;
    pthread_mutex_lock(l->lock);
    enum rf_code rc = l->inner.keep(l->inner.ctx, bytes, a, blob, err);
    pthread_mutex_unlock(l->lock);
    return rc;
}

static enum rf_code find_locked(void *ctx, struct rf_str id, struct rf_arena *a,
                                struct rf_bytes *out, struct rf_str *blob, struct rf_err *err)
{
    struct locked *l = ctx;
    pthread_mutex_lock(l->lock);
    enum rf_code rc = l->inner.find(l->inner.ctx, id, a, out, blob, err);
    pthread_mutex_unlock(l->lock);
    return rc;
}

/* The path that the tool will read, in the argument that it reads it from; empty where the call names none. */
static struct rf_str path_of(const struct rf_run *r, const struct rf_jval *arguments)
{
    bool view = rf_str_is(r->call->name, "view_image");
    return text_of(rf_jval_get(arguments, view ? "path" : "file_path"), r->arena);
}

/* Does it lead up again from a folder that it names? Then it would tell whether there is that
 * folder. */
static bool turns_back(struct rf_str path)
{
    struct rf_str step;
    bool named = false;
    while (rf_str_split(&path, '/', &step)) {
        if (named && rf_str_is(step, ".."))
            return true;
        named |= step.n && !rf_str_is(step, ".") && !rf_str_is(step, "..");
    }
    return false;
}

static bool is_granted(const struct rf_run *r, struct rf_str path, char real[PATH_MAX])
{
    const char *base = r->agent->base;
    bool relative = path.n && path.p[0] != '/' && base;
    const char *full =
        relative ? rf_strf(r->arena, "%s/%.*s", base, RF_FMT(path)).p : rf_cstr(r->arena, path);
    return path.n && !memchr(path.p, '\0', path.n) && !turns_back(path) && realpath(full, real) &&
           rf_agent_list_has(&r->agent->granted, rf_str(real));
}

static struct rf_tools *make_tools(const struct rf_agent *a)
{
    struct rf_tools *t = rf_tools_new();
    if (a->base)
        rf_tools_base(t, a->base);
    if (a->root)
        rf_tools_root(t, a->root);
    if (a->cache)
        rf_tools_cache(t, a->cache);
    if (a->config)
        rf_tools_configure(t, a->config);
    return t;
}

/* The same arguments with another path. */
static struct rf_str with_path(const struct rf_jval *arguments, struct rf_str path,
                               struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(a, struct rf_json);
    struct rf_str text;
    rf_rope_init(&rope, a);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    for (const struct rf_jval *k = rf_jval_first(arguments); k;
         k = rf_jval_next(arguments, k + 1)) {
        rf_json_key(w, rf_jval_text(k, a));
        if (rf_jval_is(k, "file_path") || rf_jval_is(k, "path"))
            rf_json_str(w, NULL, path);
        else
            rf_json_value(w, NULL, k + 1);
    }
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &text, NULL))
        RF_BUG("arguments in memory could not be written");
    return text;
}

/* Where a person named this very file, its folder is the root, and where it really is its path. */
static struct rf_str open_up(struct rf_run *r, struct rf_tools *tools,
                             const struct rf_jval *arguments)
{
    char real[PATH_MAX];
    struct rf_str path = path_of(r, arguments), front = { path.p, rf_part_mark(path) };
    size_t named = is_granted(r, path, real) ? path.n : is_granted(r, front, real) ? front.n : 0;
    if (!named)
        return r->call->arguments;
    struct rf_str part = { path.p + named, path.n - named };
    struct rf_str whole = rf_strf(r->arena, "%s%.*s", real, RF_FMT(part));
    char *slash = strrchr(real, '/');
    slash[slash == real ? 1 : 0] = '\0';
    rf_tools_root(tools, real);
    return with_path(arguments, whole, r->arena);
}

/* Where the file is that a call names, and what of the disk it may see. */
static enum rf_code find_file(struct rf_run *r, struct rf_tools *tools,
                              const struct rf_jval *arguments, struct rf_str *text,
                              struct rf_err *err)
{
    struct rf_str path = path_of(r, arguments);
    if (!rf_web_is_address(path)) {
        *text = open_up(r, tools, arguments);
        return RF_OK;
    }
    enum rf_code rc = rf_web_fetch(r, path, &path, err);
    if (rc)
        return rc;
    *text = with_path(arguments, path, r->arena);
    rf_tools_root(tools, r->folder.path);
    tools->foreign = true;
    return RF_OK;
}

static void run_builtin(struct rf_run *r, const struct rf_jval *arguments)
{
    struct rf_agent *a = r->agent;
    struct rf_tools *tools = make_tools(a);
    struct locked locked = { .lock = r->store };
    struct rf_tool_result *result = NULL;
    const struct rf_jval *root;
    struct rf_str json, text;
    struct rf_err err;
    if (a->session) {
        rf_tools_session(tools, a->session);
        locked.inner = tools->attachments;
        tools->attachments = (struct rf_attachments){ &locked, keep_locked, find_locked };
    }
    if (find_file(r, tools, arguments, &text, &err) ||
        rf_tools_run(tools, rf_cstr(r->arena, r->call->name), rf_cstr(r->arena, text), &result,
                     &err) ||
        rf_tool_result_json(result, &json, &err) || rf_jval_parse(json, r->arena, &root, &err))
        rf_run_fail(r, "%s%s%s", err.msg, *err.hint ? ". " : "", err.hint);
    else
        rf_run_result(r, root);
    rf_tool_result_free(result);
    rf_tools_free(tools);
}

static void run(struct rf_run *r)
{
    const struct rf_config_tool *command = rf_command_find(r->agent, r->call->name);
    const struct rf_jval *arguments;
    struct rf_err err;
    if (rf_agent_trust(r->agent, r->call->name) == RF_TOOL_UNKNOWN)
        rf_run_fail(r, "there is no tool \"%.*s\"", RF_FMT(rf_utf8_cut(r->call->name, 80)));
    else if (r->call->malformed.n)
        rf_run_fail(r, "the arguments are no JSON object; call the tool again with one");
    else if (r->call->arguments.n > MOST_ARGUMENTS)
        rf_run_fail(r, "the arguments have %zu bytes, limit is %zu", r->call->arguments.n,
                    MOST_ARGUMENTS);
    else if (rf_jval_parse(r->call->arguments, r->arena, &arguments, &err))
        rf_run_fail(r, "the arguments cannot be read: %s", err.msg);
    else if (command)
        rf_command_run(r, command);
    else
        run_builtin(r, arguments);
}

/* Results wait for each other, so what was only needed on the way to one goes at once. */
void rf_tool_run(struct rf_run *r)
{
    struct rf_arena *kept = r->arena;
    r->arena = rf_arena_new();
    run(r);
    r->message = rf_str_dup(kept, r->message);
    r->summary = rf_str_dup(kept, r->summary);
    rf_arena_free(r->arena);
    r->arena = kept;
}
