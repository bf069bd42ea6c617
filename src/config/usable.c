#include "config/usable.h"

#include "base/arena.h"
#include "config/model_open.h"
#include "config/names.h"
#include "config/usual.h"

#include <stdlib.h>

static const struct {
    enum rf_kind kind;
    enum rf_takes takes;
} kinds[] = {
    { RF_KIND_IMAGE, RF_TAKES_IMAGES },  { RF_KIND_PDF, RF_TAKES_PDF },
    { RF_KIND_OFFICE, RF_TAKES_OFFICE }, { RF_KIND_AUDIO, RF_TAKES_AUDIO },
    { RF_KIND_VIDEO, RF_TAKES_VIDEO },
};

static unsigned takes_of(const struct rf_caps *c)
{
    unsigned takes = c->tools ? RF_TAKES_TOOLS : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        takes |= c->takes[kinds[i].kind] && c->user[kinds[i].kind].n ? kinds[i].takes : 0;
    return takes;
}

static enum rf_code add_model(struct rf_models *all, const struct rf_known *k,
                              const struct rf_listed *listed, struct rf_err *err)
{
    struct rf_arena *scratch = rf_arena_new(), *a = all->arena;
    struct rf_str provider = rf_str(k->list.row->provider);
    struct rf_model m;
    enum rf_code rc = rf_known_open(k, listed->name, scratch, &m, err);
    if (!rc)
        *RF_PUSH(a, all->models, all->count, all->cap) = (struct rf_usable){
            .size = sizeof(struct rf_usable),
            .name = rf_model_is_provider(listed->name)
                        ? listed->name
                        : rf_strf(a, "%.*s:%.*s", RF_FMT(provider), RF_FMT(listed->name)),
            .provider = provider,
            .model = listed->name,
            .takes = listed->purpose.n ? 0 : takes_of(&m.caps),
            .context_tokens = m.caps.context_tokens,
            .price_input = m.caps.price_input,
            .price_output = m.caps.price_output,
            .purpose = listed->purpose,
            .ends = rf_model_ends(&m),
            .created = listed->created,
        };
    rf_arena_free(scratch);
    return rc;
}

static int newest_first(const void *a, const void *b)
{
    const struct rf_listed *const *x = a, *const *y = b;
    if ((*x)->created != (*y)->created)
        return (*x)->created > (*y)->created ? -1 : 1;
    return (*x > *y) - (*x < *y); /* as the list has them */
}

static enum rf_code add_list(struct rf_models *all, const struct rf_known *k, struct rf_err *err)
{
    size_t count = k->list.count;
    const struct rf_listed **order = RF_ARRAY(all->arena, const struct rf_listed *, count + 1);
    enum rf_code rc = RF_OK;
    for (size_t i = 0; i < count; i++)
        order[i] = &k->list.models[i];
    if (count)
        qsort(order, count, sizeof *order, newest_first);
    for (size_t i = 0; !rc && i < count; i++)
        rc = add_model(all, k, order[i], err);
    return rc;
}

struct rf_models *rf_models_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_models *m = RF_NEW(a, struct rf_models);
    m->arena = a;
    return m;
}

static const struct rf_err *why_cut(const struct rf_list *list, struct rf_arena *a)
{
    struct rf_err *why = list->cut ? RF_NEW(a, struct rf_err) : NULL;
    if (why) {
        rf_fail(why, RF_ELIMIT, "only the first %zu models were taken: the list is too long",
                list->count);
        rf_hint(why, "Name another one in full, as in %s:MODEL.", list->row->provider);
    }
    return why;
}

enum rf_code rf_models_fill(struct rf_models *m, const struct rf_config *config,
                            const struct rf_gathered *lists, size_t count, struct rf_err *err)
{
    struct rf_known k;
    enum rf_code rc = rf_known_load(&k, config, m->arena, err);
    for (size_t i = 0; !rc && i < count; i++) {
        *RF_PUSH(m->arena, m->providers, m->provider_count, m->provider_cap) =
            (struct rf_listed_provider){
                .size = sizeof(struct rf_listed_provider),
                .provider = rf_str(lists[i].list.row->provider),
                .state = lists[i].state,
                .fetched = lists[i].list.fetched,
                .why = lists[i].why ? lists[i].why : why_cut(&lists[i].list, m->arena),
            };
        k.list = lists[i].list;
        rc = add_list(m, &k, err);
    }
    return rc;
}

size_t rf_models_rows(struct rf_models *m, struct rf_gathered **out)
{
    struct rf_gathered *lists = RF_ARRAY(m->arena, struct rf_gathered, rf_provider_row_count);
    size_t count = 0;
    for (size_t i = 0; i < rf_provider_row_count; i++) {
        const struct rf_provider_row *row = &rf_provider_rows[i];
        struct rf_str own = rf_str(row->provider);
        struct rf_list *list = &lists[count].list;
        *list = (struct rf_list){ .row = row };
        if (!row->lists && rf_model_is_provider(own))
            rf_list_add(list, &(struct rf_listed){ .name = own }, m->arena);
        lists[count].state = RF_LIST_KEPT;
        count += row->lists || list->count;
    }
    *out = lists;
    return count;
}

static bool recall(const struct rf_config *c, struct rf_gathered *g, struct rf_arena *a)
{
    struct rf_list *list = &g->list;
    const struct rf_provider_row *row = list->row;
    if (!row->lists || rf_list_recall(c, row, a, list))
        return true;
    if (!rf_usual_has_key(c, row->provider))
        return false;
    g->state = RF_LIST_WELL_KNOWN;
    rf_list_add_known(list, a);
    return true;
}

enum rf_code rf_models_open(const struct rf_config *config, struct rf_models **out,
                            struct rf_err *err)
{
    struct rf_models *m = rf_models_new();
    struct rf_gathered *lists;
    size_t rows = rf_models_rows(m, &lists), count = 0;
    for (size_t i = 0; i < rows; i++)
        if (recall(config, &lists[i], m->arena))
            lists[count++] = lists[i];
    enum rf_code rc = rf_models_fill(m, config, lists, count, err);
    if (rc)
        rf_models_close(m);
    else
        *out = m;
    return rc;
}

bool rf_models_stale(const struct rf_models *m)
{
    for (size_t i = 0; i < m->provider_count; i++)
        if (rf_provider_row(m->providers[i].provider)->lists &&
            !rf_list_is_fresh(m->providers[i].fetched))
            return true;
    return false;
}

void rf_models_close(struct rf_models *m)
{
    if (m)
        rf_arena_free(m->arena);
}

size_t rf_models_count(const struct rf_models *m)
{
    return m->count;
}

const struct rf_usable *rf_models_get(const struct rf_models *m, size_t i)
{
    return i < m->count ? &m->models[i] : NULL;
}

size_t rf_models_provider_count(const struct rf_models *m)
{
    return m->provider_count;
}

const struct rf_listed_provider *rf_models_provider(const struct rf_models *m, size_t i)
{
    return i < m->provider_count ? &m->providers[i] : NULL;
}
