/* A file as it is, where a model asks for it: sound as an audio block, anything as an embedded
 * resource. What is too long for a result stays where it is, and a link says where. */
#include "mcp/server/files.h"

#include "base/bytes.h"
#include "source/inspect.h"

#include <inttypes.h>

struct original {
    struct rf_bytes bytes;
    struct rf_inspection look;
    struct rf_str mime, name, uri;
};

static void write_text(struct rf_json *w, struct rf_str text)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", text);
    rf_json_end(w);
}

static void write_link(struct rf_json *w, const struct original *o)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("resource_link"));
    rf_json_str(w, "uri", o->uri);
    rf_json_str(w, "name", o->name);
    rf_json_str(w, "mimeType", o->mime);
    rf_json_int(w, "size", (int64_t)o->bytes.size);
    rf_json_end(w);
}

static void write_audio(struct rf_json *w, const struct original *o)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("audio"));
    rf_json_base64(w, "data", &o->bytes);
    rf_json_str(w, "mimeType", o->mime);
    rf_json_end(w);
}

static void write_embedded(struct rf_json *w, const struct original *o)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("resource"));
    rf_json_obj(w, "resource");
    rf_json_str(w, "uri", o->uri);
    rf_json_str(w, "mimeType", o->mime);
    rf_json_base64(w, "blob", &o->bytes);
    rf_json_end(w);
    rf_json_end(w);
}

static enum rf_code find(const struct rf_mcp_file *f, struct original *o, struct rf_err *err)
{
    struct rf_arena *a = f->call->arena;
    enum rf_code rc = rf_bytes_file(f->root, rf_cstr(a, f->path), &o->bytes, err);
    if (!rc)
        rc = rf_inspect(&o->bytes, a, &o->look, err);
    o->name = rf_str_behind(f->path, '/');
    o->uri = rf_mcp_uri_of_path(f->path, a);
    o->mime = rf_str(!rc && o->look.format ? o->look.format->mime : "application/octet-stream");
    return rc;
}

void rf_mcp_give_original(const struct rf_mcp_file *f, bool as_audio)
{
    struct rf_mcp_call *c = f->call;
    struct original *o = RF_NEW(c->arena, struct original);
    struct rf_err err = { 0 };
    if (find(f, o, &err)) {
        rf_mcp_file_fail(f, &err);
        return;
    }
    if (as_audio && (!o->look.format || o->look.format->kind != RF_KIND_AUDIO)) {
        rf_mcp_call_fail(
            c, rf_strf(c->arena, "%.*s is %.*s and not sound.", RF_FMT(o->name), RF_FMT(o->mime)));
        return;
    }
    bool fits = (int64_t)o->bytes.size <= rf_mcp_file_most(f) / 4 * 3 - 4096;
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "content");
    write_text(w, rf_strf(c->arena, "%.*s: %.*s, %" PRIu64 " bytes%s", RF_FMT(o->name),
                          RF_FMT(o->mime), o->bytes.size,
                          fits ? "."
                               : ". That is more than a result may hold: the link says where it "
                                 "is."));
    if (!fits && c->revision->structured)
        write_link(w, o);
    else if (!fits)
        write_text(w, o->uri);
    else if (as_audio && c->revision->audio)
        write_audio(w, o);
    else
        write_embedded(w, o);
    rf_json_end(w);
}
