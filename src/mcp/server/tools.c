/* The tools: their rows, as hosts are told of them, and what their calls share. */
#include "mcp/server/files.h"

#include "base/bytes.h"
#include "model/model.h"
#include "source/inspect.h"

#include <refract/model.h>

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define READ_ONLY(title)                                                        \
    "{\"title\":\"" title "\",\"readOnlyHint\":true,\"destructiveHint\":false," \
    "\"idempotentHint\":true,\"openWorldHint\":false}"

#define USUAL_RESULT ((int64_t)900 * 1024)

#define PATH_HELP "Absolute, or relative to a folder that may be read."

const struct rf_mcp_tool rf_mcp_own_tools[] = {
    { "read_file", "Read a file",
      "Read a file or list a folder. Text comes as text, PDFs and office documents as their text "
      "with their pages and pictures to look at, pictures as pictures, sound and video as their "
      "facts and what can be seen of them, archives as a list of what is in them. Long files come "
      "in pieces: the first line of the result says how to go on.",
      "{\"type\":\"object\",\"properties\":{"
      "\"file_path\":{\"type\":\"string\",\"description\":\"Path of the file or folder. " PATH_HELP
      " A part may be named after it: report.pdf#p=3-5,8 (pages or slides, counted from 1), "
      "book.xlsx#sheet=Q3, shot.png#xywh=0,0,800,600, talk.mp3#t=10-20 (seconds), "
      "hello.py#L10-40 (lines), letter.docx#pictures=3-5. A file in an archive: "
      "bundle.zip/docs/a.pdf.\"},"
      "\"offset\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"For text: the first line "
      "to read, counted from 1.\"},"
      "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"For text: how many lines to "
      "read.\"},"
      "\"byte_offset\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Instead of offset, for "
      "lines that are cut: the byte of the text to begin at, counted from 0.\"},"
      "\"byte_limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Instead of limit: how "
      "many bytes to read.\"},"
      "\"page_start\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"For documents: the "
      "first page, slide or sheet to read, counted from 0.\"},"
      "\"page_end\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"For documents: the page "
      "to stop before, counted from 0.\"},"
      "\"as\":{\"type\":\"string\",\"enum\":[\"audio\",\"original\"],\"description\":\"The bytes "
      "themselves instead of what can be read of them: audio for sound that the host can play to "
      "its model, original for the file as it is.\"}},"
      "\"required\":[\"file_path\"]}",
      NULL, READ_ONLY("Read a file"), rf_mcp_read_file },
    { "view_image", "Look at a picture",
      "Look at a picture: PNG, JPEG, GIF, WebP, BMP, TIFF, ICO, SVG, HEIC, AVIF and others. It is "
      "made as small as the host needs it; a piece of it comes in full detail.",
      "{\"type\":\"object\",\"properties\":{"
      "\"path\":{\"type\":\"string\",\"description\":\"Path of the picture. " PATH_HELP
      " A piece of it may be named after it, as left, top, width and height in pixels: "
      "shot.png#xywh=0,0,800,600.\"}},"
      "\"required\":[\"path\"]}",
      NULL, READ_ONLY("Look at a picture"), rf_mcp_view_image },
    { "describe_file", "Describe a file",
      "Say what a file is without giving its contents: its kind and type by its bytes, its size, how "
      "many pages, slides or sheets it has, how large a picture is, how long a recording.",
      "{\"type\":\"object\",\"properties\":{"
      "\"path\":{\"type\":\"string\",\"description\":\"Path of the file or folder. " PATH_HELP
      "\"}},\"required\":[\"path\"]}",
      "{\"type\":\"object\",\"properties\":{"
      "\"path\":{\"type\":\"string\"},"
      "\"summary\":{\"type\":\"string\",\"description\":\"In one line.\"},"
      "\"kind\":{\"type\":\"string\",\"description\":\"image, pdf, text, office, audio, video, "
      "archive, folder or unknown.\"},"
      "\"mime_type\":{\"type\":\"string\"},"
      "\"size_bytes\":{\"type\":\"integer\"},"
      "\"modified\":{\"type\":\"string\",\"description\":\"When, in UTC.\"},"
      "\"pages\":{\"type\":\"integer\"},"
      "\"page_word\":{\"type\":\"string\",\"description\":\"What one of them is called.\"},"
      "\"width\":{\"type\":\"integer\"},\"height\":{\"type\":\"integer\"},"
      "\"duration_ms\":{\"type\":\"integer\"},"
      "\"entries\":{\"type\":\"integer\",\"description\":\"Of a folder or an archive.\"},"
      "\"encrypted\":{\"type\":\"boolean\",\"description\":\"It cannot be read without its "
      "password.\"},"
      "\"advice\":{\"type\":\"string\",\"description\":\"What to do about that.\"}},"
      "\"required\":[\"path\",\"summary\",\"kind\"]}",
      READ_ONLY("Describe a file"), rf_mcp_describe_file },
    { "pdf_pages", "Look at pages of a PDF",
      "Show pages of a PDF as pictures, for what its text does not tell: layout, figures, tables, "
      "handwriting, scans. A few pages at a time; the result says how to go on.",
      "{\"type\":\"object\",\"properties\":{"
      "\"path\":{\"type\":\"string\",\"description\":\"Path of the PDF. " PATH_HELP
      " Pages may be named after it, counted from 1: report.pdf#p=3-5,8.\"},"
      "\"page_start\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"The first page, counted "
      "from 0.\"},"
      "\"page_end\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"The page to stop before, "
      "counted from 0. At most 20 pages are shown at once; fewer are sharper.\"},"
      "\"resolution\":{\"type\":\"integer\",\"minimum\":36,\"maximum\":600,\"description\":\"Dots "
      "per inch (default: as much as fits).\"}},"
      "\"required\":[\"path\"]}",
      NULL, READ_ONLY("Look at pages of a PDF"), rf_mcp_pdf_pages },
};
const size_t rf_mcp_own_tool_count = sizeof rf_mcp_own_tools / sizeof *rf_mcp_own_tools;

