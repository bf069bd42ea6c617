/* Step one: every file gets its rung of the ladder, as if it were alone in the request.
 *
 * For a file of a tool result, from the top:
 *
 *     itself, inside the result           the endpoint takes its type there
 *     itself, injected after all results  it takes it in user messages only
 *     what a worker can make of it        it takes that, in one of these places: conversions.c
 *     all of its text                     it is a text file
 *     its text and a note                 it was extracted before, or a worker can
 *     a note
 *
 * For a file of a user message the first two are one. So an SVG in a result becomes a PNG inside it
 * for Claude, a PNG after the results for the chat API, and the words that are recognised in it
 * where no picture is taken. A file that is taken as it is goes down to the third rung where that
 * is better (rf_convert_prefers): it is larger than is of use, damaged, or only some pages were
 * asked for. A file of an answer goes to the model that gave it as it is, where the endpoint takes
 * that in answers; elsewhere words stand for it.
 *
 * Each file is checked against the limits of one file. What all of them share comes after that
 * (fit.c), and may send files further down. A worker has to make what some rungs ask for, and the
 * decision waits for it: the caller has it made and decides again. As the outcome of every recipe
 * stays with the asset, failures too, each round knows more, and the last finds all of it there.
 *
 * In strict mode a rung on which something is lost, or a file becomes another kind of thing
 * (account.h), is an error. */
#include "base/arena.h"
#include "base/base64.h"
#include "base/limits.h"
#include "model/well_known.h"
#include "plan/account.h"
#include "plan/file_tokens.h"
#include "plan/fit.h"
#include "plan/pairing.h"
#include "plan/question.h"
#include "plan/words.h"

#define BODY_RESERVE 65536 /* what a request holds besides one large file */
#define OUR_LIMITS 2       /* of the limits of one file, those that hold for every endpoint */

static bool scheme_taken(const struct rf_caps *c, struct rf_str url)
{
    struct rf_str rest = url, scheme;
    return rf_str_split(&rest, ':', &scheme) && rest.n && rf_mime_in(c->url_schemes, scheme);
}

/* May the file go by what it is: bytes, a URL that the endpoint fetches, an id that it knows? */
static bool source_taken(const struct rf_question *q, bool inside)
{
    const struct rf_caps *c = q->caps;
    unsigned bit = 1u << q->asset->kind;
    switch (q->asset->state) {
    case RF_ASSET_BYTES:
        return !(c->reference_only & bit) && !q->asset->text_with_files.n;
    case RF_ASSET_URL:
        return scheme_taken(c, q->asset->ref) && ((inside ? c->url_inside : c->url_user) & bit);
    case RF_ASSET_FILE_ID:
        return rf_str_eq(q->asset->provider, q->plan->model->provider) &&
               ((inside ? c->file_id_inside : c->file_id_user) & bit);
    case RF_ASSET_BROKEN:
    case RF_ASSET_TOLD:
        break;
    }
    return false;
}

bool rf_question_takes(const struct rf_question *q, enum rf_kind kind, struct rf_str mime,
                       bool inside)
{
    const struct rf_caps *c = q->caps;
    unsigned bit = 1u << kind;
    return c->takes[kind] && !(c->reference_only & bit) && !(inside && (c->unseen_inside & bit)) &&
           rf_mime_in(inside ? c->inside[kind] : c->user[kind], mime);
}

bool rf_question_inside(const struct rf_question *q)
{
    return q->in_result && !(q->failed && q->caps->error_text_only);
}

/* A URL or an id whose type is unknown goes by its kind, where the wire need not say the type. */
static bool type_taken(const struct rf_question *q, bool inside)
{
    const struct rf_asset *f = q->asset;
    const struct rf_caps *c = q->caps;
    struct rf_str list = inside ? c->inside[f->kind] : c->user[f->kind];
    if (!c->takes[f->kind] || (inside && (c->unseen_inside & 1u << f->kind)))
        return false;
    return f->mime.n ? rf_mime_in(list, f->mime) : list.n > 0 && !c->typed_references;
}

static bool taken(const struct rf_question *q, bool inside)
{
    return source_taken(q, inside) && type_taken(q, inside);
}

struct limit {
    const char *name;
    int64_t most, has;
};

