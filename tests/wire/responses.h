/* Replies on their way out as table rows: a neutral message, and the body and the stream that it
 * must become, to the last byte. JSON is written with ' for "; the time of writing is 0. */
#ifndef TESTS_WIRE_RESPONSES_H
#define TESTS_WIRE_RESPONSES_H

#include "testing.h"

#include "base/buf.h"
#include "content/content.h"
#include "wire/wire.h"

#include <refract/respond.h>

/* What stands for a call of "look" with the arguments "{x". */
#define UNREADABLE "[look was called with arguments that are not a JSON object: {x]"

struct response_row {
    const char *name;
    const char *from;    /* the provider that said it */
    const char *content; /* of the message */
    const char *ending;  /* its other members, each after a comma; or "" */
    const char *whole;   /* or NULL */
    const char *stream;  /* or NULL */
    const char *lost;    /* what could not be said, a line each; or NULL */
};

/* What tells the time of writing is 0. */
static inline struct rf_str timeless(struct rf_str text, const char *const *clocks,
                                     struct rf_arena *a)
{
    struct rf_buf out;
    struct rf_str all;
    rf_buf_init(&out, a, 1 << 20);
    for (size_t i = 0; i < text.n;) {
        struct rf_str rest = { text.p + i, text.n - i };
        const char *const *clock = clocks;
        while (*clock && !rf_str_starts(rest, *clock))
            clock++;
        size_t n = *clock ? strlen(*clock) : 1;
        rf_buf_add(&out, (struct rf_str){ rest.p, n });
        for (i += n; *clock && i < text.n && strchr("0123456789-:.TZ", text.p[i]); i++)
            ;
    }
    assert_int_equal(rf_buf_finish(&out, &all, NULL), RF_OK);
    return all;
}

/* AWS frames, a line each: the name, which has a "!" before it where it is that of an exception, a
 * blank, and the data. */
static inline struct rf_str frames_as_lines(struct rf_str bytes, struct rf_arena *a)
{
    struct rf_framing f;
    struct rf_frame frame;
    struct rf_str all = RF_STR("");
    enum rf_code rc = RF_OK;
    rf_framing_init(&f, RF_FRAMING_AWS);
    while (rf_framing_next(&f, &bytes, &frame, &rc, NULL))
        all = rf_strf(a, "%.*s%s%.*s %.*s\n", RF_FMT(all), frame.exception ? "!" : "",
                      RF_FMT(frame.name), RF_FMT(frame.data));
    assert_int_equal(rc, RF_OK);
    assert_false(rf_framing_last(&f, &frame, &rc, NULL));
    rf_framing_release(&f);
    return all;
}

static inline struct rf_str bytes_without_time(struct rf_respond *r, struct rf_arena *a)
{
    if (strstr(rf_respond_content_type(r), "amazon"))
        return frames_as_lines(rf_respond_bytes(r), a);
    static const char *const clocks[] = { "\"created\":", "\"expires_at\":", "\"created_at\":\"",
                                          "\"created_at\":", NULL };
    return timeless(rf_respond_bytes(r), clocks, a);
}

static inline struct rf_respond *respond_as(const char *dialect, bool stream)
{
    const struct rf_respond_options o = {
        .size = sizeof o, .dialect = dialect, .model = "m", .stream = stream
    };
    struct rf_respond *r;
    assert_int_equal(rf_respond_new(&o, &r, NULL), RF_OK);
    return r;
}

static inline struct rf_str told_lost(const struct rf_respond *r, struct rf_arena *a)
{
    struct rf_str all = RF_STR("");
    for (size_t i = 0; i < rf_respond_lost_count(r); i++)
        all = rf_strf(a, "%.*s%.*s\n", RF_FMT(all), RF_FMT(rf_respond_lost(r, i)));
    return all;
}

