/* op=media: keys `name` (only the picture of that name, with or without its folder), `first` and
 * `end` (of those that there are), `max_bytes` (larger ones are left out, with a note). What a
 * picture is, its bytes say; a member that is none after all is left out. */
#include "worker/office/media.h"

#include "media/media.h"
#include "worker/office/office.h"
#include "worker/office/unzip.h"

#define MAX_PICTURE ((size_t)64 << 20)
#define PIECE ((size_t)256 << 10)

bool rf_media_is_picture(struct rf_str name)
{
    static const char *const extensions[] = { ".png",  ".jpg",  ".jpeg", ".gif",  ".bmp", ".tif",
                                              ".tiff", ".webp", ".svg",  ".emf",  ".wmf", ".ico",
                                              ".jp2",  ".heic", ".avif", ".pict", ".wdp", ".jxr" };
    if (rf_str_contains(name, RF_STR("humbnail")))
        return false;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        struct rf_str extension = rf_str(extensions[i]);
        if (name.n > extension.n &&
            rf_str_ieq((struct rf_str){ name.p + name.n - extension.n, extension.n }, extension))
            return true;
    }
    return false;
}

static bool is_named(struct rf_str path, struct rf_str name)
{
    if (!name.n || rf_str_eq(path, name))
        return true;
    return path.n > name.n && path.p[path.n - name.n - 1] == '/' &&
           rf_str_eq((struct rf_str){ path.p + path.n - name.n, name.n }, name);
}

static const struct rf_format *format_of(struct rf_str bytes)
{
    struct rf_bytes memory = rf_bytes_memory(bytes);
    struct rf_reader reader;
    struct rf_err ignored;

    if (rf_reader_open(&reader, &memory, &ignored))
        return NULL;
    const struct rf_format *format = rf_sniff(&reader);
    rf_reader_close(&reader);
    return format && format->kind == RF_KIND_IMAGE ? format : NULL;
}

/* Names come from the file: nothing in them may end the line that they go into. */
static const char *clean(struct rf_arena *a, struct rf_str name)
{
    char *p = rf_arena_alloc(a, name.n + 1);
    memcpy(p, name.p, name.n);
    rf_clean_controls(p);
    return p;
}

static void send_picture(const char *name, struct rf_str bytes, struct rf_answer *to)
{
    const struct rf_format *format = format_of(bytes);
    if (!format) {
        rf_answer_note(to, "the picture \"%s\" is in a format that cannot be shown", name);
        return;
    }
    rf_answer_part(to, "kind=image\nname=%s\nmime=%s\n", name, format->mime);
    for (size_t at = 0; at < bytes.n; at += PIECE)
        rf_answer_bytes(to, bytes.p + at, bytes.n - at < PIECE ? bytes.n - at : PIECE);
}

static void unpack_picture(struct rf_unzip *zip, int64_t index, size_t max, struct rf_answer *to)
{
    struct rf_unzip_member member;
    struct rf_str bytes;
    struct rf_err err;

    if (!rf_unzip_member(zip, index, &member))
        return;
    const char *slash = memrchr(member.name.p, '/', member.name.n);
    const char *name = clean(rf_unzip_arena(zip), slash ? rf_str(slash + 1) : member.name);
    if (rf_unzip_read(zip, index, max, &bytes, &err))
        rf_answer_note(to, "the picture \"%s\" could not be read: %s", name, err.msg);
    else
        send_picture(name, bytes, to);
}

void rf_office_media(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    struct rf_str wanted = rf_ask_str(ask, "name");
    int64_t first = rf_ask_int(ask, "first", 0), end = rf_ask_int(ask, "end", 0);
    int64_t max = rf_ask_int(ask, "max_bytes", 0), n = 0;
    struct rf_unzip_member member;

    if (max <= 0 || max > (int64_t)MAX_PICTURE)
        max = (int64_t)MAX_PICTURE;
    for (int64_t i = 0; i < rf_unzip_count(zip) && !rf_answer_over(to); i++) {
        if (!rf_unzip_member(zip, i, &member) || !rf_media_is_picture(member.name))
            continue;
        if (is_named(member.name, wanted) && n >= first && (end <= 0 || n < end))
            unpack_picture(zip, i, (size_t)max, to);
        n++;
    }
    rf_answer_fact(to, "pictures", "%lld", (long long)n);
}
