#include "plan/cache.h"

#define MOST_MARKS 4 /* in a request, those of the system prompt and the tools included */

/* The marks in a value as it was read: every name in it is a string of the run. */
static int count_marks(const struct rf_jval *v)
{
    int count = 0;
    for (size_t i = 0; v && i < v->span; i++)
        count += v[i].type == RF_JSTRING &&
                 (rf_jval_is(&v[i], "cache_control") || rf_jval_is(&v[i], "cachePoint"));
    return count;
}

/* `extra` is what was kept aside. */
static bool holds_mark(const struct rf_jval *extra)
{
    return count_marks(extra ? rf_jval_get(extra, "extra") : NULL) > 0;
}

/* Whichever API the conversation came from: its system prompt is kept under that name. */
static bool marked_system(const struct rf_conversation *c)
{
    const struct rf_jval *kept = c->extra ? rf_jval_get(c->extra, "extra") : NULL;
    if (!kept || kept->type != RF_JOBJECT)
        return false;
    for (const struct rf_jval *k = rf_jval_first(kept); k; k = rf_jval_next(kept, k + 1))
        if (count_marks(rf_jval_get(k + 1, "system")))
            return true;
    return false;
}

/* Marks that go back as they came, on the body and on the tools that a provider runs itself. */
static int kept_marks(const struct rf_plan *p)
{
    return count_marks(p->server_tools) + (rf_jval_get(p->kept, "cache_control") != NULL);
}

const struct rf_jval *rf_cache_own(const struct rf_jval *own)
{
    return rf_jval_get(own, "cache_control");
}

bool rf_cache_marked(const struct rf_message *m)
{
    for (size_t i = 0; i < m->block_count; i++)
        if (holds_mark(m->blocks[i].extra))
            return true;
    return holds_mark(m->extra);
}

static int marked_tools(const struct rf_plan *p)
{
    int count = 0;
    for (size_t i = 0; i < p->tool_count; i++)
        count += holds_mark(p->tools[i].extra);
    return count;
}

/* From the end. Blocks of this API alone keep theirs in any case. */
static void keep_last(struct rf_item *items, size_t count, int *left)
{
    for (size_t i = count; i-- > 0;) {
        struct rf_item *item = &items[i];
        if (item->kind == RF_ITEM_OPAQUE)
            *left -= count_marks(item->block->value);
        item->cache = item->cache && *left > 0;
        *left -= item->cache;
        keep_last(item->items, item->count, left);
    }
}

void rf_plan_cache(struct rf_plan *p)
{
    if (!p->model->caps.cache_marks)
        return;
    int left = MOST_MARKS - kept_marks(p);
    p->cache_system = left > 0 && marked_system(p->conversation);
    int own = count_marks(rf_jval_get(p->kept, "system"));
    left -= own > 1 ? own : p->cache_system;
    int tools = marked_tools(p);
    p->cache_tools = left > 0 && tools;
    left -= p->cache_tools && p->kept ? tools : p->cache_tools;
    for (size_t t = p->turn_count; t-- > 0;)
        keep_last(p->turns[t].items, p->turns[t].count, &left);
}
