/* Google's generateContent: writing responses, the chunks of streams, and errors.
 *
 * A chunk is a response that holds some of the parts; the last one tells why it ended. Parts of one
 * kind in a row are one block to whoever reads them. A thought's signature stands beside its last
 * words, as does that of a text that this API signed itself. Citations are what a text is grounded
 * on, and say which bytes of it. */
#include "wire/respond.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "content/block.h"
#include "wire/gemini/gemini.h"

static const char *const stops[] = {
    [RF_STOP_UNKNOWN] = "OTHER", [RF_STOP_END] = "STOP",
    [RF_STOP_TOOL] = "STOP",     [RF_STOP_LENGTH] = "MAX_TOKENS",
    [RF_STOP_SEQUENCE] = "STOP", [RF_STOP_REFUSED] = "SAFETY",
    [RF_STOP_PAUSED] = "STOP",   [RF_STOP_MALFORMED] = "MALFORMED_FUNCTION_CALL",
    [RF_STOP_ERROR] = "OTHER",
};

static const struct rf_error_words errors[] = {
    [RF_ERROR_NONE] = { "INTERNAL", 500 },
    [RF_ERROR_AUTHENTICATION] = { "UNAUTHENTICATED", 401 },
    [RF_ERROR_PERMISSION] = { "PERMISSION_DENIED", 403 },
    [RF_ERROR_RATE_LIMIT] = { "RESOURCE_EXHAUSTED", 429 },
    [RF_ERROR_OVERLOADED] = { "UNAVAILABLE", 503 },
    [RF_ERROR_CONTEXT_TOO_LONG] = { "INVALID_ARGUMENT", 400 },
    [RF_ERROR_TOO_LARGE] = { "INVALID_ARGUMENT", 400 },
    [RF_ERROR_BAD_MEDIA] = { "INVALID_ARGUMENT", 400 },
    [RF_ERROR_UNSUPPORTED] = { "INVALID_ARGUMENT", 400 },
    [RF_ERROR_NOT_FOUND] = { "NOT_FOUND", 404 },
    [RF_ERROR_OTHER] = { "INTERNAL", 500 },
    [RF_ERROR_WORDS_LATE] = { "DEADLINE_EXCEEDED", 504 },
};

static void kept(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b,
                 const char *name)
{
    const struct rf_jval *v = rf_answer_kept(a, b, name);
    if (v)
        rf_json_value(w, name, v);
}

/* Parts */

static void open_text(struct rf_json *w, const struct rf_block *b, struct rf_str text)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "text", text);
    if (b->type == RF_BLOCK_THINKING)
        rf_json_bool(w, "thought", true);
}

/* What ends a text: where there is nothing of it, the part can be left out. */
static bool has_end(const struct rf_answer *a, const struct rf_block *b)
{
    return b->thinking.signature.n || rf_answer_kept(a, b, "thoughtSignature") ||
           rf_answer_kept(a, b, "partMetadata");
}

static void text_part(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b,
                      struct rf_str text)
{
    open_text(w, b, text);
    rf_json_str_opt(w, "thoughtSignature", b->thinking.signature);
    kept(w, a, b, "thoughtSignature");
    kept(w, a, b, "partMetadata");
    rf_json_end(w);
}

static void call_part(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "functionCall");
    rf_json_str_opt(w, "id", b->call.id);
    rf_json_str(w, "name", b->call.name);
    rf_wire_arguments(w, "args", b);
    kept(w, a, b, "partialArgs");
    kept(w, a, b, "willContinue");
    rf_json_end(w);
    rf_json_str_opt(w, "thoughtSignature", b->call.signature);
    kept(w, a, b, "partMetadata");
    rf_json_end(w);
}

static void media_part(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    static const char *const inside[] = { "displayName", NULL };
    bool here = b->media.source.kind == RF_SOURCE_DATA;
    rf_json_obj(w, NULL);
    rf_json_obj(w, here ? "inlineData" : "fileData");
    rf_json_str_opt(w, "mimeType", b->media.media_type);
    rf_json_str(w, here ? "data" : "fileUri", b->media.source.ref);
    kept(w, a, b, "displayName");
    rf_json_end(w);
    rf_json_members(w, rf_answer_aside(a, b), inside);
    rf_json_end(w);
}

/* A block that is not words. */
static void other_part(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    if (b->type == RF_BLOCK_TOOL_CALL)
        call_part(w, a, b);
    else if (b->type == RF_BLOCK_OPAQUE)
        rf_json_value(w, NULL, b->value);
    else
        media_part(w, a, b);
}

static bool is_words(const struct rf_block *b)
{
    return b->type == RF_BLOCK_TEXT || b->type == RF_BLOCK_THINKING;
}

static void part(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    struct rf_str text = b->type == RF_BLOCK_TEXT ? b->text : b->thinking.text;
    if (!is_words(b))
        other_part(w, a, b);
    else if (text.n || has_end(a, b))
        text_part(w, a, b, text);
}

