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
#include "made.h"
#include "progress.h"
#include "safe_output.h"
#include "said.h"
#include "sources.h"
#include "term/markdown.h"

/* The answer on its way to standard output. */
struct rf_ask_answer {
    bool holds;      /* nothing of it until it is whole */
    bool as_written; /* Markdown is not rendered, wherever it goes */
    bool is_open;    /* something was said, and its last line has not ended */
    struct rf_theme theme;
    struct rf_markdown *markdown; /* NULL: it is printed as it is written */
    struct rf_buffer rows;        /* that are done, and not written yet */
    int live;                     /* rows at the bottom that more text may still change */
    int columns;                  /* of the terminal when they were drawn */
    long long drawn_ms;
    struct rf_safe_output text;
    struct rf_buffer held; /* what came of the last answer, where it is held */
    struct rf_sources sources;
};

/* How lines look on this stream. */
void rf_ask_theme(struct rf_theme *t, int fd);
/* `holds` and `as_written` are set before. */
void rf_ask_answer_begin(struct rf_ask_answer *a);
void rf_ask_answer_add(struct rf_ask_answer *a, struct rf_str piece);
/* An event of the stream that the answer comes in: for citations. */
void rf_ask_answer_hear(struct rf_ask_answer *a, const struct rf_event *e);
/* Does something stand there that a line on a terminal would be put into? */
bool rf_ask_answer_is_open(const struct rf_ask_answer *a);
/* What was said is a paragraph. */
void rf_ask_answer_end(struct rf_ask_answer *a);
/* Print what was cited, and forget it: below a rendered answer, else on standard error. */
void rf_ask_answer_sources(struct rf_ask_answer *a, bool quiet);
void rf_ask_answer_release(struct rf_ask_answer *a);

/* How far a tool is, in a few words: "NAME: warming up, 1 of 3". They may steer a terminal. */
#define RF_STEP_WORDS 160
void rf_step_words(struct rf_str name, struct rf_str words, int64_t done, int64_t of,
                   char out[RF_STEP_WORDS]);

/* A call whose result has not come yet. */
struct rf_ask_call {
    struct rf_ask_call *next;
    char *id;
    char words[RF_CALL_WORDS];
};

/* For people: the answer on standard output, everything else on standard error. */
struct rf_ask_show {
    bool quiet, explain;
    struct rf_theme theme; /* of standard error */
    struct rf_ask_answer answer;
    struct rf_safe_output thought;
    struct rf_ask_call *calls;
    struct rf_said *notices, *waits;     /* that were said */
    int64_t input_tokens, output_tokens; /* of all answers; 0: unknown */
    struct rf_cost cost;
    struct rf_progress working; /* the line while nothing comes */
    char busy[RF_STEP_WORDS];   /* what it says; empty: something comes */
};

void rf_ask_show_begin(struct rf_ask_show *s);
/* `ctx` is a struct rf_ask_show */
bool rf_ask_show_event(void *ctx, const struct rf_agent_event *e);
/* The same for the events of rf_agent_listen_stream; and a file that the model made. */
bool rf_ask_show_stream(void *ctx, const struct rf_event *e);
void rf_ask_show_made(struct rf_ask_show *s, const struct rf_made_file *f);
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
/* Take from the answer what is wanted, and write the file. Fails with RF_EPROVIDER where there is
 * no code, and RF_EIO. */
enum rf_code rf_ask_result_take(struct rf_ask_result *r, struct rf_str *answer, struct rf_err *err);

/* For programs: one object at the end, or a line for each event. */
struct rf_ask_json {
    bool lines, explain;
    FILE *files, *calls, *notes, *made, *citations; /* lists for the one object, in memory */
    char *texts[5];
    size_t sizes[5];
    struct rf_said *notices; /* of requests: those that were told */
    int64_t input_tokens, output_tokens;
    struct rf_cost cost;
};

void rf_ask_json_begin(struct rf_ask_json *j);
/* `ctx` is a struct rf_ask_json */
bool rf_ask_json_event(void *ctx, const struct rf_agent_event *e);
/* Of the stream that an answer comes in. */
void rf_ask_json_stream(struct rf_ask_json *j, const struct rf_event *e);
void rf_ask_json_made(struct rf_ask_json *j, const struct rf_made_file *f);
void rf_ask_json_end(struct rf_ask_json *j, struct rf_str answer, const char *model,
                     const char *session);
/* What stopped it. Returns the exit status. */
int rf_ask_json_fail(struct rf_ask_json *j, const struct rf_err *err);
void rf_ask_json_release(struct rf_ask_json *j);

#endif
