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
 * Costs are upper bounds from what is known without a worker: sizes, limits of recipes, formulas. A
 * bound must not change when the thing is made, or the plan that is made then would ask for
 * something else again. The text of a message is measured as it stands in the conversation. It does
 * not know how room is made: joint.c does, from numbers alone. */
#include "plan/fit.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/json_escape.h"
#include "base/limits.h"
#include "model/calibration.h"
#include "model/tokens.h"
#include "plan/joint.h"
#include "plan/pairing.h"
#include "plan/pieces.h"
#include "plan/settings.h"
#include "plan/words.h"

#define NOTE_BYTES 700
#define NOTE_TOKENS 140
#define PLACE_TOKENS 60   /* of the reference and the introduction to a file after its result */
#define LINE_TOKENS 40    /* of a line about a result: it failed, it has no call, there is none */
#define CAPTION_TOKENS 24 /* of what stands before each page or frame, without the name */
#define REST_TOKENS 48    /* of the line that says what is not sent of a file, without the name */
/* What the wordiest dialect writes around a thing. */
#define FRAME_BYTES 1000        /* a request */
#define TURN_BYTES 200          /* a message */
#define PART_BYTES 200          /* a part of one, a tool */
#define FILE_BYTES 500          /* a file, with its reference and introduction */
#define UNKNOWN_TOKENS 1600     /* of media whose cost is unknown */
#define ABSURD_TOKENS 100000000 /* a file that says such a thing of itself is not believed */
#define WORDS_PART 8            /* of the window, for the text of one document */
#define TOKEN_BYTES 8           /* as JSON */
#define USUAL_ANSWER 4096       /* tokens, where it is not said how long one may be */

/* What a file costs when words stand for it. */

static int64_t spelled(struct rf_str text)
{
    return (int64_t)rf_json_escaped_length(text);
}

/* Its name, and what the tool says of it. */
static struct rf_demand note_cost(const struct rf_question *q)
{
    struct rf_str name = q->asset->name, said = q->asset->block->text_fallback;
    return (struct rf_demand){
        .bytes = NOTE_BYTES + spelled(name) + spelled(said),
        .tokens = NOTE_TOKENS + rf_text_tokens(q->caps, name) + rf_text_tokens(q->caps, said),
    };
}

/* At most, so that it is the same before and after it is made. */
static struct rf_demand front_cost(const struct rf_question *q)
{
    struct rf_demand c = note_cost(q);
    c.bytes += 2 * RF_FRONT_BYTES;
    c.tokens += RF_FRONT_TOKENS;
    return c;
}

static struct rf_demand picture_cost(const struct rf_question *q, const struct rf_decision *d)
{
    struct rf_demand c = rf_convert_picture_cost(q, d);
    c.tokens = (c.tokens < 0 ? UNKNOWN_TOKENS : c.tokens) + PLACE_TOKENS;
    c.bytes += FILE_BYTES + 2 * spelled(d->part->asset->name);
    return c;
}

static struct rf_demand text_cost(const struct rf_question *q, const struct rf_decision *d)
{
    struct rf_str text = rf_decision_text(d);
    struct rf_demand c = note_cost(q);
    if (rf_convert_is_front(d))
        return front_cost(q);
    c.bytes += spelled(text);
    c.tokens += rf_text_tokens(q->caps, text);
    for (size_t i = 0; i < d->pictures_kept; i++)
        c = rf_demand_plus(c, 1, picture_cost(q, &d->pictures[i]));
    return c;
}

/* In tokens as we estimate them: a provider that counts more leaves less room. */
static int64_t window(const struct rf_plan *p)
{
    int64_t context = p->model->caps.context_tokens;
    int64_t answer = rf_plan_answer_tokens(p->conversation, p->model);
    if (!context)
        return 0;
    int64_t room = context - (answer                   ? answer
                              : USUAL_ANSWER < context ? USUAL_ANSWER
                                                       : context / 2);
    return rf_calibrated_room(&p->model->calibration, room);
}

/* Of a document that has no room otherwise, so much text; 0: all. */
static int64_t most_words(const struct rf_question *q)
{
    int64_t part = window(q->plan) / WORDS_PART;
    return part && part < RF_FRONT_TOKENS ? RF_FRONT_TOKENS : part;
}

