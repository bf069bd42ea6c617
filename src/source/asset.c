/* From a media block to an asset: find the bytes, look at their head, check them against what the
 * block claims. Of a blob the store knows already what a look would tell: it stays closed. A
 * text in another encoding is decoded, and then is a text like any other. */
#include "source/asset.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/utf8.h"
#include "source/base64_text.h"
#include "source/examine.h"
#include "source/lift.h"
#include "source/read.h"
#include "source/text_decode.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include RF_XXHASH

#define HASH_AT (sizeof "sha256:" - 1)
#define HASH_HEX 64
#define HASHED_PIECE ((size_t)32 << 10)
#define BAD_IN 10 /* one in so many bytes may be no character of a text */

static void broken(struct rf_asset *asset, enum rf_code code, struct rf_str why)
{
    asset->state = RF_ASSET_BROKEN;
    asset->problem = code;
    asset->problem_text = why;
}

/* A file that cannot be had. The words go to a model: no path, and no system's wording of what
 * happened. */
static void broken_file(struct rf_asset *asset, enum rf_code code)
{
    static const char *const words[] = {
        [RF_ENOTFOUND] = "the file is not there",
        [RF_EPERMISSION] = "the file is outside of the folder that may be read",
        [RF_EFORMAT] = "it is not a regular file",
    };
    bool worded = code == RF_ENOTFOUND || code == RF_EPERMISSION || code == RF_EFORMAT;
    broken(asset, code, rf_str(worded ? words[code] : "the file could not be read"));
}

static bool is_hostile(unsigned char c)
{
    return c < 0x20 || c == 0x7f || c == '"' || c == '[' || c == ']' || c == '<' || c == '>' ||
           c == '`' || c == '\\';
}

/* Three bytes that a reader of text does not see and a terminal may obey: U+2028 to U+202E and
 * U+2066 to U+2069, which break lines or turn the direction of writing. */
