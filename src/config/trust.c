#include "config/trust.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/learned.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define VERSION 1
#define MAX_BYTES ((size_t)4 << 20)
#define MOST_ANSWERS 4096 /* the oldest go first */

struct answer {
    struct rf_str folder, file, sha256, date;
    bool trusted;
};

struct answers {
    struct rf_arena *arena;
    struct answer *all; /* oldest first */
    size_t count, cap;
};

/* Reading */

static enum rf_code read_answer(const struct rf_jval *v, const struct rf_jpath *path,
                                struct answers *l, struct rf_err *err)
{
    struct answer one = { 0 };
    static const struct rf_jfield fields[] = {
        { "folder", RF_FIELD_STR, offsetof(struct answer, folder), true },
        { "file", RF_FIELD_STR, offsetof(struct answer, file), true },
        { "sha256", RF_FIELD_STR, offsetof(struct answer, sha256), true },
        { "date", RF_FIELD_STR, offsetof(struct answer, date), false },
        { "trusted", RF_FIELD_BOOL, offsetof(struct answer, trusted), true },
    };
    enum rf_code rc =
        rf_jval_fields(v, path, fields, sizeof fields / sizeof *fields, l->arena, &one, err);
    if (!rc)
        *RF_PUSH(l->arena, l->all, l->count, l->cap) = one;
    return rc;
}

static enum rf_code parse(struct rf_str text, struct answers *l, struct rf_err *err)
{
    struct document {
        int64_t version;
        const struct rf_jval *answers;
    } document = { 0 };
    static const struct rf_jfield fields[] = {
        { "version", RF_FIELD_INT, offsetof(struct document, version), true },
        { "answers", RF_FIELD_ARRAY, offsetof(struct document, answers), true },
    };
    struct rf_jpath up = { NULL, "answers", 0 }, path = { &up, NULL, 0 };
    const struct rf_jval *root;
    enum rf_code rc = rf_jval_parse(text, l->arena, &root, err);
    if (!rc)
        rc = rf_jval_fields(root, NULL, fields, 1, l->arena, &document, err);
    if (!rc && document.version != VERSION)
        return rf_fail(err, RF_ECONFIG,
                       "it is of version %" PRId64 ", which this program does not know",
                       document.version);
    if (!rc)
        rc = rf_jval_fields(root, NULL, fields + 1, 1, l->arena, &document, err);
    if (rc)
        return rc;
    const struct rf_jval *v = rf_jval_first(document.answers);
    for (; v && !rc; v = rf_jval_next(document.answers, v), path.index++)
        rc = read_answer(v, &path, l, err);
    return rc;
}

static enum rf_code find_path(struct rf_arena *a, const char **out, struct rf_err *err)
{
    const char *folder = rf_folder_data(a);
    if (!folder) {
        rf_fail(err, RF_ECONFIG, "no folder is known for what is trusted");
        rf_hint(err, "Set HOME or XDG_DATA_HOME.");
        return RF_ECONFIG;
    }
    *out = rf_strf(a, "%s/trusted.json", folder).p;
    return RF_OK;
}

/* All answers, or none where it fails. A file that is not there has none. */
static enum rf_code load(struct answers *l, const char *path, struct rf_arena *a,
                         struct rf_err *err)
{
    struct rf_str text;
    *l = (struct answers){ .arena = a };
    enum rf_code rc = rf_file_read_own(path, MAX_BYTES, a, &text, err);
    if (rc == RF_ENOTFOUND)
        return RF_OK;
    if (!rc && (rc = parse(text, l, err)))
        rf_err_at(err, path);
    if (rc) {
        l->count = 0;
        rf_hint(err, rc == RF_ECONFIG ? "Use the newer refract, or move the file away."
                                      : "Nothing is trusted by it; the next answer replaces it.");
    }
    return rc;
}

/* Writing */

static void write_answer(struct rf_json *w, const struct answer *one)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "folder", one->folder);
    rf_json_str(w, "file", one->file);
    rf_json_str(w, "sha256", one->sha256);
    rf_json_bool(w, "trusted", one->trusted);
    rf_json_str(w, "date", one->date);
    rf_json_end(w);
}

static struct rf_str format(const struct answers *l)
{
    struct rf_json *w = RF_NEW(l->arena, struct rf_json);
    struct rf_rope rope;
    struct rf_str text;
    rf_rope_init(&rope, l->arena);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    rf_json_int(w, "version", VERSION);
    rf_json_arr(w, "answers");
    for (size_t i = l->count > MOST_ANSWERS ? l->count - MOST_ANSWERS : 0; i < l->count; i++)
        write_answer(w, &l->all[i]);
    rf_json_end(w);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, l->arena, &text, NULL))
        RF_BUG("what is trusted could not be written to memory");
    return rf_str_join(l->arena, text, RF_STR("\n"));
}

