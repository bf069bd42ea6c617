/* The wire: a plan in, a request body out. One file a dialect, each one const struct rf_dialect.
 *
 * A dialect makes no decisions: which file goes where, what a note says and in which order turns
 * come is in the plan, and what differs between endpoints of one dialect is in the model's facts.
 * No provider's name is ever compared here.
 */
#ifndef RF_WIRE_WIRE_H
#define RF_WIRE_WIRE_H

#include "base/json_write.h"
#include "content/build.h"
#include "content/reply.h"
#include "plan/plan.h"
#include "wire/framing.h"

struct rf_dialect {
    const char *name; /* the value of the fact `dialect` */
    bool asks_window; /* a request can ask for the window that it needs */
    /* The model is in the address, and this stands before its name where a body has it too; NULL:
     * the body names it. */
    const char *model_in_path;
    /* Write one request body. Failures stick to `w`. */
    void (*encode)(const struct rf_plan *p, struct rf_json *w);
    /* Take in a whole response. An error body ends as r->error. */
    void (*decode)(const struct rf_jval *body, struct rf_reply *r);
    /* How streams are cut, and taking in one message of one. `data` is NULL for the chat wires'
     * [DONE], and for an exception without any. Sets r->complete when the stream says that it is
     * over. */
    enum rf_framing_kind framing;
    void (*event)(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r);
    /* Read a request body. Fails with RF_EFORMAT and the path of what is wrong. */
    enum rf_code (*parse)(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err);
    /* All has come, or no more will: what can be told at the end only. May be NULL. */
    void (*finish)(struct rf_reply *r);
    /* Writing replies: respond.h. */
    const struct rf_replies *replies;
};

struct rf_replies;

/* Those of each dialect: DIALECT/respond.c. */
extern const struct rf_replies rf_anthropic_replies;
extern const struct rf_replies rf_bedrock_replies;
extern const struct rf_replies rf_gemini_replies;
extern const struct rf_replies rf_openai_responses_replies;
extern const struct rf_replies rf_openai_chat_replies;
extern const struct rf_replies rf_mistral_replies;
extern const struct rf_replies rf_ollama_replies;
extern const struct rf_replies rf_cohere_replies;

extern const struct rf_dialect rf_dialect_anthropic;
extern const struct rf_dialect rf_dialect_bedrock;
extern const struct rf_dialect rf_dialect_gemini;
extern const struct rf_dialect rf_dialect_openai_chat;
extern const struct rf_dialect rf_dialect_openai_responses;
extern const struct rf_dialect rf_dialect_mistral;
extern const struct rf_dialect rf_dialect_ollama;
extern const struct rf_dialect rf_dialect_cohere;
extern const struct rf_dialect rf_dialect_mcp; /* without a way back */

/* Take in a message of Anthropic's, and one event of a stream of it. */
void rf_anthropic_decode(const struct rf_jval *body, struct rf_reply *r);
void rf_anthropic_event(const struct rf_frame *frame, const struct rf_jval *data,
                        struct rf_reply *r);
/* A citation as the conversation format spells it. */
void rf_anthropic_citation(struct rf_json *w, const struct rf_jval *citation);
/* Read a request of Anthropic's. */
enum rf_code rf_anthropic_parse(const struct rf_jval *body, struct rf_builder *b,
                                struct rf_err *err);

/* Decoding that is a file of its own. */
void rf_bedrock_decode(const struct rf_jval *body, struct rf_reply *r);
void rf_bedrock_event(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r);

/* Reading the requests of others, each in a file of its own. */
enum rf_code rf_bedrock_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err);
enum rf_code rf_gemini_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err);

/* Take in a response or a chunk of generateContent, and what was said about the whole of it. */
void rf_gemini_decode(const struct rf_jval *body, struct rf_reply *r);
void rf_gemini_event(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r);
void rf_gemini_finish(struct rf_reply *r);

/* The dialect of that name, or NULL. */
const struct rf_dialect *rf_dialect_find(struct rf_str name);
/* What those are called of which requests and replies can be read, by index; NULL after the
 * last. */
