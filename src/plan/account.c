/* The form is read off the decision: how it is delivered, and by which recipe. Each form has things
 * that it can lose:
 *
 *     smaller, converted    animation, what was damaged, pages
 *     pages, page images    the pages that were asked for and did not go
 *     frames                all but those, and the sound
 *     text                  pages without text or cut off, the pictures that are not in it
 *     a note                all of it
 *
 * Pages are counted by marks: the pages that were asked for are laid out, those that went are
 * marked, and the rest is lost. Of a book of 47 pages of which 1 to 20 were asked for, 1 to 5 went
 * and page 3 was a scan: "pages 3, 6-20". */
#include "plan/account.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/num.h"
#include "plan/pieces.h"
#include "plan/question.h"
#include "plan/words.h"

/* Form */

/* A picture of the same type with fewer pixels or bytes; anything else that was made anew is
 * converted. */
static enum rf_form picture_form(const struct rf_decision *d)
{
    const struct rf_asset *was = d->part->asset;
    const struct rf_asset *is = d->made && d->made->count ? &d->made->parts[0].asset : NULL;
    bool same = is && rf_str_eq(is->mime, was->mime) && !was->damage.n && !was->facts.unusual;
    return same ? RF_FORM_SMALLER : RF_FORM_CONVERTED;
}

static enum rf_form made_form(const struct rf_decision *d)
{
    enum rf_make make = d->recipe.make;
    return make == RF_MAKE_PICTURE                         ? picture_form(d)
           : make == RF_MAKE_PAGE_PICTURES                 ? RF_FORM_PAGE_IMAGES
           : make == RF_MAKE_FRAMES                        ? RF_FORM_FRAMES
           : make == RF_MAKE_PAGES && d->recipe.pages.last ? RF_FORM_PAGES
                                                           : RF_FORM_CONVERTED;
}

static enum rf_form words_form(const struct rf_decision *d)
{
    const struct rf_media *m = &d->part->asset->block->media;
    if (!rf_str_blank(m->extracted_text))
        return RF_FORM_TEXT;
    if (!rf_str_blank(m->transcript) || d->recipe.make == RF_MAKE_TRANSCRIPT)
        return RF_FORM_TRANSCRIPT;
    if (rf_str_blank(d->text) && !(d->recipe.make && !d->made))
        return RF_FORM_NOTE;
    return d->recognised ? RF_FORM_RECOGNISED_TEXT : RF_FORM_TEXT;
}

static enum rf_form form_of(const struct rf_decision *d)
{
    if (d->inlined)
        return RF_FORM_ORIGINAL;
    if (rf_decision_is_sent(d))
        return d->recipe.make ? made_form(d) : RF_FORM_ORIGINAL;
    return d->delivery == RF_DELIVERY_TEXT ? words_form(d) : RF_FORM_NOTE;
}

/* Loss */

static void lose(struct rf_decision *d, struct rf_arena *a, struct rf_str what)
{
    *RF_PUSH(a, d->lost, d->lost_count, d->lost_cap) = what;
}

/* The pages that were asked for: a mark for each that went. */
struct pages {
    struct rf_pages asked;
    bool *went;
};

static bool asked_for(const struct rf_decision *d, struct rf_arena *a, struct pages *out)
{
    const struct rf_asset *f = d->part->asset;
    struct rf_pages p = rf_pages_within(f->block->media.pages, rf_asset_pages(f));
    if (!rf_pages_count(p) || p.last > RF_MAX_PAGES)
        return false;
    *out = (struct pages){ p, RF_ARRAY(a, bool, (size_t)rf_pages_count(p)) };
    return true;
}

static void went(struct pages *p, struct rf_pages sent)
{
    int64_t first = sent.first > p->asked.first ? sent.first : p->asked.first;
    for (int64_t page = first; page <= sent.last && page <= p->asked.last; page++)
        p->went[page - p->asked.first] = true;
}

