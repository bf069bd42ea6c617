/* An event becomes rows: answers as Markdown, thoughts as one dim line, files and notes in the
 * words of ask. */
#include "chat/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "report.h"
#include "term/cells.h"
#include "text.h"

#define MOST_THOUGHT ((size_t)256 << 10) /* bytes of a thought that are kept for Ctrl-O */
#define MOST_LINE 4096   /* bytes of a line of a thought before it goes up unfinished */
#define MOST_QUESTION 40 /* rows of a question, which may be a paste of thousands */
#define QUIET_MS 50      /* after the last file of a request its calls go up */

/* Parts */

static void commit_row(void *ctx, struct rf_str row)
{
    struct rf_chat *c = ctx;
    rf_region_commit(&c->region, row);
}

static void end_answer(struct rf_chat *c)
{
    if (!c->show->answering)
        return;
    rf_markdown_end(c->show->markdown);
    c->show->answering = false;
    if (c->show->asides.n)
        c->show->last = RF_CHAT_LINES;
    rf_chat_asides_end(c);
}

void rf_chat_show_part(struct rf_chat *c, enum rf_chat_part part)
{
    struct rf_chat_show *s = c->show;
    if (rf_chat_is_aside(c)) {
        if (!s->asides.n || part == RF_CHAT_QUESTION)
            rf_chat_commit(c, rf_text(""));
        return;
    }
    if (part != RF_CHAT_ANSWER)
        end_answer(c);
    if (s->last != RF_CHAT_START && (s->last != part || part == RF_CHAT_QUESTION))
        rf_region_commit(&c->region, rf_text(""));
    s->last = part;
}

void rf_chat_show_question(struct rf_chat *c, struct rf_str text)
{
    static const struct rf_chat_mark mark = { RF_STYLE_PROMPT, "> ", "  " };
    static const struct rf_chat_mark inset = { RF_STYLE_DIM, "  ", "  " };
    char number[RF_SHORT_TEXT], left_out[64];
    rf_chat_show_part(c, RF_CHAT_QUESTION);
    size_t rows = rf_chat_rows(c, &mark, RF_STYLE_STRONG, text, MOST_QUESTION);
    if (rows <= MOST_QUESTION)
        return;
    snprintf(left_out, sizeof left_out, "%s %s more rows", c->theme.unicode ? "…" : "...",
             rf_number_text((int64_t)(rows - MOST_QUESTION), number));
    rf_chat_rows(c, &inset, RF_STYLE_DIM, rf_text(left_out), 0);
}

/* Thoughts */

static size_t count_characters(struct rf_str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.n; i++)
        count += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return count;
}

static const char *thought_sign(const struct rf_chat *c)
{
    return c->theme.unicode ? "✻" : "*";
}

static void commit_thought_line(struct rf_chat *c)
{
    struct rf_chat_show *s = c->show;
    char count[RF_SHORT_TEXT];
    long long seconds = (rf_chat_now_ms() - s->thought_begun_ms + 500) / 1000;
    rf_chat_show_part(c, RF_CHAT_LINES);
    rf_chat_say(c, RF_STYLE_DIM, "%s thought for %lld s, %s characters%s", thought_sign(c), seconds,
                rf_number_text((int64_t)s->thought_count, count),
                c->show_thoughts ? "" : " (Ctrl-O shows)");
}

static void commit_thought(struct rf_chat *c, size_t end)
{
    struct rf_chat_show *s = c->show;
    struct rf_chat_mark mark = { RF_STYLE_DIM, c->theme.unicode ? "│ " : "| ",
                                 c->theme.unicode ? "│ " : "| " };
    if (end <= s->thought_shown)
        return;
    rf_chat_show_part(c, RF_CHAT_LINES);
    rf_chat_rows(c, &mark, RF_STYLE_DIM,
                 (struct rf_str){ s->thought.p + s->thought_shown, end - s->thought_shown }, 0);
    s->thought_shown = end;
}

/* The end of what is whole: lines, or a line that is too long to wait for. */
static size_t whole_lines(const struct rf_chat_show *s)
{
    size_t end = s->thought.n;
    while (end > s->thought_shown && s->thought.p[end - 1] != '\n')
        end--;
    return s->thought.n - end > MOST_LINE ? s->thought.n : end;
}

void rf_chat_show_thought(struct rf_chat *c)
{
    struct rf_chat_show *s = c->show;
    s->thought_shown = 0;
    commit_thought(c, s->thinking ? whole_lines(s) : s->thought.n);
}

