/* Fetching, end to end. This program has its own idea of which addresses are outside (127.0.0.2 and
 * .3), so that a server on the loopback can play the world; test_reach.c has the real one. */
#include "net/fetch.h"

#include "server.h"

#include "net/reach.h"

#include <dirent.h>

#define MAX_BYTES ((uint64_t)50 << 20)

enum rf_ring rf_ring_of(const void *address)
{
    const struct sockaddr_in *v4 = address;
    uint32_t ip = ntohl(v4->sin_addr.s_addr);
    bool outside = v4->sin_family == AF_INET && (ip == 0x7f000002 || ip == 0x7f000003);
    return outside ? RF_RING_OUTSIDE : RF_RING_HERE;
}

struct world {
    struct rf_arena *arena;
    struct rf_net *net;
    const char *folder;
    struct rf_config config;
    struct rf_fetched got;
    struct rf_err err;
    const char *refuses; /* this host; or NULL */
    struct rf_str asked; /* "HOST URL" of all that somebody was asked about, a line each */
};

static bool may_visit(void *ctx, struct rf_str host, struct rf_str url)
{
    struct world *w = ctx;
    w->asked = rf_strf(w->arena, "%.*s%.*s %.*s\n", RF_FMT(w->asked), RF_FMT(host), RF_FMT(url));
    return !w->refuses || !rf_str_is(host, w->refuses);
}

static struct world world_new(void)
{
    struct world w = { .arena = rf_arena_new(), .net = rf_net_new(), .config = { .fetch = true } };
    w.folder = scratch_new(w.arena);
    return w;
}

static void world_release(struct world *w)
{
    scratch_remove(w->folder);
    rf_net_free(w->net);
    rf_arena_free(w->arena);
}

