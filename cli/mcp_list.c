/* refract mcp list: every server of the configuration is started, and a few lines say how it is. */
#include "mcp_client.h"

#include <string.h>

#include <refract/refract.h>

#include "inquiry.h"
#include "project.h"
#include "report.h"
#include "term/buffer.h"

#define MOST_ERRORS 5  /* lines of standard error that are shown */
#define MODERN "2026-" /* revisions from then on have no handshake */

static const char *era_of(struct rf_str version)
{
    return version.n >= strlen(MODERN) && memcmp(version.p, MODERN, strlen(MODERN)) >= 0 ? "modern"
                                                                                         : "legacy";
}

static const char *state_of(enum rf_server_state state)
{
    switch (state) {
    case RF_SERVER_OFF:
        return "off";
    case RF_SERVER_STARTING:
        return "starting";
    case RF_SERVER_READY:
        return "ready";
    case RF_SERVER_FAILED:
        return "failed";
    case RF_SERVER_DISABLED:
        return "disabled";
    }
    return "";
}

/* For people */

struct rows {
    struct rf_agent *agent;
    void (*row)(void *ctx, struct rf_str line);
    void *ctx;
};

static void put(const struct rows *r, struct rf_buffer *line)
{
    r->row(r->ctx, rf_buffer_view(line));
    rf_buffer_reset(line);
}

static void put_lines(const struct rows *r, char mark, struct rf_str rest, struct rf_buffer *line)
{
    while (rest.n) {
        const char *feed = memchr(rest.p, '\n', rest.n);
        size_t n = feed ? (size_t)(feed - rest.p) : rest.n;
        rf_buffer_print(line, "    %c %.*s", mark, (int)n, rest.p);
        put(r, line);
        n += n < rest.n;
        rest = (struct rf_str){ rest.p + n, rest.n - n };
    }
}

/* The last lines of what it wrote. */
static void put_errors(const struct rows *r, struct rf_str errors, struct rf_buffer *line)
{
    size_t from = errors.n, lines = 0;
    while (from && errors.p[from - 1] == '\n')
        from--;
    errors.n = from;
    for (; from && lines < MOST_ERRORS; from -= lines < MOST_ERRORS)
        lines += errors.p[from - 1] == '\n';
    put_lines(r, '|', (struct rf_str){ errors.p + from, errors.n - from }, line);
}

static void put_tools(const struct rows *r, size_t server, struct rf_buffer *line)
{
    struct rf_str name, own;
    for (size_t i = 0; rf_agent_server_tool(r->agent, server, i, &name, &own); i++) {
        rf_buffer_print(line, "    %.*s", RF_FMT(name));
        put(r, line);
    }
}

static void put_server(const struct rows *r, size_t i, const struct rf_agent_server *s)
{
    struct rf_buffer line = { 0 };
    bool ready = s->state == RF_SERVER_READY, failed = s->state == RF_SERVER_FAILED;
    rf_buffer_print(&line, "%s %.*s  %s",
                    ready    ? "+"
                    : failed ? "x"
                             : "-",
                    RF_FMT(s->name), state_of(s->state));
    if (ready)
        rf_buffer_print(&line, ", %zu tool%s, revision %.*s (%s)%s%.*s %.*s", s->tools,
                        s->tools == 1 ? "" : "s", RF_FMT(s->version), era_of(s->version),
                        s->own_name.n ? ", " : "", RF_FMT(s->own_name), RF_FMT(s->own_version));
    if (failed)
        rf_buffer_print(&line, ": %.*s", RF_FMT(s->why));
    put(r, &line);
    if (s->hint.n) {
        rf_buffer_print(&line, "    %.*s", RF_FMT(s->hint));
        put(r, &line);
    }
    rf_buffer_print(&line, "    %.*s%s%.*s%s", RF_FMT(s->reached), s->file.n ? " (named by " : "",
                    RF_FMT(s->file), s->file.n ? ")" : "");
    put(r, &line);
    put_lines(r, '>', s->instructions, &line);
    put_tools(r, i, &line);
    if (failed)
        put_errors(r, s->errors, &line);
    rf_buffer_release(&line);
}

