/* /cost: the tokens of each question, of the session and of the chat, as the providers reported
 * them, and what they cost where that is known. What is unknown is said, and never counted as
 * nothing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "report.h"
#include "term/cells.h"
#include "text.h"

#define MOST_SHOWN 20 /* questions; those before them are one row */
#define QUESTION 40   /* cells of one that are shown */
#define UNIT 1000000

struct costing {
    struct rf_chat *chat;
    struct rf_jdoc *doc;
    struct rf_chat_spent all, before, question;
    struct rf_str words; /* of the question */
    int64_t questions, count;
    struct rf_model *model; /* the last one that was looked up; or NULL */
    char *model_name;
    bool cached_in_full;               /* the price of some of what was cached is not known */
    struct rf_buffer prices, unpriced; /* lines about models; names */
};

/* Adding */

static void add(struct rf_chat_tally *t, int64_t n)
{
    t->told |= n >= 0;
    t->untold |= n < 0;
    t->sum += n > 0 ? n : 0;
}

static void add_tally(struct rf_chat_tally *to, const struct rf_chat_tally *from)
{
    to->sum += from->sum;
    to->told |= from->told;
    to->untold |= from->untold;
}

static void add_row(struct rf_chat_spent *to, const struct rf_chat_spent *from)
{
    add_tally(&to->input, &from->input);
    add_tally(&to->output, &from->output);
    add_tally(&to->cached, &from->cached);
    to->answers += from->answers;
    to->cost.micros += from->cost.micros;
    to->cost.any |= from->cost.any;
    to->cost.unknown |= from->cost.unknown;
}

void rf_chat_spend(struct rf_chat_spent *s, int64_t input, int64_t output, int64_t cached,
                   int64_t cost_micros)
{
    s->answers++;
    add(&s->input, input);
    add(&s->output, output);
    add(&s->cached, cached);
    rf_cost_add(&s->cost, cost_micros);
}

static int64_t number_of(const struct rf_jval *object, const char *name)
{
    int64_t n;
    return rf_jval_int64(rf_jval_get(object, name), &n) ? n : -1;
}

/* Prices */

static struct rf_str fact(struct rf_model *m, const char *name, struct rf_str *date)
{
    for (size_t i = 0; i < rf_fact_count(); i++) {
        if (strcmp(rf_fact_name(i), name) != 0)
            continue;
        *date = rf_model_fact_date(m, i);
        return rf_model_fact(m, i);
    }
    return rf_text("");
}

/* Empty where it is not known. */
static struct rf_str price_cached(struct costing *w)
{
    struct rf_str date, price = fact(w->model, "price_cached", &date);
    return price.n == 1 && *price.p == '0' ? rf_text("") : price;
}

static void say_price(struct costing *w)
{
    struct rf_str date, input = fact(w->model, "price_input", &date),
                        output = fact(w->model, "price_output", &date), cached = price_cached(w);
    rf_buffer_print(&w->prices, "%s: $%.*s for a million tokens in, $%.*s out%s%.*s%s%s%.*s\n",
                    w->model_name, RF_FMT(input), RF_FMT(output), cached.n ? ", $" : "",
                    RF_FMT(cached), cached.n ? " cached" : "", date.n ? ", as of " : "",
                    RF_FMT(date));
}

static void name_unpriced(struct costing *w)
{
    rf_buffer_print(&w->unpriced, "%s%s", w->unpriced.n ? ", " : "", w->model_name);
}