/* What calls share */

/* A hundred steps are enough for whoever watches. */
static bool step(void *call, int64_t done, int64_t of)
{
    struct rf_mcp_call *c = call;
    if (done >= of || c->progress < 0 || done - c->progress >= of / 100)
        rf_mcp_call_progress(c, done, of, RF_STR(""));
    return !rf_mcp_call_cancelled(c);
}

/* The tools of the thread, for this call. */
static struct rf_tools *tools_for(struct rf_mcp_call *c, const char *root,
                                  const struct rf_model *host)
{
    struct rf_mcp_thread *t = c->thread;
    if (!t->tools) {
        t->tools = rf_tools_new();
        t->tools->named = true;
        if (c->server->cache_folder)
            rf_tools_cache(t->tools, c->server->cache_folder);
        rf_tools_progress(t->tools, step, NULL);
        rf_tools_stop_at(t->tools, t->cancel[0]);
    }
    for (size_t i = 0; i < RF_LIMIT_COUNT; i++)
        t->tools->limits[i] = rf_limit_rows[i].usual;
    if (c->server->config)
        rf_tools_configure(t->tools, c->server->config);
    rf_tools_fit(t->tools, host);
    rf_tools_root(t->tools, root);
    rf_tools_base(t->tools, root);
    t->tools->context = c;
    return t->tools;
}

/* The row of the catalogue for the client, which the thread keeps for the next call. */
static const struct rf_model *host_of(struct rf_mcp_call *c, struct rf_err *err)
{
    struct rf_mcp_thread *t = c->thread;
    struct rf_str name = c->server->host ? rf_str(c->server->host) : c->host;
    if (!name.n || name.n > RF_MAX_NAME_SHOWN)
        name = RF_STR("unknown");
    if (t->host && rf_str_eq(rf_model_name(t->host), name))
        return t->host;
    rf_model_close(t->host);
    t->host = NULL;
    pthread_mutex_lock(&c->server->lock); /* the configuration is not for two at once */
    enum rf_code rc = rf_model_open(c->server->config,
                                    rf_strf(c->arena, "mcp:%.*s", RF_FMT(name)).p, &t->host, err);
    pthread_mutex_unlock(&c->server->lock);
    return rc ? NULL : t->host;
}

