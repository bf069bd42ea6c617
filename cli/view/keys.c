/* Bytes that were typed become keys. What is not a key that is known here (mouse, function keys,
 * anything that is pasted) is taken whole and dropped, so that no end of it is taken for a
 * letter. */
#include "view/viewer.h"

#include <string.h>

#define ESCAPE_WAIT_MS 50 /* in which an escape sequence goes on, or was the key itself */

static const struct {
    const char *sequence; /* after the escape */
    int key;
} sequences[] = {
    { "[A", RF_KEY_UP },    { "[B", RF_KEY_DOWN },     { "[C", RF_KEY_RIGHT },
    { "[D", RF_KEY_LEFT },  { "OA", RF_KEY_UP },       { "OB", RF_KEY_DOWN },
    { "OC", RF_KEY_RIGHT }, { "OD", RF_KEY_LEFT },     { "[H", RF_KEY_HOME },
    { "[F", RF_KEY_END },   { "OH", RF_KEY_HOME },     { "OF", RF_KEY_END },
    { "[1~", RF_KEY_HOME }, { "[4~", RF_KEY_END },     { "[7~", RF_KEY_HOME },
    { "[8~", RF_KEY_END },  { "[5~", RF_KEY_PAGE_UP }, { "[6~", RF_KEY_PAGE_DOWN },
};

static void take(struct rf_viewer *v, size_t n)
{
    v->byte_count -= n;
    memmove(v->typed_bytes, v->typed_bytes + n, v->byte_count);
}

static void fill(struct rf_viewer *v)
{
    v->byte_count +=
        rf_tty_read(v->tty, v->typed_bytes + v->byte_count, sizeof v->typed_bytes - v->byte_count);
}

/* Bytes of the escape sequence that begins what was typed; 0: it has not ended yet. */
static size_t sequence_length(const struct rf_viewer *v)
{
    const char *p = v->typed_bytes;
    size_t n = v->byte_count;
    if (n < 2)
        return 0;
    if (p[1] == 'O')
        return n >= 3 ? 3 : 0;
    if (p[1] != '[')
        return 2; /* Alt and a letter */
    for (size_t i = 2; i < n; i++)
        if (p[i] >= 0x40 && p[i] <= 0x7e)
            return i + 1;
    return n == sizeof v->typed_bytes ? n : 0;
}

/* What is pasted is nothing that a viewer wants. */
static void drop_pasted(struct rf_viewer *v)
{
    static const char end[] = "\033[201~";
    size_t n = sizeof end - 1;
    for (;;) {
        char *at = memmem(v->typed_bytes, v->byte_count, end, n);
        if (at) {
            take(v, (size_t)(at - v->typed_bytes) + n);
            return;
        }
        if (v->byte_count >= n)
            take(v, v->byte_count - (n - 1));
        if (rf_tty_wait(v->tty, 1000) != RF_TTY_TYPED)
            return;
        fill(v);
    }
}

static int take_sequence(struct rf_viewer *v)
{
    size_t n = sequence_length(v);
    while (n == 0 && (rf_tty_wait(v->tty, ESCAPE_WAIT_MS) & RF_TTY_TYPED)) {
        fill(v);
        n = sequence_length(v);
    }
    if (n == 0) {
        bool alone = v->byte_count == 1;
        take(v, v->byte_count);
        return alone ? RF_KEY_ESCAPE : RF_KEY_NONE;
    }
    int key = RF_KEY_NONE;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (strlen(sequences[i].sequence) == n - 1 &&
            memcmp(sequences[i].sequence, v->typed_bytes + 1, n - 1) == 0)
            key = sequences[i].key;
    bool pasted = n == 6 && memcmp(v->typed_bytes, "\033[200~", 6) == 0;
    take(v, n);
    if (pasted)
        drop_pasted(v);
    return key;
}

static int take_key(struct rf_viewer *v)
{
    if (v->typed_bytes[0] == '\033')
        return take_sequence(v);
    int key = (unsigned char)v->typed_bytes[0];
    take(v, 1);
    return key;
}

int rf_view_key(struct rf_viewer *v)
{
    fill(v);
    if (v->byte_count)
        return take_key(v);
    int what = rf_tty_wait(v->tty, -1);
    if (what & (RF_TTY_RESIZED | RF_TTY_ANSWERED | RF_TTY_CONTINUED))
        v->stale = true;
    if (what & (RF_TTY_RESIZED | RF_TTY_ANSWERED)) /* pictures may have other sizes, or be there */
        v->broken = 0;
    if (what & RF_TTY_ENDED)
        return RF_KEY_GONE;
    fill(v);
    return v->byte_count ? take_key(v) : RF_KEY_NONE;
}

bool rf_view_is_interrupted(struct rf_viewer *v)
{
    fill(v);
    return v->byte_count || (rf_tty_wait(v->tty, 0) & (RF_TTY_TYPED | RF_TTY_ENDED));
}
