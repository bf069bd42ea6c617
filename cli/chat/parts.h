/* What the files of the chat's core know of each other. Commands need chat.h alone. */
#ifndef RF_CLI_CHAT_PARTS_H
#define RF_CLI_CHAT_PARTS_H

#include <pthread.h>

#include "ask.h"
#include "chat/chat.h"
#include "text.h"

long long rf_chat_now_ms(void); /* of a clock that only goes forward */

/* turn.c: the other thread. */

enum rf_chat_event_type {
    RF_CHAT_AGENT,  /* `agent` says what; where it is SENDING, `extra` is the session's id */
    RF_CHAT_NOTICE, /* `text`: something was left out of the request */
    RF_CHAT_FILE,   /* `file` */
    RF_CHAT_SAID,   /* `text` in `style`: rf_chat_say over there */
    RF_CHAT_SAID_MARKDOWN,
    RF_CHAT_PAIR,    /* `text` means `extra`, `number` cells before it */
    RF_CHAT_PICTURE, /* `text` are its bytes, `number` its rows */
    RF_CHAT_BROUGHT, /* what comes next shows the file `extra`, which a call brought */
    RF_CHAT_PERMIT,  /* may this tool run: `agent` as in a call, `extra` what it is */
    RF_CHAT_INQUIRY, /* a line is wanted for a server: `text` */
    RF_CHAT_DONE,    /* the work is over */
};

/* What became of a file in a request. */
struct rf_chat_file {
    bool is_new;                                 /* no request had it before */
    bool sent;                                   /* not as words */
    char words[RF_SENT_WORDS];                   /* how */
    char *line, *name, *id, *as, *reason, *lost; /* `lost` is empty where nothing is */
    int64_t bytes, tokens;
};

/* Something that happened over there. Strings are the event's own. */
struct rf_chat_event {
    struct rf_chat_event *next;
    enum rf_chat_event_type type;
    struct rf_agent_event agent; /* without its request */
    struct rf_buffer text;
    char *name, *call, *extra;
    enum rf_style style;
    int number;
    struct rf_chat_file file;
};

enum rf_chat_working {
    RF_CHAT_IDLE,
    RF_CHAT_ASKING,
    RF_CHAT_WORKING, /* something else of the agent's, which heeds rf_agent_cancel */
    RF_CHAT_SHORT,   /* something that ends by itself */
};

/* For the status line; -1: not known. */
struct rf_chat_counts {
    int64_t used_tokens, window_tokens, files;
};

struct rf_chat_turn {
    pthread_t main, thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    struct rf_chat_event *first, *last;
    size_t held;   /* bytes in there */
    bool running;  /* in a call that heeds rf_agent_cancel */
    bool answered; /* `permission` was given */
    bool leaving;  /* there will be no more answers */
    enum rf_permission permission;
    char *line; /* that was wanted, where `answered`; NULL: none is given */
    /* The main thread's. */
    enum rf_chat_working working;
    bool started;
    bool cancelled;
    long long begun_ms;
    /* Of what is being done. */
    char *prompt, *origins;          /* of its bytes; NULL: it was not typed */
    bool retries;                    /* the prompt is the last question, which is asked again */
    char before[RF_SESSION_ID_SIZE]; /* the session that it was asked in; or empty */
    char what[64];
    void (*work)(struct rf_chat *c, void *ctx);
    void (*done)(struct rf_chat *c, void *ctx);
    void *ctx;
    enum rf_code code;
    struct rf_err err;
    bool sent;                /* a request went out */
    bool rounds;              /* a tool has run */
    size_t files, next_files; /* that the request before this one had, and that this one has */
    size_t previews;
    struct rf_chat_counts counts;
    struct rf_chat_read *reads; /* preview.c: calls of this question that read files */
    struct rf_sources sources;  /* stream.c: of the answer that comes */
    /* What the terminal was when it began: for pictures that are drawn over there. */
    struct rf_preview_frame frame;
    int columns;
};

