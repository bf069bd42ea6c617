#include "mcp/server/fixtures.h"

#include "mcp/server/inside.h"

#define NO_ARGUMENTS "{\"type\":\"object\",\"properties\":{}}"
#define STEP_MS 50 /* between messages of a call */
#define INFO 1     /* a level of logging */

/* One red pixel, and four samples of silence. */
#define PNG                                                                                \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElF" \
    "TkSuQmCC"
#define WAV "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQgAAAAAAAAAAAAAAA=="

/* Blocks. */

static void text_block(struct rf_json *w, const char *key, struct rf_str text)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", text);
    rf_json_end(w);
}

static void data_block(struct rf_json *w, const char *key, const char *type, const char *data,
                       const char *mime)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, "data", rf_str(data));
    rf_json_str(w, "mimeType", rf_str(mime));
    rf_json_end(w);
}

static void resource_block(struct rf_json *w, const char *key, struct rf_str uri, const char *mime,
                           const char *text)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", RF_STR("resource"));
    rf_json_obj(w, "resource");
    rf_json_str(w, "uri", uri);
    rf_json_str(w, "mimeType", rf_str(mime));
    rf_json_str(w, "text", rf_str(text));
    rf_json_end(w);
    rf_json_end(w);
}

static struct rf_json *content(struct rf_mcp_call *c)
{
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "content");
    return w;
}

static void say(struct rf_mcp_call *c, struct rf_str text)
{
    struct rf_json *w = content(c);
    text_block(w, NULL, text);
    rf_json_end(w);
}

/* Tools that answer. */

static void simple_text(struct rf_mcp_call *c)
{
    say(c, RF_STR("This is a simple text response for testing."));
}

static void image_content(struct rf_mcp_call *c)
{
    struct rf_json *w = content(c);
    data_block(w, NULL, "image", PNG, "image/png");
    rf_json_end(w);
}

static void audio_content(struct rf_mcp_call *c)
{
    struct rf_json *w = content(c);
    data_block(w, NULL, "audio", WAV, "audio/wav");
    rf_json_end(w);
}

static void embedded_resource(struct rf_mcp_call *c)
{
    struct rf_json *w = content(c);
    resource_block(w, NULL, RF_STR("test://embedded-resource"), "text/plain",
                   "This is an embedded resource content.");
    rf_json_end(w);
}

static void multiple_content_types(struct rf_mcp_call *c)
{
    struct rf_json *w = content(c);
    text_block(w, NULL, RF_STR("Multiple content types test:"));
    data_block(w, NULL, "image", PNG, "image/png");
    resource_block(w, NULL, RF_STR("test://mixed-content-resource"), "application/json",
                   "{\"test\":\"data\",\"value\":123}");
    rf_json_end(w);
}

static void error_handling(struct rf_mcp_call *c)
{
    rf_mcp_call_fail(c, RF_STR("This tool intentionally returns an error for testing"));
}

/* Tools that say how far they are. */

static void with_logging(struct rf_mcp_call *c)
{
    static const char *const lines[] = { "Tool execution started", "Tool processing data",
                                         "Tool execution completed" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (i && !rf_mcp_call_sleep(c, STEP_MS))
            return;
        rf_mcp_call_log(c, INFO, rf_str(lines[i]));
    }
    say(c, RF_STR("Tool with logging executed successfully"));
}

static void logging_tool(struct rf_mcp_call *c)
{
    rf_mcp_call_log(c, INFO, RF_STR("only for whoever asked for it"));
    say(c, RF_STR("Logged."));
}

static void with_progress(struct rf_mcp_call *c)
{
    for (int64_t done = 0; done <= 100; done += 50) {
        if (done && !rf_mcp_call_sleep(c, STEP_MS))
            return;
        rf_mcp_call_progress(c, done, 100, RF_STR(""));
    }
    say(c, RF_STR("Tool with progress executed successfully"));
}

/* Tools that ask. */

#define QUESTION(message, properties, required)                               \
    "{\"mode\":\"form\",\"message\":\"" message                               \
    "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties \
    "},\"required\":[" required "]}}"
