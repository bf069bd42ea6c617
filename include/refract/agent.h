/* The agent: a question in, an answer out, and everything between: the model is asked, it calls
 * tools, sees what they return and goes on until it has an answer.
 *
 *     if (rf_agent_new(config, store, &agent, &err)) …
 *     if (rf_agent_model(agent, "anthropic:claude-sonnet-5", &err)) …
 *     rf_agent_listen(agent, on_event, NULL);
 *     if (rf_agent_ask(agent, RF_LIT("What is in @photo.jpg?"), &answer, &err)) …
 *     rf_agent_free(agent);
 *
 * Each step is kept in the session before the next one begins, so that a process that dies loses
 * at most the message that was on its way, and a session that was left is valid. A provider that
 * refuses a file gets the rest without it; one that refuses anything else is not argued with.
 *
 * An agent and its session belong to one thread; rf_agent_cancel may be called from any, and
 * from a signal handler. */
#ifndef REFRACT_AGENT_H
#define REFRACT_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/config.h>
#include <refract/content.h>
#include <refract/error.h>
#include <refract/model.h>
#include <refract/offline.h>
#include <refract/reply.h>
#include <refract/request.h>
#include <refract/session.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_agent;

/* `config` may be NULL; `store` too: then nothing is kept. Both must outlive the agent. */
RF_API RF_MUST enum rf_code rf_agent_new(const struct rf_config *config, struct rf_store *store,
                                         struct rf_agent **out, struct rf_err *err);
RF_API void rf_agent_free(struct rf_agent *a); /* takes NULL */

/* The model from now on, by a name that rf_model_open takes; in the middle of a session too. */
RF_API RF_MUST enum rf_code rf_agent_model(struct rf_agent *a, const char *name,
                                           struct rf_err *err);
/* What answers for the model "offline"; until this is said, nothing does. */
RF_API void rf_agent_offline(struct rf_agent *a, struct rf_offline offline);
/* Go on with a session (an id, a beginning of one, "last"), which this process then writes to.
 * Without it the first question begins a new one. */
RF_API RF_MUST enum rf_code rf_agent_resume(struct rf_agent *a, const char *id, struct rf_err *err);
/* Leave the session, which stays as it is: the next question begins a new one, with the model, what
 * is attached and what rf_agent_system said. Where nothing is kept, what was said is forgotten. */
RF_API void rf_agent_leave(struct rf_agent *a);
/* The session, or NULL where there is none yet, or nothing is kept. */
RF_API struct rf_session *rf_agent_session(struct rf_agent *a);

/* Where files are looked for, and the folder that none may be outside of (default: the working
 * folder; where only `base` is given, that). A file that a person named may be read wherever it
 * is. */
RF_API void rf_agent_folders(struct rf_agent *a, const char *base, const char *root);
/* What the model is told before all else, from now on: empty, nothing; without a pointer, what the
 * session has, or else what the configuration has for the model, which is how it begins. And what
 * that is; it lives until the session or the model is another. */
RF_API void rf_agent_system(struct rf_agent *a, struct rf_str system);
RF_API struct rf_str rf_agent_system_prompt(const struct rf_agent *a);
/* How answers are asked for from now on, over the options that the session has, which stay: one
 * option, as rf_conversation_option takes it. An answer that does not fit its "schema" is asked for
 * once more, with what is wrong with it and no call allowed; then rf_agent_ask fails. The answer is
 * the JSON alone, also where the model put a code block around it. A notice of a request
 * (rf_notice) says what a model does not take. */
RF_API RF_MUST enum rf_code rf_agent_option(struct rf_agent *a, const char *name,
                                            struct rf_str value, struct rf_err *err);
/* Offer the model no tools; or none but those of rf_agent_tool, so that it reads no files. */
RF_API void rf_agent_no_tools(struct rf_agent *a);
RF_API void rf_agent_only_own_tools(struct rf_agent *a);
/* Have each answer come in one piece. */
RF_API void rf_agent_no_stream(struct rf_agent *a);
/* From now on refuse whatever loses something or changes its kind on its way to the model, with
 * RF_EUNSUPPORTED: frames for a film, text for a document, fewer pages. A question whose own
 * files are refused is not kept. */