/* "pages 3, 21-120" */
static void lose_pages(struct rf_decision *d, const struct pages *p, struct rf_arena *a)
{
    struct rf_str list = RF_STR("");
    size_t count = 0;
    for (int64_t page = p->asked.first; page <= p->asked.last; page++) {
        int64_t from = page;
        while (page <= p->asked.last && !p->went[page - p->asked.first])
            page++;
        if (page == from)
            continue;
        count += (size_t)(page - from);
        list = page - from == 1
                   ? rf_strf(a, "%.*s%s%lld", RF_FMT(list), list.n ? ", " : "", (long long)from)
                   : rf_strf(a, "%.*s%s%lld-%lld", RF_FMT(list), list.n ? ", " : "",
                             (long long)from, (long long)page - 1);
    }
    if (count)
        lose(d, a, rf_strf(a, "page%s %.*s", count == 1 ? "" : "s", RF_FMT(list)));
}

/* What is not made yet will hold the pages that were ordered. No numbers: all of it. */
static void lose_unsent_pages(struct rf_decision *d, struct rf_arena *a)
{
    const struct rf_made *made = d->made;
    struct pages p;
    bool all = made ? made->count == 1 && !made->parts[0].pages.last : !d->recipe.pages.last;
    if (all || !asked_for(d, a, &p))
        return;
    if (!made)
        went(&p, d->recipe.pages);
    for (size_t i = 0; made && i < made->count; i++)
        went(&p, made->parts[i].pages);
    lose_pages(d, &p, a);
}

static void lose_pictures(struct rf_decision *d, int64_t count, struct rf_arena *a)
{
    if (count > 0)
        lose(d, a, rf_strf(a, "%lld picture%s", (long long)count, count == 1 ? "" : "s"));
}

int64_t rf_account_pictures(const struct rf_decision *d)
{
    int64_t count = 0;
    for (size_t i = 0; i < d->pictures_kept; i++)
        count += rf_decision_is_sent(&d->pictures[i]);
    return count;
}

/* Of a document that goes as its text. */
static void lose_in_text(struct rf_decision *d, struct rf_arena *a)
{
    struct rf_pieces pieces = rf_pieces_of(d, a);
    size_t kept = d->kept ? d->kept : pieces.count;
    struct pages p;
    bool paged = pieces.count && pieces.list[0].page && asked_for(d, a, &p);
    int64_t pictures = 0;
    for (size_t i = 0; i < kept; i++) {
        pictures += pieces.list[i].pictures;
        if (paged && !pieces.list[i].unread)
            went(&p, (struct rf_pages){ pieces.list[i].page, pieces.list[i].page });
    }
    if (paged && d->part->asset->kind == RF_KIND_PDF)
        lose_pages(d, &p, a);
    else if (kept < pieces.count)
        lose(d, a,
             rf_strf(a, "the text after its first %.*s bytes",
                     RF_FMT(rf_with_commas(rf_pieces_front(&pieces, kept).n, a))));
    if (d->made && !pictures)
        pictures = d->made->pictures - rf_account_pictures(d);
    lose_pictures(d, pictures, a);
}

static void lose_in_front(struct rf_decision *d, struct rf_arena *a)
{
    lose(d, a,
         rf_strf(a, "the text after its first %.*s bytes", RF_FMT(rf_with_commas(d->text.n, a))));
}

static void lose_in_words(struct rf_decision *d, struct rf_arena *a)
{
    enum rf_kind kind = d->part->asset->kind;
    if (d->part->asset->state == RF_ASSET_TOLD)
        lose(d, a, rf_strf(a, "all but %.*s", RF_FMT(d->as)));
    else if (rf_convert_is_front(d))
        lose_in_front(d, a);
    else if (kind == RF_KIND_IMAGE)
        lose(d, a, RF_STR("the picture"));
    else if (kind == RF_KIND_AUDIO)
        lose(d, a, RF_STR("the sound"));
    else if (kind == RF_KIND_VIDEO)
        lose(d, a, RF_STR("the film"));
    else
        lose_in_text(d, a);
}

/* Several frames or pages became one picture. */
static void lose_frames(struct rf_decision *d, struct rf_arena *a)
{
    const struct rf_asset *f = d->part->asset;
    const struct rf_part_words *parts = f->format ? f->format->parts : NULL;
    bool pages = parts && strcmp(parts->one, "page") == 0;
    if (f->facts.frames > 1)
        lose(d, a, pages ? RF_STR("the pages after the first") : RF_STR("animation"));
}

