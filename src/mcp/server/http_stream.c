/* Answers and streams: JSON where there is one message, server-sent events where there are more. */
#include "mcp/server/http.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_UNREAD ((size_t)16 << 20) /* bytes that wait for a client that does not read */

enum { MOST_HEADERS = 10 };

struct headers {
    struct rf_httpd_header list[MOST_HEADERS];
    size_t n;
};

static void add(struct headers *h, const char *name, const char *value)
{
    h->list[h->n++] = (struct rf_httpd_header){ name, value };
}

/* Of every reply. */
static struct headers usual(const struct rf_mcp_exchange *p, const char *type)
{
    struct headers h = { 0 };
    if (type)
        add(&h, "Content-Type", type);
    add(&h, "Cache-Control", "no-store");
    if (p->origin) {
        add(&h, "Access-Control-Allow-Origin", p->origin);
        add(&h, "Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
        add(&h, "Vary", "Origin");
    }
    if (p->initializes && p->session && rf_mcp_peer_revision(p->session->peer))
        add(&h, "Mcp-Session-Id", p->session->id);
    return h;
}

void rf_mcp_http_reply(struct rf_mcp_exchange *p, int status, struct rf_str json)
{
    struct headers h = usual(p, json.n ? "application/json" : NULL);
    p->done = true;
    if (status == 401)
        add(&h, "WWW-Authenticate", "Bearer realm=\"refract\"");
    if (status == 405)
        add(&h, "Allow", p->session ? "GET, POST, DELETE" : "POST");
    if (status == 204 && p->origin) {
        add(&h, "Access-Control-Allow-Methods", "GET, POST, DELETE");
        add(&h, "Access-Control-Allow-Headers",
            "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, "
            "Mcp-Name, Mcp-Session-Id");
    }
    if (p->request)
        rf_httpd_reply(p->request, status, h.list, json);
}

void rf_mcp_http_refuse(struct rf_mcp_exchange *p, int status, int64_t code, struct rf_str why)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_json *w = rf_rpc_writer(a);
    struct rf_str text;
    rf_rpc_refuse(w, p->id, code, why);
    if (code == RF_MCP_UNSUPPORTED_VERSION) {
        rf_json_obj(w, "data");
        rf_mcp_revisions_write(w, "supported", RF_MCP_MODERN);
        rf_json_end(w);
    }
    if (rf_rpc_end(w, RF_MCP_MOST_OUT, &text, NULL))
        text = RF_STR("{}");
    rf_mcp_http_reply(p, status, text);
    rf_arena_free(a);
}

/* Streams */

/* The client of a stream does not read: begin nothing more for it, and do not wait for ever. */
static void write_out(struct rf_mcp_exchange *p, struct rf_str bytes)
{
    struct rf_mcp_peer *peer = p->peer ? p->peer : p->session->peer;
    if (rf_httpd_write(p->request, bytes))
        return;
    if (!p->unread)
        rf_mcp_peer_hold(peer);
    p->unread += bytes.n;
    if (p->unread > MOST_UNREAD)
        rf_httpd_cut(p->request);
}

void rf_mcp_http_write_event(struct rf_mcp_exchange *p, uint64_t stream, uint64_t number,
                             struct rf_str message)
{
    char head[80];
    int n = 0;
    if (p->session)
        n = snprintf(head, sizeof head, "id: %" PRIu64 "-%" PRIu64 "\n", stream, number);
    memcpy(head + n, "data: ", 6);
    write_out(p, (struct rf_str){ head, (size_t)n + 6 });
    write_out(p, message);
    write_out(p, RF_STR("\n\n"));
}

/* An id at once, so that a client that loses the stream can come back: those of the first revision
 * that has it understand an event without data. */
static void prime(struct rf_mcp_exchange *p)
{
    const struct rf_mcp_revision *v = p->session ? rf_mcp_peer_revision(p->session->peer) : NULL;
    if (v && strcmp(v->name, "2025-11-25") >= 0 && !p->number)
        rf_mcp_http_write_event(p, p->stream, 0, RF_STR(""));
}

void rf_mcp_http_stream(struct rf_mcp_exchange *p)
{
    struct headers h = usual(p, "text/event-stream");
    add(&h, "X-Accel-Buffering", "no");
    p->streaming = true;
    if (p->request)
        rf_httpd_stream(p->request, 200, h.list);
}

/* Of what a request asked for. */
static void open_stream(struct rf_mcp_exchange *p)
{
    if (p->session)
        p->stream = ++p->session->streams;
    rf_mcp_http_stream(p);
    prime(p);
}

/* A call that takes long becomes a stream, too, so that whoever is in between sees that it
 * lives. */
void rf_mcp_http_keep_alive(struct rf_mcp_exchange *p)
{
    if (!p->request || p->done || !(p->peer || p->session))
        return;
    if (!p->streaming)
        open_stream(p);
    write_out(p, RF_STR(": still here\n\n"));
}

static void finish(struct rf_mcp_exchange *p)
{
    p->done = true;
    if (p->request)
        rf_httpd_finish(p->request);
    else
        rf_mcp_exchange_free(p); /* what it was sent is kept by its session */
}

/* What the server sends */

static int status_of(const struct rf_mcp_exchange *p, struct rf_str message)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m;
    int status = 200;
    if (!rf_rpc_read(message, a, &m, NULL) && m.kind == RF_RPC_ERROR)
        switch (m.code) {
        case RF_RPC_METHOD_NOT_FOUND:
            status = 404;
            break;
        case RF_RPC_PARSE_ERROR:
        case RF_RPC_INVALID_REQUEST:
        case RF_MCP_HEADER_MISMATCH:
        case RF_MCP_MISSING_CAPABILITY:
        case RF_MCP_UNSUPPORTED_VERSION:
            status = 400;
            break;
        case RF_RPC_INVALID_PARAMS:
            status = p->bad_meta ? 400 : 200;
            break;
        default:
            break;
        }
    rf_arena_free(a);
    return status;
}

static void send_modern(void *ctx, void *channel, struct rf_str message, bool last)
{
    struct rf_mcp_exchange *p = ctx;
    if (!channel)
        return; /* there is no stream but that of the request */
    if (last && !p->streaming && message.n) {
        rf_mcp_http_reply(p, status_of(p, message), message);
        return;
    }
    if (!p->streaming)
        open_stream(p);
    if (message.n)
        rf_mcp_http_write_event(p, 0, 0, message);
    if (last)
        finish(p);
}

static void send_general(struct rf_mcp_session *s, struct rf_str message)
{
    uint64_t number = rf_mcp_session_keep(s, 0, &s->general_number, message);
    if (!s->general)
        return; /* whoever listens next gets it */
    s->general_sent = number;
    rf_mcp_http_write_event(s->general, 0, number, message);
}

static void send_legacy(void *ctx, void *channel, struct rf_str message, bool last)
{
    struct rf_mcp_session *s = ctx;
    struct rf_mcp_exchange *p = channel;
    if (!p) {
        send_general(s, message);
        return;
    }
    if (last && !p->streaming && message.n) {
        rf_mcp_http_reply(p, 200, message);
        return;
    }
    if (!p->streaming)
        open_stream(p);
    if (message.n) {
        uint64_t number = rf_mcp_session_keep(s, p->stream, &p->number, message);
        if (p->request)
            rf_mcp_http_write_event(p, p->stream, number, message);
    }
    if (last)
        finish(p);
}

const struct rf_mcp_peer_calls rf_mcp_http_modern = { send_modern };
const struct rf_mcp_peer_calls rf_mcp_http_legacy = { send_legacy };
