/* Requests of OpenAI Chat Completions and its accents: the parts of content, and the settings.
 *
 *     part                                            block
 *     text, input_text, output_text                   text
 *     image_url, input_image                          image; a document where a data URL says so
 *     video_url, input_video                          video
 *     audio_url, input_audio                          audio
 *     document_url                                    document
 *     file {file_data | file_id}                      what its type says, else a document
 *     document {data}                                 json
 *     thinking                                        thinking
 *     refusal                                         text, the type kept aside
 *     other                                           opaque
 *
 * Messages are read in chat/parse.c. */
#include "wire/chat/parse.h"

#include "base/arena.h"
#include "media/media.h"
#include "wire/bare.h"

#define PROVIDER "openai-chat"

/* Media. */

struct rf_block *rf_completion_parse_url(struct rf_completion_parse *p, enum rf_block_type type,
                                         struct rf_str url)
{
    struct rf_block seen = { .type = type };
    rf_build_url_source(&seen, url);
    rf_bare_url(&seen);
    if (seen.media.source.kind == RF_SOURCE_NONE)
        return NULL;
    struct rf_block *block = rf_format_by_mime(seen.media.media_type)
                                 ? rf_build_media(p->b, seen.media.media_type)
                                 : rf_build_block(p->b, type);
    block->media = seen.media;
    return block;
}

static bool is_detail(struct rf_str s)
{
    return rf_str_is(s, "low") || rf_str_is(s, "high") || rf_str_is(s, "auto") ||
           rf_str_is(s, "original");
}

/* The URL is a string, or {"url":…,"detail":…}. */
static void url_part(struct rf_completion_parse *p, const struct rf_jval *part, const char *member,
                     const char *path, enum rf_block_type type)
{
    const struct rf_jval *v = rf_jval_get(part, member);
    struct rf_str url = rf_build_str(p->b, v), detail = rf_completion_parse_str(p, v, "detail");
    bool plain = url.n > 0;
    struct rf_block *block =
        rf_completion_parse_url(p, type, plain ? url : rf_completion_parse_str(p, v, "url"));
    if (!block) {
        rf_completion_parse_strange(p, part);
        return;
    }
    if (plain)
        detail = rf_completion_parse_str(p, part, "detail");
    bool detailed = block->type == RF_BLOCK_IMAGE && is_detail(detail);
    const char *known[] = { "type", "document_name", plain ? member : path,
                            !detailed ? NULL
                            : plain   ? "detail"
                                      : "image_url.detail",
                            NULL };
    if (detailed)
        block->media.detail = detail;
    block->media.name = rf_completion_parse_str(p, part, "document_name");
    block->extra = rf_completion_parse_extra(p, part, known);
}

static void image_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    url_part(p, part, "image_url", "image_url.url", RF_BLOCK_IMAGE);
}

static void video_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    url_part(p, part, "video_url", "video_url.url", RF_BLOCK_VIDEO);
}

static void sound_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    url_part(p, part, "audio_url", "audio_url.url", RF_BLOCK_AUDIO);
}

static void document_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    url_part(p, part, "document_url", "document_url.url", RF_BLOCK_DOCUMENT);
}

static bool is_url(struct rf_str s)
{
    struct rf_str start = { s.p, s.n < 32 ? s.n : 32 };
    return rf_str_starts(s, "data:") || rf_str_contains(start, RF_STR("://"));
}

/* Base64 alone, of that type, or anything that has a URL; NULL where it is empty. */
static struct rf_block *inline_file(struct rf_completion_parse *p, struct rf_str data,
                                    struct rf_str mime, enum rf_block_type type)
{
    if (is_url(data))
        return rf_completion_parse_url(p, type, data);
    if (!data.n)
        return NULL;
    struct rf_block *block = mime.n ? rf_build_media(p->b, mime) : rf_build_block(p->b, type);
    block->media.source = (struct rf_source){ .kind = RF_SOURCE_DATA, .ref = data };
    return block;
}

/* "mp3" is audio/mpeg, and what is unknown is audio/NAME. */
static struct rf_str sound_type(struct rf_completion_parse *p, struct rf_str name)
{
    if (!name.n)
        return name;
    const struct rf_format *f = rf_format_by_name(rf_strf(p->arena, "sound.%.*s", RF_FMT(name)));
    if (f && rf_str_starts(rf_str(f->mime), "audio/"))
        return rf_str(f->mime);
    return rf_str_join(p->arena, RF_STR("audio/"), name);
}

