/* May this tool run? All of what would run goes into the scrollback; then one key is the answer.
 *
 * A key that was on its way before the question could be read is none: keys are answers from the
 * moment that nothing was typed for a while with the question on the screen. Until then, and
 * where they are not an answer, they go where they were meant to: into the line. */
#include "chat/parts.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "permission.h"
#include "report.h"
#include "term/cells.h"
#include "text.h"

#define QUIET_MS 400
#define OTHER_ROWS 5 /* below the question: a space, the keys, what is typed, the status */

/* Over there */

enum rf_permission rf_chat_permit(void *ctx, struct rf_str tool, struct rf_str arguments)
{
    struct rf_chat *c = ctx;
    struct rf_chat_turn *t = c->turn;
    struct rf_err refusal;
    if (rf_permission_is_given(c->args, c->allow_option, tool))
        return RF_PERMIT_ALWAYS;
    if (c->plain)
        return rf_permission_ask(c->agent, tool, arguments, NULL);
    if (!rf_chat_is_over_there(c))
        return RF_PERMIT_NO;
    if (!rf_permission_is_readable(tool, arguments, &refusal)) {
        rf_chat_error(c, &refusal);
        return RF_PERMIT_NO;
    }
    struct rf_chat_event *e = rf_chat_event_new(RF_CHAT_PERMIT);
    rf_buffer_str(&e->text, arguments);
    e->name = rf_text_copy(tool);
    e->extra = rf_text_copy(rf_agent_tool_words(c->agent, tool));
    pthread_mutex_lock(&t->lock);
    t->answered = false;
    t->permission = RF_PERMIT_NO;
    pthread_mutex_unlock(&t->lock);
    rf_chat_post(c, e);
    pthread_mutex_lock(&t->lock);
    while (!t->answered && !t->leaving)
        pthread_cond_wait(&t->changed, &t->lock);
    enum rf_permission p = t->answered ? t->permission : RF_PERMIT_NO;
    pthread_mutex_unlock(&t->lock);
    return p;
}

/* Here */

/* How wide what is not ASCII is drawn, terminals do not agree, and a row that is wider than its
 * screen loses its end: a line with any of it is broken as if each character took two cells, so
 * that nothing is lost. */
static void break_line(struct rf_buffer *out, struct rf_str line, int width)
{
    int used = 0;
    while (line.n) {
        int cells = 0;
        size_t n = rf_cells_step(line, &cells), characters = 0;
        for (size_t i = 0; i < n; i++)
            characters += ((unsigned char)line.p[i] & 0xc0) != 0x80;
        cells = (unsigned char)line.p[0] < 0x80 && n == 1 ? 1 : 2 * (int)characters;
        if (used && used + cells > width) {
            rf_buffer_text(out, "\n");
            used = 0;
        }
        rf_buffer_add(out, line.p, n);
        used += cells;
        line = (struct rf_str){ line.p + n, line.n - n };
    }
}

static bool is_ascii(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80)
            return false;
    return true;
}

static void add_question(struct rf_buffer *out, const struct rf_chat_event *e, int width)
{
    struct rf_buffer text = { 0 };
    rf_permission_text(&text, rf_text(e->name), rf_buffer_view(&e->text), rf_text(e->extra));
    struct rf_str rest = rf_buffer_view(&text);
    while (rest.n) {
        const char *feed = memchr(rest.p, '\n', rest.n);
        size_t n = feed ? (size_t)(feed - rest.p) : rest.n;
        struct rf_str line = { rest.p, n };
        if (is_ascii(line))
            rf_buffer_str(out, line);
        else
            break_line(out, line, width);
        rf_buffer_text(out, "\n");
        n += n < rest.n;
        rest = (struct rf_str){ rest.p + n, rest.n - n };
    }
    rf_buffer_release(&text);
}

void rf_chat_permit_show(struct rf_chat *c, const struct rf_chat_event *e)
{
    static const struct rf_chat_mark mark = { RF_STYLE_WARN, "? ", "  " };
    struct rf_buffer text = { 0 };
    c->question = calloc(1, sizeof *c->question);
    if (!c->question)
        abort();
    add_question(&text, e, rf_chat_columns(c) - (int)strlen(mark.rest));
    rf_chat_calls_commit(c, NULL);
    rf_chat_show_part(c, RF_CHAT_LINES);
    c->question->rows = rf_chat_rows(c, &mark, RF_STYLE_PLAIN, rf_buffer_view(&text), 0);
    rf_buffer_release(&text);
    c->question->tool = rf_text_copy(rf_text(e->name));
    if (c->turn->cancelled) /* before it stood there */
        rf_chat_permit_answer(c, RF_PERMIT_NO);
}