/* Would a text file be written out as text? Only so much of it was looked at. */
static bool is_written_out(const struct rf_question *q)
{
    bool whole = taken(q, false) || (q->in_result && taken(q, true));
    return q->asset->kind == RF_KIND_TEXT && (q->caps->text_documents || !whole);
}

/* The first limit of one file that this one is over; `name` is NULL when there is none. What the
 * endpoint does not take at all is over none of its limits. */
static struct limit limit_of(const struct rf_question *q, bool is_taken)
{
    const struct rf_caps *c = q->caps;
    const struct rf_asset *f = q->asset;
    int64_t size = (int64_t)f->bytes.size, base64 = (int64_t)rf_base64_length(f->bytes.size);
    int64_t w = f->facts.width, h = f->facts.height, longer = w > h ? w : h;
    bool image = f->kind == RF_KIND_IMAGE, video = f->kind == RF_KIND_VIDEO;
    bool document = f->kind == RF_KIND_PDF || f->kind == RF_KIND_OFFICE || f->kind == RF_KIND_TEXT;
    const struct limit limits[] = {
        { "bytes that any request may carry in one file", (int64_t)RF_MAX_FILE_BYTES, size },
        { "bytes of a text that may be written out",
          is_written_out(q) ? (int64_t)RF_MAX_INLINE_TEXT : 0, size },
        { "max_image_bytes", image ? c->max_image_bytes : 0, size },
        { "max_image_base64", image ? c->max_image_base64 : 0, base64 },
        { "max_image_side", image ? c->max_image_side : 0, longer },
        { "max_image_pixels", image ? c->max_image_pixels : 0, w * h },
        { "max_document_bytes", document ? c->max_document_bytes : 0, size },
        { "max_pdf_pages", f->kind == RF_KIND_PDF ? c->max_pdf_pages : 0, rf_asset_pages(f) },
        { "max_video_bytes", video ? c->max_video_bytes : 0, base64 },
        { "max_body_bytes", c->max_body_bytes, base64 + BODY_RESERVE },
    };
    size_t count =
        is_taken || f->kind == RF_KIND_TEXT ? sizeof limits / sizeof *limits : OUR_LIMITS;
    for (size_t i = 0; f->state == RF_ASSET_BYTES && i < count; i++)
        if (limits[i].most && limits[i].has > limits[i].most)
            return limits[i];
    return (struct limit){ 0 };
}

static bool takes_nothing_inside(const struct rf_caps *c)
{
    for (unsigned k = RF_KIND_IMAGE; k < RF_KIND_COUNT; k++)
        if (c->takes[k] && c->inside[k].n)
            return false;
    return true;
}

static const char *several(enum rf_kind kind)
{
    switch (kind) {
    case RF_KIND_IMAGE:
        return "pictures";
    case RF_KIND_AUDIO:
        return "sound";
    case RF_KIND_VIDEO:
        return "videos";
    case RF_KIND_PDF:
    case RF_KIND_TEXT:
    case RF_KIND_OFFICE:
    case RF_KIND_UNKNOWN:
        break;
    }
    return "documents";
}

struct rf_str rf_question_why_injected(const struct rf_question *q, enum rf_kind kind,
                                       struct rf_str mime)
{
    struct rf_str who = q->plan->model->provider;
    if (q->failed && q->caps->error_text_only)
        return rf_strf(q->arena, "%.*s: a failed tool result carries text only", RF_FMT(who));
    if (q->caps->unseen_inside & 1u << kind)
        return rf_strf(q->arena, "%.*s: this model never sees %s inside a tool result", RF_FMT(who),
                       several(kind));
    if (takes_nothing_inside(q->caps))
        return RF_JOINED(q->arena, who, RF_STR(": a tool result carries text only"));
    return rf_strf(q->arena, "%.*s: a tool result of this model takes no %.*s%s", RF_FMT(who),
                   RF_FMT(mime.n ? mime : rf_str(rf_kind_name(kind))),
                   q->asset->state == RF_ASSET_URL       ? " by URL"
                   : q->asset->state == RF_ASSET_FILE_ID ? " by file id"
                                                         : "");
}

