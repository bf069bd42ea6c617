#include "source/recode.h"

#include "base/arena.h"
#include "base/num.h"
#include "media/declared.h"

struct rf_charset rf_charset_decoded(struct rf_text_kind kind, size_t bad)
{
    static const struct rf_str names[] = { [RF_ENCODING_UTF16LE] = RF_STR_INIT("UTF-16"),
                                           [RF_ENCODING_UTF16BE] = RF_STR_INIT("UTF-16"),
                                           [RF_ENCODING_OTHER] = RF_STR_INIT("windows-1252") };
    return (struct rf_charset){
        .name = names[kind.encoding],
        .by = kind.guessed ? RF_CHARSET_GUESSED : RF_CHARSET_SAID,
        .bad = (int64_t)bad,
    };
}

bool rf_recoded(const struct rf_job *job, struct rf_bytes *out)
{
    if (job->failed || job->part_count != 1)
        return false;
    *out = job->parts[0].bytes;
    return true;
}

struct rf_charset rf_charset_of(const struct rf_job *job)
{
    struct rf_str by = rf_prop_str(job->facts, job->fact_count, "charset_by");
    return (struct rf_charset){
        .name = rf_prop_str(job->facts, job->fact_count, "charset"),
        .by = rf_str_is(by, "detected") ? RF_CHARSET_DETECTED
              : rf_str_is(by, "guess")  ? RF_CHARSET_GUESSED
                                        : RF_CHARSET_SAID,
        .bad = rf_prop_int(job->facts, job->fact_count, "charset_bad"),
    };
}

/* Does it stand after "="? There are pages with <meta name="charset" content="…">. */
static bool is_value(struct rf_str text, size_t at)
{
    while (at && memchr(" \t\r\n\"'", text.p[at - 1], 6))
        at--;
    return at && text.p[at - 1] == '=';
}

static struct rf_str as_utf8(struct rf_str text, struct rf_str name, struct rf_arena *a)
{
    size_t at = name.n ? (size_t)(name.p - text.p) : 0;
    if (!is_value(text, at))
        return text;
    struct rf_str before = { text.p, at }, after = { name.p + name.n, text.n - at - name.n };
    return rf_str_join(a, rf_str_join(a, before, RF_STR("utf-8")), after);
}

struct rf_str rf_declare_utf8(struct rf_str text, struct rf_arena *a)
{
    if (!rf_str_starts(rf_str_trim(text), "<"))
        return text;
    text = as_utf8(text, rf_declared_by_xml(text), a);
    return as_utf8(text, rf_declared_by_meta(text), a);
}

struct rf_str rf_charset_words(const struct rf_charset *c, struct rf_arena *a)
{
    static const char *const after[] = {
        [RF_CHARSET_SAID] = "", [RF_CHARSET_DETECTED] = " (detected)", [RF_CHARSET_GUESSED] = ""
    };
    if (!c->name.n)
        return RF_STR("");
    return rf_strf(a, "%.*s%s, converted to UTF-8%s", RF_FMT(c->name), after[c->by],
                   c->by == RF_CHARSET_GUESSED ? ", which is a guess: the bytes do not say" : "");
}

struct rf_str rf_charset_bad_words(const struct rf_charset *c, struct rf_arena *a)
{
    struct rf_str name = c->name.n ? c->name : RF_STR("UTF-8");
    if (c->bad <= 0)
        return RF_STR("");
    return rf_strf(a, "%.*s byte%s not %.*s: U+FFFD stands for %s",
                   RF_FMT(rf_with_commas((uint64_t)c->bad, a)), c->bad == 1 ? " is" : "s are",
                   RF_FMT(name), c->bad == 1 ? "it" : "them");
}
