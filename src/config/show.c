/* The merged configuration as YAML that reads back as the same. Comments at the top name the files
 * that it came from. */
#include "config/config.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_escape.h"
#include "base/limits.h"

#include <inttypes.h>

/* Names and values are repeated where files are merged, and each byte may be escaped. */
#define MAX_SHOWN (16 * RF_MAX_CONFIG_BYTES)

static bool is_plain(struct rf_str s)
{
    if (!s.n || rf_str_ieq(s, RF_STR("null")))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool word = rf_is_alnum(c);
        bool inner = i > 0 && (c == '_' || c == '-' || c == '.' || c == '/');
        if (!word && !inner)
            return false;
    }
    return true;
}

/* JSON's strings are YAML's strings in double quotes. */
static void add_scalar(struct rf_buf *b, struct rf_str s)
{
    if (is_plain(s)) {
        rf_buf_add(b, s);
        return;
    }
    char *escaped = rf_arena_alloc(b->arena, rf_json_escaped_length(s) + 1);
    size_t n = rf_json_escape(s, escaped);
    rf_buf_addc(b, '"');
    rf_buf_add(b, (struct rf_str){ escaped, n });
    rf_buf_addc(b, '"');
}

/* A line "KEY: VALUE" or, without a value, "KEY:". */
static void add_line(struct rf_buf *b, int indent, struct rf_str key, struct rf_str value)
{
    rf_buf_addf(b, "%*s", indent, "");
    add_scalar(b, key);
    rf_buf_addc(b, ':');
    if (value.p) {
        rf_buf_addc(b, ' ');
        add_scalar(b, value);
    }
    rf_buf_addc(b, '\n');
}

static void add_items(struct rf_buf *b, const struct rf_str *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rf_buf_addf(b, "      - ");
        add_scalar(b, items[i]);
        rf_buf_addc(b, '\n');
    }
}

static void add_list(struct rf_buf *b, const char *key, const struct rf_str *items, size_t count)
{
    if (count)
        add_line(b, 4, rf_str(key), (struct rf_str){ 0 });
    add_items(b, items, count);
}

static void add_said(struct rf_buf *b, const char *key, struct rf_str value)
{
    if (value.n)
        add_line(b, 4, rf_str(key), value);
}

static void add_section(struct rf_buf *b, const struct rf_config_model *m, enum rf_section section)
{
    static const char *const names[RF_SECTION_COUNT] = {
        [RF_SECTION_CAPABILITIES] = "capabilities",
        [RF_SECTION_LIMITS] = "limits",
    };
    bool started = false;
    for (size_t i = 0; i < m->count; i++) {
        if (m->facts[i].section != section)
            continue;
        if (!started)
            add_line(b, 4, rf_str(names[section]), (struct rf_str){ 0 });
        started = true;
        add_line(b, 6, m->facts[i].name, m->facts[i].value);
    }
}

static void add_settings(struct rf_buf *b, const struct rf_config_model *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->facts[i].section == RF_SECTION_SETTINGS)
            add_line(b, 4, m->facts[i].name, m->facts[i].value);
}

static void add_models(struct rf_buf *b, const struct rf_config *c)
{
    rf_buf_addf(b, "models:\n");
    for (size_t i = 0; i < c->model_count; i++) {
        const struct rf_config_model *m = &c->models[i];
        if (m->same_as.n) {
            add_line(b, 2, m->name, m->same_as);
            continue;
        }
        add_line(b, 2, m->name, (struct rf_str){ 0 });
        add_said(b, "provider", m->provider);
        add_said(b, "model", m->model);
        add_list(b, "any", m->any.names, m->any.count);
        add_list(b, "fallback", m->fallback.names, m->fallback.count);
        if (m->weight)
            rf_buf_addf(b, "    weight: %" PRId64 "\n", m->weight);
        add_settings(b, m);
        add_section(b, m, RF_SECTION_CAPABILITIES);
        add_section(b, m, RF_SECTION_LIMITS);
    }
}

