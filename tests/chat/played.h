/* A chat whose screen is a text: what commands say, without a terminal, over a real agent and a real store.
 *
 *     struct stage s;
 *     stage_open(&s);
 *     rf_chat_command_run(&s.chat, "/session");
 *     assert_has(said(&s), "session");
 *     stage_close(&s);
 */
#ifndef TESTS_CHAT_PLAYED_H
#define TESTS_CHAT_PLAYED_H

#include "chat/commands.h"

#include "../testing.h"

struct stage {
    struct rf_chat chat; /* first: the played calls find the stage by it */
    struct rf_arena *arena;
    const char *folder;
    struct rf_buffer said, attached, viewed; /* a line each */
    struct rf_buffer copied;                 /* what is in the clipboard */
    bool busy, attach_fails;
    struct rf_err err;
};

void stage_open(struct stage *s);
void stage_close(struct stage *s);
/* A file in the stage's folder, which is the working folder. */
void stage_file(struct stage *s, const char *name, const char *text);
/* Ask the model of the stage, which says what it was given. */
void stage_ask(struct stage *s, const char *prompt);
/* What was said since the last call; it lives as long as the stage. */
struct rf_str said(struct stage *s);
void run(struct stage *s, const char *line);

#define assert_has(text, words) check_has(text, words, true, __FILE__, __LINE__)
#define assert_lacks(text, words) check_has(text, words, false, __FILE__, __LINE__)
void check_has(struct rf_str text, const char *words, bool wanted, const char *file, int line);

#endif
