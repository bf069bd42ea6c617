#include "base/arena.h"
#include "base/base64.h"
#include "sim/sim.h"

#define MAX_PLACE 512   /* bytes of a place in words */
#define STREAM_PIECE 24 /* bytes of text in one delta, about */
#define BYTES_PER_TOKEN 4

struct rf_sim_seen *rf_sim_see(struct rf_sim_request *r, enum rf_sim_seen_kind kind,
                               const char *role)
{
    struct rf_sim_seen *s = RF_PUSH(r->arena, r->seen, r->count, r->cap);
    *s = (struct rf_sim_seen){ .kind = kind, .role = role, .turn = r->turn };
    if (r->result) {
        s->call = r->result->id;
        s->name = r->result->name;
    }
    return s;
}

const struct rf_format *rf_sim_sniff(struct rf_str bytes)
{
    struct rf_bytes b = rf_bytes_memory(bytes);
    struct rf_reader reader = { .fd = -1 };
    struct rf_err err;
    const struct rf_format *format = NULL;
    if (!rf_reader_open(&reader, &b, &err))
        format = rf_sniff(&reader);
    rf_reader_close(&reader);
    return format;
}

void rf_sim_see_file(struct rf_sim_request *r, const char *role, struct rf_str bytes,
                     const struct rf_format *format, struct rf_str mime)
{
    struct rf_sim_seen *s = rf_sim_see(r, RF_SIM_FILE, role);
    s->bytes = bytes;
    s->format = format ? format : rf_sim_sniff(bytes);
    s->mime = mime;
}

void rf_sim_see_call(struct rf_sim_request *r, struct rf_str id, struct rf_str name,
                     struct rf_str arguments)
{
    struct rf_sim_seen *s = rf_sim_see(r, RF_SIM_CALL, "assistant");
    s->call = id;
    s->name = name;
    s->arguments = arguments;
}

void rf_sim_offer(struct rf_sim_request *r, struct rf_str name)
{
    *RF_PUSH(r->arena, r->tools, r->tool_count, r->tool_cap) = name;
}

bool rf_sim_refuse(struct rf_sim_request *r, struct rf_sim_refusal *out, int status,
                   const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    out->status = status;
    out->message = rf_strfv(r->arena, fmt, ap);
    va_end(ap);
    return false;
}

bool rf_sim_decode(struct rf_sim_request *r, struct rf_str base64, struct rf_str *bytes,
                   const struct rf_format **format)
{
    size_t n;
    if (!rf_base64_decoded_length(base64.p, base64.n, &n))
        return false;
    char *p = rf_arena_alloc(r->arena, n + 1);
    if (!rf_base64_decode(base64.p, base64.n, p))
        return false;
    *bytes = (struct rf_str){ p, n };
    *format = rf_sim_sniff(*bytes);
    return true;
}

bool rf_sim_facts(struct rf_str bytes, const struct rf_format *format, struct rf_facts *out)
{
    struct rf_bytes b = rf_bytes_memory(bytes);
    struct rf_reader reader = { .fd = -1 };
    struct rf_err err;
    *out = (struct rf_facts){ 0 };
    bool ok = !rf_reader_open(&reader, &b, &err) && !rf_probe(&reader, format, out, &err);
    rf_reader_close(&reader);
    return ok;
}

void rf_sim_chunk(struct rf_sim_reply *r, struct rf_arena *a, struct rf_str bytes)
{
    *RF_PUSH(a, r->chunks, r->count, r->cap) = (struct rf_sim_chunk){ .bytes = bytes };
}

void rf_sim_header(struct rf_sim_reply *r, const char *name, const char *value)
{
    size_t n = 0;
    while (n < RF_SIM_HEADERS && r->headers[n][0])
        n++;
    if (n == RF_SIM_HEADERS)
        RF_BUG("too many headers");
    r->headers[n][0] = name;
    r->headers[n][1] = value;
}

struct rf_json *rf_sim_write(struct rf_sim_writer *w, struct rf_arena *a)
{
    rf_rope_init(&w->rope, a);
    rf_json_init(&w->json, &w->rope);
    return &w->json;
}

struct rf_str rf_sim_written(struct rf_sim_writer *w)
{
    struct rf_err err;
    struct rf_str text;
    if (rf_json_finish(&w->json, &err) ||
        rf_rope_flatten(&w->rope, SIZE_MAX, w->rope.arena, &text, &err))
        RF_BUG("text in memory could not be written");
    return text;
}

void rf_sim_body(struct rf_sim_reply *r, int status, struct rf_sim_writer *w)
{
    r->status = status;
    r->content_type = "application/json";
    rf_sim_chunk(r, w->rope.arena, rf_sim_written(w));
}

void rf_sim_event(struct rf_sim_reply *r, struct rf_arena *a, const char *event, struct rf_str data)
{
    struct rf_str head = event ? rf_strf(a, "event: %s\ndata: ", event) : RF_STR("data: ");
    r->content_type = "text/event-stream; charset=utf-8";
    rf_sim_chunk(r, a, rf_str_join(a, rf_str_join(a, head, data), RF_STR("\n\n")));
}

bool rf_sim_piece(struct rf_str *rest, struct rf_str *piece)
{
    if (rest->n == 0)
        return false;
    size_t n = rest->n < STREAM_PIECE ? rest->n : STREAM_PIECE;
    while (n < rest->n && ((unsigned char)rest->p[n] & 0xC0) == 0x80)
        n++;
    *piece = (struct rf_str){ rest->p, n };
    *rest = (struct rf_str){ rest->p + n, rest->n - n };
    return true;
}

int64_t rf_sim_input_tokens(const struct rf_sim_request *r)
{
    int64_t tokens = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct rf_sim_seen *s = &r->seen[i];
        tokens += (int64_t)((s->text.n + s->arguments.n) / BYTES_PER_TOKEN) + 3;
        tokens += s->kind == RF_SIM_FILE ? RF_SIM_TOKENS_PER_FILE : 0;
    }
    return r->window > 0 && tokens > r->window ? r->window : tokens;
}

int64_t rf_sim_thinking_tokens(const struct rf_sim_said *said)
{
    int64_t tokens = (int64_t)(said->thinking.n / BYTES_PER_TOKEN);
    return tokens < said->output_tokens ? tokens : said->output_tokens;
}

static void add_place(struct rf_buf *b, const struct rf_jpath *at, const char *index, size_t first)
{
    if (at->up) {
        add_place(b, at->up, index, first);
        rf_buf_addc(b, '.');
    }
    if (at->field)
        rf_buf_add(b, rf_str(at->field));
    else
        rf_buf_addf(b, "%zu%s", at->index + first, index);
}

static struct rf_str place(struct rf_arena *a, const struct rf_jpath *at, const char *index,
                           size_t first)
{
    struct rf_buf b;
    struct rf_str text;
    struct rf_err err;
    rf_buf_init(&b, a, MAX_PLACE);
    add_place(&b, at, index, first);
    return rf_buf_finish(&b, &text, &err) ? RF_STR("") : text;
}

struct rf_str rf_sim_place_words(struct rf_arena *a, const struct rf_jpath *at)
{
    return place(a, at, "", 0);
}

struct rf_str rf_sim_member_words(struct rf_arena *a, const struct rf_jpath *at)
{
    return place(a, at, ".member", 1);
}