/* A text that a worker has yet to extract, as its pages were weighed. */
static struct rf_demand told_cost(const struct rf_question *q, const struct rf_decision *full)
{
    struct rf_text_weight weight = q->asset->weight;
    struct rf_demand c = note_cost(q);
    int64_t all = rf_asset_pages(q->asset);
    if (full->pages > 0 && full->pages < all)
        rf_text_weight_scale(&weight, full->pages, all);
    int64_t tokens = rf_weight_tokens(q->caps, &weight), most = most_words(q);
    if (most && tokens > most)
        tokens = most;
    c.bytes += tokens * TOKEN_BYTES;
    c.tokens += tokens;
    return c;
}

static bool goes_as_words(const struct rf_decision *d)
{
    return (d->delivery == RF_DELIVERY_TEXT || d->delivery == RF_DELIVERY_OMITTED) && !d->inlined;
}

/* Of one picture among several, and of what stands before it. */
static struct rf_demand caption_cost(const struct rf_question *q)
{
    return (struct rf_demand){
        .bytes = 2 * PART_BYTES + spelled(q->asset->name),
        .tokens = CAPTION_TOKENS + rf_text_tokens(q->caps, q->asset->name),
    };
}

static bool is_document(const struct rf_question *q, const struct rf_decision *d)
{
    return q->asset->kind == RF_KIND_PDF && q->asset->state == RF_ASSET_BYTES && d->pages > 1 &&
           d->pages <= RF_MAX_PAGES && d->tokens <= ABSURD_TOKENS;
}

/* What is said of a file that is sent in pieces, or may be. */
static void add_captions(const struct rf_question *q, const struct rf_decision *d,
                         struct rf_demand *c)
{
    struct rf_demand each = caption_cost(q);
    int64_t pieces = c->images > 0 ? c->images : 1;
    if (!d->recipe.make && !is_document(q, d))
        return;
    c->bytes += pieces * each.bytes;
    c->tokens += pieces * each.tokens + REST_TOKENS + rf_text_tokens(q->caps, q->asset->name);
}

static struct rf_demand cost_of(const struct rf_question *q, const struct rf_decision *d)
{
    if (goes_as_words(d))
        return d->delivery == RF_DELIVERY_TEXT ? text_cost(q, d) : note_cost(q);
    struct rf_demand c = rf_convert_cost(q, d);
    if (c.tokens < 0 || c.tokens > ABSURD_TOKENS)
        c.tokens = UNKNOWN_TOKENS;
    c.bytes += FILE_BYTES + 2 * spelled(q->asset->name);
    add_captions(q, d, &c);
    if (d->delivery == RF_DELIVERY_FALLBACK)
        c.tokens +=
            PLACE_TOKENS + 2 * q->caps->message_tokens + rf_text_tokens(q->caps, q->asset->name);
    if (d->inlined)
        c.tokens += q->caps->call_tokens + LINE_TOKENS;
    if (q->caps->pages_are_images)
        c.images += c.pages;
    return c;
}

/* A share and its ladder. */

struct rung {
    struct rf_decision full, small, words; /* `words`: its text, or the front of it */
    struct rf_pieces pieces;               /* of the text that it goes as */
    bool has_small, has_words;
};

/* What the first pieces of its text cost, and then the pictures in it one after the other. The
 * language is that of all of them, and tells what words cost. */
static void count_pieces(const struct rf_question *q, const struct rf_decision *d, struct rung *r,
                         struct rf_share *s)
{
    const struct rf_pieces *p = &r->pieces;
    size_t all = p->count + d->pictures_kept;
    struct rf_demand *upto = RF_ARRAY(q->arena, struct rf_demand, all + 1);
    struct rf_weighing weighing = { 0 };
    for (size_t i = 0, at = 0; i < p->count; at = p->list[i++].end) {
        struct rf_str piece = { p->text.p + at, p->list[i].end - at };
        rf_weighing_add(&weighing, piece);
        struct rf_text_weight weight = rf_weighing_now(&weighing);
        upto[i + 1].bytes = upto[i].bytes + spelled(piece);
        upto[i + 1].tokens = rf_weight_tokens(q->caps, &weight);
    }
    for (size_t i = 0; i < d->pictures_kept; i++)
        upto[p->count + i + 1] =
            rf_demand_plus(upto[p->count + i], 1, picture_cost(q, &d->pictures[i]));
    s->pages = all;
    s->upto = upto;
    s->costs[RF_LEVEL_FULL].tokens += upto[p->count].tokens - rf_text_tokens(q->caps, p->text);
}

