/* What Windows draws on (GDI), as SVG: the half that the two metafile formats share.
 *
 *     struct rf_gdi g;
 *     rf_gdi_init(&g, object_count, a);
 *     … rf_gdi_begin(&g); rf_gdi_move(&g, x, y); … rf_gdi_end(&g, RF_GDI_STROKE) …
 *     rc = rf_gdi_finish(&g, &svg, err);
 *
 * emf.c and wmf.c read records and call these functions with logical coordinates; gdi.c has the
 * device context: mapping, pens, brushes, paths and clipping; gdi_text.c texts, gdi_bitmap.c
 * pictures. The drawing lies on white paper, because raster operations need something below them.
 *
 * libemf2svg and libwmf are not used: two libraries, of which the one draws masks as black boxes
 * and cuts off texts that its fonts make too wide, and the other can end its process, and both
 * would hand over an SVG all the same.
 *
 * It refuses to guess: what cannot be said in SVG (regions that are moved, XOR of patterns) sets
 * `lost`. What a file asks for is bounded by its length, or by the limits below. */
#ifndef RF_WORKER_IMAGE_GDI_H
#define RF_WORKER_IMAGE_GDI_H

#include "base/buf.h"
#include "worker/image/pixels.h"

#define RF_GDI_MAX_SAVED 256 /* device contexts that are put aside */
#define RF_GDI_MAX_OBJECTS 65536
#define RF_GDI_MAX_DASHES 8

enum rf_gdi_kind { RF_GDI_NONE, RF_GDI_PEN, RF_GDI_BRUSH, RF_GDI_FONT, RF_GDI_OTHER };
enum rf_gdi_paint { RF_GDI_STROKE = 1, RF_GDI_FILL = 2 };
enum rf_gdi_ending { RF_GDI_OPEN, RF_GDI_CHORD, RF_GDI_PIE };
enum rf_gdi_combine { RF_GDI_AND = 1, RF_GDI_OR, RF_GDI_XOR, RF_GDI_DIFFERENCE, RF_GDI_COPY };

enum {
    RF_GDI_SOLID = 0, /* of pens and of brushes */
    RF_GDI_NULL_BRUSH = 1,
    RF_GDI_HATCHED = 2,
    RF_GDI_NULL_PEN = 5,
    RF_GDI_OWN_DASHES = 7,
    RF_GDI_COSMETIC = 0, /* a pen's type, with 0x10000 for one that has a width in the drawing */
    RF_GDI_GEOMETRIC = 0x10000,
    RF_GDI_TEXT_MODE = 1, /* of mapping: units are those of the device */
    RF_GDI_ISOTROPIC = 7,
    RF_GDI_ANISOTROPIC = 8,
};

/* x' = a x + c y + e, y' = b x + d y + f */
struct rf_matrix {
    double a, b, c, d, e, f;
};

struct rf_box {
    double left, top, right, bottom;
};

struct rf_gdi_object {
    enum rf_gdi_kind kind;
    uint32_t colour;                 /* 0x00BBGGRR, as everywhere in GDI */
    uint32_t style;                  /* of a pen with its caps and joins, or of a brush */
    uint32_t hatch;                  /* 0 to 5 */
    double width;                    /* of a pen */
    float dashes[RF_GDI_MAX_DASHES]; /* where its style is its own */
    uint8_t dash_n;
    /* of a font */
    double height, escapement; /* logical units, negative: without what stands above; 0.1 degrees */
    int weight;
    uint8_t charset, family;
    bool italic, underline, struck;
    struct rf_str face; /* UTF-8 */
};

struct rf_gdi_dc {
    struct rf_matrix world;
    double window_x, window_y, window_w, window_h;
    double viewport_x, viewport_y, viewport_w, viewport_h;
    int map_mode;
    double x, y; /* where the next line begins */
    struct rf_gdi_object pen, brush, font;
    uint32_t text_colour, back_colour, align, rop;
    bool opaque;  /* texts and hatches have a background */
    bool winding; /* polygons are filled wherever a line goes round */
    bool clockwise;
    double miter;
    int clip, depth;   /* the clip path, 0 for none; and how many it is in */
    struct rf_box box; /* clips too */
};

struct rf_gdi {
    struct rf_arena *arena;
    struct rf_buf body, path;
    struct rf_gdi_dc dc, *saved;
    size_t saved_n;
    struct rf_gdi_object *objects;
    size_t object_n, first_free;
    bool in_path;            /* between BeginPath and EndPath */
    struct rf_box paper;     /* in units of the device; empty: what was drawn on */
    bool framed;             /* the file said what it is */
    struct rf_box drawn;     /* how far anything went */
    double pixel_x, pixel_y; /* millimetres of a unit of the device */
    bool measured;           /* they are the file's own */
    double units_an_inch;    /* else this; 0: nobody knows */
    int next_id;
    int boxed_clip, boxed_in; /* the clip path of `boxed` in another one */
    struct rf_box boxed;
    int painted;  /* elements */
    bool wrapped; /* the one that was begun */
    bool lost;    /* not everything could be drawn */
};

