/* What a handler asks of its request, and answers. */
#include "httpd/inside.h"

#include "base/num.h"

#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#define FULL ((size_t)256 << 10) /* bytes that wait to be sent, before a stream is full */

static struct rf_connection *connection_of(const struct rf_httpd_request *r)
{
    return (struct rf_connection *)(uintptr_t)((const char *)r -
                                               offsetof(struct rf_connection, now.request));
}

const char *rf_httpd_header(const struct rf_httpd_request *r, const char *name)
{
    return rf_head_value(&connection_of(r)->now.head, name);
}

const char *rf_httpd_peer(const struct rf_httpd_request *r, char out[RF_HTTPD_PEER])
{
    struct sockaddr_storage at = { 0 };
    socklen_t size = sizeof at;
    char host[48] = "", port[8] = "";
    if (getpeername(connection_of(r)->fd, (struct sockaddr *)&at, &size) == 0)
        getnameinfo((struct sockaddr *)&at, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(out, RF_HTTPD_PEER, at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return out;
}

const char *rf_httpd_reached(const struct rf_httpd_request *r, char out[RF_HTTPD_PEER])
{
    if (!rf_listening_name(connection_of(r)->fd, out))
        out[0] = '\0';
    return out;
}

void rf_httpd_pause(struct rf_httpd_request *r)
{
    connection_of(r)->now.paused = true;
}

void rf_httpd_resume(struct rf_httpd_request *r)
{
    connection_of(r)->now.paused = false;
    rf_connection_wake(connection_of(r));
}

/* The head */

static const char *phrase_of(int status)
{
    static const struct {
        int status;
        const char *phrase;
    } phrases[] = {
        { 200, "OK" },
        { 201, "Created" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 303, "See Other" },
        { 304, "Not Modified" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 402, "Payment Required" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 406, "Not Acceptable" },
        { 408, "Request Timeout" },
        { 409, "Conflict" },
        { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" },
        { 417, "Expectation Failed" },
        { 421, "Misdirected Request" },
        { 422, "Unprocessable Content" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" },
        { 505, "HTTP Version Not Supported" },
    };
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (phrases[i].status == status)
            return phrases[i].phrase;
    return "Other";
}

static const char *date_of_now(struct rf_httpd *h)
{
    time_t now = time(NULL);
    struct tm parts;
    if (now != h->date_s && gmtime_r(&now, &parts)) {
        strftime(h->date, sizeof h->date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
        h->date_s = now;
    }
    return h->date;
}

static void put(struct rf_connection *c, const char *text)
{
    rf_waiting_add(&c->out, rf_str(text));
}

static void put_number(struct rf_connection *c, uint64_t n)
{
    char room[RF_NUM_ROOM];
    rf_waiting_add(&c->out, rf_num_text(n, room));
}

static void put_header(struct rf_connection *c, const char *name, const char *value)
{
    size_t name_n = strlen(name), value_n = strlen(value);
    char *p = rf_waiting_take(&c->out, name_n + value_n + 4);
    memcpy(p, name, name_n);
    memcpy(p + name_n, ": ", 2);
    p += name_n + 2;
    for (const char *end = value + value_n; value < end; value++)
        *p++ = (unsigned char)*value < ' ' || *value == 0x7f ? ' ' : *value;
    memcpy(p, "\r\n", 2);
}

static void put_head(struct rf_connection *c, int status, const struct rf_httpd_header *headers)
{
    put(c, "HTTP/1.1 ");
    put_number(c, (uint64_t)status);
    put(c, " ");
    put(c, phrase_of(status));
    put(c, "\r\n");
    put_header(c, "Date", date_of_now(c->server));
    for (; headers && headers->name; headers++)
        if (headers->value[strspn(headers->value, " ")])
            put_header(c, headers->name, headers->value);
    if (c->closes)
        put_header(c, "Connection", "close");
}

/* A body that was not begun to be read when its request was answered is not read at all. */
static void answer(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    if (e->answered)
        RF_BUG("a request is answered twice");
    e->answered = true;
    if (!e->reading && (e->head.has_body || e->head.status))
        c->closes = c->lingers = true;
    if (c->server->draining)
        c->closes = true;
    rf_connection_wake(c);
}

void rf_reply_continue(struct rf_connection *c)
{
    put(c, "HTTP/1.1 100 Continue\r\n\r\n");
    rf_connection_wake(c);
}

/* The rest of it */

static bool has_body(const struct rf_connection *c, int status)
{
    return status >= 200 && status != 204 && status != 304 &&
           !rf_str_is(c->now.request.method, "HEAD");
}

void rf_httpd_reply(struct rf_httpd_request *r, int status, const struct rf_httpd_header *headers,
                    struct rf_str body)
{
    struct rf_connection *c = connection_of(r);
    answer(c);
    put_head(c, status, headers);
    if (status != 204 && status != 304) {
        put(c, "Content-Length: ");
        put_number(c, body.n);
        put(c, "\r\n");
    }
    put(c, "\r\n");
    if (has_body(c, status))
        rf_waiting_add(&c->out, body);
    c->now.finished = true;
}

void rf_httpd_stream(struct rf_httpd_request *r, int status, const struct rf_httpd_header *headers)
{
    struct rf_connection *c = connection_of(r);
    if (!has_body(c, status)) {
        rf_httpd_reply(r, status, headers, RF_STR(""));
        return;
    }
    answer(c);
    c->now.chunked = !c->now.head.old;
    put_head(c, status, headers);
    put(c, c->now.chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
}

bool rf_reply_is_full(const struct rf_connection *c)
{
    return c->out.n - c->out.at > (c->now.full ? FULL / 2 : FULL);
}

bool rf_httpd_write(struct rf_httpd_request *r, struct rf_str bytes)
{
    struct rf_connection *c = connection_of(r);
    struct rf_exchange *e = &c->now;
    char size[24];
    if (e->cut || e->finished || e->dead)
        return false;
    if (bytes.n && e->chunked) {
        snprintf(size, sizeof size, "%zx\r\n", bytes.n);
        put(c, size);
    }
    rf_waiting_add(&c->out, bytes);
    if (bytes.n && e->chunked)
        put(c, "\r\n");
    e->full |= rf_reply_is_full(c);
    rf_connection_wake(c);
    return !e->full;
}

void rf_httpd_finish(struct rf_httpd_request *r)
{
    struct rf_connection *c = connection_of(r);
    if (c->now.chunked && !c->now.finished && !c->now.cut)
        put(c, "0\r\n\r\n");
    c->now.finished = true;
    rf_connection_wake(c);
}

/* A client that does not read is not waited for. */
void rf_httpd_cut(struct rf_httpd_request *r)
{
    struct rf_connection *c = connection_of(r);
    c->now.cut = true;
    if (!c->now.answered || c->now.full)
        c->now.dead = true;
    rf_connection_wake(c);
}
