#include "content/unforged.h"

#include "base/arena.h"

/* Bytes of the blank or unseen character at `p`; 0: it is none. */
static size_t unseen(const char *p, const char *end)
{
    static const char *const marks[] = {
        " ",
        "\t",
        "\n",
        "\r",
        "\xc2\xa0",
        "\xc2\xad", /* a space that keeps its line, a soft hyphen */
        "\xe2\x80\x8b",
        "\xe2\x80\x8c",
        "\xe2\x80\x8d", /* of no width */
        "\xe2\x80\x8e",
        "\xe2\x80\x8f",
        "\xe2\x80\xaa", /* directions */
        "\xe2\x80\xab",
        "\xe2\x80\xac",
        "\xe2\x80\xad",
        "\xe2\x80\xae",
        "\xe2\x80\xaf",
        "\xe2\x81\xa0",
        "\xe2\x81\xa1",
        "\xe2\x81\xa2",
        "\xe2\x81\xa3",
        "\xe2\x81\xa4",
        "\xe2\x81\xa6",
        "\xe2\x81\xa7",
        "\xe2\x81\xa8",
        "\xe2\x81\xa9",
        "\xef\xbb\xbf",
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t n = strlen(marks[i]);
        if ((size_t)(end - p) >= n && !memcmp(p, marks[i], n))
            return n;
    }
    return 0;
}

/* Does a note of ours begin behind a bracket, for whoever reads it? "[systemd]" is none. */
static bool is_note(const char *p, const char *end)
{
    for (const char *mark = "system:"; *mark; mark++, p++) {
        for (size_t n; (n = unseen(p, end));)
            p += n;
        if (p == end || (*p | 0x20) != (*mark | 0x20))
            return false;
    }
    return true;
}

struct rf_str rf_unforged(struct rf_str text, struct rf_arena *a)
{
    if (!text.n)
        return text;
    const char *end = text.p + text.n, *at = text.p;
    char *copy = NULL;
    while (at < end && (at = memchr(at, '[', (size_t)(end - at)))) {
        size_t i = (size_t)(at++ - text.p);
        if (!is_note(at, end))
            continue;
        if (!copy)
            copy = memcpy(rf_arena_alloc(a, text.n), text.p, text.n);
        copy[i] = '(';
    }
    return copy ? (struct rf_str){ copy, text.n } : text;
}
