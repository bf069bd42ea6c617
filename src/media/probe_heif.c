/* AVIF and HEIC: boxes. What is seen is the primary item, and its size and turns are properties:
 *
 *     meta ─ pitm              which item is the primary one
 *          └ iprp ─ ipco       the properties, numbered from 1: ispe, clap, irot, imir, …
 *                 └ ipma       which item has which of them, in the order they apply
 *
 * The picture's own data is not looked at. */
#include "media/probe.h"

#include "media/box.h"
#include "media/exif.h"

#define MAX_ITEMS 65536
#define MAX_PROPERTIES 256

struct heif {
    struct rf_box ipco, ipma;
    uint32_t primary;
    uint64_t width, height; /* before it is turned */
    bool turned;            /* by a quarter; that may be said before the size is */
};

/* A "full" box starts with a version and flags. */
static bool full_box(struct rf_look *k, const struct rf_box *b, unsigned *version, uint32_t *flags)
{
    const uint8_t *p = b->end - b->body >= 4 ? rf_look(k, b->body, 4) : NULL;

    if (p) {
        *version = p[0];
        *flags = rf_be32(p) & 0xffffff;
    }
    return p != NULL;
}

static uint32_t number(struct rf_look *k, uint64_t at, uint64_t end, size_t n)
{
    const uint8_t *p = at < end && end - at >= n ? rf_look(k, at, n) : NULL;

    if (!p)
        return 0;
    return n == 4 ? rf_be32(p) : n == 2 ? rf_be16(p) : p[0];
}

static bool open_meta(struct rf_look *k, struct heif *h)
{
    struct rf_box meta, pitm, iprp;
    unsigned version;
    uint32_t flags;

    if (!rf_box_find(k, 0, k->size, "meta", &meta) || !full_box(k, &meta, &version, &flags) ||
        !rf_box_find(k, meta.body + 4, meta.end, "pitm", &pitm) ||
        !rf_box_find(k, meta.body + 4, meta.end, "iprp", &iprp) ||
        !full_box(k, &pitm, &version, &flags))
        return false;
    h->primary = number(k, pitm.body + 4, pitm.end, version == 0 ? 2 : 4);
    return rf_box_find(k, iprp.body, iprp.end, "ipco", &h->ipco) &&
           rf_box_find(k, iprp.body, iprp.end, "ipma", &h->ipma);
}

static bool property(struct rf_look *k, const struct heif *h, uint32_t index, struct rf_box *out)
{
    uint64_t at = h->ipco.body;

    for (uint32_t i = 1; i <= index && i <= MAX_PROPERTIES; i++) {
        if (!rf_box_at(k, at, h->ipco.end, out))
            return false;
        if (i == index)
            return true;
        at = out->end;
    }
    return false;
}

/* A clean aperture: the width and the height that stay, each as a fraction. */
static void crop(const uint8_t *p, struct heif *h)
{
    uint32_t width = rf_be32(p + 4) ? rf_be32(p) / rf_be32(p + 4) : 0;
    uint32_t height = rf_be32(p + 12) ? rf_be32(p + 8) / rf_be32(p + 12) : 0;

    if (width > 0 && width <= h->width && height > 0 && height <= h->height) {
        h->width = width;
        h->height = height;
    }
}

static void apply(struct rf_look *k, struct heif *h, uint32_t index)
{
    struct rf_box b;
    const uint8_t *p;

    if (!property(k, h, index, &b))
        return;
    if (rf_box_is(&b, "ispe") && (p = rf_look(k, b.body, 12))) {
        h->width = rf_be32(p + 4);
        h->height = rf_be32(p + 8);
    } else if (rf_box_is(&b, "clap") && (p = rf_look(k, b.body, 16))) {
        crop(p, h);
    } else if (rf_box_is(&b, "irot") && (number(k, b.body, b.end, 1) & 1)) {
        h->turned = !h->turned;
    }
}

/* Applies the properties of the primary item; false when the list is cut off or leaves it out. */
static bool apply_all(struct rf_look *k, struct heif *h)
{
    unsigned version;
    uint32_t flags, items;
    uint64_t at = h->ipma.body + 8, end = h->ipma.end;

    if (!full_box(k, &h->ipma, &version, &flags))
        return false;
    size_t id_size = version == 0 ? 2 : 4, index_size = flags & 1 ? 2 : 1;
    items = number(k, h->ipma.body + 4, end, 4);
    for (uint32_t i = 0; i < items && i < MAX_ITEMS && at < end; i++) {
        uint32_t id = number(k, at, end, id_size), n = number(k, at + id_size, end, 1);
        at += id_size + 1;
        for (uint32_t j = 0; id == h->primary && j < n; j++) {
            uint32_t index = number(k, at + j * index_size, end, index_size);
            apply(k, h, index & (index_size == 2 ? 0x7fff : 0x7f));
        }
        if (id == h->primary)
            return true;
        at += n * index_size;
    }
    return false;
}

static enum rf_code probe(struct rf_look *k, const char *name, struct rf_facts *facts,
                          struct rf_err *err)
{
    struct heif h = { 0 };

    if (!open_meta(k, &h) || !apply_all(k, &h))
        return rf_fail(err, RF_EFORMAT, "the %s does not describe its picture", name);
    return rf_take_size(facts, h.turned ? h.height : h.width, h.turned ? h.width : h.height, err);
}

enum rf_code rf_probe_avif(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    return probe(k, "AVIF", facts, err);
}

enum rf_code rf_probe_heif(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    return probe(k, "HEIF", facts, err);
}