RF_API void rf_agent_strict(struct rf_agent *a);

/* Stop after so much of one question: rounds of calls, seconds, tokens in and out; 0 is the
 * usual (50 rounds, no other). What stops is RF_ELIMIT, and the session is valid. */
RF_API void rf_agent_limits(struct rf_agent *a, int64_t rounds, int64_t seconds, int64_t tokens);

/* What happens, as it happens. Strings live until the callback returns; they are as the model, a
 * tool or a server wrote them: whoever shows them on a terminal makes them harmless. */
enum rf_agent_event_type {
    RF_AGENT_TEXT,     /* a piece of the answer */
    RF_AGENT_THINKING, /* a piece of a thought */
    RF_AGENT_SENDING,  /* a request is about to be sent: `request` */
    RF_AGENT_FILE,     /* what became of a file in it that is new or went another way than before */
    RF_AGENT_CALL,     /* the model calls a tool: name, call, text (arguments as JSON) */
    RF_AGENT_RESULT,   /* it is done: name, call, text (what a person should know), failed, ms */
    RF_AGENT_NOTE,     /* something a person should know: a limit was learned, … */
    RF_AGENT_WAITING,  /* the provider asked for patience: ms, text */
    RF_AGENT_USAGE,    /* of one answer: input_tokens, output_tokens, cost_micros */
    RF_AGENT_REFERENCE,  /* a file that the question names is announced to the model: name, and
                          * text, a line for a person like those of rf_report_line */
    RF_AGENT_PROGRESS,   /* a tool says how far it is: name, call, text, done, of; without a name:
                          * what   is waited for */
    RF_AGENT_CHANGED,    /* a tool that is done says which files it changed: name, call, text, their
                          * paths as a JSON list */
    RF_AGENT_FOR_PERSON, /* a file that a tool returned for the person alone, and that no session
                          * keeps: name, call, block */
};

struct rf_agent_event {
    size_t size; /* of this struct, as the library knows it */
    enum rf_agent_event_type type;
    struct rf_str text, name, call;
    struct rf_request *request; /* SENDING, FILE */
    size_t file;                /* FILE: its index in the report of `request` */
    bool failed;
    int64_t ms;
    int64_t input_tokens, output_tokens;
    int64_t cost_micros; /* USAGE: millionths of a US dollar, as the provider reported it or by the
                          * model's prices; -1: not known */
    int64_t done, of;    /* PROGRESS: so many of so many; `of` is 0 where that is unknown */
    int64_t cached_tokens; /* USAGE: of the input, read from a cache; -1: not told */
    enum rf_reason reason; /* RESULT: why it failed, where there is something to do about it */
    const struct rf_block *block; /* FOR_PERSON: the file */
};

/* The arguments of a call in a few words for a person: "q3.pdf page_start=3 page_end=4". */
#define RF_CALL_WORDS 512
RF_API void rf_agent_call_words(struct rf_str arguments, char out[RF_CALL_WORDS]);

/* False stops, as rf_agent_cancel does. */
RF_API void rf_agent_listen(struct rf_agent *a,
                            bool (*on_event)(void *ctx, const struct rf_agent_event *e), void *ctx);
/* The same for all that the answers of the model say, as their decoder tells it: calls as they are
 * written, signatures, citations, files. */
RF_API void rf_agent_listen_stream(struct rf_agent *a,
                                   bool (*on_event)(void *ctx, const struct rf_event *e),
                                   void *ctx);

/* Asked before a tool runs that is not read-only and was not allowed yet, and before anything
 * is fetched from a host that the configuration does not list: then `tool` is RF_PERMIT_FETCH and
 * the host, and `arguments` the whole address, which may carry what was said. Without it all are
 * denied, and the model is told so.
 * The same before an MCP server that runs a tool has the model asked something: then `tool` is
 * RF_PERMIT_SAMPLING and the server, `arguments` what is asked; and before an address is read
 * there, unless the configuration allows "read_resource" and the server named it itself:
 * RF_PERMIT_RESOURCE and the server, and the address. */