/* What is the same for each page of a document. */
static struct rf_demand paged_cost(const struct rf_question *q, const struct rf_decision *d)
{
    struct rf_demand c = rf_convert_cost(q, d), caption = caption_cost(q);
    c.documents = 0;
    if (c.tokens < 0 || c.tokens > ABSURD_TOKENS)
        c.tokens = 0;
    c.bytes += c.images * caption.bytes;
    c.tokens += c.images * caption.tokens;
    if (q->caps->pages_are_images)
        c.images += c.pages;
    return c;
}

static void set_pages(const struct rf_question *q, const struct rf_decision *d, struct rung *r,
                      struct rf_share *s)
{
    bool words = goes_as_words(d);
    if (words && d->delivery == RF_DELIVERY_TEXT && !rf_convert_is_front(d)) {
        r->pieces = rf_pieces_of(d, q->arena);
        if (r->pieces.count + d->pictures_kept > 1)
            count_pieces(q, d, r, s);
    } else if (!words && q->options->convert && is_document(q, d)) {
        s->pages = (size_t)d->pages;
        s->paged = paged_cost(q, d);
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
    int64_t most = most_words(q);
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
    s->costs[RF_LEVEL_NOTE] = s->costs[RF_LEVEL_TEXT] = note_cost(q);
    if (goes_as_words(d))
        return;
    r->words = (struct rf_decision){ .part = d->part, .message = d->message };
    r->has_words = !known && rf_convert_front(q, &r->words);
    if (!known && is_readable(q) && rf_convert_text(q, &r->words))
        r->has_words = s->text_when_new = true;
    if (s->text_when_new && r->words.made)
        keep_front(q, &r->words);
    if (known)
        s->costs[RF_LEVEL_TEXT] = text_cost(q, d);
    else if (r->has_words)
        s->costs[RF_LEVEL_TEXT] =
            s->text_when_new && !r->words.made ? told_cost(q, d) : text_cost(q, &r->words);
}

static void set_costs(const struct rf_question *q, const struct rf_decision *d, struct rung *r,
                      struct rf_share *s)
{
    r->full = r->small = *d;
    r->has_small =
        !goes_as_words(d) && !d->inlined && q->options->convert && rf_convert_smaller(q, &r->small);
    set_words(q, d, r, s);
    s->costs[RF_LEVEL_FULL] = cost_of(q, d);
    s->costs[RF_LEVEL_SMALL] = r->has_small ? cost_of(q, &r->small) : s->costs[RF_LEVEL_FULL];
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
    } else if (goes_as_words(d)) {
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
    bool text = !goes_as_words(&r->full) && rf_decision_text(&r->full).n;
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

/* Messages. */

static int64_t part_tokens(const struct rf_caps *c, const struct rf_part *part)
{
    switch (part->kind) {
    case RF_PART_TEXT:
    case RF_PART_JSON:
    case RF_PART_OPAQUE:
        return rf_text_tokens(c, part->text);
    case RF_PART_THINKING:
        return rf_text_tokens(c, part->block->thinking.text);
    case RF_PART_CALL:
        return c->call_tokens + rf_text_tokens(c, part->block->call.name) +
               (part->block->call.arguments ? rf_json_tokens(c, part->block->call.arguments) : 1);
    case RF_PART_MEDIA:
        break;
    }
    return 0;
}

static int64_t part_bytes(const struct rf_part *part)
{
    const struct rf_thinking *t;
    const struct rf_tool_call *call;
    switch (part->kind) {
    case RF_PART_TEXT:
    case RF_PART_JSON:
        return PART_BYTES + spelled(part->text);
    case RF_PART_OPAQUE:
        return PART_BYTES + spelled(part->text) + (int64_t)part->block->value->raw.n;
    case RF_PART_THINKING:
        t = &part->block->thinking;
        return PART_BYTES + spelled(t->text) +
               (int64_t)(t->signature.n + t->redacted.n + t->encrypted.n + t->id.n);
    case RF_PART_CALL: /* its id stands in the result too */
        call = &part->block->call;
        return 2 * PART_BYTES + 2 * spelled(call->id) + 2 * spelled(call->name) +
               (int64_t)call->signature.n + (call->arguments ? spelled(call->arguments->raw) : 0);
    case RF_PART_MEDIA:
        break;
    }
    return 0;
}

/* The lines that layout adds to a message: what is said of its result, or for want of one. */
static int64_t line_tokens(const struct rf_caps *c, const struct rf_message *m,
                           const struct rf_paired *paired)
{
    int64_t sum = 0;
    if (m->role == RF_ROLE_TOOL)
        sum += c->call_tokens + (m->failed || paired->orphan ? LINE_TOKENS : 0);
    if (m->role == RF_ROLE_USER && c->after == RF_AFTER_SEPARATED)
        sum += c->message_tokens;
    for (size_t i = 0; i < paired->call_count; i++)
        if (paired->results[i] < 0)
            sum += c->call_tokens + LINE_TOKENS;
    return sum;
}

static void measure(const struct rf_caps *c, const struct rf_surveyed *m,
                    const struct rf_paired *paired, struct rf_joint_message *out)
{
    *out = (struct rf_joint_message){ .role = m->message->role, .bytes = TURN_BYTES };
    for (size_t i = 0; i < m->count; i++) {
        int64_t n = part_tokens(c, &m->parts[i]), bytes = part_bytes(&m->parts[i]);
        out->tokens += n;
        out->bytes += bytes;
        if (m->message->role == RF_ROLE_ASSISTANT ||
            (m->parts[i].kind != RF_PART_TEXT && m->parts[i].kind != RF_PART_JSON))
            continue;
        out->text_tokens += n;
        out->text_bytes += bytes - PART_BYTES;
    }
    out->tokens += c->message_tokens + line_tokens(c, m->message, paired);
}

static int64_t fixed_bytes(const struct rf_conversation *talk)
{
    int64_t sum = FRAME_BYTES + spelled(talk->system);
    for (size_t i = 0; i < talk->tool_count; i++) {
        const struct rf_tool *tool = &talk->tools[i];
        sum += PART_BYTES + spelled(tool->name) + spelled(tool->description);
        if (tool->input_schema)
            sum += (int64_t)tool->input_schema->raw.n;
    }
    return sum;
}

static int64_t fixed_tokens(const struct rf_plan *p)
{
    const struct rf_caps *c = &p->model->caps;
    const struct rf_conversation *talk = p->conversation;
    int64_t sum = c->request_tokens + c->message_tokens + rf_text_tokens(c, talk->system);
    if (talk->tool_count)
        sum += c->tools_tokens;
    for (size_t i = 0; i < talk->tool_count; i++) {
        sum += c->tool_tokens + rf_text_tokens(c, talk->tools[i].name) +
               rf_text_tokens(c, talk->tools[i].description);
        if (talk->tools[i].input_schema)
            sum += rf_json_tokens(c, talk->tools[i].input_schema);
    }
    return sum;
}

void rf_plan_fit(struct rf_plan *p, const struct rf_survey *s, const struct rf_question *questions,
                 struct rf_arena *a)
{
    const struct rf_caps *c = &p->model->caps;
    const struct rf_joint_limits limits = {
        .images = c->max_images,
        .documents = c->max_documents,
        .pages = c->max_pdf_pages,
        .bytes = c->max_body_bytes,
        .tokens = window(p),
        .fixed_bytes = fixed_bytes(p->conversation),
    };
    struct rf_share *shares = RF_ARRAY(a, struct rf_share, p->decision_count);
    bool no_media = p->decision_count && questions[0].options->no_media;
    struct rung *rungs = RF_ARRAY(a, struct rung, p->decision_count);
    p->messages = RF_ARRAY(a, struct rf_joint_message, s->count);
    for (size_t i = 0; i < s->count; i++)
        measure(c, &s->messages[i], &p->pairing->messages[i], &p->messages[i]);
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_decision *d = &p->decisions[i];
        shares[i].message = d->message->index;
        shares[i].of_tool = d->message->message->role == RF_ROLE_TOOL;
        set_costs(&questions[i], d, &rungs[i], &shares[i]);
    }
    for (size_t i = 0; no_media && i < p->decision_count; i++)
        shares[i].level = RF_LEVEL_NOTE;
    rf_joint(&limits, fixed_tokens(p), p->messages, s->count, shares, p->decision_count);
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_joint_message *m = &p->messages[shares[i].message];
        if (m->fate == RF_FATE_GONE)
            leave_out(&questions[i], &p->decisions[i], &rungs[i], &shares[i], m);
        else
            lower(&questions[i], &p->decisions[i], &rungs[i], &shares[i]);
    }
}
