/* PowerPoint 97 to 2003: slides with their texts, notes and comments.
 *
 * The stream is records, nested; a save may append new versions of some. The user's last edit leads
 * to a directory of where each object's current version lies; the document lists the slides in
 * order, with the texts of their placeholders; texts of other shapes are in the slide's own record.
 * Where the directory is broken, the slides are taken as they lie in the stream.
 *
 * In an encrypted presentation the edits and the directory are as they were; each object is
 * encrypted by itself, with a key that its number makes. */
#include "worker/legacy/legacy.h"

#include "base/arena.h"
#include "worker/legacy/blips.h"
#include "worker/legacy/lock.h"
#include "worker/office/charset.h"
#include "worker/office/office.h"
#include "worker/office/prose.h"

#define MAX_SLIDES 5000
#define MAX_OBJECTS 200000
#define MAX_EDITS 2000
#define MAX_DEPTH 24
#define MAX_TEXTS 2000 /* of one slide's placeholders */
#define MAX_RECORDS 2000000
#define TOKEN_ENCRYPTED 0xf3d1c4dfu

enum {
    DOCUMENT = 0x03e8,
    SLIDE = 0x03ee,
    SLIDE_ATOM = 0x03ef,
    NOTES = 0x03f0,
    NOTES_ATOM = 0x03f1,
    SLIDE_PERSIST = 0x03f3,
    OUTLINE_REF = 0x0f9e,
    TEXT_HEADER = 0x0f9f,
    TEXT_CHARS = 0x0fa0,
    TEXT_BYTES = 0x0fa8,
    CSTRING = 0x0fba,
    SLIDE_LIST = 0x0ff0,
    USER_EDIT = 0x0ff5,
    PERSIST_DIRECTORY = 0x1772,
    COMMENT = 0x2ee0,
    ENCRYPTION = 0x2f14,
};

enum text_kind {
    TITLE = 0,
    BODY = 1,
    NOTE = 2,
    OTHER = 4,
    CENTER_BODY = 5,
    CENTER_TITLE = 6,
    HALF_BODY = 7,
    QUARTER_BODY = 8
};

struct record {
    unsigned instance, type;
    bool container;
    struct rf_str body;
};

struct outline {
    uint32_t kind;
    struct rf_str text;
};

struct slide {
    uint32_t persist, id;
    struct rf_str body; /* of its record */
    struct outline *texts;
    size_t n, cap;
};

struct ppt {
    struct rf_arena *arena;
    struct rf_str stream;
    uint32_t *offsets; /* of objects, by their number; 0: none */
    uint32_t lock;     /* the number of the object that says how it is encrypted; 0: it is not */
    struct slide *slides;
    size_t n, cap;
    struct slide *notes;
    size_t notes_n, notes_cap;
    unsigned records; /* looked at so far */
};

/* The record at the front of `rest`, which moves past it. */
static bool next_record(struct rf_str *rest, struct record *r)
{
    if (rest->n < 8)
        return false;
    uint32_t head = rf_at16(*rest, 0);
    *r = (struct record){
        .instance = head >> 4,
        .type = rf_at16(*rest, 2),
        .container = (head & 15) == 15,
        .body = rf_at(*rest, 8, rf_at32(*rest, 4)),
    };
    *rest = rf_at(*rest, 8 + r->body.n, rest->n);
    return true;
}

static bool record_at(const struct ppt *p, uint32_t offset, unsigned type, struct record *r)
{
    struct rf_str rest = rf_at(p->stream, offset, p->stream.n);

    return next_record(&rest, r) && r->type == type;
}

/* Texts are UTF-16, or its low bytes only; paragraphs end with CR, lines with VT. */
static struct rf_str text_of(struct ppt *p, const struct record *r)
{
    struct rf_str s = r->type == TEXT_BYTES ? rf_codepage_utf8(p->arena, 1252, r->body)
                                            : rf_utf16le_utf8(p->arena, r->body);
    char *out = (char *)(uintptr_t)rf_str_dup(p->arena, s).p;

    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)out[i] < 0x20 && out[i] != '\t')
            out[i] = out[i] == '\v' ? '\v' : '\r';
    return (struct rf_str){ out, s.n };
}

static void take_directory(struct ppt *p, struct rf_str body)
{
    for (size_t at = 0; at + 4 <= body.n;) {
        uint32_t first = rf_at32(body, at) & 0xfffff, count = rf_at32(body, at) >> 20;
        at += 4;
        for (uint32_t i = 0; i < count && at + 4 <= body.n; i++, at += 4)
            if (first + i < MAX_OBJECTS && !p->offsets[first + i]) /* the newest edit came first */
                p->offsets[first + i] = rf_at32(body, at);
    }
}

