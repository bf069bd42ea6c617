/* refract chat: a conversation on a terminal, inline. What its files share.
 *
 *     cmd_chat.c     options; sets everything up
 *     loop.c         what is typed, what happens, what is drawn: the one loop, in the main thread
 *     turn.c         the other thread, where the agent works; its events come over in a queue
 *     stream.c       what an answer brings besides words: its sources, files that the model made
 *     show.c         an event becomes rows: answers, thoughts, files, notes
 *     calls.c        the same for calls; details.c: Ctrl-O
 *     say.c          text becomes rows: harmless, wrapped, styled
 *     prompt.c       the region at the bottom: what streams, what is typed, the status line
 *     permit.c       may this tool run?
 *     pick.c         one of many is chosen
 *     attach.c       files that are pasted, dropped or given; clipboard.c: the clipboard's picture;
 *                    secret.c: the password of one
 *     copy.c         text into the clipboard; editor.c: what is written, in the person's editor
 *     preview.c      thumbnails, and the first lines of documents
 *     session.c      another model, another session, what was said in it
 *     plain.c        the same conversation without a terminal to draw on: lines in, lines out
 *     prompts.c      /NAME where that is a prompt of the person's own
 *     commands.c     the table of commands, /help; one file for each group of them
 *     complete.c     Tab: commands, their arguments, @paths (paths.c); words.c: typed words
 *
 * The agent, its session, the store and the tools belong to the other thread while it works
 * (rf_chat_is_busy) and to the main thread else. A line that is entered meanwhile waits until it is
 * done, but for commands that touch none of them.
 *
 * Everything that is shown goes through rf_chat_say and its like, which make it harmless, wrap it
 * and know where it goes. */
#ifndef RF_CLI_CHAT_CHAT_H
#define RF_CLI_CHAT_CHAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/refract.h>

#include "cost.h"
#include "made.h"
#include "stored.h"
#include "term/edit.h"
#include "term/markdown.h"
#include "term/region.h"
#include "term/theme.h"
#include "term/tty.h"

struct rf_args;
struct rf_chat_turn; /* turn.c */
struct rf_chat_show; /* show.c */
struct rf_chat_keys; /* loop.c */
struct rf_chat_attached;
struct rf_chat_question; /* permit.c */
struct rf_ask_show;      /* plain.c */

/* A number of tokens: a sum of what was told, and whether something was not. */
struct rf_chat_tally {
    int64_t sum;
    bool told, untold;
};

/* What answers took: commands_cost.c. */
struct rf_chat_spent {
    struct rf_chat_tally input, output, cached;
    struct rf_cost cost;
    int64_t answers;
};
/* Add an answer; -1: not told. */
void rf_chat_spend(struct rf_chat_spent *s, int64_t input, int64_t output, int64_t cached,
                   int64_t cost_micros);

struct rf_chat {
    struct rf_config *config;
    struct rf_stored stored;
    struct rf_agent *agent;
    struct rf_tools *tools;           /* for previews, with the store */
    char model[512];                  /* its whole name, which is shown */
    char named[512];                  /* what it was named by, which is opened */
    char unseen[RF_SESSION_ID_SIZE];  /* a session that is not worth keeping; or "" */
    char resumed[RF_SESSION_ID_SIZE]; /* the last one that was taken up; or "" */
    char model_note[512];             /* why this one, where nobody named it; or "" */

    bool plain; /* no terminal to draw on: tty, region and edit are not open */
    struct rf_tty tty;
    struct rf_theme theme;
    struct rf_region region;
    struct rf_edit *edit;

    enum rf_graphics graphics;
    bool graphics_chosen; /* by --images: else what the terminal says */
    bool show_thoughts;   /* in full, instead of one line each */
    bool quits;

