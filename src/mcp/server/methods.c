/* From a request to who answers it: its era, what its _meta must say, and the table of methods. */
#include "mcp/server/inside.h"

#include <refract/version.h>

#define INSTRUCTIONS                                                                            \
    "Files for a model that can see: pictures, PDFs, office documents, sound, video, archives " \
    "and text. describe_file says what a file is and how much of it there is, read_file reads " \
    "it, view_image shows a picture and pdf_pages the pages of a document as pictures. Long "   \
    "files come in pieces; each result says how to go on. A part may be named after the path: " \
    "report.pdf#p=3-5, shot.png#xywh=0,0,800,600, book.xlsx#sheet=Q3, bundle.zip/docs/a.pdf."

/* With the folders that a path may lead to, which a model cannot know otherwise. */
static void write_instructions(const struct rf_mcp_call *c, struct rf_json *w)
{
    struct rf_mcp_roots roots;
    rf_mcp_roots_known(c->server, RF_STR(""), c->arena, &roots);
    rf_json_str(w, "instructions",
                rf_strf(c->arena, INSTRUCTIONS " Files may be read below %.*s.",
                        RF_FMT(rf_mcp_roots_words(&roots, c->arena))));
}

static bool refuse(struct rf_mcp_call *c, enum rf_rpc_code code, const char *why)
{
    rf_mcp_call_refuse(c, code, rf_str(why));
    return false;
}

/* What both eras say of the server */

static void write_list_capability(struct rf_json *w, const char *name, bool subscribe, bool changes)
{
    rf_json_obj(w, name);
    if (subscribe)
        rf_json_bool(w, "subscribe", true);
    if (changes)
        rf_json_bool(w, "listChanged", true);
    rf_json_end(w);
}

static void write_capabilities(const struct rf_mcp_call *c, struct rf_json *w)
{
    const struct rf_mcp_offer *more = c->server->offer;
    rf_json_obj(w, "capabilities");
    write_list_capability(w, "tools", false, more);
    write_list_capability(w, "resources", rf_mcp_can_watch, more);
    if (more && more->prompt_count)
        write_list_capability(w, "prompts", false, true);
    rf_json_obj(w, "logging");
    rf_json_end(w);
    if (c->revision->audio) {
        rf_json_obj(w, "completions");
        rf_json_end(w);
    }
    rf_json_end(w);
}

/* The legacy era */

static void remember_client(struct rf_mcp_peer *p, const struct rf_mcp_call *c)
{
    const struct rf_jval *name = rf_jval_get(rf_jval_get(c->rpc.params, "clientInfo"), "name");
    rf_arena_free(p->arena);
    p->arena = rf_arena_new();
    p->revision = c->revision;
    p->capabilities = rf_jval_copy(rf_jval_get(c->rpc.params, "capabilities"), p->arena);
    p->client = name && name->type == RF_JSTRING
                    ? rf_str_dup(p->arena, rf_jval_text(name, c->arena))
                    : RF_STR("");
}

static bool initialize(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    const struct rf_jval *asked = rf_jval_get(c->rpc.params, "protocolVersion");
    if (!asked || asked->type != RF_JSTRING)
        return refuse(c, RF_RPC_INVALID_PARAMS, "initialize needs a protocolVersion");
    c->revision = rf_mcp_revision_agreed(rf_jval_text(asked, c->arena));
    remember_client(p, c);
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_str(w, "protocolVersion", rf_str(c->revision->name));
    write_capabilities(c, w);
    rf_json_obj(w, "serverInfo");
    rf_json_str(w, "name", RF_STR("refract"));
    if (c->revision->structured)
        rf_json_str(w, "title", RF_STR("refract: files for models"));
    rf_json_str(w, "version", rf_str(rf_version()));
    rf_json_end(w);
    write_instructions(c, w);
    return false;
}

static bool ping(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    (void)p;
    rf_mcp_call_result(c);
    return false;
}

static bool set_level(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    int level = rf_mcp_log_level(rf_jval_get(c->rpc.params, "level"));
    if (level < 0)
        return refuse(c, RF_RPC_INVALID_PARAMS,
                      "level is one of debug, info, notice, warning, error, critical, alert and "
                      "emergency");
    p->log_level = level;
    rf_mcp_call_result(c);
    return false;
}

static void learn_roots(struct rf_mcp_call *c)
{
    struct rf_mcp_roots roots;
    rf_mcp_roots_of(c, &roots);
}

/* At once, unless the client has to be asked for its roots. */
static bool subscribe(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    c->run = learn_roots;
    c->settle = rf_mcp_subscribe;
    if (!c->client_roots.n && rf_mcp_call_capability(c, "roots"))
        return true;
    rf_mcp_subscribe(p, c);
    return false;
}

static bool unsubscribe(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    rf_mcp_unsubscribe(p, c);
    return false;
}

/* The modern era */