/* What is outside of the roots: which there are, and who can change that. */
static struct rf_str outside(const struct rf_mcp_file *f, struct rf_str what)
{
    struct rf_arena *a = f->call->arena;
    bool narrowed = f->call->client_roots.n > 0;
    return rf_strf(a, "%.*s. Files may be read below %.*s. %s", RF_FMT(what),
                   RF_FMT(rf_mcp_roots_words(&f->roots, a)),
                   narrowed
                       ? "The host has named these: the user can add a root there."
                       : "The user can add one: --root DIR in the arguments of \"refract mcp\", "
                         "once for each folder.");
}

/* Is it text that has the name of something else? */
static bool is_text(const struct rf_mcp_file *f)
{
    struct rf_arena *a = f->call->arena;
    struct rf_inspection look;
    struct rf_bytes bytes;
    return !rf_bytes_file(f->root, rf_cstr(a, f->path), &bytes, NULL) &&
           !rf_inspect(&bytes, a, &look, NULL) && look.format && look.format->kind == RF_KIND_TEXT;
}

/* And not a device, a pipe or a socket; a file in an archive is one. */
static bool is_file(const struct rf_mcp_file *f)
{
    struct rf_bytes bytes;
    return rf_bytes_file(f->root, rf_cstr(f->call->arena, f->path), &bytes, NULL) != RF_EFORMAT;
}

/* Every failure says what to do next. */
static struct rf_str explain(const struct rf_mcp_file *f, const struct rf_err *err)
{
    struct rf_arena *a = f->call->arena;
    int fd;
    if (err->code == RF_EPERMISSION)
        return outside(f, rf_str(err->msg));
    if (*err->hint || err->code != RF_EFORMAT)
        return rf_read_words(err, a);
    if (!rf_folder_open(f->root, rf_cstr(a, f->path), &fd, NULL)) {
        close(fd);
        return rf_strf(a, "%s. read_file with nothing but its path lists it.", err->msg);
    }
    return rf_strf(a, "%s. %s", err->msg,
                   is_text(f)   ? "read_file with as=\"original\" gives the text."
                   : is_file(f) ? "It may be damaged: the user may have a better copy."
                                : "Nothing can be read from it here.");
}

void rf_mcp_file_fail(const struct rf_mcp_file *f, const struct rf_err *err)
{
    struct rf_mcp_call *c = f->call;
    struct rf_str why = explain(f, err);
    rf_mcp_call_log(c, RF_MCP_WARNING, why);
    rf_mcp_call_fail(c, why);
}

/* The path in the arguments: by its name in the schema, or by the one that other tools have for
 * it. False: there is none, and that is the answer. */
static bool read_path(struct rf_mcp_call *c, const char *name, struct rf_str *out)
{
    const char *alias = strcmp(name, "path") == 0 ? "file_path" : "path";
    const struct rf_jval *arguments = rf_mcp_call_arguments(c);
    const struct rf_jval *path = rf_jval_get(arguments, name);
    const struct rf_jval *also = rf_jval_get(arguments, alias);
    bool has = rf_jval_type(path) == RF_JSTRING && path->raw.n;
    bool has_also = rf_jval_type(also) == RF_JSTRING && also->raw.n;
    struct rf_str why = RF_STR("");
    if (has || has_also)
        *out = rf_jval_text(has ? path : also, c->arena);
    if (!has && !has_also)
        why = rf_strf(c->arena,
                      "%s is missing: it is the path of a file, as in {\"%s\": \"docs/a.pdf\"}.",
                      name, name);
    else if (has && has_also && !rf_str_eq(*out, rf_jval_text(also, c->arena)))
        why =
            rf_strf(c->arena, "%s and %s name different files: give %s alone.", name, alias, name);
    else if (rf_str_starts(*out, "http://") || rf_str_starts(*out, "https://"))
        why =
            rf_strf(c->arena,
                    "%s is an address, and files alone are read here: save what is there to a file "
                    "first.",
                    has ? name : alias);
    else if (out->n >= PATH_MAX && !rf_str_starts(*out, "file:"))
        why = rf_strf(c->arena, "%s is too long: the path of a file has less than %d bytes.",
                      has ? name : alias, PATH_MAX);
    else if (memchr(out->p, '\0', out->n))
        why = rf_strf(c->arena, "%s is not a path that a file can have.", has ? name : alias);
    if (why.n)
        rf_mcp_call_fail(c, why);
    return !why.n;
}

