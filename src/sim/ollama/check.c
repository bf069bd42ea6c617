/* The other side of Ollama's /api/chat: lenient about order, fields and ids, strict about types,
 * since it is Go's decoder that reads. Media is base64 in `images`, whatever it is; streams are
 * JSON lines. What a model can is not told by its name: library.c.
 *
 * source: code (of the server, 0.17.4) */
#include "sim/ollama/library.h"
#include "sim/strict.h"

#include "base/arena.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define CREATED "2026-01-01T00:00:00Z" /* the same every time, so that runs can be compared */
#define USUAL_WINDOW 4096              /* tokens, where a request does not ask for more */
#define IMAGE_TOKENS 768
#define MAX_CALLS 1024 /* whose results are told apart by their order */

struct reading {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    const char *role;
    struct rf_sim_known_call calls[MAX_CALLS]; /* of the last assistant turn */
    size_t count, answered;
};

/* Types, as Go calls them */

static const struct typed {
    const char *name;
    unsigned types;
    const char *go, *field;
} body_types[] = {
    { "model", RF_SIM_STRING, "string", "ChatRequest.model" },
    { "messages", RF_SIM_ARRAY, "[]api.Message", "ChatRequest.messages" },
    { "stream", RF_SIM_BOOL, "bool", "ChatRequest.stream" },
    { "tools", RF_SIM_ARRAY, "api.Tools", "ChatRequest.tools" },
    { "options", RF_SIM_OBJECT, "map[string]interface {}", "ChatRequest.options" },
};
static const struct typed message_types[] = {
    { "role", RF_SIM_STRING, "string", "ChatRequest.messages.role" },
    { "content", RF_SIM_STRING, "string", "ChatRequest.messages.content" },
    { "thinking", RF_SIM_STRING, "string", "ChatRequest.messages.thinking" },
    { "images", RF_SIM_ARRAY, "[]api.ImageData", "ChatRequest.messages.images" },
    { "tool_calls", RF_SIM_ARRAY, "[]api.ToolCall", "ChatRequest.messages.tool_calls" },
    { "tool_name", RF_SIM_STRING, "string", "ChatRequest.messages.tool_name" },
    { "tool_call_id", RF_SIM_STRING, "string", "ChatRequest.messages.tool_call_id" },
};
static const struct typed function_types[] = {
    { "name", RF_SIM_STRING, "string", "ToolCallFunction.messages.tool_calls.function.name" },
    { "arguments", RF_SIM_OBJECT, "api.ToolCallFunctionArguments",
      "ToolCallFunction.messages.tool_calls.function.arguments" },
};

static const char *go_type(enum rf_jtype type)
{
    switch (type) {
    case RF_JNULL:
        return "null";
    case RF_JFALSE:
    case RF_JTRUE:
        return "bool";
    case RF_JNUMBER:
        return "number";
    case RF_JSTRING:
        return "string";
    case RF_JARRAY:
        return "array";
    case RF_JOBJECT:
        return "object";
    }
    return "value";
}

static bool check_types(struct reading *in, const struct rf_jval *v, const struct typed *types,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rf_jval *member = rf_jval_get(v, types[i].name);
        if (member && member->type != RF_JNULL && !(types[i].types & 1u << member->type))
            return rf_sim_refuse(in->r, in->out, 400,
                                 "json: cannot unmarshal %s into Go struct field %s of type %s",
                                 go_type(member->type), types[i].field, types[i].go);
    }
    return true;
}

/* Media */

bool rf_sim_ollama_image(struct rf_sim_request *r, const char *role, struct rf_str bytes,
                         const struct rf_format *format, struct rf_sim_refusal *out)
{
    unsigned can = rf_sim_ollama_find(r->model, r->arena).can;
    if (!(can & RF_SIM_CAN_SEE))
        return true; /* taken, and never seen */
    bool sound = format && format->kind == RF_KIND_AUDIO && can & RF_SIM_CAN_HEAR;
    struct rf_facts facts;
    if (!sound && rf_sim_picture(&r->model->caps, bytes, format, &facts) != RF_SIM_PICTURE_FINE)
        return rf_sim_refuse(r, out, 500,
                             "Failed to create new sequence: failed to process inputs: image: "
                             "unknown format");
    rf_sim_see_file(r, role, bytes, format, rf_str(format->mime));
    return true;
}

