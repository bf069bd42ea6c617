/* Reading generateContent: a response, or the chunks of a stream, each of which is one too.
 *
 * https://ai.google.dev/api/generate-content, as of 2026-11.
 *
 *     part                                   block
 *     text, text with `thought`              text, thinking
 *     functionCall                           tool_call with its signature; no id where none came
 *     inlineData, fileData                   image, audio, video, document
 *     executableCode, toolCall, all others   opaque, whole
 *
 * Text comes in as many parts as the wire likes: parts of one kind in a row are one
 * block, which a thoughtSignature ends. That of a text is kept under `extra`; one that comes with
 * an empty part belongs to the text before it. Candidate 0 is the message; others are kept, in a
 * stream in the pieces they came in.
 *
 * Left aside: safety ratings, log probabilities, times, service tier and traffic type. A call whose
 * arguments come in pieces must be asked for, which the encoder never does; its pieces are kept.
 */
#include "base/arena.h"
#include "wire/gemini/gemini.h"

static bool is(const struct rf_jval *v, enum rf_jtype type)
{
    return v && v->type == type;
}

static bool has_text(const struct rf_jval *v)
{
    return is(v, RF_JSTRING) && v->raw.n;
}

/* Parts. */

static struct rf_draft *next_block(struct rf_reply *r, struct rf_gemini *s, enum rf_block_type type)
{
    if (s->open)
        rf_draft_close(r, s->open);
    s->open = NULL;
    s->sealed = false;
    return rf_reply_block(r, r->next++, type);
}

static void text_part(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *part)
{
    const struct rf_jval *sign = rf_jval_get(part, "thoughtSignature");
    const struct rf_jval *about = rf_jval_get(part, "partMetadata");
    struct rf_str text = rf_reply_text(r, rf_jval_get(part, "text"));
    bool thought = is(rf_jval_get(part, "thought"), RF_JTRUE);
    enum rf_block_type type = thought ? RF_BLOCK_THINKING : RF_BLOCK_TEXT;
    if (!text.n && !has_text(sign))
        return;
    if (!s->open || s->sealed || s->open->type != type)
        s->open = next_block(r, s, type);
    struct rf_draft *d = s->open;
    rf_draft_text(r, d, text);
    if (thought)
        rf_draft_signature(r, d, rf_reply_text(r, sign));
    else if (has_text(sign))
        rf_reply_keep(r, d, "thoughtSignature", sign);
    rf_reply_keep(r, d, "partMetadata", about);
    s->sealed = has_text(sign) || about;
}

static void call_part(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *part)
{
    const struct rf_jval *call = rf_jval_get(part, "functionCall");
    const struct rf_jval *args = rf_jval_get(call, "args");
    struct rf_draft *d = next_block(r, s, RF_BLOCK_TOOL_CALL);
    d->id = rf_reply_copy(r, rf_jval_get(call, "id"));
    d->name = rf_reply_copy(r, rf_jval_get(call, "name"));
    if (is(args, RF_JSTRING))
        rf_draft_arguments(r, d, rf_reply_text(r, args));
    else if (args && args->type != RF_JNULL)
        rf_draft_arguments(r, d, rf_jval_compact(args, r->scratch));
    rf_draft_signature(r, d, rf_reply_text(r, rf_jval_get(part, "thoughtSignature")));
    rf_reply_keep(r, d, "partialArgs", rf_jval_get(call, "partialArgs"));
    rf_reply_keep(r, d, "willContinue", rf_jval_get(call, "willContinue"));
    rf_reply_keep(r, d, "partMetadata", rf_jval_get(part, "partMetadata"));
    rf_draft_close(r, d);
}

static enum rf_block_type media_type(struct rf_str mime)
{
    return rf_str_starts(mime, "image/")   ? RF_BLOCK_IMAGE
           : rf_str_starts(mime, "audio/") ? RF_BLOCK_AUDIO
           : rf_str_starts(mime, "video/") ? RF_BLOCK_VIDEO
                                           : RF_BLOCK_DOCUMENT;
}

