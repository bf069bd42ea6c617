#include "worker/archive/list.h"

#include "base/num.h"

#include <inttypes.h>
#include <time.h>

#define MAX_LISTED 20000
#define MAX_TEXT ((size_t)40 << 20) /* that many names and links */
#define LAST_YEAR 3000

void rf_list_init(struct rf_list *l, const struct rf_ask *ask)
{
    *l = (struct rf_list){ .arena = ask->arena };
    rf_buf_init(&l->lines, ask->arena, MAX_TEXT);
}

void rf_list_add(struct rf_list *l, const struct rf_member *m)
{
    char date[32] = "                ";
    time_t when = (time_t)m->time;
    struct tm tm = { 0 };
    uint64_t size = m->size > 0 ? (uint64_t)m->size : 0;

    l->files += !m->folder;
    l->folders += m->folder;
    if (__builtin_add_overflow(l->bytes, m->folder ? 0 : size, &l->bytes))
        l->bytes = UINT64_MAX;
    if (l->files + l->folders > MAX_LISTED)
        return;
    struct rf_str shown = m->size < 0 ? RF_STR("?") : rf_with_commas(size, l->arena);
    if (m->time > 0 && gmtime_r(&when, &tm) && tm.tm_year + 1900 < LAST_YEAR)
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", &tm);
    rf_buf_addf(&l->lines, "%14.*s  %s  %.*s%s%.*s%s\n", RF_FMT(shown), date, RF_FMT(m->name),
                m->link.n ? " -> " : "", RF_FMT(m->link), m->remark);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void rf_list_send(const struct rf_list *l, struct rf_str what, struct rf_answer *to)
{
    uint64_t total = l->files + l->folders;

    rf_answer_fact(to, "files", "%" PRIu64, l->files);
    rf_answer_fact(to, "unpacked_bytes", "%" PRIu64, l->bytes);
    rf_answer_part(to, "kind=text\npage=1\n");
    rf_answer_text(to,
                   rf_strf(l->arena, "%.*s: %.*s file%s, %.*s folder%s, %.*s bytes unpacked\n\n",
                           RF_FMT(what), RF_FMT(rf_with_commas(l->files, l->arena)),
                           plural(l->files), RF_FMT(rf_with_commas(l->folders, l->arena)),
                           plural(l->folders), RF_FMT(rf_with_commas(l->bytes, l->arena))));
    rf_answer_text(to, (struct rf_str){ l->lines.n ? l->lines.p : "", l->lines.n });
    if (total > MAX_LISTED)
        rf_answer_note(to, "only the first %d of %" PRIu64 " members are listed", MAX_LISTED,
                       total);
}
