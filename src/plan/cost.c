/* What files and messages cost: upper bounds from what is known without a worker, sizes, limits of
 * recipes, formulas. A bound must not change when the thing is made, or the plan that is made then
 * would ask for something else again. The text of a message is measured as it stands in the
 * conversation. */
#include "plan/cost.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/json_escape.h"
#include "base/limits.h"
#include "model/calibration.h"
#include "model/tokens.h"
#include "plan/settings.h"

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
#define PART_RESERVE 16384      /* bytes of a document besides its pages */
#define PAGE_WIDTH 1240         /* of a page as a picture: A4 at 150 dpi */
#define PAGE_HEIGHT 1754

static int64_t spelled(struct rf_str text)
{
    return (int64_t)rf_json_escaped_length(text);
}

/* Media: the file itself, or what a recipe makes of it. */

/* Tokens of a picture when its longer side is at most `side`. */
static int64_t fitted_tokens(const struct rf_question *q, int64_t side)
{
    int64_t w = q->asset->facts.width, h = q->asset->facts.height, longer = w > h ? w : h;
    if (side && longer > side) {
        w = w * side / longer;
        h = h * side / longer;
    }
    return rf_image_tokens(q->caps->image_tokens, w, h);
}

static int64_t as_base64(int64_t bytes)
{
    return (int64_t)rf_base64_length((uint64_t)bytes);
}

/* Bytes of so many pages of a document, as base64: of those that were taken out before, where
 * any were; else their part of all. */
static int64_t pages_bytes(const struct rf_question *q, int64_t pages)
{
    int64_t size = (int64_t)q->asset->bytes.size, all = rf_asset_pages(q->asset), each = 0;
    for (size_t i = 0; i < q->asset->made_count; i++) {
        const struct rf_made *m = q->asset->made[i];
        bool pages_of_it = m->recipe.make == RF_MAKE_PAGES && m->count;
        int64_t n = pages_of_it ? rf_pages_count(m->parts[0].pages) : 0;
        int64_t bytes = n > 0 ? (int64_t)m->parts[0].asset.bytes.size / n : 0;
        if (bytes > each)
            each = bytes + 1;
    }
    if (each)
        return as_base64(pages * each);
    return as_base64(all > 0 && pages < all ? size / all * pages + PART_RESERVE : size);
}

static struct rf_demand recipe_cost(const struct rf_question *q, const struct rf_decision *d)
{
    const struct rf_recipe *r = &d->recipe;
    bool pages = r->make == RF_MAKE_PAGE_PICTURES, frames = r->make == RF_MAKE_FRAMES;
    int64_t count = pages ? d->pages : frames ? r->count : 1;
    if (pages || frames || r->make == RF_MAKE_PICTURE) {
        int64_t tokens = pages ? rf_image_tokens(q->caps->image_tokens, PAGE_WIDTH, PAGE_HEIGHT)
                               : fitted_tokens(q, r->max_side);
        return (struct rf_demand){
            .images = count,
            .bytes = count * as_base64(r->max_bytes),
            .tokens = tokens < 0 ? -1 : count * tokens,
        };
    }
    return (struct rf_demand){
        .documents = 1,
        .pages = d->pages > 0 ? d->pages : 1,
        .bytes = pages_bytes(q, d->pages),
        .tokens = d->tokens,
    };
}

/* At most; `tokens` is -1 where unknown. */
static struct rf_demand media_cost(const struct rf_question *q, const struct rf_decision *d)
{
    enum rf_kind kind = q->asset->kind;
    struct rf_demand c = { .bytes = as_base64((int64_t)q->asset->bytes.size), .tokens = d->tokens };
    if (d->recipe.make)
        return recipe_cost(q, d);
    if (d->inlined)
        c.bytes = c.text = (int64_t)q->asset->bytes.size;
    else if (kind == RF_KIND_IMAGE)
        c.images = 1;
    else if (kind == RF_KIND_PDF || kind == RF_KIND_OFFICE || kind == RF_KIND_TEXT)
        c.documents = 1;
    if (kind == RF_KIND_PDF)
        c.pages = d->pages > 0 ? d->pages : 1;
    return c;
}

