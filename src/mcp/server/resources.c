/* Files as resources: all below the roots, in the order of their names, a page at a time; and the
 * bytes of one.
 *
 * The list goes through the folders depth first. A cursor is the file that was listed last, so it
 * stays good when files come and go; hidden files, and what links lead to, are not listed. */
#include "mcp/server/inside.h"

#include "base/base64.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "source/inspect.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 200
#define MOST_DEPTH 32
#define MOST_NAMES ((size_t)200000)    /* of one folder */
#define MOST_BYTES ((uint64_t)5 << 20) /* of a file that is read as a resource */
#define MOST_CURSOR ((size_t)8192)

struct listing {
    struct rf_mcp_call *call;
    struct rf_json *w;
    size_t root, count;
    size_t last_root; /* of the file that was listed last: */
    struct rf_str last;
    bool more;
};

/* Cursors */

static struct rf_str write_cursor(const struct listing *l)
{
    struct rf_arena *a = l->call->arena;
    struct rf_str plain = rf_strf(a, "%zu:%.*s", l->last_root, RF_FMT(l->last));
    char *out = rf_arena_alloc(a, (size_t)rf_base64_length(plain.n));
    return (struct rf_str){ out, rf_base64_encode(plain.p, plain.n, out) };
}

static bool read_cursor(struct rf_mcp_call *c, size_t *root, struct rf_str *after)
{
    const struct rf_jval *cursor = rf_jval_get(c->rpc.params, "cursor");
    struct rf_str text, number;
    int64_t index;
    size_t n;
    *root = 0;
    *after = RF_STR("");
    if (!cursor)
        return true;
    if (cursor->type != RF_JSTRING || cursor->raw.n > MOST_CURSOR)
        return false;
    text = rf_jval_text(cursor, c->arena);
    if (!text.n)
        return true;
    if (!rf_base64_decoded_length(text.p, text.n, &n))
        return false;
    char *plain = rf_arena_alloc(c->arena, n + 1);
    *after = (struct rf_str){ plain, n };
    if (!rf_base64_decode(text.p, text.n, plain) || memchr(plain, '\0', n) ||
        !rf_str_split(after, ':', &number) || !rf_str_int64(number, &index) || index < 0 ||
        !after->n)
        return false;
    *root = (size_t)index;
    return true;
}

static void bad_cursor(struct rf_mcp_call *c)
{
    rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS, RF_STR("the cursor is not one of this list"));
}

/* Listing */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder, sorted; `fd` is closed. */
static size_t names_in(int fd, struct rf_arena *a, const char ***out)
{
    size_t count = 0, cap = 0;
    struct dirent *e;
    DIR *d = fdopendir(fd);
    *out = NULL;
    if (!d) {
        close(fd);
        return 0;
    }
    while (count < MOST_NAMES && (e = readdir(d)))
        if (e->d_name[0] != '.')
            *RF_PUSH(a, *out, count, cap) = rf_cstr(a, rf_str(e->d_name));
    closedir(d);
    if (count)
        qsort(*out, count, sizeof **out, by_name);
    return count;
}

static void list_file(struct listing *l, struct rf_str path, const struct stat *st)
{
    struct rf_arena *a = l->call->arena;
    if (l->count == PAGE) {
        l->more = true;
        return;
    }
    const struct rf_format *f = rf_format_by_name(path);
    if (rf_utf8_valid(path) != path.n)
        return; /* it has no name that JSON could say */
    struct rf_str name = rf_str_behind(path, '/');
    rf_json_obj(l->w, NULL);
    rf_json_str(l->w, "uri", rf_mcp_uri_of_path(path, a));
    rf_json_str(l->w, "name", name);
    rf_json_str_opt(l->w, "mimeType", rf_str(f ? f->mime : NULL));
    if (l->call->revision->audio)
        rf_json_int(l->w, "size", (int64_t)st->st_size);
    rf_json_end(l->w);
    l->count++;
}

