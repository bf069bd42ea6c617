/* What a model answered: an assistant message, why it stopped, and what it cost.
 *
 * Whole replies and streams are taken in by the same builder, so that both end as the same message.
 * A dialect opens a draft for each block (by the number that the wire gives it, or the place where
 * the block belongs), adds to it as text comes in, and closes it; the drafts become blocks in the
 * order of their numbers. The builder is sticky: the first failure stays.
 *
 * No secret is told or kept. Drafts hold what came; texts, thoughts and arguments are redacted as
 * the listener is told of them, each block for itself, and everything is when the reply becomes a
 * message. What must go back as it came (signatures, sealed thoughts, media) is never changed: with
 * a secret in it, it is left out.
 *
 * What the neutral format has no field for is kept aside under "extra" of the block or of the
 * reply, an unknown block is kept whole as an opaque one; both go back to where they came
 * from and nowhere else. */
#ifndef RF_CONTENT_REPLY_H
#define RF_CONTENT_REPLY_H

#include "base/secrets.h"
#include "content/content.h"
#include "content/refusal.h"

#include <refract/reply.h>

/* What a reply says besides its message. */
struct rf_ending {
    enum rf_stop stop;
    struct rf_str stop_original, id, model; /* as the provider says */
    struct rf_str server; /* the value of the fact, where the answer tells it; else empty */
    struct rf_usage usage;
    struct rf_refusal error;
    const struct rf_jval *extra; /* members that have no field, or NULL */
    const size_t *opened; /* just decoded: `block` in the events of each block; NULL: as they are */
};

/* A block on its way in. Strings are copied into the reply's arena by whoever sets them. */
struct rf_draft {
    int64_t number; /* blocks are sorted by it */
    size_t place;   /* in the order of opening */
    enum rf_block_type type;
    bool open, started;                              /* the listener knows that it is there */
    struct rf_buf text;                              /* TEXT, THINKING; AUDIO: what is said in it */
    struct rf_buf arguments;                         /* TOOL_CALL: JSON text, in fragments */
    struct rf_redaction *told_text, *told_arguments; /* to the listener; or NULL */
    struct rf_buf signature;                         /* THINKING, TOOL_CALL */
    struct rf_buf media;     /* IMAGE, AUDIO, VIDEO, DOCUMENT: base64, in fragments */
    struct rf_buf citations; /* TEXT: neutral citations, JSON objects with commas between */
    struct rf_str id, name;  /* TOOL_CALL; id also of THINKING */
    struct rf_str redacted, encrypted; /* THINKING */
    struct rf_str field;               /* THINKING: see struct rf_thinking */
    struct rf_str media_type, url;     /* media */
    struct rf_str opaque;              /* OPAQUE: the block as it came, compact JSON */
    struct rf_buf extra; /* members that have no field of their own: "name":value with commas */
};

/* Where a reply came from. */
struct rf_reply_origin {
    struct rf_str provider, model, dialect;
};

struct rf_reply {
    struct rf_arena *arena;
    struct rf_arena *scratch; /* for the message at hand: emptied before the next one */
    struct rf_reply_origin origin;
    struct rf_draft **drafts;
    size_t count, cap;
    struct rf_draft *last;   /* the one found last: streams mostly add to one */
    int64_t highest;         /* number of all drafts: a higher one is new */
    struct rf_str id, model; /* as the provider says */
    struct rf_str server;    /* static; see struct rf_ending */
    enum rf_stop stop;
    bool stopped; /* the provider said why */
    struct rf_str stop_original;
    struct rf_usage usage;
    struct rf_refusal error;
    struct rf_buf extra; /* members of the reply that have no field */
    size_t bytes;        /* of all blocks */
    bool complete;       /* the stream said that it is over */
    bool begun;          /* the listener knows that it has begun */
    bool forgets;        /* words are told, and of each block not kept but for the first piece */
    int64_t next;        /* a dialect's own count of blocks */
    void *state;         /* a dialect's own, in the arena */
    bool (*on_event)(void *ctx, const struct rf_event *e); /* or NULL */
    void *ctx;
    /* The caller's name for a tool, which had another in the request; or NULL. */
    struct rf_str (*tool_name)(const void *names, struct rf_str name);
    const void *names;
    const struct rf_secrets *secrets; /* or NULL; may be filled in until the first text comes */
    enum rf_code failed;
    struct rf_err *err; /* why it failed; NULL: it did not */
};

extern const struct rf_usage rf_no_usage;

/* A caller's, of whatever version: numbers that it does not know of are not told. Fails with
 * RF_EUSAGE. */