/* Words that stand for a file. */

/* Its name, and what the tool says of it. */
struct rf_demand rf_cost_note(const struct rf_question *q)
{
    struct rf_str name = q->asset->name, said = q->asset->block->text_fallback;
    int64_t bytes = NOTE_BYTES + spelled(name) + spelled(said);
    return (struct rf_demand){
        .bytes = bytes,
        .text = bytes,
        .tokens = NOTE_TOKENS + rf_text_tokens(q->caps, name) + rf_text_tokens(q->caps, said),
    };
}

static struct rf_demand picture_cost(const struct rf_question *q, const struct rf_decision *d)
{
    struct rf_question inner = *q;
    inner.asset = d->part->asset;
    struct rf_demand c =
        d->delivery == RF_DELIVERY_OMITTED ? (struct rf_demand){ 0 } : media_cost(&inner, d);
    c.tokens = (c.tokens < 0 ? UNKNOWN_TOKENS : c.tokens) + PLACE_TOKENS;
    c.bytes += FILE_BYTES + 2 * spelled(d->part->asset->name);
    if (q->caps->told_first)
        c.text += PART_BYTES + spelled(q->asset->name) + spelled(d->part->asset->name);
    return c;
}

struct rf_demand rf_cost_text(const struct rf_question *q, const struct rf_decision *d)
{
    struct rf_str text = rf_decision_text(d);
    struct rf_demand c = rf_cost_note(q);
    if (rf_convert_is_front(d)) { /* at most, so that it is the same before and after it is made */
        c.bytes += 2 * RF_FRONT_BYTES;
        c.text += 2 * RF_FRONT_BYTES;
        c.tokens += RF_FRONT_TOKENS;
        return c;
    }
    c.bytes += spelled(text);
    c.text += spelled(text);
    c.tokens += rf_text_tokens(q->caps, text);
    for (size_t i = 0; i < d->pictures_kept; i++)
        c = rf_demand_plus(c, 1, picture_cost(q, &d->pictures[i]));
    return c;
}

/* In tokens as we estimate them: a provider that counts more leaves less room. */
int64_t rf_cost_window(const struct rf_plan *p)
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
int64_t rf_cost_most_words(const struct rf_question *q)
{
    int64_t part = rf_cost_window(q->plan) / WORDS_PART;
    return part && part < RF_FRONT_TOKENS ? RF_FRONT_TOKENS : part;
}

/* A text that a worker has yet to extract, as its pages were weighed. */
struct rf_demand rf_cost_untold(const struct rf_question *q, const struct rf_decision *full)
{
    struct rf_text_weight weight = q->asset->weight;
    struct rf_demand c = rf_cost_note(q);
    int64_t all = rf_asset_pages(q->asset);
    if (full->pages > 0 && full->pages < all)
        rf_text_weight_scale(&weight, full->pages, all);
    int64_t tokens = rf_weight_tokens(q->caps, &weight), most = rf_cost_most_words(q);
    if (most && tokens > most)
        tokens = most;
    c.bytes += tokens * TOKEN_BYTES;
    c.text += tokens * TOKEN_BYTES;
    c.tokens += tokens;
    return c;
}

/* Files, whichever way they go. */

/* Of one picture among several, and of what stands before it. */
static struct rf_demand caption_cost(const struct rf_question *q)
{
    int64_t words = spelled(q->asset->name) +
                    (q->caps->told_first ? spelled(q->asset->block->text_fallback) : 0);
    return (struct rf_demand){
        .bytes = 2 * PART_BYTES + words,
        .text = PART_BYTES + words,
        .tokens = CAPTION_TOKENS + rf_text_tokens(q->caps, q->asset->name),
    };
}

bool rf_cost_is_paged(const struct rf_question *q, const struct rf_decision *d)
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
    bool told = q->caps->told_first && q->asset->kind == RF_KIND_IMAGE;
    if (!d->recipe.make && !rf_cost_is_paged(q, d) && !told)
        return;
    c->bytes += pieces * each.bytes;
    c->text += pieces * each.text;
    c->tokens += pieces * each.tokens + REST_TOKENS + rf_text_tokens(q->caps, q->asset->name);
}

