/* Keeping aside what only one dialect can say. Objects and lists are opened when the first thing
 * comes, so that nothing empty is kept. It refuses to look at what it keeps. */
#include "wire/aside.h"

#include "base/arena.h"

#define LEVELS_ADDED 8 /* at most, by what is written around a value that is kept */

void rf_aside_init(struct rf_aside *s, struct rf_builder *b)
{
    *s = (struct rf_aside){ .builder = b };
    rf_rope_init(&s->rope, b->arena);
    rf_json_init(&s->w, &s->rope);
}

static void end_list(struct rf_aside *s)
{
    if (s->list)
        rf_json_end(&s->w);
    s->list = NULL;
}

/* Make ready for a member. */
static struct rf_json *member(struct rf_aside *s)
{
    end_list(s);
    if (!s->has_any) {
        rf_json_obj(&s->w, NULL);
        rf_json_obj(&s->w, "extra");
        rf_json_obj(&s->w, s->builder->dialect);
    }
    if (s->group && !s->in_group) {
        rf_json_obj(&s->w, s->group);
        s->in_group = true;
    }
    s->has_any = true;
    return &s->w;
}

void rf_aside_put(struct rf_aside *s, const char *name, const struct rf_jval *v)
{
    if (v && v->type != RF_JNULL)
        rf_json_value(member(s), name, v);
}

void rf_aside_put_key(struct rf_aside *s, const struct rf_jval *key)
{
    if (key[1].type == RF_JNULL)
        return;
    rf_json_key(member(s), rf_jval_text(key, s->builder->arena));
    rf_json_value(&s->w, NULL, key + 1);
}

void rf_aside_place(struct rf_aside *s, const char *name, size_t index, const struct rf_jval *v)
{
    if (v->type == RF_JNULL)
        return;
    if (!s->list || strcmp(s->list, name) != 0)
        rf_json_arr(member(s), name);
    s->list = name;
    rf_json_obj(&s->w, NULL);
    rf_json_int(&s->w, "index", (int64_t)index);
    rf_json_value(&s->w, "value", v);
    rf_json_end(&s->w);
}

void rf_aside_open(struct rf_aside *s, const char *name)
{
    end_list(s);
    s->group = name;
}

void rf_aside_close(struct rf_aside *s)
{
    end_list(s);
    if (s->in_group)
        rf_json_end(&s->w);
    s->group = NULL;
    s->in_group = false;
}

void rf_aside_rest(struct rf_aside *s, const struct rf_jval *object, const char *const *known)
{
    if (!object || object->type != RF_JOBJECT)
        return;
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1))
        if (!rf_jval_is_any(k, known))
            rf_aside_put_key(s, k);
}

const struct rf_jval *rf_aside_made(struct rf_json *w, struct rf_arena *a)
{
    struct rf_str text;
    const struct rf_jval *v;
    if (rf_json_finish(w, NULL) || rf_rope_flatten(w->rope, SIZE_MAX, a, &text, NULL) ||
        rf_jval_parse(text, a, &v, NULL))
        RF_BUG("JSON in memory could not be written");
    return v;
}

const struct rf_jval *rf_aside_done(struct rf_aside *s)
{
    if (!s->has_any)
        return NULL;
    rf_aside_close(s);
    rf_json_end(&s->w);
    rf_json_end(&s->w);
    rf_json_end(&s->w);
    return rf_aside_made(&s->w, s->builder->arena);
}

void rf_texts_add(struct rf_texts *t, struct rf_str text, struct rf_arena *a)
{
    if (text.n)
        *RF_PUSH(a, t->list, t->count, t->cap) = text;
}

struct rf_str rf_texts_join(const struct rf_texts *t, struct rf_str between, struct rf_arena *a)
{
    size_t n = 0;
    if (t->count <= 1)
        return t->count ? t->list[0] : RF_STR("");
    for (size_t i = 0; i < t->count; i++)
        n += t->list[i].n + between.n;
    char *p = rf_arena_alloc(a, n), *end = p;
    for (size_t i = 0; i < t->count; i++) {
        memcpy(end, between.p, i ? between.n : 0);
        end += i ? between.n : 0;
        memcpy(end, t->list[i].p, t->list[i].n);
        end += t->list[i].n;
    }
    return (struct rf_str){ p, (size_t)(end - p) };
}

const struct rf_jval *rf_aside_strings(const struct rf_texts *t, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_arr(&w, NULL);
    for (size_t i = 0; i < t->count; i++)
        rf_json_str(&w, NULL, t->list[i]);
    rf_json_end(&w);
    return rf_aside_made(&w, a);
}

bool rf_aside_is_strings(const struct rf_jval *v)
{
    if (!v || v->type != RF_JARRAY)
        return false;
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
        if (e->type != RF_JSTRING)
            return false;
    return true;
}

void rf_aside_unthinking(struct rf_options *o)
{
    o->thinking = NULL;
    o->thinking_off = true;
    o->thinking_level = RF_STR("");
    o->thinking_budget = 0;
}

bool rf_aside_effort(struct rf_str word, struct rf_options *o)
{
    static const struct {
        const char *word;
        struct rf_str level;
    } efforts[] = {
        { "minimal", RF_STR_INIT("low") },
        { "low", RF_STR_INIT("low") },
        { "medium", RF_STR_INIT("medium") },
        { "high", RF_STR_INIT("high") },
    };
    bool none = rf_str_ieq(word, RF_STR("none"));
    if (none)
        rf_aside_unthinking(o);
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        if (!rf_str_ieq(word, rf_str(efforts[i].word)))
            continue;
        o->thinking_level = efforts[i].level;
        o->thinking_off = false;
        return true;
    }
    return none;
}

bool rf_aside_is_most(struct rf_str word)
{
    return rf_str_is(word, "xhigh") || rf_str_is(word, "max");
}

enum rf_code rf_aside_check(const struct rf_jval *body, struct rf_err *err)
{
    if (!rf_jval_deeper(body, RF_MAX_JSON_DEPTH - LEVELS_ADDED))
        return RF_OK;
    return rf_fail(err, RF_ELIMIT, "the request is nested more than %d deep",
                   RF_MAX_JSON_DEPTH - LEVELS_ADDED);
}
