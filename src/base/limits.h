/* Every limit on a size that input can choose, in one place. */
#ifndef RF_BASE_LIMITS_H
#define RF_BASE_LIMITS_H

#define RF_MAX_JSON_DEPTH 512                   /* nesting of arrays and objects */
#define RF_MAX_JSON_BYTES ((size_t)1 << 30)     /* one JSON document */
#define RF_MAX_DOCUMENT_BYTES ((size_t)1 << 30) /* a conversation read from a file or a pipe */
#define RF_MAX_LIST ((size_t)1 << 20)           /* messages, tools, or blocks of one message */
#define RF_MAX_CONFIG_BYTES ((size_t)1 << 20)
#define RF_MAX_CONFIG_DEPTH 16                            /* nesting of a configuration file */
#define RF_MAX_CONFIG_ENTRIES 1000                        /* of one map or list in it */
#define RF_MAX_KEYS 64                                    /* of one provider */
#define RF_MAX_FILE_BYTES ((unsigned long long)512 << 20) /* one attachment that may be sent */
#define RF_MAX_REPLY_BYTES ((size_t)256 << 20)            /* a model's reply, all of its blocks */
#define RF_MAX_REPLY_BLOCKS ((size_t)10000)               /* of one reply */
#define RF_MAX_STREAM_BYTES ((uint64_t)1 << 30) /* one stream, from its beginning to its end */
#define RF_MAX_FRAME_BYTES ((size_t)256 << 20)  /* one message of a stream */
#define RF_MAX_INLINE_TEXT ((unsigned long long)8 << 20) /* a file written as text */
#define RF_MAX_MODEL_NAME 512 /* bytes of a model's name in a client's request */
#define RF_MAX_NAME_SHOWN 80  /* bytes of a file name in a note */
#define RF_MIN_LIFT_BASE64 64 /* shorter base64 in a tool's text stays text */

#define RF_MAX_COUNT ((int64_t)1 << 53)  /* what a worker counts: what JSON says exactly */
#define RF_MAX_TOKENS ((int64_t)1 << 40) /* that a reply claims; sums of them are numbers, too */
#define RF_MAX_SIDE ((int64_t)1 << 30)   /* pixels along a side: an area is a number, too */
#define RF_MAX_PAGES 100000              /* of a document; one that claims more is not believed */

#endif
