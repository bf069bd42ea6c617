/* Replies in the words of an API: a message as its response body, events as its stream, refusals
 * in the shape of its errors. One struct rf_replies a dialect.
 *
 * A writer of streams is called in one order only, whatever the events are:
 *
 *     begin  (open piece* close)*  end | fail
 *
 * with one block after the other. Blocks that come at the same time wait for each other: a text or
 * thought that is interrupted is closed, and goes on in a block of its own; a call is finished
 * first. What a block waits with is in its draft, so nothing is lost, whatever the order. What
 * comes after a block was closed is written where the API has a place for it: `cite`, `amend`, or a
 * thought for itself; else it is told as lost.
 *
 * A reply that was said in the same dialect (`own`) is written with its own words for why it
 * stopped and with what was kept aside; for one from elsewhere the dialect's table decides. Nothing
 * here knows a model: what a response must have and a reply does not tell is a plain default. */
#ifndef RF_WIRE_RESPOND_H
#define RF_WIRE_RESPOND_H

#include "base/json_write.h"
#include "content/events.h"
#include "plan/ids.h"
#include "wire/framing.h"

struct rf_dialect;

/* A reply as its writers see it. */
struct rf_answer {
    struct rf_arena *arena;
    struct rf_str id, model;         /* to be said: the reply's own, or made and given */
    int64_t created_s;               /* since 1970 */
    bool own;                        /* it was said in this dialect */
    struct rf_str provider, said_by; /* and by this model, where that is known */
    const struct rf_block *blocks;
    size_t count;
    struct rf_ending ending;     /* in a stream: only what is known by now */
    const struct rf_tool *tools; /* that the client offered */
    size_t tool_count;
    enum rf_stop unreadable; /* why it stopped, with a call that cannot be read; or UNKNOWN */
    int status;              /* that an error is sent with; 0: that of its kind */
    struct rf_str request_id;
    struct rf_str *lost; /* what could not be said, in words */
    size_t lost_count, lost_cap;
};

struct rf_telling;

/* Where the marks of another API's thoughts go: content/seal.h. */
enum rf_seals {
    RF_SEALS_NOWHERE, /* as they are, as far as this API has places for them */
    RF_SEALS_AS_SIGNATURE,
    RF_SEALS_AS_ENCRYPTED,
    RF_SEALS_ALL, /* as the signature, also of a thought without marks: it says whose it is */
};

struct rf_replies {
    const char *id; /* the beginning of a reply's id, where this API has one: "msg_" */
    /* The blocks that this API's replies can hold, opaque ones being its own; and what of them.
     * Writers get no other: words stand for a file, the rest is left out, and both are told. */
    bool says[RF_BLOCK_OPAQUE + 1];
    bool says_citations, signs_thoughts, signs_calls;
    bool marks_ids; /* the mark of a call goes in its id: content/call_id.h */
    bool word_ids;  /* ids are of letters, digits, '_' and '-' */
    enum rf_seals seals;
    bool (*says_file)(const struct rf_media *m); /* one of these kinds; NULL: all of them */
    bool says_one_sound;
    /* The arguments of a call must be a JSON object: in a body, in a stream. Words stand for a call
     * with others, which nobody can run, and the reply does not end as one that has calls. */
    bool says_objects, streams_objects;
    /* Why it stopped: what this API has no word for, and an error says. */
    bool fails_on[RF_STOP_ERROR + 1];
    bool says_redacted, says_encrypted; /* thoughts that only their API can read */
    bool usage_on_demand;               /* a stream tells of its tokens where it was asked to */
    /* A whole response body, and one that says what went wrong. */
    void (*body)(const struct rf_answer *a, struct rf_json *w);
    void (*refusal)(const struct rf_answer *a, struct rf_json *w);
    /* The words for each kind of error, and its HTTP status; by enum rf_error_kind, and after those
     * an answer that took too long. */
    const struct rf_error_words *errors;
    /* A stream. */
    void (*begin)(struct rf_telling *t);
    void (*open)(struct rf_telling *t, const struct rf_block *b);
    void (*piece)(struct rf_telling *t, enum rf_event_type type, struct rf_str text);
    void (*close)(struct rf_telling *t, const struct rf_block *b);
    /* What comes after a block was closed, at `place` of the answer's blocks: one more citation of
     * a text; or, where the end says all of it again, any of it. NULL: it has no place then. */
    void (*cite)(struct rf_telling *t, size_t place, const struct rf_jval *citation);
    void (*amend)(struct rf_telling *t, size_t place);
    void (*end)(struct rf_telling *t);
    void (*fail)(struct rf_telling *t);
};

#define RF_ERROR_WORDS_LATE (RF_ERROR_OTHER + 1)

struct rf_error_words {
    const char *code;
    int status;
};

/* The id that a call came with, and the one that the client is told; both empty for other blocks. */
struct rf_told_call {
    struct rf_str id, given;
};

/* A stream on its way out. */
struct rf_telling {
    const struct rf_replies *how;
    const struct rf_dialect *dialect;
    bool streams;            /* else it is one body */
    bool keeps_usage;        /* it does not tell of its tokens */
    struct rf_answer answer; /* its blocks: those that were closed */
    struct rf_buf *out;
    struct rf_arena *scratch; /* of one message of the stream */
    struct rf_rope rope;      /* the message that is being written */
    struct rf_json json;
    int64_t next; /* a dialect's own count: of blocks, of messages */
    void *state;  /* a dialect's own, in answer.arena */
    struct rf_ids ids;
    struct rf_told_call *told; /* by the place of the block in the reply */
    size_t told_count, told_cap;
};

