/* refract mcp call: a tool of a server by hand, as `refract read` is one of ours. What a model
 * would get as text goes to standard output, or the whole result as JSON; files are saved beside
 * it. Who types it has permitted it. */
#include "mcp_client.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#include "advice.h"
#include "ask.h"
#include "input.h"
#include "inquiry.h"
#include "made.h"
#include "misspelt.h"
#include "project.h"
#include "report.h"
#include "stopping.h"
#include "text.h"

#define READER "read_resource"

struct wanted {
    const struct rf_config *config;
    const char *server, *tool, *arguments; /* the last one may be NULL */
};

static bool is(struct rf_str a, const char *b)
{
    return a.n == strlen(b) && memcmp(a.p, b, a.n) == 0;
}

static enum rf_code find_server(const struct rf_config *config, struct rf_agent *agent,
                                const char *name, size_t *out, struct rf_err *err)
{
    for (size_t i = 0; i < rf_agent_server_count(agent); i++) {
        struct rf_agent_server s = { .size = sizeof s };
        if (rf_agent_server(agent, i, &s, err) || !is(s.name, name))
            continue;
        if (s.state == RF_SERVER_FAILED) {
            rf_say(err, RF_EPROVIDER, "%.*s", RF_FMT(s.why));
            rf_say_hint(err, "%.*s", RF_FMT(s.hint));
        }
        if (s.state == RF_SERVER_DISABLED)
            rf_say(err, RF_EPROVIDER, "the MCP server \"%s\" is disabled", name);
        if (s.state == RF_SERVER_FAILED || s.state == RF_SERVER_DISABLED)
            return RF_EPROVIDER;
        *out = i;
        return RF_OK;
    }
    return rf_mcp_fail_missing(config, agent, name, err);
}

/* What a server lists or links to is read by a tool of ours. */
static bool is_reader(const struct wanted *w)
{
    return strcmp(w->tool, READER) == 0;
}

static enum rf_code fail_no_tool(struct rf_agent *agent, size_t server, const struct wanted *w,
                                 struct rf_err *err)
{
    struct rf_str name, own;
    unsigned least = UINT_MAX;
    rf_say(err, RF_EUSAGE, "the MCP server \"%s\" has no tool \"%s\"", w->server, w->tool);
    rf_say_hint(err, "refract mcp list %s names those that it has.", w->server);
    for (size_t i = 0; rf_agent_server_tool(agent, server, i, &name, &own); i++) {
        char *known = rf_text_copy(own);
        unsigned distance = rf_name_distance(w->tool, known);
        if (distance < least && rf_name_near(w->tool, distance)) {
            least = distance;
            rf_say_hint(err, "Did you mean %s?", known);
        }
        free(known);
    }
    return RF_EUSAGE;
}

/* By the server's own name for it, or by the model's. */
static enum rf_code find_tool(struct rf_agent *agent, size_t server, const struct wanted *w,
                              struct rf_str *out, struct rf_err *err)
{
    struct rf_str name, own;
    for (size_t i = 0; rf_agent_server_tool(agent, server, i, &name, &own); i++)
        if (is(own, w->tool) || is(name, w->tool)) {
            *out = name;
            return RF_OK;
        }
    if (!is_reader(w))
        return fail_no_tool(agent, server, w, err);
    *out = rf_text(READER);
    return RF_OK;
}

/* Resources */

static enum rf_permission permit(void *ctx, struct rf_str what, struct rf_str about)
{
    size_t n = strlen(RF_PERMIT_RESOURCE);
    (void)ctx, (void)about;
    return what.n > n && memcmp(what.p, RF_PERMIT_RESOURCE, n) == 0 ? RF_PERMIT_ONCE : RF_PERMIT_NO;
}

/* {"server": …, "uri": …}, for the caller to free: a person has named the server already. NULL
 * where the arguments are not JSON. */
static char *reader_arguments(const struct wanted *w)
{
    struct rf_jdoc *d = NULL;
    char *text = NULL;
    size_t n;
    if (rf_jdoc_read(rf_text(w->arguments ? w->arguments : "{}"), &d, NULL))
        return NULL;
    struct rf_str uri = rf_jdoc_text(d, rf_jval_get(rf_jdoc_root(d), "uri"));
    FILE *out = open_memstream(&text, &n);
    if (out) {
        fputs("{\"server\":", out);
        rf_print_json(out, rf_text(w->server));
        fputs(",\"uri\":", out);
        rf_print_json(out, uri);
        fputc('}', out);
        fclose(out);
    }
    rf_jdoc_free(d);
    return text;
}

static enum rf_code run(struct rf_agent *agent, struct rf_str name, const struct wanted *w,
                        struct rf_result **out, struct rf_err *err)
{
    char *made = is(name, READER) ? reader_arguments(w) : NULL;
    const char *arguments = made ? made : w->arguments ? w->arguments : "";
    enum rf_code rc = rf_agent_call(agent, name, rf_text(arguments), out, err);
    free(made);
    return rc;
}

/* What is shown meanwhile. The result is not: it is printed whole. What is worth saying about the
 * servers is, where the tool was not found. */
struct watching {
    struct rf_ask_show show;
    struct rf_buffer notes; /* a line each */
    bool calls;             /* the tool was found */
};

static enum rf_inquiry_answer inquire(void *ctx, struct rf_inquiry *q)
{
    struct watching *w = ctx;
    rf_ask_show_rest(&w->show);
    enum rf_inquiry_answer answer = rf_inquiry_ask_plainly(q);
    rf_ask_show_work(&w->show);
    return answer;
}