/* The text that goes along with pictures of pages, and what is said ahead of a file. */
static void add_text_along(const struct rf_question *q, const struct rf_decision *d,
                           struct rf_demand *c)
{
    struct rf_str text = rf_text_along(d, q->plan);
    int64_t bytes = spelled(text) + (q->caps->told_first ? FILE_BYTES : 0);
    c->bytes += bytes;
    c->text += bytes;
    c->tokens += rf_text_tokens(q->caps, text);
}

struct rf_demand rf_cost_of(const struct rf_question *q, const struct rf_decision *d)
{
    if (rf_decision_is_words(d))
        return d->delivery == RF_DELIVERY_TEXT ? rf_cost_text(q, d) : rf_cost_note(q);
    struct rf_demand c = media_cost(q, d);
    if (c.tokens < 0 || c.tokens > ABSURD_TOKENS)
        c.tokens = UNKNOWN_TOKENS;
    c.bytes += FILE_BYTES + 2 * spelled(q->asset->name) + spelled(d->said);
    c.text += spelled(d->said);
    c.tokens += rf_text_tokens(q->caps, d->said);
    add_captions(q, d, &c);
    add_text_along(q, d, &c);
    if (d->delivery == RF_DELIVERY_FALLBACK)
        c.tokens +=
            PLACE_TOKENS + 2 * q->caps->message_tokens + rf_text_tokens(q->caps, q->asset->name);
    if (d->inlined)
        c.tokens += q->caps->call_tokens + LINE_TOKENS;
    if (q->caps->pages_are_images)
        c.images += c.pages;
    return c;
}

/* What is the same for each page of a document. */
struct rf_demand rf_cost_pages(const struct rf_question *q, const struct rf_decision *d)
{
    struct rf_demand c = media_cost(q, d), caption = caption_cost(q);
    c.documents = 0;
    if (c.tokens < 0 || c.tokens > ABSURD_TOKENS)
        c.tokens = 0;
    c.bytes += c.images * caption.bytes;
    c.text += c.images * caption.text;
    c.tokens += c.images * caption.tokens;
    if (q->caps->pages_are_images)
        c.images += c.pages;
    return c;
}

struct rf_demand *rf_cost_pieces(const struct rf_question *q, const struct rf_decision *d,
                                 const struct rf_pieces *p)
{
    struct rf_demand *upto = RF_ARRAY(q->arena, struct rf_demand, p->count + d->pictures_kept + 1);
    struct rf_weighing weighing = { 0 };
    for (size_t i = 0, at = 0; i < p->count; at = p->list[i++].end) {
        struct rf_str piece = { p->text.p + at, p->list[i].end - at };
        rf_weighing_add(&weighing, piece);
        struct rf_text_weight weight = rf_weighing_now(&weighing);
        upto[i + 1].bytes = upto[i].bytes + spelled(piece);
        upto[i + 1].text = upto[i].text + spelled(piece);
        upto[i + 1].tokens = rf_weight_tokens(q->caps, &weight);
    }
    for (size_t i = 0; i < d->pictures_kept; i++)
        upto[p->count + i + 1] =
            rf_demand_plus(upto[p->count + i], 1, picture_cost(q, &d->pictures[i]));
    return upto;
}

/* Messages, and what every request has. */

/* How texts are measured, and for which model. */
struct measure {
    const struct rf_caps *caps;
    enum rf_scale scale;
};

static int64_t tokens(const struct measure *m, struct rf_str text)
{
    return m->scale == RF_SCALE_EXACT ? rf_text_tokens(m->caps, text)
                                      : rf_most_tokens(m->caps, text.n);
}

/* What was not read from a text has no length. */
static int64_t json_tokens(const struct measure *m, const struct rf_jval *v)
{
    return m->scale == RF_SCALE_EXACT || !v->raw.n ? rf_json_tokens(m->caps, v)
                                                   : rf_most_tokens(m->caps, v->raw.n);
}