void rf_chat_turn_open(struct rf_chat *c);
/* Stops what is going on and waits for it. */
void rf_chat_turn_close(struct rf_chat *c);
/* Is this the other thread? */
bool rf_chat_is_over_there(const struct rf_chat *c);
/* From over there. Takes the event's strings. */
void rf_chat_post(struct rf_chat *c, struct rf_chat_event *e);
struct rf_chat_event *rf_chat_event_new(enum rf_chat_event_type type);
void rf_chat_event_free(struct rf_chat_event *e);
/* All that has come so far, in order; NULL where nothing has. */
struct rf_chat_event *rf_chat_take_events(struct rf_chat *c);
/* What DONE stands for. */
void rf_chat_turn_end(struct rf_chat *c);
/* The agent's listener. */
bool rf_chat_heard(void *ctx, const struct rf_agent_event *e);
/* stream.c: the same for the events of the stream that an answer comes in. */
bool rf_chat_heard_stream(void *ctx, const struct rf_event *e);
/* Save a file that the model made, or `tool` returned where that is not empty; false where it is
 * not a file, or that failed, which was said. */
bool rf_chat_save_made(struct rf_chat *c, const struct rf_block *b, struct rf_str tool,
                       struct rf_made_file *out);
/* The same, and show it. */
void rf_chat_keep_made(struct rf_chat *c, const struct rf_block *b, struct rf_str tool);
/* Stop what is going on. False where nothing can be stopped. */
bool rf_chat_cancel(struct rf_chat *c);
/* Over there: false once the chat is left. `ctx` is a struct rf_chat. */
bool rf_chat_goes_on(void *ctx);
/* Begin. Nothing else may be going on. */
void rf_chat_turn_ask(struct rf_chat *c, const char *prompt, const char *origins);
void rf_chat_turn_retry(struct rf_chat *c, const char *prompt);
void rf_chat_turn_work(struct rf_chat *c, enum rf_chat_working working, const char *what,
                       void (*work)(struct rf_chat *c, void *ctx),
                       void (*done)(struct rf_chat *c, void *ctx), void *ctx);

/* session.c: what the last request came to. */
struct rf_chat_counts rf_chat_counts(struct rf_chat *c);
void rf_chat_take_counts(struct rf_chat *c, const struct rf_chat_counts *counts);
void rf_chat_count_later(struct rf_chat *c);

/* preview.c */
/* How pictures are drawn here, in the main thread. */
struct rf_preview_frame rf_chat_frame(const struct rf_chat *c);
/* What a tool brought, as far as it is worth looking at. From over there; so are the two that
 * remember which part of a file a call read. */
void rf_chat_preview_result(struct rf_chat *c, const char *id, const char *name);
/* A file that was just attached. */
void rf_chat_preview_shortly(struct rf_chat *c, const char *path);
void rf_chat_read_begin(struct rf_chat *c, const struct rf_agent_event *e);
void rf_chat_read_end(struct rf_chat *c, const struct rf_agent_event *e);
void rf_chat_reads_forget(struct rf_chat *c);

/* show.c: rows. */

/* A call, from the moment it is made until its line is in the scrollback; then for Ctrl-O. */
struct rf_chat_call {
    struct rf_chat_call *next;
    char *id, *name, *arguments, *outcome;
    char words[RF_CALL_WORDS];
    char delivery[512]; /* of its files, in words */
    size_t files;
    bool done, failed, committed;
    bool locked; /* it failed for want of a password */
    bool lossy;  /* of a file of it something did not go */
    long long begun_ms;
    int64_t ms;
};

enum rf_chat_part { RF_CHAT_START, RF_CHAT_QUESTION, RF_CHAT_ANSWER, RF_CHAT_LINES };

struct rf_chat_show {
    struct rf_markdown *markdown;
    enum rf_chat_part last;     /* what stands above the region */
    bool answering;             /* an answer has begun and not ended */
    struct rf_chat_call *calls; /* of this question, in order */
    char step[RF_STEP_WORDS];   /* how far the call is that said so last; or empty */
    bool sending;               /* the request after the calls is on its way */
    long long files_ms;         /* when the last file of it was told */
    bool looking;               /* that file is being looked at over there: others may follow */
    struct rf_said *notices;
    struct rf_buffer thought; /* the last one, as far as it is kept */
    size_t thought_count;     /* characters of all of it */
    size_t thought_shown;     /* bytes of `thought` that are in the scrollback */
    bool thinking;
    long long thought_begun_ms;
    /* When the provider is asked again, which was not to be had; 0: it is not waited for. */
    long long again_ms;
    char *waited; /* what was said of that last, in this question; NULL: nothing */
    bool hears;   /* an event of the other thread is being shown */
    /* Rows that were said while an answer came; a line feed after each. */
    struct rf_buffer asides;
};

