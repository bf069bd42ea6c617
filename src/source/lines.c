#include "source/lines.h"

#include "base/arena.h"
#include "base/json_escape.h"
#include "base/utf8.h"
#include "source/base64_text.h"
#include "source/lift.h"

#include <inttypes.h>

#define SAMPLE ((size_t)8 << 10) /* bytes that tell what ends a line */
#define ROOM 160 /* for the number of a line, and for the words about what was cut */

void rf_lines_init(struct rf_lines *l, const struct rf_window *window, struct rf_arena *a)
{
    *l = (struct rf_lines){ .window = *window, .arena = a, .line = 1 };
    if (l->window.max_line > l->window.max_bytes)
        l->window.max_line = l->window.max_bytes;
    if (l->window.first < 1)
        l->window.first = 1;
    if (window->by_bytes && window->byte_limit && (uint64_t)window->byte_limit < window->max_bytes)
        l->window.max_bytes = (size_t)window->byte_limit;
    rf_buf_init(&l->sample, a, SAMPLE);
    rf_buf_init(&l->head, a, l->window.max_line);
    rf_buf_init(&l->out, a, l->window.max_bytes + l->window.max_line + ROOM + l->window.before.n);
}

bool rf_lines_only_count(const struct rf_lines *l)
{
    const struct rf_window *w = &l->window;
    if (w->by_bytes)
        return false;
    return l->full || l->line < w->first || (w->limit && l->line - w->first >= w->limit);
}

/* How many bytes of the line are left, and the call that begins with them. */
static void say_cut(struct rf_lines *l, size_t shown)
{
    const struct rf_window *w = &l->window;
    rf_buf_addf(&l->out, " [%" PRIu64 " more bytes in this line", l->line_n - shown);
    if (w->byte_name)
        rf_buf_addf(&l->out, ": read on with %.*s%s=%" PRIu64, RF_FMT(w->before), w->byte_name,
                    l->fed - l->line_n + shown);
    rf_buf_addc(&l->out, ']');
}

/* The front of it that is within the limit when it is escaped. */
static struct rf_str within(const struct rf_lines *l, struct rf_str s)
{
    size_t most = l->window.max_escaped;
    return most ? rf_json_escaped_front(s, most) : s;
}

/* One line does in any case. */
static bool fits(const struct rf_lines *l, struct rf_str line)
{
    const struct rf_window *w = &l->window;
    return !l->out.n ||
           (l->out.n + line.n + 1 <= w->max_bytes &&
            (!w->max_escaped || l->escaped + rf_json_escaped_length(line) + 2 <= w->max_escaped));
}

/* Between the numbers of its lines a wrapped file is not found later on. */
static bool is_line_of_file(struct rf_lines *l, struct rf_str line)
{
    bool was = l->watch.is_file;
    if (!l->window.numbered)
        return false;
    rf_lift_watch(&l->watch, line);
    rf_lift_watch(&l->watch, RF_STR("\n"));
    line = rf_str_trim(line);
    return l->watch.is_file || (was && rf_base64_run(line) == line.n);
}

static void put_line(struct rf_lines *l, struct rf_str line, bool cut, size_t shown)
{
    if (l->window.numbered)
        rf_buf_addf(&l->out, "%6" PRId64 "\t", l->line);
    rf_buf_add(&l->out, line);
    if (cut)
        say_cut(l, shown);
    rf_buf_addc(&l->out, '\n');
    l->escaped += l->window.max_escaped ? rf_json_escaped_length(line) + 2 : 0;
}

static void show(struct rf_lines *l)
{
    struct rf_str head = { l->head.p, l->head.n };
    bool cut = l->line_n > l->head.n, in_file = l->in_file;
    if (cut)
        head.n = rf_utf8_valid(head);
    if (!cut && rf_str_ends(head, "\r"))
        head.n--;
    cut |= within(l, head).n < head.n;
    head = within(l, head);
    l->in_file = is_line_of_file(l, head);
    struct rf_str line = l->in_file ? RF_STR(RF_LIFT_WORDS)
                         : cut      ? rf_lift_cut(head, l->arena)
                                    : head;
    if (!fits(l, line)) {
        l->full = true;
        return;
    }
    if (!in_file || !l->in_file)
        put_line(l, line, cut, head.n);
    l->cut += cut;
    l->shown_first = l->shown_first ? l->shown_first : l->line;
    l->shown_last = l->line;
    l->next_byte = (int64_t)l->fed + 1;
}

