/* What became of a file, as a person is told: one line in a grammar that can be searched for.
 *
 *     + photo.heic   image  4032x3024 -> 1568x1176 jpeg, 412 KB, ~2.5k tokens
 *     ! report.pdf   pdf    pages 1-95 of 120, 190 KB; lost: pages 96-120 (max_pdf_pages: 95)
 *     ! notes.doc    office as text: this model takes no documents
 *     x scan.png     image  not sent: it is HTML, not an image
 *
 * "+" was sent, with an arrow where it was converted, and nothing was lost; "!" something was,
 * or words stand for it; "x" nothing of it went. */
#include "base/arena.h"
#include "base/buf.h"
#include "media/type_words.h"
#include "plan/account.h"
#include "plan/words.h"
#include "request/request.h"

#include <inttypes.h>

#define NAME_WIDTH 14
#define KIND_WIDTH 6

static void add_size(struct rf_buf *b, int64_t bytes)
{
    if (bytes < 1000)
        rf_buf_addf(b, "%" PRId64 " B", bytes);
    else if (bytes < 1000000)
        rf_buf_addf(b, "%" PRId64 " KB", (bytes + 500) / 1000);
    else
        rf_buf_addf(b, "%.1f MB", (double)bytes / 1e6);
}

static void add_tokens(struct rf_buf *b, int64_t tokens)
{
    if (tokens >= 1000)
        rf_buf_addf(b, ", ~%.1fk tokens", (double)tokens / 1e3);
    else
        rf_buf_addf(b, ", ~%" PRId64 " token%s", tokens, tokens == 1 ? "" : "s");
}

/* "jpeg" of image/jpeg; a MIME type that has no such word stays as it is. */
static struct rf_str short_type(struct rf_str mime)
{
    struct rf_str rest = mime, family;
    if (!rf_str_split(&rest, '/', &family) || !rest.n || rest.n > 8)
        return mime;
    return rest;
}

static void add_dimensions(struct rf_buf *b, const struct rf_asset *f)
{
    if (f->facts.width && f->facts.height)
        rf_buf_addf(b, "%" PRIu32 "x%" PRIu32 " ", f->facts.width, f->facts.height);
    else if (f->facts.duration_ms > 0)
        rf_buf_addf(b, "%.1f s ", (double)f->facts.duration_ms / 1e3);
}

static void add_made(struct rf_buf *b, const struct rf_decision *d)
{
    const struct rf_made *made = d->made;
    struct rf_str was = short_type(d->part->asset->mime);
    add_dimensions(b, d->part->asset);
    if (!d->part->asset->facts.width)
        rf_buf_addf(b, "%.*s ", RF_FMT(was));
    rf_buf_addf(b, "-> ");
    if (made->count > 1)
        rf_buf_addf(b, "%zu x ", made->count);
    add_dimensions(b, &made->parts[0].asset);
    rf_buf_add(b, short_type(made->parts[0].asset.mime));
}

static bool goes(const struct rf_decision *d)
{
    return d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK || d->inlined;
}

/* "pages 1-20 of 47, ", of a document of which a part was sent, or asked for. */
static void add_pages(struct rf_buf *b, const struct rf_decision *d)
{
    const struct rf_media *m = &d->part->asset->block->media;
    int64_t first = m->pages.first, last = m->pages.last, all = m->page_count;
    if (goes(d) && !d->inlined)
        first = 0; /* all of it, unless a part was made */
    if (goes(d) && d->made && d->made->count) {
        first = d->made->parts[0].pages.first;
        last = d->made->parts[d->made->count - 1].pages.last;
        all = d->made->pages ? d->made->pages : all;
    }
    if (!first || (first == 1 && last == all))
        return;
    rf_buf_addf(b, first == last ? "page %" PRId64 : "pages %" PRId64, first);
    if (first != last)
        rf_buf_addc(b, '-');
    if (last > first) /* else it is unknown where the document ends */
        rf_buf_addf(b, "%" PRId64, last);
    if (all)
        rf_buf_addf(b, " of %" PRId64, all);
    rf_buf_addf(b, ", ");
}

/* Is it a document of some pages of this one? */
static bool is_part(const struct rf_decision *d)
{
    return d->recipe.make == RF_MAKE_PAGES && d->made->parts[0].pages.last;
}

static struct rf_str words_for(const struct rf_decision *d, struct rf_arena *a)
{
    if (d->part->asset->state == RF_ASSET_TOLD)
        return rf_strf(a, "as %.*s", RF_FMT(d->as));
    if (d->recipe.make == RF_MAKE_TRANSCRIPT)
        return rf_strf(a, "as transcript by %.*s", RF_FMT(rf_words_command(d->recipe.command)));
    return d->form == RF_FORM_RECOGNISED_TEXT ? RF_STR("as recognised text, which may be wrong")
           : d->form == RF_FORM_TRANSCRIPT    ? RF_STR("as its transcript")
                                              : RF_STR("as text");
}