/* Follow the edits from the last to the first; the number of the document's object, or 0. */
static uint32_t read_edits(struct ppt *p, uint32_t offset)
{
    struct record r, directory;
    uint32_t document = 0;

    for (int i = 0; i < MAX_EDITS && record_at(p, offset, USER_EDIT, &r); i++) {
        if (!document) {
            document = rf_at32(r.body, 16);
            p->lock = rf_at32(r.body, 28);
        }
        if (record_at(p, rf_at32(r.body, 12), PERSIST_DIRECTORY, &directory))
            take_directory(p, directory.body);
        uint32_t before = rf_at32(r.body, 8);
        if (before == 0 || before >= offset)
            break;
        offset = before;
    }
    return document;
}

/* All objects that the directory knows; together no more than the stream, whatever they claim. */
static void decrypt(struct ppt *p, const struct rf_rc4_lock *lock)
{
    char *plain = (char *)(uintptr_t)rf_str_dup(p->arena, p->stream).p;
    size_t left = p->stream.n;

    for (uint32_t i = 0; i < MAX_OBJECTS && left > 0; i++) {
        struct rf_str from = rf_at(p->stream, p->offsets[i], p->stream.n), head;
        struct rf_rc4 rc4;
        if (!p->offsets[i] || i == p->lock || from.n < 8)
            continue;
        size_t at = p->offsets[i];
        rf_lock_start(lock, i, &rc4);
        rf_rc4_next(&rc4, from.p, plain + at, 8);
        head = (struct rf_str){ plain + at, 8 };
        size_t n = rf_at(from, 8, rf_at32(head, 4)).n;
        n = n < left ? n : left;
        rf_rc4_next(&rc4, from.p + 8, plain + at + 8, n);
        left -= n;
    }
    p->stream.p = plain;
}

/* Does nothing to one that is not encrypted: `user` says which those are. */
static enum rf_code unlock(struct ppt *p, struct rf_str user, struct rf_str password,
                           struct rf_err *err)
{
    struct rf_rc4_lock lock;
    struct record r;

    if (!p->lock || p->lock >= MAX_OBJECTS || !record_at(p, p->offsets[p->lock], ENCRYPTION, &r))
        return rf_at32(user, 12) == TOKEN_ENCRYPTED ? rf_locked(RF_LOCK_FOREIGN, err) : RF_OK;
    enum rf_code rc = rf_lock_open(&lock, r.body, password, p->arena, err);
    if (rc)
        return rc;
    decrypt(p, &lock);
    rf_lock_close(&lock);
    return RF_OK;
}

static struct slide *add_slide(struct ppt *p, struct slide **list, size_t *n, size_t *cap,
                               struct rf_str body)
{
    if (*n == MAX_SLIDES)
        return NULL;
    struct slide *s = RF_PUSH(p->arena, *list, *n, *cap);
    *s = (struct slide){ .persist = rf_at32(body, 0), .id = rf_at32(body, 12) };
    return s;
}

static void add_text(struct ppt *p, struct slide *s, uint32_t kind, const struct record *r)
{
    if (s && s->n < MAX_TEXTS)
        *RF_PUSH(p->arena, s->texts, s->n, s->cap) = (struct outline){ kind, text_of(p, r) };
}

/* The slides (instance 0) or notes (2), each followed by the texts of its placeholders. */
static void take_list(struct ppt *p, struct rf_str rest, unsigned instance)
{
    struct slide *s = NULL;
    uint32_t kind = OTHER;
    struct record r;

    while (next_record(&rest, &r)) {
        if (r.type == SLIDE_PERSIST && instance == 0)
            s = add_slide(p, &p->slides, &p->n, &p->cap, r.body);
        else if (r.type == SLIDE_PERSIST && instance == 2)
            s = add_slide(p, &p->notes, &p->notes_n, &p->notes_cap, r.body);
        else if (r.type == TEXT_HEADER)
            kind = rf_at32(r.body, 0);
        else if (r.type == TEXT_CHARS || r.type == TEXT_BYTES)
            add_text(p, s, kind, &r);
    }
}

static void find_bodies(struct ppt *p, struct slide *list, size_t n, unsigned type)
{
    struct record r;

    for (size_t i = 0; i < n; i++)
        if (list[i].persist < MAX_OBJECTS && p->offsets[list[i].persist] &&
            record_at(p, p->offsets[list[i].persist], type, &r))
            list[i].body = r.body;
}