static inline void check_response(const struct response_row *row, const char *dialect, bool stream)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_respond *r = respond_as(dialect, stream);
    struct rf_str message = rf_strf(
        a, "{\"role\":\"assistant\",\"origin\":{\"provider\":\"%s\",\"model\":\"x\"},%s%s%s}",
        row->from, "\"content\":", quoted(a, row->content).p, quoted(a, row->ending).p);
    assert_int_equal(rf_respond_message(r, message, NULL), RF_OK);
    assert_str(bytes_without_time(r, a), quoted(a, stream ? row->stream : row->whole).p);
    assert_str(told_lost(r, a), row->lost ? row->lost : "");
    rf_respond_free(r);
    rf_arena_free(a);
}

static inline void check_response_row(const struct response_row *row, const char *dialect)
{
    if (row->whole)
        check_response(row, dialect, false);
    if (row->stream)
        check_response(row, dialect, true);
}

/* Errors: by kind, the body and its status. */

struct error_row {
    const char *name, *kind, *whole;
    int status;
};

static inline void check_error_row(const struct error_row *row, const char *dialect)
{
    struct rf_arena *a = rf_arena_new();
    for (int stream = 0; stream < 2; stream++) { /* before anything was said */
        struct rf_respond *r = respond_as(dialect, stream);
        struct rf_str message = rf_strf(a,
                                        "{\"role\":\"assistant\",\"content\":[],"
                                        "\"error\":{\"kind\":\"%s\",\"message\":\"no\"}}",
                                        row->kind);
        assert_int_equal(rf_respond_message(r, message, NULL), RF_OK);
        assert_str(bytes_without_time(r, a), quoted(a, row->whole).p);
        assert_int_equal(rf_respond_status(r), row->status);
        rf_respond_free(r);
    }
    rf_arena_free(a);
}

/* Events by hand, the stream that they become. */

#define EVENT_OF(which, number, what, ...)                                                         \
    {                                                                                              \
        .size = sizeof(struct rf_event), .type = which, .block = number, .kind = what, __VA_ARGS__ \
    }
#define MOST_EVENTS 12

struct event_row {
    const char *name;
    struct rf_event events[MOST_EVENTS]; /* up to one without a size */
    const char *stream;
};

static inline void check_event_row(const struct event_row *row, const char *dialect)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_respond *r = respond_as(dialect, true);
    struct rf_str all = RF_STR("");
    for (size_t i = 0; i < MOST_EVENTS && row->events[i].size; i++) {
        assert_int_equal(rf_respond_event(r, &row->events[i], NULL), RF_OK);
        all = rf_str_join(a, all, bytes_without_time(r, a));
    }
    assert_str(all, quoted(a, row->stream).p);
    rf_respond_free(r);
    rf_arena_free(a);
}

/* An API's own reply, read, written and read again, whole and as a stream. */

static inline struct rf_str read_reply(const struct rf_model *m, struct rf_str bytes, bool stream,
                                       struct rf_arena *a)
{
    struct rf_decode *d = stream ? rf_decode_stream(m) : rf_decode_response(m);
    struct rf_str json;
    assert_int_equal(rf_decode_feed(d, bytes, NULL), RF_OK);
    (void)!rf_decode_finish(d, &json, NULL);
    json = rf_str_dup(a, json);
    rf_decode_free(d);
    return json;
}

static inline void check_read_again(const char *model, const char *dialect, const char *reply)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model *m;
    assert_int_equal(rf_model_open(NULL, model, &m, NULL), RF_OK);
    struct rf_str message = read_reply(m, quoted(a, reply), false, a);
    for (int stream = 0; stream < 2; stream++) {
        struct rf_respond *r = respond_as(dialect, stream);
        assert_int_equal(rf_respond_message(r, message, NULL), RF_OK);
        struct rf_str bytes = rf_str_dup(a, rf_respond_bytes(r));
        assert_str(read_reply(m, bytes, stream && rf_respond_status(r) == 200, a),
                   rf_cstr(a, message));
        rf_respond_free(r);
    }
    rf_model_close(m);
    rf_arena_free(a);
}

#endif