/* The model of an answer: looked up once while it stays the same, and told of once. */
static void take_model(struct costing *w, const struct rf_jval *message)
{
    const struct rf_jval *origin = rf_jval_get(message, "origin");
    struct rf_str provider = rf_jdoc_text(w->doc, rf_jval_get(origin, "provider"));
    struct rf_str model = rf_jdoc_text(w->doc, rf_jval_get(origin, "model"));
    struct rf_err unseen;
    char *name;
    if (asprintf(&name, "%.*s:%.*s", RF_FMT(provider), RF_FMT(model)) < 0)
        abort();
    if (w->model_name && strcmp(name, w->model_name) == 0) {
        free(name);
        return;
    }
    free(w->model_name);
    rf_model_close(w->model);
    w->model_name = name;
    w->model = NULL;
    if (provider.n && rf_model_open(w->chat->config, name, &w->model, &unseen))
        w->model = NULL;
    bool priced = w->model && rf_model_cost(w->model, 1, 1) >= 0;
    struct rf_buffer *list = priced ? &w->prices : &w->unpriced;
    if (list->n && memmem(list->p, list->n, name, strlen(name)))
        return;
    if (priced)
        say_price(w);
    else
        name_unpriced(w);
}

/* What the provider says, else what the prices do. */
static int64_t cost_of(struct costing *w, const struct rf_jval *message, const struct rf_usage *u)
{
    double dollars;
    if (rf_jval_double(rf_jval_get(rf_jval_get(message, "extra"), "cost"), &dollars) &&
        dollars >= 0 && dollars < UNIT)
        return (int64_t)(dollars * UNIT + 0.5);
    return w->model ? rf_model_usage_cost(w->model, u) : -1;
}

static void take_answer(struct costing *w, const struct rf_jval *message)
{
    const struct rf_jval *usage = rf_jval_get(message, "usage");
    const struct rf_usage u = {
        .size = sizeof u,
        .input = number_of(usage, "input_tokens"),
        .output = number_of(usage, "output_tokens"),
        .cached = number_of(usage, "cached_tokens"),
        .cache_write = number_of(usage, "cache_write_tokens"),
        .cache_write_hour = number_of(usage, "cache_write_hour_tokens"),
    };
    take_model(w, message);
    w->cached_in_full |= u.cached > 0 && w->model && !price_cached(w).n;
    rf_chat_spend(&w->question, u.input, u.output, u.cached, cost_of(w, message, &u));
}

/* Rows */

static const char *tally_text(const struct rf_chat_tally *t, char out[RF_SHORT_TEXT])
{
    char number[RF_SHORT_TEXT];
    if (!t->told)
        snprintf(out, RF_SHORT_TEXT, "?");
    else
        snprintf(out, RF_SHORT_TEXT, "%s%s", rf_number_text(t->sum, number), t->untold ? "+?" : "");
    return out;
}

static void say_row(struct rf_chat *c, const char *number, const struct rf_chat_spent *r,
                    struct rf_str question)
{
    char in[RF_SHORT_TEXT], out[RF_SHORT_TEXT], cached[RF_SHORT_TEXT], money[RF_COST_MONEY];
    struct rf_buffer b = { 0 };
    bool known = rf_cost_sum(&r->cost) >= 0;
    tally_text(&r->cached, cached);
    rf_buffer_print(&b, "%10s in %10s out %10s cached %10s", tally_text(&r->input, in),
                    tally_text(&r->output, out), r->cached.told ? cached : "?",
                    known ? rf_cost_money(rf_cost_sum(&r->cost), money) : "$?");
    if (question.n)
        rf_buffer_print(&b, "  %.*s", (int)rf_cells_fit(question, QUESTION, NULL), question.p);
    rf_chat_say_pair(c, 6, rf_text(number), rf_buffer_view(&b));
    rf_buffer_release(&b);
}

static void end_question(struct costing *w)
{
    char number[24];
    if (!w->question.answers)
        return;
    w->count++;
    add_row(&w->all, &w->question);
    if (w->count + MOST_SHOWN <= w->questions) {
        add_row(&w->before, &w->question);
        if (w->count + MOST_SHOWN == w->questions) {
            snprintf(number, sizeof number, "1-%" PRId64, w->count);
            say_row(w->chat, number, &w->before, rf_text(""));
        }
        return;
    }
    snprintf(number, sizeof number, "%" PRId64, w->count);
    say_row(w->chat, number, &w->question, w->words);
}

