/* What OpenAI's own models refuse, by family; the most specific row that matches stands first. The
 * rows are what the live API said to each of them. */
#include "sim/openai/openai.h"

#include "base/arena.h"

static const struct family {
    const char *like;
    const char *efforts; /* that it takes; NULL: it does not reason */
    bool no_system;      /* chat: neither system nor developer messages */
    bool own_turn;       /* thoughts of other turns than the current one cannot be asked for */
} families[] = {
    { "o1-mini*", "low medium high", true, true },
    { "o1-preview*", "low medium high", true, true },
    { "o1*", "low medium high", false, true },
    { "o3*", "low medium high", false, true },
    { "o4*", "low medium high", false, true },
    { "gpt-5-chat*", NULL, false, false },
    { "gpt-5-pro*", "high", false, false },
    { "gpt-5.?-chat*", "medium", false, false },
    { "gpt-5.?-pro*", "medium high xhigh", false, false },
    { "gpt-5", "minimal low medium high", false, false },
    { "gpt-5-*", "minimal low medium high", false, false },
    { "gpt-5.1*", "none low medium high", false, false },
    { "gpt-5.*", "none minimal low medium high xhigh max", false, false },
    { "gpt-6*", "none minimal low medium high xhigh max", false, false },
};

/* "gpt-4.1" and its kin have a point too, and do not reason. */
static const char *const unreasoning[] = { "gpt-3*", "gpt-4*", "chatgpt-*", "computer-use*" };

static bool like(const char *pattern, struct rf_str name)
{
    struct rf_str head = rf_str(pattern);
    const char *digit = strchr(pattern, '?');
    if (!digit)
        return rf_glob(head, name);
    size_t n = (size_t)(digit - pattern);
    return name.n > n && memcmp(name.p, pattern, n) == 0 && rf_is_digit(name.p[n]) &&
           rf_glob(rf_str(digit + 1), (struct rf_str){ name.p + n + 1, name.n - n - 1 });
}

static const struct family *family_of(struct rf_str name)
{
    static const struct family plain = { "", NULL, false, false };
    for (size_t i = 0; i < sizeof unreasoning / sizeof *unreasoning; i++)
        if (rf_glob(rf_str(unreasoning[i]), name))
            return &plain;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (like(families[i].like, name))
            return &families[i];
    return NULL;
}

static bool check_effort(struct rf_sim_openai *c, const struct family *f, struct rf_str effort,
                         const struct rf_jpath *at)
{
    char path[64];
    rf_jpath_format(at, path, sizeof path);
    if (!f->efforts)
        /* source: recorded */
        return rf_sim_openai_refuse(c, at, "unsupported_parameter",
                                    "Unsupported parameter: '%s' is not supported with this model.",
                                    path);
    if (rf_sim_one_of(effort, f->efforts))
        return true;
    struct rf_str rest = rf_str(f->efforts), word, list = { "", 0 };
    bool many = false;
    while (rf_str_split(&rest, ' ', &word)) {
        const char *join = !list.n ? "" : rest.n ? ", " : many ? ", and " : " and ";
        many = list.n > 0;
        list = rf_strf(c->r->arena, "%.*s%s'%.*s'", RF_FMT(list), join, RF_FMT(word));
    }
    struct rf_str name = c->r->model->name;
    /* source: recorded */
    return rf_sim_openai_refuse(c, at, "unsupported_value",
                                "Unsupported value: '%.*s' is not supported with the '%.*s' model. "
                                "Supported values are: %.*s.",
                                RF_FMT(effort), RF_FMT(name), RF_FMT(list));
}

static bool check_sampling(struct rf_sim_openai *c, const struct rf_jval *body)
{
    static const char *const names[] = { "temperature", "top_p" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct rf_jval *v = rf_jval_get(body, names[i]);
        struct rf_jpath at = { NULL, names[i], 0 };
        if (v && v->type == RF_JNUMBER && !rf_str_is(v->raw, "1") && !rf_str_is(v->raw, "1.0"))
            /* source: recorded */
            return rf_sim_openai_refuse(
                c, &at, "unsupported_parameter",
                "Unsupported parameter: '%s' is not supported with this model.", names[i]);
    }
    return true;
}