const char *rf_dialect_name(size_t i);

/* An error body of any dialect: {"error": {…}}, {"error": "…"}, {"message": "…"}, … Fills
 * r->error and returns true; false when it is none. `status` is the HTTP status, 0 where it is
 * unknown. */
bool rf_wire_error(const struct rf_jval *body, int status, struct rf_reply *r);
/* Decode the body of an answer whose status is not 200. It reads any body: the page of a proxy in
 * between is a refusal too, known by its status. The strings live in `a`, or in the body. */
void rf_wire_refusal(const struct rf_model *m, int status, struct rf_str body, struct rf_arena *a,
                     struct rf_refusal *out);
/* Complete a refusal as a reply holds it: its words include those of the endpoint behind a router,
 * and its kind is also told by the status (200 for a stream that ended in an error). */
void rf_wire_judge(struct rf_refusal *r, int status, struct rf_arena *a);
/* What kind of error this is, by its own code and by its words. */
enum rf_error_kind rf_wire_error_kind(int status, struct rf_str code, struct rf_str words);
/* Do the words alone tell the kind of the refusal, and neither its status nor its code? They may
 * repeat what was sent ("Invalid value: 'unauthorized'"). */
bool rf_wire_is_by_words(const struct rf_refusal *r);

/* The way back of the dialects that keep it in a file of its own. */
void rf_openai_responses_decode(const struct rf_jval *body, struct rf_reply *r);
void rf_openai_responses_event(const struct rf_frame *frame, const struct rf_jval *data,
                               struct rf_reply *r);

/* Read a request body of OpenAI Responses. */
enum rf_code rf_openai_responses_parse(const struct rf_jval *body, struct rf_builder *b,
                                       struct rf_err *err);

/* Shared spelling. */

/* Files. Whatever writes one marks the place with rf_json_mark. */

/* A string: the base64 of the asset's bytes, or the URL or id that it goes by. */
void rf_wire_asset(struct rf_json *w, const char *key, const struct rf_asset *asset);
/* A string `data:MIME;base64,…` of the asset's bytes, or the URL or id. */
void rf_wire_data_url(struct rf_json *w, const char *key, const struct rf_asset *asset);

/* TEXT, JSON and TEXT_FILE items as part of an open string: the text, the JSON text, the heading
 * and the file's text. */
void rf_wire_item_text(struct rf_json *w, const struct rf_item *item);
/* The textual items as one string, joined by line feeds; other items are passed over. */
void rf_wire_joined(struct rf_json *w, const char *key, const struct rf_item *items, size_t count);
/* The same with blank lines between, as the texts of an assistant's turn are joined. */
void rf_wire_paragraphs(struct rf_json *w, const char *key, const struct rf_item *items,
                        size_t count);
/* The thoughts of a turn that are text, joined like that; nothing where there are none. `from`
 * is the field that they came in; NULL: any. */
void rf_wire_thoughts(struct rf_json *w, const char *key, const struct rf_turn *turn,
                      const char *from);
/* Are all of the items textual? Is any? */
bool rf_wire_all_text(const struct rf_item *items, size_t count);
bool rf_wire_any_text(const struct rf_item *items, size_t count);
/* A call's arguments as a JSON object, or as a string that holds one. */
void rf_wire_arguments(struct rf_json *w, const char *key, const struct rf_block *call);
void rf_wire_arguments_string(struct rf_json *w, const char *key, const struct rf_block *call);
/* A tool's input schema, with a type and properties where it says none: some APIs refuse a schema
 * without the one, others without the other. And that as a member. */
const struct rf_jval *rf_wire_tool_schema(const struct rf_tool *tool, struct rf_arena *a);
void rf_wire_schema(struct rf_json *w, const char *key, const struct rf_tool *tool);
/* How much to think, for an API that takes words: "low", "medium" or "high"; "none" where it shall
 * not. */
