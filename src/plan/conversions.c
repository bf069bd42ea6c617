/* The rungs that need a worker: what a file could be made into so that the endpoint takes it.
 *
 *     picture          smaller, of another type, upright             as one picture
 *     PDF              the pages that were asked for                 as a PDF, where that is taken
 *                      pages as pictures                             where pictures are
 *     sound            of another type                               as sound
 *     video            frames spread over its length                 as pictures, with what is said
 *     PDF, office      its text                                      as text
 *     picture          the words in it, where nothing is seen        as text
 *     sound, video     what is said, by the person's command         as text
 *     text             its beginning, where it is too long           as text
 *
 * Pure: a recipe is written down (media/recipe.h), and its outcome found with the asset when the
 * same is decided again. One that failed leads to the next rung.
 *
 * The limits of a recipe come from the model's, and from what is of use at all. Take a PDF of 47
 * pages for a model that takes no PDF, but five pictures of at most 4 MB as base64 in a body of at
 * most 2 MB: the first five pages at 150 dpi, no side over 2048 pixels, and each of at most
 * (2 MB - 64 KB) / 5 as base64, and never over 400 KB. The limits are those for all five also where
 * joint.c leaves fewer pages, so that what is sent of a page stays the same.
 *
 * It does not choose between files: a limit that several share is not its business. */
#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "model/tokens.h"
#include "plan/file_tokens.h"
#include "plan/question.h"
#include "plan/room.h"
#include "plan/words.h"
#include "source/lift.h"

#define PAGE_DPI 150
#define PAGE_BYTES 409600 /* of one page as a picture */
#define FRAMES 8
#define FRAME_SIDE 768
#define FRAME_BYTES 153600
#define LEAST_BYTES 204800 /* that a picture may take even when it took less before */
#define SMALL_SIDE 768     /* when there is little room */
#define SMALL_BYTES 174764 /* as base64 */
#define SMALL_FRAMES 2
#define INNER_PICTURES 20              /* that go along with the text of a document */
#define INNER_BYTES ((int64_t)8 << 20) /* and all of them, as they are in it */
#define READ_PICTURES 8                /* whose text is recognised for a model that sees none */
#define BODY_RESERVE 65536             /* what a request holds besides its files */

/* Limits. */

static int64_t least(int64_t a, int64_t b)
{
    return !a ? b : !b ? a : a < b ? a : b;
}

/* Where many pictures must be smaller than few, all are: old ones must not change when there are
 * many. */
static int64_t picture_side(const struct rf_question *q)
{
    int64_t usual = q->options->picture_side ? q->options->picture_side : RF_PICTURE_SIDE;
    return least(least(q->caps->max_image_side, q->caps->many_image_side), usual);
}

/* Bytes of one picture when `count` of them share a request. */
static int64_t picture_bytes(const struct rf_question *q, int64_t count)
{
    const struct rf_caps *c = q->caps;
    int64_t usual = q->options->picture_bytes ? q->options->picture_bytes : RF_PICTURE_BYTES;
    int64_t base64 = least(c->max_image_base64, usual);
    if (c->max_body_bytes > BODY_RESERVE)
        base64 = least(base64, (c->max_body_bytes - BODY_RESERVE) / count);
    return least(c->max_image_bytes, base64 / 4 * 3);
}

/* A picture that is made anew need not be larger than it was. */
static int64_t made_bytes(const struct rf_question *q)
{
    int64_t was = (int64_t)q->asset->bytes.size;
    return least(picture_bytes(q, 1), was > LEAST_BYTES ? was : LEAST_BYTES);
}

/* The pages that the block is about. */
static struct rf_pages asked_pages(const struct rf_question *q)
{
    return rf_pages_within(q->asset->block->media.pages, rf_asset_pages(q->asset));
}

static bool is_whole(const struct rf_question *q, struct rf_pages p)
{
    return p.first == 1 && (!p.last || p.last == rf_asset_pages(q->asset));
}

/* Pages of one document that may go as a document. */
static int64_t most_pages(const struct rf_question *q)
{
    return least(q->caps->max_pdf_pages, q->caps->pages_are_images ? q->caps->max_images : 0);
}

/* Pages that may go as pictures, or as text: where an endpoint tells no limit that would hold
 * them, there is a usual one. */
static int64_t most_made(const struct rf_question *q, int64_t limit)
{
    return least(q->options->pages, limit ? 0 : RF_PAGES);
}

