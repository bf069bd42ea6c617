/* qpdf's C API hands out numbers for objects and keeps the objects until they are released; every
 * function here releases all of them when it is done. */
#include "worker/pdf/structure.h"

#include <qpdf/qpdf-c.h>
#include <stdlib.h>

/* Forms in forms that are searched for pictures; what lies deeper is taken for one. */
#define MAX_DEPTH 4
#define MAX_PASSWORD 256 /* no kind of encryption takes a longer one */
#define MAX_OBJECTS 256  /* of one page */
#define MAX_FIELDS 4096  /* of a form that are taken into a part */
#define MAX_FIELD_DEPTH 32

struct rf_structure {
    qpdf_data pdf, part;
    int pages;
    bool damaged;
};

static qpdf_data new_pdf(void)
{
    qpdf_data q = qpdf_init();
    qpdf_silence_errors(q);
    qpdf_set_suppress_warnings(q, QPDF_TRUE);
    return q;
}

/* An error that is not taken is printed at the end. */
static bool failed(qpdf_data q)
{
    return qpdf_get_error(q) != NULL;
}

static void drop(qpdf_data *q)
{
    if (!*q)
        return;
    failed(*q);
    qpdf_cleanup(q);
}

/* Old documents take their passwords in Latin-1. False where it has other characters. */
static bool to_latin1(const char *password, char out[MAX_PASSWORD])
{
    const unsigned char *p = (const unsigned char *)password;
    size_t n = 0;

    for (; *p && n < MAX_PASSWORD - 1; p++, n++) {
        if (*p < 0x80) {
            out[n] = (char)*p;
        } else if ((*p == 0xC2 || *p == 0xC3) && p[1]) {
            out[n] = (char)((*p & 3) << 6 | (p[1] & 0x3F));
            p++;
        } else {
            return false;
        }
    }
    out[n] = '\0';
    return !*p;
}

static bool read_with(qpdf_data *pdf, struct rf_str bytes, const char *password)
{
    *pdf = new_pdf();
    if (!(qpdf_read_memory(*pdf, "document", bytes.p, bytes.n, password) & QPDF_ERRORS))
        return true;
    drop(pdf);
    return false;
}

/* Stricter readers call a file broken whose table of objects had to be rebuilt. */
static bool was_put_together(qpdf_data q)
{
    bool damaged = false;

    while (qpdf_more_warnings(q)) {
        const char *words = qpdf_get_error_message_detail(q, qpdf_next_warning(q));
        damaged = damaged || (words && strstr(words, "reconstruct"));
    }
    return damaged;
}

struct rf_structure *rf_structure_open(struct rf_str bytes, const char *password)
{
    struct rf_structure *s = calloc(1, sizeof *s);
    char latin1[MAX_PASSWORD];

    if (!s)
        return NULL;
    if (!read_with(&s->pdf, bytes, password) &&
        !(password && to_latin1(password, latin1) && read_with(&s->pdf, bytes, latin1)))
        goto out;
    s->pages = qpdf_get_num_pages(s->pdf);
    s->damaged = was_put_together(s->pdf);
    if (!failed(s->pdf) && s->pages > 0)
        return s;
out:
    rf_structure_close(s);
    return NULL;
}

void rf_structure_close(struct rf_structure *s)
{
    if (!s)
        return;
    drop(&s->part);
    drop(&s->pdf);
    free(s);
}

bool rf_structure_damaged(const struct rf_structure *s)
{
    return s->damaged;
}

bool rf_structure_encrypted(const struct rf_structure *s)
{
    return qpdf_is_encrypted(s->pdf);
}

static bool is_name(qpdf_data q, qpdf_oh object, const char *name)
{
    return qpdf_oh_is_name(q, object) && strcmp(qpdf_oh_get_name(q, object), name) == 0;
}

static bool shows_pictures(qpdf_data q, qpdf_oh resources, int depth, int *seen);

static bool is_picture(qpdf_data q, qpdf_oh object, int depth, int *seen)
{
    qpdf_oh dictionary, kind;

    if (!qpdf_oh_is_stream(q, object))
        return false;
    dictionary = qpdf_oh_get_dict(q, object);
    kind = qpdf_oh_get_key(q, dictionary, "/Subtype");
    if (is_name(q, kind, "/Image"))
        return true;
    return is_name(q, kind, "/Form") &&
           shows_pictures(q, qpdf_oh_get_key(q, dictionary, "/Resources"), depth + 1, seen);
}

/* The keys of a dictionary are walked by one cursor a document, so they are gathered before what
 * they name is looked into. */
static bool shows_pictures(qpdf_data q, qpdf_oh resources, int depth, int *seen)
{
    qpdf_oh objects, all[MAX_OBJECTS];
    int count = 0;

    if (!qpdf_oh_is_dictionary(q, resources))
        return false;
    objects = qpdf_oh_get_key(q, resources, "/XObject");
    if (!qpdf_oh_is_dictionary(q, objects))
        return false;
    if (depth > MAX_DEPTH)
        return true;
    qpdf_oh_begin_dict_key_iter(q, objects);
    while (qpdf_oh_dict_more_keys(q) && count < MAX_OBJECTS)
        all[count++] = qpdf_oh_get_key(q, objects, qpdf_oh_dict_next_key(q));
    for (int i = 0; i < count; i++)
        if (++*seen > MAX_OBJECTS || is_picture(q, all[i], depth, seen))
            return true;
    return false;
}