static struct rf_str why_not(const struct rf_question *q)
{
    const struct rf_asset *f = q->asset;
    const struct rf_model *m = q->plan->model;
    struct rf_str type = f->kind == RF_KIND_OFFICE && f->format
                             ? rf_strf(q->arena, "%s files", f->format->label)
                         : f->mime.n ? f->mime
                                     : rf_str(rf_kind_name(f->kind));
    if (f->state == RF_ASSET_BROKEN || f->locked)
        return f->problem_text;
    if (f->state == RF_ASSET_TOLD)
        return rf_asset_told_why(f, q->arena);
    if (f->state == RF_ASSET_FILE_ID && !rf_str_eq(f->provider, m->provider))
        return rf_strf(q->arena, "it was uploaded to %.*s, and its bytes are not here",
                       RF_FMT(rf_clean_name(f->provider, q->arena)));
    if (!f->mime.n && f->state != RF_ASSET_BYTES && q->caps->typed_references)
        return rf_strf(q->arena, "its type is not known, and %.*s has to be told",
                       RF_FMT(m->provider));
    bool by_bytes = f->state == RF_ASSET_BYTES && !(q->caps->reference_only & 1u << f->kind);
    if (!by_bytes && (type_taken(q, false) || f->kind == RF_KIND_TEXT))
        return rf_strf(
            q->arena, "%.*s takes no %.*s %s%.*s here", RF_FMT(m->provider), RF_FMT(type),
            f->state == RF_ASSET_URL       ? "by the URL "
            : f->state == RF_ASSET_FILE_ID ? "by file id"
                                           : "as bytes",
            RF_FMT(f->state == RF_ASSET_URL ? rf_clean_url(f->ref, q->arena) : RF_STR("")));
    return rf_strf(q->arena, "%.*s:%.*s takes no %.*s", RF_FMT(m->provider), RF_FMT(m->name),
                   RF_FMT(type));
}

static void go_as_itself(const struct rf_question *q, struct rf_decision *d, bool inside)
{
    d->delivery = inside || !q->in_result ? RF_DELIVERY_NATIVE : RF_DELIVERY_FALLBACK;
    d->as = q->asset->mime.n ? q->asset->mime : rf_str(rf_kind_name(q->asset->kind));
    d->tokens = rf_file_tokens(q->caps, q->asset, 0);
    d->pages = q->asset->kind == RF_KIND_PDF ? rf_asset_pages(q->asset) : 0;
    if (d->delivery == RF_DELIVERY_FALLBACK)
        d->reason = rf_question_why_injected(q, q->asset->kind, q->asset->mime);
}

/* A file that is larger than any request may carry is not looked into. */
static bool may_convert(const struct rf_question *q)
{
    return q->options->convert && q->asset->state == RF_ASSET_BYTES &&
           q->asset->bytes.size <= RF_MAX_FILE_BYTES;
}

static void go_as_words(const struct rf_question *q, struct rf_decision *d, struct limit over)
{
    const struct rf_asset *f = q->asset;
    bool has_text = rf_words_has_text(f);
    d->delivery = RF_DELIVERY_TEXT;
    d->reason = why_not(q);
    if (!has_text && may_convert(q))
        has_text = rf_convert_text(q, d);
    if (!has_text && over.name)
        has_text = rf_convert_front(q, d);
    if (over.name) {
        d->delivery = has_text ? RF_DELIVERY_TEXT : RF_DELIVERY_OMITTED;
        d->limit_name = over.name;
        d->limit = over.most;
        d->reason = rf_strf(q->arena, "it is over a limit: %lld, at most %lld (%s)",
                            (long long)over.has, (long long)over.most, over.name);
    }
    d->as = rf_convert_is_front(d)      ? RF_STR(RF_WORDS_FRONT)
            : f->state == RF_ASSET_TOLD ? rf_asset_told(f, q->arena)
            : d->recipe.make == RF_MAKE_TRANSCRIPT
                ? rf_strf(q->arena, "a transcript by %.*s and a note",
                          RF_FMT(rf_words_command(d->recipe.command)))
            : has_text                              ? RF_STR("extracted text and a note")
            : rf_str_blank(f->block->text_fallback) ? RF_STR("a note")
                                                    : RF_STR("its description and a note");
}

static const struct rf_withheld *withheld_from(const struct rf_question *q)
{
    for (size_t i = 0; i < q->asset->withheld_count; i++)
        if (rf_str_eq(q->asset->withheld[i].provider, q->plan->model->provider))
            return &q->asset->withheld[i];
    return NULL;
}

