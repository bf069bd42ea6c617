/* What a chat request says that the neutral format cannot: kept under "extra", by the name of the
 * dialect, with the shape that it had on the wire. Nulls say nothing and are not kept. Most parts
 * of a request have nothing to keep, so that is found out before anything is written. */
#include "wire/chat/parse.h"

#include <string.h>

/* Known paths: "name" on the level above, "member.name" on the one below. */

static bool is_known(struct rf_str key, struct rf_str inside, const char *const *known)
{
    for (; *known; known++) {
        struct rf_str name = rf_str(*known), outer = { 0 };
        if (memchr(name.p, '.', name.n))
            rf_str_split(&name, '.', &outer);
        if (rf_str_eq(outer, inside) && rf_str_eq(name, key))
            return true;
    }
    return false;
}

/* Is something in the member of that name known, so that it must be looked into? */
static bool is_opened(struct rf_str key, const char *const *known)
{
    for (; *known; known++)
        if (strlen(*known) > key.n && (*known)[key.n] == '.' && memcmp(*known, key.p, key.n) == 0)
            return true;
    return false;
}

/* Write the members that are not known, or only count them where `w` is NULL. */
static size_t rest(struct rf_json *w, const struct rf_jval *object, struct rf_str inside,
                   const char *const *known, struct rf_arena *a)
{
    size_t kept = 0;
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1)) {
        struct rf_str key = rf_jval_text(k, a);
        bool opened = !inside.n && k[1].type == RF_JOBJECT && is_opened(key, known);
        if (k[1].type == RF_JNULL || is_known(key, inside, known) ||
            (opened && !rest(NULL, k + 1, key, known, a)))
            continue;
        kept++;
        if (!w)
            continue;
        rf_json_key(w, key);
        if (opened) {
            rf_json_obj(w, NULL);
            rest(w, k + 1, key, known, a);
            rf_json_end(w);
        } else {
            rf_json_value(w, NULL, k + 1);
        }
    }
    return kept;
}

struct aside {
    struct rf_rope rope;
    struct rf_json w;
    unsigned open;
};

static void begin(struct aside *x, struct rf_completion_parse *p, const char *dialect)
{
    rf_rope_init(&x->rope, p->arena);
    rf_json_init(&x->w, &x->rope);
    rf_json_obj(&x->w, NULL);
    rf_json_obj(&x->w, "extra");
    x->open = dialect ? 3 : 2;
    if (dialect)
        rf_json_obj(&x->w, dialect);
}

static const struct rf_jval *end(struct aside *x, struct rf_completion_parse *p)
{
    while (x->open--)
        rf_json_end(&x->w);
    return rf_aside_made(&x->w, p->arena);
}

static const struct rf_jval *extra(struct rf_completion_parse *p, const struct rf_jval *object,
                                   const char *const *known, const char *dialect)
{
    struct aside x;
    if (!object || object->type != RF_JOBJECT || !rest(NULL, object, RF_STR(""), known, p->arena))
        return NULL;
    begin(&x, p, dialect);
    rest(&x.w, object, RF_STR(""), known, p->arena);
    return end(&x, p);
}

const struct rf_jval *rf_completion_parse_extra(struct rf_completion_parse *p,
                                                const struct rf_jval *object,
                                                const char *const *known)
{
    return extra(p, object, known, p->b->dialect);
}

const struct rf_jval *rf_completion_parse_extra_flat(struct rf_completion_parse *p,
                                                     const struct rf_jval *object,
                                                     const char *const *known)
{
    return extra(p, object, known, NULL);
}

static void write_kept(struct rf_json *w, const char *key, const struct rf_completion_kept *kept)
{
    if (!kept->count)
        return;
    rf_json_arr(w, key);
    for (size_t i = 0; i < kept->count; i++) {
        rf_json_obj(w, NULL);
        rf_json_int(w, "index", (int64_t)kept->list[i].index);
        rf_json_value(w, "value", kept->list[i].value);
        rf_json_end(w);
    }
    rf_json_end(w);
}

const struct rf_jval *rf_completion_parse_rest(struct rf_completion_parse *p,
                                               const struct rf_jval *body)
{
    struct aside x;
    if (!rest(NULL, body, RF_STR(""), p->known, p->arena) && !p->says_more && !p->tools.count)
        return NULL;
    begin(&x, p, p->b->dialect);
    rest(&x.w, body, RF_STR(""), p->known, p->arena);
    if (p->says_more)
        write_kept(&x.w, "system", &p->prompts);
    write_kept(&x.w, "tools", &p->tools);
    return end(&x, p);
}

void rf_completion_parse_strange(struct rf_completion_parse *p, const struct rf_jval *part)
{
    rf_build_opaque(p->b, part);
}
