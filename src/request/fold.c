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

/* The file and the text behind its reference, as far as there is any. */
static size_t with_rest(struct rf_block out[2], const struct rf_block *media, struct rf_str rest)
{
    out[0] = *media;
    out[1] = (struct rf_block){ .type = RF_BLOCK_TEXT, .text = rest };
    return rest.n ? 2 : 1;
}

/* Put the file where its reference stands in the result; false when there is none. */
static bool put_back(struct rf_message *m, const struct rf_block *media, struct rf_str id,
                     struct rf_arena *a)
{
    struct rf_str words = reference(id, a), before, behind;
    struct rf_block pair[2];
    if (find_line(m->output, words, &before, &behind)) {
        m->output = before;
        insert_blocks(m, 0, pair, with_rest(pair, media, behind), a);
        return true;
    }
    for (size_t i = 0; i < m->block_count; i++) {
        struct rf_block *b = &m->blocks[i];
        if (b->type != RF_BLOCK_TEXT || !find_line(b->text, words, &before, &behind))
            continue;
        size_t count = with_rest(pair, media, behind);
        b->text = before;
        if (before.n) {
            insert_blocks(m, i + 1, pair, count, a);
        } else {
            *b = pair[0];
            insert_blocks(m, i + 1, pair + 1, count - 1, a);
        }
        return true;
    }
    return false;
}

/* Fold the pairs of introduction and file at the front of a user message; returns how many blocks
 * went. */
static size_t fold_message(struct rf_conversation *c, size_t at, size_t results_end,
                           struct rf_arena *a)
{
    struct rf_message *m = &c->messages[at];
    size_t done = 0;
    while (done + 1 < m->block_count) {
        struct rf_str call, name, id;
        struct rf_block *text = &m->blocks[done], *media = &m->blocks[done + 1];
        if (text->type != RF_BLOCK_TEXT || !rf_block_is_media(media->type) ||
            !rf_words_read_introduction(text->text, &call, &name, &id))
            break;
        struct rf_message *result = find_result(c, results_end, call);
        struct rf_block file = *media;
        file.media.id = id;
        if (!file.media.name.n)
            file.media.name = name;
        if (!result || !put_back(result, &file, id, a))
            break;
        done += 2;
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
