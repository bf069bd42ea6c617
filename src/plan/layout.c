/* Step two: the turns, made of what items.c says stands in each message.
 *
 * An assistant message with calls is followed by one user turn that begins with the results of
 * all its calls, in the order of the calls: those that were found, and a line that says so for
 * those that were not. After them come injected files, then results without a call, then what the
 * user said meanwhile. Where the endpoint wants results alone in their turn, a short assistant turn
 * stands between:
 *
 *     assistant   call a, call b                  call a, call b
 *     user        result a, result b, file of a   result a, result b
 *     assistant                                   "OK."
 *     user                                        file of a
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "plan/cache.h"
#include "plan/items.h"
#include "plan/joint.h"
#include "plan/pairing.h"
#include "plan/settings.h"
#include "plan/tool_schema.h"
#include "plan/words.h"

static struct rf_turn *new_turn(struct rf_layout *l, enum rf_role role)
{
    struct rf_plan *p = l->plan;
    struct rf_turn *t = RF_PUSH(l->arena, p->turns, p->turn_count, p->turn_cap);
    t->role = role;
    return t;
}

static struct rf_turn *last_turn(const struct rf_layout *l)
{
    return l->plan->turn_count ? &l->plan->turns[l->plan->turn_count - 1] : NULL;
}

static bool holds_results(const struct rf_turn *t)
{
    return t->count && t->items[0].kind == RF_ITEM_RESULT;
}

/* `from` is not used any more after this. */
static void append(struct rf_layout *l, struct rf_turn *t, const struct rf_items *from)
{
    if (!t->count) {
        t->items = from->list;
        t->count = from->count;
        t->cap = from->cap;
        return;
    }
    for (size_t i = 0; i < from->count; i++)
        *RF_PUSH(l->arena, t->items, t->count, t->cap) = from->list[i];
}

static void say(struct rf_layout *l, struct rf_turn *t, struct rf_str words)
{
    struct rf_items one = { 0 };
    rf_items_add_text(l, &one, words);
    append(l, t, &one);
}

static bool all_beside(const struct rf_layout *l, const struct rf_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        if (items->list[i].kind == RF_ITEM_MEDIA &&
            !(l->caps->beside & 1u << items->list[i].asset->kind))
            return false;
    return true;
}

static bool needs_words(const struct rf_layout *l, const struct rf_turn *t)
{
    bool document = false;
    for (size_t i = 0; i < t->count; i++) {
        if (t->items[i].kind != RF_ITEM_MEDIA)
            return false;
        document |= t->items[i].label.n > 0;
    }
    return document && l->caps->document_needs_text;
}

/* The turn that user content goes to, after whatever stands there now. */
static struct rf_turn *user_turn(struct rf_layout *l, const struct rf_items *items)
{
    struct rf_turn *last = last_turn(l);
    if (!last || last->role != RF_ROLE_USER || last->speaker != RF_SPEAKER_USER)
        return new_turn(l, RF_ROLE_USER);
    if (!holds_results(last))
        return l->caps->merge_turns ? last : new_turn(l, RF_ROLE_USER);
    if (l->caps->after == RF_AFTER_SAME_TURN && all_beside(l, items))
        return last;
    if (l->caps->after != RF_AFTER_NEXT_TURN)
        say(l, new_turn(l, RF_ROLE_ASSISTANT), RF_STR(RF_WORDS_SEPARATOR));
    return new_turn(l, RF_ROLE_USER);
}

static void put_user_items(struct rf_layout *l, const struct rf_items *items)
{
    if (!items->count)
        return;
    struct rf_turn *t = user_turn(l, items);
    append(l, t, items);
    if (needs_words(l, t))
        say(l, t, RF_STR(RF_WORDS_DOCUMENT));
}

/* Where its message was marked as worth caching, the last item is; unless others are, or the mark
 * goes back with the message. */
static void mark_last(const struct rf_layout *l, struct rf_items *items,
                      const struct rf_surveyed *m)
{
    const struct rf_jval *own = rf_layout_own(l, m->message->extra);
    if (items->count && !rf_items_marked(items) && !rf_jval_get(own, "cache_control"))
        rf_items_mark(l, &items->list[items->count - 1], rf_cache_mark_of(m->message));
}

/* Words of a system or a developer among the others are a turn of their own where the endpoint is
 * known to take that, or took it when the request was another's. */
static bool keeps_speaker(const struct rf_layout *l, const struct rf_message *m)
{
    return m->speaker != RF_SPEAKER_USER &&
           (l->caps->system_turns || rf_layout_is_home(l, l->plan->conversation->dialect));
}