/* Recipes. */

/* The types among `candidates` that are taken there, as a list. */
static struct rf_str taken_of(const struct rf_question *q, enum rf_kind kind,
                              struct rf_str candidates, bool inside)
{
    struct rf_str mime, out = RF_STR("");
    while (rf_str_split(&candidates, ',', &mime))
        if (rf_question_takes(q, kind, mime, inside))
            out = rf_strf(q->arena, "%.*s%s%.*s", RF_FMT(out), out.n ? "," : "", RF_FMT(mime));
    return out;
}

/* Where a file of that kind would go, and as what; empty when it is taken nowhere. */
static struct rf_str place(const struct rf_question *q, enum rf_kind kind, struct rf_str candidates,
                           bool *inside)
{
    struct rf_str types = RF_STR("");
    *inside = rf_question_inside(q);
    if (*inside)
        types = taken_of(q, kind, candidates, true);
    if (types.n)
        return types;
    *inside = false;
    return taken_of(q, kind, candidates, false);
}

static bool is_nothing(const struct rf_made *made)
{
    return made && (made->failed || (!made->count && !made->text.n));
}

/* Has this recipe failed before? Else it is the decision's. */
static bool follow(const struct rf_question *q, struct rf_decision *d, struct rf_recipe recipe)
{
    const struct rf_made *made = rf_asset_made(q->asset, &recipe);
    if (is_nothing(made))
        return false;
    d->recipe = recipe;
    d->made = made;
    return true;
}

static void go(const struct rf_question *q, struct rf_decision *d, bool inside, enum rf_kind kind,
               struct rf_str as, struct rf_str reason)
{
    const struct rf_made *made = d->made;
    struct rf_str mime = made && made->count ? made->parts[0].asset.mime : RF_STR("");
    d->delivery = inside || !q->in_result ? RF_DELIVERY_NATIVE : RF_DELIVERY_FALLBACK;
    d->as = as;
    d->reason = reason;
    d->tokens = -1;
    if (d->delivery == RF_DELIVERY_FALLBACK)
        d->reason = rf_strf(q->arena, "%.*s; %.*s", RF_FMT(reason),
                            RF_FMT(rf_question_why_injected(q, kind, mime)));
}

static int64_t picture_tokens(const struct rf_question *q, const struct rf_made *made)
{
    int64_t sum = 0;
    for (size_t i = 0; i < made->count; i++) {
        const struct rf_facts *f = &made->parts[i].asset.facts;
        int64_t n = rf_image_tokens(q->caps->image_tokens, f->width, f->height);
        if (n < 0)
            return -1;
        sum += n;
    }
    return sum;
}

/* A type besides that of the first; empty where all are alike. */
static struct rf_str other_mime(const struct rf_made *made)
{
    for (size_t i = 1; i < made->count; i++)
        if (!rf_str_eq(made->parts[i].asset.mime, made->parts[0].asset.mime))
            return made->parts[i].asset.mime;
    return RF_STR("");
}

/* "image/jpeg", "image/png x 3 pages", "image/png or image/jpeg x 3 pages" */
static struct rf_str as_what(const struct rf_question *q, const struct rf_decision *d,
                             const char *unit)
{
    const struct rf_made *made = d->made;
    struct rf_str mime = made && made->count ? made->parts[0].asset.mime : RF_STR("");
    if (!unit || !mime.n)
        return mime;
    struct rf_str other = other_mime(made);
    return rf_strf(q->arena, "%.*s%s%.*s x %zu %s%s", RF_FMT(mime), other.n ? " or " : "",
                   RF_FMT(other), made->count, unit, made->count == 1 ? "" : "s");
}

static void go_as_pictures(const struct rf_question *q, struct rf_decision *d, bool inside,
                           const char *unit, struct rf_str reason)
{
    go(q, d, inside, RF_KIND_IMAGE, as_what(q, d, unit), reason);
    if (d->made)
        d->tokens = picture_tokens(q, d->made);
}

/* Rungs. */

static bool is_taken(const struct rf_question *q, enum rf_kind kind, struct rf_str mime)
{
    return rf_question_takes(q, kind, mime, false) ||
           (rf_question_inside(q) && rf_question_takes(q, kind, mime, true));
}

