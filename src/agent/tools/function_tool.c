/* Tools that are functions of the program.
 *
 * A function fills in a result and thinks of no provider. Its arguments were checked against its
 * schema, so it need not look whether they are there. What it made in memory is held, not copied,
 * until it is kept; a file that it names by a path may be anywhere, since the program names it, and
 * is kept as it is now where there is a session. */
#include "agent/tools/tools.h"

#include "agent/agent.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/utf8.h"
#include "content/result.h"
#include "content/schema.h"
#include "source/read.h"

#include <refract/session.h>

#include <limits.h>
#include <stdlib.h>

#define MOST_NAME 64

/* Registering */

/* Letters, digits, '_' and '-', the first no digit and no '-': what all APIs take. */
static bool is_name(struct rf_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool other = (c >= '0' && c <= '9') || c == '-';
        if (!letter && !(i && other))
            return false;
    }
    return name.n && name.n <= MOST_NAME;
}

static enum rf_code check_name(const struct rf_toolbox *t, struct rf_str name, struct rf_err *err)
{
    const char *taken = NULL;
    for (size_t i = 0; i < rf_tools_count(); i++)
        if (rf_str_is(name, rf_tools_name(i)))
            taken = "it is built in";
    if (rf_config_tool(t->workspace->config, name))
        taken = "the configuration has it";
    if (rf_toolbox_function(t, name))
        taken = "it was added before";
    if (is_name(name) && !taken)
        return RF_OK;
    struct rf_str shown = rf_utf8_cut(name, 80);
    if (taken)
        rf_fail(err, RF_EUSAGE, "there is a tool \"%.*s\" already: %s", RF_FMT(shown), taken);
    else
        rf_fail(err, RF_EUSAGE, "\"%.*s\" is not a name that a tool can have", RF_FMT(shown));
    rf_hint(err, taken ? "Choose another name."
                       : "A name has letters, digits, '_' and '-', at most 64, and begins with a "
                         "letter or '_': the APIs take no others.");
    return RF_EUSAGE;
}

static enum rf_code read_schema(struct rf_str text, struct rf_arena *a, const struct rf_jval **out,
                                struct rf_err *err)
{
    struct rf_str given = text.n ? text : RF_STR("{\"type\":\"object\",\"properties\":{}}");
    struct rf_err why = { 0 };
    const struct rf_jval *v = NULL;
    enum rf_code rc = rf_jval_parse(rf_str_dup(a, given), a, &v, &why);
    const struct rf_jval *type = rf_jval_get(v, "type");
    if (!rc && type && rf_jval_is(type, "object")) {
        *out = v;
        return RF_OK;
    }
    rf_fail(err, RF_EUSAGE, "the schema of the arguments %s%s",
            rc ? "is not JSON: " : "does not describe an object", rc ? why.msg : "");
    rf_hint(err, "Begin it with {\"type\": \"object\", \"properties\": {...}}.");
    return RF_EUSAGE;
}

enum rf_code rf_agent_tool(struct rf_agent *a, const struct rf_agent_tool *tool, struct rf_err *err)
{
    struct rf_toolbox *t = &a->tools;
    struct rf_agent_tool given;
    const struct rf_jval *schema;
    enum rf_code rc = rf_struct_take(tool, RF_SIZES(rf_agent_tool, context), &given, err);
    if (!rc && !given.run)
        rc = rf_fail(err, RF_EUSAGE, "the tool has no function to run");
    if (!rc)
        rc = check_name(t, given.name, err);
    if (!rc)
        rc = rf_text_check_given(given.description, "description", err);
    if (!rc)
        rc = read_schema(given.schema, a->arena, &schema, err);
    if (rc)
        return rc;
    *RF_PUSH(a->arena, t->functions, t->function_count, t->function_cap) = (struct rf_function){
        .name = rf_str_dup(a->arena, given.name),
        .description = rf_str_dup(a->arena, given.description),
        .schema = schema,
        .permission = given.permission,
        .run = given.run,
        .context = given.context,
    };
    return RF_OK;
}

