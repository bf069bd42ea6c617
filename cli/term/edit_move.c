/* Movements of our own: characters as people count them, rows of a line, lines of the history. */
#include "term/edit_inside.h"

#include <string.h>
#include <wctype.h>

#include "term/cells.h"

struct place { /* in the text, in bytes */
    struct rf_str text;
    size_t cursor, begin,
        end; /* of the row that the cursor is in; the end is its line feed or that of the text */
};

static struct place look(struct rf_edit *e)
{
    struct place p = { .text = rf_edit_text(e) };
    p.cursor = p.begin = p.end = e->text_cursor;
    while (p.begin && p.text.p[p.begin - 1] != '\n')
        p.begin--;
    while (p.end < p.text.n && p.text.p[p.end] != '\n')
        p.end++;
    return p;
}

static struct rf_str part(const struct place *p, size_t from, size_t to)
{
    return (struct rf_str){ p->text.p + from, to - from };
}

/* Characters, negative to the left, from the cursor to a place. */
static int distance(const struct place *p, size_t to)
{
    if (to < p->cursor)
        return -(int)rf_edit_characters(part(p, to, p->cursor));
    return (int)rf_edit_characters(part(p, p->cursor, to));
}

static size_t before(const struct place *p)
{
    if (p->cursor == p->begin)
        return p->cursor ? p->cursor - 1 : 0;
    size_t at = p->begin, last = p->begin;
    while (at < p->cursor) {
        int cells;
        last = at;
        at += rf_cells_step(part(p, at, p->end), &cells);
    }
    return last;
}

static size_t after(const struct place *p)
{
    int cells;
    if (p->cursor == p->end)
        return p->end < p->text.n ? p->end + 1 : p->end;
    return p->cursor + rf_cells_step(part(p, p->cursor, p->end), &cells);
}

static unsigned char go(struct rf_edit *e, const struct place *p, size_t to)
{
    rf_libedit.cursor(e->el, distance(p, to));
    return CC_REFRESH;
}

unsigned char rf_edit_step_back(EditLine *el, int c)
{
    (void)c;
    struct place p = look(rf_edit_of(el));
    return go(rf_edit_of(el), &p, before(&p));
}

unsigned char rf_edit_step_on(EditLine *el, int c)
{
    (void)c;
    struct place p = look(rf_edit_of(el));
    return go(rf_edit_of(el), &p, after(&p));
}

unsigned char rf_edit_home(EditLine *el, int c)
{
    (void)c;
    struct place p = look(rf_edit_of(el));
    return go(rf_edit_of(el), &p, p.begin);
}

unsigned char rf_edit_end(EditLine *el, int c)
{
    (void)c;
    struct place p = look(rf_edit_of(el));
    return go(rf_edit_of(el), &p, p.end);
}

unsigned char rf_edit_backspace(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    struct place p = look(e);
    rf_edit_delete_before(e, (size_t)-distance(&p, before(&p)));
    return CC_REFRESH;
}

unsigned char rf_edit_delete(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    struct place p = look(e);
    int characters = distance(&p, after(&p));
    rf_libedit.cursor(el, characters);
    rf_edit_delete_before(e, (size_t)characters);
    return CC_REFRESH;
}

/* Cut from the cursor to a place. libedit keeps what was cut, so libedit has to do it: set the
 * mark, go there, cut. */
static unsigned char cut(struct rf_edit *e, int characters)
{
    if (!characters)
        return CC_NORM;
    e->jump = characters;
    rf_libedit.wpush(e->el, L"\x9b"
                            L"!m\x9b"
                            L"!j\x9b"
                            L"!k");
    return CC_NORM;
}

unsigned char rf_edit_jump(EditLine *el, int c)
{
    (void)c;
    rf_libedit.cursor(el, rf_edit_of(el)->jump);
    return CC_REFRESH;
}

