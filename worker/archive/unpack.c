/* libarchive walks the members from the first to the last; what is asked for is found on the way.
 *
 * A packed file is looked through (tar.gz) only where a tar or cpio archive is in it: a packed
 * document (report.docx.gz) is one file, though it is a ZIP archive too. So there are two ways to
 * open the bytes, and the second is taken where the first finds nothing packed.
 *
 * Sizes that an archive declares are shown and not believed: bytes are counted as they come out,
 * and over a total, a ratio or a time the rest is not looked at. Filters that would run a program
 * are not among those that are allowed. */
#include "worker/archive/unpack.h"

#include "base/nearest.h"
#include "base/utf8.h"
#include "worker/archive/list.h"
#include "worker/office/charset.h"
#include "worker/office/recode.h"

#include <archive.h>
#include <archive_entry.h>
#include <time.h>

#define MAX_NAME 1000
#define MAX_SAMPLE ((size_t)64 << 10) /* bytes of names by which their character set is told */
#define MAX_SECONDS 20                /* of the processor, for one list */
#define PIECE ((size_t)64 << 10)
#define CUT_OFF "it is cut off, damaged or of an unknown sort"

struct walk {
    const struct rf_ask *ask;
    struct rf_answer *to;
    struct archive *in;
    struct archive_entry *entry;
    struct rf_str bytes;    /* of the archive */
    struct rf_str wanted;   /* the name of a member; empty: all */
    struct rf_buf sample;   /* of names that are not UTF-8 */
    struct rf_str charset;  /* that those are in; empty: nobody knows */
    uint64_t seen;          /* members */
    uint64_t last;          /* of them, counted from 1, that is the file that is wanted; 0: none */
    uint64_t encrypted;     /* members */
    time_t late;            /* seconds of the processor, when it is */
    bool packed;            /* something is around the archive, or the file */
    bool found;             /* the folder that is wanted */
    struct rf_nearest near; /* names to the one that is wanted */
    const char *trouble;    /* why it was not looked through to its end; NULL: it was */
};

/* Opening */

static void allow_stream(struct archive *in)
{
    archive_read_support_filter_gzip(in);
    archive_read_support_filter_bzip2(in);
    archive_read_support_filter_xz(in);
    archive_read_support_filter_zstd(in);
    archive_read_support_filter_lz4(in);
    archive_read_support_filter_compress(in);
    archive_read_support_format_raw(in);
    archive_read_support_format_empty(in);
}

static void allow_packed(struct archive *in)
{
    allow_stream(in);
    archive_read_support_format_tar(in);
    archive_read_support_format_cpio(in);
}

static void allow_archives(struct archive *in)
{
    archive_read_support_format_zip(in);
    archive_read_support_format_7zip(in);
    archive_read_support_format_rar(in);
    archive_read_support_format_rar5(in);
    archive_read_support_format_cab(in);
    archive_read_support_format_lha(in);
    archive_read_support_format_iso9660(in);
    archive_read_support_format_ar(in);
}

/* Begin from the front; what archive_read_next_header says of the first member. */
static int begin(struct walk *w, void (*allow)(struct archive *in))
{
    struct rf_str password = rf_ask_str(w->ask, "password");

    archive_read_free(w->in);
    w->in = archive_read_new();
    if (!w->in)
        RF_NO_MEMORY();
    allow(w->in);
    if (password.n)
        archive_read_add_passphrase(w->in, rf_cstr(w->ask->arena, password));
    int rc = archive_read_open_memory(w->in, w->bytes.p, w->bytes.n);
    return rc == ARCHIVE_OK ? archive_read_next_header(w->in, &w->entry) : rc;
}

static bool is_raw(const struct walk *w)
{
    return archive_format(w->in) == ARCHIVE_FORMAT_RAW;
}

static int open_archive(struct walk *w)
{
    int rc = begin(w, allow_packed);
    w->packed = archive_filter_count(w->in) > 1;
    bool zeros = rc == ARCHIVE_EOF; /* which are an empty tar */
    if (zeros && w->packed)
        return begin(w, allow_stream);
    return (zeros || is_raw(w)) && !w->packed ? begin(w, allow_archives) : rc;
}

/* Nothing was packed, and all of that is there. */
static bool is_packed_nothing(const struct walk *w, int rc)
{
    return rc == ARCHIVE_EOF && w->packed && archive_format(w->in) == ARCHIVE_FORMAT_EMPTY &&
           archive_errno(w->in) == 0;
}

