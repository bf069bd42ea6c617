/* SVG: the root's width, height and viewBox, in CSS pixels (96 to the inch).
 *
 * A side that is missing or a percentage comes from the viewBox; one side alone keeps the viewBox's
 * proportions. A drawing that says nothing has no size of its own, which is not an error. */
#include "media/probe.h"

#include "media/xml.h"

#include <string.h>

#define FONT_SIZE 16.0 /* of em; an ex is half of it */

enum unit { UNIT_NONE, UNIT_PIXELS, UNIT_PERCENT };

struct length {
    double value;
    enum unit unit; /* UNIT_NONE: missing, or not understood */
};

struct svg {
    struct length width, height;
    double box_width, box_height; /* 0 without a viewBox */
};

static const struct {
    const char *name;
    double pixels;
} units[] = {
    { "px", 1 },         { "pt", 96.0 / 72 },   { "pc", 16 },
    { "in", 96 },        { "cm", 96.0 / 2.54 }, { "mm", 96.0 / 25.4 },
    { "em", FONT_SIZE }, { "rem", FONT_SIZE },  { "ex", FONT_SIZE / 2 },
};

static const char *skip_separators(const char *p)
{
    while (*p == ' ' || *p == ',' || *p == '\t' || *p == '\n' || *p == '\r')
        p++;
    return p;
}

static double power_of_ten(int n)
{
    double v = 1;

    for (; n > 0 && v < 1e12; n--)
        v *= 10;
    return v;
}

/* The exponent at `p`, where one follows: "em" and "ex" are units. */
static const char *take_exponent(const char *p, double *value)
{
    const char *digits = p[0] == 'e' || p[0] == 'E' ? p + 1 : p;
    bool negative = digits > p && *digits == '-';
    int n = 0;

    if (digits > p && (*digits == '-' || *digits == '+'))
        digits++;
    if (digits == p || !rf_is_digit(*digits))
        return p;
    for (; rf_is_digit(*digits); digits++)
        n = n < 100 ? n * 10 + (*digits - '0') : n;
    *value = negative ? *value / power_of_ten(n) : *value * power_of_ten(n);
    return digits;
}

/* A number in any locale; NULL when there is none. */
static const char *take_number(const char *p, double *out)
{
    bool negative = *p == '-', any = false;
    double value = 0, scale = 1;

    if (*p == '-' || *p == '+')
        p++;
    for (; rf_is_digit(*p); p++, any = true)
        value = value < 1e15 ? value * 10 + (*p - '0') : value;
    if (*p == '.')
        p++;
    for (; rf_is_digit(*p); p++, any = true)
        value += (*p - '0') * (scale /= 10);
    if (!any)
        return NULL;
    p = take_exponent(p, &value);
    *out = negative ? -value : value;
    return p;
}

static struct length parse_length(const char *text)
{
    struct length l = { 0 };
    const char *p = take_number(skip_separators(text), &l.value);
    size_t n = p ? strcspn(p, " \t\r\n") : 0;

    if (!p)
        return l;
    if (n == 0)
        l.unit = UNIT_PIXELS;
    else if (n == 1 && *p == '%')
        l.unit = UNIT_PERCENT;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (n == strlen(units[i].name) && memcmp(p, units[i].name, n) == 0) {
            l.value *= units[i].pixels;
            l.unit = UNIT_PIXELS;
        }
    }
    return l;
}

static void parse_box(const char *text, struct svg *svg)
{
    double numbers[4];

    for (size_t i = 0; i < 4; i++) {
        text = take_number(skip_separators(text), &numbers[i]);
        if (!text)
            return;
    }
    svg->box_width = numbers[2] > 0 ? numbers[2] : 0;
    svg->box_height = numbers[3] > 0 ? numbers[3] : 0;
}

static double in_pixels(struct length l, double box)
{
    if (l.unit == UNIT_PIXELS)
        return l.value;
    return l.unit == UNIT_PERCENT ? box * l.value / 100 : 0;
}

static void fill_in(struct svg *svg)
{
    bool width = svg->width.unit == UNIT_PIXELS, height = svg->height.unit == UNIT_PIXELS;

    if (svg->box_width <= 0 || svg->box_height <= 0)
        return;
    if (svg->width.unit == UNIT_NONE)
        svg->width = (struct length){ 100, UNIT_PERCENT };
    if (svg->height.unit == UNIT_NONE)
        svg->height = (struct length){ 100, UNIT_PERCENT };
    if (width && !height)
        svg->box_height *= svg->width.value / svg->box_width;
    else if (height && !width)
        svg->box_width *= svg->height.value / svg->box_height;
}

static uint64_t whole(double v)
{
    return v > 0 && v < 1e9 ? (uint64_t)(v + 0.5) + (v < 0.5) : 0;
}

enum rf_code rf_probe_svg(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct rf_xml_root root;
    struct rf_xml_attribute a;
    struct svg svg = { 0 };

    if (!rf_xml_root(k, &root) || strcmp(root.name, "svg") != 0)
        return rf_fail(err, RF_EFORMAT, "the SVG has no svg element");
    for (uint64_t at = root.attributes; rf_xml_attribute(k, &at, &a);) {
        if (strcmp(a.name, "width") == 0)
            svg.width = parse_length(a.value);
        else if (strcmp(a.name, "height") == 0)
            svg.height = parse_length(a.value);
        else if (strcmp(a.name, "viewBox") == 0)
            parse_box(a.value, &svg);
    }
    fill_in(&svg);
    double width = in_pixels(svg.width, svg.box_width);
    double height = in_pixels(svg.height, svg.box_height);
    if (svg.width.unit == UNIT_PIXELS && svg.height.unit == UNIT_PIXELS)
        return rf_take_size(facts, whole(width), whole(height), err);
    if (width > 0 && height > 0)
        return rf_take_size(facts, whole(width), whole(height), err);
    return RF_OK;
}