static void put_user_message(struct rf_layout *l, const struct rf_surveyed *m)
{
    struct rf_items items = { 0 };
    rf_items_add_text(l, &items, rf_sight_line(&l->sight, l->plan, m->index, l->arena));
    rf_items_add_parts(l, &items, m, NULL);
    mark_last(l, &items, m);
    size_t before = l->plan->turn_count;
    if (!keeps_speaker(l, m->message)) {
        put_user_items(l, &items);
    } else if (items.count) {
        struct rf_turn *t = new_turn(l, RF_ROLE_USER);
        t->speaker = m->message->speaker;
        append(l, t, &items);
    }
    if (l->plan->turn_count > before)
        last_turn(l)->own = rf_layout_own(l, m->message->extra);
}

static void put_orphan(struct rf_layout *l, const struct rf_surveyed *m)
{
    struct rf_items items = { 0 };
    rf_items_add_text(l, &items, rf_sight_line(&l->sight, l->plan, m->index, l->arena));
    rf_items_add_text(l, &items,
                      (l->caps->tools ? rf_words_orphan : rf_words_result)(m->message, l->arena));
    size_t empty = items.count;
    rf_items_add_parts(l, &items, m, NULL);
    if (items.count == empty)
        rf_items_add_text(l, &items, RF_STR(RF_WORDS_NO_OUTPUT));
    put_user_items(l, &items);
}

/* The results of all calls of one assistant message, in the order of the calls. */
static void put_results(struct rf_layout *l, const struct rf_items *assistant,
                        const struct rf_paired *paired)
{
    const struct rf_surveyed *answer = l->of;
    struct rf_items results = { 0 };
    size_t number = 0;
    l->injected = (struct rf_items){ 0 };
    for (size_t i = 0; i < assistant->count; i++) {
        const struct rf_item *call = &assistant->list[i];
        if (call->kind != RF_ITEM_CALL)
            continue;
        long at = paired->results[number++];
        l->of = at < 0 ? answer : &l->survey->messages[at];
        struct rf_item result = rf_items_result(l, call, at < 0 ? NULL : l->of);
        *RF_PUSH(l->arena, results.list, results.count, results.cap) = result;
        if (at >= 0)
            rf_items_add_text(l, &l->injected,
                              rf_sight_line(&l->sight, l->plan, (size_t)at, l->arena));
    }
    l->of = answer;
    if (!results.count)
        return;
    append(l, new_turn(l, RF_ROLE_USER), &results);
    put_user_items(l, &l->injected);
}

/* Is there something of an answer without content that its API takes as one? */
static bool says_something(const struct rf_layout *l, const struct rf_jval *own)
{
    struct rf_str rest = l->caps->answer_members, name;
    while (rf_str_split(&rest, ',', &name)) {
        const struct rf_jval *v = rf_jval_get(own, rf_cstr(l->arena, name));
        if (v && v->type != RF_JNULL)
            return true;
    }
    return false;
}

static void put_assistant(struct rf_layout *l, const struct rf_surveyed *m)
{
    struct rf_items items = rf_items_of_answer(l, m);
    struct rf_turn *last = last_turn(l);
    bool here = rf_plan_came_from_here(l->plan, m->message);
    const struct rf_jval *own = here ? rf_layout_own(l, m->message->extra) : NULL;
    mark_last(l, &items, m);
    if (!items.count && !says_something(l, own))
        return;
    if (!last && l->caps->merge_turns && !rf_layout_is_home(l, l->plan->conversation->dialect))
        say(l, new_turn(l, RF_ROLE_USER), RF_STR(RF_WORDS_BEGIN));
    bool merge = last && last->role == RF_ROLE_ASSISTANT && l->caps->merge_turns;
    struct rf_turn *turn = merge ? last : new_turn(l, RF_ROLE_ASSISTANT);
    append(l, turn, &items);
    if (!merge)
        turn->own = own;
    put_results(l, &items, &l->plan->pairing->messages[m->index]);
}

static void number_decisions(struct rf_layout *l)
{
    size_t next = 0;
    l->first_decision = RF_ARRAY(l->arena, size_t, l->survey->count + 1);
    for (size_t i = 0; i < l->survey->count; i++) {
        l->first_decision[i] = next;
        for (size_t j = 0; j < l->survey->messages[i].count; j++)
            next += l->survey->messages[i].parts[j].kind == RF_PART_MEDIA;
    }
}

