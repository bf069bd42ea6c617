/* One refusal, one change, one more request; at most RF_HEAL_TRIES of them between two answers.
 *
 * What is tried, in this order. The first that changes the next request ends it.
 *
 *  1. The words name a limit: the model learns it (wire/lesson.h), for later conversations too, and
 *     the plan then makes files smaller or fewer, or trims what is oldest. Where the window is too
 *     small and no number helps, it is taken to be smaller for this conversation.
 *  2. The words say that the model takes no such files, or no tools: those go as text from now on,
 *     these are not offered. Once that was answered, it is learned.
 *  3. The words are about a file. candidates.h tells which files they may mean, and these are
 *     narrowed down:
 *       - one at a place that the words name is the rejected file;
 *       - files that this provider has taken before are not, nor those that were left out of a
 *         request that was refused all the same;
 *       - of what is left, those that no decoder here can read are;
 *       - where several are left, the newer half of them is left out. If that is refused too, they
 *         are ruled out, and the other half is halved; if it is answered, it was one of them. The
 *         last try leaves out all that are left.
 *     Words that say nothing ("Bad request") count only against files that cannot be decoded.
 *  4. The words are about the form of the content or the order of turns, and about no file: the
 *     next safer form (forms.h), as many as there are. What was answered is learned; where nothing
 *     helped, the model is as before, and the first refusal is the one that is told.
 *  5. The request is too large, and nothing says by how much: a quarter of it has to go.
 *
 * A single picture or PDF is first made anew (another encoding, pages as pictures); where that is
 * refused as well, words take its place, as they do for all other files, and tell the model why.
 * A document whose text goes with the pictures in it is a candidate for their sake, and then goes
 * without them.
 *
 * A file that is withheld is pending until the next answer. When that comes, the file was the one:
 * the session keeps that, as a quarantine or as a file that is to be made anew for this provider.
 * When a refusal comes instead, it is sent again. Several that were left out at once are unsure:
 * they stay withheld for this conversation, half of them is sent again with each new question, and
 * the last one left is the one. */
#include "agent/heal/heal.h"

#include "agent/heal/candidates.h"
#include "agent/heal/forms.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "model/facts.h"
#include "request/withhold.h"
#include "wire/phrases.h"

#include <refract/tokens.h>

#include <inttypes.h>
#include <stdio.h>

#define LEAST_WINDOW 2048              /* tokens that a window is never trimmed below */
#define MOST_TOKENS ((int64_t)1 << 40) /* that a number in words can mean */
#define LEAST_BODY ((uint64_t)1 << 20) /* bytes of a body that can be too large without saying so */
#define MOST_ACCEPTED 4096             /* files that are remembered as taken */
#define MOST_REASON 200                /* bytes of a provider's words in a note */

/* What is known of a file that is withheld. */
struct standing {
    bool pending; /* until the next answer */
    bool unsure;  /* one of several */
    bool lasts;   /* in the session, once it is sure */
    bool found;   /* it was what was wrong */
};

/* What a refusal has taught, and others are to know once it helped. */
struct taught {
    struct rf_refusal refusal;
    struct rf_model *model;
    const struct rf_config *config;
};

struct rf_heal {
    struct rf_arena *arena;
    int tries;
    struct rf_withheld_file *files; /* that are withheld */
    struct standing *standings;     /* as many */
    size_t count, cap, standing_cap;
    struct rf_str *accepted; /* "PROVIDER KEY" */
    size_t accepted_count, accepted_cap;
    struct rf_str *ruled_out; /* keys of files without which a request was refused all the same */
    size_t ruled_out_count, ruled_out_cap;
    struct rf_forms *forms;
    struct taught taught[RF_HEAL_TRIES];
    size_t taught_count;
};

struct rf_heal *rf_heal_new(struct rf_arena *a)
{
    struct rf_heal *h = RF_NEW(a, struct rf_heal);
    h->arena = a;
    h->forms = rf_forms_new(a);
    return h;
}

void rf_heal_apply(const struct rf_heal *h, struct rf_request_options *o)
{
    rf_request_options_withhold(o, h->files, h->count);
}

