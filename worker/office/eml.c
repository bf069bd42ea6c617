/* E-mail: who, when, about what; the text; and which files hang on it.
 *
 * Of alternatives the plain text is taken, or else the HTML as text; messages inside are shown
 * after what carries them. Attachments are named, never opened; those that are pictures stand
 * where HTML shows them, or else in the list. Parts nested deeper than MAX_DEPTH, or more than
 * MAX_PARTS of them, are left out with a note.
 *
 * The message is gone through twice: for what hangs on it, so that the text can refer to it, then
 * for the text. */
#include "worker/office/eml.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "media/declared.h"
#include "worker/office/charset.h"
#include "worker/office/html.h"
#include "worker/office/mime.h"
#include "worker/office/office.h"

#include <strings.h>

#define MAX_DEPTH 16
#define MAX_PARTS 2000
#define LOOK_FOR_CHARSET 65536
#define MAX_SHOWN 4000 /* bytes of a line of the head */

struct attachment {
    struct rf_str name, type, id, bytes;
    bool picture;
};

struct mail {
    struct rf_prose *p;
    struct rf_arena *arena;
    unsigned depth, parts;
    bool left_out;
    struct rf_str charset; /* of the first part that names one, for fields that do not */
    struct rf_recoding told;
    struct attachment *attachments;
    size_t n, cap;
};

enum pass { ATTACHMENTS, TEXT };

static void take_part(struct mail *m, struct rf_str bytes, enum pass pass);

void rf_eml_line(struct rf_prose *p, const char *label, struct rf_str value)
{
    if (!value.n)
        return;
    rf_prose_exact(p, rf_str(label));
    rf_prose_exact(p, RF_STR(": "));
    struct rf_str shown = rf_utf8_cut(value, MAX_SHOWN);
    rf_prose_text(p, shown);
    if (shown.n < value.n)
        rf_prose_text(p, rf_strf(p->md.arena, " [%zu more bytes]", value.n - shown.n));
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
        rf_eml_line(m->p, fields[i],
                    rf_mime_text(m->arena, rf_mime_field(head, fields[i]), m->charset));
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
        .id = rf_str_trim(rf_mime_field(head, "Content-ID")),
        .bytes = rf_mime_decode(m->arena, encoding, body),
    };
    new->picture = rf_figure_is(new->bytes);
    if (!new->name.n && starts(new->type, "message/")) {
        struct rf_str inner, rest;
        rf_mime_split(body, &inner, &rest);
        new->name = rf_mime_text(m->arena, rf_mime_field(inner, "Subject"), m->charset);
    }
}