static size_t files_in(const char *folder)
{
    DIR *d = opendir(folder);
    size_t n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static enum rf_code fetch(struct world *w, struct rf_str url)
{
    const struct rf_fetching fetching = {
        .config = &w->config,
        .url = url,
        .folder = w->folder,
        .cancel_fd = -1,
        .may_visit = may_visit,
        .ctx = w,
    };
    return rf_fetch(w->net, &fetching, w->arena, &w->got, &w->err);
}

static struct rf_str url_of(struct world *w, const struct server *s, const char *path)
{
    return rf_strf(w->arena, "http://127.0.0.2:%d%s", s->port, path);
}

static void keeps_what_it_fetched(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { "HTTP/1.1 302 Go\r\nLocation: /b.png\r\nContent-Length: 0\r\n\r\n", KEEP },
        { "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\nhello", KEEP }
    };
    struct server *s = server_start("127.0.0.2", answers, 2);
    struct world w = world_new();
    struct stat st;
    char bytes[8] = { 0 };
    assert_int_equal(fetch(&w, url_of(&w, s, "/a.png")), RF_OK);
    assert_int_equal(w.got.size, 5);
    assert_str(w.got.content_type, "image/png");
    assert_true(rf_str_eq(w.got.final_url, url_of(&w, s, "/b.png")));
    assert_int_equal(stat(w.got.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    int fd = open(w.got.path, O_RDONLY);
    assert_int_equal(read(fd, bytes, sizeof bytes), 5);
    assert_string_equal(bytes, "hello");
    close(fd);
    /* Nothing of ours goes along. */
    assert_null(strcasestr(s->seen[0].head, "authorization"));
    assert_null(strcasestr(s->seen[0].head, "cookie"));
    assert_null(strcasestr(s->seen[1].head, "referer"));
    world_release(&w);
    server_stop(s);
}

static const struct refused {
    const char *name;
    struct answer answer;
    enum rf_code code;
    const char *words;
    size_t requests;
} refused_rows[] = {
    { "what is not there",
      { "HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\nhello", KEEP },
      RF_EPROVIDER,
      "404",
      1 },
    { "what has no end", { "HTTP/1.1 200 OK\r\n\r\n", GO_ON }, RF_ELIMIT, "52428800", 1 },
    { "what breaks off",
      { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel", CLOSE },
      RF_EPROVIDER,
      "broke off",
      1 },
    { "what leads on for ever",
      { "HTTP/1.1 302 Go\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", KEEP },
      RF_EPROVIDER,
      "redirects",
      11 },
    { "what leads to this machine",
      { "HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n", KEEP },
      RF_EPERMISSION,
      "may not be reached",
      1 },
    { "what leads to it by a number",
      { "HTTP/1.1 307 Go\r\nLocation: http://2130706433:9/\r\nContent-Length: 0\r\n\r\n", KEEP },
      RF_EPERMISSION,
      "may not be reached",
      1 },
    { "what leads to it after a name",
      { "HTTP/1.1 301 Go\r\nLocation: //127.0.0.2@127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
        KEEP },
      RF_EPERMISSION,
      "leads to something",
      1 },
    { "what leads to a file",
      { "HTTP/1.1 302 Go\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", KEEP },
      RF_EPERMISSION,
      "leads to something",
      1 },
    { "what leads nowhere",
      { "HTTP/1.1 302 Go\r\nContent-Length: 0\r\n\r\n", KEEP },
      RF_EPROVIDER,
      "302",
      1 },
    { "what leads on with words that have no end",
      { "HTTP/1.1 302 Go\r\nLocation: /x\r\n\r\n", GO_ON },
      RF_ELIMIT,
      "52428800",
      1 },
    { "a page in place of a file",
      { "HTTP/1.1 206 Part\r\nContent-Length: 5\r\n\r\nhello", KEEP },
      RF_EPROVIDER,
      "206",
      1 },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    struct server *s = server_start("127.0.0.2", &row->answer, 1);
    struct world w = world_new();
    assert_int_equal(fetch(&w, url_of(&w, s, "/")), row->code);
    assert_non_null(strstr(w.err.msg, row->words));
    assert_true(w.err.hint[0]);
    assert_int_equal(files_in(w.folder), 0);
    assert_int_equal(server_requests(s), row->requests);
    world_release(&w);
    server_stop(s);
}

static void takes_fifty_megabytes_and_no_more(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { "HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\nConnection: close\r\n\r\n", GO_ON },
        { "HTTP/1.1 200 OK\r\nContent-Length: 52428801\r\nConnection: close\r\n\r\n", GO_ON },
    };
    struct server *s = server_start("127.0.0.2", answers, 2);
    struct world w = world_new();
    assert_int_equal(fetch(&w, url_of(&w, s, "/")), RF_OK);
    assert_int_equal(w.got.size, MAX_BYTES);
    assert_int_equal(unlink(w.got.path), 0);
    assert_int_equal(fetch(&w, url_of(&w, s, "/")), RF_ELIMIT);
    assert_int_equal(files_in(w.folder), 0);
    world_release(&w);
    server_stop(s);
}

static void fetches_only_where_it_may(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.2", answers, 1);
    struct world w = world_new();
    w.config.fetch = false;
    assert_int_equal(fetch(&w, url_of(&w, s, "/")), RF_EPERMISSION);
    assert_non_null(strstr(w.err.hint, "fetch: true"));
    const struct rf_fetching nobody = { .url = url_of(&w, s, "/"), .folder = w.folder };
    assert_int_equal(rf_fetch(w.net, &nobody, w.arena, &w.got, &w.err), RF_EPERMISSION);
    assert_int_equal(server_connections(s), 0);
    assert_int_equal(w.asked.n, 0);
    world_release(&w);
    server_stop(s);
}

static void stops_at_once(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.2", answers, 1);
    struct world w = world_new();
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    const struct rf_fetching fetching = { .config = &w.config,
                                          .url = url_of(&w, s, "/"),
                                          .folder = w.folder,
                                          .cancel_fd = ends[0],
                                          .may_visit = may_visit,
                                          .ctx = &w };
    assert_int_equal(rf_fetch(w.net, &fetching, w.arena, &w.got, &w.err), RF_EINTERRUPTED);
    assert_int_equal(files_in(w.folder), 0);
    close(ends[0]);
    close(ends[1]);
    world_release(&w);
    server_stop(s);
}

/* Whom it is fetched from. */

#define FIRST "127.0.0.2"
#define OTHER "127.0.0.3"

static const struct visit {
    const char *name, *listed; /* hosts of the configuration, with commas */
    const char *refuses;
    const char *asked; /* the hosts that somebody is asked about */
    enum rf_code code;
    size_t requests;
} visits[] = {
    { "a new host is asked about", "", NULL, FIRST " " OTHER, RF_OK, 3 },
    { "and may be refused", "", FIRST, FIRST, RF_EPERMISSION, 0 },
    { "so may one that it leads to", "", OTHER, FIRST " " OTHER, RF_EPERMISSION, 2 },
    { "one that is listed is not asked about", FIRST, NULL, OTHER, RF_OK, 3 },
    { "nor are two", "a.b," FIRST "," OTHER, NULL, "", RF_OK, 3 },
    { "nor is one below", "*.0.0.2," OTHER, NULL, "", RF_OK, 3 },
    { "nor is any", "*", NULL, "", RF_OK, 3 },
    { "one above is", "*." FIRST "," OTHER, NULL, FIRST, RF_OK, 3 },
    { "a part of a name is another name", "7.0.0.2," OTHER, NULL, FIRST, RF_OK, 3 },
};

/* From one page to another, and from there to another host. */
static void check_visit(void **state)
{
    const struct visit *row = *state;
    struct world w = world_new();
    struct answer answers[] = {
        { "HTTP/1.1 302 Go\r\nLocation: /b\r\nContent-Length: 2\r\n\r\nhi", KEEP },
        { NULL, KEEP },
        { OK_TEXT, KEEP },
    };
    struct server *s = server_start("0.0.0.0", answers, 3);
    answers[1].text =
        rf_strf(w.arena,
                "HTTP/1.1 302 Go\r\nLocation: http://" OTHER ":%d/c?d\r\nContent-Length: 0\r\n\r\n",
                s->port)
            .p;
    struct rf_str hosts = rf_str(row->listed), one, want = { 0 };
    while (rf_str_split(&hosts, ',', &one))
        *RF_PUSH(w.arena, w.config.fetch_hosts, w.config.fetch_host_count,
                 w.config.fetch_host_cap) = one;
    w.refuses = row->refuses;
    for (hosts = rf_str(row->asked); rf_str_split(&hosts, ' ', &one);)
        want = rf_strf(w.arena, "%.*s%.*s http://%.*s:%d%s\n", RF_FMT(want), RF_FMT(one),
                       RF_FMT(one), s->port, rf_str_is(one, OTHER) ? "/c?d" : "/a?secret");
    struct rf_str url = rf_strf(w.arena, "http://" FIRST ":%d/a?secret", s->port);
    assert_int_equal(fetch(&w, url), row->code);
    assert_str(w.asked, rf_cstr(w.arena, want));
    assert_int_equal(server_requests(s), row->requests);
    assert_int_equal(files_in(w.folder), row->code == RF_OK);
    if (row->code)
        assert_non_null(strstr(w.err.msg, "permission was not given"));
    server_stop(s); /* its answers are in the world */
    world_release(&w);
}

/* What a person names. 127.0.0.1 is inside here, and FIRST outside. */

#define INSIDE "127.0.0.1"

static const struct named {
    const char *name, *first, *leads_to;
    enum rf_code code;
    size_t requests;
} named_rows[] = {
    { "a person may name what is inside, which may lead on there", INSIDE, INSIDE, RF_OK, 2 },
    { "from inside it may lead outside", INSIDE, FIRST, RF_OK, 2 },
    { "from outside it may lead to another host", FIRST, OTHER, RF_OK, 2 },
    { "from outside it may not lead inside", FIRST, INSIDE, RF_EPERMISSION, 1 },
};

static void check_named(void **state)
{
    const struct named *row = *state;
    struct world w = world_new();
    struct answer answers[] = { { NULL, KEEP }, { OK_TEXT, KEEP } };
    struct server *s = server_start("0.0.0.0", answers, 2);
    answers[0].text =
        rf_strf(w.arena,
                "HTTP/1.1 302 Go\r\nLocation: http://%s:%d/b.txt\r\nContent-Length: 0\r\n\r\n",
                row->leads_to, s->port)
            .p;
    const struct rf_fetching fetching = {
        .named = true, /* nothing is allowed, and nobody is asked */
        .url = rf_strf(w.arena, "http://%s:%d/a?secret", row->first, s->port),
        .folder = w.folder,
        .cancel_fd = -1,
    };
    assert_int_equal(rf_fetch(w.net, &fetching, w.arena, &w.got, &w.err), row->code);
    assert_int_equal(server_requests(s), row->requests);
    assert_int_equal(files_in(w.folder), row->code == RF_OK);
    if (!row->code)
        assert_str(w.got.name, "b.txt");
    server_stop(s);
    world_release(&w);
}

static const struct {
    const char *url, *disposition, *name;
} names[] = {
    { "/docs/my%20report.pdf?x=1", NULL, "my report.pdf" },
    { "/r%C3%A9sum%C3%A9.pdf", NULL, "r\xc3\xa9sum\xc3\xa9.pdf" },
    { "/..%2f..%2fetc%2fpasswd.txt", NULL, "_._.._etc_passwd.txt" },
    { "/get", "attachment; filename=\"a b.csv\"", "a b.csv" },
    { "/get", "attachment; filename=/etc/.passwd", "_passwd" },
    { "/get", "inline; filename=\"x.pdf\"; filename*=UTF-8''%e2%82%ac.pdf", "\xe2\x82\xac.pdf" },
    { "/docs/", "attachment", "docs" },
    { "/", NULL, FIRST },
    { "/a%0ab%1b[2J.txt", NULL, "a_b__2J.txt" },
};

static void names_what_it_fetched(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct world w = world_new();
        const char *said = names[i].disposition;
        const struct answer answer = {
            rf_strf(w.arena, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n%s%s\r\n\r\nhi",
                    said ? "Content-Disposition: " : "X: y", said ? said : "")
                .p,
            KEEP
        };
        struct server *s = server_start(FIRST, &answer, 1);
        assert_int_equal(fetch(&w, url_of(&w, s, names[i].url)), RF_OK);
        assert_str(w.got.name, names[i].name);
        server_stop(s);
        world_release(&w);
    }
}

static const struct {
    const char *what;
    struct rf_str url;
} bad_urls[] = {
    { "a file", B("file:///etc/passwd") },
    { "FTP", B("ftp://example.com/") },
    { "no scheme", B("127.0.0.2/") },
    { "nothing", B("") },
    { "a scheme alone", B("http://") },
    { "a user", B("http://user@127.0.0.2/") },
    { "a user who looks like a host", B("http://example.com@127.0.0.2/") },
    { "a password", B("http://a:b@127.0.0.2/") },
    { "a backslash", B("http://127.0.0.2\\@127.0.0.1/") },
    { "a line feed", B("http://127.0.0.2/\r\nHost: x") },
    { "a NUL", B("http://127.0.0.2/\0") },
    { "a space", B("http://127.0.0.2/ x") },
    { "an escape", B("http://127.0.0.2/\033[2J") },
    { "a host in other characters", B("http://%31%32%37.0.0.2/") },
    { "a host that ends elsewhere", B("http://evil.example%2f.127.0.0.2/") },
    { "no host", B("http:///x") },
    { "a port alone", B("http://:80/") },
    { "a bracket", B("http://[127.0.0.2/") },
    { "javascript", B("javascript:alert(1)") },
    { "data", B("data:text/plain,x") },
};

static void refuses_bad_urls(void **state)
{
    (void)state;
    struct world w = world_new();
    for (size_t i = 0; i < COUNT(bad_urls); i++)
        if (fetch(&w, bad_urls[i].url) != RF_EPERMISSION || !w.err.hint[0])
            fail_msg("%s was fetched", bad_urls[i].what);
    char *p = rf_arena_alloc(w.arena, 10000);
    memset(p, 'a', 10000);
    memcpy(p, "http://127.0.0.2/", 17);
    assert_int_equal(fetch(&w, (struct rf_str){ p, 10000 }), RF_EPERMISSION);
    assert_int_equal(files_in(w.folder), 0);
    assert_int_equal(w.asked.n, 0);
    world_release(&w);
}

int main(void)
{
    struct CMUnitTest refused[COUNT(refused_rows)], visiting[COUNT(visits)],
        named[COUNT(named_rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(keeps_what_it_fetched),
        cmocka_unit_test(takes_fifty_megabytes_and_no_more),
        cmocka_unit_test(fetches_only_where_it_may),
        cmocka_unit_test(stops_at_once),
        cmocka_unit_test(refuses_bad_urls),
        cmocka_unit_test(names_what_it_fetched),
    };
    name_rows(refused, check_refused, refused_rows, COUNT(refused_rows), sizeof *refused_rows);
    name_rows(visiting, check_visit, visits, COUNT(visits), sizeof *visits);
    name_rows(named, check_named, named_rows, COUNT(named_rows), sizeof *named_rows);
    int failed = cmocka_run_group_tests_name("refused", refused, NULL, NULL);
    failed += cmocka_run_group_tests_name("visits", visiting, NULL, NULL);
    failed += cmocka_run_group_tests_name("named", named, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
