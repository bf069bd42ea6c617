#include "plan/cache.h"

#define MOST_MARKS 4 /* in a request, those of the system prompt and the tools included */

/* `extra` is what was kept aside, a value as it was read: every name in it is a string of the run. */
static bool holds_mark(const struct rf_jval *extra)
{
    const struct rf_jval *kept = extra ? rf_jval_get(extra, "extra") : NULL;
    for (size_t i = 0; kept && i < kept->span; i++)
        if (kept[i].type == RF_JSTRING &&
            (rf_jval_is(&kept[i], "cache_control") || rf_jval_is(&kept[i], "cachePoint")))
            return true;
    return false;
}

bool rf_cache_marked(const struct rf_message *m)
{
    for (size_t i = 0; i < m->block_count; i++)
        if (holds_mark(m->blocks[i].extra))
            return true;
    return holds_mark(m->extra);
}

static bool marked_tools(const struct rf_plan *p)
{
    for (size_t i = 0; i < p->tool_count; i++)
        if (holds_mark(p->tools[i].extra))
            return true;
    return false;
}

void rf_plan_cache(struct rf_plan *p)
{
    if (!p->model->caps.cache_marks)
        return;
    p->cache_system = holds_mark(p->conversation->extra);
    p->cache_tools = marked_tools(p);
    int left = MOST_MARKS - p->cache_system - p->cache_tools;
    for (size_t t = p->turn_count; t-- > 0;) {
        for (size_t i = p->turns[t].count; i-- > 0;) {
            struct rf_item *item = &p->turns[t].items[i];
            item->cache = item->cache && left > 0;
            left -= item->cache;
        }
    }
}