bool rf_question_refused_inside(const struct rf_question *q)
{
    bool whole = taken(q, false) || (q->in_result && taken(q, true));
    return withheld_from(q) && (!whole || limit_of(q, true).name);
}

/* A person does not want it sent, or the provider would not have it. */
static bool go_as_withheld(const struct rf_question *q, struct rf_decision *d)
{
    const struct rf_withheld *withheld = withheld_from(q);
    if (q->asset->dropped) {
        d->delivery = RF_DELIVERY_OMITTED;
        d->reason = RF_STR("it was taken out of this session");
        d->as = RF_STR("a note");
    } else if (withheld && !withheld->remake) {
        go_as_words(q, d, (struct limit){ 0 });
        d->reason = rf_strf(q->arena, "%.*s refused it (%.*s)", RF_FMT(withheld->provider),
                            RF_FMT(rf_clean_name(withheld->reason, q->arena)));
    }
    return q->asset->dropped || (withheld && !withheld->remake);
}

/* What was made anew of a file that was refused as it is: that is why. */
static void say_remade(const struct rf_question *q, struct rf_decision *d)
{
    const struct rf_withheld *withheld = withheld_from(q);
    if (withheld)
        d->reason = rf_strf(q->arena, "%.*s refused it as it is (%.*s)", RF_FMT(withheld->provider),
                            RF_FMT(rf_clean_name(withheld->reason, q->arena)));
}

/* Pages that are not there cannot be sent. */
static bool go_beyond_end(const struct rf_question *q, struct rf_decision *d)
{
    const struct rf_media *m = &q->asset->block->media;
    int64_t pages = q->asset->kind == RF_KIND_PDF ? rf_asset_pages(q->asset) : 0;
    if (!pages || m->pages.first <= pages)
        return false;
    d->delivery = RF_DELIVERY_OMITTED;
    d->as = RF_STR("a note");
    d->reason = rf_strf(q->arena, "there is no page %lld: the document has %lld",
                        (long long)m->pages.first, (long long)pages);
    return true;
}

/* The pages of a PDF are what it costs, of a file in doubt nothing is known yet, and a text in
 * another character set is guessed at; a picture is examined where it goes as it is, and could be
 * made anew. */
static bool wants_examination(const struct rf_question *q, const struct rf_decision *d)
{
    bool answer = d->message->message->role == RF_ROLE_ASSISTANT;
    bool as_itself = rf_decision_is_sent(d) && !d->recipe.make && !answer;
    return q->options->convert && rf_asset_examiner(q->asset) && !q->asset->dropped &&
           (q->asset->kind == RF_KIND_PDF || q->asset->doubted || q->asset->unconverted.size ||
            as_itself);
}

/* Does an answer go back with it? */
static bool goes_back(const struct rf_question *q, const struct rf_decision *d)
{
    return q->caps->in_answers & 1u << q->asset->kind && !d->part->found_in &&
           rf_plan_came_from_here(q->plan, d->message->message);
}

static void decide(const struct rf_question *q, struct rf_decision *d, bool assistant)
{
    bool inside = rf_question_inside(q) && taken(q, true);
    bool is_taken = inside || taken(q, false);
    struct limit over = limit_of(q, is_taken);
    bool whole = !over.name && !q->asset->locked && !withheld_from(q) && is_taken;
    bool convert = may_convert(q) && !assistant; /* its mark is for what the model made */
    bool is_text = q->asset->state == RF_ASSET_BYTES && q->asset->kind == RF_KIND_TEXT;
    d->tokens = -1;
    if (assistant && !goes_back(q, d)) {
        go_as_words(q, d, (struct limit){ 0 });
        d->reason = RF_STR("it is part of an earlier answer, and answers go back as text");
    } else if (go_as_withheld(q, d) || go_beyond_end(q, d)) {
        return;
    } else if (whole && !(convert && rf_convert_prefers(q))) {
        go_as_itself(q, d, inside);
    } else if (convert && rf_convert_media(q, d)) {
        say_remade(q, d);
    } else if (whole) {
        go_as_itself(q, d, inside);
    } else if (is_text && !over.name) {
        d->delivery = RF_DELIVERY_TEXT;
        d->inlined = true;
        bool plain = q->failed && q->caps->error_text_only, hides = q->asset->text_with_files.n;
        d->as = q->caps->text_documents && !plain && !hides ? RF_STR("a text document")
                                                            : RF_STR("text");
        d->reason = hides ? RF_STR("files hide in it as base64, which is left out") : why_not(q);
        d->tokens = rf_file_tokens(q->caps, q->asset, 0);
    } else {
        go_as_words(q, d, over);
        say_remade(q, d);
    }
}