/* What was kept aside when the request was read goes back to where it came from. */
static void send_kept(struct rf_layout *l)
{
    static const struct rf_jval nothing = { .type = RF_JOBJECT, .span = 1 };
    struct rf_plan *p = l->plan;
    const struct rf_conversation *c = p->conversation;
    if (!(l->caps->own_fields || p->own_fields) || !rf_layout_is_home(l, c->dialect))
        return;
    l->own = rf_cstr(l->arena, l->caps->dialect);
    p->kept = rf_layout_own(l, c->extra) ? rf_layout_own(l, c->extra) : &nothing;
    p->kept_options = rf_layout_own(l, c->options.extra);
    const struct rf_jval *list = rf_jval_get(p->kept, "tools");
    p->server_tools = list && list->type == RF_JARRAY && list->count ? list : NULL;
}

/* The name of such a tool, its type where it has none, or what it is the value of. */
static struct rf_str shown_tool(const struct rf_layout *l, const struct rf_jval *tool)
{
    const struct rf_jval *name = rf_jval_get(tool, "name"), *type = rf_jval_get(tool, "type");
    const struct rf_jval *key = tool && tool->type == RF_JOBJECT ? rf_jval_first(tool) : NULL;
    const struct rf_jval *shown = name ? name : type ? type : key;
    return shown && shown->type == RF_JSTRING
               ? rf_utf8_cut(rf_jval_text(shown, l->arena), RF_MAX_NAME_SHOWN)
               : RF_STR("one without a name");
}

/* The names of such tools. */
static void name_lost(const struct rf_layout *l, const struct rf_jval *list, struct rf_buf *b)
{
    const struct rf_jval *v = list && list->type == RF_JARRAY ? rf_jval_first(list) : NULL;
    for (; v; v = rf_jval_next(list, v)) {
        struct rf_str shown = shown_tool(l, rf_jval_get(v, "value"));
        rf_buf_addf(b, "%s%.*s", b->n ? ", " : "", RF_FMT(shown));
    }
}

/* Tools that the API of the request runs or knows itself are lost elsewhere. */
static void note_lost_tools(const struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    const struct rf_conversation *c = p->conversation;
    const struct rf_jval *said =
        rf_jval_get(rf_jval_get(c->extra, "extra"), rf_cstr(l->arena, c->dialect));
    struct rf_buf b;
    rf_buf_init(&b, l->arena, SIZE_MAX);
    name_lost(l, rf_jval_get(said, "tools"), &b);
    name_lost(l, rf_jval_get(said, "additional"), &b);
    if (p->kept || !b.n)
        return;
    *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) = rf_strf(
        l->arena, "tools of %.*s alone were left out (%.*s): %.*s:%.*s is not known to have them",
        RF_FMT(c->dialect), (int)b.n, b.p, RF_FMT(p->model->provider), RF_FMT(p->model->name));
}

/* What a model's API ran for it is of no use to others, and where nothing tells of it in words it
 * is not sent. */
static void note_lost_opaque(const struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    if (l->lost.n)
        *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
            rf_strf(l->arena,
                    "parts of answers were left out (%.*s): %.*s:%.*s is not the model that made "
                    "them",
                    (int)l->lost.n, l->lost.p, RF_FMT(p->model->provider), RF_FMT(p->model->name));
}

/* Of another API's request. In a conversation of our own that is what a change of models does. */
static void note_lost_thoughts(const struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    if (l->lost_thoughts && p->conversation->dialect.n)
        *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
            rf_strf(l->arena, "thoughts were left out: %.*s:%.*s does not take these back",
                    RF_FMT(p->model->provider), RF_FMT(p->model->name));
}

/* An empty object goes in their place. In a conversation of our own the call's result says so. */
static void note_lost_arguments(const struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    if (!l->unread_count || !p->conversation->dialect.n || p->kept)
        return;
    *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
        l->unread_count > 1
            ? rf_strf(l->arena,
                      "the arguments of %zu calls were left out: they are not JSON objects",
                      l->unread_count)
            : rf_strf(
                  l->arena,
                  "the arguments of the call \"%.*s\" of \"%.*s\" were left out: they are not a "
                  "JSON object",
                  RF_FMT(l->unread->id), RF_FMT(l->unread->name));
}

