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

/* `text` as a whole line of `all`: what stands before and behind it. */
static bool find_line(struct rf_str all, struct rf_str text, struct rf_str *before,
                      struct rf_str *behind)
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
            *behind = (struct rf_str){ all.p + end + (end < all.n), all.n - end - (end < all.n) };
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

/* Put them where the reference to their file stands in the result; false when there is none. */
static bool put_back(struct rf_message *m, const struct run *run, struct rf_str id,
                     struct rf_arena *a)
{
    struct rf_str words = reference(id, a), before, behind;
    struct run all = *run;
    size_t at = 0;
    bool in_output = find_line(m->output, words, &before, &behind);
    while (!in_output && at < m->block_count &&
           (m->blocks[at].type != RF_BLOCK_TEXT ||
            !find_line(m->blocks[at].text, words, &before, &behind)))
        at++;
    if (!in_output && at == m->block_count)
        return false;
    if (behind.n)
        *RF_PUSH(a, all.list, all.count, all.cap) =
            (struct rf_block){ .type = RF_BLOCK_TEXT, .text = behind };
    if (in_output) {
        m->output = before;
        insert_blocks(m, 0, all.list, all.count, a);
    } else if (before.n) {
        m->blocks[at].text = before;
        insert_blocks(m, at + 1, all.list, all.count, a);
    } else {
        m->blocks[at] = all.list[0];
        insert_blocks(m, at + 1, all.list + 1, all.count - 1, a);
    }
    return true;
}

static bool is_caption(const struct rf_block *b)
{
    return b->type == RF_BLOCK_TEXT && rf_words_is_caption(b->text);
}

/* The file behind an introduction, or all that was made of it: pictures, each behind its caption.
 * Returns how many blocks that were. */
static size_t gather(const struct rf_message *m, size_t from, struct rf_str id, struct rf_str name,
                     struct run *run, struct rf_arena *a)
{
    size_t at = from;
    while (at < m->block_count) {
        size_t captions = is_caption(&m->blocks[at]);
        bool first = at == from;
        if (at + captions >= m->block_count || !rf_block_is_media(m->blocks[at + captions].type) ||
            (!captions && !first))
            break;
        if (captions)
            *RF_PUSH(a, run->list, run->count, run->cap) = m->blocks[at];
        struct rf_block *file = RF_PUSH(a, run->list, run->count, run->cap);
        *file = m->blocks[at + captions];
        if (!captions)
            file->media.id = id;
        if (!file->media.name.n)
            file->media.name = name;
        at += captions + 1;
    }
    return at - from;
}

/* Fold the introductions and files at the front of a user message; returns how many blocks went. */
static size_t fold_message(struct rf_conversation *c, size_t at, size_t results_end,
                           struct rf_arena *a)
{
    struct rf_message *m = &c->messages[at];
    size_t done = 0;
    while (done + 1 < m->block_count) {
        struct rf_str call, name, id;
        struct rf_block *text = &m->blocks[done];
        struct run run = { 0 };
        if (text->type != RF_BLOCK_TEXT ||
            !rf_words_read_introduction(text->text, &call, &name, &id))
            break;
        size_t taken = gather(m, done + 1, id, name, &run, a);
        struct rf_message *result = taken ? find_result(c, results_end, call) : NULL;
        if (!result || !put_back(result, &run, id, a))
            break;
        done += 1 + taken;
    }
    if (done) {
        m->blocks += done;
        m->block_count -= done;
    }
    return done;
}

void rf_fold_injected(struct rf_conversation *c, struct rf_arena *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->message_count; i++) {
        struct rf_message *m = &c->messages[i];
        bool separated = kept > 1 && is_separator(&c->messages[kept - 1]) &&
                         c->messages[kept - 2].role == RF_ROLE_TOOL;
        c->messages[kept] = *m;
        if (m->role != RF_ROLE_USER ||
            !fold_message(c, kept, separated ? kept - 1 : kept, a)) {
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
