/* Outlook messages: who, when, about what; the text; and which files hang on it.
 *
 * A message is a storage in which every property is a stream, named for its number and type; short
 * ones are in a stream of their own. Attachments are storages of the same make, and are named only.
 * The plain text is taken, or else the HTML, or else the RTF. */
#include "worker/legacy/legacy.h"

#include "base/arena.h"
#include "worker/legacy/lzfu.h"
#include "worker/office/charset.h"
#include "worker/office/eml.h"
#include "worker/office/html.h"
#include "worker/office/office.h"
#include "worker/office/rtf.h"

#include <stdio.h>
#include <time.h>

#define MAX_ATTACHMENTS 1000
#define ROOT_HEADER 32 /* bytes before the short properties */
#define EPOCH_1601 11644473600LL

enum {
    SUBJECT = 0x0037,
    SENT_BY = 0x0042,
    SENT_BY_ADDRESS = 0x0065,
    SENDER = 0x0c1a,
    SENDER_ADDRESS = 0x0c1f,
    TO = 0x0e04,
    CC = 0x0e03,
    BODY = 0x1000,
    RTF = 0x1009,
    HTML = 0x1013,
    FILE_NAME = 0x3704,
    LONG_FILE_NAME = 0x3707,
    FILE_TYPE = 0x370e,
    DATA = 0x3701,
    SENDER_SMTP = 0x5d01,
};
#define SUBMITTED 0x00390040u
#define DELIVERED 0x0e060040u
#define INTERNET_PAGE 0x3fde0003u
#define MESSAGE_PAGE 0x3ffd0003u

struct msg {
    struct rf_arena *arena;
    struct rf_compound *c;
    int page; /* of 8-bit strings */
    struct rf_str shorts;
};

static int property(const struct msg *m, int storage, uint32_t number, uint32_t type)
{
    char name[32];

    snprintf(name, sizeof name, "__substg1.0_%04X%04X", number, type);
    return rf_compound_find(m->c, storage, name);
}

static struct rf_str bytes_of(struct msg *m, int storage, uint32_t number)
{
    struct rf_str s;

    return rf_compound_read(m->c, property(m, storage, number, 0x0102), &s) ? s : RF_STR("");
}

/* A string, of 16 or 8 bits. */
static struct rf_str string_of(struct msg *m, int storage, uint32_t number)
{
    struct rf_str s;

    if (rf_compound_read(m->c, property(m, storage, number, 0x001f), &s))
        s = rf_utf16le_utf8(m->arena, s);
    else if (rf_compound_read(m->c, property(m, storage, number, 0x001e), &s))
        s = rf_codepage_utf8(m->arena, m->page, s);
    else
        return RF_STR("");
    while (s.n && !s.p[s.n - 1])
        s.n--;
    return s;
}

/* A short property: its eight bytes. */
static struct rf_str short_of(const struct msg *m, uint32_t tag)
{
    for (size_t at = ROOT_HEADER; at + 16 <= m->shorts.n; at += 16)
        if (rf_at32(m->shorts, at) == tag)
            return rf_at(m->shorts, at + 8, 8);
    return RF_STR("");
}

static struct rf_str date_of(const struct msg *m)
{
    struct rf_str s = short_of(m, SUBMITTED);
    struct tm tm;
    char text[64];

    if (!s.n)
        s = short_of(m, DELIVERED);
    if (!s.n)
        return s;
    uint64_t ticks = (uint64_t)rf_at32(s, 4) << 32 | rf_at32(s, 0);
    time_t when = (time_t)((int64_t)(ticks / 10000000) - EPOCH_1601);
    if (!gmtime_r(&when, &tm) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
        return RF_STR("");
    return rf_str_dup(m->arena, rf_str(text));
}

static struct rf_str sender(struct msg *m)
{
    struct rf_str name = string_of(m, RF_COMPOUND_ROOT, SENDER), address;

