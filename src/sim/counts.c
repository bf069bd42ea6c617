/* How many tokens a request has, without an answer. The request is read as one for an answer, and
 * refused in the same words. */
#include "base/arena.h"
#include "sim/endpoints.h"
#include "sim/gemini/proto.h"

/* Read the request; false where it is refused, which is answered then. */
static bool count(struct rf_sim_asked *asked, const struct rf_jval *body, int64_t *tokens)
{
    struct rf_sim_refusal refusal = { 0 };
    asked->r->counts = true;
    if (!body) {
        rf_sim_asked_refuse(asked, 400, "The request body is not valid JSON");
        return false;
    }
    asked->r->body = body;
    if (!asked->r->dialect->check(asked->r, body, &refusal)) {
        asked->r->dialect->refuse(asked->r, &refusal, asked->out);
        return false;
    }
    *tokens = rf_sim_input_tokens(asked->r);
    return true;
}

static void answer(struct rf_sim_asked *asked, const char *member, const char *object)
{
    struct rf_sim_writer writer;
    int64_t tokens;
    if (!count(asked, asked->r->body, &tokens))
        return;
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    rf_json_obj(w, NULL);
    if (object)
        rf_json_str(w, "object", rf_str(object));
    rf_json_int(w, member, tokens);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

void rf_sim_count_messages(struct rf_sim_asked *asked)
{
    answer(asked, "input_tokens", NULL);
}

void rf_sim_count_responses(struct rf_sim_asked *asked)
{
    answer(asked, "input_tokens", "response.input_tokens");
}

/* {"input": {"converse": {…}}} */
void rf_sim_count_converse(struct rf_sim_asked *asked)
{
    asked->r->body = rf_jval_get(rf_jval_get(asked->r->body, "input"), "converse");
    answer(asked, "inputTokens", NULL);
}

/* The contents alone, or a whole request that is called by its name. */
void rf_sim_count_gemini(struct rf_sim_asked *asked)
{
    const struct rf_jval *whole = rf_sim_gemini_get(asked->r->body, "generateContentRequest");
    struct rf_sim_writer writer;
    int64_t tokens;
    if (!count(asked, whole ? whole : asked->r->body, &tokens))
        return;
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    rf_json_obj(w, NULL);
    rf_json_int(w, "totalTokens", tokens);
    rf_json_arr(w, "promptTokensDetails");
    rf_json_obj(w, NULL);
    rf_json_str(w, "modality", RF_STR("TEXT"));
    rf_json_int(w, "tokenCount", tokens);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}
