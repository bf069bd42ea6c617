/* Reading requests for Amazon Bedrock's Converse API: the blocks. parse.c has the rest.
 *
 * Each kind is tried in turn; what none takes is opaque in an answer, where it can go back, and
 * json elsewhere, so that a model reads it. It refuses nothing. */
#include "wire/bedrock/bedrock.h"

#include "base/arena.h"

static bool is(const struct rf_jval *v, enum rf_jtype type)
{
    return v && v->type == type;
}

static const struct rf_jval *first_of(const struct rf_jval *v)
{
    return is(v, RF_JARRAY) ? rf_jval_first(v) : NULL;
}

struct rf_str rf_bedrock_text(struct rf_bedrock_request *p, const struct rf_jval *object,
                              const char *name)
{
    return rf_build_str(p->b, rf_jval_get(object, name));
}

/* Files. */

/* The words of a document that is given as text, or as a list of texts. */
static struct rf_str document_text(struct rf_bedrock_request *p, const struct rf_jval *source)
{
    const struct rf_jval *list = rf_jval_get(source, "content");
    struct rf_texts texts = { 0 };
    rf_texts_add(&texts, rf_bedrock_text(p, source, "text"), p->b->arena);
    for (const struct rf_jval *v = first_of(list); v; v = rf_jval_next(list, v))
        rf_texts_add(&texts, rf_bedrock_text(p, v, "text"), p->b->arena);
    return rf_texts_join(&texts, RF_STR("\n\n"), p->b->arena);
}

static bool file_source(struct rf_bedrock_request *p, const struct rf_jval *file,
                        struct rf_media *m)
{
    const struct rf_jval *source = rf_jval_get(file, "source");
    struct rf_str bytes = rf_bedrock_text(p, source, "bytes");
    struct rf_str uri = rf_bedrock_text(p, rf_jval_get(source, "s3Location"), "uri");
    struct rf_str words = bytes.n || uri.n ? RF_STR("") : document_text(p, source);
    if (bytes.n)
        m->source = (struct rf_source){ .kind = RF_SOURCE_DATA, .ref = bytes };
    else if (uri.n)
        m->source = (struct rf_source){ .kind = RF_SOURCE_URL, .ref = uri };
    else if (words.n)
        m->source = (struct rf_source){ .kind = RF_SOURCE_BYTES, .ref = words };
    if (words.n && !rf_str_starts(m->media_type, "text/"))
        m->media_type = RF_STR("text/plain");
    return m->source.kind != RF_SOURCE_NONE;
}

/* False where nothing says what is in it. */
static bool file_block(struct rf_bedrock_request *p, enum rf_block_type type,
                       const struct rf_jval *file)
{
    static const char *const known[] = { "name", "source", "format", NULL };
    static const char *const sources[] = { "bytes", "s3Location", "text", "content", NULL };
    static const char *const location[] = { "uri", NULL };
    const struct rf_jval *source = rf_jval_get(file, "source");
    struct rf_str format = rf_bedrock_text(p, file, "format");
    struct rf_media media = { .media_type = rf_bedrock_mime(type, format),
                              .name = rf_bedrock_text(p, file, "name") };
    bool told = media.media_type.n || !format.n;
    struct rf_aside s;
    if (!file_source(p, file, &media))
        return false;
    struct rf_block *block = rf_build_block(p->b, type);
    block->media = media;
    rf_aside_init(&s, p->b);
    if (!told)
        rf_aside_put(&s, "format", rf_jval_get(file, "format"));
    rf_aside_rest(&s, file, known);
    rf_aside_rest(&s, source, sources);
    rf_aside_rest(&s, rf_jval_get(source, "s3Location"), location);
    block->extra = rf_aside_done(&s);
    return true;
}

/* A block of any of the four kinds; false when it is none. */
static bool any_file(struct rf_bedrock_request *p, const struct rf_jval *v)
{
    static const struct {
        const char *member;
        enum rf_block_type type;
    } kinds[] = { { "image", RF_BLOCK_IMAGE },
                  { "document", RF_BLOCK_DOCUMENT },
                  { "video", RF_BLOCK_VIDEO },
                  { "audio", RF_BLOCK_AUDIO } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct rf_jval *file = rf_jval_get(v, kinds[i].member);
        if (is(file, RF_JOBJECT))
            return file_block(p, kinds[i].type, file);
    }
    return false;
}

/* Text. */

static bool text_block(struct rf_bedrock_request *p, const struct rf_jval *v)
{
    static const char *const known[] = { "text", NULL };
    const struct rf_jval *text = rf_jval_get(v, "text");
    if (!is(text, RF_JSTRING))
        return false;
    struct rf_block *block = rf_build_text(p->b, rf_build_str(p->b, text));
    if (block)
        block->extra = rf_build_extra(p->b, v, known);
    return true;
}

/* {"guardContent": {"text": {"text": "…", "qualifiers": [...]}}}, or an image. */
static bool guarded_block(struct rf_bedrock_request *p, const struct rf_jval *guarded)
{
    static const char *const known[] = { "text", NULL };
    const struct rf_jval *text = rf_jval_get(guarded, "text");
    struct rf_block *block;
    struct rf_aside s;
    if (!text)
        return any_file(p, guarded);
    block = rf_build_text(p->b, rf_bedrock_text(p, text, "text"));
    if (!block)
        return false;
    rf_aside_init(&s, p->b);
    rf_aside_open(&s, "guardContent");
    rf_aside_rest(&s, text, known);
    rf_aside_close(&s);
    block->extra = rf_aside_done(&s);
    return true;
}