void rf_chat_show_open(struct rf_chat *c);
void rf_chat_show_close(struct rf_chat *c);
void rf_chat_show_resize(struct rf_chat *c);
void rf_chat_show_question(struct rf_chat *c, struct rf_str text);
void rf_chat_show_event(struct rf_chat *c, struct rf_chat_event *e);
/* The question is answered, or is not: whatever is still open goes up. */
void rf_chat_show_end(struct rf_chat *c);
/* Something may have become due. Returns the milliseconds until that is so, or -1. */
int rf_chat_show_due(struct rf_chat *c);
/* The rows that stream. */
void rf_chat_show_live(struct rf_chat *c, void (*row)(void *ctx, struct rf_str row), void *ctx);
/* Add what goes on, in a few words. */
void rf_chat_show_working(struct rf_chat *c, struct rf_buffer *out);
/* An empty row where what comes is something else than what stands there. */
void rf_chat_show_part(struct rf_chat *c, enum rf_chat_part part);

/* calls.c: the lines of calls. */
void rf_chat_call_begin(struct rf_chat *c, const struct rf_chat_event *e);
void rf_chat_call_end(struct rf_chat *c, const struct rf_chat_event *e);
/* The string that a member of a JSON object is; NULL where it is not one. To be freed. */
char *rf_chat_member(struct rf_str json, const char *key);
/* Does this file belong to a call? */
bool rf_chat_call_file(struct rf_chat *c, const struct rf_chat_file *f);
/* Have the lines of finished calls go up; `until`: of those up to the next one that names this
 * file, or NULL. */
void rf_chat_calls_commit(struct rf_chat *c, const char *until);
bool rf_chat_calls_wait(const struct rf_chat *c); /* finished, and not up yet */
void rf_chat_call_row(const struct rf_chat *c, const struct rf_chat_call *call,
                      struct rf_buffer *out);
void rf_chat_calls_forget(struct rf_chat *c);

/* details.c: Ctrl-O. */
void rf_chat_toggle_details(struct rf_chat *c);
void rf_chat_show_thought(struct rf_chat *c);
void rf_chat_show_arguments(struct rf_chat *c, const struct rf_chat_call *call);

/* say.c */
/* What stands before the first row, and before the others: harmless already. */
struct rf_chat_mark {
    enum rf_style style;
    const char *first, *rest;
};
/* Commit rows of text, at most `most` of them (0: all), after a mark or NULL. Returns how many
 * it has. */
size_t rf_chat_rows(struct rf_chat *c, const struct rf_chat_mark *mark, enum rf_style style,
                    struct rf_str text, size_t most);
/* A row that is done. What is said while an answer comes (a list of what Tab found, a command
 * that may run at any time) is an aside: it stands below the answer until that has ended, and
 * goes up after it. */
void rf_chat_commit(struct rf_chat *c, struct rf_str row);
bool rf_chat_is_aside(const struct rf_chat *c);
void rf_chat_asides_end(struct rf_chat *c);
void rf_chat_asides_live(struct rf_chat *c, void (*row)(void *ctx, struct rf_str row), void *ctx);
/* Bytes of the row that a harmless text begins with, and of it with the spaces after. */
size_t rf_chat_next_row(struct rf_str s, int width, size_t *with_spaces);
int rf_chat_columns(const struct rf_chat *c); /* at least 10 */

/* prompt.c */
void rf_chat_draw(struct rf_chat *c);

/* inquire.c: a form of an MCP server. Each line that is entered while one is wanted is for it. */
enum rf_inquiry_answer rf_chat_inquire(void *ctx, struct rf_inquiry *q);
void rf_chat_inquire_show(struct rf_chat *c, const struct rf_chat_event *e);
/* False where none is wanted; NULL: it is not answered. */
bool rf_chat_inquire_line(struct rf_chat *c, const char *line);

/* permit.c */

