#include "worker/office/media.h"

#include "base/arena.h"

static bool is_picture(struct rf_str name)
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

static enum rf_code read_member(void *zip, int64_t id, size_t max, struct rf_str *out,
                                struct rf_err *err)
{
    return rf_unzip_read(zip, id, max, out, err);
}

struct rf_figures *rf_media_open(const struct rf_ask *ask, struct rf_unzip *zip,
                                 struct rf_answer *to)
{
    struct rf_figures *p = rf_figures_new(ask, to);

    p->read = read_member;
    p->source = zip;
    return p;
}

/* Those that stand nowhere in the text. */
static void add_rest(struct rf_figures *p)
{
    struct rf_unzip_member member;

    for (int64_t i = 0; i < rf_unzip_count(p->source); i++) {
        if (!rf_unzip_member(p->source, i, &member) || !is_picture(member.name))
            continue;
        const char *slash = memrchr(member.name.p, '/', member.name.n);
        size_t folder = slash ? (size_t)(slash + 1 - member.name.p) : 0;
        rf_figures_add(
            p, &(struct rf_figure){ .id = i,
                                    .name = { member.name.p + folder, member.name.n - folder } });
    }
}

void rf_media_end(struct rf_figures *p, const struct rf_office_range *range, int64_t pages)
{
    if (p->source && range->first == 0 && range->end >= pages)
        add_rest(p);
    if (p->cut)
        rf_figures_drop(p);
    rf_figures_end(p);
}
