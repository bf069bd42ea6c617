/* refract mcp list: every server of the configuration is started, and a few lines say how it is.
 * One that fails makes the status one of failure; the others are listed all the same. */
#include "mcp_client.h"

#include <string.h>

#include <refract/refract.h>

#include "ask.h"
#include "inquiry.h"
#include "project.h"
#include "report.h"
#include "term/buffer.h"

#define MOST_ERRORS 5  /* lines of standard error that are shown */
#define MOST_WORDS 3   /* lines of what a server says of its use, where all are listed */
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

static bool has_prefix(struct rf_str s, const char *prefix)
{
    return s.n > strlen(prefix) && memcmp(s.p, prefix, strlen(prefix)) == 0;
}

/* Why it failed, without its name, which the line begins with. */
static struct rf_str reason_of(const struct rf_agent_server *s)
{
    struct rf_buffer front = { 0 };
    struct rf_str why = s->why;
    rf_buffer_print(&front, "MCP server \"%.*s\" ", RF_FMT(s->name));
    rf_buffer_add(&front, "", 1);
    if (has_prefix(why, front.p))
        why = (struct rf_str){ why.p + front.n - 1, why.n - front.n + 1 };
    rf_buffer_release(&front);
    return why;
}

static void add_head(struct rf_buffer *line, const struct rf_agent_server *s)
{
    bool ready = s->state == RF_SERVER_READY, failed = s->state == RF_SERVER_FAILED;
    rf_buffer_print(line, "%c %.*s  %s",
                    ready    ? '+'
                    : failed ? 'x'
                             : '-',
                    RF_FMT(s->name), state_of(s->state));
    if (ready)
        rf_buffer_print(line, ", %zu tool%s%s%.*s%s%.*s, MCP %.*s", s->tools,
                        s->tools == 1 ? "" : "s", s->own_name.n ? ", " : "", RF_FMT(s->own_name),
                        s->own_version.n ? " " : "", RF_FMT(s->own_version), RF_FMT(s->version));
    if (failed)
        rf_buffer_print(line, ": %.*s", RF_FMT(reason_of(s)));
}

