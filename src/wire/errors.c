/* What a provider said when it refused: decoded here, once, with one set of kinds for all of them.
 *
 * Bodies differ in shape ({"error": {…}}, {"error": "…"}, {"message": "…"}, {"type": "error",
 * …}), and codes differ in name; words decide where the code does not. The provider's own words
 * are kept. */
#include "base/arena.h"
#include "base/utf8.h"
#include "wire/wire.h"

#define MOST_WORDS 4096 /* bytes of a refusal that are kept */

struct clue {
    const char *words; /* a code, or a piece of the message; ASCII case is ignored */
    enum rf_error_kind kind;
};

static const struct clue by_code[] = {
    { "authentication_error", RF_ERROR_AUTHENTICATION },
    { "invalid_api_key", RF_ERROR_AUTHENTICATION },
    { "UNAUTHENTICATED", RF_ERROR_AUTHENTICATION },
    { "UnrecognizedClientException", RF_ERROR_AUTHENTICATION },
    { "ExpiredTokenException", RF_ERROR_AUTHENTICATION },
    { "permission_error", RF_ERROR_PERMISSION },
    { "PERMISSION_DENIED", RF_ERROR_PERMISSION },
    { "AccessDeniedException", RF_ERROR_PERMISSION },
    { "billing_error", RF_ERROR_PERMISSION },
    { "rate_limit_error", RF_ERROR_RATE_LIMIT },
    { "rate_limit_exceeded", RF_ERROR_RATE_LIMIT },
    { "insufficient_quota", RF_ERROR_RATE_LIMIT },
    { "RESOURCE_EXHAUSTED", RF_ERROR_RATE_LIMIT },
    { "ThrottlingException", RF_ERROR_RATE_LIMIT },
    { "ServiceQuotaExceededException", RF_ERROR_RATE_LIMIT },
    { "overloaded_error", RF_ERROR_OVERLOADED },
    { "UNAVAILABLE", RF_ERROR_OVERLOADED },
    { "ServiceUnavailableException", RF_ERROR_OVERLOADED },
    { "ModelNotReadyException", RF_ERROR_OVERLOADED },
    { "context_length_exceeded", RF_ERROR_CONTEXT_TOO_LONG },
    { "request_too_large", RF_ERROR_TOO_LARGE },
    { "unsupported_file", RF_ERROR_UNSUPPORTED },
    { "not_found_error", RF_ERROR_NOT_FOUND },
    { "model_not_found", RF_ERROR_NOT_FOUND },
    { "NOT_FOUND", RF_ERROR_NOT_FOUND },
    { "ResourceNotFoundException", RF_ERROR_NOT_FOUND },
};

