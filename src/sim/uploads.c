/* Files of the vendors' APIs: upload, list, look at, fetch, delete.
 *
 * OpenAI and those like it, and Anthropic, take a form; Gemini takes an upload in two steps, the
 * first of which names the address for the second. */
#include "base/arena.h"
#include "sim/endpoints.h"
#include "sim/files.h"
#include "sim/gemini/proto.h"
#include "sim/multipart.h"
#include "sim/strict.h"

#define CREATED 1700000000
#define CREATED_AT "2023-11-14T22:13:20Z"
#define EXPIRES_AT "2099-01-01T00:00:00Z"

typedef void write_file(struct rf_json *w, const char *key, const struct rf_sim_asked *asked,
                        const struct rf_sim_file *file);

static const char *header(const struct rf_sim_asked *asked, const char *name)
{
    const struct rf_sim_call *call = asked->r->call;
    return call->header ? call->header(call->ctx, name) : NULL;
}

/* One file */

static void open_openai(struct rf_json *w, const char *key, const struct rf_sim_file *file)
{
    rf_json_obj(w, key);
    rf_json_str(w, "id", file->id);
    rf_json_str(w, "object", RF_STR("file"));
    rf_json_int(w, "bytes", (int64_t)file->bytes.n);
    rf_json_int(w, "created_at", CREATED);
    rf_json_str(w, "filename", file->name);
    rf_json_str(w, "purpose", file->purpose.n > 0 ? file->purpose : RF_STR("user_data"));
    rf_json_str(w, "status", RF_STR("processed"));
    rf_json_null(w, "expires_at");
}

static void write_openai(struct rf_json *w, const char *key, const struct rf_sim_asked *asked,
                         const struct rf_sim_file *file)
{
    (void)asked;
    open_openai(w, key, file);
    rf_json_end(w);
}

static void write_mistral(struct rf_json *w, const char *key, const struct rf_sim_asked *asked,
                          const struct rf_sim_file *file)
{
    (void)asked;
    open_openai(w, key, file);
    rf_json_str(w, "sample_type", RF_STR("ocr_input"));
    rf_json_str(w, "source", RF_STR("upload"));
    rf_json_str(w, "mimetype", file->mime);
    rf_json_bool(w, "deleted", false);
    rf_json_end(w);
}

static void write_anthropic(struct rf_json *w, const char *key, const struct rf_sim_asked *asked,
                            const struct rf_sim_file *file)
{
    (void)asked;
    rf_json_obj(w, key);
    rf_json_str(w, "type", RF_STR("file"));
    rf_json_str(w, "id", file->id);
    rf_json_str(w, "filename", file->name);
    rf_json_str(w, "mime_type", file->mime);
    rf_json_int(w, "size_bytes", (int64_t)file->bytes.n);
    rf_json_str(w, "created_at", RF_STR(CREATED_AT));
    rf_json_bool(w, "downloadable", false);
    rf_json_end(w);
}

/* Where this server is, as the caller sees it. */
static struct rf_str address(const struct rf_sim_asked *asked, const char *path)
{
    const char *host = header(asked, "host");
    return rf_strf(asked->r->arena, "http://%s/google%s", host ? host : "127.0.0.1", path);
}

static void write_gemini(struct rf_json *w, const char *key, const struct rf_sim_asked *asked,
                         const struct rf_sim_file *file)
{
    struct rf_arena *a = asked->r->arena;
    rf_json_obj(w, key);
    rf_json_str(w, "name", rf_strf(a, "files/%.*s", RF_FMT(file->id)));
    rf_json_str_opt(w, "displayName", file->name);
    rf_json_str(w, "mimeType", file->mime);
    rf_json_str(w, "sizeBytes", rf_strf(a, "%zu", file->bytes.n));
    rf_json_str(w, "createTime", RF_STR(CREATED_AT));
    rf_json_str(w, "updateTime", RF_STR(CREATED_AT));
    rf_json_str(w, "expirationTime", RF_STR(EXPIRES_AT));
    rf_json_str(w, "sha256Hash", rf_sim_hex(a, 64, rf_sim_hash(file->bytes)));
    rf_json_str(w, "uri",
                rf_strf(a, "%s%.*s", address(asked, "/v1beta/files/").p, RF_FMT(file->id)));
    rf_json_str(w, "state", RF_STR("ACTIVE"));
    rf_json_str(w, "source", RF_STR("UPLOADED"));
    rf_json_end(w);
}