static void end_thought(struct rf_chat *c)
{
    struct rf_chat_show *s = c->show;
    if (!s->thinking)
        return;
    s->thinking = false;
    if (c->show_thoughts)
        commit_thought(c, s->thought.n);
    commit_thought_line(c);
}

static void add_thought(struct rf_chat *c, struct rf_str piece)
{
    struct rf_chat_show *s = c->show;
    if (!piece.n)
        return;
    if (!s->thinking) {
        rf_chat_calls_commit(c, NULL);
        rf_buffer_reset(&s->thought);
        s->thought_count = s->thought_shown = 0;
        s->thought_begun_ms = rf_chat_now_ms();
        s->thinking = true;
    }
    s->thought_count += count_characters(piece);
    size_t room = s->thought.n < MOST_THOUGHT ? MOST_THOUGHT - s->thought.n : 0;
    rf_buffer_add(&s->thought, piece.p, piece.n < room ? piece.n : room);
    if (c->show_thoughts)
        commit_thought(c, whole_lines(s));
}

/* Lines as ask has them. */

static void show_line(struct rf_chat *c, struct rf_str line)
{
    struct rf_chat_mark mark = { RF_STYLE_PLAIN, "", "  " };
    char first[3] = "  ";
    if (line.n > 2 && line.p[1] == ' ') {
        first[0] = line.p[0];
        mark = (struct rf_chat_mark){ rf_theme_line_style(line), first, "  " };
        line = (struct rf_str){ line.p + 2, line.n - 2 };
    }
    rf_chat_show_part(c, RF_CHAT_LINES);
    rf_chat_rows(c, &mark, RF_STYLE_DIM, line, 0);
}

static void show_changed(struct rf_chat *c, const struct rf_chat_event *e)
{
    struct rf_buffer line = { 0 };
    rf_changed_line(rf_buffer_view(&e->text), rf_text(e->name), &line);
    rf_chat_calls_commit(c, NULL);
    show_line(c, rf_buffer_view(&line));
    rf_buffer_release(&line);
}

static void show_note(struct rf_chat *c, struct rf_str text)
{
    struct rf_chat_mark mark = { RF_STYLE_WARN, "note: ", "  " };
    rf_chat_show_part(c, RF_CHAT_LINES);
    rf_chat_rows(c, &mark, RF_STYLE_DIM, text, 0);
}

static void forget_waiting(struct rf_chat_show *s)
{
    free(s->waited);
    s->waited = NULL;
    s->again_ms = 0;
}

/* A reason that stays the same is said once; the line of who works says that it goes on. */
static void show_waiting(struct rf_chat *c, const struct rf_chat_event *e)
{
    struct rf_chat_show *s = c->show;
    struct rf_buffer text = { 0 };
    char *reason = rf_text_copy(rf_buffer_view(&e->text));
    if (!s->waited || strcmp(s->waited, reason) != 0) {
        rf_buffer_print(&text, "waiting %.1f s: %s", (double)e->agent.ms / 1e3, reason);
        show_note(c, rf_buffer_view(&text));
    }
    rf_buffer_release(&text);
    forget_waiting(s);
    s->waited = reason;
    s->again_ms = rf_chat_now_ms() + e->agent.ms;
}

static void show_picture(struct rf_chat *c, struct rf_str bytes, int rows)
{
    rf_chat_show_part(c, RF_CHAT_LINES);
    if (rows)
        rf_region_commit_picture(&c->region, bytes, rows);
    else
        rf_region_commit(&c->region, bytes);
}

/* Events */

static void show_file(struct rf_chat *c, const struct rf_chat_event *e)
{
    c->show->files_ms = rf_chat_now_ms();
    c->show->looking = false;
    if (e->file.is_new)
        rf_chat_pages_sent(c, e->file.name, e->file.line);
    if (!rf_chat_call_file(c, &e->file))
        show_line(c, rf_text(e->file.line));
}

static void show_answer(struct rf_chat *c, struct rf_str piece)
{
    struct rf_chat_show *s = c->show;
    if (!s->answering) {
        rf_chat_calls_commit(c, NULL);
        rf_chat_show_part(c, RF_CHAT_ANSWER);
    }
    s->answering = true;
    rf_markdown_add(s->markdown, piece);
}

static void count_usage(struct rf_chat *c, const struct rf_agent_event *e)
{
    if (e->cost_micros >= 0)
        rf_cost_add(&c->cost, e->cost_micros);
    rf_chat_spend(&c->spent, e->input_tokens, e->output_tokens, e->cached_tokens, e->cost_micros);
}

