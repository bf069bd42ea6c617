/* The tokens of a request, summed over the turns of its plan: over what is sent, not over what the
 * conversation says. What a thing costs is for model/tokens.h to say. */
#include <refract/tokens.h>

#include "base/arena.h"
#include "content/message.h"
#include "model/tokens.h"
#include "plan/file_tokens.h"
#include "plan/joint.h"
#include "request/request.h"

#define SEALED_BYTES 16   /* of other things that are encrypted, a token */
#define USUAL_ANSWER 1024 /* tokens of a window that an answer of unknown length gets */
#define LEAST_WINDOW 2048
#define MOST_WINDOW ((int64_t)1 << 30)
#define SEALED_LEAST 256 /* a string without spaces that is longer is encrypted */

struct message {
    enum rf_role role;
    enum rf_speaker speaker;
    int64_t text, media;
    size_t files;
};

struct rf_tokens {
    struct rf_arena *arena;
    const struct rf_plan *plan;
    const struct rf_caps *caps;
    int64_t system, tools, request, messages;
    int64_t by_rule; /* of all that: files that the model has a rule for */
    struct message *list;
    size_t count;
    size_t turn_start; /* the last message in which a person speaks: earlier thoughts are gone */
    char *piece;       /* of a file that is being read, or NULL */
};

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Thoughts that only their API can read count while the model is still at work. */
static int64_t sealed_tokens(const struct rf_tokens *t, const struct message *m, size_t bytes)
{
    bool current = (size_t)(m - t->list) > t->turn_start;
    return current && t->caps->sealed_bytes > 0 ? (int64_t)bytes / t->caps->sealed_bytes : 0;
}

static int64_t thinking_tokens(const struct rf_tokens *t, const struct message *m,
                               const struct rf_thinking *thinking)
{
    size_t sealed = thinking->redacted.n + thinking->encrypted.n;
    return sealed ? sealed_tokens(t, m, sealed) : rf_text_tokens(t->caps, thinking->text);
}

static bool is_sealed(const struct rf_jval *v)
{
    return v->type == RF_JSTRING && v->raw.n > SEALED_LEAST && !memchr(v->raw.p, ' ', v->raw.n);
}

/* What only one API can say holds much that only it can read. */
static int64_t opaque_tokens(const struct rf_caps *c, const struct rf_jval *v)
{
    int64_t sum = 0;
    for (uint32_t i = 0; v && i < v->span; i++) {
        if (is_sealed(&v[i]))
            sum += (int64_t)(v[i].raw.n / SEALED_BYTES);
        else if (v[i].type != RF_JARRAY && v[i].type != RF_JOBJECT)
            sum += rf_text_tokens(c, v[i].raw);
    }
    return sum;
}

static int64_t call_tokens(const struct rf_caps *c, const struct rf_item *item)
{
    return c->call_tokens + rf_text_tokens(c, item->name) +
           rf_json_tokens(c, item->block->call.arguments);
}

static bool has_rule(enum rf_kind kind)
{
    return kind == RF_KIND_IMAGE || kind == RF_KIND_PDF || kind == RF_KIND_AUDIO ||
           kind == RF_KIND_VIDEO;
}

static void add_file(struct rf_tokens *t, struct message *m, const struct rf_item *item)
{
    int64_t tokens = rf_item_tokens(t->caps, item);
    m->files++;
    m->media = plus(m->media, tokens);
    if (has_rule(item->asset->kind))
        t->by_rule = plus(t->by_rule, tokens);
}

static void add_item(struct rf_tokens *t, struct message *m, const struct rf_item *item)
{
    const struct rf_caps *c = t->caps;
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
        m->text = plus(m->text, rf_text_tokens(c, item->text));
        break;
    case RF_ITEM_MEDIA:
    case RF_ITEM_TEXT_FILE:
        add_file(t, m, item);
        break;
    case RF_ITEM_THINKING:
        m->text = plus(m->text, thinking_tokens(t, m, &item->block->thinking));
        break;
    case RF_ITEM_CALL:
        m->text = plus(m->text, call_tokens(c, item));
        m->text = plus(m->text, sealed_tokens(t, m, item->signature.n));
        break;
    case RF_ITEM_OPAQUE:
        m->text = plus(m->text, opaque_tokens(c, item->block->value));
        break;
    case RF_ITEM_RESULT:
        m->text = plus(m->text, c->call_tokens);
        for (size_t i = 0; i < item->count; i++)
            add_item(t, m, &item->items[i]);
        break;
    }
}

static void add_turn(struct rf_tokens *t, struct message *m, const struct rf_turn *turn)
{
    bool results = turn->count && turn->items[0].kind == RF_ITEM_RESULT;
    m->role = results ? RF_ROLE_TOOL : turn->role;
    m->speaker = turn->speaker;
    m->text = t->caps->message_tokens;
    for (size_t i = 0; i < turn->count; i++)
        add_item(t, m, &turn->items[i]);
    t->messages = plus(t->messages, plus(m->text, m->media));
}

static bool is_result_only(const struct rf_turn *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->items[i].kind != RF_ITEM_RESULT)
            return false;
    return true;
}

static size_t last_spoken(const struct rf_plan *p)
{
    size_t i = p->turn_count;
    while (i > 1 && (p->turns[i - 1].role != RF_ROLE_USER || is_result_only(&p->turns[i - 1])))
        i--;
    return i ? i - 1 : 0;
}

static int64_t percent(int64_t n, int64_t of_hundred)
{
    return of_hundred > 0 && of_hundred < 10000 ? n * of_hundred / 100 : n;
}

static int64_t tool_tokens(const struct rf_caps *c, const struct rf_tool *tool)
{
    int64_t words = rf_text_tokens(c, tool->name) + rf_text_tokens(c, tool->description);
    return c->tool_tokens + words +
           percent(rf_json_tokens(c, tool->input_schema), c->schema_percent);
}