/* Lists of keys */

static bool is_in(const struct rf_str *list, size_t count, struct rf_str key)
{
    for (size_t i = 0; i < count; i++)
        if (rf_str_eq(list[i], key))
            return true;
    return false;
}

/* A key for "was taken before" that reads no file: its hash where that is known, else its stamp. */
static struct rf_str cheap_key(const struct rf_asset *f, struct rf_str provider, struct rf_arena *a)
{
    const struct rf_stamp *s = &f->bytes.stamp;
    if (f->state == RF_ASSET_BYTES && f->bytes.kind == RF_BYTES_FILE && !rf_asset_sha256(f).n)
        return rf_strf(a, "%.*s %" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRId64 ".%" PRId64,
                       RF_FMT(provider), s->device, s->inode, s->size, s->changed_s, s->changed_ns);
    return rf_strf(a, "%.*s %.*s", RF_FMT(provider), RF_FMT(rf_withheld_key(f, a)));
}

static const struct rf_asset *asset_of(const struct rf_request *r, size_t decision)
{
    return r->plan.decisions[decision].part->asset;
}

static struct rf_str provider_of(const struct rf_request *r)
{
    return r->plan.model->provider;
}

/* Withheld files */

static void release(struct rf_heal *h, size_t i)
{
    h->count--;
    for (; i < h->count; i++) {
        h->files[i] = h->files[i + 1];
        h->standings[i] = h->standings[i + 1];
    }
}

/* What was left out was not the one: it is sent again. */
static void rule_out_pending(struct rf_heal *h)
{
    for (size_t i = h->count; i-- > 0;) {
        if (!h->standings[i].pending)
            continue;
        if (!h->files[i].from.remake)
            *RF_PUSH(h->arena, h->ruled_out, h->ruled_out_count, h->ruled_out_cap) =
                h->files[i].key;
        release(h, i);
    }
}

static void release_unsure(struct rf_heal *h, size_t most)
{
    for (size_t i = h->count; most && i-- > 0;)
        if (h->standings[i].unsure) {
            release(h, i);
            most--;
        }
}

void rf_heal_begin(struct rf_heal *h)
{
    size_t unsure = 0;
    h->tries = 0;
    h->taught_count = 0;
    rf_forms_begin(h->forms);
    rule_out_pending(h);
    h->ruled_out_count = 0;
    for (size_t i = 0; i < h->count; i++)
        unsure += h->standings[i].unsure;
    if (unsure > 1)
        release_unsure(h, (unsure + 1) / 2);
    for (size_t i = 0; unsure == 1 && i < h->count; i++) /* all others were taken since */
        if (h->standings[i].unsure)
            h->standings[i] = (struct standing){ .pending = true, .lasts = h->standings[i].lasts };
}

static void withhold(struct rf_heal *h, const struct rf_withheld_file *one,
                     struct standing standing)
{
    size_t i = 0;
    while (i < h->count && !(rf_str_eq(h->files[i].key, one->key) &&
                             rf_str_eq(h->files[i].from.provider, one->from.provider)))
        i++;
    if (i == h->count) {
        h->files = rf_arena_room(h->arena, h->files, h->count, &h->cap, sizeof *h->files);
        h->standings =
            rf_arena_room(h->arena, h->standings, h->count, &h->standing_cap, sizeof *h->standings);
        h->count++;
    }
    h->files[i] = (struct rf_withheld_file){
        .key = rf_str_dup(h->arena, one->key),
        .from.provider = rf_str_dup(h->arena, one->from.provider),
        .from.reason = rf_str_dup(h->arena, one->from.reason),
        .from.remake = one->from.remake,
        .size = one->size,
    };
    h->standings[i] = standing;
}

struct rf_str rf_heal_reason(const struct rf_refusal *refusal, struct rf_arena *a)
{
    struct rf_str words = rf_utf8_cut(rf_str_trim(refusal->words), MOST_REASON);
    char *copy = rf_arena_alloc(a, words.n + 1);
    memcpy(copy, words.p, words.n);
    rf_clean_words(copy);
    return rf_str(copy);
}

