/* The limits that all files of a request share, and the window: who goes down the ladder, and when.
 *
 * The history is gone through as it happened. Wherever a request was sent, what is there by then
 * is checked against the limits; where one is passed, the oldest files make room, and more of them
 * than is needed at once (a batch), so that the next turns change nothing. What went down stays
 * down. So the plan of a history begins like the plan of its beginning did, and prompt caches
 * hit; the same history always gives the same plan, and no state is kept.
 *
 * What makes room first: files of tools before those of people, old before new, the last two
 * exchanges last of all. For tokens the oldest results' text and the oldest exchanges come
 * before the files of those; for bytes after them, since files are what takes bytes.
 *
 * The files of the last exchanges give no more than is needed, and they share: smaller pictures
 * where that is enough; else every document keeps the same number of pages, as many as fit, and
 * those that need fewer leave the rest to the others; only then is a file left to its text or to
 * a note. What one limit took is given back where another has made room.
 *
 * Costs are bounds that are known before anything is converted. */
#ifndef RF_PLAN_JOINT_H
#define RF_PLAN_JOINT_H

#include "plan/plan.h"

/* What a file is sent as, from the best to the least. */
enum rf_level {
    RF_LEVEL_FULL,  /* as decided for it alone */
    RF_LEVEL_SMALL, /* a smaller picture, fewer frames, fewer pages */
    RF_LEVEL_TEXT,  /* its text, where there is any */
    RF_LEVEL_NOTE,  /* what it was, and how to get it back */
};
#define RF_LEVEL_COUNT 4

/* What a file costs at one level. */
struct rf_demand {
    int64_t images, documents, pages, bytes, text, tokens; /* text: bytes of it, of all bytes */
};

/* a + times * b */
struct rf_demand rf_demand_plus(struct rf_demand a, int64_t times, struct rf_demand b);

/* One file on its way through the history. */
struct rf_share {
    size_t message; /* that it is in */
    bool of_tool;
    enum rf_level level;
    struct rf_demand
        costs[RF_LEVEL_COUNT]; /* those of a level that it does not have are the next one's */
    /* Of a document, or of a long text: SMALL is any number of its first pages. */
    size_t pages;                 /* at FULL; 0 or 1: they cannot be counted */
    struct rf_demand paged;       /* what they cost together, each the same */
    const struct rf_demand *upto; /* else what the first N cost, N from 0 to `pages`; or NULL */
    size_t kept;                  /* at SMALL: how many are left */
    bool text_when_new;           /* TEXT is for one that no request held yet */
    bool never_sent;              /* it was left to its text or a note as soon as it came */
    const char *limit_name;       /* that sent it to its level, or NULL */
    int64_t limit;
};

/* What it costs at a level, with so many of its pages where SMALL is a number of them. */
struct rf_demand rf_share_demand(const struct rf_share *s, enum rf_level level, size_t kept);

/* What becomes of a message as a whole. */
enum rf_fate {
    RF_FATE_KEPT,
    RF_FATE_SILENT, /* of a tool: a line stands for its text */
    RF_FATE_GONE,   /* it is left out, and all that belongs to it */
};

struct rf_joint_limits {
    int64_t images, documents, pages, bytes, text, tokens; /* 0: none */
    int64_t fixed_bytes; /* of the limit, what is used before any message */
};

struct rf_joint_message {
    enum rf_role role;
    int64_t tokens, bytes; /* without its files */
    /* Of those, what can be saved: what a tool returned, or a person pasted. */
    int64_t text_tokens, text_bytes;
    enum rf_fate fate;
    int64_t keep_tokens, keep_bytes; /* of those, when the text is cut; -1: all */
    const char *limit_name;          /* that made it silent or gone, or NULL */
    int64_t limit;
};

static inline bool rf_joint_is_cut(const struct rf_joint_message *m)
{
    return m->fate == RF_FATE_KEPT && (m->keep_tokens >= 0 || m->keep_bytes >= 0);
}

/* Fill in the levels of the shares, which come in the order of the messages, and the fates. */
void rf_joint(const struct rf_joint_limits *limits, int64_t fixed_tokens,
              struct rf_joint_message *messages, size_t message_count, struct rf_share *shares,
              size_t share_count);

#endif