static void add_tools(struct rf_tokens *t)
{
    const struct rf_plan *p = t->plan;
    if (!p->offers_tools && !p->server_tools)
        return;
    t->tools = p->tool_count ? t->caps->tools_tokens : 0;
    for (size_t i = 0; p->offers_tools && i < p->tool_count; i++)
        t->tools = plus(t->tools, tool_tokens(t->caps, &p->tools[i]));
    t->tools = plus(t->tools, rf_json_tokens(t->caps, p->server_tools));
}

struct rf_tokens *rf_request_tokens(const struct rf_request *r)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_tokens *t = RF_NEW(a, struct rf_tokens);
    const struct rf_plan *p = &r->plan;
    *t = (struct rf_tokens){
        .arena = a,
        .plan = p,
        .caps = &p->model->caps,
        .list = RF_ARRAY(a, struct message, p->turn_count),
        .count = p->turn_count,
        .turn_start = last_spoken(p),
    };
    if (p->conversation->system.n)
        t->system = t->caps->message_tokens + rf_text_tokens(t->caps, p->conversation->system);
    t->request = t->caps->request_tokens;
    add_tools(t);
    for (size_t i = 0; i < p->turn_count; i++)
        add_turn(t, &t->list[i], &p->turns[i]);
    return t;
}

void rf_tokens_free(struct rf_tokens *t)
{
    if (t)
        rf_arena_free(t->arena);
}

int64_t rf_tokens_estimate(const struct rf_tokens *t)
{
    return plus(plus(t->system, t->tools), plus(t->request, t->messages));
}

int64_t rf_tokens_total(const struct rf_tokens *t)
{
    const struct rf_estimate e = { rf_tokens_estimate(t) - t->by_rule, t->by_rule };
    return rf_calibrated(&t->plan->model->calibration, &e);
}

int64_t rf_tokens_by_rule(const struct rf_tokens *t)
{
    return t->by_rule;
}

int64_t rf_tokens_context(const struct rf_tokens *t)
{
    return t->caps->context_tokens;
}

int64_t rf_tokens_reserve(const struct rf_tokens *t)
{
    return t->plan->answer_tokens ? t->plan->answer_tokens : t->caps->output_tokens;
}

/* The window where a request does not ask for another; 0 where it has all that the model has. */
static int64_t usual_window(const struct rf_caps *c)
{
    bool shorter = c->context_tokens && c->context_tokens < c->usual_context_tokens;
    return shorter ? c->context_tokens : c->usual_context_tokens;
}

/* A window that is full to the last token was too small, and so was one that took less than half of
 * the words. Those are estimated well enough to tell, files are not. */
bool rf_tokens_was_cut(const struct rf_tokens *t, int64_t reported)
{
    const struct rf_estimate e = { rf_tokens_estimate(t) - t->by_rule, 0 };
    int64_t words = rf_calibrated(&t->plan->model->calibration, &e);
    int64_t usual = usual_window(t->caps);
    bool full = reported == (t->plan->window ? t->plan->window : usual);
    return usual && reported > 0 && (full || (words > usual && reported < words / 2));
}

/* A power of two, so that it seldom changes: a server may load its model anew for each. */
int64_t rf_request_window(const struct rf_request *r)
{
    const struct rf_caps *c = &r->plan.model->caps;
    int64_t window = usual_window(c);
    if (!window)
        return 0;
    struct rf_tokens *t = rf_request_tokens(r);
    int64_t total = rf_tokens_total(t), answer = rf_tokens_reserve(t);
    int64_t needed = plus(plus(total, total / 4), answer ? answer : USUAL_ANSWER);
    rf_tokens_free(t);
    if (needed <= window)
        return 0;
    for (window = LEAST_WINDOW; window < needed && window < MOST_WINDOW;)
        window *= 2;
    return c->context_tokens && window > c->context_tokens ? c->context_tokens : window;
}

int64_t rf_tokens_system(const struct rf_tokens *t)
{
    return t->system;
}

int64_t rf_tokens_tools(const struct rf_tokens *t)
{
    return t->tools;
}

int64_t rf_tokens_request(const struct rf_tokens *t)
{
    return t->request;
}

size_t rf_tokens_count(const struct rf_tokens *t)
{
    return t->count;
}

static const struct message *message(const struct rf_tokens *t, size_t i)
{
    if (i >= t->count)
        RF_BUG("there is no such message in the request");
    return &t->list[i];
}

const char *rf_tokens_role(const struct rf_tokens *t, size_t i)
{
    const struct message *m = message(t, i);
    return rf_speaker_name(m->role, m->speaker);
}

int64_t rf_tokens_text(const struct rf_tokens *t, size_t i)
{
    return message(t, i)->text;
}

int64_t rf_tokens_media(const struct rf_tokens *t, size_t i)
{
    return message(t, i)->media;
}

size_t rf_tokens_files(const struct rf_tokens *t, size_t i)
{
    return message(t, i)->files;
}

static size_t count_fate(const struct rf_tokens *t, enum rf_fate fate)
{
    size_t count = 0;
    for (size_t i = 0; i < t->plan->conversation->message_count; i++)
        count += t->plan->messages[i].fate == fate;
    return count;
}

size_t rf_tokens_gone(const struct rf_tokens *t)
{
    return count_fate(t, RF_FATE_GONE);
}

size_t rf_tokens_silent(const struct rf_tokens *t)
{
    return count_fate(t, RF_FATE_SILENT);
}

size_t rf_tokens_cut(const struct rf_tokens *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->plan->conversation->message_count; i++)
        count += rf_joint_is_cut(&t->plan->messages[i]);
    return count;
}
