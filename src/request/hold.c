/* A hold becomes a refusal of the asset, which the plan knows already. */
#include "request/hold.h"

#include "base/arena.h"
#include "base/sha256.h"

struct rf_str rf_hold_key(const struct rf_asset *asset, struct rf_arena *a)
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

void rf_request_options_hold(struct rf_request_options *o, const struct rf_hold *holds,
                             size_t count)
{
    o->holds = holds;
    o->hold_count = count;
}

static void add_refusal(struct rf_asset *f, const struct rf_hold *hold, struct rf_arena *a)
{
    struct rf_refusal *all = RF_ARRAY(a, struct rf_refusal, f->refusal_count + 1);
    all[0] = (struct rf_refusal){ hold->provider, hold->reason, hold->remake };
    for (size_t i = 0; i < f->refusal_count; i++)
        all[i + 1] = f->refusals[i];
    f->refusals = all;
    f->refusal_count++;
}

static void mark(struct rf_asset *f, const struct rf_hold *holds, size_t count, struct rf_arena *a)
{
    struct rf_str key = rf_hold_key(f, a);
    for (size_t i = 0; key.n && i < count; i++)
        if (rf_str_eq(holds[i].file, key))
            add_refusal(f, &holds[i], a);
}

void rf_hold_mark(struct rf_survey *s, const struct rf_hold *holds, size_t count,
                  struct rf_arena *a)
{
    for (size_t i = 0; count && i < s->count; i++)
        for (size_t j = 0; j < s->messages[i].count; j++)
            if (s->messages[i].parts[j].kind == RF_PART_MEDIA)
                mark(s->messages[i].parts[j].asset, holds, count, a);
}
