/* Any sequence of constructors with anything in them: one that fails names what is wrong and
 * changes nothing; whatever was built is written as JSON that is read as the same; a file that
 * is read back makes the same block again; and the rest without the files has none. */
#include <refract/content.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_CALLS 64
#define NOWHERE 255 /* a length byte for a string that has a length and no place */

struct input {
    const uint8_t *p;
    size_t n;
};

struct scene {
    struct rf_conversation *conversation;
    struct rf_result *result;
    struct rf_content *said, *asked; /* of the conversation, or NULL */
};

static uint8_t byte(struct input *in)
{
    if (!in->n)
        return 0;
    in->n--;
    return *in->p++;
}

static struct rf_str text(struct input *in)
{
    size_t n = byte(in);
    if (n == 0 || n == NOWHERE)
        return (struct rf_str){ NULL, n };
    n = n < in->n ? n : in->n;
    struct rf_str s = { (const char *)in->p, n };
    in->p += n;
    in->n -= n;
    return s;
}

/* Small ones, negative ones and the largest. */
static int64_t number(struct input *in)
{
    int8_t n = (int8_t)byte(in);
    return n == INT8_MAX ? INT64_MAX : n == INT8_MIN ? INT64_MIN : n;
}

static size_t struct_size(struct input *in, size_t size)
{
    uint8_t wrong = byte(in);
    return wrong > 250 ? wrong : size;
}

static struct rf_file file(struct input *in)
{
    struct rf_file f = { .size = struct_size(in, sizeof f) };
    struct rf_str *const texts[] = { &f.bytes,     &f.base64,     &f.path,   &f.url,
                                     &f.file_id,   &f.blob,       &f.id,     &f.name,
                                     &f.provider,  &f.media_type, &f.detail, &f.extracted_text,
                                     &f.transcript };
    int64_t *const numbers[] = { &f.size_bytes,    &f.width,         &f.height,     &f.page_count,
                                 &f.page_range[0], &f.page_range[1], &f.duration_ms };
    f.type = (enum rf_block_type)(byte(in) % 16);
    for (uint8_t which = byte(in) % 32; in->n && which < 20; which = byte(in) % 32) {
        if (which < 13)
            *texts[which] = text(in);
        else
            *numbers[which - 13] = number(in);
    }
    return f;
}

static struct rf_content *content(const struct scene *s, struct input *in)
{
    uint8_t which = byte(in) % 4;
    return which == 0 ? s->said : which == 1 ? s->asked : rf_result_content(s->result);
}

static enum rf_code add(struct scene *s, struct input *in, struct rf_err *err)
{
    struct rf_content *c = content(s, in);
    struct rf_thinking t = { .size = struct_size(in, sizeof t) };
    struct rf_call call = { .size = struct_size(in, sizeof call) };
    char dialect[] = { (char)byte(in), (char)byte(in), '\0' };
    struct rf_file f;
    switch (byte(in) % 8) {
    case 0:
        return rf_content_text(c, text(in), err);
    case 1:
        return rf_content_json(c, text(in), err);
    case 2:
        f = file(in);
        return rf_content_file(c, &f, err);
    case 3:
        t.text = text(in);
        t.signature = text(in);
        t.redacted = text(in);
        return rf_content_thinking(c, &t, err);
    case 4:
        call.id = text(in);
        call.name = text(in);
        call.arguments = text(in);
        return rf_content_call(c, &call, err);
    case 5:
        return rf_content_opaque(c, dialect, text(in), err);
    case 6:
        return rf_content_fallback(c, text(in), err);
    default:
        return rf_content_cite(c, text(in), err);
    }
}

