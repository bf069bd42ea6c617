/* Plans as text. A row gives a model ("PROVIDER:NAME", and facts after it, with spaces between;
 * "from=DIALECT" is where the conversation was imported from), messages or a whole conversation in
 * JSON with ' for ", and the plan that must come out, a line a turn:
 *
 *     user: "hello" <image/png>
 *     assistant: thought(hm) "Let me look." call(c1 look)
 *     user: result(c1 look: "done" <application/pdf as document 1>) "And now?"
 *     system: "Be brief."
 *
 * $PNG$ and the like stand for base64, see ../source/files.h. */
#ifndef TESTS_PLAN_SHOW_H
#define TESTS_PLAN_SHOW_H

#include "plan/pairing.h"
#include "plan/plan.h"
#include "plan/words.h"
#include "request/make.h"
#include "source/examine.h"

#include "../source/files.h"

#define DOC(messages) "{'refract':1,'messages':[" messages "]}"
#define USER(words) "{'role':'user','content':'" words "'}"
#define USER_OF(blocks) "{'role':'user','content':[" blocks "]}"
#define SAYS(words) "{'role':'assistant','content':'" words "'}"
#define ASSISTANT(blocks) "{'role':'assistant','content':[" blocks "]}"
#define CALL(id, name) "{'type':'tool_call','id':'" id "','name':'" name "'}"
#define TOOL(id, fields) "{'role':'tool','tool_call_id':'" id "','name':'look'," fields "}"
#define OUTPUT(id, words) TOOL(id, "'output':'" words "'")
#define BLOCKS(id, blocks) TOOL(id, "'content_blocks':[" blocks "]")
#define TEXT(words) "{'type':'text','text':'" words "'}"
#define IMAGE(id) "{'type':'image','id':'" id "','name':'" id ".png','data':'$PNG$'}"
#define PDF(id) "{'type':'document','id':'" id "','name':'" id ".pdf','data':'$PDF$'}"
#define SOUND(id) "{'type':'audio','id':'" id "','name':'" id ".wav','data':'$WAV$'}"
#define NOTES(id) "{'type':'document','id':'" id "','name':'" id ".txt','data':'SGVsbG8sIHdvcmxk'}"

struct shown {
    struct rf_model model;
    struct rf_conversation conversation;
    struct rf_survey survey;
    struct rf_plan plan;
    enum rf_code rc;
    struct rf_err err;
};

static inline void show_model(struct rf_arena *a, const char *text, struct rf_model *m,
                              struct rf_str *from)
{
    struct rf_str rest = rf_str(text), name, provider, fact;
    struct rf_err err;
    rf_str_split(&rest, ' ', &name);
    rf_str_split(&name, ':', &provider);
    if (rf_model_init(m, provider, name, a, &err))
        fail_msg("%s", err.msg);
    while (rf_str_split(&rest, ' ', &fact)) {
        struct rf_str value = fact, set;
        rf_str_split(&value, '=', &set);
        if (rf_str_is(set, "from"))
            *from = value;
        else if (rf_model_set(m, set, value, RF_FACT_OVERRIDE, &err))
            fail_msg("%s", err.msg);
    }
}

/* Take a conversation through both steps. */
static inline struct shown *show_plan(struct rf_arena *a, const char *model, const char *doc,
                                      bool strict)
{
    struct shown *s = RF_NEW(a, struct shown);
    const struct rf_asset_place place = { .root = "" };
    const struct rf_plan_options options = { .strict = strict };
    struct rf_str from = RF_STR("");
    show_model(a, model, &s->model, &from);
    if (rf_content_read(filled_in(a, quoted(a, doc).p), a, &s->conversation, &s->err))
        fail_msg("%s", s->err.msg);
    s->conversation.dialect = from;
    rf_survey_init(&s->survey, &s->conversation, s->model.caps.dialect, &place, a);
    s->rc = rf_plan_decide(&s->survey, &s->model, &options, a, &s->plan, &s->err);
    for (size_t i = 0; !s->rc && i < s->plan.decision_count; i++)
        if (rf_decision_names_file(&s->plan.decisions[i]))
            s->rc = rf_asset_identify(s->plan.decisions[i].part->asset, a, &s->err);
    if (!s->rc)
        s->rc = rf_plan_lay_out(&s->plan, &s->survey, a, &s->err);
    return s;
}

