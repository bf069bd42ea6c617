/* Text becomes rows: harmless, wrapped at spaces, in one style. What is said in the other thread
 * comes over as an event; where there is no terminal it is printed as it is. */
#include "chat/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "report.h"
#include "term/cells.h"
#include "text.h"

#define LEAST_COLUMNS 10

int rf_chat_columns(const struct rf_chat *c)
{
    int columns = rf_chat_is_over_there(c) ? c->turn->columns : c->tty.columns;
    return columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
}

size_t rf_chat_next_row(struct rf_str s, int width, size_t *with_spaces)
{
    size_t n = rf_cells_fit(s, width, NULL), end;
    if (n < s.n) {
        size_t space = n;
        while (space && s.p[space] != ' ')
            space--;
        n = space ? space : n ? n : rf_cells_step(s, &(int){ 0 });
    }
    for (end = n; end < s.n && s.p[end] == ' ' && n < s.n;)
        end++;
    *with_spaces = end;
    return n;
}

struct rows {
    struct rf_chat *c;
    const struct rf_chat_mark *mark;
    enum rf_style style;
    size_t most, done, left_out;
};

static void commit_row(struct rows *r, struct rf_str text)
{
    struct rf_buffer row = { 0 };
    if (r->most && r->done >= r->most) {
        r->left_out++;
        return;
    }
    rf_theme_on(&r->c->theme, r->mark->style, &row);
    rf_buffer_text(&row, r->done++ ? r->mark->rest : r->mark->first);
    rf_theme_off(&r->c->theme, r->mark->style, &row);
    rf_theme_on(&r->c->theme, r->style, &row);
    rf_buffer_str(&row, text);
    rf_theme_off(&r->c->theme, r->style, &row);
    rf_chat_commit(r->c, rf_buffer_view(&row));
    rf_buffer_release(&row);
}

static void commit_line(struct rows *r, struct rf_str line, int width)
{
    struct rf_buffer clean = { 0 };
    rf_cells_clean(&clean, line);
    struct rf_str rest = rf_buffer_view(&clean);
    do {
        size_t used, n = rf_chat_next_row(rest, width, &used);
        commit_row(r, (struct rf_str){ rest.p, n });
        rest = (struct rf_str){ rest.p + used, rest.n - used };
    } while (rest.n);
    rf_buffer_release(&clean);
}

size_t rf_chat_rows(struct rf_chat *c, const struct rf_chat_mark *mark, enum rf_style style,
                    struct rf_str text, size_t most)
{
    static const struct rf_chat_mark none = { RF_STYLE_PLAIN, "", "" };
    struct rows r = { c, mark ? mark : &none, style, most, 0, 0 };
    int before = rf_cells(rf_text(r.mark->rest)), head = rf_cells(rf_text(r.mark->first));
    int width = rf_chat_columns(c) - (before > head ? before : head);
    width = width < 1 ? 1 : width;
    while (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    for (;;) {
        const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;
        size_t n = end ? (size_t)(end - text.p) : text.n;
        size_t shown = n && text.p[n - 1] == '\r' ? n - 1 : n;
        commit_line(&r, (struct rf_str){ text.p, shown }, width);
        if (!end)
            return r.done + r.left_out;
        text = (struct rf_str){ end + 1, text.n - n - 1 };
    }
}

/* Asides */

bool rf_chat_is_aside(const struct rf_chat *c)
{
    return c->show->answering && !c->show->hears;
}

void rf_chat_commit(struct rf_chat *c, struct rf_str row)
{
    if (!rf_chat_is_aside(c)) {
        rf_region_commit(&c->region, row);
        return;
    }
    rf_buffer_str(&c->show->asides, row);
    rf_buffer_text(&c->show->asides, "\n");
}

void rf_chat_asides_live(struct rf_chat *c, void (*row)(void *ctx, struct rf_str row), void *ctx)
{
    struct rf_str rest = rf_buffer_view(&c->show->asides);
    while (rest.n) {
        size_t n = (size_t)((const char *)memchr(rest.p, '\n', rest.n) - rest.p);
        row(ctx, (struct rf_str){ rest.p, n });
        rest = (struct rf_str){ rest.p + n + 1, rest.n - n - 1 };
    }
}

static void commit_aside(void *ctx, struct rf_str row)
{
    struct rf_chat *c = ctx;
    rf_region_commit(&c->region, row);
}

void rf_chat_asides_end(struct rf_chat *c)
{
    rf_chat_asides_live(c, commit_aside, c);
    rf_buffer_release(&c->show->asides);
}

/* Where it goes. */

static void print_plain(struct rf_str text)
{
    struct rf_safe_output out = { .out = stdout };
    rf_safe_output_add(&out, text);
    rf_safe_output_end(&out);
    if (!text.n)
        putchar('\n');
    fflush(stdout);
}

static void post(struct rf_chat *c, enum rf_chat_event_type type, enum rf_style style,
                 struct rf_str text)
{
    struct rf_chat_event *e = rf_chat_event_new(type);
    e->style = style;
    rf_buffer_str(&e->text, text);
    rf_chat_post(c, e);
}

void rf_chat_say_text(struct rf_chat *c, enum rf_style style, struct rf_str text)
{
    if (c->plain) {
        print_plain(text);
    } else if (rf_chat_is_over_there(c)) {
        post(c, RF_CHAT_SAID, style, text);
    } else {
        rf_chat_show_part(c, RF_CHAT_LINES);
        rf_chat_rows(c, NULL, style, text, 0);
    }
}

void rf_chat_say(struct rf_chat *c, enum rf_style style, const char *fmt, ...)
{
    va_list args;
    char *text;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0)
        abort();
    rf_chat_say_text(c, style, (struct rf_str){ text, (size_t)n });
    free(text);
}

