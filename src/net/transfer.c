/* What is done while a request is sent and its answer comes, and what libcurl calls for that. */
#include "net/transfer.h"

#include "base/arena.h"
#include "net/waiting.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FIRST_BYTE_MS (10 * 60 * 1000)
#define IDLE_MS (2 * 60 * 1000)
#define SMALL_BODY ((size_t)32 << 10)
#define MAX_HEADER_LINES 2000 /* of all answers, those that announce another among them */
#define MAX_SHORT_VALUE 256   /* bytes of a header that is kept */
#define MAX_DISPOSITION 1024
#define MAX_WAIT_S (24 * 60 * 60) /* that a server may ask for; more is as good as never */

/* The clock. */

bool rf_transfer_is_sent(const struct rf_transfer *t)
{
    return !t->call.body || t->body_read >= t->call.body->length;
}

int64_t rf_transfer_patience_ms(const struct rf_transfer *t)
{
    const struct rf_net_call *c = &t->call;
    if (!t->connected || t->paused)
        return -1;
    /* A model may be thinking although the head of its answer is there. */
    if (!t->reply->began && rf_transfer_is_sent(t))
        return c->first_byte_ms ? c->first_byte_ms : FIRST_BYTE_MS;
    return c->idle_ms ? c->idle_ms : IDLE_MS;
}

void rf_transfer_arm(struct rf_transfer *t)
{
    int64_t patience = rf_transfer_patience_ms(t), late = INT64_MAX;
    if (t->call.total_ms)
        late = t->began_ms + t->call.total_ms;
    if (patience >= 0 && t->moved_ms + patience < late)
        late = t->moved_ms + patience;
    if (late == INT64_MAX)
        rf_timer_clear(t->loop, &t->timer);
    else
        rf_timer_set(t->loop, &t->timer, late);
}

/* The body. */

static size_t read_body(char *buf, size_t size, size_t count, void *ctx)
{
    struct rf_transfer *t = ctx;
    size_t got;
    if (t->dropped)
        return CURL_READFUNC_ABORT;
    struct rf_err err;
    if (rf_rope_read(&t->body, buf, size * count, &got, &err)) {
        RF_ERR_COPY(t->arena, t->err, &err);
        t->stop = RF_TRANSFER_NO_BODY;
        return CURL_READFUNC_ABORT;
    }
    t->body_read += got;
    t->moved_ms = rf_loop_now_ms(t->loop);
    if (rf_transfer_is_sent(t)) {
        rf_rope_reader_release(&t->body); /* its buffers are larger than all the rest */
        rf_transfer_arm(t);
    }
    return got;
}

/* A kept connection may turn out to be dead when some of the body is gone: it is read again. */
static int rewind_body(void *ctx, curl_off_t offset, int origin)
{
    struct rf_transfer *t = ctx;
    if (t->dropped || offset != 0 || origin != SEEK_SET)
        return CURL_SEEKFUNC_FAIL;
    rf_rope_reader_release(&t->body);
    rf_rope_reader_init(&t->body, t->call.body);
    t->body_read = 0;
    rf_transfer_arm(t);
    return CURL_SEEKFUNC_OK;
}

/* The answer. */

static bool is_short_text(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~')
            return false;
    return s.n > 0 && s.n <= MAX_SHORT_VALUE;
}

static void take_request_id(struct rf_transfer *t, struct rf_str value)
{
    if (is_short_text(value))
        t->reply->request_id = rf_str_dup(t->arena, value);
}

/* Digits; what is too long for the type is as much as it holds. */
static bool take_digits(struct rf_str s, int64_t *out)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    if (!rf_str_int64(s, out))
        *out = INT64_MAX;
    return s.n > 0;
}

static void take_wait_ms(struct rf_transfer *t, struct rf_str value)
{
    int64_t ms;
    if (take_digits(value, &ms))
        t->reply->retry_after_ms = ms < MAX_WAIT_S * 1000 ? ms : MAX_WAIT_S * 1000;
}

/* Whole seconds, seconds with a fraction (some servers), or a date. */
static int64_t seconds_to_ms(struct rf_str value)
{
    struct rf_str rest = value, whole, fraction = { 0 };
    int64_t s, ms = 0;
    if (!rf_str_split(&rest, '.', &whole) || !take_digits(whole, &s))
        return -1;
    if (rf_str_split(&rest, '.', &fraction) && fraction.n) {
        fraction.n = fraction.n < 9 ? fraction.n : 9;
        if (!take_digits(fraction, &ms) || rest.n)
            return -1;
        for (size_t i = fraction.n; i < 3; i++)
            ms *= 10;
        for (size_t i = 3; i < fraction.n; i++)
            ms /= 10;
    }
    return s < MAX_WAIT_S ? s * 1000 + ms : MAX_WAIT_S * 1000;
}