static void media_part(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *part,
                       const struct rf_jval *media)
{
    static const char *const beside[] = { "thought",       "thoughtSignature", "partMetadata",
                                          "videoMetadata", "mediaResolution",  "mediaProcessing" };
    struct rf_str mime = rf_reply_copy(r, rf_jval_get(media, "mimeType"));
    struct rf_draft *d = next_block(r, s, media_type(mime));
    d->media_type = mime;
    d->url = rf_reply_copy(r, rf_jval_get(media, "fileUri"));
    rf_draft_media(r, d, rf_reply_text(r, rf_jval_get(media, "data")));
    rf_reply_keep(r, d, "displayName", rf_jval_get(media, "displayName"));
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        rf_reply_keep(r, d, beside[i], rf_jval_get(part, beside[i]));
    rf_draft_close(r, d);
}

static void opaque_part(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *part)
{
    struct rf_draft *d = next_block(r, s, RF_BLOCK_OPAQUE);
    d->opaque = rf_jval_compact(part, r->arena);
    rf_draft_close(r, d);
}

/* Nothing but what may stand beside a part's data: an empty text. */
static bool is_bare(const struct rf_jval *part)
{
    uint32_t beside = 0;
    static const char *const names[] = { "thought", "thoughtSignature", "partMetadata" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        beside += rf_jval_get(part, names[i]) != NULL;
    return is(part, RF_JOBJECT) && part->count == beside;
}

static void any_part(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *part)
{
    const struct rf_jval *bytes = rf_jval_get(part, "inlineData");
    const struct rf_jval *file = rf_jval_get(part, "fileData");
    if (has_text(rf_jval_get(rf_jval_get(part, "functionCall"), "name")))
        call_part(r, s, part);
    else if (has_text(rf_jval_get(bytes, "data")))
        media_part(r, s, part, bytes);
    else if (has_text(rf_jval_get(file, "fileUri")))
        media_part(r, s, part, file);
    else if (is(rf_jval_get(part, "text"), RF_JSTRING) || is_bare(part))
        text_part(r, s, part);
    else if (is(part, RF_JOBJECT))
        opaque_part(r, s, part);
}

/* Why it ended. */

static enum rf_stop stop_of(const struct rf_reply *r, struct rf_str reason)
{
    static const struct {
        const char *name;
        enum rf_stop stop;
    } reasons[] = {
        { "BLOCKLIST", RF_STOP_REFUSED },
        { "CONTINUATION", RF_STOP_PAUSED },
        { "IMAGE_PROHIBITED_CONTENT", RF_STOP_REFUSED },
        { "IMAGE_RECITATION", RF_STOP_REFUSED },
        { "IMAGE_SAFETY", RF_STOP_REFUSED },
        { "LANGUAGE", RF_STOP_REFUSED },
        { "MALFORMED_FUNCTION_CALL", RF_STOP_MALFORMED },
        { "MALFORMED_RESPONSE", RF_STOP_MALFORMED },
        { "MAX_TOKENS", RF_STOP_LENGTH },
        { "MISSING_THOUGHT_SIGNATURE", RF_STOP_ERROR },
        { "MODEL_ARMOR", RF_STOP_REFUSED },
        { "NO_IMAGE", RF_STOP_ERROR },
        { "PROHIBITED_CONTENT", RF_STOP_REFUSED },
        { "RECITATION", RF_STOP_REFUSED },
        { "SAFETY", RF_STOP_REFUSED },
        { "SPII", RF_STOP_REFUSED },
        { "STOP", RF_STOP_END },
        { "TOO_MANY_TOOL_CALLS", RF_STOP_ERROR },
        { "UNEXPECTED_TOOL_CALL", RF_STOP_MALFORMED },
    };
    enum rf_stop stop = RF_STOP_UNKNOWN;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (rf_str_is(reason, reasons[i].name))
            stop = reasons[i].stop;
    /* A call of a tool that there is not can be read, and whoever runs tools can say so. */
    bool calls = stop == RF_STOP_END || rf_str_is(reason, "UNEXPECTED_TOOL_CALL");
    for (size_t i = 0; i < r->count && calls; i++)
        if (r->drafts[i]->type == RF_BLOCK_TOOL_CALL)
            return RF_STOP_TOOL;
    return stop;
}

/* Some servers end every chunk. */
static void ended(struct rf_reply *r, enum rf_stop stop, struct rf_str reason)
{
    rf_reply_stop(r, stop, reason);
    r->complete = true;
}

/* Tokens. */

static int64_t sum(int64_t a, int64_t b)
{
    int64_t total;
    if (a < 0 || b < 0)
        return a < 0 ? (b < 0 ? -1 : b) : a;
    return __builtin_add_overflow(a, b, &total) ? INT64_MAX : total;
}

struct modality {
    const char *name;
    int64_t *count;
};

static void details(const struct rf_jval *list, const struct modality *rows, size_t count)
{
    if (!is(list, RF_JARRAY))
        return;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        const struct rf_jval *name = rf_jval_get(v, "modality");
        int64_t n = rf_reply_count(rf_jval_get(v, "tokenCount"));
        for (size_t i = 0; name && i < count; i++)
            if (rf_jval_is(name, rows[i].name))
                *rows[i].count = sum(*rows[i].count, n);
    }
}