/* The next message of the stream, in JSON: what was written between these two. `name` is that of
 * the event, or NULL where this API has none. */
struct rf_json *rf_tell_open(struct rf_telling *t);
void rf_tell_close(struct rf_telling *t, const char *name);
/* A message that is not JSON: "[DONE]". */
void rf_tell_text(struct rf_telling *t, const char *text);
/* AWS frames only: the same as an exception of that name. */
void rf_tell_exception(struct rf_telling *t, const char *name);

/* What was kept aside of a block or of the reply, where this dialect may say it again; or NULL. */
const struct rf_jval *rf_answer_aside(const struct rf_answer *a, const struct rf_block *b);
/* A member of that, or NULL. */
const struct rf_jval *rf_answer_kept(const struct rf_answer *a, const struct rf_block *b,
                                     const char *name);
/* The API's own word for why it stopped: as it came, or by the dialect's table (indexed by enum
 * rf_stop). */
struct rf_str rf_answer_stop(const struct rf_answer *a, const char *const words[]);
/* For `says_file`: are its bytes in the message? */
bool rf_answer_file_is_here(const struct rf_media *m);
/* A count, or 0 where it was not told. */
int64_t rf_answer_count(int64_t n);
/* Of the tokens of input and output; and those of the input that no cache had to do with. */
int64_t rf_answer_total(const struct rf_answer *a);
int64_t rf_answer_uncached(const struct rf_answer *a);
/* Is there such a block, of those that were written so far? */
bool rf_answer_has(const struct rf_answer *a, enum rf_block_type type);
/* Is a text what the model said to refuse, in whichever API? And is that how the reply ends? Then
 * it is complete where such words have a form of their own. */
bool rf_answer_refuses(const struct rf_block *b);
bool rf_answer_is_refused(const struct rf_answer *a);
/* Which characters of a text a citation from elsewhere is of. Start and end may count in what is
 * cited: it is one of all of the text, unless it names a page, or tells the words that are there. */
void rf_answer_cited(const struct rf_answer *a, struct rf_str text, const struct rf_jval *citation,
                     int64_t *start, int64_t *end);
/* The tool that is called, as the client offered it; NULL where that is not known. */
const struct rf_tool *rf_answer_tool(const struct rf_answer *a, const struct rf_block *b);
/* Its id and the model's name are now what they will be. */
void rf_answer_settle(struct rf_telling *t);
/* An id for something that was given none. */
struct rf_str rf_answer_new_id(const struct rf_answer *a, const char *prefix);
/* The row of the table for the error; and the API's own name for it: as it came, or by that. */
const struct rf_error_words *rf_answer_error_words(const struct rf_answer *a,
                                                   const struct rf_error_words *errors);
struct rf_str rf_answer_error(const struct rf_answer *a, const struct rf_error_words *errors);
/* As OpenAI has them, a name that says what kind of error it is is a code; the others are types. */
bool rf_answer_error_is_code(struct rf_str name);
/* The status of HTTP that it is sent with. */
int rf_answer_error_status(const struct rf_answer *a, const struct rf_error_words *errors);

/* All of it. */

struct rf_responding;

struct rf_respond_how {
    const struct rf_dialect *dialect;
    bool stream;
    struct rf_str model;         /* to be named; empty: as the reply says */
    bool own;                    /* it was said in the same dialect */
    int status;                  /* of HTTP, of an error; 0: that of its kind */
    struct rf_str request_id;    /* for APIs whose errors name the request; or empty */
    bool marked_late;            /* calls come whole, and their marks after them */
    bool usage_unasked;          /* the client did not ask a stream for its tokens */
    const struct rf_tool *given; /* the tools as the client offered them */
    size_t tool_count;
};

struct rf_responding *rf_responding_new(const struct rf_respond_how *how, struct rf_arena *a);
void rf_responding_free(struct rf_responding *r);
/* Before the first event: was it said in the same dialect, and by whom? */
void rf_responding_own(struct rf_responding *r, bool own);
void rf_responding_said_by(struct rf_responding *r, struct rf_str provider, struct rf_str model);
/* The client has got the beginning of a stream from elsewhere: what follows is a part of one. */
void rf_responding_begin(struct rf_responding *r);
/* Take in an event. Any sequence of them is fine; what comes after DONE is not heard. */
void rf_responding_event(struct rf_responding *r, const struct rf_event *e);
/* What was written since the last call; it lives until the next event. */
struct rf_str rf_responding_bytes(struct rf_responding *r);
/* The status that goes with it, 200 or that of an error, known when the first bytes are there. */
int rf_responding_status(const struct rf_responding *r);
/* Of no kind: there is none. */
const struct rf_refusal *rf_responding_error(const struct rf_responding *r);
/* What could not be said in this dialect, a line each: "content[1] (image): words stand for it". */
size_t rf_responding_lost(const struct rf_responding *r, const struct rf_str **lines);
/* Fails with the first thing that could not be written. */
RF_MUST enum rf_code rf_responding_failed(const struct rf_responding *r, struct rf_err *err);

#endif
