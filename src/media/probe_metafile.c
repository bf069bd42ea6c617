/* Windows metafiles, in CSS pixels (96 to the inch). EMF has a frame in 0.01 mm. WMF has a box and
 * units to the inch where it is placeable; else its window is the size, in pixels up to
 * MOST_PIXELS and in twips beyond, for nobody says which. A window that comes late has no size
 * here, which is not an error. */
#include "media/probe.h"

#include <stdlib.h>

#define CSS_INCH 96
#define FRAME_INCH 2540 /* 0.01 mm */
#define TWIPS 1440
#define MOST_PIXELS 2000
#define PLACEABLE 22
#define HEADER 18
#define SET_WINDOW_EXTENT 0x020c
#define LINE_TO 0x0213
#define FIRST_SHAPE 0x0300 /* shapes have more arguments than settings, but for a line */
#define MOST_RECORDS 64    /* that are looked through for it */

static uint64_t shown(int64_t units, int64_t inch)
{
    uint64_t size = (uint64_t)llabs(units);
    uint64_t pixels = (size * CSS_INCH + (uint64_t)inch / 2) / (uint64_t)inch;
    return size && !pixels ? 1 : pixels;
}

static enum rf_code take(struct rf_facts *facts, int64_t width, int64_t height, int64_t inch,
                         struct rf_err *err)
{
    return rf_take_size(facts, shown(width, inch), shown(height, inch), err);
}

enum rf_code rf_probe_emf(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, 0, 88);

    if (!p)
        return rf_cut_off(err, "EMF header");
    int64_t frame[4], bounds[4];
    for (size_t i = 0; i < 4; i++) {
        bounds[i] = (int32_t)rf_le32(p + 8 + i * 4);
        frame[i] = (int32_t)rf_le32(p + 24 + i * 4);
    }
    if (frame[2] > frame[0] && frame[3] > frame[1])
        return take(facts, frame[2] - frame[0], frame[3] - frame[1], FRAME_INCH, err);
    return take(facts, bounds[2] - bounds[0] + 1, bounds[3] - bounds[1] + 1, CSS_INCH, err);
}

static int64_t unit_of(int64_t width, int64_t height)
{
    return llabs(width) > MOST_PIXELS || llabs(height) > MOST_PIXELS ? TWIPS : CSS_INCH;
}

static enum rf_code take_window(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    uint64_t at = HEADER;
    int64_t width = 0, height = 0;
    const uint8_t *p;

    for (int i = 0; i < MOST_RECORDS && (p = rf_look(k, at, 10)); i++) {
        uint16_t function = rf_le16(p + 4);
        if (function == SET_WINDOW_EXTENT) {
            height = (int16_t)rf_le16(p + 6);
            width = (int16_t)rf_le16(p + 8);
        }
        if (rf_le32(p) < 3 || function >= FIRST_SHAPE || function == LINE_TO)
            break;
        at += (uint64_t)rf_le32(p) * 2;
    }
    if (!width || !height)
        return RF_OK;
    return take(facts, width, height, unit_of(width, height), err);
}

enum rf_code rf_probe_wmf(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    bool placeable = RF_SEES(k, 0, "\xd7\xcd\xc6\x9a");
    const uint8_t *p = rf_look(k, 0, placeable ? PLACEABLE + HEADER : HEADER);

    if (!p)
        return rf_cut_off(err, "WMF header");
    if (!placeable)
        return take_window(k, facts, err);
    int64_t width = (int16_t)rf_le16(p + 10) - (int16_t)rf_le16(p + 6);
    int64_t height = (int16_t)rf_le16(p + 12) - (int16_t)rf_le16(p + 8), inch = rf_le16(p + 14);
    if (!width || !height)
        return RF_OK; /* the drawing tells */
    return take(facts, width, height, inch ? inch : unit_of(width, height), err);
}
