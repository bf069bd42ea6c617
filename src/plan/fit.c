/* From decisions to numbers for joint.c, and back.
 *
 * Every file becomes a share: what it costs at each level that it could go down to. For a PDF of 40
 * pages that is taken as it is:
 *
 *     FULL    the document                     1 document, 40 pages, 5.3 MB, 72,000 tokens
 *     SMALL   its first n pages, n < 40        1 document, n pages, what n of 40 pages cost
 *     TEXT    its text and a note              160 KB, 20,000 tokens
 *     NOTE    a note                           700 bytes, 140 tokens
 *
 * Text that a worker has to extract is a level only of files that no request had yet, and at most
 * an eighth of the window. joint.c says at which level each file ends and how many pages are kept;
 * the decision is changed to that (`lower`), which may call for another recipe. "Fewer pages" is a
 * new document of the first pages, or pictures of them; of a text that stands for a file it is its
 * first pieces (pieces.h), after which come the pictures in it, one by one.
 *
 * What things cost is cost.c's, and how room is made joint.c's, which sees numbers alone. */
#include "plan/fit.h"

#include "base/arena.h"
#include "model/tokens.h"
#include "plan/cost.h"
#include "plan/words.h"

struct rung {
    struct rf_decision full, small, words; /* `words`: its text, or the front of it */
    struct rf_pieces pieces;               /* of the text that it goes as */
    bool has_small, has_words;
};

static void set_pages(const struct rf_question *q, const struct rf_decision *d, struct rung *r,
                      struct rf_share *s)
{
    bool words = rf_decision_is_words(d);
    if (words && d->delivery == RF_DELIVERY_TEXT && !rf_convert_is_front(d)) {
        r->pieces = rf_pieces_of(d, q->arena);
        size_t count = r->pieces.count;
        if (count + d->pictures_kept < 2)
            return;
        s->pages = count + d->pictures_kept;
        s->upto = rf_cost_pieces(q, d, &r->pieces);
        s->costs[RF_LEVEL_FULL].tokens +=
            s->upto[count].tokens - rf_text_tokens(q->caps, r->pieces.text);
    } else if (!words && q->options->convert && rf_cost_is_paged(q, d)) {
        s->pages = (size_t)d->pages;
        s->paged = rf_cost_pages(q, d);
    }
}

/* Can a worker extract its text? */
static bool is_readable(const struct rf_question *q)
{
    return q->options->convert && q->asset->state == RF_ASSET_BYTES &&
           q->asset->kind == RF_KIND_PDF;
}

/* The first pieces of a text, as many as it may have. */
static void keep_front(const struct rf_question *q, struct rf_decision *d)
{
    struct rf_pieces p = rf_pieces_of(d, q->arena);
    struct rf_weighing weighing = { 0 };
    int64_t most = rf_cost_most_words(q);
    size_t kept = 0;
    for (size_t at = 0; kept < p.count; at = p.list[kept++].end) {
        rf_weighing_add(&weighing, (struct rf_str){ p.text.p + at, p.list[kept].end - at });
        struct rf_text_weight weight = rf_weighing_now(&weighing);
        if (most && kept && rf_weight_tokens(q->caps, &weight) > most)
            break;
    }
    d->kept = kept < p.count ? kept : 0;
    d->text = rf_pieces_front(&p, kept);
}

/* What could stand for the file when there is no room for it: the text that is known, the front
 * of a long one, or what a worker can extract. */
static void set_words(const struct rf_question *q, const struct rf_decision *d, struct rung *r,
                      struct rf_share *s)
{
    bool known = rf_decision_text(d).n;
    s->costs[RF_LEVEL_NOTE] = s->costs[RF_LEVEL_TEXT] = rf_cost_note(q);
    if (rf_decision_is_words(d))
        return;
    r->words = (struct rf_decision){ .part = d->part, .message = d->message };
    r->has_words = !known && rf_convert_front(q, &r->words);
    if (!known && is_readable(q) && rf_convert_text(q, &r->words))
        r->has_words = s->text_when_new = true;
    if (s->text_when_new && r->words.made)
        keep_front(q, &r->words);
    if (known)
        s->costs[RF_LEVEL_TEXT] = rf_cost_text(q, d);
    else if (r->has_words)
        s->costs[RF_LEVEL_TEXT] =
            s->text_when_new && !r->words.made ? rf_cost_untold(q, d) : rf_cost_text(q, &r->words);
}

