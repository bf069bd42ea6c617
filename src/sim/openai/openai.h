/* What the two dialects of OpenAI share, and all who speak one of them: the words of their
 * refusals, pictures, files, tools, and what a family of models refuses. Each provider is a row of
 * rules.
 *
 * The words are OpenAI's, as recorded; where a provider is known to say it differently, `words`
 * tells. */
#ifndef RF_SIM_OPENAI_H
#define RF_SIM_OPENAI_H

#include "sim/strict.h"

enum rf_sim_openai_words {
    RF_SIM_AS_OPENAI,     /* {"error":{message,type,param,code}} */
    RF_SIM_AS_GROQ,       /* the same without param, and other words for unknown members */
    RF_SIM_AS_OPENROUTER, /* {"error":{code: number, message}} */
    RF_SIM_AS_XAI,        /* {"code","error"} */
};

struct rf_sim_openai_rules {
    const char *provider;
    enum rf_sim_openai_words words;
    bool strict;          /* members that it does not know are refused */
    bool strict_messages; /* chat: in messages too */
    bool result_parts;    /* chat: tool messages may hold more than text, seen or not */
    bool families;        /* models are OpenAI's own, and refuse what their family does */
    bool no_inline_files; /* responses: files go by reference only, and only in user messages */
    /* What is answered. */
    const char *id_prefix;   /* of a completion, before its letters */
    const char *fingerprint; /* system_fingerprint; or NULL */
    const char *tier;        /* service_tier, of Groq only in a whole body; or NULL */
    const char *host;        /* provider: who answered for it; or NULL */
    bool whole_calls;        /* a stream brings each call in one piece */
    bool usage_apart;        /* a stream says it last, and only where it is asked for */
    bool thinking_parts;     /* thoughts are parts of the content */
    bool token_details;      /* usage says what kinds of tokens they were */
};

struct rf_sim_openai {
    struct rf_sim_request *r;
    struct rf_sim_refusal *refusal;
    const struct rf_sim_openai_rules *rules;
    bool chat; /* and not Responses */
    int64_t images;
    const char *role; /* of the message that is read */
};

const struct rf_sim_openai_rules *rf_sim_openai_rules(struct rf_str provider);

/* All return false, with the refusal, where something is wrong. */

/* 400; `at` is the parameter, and NULL where the server names none. */
__attribute__((format(printf, 4, 5))) bool rf_sim_openai_refuse(struct rf_sim_openai *c,
                                                                const struct rf_jpath *at,
                                                                const char *code, const char *fmt,
                                                                ...);
bool rf_sim_openai_members(struct rf_sim_openai *c, const struct rf_jval *object,
                           const struct rf_jpath *at, const char *members);
/* The same of a chat message and of its calls: what is unknown there is mostly ignored. */
bool rf_sim_openai_message(struct rf_sim_openai *c, const struct rf_jval *message,
                           const struct rf_jpath *at, const char *members);
/* "Invalid value: 'x'. Supported values are: …" where a string is none of the words. */
bool rf_sim_openai_choice(struct rf_sim_openai *c, const struct rf_jval *v,
                          const struct rf_jpath *at, const char *words);
/* A string of 1 to `max` bytes. */
bool rf_sim_openai_string(struct rf_sim_openai *c, const struct rf_jval *v,
                          const struct rf_jpath *at, size_t max);
/* The same of letters, digits, '_' and '-' only. */
bool rf_sim_openai_word(struct rf_sim_openai *c, const struct rf_jval *v, const struct rf_jpath *at,
                        size_t max);
/* The schema of a function's parameters, which may be absent, at `at`. */
bool rf_sim_openai_parameters(struct rf_sim_openai *c, const struct rf_jval *function,
                              const struct rf_jpath *at);
/* An item's own id, which may be absent: it begins with the prefix of its type. */
bool rf_sim_openai_id(struct rf_sim_openai *c, const struct rf_jval *item, const char *prefix,
                      const struct rf_jpath *at);
/* "array too long": a list of at most `most` elements. */
bool rf_sim_openai_length(struct rf_sim_openai *c, const struct rf_jval *list,
                          const struct rf_jpath *at, size_t most);
/* A number that must not be below `least`, nor above `most`. */
bool rf_sim_openai_number(struct rf_sim_openai *c, const struct rf_jval *body, const char *name,
                          double least, double most);

/* A picture by its URL, seen as part of where we are. */
bool rf_sim_openai_image(struct rf_sim_openai *c, struct rf_str url, const struct rf_jpath *at);
/* A file inside a data URL, of one of the kinds in `kinds` (1 << kind). */
bool rf_sim_openai_file(struct rf_sim_openai *c, struct rf_str url, unsigned kinds,
                        const struct rf_jpath *at);
/* One that is not here: a URL or an id. */
void rf_sim_openai_reference(struct rf_sim_openai *c, struct rf_str reference, const char *mime);
void rf_sim_openai_text(struct rf_sim_openai *c, struct rf_str text);

/* The model's name, what holds for every body, and what its family refuses. */
bool rf_sim_openai_model(struct rf_sim_openai *c, const struct rf_jval *body);
bool rf_sim_openai_limits(struct rf_sim_openai *c, const struct rf_jval *body);
/* Effort, sampling: `effort` may be NULL, `at` is where it stands. */
bool rf_sim_openai_family(struct rf_sim_openai *c, const struct rf_jval *body,
                          const struct rf_jval *effort, const struct rf_jpath *at);

/* An error body, in the provider's shape. */
void rf_sim_openai_error(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                         struct rf_sim_reply *out);

#endif
