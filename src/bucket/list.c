#include "bucket/list.h"

#include "base/arena.h"
#include "base/buf.h"
#include "bucket/xml.h"
#include "net/form.h"

#include <time.h>

#define MAX_QUERY ((size_t)8 << 10)

/* "2026-11-18T02:10:00.000Z" */
static int64_t read_time(struct rf_str s, struct rf_arena *a)
{
    struct tm t = { 0 };
    const char *end = strptime(rf_cstr(a, s), "%Y-%m-%dT%H:%M:%S", &t);
    return end && (*end == '.' || *end == 'Z') ? (int64_t)timegm(&t) : INT64_MAX;
}

static void add_prefix(struct rf_buf *query, const struct rf_s3 *s)
{
    struct rf_str prefix = s->place.at.prefix;
    if (!prefix.n)
        return;
    rf_form_field(query, "prefix", rf_strf(query->arena, "%.*s/", RF_FMT(prefix)));
}

/* One page; empty where the server has no such list. */
static enum rf_code ask_page(struct rf_s3 *s, struct rf_buf *query, struct rf_str *out,
                             struct rf_err *err)
{
    struct rf_s3_ask ask = { .method = "GET", .may_lack = true };
    struct rf_s3_answer answer;
    enum rf_code rc = rf_buf_finish(query, &ask.query, err);
    if (!rc)
        rc = rf_s3_call(s, &ask, query->arena, &answer, err);
    if (!rc)
        *out = answer.status == 404 ? RF_STR("") : answer.body;
    return rc;
}

/* Lists of both kinds */

struct kind {
    const char *query, *element; /* what asks for it, and an entry in its pages */
    /* Members of a page that say where the next one begins, and the fields that ask for that. */
    struct {
        const char *member, *field;
    } marks[2];
    /* All of an entry but its key; a size of -1: it is left out. */
    enum rf_code (*read)(struct rf_str one, struct rf_arena *a, struct rf_s3_entry *out,
                         struct rf_err *err);
};

static enum rf_code tell_page(const struct kind *kind, struct rf_str page, rf_s3_each *each,
                              void *ctx, struct rf_arena *a, struct rf_err *err)
{
    struct rf_str one;
    enum rf_code rc = RF_OK;
    while (!rc && rf_xml_next(&page, kind->element, &one)) {
        struct rf_s3_entry e = { .key = rf_xml_get(one, "Key", a) };
        rc = kind->read(one, a, &e, err);
        if (!rc && e.size >= 0)
            rc = each(ctx, &e, err);
    }
    return rc;
}

/* `*next` becomes the fields that ask for the page after this one, in `kept`; empty: it is the
 * last. */
static enum rf_code find_next(const struct kind *kind, struct rf_str page, struct rf_arena *a,
                              struct rf_arena *kept, struct rf_str *next, struct rf_err *err)
{
    struct rf_buf b;
    struct rf_str fields;
    bool more = rf_str_is(rf_xml_get(page, "IsTruncated", a), "true");
    rf_buf_init(&b, a, MAX_QUERY);
    for (size_t i = 0; more && i < 2 && kind->marks[i].field; i++) {
        struct rf_str mark = rf_xml_get(page, kind->marks[i].member, a);
        if (mark.n)
            rf_form_field(&b, kind->marks[i].field, mark);
    }
    enum rf_code rc = rf_buf_finish(&b, &fields, err);
    if (!rc && more && (!fields.n || rf_str_eq(fields, *next)))
        rc = rf_fail(err, RF_EIO, "the server of the bucket does not end its list");
    if (!rc) {
        rf_arena_reset(kept);
        *next = rf_str_dup(kept, fields);
    }
    return rc;
}

static enum rf_code tell_all(struct rf_s3 *s, const struct kind *kind, rf_s3_each *each, void *ctx,
                             struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new(), *kept = rf_arena_new();
    struct rf_str next = RF_STR("");
    enum rf_code rc;
    do {
        struct rf_buf query;
        struct rf_str page;
        rf_arena_reset(a);
        rf_buf_init(&query, a, MAX_QUERY);
        rf_buf_add(&query, rf_str(kind->query));
        add_prefix(&query, s);
        if (next.n)
            rf_buf_addf(&query, "&%.*s", RF_FMT(next));
        rc = ask_page(s, &query, &page, err);
        if (!rc)
            rc = tell_page(kind, page, each, ctx, a, err);
        if (!rc)
            rc = find_next(kind, page, a, kept, &next, err);
    } while (!rc && next.n);
    rf_arena_free(kept);
    rf_arena_free(a);
    return rc;
}

/* Objects */

static enum rf_code read_object(struct rf_str one, struct rf_arena *a, struct rf_s3_entry *out,
                                struct rf_err *err)
{
    (void)err;
    out->time_s = read_time(rf_xml_get(one, "LastModified", a), a);
    if (!rf_str_int64(rf_xml_get(one, "Size", a), &out->size))
        out->size = -1;
    return RF_OK;
}

enum rf_code rf_s3_objects(struct rf_s3 *s, rf_s3_each *each, void *ctx, struct rf_err *err)
{
    static const struct kind objects = {
        .query = "list-type=2",
        .element = "Contents",
        .marks = { { "NextContinuationToken", "continuation-token" } },
        .read = read_object,
    };
    return tell_all(s, &objects, each, ctx, err);
}

/* Uploads */

static enum rf_code read_upload(struct rf_str one, struct rf_arena *a, struct rf_s3_entry *out,
                                struct rf_err *err)
{
    struct rf_buf query;
    out->time_s = read_time(rf_xml_get(one, "Initiated", a), a);
    rf_buf_init(&query, a, MAX_QUERY);
    rf_form_field(&query, "uploadId", rf_xml_get(one, "UploadId", a));
    return rf_buf_finish(&query, &out->upload, err);
}

enum rf_code rf_s3_uploads(struct rf_s3 *s, rf_s3_each *each, void *ctx, struct rf_err *err)
{
    static const struct kind uploads = {
        .query = "uploads=",
        .element = "Upload",
        .marks = { { "NextKeyMarker", "key-marker" },
                   { "NextUploadIdMarker", "upload-id-marker" } },
        .read = read_upload,
    };
    return tell_all(s, &uploads, each, ctx, err);
}
