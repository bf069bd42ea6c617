/* Which folders a call may read. Those of the command line bound it; those of the client narrow
 * that: what lies in both is left. A client that names none leaves it as it is; one that has roots
 * and does not tell them reads nothing. In the legacy era they hold until the client says that they
 * changed, in the modern one for the request that brings them.
 *
 * This chooses where a path is to be opened; that it does not lead out of there, links and all, is
 * checked when it is opened (base/bytes.h). */
#include "mcp/server/inside.h"

#include "base/bytes.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MOST_ROOTS 64
#define ANSWER_MS 30000 /* that a program takes to name its roots */

/* URIs */

bool rf_mcp_path_of_uri(struct rf_str uri, struct rf_arena *a, struct rf_str *path)
{
    size_t n = 0;
    if (!rf_str_starts(uri, "file://"))
        return false;
    uri = (struct rf_str){ uri.p + 7, uri.n - 7 };
    if (rf_str_starts(uri, "localhost/"))
        uri = (struct rf_str){ uri.p + 9, uri.n - 9 };
    if (!uri.n || uri.p[0] != '/')
        return false;
    char *out = rf_arena_alloc(a, uri.n + 1);
    for (size_t i = 0; i < uri.n; i++) {
        int high = uri.p[i] == '%' && i + 2 < uri.n ? rf_hex_digit(uri.p[i + 1]) : -1;
        int low = high >= 0 ? rf_hex_digit(uri.p[i + 2]) : -1;
        out[n++] = low >= 0 ? (char)(high * 16 + low) : uri.p[i];
        i += low >= 0 ? 2 : 0;
    }
    *path = (struct rf_str){ out, n };
    return !memchr(out, '\0', n);
}

struct rf_str rf_mcp_uri_of_path(struct rf_str path, struct rf_arena *a)
{
    static const char plain[] = "-._~/!$&'()*+,;=:@";
    static const char digits[] = "0123456789ABCDEF";
    char *out = rf_arena_alloc(a, 7 + path.n * 3 + 1);
    size_t n = 7;
    memcpy(out, "file://", 7);
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        if (rf_is_alnum(c) || (c && strchr(plain, c))) {
            out[n++] = (char)c;
            continue;
        }
        out[n++] = '%';
        out[n++] = digits[c >> 4];
        out[n++] = digits[c & 15];
    }
    return (struct rf_str){ out, n };
}

/* Both sets */

bool rf_mcp_lies_in(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strcmp(folder, "/") == 0 ||
           (strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0'));
}

static const char *real_folder(struct rf_str path, struct rf_arena *a)
{
    char resolved[PATH_MAX];
    struct stat st;
    if (!realpath(rf_cstr(a, path), resolved) || stat(resolved, &st) != 0 || !S_ISDIR(st.st_mode))
        return NULL;
    return rf_cstr(a, rf_str(resolved));
}

static void keep(struct rf_mcp_roots *out, const char *folder)
{
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->folders[i], folder) == 0)
            return;
    if (out->count < MOST_ROOTS)
        out->folders[out->count++] = folder;
}

/* What lies in both a root of the client and one of ours. */
static void meet(const struct rf_mcp_server *s, const char *of_client, struct rf_mcp_roots *out)
{
    for (size_t i = 0; i < s->root_count; i++)
        if (rf_mcp_lies_in(of_client, s->roots[i]))
            keep(out, of_client);
        else if (rf_mcp_lies_in(s->roots[i], of_client))
            keep(out, s->roots[i]);
}

static void narrow(const struct rf_mcp_server *s, const struct rf_jval *list, struct rf_arena *a,
                   struct rf_mcp_roots *out)
{
    struct rf_str path;
    *out = (struct rf_mcp_roots){ (const char **)s->roots, s->root_count };
    if (rf_jval_type(list) != RF_JARRAY || !list->count)
        return;
    *out = (struct rf_mcp_roots){ RF_ARRAY(a, const char *, MOST_ROOTS), 0 };
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        const struct rf_jval *uri = rf_jval_get(v, "uri");
        const char *folder = NULL;
        if (uri && uri->type == RF_JSTRING && rf_mcp_path_of_uri(rf_jval_text(uri, a), a, &path))
            folder = real_folder(path, a);
        if (folder)
            meet(s, folder, out);
    }
}

