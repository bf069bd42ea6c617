/* What became of the files of a request, as a table: a row a file, and below it what is lost, and
 * why. */
#ifndef CLI_DELIVERY_TABLE_H
#define CLI_DELIVERY_TABLE_H

#include <refract/refract.h>

/* `name` is the model's, as people call it. */
void rf_delivery_table(const char *name, struct rf_model *m, const struct rf_request *r);

/* The rows alone. */
void rf_delivery_rows(struct rf_model *m, const struct rf_request *r);

/* Millionths of a dollar for so many tokens that it reads; -1: not known. */
int64_t rf_delivery_price(struct rf_model *m, int64_t tokens);

#endif