void rf_mcp_lines(struct rf_agent *agent, void (*row)(void *ctx, struct rf_str line), void *ctx)
{
    const struct rows r = { agent, row, ctx };
    for (size_t i = 0; i < rf_agent_server_count(agent); i++) {
        struct rf_agent_server s = { .size = sizeof s };
        struct rf_err unseen;
        if (!rf_agent_server(agent, i, &s, &unseen))
            put_server(&r, i, &s);
    }
}

static void print_row(void *ctx, struct rf_str line)
{
    (void)ctx;
    rf_print_text(stdout, line);
    putchar('\n');
}

/* For programs */

static void print_member(const char *name, struct rf_str value)
{
    if (!value.n)
        return;
    printf(",\"%s\":", name);
    rf_print_json(stdout, value);
}

static void print_tools(struct rf_agent *agent, size_t server)
{
    struct rf_str name, own;
    fputs(",\"tools\":[", stdout);
    for (size_t i = 0; rf_agent_server_tool(agent, server, i, &name, &own); i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
        rf_print_json(stdout, name);
        print_member("own_name", own);
        putchar('}');
    }
    putchar(']');
}

static void print_json(struct rf_agent *agent)
{
    fputs("{\"servers\":[", stdout);
    for (size_t i = 0; i < rf_agent_server_count(agent); i++) {
        struct rf_agent_server s = { .size = sizeof s };
        struct rf_err unseen;
        if (rf_agent_server(agent, i, &s, &unseen))
            continue;
        fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
        rf_print_json(stdout, s.name);
        print_member("state", rf_text(state_of(s.state)));
        print_member("why", s.why);
        print_member("hint", s.hint);
        print_member("reached", s.reached);
        print_member("file", s.file);
        print_member("revision", s.version);
        print_member("era", rf_text(s.version.n ? era_of(s.version) : ""));
        print_member("server", s.own_name);
        print_member("version", s.own_version);
        print_member("instructions", s.instructions);
        print_tools(agent, i);
        print_member("errors", s.errors);
        putchar('}');
    }
    fputs("]}\n", stdout);
}

static void note_none(void)
{
    struct rf_err note;
    rf_say(&note, RF_OK, "no MCP servers are configured");
    rf_say_hint(&note, "Name them in the configuration, as in mcp_servers: {files: {command: npx, "
                       "args: [...]}}; see refract-config(5).");
    rf_report_note(&note);
}

static enum rf_inquiry_answer inquire(void *ctx, struct rf_inquiry *q)
{
    (void)ctx;
    return rf_inquiry_ask_plainly(q);
}

static bool print_note(void *ctx, const struct rf_agent_event *e)
{
    (void)ctx;
    if (e->type == RF_AGENT_NOTE) {
        fputs("note: ", stderr);
        rf_print_text(stderr, e->text);
        fputc('\n', stderr);
    }
    return true;
}

int rf_mcp_list(const struct rf_mcp_way *way)
{
    struct rf_config *config = NULL;
    struct rf_agent *agent = NULL;
    struct rf_err err;
    enum rf_code rc = rf_project_open(&config, RF_PROJECT_NOTE, &err);
    if (!rc)
        rc = rf_agent_new(config, NULL, &agent, &err);
    if (!rc) {
        if (rf_inquiry_can_ask())
            rf_agent_inquiries(agent, inquire, NULL);
        if (!way->no_save)
            rf_agent_keep_logins(agent);
        rf_agent_listen(agent, print_note, NULL);
        rf_agent_servers_start(agent);
        if (way->json)
            print_json(agent);
        else
            rf_mcp_lines(agent, print_row, NULL);
        if (!rf_agent_server_count(agent))
            note_none();
    }
    rf_agent_free(agent);
    rf_config_close(config);
    return rc ? rf_report(&err) : 0;
}
