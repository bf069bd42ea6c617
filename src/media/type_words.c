/* MIME types as people call them, wherever they stand in a sentence. The sentence is ours or a
 * tool's; a type that the table of formats does not know stays as it is. */
#include "media/type_words.h"

#include "base/arena.h"
#include "base/buf.h"
#include "media/media.h"

#include <refract/request.h>

#include <stdio.h>

static bool is_type_letter(char c)
{
    return rf_is_alnum(c) || (c && strchr("/.+-_", c));
}

/* The bytes of the word that `s` begins with and that may be a type. */
static size_t word(struct rf_str s)
{
    size_t n = 0;
    while (n < s.n && is_type_letter(s.p[n]))
        n++;
    while (n && s.p[n - 1] == '.') /* the end of a sentence */
        n--;
    return memchr(s.p, '/', n) ? n : 0;
}

static const char *noun(enum rf_kind kind, bool several)
{
    switch (kind) {
    case RF_KIND_IMAGE:
        return several ? " images" : " image";
    case RF_KIND_OFFICE:
        return several ? " files" : " file";
    case RF_KIND_AUDIO:
        return " sound";
    case RF_KIND_VIDEO:
        return " video";
    case RF_KIND_PDF:
    case RF_KIND_TEXT:
    case RF_KIND_UNKNOWN:
        return "";
    }
    return "";
}

static bool ends_with_no(const struct rf_buf *b)
{
    return b->n >= 4 && memcmp(b->p + b->n - 4, " no ", 4) == 0;
}

struct rf_str rf_type_words(struct rf_str text, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, SIZE_MAX);
    for (size_t i = 0, n; i < text.n; i += n) {
        struct rf_str rest = { text.p + i, text.n - i };
        bool begins = !i || !is_type_letter(text.p[i - 1]);
        n = begins ? word(rest) : 0;
        const struct rf_format *f = n ? rf_format_by_mime((struct rf_str){ rest.p, n }) : NULL;
        if (f) {
            rf_buf_addf(&b, "%s%s", f->label, noun(f->kind, ends_with_no(&b)));
        } else {
            n = n ? n : 1;
            rf_buf_add(&b, (struct rf_str){ rest.p, n });
        }
    }
    return rf_buf_finish(&b, &out, NULL) ? text : out;
}

const char *rf_types_in_words(struct rf_str text, char *out, size_t size)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str words = rf_type_words(text, a);
    snprintf(out, size, "%.*s", RF_FMT(words));
    rf_arena_free(a);
    return out;
}