/* {"data":…,"format":…}, or the data alone. */
static void audio_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    static const char *const known[] = { "type", "input_audio.data", "input_audio.format", NULL };
    static const char *const plain[] = { "type", "input_audio", NULL };
    const struct rf_jval *v = rf_jval_get(part, "input_audio");
    bool is_plain = v && v->type == RF_JSTRING;
    struct rf_str data = is_plain ? rf_build_str(p->b, v) : rf_completion_parse_str(p, v, "data");
    struct rf_str mime = sound_type(p, rf_completion_parse_str(p, v, "format"));
    struct rf_block *block = inline_file(p, data, mime, RF_BLOCK_AUDIO);
    if (!block) {
        rf_completion_parse_strange(p, part);
        return;
    }
    if (!block->media.media_type.n)
        block->media.media_type = mime;
    block->extra = rf_completion_parse_extra(p, part, is_plain ? plain : known);
}

static struct rf_block *file(struct rf_completion_parse *p, const struct rf_jval *v)
{
    struct rf_str id = rf_completion_parse_str(p, v, "file_id"), mime = RF_STR("");
    struct rf_str name = rf_completion_parse_str(p, v, "filename");
    const struct rf_format *f = rf_format_by_name(name);
    struct rf_block *block;
    if (id.n) {
        block = rf_build_block(p->b, RF_BLOCK_DOCUMENT);
        block->media.source = (struct rf_source){ .kind = RF_SOURCE_FILE_ID,
                                                  .ref = id,
                                                  .provider = rf_str(p->grammar->provider) };
    } else {
        mime = f ? rf_str(f->mime) : mime;
        block = inline_file(p, rf_completion_parse_str(p, v, "file_data"), mime, RF_BLOCK_DOCUMENT);
    }
    if (block)
        block->media.name = name;
    return block;
}

/* {"file":{…}}, or the members of it in the part. */
static void file_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    static const char *const known[] = { "type", "file.filename", "file.file_data", "file.file_id",
                                         NULL };
    static const char *const plain[] = { "type", "filename", "file_data", "file_id", NULL };
    const struct rf_jval *v = rf_jval_get(part, "file");
    bool is_plain = !v || v->type != RF_JOBJECT;
    struct rf_block *block = file(p, is_plain ? part : v);
    if (block)
        block->extra = rf_completion_parse_extra(p, part, is_plain ? plain : known);
    else
        rf_completion_parse_strange(p, part);
}

/* Words. */

static void text_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    static const char *const known[] = { "type", "text", NULL };
    struct rf_block *block = rf_build_text(p->b, rf_completion_parse_str(p, part, "text"));
    if (block)
        block->extra = rf_completion_parse_extra(p, part, known);
}

static void refusal_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    static const char *const known[] = { "refusal", NULL };
    struct rf_block *block = rf_build_text(p->b, rf_completion_parse_str(p, part, "refusal"));
    if (block)
        block->extra = rf_completion_parse_extra(p, part, known);
}

static void data_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    static const char *const known[] = { "type", "document.data", NULL };
    const struct rf_jval *data = rf_jval_get(rf_jval_get(part, "document"), "data");
    if (!data) {
        rf_completion_parse_strange(p, part);
        return;
    }
    struct rf_block *block = rf_build_block(p->b, RF_BLOCK_JSON);
    block->value = data;
    block->extra = rf_completion_parse_extra(p, part, known);
}

/* A thought is a string, or parts again; a user has none. */
static void thinking_part(struct rf_completion_parse *p, const struct rf_jval *part)
{
    static const char *const known[] = { "type", "thinking", "signature", NULL };
    const struct rf_conversation *c = p->b->conversation;
    const struct rf_jval *said = rf_jval_get(part, "thinking");
    struct rf_str text = rf_build_str(p->b, said);
    struct rf_texts texts = { 0 };
    if (c->messages[c->message_count - 1].role != RF_ROLE_ASSISTANT || !said) {
        rf_completion_parse_strange(p, part);
        return;
    }
    for (const struct rf_jval *v = said->type == RF_JARRAY ? rf_jval_first(said) : NULL; v;
         v = rf_jval_next(said, v))
        rf_texts_add(&texts, rf_completion_parse_str(p, v, "text"), p->arena);
    struct rf_block *block = rf_build_block(p->b, RF_BLOCK_THINKING);
    block->thinking.text = text.n ? text : rf_texts_join(&texts, RF_STR(""), p->arena);
    block->thinking.signature = rf_completion_parse_str(p, part, "signature");
    block->extra = rf_completion_parse_extra(p, part, known);
}

