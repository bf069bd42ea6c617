/* Fences as CommonMark has them: three or more '`' or '~' after up to three spaces, or after those
 * of a list; a fence of '`' has none after it in its line. Code that is only indented is none: half
 * of all lists would be. */
#include "code_block.h"

#include <string.h>

struct fence {
    char mark;
    size_t indent, count;
};

static struct rf_str next_line(struct rf_str *rest)
{
    const char *end = memchr(rest->p, '\n', rest->n);
    struct rf_str line = { rest->p, end ? (size_t)(end - rest->p) : rest->n };
    *rest = (struct rf_str){ rest->p + line.n + !!end, rest->n - line.n - !!end };
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

static size_t spaces(struct rf_str s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] == ' ')
        n++;
    return n;
}

static struct fence read_fence(struct rf_str line)
{
    struct fence f = { .indent = spaces(line) };
    f.mark = f.indent < line.n ? line.p[f.indent] : '\0';
    while (f.indent + f.count < line.n && line.p[f.indent + f.count] == f.mark)
        f.count++;
    if ((f.mark != '`' && f.mark != '~') || f.count < 3)
        f.count = 0;
    return f;
}

static bool opens(struct rf_str line, const struct fence *f)
{
    size_t at = f->indent + f->count;
    return f->count && (f->mark == '~' || !memchr(line.p + at, '`', line.n - at));
}

static bool closes(struct rf_str line, const struct fence *open)
{
    struct fence f = read_fence(line);
    size_t at = f.indent + f.count;
    return f.count >= open->count && f.mark == open->mark &&
           at + spaces((struct rf_str){ line.p + at, line.n - at }) == line.n;
}

bool rf_code_block(struct rf_str text, struct rf_buffer *out)
{
    struct fence open = { 0 };
    bool found = false;
    while (text.n) {
        struct rf_str line = next_line(&text);
        if (!found) {
            open = read_fence(line);
            found = opens(line, &open);
            continue;
        }
        if (closes(line, &open))
            break;
        size_t indent = spaces(line) < open.indent ? spaces(line) : open.indent;
        rf_buffer_add(out, line.p + indent, line.n - indent);
        rf_buffer_text(out, "\n");
    }
    return found;
}