static int64_t date_to_ms(const char *date)
{
    int64_t at = rf_curl.getdate(date, NULL), left = at - time(NULL);
    if (at < 0)
        return -1;
    return left <= 0 ? 0 : left < MAX_WAIT_S ? left * 1000 : MAX_WAIT_S * 1000;
}

static void take_wait(struct rf_transfer *t, struct rf_str value)
{
    int64_t ms = seconds_to_ms(value);
    if (ms < 0 && is_short_text(value))
        ms = date_to_ms(rf_cstr(t->arena, value));
    /* Milliseconds say the same more exactly, whichever comes first. */
    if (ms >= 0 && t->reply->retry_after_ms < 0)
        t->reply->retry_after_ms = ms;
}

static void take_disposition(struct rf_transfer *t, struct rf_str value)
{
    if (value.n <= MAX_DISPOSITION)
        t->reply->content_disposition = rf_str_dup(t->arena, value);
}

static void take_encoding(struct rf_transfer *t, struct rf_str value)
{
    if (is_short_text(value))
        t->reply->content_encoding = rf_str_dup(t->arena, value);
}

static const struct {
    struct rf_str name;
    void (*take)(struct rf_transfer *t, struct rf_str value);
} known_headers[] = {
    { RF_STR_INIT("content-disposition"), take_disposition },
    { RF_STR_INIT("content-encoding"), take_encoding },
    { RF_STR_INIT("request-id"), take_request_id },
    { RF_STR_INIT("x-request-id"), take_request_id },
    { RF_STR_INIT("x-amzn-requestid"), take_request_id },
    { RF_STR_INIT("retry-after-ms"), take_wait_ms },
    { RF_STR_INIT("x-ms-retry-after-ms"), take_wait_ms },
    { RF_STR_INIT("retry-after"), take_wait },
};

static bool count_line(struct rf_transfer *t)
{
    t->answered = true;
    return ++t->header_lines <= MAX_HEADER_LINES;
}

/* An answer before this one was not the last. */
bool rf_transfer_take_status(struct rf_transfer *t)
{
    t->reply->retry_after_ms = -1;
    t->reply->request_id = t->reply->content_disposition = t->reply->content_encoding =
        (struct rf_str){ 0 };
    return count_line(t);
}

bool rf_transfer_take_header(struct rf_transfer *t, struct rf_str name, struct rf_str value)
{
    if (!count_line(t))
        return false;
    if (t->call.header)
        t->call.header(t->call.ctx, name, value);
    for (size_t i = 0; i < sizeof known_headers / sizeof *known_headers; i++)
        if (rf_str_ieq(name, known_headers[i].name))
            known_headers[i].take(t, value);
    return true;
}

static size_t take_header(char *line, size_t size, size_t count, void *ctx)
{
    struct rf_transfer *t = ctx;
    struct rf_str rest = { line, size * count }, name;
    if (t->dropped)
        return 0;
    t->moved_ms = rf_loop_now_ms(t->loop);
    if (rf_str_starts(rest, "HTTP/"))
        return rf_transfer_take_status(t) ? size * count : 0;
    if (rf_str_blank(rest)) /* the end of the head */
        return size * count;
    rf_str_split(&rest, ':', &name);
    return rf_transfer_take_header(t, name, rf_str_trim(rest)) ? size * count : 0;
}

static int status_of(const struct rf_transfer *t, struct rf_str *type)
{
    long status = 0;
    const char *text = NULL;
    if (t->is_direct) {
        *type = t->direct.type;
        return t->direct.answer.status;
    }
    rf_curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    rf_curl.easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &text);
    *type = rf_str(text);
    return (int)status;
}

static bool tell_status(struct rf_transfer *t)
{
    struct rf_str type;
    if (t->told)
        return true;
    int status = status_of(t, &type);
    if (status < 200) /* none, or one that announces another */
        return true;
    t->told = true;
    t->reply->status = status;
    if (is_short_text(type))
        t->reply->content_type = rf_str_dup(t->arena, type);
    return !t->call.status || t->call.status(t->call.ctx, t->reply->status, t->reply->content_type);
}

bool rf_transfer_take_bytes(struct rf_transfer *t, struct rf_str run)
{
    if (!t->reply->began && run.n > 0) {
        t->reply->began = true;
        rf_transfer_arm(t);
    }
    if (tell_status(t) && !t->dropped && (!t->call.bytes || t->call.bytes(t->call.ctx, run)))
        return true;
    t->stop = RF_TRANSFER_ENOUGH;
    return false;
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *ctx)
{
    struct rf_transfer *t = ctx;
    struct rf_str run = { bytes, size * count };
    if (t->dropped)
        return 0;
    t->moved_ms = rf_loop_now_ms(t->loop);
    return rf_transfer_take_bytes(t, run) ? run.n : 0;
}

void rf_transfer_end(struct rf_transfer *t)
{
    if (!tell_status(t))
        t->stop = RF_TRANSFER_ENOUGH;
}