#define NAME_QUESTION QUESTION("What is your name?", "\"name\":{\"type\":\"string\"}", "\"name\"")
#define SAMPLE(text, tokens)                                                            \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text \
    "\"}}],\"maxTokens\":" tokens "}"

/* The result of a question, or NULL: nothing more is to be done in this round. */
static const struct rf_jval *ask(struct rf_mcp_call *c, const char *key, const char *method,
                                 const char *params)
{
    const struct rf_jval *answer = NULL;
    struct rf_err err;
    switch (rf_mcp_call_ask(c, key, method, params, &answer, &err)) {
    case RF_MCP_ANSWERED:
        if (rf_jval_type(answer) == RF_JOBJECT)
            return answer;
        (void)rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS, RF_STR("an answer is not an object"));
        return NULL;
    case RF_MCP_ASKED:
        return NULL;
    case RF_MCP_REFUSED:
        rf_mcp_call_fail(c, rf_str(err.msg));
        return NULL;
    }
    return NULL;
}

/* A value of the form that was filled in; NULL where there is none. */
static const struct rf_jval *field(const struct rf_jval *answer, const char *name)
{
    bool accepted = rf_jval_is(rf_jval_get(answer, "action"), "accept");
    return accepted ? rf_jval_get(rf_jval_get(answer, "content"), name) : NULL;
}

static void tell_form(struct rf_mcp_call *c, const char *what, const struct rf_jval *answer)
{
    struct rf_arena *a = rf_mcp_call_arena(c);
    const struct rf_jval *action = rf_jval_get(answer, "action");
    const struct rf_jval *values = rf_jval_get(answer, "content");
    struct rf_str word = action ? rf_jval_text(action, a) : RF_STR("");
    struct rf_str text = values ? rf_jval_compact(values, a) : RF_STR("{}");
    say(c, rf_strf(a, "%s: action=%.*s, content=%.*s", what, RF_FMT(word), RF_FMT(text)));
}

static void tell_sample(struct rf_mcp_call *c, const struct rf_jval *answer)
{
    struct rf_arena *a = rf_mcp_call_arena(c);
    const struct rf_jval *text = rf_jval_get(rf_jval_get(answer, "content"), "text");
    struct rf_str words = text ? rf_jval_text(text, a) : RF_STR("nothing");
    say(c, rf_strf(a, "LLM response: %.*s", RF_FMT(words)));
}

/* A text of the arguments as it stands inside of JSON quotes. */
static struct rf_str argument(struct rf_mcp_call *c, const char *name)
{
    const struct rf_jval *v = rf_jval_get(rf_mcp_call_arguments(c), name);
    return rf_jval_type(v) == RF_JSTRING ? v->raw : RF_STR("");
}

static void sampling(struct rf_mcp_call *c)
{
    struct rf_str prompt = argument(c, "prompt");
    const char *params = rf_strf(rf_mcp_call_arena(c), SAMPLE("%.*s", "100"), RF_FMT(prompt)).p;
    const struct rf_jval *answer = ask(c, "sample", "sampling/createMessage", params);
    if (answer)
        tell_sample(c, answer);
}

static void elicitation(struct rf_mcp_call *c)
{
    struct rf_str message = argument(c, "message");
    const char *params =
        rf_strf(rf_mcp_call_arena(c),
                QUESTION("%.*s",
                         "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
                         "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}",
                         "\"username\",\"email\""),
                RF_FMT(message))
            .p;
    const struct rf_jval *answer = ask(c, "form", "elicitation/create", params);
    if (answer)
        tell_form(c, "User response", answer);
}

