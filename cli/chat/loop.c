/* The one loop: what is typed, what happens, what is drawn. The editor asks for a byte at a
 * time; until there is one, everything else is done here, so that typing and streaming never
 * wait for each other. */
#include "chat/parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"
#include "text.h"

#define FRAME_MS 16   /* between two drawings */
#define TICK_MS 120   /* of the sign that something goes on */
#define TWICE_MS 1000 /* for the second Ctrl-C */
#define KEY_MS 50     /* for the rest of a key that has begun */

enum { CTRL_C = 3, CTRL_G = 7, CTRL_L = 12, CTRL_O = 15, CTRL_V = 22, CTRL_Z = 26, ESCAPE = 27 };

/* Lines */

void rf_chat_wait_line(struct rf_chat *c, struct rf_str line, const char *origins)
{
    struct rf_chat_line **at = &c->keys->waiting, *l = calloc(1, sizeof *l);
    if (!l)
        abort();
    l->text = rf_text_copy(line);
    l->origins = origins ? rf_text_copy(rf_text(origins)) : NULL;
    while (*at)
        at = &(*at)->next;
    *at = l;
}

static struct rf_chat_line *unlink_line(struct rf_chat_line **at)
{
    struct rf_chat_line *gone = *at;
    *at = gone->next;
    return gone;
}

static void free_line(struct rf_chat_line *l)
{
    free(l->text);
    free(l->origins);
    free(l);
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r\n")] == '\0';
}

static bool can_run(struct rf_chat *c, const char *line)
{
    struct rf_err unseen;
    const struct rf_chat_command *command =
        rf_chat_is_command(line) ? rf_chat_command_find(line, &unseen) : NULL;
    return !rf_chat_is_busy(c) || (command && command->any_time);
}

static void enter(struct rf_chat *c, const char *line, const char *origins)
{
    if (rf_chat_inquire_line(c, line))
        return;
    if (is_blank(line) && (!c->attached || rf_chat_is_busy(c)))
        return;
    if (!can_run(c, line)) {
        rf_chat_wait_line(c, rf_text(line), origins);
        return;
    }
    if (!is_blank(line))
        rf_chat_show_question(c, rf_text(line));
    if (rf_chat_is_prompt(line))
        rf_chat_ask_prompt(c, line, origins);
    else if (rf_chat_is_command(line))
        rf_chat_command_run(c, line);
    else
        rf_chat_ask(c, line, origins);
}

static void enter_waiting(struct rf_chat *c)
{
    while (c->keys->waiting && !rf_chat_is_busy(c) && !c->quits) {
        struct rf_chat_line *line = unlink_line(&c->keys->waiting);
        enter(c, line->text, line->origins);
        free_line(line);
    }
    if (c->counts_later && !rf_chat_is_busy(c) && !c->quits)
        rf_chat_count_later(c);
}

/* Whoever stops wants nothing else to begin: lines that wait go back to where they were typed. */
static void take_back_all(struct rf_chat *c)
{
    while (c->keys->waiting) {
        struct rf_chat_line *line = unlink_line(&c->keys->waiting);
        if (rf_edit_text(c->edit).n)
            rf_edit_insert(c->edit, rf_text("\n"), RF_EDIT_TYPED);
        rf_edit_insert_line(c->edit, line->text, line->origins);
        free_line(line);
    }
}

/* What the other thread has done */

/* The answer that was there before is in the session that this one goes on from. */
static void say_retried(struct rf_chat *c)
{
    const struct rf_chat_turn *t = c->turn;
    if (t->retries && t->before[0] && strcmp(t->before, c->session_id) != 0)
        rf_chat_say(c, RF_STYLE_DIM, "the answer before is kept in session %s", t->before);
}

/* What was typed stays where nothing of it got out, and is in the history else. */
static void end_question(struct rf_chat *c)
{
    struct rf_chat_turn *t = c->turn;
    rf_chat_show_end(c);
    rf_chat_take_counts(c, &t->counts);
    if (!t->code)
        t->err.reason = RF_REASON_OTHER;
    rf_stored_unseen(rf_agent_session(c->agent), c->resumed, &t->err, c->unseen);
    say_retried(c);
    if (!t->retries && (t->sent || !t->code)) /* else they wait for the next question */
        rf_chat_attached_forget(c);
    if (t->code == RF_EINTERRUPTED)
        rf_chat_say(c, RF_STYLE_WARN, "stopped%s%s", t->err.hint[0] ? ". " : "", t->err.hint);
    else if (t->code)
        rf_chat_error(c, &t->err);
    if (!t->retries && ((t->code && !t->sent) || t->code == RF_ECONFIG))
        if (!rf_edit_text(c->edit).n)
            rf_edit_insert_line(c->edit, t->prompt, t->origins);
}

