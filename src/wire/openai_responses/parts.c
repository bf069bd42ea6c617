/* OpenAI Responses, the parts of a request's messages, each as a block.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 *     of a user or a tool                           block
 *     input_text {text}                             text
 *     input_image {image_url | file_id, detail}     image
 *     input_file {file_data | file_url | file_id}   document, or what its data URL says that it is
 *     input_audio {input_audio {data, format}}      audio
 *     of the assistant
 *     output_text {text, annotations}               text with citations; annotations that say more
 *                                                   than those are kept as well
 *     refusal {refusal}                             text, its type kept
 *     any other                                     opaque, in a message of its own
 *
 * Other members are kept with the block. A part without a source is not understood. */
#include "wire/openai_responses/openai_responses.h"

#include "base/arena.h"
#include "wire/aside.h"
#include "wire/bare.h"

static bool is(const struct rf_jval *v, const char *s)
{
    return v && v->type == RF_JSTRING && rf_jval_is(v, s);
}

bool rf_responses_is_text(const struct rf_jval *part)
{
    const struct rf_jval *type = rf_jval_get(part, "type"), *text = rf_jval_get(part, "text");
    return (is(type, "input_text") || is(type, "output_text") || is(type, "text")) && text &&
           text->type == RF_JSTRING;
}

static bool text_part(struct rf_builder *b, const struct rf_jval *part)
{
    static const char *const known[] = { "type", "text", NULL };
    struct rf_block *block = rf_build_text(b, rf_build_str(b, rf_jval_get(part, "text")));
    if (block)
        block->extra = rf_build_extra(b, part, known);
    return true;
}

static bool read_source(struct rf_builder *b, const struct rf_jval *part, const char *name,
                        struct rf_block *out)
{
    struct rf_source *source = &out->media.source;
    struct rf_str text = rf_build_str(b, rf_jval_get(part, name));
    bool is_id = strcmp(name, "file_id") == 0, is_data = strcmp(name, "file_data") == 0;
    if (is_id)
        *source = (struct rf_source){ .kind = RF_SOURCE_FILE_ID,
                                      .ref = text,
                                      .provider = RF_STR(RF_RESPONSES_PROVIDER) };
    else if (is_data && !rf_str_starts(text, "data:"))
        *source = (struct rf_source){ .kind = RF_SOURCE_DATA, .ref = text };
    else
        rf_build_url_source(out, text);
    rf_bare_url(out);
    return text.n > 0;
}

/* `names`: the members that may hold a source, of which the first one counts. */
static bool find_source(struct rf_builder *b, const struct rf_jval *part, const char *const *names,
                        struct rf_block *out, const char **found)
{
    for (*found = NULL; *names && !*found; names++)
        if (read_source(b, part, *names, out))
            *found = *names;
    return *found;
}

static bool is_detail(const struct rf_jval *v)
{
    return is(v, "auto") || is(v, "low") || is(v, "high") || is(v, "original");
}

static bool image_part(struct rf_builder *b, const struct rf_jval *part)
{
    static const char *const names[] = { "image_url", "file_id", NULL };
    const struct rf_jval *detail = rf_jval_get(part, "detail");
    const char *found;
    struct rf_block read = { 0 };
    if (!find_source(b, part, names, &read, &found))
        return false;
    const char *const known[] = { "type", found, is_detail(detail) ? "detail" : NULL, NULL };
    struct rf_block *block = rf_build_block(b, RF_BLOCK_IMAGE);
    block->media = read.media;
    if (is_detail(detail))
        block->media.detail = rf_build_str(b, detail);
    block->extra = rf_build_extra(b, part, known);
    return true;
}

static bool file_part(struct rf_builder *b, const struct rf_jval *part)
{
    static const char *const names[] = { "file_data", "file_url", "file_id", NULL };
    const char *found;
    struct rf_block read = { 0 };
    if (!find_source(b, part, names, &read, &found))
        return false;
    const char *const known[] = { "type", "filename", found, NULL };
    struct rf_block *block = rf_build_media(b, read.media.media_type);
    block->media = read.media;
    block->media.name = rf_build_str(b, rf_jval_get(part, "filename"));
    block->extra = rf_build_extra(b, part, known);
    return true;
}