static void elicitation_defaults(struct rf_mcp_call *c)
{
    static const char params[] = QUESTION(
        "Please review the form",
        "\"name\":{\"type\":\"string\",\"description\":\"User name\",\"default\":\"John Doe\"},"
        "\"age\":{\"type\":\"integer\",\"description\":\"User age\",\"default\":30},"
        "\"score\":{\"type\":\"number\",\"description\":\"User score\",\"default\":95.5},"
        "\"status\":{\"type\":\"string\",\"description\":\"User status\","
        "\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
        "\"verified\":{\"type\":\"boolean\",\"description\":\"Verified\",\"default\":true}",
        "");
    const struct rf_jval *answer = ask(c, "form", "elicitation/create", params);
    if (answer)
        tell_form(c, "Elicitation completed", answer);
}

#define THREE(kind, value, title)                                                                \
    "\"" kind "\":[{\"const\":\"" value "1\",\"title\":\"First " title "\"},{\"const\":\"" value \
    "2\",\"title\":\"Second " title "\"},{\"const\":\"" value "3\",\"title\":\"Third " title     \
    "\"}]"

static void elicitation_enums(struct rf_mcp_call *c)
{
    static const char params[] = QUESTION(
        "Please choose",
        "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
        "\"titledSingle\":{\"type\":\"string\"," THREE(
            "oneOf", "value",
            "Option") "},"
                      "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
                      "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
                      "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
                      "\"enum\":[\"option1\",\"option2\",\"option3\"]}},"
                      "\"titledMulti\":{\"type\":\"array\",\"items\":{" THREE("anyOf", "value",
                                                                              "Choice") "}}",
        "");
    const struct rf_jval *answer = ask(c, "form", "elicitation/create", params);
    if (answer)
        tell_form(c, "Elicitation completed", answer);
}

static void missing_capability(struct rf_mcp_call *c)
{
    if (rf_mcp_call_capability(c, "sampling")) {
        say(c, RF_STR("The client can sample."));
        return;
    }
    struct rf_json *w =
        rf_mcp_call_refuse(c, RF_MCP_MISSING_CAPABILITY, RF_STR("the client cannot sample"));
    rf_json_obj(w, "data");
    rf_json_obj(w, "requiredCapabilities");
    rf_json_obj(w, "sampling");
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

/* Tools that ask in rounds. */

static void ask_name(struct rf_mcp_call *c)
{
    struct rf_arena *a = rf_mcp_call_arena(c);
    const struct rf_jval *answer = ask(c, "user_name", "elicitation/create", NAME_QUESTION);
    if (!answer)
        return;
    const struct rf_jval *name = field(answer, "name");
    struct rf_str text = name ? rf_jval_text(name, a) : RF_STR("whoever you are");
    say(c, rf_strf(a, "Hello, %.*s!", RF_FMT(text)));
}

static void ask_capital(struct rf_mcp_call *c)
{
    const struct rf_jval *answer = ask(c, "capital_question", "sampling/createMessage",
                                       SAMPLE("What is the capital of France?", "100"));
    if (answer)
        tell_sample(c, answer);
}

static void ask_roots(struct rf_mcp_call *c)
{
    struct rf_arena *a = rf_mcp_call_arena(c);
    const struct rf_jval *answer = ask(c, "client_roots", "roots/list", "{}");
    if (!answer)
        return;
    const struct rf_jval *roots = rf_jval_get(answer, "roots");
    struct rf_str text = roots ? rf_jval_compact(roots, a) : RF_STR("none");
    say(c, rf_strf(a, "Roots: %.*s", RF_FMT(text)));
}

/* That what was kept comes back as it was is the server's to check. */
static void ask_with_state(struct rf_mcp_call *c)
{
    static const char params[] =
        QUESTION("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\"");
    bool first = !rf_mcp_call_state(c).n;
    rf_mcp_call_keep(c, RF_STR("confirm"));
    const struct rf_jval *answer = ask(c, "confirm", "elicitation/create", params);
    if (answer && first && rf_mcp_call_revision(c)->era == RF_MCP_MODERN)
        (void)rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS, RF_STR("requestState is missing"));
    else if (answer)
        say(c, RF_STR("state-ok"));
}