void rf_agent_only_own_tools(struct rf_agent *a)
{
    a->tools.only_own = true;
}

const struct rf_function *rf_toolbox_function(const struct rf_toolbox *t, struct rf_str name)
{
    for (size_t i = 0; i < t->function_count; i++)
        if (rf_str_eq(t->functions[i].name, name))
            return &t->functions[i];
    return NULL;
}

/* What a function is told while it runs */

struct rf_running {
    struct rf_run *run;
    struct rf_jdoc *arguments; /* read when they are first asked for */
};

struct rf_str rf_running_id(const struct rf_running *r)
{
    return r->run->call->id;
}

struct rf_str rf_running_arguments(const struct rf_running *r)
{
    return r->run->call->text;
}

struct rf_jdoc *rf_running_json(struct rf_running *r)
{
    if (!r->arguments && rf_jdoc_read(r->run->call->text, &r->arguments, NULL))
        RF_BUG("arguments that were read cannot be read again");
    return r->arguments;
}

bool rf_running_stopped(const struct rf_running *r)
{
    return rf_halt_due(r->run->box->halt);
}

int rf_running_stop_fd(const struct rf_running *r)
{
    return r->run->box->halt->fd;
}

void rf_running_progress(struct rf_running *r, int64_t done, int64_t of, struct rf_str words)
{
    rf_run_progress(r->run, done, of, words);
}

/* Results */

/* The file as it is now goes to the session; where that does not keep it, or there is none,
 * requests may name it where it is. What cannot be read is told where the request is built, as for
 * all files. */
static void take_path(struct rf_run *r, struct rf_arena *a, struct rf_block *b)
{
    const char *base = r->box->workspace->base;
    const char *path = rf_path_from(base, b->media.source.ref, r->arena);
    struct rf_bytes bytes;
    struct rf_str blob;
    char real[PATH_MAX];
    if (!realpath(path, real))
        return;
    if (!r->session || rf_bytes_file("", real, &bytes, NULL) ||
        rf_run_keep(r, &bytes, a, &blob, NULL)) {
        rf_texts_add(&r->named, rf_str(real), r->kept);
        return;
    }
    if (!b->media.name.n)
        b->media.name = rf_str_behind(b->media.source.ref, '/');
    b->media.source = (struct rf_source){ .kind = RF_SOURCE_BLOB, .ref = blob };
}

static void take_paths(struct rf_run *r, struct rf_result *result)
{
    struct rf_message *m = &result->message;
    for (size_t i = 0; i < m->block_count; i++)
        if (rf_block_is_media(m->blocks[i].type) &&
            m->blocks[i].media.source.kind == RF_SOURCE_PATH)
            take_path(r, result->arena, &m->blocks[i]);
}

/* A function that fails says why in its error; what it had added goes along. */
static void fail(struct rf_result *result, const struct rf_err *err, struct rf_arena *a)
{
    struct rf_str why = rf_strf(a, "%s%s%s", err->msg, *err->hint ? ". " : "", err->hint);
    if (!why.n || rf_result_fail(result, why, NULL)) {
        result->message.failed = true;
        result->message.error = RF_STR("the tool failed");
    }
}

void rf_function_run(struct rf_run *r, const struct rf_function *f)
{
    struct rf_running running = { .run = r };
    struct rf_err err = { 0 };
    if (rf_schema_check(f->schema, r->call->arguments, r->arena, &err)) {
        rf_run_fail(r, "the arguments do not fit the schema of the tool: %s", err.msg);
        return;
    }
    struct rf_result *result = rf_result_new();
    if (f->run(f->context, &running, result, &err))
        fail(result, &err, r->arena);
    take_paths(r, result);
    rf_run_hold(r, result);
    rf_jdoc_free(running.arguments);
}
