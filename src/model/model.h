/* What a model takes, where, and how much: the catalogue, and what the user says against it.
 *
 * Every fact has a name, a value and a source. An endpoint's own row comes first, then the most
 * specific family row that matches the model's name, then what the provider's list and the server
 * say of the model, then what refusals taught, then the configuration; each may set any single fact
 * and leaves the rest. The same names stand in catalogue.c, in config.yaml under `capabilities`,
 * and in `refract models`.
 *
 * MIME lists are patterns with commas between them ("image/png,image/jpeg", "text/" "*"); what is
 * in `inside` may stand in a tool result, what is in `user` in a user message. A kind is taken at
 * all only when its switch (vision, native_pdf, …) is on.
 */
#ifndef RF_MODEL_MODEL_H
#define RF_MODEL_MODEL_H

#include "base/error.h"
#include "base/str.h"
#include "content/content.h"
#include "media/media.h"
#include "model/calibration.h"

#include <refract/model.h>

struct rf_arena;

/* Where injected media goes, after all tool results of a turn. */
enum rf_after {
    RF_AFTER_NEXT_TURN, /* into a user turn of its own, right after the results */
    RF_AFTER_SAME_TURN, /* into the turn of the results, where `beside` allows the kind */
    RF_AFTER_SEPARATED, /* after a short assistant turn */
};

enum rf_thinking_style {
    RF_THINKING_NONE,     /* not asked for; thoughts that came all the same go back */
    RF_THINKING_NO,       /* the model does not think: not asked for, and none go back */
    RF_THINKING_ALWAYS,   /* it thinks unasked, and cannot be asked */
    RF_THINKING_BUDGET,   /* a number of tokens */
    RF_THINKING_ADAPTIVE, /* on, the model chooses */
    RF_THINKING_EFFORT,   /* low, medium, high */
    RF_THINKING_LEVEL,    /* low, high */
    RF_THINKING_SWITCH,   /* true */
};

/* Can an answer be made to fit a JSON Schema? */
enum rf_answer_schema {
    RF_ANSWER_SCHEMA_NO,
    RF_ANSWER_SCHEMA_ALONE, /* where no tools are offered */
    RF_ANSWER_SCHEMA_YES,
};

/* Can a conversation end with an answer that the model is to go on with? */
enum rf_prefill {
    RF_PREFILL_YES,
    RF_PREFILL_NO,
    RF_PREFILL_MARKED,  /* where the answer says that it is one */
    RF_PREFILL_TRIMMED, /* where it does not end in white space */
};

/* Can a choice be held to some of the tools that are offered? */
enum rf_allowed_tools {
    RF_ALLOWED_TOOLS_NO,
    RF_ALLOWED_TOOLS_FORCED, /* where a call is required */
    RF_ALLOWED_TOOLS_YES,
};

/* How thoughts of earlier turns go back on a chat wire. */
enum rf_reasoning_field {
    RF_REASONING_NONE,
    RF_REASONING_CONTENT,  /* reasoning_content: text */
    RF_REASONING_PLAIN,    /* reasoning: text */
    RF_REASONING_DETAILS,  /* reasoning_details: typed list */
    RF_REASONING_BLOCKS,   /* thinking_blocks: list with signatures */
    RF_REASONING_RECEIVED, /* each in the field that it came in */
};

/* Which thoughts of earlier turns go back to the model that had them. */
enum rf_replay {
    RF_REPLAY_NONE,
    RF_REPLAY_SIGNED,    /* those with a signature, and redacted ones */
    RF_REPLAY_ENCRYPTED, /* those with encrypted state, before the item they led to */
    RF_REPLAY_TEXT,      /* all */
};

/* What a video is written as on a chat wire. */
enum rf_video_field {
    RF_VIDEO_URL,
    RF_VIDEO_FILE,
};

/* What others' ids are made to be. Those that the server may have given stay as they are where it
 * takes them, plan/ids.c. */
enum rf_id_rule {
    RF_IDS_ANY,
    RF_IDS_WORD64, /* letters, digits, '_' and '-', at most 64 */
    RF_IDS_ALNUM9, /* exactly nine letters and digits */
    RF_IDS_SEALED, /* WORD64; a proxy's own may have a signature inside */
    RF_IDS_WORD40, /* as WORD64, at most 40; its own may have any letters */
    RF_IDS_OWN40,  /* WORD40; its own may look like anything */
    RF_IDS_ANY64,  /* WORD64; its own may have any letters */
};

