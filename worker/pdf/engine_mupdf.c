/* The engine on MuPDF. Its functions throw by longjmp, so what is used behind a throw is declared
 * with fz_var. JavaScript is never switched on. */
#include "worker/pdf/engine.h"

#include "base/arena.h"
#include "base/buf.h"
#include "media/protocol.h"

#include <mupdf/fitz.h>
#include <mupdf/pdf.h>
#include <stdlib.h>

#define MAX_STORE ((size_t)64 << 20) /* of what MuPDF keeps for later */
#define MAX_ABOUT 1024

struct rf_pdf {
    fz_context *ctx;
    fz_stream *stream;
    pdf_document *pdf;
};

static void drop_message(void *context, const char *message)
{
    (void)context;
    (void)message;
}

static fz_context *new_context(void)
{
    fz_context *ctx = fz_new_context(NULL, NULL, MAX_STORE);

    if (ctx) {
        fz_set_warning_callback(ctx, drop_message, NULL);
        fz_set_error_callback(ctx, drop_message, NULL);
    }
    return ctx;
}

const char *rf_pdf_start(void)
{
    return NULL;
}

static enum rf_code say_encrypted(const char *password, struct rf_err *err)
{
    enum rf_code rc =
        rf_fail(err, RF_EENCRYPTED, "%s",
                password ? "the password does not open the document" : "the document is encrypted");
    rf_hint(err, "%s", RF_WORKER_WANTS_PASSWORD);
    return rc;
}

static enum rf_code say_broken(struct rf_str bytes, struct rf_err *err)
{
    size_t n = bytes.n < 1024 ? bytes.n : 1024;

    return rf_fail(err, RF_EFORMAT, "%s",
                   n && memmem(bytes.p, n, "%PDF-", 5) ? "the PDF is broken or cut off"
                                                       : "the file is not a PDF");
}

static bool load(struct rf_pdf *p, struct rf_str bytes)
{
    fz_try(p->ctx)
    {
        p->stream = fz_open_memory(p->ctx, (const unsigned char *)bytes.p, bytes.n);
        p->pdf = pdf_open_document_with_stream(p->ctx, p->stream);
    }
    fz_catch(p->ctx) return false;
    return true;
}

static bool unlock(struct rf_pdf *p, const char *password)
{
    bool open = false;

    fz_var(open);
    fz_try(p->ctx) open = !pdf_needs_password(p->ctx, p->pdf) ||
                          (password && pdf_authenticate_password(p->ctx, p->pdf, password));
    fz_catch(p->ctx) return false;
    return open;
}

enum rf_code rf_pdf_open(struct rf_str bytes, const char *password, struct rf_pdf **out,
                         struct rf_err *err)
{
    struct rf_pdf *p = calloc(1, sizeof *p);
    enum rf_code rc = RF_OK;

    if (!p || !(p->ctx = new_context()))
        rc = rf_fail(err, RF_ELIMIT, "there is no memory for the PDF");
    else if (!load(p, bytes))
        rc = say_broken(bytes, err);
    else if (!unlock(p, password))
        rc = say_encrypted(password, err);
    if (rc)
        rf_pdf_close(p);
    else
        *out = p;
    return rc;
}

void rf_pdf_close(struct rf_pdf *p)
{
    if (!p)
        return;
    if (p->ctx) {
        pdf_drop_document(p->ctx, p->pdf);
        fz_drop_stream(p->ctx, p->stream);
        fz_drop_context(p->ctx);
    }
    free(p);
}

int rf_pdf_pages(const struct rf_pdf *p)
{
    int count = 0;

    fz_var(count);
    fz_try(p->ctx) count = pdf_count_pages(p->ctx, p->pdf);
    fz_catch(p->ctx) return 0;
    return count;
}

struct rf_str rf_pdf_about(const struct rf_pdf *p, enum rf_pdf_about what, struct rf_arena *a)
{
    char text[MAX_ABOUT] = "";

    fz_try(p->ctx) pdf_lookup_metadata(
        p->ctx, p->pdf, what == RF_PDF_TITLE ? FZ_META_INFO_TITLE : FZ_META_INFO_AUTHOR, text,
        sizeof text);
    fz_catch(p->ctx) return RF_STR("");
    return rf_str_dup(a, rf_str(text));
}

static fz_rect bounds(const struct rf_pdf *p, pdf_page *page)
{
    return pdf_bound_page(p->ctx, page);
}

bool rf_pdf_size(const struct rf_pdf *p, int number, double *width, double *height)
{
    pdf_page *page = NULL;
    fz_rect box = fz_empty_rect;
    bool ok = true;

    fz_var(page);
    fz_try(p->ctx)
    {
        page = pdf_load_page(p->ctx, p->pdf, number);
        box = bounds(p, page);
    }
    fz_always(p->ctx) fz_drop_page(p->ctx, (fz_page *)page);
    fz_catch(p->ctx) ok = false;
    *width = (double)(box.x1 - box.x0);
    *height = (double)(box.y1 - box.y0);
    return ok;
}

/* Text */

