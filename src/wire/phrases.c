/* The table, and looking for its rows in a text. */
#include "wire/phrases.h"

#define DATA_URL_HEAD 64 /* bytes before the base64 of a data URL */

#define IMAGES "max_images"
#define IMAGE_BYTES "max_image_bytes"
#define IMAGE_BASE64 "max_image_base64"
#define SIDE "max_image_side"
#define MANY_SIDE "many_image_side"
#define PIXELS "max_image_pixels"
#define BODY "max_body_bytes"
#define DOCUMENTS "max_documents"
#define DOCUMENT_BYTES "max_document_bytes"
#define PAGES "max_pdf_pages"
#define VIDEO "max_video_bytes"
#define CONTEXT "context_tokens"
#define OUTPUT "max_output_tokens"

/* Rows: { KIND(…) } */
#define KIND(what, text) RF_PHRASE_KIND, text, .kind = RF_ERROR_##what
#define CODE(what, text) RF_PHRASE_CODE, text, .kind = RF_ERROR_##what
#define LIMIT(name, text) RF_PHRASE_LIMIT, text, .fact = name
#define LACKS(name, text) RF_PHRASE_LACKS, text, .fact = name
#define MEMBER(name, text) RF_PHRASE_MEMBER, text, .fact = name
#define FILES(bits, text) RF_PHRASE_FILES, text, .files = bits