#define RF_PERMIT_FETCH "fetch:"
#define RF_PERMIT_SAMPLING "sampling:"
#define RF_PERMIT_RESOURCE "resource:"
enum rf_permission {
    RF_PERMIT_NO,
    RF_PERMIT_ONCE,
    RF_PERMIT_ALWAYS, /* this tool or host, for as long as the agent lives */
};
RF_API void rf_agent_permit(struct rf_agent *a,
                            enum rf_permission (*ask)(void *ctx, struct rf_str tool,
                                                      struct rf_str arguments),
                            void *ctx);

/* What such a tool is, for the person who is asked: its command or its server, and the file that
 * names it where that is a project's; or what a tool of rf_agent_tool was described as. It lives
 * until the next question; empty for other tools. */
RF_API struct rf_str rf_agent_tool_words(struct rf_agent *a, struct rf_str tool);

/* MCP servers of the configuration (mcp_servers). They are started with the first question to a
 * model that calls tools, which is offered theirs as "SERVER__TOOL", and end with the agent. One
 * that fails is told of (RF_AGENT_NOTE), and questions go on without it. */
RF_API size_t rf_agent_server_count(const struct rf_agent *a);

enum rf_server_state {
    RF_SERVER_OFF, /* it was not needed so far */
    RF_SERVER_STARTING,
    RF_SERVER_READY,
    RF_SERVER_FAILED,
    RF_SERVER_DISABLED,
};

struct rf_agent_server {
    size_t size; /* sizeof(struct rf_agent_server) */
    struct rf_str name;
    enum rf_server_state state;
    struct rf_str why;                   /* FAILED: why; or empty */
    struct rf_str reached;               /* its command or address, as the configuration has it */
    struct rf_str file;                  /* of a project that names it; else empty */
    struct rf_str version;               /* of the protocol, once known; or empty */
    struct rf_str own_name, own_version; /* what it calls itself; or empty */
    struct rf_str errors;                /* the end of what it wrote to standard error */
    size_t tools;                        /* READY: how many are offered */
    struct rf_str instructions;          /* what it has the model told of its use; or empty */
    struct rf_str hint;                  /* FAILED: what to do about it; or empty */
};

/* How that one is, in the order of the configuration. Nothing is started or waited for. Strings are
 * as the server wrote them, and live until the next question or the next call of this. Fails with
 * RF_EUSAGE where there is none. */
RF_API RF_MUST enum rf_code rf_agent_server(struct rf_agent *a, size_t i,
                                            struct rf_agent_server *out, struct rf_err *err);
/* One of its tools that are offered: the name that the model calls it by, and the server's. */
RF_API bool rf_agent_server_tool(struct rf_agent *a, size_t i, size_t tool, struct rf_str *name,
                                 struct rf_str *own_name);
/* What the server says of it, bounded, and the JSON schema of its arguments. Both live until the
 * next question or the next call of rf_agent_server, and may be empty. */
RF_API bool rf_agent_server_tool_about(struct rf_agent *a, size_t i, size_t tool,
                                       struct rf_str *description, struct rf_str *schema);
/* Have no other server started than that one. To be said before any is. */
RF_API void rf_agent_only_server(struct rf_agent *a, struct rf_str name);
/* Keep the logins that they want, in the cache folder, though the agent has no store: with one they
 * are kept anyway. To be said before any is started. */
RF_API void rf_agent_keep_logins(struct rf_agent *a);
/* Start them now, those too that failed, and wait until each is ready or has failed, which
 * rf_agent_server says. */
RF_API void rf_agent_servers_start(struct rf_agent *a);
/* Call a tool by the name that the model would, with JSON for its arguments, without a model:
 * whoever calls this permits it. The result is the caller's to free; one that says that it failed
 * is a result too, whose error has the code RF_EPROVIDER. Fails with RF_EUSAGE where there is no
 * such tool, or the arguments are not an object. */
RF_API RF_MUST enum rf_code rf_agent_call(struct rf_agent *a, struct rf_str tool,
                                          struct rf_str arguments, struct rf_result **out,
                                          struct rf_err *err);