const struct rf_jpath *rf_decision_path(const struct rf_decision *d, struct rf_jpath at[4])
{
    bool tool = d->message->message->role == RF_ROLE_TOOL, lifted = d->part->block_index < 0;
    at[0] = (struct rf_jpath){ .field = "messages" };
    at[1] = (struct rf_jpath){ .up = &at[0], .index = d->message->index };
    at[2] = (struct rf_jpath){ .up = &at[1],
                               .field = lifted ? d->part->found_in
                                        : tool ? "content_blocks"
                                               : "content" };
    at[3] = (struct rf_jpath){ .up = &at[2], .index = (size_t)d->part->block_index };
    return lifted ? &at[2] : &at[3];
}

/* Strict mode */

/* Would the file go to this model as it is, were it alone: inside its result, or in a user
 * message? */
static bool is_taken_by(const struct rf_question *q, const struct rf_model *m, bool inside)
{
    const struct rf_plan plan = { .model = m };
    struct rf_question there = *q;
    there.plan = &plan;
    there.caps = &m->caps;
    return (!inside || rf_question_inside(&there)) && taken(&there, inside) &&
           !limit_of(&there, true).name && q->asset->charset.bad <= 0 &&
           (!m->caps.context_tokens ||
            rf_file_tokens(&m->caps, q->asset, 0) < m->caps.context_tokens);
}

/* "google:gemini-2.5-pro takes it. ", or nothing. Where the file alone would go to this model
 * too, only a larger window helps. */
static struct rf_str who_takes_it(const struct rf_question *q, bool inside)
{
    const struct rf_model *here = q->plan->model;
    bool alone = is_taken_by(q, here, false) || is_taken_by(q, here, true);
    struct rf_model m;
    for (size_t i = 0; rf_model_well_known(i, &m, q->arena); i++)
        if (is_taken_by(q, &m, inside) &&
            (!alone || m.caps.context_tokens > here->caps.context_tokens))
            return rf_strf(q->arena, "%.*s:%.*s takes it. ", RF_FMT(m.provider), RF_FMT(m.name));
    return inside ? who_takes_it(q, false) : RF_STR("");
}

static const char *done_without_strict(const struct rf_decision *d, struct rf_arena *a)
{
    switch (d->form) {
    case RF_FORM_ORIGINAL:
    case RF_FORM_SMALLER:
    case RF_FORM_CONVERTED:
    case RF_FORM_PAGES:
        return rf_strf(a, "it is sent without %.*s", RF_FMT(rf_account_lost(d, a))).p;
    case RF_FORM_PAGE_IMAGES:
        return "pictures of its pages are sent";
    case RF_FORM_FRAMES:
        return "some of its frames are sent";
    case RF_FORM_TEXT:
        return "its text is sent";
    case RF_FORM_RECOGNISED_TEXT:
        return "the text that is recognised in it is sent";
    case RF_FORM_TRANSCRIPT:
        return "its transcript is sent";
    case RF_FORM_NOTE:
        break;
    }
    return "a note takes the file's place";
}

static struct rf_str why_refused(const struct rf_decision *d, struct rf_arena *a)
{
    if (!rf_account_keeps_kind(d))
        return d->reason;
    struct rf_str why = rf_strf(a, "%.*s would be lost", RF_FMT(rf_account_lost(d, a)));
    if (d->limit_name)
        why = rf_strf(a, "%.*s (%s: %lld)", RF_FMT(why), d->limit_name, (long long)d->limit);
    return why;
}