static void set_costs(const struct rf_question *q, const struct rf_decision *d, struct rung *r,
                      struct rf_share *s)
{
    bool answer = d->message->message->role == RF_ROLE_ASSISTANT;
    r->full = r->small = *d;
    r->has_small = !rf_decision_is_words(d) && !d->inlined && q->options->convert && !answer &&
                   rf_convert_smaller(q, &r->small);
    set_words(q, d, r, s);
    s->costs[RF_LEVEL_FULL] = rf_cost_of(q, d);
    s->costs[RF_LEVEL_SMALL] = r->has_small ? rf_cost_of(q, &r->small) : s->costs[RF_LEVEL_FULL];
    set_pages(q, d, r, s);
}

/* Of a document its first pages, of a text its first pieces; of others what was made of them
 * before. */
static void keep_less(const struct rf_question *q, struct rf_decision *d, const struct rung *r,
                      const struct rf_share *s)
{
    *d = r->full;
    if (s->pages <= 1) {
        *d = r->small;
    } else if (rf_decision_is_words(d)) {
        size_t texts = r->pieces.count;
        d->pictures_kept = s->kept > texts ? s->kept - texts : 0;
        d->kept = s->kept < texts ? s->kept : 0;
        if (d->kept)
            d->text = rf_pieces_front(&r->pieces, s->kept);
    } else if (!rf_convert_fewer(q, d, (int64_t)s->kept)) {
        d->delivery = RF_DELIVERY_OMITTED;
    }
}

static struct rf_str why_lower(const struct rf_share *s)
{
    if (!s->limit_name)
        return RF_STR("this request carries no files");
    if (strcmp(s->limit_name, "context_tokens") == 0)
        return RF_STR("the model's window is full");
    return s->never_sent ? RF_STR("the files of this message are more than a request may hold")
                         : RF_STR("newer files take up what a request may hold");
}

static void lower(const struct rf_question *q, struct rf_decision *d, const struct rung *r,
                  const struct rf_share *s)
{
    if (s->level == RF_LEVEL_SMALL)
        keep_less(q, d, r, s);
    else
        *d = r->full;
    if (s->level == RF_LEVEL_FULL)
        return;
    d->limit_name = s->limit_name;
    d->limit = s->limit;
    if (s->level == RF_LEVEL_SMALL && d->delivery != RF_DELIVERY_OMITTED)
        return;
    bool words = s->level == RF_LEVEL_TEXT && r->has_words;
    d->recipe = words ? r->words.recipe : (struct rf_recipe){ 0 };
    d->made = words ? r->words.made : NULL;
    if (words) {
        d->text = r->words.text;
        d->kept = r->words.kept;
    }
    d->inlined = false;
    d->pictures_kept = 0;
    d->tokens = -1;
    d->examine &=
        q->asset->kind == RF_KIND_PDF; /* a picture that is not sent need not be looked at */
    d->evicted = s->limit_name;
    d->never_sent = s->never_sent;
    d->reason = why_lower(s);
    bool text = !rf_decision_is_words(&r->full) && rf_decision_text(&r->full).n;
    if (s->level == RF_LEVEL_TEXT && (words || text)) {
        d->delivery = RF_DELIVERY_TEXT;
        d->as =
            rf_convert_is_front(d) ? RF_STR(RF_WORDS_FRONT) : RF_STR("extracted text and a note");
    } else {
        d->delivery = RF_DELIVERY_OMITTED;
        d->as = RF_STR("a note");
    }
}

