/* Everything from memory: a file is read as a model's tool would read it, a conversation about it
 * is built block by block, read back, and goes to several models. No path is ever opened.
 *
 *     cc memory.c $(pkg-config --cflags --libs refract) -o memory
 *     ./memory report.pdf openai-chat:gpt-5.4-mini anthropic:claude-sonnet-5 <report.pdf
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#define MOST ((size_t)16 << 20)

static int fail(const struct rf_err *err)
{
    fprintf(stderr, "memory: %s\n%s%s", err->msg, err->hint, err->hint[0] ? "\n" : "");
    return 1;
}

/* What the tool read_file says of the file: its first line. */
static enum rf_code read_file(struct rf_str bytes, struct rf_err *err)
{
    struct rf_tools *tools = rf_tools_new();
    struct rf_result *result = NULL;
    struct rf_str text;
    enum rf_code rc = rf_tools_hold(tools, "latest", bytes, err);
    if (!rc)
        rc = rf_tools_run(tools, "read_file", "{\"file_path\": \"latest\"}", &result, err);
    if (!rc)
        rc = rf_result_text(result, RF_WITH_FILES, &text, err);
    if (!rc)
        printf("read: %.*s\n", (int)strcspn(text.n ? text.p : "", "\n"), text.p);
    rf_result_free(result);
    rf_tools_free(tools);
    return rc;
}

/* What a tool returned: words, the file, and some JSON. */
static enum rf_code fill_result(struct rf_result *r, const char *name, struct rf_str bytes,
                                struct rf_err *err)
{
    struct rf_content *c = rf_result_content(r);
    const struct rf_file file = { .size = sizeof file,
                                  .bytes = bytes,
                                  .name = { name, strlen(name) } };
    enum rf_code rc = rf_content_text(c, RF_LIT("This is the file:"), err);
    if (!rc)
        rc = rf_content_file(c, &file, err);
    if (!rc)
        rc = rf_content_fallback(c, RF_LIT("(a file that you cannot see)"), err);
    if (!rc)
        rc = rf_content_json(c, RF_LIT("{\"checked\": true}"), err);
    return rc ? rc : rf_result_changed(r, RF_LIT("index.json"), err);
}

/* The question, the model's call, and its result. */
static enum rf_code fill(struct rf_conversation *c, const struct rf_result *r, struct rf_err *err)
{
    const struct rf_call call = { .size = sizeof call,
                                  .id = RF_LIT("call_1"),
                                  .name = RF_LIT("fetch"),
                                  .arguments = RF_LIT("{\"which\": \"latest\"}") };
    struct rf_content *asked, *said;
    enum rf_code rc = rf_conversation_tool(c, call.name, RF_LIT("Fetches a file."),
                                           RF_LIT("{\"type\": \"object\"}"), err);
    if (!rc)
        rc = rf_conversation_user(c, RF_SPEAKER_USER, &asked, err);
    if (!rc)
        rc = rf_content_text(asked, RF_LIT("What is in the latest file?"), err);
    if (!rc)
        rc = rf_conversation_assistant(c, RF_LIT("openai"), RF_LIT("gpt-5.4-mini"), &said, err);
    if (!rc)
        rc = rf_content_call(said, &call, err);
    return rc ? rc : rf_conversation_result(c, call.id, call.name, r, err);
}

/* The files of a result, and the rest of it without them. */
static enum rf_code show(struct rf_result *r, struct rf_err *err)
{
    const struct rf_message *m = rf_result_message(r);
    struct rf_file f = { .size = sizeof f };
    struct rf_str rest;
    enum rf_code rc = RF_OK;
    const struct rf_block *b = NULL;
    while (!rc && (b = rf_message_file(m, b)) && !(rc = rf_block_file(b, &f, err)))
        printf("file: %s %.*s, %.*s, %zu bytes\n", rf_block_type_name(f.type), RF_FMT(f.name),
               RF_FMT(f.media_type), f.bytes.n);
    if (!rc)
        rc = rf_result_json(r, RF_WITHOUT_FILES, &rest, err);
    if (!rc)
        printf("rest: %.*s\n", RF_FMT(rest));
    return rc;
}

static enum rf_code deliver(const struct rf_conversation *c, const char *name, struct rf_err *err)
{
    struct rf_model *model = NULL;
    struct rf_request *request = NULL;
    enum rf_code rc = rf_model_open(NULL, name, &model, err);
    if (!rc)
        rc = rf_request_build(c, model, NULL, &request, err);
    for (size_t i = 0; !rc && i < rf_report_count(request); i++) {
        struct rf_str line = rf_report_line(request, i);
        printf("%s: %.*s\n", name, RF_FMT(line));
    }
    rf_request_free(request);
    rf_model_close(model);
    return rc;
}

int main(int argc, char **argv)
{
    char *p = argc > 2 ? malloc(MOST) : NULL;
    if (!p)
        return fprintf(stderr, "usage: memory NAME MODEL... <FILE\n"), 2;
    const struct rf_str bytes = { p, fread(p, 1, MOST, stdin) };
    struct rf_conversation *c = rf_conversation_new();
    struct rf_result *r = rf_result_new();
    struct rf_err err;
    enum rf_code rc = read_file(bytes, &err);
    if (!rc)
        rc = fill_result(r, argv[1], bytes, &err);
    free(p); /* what was handed over is the library's own */
    if (!rc)
        rc = show(r, &err);
    if (!rc)
        rc = fill(c, r, &err);
    for (int i = 2; !rc && i < argc; i++)
        rc = deliver(c, argv[i], &err);
    rf_result_free(r);
    rf_conversation_free(c);
    return rc ? fail(&err) : 0;
}