static bool read_document(struct ppt *p, uint32_t number)
{
    struct record document, r;

    if (!number || number >= MAX_OBJECTS || !record_at(p, p->offsets[number], DOCUMENT, &document))
        return false;
    while (next_record(&document.body, &r))
        if (r.type == SLIDE_LIST)
            take_list(p, r.body, r.instance);
    find_bodies(p, p->slides, p->n, SLIDE);
    find_bodies(p, p->notes, p->notes_n, NOTES);
    return p->n > 0;
}

/* Without a directory: every slide that lies in the stream. */
static void take_stream(struct ppt *p)
{
    struct rf_str rest = p->stream;
    struct record r;

    while (next_record(&rest, &r)) {
        struct slide *s =
            r.type == SLIDE ? add_slide(p, &p->slides, &p->n, &p->cap, RF_STR("")) : NULL;
        if (s)
            s->body = r.body;
    }
}

static bool is_title(uint32_t kind)
{
    return kind == TITLE || kind == CENTER_TITLE;
}

static void show_text(struct rf_prose *out, uint32_t kind, struct rf_str text)
{
    bool item = kind == BODY || kind == HALF_BODY || kind == QUARTER_BODY;
    struct rf_str line, piece;

    while (rf_str_split(&text, '\r', &line)) {
        if (rf_str_blank(line))
            continue;
        if (is_title(kind))
            rf_prose_heading(out, 1);
        else if (item)
            rf_prose_item(out, 0, 0);
        else
            rf_prose_plain(out);
        while (rf_str_split(&line, '\v', &piece)) {
            rf_prose_text(out, piece);
            rf_prose_line(out);
        }
        rf_prose_plain(out);
    }
}

struct walk {
    struct ppt *p;
    struct rf_prose *out;
    const struct slide *slide;
    bool *used; /* which of the slide's outline texts a shape has shown */
    uint32_t kind;
};

static void show_comment(struct walk *w, struct rf_str rest)
{
    struct rf_str author = RF_STR(""), text = RF_STR("");
    struct record r;

    while (next_record(&rest, &r))
        if (r.type == CSTRING && r.instance == 0)
            author = rf_utf16le_utf8(w->p->arena, r.body);
        else if (r.type == CSTRING && r.instance == 1)
            text = rf_utf16le_utf8(w->p->arena, r.body);
    if (!text.n)
        return;
    rf_prose_plain(w->out);
    rf_prose_text(w->out, rf_strf(w->p->arena, "Comment%s%.*s: %.*s", author.n ? " by " : "",
                                  (int)author.n, author.p, (int)text.n, text.p));
    rf_prose_plain(w->out);
}

static void show_atom(struct walk *w, const struct record *r)
{
    uint32_t index = rf_at32(r->body, 0);

    if (r->type == TEXT_HEADER) {
        w->kind = index;
    } else if (r->type == TEXT_CHARS || r->type == TEXT_BYTES) {
        show_text(w->out, w->kind, text_of(w->p, r));
        w->kind = OTHER;
    } else if (r->type == OUTLINE_REF && w->slide && index < w->slide->n && !w->used[index]) {
        w->used[index] = true;
        show_text(w->out, w->slide->texts[index].kind, w->slide->texts[index].text);
    }
}

/* The texts in a record and in those that it holds. */
static void show_records(struct walk *w, struct rf_str rest, unsigned depth)
{
    struct record r;

    while (depth < MAX_DEPTH && w->p->records++ < MAX_RECORDS && next_record(&rest, &r)) {
        bool binary = r.type == 0x138b; /* holds records, and does not say so */
        bool holder = r.container || r.type == 0xf00d;
        if (r.type == COMMENT)
            show_comment(w, r.body);
        else if (holder || binary)
            show_records(w, r.body, depth + 1);
        else
            show_atom(w, &r);
    }
}

/* The notes of a slide, by the slide's number in their first record. */
static const struct slide *notes_of(const struct ppt *p, const struct slide *s)
{
    for (size_t i = 0; i < p->notes_n; i++) {
        struct rf_str rest = p->notes[i].body;
        struct record r = { 0 };
        while (r.type != NOTES_ATOM && next_record(&rest, &r))
            ;
        if (r.type == NOTES_ATOM && rf_at32(r.body, 0) == s->id && s->id)
            return &p->notes[i];
    }
    return NULL;
}

static void find_notes(struct ppt *p, struct rf_str rest, unsigned depth, struct rf_buf *out)
{
    uint32_t kind = OTHER;
    struct record r;

    while (depth < MAX_DEPTH && p->records++ < MAX_RECORDS && next_record(&rest, &r)) {
        if (r.container || r.type == 0xf00d)
            find_notes(p, r.body, depth + 1, out);
        else if (r.type == TEXT_HEADER)
            kind = rf_at32(r.body, 0);
        else if ((r.type == TEXT_CHARS || r.type == TEXT_BYTES) && kind == NOTE)
            rf_buf_add(out, text_of(p, &r));
    }
}