/* The roots of the two sides have nothing in common. */
static void fail_apart(struct rf_mcp_call *c)
{
    struct rf_mcp_roots ours;
    rf_mcp_roots_known(c->server, RF_STR(""), c->arena, &ours);
    rf_mcp_call_fail(c,
                     rf_strf(c->arena,
                             "No file may be read: the server reads below %.*s, and none of that "
                             "is in the roots that the host names. The user can add a folder: "
                             "--root DIR in the arguments of \"refract mcp\".",
                             RF_FMT(rf_mcp_roots_words(&ours, c->arena))));
}

bool rf_mcp_file_open(struct rf_mcp_call *c, const char *name, struct rf_mcp_file *out)
{
    struct rf_str given;
    struct rf_err err = { 0 };
    *out = (struct rf_mcp_file){ .call = c };
    if (!read_path(c, name, &given))
        return false;
    if (!rf_mcp_roots_of(c, &out->roots))
        return false;
    out->root = rf_mcp_root_for(&out->roots, given, c->arena, &out->path);
    if (!out->root) {
        fail_apart(c);
        return false;
    }
    out->host = host_of(c, &err);
    if (!out->host) {
        rf_mcp_file_fail(out, &err);
        return false;
    }
    out->tools = tools_for(c, out->root, out->host);
    return true;
}

bool rf_mcp_file_number(const struct rf_mcp_file *f, const char *name, int64_t least, int64_t most,
                        int64_t *out)
{
    const struct rf_jval *v = rf_jval_get(rf_mcp_call_arguments(f->call), name);
    *out = -1;
    if (!v || v->type == RF_JNULL)
        return true;
    if (rf_jval_int64(v, out) && *out >= least && *out <= most)
        return true;
    rf_mcp_call_fail(f->call, rf_strf(f->call->arena,
                                      "%s must be a whole number from %" PRId64 " to %" PRId64 ".",
                                      name, least, most));
    return false;
}

int64_t rf_mcp_file_most(const struct rf_mcp_file *f)
{
    int64_t most = f->host->caps.max_body_bytes;
    return most ? most : USUAL_RESULT;
}

static void run_reader(struct rf_mcp_call *c, struct rf_str tool, const char *argument)
{
    struct rf_mcp_file f;
    struct rf_result *result = NULL;
    struct rf_err err = { 0 };
    const struct rf_jval *as = rf_jval_get(rf_mcp_call_arguments(c), "as");
    if (!rf_mcp_file_open(c, argument, &f))
        return;
    if (rf_jval_is(as, "audio") || rf_jval_is(as, "original"))
        rf_mcp_give_original(&f, rf_jval_is(as, "audio"));
    else if (as && as->type != RF_JNULL)
        rf_mcp_call_fail(c,
                         RF_STR("as is \"audio\" or \"original\"; without it the file is read."));
    else if (rf_tools_call(f.tools, tool, rf_mcp_call_arguments(c), f.path, NULL, &result, &err))
        rf_mcp_file_fail(&f, &err);
    else {
        if (result->message.failed)
            result->message.error = explain(&f, &result->err);
        rf_mcp_file_present(&f, result);
    }
}

void rf_mcp_read_file(struct rf_mcp_call *c)
{
    run_reader(c, RF_STR("read_file"), "file_path");
}

void rf_mcp_view_image(struct rf_mcp_call *c)
{
    run_reader(c, RF_STR("view_image"), "path");
}
