/* DjVuLibre decodes in threads of its own and tells how far it is by messages; whoever needs
 * something waits for them. A document that lies in several files is read as far as its first one
 * goes: the others are not here. */
#include "worker/djvu/djvu.h"

#include "base/buf.h"
#include "worker/pdf/raster.h"

#include <libdjvu/ddjvuapi.h>
#include <libdjvu/miniexp.h>

/* Nothing is fetched from there: without an address it would ask for the working folder. */
#define NAME "http://document.invalid/document.djvu"
#define MAX_SIDE 1600 /* of a page as a picture */
#define MAX_DEPTH 8   /* of what a page's text is made of */
#define MAX_TEXT ((size_t)16 << 20)

struct book {
    const struct rf_ask *ask;
    struct rf_answer *to;
    struct rf_str bytes;
    ddjvu_context_t *context;
    ddjvu_document_t *document;
    int64_t pictures, given, max_given; /* pages that are shown, or could be */
    uint64_t sent, max_sent;            /* bytes of those; 0: any */
};

/* Take what came; wait for it where nothing did. */
static void take_messages(struct book *b)
{
    const ddjvu_message_t *m;

    ddjvu_message_wait(b->context);
    while ((m = ddjvu_message_peek(b->context))) {
        if (m->m_any.tag == DDJVU_NEWSTREAM) {
            int stream = m->m_newstream.streamid;
            if (stream == 0)
                ddjvu_stream_write(b->document, stream, b->bytes.p, b->bytes.n);
            ddjvu_stream_close(b->document, stream, stream != 0);
        }
        ddjvu_message_pop(b->context);
    }
}

/* The strings in it, from the first to the last. */
static void add_strings(miniexp_t text, int depth, struct rf_buf *out)
{
    if (miniexp_stringp(text)) {
        rf_buf_add(out, rf_str(miniexp_to_str(text)));
        rf_buf_addc(out, '\n');
    }
    for (; depth < MAX_DEPTH && miniexp_consp(text); text = miniexp_cdr(text))
        add_strings(miniexp_car(text), depth + 1, out);
}

static struct rf_str page_text(struct book *b, int page)
{
    miniexp_t text;
    struct rf_buf out;
    struct rf_str found = RF_STR("");

    while ((text = ddjvu_document_get_pagetext(b->document, page, "page")) == miniexp_dummy)
        take_messages(b);
    rf_buf_init(&out, b->ask->arena, MAX_TEXT);
    if (miniexp_consp(text))
        add_strings(text, 0, &out);
    ddjvu_miniexp_release(b->document, text);
    return rf_buf_finish(&out, &found, NULL) ? RF_STR("") : rf_str_trim(found);
}

/* Draw the page into `r`, which is white. */
static bool draw(ddjvu_page_t *page, const struct rf_raster *r)
{
    unsigned masks[] = { 0xff0000, 0xff00, 0xff };
    ddjvu_format_t *format = ddjvu_format_create(DDJVU_FORMAT_RGBMASK32, 3, masks);
    ddjvu_rect_t all = { 0, 0, (unsigned)r->width, (unsigned)r->height };

    ddjvu_format_set_row_order(format, 1);
    bool drawn = ddjvu_page_render(page, DDJVU_RENDER_COLOR, &all, &all, format, r->stride,
                                   (char *)r->pixels);
    ddjvu_format_release(format);
    return drawn;
}

static bool encode(ddjvu_page_t *page, struct rf_rendered *out)
{
    static const struct rf_render_wish wish = { .png = true, .jpeg = true };
    double width = ddjvu_page_get_width(page), height = ddjvu_page_get_height(page);
    double longest = width > height ? width : height;
    double scale = longest > MAX_SIDE ? MAX_SIDE / longest : 1;
    struct rf_raster r = { 0 };

    if (width < 1 || height < 1 ||
        !rf_raster_init(&r, (int)(width * scale + 0.5), (int)(height * scale + 0.5)))
        return false;
    bool done = draw(page, &r) && rf_raster_encode(&r, &wish, out);
    rf_raster_release(&r);
    return done;
}

