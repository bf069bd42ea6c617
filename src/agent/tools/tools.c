/* What a model is told of tools, who may run, and the tools that are built in.
 *
 * A model that does not see is not told that it will: it is offered the facts and the text of a
 * picture. A file that a person named may be read wherever it is: the tool then gets the folder
 * of that one file for its root. */
#include "agent/tools/tools.h"

#include "agent/tools/servers.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "content/message.h"
#include "model/model.h"
#include "source/lift.h"
#include "source/read.h"

#include <refract/session.h>

#include <limits.h>
#include <stdlib.h>

#define MOST_SUMMARY 200
#define MOST_ARGUMENTS ((size_t)1 << 20)
#define MOST_UNKEPT ((size_t)100 << 10) /* bytes of a text that no store takes a part of */

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

static const char *words_for(const struct rf_model *m, size_t tool)
{
    bool sees = !m || m->caps.takes[RF_KIND_IMAGE];
    for (size_t i = 0; !sees && i < sizeof blind / sizeof *blind; i++)
        if (strcmp(blind[i].name, rf_tools_name(tool)) == 0)
            return blind[i].instead;
    return rf_tools_description(tool);
}

static struct rf_str description(const struct rf_toolbox *t, const struct rf_model *m, size_t tool,
                                 struct rf_arena *a)
{
    const struct rf_config *config = t->workspace->config;
    bool fetches = config && config->fetch && strcmp(rf_tools_name(tool), "read_attachment") != 0;
    return rf_strf(a, "%s%s", words_for(m, tool),
                   fetches ? " A web address may stand in place of a path." : "");
}

/* Attachments are what a store has kept. Models that references are not for do not get the tool
 * that goes with them. */
static bool is_offered(const struct rf_toolbox *t, const char *name)
{
    return !t->only_own && (t->keeps_files || strcmp(name, "read_attachment") != 0) &&
           (!t->unseen || strcmp(name, "view_image") != 0);
}

static size_t count_commands(const struct rf_toolbox *t)
{
    return t->workspace->config && !t->only_own ? t->workspace->config->tool_count : 0;
}

size_t rf_toolbox_own(const struct rf_toolbox *t)
{
    return rf_tools_count() + count_commands(t) + t->function_count;
}

static const struct rf_config_tool *find_command(const struct rf_toolbox *t, struct rf_str name)
{
    return t->only_own ? NULL : rf_config_tool(t->workspace->config, name);
}

static const struct rf_served_tool *find_served(const struct rf_toolbox *t, struct rf_str name)
{
    return t->only_own ? NULL : rf_servers_tool(t->servers, name);
}

/* A tool of that name that the person or the program has goes before ours. */
static bool reads_resources(const struct rf_toolbox *t)
{
    struct rf_str name = RF_STR(RF_READ_RESOURCE);
    return !t->only_own && t->servers && t->servers->reader.name.n && !find_command(t, name) &&
           !rf_toolbox_function(t, name);
}

static const struct rf_jval *schema_of(struct rf_str text, struct rf_arena *a)
{
    const struct rf_jval *v;
    if (rf_jval_parse(text, a, &v, NULL))
        RF_BUG("the schema of a tool cannot be read");
    return v;
}

static void read_schemas(struct rf_toolbox *t)
{
    const struct rf_config *config = t->workspace->config;
    size_t builtin = rf_tools_count(), commands = config ? config->tool_count : 0;
    t->schemas = RF_ARRAY(t->arena, const struct rf_jval *, builtin + commands);
    for (size_t i = 0; i < builtin; i++)
        t->schemas[i] = schema_of(rf_str(rf_tools_schema(i)), t->arena);
    for (size_t i = 0; i < commands; i++) {
        struct rf_str said = config->tools[i].schema;
        t->schemas[builtin + i] =
            schema_of(said.n ? said : RF_STR("{\"type\":\"object\",\"properties\":{}}"), t->arena);
    }
}

