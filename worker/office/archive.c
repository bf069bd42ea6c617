/* What is in an archive: names, sizes and dates. Nothing is unpacked but the way through a gzipped
 * tar, and none of that is kept.
 *
 * The list has a line a member, sizes before names so that any name is safe at the end of its line.
 * Over MAX_LISTED members the list is cut with a note. What is packed as a single stream (bzip2,
 * xz, zstd) or in a format without a reader here (7z, rar) is named for what it is. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "worker/office/charset.h"
#include "worker/office/office.h"
#include "worker/office/tar.h"
#include "worker/office/unzip.h"

#include <stdio.h>
#include <time.h>

#define MAX_LISTED 20000
#define MAX_COUNTED 1000000 /* members; what comes later is not looked at */
#define MAX_NAME 1000
#define MAX_TEXT ((size_t)40 << 20) /* that many names and links */

struct list {
    struct rf_arena *arena;
    struct rf_buf lines;
    uint64_t files, folders, bytes, encrypted;
};

/* A name as it may stand in a line: UTF-8 without control characters. */
static struct rf_str shown(struct rf_arena *a, struct rf_str name)
{
    struct rf_str text = rf_utf8_cut(rf_charset_utf8(a, RF_STR(""), name), MAX_NAME);
    char *p = (char *)(uintptr_t)rf_str_dup(a, text).p;

    rf_clean_controls(p);
    return (struct rf_str){ p, strlen(p) };
}

/* 1234567 as 1,234,567 */
static const char *grouped(struct rf_arena *a, uint64_t value)
{
    char digits[24], *out = rf_arena_alloc(a, 32);
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), at = 0;

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    return out;
}

static void add_count(struct list *l, bool folder, uint64_t size)
{
    l->files += !folder;
    l->folders += folder;
    if (__builtin_add_overflow(l->bytes, folder ? 0 : size, &l->bytes))
        l->bytes = UINT64_MAX;
}

static void add_tar(struct list *l, const struct rf_tar_member *m)
{
    static const struct {
        char kind;
        const char *words;
    } kinds[] = { { '1', " -> " },
                  { '2', " -> " },
                  { '3', " (device)" },
                  { '4', " (device)" },
                  { '6', " (pipe)" } };
    time_t when = (time_t)m->time;
    struct tm tm = { 0 };
    char date[32] = "                ";
    struct rf_str name;

    add_count(l, m->kind == '5', m->size);
    if (l->files + l->folders > MAX_LISTED)
        return;
    if (m->time > 0 && gmtime_r(&when, &tm) && tm.tm_year < 1100)
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", &tm);
    name = shown(l->arena, m->name);
    rf_buf_addf(&l->lines, "%14s  %s  %s", grouped(l->arena, m->size), date, name.p);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (m->kind == kinds[i].kind) {
            rf_buf_add(&l->lines, rf_str(kinds[i].words));
            if (m->kind < '3')
                rf_buf_add(&l->lines, shown(l->arena, m->link));
        }
    rf_buf_addc(&l->lines, '\n');
}

static void add_zip(struct list *l, const struct rf_unzip_member *m)
{
    add_count(l, m->folder, m->size);
    l->encrypted += m->encrypted;
    if (l->files + l->folders > MAX_LISTED)
        return;
    rf_buf_addf(&l->lines, "%14s  %s%s\n", grouped(l->arena, m->size), shown(l->arena, m->name).p,
                m->encrypted ? " (encrypted)" : "");
}

/* One part: what it is, then the lines. */
static void send_list(struct list *l, const char *what, const struct rf_ask *ask,
                      struct rf_answer *to)
{
    struct rf_office_range range;
    uint64_t total = l->files + l->folders;

    rf_answer_fact(to, "pages", "1");
    rf_answer_fact(to, "files", "%llu", (unsigned long long)l->files);
    rf_answer_fact(to, "unpacked_bytes", "%llu", (unsigned long long)l->bytes);
    if (!rf_office_range(ask, 1, &range, to) || range.first == range.end)
        return;
    rf_answer_part(to, "kind=text\npage=1\n");
    struct rf_str head = rf_strf(l->arena, "%s: %s file%s, %s folder%s, %s bytes unpacked\n\n",
                                 what, grouped(l->arena, l->files), l->files == 1 ? "" : "s",
                                 grouped(l->arena, l->folders), l->folders == 1 ? "" : "s",
                                 grouped(l->arena, l->bytes));
    rf_answer_text(to, head);
    rf_answer_text(to, (struct rf_str){ l->lines.n ? l->lines.p : "", l->lines.n });
    if (total > MAX_LISTED)
        rf_answer_note(to, "only the first %d of %llu members are listed", MAX_LISTED,
                       (unsigned long long)total);
    if (l->encrypted)
        rf_answer_note(to, "%llu members are encrypted", (unsigned long long)l->encrypted);
}

