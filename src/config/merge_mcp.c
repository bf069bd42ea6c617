/* What the configuration says of servers of the Model Context Protocol, in the form that other hosts
 * use:
 *
 *     mcp_servers:
 *       files:
 *         command: npx                           # or a list: the program and its arguments
 *         args: [-y, "@modelcontextprotocol/server-filesystem", /srv/docs]
 *         env: {LOG: quiet, TOKEN: $FILES_TOKEN} # beside the usual variables
 *         cwd: ~/papers
 *         tools: [list_directory, "*_file"]      # that a model is offered
 *         allow: [list_directory, "read_*"]      # its tools that run unasked; yes: all of them
 *       search:
 *         url: https://mcp.example/mcp
 *         headers: {Authorization: "Bearer ${SEARCH_TOKEN}"}
 *         timeout_s: 30
 *         disabled: yes
 *
 * and the servers of a project's .mcp.json, which is for other programs too: what is wrong there is
 * the problem of one server, and of nothing else.
 *
 * A project's files cannot say that a tool runs unasked, change a server of the user's, or name a
 * variable that holds the key of a provider. Whatever else they name is shown before they are
 * trusted. */
#include "config/merge.h"

#include "base/arena.h"
#include "config/mcp_file.h"
#include "model/providers.h"

#define MOST_SERVERS 100
#define MOST_TEXTS 256 /* arguments, variables, headers or patterns */
#define MOST_NAME 64
#define MOST_TIMEOUT_S 86400

static void problem(struct rf_merge *r, size_t line, struct rf_str what, const char *hint)
{
    struct rf_err e;
    rf_merge_problem(&e, r, line, "server \"%.*s\": %.*s", RF_FMT(r->server->name), RF_FMT(what));
    rf_hint(&e, "%s", hint);
    rf_problem_add(r->problems, &e);
}

/* No program and no header can be given a NUL, which only a file of JSON can hold. */
static bool is_text(struct rf_merge *r, const struct rf_yaml *v, const char *name)
{
    const char *what = rf_strf(r->c->arena, "\"%s\"", name).p;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, what))
        return false;
    if (!v->text.n || !memchr(v->text.p, '\0', v->text.n))
        return true;
    problem(r, v->line, rf_strf(r->c->arena, "%s holds a NUL", what), "Leave it out.");
    return false;
}

/* "$NAME" is short for "${NAME}", but in the files of others. */
static struct rf_str spelled_out(const struct rf_merge *r, struct rf_str s)
{
    struct rf_str name = { s.n ? s.p + 1 : s.p, s.n ? s.n - 1 : 0 };
    return s.n > 1 && s.p[0] == '$' && rf_mcp_is_variable(name) && !rf_mcp_is_file(r->file)
               ? rf_strf(r->c->arena, "${%.*s}", RF_FMT(name))
               : s;
}

/* Texts */

static bool read_texts(struct rf_merge *r, const struct rf_yaml *v, const char *name,
                       struct rf_str **list, size_t *count, size_t *cap)
{
    if (v->kind != RF_YAML_LIST || v->count > MOST_TEXTS) {
        problem(r, v->line, rf_strf(r->c->arena, "\"%s\" is not a list of texts", name),
                "Write it as a list, as in [one, two].");
        return false;
    }
    *count = 0;
    for (size_t i = 0; i < v->count; i++)
        if (is_text(r, &v->items[i], name))
            *RF_PUSH(r->c->arena, *list, *count, *cap) = v->items[i].text;
    return true;
}

/* "npx -y foo": a program that is looked for in PATH has no blank in its name; a path may. */
static bool is_line(struct rf_str s)
{
    struct rf_str first;
    return rf_str_split(&s, ' ', &first) && s.n && !memchr(first.p, '/', first.n);
}

