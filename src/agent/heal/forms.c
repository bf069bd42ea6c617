/* The table, and one fact after the other. Forms add up: what was tried before stays in force, so
 * that the last one is the safest, and each is tried once at most. */
#include "agent/heal/forms.h"

#include "base/arena.h"
#include "config/learned.h"
#include "model/facts.h"
#include "request/request.h"
#include "wire/phrases.h"

/* What a request holds. */

static bool holds(const struct rf_item *items, size_t count, unsigned kinds)
{
    for (size_t i = 0; i < count; i++)
        if ((items[i].kind == RF_ITEM_MEDIA && kinds & 1u << items[i].asset->kind) ||
            (items[i].kind == RF_ITEM_RESULT && holds(items[i].items, items[i].count, kinds)))
            return true;
    return false;
}

static bool sends(const struct rf_plan *p, unsigned kinds)
{
    for (size_t i = 0; i < p->turn_count; i++)
        if (holds(p->turns[i].items, p->turns[i].count, kinds))
            return true;
    return false;
}

static bool sends_pdf(const struct rf_plan *p)
{
    return sends(p, RF_FILES(PDF));
}

static bool sends_documents(const struct rf_plan *p)
{
    return sends(p, RF_FILES(TEXT) | RF_FILES(OFFICE));
}

static bool sends_recordings(const struct rf_plan *p)
{
    return sends(p, RF_FILES(AUDIO) | RF_FILES(VIDEO));
}

static bool sends_pictures(const struct rf_plan *p)
{
    return sends(p, RF_FILES(IMAGE));
}

static size_t results_of(const struct rf_turn *t)
{
    size_t n = 0;
    while (n < t->count && t->items[n].kind == RF_ITEM_RESULT)
        n++;
    return n;
}

static bool has_files_inside(const struct rf_plan *p)
{
    for (size_t i = 0; i < p->turn_count; i++)
        if (holds(p->turns[i].items, results_of(&p->turns[i]), RF_FILES_ANY))
            return true;
    return false;
}

/* A proxy may move files out of results, too. */
static bool has_user_after_results(const struct rf_plan *p)
{
    for (size_t i = 0; i < p->turn_count; i++) {
        size_t results = results_of(&p->turns[i]);
        bool next = i + 1 < p->turn_count && p->turns[i + 1].role == RF_ROLE_USER;
        if (results && (next || results < p->turns[i].count))
            return true;
    }
    return has_files_inside(p);
}

static bool has_role_twice(const struct rf_plan *p)
{
    for (size_t i = 1; i < p->turn_count; i++)
        if (p->turns[i].role == p->turns[i - 1].role && !results_of(&p->turns[i - 1]))
            return true;
    return false;
}

/* Forms */

#define NONE_INSIDE                                                             \
    "image_inside=- pdf_inside=- text_inside=- office_inside=- audio_inside=- " \
    "video_inside=-"

/* In the order in which they are tried. */
static const struct form {
    enum rf_phrase_use said; /* by a refusal that leads to it */
    bool (*changes)(const struct rf_plan *p);
    const char *facts;
    const char *note;
} forms[] = {
    { RF_PHRASE_ORDER, has_user_after_results, NONE_INSIDE " after=separated",
      "files go after the results and a short assistant turn" },
    { RF_PHRASE_ORDER, has_role_twice, "merge_turns=yes", "turns of one role are joined" },
    { RF_PHRASE_CONTENT, has_files_inside, NONE_INSIDE, "files go after the tool results" },
    { RF_PHRASE_CONTENT, sends_pdf, "native_pdf=no", "PDFs go as pictures of their pages" },
    { RF_PHRASE_CONTENT, sends_documents, "native_office=no native_text=no",
      "documents go as text" },
    { RF_PHRASE_CONTENT, sends_recordings, "audio_input=no native_video=no",
      "sound goes as text, video as pictures" },
    { RF_PHRASE_CONTENT, sends_pictures, "vision=no", "pictures go as text" },
};

/* A fact that is tried, and what it was. */
struct guess {
    const struct rf_fact *fact;
    bool said;                          /* in words: it is not taken back */
    struct rf_str value, before, words; /* `words` of the refusal */
    enum rf_fact_source source;
    struct rf_taught taught;
};

struct rf_forms {
    struct rf_arena *arena;
    struct rf_model *model;
    const struct rf_config *config;
    struct rf_refusal first; /* what led to the first guess */
    struct rf_str words;     /* of the one that is looked at; borrowed */
    struct guess *guesses;
    size_t count, cap;
};

struct rf_forms *rf_forms_new(struct rf_arena *a)
{
    struct rf_forms *f = RF_NEW(a, struct rf_forms);
    f->arena = a;
    return f;
}

void rf_forms_begin(struct rf_forms *f)
{
    f->count = 0;
}

