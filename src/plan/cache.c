#include "plan/cache.h"

#include "base/arena.h"
#include "base/buf.h"

#define MOST_MARKS 4 /* in a request, those of the system prompt and the tools included */
#define USUAL_TTL "5m"
#define BETWEEN_TEXTS "\n\n"

/* Every name in a value as it was read is a string of the run, and what it names stands after it.
 */
static bool is_mark(const struct rf_jval *v)
{
    return v->type == RF_JSTRING &&
           (rf_jval_is(v, "cache_control") || rf_jval_is(v, "cachePoint")) &&
           v[1].type == RF_JOBJECT;
}

static int count_marks(const struct rf_jval *v)
{
    int count = 0;
    for (size_t i = 0; v && i + 1 < v->span; i++)
        count += is_mark(&v[i]);
    return count;
}

static const struct rf_jval *first_mark(const struct rf_jval *v)
{
    for (size_t i = 0; v && i + 1 < v->span; i++)
        if (is_mark(&v[i]))
            return &v[i + 1];
    return NULL;
}

const struct rf_jval *rf_cache_mark(const struct rf_jval *extra)
{
    return first_mark(rf_jval_get(extra, "extra"));
}

const struct rf_jval *rf_cache_mark_of(const struct rf_message *m)
{
    const struct rf_jval *mark = rf_cache_mark(m->extra);
    for (size_t i = m->block_count; i-- > 0 && !mark;)
        mark = rf_cache_mark(m->blocks[i].extra);
    return mark;
}

/* Marks that go back as they came, on the body and on the tools that a provider runs itself. */
static int kept_marks(const struct rf_plan *p)
{
    return count_marks(p->server_tools) + (rf_jval_get(p->kept, "cache_control") != NULL);
}

/* The system prompt. */

struct pieces {
    struct rf_arena *arena;
    struct rf_buf said; /* all of them, as the system prompt has them */
    struct rf_plan_prompt *list;
    size_t count, cap;
    const struct rf_jval *mark; /* the last of them */
};

static void add_piece(struct pieces *to, struct rf_str text)
{
    if (!rf_str_blank(text))
        RF_PUSH(to->arena, to->list, to->count, to->cap)->text = text;
}

static void add_text(struct pieces *to, const struct rf_jval *text)
{
    struct rf_str words = rf_jval_text(text, to->arena);
    if (words.n && to->said.n)
        rf_buf_add(&to->said, RF_STR(BETWEEN_TEXTS));
    rf_buf_add(&to->said, words);
    add_piece(to, words);
}

static void add_mark(struct pieces *to, const struct rf_jval *mark)
{
    if (!mark || mark->type != RF_JOBJECT)
        return;
    to->mark = mark;
    if (to->count)
        to->list[to->count - 1].mark = mark;
}

/* Texts, blocks and messages, in lists, or with the places that they had. A mark stands on its
 * block, or after it. */
static void take_pieces(struct pieces *to, const struct rf_jval *v)
{
    const struct rf_jval *text = rf_jval_get(v, "text");
    if (!v)
        return;
    if (v->type == RF_JSTRING)
        add_text(to, v);
    for (const struct rf_jval *e = v->type == RF_JARRAY ? rf_jval_first(v) : NULL; e;
         e = rf_jval_next(v, e))
        take_pieces(to, e);
    take_pieces(to, rf_jval_get(v, "value"));
    take_pieces(to, rf_jval_get(v, "content"));
    if (text && text->type == RF_JSTRING)
        add_text(to, text);
    add_mark(to, rf_jval_get(v, "cache_control"));
    add_mark(to, rf_jval_get(v, "cachePoint"));
}

/* What else the system prompt says stands before and after them, and where it does not have them
 * as they were, the mark stands at its end. */
static void lay_pieces(struct rf_plan *p, const struct pieces *from)
{
    const struct rf_str all = p->conversation->system, said = { from->said.p, from->said.n };
    const char *at = said.n ? memmem(all.p, all.n, said.p, said.n) : NULL;
    struct pieces to = { .arena = from->arena };
    if (!at) {
        add_piece(&to, all);
        add_mark(&to, from->mark);
    } else {
        const struct rf_str front = { all.p, (size_t)(at - all.p) };
        const struct rf_str rest = { at + said.n, all.n - front.n - said.n };
        add_piece(&to, rf_str_trim(front));
        for (size_t i = 0; i < from->count; i++)
            *RF_PUSH(to.arena, to.list, to.count, to.cap) = from->list[i];
        add_piece(&to, rf_str_trim(rest));
    }
    p->prompts = to.list;
    p->prompt_count = to.count;
}

/* Whichever API the conversation came from: its prompts are kept under these names. */
static void set_prompts(struct rf_plan *p, struct rf_arena *a)
{
    static const char *const names[] = { "system", "messages", "system_messages" };
    const struct rf_jval *kept = rf_jval_get(p->conversation->extra, "extra");
    const struct rf_jval *k = kept && kept->type == RF_JOBJECT ? rf_jval_first(kept) : NULL;
    struct pieces pieces = { .arena = a };
    rf_buf_init(&pieces.said, a, SIZE_MAX);
    for (; k; k = rf_jval_next(kept, k + 1))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            take_pieces(&pieces, rf_jval_get(k + 1, names[i]));
    if (pieces.mark)
        lay_pieces(p, &pieces);
}