    struct rf_chat_turn *turn;
    struct rf_chat_show *show;
    struct rf_chat_keys *keys;
    struct rf_chat_question *question;   /* of permission, that stands; or NULL */
    bool inquires;                       /* the next line that is entered is for an MCP server */
    const struct rf_chat_secret *secret; /* that is asked for; or NULL */
    struct rf_chat_pick *pick;           /* of which one is chosen; or NULL */
    struct rf_models *fetched;           /* that are to be offered; or NULL */
    struct rf_ask_show *plain_show;
    enum rf_code plain_code;    /* of the last question there */
    const char *system;         /* --system; or NULL */
    const struct rf_args *args; /* for --allow, which is the option of this number */
    size_t allow_option;
    struct rf_temporary clipboard; /* the folder of pictures that were taken from it */
    size_t clipboard_count;
    bool vi;
    struct rf_chat_attached *attached; /* attach.c: to the next question */
    struct rf_made made;               /* stream.c, plain.c: files of answers */
    /* Complete.c: what Tab came to; released by whoever ends the chat. */
    struct rf_buffer completed;
    char *last_document; /* path of the document that /pages reads on in; or NULL */
    int64_t last_page;   /* of it that was read, from 1 */
    int64_t pages;       /* that it has */

    /* For the status line; -1: not known. */
    int64_t used_tokens, window_tokens, files;
    struct rf_cost cost;        /* of all answers whose cost is known */
    struct rf_chat_spent spent; /* for all answers of this chat, whatever became of them */
    char session_id[RF_SESSION_ID_SIZE];
    bool counts_later; /* used_tokens are to be counted as soon as nothing else is going on */
};

/* Saying things. Text is made harmless and wrapped to the width. */
__attribute__((format(printf, 3, 4))) void rf_chat_say(struct rf_chat *c, enum rf_style style,
                                                       const char *fmt, ...);
void rf_chat_say_text(struct rf_chat *c, enum rf_style style, struct rf_str text);
/* Two columns: a word or two, and what they mean; `width` is that of the first. */
void rf_chat_say_pair(struct rf_chat *c, int width, struct rf_str word, struct rf_str meaning);
/* Markdown, all of it. */
void rf_chat_say_markdown(struct rf_chat *c, struct rf_str text);
/* "what failed", then its hint. */
void rf_chat_error(struct rf_chat *c, const struct rf_err *err);

/* A picture of a file, or of an attachment ("att_…"), with its line under it; the line alone
 * where nothing can be drawn. Of documents the line, the first lines of the text and how to go
 * on. False where it cannot be read: that was said. */
bool rf_chat_preview(struct rf_chat *c, const char *path);
/* The tools, which see what the session has as it is now. */
struct rf_tools *rf_chat_tools(struct rf_chat *c);
bool rf_chat_preview_attachment(struct rf_chat *c, const char *id, const char *name);
/* Give a file along with the next question, and show it. */
bool rf_chat_attach(struct rf_chat *c, const char *path);

/* Is the other thread at work? */
bool rf_chat_is_busy(const struct rf_chat *c);
/* Ask: the answer comes while the loop goes on. `origins` says who wrote each byte, as
 * rf_edit_origins does; NULL: it was not typed. */
void rf_chat_ask(struct rf_chat *c, const char *prompt, const char *origins);
/* Ask the last question again, whose text this is. */
void rf_chat_retry(struct rf_chat *c, const char *prompt);
/* Have something else done over there, which may take long ("compacting" is what it is called
 * meanwhile); then `done` in the main thread. `ctx` is freed with free() after it. rf_chat_say
 * and the others may be called in `work` too. */
void rf_chat_work(struct rf_chat *c, const char *what, void (*work)(struct rf_chat *c, void *ctx),
                  void (*done)(struct rf_chat *c, void *ctx), void *ctx);

/* The same, and Ctrl-C calls rf_agent_cancel: only for what heeds it. */
void rf_chat_work_of_agent(struct rf_chat *c, const char *what,
                           void (*work)(struct rf_chat *c, void *ctx),
                           void (*done)(struct rf_chat *c, void *ctx), void *ctx);

/* Take another model, or another session, and say so. False where that failed: that was said. */
bool rf_chat_take_model(struct rf_chat *c, const char *name);
bool rf_chat_take_session(struct rf_chat *c, const char *id);
/* The last few things that were said in the session, as they looked. */
void rf_chat_recap(struct rf_chat *c);
/* Count tokens and files anew, for the status line. */
void rf_chat_count(struct rf_chat *c);