static bool read_image(struct reading *in, const struct rf_jval *v)
{
    struct rf_str bytes;
    const struct rf_format *format;
    if (v->type != RF_JSTRING || !rf_sim_decode(in->r, rf_sim_text(in->r, v), &bytes, &format))
        return rf_sim_refuse(in->r, in->out, 400, "illegal base64 data at input byte 0");
    return rf_sim_ollama_image(in->r, in->role, bytes, format, in->out);
}

static bool read_images(struct reading *in, const struct rf_jval *images)
{
    const struct rf_jval *v = images && images->type == RF_JARRAY ? rf_jval_first(images) : NULL;
    for (; v; v = rf_jval_next(images, v))
        if (!read_image(in, v))
            return false;
    return true;
}

/* Calls and results */

static bool read_calls(struct reading *in, const struct rf_jval *calls)
{
    in->count = in->answered = 0;
    const struct rf_jval *v = calls && calls->type == RF_JARRAY ? rf_jval_first(calls) : NULL;
    for (; v; v = rf_jval_next(calls, v)) {
        const struct rf_jval *function = rf_jval_get(v, "function"),
                             *arguments = rf_jval_get(function, "arguments");
        if (!check_types(in, function, function_types, COUNT(function_types)))
            return false;
        struct rf_str id = rf_sim_get(in->r, v, "id");
        if (!id.n)
            id = rf_strf(in->r->arena, "call_%zu_%zu", in->r->turn, in->count);
        struct rf_str name = rf_sim_get(in->r, function, "name");
        if (in->count < MAX_CALLS)
            in->calls[in->count++] = (struct rf_sim_known_call){ .id = id, .name = name };
        rf_sim_see_call(in->r, id, name,
                        arguments && arguments->type == RF_JOBJECT ? arguments->raw : RF_STR("{}"));
    }
    return true;
}

/* The call that a result is for: by its id, else by its place. */
static struct rf_sim_known_call find_call(struct reading *in, const struct rf_jval *m)
{
    struct rf_str id = rf_sim_get(in->r, m, "tool_call_id"),
                  name = rf_sim_get(in->r, m, "tool_name");
    size_t i = 0;
    while (id.n > 0 && i < in->count && !rf_str_eq(in->calls[i].id, id))
        i++;
    if (id.n == 0)
        i = in->answered;
    in->answered++;
    bool known = i < in->count;
    return (struct rf_sim_known_call){
        .id = id.n > 0 ? id
              : known  ? in->calls[i].id
                       : rf_strf(in->r->arena, "call_%zu", in->r->turn),
        .name = name.n > 0 ? name
                : known    ? in->calls[i].name
                           : RF_STR(""),
    };
}

/* Messages */

static bool read_message(struct reading *in, const struct rf_jval *m)
{
    static const char *const roles[] = { "system", "assistant", "tool", "user" };
    struct rf_str role = rf_sim_get(in->r, m, "role"), text = rf_sim_get(in->r, m, "content");
    size_t i = 0;
    if (m->type != RF_JOBJECT)
        return rf_sim_refuse(in->r, in->out, 400,
                             "json: cannot unmarshal %s into Go struct field ChatRequest.messages "
                             "of type api.Message",
                             go_type(m->type));
    if (!check_types(in, m, message_types, COUNT(message_types)))
        return false;
    while (i + 1 < COUNT(roles) && !rf_str_ieq(role, rf_str(roles[i])))
        i++; /* any other goes into the template as it is */
    in->role = roles[i];
    struct rf_sim_known_call call;
    if (i == 2) {
        call = find_call(in, m);
        in->r->result = &call;
        rf_sim_see(in->r, RF_SIM_RESULT, in->role);
    }
    if (text.n > 0)
        rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = text;
    bool ok = read_images(in, rf_jval_get(m, "images")) &&
              (i != 1 || read_calls(in, rf_jval_get(m, "tool_calls")));
    in->r->result = NULL;
    return ok;
}