/* Of each use, the first that fits counts. */
static const struct rf_phrase phrases[] = {
    /* What providers call it themselves. */
    { CODE(AUTHENTICATION, "authentication_error|invalid_api_key|UNAUTHENTICATED|"
                           "UnrecognizedClientException|ExpiredTokenException") },
    { CODE(PERMISSION, "permission_error|PERMISSION_DENIED|AccessDeniedException|billing_error") },
    { CODE(RATE_LIMIT, "rate_limit_error|rate_limit_exceeded|insufficient_quota|"
                       "RESOURCE_EXHAUSTED|ThrottlingException|ServiceQuotaExceededException") },
    { CODE(OVERLOADED, "overloaded_error|UNAVAILABLE|ServiceUnavailableException|"
                       "ModelNotReadyException") },
    { CODE(CONTEXT_TOO_LONG, "context_length_exceeded") },
    { CODE(TOO_LARGE, "request_too_large") },
    { CODE(UNSUPPORTED, "unsupported_file") },
    { CODE(NOT_FOUND, "not_found_error|model_not_found|NOT_FOUND|ResourceNotFoundException") },
    { RF_PHRASE_LASTING, .words = "insufficient_quota|billing_hard_limit_reached" },
    { RF_PHRASE_INVALID, .words = "invalid_request_error|invalid_request|BadRequestError|"
                                  "INVALID_ARGUMENT|FAILED_PRECONDITION|ValidationException" },

    /* The window. Of the limits, those of the output come first, since some name both. */
    { KIND(CONTEXT_TOO_LONG, "prompt is too long") },
    { KIND(CONTEXT_TOO_LONG, "context length") },
    { KIND(CONTEXT_TOO_LONG, "context window") },
    { KIND(CONTEXT_TOO_LONG, "input is too long") },
    { KIND(CONTEXT_TOO_LONG, "token count exceeds") },
    { KIND(CONTEXT_TOO_LONG, "exceeds the maximum number of tokens") },
    { KIND(CONTEXT_TOO_LONG, "maximum prompt length") },
    { KIND(CONTEXT_TOO_LONG, "maximum model length") },
    { KIND(CONTEXT_TOO_LONG, "available context size") },
    { KIND(CONTEXT_TOO_LONG, "exceed context limit") },
    { KIND(CONTEXT_TOO_LONG, "input tokens exceed") },
    { KIND(CONTEXT_TOO_LONG, "exceeded model token limit") },
    { KIND(CONTEXT_TOO_LONG, "total number of tokens in the prompt cannot exceed") },
    { LIMIT(OUTPUT, "max_tokens: # > @, which is the maximum allowed number of output tokens") },
    { LIMIT(OUTPUT,
            "max_tokens is too large: #. this model supports at most @ completion tokens") },
    { LIMIT(OUTPUT, "supports at most @ completion tokens, whereas you provided #") },
    { LIMIT(OUTPUT, "at most @ completion tokens") },
    { LIMIT(OUTPUT, "at most @ output tokens") },
    { LIMIT(OUTPUT, "tokens'*expected a value <= @, but got # instead") },
    { LIMIT(OUTPUT,
            "maxoutputtokens value of # but the supported range is from %*to ! (exclusive)") },
    { LIMIT(OUTPUT, "maximum tokens you requested exceeds the model limit of @") },
    { LIMIT(OUTPUT, "max_tokens` must be less than or equal to `@`") },
    { LIMIT(OUTPUT, "max_completion_tokens` must be less than or equal to `@`") },
    { LIMIT(OUTPUT, "max tokens must be less than or equal to @, the maximum output*received #") },
    { LIMIT(OUTPUT, "range of max_tokens is [%, @]") },
    { LIMIT(OUTPUT, "range of max_tokens should be [%, @]") },
    { LIMIT(OUTPUT, "max_tokens must be in the range of [%, @]") },
    { LIMIT(CONTEXT, "prompt is too long: # tokens > @") },
    { LIMIT(CONTEXT, "exceed context limit: # + # > @") },
    { LIMIT(CONTEXT, "maximum context length is @ tokens*resulted in # tokens") },
    { LIMIT(CONTEXT, "maximum context length is @ tokens*requested # tokens") },
    { LIMIT(CONTEXT, "maximum context length is @ tokens*requested about # tokens") },
    { LIMIT(CONTEXT, "maximum context length is @ tokens*request has # input tokens") },
    { LIMIT(CONTEXT, "maximum context length is @") },
    { LIMIT(CONTEXT, "maximum context length of @") },
    { LIMIT(CONTEXT,
            "prompt contains # tokens*too large for model with @ maximum context length") },
    { LIMIT(CONTEXT, "too large for model with @ maximum context length") },
    { LIMIT(CONTEXT, "maximum prompt length is @ but the request contains # tokens") },
    { LIMIT(CONTEXT, "maximum prompt length is @") },
    { LIMIT(CONTEXT, "input token count (#) exceeds the maximum number of tokens allowed (@)") },
    { LIMIT(CONTEXT, "exceeds the maximum number of tokens allowed (@)") },
    { LIMIT(CONTEXT, "exceeds the maximum number of tokens allowed @") },
    { LIMIT(CONTEXT, "input tokens exceed the configured limit of @ tokens*resulted in # tokens") },
    { LIMIT(CONTEXT, "input tokens exceed the configured limit of @ tokens") },
    { LIMIT(CONTEXT, "prompt (length #) is longer than the maximum model length of @") },
    { LIMIT(CONTEXT, "longer than the maximum model length of @") },
    { LIMIT(CONTEXT, "(# tokens) exceeds the available context size (@ tokens)") },
    { LIMIT(CONTEXT, "available context size (@ tokens)") },
    { LIMIT(CONTEXT, "keep the first # tokens*context length of only @ tokens") },
    { LIMIT(CONTEXT, "context length of only @ tokens") },
    { LIMIT(CONTEXT, "(# tokens) is longer than the model's context length (@ tokens)") },
    { LIMIT(CONTEXT, "longer than the model's context length (@ tokens)") },
    { LIMIT(CONTEXT,
            "`max_new_tokens` must be <= @. given: # `inputs` tokens and # `max_new_tokens`") },
    { LIMIT(CONTEXT, "`max_new_tokens` must be <= @") },
    { LIMIT(CONTEXT, "range of input length should be [%, @]") },
    { LIMIT(CONTEXT, "prompt token count of # exceeds the limit of @") },
    { LIMIT(CONTEXT, "exceeded model token limit: @ (requested: #)") },
    { LIMIT(CONTEXT, "exceeded model token limit: @") },
    { LIMIT(CONTEXT, "total number of tokens in the prompt cannot exceed @ - received #") },
    { LIMIT(CONTEXT, "context window of @ tokens") },
    { LIMIT(CONTEXT, "context window is @ tokens") },

    /* Sizes and numbers. */
    { KIND(TOO_LARGE, "request_too_large") },
    { KIND(TOO_LARGE, "too many images") },
    { KIND(TOO_LARGE, "too much media") },
    { KIND(TOO_LARGE, "image(s) may be provided") },
    { KIND(TOO_LARGE, "pdf pages may be provided") },
    { KIND(TOO_LARGE, "supported page limit") },
    { KIND(TOO_LARGE, "content size limit") },
    { KIND(TOO_LARGE, "request exceeds the maximum size") },
    { KIND(TOO_LARGE, "request entity too large") },
    { KIND(TOO_LARGE, "payload size exceeds") },
    { KIND(TOO_LARGE, "mb maximum") },
    { KIND(TOO_LARGE, "supports at most") },
    { KIND(TOO_LARGE, "exceeds limit") },
    { LIMIT(MANY_SIDE, "max allowed size for many-image requests: @ pixels") },
    { LIMIT(SIDE, "exceed max allowed size: @ pixels") },
    { LIMIT(SIDE, "dimension*exceed*maximum*@x%") },
    { LIMIT(SIDE, "dimension*exceed*@ pixels") },
    { LIMIT(SIDE, "dimension*exceed*@px") },
    { LIMIT(SIDE, "image*exceed*maximum of @ pixels") },
    { LIMIT(PIXELS, "image*exceed*maximum of @ pixels") },
    { LIMIT(PIXELS, "pixel*exceed*@ pixels") },
    { LIMIT(PIXELS, "pixel count*exceed*@") },
    { LIMIT(PIXELS, "image*exceed*@ megapixels") },
    { LIMIT(BODY,
            "request payload size exceeds the limit: $") }, /* before what names a picture too */
    { LIMIT(BODY, "request size*exceeds*$") },
    { LIMIT(IMAGE_BASE64, "image exceeds % maximum: # bytes > $") },
    { LIMIT(IMAGE_BASE64, "image exceeds $ maximum") },
    { LIMIT(IMAGE_BASE64,
            "image_url*string too long*maximum length &, but got a string with length #") },
    { LIMIT(IMAGE_BYTES, "image size is #, which exceeds the allowed limit of $") },
    { LIMIT(IMAGE_BYTES, "image size*# exceeds*$") },
    { LIMIT(IMAGE_BYTES, "image size*exceeds*$") },
    { LIMIT(IMAGE_BYTES, "image*exceeds*maximum*$") },
    { LIMIT(IMAGE_BYTES, "image*exceeds*limit of $") },
    { LIMIT(IMAGE_BYTES, "image*too large*max*$") },
    { LIMIT(IMAGE_BYTES, "image*larger than $") },
    { LIMIT(IMAGE_BYTES, "image*less than $") },
    { LIMIT(IMAGES, "image count # exceeds limit @") },
    { LIMIT(IMAGES, "too much media: # document pages + # images > @") },
    { LIMIT(IMAGES, "too many images and documents: # + # > @") },
    { LIMIT(IMAGES, "too many images: image_count > @") },
    { LIMIT(IMAGES, "too many images: # > @") },
    { LIMIT(IMAGES, "# images*provided, but the model supports a maximum of @ images") },
    { LIMIT(IMAGES, "contains # images, exceeding the maximum of @") },
    { LIMIT(IMAGES, "number of images (#) exceeds*(@)") },
    { LIMIT(IMAGES, "number of images*exceeds*limit of @") },
    { LIMIT(IMAGES, "maximum number of images*is @") },
    { LIMIT(IMAGES, "at most @ image parts*but # were provided") },
    { LIMIT(IMAGES, "at most @ image") },
    { LIMIT(IMAGES, "up to @ images") },
    { LIMIT(IMAGES, "maximum of @ images") },
    { LIMIT(IMAGES, "fewer than ! images") },
    { LIMIT(IMAGES, "too many images*max is @") },
    { LIMIT(IMAGES, "too many images*max allowed is @") },
    { LIMIT(IMAGES, "too many images*maximum is @") },
    { LIMIT(IMAGES, "only supports a single image") },
    { LIMIT(IMAGES, "only one image is supported") },
    { LIMIT(IMAGES, "only supports one image") },
    { LIMIT(PAGES, "contains # pages*page limit of @") },
    { LIMIT(PAGES, "page limit of @") },
    { LIMIT(PAGES, "maximum of @ pdf pages") },
    { LIMIT(PAGES, "maximum of @ pages") },
    { LIMIT(PAGES, "at most @ pages") },
    { LIMIT(PAGES, "up to @ pages") },
    { LIMIT(DOCUMENTS, "number of documents (#) exceeds*(@)") },
    { LIMIT(DOCUMENTS, "too many documents: # > @") },
    { LIMIT(DOCUMENTS, "maximum number of documents*is @") },
    { LIMIT(DOCUMENTS, "maximum of @ documents") },
    { LIMIT(DOCUMENTS, "at most @ document") },
    { LIMIT(DOCUMENTS, "up to @ documents") },
    { LIMIT(DOCUMENT_BYTES, "document*exceeds*$") },
    { LIMIT(DOCUMENT_BYTES, "pdf*exceeds*$") },
    { LIMIT(DOCUMENT_BYTES, "file*exceeds*$") },
    { LIMIT(VIDEO, "video*exceeds*$") },
    { LIMIT(BODY, "maximum content size limit (@) exceeded (# bytes read)") },
    { LIMIT(BODY, "maximum request size is $") },
    { LIMIT(BODY, "request*exceeds*maximum*$") },
    { LIMIT(BODY, "request*exceeds*limit*$") },
    { LIMIT(BODY, "request*too large*max*$") },
    { LIMIT(BODY, "request*too large*limit*$") },
    { LIMIT(BODY, "request*larger than $") },
    { LIMIT(BODY, "payload*too large*$") },

    /* Files that cannot be read. */
    { KIND(BAD_MEDIA, "file format is invalid") },
    { KIND(BAD_MEDIA, "could not process image") },
    { KIND(BAD_MEDIA, "unable to process input image") },
    { KIND(BAD_MEDIA, "invalid image") },
    { KIND(BAD_MEDIA, "failed to load image") },
    { KIND(BAD_MEDIA, "invalid base64") },
    { KIND(BAD_MEDIA, "cannot fetch content from the provided url") },
    { KIND(BAD_MEDIA, "image dimensions exceed") },
    { KIND(BAD_MEDIA, "pdf specified was not valid") },
    { KIND(BAD_MEDIA, "you uploaded an unsupported image") }, /* whatever is wrong with it */
    { KIND(BAD_MEDIA, "does not represent a valid image") },
    { KIND(BAD_MEDIA, "image could not be loaded") },

    /* What the model or the server does not know. */
    { KIND(UNSUPPORTED, "doesn't support") },
    { KIND(UNSUPPORTED, "does not support") },
    { KIND(UNSUPPORTED, "is not supported") },
    { KIND(UNSUPPORTED, "are not supported") },
    { KIND(UNSUPPORTED, "not supported with") },
    { KIND(UNSUPPORTED, "unsupported") },
    { KIND(UNSUPPORTED, "expected to be either text or image_url") },
    { KIND(UNSUPPORTED, "extraneous key") },
    { KIND(UNSUPPORTED, "does not match any of the expected tags") },
    { KIND(UNSUPPORTED, "context stuffing file type") },
    { LACKS("vision", "support image input|image input is not supported|"
                      "image inputs are not supported|images are not supported|"
                      "does not support images|doesn't support images|does not support image|"
                      "doesn't support the image|not a multimodal model|does not support vision|"
                      "missing data required for image input") },
    { LACKS("native_video", "doesn't support the video|does not support video") },
    { LACKS("audio_input",
            "doesn't support the audio|does not support audio|support audio input") },
    { LACKS("native_pdf", "does not support pdf|doesn't support documents|"
                          "does not support documents") },
    { LACKS("tools",
            "does not support tools|doesn't support tools|does not support tool|"
            "does not support function call|doesn't support function call|"
            "support tool use|tools are not supported|tool use is not supported|"
            "function calling is not supported|function calling is not enabled|"
            "tool choice requires --enable-auto-tool-choice|tools param requires --jinja") },
    { MEMBER("stream_usage", "stream_options|include_usage") },
    { MEMBER("sampling", "'temperature' is not supported|'temperature' does not support|"
                         "temperature is deprecated for this model|'top_p' is not supported") },
    { MEMBER("prefill", "does not support assistant message prefill") },
    { MEMBER("answer_schema", "does not support response format|response_format type is "
                              "unavailable|response_format is not supported") },

    /* Whoever asks, and the moment. */
    { KIND(NOT_FOUND, "does not exist") },
    { KIND(NOT_FOUND, "model not found") },
    { KIND(NOT_FOUND, "is not found for api version") },
    { KIND(NOT_FOUND, "model identifier is invalid") },
    { KIND(AUTHENTICATION, "api key not valid") },
    { KIND(AUTHENTICATION, "invalid x-api-key") },
    { KIND(AUTHENTICATION, "invalid api token") },
    { KIND(AUTHENTICATION, "no api key supplied") },
    { KIND(AUTHENTICATION, "security token included in the request is invalid") },
    { KIND(AUTHENTICATION, "unauthorized") },
    { KIND(RATE_LIMIT, "rate limit") },
    { KIND(RATE_LIMIT, "rate exceeded") },
    { KIND(RATE_LIMIT, "rate-limited") },
    { KIND(RATE_LIMIT, "too many requests") },
    { KIND(RATE_LIMIT, "fewer max_tokens") }, /* than the account has money for */
    { KIND(OVERLOADED, "overloaded") },
    { RF_PHRASE_ACCOUNT,
      .words = "per minute|per hour|per day|per second|(tpm)|(rpm)|quota|credits|rate limit|afford|"
               "billing" },

    /* Words that mean something only beside others. */
    { RF_PHRASE_FAULT,
      .words = "invalid|not valid|unsupported|not supported|not support|n't support|could not|"
               "couldn't|unable|cannot|can't|failed|corrupt|empty|no pages|password|decode|exceed|"
               "too large|too small|too big|must be|expected|malformed|unreadable|not process|"
               "unknown|not allowed|broken|truncated|damaged|error while|may not|not permitted" },
    { FILES(RF_FILES(IMAGE), "image|images|image_url|input_image|picture|pixels") },
    { FILES(RF_FILES(PDF), "pdf|pdfs") },
    { FILES(RF_FILES_DOCUMENT, "document|documents") },
    { FILES(RF_FILES(AUDIO), "audio|input_audio") },
    { FILES(RF_FILES(VIDEO), "video") },
    { FILES(RF_FILES_ANY, "file|files|file_data|input_file|media|mime|media_type|mime_type|"
                          "mimetype|base64|inline_data|inlinedata|attachment") },
    { RF_PHRASE_ELSEWHERE,
      .words = "tools|tool_choice|toolconfig|tool_config|system|thinking|metadata|"
               "generation_config|response_format|functions|generationconfig|reasoning|container|"
               "stop_sequences|system_instruction" },
    { RF_PHRASE_VAGUE,
      .words = "request contains an invalid argument.|request contains an invalid argument|"
               "provider returned error|bad request|invalid request|invalid_request_error|"
               "invalid input|internal error|an internal error has occurred" },
    { RF_PHRASE_CONTENT,
      .words = "invalid message format|invalid message content|content[].type|content part type|"
               "unsupported content|invalid content|content must be a string|"
               "content should be a string|content to be a string|"
               "content*input should be a valid string|"
               "cannot unmarshal array|unknown part type|unsupported part|"
               "multimodal function response" },
    { RF_PHRASE_ORDER, .words =
                           "unexpected role|after role|roles must alternate|must alternate|"
                           "cannot specify message if the last entry|expected last role|"
                           "toolresult blocks can't hold other content|role order|order of roles" },
};

