/* What a provider said when it refused: decoded here, once, with one set of kinds for all of them.
 *
 * Bodies differ in shape ({"error": {…}}, {"error": "…"}, {"message": "…"}, {"type": "error",
 * …}), and codes differ in name; words decide where the code does not. The provider's own words
 * are kept. */
#include "base/arena.h"
#include "base/utf8.h"
#include "wire/phrases.h"
#include "wire/wire.h"

#define MOST_WORDS 4096 /* bytes of a refusal that are kept */

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

/* RF_ERROR_NONE: it is unknown. */
static enum rf_error_kind kind_of_code(struct rf_str code)
{
    const struct rf_phrase *p = rf_phrase_is(RF_PHRASE_CODE, code);
    return p ? p->kind : RF_ERROR_NONE;
}

enum rf_error_kind rf_wire_error_kind(int status, struct rf_str code, struct rf_str words)
{
    const struct rf_phrase *p = rf_phrase_is(RF_PHRASE_CODE, code);
    p = p ? p : rf_phrase_in(RF_PHRASE_KIND, words);
    return p ? p->kind : kind_of_status(status);
}

bool rf_wire_is_by_words(const struct rf_refusal *r)
{
    return r->kind != kind_of_status(r->status) && r->kind != kind_of_code(r->code);
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
    return rf_is_alnum(c) || c == '_' || c == '.' || c == '[' || c == ']';
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

/* The status that the error would have, had nothing come before it; 0: it does not tell. */
static int status_named(int status, struct rf_str code)
{
    if (status >= 400 && status < 600)
        return status;
    return rf_phrase_is(RF_PHRASE_INVALID, code) ? 400 : 0;
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
    rf_reply_error_was(r, status_named(status, own), body);
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
    bool told = r->kind != RF_ERROR_NONE && r->kind != RF_ERROR_OTHER;
    r->status = status;
    if (r->inner.n)
        r->words = rf_strf(a, "%.*s: %.*s", RF_FMT(r->words), RF_FMT(r->inner));
    r->words = cut(r->words);
    r->lasting = status == 402 || rf_phrase_is(RF_PHRASE_LASTING, r->code);
    if (is_plain_status(status)) {
        r->lasting |= told && r->kind != RF_ERROR_RATE_LIMIT && r->kind != RF_ERROR_OVERLOADED;
        r->kind = kind_of_status(status);
    } else if (!told) {
        r->kind = rf_wire_error_kind(status, r->code, r->words);
    }
}

/* Does it say in any way that is known what is wrong? Else what the decoder missed in it, which is
 * an answer, is beside the point. */
static bool tells_why(const struct rf_jval *root, const struct rf_refusal *r, struct rf_arena *a)
{
    struct rf_reply reply;
    rf_reply_init(&reply, a);
    return r->kind != RF_ERROR_NONE &&
           (r->kind != RF_ERROR_OTHER || r->code.n || rf_wire_error(root, 0, &reply));
}

/* All of a body of an unknown shape, or its status where it says nothing. */
static struct rf_str words_of_body(struct rf_str body, const struct rf_jval *root, int status,
                                   struct rf_arena *a)
{
    struct rf_str words = rf_str_trim(cut(body));
    bool nested = root && (root->type == RF_JOBJECT || root->type == RF_JARRAY);
    bool empty = !words.n || (nested && !root->count);
    bool moved = status > 300 && status < 400 && status != 304;
    const char *more = moved ? ": it redirects, and nothing is sent where that leads" : "";
    return empty ? rf_strf(a, "status %d%s", status, more) : words;
}

void rf_wire_refusal(const struct rf_model *m, int status, struct rf_str body, struct rf_arena *a,
                     struct rf_refusal *out)
{
    const struct rf_dialect *d = rf_dialect_find(m->caps.dialect);
    const struct rf_jval *root = NULL;
    struct rf_reply reply;
    rf_reply_init(&reply, a);
    if (d && d->decode && !rf_jval_parse(body, a, &root, NULL)) {
        root = root->type == RF_JARRAY && root->count == 1 ? rf_jval_at(root, 0) : root;
        d->decode(root, &reply);
    }
    *out = reply.error;
    out->foreign = out->kind == RF_ERROR_NONE;
    if (!tells_why(root, out, a))
        out->words = words_of_body(body, root, status, a);
    rf_wire_judge(out, status, a);
}