/* The line as it is written in a file of this kind. */
static void advise_words(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_arena *a = r->c->arena;
    bool json = rf_mcp_is_file(r->file);
    const char *quote = json ? "\"" : "";
    struct rf_str rest = v->text, program, one, all = RF_STR("");
    struct rf_err e;
    rf_str_split(&rest, ' ', &program);
    while (rf_str_split(&rest, ' ', &one))
        if (one.n)
            all = rf_strf(a, "%.*s%s%s%.*s%s", RF_FMT(all), all.n ? ", " : "", quote, RF_FMT(one),
                          quote);
    rf_merge_problem(&e, r, v->line,
                     "server \"%.*s\": \"command\" is more than a program: \"%.*s\"",
                     RF_FMT(r->server->name), RF_FMT(v->text));
    rf_hint(&e,
            json ? "Did you mean \"command\": \"%.*s\", \"args\": [%.*s]?"
                 : "Did you mean command: %.*s and args: [%.*s]?",
            RF_FMT(program), RF_FMT(all));
    rf_problem_add(r->problems, &e);
}

static void read_command(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_mcp_server_config *s = r->server;
    if (v->kind == RF_YAML_TEXT && is_line(v->text)) {
        advise_words(r, v);
    } else if (v->kind == RF_YAML_TEXT && v->text.n) {
        s->command_count = 0;
        if (is_text(r, v, "command"))
            *RF_PUSH(r->c->arena, s->command, s->command_count, s->command_cap) = v->text;
    } else if (v->kind != RF_YAML_LIST || !v->count || !v->items[0].text.n) {
        problem(r, v->line, RF_STR("\"command\" is not a program"),
                "Name a program, with its arguments in \"args\", or write both as a list.");
    } else {
        read_texts(r, v, "command", &s->command, &s->command_count, &s->command_cap);
    }
}

static void read_args(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_mcp_server_config *s = r->server;
    read_texts(r, v, "args", &s->args, &s->arg_count, &s->arg_cap);
}

static void read_cwd(struct rf_merge *r, const struct rf_yaml *v)
{
    if (is_text(r, v, "cwd"))
        r->server->cwd = v->text;
}

static void read_type(struct rf_merge *r, const struct rf_yaml *v)
{
    static const char *const known[] = { "stdio", "http", "sse", "streamable-http",
                                         "streamableHttp" };
    if (!is_text(r, v, "type"))
        return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rf_str_is(v->text, known[i]))
            return;
    problem(
        r, v->line, rf_strf(r->c->arena, "\"type\" cannot be \"%.*s\"", RF_FMT(v->text)),
        "It is stdio for a program that is started here, http or sse for a web address; it may be "
        "left out.");
}

/* Addresses and headers */

static bool is_web_address(struct rf_str text, struct rf_str *host)
{
    size_t scheme = rf_str_starts(text, "https://") ? 8 : rf_str_starts(text, "http://") ? 7 : 0;
    struct rf_str rest = { text.p + scheme, text.n - scheme };
    return rf_str_split(&rest, '/', host) && host->n && (scheme || rf_str_starts(text, "${"));
}

static void read_url(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_str host;
    if (!is_text(r, v, "url"))
        return;
    if (!is_web_address(v->text, &host))
        problem(r, v->line, RF_STR("\"url\" is not a web address"),
                "It starts with https:// or http:// and names a host.");
    else if (memchr(host.p, '@', host.n))
        problem(r, v->line, RF_STR("\"url\" holds a user name or a password"),
                "Send what it needs as a header, as in headers: {Authorization: $MY_HEADER}.");
    else
        r->server->url = v->text;
}

static void set_pair(struct rf_arena *a, struct rf_config_header **list, size_t *count, size_t *cap,
                     struct rf_config_header pair)
{
    size_t i = 0;
    while (i < *count && !rf_str_eq((*list)[i].name, pair.name))
        i++;
    if (i == *count)
        RF_PUSH(a, *list, *count, *cap);
    (*list)[i] = pair;
}