static void show_text(struct mail *m, struct rf_str head, struct rf_str body)
{
    struct rf_str field = rf_mime_field(head, "Content-Type");
    struct rf_str charset = rf_mime_parameter(m->arena, field, "charset");

    body = rf_mime_decode(m->arena, rf_mime_field(head, "Content-Transfer-Encoding"), body);
    rf_prose_plain(m->p);
    if (rf_str_ieq(part_type(head), RF_STR("text/html")))
        rf_html_prose(m->p, rf_html_utf8(m->arena, charset, body, &m->told));
    else
        rf_prose_exact(m->p, rf_recode(m->arena, charset, body, &m->told));
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

static void show_best(struct mail *m, struct rf_str body, struct rf_str boundary)
{
    struct rf_str rest = body, part;
    int best = 0;

    for (int parts = 0; parts < MAX_PARTS && rf_mime_part(&rest, boundary, &part); parts++)
        best = worth(part) > best ? worth(part) : best;
    rest = body;
    while (best && m->parts < MAX_PARTS && rf_mime_part(&rest, boundary, &part))
        if (worth(part) == best) {
            take_part(m, part, TEXT);
            return;
        }
}

static void take_multipart(struct mail *m, struct rf_str head, struct rf_str body, enum pass pass)
{
    struct rf_str field = rf_mime_field(head, "Content-Type"), part;
    struct rf_str boundary = rf_mime_parameter(m->arena, field, "boundary");

    if (pass == TEXT && starts(rf_mime_value(field), "multipart/alternative")) {
        show_best(m, body, boundary);
        return;
    }
    while (m->parts < MAX_PARTS && rf_mime_part(&body, boundary, &part))
        take_part(m, part, pass);
}

static void take_message(struct mail *m, struct rf_str head, struct rf_str body, enum pass pass)
{
    struct rf_str encoding = rf_mime_field(head, "Content-Transfer-Encoding"), inner, rest;

    body = rf_mime_decode(m->arena, encoding, body);
    rf_mime_split(body, &inner, &rest);
    if (pass == TEXT) {
        rf_prose_heading(m->p, 2);
        rf_prose_text(m->p, RF_STR("Message inside"));
        rf_prose_plain(m->p);
        show_head(m, inner);
    }
    take_part(m, body, pass);
}

static void take_known_part(struct mail *m, struct rf_str head, struct rf_str body, enum pass pass)
{
    struct rf_str type = part_type(head);
    bool attached = starts(rf_mime_field(head, "Content-Disposition"), "attachment");

    if (starts(type, "multipart/"))
        take_multipart(m, head, body, pass);
    else if (starts(type, "message/rfc822") || starts(type, "message/global"))
        take_message(m, head, body, pass);
    else if (pass == ATTACHMENTS && (attached || !is_text(type)))
        attach(m, head, body);
    else if (pass == TEXT && !attached && is_text(type))
        show_text(m, head, body);
}

static void take_part(struct mail *m, struct rf_str bytes, enum pass pass)
{
    struct rf_str head, body;

    if (m->depth == MAX_DEPTH || m->parts++ >= MAX_PARTS || rf_markup_over(&m->p->md)) {
        m->left_out = true;
        return;
    }
    m->depth++;
    rf_mime_split(bytes, &head, &body);
    take_known_part(m, head, body, pass);
    m->depth--;
}

/* "From someone Sat Jan …" of a mailbox file is not a field of the message. */
static struct rf_str without_mailbox_line(struct rf_str bytes)
{
    struct rf_str line, rest = bytes;

    if (rf_str_starts(bytes, "\xef\xbb\xbf"))
        rest = bytes = (struct rf_str){ bytes.p + 3, bytes.n - 3 };
    if (!rf_str_starts(bytes, "From ") && !rf_str_starts(bytes, ">From "))
        return bytes;
    return rf_str_split(&rest, '\n', &line) ? rest : bytes;
}

static struct rf_figure picture_of(const struct mail *m, size_t i)
{
    struct rf_str name = m->attachments[i].name;

    return (struct rf_figure){
        .id = (int64_t)i,
        .name = name.n ? name : rf_strf(m->arena, "picture-%zu", i + 1),
        .bytes = m->attachments[i].bytes,
    };
}

/* "cid:x@y" is the part with the Content-ID "<x@y>". */
static bool find_picture(void *context, struct rf_str src, struct rf_figure *out)
{
    const struct mail *m = context;
    struct rf_str id = starts(src, "cid:") ? (struct rf_str){ src.p + 4, src.n - 4 } : RF_STR("");

    for (size_t i = 0; id.n && i < m->n; i++) {
        struct rf_str own = m->attachments[i].id;
        if (m->attachments[i].picture && own.n == id.n + 2 && memcmp(own.p + 1, id.p, id.n) == 0) {
            *out = picture_of(m, i);
            return true;
        }
    }
    return false;
}

static void show_attachments(struct mail *m)
{
    if (!m->n)
        return;
    rf_prose_plain(m->p);
    rf_prose_text(m->p, RF_STR("Attachments:"));
    rf_prose_plain(m->p);
    for (size_t i = 0; i < m->n; i++) {
        const struct attachment *a = &m->attachments[i];
        struct rf_figure picture = picture_of(m, i);
        if (a->picture)
            rf_figures_add(m->p->md.pictures, &picture);
        rf_eml_attachment(m->p, a->picture ? picture.name : a->name, a->type, a->bytes.n);
    }
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
    struct rf_figures *pictures = rf_figures_new(ask, to);
    struct mail m = { .p = &p, .arena = ask->arena };
    struct rf_str head, body;

    bytes = without_mailbox_line(bytes);
    rf_mime_split(bytes, &head, &body);
    if (!has_fields(head)) {
        rf_answer_fail(to, RF_EFORMAT, "", "this is not an e-mail message: it has no header");
        return;
    }
    rf_answer_fact(to, "pages", "1");
    if (!rf_office_range(ask, 1, &range, to) || range.first == range.end)
        return;
    pictures->find = find_picture;
    pictures->context = &m;
    struct rf_str front = { bytes.p, bytes.n < LOOK_FOR_CHARSET ? bytes.n : LOOK_FOR_CHARSET };
    m.charset = rf_declared_after(front, "charset=");
    rf_prose_begin(&p, pictures, 1,
                   rf_mime_text(ask->arena, rf_mime_field(head, "Subject"), m.charset));
    take_part(&m, bytes, ATTACHMENTS);
    m.parts = 0;
    show_head(&m, head);
    take_part(&m, bytes, TEXT);
    show_attachments(&m);
    rf_prose_end(&p);
    rf_answer_fact(to, "attachments", "%zu", m.n);
    rf_recoding_say(&m.told, to);
    rf_figures_end(pictures);
    if (m.left_out)
        rf_answer_note(to,
                       "parts of the message that are nested too deep, or too many, are left out");
}
