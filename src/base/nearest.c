/* Edits between two names: letters left out, put in, replaced, or two neighbours swapped. What
 * comes after the part of a name that was given costs nothing, so that "claude-sonet" is near
 * "claude-sonnet-4-5", but the less of it the better. Long names are not compared. */
#include "base/nearest.h"

#include "base/arena.h"
#include "base/buf.h"

#include <limits.h>

#define LONGEST 64
#define EDIT (LONGEST + 1) /* what an edit costs; a letter after the part that was given costs 1 */

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* What it costs to make `a` a beginning of `b`. Row i holds the edits from the first i letters of
 * `a` to each beginning of `b`; a swap looks two rows back. */
static unsigned cost(struct rf_str a, struct rf_str b)
{
    unsigned rows[3][LONGEST + 1];
    for (unsigned j = 0; j <= b.n; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a.n; i++) {
        unsigned *row = rows[i % 3], *up = rows[(i - 1) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b.n; j++) {
            bool same = rf_lower(a.p[i - 1]) == rf_lower(b.p[j - 1]);
            row[j] = min(up[j - 1] + !same, min(up[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
                row[j] = min(row[j], up2[j - 2] + 1);
        }
    }
    unsigned least = UINT_MAX;
    for (unsigned j = 0; j <= b.n; j++)
        least = min(least, rows[a.n % 3][j] * EDIT + (unsigned)b.n - j);
    return least;
}

void rf_nearest_init(struct rf_nearest *n, struct rf_str given)
{
    *n = (struct rf_nearest){ .given = given };
}

unsigned rf_nearest_edits(struct rf_str name, struct rf_str text, size_t *length)
{
    *length = 0;
    if (name.n > LONGEST || text.n > LONGEST)
        return UINT_MAX;
    unsigned found = cost(name, text);
    *length = text.n - found % EDIT;
    return found / EDIT;
}

static bool is_kept(const struct rf_nearest *n, struct rf_str name)
{
    for (size_t i = 0; i < n->count; i++)
        if (rf_str_eq(n->names[i], name))
            return true;
    return false;
}

void rf_nearest_offer_as(struct rf_nearest *n, struct rf_str as, struct rf_str name)
{
    if (!n->given.n || n->given.n > LONGEST || !as.n || as.n > LONGEST || is_kept(n, name))
        return;
    unsigned score = cost(n->given, as);
    /* Three letters with one of them wrong are near to anything. */
    if (score / EDIT > n->given.n / 5 + (n->given.n > 3))
        return;
    size_t at = n->count;
    while (at > 0 && n->scores[at - 1] > score)
        at--;
    if (at == RF_NEAREST_KEPT)
        return;
    if (n->count < RF_NEAREST_KEPT)
        n->count++;
    for (size_t i = n->count - 1; i > at; i--) {
        n->names[i] = n->names[i - 1];
        n->scores[i] = n->scores[i - 1];
    }
    n->names[at] = name;
    n->scores[at] = score;
}

void rf_nearest_offer(struct rf_nearest *n, struct rf_str name)
{
    rf_nearest_offer_as(n, name, name);
}

/* Is a name part of a family that stands before it, as "x-4-0*" is of "x-4*"? */
static bool is_part(const struct rf_nearest *n, size_t name)
{
    for (size_t i = 0; i < name; i++) {
        struct rf_str stem = n->names[i];
        if (!rf_str_ends(stem, "*"))
            continue;
        stem.n--;
        if (n->names[name].n > stem.n && memcmp(n->names[name].p, stem.p, stem.n) == 0)
            return true;
    }
    return false;
}

const char *rf_nearest_question(const struct rf_nearest *n, struct rf_arena *a)
{
    if (!n->count)
        return "";
    bool whole = n->scores[0] % EDIT == 0; /* beats all of which only the beginning is near */
    size_t count = 1;
    while (count < n->count && n->scores[count] / EDIT == n->scores[0] / EDIT &&
           (!whole || n->scores[count] % EDIT == 0) && !is_part(n, count))
        count++;
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, 4096);
    rf_buf_addf(&b, "Did you mean ");
    for (size_t i = 0; i < count; i++)
        rf_buf_addf(&b, "%s%.*s", !i ? "" : i + 1 < count ? ", " : " or ", RF_FMT(n->names[i]));
    rf_buf_addf(&b, "? ");
    return rf_buf_finish(&b, &text, NULL) ? "" : text.p;
}