/* "- $NAME", or "- command: [PROGRAM, …]". */
static void add_key(struct rf_buf *b, const struct rf_config_key *k)
{
    rf_buf_addf(b, "      - ");
    if (!k->command_count) {
        add_scalar(b, rf_str_join(b->arena, RF_STR("$"), k->variable));
        rf_buf_addc(b, '\n');
        return;
    }
    rf_buf_addf(b, "command: [");
    for (size_t i = 0; i < k->command_count; i++) {
        rf_buf_addf(b, "%s", i ? ", " : "");
        add_scalar(b, k->command[i]);
    }
    rf_buf_addf(b, "]\n");
}

static void add_provider(struct rf_buf *b, const struct rf_config_provider *p)
{
    add_line(b, 2, p->name, (struct rf_str){ 0 });
    add_said(b, "base_url", p->base_url);
    if (p->key.variable.n)
        add_said(b, "key", rf_str_join(b->arena, RF_STR("$"), p->key.variable));
    add_list(b, "key_command", p->key.command, p->key.command_count);
    if (p->key_count)
        add_line(b, 4, RF_STR("keys"), (struct rf_str){ 0 });
    for (size_t i = 0; i < p->key_count; i++)
        add_key(b, &p->keys[i]);
    add_said(b, "region", p->region);
    add_said(b, "project", p->project);
    add_said(b, "location", p->location);
    if (p->header_count)
        add_line(b, 4, RF_STR("headers"), (struct rf_str){ 0 });
    for (size_t i = 0; i < p->header_count; i++)
        add_line(b, 6, p->headers[i].name, p->headers[i].value);
    if (p->plain_proxy)
        add_said(b, "plain_proxy", RF_STR("yes"));
}

static void add_providers(struct rf_buf *b, const struct rf_config *c)
{
    rf_buf_addf(b, "providers:\n");
    for (size_t i = 0; i < c->provider_count; i++)
        add_provider(b, &c->providers[i]);
}

static void add_limit(struct rf_buf *b, const struct rf_limit_row *row,
                      const struct rf_config_limit *limit, bool *started)
{
    if (!limit->place.file)
        return;
    rf_buf_addf(b, "%s", *started ? "" : "limits:\n");
    rf_buf_addf(b, "  %s: %" PRId64 "\n", row->name, limit->value);
    *started = true;
}

static void add_limits(struct rf_buf *b, const struct rf_config *c)
{
    bool started = false;
    for (size_t i = 0; i < RF_LIMIT_COUNT; i++)
        add_limit(b, &rf_limit_rows[i], &c->limits[i], &started);
    for (size_t i = 0; i < RF_STORE_LIMIT_COUNT; i++)
        add_limit(b, &rf_store_limit_rows[i], &c->store_limits[i], &started);
    add_limit(b, &rf_answer_limit_row, &c->answer_seconds, &started);
}

static void add_store(struct rf_buf *b, const struct rf_config_store *s)
{
    if (!s->place.file)
        return;
    rf_buf_addf(b, "store:\n");
    if (s->address.n)
        add_line(b, 2, RF_STR("address"), s->address);
    if (s->blobs.n)
        add_line(b, 2, RF_STR("blobs"), s->blobs);
    add_line(b, 2, RF_STR("keep_files"), s->leave_files ? RF_STR("no") : RF_STR("yes"));
}

static void add_fetch(struct rf_buf *b, const struct rf_config *c)
{
    if (!c->fetch_place.file)
        return;
    if (!c->fetch || !c->fetch_host_count) {
        add_line(b, 0, RF_STR("fetch"), c->fetch ? RF_STR("yes") : RF_STR("no"));
        return;
    }
    rf_buf_addf(b, "fetch:\n  hosts:\n");
    for (size_t i = 0; i < c->fetch_host_count; i++) {
        rf_buf_addf(b, "    - ");
        add_scalar(b, c->fetch_hosts[i]);
        rf_buf_addc(b, '\n');
    }
}