void rf_mcp_roots_known(const struct rf_mcp_server *s, struct rf_str answer, struct rf_arena *a,
                        struct rf_mcp_roots *out)
{
    const struct rf_jval *root = NULL;
    if (answer.n && rf_jval_parse(answer, a, &root, NULL))
        root = NULL;
    narrow(s, rf_jval_get(root, "roots"), a, out);
}

bool rf_mcp_roots_of(struct rf_mcp_call *c, struct rf_mcp_roots *out)
{
    const struct rf_jval *answer = NULL;
    struct rf_err err = { 0 };
    if (c->client_roots.n || !rf_mcp_call_capability(c, "roots")) {
        rf_mcp_roots_known(c->server, c->client_roots, c->arena, out);
        return true;
    }
    enum rf_mcp_asked asked =
        rf_mcp_call_question(c, "roots", "roots/list", NULL, ANSWER_MS, &answer, &err);
    if (asked == RF_MCP_ASKED)
        return false;
    if (rf_jval_type(rf_jval_get(answer, "roots")) != RF_JARRAY) {
        rf_mcp_call_broken(
            c, rf_strf(c->arena, "The client did not name its roots, so no file is read: %s.",
                       asked == RF_MCP_REFUSED ? err.msg : "its answer has no list of them"));
        return false;
    }
    c->client_roots = rf_jval_compact(answer, c->arena);
    c->learned_roots = c->revision->era == RF_MCP_LEGACY;
    narrow(c->server, rf_jval_get(answer, "roots"), c->arena, out);
    return true;
}

/* Without roots of the client that did not come with the request: nothing but names is told. */
bool rf_mcp_roots_now(struct rf_mcp_call *c, struct rf_mcp_roots *out)
{
    if (c->revision->era == RF_MCP_LEGACY || rf_jval_get(c->rpc.params, "inputResponses"))
        return rf_mcp_roots_of(c, out);
    rf_mcp_roots_known(c->server, c->client_roots, c->arena, out);
    return true;
}

#define MOST_SAID \
    ((size_t)1000) /* bytes: hosts cut instructions that are longer than 2 KB in all */

struct rf_str rf_mcp_roots_words(const struct rf_mcp_roots *roots, struct rf_arena *a)
{
    struct rf_str out = RF_STR("");
    for (size_t i = 0; i < roots->count; i++) {
        if (i && out.n + strlen(roots->folders[i]) > MOST_SAID)
            return rf_str_join(a, out, RF_STR(" and others"));
        out = rf_strf(a, "%.*s%s%s", RF_FMT(out), i ? ", " : "", roots->folders[i]);
    }
    return out;
}

/* Choosing */

static bool is_there(const char *root, struct rf_str path, struct rf_arena *a)
{
    struct rf_str first = { path.p, 0 };
    struct stat st;
    while (first.n < path.n && path.p[first.n] != '/' && path.p[first.n] != '#')
        first.n++;
    return lstat(rf_strf(a, "%s/%.*s", root, RF_FMT(first)).p, &st) == 0;
}

static const char *root_around(const struct rf_mcp_roots *roots, const char *path)
{
    const char *best = NULL;
    for (size_t i = 0; i < roots->count; i++)
        if (rf_mcp_lies_in(path, roots->folders[i]) &&
            (!best || strlen(roots->folders[i]) > strlen(best)))
            best = roots->folders[i];
    return best;
}

bool rf_mcp_roots_hold(const struct rf_mcp_roots *roots, const char *path)
{
    char resolved[PATH_MAX];
    return root_around(roots, path) || (realpath(path, resolved) && root_around(roots, resolved));
}

const char *rf_mcp_root_for(const struct rf_mcp_roots *roots, struct rf_str path,
                            struct rf_arena *a, struct rf_str *absolute)
{
    char resolved[PATH_MAX];
    if (!roots->count)
        return NULL;
    if (rf_str_starts(path, "file://"))
        rf_mcp_path_of_uri(path, a, &path);
    if (rf_str_starts(path, "/")) {
        const char *root = root_around(roots, rf_cstr(a, path));
        if (!root && realpath(rf_cstr(a, path), resolved))
            root = root_around(roots, resolved);
        *absolute = path;
        return root ? root : roots->folders[0];
    }
    const char *chosen = roots->folders[0];
    for (size_t i = roots->count; i-- > 0;)
        if (is_there(roots->folders[i], path, a))
            chosen = roots->folders[i];
    *absolute = rf_strf(a, "%s/%.*s", strcmp(chosen, "/") == 0 ? "" : chosen, RF_FMT(path));
    return chosen;
}
