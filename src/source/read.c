/* From a path to a result: open the file once, tell what it is from its bytes, and hand it to the
 * reader for its kind. A file whose name claims to be a picture, a PDF or a recording and whose
 * bytes are something that no worker could show is refused: sending it as what it claims would
 * poison a conversation, and reading it as text would hide that something is wrong. */
#include "source/read.h"

#include "base/arena.h"
#include "base/near_file.h"
#include "base/num.h"
#include "source/asset.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#define MAX_HEAD ((size_t)64 * 1024)
#define MAX_NOTES 8 /* of a worker that are passed on */

void rf_read_init(struct rf_read *r)
{
    r->reader.fd = -1;
    rf_buf_init(&r->head, r->arena, MAX_HEAD);
    rf_buf_init(&r->body, r->arena, RF_MAX_DOCUMENT_BYTES);
}

/* Shared by the readers. */

void rf_read_note(struct rf_read *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct rf_str line = rf_strfv(r->arena, fmt, ap);
    va_end(ap);
    if (r->head.n + line.n + 1 > MAX_HEAD)
        return;
    rf_buf_add(&r->head, line);
    rf_buf_addc(&r->head, '\n');
}

void rf_read_notes(struct rf_read *r, const struct rf_job *job)
{
    for (size_t i = 0; i < job->note_count && i < MAX_NOTES; i++)
        rf_read_note(r, "[Note: %.*s]", RF_FMT(job->notes[i]));
    if (job->note_count > MAX_NOTES)
        rf_read_note(r, "[Note: and %zu more like these]", job->note_count - MAX_NOTES);
}

void rf_read_say_charset(struct rf_read *r, const struct rf_charset *c)
{
    struct rf_str words = rf_charset_words(c, r->arena), bad = rf_charset_bad_words(c, r->arena);
    if (words.n)
        rf_read_note(r, "[Encoding: %.*s]", RF_FMT(words));
    if (bad.n)
        rf_read_note(r, "[Note: %.*s]", RF_FMT(bad));
}

struct rf_str rf_read_number(struct rf_read *r, int64_t n)
{
    return rf_with_commas(n < 0 ? 0 : (uint64_t)n, r->arena);
}

const char *rf_read_byte_name(const struct rf_read *r)
{
    return r->call.id.n ? "offset" : "byte_offset";
}

enum rf_code rf_read_say_bytes(struct rf_read *r, uint64_t from, uint64_t end, uint64_t size,
                               struct rf_str before, struct rf_err *err)
{
    struct rf_str total = rf_with_commas(size, r->arena);
    const char *name = rf_read_byte_name(r);
    if (from && from >= size) {
        rf_fail(err, RF_EUSAGE, "%s %" PRIu64 " is past the end: there are %" PRIu64 " bytes", name,
                from, size);
        rf_hint(err, "Bytes are counted from 0.");
        return RF_EUSAGE;
    }
    if (end < size)
        rf_read_note(r,
                     "Bytes %" PRIu64 "-%" PRIu64 " of %.*s. Use %.*s%s=%" PRIu64 " to continue.",
                     from, end - 1, RF_FMT(total), RF_FMT(before), name, end);
    else if (from)
        rf_read_note(r, "Bytes %" PRIu64 "-%" PRIu64 " of %.*s.", from, end - 1, RF_FMT(total));
    return RF_OK;
}

/* Which lines these are; an attachment is gone on with by the byte. */
static void say_lines(struct rf_read *r, const struct rf_lines *l)
{
    struct rf_str total = rf_read_number(r, l->total);
    int64_t next = r->call.id.n ? l->next_byte : l->shown_last + 1;
    if (l->shown_last < l->total)
        rf_read_note(
            r, "Lines %" PRId64 "-%" PRId64 " of %.*s. Use %.*soffset=%" PRId64 " to continue.",
            l->shown_first, l->shown_last, RF_FMT(total), RF_FMT(l->window.before), next);
    else if (l->shown_first > 1)
        rf_read_note(r, "Lines %" PRId64 "-%" PRId64 " of %.*s.", l->shown_first, l->shown_last,
                     RF_FMT(total));
}

