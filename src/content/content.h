/* The neutral form of a conversation: what sessions store, tools return and encoders start from.
 *
 * These structs mirror the neutral JSON one to one and belong to no provider. Strings are slices of
 * the document or of the conversation's arena. A number that was not given is 0, a string that was
 * not given is empty. Fields that the format does not know stay in `extra`, the object as it was
 * read, and are written back.
 */
#ifndef RF_CONTENT_CONTENT_H
#define RF_CONTENT_CONTENT_H

#include "base/json_read.h"
#include "base/json_write.h"
#include "content/pages.h"

#include <refract/content.h>
#include <refract/conversation.h>

/* Image, document, audio or video. */
bool rf_block_is_media(enum rf_block_type type);

enum rf_source_kind {
    RF_SOURCE_NONE,
    RF_SOURCE_PATH,    /* source_path */
    RF_SOURCE_BLOB,    /* blob: "sha256:…" */
    RF_SOURCE_URL,     /* url */
    RF_SOURCE_FILE_ID, /* file_id, with provider */
    RF_SOURCE_DATA,    /* data: base64 */
    RF_SOURCE_BYTES,   /* the bytes themselves, of one that a program made; written as data */
};

struct rf_looked;

struct rf_source {
    enum rf_source_kind kind;
    struct rf_str ref;              /* the path, blob, URL, id, base64 text or bytes */
    struct rf_str provider;         /* whose file_id it is */
    struct rf_str blob;             /* FILE_ID: the same bytes for everybody else, or empty */
    const struct rf_looked *looked; /* PATH: what was found where the file came in, for those who
                                     * look at it next: source/inspect.h; or NULL. It outlives all
                                     * copies of the block. */
    bool foreign; /* PATH: a person had it fetched, and it is not a file of theirs */
};

struct rf_media {
    struct rf_source source;
    struct rf_str id, media_type, name, detail;
    int64_t width, height, size_bytes, duration_ms, page_count;
    struct rf_pages pages; /* page_range; 0, 0: not given */
    struct rf_str extracted_text, transcript;
    int64_t confidence; /* IMAGE, DOCUMENT: of text that was recognised in it, 1 to 100; or 0 */
};

struct rf_tool_call {
    struct rf_str id, name, signature;
    const struct rf_jval *arguments; /* NULL when not given: an empty object */
};

struct rf_block {
    enum rf_block_type type;
    struct rf_str text_fallback;
    struct rf_str audience;          /* "user": for the person alone; else for all */
    struct rf_str full_text;         /* the blob that holds all of a text that was cut, or empty */
    struct rf_str text;              /* TEXT */
    const struct rf_jval *citations; /* TEXT: an array or NULL */
    const struct rf_jval *value;     /* JSON, OPAQUE */
    struct rf_str dialect;           /* OPAQUE: whose it is */
    struct rf_media media;           /* IMAGE, DOCUMENT, AUDIO, VIDEO */
    struct rf_thinking thinking;     /* THINKING */
    struct rf_tool_call call;        /* TOOL_CALL */
    const struct rf_jval *extra;     /* the object it was read from, or NULL */
};

/* Of a tool's result: no model is shown it. */
bool rf_block_is_for_person(const struct rf_block *b);

struct rf_ending;

struct rf_message {
    enum rf_role role;
    enum rf_speaker speaker; /* USER */
    struct rf_block *blocks; /* content; of a tool message: content_blocks */
    size_t block_count;
    struct rf_str origin_provider, origin_model; /* ASSISTANT */
    bool sealed; /* seal.h tells the origin: that provider's model, and no namesake's; none: it is
                  * an unknown other one's */
    const struct rf_jval *origin;   /* the object, for what else it holds */
    const struct rf_ending *ending; /* ASSISTANT, just decoded: reply.h; of one that was read it is
                                     * in `extra` */
    /* TOOL */
    struct rf_str tool_call_id, name, output, error;
    struct rf_str full_output, full_error; /* the blobs that hold all of them where they were cut */
    bool failed;                           /* success was false */
    const struct rf_jval *data;            /* or NULL */
    const struct rf_jval *files_changed;
    const struct rf_jval *extra; /* the object it was read from, or NULL */
};

struct rf_tool {
    struct rf_str name, description;
    const struct rf_jval *input_schema; /* or NULL */
    bool strict;                        /* calls must fit the schema */
    const struct rf_jval *extra;
};

enum rf_choice {
    RF_CHOICE_UNSET,
    RF_CHOICE_AUTO,
    RF_CHOICE_NONE,
    RF_CHOICE_REQUIRED,
    RF_CHOICE_TOOL, /* the one named */
};

struct rf_options {
    int64_t max_tokens;
    const struct rf_jval *temperature, *top_p; /* numbers, as spelled; or NULL */
    const struct rf_jval *stop;                /* an array of strings, or NULL */
    const struct rf_jval *thinking;            /* the object, or NULL */
    bool thinking_off;                         /* its `off` */
    struct rf_str thinking_level;              /* its `level`: low, medium, high; or empty */
    int64_t thinking_budget;                   /* its budget_tokens; 0 when not given */
    const struct rf_jval *schema;              /* that the answer must fit, an object; or NULL */
    bool json;                                 /* it must be JSON, of whatever shape */
    bool stream;
    bool single_call;                    /* at most one tool call in an answer */
    const struct rf_jval *allowed_tools; /* names of those that may be called; NULL: all */
    const struct rf_jval *extra;         /* the object it was read from, or NULL */
};

struct rf_conversation {
    struct rf_arena *arena;
    struct rf_str dialect; /* of the API that it was imported from; empty when it is our own */
    struct rf_str system;
    struct rf_tool *tools;
    size_t tool_count, tool_cap; /* the caps are of those to which something was added */
    enum rf_choice tool_choice;
    struct rf_str tool_choice_name;
    struct rf_options options;
    struct rf_message *messages;
    size_t message_count, message_cap;
    const struct rf_blob_source
        *blobs; /* of the session that it came from: source/asset.h; or NULL */
    const struct rf_jval *extra;
};

struct rf_blob_source;

/* Fill a conversation from the JSON text `text`, which must outlive it, as must `a`. Fails with
 * RF_EFORMAT and the path of what is wrong, and with RF_ELIMIT. */
RF_MUST enum rf_code rf_content_read(struct rf_str text, struct rf_arena *a,
                                     struct rf_conversation *out, struct rf_err *err);

/* Write it as the neutral format: canonical field order, then what was not known. */
void rf_content_write(const struct rf_conversation *c, struct rf_json *w);

/* The settings alone, an object without "refract" and "messages": dialect, system, tools,
 * tool_choice, options and what is not known. Reading fails with RF_EFORMAT, and leaves `out`
 * without messages. */
RF_MUST enum rf_code rf_settings_read(const struct rf_jval *v, struct rf_arena *a,
                                      struct rf_conversation *out, struct rf_err *err);
void rf_settings_write(const struct rf_conversation *c, struct rf_json *w);

#endif