static void add_sandbox(struct rf_buf *b, const struct rf_config *c)
{
    bool reduced = c->sandbox == RF_SANDBOX_REDUCED;
    if (c->sandbox_place.file)
        add_line(b, 0, RF_STR("sandbox"), reduced ? RF_STR("reduced") : RF_STR("whole"));
}

static void add_tool(struct rf_buf *b, const struct rf_config_tool *t)
{
    add_line(b, 2, t->name, (struct rf_str){ 0 });
    add_line(b, 4, RF_STR("command"), t->shell.n ? t->shell : (struct rf_str){ 0 });
    add_items(b, t->arguments, t->argument_count);
    if (t->variable_count)
        add_line(b, 4, RF_STR("env"), (struct rf_str){ 0 });
    add_items(b, t->variables, t->variable_count);
    add_said(b, "description", t->description);
    add_said(b, "input_schema", t->schema);
    if (t->timeout_s)
        rf_buf_addf(b, "    timeout_s: %" PRId64 "\n", t->timeout_s);
    if (t->read_only)
        add_line(b, 4, RF_STR("read_only"), RF_STR("yes"));
    if (t->allow)
        add_line(b, 4, RF_STR("allow"), RF_STR("yes"));
}

static void add_tools(struct rf_buf *b, const struct rf_config *c)
{
    if (c->tool_count)
        rf_buf_addf(b, "tools:\n");
    for (size_t i = 0; i < c->tool_count; i++)
        add_tool(b, &c->tools[i]);
}

static void add_pairs(struct rf_buf *b, const char *key, const struct rf_config_header *pairs,
                      size_t count)
{
    if (count)
        add_line(b, 4, rf_str(key), (struct rf_str){ 0 });
    for (size_t i = 0; i < count; i++)
        add_line(b, 6, pairs[i].name, pairs[i].value);
}

static void add_mcp_server(struct rf_buf *b, const struct rf_mcp_server_config *s)
{
    if (s->problem.n)
        return;
    add_line(b, 2, s->name, (struct rf_str){ 0 });
    add_list(b, "command", s->command, s->command_count);
    add_list(b, "args", s->args, s->arg_count);
    add_pairs(b, "env", s->env, s->env_count);
    add_said(b, "cwd", s->cwd);
    add_said(b, "url", s->url);
    add_pairs(b, "headers", s->headers, s->header_count);
    if (s->client_id.n || s->client_secret.n || s->issuer.n || s->callback_port)
        add_line(b, 4, RF_STR("oauth"), (struct rf_str){ 0 });
    if (s->client_id.n)
        add_line(b, 6, RF_STR("client_id"), s->client_id);
    if (s->client_secret.n)
        add_line(b, 6, RF_STR("client_secret"), s->client_secret);
    if (s->issuer.n)
        add_line(b, 6, RF_STR("issuer"), s->issuer);
    if (s->callback_port)
        rf_buf_addf(b, "      callback_port: %" PRId64 "\n", s->callback_port);
    if (s->timeout_s)
        rf_buf_addf(b, "    timeout_s: %" PRId64 "\n", s->timeout_s);
    add_list(b, "tools", s->tools, s->tool_count);
    add_list(b, "allow", s->allow, s->allow_count);
    add_list(b, "read_only", s->read_only, s->read_only_count);
    if (s->disabled)
        add_line(b, 4, RF_STR("disabled"), RF_STR("yes"));
}

static void add_mcp_servers(struct rf_buf *b, const struct rf_config *c)
{
    if (c->mcp_server_count)
        rf_buf_addf(b, "mcp_servers:\n");
    for (size_t i = 0; i < c->mcp_server_count; i++)
        add_mcp_server(b, &c->mcp_servers[i]);
}