static void lose_damaged(struct rf_decision *d, struct rf_arena *a)
{
    struct rf_str damage = d->part->asset->damage;
    if (!damage.n && d->made)
        damage = d->made->damage;
    if (damage.n && d->part->asset->kind == RF_KIND_IMAGE)
        lose(d, a, rf_strf(a, "part of it (%.*s)", RF_FMT(damage)));
}

/* Of a text in another character set, or one that is damaged. */
static void lose_bytes(struct rf_decision *d, struct rf_arena *a)
{
    const struct rf_charset *c = &d->part->asset->charset;
    struct rf_str set = c->name.n ? c->name : RF_STR("UTF-8");
    if (c->bad > 0)
        lose(d, a,
             rf_strf(a, "%.*s byte%s not %.*s", RF_FMT(rf_with_commas((uint64_t)c->bad, a)),
                     c->bad == 1 ? " that is" : "s that are", RF_FMT(set)));
}

static void lose_film(struct rf_decision *d, struct rf_arena *a)
{
    size_t count = d->made ? d->made->count : 0;
    lose(d, a, rf_strf(a, "all but %zu frame%s", count, count == 1 ? "" : "s"));
    if (d->made && d->made->sound)
        lose(d, a, d->said.n ? RF_STR("sound but for what is said") : RF_STR("sound"));
}

void rf_account(struct rf_decision *d, struct rf_arena *a)
{
    d->form = form_of(d);
    d->lost = NULL;
    d->lost_count = d->lost_cap = 0;
    switch (d->form) {
    case RF_FORM_ORIGINAL:
        if (d->inlined && d->part->asset->text_with_files.n)
            lose(d, a, RF_STR("the files that hide in it as base64"));
        lose_bytes(d, a);
        break;
    case RF_FORM_SMALLER:
    case RF_FORM_CONVERTED:
        if (d->part->asset->kind == RF_KIND_IMAGE)
            lose_frames(d, a);
        lose_damaged(d, a);
        lose_unsent_pages(d, a);
        break;
    case RF_FORM_PAGES:
    case RF_FORM_PAGE_IMAGES:
        lose_unsent_pages(d, a);
        break;
    case RF_FORM_FRAMES:
        lose_film(d, a);
        break;
    case RF_FORM_TEXT:
    case RF_FORM_RECOGNISED_TEXT:
    case RF_FORM_TRANSCRIPT:
        lose_in_words(d, a);
        break;
    case RF_FORM_NOTE:
        lose(d, a, RF_STR("all of it"));
        break;
    }
}

bool rf_account_keeps_kind(const struct rf_decision *d)
{
    switch (d->form) {
    case RF_FORM_ORIGINAL:
    case RF_FORM_SMALLER:
    case RF_FORM_CONVERTED:
    case RF_FORM_PAGES:
        return true;
    case RF_FORM_PAGE_IMAGES:
    case RF_FORM_FRAMES:
    case RF_FORM_TEXT:
    case RF_FORM_RECOGNISED_TEXT:
    case RF_FORM_TRANSCRIPT:
    case RF_FORM_NOTE:
        break;
    }
    return false;
}

bool rf_account_is_faithful(const struct rf_decision *d)
{
    return rf_account_keeps_kind(d) && !d->lost_count;
}

static struct rf_str joined(const struct rf_decision *d, const char *between, struct rf_arena *a)
{
    struct rf_str out = RF_STR("");
    for (size_t i = 0; i < d->lost_count; i++)
        out = rf_strf(a, "%.*s%s%.*s", RF_FMT(out), i ? between : "", RF_FMT(d->lost[i]));
    return out;
}

struct rf_str rf_account_lost(const struct rf_decision *d, struct rf_arena *a)
{
    return joined(d, ", ", a);
}

struct rf_str rf_account_lost_list(const struct rf_decision *d, struct rf_arena *a)
{
    return joined(d, "; ", a);
}