static void read_header(struct rf_merge *r, const struct rf_yaml *key)
{
    struct rf_mcp_server_config *s = r->server;
    if (!is_text(r, key + 1, "headers"))
        return;
    struct rf_str value = spelled_out(r, key[1].text);
    if (!rf_merge_is_header(key->text) || memchr(value.p, '\n', value.n) ||
        memchr(value.p, '\r', value.n))
        problem(r, key->line,
                rf_strf(r->c->arena, "the header \"%.*s\" cannot be set", RF_FMT(key->text)),
                "Headers are named with letters, digits and hyphens; those that frame a message "
                "are not for a file to set.");
    else if (!rf_mcp_is_file(r->file) && rf_merge_is_secret(key->text) &&
             !rf_str_contains(value, RF_STR("${")))
        problem(r, key->line, RF_STR("keys do not belong in files"),
                "Name a variable, as in headers: {Authorization: \"Bearer ${MY_TOKEN}\"}.");
    else
        set_pair(r->c->arena, &s->headers, &s->header_count, &s->header_cap,
                 (struct rf_config_header){ key->text, value });
}

static bool is_map(struct rf_merge *r, const struct rf_yaml *v, const char *name)
{
    if (v->kind == RF_YAML_NULL || (v->kind == RF_YAML_MAP && v->count <= 2 * MOST_TEXTS))
        return true;
    problem(r, v->line, rf_strf(r->c->arena, "\"%s\" is not a map of texts", name),
            "Write names and values, as in {NAME: value}.");
    return false;
}

static void read_headers(struct rf_merge *r, const struct rf_yaml *v)
{
    for (size_t i = 0; is_map(r, v, "headers") && i < v->count; i += 2)
        read_header(r, &v->items[i]);
}

static void read_env(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_mcp_server_config *s = r->server;
    for (size_t i = 0; is_map(r, v, "env") && i < v->count; i += 2) {
        const struct rf_yaml *key = &v->items[i];
        if (!rf_mcp_is_variable(key->text))
            problem(
                r, key->line,
                rf_strf(r->c->arena, "\"%.*s\" is not the name of a variable", RF_FMT(key->text)),
                "Names have letters, digits and \"_\".");
        else if (is_text(r, key + 1, "env"))
            set_pair(r->c->arena, &s->env, &s->env_count, &s->env_cap,
                     (struct rf_config_header){ key->text, spelled_out(r, key[1].text) });
    }
}

/* A login: how we are known there, who gives it, to which port the browser comes back. */
static void read_oauth_key(struct rf_merge *r, const struct rf_yaml *key)
{
    struct rf_mcp_server_config *s = r->server;
    struct rf_str value = spelled_out(r, key[1].text), host;
    int64_t port;
    if (!is_text(r, key + 1, "oauth"))
        return;
    if (rf_str_is(key->text, "client_id"))
        s->client_id = value;
    else if (rf_str_is(key->text, "client_secret") && rf_str_contains(value, RF_STR("${")))
        s->client_secret = value;
    else if (rf_str_is(key->text, "issuer") && is_web_address(value, &host))
        s->issuer = value;
    else if (rf_str_is(key->text, "callback_port") && rf_str_int64(value, &port) && port > 0 &&
             port < 65536)
        s->callback_port = port;
    else
        problem(r, key->line,
                rf_strf(r->c->arena, "\"oauth\" cannot say this of \"%.*s\"", RF_FMT(key->text)),
                "It takes client_id, issuer (an address), callback_port and, as the name of a "
                "variable, client_secret, as in {client_id: me, client_secret: $MY_SECRET}.");
}

static void read_oauth(struct rf_merge *r, const struct rf_yaml *v)
{
    for (size_t i = 0; is_map(r, v, "oauth") && i < v->count; i += 2)
        read_oauth_key(r, &v->items[i]);
}

/* What is offered, what runs unasked, and when */

static void read_tools(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_mcp_server_config *s = r->server;
    if (v->kind == RF_YAML_LIST && !v->count)
        problem(r, v->line, RF_STR("\"tools\" names none"),
                "Leave it out to be offered all of them, or disable the server.");
    else
        read_texts(r, v, "tools", &s->tools, &s->tool_count, &s->tool_cap);
}