static struct rf_str name_of(const struct rf_asset *f)
{
    return f->name.n ? f->name : rf_str(rf_kind_name(f->kind));
}

/* Limits */

static bool differs(const struct rf_caps *before, const struct rf_caps *now, size_t fact)
{
    const struct rf_fact *f = &rf_facts[fact];
    size_t size = f->type == RF_FACT_BOOL ? sizeof(bool) : sizeof(int64_t);
    return memcmp((const char *)before + f->offset, (const char *)now + f->offset, size) != 0;
}

/* Only this model, and only while it is open: a guess is not a lesson. */
static bool guess(struct rf_model *m, const char *fact, int64_t value, struct rf_arena *a)
{
    struct rf_caps before = m->caps;
    struct rf_str text = rf_strf(a, "%" PRId64, value);
    const struct rf_fact *f = rf_fact_find(rf_str(fact));
    if (!f || rf_model_teach(m, rf_str(fact), text, RF_STR(""), RF_STR(""), NULL))
        return false;
    return differs(&before, &m->caps, (size_t)(f - rf_facts));
}

/* The largest number in the words: what was sent, where they say so. */
static int64_t largest_number(struct rf_str words)
{
    int64_t most = 0, n = 0;
    for (size_t i = 0; i < words.n; i++) {
        bool digit = rf_is_digit(words.p[i]);
        if (digit)
            n = n < MOST_TOKENS ? n * 10 + (words.p[i] - '0') : n;
        else if (words.p[i] != ',')
            n = 0;
        most = n > most ? n : most;
    }
    return most;
}

/* Where the estimate is below the window and the provider counts more, the window is made
 * smaller by as much as the estimate is. */
static bool trim(const struct rf_attempt *t, struct rf_arena *a)
{
    struct rf_tokens *tokens = rf_request_tokens(t->request);
    int64_t sent = rf_tokens_total(tokens) + rf_tokens_reserve(tokens);
    int64_t window = t->model->caps.context_tokens;
    int64_t told = largest_number(t->refusal->words);
    rf_tokens_free(tokens);
    if (window && sent > window)
        return false; /* now that the window is known, the plan trims by itself */
    double part = window > 0 && told > window ? 0.95 * (double)window / (double)told : 0.8;
    int64_t goal = (int64_t)((double)sent * part);
    return goal >= LEAST_WINDOW && guess(t->model, "context_tokens", goal, a);
}

/* Words about a member of the request: was it in there? */
static bool was_sent(const struct rf_attempt *t)
{
    const struct rf_plan *p = &t->request->plan;
    const struct rf_phrase *about = rf_phrase_in(RF_PHRASE_MEMBER, t->refusal->words);
    const struct {
        const char *fact;
        bool sent;
    } members[] = { { "sampling", p->temperature || p->top_p },
                    { "answer_schema", p->schema },
                    { "stream_usage", p->stream } };
    for (size_t i = 0; about && i < sizeof members / sizeof *members; i++)
        if (strcmp(about->fact, members[i].fact) == 0)
            return members[i].sent;
    return true;
}

/* The refusal lives no longer than its exchange. */
static void keep_for_later(struct rf_heal *h, const struct rf_attempt *t)
{
    struct rf_refusal r = { .kind = t->refusal->kind,
                            .words = rf_str_dup(h->arena, t->refusal->words),
                            .inner = rf_str_dup(h->arena, t->refusal->inner) };
    if (h->taught_count < RF_HEAL_TRIES)
        h->taught[h->taught_count++] = (struct taught){ r, t->model, t->config };
}

