#include "plan/sight.h"

#include "base/arena.h"
#include "base/buf.h"

#define MOST_NAMES 8 /* in one line */

struct rf_sight_place {
    unsigned kinds; /* bits: of these, what stands before `end` was not seen; 0: no line */
    size_t end;     /* the last answer that was given blind */
};

/* Pages and frames can be shown as pictures; text can be told to everybody. */
unsigned rf_sight_blind(const struct rf_caps *c)
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

/* Nothing is said of an unknown model. */
static unsigned blind_of(const struct rf_plan *p, const struct rf_message *m)
{
    for (size_t i = 0; i < p->origin_count; i++)
        if (rf_str_eq(p->origins[i].provider, m->origin_provider) &&
            rf_str_eq(p->origins[i].model, m->origin_model))
            return p->origins[i].blind;
    return 0;
}

void rf_sight_init(struct rf_sight *s, const struct rf_plan *p, struct rf_arena *a)
{
    const struct rf_conversation *c = p->conversation;
    struct rf_sight_place pending = { 0 }, *line = NULL;
    s->places = RF_ARRAY(a, struct rf_sight_place, c->message_count);
    for (size_t i = 0; i < c->message_count; i++) {
        const struct rf_message *m = &c->messages[i];
        unsigned blind = m->role == RF_ROLE_ASSISTANT ? blind_of(p, m) : 0;
        if (m->role != RF_ROLE_ASSISTANT) {
            if (pending.kinds && !line)
                *(line = &s->places[i]) = pending;
            continue;
        }
        if (blind && line)
            *line = (struct rf_sight_place){ 0 }; /* not shown yet */
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
    rf_buf_add(&b, RF_STR("[To be seen now, and not by the model that answered before: "));
    for (size_t i = 0; i < p->decision_count; i++) {
        if (!comes_back(&p->decisions[i], place) || count++ >= MOST_NAMES)
            continue;
        rf_buf_add(&b, count > 1 ? RF_STR(", ") : RF_STR(""));
        add_name(&b, p->decisions[i].part->asset);
    }
    if (count > MOST_NAMES)
        rf_buf_addf(&b, " and %zu more", count - MOST_NAMES);
    rf_buf_addc(&b, ']');
    if (count && rf_buf_finish(&b, &out, NULL))
        RF_BUG("a line is longer than its parts");
    return out;
}