/* The first line of the first text of a message. */
static struct rf_str first_words(struct costing *w, const struct rf_jval *message)
{
    const struct rf_jval *content = rf_jval_get(message, "content"), *block;
    struct rf_str text = rf_jdoc_text(w->doc, content);
    for (block = rf_jval_first(content); !text.n && block; block = rf_jval_next(content, block))
        if (rf_jval_is(rf_jval_get(block, "type"), "text"))
            text = rf_chat_trim(rf_jdoc_text(w->doc, rf_jval_get(block, "text")));
    const char *feed = memchr(text.n ? text.p : "", '\n', text.n);
    return (struct rf_str){ text.p, feed ? (size_t)(feed - text.p) : text.n };
}

static bool is_by(const struct rf_jval *message, const char *role)
{
    return rf_jval_is(rf_jval_get(message, "role"), role);
}

static void go_through(struct costing *w)
{
    const struct rf_jval *all = rf_jval_get(rf_jdoc_root(w->doc), "messages"), *m;
    bool answered = false;
    for (m = rf_jval_first(all); m; m = rf_jval_next(all, m)) {
        bool answer = is_by(m, "assistant");
        w->questions += answer && !answered;
        answered = answer || (answered && !is_by(m, "user"));
    }
    for (m = rf_jval_first(all); m; m = rf_jval_next(all, m)) {
        if (is_by(m, "assistant"))
            take_answer(w, m);
        if (!is_by(m, "user"))
            continue;
        end_question(w);
        w->question = (struct rf_chat_spent){ 0 };
        w->words = first_words(w, m);
    }
    end_question(w);
}

static void say_sum(struct costing *w)
{
    struct rf_chat *c = w->chat;
    struct rf_str lines = rf_buffer_view(&w->prices);
    say_row(c, "total", &w->all, rf_text(""));
    if (lines.n)
        rf_chat_say_text(c, RF_STYLE_DIM, (struct rf_str){ lines.p, lines.n - 1 });
    if (lines.n && w->cached_in_full)
        rf_chat_say(c, RF_STYLE_DIM,
                    "what was cached is counted at the full price where price_cached is not known: "
                    "most providers take less");
    if (w->all.input.untold || w->all.output.untold)
        rf_chat_say(c, RF_STYLE_DIM, "?: the provider did not report the tokens of an answer");
    if (w->unpriced.n)
        rf_chat_say(c, RF_STYLE_DIM,
                    "the price is not known of %.*s; price_input and price_output in the "
                    "configuration say it",
                    RF_FMT(rf_buffer_view(&w->unpriced)));
}

/* What was asked again, or in another session, was paid for too. */
static void say_chat(struct costing *w)
{
    const struct rf_chat_spent *spent = &w->chat->spent;
    if (!spent->answers ||
        (spent->input.sum == w->all.input.sum && spent->output.sum == w->all.output.sum))
        return;
    say_row(w->chat, "chat", spent, rf_text(""));
    rf_chat_say(w->chat, RF_STYLE_DIM,
                "chat: all answers since it was begun, in other sessions and asked for again too");
}

static enum rf_code read_all(struct rf_chat *c, struct rf_jdoc **out, struct rf_err *err)
{
    struct rf_conversation *conversation;
    struct rf_str json;
    enum rf_code rc = rf_agent_conversation(c->agent, &conversation, err);
    if (rc)
        return rc;
    rc = rf_conversation_write(conversation, &json, err);
    if (!rc)
        rc = rf_jdoc_read(json, out, err);
    rf_conversation_free(conversation);
    return rc;
}

void rf_chat_run_cost(struct rf_chat *c, struct rf_str argument)
{
    struct costing w = { .chat = c };
    struct rf_err err;
    (void)argument;
    if (read_all(c, &w.doc, &err)) {
        rf_chat_error(c, &err);
        return;
    }
    go_through(&w);
    if (w.count)
        say_sum(&w);
    else
        rf_chat_say(c, RF_STYLE_DIM, "nothing was answered in this session yet");
    say_chat(&w);
    rf_model_close(w.model);
    free(w.model_name);
    rf_buffer_release(&w.prices);
    rf_buffer_release(&w.unpriced);
    rf_jdoc_free(w.doc);
}