static enum rf_code learn(struct rf_heal *h, const struct rf_attempt *t, struct rf_arena *a,
                          struct rf_healing *out, struct rf_err *err)
{
    struct rf_caps before = t->model->caps;
    size_t fact = rf_fact_count();
    enum rf_code rc = RF_OK;
    if (!t->refusal->foreign && was_sent(t))
        rc = rf_refusal_learn(t->refusal, t->model, t->of_client ? NULL : t->config, &fact, err);
    if (t->of_client && fact < rf_fact_count())
        keep_for_later(h, t);
    bool window = t->refusal->kind == RF_ERROR_CONTEXT_TOO_LONG;
    bool known = fact < rf_fact_count() && differs(&before, &t->model->caps, fact);
    bool trimmed = window && trim(t, a);
    out->again = known || trimmed;
    if (known)
        out->note = rf_strf(a, "%.*s:%.*s takes less than was thought: %s is %.*s from now on",
                            RF_FMT(t->model->provider), RF_FMT(t->model->name), rf_fact_name(fact),
                            RF_FMT(rf_model_fact(t->model, fact)));
    else if (trimmed)
        out->note =
            rf_strf(a, "the conversation is too long for %.*s:%.*s; what is oldest makes room",
                    RF_FMT(t->model->provider), RF_FMT(t->model->name));
    return rc;
}

/* Too large, and nothing says by how much; and not for what is left of this minute. */
static bool shrink(const struct rf_attempt *t, struct rf_arena *a, struct rf_healing *out)
{
    uint64_t length = t->request->body.length;
    bool account = rf_str_contains(t->refusal->words, RF_STR("per minute"));
    if (account || t->refusal->kind != RF_ERROR_TOO_LARGE || length < LEAST_BODY ||
        length > INT64_MAX || !guess(t->model, "max_body_bytes", (int64_t)(length / 4 * 3), a))
        return false;
    out->note = rf_strf(a, "%.*s takes no request of %" PRIu64 " bytes; the oldest files make room",
                        RF_FMT(t->model->provider), length);
    return true;
}

/* Files */

static void narrow_to_new(const struct rf_heal *h, const struct rf_request *r,
                          struct rf_candidates *c, struct rf_arena *a)
{
    bool *stays = RF_ARRAY(a, bool, c->count);
    for (size_t i = 0; i < c->count; i++)
        stays[i] = !is_in(h->accepted, h->accepted_count,
                          cheap_key(asset_of(r, c->decisions[i]), provider_of(r), a));
    rf_candidates_narrow(c, stays);
}

static void narrow_to_others(const struct rf_heal *h, const struct rf_request *r,
                             struct rf_candidates *c, struct rf_arena *a)
{
    bool *stays = RF_ARRAY(a, bool, c->count);
    for (size_t i = 0; h->ruled_out_count && i < c->count; i++)
        stays[i] = !is_in(h->ruled_out, h->ruled_out_count,
                          rf_withheld_key(asset_of(r, c->decisions[i]), a));
    rf_candidates_narrow(c, stays);
}

/* May the file do where something is made of it, though not as it is? */
static bool may_remake(const struct rf_decision *d, const struct rf_refusal *refusal)
{
    const struct rf_asset *f = d->part->asset;
    bool kind = f->kind == RF_KIND_IMAGE || f->kind == RF_KIND_PDF;
    return kind && f->state == RF_ASSET_BYTES && !d->made && refusal->kind != RF_ERROR_UNSUPPORTED;
}

static void withhold_candidates(struct rf_heal *h, const struct rf_attempt *t,
                                const struct rf_candidates *c, bool sure, bool remake,
                                struct rf_arena *a)
{
    struct rf_str reason = rf_heal_reason(t->refusal, a);
    bool lasts =
        remake || t->refusal->kind == RF_ERROR_BAD_MEDIA || t->refusal->kind == RF_ERROR_OTHER;
    for (size_t i = 0; i < c->count; i++) {
        const struct rf_asset *f = asset_of(t->request, c->decisions[i]);
        struct rf_withheld_file one = { .key = rf_withheld_key(f, a),
                                        .from = { provider_of(t->request), reason, remake },
                                        .size = f->state == RF_ASSET_BYTES ? f->bytes.size : 0 };
        struct standing standing = { .pending = true, .unsure = !sure, .lasts = lasts };
        if (one.key.n)
            withhold(h, &one, standing);
    }
}

