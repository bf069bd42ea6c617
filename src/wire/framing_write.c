/* Streams, the way out: one message after the other. */
#include "base/crc32.h"
#include "wire/framing.h"

static void add_u16(struct rf_buf *b, size_t n)
{
    rf_buf_addc(b, (char)(n >> 8));
    rf_buf_addc(b, (char)n);
}

static void add_u32(struct rf_buf *b, uint32_t n)
{
    add_u16(b, n >> 16);
    add_u16(b, n & 0xffff);
}

/* A header whose value is a string. */
static void add_header(struct rf_buf *b, const char *name, const char *value)
{
    rf_buf_addc(b, (char)strlen(name));
    rf_buf_add(b, rf_str(name));
    rf_buf_addc(b, 7);
    add_u16(b, strlen(value));
    rf_buf_add(b, rf_str(value));
}

static size_t header_size(const char *name, const char *value)
{
    return 4 + strlen(name) + strlen(value);
}

/* Of all that was written from `start` on. */
static void add_checksum(struct rf_buf *b, size_t start)
{
    if (!b->full)
        add_u32(b, rf_crc32(b->p + start, b->n - start));
}

static void write_aws(struct rf_buf *out, const struct rf_outgoing *m)
{
    const char *const headers[][2] = {
        { m->exception ? ":exception-type" : ":event-type", m->name },
        { ":content-type", "application/json" },
        { ":message-type", m->exception ? "exception" : "event" },
    };
    size_t count = sizeof headers / sizeof *headers, size = 0, start = out->n;
    for (size_t i = 0; i < count; i++)
        size += header_size(headers[i][0], headers[i][1]);
    add_u32(out, (uint32_t)(12 + size + m->data.n + 4));
    add_u32(out, (uint32_t)size);
    add_checksum(out, start);
    for (size_t i = 0; i < count; i++)
        add_header(out, headers[i][0], headers[i][1]);
    rf_buf_add(out, m->data);
    add_checksum(out, start);
}

void rf_framing_write(enum rf_framing_kind kind, const struct rf_outgoing *m, struct rf_buf *out)
{
    switch (kind) {
    case RF_FRAMING_SSE:
        if (m->name)
            rf_buf_addf(out, "event: %s\n", m->name);
        rf_buf_add(out, RF_STR("data: "));
        rf_buf_add(out, m->data);
        rf_buf_add(out, RF_STR("\n\n"));
        return;
    case RF_FRAMING_LINES:
        rf_buf_add(out, m->data);
        rf_buf_addc(out, '\n');
        return;
    case RF_FRAMING_AWS:
        write_aws(out, m);
        return;
    }
}
