/* Texts of a message that is being kept: files that hide in them come out, and what is too long for
 * a history becomes a blob. What stays says how long it was, what it is called and how to read on;
 * so a model that needs the rest can have it, and none has to read it again with every request. */
#include "store/keep.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/utf8.h"
#include "source/lift.h"
#include "source/outline.h"

#define FRONT (RF_KEEP_MOST_CUT / 2) /* bytes of a long text that stay, at most */
#define LEAST ((size_t)1024) /* that any text may have, so that what stays is not too long */
#define MAX_OUTLINED ((size_t)16 << 20) /* bytes of a text that may be parsed to outline it */

static size_t longest(const struct rf_keeping *k)
{
    uint64_t most = (uint64_t)k->store->options.text_bytes;
    return most < LEAST ? LEAST : (size_t)most;
}

static size_t room(const struct rf_keeping *k)
{
    return longest(k) / 2 < FRONT ? longest(k) / 2 : FRONT;
}

/* Whole lines where they are not too long, whole characters in any case. */
static struct rf_str first_lines(struct rf_str text, size_t most)
{
    struct rf_str front = rf_utf8_cut(text, most);
    const char *feed = memrchr(front.p, '\n', front.n);
    if (feed && (size_t)(feed - front.p) >= most / 2)
        front.n = (size_t)(feed - front.p) + 1;
    return front;
}

/* Keep all of it, and list it with the message's files. */
static enum rf_code keep_whole(struct rf_keeping *k, struct rf_str text, struct rf_kept_file *out,
                               struct rf_err *err)
{
    struct rf_kept_file file = { 0 };
    struct rf_inspection look;
    enum rf_code rc = rf_keep_bytes(k->store, rf_bytes_memory(text), NULL, UINT64_MAX, k->arena,
                                    &file.row, &look, err);
    if (rc)
        return rc;
    rf_session_took(k->session, &file.row.hash);
    file.id = rf_keep_id(&file.row.hash, k->arena);
    file.kind = rf_str(rf_kind_name(look.format ? look.format->kind : RF_KIND_TEXT));
    file.mime = rf_str(look.format ? look.format->mime : "text/plain");
    *RF_PUSH(k->arena, k->out->files, k->out->count, k->out->cap) = file;
    *out = file;
    return RF_OK;
}

static struct rf_str with_front(struct rf_keeping *k, struct rf_str text,
                                const struct rf_kept_file *file)
{
    struct rf_arena *a = k->arena;
    struct rf_str front = first_lines(text, room(k));
    struct rf_str size = rf_with_commas(text.n, a), shown = rf_with_commas(front.n, a);
    bool ended = rf_str_ends(front, "\n");
    return rf_strf(a,
                   "%.*s%s[The first %.*s of %.*s bytes. The rest is in %.*s: read_attachment(id, "
                   "offset=%zu, limit), or with search.]",
                   RF_FMT(front), ended ? "" : "\n", RF_FMT(shown), RF_FMT(size), RF_FMT(file->id),
                   front.n);
}

static struct rf_str with_outline(struct rf_keeping *k, const struct rf_jval *v, size_t size,
                                  const struct rf_kept_file *file)
{
    struct rf_arena *a = k->arena;
    struct rf_str outline = rf_outline(v, room(k), a), bytes = rf_with_commas(size, a);
    return rf_strf(a,
                   "%.*s[The outline of JSON of %.*s bytes. All of it is in %.*s: "
                   "read_attachment(id, pointer), or with search, or offset and limit.]",
                   RF_FMT(outline), RF_FMT(bytes), RF_FMT(file->id));
}

static bool is_long(const struct rf_keeping *k, struct rf_str text)
{
    return text.n > longest(k);
}

/* Is all of the text one JSON array or object? */
static bool is_json(struct rf_str text, struct rf_arena *a, const struct rf_jval **v)
{
    struct rf_str s = rf_str_trim(text);
    bool container = s.n && (s.p[0] == '{' || s.p[0] == '[');
    return container && s.n <= MAX_OUTLINED && !rf_jval_parse(s, a, v, NULL);
}

enum rf_code rf_keep_long_text(struct rf_keeping *k, struct rf_str *text, struct rf_str *blob,
                               struct rf_err *err)
{
    struct rf_kept_file file;
    const struct rf_jval *v;
    if (!is_long(k, *text))
        return RF_OK;
    enum rf_code rc = keep_whole(k, *text, &file, err);
    if (rc)
        return rc;
    struct rf_arena *scratch = rf_arena_new();
    *text = is_json(*text, scratch, &v) ? with_outline(k, v, text->n, &file)
                                        : with_front(k, *text, &file);
    rf_arena_free(scratch);
    *blob = rf_hash_write(&file.row.hash, k->arena);
    return RF_OK;
}

enum rf_code rf_keep_long_json(struct rf_keeping *k, const struct rf_jval *v, struct rf_str json,
                               struct rf_block *out, bool *long_enough, struct rf_err *err)
{
    struct rf_kept_file file;
    *long_enough = is_long(k, json);
    if (!*long_enough)
        return RF_OK;
    enum rf_code rc = keep_whole(k, json, &file, err);
    if (rc)
        return rc;
    *out = (struct rf_block){
        .type = RF_BLOCK_TEXT,
        .text = with_outline(k, v, json.n, &file),
        .full_text = rf_hash_write(&file.row.hash, k->arena),
    };
    return RF_OK;
}

struct rf_str rf_keep_lift(struct rf_keeping *k, struct rf_str text)
{
    struct rf_lifted lifted = { 0 };
    text = rf_lift_out(text, k->arena, &lifted);
    for (size_t i = 0; i < lifted.count; i++)
        *RF_PUSH(k->arena, k->lifted, k->lifted_count, k->lifted_cap) = *lifted.blocks[i];
    return text;
}
