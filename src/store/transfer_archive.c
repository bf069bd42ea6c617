/* The outside of an archive that is imported: which files are in it, and whether they are what
 * they say.
 *
 * Its first file says what else there must be, and there may be nothing else: each blob streams
 * into the store under the hash that it was announced by, or not at all. Memory is taken for
 * what has come, never for what was promised. */
#include "base/arena.h"
#include "source/inspect.h"
#include "store/transfer.h"

#include <stdio.h>
#include <stdlib.h>

#define FIELDS(table) table, sizeof table / sizeof *table

/* The first line */

enum rf_code rf_import_refuse(struct rf_err *err, const char *why)
{
    rf_fail(err, RF_EFORMAT, "the archive is not a session: %s", why);
    rf_hint(err, "Only an export of a session can be imported, as it was written.");
    return RF_EFORMAT;
}

static const struct rf_jfield head_fields[] = {
    { "refract_session", RF_FIELD_INT, offsetof(struct rf_import_head, version), true },
    { "id", RF_FIELD_STR, offsetof(struct rf_import_head, id), true },
    { "title", RF_FIELD_STR, offsetof(struct rf_import_head, title), false },
    { "titled", RF_FIELD_BOOL, offsetof(struct rf_import_head, titled), false },
    { "created", RF_FIELD_INT, offsetof(struct rf_import_head, created_ms), false },
    { "messages", RF_FIELD_INT, offsetof(struct rf_import_head, messages), true },
    { "settings", RF_FIELD_ARRAY, offsetof(struct rf_import_head, settings), false },
    { "dropped", RF_FIELD_ARRAY, offsetof(struct rf_import_head, dropped), false },
    { "sent", RF_FIELD_ARRAY, offsetof(struct rf_import_head, sent), false },
    { "remade", RF_FIELD_ARRAY, offsetof(struct rf_import_head, remade), false },
    { "blobs", RF_FIELD_ARRAY, offsetof(struct rf_import_head, blobs), false },
};

static int compare_blobs(const void *a, const void *b)
{
    return memcmp(((const struct rf_import_blob *)a)->row.hash.hex,
                  ((const struct rf_import_blob *)b)->row.hash.hex, RF_HASH_HEX);
}

struct rf_import_blob *rf_import_find(const struct rf_import *x, struct rf_str name)
{
    struct rf_import_blob key;
    if (!x->count || !rf_hash_read(name, &key.row.hash))
        return NULL;
    return bsearch(&key, x->blobs, x->count, sizeof *x->blobs, compare_blobs);
}

struct announced {
    struct rf_str blob;
    int64_t size;
};

static const struct rf_jfield blob_fields[] = {
    { "blob", RF_FIELD_STR, offsetof(struct announced, blob), true },
    { "size", RF_FIELD_INT, offsetof(struct announced, size), true },
};

static enum rf_code read_blob(struct rf_import *x, const struct rf_jval *v, size_t index,
                              struct rf_err *err)
{
    const struct rf_jpath list = { .field = "blobs" }, at = { .up = &list, .index = index };
    struct announced a = { 0 };
    struct rf_import_blob *b = &x->blobs[x->count];
    enum rf_code rc = rf_jval_fields(v, &at, FIELDS(blob_fields), x->arena, &a, err);
    if (rc)
        return rc;
    if (!rf_hash_read(a.blob, &b->row.hash))
        return rf_fail_at(err, RF_EFORMAT, &at, "this is not the name of a blob");
    if (a.size > x->store->options.file_bytes) {
        rf_fail(err, RF_ELIMIT, "the blob sha256:%s has %lld bytes, limit is %lld", b->row.hash.hex,
                (long long)a.size, (long long)x->store->options.file_bytes);
        rf_hint(err, "Raise kept_file_bytes under limits in the configuration.");
        return RF_ELIMIT;
    }
    b->row.size = a.size;
    x->count++;
    return RF_OK;
}

static enum rf_code read_blobs(struct rf_import *x, struct rf_err *err)
{
    const struct rf_jval *list = x->head.blobs;
    enum rf_code rc = RF_OK;
    size_t i = 0;
    if (!list)
        return RF_OK;
    if (list->count > RF_TRANSFER_MOST_BLOBS)
        return rf_fail(err, RF_ELIMIT, "the archive announces %u blobs, limit is %zu", list->count,
                       RF_TRANSFER_MOST_BLOBS);
    x->blobs = RF_ARRAY(x->arena, struct rf_import_blob, list->count);
    for (const struct rf_jval *v = rf_jval_first(list); v && !rc; v = rf_jval_next(list, v))
        rc = read_blob(x, v, i++, err);
    if (rc)
        return rc;
    qsort(x->blobs, x->count, sizeof *x->blobs, compare_blobs);
    for (i = 1; i < x->count; i++)
        if (compare_blobs(&x->blobs[i - 1], &x->blobs[i]) == 0)
            return rf_import_refuse(err, "it announces a blob twice");
    return RF_OK;
}

