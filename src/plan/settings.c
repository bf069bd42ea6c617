#include "plan/settings.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "content/message.h"
#include "content/options.h"
#include "plan/carried.h"
#include "plan/cost.h"
#include "plan/joint.h"
#include "plan/words.h"

#include <inttypes.h>

static void notice(struct rf_plan *p, struct rf_arena *a, const char *what, const char *why)
{
    const struct rf_model *m = p->model;
    *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) = rf_strf(
        a, "%s was left out: %.*s:%.*s %s", what, RF_FMT(m->provider), RF_FMT(m->name), why);
}

/* Does a client of this API ask a model that only it knows? */
static bool knows_better(const struct rf_plan *p)
{
    const struct rf_caps *c = &p->model->caps;
    return !p->model->known && c->own_fields && rf_str_eq(p->conversation->dialect, c->dialect);
}

/* A model that cannot be told not to think is asked for little, and one that never does for
 * nothing. */
static bool turn_off(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_caps *c = &p->model->caps;
    bool asked = rf_caps_thinks_when_asked(c);
    if (c->thinking == RF_THINKING_NO)
        return true;
    p->thinking_off = c->thinking_off || (asked && knows_better(p));
    if (p->thinking_off)
        return true;
    notice(p, a, "turning thinking off",
           asked ? "cannot be told not to think, and is asked for little"
                 : "cannot be told not to think");
    p->thinking_level = asked ? RF_STR("low") : RF_STR("");
    return !asked;
}

/* Is it asked for by a number of tokens? */
static bool is_counted(const struct rf_plan *p)
{
    return p->model->caps.thinking == RF_THINKING_BUDGET && !p->thinking_adaptive;
}

/* Thoughts count among the tokens of the answer where there is a budget: a quarter of them is for
 * what is said, unless the client counted both itself. The vendor's least goes before that. */
static int64_t leave_room(const struct rf_plan *p, int64_t budget)
{
    const struct rf_options *o = &p->conversation->options;
    int64_t least = p->model->caps.min_thinking_tokens, most = p->max_tokens - p->max_tokens / 4;
    bool counted = o->max_tokens && o->thinking_budget && budget < p->max_tokens;
    if (!is_counted(p) || !p->max_tokens || counted)
        return budget;
    if (most < least && least < p->max_tokens)
        most = least;
    return budget < most ? budget : most;
}

/* How many tokens. */
static void set_budget(struct rf_plan *p, int64_t budget, struct rf_arena *a)
{
    const struct rf_caps *c = &p->model->caps;
    if (budget < c->min_thinking_tokens || budget == 0)
        budget = c->min_thinking_tokens ? c->min_thinking_tokens : 1024;
    budget = leave_room(p, budget);
    if (p->thinking_adaptive)
        p->thinking_budget = budget;
    else if (budget < c->min_thinking_tokens || budget == 0 || budget == p->max_tokens)
        notice(p, a, "thinking", "needs a larger max_tokens for it");
    else
        p->thinking_budget = budget;
}

static void set_thinking(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_caps *c = &p->model->caps;
    const struct rf_options *o = &p->conversation->options;
    struct rf_str level = o->thinking_level;
    int64_t budget = level.n ? rf_thinking_budget(level) : o->thinking_budget;
    if (!rf_options_thinking_given(o) || (o->thinking_off && turn_off(p, a)))
        return;
    if (budget && (c->thinking == RF_THINKING_ALWAYS || c->thinking == RF_THINKING_SWITCH))
        notice(p, a, "how much to think", "decides that alone");
    if (c->thinking == RF_THINKING_ALWAYS)
        return;
    if (!rf_caps_thinks_when_asked(c)) {
        notice(p, a, "thinking",
               c->thinking == RF_THINKING_NO ? "does not think" : "cannot be asked for it");
        return;
    }
    p->thinking_adaptive = c->thinking_adaptive && !o->thinking_budget;
    if (is_counted(p) && c->min_thinking_tokens && p->mid_turn) {
        notice(p, a, "thinking", "does not begin to think in the middle of a turn");
        return;
    }
    if (budget)
        p->thinking_level = level.n ? level : rf_thinking_level(budget);
    set_budget(p, budget, a);
}