static struct rf_str why_picture(const struct rf_question *q)
{
    const struct rf_facts *f = &q->asset->facts;
    if (!is_taken(q, RF_KIND_IMAGE, q->asset->mime))
        return rf_strf(q->arena, "%.*s takes no %.*s", RF_FMT(q->plan->model->provider),
                       RF_FMT(q->asset->mime));
    if ((int64_t)f->width > picture_side(q) || (int64_t)f->height > picture_side(q))
        return RF_STR("it is larger than is of use");
    return f->unusual ? RF_STR("not every reader shows it as it is meant")
                      : RF_STR("it is over a limit of one picture");
}

static bool as_picture(const struct rf_question *q, struct rf_decision *d)
{
    bool inside;
    struct rf_str types = place(q, RF_KIND_IMAGE, RF_STR("image/png,image/jpeg"), &inside);
    const struct rf_recipe recipe = {
        .make = RF_MAKE_PICTURE,
        .mime = q->asset->mime,
        .types = types,
        .max_side = picture_side(q),
        .max_pixels = q->caps->max_image_pixels,
        .max_bytes = made_bytes(q),
    };
    if (!types.n || !follow(q, d, recipe))
        return false;
    go_as_pictures(q, d, inside, NULL, why_picture(q));
    return true;
}

/* Pages from there on could not be had before: fewer or more of them cannot either. */
static bool has_failed(const struct rf_question *q, enum rf_make make, struct rf_pages pages)
{
    for (size_t i = 0; i < q->asset->made_count; i++) {
        const struct rf_made *m = q->asset->made[i];
        if (m->failed && m->recipe.make == make && m->recipe.pages.first == pages.first)
            return true;
    }
    return false;
}

static bool as_part(const struct rf_question *q, struct rf_decision *d)
{
    bool inside;
    const struct rf_caps *c = q->caps;
    struct rf_str types = place(q, RF_KIND_PDF, RF_STR("application/pdf"), &inside);
    struct rf_pages pages = rf_pages_at_most(asked_pages(q), least(most_pages(q), q->pages));
    bool whole = is_whole(q, pages);
    const struct rf_recipe recipe = {
        .make = RF_MAKE_PAGES,
        .pages = { pages.first, whole ? 0 : pages.last },
    };
    if (!types.n || !rf_convert_prefers(q) || has_failed(q, RF_MAKE_PAGES, pages) ||
        !follow(q, d, recipe))
        return false;
    int64_t size = d->made && d->made->count ? (int64_t)d->made->parts[0].asset.bytes.size : 0;
    int64_t base64 = (int64_t)rf_base64_length((uint64_t)size);
    if ((c->max_document_bytes && size > c->max_document_bytes) ||
        (c->max_body_bytes && base64 + BODY_RESERVE > c->max_body_bytes)) {
        d->recipe = (struct rf_recipe){ 0 };
        d->made = NULL;
        return false;
    }
    go(q, d, inside, RF_KIND_PDF, RF_STR("application/pdf"),
       !whole             ? RF_STR("these pages only")
       : q->asset->locked ? RF_STR("without its encryption")
                          : RF_STR("it is damaged"));
    d->pages = rf_pages_count(pages);
    d->tokens = rf_file_tokens(c, q->asset, d->pages);
    if (pages.last < asked_pages(q).last && !q->pages) {
        d->limit_name = "max_pdf_pages";
        d->limit = most_pages(q);
    }
    return true;
}

static struct rf_str why_pages(const struct rf_question *q)
{
    if (!is_taken(q, RF_KIND_PDF, RF_STR("application/pdf")))
        return rf_strf(q->arena, "%.*s:%.*s takes no application/pdf",
                       RF_FMT(q->plan->model->provider), RF_FMT(q->plan->model->name));
    return RF_STR("the document is over a limit");
}

int64_t rf_convert_readable(const struct rf_caps *c)
{
    int64_t body = c->max_body_bytes - BODY_RESERVE, page = c->min_page_base64;
    return body <= 0 || !page ? 0 : body < page ? 1 : body / page;
}

struct rf_picture_room rf_convert_picture_room(const struct rf_caps *c)
{
    int64_t body = c->max_body_bytes - BODY_RESERVE;
    return (struct rf_picture_room){
        .all = body > 0 ? body : 0,
        .small = SMALL_BYTES,
        .side = least(least(c->max_image_side, c->many_image_side), RF_PICTURE_SIDE),
    };
}

