/* What all readers say alike: the limit on text, the range of pages, the beginning of one, a
 * failure. */
#include "worker/office/office.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "worker/office/figures.h"

#define MAX_TITLE 200
#define MAX_NAMES_SHOWN 300

int64_t rf_office_max_text(const struct rf_ask *ask)
{
    int64_t max = rf_ask_int(ask, "max_text", 0);
    return max > 0 && max < RF_OFFICE_MAX_TEXT ? max : RF_OFFICE_MAX_TEXT;
}

bool rf_office_range(const struct rf_ask *ask, int64_t count, struct rf_office_range *out,
                     struct rf_answer *to)
{
    int64_t first = rf_ask_int(ask, "first", 1), last = rf_ask_int(ask, "last", 0);

    if (rf_ask_is(ask, "op", "media")) /* those are pictures */
        first = 1, last = 0;
    if (first > 1 && first > count) {
        rf_answer_fact(to, "pages", "%lld", (long long)count);
        rf_answer_fail(to, RF_EUSAGE, "Pages are counted from 1.",
                       "page %lld is after the last one, which is %lld", (long long)first,
                       (long long)count);
        return false;
    }
    first = first > 1 ? first - 1 : 0;
    if (last <= 0 || last > count)
        last = count;
    *out = (struct rf_office_range){ first, last > first ? last : first };
    return true;
}

bool rf_office_sheets(const struct rf_ask *ask, const struct rf_str *names, size_t count,
                      struct rf_office_range *out, struct rf_answer *to)
{
    struct rf_str wanted = rf_ask_str(ask, "sheet");
    struct rf_buf all;

    if (!wanted.n)
        return rf_office_range(ask, (int64_t)count, out, to);
    rf_buf_init(&all, ask->arena, MAX_NAMES_SHOWN);
    for (size_t i = 0; i < count; i++) {
        if (rf_str_ieq(names[i], wanted)) {
            *out = (struct rf_office_range){ (int64_t)i, (int64_t)i + 1 };
            return true;
        }
        rf_buf_addf(&all, "%s\"%.*s\"", i ? ", " : "", RF_FMT(names[i]));
    }
    rf_answer_fail(to, RF_EUSAGE, "", "there is no sheet \"%.*s\"; there are %.*s", RF_FMT(wanted),
                   (int)all.n, all.p ? all.p : "");
    return false;
}

void rf_office_page(struct rf_figures *pictures, int64_t page, struct rf_str title)
{
    char clean[MAX_TITLE + 1];

    if (pictures->only)
        return;
    title = rf_utf8_cut(rf_str_trim(title), MAX_TITLE);
    if (title.n)
        memcpy(clean, title.p, title.n);
    clean[title.n] = '\0';
    rf_clean_controls(clean);
    if (title.n)
        rf_answer_part(pictures->to, "kind=text\npage=%lld\ntitle=%s\n", (long long)page, clean);
    else
        rf_answer_part(pictures->to, "kind=text\npage=%lld\n", (long long)page);
}

void rf_office_fail(struct rf_answer *to, const struct rf_err *err)
{
    rf_answer_fail(to, err->code, err->hint, "%s", err->msg);
}