struct rf_str rf_wire_effort(const struct rf_plan *p);
/* Does a word that was kept aside ask for as much as the plan does? */
bool rf_wire_same_effort(const struct rf_plan *p, struct rf_str word);
/* A file name with the right extension for APIs that want one: "report.pdf". */
struct rf_str rf_wire_filename(const struct rf_item *item, struct rf_arena *a);
/* How many items of that kind a turn has. Results stand first, so theirs is where they end. */
size_t rf_wire_count(const struct rf_turn *turn, enum rf_item_kind kind);
/* How closely a picture shall be looked at: "low", …; empty where that was not said. */
struct rf_str rf_wire_detail(const struct rf_asset *asset);
/* The word for a tool choice, `required` being this dialect's own; empty for one certain tool, and
 * where nothing was chosen. */
struct rf_str rf_wire_choice_word(enum rf_choice choice, struct rf_str required);
/* The role of a user turn: "user", or whose words these are. */
struct rf_str rf_wire_speaker(const struct rf_turn *turn);
/* Lists that were kept aside, [{"index": 2, "value": …}, …], on their way back to the places that
 * they had among other elements of an open list:
 *
 *     struct rf_kept_places kept = rf_wire_kept(p->server_tools, NULL);
 *     for (…) {
 *         rf_wire_kept_before(w, &kept);
 *         …                              an element
 *     }
 *     rf_wire_kept_rest(w, &kept);
 *
 * Either list may be NULL. */
struct rf_kept_places {
    const struct rf_jval *lists[2], *next[2];
    size_t count; /* of the elements that have been written */
};
struct rf_kept_places rf_wire_kept(const struct rf_jval *first, const struct rf_jval *second);
void rf_wire_kept_before(struct rf_json *w, struct rf_kept_places *kept);
void rf_wire_kept_rest(struct rf_json *w, struct rf_kept_places *kept);
/* What was kept aside of an object that this dialect wrote, or NULL: its `extra`. */
const struct rf_jval *rf_wire_own(const struct rf_jval *extra, const char *dialect);
/* Members `temperature` and `top_p`, as far as they are to be sent. */
void rf_wire_sampling(struct rf_json *w, const struct rf_plan *p);
/* Settings of another API's request that go along, in the object of that name, which is open; NULL:
 * in the body. Are there any? */
void rf_wire_carried(struct rf_json *w, const struct rf_plan *p, const char *object);
bool rf_wire_carries(const struct rf_plan *p, const char *object);
/* Fail with RF_ECONFIG: this API has no way to write such a file there ("a message"). Only a wrong
 * fact about the model leads to it. */
void rf_wire_refuse(struct rf_json *w, const char *place, const struct rf_asset *asset);
/* The same for the files of an assistant's turn, where it can hold none. */
void rf_wire_refuse_media(struct rf_json *w, const struct rf_turn *turn);

/* Content: a string, or a list in which `part` spells one item. */

typedef void rf_wire_part(struct rf_json *w, const struct rf_item *item);

/* All of it as parts. Where none is left, since all of it stands elsewhere in the body, the
 * words of the first are the only one: no message may be empty. */
void rf_wire_parts(struct rf_json *w, const char *key, const struct rf_item *items, size_t count,
                   rf_wire_part *part);
/* What a user says: a string where it is a single textual item, and nothing else was said of it. */
void rf_wire_content(struct rf_json *w, const char *key, const struct rf_item *items, size_t count,
                     rf_wire_part *part);
/* What a tool returned: a string where all of it is textual. */
void rf_wire_result_content(struct rf_json *w, const char *key, const struct rf_item *result,
                            rf_wire_part *part);
/* Member `cache_control`: the prompt up to here is worth keeping. `mark` says what else an API was
 * told of it (for how long), or is NULL. */
void rf_wire_cache_control(struct rf_json *w, const struct rf_jval *mark);
/* {"type":TYPE,"text":…} of a textual item. */
void rf_wire_text_part(struct rf_json *w, const char *type, const struct rf_item *item);
/* How a part ends: what only this API can say of it, and its mark. */
void rf_wire_end_part(struct rf_json *w, const struct rf_item *item);
/* A part of what somebody says or a tool returned: that for textual items, `media` for files, and
 * what only this API can say as it came. */