static void ask_three(struct rf_mcp_call *c)
{
    rf_mcp_call_keep(c, RF_STR("three"));
    const struct rf_jval *name = ask(c, "user_name", "elicitation/create", NAME_QUESTION);
    const struct rf_jval *greeting =
        ask(c, "greeting", "sampling/createMessage", SAMPLE("Generate a greeting", "50"));
    const struct rf_jval *roots = ask(c, "client_roots", "roots/list", "{}");
    if (name && greeting && roots)
        say(c, RF_STR("All three questions are answered."));
}

static void ask_twice(struct rf_mcp_call *c)
{
    static const char first[] =
        QUESTION("Step 1: What is your name?", "\"name\":{\"type\":\"string\"}", "\"name\"");
    static const char second[] = QUESTION("Step 2: What is your favorite color?",
                                          "\"color\":{\"type\":\"string\"}", "\"color\"");
    if (!rf_str_is(rf_mcp_call_state(c), "step2")) {
        rf_mcp_call_keep(c, RF_STR("step1"));
        if (!ask(c, "step1", "elicitation/create", first))
            return;
    }
    rf_mcp_call_keep(c, RF_STR("step2"));
    if (ask(c, "step2", "elicitation/create", second))
        say(c, RF_STR("Both steps are done."));
}

static void ask_what_it_can(struct rf_mcp_call *c)
{
    bool form = rf_mcp_call_capability(c, "elicitation") != NULL;
    bool model = rf_mcp_call_capability(c, "sampling") != NULL;
    const struct rf_jval *name =
        form ? ask(c, "user_name", "elicitation/create", NAME_QUESTION) : NULL;
    const struct rf_jval *capital = model ? ask(c, "capital_question", "sampling/createMessage",
                                                SAMPLE("What is the capital of France?", "100"))
                                          : NULL;
    if ((!form || name) && (!model || capital))
        say(c, RF_STR("All that could be asked is answered."));
}

/* Tools that change lists. */

static void change_tools(struct rf_mcp_call *c)
{
    rf_mcp_server_list_changed(rf_mcp_call_server(c), RF_MCP_LIST_TOOLS);
    say(c, RF_STR("The list of tools has changed."));
}

static void change_prompts(struct rf_mcp_call *c)
{
    rf_mcp_server_list_changed(rf_mcp_call_server(c), RF_MCP_LIST_PROMPTS);
    say(c, RF_STR("The list of prompts has changed."));
}

#define TEXT_ARGUMENT(name)                        \
    "{\"type\":\"object\",\"properties\":{\"" name \
    "\":{\"type\":\"string\"}},\"required\":[\"" name "\"]}"

/* Keywords of JSON Schema 2020-12 that have to reach the client as they are. */
#define SCHEMA_2020_12                                                                    \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","  \
    "\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\","             \
    "\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}}," \
    "\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/"     \
    "address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"  \
    "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"                   \
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"    \
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"                   \
    "\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"              \
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"

#define TOOL(name, schema, words, run)             \
    {                                              \
        name, NULL, words, schema, NULL, NULL, run \
    }

