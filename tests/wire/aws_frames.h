/* Frames of an AWS event stream, written by hand.
 *
 *     rf_buf_init(&b, a, SIZE_MAX);
 *     aws_event(&b, "messageStop", RF_STR("{\"stopReason\":\"end_turn\"}"));
 */
#ifndef TESTS_WIRE_AWS_FRAMES_H
#define TESTS_WIRE_AWS_FRAMES_H

#include "base/buf.h"
#include "base/crc32.h"

static inline void aws_number(struct rf_buf *b, uint32_t n, unsigned bytes)
{
    while (bytes-- > 0)
        rf_buf_addc(b, (char)(n >> 8 * bytes & 255));
}

/* A header whose value is a string. */
static inline void aws_header(struct rf_buf *b, const char *name, struct rf_str value)
{
    aws_number(b, (uint32_t)strlen(name), 1);
    rf_buf_add(b, rf_str(name));
    aws_number(b, 7, 1);
    aws_number(b, (uint32_t)value.n, 2);
    rf_buf_add(b, value);
}

/* A frame with those lengths in its head, whatever it holds; the checksums are right. */
static inline void aws_frame_as(struct rf_buf *b, struct rf_str headers, struct rf_str payload,
                                size_t total, size_t header_bytes)
{
    size_t at = b->n;
    aws_number(b, (uint32_t)total, 4);
    aws_number(b, (uint32_t)header_bytes, 4);
    aws_number(b, rf_crc32(b->p + at, 8), 4);
    rf_buf_add(b, headers);
    rf_buf_add(b, payload);
    aws_number(b, rf_crc32(b->p + at, b->n - at), 4);
}

static inline void aws_frame(struct rf_buf *b, struct rf_str headers, struct rf_str payload)
{
    aws_frame_as(b, headers, payload, headers.n + payload.n + 16, headers.n);
}

/* As the Converse API writes them. */
static inline void aws_message(struct rf_buf *b, const char *kind, const char *name_header,
                               const char *name, struct rf_str payload)
{
    struct rf_buf headers;
    rf_buf_init(&headers, b->arena, 65536);
    aws_header(&headers, name_header, rf_str(name));
    aws_header(&headers, ":content-type", RF_STR("application/json"));
    aws_header(&headers, ":message-type", rf_str(kind));
    aws_frame(b, (struct rf_str){ headers.p, headers.n }, payload);
}

static inline void aws_event(struct rf_buf *b, const char *name, struct rf_str payload)
{
    aws_message(b, "event", ":event-type", name, payload);
}

static inline void aws_exception(struct rf_buf *b, const char *name, struct rf_str payload)
{
    aws_message(b, "exception", ":exception-type", name, payload);
}

#endif