static inline struct rf_str show_items(struct rf_arena *a, const struct rf_item *items, size_t n);

static inline struct rf_str show_item(struct rf_arena *a, const struct rf_item *i)
{
    switch (i->kind) {
    case RF_ITEM_TEXT:
        return rf_strf(a, "\"%.*s\"", RF_FMT(i->text));
    case RF_ITEM_JSON:
        return rf_strf(a, "%s%.*s", i->json_object ? "" : "json", RF_FMT(i->text));
    case RF_ITEM_MEDIA:
        return rf_strf(a, "<%.*s%s%.*s>", RF_FMT(i->asset->mime), i->label.n ? " as " : "",
                       RF_FMT(i->label));
    case RF_ITEM_TEXT_FILE:
        return rf_strf(a, "file(%.*s%s)", RF_FMT(i->text), i->plain ? " plain" : "");
    case RF_ITEM_THINKING:
        return rf_strf(a, "thought(%.*s)", RF_FMT(i->block->thinking.text));
    case RF_ITEM_OPAQUE:
        return rf_strf(a, "opaque(%.*s)", RF_FMT(i->block->dialect));
    case RF_ITEM_CALL:
        return rf_strf(a, "call(%.*s %.*s%s%.*s)", RF_FMT(i->id), RF_FMT(i->name),
                       i->signature.n ? " " : "", RF_FMT(i->signature));
    case RF_ITEM_RESULT:
        return rf_strf(a, "%s(%.*s %.*s:%.*s)", i->failed ? "failed" : "result", RF_FMT(i->id),
                       RF_FMT(i->name), RF_FMT(show_items(a, i->items, i->count)));
    }
    return RF_STR("?");
}

static inline struct rf_str show_items(struct rf_arena *a, const struct rf_item *items, size_t n)
{
    struct rf_str out = RF_STR("");
    for (size_t i = 0; i < n; i++)
        out = rf_strf(a, "%.*s %.*s", RF_FMT(out), RF_FMT(show_item(a, &items[i])));
    return out;
}

static inline const char *show_speaker(const struct rf_turn *t)
{
    static const char *const speakers[] = { "user", "system", "developer" };
    return t->role == RF_ROLE_USER ? speakers[t->speaker] : "assistant";
}

/* The turns; or "!" and the code, message and hint of the failure. */
static inline struct rf_str show_turns(struct rf_arena *a, const struct shown *s)
{
    struct rf_str out = RF_STR("");
    if (s->rc)
        return rf_strf(a, "!%s: %s|%s", rf_code_name(s->rc), s->err.msg, s->err.hint);
    for (size_t i = 0; i < s->plan.turn_count; i++) {
        const struct rf_turn *t = &s->plan.turns[i];
        out = rf_strf(a, "%.*s%s%s:%.*s", RF_FMT(out), i ? "\n" : "", show_speaker(t),
                      RF_FMT(show_items(a, t->items, t->count)));
    }
    return out;
}

/* What a worker would be asked for the decision, which waits for it. */
static inline struct rf_job asked_job(const struct rf_decision *d, struct rf_arena *a)
{
    const struct rf_recipe recipe = d->examine ? RF_EXAM : d->recipe;
    return (struct rf_job){
        .family = rf_make_family(d->part->asset, recipe.make),
        .ask = rf_recipe_text(&recipe, a),
    };
}

/* A row that most tests of plans consist of. */
struct plan_row {
    const char *name, *model, *messages, *want;
};

static inline void check_plan(void **state)
{
    const struct plan_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const char *doc = rf_strf(a, "{'refract':1,'messages':[%s]}", row->messages).p;
    assert_str(show_turns(a, show_plan(a, row->model, doc, false)), row->want);
    rf_arena_free(a);
}

#endif