void rf_toolbox_describe(struct rf_toolbox *t, const struct rf_model *m, struct rf_arena *a,
                         struct rf_conversation *out)
{
    const struct rf_config *config = t->workspace->config;
    const struct rf_servers *servers = t->only_own ? NULL : t->servers;
    size_t builtin = rf_tools_count(), commands = count_commands(t), n = 0;
    size_t served = servers ? servers->tool_count + 1 : 0;
    struct rf_tool *tools =
        RF_ARRAY(a, struct rf_tool, builtin + commands + t->function_count + served);
    if (t->off)
        return;
    t->unseen = m && !rf_config_refers(config, m->provider, m->name, a);
    if (!t->schemas)
        read_schemas(t);
    for (size_t i = 0; i < builtin; i++)
        if (is_offered(t, rf_tools_name(i)))
            tools[n++] = (struct rf_tool){ .name = rf_str(rf_tools_name(i)),
                                           .description = description(t, m, i, a),
                                           .input_schema = t->schemas[i] };
    for (size_t i = 0; i < commands; i++)
        tools[n++] = (struct rf_tool){ .name = config->tools[i].name,
                                       .description = config->tools[i].description,
                                       .input_schema = t->schemas[builtin + i] };
    for (size_t i = 0; i < t->function_count; i++)
        tools[n++] = (struct rf_tool){ .name = t->functions[i].name,
                                       .description = t->functions[i].description,
                                       .input_schema = t->functions[i].schema };
    for (size_t i = 0; i + 1 < served; i++)
        tools[n++] = (struct rf_tool){ .name = servers->tools[i].name,
                                       .description = servers->tools[i].description,
                                       .input_schema = servers->tools[i].schema };
    if (reads_resources(t))
        tools[n++] = t->servers->reader;
    out->tools = tools;
    out->tool_count = n;
}

struct rf_str rf_toolbox_instruct(const struct rf_toolbox *t, struct rf_str system,
                                  struct rf_arena *a)
{
    if (t->off || t->only_own || !t->servers || !t->servers->instructions.n)
        return system;
    return rf_strf(a, "%.*s%s%.*s", RF_FMT(system), system.n ? "\n\n" : "",
                   RF_FMT(t->servers->instructions));
}

/* Files */

void rf_toolbox_release(struct rf_toolbox *t)
{
    rf_servers_free(t->servers);
    for (size_t i = 0; i < t->fetched_count; i++)
        rf_temporary_remove(&t->fetched[i]);
    rf_temporary_sweep();
}

void rf_toolbox_grant(struct rf_toolbox *t, const char *path)
{
    char real[PATH_MAX];
    if (realpath(path, real) && !rf_texts_has(&t->granted, rf_str(real)))
        rf_texts_add(&t->granted, rf_str(real), t->arena);
}

size_t rf_toolbox_granted(const struct rf_toolbox *t)
{
    return t->granted.count;
}

void rf_toolbox_revoke(struct rf_toolbox *t, size_t granted)
{
    t->granted.count = granted;
}

struct rf_texts rf_toolbox_nameable(const struct rf_toolbox *t, struct rf_arena *a)
{
    struct rf_texts all = { 0 };
    char real[PATH_MAX];
    for (size_t i = 0; i < t->granted.count; i++)
        rf_texts_add(&all, t->granted.items[i], a);
    for (size_t i = 0; i < t->named.count; i++)
        rf_texts_add(&all, t->named.items[i], a);
    for (size_t i = 0; i < t->fetched_count; i++)
        if (realpath(t->fetched[i].path, real))
            rf_texts_add(&all, rf_str(real), a);
    return all;
}

/* Trust */

static bool is_builtin(const struct rf_toolbox *t, struct rf_str name)
{
    for (size_t i = 0; i < rf_tools_count(); i++)
        if (rf_str_is(name, rf_tools_name(i)))
            return is_offered(t, rf_tools_name(i));
    return false;
}