static void end_line(struct rf_lines *l)
{
    if (!rf_lines_only_count(l))
        show(l);
    l->line++;
    l->line_n = 0;
    l->head.n = 0;
}

static void add(struct rf_lines *l, struct rf_str part)
{
    size_t room = l->window.max_line - l->head.n;
    size_t take = part.n < room ? part.n : room;
    if (take && !rf_lines_only_count(l))
        rf_buf_add(&l->head, (struct rf_str){ part.p, take });
    l->line_n += part.n;
    l->fed += part.n;
}

static void add_bytes(struct rf_lines *l, struct rf_str piece)
{
    uint64_t first = (uint64_t)l->window.first_byte;
    size_t room = l->window.max_bytes + RF_UTF8_SLACK - l->out.n;
    uint64_t skip = first > l->fed ? first - l->fed : 0;
    rf_lift_watch(&l->watch, (struct rf_str){ piece.p, skip < piece.n ? (size_t)skip : piece.n });
    if (skip < piece.n) {
        size_t n = piece.n - (size_t)skip;
        rf_buf_add(&l->out, (struct rf_str){ piece.p + skip, n < room ? n : room });
    }
    l->fed += piece.n;
}

static void split(struct rf_lines *l, struct rf_str piece)
{
    const char *unwatched = piece.p;
    while (piece.n) {
        bool before = l->line < l->window.first;
        const char *feed = memchr(piece.p, l->end, piece.n);
        size_t n = feed ? (size_t)(feed - piece.p) : piece.n;
        add(l, (struct rf_str){ piece.p, n });
        if (feed)
            end_line(l);
        l->fed += feed != NULL;
        n += feed != NULL;
        piece = (struct rf_str){ piece.p + n, piece.n - n };
        if (before && (!piece.n || l->line == l->window.first))
            rf_lift_watch(&l->watch, (struct rf_str){ unwatched, (size_t)(piece.p - unwatched) });
    }
}

static bool has(const struct rf_buf *b, char c)
{
    size_t n = b->n - (b->n == SAMPLE); /* a return at the very end may be half of an end */
    return n && memchr(b->p, c, n);
}

static void begin(struct rf_lines *l)
{
    l->end = has(&l->sample, '\r') && !has(&l->sample, '\n') ? '\r' : '\n';
    split(l, (struct rf_str){ l->sample.p, l->sample.n });
}

/* Lines end in a return where the beginning has those alone, however it comes in pieces. */
void rf_lines_feed(struct rf_lines *l, struct rf_str piece)
{
    if (l->window.by_bytes) {
        add_bytes(l, piece);
        return;
    }
    if (!l->end && piece.n) {
        size_t room = SAMPLE - l->sample.n, n = piece.n < room ? piece.n : room;
        rf_buf_add(&l->sample, (struct rf_str){ piece.p, n });
        piece = (struct rf_str){ piece.p + n, piece.n - n };
        if (l->sample.n == SAMPLE || has(&l->sample, '\n'))
            begin(l);
    }
    split(l, piece);
}

static void end_bytes(struct rf_lines *l)
{
    struct rf_str shown = within(l, rf_utf8_inner(l->text, l->window.max_bytes));
    l->shown_first = l->window.first_byte + (shown.p - l->text.p);
    l->shown_last = l->shown_first + (int64_t)shown.n;
    l->total = (int64_t)l->fed;
    l->text = shown;
}

void rf_lines_end(struct rf_lines *l)
{
    if (!l->end)
        begin(l);
    if (l->line_n)
        end_line(l);
    l->total = l->line - 1;
    if (rf_buf_finish(&l->out, &l->text, NULL))
        RF_BUG("a window of lines is larger than its room");
    if (l->window.by_bytes)
        end_bytes(l);
    l->text = rf_lift_window(l->window.numbered ? NULL : &l->watch, l->text,
                             l->shown_last < l->total, l->arena);
}