static bool discover(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    (void)p;
    struct rf_json *w = rf_mcp_call_result(c);
    rf_mcp_revisions_write(w, "supportedVersions", RF_MCP_MODERN);
    write_capabilities(c, w);
    write_instructions(c, w);
    rf_mcp_call_cacheable(c, w, RF_MCP_HOUR_MS);
    return false;
}

static bool listen(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    rf_mcp_listen(p, c);
    return false;
}

/* Both */

static bool list_tools(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    (void)p;
    rf_mcp_list_tools(c);
    return false;
}

static bool list_templates(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    (void)p;
    rf_mcp_list_templates(c);
    return false;
}

static bool list_prompts(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    (void)p;
    rf_mcp_list_prompts(c);
    return false;
}

static bool list_resources(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    (void)p;
    c->run = rf_mcp_list_resources;
    return true;
}

/* What a round before this one kept. */
static bool take_state(struct rf_mcp_call *c)
{
    const struct rf_jval *v = rf_jval_get(c->rpc.params, "requestState");
    struct rf_err err = { 0 };
    if (!v || c->revision->era != RF_MCP_MODERN)
        return true;
    if (v->type != RF_JSTRING)
        return refuse(c, RF_RPC_INVALID_PARAMS, "requestState is not a string");
    if (!rf_mcp_unseal(c, rf_jval_text(v, c->arena), &c->state, &err))
        return true;
    return refuse(c, RF_RPC_INVALID_PARAMS, err.msg);
}

static bool call_tool(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    const struct rf_mcp_tool *tool = rf_mcp_tool_find(p->server, rf_mcp_call_text(c, "name"));
    const struct rf_jval *arguments = rf_mcp_call_arguments(c);
    if (!tool) {
        struct rf_str name = rf_mcp_call_text(c, "name");
        if (name.n > 100)
            name.n = 100;
        rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS,
                           rf_strf(c->arena,
                                   "Unknown tool: %.*s; tools/list names those that there are",
                                   RF_FMT(name)));
        return false;
    }
    if (arguments && arguments->type != RF_JOBJECT)
        return refuse(c, RF_RPC_INVALID_PARAMS, "arguments is not an object");
    c->row = tool;
    c->run = tool->run;
    return take_state(c);
}

static bool get_prompt(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    const struct rf_mcp_prompt *prompt = rf_mcp_prompt_find(p->server, rf_mcp_call_text(c, "name"));
    if (!prompt)
        return refuse(c, RF_RPC_INVALID_PARAMS, "Unknown prompt");
    c->row = prompt;
    c->run = prompt->run;
    return take_state(c);
}

static bool read_resource(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    struct rf_str uri = rf_mcp_call_text(c, "uri");
    const struct rf_mcp_resource *r = rf_mcp_resource_find(p->server, uri);
    if (!uri.n)
        return refuse(c, RF_RPC_INVALID_PARAMS, "resources/read needs a uri");
    c->row = r;
    c->run = r ? r->run : rf_mcp_resource_read;
    return take_state(c);
}

static bool nothing_to_complete(struct rf_mcp_call *c)
{
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_obj(w, "completion");
    rf_json_arr(w, "values");
    rf_json_end(w);
    rf_json_int(w, "total", 0);
    rf_json_bool(w, "hasMore", false);
    return false;
}

static bool complete(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    const struct rf_jval *ref = rf_jval_get(c->rpc.params, "ref");
    const struct rf_jval *name = rf_jval_get(ref, "name"), *uri = rf_jval_get(ref, "uri");
    const struct rf_jval *argument = rf_jval_get(c->rpc.params, "argument");
    if (rf_jval_type(rf_jval_get(argument, "name")) != RF_JSTRING ||
        rf_jval_type(rf_jval_get(argument, "value")) != RF_JSTRING)
        return refuse(c, RF_RPC_INVALID_PARAMS, "completion needs an argument's name and value");
    if (rf_jval_is(rf_jval_get(ref, "type"), "ref/prompt") && name) {
        const struct rf_mcp_prompt *prompt =
            rf_mcp_prompt_find(p->server, rf_jval_text(name, c->arena));
        if (!prompt)
            return refuse(c, RF_RPC_INVALID_PARAMS, "Unknown prompt");
        c->row = prompt;
        c->run = prompt->complete;
    } else if (rf_jval_is(rf_jval_get(ref, "type"), "ref/resource") && uri) {
        const struct rf_mcp_resource *r =
            rf_mcp_template_find(p->server, rf_jval_text(uri, c->arena));
        if (!r)
            return refuse(c, RF_RPC_INVALID_PARAMS, "Unknown resource template");
        c->row = r;
        c->run = r->complete;
    } else {
        return refuse(c, RF_RPC_INVALID_PARAMS, "ref is neither a ref/prompt nor a ref/resource");
    }
    return c->run ? true : nothing_to_complete(c);
}

/* The table */

enum eras { BOTH, LEGACY_ONLY, MODERN_ONLY };

