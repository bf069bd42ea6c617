#include "source/lines.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <inttypes.h>

#define ROOM 64 /* for the number of a line, and for the words about what was cut */

void rf_lines_init(struct rf_lines *l, const struct rf_window *window, struct rf_arena *a)
{
    *l = (struct rf_lines){ .window = *window, .line = 1 };
    if (l->window.max_line > l->window.max_bytes)
        l->window.max_line = l->window.max_bytes;
    if (l->window.first < 1)
        l->window.first = 1;
    rf_buf_init(&l->head, a, l->window.max_line);
    rf_buf_init(&l->out, a, l->window.max_bytes + l->window.max_line + ROOM);
}

bool rf_lines_only_count(const struct rf_lines *l)
{
    const struct rf_window *w = &l->window;
    return l->full || l->line < w->first || (w->limit && l->line - w->first >= w->limit);
}

static void show(struct rf_lines *l)
{
    struct rf_str head = { l->head.p, l->head.n };
    bool cut = l->line_n > l->head.n;
    if (cut)
        head.n = rf_utf8_valid(head);
    if (!cut && rf_str_ends(head, "\r"))
        head.n--;
    if (l->out.n && l->out.n + head.n + 1 > l->window.max_bytes) {
        l->full = true;
        return;
    }
    if (l->window.numbered)
        rf_buf_addf(&l->out, "%6" PRId64 "\t", l->line);
    rf_buf_add(&l->out, head);
    if (cut)
        rf_buf_addf(&l->out, " [%" PRIu64 " more bytes in this line]", l->line_n - head.n);
    rf_buf_addc(&l->out, '\n');
    l->cut += cut;
    l->shown_first = l->shown_first ? l->shown_first : l->line;
    l->shown_last = l->line;
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
}

void rf_lines_feed(struct rf_lines *l, struct rf_str piece)
{
    while (piece.n) {
        const char *feed = memchr(piece.p, '\n', piece.n);
        size_t n = feed ? (size_t)(feed - piece.p) : piece.n;
        add(l, (struct rf_str){ piece.p, n });
        if (feed)
            end_line(l);
        n += feed != NULL;
        piece = (struct rf_str){ piece.p + n, piece.n - n };
    }
}

void rf_lines_end(struct rf_lines *l)
{
    if (l->line_n)
        end_line(l);
    l->total = l->line - 1;
    if (rf_buf_finish(&l->out, &l->text, NULL))
        RF_BUG("a window of lines is larger than its room");
}
