/* One refusal, one change, one more try.
 *
 * A file that is held back is on trial until the next answer: when that comes, the file was what
 * was wrong, and it goes into quarantine, or is made anew from then on; when it does not, the
 * file is let go again. Several at once (a half, when nobody knows which) are held back as
 * unproven, and half of them are let go with each new question, until one is left. */
#include "agent/heal/heal.h"

#include "agent/heal/suspects.h"
#include "base/arena.h"
#include "model/facts.h"
#include "request/withhold.h"

#include <refract/learned.h>
#include <refract/tokens.h>

#include <inttypes.h>
#include <stdio.h>

#define LEAST_WINDOW 2048              /* tokens that a window is never trimmed below */
#define MOST_TOKENS ((int64_t)1 << 40) /* that a number in words can mean */
#define LEAST_BODY ((uint64_t)1 << 20) /* bytes of a body that can be too large without saying so */
#define MOST_ACCEPTED 4096             /* files that are remembered as taken */
#define MOST_REASON 200                /* bytes of a provider's words in a note */

/* What is known of a hold, beside it. */
struct held {
    bool on_trial, unproven;
    bool keeps; /* in the session, once it is proven */
};

struct rf_heal {
    struct rf_arena *arena;
    int tries;
    struct rf_withheld_file *holds;
    struct held *about; /* as many */
    size_t count, cap, about_cap;
    struct rf_str *accepted; /* "PROVIDER KEY" */
    size_t accepted_count, accepted_cap;
    struct rf_str
        *cleared; /* keys of files that were left out of a request that was refused all the same */
    size_t cleared_count, cleared_cap;
};

struct rf_heal *rf_heal_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_heal *h = RF_NEW(a, struct rf_heal);
    h->arena = a;
    return h;
}

void rf_heal_free(struct rf_heal *h)
{
    if (h)
        rf_arena_free(h->arena);
}

