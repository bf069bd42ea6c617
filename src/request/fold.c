#include "request/fold.h"

#include "base/arena.h"
#include "plan/words.h"

/* The result of the call among the tool messages right before `at`. A separating turn may stand
 * between. */
static struct rf_message *find_result(struct rf_conversation *c, size_t at, struct rf_str call)
{
    while (at-- > 0 && c->messages[at].role == RF_ROLE_TOOL)
        if (rf_str_eq(c->messages[at].tool_call_id, call))
            return &c->messages[at];
    return NULL;
}

static bool is_separator(const struct rf_message *m)
{
    return m->role == RF_ROLE_ASSISTANT && m->block_count == 1 &&
           m->blocks[0].type == RF_BLOCK_TEXT && rf_str_is(m->blocks[0].text, RF_WORDS_SEPARATOR);
}

static struct rf_str reference(struct rf_str id, struct rf_arena *a)
{
    return rf_strf(a, "See file %.*s.", RF_FMT(id));
}

/* `text` as a whole line of `all`: what stands before and after it. */
static bool find_line(struct rf_str all, struct rf_str text, struct rf_str *before,
                      struct rf_str *after)
{
    for (size_t at = 0; at + text.n <= all.n; at++) {
        const char *p = memmem(all.p + at, all.n - at, text.p, text.n);
        if (!p)
            return false;
        at = (size_t)(p - all.p);
        size_t end = at + text.n;
        bool begins = at == 0 || all.p[at - 1] == '\n', ends = end == all.n || all.p[end] == '\n';
        if (begins && ends) {
            *before = (struct rf_str){ all.p, at ? at - 1 : 0 };
            *after = (struct rf_str){ all.p + end + (end < all.n), all.n - end - (end < all.n) };
            return true;
        }
    }
    return false;
}

static void insert_blocks(struct rf_message *m, size_t at, const struct rf_block *blocks,
                          size_t count, struct rf_arena *a)
{
    struct rf_block *all = RF_ARRAY(a, struct rf_block, m->block_count + count);
    for (size_t i = 0; i < at; i++)
        all[i] = m->blocks[i];
    for (size_t i = 0; i < count; i++)
        all[at + i] = blocks[i];
    for (size_t i = at; i < m->block_count; i++)
        all[count + i] = m->blocks[i];
    m->blocks = all;
    m->block_count += count;
}

/* Blocks on their way back into a result. */
struct run {
    struct rf_block *list;
    size_t count, cap;
};

static bool lists(const struct rf_jval *data, struct rf_str words, struct rf_arena *a)
{
    if (!data || data->type != RF_JARRAY)
        return false;
    for (const struct rf_jval *v = rf_jval_first(data); v; v = rf_jval_next(data, v))
        if (v->type == RF_JSTRING && rf_str_eq(rf_jval_text(v, a), words))
            return true;
    return false;
}

/* A result that is a list of values is what Gemini is told: a text or a block each. */
static void spread_data(struct rf_message *m, struct rf_arena *a)
{
    const struct rf_jval *list = m->data, *first = rf_jval_first(list);
    struct rf_str *words = m->failed ? &m->error : &m->output;
    struct run run = { 0 };
    for (const struct rf_jval *v = first; v; v = rf_jval_next(list, v)) {
        if (v == first && v->type == RF_JSTRING && !words->n) {
            *words = rf_jval_text(v, a);
            continue;
        }
        struct rf_block *b = RF_PUSH(a, run.list, run.count, run.cap);
        b->type = v->type == RF_JSTRING ? RF_BLOCK_TEXT : RF_BLOCK_JSON;
        if (v->type == RF_JSTRING)
            b->text = rf_jval_text(v, a);
        else
            b->value = v;
    }
    insert_blocks(m, 0, run.list, run.count, a);
    m->data = NULL;
}

/* The text of the result that holds the reference as a line, or NULL; `next` is the block that
 * follows it. */
