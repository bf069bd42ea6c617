/* A reply as it is kept: the caller's names for tools, an id for each call that no other call of
 * this reply has, and of a reply that was cut only what is whole. Everything else stays as the
 * provider said it. */
#include "agent/agent.h"

#include "base/buf.h"
#include "model/price.h"

#include <inttypes.h>

#define MOST_CALLS 128 /* of one reply; what comes after them is not run, and not kept */

struct taking {
    struct rf_agent *agent;
    struct rf_arena *arena;
    enum rf_agent_whole whole;
    struct rf_agent_reply *reply;
};

static bool is_taken(const struct rf_agent_reply *r, struct rf_str id)
{
    for (size_t i = 0; i < r->call_count; i++)
        if (rf_str_eq(r->calls[i].id, id))
            return true;
    return false;
}

static struct rf_str id_of(struct taking *t, struct rf_str id)
{
    for (int i = 1; !id.n || is_taken(t->reply, id); i++)
        id = rf_strf(t->arena, "call_%zu_%d", t->agent->history.count, i);
    return id;
}

static struct rf_str malformed_in(const struct rf_block *b, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(b->extra, "malformed_arguments");
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

/* False where it is neither kept nor run. */
static bool take_call(struct taking *t, struct rf_block *b)
{
    struct rf_agent_reply *out = t->reply;
    struct rf_request *sent = t->agent->asking.last.request;
    struct rf_agent_call call = {
        .id = id_of(t, b->call.id),
        .name = sent ? rf_request_tool(sent, b->call.name) : b->call.name,
        .arguments = b->call.arguments,
        .text = rf_jval_compact(b->call.arguments, t->arena),
        .malformed = malformed_in(b, t->arena),
    };
    bool whole = call.name.n && !call.malformed.n;
    if (t->whole == RF_REPLY_CUT && !whole)
        return false;
    if (out->call_count == MOST_CALLS) {
        if (!out->left_out++)
            rf_listener_note(&t->agent->listener,
                             "the model called more than %d tools at once: \"%.*s\" was left out, "
                             "and all after it",
                             MOST_CALLS, RF_FMT(call.name));
        return false;
    }
    *RF_PUSH(t->arena, out->calls, out->call_count, out->call_cap) = call;
    b->call.id = call.id;
    b->call.name = call.name;
    return true;
}

/* Of a reply that was cut, what only its provider can read is whole once words or a call stand
 * after it: a search without what it found would be refused. */
static size_t last_whole(const struct rf_message *m, struct rf_arena *a)
{
    size_t last = m->block_count;
    while (last > 0) {
        const struct rf_block *b = &m->blocks[last - 1];
        if ((b->type == RF_BLOCK_TEXT && b->text.n) ||
            (b->type == RF_BLOCK_TOOL_CALL && !malformed_in(b, a).n))
            break;
        last--;
    }
    return last;
}

static void take_blocks(struct taking *t, const struct rf_message *reply)
{
    struct rf_message *m = &t->reply->message;
    size_t last = t->whole == RF_REPLY_CUT ? last_whole(reply, t->arena) : reply->block_count;
    m->blocks = RF_ARRAY(t->arena, struct rf_block, reply->block_count);
    m->block_count = 0;
    for (size_t i = 0; i < reply->block_count; i++) {
        struct rf_block b = reply->blocks[i];
        bool kept =
            b.type == RF_BLOCK_TOOL_CALL ? take_call(t, &b) : b.type != RF_BLOCK_OPAQUE || i < last;
        if (kept)
            m->blocks[m->block_count++] = b;
    }
}

static struct rf_str text_of(const struct rf_message *m, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, SIZE_MAX); /* what was redacted may be longer than what came */
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].type == RF_BLOCK_TEXT)
            rf_buf_add(&b, m->blocks[i].text);
    if (rf_buf_finish(&b, &text, NULL))
        RF_BUG("a reply in memory could not be written");
    return text;
}

/* Routers say what they charge, in dollars. */
static int64_t cost_of(const struct rf_jval *extra)
{
    const struct rf_jval *v = rf_jval_get(extra, "cost");
    int64_t micros;
    return v && v->type == RF_JNUMBER && rf_price_read(v->raw, &micros) ? micros : -1;
}

void rf_agent_reply_take(struct rf_agent *a, const struct rf_message *reply,
                         enum rf_agent_whole whole, struct rf_arena *arena,
                         struct rf_agent_reply *out)
{
    struct taking t = { a, arena, whole, out };
    *out = (struct rf_agent_reply){
        .message = *reply,
        .cost_micros = cost_of(reply->ending->extra),
    };
    take_blocks(&t, reply);
    out->text = text_of(&out->message, arena);
}