static void end_work(struct rf_chat *c)
{
    bool asked = c->turn->working == RF_CHAT_ASKING;
    rf_chat_turn_end(c);
    if (asked)
        end_question(c);
}

static void take_events(struct rf_chat *c)
{
    for (struct rf_chat_event *e = rf_chat_take_events(c), *next; e; e = next) {
        next = e->next;
        if (e->type == RF_CHAT_DONE)
            end_work(c);
        else
            rf_chat_show_event(c, e);
        rf_chat_event_free(e);
        c->keys->dirty = true;
    }
}

/* What the terminal tells */

static void read_typed(struct rf_chat *c)
{
    struct rf_chat_keys *k = c->keys;
    if (k->at == k->count)
        k->at = k->count = 0;
    k->count += rf_tty_read(&c->tty, k->typed + k->count, sizeof k->typed - k->count);
}

static void take_happenings(struct rf_chat *c, int what)
{
    if (what & RF_TTY_TYPED)
        read_typed(c);
    if (what & RF_TTY_RESIZED)
        rf_chat_show_resize(c);
    if (what & RF_TTY_CONTINUED)
        rf_region_forget(&c->region);
    if (what & RF_TTY_ANSWERED)
        c->theme = c->tty.theme;
    if (what & RF_TTY_ENDED)
        c->quits = c->keys->ended = true;
    if (what & ~RF_TTY_TYPED)
        c->keys->dirty = true;
}

/* Keys that are ours */

static void stop_turn(struct rf_chat *c)
{
    rf_chat_cancel(c);
    rf_chat_permit_answer(c, RF_PERMIT_NO);
    rf_chat_inquire_line(c, NULL);
    take_back_all(c);
}

/* What was about to be sent: the line, and when that is empty the files. False where there is
 * nothing. */
static bool take_back_typed(struct rf_chat *c)
{
    if (rf_edit_text(c->edit).n) {
        rf_edit_empty(c->edit);
        return true;
    }
    if (!c->attached)
        return false;
    rf_agent_detach(c->agent);
    rf_chat_attached_forget(c);
    rf_chat_say(c, RF_STYLE_DIM, "no file goes along any more");
    return true;
}

/* Stops what goes on, takes back what is typed, or leaves: the second time within a second. */
static void press_ctrl_c(struct rf_chat *c)
{
    struct rf_chat_keys *k = c->keys;
    long long now = rf_chat_now_ms();
    bool twice = k->warned && now - k->ctrl_c_ms < TWICE_MS;
    bool typed = rf_edit_text(c->edit).n > 0, busy = rf_chat_is_busy(c);
    k->dirty = true;
    if (busy)
        stop_turn(c);
    if (!busy && take_back_typed(c)) {
        k->warned = false;
        return;
    }
    c->quits |= twice;
    k->warned = !typed;
    k->ctrl_c_ms = now;
}

static void clear_screen(struct rf_chat *c)
{
    rf_region_flush(&c->region);
    rf_tty_write(&c->tty, rf_text("\033[H\033[2J"));
    rf_region_forget(&c->region);
    c->keys->dirty = true;
}

/* That it goes on is news only where it was stopped from outside: what is drawn from here on
 * stays. */
static void suspend(struct rf_chat *c)
{
    rf_region_clear(&c->region);
    rf_tty_suspend(&c->tty);
    rf_region_forget(&c->region);
    take_happenings(c, rf_tty_wait(&c->tty, 0));
}

static void press_key(void *ctx, int key)
{
    struct rf_chat *c = ctx;
    c->keys->dirty = true;
    if (key == CTRL_O)
        rf_chat_toggle_details(c);
    else if (key == CTRL_V)
        rf_chat_paste_picture(c);
    else if (key == CTRL_G)
        rf_chat_edit(c, rf_text(""));
    else if (key == CTRL_L)
        clear_screen(c);
    else if (key == CTRL_C)
        press_ctrl_c(c);
    else if (key == CTRL_Z)
        suspend(c);
}

