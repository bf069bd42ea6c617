#include "plan/sight.h"

#include "base/arena.h"
#include "base/buf.h"

#define MOST_NAMES 8 /* in one line */

struct rf_sight_place {
    unsigned kinds; /* bits: of these, what stands before `end` was not seen; 0: no line */
    size_t end;     /* the last answer that was given blind */
};

/* A model that answered, and the kinds that it cannot be shown. */
struct origin {
    struct rf_str provider, model;
    unsigned blind;
};

struct origins {
    struct origin *list;
    size_t count, cap;
};

/* Pages and frames can be shown as pictures; text can be told to everybody. */
static unsigned blind_kinds(const struct rf_caps *c)
{
    bool sees = c->takes[RF_KIND_IMAGE];
    unsigned blind = 0;
    if (!sees)
        blind |= 1u << RF_KIND_IMAGE;
    if (!sees && !c->takes[RF_KIND_PDF])
        blind |= 1u << RF_KIND_PDF;
    if (!sees && !c->takes[RF_KIND_VIDEO])
        blind |= 1u << RF_KIND_VIDEO;
    if (!c->takes[RF_KIND_AUDIO])
        blind |= 1u << RF_KIND_AUDIO;
    return blind;
}

/* Nothing is said of a model that nobody knows. */
static unsigned look_up(struct rf_str provider, struct rf_str model)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    unsigned blind = 0;
    if (provider.n && model.n && !rf_model_init(&m, provider, model, a, NULL))
        blind = blind_kinds(&m.caps);
    rf_arena_free(a);
    return blind;
}

static unsigned blind_of(struct origins *o, const struct rf_message *m, struct rf_arena *a)
{
    for (size_t i = 0; i < o->count; i++)
        if (rf_str_eq(o->list[i].provider, m->origin_provider) &&
            rf_str_eq(o->list[i].model, m->origin_model))
            return o->list[i].blind;
    unsigned blind = look_up(m->origin_provider, m->origin_model);
    *RF_PUSH(a, o->list, o->count, o->cap) =
        (struct origin){ m->origin_provider, m->origin_model, blind };
    return blind;
}

void rf_sight_init(struct rf_sight *s, const struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_conversation *c = p->conversation;
    struct origins origins = { 0 };
    struct rf_sight_place pending = { 0 }, *line = NULL;
    s->places = RF_ARRAY(a, struct rf_sight_place, c->message_count);
    for (size_t i = 0; i < c->message_count; i++) {
        const struct rf_message *m = &c->messages[i];
        unsigned blind = m->role == RF_ROLE_ASSISTANT ? blind_of(&origins, m, a) : 0;
        if (m->role != RF_ROLE_ASSISTANT) {
            if (pending.kinds && !line)
                *(line = &s->places[i]) = pending;
            continue;
        }
        if (blind && line)
            *line = (struct rf_sight_place){ 0 }; /* nobody looked there yet */
        pending = (struct rf_sight_place){ blind ? pending.kinds | blind : 0, i };
        line = NULL;
    }
}

static bool comes_back(const struct rf_decision *d, const struct rf_sight_place *place)
{
    bool sent = d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK;
    return sent && d->message->index < place->end && place->kinds & 1u << d->part->asset->kind;
}

static void add_name(struct rf_buf *b, const struct rf_asset *f)
{
    if (f->name.n)
        rf_buf_addf(b, "\"%.*s\"", RF_FMT(f->name));
    else if (f->id.n)
        rf_buf_add(b, f->id);
    else
        rf_buf_addf(b, "a file (%s)", rf_kind_name(f->kind));
}

struct rf_str rf_sight_line(const struct rf_sight *s, const struct rf_plan *p, size_t message,
                            struct rf_arena *a)
{
    const struct rf_sight_place *place = &s->places[message];
    struct rf_str out = RF_STR("");
    struct rf_buf b;
    size_t count = 0;
    if (!place->kinds)
        return out;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[To be seen now, and not by the model that answered before: ");
    for (size_t i = 0; i < p->decision_count; i++) {
        if (!comes_back(&p->decisions[i], place) || count++ >= MOST_NAMES)
            continue;
        rf_buf_addf(&b, "%s", count > 1 ? ", " : "");
        add_name(&b, p->decisions[i].part->asset);
    }
    if (count > MOST_NAMES)
        rf_buf_addf(&b, " and %zu more", count - MOST_NAMES);
    rf_buf_addf(&b, "]");
    if (count && rf_buf_finish(&b, &out, NULL))
        RF_BUG("a line is longer than its parts");
    return out;
}