static bool read_messages(struct reading *in, const struct rf_jval *messages)
{
    const struct rf_jval *m =
        messages && messages->type == RF_JARRAY ? rf_jval_first(messages) : NULL;
    for (; m; m = rf_jval_next(messages, m)) {
        if (!read_message(in, m))
            return false;
        in->r->turn++;
    }
    return true;
}

/* The body */

/* A picture has so many, whatever its size. */
static int64_t tokens_from(const struct rf_sim_request *r, size_t first)
{
    struct rf_sim_request rest = { .seen = r->seen + first, .count = r->count - first };
    int64_t tokens = rf_sim_input_tokens(&rest);
    for (size_t i = 0; i < rest.count; i++)
        if (rest.seen[i].kind == RF_SIM_FILE)
            tokens += IMAGE_TOKENS - RF_SIM_TOKENS_PER_FILE;
    return tokens;
}

bool rf_sim_ollama_settings(struct rf_sim_request *r, const struct rf_jval *tools,
                            enum rf_sim_ollama_think think, struct rf_sim_refusal *out)
{
    unsigned can = rf_sim_ollama_find(r->model, r->arena).can;
    struct rf_str name = r->model->name;
    bool listed = tools && tools->type == RF_JARRAY && tools->count > 0;
    r->thinks = can & RF_SIM_CAN_THINK && think != RF_SIM_THINK_NOT;
    if (think == RF_SIM_THINK && !r->thinks)
        return rf_sim_refuse(r, out, 400, "\"%.*s\" does not support thinking", RF_FMT(name));
    if (!(can & RF_SIM_CAN_COMPLETE))
        return rf_sim_refuse(r, out, 400, "\"%.*s\" does not support chat", RF_FMT(name));
    if (listed && !(can & RF_SIM_CAN_CALL))
        return rf_sim_refuse(r, out, 400, "registry.ollama.ai/library/%s does not support tools",
                             rf_cstr(r->arena, rf_sim_ollama_tagged(name, r->arena)));
    for (const struct rf_jval *t = listed ? rf_jval_first(tools) : NULL; t;
         t = rf_jval_next(tools, t)) {
        const struct rf_jval *function = rf_jval_get(t, "function");
        rf_sim_offer(r, rf_sim_get(r, function ? function : t, "name"));
    }
    return true;
}

/* What does not fit the window is cut off at the beginning, a message at a time; what a system said
 * and the last message stay. Nothing but the count of tokens tells. */
void rf_sim_ollama_cut(struct rf_sim_request *r, int64_t window)
{
    int64_t most = rf_sim_ollama_find(r->model, r->arena).context_tokens;
    size_t first = 0, kept = 0, last = r->count > 0 ? r->seen[r->count - 1].turn : 0;
    window = window <= 0 ? USUAL_WINDOW : window;
    r->window = window < most ? window : most;
    while (first < r->count && r->seen[first].turn < last && tokens_from(r, first) > r->window)
        first++;
    while (first > 0 && first < r->count && r->seen[first].turn == r->seen[first - 1].turn)
        first++; /* the rest of a message that is cut */
    for (size_t i = 0; i < r->count; i++)
        if (i >= first || strcmp(r->seen[i].role, "system") == 0)
            r->seen[kept++] = r->seen[i];
    r->count = kept;
}

static bool read_settings(struct reading *in, const struct rf_jval *body)
{
    const struct rf_jval *stream = rf_jval_get(body, "stream"), *think = rf_jval_get(body, "think"),
                         *most = rf_jval_get(rf_jval_get(body, "options"), "num_predict");
    bool asked = think && (think->type == RF_JTRUE || think->type == RF_JSTRING);
    in->r->stream = !stream || stream->type != RF_JFALSE;
    in->r->wants_usage = true;
    if (!most || !rf_jval_int64(most, &in->r->max_tokens) || in->r->max_tokens < 0)
        in->r->max_tokens = 0;
    return rf_sim_ollama_settings(in->r, rf_jval_get(body, "tools"),
                                  asked                               ? RF_SIM_THINK
                                  : think && think->type == RF_JFALSE ? RF_SIM_THINK_NOT
                                                                      : RF_SIM_THINK_USUALLY,
                                  in->out);
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct reading *in = RF_NEW(r->arena, struct reading);
    in->r = r;
    in->out = out;
    if (!rf_sim_get(r, body, "model").n && !rf_jval_get(body, "model"))
        return rf_sim_refuse(r, out, 400, "model is required");
    if (!rf_sim_model_exists(r->model))
        return rf_sim_refuse(r, out, 404, "model '%.*s' not found", RF_FMT(r->model->name));
    if (!check_types(in, body, body_types, COUNT(body_types)) || !read_settings(in, body) ||
        !read_messages(in, rf_jval_get(body, "messages")))
        return false;
    const struct rf_jval *window = rf_jval_get(rf_jval_get(body, "options"), "num_ctx");
    int64_t tokens = 0;
    rf_sim_ollama_cut(r, window && rf_jval_int64(window, &tokens) ? tokens : 0);
    return true;
}