enum rf_code rf_read_window(struct rf_read *r, const struct rf_lines *l, struct rf_err *err)
{
    if (l->window.by_bytes)
        return rf_read_say_bytes(r, (uint64_t)l->shown_first, (uint64_t)l->shown_last,
                                 (uint64_t)l->total, l->window.before, err);
    if (!l->shown_first && l->window.first > 1) {
        rf_fail(err, RF_EUSAGE, "%s %" PRId64 " is past the end: there %s %" PRId64 " line%s",
                r->call.part.has_lines ? "line" : "offset", l->window.first,
                l->total == 1 ? "is" : "are", l->total, l->total == 1 ? "" : "s");
        rf_hint(err, "Lines are counted from 1.");
        return RF_EUSAGE;
    }
    say_lines(r, l);
    if (l->cut)
        rf_read_note(r, "[%" PRId64 " long %s cut after %zu bytes]", l->cut,
                     l->cut == 1 ? "line was" : "lines were", l->window.max_line);
    return RF_OK;
}

enum rf_code rf_read_check_size(struct rf_read *r, enum rf_limit limit, struct rf_err *err)
{
    int64_t most = r->tools->limits[limit];
    if (r->bytes.size <= (uint64_t)most)
        return RF_OK;
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size),
                  at_most = rf_read_number(r, most);
    rf_fail(err, RF_ELIMIT, "the file has %.*s bytes, and %.*s is the limit", RF_FMT(size),
            RF_FMT(at_most));
    rf_hint(err, "The limit is \"%s\" in the configuration, under \"limits\".",
            rf_limit_rows[limit].name);
    return RF_ELIMIT;
}

static struct rf_block *new_block(struct rf_read *r, enum rf_block_type type)
{
    struct rf_message *m = r->message;
    struct rf_block *b = RF_PUSH(r->arena, m->blocks, m->block_count, r->block_cap);
    *b = (struct rf_block){ .type = type };
    return b;
}

/* False where nothing is kept, or it could not be kept: then others have to be content with
 * where it came from. */
static bool keep(struct rf_read *r, const struct rf_bytes *bytes, struct rf_str *blob)
{
    const struct rf_attachments *k = &r->tools->attachments;
    return k->keep && k->keep(k->ctx, bytes, r->arena, blob, NULL) == RF_OK;
}

/* The file as it was opened, whatever stands under its name by now. */
static bool keep_opened(struct rf_read *r)
{
    struct rf_bytes opened = r->bytes;
    if (r->blob.n)
        return true;
    if (r->reader.fd >= 0) {
        opened.root = "";
        opened.path = rf_strf(r->arena, "/dev/fd/%d", r->reader.fd).p;
    }
    if (!keep(r, &opened, &r->blob) && !keep(r, &r->bytes, &r->blob))
        return false;
    r->bytes.sha256 = rf_str_behind(r->blob, ':');
    return true;
}

/* The bytes themselves, where the caller wants them or they are nowhere else. */
static bool own_bytes(struct rf_read *r, struct rf_str *out)
{
    if (r->bytes.kind == RF_BYTES_MEMORY) {
        *out = rf_str_dup(r->arena, r->bytes.text);
        return true;
    }
    return r->tools->with_bytes && rf_bytes_all(&r->bytes, r->arena, out, NULL) == RF_OK;
}

struct rf_block *rf_read_block(struct rf_read *r, enum rf_block_type type, const char *mime)
{
    struct rf_block *b = new_block(r, type);
    struct rf_str bytes;
    if (keep_opened(r))
        b->media.source = (struct rf_source){ .kind = RF_SOURCE_BLOB, .ref = r->blob };
    else if (own_bytes(r, &bytes))
        b->media.source = (struct rf_source){ .kind = RF_SOURCE_BYTES, .ref = bytes };
    else
        b->media.source = (struct rf_source){
            .kind = RF_SOURCE_PATH,
            .ref = r->unpacked ? rf_str(r->bytes.path) : r->call.path,
        };
    b->media.media_type = rf_str(mime);
    b->media.name = r->name;
    b->media.size_bytes = (int64_t)r->bytes.size;
    return b;
}

