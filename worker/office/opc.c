/* The relationships of "a/b.xml" are in "a/_rels/b.xml.rels"; those of the package in
 * "_rels/.rels". */
#include "worker/office/opc.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "worker/office/sax.h"

#define MAX_TARGET 4096
#define MAX_PROPERTY 300

enum { RELATIONSHIP = 1, TITLE, CREATOR };

struct loading {
    struct rf_rels *rels;
    struct rf_arena *arena;
    struct rf_str part;
};

static struct rf_str last_piece(struct rf_str s)
{
    const char *slash = s.n ? memrchr(s.p, '/', s.n) : NULL;
    return slash ? (struct rf_str){ slash + 1, s.n - (size_t)(slash + 1 - s.p) } : s;
}

static void take_rel(void *state, int id, struct rf_sax *x)
{
    struct loading *l = state;
    struct rf_str target = rf_sax_str(x, "Target");

    if (id != RELATIONSHIP || l->rels->n >= RF_MAX_RELS || target.n > MAX_TARGET)
        return;
    struct rf_rel *rel = RF_PUSH(l->arena, l->rels->items, l->rels->n, l->rels->cap);
    rel->id = rf_str_dup(l->arena, rf_sax_str(x, "Id"));
    rel->type = rf_str_dup(l->arena, last_piece(rf_sax_str(x, "Type")));
    rel->external = rf_str_ieq(rf_sax_str(x, "TargetMode"), RF_STR("external"));
    rel->target =
        rel->external ? rf_str_dup(l->arena, target) : rf_unzip_resolve(l->arena, l->part, target);
}

static void nothing(void *state, int id, struct rf_sax *x)
{
    (void)state, (void)id, (void)x;
}

void rf_rels_load(struct rf_rels *rels, struct rf_unzip *zip, struct rf_str part)
{
    static const struct rf_sax_word words[] = { { "Relationship", RELATIONSHIP } };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = take_rel,
        .end = nothing,
    };
    struct rf_arena *a = rf_unzip_arena(zip);
    struct rf_str name = last_piece(part), folder = { part.p, part.n - name.n };
    struct loading loading = { rels, a, part };
    struct rf_err ignored;

    *rels = (struct rf_rels){ 0 };
    struct rf_str path =
        rf_strf(a, "%.*s_rels/%.*s.rels", (int)folder.n, folder.p, (int)name.n, name.p);
    int64_t member = rf_unzip_find(zip, path);
    if (member >= 0)
        (void)rf_sax_member(&grammar, &loading, zip, member, &ignored);
}

const struct rf_rel *rf_rels_find(struct rf_rels *rels, struct rf_str id)
{
    for (size_t i = 0; id.n && i < rels->n; i++) {
        size_t at = (rels->last + i) % rels->n; /* they are mostly used in order */
        if (rf_str_eq(rels->items[at].id, id)) {
            rels->last = at;
            return &rels->items[at];
        }
    }
    return NULL;
}

const struct rf_rel *rf_rels_first(const struct rf_rels *rels, const char *type)
{
    for (size_t i = 0; i < rels->n; i++)
        if (rf_str_is(rels->items[i].type, type))
            return &rels->items[i];
    return NULL;
}

/* Targets are URLs: "image%201.png" may stand for "image 1.png". */
static struct rf_str unescape(struct rf_arena *a, struct rf_str s)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    char *p = rf_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        const char *high = NULL, *low = NULL;
        if (s.p[i] == '%' && s.n - i > 2 && s.p[i + 1] && s.p[i + 2]) {
            high = strchr(digits, s.p[i + 1]);
            low = strchr(digits, s.p[i + 2]);
        }
        if (high && low) {
            p[n++] = (char)((high - digits) % 16 * 16 + (low - digits) % 16);
            i += 2;
        } else {
            p[n++] = s.p[i];
        }
    }
    return (struct rf_str){ p, n };
}

int64_t rf_rels_member(struct rf_unzip *zip, const struct rf_rel *rel)
{
    if (!rel || rel->external)
        return -1;
    int64_t member = rf_unzip_find(zip, rel->target);
    if (member < 0 && memchr(rel->target.p, '%', rel->target.n))
        member = rf_unzip_find(zip, unescape(rf_unzip_arena(zip), rel->target));
    return member;
}