    if (!name.n)
        name = string_of(m, RF_COMPOUND_ROOT, SENT_BY);
    address = string_of(m, RF_COMPOUND_ROOT, SENDER_SMTP);
    if (!address.n)
        address = string_of(m, RF_COMPOUND_ROOT, SENDER_ADDRESS);
    if (!address.n)
        address = string_of(m, RF_COMPOUND_ROOT, SENT_BY_ADDRESS);
    if (!memchr(address.p, '@', address.n) || rf_str_eq(name, address))
        return name.n ? name : address;
    return rf_strf(m->arena, "%.*s <%.*s>", (int)name.n, name.p, (int)address.n, address.p);
}

static void read_page(struct msg *m)
{
    struct rf_str s = short_of(m, INTERNET_PAGE);

    if (!rf_at32(s, 0))
        s = short_of(m, MESSAGE_PAGE);
    m->page = rf_at32(s, 0) ? (int)(rf_at32(s, 0) & 0xffffff) : 1252;
}

static void show_body(struct msg *m, struct rf_prose *p)
{
    struct rf_str text = string_of(m, RF_COMPOUND_ROOT, BODY);
    struct rf_str html = bytes_of(m, RF_COMPOUND_ROOT, HTML);

    rf_prose_plain(p);
    if (!rf_str_blank(text)) {
        rf_prose_exact(p, text);
    } else if (html.n || string_of(m, RF_COMPOUND_ROOT, HTML).n) {
        rf_html_prose(p, html.n ? rf_html_utf8(m->arena, RF_STR(""), html, NULL)
                                : string_of(m, RF_COMPOUND_ROOT, HTML));
    } else {
        struct rf_str rtf = rf_lzfu(m->arena, bytes_of(m, RF_COMPOUND_ROOT, RTF));
        if (rf_str_starts(rtf, "{\\rtf"))
            rf_rtf_prose(p, rtf);
    }
    rf_prose_plain(p);
}

static int show_attachments(struct msg *m, struct rf_prose *p)
{
    int n = 0, id;

    for (; n < MAX_ATTACHMENTS; n++) {
        id = rf_compound_nth(m->c, RF_COMPOUND_ROOT, "__attach_version1.0_", n);
        if (id == RF_COMPOUND_NONE)
            break;
        if (n == 0) {
            rf_prose_text(p, RF_STR("Attachments:"));
            rf_prose_plain(p);
        }
        struct rf_str name = string_of(m, id, LONG_FILE_NAME), type = string_of(m, id, FILE_TYPE);
        int inside = property(m, id, DATA, 0x000d);
        if (!name.n)
            name = string_of(m, id, FILE_NAME);
        if (inside != RF_COMPOUND_NONE && !name.n)
            name = string_of(m, inside, SUBJECT);
        if (inside != RF_COMPOUND_NONE && !type.n)
            type = RF_STR("message");
        struct rf_figure picture = { n, name, RF_STR(""), bytes_of(m, id, DATA) };
        if (rf_figure_is(picture.bytes))
            rf_figures_add(p->md.pictures, &picture);
        rf_eml_attachment(p, name, type, rf_compound_size(m->c, property(m, id, DATA, 0x0102)));
    }
    return n;
}

void rf_legacy_msg(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to)
{
    struct msg m = { .arena = ask->arena, .c = c, .shorts = RF_STR("") };
    struct rf_office_range range;
    struct rf_prose p;

    if (!rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "__properties_version1.0"),
                          &m.shorts))
        m.shorts = RF_STR("");
    read_page(&m);
    rf_answer_fact(to, "pages", "1");
    if (!rf_office_range(ask, 1, &range, to) || range.first == range.end)
        return;
    struct rf_str subject = string_of(&m, RF_COMPOUND_ROOT, SUBJECT);
    rf_prose_begin(&p, rf_figures_new(ask, to), 1, subject);
    rf_eml_line(&p, "From", sender(&m));
    rf_eml_line(&p, "To", string_of(&m, RF_COMPOUND_ROOT, TO));
    rf_eml_line(&p, "Cc", string_of(&m, RF_COMPOUND_ROOT, CC));
    rf_eml_line(&p, "Date", date_of(&m));
    rf_eml_line(&p, "Subject", subject);
    show_body(&m, &p);
    int attachments = show_attachments(&m, &p);
    rf_prose_end(&p);
    rf_answer_fact(to, "attachments", "%d", attachments);
    rf_figures_end(p.md.pictures);
}