bool rf_structure_pictures(struct rf_structure *s, int page)
{
    int seen = 0;
    bool found;
    qpdf_oh object;

    if (page < 0 || page >= s->pages)
        return true;
    object = qpdf_get_page_n(s->pdf, (size_t)page);
    found = shows_pictures(s->pdf, qpdf_oh_get_key(s->pdf, object, "/Resources"), 0, &seen);
    qpdf_oh_release_all(s->pdf);
    return failed(s->pdf) || found;
}

/* Forms */

struct fields {
    int ids[MAX_FIELDS];
    int count;
    qpdf_oh array;
};

static void add_field(qpdf_data q, qpdf_oh field, struct fields *all)
{
    int id = qpdf_oh_get_object_id(q, field);

    for (int i = 0; i < all->count; i++)
        if (all->ids[i] == id)
            return;
    if (!id || all->count == MAX_FIELDS)
        return;
    all->ids[all->count++] = id;
    qpdf_oh_append_item(q, all->array, field);
}

/* The field that a widget on a page belongs to, with all its ancestors. */
static qpdf_oh field_of(qpdf_data q, qpdf_oh widget)
{
    for (int depth = 0; depth < MAX_FIELD_DEPTH; depth++) {
        qpdf_oh parent = qpdf_oh_get_key(q, widget, "/Parent");
        if (!qpdf_oh_is_dictionary(q, parent))
            break;
        widget = parent;
    }
    return widget;
}

static void add_fields(qpdf_data q, qpdf_oh page, struct fields *all)
{
    qpdf_oh remarks = qpdf_oh_get_key(q, page, "/Annots");
    int count = qpdf_oh_is_array(q, remarks) ? qpdf_oh_get_array_n_items(q, remarks) : 0;

    for (int i = 0; i < count && all->count < MAX_FIELDS; i++) {
        qpdf_oh remark = qpdf_oh_get_array_item(q, remarks, i);
        if (qpdf_oh_is_dictionary(q, remark) &&
            is_name(q, qpdf_oh_get_key(q, remark, "/Subtype"), "/Widget"))
            add_field(q, field_of(q, remark), all);
    }
}

/* Of a form, the fields that are on these pages. XFA is the whole form once more, in another
 * language. */
static void trim_form(qpdf_data q, qpdf_oh form)
{
    struct fields all = { .array = qpdf_oh_new_array(q) };
    int pages = qpdf_get_num_pages(q);

    for (int i = 0; i < pages; i++)
        add_fields(q, qpdf_get_page_n(q, (size_t)i), &all);
    qpdf_oh_replace_key(q, form, "/Fields", all.array);
    qpdf_oh_remove_key(q, form, "/XFA");
}

/* Parts */

/* A key of the catalogue, copied; false where it is not there. */
static bool copy_key(struct rf_structure *s, const char *key, qpdf_oh *copy)
{
    qpdf_oh value = qpdf_oh_get_key(s->pdf, qpdf_get_root(s->pdf), key);

    if (!qpdf_oh_is_dictionary(s->pdf, value))
        return false;
    if (!qpdf_oh_is_indirect(s->pdf, value))
        value = qpdf_make_indirect_object(s->pdf, value);
    *copy = qpdf_oh_copy_foreign_object(s->part, s->pdf, value);
    if (failed(s->part) || failed(s->pdf))
        return false;
    qpdf_oh_replace_key(s->part, qpdf_get_root(s->part), key, *copy);
    return true;
}

/* What of the whole document the pages need in order to look the same: which layers are shown, and
 * the fonts and values of forms. */
static void copy_shared(struct rf_structure *s)
{
    qpdf_oh copy;

    copy_key(s, "/OCProperties", &copy);
    if (copy_key(s, "/AcroForm", &copy))
        trim_form(s->part, copy);
    failed(s->part); /* a broken form does not fail the page */
}

static bool write_part(struct rf_structure *s, struct rf_str *pdf)
{
    if (qpdf_init_write_memory(s->part) & QPDF_ERRORS)
        return false;
    qpdf_set_object_stream_mode(s->part, qpdf_o_generate);
    qpdf_set_preserve_encryption(s->part, QPDF_FALSE);
    qpdf_set_deterministic_ID(s->part, QPDF_TRUE);
    if (qpdf_write(s->part) & QPDF_ERRORS)
        return false;
    *pdf =
        (struct rf_str){ (const char *)qpdf_get_buffer(s->part), qpdf_get_buffer_length(s->part) };
    return true;
}

bool rf_structure_part(struct rf_structure *s, int first, int end, struct rf_str *pdf)
{
    bool ok = first >= 0 && first < end && end <= s->pages;

    drop(&s->part);
    s->part = new_pdf();
    ok = ok && !(qpdf_empty_pdf(s->part) & QPDF_ERRORS);
    for (int i = first; ok && i < end; i++) {
        qpdf_oh page = qpdf_get_page_n(s->pdf, (size_t)i);
        ok = !failed(s->pdf) && !(qpdf_add_page(s->part, s->pdf, page, QPDF_FALSE) & QPDF_ERRORS);
    }
    if (ok)
        copy_shared(s);
    ok = ok && write_part(s, pdf);
    qpdf_oh_release_all(s->pdf);
    return ok;
}
