#include "request/pass.h"

#include "base/arena.h"
#include "base/json_escape.h"
#include "wire/wire.h"

/* Is it unchanged? */

/* Its bytes are what the client says that they are: APIs that believe the label refuse it
 * otherwise, as they do most of the other names that a type goes by. */
static bool is_labelled(const struct rf_asset *f)
{
    struct rf_str rest = f->block->media.media_type, label;
    if (f->state != RF_ASSET_BYTES || !rest.n)
        return true;
    rf_str_split(&rest, ';', &label);
    return rf_str_ieq(rf_str_trim(label), f->mime);
}

/* A text that the API takes as a text stays one; every other file is sent as itself, unless a data
 * URL has it in another form than base64. */
static bool goes_as_given(const struct rf_decision *d)
{
    const struct rf_asset *f = d->part->asset;
    const struct rf_block *block = f->block;
    bool spelled_out = f->state == RF_ASSET_BYTES && block->media.source.kind == RF_SOURCE_URL;
    if (d->part->found_in || d->recipe.make || spelled_out)
        return false;
    if (d->inlined)
        return block->media.source.kind == RF_SOURCE_BYTES && !f->text_with_files.n;
    return d->delivery == RF_DELIVERY_NATIVE && d->form == RF_FORM_ORIGINAL &&
           block->type == rf_block_type_for(f->kind) && is_labelled(f);
}

/* What is not a thought of this model goes no further, though a gateway gave it its client to keep.
 * An API that has no place for thoughts does not look at them. */
static bool is_own_thought(const struct rf_plan *p, const struct rf_message *m,
                           const struct rf_block *b)
{
    return p->model->caps.replay == RF_REPLAY_NONE ? rf_plan_came_from_here(p, m)
                                                   : rf_plan_thought_goes_back(p, m, b);
}

static bool is_own(const struct rf_plan *p, const struct rf_message *m, const struct rf_part *part)
{
    const struct rf_block *b = part->block;
    switch (part->kind) {
    case RF_PART_THINKING:
        return is_own_thought(p, m, b);
    case RF_PART_TEXT: /* a file that hides in an answer was taken out */
        return !b || part->text.p == b->text.p;
    case RF_PART_JSON:
    case RF_PART_MEDIA:
    case RF_PART_CALL:
    case RF_PART_OPAQUE:
        return true;
    }
    return true;
}

/* What is under a seal goes to nobody as it is. */
static bool is_own_message(const struct rf_plan *p, const struct rf_surveyed *m)
{
    if (m->message->sealed)
        return false;
    for (size_t i = 0; i < m->count; i++)
        if (!is_own(p, m->message, &m->parts[i]))
            return false;
    return true;
}

/* Calls of another model may have ids that the API does not take, and lack a mark that it wants. */
static bool takes_calls(const struct rf_turn *turn)
{
    for (size_t i = 0; i < turn->count; i++) {
        const struct rf_item *item = &turn->items[i];
        if (item->kind != RF_ITEM_CALL)
            continue;
        const struct rf_tool_call *call = &item->block->call;
        if ((item->signature.n && !call->signature.n) ||
            (call->id.n && !rf_str_eq(item->id, call->id)))
            return false;
    }
    return true;
}

bool rf_pass_fits(const struct rf_request *r)
{
    const struct rf_plan *p = &r->plan;
    for (size_t i = 0; i < p->decision_count; i++)
        if (!goes_as_given(&p->decisions[i]))
            return false;
    for (size_t i = 0; i < r->survey.count; i++)
        if (!is_own_message(p, &r->survey.messages[i]))
            return false;
    for (size_t i = 0; i < p->turn_count; i++)
        if (!takes_calls(&p->turns[i]))
            return false;
    return true;
}

/* The body */

static struct rf_str quoted(const char *prefix, struct rf_str name, struct rf_arena *a)
{
    char *text = rf_arena_alloc(a, RF_JSON_MOST_ESCAPED * name.n);
    size_t n = rf_json_escape(name, text);
    return rf_strf(a, "\"%s%.*s\"", prefix, (int)n, text);
}

/* All that stands in the text for a value, the quotes of a string included. */
static struct rf_str spelled(const struct rf_jval *v)
{
    size_t quote = v->type == RF_JSTRING;
    return (struct rf_str){ v->raw.p - quote, v->raw.n + 2 * quote };
}

/* Those of an object, or of each in a list, and of what stands in the member `*deeper` of it. A
 * model that is named twice is named twice here: whoever reads the last of them gets no other one
 * than whoever reads the first. */
static void find_named(const struct rf_jval *v, const char *const *deeper, struct rf_arena *a,
                       struct rf_pass_named *out)
{
    if (v->type == RF_JARRAY)
        for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
            find_named(e, deeper, a, out);
    if (v->type != RF_JOBJECT)
        return;
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
        if (rf_jval_is(k, "model"))
            *RF_PUSH(a, out->values, out->count, out->cap) = k + 1;
        else if (*deeper && rf_jval_is(k, *deeper))
            find_named(k + 1, deeper + 1, a, out);
}

void rf_pass_find_named(const struct rf_jval *body, struct rf_arena *a, struct rf_pass_named *out)
{
    static const char *const batches[] = { "requests", "params", NULL };
    *out = (struct rf_pass_named){ 0 };
    if (body)
        find_named(body, batches, a, out);
}