/* What the cache keeps is a file; what is not kept goes along. */
static bool made_source(struct rf_read *r, const struct rf_bytes *bytes, struct rf_source *out)
{
    struct rf_str raw, blob;
    struct rf_err err;
    if (bytes->size && keep(r, bytes, &blob)) {
        *out = (struct rf_source){ .kind = RF_SOURCE_BLOB, .ref = blob };
        return true;
    }
    if (bytes->kind == RF_BYTES_FILE && !r->tools->with_bytes) {
        *out = (struct rf_source){ .kind = RF_SOURCE_PATH, .ref = rf_str(bytes->path) };
        return true;
    }
    if (!bytes->size || rf_bytes_all(bytes, r->arena, &raw, &err))
        return false;
    *out = (struct rf_source){ .kind = RF_SOURCE_BYTES, .ref = raw };
    return true;
}

struct rf_block *rf_read_made_block(struct rf_read *r, enum rf_block_type type,
                                    const struct rf_job_part *part)
{
    struct rf_source source;
    if (!made_source(r, &part->bytes, &source))
        return NULL;
    struct rf_block *b = new_block(r, type);
    b->media.source = source;
    b->media.media_type = rf_prop_str(part->props, part->prop_count, "mime");
    b->media.name = r->name;
    b->media.size_bytes = (int64_t)part->bytes.size;
    b->media.width = rf_prop_side(part->props, part->prop_count, "width");
    b->media.height = rf_prop_side(part->props, part->prop_count, "height");
    return b;
}

void rf_read_open_cache(struct rf_tools *t)
{
    if (t->cache_folder && !t->cache)
        t->cache = rf_cache_new(t->cache_folder, (uint64_t)t->limits[RF_LIMIT_CACHE_BYTES]);
}

bool rf_read_step(void *tools, int64_t done, int64_t of)
{
    struct rf_tools *t = tools;
    t->stopped = t->stopped || (t->step && !t->step(t->context, done, of));
    return !t->stopped;
}

void rf_read_ask(struct rf_read *r, struct rf_job *jobs, size_t count)
{
    struct rf_tools *t = r->tools;
    rf_read_open_cache(t);
    for (size_t i = 0; i < count; i++) {
        if (!jobs[i].input)
            jobs[i].input = &r->bytes;
        jobs[i].cancel_fd = t->cancel_fd;
        jobs[i].step = rf_read_step;
        jobs[i].context = t;
    }
    rf_cache_run(t->cache, rf_workers_shared(), jobs, count, r->arena);
    for (size_t i = 0; i < count; i++)
        if (jobs[i].input == &r->bytes)
            r->bytes.sha256 = jobs[i].sha256;
}

struct rf_recognising rf_read_recognising(struct rf_read *r)
{
    struct rf_tools *t = r->tools;
    rf_read_open_cache(t);
    return (struct rf_recognising){
        .cache = t->cache,
        .password = t->password,
        .cancel_fd = t->cancel_fd,
        .most_pages = t->limits[RF_LIMIT_OCR_PAGES],
        .step = rf_read_step,
        .context = t,
        .missing = t->no_ocr,
    };
}

/* The file itself. */

static const struct rf_held *find_held(const struct rf_tools *t, struct rf_str name)
{
    const struct rf_held *h = t->held;
    while (h && !rf_str_is(name, h->name))
        h = h->next;
    return h;
}

