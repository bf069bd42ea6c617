/* The wordings that were seen, as patterns; the first that matches and makes sense counts.
 *
 * A pattern matches anywhere in the words, ASCII case ignored. In it stand
 *
 *     @   the limit; where a pattern names none, it is 1
 *     !   the first number that is refused
 *     &   the longest data URL
 *     $   the limit, with a unit of bytes behind it ("5 MB", "5242880 bytes")
 *     #   what was sent; several are added up
 *     %   a number that says nothing
 *     *   at most MAX_GAP other characters, as few as possible
 *
 * Numbers may be grouped by commas and carry a unit. Of units, KB, MB and GB are powers of 1024:
 * that is what they are wherever the same words give the bytes too ("exceeds 5 MB maximum: … >
 * 5242880 bytes"). */
#include "wire/lesson.h"

#include "model/facts.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_WORDS 4096 /* bytes of a message that are looked at */
#define MAX_GAP 80

struct pattern {
    const char *fact, *words;
};

#define IMAGES "max_images"
#define IMAGE_BYTES "max_image_bytes"
#define IMAGE_BASE64 "max_image_base64"
#define SIDE "max_image_side"
#define PIXELS "max_image_pixels"
#define BODY "max_body_bytes"
#define DOCUMENTS "max_documents"
#define DOCUMENT_BYTES "max_document_bytes"
#define PAGES "max_pdf_pages"
#define VIDEO "max_video_bytes"
#define CONTEXT "context_tokens"
#define OUTPUT "max_output_tokens"

#define DATA_URL_HEAD 64 /* bytes before the base64 of a data URL */

