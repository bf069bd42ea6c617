/* Filling struct rf_err. Messages are cleaned of control characters here, once for everybody, so
 * that a hostile file name can neither reach a terminal through an error nor begin a line. */
#ifndef RF_BASE_ERROR_H
#define RF_BASE_ERROR_H

#include <refract/error.h>
#include <refract/str.h>

#include "base/shared.h"

/* Say what failed, and return `code`. */
__attribute__((cold, format(printf, 3, 4))) enum rf_code
rf_fail(struct rf_err *err, enum rf_code code, const char *fmt, ...);

/* The same with a server's words at the end, in which lines stay lines. */
__attribute__((cold, format(printf, 4, 5))) enum rf_code
rf_fail_said(struct rf_err *err, enum rf_code code, struct rf_str words, const char *fmt, ...);

/* The same for a failed system call: adds strerror(errno), and picks the code from errno. */
__attribute__((cold, format(printf, 2, 3))) enum rf_code rf_fail_errno(struct rf_err *err,
                                                                       const char *fmt, ...);

/* Say what to do about it, without naming commands or options: those are a program's to add,
 * which knows by the reason what there is to add. */
__attribute__((cold, format(printf, 3, 4))) void
rf_advise(struct rf_err *err, enum rf_reason reason, const char *fmt, ...);
#define rf_hint(err, ...) rf_advise(err, RF_REASON_OTHER, __VA_ARGS__)

/* Nothing has failed yet. All of it is most of a kilobyte, which a call that mostly succeeds need
 * not clear. */
static inline void rf_err_clear(struct rf_err *err)
{
    err->code = RF_OK;
    err->reason = RF_REASON_OTHER;
    err->msg[0] = err->hint[0] = err->path[0] = '\0';
}

/* Put "PLACE: " before the message: for the caller who knows where in a larger thing it
 * happened. */
void rf_err_at(struct rf_err *err, const char *place);

/* Take the place that `path` names off the front of the message again: for those who never saw
 * the document. */
void rf_err_without_place(struct rf_err *err);

/* Replace control characters (C0, DEL, C1) in UTF-8 text with '?', in place. */
void rf_clean_controls(char *text);
/* The same of a server's words for one line: line feeds and tabs are spaces. */
void rf_clean_words(char *text);

/* A broken invariant is our bug, and without memory nothing goes on: say where, and abort, or let
 * the program say (rf_on_fatal). */
#define RF_BUG(why) rf_bug(__FILE__, __LINE__, why)
#define RF_NO_MEMORY() rf_no_memory(__FILE__, __LINE__)
__attribute__((cold)) RF_SHARED _Noreturn void rf_bug(const char *file, int line, const char *why);
__attribute__((cold)) RF_SHARED _Noreturn void rf_no_memory(const char *file, int line);

#endif