static void send_picture(struct book *b, int page)
{
    struct rf_rendered picture = { 0 };
    bool room = b->given < b->max_given && (!b->max_sent || b->sent < b->max_sent);

    b->pictures++;
    if (!room || rf_answer_over(b->to))
        return;
    ddjvu_page_t *p = ddjvu_page_create_by_pageno(b->document, page);
    while (p && !ddjvu_page_decoding_done(p))
        take_messages(b);
    if (p && !ddjvu_page_decoding_error(p) && encode(p, &picture)) {
        rf_answer_part(b->to, "kind=image\npage=%d\nname=page-%d\nmime=%s\n", page + 1, page + 1,
                       picture.mime);
        rf_answer_bytes(b->to, picture.p, picture.n);
        b->given++;
        b->sent += picture.n;
    } else {
        rf_answer_note(b->to, "page %d cannot be shown", page + 1);
    }
    rf_rendered_release(&picture);
    if (p)
        ddjvu_page_release(p);
}

static void send_page(struct book *b, int page)
{
    struct rf_str text = page_text(b, page);

    rf_answer_part(b->to, "kind=text\npage=%d\n%s", page + 1, text.n ? "" : "pictures=1\n");
    rf_answer_text(b->to, text);
    if (!text.n)
        send_picture(b, page);
}

static void send_pages(struct book *b, int count, void (*send)(struct book *b, int page))
{
    int64_t first = rf_ask_int(b->ask, "first", 1), last = rf_ask_int(b->ask, "last", 0);

    rf_answer_fact(b->to, "pages", "%d", count);
    if (first > count) {
        rf_answer_fail(b->to, RF_EUSAGE, "Pages are counted from 1.",
                       "page %lld is after the last one, which is %d", (long long)first, count);
        return;
    }
    for (int64_t i = first > 1 ? first : 1;
         i <= count && (last <= 0 || i <= last) && !rf_answer_over(b->to); i++)
        send(b, (int)i - 1);
    rf_answer_fact(b->to, "pictures", "%lld",
                   (long long)(send == send_picture ? count : b->pictures));
    rf_answer_fact(b->to, "pictures_given", "%lld", (long long)b->given);
}

static void answer(struct book *b)
{
    bool media = rf_ask_is(b->ask, "op", "media");

    while (!ddjvu_document_decoding_done(b->document))
        take_messages(b);
    int count =
        ddjvu_document_decoding_error(b->document) ? 0 : ddjvu_document_get_pagenum(b->document);
    b->max_given = media ? INT64_MAX : rf_ask_int(b->ask, "pictures", 0);
    b->max_sent = (uint64_t)rf_ask_int(b->ask, "picture_bytes", 0);
    if (count <= 0)
        rf_answer_fail(b->to, RF_EFORMAT, "", "the DjVu document is cut off or damaged");
    else
        send_pages(b, count, media ? send_picture : send_page);
}

void rf_djvu_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct book b = { .ask = ask, .to = to };

    if (!rf_ask_map(ask, &b.bytes, to))
        return;
    if (!rf_ask_is(ask, "op", "text") && !rf_ask_is(ask, "op", "media")) {
        rf_answer_fail(to, RF_EUSAGE, "", "the worker for DjVu does not know this operation");
        return;
    }
    b.context = ddjvu_context_create("refract");
    b.document = b.context ? ddjvu_document_create(b.context, NAME, 0) : NULL;
    if (b.document)
        answer(&b);
    else
        rf_answer_fail(to, RF_EFORMAT, "", "the DjVu document cannot be opened");
    if (b.document)
        ddjvu_document_release(b.document);
    if (b.context)
        ddjvu_context_release(b.context);
}