static void usage(struct rf_reply *r, const struct rf_jval *v)
{
    struct rf_usage u = rf_no_usage;
    const struct modality in[] = { { "TEXT", &u.input_text },
                                   { "IMAGE", &u.input_image },
                                   { "AUDIO", &u.input_audio },
                                   { "VIDEO", &u.input_video },
                                   { "DOCUMENT", &u.input_document } };
    const struct modality out[] = { { "TEXT", &u.output_text },
                                    { "IMAGE", &u.output_image },
                                    { "AUDIO", &u.output_audio } };
    u.input = sum(rf_reply_count(rf_jval_get(v, "promptTokenCount")),
                  rf_reply_count(rf_jval_get(v, "toolUsePromptTokenCount")));
    u.cached = rf_reply_count(rf_jval_get(v, "cachedContentTokenCount"));
    u.reasoning = rf_reply_count(rf_jval_get(v, "thoughtsTokenCount"));
    u.output = sum(rf_reply_count(rf_jval_get(v, "candidatesTokenCount")), u.reasoning);
    details(rf_jval_get(v, "promptTokensDetails"), in, sizeof in / sizeof *in);
    details(rf_jval_get(v, "toolUsePromptTokensDetails"), in, sizeof in / sizeof *in);
    details(rf_jval_get(v, "candidatesTokensDetails"), out, sizeof out / sizeof *out);
    if (u.input < 0 && u.output < 0)
        return;
    r->usage = u;
    rf_reply_usage(r);
}

/* Errors. */

/* "34.5s" in milliseconds, -1 where it is not such a text. */
static int64_t duration_ms(struct rf_str s)
{
    struct rf_str rest, whole = RF_STR("");
    int64_t seconds, ms = 0;
    if (!rf_str_ends(s, "s"))
        return -1;
    rest = (struct rf_str){ s.p, s.n - 1 };
    rf_str_split(&rest, '.', &whole);
    if (!rf_str_int64(whole, &seconds) || seconds < 0 || seconds > INT32_MAX)
        return -1;
    for (size_t i = 0; i < 3; i++)
        ms = ms * 10 + (i < rest.n && rf_is_digit(rest.p[i]) ? rest.p[i] - '0' : 0);
    return seconds * 1000 + ms;
}

