/* E-mail: who, when, about what; the text; and which files hang on it.
 *
 * Of alternatives the plain text is taken, or else the HTML as text; messages inside are shown
 * behind what carries them. Attachments are named, never opened. Parts nested deeper than
 * MAX_DEPTH, or more than MAX_PARTS of them, are left out with a note. */
#include "worker/office/eml.h"

#include "base/arena.h"
#include "worker/office/charset.h"
#include "worker/office/html.h"
#include "worker/office/mime.h"
#include "worker/office/office.h"

#include <strings.h>

#define MAX_DEPTH 16
#define MAX_PARTS 2000
#define MAX_SHOWN 4000 /* bytes of a line of the head */

struct attachment {
    struct rf_str name, type;
    uint64_t size;
};

struct mail {
    struct rf_prose *p;
    struct rf_arena *arena;
    unsigned depth, parts;
    bool left_out;
    struct attachment *attachments;
    size_t n, cap;
};

enum showing { SHOWN, ONLY_ATTACHMENTS };

static void take_part(struct mail *m, struct rf_str bytes, enum showing showing);

void rf_eml_line(struct rf_prose *p, const char *label, struct rf_str value)
{
    if (!value.n)
        return;
    rf_prose_exact(p, rf_str(label));
    rf_prose_exact(p, RF_STR(": "));
    rf_prose_text(p, (struct rf_str){ value.p, value.n < MAX_SHOWN ? value.n : MAX_SHOWN });
    rf_prose_line(p);
}

void rf_eml_attachment(struct rf_prose *p, struct rf_str name, struct rf_str type, uint64_t size)
{
    struct rf_arena *a = p->md.arena;
    struct rf_str amount = size == 0     ? RF_STR("")
                           : size < 1024 ? rf_strf(a, "%u bytes", (unsigned)size)
                           : size < (1u << 20)
                               ? rf_strf(a, "%u KB", (unsigned)((size + 512) / 1024))
                               : rf_strf(a, "%.1f MB", (double)size / (1 << 20));

    rf_prose_item(p, 0, 0);
    rf_prose_text(p, name.n ? name : RF_STR("without a name"));
    if (type.n || amount.n)
        rf_prose_text(p, rf_strf(a, " (%.*s%s%s)", (int)(type.n < 100 ? type.n : 100), type.p,
                                 type.n && amount.n ? ", " : "", amount.p));
    rf_prose_plain(p);
}

/* The names under which a message's head is shown. */
static void show_head(struct mail *m, struct rf_str head)
{
    static const char *const fields[] = { "From", "To", "Cc", "Bcc", "Date", "Subject" };

    rf_prose_plain(m->p);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        rf_eml_line(m->p, fields[i], rf_mime_text(m->arena, rf_mime_field(head, fields[i])));
    rf_prose_plain(m->p);
}

static struct rf_str part_type(struct rf_str head)
{
    struct rf_str type = rf_mime_value(rf_mime_field(head, "Content-Type"));

    return type.n ? type : RF_STR("text/plain");
}

static struct rf_str part_name(struct mail *m, struct rf_str head)
{
    struct rf_str name =
        rf_mime_parameter(m->arena, rf_mime_field(head, "Content-Disposition"), "filename");

    return name.n ? name : rf_mime_parameter(m->arena, rf_mime_field(head, "Content-Type"), "name");
}

static bool starts(struct rf_str s, const char *prefix)
{
    return s.n >= strlen(prefix) && strncasecmp(s.p, prefix, strlen(prefix)) == 0;
}

static bool is_text(struct rf_str type)
{
    return rf_str_ieq(type, RF_STR("text/plain")) || rf_str_ieq(type, RF_STR("text/html")) ||
           rf_str_ieq(type, RF_STR("text")) || rf_str_ieq(type, RF_STR("text/enriched"));
}

static void attach(struct mail *m, struct rf_str head, struct rf_str body)
{
    struct rf_str encoding = rf_mime_field(head, "Content-Transfer-Encoding");
    struct attachment *new = RF_PUSH(m->arena, m->attachments, m->n, m->cap);

    *new = (struct attachment){
        .name = part_name(m, head),
        .type = part_type(head),
        .size = rf_mime_decode(m->arena, encoding, body).n,
    };
    if (!new->name.n && starts(new->type, "message/")) {
        struct rf_str inner, rest;
        rf_mime_split(body, &inner, &rest);
        new->name = rf_mime_text(m->arena, rf_mime_field(inner, "Subject"));
    }
}

static void show_text(struct mail *m, struct rf_str head, struct rf_str body)
{
    struct rf_str field = rf_mime_field(head, "Content-Type");
    struct rf_str charset = rf_mime_parameter(m->arena, field, "charset");

    body = rf_mime_decode(m->arena, rf_mime_field(head, "Content-Transfer-Encoding"), body);
    rf_prose_plain(m->p);
    if (rf_str_ieq(part_type(head), RF_STR("text/html")))
        rf_html_prose(m->p, rf_html_utf8(m->arena, charset, body));
    else
        rf_prose_exact(m->p, rf_charset_utf8(m->arena, charset, body));
    rf_prose_plain(m->p);
}

