/* What `refract ask` shows while an agent works: for people in answer and lines, for programs in
 * JSON.
 *
 * Both are listeners of the agent's events. */
#ifndef RF_CLI_ASK_H
#define RF_CLI_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <refract/agent.h>

#include "cost.h"
#include "progress.h"
#include "safe_output.h"
#include "said.h"
#include "term/buffer.h"

/* A call whose result has not come yet. */
struct rf_ask_call {
    struct rf_ask_call *next;
    char *id;
    char words[RF_CALL_WORDS];
};

/* For people: the answer on standard output, everything else on standard error. */
struct rf_ask_show {
    bool quiet, explain;
    bool holds; /* the answer is not shown as it comes: rf_ask_show_answer does that at the end */
    bool dim;   /* standard error is a terminal that shows colours */
    struct rf_safe_output answer, thought;
    struct rf_buffer held; /* what came of the last answer, where it is held */
    struct rf_ask_call *calls;
    struct rf_said *notices;
    int64_t input_tokens, output_tokens; /* of all answers; 0: unknown */
    struct rf_cost cost;
    struct rf_progress working; /* the line while nothing comes */
    char busy[64];              /* what it says; empty: something comes */
};

void rf_ask_show_begin(struct rf_ask_show *s);
/* `ctx` is a struct rf_ask_show */
bool rf_ask_show_event(void *ctx, const struct rf_agent_event *e);
/* Take the working line away, for somebody who writes to the terminal; and have it there again. */
void rf_ask_show_rest(struct rf_ask_show *s);
void rf_ask_show_work(struct rf_ask_show *s);
/* A line on standard error: "note: " and words, cleaned. */
void rf_ask_show_words(struct rf_ask_show *s, const char *front, struct rf_str words);
/* An answer that was held; and one that is not what was asked for, on standard error. */
void rf_ask_show_answer(struct rf_ask_show *s, struct rf_str answer);
void rf_ask_show_held(struct rf_ask_show *s);
/* What it took, and where it is kept (or NULL). */
void rf_ask_show_end(struct rf_ask_show *s, const char *session);
void rf_ask_show_release(struct rf_ask_show *s);

/* What becomes of an answer once it is whole. */
struct rf_ask_result {
    bool code;        /* only its first code block */
    const char *path; /* the file that it is written to, or NULL: it is shown */
    bool replaces;    /* that file may be there already */
    struct rf_buffer block;
};

/* May the file be written? One that is there is asked about on a terminal, or fails with
 * RF_EPERMISSION. For the time before anything is sent. */
enum rf_code rf_ask_result_check(struct rf_ask_result *r, struct rf_err *err);
/* Take from the answer what is wanted, and write the file. Fails with RF_EPROVIDER where there is no
 * code, and RF_EIO. */
enum rf_code rf_ask_result_take(struct rf_ask_result *r, struct rf_str *answer, struct rf_err *err);

/* For programs: one object at the end, or a line for each event. */
struct rf_ask_json {
    bool lines, explain;
    FILE *files, *calls, *notes; /* lists for the one object, in memory */
    char *texts[3];
    size_t sizes[3];
    int64_t input_tokens, output_tokens;
    struct rf_cost cost;
};

void rf_ask_json_begin(struct rf_ask_json *j);
/* `ctx` is a struct rf_ask_json */
bool rf_ask_json_event(void *ctx, const struct rf_agent_event *e);
void rf_ask_json_end(struct rf_ask_json *j, struct rf_str answer, const char *model,
                     const char *session);
/* What stopped it. Returns the exit status. */
int rf_ask_json_fail(struct rf_ask_json *j, const struct rf_err *err);
void rf_ask_json_release(struct rf_ask_json *j);

#endif
