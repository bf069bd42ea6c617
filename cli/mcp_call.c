/* refract mcp call: a tool of a server by hand, as `refract read` is one of ours. What a model would
 * get as text goes to standard output, or the whole result as JSON. Who types it has permitted it. */
#include "mcp_client.h"

#include <stdio.h>
#include <string.h>

#include <refract/refract.h>

#include "advice.h"
#include "ask.h"
#include "inquiry.h"
#include "project.h"
#include "report.h"
#include "text.h"

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

/* By the server's own name for it, or by the model's. */
static enum rf_code find_tool(struct rf_agent *agent, size_t server, const char *tool,
                              struct rf_str *out, struct rf_err *err)
{
    struct rf_str name, own;
    for (size_t i = 0; rf_agent_server_tool(agent, server, i, &name, &own); i++)
        if (is(own, tool) || is(name, tool)) {
            *out = name;
            return RF_OK;
        }
    rf_say(err, RF_EUSAGE, "the server has no tool \"%s\"", tool);
    rf_say_hint(err, "refract mcp list names those that it has.");
    return RF_EUSAGE;
}

static enum rf_inquiry_answer inquire(void *ctx, struct rf_inquiry *q)
{
    struct rf_ask_show *show = ctx;
    rf_ask_show_rest(show);
    enum rf_inquiry_answer answer = rf_inquiry_ask_plainly(q);
    rf_ask_show_work(show);
    return answer;
}

/* What text does not show. */
static void print_files(const struct rf_result *result)
{
    const struct rf_message *m = rf_result_message(result);
    for (const struct rf_block *b = NULL; (b = rf_message_file(m, b));) {
        struct rf_file f = { .size = sizeof f };
        struct rf_err unseen;
        char size[RF_SHORT_TEXT];
        if (rf_block_file(b, &f, &unseen))
            continue;
        size_t n = f.bytes.n ? f.bytes.n : f.base64.n / 4 * 3;
        for (size_t i = f.base64.n; i && f.base64.p[i - 1] == '='; i--)
            n--;
        fprintf(stderr, "+ %s", rf_block_type_name(rf_block_type_of(b)));
        if (f.name.n)
            fputc(' ', stderr);
        rf_print_text(stderr, f.name);
        fputs(f.media_type.n ? ", " : "", stderr);
        rf_print_text(stderr, f.media_type);
        fprintf(stderr, ", %s\n", rf_size_text((int64_t)n, size));
    }
}

static int print_result(struct rf_result *result, bool json)
{
    struct rf_str text;
    struct rf_err err;
    const struct rf_err *failed = rf_result_error(result);
    if ((json ? rf_result_json : rf_result_text)(result, RF_WITH_FILES, &text, &err))
        return rf_report(&err);
    if (json)
        rf_print_document(stdout, text);
    else if (failed->code)
        rf_report(failed);
    else
        rf_print_lines(stdout, text);
    if (!json)
        print_files(result);
    return rf_exit_status(failed->code);
}

struct wanted {
    const struct rf_config *config;
    const char *server, *tool, *arguments; /* the last one may be NULL */
};

static enum rf_code call(struct rf_agent *agent, struct rf_ask_show *show, const struct wanted *w,
                         struct rf_result **out, struct rf_err *err)
{
    struct rf_str name;
    size_t i = 0;
    rf_agent_only_server(agent, rf_text(w->server));
    rf_agent_listen(agent, rf_ask_show_event, show);
    rf_agent_servers_start(agent);
    enum rf_code rc = find_server(w->config, agent, w->server, &i, err);
    if (!rc)
        rc = find_tool(agent, i, w->tool, &name, err);
    return rc ? rc
              : rf_agent_call(agent, name, rf_text(w->arguments ? w->arguments : ""), out, err);
}

int rf_mcp_try(const char *server, const char *tool, const char *arguments,
               const struct rf_mcp_way *way)
{
    struct rf_config *config = NULL;
    struct rf_agent *agent = NULL;
    struct rf_result *result = NULL;
    struct rf_ask_show show = { .quiet = way->json };
    struct rf_err err;
    enum rf_code rc = rf_project_open(&config, RF_PROJECT_READ, &err);
    const struct wanted wanted = { config, server, tool, arguments };
    if (!rc)
        rc = rf_agent_new(config, NULL, &agent, &err);
    if (!rc) {
        rf_ask_show_begin(&show);
        if (rf_inquiry_can_ask())
            rf_agent_inquiries(agent, inquire, &show);
        if (!way->no_save)
            rf_agent_keep_logins(agent);
        rc = call(agent, &show, &wanted, &result, &err);
        rf_ask_show_rest(&show);
    }
    int status = rc ? rf_report(&err) : print_result(result, way->json);
    rf_ask_show_release(&show);
    rf_result_free(result);
    rf_agent_free(agent);
    rf_config_close(config);
    return status;
}
