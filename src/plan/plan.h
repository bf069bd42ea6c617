/* The plan: what becomes of every file, and the turns that will be written.
 *
 * Pure functions in two steps. rf_plan_decide gives every file its rung of the ladder (inside the
 * result, injected after it, text, a note). Then, when those that will be named have their ids,
 * rf_plan_lay_out builds the turns: pairs of calls and results made whole, all results of a
 * turn together, injected media after them with its introduction, separating turns where the
 * endpoint wants them. What is left for an encoder is spelling.
 */
#ifndef RF_PLAN_PLAN_H
#define RF_PLAN_PLAN_H

#include "model/model.h"
#include "source/made.h"
#include "source/survey.h"

#include <refract/request.h>

/* What became of one file. */
struct rf_decision {
    const struct rf_part *part;
    const struct rf_surveyed *message;
    enum rf_delivery delivery;
    bool evicted;               /* it made room for others */
    bool inlined;               /* TEXT: it is a text file, and all of it is written as text */
    struct rf_str as;           /* what is sent: a MIME type, or words */
    struct rf_str reason;       /* why not natively; empty when native */
    struct rf_recipe recipe;    /* what is sent has to be made first, by this */
    const struct rf_made *made; /* that it has been; NULL while it has not */
    struct rf_str text;         /* of the file, where it was extracted for this request */
    struct rf_recipe
        also;           /* of a film that goes as frames: what is said in it, which is made too */
    struct rf_str said; /* that, once it has been */
    const char *limit_name; /* the limit that stopped it, or NULL */
    int64_t limit;
    int64_t tokens; /* estimate; -1: unknown. Laid out: of all that is sent of it; -1: of `words` */
    struct rf_str words; /* laid out: that stand for it, where words do */
    int64_t pages;       /* of a document that is sent as pages: how many; 0: unknown */
    enum rf_form form;   /* as what it goes, and what of it does not: account.h */
    struct rf_str *lost;
    size_t lost_count, lost_cap;
    bool recognised; /* its text was read off pictures, and may be wrong */
    /* Pictures inside a document that goes as its text: a decision each, and how many of them go
     * along. */
    struct rf_decision *pictures;
    size_t picture_count, pictures_kept;
    size_t kept;     /* of the pieces of its text (pieces.h), where not all are sent; 0: all */
    bool never_sent; /* evicted: no request before held it either */
    bool examine;    /* a worker is to examine the file before this can stand */
};

/* It goes as media: itself, or what was made of it. */
static inline bool rf_decision_is_sent(const struct rf_decision *d)
{
    return d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK;
}

/* Words stand for it, or for what was left of it. */
static inline bool rf_decision_is_words(const struct rf_decision *d)
{
    return !rf_decision_is_sent(d) && !d->inlined;
}

enum rf_item_kind {
    RF_ITEM_TEXT,      /* `text`; `block` where the model that it goes to said it */
    RF_ITEM_JSON,      /* `text` is compact JSON; `json_object` when it is an object */
    RF_ITEM_MEDIA,     /* `asset` as itself, an image, document, sound or video */
    RF_ITEM_TEXT_FILE, /* the bytes of `asset` as text; `text` is its heading */
    RF_ITEM_THINKING,  /* `block`, to where it came from */
    RF_ITEM_CALL,      /* `block`; `id` and `name` are legal here */
    RF_ITEM_OPAQUE,    /* `block`, whose value this dialect wrote itself; `text` says the same */
    RF_ITEM_RESULT,    /* `items` of the result of the call `id` of the tool `name` */
};

struct rf_item {
    enum rf_item_kind kind;
    struct rf_str text;
    bool json_object;
    bool plain; /* TEXT_FILE: as plain text, also where text documents exist */
    const struct rf_asset *asset;
    struct rf_str label;          /* MEDIA: a neutral name, unique in the request: "document 1" */
    const struct rf_block *block; /* of a RESULT: that of its call */
    struct rf_str id, name;
    struct rf_str signature;    /* CALL: the opaque mark to send with it; may be empty */
    bool failed;                /* RESULT */
    bool thoughtless;           /* of an answer, of which thoughts are left out */
    bool cache;                 /* the prompt up to here is worth keeping: mark it */
    const struct rf_jval *mark; /* by this, as an API was told to; NULL: in the usual way */
    const struct rf_jval *own;  /* what else its own API was told of it, to go back; or NULL */
    const struct rf_jval *call_own; /* RESULT: `own` of its call */
    struct rf_item *items;          /* RESULT: TEXT, JSON, MEDIA and TEXT_FILE; never none */
    size_t count, cap;
    const struct rf_surveyed *of; /* the message that it is of, or was added for; NULL: of none */
};

struct rf_turn {
    enum rf_role role;         /* USER or ASSISTANT; the results are items of a USER turn, first */
    enum rf_speaker speaker;   /* USER: in whose name; such turns are never joined */
    const struct rf_jval *own; /* of its first message: as in an item */
    struct rf_item *items;
    size_t count, cap;
};

/* A piece of the system prompt. */
struct rf_plan_prompt {
    struct rf_str text;
    const struct rf_jval *mark; /* at its end, as in an item; NULL: it has none */
};

/* A setting of another API's request that goes along: carried.h. */
struct rf_carried {
    const char *path; /* of the body: "seed", "options.seed" */
    const struct rf_jval *value;
};

struct rf_pairing;
struct rf_joint_message;