static bool is_same_file(const struct rf_asset *a, const struct rf_asset *b)
{
    const struct rf_source *one = &a->block->media.source, *other = &b->block->media.source;
    return a == b || (one->kind == other->kind && rf_str_eq(one->ref, other->ref));
}

/* Pages of the file in all blocks of its message, each with at most so many: "#p=2,4" makes two,
 * which share the room of one. */
static int64_t pages_together(const struct rf_question *q, const struct rf_decision *d,
                              int64_t most)
{
    int64_t count = 0;
    for (size_t i = 0; i < d->message->count; i++) {
        const struct rf_part *part = &d->message->parts[i];
        struct rf_question other = *q;
        other.asset = part->asset;
        if (part->kind == RF_PART_MEDIA && is_same_file(q->asset, other.asset))
            count += rf_pages_count(rf_pages_at_most(asked_pages(&other), most));
    }
    return count;
}

static bool as_pages(const struct rf_question *q, struct rf_decision *d)
{
    bool inside;
    struct rf_str types = place(q, RF_KIND_IMAGE, RF_STR("image/png,image/jpeg"), &inside);
    int64_t usual = most_made(q, q->caps->max_images), room = rf_convert_readable(q->caps);
    int64_t most = least(least(usual, q->caps->max_images), room);
    struct rf_pages asked = asked_pages(q);
    struct rf_pages full = rf_pages_at_most(asked, most);
    struct rf_pages pages = rf_pages_at_most(full, q->pages);
    if (!types.n || !rf_pages_count(pages))
        return false;
    const struct rf_recipe recipe = {
        .make = RF_MAKE_PAGE_PICTURES,
        .pages = pages,
        .dpi = PAGE_DPI,
        .types = types,
        .max_side = picture_side(q),
        .max_pixels = q->caps->max_image_pixels,
        .max_bytes = least(PAGE_BYTES, picture_bytes(q, pages_together(q, d, most))),
    };
    if (has_failed(q, RF_MAKE_PAGE_PICTURES, pages) || !follow(q, d, recipe))
        return false;
    go_as_pictures(q, d, inside, "page", why_pages(q));
    d->pages = rf_pages_count(pages);
    if (full.last < asked.last && !q->pages) {
        bool images = !usual || q->caps->max_images <= usual;
        bool bytes = room && rf_pages_count(full) == room;
        d->limit_name = bytes                           ? "max_body_bytes"
                        : q->caps->max_images && images ? "max_images"
                                                        : "pages";
        d->limit = bytes ? q->caps->max_body_bytes : rf_pages_count(full);
    }
    return true;
}

static bool as_sound(const struct rf_question *q, struct rf_decision *d)
{
    bool inside;
    struct rf_str types = place(q, RF_KIND_AUDIO, RF_STR("audio/mpeg,audio/wav"), &inside), mime;
    int64_t body =
        q->caps->max_body_bytes > BODY_RESERVE ? q->caps->max_body_bytes - BODY_RESERVE : 0;
    if (!rf_str_split(&types, ',', &mime) ||
        !follow(
            q, d,
            (struct rf_recipe){ .make = RF_MAKE_SOUND, .mime = mime, .max_bytes = body / 4 * 3 }))
        return false;
    go(q, d, inside, RF_KIND_AUDIO, mime,
       rf_strf(q->arena, "%.*s takes no %.*s", RF_FMT(q->plan->model->provider),
               RF_FMT(q->asset->mime)));
    return true;
}

/* One video leaves room for other pictures. */
static int64_t frame_count(const struct rf_question *q)
{
    return least(q->options->frames ? q->options->frames : FRAMES, (q->caps->max_images + 1) / 2);
}

static struct rf_recipe transcript(const struct rf_question *q)
{
    return (struct rf_recipe){ .make = RF_MAKE_TRANSCRIPT, .command = q->options->transcribe };
}

static void say_unheard(const struct rf_question *q, struct rf_decision *d,
                        const struct rf_made *made)
{
    d->reason = rf_strf(q->arena, "%.*s; \"%.*s\" did not transcribe it: %.*s", RF_FMT(d->reason),
                        RF_FMT(rf_words_command(made->recipe.command)),
                        RF_FMT(made->failed ? made->why : RF_STR("it printed nothing")));
}