/* Numbers */

static char at(struct rf_str text, size_t i)
{
    return i < text.n ? text.p[i] : '\0';
}

/* Does a group of exactly three digits stand after the comma at `i`? */
static bool is_group(struct rf_str text, size_t i)
{
    return at(text, i) == ',' && rf_is_digit(at(text, i + 1)) && rf_is_digit(at(text, i + 2)) &&
           rf_is_digit(at(text, i + 3)) && !rf_is_digit(at(text, i + 4));
}

/* Is `i` inside a number that began before? */
static bool is_inside_number(struct rf_str text, size_t i)
{
    return i > 0 &&
           (rf_is_digit(text.p[i - 1]) || ((text.p[i - 1] == '.' || text.p[i - 1] == ',') &&
                                           i > 1 && rf_is_digit(text.p[i - 2])));
}

static bool is_word_at(struct rf_str text, size_t i, const char *word)
{
    size_t n = strlen(word);
    return i + n <= text.n && !rf_is_letter(at(text, i + n)) &&
           rf_str_ieq((struct rf_str){ text.p + i, n }, (struct rf_str){ word, n });
}

static const struct unit {
    const char *name;
    int64_t factor;
    bool bytes;
} units[] = {
    { "kb", 1 << 10, true },  { "kib", 1 << 10, true }, { "mb", 1 << 20, true },
    { "mib", 1 << 20, true }, { "gb", 1 << 30, true },  { "gib", 1 << 30, true },
    { "k", 1000, false },     { "m", 1000000, false },  { "megabytes", 1 << 20, true },
};

