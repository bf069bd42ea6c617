/* What a step of a script does: it says something, refuses, or spoils a reply. */
#include "base/arena.h"
#include "base/base64.h"
#include "sim/script.h"

#define MAX_DEPTH 64 /* of a body in which a file is looked for */

bool rf_sim_step_says(const struct rf_sim_step *step, const struct rf_sim_request *r,
                      struct rf_sim_said *said)
{
    if (step->text.n == 0 && step->said.call_count == 0)
        return false;
    *said = step->said;
    said->text = step->text;
    said->thinking = step->thinking;
    for (size_t i = 0; i < said->call_count; i++)
        if (said->calls[i].id.n == 0)
            said->calls[i].id = rf_sim_call_id(r, i);
    said->input_tokens = rf_sim_input_tokens(r);
    said->output_tokens = (int64_t)(said->text.n / 4) + 1;
    return true;
}

/* A file in the body. */

/* The bytes are base64 in some string, perhaps after "data:…,". */
static bool holds(struct rf_str text, struct rf_str base64)
{
    return base64.n > 0 && text.n >= base64.n &&
           memcmp(text.p + text.n - base64.n, base64.p, base64.n) == 0;
}

/* How places are spelled. */
enum style { DOTS, TAGS /* dots, and the tags of unions */, BRACKETS };

struct search {
    struct rf_arena *arena;
    struct rf_str base64;
    enum style style;
    const struct rf_jpath *found;
};

static const struct rf_jpath *below(struct search *s, const struct rf_jpath *up, const char *field,
                                    size_t index)
{
    struct rf_jpath *at = RF_NEW(s->arena, struct rf_jpath);
    *at = (struct rf_jpath){ .up = up, .field = field, .index = index };
    return at;
}

/* The place of the string that ends in the base64. */
static bool find_place(struct search *s, const struct rf_jval *v, const struct rf_jpath *at,
                       int depth)
{
    const struct rf_jval *tag = s->style == TAGS && at ? rf_jval_get(v, "type") : NULL;
    bool object = v->type == RF_JOBJECT;
    size_t i = 0;
    if (v->type == RF_JSTRING && holds(v->raw, s->base64)) {
        s->found = at;
        return true;
    }
    if (depth == 0 || (v->type != RF_JARRAY && !object))
        return false;
    if (tag && tag->type == RF_JSTRING)
        at = below(s, at, rf_cstr(s->arena, rf_jval_text(tag, s->arena)), 0);
    for (const struct rf_jval *c = rf_jval_first(v); c; i++) {
        const char *field = object ? rf_cstr(s->arena, rf_jval_text(c, s->arena)) : NULL;
        c += object;
        if (find_place(s, c, below(s, at, field, i), depth - 1))
            return true;
        c = rf_jval_next(v, c);
    }
    return false;
}

static struct rf_str encode(struct rf_arena *a, struct rf_str bytes)
{
    char *p = rf_arena_alloc(a, (size_t)rf_base64_length(bytes.n) + 1);
    return (struct rf_str){ p, rf_base64_encode(bytes.p, bytes.n, p) };
}

/* How a dialect refuses a file: its place stands between two texts. */
static const struct {
    const char *dialect;
    enum style style;
    const char *type, *before, *after;
} words[] = {
    { "anthropic", TAGS, "invalid_request_error", "", ": Could not process image" },
    { "bedrock", DOTS, "",
      "The model returned the following errors: ", ": Could not process image" },
    { "openai-chat", BRACKETS, "invalid_request_error", "Invalid '",
      "'. You uploaded an unsupported image. Please make sure your image is valid." },
    { "openai-responses", BRACKETS, "invalid_request_error", "Invalid '",
      "'. The image data you provided does not represent a valid image. Please check your "
      "input and try again." },
    { "gemini", BRACKETS, "INVALID_ARGUMENT", "Unable to process input image (", ")." },
    { "mistral", BRACKETS, "invalid_request_file", "Image could not be loaded (", ")." },
    { "cohere", BRACKETS, "", "invalid request: invalid image (", ")" },
    { "ollama", BRACKETS, "", "failed to process inputs (", "): image: unknown format" },
};

