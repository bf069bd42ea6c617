/* Any sequence of events, and any neutral message, written as the reply of an API, whole and as a
 * stream: the API's own decoder reads both, and both say the same number of words and calls.
 *
 * The first byte chooses the model, whether the reply was said in its dialect, and whether the rest
 * is a message or events. An event is two bytes, which choose its type, its block and what it
 * carries, and its texts: a length and the bytes, or one of the phrases below. DONE comes last,
 * whatever came before. */
#include "base/arena.h"
#include "base/json_read.h"
#include "content/block.h"
#include "content/message.h"
#include "content/reply.h"
#include "model/model.h"
#include "request/request.h"
#include "wire/wire.h"

#include <refract/respond.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const models[][2] = {
    { "anthropic", "claude-sonnet-4-5" },
    { "bedrock", "anthropic.claude" },
    { "google", "gemini-3" },
    { "openai", "gpt-5" },
    { "openai-chat", "gpt-4o" },
    { "mistral", "mistral-medium" },
    { "ollama", "llava" },
    { "cohere", "command-a" },
};
#define MODELS (sizeof models / sizeof *models)

#define SAYS(block) "{\"role\":\"assistant\",\"content\":[{" block "}],\"usage\":{}}"

/* What a fuzzer would hardly come up with. */
static const char *const phrases[] = {
    "{}",
    "{\"a\":1}",
    "{\"a\":",
    "1}",
    "iVBORw0KGgo=",
    "image/png",
    "http://a.example/b.png",
    "s3://a/b.png",
    "{\"url\":\"http://a.example\",\"title\":\"t\",\"start\":0,\"end\":3}",
    SAYS("\"type\":\"text\",\"text\":\"hi\",\"citations\":[{\"source\":\"s\",\"text\":\"c\"}]"),
    SAYS("\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\""),
    SAYS("\"type\":\"thinking\",\"thinking\":\"\",\"redacted\":\"cmVk\",\"encrypted\":\"e\""),
    SAYS("\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{\"a\":1}"),
    SAYS("\"type\":\"image\",\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\""),
    SAYS("\"type\":\"audio\",\"url\":\"http://a.example\",\"transcript\":\"t\""),
    SAYS(
        "\"type\":\"opaque\",\"dialect\":\"bedrock\",\"value\":{\"toolResult\":{\"content\":[1]}}"),
};
#define PHRASES (sizeof phrases / sizeof *phrases)

static void expect(bool holds)
{
    if (!holds)
        abort();
}

struct input {
    const uint8_t *p;
    size_t n;
};

/* What is the same for a body and a stream. */
struct task {
    const struct rf_model *model;
    uint8_t how;
    bool is_told; /* DONE had a reply, which need not be what the events said */
    struct rf_arena *arena;
};

static uint8_t next(struct input *in)
{
    if (!in->n)
        return 0;
    in->n--;
    return *in->p++;
}

static struct rf_str next_text(struct input *in)
{
    size_t n = next(in);
    if (n >= 256 - PHRASES)
        return rf_str(phrases[n - (256 - PHRASES)]);
    n = n < in->n ? n : in->n;
    struct rf_str text = { (const char *)in->p, n };
    in->p += n;
    in->n -= n;
    return text;
}

/* Events */

static const struct rf_message *message_of(struct rf_str json, struct rf_arena *a)
{
    struct rf_message *m = RF_NEW(a, struct rf_message);
    struct rf_ending *ending = RF_NEW(a, struct rf_ending);
    const struct rf_jval *v;
    const struct rf_jpath at = { 0 };
    if (rf_jval_parse(json, a, &v, NULL) || rf_message_read(v, &at, a, m, NULL))
        return NULL;
    rf_ending_read(v, a, ending);
    m->ending = ending;
    return m;
}

/* The first block of a message. */
static const struct rf_block *block_of(struct rf_str json, struct rf_arena *a)
{
    const struct rf_message *m = message_of(json, a);
    return m && m->block_count ? m->blocks : NULL;
}

static const struct rf_usage *usage_of(uint8_t n, struct rf_arena *a)
{
    static const int64_t counts[] = { -1, 0, 1, 70, INT64_MAX };
    struct rf_usage *u = RF_NEW(a, struct rf_usage);
    *u = rf_no_usage;
    u->input = counts[n % 5];
    u->output = counts[n / 5 % 5];
    u->cached = counts[n / 7 % 5];
    u->cache_write = u->output_text = counts[n / 11 % 5];
    u->reasoning = u->input_image = counts[n / 13 % 5];
    return u;
}

