#include "plan/pieces.h"

#include "base/arena.h"
#include "base/json_escape.h"
#include "base/utf8.h"
#include "source/read_limits.h"

#define LEAST_PIECE ((size_t)1000) /* bytes */
#define MOST_PIECES ((size_t)500)  /* of a text without pages */
#define LINE_WORDS 200             /* after a line that a tool has cut, how to go on in it */
#define USUAL_TEXT 40960           /* bytes of a request, where no limit is known */

/* At the end of a line where one ends in the second half of the piece, else within it. */
static size_t cut(struct rf_str text, size_t from, size_t length)
{
    if (text.n - from <= length)
        return text.n;
    size_t half = from + length / 2;
    const char *line = memrchr(text.p + half, '\n', length - length / 2);
    if (line)
        return (size_t)(line + 1 - text.p);
    struct rf_str rest = { text.p + from, text.n - from };
    return from + rf_utf8_cut(rest, length).n;
}

static struct rf_pieces by_lines(struct rf_str text, struct rf_arena *a)
{
    size_t length = text.n / MOST_PIECES + 1, count = 0;
    length = length < LEAST_PIECE ? LEAST_PIECE : length;
    struct rf_text_piece *list = RF_ARRAY(a, struct rf_text_piece, 2 * (text.n / length) + 2);
    for (size_t at = 0; at < text.n; at = list[count++].end)
        list[count] = (struct rf_text_piece){ .end = cut(text, at, length) };
    return (struct rf_pieces){ text, list, count };
}

static struct rf_str said_before(const struct rf_decision *d)
{
    const struct rf_media *m = &d->part->asset->block->media;
    return !rf_str_blank(m->extracted_text) ? m->extracted_text
           : !rf_str_blank(m->transcript)   ? m->transcript
                                            : RF_STR("");
}

struct rf_str rf_decision_text(const struct rf_decision *d)
{
    struct rf_str said = said_before(d);
    return d->kept || !said.n ? d->text : said;
}

struct rf_pieces rf_pieces_of(const struct rf_decision *d, struct rf_arena *a)
{
    struct rf_str said = said_before(d);
    if (said.n)
        return by_lines(said, a);
    if (d->made && d->made->piece_count > 1)
        return (struct rf_pieces){ d->made->text, d->made->pieces, d->made->piece_count };
    return by_lines(d->kept ? d->made->text : d->text, a);
}

/* The rest is for what is said of the pages. */
int64_t rf_text_along_most(const struct rf_caps *c)
{
    return (c->max_text_bytes ? c->max_text_bytes : USUAL_TEXT) / 4 * 3;
}

struct rf_str rf_text_along(const struct rf_decision *d, const struct rf_plan *p)
{
    const struct rf_caps *c = &p->model->caps;
    if (!c->page_text || !rf_decision_is_sent(d) || d->recipe.make != RF_MAKE_PAGE_PICTURES)
        return RF_STR("");
    int64_t most = rf_text_share(rf_text_along_most(c), p->decision_count) + LINE_WORDS;
    return rf_json_escaped_front(said_before(d), (uint64_t)most);
}

struct rf_str rf_pieces_front(const struct rf_pieces *p, size_t count)
{
    return count < p->count ? (struct rf_str){ p->text.p, count ? p->list[count - 1].end : 0 }
                            : p->text;
}