static const struct method {
    const char *name;
    enum eras eras;
    bool prompts; /* only where there are prompts */
    bool (*take)(struct rf_mcp_peer *p, struct rf_mcp_call *c);
} methods[] = {
    { "tools/call", BOTH, false, call_tool },
    { "tools/list", BOTH, false, list_tools },
    { "resources/list", BOTH, false, list_resources },
    { "resources/templates/list", BOTH, false, list_templates },
    { "resources/read", BOTH, false, read_resource },
    { "resources/subscribe", LEGACY_ONLY, false, subscribe },
    { "resources/unsubscribe", LEGACY_ONLY, false, unsubscribe },
    { "prompts/list", BOTH, true, list_prompts },
    { "prompts/get", BOTH, true, get_prompt },
    { "completion/complete", BOTH, false, complete },
    { "initialize", LEGACY_ONLY, false, initialize },
    { "ping", LEGACY_ONLY, false, ping },
    { "logging/setLevel", LEGACY_ONLY, false, set_level },
    { "server/discover", MODERN_ONLY, false, discover },
    { "subscriptions/listen", MODERN_ONLY, false, listen },
};

static const struct method *find_method(const struct rf_mcp_call *c, enum eras without)
{
    const struct rf_mcp_offer *more = c->server->offer;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (rf_str_is(c->rpc.method, methods[i].name) && methods[i].eras != without &&
            (!methods[i].prompts || (more && more->prompt_count)))
            return &methods[i];
    return NULL;
}

static bool unsupported_version(struct rf_mcp_call *c, const struct rf_jval *version)
{
    struct rf_json *w = rf_mcp_call_refuse(c, (int64_t)RF_MCP_UNSUPPORTED_VERSION,
                                           RF_STR("Unsupported protocol version"));
    rf_json_obj(w, "data");
    rf_mcp_revisions_write(w, "supported", RF_MCP_MODERN);
    rf_json_value(w, "requested", version);
    return false;
}

/* What every request of the modern era says of itself. */
static bool take_meta(struct rf_mcp_call *c)
{
    const struct rf_jval *version = rf_mcp_meta_get(&c->rpc, RF_MCP_META_VERSION);
    const struct rf_jval *name = rf_jval_get(rf_mcp_meta_get(&c->rpc, RF_MCP_META_CLIENT), "name");
    c->capabilities = rf_mcp_meta_get(&c->rpc, RF_MCP_META_CAPABILITIES);
    if (!version || version->type != RF_JSTRING)
        return refuse(c, RF_RPC_INVALID_PARAMS,
                      "params._meta needs the string " RF_MCP_META_VERSION);
    if (!c->capabilities || c->capabilities->type != RF_JOBJECT)
        return refuse(c, RF_RPC_INVALID_PARAMS,
                      "params._meta needs the object " RF_MCP_META_CAPABILITIES);
    c->revision = rf_mcp_revision_find(rf_jval_text(version, c->arena));
    if (!c->revision || c->revision->era != RF_MCP_MODERN) {
        c->revision = NULL;
        return unsupported_version(c, version);
    }
    c->log_level = rf_mcp_log_level(rf_mcp_meta_get(&c->rpc, RF_MCP_META_LOG_LEVEL));
    c->host = name && name->type == RF_JSTRING ? rf_jval_text(name, c->arena) : RF_STR("");
    return true;
}

static bool take_session(const struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    static const char *const unasked[] = { "initialize", "ping" };
    c->revision = p->revision;
    for (size_t i = 0; !c->revision && i < sizeof unasked / sizeof *unasked; i++)
        if (rf_str_is(c->rpc.method, unasked[i]))
            c->revision = rf_mcp_revision_newest(RF_MCP_LEGACY);
    if (!c->revision)
        return refuse(c, RF_RPC_INVALID_PARAMS,
                      "params._meta needs " RF_MCP_META_VERSION
                      ", or the connection begins with initialize");
    c->capabilities = rf_jval_copy(p->capabilities, c->arena);
    c->log_level = p->log_level;
    c->host = rf_str_dup(c->arena, p->client);
    return true;
}

bool rf_mcp_dispatch(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    bool modern = rf_mcp_era_of(&c->rpc) == RF_MCP_MODERN;
    const struct rf_jval *token = rf_mcp_meta_get(&c->rpc, RF_MCP_META_PROGRESS);
    if (!(modern ? take_meta(c) : take_session(p, c)))
        return false;
    const struct method *m = find_method(c, modern ? LEGACY_ONLY : MODERN_ONLY);
    if (!m) {
        struct rf_str name = c->rpc.method;
        if (name.n > 100)
            name.n = 100;
        rf_mcp_call_refuse(c, RF_RPC_METHOD_NOT_FOUND,
                           rf_strf(c->arena, "Method not found: %.*s", RF_FMT(name)));
        return false;
    }
    if (token && (token->type == RF_JSTRING || token->type == RF_JNUMBER))
        c->token = token;
    if (p->roots && !modern)
        c->client_roots = rf_str_dup(c->arena, rf_str(p->roots));
    c->roots_asked = p->roots_asked;
    return m->take(p, c);
}
