/* What an MCP server asks a person for, while one of its tools runs: a form, field by field, and
 * whether all of it shall go there (one without fields asks only that); or a page that it wants
 * opened, which is named and not opened. What is typed goes nowhere before the person has seen it
 * whole and agreed. A field is asked for again where what was typed does not fit, with the reason.
 *
 *     answer = rf_inquiry_ask(q, &way, ctx);
 */
#ifndef RF_CLI_INQUIRY_H
#define RF_CLI_INQUIRY_H

#include <refract/agent.h>

/* How a person is asked. */
struct rf_inquiry_way {
    /* A line for a question; NULL: none is given any more. To be freed. */
    char *(*line)(void *ctx, struct rf_str question);
    /* May this be done? `what` is form:, agree: or visit: and the server. */
    bool (*confirm)(void *ctx, struct rf_str what, struct rf_str text);
    void (*say)(void *ctx, struct rf_str words);
};

enum rf_inquiry_answer rf_inquiry_ask(struct rf_inquiry *q, const struct rf_inquiry_way *way,
                                      void *ctx);

/* Is there a terminal to ask on, line by line? Where there is none, servers are to know it. */
bool rf_inquiry_can_ask(void);
/* RF_INQUIRY_CANCELLED where there is none. */
enum rf_inquiry_answer rf_inquiry_ask_plainly(struct rf_inquiry *q);

#endif