/* A question, while it stands. */
struct rf_chat_question {
    char *tool;
    size_t rows;        /* that it took */
    bool drawn;         /* they, and what the keys are, were written to the terminal */
    long long quiet_ms; /* since when nothing is typed */
    bool quiet;         /* for long enough, when the screen was drawn last */
    bool ready;         /* and before: in between it was looked for keys, so keys are answers now */
};

enum rf_permission rf_chat_permit(void *ctx, struct rf_str tool, struct rf_str arguments);
void rf_chat_permit_show(struct rf_chat *c, const struct rf_chat_event *e);
/* A byte that is typed while a question stands. False: it is none of its business. `alone`: no
 * byte follows at once. */
bool rf_chat_permit_key(struct rf_chat *c, int byte, bool alone);
bool rf_chat_permit_asks(const struct rf_chat *c);
int rf_chat_permit_due(const struct rf_chat *c); /* milliseconds, or -1 */
/* It stands on the screen now: from here on it counts that nothing is typed. */
void rf_chat_permit_drawn(struct rf_chat *c);
/* The row of its keys; and one above it where the question is higher than the screen, else
 * false. */
void rf_chat_permit_row(const struct rf_chat *c, struct rf_buffer *out);
bool rf_chat_permit_warning(const struct rf_chat *c, struct rf_buffer *out);
void rf_chat_permit_answer(struct rf_chat *c, enum rf_permission p);

/* attach.c */
struct rf_chat_attached {
    struct rf_chat_attached *next;
    char *name;
    char *outside; /* its path, where that is not below the working folder; or NULL */
};
struct rf_str rf_chat_paste(void *ctx, struct rf_str text);
void rf_chat_attached_forget(struct rf_chat *c); /* they were sent */

/* clipboard.c: the picture in it, attached. */
void rf_chat_paste_picture(struct rf_chat *c);
void rf_chat_clipboard_close(struct rf_chat *c);

/* loop.c */

/* A line that was entered while the other thread works. */
struct rf_chat_line {
    struct rf_chat_line *next;
    /* As rf_edit_read and rf_edit_origins have them; NULL: it was not typed. */
    char *text, *origins;
};

struct rf_chat_keys {
    char typed[4096]; /* that the editor has not had yet */
    size_t at, count;
    bool dirty; /* something is to be drawn */
    bool ended; /* there is no more input */
    long long drawn_ms, ctrl_c_ms;
    long long byte_ms;            /* when the editor had its last byte */
    bool warned;                  /* "Ctrl-C again leaves" stands there */
    struct rf_chat_line *waiting; /* first in, first out */
};

/* Set up editor, region and the other thread over an open terminal. Fails with RF_ECONFIG where
 * there is no libedit; nothing is open then but the terminal. */
enum rf_code rf_chat_loop_open(struct rf_chat *c, const char *history, struct rf_err *err);

/* Have something done over there and wait for it, with all that is drawn meanwhile; what is
 * typed is kept. */
void rf_chat_work_here(struct rf_chat *c, const char *what,
                       void (*work)(struct rf_chat *c, void *ctx), void *ctx);

/* secret.c: a password that is asked for, of which nothing is drawn. Whoever has it wipes it. */
struct rf_chat_secret {
    const char *name; /* of the file */
    char text[1024];
    size_t n;
    int escape; /* 1: one has begun, 2: its sequence */
    bool done, refused;
};
void rf_chat_secret_key(struct rf_chat_secret *s, unsigned char byte);
/* Ask for it, and do nothing else meanwhile. False where none was given. */
bool rf_chat_secret_ask(struct rf_chat *c, struct rf_chat_secret *s);
/* What is said of a file that is encrypted, wherever it was named. */
#define RF_CHAT_UNLOCKS "/attach %s asks for the password, and shows nothing of it"

/* plain.c */
/* The same on a terminal that nothing is drawn on. */
bool rf_chat_plain_secret_ask(struct rf_chat_secret *s);
/* Do the lines come from a pipe or a file, and not from a person at a terminal? */
bool rf_chat_is_scripted(const struct rf_chat *c);
void rf_chat_plain_ask(struct rf_chat *c, const char *prompt, const char *origins);
void rf_chat_plain_retry(struct rf_chat *c);

#endif