static enum rf_code set(struct scene *s, struct input *in, struct rf_err *err)
{
    struct rf_str first = text(in), second = text(in), third = text(in);
    switch (byte(in) % 9) {
    case 0:
        return rf_result_output(s->result, first, err);
    case 1:
        return rf_result_fail(s->result, first, err);
    case 2:
        return rf_result_data(s->result, first, err);
    case 3:
        return rf_result_changed(s->result, first, err);
    case 4:
        return rf_conversation_system(s->conversation, first, err);
    case 5:
        return rf_conversation_tool(s->conversation, first, second, third, err);
    case 6:
        return rf_conversation_user(s->conversation, (enum rf_speaker)(first.n % 4), &s->asked,
                                    err);
    case 7:
        return rf_conversation_assistant(s->conversation, first, second, &s->said, err);
    default:
        return rf_conversation_result(s->conversation, first, second, s->result, err);
    }
}

/* Both as one text, which the caller frees. */
static char *written(const struct scene *s, size_t *n)
{
    struct rf_str json, result;
    if (rf_conversation_write(s->conversation, &json, NULL) ||
        rf_result_json(s->result, RF_WITH_FILES, &result, NULL))
        abort();
    char *both = malloc(json.n + result.n + 1);
    if (!both)
        abort();
    memcpy(both, json.p, json.n);
    memcpy(both + json.n, result.p, result.n);
    *n = json.n + result.n;
    return both;
}

static void same(struct rf_str a, struct rf_str b)
{
    if (a.n != b.n || (a.n && memcmp(a.p, b.p, a.n) != 0))
        abort();
}

static void check_read(const struct scene *s)
{
    struct rf_conversation *c;
    struct rf_result *r;
    struct rf_str once, twice;
    if (rf_conversation_write(s->conversation, &once, NULL) ||
        rf_conversation_read(once, &c, NULL) || rf_conversation_write(c, &twice, NULL))
        abort();
    same(once, twice);
    rf_conversation_free(c);
    if (rf_result_json(s->result, RF_WITH_FILES, &once, NULL) || rf_result_read(once, &r, NULL) ||
        rf_result_json(r, RF_WITH_FILES, &twice, NULL))
        abort();
    same(once, twice);
    rf_result_free(r);
}

/* Files made again of what they are read as, beside a copy of the fallbacks, which are apart. */
static void check_files(const struct scene *s)
{
    struct rf_result *again = rf_result_new(), *rest;
    const struct rf_message *m = rf_result_message(s->result), *made;
    struct rf_str json;
    size_t count = 0;
    for (const struct rf_block *b = rf_message_file(m, NULL); b; b = rf_message_file(m, b)) {
        struct rf_file f = { .size = sizeof f }, g = f;
        if (rf_block_file(b, &f, NULL) || rf_content_file(rf_result_content(again), &f, NULL))
            abort();
        made = rf_result_message(again);
        if (rf_block_file(rf_message_block(made, count++), &g, NULL) || f.type != g.type ||
            f.size_bytes != g.size_bytes || f.page_range[1] != g.page_range[1])
            abort();
        same(f.bytes, g.bytes);
        same(f.name, g.name);
        same(f.media_type, g.media_type);
    }
    if (rf_result_json(s->result, RF_WITHOUT_FILES, &json, NULL) ||
        rf_result_read(json, &rest, NULL) || rf_message_file(rf_result_message(rest), NULL) ||
        rf_message_count(rf_result_message(rest)) + count != rf_message_count(m))
        abort();
    rf_result_free(rest);
    rf_result_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    struct scene s = { .conversation = rf_conversation_new(), .result = rf_result_new() };
    size_t before_n, after_n;
    for (int i = 0; in.n && i < MOST_CALLS; i++) {
        struct rf_err err = { 0 };
        char *before = written(&s, &before_n);
        enum rf_code rc = byte(&in) % 2 ? add(&s, &in, &err) : set(&s, &in, &err);
        if (rc && (!err.msg[0] || err.code != rc))
            abort();
        if (rc && rc != RF_EUSAGE && rc != RF_EFORMAT && rc != RF_ELIMIT)
            abort();
        char *after = written(&s, &after_n);
        if (rc && (before_n != after_n || memcmp(before, after, before_n) != 0))
            abort();
        free(before);
        free(after);
    }
    check_read(&s);
    check_files(&s);
    rf_result_free(s.result);
    rf_conversation_free(s.conversation);
    return 0;
}
