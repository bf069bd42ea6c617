/* What people see: the answer as it comes on standard output; files, calls, thoughts and what it
 * took on standard error, in the lines that refract-ask(1) describes. */
#include "ask.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice.h"
#include "report.h"
#include "text.h"

void rf_ask_show_begin(struct rf_ask_show *s)
{
    rf_ask_answer_begin(&s->answer);
    rf_ask_theme(&s->theme, STDERR_FILENO);
    s->thought.out = stderr;
    s->thought.front = "| ";
}

static void put_style(struct rf_ask_show *s, enum rf_style style,
                      void (*put)(const struct rf_theme *, enum rf_style, struct rf_buffer *))
{
    struct rf_buffer b = { 0 };
    put(&s->theme, style, &b);
    fwrite(b.p, 1, b.n, stderr);
    rf_buffer_release(&b);
}

/* What a line begins with, in the colour of its mark. */
static void print_front(struct rf_ask_show *s, struct rf_str front)
{
    enum rf_style style = rf_theme_line_style(front);
    put_style(s, style, rf_theme_on);
    rf_print_text(stderr, front);
    put_style(s, style, rf_theme_off);
}

static void end_thought(struct rf_ask_show *s)
{
    bool begun = s->thought.open || s->thought.rest_count;
    rf_safe_output_end(&s->thought);
    if (begun)
        put_style(s, RF_STYLE_DIM, rf_theme_off);
}