static bool hear(void *ctx, const struct rf_agent_event *e)
{
    struct watching *w = ctx;
    if (e->type == RF_AGENT_RESULT)
        return true;
    if (e->type != RF_AGENT_NOTE || w->calls)
        return rf_ask_show_event(&w->show, e);
    rf_buffer_text(&w->notes, "note: ");
    rf_buffer_str(&w->notes, e->text);
    rf_buffer_text(&w->notes, "\n");
    return true;
}

struct saving {
    struct rf_made made;
    const char *tool;
};

/* What text does not show is saved, and named. */
static enum rf_code save_files(const struct rf_result *result, struct saving *s, FILE *json,
                               struct rf_err *err)
{
    const struct rf_message *m = rf_result_message(result);
    struct rf_made_file file;
    struct rf_buffer line = { 0 };
    enum rf_code rc = RF_OK;
    for (const struct rf_block *b = NULL; !rc && (b = rf_message_file(m, b));) {
        rc = rf_made_take(&s->made, b, NULL, &file, err);
        if (rc)
            break;
        snprintf(file.tool, sizeof file.tool, "%s", s->tool);
        if (json) {
            fputs(ftell(json) > 0 ? "," : "", json);
            rf_made_json(json, &file);
        } else {
            rf_made_line(&file, &line);
            rf_print_text(stderr, rf_buffer_view(&line));
            fputc('\n', stderr);
            rf_buffer_reset(&line);
        }
        rf_made_file_release(&file);
    }
    rf_buffer_release(&line);
    return rc;
}

/* The result, with the list of files as one more member. */
static void print_json(struct rf_str result, struct rf_str files)
{
    struct rf_buffer all = { 0 };
    rf_buffer_add(&all, result.p, result.n - 1);
    rf_buffer_print(&all, ",\"made\":[%.*s]}", RF_FMT(files));
    rf_print_document(stdout, rf_buffer_view(&all));
    rf_buffer_release(&all);
}

static int print_as_json(struct rf_result *result, struct saving *s)
{
    struct rf_str text;
    struct rf_err err, unsaved;
    char *files = NULL;
    size_t n = 0;
    FILE *list = open_memstream(&files, &n);
    if (!list)
        abort();
    enum rf_code saved = save_files(result, s, list, &unsaved);
    fclose(list);
    enum rf_code rc = rf_result_json(result, RF_WITH_FILES, &text, &err);
    if (!rc)
        print_json(text, (struct rf_str){ files, n });
    free(files);
    return rc ? rf_report(&err) : saved ? rf_report(&unsaved) : 0;
}

static int print_as_text(struct rf_result *result, struct saving *s)
{
    struct rf_str text;
    struct rf_err err;
    const struct rf_err *failed = rf_result_error(result);
    if (failed->code)
        rf_report(failed);
    else if (rf_result_text(result, RF_WITH_FILES, &text, &err))
        return rf_report(&err);
    else
        rf_print_lines(stdout, text);
    return save_files(result, s, NULL, &err) ? rf_report(&err) : 0;
}

static int print_result(struct rf_result *result, struct saving *s, bool json)
{
    int status = (json ? print_as_json : print_as_text)(result, s);
    return status ? status : rf_exit_status(rf_result_error(result)->code);
}

static enum rf_code call(struct rf_agent *agent, struct watching *seen, const struct wanted *w,
                         struct rf_result **out, struct rf_err *err)
{
    struct rf_str name;
    size_t i = 0;
    rf_agent_only_server(agent, rf_text(w->server));
    if (is_reader(w))
        rf_agent_permit(agent, permit, NULL);
    rf_agent_listen(agent, hear, seen);
    rf_agent_servers_start(agent);
    enum rf_code rc = find_server(w->config, agent, w->server, &i, err);
    if (!rc)
        rc = find_tool(agent, i, w, &name, err);
    seen->calls = !rc;
    if (!rc && !rf_stopping_heard())
        rc = run(agent, name, w, out, err);
    if (rf_stopping_heard()) {
        rf_say(err, RF_EINTERRUPTED, "stopped");
        return RF_EINTERRUPTED;
    }
    rf_ask_show_rest(&seen->show);
    if (!seen->calls)
        rf_print_lines(stderr, rf_buffer_view(&seen->notes));
    return rc;
}

int rf_mcp_try(const char *server, const char *tool, const char *arguments,
               const struct rf_mcp_way *way)
{
    struct rf_config *config = NULL;
    struct rf_agent *agent = NULL;
    struct rf_result *result = NULL;
    struct watching seen = { .show = { .quiet = way->json } };
    struct saving saving = { { .folder = way->folder }, tool };
    struct rf_err err;
    enum rf_code rc = rf_input_folder(way->folder, "media", &err);
    if (!rc)
        rc = rf_project_open(&config, RF_PROJECT_READ, &err);
    const struct wanted wanted = { config, server, tool, arguments };
    if (!rc)
        rc = rf_agent_new(config, NULL, &agent, &err);
    if (!rc) {
        rf_ask_show_begin(&seen.show);
        if (rf_inquiry_can_ask())
            rf_agent_inquiries(agent, inquire, &seen);
        if (!way->no_save)
            rf_agent_keep_logins(agent);
        rf_stopping_begin(agent);
        rc = call(agent, &seen, &wanted, &result, &err);
        rf_stopping_end();
        rf_ask_show_rest(&seen.show);
    }
    int status = rc ? rf_report(&err) : print_result(result, &saving, way->json);
    rf_ask_show_release(&seen.show);
    rf_buffer_release(&seen.notes);
    rf_result_free(result);
    rf_agent_free(agent);
    rf_config_close(config);
    return status;
}