static void show_agent(struct rf_chat *c, const struct rf_chat_event *e)
{
    struct rf_str text = rf_buffer_view(&e->text);
    if (e->agent.type != RF_AGENT_THINKING && e->agent.type != RF_AGENT_USAGE)
        end_thought(c);
    switch (e->agent.type) {
    case RF_AGENT_TEXT:
        show_answer(c, text);
        break;
    case RF_AGENT_THINKING:
        add_thought(c, text);
        break;
    case RF_AGENT_SENDING:
        c->show->step[0] = '\0';
        c->show->sending = true;
        c->show->looking = false;
        c->show->again_ms = 0;
        c->show->files_ms = rf_chat_now_ms();
        snprintf(c->session_id, sizeof c->session_id, "%s", e->extra);
        break;
    case RF_AGENT_CALL:
        rf_chat_call_begin(c, e);
        break;
    case RF_AGENT_RESULT:
        c->show->step[0] = '\0';
        rf_chat_call_end(c, e);
        break;
    case RF_AGENT_NOTE:
        rf_chat_calls_commit(c, NULL);
        show_note(c, text);
        break;
    case RF_AGENT_WAITING:
        rf_chat_calls_commit(c, NULL);
        show_waiting(c, e);
        break;
    case RF_AGENT_USAGE:
        count_usage(c, &e->agent);
        break;
    case RF_AGENT_REFERENCE:
        show_line(c, text);
        break;
    case RF_AGENT_CHANGED:
        show_changed(c, e);
        break;
    case RF_AGENT_PROGRESS:
        rf_step_words(rf_text(e->name), text, e->agent.done, e->agent.of, c->show->step);
        break;
    case RF_AGENT_FILE:       /* comes as RF_CHAT_FILE */
    case RF_AGENT_FOR_PERSON: /* was saved when it was heard */
        break;
    }
}

static void show_event(struct rf_chat *c, struct rf_chat_event *e)
{
    struct rf_str text = rf_buffer_view(&e->text);
    switch (e->type) {
    case RF_CHAT_AGENT:
        show_agent(c, e);
        break;
    case RF_CHAT_NOTICE:
        if (!rf_was_said(&c->show->notices, text))
            show_note(c, text);
        break;
    case RF_CHAT_FILE:
        show_file(c, e);
        break;
    case RF_CHAT_SAID:
        rf_chat_say_text(c, e->style, text);
        break;
    case RF_CHAT_SAID_MARKDOWN:
        rf_chat_say_markdown(c, text);
        break;
    case RF_CHAT_PAIR:
        rf_chat_say_pair(c, e->number, text, rf_text(e->extra));
        break;
    case RF_CHAT_PICTURE:
        show_picture(c, text, e->number);
        break;
    case RF_CHAT_BROUGHT:
        rf_chat_calls_commit(c, e->extra);
        c->show->looking = true;
        break;
    case RF_CHAT_PERMIT:
        rf_chat_permit_show(c, e);
        break;
    case RF_CHAT_INQUIRY:
        rf_chat_inquire_show(c, e);
        break;
    case RF_CHAT_DONE:
        break;
    }
}

void rf_chat_show_event(struct rf_chat *c, struct rf_chat_event *e)
{
    c->show->hears = true;
    show_event(c, e);
    c->show->hears = false;
}

void rf_chat_show_end(struct rf_chat *c)
{
    end_thought(c);
    rf_chat_calls_commit(c, NULL);
    end_answer(c);
    c->show->sending = false;
    forget_waiting(c->show);
}

int rf_chat_show_due(struct rf_chat *c)
{
    struct rf_chat_show *s = c->show;
    if (!s->sending || s->looking || !rf_chat_calls_wait(c))
        return -1;
    long long left = s->files_ms + QUIET_MS - rf_chat_now_ms();
    if (left > 0)
        return (int)left;
    rf_chat_calls_commit(c, NULL);
    return -1;
}

/* The region's share */

