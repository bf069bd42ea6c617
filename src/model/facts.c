#include "model/facts.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/price.h"
#include "model/tokens.h"

#include <stddef.h>

static const char *const after_words[] = { "next-turn", "same-turn", "separated", NULL };
static const char *const thinking_words[] = { "none",   "no",    "always", "budget", "adaptive",
                                              "effort", "level", "switch", NULL };
static const char *const schema_words[] = { "no", "alone", "yes", NULL };
static const char *const prefill_words[] = { "yes", "no", "marked", "trimmed", NULL };
static const char *const allowed_words[] = { "no", "forced", "yes", NULL };
static const char *const reasoning_words[] = {
    "none", "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "received",
    NULL
};
static const char *const replay_words[] = { "none", "signed", "encrypted", "text", NULL };
static const char *const video_words[] = { "video_url", "file", NULL };
static const char *const id_words[] = { "any",    "word64", "alnum9", "sealed",
                                       "word40", "own40",  "any64",  NULL };

#define AT(member) offsetof(struct rf_caps, member)
#define FLAG(name, member, help)                   \
    {                                              \
        name, help, RF_FACT_BOOL, AT(member), NULL \
    }
#define NUMBER(name, help)                       \
    {                                            \
#name, help, RF_FACT_INT, AT(name), NULL \
    }
#define LIST(name, member, help)                   \
    {                                              \
        name, help, RF_FACT_TEXT, AT(member), NULL \
    }
#define PRICE(name, help)                          \
    {                                              \
#name, help, RF_FACT_PRICE, AT(name), NULL \
    }
#define FORMULA(name, help)                          \
    {                                                \
#name, help, RF_FACT_FORMULA, AT(name), NULL \
    }
#define KINDS(name, help)                          \
    {                                              \
#name, help, RF_FACT_KINDS, AT(name), NULL \
    }
#define STYLE(name, words, help)                    \
    {                                               \
#name, help, RF_FACT_STYLE, AT(name), words \
    }
#define WORD(name, member, words, help)             \
    {                                               \
        name, help, RF_FACT_WORD, AT(member), words \
    }