/* What a person asked last; false where nothing was, or it cannot be looked at now. */
bool rf_chat_last_question(struct rf_chat *c, struct rf_buffer *out);
/* Have the person's editor change `text`, where that is empty what is being typed, and where that
 * is empty too what was asked last; then it stands in the line. On a terminal only. */
void rf_chat_edit(struct rf_chat *c, struct rf_str text);

enum rf_chat_copied {
    RF_CHAT_COPIED_NOWHERE,
    RF_CHAT_COPIED_TERMINAL, /* the terminal was told, which does not say whether it took it */
    RF_CHAT_COPIED,
};
/* Text into the clipboard. */
enum rf_chat_copied rf_chat_copy(struct rf_chat *c, struct rf_str text);

/* One of many is chosen: pick.c. */
#define RF_CHAT_PICK_ROWS 10
struct rf_chat_pick_item {
    char *name, *about;
};
struct rf_chat_pick {
    const char *what; /* is chosen: "model" */
    struct rf_chat_pick_item *items;
    size_t count, cap;
    char typed[128]; /* that the names hold */
    size_t n;
    size_t at;  /* of those that fit, the one that Enter takes */
    int escape; /* 1: one has begun, 2: its sequence */
    int parameter;
    bool pastes, done;
    bool touched;     /* a key was pressed */
    char chosen[512]; /* or "": it was left */
};
void rf_chat_pick_add(struct rf_chat_pick *p, struct rf_str name, struct rf_str about);
void rf_chat_pick_empty(struct rf_chat_pick *p);
/* Of those that fit, the one at an index, or NULL; and how many there are. */
const struct rf_chat_pick_item *rf_chat_pick_at(const struct rf_chat_pick *p, size_t at);
size_t rf_chat_pick_fitting(const struct rf_chat_pick *p);
void rf_chat_pick_move_to(struct rf_chat_pick *p, const char *name);
/* `alone`: no byte follows at once. */
void rf_chat_pick_key(struct rf_chat_pick *p, unsigned char byte, bool alone);
/* Loop.c: have one chosen; what the other thread does goes on. False where it was left. */
bool rf_chat_pick_ask(struct rf_chat *c, struct rf_chat_pick *p);

/* Enter a line later, when nothing else is going on. `origins` as in rf_chat_ask. */
void rf_chat_wait_line(struct rf_chat *c, struct rf_str line, const char *origins);

/* Commands. */
struct rf_chat_words { /* what fits, for Tab */
    char **words;
    size_t count, cap;
};
void rf_chat_words_add(struct rf_chat_words *w, struct rf_str word);
void rf_chat_words_release(struct rf_chat_words *w);

struct rf_chat_command {
    const char *name;  /* without the slash */
    const char *takes; /* "[MODEL]", or "" */
    const char *help;  /* lower case, no full stop */
    bool any_time;     /* touches nothing of the other thread's */
    void (*run)(struct rf_chat *c, struct rf_str argument);
    /* Words that may stand as its argument; NULL: none, or paths where `paths`. */
    void (*words)(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out);
    bool paths;
};

extern const struct rf_chat_command rf_chat_commands[];
extern const size_t rf_chat_command_count;

/* Is a line a command, and not the path of a file such as "/home/a/b.png"? */
bool rf_chat_is_command(const char *line);
/* Which command a line that begins with "/" names; NULL where none: with a hint at one that is
 * near in `err`. */
const struct rf_chat_command *rf_chat_command_find(const char *line, struct rf_err *err);
/* Does it name a prompt of the person's own? A command of that name comes before it. */
bool rf_chat_is_prompt(const char *line);
/* Ask with it; `origins` as in rf_chat_ask. */
void rf_chat_ask_prompt(struct rf_chat *c, const char *line, const char *origins);
/* Run what a line says. */
void rf_chat_command_run(struct rf_chat *c, const char *line);
/* For struct rf_edit_calls; `ctx` is a struct rf_chat. */
void rf_chat_complete(void *ctx, struct rf_str text, size_t cursor, struct rf_edit_completion *out);

/* Running. Both return the exit status. */
int rf_chat_loop(struct rf_chat *c);
int rf_chat_plain(struct rf_chat *c);

#endif