/* "tar archive, packed with gzip" */
static struct rf_str what(const struct walk *w)
{
    static const struct {
        int format;
        const char *words;
    } formats[] = {
        { ARCHIVE_FORMAT_ZIP, "ZIP archive" },        { ARCHIVE_FORMAT_TAR, "tar archive" },
        { ARCHIVE_FORMAT_CPIO, "cpio archive" },      { ARCHIVE_FORMAT_7ZIP, "7-Zip archive" },
        { ARCHIVE_FORMAT_RAR, "RAR archive" },        { ARCHIVE_FORMAT_RAR_V5, "RAR archive" },
        { ARCHIVE_FORMAT_CAB, "cabinet archive" },    { ARCHIVE_FORMAT_LHA, "LHA archive" },
        { ARCHIVE_FORMAT_ISO9660, "ISO 9660 image" }, { ARCHIVE_FORMAT_AR, "ar archive" },
    };
    int format = archive_format(w->in) & ARCHIVE_FORMAT_BASE_MASK;
    const char *words = "archive";

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format)
            words = formats[i].words;
    return w->packed
               ? rf_strf(w->ask->arena, "%s, packed with %s", words, archive_filter_name(w->in, 0))
               : rf_str(words);
}

/* Limits */

static bool is_bomb(const struct walk *w, uint64_t out)
{
    return out > RF_ARCHIVE_FREE_RATIO && out / RF_ARCHIVE_MAX_RATIO > w->bytes.n;
}

static time_t seconds_spent(void)
{
    struct timespec spent = { 0 };

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return spent.tv_sec;
}

static bool is_over(struct walk *w)
{
    uint64_t out = (uint64_t)archive_filter_bytes(w->in, 0);

    if (w->packed && (out > RF_ARCHIVE_MAX_TOTAL || is_bomb(w, out)))
        w->trouble = "it unpacks to too much, and the rest was not looked at";
    else if (seconds_spent() > w->late)
        w->trouble = "it takes too long, and the rest was not looked at";
    return w->trouble;
}

/* Members */

/* A name as it may stand in a line: UTF-8 without control characters. */
static struct rf_str shown(const struct walk *w, const char *name)
{
    struct rf_arena *a = w->ask->arena;
    struct rf_str text = rf_str(name ? name : "");

    if (rf_utf8_valid(text) != text.n)
        text = rf_charset_utf8(a, w->charset, text);
    char *p = (char *)(uintptr_t)rf_str_dup(a, rf_utf8_cut(text, MAX_NAME)).p;

    rf_clean_controls(p);
    return rf_str(p);
}

/* "./docs/a.txt", "/docs/a.txt" and "docs/a.txt" are one name, and so are "docs/" and "docs". */
static struct rf_str bare(struct rf_str name)
{
    while (rf_str_starts(name, "./") || rf_str_starts(name, "/"))
        name = (struct rf_str){ name.p + 1, name.n - 1 };
    while (name.n && name.p[name.n - 1] == '/')
        name.n--;
    return name;
}

static bool is_below(struct rf_str name, struct rf_str folder)
{
    return !folder.n || (name.n > folder.n && name.p[folder.n] == '/' &&
                         memcmp(name.p, folder.p, folder.n) == 0);
}

static const char *remark(const struct walk *w)
{
    switch (archive_entry_filetype(w->entry)) {
    case AE_IFCHR:
    case AE_IFBLK:
        return " (device)";
    case AE_IFIFO:
        return " (pipe)";
    case AE_IFSOCK:
        return " (socket)";
    default:
        return archive_entry_is_data_encrypted(w->entry) ? " (encrypted)" : "";
    }
}

static struct rf_member member(const struct walk *w)
{
    struct archive_entry *e = w->entry;
    const char *name = archive_entry_pathname(e);
    const char *link = archive_entry_hardlink(e);
    const char *leads = link ? link : archive_entry_symlink(e);
    bool folder = archive_entry_filetype(e) == AE_IFDIR;
    struct rf_str text = shown(w, name ? name : archive_entry_pathname_utf8(e));

    if (folder && !rf_str_ends(text, "/"))
        text = rf_str_join(w->ask->arena, text, RF_STR("/"));
    return (struct rf_member){
        .name = text,
        .link = leads ? shown(w, leads) : RF_STR(""),
        .remark = remark(w),
        .size = archive_entry_size_is_set(e) ? archive_entry_size(e) : -1,
        .time = archive_entry_mtime_is_set(e) ? archive_entry_mtime(e) : 0,
        .folder = folder,
    };
}

