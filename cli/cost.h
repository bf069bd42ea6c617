/* What answers cost, for people: millionths of a US dollar as "$0.0031", and their sum.
 *
 *     rf_cost_add(&cost, e->cost_micros);
 *     if (rf_cost_sum(&cost) >= 0) puts(rf_cost_money(rf_cost_sum(&cost), out));
 */
#ifndef RF_CLI_COST_H
#define RF_CLI_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A sum is known where each of its parts is, and there is one. */
struct rf_cost {
    int64_t micros;
    bool any, unknown; /* something was added; of something it is unknown */
};

/* `micros` is -1 where it is unknown. */
void rf_cost_add(struct rf_cost *c, int64_t micros);
/* Millionths of a dollar, or -1. */
int64_t rf_cost_sum(const struct rf_cost *c);

#define RF_COST_MONEY 32
/* "$12.40", "$0.0031", "<$0.0001"; "$0" for nothing. */
const char *rf_cost_money(int64_t micros, char out[RF_COST_MONEY]);
/* For programs: dollars such as 0.003100, or null. */
void rf_cost_json(FILE *out, int64_t micros);

#endif