/* The unit at `*i`, a space before it allowed; `*i` moves past it. A unit without factor, such
 * as "bytes", is left to the pattern. */
static struct unit unit_at(struct rf_str text, size_t *i)
{
    size_t start = *i + (at(text, *i) == ' ');
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        if (!is_word_at(text, start, units[u].name) || (!units[u].bytes && start != *i))
            continue;
        *i = start + strlen(units[u].name);
        return units[u];
    }
    bool bytes = is_word_at(text, start, "bytes");
    bool million = is_word_at(text, start, "megapixels");
    return (struct unit){ "", million ? 1000000 : 1, bytes };
}

/* The number at `*i`; `*i` moves past it and its unit. False where there is none, or one beyond
 * all bounds. */
static bool number_at(struct rf_str text, size_t *i, int64_t *value, bool *bytes)
{
    int64_t whole = 0, fraction = 0, scale = 1;
    size_t end = *i;
    if (!rf_is_digit(at(text, end)) || is_inside_number(text, end))
        return false;
    for (; rf_is_digit(at(text, end)) || is_group(text, end); end++) {
        if (text.p[end] == ',')
            continue;
        whole = whole * 10 + (text.p[end] - '0');
        if (whole > (int64_t)1 << 40)
            return false;
    }
    if (at(text, end) == '.' && rf_is_digit(at(text, end + 1)))
        for (end++; rf_is_digit(at(text, end)); end++)
            if (scale < 1000) {
                fraction = fraction * 10 + (text.p[end] - '0');
                scale *= 10;
            }
    struct unit unit = unit_at(text, &end);
    if (__builtin_mul_overflow(whole, unit.factor, &whole))
        return false;
    *value = whole + fraction * unit.factor / scale;
    *bytes = unit.bytes;
    *i = end;
    return true;
}

