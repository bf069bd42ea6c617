/* Search through the text of all pages, from where one is, once around. Letters of ASCII count the
 * same in both cases. It stops as soon as a key is pressed. */
#include "view/viewer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NOWHERE ((size_t)-1)

static size_t find_forward(struct rf_str text, const char *query, size_t from)
{
    size_t n = strlen(query);
    for (size_t i = from; i + n <= text.n; i++)
        if (strncasecmp(text.p + i, query, n) == 0)
            return i;
    return NOWHERE;
}

static size_t find_backward(struct rf_str text, const char *query, size_t before)
{
    size_t n = strlen(query);
    for (size_t i = before; i-- > 0;)
        if (i + n <= text.n && strncasecmp(text.p + i, query, n) == 0)
            return i;
    return NOWHERE;
}

static size_t find_in(struct rf_str text, const struct rf_viewer *v, int step, size_t from)
{
    return step > 0 ? find_forward(text, v->query, from) : find_backward(text, v->query, from);
}

/* Where to go on in the page that is shown: after, or before, what was found in it last. */
static size_t begin_of_search(const struct rf_viewer *v, int step)
{
    if (v->found == NOWHERE)
        return step > 0 ? 0 : v->text.n;
    return step > 0 ? v->found + 1 : v->found;
}

static void show_match(struct rf_viewer *v, size_t at)
{
    v->found = at;
    v->stale = true;
    if (!v->as_text)
        return;
    size_t row = 0;
    while (row + 1 < v->row_count && v->rows[row].end <= at)
        row++;
    size_t height = (size_t)rf_view_height(v);
    if (row < v->top || row >= v->top + height)
        v->top = row > height / 3 ? row - height / 3 : 0;
}

/* "…the words around it…" for who sees a picture and not the text. */
static void say_match(struct rf_viewer *v, size_t at)
{
    size_t begin = at > 20 ? at - 20 : 0, end = at + 60 < v->text.n ? at + 60 : v->text.n;
    while (begin < at && (v->text.p[begin] & 0xc0) == 0x80)
        begin++;
    int n = snprintf(v->message, sizeof v->message, "found: %.*s", (int)(end - begin),
                     v->text.p + begin);
    for (int i = 0; i < n && i < (int)sizeof v->message - 1; i++)
        if ((unsigned char)v->message[i] < ' ')
            v->message[i] = ' ';
}

static bool search_page(struct rf_viewer *v, size_t page, int step, size_t *at)
{
    struct rf_str text;
    struct rf_err unreadable;
    if (rf_preview_text(v->preview, page, &text, &unreadable))
        return false;
    *at = find_in(text, v, step, step > 0 ? 0 : text.n);
    return *at != NOWHERE;
}

void rf_view_find(struct rf_viewer *v, int step)
{
    size_t count = rf_preview_count(v->preview), at = NOWHERE;
    if (!v->query[0] || !rf_view_break(v))
        return;
    at = find_in(v->text, v, step, begin_of_search(v, step));
    for (size_t i = 1; at == NOWHERE && i <= count; i++) {
        size_t page = (v->page + (step > 0 ? i : count - i % count)) % count;
        snprintf(v->message, sizeof v->message, "searching: %zu of %zu", i, count);
        if (i % 8 == 1)
            rf_view_draw_status(v);
        if (rf_view_is_interrupted(v)) {
            snprintf(v->message, sizeof v->message, "stopped");
            return;
        }
        if (search_page(v, page, step, &at)) {
            rf_view_go(v, page);
            if (!rf_view_break(v))
                return;
            at = find_in(v->text, v, step, step > 0 ? 0 : v->text.n); /* as it is shown */
            break;
        }
    }
    if (at == NOWHERE) {
        snprintf(v->message, sizeof v->message, "not found: %s", v->query);
        return;
    }
    v->message[0] = '\0';
    show_match(v, at);
    if (!v->as_text)
        say_match(v, at);
}