/* As many of the marks as may be, from the end. */

struct marks {
    const struct rf_caps *caps;
    int left;
    bool shortened; /* one said for how long, and does not any more */
    bool unplaced;  /* one stood on a file, and no text is beside it */
};

/* The mark as it is to be written, or NULL where there may not be another. */
static const struct rf_jval *take_mark(struct marks *m, const struct rf_jval *mark)
{
    static const struct rf_jval plain = { .type = RF_JOBJECT, .span = 1 };
    const struct rf_jval *ttl = rf_jval_get(mark, "ttl");
    if (!mark || m->left <= 0)
        return NULL;
    m->left--;
    if (!ttl || m->caps->cache_ttl)
        return mark;
    m->shortened |= ttl->type != RF_JSTRING || !rf_jval_is(ttl, USUAL_TTL);
    return &plain;
}

static void keep_prompts(struct rf_plan *p, struct marks *m)
{
    for (size_t i = p->prompt_count; i-- > 0;)
        p->prompts[i].mark = take_mark(m, p->prompts[i].mark);
}

static void keep_tools(struct rf_plan *p, struct marks *m, struct rf_arena *a)
{
    p->marks = RF_ARRAY(a, const struct rf_jval *, p->tool_count);
    for (size_t i = p->tool_count; i-- > 0;)
        p->marks[i] = take_mark(m, rf_cache_mark(p->tools[i].extra));
}

/* Blocks of this API alone keep theirs in any case. */
static void keep_last(struct rf_item *items, size_t count, struct marks *m)
{
    for (size_t i = count; i-- > 0;) {
        struct rf_item *item = &items[i];
        if (item->kind == RF_ITEM_OPAQUE)
            m->left -= count_marks(item->block->value);
        if (item->cache)
            item->mark = take_mark(m, item->mark);
        item->cache = item->cache && item->mark;
        keep_last(item->items, item->count, m);
    }
}

/* The mark of a whole request of another client's; it stands for one on the last block. */
static const struct rf_jval *mark_of_all(const struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_conversation *c = p->conversation;
    const struct rf_jval *kept =
        rf_jval_get(rf_jval_get(c->extra, "extra"), rf_cstr(a, c->dialect));
    const struct rf_jval *mark = p->kept ? NULL : rf_jval_get(kept, "cache_control");
    return mark && mark->type == RF_JOBJECT ? mark : NULL;
}

/* Thoughts cannot carry one, and what another API wrote is left as it is. */
static void mark_last(struct rf_plan *p, const struct rf_jval *mark)
{
    for (size_t t = p->turn_count; t-- > 0;) {
        for (size_t i = p->turns[t].count; i-- > 0;) {
            struct rf_item *item = &p->turns[t].items[i];
            if (item->kind == RF_ITEM_THINKING || item->kind == RF_ITEM_OPAQUE)
                continue;
            if (!item->cache)
                item->mark = mark;
            item->cache = true;
            return;
        }
    }
}

static struct rf_item *text_beside(const struct rf_turn *t, size_t at)
{
    for (size_t i = at; i-- > 0;)
        if (t->items[i].kind == RF_ITEM_TEXT)
            return &t->items[i];
    for (size_t i = at + 1; i < t->count; i++)
        if (t->items[i].kind == RF_ITEM_TEXT)
            return &t->items[i];
    return NULL;
}

/* Where texts alone can have marks, that of a file moves to the text before it, else to the next
 * one. */
static void move_to_texts(struct rf_turn *t, struct marks *m)
{
    for (size_t i = 0; i < t->count; i++) {
        struct rf_item *file = &t->items[i], *text = text_beside(t, i);
        if (file->kind != RF_ITEM_MEDIA || !file->cache || rf_jval_get(file->own, "cache_control"))
            continue;
        m->unplaced |= !text;
        if (text && !text->cache) {
            text->cache = true;
            text->mark = file->mark;
        }
        file->cache = false;
    }
}

static void notice(struct rf_plan *p, struct rf_arena *a, const char *what, const char *why)
{
    *RF_PUSH(a, p->notices, p->notice_count, p->notice_cap) =
        rf_strf(a, "%s was left out: %.*s:%.*s %s", what, RF_FMT(p->model->provider),
                RF_FMT(p->model->name), why);
}

void rf_plan_cache(struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_jval *mark = mark_of_all(p, a);
    struct marks m = { .caps = &p->model->caps, .left = MOST_MARKS - kept_marks(p) };
    if (!m.caps->cache_marks)
        return;
    if (mark)
        mark_last(p, mark);
    set_prompts(p, a);
    keep_prompts(p, &m);
    keep_tools(p, &m, a);
    for (size_t t = 0; t < p->turn_count && m.caps->cache_texts; t++)
        move_to_texts(&p->turns[t], &m);
    for (size_t t = p->turn_count; t-- > 0;)
        keep_last(p->turns[t].items, p->turns[t].count, &m);
    if (m.shortened)
        notice(p, a, "how long to cache the prompt", "does not take it");
    if (m.unplaced)
        notice(p, a, "a mark up to where to cache the prompt", "takes it on texts alone");
}