static enum rf_code strict_failure(const struct rf_question *q, const struct rf_decision *d,
                                   struct rf_err *err)
{
    const struct rf_asset *f = q->asset;
    const struct rf_model *m = q->plan->model;
    struct rf_jpath at[4];
    bool broken = f->state == RF_ASSET_BROKEN || f->locked;
    struct rf_str why = why_refused(d, q->arena);
    const char *shown =
        rf_cstr(q->arena, f->name.n ? f->name : rf_str(rf_block_type_name(f->block->type)));
    enum rf_code rc =
        rf_fail_at(err, broken ? f->problem : RF_EUNSUPPORTED, rf_decision_path(d, at),
                   "\"%s\"%s%.*s%s cannot be sent to %.*s:%.*s%s: %.*s", shown,
                   f->mime.n ? " (" : "", RF_FMT(f->mime), f->mime.n ? ")" : "",
                   RF_FMT(m->provider), RF_FMT(m->name), broken ? "" : " as it is", RF_FMT(why));
    rf_hint(err, "This model takes %.*s. %.*sWithout strict mode %s.",
            RF_FMT(rf_caps_words(&m->caps, q->arena)),
            RF_FMT(broken ? RF_STR("") : who_takes_it(q, q->in_result)),
            done_without_strict(d, q->arena));
    return rc;
}

/* In strict mode, the first file that something would be lost of, or that would be another kind
 * of thing. */
static enum rf_code check_strictly(struct rf_plan *p, const struct rf_question *questions,
                                   struct rf_err *err)
{
    for (size_t i = 0; i < p->decision_count; i++) {
        struct rf_decision *d = &p->decisions[i];
        bool wanted = d->message->message->role != RF_ROLE_ASSISTANT && !d->part->asset->dropped;
        rf_account(d, questions[i].arena);
        if (wanted && !d->examine && !rf_account_is_faithful(d))
            return strict_failure(&questions[i], d, err);
    }
    return RF_OK;
}

/* What files share is known when all that is to be made of them is made. */
static bool is_settled(const struct rf_plan *p)
{
    for (size_t i = 0; i < p->decision_count; i++)
        if (p->decisions[i].examine || (p->decisions[i].recipe.make && !p->decisions[i].made))
            return false;
    return true;
}

enum rf_code rf_plan_decide(const struct rf_survey *s, const struct rf_model *m,
                            const struct rf_plan_options *options, struct rf_arena *a,
                            struct rf_plan *out, struct rf_err *err)
{
    *out = (struct rf_plan){
        .conversation = s->conversation,
        .model = m,
        .pairing = RF_NEW(a, struct rf_pairing),
        .decisions = RF_ARRAY(a, struct rf_decision, s->asset_count),
        .stream = options->stream || s->conversation->options.stream,
        .origins = options->origins,
        .origin_count = options->origin_count,
        .own_fields = options->own_fields,
    };
    struct rf_question *questions = RF_ARRAY(a, struct rf_question, s->asset_count);
    rf_pairing_init(out->pairing, s, &m->caps, a);
    for (size_t i = 0; i < s->count; i++) {
        const struct rf_surveyed *message = &s->messages[i];
        enum rf_role role = message->message->role;
        bool in_result = role == RF_ROLE_TOOL && !out->pairing->messages[i].orphan;
        for (size_t j = 0; j < message->count; j++) {
            if (message->parts[j].kind != RF_PART_MEDIA)
                continue;
            struct rf_question *q = &questions[out->decision_count];
            struct rf_decision *d = &out->decisions[out->decision_count++];
            *q = (struct rf_question){
                .plan = out,
                .options = options,
                .caps = &m->caps,
                .asset = message->parts[j].asset,
                .in_result = in_result,
                .failed = in_result && message->message->failed,
                .arena = a,
            };
            d->part = &message->parts[j];
            d->message = message;
            decide(q, d, role == RF_ROLE_ASSISTANT);
            d->examine = wants_examination(q, d);
        }
    }
    bool strict = options->strict && !options->no_media;
    enum rf_code rc = strict ? check_strictly(out, questions, err) : RF_OK;
    if (rc)
        return rc;
    rf_plan_fit(out, s, questions, a);
    for (size_t i = 0; i < out->decision_count; i++)
        rf_account(&out->decisions[i], a);
    return strict && is_settled(out) ? check_strictly(out, questions, err) : RF_OK;
}

bool rf_decision_names_file(const struct rf_decision *d)
{
    return d->delivery != RF_DELIVERY_NATIVE && !d->inlined;
}
