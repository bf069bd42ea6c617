/* The line that is typed, and libedit around it. It never writes to the terminal and never
 * changes its modes. */
#include "term/edit.h"

#include <langinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term/edit_inside.h"

struct rf_edit *rf_edit_of(EditLine *el)
{
    void *e = NULL;
    rf_libedit.wget(el, EL_CLIENTDATA, &e);
    return e;
}

/* UTF-8, for libedit's own questions about characters: what the environment says, where that is
 * one. */
static locale_t find_locale(void)
{
    static const char *const names[] = { "", "C.UTF-8", "en_US.UTF-8" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        locale_t locale = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
        if (locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8"))
            return locale;
        if (locale)
            freelocale(locale);
    }
    return (locale_t)0;
}

static locale_t enter_locale(const struct rf_edit *e)
{
    return e->locale ? uselocale(e->locale) : (locale_t)0;
}

static void leave_locale(locale_t before)
{
    if (before)
        uselocale(before);
}

/* libedit calls its history also where it has none. */
static int no_history(void *ctx, HistEventW *event, int operation, ...)
{
    (void)ctx;
    (void)operation;
    *event = (HistEventW){ 0 };
    return -1;
}

static bool start(struct rf_edit *e)
{
    e->terminal = rf_libedit_terminal(&e->master);
    e->nowhere = fopen("/dev/null", "r+e");
    if (e->terminal < 0 || !e->nowhere)
        return false;
    e->el = rf_libedit.init_fd("refract", e->nowhere, e->nowhere, e->nowhere, e->terminal,
                               e->terminal, e->terminal);
    if (!e->el)
        return false;
    rf_libedit.wset(e->el, EL_CLIENTDATA, (void *)e);
    rf_libedit.wset(e->el, EL_GETCFN, rf_edit_getc);
    rf_libedit.wset(e->el, EL_SIGNAL, 0);
    rf_libedit.wset(e->el, EL_HIST, no_history, NULL);
    rf_edit_functions(e);
    rf_libedit.wset(e->el, EL_EDITOR, L"emacs");
    rf_edit_bind(e);
    rf_edit_read_editrc(e);
    return true;
}

enum rf_code rf_edit_open(struct rf_edit **out, const struct rf_edit_calls *calls,
                          const char *history, struct rf_err *err)
{
    enum rf_code rc = rf_libedit_load(err);
    if (rc)
        return rc;
    struct rf_edit *e = calloc(1, sizeof *e);
    if (!e)
        abort();
    *e = (struct rf_edit){ .calls = *calls, .terminal = -1, .master = -1, .again = -1 };
    e->locale = find_locale();
    locale_t before = enter_locale(e);
    bool started = start(e);
    leave_locale(before);
    if (!started) {
        rf_edit_close(e);
        if (err) {
            *err = (struct rf_err){ .code = RF_EIO };
            snprintf(err->msg, sizeof err->msg, "could not open a pseudo-terminal for the editor");
            snprintf(err->hint, sizeof err->hint, "Look at /dev/ptmx and the limit of open files.");
        }
        return RF_EIO;
    }
    rf_edit_history_open(&e->history, history);
    *out = e;
    return RF_OK;
}

void rf_edit_close(struct rf_edit *e)
{
    if (!e)
        return;
    if (e->el)
        rf_libedit.end(e->el);
    if (e->nowhere)
        fclose(e->nowhere);
    if (e->terminal >= 0) {
        close(e->terminal);
        close(e->master);
    }
    if (e->locale)
        freelocale(e->locale);
    rf_edit_history_close(&e->history);
    rf_buffer_release(&e->kept);
    rf_buffer_release(&e->line);
    rf_buffer_release(&e->line_origins);
    rf_buffer_release(&e->text);
    rf_buffer_release(&e->shown);
    rf_edit_folds_release(e);
    rf_buffer_release(&e->seen);
    rf_buffer_release(&e->origins);
    rf_buffer_release(&e->pasted);
    rf_buffer_release(&e->draft);
    rf_buffer_release(&e->draft_origins);
    rf_buffer_release(&e->words);
    free(e);
}

void rf_edit_vi(struct rf_edit *e)
{
    locale_t before = enter_locale(e);
    e->vi = e->vi_chosen = true;
    rf_libedit.wset(e->el, EL_EDITOR, L"vi");
    rf_edit_bind(e);
    rf_edit_read_editrc(e);
    leave_locale(before);
}

void rf_edit_enter(struct rf_edit *e)
{
    e->entered = true;
    rf_edit_track_key(e);
    rf_edit_unfold(e, rf_buffer_view(&e->seen), NULL, RF_EDIT_WHOLE, &e->line);
    rf_edit_unfold_origins(e, rf_buffer_view(&e->seen), rf_buffer_view(&e->origins),
                           &e->line_origins);
}

/* Where a key of libedit's own ended the line, it may be in the buffer with its line feed. */
static void take_line(struct rf_edit *e, const wchar_t *got)
{
    if (e->entered || e->ended || e->left)
        return;
    if (!got) {
        e->ended = true;
        return;
    }
    rf_edit_enter(e);
    if (e->line.n && e->line.p[e->line.n - 1] == '\n')
        e->line_origins.n = --e->line.n;
}

const char *rf_edit_read(struct rf_edit *e)
{
    locale_t before = enter_locale(e);
    e->entered = e->ended = e->left = false;
    e->command = e->awaits = e->operates = e->probes = e->searches = e->counted = false;
    e->digits = 0;
    e->queue_at = e->queue_count = 0;
    e->place = e->history.count;
    rf_buffer_reset(&e->draft);
    rf_buffer_reset(&e->line);
    rf_buffer_reset(&e->line_origins);
    rf_buffer_reset(&e->text);
    e->reading = e->restores = e->fresh = true;
    int count = 0;
    take_line(e, rf_libedit.wgets(e->el, &count));
    e->reading = e->restores = e->fresh = false;
    e->command = false;
    leave_locale(before);
    if (!e->left) {
        rf_buffer_reset(&e->kept);
        rf_edit_forget_origins(e);
        e->kept_cursor = 0;
    }
    if (!e->entered)
        return NULL;
    rf_buffer_add(&e->line, "", 1);
    rf_buffer_add(&e->line_origins, "", 1);
    rf_edit_history_add(&e->history, e->line.p, e->line_origins.p);
    return e->line.p;
}

const char *rf_edit_origins(const struct rf_edit *e)
{
    return e->line_origins.p;
}

bool rf_edit_left(const struct rf_edit *e)
{
    return e->left;
}

bool rf_edit_is_pending(const struct rf_edit *e)
{
    return e->pending;
}

bool rf_edit_is_command(struct rf_edit *e)
{
    return e->command;
}

/* The memory stays: what rf_edit_text returned is still good where the line has not changed. */
static void refresh_text(struct rf_edit *e)
{
    e->text.n = 0;
    if (e->searches) {
        rf_edit_search_text(e);
        return;
    }
    if (!e->reading || e->restores) {
        rf_buffer_str(&e->text, rf_buffer_view(&e->kept));
        e->text_cursor = e->kept_cursor;
        return;
    }
    const LineInfoW *line = rf_libedit.wline(e->el);
    e->text_cursor = 0;
    for (const wchar_t *p = line->buffer; p < line->lastchar; p++) {
        if (p == line->cursor)
            e->text_cursor = e->text.n;
        rf_edit_narrow(&e->text, *p);
    }
    if (line->cursor >= line->lastchar)
        e->text_cursor = e->text.n;
}

struct rf_str rf_edit_text(struct rf_edit *e)
{
    refresh_text(e);
    return rf_buffer_view(&e->text);
}

size_t rf_edit_cursor(struct rf_edit *e)
{
    refresh_text(e);
    return e->text_cursor;
}

struct rf_str rf_edit_shown(struct rf_edit *e, size_t *cursor)
{
    refresh_text(e);
    rf_buffer_reset(&e->shown);
    *cursor = e->text_cursor;
    rf_edit_unfold(e, rf_buffer_view(&e->text), cursor, RF_EDIT_LABELS, &e->shown);
    return rf_buffer_view(&e->shown);
}

void rf_edit_whole(struct rf_edit *e, struct rf_buffer *out)
{
    rf_edit_unfold(e, rf_edit_text(e), NULL, RF_EDIT_WHOLE, out);
}

void rf_edit_keep(struct rf_edit *e)
{
    if (e->restores)
        return;
    bool searches = e->searches;
    e->searches = false;
    refresh_text(e);
    e->searches = searches;
    rf_buffer_reset(&e->kept);
    rf_buffer_str(&e->kept, rf_buffer_view(&e->text));
    e->kept_cursor = e->text_cursor;
}

/* `text` is clean. */
static void insert_wide(struct rf_edit *e, struct rf_str text)
{
    const LineInfoW *line = rf_libedit.wline(e->el);
    size_t there = (size_t)(line->lastchar - line->buffer);
    size_t room = there < RF_EDIT_MOST ? RF_EDIT_MOST - there : 0;
    wchar_t *wide = calloc(text.n + 1, sizeof *wide);
    if (!wide)
        abort();
    size_t n = 0;
    while (text.n && n < room) {
        size_t used = rf_edit_decode(text, &wide[n]);
        n++;
        text = (struct rf_str){ text.p + used, text.n - used };
    }
    wide[n] = 0;
    if (n)
        rf_libedit.winsertstr(e->el, wide);
    free(wide);
}

static void insert_kept(struct rf_edit *e, struct rf_str text)
{
    if (text.n > RF_EDIT_MOST || e->kept.n > RF_EDIT_MOST - text.n)
        return;
    struct rf_buffer b = { 0 };
    rf_buffer_add(&b, e->kept.p, e->kept_cursor);
    rf_buffer_str(&b, text);
    if (e->kept.n > e->kept_cursor)
        rf_buffer_add(&b, e->kept.p + e->kept_cursor, e->kept.n - e->kept_cursor);
    rf_buffer_release(&e->kept);
    e->kept = b;
    e->kept_cursor += text.n;
}

/* From here on the text is in `kept` while libedit waits for a key. */
static void set_aside(struct rf_edit *e)
{
    if (!e->waits || e->searches || e->restores)
        return;
    rf_edit_keep(e);
    e->restores = true;
}

static void put_in(struct rf_edit *e, struct rf_str text)
{
    set_aside(e);
    if (e->searches)
        rf_edit_search_add(e, text);
    else if (!e->reading || e->restores)
        insert_kept(e, text);
    else
        insert_wide(e, text);
}

void rf_edit_insert_raw(struct rf_edit *e, struct rf_str text, enum rf_edit_origin origin)
{
    rf_edit_track_key(e);
    put_in(e, text);
    rf_edit_track(e, origin);
}

void rf_edit_insert(struct rf_edit *e, struct rf_str text, enum rf_edit_origin origin)
{
    struct rf_buffer clean = { 0 };
    rf_edit_clean(&clean, text);
    rf_edit_insert_raw(e, rf_buffer_view(&clean), origin);
    rf_buffer_release(&clean);
}

/* Origins of a text that was cut are not known. */
static void insert_raw_line(struct rf_edit *e, struct rf_str line, struct rf_str origins)
{
    size_t had = rf_edit_text(e).n;
    rf_edit_insert_raw(e, line, RF_EDIT_PASTED);
    size_t end = rf_edit_cursor(e);
    if (!e->searches && rf_edit_text(e).n - had == line.n && origins.n == line.n)
        rf_edit_mark(e, end - line.n, origins);
}

/* Those of a text that is not as it stood in a line are not known either. */
static void insert_line(struct rf_edit *e, struct rf_str line, const char *origins)
{
    struct rf_buffer clean = { 0 }, folded = { 0 }, folded_origins = { 0 };
    rf_edit_clean(&clean, line);
    if (origins && clean.n == line.n) {
        rf_edit_fold_line(e, line, origins, &folded, &folded_origins);
        insert_raw_line(e, rf_buffer_view(&folded), rf_buffer_view(&folded_origins));
    } else {
        rf_edit_insert_raw(e, rf_buffer_view(&clean), RF_EDIT_PASTED);
    }
    rf_buffer_release(&clean);
    rf_buffer_release(&folded);
    rf_buffer_release(&folded_origins);
}

void rf_edit_insert_line(struct rf_edit *e, const char *line, const char *origins)
{
    insert_line(e, (struct rf_str){ line, strlen(line) }, origins);
}

void rf_edit_replace(struct rf_edit *e, struct rf_str text)
{
    struct rf_buffer clean = { 0 }, folded = { 0 };
    rf_edit_track_key(e);
    rf_edit_clean(&clean, text);
    rf_edit_fold_again(e, rf_buffer_view(&clean), &folded);
    rf_edit_empty(e);
    rf_edit_insert_raw(e, rf_buffer_view(&folded), RF_EDIT_PASTED);
    rf_buffer_release(&clean);
    rf_buffer_release(&folded);
}

void rf_edit_delete_before(struct rf_edit *e, size_t characters)
{
    const LineInfoW *line = rf_libedit.wline(e->el);
    size_t there = (size_t)(line->cursor - line->buffer);
    if (characters > there)
        characters = there;
    if (characters)
        rf_libedit.deletestr(e->el, (int)characters);
}

static void wipe(struct rf_edit *e)
{
    e->searches = false;
    set_aside(e);
    if (!e->reading || e->restores) {
        rf_buffer_reset(&e->kept);
        e->kept_cursor = 0;
        return;
    }
    const LineInfoW *line = rf_libedit.wline(e->el);
    rf_libedit.cursor(e->el, (int)(line->lastchar - line->cursor));
    rf_edit_delete_before(e, SIZE_MAX);
}

void rf_edit_empty(struct rf_edit *e)
{
    wipe(e);
    e->place = e->history.count;
    rf_buffer_reset(&e->draft);
}

void rf_edit_set_text(struct rf_edit *e, struct rf_str text)
{
    wipe(e);
    put_in(e, text);
}

void rf_edit_show_old(struct rf_edit *e, size_t place)
{
    const struct rf_edit_history *h = &e->history;
    if (e->place == h->count) {
        rf_buffer_reset(&e->draft);
        rf_buffer_reset(&e->draft_origins);
        rf_buffer_str(&e->draft, rf_buffer_view(&e->seen));
        rf_buffer_str(&e->draft_origins, rf_buffer_view(&e->origins));
    }
    e->place = place;
    wipe(e);
    if (place == h->count)
        insert_raw_line(e, rf_buffer_view(&e->draft), rf_buffer_view(&e->draft_origins));
    else
        insert_line(e, (struct rf_str){ h->lines[place], strlen(h->lines[place]) },
                    h->origins[place]);
}