static const struct clue by_words[] = {
    { "prompt is too long", RF_ERROR_CONTEXT_TOO_LONG },
    { "context length", RF_ERROR_CONTEXT_TOO_LONG },
    { "context window", RF_ERROR_CONTEXT_TOO_LONG },
    { "input is too long", RF_ERROR_CONTEXT_TOO_LONG },
    { "token count exceeds", RF_ERROR_CONTEXT_TOO_LONG },
    { "exceeds the maximum number of tokens", RF_ERROR_CONTEXT_TOO_LONG },
    { "maximum prompt length", RF_ERROR_CONTEXT_TOO_LONG },
    { "maximum model length", RF_ERROR_CONTEXT_TOO_LONG },
    { "available context size", RF_ERROR_CONTEXT_TOO_LONG },
    { "exceed context limit", RF_ERROR_CONTEXT_TOO_LONG },
    { "input tokens exceed", RF_ERROR_CONTEXT_TOO_LONG },
    { "exceeded model token limit", RF_ERROR_CONTEXT_TOO_LONG },
    { "total number of tokens in the prompt cannot exceed", RF_ERROR_CONTEXT_TOO_LONG },
    { "request_too_large", RF_ERROR_TOO_LARGE },
    { "too many images", RF_ERROR_TOO_LARGE },
    { "too much media", RF_ERROR_TOO_LARGE },
    { "image(s) may be provided", RF_ERROR_TOO_LARGE },
    { "pdf pages may be provided", RF_ERROR_TOO_LARGE },
    { "supported page limit", RF_ERROR_TOO_LARGE },
    { "content size limit", RF_ERROR_TOO_LARGE },
    { "request exceeds the maximum size", RF_ERROR_TOO_LARGE },
    { "request entity too large", RF_ERROR_TOO_LARGE },
    { "payload size exceeds", RF_ERROR_TOO_LARGE },
    { "mb maximum", RF_ERROR_TOO_LARGE },
    { "supports at most", RF_ERROR_TOO_LARGE },
    { "exceeds limit", RF_ERROR_TOO_LARGE },
    { "file format is invalid", RF_ERROR_BAD_MEDIA },
    { "could not process image", RF_ERROR_BAD_MEDIA },
    { "unable to process input image", RF_ERROR_BAD_MEDIA },
    { "invalid image", RF_ERROR_BAD_MEDIA },
    { "failed to load image", RF_ERROR_BAD_MEDIA },
    { "invalid base64", RF_ERROR_BAD_MEDIA },
    { "cannot fetch content from the provided url", RF_ERROR_BAD_MEDIA },
    { "image dimensions exceed", RF_ERROR_BAD_MEDIA },
    { "pdf specified was not valid", RF_ERROR_BAD_MEDIA },
    { "you uploaded an unsupported image", RF_ERROR_BAD_MEDIA }, /* whatever is wrong with it */
    { "does not represent a valid image", RF_ERROR_BAD_MEDIA },
    { "image could not be loaded", RF_ERROR_BAD_MEDIA },
    { "doesn't support", RF_ERROR_UNSUPPORTED },
    { "does not support", RF_ERROR_UNSUPPORTED },
    { "is not supported", RF_ERROR_UNSUPPORTED },
    { "are not supported", RF_ERROR_UNSUPPORTED },
    { "not supported with", RF_ERROR_UNSUPPORTED },
    { "unsupported", RF_ERROR_UNSUPPORTED },
    { "expected to be either text or image_url", RF_ERROR_UNSUPPORTED },
    { "extraneous key", RF_ERROR_UNSUPPORTED },
    { "does not match any of the expected tags", RF_ERROR_UNSUPPORTED },
    { "context stuffing file type", RF_ERROR_UNSUPPORTED },
    { "does not exist", RF_ERROR_NOT_FOUND },
    { "model not found", RF_ERROR_NOT_FOUND },
    { "is not found for api version", RF_ERROR_NOT_FOUND },
    { "model identifier is invalid", RF_ERROR_NOT_FOUND },
    { "api key not valid", RF_ERROR_AUTHENTICATION },
    { "invalid x-api-key", RF_ERROR_AUTHENTICATION },
    { "invalid api token", RF_ERROR_AUTHENTICATION },
    { "no api key supplied", RF_ERROR_AUTHENTICATION },
    { "security token included in the request is invalid", RF_ERROR_AUTHENTICATION },
    { "unauthorized", RF_ERROR_AUTHENTICATION },
    { "rate limit", RF_ERROR_RATE_LIMIT },
    { "rate exceeded", RF_ERROR_RATE_LIMIT },
    { "rate-limited", RF_ERROR_RATE_LIMIT },
    { "too many requests", RF_ERROR_RATE_LIMIT },
    { "overloaded", RF_ERROR_OVERLOADED },
};

static bool contains(struct rf_str text, const char *words)
{
    size_t n = strlen(words);
    for (size_t i = 0; i + n <= text.n; i++)
        if (rf_str_ieq((struct rf_str){ text.p + i, n }, (struct rf_str){ words, n }))
            return true;
    return false;
}

static enum rf_error_kind kind_of_status(int status)
{
    switch (status) {
    case 401:
        return RF_ERROR_AUTHENTICATION;
    case 403:
        return RF_ERROR_PERMISSION;
    case 404:
        return RF_ERROR_NOT_FOUND;
    case 413:
        return RF_ERROR_TOO_LARGE;
    case 429:
        return RF_ERROR_RATE_LIMIT;
    case 503:
    case 529:
        return RF_ERROR_OVERLOADED;
    default:
        return RF_ERROR_OTHER;
    }
}

/* RF_ERROR_NONE: nobody knows it. */
static enum rf_error_kind kind_of_code(struct rf_str code)
{
    for (size_t i = 0; i < sizeof by_code / sizeof *by_code; i++)
        if (rf_str_ieq(code, rf_str(by_code[i].words)))
            return by_code[i].kind;
    return RF_ERROR_NONE;
}

enum rf_error_kind rf_wire_error_kind(int status, struct rf_str code, struct rf_str message)
{
    enum rf_error_kind kind = kind_of_code(code);
    if (kind != RF_ERROR_NONE)
        return kind;
    for (size_t i = 0; i < sizeof by_words / sizeof *by_words; i++)
        if (contains(message, by_words[i].words))
            return by_words[i].kind;
    return kind_of_status(status);
}

