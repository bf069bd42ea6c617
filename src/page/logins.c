#include "page/logins.h"

#include "base/clock.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "gateway/front.h"
#include "net/form.h"
#include "page/page.h"

#define COOKIE "refract_page"
#define STAYS_S 43200

static void make_secret(char out[RF_PAGE_SECRET])
{
    char first[RF_MARK_SIZE], second[RF_MARK_SIZE];
    if (rf_mark_make(first, NULL) || rf_mark_make(second, NULL))
        RF_BUG("there are no random numbers");
    memcpy(out, first, RF_MARK_SIZE - 1);
    memcpy(out + RF_MARK_SIZE - 1, second, RF_MARK_SIZE);
}

void rf_page_logins_init(struct rf_page_logins *l)
{
    pthread_mutex_init(&l->lock, NULL);
    make_secret(l->token);
}

void rf_page_logins_release(struct rf_page_logins *l)
{
    pthread_mutex_destroy(&l->lock);
}

/* Secrets */

/* The port that was asked; empty: the usual one. */
static struct rf_str port_of(const struct rf_page_visit *v)
{
    struct rf_str host = rf_str(rf_httpd_header(v->request, "Host"));
    size_t from = host.n;
    while (from > 0 && rf_is_digit(host.p[from - 1]))
        from--;
    bool port = from > 0 && host.p[from - 1] == ':';
    return port ? (struct rf_str){ host.p + from, host.n - from } : RF_STR("");
}

/* Browsers keep cookies by host, whatever its port: each gateway of a host has its own, "_PORT". */
static bool is_own(const struct rf_page_visit *v, struct rf_str name)
{
    const struct rf_str common = RF_STR(COOKIE "_");
    return rf_str_starts(name, common.p) &&
           rf_str_eq((struct rf_str){ name.p + common.n, name.n - common.n }, port_of(v));
}

static struct rf_str cookie_of(const struct rf_page_visit *v)
{
    struct rf_str rest = rf_str(rf_httpd_header(v->request, "Cookie")), one, name;
    while (rf_str_split(&rest, ';', &one)) {
        one = rf_str_trim(one);
        if (rf_str_split(&one, '=', &name) && is_own(v, name))
            return one;
    }
    return RF_STR("");
}

static struct rf_login *find_login(struct rf_page_logins *l, struct rf_str secret)
{
    for (struct rf_login *one = l->items; one < l->items + RF_PAGE_MOST_LOGINS; one++)
        if (one->until_ms > rf_now_ms() && rf_secret_eq(secret, rf_str(one->secret)))
            return one;
    return NULL;
}

/* Is it the hash of an admin's key that is in force? */
static bool is_admin(const struct rf_page_visit *v, const uint8_t digest[RF_CLIENT_KEY_DIGEST])
{
    struct rf_key_holder who = rf_keyring_find_digest(v->page->host->keyring, digest);
    bool admin = who.key && who.key->admin;
    rf_keyring_drop(&who);
    return admin;
}

static bool is_logged_in(struct rf_page_visit *v)
{
    struct rf_page_logins *l = &v->page->logins;
    uint8_t key[RF_CLIENT_KEY_DIGEST];
    pthread_mutex_lock(&l->lock);
    const struct rf_login *login = find_login(l, cookie_of(v));
    if (login)
        memcpy(key, login->key, sizeof key);
    pthread_mutex_unlock(&l->lock);
    return login && is_admin(v, key);
}

bool rf_page_still_admits(struct rf_page_visit *v)
{
    return !v->page->host->keyring->asks || is_logged_in(v);
}

/* Where it comes from */

static struct rf_front_here here_of(const struct rf_page_visit *v, char address[RF_HTTPD_PEER])
{
    return (struct rf_front_here){ rf_httpd_reached(v->request, address), v->page->host->tls };
}

/* Does the Origin name the host that was asked? */
static bool is_own_origin(const struct rf_page_visit *v)
{
    struct rf_str host = rf_str(rf_httpd_header(v->request, "Host")), origin;
    char address[RF_HTTPD_PEER];
    const struct rf_front_here here = here_of(v, address);
    return rf_front_origin(v->request, &here, &origin) && (!origin.n || rf_str_eq(origin, host));
}