static fz_stext_page *read_page(const struct rf_pdf *p, int number, int flags)
{
    fz_stext_options options = { .flags = flags };
    fz_stext_page *text = NULL;
    fz_device *device = NULL;
    pdf_page *page = NULL;

    fz_var(text);
    fz_var(device);
    fz_var(page);
    fz_try(p->ctx)
    {
        page = pdf_load_page(p->ctx, p->pdf, number);
        text = fz_new_stext_page(p->ctx, bounds(p, page));
        device = fz_new_stext_device(p->ctx, text, &options);
        pdf_run_page(p->ctx, page, device, fz_identity, NULL);
        fz_close_device(p->ctx, device);
    }
    fz_always(p->ctx)
    {
        fz_drop_device(p->ctx, device);
        fz_drop_page(p->ctx, (fz_page *)page);
    }
    fz_catch(p->ctx)
    {
        fz_drop_stext_page(p->ctx, text);
        return NULL;
    }
    return text;
}

static struct rf_glyph glyph_of(const fz_stext_char *c)
{
    fz_rect box = fz_rect_from_quad(c->quad);
    return (struct rf_glyph){ (uint32_t)c->c, box.x0, box.y0, box.x1, box.y1 };
}

static void push(struct rf_glyphs *out, size_t *cap, struct rf_arena *a, struct rf_glyph g)
{
    out->cut = out->cut || out->count >= RF_MAX_PAGE_GLYPHS;
    if (!out->cut)
        *RF_PUSH(a, out->items, out->count, *cap) = g;
}

static void take_line(const fz_stext_line *line, struct rf_arena *a, size_t *cap,
                      struct rf_glyphs *out)
{
    for (const fz_stext_char *c = line->first_char; c; c = c->next)
        push(out, cap, a, glyph_of(c));
    push(out, cap, a, (struct rf_glyph){ .c = '\n' });
}

bool rf_pdf_glyphs(const struct rf_pdf *p, int page, struct rf_arena *a, struct rf_glyphs *out)
{
    fz_stext_page *text = read_page(p, page, 0);
    size_t cap = 0;

    *out = (struct rf_glyphs){ .plain = RF_STR("") };
    if (!text)
        return false;
    for (fz_stext_block *b = text->first_block; b; b = b->next)
        if (b->type == FZ_STEXT_BLOCK_TEXT)
            for (fz_stext_line *line = b->u.t.first_line; line; line = line->next)
                take_line(line, a, &cap, out);
    fz_drop_stext_page(p->ctx, text);
    return true;
}

int rf_pdf_pictures(const struct rf_pdf *p, int page)
{
    fz_stext_page *text = read_page(p, page, FZ_STEXT_PRESERVE_IMAGES);
    int count = 0;

    for (fz_stext_block *b = text ? text->first_block : NULL; b; b = b->next)
        count += b->type == FZ_STEXT_BLOCK_IMAGE;
    fz_drop_stext_page(p->ctx, text);
    return count;
}

/* Drawing */

enum rf_drawing rf_pdf_draw(const struct rf_pdf *p, int number, double scale, struct rf_raster *out)
{
    pdf_page *page = NULL;
    fz_pixmap *pixels = NULL;
    fz_device *device = NULL;
    enum rf_drawing result = RF_DRAWN_NOT;

    fz_var(page);
    fz_var(pixels);
    fz_var(device);
    fz_var(result);
    fz_try(p->ctx)
    {
        page = pdf_load_page(p->ctx, p->pdf, number);
        fz_rect box = bounds(p, page);
        fz_matrix move = fz_pre_translate(fz_scale((float)scale, (float)scale), -box.x0, -box.y0);
        pixels = fz_new_pixmap_with_data(p->ctx, fz_device_bgr(p->ctx), out->width, out->height,
                                         NULL, 1, (int)out->stride, out->pixels);
        device = fz_new_draw_device(p->ctx, move, pixels);
        result = RF_DRAWN_IN_PART;
        pdf_run_page(p->ctx, page, device, fz_identity, NULL);
        fz_close_device(p->ctx, device);
        result = RF_DRAWN;
    }
    fz_always(p->ctx)
    {
        fz_drop_device(p->ctx, device);
        fz_drop_pixmap(p->ctx, pixels);
        fz_drop_page(p->ctx, (fz_page *)page);
    }
    fz_catch(p->ctx) return result;
    return result;
}

/* Printing */

static bool copy_page(const struct rf_pdf *p, pdf_document *to, int number)
{
    bool copied = true;

    fz_var(copied);
    fz_try(p->ctx) pdf_graft_page(p->ctx, to, -1, p->pdf, number);
    fz_catch(p->ctx) copied = false;
    return copied;
}

int rf_pdf_print(const struct rf_pdf *p, int first, int end, struct rf_buf *out)
{
    pdf_document *to = NULL;
    fz_buffer *bytes = NULL;
    fz_output *output = NULL;
    unsigned char *data = NULL;
    int printed = 0;

    fz_var(to);
    fz_var(bytes);
    fz_var(output);
    fz_var(printed);
    fz_try(p->ctx)
    {
        to = pdf_create_document(p->ctx);
        for (int page = first; page < end; page++)
            printed += copy_page(p, to, page);
        bytes = fz_new_buffer(p->ctx, 4096);
        output = fz_new_output_with_buffer(p->ctx, bytes);
        pdf_write_document(p->ctx, to, output, &pdf_default_write_options);
        fz_close_output(p->ctx, output);
        size_t n = fz_buffer_storage(p->ctx, bytes, &data);
        rf_buf_add(out, (struct rf_str){ (const char *)data, n });
    }
    fz_always(p->ctx)
    {
        fz_drop_output(p->ctx, output);
        fz_drop_buffer(p->ctx, bytes);
        pdf_drop_document(p->ctx, to);
    }
    fz_catch(p->ctx) return 0;
    return printed;
}