/* Answers */

struct saying {
    const struct rf_sim_request *r;
    const struct rf_sim_said *said;
    struct rf_sim_reply *out;
    struct rf_sim_writer writer;
};

/* Up to the inside of `message`. */
static struct rf_json *open_line(struct saying *s, struct rf_str content)
{
    struct rf_json *w = rf_sim_write(&s->writer, s->r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "model", s->r->model->name);
    rf_json_str(w, "created_at", RF_STR(CREATED));
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_str(w, "content", content);
    return w;
}

static void write_calls(struct rf_json *w, const struct rf_sim_said *said)
{
    rf_json_arr(w, "tool_calls");
    for (size_t i = 0; i < said->call_count; i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "id", said->calls[i].id);
        rf_json_obj(w, "function");
        rf_json_int(w, "index", (int64_t)i);
        rf_json_str(w, "name", said->calls[i].name);
        rf_json_raw(w, "arguments", said->calls[i].arguments);
        rf_json_end(w);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void write_end(struct rf_json *w, const struct rf_sim_said *said)
{
    rf_json_end(w);
    rf_json_str(w, "done_reason", said->cut_by_length ? RF_STR("length") : RF_STR("stop"));
    rf_json_bool(w, "done", true);
    rf_json_int(w, "total_duration", 1000000);
    rf_json_int(w, "load_duration", 100000);
    rf_json_int(w, "prompt_eval_count", said->input_tokens);
    rf_json_int(w, "prompt_eval_duration", 400000);
    rf_json_int(w, "eval_count", said->output_tokens);
    rf_json_int(w, "eval_duration", 500000);
    rf_json_end(w);
}

static void send(struct saying *s)
{
    struct rf_str line = rf_sim_written(&s->writer);
    s->out->content_type = "application/x-ndjson";
    rf_sim_chunk(s->out, s->r->arena, rf_str_join(s->r->arena, line, RF_STR("\n")));
}

static void send_part(struct saying *s)
{
    struct rf_json *w = &s->writer.json;
    rf_json_end(w);
    rf_json_bool(w, "done", false);
    rf_json_end(w);
    send(s);
}

static void say_stream(struct saying *s)
{
    struct rf_str rest = s->said->thinking, piece;
    s->out->status = 200;
    for (; rf_sim_piece(&rest, &piece); send_part(s))
        rf_json_str(open_line(s, RF_STR("")), "thinking", piece);
    for (rest = s->said->text; rf_sim_piece(&rest, &piece); send_part(s))
        open_line(s, piece);
    if (s->said->call_count > 0) {
        write_calls(open_line(s, RF_STR("")), s->said);
        send_part(s);
    }
    write_end(open_line(s, RF_STR("")), s->said);
    send(s);
}

static void say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                struct rf_sim_reply *out)
{
    struct saying s = { .r = r, .said = said, .out = out };
    if (r->stream) {
        say_stream(&s);
        return;
    }
    struct rf_json *w = open_line(&s, said->text);
    rf_json_str_opt(w, "thinking", said->thinking);
    if (said->call_count > 0)
        write_calls(w, said);
    write_end(w, said);
    rf_sim_body(out, 200, &s.writer);
}

static void refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                   struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "error", refusal->message);
    rf_json_end(w);
    rf_sim_body(out, refusal->status, &writer);
}

const struct rf_sim_dialect rf_sim_ollama = {
    .name = "ollama",
    .call_prefix = "call_",
    .call_letters = 8,
    .check = check,
    .say = say,
    .refuse = refuse,
};