static void show_notes(struct ppt *p, struct rf_prose *out, const struct slide *s)
{
    const struct slide *notes = notes_of(p, s);
    struct rf_buf b;

    rf_buf_init(&b, p->arena, (size_t)1 << 20);
    if (!notes)
        return;
    for (size_t i = 0; i < notes->n; i++)
        if (notes->texts[i].kind == NOTE)
            rf_buf_add(&b, notes->texts[i].text);
    if (!b.n)
        find_notes(p, notes->body, 0, &b);
    struct rf_str text = { b.p, b.n };
    if (!b.n || rf_str_blank(text))
        return;
    rf_prose_plain(out);
    rf_prose_text(out, RF_STR("Notes: "));
    for (struct rf_str line; rf_str_split(&text, '\r', &line); rf_prose_line(out))
        rf_prose_text(out, line);
    rf_prose_plain(out);
}

/* The first text in these records that is a title's. */
static struct rf_str find_title(struct ppt *p, struct rf_str rest, unsigned depth)
{
    uint32_t kind = OTHER;
    struct record r;

    while (depth < MAX_DEPTH && p->records++ < MAX_RECORDS && next_record(&rest, &r)) {
        struct rf_str found = RF_STR("");
        if (r.container || r.type == 0xf00d)
            found = find_title(p, r.body, depth + 1);
        else if (r.type == TEXT_HEADER)
            kind = rf_at32(r.body, 0);
        else if ((r.type == TEXT_CHARS || r.type == TEXT_BYTES) && is_title(kind))
            found = text_of(p, &r);
        if (found.n)
            return found;
    }
    return RF_STR("");
}

static struct rf_str slide_title(struct ppt *p, const struct slide *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (is_title(s->texts[i].kind))
            return s->texts[i].text;
    return find_title(p, s->body, 0);
}

static void show_slide(struct ppt *p, size_t number, struct rf_figures *pictures)
{
    const struct slide *s = &p->slides[number];
    struct rf_prose out;
    struct walk w = { .p = p, .out = &out, .slide = s, .kind = OTHER };

    w.used = RF_ARRAY(p->arena, bool, s->n + 1);
    rf_prose_begin(&out, pictures, (int64_t)number + 1, slide_title(p, s));
    for (size_t i = 0; i < s->n; i++) /* titles first, wherever their shape lies */
        if (is_title(s->texts[i].kind)) {
            w.used[i] = true;
            show_text(&out, s->texts[i].kind, s->texts[i].text);
        }
    show_records(&w, s->body, 0);
    for (size_t i = 0; i < s->n; i++)
        if (!w.used[i])
            show_text(&out, s->texts[i].kind, s->texts[i].text);
    show_notes(p, &out, s);
    rf_prose_end(&out);
}

void rf_legacy_ppt(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to)
{
    struct ppt p = { .arena = ask->arena };
    struct rf_figures *pictures = rf_figures_new(ask, to);
    struct rf_office_range range;
    struct rf_str user = RF_STR(""), stored;
    struct rf_err err;

    if (!rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "Current User"), &user))
        user = RF_STR("");
    if (!rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "PowerPoint Document"),
                          &p.stream)) {
        rf_answer_fail(to, RF_EFORMAT, "", "the presentation is cut off");
        return;
    }
    p.offsets = RF_ARRAY(ask->arena, uint32_t, MAX_OBJECTS);
    uint32_t document = read_edits(&p, rf_at32(user, 16));
    if (unlock(&p, user, rf_ask_str(ask, "password"), &err)) {
        rf_office_fail(to, &err);
        return;
    }
    if (!read_document(&p, document) && p.n == 0)
        take_stream(&p);
    rf_answer_fact(to, "pages", "%zu", p.n);
    if (p.n == 0)
        rf_answer_note(to, "the presentation has no slides");
    if (!rf_office_range(ask, (int64_t)p.n, &range, to))
        return;
    for (int64_t i = range.first; i < range.end && !rf_answer_over(to); i++) {
        show_slide(&p, (size_t)i, pictures);
        rf_answer_step(to, i + 1 - range.first, range.end - range.first);
    }
    if (range.first == 0 && range.end == (int64_t)p.n && !p.lock &&
        rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "Pictures"), &stored))
        rf_blips_add(pictures, stored, RF_STR(""));
    rf_figures_end(pictures);
}
