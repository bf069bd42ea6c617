/* Who put the characters of the line there: for each byte of it, RF_EDIT_TYPED or RF_EDIT_PASTED.
 *
 * libedit moves characters about as it likes, untold. So the line is compared with what it
 * was before the key: what it begins and ends with as before is as it was, and what is new between
 * came by the key. A key that is a character and brings only that was typed. What else brings text
 * (yanking, undoing, changing the order) brings what was in a line before, and that counts as
 * pasted from the moment on in which anything pasted was in one. */
#include "term/edit_inside.h"

#include <string.h>

struct change {
    struct rf_str now;
    size_t front, back; /* bytes at the beginning and at the end that are as they were */
};

static struct change compare(struct rf_edit *e)
{
    struct change c = { .now = rf_edit_text(e) };
    struct rf_str was = rf_buffer_view(&e->seen);
    size_t least = was.n < c.now.n ? was.n : c.now.n;
    while (c.front < least && was.p[c.front] == c.now.p[c.front])
        c.front++;
    while (c.back < least - c.front && was.p[was.n - 1 - c.back] == c.now.p[c.now.n - 1 - c.back])
        c.back++;
    return c;
}

static void take(struct rf_edit *e, const struct change *c, enum rf_edit_origin origin)
{
    struct rf_buffer origins = { 0 };
    size_t fresh = c->now.n - c->front - c->back;
    if (!fresh && c->now.n == e->seen.n)
        return;
    if (c->front)
        rf_buffer_add(&origins, e->origins.p, c->front);
    rf_buffer_fill(&origins, (char)origin, fresh);
    if (c->back)
        rf_buffer_add(&origins, e->origins.p + e->origins.n - c->back, c->back);
    rf_buffer_release(&e->origins);
    e->origins = origins;
    rf_buffer_reset(&e->seen);
    rf_buffer_str(&e->seen, c->now);
    e->foreign |= fresh && origin == RF_EDIT_PASTED;
}

/* Is all that is new the character of the key? */
static bool is_of_key(const struct rf_edit *e, const struct change *c)
{
    struct rf_buffer key = { 0 };
    size_t end = c->now.n - c->back;
    if (!e->character)
        return false;
    rf_edit_narrow(&key, e->character);
    bool same = (end - c->front) % key.n == 0;
    for (size_t i = c->front; same && i < end; i += key.n)
        same = memcmp(c->now.p + i, key.p, key.n) == 0;
    rf_buffer_release(&key);
    return same;
}

enum rf_edit_origin rf_edit_moved(const struct rf_edit *e)
{
    return e->foreign ? RF_EDIT_PASTED : RF_EDIT_TYPED;
}

void rf_edit_track_key(struct rf_edit *e)
{
    if (e->searches)
        return;
    struct change c = compare(e);
    take(e, &c, is_of_key(e, &c) ? RF_EDIT_TYPED : rf_edit_moved(e));
}

void rf_edit_track(struct rf_edit *e, enum rf_edit_origin origin)
{
    if (e->searches)
        return;
    struct change c = compare(e);
    take(e, &c, origin);
}

enum rf_edit_origin rf_edit_origin_of(const struct rf_edit *e, size_t begin, size_t end)
{
    if (begin == end)
        return RF_EDIT_TYPED;
    bool typed = end <= e->origins.n && !memchr(e->origins.p + begin, RF_EDIT_PASTED, end - begin);
    return typed ? RF_EDIT_TYPED : RF_EDIT_PASTED;
}

void rf_edit_mark(struct rf_edit *e, size_t at, struct rf_str origins)
{
    if (!origins.n || at > e->origins.n || origins.n > e->origins.n - at)
        return;
    memcpy(e->origins.p + at, origins.p, origins.n);
    e->foreign |= memchr(origins.p, RF_EDIT_PASTED, origins.n) != NULL;
}

void rf_edit_forget_origins(struct rf_edit *e)
{
    rf_buffer_reset(&e->seen);
    rf_buffer_reset(&e->origins);
}