static const struct rf_mcp_tool tools[] = {
    TOOL("test_simple_text", NO_ARGUMENTS, "Answers with a text", simple_text),
    TOOL("test_image_content", NO_ARGUMENTS, "Answers with a picture", image_content),
    TOOL("test_audio_content", NO_ARGUMENTS, "Answers with sound", audio_content),
    TOOL("test_embedded_resource", NO_ARGUMENTS, "Answers with a resource", embedded_resource),
    TOOL("test_multiple_content_types", NO_ARGUMENTS, "Answers with three kinds of content",
         multiple_content_types),
    TOOL("test_error_handling", NO_ARGUMENTS, "Fails", error_handling),
    TOOL("test_tool_with_logging", NO_ARGUMENTS, "Logs while it runs", with_logging),
    TOOL("test_logging_tool", NO_ARGUMENTS, "Logs where it was asked to", logging_tool),
    TOOL("test_tool_with_progress", NO_ARGUMENTS, "Says how far it is", with_progress),
    TOOL("test_sampling", TEXT_ARGUMENT("prompt"), "Asks the client's model", sampling),
    TOOL("test_elicitation", TEXT_ARGUMENT("message"), "Asks the user", elicitation),
    TOOL("test_elicitation_sep1034_defaults", NO_ARGUMENTS, "Asks with defaults",
         elicitation_defaults),
    TOOL("test_elicitation_sep1330_enums", NO_ARGUMENTS, "Asks with choices", elicitation_enums),
    TOOL("test_streaming_elicitation", NO_ARGUMENTS, "Asks the user for a name", ask_name),
    TOOL("test_missing_capability", NO_ARGUMENTS, "Needs a client that can sample",
         missing_capability),
    TOOL("json_schema_2020_12_tool", SCHEMA_2020_12, "Has a schema with many keywords",
         simple_text),
    TOOL("test_trigger_tool_change", NO_ARGUMENTS, "Changes the list of tools", change_tools),
    TOOL("test_trigger_prompt_change", NO_ARGUMENTS, "Changes the list of prompts", change_prompts),
    TOOL("test_input_required_result_elicitation", NO_ARGUMENTS, "Asks for a name", ask_name),
    TOOL("test_input_required_result_sampling", NO_ARGUMENTS, "Asks the model", ask_capital),
    TOOL("test_input_required_result_list_roots", NO_ARGUMENTS, "Asks for the roots", ask_roots),
    TOOL("test_input_required_result_request_state", NO_ARGUMENTS, "Asks, and keeps something",
         ask_with_state),
    TOOL("test_input_required_result_multiple_inputs", NO_ARGUMENTS, "Asks three things at once",
         ask_three),
    TOOL("test_input_required_result_multi_round", NO_ARGUMENTS, "Asks twice", ask_twice),
    TOOL("test_input_required_result_tampered_state", NO_ARGUMENTS, "Asks, and keeps something",
         ask_with_state),
    TOOL("test_input_required_result_capabilities", NO_ARGUMENTS, "Asks what the client can answer",
         ask_what_it_can),
};

/* Prompts. */

static struct rf_json *message(struct rf_mcp_call *c)
{
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "messages");
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("user"));
    return w;
}

static void next_message(struct rf_json *w)
{
    rf_json_end(w);
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("user"));
}

static void end_messages(struct rf_json *w)
{
    rf_json_end(w);
    rf_json_end(w);
}

static struct rf_str prompt_argument(struct rf_mcp_call *c, const char *name)
{
    const struct rf_jval *all = rf_jval_get(rf_mcp_call_params(c), "arguments");
    const struct rf_jval *v = rf_jval_get(all, name);
    return rf_jval_type(v) == RF_JSTRING ? rf_jval_text(v, rf_mcp_call_arena(c)) : RF_STR("");
}

static void simple_prompt(struct rf_mcp_call *c)
{
    struct rf_json *w = message(c);
    text_block(w, "content", RF_STR("This is a simple prompt for testing."));
    end_messages(w);
}

static void prompt_with_arguments(struct rf_mcp_call *c)
{
    struct rf_str first = prompt_argument(c, "arg1"), second = prompt_argument(c, "arg2");
    struct rf_json *w = message(c);
    text_block(w, "content",
               rf_strf(rf_mcp_call_arena(c), "Prompt with arguments: arg1='%.*s', arg2='%.*s'",
                       RF_FMT(first), RF_FMT(second)));
    end_messages(w);
}

static void prompt_with_resource(struct rf_mcp_call *c)
{
    struct rf_json *w = message(c);
    resource_block(w, "content", prompt_argument(c, "resourceUri"), "text/plain",
                   "Embedded resource content for testing.");
    next_message(w);
    text_block(w, "content", RF_STR("Please process the embedded resource above."));
    end_messages(w);
}

static void prompt_with_image(struct rf_mcp_call *c)
{
    struct rf_json *w = message(c);
    data_block(w, "content", "image", PNG, "image/png");
    next_message(w);
    text_block(w, "content", RF_STR("Please analyze the image above."));
    end_messages(w);
}