struct rf_plan {
    const struct rf_conversation *conversation;
    const struct rf_model *model;
    struct rf_joint_message *messages;    /* what becomes of each: joint.h */
    const struct rf_plan_origin *origins; /* of the options */
    size_t origin_count;
    struct rf_pairing *pairing;    /* which result answers which call: pairing.h */
    struct rf_decision *decisions; /* one a file, in order */
    size_t decision_count;
    struct rf_turn *turns;
    size_t turn_count, turn_cap;
    struct rf_tool *tools; /* with legal names */
    size_t tool_count;
    /* What only this API can say, kept aside when its request was read; NULL elsewhere. */
    bool own_fields;                           /* it goes back, whatever is known of the endpoint */
    const struct rf_jval *kept, *kept_options; /* members of the body, and of its options */
    const struct rf_jval *server_tools;        /* [{"value": tool}, …] that it runs itself */
    struct rf_str tool_choice_name;
    bool stream;
    struct rf_plan_prompt *prompts; /* the system prompt, where a piece of it is marked */
    size_t prompt_count;            /* 0: it is in one piece */
    const struct rf_jval **marks;   /* of each tool, or NULL; NULL: no tool has one */
    bool offers_tools;              /* the tools are sent, not only named */
    int64_t max_tokens;             /* to send; 0: leave it out */
    int64_t answer_tokens;          /* of the window, kept for the answer; 0: unknown */
    int64_t window;                 /* tokens to ask for; 0: the usual one does */
    int64_t thinking_budget;        /* to send; 0: no thinking asked for */
    struct rf_str thinking_level;   /* how much was asked for: low, medium, high; empty: not said */
    bool thinking_off;              /* to be turned off */
    bool thinking_adaptive;         /* the model decides how much, where a number can say it too */
    const struct rf_jval *schema;   /* of the answer, to send; or NULL */
    struct rf_str schema_name;      /* that a client of another API gave it; empty: none */
    bool json;                      /* ask for JSON without a schema */
    bool says_json;                 /* and in a message of its own too */
    bool mid_turn;                  /* the calls that are answered last came without own thoughts */
    const struct rf_jval *temperature, *top_p, *stop; /* to send, or NULL */
    struct rf_carried *carried;
    size_t carried_count, carried_cap;
    enum rf_choice tool_choice;
    bool single_call;       /* hold the answer to one call */
    bool says_allowed;      /* that not all of the tools may be called, but those of `allowed` */
    struct rf_str *allowed; /* legal names */
    size_t allowed_count;
    struct rf_str *notices; /* what was left out besides files: options, tools, texts */
    size_t notice_count, notice_cap;
};

/* A model that answered in the conversation, and the kinds (bits) that it could not be shown. */
struct rf_plan_origin {
    struct rf_str provider, model;
    unsigned blind;
};

struct rf_plan_options {
    bool strict; /* what loses something or changes its kind is an error: account.h */
    bool stream;
    bool convert; /* workers can be asked to make what an endpoint takes of what it does not */
    int64_t picture_side;  /* pixels that no longer side of a picture needs to have; 0: the usual */
    int64_t picture_bytes; /* of one picture as base64; 0: the usual */
    int64_t pages;         /* of one document as pictures or as text; 0: as many as fit */
    int64_t frames;        /* of a video; 0: the usual */
    struct rf_str transcribe; /* the command that tells what is said in a recording; or empty */
    bool own_fields;          /* whoever wrote the request wrote it for this endpoint */
    bool no_media;            /* notes for all files: a request that sums a conversation up */
    const struct rf_plan_origin *origins; /* all whose files may come back into sight: sight.h */
    size_t origin_count;
};

/* The usual limits. */
#define RF_PICTURE_SIDE 2048
#define RF_PICTURE_BYTES 5242880
#define RF_PAGES 20 /* as pictures or as text, where no limit of the endpoint is known */

/* Step one. A decision whose `recipe` has not been followed yet (`made` is NULL) waits for it:
 * have it made, add the outcome to the asset, and decide again. In strict mode fails with
 * RF_EUNSUPPORTED (or the file's own problem) at the first file that something would be lost of,
 * or that would go as another kind of thing, and names it: at once where nothing that is still
 * to be made can change that. */
RF_MUST enum rf_code rf_plan_decide(const struct rf_survey *s, const struct rf_model *m,
                                    const struct rf_plan_options *options, struct rf_arena *a,
                                    struct rf_plan *out, struct rf_err *err);

/* Is it by the model that it goes to? */
bool rf_plan_came_from_here(const struct rf_plan *p, const struct rf_message *m);

/* Does its own client have the other side keep answers, as that does unless told not to? */
bool rf_plan_is_stored(const struct rf_plan *p);

/* Does the thought go back to the model that had it: can that be told that it is its own? */
bool rf_plan_thought_goes_back(const struct rf_plan *p, const struct rf_message *m,
                               const struct rf_block *b);

/* Where the conversation has the file: messages[2].content_blocks[0]. It is made of `at`. */
const struct rf_jpath *rf_decision_path(const struct rf_decision *d, struct rf_jpath at[4]);

/* Does a text on the wire name this file, so that it needs its id before the next step? */
bool rf_decision_names_file(const struct rf_decision *d);

/* Step two. Fails with RF_EFORMAT where nothing is left to send. */
RF_MUST enum rf_code rf_plan_lay_out(struct rf_plan *p, const struct rf_survey *s,
                                     struct rf_arena *a, struct rf_err *err);

#endif
