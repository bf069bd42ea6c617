/* Files that clients follow, by inotify. The folder is watched and not the file, since editors put
 * a new file in the place of the old one. Changes are told together, a moment after the first. */
#include "mcp/server/inside.h"

#include "base/clock.h"

#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#define PAUSE_MS 20
#define CHANGES (IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)

const bool rf_mcp_can_watch = true;

struct followed {
    struct followed *next;
    int folder; /* its watch */
    size_t clients;
    bool changed;
    char *name, *uri;
};

struct rf_mcp_watch {
    int fd;
    struct followed *files;
    struct rf_timer timer;
};

static void tell(void *server)
{
    struct rf_mcp_server *s = server;
    for (struct followed *f = s->watch->files; f; f = f->next) {
        if (f->changed)
            rf_mcp_tell_updated(s, rf_str(f->uri));
        f->changed = false;
    }
}

/* An overflow may have been about any of them. */
static void mark(struct rf_mcp_watch *w, const struct inotify_event *e)
{
    for (struct followed *f = w->files; f; f = f->next)
        if ((e->mask & IN_Q_OVERFLOW) ||
            (e->wd == f->folder && e->len && strcmp(e->name, f->name) == 0))
            f->changed = true;
}

static void ready(void *server, int fd, int events)
{
    struct rf_mcp_server *s = server;
    _Alignas(struct inotify_event) char buffer[8192];
    ssize_t n = read(fd, buffer, sizeof buffer);
    (void)events;
    for (ssize_t at = 0; at < n;) {
        const struct inotify_event *e = (const void *)(buffer + at);
        mark(s->watch, e);
        at += (ssize_t)(sizeof *e + e->len);
    }
    if (n > 0 && !s->watch->timer.place)
        rf_timer_set(s->loop, &s->watch->timer, rf_now_ms() + PAUSE_MS);
}

static struct rf_mcp_watch *watch_of(struct rf_mcp_server *s)
{
    if (s->watch)
        return s->watch;
    struct rf_mcp_watch *w = calloc(1, sizeof *w);
    if (!w)
        RF_NO_MEMORY();
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    w->timer = (struct rf_timer){ .due = tell, .ctx = s };
    if (w->fd >= 0 && rf_loop_watch(s->loop, w->fd, RF_LOOP_READ, ready, s))
        return s->watch = w;
    if (w->fd >= 0)
        close(w->fd);
    free(w);
    return NULL;
}

static struct followed *find(struct rf_mcp_watch *w, struct rf_str uri)
{
    for (struct followed *f = w->files; f; f = f->next)
        if (rf_str_is(uri, f->uri))
            return f;
    return NULL;
}

bool rf_mcp_watch_add(struct rf_mcp_server *s, const char *path, struct rf_str uri)
{
    struct rf_mcp_watch *w = watch_of(s);
    const char *slash = strrchr(path, '/');
    struct followed *f = w ? find(w, uri) : NULL;
    if (f) {
        f->clients++;
        return true;
    }
    if (!w || !slash)
        return false;
    char *folder = strndup(path, slash > path ? (size_t)(slash - path) : 1);
    f = calloc(1, sizeof *f);
    if (!folder || !f || !(f->name = strdup(slash + 1)) || !(f->uri = strndup(uri.p, uri.n)))
        RF_NO_MEMORY();
    f->folder = inotify_add_watch(w->fd, folder, CHANGES | IN_ONLYDIR);
    f->clients = 1;
    f->next = w->files;
    w->files = f;
    free(folder);
    if (f->folder >= 0)
        return true;
    rf_mcp_watch_remove(s, uri);
    return false;
}

static bool is_used(const struct rf_mcp_watch *w, int folder)
{
    for (const struct followed *f = w->files; f; f = f->next)
        if (f->folder == folder)
            return true;
    return false;
}

void rf_mcp_watch_remove(struct rf_mcp_server *s, struct rf_str uri)
{
    struct rf_mcp_watch *w = s->watch;
    struct followed *f = w ? find(w, uri) : NULL;
    struct followed **at = w ? &w->files : NULL;
    if (!f || --f->clients)
        return;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    if (f->folder >= 0 && !is_used(w, f->folder))
        inotify_rm_watch(w->fd, f->folder);
    free(f->name);
    free(f->uri);
    free(f);
}

void rf_mcp_watch_free(struct rf_mcp_server *s)
{
    if (!s->watch)
        return;
    rf_timer_clear(s->loop, &s->watch->timer);
    rf_loop_watch(s->loop, s->watch->fd, 0, NULL, NULL);
    close(s->watch->fd);
    free(s->watch);
    s->watch = NULL;
}