/* A list of patterns, or yes for all of its tools. */
static void read_patterns(struct rf_merge *r, const struct rf_yaml *v, const char *name,
                          struct rf_str **list, size_t *count, size_t *cap)
{
    bool yes;
    if (v->kind == RF_YAML_LIST) {
        read_texts(r, v, name, list, count, cap);
    } else if (rf_merge_switch(r, v, rf_strf(r->c->arena, "\"%s\"", name).p, &yes)) {
        *count = 0;
        if (yes)
            *RF_PUSH(r->c->arena, *list, *count, *cap) = RF_STR("*");
    }
}

static void read_allow(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_mcp_server_config *s = r->server;
    read_patterns(r, v, "allow", &s->allow, &s->allow_count, &s->allow_cap);
}

static void read_read_only(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_mcp_server_config *s = r->server;
    read_patterns(r, v, "read_only", &s->read_only, &s->read_only_count, &s->read_only_cap);
}

static void read_timeout(struct rf_merge *r, const struct rf_yaml *v)
{
    int64_t seconds;
    if (v->kind != RF_YAML_TEXT || !rf_str_int64(v->text, &seconds) || seconds < 1 ||
        seconds > MOST_TIMEOUT_S)
        problem(r, v->line, RF_STR("\"timeout_s\" is not a number of seconds from 1 to 86400"),
                "Leave it out for two minutes.");
    else
        r->server->timeout_s = seconds;
}

static void read_disabled(struct rf_merge *r, const struct rf_yaml *v)
{
    bool yes;
    if (rf_merge_switch(r, v, "\"disabled\"", &yes))
        r->server->disabled = yes;
}

static const struct rf_merge_key keys[] = {
    { "type", read_type },         { "command", read_command }, { "args", read_args },
    { "env", read_env },           { "cwd", read_cwd },         { "url", read_url },
    { "headers", read_headers },   { "oauth", read_oauth },     { "timeout_s", read_timeout },
    { "tools", read_tools },       { "allow", read_allow },     { "read_only", read_read_only },
    { "disabled", read_disabled },
};

/* Variables that a project's file names */

static bool names(const char *list, struct rf_str variable)
{
    struct rf_str rest = rf_str(list), one;
    while (rf_str_split(&rest, ',', &one))
        if (rf_str_eq(one, variable))
            return true;
    return false;
}

static bool holds_key(const struct rf_config *c, struct rf_str variable)
{
    for (size_t i = 0; i < rf_provider_row_count; i++)
        if (names(rf_provider_rows[i].key_variables, variable) ||
            names(rf_provider_rows[i].token_variables, variable))
            return true;
    for (size_t i = 0; i < c->provider_count; i++)
        for (size_t k = 0; k < rf_config_key_count(&c->providers[i]); k++)
            if (rf_str_eq(rf_config_key(&c->providers[i], k)->variable, variable))
                return true;
    return rf_str_starts(variable, "AWS_SECRET") || rf_str_starts(variable, "AWS_SESSION");
}

static void check_variables(struct rf_merge *r, const struct rf_yaml *key)
{
    struct rf_config_trust *t = &r->c->trust;
    struct rf_arena *a = r->c->arena;
    struct rf_str all = RF_STR(""), one;
    struct rf_texts_of texts = rf_mcp_texts(r->server, a);
    for (size_t i = 0; i < texts.count; i++)
        for (size_t at = 0; rf_mcp_next_variable(*texts.items[i], &at, &one, NULL);) {
            if (holds_key(r->c, one))
                problem(
                    r, key->line,
                    rf_strf(a, "a project's file cannot have the key that %.*s holds", RF_FMT(one)),
                    "Name the server in your own configuration if it shall have it.");
            all = rf_strf(a, "%.*s%s%.*s", RF_FMT(all), all.n ? ", " : "", RF_FMT(one));
        }
    if (all.n && !r->c->withholds)
        *RF_PUSH(a, t->asked, t->count, t->cap) = (struct rf_asked){
            .entry = rf_strf(a, "mcp_servers.%.*s", RF_FMT(r->entry)),
            .key = RF_STR("variables"),
            .value = all,
        };
}