/* On a terminal both streams are one: a line begins where the answer does not stand. */
static void begin_line(struct rf_ask_show *s)
{
    end_thought(s);
    if (rf_ask_answer_is_open(&s->answer) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
        rf_ask_answer_end(&s->answer);
    fflush(stdout);
}

static void print_line(struct rf_ask_show *s, struct rf_str line)
{
    if (s->quiet)
        return;
    begin_line(s);
    print_front(s, (struct rf_str){ line.p, line.n > 0 });
    rf_print_text(stderr, (struct rf_str){ line.p + (line.n > 0), line.n - (line.n > 0) });
    fputc('\n', stderr);
}

void rf_ask_show_words(struct rf_ask_show *s, const char *front, struct rf_str words)
{
    if (s->quiet)
        return;
    begin_line(s);
    print_front(s, rf_text(front));
    rf_print_text(stderr, words);
    fputc('\n', stderr);
}

static void add_thought(struct rf_ask_show *s, struct rf_str piece)
{
    if (s->quiet || !piece.n)
        return;
    if (!s->thought.open && !s->thought.rest_count) {
        begin_line(s);
        put_style(s, RF_STYLE_DIM, rf_theme_on);
    }
    rf_safe_output_add(&s->thought, piece);
    fflush(stderr);
}

void rf_ask_show_answer(struct rf_ask_show *s, struct rf_str answer)
{
    begin_line(s);
    rf_safe_output_add(&s->answer.text, answer);
    rf_safe_output_end(&s->answer.text);
}

void rf_ask_show_held(struct rf_ask_show *s)
{
    struct rf_safe_output out = { .out = stderr, .front = "| " };
    if (s->quiet || !s->answer.held.n)
        return;
    begin_line(s);
    rf_safe_output_add(&out, rf_buffer_view(&s->answer.held));
    rf_safe_output_end(&out);
    rf_buffer_reset(&s->answer.held);
}

/* Calls: one line each, once its result is there. */

static void remember_call(struct rf_ask_show *s, const struct rf_agent_event *e)
{
    struct rf_ask_call *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->id = rf_text_copy(e->call);
    rf_agent_call_words(e->text, c->words);
    c->next = s->calls;
    s->calls = c;
    rf_ask_answer_end(&s->answer); /* what was said before a call is a paragraph */
}

static void forget_call(struct rf_ask_call **at)
{
    struct rf_ask_call *gone = *at;
    *at = gone->next;
    free(gone->id);
    free(gone);
}

static struct rf_ask_call **find_call(struct rf_ask_show *s, struct rf_str id)
{
    struct rf_ask_call **at = &s->calls;
    while (*at && (strlen((*at)->id) != id.n || memcmp((*at)->id, id.p, id.n) != 0))
        at = &(*at)->next;
    return at;
}

static void print_advice(struct rf_ask_show *s, const struct rf_agent_event *e)
{
    const struct rf_err failed = { .reason = e->reason };
    char hint[RF_ADVICE];
    if (e->failed && rf_advice(&failed, hint)[0])
        rf_ask_show_words(s, "hint: ", rf_text(hint));
}

static void print_result(struct rf_ask_show *s, const struct rf_agent_event *e)
{
    struct rf_ask_call **call = find_call(s, e->call);
    if (!s->quiet) {
        begin_line(s);
        print_front(s, rf_text("> "));
        rf_print_text(stderr, e->name);
        if (*call && (*call)->words[0]) {
            fputc(' ', stderr);
            rf_print_text(stderr, rf_text((*call)->words));
        }
        fprintf(stderr, " ... %s", e->failed ? "failed: " : "");
        char *text = rf_text_types(e->text);
        struct rf_str words = rf_text(text);
        words.n -= words.n && words.p[words.n - 1] == '.'; /* the line goes on */
        rf_print_text(stderr, words);
        free(text);
        fprintf(stderr, "%s%.1f s\n", e->text.n ? ", " : "", (double)e->ms / 1e3);
        print_advice(s, e);
    }
    if (*call)
        forget_call(call);
}

static void print_changed(struct rf_ask_show *s, const struct rf_agent_event *e)
{
    struct rf_buffer line = { 0 };
    rf_changed_line(e->text, e->name, &line);
    print_line(s, rf_buffer_view(&line));
    rf_buffer_release(&line);
}

static void print_file(struct rf_ask_show *s, const struct rf_agent_event *e)
{
    struct rf_request *r = e->request;
    if (s->explain) {
        begin_line(s);
        rf_print_document(stderr, rf_report_json(r, e->file));
    } else {
        print_line(s, rf_report_line(r, e->file));
    }
}

static void print_notices(struct rf_ask_show *s, const struct rf_request *r)
{
    for (size_t i = 0; i < rf_notice_count(r); i++)
        if (!rf_was_said(&s->notices, rf_notice(r, i)))
            rf_ask_show_words(s, "note: ", rf_notice(r, i));
}

/* Once for each reason: the working line says that it goes on. */
static void print_waiting(struct rf_ask_show *s, const struct rf_agent_event *e)
{
    char front[64];
    if (rf_was_said(&s->waits, e->text))
        return;
    snprintf(front, sizeof front, "note: waiting %.1f s: ", (double)e->ms / 1e3);
    rf_ask_show_words(s, front, e->text);
}

/* The working line. */

void rf_ask_show_rest(struct rf_ask_show *s)
{
    rf_progress_end(&s->working);
}

void rf_ask_show_work(struct rf_ask_show *s)
{
    if (s->busy[0] && !s->quiet && !rf_ask_answer_is_open(&s->answer) && !s->thought.open)
        rf_progress_begin(&s->working, s->busy, -1);
}

/* Bytes of a text of at most `most`, without a part of a character at its end. */
static int cut(struct rf_str s, size_t most)
{
    size_t n = s.n < most ? s.n : most;
    while (n < s.n && n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    return (int)n;
}

void rf_step_words(struct rf_str name, struct rf_str words, int64_t done, int64_t of,
                   char out[RF_STEP_WORDS])
{
    size_t n = (size_t)snprintf(out, RF_STEP_WORDS, "%.*s%s%.*s", cut(name, 40), name.p,
                                name.n && words.n ? ": " : "", cut(words, 60), words.p);
    if (of > 0)
        snprintf(out + n, RF_STEP_WORDS - n, ", %" PRId64 " of %" PRId64, done, of);
}

static void note_work(struct rf_ask_show *s, const struct rf_agent_event *e)
{
    bool sending = e->type == RF_AGENT_SENDING || e->type == RF_AGENT_WAITING;
    if (sending)
        snprintf(s->busy, sizeof s->busy, "waiting for the answer");
    else if (e->type == RF_AGENT_CALL)
        snprintf(s->busy, sizeof s->busy, "running %.*s", (int)(e->name.n < 40 ? e->name.n : 40),
                 e->name.p);
    else if (e->type == RF_AGENT_PROGRESS)
        rf_step_words(e->name, e->text, e->done, e->of, s->busy);
    else if (e->type == RF_AGENT_TEXT || e->type == RF_AGENT_THINKING)
        s->busy[0] = '\0';
}

static void show_event(struct rf_ask_show *s, const struct rf_agent_event *e)
{
    switch (e->type) {
    case RF_AGENT_TEXT:
        end_thought(s);
        rf_ask_answer_add(&s->answer, e->text);
        break;
    case RF_AGENT_THINKING:
        add_thought(s, e->text);
        break;
    case RF_AGENT_SENDING:
        rf_buffer_reset(&s->answer.held);
        print_notices(s, e->request);
        break;
    case RF_AGENT_FILE:
        print_file(s, e);
        break;
    case RF_AGENT_CALL:
        remember_call(s, e);
        break;
    case RF_AGENT_RESULT:
        print_result(s, e);
        break;
    case RF_AGENT_NOTE:
        rf_ask_show_words(s, "note: ", e->text);
        break;
    case RF_AGENT_WAITING:
        print_waiting(s, e);
        break;
    case RF_AGENT_USAGE:
        s->input_tokens += e->input_tokens > 0 ? e->input_tokens : 0;
        s->output_tokens += e->output_tokens > 0 ? e->output_tokens : 0;
        rf_cost_add(&s->cost, e->cost_micros);
        break;
    case RF_AGENT_REFERENCE:
        print_line(s, e->text);
        break;
    case RF_AGENT_CHANGED:
        print_changed(s, e);
        break;
    case RF_AGENT_PROGRESS:   /* stands in the working line */
    case RF_AGENT_FOR_PERSON: /* is saved, and shown by rf_ask_show_made */
        break;
    }
}

bool rf_ask_show_event(void *ctx, const struct rf_agent_event *e)
{
    struct rf_ask_show *s = ctx;
    rf_ask_show_rest(s);
    show_event(s, e);
    note_work(s, e);
    rf_ask_show_work(s);
    return true;
}

bool rf_ask_show_stream(void *ctx, const struct rf_event *e)
{
    struct rf_ask_show *s = ctx;
    rf_ask_answer_hear(&s->answer, e);
    return true;
}

void rf_ask_show_made(struct rf_ask_show *s, const struct rf_made_file *f)
{
    struct rf_buffer line = { 0 };
    rf_made_line(f, &line);
    rf_ask_show_rest(s);
    print_line(s, rf_buffer_view(&line));
    rf_buffer_release(&line);
}

void rf_ask_show_end(struct rf_ask_show *s, const char *session)
{
    rf_ask_show_rest(s);
    end_thought(s);
    rf_ask_answer_end(&s->answer);
    rf_ask_answer_sources(&s->answer, s->quiet);
    bool counted = s->input_tokens || s->output_tokens;
    char cost[RF_COST_MONEY];
    if (s->quiet || (!counted && !session))
        return;
    print_front(s, rf_text("= "));
    if (counted)
        fprintf(stderr, "%" PRId64 " tokens in, %" PRId64 " out", s->input_tokens,
                s->output_tokens);
    if (counted && rf_cost_sum(&s->cost) >= 0)
        fprintf(stderr, ", %s", rf_cost_money(rf_cost_sum(&s->cost), cost));
    if (session)
        fprintf(stderr, "%ssession %s", counted ? "; " : "", session);
    fputc('\n', stderr);
}

void rf_ask_show_release(struct rf_ask_show *s)
{
    while (s->calls)
        forget_call(&s->calls);
    rf_said_forget(&s->notices);
    rf_ask_answer_release(&s->answer);
    rf_said_forget(&s->waits);
}