static struct rf_event next_event(struct input *in, struct rf_arena *a)
{
    static const char *const kinds[] = { "text",  "thinking", "tool_call", "image", "document",
                                         "audio", "video",    "opaque",    "json",  "other" };
    uint8_t what = next(in), which = next(in);
    struct rf_event e = { .size = sizeof e, .type = (what & 15) % 13, .retry_after_ms = -1 };
    e.block = which & 3;
    e.kind = (which >> 2) % 11 ? kinds[(which >> 2) % 11 - 1] : NULL;
    e.stop = which % (RF_STOP_ERROR + 1);
    e.error = which % (RF_ERROR_OTHER + 1);
    e.text = next_text(in);
    e.usage = e.type == RF_EVENT_USAGE ? usage_of(which, a) : NULL;
    if (what & 16) {
        e.id = next_text(in);
        e.name = next_text(in);
        e.url = next_text(in);
    }
    if (what & 32 && e.type == RF_EVENT_DONE)
        e.reply = message_of(next_text(in), a);
    else if (what & 32)
        e.done = block_of(next_text(in), a);
    return e;
}

/* Sends all of them; DONE comes at the end in any case. */
static void send_events(struct rf_respond *r, struct input in, struct task *t)
{
    while (in.n) {
        struct rf_event e = next_event(&in, t->arena);
        enum rf_code rc = rf_respond_event(r, &e, NULL);
        expect(rc == RF_OK || rc == RF_EFORMAT);
        t->is_told = t->is_told || e.reply;
    }
    const struct rf_event done = { .size = sizeof done, .type = RF_EVENT_DONE };
    expect(!rf_respond_event(r, &done, NULL));
}

/* Replies */

struct said {
    bool replied; /* it was not refused */
    size_t words, calls, broken; /* `broken`: calls whose arguments cannot be read */
};

static void count(struct rf_str json, struct rf_arena *a, struct said *out)
{
    const struct rf_jval *root, *list;
    expect(!rf_jval_parse(json, a, &root, NULL));
    list = rf_jval_get(root, "content");
    for (const struct rf_jval *b = rf_jval_first(list); b; b = rf_jval_next(list, b)) {
        const struct rf_jval *text = rf_jval_get(b, "text");
        if (rf_jval_is(rf_jval_get(b, "type"), "text") && text)
            out->words += rf_jval_text(text, a).n;
        out->calls += rf_jval_is(rf_jval_get(b, "type"), "tool_call");
        out->broken += rf_jval_get(b, "malformed_arguments") != NULL;
    }
}

static void check(const struct task *t, struct rf_respond *r, bool stream, struct said *out)
{
    stream = stream && rf_respond_status(r) == 200;
    struct rf_decode *d = stream ? rf_decode_stream(t->model) : rf_decode_response(t->model);
    struct rf_str json;
    expect(!rf_decode_feed(d, rf_respond_bytes(r), NULL));
    enum rf_code rc = rf_decode_finish(d, &json, NULL);
    expect(rc == RF_OK || rc == RF_EPROVIDER);
    *out = (struct said){ .replied = rc == RF_OK };
    count(json, t->arena, out);
    rf_decode_free(d);
}

/* False where it could not be read. */
static bool respond(struct task *t, struct input in, bool stream, struct said *out)
{
    const struct rf_respond_options o = {
        .size = sizeof o,
        .dialect = rf_cstr(t->arena, t->model->caps.dialect),
        .stream = stream,
        .from = t->how & 64 ? t->model : NULL,
    };
    struct rf_respond *r;
    bool is_message = t->how & 128;
    struct rf_str json = { (const char *)in.p, in.n };
    expect(!rf_respond_new(&o, &r, NULL));
    bool read = !is_message || !rf_respond_message(r, json, NULL);
    if (!is_message)
        send_events(r, in, t);
    if (read)
        check(t, r, stream, out);
    rf_respond_free(r);
    return read;
}

static void compare(struct task *t, struct input in)
{
    struct said whole, streamed;
    if (!respond(t, in, false, &whole) || !respond(t, in, true, &streamed) || t->is_told)
        return;
    if (!whole.replied || !streamed.replied)
        return;
    /* A body may have words where a stream has begun to tell of a call. */
    expect(whole.calls - whole.broken == streamed.calls - streamed.broken);
    expect(whole.words == streamed.words || whole.broken < streamed.broken);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_model m;
    struct input in = { data, size };
    struct task t = { .model = &m, .how = next(&in), .arena = rf_arena_new() };
    const char *const *name = models[(t.how & 63) % MODELS];
    expect(!rf_model_init(&m, rf_str(name[0]), rf_str(name[1]), t.arena, NULL));
    if (rf_dialect_find(m.caps.dialect)->replies)
        compare(&t, in);
    rf_arena_free(t.arena);
    return 0;
}
