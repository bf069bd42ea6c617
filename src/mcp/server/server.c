/* The server: its settings, and its place on a loop. */
#include "mcp/server/fixtures.h"
#include "mcp/server/inside.h"

#include "base/bytes.h"
#include "base/thread.h"

#include <refract/config.h>
#include <refract/model.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Settings */

struct rf_mcp_options *rf_mcp_options_new(void)
{
    struct rf_mcp_options *o = calloc(1, sizeof *o);
    if (!o)
        RF_NO_MEMORY();
    return o;
}

static void free_strings(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

void rf_mcp_options_free(struct rf_mcp_options *o)
{
    if (!o)
        return;
    free_strings(o->roots, o->root_count);
    free(o->host);
    free(o);
}

static void add_string(char ***list, size_t *count, const char *value)
{
    char **longer = realloc(*list, (*count + 1) * sizeof *longer);
    if (!longer || !(longer[*count] = strdup(value)))
        RF_NO_MEMORY();
    *list = longer;
    (*count)++;
}

void rf_mcp_options_root(struct rf_mcp_options *o, const char *folder)
{
    add_string(&o->roots, &o->root_count, folder);
}

void rf_mcp_options_host(struct rf_mcp_options *o, const char *host)
{
    free(o->host);
    o->host = strdup(host);
    if (!o->host)
        RF_NO_MEMORY();
}

void rf_mcp_options_configure(struct rf_mcp_options *o, const struct rf_config *c)
{
    o->config = c;
}

void rf_mcp_options_no_cache(struct rf_mcp_options *o)
{
    o->no_cache = true;
}

void rf_mcp_options_conformance(struct rf_mcp_options *o)
{
    o->conformance = true;
}

/* The server */

static enum rf_code take_root(struct rf_mcp_server *s, const char *folder, struct rf_err *err)
{
    struct stat st;
    char *real = realpath(folder, NULL);
    enum rf_code rc = RF_OK;
    if (!real || stat(real, &st) != 0)
        rc = rf_fail(err, RF_ENOTFOUND, "--root: there is no folder \"%s\"", folder);
    else if (!S_ISDIR(st.st_mode))
        rc = rf_fail(err, RF_ENOTFOUND, "--root: \"%s\" is not a folder", folder);
    else
        add_string(&s->roots, &s->root_count, real);
    free(real);
    return rc;
}

/* Hosts that care for no folder start their servers in "/", which nobody has chosen. */
static enum rf_code take_working_folder(struct rf_mcp_server *s, struct rf_err *err)
{
    enum rf_code rc = take_root(s, ".", err);
    if (rc || strcmp(s->roots[0], "/") != 0)
        return rc;
    rf_fail(err, RF_EUSAGE, "the working folder is \"/\", and no folder was named");
    rf_hint(err, "Name the folders that may be read: --root DIR, once for each.");
    return RF_EUSAGE;
}

static enum rf_code take_roots(struct rf_mcp_server *s, const struct rf_mcp_options *o,
                               struct rf_err *err)
{
    enum rf_code rc = o->root_count ? RF_OK : take_working_folder(s, err);
    for (size_t i = 0; !rc && i < o->root_count; i++)
        rc = take_root(s, o->roots[i], err);
    return rc;
}

static enum rf_code take_host(struct rf_mcp_server *s, const char *host, struct rf_err *err)
{
    enum rf_code rc = host ? rf_host_check(host, err) : RF_OK;
    if (!rc && host && !(s->host = strdup(host)))
        RF_NO_MEMORY();
    return rc;
}

static void init_threads(struct rf_mcp_server *s)
{
    pthread_mutex_init(&s->lock, NULL);
    rf_cond_init(&s->work);
    rf_cond_init(&s->answer);
    rf_cond_init(&s->room);
    s->queue_end = &s->queue;
    s->post_end = &s->posts;
}

enum rf_code rf_mcp_server_new(const struct rf_mcp_options *o, struct rf_mcp_server **out,
                               struct rf_err *err)
{
    struct rf_mcp_server *s = calloc(1, sizeof *s);
    if (!s)
        RF_NO_MEMORY();
    s->wake[0] = s->wake[1] = -1;
    s->config = o->config;
    s->cache_folder = o->config && !o->no_cache ? rf_config_cache_folder(o->config) : NULL;
    if (o->conformance)
        rf_mcp_server_offer(s, &rf_mcp_fixtures);
    init_threads(s);
    enum rf_code rc = take_host(s, o->host, err);
    if (!rc)
        rc = take_roots(s, o, err);
    if (!rc && getrandom(s->seal, sizeof s->seal, 0) != (ssize_t)sizeof s->seal)
        rc = rf_fail_errno(err, "the system has no random numbers");
    if (!rc && pipe2(s->wake, O_CLOEXEC | O_NONBLOCK) != 0)
        rc = rf_fail_errno(err, "could not make a pipe");
    if (rc)
        rf_mcp_server_free(s);
    else
        *out = s;
    return rc;
}

/* What came back and nobody waits for. */
static void free_posts(struct rf_mcp_server *s)
{
    while (s->posts) {
        struct rf_mcp_post *p = s->posts;
        s->posts = p->next;
        if (p->kind == RF_MCP_POST_DONE)
            rf_mcp_call_free(p->call);
        free(p);
    }
    while (s->queue) {
        struct rf_mcp_call *c = s->queue;
        s->queue = c->queue_next;
        rf_mcp_call_free(c);
    }
}

void rf_mcp_server_free(struct rf_mcp_server *s)
{
    if (!s)
        return;
    if (s->peers)
        RF_BUG("a server is freed before its peers");
    rf_mcp_pool_end(s);
    free_posts(s);
    rf_mcp_watch_free(s);
    if (s->loop)
        rf_loop_watch(s->loop, s->wake[0], 0, NULL, NULL);
    for (size_t i = 0; i < 2; i++)
        if (s->wake[i] >= 0)
            close(s->wake[i]);
    pthread_cond_destroy(&s->work);
    pthread_cond_destroy(&s->answer);
    pthread_cond_destroy(&s->room);
    pthread_mutex_destroy(&s->lock);
    free_strings(s->roots, s->root_count);
    free(s->host);
    free(s);
}

void rf_mcp_server_offer(struct rf_mcp_server *s, const struct rf_mcp_offer *offer)
{
    s->offer = offer;
}

void rf_mcp_server_list_changed(struct rf_mcp_server *s, enum rf_mcp_list list)
{
    rf_mcp_post(s, RF_MCP_POST_LIST, NULL, list, RF_STR(""));
}

/* On the loop */

static void take_posts(void *server, int fd, int events)
{
    struct rf_mcp_server *s = server;
    char bytes[64];
    (void)events;
    while (read(fd, bytes, sizeof bytes) > 0)
        continue;
    pthread_mutex_lock(&s->lock);
    struct rf_mcp_post *p = s->posts;
    s->posts = NULL;
    s->post_end = &s->posts;
    s->post_bytes = 0;
    pthread_cond_broadcast(&s->room);
    pthread_mutex_unlock(&s->lock);
    while (p) {
        struct rf_mcp_post *next = p->next;
        rf_mcp_peer_deliver(s, p);
        free(p);
        p = next;
    }
}

enum rf_code rf_mcp_server_attach(struct rf_mcp_server *s, struct rf_loop *loop, struct rf_err *err)
{
    if (!rf_loop_watch(loop, s->wake[0], RF_LOOP_READ, take_posts, s))
        return rf_fail_errno(err, "could not wait for a pipe");
    s->loop = loop;
    return RF_OK;
}

void rf_mcp_server_pause(struct rf_mcp_server *s)
{
    rf_loop_watch(s->loop, s->wake[0], 0, NULL, NULL);
}

void rf_mcp_server_go_on(struct rf_mcp_server *s)
{
    rf_loop_watch(s->loop, s->wake[0], RF_LOOP_READ, take_posts, s);
}

void rf_mcp_server_detach(struct rf_mcp_server *s)
{
    rf_mcp_watch_free(s);
    rf_loop_watch(s->loop, s->wake[0], 0, NULL, NULL);
    s->loop = NULL;
}