static bool check_roles(struct rf_sim_openai *c, const struct rf_jval *messages)
{
    struct rf_jpath top = { NULL, "messages", 0 }, item = { &top, NULL, 0 },
                    at = { &item, "role", 0 };
    const struct rf_jval *m = rf_jval_first(messages);
    for (; m; m = rf_jval_next(messages, m), item.index++) {
        struct rf_str role = rf_sim_get(c->r, m, "role");
        if (rf_sim_one_of(role, "system developer"))
            /* source: recorded */
            return rf_sim_openai_refuse(
                c, &at, "unsupported_value",
                "Unsupported value: 'messages[%zu].role' does not support '%.*s' with "
                "this model.",
                item.index, RF_FMT(role));
    }
    return true;
}

static bool check_chat(struct rf_sim_openai *c, const struct family *f, const struct rf_jval *body,
                       const struct rf_jval *messages)
{
    struct rf_jpath search = { NULL, "web_search_options", 0 }, most = { NULL, "max_tokens", 0 };
    const struct rf_jval *old = rf_jval_get(body, "max_tokens");
    if (rf_jval_get(body, search.field) && !rf_str_contains(c->r->model->name, RF_STR("-search")))
        /* source: recorded */
        return rf_sim_openai_refuse(c, &search, "",
                                    "Web search options not supported with this model.");
    if (f->efforts && old && old->type == RF_JNUMBER)
        return rf_sim_openai_refuse(
            c, &most, "unsupported_parameter",
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.");
    return !f->no_system || check_roles(c, messages);
}

static bool check_reasoning(struct rf_sim_openai *c, const struct family *f,
                            const struct rf_jval *body)
{
    struct rf_str name = c->r->model->name;
    const struct rf_jval *reasoning = rf_jval_get(body, "reasoning");
    struct rf_jpath top = { NULL, "reasoning", 0 }, context = { &top, "context", 0 },
                    mode = { &top, "mode", 0 };
    if (f->own_turn && rf_str_is(rf_sim_get(c->r, reasoning, "context"), "all_turns"))
        /* source: recorded */
        return rf_sim_openai_refuse(
            c, &context, "unsupported_value",
            "Unsupported value: 'all_turns' is not supported with the '%.*s' model. "
            "Supported values are: 'auto' and 'current_turn'.",
            RF_FMT(name));
    if (rf_jval_get(reasoning, "mode") && rf_glob(RF_STR("*-mini*"), name))
        /* source: recorded */
        return rf_sim_openai_refuse(c, &mode, "unsupported_parameter",
                                    "`reasoning.mode` is not supported with this model.");
    const struct rf_jval *include = rf_jval_get(body, "include"),
                         *what = include ? rf_jval_first(include) : NULL;
    for (; what && !f->efforts; what = rf_jval_next(include, what))
        if (rf_str_is(rf_sim_text(c->r, what), "reasoning.encrypted_content"))
            return rf_sim_openai_refuse(c, &(struct rf_jpath){ NULL, "include", 0 }, "",
                                        "Encrypted content is not supported with this model.");
    return true;
}

bool rf_sim_openai_family(struct rf_sim_openai *c, const struct rf_jval *body,
                          const struct rf_jval *effort, const struct rf_jpath *at)
{
    const struct family *f = c->rules->families ? family_of(c->r->model->name) : NULL;
    const struct rf_jval *messages = rf_jval_get(body, "messages");
    struct rf_str asked = rf_sim_text(c->r, effort);
    c->r->thinks = asked.n > 0 && !rf_str_is(asked, "none");
    if (!f)
        return true;
    if (asked.n > 0 && !check_effort(c, f, asked, at))
        return false;
    /* Where "none" is an effort, it is what a model makes of silence. */
    bool reasons =
        asked.n > 0 ? c->r->thinks : f->efforts && !rf_sim_one_of(RF_STR("none"), f->efforts);
    if (reasons && !check_sampling(c, body))
        return false;
    return messages ? check_chat(c, f, body, messages) : check_reasoning(c, f, body);
}
