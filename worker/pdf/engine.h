/* The PDF engine: what reads and draws the pages.
 *
 *     if (rf_pdf_open(bytes, password, &pdf, &err))
 *         …
 *     for (int page = 0; page < rf_pdf_pages(pdf); page++)
 *         …
 *     rf_pdf_close(pdf);
 *
 * Pages count from 0 here. The bytes stay the caller's and must outlive the document. The engine
 * prints nothing and refuses to open a path.
 */
#ifndef RF_WORKER_PDF_ENGINE_H
#define RF_WORKER_PDF_ENGINE_H

#include "base/error.h"
#include "base/str.h"
#include "worker/pdf/layout.h"
#include "worker/pdf/raster.h"

struct rf_arena;
struct rf_buf;
struct rf_pdf;

/* Have everything at hand that would be loaded at its first use. NULL, or why it cannot work. */
const char *rf_pdf_start(void);

/* `password` may be the user's or the owner's, or NULL. Fails with RF_EENCRYPTED where it does not
 * open the document, and with RF_EFORMAT. */
RF_MUST enum rf_code rf_pdf_open(struct rf_str bytes, const char *password, struct rf_pdf **out,
                                 struct rf_err *err);
void rf_pdf_close(struct rf_pdf *pdf); /* takes NULL */

int rf_pdf_pages(const struct rf_pdf *pdf);

enum rf_pdf_about { RF_PDF_TITLE, RF_PDF_AUTHOR };

/* What the document says about itself; empty where it says nothing. */
struct rf_str rf_pdf_about(const struct rf_pdf *pdf, enum rf_pdf_about what, struct rf_arena *a);

/* The size as seen, in points of 1/72 inch. False where the page cannot be read. */
bool rf_pdf_size(const struct rf_pdf *pdf, int page, double *width, double *height);

/* The characters in reading order, line feeds at the ends of lines; what forms and remarks show is
 * among them. Where the engine cannot tell where its characters are, `out->plain` is
 * set instead. */
bool rf_pdf_glyphs(const struct rf_pdf *pdf, int page, struct rf_arena *a, struct rf_glyphs *out);

/* How many pictures the page shows. Costs as much as its text. */
int rf_pdf_pictures(const struct rf_pdf *pdf, int page);

enum rf_drawing { RF_DRAWN_NOT, RF_DRAWN, RF_DRAWN_IN_PART };

/* Draw the page on white, `scale` pixels a point. The raster's size is given, and it is filled. */
enum rf_drawing rf_pdf_draw(const struct rf_pdf *pdf, int page, double scale,
                            struct rf_raster *out);

/* The pages as a new PDF of what they look like, for documents that are too broken to take pages
 * out of. Returns how many pages there are in it; the others cannot be read. */
int rf_pdf_print(const struct rf_pdf *pdf, int first, int end, struct rf_buf *out);

#endif
