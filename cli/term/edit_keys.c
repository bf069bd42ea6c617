/* Bytes become keys: characters of UTF-8, escape sequences as a whole, what is pasted as one.
 * libedit is given keys that it knows and nothing else, so that no part of an unknown sequence ends
 * up in the line. */
#include "term/edit_inside.h"

#include <string.h>

#define ESCAPE 27
#define PAUSE (-3)
#define MOST_SEQUENCE 32  /* bytes of an escape sequence that may mean something */
#define MOST_STRING 65536 /* bytes of an answer or a title that is swallowed */
#define MOST_DIGITS 3     /* of a count before a command */
#define PATIENCE 100      /* pauses until something pasted is over whose end never comes */

/* The next byte; PAUSE; or -1 where this line is over. */
static int pull(struct rf_edit *e)
{
    if (e->again >= 0) {
        int b = e->again;
        e->again = -1;
        return b;
    }
    if (e->ended || e->left)
        return -1;
    e->waits = true;
    int b = e->calls.next(e->calls.ctx);
    e->waits = false;
    if (b >= 0)
        return b & 0xff;
    if (b == PAUSE)
        return b;
    if (b == -2) {
        rf_edit_keep(e);
        e->left = true;
    } else {
        e->ended = true;
    }
    return -1;
}

static void put(struct rf_edit *e, wchar_t c)
{
    if (e->queue_count < sizeof e->queue / sizeof *e->queue)
        e->queue[e->queue_count++] = c;
}

/* A key of our own, which edit_bind.c has the function of. */
static void put_own(struct rf_edit *e, wchar_t c)
{
    put(e, RF_EDIT_LEAD);
    put(e, L'!');
    put(e, c);
}

/* vi needs Escape for itself: sequences begin with another character there. */
static void put_sequence(struct rf_edit *e, const char *s)
{
    put(e, e->vi ? RF_EDIT_LEAD : ESCAPE);
    for (; *s; s++)
        put(e, (wchar_t)*s);
}

static void escape_alone(struct rf_edit *e)
{
    if (e->vi) {
        put(e, ESCAPE);
        e->command = true;
        e->awaits = false;
    } else {
        put_own(e, L'e');
    }
}

static void add_pasted(struct rf_edit *e, const char *p, size_t n)
{
    if (n <= RF_EDIT_MOST - e->pasted.n)
        rf_buffer_add(&e->pasted, p, n);
}

static bool read_pasted(struct rf_edit *e)
{
    static const char end[] = "\033[201~";
    size_t matched = 0;
    for (int pauses = 0; pauses < PATIENCE && end[matched];) {
        int b = pull(e);
        if (b == PAUSE) {
            pauses++;
            continue;
        }
        if (b < 0)
            return false;
        pauses = 0;
        char c = (char)b;
        if (c != end[matched]) {
            add_pasted(e, end, matched);
            matched = 0;
        }
        if (c == end[matched])
            matched++;
        else
            add_pasted(e, &c, 1);
    }
    return true;
}

static void paste(struct rf_edit *e)
{
    rf_buffer_reset(&e->pasted);
    if (!read_pasted(e))
        return;
    struct rf_buffer clean = { 0 };
    rf_edit_clean(&clean, rf_buffer_view(&e->pasted));
    rf_buffer_release(&e->pasted);
    e->pasted = clean;
    put_own(e, L'p');
}

/* Has the sequence ended with `b`, its byte number `n`? The Linux console sends ESC [ [ A. */
static bool is_final(const char *sequence, size_t n, int b)
{
    if (sequence[0] == '[')
        return b >= 0x40 && !(n == 2 && b == '[');
    return b != ';' && (b < '0' || b > '9');
}

static void sequence(struct rf_edit *e, char first)
{
    char s[MOST_SEQUENCE] = { first };
    size_t n = 1;
    for (int b = 0; n == 1 || !is_final(s, n, b);) {
        b = pull(e);
        if (b < 0)
            return;
        if (b < 0x20 || b >= 0x7f) {
            e->again = b;
            return;
        }
        if (n < sizeof s)
            s[n] = (char)b;
        n++;
    }
    if (n >= sizeof s)
        return;
    if (!strcmp(s, "[200~"))
        paste(e);
    else if (rf_edit_knows(s))
        put_sequence(e, s);
}

