/* The commands of a chat, by file. Each gets what follows its name, without white space
 * around it.
 *
 *     commands.c          the table, /help, /thinking, /quit, /exit
 *     commands_turn.c     /new, /retry, /edit, /system
 *     commands_copy.c     /copy
 *     commands_cost.c     /cost
 *     commands_model.c    /model
 *     commands_files.c    /attach, /media, /pages, /view
 *     commands_mcp.c      /mcp
 *     commands_explain.c  /explain, /tokens
 *     commands_session.c  /session, /resume, /compact
 *     commands_export.c   /export; transcript.c what a person reads of it */
#ifndef RF_CLI_CHAT_COMMANDS_H
#define RF_CLI_CHAT_COMMANDS_H

#include <stdio.h>

#include "chat/chat.h"

void rf_chat_run_model(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_attach(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_media(struct rf_chat *c, struct rf_str argument);
/* The line about a file that goes for the first time: /pages goes on after the pages that went. */
void rf_chat_pages_sent(struct rf_chat *c, const char *name, const char *line);
void rf_chat_run_pages(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_view(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_mcp(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_explain(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_tokens(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_session(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_resume(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_compact(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_export(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_new(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_retry(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_edit(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_system(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_copy(struct rf_chat *c, struct rf_str argument);
void rf_chat_run_cost(struct rf_chat *c, struct rf_str argument);
/* The system prompt is again that of the command line, or the session's own. */
void rf_chat_system_reset(struct rf_chat *c);

/* Words for Tab that take the place of the last word of `begun`. */
void rf_chat_words_model(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out);
void rf_chat_words_media(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out);
void rf_chat_words_view(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out);
void rf_chat_words_session(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out);
void rf_chat_words_resume(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out);

/* words.c: what is typed. */

bool rf_chat_is_space(char c);
bool rf_chat_is(struct rf_str s, const char *word);
struct rf_str rf_chat_trim(struct rf_str s);
/* The first word of `rest`, which then begins after it and its white space. */
struct rf_str rf_chat_first_word(struct rf_str *rest);
/* A whole number from 1 on, and nothing else. */
bool rf_chat_number(struct rf_str s, int64_t *out);

/* A path as people write it: with an "@" before it, in quotes, with "~/", with "\ " for spaces
 * where no such file exists. To be freed. */
char *rf_chat_path(struct rf_str written);

/* A conversation as Markdown, for people. Nothing in it steers a terminal, should it be printed
 * on one. */
void rf_chat_transcript(FILE *out, const struct rf_conversation *conversation);

/* paths.c: names in a folder that begin as `begun` does ("~/Pictures/ho", "", "../"), folders
 * with a slash after them. Relative ones start from `base`; NULL: from the working folder. */
void rf_chat_words_paths(const char *base, struct rf_str begun, struct rf_chat_words *out);

#endif