RF_MUST enum rf_code rf_usage_take(const struct rf_usage *given, struct rf_usage *out,
                                   struct rf_err *err);

void rf_reply_init(struct rf_reply *r, struct rf_arena *a);

/* The draft of that number, opened if it is new; a draft that is there keeps its type. */
struct rf_draft *rf_reply_block(struct rf_reply *r, int64_t number, enum rf_block_type type);
/* A new draft, after one that may have the same number. */
struct rf_draft *rf_reply_next_block(struct rf_reply *r, int64_t number, enum rf_block_type type);
/* The last draft of that number, or NULL. */
struct rf_draft *rf_reply_find(const struct rf_reply *r, int64_t number);

/* Its id and name are known: the listener may hear of it before the first piece comes. */
void rf_draft_start(struct rf_reply *r, struct rf_draft *d);
/* Add to a draft; each tells the listener. Empty text does nothing. */
void rf_draft_text(struct rf_reply *r, struct rf_draft *d, struct rf_str text); /* also thinking */
void rf_draft_arguments(struct rf_reply *r, struct rf_draft *d, struct rf_str json);
void rf_draft_signature(struct rf_reply *r, struct rf_draft *d, struct rf_str opaque);
void rf_draft_media(struct rf_reply *r, struct rf_draft *d, struct rf_str base64);
/* A citation in the neutral form, as JSON text. */
void rf_draft_citation(struct rf_reply *r, struct rf_draft *d, struct rf_str json);
void rf_draft_close(struct rf_reply *r, struct rf_draft *d);

/* Strings are copied into the reply's arena; the last word counts. */
void rf_reply_stop(struct rf_reply *r, enum rf_stop stop, struct rf_str original);
void rf_reply_usage(struct rf_reply *r); /* r->usage was filled: tell the listener */
void rf_reply_error(struct rf_reply *r, enum rf_error_kind kind, struct rf_str code,
                    struct rf_str words);
/* More of it: the status that it names (0: none), and all that was said. */
void rf_reply_error_was(struct rf_reply *r, int status, const struct rf_jval *all);
/* All blocks were told: tell the listener how it ended, and that it did. */
void rf_reply_done(struct rf_reply *r, const struct rf_message *m);

/* Keep a member aside, as it was spelled: of a block, or of the whole reply where `d` is NULL. */
void rf_reply_keep(struct rf_reply *r, struct rf_draft *d, const char *name,
                   const struct rf_jval *v);
/* The same for all members but those in the list, which ends with NULL. A name that is spelled with
 * escapes is not an API's, and is left out. */
void rf_reply_keep_others(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *object,
                          const char *const *known);

/* A string value's text in the scratch arena, good until the next message; empty where it is
 * none. */
struct rf_str rf_reply_text(struct rf_reply *r, const struct rf_jval *v);
/* A whole number, or -1 where it is not one. */
int64_t rf_reply_count(const struct rf_jval *v);

/* A copy in the reply's arena: of a string value (escapes undone), empty where it is none. */
struct rf_str rf_reply_copy(struct rf_reply *r, const struct rf_jval *v);

/* Take the secrets out of all of it, or out of one draft. */
void rf_reply_redact(struct rf_reply *r);
void rf_draft_redact(const struct rf_reply *r, struct rf_draft *d);
/* A draft that never got anything: a text or a picture that was opened and closed. */
bool rf_draft_is_empty(const struct rf_draft *d);
/* A draft as a block; and with the caller's name for the tool that it calls. */
void rf_draft_block(const struct rf_draft *d, struct rf_str dialect, struct rf_arena *a,
                    struct rf_block *out);
void rf_reply_draft_block(const struct rf_reply *r, const struct rf_draft *d, struct rf_block *out);

/* The reply as an assistant message with its ending, without secrets, in the reply's arena. Closes
 * what is open. Arguments that are not a JSON object become an empty one, and the call keeps the
 * words under "malformed_arguments", so that the model can be told. */
void rf_reply_message(struct rf_reply *r, struct rf_message *out);

/* Write the ending as members: stop_reason, usage, id, model, error and extra; and read them. What
 * is not there, or not what it must be, is not told. */
void rf_ending_write(const struct rf_ending *e, struct rf_json *w);
void rf_ending_read(const struct rf_jval *message, struct rf_arena *a, struct rf_ending *out);
/* A copy that needs nothing of what `e` was made of. */
const struct rf_ending *rf_ending_copy(const struct rf_ending *e, struct rf_arena *a);

#endif
