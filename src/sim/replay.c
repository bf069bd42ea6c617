#include "sim/replay.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MAX_DEPTH 3 /* folders below the one that was named */
#define MAX_FILES 20000
#define MAX_FILE_BYTES ((size_t)64 << 20)
#define MAX_MARKS 4096      /* of one request */
#define MAX_MARK_BYTES 4096 /* of a text that is told apart; longer ones by their beginning */

/* What a request is made of: hashes of its texts and numbers, sorted. */
struct marks {
    uint64_t *list;
    size_t count;
};

struct recording {
    const char *file;
    size_t exchange;
    struct rf_str operation; /* the end of the path */
    struct rf_str path;
    struct marks marks;
};

struct rf_sim_replay {
    struct rf_arena *arena;
    struct recording *list;
    size_t count, cap;
    size_t files;
};

/* Telling requests apart. */

static uint64_t hash(struct rf_str s)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < s.n && i < MAX_MARK_BYTES; i++)
        h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
    return h ^ s.n;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static struct marks mark(const struct rf_jval *body, struct rf_arena *a)
{
    size_t n = 0, most = body->span < MAX_MARKS ? body->span : MAX_MARKS, kept = 0;
    uint64_t *list = RF_ARRAY(a, uint64_t, most);
    for (size_t i = 0; i < body->span && n < most; i++)
        if (body[i].type == RF_JSTRING || body[i].type == RF_JNUMBER)
            list[n++] = hash(body[i].raw);
    qsort(list, n, sizeof *list, compare);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return (struct marks){ list, kept };
}

/* What two have in common, of a thousand. */
static size_t nearness(const struct marks *a, const struct marks *b)
{
    size_t i = 0, k = 0, common = 0;
    while (i < a->count && k < b->count) {
        uint64_t x = a->list[i], y = b->list[k];
        common += x == y;
        i += x <= y;
        k += y <= x;
    }
    size_t all = a->count + b->count - common;
    return all ? common * 1000 / all : 0;
}

/* "/v1/messages" of a URL or of a path, without its query. */
static struct rf_str path_of(struct rf_str url)
{
    const char *scheme = memmem(url.p, url.n, "://", 3);
    size_t start = 0, end = 0;
    if (scheme) {
        start = (size_t)(scheme - url.p) + 3;
        while (start < url.n && url.p[start] != '/')
            start++;
    }
    end = start;
    while (end < url.n && url.p[end] != '?')
        end++;
    return (struct rf_str){ url.p + start, end - start };
}

static struct rf_str operation_of(struct rf_str path)
{
    size_t n = path.n;
    while (n > 0 && path.p[n - 1] != '/' && path.p[n - 1] != ':')
        n--;
    return (struct rf_str){ path.p + n, path.n - n };
}

/* Reading. */

static void add_exchange(struct rf_sim_replay *p, const char *file, size_t index,
                         const struct rf_jval *exchange)
{
    const struct rf_jval *request = rf_jval_get(exchange, "request");
    const struct rf_jval *url = rf_jval_get(request, "url"), *body = rf_jval_get(request, "body");
    if (!url || url->type != RF_JSTRING || !body || body->type != RF_JOBJECT)
        return;
    struct rf_str path = rf_str_dup(p->arena, path_of(rf_jval_text(url, p->arena)));
    *RF_PUSH(p->arena, p->list, p->count, p->cap) = (struct recording){
        .file = file,
        .exchange = index,
        .path = path,
        .operation = operation_of(path),
        .marks = mark(body, p->arena),
    };
}

static const struct rf_jval *read_exchanges(const char *file, struct rf_arena *a)
{
    struct rf_str text;
    const struct rf_jval *root, *list;
    struct rf_err err;
    if (rf_file_read(file, MAX_FILE_BYTES, a, &text, &err) || rf_jval_parse(text, a, &root, &err))
        return NULL;
    list = rf_jval_get(root, "exchanges");
    return list && list->type == RF_JARRAY ? list : NULL;
}

/* Files that are not recordings are passed over. */
static void read_recording(struct rf_sim_replay *p, const char *file)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *list = read_exchanges(file, a);
    size_t i = 0;
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v; v = rf_jval_next(list, v))
        add_exchange(p, file, i++, v);
    rf_arena_free(a);
}

