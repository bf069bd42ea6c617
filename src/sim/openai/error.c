#include "sim/openai/openai.h"

#include "base/arena.h"

/* Kinds that a status stands for where the refusal names none. */
static const struct {
    int status;
    const char *type, *code;
} kinds[] = {
    { 401, "invalid_request_error", "invalid_api_key" },
    { 403, "invalid_request_error", "permission_denied" },
    { 404, "invalid_request_error", "not_found" },
    { 429, "rate_limit_exceeded", "rate_limit_exceeded" },
    { 500, "server_error", "server_error" },
    { 503, "server_error", "overloaded" },
    { 529, "server_error", "overloaded" },
};

static void fill(struct rf_sim_refusal *refusal)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (refusal->type.n > 0 || kinds[i].status != refusal->status)
            continue;
        refusal->type = rf_str(kinds[i].type);
        refusal->code = refusal->code.n ? refusal->code : rf_str(kinds[i].code);
    }
    if (refusal->type.n == 0)
        refusal->type = RF_STR("invalid_request_error");
}

static void string_or_null(struct rf_json *w, const char *key, struct rf_str s)
{
    if (s.n > 0)
        rf_json_str(w, key, s);
    else
        rf_json_null(w, key);
}

static void as_openai(struct rf_json *w, const struct rf_sim_refusal *refusal)
{
    rf_json_obj(w, "error");
    rf_json_str(w, "message", refusal->message);
    rf_json_str(w, "type", refusal->type);
    string_or_null(w, "param", refusal->param);
    string_or_null(w, "code", refusal->code);
    rf_json_end(w);
}

static void as_groq(struct rf_json *w, const struct rf_sim_refusal *refusal)
{
    rf_json_obj(w, "error");
    rf_json_str(w, "message", refusal->message);
    rf_json_str(w, "type", refusal->type);
    rf_json_str_opt(w, "code", refusal->code);
    rf_json_end(w);
}

static void as_openrouter(struct rf_json *w, const struct rf_sim_refusal *refusal)
{
    rf_json_obj(w, "error");
    rf_json_int(w, "code", refusal->status);
    rf_json_str(w, "message", refusal->message);
    rf_json_end(w);
    rf_json_str(w, "user_id", RF_STR("user_sim"));
}

static void as_xai(struct rf_json *w, const struct rf_sim_refusal *refusal)
{
    rf_json_str(w, "code",
                refusal->status == 400 ? RF_STR("Client specified an invalid argument")
                                       : refusal->code);
    rf_json_str(w, "error", refusal->message);
}

void rf_sim_openai_error(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                         struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    struct rf_sim_refusal full = *refusal;
    fill(&full);
    rf_json_obj(w, NULL);
    switch (rf_sim_openai_rules(r->model->provider)->words) {
    case RF_SIM_AS_OPENAI:
        as_openai(w, &full);
        break;
    case RF_SIM_AS_GROQ:
        as_groq(w, &full);
        break;
    case RF_SIM_AS_OPENROUTER:
        as_openrouter(w, &full);
        break;
    case RF_SIM_AS_XAI:
        as_xai(w, &full);
        break;
    }
    rf_json_end(w);
    rf_sim_body(out, refusal->status, &writer);
}
