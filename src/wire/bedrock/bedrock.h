/* What the files of Amazon Bedrock's requests share: the encoder, and the two that read them. */
#ifndef RF_WIRE_BEDROCK_H
#define RF_WIRE_BEDROCK_H

#include "plan/ids.h"
#include "wire/aside.h"
#include "wire/wire.h"

/* The MIME type of the format of an image, document, audio or video; empty where it is unknown. */
struct rf_str rf_bedrock_mime(enum rf_block_type type, struct rf_str format);

/* A request while it is read. */
struct rf_bedrock_request {
    struct rf_builder *b;
    struct rf_aside top;
    struct rf_texts system;
    struct rf_str model;
    struct rf_ids calls;  /* a place is an index into `names`, plus one */
    struct rf_str *names; /* of the tools that were called */
    size_t name_count, name_cap;
};

/* Add a block of a user or of a tool's result, and one of an answer, to the last message. */
void rf_bedrock_said(struct rf_bedrock_request *p, const struct rf_jval *v);
void rf_bedrock_answer(struct rf_bedrock_request *p, const struct rf_jval *v);
/* A string member's text, or empty. */
struct rf_str rf_bedrock_text(struct rf_bedrock_request *p, const struct rf_jval *object,
                              const char *name);

#endif