static const struct pattern patterns[] = {
    /* Output: before the context, since some name both. */
    { OUTPUT, "max_tokens: # > @, which is the maximum allowed number of output tokens" },
    { OUTPUT, "max_tokens is too large: #. this model supports at most @ completion tokens" },
    { OUTPUT, "supports at most @ completion tokens, whereas you provided #" },
    { OUTPUT, "at most @ completion tokens" },
    { OUTPUT, "at most @ output tokens" },
    { OUTPUT, "tokens'*expected a value <= @, but got # instead" },
    { OUTPUT, "maxoutputtokens value of # but the supported range is from %*to ! (exclusive)" },
    { OUTPUT, "maximum tokens you requested exceeds the model limit of @" },
    { OUTPUT, "max_tokens` must be less than or equal to `@`" },
    { OUTPUT, "max_completion_tokens` must be less than or equal to `@`" },
    { OUTPUT, "max tokens must be less than or equal to @, the maximum output*received #" },
    { OUTPUT, "range of max_tokens is [%, @]" },
    { OUTPUT, "range of max_tokens should be [%, @]" },
    { OUTPUT, "max_tokens must be in the range of [%, @]" },

    { CONTEXT, "prompt is too long: # tokens > @" },
    { CONTEXT, "exceed context limit: # + # > @" },
    { CONTEXT, "maximum context length is @ tokens*resulted in # tokens" },
    { CONTEXT, "maximum context length is @ tokens*requested # tokens" },
    { CONTEXT, "maximum context length is @ tokens*requested about # tokens" },
    { CONTEXT, "maximum context length is @ tokens*request has # input tokens" },
    { CONTEXT, "maximum context length is @" },
    { CONTEXT, "maximum context length of @" },
    { CONTEXT, "prompt contains # tokens*too large for model with @ maximum context length" },
    { CONTEXT, "too large for model with @ maximum context length" },
    { CONTEXT, "maximum prompt length is @ but the request contains # tokens" },
    { CONTEXT, "maximum prompt length is @" },
    { CONTEXT, "input token count (#) exceeds the maximum number of tokens allowed (@)" },
    { CONTEXT, "exceeds the maximum number of tokens allowed (@)" },
    { CONTEXT, "exceeds the maximum number of tokens allowed @" },
    { CONTEXT, "input tokens exceed the configured limit of @ tokens*resulted in # tokens" },
    { CONTEXT, "input tokens exceed the configured limit of @ tokens" },
    { CONTEXT, "prompt (length #) is longer than the maximum model length of @" },
    { CONTEXT, "longer than the maximum model length of @" },
    { CONTEXT, "(# tokens) exceeds the available context size (@ tokens)" },
    { CONTEXT, "available context size (@ tokens)" },
    { CONTEXT, "keep the first # tokens*context length of only @ tokens" },
    { CONTEXT, "context length of only @ tokens" },
    { CONTEXT, "(# tokens) is longer than the model's context length (@ tokens)" },
    { CONTEXT, "longer than the model's context length (@ tokens)" },
    { CONTEXT, "`max_new_tokens` must be <= @. given: # `inputs` tokens and # `max_new_tokens`" },
    { CONTEXT, "`max_new_tokens` must be <= @" },
    { CONTEXT, "range of input length should be [%, @]" },
    { CONTEXT, "prompt token count of # exceeds the limit of @" },
    { CONTEXT, "exceeded model token limit: @ (requested: #)" },
    { CONTEXT, "exceeded model token limit: @" },
    { CONTEXT, "total number of tokens in the prompt cannot exceed @ - received #" },
    { CONTEXT, "context window of @ tokens" },
    { CONTEXT, "context window is @ tokens" },

    { "many_image_side", "max allowed size for many-image requests: @ pixels" },
    { SIDE, "exceed max allowed size: @ pixels" },
    { SIDE, "dimension*exceed*maximum*@x%" },
    { SIDE, "dimension*exceed*@ pixels" },
    { SIDE, "dimension*exceed*@px" },
    { SIDE, "image*exceed*maximum of @ pixels" },
    { PIXELS, "image*exceed*maximum of @ pixels" },
    { PIXELS, "pixel*exceed*@ pixels" },
    { PIXELS, "pixel count*exceed*@" },
    { PIXELS, "image*exceed*@ megapixels" },

    { BODY, "request payload size exceeds the limit: $" }, /* before what names a picture too */
    { BODY, "request size*exceeds*$" },
    { IMAGE_BASE64, "image exceeds % maximum: # bytes > $" },
    { IMAGE_BASE64, "image exceeds $ maximum" },
    { IMAGE_BASE64, "image_url*string too long*maximum length &, but got a string with length #" },
    { IMAGE_BYTES, "image size is #, which exceeds the allowed limit of $" },
    { IMAGE_BYTES, "image size*# exceeds*$" },
    { IMAGE_BYTES, "image size*exceeds*$" },
    { IMAGE_BYTES, "image*exceeds*maximum*$" },
    { IMAGE_BYTES, "image*exceeds*limit of $" },
    { IMAGE_BYTES, "image*too large*max*$" },
    { IMAGE_BYTES, "image*larger than $" },
    { IMAGE_BYTES, "image*less than $" },

    { IMAGES, "image count # exceeds limit @" },
    { IMAGES, "too much media: # document pages + # images > @" },
    { IMAGES, "too many images and documents: # + # > @" },
    { IMAGES, "too many images: image_count > @" },
    { IMAGES, "too many images: # > @" },
    { IMAGES, "# images*provided, but the model supports a maximum of @ images" },
    { IMAGES, "contains # images, exceeding the maximum of @" },
    { IMAGES, "number of images (#) exceeds*(@)" },
    { IMAGES, "number of images*exceeds*limit of @" },
    { IMAGES, "maximum number of images*is @" },
    { IMAGES, "at most @ image parts*but # were provided" },
    { IMAGES, "at most @ image" },
    { IMAGES, "up to @ images" },
    { IMAGES, "maximum of @ images" },
    { IMAGES, "fewer than ! images" },
    { IMAGES, "too many images*max is @" },
    { IMAGES, "too many images*max allowed is @" },
    { IMAGES, "too many images*maximum is @" },
    { IMAGES, "only supports a single image" },
    { IMAGES, "only one image is supported" },
    { IMAGES, "only supports one image" },

    { PAGES, "contains # pages*page limit of @" },
    { PAGES, "page limit of @" },
    { PAGES, "maximum of @ pdf pages" },
    { PAGES, "maximum of @ pages" },
    { PAGES, "at most @ pages" },
    { PAGES, "up to @ pages" },

    { DOCUMENTS, "number of documents (#) exceeds*(@)" },
    { DOCUMENTS, "too many documents: # > @" },
    { DOCUMENTS, "maximum number of documents*is @" },
    { DOCUMENTS, "maximum of @ documents" },
    { DOCUMENTS, "at most @ document" },
    { DOCUMENTS, "up to @ documents" },
    { DOCUMENT_BYTES, "document*exceeds*$" },
    { DOCUMENT_BYTES, "pdf*exceeds*$" },
    { DOCUMENT_BYTES, "file*exceeds*$" },
    { VIDEO, "video*exceeds*$" },

    { BODY, "maximum content size limit (@) exceeded (# bytes read)" },
    { BODY, "maximum request size is $" },
    { BODY, "request*exceeds*maximum*$" },
    { BODY, "request*exceeds*limit*$" },
    { BODY, "request*too large*max*$" },
    { BODY, "request*too large*limit*$" },
    { BODY, "request*larger than $" },
    { BODY, "payload*too large*$" },
};

