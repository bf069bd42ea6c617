/* A file as it is, where a model asks for it: sound as an audio block, anything as an embedded
 * resource. What is too long for a result stays where it is, and a link says where. */
#include "mcp/server/files.h"

#include "base/json_escape.h"
#include "model/model.h"

#include <inttypes.h>

#define RESERVE 4096 /* bytes of a result besides the file */

struct original {
    struct rf_bytes bytes;
    struct rf_mcp_contents contents;
    struct rf_str name, uri;
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
    rf_json_str(w, "mimeType", o->contents.mime);
    rf_json_int(w, "size", (int64_t)o->bytes.size);
    rf_json_end(w);
}

static void write_audio(struct rf_json *w, const struct original *o)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("audio"));
    rf_json_base64(w, "data", &o->bytes);
    rf_json_str(w, "mimeType", o->contents.mime);
    rf_json_end(w);
}

static void write_embedded(struct rf_json *w, const struct original *o, struct rf_arena *a)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("resource"));
    rf_json_obj(w, "resource");
    rf_mcp_contents_write(w, o->uri, &o->contents, a);
    rf_json_end(w);
    rf_json_end(w);
}

/* Text is for the model to read, so it has the limit of text. */
static bool fits_as_text(const struct rf_mcp_file *f, const struct original *o)
{
    int64_t most = f->host->caps.max_text_bytes;
    return !o->contents.is_text || !most ||
           (int64_t)rf_json_escaped_length(o->contents.bytes) <= most - RESERVE;
}

/* `*fits`: its bytes are read. */
static enum rf_code find(const struct rf_mcp_file *f, struct original *o, bool *fits,
                         struct rf_err *err)
{
    struct rf_arena *a = f->call->arena;
    enum rf_code rc = rf_bytes_file(f->root, rf_cstr(a, f->path), &o->bytes, err);
    if (!rc)
        rc = rf_mcp_contents_look(&o->bytes, f->path, a, &o->contents, err);
    o->name = rf_str_behind(f->path, '/');
    o->uri = rf_mcp_uri_of_path(f->path, a);
    *fits = !rc && (int64_t)o->bytes.size <= rf_mcp_file_most(f) / 4 * 3 - RESERVE;
    if (*fits)
        rc = rf_mcp_contents_read(&o->bytes, a, &o->contents, err);
    *fits = *fits && !rc && fits_as_text(f, o);
    return rc;
}

void rf_mcp_give_original(const struct rf_mcp_file *f, bool as_audio)
{
    struct rf_mcp_call *c = f->call;
    struct original *o = RF_NEW(c->arena, struct original);
    struct rf_err err = { 0 };
    bool fits;
    if (find(f, o, &fits, &err)) {
        rf_mcp_file_fail(f, &err);
        return;
    }
    const struct rf_format *format = o->contents.format;
    if (as_audio && (!format || format->kind != RF_KIND_AUDIO)) {
        rf_mcp_call_fail(c,
                         rf_strf(c->arena, "%.*s is %.*s and not sound: leave as out to read it.",
                                 RF_FMT(o->name), RF_FMT(o->contents.mime)));
        return;
    }
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "content");
    write_text(w, rf_strf(c->arena, "%.*s: %.*s, %" PRIu64 " bytes%s", RF_FMT(o->name),
                          RF_FMT(o->contents.mime), o->bytes.size,
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
        write_embedded(w, o, c->arena);
    rf_json_end(w);
}
