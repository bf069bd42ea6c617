#include "worker/office/figures.h"

#include "base/arena.h"
#include "media/media.h"

#define MAX_PICTURE ((int64_t)64 << 20)
#define MAX_ID 1000000

struct rf_figures *rf_figures_new(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_figures *p = RF_NEW(ask->arena, struct rf_figures);

    *p = (struct rf_figures){ .ask = ask, .to = to, .only = rf_ask_is(ask, "op", "media") };
    return p;
}

/* Is this one new? Remembers it. */
static bool is_new(struct rf_figures *p, int64_t id)
{
    if (id < 0 || id >= MAX_ID)
        return false;
    while (p->seen_n <= (size_t)id)
        *RF_PUSH(p->ask->arena, p->seen, p->seen_n, p->seen_cap) = false;
    bool known = p->seen[id];
    p->seen[id] = true;
    return !known;
}

/* "word/media/image1.png" is also called "image1.png". */
static bool is_named(const struct rf_figures *p, struct rf_str name)
{
    struct rf_str wanted = rf_ask_str(p->ask, "name");
    const char *slash = wanted.n ? memrchr(wanted.p, '/', wanted.n) : NULL;

    if (slash)
        wanted = (struct rf_str){ slash + 1, wanted.n - (size_t)(slash + 1 - wanted.p) };
    return !wanted.n || rf_str_eq(wanted, name);
}

/* Does the ask want the picture, which is the `number`-th? */
static bool is_wanted(const struct rf_figures *p, int64_t number, struct rf_str name)
{
    int64_t last = rf_ask_int(p->ask, "last", 0);

    if (!p->only)
        return rf_ask_int(p->ask, "pictures", 0) > 0;
    return number >= rf_ask_int(p->ask, "first", 1) && (last <= 0 || number <= last) &&
           is_named(p, name);
}

void rf_figures_add(struct rf_figures *p, const struct rf_figure *picture)
{
    if (!is_new(p, picture->id))
        return;
    if (is_wanted(p, ++p->found, picture->name))
        *RF_PUSH(p->ask->arena, p->waiting, p->n, p->cap) = *picture;
}

static const struct rf_format *format_of(struct rf_str bytes)
{
    struct rf_bytes memory = rf_bytes_memory(bytes);
    struct rf_reader reader;
    struct rf_err ignored;

    if (rf_reader_open(&reader, &memory, &ignored))
        return NULL;
    const struct rf_format *format = rf_sniff(&reader);
    rf_reader_close(&reader);
    return format && format->kind == RF_KIND_IMAGE ? format : NULL;
}

bool rf_figure_is(struct rf_str bytes)
{
    return bytes.n && format_of(bytes);
}

/* How many bytes the next one may have. */
static int64_t room(const struct rf_figures *p)
{
    int64_t max = rf_ask_int(p->ask, p->only ? "max_bytes" : "picture_bytes", 0);

    if (max > 0 && !p->only)
        max = p->sent < (uint64_t)max ? max - (int64_t)p->sent : 0;
    else if (max <= 0)
        max = MAX_PICTURE;
    return max < MAX_PICTURE ? max : MAX_PICTURE;
}

/* Its bytes, where they are there and no more than may go. */
static bool bytes_of(struct rf_figures *p, const struct rf_figure *picture, const char *name,
                     struct rf_str *bytes)
{
    size_t max = (size_t)room(p);
    enum rf_code rc = RF_OK;
    struct rf_err err;

    *bytes = picture->bytes;
    if (!bytes->p && p->read)
        rc = p->read(p->source, picture->id, max, bytes, &err);
    else if (bytes->n > max)
        rc = rf_fail(&err, RF_ELIMIT, "it has %zu bytes, the limit is %zu", bytes->n, max);
    if (rc && (p->only || rc != RF_ELIMIT))
        rf_answer_note(p->to, "the picture \"%s\" could not be read: %s", name, err.msg);
    return !rc && bytes->n > 0;
}

static bool send_one(struct rf_figures *p, const struct rf_figure *picture)
{
    const char *name = rf_line(p->ask, picture->name), *alt = rf_line(p->ask, picture->alt);
    struct rf_str bytes;

    if (!bytes_of(p, picture, name, &bytes))
        return false;
    const struct rf_format *format = format_of(bytes);
    if (!format) {
        rf_answer_note(p->to, "the picture \"%s\" is in a format that cannot be shown", name);
        return false;
    }
    rf_answer_part(p->to, "kind=image\nname=%s\nmime=%s\n%s%s%s", name, format->mime,
                   *alt ? "alt=" : "", alt, *alt ? "\n" : "");
    rf_answer_bytes(p->to, bytes.p, bytes.n);
    p->given++;
    p->sent += bytes.n;
    return true;
}

bool rf_figures_wait(const struct rf_figures *p)
{
    return p->n && (p->only || p->given < rf_ask_int(p->ask, "pictures", 0));
}

bool rf_figures_send(struct rf_figures *p)
{
    bool any = false;

    for (size_t i = 0; i < p->n && rf_figures_wait(p) && !rf_answer_over(p->to); i++)
        any |= send_one(p, &p->waiting[i]);
    p->n = 0;
    return any;
}

void rf_figures_drop(struct rf_figures *p)
{
    p->n = 0;
    p->cut = true;
}

void rf_figures_end(struct rf_figures *p)
{
    rf_figures_send(p);
    rf_answer_fact(p->to, "pictures", "%lld", (long long)p->found);
    rf_answer_fact(p->to, "pictures_given", "%lld", (long long)p->given);
}

struct rf_str rf_figure_words(struct rf_arena *a, const struct rf_figure *picture)
{
    struct rf_str name = picture->name, alt = picture->alt;

    return rf_strf(a, "[Image%s%.*s%s%.*s%s]", name.n ? ": " : "", (int)name.n, name.p,
                   alt.n ? ", \"" : "", (int)alt.n, alt.p, alt.n ? "\"" : "");
}