/* Members of a request that a server may not know: one that names them does not. */
static const struct pattern members[] = {
    { "stream_usage", "stream_options" },
    { "stream_usage", "include_usage" },
};

/* What a fact can be; below and above, the words mean something else. */
static const struct bound {
    const char *fact;
    int64_t least, most;
} bounds[] = {
    { IMAGES, 1, 10000 },
    { IMAGE_BYTES, 16 << 10, 1 << 30 },
    { IMAGE_BASE64, 16 << 10, 1 << 30 },
    { SIDE, 64, 65535 },
    { "many_image_side", 64, 65535 },
    { PIXELS, 65536, (int64_t)10 << 30 },
    { BODY, 64 << 10, (int64_t)4 << 30 },
    { DOCUMENTS, 1, 10000 },
    { DOCUMENT_BYTES, 16 << 10, (int64_t)4 << 30 },
    { PAGES, 1, 100000 },
    { VIDEO, 64 << 10, (int64_t)16 << 30 },
    { CONTEXT, 512, 100000000 },
    { OUTPUT, 16, 10000000 },
};

/* About an account, not about a model. */
static const char *const other_limits[] = {
    "per minute", "per hour", "per day",    "per second", "(tpm)",   "(rpm)",
    "quota",      "credits",  "rate limit", "afford",     "billing",
};

struct found {
    int64_t limit, sent; /* sent -1: not named */
};

/* Numbers */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static char at(struct rf_str text, size_t i)
{
    return i < text.n ? text.p[i] : '\0';
}

/* Does a group of exactly three digits stand behind the comma at `i`? */
static bool is_group(struct rf_str text, size_t i)
{
    return at(text, i) == ',' && is_digit(at(text, i + 1)) && is_digit(at(text, i + 2)) &&
           is_digit(at(text, i + 3)) && !is_digit(at(text, i + 4));
}

/* Is `i` inside a number that began before? */
static bool is_inside_number(struct rf_str text, size_t i)
{
    return i > 0 && (is_digit(text.p[i - 1]) || ((text.p[i - 1] == '.' || text.p[i - 1] == ',') &&
                                                 i > 1 && is_digit(text.p[i - 2])));
}