/* ", 47 pages, ~12.3k tokens" of the text that stands for a file. */
static void add_text_size(struct rf_buf *b, const struct rf_request *r, size_t i,
                          const struct rf_decision *d)
{
    bool paged = d->made && d->made->piece_count && d->made->pieces[0].page && !d->pictures_kept;
    size_t pages = !paged ? 0 : d->kept ? d->kept : d->made->piece_count;
    if (pages && d->part->asset->kind == RF_KIND_PDF)
        rf_buf_addf(b, ", %zu page%s", pages, pages == 1 ? "" : "s");
    add_tokens(b, rf_report_tokens(r, i));
}

static void add_loss(struct rf_buf *b, const struct rf_decision *d)
{
    if (!d->lost_count || d->form == RF_FORM_NOTE || d->part->asset->state == RF_ASSET_TOLD)
        return; /* it was said already that this is all that went */
    rf_buf_addf(b, "; lost: %.*s", RF_FMT(rf_account_lost(d, b->arena)));
    if (d->limit_name)
        rf_buf_addf(b, " (%s: %" PRId64 ")", d->limit_name, d->limit);
}

static void add_sent(struct rf_buf *b, const struct rf_request *r, size_t i,
                     const struct rf_decision *d)
{
    const struct rf_asset *f = d->part->asset;
    bool office = f->kind == RF_KIND_OFFICE && f->format && !d->made;
    struct rf_str type = d->inlined ? RF_STR("text")
                         : office   ? rf_str(f->format->extension)
                                    : short_type(d->as);
    if (d->made && d->made->count) {
        if (!is_part(d)) {
            add_made(b, d);
            rf_buf_addf(b, d->said.n ? " and a transcript by %.*s, " : ", ",
                        RF_FMT(rf_words_command(d->also.command)));
        }
    } else if (!rf_str_is(type, rf_asset_word(f))) { /* "pdf" was said already */
        add_dimensions(b, f);
        rf_buf_addf(b, "%.*s, ", RF_FMT(type));
    }
    add_size(b, rf_report_sent_bytes(r, i));
    add_tokens(b, rf_report_tokens(r, i));
    if (f->damage.n && d->form == RF_FORM_CONVERTED && !d->lost_count)
        rf_buf_addf(b, ", repaired");
    if (f->charset.name.n)
        rf_buf_addf(b, ", from %.*s%s", RF_FMT(f->charset.name),
                    f->charset.by == RF_CHARSET_GUESSED ? ", which is a guess" : "");
}

static void add_outcome(struct rf_buf *b, const struct rf_request *r, size_t i,
                        const struct rf_decision *d)
{
    add_pages(b, d);
    if (goes(d))
        add_sent(b, r, i, d);
    else
        rf_buf_add(b, d->form == RF_FORM_NOTE ? RF_STR("not sent") : words_for(d, b->arena));
    int64_t pictures = rf_account_pictures(d);
    if (pictures)
        rf_buf_addf(b, " with %" PRId64 " picture%s", pictures, pictures == 1 ? "" : "s");
    if (!goes(d) && d->form != RF_FORM_NOTE && d->part->asset->state != RF_ASSET_TOLD)
        add_text_size(b, r, i, d);
    if (!goes(d) && d->reason.n)
        rf_buf_addf(b, ": %.*s", RF_FMT(rf_type_words(d->reason, b->arena)));
    add_loss(b, d);
}

static char mark(const struct rf_decision *d)
{
    bool whole = goes(d) && !d->lost_count;
    return d->form == RF_FORM_NOTE ? 'x' : whole ? '+' : '!';
}

struct rf_str rf_report_line(struct rf_request *r, size_t i)
{
    struct rf_str name = rf_report_name(r, i), line;
    const struct rf_decision *d = &r->plan.decisions[i];
    struct rf_buf b;
    if (!name.n)
        name = rf_report_id(r, i);
    rf_buf_init(&b, r->arena, SIZE_MAX);
    rf_buf_addf(&b, "%c %-*.*s %-*s ", mark(d), NAME_WIDTH, RF_FMT(name), KIND_WIDTH,
                rf_asset_word(d->part->asset));
    add_outcome(&b, r, i, d);
    if (rf_buf_finish(&b, &line, NULL))
        RF_BUG("a line in memory could not be written");
    return line;
}