static enum rf_code open_path(struct rf_read *r, struct rf_str path, struct rf_err *err)
{
    struct rf_tools *t = r->tools;
    const struct rf_held *held = find_held(t, path);
    if (held) {
        r->bytes = rf_bytes_memory((struct rf_str){ held->bytes, held->size });
        return RF_OK;
    }
    if (!path.n || memchr(path.p, '\0', path.n))
        return rf_fail(err, RF_EUSAGE, "this is not a path that a file can have");
    const char *full = rf_path_from(t->base, path, r->arena);
    enum rf_code rc = rf_bytes_file(r->root, full, &r->bytes, err);
    if (!rc)
        r->bytes.own = !t->foreign && !rf_is_kept(t->cache_folder, full);
    return rc;
}

/* "#bytes=" and "#L" are other ways to write byte_offset and byte_limit, offset and limit, and what
 * those say goes before them. */
static enum rf_code take_window(struct rf_read_call *call, struct rf_err *err)
{
    const struct rf_file_part *part = &call->part;
    if (part->has_bytes && call->byte_offset < 0)
        call->byte_offset = part->first_byte;
    if (part->has_bytes && part->last_byte >= 0 && call->byte_limit < 0)
        call->byte_limit = part->last_byte - part->first_byte + 1;
    if (part->has_lines && call->offset < 0)
        call->offset = part->lines.first;
    if (part->has_lines && part->lines.last && call->limit < 0)
        call->limit = part->lines.last - part->lines.first + 1;
    bool bytes = call->byte_offset >= 0 || call->byte_limit >= 0;
    if (bytes && (call->offset >= 0 || call->limit >= 0))
        return rf_fail(err, RF_EUSAGE, "lines and bytes are asked for at once: give one of them");
    return RF_OK;
}

/* Which parts a file of this kind has. */
static void say_parts(const struct rf_format *f, struct rf_err *err)
{
    static const char *const parts[] = {
        [RF_KIND_IMAGE] = "a piece of a picture is named with #xywh=0,0,800,600",
        [RF_KIND_PDF] = "pages are named with #p=3-5,8",
        [RF_KIND_OFFICE] = "pages and slides are named with #p=3-5, the pictures inside with "
                           "#pictures=3-5, and sheets with #sheet=Q3",
        [RF_KIND_TEXT] = "lines are named with #L10-40, and bytes with #bytes=0-4095",
        [RF_KIND_AUDIO] = "seconds are named with #t=10-20",
        [RF_KIND_VIDEO] = "seconds are named with #t=10-20",
        [RF_KIND_UNKNOWN] = NULL,
    };
    if (f && parts[f->kind])
        rf_hint(err, "Of %s, %s.", f->label, parts[f->kind]);
}

/* What the bytes are that a part is asked of; NULL where that is not known. */
static const struct rf_format *format_of(struct rf_read *r)
{
    struct rf_reader reader = { .fd = -1 };
    const struct rf_format *f = NULL;
    if (!r->member.n && !rf_reader_open(&reader, &r->bytes, NULL))
        f = rf_format_refine(rf_sniff(&reader), RF_STR(""), r->call.path);
    rf_reader_close(&reader);
    return f;
}

/* A sheet may be named as it is called, without "sheet=". */
static bool is_sheet(const struct rf_format *f, struct rf_str part)
{
    return f && f->parts && strcmp(f->parts->one, "sheet") == 0 && part.n &&
           !memchr(part.p, '=', part.n);
}

enum rf_code rf_read_take_part(struct rf_read *r, struct rf_str part, struct rf_err *err)
{
    enum rf_code rc = rf_part_read(part, &r->call.part, err);
    const struct rf_format *f = rc ? format_of(r) : NULL;
    if (rc && is_sheet(f, part)) {
        r->call.part = (struct rf_file_part){ .sheet = part };
        rc = RF_OK;
    } else if (rc) {
        say_parts(f, err);
    }
    if (!rc && r->call.part.range_count && r->call.pages.first)
        rc = rf_fail(err, RF_EUSAGE, "pages are asked for twice, by \"#p=\" and by page_start");
    return rc ? rc : take_window(&r->call, err);
}

