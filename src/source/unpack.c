/* From an archive to the file in it that a path names, from report.pdf.gz to report.pdf, however
 * often that is packed, and from PostScript to the PDF that a worker makes of it. A packed file in
 * an archive is unpacked too; an archive in an archive is listed. What comes out is foreign,
 * whosever the archive is. */
#include "source/read.h"

#include "base/arena.h"
#include "media/recipe.h"
#include "source/asset.h"

#include <limits.h>
#include <sys/stat.h>

#define ARCHIVE "archive"
#define MAX_MEMBER ((size_t)4096)          /* bytes of a name */
#define MAX_IN_MEMORY ((uint64_t)16 << 20) /* where no cache takes them */

bool rf_is_archive(const struct rf_bytes *bytes)
{
    struct rf_reader reader = { .fd = -1 };
    const struct rf_format *f = NULL;
    if (!rf_reader_open(&reader, bytes, NULL))
        f = rf_other_sniff(&reader, RF_STR(""));
    rf_reader_close(&reader);
    return f && f->told == RF_TOLD_LIST;
}

/* The first step that is not a folder, if it is there. A "#" may as well be part of a name. */
const char *rf_archive_in(const char *root, const char *path, struct rf_arena *a)
{
    char front[PATH_MAX];
    struct stat st = { 0 };
    struct rf_bytes bytes;
    size_t n = strlen(path);
    if (n >= sizeof front)
        return NULL;
    memcpy(front, path, n + 1);
    for (char *end = strpbrk(front + 1, "/#"); end; end = strpbrk(end + 1, "/#")) {
        char ends_with = *end;
        *end = '\0';
        bool there = stat(front, &st) == 0, file = there && !S_ISDIR(st.st_mode);
        if (file && !rf_bytes_file(root, front, &bytes, NULL) && rf_is_archive(&bytes))
            return rf_cstr(a, rf_str(front));
        if (ends_with == '/' && (!there || file))
            return NULL;
        *end = ends_with;
    }
    return NULL;
}

/* An archive is asked for a member, or for what is packed alone; anything else for its pages. */
static void ask(struct rf_read *r, const char *family, struct rf_str member, struct rf_job *job)
{
    bool archive = strcmp(family, ARCHIVE) == 0;
    *job = (struct rf_job){
        .family = family,
        .ask = archive ? RF_ASK(r->arena, .make = RF_MAKE_LIST, .member = member,
                                .password = r->tools->password)
                       : RF_ASK(r->arena, .make = RF_MAKE_PAGES),
    };
    job->max_bytes = r->tools->cache_folder ? 0 : MAX_IN_MEMORY;
    rf_read_ask(r, job, 1);
}

/* What came is what is read from now on: a file, or the list of a folder. */
static enum rf_code take(struct rf_read *r, const struct rf_job *job, struct rf_str from,
                         struct rf_str name, struct rf_err *err)
{
    const struct rf_job_part *part = job->part_count ? &job->parts[0] : NULL;
    if (!part)
        return rf_fail(err, RF_EIO, "nothing came out of the archive");
    if (rf_str_is(rf_prop_str(part->props, part->prop_count, "kind"), "text")) {
        struct rf_job *listed = RF_NEW(r->arena, struct rf_job);
        *listed = *job;
        r->listed = listed;
        return RF_OK;
    }
    rf_reader_close(&r->reader);
    if (strcmp(job->family, ARCHIVE) == 0)
        rf_read_note(r, "[Unpacked from %.*s]", RF_FMT(from));
    else
        rf_read_notes(r, job);
    r->bytes = part->bytes;
    r->name = name;
    r->member = RF_STR("");
    r->unpacked = true;
    return rf_reader_open(&r->reader, &r->bytes, err);
}

/* A name that ends in what could be a part is tried as it is first. */
static enum rf_code unpack_member(struct rf_read *r, struct rf_err *err)
{
    struct rf_str path = r->call.path, name = r->member;
    size_t mark = rf_part_mark(name);
    struct rf_job job;
    if (name.n > MAX_MEMBER || memchr(name.p, '\n', name.n))
        return rf_fail(err, RF_EUSAGE, "this is not a name that a file in an archive can have");
    ask(r, ARCHIVE, name, &job);
    if (job.failed == RF_EUSAGE && mark < name.n) {
        struct rf_str part = { name.p + mark + 1, name.n - mark - 1 };
        enum rf_code rc = rf_read_take_part(r, part, err);
        if (rc)
            return rc;
        name.n = mark;
        path.n -= part.n + 1;
        ask(r, ARCHIVE, name, &job);
    }
    if (job.failed == RF_EUSAGE) {
        rf_fail(err, RF_ENOTFOUND, "there is no such file in the archive");
        rf_hint(err, "%sRead the archive to see which files there are.", job.err.hint);
        return RF_ENOTFOUND;
    }
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    struct rf_str archive = { path.p, path.n - name.n - 1 };
    r->call.path = path;
    r->member = name;
    return take(r, &job, rf_clean_name(rf_str_behind(archive, '/'), r->arena),
                rf_clean_name(rf_str_behind(name, '/'), r->arena), err);
}

/* What it is packed as, if that is all; or NULL. A drawing in gzip (svgz) is a picture, and the
 * source of a program is what it is. */
static const struct rf_format *packed_as(struct rf_read *r)
{
    const struct rf_format *claimed = rf_format_by_name(r->name);
    const struct rf_format *f = rf_other_sniff(&r->reader, RF_STR(""));
    if (!f || !f->packed || (claimed && claimed->kind == RF_KIND_IMAGE))
        return NULL;
    return r->call.part.source && f->told != RF_TOLD_LIST ? NULL : f;
}

/* "report.pdf" of "report.pdf.gz" */
static struct rf_str inner_name(struct rf_str name)
{
    const struct rf_format *f = rf_other_by_name(name);
    return f && f->packed ? (struct rf_str){ name.p, name.n - rf_str_behind(name, '.').n - 1 }
                          : name;
}

static enum rf_code unpack_stream(struct rf_read *r, const struct rf_format *f, struct rf_err *err)
{
    bool archive = f->told == RF_TOLD_LIST;
    struct rf_job job;
    ask(r, f->family, RF_STR(""), &job);
    if (job.failed == RF_ECONFIG || (archive && job.failed == RF_EUNSUPPORTED))
        return RF_OK; /* it is named for what it is */
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    return take(r, &job, r->name, archive ? inner_name(r->name) : r->name, err);
}

/* What was packed may be PostScript. */
static enum rf_code unpack_streams(struct rf_read *r, struct rf_err *err)
{
    const struct rf_format *f = packed_as(r), *inner;
    enum rf_code rc = f ? unpack_stream(r, f, err) : RF_OK;
    if (!f || rc || r->listed || !(inner = packed_as(r)) || inner->family == f->family)
        return rc;
    return unpack_stream(r, inner, err);
}

enum rf_code rf_read_open(struct rf_read *r, struct rf_err *err)
{
    enum rf_code rc = rf_reader_open(&r->reader, &r->bytes, err);
    bool again = r->unpacked || r->listed;
    if (!rc && !again && r->member.n)
        rc = unpack_member(r, err);
    if (!rc && !again && !r->listed)
        rc = unpack_streams(r, err);
    return rc;
}
