/* What a host of MCP tools is given: the CallToolResult of one call.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/tools (2026-11)
 *
 *     item              on the wire
 *     text, JSON        {type: text}; a single object alone also as structuredContent
 *     text file         {type: text}, its heading before it
 *     image, sound      {type: image | audio, data, mimeType}
 *     other file        {type: resource, resource: {uri, mimeType, blob}}
 *     opaque            as it came: {type: resource_link, …}
 *
 * Hosts show nothing else of a result that has structuredContent, so it never stands beside a file
 * or other words; what it says is a text too. What a person said before the call is not a part
 * of it. A conversation with two results, or that goes on after one, is refused: a host asks for
 * one result at a time. There is no way back: a host asks for tools in JSON-RPC, and what servers
 * return to us mcp/result.h reads. */
#include "base/buf.h"
#include "wire/wire.h"

static void media(struct rf_json *w, const char *type, const struct rf_asset *asset)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(type));
    rf_wire_asset(w, "data", asset);
    rf_json_str(w, "mimeType", asset->mime);
    rf_json_end(w);
}

/* A name as the address of something that is nowhere but here. */
static struct rf_str address(const struct rf_item *item, struct rf_arena *a)
{
    struct rf_str name = rf_wire_filename(item, a), uri = RF_STR("attachment:///");
    struct rf_buf b;
    rf_buf_init(&b, a, uri.n + 3 * name.n + 1);
    rf_buf_add(&b, uri);
    for (size_t i = 0; i < name.n; i++) {
        if (rf_is_alnum(name.p[i]) || strchr("-._~", name.p[i]))
            rf_buf_addc(&b, name.p[i]);
        else
            rf_buf_addf(&b, "%%%02X", (unsigned char)name.p[i]);
    }
    if (rf_buf_finish(&b, &uri, NULL))
        RF_BUG("an address over its limit");
    return uri;
}

static void resource(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("resource"));
    rf_json_obj(w, "resource");
    rf_json_str(w, "uri", address(item, w->rope->arena));
    rf_json_str(w, "mimeType", item->asset->mime);
    rf_wire_asset(w, "blob", item->asset);
    rf_json_end(w);
    rf_json_end(w);
}

static void file(struct rf_json *w, const struct rf_item *item)
{
    if (item->asset->state != RF_ASSET_BYTES)
        rf_wire_refuse(w, "a result", item->asset);
    else if (item->asset->kind == RF_KIND_IMAGE)
        media(w, "image", item->asset);
    else if (item->asset->kind == RF_KIND_AUDIO)
        media(w, "audio", item->asset);
    else
        resource(w, item);
}

static void part(struct rf_json *w, const struct rf_item *item)
{
    rf_wire_content_part(w, "text", item, file);
}

static void result(struct rf_json *w, const struct rf_item *r)
{
    rf_json_obj(w, NULL);
    rf_wire_parts(w, "content", r->items, r->count, part);
    if (r->count == 1 && r->items[0].kind == RF_ITEM_JSON && r->items[0].json_object)
        rf_json_raw(w, "structuredContent", r->items[0].text);
    rf_json_bool(w, "isError", r->failed);
    rf_json_end(w);
}

/* The one result that the plan ends with; NULL where it does not, or there are more. */
static const struct rf_item *only_result(const struct rf_plan *p)
{
    const struct rf_turn *last = p->turn_count ? &p->turns[p->turn_count - 1] : NULL;
    size_t count = 0;
    for (size_t i = 0; i < p->turn_count; i++)
        count += rf_wire_count(&p->turns[i], RF_ITEM_RESULT);
    return count == 1 && last->count == 1 && last->items[0].kind == RF_ITEM_RESULT ? last->items
                                                                                   : NULL;
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    const struct rf_item *r = only_result(p);
    if (r) {
        result(w, r);
    } else if (!w->failed) {
        w->failed = rf_fail(rf_json_error(w), RF_EUSAGE,
                            "a host is given the result of one call, with which this conversation "
                            "does not end");
        rf_hint(rf_json_error(w), "Leave one call and its result in it, and nothing after them.");
    }
}

const struct rf_dialect rf_dialect_mcp = {
    .name = "mcp",
    .encode = encode,
};