/* A person can have it heard, and has to know; in strict mode it would not do. */
static void say_no_command(const struct rf_question *q, struct rf_decision *d)
{
    if (!q->options->strict)
        d->reason =
            rf_strf(q->arena, "%.*s, and no transcribe command is configured", RF_FMT(d->reason));
}

/* Frames have no sound: what is said goes along, where the person's command tells it. */
static void add_said(const struct rf_question *q, struct rf_decision *d)
{
    const struct rf_recipe said = transcript(q);
    if (!d->made || !d->made->sound)
        return;
    if (!said.command.n) {
        say_no_command(q, d);
        return;
    }
    const struct rf_made *made = rf_asset_made(q->asset, &said);
    if (is_nothing(made)) {
        say_unheard(q, d, made);
        return;
    }
    d->also = said;
    if (!made)
        return;
    d->said = made->text;
    d->as = rf_strf(q->arena, "%.*s and a transcript by %.*s", RF_FMT(d->as),
                    RF_FMT(rf_words_command(said.command)));
}

static bool as_frames(const struct rf_question *q, struct rf_decision *d)
{
    bool inside;
    struct rf_str types = place(q, RF_KIND_IMAGE, RF_STR("image/jpeg,image/png"), &inside);
    int64_t count = frame_count(q);
    const struct rf_recipe recipe = {
        .make = RF_MAKE_FRAMES,
        .count = count,
        .types = types,
        .max_side = least(FRAME_SIDE, picture_side(q)),
        .max_bytes = least(FRAME_BYTES, picture_bytes(q, count)),
    };
    if (!types.n || !follow(q, d, recipe))
        return false;
    go_as_pictures(q, d, inside, "frame",
                   rf_strf(q->arena, "%.*s:%.*s takes no %.*s", RF_FMT(q->plan->model->provider),
                           RF_FMT(q->plan->model->name), RF_FMT(q->asset->mime)));
    add_said(q, d);
    return true;
}

bool rf_convert_prefers(const struct rf_question *q)
{
    const struct rf_facts *f = &q->asset->facts;
    int64_t side = picture_side(q);
    switch (q->asset->kind) {
    case RF_KIND_IMAGE:
        return f->unusual || q->asset->damage.n || (int64_t)f->width > side ||
               (int64_t)f->height > side || (int64_t)q->asset->bytes.size > picture_bytes(q, 1);
    case RF_KIND_PDF:
        return q->asset->locked || q->asset->damage.n ||
               !is_whole(q, rf_pages_at_most(asked_pages(q), least(most_pages(q), q->pages)));
    case RF_KIND_UNKNOWN:
    case RF_KIND_TEXT:
    case RF_KIND_OFFICE:
    case RF_KIND_AUDIO:
    case RF_KIND_VIDEO:
        break;
    }
    return false;
}

bool rf_convert_media(const struct rf_question *q, struct rf_decision *d)
{
    switch (q->asset->kind) {
    case RF_KIND_IMAGE:
        return as_picture(q, d);
    case RF_KIND_PDF:
        return as_part(q, d) || as_pages(q, d);
    case RF_KIND_AUDIO:
        return as_sound(q, d);
    case RF_KIND_VIDEO:
        return as_frames(q, d);
    case RF_KIND_UNKNOWN:
    case RF_KIND_TEXT:
    case RF_KIND_OFFICE:
        break;
    }
    return false;
}

bool rf_convert_fewer(const struct rf_question *q, struct rf_decision *d, int64_t pages)
{
    struct rf_question fewer = *q;
    struct rf_decision made = *d;
    fewer.pages = pages;
    made.recipe = (struct rf_recipe){ 0 };
    made.made = NULL;
    if (d->recipe.make == RF_MAKE_PAGE_PICTURES ? !as_pages(&fewer, &made)
                                                : !as_part(&fewer, &made))
        return false;
    *d = made;
    return true;
}

bool rf_convert_smaller(const struct rf_question *q, struct rf_decision *d)
{
    struct rf_plan_options less = *q->options;
    struct rf_question small = *q;
    struct rf_decision made = *d;
    if (q->asset->state != RF_ASSET_BYTES || q->asset->kind == RF_KIND_PDF)
        return false;
    less.picture_side = SMALL_SIDE;
    less.picture_bytes = SMALL_BYTES;
    less.frames = SMALL_FRAMES;
    small.options = &less;
    made.recipe = (struct rf_recipe){ 0 };
    made.made = NULL;
    if (!rf_convert_prefers(&small) && q->asset->kind != RF_KIND_VIDEO)
        return false;
    if (!rf_convert_media(&small, &made))
        return false;
    *d = made;
    return true;
}

