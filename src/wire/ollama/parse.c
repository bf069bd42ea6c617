/* Requests of Ollama's own chat API.
 *
 *     on the wire                                     in the conversation
 *     content with images[]                           text, images, sounds; [img] marks a place
 *     tool_calls[], thinking                          as in all chat requests: see chat/parse.c
 *     tool, paired by id, by tool_name, by order      tool message
 *     options.num_predict, .temperature, …            max_tokens, temperature, top_p, stop
 *     think: true, "low", …                           thinking
 *     stream, which is on where nothing is said       stream
 *     format: a schema, "json"                        schema, json
 *     keep_alive, other options                       kept aside
 *
 * Images that no mark names stand in front, as the server puts them. Whether one is a picture or a
 * sound is told by its first bytes. */
#include "wire/chat/parse.h"

#include "base/arena.h"
#include "base/base64.h"
#include "media/media.h"

#define PROVIDER "ollama"
#define MARK "[img]"
#define SEEN 4096 /* characters of base64 that are looked at */

static bool is_sound(struct rf_str base64, struct rf_arena *a)
{
    size_t n = base64.n < SEEN ? base64.n : SEEN, size;
    struct rf_err err;
    struct rf_reader r;
    if (!rf_base64_decoded_length(base64.p, n, &size))
        return false;
    char *bytes = rf_arena_alloc(a, size + 1);
    const struct rf_bytes seen = rf_bytes_memory((struct rf_str){ bytes, size });
    if (!rf_base64_decode(base64.p, n, bytes) || rf_reader_open(&r, &seen, &err))
        return false;
    const struct rf_format *f = rf_sniff(&r);
    rf_reader_close(&r);
    return f && f->kind == RF_KIND_AUDIO;
}

static void image(struct rf_completion_parse *p, const struct rf_jval *v)
{
    struct rf_str data = rf_build_str(p->b, v);
    if (!data.n) {
        rf_completion_parse_strange(p, v);
        return;
    }
    if (rf_str_starts(data, "data:") && rf_completion_parse_url(p, RF_BLOCK_IMAGE, data))
        return;
    struct rf_block *block =
        rf_build_block(p->b, is_sound(data, p->arena) ? RF_BLOCK_AUDIO : RF_BLOCK_IMAGE);
    block->media.source = (struct rf_source){ .kind = RF_SOURCE_DATA, .ref = data };
}

static const char *next_mark(struct rf_str text)
{
    return text.n ? memmem(text.p, text.n, MARK, strlen(MARK)) : NULL;
}

/* How many images have no mark. */
static size_t unmarked(const struct rf_jval *images, struct rf_str text)
{
    size_t left = images ? images->count : 0;
    for (const char *at = next_mark(text); left && at; at = next_mark(text), left--) {
        size_t past = (size_t)(at - text.p) + strlen(MARK);
        text = (struct rf_str){ text.p + past, text.n - past };
    }
    return left;
}

/* Cut the text before the next mark off, without the line feeds that set the mark apart. */
static struct rf_str cut_at_mark(struct rf_str *text)
{
    const char *at = next_mark(*text);
    size_t n = (size_t)(at - text->p), past = n + strlen(MARK);
    struct rf_str before = { text->p, n && at[-1] == '\n' ? n - 1 : n };
    if (past < text->n && text->p[past] == '\n')
        past++;
    *text = (struct rf_str){ text->p + past, text->n - past };
    return before;
}

static void content(struct rf_completion_parse *p, const struct rf_jval *message)
{
    const struct rf_jval *list = rf_jval_get(message, "images"), *v, *first;
    const struct rf_jval *said = rf_jval_get(message, "content");
    struct rf_str text = rf_build_str(p->b, said);
    if (list && list->type != RF_JARRAY)
        list = NULL;
    size_t marked = list ? list->count - unmarked(list, text) : 0, i = 0;
    first = list ? rf_jval_first(list) : NULL;
    for (v = first; v; v = rf_jval_next(list, v))
        if (i++ >= marked)
            image(p, v);
    for (v = first; v && marked; v = rf_jval_next(list, v), marked--) {
        rf_build_text(p->b, cut_at_mark(&text));
        image(p, v);
    }
    if (said && said->type == RF_JSTRING)
        rf_build_text(p->b, text);
    else
        rf_completion_parse_parts(p, said);
}

static void settings(struct rf_completion_parse *p, const struct rf_jval *body)
{
    struct rf_options *o = &p->b->conversation->options;
    const struct rf_jval *options = rf_jval_get(body, "options");
    const struct rf_jval *think = rf_jval_get(body, "think"), *stream = rf_jval_get(body, "stream");
    const struct rf_jval *format = rf_jval_get(body, "format");
    rf_completion_parse_count(p, rf_jval_get(options, "num_predict"), "options.num_predict",
                              &o->max_tokens);
    rf_completion_parse_number(p, rf_jval_get(options, "temperature"), "options.temperature",
                               &o->temperature);
    rf_completion_parse_number(p, rf_jval_get(options, "top_p"), "options.top_p", &o->top_p);
    rf_completion_parse_stop(p, rf_jval_get(options, "stop"), "options.stop");
    if (think && think->type == RF_JTRUE) {
        rf_completion_parse_think(p, 0);
        rf_completion_parse_known(p, "think");
    }
    rf_completion_parse_unthinking(p, think, "think");
    rf_completion_parse_effort(p, think, "think");
    if (format && format->type == RF_JOBJECT) {
        o->schema = format;
        rf_completion_parse_known(p, "format");
    } else if (format && rf_jval_is(format, "json")) {
        o->json = true;
        rf_completion_parse_known(p, "format");
    }
    o->stream = !stream || stream->type != RF_JFALSE;
    if (stream && (stream->type == RF_JTRUE || stream->type == RF_JFALSE))
        rf_completion_parse_known(p, "stream");
}

enum rf_code rf_ollama_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err)
{
    static const struct rf_completion_grammar grammar = {
        .provider = PROVIDER,
        .by_order = true,
        .content = content,
        .settings = settings,
    };
    return rf_completion_parse(body, &grammar, b, err);
}