/* Content. */

static void part(struct rf_completion_parse *p, const struct rf_jval *v)
{
    static const struct {
        const char *type;
        void (*take)(struct rf_completion_parse *p, const struct rf_jval *part);
    } parts[] = {
        { "audio_url", sound_part },       { "document", data_part },
        { "document_url", document_part }, { "file", file_part },
        { "image_url", image_part },       { "input_audio", audio_part },
        { "input_image", image_part },     { "input_text", text_part },
        { "input_video", video_part },     { "output_text", text_part },
        { "refusal", refusal_part },       { "text", text_part },
        { "thinking", thinking_part },     { "video_url", video_part },
    };
    const struct rf_jval *type = rf_jval_get(v, "type");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (type && rf_jval_is(type, parts[i].type)) {
            parts[i].take(p, v);
            return;
        }
    }
    if (v->type == RF_JSTRING)
        rf_build_text(p->b, rf_build_str(p->b, v));
    else if (v->type != RF_JNULL)
        rf_completion_parse_strange(p, v);
}

void rf_completion_parse_parts(struct rf_completion_parse *p, const struct rf_jval *v)
{
    if (!v || v->type != RF_JARRAY) {
        if (v)
            part(p, v);
        return;
    }
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
        part(p, e);
}

void rf_completion_parse_content(struct rf_completion_parse *p, const struct rf_jval *message)
{
    rf_completion_parse_parts(p, rf_jval_get(message, "content"));
    rf_completion_parse_parts(p, rf_jval_get(message, "images"));
}

/* Settings. */

void rf_completion_parse_known(struct rf_completion_parse *p, const char *path)
{
    if (p->known_count == RF_COMPLETION_KNOWN)
        RF_BUG("too many fields of a request");
    p->known[p->known_count++] = path;
}

void rf_completion_parse_number(struct rf_completion_parse *p, const struct rf_jval *v,
                                const char *path, const struct rf_jval **out)
{
    if (!v || v->type != RF_JNUMBER)
        return;
    *out = v;
    rf_completion_parse_known(p, path);
}

void rf_completion_parse_count(struct rf_completion_parse *p, const struct rf_jval *v,
                               const char *path, int64_t *out)
{
    int64_t n;
    if (!v || v->type != RF_JNUMBER || !rf_jval_int64(v, &n) || n <= 0 || *out)
        return;
    *out = n;
    rf_completion_parse_known(p, path);
}

static const struct rf_jval *made(struct rf_completion_parse *p, struct rf_str json)
{
    const struct rf_jval *v;
    if (rf_jval_parse(json, p->arena, &v, NULL))
        RF_BUG("JSON in memory could not be read");
    return v;
}

void rf_completion_parse_stop(struct rf_completion_parse *p, const struct rf_jval *v,
                              const char *path)
{
    struct rf_options *o = &p->b->conversation->options;
    if (rf_aside_is_strings(v))
        o->stop = v;
    else if (v && v->type == RF_JSTRING)
        o->stop = made(p, rf_strf(p->arena, "[\"%.*s\"]", RF_FMT(v->raw)));
    else
        return;
    rf_completion_parse_known(p, path);
}

void rf_completion_parse_think(struct rf_completion_parse *p, int64_t budget_tokens)
{
    struct rf_options *o = &p->b->conversation->options;
    o->thinking = made(p, RF_STR("{}"));
    o->thinking_budget = budget_tokens;
    o->thinking_off = false;
}

/* Words that only some models know ask for the most, and are kept aside too. */
void rf_completion_parse_effort(struct rf_completion_parse *p, const struct rf_jval *v,
                                const char *path)
{
    struct rf_options *o = &p->b->conversation->options;
    struct rf_str word = rf_build_str(p->b, v);
    bool most = rf_aside_is_most(word);
    if (rf_aside_effort(most ? RF_STR("high") : word, o) && !most)
        rf_completion_parse_known(p, path);
}