static struct rf_str note_for(const struct rf_attempt *t, const struct rf_candidates *c,
                              bool remake, struct rf_arena *a)
{
    struct rf_str name = name_of(asset_of(t->request, c->decisions[0]));
    struct rf_str more = c->count > 1 ? rf_strf(a, " and %zu more", c->count - 1) : RF_STR("");
    struct rf_str reason = rf_heal_reason(t->refusal, a);
    return rf_strf(a, "\"%.*s\"%.*s refused by %.*s (%.*s): sent again %s", RF_FMT(name),
                   RF_FMT(more), RF_FMT(t->model->provider), RF_FMT(reason),
                   remake ? "made anew" : "without, as text or a note");
}

static bool is_last(const struct rf_heal *h)
{
    return h->tries == RF_HEAL_TRIES;
}

/* The newer half; with the last try all of them, besides those that are pending. */
static void halve(struct rf_heal *h, struct rf_candidates *c)
{
    size_t out = is_last(h) ? 0 : c->count / 2;
    c->decisions += out;
    c->count -= out;
    for (size_t i = 0; is_last(h) && i < h->count; i++)
        h->standings[i].unsure |= h->standings[i].pending;
}

/* Fewer candidates, by what is known here: what was taken before, what was left out before, what
 * can be decoded. True: those that are left cannot be. */
static bool narrow(const struct rf_heal *h, const struct rf_request *r, struct rf_candidates *c,
                   struct rf_arena *a)
{
    if (c->by == RF_CANDIDATES_PLACE && c->count == 1)
        return false;
    narrow_to_new(h, r, c, a);
    if (!is_last(h))
        narrow_to_others(h, r, c, a);
    return (c->count > 1 || c->by == RF_CANDIDATES_VAGUE) && rf_candidates_decode(r, c, a);
}

static bool find_rejected(struct rf_heal *h, const struct rf_attempt *t, struct rf_arena *a,
                          struct rf_healing *out)
{
    struct rf_candidates c;
    rf_candidates_find(t->request, t->refusal, a, &c);
    if (c.by == RF_CANDIDATES_NONE || !c.count)
        return false;
    bool broken = narrow(h, t->request, &c, a), sure = c.count == 1 || broken;
    if (c.by == RF_CANDIDATES_VAGUE && !broken)
        return false;
    if (sure)
        rule_out_pending(h);
    else
        halve(h, &c);
    bool remake =
        sure && c.count == 1 && may_remake(&t->request->plan.decisions[c.decisions[0]], t->refusal);
    withhold_candidates(h, t, &c, sure || (c.count == 1 && !is_last(h)), remake, a);
    out->note = note_for(t, &c, remake, a);
    return true;
}

/* Each can be tried once only: that is limit enough. */
static bool tries_form(struct rf_heal *h, const struct rf_attempt *t, struct rf_arena *a,
                       struct rf_healing *out)
{
    bool about_form =
        t->refusal->kind == RF_ERROR_UNSUPPORTED || t->refusal->kind == RF_ERROR_OTHER;
    if (!about_form || t->refusal->status >= 500 || !rf_forms_try(h->forms, t, a, &out->note))
        return false;
    h->tries--;
    return true;
}

static bool may_heal(enum rf_error_kind kind)
{
    switch (kind) {
    case RF_ERROR_NONE:
    case RF_ERROR_AUTHENTICATION:
    case RF_ERROR_PERMISSION:
    case RF_ERROR_RATE_LIMIT:
    case RF_ERROR_OVERLOADED:
        return false;
    case RF_ERROR_CONTEXT_TOO_LONG:
    case RF_ERROR_TOO_LARGE:
    case RF_ERROR_BAD_MEDIA:
    case RF_ERROR_UNSUPPORTED:
    case RF_ERROR_NOT_FOUND:
    case RF_ERROR_OTHER:
        break;
    }
    return true;
}

enum rf_code rf_heal_refused(struct rf_heal *h, const struct rf_attempt *t, struct rf_arena *a,
                             struct rf_healing *out, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    *out = (struct rf_healing){ 0 };
    if (!may_heal(t->refusal->kind) || h->tries >= RF_HEAL_TRIES) {
        rule_out_pending(h);
        rf_forms_undo(h->forms);
        return RF_OK;
    }
    h->tries++;
    rc = learn(h, t, a, out, err);
    if (!out->again) {
        if (!is_last(h))
            rule_out_pending(h);
        out->again = t->refusal->kind != RF_ERROR_CONTEXT_TOO_LONG &&
                     (rf_forms_believe(h->forms, t, a, &out->note) || find_rejected(h, t, a, out) ||
                      tries_form(h, t, a, out) || shrink(t, a, out));
    }
    if (!out->again) {
        rule_out_pending(h);
        out->first = rf_forms_undo(h->forms);
    }
    return rc;
}