struct rf_caps {
    struct rf_str dialect;     /* "anthropic", "cohere", … */
    struct rf_str server;      /* the program that answers, where that matters: "ollama" */
    bool takes[RF_KIND_COUNT]; /* the switches */
    struct rf_str inside[RF_KIND_COUNT], user[RF_KIND_COUNT];    /* MIME lists */
    unsigned url_inside, url_user, file_id_inside, file_id_user; /* masks of 1 << kind */
    unsigned unseen_inside;    /* kinds accepted inside a result and never shown to the model */
    struct rf_str url_schemes; /* "https,http" */
    unsigned reference_only;   /* kinds that go by URL or file id only, not as bytes */
    bool typed_references;     /* a URL or file id goes only where the type of the file is known */

    enum rf_after after;
    unsigned beside;          /* kinds that may stand in the same turn as tool results */
    bool system_turns;        /* system and developer messages may stand among the others */
    bool system_alone;        /* a system prompt may be all there is */
    bool merge_turns;         /* two turns of one role must be one */
    enum rf_prefill prefill;
    bool error_text_only;     /* a failed result holds text only */
    unsigned in_answers;      /* kinds that an answer goes back with, to the model that gave it */
    bool signed_texts;        /* texts of an answer have marks of their own, empty ones too */
    bool result_status;       /* results carry a success or error mark */
    bool text_documents;      /* text of a document goes as a text document, not as plain text */
    bool document_names;      /* a document goes with its name */
    bool document_wishes;     /* it goes with a context, and a wish for citations */
    bool told_first;          /* what is sent of a file, and what not, is said before it */
    bool page_text;           /* text that is known goes along with pictures of its pages */
    bool document_needs_text; /* a turn with a document must hold text too */
    bool tools;               /* tools are offered, and calls and results go as such */
    bool tools_required;      /* calls in the history need tool definitions */
    struct rf_str answer_members; /* of which one alone is an answer that goes back: "audio" */
    struct rf_str call_signature; /* to send with a call that has no opaque mark of its own */
    bool citations;               /* answers name the sources of what they say */
    bool audio_output;            /* answers may be sound */
    bool sampling;                /* temperature and top_p are accepted */
    bool sampling_unthinking;     /* they are where it is told not to think */
    bool one_sampling;            /* one of the two, not both */
    struct rf_str settings;       /* of other APIs that it takes: "top_k,seed" */
    bool own_fields;              /* what only its API can say was said to it, and goes back */
    bool cache_marks;             /* places can be marked up to which a prompt is cached */
    bool cache_texts;             /* of what is in a message, texts alone can be marked */
    bool cache_ttl;               /* a mark can say for how long */
    bool stop;                    /* texts that end an answer are accepted */
    bool stop_visible;            /* which must have more than blanks */
    bool forced_tool_choice;      /* a call can be required */
    bool tool_choice_none;        /* calls can be forbidden with tools at hand */
    enum rf_allowed_tools allowed_tools;
    bool strict_tools; /* calls can be made to fit their tool's schema */
    bool flat_tools;   /* which has no choice between schemas at its top */
    bool single_call;  /* an answer can be held to one call */
    bool stream_usage; /* asks for usage in streams */
    enum rf_id_rule call_ids;
    enum rf_thinking_style thinking;
    bool thinking_adaptive; /* BUDGET: it can be left to the model too */
    bool thinking_off;      /* it can be told not to think */
    enum rf_answer_schema answer_schema;
    enum rf_answer_schema json_mode; /* the same of JSON without a schema */
    bool json_in_message; /* that wish must be said in a message too: instructions do not count */
    enum rf_reasoning_field reasoning_field;
    enum rf_replay replay;
    int64_t max_temperature, max_stops;
    int64_t min_thinking_tokens; /* of a budget; with one, sampling and forced calls are refused */
    struct rf_str max_tokens_field;
    enum rf_video_field video_field;

    /* Limits; 0 is unknown. */
    int64_t max_images, max_image_bytes, max_image_base64, max_image_side, max_image_pixels;
    int64_t many_image_side; /* when there are many pictures */
    bool pages_are_images;   /* pages of PDF count among the pictures */
    int64_t min_page_base64; /* of a page as a picture: with less, it cannot be read */
    int64_t max_text_bytes;
    int64_t max_body_bytes, max_documents, max_document_bytes, max_pdf_pages, max_video_bytes;
    int64_t context_tokens, output_tokens, max_output_tokens, min_output_tokens;
    int64_t usual_context_tokens; /* of the window that a request gets which asks for none */

    /* Millionths of a US dollar for a million tokens; 0 is unknown: see price.h. */
    int64_t price_input, price_output;
    /* Of the input: what comes out of a cache; what goes into one, and for an hour. */
    int64_t price_cached, price_cache_write, price_cache_write_hour;