/* The line of a thought that has not ended, its last rows. */
static void live_thought(struct rf_chat *c, void (*row)(void *ctx, struct rf_str row), void *ctx)
{
    struct rf_chat_show *s = c->show;
    struct rf_buffer clean = { 0 }, out = { 0 };
    struct rf_str rest = { s->thought.p + s->thought_shown, s->thought.n - s->thought_shown };
    rf_cells_clean(&clean, rest);
    rest = rf_buffer_view(&clean);
    while (rest.n) {
        size_t used, n = rf_chat_next_row(rest, rf_chat_columns(c) - 2, &used);
        rf_buffer_reset(&out);
        rf_theme_on(&c->theme, RF_STYLE_DIM, &out);
        rf_buffer_text(&out, c->theme.unicode ? "│ " : "| ");
        rf_buffer_add(&out, rest.p, n);
        rf_theme_off(&c->theme, RF_STYLE_DIM, &out);
        row(ctx, rf_buffer_view(&out));
        rest = (struct rf_str){ rest.p + used, rest.n - used };
    }
    rf_buffer_release(&clean);
    rf_buffer_release(&out);
}

void rf_chat_show_live(struct rf_chat *c, void (*row)(void *ctx, struct rf_str row), void *ctx)
{
    struct rf_chat_show *s = c->show;
    struct rf_buffer line = { 0 };
    if (s->answering)
        rf_markdown_live(s->markdown, row, ctx);
    rf_chat_asides_live(c, row, ctx);
    if (s->thinking && c->show_thoughts && s->thought.n > s->thought_shown)
        live_thought(c, row, ctx);
    if (rf_chat_calls_wait(c) && s->last != RF_CHAT_LINES)
        row(ctx, rf_text(""));
    for (const struct rf_chat_call *call = s->calls; call; call = call->next) {
        if (!call->done || call->committed)
            continue;
        rf_buffer_reset(&line);
        rf_chat_call_row(c, call, &line);
        row(ctx, rf_buffer_view(&line));
    }
    rf_buffer_release(&line);
}

/* The first call that is not done, and how many more. */
static void running_calls(struct rf_chat *c, struct rf_buffer *out)
{
    const struct rf_chat_call *first = NULL;
    size_t more = 0;
    for (const struct rf_chat_call *call = c->show->calls; call; call = call->next) {
        more += first && !call->done;
        first = !first && !call->done ? call : first;
    }
    if (!first)
        return;
    rf_cells_clean(out, rf_text(first->name));
    rf_buffer_text(out, first->words[0] ? " " : "");
    rf_cells_clean(out, rf_text(first->words));
    if (more)
        rf_buffer_print(out, " and %zu more", more);
    rf_buffer_print(out, ", %lld s", (rf_chat_now_ms() - first->begun_ms) / 1000);
}

void rf_chat_show_working(struct rf_chat *c, struct rf_buffer *out)
{
    struct rf_chat_show *s = c->show;
    char count[RF_SHORT_TEXT];
    size_t before = out->n;
    long long now = rf_chat_now_ms(), seconds = (now - c->turn->begun_ms) / 1000;
    if (c->turn->working != RF_CHAT_ASKING)
        rf_buffer_print(out, "%s, %lld s", c->turn->what, seconds);
    else if (c->turn->cancelled)
        rf_buffer_print(out, "stopping, %lld s", seconds);
    else if (s->again_ms > now)
        rf_buffer_print(out, "%s is asked again in %lld s", c->model,
                        (s->again_ms - now + 999) / 1000);
    else if (s->thinking)
        rf_buffer_print(out, "thinking, %lld s, %s characters", (now - s->thought_begun_ms) / 1000,
                        rf_number_text((int64_t)s->thought_count, count));
    else if (s->step[0]) {
        rf_cells_clean(out, rf_text(s->step));
        rf_buffer_print(out, ", %lld s", seconds);
    } else
        running_calls(c, out);
    if (out->n > before)
        return;
    rf_cells_clean(out, rf_text(c->model));
    rf_buffer_print(out, " %s, %lld s", s->answering ? "answers" : "works", seconds);
}

/* Beginning and end */

void rf_chat_show_open(struct rf_chat *c)
{
    c->show = calloc(1, sizeof *c->show);
    if (!c->show)
        abort();
    c->show->markdown = rf_markdown_new(&c->theme, rf_chat_columns(c), commit_row, c);
}

void rf_chat_show_resize(struct rf_chat *c)
{
    rf_markdown_resize(c->show->markdown, rf_chat_columns(c));
}

void rf_chat_show_close(struct rf_chat *c)
{
    struct rf_chat_show *s = c->show;
    if (!s)
        return;
    rf_chat_calls_forget(c);
    forget_waiting(s);
    rf_said_forget(&s->notices);
    rf_buffer_release(&s->thought);
    rf_buffer_release(&s->asides);
    rf_markdown_free(s->markdown);
    free(s);
    c->show = NULL;
}