/* The next one. Of a packed archive all in between has to be unpacked. */
static int next(struct walk *w)
{
    const void *data;
    size_t n;
    la_int64_t at;

    while (w->packed && !is_over(w) && archive_read_data_block(w->in, &data, &n, &at) == ARCHIVE_OK)
        ;
    return is_over(w) ? ARCHIVE_EOF : archive_read_next_header(w->in, &w->entry);
}

/* One file */

static void fail_data(struct walk *w, const char *name)
{
    bool locked = archive_entry_is_data_encrypted(w->entry);
    bool zip = (archive_format(w->in) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;

    if (locked)
        rf_answer_fail(w->to, RF_EENCRYPTED, zip ? RF_WORKER_WANTS_PASSWORD : "",
                       zip ? "\"%s\" in the archive is encrypted: a password is needed"
                           : "\"%s\" is encrypted in a way that cannot be opened here",
                       name);
    else
        rf_answer_fail(w->to, RF_EFORMAT, "", "\"%s\" in the archive is damaged", name);
}

static void send_bytes(struct walk *w, const char *name)
{
    char piece[PIECE];
    uint64_t out = 0;
    la_ssize_t n;

    rf_answer_part(w->to, "kind=file\nname=%s\n", name);
    while ((n = archive_read_data(w->in, piece, sizeof piece)) > 0 && !rf_answer_over(w->to)) {
        out += (uint64_t)n;
        if (is_bomb(w, out))
            rf_answer_fail(w->to, RF_ELIMIT, "",
                           "\"%s\" unpacks to more than %d times the size of its archive: a "
                           "decompression bomb",
                           name, RF_ARCHIVE_MAX_RATIO);
        rf_answer_bytes(w->to, piece, (size_t)n);
    }
    if (n < 0)
        fail_data(w, name);
}

static void send_member(struct walk *w, const struct rf_member *m)
{
    const char *name = rf_line(w->ask, m->name);

    if (m->link.n)
        rf_answer_fail(w->to, RF_EFORMAT, "Read the file that it leads to.",
                       "\"%s\" is a link to \"%s\"", name, rf_line(w->ask, m->link));
    else if (archive_entry_filetype(w->entry) && archive_entry_filetype(w->entry) != AE_IFREG)
        rf_answer_fail(w->to, RF_EFORMAT, "", "\"%s\" is not a regular file", name);
    else
        send_bytes(w, name);
}

/* All of them, or those in one folder */

/* A file that was named twice on tar's command line is a link to itself the second time. */
static bool is_wanted_file(const struct walk *w, const struct rf_member *m)
{
    struct rf_str name = bare(m->name);
    return w->wanted.n && !m->folder && rf_str_eq(name, w->wanted) &&
           !rf_str_eq(bare(m->link), name);
}

/* Keep a name that is not UTF-8. */
static void take_sample(struct walk *w)
{
    const char *name = archive_entry_pathname(w->entry);
    struct rf_str raw = rf_str(name ? name : "");

    if (rf_utf8_valid(raw) == raw.n || w->sample.n + raw.n >= MAX_SAMPLE)
        return;
    rf_buf_add(&w->sample, raw);
    rf_buf_addc(&w->sample, '\n');
}

static void take(struct walk *w, struct rf_list *l)
{
    struct rf_member m = member(w);
    struct rf_str name = bare(m.name);

    w->seen++;
    take_sample(w);
    if (is_wanted_file(w, &m))
        w->last = w->seen;
    w->found |= m.folder && rf_str_eq(name, w->wanted);
    if (w->wanted.n && !w->last) {
        name = rf_str_dup(w->ask->arena, name);
        rf_nearest_offer_as(&w->near, rf_str_behind(name, '/'), name);
    }
    if (is_below(name, w->wanted)) {
        w->encrypted += archive_entry_is_data_encrypted(w->entry) == 1;
        rf_list_add(l, &m);
    }
}

/* A RAR archive says in its first header that the others cannot be read, of which libarchive says
 * nothing: as a flag of that header, or, since RAR 5, as a header of a type of its own. */
static bool has_locked_names(const struct walk *w)
{
    const unsigned char *p = (const unsigned char *)w->bytes.p;
    size_t type = 13; /* after the signature, a sum and a length */

    if (archive_read_has_encrypted_entries(w->in) == 1)
        return true;
    if (w->bytes.n < 20)
        return false;
    if (memcmp(p, "Rar!\x1a\7\0", 7) == 0)
        return p[9] == 0x73 && p[10] & 0x80;
    if (memcmp(p, "Rar!\x1a\7\1\0", 8) != 0)
        return false;
    return p[type - 1] < 0x80 && p[type] == 4;
}

static void send_list(struct walk *w, const struct rf_list *l)
{
    struct rf_str words = what(w);
    bool nothing = !l->files && !l->folders;
    bool known = archive_format(w->in) != 0;

    if (nothing && known && has_locked_names(w))
        rf_answer_fail(w->to, RF_EENCRYPTED, "", "the names in the archive are encrypted");
    else if (nothing && w->trouble)
        rf_answer_fail(w->to, RF_EFORMAT, "", "the archive cannot be read: %s", w->trouble);
    else if (nothing && w->wanted.n && !w->found)
        rf_answer_fail(w->to, RF_EUSAGE, rf_nearest_question(&w->near, w->ask->arena),
                       "there is no such file in the archive");
    if (w->wanted.n)
        words = rf_strf(w->ask->arena, "folder %.*s of a %.*s", RF_FMT(w->wanted), RF_FMT(words));
    rf_list_send(l, words, w->to);
    if (w->charset.n)
        rf_answer_note(w->to, "the names are taken to be in %.*s", RF_FMT(w->charset));
    if (w->encrypted)
        rf_answer_note(w->to, "%llu members are encrypted", (unsigned long long)w->encrypted);
    if (w->trouble)
        rf_answer_note(w->to, "the list may not be whole: %s", w->trouble);
}

static bool is_member(int rc)
{
    return rc == ARCHIVE_OK || rc == ARCHIVE_WARN;
}

/* Of several files of one name the last counts, which tar appended to replace the others. */
static void send_last(struct walk *w)
{
    int rc = open_archive(w);

    w->trouble = NULL;
    w->late = seconds_spent() + MAX_SECONDS;
    for (uint64_t at = 1; at < w->last && is_member(rc); at++)
        rc = next(w);
    if (!is_member(rc))
        rf_answer_fail(w->to, RF_EFORMAT, "", "the archive cannot be read: %s",
                       w->trouble ? w->trouble : CUT_OFF);
    struct rf_member m = member(w);
    send_member(w, &m);
}

/* By all names together, as a text is judged. */
static bool find_charset(struct walk *w)
{
    struct rf_str sample = { w->sample.p, w->sample.n };
    struct rf_recoding told = { 0 };

    if (!sample.n || w->charset.n)
        return false;
    rf_recode(w->ask->arena, RF_STR(""), sample, &told);
    if (told.by == RF_RECODED_AS_DETECTED && rf_charset_can(told.names))
        w->charset = told.names;
    return w->charset.n;
}

/* All members from the front. */
static int list(struct walk *w, int rc, struct rf_list *l)
{
    rf_list_init(l, w->ask);
    w->seen = w->last = w->encrypted = 0;
    w->trouble = NULL;
    w->found = false;
    while (is_member(rc) && w->seen < RF_ARCHIVE_MAX_MEMBERS) {
        take(w, l);
        rc = next(w);
    }
    return rc;
}

static void walk(struct walk *w)
{
    struct rf_list l;
    int rc = open_archive(w);

    if (is_raw(w) && w->packed && !w->wanted.n && rc == ARCHIVE_OK) {
        send_bytes(w, "data");
        return;
    }
    if (is_packed_nothing(w, rc) && !w->wanted.n) {
        rf_answer_part(w->to, "kind=file\nname=data\n");
        return;
    }
    rc = list(w, rc, &l);
    if (find_charset(w))
        rc = list(w, open_archive(w), &l);
    if (is_member(rc))
        w->trouble = "it has too many members, and the rest was not looked at";
    else if (rc != ARCHIVE_EOF && !w->trouble)
        w->trouble = CUT_OFF;
    if (w->last)
        send_last(w);
    else
        send_list(w, &l);
}

void rf_archive_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct walk w = { .ask = ask, .to = to, .late = seconds_spent() + MAX_SECONDS };

    if (!rf_ask_map(ask, &w.bytes, to))
        return;
    w.wanted = bare(rf_ask_str(ask, "member"));
    rf_nearest_init(&w.near, rf_str_behind(w.wanted, '/'));
    rf_buf_init(&w.sample, ask->arena, MAX_SAMPLE + MAX_NAME);
    if (!rf_ask_is(ask, "op", "list"))
        rf_answer_fail(to, RF_EUSAGE, "", "the worker for archives does not know this operation");
    else if (!w.bytes.n)
        rf_answer_fail(to, RF_EFORMAT, "", "the file is empty");
    else
        walk(&w);
    archive_read_free(w.in);
}