static void alt(struct rf_edit *e, int b)
{
    const char key[] = { (char)b, 0 };
    if (b >= 0x80) {
        e->again = b;
    } else if (!e->vi || b == '\r' || b == '\n') {
        put_sequence(e, key);
    } else {
        escape_alone(e);
        e->again = b;
    }
}

/* A string that a terminal sends (OSC, DCS, APC …): up to its end. With nothing after it, it was
 * Alt and a letter. */
static void string(struct rf_edit *e, int first)
{
    for (size_t n = 0; n < MOST_STRING; n++) {
        int b = pull(e);
        if (b == PAUSE && !n)
            alt(e, first);
        if (b < 0 || b == '\a')
            return;
        if (b < 0x20 && b != ESCAPE) {
            e->again = b;
            return;
        }
        if (b == ESCAPE) {
            b = pull(e);
            if (b >= 0 && b != '\\')
                e->again = b;
            return;
        }
    }
}

static void escape(struct rf_edit *e)
{
    int b = pull(e);
    if (b < 0 || b == ESCAPE) {
        escape_alone(e);
        e->again = b < 0 ? -1 : b;
    } else if (b == '[' || b == 'O') {
        sequence(e, (char)b);
    } else if (b && strchr("]P_^X", b)) {
        string(e, b);
    } else {
        alt(e, b);
    }
}

/* Is the next key one of vi's commands? */
static bool takes_command(const struct rf_edit *e)
{
    return e->command && !e->awaits && !e->searches;
}

/* Bytes that are not UTF-8, and control characters of 8 bits, are nothing. None of the others is a
 * command, but libedit's vi would put most of them into the line. */
static void character(struct rf_edit *e, int b)
{
    char s[4] = { (char)b };
    size_t n = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : b >= 0xc0 ? 2 : 1;
    for (size_t i = 1; i < n; i++) {
        b = pull(e);
        while (b == PAUSE)
            b = pull(e);
        if (b < 0)
            return;
        if (b >> 6 != 2) {
            e->again = b;
            return;
        }
        s[i] = (char)b;
    }
    wchar_t c;
    if (n == 1 || rf_edit_decode((struct rf_str){ s, n }, &c) != n || c < 0xa0 ||
        rf_edit_is_reserved(c))
        return;
    if (takes_command(e))
        put_own(e, L'n');
    else
        put(e, c);
}

static bool is_digit(const struct rf_edit *e)
{
    wchar_t last = e->queue_count ? e->queue[e->queue_count - 1] : 0;
    if (last < L'0' || last > L'9' || e->awaits || e->searches)
        return false;
    return e->queue_count == 1 || (e->queue_count == 2 && e->queue[0] == ESCAPE);
}

/* Digits of a count: Alt and a digit and those after it; in vi's command mode all, but for a 0
 * that begins. */
static bool is_count(const struct rf_edit *e)
{
    return is_digit(e) && (e->queue_count == 2 || e->digits || (e->command && e->queue[0] != L'0'));
}

/* Does vi wait for a movement from here on? It takes the digits before and after d as one count. */
static bool is_operator(const struct rf_edit *e)
{
    return takes_command(e) && !e->operates && e->queue_count == 1 && wcschr(L"cdy", e->queue[0]);
}

/* In emacs, libedit keeps a count through a key that has no function, and takes any digit after
 * that as one more of it. */
static void forget_count(struct rf_edit *e)
{
    bool alt = e->queue_count == 2;
    wchar_t digit = e->queue[e->queue_count - 1];
    e->queue_count = 0;
    put_own(e, L'n');
    if (alt)
        put(e, ESCAPE);
    put(e, digit);
    e->counted = false;
}

/* libedit would do something a million times, and nothing else meanwhile. */
static void limit_count(struct rf_edit *e)
{
    if (!e->queue_count)
        return;
    bool operates = is_operator(e), counts = is_count(e);
    e->operates = operates || (counts && e->operates);
    if (counts && e->digits == MOST_DIGITS) {
        e->queue_count = 0;
        return;
    }
    if (!counts && !operates)
        e->digits = 0;
    if (!e->vi && e->counted && !e->digits && is_digit(e))
        forget_count(e);
    if (counts) {
        e->digits++;
        e->counted = true;
    }
}

bool rf_edit_read_key(struct rf_edit *e)
{
    e->queue_at = e->queue_count = 0;
    while (!e->queue_count) {
        int b = pull(e);
        if (b == PAUSE)
            continue;
        if (b < 0)
            return false;
        e->keys++;
        e->pending = true;
        if (b == ESCAPE)
            escape(e);
        else if (b >= 0x80)
            character(e, b);
        else if (b)
            put(e, (wchar_t)b);
        e->pending = false;
        bool character = e->queue_count == 1 && e->queue[0] >= L' ' && e->queue[0] != 0x7f;
        e->character = character ? e->queue[0] : 0;
        limit_count(e);
    }
    return !e->ended && !e->left;
}

