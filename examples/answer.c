/* An answer as data: the model is asked for JSON that fits a schema, without an agent and without
 * thinking, and what it says is checked before it is read. What a model does not take is on
 * standard error.
 *
 *     cc answer.c $(pkg-config --cflags --libs refract) -o answer
 *     ./answer openai:gpt-5.2 "Which city has the most museums, and how many?"
 *
 * Without a model, that of a provider whose key is set answers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <refract/refract.h>

static const char schema[] =
    "{\"type\": \"object\", \"properties\": {\"answer\": {\"type\": \"string\"}, "
    "\"number\": {\"type\": \"integer\"}}, \"required\": [\"answer\", \"number\"], "
    "\"additionalProperties\": false}";

static enum rf_code ask(struct rf_conversation *c, const char *question, struct rf_err *err)
{
    struct rf_content *said;
    const struct rf_str text = { question, strlen(question) };
    enum rf_code rc = rf_conversation_user(c, RF_SPEAKER_USER, &said, err);
    if (!rc)
        rc = rf_content_text(said, text, err);
    if (!rc)
        rc = rf_conversation_option(c, "schema", (struct rf_str){ schema, sizeof schema - 1 }, err);
    if (!rc)
        rc = rf_conversation_option(c, "thinking", RF_LIT("{\"off\": true}"), err);
    return rc;
}

/* The text of a reply: its last block that is one. */
static struct rf_str text_of(const struct rf_message *reply)
{
    struct rf_str text = RF_LIT("");
    for (size_t i = 0; i < rf_message_count(reply); i++)
        if (rf_block_type_of(rf_message_block(reply, i)) == RF_BLOCK_TEXT)
            text = rf_block_text(rf_message_block(reply, i));
    return text;
}

static enum rf_code print_answer(const struct rf_request *request, struct rf_str text,
                                 struct rf_err *err)
{
    struct rf_jdoc *d;
    int64_t number = 0;
    enum rf_code rc = rf_request_check_answer(request, text, err);
    if (!rc)
        rc = rf_jdoc_read(text, &d, err);
    if (rc)
        return rc;
    struct rf_str words = rf_jdoc_text(d, rf_jval_get(rf_jdoc_root(d), "answer"));
    rf_jval_int64(rf_jval_get(rf_jdoc_root(d), "number"), &number);
    printf("%.*s (%" PRId64 ")\n", RF_FMT(words), number);
    rf_jdoc_free(d);
    return RF_OK;
}

static enum rf_code run(const char *name, const char *question, struct rf_err *err)
{
    struct rf_conversation *c = rf_conversation_new();
    struct rf_network *network = rf_network_new();
    struct rf_send_options what = { .size = sizeof what };
    struct rf_request *request = NULL;
    struct rf_model *model = NULL;
    struct rf_send *send = NULL;
    enum rf_code rc = rf_model_open(NULL, name, &model, err);
    if (!rc)
        rc = ask(c, question, err);
    if (!rc)
        rc = rf_request_build(c, model, NULL, &request, err);
    for (size_t i = 0; !rc && i < rf_notice_count(request); i++)
        fprintf(stderr, "%.*s\n", RF_FMT(rf_notice(request, i)));
    what.model = model;
    what.request = request;
    if (!rc)
        rc = rf_send(network, &what, &send, err);
    if (!rc)
        rc = print_answer(request, text_of(rf_send_reply(send)), err);
    rf_send_free(send);
    rf_request_free(request);
    rf_network_free(network);
    rf_model_close(model);
    rf_conversation_free(c);
    return rc;
}

int main(int argc, char **argv)
{
    struct rf_err err;
    if (argc != 2 && argc != 3)
        return fputs("usage: answer [MODEL] QUESTION\n", stderr), 2;
    struct rf_usual *usual = rf_usual_find(NULL);
    enum rf_code rc = run(argc == 3 ? argv[1] : rf_usual_model(usual, 0), argv[argc - 1], &err);
    rf_usual_free(usual);
    if (!rc)
        return 0;
    fprintf(stderr, "%s\n%s\n", err.msg, err.hint);
    return 1;
}