/* A form that an MCP server wants a person to fill in, while one of its tools runs (one without
 * fields asks them to agree); or a web page that it wants them to open. What it says are its words:
 * whoever shows them on a terminal makes them harmless. All of it lives until the callback
 * returns. */
struct rf_inquiry;

enum rf_inquiry_kind {
    RF_INQUIRY_TEXT,
    RF_INQUIRY_NUMBER,
    RF_INQUIRY_INTEGER,
    RF_INQUIRY_SWITCH,  /* yes or no */
    RF_INQUIRY_CHOICE,  /* one of the options */
    RF_INQUIRY_CHOICES, /* some of them, with commas between */
};

struct rf_inquiry_field {
    size_t size; /* sizeof(struct rf_inquiry_field) */
    enum rf_inquiry_kind kind;
    struct rf_str title, description;
    struct rf_str initial; /* what counts where nothing is typed; or empty */
    bool required;
    size_t options;
    const char *format; /* TEXT: what it has to be, as in "a date, such as 2026-11-16"; or NULL */
};

RF_API struct rf_str rf_inquiry_server(const struct rf_inquiry *f);
RF_API struct rf_str rf_inquiry_message(const struct rf_inquiry *f);
RF_API struct rf_str
rf_inquiry_url(const struct rf_inquiry *f); /* of the page; empty: it is a form */
RF_API size_t rf_inquiry_count(const struct rf_inquiry *f);
/* Fails with RF_EUSAGE where there is no such field. */
RF_API RF_MUST enum rf_code rf_inquiry_field(const struct rf_inquiry *f, size_t i,
                                             struct rf_inquiry_field *out, struct rf_err *err);
RF_API struct rf_str rf_inquiry_option(const struct rf_inquiry *f, size_t i, size_t option);
/* Fill a field in, as a person types it; empty takes it back. Fails with RF_EFORMAT, saying what is
 * wrong. */
RF_API RF_MUST enum rf_code rf_inquiry_fill(struct rf_inquiry *f, size_t i, struct rf_str typed,
                                            struct rf_err *err);

enum rf_inquiry_answer {
    RF_INQUIRY_CANCELLED, /* nobody answered */
    RF_INQUIRY_DECLINED,
    RF_INQUIRY_ACCEPTED,
};

/* Asked in the agent's own thread. Without it servers are told that nobody can fill in forms, and
 * one that wants a login cannot be used. To be said before the first question. */
RF_API void rf_agent_inquiries(struct rf_agent *a,
                               enum rf_inquiry_answer (*fill)(void *ctx, struct rf_inquiry *form),
                               void *ctx);

/* A tool of the program's own: a function that the model can call.
 *
 *     static enum rf_code chart(void *context, struct rf_running *call, struct rf_result *result,
 *                               struct rf_err *err)
 *     {
 *         struct rf_file file = { .size = sizeof file, .bytes = png, .name = RF_LIT("chart.png") };
 *         return rf_content_file(rf_result_content(result), &file, err);
 *     }
 *     struct rf_agent_tool tool = { .size = sizeof tool, .name = RF_LIT("chart"), .run = chart,
 *                                   .description = RF_LIT("Draws the sales of a year.") };
 *     if (rf_agent_tool(agent, &tool, &err)) …
 *
 * The function fills in a result: text, JSON, files from memory, by path or by URL. Where each part
 * goes for which provider is not its concern. Files are kept in the session, where read_attachment
 * finds them; a path may lead anywhere, since it is the program that names it. */
struct rf_running; /* a call while it runs; it belongs to the agent */

enum rf_tool_permission {
    RF_TOOL_NEEDS_PERMISSION, /* it is asked for: rf_agent_permit */
    RF_TOOL_READ_ONLY,        /* it changes nothing, and runs unasked */
    RF_TOOL_ALLOWED,          /* it may change something, and runs unasked */
};