/* A message that is left out takes its files with it. */
static void leave_out(const struct rf_question *q, struct rf_decision *d, const struct rung *r,
                      struct rf_share *s, const struct rf_joint_message *m)
{
    s->level = RF_LEVEL_NOTE;
    s->limit_name = m->limit_name;
    s->limit = m->limit;
    lower(q, d, r, s);
    d->as = RF_STR("a line for all messages that were left out");
}

static struct rf_demand measure_messages(struct rf_plan *p, const struct rf_survey *s,
                                         enum rf_scale scale)
{
    struct rf_demand sum = { 0 };
    for (size_t i = 0; i < s->count; i++) {
        struct rf_joint_message *m = &p->messages[i];
        rf_cost_message(&p->model->caps, scale, &s->messages[i], &p->pairing->messages[i], m);
        sum.tokens += m->tokens;
        sum.bytes += m->bytes;
        sum.text += m->text_bytes;
    }
    return sum;
}

static bool is_within(int64_t sum, int64_t limit)
{
    return !limit || sum <= limit;
}

/* Most requests are far from every limit. That is told by the lengths of their texts, of which none
 * has to be read, and by what each file costs as it was decided. A text that stands for a file is
 * not looked at here: it is measured by its pieces. */
static bool fits_by_length(struct rf_plan *p, const struct rf_survey *s,
                           const struct rf_question *questions,
                           const struct rf_joint_limits *limits)
{
    struct rf_demand sum = measure_messages(p, s, RF_SCALE_LENGTH);
    sum.bytes += rf_cost_fixed_bytes(p->conversation, RF_SCALE_LENGTH);
    sum.tokens += rf_cost_fixed_tokens(p, RF_SCALE_LENGTH);
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_decision *d = &p->decisions[i];
        if (d->delivery == RF_DELIVERY_TEXT && !d->inlined)
            return false;
        sum = rf_demand_plus(sum, 1, rf_cost_of(&questions[i], d));
    }
    return is_within(sum.images, limits->images) && is_within(sum.documents, limits->documents) &&
           is_within(sum.pages, limits->pages) && is_within(sum.bytes, limits->bytes) &&
           is_within(sum.text, limits->text) && is_within(sum.tokens, limits->tokens);
}

void rf_plan_fit(struct rf_plan *p, const struct rf_survey *s, const struct rf_question *questions,
                 struct rf_arena *a)
{
    const struct rf_caps *c = &p->model->caps;
    struct rf_joint_limits limits = {
        .images = c->max_images,
        .documents = c->max_documents,
        .pages = c->max_pdf_pages,
        .bytes = c->max_body_bytes,
        .text = c->max_text_bytes,
        .tokens = rf_cost_window(p),
    };
    bool no_media = p->decision_count && questions[0].options->no_media;
    p->messages = RF_ARRAY(a, struct rf_joint_message, s->count);
    if (!no_media && fits_by_length(p, s, questions, &limits))
        return;
    struct rf_share *shares = RF_ARRAY(a, struct rf_share, p->decision_count);
    struct rung *rungs = RF_ARRAY(a, struct rung, p->decision_count);
    measure_messages(p, s, RF_SCALE_EXACT);
    limits.fixed_bytes = rf_cost_fixed_bytes(p->conversation, RF_SCALE_EXACT);
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_decision *d = &p->decisions[i];
        shares[i].message = d->message->index;
        shares[i].of_tool = d->message->message->role == RF_ROLE_TOOL;
        set_costs(&questions[i], d, &rungs[i], &shares[i]);
    }
    for (size_t i = 0; no_media && i < p->decision_count; i++)
        shares[i].level = RF_LEVEL_NOTE;
    rf_joint(&limits, rf_cost_fixed_tokens(p, RF_SCALE_EXACT), p->messages, s->count, shares,
             p->decision_count);
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_joint_message *m = &p->messages[shares[i].message];
        if (m->fate == RF_FATE_GONE)
            leave_out(&questions[i], &p->decisions[i], &rungs[i], &shares[i], m);
        else
            lower(&questions[i], &p->decisions[i], &rungs[i], &shares[i]);
    }
}