static int64_t bytes(const struct measure *m, struct rf_str text)
{
    return m->scale == RF_SCALE_EXACT ? spelled(text) : (int64_t)text.n * RF_JSON_MOST_ESCAPED;
}

static int64_t part_tokens(const struct measure *m, const struct rf_part *part)
{
    switch (part->kind) {
    case RF_PART_TEXT:
    case RF_PART_JSON:
    case RF_PART_OPAQUE:
        return tokens(m, part->text);
    case RF_PART_THINKING:
        return tokens(m, part->block->thinking.text);
    case RF_PART_CALL:
        return m->caps->call_tokens + tokens(m, part->block->call.name) +
               (part->block->call.arguments ? json_tokens(m, part->block->call.arguments) : 1);
    case RF_PART_MEDIA:
        break;
    }
    return 0;
}

static int64_t part_bytes(const struct measure *m, const struct rf_part *part)
{
    const struct rf_thinking *t;
    const struct rf_tool_call *call;
    switch (part->kind) {
    case RF_PART_TEXT:
    case RF_PART_JSON:
        return PART_BYTES + bytes(m, part->text);
    case RF_PART_OPAQUE:
        return PART_BYTES + bytes(m, part->text) +
               (rf_str_eq(part->block->dialect, m->caps->dialect)
                    ? (int64_t)part->block->value->raw.n
                    : 0);
    case RF_PART_THINKING:
        t = &part->block->thinking;
        return PART_BYTES + bytes(m, t->text) +
               (int64_t)(t->signature.n + t->redacted.n + t->encrypted.n + t->id.n);
    case RF_PART_CALL: /* its id stands in the result too */
        call = &part->block->call;
        return 2 * PART_BYTES + 2 * bytes(m, call->id) + 2 * bytes(m, call->name) +
               (int64_t)call->signature.n + (call->arguments ? bytes(m, call->arguments->raw) : 0);
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

void rf_cost_message(const struct rf_caps *c, enum rf_scale scale, const struct rf_surveyed *m,
                     const struct rf_paired *paired, struct rf_joint_message *out)
{
    const struct measure how = { c, scale };
    *out = (struct rf_joint_message){
        .role = m->message->role, .bytes = TURN_BYTES, .keep_tokens = -1, .keep_bytes = -1
    };
    for (size_t i = 0; i < m->count; i++) {
        int64_t n = part_tokens(&how, &m->parts[i]), size = part_bytes(&how, &m->parts[i]);
        out->tokens += n;
        out->bytes += size;
        if (m->message->role == RF_ROLE_ASSISTANT ||
            (m->parts[i].kind != RF_PART_TEXT && m->parts[i].kind != RF_PART_JSON))
            continue;
        out->text_tokens += n;
        out->text_bytes += size - PART_BYTES;
    }
    out->tokens += c->message_tokens + line_tokens(c, m->message, paired);
}

int64_t rf_cost_fixed_bytes(const struct rf_conversation *talk, enum rf_scale scale)
{
    const struct measure m = { .scale = scale };
    int64_t sum = FRAME_BYTES + bytes(&m, talk->system);
    for (size_t i = 0; i < talk->tool_count; i++) {
        const struct rf_tool *tool = &talk->tools[i];
        sum += PART_BYTES + bytes(&m, tool->name) + bytes(&m, tool->description);
        if (tool->input_schema)
            sum += (int64_t)tool->input_schema->raw.n;
    }
    return sum;
}

int64_t rf_cost_fixed_tokens(const struct rf_plan *p, enum rf_scale scale)
{
    const struct rf_caps *c = &p->model->caps;
    const struct measure m = { c, scale };
    const struct rf_conversation *talk = p->conversation;
    int64_t sum = c->request_tokens + c->message_tokens + tokens(&m, talk->system);
    if (!c->tools)
        return sum;
    if (talk->tool_count)
        sum += c->tools_tokens;
    for (size_t i = 0; i < talk->tool_count; i++) {
        sum += c->tool_tokens + tokens(&m, talk->tools[i].name) +
               tokens(&m, talk->tools[i].description);
        if (talk->tools[i].input_schema)
            sum += json_tokens(&m, talk->tools[i].input_schema);
    }
    return sum;
}
