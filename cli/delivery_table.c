#include "delivery_table.h"

#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "report.h"
#include "text.h"

int64_t rf_delivery_price(struct rf_model *m, int64_t tokens)
{
    double dollars = 0; /* for a million */
    for (size_t i = 0; i < rf_fact_count(); i++)
        if (strcmp(rf_fact_name(i), "price_input") == 0) {
            char *value = rf_text_copy(rf_model_fact(m, i));
            dollars = strtod(value, NULL);
            free(value);
        }
    return dollars > 0 && tokens >= 0 ? (int64_t)((double)tokens * dollars + 0.5) : -1;
}

static int64_t tokens_of(const struct rf_request *r)
{
    int64_t sum = 0;
    for (size_t i = 0; i < rf_report_count(r); i++)
        sum += rf_report_tokens(r, i) > 0 ? rf_report_tokens(r, i) : 0;
    return sum;
}

/* "~1,334 tokens, $0.0040" */
static void print_cost(struct rf_model *m, int64_t tokens)
{
    char number[RF_SHORT_TEXT], money[RF_COST_MONEY];
    int64_t price = rf_delivery_price(m, tokens);
    if (tokens >= 0)
        printf("~%s token%s", rf_number_text(tokens, number), tokens == 1 ? "" : "s");
    if (price >= 0)
        printf(", %s", rf_cost_money(price, money));
}

/* What it is sent as, as people call it; until the next call. */
static struct rf_str sent_as(const struct rf_request *r, size_t i)
{
    static char words[200];
    return rf_text(rf_types_in_words(rf_report_as(r, i), words, sizeof words));
}

/* The longest of the names, or of what they are sent as. */
static int widest(const struct rf_request *r,
                  struct rf_str (*text)(const struct rf_request *r, size_t i))
{
    int width = 0, most = rf_text_columns() / 3;
    for (size_t i = 0; i < rf_report_count(r); i++) {
        int cells = rf_text_cells(text(r, i));
        width = cells > width ? cells : width;
    }
    return width < most ? width : most;
}

static void print_cell(struct rf_str text, int width)
{
    int used = rf_print_cut(stdout, text, width);
    printf("%*s  ", width - used, "");
}

/* "lost: pages 21-120; groq takes no documents", under its row; that a text goes among the words
 * rather than as a file needs no reason. */
static void print_why(const struct rf_request *r, size_t i)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    bool all_its_text = rf_report_delivery(r, i) == RF_DELIVERY_TEXT &&
                        rf_report_form(r, i) == RF_FORM_ORIGINAL && !rf_report_lost_count(r, i);
    struct rf_str reason = all_its_text ? rf_text("") : rf_report_reason(r, i);
    if (!out)
        abort();
    for (size_t k = 0; k < rf_report_lost_count(r, i); k++)
        fprintf(out, "%s%.*s", k ? ", " : "lost: ", RF_FMT(rf_report_lost(r, i, k)));
    if (reason.n)
        fprintf(out, "%s%.*s", rf_report_lost_count(r, i) ? "; " : "", RF_FMT(reason));
    if (fclose(out) != 0)
        abort();
    if (n) {
        char *words = rf_text_types((struct rf_str){ text, n });
        rf_print_wrapped(stdout, rf_text(words), 6, rf_text_columns(), 0);
        free(words);
    }
    free(text);
}

void rf_delivery_rows(struct rf_model *m, const struct rf_request *r)
{
    int names = widest(r, rf_report_name), kinds = widest(r, sent_as);
    for (size_t i = 0; i < rf_report_count(r); i++) {
        fputs("  ", stdout);
        print_cell(rf_report_name(r, i), names);
        printf("%-8s  %-15s  ", rf_delivery_name(rf_report_delivery(r, i)),
               rf_form_name(rf_report_form(r, i)));
        print_cell(sent_as(r, i), kinds);
        print_cost(m, rf_report_tokens(r, i));
        putchar('\n');
        print_why(r, i);
    }
}

void rf_delivery_table(const char *name, struct rf_model *m, const struct rf_request *r)
{
    rf_print_text(stdout, rf_text(name));
    fputs(": ", stdout);
    print_cost(m, tokens_of(r));
    putchar('\n');
    rf_delivery_rows(m, r);
}