/* Text. */

bool rf_convert_is_front(const struct rf_decision *d)
{
    return d->recipe.make == RF_MAKE_FRONT;
}

bool rf_convert_front(const struct rf_question *q, struct rf_decision *d)
{
    struct rf_room room = { .tokens = RF_FRONT_TOKENS, .bytes = INT64_MAX };
    const struct rf_recipe front = { .make = RF_MAKE_FRONT, .max_bytes = RF_FRONT_BYTES };
    if (q->asset->kind != RF_KIND_TEXT || q->asset->state != RF_ASSET_BYTES || !follow(q, d, front))
        return false;
    if (d->made)
        d->text = rf_lift_cut(rf_room_front(&room, q->caps, d->made->text), q->arena);
    return true;
}

/* Of an office file the pictures come with its text: to be seen, or to be read by a machine. */
static void ask_for_pictures(const struct rf_question *q, struct rf_recipe *text)
{
    bool inside;
    bool seen = place(q, RF_KIND_IMAGE, RF_STR("image/png,image/jpeg"), &inside).n > 0 &&
                !rf_question_refused_inside(q);
    text->pictures = seen ? least(INNER_PICTURES, q->caps->max_images) : READ_PICTURES;
    text->picture_bytes = INNER_BYTES;
    text->recognise = !seen;
}

/* Each picture goes as itself or as what can be made of it, where one may stand. */
static void decide_picture(const struct rf_question *q, struct rf_decision *d)
{
    bool inside;
    d->delivery = RF_DELIVERY_OMITTED;
    d->tokens = -1;
    if (rf_convert_prefers(q) || !place(q, RF_KIND_IMAGE, q->asset->mime, &inside).n) {
        as_picture(q, d);
        return;
    }
    go(q, d, inside, RF_KIND_IMAGE, q->asset->mime, RF_STR("it is in a document"));
    d->tokens = rf_file_tokens(q->caps, q->asset, 0);
}

static void decide_pictures(const struct rf_question *q, struct rf_decision *d)
{
    struct rf_made_part *parts = d->made->parts;
    d->pictures = RF_ARRAY(q->arena, struct rf_decision, d->made->count);
    for (size_t i = 0; i < d->made->count; i++) {
        struct rf_part *part = RF_NEW(q->arena, struct rf_part);
        struct rf_question inner = *q;
        *part = (struct rf_part){ .kind = RF_PART_MEDIA, .asset = &parts[i].asset };
        inner.asset = part->asset;
        d->pictures[i] = (struct rf_decision){ .part = part, .message = d->message };
        decide_picture(&inner, &d->pictures[i]);
    }
    d->picture_count = d->pictures_kept = d->made->count;
}

static bool as_transcript(const struct rf_question *q, struct rf_decision *d)
{
    const struct rf_recipe said = transcript(q);
    if (!said.command.n) {
        say_no_command(q, d);
        return false;
    }
    if (!follow(q, d, said)) {
        say_unheard(q, d, rf_asset_made(q->asset, &said));
        return false;
    }
    if (d->made)
        d->text = d->made->text;
    return true;
}

bool rf_convert_text(const struct rf_question *q, struct rf_decision *d)
{
    enum rf_kind kind = q->asset->kind;
    if (kind == RF_KIND_AUDIO || kind == RF_KIND_VIDEO)
        return as_transcript(q, d);
    struct rf_recipe text = {
        .make = RF_MAKE_TEXT,
        .mime = q->asset->mime,
        .pages = asked_pages(q),
    };
    if (kind == RF_KIND_PDF)
        text.pages = rf_pages_at_most(text.pages, most_made(q, q->caps->context_tokens));
    else if (kind == RF_KIND_OFFICE)
        ask_for_pictures(q, &text);
    else if (kind != RF_KIND_IMAGE)
        return false;
    if (!follow(q, d, text))
        return false;
    if (!d->made)
        return true;
    d->text = d->made->text;
    d->recognised = d->made->confidence > 0 || kind == RF_KIND_IMAGE;
    if (kind == RF_KIND_OFFICE && d->made->count)
        decide_pictures(q, d);
    return !rf_str_blank(d->text) || d->pictures_kept;
}
