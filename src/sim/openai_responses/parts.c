#include "sim/openai_responses/openai_responses.h"

#include "base/arena.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MAX_TOOLS 1024
#define FILES (1u << RF_KIND_PDF | 1u << RF_KIND_TEXT | 1u << RF_KIND_OFFICE)

static const char text_members[] =
    "type:s! text:s! annotations:a logprobs:a prompt_cache_breakpoint:o";
static const char refusal_members[] = "type:s! refusal:s!";
static const char image_members[] =
    "type:s! image_url:s file_id:s detail:s prompt_cache_breakpoint:o";
static const char file_members[] =
    "type:s! file_data:s file_id:s file_url:s filename:s detail:s prompt_cache_breakpoint:o";

static bool read_text(struct rf_sim_openai *c, const struct rf_jval *part,
                      const struct rf_jpath *at)
{
    if (!rf_sim_openai_members(c, part, at, text_members))
        return false;
    rf_sim_openai_text(c, rf_sim_get(c->r, part, "text"));
    return true;
}

static bool read_refusal(struct rf_sim_openai *c, const struct rf_jval *part,
                         const struct rf_jpath *at)
{
    return rf_sim_openai_members(c, part, at, refusal_members);
}

static bool read_image(struct rf_sim_openai *c, const struct rf_jval *part,
                       const struct rf_jpath *at)
{
    struct rf_jpath url_at = { at, "image_url", 0 }, detail = { at, "detail", 0 };
    if (!rf_sim_openai_members(c, part, at, image_members) ||
        !rf_sim_openai_choice(c, rf_jval_get(part, "detail"), &detail, "low high auto original"))
        return false;
    struct rf_str url = rf_sim_get(c->r, part, "image_url"), id = rf_sim_get(c->r, part, "file_id");
    if (url.n > 0)
        return rf_sim_openai_image(c, url, &url_at);
    if (id.n == 0)
        return rf_sim_openai_refuse(c, &url_at, "missing_required_parameter",
                                    "Missing required parameter: "
                                    "one of 'image_url' or 'file_id'.");
    c->images++;
    rf_sim_openai_reference(c, id, "image/*");
    return true;
}

/* What the end of a URL's path says, without its query. */
static const struct rf_format *format_of_url(struct rf_str url)
{
    size_t n = 0;
    while (n < url.n && url.p[n] != '?' && url.p[n] != '#')
        n++;
    return rf_format_by_name((struct rf_str){ url.p, n });
}

static bool read_file_url(struct rf_sim_openai *c, struct rf_str url)
{
    const struct rf_format *format = format_of_url(url);
    if (format && !(FILES & 1u << format->kind))
        /* source: recorded */
        return rf_sim_openai_refuse(
            c, &(struct rf_jpath){ NULL, "input", 0 }, "unsupported_file",
            "The file type you uploaded is not supported. Please try again with a pdf");
    rf_sim_openai_reference(c, url, format ? format->mime : "");
    return true;
}

static bool read_file(struct rf_sim_openai *c, const struct rf_jval *part,
                      const struct rf_jpath *at)
{
    struct rf_jpath data_at = { at, "file_data", 0 };
    if (!rf_sim_openai_members(c, part, at, file_members))
        return false;
    struct rf_str data = rf_sim_get(c->r, part, "file_data"),
                  id = rf_sim_get(c->r, part, "file_id"), url = rf_sim_get(c->r, part, "file_url");
    if (c->rules->no_inline_files && (data.n > 0 || c->r->result))
        return rf_sim_openai_refuse(c, &data_at, "invalid_value",
                                    "input_file content parts only support 'file_id' "
                                    "and 'file_url', in user messages.");
    if (url.n > 0)
        return read_file_url(c, url);
    if (data.n > 0)
        return rf_sim_openai_file(c, data, FILES, &data_at);
    if (id.n == 0)
        return rf_sim_openai_refuse(c, &data_at, "missing_required_parameter",
                                    "Missing required parameter: one of "
                                    "'file_data', 'file_id' or 'file_url'.");
    rf_sim_openai_reference(c, id, "");
    return true;
}

static const struct {
    const char *type;
    bool (*read)(struct rf_sim_openai *c, const struct rf_jval *part, const struct rf_jpath *at);
    const char *roles;
} parts[] = {
    { "input_text", read_text, "user system tool" },
    { "input_image", read_image, "user system tool" },
    { "input_file", read_file, "user system tool" },
    { "output_text", read_text, "assistant" },
    { "refusal", read_refusal, "assistant" },
};

