/* What is said to the user: errors in two lines or as JSON, text that cannot steer a terminal. */
#ifndef RF_CLI_REPORT_H
#define RF_CLI_REPORT_H

#include <stdio.h>

#include <refract/error.h>
#include <refract/str.h>

/* Fill an error of the command line's own; then its hint. */
__attribute__((format(printf, 3, 4))) void rf_say(struct rf_err *err, enum rf_code code,
                                                  const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void rf_say_hint(struct rf_err *err, const char *fmt, ...);

/* Print "refract: MSG", then the hint, to standard error. Returns the exit status. */
int rf_report(const struct rf_err *err);
/* An error as {"error": {…}} on standard output. */
int rf_report_as_json(const struct rf_err *err);
/* Something that is worth saying and not wrong: "note: MSG", then the hint. */
void rf_report_note(const struct rf_err *note);
/* What follows "error": there. */
void rf_print_error(FILE *out, const struct rf_err *err);

/* The same for something that did not stop the command. Takes NULL. */
void rf_warn(const struct rf_err *problem);

/* Write out what is buffered. Returns `status`, or 1 where that fails: in silence when the reader
 * of a pipe has gone. */
int rf_report_end(int status);

/* Did whoever reads standard output go away? */
int rf_output_is_closed(void);

/* Bytes of the character that `s` begins with; 0 where there is none. */
size_t rf_character(struct rf_str s);

/* Control characters and marks that turn the direction of text become '?'. */
void rf_print_text(FILE *out, struct rf_str s);
/* All lines of a text, the last one ended too. On a terminal control characters become '?', but for
 * tabs; elsewhere it is printed as it is. */
void rf_print_lines(FILE *out, struct rf_str text);
/* A text as JSON, with quotes; what could steer a terminal is escaped, bytes that are not UTF-8
 * replaced. */
void rf_print_json(FILE *out, struct rf_str s);
/* JSON that was written elsewhere, on one line, and what its strings hold that could steer a
 * terminal escaped. */
void rf_print_json_line(FILE *out, struct rf_str json);
/* The same with a line feed on a terminal; elsewhere it is printed as it is, to the byte. */
void rf_print_document(FILE *out, struct rf_str json);

struct rf_str rf_text(const char *s);

#endif