/* Shapes by provider */

enum id { ID_LETTERS, ID_HEX, ID_UUID };
enum last { LAST_NONE, LAST_PAGES, LAST_TOTAL }; /* what follows a list */

static const struct shape {
    const char *provider; /* a pattern */
    write_file *write;
    enum id id;
    const char *prefix; /* of an id, and how many letters follow */
    size_t letters;
    const char *list, *object; /* the list's member; "object" before it, or NULL */
    enum last last;
    const char *kind, *deleted; /* what says that one was deleted */
} shapes[] = {
    { "anthropic", write_anthropic, ID_LETTERS, "file_011", 21, "data", NULL, LAST_PAGES, "type",
      "\"file_deleted\"" },
    { "google", write_gemini, ID_HEX, "", 12, "files", NULL, LAST_NONE, NULL, NULL },
    { "mistral", write_mistral, ID_UUID, "", 0, "data", "list", LAST_TOTAL, "deleted", "true" },
    { "*", write_openai, ID_LETTERS, "file-", 22, "data", "list", LAST_PAGES, "deleted", "true" },
};

static const struct shape *shape_of(const struct rf_sim_asked *asked)
{
    const struct shape *s = shapes;
    while (!rf_glob(rf_str(s->provider), asked->r->model->provider))
        s++;
    return s;
}

static struct rf_str new_id(const struct rf_sim_asked *asked, const struct shape *s)
{
    switch (s->id) {
    case ID_LETTERS:
        return rf_sim_id(asked->r, s->prefix, s->letters, 0);
    case ID_HEX:
        return rf_sim_hex(asked->r->arena, s->letters, asked->r->seed);
    case ID_UUID:
        break;
    }
    return rf_sim_uuid(asked->r);
}

static struct rf_str owner(const struct rf_sim_asked *asked)
{
    return rf_sim_files_owner(asked->r->model->provider);
}

static void answer(struct rf_sim_asked *asked, const char *key, const struct rf_sim_file *file)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    if (key)
        rf_json_obj(w, NULL);
    shape_of(asked)->write(w, key, asked, file);
    if (key)
        rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

static void not_found(struct rf_sim_asked *asked)
{
    rf_sim_asked_refuse(asked, 404, "No such File object: %.*s", RF_FMT(asked->name));
}

static bool find(struct rf_sim_asked *asked, struct rf_sim_file *file)
{
    if (rf_sim_files_find(asked->files, owner(asked), asked->name, asked->r->arena, file))
        return true;
    not_found(asked);
    return false;
}

/* A form */

static bool read_form(struct rf_sim_asked *asked, struct rf_sim_file *file)
{
    struct rf_str boundary = rf_sim_multipart_boundary(header(asked, "content-type"));
    struct rf_str rest = asked->r->call->body;
    struct rf_sim_part part;
    bool found = false;
    while (boundary.n > 0 && rf_sim_multipart_next(&rest, boundary, &part)) {
        if (rf_str_is(part.name, "purpose"))
            file->purpose = part.content;
        if (!rf_str_is(part.name, "file"))
            continue;
        file->name = part.filename.n > 0 ? part.filename : RF_STR("upload");
        file->mime = part.mime.n > 0 ? part.mime : RF_STR("application/octet-stream");
        file->bytes = part.content;
        found = true;
    }
    return found;
}

void rf_sim_file_upload(struct rf_sim_asked *asked)
{
    struct rf_sim_file file = { .provider = owner(asked), .id = new_id(asked, shape_of(asked)) };
    if (!read_form(asked, &file)) {
        rf_sim_asked_refuse(asked, 400, "'file' is a required property");
        return;
    }
    if (!rf_sim_files_add(asked->files, &file)) {
        rf_sim_asked_refuse(asked, 413, "The simulator keeps no more files than it has");
        return;
    }
    answer(asked, NULL, &file);
}

/* Two steps */

