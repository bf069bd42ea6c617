/* The type of a file from its bytes, and from nothing else.
 *
 * First the signatures that decide alone, then the containers that have to be looked into, then the
 * formats whose signature is so short that more must fit; text comes last, because it is whatever
 * nothing else is. It refuses to guess: bytes that fit nothing are NULL. */
#include "media/sniff.h"

#include "media/ole.h"
#include "media/zip.h"

static bool has_magic(struct rf_look *k, const struct rf_format *f)
{
    for (size_t i = 0; i < RF_MAX_MAGICS && f->magics[i].n; i++) {
        if (rf_look_is(k, f->magics[i].at, f->magics[i].bytes, f->magics[i].n))
            return true;
    }
    return false;
}

static enum rf_format_id by_magic(struct rf_look *k)
{
    for (enum rf_format_id id = RF_FORMAT_NONE + 1; id < RF_FORMAT_COUNT; id++) {
        if (rf_format_of(id)->kind != RF_KIND_UNKNOWN && has_magic(k, rf_format_of(id)))
            return id;
    }
    return RF_FORMAT_NONE;
}

static const struct rf_format *by_other_magic(struct rf_look *k)
{
    for (enum rf_format_id id = RF_FORMAT_NONE + 1; id < RF_FORMAT_COUNT; id++) {
        if (rf_format_of(id)->kind == RF_KIND_UNKNOWN && has_magic(k, rf_format_of(id)))
            return rf_format_of(id);
    }
    return NULL;
}

/* A file that lies in an archive as it is fits too. */
static enum rf_format_id by_fit(struct rf_look *k)
{
    const struct rf_format *other = by_other_magic(k);

    if (other && other->told == RF_TOLD_LIST)
        return RF_FORMAT_NONE;
    for (enum rf_format_id id = RF_FORMAT_NONE + 1; id < RF_FORMAT_COUNT; id++) {
        if (rf_format_of(id)->fits && rf_format_of(id)->fits(k))
            return id;
    }
    return RF_FORMAT_NONE;
}

static enum rf_format_id by_ole(struct rf_look *k)
{
    struct rf_ole ole;

    return rf_ole_read(k, &ole) ? ole.format : RF_FORMAT_NONE;
}

/* A program that prints pages is more than a text. */
static enum rf_format_id by_text(struct rf_look *k)
{
    const struct rf_format *other = by_other_magic(k);

    return other && other->id == RF_FORMAT_POSTSCRIPT ? RF_FORMAT_NONE : rf_sniff_text(k);
}

static enum rf_format_id sniff(struct rf_look *k)
{
    static enum rf_format_id (*const sniffers[])(struct rf_look *) = {
        by_magic,     rf_sniff_riff,       rf_sniff_boxes, rf_sniff_matroska,
        rf_sniff_ogg, rf_sniff_asf,        rf_zip_format,  by_ole,
        by_fit,       rf_sniff_mpeg_audio, by_text,
    };
    enum rf_format_id id = RF_FORMAT_NONE;

    for (size_t i = 0; !id && i < sizeof sniffers / sizeof *sniffers; i++)
        id = sniffers[i](k);
    return id;
}

const struct rf_format *rf_sniff(struct rf_reader *r)
{
    struct rf_look k;

    rf_look_init(&k, r);
    return rf_format_of(sniff(&k));
}

const struct rf_format *rf_other_sniff(struct rf_reader *r, struct rf_str name)
{
    const struct rf_format *named = rf_other_by_name(name), *f;
    struct rf_look k;

    rf_look_init(&k, r);
    f = by_other_magic(&k);
    return f && named && named->looks == f->id ? named : f;
}