/* Why it does not take what steers how words are drawn; NULL: it does. */
static const char *sampling_fault(const struct rf_plan *p)
{
    const struct rf_caps *c = &p->model->caps;
    bool manual = p->thinking_budget && c->min_thinking_tokens;
    bool taken = c->sampling || (c->sampling_unthinking && p->thinking_off);
    if (taken && !manual)
        return NULL;
    return taken || c->sampling_unthinking ? "does not take it with thinking" : "does not take it";
}

static void cap_temperature(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_model *m = p->model;
    int64_t most = m->caps.max_temperature;
    double n;
    if (!p->temperature || !most || !rf_jval_double(p->temperature, &n) || n <= (double)most)
        return;
    p->temperature = rf_jval_whole(most, a);
    *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) =
        rf_strf(a, "temperature is %" PRId64 ": %.*s:%.*s does not take more", most,
                RF_FMT(m->provider), RF_FMT(m->name));
}

static bool is_one(const struct rf_jval *v)
{
    double n;
    return rf_jval_double(v, &n) && n == 1;
}

/* Of the two, one that is 1 says nothing. */
static void choose_sampling(struct rf_plan *p, struct rf_arena *a)
{
    if (!p->model->caps.one_sampling || !p->temperature || !p->top_p)
        return;
    if (!is_one(p->top_p) && is_one(p->temperature)) {
        p->temperature = NULL;
        return;
    }
    if (!is_one(p->top_p))
        notice(p, a, "top_p", "does not take it with a temperature");
    p->top_p = NULL;
}

static void set_sampling(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_options *o = &p->conversation->options;
    const char *why = sampling_fault(p);
    p->temperature = why ? NULL : o->temperature;
    p->top_p = why ? NULL : o->top_p;
    if (why && o->temperature)
        notice(p, a, "temperature", why);
    if (why && o->top_p)
        notice(p, a, "top_p", why);
    cap_temperature(p, a);
    choose_sampling(p, a);
}

static void set_carried(struct rf_plan *p, struct rf_arena *a)
{
    const char *name, *why, *unsampled = sampling_fault(p);
    for (size_t i = 0; (name = rf_carried_name(i)); i++)
        if ((why = rf_carried_take(p, i, unsampled, a)))
            notice(p, a, name, why);
}

bool rf_plan_is_allowed(const struct rf_jval *names, struct rf_str name, struct rf_arena *a)
{
    for (const struct rf_jval *v = rf_jval_first(names); v; v = rf_jval_next(names, v))
        if (rf_str_eq(rf_jval_text(v, a), name))
            return true;
    return false;
}

static void set_tool_choice(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_caps *c = &p->model->caps;
    bool manual = p->thinking_budget && c->min_thinking_tokens && !p->thinking_adaptive;
    bool given = p->conversation->tool_count > 0;
    p->offers_tools = given && c->tools;
    if (given && !c->tools)
        notice(p, a, "the offer of tools", "does not take them");
    p->tool_choice = p->offers_tools ? p->conversation->tool_choice : RF_CHOICE_UNSET;
    bool forced = p->tool_choice == RF_CHOICE_REQUIRED || p->tool_choice == RF_CHOICE_TOOL;
    if (forced && (!c->forced_tool_choice || manual)) {
        p->tool_choice = RF_CHOICE_AUTO;
        notice(p, a, "the forced tool choice",
               manual ? "does not take it with thinking" : "does not take it");
    }
    /* Calls that cannot be forbidden are prevented by offering no tools, where that is allowed; so
     * are those that would keep a schema out. */
    bool apart = p->conversation->options.schema && !c->tools_required &&
                 c->answer_schema == RF_ANSWER_SCHEMA_ALONE;
    if (p->tool_choice == RF_CHOICE_NONE && (!c->tool_choice_none || apart)) {
        p->tool_choice = RF_CHOICE_UNSET;
        p->offers_tools = c->tools_required;
        if (c->tools_required)
            notice(p, a, "the tool choice \"none\"", "does not take it");
    }
}