/* What comes after the "#" of an office file is a part of it, though its bytes are a ZIP's. */
static bool is_office(const struct rf_bytes *bytes)
{
    struct rf_reader reader = { .fd = -1 };
    const struct rf_format *f = NULL;
    if (!rf_reader_open(&reader, bytes, NULL))
        f = rf_sniff(&reader);
    rf_reader_close(&reader);
    return f && f->kind == RF_KIND_OFFICE;
}

/* Does the path go on inside of a file? That file is opened then. What can be read as a part of it
 * is one. */
static bool open_archive(struct rf_read *r, struct rf_err *err)
{
    struct rf_str whole = r->call.path, front = whole;
    struct rf_file_part part;
    while (rf_part_front(front, &front)) {
        if (open_path(r, front, err))
            continue;
        struct rf_str rest = { whole.p + front.n + 1, whole.n - front.n - 1 };
        bool archive =
            rf_is_archive(&r->bytes) &&
            (whole.p[front.n] == '/' || (rf_part_read(rest, &part, NULL) && !is_office(&r->bytes)));
        if (archive)
            r->member = rest;
        return archive;
    }
    return false;
}

/* A name that ends in what could be a part is tried as it is first. */
static enum rf_code open_part(struct rf_read *r, struct rf_err *err)
{
    struct rf_str whole = r->call.path;
    size_t mark = rf_part_mark(whole);
    enum rf_code rc = open_path(r, whole, err);
    if (rc != RF_ENOTFOUND)
        return rc;
    if (open_archive(r, err))
        return RF_OK;
    if (mark == whole.n)
        return rf_fail(err, RF_ENOTFOUND, "there is no such file");
    struct rf_str part = { whole.p + mark + 1, whole.n - mark - 1 };
    struct rf_str front = { whole.p, mark };
    rc = open_path(r, front, err);
    if (rc == RF_ENOTFOUND)
        return rc;
    r->call.path = front;
    return rc ? rc : rf_read_take_part(r, part, err);
}

/* The file that was meant, perhaps: its path as the call would name it. */
static const char *near_file(const struct rf_read *r)
{
    struct rf_str path = { r->call.path.p, rf_part_mark(r->call.path) };
    return rf_near_file(r->root, r->tools->base, rf_cstr(r->arena, path), r->arena);
}

/* ftp://host/a.png */
static bool is_address(struct rf_str path)
{
    size_t n = 0;
    while (n < path.n && rf_is_alnum(path.p[n]))
        n++;
    return n && rf_str_starts((struct rf_str){ path.p + n, path.n - n }, "://");
}

/* Where there is no root, a person named it, who knows how to look into a folder. */
static void say_none(const struct rf_read *r, struct rf_err *err)
{
    bool is_person = !*r->root;
    if (is_address(r->call.path)) {
        rf_fail(err, RF_ENOTFOUND, "it is an address, which is not fetched here");
        rf_hint(err, is_person ? "Only a question (ask -a) and a chat fetch addresses, and only "
                                 "those that begin with https:// or http://."
                               : "Only https:// and http:// are.");
        return;
    }
    rf_fail(err, RF_ENOTFOUND, "there is no such file");
    if (is_person)
        rf_hint(err, "%.*s", RF_FMT(rf_str_trim(rf_str(near_file(r)))));
    else
        rf_hint(err, "%sRead the folder to see which files there are.", near_file(r));
}

static bool is_folder(const struct rf_read *r)
{
    int fd;
    if (rf_folder_open(r->root, rf_path_from(r->tools->base, r->call.path, r->arena), &fd, NULL))
        return false;
    close(fd);
    return true;
}

