#include "limits.h"

#include <refract/tokens.h>

#include "base/arena.h"
#include "base/base64.h"

static void count_items(const struct rf_item *items, size_t n, struct rf_demand *sum)
{
    for (size_t i = 0; i < n; i++) {
        bool media = items[i].kind == RF_ITEM_MEDIA;
        sum->images += media && items[i].asset->kind == RF_KIND_IMAGE;
        sum->documents += media && items[i].label.n;
        sum->text += items[i].kind == RF_ITEM_TEXT_FILE ? (int64_t)items[i].asset->bytes.size : 0;
        sum->text += (int64_t)items[i].text.n;
        count_items(items[i].items, items[i].count, sum);
    }
}

/* The pages of the documents that are sent as documents. */
static int64_t count_pages(const struct rf_plan *p)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_decision *d = &p->decisions[i];
        bool sent = d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK;
        if (!sent || d->part->asset->kind != RF_KIND_PDF)
            continue;
        if (!d->made)
            sum += rf_asset_pages(d->part->asset);
        for (size_t k = 0; d->made && k < d->made->count; k++)
            sum += d->recipe.make == RF_MAKE_PAGES ? rf_pages_count(d->made->parts[k].pages) : 0;
    }
    return sum;
}

struct rf_demand held_by(const struct rf_request *r)
{
    struct rf_tokens *t = rf_request_tokens(r);
    struct rf_demand sum = {
        .pages = count_pages(&r->plan),
        .bytes = (int64_t)rf_request_length(r),
        .tokens = rf_tokens_total(t) + rf_tokens_reserve(t),
    };
    for (size_t i = 0; i < r->plan.turn_count; i++)
        count_items(r->plan.turns[i].items, r->plan.turns[i].count, &sum);
    if (r->plan.model->caps.pages_are_images)
        sum.images += sum.pages;
    rf_tokens_free(t);
    return sum;
}

struct limit {
    const char *name;
    int64_t has, most;
};

static const char *first_passed(const struct limit *limits, size_t n, struct rf_arena *a)
{
    for (size_t i = 0; i < n; i++)
        if (limits[i].most && limits[i].has > limits[i].most)
            return rf_strf(a, "%s is %lld, over %lld", limits[i].name, (long long)limits[i].has,
                           (long long)limits[i].most)
                .p;
    return NULL;
}

static const char *passed_by_picture(const struct rf_caps *c, const struct rf_asset *f,
                                     struct rf_arena *a)
{
    int64_t width = f->facts.width, height = f->facts.height;
    const struct limit limits[] = {
        { "max_image_side", width > height ? width : height, c->max_image_side },
        { "max_image_pixels", width * height, c->max_image_pixels },
        { "max_image_bytes", (int64_t)f->bytes.size, c->max_image_bytes },
        { "max_image_base64", (int64_t)rf_base64_length(f->bytes.size), c->max_image_base64 },
    };
    return f->state == RF_ASSET_BYTES ? first_passed(limits, sizeof limits / sizeof *limits, a)
                                      : NULL;
}

static const char *passed_by_items(const struct rf_caps *c, const struct rf_item *items, size_t n,
                                   struct rf_arena *a)
{
    const char *passed = NULL;
    for (size_t i = 0; !passed && i < n; i++)
        passed = items[i].kind == RF_ITEM_MEDIA && items[i].asset->kind == RF_KIND_IMAGE
                     ? passed_by_picture(c, items[i].asset, a)
                     : passed_by_items(c, items[i].items, items[i].count, a);
    return passed;
}

const char *passed_limit(const struct rf_request *r, struct rf_arena *a)
{
    const struct rf_caps *c = &r->plan.model->caps;
    struct rf_demand sum = held_by(r);
    const struct limit limits[] = {
        { "max_images", sum.images, c->max_images },
        { "max_documents", sum.documents, c->max_documents },
        { "max_pdf_pages", sum.pages, c->max_pdf_pages },
        { "max_body_bytes", sum.bytes, c->max_body_bytes },
        { "max_text_bytes", sum.text, c->max_text_bytes },
        { "context_tokens", sum.tokens, c->context_tokens },
    };
    const char *passed = NULL;
    for (size_t i = 0; !passed && i < r->plan.turn_count; i++)
        passed = passed_by_items(c, r->plan.turns[i].items, r->plan.turns[i].count, a);
    return passed ? passed : first_passed(limits, sizeof limits / sizeof *limits, a);
}
