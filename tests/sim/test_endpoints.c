/* What the simulator has besides conversations, asked as its server asks it. */
#include "asking.h"

static const struct row {
    const char *name;
    const char *ask;    /* "POST /path" */
    const char *header; /* with a key in it; or NULL */
    const char *body;   /* ' for " */
    int status;
    const char *words; /* in the answer; ' for " */
} rows[] = {
    { "what a model of Ollama can", "POST /ollama/api/show", NULL, "{'model':'qwen3-vl:8b'}", 200,
      "'capabilities':['completion','vision','tools','thinking']" },
    { "its context", "POST /api/show", NULL, "{'model':'qwen3'}", 200,
      "'qwen3.context_length':40960" },
    { "a text model that is named like a vision model", "POST /api/show", NULL,
      "{'model':'llava-tiny'}", 200, "'capabilities':['completion']" },
    { "one that is not listed", "POST /api/show", NULL, "{'model':'my-vision:1b'}", 200,
      "'capabilities':['completion','vision','tools']" },
    { "no model", "POST /ollama/api/show", NULL, "{}", 400, "{'error':'model is required'}" },
    { "Ollama's models", "GET /ollama/api/tags", NULL, "", 200, "'name':'llama3.2:latest'" },
    { "Ollama's version", "GET /api/version", NULL, "", 200, "{'version':'" },
};

static const char *some_key(void *ctx, const char *name)
{
    return ctx && strcmp(name, ctx) == 0 ? "sk-secret" : NULL;
}

static struct rf_str ask(struct rf_sim *sim, const struct row *row, struct rf_arena *a,
                         struct rf_sim_reply *reply)
{
    struct rf_str path = rf_str(row->ask), method, text = RF_STR("");
    rf_str_split(&path, ' ', &method);
    const struct rf_sim_call call = { .method = rf_cstr(a, method),
                                      .path = rf_cstr(a, path),
                                      .header = some_key,
                                      .ctx = (void *)(uintptr_t)row->header,
                                      .body = quoted(a, row->body) };
    rf_sim_answer(sim, &call, a, reply);
    for (size_t i = 0; i < reply->count; i++)
        text = rf_str_join(a, text, reply->chunks[i].bytes);
    return text;
}

static void check(void **state)
{
    const struct row *row = *state;
    const struct rf_sim_options options = { 0 };
    struct rf_arena *a = rf_arena_new();
    struct rf_sim_reply reply;
    struct rf_sim *sim;
    struct rf_err err;
    assert_int_equal(rf_sim_new(&options, &sim, &err), RF_OK);
    struct rf_str text = ask(sim, row, a, &reply);
    if (!rf_str_contains(text, quoted(a, row->words)))
        assert_str(text, quoted(a, row->words).p);
    assert_int_equal(reply.status, row->status);
    rf_sim_free(sim);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