/* Words for a model: its own path is enough, and no system's wording of what happened. */
static enum rf_code reword(const struct rf_read *r, enum rf_code rc, struct rf_err *err)
{
    switch (rc) {
    case RF_ENOTFOUND:
        say_none(r, err);
        break;
    case RF_EPERMISSION:
        rf_fail(err, rc, "the file is outside of the folder that may be read");
        break;
    case RF_EFORMAT:
        rf_fail(err, rc, "%s",
                is_folder(r) ? "it is a folder"
                             : "it is not a regular file but a device, a pipe or a socket");
        break;
    case RF_OK:
    case RF_EINTERNAL:
    case RF_EUSAGE:
    case RF_EUNSUPPORTED:
    case RF_EPROVIDER:
    case RF_ELIMIT:
    case RF_EIO:
    case RF_EENCRYPTED:
    case RF_ECONFIG:
    case RF_EINTERRUPTED:
    case RF_ESANDBOX:
        break;
    }
    return rc;
}

static bool claims_media(const struct rf_format *claimed)
{
    return claimed && (claimed->kind == RF_KIND_IMAGE || claimed->kind == RF_KIND_PDF ||
                       claimed->kind == RF_KIND_AUDIO || claimed->kind == RF_KIND_VIDEO);
}

static const char *article(const char *label)
{
    return strchr("AEFHILMNORSX", label[0]) && label[1] >= 'A' && label[1] <= 'Z' ? "an"
           : strchr("AEIO", label[0])                                             ? "an"
                                                                                  : "a";
}

static enum rf_code check_claim(struct rf_read *r, struct rf_err *err)
{
    const struct rf_format *claimed =
        rf_format_by_name(r->unpacked ? r->name : rf_part_last(r->call.path));
    bool media = claims_media(claimed);
    if (!r->bytes.size && (media || (claimed && claimed->kind == RF_KIND_OFFICE)))
        return rf_fail(err, RF_EFORMAT, "the file is empty");
    if (!media || (r->format && r->format->kind != RF_KIND_TEXT))
        return RF_OK;
    if (r->format)
        return rf_fail(err, RF_EFORMAT, "it is %s, not %s %s as its name says", r->format->label,
                       article(claimed->label), claimed->label);
    return RF_OK;
}

static enum rf_code empty(struct rf_read *r)
{
    rf_read_note(r, "[The file %.*s is empty.]", RF_FMT(r->name));
    return RF_OK;
}

static enum rf_code read_textual(struct rf_read *r, struct rf_err *err)
{
    const struct rf_format *named = rf_other_text(r->name);
    if (r->call.part.source)
        return rf_read_text(r, err);
    if (r->format->family)
        return rf_read_office(r, r->format, err);
    if (rf_read_is_odd_picture(r->name))
        return rf_read_odd_picture(r, err);
    return named ? rf_read_office(r, named, err) : rf_read_text(r, err);
}

/* A part that this kind of file does not have. */
static enum rf_code check_part(const struct rf_read *r, struct rf_err *err)
{
    const struct rf_file_part *p = &r->call.part;
    enum rf_kind kind = r->format->kind;
    bool paged = kind == RF_KIND_PDF || kind == RF_KIND_OFFICE;
    bool timed = kind == RF_KIND_AUDIO || kind == RF_KIND_VIDEO;
    const char *wrong = p->has_crop && kind != RF_KIND_IMAGE             ? "area to cut out (#xywh)"
                        : p->has_time && !timed                          ? "seconds (#t)"
                        : p->sheet.n && kind != RF_KIND_OFFICE           ? "sheets (#sheet)"
                        : p->has_bytes && !paged && kind != RF_KIND_TEXT ? "text (#bytes)"
                        : p->has_lines && !paged && kind != RF_KIND_TEXT ? "lines (#L)"
                        : p->pictures && kind != RF_KIND_OFFICE && !rf_other_text(r->name)
                            ? "pictures inside (#pictures)"
                        : p->range_count && !paged ? "pages (#p)"
                                                   : NULL;
    if (!wrong)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "%s %s file has no %s", article(r->format->label), r->format->label,
            wrong);
    say_parts(r->format, err);
    if (p->pictures && kind == RF_KIND_PDF)
        rf_hint(err, "Its pages hold the pictures: name those with #p=, as in report.pdf#p=3-5.");
    return RF_EUSAGE;
}