struct rf_agent_tool {
    size_t size;               /* sizeof(struct rf_agent_tool) */
    struct rf_str name;        /* letters, digits, '_' and '-', at most 64; first a letter or '_' */
    struct rf_str description; /* what it does, for the model */
    struct rf_str schema;      /* of its arguments: a JSON Schema for an object; empty: none */
    enum rf_tool_permission permission;
    /* Run it. The arguments fit the schema; where they do not, the model is told so and nothing
     * runs. Called in any thread, and for several calls at once; where several run at once, with
     * all signals blocked, so that they reach the program's own threads: a function that starts
     * programs unblocks them there. Where it fails, the error is told to the model, with what the
     * result held by then; rf_result_fail does the same. */
    enum rf_code (*run)(void *context, struct rf_running *call, struct rf_result *result,
                        struct rf_err *err);
    void *context;
};

/* Offer it from the next question on, as long as the agent lives. Strings are copied. Fails with
 * RF_EUSAGE, saying what to do: a name that an API would not take or that there is already, a
 * schema that does not describe an object, no description, no function. */
RF_API RF_MUST enum rf_code rf_agent_tool(struct rf_agent *a, const struct rf_agent_tool *tool,
                                          struct rf_err *err);

/* What a function may ask while it runs: the id of its call; the arguments as JSON text, and read
 * (include/refract/json.h). They live until it returns. */
RF_API struct rf_str rf_running_id(const struct rf_running *r);
RF_API struct rf_str rf_running_arguments(const struct rf_running *r);
RF_API struct rf_jdoc *rf_running_json(struct rf_running *r);
/* Was the agent stopped? Then it should come to an end; until it does, rf_agent_ask waits. Whoever
 * waits for something else waits for the descriptor too, which becomes readable then; it is not to
 * be read. */
RF_API bool rf_running_stopped(const struct rf_running *r);
RF_API int rf_running_stop_fd(const struct rf_running *r);
/* Say how far it is, `of` being 0 where the end is not in sight, in up to 200 bytes of words. The
 * listener hears of it in the agent's own thread (RF_AGENT_PROGRESS), or of a later step. */
RF_API void rf_running_progress(struct rf_running *r, int64_t done, int64_t of,
                                struct rf_str words);

/* Who wrote a piece of a question. What the person typed may name files wherever they are, and
 * tools may then read those. Any other text (piped in, pasted, read from a file or a page) points
 * at files inside of the folder only, and the model is told that the text names them and not the
 * person. */
enum rf_origin {
    RF_ORIGIN_TEXT,
    RF_ORIGIN_TYPED,
};
struct rf_words {
    struct rf_str text;
    enum rf_origin origin;
};

/* Something to do with what a person said before it is sent, in the order of priorities (small
 * ones first): the text in, the text out and a note for the model (both in `text`'s lifetime),
 * or NULL strings to leave it. References to files (@photo.png) are such a step, at priority
 * 100. What a step puts in is text that was not typed. */
struct rf_enriched {
    struct rf_str text, note;
};
RF_API void rf_agent_enrich(struct rf_agent *a, int priority,
                            bool (*step)(void *ctx, struct rf_str text, struct rf_enriched *out),
                            void *ctx);

/* What opens encrypted files that are attached, or read by a tool, from now on; empty: nothing.
 * What is attached so goes, and is kept in the session, without its encryption. Fails with
 * RF_EUSAGE where it is not one line. */
RF_API RF_MUST enum rf_code rf_agent_password(struct rf_agent *a, struct rf_str password,
                                              struct rf_err *err);

/* Attach a file to the next question, as it is or a part of it ("report.pdf#p=3-5"): one that the
 * person names, which may be anywhere. Fails as reading the file does. A web address (https://,
 * http://) is fetched, whatever `fetch` in the configuration says, since that is for what models
 * name: at most 50 MiB, 10 redirects and 5 minutes, and no redirect leads from outside into a
 * private network. Fails with RF_EPROVIDER where nothing comes, or a page in place of the file;
 * RF_ELIMIT where it is too large or takes too long; RF_EUSAGE where it is not one. */
RF_API RF_MUST enum rf_code rf_agent_attach(struct rf_agent *a, const char *path,
                                            struct rf_err *err);
/* The same where the path stands in a text that was not typed: RF_EPERMISSION where it leads out of
 * the folder, or is a web address. */
