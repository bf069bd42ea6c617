/* Bytes that are of no format in our table, nor text: archives (as a list), pictures that no
 * endpoint takes, documents that only their names tell; and anything else, of which its size, its
 * first bytes and a name are told where it has a signature that people know. */
#include "source/read.h"

#include "base/arena.h"
#include "media/recipe.h"
#include "source/text_decode.h"

#include <inttypes.h>

#define FIRST_BYTES 64
#define ROW 16
#define ROW_TEXT 78 /* bytes that show a row, at most */

bool rf_read_is_odd_picture(struct rf_str name)
{
    const struct rf_format *named = rf_other_by_name(name);
    return named && named->told == RF_TOLD_PICTURE;
}

const struct rf_format *rf_read_as_text(struct rf_reader *reader, struct rf_str name,
                                        struct rf_text_kind *kind)
{
    const struct rf_format *claimed = rf_format_by_name(name);
    bool other = claimed && claimed->kind != RF_KIND_TEXT && claimed->kind != RF_KIND_OFFICE;
    if (other || rf_read_is_odd_picture(name) || rf_other_sniff(reader, name) ||
        rf_text_kind(reader, kind, NULL) || !kind->encoding)
        return NULL;
    return rf_format_refine(rf_text_format(reader, *kind), RF_STR(""), name);
}

/* The bytes from one on, sixteen a row: in hex, then as letters where they are some. */
static void add_hex(struct rf_read *r, uint64_t from, size_t most)
{
    unsigned char *head = rf_arena_alloc(r->arena, most);
    size_t got = 0;
    if (rf_reader_read(&r->reader, from, head, most, &got, NULL))
        return;
    for (size_t at = 0; at < got; at += ROW) {
        size_t n = got - at < ROW ? got - at : ROW;
        rf_buf_addf(&r->body, "%08" PRIx64 " ", from + at);
        for (size_t i = 0; i < ROW; i++)
            rf_buf_addf(&r->body, i < n ? " %02x" : "   ", i < n ? head[at + i] : 0u);
        rf_buf_addf(&r->body, "  ");
        for (size_t i = 0; i < n; i++)
            rf_buf_addc(&r->body,
                        head[at + i] >= 0x20 && head[at + i] < 0x7f ? (char)head[at + i] : '.');
        rf_buf_addc(&r->body, '\n');
    }
}

/* Bytes that were asked for; they are the file's own here. */
static enum rf_code show_bytes(struct rf_read *r, const struct rf_window *w, struct rf_err *err)
{
    size_t most = w->max_bytes / ROW_TEXT * ROW;
    uint64_t from = (uint64_t)w->first_byte, size = r->bytes.size;
    if (w->byte_limit && (uint64_t)w->byte_limit < most)
        most = (size_t)w->byte_limit;
    uint64_t end = from < size && size - from > most ? from + most : size;
    enum rf_code rc = rf_read_say_bytes(r, from, end, size, RF_STR(""), err);
    if (!rc)
        add_hex(r, from, most);
    return rc;
}

/* `s` is NULL where nothing is known of it. */
static enum rf_code describe(struct rf_read *r, const struct rf_format *s, struct rf_err *err)
{
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size);
    struct rf_window asked = rf_read_asked(r);
    r->mime = "application/octet-stream";
    if (s && s->better)
        rf_read_note(r, "[What is in it can be read when it is saved as %s.]", s->better);
    rf_read_note(r, "[Binary file: %.*s, %.*s bytes, %s. %s:]", RF_FMT(r->name), RF_FMT(size),
                 s ? s->label : "of no format that is known here",
                 asked.by_bytes ? "Bytes of it" : "Its first bytes");
    if (asked.by_bytes)
        return show_bytes(r, &asked, err);
    add_hex(r, 0, FIRST_BYTES);
    if (r->bytes.size > FIRST_BYTES)
        rf_buf_addf(&r->body, "[These are %d of %.*s bytes.]\n", FIRST_BYTES, RF_FMT(size));
    return RF_OK;
}

