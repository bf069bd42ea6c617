#include "plan/file_tokens.h"

#include "model/tokens.h"

/* Pages that the block is about, and that the text in it is of; 0: not known. */
static int64_t pages_of(const struct rf_asset *f)
{
    int64_t all = rf_asset_pages(f);
    int64_t count = rf_pages_count(rf_pages_within(f->block->media.pages, all));
    return count ? count : all;
}

/* Of `pages` of a document, by what its worker told of all of them. */
static int64_t told_tokens(const struct rf_caps *c, const struct rf_asset *f, int64_t pages)
{
    struct rf_text_weight weight = f->weight;
    if (pages > 0 && pages < rf_asset_pages(f))
        rf_text_weight_scale(&weight, pages, rf_asset_pages(f));
    return rf_weight_tokens(c, &weight);
}

/* Of a text, or of the pages that are sent where the text of more is known. */
static int64_t text_tokens(const struct rf_caps *c, const struct rf_asset *f, int64_t pages)
{
    struct rf_str text = f->block->media.extracted_text;
    int64_t count = pages_of(f);
    if (f->kind == RF_KIND_TEXT)
        return rf_weight_tokens(c, &f->weight);
    if (!text.n && f->look.weighed)
        return told_tokens(c, f, pages > 0 ? pages : count);
    int64_t all = rf_text_tokens(c, text);
    return pages > 0 && pages < count ? all * pages / count : all;
}

int64_t rf_file_tokens(const struct rf_caps *c, const struct rf_asset *f, int64_t pages)
{
    const struct rf_media *m = &f->block->media;
    const struct rf_measure measure = {
        .kind = f->kind,
        .width = f->facts.width ? f->facts.width : m->width,
        .height = f->facts.height ? f->facts.height : m->height,
        .pages = pages > 0 ? pages : pages_of(f),
        .duration_ms = f->facts.duration_ms ? f->facts.duration_ms : m->duration_ms,
        .bytes = (int64_t)f->bytes.size,
        .text_tokens = text_tokens(c, f, pages),
        .knows_text = m->extracted_text.n || f->look.weighed,
    };
    return rf_media_tokens(c, &measure);
}

int64_t rf_item_tokens(const struct rf_caps *c, const struct rf_item *item)
{
    int64_t frame = item->asset->kind == RF_KIND_TEXT || item->kind == RF_ITEM_TEXT_FILE
                        ? c->call_tokens + rf_text_tokens(c, item->text)
                        : 0;
    return frame + rf_file_tokens(c, item->asset, item->asset->pages);
}