const struct rf_fact rf_facts[] = {
    LIST("dialect", dialect, "the API that is spoken"),
    LIST("server", server, "the program that answers, where its own ways are known"),
    FLAG("vision", takes[RF_KIND_IMAGE], "takes pictures"),
    FLAG("native_pdf", takes[RF_KIND_PDF], "takes PDF files as they are"),
    FLAG("native_text", takes[RF_KIND_TEXT], "takes text files as documents"),
    FLAG("native_office", takes[RF_KIND_OFFICE], "takes office files as they are"),
    FLAG("audio_input", takes[RF_KIND_AUDIO], "takes sound"),
    FLAG("native_video", takes[RF_KIND_VIDEO], "takes video"),
    FLAG("audio_output", audio_output, "can answer with sound"),
    FLAG("citations", citations, "answers name the sources of what they say"),
    LIST("image_inside", inside[RF_KIND_IMAGE], "picture types inside a tool result"),
    LIST("pdf_inside", inside[RF_KIND_PDF], "PDF inside a tool result"),
    LIST("text_inside", inside[RF_KIND_TEXT], "text types as documents inside a tool result"),
    LIST("office_inside", inside[RF_KIND_OFFICE], "office types inside a tool result"),
    LIST("audio_inside", inside[RF_KIND_AUDIO], "sound types inside a tool result"),
    LIST("video_inside", inside[RF_KIND_VIDEO], "video types inside a tool result"),
    LIST("image_user", user[RF_KIND_IMAGE], "picture types in a user message"),
    LIST("pdf_user", user[RF_KIND_PDF], "PDF in a user message"),
    LIST("text_user", user[RF_KIND_TEXT], "text types as documents in a user message"),
    LIST("office_user", user[RF_KIND_OFFICE], "office types in a user message"),
    LIST("audio_user", user[RF_KIND_AUDIO], "sound types in a user message"),
    LIST("video_user", user[RF_KIND_VIDEO], "video types in a user message"),
    KINDS(url_inside, "kinds taken by URL inside a tool result"),
    KINDS(url_user, "kinds taken by URL in a user message"),
    KINDS(file_id_inside, "kinds taken by file id inside a tool result"),
    KINDS(file_id_user, "kinds taken by file id in a user message"),
    KINDS(unseen_inside, "kinds accepted inside a tool result and never seen by the model"),
    LIST("url_schemes", url_schemes, "URLs that the endpoint fetches"),
    KINDS(reference_only, "kinds taken by URL or file id only, not as bytes"),
    FLAG("typed_references", typed_references, "a URL or file id goes with its file's type only"),
    WORD("after", after, after_words, "where injected media goes, after all tool results"),
    KINDS(beside, "kinds that may share a turn with tool results"),
    FLAG("system_turns", system_turns, "system and developer messages may stand among the others"),
    FLAG("system_alone", system_alone, "a system prompt may be all there is"),
    FLAG("merge_turns", merge_turns, "user and assistant turns must alternate"),
    WORD("prefill", prefill, prefill_words,
         "whether a conversation may end with an answer; marked: with one that says so; trimmed: "
         "without white space after it"),
    FLAG("error_text_only", error_text_only, "a failed tool result holds text only"),
    KINDS(in_answers, "kinds that an answer goes back with, to the model that gave it"),
    FLAG("signed_texts", signed_texts,
         "texts of an answer have marks of their own, empty ones too"),
    LIST("answer_members", answer_members, "members that an answer may go back with alone"),
    FLAG("result_status", result_status, "a tool result carries a success or error mark"),
    FLAG("text_documents", text_documents, "text of a file goes as a text document"),
    FLAG("document_names", document_names, "a document goes with its name"),
    FLAG("document_wishes", document_wishes, "it goes with a context, and a wish for citations"),
    FLAG("told_first", told_first, "what is sent of a file, and what not, is said before it"),
    FLAG("page_text", page_text, "text that is known goes along with pictures of its pages"),
    FLAG("document_needs_text", document_needs_text, "a turn with a document must hold text"),
    FLAG("tools", tools, "takes tools"),
    FLAG("tools_required", tools_required, "calls in the history need tool definitions"),
    LIST("call_signature", call_signature, "the mark of a tool call that has none of its own"),
    FLAG("sampling", sampling, "temperature and top_p are accepted"),
    FLAG("sampling_unthinking", sampling_unthinking,
         "they are where it is told not to think, whatever is so otherwise"),
    FLAG("one_sampling", one_sampling, "one of the two is, not both in a request"),
    NUMBER(max_temperature, "the highest temperature"),
    FLAG("forced_tool_choice", forced_tool_choice, "a tool call can be required"),
    FLAG("tool_choice_none", tool_choice_none, "tool calls can be forbidden"),
    WORD("allowed_tools", allowed_tools, allowed_words,
         "whether some of the tools can be named as allowed; forced: where a call is required"),
    FLAG("strict_tools", strict_tools, "tool calls can be made to fit their schema"),
    FLAG("flat_tools", flat_tools,
         "a tool's schema has no anyOf, oneOf or allOf at its top: these are told in words"),
    FLAG("single_call", single_call, "an answer can be held to one tool call"),
    LIST("settings", settings, "settings of other APIs' requests that are passed on to it"),
    FLAG("own_fields", own_fields, "fields that only its API has go back to it"),
    FLAG("cache_marks", cache_marks, "places can be marked up to which a prompt is cached"),
    FLAG("cache_texts", cache_texts, "of what is in a message, texts alone can be marked so"),
    FLAG("cache_ttl", cache_ttl, "such a mark can say for how long"),
    FLAG("stop", stop, "texts that end an answer are accepted"),
    FLAG("stop_visible", stop_visible, "such a text must have more than blanks"),
    NUMBER(max_stops, "such texts in a request"),
    FLAG("stream_usage", stream_usage, "usage in a stream has to be asked for"),
    WORD("call_ids", call_ids, id_words, "what a tool call id may look like"),
    STYLE(thinking, thinking_words, "whether it thinks, and how that is asked for"),
    FLAG("thinking_adaptive", thinking_adaptive,
         "where that is by a number of tokens, it can be left to the model too"),
    FLAG("thinking_off", thinking_off, "it can be told not to think"),
    WORD("answer_schema", answer_schema, schema_words,
         "whether an answer can be made to fit a JSON Schema; alone: without tools"),
    WORD("json_mode", json_mode, schema_words,
         "whether an answer can be made to be JSON without a schema; alone: without tools"),
    FLAG("json_in_message", json_in_message,
         "that it must be JSON has to be said in a message too, besides the instructions"),
    WORD("reasoning_field", reasoning_field, reasoning_words, "how thoughts go back"),
    WORD("video_field", video_field, video_words, "the part that a video goes as"),
    WORD("replay", replay, replay_words, "which earlier thoughts go back"),
    NUMBER(min_thinking_tokens, "the least thinking budget"),
    LIST("max_tokens_field", max_tokens_field, "the name of the output limit"),
    NUMBER(max_images, "pictures in a request"),
    NUMBER(max_image_bytes, "bytes of one picture"),
    NUMBER(max_image_base64, "bytes of one picture as base64"),
    NUMBER(max_image_side, "pixels of a picture's longer side"),
    NUMBER(many_image_side, "the same where a request holds many pictures"),
    FLAG("pages_are_images", pages_are_images, "pages of PDF count among the pictures"),
    NUMBER(max_image_pixels, "pixels of one picture"),
    NUMBER(max_body_bytes, "bytes of a request"),
    NUMBER(min_page_base64, "the least bytes of a page as a picture, as base64"),
    NUMBER(max_text_bytes, "bytes of text in a request"),
    NUMBER(max_documents, "documents in a request"),
    NUMBER(max_document_bytes, "bytes of one document"),
    NUMBER(max_pdf_pages, "pages of PDF in a request"),
    NUMBER(max_video_bytes, "bytes of one video as base64"),
    NUMBER(context_tokens, "tokens of the whole window"),
    NUMBER(usual_context_tokens, "tokens of the window where a request does not ask for more"),
    NUMBER(output_tokens, "tokens of an answer, where a request must say"),
    NUMBER(max_output_tokens, "the most tokens of an answer that may be asked for"),
    NUMBER(min_output_tokens, "the least tokens of an answer that may be asked for"),
    PRICE(price_input, "US dollars for a million tokens that it reads"),
    PRICE(price_output, "US dollars for a million tokens that it writes"),
    PRICE(price_cached, "US dollars for a million tokens that it reads from a cache"),
    PRICE(price_cache_write, "US dollars for a million tokens that go into a cache"),
    PRICE(price_cache_write_hour, "US dollars for a million tokens that go into a cache for an hour"),
    FORMULA(image_tokens, "formula for the tokens of a picture"),
    NUMBER(page_tokens, "tokens of a PDF page"),
    NUMBER(page_base_tokens, "tokens of a PDF page, over its text"),
    NUMBER(audio_tokens_per_s, "tokens of a second of sound"),
    NUMBER(video_tokens_per_s, "tokens of a second of video"),
    NUMBER(text_percent, "tokens of text, in percent of a large vocabulary's"),
    NUMBER(token_digits, "digits in one token"),
    NUMBER(cjk_percent, "tokens of 100 Chinese, Japanese or Korean characters"),
    NUMBER(script_percent, "tokens of 100 letters of other scripts than Latin"),
    NUMBER(language_percent, "tokens of words in other languages, to 100 of English ones"),
    NUMBER(request_tokens, "tokens of any request, over what it says"),
    NUMBER(message_tokens, "tokens of any message, over what it says"),
    NUMBER(call_tokens, "tokens of a call, a result or a text document, over what it says"),
    NUMBER(tools_tokens, "tokens of offering tools at all"),
    NUMBER(tool_tokens, "tokens of a tool, over its description"),
    NUMBER(schema_percent, "tokens of a tool's schema, in percent of its JSON's"),
    NUMBER(sealed_bytes, "bytes of encrypted thoughts in one token, while a turn lasts"),
};