/* Citations */

static void string_of(struct rf_json *w, const char *key, const struct rf_jval *c, const char *name)
{
    const struct rf_jval *v = rf_jval_get(c, name);
    if (v && v->type == RF_JSTRING)
        rf_json_value(w, key, v);
}

static void source(struct rf_json *w, const struct rf_jval *c)
{
    const char *title = rf_jval_get(c, "title") ? "title" : "source";
    bool web = rf_jval_get(c, "url");
    rf_json_obj(w, NULL);
    rf_json_obj(w, web ? "web" : "retrievedContext");
    string_of(w, "uri", c, "url");
    string_of(w, "title", c, title);
    if (!web)
        string_of(w, "text", c, "text");
    rf_json_end(w);
    rf_json_end(w);
}

static void support(struct rf_json *w, const struct rf_answer *a, size_t part,
                    const struct rf_jval *c, int64_t number)
{
    struct rf_str text = a->blocks[part].text;
    int64_t from, to;
    rf_answer_cited(a, text, c, &from, &to);
    size_t start = rf_utf8_offset(text, from), end = rf_utf8_offset(text, to);
    rf_json_obj(w, NULL);
    rf_json_obj(w, "segment");
    if (part)
        rf_json_int(w, "partIndex", (int64_t)part);
    rf_json_int(w, "startIndex", (int64_t)start);
    rf_json_int(w, "endIndex", (int64_t)end);
    rf_json_str(w, "text", (struct rf_str){ text.p + start, end - start });
    rf_json_end(w);
    rf_json_arr(w, "groundingChunkIndices");
    rf_json_int(w, NULL, number);
    rf_json_end(w);
    rf_json_end(w);
}

static const struct rf_jval *first_citation(const struct rf_block *b)
{
    return b->type == RF_BLOCK_TEXT && b->citations ? rf_jval_first(b->citations) : NULL;
}

static void sources(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_arr(w, "groundingChunks");
    for (const struct rf_block *b = a->blocks; b < a->blocks + a->count; b++)
        for (const struct rf_jval *c = first_citation(b); c; c = rf_jval_next(b->citations, c))
            source(w, c);
    rf_json_end(w);
}

static void supports(struct rf_json *w, const struct rf_answer *a)
{
    int64_t number = 0;
    rf_json_arr(w, "groundingSupports");
    for (const struct rf_block *b = a->blocks; b < a->blocks + a->count; b++)
        for (const struct rf_jval *c = first_citation(b); c; c = rf_jval_next(b->citations, c))
            support(w, a, (size_t)(b - a->blocks), c, number++);
    rf_json_end(w);
}

static void grounding(struct rf_json *w, const struct rf_answer *a)
{
    bool any = false;
    for (size_t i = 0; i < a->count; i++)
        any = any || first_citation(&a->blocks[i]);
    if (rf_answer_kept(a, NULL, "groundingMetadata") ||
        rf_answer_kept(a, NULL, "citationSources") || !any) {
        kept(w, a, NULL, "groundingMetadata");
        return;
    }
    rf_json_obj(w, "groundingMetadata");
    sources(w, a);
    supports(w, a);
    rf_json_end(w);
}

/* About the reply */