/* Answers */

static enum rf_code keep(struct rf_heal *h, size_t i, struct rf_session *session,
                         struct rf_err *err)
{
    const struct rf_withheld_file *one = &h->files[i];
    struct standing *standing = &h->standings[i];
    bool sure = standing->pending && !standing->unsure;
    standing->pending = false;
    standing->found |= sure && standing->lasts;
    if (!sure || !standing->lasts || !session || !rf_str_starts(one->key, "sha256:"))
        return RF_OK;
    enum rf_code rc =
        one->from.remake
            ? rf_session_remade(session, one->key.p, one->from.provider.p, one->from.reason, err)
            : rf_session_quarantine(session, one->key.p, one->from.provider.p, one->from.reason,
                                    err);
    return rc == RF_ENOTFOUND ? RF_OK
                              : rc; /* a file that hides in a text: it stays withheld here */
}

/* As media, or with media in it. */
static bool is_sent(const struct rf_decision *d)
{
    return rf_decision_is_sent(d) || d->pictures_kept;
}

/* What was to be made anew and could not be: words were taken instead, so words it is. */
static void check_remade(struct rf_heal *h, const struct rf_request *r)
{
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < h->count; i++) {
        bool sent = false;
        if (!h->standings[i].pending || !h->files[i].from.remake)
            continue;
        for (size_t k = 0; k < r->plan.decision_count; k++)
            sent |= is_sent(&r->plan.decisions[k]) &&
                    rf_str_eq(rf_withheld_key(asset_of(r, k), a), h->files[i].key);
        h->files[i].from.remake = sent;
    }
    rf_arena_free(a);
}

static void remember(struct rf_heal *h, const struct rf_request *r)
{
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < r->plan.decision_count; i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        if (!is_sent(d))
            continue;
        struct rf_str key = cheap_key(d->part->asset, provider_of(r), a);
        if (h->accepted_count < MOST_ACCEPTED && !is_in(h->accepted, h->accepted_count, key))
            *RF_PUSH(h->arena, h->accepted, h->accepted_count, h->accepted_cap) =
                rf_str_dup(h->arena, key);
    }
    rf_arena_free(a);
}

enum rf_code rf_heal_learn(struct rf_heal *h, const struct rf_request *r, struct rf_err *err)
{
    enum rf_code rc = rf_forms_learn(h->forms, r, err);
    for (size_t i = 0; i < h->taught_count; i++) {
        const struct taught *t = &h->taught[i];
        size_t fact;
        if (r->plan.model != t->model)
            continue;
        enum rf_code one =
            rf_refusal_learn(&t->refusal, t->model, t->config, &fact, rc ? NULL : err);
        rc = rc ? rc : one;
    }
    h->taught_count = 0;
    return rc;
}

enum rf_code rf_heal_accepted(struct rf_heal *h, struct rf_session *session, struct rf_request *r,
                              struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    bool found = false;
    h->tries = 0;
    h->ruled_out_count = 0;
    remember(h, r);
    check_remade(h, r);
    for (size_t i = 0; i < h->count; i++)
        found |= h->standings[i].pending && !h->standings[i].unsure;
    if (found) /* so it was none of the others */
        release_unsure(h, h->count);
    for (size_t i = 0; i < h->count; i++) {
        enum rf_code one = keep(h, i, session, rc ? NULL : err);
        rc = rc ? rc : one;
    }
    return rc;
}

const struct rf_withheld_file *rf_heal_found(const struct rf_heal *h, size_t *at)
{
    while (*at < h->count)
        if (h->standings[(*at)++].found)
            return &h->files[*at - 1];
    return NULL;
}
