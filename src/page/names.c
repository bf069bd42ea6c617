#include "page/names.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <stdlib.h>
#include RF_XXHASH

#define MOST_NAME ((size_t)RF_MAX_MODEL_NAME) /* bytes of one that are shown */
#define NAMES (sizeof(struct rf_names) / sizeof(const char *))

struct rf_named {
    struct rf_names names; /* first, so that who has these has all of it; they are in `text` */
    struct rf_named *next; /* of the bucket */
    size_t users;
    uint64_t hash; /* of the text */
    size_t n;
    char text[];
};

/* As much as is shown of it: whole characters, and none that would end it. */
static struct rf_str cut(struct rf_str s)
{
    s.n = s.n ? strnlen(s.p, s.n < MOST_NAME ? s.n : MOST_NAME) : 0;
    return (struct rf_str){ s.p, rf_utf8_valid(s) };
}

/* In the order of their struct, each with a NUL after it; how long that is. */
static size_t put_text(const struct rf_record *r, char out[NAMES * (MOST_NAME + 1)])
{
    const struct rf_str all[NAMES] = { r->agent, rf_str(r->client_key), rf_record_operation(r),
                                       r->asked, r->provider,           r->model };
    char *at = out;
    for (size_t i = 0; i < NAMES; i++) {
        struct rf_str name = cut(all[i]);
        if (name.n)
            memcpy(at, name.p, name.n);
        at += name.n;
        *at++ = '\0';
    }
    return (size_t)(at - out);
}

static void point(struct rf_names *names, const char *text)
{
    const char **all[NAMES] = { &names->client, &names->key,      &names->operation,
                                &names->asked,  &names->provider, &names->model };
    for (size_t i = 0; i < NAMES; i++) {
        *all[i] = text;
        text += strlen(text) + 1;
    }
}

static struct rf_named *add(struct rf_named **bucket, uint64_t hash, const char *text, size_t n)
{
    struct rf_named *named = malloc(sizeof *named + n);
    if (!named)
        RF_NO_MEMORY();
    *named = (struct rf_named){ .next = *bucket, .hash = hash, .n = n };
    memcpy(named->text, text, n);
    point(&named->names, named->text);
    return *bucket = named;
}

static struct rf_named **bucket_of(struct rf_name_table *t, uint64_t hash)
{
    return &t->buckets[hash % (sizeof t->buckets / sizeof *t->buckets)];
}

const struct rf_names *rf_names_take(struct rf_name_table *t, const struct rf_record *r)
{
    char text[NAMES * (MOST_NAME + 1)];
    size_t n = put_text(r, text);
    uint64_t hash = XXH3_64bits(text, n);
    struct rf_named **bucket = bucket_of(t, hash), *named = *bucket;
    while (named && (named->hash != hash || named->n != n || memcmp(named->text, text, n) != 0))
        named = named->next;
    if (!named)
        named = add(bucket, hash, text, n);
    named->users++;
    return &named->names;
}

void rf_names_drop(struct rf_name_table *t, const struct rf_names *names)
{
    const struct rf_named *named = (const void *)names;
    if (!named)
        return;
    struct rf_named **at = bucket_of(t, named->hash);
    while (*at != named)
        at = &(*at)->next;
    struct rf_named *own = *at;
    if (--own->users)
        return;
    *at = own->next;
    free(own);
}

const struct rf_names *rf_names_copy(const struct rf_names *names, struct rf_arena *a)
{
    struct rf_names *own = RF_NEW(a, struct rf_names);
    *own = (struct rf_names){
        .client = rf_cstr(a, rf_str(names->client)),
        .key = rf_cstr(a, rf_str(names->key)),
        .operation = rf_cstr(a, rf_str(names->operation)),
        .asked = rf_cstr(a, rf_str(names->asked)),
        .provider = rf_cstr(a, rf_str(names->provider)),
        .model = rf_cstr(a, rf_str(names->model)),
    };
    return own;
}