void rf_completion_parse_unthinking(struct rf_completion_parse *p, const struct rf_jval *v,
                                    const char *path)
{
    if (!v || (v->type != RF_JFALSE && !rf_jval_is(v, "disabled")))
        return;
    rf_aside_unthinking(&p->b->conversation->options);
    rf_completion_parse_known(p, path);
}

/* {"effort":…}, {"max_tokens":…} or {"enabled":true} */
static void reasoning(struct rf_completion_parse *p, const struct rf_jval *v)
{
    const struct rf_jval *enabled = rf_jval_get(v, "enabled");
    int64_t budget = 0;
    if (enabled && enabled->type == RF_JTRUE) {
        rf_completion_parse_think(p, 0);
        rf_completion_parse_known(p, "reasoning.enabled");
    }
    rf_completion_parse_unthinking(p, enabled, "reasoning.enabled");
    rf_completion_parse_effort(p, rf_jval_get(v, "effort"), "reasoning.effort");
    rf_completion_parse_count(p, rf_jval_get(v, "max_tokens"), "reasoning.max_tokens", &budget);
    if (budget)
        rf_completion_parse_think(p, budget);
}

/* {"type":"enabled","budget_tokens":…}; what else a type says is kept aside too. */
static void thinking_mode(struct rf_completion_parse *p, const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type");
    int64_t budget = 0;
    bool enabled = type && rf_jval_is(type, "enabled");
    rf_completion_parse_unthinking(p, type, "thinking.type");
    if (!enabled && !(type && rf_jval_is(type, "adaptive")))
        return;
    rf_completion_parse_count(p, rf_jval_get(v, "budget_tokens"), "thinking.budget_tokens",
                              &budget);
    rf_completion_parse_think(p, budget);
    if (enabled)
        rf_completion_parse_known(p, "thinking.type");
}

void rf_completion_parse_json(struct rf_completion_parse *p, const struct rf_jval *format)
{
    const struct rf_jval *type = rf_jval_get(format, "type");
    if (!type || !rf_jval_is(type, "json_object") || format->count != 1)
        return;
    p->b->conversation->options.json = true;
    rf_completion_parse_known(p, "response_format");
}

/* The schema of an answer. Its name is kept aside, and all that stands with it. */
static void response_format(struct rf_completion_parse *p, const struct rf_jval *v)
{
    const struct rf_jval *schema = rf_jval_get(rf_jval_get(v, "json_schema"), "schema");
    if (schema && schema->type == RF_JOBJECT)
        p->b->conversation->options.schema = schema;
    rf_completion_parse_json(p, v);
}

void rf_completion_parse_settings(struct rf_completion_parse *p, const struct rf_jval *body)
{
    struct rf_options *o = &p->b->conversation->options;
    const struct rf_jval *stream = rf_jval_get(body, "stream");
    rf_completion_parse_count(p, rf_jval_get(body, "max_completion_tokens"),
                              "max_completion_tokens", &o->max_tokens);
    rf_completion_parse_count(p, rf_jval_get(body, "max_tokens"), "max_tokens", &o->max_tokens);
    rf_completion_parse_number(p, rf_jval_get(body, "temperature"), "temperature", &o->temperature);
    rf_completion_parse_number(p, rf_jval_get(body, "top_p"), "top_p", &o->top_p);
    rf_completion_parse_stop(p, rf_jval_get(body, "stop"), "stop");
    response_format(p, rf_jval_get(body, "response_format"));
    thinking_mode(p, rf_jval_get(body, "thinking"));
    reasoning(p, rf_jval_get(body, "reasoning"));
    rf_completion_parse_effort(p, rf_jval_get(body, "reasoning_effort"), "reasoning_effort");
    o->stream = stream && stream->type == RF_JTRUE;
    if (stream && (stream->type == RF_JTRUE || stream->type == RF_JFALSE))
        rf_completion_parse_known(p, "stream");
}

enum rf_code rf_openai_chat_parse(const struct rf_jval *body, struct rf_builder *b,
                                  struct rf_err *err)
{
    static const struct rf_completion_grammar grammar = {
        .provider = PROVIDER,
        .content = rf_completion_parse_content,
        .settings = rf_completion_parse_settings,
    };
    return rf_completion_parse(body, &grammar, b, err);
}
