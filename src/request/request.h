/* The inside of a request: its plan and its body. */
#ifndef RF_REQUEST_REQUEST_H
#define RF_REQUEST_REQUEST_H

#include "base/json_write.h"
#include "plan/plan.h"

#include <refract/request.h>

struct rf_request_options {
    const char *base, *root, *cache;
    bool strict, stream, as_is, no_media;
    bool at_once; /* fail with RF_EINTERRUPTED where a worker would have to be waited for */
    bool quick_ids, by_headers; /* as struct rf_asset_place has them */
    bool own; /* who answered under the model's name was this model, of whatever provider */
    const struct rf_config *config; /* or NULL; borrowed */
    struct rf_model_cache *origins; /* of models that answered before; or NULL; borrowed */
    int64_t picture_bytes, picture_side, pages, cache_bytes; /* 0: the usual */
    int64_t ocr_pages;                                       /* -1: none; 0: the usual */
    int cancel_fd;                                           /* as in struct rf_job */
    const struct rf_withheld_file *withheld;                 /* withhold.h; borrowed */
    size_t withheld_count;
    const char *tool_root; /* as struct rf_asset_place has them; borrowed */
    const struct rf_str *granted;
    size_t granted_count;
    bool own_fields;                   /* as in struct rf_plan_options */
    const struct rf_given_body *given; /* pass.h: may be sent as it came; borrowed */
};

struct rf_decode;
struct rf_given_body;
struct rf_refusal;
struct rf_secrets;

/* The dialect of a name that a person gave. Fails with RF_EUSAGE and the names that there are. */
struct rf_dialect;
RF_MUST enum rf_code rf_dialect_named(const char *name, const struct rf_dialect **out,
                                      struct rf_err *err);

/* As rf_conversation_parse of a body that was read already; what comes out lives in `a`, and in the
 * text that the body was read from. */
RF_MUST enum rf_code rf_conversation_take(const struct rf_dialect *d, const struct rf_jval *body,
                                          struct rf_arena *a, struct rf_conversation *out,
                                          struct rf_err *err);

/* As rf_decode_stream or rf_decode_response; what comes out lives in `a`, also once it is freed. */
struct rf_decode *rf_decode_new(const struct rf_model *m, bool is_stream, struct rf_arena *a);
/* As rf_decode_finish, as a message with its ending (content/reply.h); without one where nothing
 * could be read. */
RF_MUST enum rf_code rf_decode_message(struct rf_decode *d, struct rf_message *out,
                                       struct rf_err *err);

/* All of a response, as it came. */
struct rf_str rf_decode_body(const struct rf_decode *d);
/* Has nothing come at all? */
bool rf_decode_is_empty(const struct rf_decode *d);
/* Has what came by now told of an error? Listeners hear of it at the end. */
bool rf_decode_is_error(const struct rf_decode *d);

/* As rf_model_learn. */
RF_MUST enum rf_code rf_refusal_learn(const struct rf_refusal *r, struct rf_model *m,
                                      const struct rf_config *config, size_t *fact,
                                      struct rf_err *err);

/* Take these out of what is told of and of the message. They are borrowed, and may be filled in
 * until the first bytes are fed. */
void rf_decode_redact(struct rf_decode *d, const struct rf_secrets *s);

/* Nobody asks for the message of a stream: its words are told of, and not kept. */
void rf_decode_forget(struct rf_decode *d);

/* A tool that is called goes by the name that the caller of `r`, which must stay, has for it, in
 * events and in the message: rf_request_tool. Whoever hears of it names it no more. */
void rf_decode_rename(struct rf_decode *d, const struct rf_request *r);

struct rf_respond;
/* As rf_responding_begin. */
void rf_respond_begin(struct rf_respond *r);
/* What was told as an error: an event of that type, or an end for which the API has no other word.
 * Its kind is none where there was no error; known once it is done. */
const struct rf_refusal *rf_respond_error(const struct rf_respond *r);

struct rf_request {
    struct rf_arena *arena;
    const char *cache_folder;       /* for what is converted; or NULL */
    uint64_t cache_bytes;           /* that may be kept there */
    struct rf_cache *cache;         /* made when first needed */
    int64_t ocr_pages;              /* scanned pages of one document that are recognised */
    const struct rf_config *config; /* or NULL; borrowed while it is built */
    int cancel_fd;                  /* as in struct rf_job */
    bool at_once;                   /* nothing is waited for */
    struct rf_survey survey;
    struct rf_plan plan;
    struct rf_rope body;
    const struct rf_json_mark *marks; /* where each asset stands in the body, in its order */
    size_t mark_count;
    const struct rf_given_body *given; /* the body is this, but for the model's name; or NULL */
};

/* The window that it needs, in tokens, with room for the answer; 0: the usual one does, or none is
 * known. */
int64_t rf_request_window(const struct rf_request *r);

/* Which decision of the plan sent the asset: the file itself, something that was made of it, or a
 * picture in it; their number where none did. */
size_t rf_request_decision(const struct rf_request *r, const struct rf_asset *asset);

#endif