/* Other answers than the first are lost wherever one is all that is read. */
static void note_lost_answers(const struct rf_layout *l)
{
    static const char *const names[] = { "n", "candidateCount", "candidate_count" };
    struct rf_plan *p = l->plan;
    const struct rf_conversation *c = p->conversation;
    const char *dialect = rf_cstr(l->arena, c->dialect);
    const struct rf_jval *said[] = { rf_jval_get(rf_jval_get(c->extra, "extra"), dialect),
                                     rf_jval_get(rf_jval_get(c->options.extra, "extra"), dialect) };
    int64_t n = 0;
    for (size_t i = 0; i < 2 * (sizeof names / sizeof *names) && n <= 1; i++) {
        const struct rf_jval *v = rf_jval_get(said[i % 2], names[i / 2]);
        if (!v || v->type != RF_JNUMBER || !rf_jval_int64(v, &n))
            n = 0;
    }
    if (n > 1 && !p->kept)
        *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
            rf_strf(l->arena, "answers other than the first were left out: %.*s:%.*s gives one",
                    RF_FMT(p->model->provider), RF_FMT(p->model->name));
}

static void name_allowed(const struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    const struct rf_conversation *c = p->conversation;
    size_t cap = 0;
    for (size_t i = 0; p->says_allowed && i < c->tool_count; i++)
        if (rf_plan_is_allowed(c->options.allowed_tools, c->tools[i].name, l->arena))
            *RF_PUSH(l->arena, p->allowed, p->allowed_count, cap) = p->tools[i].name;
}

static void name_tools(struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    const struct rf_conversation *c = p->conversation;
    p->tool_count = p->offers_tools ? c->tool_count : 0;
    p->tools = RF_ARRAY(l->arena, struct rf_tool, c->tool_count);
    for (size_t i = 0; i < c->tool_count; i++) {
        p->tools[i] = c->tools[i];
        if (l->caps->flat_tools)
            rf_tool_schema_flatten(&p->tools[i], l->arena);
        p->tools[i].name = rf_ids_tool(&l->tool_ids, c->tools[i].name);
        struct rf_id_slot *slot = rf_ids_slot(&l->tools_by_name, c->tools[i].name);
        slot->place = slot->place ? slot->place : i + 1;
        if (p->tool_choice == RF_CHOICE_TOOL && rf_str_eq(c->tools[i].name, c->tool_choice_name))
            p->tool_choice_name = p->tools[i].name;
    }
    name_allowed(l);
}

/* Does one of the API's own tools, which goes back as it came, have this name? */
static bool is_served(const struct rf_layout *l, struct rf_str name)
{
    const struct rf_jval *list = l->plan->server_tools;
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v;
         v = rf_jval_next(list, v)) {
        const struct rf_jval *served = rf_jval_get(rf_jval_get(v, "value"), "name");
        if (served && served->type == RF_JSTRING && rf_str_eq(rf_jval_text(served, l->arena), name))
            return true;
    }
    return false;
}

/* Tools that the history called and that are not described any more, where an endpoint insists. */
static void add_missing_tools(struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    size_t cap = p->tool_count;
    if (p->tool_count || !l->caps->tools_required)
        return;
    struct rf_ids seen;
    rf_ids_init(&seen, l->arena);
    for (size_t t = 0; t < p->turn_count; t++) {
        for (size_t i = 0; i < p->turns[t].count; i++) {
            const struct rf_item *item = &p->turns[t].items[i];
            if (item->kind == RF_ITEM_CALL && rf_ids_new(&seen, item->name) &&
                !is_served(l, item->name))
                RF_PUSH(l->arena, p->tools, p->tool_count, cap)->name = item->name;
        }
    }
}

/* A line for the messages that are left out. */
static void put_gone(struct rf_layout *l)
{
    size_t count = 0;
    while (count < l->survey->count && l->plan->messages[count].fate == RF_FATE_GONE)
        count++;
    if (count)
        say(l, new_turn(l, RF_ROLE_USER), rf_words_gone(count, l->arena));
}

static void add_count(struct rf_buf *b, size_t count, const char *one, const char *many)
{
    if (count)
        rf_buf_addf(b, "%s%zu %s", b->n ? ", " : "", count, count == 1 ? one : many);
}

/* What the model is told of texts that make room, the person is told too. */
static void note_lost_texts(const struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    size_t gone = 0, silent = 0, cut = 0;
    struct rf_buf b;
    for (size_t i = 0; i < l->survey->count; i++) {
        gone += p->messages[i].fate == RF_FATE_GONE;
        silent += p->messages[i].fate == RF_FATE_SILENT;
        cut += rf_joint_is_cut(&p->messages[i]);
    }
    rf_buf_init(&b, l->arena, SIZE_MAX);
    add_count(&b, gone, "message was left out", "messages were left out");
    add_count(&b, silent, "tool's output became a line", "tools' outputs became a line each");
    add_count(&b, cut, "text was cut", "texts were cut");
    if (b.n)
        *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
            rf_strf(l->arena, "to fit what %.*s:%.*s takes at once: %.*s",
                    RF_FMT(p->model->provider), RF_FMT(p->model->name), (int)b.n, b.p);
}

