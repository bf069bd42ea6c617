/* Calls through libcurl's multi-socket interface. libcurl says which descriptors and which moment
 * it waits for, the loop of the thread has it called when they come, and its connections stay for
 * the next call. For the calls of direct.c it makes the connections.
 *
 * libcurl may not be called by what it calls. So a call that is started or cancelled by a callback
 * waits until libcurl has returned: `inside` tells, and `fresh` and `dropped` hold them. */
#include "net/inside.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/thread.h"
#include "net/multi.h"
#include "net/proxy.h"
#include "net/transfer.h"

#include <fcntl.h>
#include <stdlib.h>

#define KEPT_CONNECTIONS 64
#define KEPT_HANDLES 32 /* for the next calls: they remember sessions of TLS */

struct rf_multi {
    struct rf_net *net;
    CURLM *curl;
    struct rf_timer timer; /* libcurl's */
    struct rf_transfer *all, *fresh, *dropped;
    unsigned inside;
    CURL *handles[KEPT_HANDLES]; /* that nobody uses */
    size_t handle_count;
    struct rf_links links;
};

/* Transfers */

static CURL *take_handle(struct rf_multi *m)
{
    CURL *easy = m->handle_count ? m->handles[--m->handle_count] : rf_curl.easy_init();
    if (!easy)
        RF_NO_MEMORY();
    return easy;
}

static void leave_handle(struct rf_multi *m, CURL *easy)
{
    if (!easy)
        return;
    if (m->handle_count == KEPT_HANDLES) {
        rf_curl.easy_cleanup(easy);
        return;
    }
    rf_curl.easy_reset(easy);
    m->handles[m->handle_count++] = easy;
}

static struct rf_str redirect_url(struct rf_transfer *t)
{
    const char *url = NULL;
    rf_curl.easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &url);
    return rf_str_dup(t->arena, rf_str(url));
}

static void forget(struct rf_transfer **list, const struct rf_transfer *t)
{
    while (*list && *list != t)
        list = &(*list)->next_waiting;
    if (*list)
        *list = t->next_waiting;
}

static void take_from_libcurl(struct rf_multi *m, struct rf_transfer *t)
{
    if (t->added)
        rf_curl.multi_remove_handle(m->curl, t->easy);
    leave_handle(m, t->easy);
    t->added = false;
    t->easy = NULL;
}

static void transfer_free(struct rf_multi *m, struct rf_transfer *t)
{
    take_from_libcurl(m, t);
    rf_timer_clear(t->loop, &t->timer);
    if (t->is_direct)
        rf_direct_release(t);
    rf_transfer_release(t);
    *t->at = t->next;
    if (t->next)
        t->next->at = t->at;
    free(t);
}

/* Its caller may do anything then, also start the next one. */
static void transfer_end(struct rf_multi *m, struct rf_transfer *t, enum rf_code rc,
                         const struct rf_err *err)
{
    const struct rf_net_call call = t->call;
    if (!t->is_direct)
        t->reply->redirect = redirect_url(t);
    transfer_free(m, t);
    if (call.done)
        call.done(call.done_ctx, rc, err);
}

static void on_late(void *ctx)
{
    struct rf_transfer *t = ctx;
    struct rf_err err = { 0 };
    enum rf_code rc = rf_transfer_check_time(t, &err);
    if (rc)
        transfer_end(t->net->multi, t, rc, &err);
    else
        rf_transfer_arm(t); /* something moved meanwhile */
}

static struct rf_transfer *transfer_new(struct rf_net *n, const struct rf_net_call *call,
                                        const char *proxy, struct rf_arena *a,
                                        struct rf_net_reply *reply)
{
    struct rf_multi *m = n->multi;
    struct rf_transfer *t = calloc(1, sizeof *t);
    if (!t)
        RF_NO_MEMORY();
    t->net = n;
    t->loop = &n->loop;
    t->call = *call;
    t->proxy = proxy;
    t->arena = a;
    t->reply = reply;
    t->began_ms = t->moved_ms = rf_loop_now_ms(t->loop);
    t->timer = (struct rf_timer){ .due = on_late, .ctx = t };
    t->next = m->all;
    t->at = &m->all;
    if (t->next)
        t->next->at = &t->next;
    m->all = t;
    return t;
}

/* libcurl */

static enum rf_code fail_multi(CURLMcode code, struct rf_err *err)
{
    return rf_fail(err, RF_EINTERNAL, "libcurl failed: %s", rf_curl.multi_strerror(code));
}

static CURLMcode add(struct rf_multi *m, struct rf_transfer *t)
{
    CURLMcode rc = rf_curl.multi_add_handle(m->curl, t->easy);
    t->added = !rc;
    return rc;
}

static void take_dropped(struct rf_multi *m)
{
    while (m->dropped) {
        struct rf_transfer *t = m->dropped;
        m->dropped = t->next_waiting;
        transfer_free(m, t);
    }
}

