#include "wire/lesson.h"

#include "model/facts.h"
#include "wire/phrases.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_WORDS 4096 /* bytes of a message that are looked at */

/* What a fact can be; below and above, the words mean something else. */
static const struct bound {
    const char *fact;
    int64_t least, most;
} bounds[] = {
    { "max_images", 1, 10000 },
    { "max_image_bytes", 16 << 10, 1 << 30 },
    { "max_image_base64", 16 << 10, 1 << 30 },
    { "max_image_side", 64, 65535 },
    { "many_image_side", 64, 65535 },
    { "max_image_pixels", 65536, (int64_t)10 << 30 },
    { "max_body_bytes", 64 << 10, (int64_t)4 << 30 },
    { "max_documents", 1, 10000 },
    { "max_document_bytes", 16 << 10, (int64_t)4 << 30 },
    { "max_pdf_pages", 1, 100000 },
    { "max_video_bytes", 64 << 10, (int64_t)16 << 30 },
    { "context_tokens", 512, 100000000 },
    { "max_output_tokens", 16, 10000000 },
};

static bool is_possible(const char *fact, int64_t value)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (strcmp(bounds[i].fact, fact) == 0)
            return value >= bounds[i].least && value <= bounds[i].most;
    return false;
}

static bool is_about_the_request(enum rf_error_kind kind, struct rf_str words)
{
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
    return !rf_phrase_in(RF_PHRASE_ACCOUNT, words);
}

static bool teach(const char *fact, int64_t value, struct rf_lesson *out)
{
    if (!rf_fact_find(rf_str(fact)))
        return false;
    out->fact = fact;
    snprintf(out->value, sizeof out->value, "%" PRId64, value);
    return true;
}

bool rf_lesson_from(enum rf_error_kind kind, struct rf_str words, struct rf_lesson *out)
{
    words.n = words.n < MAX_WORDS ? words.n : MAX_WORDS;
    if (!is_about_the_request(kind, words))
        return false;
    const struct rf_phrase *p = rf_phrase_in(RF_PHRASE_MEMBER, words);
    struct rf_phrase_numbers n;
    if (p) {
        *out = (struct rf_lesson){ p->fact, "no" };
        return true;
    }
    while ((p = rf_phrase_next(p, RF_PHRASE_LIMIT, words, &n))) {
        if (n.sent >= 0 && n.limit >= n.sent)
            return false; /* they contradict themselves */
        if (n.limit == 0 && strcmp(p->fact, "max_images") == 0) {
            *out = (struct rf_lesson){ "vision", "no" };
            return true;
        }
        if (is_possible(p->fact, n.limit))
            return teach(p->fact, n.limit, out);
    }
    return false;
}
