/* A result of the reading tools as the client's host can show it. The host is an endpoint like that
 * of a model: a conversation of one call and its result is planned for it, which converts, shrinks
 * and cuts what it does not take and says so, and its dialect writes the CallToolResult. Nothing is
 * decided here, but that sound comes with a link to it. */
#include "mcp/server/files.h"

#include "base/rope.h"
#include "request/request.h"

static bool has_sound(const struct rf_message *m)
{
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].type == RF_BLOCK_AUDIO)
            return true;
    return false;
}

/* Sound that a model cannot hear may be heard by whoever opens it: where a file of it is. */
static enum rf_code link_sound(const struct rf_mcp_file *f, struct rf_result *result,
                               struct rf_err *err)
{
    struct rf_arena *a = f->call->arena;
    struct rf_bytes bytes;
    struct rf_mcp_contents contents;
    struct rf_str text;
    if (!f->call->revision->structured || !has_sound(&result->message) ||
        rf_bytes_file(f->root, rf_cstr(a, f->path), &bytes, NULL) ||
        rf_mcp_contents_look(&bytes, f->path, a, &contents, NULL))
        return RF_OK;
    struct rf_json *w = rf_rpc_writer(a);
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("resource_link"));
    rf_json_str(w, "uri", rf_mcp_uri_of_path(f->path, a));
    rf_json_str(w, "name", rf_str_behind(f->path, '/'));
    rf_json_str(w, "mimeType", contents.mime);
    rf_json_int(w, "size", (int64_t)bytes.size);
    enum rf_code rc = rf_rpc_end(w, RF_MCP_MOST_OUT, &text, err);
    return rc ? rc : rf_content_opaque(&result->content, "mcp", text, err);
}

static enum rf_code converse(struct rf_result *result, struct rf_conversation *conversation,
                             struct rf_err *err)
{
    struct rf_content *said;
    const struct rf_call call = { .size = sizeof call,
                                  .id = RF_LIT("call"),
                                  .name = result->message.name };
    enum rf_code rc = rf_conversation_assistant(conversation, RF_STR(""), RF_STR(""), &said, err);
    if (!rc)
        rc = rf_content_call(said, &call, err);
    return rc ? rc : rf_conversation_result(conversation, call.id, call.name, result, err);
}

static enum rf_code write_body(const struct rf_mcp_file *f, const struct rf_request *request,
                               struct rf_err *err)
{
    struct rf_mcp_call *c = f->call;
    struct rf_str body;
    enum rf_code rc = rf_rope_flatten(&request->body, RF_MCP_MOST_OUT, c->arena, &body, err);
    const struct rf_jval *root;
    if (!rc)
        rc = rf_jval_parse(body, c->arena, &root, err);
    if (!rc)
        rf_json_members(rf_mcp_call_result(c), root, NULL);
    return rc;
}

void rf_mcp_file_present(const struct rf_mcp_file *f, struct rf_result *result)
{
    struct rf_mcp_call *c = f->call;
    struct rf_request_options *o = rf_request_options_new();
    struct rf_conversation *conversation = rf_conversation_new();
    struct rf_request *request = NULL;
    struct rf_err err = { 0 };
    rf_request_options_base(o, f->root);
    rf_request_options_root(o, f->root);
    if (c->server->cache_folder)
        rf_request_options_cache(o, c->server->cache_folder);
    if (c->server->config)
        rf_request_options_configure(o, c->server->config);
    o->cancel_fd = f->tools->cancel_fd;
    if (result->message.failed)
        rf_mcp_call_log(c, RF_MCP_WARNING, result->message.error);
    if (link_sound(f, result, &err) || converse(result, conversation, &err) ||
        rf_request_build(conversation, f->host, o, &request, &err) || write_body(f, request, &err))
        rf_mcp_file_fail(f, &err);
    rf_request_options_free(o);
    if (c->server->trial) {
        rf_mcp_trial_keep(c->server->trial, request, conversation, result);
        return;
    }
    rf_request_free(request);
    rf_conversation_free(conversation);
    rf_result_free(result);
}