enum rf_code rf_read_listed(struct rf_read *r, struct rf_err *err)
{
    const struct rf_format *s = rf_other_sniff(&r->reader, r->name);
    const struct rf_job *job = r->listed;
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size), archive = r->call.path;
    const char *label = s ? s->label : "archive";
    r->mime = s ? s->mime : "application/octet-stream";
    r->count = rf_prop_int(job->facts, job->fact_count, "files");
    if (r->member.n)
        rf_read_note(r, "[Folder: %.*s, in an archive of %.*s bytes, %s]", RF_FMT(r->name),
                     RF_FMT(size), label);
    else
        rf_read_note(r, "[Archive: %.*s, %.*s bytes, %s]", RF_FMT(r->name), RF_FMT(size), label);
    rf_read_notes(r, job);
    archive.n -= r->member.n ? r->member.n + 1 : 0;
    if (r->count && !r->unpacked && archive.n)
        rf_read_note(r, "[Read \"%.*s/NAME\" to see a file of it.]", RF_FMT(archive));
    return rf_read_long_text(r, job->part_count ? job->parts[0].text : job->text, err);
}

static enum rf_code list(struct rf_read *r, const struct rf_format *s, struct rf_err *err)
{
    struct rf_job job = { .family = s->family,
                          .ask = RF_ASK(r->arena, .make = RF_MAKE_LIST,
                                        .password = r->tools->password) };
    rf_read_ask(r, &job, 1);
    bool file = job.part_count && job.parts[0].bytes.size; /* in what was unpacked before */
    if (file || job.failed == RF_ECONFIG || job.failed == RF_EUNSUPPORTED)
        return describe(r, s, err);
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    r->listed = &job;
    enum rf_code rc = rf_read_listed(r, err);
    r->listed = NULL;
    return rc;
}

/* A document that its name tells, where its bytes do not contradict. */
static enum rf_code by_claim(struct rf_read *r, const struct rf_format *s,
                             const struct rf_format *claimed, struct rf_err *err)
{
    bool archive = s && s->told == RF_TOLD_LIST;
    bool compound = s && s->id == RF_FORMAT_OLE;
    bool old = claimed->streams[0];
    if (archive == !old && (!s || s->told != RF_TOLD_BYTES || compound))
        return rf_read_office(r, claimed, err);
    return rf_fail(err, RF_EFORMAT, "its bytes are not those of %s, as its name says",
                   claimed->label);
}

static enum rf_code by_signature(struct rf_read *r, const struct rf_format *s, struct rf_err *err)
{
    switch (s->told) {
    case RF_TOLD_LIST:
        return list(r, s, err);
    case RF_TOLD_PICTURE:
        return rf_read_odd_picture(r, err);
    case RF_TOLD_TEXT:
        return rf_read_office(r, s, err);
    case RF_TOLD_BYTES:
        break;
    }
    return describe(r, s, err);
}

/* What is neither text nor known, under a name that claims to be something. */
static enum rf_code refuse(const struct rf_format *claimed, struct rf_err *err)
{
    return rf_fail(err, RF_EFORMAT,
                   "its name says %s, but its bytes are of no format that is known here",
                   claimed->label);
}

enum rf_code rf_read_other(struct rf_read *r, struct rf_err *err)
{
    const struct rf_format *s = rf_other_sniff(&r->reader, r->name);
    const struct rf_format *claimed = rf_format_by_name(r->name);
    if (rf_read_is_odd_picture(r->name) || (claimed && claimed->kind == RF_KIND_IMAGE))
        return rf_read_odd_picture(r, err);
    if (claimed && claimed->kind == RF_KIND_OFFICE)
        return by_claim(r, s, claimed, err);
    if (s)
        return by_signature(r, s, err);
    if (claimed && claimed->kind != RF_KIND_TEXT)
        return refuse(claimed, err);
    return describe(r, NULL, err);
}