void rf_gdi_init(struct rf_gdi *g, size_t object_count, struct rf_arena *a);
/* The drawing. Fails with RF_EFORMAT where nothing was drawn, and with RF_ELIMIT. */
RF_MUST enum rf_code rf_gdi_finish(struct rf_gdi *g, struct rf_str *svg, struct rf_err *err);

/* The device context */

struct rf_matrix rf_matrix_times(const struct rf_matrix *first, const struct rf_matrix *then);
/* From logical units to those of the device: the page alone, and with the world. */
struct rf_matrix rf_gdi_page(const struct rf_gdi *g);
struct rf_matrix rf_gdi_matrix(const struct rf_gdi *g);
void rf_gdi_save(struct rf_gdi *g);
/* Back to the last one, by -1, or to the n-th. */
void rf_gdi_restore(struct rf_gdi *g, int32_t which);
void rf_gdi_select(struct rf_gdi *g, const struct rf_gdi_object *o);

/* Shapes: a path that is begun, drawn and painted. Between BeginPath and EndPath the path grows and
 * nothing is painted. */

void rf_gdi_begin(struct rf_gdi *g);
void rf_gdi_move(struct rf_gdi *g, double x, double y);
void rf_gdi_line(struct rf_gdi *g, double x, double y);
void rf_gdi_curve(struct rf_gdi *g, const double xy[6]);
void rf_gdi_close(struct rf_gdi *g);
void rf_gdi_end(struct rf_gdi *g, unsigned paint);
/* The same for a path that was ended before. */
void rf_gdi_paint_path(struct rf_gdi *g, unsigned paint);
void rf_gdi_rectangle(struct rf_gdi *g, struct rf_box at, double round_w, double round_h);
/* Part of the ellipse in `at`, from the ray through one point to that through another; all of it
 * where both are the same. With `joined` a line leads to where it begins. */
void rf_gdi_arc(struct rf_gdi *g, struct rf_box at, const double rays[4], enum rf_gdi_ending ending,
                bool joined);
/* An arc by its angles, in radians, towards y. */
void rf_gdi_turn(struct rf_gdi *g, struct rf_box at, double from, double sweep, bool joined);
/* A rectangle in one colour, whatever pen and brush are. */
void rf_gdi_fill_box(struct rf_gdi *g, struct rf_box at, uint32_t colour);

/* What is drawn from now on is seen only where the path is, or a box, as it was or combined. */
void rf_gdi_clip_path(struct rf_gdi *g, enum rf_gdi_combine how);
void rf_gdi_clip_box(struct rf_gdi *g, struct rf_box at);    /* logical */
void rf_gdi_clip_hole(struct rf_gdi *g, struct rf_box at);   /* logical */
void rf_gdi_clip_device(struct rf_gdi *g, struct rf_box at); /* replaces what there was */
void rf_gdi_unclip(struct rf_gdi *g);

/* Texts */

#define RF_GDI_ETO_OPAQUE 0x02
#define RF_GDI_ETO_CLIPPED 0x04

struct rf_gdi_text {
    double x, y;
    struct rf_str utf8;
    const double *steps; /* from one character to the next; NULL: as the font has it */
    size_t step_n;
    uint32_t options;
    struct rf_box box; /* for the options */
};

void rf_gdi_text(struct rf_gdi *g, const struct rf_gdi_text *t);
/* Bytes in the font's character set. */
struct rf_str rf_gdi_utf8(const struct rf_gdi *g, struct rf_str bytes);

/* Pictures */

struct rf_gdi_blit {
    struct rf_str header, bits; /* a DIB: header with colours, and pixels; empty: the brush */
    double x, y, w, h;
    double from_x, from_y, from_w, from_h; /* from_w 0: all */
    uint32_t rop;
    bool bottom_up; /* from_y is counted from the last row */
    int alpha;      /* 0 to 255 of the whole; -1: none */
    bool own_alpha; /* the pixels have theirs too */
    int64_t key;    /* colour that is transparent; -1: none */
};

#define RF_GDI_SRCCOPY 0x00cc0020u

void rf_gdi_blit(struct rf_gdi *g, const struct rf_gdi_blit *b);
/* The mean colour of a DIB, for brushes. */
uint32_t rf_gdi_mean(struct rf_gdi *g, struct rf_str header, struct rf_str bits);
/* How long the header of this DIB is, with its colours; 0: it is none. */
size_t rf_gdi_header_length(struct rf_str dib);

/* For the files of this folder */

/* Begin an element in another that says how it meets what is below it and where it is clipped: a
 * clip path of its own would be moved by its transform. `blend` is NULL or a name of CSS. */
void rf_gdi_element(struct rf_gdi *g, const char *name, const char *blend);
void rf_gdi_element_end(struct rf_gdi *g);
void rf_gdi_number(struct rf_buf *b, double v);
/* "matrix(a b c d e f)" */
void rf_gdi_put_matrix(struct rf_buf *b, const struct rf_matrix *m);
void rf_gdi_put_colour(struct rf_buf *b, uint32_t colour);
/* Something was drawn here, in units of the device. */
void rf_gdi_touch(struct rf_gdi *g, double x, double y);

#endif
