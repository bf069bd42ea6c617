/* What is offered, as lists: our own rows, then those that were added. They are short, so each
 * fits on one page, and no cursor but the empty one is ours. */
#include "mcp/server/inside.h"

static bool has_bad_cursor(struct rf_mcp_call *c)
{
    const struct rf_jval *cursor = rf_jval_get(c->rpc.params, "cursor");
    if (!cursor || (cursor->type == RF_JSTRING && !cursor->raw.n))
        return false;
    rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS, RF_STR("the cursor is not one of this list"));
    return true;
}

static void write_names(struct rf_mcp_call *c, struct rf_json *w, const char *name,
                        const char *title, const char *description)
{
    rf_json_str(w, "name", rf_str(name));
    if (c->revision->structured)
        rf_json_str_opt(w, "title", rf_str(title));
    rf_json_str_opt(w, "description", rf_str(description));
}

static void write_tool(struct rf_mcp_call *c, struct rf_json *w, const struct rf_mcp_tool *t)
{
    rf_json_obj(w, NULL);
    write_names(c, w, t->name, t->title, t->description);
    rf_json_raw(w, "inputSchema", rf_str(t->input_schema));
    if (t->output_schema && c->revision->structured)
        rf_json_raw(w, "outputSchema", rf_str(t->output_schema));
    if (t->annotations && c->revision->audio)
        rf_json_raw(w, "annotations", rf_str(t->annotations));
    rf_json_end(w);
}

void rf_mcp_list_tools(struct rf_mcp_call *c)
{
    const struct rf_mcp_offer *more = c->server->offer;
    if (has_bad_cursor(c))
        return;
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < rf_mcp_own_tool_count; i++)
        write_tool(c, w, &rf_mcp_own_tools[i]);
    for (size_t i = 0; more && i < more->tool_count; i++)
        write_tool(c, w, &more->tools[i]);
    rf_json_end(w);
    rf_mcp_call_cacheable(c, w, more ? 0 : RF_MCP_HOUR_MS);
}

void rf_mcp_list_prompts(struct rf_mcp_call *c)
{
    const struct rf_mcp_offer *more = c->server->offer;
    if (has_bad_cursor(c))
        return;
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "prompts");
    for (size_t i = 0; more && i < more->prompt_count; i++) {
        const struct rf_mcp_prompt *p = &more->prompts[i];
        rf_json_obj(w, NULL);
        write_names(c, w, p->name, p->title, p->description);
        if (p->arguments)
            rf_json_raw(w, "arguments", rf_str(p->arguments));
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_mcp_call_cacheable(c, w, 0);
}

static void write_template(struct rf_mcp_call *c, struct rf_json *w,
                           const struct rf_mcp_resource *r)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "uriTemplate", rf_str(r->uri));
    write_names(c, w, r->name, r->title, r->description);
    rf_json_str_opt(w, "mimeType", rf_str(r->mime));
    rf_json_end(w);
}

void rf_mcp_list_templates(struct rf_mcp_call *c)
{
    const struct rf_mcp_offer *more = c->server->offer;
    if (has_bad_cursor(c))
        return;
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "resourceTemplates");
    write_template(c, w, &rf_mcp_file_template);
    for (size_t i = 0; more && i < more->template_count; i++)
        write_template(c, w, &more->templates[i]);
    rf_json_end(w);
    rf_mcp_call_cacheable(c, w, RF_MCP_HOUR_MS);
}

/* Finding a row */

const struct rf_mcp_tool *rf_mcp_tool_find(const struct rf_mcp_server *s, struct rf_str name)
{
    for (size_t i = 0; i < rf_mcp_own_tool_count; i++)
        if (rf_str_is(name, rf_mcp_own_tools[i].name))
            return &rf_mcp_own_tools[i];
    for (size_t i = 0; s->offer && i < s->offer->tool_count; i++)
        if (rf_str_is(name, s->offer->tools[i].name))
            return &s->offer->tools[i];
    return NULL;
}

const struct rf_mcp_prompt *rf_mcp_prompt_find(const struct rf_mcp_server *s, struct rf_str name)
{
    for (size_t i = 0; s->offer && i < s->offer->prompt_count; i++)
        if (rf_str_is(name, s->offer->prompts[i].name))
            return &s->offer->prompts[i];
    return NULL;
}

/* A template has one variable: what stands before and after it must stand in the URI. */
static bool fits_template(struct rf_str uri, const char *template)
{
    const char *open = strchr(template, '{'), *close = strchr(template, '}');
    if (!open || !close)
        return false;
    size_t before = (size_t)(open - template), after = strlen(close + 1);
    return uri.n > before + after && memcmp(uri.p, template, before) == 0 &&
           memcmp(uri.p + uri.n - after, close + 1, after) == 0;
}

const struct rf_mcp_resource *rf_mcp_resource_find(const struct rf_mcp_server *s, struct rf_str uri)
{
    for (size_t i = 0; s->offer && i < s->offer->resource_count; i++)
        if (rf_str_is(uri, s->offer->resources[i].uri))
            return &s->offer->resources[i];
    for (size_t i = 0; s->offer && i < s->offer->template_count; i++)
        if (fits_template(uri, s->offer->templates[i].uri))
            return &s->offer->templates[i];
    return NULL;
}

const struct rf_mcp_resource *rf_mcp_template_find(const struct rf_mcp_server *s,
                                                   struct rf_str uri_template)
{
    if (rf_str_is(uri_template, rf_mcp_file_template.uri))
        return &rf_mcp_file_template;
    for (size_t i = 0; s->offer && i < s->offer->template_count; i++)
        if (rf_str_is(uri_template, s->offer->templates[i].uri))
            return &s->offer->templates[i];
    return NULL;
}