static bool failure(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *body)
{
    const struct rf_jval *error = rf_jval_get(body, "error"), *list;
    int64_t code = rf_reply_count(rf_jval_get(error, "code"));
    if (!rf_wire_error(body, code > 0 && code < 1000 ? (int)code : 0, r))
        return false;
    list = rf_jval_get(error, "details");
    if (!is(list, RF_JARRAY))
        return true;
    rf_gemini_put(r, &s->said, RF_STR("details"), list);
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        int64_t delay = duration_ms(rf_reply_text(r, rf_jval_get(v, "retryDelay")));
        if (delay >= 0)
            r->error.retry_after_ms = delay;
    }
    return true;
}

/* Responses and chunks. */

static void message(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *candidate)
{
    const struct rf_jval *parts = rf_jval_get(rf_jval_get(candidate, "content"), "parts");
    const struct rf_jval *reason = rf_jval_get(candidate, "finishReason");
    const struct rf_jval *words = rf_jval_get(candidate, "finishMessage");
    const struct rf_jval *cited = rf_jval_get(candidate, "citationMetadata");
    if (is(parts, RF_JARRAY))
        for (const struct rf_jval *v = rf_jval_first(parts); v; v = rf_jval_next(parts, v))
            any_part(r, s, v);
    rf_gemini_put_members(r, &s->grounding, rf_jval_get(candidate, "groundingMetadata"));
    rf_gemini_put_members(r, &s->urls, rf_jval_get(candidate, "urlContextMetadata"));
    rf_gemini_put_elements(r, &s->cited, rf_jval_get(cited, "citationSources"));
    rf_gemini_put_elements(r, &s->cited, rf_jval_get(cited, "citations"));
    if (has_text(words))
        rf_gemini_put(r, &s->said, RF_STR("finishMessage"), words);
    if (has_text(reason)) {
        struct rf_str name = rf_reply_text(r, reason);
        ended(r, stop_of(r, name), name);
    }
}

static void candidates(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *list)
{
    int64_t place = 0;
    if (!is(list, RF_JARRAY))
        return;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        int64_t index = rf_reply_count(rf_jval_get(v, "index"));
        if ((index < 0 ? place : index) == 0)
            message(r, s, v);
        else
            rf_gemini_put(r, &s->others, RF_STR(""), v);
        s->answered = true;
        place++;
    }
}

static void blocked(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *feedback)
{
    const struct rf_jval *reason = rf_jval_get(feedback, "blockReason");
    if (!has_text(reason))
        return;
    s->answered = true;
    rf_gemini_put(r, &s->said, RF_STR("promptFeedback"), feedback);
    ended(r, RF_STOP_REFUSED, rf_reply_text(r, reason));
}

static void one_chunk(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *body)
{
    const struct rf_jval *list = rf_jval_get(body, "candidates");
    const struct rf_jval *feedback = rf_jval_get(body, "promptFeedback");
    if ((rf_jval_get(body, "error") || (!list && !feedback)) && failure(r, s, body))
        return;
    if (!r->id.n)
        r->id = rf_reply_copy(r, rf_jval_get(body, "responseId"));
    if (!r->model.n)
        r->model = rf_reply_copy(r, rf_jval_get(body, "modelVersion"));
    candidates(r, s, list);
    usage(r, rf_jval_get(body, "usageMetadata"));
    blocked(r, s, feedback);
}

/* Streams that are not asked for as events are an array of chunks, and so are their errors. */
static void chunks(struct rf_reply *r, struct rf_gemini *s, const struct rf_jval *body)
{
    if (!is(body, RF_JARRAY)) {
        one_chunk(r, s, body);
        return;
    }
    for (const struct rf_jval *v = rf_jval_first(body); v; v = rf_jval_next(body, v))
        one_chunk(r, s, v);
}

void rf_gemini_decode(const struct rf_jval *body, struct rf_reply *r)
{
    struct rf_gemini *s = rf_gemini_state(r);
    chunks(r, s, body);
    if (!s->answered && r->error.kind == RF_ERROR_NONE)
        rf_reply_error(r, RF_ERROR_OTHER, RF_STR(""), RF_STR("the response holds no candidate"));
}

void rf_gemini_event(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r)
{
    (void)frame;
    if (data)
        chunks(r, rf_gemini_state(r), data);
}