static enum rf_code read_folder(struct rf_sim_replay *p, const char *folder, int depth,
                                struct rf_err *err)
{
    DIR *d = opendir(folder);
    enum rf_code rc = RF_OK;
    struct dirent *entry;
    if (!d)
        return rf_fail_errno(err, "could not open folder \"%s\"", folder);
    while (!rc && (entry = readdir(d)) && p->files < MAX_FILES) {
        const char *path = rf_strf(p->arena, "%s/%s", folder, entry->d_name).p;
        struct stat st;
        if (entry->d_name[0] == '.' || stat(path, &st))
            continue;
        if (S_ISDIR(st.st_mode) && depth > 0)
            rc = read_folder(p, path, depth - 1, err);
        if (S_ISREG(st.st_mode) && rf_str_ends(rf_str(path), ".json")) {
            p->files++;
            read_recording(p, path);
        }
    }
    closedir(d);
    return rc;
}

enum rf_code rf_sim_replay_open(const char *folder, struct rf_arena *a, struct rf_sim_replay **out,
                                struct rf_err *err)
{
    struct rf_sim_replay *p = RF_NEW(a, struct rf_sim_replay);
    p->arena = a;
    enum rf_code rc = read_folder(p, folder, MAX_DEPTH, err);
    if (rc)
        return rc;
    if (p->count == 0) {
        rf_fail(err, RF_ECONFIG, "folder \"%s\" holds no recordings", folder);
        rf_hint(err, "The format of recordings is in refract-sim(1).");
        return RF_ECONFIG;
    }
    *out = p;
    return RF_OK;
}

/* Answering. */

/* The nearest of the same operation; a path that is the same too counts a little. */
static const struct recording *find(const struct rf_sim_replay *p, const struct rf_sim_request *r)
{
    struct rf_str path = path_of(rf_str(r->call->path));
    struct rf_str operation = operation_of(path);
    struct marks marks = mark(r->body, r->arena);
    const struct recording *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct recording *c = &p->list[i];
        if (!rf_str_eq(c->operation, operation))
            continue;
        size_t near = 2 * nearness(&c->marks, &marks) + rf_str_ends(path, c->path.p);
        /* Of equals the first by name, whatever order the folder has. */
        if (!best || near > most || (near == most && strcmp(c->file, best->file) < 0)) {
            best = c;
            most = near;
        }
    }
    return best;
}

/* A text that was streamed, event by event. */
static void add_events(struct rf_sim_reply *out, struct rf_arena *a, struct rf_str text)
{
    while (text.n > 0) {
        const char *end = memmem(text.p, text.n, "\n\n", 2);
        size_t n = end ? (size_t)(end - text.p) + 2 : text.n;
        rf_sim_chunk(out, a, (struct rf_str){ text.p, n });
        text = (struct rf_str){ text.p + n, text.n - n };
    }
}

static bool add_body(struct rf_sim_reply *out, struct rf_arena *a, const struct rf_jval *body)
{
    const struct rf_jval *stream = rf_jval_get(body, "$eventstream_b64");
    size_t n;
    if (body && body->type == RF_JSTRING) {
        add_events(out, a, rf_jval_text(body, a));
        return true;
    }
    if (!stream || stream->type != RF_JSTRING) {
        rf_sim_chunk(out, a, body ? rf_jval_compact(body, a) : RF_STR(""));
        return true;
    }
    struct rf_str base64 = rf_jval_text(stream, a);
    if (!rf_base64_decoded_length(base64.p, base64.n, &n))
        return false;
    char *bytes = rf_arena_alloc(a, n + 1);
    if (!rf_base64_decode(base64.p, base64.n, bytes))
        return false;
    rf_sim_chunk(out, a, (struct rf_str){ bytes, n });
    return true;
}

bool rf_sim_replay_answer(const struct rf_sim_replay *p, const struct rf_sim_request *r,
                          struct rf_sim_reply *out)
{
    const struct recording *found = r->body ? find(p, r) : NULL;
    const struct rf_jval *list = found ? read_exchanges(found->file, r->arena) : NULL;
    const struct rf_jval *exchange = list ? rf_jval_at(list, found->exchange) : NULL;
    const struct rf_jval *response = rf_jval_get(exchange, "response");
    const struct rf_jval *type = rf_jval_get(response, "content_type");
    const struct rf_jval *status_value = rf_jval_get(response, "status");
    int64_t status;
    if (!status_value || !rf_jval_int64(status_value, &status) || status < 100 || status > 599)
        return false;
    out->status = (int)status;
    out->content_type = type && type->type == RF_JSTRING
                            ? rf_cstr(r->arena, rf_jval_text(type, r->arena))
                            : "application/json";
    return add_body(out, r->arena, rf_jval_get(response, "body"));
}