struct rows {
    void (*row)(void *ctx, struct rf_str line);
    void *ctx;
    size_t most; /* lines of what a server says of its use; 0: all */
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

static bool contains(struct rf_str s, struct rf_str part)
{
    return part.n <= s.n && memmem(s.p, s.n, part.p, part.n);
}

/* The last lines of what it wrote, unless the reason has them. */
static void put_errors(const struct rows *r, const struct rf_agent_server *s,
                       struct rf_buffer *line)
{
    struct rf_str errors = s->errors;
    size_t from = errors.n, lines = 0;
    while (from && errors.p[from - 1] == '\n')
        from--;
    errors.n = from;
    if (contains(s->why, errors))
        return;
    for (; from && lines < MOST_ERRORS; from -= lines < MOST_ERRORS)
        lines += errors.p[from - 1] == '\n';
    put_lines(r, '|', (struct rf_str){ errors.p + from, errors.n - from }, line);
}

static void put_instructions(const struct rows *r, const struct rf_agent_server *s,
                             struct rf_buffer *line)
{
    struct rf_str all = s->instructions;
    size_t lines = 0, more = 0, n = all.n;
    for (size_t i = 0; i + 1 < all.n; i++) {
        if (all.p[i] != '\n')
            continue;
        lines++;
        if (r->most && lines == r->most)
            n = i;
        more += r->most && lines >= r->most;
    }
    put_lines(r, '>', (struct rf_str){ all.p, n }, line);
    if (!more)
        return;
    rf_buffer_print(line, "    > ... and %zu more line%s, which mcp list %.*s shows", more,
                    more == 1 ? "" : "s", RF_FMT(s->name));
    put(r, line);
}

/* How it is and what to do about it, how it is reached, what it says of its use; where it failed,
 * what it wrote. */
static void put_server(const struct rows *r, const struct rf_agent_server *s)
{
    struct rf_buffer line = { 0 };
    add_head(&line, s);
    put(r, &line);
    if (s->hint.n) {
        rf_buffer_print(&line, "    %.*s", RF_FMT(s->hint));
        put(r, &line);
    }
    rf_buffer_print(&line, "    %.*s%s%.*s%s", RF_FMT(s->reached), s->file.n ? " (named by " : "",
                    RF_FMT(s->file), s->file.n ? ")" : "");
    put(r, &line);
    put_instructions(r, s, &line);
    if (s->state == RF_SERVER_FAILED)
        put_errors(r, s, &line);
    rf_buffer_release(&line);
}

/* Where all is said, with their arguments and the first line of what the server says of them. */
static void put_tools(const struct rows *r, struct rf_agent *agent, size_t server)
{
    struct rf_buffer line = { 0 };
    struct rf_str name, own, said, schema;
    for (size_t i = 0; rf_agent_server_tool(agent, server, i, &name, &own); i++) {
        bool about = !r->most && rf_agent_server_tool_about(agent, server, i, &said, &schema);
        rf_buffer_print(&line, "    %.*s", RF_FMT(name));
        if (about)
            rf_mcp_arguments(&line, schema);
        put(r, &line);
        if (about && said.n) {
            const char *feed = memchr(said.p, '\n', said.n);
            rf_buffer_print(&line, "        %.*s", feed ? (int)(feed - said.p) : (int)said.n,
                            said.p);
            put(r, &line);
        }
    }
    rf_buffer_release(&line);
}

void rf_mcp_heads(struct rf_agent *agent, void (*row)(void *ctx, struct rf_str line), void *ctx)
{
    const struct rows r = { row, ctx, 0 };
    struct rf_agent_server s = { .size = sizeof s };
    struct rf_buffer line = { 0 };
    for (size_t i = 0; !rf_agent_server(agent, i, &s, NULL); i++) {
        add_head(&line, &s);
        put(&r, &line);
    }
    rf_buffer_release(&line);
}

bool rf_mcp_details(struct rf_agent *agent, struct rf_str name,
                    void (*row)(void *ctx, struct rf_str line), void *ctx)
{
    const struct rows r = { row, ctx, 0 };
    struct rf_agent_server s = { .size = sizeof s };
    for (size_t i = 0; !rf_agent_server(agent, i, &s, NULL); i++) {
        if (s.name.n != name.n || memcmp(s.name.p, name.p, name.n) != 0)
            continue;
        put_server(&r, &s);
        put_tools(&r, agent, i);
        return true;
    }
    return false;
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
    struct rf_str name, own, said, schema;
    fputs(",\"tools\":[", stdout);
    for (size_t i = 0; rf_agent_server_tool(agent, server, i, &name, &own); i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
        rf_print_json(stdout, name);
        print_member("own_name", own);
        if (rf_agent_server_tool_about(agent, server, i, &said, &schema)) {
            print_member("description", said);
            fputs(",\"schema\":", stdout);
            rf_print_json_line(stdout, schema);
        }
        putchar('}');
    }
    putchar(']');
}

/* Of that name; NULL: of any. */
static bool is_named(const struct rf_agent_server *s, const char *name)
{
    return !name || (s->name.n == strlen(name) && memcmp(s->name.p, name, s->name.n) == 0);
}

static void print_json(struct rf_agent *agent, const char *only)
{
    struct rf_agent_server s = { .size = sizeof s };
    bool first = true;
    fputs("{\"servers\":[", stdout);
    for (size_t i = 0; !rf_agent_server(agent, i, &s, NULL); i++) {
        if (!is_named(&s, only))
            continue;
        fputs(first ? "{\"name\":" : ",{\"name\":", stdout);
        first = false;
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

static enum rf_code check_failed(struct rf_agent *agent, const char *only, struct rf_err *err)
{
    struct rf_agent_server s = { .size = sizeof s };
    size_t failed = 0, count = 0;
    for (size_t i = 0; !rf_agent_server(agent, i, &s, NULL); i++) {
        count += is_named(&s, only);
        failed += s.state == RF_SERVER_FAILED;
    }
    if (!failed)
        return RF_OK;
    rf_say(err, RF_EPROVIDER, "%zu of %zu MCP server%s failed", failed, count,
           count == 1 ? "" : "s");
    return RF_EPROVIDER;
}

/* Starting them: each is printed when its turn in the configuration has come. Names of tools depend
 * on all of them, so these follow. */

struct listing {
    struct rf_agent *agent;
    struct rf_ask_show show;
    bool json;
    const char *only; /* of which all is said; NULL: all of them */
    size_t next;      /* to be printed */
};

static void print_settled(struct listing *l)
{
    const struct rows r = { print_row, NULL, l->only ? 0 : MOST_WORDS };
    struct rf_agent_server s = { .size = sizeof s };
    for (; !rf_agent_server(l->agent, l->next, &s, NULL); l->next++) {
        if (!is_named(&s, l->only))
            continue;
        if (s.state == RF_SERVER_STARTING || s.state == RF_SERVER_OFF)
            return;
        rf_ask_show_rest(&l->show);
        put_server(&r, &s);
        fflush(stdout);
    }
}

static void print_all_tools(struct rf_agent *agent, size_t most)
{
    const struct rows r = { print_row, NULL, most };
    struct rf_agent_server s = { .size = sizeof s };
    for (size_t i = 0; !rf_agent_server(agent, i, &s, NULL); i++) {
        if (!s.tools)
            continue;
        fputs("\ntools of ", stdout);
        print_row(NULL, s.name);
        put_tools(&r, agent, i);
    }
}

static enum rf_inquiry_answer inquire(void *ctx, struct rf_inquiry *q)
{
    struct listing *l = ctx;
    rf_ask_show_rest(&l->show);
    return rf_inquiry_ask_plainly(q);
}

static bool hear(void *ctx, const struct rf_agent_event *e)
{
    struct listing *l = ctx;
    if (!l->json)
        print_settled(l);
    return rf_ask_show_event(&l->show, e);
}

static void list(struct rf_agent *agent, const char *only, bool json)
{
    struct listing l = { .agent = agent, .json = json, .only = only };
    if (only)
        rf_agent_only_server(agent, rf_text(only));
    rf_ask_show_begin(&l.show);
    if (rf_inquiry_can_ask())
        rf_agent_inquiries(agent, inquire, &l);
    rf_agent_listen(agent, hear, &l);
    rf_agent_servers_start(agent);
    rf_ask_show_rest(&l.show);
    if (json) {
        print_json(agent, only);
    } else {
        print_settled(&l);
        print_all_tools(agent, only ? 0 : MOST_WORDS);
    }
    rf_ask_show_release(&l.show);
}

static bool has_server(struct rf_agent *agent, const char *name)
{
    struct rf_agent_server s = { .size = sizeof s };
    for (size_t i = 0; !rf_agent_server(agent, i, &s, NULL); i++)
        if (is_named(&s, name))
            return true;
    return false;
}

int rf_mcp_list(const char *only, const struct rf_mcp_way *way)
{
    struct rf_config *config = NULL;
    struct rf_agent *agent = NULL;
    struct rf_err err;
    enum rf_code rc = rf_project_open(&config, RF_PROJECT_SERVERS, &err);
    if (!rc)
        rc = rf_agent_new(config, NULL, &agent, &err);
    if (!rc && only && !has_server(agent, only))
        rc = rf_mcp_fail_missing(config, agent, only, &err);
    if (!rc) {
        if (!way->no_save)
            rf_agent_keep_logins(agent);
        list(agent, only, way->json);
        if (!rf_agent_server_count(agent))
            rf_mcp_note_none(config);
        rc = check_failed(agent, only, &err);
    }
    rf_agent_free(agent);
    rf_config_close(config);
    return rc ? rf_report(&err) : 0;
}