void rf_edit_restore(struct rf_edit *e)
{
    e->restores = false;
    struct rf_buffer kept = e->kept;
    e->kept = (struct rf_buffer){ 0 };
    rf_edit_set_text(e, rf_buffer_view(&kept));
    size_t after = kept.n > e->kept_cursor ? kept.n - e->kept_cursor : 0;
    if (after)
        rf_libedit.cursor(
            e->el, -(int)rf_edit_characters((struct rf_str){ kept.p + e->kept_cursor, after }));
    rf_buffer_release(&kept);
    e->kept_cursor = 0;
}

void rf_edit_begin_anew(struct rf_edit *e)
{
    rf_edit_keep(e);
    e->restores = true;
    e->queue_at = e->queue_count = 0;
    put(e, ESCAPE);
    put_own(e, L'r');
}

/* In vi's command mode each key is followed by a question whether that is still the mode, but for
 * those that wait for a character: f, F, t, T, r. */
static void note_mode(struct rf_edit *e)
{
    bool argument = e->awaits;
    e->awaits = e->command && !argument && e->queue_count == 1 && wcschr(L"fFtTr", e->queue[0]);
    e->probes = e->command;
}

/* The text was changed while libedit waited: that comes before the key, and ends what a key before
 * it wanted one for. */
static void put_restore(struct rf_edit *e, bool awaited)
{
    wchar_t key[sizeof e->queue / sizeof *e->queue];
    size_t n = e->queue_count;
    memcpy(key, e->queue, n * sizeof *key);
    e->queue_count = 0;
    if (awaited)
        put(e, ESCAPE);
    put_own(e, L'r');
    for (size_t i = 0; i < n; i++)
        put(e, key[i]);
}

/* A cursor that libedit has moved out of the line would be written to. */
static void steady_cursor(struct rf_edit *e)
{
    const LineInfoW *line = rf_libedit.wline(e->el);
    if (line->cursor < line->buffer)
        rf_libedit.cursor(e->el, (int)(line->buffer - line->cursor));
    else if (line->cursor > line->lastchar)
        rf_libedit.cursor(e->el, (int)(line->lastchar - line->cursor));
}

/* Characters of the line that are not too many, what is folded counted as what it stands for. */
static int count_allowed(const struct rf_edit *e, const LineInfoW *line)
{
    size_t sum = 0;
    for (const wchar_t *p = line->buffer; p < line->lastchar; p++) {
        struct rf_str folded = rf_edit_folded(e, *p);
        sum += folded.p ? folded.n : 1;
        if (sum > RF_EDIT_MOST)
            return (int)(p - line->buffer);
    }
    return (int)(line->lastchar - line->buffer);
}

/* libedit would double a line as often as yyP is typed. */
static void limit_line(struct rf_edit *e)
{
    const LineInfoW *line = rf_libedit.wline(e->el);
    int most = count_allowed(e, line), n = (int)(line->lastchar - line->buffer);
    int cursor = (int)(line->cursor - line->buffer);
    if (n <= most)
        return;
    rf_libedit.cursor(e->el, n - cursor);
    rf_libedit.deletestr(e->el, n - most);
    if (cursor < most)
        rf_libedit.cursor(e->el, cursor - most);
}

int rf_edit_getc(EditLine *el, wchar_t *out)
{
    struct rf_edit *e = rf_edit_of(el);
    steady_cursor(e);
    limit_line(e);
    if (e->fresh) {
        e->fresh = false;
        rf_edit_restore(e);
        if (e->vi)
            put_own(e, L'i'); /* what is typed first is what "." does again */
    }
    if (e->queue_at == e->queue_count) {
        e->redoes = false;
        if (e->probes && !e->awaits) {
            e->probes = false;
            *out = RF_EDIT_PROBE;
            return 1;
        }
        rf_edit_track_key(e);
        if (!rf_edit_read_key(e))
            return 0;
        bool awaited = e->awaits;
        e->awaits = awaited && !e->restores;
        note_mode(e);
        if (e->restores)
            put_restore(e, awaited);
    }
    *out = e->queue[e->queue_at++];
    return 1;
}