/* As if the client had no other tools. */
static void offer_only(struct rf_plan *p, const struct rf_jval *names, struct rf_arena *a)
{
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    *c = *p->conversation;
    c->tools = RF_ARRAY(a, struct rf_tool, c->tool_count);
    c->tool_count = 0;
    for (size_t i = 0; i < p->conversation->tool_count; i++)
        if (rf_plan_is_allowed(names, p->conversation->tools[i].name, a))
            c->tools[c->tool_count++] = p->conversation->tools[i];
    p->conversation = c;
    p->offers_tools = c->tool_count > 0;
}

static void set_allowed_tools(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_jval *names = p->conversation->options.allowed_tools;
    enum rf_allowed_tools takes = p->model->caps.allowed_tools;
    bool forced = p->tool_choice == RF_CHOICE_REQUIRED;
    if (!names || !p->offers_tools || p->tool_choice == RF_CHOICE_NONE)
        return;
    p->says_allowed = takes == RF_ALLOWED_TOOLS_YES || (takes == RF_ALLOWED_TOOLS_FORCED && forced);
    if (!p->says_allowed)
        offer_only(p, names, a);
}

/* Where there is nothing to call, one call is as many as none. */
static void set_single_call(struct rf_plan *p, struct rf_arena *a)
{
    bool asked =
        p->conversation->options.single_call && p->offers_tools && p->tool_choice != RF_CHOICE_NONE;
    p->single_call = asked && p->model->caps.single_call;
    if (asked && !p->single_call)
        notice(p, a, "the limit of one call", "does not take it");
}

/* Those that the model takes, which may want to see what it stops at. An empty one is none. */
static void choose_stops(struct rf_plan *p, const struct rf_jval *stop, struct rf_arena *a)
{
    const struct rf_caps *c = &p->model->caps;
    const struct rf_jval **taken = NULL;
    size_t taken_count = 0, cap = 0;
    int64_t count = 0;
    bool blank = false;
    for (const struct rf_jval *v = rf_jval_first(stop); v; v = rf_jval_next(stop, v)) {
        struct rf_str text = rf_jval_text(v, a);
        bool unseen = text.n && c->stop_visible && rf_str_blank(text);
        blank |= unseen;
        if (text.n && !unseen && (!c->max_stops || count < c->max_stops))
            *RF_PUSH(a, taken, taken_count, cap) = v;
        count += text.n && !unseen;
    }
    if (blank)
        notice(p, a, "a blank word to stop at", "does not take it");
    if (c->max_stops && count > c->max_stops)
        *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) = rf_strf(
            a,
            "words to stop at after the first %" PRId64 " were left out: %.*s:%.*s does not "
            "take them",
            c->max_stops, RF_FMT(p->model->provider), RF_FMT(p->model->name));
    p->stop = taken_count ? rf_jval_array(taken, taken_count, a) : NULL;
}

static void set_stop(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_jval *stop = p->conversation->options.stop;
    if (!stop || !stop->count)
        return;
    if (p->model->caps.stop)
        choose_stops(p, stop, a);
    else
        notice(p, a, "stop", "does not take it");
}

static void set_system(struct rf_plan *p, struct rf_str system, struct rf_arena *a)
{
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    *c = *p->conversation;
    c->system = system;
    p->conversation = c;
}

/* Where the API has no place for it, the model is told in words. */
static void say_schema(struct rf_plan *p, const char *why, struct rf_arena *a)
{
    const struct rf_model *m = p->model;
    const struct rf_conversation *c = p->conversation;
    set_system(p, rf_words_schema(c->system, c->options.schema, a), a);
    *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) =
        rf_strf(a, "the schema is sent as words: %.*s:%.*s %s; the answer is checked against it",
                RF_FMT(m->provider), RF_FMT(m->name), why);
}

/* Those that were called are offered where an endpoint insists. */
static bool has_tools(const struct rf_plan *p)
{
    return p->offers_tools ||
           (p->model->caps.tools_required && rf_conversation_calls(p->conversation));
}

