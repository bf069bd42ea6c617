#include "inquiry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "permission.h"
#include "report.h"
#include "term/buffer.h"
#include "text.h"

#define MOST_TRIES 5    /* for a value that fits */
#define MOST_OPTIONS 20 /* that are named */

/* Lines that are no answer to a field. */
#define DECLINE "/decline"
#define CANCEL "/cancel"

/* Questions */

static const char *kind_words(enum rf_inquiry_kind kind)
{
    switch (kind) {
    case RF_INQUIRY_TEXT:
        return "";
    case RF_INQUIRY_NUMBER:
        return "a number";
    case RF_INQUIRY_INTEGER:
        return "a whole number";
    case RF_INQUIRY_SWITCH:
        return "yes or no";
    case RF_INQUIRY_CHOICE:
        return "one of ";
    case RF_INQUIRY_CHOICES:
        return "some of, with commas between: ";
    }
    return "";
}

/* The whole number that a text is, with blanks around it, up to `most`; else 0. */
static size_t number_of(struct rf_str s, size_t most)
{
    size_t number = 0, at = 0;
    while (at < s.n && s.p[at] == ' ')
        at++;
    while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9' && number <= most)
        number = number * 10 + (size_t)(s.p[at++] - '0');
    while (at < s.n && s.p[at] == ' ')
        at++;
    return at == s.n && number <= most ? number : 0;
}

/* Options are numbered, unless one of them is a number itself. */
static bool is_numbered(const struct rf_inquiry *q, size_t i, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (number_of(rf_inquiry_option(q, i, k), count))
            return false;
    return true;
}

static void add_options(struct rf_buffer *out, const struct rf_inquiry *q, size_t i, size_t count)
{
    bool numbered = is_numbered(q, i, count);
    for (size_t k = 0; k < count && k < MOST_OPTIONS; k++) {
        rf_buffer_text(out, k ? ", " : "");
        if (numbered)
            rf_buffer_print(out, "%zu: ", k + 1);
        rf_permission_line(out, rf_inquiry_option(q, i, k));
    }
    rf_buffer_text(out, count > MOST_OPTIONS ? ", …" : "");
}

/* "Name (who you are; required) [Ann]" */
static void add_question(struct rf_buffer *out, const struct rf_inquiry *q, size_t i,
                         const struct rf_inquiry_field *f)
{
    struct rf_buffer more = { 0 };
    const char *kind = f->format ? f->format : kind_words(f->kind);
    rf_permission_line(&more, f->description);
    rf_buffer_text(&more, more.n && *kind ? "; " : "");
    rf_buffer_text(&more, kind);
    add_options(&more, q, i, f->options);
    if (f->required)
        rf_buffer_text(&more, more.n ? "; required" : "required");
    rf_permission_line(out, f->title);
    if (more.n)
        rf_buffer_print(out, " (%.*s)", RF_FMT(rf_buffer_view(&more)));
    if (f->initial.n) {
        rf_buffer_text(out, " [");
        rf_permission_line(out, f->initial);
        rf_buffer_text(out, "]");
    }
    rf_buffer_release(&more);
}

/* What was typed, with titles in place of the numbers of options. */
static void add_typed(struct rf_buffer *out, const struct rf_inquiry *q, size_t i,
                      const struct rf_inquiry_field *f, struct rf_str typed)
{
    bool several = f->kind == RF_INQUIRY_CHOICES;
    if (!f->options || !is_numbered(q, i, f->options)) {
        rf_buffer_str(out, typed);
        return;
    }
    for (const char *comma;;) {
        comma = several && typed.n ? memchr(typed.p, ',', typed.n) : NULL;
        struct rf_str piece = { typed.p, comma ? (size_t)(comma - typed.p) : typed.n };
        size_t number = number_of(piece, f->options);
        rf_buffer_str(out, number ? rf_inquiry_option(q, i, number - 1) : piece);
        if (!comma)
            break;
        rf_buffer_text(out, ", ");
        for (typed = (struct rf_str){ comma + 1, typed.n - piece.n - 1 };
             typed.n && *typed.p == ' '; typed.n--)
            typed.p++;
    }
}

/* What became of a field. */
enum filled {
    FILLED,
    GIVEN_UP, /* nobody answers, or it was said */
    DECLINED,
};

/* One line of an answer. False: the field has to be asked for again, which was told. */
static bool take_line(struct rf_inquiry *q, size_t i, const struct rf_inquiry_field *f,
                      struct rf_str line, const struct rf_inquiry_way *way, void *ctx,
                      struct rf_buffer *all)
{
    struct rf_buffer typed = { 0 };
    struct rf_err err;
    bool taken = false;
    add_typed(&typed, q, i, f, line.n ? line : f->initial);
    if (!typed.n && f->required) {
        way->say(ctx, rf_text("this has to be filled in"));
    } else if (rf_inquiry_fill(q, i, rf_buffer_view(&typed), &err)) {
        way->say(ctx, rf_text(err.msg));
    } else {
        rf_buffer_text(all, all->n ? "\n" : "");
        rf_permission_line(all, f->title);
        rf_buffer_text(all, ": ");
        rf_permission_line(all, rf_buffer_view(&typed));
        taken = true;
    }
    rf_buffer_release(&typed);
    return taken;
}