static void pad(struct rf_buffer *b, int cells)
{
    rf_buffer_fill(b, ' ', cells > 0 ? (size_t)cells : 0);
}

/* The meaning is wrapped beside the word, or below it where there is no room. */
static void commit_pair(struct rf_chat *c, int width, struct rf_str word, struct rf_str meaning)
{
    struct rf_buffer first = { 0 }, rest = { 0 };
    int columns = rf_chat_columns(c), cells = rf_cells(word);
    rf_cells_clean(&first, word);
    if (width + 12 > columns || cells > width) {
        rf_chat_rows(c, NULL, RF_STYLE_PLAIN, rf_buffer_view(&first), 0);
        rf_buffer_reset(&first);
        cells = 0;
        width = width + 12 > columns ? 2 : width;
    }
    pad(&first, width + 2 - cells);
    pad(&rest, width + 2);
    rf_buffer_add(&first, "", 1);
    rf_buffer_add(&rest, "", 1);
    rf_chat_rows(c, &(struct rf_chat_mark){ RF_STYLE_PLAIN, first.p, rest.p }, RF_STYLE_PLAIN,
                 meaning, 0);
    rf_buffer_release(&first);
    rf_buffer_release(&rest);
}

void rf_chat_say_pair(struct rf_chat *c, int width, struct rf_str word, struct rf_str meaning)
{
    if (c->plain) {
        rf_print_text(stdout, word);
        printf("%*s", width + 2 > rf_cells(word) ? width + 2 - rf_cells(word) : 1, "");
        print_plain(meaning);
    } else if (rf_chat_is_over_there(c)) {
        struct rf_chat_event *e = rf_chat_event_new(RF_CHAT_PAIR);
        rf_buffer_str(&e->text, word);
        e->extra = rf_text_copy(meaning);
        e->number = width;
        rf_chat_post(c, e);
    } else {
        rf_chat_show_part(c, RF_CHAT_LINES);
        commit_pair(c, width, word, meaning);
    }
}

static void commit_markdown_row(void *ctx, struct rf_str row)
{
    rf_chat_commit(ctx, row);
}

void rf_chat_say_markdown(struct rf_chat *c, struct rf_str text)
{
    if (c->plain) {
        print_plain(text);
        return;
    }
    if (rf_chat_is_over_there(c)) {
        post(c, RF_CHAT_SAID_MARKDOWN, RF_STYLE_PLAIN, text);
        return;
    }
    struct rf_markdown *m = rf_markdown_new(&c->theme, rf_chat_columns(c), commit_markdown_row, c);
    rf_chat_show_part(c, RF_CHAT_ANSWER);
    rf_markdown_add(m, text);
    rf_markdown_end(m);
    rf_markdown_free(m);
}

void rf_chat_error(struct rf_chat *c, const struct rf_err *err)
{
    char hint[RF_ADVICE];
    if (c->plain) {
        rf_report(err);
        return;
    }
    rf_chat_say(c, RF_STYLE_BAD, "refract: %s", err->msg);
    if (err->reason == RF_REASON_PASSWORD)
        rf_chat_say(c, RF_STYLE_DIM, "hint: " RF_CHAT_UNLOCKS, "FILE");
    else if (rf_advice(err, hint)[0])
        rf_chat_say(c, RF_STYLE_DIM, "hint: %s", hint);
}
