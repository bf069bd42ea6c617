/* What is said in a recording, by a command of the person's configuration, for models that do not
 * hear: it gets the path of the file as its last argument, and prints text or subtitles (SRT,
 * WebVTT), of which the times are kept.
 *
 * It runs as a tool does: without our keys, descriptors and terminal, for `timeout_s` at most, and
 * what it prints is bounded. The file is a copy of its own. What it printed is kept, and that its
 * time was over. */
#ifndef RF_REQUEST_TRANSCRIBE_H
#define RF_REQUEST_TRANSCRIBE_H

#include "media/media.h"
#include "media/worker.h"

struct rf_config;

/* The command as one line, with its time: what the outcome depends on. Empty where there is none.
 * The configuration may be NULL. */
struct rf_str rf_transcribe_words(const struct rf_config *c, struct rf_arena *a);

/* Fill the job in: its text, or why it failed. The format may be NULL. */
void rf_transcribe(const struct rf_config *c, const struct rf_format *format, struct rf_job *job,
                   struct rf_arena *a);

/* Subtitles as lines, "[0:01] Hello"; other text as it is. */
struct rf_str rf_transcript_text(struct rf_str printed, struct rf_arena *a);

#endif