/* Have `edit` change the answers, and write them where it did. What cannot be read says nothing,
 * and is replaced; what is from a newer version stays. */
static enum rf_code change(bool (*edit)(struct answers *l, void *ctx), void *ctx,
                           struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct answers l;
    const char *path;
    int lock = -1;
    enum rf_code rc = find_path(a, &path, err);
    if (!rc)
        rc = rf_file_lock(path, a, &lock, err);
    if (!rc && (rc = load(&l, path, a, err)) != RF_ECONFIG)
        rc = edit(&l, ctx) ? rf_file_replace(path, format(&l), a, err) : RF_OK;
    if (lock >= 0)
        close(lock);
    rf_arena_free(a);
    return rc;
}

/* The answers */

static bool is_of(const struct answer *one, const struct rf_trust_file *f)
{
    return rf_str_eq(one->folder, f->folder) && rf_str_eq(one->file, f->name) &&
           rf_str_eq(one->sha256, f->sha256);
}

enum rf_code rf_trust_find(const struct rf_trust_file *f, struct rf_arena *a, enum rf_trust *out,
                           struct rf_err *err)
{
    struct answers l;
    const char *path;
    enum rf_code rc = find_path(a, &path, err);
    *out = RF_TRUST_UNASKED;
    if (!rc)
        rc = load(&l, path, a, err);
    for (size_t i = 0; !rc && i < l.count; i++)
        if (is_of(&l.all[i], f))
            *out = l.all[i].trusted ? RF_TRUST_GIVEN : RF_TRUST_DENIED;
    return rc;
}

struct keeping {
    const struct rf_trust_file *files;
    size_t count;
    enum rf_trust answer;
};

static void drop(struct answers *l, size_t i)
{
    memmove(&l->all[i], &l->all[i + 1], (--l->count - i) * sizeof *l->all);
}

static bool add_answers(struct answers *l, void *ctx)
{
    const struct keeping *k = ctx;
    for (size_t f = 0; f < k->count; f++) {
        for (size_t i = l->count; i-- > 0;)
            if (is_of(&l->all[i], &k->files[f]))
                drop(l, i);
        *RF_PUSH(l->arena, l->all, l->count, l->cap) = (struct answer){
            .folder = k->files[f].folder,
            .file = k->files[f].name,
            .sha256 = k->files[f].sha256,
            .date = rf_learned_today(l->arena),
            .trusted = k->answer == RF_TRUST_GIVEN,
        };
    }
    return true;
}

enum rf_code rf_trust_keep(const struct rf_trust_file *files, size_t count, enum rf_trust answer,
                           struct rf_err *err)
{
    struct keeping k = { files, count, answer };
    return change(add_answers, &k, err);
}

struct revoking {
    struct rf_str folder;
    size_t count; /* of those that were trusted */
};

static bool drop_answers(struct answers *l, void *ctx)
{
    struct revoking *r = ctx;
    size_t before = l->count;
    for (size_t i = l->count; i-- > 0;)
        if (rf_str_eq(l->all[i].folder, r->folder)) {
            r->count += l->all[i].trusted;
            drop(l, i);
        }
    return l->count != before;
}

enum rf_code rf_trust_revoke(const char *folder, size_t *count, struct rf_err *err)
{
    char real[PATH_MAX];
    struct revoking r = { .folder = rf_str(realpath(folder, real) ? real : folder) };
    enum rf_code rc = change(drop_answers, &r, err);
    if (!rc)
        *count = r.count;
    return rc;
}

/* Files */

static enum rf_code hash(struct rf_str bytes, struct rf_arena *a, struct rf_str *out,
                         struct rf_err *err)
{
    uint8_t digest[32];
    char hex[65];
    enum rf_code rc = rf_sha256_of(bytes, digest, err);
    if (rc)
        return rc;
    rf_sha256_hex(digest, hex);
    *out = rf_str_dup(a, rf_str(hex));
    return RF_OK;
}

enum rf_code rf_trust_file(const char *name, struct rf_str bytes, struct rf_arena *a,
                           struct rf_trust_file *out, struct rf_err *err)
{
    char real[PATH_MAX];
    struct rf_trust_file f = { .name = rf_str(name) };
    if (!realpath(".", real))
        return rf_fail_errno(err, "could not resolve the working folder");
    f.folder = rf_str_dup(a, rf_str(real));
    if (rf_utf8_valid(f.folder) != f.folder.n)
        return rf_fail(err, RF_EFORMAT, "the name of this folder is not UTF-8");
    enum rf_code rc = hash(bytes, a, &f.sha256, err);
    if (!rc)
        *out = f;
    return rc;
}