static bool audio_part(struct rf_builder *b, const struct rf_jval *part)
{
    static const char *const known[] = { "type", "input_audio", NULL };
    const struct rf_jval *audio = rf_jval_get(part, "input_audio");
    struct rf_str data = rf_build_str(b, rf_jval_get(audio, "data"));
    struct rf_str format = rf_build_str(b, rf_jval_get(audio, "format"));
    if (!data.n)
        return false;
    struct rf_block *block = rf_build_block(b, RF_BLOCK_AUDIO);
    block->media.source = (struct rf_source){ .kind = RF_SOURCE_DATA, .ref = data };
    if (format.n)
        block->media.media_type = rf_str_is(format, "mp3")
                                      ? RF_STR("audio/mpeg")
                                      : rf_str_join(b->arena, RF_STR("audio/"), format);
    block->extra = rf_build_extra(b, part, known);
    return true;
}

bool rf_responses_part(struct rf_builder *b, const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type");
    if (rf_responses_is_text(v))
        return text_part(b, v);
    if (is(type, "input_image"))
        return image_part(b, v);
    if (is(type, "input_file"))
        return file_part(b, v);
    return is(type, "input_audio") && audio_part(b, v);
}

/* What the assistant said. */

static void offset(struct rf_json *w, const char *key, const struct rf_jval *v)
{
    int64_t n;
    if (v && v->type == RF_JNUMBER && rf_jval_int64(v, &n) && n >= 0)
        rf_json_int(w, key, n);
}

static void citation(struct rf_builder *b, struct rf_json *w, const struct rf_jval *v)
{
    const struct rf_jval *title = rf_jval_get(v, "title");
    rf_json_obj(w, NULL);
    rf_json_str_opt(w, "source", rf_build_str(b, rf_jval_get(v, "file_id")));
    rf_json_str_opt(w, "title", rf_build_str(b, title ? title : rf_jval_get(v, "filename")));
    rf_json_str_opt(w, "url", rf_build_str(b, rf_jval_get(v, "url")));
    offset(w, "start", rf_jval_get(v, "start_index"));
    offset(w, "end", rf_jval_get(v, "end_index"));
    rf_json_end(w);
}

/* The annotations of a text as its citations. False where those say less. */
static bool cite(struct rf_builder *b, struct rf_block *block, const struct rf_jval *list)
{
    struct rf_rope rope;
    struct rf_json w;
    bool all = true;
    if (!list || list->type != RF_JARRAY || !list->count)
        return !list || list->type == RF_JARRAY;
    rf_rope_init(&rope, b->arena);
    rf_json_init(&w, &rope);
    rf_json_arr(&w, NULL);
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        all &= is(rf_jval_get(v, "type"), "url_citation");
        if (v->type == RF_JOBJECT)
            citation(b, &w, v);
    }
    rf_json_end(&w);
    block->citations = rf_aside_made(&w, b->arena);
    return all;
}

/* A part that is not modelled, as a message of its own that can go back. */
static void odd_part(struct rf_builder *b, const struct rf_jval *v)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, b->arena);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str(&w, "role", RF_STR("assistant"));
    rf_json_arr(&w, "content");
    rf_json_value(&w, NULL, v);
    rf_json_end(&w);
    rf_json_end(&w);
    rf_build_opaque(b, rf_aside_made(&w, b->arena));
}

void rf_responses_said_part(struct rf_builder *b, const struct rf_jval *v)
{
    const struct rf_jval *refusal = rf_jval_get(v, "refusal");
    bool refused = is(rf_jval_get(v, "type"), "refusal") && refusal && refusal->type == RF_JSTRING;
    if (!refused && !rf_responses_is_text(v)) {
        odd_part(b, v);
        return;
    }
    struct rf_str text = rf_build_str(b, refused ? refusal : rf_jval_get(v, "text"));
    struct rf_block *block = rf_build_text(b, text);
    if (!block)
        return;
    bool cited = cite(b, block, rf_jval_get(v, "annotations"));
    const char *const known[] = { refused ? "refusal" : "type", "text",
                                  cited ? "annotations" : NULL, NULL };
    block->extra = rf_build_extra(b, v, known);
}
