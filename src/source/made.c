/* From a job's parts to assets. A worker is not believed: the bytes are sniffed and probed
 * again, and a part that is not what it says is left out. */
#include "source/made.h"

#include "base/arena.h"
#include "base/buf.h"
#include "source/examine.h"
#include "source/recognise.h"

const struct rf_made *rf_asset_made(const struct rf_asset *asset, const struct rf_recipe *recipe)
{
    for (size_t i = 0; i < asset->made_count; i++)
        if (rf_recipe_eq(&asset->made[i]->recipe, recipe))
            return asset->made[i];
    return NULL;
}

static struct rf_str part_str(const struct rf_job_part *p, const char *key)
{
    return rf_prop_str(p->props, p->prop_count, key);
}

/* "--- Page 3 ---", "--- Sheet: Q3 ---" */
static void add_heading(struct rf_buf *b, const struct rf_job_part *p, size_t number)
{
    struct rf_str unit = part_str(p, "unit"), title = part_str(p, "title");
    struct rf_str page = part_str(p, "page");
    if (!unit.n)
        unit = RF_STR("Page");
    rf_buf_addf(b, "%s--- %.*s", number ? "\n\n" : "", RF_FMT(unit));
    if (page.n)
        rf_buf_addf(b, " %.*s", RF_FMT(page));
    if (title.n)
        rf_buf_addf(b, ": %.*s", RF_FMT(title));
    rf_buf_add(b, RF_STR(" ---\n"));
}

/* Letters have no pages that anybody would name. Other documents say what theirs are called, and
 * those of a PDF are pages. */
static bool is_paged(const struct rf_asset *asset, const struct rf_job *job)
{
    bool pdf = asset->kind == RF_KIND_PDF;
    for (size_t i = 0; i < job->part_count; i++) {
        const struct rf_job_part *p = &job->parts[i];
        if (part_str(p, "title").n || (part_str(p, "page").n && (pdf || part_str(p, "unit").n)))
            return true;
    }
    return false;
}

static int64_t part_int(const struct rf_job_part *p, const char *key)
{
    return rf_prop_int(p->props, p->prop_count, key);
}

/* Words for a page on which there are none. */
static struct rf_str empty_words(const struct rf_job_part *p)
{
    if (!part_int(p, "page") || rf_str_trim(p->text).n)
        return RF_STR("");
    return part_int(p, "cut")        ? RF_STR("[not read: the document has too much text]")
           : part_int(p, "scanned")  ? RF_STR("[a scanned page, which was not recognised]")
           : part_int(p, "pictures") ? RF_STR("[a scanned page: no text was found in it]")
                                     : RF_STR("[a page without text]");
}

static bool has_words(const struct rf_job *job)
{
    if (!rf_str_blank(job->text))
        return true;
    for (size_t i = 0; i < job->part_count; i++)
        if (!rf_str_blank(job->parts[i].text))
            return true;
    return false;
}

/* The texts of all parts as one, each under a heading that says which page, slide or sheet it
 * is, and what a reader should know about them; where each of them ends, and where the pictures
 * between them stand. */
static struct rf_str join_text(const struct rf_asset *asset, const struct rf_job *job,
                               struct rf_arena *a, struct rf_made *m)
{
    struct rf_buf b;
    struct rf_str out;
    bool paged = is_paged(asset, job);
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, job->text);
    for (size_t i = 0; i < job->part_count; i++) {
        const struct rf_job_part *p = &job->parts[i];
        m->text_ends[i] = b.n;
        if (!rf_str_is(part_str(p, "kind"), "text"))
            continue;
        if (paged && !part_int(p, "goes_on"))
            add_heading(&b, p, m->piece_count);
        rf_buf_add(&b, rf_recognised_line(p, a));
        rf_buf_add(&b, p->text);
        rf_buf_add(&b, empty_words(p));
        m->pieces[m->piece_count++] = (struct rf_text_piece){
            .end = b.n,
            .page = part_int(p, "page"),
            .pictures = part_int(p, "pictures"),
            .unread = part_int(p, "scanned") > 0 || part_int(p, "cut") > 0,
        };
    }
    for (size_t i = 0; b.n && i < job->note_count; i++)
        rf_buf_addf(&b, "\n\n[Note: %.*s]", RF_FMT(job->notes[i]));
    if (rf_buf_finish(&b, &out, NULL))
        RF_BUG("a text is longer than its parts");
    return out;
}