size_t rf_fact_count(void)
{
    return sizeof rf_facts / sizeof *rf_facts;
}

const char *rf_fact_name(size_t fact)
{
    return fact < rf_fact_count() ? rf_facts[fact].name : NULL;
}

const char *rf_fact_help(size_t fact)
{
    return fact < rf_fact_count() ? rf_facts[fact].help : NULL;
}

/* What a fact was called before: files of configuration and of what was learned may still say so.
 */
static const struct {
    const char *former, *name;
} renamed[] = {
    { "native_audio", "audio_input" },
};

/* Most names differ in their first letter: a model is opened with a hundred of these searches. */
static bool is_name(struct rf_str given, const char *name)
{
    return given.n && given.p[0] == name[0] && rf_str_is(given, name);
}

const struct rf_fact *rf_fact_find(struct rf_str name)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (is_name(name, renamed[i].former))
            name = rf_str(renamed[i].name);
    for (size_t i = 0; i < sizeof rf_facts / sizeof *rf_facts; i++)
        if (is_name(name, rf_facts[i].name))
            return &rf_facts[i];
    return NULL;
}

static bool parse_bool(struct rf_str v, bool *out)
{
    static const char *const yes[] = { "yes", "true", "on" }, *const no[] = { "no", "false",
                                                                              "off" };
    for (size_t i = 0; i < 3; i++) {
        if (rf_str_ieq(v, rf_str(yes[i])) || rf_str_ieq(v, rf_str(no[i]))) {
            *out = rf_str_ieq(v, rf_str(yes[i]));
            return true;
        }
    }
    return false;
}

