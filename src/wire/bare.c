#include "wire/bare.h"

#include "media/media.h"
#include "source/asset.h"
#include "source/base64_text.h"
#include "source/lift.h"

#define UNLABELLED RF_STR("application/octet-stream")
#define LOOK 4096 /* characters; a head takes fewer */

/* Google's clients write the alphabet for URLs. */
static const struct rf_format *format_of(struct rf_str base64)
{
    char head[LOOK];
    size_t n = rf_base64_run((struct rf_str){ base64.p, base64.n < LOOK ? base64.n : LOOK });
    for (size_t i = 0; i < n; i++)
        head[i] = base64.p[i] == '-' ? '+' : base64.p[i] == '_' ? '/' : base64.p[i];
    return rf_lift_head((struct rf_str){ head, n }, true);
}

void rf_bare_url(struct rf_block *block)
{
    struct rf_source *s = &block->media.source;
    const struct rf_format *f = s->kind == RF_SOURCE_URL ? format_of(s->ref) : NULL;
    if (!f || f->kind != RF_KIND_IMAGE)
        return;
    s->kind = RF_SOURCE_DATA;
    block->media.media_type = UNLABELLED;
}

void rf_bare_data(struct rf_block *block)
{
    const struct rf_format *f = format_of(block->media.source.ref);
    block->media.media_type = UNLABELLED;
    if (f)
        block->type = rf_block_type_for(f->kind);
}

static bool is_youtube(struct rf_str url)
{
    static const char *const hosts[] = { "youtu.be", "youtube.com", "www.youtube.com",
                                         "m.youtube.com" };
    struct rf_str host;
    if (!rf_str_starts(url, "https://") && !rf_str_starts(url, "http://"))
        return false;
    rf_str_split(&url, '/', &host);
    rf_str_split(&url, '/', &host);
    rf_str_split(&url, '/', &host);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (rf_str_ieq(host, rf_str(hosts[i])))
            return true;
    return false;
}

void rf_bare_link(struct rf_block *block)
{
    struct rf_str url = block->media.source.ref;
    const struct rf_format *f = rf_format_by_name(rf_name_in_url(url));
    if (is_youtube(url))
        block->type = RF_BLOCK_VIDEO;
    else if (f)
        block->type = rf_block_type_for(f->kind);
}
