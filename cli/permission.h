/* May a tool run that changes things, may a host be fetched from? What ask and chat share; and
 * asking on a terminal line by line, for ask and for a chat without a screen. What is not shown is
 * not agreed to: all of it is, or it is not run.
 *
 *     if (rf_permission_is_given(args, ALLOW, tool)) …
 *     p = rf_permission_ask(agent, tool, arguments, &unasked);
 */
#ifndef RF_CLI_PERMISSION_H
#define RF_CLI_PERMISSION_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/agent.h>

#include "command.h"
#include "term/buffer.h"

#define RF_PERMISSION_MOST 65536 /* bytes of arguments that somebody is asked about */

/* What stands before a server's name where what a person filled in would be sent there, where it
 * wants them to agree, and where it wants them to open a page. */
#define RF_PERMISSION_FORM "form:"
#define RF_PERMISSION_AGREE "agree:"
#define RF_PERMISSION_VISIT "visit:"

/* Does one of the options of this number (--allow TOOL, --allow fetch:HOST) name it? In a name of
 * tools '*' stands for any run of characters. */
bool rf_permission_is_given(const struct rf_args *args, size_t option, struct rf_str tool);

/* Say on standard error which of those options name a tool that there is not, and which there
 * are. */
void rf_permission_check(const struct rf_args *args, size_t option, struct rf_agent *agent,
                         struct rf_config *config);

/* The host of fetch:HOST; empty for anything else. */
struct rf_str rf_permission_host(struct rf_str tool);
/* Is it a tool, and not fetch:HOST, sampling:SERVER or resource:SERVER? */
bool rf_permission_is_tool(struct rf_str tool);

/* False where the arguments are more than that: it is not run then, and `err` says so. */
bool rf_permission_is_readable(struct rf_str tool, struct rf_str arguments, struct rf_err *err);

/* What would be done: "run TOOL", "fetch" where `tool` is fetch:HOST, and so on. */
void rf_permission_deed(struct rf_buffer *out, struct rf_str tool);

/* What an answer of "always" is for: "always TOOL, with any arguments", "always from HOST"; nothing
 * where it is asked each time. */
void rf_permission_always(struct rf_buffer *out, struct rf_str tool);

/* What somebody is asked: "run TOOL ARGUMENTS", and from the next line on what that is; or "fetch
 * URL", and what that means. Characters that are not seen are written as \u200b; what would
 * steer a terminal is still in it. */
void rf_permission_text(struct rf_buffer *out, struct rf_str tool, struct rf_str arguments,
                        struct rf_str words);

/* The same on standard error, harmless. */
void rf_permission_print(struct rf_str tool, struct rf_str arguments, struct rf_str words);

/* Add a text such that all of it is seen: characters that are not seen are written as
 * \u200b. */
void rf_permission_seen(struct rf_buffer *out, struct rf_str s);

/* The same in one line: what would end it is written as \u000a. */
void rf_permission_line(struct rf_buffer *out, struct rf_str s);

/* The terminal that somebody can be asked on, also where standard input is a pipe; -1 where there
 * is none. */
int rf_permission_open(void);
/* Ask there. Returns the line that is typed, to be freed; NULL where there is none. What was typed
 * before the question was there is no answer to it. */
char *rf_permission_ask_line(int tty, struct rf_str question);
/* The same of the first letter, a small one; 0 where there is none. */
char rf_permission_letter(int tty, struct rf_str question);

/* Ask on the terminal, also where standard input is a pipe. Where there is none it is denied, and
 * `nobody` (or NULL) becomes true. What was typed before the question was there is no answer to
 * it. */
enum rf_permission rf_permission_ask(struct rf_agent *agent, struct rf_str tool,
                                     struct rf_str arguments, bool *unasked);

#endif