static void set_schema(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_jval *schema = p->conversation->options.schema;
    enum rf_answer_schema takes = p->model->caps.answer_schema;
    bool tools = has_tools(p);
    if (!schema)
        return;
    if (takes == RF_ANSWER_SCHEMA_NO)
        say_schema(p, "does not take one", a);
    else if (takes == RF_ANSWER_SCHEMA_ALONE && tools)
        say_schema(p, "takes none with tools", a);
    else
        p->schema = schema;
    p->schema_name = rf_carried_schema_name(p, a);
}

static bool says_json(struct rf_str text)
{
    const struct rf_str word = RF_STR("json");
    for (size_t i = 0; i + word.n <= text.n; i++)
        if (rf_str_ieq((struct rf_str){ text.p + i, word.n }, word))
            return true;
    return false;
}

/* Is there such a wish in what a person says? */
static bool asks_json(const struct rf_conversation *c)
{
    for (size_t i = 0; i < c->message_count; i++) {
        const struct rf_message *m = &c->messages[i];
        for (size_t j = 0; j < m->block_count && m->role == RF_ROLE_USER; j++)
            if (m->blocks[j].type == RF_BLOCK_TEXT && says_json(m->blocks[j].text))
                return true;
    }
    return false;
}

/* APIs that can be asked for JSON want the model to be told so too, and some refuse to be asked
 * otherwise. A client of the same API has seen to that; else it is said once, where it counts. */
static void set_json(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_conversation *c = p->conversation;
    const struct rf_model *m = p->model;
    enum rf_answer_schema takes = m->caps.json_mode;
    if (!c->options.json || c->options.schema)
        return;
    p->json = takes == RF_ANSWER_SCHEMA_YES || (takes == RF_ANSWER_SCHEMA_ALONE && !has_tools(p));
    if (p->json && (rf_str_eq(c->dialect, m->caps.dialect) || asks_json(c)))
        return;
    p->says_json = p->json && m->caps.json_in_message;
    if (p->says_json || (p->json && says_json(c->system)))
        return;
    set_system(p,
               rf_strf(a, "%.*s%s" RF_WORDS_JSON, RF_FMT(c->system),
                       rf_str_blank(c->system) ? "" : "\n\n"),
               a);
    if (!p->json)
        *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) = rf_strf(
            a, "JSON is asked for in words: %.*s:%.*s %s", RF_FMT(m->provider), RF_FMT(m->name),
            takes == RF_ANSWER_SCHEMA_ALONE ? "takes no other wish for it with tools"
                                            : "does not take another wish for it");
}

/* No other API has such types, but a model can be told what to choose from. */
static void set_answer_type(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_model *m = p->model;
    const struct rf_conversation *c = p->conversation;
    const struct rf_jval *choices;
    struct rf_str type = rf_carried_type(p, a, &choices);
    if (!type.n)
        return;
    if (!choices) {
        struct rf_str shown = rf_utf8_cut(type, RF_MAX_NAME_SHOWN);
        notice(p, a, rf_strf(a, "the type of the answer (%.*s)", RF_FMT(shown)).p,
               "does not take it");
        return;
    }
    set_system(p,
               rf_strf(a, "%.*s%s" RF_WORDS_CHOICES "%.*s", RF_FMT(c->system),
                       rf_str_blank(c->system) ? "" : "\n\n",
                       RF_FMT(rf_jval_compact(choices, a))),
               a);
    *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) =
        rf_strf(a, "the values to choose from are sent as words: %.*s:%.*s does not take them",
                RF_FMT(m->provider), RF_FMT(m->name));
}

static void note_wishes(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_model *m = p->model;
    struct rf_str names = rf_carried_wishes(p, a);
    if (names.n)
        *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) = rf_strf(
            a, "wishes of %.*s alone were left out (%.*s): %.*s:%.*s is not known to have them",
            RF_FMT(p->conversation->dialect), RF_FMT(names), RF_FMT(m->provider), RF_FMT(m->name));
}

static bool loses_strict(const struct rf_plan *p)
{
    const struct rf_conversation *c = p->conversation;
    for (size_t i = 0; p->offers_tools && i < c->tool_count; i++)
        if (c->tools[i].strict && !p->model->caps.strict_tools)
            return true;
    return false;
}