/* Up in an empty line takes back what was entered last and waits. */
static bool take_back(struct rf_chat *c)
{
    struct rf_chat_keys *k = c->keys;
    const char *p = k->typed + k->at;
    bool up = k->count - k->at >= 3 && (memcmp(p, "\033[A", 3) == 0 || memcmp(p, "\033OA", 3) == 0);
    if (!up || !k->waiting || rf_edit_text(c->edit).n)
        return false;
    struct rf_chat_line **at = &k->waiting;
    while ((*at)->next)
        at = &(*at)->next;
    struct rf_chat_line *line = unlink_line(at);
    rf_edit_insert_line(c->edit, line->text, line->origins);
    free_line(line);
    k->at += 3;
    k->dirty = true;
    return true;
}

static bool is_ours(struct rf_chat *c, int byte)
{
    struct rf_chat_keys *k = c->keys;
    bool alone = k->at + 1 == k->count;
    if (rf_edit_is_pending(c->edit))
        return false;
    if (take_back(c))
        return true;
    if (byte == CTRL_C || byte == CTRL_Z)
        press_key(c, byte);
    else if (!rf_chat_permit_key(c, byte, alone))
        return false;
    k->at++;
    return true;
}

/* The next byte for the editor; -1: there is none. */
static int typed_byte(struct rf_chat *c)
{
    struct rf_chat_keys *k = c->keys;
    while (k->at < k->count) {
        int byte = (unsigned char)k->typed[k->at];
        if (is_ours(c, byte))
            continue;
        k->at++;
        k->dirty = true;
        k->warned = false; /* who types does not leave */
        k->byte_ms = rf_chat_now_ms();
        return byte;
    }
    return -1;
}

/* Waiting */

