/* refract sessions list: a line for each session. The rows are gathered first, so that the columns
 * are as wide as they have to be. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "sessions.h"
#include "text.h"

#define LIMIT_MOST 1000000000
#define MODEL 4 /* columns, counted from 0 */
#define TITLE 5
#define MODEL_CELLS 40
#define LEAST_TITLE 16   /* cells of a title, on a terminal that is wide enough */
#define END_OF_CELL 0x1f /* a model whose name holds one spoils its own row */

struct table {
    char **rows; /* cells with END_OF_CELL between them */
    size_t count, cap;
    int widths[TITLE];
    size_t columns; /* before the title that are shown: a narrow terminal has no room for all */
    bool has_title;
    int title_cells; /* what is left of a terminal's line; 0: titles are not cut */
};

static const char heads[] = "ID\x1f"
                            "CHANGED\x1f"
                            "MESSAGES\x1f"
                            "FILES\x1f"
                            "MODEL\x1f"
                            "TITLE";

static void member(const char *name, struct rf_str text)
{
    printf(",\"%s\":", name);
    if (text.n)
        rf_print_json(stdout, text);
    else
        fputs("null", stdout);
}

static void print_as_json(void *ctx, const struct rf_session_info *info)
{
    char created[RF_SHORT_TEXT], updated[RF_SHORT_TEXT];
    (void)ctx;
    fputs("{\"id\":", stdout);
    rf_print_json(stdout, info->id);
    member("title", info->title);
    printf(",\"created\":\"%s\",\"updated\":\"%s\"", rf_time_json(info->created_ms, created),
           rf_time_json(info->updated_ms, updated));
    printf(",\"messages\":%lld,\"files\":%lld,\"input_tokens\":%lld,\"output_tokens\":%lld",
           (long long)info->messages, (long long)info->files, (long long)info->input_tokens,
           (long long)info->output_tokens);
    member("provider", info->provider);
    member("model", info->model);
    member("parent", info->parent);
    printf(",\"parent_messages\":%lld", (long long)info->parent_messages);
    member("owner", info->owner);
    fputs("}\n", stdout);
}

static void gather(void *ctx, const struct rf_session_info *info)
{
    struct table *t = ctx;
    char age[RF_SHORT_TEXT];
    if (t->count == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 64;
        t->rows = reallocarray(t->rows, t->cap, sizeof *t->rows);
        if (!t->rows)
            abort();
    }
    if (asprintf(&t->rows[t->count++], "%.*s\x1f%s\x1f%lld\x1f%lld\x1f%.*s%s%.*s\x1f%.*s",
                 RF_FMT(info->id), info->owner.n ? "in use" : rf_age_text(info->updated_ms, age),
                 (long long)info->messages, (long long)info->files, RF_FMT(info->provider),
                 info->model.n ? ":" : "-", RF_FMT(info->model), RF_FMT(info->title)) < 0)
        abort();
}

static struct rf_str cut_cell(struct rf_str *row)
{
    const char *end = memchr(row->p, END_OF_CELL, row->n);
    struct rf_str cell = { row->p, end ? (size_t)(end - row->p) : row->n };
    size_t n = cell.n + (end != NULL);
    *row = (struct rf_str){ row->p + n, row->n - n };
    return cell;
}

static void widen(struct table *t, struct rf_str row)
{
    for (size_t c = 0; c < TITLE; c++) {
        int cells = rf_text_cells(cut_cell(&row));
        if (cells > t->widths[c])
            t->widths[c] = cells;
    }
}

static void measure(struct table *t)
{
    int left = isatty(STDOUT_FILENO) ? rf_text_columns() : 0;
    widen(t, rf_text(heads));
    for (size_t i = 0; i < t->count; i++)
        widen(t, rf_text(t->rows[i]));
    if (t->widths[MODEL] > MODEL_CELLS)
        t->widths[MODEL] = MODEL_CELLS;
    for (size_t c = 0; c < TITLE; c++)
        left -= t->widths[c] + 2;
    t->columns = TITLE;
    if (isatty(STDOUT_FILENO))
        for (; t->columns > 1 && left < LEAST_TITLE; left += t->widths[t->columns] + 2)
            t->columns--;
    t->title_cells = left > 1 ? left : 0;
    t->has_title = left > 1 || !isatty(STDOUT_FILENO);
}

static void print_row(const struct table *t, struct rf_str row)
{
    for (size_t c = 0; c < TITLE; c++) {
        struct rf_str cell = cut_cell(&row);
        if (c < t->columns) {
            int used = rf_print_cut(stdout, cell, t->widths[c]);
            printf("%*s", t->widths[c] - used + 2, "");
        }
    }
    if (t->title_cells)
        rf_print_cut(stdout, row, t->title_cells);
    else if (t->has_title)
        rf_print_text(stdout, row);
    putchar('\n');
}

static void print_table(struct table *t)
{
    measure(t);
    print_row(t, rf_text(heads));
    for (size_t i = 0; i < t->count; i++)
        print_row(t, rf_text(t->rows[i]));
}

static void release(struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->rows[i]);
    free(t->rows);
}

enum rf_code rf_sessions_list(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    struct table t = { 0 };
    int64_t limit;
    enum rf_code rc = rf_sessions_number(args, RF_SESSIONS_LIMIT, LIMIT_MOST, 0, &limit, err);
    if (rc)
        return rc;
    rc = rf_store_list(s->store, (size_t)limit, args->json ? print_as_json : gather, &t, err);
    if (!rc && t.count)
        print_table(&t);
    else if (!rc && !args->json)
        fputs("note: there are no sessions yet\n", stderr);
    release(&t);
    return rc;
}