static enum rf_code check_head(const struct rf_import_head *h, struct rf_err *err)
{
    if (h->version != RF_TRANSFER_VERSION) {
        rf_fail(err, RF_EFORMAT, "the archive has version %lld, and this program knows version %d",
                (long long)h->version, RF_TRANSFER_VERSION);
        rf_hint(err, "Install a newer refract.");
        return RF_EFORMAT;
    }
    if (h->messages < 1)
        return rf_import_refuse(err, "it has no messages");
    if ((uint64_t)h->messages > RF_MAX_LIST)
        return rf_fail(err, RF_ELIMIT, "the archive has %lld messages, limit is %zu",
                       (long long)h->messages, RF_MAX_LIST);
    return RF_OK;
}

static enum rf_code read_head(struct rf_import *x, struct rf_err *err)
{
    const struct rf_jval *root;
    struct rf_str line = { 0 };
    x->lines = x->text;
    if (!rf_str_split(&x->lines, '\n', &line))
        return rf_import_refuse(err, RF_TRANSFER_SESSION " is empty");
    enum rf_code rc = rf_jval_parse(line, x->arena, &root, err);
    if (!rc)
        rc = rf_jval_fields(root, NULL, FIELDS(head_fields), x->arena, &x->head, err);
    if (rc) {
        rf_err_at(err, RF_TRANSFER_SESSION ", line 1");
        return rc;
    }
    rc = check_head(&x->head, err);
    return rc ? rc : read_blobs(x, err);
}

/* The archive */

static enum rf_code read_session(struct rf_import *x, struct rf_err *err)
{
    struct rf_tar_file f;
    bool more;
    size_t at = 0, cap = 0, got = 1;
    char *p = NULL;
    enum rf_code rc = rf_tar_in_next(&x->tar, &f, &more, err);
    if (rc)
        return rc;
    if (!more || strcmp(f.name, RF_TRANSFER_SESSION) != 0)
        return rf_import_refuse(err, "its first file is not " RF_TRANSFER_SESSION);
    if (f.size > RF_TRANSFER_MOST_TEXT)
        return rf_fail(err, RF_ELIMIT, RF_TRANSFER_SESSION " has %llu bytes, limit is %zu",
                       (unsigned long long)f.size, RF_TRANSFER_MOST_TEXT);
    while (!rc && at < f.size) {
        size_t room = cap ? 2 * cap : (size_t)1 << 16;
        room = room < f.size ? room : (size_t)f.size;
        p = rf_arena_grow(x->arena, p, at, room);
        cap = room;
        rc = rf_tar_in_read(&x->tar, p + at, cap - at, &got, err);
        at += rc ? 0 : got;
    }
    x->text = (struct rf_str){ p, at };
    return rc;
}

static enum rf_code read_tar(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    return rf_tar_in_read(ctx, buf, n, got, err);
}

/* The blob that the file must be, or NULL. */
static struct rf_import_blob *announced_blob(const struct rf_import *x, const struct rf_tar_file *f)
{
    const size_t n = sizeof RF_TRANSFER_BLOBS - 1;
    char name[sizeof "sha256:" + RF_TAR_NAME];
    if (strncmp(f->name, RF_TRANSFER_BLOBS, n) != 0)
        return NULL;
    snprintf(name, sizeof name, "sha256:%s", f->name + n);
    return rf_import_find(x, rf_str(name));
}

static enum rf_code unexpected(const struct rf_tar_file *f, const char *why, struct rf_err *err)
{
    rf_fail(err, RF_EFORMAT, "the archive has a file \"%s\" %s", f->name, why);
    rf_hint(err, "Only an export of a session can be imported, as it was written.");
    return RF_EFORMAT;
}

static enum rf_code take_blob(struct rf_import *x, const struct rf_tar_file *f, struct rf_err *err)
{
    const struct rf_blob_stream stream = { .ctx = &x->tar, .read = read_tar };
    struct rf_import_blob *b = announced_blob(x, f);
    if (!b)
        return unexpected(f, "that it does not announce", err);
    if (b->there)
        return unexpected(f, "twice", err);
    if (f->size != (uint64_t)b->row.size)
        return unexpected(f, "with another size than it announces", err);
    b->there = true;
    return rf_blobs_take(x->store->blobs, &b->row.hash, f->size, &stream, &b->row.object, err);
}

static enum rf_code look_at_blob(struct rf_import *x, struct rf_import_blob *b, struct rf_err *err)
{
    struct rf_inspection look;
    struct rf_bytes bytes;
    enum rf_code rc =
        rf_blobs_get(x->store->blobs, &b->row.hash, b->row.object, x->arena, &bytes, err);
    if (!rc)
        rc = rf_inspect(&bytes, x->arena, &look, err);
    if (!rc)
        b->row.look = rf_inspection_write(&look, x->arena);
    return rc;
}

static enum rf_code take_blobs(struct rf_import *x, struct rf_err *err)
{
    struct rf_tar_file f;
    bool more = true;
    enum rf_code rc = RF_OK;
    while (!rc && more) {
        rc = rf_tar_in_next(&x->tar, &f, &more, err);
        if (!rc && more)
            rc = take_blob(x, &f, err);
    }
    for (size_t i = 0; !rc && i < x->count; i++) {
        if (!x->blobs[i].there)
            return rf_import_refuse(err, "it lacks a blob that it announces");
        rc = look_at_blob(x, &x->blobs[i], err);
    }
    return rc;
}

enum rf_code rf_import_archive(struct rf_import *x, struct rf_err *err)
{
    enum rf_code rc = read_session(x, err);
    if (!rc)
        rc = read_head(x, err);
    return rc ? rc : take_blobs(x, err);
}