/* Phrases */

static bool take_number(char kind, int64_t value, bool bytes, struct rf_phrase_numbers *f)
{
    if (kind == '$' && !bytes)
        return false;
    if (kind == '@' || kind == '$' || kind == '!' || kind == '&')
        f->limit = value - (kind == '!' ? 1 : kind == '&' ? DATA_URL_HEAD : 0);
    else if (kind == '#')
        f->sent = (f->sent < 0 ? 0 : f->sent) + value;
    return true;
}

/* Do the words match the text at `i`? Only a '*' tries again, so the depth is that of a phrase. */
static bool match(struct rf_str words, struct rf_str text, size_t i, struct rf_phrase_numbers *f)
{
    for (; words.n; words.p++, words.n--) {
        char c = *words.p;
        int64_t value;
        bool bytes;
        if (c == '*') {
            struct rf_phrase_numbers before = *f;
            for (size_t gap = 0; gap <= RF_PHRASE_GAP && i + gap <= text.n; gap++, *f = before)
                if (match((struct rf_str){ words.p + 1, words.n - 1 }, text, i + gap, f))
                    return true;
            return false;
        }
        if (strchr("@$!&#%", c)) {
            if (!number_at(text, &i, &value, &bytes) || !take_number(c, value, bytes, f))
                return false;
        } else if (i >= text.n || rf_lower(text.p[i++]) != c) {
            return false;
        }
    }
    return true;
}

