/* What a chat completion says, piece by piece: between reply.c, which knows replies and
 * streams, and message.c, which knows messages.
 *
 * Blocks have their numbers in ranges, since neither a message nor its fragments say in which order
 * its members belong: thoughts, text, media, what the server did, calls. */
#ifndef RF_WIRE_CHAT_REPLY_H
#define RF_WIRE_CHAT_REPLY_H

#include "wire/wire.h"

enum {
    RF_COMPLETION_THOUGHTS = 0,
    RF_COMPLETION_TEXT = 1 << 28,
    RF_COMPLETION_REFUSAL,
    RF_COMPLETION_MEDIA = 2 << 28,
    RF_COMPLETION_AUDIO = 3 << 28,
    RF_COMPLETION_OPAQUE = 4 << 28,
    RF_COMPLETION_CALLS = 5 << 28,
    RF_COMPLETION_RANGE =
        1 << 27, /* numbers of the wire's own are below; counted ones begin here */
};

#define RF_COMPLETION_NOTES 15

enum rf_thought_kind {
    RF_THOUGHT_PLAIN,   /* reasoning_content, reasoning */
    RF_THOUGHT_PART,    /* a part of the content */
    RF_THOUGHT_TEXT,    /* a detail reasoning.text */
    RF_THOUGHT_SUMMARY, /* a detail reasoning.summary */
    RF_THOUGHT_BLOCK,   /* of thinking_blocks */
    RF_THOUGHT_SEALED,  /* whole when it comes: encrypted, redacted, or unknown */
};

struct rf_completion_thought {
    enum rf_thought_kind kind;
    int64_t index; /* -1: not told */
    struct rf_draft *draft;
};

struct rf_completion_call {
    int64_t index; /* -1: not told */
    struct rf_draft *draft;
};

/* What is known of a reply besides its drafts; in the reply's arena. */
struct rf_completion_state {
    bool whole; /* no fragments: each element of a list is one of its own */
    struct rf_completion_thought *thoughts;
    size_t thought_count, thought_cap;
    size_t ended_thoughts; /* the first of them: words or calls came after them */
    bool spelled_out;      /* thoughts came in a typed list, so plain ones repeat them */
    struct rf_completion_call *calls;
    size_t call_count, call_cap;
    int64_t media_count, opaque_count;
    bool refused;
    bool audio_named, audio_dated;
    size_t counted; /* bytes of the text whose characters are counted: */
    int64_t characters;
    /* Members of the reply that are kept aside, as JSON. */
    struct rf_str notes[RF_COMPLETION_NOTES];
};

struct rf_completion_state *rf_completion_state(struct rf_reply *r);

/* Take in a message, or a fragment of one. */
void rf_completion_message(struct rf_reply *r, const struct rf_jval *message);
/* The answer or a call begins: the thoughts so far are over, and others are new ones. */
void rf_completion_end_thoughts(struct rf_reply *r);
/* Its calls. */
void rf_completion_calls(struct rf_reply *r, const struct rf_jval *message);

/* The list itself, or an empty one where it is none. */
const struct rf_jval *rf_completion_list(const struct rf_jval *v);

#endif
