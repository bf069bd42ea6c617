/* Calls of a chat completion: tool_calls, whole or in fragments, and the older function_call.
 *
 * A fragment is found again by its index, and where there is none by its id; without both it
 * belongs to the last call, unless it has a name. Ids and names may come late, or again with every
 * fragment. An index that is used again with another id and a name begins another call: some count
 * no calls at all. Ids that were not given stay empty: the planner makes them. */
#include "base/arena.h"
#include "wire/chat/reply.h"

struct fragment {
    int64_t index; /* -1: not told */
    struct rf_str id, name;
    const struct rf_jval *arguments;
};

static bool belongs(const struct rf_completion_call *call, const struct fragment *f)
{
    const struct rf_draft *d = call->draft;
    bool both = f->id.n && d->id.n, same = rf_str_eq(f->id, d->id);
    if (f->index >= 0)
        return f->index == call->index && !(both && !same && f->name.n);
    return both ? same : !(f->name.n && d->name.n);
}

static struct rf_draft *draft_of(struct rf_reply *r, const struct fragment *f)
{
    struct rf_completion_state *c = rf_completion_state(r);
    if (!c->whole)
        for (size_t i = c->call_count; i-- > 0;)
            if (belongs(&c->calls[i], f))
                return c->calls[i].draft;
    int64_t number = RF_COMPLETION_CALLS + (int64_t)c->call_count;
    struct rf_draft *d = rf_reply_block(r, number, RF_BLOCK_TOOL_CALL);
    *RF_PUSH(r->arena, c->calls, c->call_count, c->call_cap) =
        (struct rf_completion_call){ f->index, d };
    return d;
}

/* A name comes once, again and again, or, by the letter of the protocol, in pieces. */
static void add_name(struct rf_reply *r, struct rf_draft *d, struct rf_str name)
{
    if (name.n && !d->arguments.n && !rf_str_eq(name, d->name))
        d->name = rf_str_join(r->arena, d->name, name);
}

static void take(struct rf_reply *r, struct rf_draft *d, const struct fragment *f)
{
    rf_completion_end_thoughts(r);
    if (!d->id.n && f->id.n)
        d->id = rf_str_dup(r->arena, f->id);
    add_name(r, d, f->name);
    if (f->arguments && f->arguments->type == RF_JSTRING)
        rf_draft_arguments(r, d, rf_reply_text(r, f->arguments));
    else if (f->arguments && f->arguments->type == RF_JOBJECT && !d->arguments.n)
        rf_draft_arguments(r, d, rf_jval_compact(f->arguments, r->scratch));
}

/* An opaque mark that must come back with the call, where it came through such an API. */
static void signature(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *call)
{
    const struct rf_jval *extra = rf_jval_get(call, "extra_content");
    const struct rf_jval *google = rf_jval_get(extra, "google");
    if (!d->signature.n)
        rf_draft_signature(r, d, rf_reply_text(r, rf_jval_get(google, "thought_signature")));
}

/* Members that have no field, once. */
static void keep(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *call, bool custom)
{
    if (d->extra.n)
        return;
    if (custom)
        rf_reply_keep(r, d, "type", rf_jval_get(call, "type"));
    rf_reply_keep(r, d, "extra_content", rf_jval_get(call, "extra_content"));
    rf_reply_keep(r, d, "provider_specific_fields", rf_jval_get(call, "provider_specific_fields"));
}

static void tool_call(struct rf_reply *r, const struct rf_jval *call)
{
    const struct rf_jval *type = rf_jval_get(call, "type"), *index = rf_jval_get(call, "index");
    bool custom = type && rf_jval_is(type, "custom");
    const struct rf_jval *function = rf_jval_get(call, custom ? "custom" : "function");
    struct fragment f = {
        .index = rf_reply_count(index) < 0 ? -1 : rf_reply_count(index),
        .id = rf_reply_text(r, rf_jval_get(call, "id")),
        .name = rf_reply_text(r, rf_jval_get(function, "name")),
        .arguments = rf_jval_get(function, custom ? "input" : "arguments"),
    };
    if (rf_str_is(f.id, "null"))
        f.id = RF_STR("");
    struct rf_draft *d = draft_of(r, &f);
    signature(r, d, call);
    keep(r, d, call, custom);
    take(r, d, &f);
}

/* There is one at most, and it has no id. Some send it empty. */
static void function_call(struct rf_reply *r, const struct rf_jval *call)
{
    struct fragment f = {
        .index = 0,
        .name = rf_reply_text(r, rf_jval_get(call, "name")),
        .arguments = rf_jval_get(call, "arguments"),
    };
    if (f.name.n || rf_reply_text(r, f.arguments).n)
        take(r, draft_of(r, &f), &f);
}

void rf_completion_calls(struct rf_reply *r, const struct rf_jval *message)
{
    const struct rf_jval *list = rf_completion_list(rf_jval_get(message, "tool_calls"));
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        if (v->type == RF_JOBJECT)
            tool_call(r, v);
    if (!list->count)
        function_call(r, rf_jval_get(message, "function_call"));
}