static bool find(struct rf_str words, struct rf_str text, struct rf_phrase_numbers *f)
{
    for (size_t i = 0; i < text.n; i++) {
        *f = (struct rf_phrase_numbers){ 1, -1 };
        if (match(words, text, i, f))
            return true;
    }
    return false;
}

const struct rf_phrase *rf_phrase_next(const struct rf_phrase *last, enum rf_phrase_use use,
                                       struct rf_str text, struct rf_phrase_numbers *numbers)
{
    const struct rf_phrase *end = phrases + sizeof phrases / sizeof *phrases;
    for (const struct rf_phrase *p = last ? last + 1 : phrases; p < end; p++) {
        struct rf_str rest = rf_str(p->words), words;
        while (p->use == use && rf_str_split(&rest, '|', &words))
            if (find(words, text, numbers))
                return p;
    }
    return NULL;
}

const struct rf_phrase *rf_phrase_in(enum rf_phrase_use use, struct rf_str text)
{
    struct rf_phrase_numbers numbers;
    return rf_phrase_next(NULL, use, text, &numbers);
}

const struct rf_phrase *rf_phrase_is(enum rf_phrase_use use, struct rf_str text)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        struct rf_str rest = rf_str(phrases[i].words), words;
        while (phrases[i].use == use && rf_str_split(&rest, '|', &words))
            if (rf_str_ieq(words, text))
                return &phrases[i];
    }
    return NULL;
}