static void note_unknown(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_model *m = p->model;
    if (m->meant.n)
        *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) =
            rf_strf(a, "the catalogue does not know the model \"%.*s\"; did you mean \"%.*s\"?",
                    RF_FMT(rf_clean_name(m->name, a)), RF_FMT(rf_clean_name(m->meant, a)));
    else if (!m->known && !m->described.n)
        *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) =
            rf_strf(a, "the model \"%.*s\" is unknown: it is treated as any model of %.*s",
                    RF_FMT(rf_clean_name(m->name, a)), RF_FMT(m->provider));
}

/* An answer that would leave less than an eighth of the window for the question gets half of it. */
int64_t rf_plan_answer_tokens(const struct rf_conversation *c, const struct rf_model *m)
{
    const struct rf_caps *caps = &m->caps;
    int64_t tokens = c->options.max_tokens ? c->options.max_tokens : caps->output_tokens;
    if (caps->max_output_tokens && tokens > caps->max_output_tokens)
        tokens = caps->max_output_tokens;
    if (caps->context_tokens && tokens > caps->context_tokens - caps->context_tokens / 8)
        tokens = caps->context_tokens / 2;
    return tokens;
}

/* As we estimate them, and a quarter more: they must not be fewer than the provider counts. */
static int64_t input_tokens(const struct rf_plan *p, const struct rf_survey *s, enum rf_scale scale)
{
    int64_t sum = rf_cost_fixed_tokens(p, scale);
    for (size_t i = 0; i < s->count; i++) {
        struct rf_joint_message m;
        rf_cost_message(&p->model->caps, scale, &s->messages[i], &p->pairing->messages[i], &m);
        sum += m.tokens;
    }
    for (size_t i = 0; i < p->decision_count; i++)
        sum += p->decisions[i].tokens > 0 ? p->decisions[i].tokens : 0;
    return sum + sum / 4;
}

/* A client that sets no limit expects none: where a request must say one, it is the model's own, as
 * far as the window has room for it. */
static void lift_limit(struct rf_plan *p, const struct rf_survey *s)
{
    const struct rf_caps *c = &p->model->caps;
    int64_t most = c->max_output_tokens;
    if (!c->output_tokens || most <= p->max_tokens)
        return;
    if (c->context_tokens && most > c->context_tokens - input_tokens(p, s, RF_SCALE_LENGTH)) {
        int64_t room = c->context_tokens - input_tokens(p, s, RF_SCALE_EXACT);
        most = most < room ? most : room;
    }
    p->max_tokens = most > p->max_tokens ? most : p->max_tokens;
}

static void set_max_tokens(struct rf_plan *p, const struct rf_survey *s, struct rf_arena *a)
{
    const struct rf_model *m = p->model;
    int64_t asked = p->conversation->options.max_tokens, least = m->caps.min_output_tokens;
    p->max_tokens = p->answer_tokens = rf_plan_answer_tokens(p->conversation, m);
    if (!asked)
        lift_limit(p, s);
    if (asked && p->max_tokens < least) {
        p->max_tokens = least;
        *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) =
            rf_strf(a, "max_tokens is %" PRId64 ": %.*s:%.*s does not take less", least,
                    RF_FMT(m->provider), RF_FMT(m->name));
    }
    if (asked <= p->max_tokens)
        return;
    bool window = !m->caps.max_output_tokens || p->max_tokens < m->caps.max_output_tokens;
    *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) = rf_strf(
        a, "max_tokens is %" PRId64 ": %.*s:%.*s %s", p->max_tokens, RF_FMT(m->provider),
        RF_FMT(m->name), window ? "has no larger window to answer in" : "does not take more");
}

void rf_plan_settings(struct rf_plan *p, const struct rf_survey *s, struct rf_arena *a)
{
    note_unknown(p, a);
    set_max_tokens(p, s, a);
    set_thinking(p, a);
    set_sampling(p, a);
    set_carried(p, a);
    note_wishes(p, a);
    set_tool_choice(p, a);
    set_allowed_tools(p, a);
    set_single_call(p, a);
    set_stop(p, a);
    if (loses_strict(p))
        notice(p, a, "the strictness of tools", "does not take it");
    set_schema(p, a);
    set_json(p, a);
    set_answer_type(p, a);
}