static void take(struct rf_forms *f, const struct rf_attempt *t)
{
    f->model = t->model;
    f->config = t->config;
    f->words = t->refusal->words;
    if (f->count)
        return;
    f->first = *t->refusal;
    f->first.words = rf_str_dup(f->arena, t->refusal->words);
    f->first.inner = rf_str_dup(f->arena, t->refusal->inner);
    f->first.code = rf_str_dup(f->arena, t->refusal->code);
    f->first.place = rf_str_dup(f->arena, t->refusal->place);
    f->first.body = rf_str_dup(f->arena, t->refusal->body);
}

/* False where the fact is so already, or the configuration says otherwise. */
static bool guess(struct rf_forms *f, struct rf_str name, struct rf_str value, bool said)
{
    struct rf_model *m = f->model;
    const struct rf_fact *fact = rf_fact_find(name);
    size_t i = (size_t)(fact - rf_facts);
    struct guess g = {
        .fact = fact,
        .said = said,
        .value = rf_str_dup(f->arena, value),
        .words = rf_learned_quote(f->words, f->arena),
        .before = rf_str_dup(f->arena, rf_fact_text(fact, &m->caps, f->arena)),
        .source = m->sources[i],
        .taught = m->taught ? m->taught[i] : (struct rf_taught){ RF_STR(""), RF_STR("") },
    };
    if (rf_str_eq(g.before, value) ||
        rf_model_teach(m, name, value, RF_STR(""), RF_STR(""), NULL) ||
        rf_str_eq(rf_fact_text(fact, &m->caps, f->arena), g.before))
        return false;
    *RF_PUSH(f->arena, f->guesses, f->count, f->cap) = g;
    return true;
}

static bool guess_all(struct rf_forms *f, const char *facts)
{
    struct rf_str rest = rf_str(facts), pair, name;
    bool any = false;
    while (rf_str_split(&rest, ' ', &pair)) {
        rf_str_split(&pair, '=', &name);
        any |= guess(f, name, pair, false);
    }
    return any;
}

bool rf_forms_try(struct rf_forms *f, const struct rf_attempt *t, struct rf_arena *a,
                  struct rf_str *note)
{
    const struct rf_plan *p = &t->request->plan;
    take(f, t);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!rf_phrase_in(forms[i].said, t->refusal->words) || !forms[i].changes(p) ||
            !guess_all(f, forms[i].facts))
            continue;
        *note =
            rf_strf(a, "refused by %.*s:%.*s (%.*s): sent again, %s", RF_FMT(t->model->provider),
                    RF_FMT(t->model->name), RF_FMT(rf_heal_reason(t->refusal, a)), forms[i].note);
        return true;
    }
    return false;
}

bool rf_forms_believe(struct rf_forms *f, const struct rf_attempt *t, struct rf_arena *a,
                      struct rf_str *note)
{
    const struct rf_phrase *p = rf_phrase_in(RF_PHRASE_LACKS, t->refusal->words);
    take(f, t);
    if (!p || !guess(f, rf_str(p->fact), RF_STR("no"), true))
        return false;
    bool tools = strcmp(p->fact, "tools") == 0;
    *note = rf_strf(a, "%.*s:%.*s does not take %s (%.*s); %s from now on",
                    RF_FMT(t->model->provider), RF_FMT(t->model->name),
                    tools ? "tools" : "such files", RF_FMT(rf_heal_reason(t->refusal, a)),
                    tools ? "none are offered" : "they go as text");
    return true;
}

const struct rf_refusal *rf_forms_undo(struct rf_forms *f)
{
    size_t kept = 0, count = f->count;
    for (size_t i = 0; i < count; i++) {
        const struct guess *g = &f->guesses[i];
        size_t fact = (size_t)(g->fact - rf_facts);
        if (g->said) {
            f->guesses[kept++] = *g;
            continue;
        }
        if (rf_model_set(f->model, rf_str(g->fact->name), g->before, g->source, NULL))
            RF_BUG("a fact that was one before");
        f->model->taught[fact] = g->taught;
    }
    f->count = kept;
    return kept < count ? &f->first : NULL;
}

enum rf_code rf_forms_learn(struct rf_forms *f, const struct rf_request *r, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    struct rf_model *m = f->model;
    for (size_t i = 0; f->config && r->plan.model == m && i < f->count; i++) {
        struct rf_learned_fact learned = {
            .provider = m->provider,
            .model = m->name,
            .fact = rf_str(f->guesses[i].fact->name),
            .value = f->guesses[i].value,
            .date = rf_learned_today(m->arena),
            .words = f->guesses[i].words,
            .address = m->address,
        };
        enum rf_code one = rf_learned_keep(f->config, &learned, m, rc ? NULL : err);
        rc = rc ? rc : one;
    }
    f->count = 0;
    return rc;
}