static bool parse_kinds(struct rf_str list, unsigned *out)
{
    struct rf_str name;
    unsigned kinds = 0;
    if (rf_str_is(list, "-"))
        list = RF_STR("");
    while (rf_str_split(&list, ',', &name)) {
        unsigned kind = RF_KIND_IMAGE;
        name = rf_str_trim(name);
        while (kind < RF_KIND_COUNT && !rf_str_is(name, rf_kind_name((enum rf_kind)kind)))
            kind++;
        if (kind == RF_KIND_COUNT)
            return false;
        kinds |= 1u << kind;
    }
    *out = kinds;
    return true;
}

static bool parse_word(struct rf_str v, const char *const *words, unsigned *out)
{
    for (unsigned i = 0; words[i]; i++) {
        if (rf_str_is(v, words[i])) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* A person says whether a model thinks; the catalogue says how it is asked. */
static bool parse_style(struct rf_str v, const char *const *words, unsigned now, unsigned *out)
{
    bool on;
    if (!parse_bool(v, &on))
        return parse_word(v, words, out);
    bool has_style = now != RF_THINKING_NONE && now != RF_THINKING_NO;
    *out = !on ? RF_THINKING_NO : has_style ? now : RF_THINKING_SWITCH;
    return true;
}

static struct rf_str joined(const char *const *words, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out = { "", 0 };
    rf_buf_init(&b, a, 200);
    for (unsigned i = 0; words[i]; i++)
        rf_buf_addf(&b, "%s%s", i ? ", " : "", words[i]);
    return rf_buf_finish(&b, &out, NULL) ? RF_STR("") : out;
}

#define FORMULAS "fixed/TOKENS, patches/SIDE/EDGE/CAP, tiles/SIDE/TOKENS/SMALL or openai/BASE/TILE"

static enum rf_code misfit(const struct rf_fact *f, struct rf_str value, const char *want,
                           struct rf_err *err)
{
    enum rf_code rc =
        rf_fail(err, RF_ECONFIG, "\"%.*s\" is not a value for \"%s\"", RF_FMT(value), f->name);
    rf_hint(err, "It takes %s.", want);
    return rc;
}

enum rf_code rf_fact_store(const struct rf_fact *f, struct rf_str value, struct rf_arena *a,
                           struct rf_caps *caps, struct rf_err *err)
{
    void *at = (char *)caps + f->offset;
    unsigned word;
    int64_t n;
    value = rf_str_trim(value);
    switch (f->type) {
    case RF_FACT_BOOL:
        return parse_bool(value, at) ? RF_OK : misfit(f, value, "yes or no", err);
    case RF_FACT_INT:
        if (!rf_str_int64(value, &n) || n < 0)
            return misfit(f, value, "a whole number; 0 is unknown", err);
        *(int64_t *)at = n;
        return RF_OK;
    case RF_FACT_PRICE:
        if (!rf_price_read(value, &n))
            return misfit(f, value, "dollars such as 0.15; 0 is unknown", err);
        *(int64_t *)at = n;
        return RF_OK;
    case RF_FACT_FORMULA:
        if (!rf_str_is(value, "-") && !rf_image_formula_valid(value))
            return misfit(f, value, FORMULAS, err);
        *(struct rf_str *)at = rf_str_is(value, "-") ? RF_STR("") : rf_str_dup(a, value);
        return RF_OK;
    case RF_FACT_TEXT:
        *(struct rf_str *)at = rf_str_is(value, "-") ? RF_STR("") : rf_str_dup(a, value);
        return RF_OK;
    case RF_FACT_KINDS:
        if (!parse_kinds(value, at))
            return misfit(f, value, "image, pdf, text, office, audio and video, or -", err);
        return RF_OK;
    case RF_FACT_WORD:
        if (!parse_word(value, f->words, &word))
            return misfit(f, value, joined(f->words, a).p, err);
        memcpy(at, &word, sizeof word);
        return RF_OK;
    case RF_FACT_STYLE:
        memcpy(&word, at, sizeof word);
        if (!parse_style(value, f->words, word, &word))
            return misfit(f, value, rf_strf(a, "yes, %.*s", RF_FMT(joined(f->words, a))).p, err);
        memcpy(at, &word, sizeof word);
        return RF_OK;
    }
    return RF_OK;
}

static struct rf_str kinds_text(unsigned kinds, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out = { "-", 1 };
    rf_buf_init(&b, a, 100);
    for (unsigned k = RF_KIND_IMAGE; k < RF_KIND_COUNT; k++)
        if (kinds & 1u << k)
            rf_buf_addf(&b, "%s%s", b.n ? "," : "", rf_kind_name((enum rf_kind)k));
    if (b.n && rf_buf_finish(&b, &out, NULL))
        RF_BUG("the names of the kinds do not fit");
    return out;
}

struct rf_str rf_fact_text(const struct rf_fact *f, const struct rf_caps *caps, struct rf_arena *a)
{
    const void *at = (const char *)caps + f->offset;
    struct rf_str text;
    unsigned word;
    switch (f->type) {
    case RF_FACT_BOOL:
        return *(const bool *)at ? RF_STR("yes") : RF_STR("no");
    case RF_FACT_INT:
        return rf_strf(a, "%lld", (long long)*(const int64_t *)at);
    case RF_FACT_PRICE:
        return rf_price_text(*(const int64_t *)at, a);
    case RF_FACT_TEXT:
    case RF_FACT_FORMULA:
        text = *(const struct rf_str *)at;
        return text.n ? text : RF_STR("-");
    case RF_FACT_KINDS:
        return kinds_text(*(const unsigned *)at, a);
    case RF_FACT_WORD:
    case RF_FACT_STYLE:
        memcpy(&word, at, sizeof word);
        return rf_str(f->words[word]);
    }
    return RF_STR("");
}