/* vi's ~; libedit's own looks at what is before a line of one character. */
unsigned char rf_edit_change_case(EditLine *el, int c)
{
    (void)c;
    const LineInfoW *line = rf_libedit.wline(el);
    if (line->cursor == line->lastchar)
        return CC_ERROR;
    wchar_t at = *line->cursor;
    bool last = line->cursor + 1 == line->lastchar;
    struct rf_buffer changed = { 0 };
    rf_edit_narrow(&changed,
                   (wchar_t)(iswupper((wint_t)at) ? towlower((wint_t)at) : towupper((wint_t)at)));
    rf_libedit.cursor(el, 1);
    rf_edit_delete_before(rf_edit_of(el), 1);
    rf_edit_insert_raw(rf_edit_of(el), rf_buffer_view(&changed), rf_edit_moved(rf_edit_of(el)));
    rf_buffer_release(&changed);
    if (last)
        rf_libedit.cursor(el, -1);
    return CC_REFRESH;
}

unsigned char rf_edit_kill(EditLine *el, int c)
{
    (void)c;
    struct place p = look(rf_edit_of(el));
    return cut(rf_edit_of(el), distance(&p, p.cursor < p.end ? p.end : after(&p)));
}

unsigned char rf_edit_kill_back(EditLine *el, int c)
{
    (void)c;
    struct place p = look(rf_edit_of(el));
    return cut(rf_edit_of(el), distance(&p, p.cursor > p.begin ? p.begin : before(&p)));
}

/* Show another line of the history; its count is what was typed. */
static unsigned char recall(struct rf_edit *e, size_t place)
{
    rf_edit_show_old(e, place);
    return CC_REFRESH;
}

/* Go to the row from `begin` to `end`, as near to the wanted column as it has one. */
static unsigned char go_row(struct rf_edit *e, const struct place *p, size_t begin, size_t end)
{
    if (e->goal_at + 1 != e->keys)
        e->goal = (size_t)rf_cells(part(p, p->begin, p->cursor));
    e->goal_at = e->keys;
    return go(e, p, begin + rf_cells_fit(part(p, begin, end), (int)e->goal, NULL));
}

unsigned char rf_edit_up(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    struct place p = look(e);
    if (!p.begin)
        return e->place ? recall(e, e->place - 1) : CC_NORM;
    size_t begin = p.begin - 1;
    while (begin && p.text.p[begin - 1] != '\n')
        begin--;
    return go_row(e, &p, begin, p.begin - 1);
}

unsigned char rf_edit_down(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    struct place p = look(e);
    if (p.end == p.text.n)
        return e->place < e->history.count ? recall(e, e->place + 1) : CC_NORM;
    size_t end = p.end + 1;
    while (end < p.text.n && p.text.p[end] != '\n')
        end++;
    return go_row(e, &p, p.end + 1, end);
}

/* Does a line of the history begin as the text does before the cursor, and is it another? */
static bool matches(struct rf_edit *e, size_t place)
{
    const char *line = e->history.lines[place];
    struct rf_str text = rf_buffer_view(&e->text);
    return !strncmp(line, text.p, e->text_cursor) &&
           (strlen(line) != text.n || memcmp(line, text.p, text.n));
}

static unsigned char recall_at(struct rf_edit *e, size_t place)
{
    size_t cursor = e->text_cursor;
    recall(e, place);
    struct place p = look(e);
    return cursor < p.text.n ? go(e, &p, cursor) : CC_REFRESH;
}

unsigned char rf_edit_match_older(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    rf_edit_text(e);
    for (size_t i = e->place; i-- > 0;)
        if (matches(e, i))
            return recall_at(e, i);
    return CC_NORM;
}

unsigned char rf_edit_match_newer(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    rf_edit_text(e);
    for (size_t i = e->place + 1; i < e->history.count; i++)
        if (matches(e, i))
            return recall_at(e, i);
    return e->place < e->history.count ? recall_at(e, e->history.count) : CC_NORM;
}
