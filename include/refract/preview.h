/* A file for the eyes of a person: a picture of it, or of one of its pages, as a terminal shows it,
 * and its text.
 *
 *     if (rf_preview_open(tools, "report.pdf", &p, &err)) …
 *     printf("%.*s\n", RF_FMT(rf_preview_label(p)));          [PDF: report.pdf, 47 pages]
 *     if (rf_preview_draw(p, 0, &frame, &drawing, &err)) …
 *     fwrite(drawing.bytes.p, 1, drawing.bytes.n, stdout);
 *     rf_preview_close(p);
 *
 * Files are decoded by the same programs that read them for a model, which have given up everything
 * else. What comes back is checked against the grammar of the one way of drawing that was asked
 * for: whatever is in a file, nothing that is drawn moves the cursor out of its frame or does
 * anything else to a terminal.
 *
 * What was worked out is kept where the tools keep it (rf_tools_cache). A preview belongs to one
 * thread, and the tools must outlive it.
 */
#ifndef REFRACT_PREVIEW_H
#define REFRACT_PREVIEW_H

#include <stddef.h>
#include <stdint.h>

#include <refract/error.h>
#include <refract/str.h>
#include <refract/tools.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_preview;

/* Ways in which terminals show pictures. */
enum rf_graphics {
    RF_GRAPHICS_NONE,
    RF_GRAPHICS_BLOCKS, /* Unicode's block characters in colours */
    RF_GRAPHICS_SIXEL,
    RF_GRAPHICS_ITERM, /* iTerm2's inline images */
    RF_GRAPHICS_KITTY, /* Kitty's graphics protocol */
};
/* "none", "blocks", "sixel", "iterm", "kitty". */
RF_API const char *rf_graphics_name(enum rf_graphics g);

/* Open a file, or a part of it ("report.pdf#p=3-5", "shot.png#xywh=0,0,800,600"). Fails as reading
 * it does: RF_ENOTFOUND, RF_EFORMAT, RF_EENCRYPTED, RF_ELIMIT, RF_EPERMISSION outside of the tools'
 * root. */
RF_API RF_MUST enum rf_code rf_preview_open(struct rf_tools *t, const char *path,
                                            struct rf_preview **out, struct rf_err *err);
/* The same for something that was kept: its id ("att_…") or hash ("sha256:…"). The tools need a
 * store. `name` is what it is called for people, or NULL. */
RF_API RF_MUST enum rf_code rf_preview_attachment(struct rf_tools *t, const char *id,
                                                  const char *name, struct rf_preview **out,
                                                  struct rf_err *err);
RF_API void rf_preview_close(struct rf_preview *p); /* takes NULL */

/* These live as long as the preview. The name is harmless to show. */
RF_API struct rf_str rf_preview_name(const struct rf_preview *p);
RF_API struct rf_str rf_preview_mime(const struct rf_preview *p);
/* In one line: "[Image: photo.png, 640x480]", "[PDF: report.pdf, 47 pages]", "[PDF: report.pdf,
 * pages 21-40 of 47]", "[Video: talk.mp4, 1280x720, 2:05]", "[Slides: deck.pptx, 12 slides]",
 * "[File: core, 2.6 MB]". */
RF_API struct rf_str rf_preview_label(const struct rf_preview *p);

/* Pages, slides, sheets, frames of a video (one every few seconds), chapters; 1 for what has none.
 * `word` is what one is called: "page", "slide", "sheet", "frame", "chapter". */
RF_API size_t rf_preview_count(const struct rf_preview *p);
RF_API const char *rf_preview_word(const struct rf_preview *p);
/* How one is called, where it has a name: "Q3", "0:20"; else empty. From 0, as everywhere here; a
 * preview of a part counts the part's own pages, and this is the number in the file: "21". */
RF_API struct rf_str rf_preview_page_name(const struct rf_preview *p, size_t page);
/* Can it be drawn, or has it text alone? */
RF_API int rf_preview_has_picture(const struct rf_preview *p);

/* Is the text of its pages Markdown: with headings, lists, tables, and "[Image: NAME]" where one of
 * its pictures stands (which "FILE#pictures" shows, by their names)? */
RF_API int rf_preview_is_markdown(const struct rf_preview *p);

/* The text of a page, as a model would get it; empty where there is none. Lives as long as the
 * preview. */
RF_API RF_MUST enum rf_code rf_preview_text(struct rf_preview *p, size_t page, struct rf_str *text,
                                            struct rf_err *err);

/* Where it is to be drawn, and how. */
struct rf_preview_frame {
    size_t size; /* of this struct */
    enum rf_graphics graphics;
    int columns, rows;           /* at most so many cells */
    int cell_width, cell_height; /* pixels of one; 0: not known, 10 by 20 is assumed */
    int colours;                 /* for blocks: 16, 256 or 1 << 24 */
    int ascii;                   /* for blocks: 1 for characters of ASCII alone */
    /* The piece that is shown, in thousandths of width and height; all zero: everything. */
    int left, top, width, height;
};

/* How it was drawn. Bytes for a terminal: for blocks they are rows with a line feed between them,
 * styled and each ended plain; else one escape sequence (or several in a row) that leaves the
 * cursor where it was, at the upper left corner; it takes so many columns and rows. */
struct rf_preview_drawing {
    size_t size;         /* of this struct, to be set by the caller */
    struct rf_str bytes; /* lives until the next drawing */
    int columns, rows;
    int64_t width, height; /* of the whole page, in pixels */
};

/* Draw a page. Fails with RF_EUNSUPPORTED where it has no picture, RF_ECONFIG where what draws is
 * not installed, RF_EUSAGE where the frame makes no sense or a size is not set. */
RF_API RF_MUST enum rf_code rf_preview_draw(struct rf_preview *p, size_t page,
                                            const struct rf_preview_frame *frame,
                                            struct rf_preview_drawing *out, struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
