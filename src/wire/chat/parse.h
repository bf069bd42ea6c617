/* Reading requests of the chat wires: what is the same for all of them, and what is their own.
 *
 * parse.c knows messages, calls and tools, parse_aside.c what is kept aside, and
 * openai_chat/parse.c the parts of content and the settings. A wire is one struct
 * rf_completion_grammar:
 *
 *     return rf_completion_parse(body, &grammar, b, err);
 */
#ifndef RF_WIRE_CHAT_PARSE_H
#define RF_WIRE_CHAT_PARSE_H

#include "plan/ids.h"
#include "wire/aside.h"
#include "wire/wire.h"

#define RF_COMPLETION_KNOWN 32 /* paths of a body that one request can use up */

struct rf_completion_parse;

struct rf_completion_grammar {
    const char *provider;
    bool by_order; /* results need no ids: they answer calls in their order */
    /* Blocks of a message's content, at the end of the last message. */
    void (*content)(struct rf_completion_parse *p, const struct rf_jval *message);
    /* The options. */
    void (*settings)(struct rf_completion_parse *p, const struct rf_jval *body);
};

/* A call that a result may answer. */
struct rf_completion_open_call {
    struct rf_str id, name;
    bool answered;
};

/* Elements of a list that are kept aside, with their places in it. */
struct rf_completion_kept {
    struct rf_completion_place {
        size_t index;
        const struct rf_jval *value;
    } * list;
    size_t count, cap;
};

/* A request that is being read. */
struct rf_completion_parse {
    const struct rf_completion_grammar *grammar;
    struct rf_builder *b;
    struct rf_arena *arena;
    struct rf_str model;
    bool begun; /* messages other than a system prompt have come */
    struct rf_texts system;
    struct rf_completion_kept tools;   /* those that cannot be said in our words */
    struct rf_completion_kept prompts; /* all, */
    bool says_more;                    /* and whether one of them can not */
    struct rf_completion_open_call *calls;
    size_t call_count, call_cap;
    size_t first_open;                          /* of the last assistant message's calls */
    struct rf_ids by_id;                        /* a place is the index of a call, plus one */
    const char *known[RF_COMPLETION_KNOWN + 1]; /* of the body: what was used up */
    size_t known_count;
};

/* Read a request. Fails with RF_EFORMAT and the path of what is wrong, and with RF_ELIMIT. */
RF_MUST enum rf_code rf_completion_parse(const struct rf_jval *body,
                                         const struct rf_completion_grammar *g,
                                         struct rf_builder *b, struct rf_err *err);

/* The text of a string member; empty where it is none. */
struct rf_str rf_completion_parse_str(struct rf_completion_parse *p, const struct rf_jval *v,
                                      const char *name);

/* Aside. */

/* What `object` holds besides `known` (NULL-terminated) as {"extra":{DIALECT:{…}}}, or NULL. A path
 * "function.name" is known inside of a member. */
const struct rf_jval *rf_completion_parse_extra(struct rf_completion_parse *p,
                                                const struct rf_jval *object,
                                                const char *const *known);
/* The same without the dialect's name, as replies have it. */
const struct rf_jval *rf_completion_parse_extra_flat(struct rf_completion_parse *p,
                                                     const struct rf_jval *object,
                                                     const char *const *known);
/* The same for the whole body, with the tools and prompts that are kept aside. */
const struct rf_jval *rf_completion_parse_rest(struct rf_completion_parse *p,
                                               const struct rf_jval *body);
/* A part that is not understood here: shown as JSON where a model reads, else kept as it is. */
void rf_completion_parse_strange(struct rf_completion_parse *p, const struct rf_jval *part);

/* Content. */

/* The blocks of a list of parts, or of one of them; none of NULL. */
void rf_completion_parse_parts(struct rf_completion_parse *p, const struct rf_jval *v);
/* A block of the kind that a data URL says, else of `type`; NULL where the URL is empty. */
struct rf_block *rf_completion_parse_url(struct rf_completion_parse *p, enum rf_block_type type,
                                         struct rf_str url);

/* Settings. `path` is used up where the value is understood. */

void rf_completion_parse_known(struct rf_completion_parse *p, const char *path);
void rf_completion_parse_number(struct rf_completion_parse *p, const struct rf_jval *v,
                                const char *path, const struct rf_jval **out);
/* A whole number above 0, where `out` has none yet. */
void rf_completion_parse_count(struct rf_completion_parse *p, const struct rf_jval *v,
                               const char *path, int64_t *out);
void rf_completion_parse_stop(struct rf_completion_parse *p, const struct rf_jval *v,
                              const char *path);
/* A `response_format` that is JSON and nothing more. */
void rf_completion_parse_json(struct rf_completion_parse *p, const struct rf_jval *format);
/* Ask for thoughts; 0 tokens leave it to the plan how many. */
void rf_completion_parse_think(struct rf_completion_parse *p, int64_t budget_tokens);
/* Ask for none, where `v` is false or "disabled". */
void rf_completion_parse_unthinking(struct rf_completion_parse *p, const struct rf_jval *v,
                                    const char *path);
/* The same by a word such as "low" or "none". */
void rf_completion_parse_effort(struct rf_completion_parse *p, const struct rf_jval *v,
                                const char *path);

/* Content and settings as chat completions have them. */
void rf_completion_parse_content(struct rf_completion_parse *p, const struct rf_jval *message);
void rf_completion_parse_settings(struct rf_completion_parse *p, const struct rf_jval *body);

#endif
