/* A JSON Schema in short: the fields of an object, as in "vendor, date date, total number".
 *
 *     name                   a string
 *     name TYPE              string (str), int, number (float), bool or date
 *     name TYPE[]            a list of them; "name[]" is a list of strings
 *     name TYPE: what it is  for the model
 *
 * Between fields stand commas, or, where there is a line feed, line feeds: then what a field is may
 * have commas. All fields are required, and there are no others. It is the notation of llm
 * (https://llm.datasette.io/en/stable/schemas.html) with dates and lists.
 *
 * It refuses objects inside of objects: those are for a file. */
#ifndef RF_CLI_SHORT_SCHEMA_H
#define RF_CLI_SHORT_SCHEMA_H

#include <refract/error.h>
#include <refract/str.h>

/* The schema as JSON, for the caller to free. Fails with RF_EUSAGE, naming the field. */
enum rf_code rf_short_schema(const char *text, struct rf_str *out, struct rf_err *err);

#endif
