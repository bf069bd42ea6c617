#include "cost.h"

#include <inttypes.h>

#define DOLLAR INT64_C(1000000)
#define LEAST_SHOWN 100 /* a hundredth of a cent */

void rf_cost_add(struct rf_cost *c, int64_t micros)
{
    c->any = true;
    if (micros < 0 || __builtin_add_overflow(c->micros, micros, &c->micros))
        c->unknown = true;
}

int64_t rf_cost_sum(const struct rf_cost *c)
{
    return c->any && !c->unknown ? c->micros : -1;
}

const char *rf_cost_money(int64_t micros, char out[RF_COST_MONEY])
{
    if (micros <= 0)
        snprintf(out, RF_COST_MONEY, "$0");
    else if (micros < LEAST_SHOWN)
        snprintf(out, RF_COST_MONEY, "<$0.0001");
    else if (micros < DOLLAR)
        snprintf(out, RF_COST_MONEY, "$%.4f", (double)micros / (double)DOLLAR);
    else
        snprintf(out, RF_COST_MONEY, "$%.2f", (double)micros / (double)DOLLAR);
    return out;
}

void rf_cost_json(FILE *out, int64_t micros)
{
    if (micros < 0)
        fputs("null", out);
    else
        fprintf(out, "%" PRId64 ".%06" PRId64, micros / DOLLAR, micros % DOLLAR);
}