static void take_fresh(struct rf_multi *m)
{
    while (m->fresh) {
        struct rf_transfer *t = m->fresh;
        struct rf_err err = { 0 };
        m->fresh = t->next_waiting;
        CURLMcode rc = add(m, t);
        if (rc)
            transfer_end(m, t, fail_multi(rc, &err), &err);
    }
}

/* libcurl closes its descriptor of a connection that it does not use itself. While that is watched,
 * ours would be, too, under its number. */
static void take_connection(struct rf_multi *m, struct rf_transfer *t)
{
    curl_socket_t socket = CURL_SOCKET_BAD;
    struct rf_err err = { 0 };
    enum rf_code rc = RF_OK;
    rf_curl.easy_getinfo(t->easy, CURLINFO_ACTIVESOCKET, &socket);
    rf_loop_watch(t->loop, socket, 0, NULL, NULL);
    int fd = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        rc = rf_fail_errno(&err, "a connection cannot be used");
    take_from_libcurl(m, t);
    if (rc)
        transfer_end(m, t, rc, &err);
    else
        rf_direct_connected(t, fd);
}

void rf_multi_settle(struct rf_multi *m)
{
    take_dropped(m);
    take_fresh(m);
}

static void take_ended(struct rf_multi *m)
{
    const CURLMsg *msg;
    int left;
    while ((msg = rf_curl.multi_info_read(m->curl, &left))) {
        struct rf_transfer *t = NULL;
        struct rf_err err = { 0 };
        CURLcode code = msg->data.result;
        if (msg->msg != CURLMSG_DONE ||
            rf_curl.easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &t) || !t || t->dropped)
            continue;
        if (t->is_direct && !code) {
            take_connection(m, t);
            continue;
        }
        m->inside++;
        if (!code)
            rf_transfer_end(t);
        m->inside--;
        if (!t->dropped)
            transfer_end(m, t, rf_transfer_outcome(t, code, &err), &err);
    }
    rf_multi_settle(m);
}

/* `fd` is ready, or the time has come (CURL_SOCKET_TIMEOUT). */
static void act(struct rf_multi *m, curl_socket_t fd, int events)
{
    int running;
    m->inside++;
    rf_curl.multi_socket_action(m->curl, fd, events, &running);
    m->inside--;
    take_ended(m);
}

static void on_ready(void *ctx, int fd, int events)
{
    act(ctx, fd,
        (events & RF_LOOP_READ ? CURL_CSELECT_IN : 0) |
            (events & RF_LOOP_WRITE ? CURL_CSELECT_OUT : 0));
}

static void on_time(void *ctx)
{
    act(ctx, CURL_SOCKET_TIMEOUT, 0);
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *unused)
{
    struct rf_multi *m = ctx;
    int events = what == CURL_POLL_REMOVE ? 0
                                          : (what & CURL_POLL_IN ? RF_LOOP_READ : 0) |
                                                (what & CURL_POLL_OUT ? RF_LOOP_WRITE : 0);
    struct rf_transfer *t = NULL;
    (void)unused;
    if (rf_loop_watch(&m->net->loop, fd, events, on_ready, m))
        return 0;
    rf_curl.easy_getinfo(easy, CURLINFO_PRIVATE, &t);
    if (t) {
        t->unwatched = true;
        rf_timer_set(t->loop, &t->timer, 0);
    }
    return 0; /* anything else would end all calls */
}

static int set_timer(CURLM *curl, long timeout_ms, void *ctx)
{
    struct rf_multi *m = ctx;
    (void)curl;
    if (timeout_ms < 0)
        rf_timer_clear(&m->net->loop, &m->timer);
    else
        rf_timer_set(&m->net->loop, &m->timer, rf_now_ms() + timeout_ms);
    return 0;
}

static struct rf_multi *multi_new(struct rf_net *n)
{
    struct rf_multi *m = calloc(1, sizeof *m);
    if (!m || !(m->curl = rf_curl.multi_init()))
        RF_NO_MEMORY();
    m->net = n;
    m->timer = (struct rf_timer){ .due = on_time, .ctx = m };
    rf_links_init(&m->links, &n->loop, rf_direct_ready);
    rf_curl.multi_setopt(m->curl, CURLMOPT_MAXCONNECTS, (long)KEPT_CONNECTIONS);
    rf_curl.multi_setopt(m->curl, CURLMOPT_SOCKETFUNCTION, watch_socket);
    rf_curl.multi_setopt(m->curl, CURLMOPT_SOCKETDATA, m);
    rf_curl.multi_setopt(m->curl, CURLMOPT_TIMERFUNCTION, set_timer);
    rf_curl.multi_setopt(m->curl, CURLMOPT_TIMERDATA, m);
    return m;
}

void rf_multi_free(struct rf_multi *m)
{
    struct rf_quiet quiet;
    if (!m)
        return;
    rf_quiet_begin(&quiet);
    while (m->all)
        transfer_free(m, m->all);
    rf_links_release(&m->links);
    while (m->handle_count)
        rf_curl.easy_cleanup(m->handles[--m->handle_count]);
    rf_curl.multi_cleanup(m->curl);
    rf_timer_clear(&m->net->loop, &m->timer);
    rf_quiet_end(&quiet);
    free(m);
}

