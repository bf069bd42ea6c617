#include "safe_output.h"

#include <string.h>

#include "report.h"

static void print_run(struct rf_safe_output *a, struct rf_str s)
{
    if (!s.n)
        return;
    if (!a->open && a->front)
        fputs(a->front, a->out);
    rf_print_text(a->out, s);
    a->open = true;
}

static void print(struct rf_safe_output *a, struct rf_str s)
{
    size_t at = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool line = s.p[i] == '\n';
        bool dropped = i + 1 < s.n && s.p[i] == '\r' && s.p[i + 1] == '\n';
        if (!line && !dropped && s.p[i] != '\t')
            continue;
        print_run(a, (struct rf_str){ s.p + at, i - at });
        if (!dropped)
            fputc(s.p[i], a->out);
        a->open = !line && (a->open || !dropped);
        at = i + 1;
    }
    print_run(a, (struct rf_str){ s.p + at, s.n - at });
}

/* How many bytes a character has that begins so; 1 for what begins none. */
static size_t length(unsigned char first)
{
    return first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
}

/* Where the bytes begin that are not a whole character yet, or a carriage return that something may
 * follow. */
static size_t whole(struct rf_str s)
{
    if (s.n && s.p[s.n - 1] == '\r')
        return s.n - 1;
    for (size_t back = 1; back <= 3 && back <= s.n; back++) {
        unsigned char c = (unsigned char)s.p[s.n - back];
        if (c >= 0xc2 && length(c) > back)
            return s.n - back;
        if (c < 0x80 || c >= 0xc2)
            break;
    }
    return s.n;
}

/* Put bytes to the rest until it is whole. Returns how many were used. */
static size_t fill(struct rf_safe_output *a, struct rf_str piece)
{
    size_t used = 0;
    while (a->rest_count && used < piece.n && a->rest_count < sizeof a->rest) {
        struct rf_str so_far;
        a->rest[a->rest_count++] = piece.p[used++];
        so_far = (struct rf_str){ a->rest, a->rest_count };
        if (whole(so_far) == so_far.n) {
            print(a, so_far);
            a->rest_count = 0;
        }
    }
    return used;
}

void rf_safe_output_add(struct rf_safe_output *a, struct rf_str piece)
{
    size_t used = fill(a, piece);
    piece = (struct rf_str){ piece.p + used, piece.n - used };
    if (!piece.n)
        return;
    size_t n = whole(piece);
    print(a, (struct rf_str){ piece.p, n });
    a->rest_count = piece.n - n;
    memcpy(a->rest, piece.p + n, a->rest_count);
}

void rf_safe_output_end(struct rf_safe_output *a)
{
    if (a->rest_count)
        print(a, (struct rf_str){ a->rest, a->rest_count });
    a->rest_count = 0;
    if (a->open)
        fputc('\n', a->out);
    a->open = false;
}