void rf_bedrock_said(struct rf_bedrock_request *p, const struct rf_jval *v)
{
    if (v->type != RF_JNULL && !text_block(p, v) && !any_file(p, v) &&
        !guarded_block(p, rf_jval_get(v, "guardContent")))
        rf_build_opaque(p->b, v);
}

/* Answers. */

static void number(struct rf_json *w, const char *key, const struct rf_jval *v)
{
    if (is(v, RF_JNUMBER))
        rf_json_value(w, key, v);
}

/* `location` has one member, which says how `start` and `end` count: {"documentPage": {…}}. */
static void citation(struct rf_bedrock_request *p, struct rf_json *w, const struct rf_jval *v)
{
    const struct rf_jval *location = rf_jval_get(v, "location"), *place = NULL;
    const struct rf_jval *list = rf_jval_get(v, "sourceContent");
    if (is(location, RF_JOBJECT) && location->count)
        place = rf_jval_first(location) + 1;
    rf_json_obj(w, NULL);
    rf_json_str_opt(w, "source", rf_bedrock_text(p, v, "source"));
    rf_json_str_opt(w, "title", rf_bedrock_text(p, v, "title"));
    rf_json_str_opt(w, "url", rf_bedrock_text(p, place, "url"));
    number(w, "start", rf_jval_get(place, "start"));
    number(w, "end", rf_jval_get(place, "end"));
    if (first_of(list)) {
        rf_json_str_open(w, "text");
        for (const struct rf_jval *e = first_of(list); e; e = rf_jval_next(list, e))
            rf_json_part(w, rf_bedrock_text(p, e, "text"));
        rf_json_str_close(w);
    }
    if (place)
        rf_json_value(w, "location", location);
    rf_json_end(w);
}

static const struct rf_jval *citations(struct rf_bedrock_request *p, const struct rf_jval *list)
{
    struct rf_rope rope;
    struct rf_json w;
    if (!first_of(list))
        return NULL;
    rf_rope_init(&rope, p->b->arena);
    rf_json_init(&w, &rope);
    rf_json_arr(&w, NULL);
    for (const struct rf_jval *v = first_of(list); v; v = rf_jval_next(list, v))
        citation(p, &w, v);
    rf_json_end(&w);
    return rf_aside_made(&w, p->b->arena);
}

static bool cited_block(struct rf_bedrock_request *p, const struct rf_jval *v)
{
    const struct rf_jval *list = rf_jval_get(v, "content");
    struct rf_texts words = { 0 };
    for (const struct rf_jval *e = first_of(list); e; e = rf_jval_next(list, e))
        rf_texts_add(&words, rf_bedrock_text(p, e, "text"), p->b->arena);
    struct rf_block *block = rf_build_text(p->b, rf_texts_join(&words, RF_STR(""), p->b->arena));
    if (block)
        block->citations = citations(p, rf_jval_get(v, "citations"));
    return block;
}

static bool thinking_block(struct rf_bedrock_request *p, const struct rf_jval *v)
{
    const struct rf_jval *text = rf_jval_get(v, "reasoningText");
    struct rf_thinking t = { .text = rf_bedrock_text(p, text, "text"),
                             .signature = rf_bedrock_text(p, text, "signature"),
                             .redacted = rf_bedrock_text(p, v, "redactedContent") };
    if (!t.text.n && !t.signature.n && !t.redacted.n)
        return false;
    rf_build_block(p->b, RF_BLOCK_THINKING)->thinking = t;
    return true;
}

static void remember(struct rf_bedrock_request *p, struct rf_str id, struct rf_str name)
{
    *RF_PUSH(p->b->arena, p->names, p->name_count, p->name_cap) = name;
    rf_ids_slot(&p->calls, id)->place = p->name_count;
}

static bool call_block(struct rf_bedrock_request *p, const struct rf_jval *v)
{
    static const char *const known[] = { "toolUseId", "name", "input", "type", NULL };
    const struct rf_jval *input = rf_jval_get(v, "input");
    struct rf_str id = rf_bedrock_text(p, v, "toolUseId"), name = rf_bedrock_text(p, v, "name");
    struct rf_str type = rf_bedrock_text(p, v, "type");
    if (!id.n || !name.n || (type.n && !rf_str_is(type, "tool_use")))
        return false;
    if (input && input->type != RF_JOBJECT && input->type != RF_JSTRING)
        return false;
    struct rf_block *block = rf_build_call(p->b, id, name, input);
    if (!block->extra)
        block->extra = rf_build_extra(p->b, v, known);
    remember(p, id, name);
    return true;
}

void rf_bedrock_answer(struct rf_bedrock_request *p, const struct rf_jval *v)
{
    bool taken = v->type == RF_JNULL || text_block(p, v) || any_file(p, v) ||
                 cited_block(p, rf_jval_get(v, "citationsContent")) ||
                 thinking_block(p, rf_jval_get(v, "reasoningContent")) ||
                 call_block(p, rf_jval_get(v, "toolUse"));
    if (!taken)
        rf_build_opaque(p->b, v);
}