bool rf_chat_permit_asks(const struct rf_chat *c)
{
    return c->question;
}

int rf_chat_permit_due(const struct rf_chat *c)
{
    if (!c->question || !c->question->drawn)
        return -1;
    long long left = c->question->quiet_ms + QUIET_MS - rf_chat_now_ms();
    return left > 0 ? (int)left : -1;
}

/* A key may have been typed in time and not have been read yet, where others keep the processor. */
void rf_chat_permit_drawn(struct rf_chat *c)
{
    struct rf_chat_question *q = c->question;
    if (!q)
        return;
    if (!q->drawn)
        q->quiet_ms = rf_chat_now_ms();
    q->drawn = true;
    q->ready = q->quiet;
    q->quiet = rf_chat_permit_due(c) < 0;
}

void rf_chat_permit_row(const struct rf_chat *c, struct rf_buffer *out)
{
    enum rf_style style = c->question->ready ? RF_STYLE_WARN : RF_STYLE_DIM;
    rf_theme_on(&c->theme, style, out);
    struct rf_buffer always = { 0 };
    rf_permission_always(&always, rf_text(c->question->tool));
    rf_buffer_text(out, always.n ? "y: yes, once   n: no   a: " : "y: yes, once   n: no");
    rf_cells_clean(out, rf_buffer_view(&always));
    rf_buffer_release(&always);
    rf_theme_off(&c->theme, style, out);
}

/* Where its beginning went up, what would run may be up there too. */
bool rf_chat_permit_warning(const struct rf_chat *c, struct rf_buffer *out)
{
    if (c->question->rows + OTHER_ROWS <= (size_t)c->tty.rows)
        return false;
    rf_theme_on(&c->theme, RF_STYLE_WARN, out);
    struct rf_buffer deed = { 0 };
    rf_permission_deed(&deed, rf_text(c->question->tool));
    rf_buffer_print(out, "this has %zu rows: scroll up to \"? ", c->question->rows);
    rf_cells_clean(out, rf_buffer_view(&deed));
    rf_buffer_text(out, "\" and read it from there on");
    rf_buffer_release(&deed);
    rf_theme_off(&c->theme, RF_STYLE_WARN, out);
    return true;
}

void rf_chat_permit_answer(struct rf_chat *c, enum rf_permission p)
{
    struct rf_chat_turn *t = c->turn;
    struct rf_buffer words = { 0 };
    if (!c->question)
        return;
    rf_buffer_text(&words, p == RF_PERMIT_NO ? "no" : p == RF_PERMIT_ONCE ? "yes, once" : "yes, ");
    if (p == RF_PERMIT_ALWAYS)
        rf_permission_always(&words, rf_text(c->question->tool));
    rf_chat_say(c, RF_STYLE_DIM, "  %.*s", RF_FMT(rf_buffer_view(&words)));
    rf_buffer_release(&words);
    free(c->question->tool);
    free(c->question);
    c->question = NULL;
    pthread_mutex_lock(&t->lock);
    t->answered = true;
    t->permission = p;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static bool is_each_time(const struct rf_chat_question *q)
{
    struct rf_buffer always = { 0 };
    rf_permission_always(&always, rf_text(q->tool));
    bool none = !always.n;
    rf_buffer_release(&always);
    return none;
}

bool rf_chat_permit_key(struct rf_chat *c, int byte, bool alone)
{
    struct rf_chat_question *q = c->question;
    bool ready = q && q->ready;
    if (!q)
        return false;
    q->quiet_ms = rf_chat_now_ms();
    q->quiet = q->ready = false;
    if (!ready)
        return false;
    switch (byte) {
    case 'y':
    case 'Y':
        rf_chat_permit_answer(c, RF_PERMIT_ONCE);
        return true;
    case 'a':
    case 'A':
        if (is_each_time(q))
            return false;
        rf_chat_permit_answer(c, RF_PERMIT_ALWAYS);
        return true;
    case 'n':
    case 'N':
        rf_chat_permit_answer(c, RF_PERMIT_NO);
        return true;
    case '\033':
        if (alone)
            rf_chat_permit_answer(c, RF_PERMIT_NO);
        return alone;
    default:
        return false;
    }
}