static void list_zip(struct list *l, const struct rf_ask *ask, struct rf_str bytes,
                     struct rf_answer *to)
{
    struct rf_unzip_member m;
    struct rf_unzip *zip;
    struct rf_err err;

    if (rf_unzip_open(bytes, l->arena, &zip, &err)) {
        rf_answer_fail(to, err.code, err.hint, "%s", err.msg);
        return;
    }
    for (int64_t i = 0; i < rf_unzip_count(zip); i++)
        if (rf_unzip_member(zip, i, &m))
            add_zip(l, &m);
    send_list(l, "ZIP archive", ask, to);
    rf_unzip_close(zip);
}

static void list_tar(struct list *l, const struct rf_ask *ask, struct rf_str bytes,
                     struct rf_answer *to)
{
    struct rf_tar_member m;
    struct rf_tar t;

    rf_tar_open(&t, bytes, l->arena);
    while (l->files + l->folders < MAX_COUNTED && rf_tar_next(&t, &m))
        add_tar(l, &m);
    if (l->files + l->folders == 0 && t.trouble)
        rf_answer_fail(to, RF_EFORMAT, "", "the archive cannot be read: %s", t.trouble);
    else
        send_list(l, t.inflate ? "gzipped tar archive" : "tar archive", ask, to);
    if (t.trouble && !to->ended)
        rf_answer_note(to, "the list may not be whole: of the archive, %s", t.trouble);
    rf_tar_close(&t);
}

/* What a gzip file says of itself: the name and the size of what was packed. */
static void say_gzip(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    const unsigned char *p = (const unsigned char *)bytes.p;
    size_t at = 10;

    if (bytes.n < 18) {
        rf_answer_fail(to, RF_EFORMAT, "", "the gzip file is cut off");
        return;
    }
    if (p[3] & 4)
        at += 2 + (size_t)(p[10] | p[11] << 8);
    rf_answer_fact(to, "pages", "1");
    rf_answer_part(to, "kind=text\npage=1\n");
    rf_answer_text(to, RF_STR("gzip file"));
    if ((p[3] & 8) && at < bytes.n) {
        struct rf_str name = { bytes.p + at, strnlen(bytes.p + at, bytes.n - at) };
        rf_answer_text(to, rf_strf(ask->arena, " of \"%s\"", shown(ask->arena, name).p));
    }
    p += bytes.n - 4;
    uint32_t size = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    rf_answer_text(to,
                   rf_strf(ask->arena, ", %s bytes unpacked by what it says; it was not unpacked\n",
                           grouped(ask->arena, size)));
}

/* Archives that are only named. */
static bool say_packed(struct rf_str bytes, struct rf_answer *to)
{
    static const struct {
        const char *magic, *words;
    } kinds[] = {
        { "BZh", "bzip2 file" },
        { "\xfd"
          "7zXZ",
          "xz file" },
        { "\x28\xb5\x2f\xfd", "Zstandard file" },
        { "7z\xbc\xaf\x27\x1c", "7-Zip archive" },
        { "Rar!\x1a\x07", "RAR archive" },
        { "\x04\x22\x4d\x18", "LZ4 file" },
        { "!<arch>\n", "ar archive" },
        { "MSCF", "cabinet archive" },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!rf_str_starts(bytes, kinds[i].magic))
            continue;
        rf_answer_fact(to, "pages", "1");
        rf_answer_part(to, "kind=text\npage=1\n");
        rf_answer_text(to, rf_str(kinds[i].words));
        rf_answer_text(to, RF_STR(": its contents cannot be listed here\n"));
        return true;
    }
    return false;
}

void rf_office_archive(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    struct list l = { .arena = ask->arena };

    rf_buf_init(&l.lines, ask->arena, MAX_TEXT);
    if (rf_tar_is(bytes, ask->arena))
        list_tar(&l, ask, bytes, to);
    else if (rf_str_starts(bytes, "\x1f\x8b"))
        say_gzip(ask, bytes, to);
    else if (!say_packed(bytes, to))
        list_zip(&l, ask, bytes, to);
}
