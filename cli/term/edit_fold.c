/* Long pastes, folded: in the line each is one character that cannot be typed, so that every key
 * treats it as one (Backspace takes it away, the cursor steps over it, cutting and putting back
 * move it). It is shown as "[pasted: 120 lines, 4.2 KB]", and the line that is read has all of it.
 *
 * What was folded lives as long as the editor, since libedit may bring the character back at any
 * time. Past MOST_FOLDS of them, or MOST_BYTES, a paste stays as it is. */
#include "term/edit_inside.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 0x100000 /* of the characters, in a plane for private use */
#define MOST_FOLDS 1000
#define MOST_BYTES ((size_t)32 << 20)
#define LONG_LINES 10 /* more than these are long */
#define LONG_CHARACTERS 2000

bool rf_edit_is_reserved(wchar_t c)
{
    return c >= FIRST && c < FIRST + MOST_FOLDS;
}

struct rf_str rf_edit_folded(const struct rf_edit *e, wchar_t c)
{
    size_t i = (size_t)(c - FIRST);
    return rf_edit_is_reserved(c) && i < e->fold_count ? rf_buffer_view(&e->folds[i])
                                                       : (struct rf_str){ NULL, 0 };
}

static size_t count_lines(struct rf_str text)
{
    size_t n = text.n && text.p[text.n - 1] != '\n';
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

static bool is_same(const struct rf_buffer *b, struct rf_str text)
{
    return b->n == text.n && memcmp(b->p, text.p, text.n) == 0;
}

/* The character for a text; 0 where there is no room for one more. */
static wchar_t fold(struct rf_edit *e, struct rf_str text)
{
    for (size_t i = 0; i < e->fold_count; i++)
        if (is_same(&e->folds[i], text))
            return (wchar_t)(FIRST + i);
    if (e->fold_count == MOST_FOLDS || text.n > MOST_BYTES - e->fold_bytes)
        return 0;
    e->folds = reallocarray(e->folds, e->fold_count + 1, sizeof *e->folds);
    if (!e->folds)
        abort();
    e->folds[e->fold_count] = (struct rf_buffer){ 0 };
    rf_buffer_str(&e->folds[e->fold_count], text);
    e->fold_bytes += text.n;
    return (wchar_t)(FIRST + e->fold_count++);
}

void rf_edit_fold(struct rf_edit *e, struct rf_str text, struct rf_buffer *out)
{
    bool is_long = count_lines(text) > LONG_LINES || rf_edit_characters(text) > LONG_CHARACTERS;
    wchar_t c = is_long ? fold(e, text) : 0;
    if (c)
        rf_edit_narrow(out, c);
    else
        rf_buffer_str(out, text);
}

/* Origins of what is put in for `text`: as many bytes more as `out` has. */
static void mark(struct rf_buffer *origins, const struct rf_buffer *out, char origin)
{
    rf_buffer_fill(origins, origin, out->n - origins->n);
}

void rf_edit_fold_line(struct rf_edit *e, struct rf_str line, const char *origins,
                       struct rf_buffer *out, struct rf_buffer *out_origins)
{
    for (size_t i = 0, end; i < line.n; i = end) {
        for (end = i + 1; end < line.n && origins[end] == origins[i];)
            end++;
        struct rf_str stretch = { line.p + i, end - i };
        if (origins[i] == RF_EDIT_PASTED)
            rf_edit_fold(e, stretch, out);
        else
            rf_buffer_str(out, stretch);
        mark(out_origins, out, origins[i]);
    }
}

/* The first of all that was ever folded which stands in `text`, and where. */
static const struct rf_buffer *find_folded(const struct rf_edit *e, struct rf_str text, size_t *at)
{
    const struct rf_buffer *found = NULL;
    for (size_t i = 0; i < e->fold_count; i++) {
        const struct rf_buffer *f = &e->folds[i];
        const char *place = text.n ? memmem(text.p, text.n, f->p, f->n) : NULL;
        size_t where = place ? (size_t)(place - text.p) : 0;
        if (!place || (found && where >= *at))
            continue;
        found = f;
        *at = where;
    }
    return found;
}

void rf_edit_fold_again(struct rf_edit *e, struct rf_str text, struct rf_buffer *out)
{
    const struct rf_buffer *found;
    size_t at = 0;
    while ((found = find_folded(e, text, &at))) {
        rf_buffer_add(out, text.p, at);
        rf_edit_narrow(out, (wchar_t)(FIRST + (found - e->folds)));
        text = (struct rf_str){ text.p + at + found->n, text.n - at - found->n };
    }
    rf_buffer_str(out, text);
}

/* "[pasted: 120 lines, 4.2 KB]" */
static void add_label(struct rf_buffer *out, struct rf_str text)
{
    size_t lines = count_lines(text);
    rf_buffer_print(out, "[pasted: %zu line%s, ", lines, lines == 1 ? "" : "s");
    if (text.n < 1000)
        rf_buffer_print(out, "%zu B]", text.n);
    else if (text.n < 100000)
        rf_buffer_print(out, "%.1f KB]", (double)text.n / 1000);
    else
        rf_buffer_print(out, "%zu KB]", text.n / 1000);
}

void rf_edit_unfold(const struct rf_edit *e, struct rf_str line, size_t *cursor,
                    enum rf_edit_unfold how, struct rf_buffer *out)
{
    size_t at = cursor ? *cursor : 0;
    for (size_t i = 0, used; i < line.n; i += used) {
        wchar_t c;
        if (cursor && i == at)
            *cursor = out->n;
        used = rf_edit_decode((struct rf_str){ line.p + i, line.n - i }, &c);
        struct rf_str folded = rf_edit_folded(e, c);
        if (!folded.p)
            rf_buffer_add(out, line.p + i, used);
        else if (how == RF_EDIT_LABELS)
            add_label(out, folded);
        else
            rf_buffer_str(out, folded);
    }
    if (cursor && at >= line.n)
        *cursor = out->n;
}

void rf_edit_unfold_origins(const struct rf_edit *e, struct rf_str line, struct rf_str origins,
                            struct rf_buffer *out)
{
    for (size_t i = 0, used; i < line.n; i += used) {
        wchar_t c;
        used = rf_edit_decode((struct rf_str){ line.p + i, line.n - i }, &c);
        struct rf_str folded = rf_edit_folded(e, c);
        if (folded.p)
            rf_buffer_fill(out, RF_EDIT_PASTED, folded.n);
        else
            rf_buffer_add(out, origins.p + i, used);
    }
}

void rf_edit_folds_release(struct rf_edit *e)
{
    for (size_t i = 0; i < e->fold_count; i++)
        rf_buffer_release(&e->folds[i]);
    free(e->folds);
}