/* The body with this name in the place of those. */
static const char *rename_all(struct rf_rope *to, const char *from, const struct rf_pass_named *all,
                              struct rf_str name)
{
    for (size_t i = 0; i < all->count; i++) {
        struct rf_str old = spelled(all->values[i]);
        rf_rope_text(to, (struct rf_str){ from, (size_t)(old.p - from) });
        rf_rope_text(to, name);
        from = old.p + old.n;
    }
    return from;
}

static void write_body(struct rf_rope *to, const struct rf_given_body *given, struct rf_str name,
                       bool needed)
{
    const struct rf_jval *body = given->value;
    static const char *const no_deeper[] = { NULL };
    struct rf_pass_named named = { 0 };
    find_named(body, no_deeper, to->arena, &named);
    const char *from = rename_all(to, given->text.p, &named, name);
    const char *end = given->text.p + given->text.n;
    if (needed && !named.count) {
        const char *inside = memchr(from, '{', (size_t)(end - from));
        rf_rope_text(to, (struct rf_str){ from, (size_t)(inside + 1 - from) });
        rf_rope_text(to,
                     rf_strf(to->arena, "\"model\":%.*s%s", RF_FMT(name), body->count ? "," : ""));
        from = inside + 1;
    }
    rf_rope_text(to, (struct rf_str){ from, (size_t)(end - from) });
}

/* What the API puts before a model's name; empty where the path does not have it. */
static const char *prefix_of(const struct rf_model *m)
{
    const struct rf_dialect *d = rf_dialect_find(m->caps.dialect);
    return d && d->model_in_path ? d->model_in_path : "";
}

void rf_pass_write(struct rf_request *r, const struct rf_given_body *given)
{
    const struct rf_model *m = r->plan.model;
    const char *prefix = prefix_of(m);
    r->given = given;
    rf_rope_init(&r->body, r->arena);
    write_body(&r->body, given, quoted(prefix, m->name, r->arena), !prefix[0]);
}

static struct rf_request *new_unread(const struct rf_model *m)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_request *r = RF_NEW(a, struct rf_request);
    r->arena = a;
    r->plan.conversation = RF_NEW(a, struct rf_conversation);
    r->plan.model = m;
    return r;
}

struct rf_request *rf_pass_unread(const struct rf_given_body *given, const struct rf_model *m,
                                  bool stream)
{
    struct rf_request *r = new_unread(m);
    r->plan.stream = stream;
    rf_pass_write(r, given);
    return r;
}

struct rf_request *rf_pass_other(const struct rf_given_body *given,
                                 const struct rf_pass_named *named, const struct rf_model *m)
{
    struct rf_request *r = new_unread(m);
    struct rf_str name = quoted(prefix_of(m), m->name, r->arena);
    r->given = given;
    rf_rope_init(&r->body, r->arena);
    const char *from = rename_all(&r->body, given->text.p, named, name);
    rf_rope_text(&r->body, (struct rf_str){ from, given->text.n - (size_t)(from - given->text.p) });
    return r;
}

/* Where the files are in it */

struct walk {
    struct rf_request *request;
    struct rf_json_mark at; /* the way to the value that is looked at */
    struct rf_json_mark *marks;
    size_t count, cap;
};

/* Where the client's bytes of a file begin, or those of what names it. */
static const char *place_of(const struct rf_asset *f)
{
    return f->state == RF_ASSET_BYTES ? f->bytes.text.p : f->ref.p;
}

static void mark_string(struct walk *w, const struct rf_jval *v)
{
    const struct rf_plan *p = &w->request->plan;
    uintptr_t begin = (uintptr_t)v->raw.p;
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_asset *f = p->decisions[i].part->asset;
        uintptr_t at = (uintptr_t)place_of(f);
        if (at < begin || at >= begin + v->raw.n)
            continue;
        struct rf_json_mark *m = RF_PUSH(w->request->arena, w->marks, w->count, w->cap);
        *m = w->at;
        m->what = f;
    }
}

static void mark_below(struct walk *w, const struct rf_jval *v, struct rf_str key);

static void mark_list(struct walk *w, const struct rf_jval *list, struct rf_str key)
{
    size_t level = w->at.count, index = 0;
    if (level == RF_JSON_STEPS)
        return;
    w->at.count++;
    for (const struct rf_jval *e = rf_jval_first(list); e; e = rf_jval_next(list, e)) {
        w->at.steps[level] = (struct rf_json_step){ key, index++ };
        mark_below(w, e, key);
    }
    w->at.count = level;
}

/* As deep as JSON may be that was read. */
static void mark_below(struct walk *w, const struct rf_jval *v, struct rf_str key)
{
    if (v->type == RF_JSTRING)
        mark_string(w, v);
    else if (v->type == RF_JARRAY)
        mark_list(w, v, key);
    else if (v->type == RF_JOBJECT)
        for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
            mark_below(w, k + 1, k->raw);
}

void rf_pass_mark(struct rf_request *r)
{
    struct walk w = { .request = r };
    if (!r->given || r->marks)
        return;
    mark_below(&w, r->given->value, RF_STR(""));
    r->marks = w.marks;
    r->mark_count = w.count;
}