    /* Token formulas: see tokens.h. */
    struct rf_str image_tokens;
    int64_t page_tokens, audio_tokens_per_s, video_tokens_per_s;
    int64_t page_base_tokens; /* of a page over its text; 0: the text costs nothing of its own */
    /* Of text; 0: the usual. Percentages are tokens of a hundred. */
    int64_t text_percent;     /* of what plain text costs in a large vocabulary */
    int64_t token_digits;     /* digits in one token */
    int64_t cjk_percent;      /* of Chinese, Japanese and Korean characters */
    int64_t script_percent;   /* of letters of other scripts than Latin */
    int64_t language_percent; /* of words of other languages in Latin letters, to English ones */
    /* What is paid for besides what was written. */
    int64_t request_tokens; /* a request */
    int64_t message_tokens; /* a message */
    int64_t call_tokens;    /* a tool call, a result, a text document */
    int64_t tools_tokens;   /* a request that offers tools */
    int64_t tool_tokens;    /* a tool, over its description */
    int64_t schema_percent; /* of the JSON of a tool's schema; 0: all of it */
    int64_t sealed_bytes;   /* of encrypted thoughts of this turn, a token; 0: they cost nothing */
};

/* When and by which words a fact was learned or described; empty where it was not. */
struct rf_taught {
    struct rf_str date, words;
};

struct rf_kept_model;

struct rf_model {
    struct rf_arena *arena;
    struct rf_kept_model *kept;   /* whose copy this is, and whose strings it has; or NULL */
    struct rf_str provider, name; /* "anthropic", "claude-sonnet-5" */
    struct rf_str address;        /* that the provider was moved to; empty: its own */
    bool known;                   /* a family row matched */
    struct rf_str family;         /* the pattern of that row, or empty */
    struct rf_caps caps;
    enum rf_fact_source *sources;      /* one a fact, in the order of rf_fact_count() */
    struct rf_calibration calibration; /* of token estimates; zero: none */
    struct rf_taught *taught;          /* one a fact, or NULL where none was learned */
    struct rf_str described;           /* the day on which the server told of it; or empty */
    struct rf_str asked;    /* the day on which the server was asked by this process; or empty */
    struct rf_err *problem; /* with what was learned; NULL: none */
    bool shortened;         /* it was named in part */
    bool listed;            /* it is in the provider's list */
    const char *question;   /* "Did you mean A? ", for who refuses the name; or NULL */
    struct rf_str meant;    /* the name that it is a misspelling of, perhaps; else empty */
    /* How it is asked where nobody says otherwise; empty: the configuration does not say. */
    struct rf_options options;
    struct rf_str system;
};

/* Fill a model for `provider` and `name` from the catalogue alone. Fails with RF_EUSAGE where no
 * endpoint of that name exists. All of it lives in `a`. */
RF_MUST enum rf_code rf_model_init(struct rf_model *m, struct rf_str provider, struct rf_str name,
                                   struct rf_arena *a, struct rf_err *err);

/* Set one fact by name, as configuration does. Fails with RF_ECONFIG: no such fact, or a value that
 * does not fit it. */
RF_MUST enum rf_code rf_model_set(struct rf_model *m, struct rf_str fact, struct rf_str value,
                                  enum rf_fact_source source, struct rf_err *err);

/* The same for what a refusal taught. A fact that the configuration has set stays as it is. */
enum rf_code rf_model_teach(struct rf_model *m, struct rf_str fact, struct rf_str value,
                            struct rf_str date, struct rf_str words, struct rf_err *err);
/* The same for what the server says of it. What a refusal taught stays as it is, too. */
enum rf_code rf_model_describe(struct rf_model *m, struct rf_str fact, struct rf_str value,
                               struct rf_str date, struct rf_str words, struct rf_err *err);

/* The same for what the provider's list of models says of it, "NAME=VALUE …": it counts before the
 * catalogue alone. What makes no sense is passed over. */
void rf_model_take_listed(struct rf_model *m, struct rf_str facts, struct rf_str date);

/* A fact of the catalogue that may change, with the day on which it was so. */
void rf_model_date(struct rf_model *m, struct rf_str fact, struct rf_str value, struct rf_str date);

/* What is wrong with what was learned; code RF_OK: nothing. */
void rf_model_set_problem(struct rf_model *m, const struct rf_err *problem);

/* Set how it is asked, as configuration does: max_tokens, temperature, thinking or system. Fails
 * with RF_ECONFIG: a value that does not fit it. */
RF_MUST enum rf_code rf_model_setting(struct rf_model *m, struct rf_str name, struct rf_str value,
                                      struct rf_err *err);

/* Does the model think when it is asked to? Which thoughts go back to it? */
bool rf_caps_thinks_when_asked(const struct rf_caps *c);
enum rf_replay rf_caps_replay(const struct rf_caps *c);

/* Is `mime` in the list? */
bool rf_mime_in(struct rf_str list, struct rf_str mime);

/* What the model takes, in words for a note: "images (png, jpeg), PDF and text". */
struct rf_str rf_caps_words(const struct rf_caps *c, struct rf_arena *a);

#endif
