/* Which workers start here, what confines them and what is
 * missing of that, and whether the cache can be written. */
#include <refract/doctor.h>

#include "base/arena.h"
#include "media/worker.h"

#include <errno.h>
#include <unistd.h>

static const struct {
    const char *family, *what, *hint;
} workers[] = {
    { "image", "pictures: decoding, shrinking, other formats",
      "It is built with libvips and libheif." },
    { "pdf", "PDF: text, page images, page ranges", "It is built with poppler-glib and qpdf." },
    { "office", "documents, e-books, mail, web pages",
      "It is built with libzip, expat and libcrypto." },
    { "legacy", "doc, xls and ppt of Office 97-2003",
      "It is built with libcrypto and libdeflate." },
    { "archive", "archives and packed files", "It is built with libarchive and uchardet." },
    { "djvu", "DjVu: text, page images", "It is built with DjVuLibre." },
    { "postscript", "PostScript and EPS, by Ghostscript where it is installed", "" },
    { "av", "sound and video", "It is built with the FFmpeg libraries." },
    { "ocr", "text in pictures and scanned pages", "It is built with Tesseract." },
};

struct doctor {
    struct rf_arena *arena;
    void (*found)(void *context, const struct rf_finding *f);
    void *context;
    size_t missing;
};

const char *rf_health_name(enum rf_health h)
{
    switch (h) {
    case RF_HEALTH_GOOD:
        return "good";
    case RF_HEALTH_PARTLY:
        return "partly";
    case RF_HEALTH_MISSING:
        return "missing";
    }
    return "missing";
}

static void check_worker(struct doctor *d, size_t i)
{
    struct rf_confinement sandbox;
    struct rf_err err = { 0 };
    struct rf_finding f = { .area = "worker", .name = workers[i].family, .hint = "" };
    bool works = !rf_worker_check(rf_workers_shared(), workers[i].family, d->arena, &sandbox, &err);
    f.layers = rf_cstr(d->arena, sandbox.layers);
    if (!works) {
        f.health = RF_HEALTH_MISSING;
        f.what = err.msg;
        f.hint = *err.hint ? err.hint : workers[i].hint;
        d->missing++;
    } else if (sandbox.missing.n) {
        f.health = RF_HEALTH_PARTLY;
        f.what = rf_strf(d->arena, "%s; without %.*s", workers[i].what, RF_FMT(sandbox.missing)).p;
        f.hint = "Permitted by \"sandbox: reduced\" in your configuration.";
    } else {
        f.what = workers[i].what;
    }
    d->found(d->context, &f);
}

/* The nearest folder above that exists is what can be written to or not. */
static bool is_writable(struct rf_arena *a, const char *folder)
{
    struct rf_str path = rf_str(folder);
    while (path.n > 0) {
        const char *at = rf_cstr(a, path);
        if (access(at, W_OK | X_OK) == 0)
            return true;
        if (errno != ENOENT)
            return false;
        while (path.n > 0 && path.p[--path.n] != '/')
            ;
        path.n += path.n == 0 && folder[0] == '/';
        if (path.n == 1 && folder[0] == '/')
            return access("/", W_OK | X_OK) == 0;
    }
    return false;
}

static void check_cache(struct doctor *d, const char *folder)
{
    bool good = is_writable(d->arena, folder);
    struct rf_finding f = {
        .area = "folder",
        .name = folder,
        .health = good ? RF_HEALTH_GOOD : RF_HEALTH_PARTLY,
        .what = good ? "the cache" : "the cache: it cannot be written, so nothing is kept",
        .hint = good ? "" : "Make it writable, or set XDG_CACHE_HOME.",
    };
    d->found(d->context, &f);
}

size_t rf_doctor(const char *cache, void (*found)(void *context, const struct rf_finding *f),
                 void *context)
{
    struct doctor d = { .arena = rf_arena_new(), .found = found, .context = context };
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
        check_worker(&d, i);
    if (cache)
        check_cache(&d, cache);
    rf_arena_free(d.arena);
    return d.missing;
}
