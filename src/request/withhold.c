#include "request/withhold.h"

#include "base/arena.h"

struct rf_str rf_withheld_key(const struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_bytes bytes = asset->bytes;
    struct rf_str blob = rf_asset_sha256(asset);
    if (!blob.n && (asset->state == RF_ASSET_URL || asset->state == RF_ASSET_FILE_ID))
        return asset->ref;
    if (!blob.n && (asset->state != RF_ASSET_BYTES || rf_bytes_hash(&bytes, a, NULL)))
        return RF_STR("");
    return rf_strf(a, "sha256:%.*s", RF_FMT(blob.n ? blob : bytes.sha256));
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
    struct rf_str key = RF_STR("");
    for (size_t i = 0; i < count; i++) {
        if (files[i].size && files[i].size != f->bytes.size)
            continue;
        key = key.n ? key : rf_withheld_key(f, a);
        if (key.n && rf_str_eq(files[i].key, key))
            add(f, &files[i].from, a);
    }
}

void rf_withhold(struct rf_survey *s, const struct rf_withheld_file *files, size_t count,
                 struct rf_arena *a)
{
    for (size_t i = 0; count && i < s->count; i++)
        for (size_t j = 0; j < s->messages[i].count; j++)
            if (s->messages[i].parts[j].kind == RF_PART_MEDIA)
                tell(s->messages[i].parts[j].asset, files, count, a);
}
