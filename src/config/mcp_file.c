/* From a project's .mcp.json to the tree that the configuration is read from.
 *
 * It is read as JSON, since it is JSON: what YAML makes of the same bytes differs in escapes and
 * tabs. Nothing of it can say that a tool runs unasked, whatever other hosts call that. */
#include "config/mcp_file.h"

#include "base/arena.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "config/yaml.h"

struct reading {
    struct rf_str text;
    struct rf_arena *arena;
    struct rf_problems *problems;
};

bool rf_mcp_is_file(const char *path)
{
    return path && strcmp(path, RF_MCP_FILE) == 0;
}

static size_t line_of(const struct reading *r, const struct rf_jval *v)
{
    size_t line = 1;
    for (const char *p = r->text.p; p < v->raw.p && p < r->text.p + r->text.n; p++)
        line += *p == '\n';
    return line;
}

static void push(struct reading *r, struct rf_yaml *to, struct rf_yaml item)
{
    *RF_PUSH(r->arena, to->items, to->count, to->cap) = item;
}

static struct rf_yaml text_node(struct reading *r, const struct rf_jval *v)
{
    return (struct rf_yaml){ .kind = RF_YAML_TEXT,
                             .quoted = v->type == RF_JSTRING,
                             .line = line_of(r, v),
                             .text = v->type == RF_JSTRING ? rf_jval_text(v, r->arena) : v->raw };
}

/* Values of servers are at most texts in a list or a map. */
static struct rf_yaml node(struct reading *r, const struct rf_jval *v)
{
    struct rf_yaml out = { .line = line_of(r, v) };
    bool map = v->type == RF_JOBJECT;
    if (v->type == RF_JNULL)
        return out;
    if (!map && v->type != RF_JARRAY)
        return text_node(r, v);
    out.kind = map ? RF_YAML_MAP : RF_YAML_LIST;
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, map ? k + 1 : k)) {
        const struct rf_jval *value = map ? k + 1 : k;
        bool flat = value->type != RF_JOBJECT && value->type != RF_JARRAY;
        struct rf_yaml deep = { .kind = value->type == RF_JOBJECT ? RF_YAML_MAP : RF_YAML_LIST,
                                .line = line_of(r, value) };
        if (map)
            push(r, &out, text_node(r, k));
        push(r, &out, flat ? text_node(r, value) : deep);
    }
    return out;
}

static void note_unknown(struct reading *r, const struct rf_jval *key)
{
    struct rf_err e;
    struct rf_str name = rf_jval_text(key, r->arena);
    rf_fail(&e, RF_ECONFIG, "%s:%zu: \"%.*s\" says nothing here", RF_MCP_FILE, line_of(r, key),
            RF_FMT(name));
    rf_problem_note(r->problems, &e);
}

/* Its keys as ours are called; what is not one of ours is noted, and left out. */
static struct rf_yaml oauth(struct reading *r, const struct rf_jval *object)
{
    static const char *const names[][2] = { { "clientId", "client_id" },
                                            { "clientSecret", "client_secret" },
                                            { "issuer", "issuer" },
                                            { "callbackPort", "callback_port" } };
    const size_t count = sizeof names / sizeof *names;
    struct rf_yaml out = { .kind = RF_YAML_MAP, .line = line_of(r, object) };
    if (object->type != RF_JOBJECT)
        return text_node(r, object);
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1)) {
        size_t i = 0;
        while (i < count && !rf_jval_is(k, names[i][0]))
            i++;
        if (i == count) {
            note_unknown(r, k);
            continue;
        }
        struct rf_yaml key = text_node(r, k);
        key.text = rf_str(names[i][1]);
        push(r, &out, key);
        push(r, &out, text_node(r, k + 1));
    }
    return out;
}

static struct rf_yaml server(struct reading *r, const struct rf_jval *object)
{
    static const char *const known[] = { "type",    "command", "args",     "env",   "cwd", "url",
                                         "headers", "oauth",   "disabled", "tools", NULL };
    struct rf_yaml out = { .kind = RF_YAML_MAP, .line = line_of(r, object) };
    if (object->type != RF_JOBJECT)
        return text_node(r, object);
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1)) {
        if (!rf_jval_is_any(k, known)) {
            note_unknown(r, k);
            continue;
        }
        push(r, &out, text_node(r, k));
        push(r, &out, rf_jval_is(k, "oauth") ? oauth(r, k + 1) : node(r, k + 1));
    }
    return out;
}

#define FORM "{\"mcpServers\": {\"files\": {\"command\": \"npx\", \"args\": [...]}}}"

/* The servers, or NULL where there are none. A file of another form, such as an editor's, would
 * otherwise be one without servers. */
static enum rf_code find_servers(struct reading *r, const struct rf_jval *root,
                                 const struct rf_jval **out, struct rf_err *err)
{
    const struct rf_jval *servers = rf_jval_get(root, "mcpServers");
    const struct rf_jval *first = root->type == RF_JOBJECT ? rf_jval_first(root) : root;
    *out = servers;
    if (servers ? servers->type == RF_JOBJECT : !first)
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "%s:%zu: %s", RF_MCP_FILE, line_of(r, servers ? servers : first),
            servers ? "\"mcpServers\" is not an object"
                    : "there is no \"mcpServers\" in this file");
    rf_hint(err,
            rf_jval_get(root, "servers")
                ? "Name it \"mcpServers\" instead of \"servers\", as in %s."
                : "Write it as %s.",
            FORM);
    return RF_ECONFIG;
}

enum rf_code rf_mcp_file_read(struct rf_str text, struct rf_arena *a, struct rf_problems *problems,
                              struct rf_yaml *out, struct rf_err *err)
{
    const struct rf_jval *root, *servers;
    struct reading r = { text, a, problems };
    if (rf_str_starts(text, "\xef\xbb\xbf"))
        r.text = (struct rf_str){ text.p + 3, text.n - 3 };
    enum rf_code rc = rf_jval_parse(r.text, a, &root, err);
    if (rc) {
        rf_err_at(err, RF_MCP_FILE);
        rf_hint(err, "Its servers are not used until it is put right.");
        err->code = RF_ECONFIG;
    } else {
        rc = find_servers(&r, root, &servers, err);
    }
    if (rc)
        return RF_ECONFIG;
    *out = (struct rf_yaml){ .kind = RF_YAML_MAP, .line = 1 };
    for (const struct rf_jval *k = rf_jval_first(servers); k; k = rf_jval_next(servers, k + 1)) {
        push(&r, out, text_node(&r, k));
        push(&r, out, server(&r, k + 1));
    }
    return RF_OK;
}