/* A picture shows one page, a document has some. */
static struct rf_pages pages_of(const struct rf_job_part *p)
{
    int64_t page = part_int(p, "page"), last = part_int(p, "last");
    return last ? (struct rf_pages){ part_int(p, "first"), last } : (struct rf_pages){ page, page };
}

/* False where the bytes are not what a wire could carry. */
static bool to_asset(const struct rf_asset *from, const struct rf_job_part *p,
                     struct rf_made_part *out)
{
    struct rf_reader r = { .fd = -1 };
    const struct rf_format *f = NULL;
    out->asset = (struct rf_asset){
        .state = RF_ASSET_BYTES,
        .block = from->block,
        .bytes = p->bytes,
        .name = from->name,
        .id = from->id,
    };
    if (!p->bytes.size || rf_reader_open(&r, &p->bytes, NULL))
        return false;
    f = rf_sniff(&r);
    bool sound = f && !rf_probe(&r, f, &out->asset.facts, NULL);
    rf_reader_close(&r);
    if (!sound)
        return false;
    out->asset.format = f;
    out->asset.kind = f->kind;
    out->asset.mime = rf_str(f->mime);
    out->pages = pages_of(p);
    if (f->kind == RF_KIND_PDF) { /* what is known of all pages tells about some of them */
        out->asset.pages = rf_pages_count(out->pages);
        out->asset.look = from->look;
        out->asset.weight = from->weight;
        out->asset.facts.pages = from->facts.pages;
    }
    out->time_ms = part_int(p, "time_ms");
    return true;
}

/* A picture inside a document has a name of its own. */
static void name_picture(struct rf_made_part *made, const struct rf_job_part *p, struct rf_arena *a)
{
    struct rf_str name = part_str(p, "name");
    if (!name.n)
        return;
    made->asset.name = rf_clean_name(name, a);
    made->asset.id = RF_STR("");
}

static int64_t lowest_confidence(const struct rf_job *job)
{
    int64_t lowest = 0;
    for (size_t i = 0; i < job->part_count; i++) {
        const struct rf_job_part *p = &job->parts[i];
        int64_t confidence = p->text.n ? rf_prop_int(p->props, p->prop_count, "confidence") : 0;
        if (confidence && (!lowest || confidence < lowest))
            lowest = confidence;
    }
    return lowest;
}

void rf_asset_add_made(struct rf_asset *asset, const struct rf_recipe *recipe,
                       const struct rf_job *job, struct rf_arena *a)
{
    struct rf_made *m = RF_NEW(a, struct rf_made);
    *m = (struct rf_made){
        .recipe = *recipe,
        .failed = job->failed,
        .why = job->failed ? rf_str_dup(a, rf_str(job->err.msg)) : RF_STR(""),
        .parts = RF_ARRAY(a, struct rf_made_part, job->part_count),
        .pieces = RF_ARRAY(a, struct rf_text_piece, job->part_count),
        .text_ends = RF_ARRAY(a, size_t, job->part_count),
        .unit = job->part_count ? part_str(&job->parts[0], "unit") : RF_STR(""),
        .sound = rf_prop_int(job->facts, job->fact_count, "sound") > 0,
        .pictures = rf_prop_int(job->facts, job->fact_count, "pictures"),
        .pages = rf_prop_int(job->facts, job->fact_count, "pages"),
        .source_width = rf_prop_side(job->facts, job->fact_count, "source_width"),
        .source_height = rf_prop_side(job->facts, job->fact_count, "source_height"),
        .confidence = lowest_confidence(job),
    };
    m->damage = rf_exam_damage(job, a);
    if (!job->failed && has_words(job))
        m->text = join_text(asset, job, a, m);
    for (size_t i = 0; !job->failed && i < job->part_count; i++)
        if (job->parts[i].bytes.size && to_asset(asset, &job->parts[i], &m->parts[m->count])) {
            name_picture(&m->parts[m->count], &job->parts[i], a);
            m->parts[m->count++].text_end = m->text_ends[i];
        }
    *RF_PUSH(a, asset->made, asset->made_count, asset->made_cap) = m;
}