/* The connection. */

static bool may_connect(struct rf_transfer *t, const void *address)
{
    if (!t->call.may_connect || t->call.may_connect(t->call.ctx, address))
        return true;
    t->refused = true;
    return false;
}

/* libcurl's own sockets would be inherited by the programs that run as tools. */
static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct rf_transfer *t = ctx;
    (void)purpose;
    if (t->dropped || !may_connect(t, &address->addr))
        return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* False where the text is not an address. */
static bool read_address(const char *ip, int port, char out[sizeof(struct sockaddr_in6)])
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
    if (inet_pton(AF_INET, ip, &v4.sin_addr) == 1)
        memcpy(out, &v4, sizeof v4);
    else if (inet_pton(AF_INET6, ip, &v6.sin6_addr) == 1)
        memcpy(out, &v6, sizeof v6);
    else
        return false;
    return true;
}

static bool may_use(struct rf_transfer *t)
{
    if (!t->call.may_connect)
        return true;
    if (t->reply->peer_known)
        return may_connect(t, t->reply->peer);
    t->refused = true; /* whatever it is, it could not be checked */
    return false;
}

/* The connection is new or kept. A kept one was made for another call, perhaps one that could reach
 * more. */
bool rf_transfer_begin(struct rf_transfer *t)
{
    if (!may_use(t))
        return false;
    t->connected = true;
    t->answered = false;
    if (t->small)
        t->body_read = t->call.body->length; /* nobody asks for it */
    t->reply->sent = true;
    t->moved_ms = rf_loop_now_ms(t->loop);
    rf_transfer_arm(t);
    return true;
}

bool rf_transfer_may_repeat(const struct rf_transfer *t)
{
    const struct rf_net_call *c = &t->call;
    return c->may_repeat || (c->method ? rf_net_only_reads(c->method) : !c->body);
}

/* libcurl sends once more what a kept connection died of. */
static bool is_unwanted_repeat(const struct rf_transfer *t)
{
    return t->connected && !t->is_direct && !rf_transfer_may_repeat(t);
}

static int about_to_send(void *ctx, char *ip, char *local_ip, int port, int local_port)
{
    struct rf_transfer *t = ctx;
    _Static_assert(sizeof(struct sockaddr_in6) <= sizeof t->reply->peer, "an address fits");
    (void)local_ip, (void)local_port;
    if (is_unwanted_repeat(t)) {
        t->stop = RF_TRANSFER_DIED;
        return CURL_PREREQFUNC_ABORT;
    }
    t->reply->peer_known = read_address(ip, port, t->reply->peer) && !t->proxy;
    return !t->dropped && rf_transfer_begin(t) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* A small body goes in one piece with the head, as libcurl does with what it is not to ask for. */
static bool is_small(struct rf_transfer *t)
{
    struct rf_str all;
    t->small = t->call.body->length <= SMALL_BODY &&
               !rf_rope_flatten(t->call.body, SMALL_BODY, t->arena, &all, NULL);
    if (t->small)
        RF_TRANSFER_SET(t, CURLOPT_POSTFIELDS, all.p);
    return t->small;
}

void rf_transfer_attach_connection(struct rf_transfer *t)
{
    RF_TRANSFER_SET(t, CURLOPT_PRIVATE, t);
    RF_TRANSFER_SET(t, CURLOPT_ERRORBUFFER, t->why);
    RF_TRANSFER_SET(t, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    RF_TRANSFER_SET(t, CURLOPT_OPENSOCKETDATA, t);
    RF_TRANSFER_SET(t, CURLOPT_PREREQFUNCTION, about_to_send);
    RF_TRANSFER_SET(t, CURLOPT_PREREQDATA, t);
}

void rf_transfer_attach(struct rf_transfer *t)
{
    rf_transfer_attach_connection(t);
    RF_TRANSFER_SET(t, CURLOPT_HEADERFUNCTION, take_header);
    RF_TRANSFER_SET(t, CURLOPT_HEADERDATA, t);
    RF_TRANSFER_SET(t, CURLOPT_WRITEFUNCTION, take_bytes);
    RF_TRANSFER_SET(t, CURLOPT_WRITEDATA, t);
    if (!t->call.body)
        return;
    rf_rope_reader_init(&t->body, t->call.body);
    if (is_small(t))
        return;
    RF_TRANSFER_SET(t, CURLOPT_READFUNCTION, read_body);
    RF_TRANSFER_SET(t, CURLOPT_READDATA, t);
    RF_TRANSFER_SET(t, CURLOPT_SEEKFUNCTION, rewind_body);
    RF_TRANSFER_SET(t, CURLOPT_SEEKDATA, t);
}

void rf_transfer_release(struct rf_transfer *t)
{
    if (t->body.rope)
        rf_rope_reader_release(&t->body);
    rf_curl.slist_free_all(t->headers);
}