/* The address of the second step names the file, and holds the key for it. */
static void start_upload(struct rf_sim_asked *asked)
{
    const struct rf_jval *about = rf_sim_gemini_get(asked->r->body, "file");
    const char *mime = header(asked, "x-goog-upload-header-content-type");
    struct rf_str declared = rf_sim_text(asked->r, rf_sim_gemini_get(about, "mimeType"));
    struct rf_str named = rf_sim_text(asked->r, rf_sim_gemini_get(about, "name"));
    struct rf_sim_file file = {
        .provider = owner(asked),
        .id = rf_str_starts(named, "files/") ? (struct rf_str){ named.p + 6, named.n - 6 }
                                             : new_id(asked, shape_of(asked)),
        .name = rf_sim_text(asked->r, rf_sim_gemini_get(about, "displayName")),
        .mime = declared.n > 0 ? declared : rf_str(mime ? mime : "application/octet-stream"),
    };
    if (!rf_sim_files_add(asked->files, &file)) {
        rf_sim_asked_refuse(asked, 429, "The simulator keeps no more files than it has");
        return;
    }
    asked->out->status = 200;
    rf_sim_header(asked->out, "x-goog-upload-status", "active");
    rf_sim_header(asked->out, "x-goog-upload-url",
                  rf_strf(asked->r->arena, "%s%.*s",
                          address(asked, "/upload/v1beta/files?key=upload&upload_id=").p,
                          RF_FMT(file.id))
                      .p);
    rf_sim_chunk(asked->out, asked->r->arena, RF_STR(""));
}

void rf_sim_file_upload_steps(struct rf_sim_asked *asked)
{
    const char *command = header(asked, "x-goog-upload-command");
    const char *id = strstr(asked->r->call->path, "upload_id=");
    struct rf_sim_file file;
    if (!id) {
        start_upload(asked);
        return;
    }
    asked->name = rf_str(id + strlen("upload_id="));
    if (!rf_sim_files_append(asked->files, owner(asked), asked->name, asked->r->call->body)) {
        not_found(asked);
        return;
    }
    bool last = command && strstr(command, "finalize");
    if (last && find(asked, &file))
        answer(asked, "file", &file);
    asked->out->status = 200;
    rf_sim_header(asked->out, "x-goog-upload-status", last ? "final" : "active");
}

/* What is there */

void rf_sim_file_list(struct rf_sim_asked *asked)
{
    const struct shape *s = shape_of(asked);
    struct rf_arena *a = asked->r->arena;
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, a);
    struct rf_sim_file file, first = { 0 }, last = { 0 };
    int64_t count = 0;
    rf_json_obj(w, NULL);
    if (s->object)
        rf_json_str(w, "object", rf_str(s->object));
    rf_json_arr(w, s->list);
    for (; rf_sim_files_at(asked->files, owner(asked), (size_t)count, a, &file); count++) {
        s->write(w, NULL, asked, &file);
        first = count ? first : file;
        last = file;
    }
    rf_json_end(w);
    if (s->last == LAST_TOTAL)
        rf_json_int(w, "total", count);
    if (s->last == LAST_PAGES) {
        rf_json_bool(w, "has_more", false);
        rf_json_str_opt(w, "first_id", first.id);
        rf_json_str_opt(w, "last_id", last.id);
    }
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

void rf_sim_file_look(struct rf_sim_asked *asked)
{
    struct rf_sim_file file;
    if (find(asked, &file))
        answer(asked, NULL, &file);
}

void rf_sim_file_content(struct rf_sim_asked *asked)
{
    struct rf_sim_file file;
    if (!find(asked, &file))
        return;
    asked->out->status = 200;
    asked->out->content_type = rf_cstr(asked->r->arena, file.mime);
    rf_sim_chunk(asked->out, asked->r->arena, file.bytes);
}

void rf_sim_file_delete(struct rf_sim_asked *asked)
{
    const struct shape *s = shape_of(asked);
    struct rf_sim_writer writer;
    if (!rf_sim_files_remove(asked->files, owner(asked), asked->name)) {
        not_found(asked);
        return;
    }
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    rf_json_obj(w, NULL);
    if (s->kind) {
        rf_json_str(w, "id", asked->name);
        if (s->object)
            rf_json_str(w, "object", RF_STR("file"));
        rf_json_raw(w, s->kind, rf_str(s->deleted));
    }
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}