static enum rf_code read_kind(struct rf_read *r, struct rf_err *err)
{
    switch (r->format->kind) {
    case RF_KIND_IMAGE:
        return rf_read_picture(r, err);
    case RF_KIND_PDF:
        return rf_read_pdf(r, err);
    case RF_KIND_OFFICE:
        return rf_read_office(r, r->format, err);
    case RF_KIND_TEXT:
        return read_textual(r, err);
    case RF_KIND_AUDIO:
    case RF_KIND_VIDEO:
        return rf_read_sound(r, err);
    case RF_KIND_UNKNOWN:
        break;
    }
    return rf_read_other(r, err);
}

/* view_image takes what a person would call a picture. */
static enum rf_code check_view(struct rf_read *r, struct rf_err *err)
{
    if (!r->call.view || (r->format && r->format->kind == RF_KIND_IMAGE))
        return RF_OK;
    rf_fail(err, RF_EFORMAT, "it is not a picture%s%s", r->format ? " but " : "",
            r->format ? r->format->label : "");
    rf_hint(err, "Use read_file for it.");
    return RF_EFORMAT;
}

/* A program that was not printed, because its source is asked for or nobody is here who could, is a
 * text. */
static const struct rf_format *as_program(struct rf_read *r)
{
    const struct rf_format *other = rf_other_sniff(&r->reader, RF_STR(""));
    struct rf_text_kind kind;
    bool program = other && other->id == RF_FORMAT_POSTSCRIPT;
    if (!program || rf_text_kind(&r->reader, &kind, NULL) || !kind.encoding)
        return NULL;
    return rf_format_of(RF_FORMAT_TEXT);
}

enum rf_code rf_read_identify(struct rf_read *r, struct rf_err *err)
{
    struct rf_text_kind kind;
    enum rf_code rc;
    r->format = rf_format_refine(rf_sniff(&r->reader), RF_STR(""), r->name);
    if (!r->format && r->bytes.size)
        r->format = rf_read_as_text(&r->reader, r->name, &kind);
    if (!r->format && r->bytes.size)
        r->format = as_program(r);
    if ((rc = check_claim(r, err)) || (rc = check_view(r, err)))
        return rc;
    return r->format ? check_part(r, err) : RF_OK;
}

static enum rf_code read_opened(struct rf_read *r, struct rf_err *err)
{
    if (r->listed)
        return rf_read_listed(r, err);
    enum rf_code rc = rf_read_identify(r, err);
    if (rc)
        return rc;
    if (!r->bytes.size)
        return empty(r);
    return r->format ? read_kind(r, err) : rf_read_other(r, err);
}

enum rf_code rf_read_bytes(struct rf_read *r, struct rf_err *err)
{
    enum rf_code rc = rf_read_open(r, err);
    if (!rc)
        rc = read_opened(r, err);
    rf_reader_close(&r->reader);
    return rc;
}

static enum rf_code read_folder(struct rf_read *r, struct rf_err *err)
{
    int fd;
    const char *path = rf_path_from(r->tools->base, r->call.path, r->arena);
    enum rf_code rc = rf_folder_open(r->root, path, &fd, err);
    if (rc) /* it was opened as a file before: it is not a folder either */
        return reword(r, RF_EFORMAT, err);
    rc = rf_read_folder(r, fd, err);
    close(fd);
    return rc;
}

enum rf_code rf_read_find(struct rf_read *r, struct rf_err *err)
{
    r->root = !r->tools->root ? "." : r->tools->root;
    enum rf_code rc = open_part(r, err);
    if (!rc)
        rc = take_window(&r->call, err);
    r->name = rf_clean_name(rf_part_last(r->call.path), r->arena);
    return reword(r, rc, err);
}

enum rf_code rf_read_run(struct rf_read *r, struct rf_err *err)
{
    enum rf_code rc = rf_read_find(r, err);
    if (rc == RF_EFORMAT && !r->call.view)
        return read_folder(r, err);
    return rc ? rc : rf_read_bytes(r, err);
}
