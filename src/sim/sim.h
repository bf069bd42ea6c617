/* The simulator: the other side of every dialect, as strict as the real one, with a model that says
 * what it was given. It shares no encoder with wire/: other eyes read here what refract writes.
 *
 * One exchange is a call in and a reply out (rf_sim_answer); the HTTP server (server.c with
 * libmicrohttpd, http2.c with libnghttp2) and the model "offline" (simulator.c), without a socket,
 * are thin doors to it.
 *
 *     check    the dialect's file reads the body strictly: required fields, role order, pairs, MIME
 *              types against the bytes, base64, limits and family rules; a refusal has the status
 *              and the words of the real server
 *     think    model.c gets what was seen, in order, and says something: which files it was given,
 *              where and with which hash, or that it wants a tool
 *     say      the dialect's file writes that as a response or as a stream */
#ifndef RF_SIM_SIM_H
#define RF_SIM_SIM_H

#include "base/buf.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "media/media.h"
#include "model/model.h"

struct rf_sim;

struct rf_sim_options {
    /* For paths that do not begin with one ("/groq/openai/v1/…"); NULL: by the path. */
    const char *provider;
    const char *script; /* a YAML file of replies and faults; or NULL */
    const char *replay; /* a folder of recordings; or NULL */
    bool ignore_images; /* inside tool results: they are accepted, and not seen */
    bool any_key;       /* authentication is not looked at */
    bool no_worker;     /* files are looked at by their headers alone */
    int stop_fd;        /* something to be read there ends looking at files; 0, -1: nothing does */
    /* The ids of a reply follow from this number and from how much was said before; and calls are
     * counted. 0: ids are new each time. */
    uint64_t seed;
    void (*log)(void *ctx, const char *line); /* one line an exchange; or NULL */
    void *ctx;
};

RF_MUST enum rf_code rf_sim_new(const struct rf_sim_options *o, struct rf_sim **out,
                                struct rf_err *err);
void rf_sim_free(struct rf_sim *s);

struct rf_sim_call {
    const char *method, *path; /* with its query */
    /* The value of a header by its lower-case name, or NULL. */
    const char *(*header)(void *ctx, const char *name);
    void *ctx;
    struct rf_str body;
};

struct rf_sim_chunk {
    struct rf_str bytes;
    int64_t delay_ms; /* before it */
};

#define RF_SIM_HEADERS 7

struct rf_sim_reply {
    int status;
    const char *content_type;
    const char *headers[RF_SIM_HEADERS + 1][2]; /* further ones; NULL ends them */
    struct rf_sim_chunk *chunks;
    size_t count, cap;
    bool cut; /* the connection ends after the last chunk, unfinished */
};

/* Never fails: what is wrong with the call is the reply. Safe to call from several threads. */
void rf_sim_answer(struct rf_sim *s, const struct rf_sim_call *call, struct rf_arena *a,
                   struct rf_sim_reply *out);

/* The server on 127.0.0.1; port 0 takes a free one. */
struct rf_sim_server;
RF_MUST enum rf_code rf_sim_listen(struct rf_sim *s, int port, struct rf_sim_server **out,
                                   int *bound, struct rf_err *err);
void rf_sim_close(struct rf_sim_server *server);

/* Between the dialects and the model. */

enum rf_sim_seen_kind {
    RF_SIM_TEXT,
    RF_SIM_FILE,   /* a picture, document, sound or video that the model sees */
    RF_SIM_CALL,   /* that an earlier answer made */
    RF_SIM_RESULT, /* begins one; what belongs to it follows with the same `call` */
};

struct rf_sim_seen {
    enum rf_sim_seen_kind kind;
    const char *role; /* "system", "user", "assistant", "tool" */
    struct rf_str text;
    struct rf_str call, name;       /* CALL, RESULT and all inside one: the id and the tool */
    struct rf_str arguments;        /* CALL: JSON */
    bool failed;                    /* RESULT */
    struct rf_str bytes, mime;      /* FILE: decoded; as it was declared */
    const struct rf_format *format; /* FILE: by its bytes; NULL: unknown */
    struct rf_str reference;        /* FILE that is not here: a URL or a file id */
    size_t turn;                    /* the message it is in */
};