enum rf_tool_trust rf_toolbox_trust(const struct rf_toolbox *t, struct rf_str name)
{
    const struct rf_config_tool *command = find_command(t, name);
    const struct rf_function *function = rf_toolbox_function(t, name);
    if (t->off)
        return RF_TOOL_UNKNOWN;
    if (function)
        return function->permission == RF_TOOL_READ_ONLY || function->permission == RF_TOOL_ALLOWED
                   ? RF_TOOL_READS
                   : RF_TOOL_ASKS;
    if (is_builtin(t, name))
        return RF_TOOL_READS;
    const struct rf_served_tool *served = find_served(t, name);
    if (served)
        return served->allowed ? RF_TOOL_READS : RF_TOOL_ASKS;
    if (rf_str_is(name, RF_READ_RESOURCE) && reads_resources(t))
        return RF_TOOL_READS;
    if (!command)
        return RF_TOOL_UNKNOWN;
    return command->read_only || command->allow ? RF_TOOL_READS : RF_TOOL_ASKS;
}

struct rf_str rf_toolbox_words(const struct rf_toolbox *t, struct rf_str tool, struct rf_arena *a)
{
    const struct rf_config *config = t->workspace->config;
    const struct rf_config_tool *command = rf_config_tool(config, tool);
    const struct rf_function *function = rf_toolbox_function(t, tool);
    struct rf_str words = command ? command->shell : RF_STR("");
    if (function)
        return function->description;
    if (find_served(t, tool))
        return rf_served_words(t, find_served(t, tool), a);
    for (size_t i = 0; command && i < command->argument_count; i++)
        words = rf_strf(a, "%.*s%s%.*s", RF_FMT(words), words.n ? " " : "",
                        RF_FMT(command->arguments[i]));
    if (!command || !rf_config_is_projects(config, command->place))
        return words;
    return rf_strf(a, "%.*s (named by %s)", RF_FMT(words), command->place.file);
}

/* Results */

static struct rf_str first_line(struct rf_str text, struct rf_arena *a)
{
    struct rf_str line = RF_STR("");
    text = rf_str_trim(text);
    rf_str_split(&text, '\n', &line);
    return rf_str_dup(a, rf_utf8_cut(line, MOST_SUMMARY));
}

/* What a person should know of it: why it failed, what it says first, or which files it holds. */
static struct rf_str summary(const struct rf_message *m, struct rf_arena *a)
{
    struct rf_str types = RF_STR("");
    if (m->failed || m->output.n)
        return m->failed ? m->error : m->output;
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].type == RF_BLOCK_TEXT)
            return m->blocks[i].text;
    for (size_t i = 0; i < m->block_count && types.n < MOST_SUMMARY; i++)
        if (m->blocks[i].media.media_type.n)
            types = rf_strf(a, "%.*s%s%.*s", RF_FMT(types), types.n ? ", " : "",
                            RF_FMT(m->blocks[i].media.media_type));
    return types;
}

static void answer(struct rf_run *r, const struct rf_message *m)
{
    *r->result = rf_message_copy(m, r->kept);
    r->summary = first_line(summary(m, r->kept), r->kept);
    r->answered = true;
}

void rf_run_result(struct rf_run *r, const struct rf_message *m)
{
    struct rf_message result = *m;
    result.tool_call_id = r->call->id;
    result.name = r->call->name;
    answer(r, &result);
}

void rf_run_hold(struct rf_run *r, struct rf_result *result)
{
    r->held = result;
    *r->result = result->message;
    r->result->tool_call_id = r->call->id;
    r->result->name = r->call->name;
    r->summary = first_line(summary(r->result, r->kept), r->kept);
    r->answered = true;
}

void rf_run_fail(struct rf_run *r, const char *fmt, ...)
{
    struct rf_arena *scratch = rf_arena_new();
    va_list ap;
    va_start(ap, fmt);
    struct rf_str why = rf_strfv(scratch, fmt, ap);
    va_end(ap);
    struct rf_message failed = rf_failed_result(r->call->id, r->call->name, why);
    answer(r, &failed);
    rf_arena_free(scratch);
}

/* Without a store a long text has nowhere to go. */
static void cut(const struct rf_run *r, struct rf_str *text, struct rf_lifted *files)
{
    if (text->n <= MOST_UNKEPT)
        return;
    *text = rf_lift_out(*text, r->arena, files);
    struct rf_str front = rf_utf8_cut(*text, MOST_UNKEPT);
    if (front.n < text->n)
        *text = rf_strf(r->arena, "%.*s\n[Cut: these are the first %zu of %zu bytes.]",
                        RF_FMT(front), front.n, text->n);
}

