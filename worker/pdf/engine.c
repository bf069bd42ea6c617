/* Poppler-glib and cairo.
 *
 * MuPDF 1.21 takes 0.3 to 1.04 times poppler's time, but of 234 PDF files it reads 196 and poppler
 * 205: it gives up on six encrypted ones that open without a password and on three damaged ones. It
 * is AGPL, and Debian has it only as a static library: 44 MB a program.
 *
 * Poppler's text of a page leaves out what forms and remarks show, because it does not draw them; a
 * page that has any is drawn once into nothing, after which its text has them. GLib's log is where
 * poppler complains about files, so it is silenced. */
#include "worker/pdf/engine.h"

#include "base/arena.h"
#include "base/buf.h"
#include "media/protocol.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <gio/gio.h>
#include <poppler.h>

/* More remarks than these are not looked at one by one: the page is drawn. */
#define MAX_LINKS 4096
#define LEFTWARD_MARK "\u202B"

struct rf_pdf {
    PopplerDocument *document;
    GBytes *bytes;
};

static GLogWriterOutput drop_message(GLogLevelFlags level, const GLogField *fields, gsize count,
                                     gpointer context)
{
    (void)level;
    (void)fields;
    (void)count;
    (void)context;
    return G_LOG_WRITER_HANDLED;
}

static void drop_line(const gchar *domain, GLogLevelFlags level, const gchar *message,
                      gpointer context)
{
    (void)domain;
    (void)level;
    (void)message;
    (void)context;
}

/* Titles are in UTF-16 and passwords become Latin-1. Their converters are files that the C library
 * loads at their first use and unloads soon after their last, so they stay in use. */
static bool hold_converters(void)
{
    static GIConv held[2];

    held[0] = g_iconv_open("UTF-8", "UTF-16BE");
    held[1] = g_iconv_open("ISO-8859-1", "UTF-8");
    return held[0] != (GIConv)-1 && held[1] != (GIConv)-1;
}

const char *rf_pdf_start(void)
{
    g_log_set_writer_func(drop_message, NULL, NULL);
    g_log_set_default_handler(drop_line, NULL);
    return hold_converters() ? NULL : "the C library cannot convert UTF-16 and Latin-1";
}

static bool is_pdf(struct rf_str bytes)
{
    size_t n = bytes.n < 1024 ? bytes.n : 1024;
    return n && memmem(bytes.p, n, "%PDF-", 5) != NULL;
}

static enum rf_code say_why(const GError *error, struct rf_str bytes, const char *password,
                            struct rf_err *err)
{
    bool ours = error && error->domain == POPPLER_ERROR;

    if (ours && error->code == POPPLER_ERROR_ENCRYPTED) {
        enum rf_code rc = rf_fail(err, RF_EENCRYPTED, "%s",
                                  password ? "the password does not open the document"
                                           : "the document is encrypted");
        rf_hint(err, "%s", RF_WORKER_WANTS_PASSWORD);
        return rc;
    }
    if (!is_pdf(bytes))
        return rf_fail(err, RF_EFORMAT, "the file is not a PDF");
    if (ours && error->code == POPPLER_ERROR_BAD_CATALOG)
        return rf_fail(err, RF_EFORMAT, "the PDF is broken: its list of pages cannot be read");
    return rf_fail(err, RF_EFORMAT, "the PDF is broken or cut off");
}

/* A wrong password ends the process in poppler_document_new_from_bytes (22.12), which tries it in
 * two encodings on a stream that is gone after the first; a stream of ours can be read twice. */
static PopplerDocument *open_with(GBytes *bytes, const char *password, GError **error)
{
    GInputStream *stream = g_memory_input_stream_new_from_bytes(bytes);
    PopplerDocument *document = poppler_document_new_from_stream(
        stream, (goffset)g_bytes_get_size(bytes), password, NULL, error);

    g_object_unref(stream);
    return document;
}