/* The calls of a conversation by their ids: for pairing, and for the tool's name of a result. */
struct rf_sim_known_call {
    struct rf_str id, name;
    size_t turn;
    bool answered;
};
struct rf_sim_calls {
    struct rf_sim_known_call *rows; /* a hash table; id.p NULL is a free row */
    size_t count, cap;
};

struct rf_sim_dialect;

struct rf_sim_request {
    struct rf_arena *arena;
    const struct rf_sim_dialect *dialect; /* in which it is read and answered */
    uint64_t seed;                        /* of the reply's ids */
    bool counted;                         /* ids of calls are numbers: "call00001" */
    /* Of the catalogue. sim.c puts in the path's, else the body's `model`, and where there is
     * none the endpoint's own row under the name "": never NULL. */
    const struct rf_model *model;
    const struct rf_sim_call *call; /* for headers and the path */
    const struct rf_jval *body;     /* NULL where it is not JSON */
    bool stream; /* sim.c sets it where the path says so; `check` where the body does */
    /* rf_sim_see takes these over: `check` counts the turns, and says which call's result it
     * reads. */
    size_t turn;
    const struct rf_sim_known_call *result; /* or NULL */
    struct rf_sim_seen *seen;
    size_t count, cap;
    struct rf_str *tools; /* names that are offered */
    size_t tool_count, tool_cap;
    bool must_call, must_not_call;
    struct rf_str must_call_name;
    bool thinks; /* it was asked to */
    int64_t max_tokens;
    int64_t window;   /* input tokens are not counted over it; 0: there is none */
    bool wants_usage; /* in a stream, where that is asked for */
    bool counts;      /* no answer is wanted: what only that needs may be missing */
};

struct rf_sim_refusal {
    int status;                               /* 0: none */
    struct rf_str type, message, param, code; /* as that API spells an error */
};

struct rf_sim_said {
    struct rf_str thinking; /* or empty */
    struct rf_str text;
    struct {
        struct rf_str id, name, arguments;
    } calls[8];
    size_t call_count;
    int64_t input_tokens, output_tokens;
    bool cut_by_length;
};

/* Of the output, what was thought. */
int64_t rf_sim_thinking_tokens(const struct rf_sim_said *said);

struct rf_sim_dialect {
    const char *name;
    const char *call_prefix; /* of the ids of calls, and how many letters follow */
    size_t call_letters;
    /* Read a body; false with the refusal. Whether it streams is in the body or in the path. */
    bool (*check)(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out);
    void (*say)(const struct rf_sim_request *r, const struct rf_sim_said *said,
                struct rf_sim_reply *out);
    void (*refuse)(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                   struct rf_sim_reply *out);
};

extern const struct rf_sim_dialect rf_sim_anthropic, rf_sim_bedrock, rf_sim_gemini,
    rf_sim_openai_chat, rf_sim_openai_responses, rf_sim_mistral, rf_sim_ollama, rf_sim_cohere,
    rf_sim_ollama_chat, rf_sim_ollama_responses, rf_sim_ollama_messages;

/* The dialect of that name, or NULL (dialects.c). */
const struct rf_sim_dialect *rf_sim_dialect(struct rf_str name);

/* model.c */
void rf_sim_think(const struct rf_sim_request *r, const struct rf_sim_options *o,
                  struct rf_sim_said *out);

/* What the dialects share (seen.c): adding what was seen, refusing in the words of a format,
 * checking a file's bytes against what was declared and against the model's limits, and writing. */
struct rf_sim_seen *rf_sim_see(struct rf_sim_request *r, enum rf_sim_seen_kind kind,
                               const char *role);
/* A file that is here, and what its bytes are where that is known already (else NULL). */
void rf_sim_see_file(struct rf_sim_request *r, const char *role, struct rf_str bytes,
                     const struct rf_format *format, struct rf_str mime);
/* A call that the model made before. */
void rf_sim_see_call(struct rf_sim_request *r, struct rf_str id, struct rf_str name,
                     struct rf_str arguments);