static void details(struct rf_json *w, const char *key, const int64_t counts[], size_t n)
{
    static const char *const names[] = { "TEXT", "IMAGE", "AUDIO", "VIDEO", "DOCUMENT" };
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any = any || counts[i] >= 0;
    if (!any)
        return;
    rf_json_arr(w, key);
    for (size_t i = 0; i < n; i++) {
        if (counts[i] < 0)
            continue;
        rf_json_obj(w, NULL);
        rf_json_str(w, "modality", rf_str(names[i]));
        rf_json_int(w, "tokenCount", counts[i]);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void count(struct rf_json *w, const char *name, int64_t n)
{
    if (n >= 0)
        rf_json_int(w, name, n);
}

/* Thoughts are counted apart from what was answered. */
static void usage(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_usage *u = &a->ending.usage;
    int64_t thoughts = rf_answer_count(u->reasoning);
    const int64_t in[] = { u->input_text, u->input_image, u->input_audio, u->input_video,
                           u->input_document };
    const int64_t out[] = { u->output_text, u->output_image, u->output_audio };
    rf_json_obj(w, "usageMetadata");
    if (u->input >= 0 || !a->own)
        rf_json_int(w, "promptTokenCount", rf_answer_count(u->input));
    if (u->output >= 0 && (u->output > thoughts || u->reasoning < 0))
        rf_json_int(w, "candidatesTokenCount", u->output - thoughts);
    rf_json_int(w, "totalTokenCount", rf_answer_total(a));
    count(w, "cachedContentTokenCount", u->cached);
    count(w, "thoughtsTokenCount", u->reasoning);
    details(w, "promptTokensDetails", in, sizeof in / sizeof *in);
    details(w, "candidatesTokensDetails", out, sizeof out / sizeof *out);
    rf_json_end(w);
}

static void names(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_str(w, "modelVersion", a->model);
    rf_json_str(w, "responseId", a->id);
}

/* What was refused before anything was said has no candidate. */
static bool is_blocked(const struct rf_answer *a)
{
    return rf_answer_kept(a, NULL, "promptFeedback") && !a->count;
}

static void open_candidate(struct rf_json *w)
{
    rf_json_arr(w, "candidates");
    rf_json_obj(w, NULL);
    rf_json_obj(w, "content");
    rf_json_str(w, "role", RF_STR("model"));
    rf_json_arr(w, "parts");
}

static void close_candidate(struct rf_json *w, const struct rf_answer *a, bool last)
{
    const struct rf_jval *sources = last ? rf_answer_kept(a, NULL, "citationSources") : NULL;
    const struct rf_jval *others = last ? rf_answer_kept(a, NULL, "candidates") : NULL;
    rf_json_end(w);
    rf_json_end(w);
    if (last)
        rf_json_str(w, "finishReason", rf_answer_stop(a, stops));
    rf_json_int(w, "index", 0);
    if (last) {
        kept(w, a, NULL, "finishMessage");
        grounding(w, a);
        kept(w, a, NULL, "urlContextMetadata");
    }
    if (sources) {
        rf_json_obj(w, "citationMetadata");
        rf_json_value(w, "citationSources", sources);
        rf_json_end(w);
    }
    rf_json_end(w);
    const struct rf_jval *v = others && others->type == RF_JARRAY ? rf_jval_first(others) : NULL;
    for (; v; v = rf_jval_next(others, v))
        rf_json_value(w, NULL, v);
    rf_json_end(w);
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    if (!is_blocked(a)) {
        open_candidate(w);
        for (size_t i = 0; i < a->count; i++)
            part(w, a, &a->blocks[i]);
        close_candidate(w, a, true);
    }
    kept(w, a, NULL, "promptFeedback");
    usage(w, a);
    names(w, a);
}

static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_obj(w, "error");
    rf_json_int(w, "code", rf_answer_error_status(a, errors));
    rf_json_str(w, "message", a->ending.error.words);
    rf_json_str(w, "status", rf_answer_error(a, errors));
    kept(w, a, NULL, "details");
    rf_json_end(w);
}

/* Streams. The state is the block whose words are being written. */

static void open(struct rf_telling *t, const struct rf_block *b)
{
    t->state = (void *)(uintptr_t)b;
}

static void chunk_of(struct rf_telling *t, const struct rf_block *b, struct rf_str text, bool ends)
{
    struct rf_json *w = rf_tell_open(t);
    open_candidate(w);
    if (ends)
        part(w, &t->answer, b);
    else {
        open_text(w, b, text);
        rf_json_end(w);
    }
    close_candidate(w, &t->answer, false);
    names(w, &t->answer);
    rf_tell_close(t, NULL);
}

/* Calls go as a whole: pieces of their arguments would have to be asked for. */
static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    if (type != RF_EVENT_ARGUMENTS)
        chunk_of(t, t->state, text, false);
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    struct rf_block end = *b;
    end.text = end.thinking.text = RF_STR("");
    if (!is_words(b))
        chunk_of(t, b, RF_STR(""), true);
    else if (has_end(&t->answer, b))
        chunk_of(t, &end, RF_STR(""), true);
}

/* What the texts are grounded on is told at the end. */
static void cite(struct rf_telling *t, size_t place, const struct rf_jval *citation)
{
    (void)t;
    (void)place;
    (void)citation;
}

static void begin(struct rf_telling *t)
{
    (void)t;
}

static void end(struct rf_telling *t)
{
    struct rf_json *w = rf_tell_open(t);
    if (!is_blocked(&t->answer)) {
        open_candidate(w);
        close_candidate(w, &t->answer, true);
    }
    kept(w, &t->answer, NULL, "promptFeedback");
    usage(w, &t->answer);
    names(w, &t->answer);
    rf_tell_close(t, NULL);
}

static void fail(struct rf_telling *t)
{
    refusal(&t->answer, rf_tell_open(t));
    rf_tell_close(t, NULL);
}

const struct rf_replies rf_gemini_replies = {
    .id = "",
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_IMAGE] = true,
              [RF_BLOCK_DOCUMENT] = true,
              [RF_BLOCK_AUDIO] = true,
              [RF_BLOCK_VIDEO] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true,
              [RF_BLOCK_OPAQUE] = true },
    .says_citations = true,
    .signs_thoughts = true,
    .seals = RF_SEALS_AS_SIGNATURE,
    .signs_calls = true,
    .says_objects = true,
    .streams_objects = true,
    .body = body,
    .refusal = refusal,
    .errors = errors,
    .begin = begin,
    .open = open,
    .piece = piece,
    .close = close,
    .cite = cite,
    .end = end,
    .fail = fail,
};