static bool is_unseen(const unsigned char *p, size_t n)
{
    return n >= 3 && p[0] == 0xe2 &&
           ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
            (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

struct rf_str rf_clean_name(struct rf_str name, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, name.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < name.n;) {
        const unsigned char *p = (const unsigned char *)name.p + i;
        unsigned len = rf_utf8_char(p, name.n - i);
        bool c1 = len == 2 && p[0] == 0xc2 && p[1] < 0xa0;
        if (len == 0 || c1 || is_hostile(*p) || is_unseen(p, name.n - i)) {
            out[n++] = '_';
        } else {
            memcpy(out + n, p, len);
            n += len;
        }
        i += len ? len : 1;
    }
    struct rf_str clean = { out, n };
    if (n <= RF_MAX_NAME_SHOWN)
        return clean;
    struct rf_str front = rf_utf8_cut(clean, RF_MAX_NAME_SHOWN / 2);
    size_t from = n - RF_MAX_NAME_SHOWN / 2 + 3;
    while (from < n && ((unsigned char)out[from] & 0xc0) == 0x80)
        from++;
    return rf_strf(a, "%.*s...%.*s", RF_FMT(front), (int)(n - from), out + from);
}

struct rf_str rf_name_in_url(struct rf_str url)
{
    struct rf_str path = url, rest, host;
    rf_str_split(&url, '?', &path);
    rest = path;
    rf_str_split(&rest, '#', &path);
    const char *begin = path.n ? memmem(path.p, path.n, "://", 3) : NULL;
    if (begin) {
        path = (struct rf_str){ begin + 3, (size_t)(path.p + path.n - begin - 3) };
        rf_str_split(&path, '/', &host);
    }
    return rf_str_behind(path, '/');
}

struct rf_str rf_clean_url(struct rf_str url, struct rf_arena *a)
{
    struct rf_str rest = url, bare = RF_STR(""), scheme = RF_STR(""), place = RF_STR("");
    rf_str_split(&rest, '?', &bare);
    rest = bare;
    rf_str_split(&rest, '#', &place);
    const char *begin = memmem(place.p, place.n, "://", 3);
    if (begin) {
        scheme = (struct rf_str){ place.p, (size_t)(begin + 3 - place.p) };
        place = (struct rf_str){ begin + 3, place.n - scheme.n };
    }
    const char *slash = memchr(place.p, '/', place.n);
    const char *at = memrchr(place.p, '@', slash ? (size_t)(slash - place.p) : place.n);
    if (at)
        place = (struct rf_str){ at + 1, (size_t)(place.p + place.n - at - 1) };
    return rf_clean_name(
        rf_strf(a, "%.*s%.*s%s", RF_FMT(scheme), RF_FMT(place), bare.n < url.n ? "?..." : ""), a);
}

static struct rf_str name_of(const struct rf_block *block, struct rf_arena *a)
{
    const struct rf_media *m = &block->media;
    struct rf_str name = m->name, rest = m->source.ref;
    if (!name.n && m->source.kind == RF_SOURCE_PATH)
        name = rf_str_behind(rest, '/');
    if (!name.n && m->source.kind == RF_SOURCE_URL && !rf_is_data_url(rest))
        name = rf_name_in_url(rest);
    return rf_clean_name(name, a);
}

static enum rf_kind kind_of_block(enum rf_block_type type)
{
    switch (type) {
    case RF_BLOCK_IMAGE:
        return RF_KIND_IMAGE;
    case RF_BLOCK_AUDIO:
        return RF_KIND_AUDIO;
    case RF_BLOCK_VIDEO:
        return RF_KIND_VIDEO;
    case RF_BLOCK_DOCUMENT:
        return RF_KIND_PDF;
    case RF_BLOCK_TEXT:
    case RF_BLOCK_JSON:
    case RF_BLOCK_THINKING:
    case RF_BLOCK_TOOL_CALL:
    case RF_BLOCK_OPAQUE:
        break;
    }
    return RF_KIND_UNKNOWN;
}

enum rf_block_type rf_block_type_for(enum rf_kind kind)
{
    switch (kind) {
    case RF_KIND_IMAGE:
        return RF_BLOCK_IMAGE;
    case RF_KIND_AUDIO:
        return RF_BLOCK_AUDIO;
    case RF_KIND_VIDEO:
        return RF_BLOCK_VIDEO;
    case RF_KIND_PDF:
    case RF_KIND_OFFICE:
    case RF_KIND_TEXT:
    case RF_KIND_UNKNOWN:
        break;
    }
    return RF_BLOCK_DOCUMENT;
}

/* Does a block of this type hold files of this kind? A container of sound and pictures may be
 * either: then the block decides, and the label follows. */
static bool fits_block(enum rf_block_type type, enum rf_kind kind)
{
    if (type == RF_BLOCK_DOCUMENT)
        return kind == RF_KIND_PDF || kind == RF_KIND_TEXT || kind == RF_KIND_OFFICE;
    if (type == RF_BLOCK_AUDIO)
        return kind == RF_KIND_AUDIO || kind == RF_KIND_VIDEO;
    return kind == kind_of_block(type);
}

static void relabel_sound(struct rf_asset *asset)
{
    if (asset->format && asset->format->sound)
        asset->mime = rf_str(asset->format->sound);
    asset->kind = RF_KIND_AUDIO;
}

/* The bytes cannot be looked at here: what is declared, then the name where it fits the block, then
 * the block's type. */
static void set_remote(struct rf_asset *asset, enum rf_asset_state state, struct rf_arena *a)
{
    const struct rf_media *m = &asset->block->media;
    const struct rf_format *f = rf_format_by_mime(m->media_type);
    const struct rf_format *named = rf_format_by_name(asset->name);
    if (!f && named && fits_block(asset->block->type, named->kind))
        f = named;
    asset->state = state;
    asset->ref = m->source.ref;
    asset->provider = m->source.provider;
    asset->format = f;
    asset->kind = f ? f->kind : kind_of_block(asset->block->type);
    asset->mime = f ? rf_str(f->mime) : rf_clean_name(m->media_type, a);
    if (asset->block->type == RF_BLOCK_AUDIO && asset->kind == RF_KIND_VIDEO)
        relabel_sound(asset);
}

static const char *with_article(enum rf_block_type type)
{
    return type == RF_BLOCK_IMAGE || type == RF_BLOCK_AUDIO ? "an" : "a";
}

/* Check the bytes against the block's type and its media type. */
static bool check_claims(struct rf_asset *asset, struct rf_arena *a)
{
    const struct rf_block *b = asset->block;
    const struct rf_format *claimed = rf_format_by_mime(b->media.media_type);
    const struct rf_format *found = asset->format;
    if (!fits_block(b->type, found->kind)) {
        broken(asset, RF_EFORMAT,
               rf_strf(a, "it is %s, not %s %s", found->label, with_article(b->type),
                       rf_block_type_name(b->type)));
        return false;
    }
    bool same = !claimed || claimed->kind == found->kind || b->type == RF_BLOCK_AUDIO;
    if (!same)
        broken(asset, RF_EFORMAT,
               rf_strf(a, "it claims to be %s, but it is %s", claimed->label, found->label));
    return same;
}

/* A text file in which a picture hides as base64 is kept in memory, to be written without it. */
static void keep_text(struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_str all;
    struct rf_err err;
    enum rf_code rc = rf_bytes_all(&asset->bytes, a, &all, &err);
    if (rc)
        broken_file(asset, rc);
    else if (rf_lift_away(all, a).p != all.p)
        asset->text_with_files = all;
}

/* Some documents are encrypted and open without a password: only a worker can tell. */
static void lock(struct rf_asset *asset)
{
    broken(asset, RF_EENCRYPTED, RF_STR("the document is encrypted: a password is needed"));
    asset->locked = asset->kind == RF_KIND_PDF;
    if (asset->locked)
        asset->state = RF_ASSET_BYTES;
}

static struct rf_str blob_of(const struct rf_asset *asset)
{
    const struct rf_source *s = &asset->block->media.source;
    return s->kind == RF_SOURCE_BLOB ? s->ref : s->blob;
}

/* Somebody read it, and wrote down what there is to tell of it. */
static bool take_told(struct rf_asset *asset, struct rf_arena *a)
{
    const struct rf_block *b = asset->block;
    if (b->type != RF_BLOCK_DOCUMENT || rf_str_blank(b->media.extracted_text))
        return false;
    asset->state = RF_ASSET_TOLD;
    asset->mime = rf_clean_name(b->media.media_type, a);
    return true;
}

static void take_look(struct rf_asset *asset, const struct rf_inspection *look, struct rf_arena *a);

/* It is text, whatever characters are in it. */
static void take_decoded(struct rf_asset *asset, struct rf_str text, struct rf_arena *a)
{
    struct rf_inspection look = { 0 };
    text = rf_declare_utf8(text, a);
    asset->bytes = rf_bytes_memory(text);
    if (rf_inspect(&asset->bytes, a, &look, NULL) || !look.format) {
        look = (struct rf_inspection){ .format = rf_format_of(RF_FORMAT_TEXT), .may_hide = true };
        rf_text_weigh(text, &look.weight);
    }
    take_look(asset, &look, a);
    if (asset->state == RF_ASSET_BYTES && look.may_hide)
        keep_text(asset, a);
}

/* All of a text that is in the bytes. */
static bool decode_bytes(const struct rf_bytes *bytes, struct rf_str name,
                         struct rf_text_kind *kind, struct rf_arena *a, struct rf_str *out,
                         size_t *bad)
{
    struct rf_reader r = { .fd = -1 };
    if (rf_reader_open(&r, bytes, NULL))
        return false;
    bool known = kind->encoding || rf_read_as_text(&r, name, kind);
    bool decoded = known && !rf_text_whole(&r, *kind, a, out, bad);
    rf_reader_close(&r);
    return decoded;
}

bool rf_bytes_are_text(const struct rf_bytes *bytes, struct rf_str name, struct rf_arena *a,
                       struct rf_str *out)
{
    struct rf_text_kind kind = { 0 };
    struct rf_inspection look;
    size_t bad;
    if (rf_inspect(bytes, a, &look, NULL))
        return false;
    if (look.format && look.format->kind != RF_KIND_UNKNOWN)
        return look.format->kind == RF_KIND_TEXT && !rf_bytes_all(bytes, a, out, NULL);
    return decode_bytes(bytes, name, &kind, a, out, &bad);
}

static bool is_mostly(const struct rf_charset *charset, const struct rf_bytes *bytes)
{
    return (uint64_t)charset->bad <= bytes->size / BAD_IN;
}

/* A text in another encoding, as UTF-8. One that only a worker can tell is read as windows-1252, or
 * as UTF-8 where it begins like that, until a worker was asked; where that makes no text of it, it
 * is broken until then. */
static bool decode_text(struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_text_kind kind = { 0 };
    struct rf_str text;
    size_t bad;
    rf_asset_open(asset, a);
    bool small = asset->state == RF_ASSET_BYTES && asset->bytes.size <= RF_MAX_INLINE_TEXT;
    if (asset->block->type != RF_BLOCK_DOCUMENT || !small ||
        !decode_bytes(&asset->bytes, asset->name, &kind, a, &text, &bad))
        return false;
    struct rf_charset charset = rf_charset_decoded(kind, bad);
    bool is_text = is_mostly(&charset, &asset->bytes);
    if (kind.encoding == RF_ENCODING_OTHER || (kind.encoding == RF_ENCODING_UTF8 && bad && is_text))
        asset->unconverted = asset->bytes;
    if (!is_text)
        return false;
    asset->charset = charset;
    take_decoded(asset, text, a);
    return true;
}

/* What a worker gives is UTF-8 by its word only. */
static void take_converted(struct rf_asset *asset, const struct rf_job *job, struct rf_arena *a)
{
    struct rf_text_kind kind = { .encoding = RF_ENCODING_UTF8 };
    struct rf_charset charset = rf_charset_of(job);
    struct rf_bytes converted;
    struct rf_str text;
    size_t bad;
    if (rf_recoded(job, &converted) && is_mostly(&charset, &asset->unconverted) &&
        decode_bytes(&converted, asset->name, &kind, a, &text, &bad) && !bad) {
        asset->charset = charset;
        take_decoded(asset, text, a);
    }
    asset->unconverted = (struct rf_bytes){ 0 };
}

/* Bytes of no known format, of which somebody told, or which are a text in another encoding. */
static void take_unknown(struct rf_asset *asset, const struct rf_inspection *look,
                         struct rf_arena *a)
{
    if (asset->bytes.size && take_told(asset, a))
        return;
    if (asset->bytes.size && decode_text(asset, a))
        return;
    if (asset->state == RF_ASSET_BYTES)
        broken(asset, look->problem, look->problem_text);
}

/* Take what a look at the bytes told, checked against what the block claims. */
static void take_look(struct rf_asset *asset, const struct rf_inspection *look, struct rf_arena *a)
{
    asset->state = RF_ASSET_BYTES;
    asset->look = *look;
    asset->format = rf_format_refine(look->format, asset->block->media.media_type, asset->name);
    if (!look->format) {
        take_unknown(asset, look, a);
        return;
    }
    if (!check_claims(asset, a))
        return;
    asset->kind = asset->format->kind;
    asset->mime = rf_str(asset->format->mime);
    asset->facts = look->facts;
    asset->weight = look->weight;
    if (asset->block->type == RF_BLOCK_AUDIO && asset->kind == RF_KIND_VIDEO)
        relabel_sound(asset);
    asset->doubted = look->problem && rf_examiner(look);
    asset->damage = look->problem ? RF_STR("") : look->problem_text;
    if (look->problem)
        broken(asset, look->problem, look->problem_text);
    else if (asset->facts.encrypted)
        lock(asset);
}

struct rf_recipe rf_asset_exam(const struct rf_asset *asset)
{
    return asset->unconverted.size ? RF_RECODE : RF_EXAM;
}

const struct rf_bytes *rf_asset_exam_input(const struct rf_asset *asset)
{
    return asset->unconverted.size ? &asset->unconverted : &asset->bytes;
}

const char *rf_asset_examiner(const struct rf_asset *asset)
{
    bool here = asset->state == RF_ASSET_BYTES || asset->doubted;
    if (asset->unconverted.size && !asset->asked)
        return RF_RECODER;
    return here && !asset->asked && asset->bytes.size <= RF_MAX_FILE_BYTES
               ? rf_examiner(&asset->look)
               : NULL;
}

void rf_asset_examined(struct rf_asset *asset, const struct rf_job *job, struct rf_arena *a)
{
    struct rf_inspection look = asset->look;
    asset->asked = true;
    if (asset->unconverted.size) {
        take_converted(asset, job, a);
        return;
    }
    rf_examined(&look, job, a);
    if (!look.examined || (asset->state == RF_ASSET_BROKEN && !asset->doubted))
        return;
    asset->locked = false;
    take_look(asset, &look, a);
    if (asset->blobs && asset->blobs->learn && blob_of(asset).n)
        asset->blobs->learn(asset->blobs->ctx, blob_of(asset), &look);
}

int64_t rf_asset_pages(const struct rf_asset *asset)
{
    int64_t pages = asset->facts.pages > 0 ? asset->facts.pages : asset->block->media.page_count;
    return pages > RF_MAX_PAGES ? 0 : pages;
}

static void look_at_bytes(struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_inspection look;
    struct rf_err err;
    const struct rf_looked *was = asset->block->media.source.looked;
    enum rf_code rc = rf_inspect_once(&asset->bytes, was, a, &look, &err);
    if (rc) {
        broken_file(asset, rc);
        return;
    }
    take_look(asset, &look, a);
    if (asset->state == RF_ASSET_BYTES && look.may_hide)
        keep_text(asset, a);
}

/* Blobs. */

void rf_asset_open(struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_err err;
    if (!asset->unopened)
        return;
    asset->unopened = false;
    enum rf_code rc = asset->blobs->open(asset->blobs->ctx, blob_of(asset), a, &asset->bytes, &err);
    if (rc == RF_EFORMAT)
        broken(asset, rc, RF_STR("the file that was kept of it is damaged"));
    else if (rc == RF_ENOTFOUND)
        broken(asset, rc, RF_STR("the file that was kept of it is not there any more"));
    else if (rc)
        broken_file(asset, rc);
}

/* Its bytes are not touched, unless they were never looked at, or a file may hide in them. */
static bool take_blob(struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_blob_known known = { 0 };
    if (!asset->blobs->known(asset->blobs->ctx, blob_of(asset), &known))
        return false;
    const struct rf_inspection *look = &known.look;
    bool looked_at = look->format || look->problem;
    asset->state = RF_ASSET_BYTES;
    asset->bytes =
        (struct rf_bytes){ .kind = RF_BYTES_FILE, .root = "", .path = "", .size = known.size };
    asset->unopened = true;
    asset->dropped = known.dropped;
    asset->withheld = known.withheld;
    asset->withheld_count = known.withheld_count;
    if (looked_at)
        take_look(asset, look, a);
    if (asset->state == RF_ASSET_BYTES && (!looked_at || look->may_hide)) {
        rf_asset_open(asset, a);
        if (asset->state == RF_ASSET_BYTES)
            look_at_bytes(asset, a);
    }
    asset->unopened = asset->unopened && (asset->state == RF_ASSET_BYTES || asset->doubted);
    return true;
}

static void from_blob(struct rf_asset *asset, struct rf_arena *a)
{
    if (!asset->blobs)
        broken(asset, RF_ENOTFOUND, RF_STR("its blob is in a session that is not open here"));
    else if (!take_blob(asset, a))
        broken(asset, RF_ENOTFOUND, RF_STR("its blob is not in the session"));
}

bool rf_asset_as_blob(struct rf_asset *asset, struct rf_arena *a)
{
    if (asset->state != RF_ASSET_FILE_ID || !asset->blobs || !blob_of(asset).n)
        return false;
    struct rf_asset bytes = *asset;
    bytes.format = NULL;
    if (!take_blob(&bytes, a))
        return false;
    *asset = bytes;
    return true;
}

/* Where the bytes of a source are. */

struct rf_asset_place rf_asset_place_for(const struct rf_asset_place *place, enum rf_role role)
{
    struct rf_asset_place p = *place;
    const char *base = p.base && *p.base ? p.base : ".";
    if (!p.root)
        p.root = role == RF_ROLE_USER ? "" : p.tool_root ? p.tool_root : base;
    return p;
}

/* The real path of a file that may be read though it is elsewhere; or NULL. */
static const char *granted(const struct rf_asset_place *place, const char *path, struct rf_arena *a)
{
    char real[PATH_MAX];
    if (!place->granted_count || !realpath(path, real))
        return NULL;
    for (size_t i = 0; i < place->granted_count; i++) {
        struct rf_str g = place->granted[i];
        if (strncmp(real, g.p, g.n) == 0 && (real[g.n] == '\0' || real[g.n] == '/'))
            return rf_cstr(a, rf_str(real));
    }
    return NULL;
}

bool rf_is_kept(const char *folder, const char *path)
{
    struct rf_bytes bytes;
    return folder && *folder && !rf_bytes_file(folder, path, &bytes, NULL);
}

static enum rf_code path_bytes(struct rf_str ref, const struct rf_asset_place *place,
                               struct rf_arena *a, struct rf_bytes *out, struct rf_err *err)
{
    const char *path = rf_path_from(place->base, ref, a);
    enum rf_code rc = rf_bytes_file(place->root, path, out, err);
    if (rc == RF_EPERMISSION && place->kept && !rf_bytes_file(place->kept, path, out, NULL))
        rc = RF_OK;
    const char *real = rc == RF_EPERMISSION ? granted(place, path, a) : NULL;
    return real ? rf_bytes_file("", real, out, err) : rc;
}

static bool hash_pieces(struct rf_str text, XXH3_state_t *state)
{
    XXH3_64bits_reset(state);
    for (; text.n > HASHED_PIECE; text.p += HASHED_PIECE, text.n -= HASHED_PIECE) {
        if (text.p[HASHED_PIECE - 1] == '=' || !rf_base64_is_valid(text.p, HASHED_PIECE))
            return false;
        XXH3_64bits_update(state, text.p, HASHED_PIECE);
    }
    XXH3_64bits_update(state, text.p, text.n);
    return rf_base64_is_valid(text.p, text.n);
}

/* `*hash` is that of all characters. They are checked and hashed a piece after the other, so that
 * memory is read once. */
static bool is_valid_hashed(struct rf_str text, uint64_t *hash)
{
    if (text.n <= HASHED_PIECE) {
        *hash = XXH3_64bits(text.p, text.n);
        return rf_base64_is_valid(text.p, text.n);
    }
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        RF_NO_MEMORY();
    bool valid = hash_pieces(text, state);
    *hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return valid;
}

/* Every character is checked here, so that what goes out later is known to be base64. `hash` may
 * be NULL. */
static enum rf_code canonical_bytes(struct rf_str text, struct rf_bytes *out, uint64_t *hash,
                                    struct rf_err *err)
{
    struct rf_bytes bytes;
    enum rf_code rc = rf_bytes_base64(text, &bytes, err);
    if (!rc && !(hash ? is_valid_hashed(text, hash) : rf_base64_is_valid(text.p, text.n)))
        rc = rf_fail(err, RF_EFORMAT, "the base64 is not valid");
    if (!rc)
        *out = bytes;
    return rc;
}

/* Programs write it as it should be: that it is needs one look, and only what is not is cleaned. */
static enum rf_code base64_bytes(struct rf_str text, struct rf_arena *a, struct rf_bytes *out,
                                 uint64_t *hash, struct rf_err *err)
{
    struct rf_str mime, payload, clean;
    if (rf_data_url(rf_str_trim(text), &mime, &payload))
        text = payload;
    if (!canonical_bytes(rf_str_trim(text), out, hash, NULL))
        return RF_OK;
    enum rf_code rc = rf_base64_clean(rf_str_trim(text), a, &clean, err);
    return rc ? rc : canonical_bytes(clean, out, hash, err);
}

/* Of a data URL that is not base64: the text after its comma, percent-encoded. */
static enum rf_code encoded_bytes(struct rf_str url, struct rf_arena *a, struct rf_bytes *out,
                                  struct rf_err *err)
{
    struct rf_str head, text = url;
    if (!rf_str_split(&text, ',', &head) || head.n == url.n)
        return rf_fail(err, RF_EFORMAT, "the data URL has no comma");
    char *p = rf_arena_alloc(a, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        int high = i + 2 < text.n ? rf_hex_digit(text.p[i + 1]) : -1;
        int low = i + 2 < text.n ? rf_hex_digit(text.p[i + 2]) : -1;
        bool encoded = text.p[i] == '%' && high >= 0 && low >= 0;
        p[n++] = encoded ? (char)(high << 4 | low) : text.p[i];
        i += encoded ? 2 : 0;
    }
    *out = rf_bytes_memory((struct rf_str){ p, n });
    return RF_OK;
}

static bool is_base64_url(struct rf_str url)
{
    struct rf_str mime, payload;
    return rf_data_url(url, &mime, &payload);
}

static bool can_be_path(struct rf_str ref)
{
    return ref.n && !memchr(ref.p, '\0', ref.n);
}

enum rf_code rf_source_bytes(const struct rf_source *source, const struct rf_asset_place *place,
                             struct rf_arena *a, struct rf_bytes *out, struct rf_err *err)
{
    bool url = source->kind == RF_SOURCE_URL && rf_is_data_url(source->ref);
    if (url && !is_base64_url(source->ref))
        return encoded_bytes(source->ref, a, out, err);
    if (url || source->kind == RF_SOURCE_DATA)
        return base64_bytes(source->ref, a, out, NULL, err);
    if (source->kind == RF_SOURCE_BYTES) {
        *out = rf_bytes_memory(source->ref);
        return RF_OK;
    }
    if (source->kind != RF_SOURCE_PATH)
        return rf_fail(err, RF_EUNSUPPORTED, "its bytes are not here");
    if (!can_be_path(source->ref))
        return rf_fail(err, RF_EFORMAT, "its path is not one that a file can have");
    return path_bytes(source->ref, place, a, out, err);
}

static void from_path(struct rf_asset *asset, const struct rf_asset_place *place,
                      struct rf_arena *a)
{
    struct rf_str ref = asset->block->media.source.ref;
    if (!can_be_path(ref)) {
        broken(asset, RF_EFORMAT, RF_STR("its path is not one that a file can have"));
        return;
    }
    bool folder = rf_str_is(asset->block->media.media_type, RF_MIME_FOLDER);
    if (folder && take_told(asset, a))
        return;
    enum rf_code rc = path_bytes(ref, place, a, &asset->bytes, NULL);
    if (rc)
        broken_file(asset, rc);
    else
        look_at_bytes(asset, a);
}

/* "att_" and twelve digits, as those have that are made of a SHA-256. */
static struct rf_str quick_id(uint64_t hash, struct rf_arena *a)
{
    static const char hex[] = "0123456789abcdef";
    char digits[12];
    for (size_t i = 0; i < sizeof digits; i++)
        digits[i] = hex[hash >> (60 - 4 * i) & 15];
    return RF_JOINED(a, RF_STR("att_"), (struct rf_str){ digits, sizeof digits });
}

static void from_base64(struct rf_asset *asset, struct rf_str text, struct rf_arena *a)
{
    uint64_t hash;
    bool quick = asset->quick_id && !asset->id.n;
    if (base64_bytes(text, a, &asset->bytes, quick ? &hash : NULL, NULL)) {
        broken(asset, RF_EFORMAT, RF_STR("its base64 is not valid"));
        return;
    }
    if (quick && asset->bytes.size)
        asset->id = quick_id(hash, a);
    look_at_bytes(asset, a);
}

static void from_data_url(struct rf_asset *asset, struct rf_str url, struct rf_arena *a)
{
    if (is_base64_url(url))
        from_base64(asset, url, a);
    else if (encoded_bytes(url, a, &asset->bytes, NULL))
        broken(asset, RF_EFORMAT, RF_STR("its data URL is not valid"));
    else
        look_at_bytes(asset, a);
}

static void find_bytes(struct rf_asset *asset, const struct rf_asset_place *place,
                       struct rf_arena *a)
{
    const struct rf_source *s = &asset->block->media.source;
    switch (s->kind) {
    case RF_SOURCE_PATH:
        from_path(asset, place, a);
        break;
    case RF_SOURCE_URL:
        if (rf_is_data_url(s->ref))
            from_data_url(asset, s->ref, a);
        else
            set_remote(asset, RF_ASSET_URL, a);
        break;
    case RF_SOURCE_FILE_ID:
        set_remote(asset, RF_ASSET_FILE_ID, a);
        break;
    case RF_SOURCE_DATA:
        from_base64(asset, s->ref, a);
        break;
    case RF_SOURCE_BYTES:
        asset->bytes = rf_bytes_memory(s->ref);
        look_at_bytes(asset, a);
        break;
    case RF_SOURCE_BLOB:
        from_blob(asset, a);
        break;
    case RF_SOURCE_NONE:
        broken(asset, RF_EFORMAT, RF_STR("it has no source"));
        break;
    }
}

void rf_asset_init(struct rf_asset *asset, const struct rf_block *block,
                   const struct rf_asset_place *place, struct rf_arena *a)
{
    *asset = (struct rf_asset){
        .block = block,
        .name = name_of(block, a),
        .id = rf_clean_name(block->media.id, a),
        .quick_id = place->quick_ids,
        .blobs = place->blobs,
    };
    find_bytes(asset, place, a);
    bool sound = asset->state == RF_ASSET_BYTES && asset->kind == RF_KIND_IMAGE;
    asset->asked |= place->by_headers && sound;
}

void rf_asset_lift(struct rf_asset *asset, struct rf_lifted *lifted, struct rf_arena *a)
{
    if (rf_asset_identify(asset, a, NULL))
        return;
    struct rf_str text = rf_lift_out(asset->text_with_files, a, lifted);
    text = text.n ? text : RF_STR("[See the file below.]");
    asset->bytes = rf_bytes_memory(text);
    asset->text_with_files = RF_STR("");
    rf_text_weigh(text, &asset->weight);
}

bool rf_is_blob(struct rf_str name)
{
    if (!rf_str_starts(name, "sha256:") || name.n != HASH_AT + HASH_HEX)
        return false;
    for (size_t i = HASH_AT; i < name.n; i++)
        if (!memchr("0123456789abcdef", name.p[i], 16))
            return false;
    return true;
}

struct rf_str rf_asset_sha256(const struct rf_asset *asset)
{
    struct rf_str blob = blob_of(asset);
    return rf_is_blob(blob) ? (struct rf_str){ blob.p + HASH_AT, HASH_HEX } : RF_STR("");
}

enum rf_code rf_asset_identify(struct rf_asset *asset, struct rf_arena *a, struct rf_err *err)
{
    struct rf_str hash = rf_asset_sha256(asset);
    struct rf_bytes ref = rf_bytes_memory(asset->block->media.source.ref);
    bool by_content = asset->bytes.size > 0 && asset->bytes.size <= RF_MAX_FILE_BYTES;
    enum rf_code rc = RF_OK;
    if (asset->id.n)
        return RF_OK;
    if (!hash.n && by_content) {
        rc = rf_bytes_hash(&asset->bytes, a, err);
        if (rc)
            broken(asset, rc, RF_STR("the file could not be read to its end"));
        else
            hash = asset->bytes.sha256;
    }
    if (!hash.n) { /* what names the file, where its content cannot */
        rc = rf_bytes_hash(&ref, a, err);
        hash = ref.sha256;
    }
    if (!rc)
        asset->id = rf_strf(a, "att_%.12s", hash.p);
    return rc;
}

/* What is only told of. */

struct words {
    const char *word;
    const char *one, *many; /* of what it holds; NULL: it is not a list */
    const char *text;       /* where it is none */
    const char *such;       /* files; NULL: as the format is called */
};

static const struct words *words_of(const struct rf_asset *asset)
{
    static const struct words folder = { "folder", "entry", "entries", "", "folders" };
    static const struct words document = { "document", NULL, NULL, "its text",
                                           "files of this kind" };
    static const struct words others[] = {
        [RF_TOLD_BYTES] = { "file", NULL, NULL, "its size and its first bytes",
                            "files of this kind" },
        [RF_TOLD_LIST] = { "archive", "file", "files", "", "archives" },
        [RF_TOLD_TEXT] = { "mail", NULL, NULL, "its text", NULL },
    };
    const struct rf_format *f = rf_other_by_mime(asset->mime);
    if (rf_str_is(asset->mime, RF_MIME_FOLDER))
        return &folder;
    return f && f->told != RF_TOLD_PICTURE ? &others[f->told] : &document;
}

const char *rf_asset_word(const struct rf_asset *asset)
{
    if (asset->state == RF_ASSET_TOLD)
        return words_of(asset)->word;
    if (asset->kind != RF_KIND_UNKNOWN)
        return rf_kind_name(asset->kind);
    return asset->block ? rf_block_type_name(asset->block->type) : "file";
}

struct rf_str rf_asset_told(const struct rf_asset *asset, struct rf_arena *a)
{
    const struct words *t = words_of(asset);
    int64_t count = asset->block->media.page_count;
    if (!t->one)
        return rf_str(t->text);
    if (!count)
        return RF_STR("a list of what is in it");
    return rf_strf(a, "a list of its %.*s %s", RF_FMT(rf_with_commas((uint64_t)count, a)),
                   count == 1 ? t->one : t->many);
}

struct rf_str rf_asset_told_why(const struct rf_asset *asset, struct rf_arena *a)
{
    const char *such = words_of(asset)->such;
    return rf_strf(a, "no API takes %s", such ? such : rf_other_by_mime(asset->mime)->label);
}