static bool read_part(struct rf_sim_openai *c, const struct rf_jval *part,
                      const struct rf_jpath *at)
{
    struct rf_jpath type_at = { at, "type", 0 };
    struct rf_str type = rf_sim_get(c->r, part, "type");
    for (size_t i = 0; i < COUNT(parts); i++)
        if (rf_str_is(type, parts[i].type) && rf_sim_one_of(rf_str(c->role), parts[i].roles))
            return parts[i].read(c, part, at);
    if (type.n == 0)
        return rf_sim_openai_members(c, part, at, "type:s!");
    return rf_sim_openai_choice(c, rf_jval_get(part, "type"), &type_at,
                                rf_str_is(rf_str(c->role), "assistant")
                                    ? "output_text refusal"
                                    : "input_text input_image input_file");
}

bool rf_sim_responses_content(struct rf_sim_openai *c, const struct rf_jval *content,
                              const struct rf_jpath *at)
{
    struct rf_jpath item = { at, NULL, 0 };
    if (content->type == RF_JSTRING) {
        rf_sim_openai_text(c, rf_sim_text(c->r, content));
        return true;
    }
    const struct rf_jval *part = rf_jval_first(content);
    for (; part; part = rf_jval_next(content, part), item.index++)
        if (!read_part(c, part, &item))
            return false;
    return true;
}

/* Tools */

static const char function_members[] =
    "type:s! name:s! description:s parameters:o strict:b defer_loading:b";

#define OTHER_TOOLS                                                                             \
    "custom web_search web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11 " \
    "file_search computer computer_use_preview code_interpreter image_generation local_shell "  \
    "shell apply_patch mcp tool_search namespace x_search code_execution collections_search"

static bool read_function(struct rf_sim_openai *c, const struct rf_jval *t,
                          const struct rf_jpath *at)
{
    struct rf_jpath name = { at, "name", 0 };
    if (!rf_sim_openai_members(c, t, at, function_members) ||
        !rf_sim_openai_word(c, rf_jval_get(t, "name"), &name, 64) ||
        !rf_sim_openai_parameters(c, t, at))
        return false;
    rf_sim_offer(c->r, rf_sim_get(c->r, t, "name"));
    return true;
}

/* A tool that the API has itself, or a namespace, which holds further functions. */
static bool read_other(struct rf_sim_openai *c, const struct rf_jval *t, const struct rf_jpath *at)
{
    struct rf_jpath type = { at, "type", 0 }, tools = { at, "tools", 0 };
    if (!rf_sim_openai_choice(c, rf_jval_get(t, "type"), &type, "function " OTHER_TOOLS))
        return false;
    return !rf_jval_is(rf_jval_get(t, "type"), "namespace") ||
           rf_sim_responses_tools(c, rf_jval_get(t, "tools"), &tools);
}

bool rf_sim_responses_tools(struct rf_sim_openai *c, const struct rf_jval *tools,
                            const struct rf_jpath *at)
{
    struct rf_jpath item = { at, NULL, 0 };
    if (!tools || tools->type != RF_JARRAY)
        return true;
    if (!rf_sim_openai_length(c, tools, at, MAX_TOOLS))
        return false;
    const struct rf_jval *t = rf_jval_first(tools);
    for (; t; t = rf_jval_next(tools, t), item.index++) {
        struct rf_str type = rf_sim_get(c->r, t, "type");
        bool function = type.n == 0 || rf_str_is(type, "function");
        if (!(function ? read_function(c, t, &item) : read_other(c, t, &item)))
            return false;
    }
    return true;
}

bool rf_sim_responses_choice(struct rf_sim_openai *c, const struct rf_jval *body)
{
    const struct rf_jval *choice = rf_jval_get(body, "tool_choice");
    struct rf_jpath at = { NULL, "tool_choice", 0 };
    if (!choice || choice->type == RF_JNULL)
        return true;
    if (choice->type == RF_JSTRING) {
        struct rf_str word = rf_sim_text(c->r, choice);
        c->r->must_call = rf_str_is(word, "required");
        c->r->must_not_call = rf_str_is(word, "none");
        return rf_sim_openai_choice(c, choice, &at, "none auto required");
    }
    struct rf_str type = rf_sim_get(c->r, choice, "type"), name = rf_sim_get(c->r, choice, "name");
    c->r->must_call =
        rf_str_is(type, "function") || rf_str_is(rf_sim_get(c->r, choice, "mode"), "required");
    if (!rf_str_is(type, "function"))
        return true;
    c->r->must_call_name = name;
    for (size_t i = 0; i < c->r->tool_count; i++)
        if (rf_str_eq(c->r->tools[i], name))
            return true;
    return rf_sim_openai_refuse(c, &at, "", "Tool choice '%.*s' not found in 'tools' parameter.",
                                RF_FMT(name));
}
