/* describe_file: what a file is, in small facts, as structured content and the same as a text. */
#include "mcp/server/files.h"

#include "base/bytes.h"
#include "source/asset.h"
#include "source/preview.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_ENTRIES 100000

static void write_time(struct rf_json *w, const struct rf_stamp *stamp)
{
    time_t t = (time_t)stamp->changed_s;
    struct tm tm;
    char text[32];
    if (stamp->changed_s && gmtime_r(&t, &tm) && strftime(text, sizeof text, "%FT%TZ", &tm))
        rf_json_str(w, "modified", rf_str(text));
}

static void write_number(struct rf_json *w, const char *key, int64_t n)
{
    if (n > 0)
        rf_json_int(w, key, n);
}

/* The facts as the answer: the object, and its text for whoever does not know it. */
static void answer(struct rf_mcp_call *c, struct rf_json *facts)
{
    struct rf_str text;
    struct rf_err err;
    rf_json_end(facts);
    if (rf_json_finish(facts, &err) ||
        rf_rope_flatten(facts->rope, RF_MCP_MOST_OUT, c->arena, &text, &err)) {
        rf_mcp_call_fail(c, rf_str_dup(c->arena, rf_str(err.msg)));
        return;
    }
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "content");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", text);
    rf_json_end(w);
    rf_json_end(w);
    if (c->revision->structured)
        rf_json_raw(w, "structuredContent", text);
}

static struct rf_json *begin(const struct rf_mcp_file *f, struct rf_str summary, const char *kind)
{
    struct rf_json *w = rf_rpc_writer(f->call->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "path", f->path);
    rf_json_str(w, "summary", summary);
    rf_json_str(w, "kind", rf_str(kind));
    return w;
}

static void describe_folder(const struct rf_mcp_file *f, int fd)
{
    struct rf_arena *a = f->call->arena;
    int64_t n = 0;
    DIR *d = fdopendir(fd);
    struct dirent *e;
    while (d && n < MOST_ENTRIES && (e = readdir(d)))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d)
        closedir(d);
    else
        close(fd);
    struct rf_json *w = begin(f,
                              rf_strf(a, "[Folder: %.*s, %" PRId64 " entr%s]",
                                      RF_FMT(rf_clean_name(rf_str_behind(f->path, '/'), a)), n,
                                      n == 1 ? "y" : "ies"),
                              "folder");
    rf_json_str(w, "mime_type", RF_STR(RF_MIME_FOLDER));
    rf_json_int(w, "entries", n);
    answer(f->call, w);
}

static const char *kind_of(const struct rf_preview *p)
{
    return rf_kind_name(p->read.format                  ? p->read.format->kind
                        : p->kind == RF_PREVIEW_PICTURE ? RF_KIND_IMAGE
                                                        : RF_KIND_UNKNOWN);
}

static struct rf_str describe_archive(const struct rf_mcp_file *f, const struct rf_preview *p)
{
    return rf_strf(f->call->arena, "[Archive: %.*s, %" PRId64 " file%s]", RF_FMT(p->read.name),
                   p->read.count, p->read.count == 1 ? "" : "s");
}

static void describe(const struct rf_mcp_file *f, const struct rf_preview *p)
{
    const struct rf_part_words *parts = p->read.format ? p->read.format->parts : NULL;
    bool paged = p->kind == RF_PREVIEW_PDF || p->framed ||
                 (p->kind == RF_PREVIEW_DOCUMENT && parts && !parts->flows);
    bool archive = p->read.mime && p->read.count > 0;
    struct rf_json *w =
        archive ? begin(f, describe_archive(f, p), "archive") : begin(f, p->label, kind_of(p));
    rf_json_str(w, "mime_type", p->read.mime ? rf_str(p->read.mime) : p->mime);
    rf_json_int(w, "size_bytes", (int64_t)p->read.bytes.size);
    write_time(w, &p->read.bytes.stamp);
    if (paged && p->total > 0) {
        rf_json_int(w, "pages", p->total);
        rf_json_str(w, "page_word", rf_str(p->word));
    }
    if (archive)
        rf_json_int(w, "entries", p->read.count);
    write_number(w, "width", p->width);
    write_number(w, "height", p->height);
    write_number(w, "duration_ms", p->duration_ms);
    answer(f->call, w);
}

/* What can be told of a file without its password. */
static bool describe_locked(const struct rf_mcp_file *f)
{
    struct rf_arena *a = f->call->arena;
    struct rf_message unused = { 0 };
    struct rf_read r = { .tools = f->tools, .arena = a, .message = &unused };
    r.call = (struct rf_read_call){
        .path = f->path, .offset = -1, .limit = -1, .byte_offset = -1, .byte_limit = -1
    };
    rf_read_init(&r);
    bool known = !rf_read_find(&r, NULL) && !rf_read_open(&r, NULL) && !r.listed &&
                 !rf_read_identify(&r, NULL) && r.format;
    rf_reader_close(&r.reader);
    if (!known)
        return false;
    const char *said = rf_str_starts(rf_str(r.format->label), "encrypted ") ? "" : ", encrypted";
    struct rf_json *w = begin(f, rf_strf(a, "[%s: %.*s%s]", r.format->label, RF_FMT(r.name), said),
                              rf_kind_name(r.format->kind));
    rf_json_str(w, "mime_type", rf_str(r.format->mime));
    rf_json_int(w, "size_bytes", (int64_t)r.bytes.size);
    write_time(w, &r.bytes.stamp);
    rf_json_bool(w, "encrypted", true);
    rf_json_str(w, "advice", RF_STR(RF_NO_PASSWORDS));
    answer(f->call, w);
    return true;
}

void rf_mcp_describe_file(struct rf_mcp_call *c)
{
    struct rf_mcp_file f;
    struct rf_preview *p = NULL;
    struct rf_err err = { 0 };
    int fd;
    if (!rf_mcp_file_open(c, "path", &f))
        return;
    if (!rf_folder_open(f.root, rf_cstr(c->arena, f.path), &fd, NULL)) {
        describe_folder(&f, fd);
        return;
    }
    if (!rf_preview_open(f.tools, rf_cstr(c->arena, f.path), &p, &err))
        describe(&f, p);
    else if (err.reason != RF_REASON_PASSWORD || !describe_locked(&f))
        rf_mcp_file_fail(&f, &err);
    rf_preview_close(p);
}