static int sooner(int a, int b)
{
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

static int until(long long at_ms)
{
    long long left = at_ms - rf_chat_now_ms();
    return left > 0 ? (int)left : 0;
}

/* Milliseconds until something is to be done though nothing happens. */
static int until_due(struct rf_chat *c)
{
    struct rf_chat_keys *k = c->keys;
    int due = sooner(rf_chat_show_due(c), rf_chat_permit_due(c));
    if (rf_chat_is_busy(c))
        due = sooner(due, TICK_MS);
    if (k->warned)
        due = sooner(due, until(k->ctrl_c_ms + TWICE_MS));
    if (k->dirty)
        due = sooner(due, until(k->drawn_ms + FRAME_MS));
    return due;
}

static void draw_when_due(struct rf_chat *c)
{
    struct rf_chat_keys *k = c->keys;
    long long now = rf_chat_now_ms();
    if (k->warned && now - k->ctrl_c_ms >= TWICE_MS) {
        k->warned = false;
        k->dirty = true;
    }
    if (rf_chat_is_busy(c) && now - k->drawn_ms >= TICK_MS)
        k->dirty = true;
    if (k->dirty && now - k->drawn_ms >= FRAME_MS)
        rf_chat_draw(c);
}

static int next_byte(void *ctx)
{
    struct rf_chat *c = ctx;
    for (;;) {
        take_events(c);
        enter_waiting(c);
        if (c->quits)
            return c->keys->ended ? -1 : -2;
        int byte = typed_byte(c);
        if (byte >= 0)
            return byte;
        if (c->quits)
            continue;
        if (rf_edit_is_pending(c->edit)) {
            int left = until(c->keys->byte_ms + KEY_MS), events = rf_tty_wait(&c->tty, left);
            take_happenings(c, events);
            if (!left && !(events & RF_TTY_TYPED))
                return -3;
            continue;
        }
        rf_chat_show_due(c);
        draw_when_due(c);
        take_happenings(c, rf_tty_wait(&c->tty, until_due(c)));
    }
}

/* Something is done over there, and nothing else here. */

struct here {
    void (*work)(struct rf_chat *c, void *ctx);
    void *ctx;
};

static void work_for(struct rf_chat *c, void *ctx)
{
    struct here *h = ctx;
    h->work(c, h->ctx);
}

void rf_chat_work_here(struct rf_chat *c, const char *what,
                       void (*work)(struct rf_chat *c, void *ctx), void *ctx)
{
    struct rf_chat_keys *k = c->keys;
    struct here *h = malloc(sizeof *h);
    if (!h)
        abort();
    *h = (struct here){ work, ctx };
    rf_chat_turn_work(c, RF_CHAT_SHORT, what, work_for, NULL, h);
    for (;;) {
        take_events(c);
        if (!rf_chat_is_busy(c))
            return;
        draw_when_due(c);
        int due = until_due(c);
        take_happenings(c, rf_tty_wait(&c->tty, due));
        if (k->count == sizeof k->typed) /* no room for more: it stays where it is */
            nanosleep(&(struct timespec){ .tv_nsec = FRAME_MS * 1000000L }, NULL);
    }
}

bool rf_chat_secret_ask(struct rf_chat *c, struct rf_chat_secret *s)
{
    struct rf_chat_keys *k = c->keys;
    c->secret = s;
    k->dirty = true;
    while (!s->done && !c->quits) {
        if (k->at < k->count) {
            rf_chat_secret_key(s, (unsigned char)k->typed[k->at++]);
            continue;
        }
        draw_when_due(c);
        int events = rf_tty_wait(&c->tty, s->escape == 1 ? KEY_MS : until_due(c));
        take_happenings(c, events);
        if (s->escape == 1 && !events) /* Esc, and no key that begins with it */
            s->done = s->refused = true;
    }
    c->secret = NULL;
    k->dirty = true;
    return s->done && !s->refused && s->n;
}

bool rf_chat_pick_ask(struct rf_chat *c, struct rf_chat_pick *p)
{
    struct rf_chat_keys *k = c->keys;
    c->pick = p;
    k->dirty = true;
    while (!p->done && !c->quits) {
        take_events(c);
        draw_when_due(c);
        take_happenings(c, rf_tty_wait(&c->tty, until_due(c)));
        for (; !p->done && k->at < k->count; k->dirty = true) {
            unsigned char byte = (unsigned char)k->typed[k->at++];
            rf_chat_pick_key(p, byte, k->at == k->count);
        }
    }
    c->pick = NULL;
    k->dirty = true;
    return p->chosen[0];
}

/* Beginning and end */

static void say_end(struct rf_chat *c)
{
    rf_region_clear(&c->region);
    rf_chat_show_end(c);
    if (c->session_id[0])
        rf_chat_say(c, RF_STYLE_DIM, "refract chat --session %s goes on with this", c->session_id);
    rf_region_begin(&c->region);
    rf_region_flush(&c->region);
}

static void close_loop(struct rf_chat *c)
{
    rf_chat_turn_close(c);
    if (!c->keys->ended)
        say_end(c);
    while (c->keys->waiting)
        free_line(unlink_line(&c->keys->waiting));
    rf_chat_show_close(c);
    rf_chat_clipboard_close(c);
    rf_edit_close(c->edit);
    rf_region_release(&c->region);
    rf_tty_close(&c->tty);
    free(c->keys);
    if (c->question)
        free(c->question->tool);
    free(c->question);
    c->keys = NULL;
    c->question = NULL;
    c->edit = NULL;
}

enum rf_code rf_chat_loop_open(struct rf_chat *c, const char *history, struct rf_err *err)
{
    struct rf_edit_calls calls = {
        .ctx = c,
        .next = next_byte,
        .complete = rf_chat_complete,
        .paste = rf_chat_paste,
        .key = press_key,
    };
    enum rf_code rc = rf_edit_open(&c->edit, &calls, history, err);
    if (rc)
        return rc;
    if (c->vi)
        rf_edit_vi(c->edit);
    c->keys = calloc(1, sizeof *c->keys);
    if (!c->keys)
        abort();
    c->keys->dirty = true;
    rf_region_init(&c->region, &c->tty);
    rf_chat_turn_open(c);
    rf_chat_show_open(c);
    rf_agent_listen(c->agent, rf_chat_heard, c);
    rf_agent_listen_stream(c->agent, rf_chat_heard_stream, c);
    return RF_OK;
}

int rf_chat_loop(struct rf_chat *c)
{
    while (!c->quits) {
        const char *line = rf_edit_read(c->edit);
        if (line)
            enter(c, line, rf_edit_origins(c->edit));
        else if (!rf_edit_left(c->edit))
            c->quits = true;
    }
    close_loop(c);
    return 0;
}