/* The place of the nth file; empty where there are fewer, or it is not in the body. */
static struct rf_str find_file(struct rf_sim_request *r, int64_t n, enum style style)
{
    struct search s = { .arena = r->arena, .style = style };
    const struct rf_sim_seen *file = NULL;
    char text[512];
    for (size_t i = 0; i < r->count && !file; i++)
        if (r->seen[i].kind == RF_SIM_FILE && --n == 0)
            file = &r->seen[i];
    if (!file)
        return RF_STR("");
    s.base64 = encode(r->arena, file->bytes);
    if (!find_place(&s, r->body, NULL, MAX_DEPTH))
        return RF_STR("");
    if (style != BRACKETS)
        return rf_sim_place_words(r->arena, s.found);
    rf_jpath_format(s.found, text, sizeof text);
    return rf_str_dup(r->arena, rf_str(text));
}

static bool refuse_part(const struct rf_sim_step *step, struct rf_sim_request *r,
                        struct rf_sim_refusal *out)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(r->dialect->name, words[i].dialect) != 0)
            continue;
        struct rf_str at = find_file(r, step->refuse_part, words[i].style);
        if (at.n == 0)
            return false;
        out->type = rf_str(words[i].type);
        rf_sim_refuse(r, out, step->status > 0 ? (int)step->status : 400, "%s%s%s", words[i].before,
                      at.p, words[i].after);
        return true;
    }
    return false;
}

static const char *usual_message(int64_t status)
{
    switch (status) {
    case 429:
        return "Rate limit reached. Please try again later.";
    case 500:
        return "Internal server error";
    case 503:
        return "The service is unavailable. Please try again later.";
    case 529:
        return "Overloaded";
    default:
        return "The script of the simulator refuses this request.";
    }
}

bool rf_sim_step_refuses(const struct rf_sim_step *step, struct rf_sim_request *r,
                         struct rf_sim_refusal *out)
{
    if (step->refuse_part > 0)
        return refuse_part(step, r, out);
    if (step->status < 400)
        return false;
    out->type = step->type;
    rf_sim_refuse(r, out, (int)step->status, "%s",
                  step->message.n > 0 ? rf_cstr(r->arena, step->message)
                                      : usual_message(step->status));
    return true;
}

/* Spoiling. */

/* Cut chunks so that one begins at byte `at`; its index, or the count at the end. */
static size_t split(struct rf_sim_reply *reply, struct rf_arena *a, size_t at)
{
    size_t i = 0;
    while (i < reply->count && at >= reply->chunks[i].bytes.n)
        at -= reply->chunks[i++].bytes.n;
    if (i == reply->count || at == 0)
        return i;
    rf_sim_chunk(reply, a, RF_STR(""));
    memmove(&reply->chunks[i + 1], &reply->chunks[i],
            (reply->count - 1 - i) * sizeof *reply->chunks);
    struct rf_sim_chunk *first = &reply->chunks[i], *second = first + 1;
    first->bytes.n = at;
    second->bytes = (struct rf_str){ second->bytes.p + at, second->bytes.n - at };
    second->delay_ms = 0;
    return i + 1;
}

static void add_retry(const struct rf_sim_step *step, struct rf_arena *a,
                      struct rf_sim_reply *reply)
{
    if (step->retry_after_s >= 0)
        rf_sim_header(reply, "retry-after", rf_strf(a, "%jd", (intmax_t)step->retry_after_s).p);
    if (step->retry_after_ms >= 0)
        rf_sim_header(reply, "retry-after-ms", rf_strf(a, "%jd", (intmax_t)step->retry_after_ms).p);
}

void rf_sim_step_spoil(const struct rf_sim_step *step, struct rf_arena *a,
                       struct rf_sim_reply *reply)
{
    if (step->body.n > 0) {
        reply->count = 0;
        reply->status = step->status > 0 ? (int)step->status : reply->status;
        reply->content_type =
            step->content_type.n > 0 ? rf_cstr(a, step->content_type) : reply->content_type;
        rf_sim_chunk(reply, a, step->body);
    }
    add_retry(step, a, reply);
    for (size_t i = 0; i < reply->count; i++)
        reply->chunks[i].delay_ms = i == 0               ? (step->delay_ms > 0 ? step->delay_ms : 0)
                                    : step->pause_ms > 0 ? step->pause_ms
                                                         : 0;
    if (step->stall_after_bytes >= 0) {
        size_t i = split(reply, a, (size_t)step->stall_after_bytes);
        if (i < reply->count)
            reply->chunks[i].delay_ms += step->stall_ms > 0 ? step->stall_ms : 0;
    }
    if (step->cut_after_bytes >= 0) {
        size_t i = split(reply, a, (size_t)step->cut_after_bytes);
        reply->cut = reply->cut || i < reply->count;
        reply->count = i;
    }
}