static void add_transcribe(struct rf_buf *b, const struct rf_config_transcribe *t)
{
    if (!t->count)
        return;
    rf_buf_addf(b, "transcribe:\n");
    add_line(b, 2, RF_STR("command"), (struct rf_str){ 0 });
    add_items(b, t->arguments, t->count);
    if (t->timeout_s)
        rf_buf_addf(b, "  timeout_s: %" PRId64 "\n", t->timeout_s);
}

static void add_references(struct rf_buf *b, const struct rf_config_references *r)
{
    if (!r->place.file)
        return;
    rf_buf_addf(b, "references:\n");
    add_line(b, 2, RF_STR("enabled"), r->off ? RF_STR("no") : RF_STR("yes"));
    if (r->model_count)
        add_line(b, 2, RF_STR("model_requirements"), (struct rf_str){ 0 });
    for (size_t i = 0; i < r->model_count; i++) {
        rf_buf_addf(b, "    - ");
        add_scalar(b, r->models[i]);
        rf_buf_addc(b, '\n');
    }
    if (r->base_path)
        add_line(b, 2, RF_STR("base_path"), rf_str(r->base_path));
}

static void add_rules(struct rf_buf *b, const struct rf_config_serve *s)
{
    if (s->rule_count)
        add_line(b, 2, RF_STR("rules"), (struct rf_str){ 0 });
    for (size_t i = 0; i < s->rule_count; i++) {
        rf_buf_addf(b, "    - match: ");
        add_scalar(b, s->rules[i].match);
        rf_buf_addc(b, '\n');
        add_line(b, 6, RF_STR("model"), s->rules[i].model);
    }
}

static void add_serve(struct rf_buf *b, const struct rf_config_serve *s)
{
    if (!s->place.file)
        return;
    rf_buf_addf(b, "serve:\n");
    if (s->listen.n)
        add_line(b, 2, RF_STR("listen"), s->listen);
    for (size_t i = 0; i < RF_SERVE_NUMBER_COUNT; i++)
        if (s->numbers[i].place.file)
            rf_buf_addf(b, "  %s: %" PRId64 "\n", rf_serve_rows[i].name, s->numbers[i].value);
    add_rules(b, s);
    if (s->log.n)
        add_line(b, 2, RF_STR("log"), s->log);
    if (s->certificate.n)
        add_line(b, 2, RF_STR("tls"), (struct rf_str){ 0 });
    add_said(b, "certificate", s->certificate);
    add_said(b, "key", s->certificate_key);
    add_line(b, 2, RF_STR("plan"), s->plan == RF_PLAN_ALWAYS ? RF_STR("always") : RF_STR("needed"));
    if (s->traces.n)
        add_line(b, 2, RF_STR("traces"), s->traces);
}

static void add_files(struct rf_buf *b, const struct rf_config *c)
{
    for (size_t i = 0; i < c->file_count; i++) {
        size_t n = strlen(c->files[i].path);
        char *path = rf_arena_alloc(b->arena, n + 1);
        memcpy(path, c->files[i].path, n);
        rf_clean_controls(path);
        bool withheld = c->withholds && c->files[i].asks;
        rf_buf_addf(b, "# %s%s%s\n", path, c->files[i].exists ? "" : " (not there)",
                    withheld ? " (not trusted: what needs trust is left out)" : "");
    }
}

enum rf_code rf_config_show(struct rf_config *c, struct rf_str *yaml, struct rf_err *err)
{
    struct rf_buf b;
    rf_buf_init(&b, c->arena, MAX_SHOWN);
    add_files(&b, c);
    size_t empty = b.n;
    if (c->model_count)
        add_models(&b, c);
    if (c->provider_count)
        add_providers(&b, c);
    add_limits(&b, c);
    add_store(&b, &c->store);
    add_fetch(&b, c);
    add_sandbox(&b, c);
    add_references(&b, &c->references);
    add_transcribe(&b, &c->transcribe);
    add_serve(&b, &c->serve);
    add_tools(&b, c);
    add_mcp_servers(&b, c);
    if (b.n == empty)
        rf_buf_addf(&b, "{}\n");
    return rf_buf_finish(&b, yaml, err);
}