/* Servers */

const struct rf_mcp_server_config *rf_config_mcp_server(const struct rf_config *c,
                                                        struct rf_str name)
{
    for (size_t i = 0; c && i < c->mcp_server_count; i++)
        if (rf_str_eq(c->mcp_servers[i].name, name))
            return &c->mcp_servers[i];
    return NULL;
}

static bool is_name(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return false;
    return s.n > 0 && s.n <= MOST_NAME;
}

/* The entry to be read into, or NULL where there must be none. */
static struct rf_mcp_server_config *server_of(struct rf_merge *r, const struct rf_yaml *key)
{
    struct rf_config *c = r->c;
    const struct rf_mcp_server_config *found = rf_config_mcp_server(c, key->text);
    struct rf_err e;
    if (!is_name(key->text) || c->mcp_server_count >= MOST_SERVERS) {
        rf_merge_problem(&e, r, key->line, "\"%.*s\" cannot be the name of a server",
                         RF_FMT(key->text));
        rf_hint(&e, "Names have up to %d bytes of text, and there are at most %d of them.",
                MOST_NAME, MOST_SERVERS);
        rf_problem_add(r->problems, &e);
        return NULL;
    }
    if (found && rf_mcp_is_file(r->file)) {
        rf_merge_problem(&e, r, key->line, "server \"%.*s\" is not used", RF_FMT(key->text));
        rf_hint(&e, "Another file of the configuration has one of that name, which counts.");
        rf_problem_note(r->problems, &e);
        return NULL;
    }
    if (!rf_merge_may_name(r, "mcp_servers", key, found))
        return NULL;
    if (found)
        return &c->mcp_servers[found - c->mcp_servers];
    struct rf_mcp_server_config *s =
        RF_PUSH(c->arena, c->mcp_servers, c->mcp_server_count, c->mcp_server_cap);
    *s = (struct rf_mcp_server_config){ .name = key->text };
    return s;
}

static void read_server(struct rf_merge *r, const struct rf_yaml *key)
{
    const char *what = rf_strf(r->c->arena, "server \"%.*s\"", RF_FMT(key->text)).p;
    if (!rf_merge_is_kind(r, key + 1, RF_YAML_MAP, what))
        return;
    r->server = server_of(r, key);
    if (!r->server)
        return;
    r->entry = key->text;
    r->server->place = (struct rf_place){ r->file, key->line };
    size_t problems = r->problems->count;
    rf_merge_keys(r, key + 1, "mcp_servers.*", keys, sizeof keys / sizeof *keys);
    if (r->of_project)
        check_variables(r, key);
    if (r->problems->count == problems && !r->server->command_count == !r->server->url.n)
        problem(r, key->line,
                r->server->url.n ? RF_STR("there are both a \"command\" and a \"url\"")
                                 : RF_STR("there is neither a \"command\" nor a \"url\""),
                "Say which program is run, or the address where it is.");
}

void rf_merge_mcp(struct rf_merge *r, const struct rf_yaml *map)
{
    if (!rf_merge_is_map(r, map, "\"mcp_servers\""))
        return;
    for (size_t i = 0; i < map->count; i += 2)
        read_server(r, &map->items[i]);
}

void rf_merge_mcp_file(struct rf_merge *r, const struct rf_yaml *servers)
{
    for (size_t i = 0; i < servers->count; i += 2) {
        struct rf_problems own = { .found = r->problems->found, .ctx = r->problems->ctx };
        struct rf_merge one = *r;
        one.problems = &own;
        one.server = NULL;
        size_t asked = r->c->trust.count;
        read_server(&one, &servers->items[i]);
        if (own.count)
            r->c->trust.count = asked; /* it is not used, so there is nothing to trust */
        if (own.count && one.server)
            one.server->problem = rf_str_dup(r->c->arena, rf_str(own.first.msg));
        else if (own.count)
            r->c->mcp_problem = own.first;
        r->problems->passed_over += own.count;
    }
}