enum rf_code rf_pdf_open(struct rf_str bytes, const char *password, struct rf_pdf **out,
                         struct rf_err *err)
{
    GError *error = NULL;
    GBytes *held = g_bytes_new_static(bytes.p, bytes.n);
    PopplerDocument *document = password ? open_with(held, password, &error)
                                         : poppler_document_new_from_bytes(held, NULL, &error);

    if (!document) {
        enum rf_code rc = say_why(error, bytes, password, err);
        g_clear_error(&error);
        g_bytes_unref(held);
        return rc;
    }
    *out = g_new0(struct rf_pdf, 1);
    (*out)->document = document;
    (*out)->bytes = held;
    return RF_OK;
}

void rf_pdf_close(struct rf_pdf *pdf)
{
    if (!pdf)
        return;
    g_object_unref(pdf->document);
    g_bytes_unref(pdf->bytes);
    g_free(pdf);
}

int rf_pdf_pages(const struct rf_pdf *pdf)
{
    return poppler_document_get_n_pages(pdf->document);
}

struct rf_str rf_pdf_about(const struct rf_pdf *pdf, enum rf_pdf_about what, struct rf_arena *a)
{
    gchar *text = what == RF_PDF_TITLE ? poppler_document_get_title(pdf->document)
                                       : poppler_document_get_author(pdf->document);
    struct rf_str s = rf_str_dup(a, rf_str(text));
    g_free(text);
    return s;
}

bool rf_pdf_size(const struct rf_pdf *pdf, int page, double *width, double *height)
{
    PopplerPage *p = poppler_document_get_page(pdf->document, page);

    if (!p)
        return false;
    poppler_page_get_size(p, width, height);
    g_object_unref(p);
    return true;
}

/* Is there anything but links on the page, which show nothing of their own? */
static bool has_remarks(PopplerPage *p)
{
    GList *all = poppler_page_get_annot_mapping(p);
    bool found = false;
    int seen = 0;

    for (GList *i = all; i && !found; i = i->next) {
        PopplerAnnotMapping *m = i->data;
        found = ++seen > MAX_LINKS || poppler_annot_get_annot_type(m->annot) != POPPLER_ANNOT_LINK;
    }
    poppler_page_free_annot_mapping(all);
    return found;
}

static void draw_into_nothing(PopplerPage *p)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cr = cairo_create(surface);

    poppler_page_render(p, cr);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
}

/* Characters and rectangles side by side; false where there are more of one than of the other.
 * Marks of writing direction have no rectangle of their own. */
static bool place(const char *text, const PopplerRectangle *boxes, guint count, struct rf_arena *a,
                  struct rf_glyphs *out)
{
    size_t length = (size_t)g_utf8_strlen(text, -1), box = 0, i = 0;
    size_t max = length < RF_MAX_PAGE_GLYPHS ? length : RF_MAX_PAGE_GLYPHS;

    out->items = RF_ARRAY(a, struct rf_glyph, max + 1);
    for (const char *p = text; i < max && box < count; p = g_utf8_next_char(p)) {
        const PopplerRectangle *r = &boxes[box];
        gunichar c = g_utf8_get_char(p);
        out->items[i++] =
            (struct rf_glyph){ c, (float)r->x1, (float)r->y1, (float)r->x2, (float)r->y2 };
        box += !rf_is_direction(c);
    }
    out->count = i;
    out->cut = length > max;
    return out->cut || (box == count && i + 1 >= length);
}

/* The whole page as an area. A page that runs from right to left loses lines at its ends when the
 * area begins on the left. */
static PopplerRectangle whole(PopplerPage *p, bool leftward)
{
    PopplerRectangle area = { 0 };

    poppler_page_get_size(p, leftward ? &area.x1 : &area.x2, &area.y2);
    return area;
}