static void trim_end(struct rf_item *item)
{
    struct rf_str *text = &item->text;
    while (item->kind == RF_ITEM_TEXT && text->n && rf_is_space(text->p[text->n - 1]))
        text->n--;
}

/* Did the server stop in the middle of what it ran itself? It goes on with that as it is. */
static bool is_paused(const struct rf_turn *t)
{
    return t->count && t->items[t->count - 1].kind == RF_ITEM_OPAQUE;
}

/* An answer at the end is one to go on with, which is asked for where the endpoint does not take it
 * as such: with a budget, an answer begins with thoughts. */
static void ask_to_continue(struct rf_layout *l)
{
    struct rf_plan *p = l->plan;
    const struct rf_turn *last = last_turn(l);
    if (!last || last->role != RF_ROLE_ASSISTANT || is_paused(last))
        return;
    bool thinks = p->thinking_budget && l->caps->min_thinking_tokens;
    bool thought = last->count && last->items[0].kind == RF_ITEM_THINKING;
    if (l->caps->prefill != RF_PREFILL_NO && (!thinks || thought)) {
        if (l->caps->prefill == RF_PREFILL_TRIMMED && last->count)
            trim_end(&last->items[last->count - 1]);
        return;
    }
    say(l, new_turn(l, RF_ROLE_USER), RF_STR(RF_WORDS_CONTINUE));
    *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
        rf_strf(l->arena,
                "a short user message was added: %.*s:%.*s does not take a conversation that ends "
                "with an answer%s",
                RF_FMT(p->model->provider), RF_FMT(p->model->name),
                l->caps->prefill == RF_PREFILL_NO ? "" : " with thinking");
}

/* Instructions alone are a request where the endpoint takes them; elsewhere a short user turn
 * stands after them. */
static enum rf_code put_something(struct rf_layout *l, struct rf_err *err)
{
    struct rf_plan *p = l->plan;
    if (p->turn_count)
        return RF_OK;
    if (rf_str_blank(p->conversation->system))
        return rf_fail(err, RF_EFORMAT, "messages: there is nothing to send");
    if (l->caps->system_alone)
        return RF_OK;
    say(l, new_turn(l, RF_ROLE_USER), RF_STR(RF_WORDS_INSTRUCTIONS));
    *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
        rf_strf(l->arena,
                "a short user message was added: %.*s:%.*s is not known to take instructions alone",
                RF_FMT(p->model->provider), RF_FMT(p->model->name));
    return RF_OK;
}

enum rf_code rf_plan_lay_out(struct rf_plan *p, const struct rf_survey *s, struct rf_arena *a,
                             struct rf_err *err)
{
    struct rf_layout l = { .plan = p, .survey = s, .caps = &p->model->caps, .arena = a };
    rf_ids_init(&l.call_ids, a);
    rf_ids_init(&l.tool_ids, a);
    rf_ids_init(&l.tools_by_name, a);
    rf_ids_init(&l.lost_types, a);
    rf_buf_init(&l.lost, a, SIZE_MAX);
    send_kept(&l);
    p->mid_turn = rf_items_lack_thoughts(&l);
    rf_plan_settings(p, s, a);
    name_tools(&l);
    note_lost_tools(&l);
    note_lost_answers(&l);
    note_lost_texts(&l);
    number_decisions(&l);
    rf_sight_init(&l.sight, p, a);
    put_gone(&l);
    for (size_t i = 0; i < s->count; i++) {
        const struct rf_surveyed *m = &s->messages[i];
        if (p->messages[i].fate == RF_FATE_GONE)
            continue;
        l.of = m;
        switch (m->message->role) {
        case RF_ROLE_USER:
            put_user_message(&l, m);
            break;
        case RF_ROLE_ASSISTANT:
            put_assistant(&l, m);
            break;
        case RF_ROLE_TOOL:
            if (p->pairing->messages[i].orphan)
                put_orphan(&l, m);
            break;
        }
    }
    l.of = NULL;
    note_lost_opaque(&l);
    note_lost_thoughts(&l);
    note_lost_arguments(&l);
    add_missing_tools(&l);
    ask_to_continue(&l);
    enum rf_code rc = put_something(&l, err);
    rf_plan_cache(p, a);
    return rc;
}