/* How much a reader would like an alternative. */
static int worth(struct rf_str part)
{
    struct rf_str head, body, type;

    rf_mime_split(part, &head, &body);
    type = part_type(head);
    if (rf_str_blank(body))
        return 0;
    return rf_str_ieq(type, RF_STR("text/plain"))                                ? 3
           : rf_str_ieq(type, RF_STR("text/html")) || starts(type, "multipart/") ? 2
           : is_text(type)                                                       ? 1
                                                                                 : 0;
}

static void take_alternatives(struct mail *m, struct rf_str body, struct rf_str boundary,
                              enum showing showing)
{
    struct rf_str rest = body, part;
    int best = 0;

    for (int parts = 0; parts < MAX_PARTS && rf_mime_part(&rest, boundary, &part); parts++)
        best = worth(part) > best ? worth(part) : best;
    rest = body;
    while (m->parts < MAX_PARTS && rf_mime_part(&rest, boundary, &part)) {
        bool chosen = best && worth(part) == best;
        take_part(m, part, chosen ? showing : ONLY_ATTACHMENTS);
        best = chosen ? 0 : best;
    }
}

static void take_multipart(struct mail *m, struct rf_str head, struct rf_str body,
                           enum showing showing)
{
    struct rf_str field = rf_mime_field(head, "Content-Type"), part;
    struct rf_str boundary = rf_mime_parameter(m->arena, field, "boundary");

    if (starts(rf_mime_value(field), "multipart/alternative")) {
        take_alternatives(m, body, boundary, showing);
        return;
    }
    while (m->parts < MAX_PARTS && rf_mime_part(&body, boundary, &part))
        take_part(m, part, showing);
}

static void take_message(struct mail *m, struct rf_str head, struct rf_str body,
                         enum showing showing)
{
    struct rf_str encoding = rf_mime_field(head, "Content-Transfer-Encoding"), inner, rest;

    if (showing == ONLY_ATTACHMENTS)
        return;
    body = rf_mime_decode(m->arena, encoding, body);
    rf_mime_split(body, &inner, &rest);
    rf_prose_heading(m->p, 2);
    rf_prose_text(m->p, RF_STR("Message inside"));
    rf_prose_plain(m->p);
    show_head(m, inner);
    take_part(m, body, showing);
}

static void take_known_part(struct mail *m, struct rf_str head, struct rf_str body,
                            enum showing showing)
{
    struct rf_str type = part_type(head);
    bool attached = starts(rf_mime_field(head, "Content-Disposition"), "attachment");

    if (starts(type, "multipart/"))
        take_multipart(m, head, body, showing);
    else if (starts(type, "message/rfc822") || starts(type, "message/global"))
        take_message(m, head, body, showing);
    else if (attached || !is_text(type))
        attach(m, head, body);
    else if (showing == SHOWN)
        show_text(m, head, body);
}

static void take_part(struct mail *m, struct rf_str bytes, enum showing showing)
{
    struct rf_str head, body;

    if (m->depth == MAX_DEPTH || m->parts++ >= MAX_PARTS || rf_md_over(&m->p->md)) {
        m->left_out = true;
        return;
    }
    m->depth++;
    rf_mime_split(bytes, &head, &body);
    take_known_part(m, head, body, showing);
    m->depth--;
}

/* "From someone Sat Jan …" of a mailbox file is no field of the message. */
static struct rf_str without_mailbox_line(struct rf_str bytes)
{
    struct rf_str line, rest = bytes;

    if (rf_str_starts(bytes, "\xef\xbb\xbf"))
        rest = bytes = (struct rf_str){ bytes.p + 3, bytes.n - 3 };
    if (!rf_str_starts(bytes, "From ") && !rf_str_starts(bytes, ">From "))
        return bytes;
    return rf_str_split(&rest, '\n', &line) ? rest : bytes;
}

static void show_attachments(struct mail *m)
{
    if (!m->n)
        return;
    rf_prose_plain(m->p);
    rf_prose_text(m->p, RF_STR("Attachments:"));
    rf_prose_plain(m->p);
    for (size_t i = 0; i < m->n; i++)
        rf_eml_attachment(m->p, m->attachments[i].name, m->attachments[i].type,
                          m->attachments[i].size);
}

static bool has_fields(struct rf_str head)
{
    static const char *const expected[] = {
        "From", "To", "Date", "Subject", "Received", "MIME-Version", "Message-ID", "Content-Type"
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (rf_mime_field(head, expected[i]).n)
            return true;
    return false;
}

void rf_office_eml(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    struct rf_office_range range;
    struct rf_prose p;
    struct mail m = { .p = &p, .arena = ask->arena };
    struct rf_str head, body;

    bytes = without_mailbox_line(bytes);
    rf_mime_split(bytes, &head, &body);
    if (!has_fields(head)) {
        rf_answer_fail(to, RF_EFORMAT, "", "this is no e-mail message: it has no header");
        return;
    }
    rf_answer_fact(to, "pages", "1");
    if (!rf_office_range(ask, 1, &range, to) || range.first == range.end)
        return;
    rf_prose_begin(&p, ask, 1, rf_mime_text(ask->arena, rf_mime_field(head, "Subject")), to);
    show_head(&m, head);
    take_part(&m, bytes, SHOWN);
    show_attachments(&m);
    rf_prose_end(&p);
    rf_answer_fact(to, "attachments", "%zu", m.n);
    if (m.left_out)
        rf_answer_note(to,
                       "parts of the message that are nested too deep, or too many, are left out");
}
