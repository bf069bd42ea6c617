#include "page/page.h"

static const struct rf_page_route routes[] = {
    { "GET", "/", RF_PAGE_AT_ONCE, rf_page_web, RF_PAGE_FOR_ALL },
    { "GET", "/page/web/*", RF_PAGE_AT_ONCE, rf_page_web, RF_PAGE_FOR_ALL },
    { "GET", "/page/me", RF_PAGE_AT_ONCE, rf_page_me, RF_PAGE_FOR_ALL },
    { "POST", "/page/login", RF_PAGE_AT_ONCE, rf_page_login, RF_PAGE_FOR_ALL },
    { "POST", "/page/logout", RF_PAGE_AT_ONCE, rf_page_logout, RF_PAGE_FOR_ALL },
    { "GET", "/page/events", RF_PAGE_STREAM, rf_page_events, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/requests", RF_PAGE_IN_THREAD, rf_page_requests, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/older", RF_PAGE_IN_THREAD, rf_page_older, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/requests/*", RF_PAGE_IN_THREAD, rf_page_request, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/requests/*/reply", RF_PAGE_STREAM, rf_page_reply, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/requests/*/bodies/*", RF_PAGE_IN_THREAD, rf_page_body, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/requests/*/files/*", RF_PAGE_IN_THREAD, rf_page_file, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/requests/*/thumbnails/*", RF_PAGE_IN_THREAD, rf_page_thumbnail,
      RF_PAGE_FOR_ADMINS },
    { "GET", "/page/requests/*/texts/*", RF_PAGE_IN_THREAD, rf_page_text, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/requests/*/models", RF_PAGE_IN_THREAD, rf_page_what_if, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/models", RF_PAGE_IN_THREAD, rf_page_models, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/sessions", RF_PAGE_IN_THREAD, rf_page_sessions, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/sessions/*", RF_PAGE_IN_THREAD, rf_page_session, RF_PAGE_FOR_ADMINS },
    { "GET", "/page/sessions/*/models", RF_PAGE_IN_THREAD, rf_page_session_models,
      RF_PAGE_FOR_ADMINS },
    { "GET", "/page/sessions/*/files/*", RF_PAGE_IN_THREAD, rf_page_session_file,
      RF_PAGE_FOR_ADMINS },
    { "GET", "/page/sessions/*/thumbnails/*", RF_PAGE_IN_THREAD, rf_page_session_thumbnail,
      RF_PAGE_FOR_ADMINS },
    { "GET", "/page/sessions/*/texts/*", RF_PAGE_IN_THREAD, rf_page_session_text,
      RF_PAGE_FOR_ADMINS },
    { "POST", "/page/sessions/*/drop/*", RF_PAGE_IN_THREAD, rf_page_session_drop,
      RF_PAGE_FOR_ADMINS },
    { "POST", "/page/sessions/*/keep/*", RF_PAGE_IN_THREAD, rf_page_session_keep,
      RF_PAGE_FOR_ADMINS },
    { "GET", "/page/sessions/*/export", RF_PAGE_IN_THREAD, rf_page_session_export,
      RF_PAGE_FOR_ADMINS },
    { "GET", "/page/overview", RF_PAGE_IN_THREAD, rf_page_overview, RF_PAGE_FOR_ADMINS },
};

/* Paths have no escapes: ids and names of files have no characters that need them. */
static bool fits(const char *pattern, struct rf_str path, struct rf_str words[RF_PAGE_MOST_WORDS])
{
    struct rf_str left = rf_str(pattern), want, got;
    size_t count = 0;
    while (rf_str_split(&left, '/', &want)) {
        if (!rf_str_split(&path, '/', &got))
            return false;
        if (rf_str_is(want, "*") && got.n && count < RF_PAGE_MOST_WORDS)
            words[count++] = got;
        else if (!rf_str_eq(want, got))
            return false;
    }
    return !rf_str_split(&path, '/', &got);
}

const struct rf_page_route *rf_page_find(struct rf_page_visit *v)
{
    const struct rf_httpd_request *r = v->request;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        struct rf_str words[RF_PAGE_MOST_WORDS] = { { "", 0 }, { "", 0 } };
        if (!rf_str_is(r->method, routes[i].method) || !fits(routes[i].path, r->path, words))
            continue;
        for (size_t k = 0; k < RF_PAGE_MOST_WORDS; k++)
            v->words[k] = rf_str_dup(v->arena, words[k]);
        return &routes[i];
    }
    return NULL;
}
