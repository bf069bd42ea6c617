#include "request/withhold.h"

#include "base/arena.h"
#include "base/sha256.h"

struct rf_str rf_withheld_key(const struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_str known = rf_asset_sha256(asset);
    uint8_t digest[32];
    char hex[65];
    if (known.n)
        return rf_strf(a, "sha256:%.*s", RF_FMT(known));
    if (asset->state == RF_ASSET_URL || asset->state == RF_ASSET_FILE_ID)
        return asset->ref;
    if (asset->state != RF_ASSET_BYTES || rf_bytes_sha256(&asset->bytes, digest, NULL))
        return RF_STR("");
    rf_sha256_hex(digest, hex);
    return rf_strf(a, "sha256:%s", hex);
}

void rf_request_options_withhold(struct rf_request_options *o, const struct rf_withheld_file *files,
                                 size_t count)
{
    o->withheld = files;
    o->withheld_count = count;
}

static void add(struct rf_asset *f, const struct rf_withheld *from, struct rf_arena *a)
{
    struct rf_withheld *all = RF_ARRAY(a, struct rf_withheld, f->withheld_count + 1);
    all[0] = *from;
    for (size_t i = 0; i < f->withheld_count; i++)
        all[i + 1] = f->withheld[i];
    f->withheld = all;
    f->withheld_count++;
}

static void tell(struct rf_asset *f, const struct rf_withheld_file *files, size_t count,
                 struct rf_arena *a)
{
    struct rf_str key = rf_withheld_key(f, a);
    for (size_t i = 0; key.n && i < count; i++)
        if (rf_str_eq(files[i].key, key))
            add(f, &files[i].from, a);
}

void rf_withhold(struct rf_survey *s, const struct rf_withheld_file *files, size_t count,
                 struct rf_arena *a)
{
    for (size_t i = 0; count && i < s->count; i++)
        for (size_t j = 0; j < s->messages[i].count; j++)
            if (s->messages[i].parts[j].kind == RF_PART_MEDIA)
                tell(s->messages[i].parts[j].asset, files, count, a);
}