static struct rf_str *find_reference(struct rf_message *m, struct rf_str words, size_t *next,
                                     struct rf_str *before, struct rf_str *after)
{
    *next = 0;
    if (find_line(m->output, words, before, after))
        return &m->output;
    if (find_line(m->error, words, before, after))
        return &m->error;
    while (*next < m->block_count) {
        struct rf_block *b = &m->blocks[(*next)++];
        if (b->type == RF_BLOCK_TEXT && find_line(b->text, words, before, after))
            return &b->text;
    }
    return NULL;
}

/* Put them where the reference to their file stands in the result; false when there is none. */
static bool put_back(struct rf_message *m, const struct run *run, struct rf_str id,
                     struct rf_arena *a)
{
    struct rf_str words = reference(id, a), before, after;
    struct run all = *run;
    size_t next;
    if (lists(m->data, words, a))
        spread_data(m, a);
    struct rf_str *at = find_reference(m, words, &next, &before, &after);
    if (!at)
        return false;
    if (after.n)
        *RF_PUSH(a, all.list, all.count, all.cap) =
            (struct rf_block){ .type = RF_BLOCK_TEXT, .text = after };
    *at = before;
    bool emptied = next && !before.n;
    if (emptied)
        m->blocks[next - 1] = all.list[0];
    insert_blocks(m, next, all.list + emptied, all.count - emptied, a);
    return true;
}

static bool is_caption(const struct rf_block *b)
{
    return b->type == RF_BLOCK_TEXT && rf_words_is_caption(b->text);
}

/* The file after an introduction, or all that was made of it: pictures, each after its caption,
 * and a line about the rest. Returns how many blocks that were; 0 where there is no file. */
static size_t gather(const struct rf_message *m, size_t from, struct rf_str id, struct rf_str name,
                     struct run *run, struct rf_arena *a)
{
    size_t at = from;
    bool captioned = false, found = false;
    for (; at < m->block_count; at++) {
        bool caption = is_caption(&m->blocks[at]);
        bool file = rf_block_is_media(m->blocks[at].type) && (captioned || at == from);
        if (!caption && !file)
            break;
        struct rf_block *b = RF_PUSH(a, run->list, run->count, run->cap);
        *b = m->blocks[at];
        if (file && !captioned)
            b->media.id = id;
        if (file)
            b->media.name = name; /* a wire may have one of ours, or none */
        captioned = caption;
        found |= file;
    }
    return found ? at - from : 0;
}

/* Fold the introductions and files of a user message; returns how many blocks went. */
static size_t fold_message(struct rf_conversation *c, size_t at, size_t results_end,
                           struct rf_arena *a)
{
    struct rf_message *m = &c->messages[at];
    size_t next = 0, kept = 0, count = m->block_count;
    while (next < count) {
        struct rf_str call, name, id;
        struct rf_block *text = &m->blocks[next];
        struct run run = { 0 };
        bool ours = text->type == RF_BLOCK_TEXT &&
                    rf_words_read_introduction(text->text, &call, &name, &id);
        size_t taken = ours ? gather(m, next + 1, id, name, &run, a) : 0;
        struct rf_message *result = taken ? find_result(c, results_end, call) : NULL;
        if (result && put_back(result, &run, id, a))
            next += 1 + taken;
        else
            m->blocks[kept++] = m->blocks[next++];
    }
    m->block_count = kept;
    return count - kept;
}

void rf_fold_injected(struct rf_conversation *c, struct rf_arena *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->message_count; i++) {
        struct rf_message *m = &c->messages[i];
        bool separated = kept > 1 && is_separator(&c->messages[kept - 1]) &&
                         c->messages[kept - 2].role == RF_ROLE_TOOL;
        c->messages[kept] = *m;
        if (m->role != RF_ROLE_USER || !fold_message(c, kept, separated ? kept - 1 : kept, a)) {
            kept++;
            continue;
        }
        struct rf_message rest = c->messages[kept];
        kept -= separated;
        if (rest.block_count)
            c->messages[kept++] = rest;
    }
    c->message_count = kept;
}
