#include "sim/multipart.h"

#include <string.h>

static struct rf_str unquoted(struct rf_str s)
{
    s = rf_str_trim(s);
    if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
        s = (struct rf_str){ s.p + 1, s.n - 2 };
    return s;
}

/* A parameter of a header: `name="value"`. */
static struct rf_str parameter(struct rf_str header, const char *name)
{
    struct rf_str piece, key;
    while (rf_str_split(&header, ';', &piece)) {
        struct rf_str value = rf_str_trim(piece);
        if (rf_str_split(&value, '=', &key) && rf_str_ieq(key, rf_str(name)))
            return unquoted(value);
    }
    return RF_STR("");
}

struct rf_str rf_sim_multipart_boundary(const char *content_type)
{
    struct rf_str s = rf_str(content_type ? content_type : "");
    return rf_str_starts(s, "multipart/form-data") ? parameter(s, "boundary") : RF_STR("");
}

/* Where "--boundary" begins in `s`; its length where it is not there. */
static size_t find_boundary(struct rf_str s, struct rf_str boundary)
{
    for (size_t i = 0; i + 2 + boundary.n <= s.n; i++) {
        const char *dashes = memmem(s.p + i, s.n - i, "--", 2);
        if (!dashes)
            return s.n;
        i = (size_t)(dashes - s.p);
        if (i + 2 + boundary.n <= s.n && memcmp(dashes + 2, boundary.p, boundary.n) == 0)
            return i;
    }
    return s.n;
}

static void read_header(struct rf_str line, struct rf_sim_part *out)
{
    struct rf_str name;
    if (!rf_str_split(&line, ':', &name))
        return;
    if (rf_str_ieq(name, RF_STR("content-disposition"))) {
        out->name = parameter(line, "name");
        out->filename = parameter(line, "filename");
    } else if (rf_str_ieq(name, RF_STR("content-type"))) {
        out->mime = rf_str_trim(line);
    }
}

bool rf_sim_multipart_next(struct rf_str *rest, struct rf_str boundary, struct rf_sim_part *out)
{
    size_t at = find_boundary(*rest, boundary), skip = at + 2 + boundary.n;
    struct rf_str line;
    *out = (struct rf_sim_part){ 0 };
    if (at == rest->n || rest->n - skip < 2 || memcmp(rest->p + skip, "--", 2) == 0)
        return false;
    *rest = (struct rf_str){ rest->p + skip, rest->n - skip };
    rf_str_split(rest, '\n', &line);
    while (rf_str_split(rest, '\n', &line) && rf_str_trim(line).n > 0)
        read_header(rf_str_trim(line), out);
    size_t end = find_boundary(*rest, boundary);
    if (end == rest->n || end < 2)
        return false;
    out->content = (struct rf_str){ rest->p, end - 2 }; /* without the line's end before it */
    *rest = (struct rf_str){ rest->p + end, rest->n - end };
    return true;
}