static bool is_word_at(struct rf_str text, size_t i, const char *word)
{
    size_t n = strlen(word);
    return i + n <= text.n && !is_letter(at(text, i + n)) &&
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

/* The unit at `*i`, a space before it allowed; `*i` moves behind it. A unit without factor, such
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

/* The number at `*i`; `*i` moves behind it and its unit. False where there is none, or one beyond
 * all bounds. */
static bool number_at(struct rf_str text, size_t *i, int64_t *value, bool *bytes)
{
    int64_t whole = 0, fraction = 0, scale = 1;
    size_t end = *i;
    if (!is_digit(at(text, end)) || is_inside_number(text, end))
        return false;
    for (; is_digit(at(text, end)) || is_group(text, end); end++) {
        if (text.p[end] == ',')
            continue;
        whole = whole * 10 + (text.p[end] - '0');
        if (whole > (int64_t)1 << 40)
            return false;
    }
    if (at(text, end) == '.' && is_digit(at(text, end + 1)))
        for (end++; is_digit(at(text, end)); end++)
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

/* Patterns */

static bool take_number(char kind, int64_t value, bool bytes, struct found *f)
{
    if (kind == '$' && !bytes)
        return false;
    if (kind == '@' || kind == '$' || kind == '!' || kind == '&')
        f->limit = value - (kind == '!' ? 1 : kind == '&' ? DATA_URL_HEAD : 0);
    else if (kind == '#')
        f->sent = (f->sent < 0 ? 0 : f->sent) + value;
    return true;
}

static bool is_number_kind(char c)
{
    return c && strchr("@$!&#%", c);
}

/* Does `words` match the text at `i`? Only a '*' tries again, so the depth is that of a pattern. */
static bool match(const char *words, struct rf_str text, size_t i, struct found *f)
{
    for (; *words; words++) {
        int64_t value;
        bool bytes;
        if (*words == '*') {
            struct found before = *f;
            for (size_t gap = 0; gap <= MAX_GAP && i + gap <= text.n; gap++, *f = before)
                if (match(words + 1, text, i + gap, f))
                    return true;
            return false;
        }
        if (is_number_kind(*words)) {
            if (!number_at(text, &i, &value, &bytes) || !take_number(*words, value, bytes, f))
                return false;
        } else if (lower(at(text, i)) != *words || i >= text.n) {
            return false;
        } else {
            i++;
        }
    }
    return true;
}

static bool find(const char *words, struct rf_str text, struct found *f)
{
    for (size_t i = 0; i < text.n; i++) {
        *f = (struct found){ 1, -1 };
        if (match(words, text, i, f))
            return true;
    }
    return false;
}

static bool is_possible(const char *fact, int64_t value)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (strcmp(bounds[i].fact, fact) == 0)
            return value >= bounds[i].least && value <= bounds[i].most;
    return false;
}

/* Lessons */

static bool is_about_the_request(enum rf_error_kind kind, struct rf_str words)
{
    struct found f;
    switch (kind) {
    case RF_ERROR_NONE:
    case RF_ERROR_AUTHENTICATION:
    case RF_ERROR_PERMISSION:
    case RF_ERROR_RATE_LIMIT:
    case RF_ERROR_OVERLOADED:
    case RF_ERROR_NOT_FOUND:
        return false;
    case RF_ERROR_CONTEXT_TOO_LONG:
    case RF_ERROR_TOO_LARGE:
    case RF_ERROR_BAD_MEDIA:
    case RF_ERROR_UNSUPPORTED:
    case RF_ERROR_OTHER:
        break;
    }
    for (size_t i = 0; i < sizeof other_limits / sizeof *other_limits; i++)
        if (find(other_limits[i], words, &f))
            return false;
    return true;
}

static bool teach(const char *fact, int64_t value, struct rf_lesson *out)
{
    if (!rf_fact_find(rf_str(fact)))
        return false;
    out->fact = fact;
    snprintf(out->value, sizeof out->value, "%" PRId64, value);
    return true;
}

static bool is_unknown_member(struct rf_str words, struct rf_lesson *out)
{
    struct found f;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (find(members[i].words, words, &f)) {
            *out = (struct rf_lesson){ members[i].fact, "no" };
            return true;
        }
    return false;
}

bool rf_lesson_from(enum rf_error_kind kind, struct rf_str words, struct rf_lesson *out)
{
    words.n = words.n < MAX_WORDS ? words.n : MAX_WORDS;
    if (!is_about_the_request(kind, words))
        return false;
    if (is_unknown_member(words, out))
        return true;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct pattern *p = &patterns[i];
        struct found f;
        if (!find(p->words, words, &f))
            continue;
        if (f.sent >= 0 && f.limit >= f.sent)
            return false; /* they contradict themselves */
        if (f.limit == 0 && strcmp(p->fact, IMAGES) == 0) {
            *out = (struct rf_lesson){ "vision", "no" };
            return true;
        }
        if (is_possible(p->fact, f.limit))
            return teach(p->fact, f.limit, out);
    }
    return false;
}
