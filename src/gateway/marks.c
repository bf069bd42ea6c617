#include "gateway/marks.h"

#include "base/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include RF_XXHASH

#define SETS 2048   /* by the hash of a mark */
#define WAYS 8      /* the newest first; then the last one is forgotten */
#define MOST 6      /* marks of a block */
#define SHORTEST 16 /* bytes of a mark that nobody gives twice */
#define ANYBODY 0

struct entry {
    uint64_t mark, giver; /* hashes; 0: the place is free, ANYBODY */
};

struct rf_marks {
    pthread_mutex_t lock;
    struct entry sets[SETS][WAYS];
};

struct rf_marks *rf_marks_new(void)
{
    struct rf_marks *m = calloc(1, sizeof *m);
    if (!m)
        RF_NO_MEMORY();
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

void rf_marks_free(struct rf_marks *m)
{
    if (m)
        pthread_mutex_destroy(&m->lock);
    free(m);
}

static uint64_t hash_of(struct rf_str s)
{
    uint64_t hash = XXH3_64bits(s.n ? s.p : "", s.n);
    return hash ? hash : 1;
}

/* Models of one provider take each other's marks as far as that has them do so. */
static uint64_t giver_of(const struct rf_model *m)
{
    return hash_of(m->provider) ^ hash_of(m->address);
}

/* A thought that is kept where it was made may have nothing but its id. */
static size_t marks_of(const struct rf_block *b, struct rf_arena *a, uint64_t out[MOST])
{
    const struct rf_thinking *t = &b->thinking;
    const struct rf_jval *v = rf_jval_get(b->value, "encrypted_content");
    struct rf_str encrypted = v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
    const struct rf_str marks[MOST] = { b->call.signature, t->signature, t->encrypted,
                                        t->redacted,       t->id,        encrypted };
    size_t count = 0;
    for (size_t i = 0; i < MOST; i++)
        if (marks[i].n >= SHORTEST)
            out[count++] = hash_of(marks[i]);
    return count;
}

/* NULL: it is not known. */
static struct entry *find(struct rf_marks *m, uint64_t mark)
{
    struct entry *set = m->sets[mark % SETS];
    for (size_t i = 0; i < WAYS; i++)
        if (set[i].mark == mark)
            return &set[i];
    return NULL;
}

static void note(struct rf_marks *m, uint64_t mark, uint64_t giver)
{
    struct entry *e = find(m, mark), *set = m->sets[mark % SETS];
    if (e) {
        e->giver = e->giver == giver ? giver : ANYBODY;
        return;
    }
    memmove(set + 1, set, (WAYS - 1) * sizeof *set);
    set[0] = (struct entry){ mark, giver };
}

void rf_marks_note(struct rf_marks *m, const struct rf_model *from, const struct rf_block *block,
                   struct rf_arena *a)
{
    uint64_t marks[MOST], giver = giver_of(from);
    size_t count = marks_of(block, a, marks);
    if (!count)
        return;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < count; i++)
        note(m, marks[i], giver);
    pthread_mutex_unlock(&m->lock);
}

static bool is_from_elsewhere(struct rf_marks *m, const struct rf_message *message, uint64_t giver,
                              struct rf_arena *a)
{
    bool elsewhere = false;
    for (size_t i = 0; i < message->block_count && !elsewhere; i++) {
        uint64_t marks[MOST];
        size_t count = marks_of(&message->blocks[i], a, marks);
        pthread_mutex_lock(&m->lock);
        for (size_t k = 0; k < count; k++) {
            const struct entry *e = find(m, marks[k]);
            elsewhere |= e && e->giver != ANYBODY && e->giver != giver;
        }
        pthread_mutex_unlock(&m->lock);
    }
    return elsewhere;
}

/* Its messages as a copy, for the first of them that is changed. */
static struct rf_conversation *copy_of(const struct rf_conversation *c, struct rf_arena *a)
{
    struct rf_conversation *copy = RF_NEW(a, struct rf_conversation);
    *copy = *c;
    copy->messages = RF_ARRAY(a, struct rf_message, c->message_count);
    memcpy(copy->messages, c->messages, c->message_count * sizeof *c->messages);
    return copy;
}

const struct rf_conversation *rf_marks_apply(struct rf_marks *m, const struct rf_conversation *c,
                                             const struct rf_model *to, struct rf_arena *a)
{
    struct rf_conversation *copy = NULL;
    uint64_t giver = giver_of(to);
    for (size_t i = 0; i < c->message_count; i++) {
        const struct rf_message *message = &c->messages[i];
        if (message->role != RF_ROLE_ASSISTANT || message->sealed ||
            !is_from_elsewhere(m, message, giver, a))
            continue;
        copy = copy ? copy : copy_of(c, a);
        copy->messages[i].sealed = true;
        copy->messages[i].origin_provider = RF_STR("");
    }
    return copy ? copy : c;
}