/* `after` is what was listed last, relative to this folder; empty: nothing of it was. */
static void list_folder(struct listing *l, int parent, const char *name, struct rf_str path,
                        struct rf_str relative, struct rf_str after, unsigned depth)
{
    struct rf_arena *a = l->call->arena;
    struct rf_str first = after;
    const char **names;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int again = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (fd < 0 || again < 0) {
        if (fd >= 0)
            close(fd);
        return;
    }
    rf_str_split(&after, '/', &first);
    size_t count = names_in(again, a, &names);
    for (size_t i = 0; i < count && !l->more && !rf_mcp_call_cancelled(l->call); i++) {
        int order = first.n ? strcmp(names[i], rf_cstr(a, first)) : 1;
        struct stat st;
        if (order < 0 || fstatat(fd, names[i], &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        struct rf_str to = rf_strf(a, "%.*s/%s", RF_FMT(path), names[i]);
        struct rf_str from =
            relative.n ? rf_strf(a, "%.*s/%s", RF_FMT(relative), names[i]) : rf_str(names[i]);
        if (S_ISDIR(st.st_mode) && depth < MOST_DEPTH) {
            list_folder(l, fd, names[i], to, from, order == 0 ? after : RF_STR(""), depth + 1);
        } else if (S_ISREG(st.st_mode) && order > 0) {
            list_file(l, to, &st);
            if (!l->more) {
                l->last_root = l->root;
                l->last = from;
            }
        }
    }
    close(fd);
}

/* Those that were added stand on the first page. */
static void list_added(struct listing *l)
{
    const struct rf_mcp_offer *more = l->call->server->offer;
    for (size_t i = 0; more && i < more->resource_count; i++) {
        const struct rf_mcp_resource *r = &more->resources[i];
        rf_json_obj(l->w, NULL);
        rf_json_str(l->w, "uri", rf_str(r->uri));
        rf_json_str(l->w, "name", rf_str(r->name));
        if (l->call->revision->structured)
            rf_json_str_opt(l->w, "title", rf_str(r->title));
        rf_json_str_opt(l->w, "description", rf_str(r->description));
        rf_json_str_opt(l->w, "mimeType", rf_str(r->mime));
        rf_json_end(l->w);
    }
}

/* Is this root listed with another, in which it lies and not behind a hidden folder? */
static bool is_listed_elsewhere(const struct rf_mcp_roots *roots, size_t root)
{
    const char *folder = roots->folders[root];
    for (size_t i = 0; i < roots->count; i++) {
        const char *other = roots->folders[i];
        if (i == root || !rf_mcp_lies_in(folder, other))
            continue;
        if (strcmp(folder, other) == 0 ? i < root : !strstr(folder + strlen(other) - 1, "/."))
            return true;
    }
    return false;
}

void rf_mcp_list_resources(struct rf_mcp_call *c)
{
    struct listing l = { .call = c };
    struct rf_mcp_roots roots;
    struct rf_str after;
    size_t root;
    if (!read_cursor(c, &root, &after)) {
        bad_cursor(c);
        return;
    }
    if (!rf_mcp_roots_now(c, &roots))
        return;
    if ((root || after.n) && root >= roots.count) {
        bad_cursor(c);
        return;
    }
    l.w = rf_mcp_call_result(c);
    rf_json_arr(l.w, "resources");
    if (!root && !after.n)
        list_added(&l);
    for (l.root = root; l.root < roots.count && !l.more; l.root++) {
        if (!is_listed_elsewhere(&roots, l.root))
            list_folder(&l, AT_FDCWD, roots.folders[l.root], rf_str(roots.folders[l.root]),
                        RF_STR(""), after, 0);
        after = RF_STR("");
    }
    rf_json_end(l.w);
    if (l.more)
        rf_json_str(l.w, "nextCursor", write_cursor(&l));
    rf_mcp_call_cacheable(c, l.w, 0);
}

/* Reading */

static void not_found(struct rf_mcp_call *c, const char *why)
{
    struct rf_str uri = rf_mcp_call_text(c, "uri");
    bool modern = c->revision->era == RF_MCP_MODERN;
    struct rf_json *w = rf_mcp_call_refuse(
        c, modern ? (int64_t)RF_RPC_INVALID_PARAMS : (int64_t)RF_MCP_RESOURCE_NOT_FOUND,
        rf_strf(c->arena, "Resource not found: %s", why));
    rf_json_obj(w, "data");
    rf_json_str(w, "uri", uri);
    rf_json_end(w);
}

enum rf_code rf_mcp_contents_look(const struct rf_bytes *bytes, struct rf_str path,
                                  struct rf_arena *a, struct rf_mcp_contents *out,
                                  struct rf_err *err)
{
    struct rf_inspection look;
    enum rf_code rc = rf_inspect(bytes, a, &look, err);
    if (rc)
        return rc;
    *out = (struct rf_mcp_contents){
        .format = rf_format_refine(look.format, RF_STR(""), rf_str_behind(path, '/')),
    };
    out->mime = rf_str(out->format ? out->format->mime : "application/octet-stream");
    return RF_OK;
}

enum rf_code rf_mcp_contents_read(const struct rf_bytes *bytes, struct rf_arena *a,
                                  struct rf_mcp_contents *c, struct rf_err *err)
{
    const struct rf_format *f = c->format;
    enum rf_code rc = rf_bytes_all(bytes, a, &c->bytes, err);
    if (rc)
        return rc;
    c->is_text = (!f || f->kind == RF_KIND_TEXT || f->drawn) &&
                 rf_utf8_valid(c->bytes) == c->bytes.n &&
                 !(c->bytes.n && memchr(c->bytes.p, '\0', c->bytes.n));
    if (c->is_text && !f)
        c->mime = RF_STR("text/plain");
    return RF_OK;
}

void rf_mcp_contents_write(struct rf_json *w, struct rf_str uri, const struct rf_mcp_contents *c,
                           struct rf_arena *a)
{
    struct rf_bytes *bytes = RF_NEW(a, struct rf_bytes);
    *bytes = rf_bytes_memory(c->bytes);
    rf_json_str(w, "uri", uri);
    rf_json_str(w, "mimeType", c->mime);
    if (c->is_text)
        rf_json_str(w, "text", c->bytes);
    else
        rf_json_base64(w, "blob", bytes);
}

static void write_contents(struct rf_mcp_call *c, struct rf_str uri,
                           const struct rf_mcp_contents *contents)
{
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "contents");
    rf_json_obj(w, NULL);
    rf_mcp_contents_write(w, uri, contents, c->arena);
    rf_json_end(w);
    rf_json_end(w);
    rf_mcp_call_cacheable(c, w, 0);
}

void rf_mcp_resource_read(struct rf_mcp_call *c)
{
    struct rf_str uri = rf_mcp_call_text(c, "uri"), path, absolute;
    struct rf_mcp_contents contents;
    struct rf_mcp_roots roots;
    struct rf_bytes bytes;
    struct rf_err err = { 0 };
    if (!rf_mcp_path_of_uri(uri, c->arena, &path)) {
        not_found(c, "there is no resource of that name; files are file:///PATH");
        return;
    }
    if (!rf_mcp_roots_of(c, &roots))
        return;
    const char *root = rf_mcp_root_for(&roots, path, c->arena, &absolute);
    if (!root) {
        not_found(c,
                  "none of the folders that may be read is one of the client's roots; --root DIR "
                  "in the arguments of refract mcp adds one");
        return;
    }
    if (rf_bytes_file(root, rf_cstr(c->arena, absolute), &bytes, &err)) {
        not_found(c, err.code == RF_EPERMISSION
                         ? rf_strf(c->arena, "%s. Files may be read below %.*s.", err.msg,
                                   RF_FMT(rf_mcp_roots_words(&roots, c->arena)))
                               .p
                         : err.msg);
        return;
    }
    if (bytes.size > MOST_BYTES) {
        rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS,
                           rf_strf(c->arena,
                                   "the file has %" PRIu64 " bytes, and %" PRIu64
                                   " is the limit of a resource: the tool read_file reads it in "
                                   "pieces",
                                   bytes.size, MOST_BYTES));
        return;
    }
    if (rf_mcp_contents_look(&bytes, absolute, c->arena, &contents, &err) ||
        rf_mcp_contents_read(&bytes, c->arena, &contents, &err))
        not_found(c, err.msg);
    else
        write_contents(c, uri, &contents);
}

const struct rf_mcp_resource rf_mcp_file_template = {
    .uri = "file:///{path}",
    .name = "file",
    .title = "A file below the roots",
    .description = "Any file below the folders that may be read, by its absolute path.",
    .run = rf_mcp_resource_read,
    .complete = rf_mcp_complete_path,
};