void rf_wire_content_part(struct rf_json *w, const char *type, const struct rf_item *item,
                          rf_wire_part *media);
/* {"type":TYPE,TYPE:{"url":…,"detail":…}}, without the detail where it is empty. */
void rf_wire_url_part(struct rf_json *w, const char *type, const struct rf_item *item,
                      struct rf_str detail);
/* Members that only this API can say, of a part, a call or a message; `own` may be NULL. Those with
 * a place of their own in what is written are passed over. */
void rf_wire_own_members(struct rf_json *w, const struct rf_jval *own);

/* Members `citations` and `context` of a document, as a client of Messages or Converse, which share
 * them, asked for them. */
void rf_wire_document_wishes(struct rf_json *w, const struct rf_asset *asset);

/* The system prompt in its pieces, as text blocks with their marks. */
void rf_wire_prompts(struct rf_json *w, const char *key, const struct rf_plan *p);

/* The chat wires: messages with the roles system, user, assistant and tool. */

/* The prompts of its own client, as they came; NULL where there are none, and where other words
 * than theirs are at their place in the system prompt. `*other` is what that says before them, or
 * all of it. */
const struct rf_jval *rf_wire_own_system(const struct rf_plan *p, struct rf_arena *a,
                                         struct rf_str *other);
/* The first message, where there is a system prompt. */
void rf_wire_system(struct rf_json *w, const struct rf_plan *p);
/* Member `tools`: [{"type":"function","function":{…}}]; nothing where there are none. */
void rf_wire_function_tools(struct rf_json *w, const struct rf_plan *p);

/* What the chat completions of one vendor spell in their own way. */
struct rf_completion_spelling {
    struct rf_str required; /* the tool choice that makes a model call something */
    bool named_results;     /* tool messages hold the tool's name */
    rf_wire_part *part;
    /* `content` of a tool message; NULL: a string where all of it is textual, else parts. */
    void (*result)(struct rf_json *w, const struct rf_item *item);
    /* `content` of an assistant's message, and its thoughts. */
    void (*said)(struct rf_json *w, const struct rf_caps *caps, const struct rf_turn *turn);
};

/* The members that chat completions have in common: model, messages, tools and tool choice, the
 * limit of tokens, sampling and stop. */
void rf_completion_body(struct rf_json *w, const struct rf_plan *p,
                        const struct rf_completion_spelling *chat);
/* Member `messages` alone. */
void rf_completion_messages(struct rf_json *w, const struct rf_plan *p,
                            const struct rf_completion_spelling *chat);
/* Member `content` as the text of a turn; null where the turn holds calls only. */
void rf_completion_text(struct rf_json *w, const struct rf_turn *turn);

/* The member of a message that lists thoughts of this type: "reasoning.text", "thinking", … */
struct rf_str rf_completion_thought_list(struct rf_str type);

/* Elements of such a list: a thought as details, `extra` being what else they say; and as a
 * block. */
void rf_completion_details(struct rf_json *w, const struct rf_thinking *t,
                           const struct rf_jval *extra);
void rf_completion_thinking_block(struct rf_json *w, const struct rf_thinking *t);

/* Take in a chat completion, and one chunk of a stream of it. */
void rf_completion_decode(const struct rf_jval *body, struct rf_reply *r);
void rf_completion_event(const struct rf_frame *frame, const struct rf_jval *data,
                         struct rf_reply *r);

/* Read a request of one of them. */
enum rf_code rf_openai_chat_parse(const struct rf_jval *body, struct rf_builder *b,
                                  struct rf_err *err);
enum rf_code rf_mistral_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err);
enum rf_code rf_ollama_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err);
enum rf_code rf_cohere_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err);

/* Take in a reply of Cohere's, and one event of a stream of it. */
void rf_cohere_decode(const struct rf_jval *body, struct rf_reply *r);
void rf_cohere_event(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r);

#endif