/* For direct.c */

struct rf_links *rf_multi_links(struct rf_multi *m)
{
    return &m->links;
}

void rf_multi_enter(struct rf_multi *m)
{
    m->inside++;
}

void rf_multi_leave(struct rf_multi *m)
{
    m->inside--;
}

void rf_multi_connect(struct rf_transfer *t)
{
    struct rf_multi *m = t->net->multi;
    struct rf_err err = { 0 };
    t->easy = take_handle(m);
    enum rf_code rc = rf_transfer_set_up_connection(t, &err);
    CURLMcode added = rc ? CURLM_OK : add(m, t);
    if (added)
        rc = fail_multi(added, &err);
    if (rc)
        transfer_end(m, t, rc, &err);
}

void rf_multi_end(struct rf_transfer *t, enum rf_code rc, const struct rf_err *err)
{
    transfer_end(t->net->multi, t, rc, err);
}

/* Loading */

static void *load(void *nothing)
{
    (void)!rf_curl_load(NULL);
    return nothing;
}

void rf_net_prepare(struct rf_net *n)
{
    if (n->prepares || n->multi)
        return;
    n->prepares = !rf_thread_start(&n->preparation, load, NULL, NULL);
}

/* Calls */

static enum rf_code prepare(struct rf_net *n, struct rf_err *err)
{
    enum rf_code rc = rf_curl_load(err);
    if (rc)
        return rc;
    if (rf_loop_fd(&n->loop) < 0) {
        rc = rf_fail(err, RF_EIO, "the network cannot be waited for: no descriptor is left");
        rf_hint(err, "Raise the limit of open files.");
        return rc;
    }
    if (!n->multi)
        n->multi = multi_new(n);
    return RF_OK;
}

static enum rf_code start_with_libcurl(struct rf_multi *m, struct rf_transfer *t,
                                       struct rf_err *err)
{
    t->easy = take_handle(m);
    enum rf_code rc = rf_transfer_set_up(t, err);
    if (rc)
        return rc;
    if (m->inside) {
        t->next_waiting = m->fresh;
        m->fresh = t;
        return RF_OK;
    }
    CURLMcode added = add(m, t);
    return added ? fail_multi(added, err) : RF_OK;
}

enum rf_code rf_net_start(struct rf_net *n, const struct rf_net_call *call, struct rf_arena *a,
                          struct rf_net_reply *reply, struct rf_transfer **out, struct rf_err *err)
{
    *reply = (struct rf_net_reply){ .retry_after_ms = -1 };
    enum rf_code rc = prepare(n, err);
    const char *proxy = call->may_connect ? NULL : rf_proxy_of(call->url, a);
    if (!rc && proxy && !call->plain_proxy)
        rc = rf_proxy_check_plain(call->url, a, err);
    if (rc)
        return rc;
    struct rf_multi *m = n->multi;
    struct rf_transfer *t = transfer_new(n, call, proxy, a, reply);
    struct rf_web_place place;
    rc = rf_direct_fits(call, proxy, &place) ? rf_direct_start(t, &place, err)
                                             : start_with_libcurl(m, t, err);
    if (rc) {
        transfer_free(m, t);
        return rc;
    }
    rf_transfer_arm(t);
    *out = t;
    return RF_OK;
}

/* libcurl hands on what it holds while it is told to go on; whatever ends by that is seen to in the
 * next step. */
static void let_receive(struct rf_transfer *t, bool goes_on)
{
    struct rf_multi *m = t->net->multi;
    t->paused = !goes_on;
    t->moved_ms = rf_loop_now_ms(t->loop);
    rf_transfer_arm(t);
    if (t->is_direct && goes_on && !t->dropped)
        rf_direct_resume(t);
    if (t->is_direct || !t->added || t->dropped)
        return;
    m->inside++;
    rf_curl.easy_pause(t->easy, goes_on ? CURLPAUSE_CONT : CURLPAUSE_RECV);
    m->inside--;
    if (goes_on)
        rf_timer_set(&m->net->loop, &m->timer, rf_now_ms());
}

void rf_net_pause(struct rf_transfer *t)
{
    if (!t->paused)
        let_receive(t, false);
}

void rf_net_resume(struct rf_transfer *t)
{
    if (t->paused)
        let_receive(t, true);
}

void rf_net_cancel(struct rf_transfer *t)
{
    struct rf_multi *m = t->net->multi;
    struct rf_quiet quiet;
    forget(&m->fresh, t);
    if (m->inside) {
        t->dropped = true;
        rf_timer_clear(t->loop, &t->timer);
        t->next_waiting = m->dropped;
        m->dropped = t;
        return;
    }
    rf_quiet_begin(&quiet);
    transfer_free(m, t);
    rf_quiet_end(&quiet);
}