void rf_heal_apply(const struct rf_heal *h, struct rf_request_options *o)
{
    rf_request_options_withhold(o, h->holds, h->count);
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

/* Holds */

static void let_go(struct rf_heal *h, size_t i)
{
    h->count--;
    for (; i < h->count; i++) {
        h->holds[i] = h->holds[i + 1];
        h->about[i] = h->about[i + 1];
    }
}

/* What was on trial was not it. */
static void acquit(struct rf_heal *h)
{
    for (size_t i = h->count; i-- > 0;) {
        if (!h->about[i].on_trial)
            continue;
        if (!h->holds[i].from.remake)
            *RF_PUSH(h->arena, h->cleared, h->cleared_count, h->cleared_cap) = h->holds[i].key;
        let_go(h, i);
    }
}

static void let_go_unproven(struct rf_heal *h, size_t most)
{
    for (size_t i = h->count; most && i-- > 0;)
        if (h->about[i].unproven) {
            let_go(h, i);
            most--;
        }
}

void rf_heal_begin(struct rf_heal *h)
{
    size_t unproven = 0;
    h->tries = 0;
    acquit(h);
    h->cleared_count = 0;
    for (size_t i = 0; i < h->count; i++)
        unproven += h->about[i].unproven;
    if (unproven > 1)
        let_go_unproven(h, (unproven + 1) / 2);
    for (size_t i = 0; unproven == 1 && i < h->count; i++) /* all others were taken since */
        if (h->about[i].unproven)
            h->about[i] = (struct held){ .on_trial = true, .keeps = h->about[i].keeps };
}

static void hold(struct rf_heal *h, const struct rf_withheld_file *new_one, struct held about)
{
    size_t i = 0;
    while (i < h->count && !(rf_str_eq(h->holds[i].key, new_one->key) &&
                             rf_str_eq(h->holds[i].from.provider, new_one->from.provider)))
        i++;
    if (i == h->count) {
        h->holds = rf_arena_room(h->arena, h->holds, h->count, &h->cap, sizeof *h->holds);
        h->about = rf_arena_room(h->arena, h->about, h->count, &h->about_cap, sizeof *h->about);
        h->count++;
    }
    h->holds[i] = (struct rf_withheld_file){
        .key = rf_str_dup(h->arena, new_one->key),
        .from.provider = rf_str_dup(h->arena, new_one->from.provider),
        .from.reason = rf_str_dup(h->arena, new_one->from.reason),
        .from.remake = new_one->from.remake,
    };
    h->about[i] = about;
}

static struct rf_str reason_of(const struct rf_refusal *refusal, struct rf_arena *a)
{
    struct rf_str s = rf_str_trim(refusal->words);
    size_t n = s.n < MOST_REASON ? s.n : MOST_REASON;
    while (n < s.n && n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    char *copy = rf_arena_alloc(a, n + 1);
    memcpy(copy, s.p, n);
    rf_clean_controls(copy);
    return (struct rf_str){ copy, strlen(copy) };
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

/* Only this model, and only while it is open: a guess is no lesson. */
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
        bool digit = words.p[i] >= '0' && words.p[i] <= '9';
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
static bool trim(const struct rf_patient *p, struct rf_arena *a)
{
    struct rf_tokens *t = rf_request_tokens(p->request);
    int64_t sent = rf_tokens_total(t) + rf_tokens_reserve(t),
            window = p->model->caps.context_tokens;
    int64_t told = largest_number(p->refusal->words);
    rf_tokens_free(t);
    if (window && sent > window)
        return false; /* now that the window is known, the plan trims by itself */
    double part = window > 0 && told > window ? 0.95 * (double)window / (double)told : 0.8;
    int64_t goal = (int64_t)((double)sent * part);
    return goal >= LEAST_WINDOW && guess(p->model, "context_tokens", goal, a);
}

static enum rf_code learn(const struct rf_patient *p, struct rf_arena *a, struct rf_healing *out,
                          struct rf_err *err)
{
    struct rf_caps before = p->model->caps;
    size_t fact = rf_fact_count();
    enum rf_code rc = RF_OK;
    if (!p->refusal->foreign)
        rc = rf_refusal_learn(p->refusal, p->model, p->config, &fact, err);
    bool window = p->refusal->kind == RF_ERROR_CONTEXT_TOO_LONG;
    bool known = fact < rf_fact_count() && differs(&before, &p->model->caps, fact);
    bool trimmed = window && trim(p, a);
    out->again = known || trimmed;
    if (known)
        out->note = rf_strf(a, "%.*s:%.*s takes less than was thought: %s is %.*s from now on",
                            RF_FMT(p->model->provider), RF_FMT(p->model->name), rf_fact_name(fact),
                            RF_FMT(rf_model_fact(p->model, fact)));
    else if (trimmed)
        out->note =
            rf_strf(a, "the conversation is too long for %.*s:%.*s; what is oldest makes room",
                    RF_FMT(p->model->provider), RF_FMT(p->model->name));
    return rc;
}

/* Too large, and nobody says by how much. */
static bool shrink(const struct rf_patient *p, struct rf_arena *a, struct rf_healing *out)
{
    uint64_t length = p->request->body.length;
    bool account = rf_str_contains(p->refusal->words, RF_STR("per minute"));
    if (account || p->refusal->kind != RF_ERROR_TOO_LARGE || length < LEAST_BODY ||
        length > INT64_MAX || !guess(p->model, "max_body_bytes", (int64_t)(length / 4 * 3), a))
        return false;
    out->note = rf_strf(a, "%.*s takes no request of %" PRIu64 " bytes; the oldest files make room",
                        RF_FMT(p->model->provider), length);
    return true;
}

/* The model takes no files of that kind at all. */
static bool close_eyes(const struct rf_patient *p, struct rf_arena *a, struct rf_healing *out)
{
    const char *fact = rf_suspects_unseen(p->refusal->words);
    struct rf_caps before = p->model->caps;
    const struct rf_fact *f = fact ? rf_fact_find(rf_str(fact)) : NULL;
    if (!f || rf_model_teach(p->model, rf_str(fact), RF_STR("no"), RF_STR(""), RF_STR(""), NULL) ||
        !differs(&before, &p->model->caps, (size_t)(f - rf_facts)))
        return false;
    out->note = rf_strf(a, "%.*s:%.*s does not take such files (%.*s); they go as text from now on",
                        RF_FMT(p->model->provider), RF_FMT(p->model->name),
                        RF_FMT(reason_of(p->refusal, a)));
    return true;
}

/* Files */

static void narrow_to_new(const struct rf_heal *h, const struct rf_request *r,
                          struct rf_suspects *s, struct rf_arena *a)
{
    bool *stays = RF_ARRAY(a, bool, s->count);
    for (size_t i = 0; i < s->count; i++)
        stays[i] = !is_in(h->accepted, h->accepted_count,
                          cheap_key(asset_of(r, s->decisions[i]), provider_of(r), a));
    rf_suspects_narrow(s, stays);
}

static void narrow_to_uncleared(const struct rf_heal *h, const struct rf_request *r,
                                struct rf_suspects *s, struct rf_arena *a)
{
    bool *stays = RF_ARRAY(a, bool, s->count);
    for (size_t i = 0; h->cleared_count && i < s->count; i++)
        stays[i] =
            !is_in(h->cleared, h->cleared_count, rf_withheld_key(asset_of(r, s->decisions[i]), a));
    rf_suspects_narrow(s, stays);
}

/* May the file do where something is made of it, though not as it is? */
static bool may_remake(const struct rf_decision *d, const struct rf_refusal *refusal)
{
    const struct rf_asset *f = d->part->asset;
    bool kind = f->kind == RF_KIND_IMAGE || f->kind == RF_KIND_PDF;
    return kind && f->state == RF_ASSET_BYTES && !d->made && refusal->kind != RF_ERROR_UNSUPPORTED;
}

static void hold_suspects(struct rf_heal *h, const struct rf_patient *p,
                          const struct rf_suspects *s, bool sure, bool remake, struct rf_arena *a)
{
    struct rf_str reason = reason_of(p->refusal, a);
    bool keeps =
        remake || p->refusal->kind == RF_ERROR_BAD_MEDIA || p->refusal->kind == RF_ERROR_OTHER;
    for (size_t i = 0; i < s->count; i++) {
        struct rf_withheld_file one = { rf_withheld_key(asset_of(p->request, s->decisions[i]), a),
                                        { provider_of(p->request), reason, remake } };
        struct held about = { .on_trial = true, .unproven = !sure, .keeps = keeps };
        if (one.key.n)
            hold(h, &one, about);
    }
}

static struct rf_str note_for(const struct rf_patient *p, const struct rf_suspects *s, bool remake,
                              struct rf_arena *a)
{
    struct rf_str name = name_of(asset_of(p->request, s->decisions[0]));
    struct rf_str more = s->count > 1 ? rf_strf(a, " and %zu more", s->count - 1) : RF_STR("");
    struct rf_str reason = reason_of(p->refusal, a);
    return rf_strf(a, "\"%.*s\"%.*s refused by %.*s (%.*s): sent again %s", RF_FMT(name),
                   RF_FMT(more), RF_FMT(p->model->provider), RF_FMT(reason),
                   remake ? "made anew" : "without, as text or a note");
}

static bool is_last(const struct rf_heal *h)
{
    return h->tries == RF_HEAL_TRIES;
}

/* The newer half; with the last try all of them, and those that were on trial before. */
static void halve(struct rf_heal *h, struct rf_suspects *s)
{
    size_t out = is_last(h) ? 0 : s->count / 2;
    s->decisions += out;
    s->count -= out;
    for (size_t i = 0; is_last(h) && i < h->count; i++)
        h->about[i].unproven |= h->about[i].on_trial;
}

/* Fewer suspects, by what is known here: what was taken before, what was left out before, what
 * can be decoded. */
static bool narrow(const struct rf_heal *h, const struct rf_request *r, struct rf_suspects *s,
                   struct rf_arena *a)
{
    if (s->suspicion == RF_SUSPECT_PLACE && s->count == 1)
        return false;
    narrow_to_new(h, r, s, a);
    if (!is_last(h))
        narrow_to_uncleared(h, r, s, a);
    return (s->count > 1 || s->suspicion == RF_SUSPECT_VAGUE) && rf_suspects_decode(r, s, a);
}

static bool blame(struct rf_heal *h, const struct rf_patient *p, struct rf_arena *a,
                  struct rf_healing *out)
{
    struct rf_suspects s;
    rf_suspects_find(p->request, p->refusal, a, &s);
    if (s.suspicion == RF_SUSPECT_NONE || !s.count)
        return false;
    bool broken = narrow(h, p->request, &s, a), sure = s.count == 1 || broken;
    if (s.suspicion == RF_SUSPECT_VAGUE && !broken)
        return false;
    if (sure)
        acquit(h);
    else
        halve(h, &s);
    bool remake =
        sure && s.count == 1 && may_remake(&p->request->plan.decisions[s.decisions[0]], p->refusal);
    hold_suspects(h, p, &s, sure || (s.count == 1 && !is_last(h)), remake, a);
    out->note = note_for(p, &s, remake, a);
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

enum rf_code rf_agent_heal(struct rf_heal *h, const struct rf_patient *p, struct rf_arena *a,
                           struct rf_healing *out, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    *out = (struct rf_healing){ 0 };
    if (!may_heal(p->refusal->kind) || h->tries >= RF_HEAL_TRIES) {
        acquit(h);
        return RF_OK;
    }
    h->tries++;
    rc = learn(p, a, out, err);
    if (!out->again) {
        if (!is_last(h))
            acquit(h);
        out->again = p->refusal->kind != RF_ERROR_CONTEXT_TOO_LONG &&
                     (close_eyes(p, a, out) || blame(h, p, a, out) || shrink(p, a, out));
    }
    if (!out->again)
        acquit(h);
    return rc;
}

/* Answers */

static enum rf_code settle(struct rf_heal *h, size_t i, struct rf_session *session,
                           struct rf_err *err)
{
    const struct rf_withheld_file *one = &h->holds[i];
    struct held *about = &h->about[i];
    bool proven = about->on_trial && !about->unproven;
    about->on_trial = false;
    if (!proven || !about->keeps || !session || !rf_str_starts(one->key, "sha256:"))
        return RF_OK;
    enum rf_code rc =
        one->from.remake
            ? rf_session_remade(session, one->key.p, one->from.provider.p, one->from.reason, err)
            : rf_session_quarantine(session, one->key.p, one->from.provider.p, one->from.reason,
                                    err);
    return rc == RF_ENOTFOUND ? RF_OK : rc; /* a file that hides in a text: it stays held here */
}

static bool is_sent(const struct rf_decision *d)
{
    return d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK;
}

/* What was to be made anew and could not be: words were taken instead, so words it is. */
static void check_remade(struct rf_heal *h, const struct rf_request *r)
{
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < h->count; i++) {
        bool sent = false;
        if (!h->about[i].on_trial || !h->holds[i].from.remake)
            continue;
        for (size_t k = 0; k < r->plan.decision_count; k++)
            sent |= is_sent(&r->plan.decisions[k]) &&
                    rf_str_eq(rf_withheld_key(asset_of(r, k), a), h->holds[i].key);
        h->holds[i].from.remake = sent;
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

enum rf_code rf_heal_accepted(struct rf_heal *h, struct rf_session *session, struct rf_request *r,
                              struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    bool found = false;
    h->tries = 0;
    h->cleared_count = 0;
    remember(h, r);
    check_remade(h, r);
    for (size_t i = 0; i < h->count; i++)
        found |= h->about[i].on_trial && !h->about[i].unproven;
    if (found) /* so it was none of the others */
        let_go_unproven(h, h->count);
    for (size_t i = 0; i < h->count; i++) {
        enum rf_code one = settle(h, i, session, rc ? NULL : err);
        rc = rc ? rc : one;
    }
    return rc;
}