static char *text_of(PopplerPage *p, PopplerRectangle *area)
{
    char *text, *again;

    *area = whole(p, false);
    text = poppler_page_get_text_for_area(p, area);
    if (!text || !strstr(text, LEFTWARD_MARK))
        return text;
    PopplerRectangle other = whole(p, true);
    again = poppler_page_get_text_for_area(p, &other);
    if (!again || strlen(again) <= strlen(text)) {
        g_free(again);
        return text;
    }
    g_free(text);
    *area = other;
    return again;
}

static void take_text(PopplerPage *p, struct rf_arena *a, struct rf_glyphs *out)
{
    PopplerRectangle *boxes = NULL, area;
    guint count = 0;
    char *text = text_of(p, &area);

    *out = (struct rf_glyphs){ 0 };
    if (!text || !*text || !g_utf8_validate(text, -1, NULL)) {
        out->plain = rf_str_dup(a, rf_str(text));
    } else if (!poppler_page_get_text_layout_for_area(p, &area, &boxes, &count) ||
               !place(text, boxes, count, a, out)) {
        *out = (struct rf_glyphs){ .plain = rf_str_dup(a, rf_str(text)) };
    }
    g_free(boxes);
    g_free(text);
}

bool rf_pdf_glyphs(const struct rf_pdf *pdf, int page, struct rf_arena *a, struct rf_glyphs *out)
{
    PopplerPage *p = poppler_document_get_page(pdf->document, page);

    if (!p)
        return false;
    if (has_remarks(p))
        draw_into_nothing(p);
    take_text(p, a, out);
    g_object_unref(p);
    return true;
}

int rf_pdf_pictures(const struct rf_pdf *pdf, int page)
{
    PopplerPage *p = poppler_document_get_page(pdf->document, page);
    GList *all;
    int count;

    if (!p)
        return 0;
    all = poppler_page_get_image_mapping(p);
    count = (int)g_list_length(all);
    poppler_page_free_image_mapping(all);
    g_object_unref(p);
    return count;
}

enum rf_drawing rf_pdf_draw(const struct rf_pdf *pdf, int page, double scale, struct rf_raster *out)
{
    PopplerPage *p = poppler_document_get_page(pdf->document, page);
    cairo_surface_t *surface;
    cairo_t *cr;
    bool whole_page;

    if (!p)
        return RF_DRAWN_NOT;
    surface = cairo_image_surface_create_for_data(out->pixels, CAIRO_FORMAT_RGB24, out->width,
                                                  out->height, (int)out->stride);
    cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    poppler_page_render(p, cr);
    whole_page = cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_surface_flush(surface);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    g_object_unref(p);
    return whole_page ? RF_DRAWN : RF_DRAWN_IN_PART;
}

/* Printing */

static cairo_status_t keep_bytes(void *buffer, const unsigned char *p, unsigned n)
{
    struct rf_buf *b = buffer;

    rf_buf_add(b, (struct rf_str){ (const char *)p, n });
    return b->full ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static bool print_page(const struct rf_pdf *pdf, int page, cairo_surface_t *surface)
{
    PopplerPage *p = poppler_document_get_page(pdf->document, page);
    double width, height;
    cairo_t *cr;

    if (!p)
        return false;
    poppler_page_get_size(p, &width, &height);
    cairo_pdf_surface_set_size(surface, width, height);
    cr = cairo_create(surface);
    poppler_page_render_for_printing(p, cr);
    cairo_show_page(cr);
    cairo_destroy(cr);
    g_object_unref(p);
    return true;
}

int rf_pdf_print(const struct rf_pdf *pdf, int first, int end, struct rf_buf *out)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(keep_bytes, out, 72, 72);
    int printed = 0;

    /* Without it the time of the printing would be in the bytes. */
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    for (int page = first; page < end; page++)
        printed += print_page(pdf, page, surface);
    cairo_surface_finish(surface);
    if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
        printed = 0;
    cairo_surface_destroy(surface);
    return printed;
}