struct rf_str rf_rel_name(const struct rf_rel *rel)
{
    return last_piece(rel->target);
}

struct root {
    char name[32];
};

static void take_root(void *state, int id, struct rf_sax *x)
{
    struct root *root = state;
    const char *name = rf_sax_name(x), *colon = strchr(name, ':');
    size_t n = strlen(colon ? colon + 1 : name);

    (void)id;
    if (n < sizeof root->name)
        memcpy(root->name, colon ? colon + 1 : name, n + 1);
    rf_sax_stop(x);
}

/* Where a damaged package has no relationships: the names that all writers use. */
static int64_t usual_main_part(struct rf_unzip *zip, struct rf_str *part)
{
    static const char *const names[] = { "word/document.xml", "ppt/presentation.xml",
                                         "xl/workbook.xml", "xl/workbook.bin" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *part = rf_str(names[i]);
        int64_t member = rf_unzip_find(zip, *part);
        if (member >= 0)
            return member;
    }
    *part = RF_STR("");
    return -1;
}

int64_t rf_opc_main(struct rf_unzip *zip, struct rf_str *part)
{
    struct rf_rels rels;

    rf_rels_load(&rels, zip, RF_STR(""));
    const struct rf_rel *rel = rf_rels_first(&rels, "officeDocument");
    int64_t member = rf_rels_member(zip, rel);
    if (member < 0)
        return usual_main_part(zip, part);
    *part = rel->target;
    return member;
}

enum rf_code rf_opc_kind(struct rf_unzip *zip, int64_t main, const char **kind, struct rf_err *err)
{
    static const struct rf_sax_grammar grammar = { .start = take_root, .end = nothing };
    struct rf_unzip_member member;
    struct root root = { "" };

    if (rf_unzip_member(zip, main, &member) && rf_str_ends(member.name, ".bin")) {
        *kind = "binary";
        return RF_OK;
    }
    enum rf_code rc = rf_sax_front(&grammar, &root, zip, main, err);
    if (!rc)
        *kind = rf_strf(rf_unzip_arena(zip), "%s", root.name).p;
    return rc;
}

struct properties {
    struct rf_buf text;
    int wanted;
    struct rf_answer *to;
};

static void property_start(void *state, int id, struct rf_sax *x)
{
    struct properties *p = state;
    (void)x;
    p->wanted = id;
    p->text.n = 0;
}

static void property_end(void *state, int id, struct rf_sax *x)
{
    struct properties *p = state;
    struct rf_str text = rf_str_trim((struct rf_str){ p->text.p, p->text.n });
    (void)x;
    if ((id == TITLE || id == CREATOR) && text.n) {
        text = rf_utf8_cut(text, MAX_PROPERTY);
        for (size_t i = 0; i < p->text.n; i++)
            p->text.p[i] = (unsigned char)p->text.p[i] < ' ' ? ' ' : p->text.p[i];
        rf_answer_fact(p->to, id == TITLE ? "title" : "author", "%.*s", (int)text.n, text.p);
    }
    p->wanted = 0;
}

static void property_text(void *state, struct rf_str text)
{
    struct properties *p = state;
    if (p->wanted)
        rf_buf_add(&p->text, text);
}

void rf_opc_properties(struct rf_unzip *zip, struct rf_answer *to)
{
    static const struct rf_sax_word words[] = { { "title", TITLE }, { "creator", CREATOR } };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = property_start,
        .end = property_end,
        .text = property_text,
    };
    struct properties p = { .to = to };
    struct rf_rels rels;
    struct rf_err ignored;

    rf_buf_init(&p.text, rf_unzip_arena(zip), MAX_TARGET);
    rf_rels_load(&rels, zip, RF_STR(""));
    int64_t member = rf_rels_member(zip, rf_rels_first(&rels, "core-properties"));
    if (member >= 0)
        (void)rf_sax_member(&grammar, &p, zip, member, &ignored);
}