static void prompt_that_asks(struct rf_mcp_call *c)
{
    struct rf_arena *a = rf_mcp_call_arena(c);
    const struct rf_jval *answer =
        ask(c, "user_context", "elicitation/create",
            QUESTION("What context should the prompt use?", "\"context\":{\"type\":\"string\"}",
                     "\"context\""));
    if (!answer)
        return;
    const struct rf_jval *said = field(answer, "context");
    struct rf_str text = said ? rf_jval_text(said, a) : RF_STR("none");
    struct rf_json *w = message(c);
    text_block(w, "content", rf_strf(a, "Use this context: %.*s", RF_FMT(text)));
    end_messages(w);
}

#define ARGUMENT(name, words) \
    "{\"name\":\"" name "\",\"description\":\"" words "\",\"required\":true}"

static const struct rf_mcp_prompt prompts[] = {
    { "test_simple_prompt", NULL, "One message", NULL, simple_prompt, NULL },
    { "test_prompt_with_arguments", NULL, "One message with what it was given",
      "[" ARGUMENT("arg1", "First test argument") "," ARGUMENT("arg2", "Second test argument") "]",
      prompt_with_arguments, NULL },
    { "test_prompt_with_embedded_resource", NULL, "A resource, and what to do with it",
      "[" ARGUMENT("resourceUri", "URI of the resource to embed") "]", prompt_with_resource, NULL },
    { "test_prompt_with_image", NULL, "A picture, and what to do with it", NULL, prompt_with_image,
      NULL },
    { "test_input_required_result_prompt", NULL, "Asks first", NULL, prompt_that_asks, NULL },
};

/* Resources. */

static void contents(struct rf_mcp_call *c, const char *mime, const char *member,
                     struct rf_str value)
{
    struct rf_json *w = rf_mcp_call_result(c);
    rf_mcp_call_cacheable(c, w, 0);
    rf_json_arr(w, "contents");
    rf_json_obj(w, NULL);
    rf_json_str(w, "uri", rf_mcp_call_text(c, "uri"));
    rf_json_str(w, "mimeType", rf_str(mime));
    rf_json_str(w, member, value);
    rf_json_end(w);
    rf_json_end(w);
}

static void static_text(struct rf_mcp_call *c)
{
    contents(c, "text/plain", "text", RF_STR("This is the content of the static text resource."));
}

static void static_binary(struct rf_mcp_call *c)
{
    contents(c, "image/png", "blob", RF_STR(PNG));
}

static void watched_resource(struct rf_mcp_call *c)
{
    contents(c, "text/plain", "text", RF_STR("Watched resource content"));
}

#define TEMPLATE_BEGIN "test://template/"
#define TEMPLATE_END "/data"

static void template_data(struct rf_mcp_call *c)
{
    struct rf_str id = rf_mcp_call_text(c, "uri");
    if (id.n < sizeof TEMPLATE_BEGIN - 1 + sizeof TEMPLATE_END - 1)
        return;
    id.p += sizeof TEMPLATE_BEGIN - 1;
    id.n -= sizeof TEMPLATE_BEGIN - 1 + sizeof TEMPLATE_END - 1;
    contents(c, "application/json", "text",
             rf_strf(rf_mcp_call_arena(c),
                     "{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: %.*s\"}",
                     RF_FMT(id), RF_FMT(id)));
}

static const struct rf_mcp_resource resources[] = {
    { "test://static-text", "static-text", NULL, "A text", "text/plain", static_text, NULL },
    { "test://static-binary", "static-binary", NULL, "A picture", "image/png", static_binary,
      NULL },
    { "test://watched-resource", "watched-resource", NULL, "What can be subscribed to",
      "text/plain", watched_resource, NULL },
};

static const struct rf_mcp_resource templates[] = {
    { TEMPLATE_BEGIN "{id}" TEMPLATE_END, "template", NULL, "Data of an id", "application/json",
      template_data, NULL },
};

#define ALL(list) list, sizeof list / sizeof *list

const struct rf_mcp_offer rf_mcp_fixtures = {
    ALL(tools),
    ALL(prompts),
    ALL(resources),
    ALL(templates),
};