/* A browser says where a request comes from: another site may lead here, and ask for nothing. */
static bool is_from_elsewhere(const struct rf_page_visit *v)
{
    struct rf_str site = rf_str(rf_httpd_header(v->request, "Sec-Fetch-Site"));
    bool front = rf_str_is(v->request->path, "/");
    return !is_own_origin(v) ||
           (site.n && !front && !rf_str_is(site, "same-origin") && !rf_str_is(site, "none"));
}

static bool has_token(const struct rf_page_visit *v)
{
    return rf_secret_eq(rf_str(rf_httpd_header(v->request, "x-refract-token")),
                        rf_str(v->page->logins.token));
}

static void turn_away(struct rf_page_visit *v, int status, const char *why)
{
    rf_page_refuse(v, status, rf_str(why));
    if (v->loop->refused)
        v->loop->refused(v->loop, v->request->path, status, rf_str(why));
}

bool rf_page_admits(struct rf_page_visit *v)
{
    bool asks = v->page->host->keyring->asks;
    char address[RF_HTTPD_PEER];
    const struct rf_front_here here = here_of(v, address);
    const char *stranger = asks ? NULL : rf_front_stranger(v->request, &here);
    bool open = v->route && v->route->access == RF_PAGE_FOR_ALL;
    if (!stranger && is_from_elsewhere(v))
        stranger = "pages of another site may not ask here";
    if (!stranger && rf_str_is(v->request->method, "POST") && !has_token(v))
        stranger = "what changes something needs the token of this page";
    if (stranger)
        turn_away(v, 403, stranger);
    else if (!open && !rf_page_still_admits(v))
        turn_away(v, 401, "this page needs an admin's key");
    return !v->type;
}

/* Coming and going */

/* Who looks, and what the page needs to know before anything else. */
void rf_page_me(struct rf_page_visit *v)
{
    struct rf_json *w = rf_page_json(v);
    rf_json_obj(w, NULL);
    rf_json_bool(w, "admitted", rf_page_still_admits(v));
    rf_json_bool(w, "gateway", v->page->host->health != NULL);
    rf_json_bool(w, "keys", v->page->host->keyring->asks);
    rf_json_str(w, "token", rf_str(v->page->logins.token));
    rf_json_end(w);
    rf_page_json_end(v, w);
}

static void set_cookie(struct rf_page_visit *v, const char *secret, int stays_s)
{
    struct rf_str cookie =
        rf_strf(v->arena, COOKIE "_%.*s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s",
                RF_FMT(port_of(v)), secret, stays_s, v->page->host->tls ? "; Secure" : "");
    rf_page_header(v, "set-cookie", cookie.p);
    v->type = "application/json";
    v->out = RF_STR("{}");
}

static void let_in(struct rf_page_visit *v, const uint8_t key[RF_CLIENT_KEY_DIGEST])
{
    struct rf_page_logins *l = &v->page->logins;
    char secret[RF_PAGE_SECRET];
    make_secret(secret);
    pthread_mutex_lock(&l->lock);
    struct rf_login *oldest = &l->items[0];
    for (size_t i = 1; i < RF_PAGE_MOST_LOGINS; i++)
        if (l->items[i].until_ms < oldest->until_ms)
            oldest = &l->items[i];
    memcpy(oldest->secret, secret, sizeof secret);
    memcpy(oldest->key, key, sizeof oldest->key);
    oldest->until_ms = rf_now_ms() + (int64_t)STAYS_S * 1000;
    pthread_mutex_unlock(&l->lock);
    set_cookie(v, secret, STAYS_S);
}

/* "key=rfk_…" */
void rf_page_login(struct rf_page_visit *v)
{
    uint8_t digest[RF_CLIENT_KEY_DIGEST];
    struct rf_str sent = { v->body.p, v->body.n };
    const struct rf_str *key = rf_form_get(sent, "key", v->arena);
    struct rf_err err = { 0 };
    if (!key || rf_sha256_of(*key, digest, &err))
        rf_page_refuse(v, 400, RF_STR("there is no key in this"));
    else if (!is_admin(v, digest))
        turn_away(v, 403, "this is not an admin's key");
    else
        let_in(v, digest);
}

void rf_page_logout(struct rf_page_visit *v)
{
    struct rf_page_logins *l = &v->page->logins;
    pthread_mutex_lock(&l->lock);
    struct rf_login *login = find_login(l, cookie_of(v));
    if (login)
        *login = (struct rf_login){ .until_ms = 0 };
    pthread_mutex_unlock(&l->lock);
    set_cookie(v, "", 0);
}