/* A tool that is offered. */
void rf_sim_offer(struct rf_sim_request *r, struct rf_str name);
/* Fills in status and message, and returns false; `type` and `param` stay as they are. */
__attribute__((format(printf, 4, 5))) bool rf_sim_refuse(struct rf_sim_request *r,
                                                         struct rf_sim_refusal *out, int status,
                                                         const char *fmt, ...);
/* Decode strict base64 and tell what the bytes are (NULL: unknown); false where it is not
 * base64. */
bool rf_sim_decode(struct rf_sim_request *r, struct rf_str base64, struct rf_str *bytes,
                   const struct rf_format **format);
/* What the bytes are; NULL: unknown. */
const struct rf_format *rf_sim_sniff(struct rf_str bytes);
/* Size and such from the header; false where it is broken. */
bool rf_sim_facts(struct rf_str bytes, const struct rf_format *format, struct rf_facts *out);

void rf_sim_chunk(struct rf_sim_reply *r, struct rf_arena *a, struct rf_str bytes);
/* Both borrowed. */
void rf_sim_header(struct rf_sim_reply *r, const char *name, const char *value);

/* A place in words: "messages.2.content.0", and as AWS counts members:
 * "messages.3.member.content.1.member". */
struct rf_str rf_sim_place_words(struct rf_arena *a, const struct rf_jpath *at);
struct rf_str rf_sim_member_words(struct rf_arena *a, const struct rf_jpath *at);

#define RF_SIM_TOKENS_PER_FILE 1500
/* About how many tokens the model was given; good from `check` on. */
int64_t rf_sim_input_tokens(const struct rf_sim_request *r);
/* Would this server know a model of that name? Rows in known.c; without any it knows all. */
bool rf_sim_knows(const struct rf_model *m);
/* Does the call carry a key where that provider wants one? The refusal of one that does not. */
bool rf_sim_admit(struct rf_sim_request *r, struct rf_sim_refusal *out);

/* ids.c: a hash (FNV-1a), a number out of two, and `n` digits of a digest that is the same for the
 * same seed. */
uint64_t rf_sim_hash(struct rf_str s);
uint64_t rf_sim_mix(uint64_t seed, uint64_t n);
struct rf_str rf_sim_hex(struct rf_arena *a, size_t n, uint64_t seed);
/* Ids of a reply: `n` letters and digits after the prefix, another one for each prefix and part; a
 * UUID; and the id of the reply's call `i`. */
struct rf_str rf_sim_id(const struct rf_sim_request *r, const char *prefix, size_t n, size_t part);
struct rf_str rf_sim_uuid(const struct rf_sim_request *r);
struct rf_str rf_sim_call_id(const struct rf_sim_request *r, size_t i);

/* NULL where there is none. */
struct rf_sim_known_call *rf_sim_call_find(const struct rf_sim_calls *c, struct rf_str id);
/* Add one; NULL where there is one of that id already. Good until the next is added. */
struct rf_sim_known_call *rf_sim_call_add(struct rf_sim_calls *c, struct rf_arena *a,
                                          struct rf_str id, struct rf_str name);

/* JSON under way: `struct rf_json *w = rf_sim_write(&writer, a); … rf_sim_written(&writer)`. */
struct rf_sim_writer {
    struct rf_rope rope;
    struct rf_json json;
};
struct rf_json *rf_sim_write(struct rf_sim_writer *w, struct rf_arena *a);
struct rf_str rf_sim_written(struct rf_sim_writer *w);
/* What was written as the whole body of a reply. */
void rf_sim_body(struct rf_sim_reply *r, int status, struct rf_sim_writer *w);
/* One server-sent event; `event` may be NULL. It sets the content type too. */
void rf_sim_event(struct rf_sim_reply *r, struct rf_arena *a, const char *event,
                  struct rf_str data);
/* Cut the next small piece off a text that is streamed, at a character's end; false at the end. */
bool rf_sim_piece(struct rf_str *rest, struct rf_str *piece);

#endif