/* What was typed is added to `all`. */
static enum filled ask_field(struct rf_inquiry *q, size_t i, const struct rf_inquiry_way *way,
                             void *ctx, struct rf_buffer *all)
{
    struct rf_inquiry_field f = { .size = sizeof f };
    struct rf_buffer question = { 0 };
    enum filled end = GIVEN_UP;
    bool asks = !rf_inquiry_field(q, i, &f, NULL);
    add_question(&question, q, i, &f);
    for (int tries = 0; asks && tries < MOST_TRIES; tries++) {
        char *line = way->line(ctx, rf_buffer_view(&question));
        bool declined = line && strcmp(line, DECLINE) == 0;
        asks = line && !declined && strcmp(line, CANCEL) != 0;
        if (declined)
            end = DECLINED;
        if (asks && take_line(q, i, &f, rf_text(line), way, ctx, all)) {
            end = FILLED;
            asks = false;
        }
        free(line);
    }
    if (asks)
        way->say(ctx, rf_text("that was not it either: the form is given up"));
    rf_buffer_release(&question);
    return end;
}

static void say_beginning(const struct rf_inquiry *q, const struct rf_inquiry_way *way, void *ctx)
{
    struct rf_buffer words = { 0 };
    rf_buffer_text(&words, "the MCP server ");
    rf_permission_line(&words, rf_inquiry_server(q));
    rf_buffer_text(&words, rf_inquiry_url(q).n ? " wants you to open a page: " : " asks you: ");
    rf_permission_line(&words, rf_inquiry_message(q));
    way->say(ctx, rf_buffer_view(&words));
    rf_buffer_release(&words);
    if (rf_inquiry_count(q))
        way->say(ctx,
                 rf_text("an empty line takes what stands in [ ], or leaves a field out; " DECLINE
                         " says no, " CANCEL " gives up"));
}

enum rf_inquiry_answer rf_inquiry_ask(struct rf_inquiry *q, const struct rf_inquiry_way *way,
                                      void *ctx)
{
    struct rf_buffer all = { 0 }, what = { 0 };
    enum filled end = FILLED;
    bool page = rf_inquiry_url(q).n, form = rf_inquiry_count(q);
    rf_buffer_text(&what, page   ? RF_PERMISSION_VISIT
                          : form ? RF_PERMISSION_FORM
                                 : RF_PERMISSION_AGREE);
    rf_buffer_str(&what, rf_inquiry_server(q));
    say_beginning(q, way, ctx);
    rf_buffer_str(&all, page || form ? rf_inquiry_url(q) : rf_inquiry_message(q));
    for (size_t i = 0; end == FILLED && i < rf_inquiry_count(q); i++)
        end = ask_field(q, i, way, ctx, &all);
    enum rf_inquiry_answer answer = end == GIVEN_UP ? RF_INQUIRY_CANCELLED : RF_INQUIRY_DECLINED;
    if (end == FILLED && way->confirm(ctx, rf_buffer_view(&what), rf_buffer_view(&all)))
        answer = RF_INQUIRY_ACCEPTED;
    rf_buffer_release(&all);
    rf_buffer_release(&what);
    return answer;
}

/* On a terminal, line by line */

static char *read_line(void *ctx, struct rf_str question)
{
    struct rf_buffer all = { 0 };
    rf_buffer_print(&all, "  %.*s: ", RF_FMT(question));
    char *line = rf_permission_ask_line(*(int *)ctx, rf_buffer_view(&all));
    rf_buffer_release(&all);
    return line;
}

static void say(void *ctx, struct rf_str words)
{
    (void)ctx;
    fputs("? ", stderr);
    rf_print_text(stderr, words);
    fputc('\n', stderr);
}

static bool confirm(void *ctx, struct rf_str what, struct rf_str text)
{
    rf_permission_print(what, text, rf_text(""));
    return rf_permission_letter(*(int *)ctx, rf_text("  (y: yes, n: no) ")) == 'y';
}

bool rf_inquiry_can_ask(void)
{
    int tty = rf_permission_open();
    if (tty >= 0)
        close(tty);
    return tty >= 0;
}

enum rf_inquiry_answer rf_inquiry_ask_plainly(struct rf_inquiry *q)
{
    static const struct rf_inquiry_way way = { read_line, confirm, say };
    int tty = rf_permission_open();
    if (tty < 0)
        return RF_INQUIRY_CANCELLED;
    enum rf_inquiry_answer answer = rf_inquiry_ask(q, &way, &tty);
    close(tty);
    return answer;
}