RF_API RF_MUST enum rf_code rf_agent_attach_named(struct rf_agent *a, const char *path,
                                                  struct rf_err *err);
/* The same for a file in memory. The ending of its name refines what its bytes say it is; it fails
 * with RF_EUSAGE where there is no name. The bytes are copied. */
RF_API RF_MUST enum rf_code rf_agent_attach_bytes(struct rf_agent *a, struct rf_str bytes,
                                                  const char *name, struct rf_err *err);
/* Take back all that was attached and not sent. */
RF_API void rf_agent_detach(struct rf_agent *a);

/* Ask. `answer` is the text of the last message; it lives until the next question. Fails with
 * RF_EPROVIDER (after retries and healing, and where an answer does not fit its schema), RF_ELIMIT,
 * RF_EINTERRUPTED, RF_ECONFIG, RF_EUNSUPPORTED (strict) and what the store fails with; what had
 * been said by then is kept.
 * The question is taken for RF_ORIGIN_TEXT, or it is pieces that each say whose they are, and
 * follow each other without anything between. */
RF_API RF_MUST enum rf_code rf_agent_ask(struct rf_agent *a, struct rf_str prompt,
                                         struct rf_str *answer, struct rf_err *err);
RF_API RF_MUST enum rf_code rf_agent_ask_words(struct rf_agent *a, const struct rf_words *words,
                                               size_t count, struct rf_str *answer,
                                               struct rf_err *err);
/* Ask the last question again, as it was and with its files. Nothing is lost: this goes on in a new
 * session that ends with the question, and the old one, with the answer, is its parent. Where the
 * question is what was said last (no answer came), it is the same session; where nothing is kept,
 * the answer is replaced. Fails as asking does, and with RF_EUSAGE where nothing was asked yet. */
RF_API RF_MUST enum rf_code rf_agent_retry(struct rf_agent *a, struct rf_str *answer,
                                           struct rf_err *err);
/* The words of that question, which live until the next one; "" where it was files alone. What the
 * agent itself said in between, such as a summary, is none. False where nothing was asked yet. */
RF_API bool rf_agent_last_question(const struct rf_agent *a, struct rf_str *text);
/* What was said so far, kept or not. To be freed, and before the next question. */
RF_API RF_MUST enum rf_code rf_agent_conversation(struct rf_agent *a, struct rf_conversation **out,
                                                  struct rf_err *err);
/* Asking without sending anything: what the next request would be. It belongs to the agent. */
RF_API RF_MUST enum rf_code rf_agent_plan(struct rf_agent *a, struct rf_str prompt,
                                          struct rf_request **out, struct rf_err *err);
RF_API RF_MUST enum rf_code rf_agent_plan_words(struct rf_agent *a, const struct rf_words *words,
                                                size_t count, struct rf_request **out,
                                                struct rf_err *err);
/* The same for a question without words: what is there already, with the system prompt, the
 * tools and what is attached. Its rf_tokens_total is the one number for how long a conversation
 * is. */
RF_API RF_MUST enum rf_code rf_agent_plan_next(struct rf_agent *a, struct rf_request **out,
                                               struct rf_err *err);

/* Make room: have the model sum up what was said, without files and tools, and go on in a new
 * session that begins with that and names the files, which can still be looked at. The old
 * session stays as it is, and is the new one's parent; where nothing is kept, the summary takes
 * the place of the messages. `wish` says what matters most, or is empty. `summary` lives until
 * the next question. Only what it costs, waits and notes are told of meanwhile. Fails as asking
 * does, and with RF_EUSAGE where nothing was said yet; then nothing has changed. */
RF_API RF_MUST enum rf_code rf_agent_compact(struct rf_agent *a, struct rf_str wish,
                                             struct rf_str *summary, struct rf_err *err);

/* Stop what is going on; where nothing is, the next question. Safe in a signal handler. */
RF_API void rf_agent_cancel(struct rf_agent *a);

/* The last request that was sent, or NULL; it belongs to the agent. */
RF_API struct rf_request *rf_agent_last_request(struct rf_agent *a);

#ifdef __cplusplus
}
#endif
#endif