static const struct rf_jval *first_of(const struct rf_jval *v, const char *const *names)
{
    for (; *names; names++) {
        const struct rf_jval *found = rf_jval_get(v, *names);
        if (found && (found->type == RF_JSTRING || found->type == RF_JNUMBER))
            return found;
    }
    return NULL;
}

static bool is_place_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '[' || c == ']';
}

static bool is_path(struct rf_str word)
{
    static const char *const roots[] = { "messages", "input", "contents", "tools", "system" };
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        size_t n = strlen(roots[i]);
        if (rf_str_starts(word, roots[i]) && word.n > n && (word.p[n] == '.' || word.p[n] == '['))
            return true;
    }
    return false;
}

/* "messages.2.content.0.image.source: …", "Invalid 'messages[3]'. …": the first word that is a path
 * into a request. */
static struct rf_str place_in(struct rf_str message)
{
    for (size_t at = 0, end; at < message.n; at = end + 1) {
        for (end = at; end < message.n && is_place_char(message.p[end]); end++)
            ;
        struct rf_str word = { message.p + at, end - at };
        while (word.n && word.p[word.n - 1] == '.')
            word.n--;
        if (is_path(word))
            return word;
    }
    return RF_STR("");
}

/* The first that is known, else the first: a type may be vague and the code beside it exact. */
static struct rf_str own_code(struct rf_reply *r, const struct rf_jval *e)
{
    static const char *const names[] = { "type", "status", "code", "__type" };
    struct rf_str code = RF_STR("");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct rf_str found = rf_reply_text(r, rf_jval_get(e, names[i]));
        if (kind_of_code(found) != RF_ERROR_NONE)
            return found;
        code = code.n ? code : found;
    }
    return code;
}

bool rf_wire_error(const struct rf_jval *body, int status, struct rf_reply *r)
{
    static const char *const message_names[] = { "message", "Message", "error", "detail", NULL };
    const struct rf_jval *inner = rf_jval_get(body, "error");
    const struct rf_jval *e = inner && inner->type == RF_JOBJECT ? inner : body;
    const struct rf_jval *message = first_of(e, message_names);
    if (!message || message->type != RF_JSTRING)
        return false;
    struct rf_str words = rf_reply_text(r, message), own = own_code(r, e);
    rf_reply_error(r, rf_wire_error_kind(status, own, words), own, words);
    r->error.place = rf_str_dup(r->arena, place_in(words));
    return true;
}

/* Whole refusals. */

/* About whoever asks, or about the moment, whatever else the words name. */
static bool is_plain_status(int status)
{
    return status == 401 || status == 403 || status == 429 || status == 503 || status == 529;
}

static struct rf_str cut(struct rf_str s)
{
    struct rf_str front = { s.p, s.n < MOST_WORDS ? s.n : MOST_WORDS };
    return (struct rf_str){ s.p, rf_utf8_valid(front) };
}

void rf_wire_judge(struct rf_refusal *r, int status, struct rf_arena *a)
{
    /* Rate limits that time does not lift. */
    static const char *const lasting[] = { "insufficient_quota", "billing_hard_limit_reached" };
    r->status = status;
    if (r->inner.n)
        r->words = rf_strf(a, "%.*s: %.*s", RF_FMT(r->words), RF_FMT(r->inner));
    r->words = cut(r->words);
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        r->lasting |= rf_str_ieq(r->code, rf_str(lasting[i]));
    bool told = r->kind != RF_ERROR_NONE && r->kind != RF_ERROR_OTHER;
    if (is_plain_status(status)) {
        r->lasting |= told && r->kind != RF_ERROR_RATE_LIMIT && r->kind != RF_ERROR_OVERLOADED;
        r->kind = kind_of_status(status);
    } else if (!told) {
        r->kind = rf_wire_error_kind(status, r->code, r->words);
    }
}

void rf_wire_refusal(const struct rf_model *m, int status, struct rf_str body, struct rf_arena *a,
                     struct rf_refusal *out)
{
    const struct rf_dialect *d = rf_dialect_find(m->caps.dialect);
    const struct rf_jval *root;
    struct rf_reply reply;
    rf_reply_init(&reply, a);
    if (d && !rf_jval_parse(body, a, &root, NULL)) {
        bool list_of_one = root->type == RF_JARRAY && root->count == 1;
        d->decode(list_of_one ? rf_jval_at(root, 0) : root, &reply);
    }
    *out = reply.error;
    out->foreign = out->kind == RF_ERROR_NONE;
    if (out->foreign) {
        struct rf_str words = rf_str_trim(cut(body));
        out->words = words.n ? words : rf_strf(a, "status %d", status);
    }
    rf_wire_judge(out, status, a);
}