static struct rf_block *add_block(const struct rf_run *r, struct rf_message *m, size_t *cap)
{
    return RF_PUSH(r->arena, m->blocks, m->block_count, *cap);
}

void rf_run_bound(const struct rf_run *r, struct rf_message *m)
{
    struct rf_lifted files = { 0 };
    size_t cap = m->block_count;
    if (r->box->keeps_files)
        return;
    cut(r, &m->output, &files);
    cut(r, &m->error, &files);
    for (size_t i = 0; i < m->block_count; i++)
        if (!rf_block_is_for_person(&m->blocks[i])) /* of which the model gets nothing */
            cut(r, &m->blocks[i].text, &files);
    struct rf_str json = m->data ? rf_jval_compact(m->data, r->arena) : RF_STR("");
    if (json.n > MOST_UNKEPT) {
        cut(r, &json, &files);
        *add_block(r, m, &cap) = (struct rf_block){ .type = RF_BLOCK_TEXT, .text = json };
        m->data = NULL;
    }
    for (size_t i = 0; i < files.count; i++)
        *add_block(r, m, &cap) = *files.blocks[i];
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

enum rf_code rf_run_keep(struct rf_run *r, const struct rf_bytes *bytes, struct rf_arena *a,
                         struct rf_str *blob, struct rf_err *err)
{
    struct rf_tools *tools = rf_tools_new();
    rf_tools_session(tools, r->session);
    struct locked locked = { tools->attachments, r->store };
    enum rf_code rc = keep_locked(&locked, bytes, a, blob, err);
    rf_tools_free(tools);
    return rc;
}

/* The path that the tool will read, in the argument that it reads it from; empty where the call
 * names none. */
static struct rf_str path_of(const struct rf_run *r)
{
    bool view = rf_str_is(r->call->name, "view_image");
    const struct rf_jval *v = rf_jval_get(r->call->arguments, view ? "path" : "file_path");
    return v && v->type == RF_JSTRING ? rf_jval_text(v, r->arena) : RF_STR("");
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
    const char *base = r->box->workspace->base;
    bool relative = path.n && path.p[0] != '/' && base;
    const char *full =
        relative ? rf_strf(r->arena, "%s/%.*s", base, RF_FMT(path)).p : rf_cstr(r->arena, path);
    return path.n && !memchr(path.p, '\0', path.n) && realpath(full, real) &&
           rf_texts_has(&r->box->granted, rf_str(real));
}

static struct rf_tools *make_tools(const struct rf_toolbox *t)
{
    const struct rf_workspace *w = t->workspace;
    struct rf_tools *tools = rf_tools_new();
    tools->cancel_fd = t->halt->fd;
    if (w->base)
        rf_tools_base(tools, w->base);
    if (w->root)
        rf_tools_root(tools, w->root);
    if (w->cache)
        rf_tools_cache(tools, w->cache);
    if (w->config)
        rf_tools_configure(tools, w->config);
    return tools;
}

static bool is_file(const char *path)
{
    struct rf_bytes bytes;
    return !rf_bytes_file("", path, &bytes, NULL);
}

/* Where a person named this very file, its folder is the root, and `path` becomes where it really
 * is. */
static void open_up(struct rf_run *r, struct rf_tools *tools, struct rf_str *path)
{
    char real[PATH_MAX];
    if (turns_back(*path))
        return;
    struct rf_str front = { path->p, rf_part_mark(*path) };
    size_t named = is_granted(r, *path, real) ? path->n : is_granted(r, front, real) ? front.n : 0;
    front = *path;
    while (!named && rf_part_front(front, &front)) /* a file in an archive */
        named = is_granted(r, front, real) && is_file(real) ? front.n : 0;
    if (!named)
        return;
    struct rf_str part = { path->p + named, path->n - named };
    *path = rf_strf(r->arena, "%s%.*s", real, RF_FMT(part));
    char *slash = strrchr(real, '/');
    slash[slash == real ? 1 : 0] = '\0';
    rf_tools_root(tools, real);
}

/* Where the file is that a call names, and what of the disk it may see. */
static enum rf_code find_file(struct rf_run *r, struct rf_tools *tools, struct rf_str *path,
                              struct rf_err *err)
{
    *path = path_of(r);
    if (!rf_web_is_address(*path)) {
        open_up(r, tools, path);
        return RF_OK;
    }
    enum rf_code rc = rf_web_fetch(r, *path, path, err);
    if (rc)
        return rc;
    rf_tools_root(tools, r->folder.path);
    tools->foreign = true;
    return RF_OK;
}

/* The password is for the person's files: one that a model had fetched could be made to ask for
 * it. */
static enum rf_code call_either_way(struct rf_run *r, struct rf_tools *tools, struct rf_str path,
                                    struct rf_result **result, struct rf_err *err)
{
    const struct rf_workspace *w = r->box->workspace;
    struct rf_str name = r->call->name;
    enum rf_code rc = rf_tools_call(tools, name, r->call->arguments, path, NULL, result, err);
    if (rc || tools->foreign || !rf_workspace_unlocks(w, (*result)->err.code))
        return rc;
    rf_result_free(*result);
    *result = NULL;
    if (rf_tools_password(tools, rf_str(w->password), NULL))
        RF_BUG("a password that was checked");
    return rf_tools_call(tools, name, r->call->arguments, path, NULL, result, err);
}

static void run_builtin(struct rf_run *r)
{
    struct rf_tools *tools = make_tools(r->box);
    struct locked locked = { .lock = r->store };
    struct rf_result *result = NULL;
    struct rf_str path;
    struct rf_err err;
    if (r->session) {
        rf_tools_session(tools, r->session);
        locked.inner = tools->attachments;
        tools->attachments = (struct rf_attachments){ &locked, keep_locked, find_locked };
    }
    if (find_file(r, tools, &path, &err) || call_either_way(r, tools, path, &result, &err))
        rf_run_fail(r, "%s%s%s", err.msg, *err.hint ? ". " : "", err.hint);
    else
        rf_run_result(r, &result->message);
    r->reason = result ? result->err.reason : RF_REASON_OTHER;
    rf_result_free(result);
    rf_tools_free(tools);
}

static void fail_unknown(struct rf_run *r)
{
    const struct rf_servers *s = r->box->off || r->box->only_own ? NULL : r->box->servers;
    const struct rf_given_name *gone = rf_served_given(s, r->call->name);
    struct rf_str name = rf_utf8_cut(r->call->name, 80);
    if (gone)
        rf_run_fail(r, "the MCP server \"%.*s\" does not offer \"%.*s\" any more",
                    RF_FMT(s->all[gone->server].config->name), RF_FMT(name));
    else
        rf_run_fail(r, "there is no tool \"%.*s\"", RF_FMT(name));
}

static void run(struct rf_run *r)
{
    const struct rf_config_tool *command = find_command(r->box, r->call->name);
    const struct rf_function *function = rf_toolbox_function(r->box, r->call->name);
    if (rf_toolbox_trust(r->box, r->call->name) == RF_TOOL_UNKNOWN)
        fail_unknown(r);
    else if (r->call->malformed.n)
        rf_run_fail(r, "the arguments are not a JSON object; call the tool again with one");
    else if (r->call->text.n > MOST_ARGUMENTS)
        rf_run_fail(r, "the arguments have %zu bytes, limit is %zu", r->call->text.n,
                    MOST_ARGUMENTS);
    else if (function)
        rf_function_run(r, function);
    else if (command)
        rf_command_run(r, command);
    else if (find_served(r->box, r->call->name))
        rf_served_run(r, find_served(r->box, r->call->name));
    else if (rf_str_is(r->call->name, RF_READ_RESOURCE))
        rf_resource_run(r);
    else
        run_builtin(r);
}

/* Results wait for each other, so what was only needed on the way to one goes at once. */
void rf_tool_run(struct rf_run *r)
{
    r->arena = rf_arena_new();
    run(r);
    rf_arena_free(r->arena);
}
