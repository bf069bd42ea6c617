/* What was learned as JSON, both ways. Decimals are spelled and read here, since those of the C
 * library depend on the locale of the program that we are part of. */
#include "config/learned.h"

#include "base/arena.h"
#include "base/json_write.h"

#include <inttypes.h>
#include <stddef.h>

#define VERSION 1
#define DESCRIBED "described"
#define MAX_ENTRIES 10000 /* of a list; we write far fewer */
#define MILLION 1000000
#define MOST 1e12

/* Numbers */

static struct rf_str spell(double value, struct rf_arena *a)
{
    if (!(value > -MOST)) /* also what is not a number */
        value = -MOST;
    if (value > MOST)
        value = MOST;
    int64_t millionths = (int64_t)(value * MILLION + (value < 0 ? -0.5 : 0.5));
    uint64_t size = millionths < 0 ? -(uint64_t)millionths : (uint64_t)millionths;
    return rf_strf(a, "%s%" PRIu64 ".%06" PRIu64, millionths < 0 ? "-" : "", size / MILLION,
                   size % MILLION);
}

/* "-12.5"; no exponents, since we write none. */
static bool read_decimal(struct rf_str text, double *out)
{
    double value = 0, scale = 1;
    bool negative = text.n && text.p[0] == '-', fraction = false;
    for (size_t i = negative; i < text.n; i++) {
        if (text.p[i] == '.') {
            fraction = true;
            continue;
        }
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        value = value * 10 + (text.p[i] - '0');
        scale *= fraction ? 10 : 1;
    }
    value /= scale;
    *out = negative ? -value : value;
    return value <= MOST;
}

/* Reading */

static enum rf_code read_value(const struct rf_jval *v, const struct rf_jpath *path,
                               struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    switch (v->type) {
    case RF_JNUMBER:
        *out = v->raw;
        return RF_OK;
    case RF_JSTRING:
        *out = rf_jval_text(v, a);
        return RF_OK;
    case RF_JTRUE:
    case RF_JFALSE:
        *out = v->type == RF_JTRUE ? RF_STR("yes") : RF_STR("no");
        return RF_OK;
    case RF_JNULL:
    case RF_JARRAY:
    case RF_JOBJECT:
        break;
    }
    return rf_fail_at(err, RF_EFORMAT, path, "expected a value");
}

static enum rf_code read_fact(const struct rf_jval *v, const struct rf_jpath *path,
                              struct rf_learned *l, struct rf_err *err)
{
    struct entry {
        struct rf_learned_fact fact;
        const struct rf_jval *value;
        struct rf_str source;
    } entry = { 0 };
    static const struct rf_jfield fields[] = {
        { "provider", RF_FIELD_STR, offsetof(struct entry, fact.provider), true },
        { "model", RF_FIELD_STR, offsetof(struct entry, fact.model), true },
        { "fact", RF_FIELD_STR, offsetof(struct entry, fact.fact), true },
        { "value", RF_FIELD_VALUE, offsetof(struct entry, value), true },
        { "date", RF_FIELD_STR, offsetof(struct entry, fact.date), false },
        { "words", RF_FIELD_STR, offsetof(struct entry, fact.words), false },
        { "address", RF_FIELD_STR, offsetof(struct entry, fact.address), false },
        { "source", RF_FIELD_STR, offsetof(struct entry, source), false },
    };
    enum rf_code rc =
        rf_jval_fields(v, path, fields, sizeof fields / sizeof *fields, l->arena, &entry, err);
    entry.fact.described = rf_str_is(entry.source, DESCRIBED);
    if (!rc)
        rc = read_value(entry.value, path, l->arena, &entry.fact.value, err);
    if (!rc)
        *RF_PUSH(l->arena, l->facts, l->fact_count, l->fact_cap) = entry.fact;
    return rc;
}

static enum rf_code read_number(const struct rf_jval *v, const struct rf_jpath *path,
                                struct rf_learned *l, struct rf_err *err)
{
    struct entry {
        struct rf_learned_number number;
        const struct rf_jval *value;
    } entry = { 0 };
    static const struct rf_jfield fields[] = {
        { "provider", RF_FIELD_STR, offsetof(struct entry, number.provider), true },
        { "model", RF_FIELD_STR, offsetof(struct entry, number.model), true },
        { "key", RF_FIELD_STR, offsetof(struct entry, number.key), true },
        { "value", RF_FIELD_VALUE, offsetof(struct entry, value), true },
        { "date", RF_FIELD_STR, offsetof(struct entry, number.date), false },
        { "address", RF_FIELD_STR, offsetof(struct entry, number.address), false },
    };
    enum rf_code rc =
        rf_jval_fields(v, path, fields, sizeof fields / sizeof *fields, l->arena, &entry, err);
    if (rc)
        return rc;
    if (entry.value->type != RF_JNUMBER || !read_decimal(entry.value->raw, &entry.number.value))
        return rf_fail_at(err, RF_EFORMAT, path, "expected a number");
    *RF_PUSH(l->arena, l->numbers, l->number_count, l->number_cap) = entry.number;
    return RF_OK;
}

static enum rf_code read_list(const struct rf_jval *list, const char *name, struct rf_learned *l,
                              enum rf_code (*read_entry)(const struct rf_jval *,
                                                         const struct rf_jpath *,
                                                         struct rf_learned *, struct rf_err *),
                              struct rf_err *err)
{
    struct rf_jpath up = { NULL, name, 0 }, path = { &up, NULL, 0 };
    enum rf_code rc = RF_OK;
    if (!list)
        return RF_OK;
    if (list->count > MAX_ENTRIES)
        return rf_fail_at(err, RF_EFORMAT, &up, "more than %d entries", MAX_ENTRIES);
    const struct rf_jval *v = rf_jval_first(list);
    for (; v && !rc; v = rf_jval_next(list, v), path.index++)
        rc = read_entry(v, &path, l, err);
    return rc;
}

static enum rf_code check_version(int64_t version, struct rf_err *err)
{
    if (version == VERSION)
        return RF_OK;
    if (version < VERSION)
        return rf_fail(err, RF_EFORMAT, "it has no version");
    rf_fail(err, RF_ECONFIG, "it is of version %" PRId64 ", which is newer than this program",
            version);
    rf_hint(err, "Use the newer refract, or move the file away.");
    return RF_ECONFIG;
}

enum rf_code rf_learned_parse(struct rf_str text, struct rf_learned *l, struct rf_err *err)
{
    struct document {
        int64_t version;
        const struct rf_jval *facts, *calibration;
    } document = { 0 };
    static const struct rf_jfield fields[] = {
        { "version", RF_FIELD_INT, offsetof(struct document, version), false },
        { "facts", RF_FIELD_ARRAY, offsetof(struct document, facts), false },
        { "calibration", RF_FIELD_ARRAY, offsetof(struct document, calibration), false },
    };
    const struct rf_jval *root;
    enum rf_code rc = rf_jval_parse(text, l->arena, &root, err);
    if (!rc && root->type != RF_JOBJECT)
        rc = rf_fail(err, RF_EFORMAT, "it is not a JSON object");
    if (!rc)
        rc = rf_jval_fields(root, NULL, fields, 1, l->arena, &document, err);
    if (!rc)
        rc = check_version(document.version, err);
    if (!rc) /* a newer version may have anything there */
        rc = rf_jval_fields(root, NULL, fields + 1, 2, l->arena, &document, err);
    if (!rc)
        rc = read_list(document.facts, "facts", l, read_fact, err);
    if (!rc)
        rc = read_list(document.calibration, "calibration", l, read_number, err);
    return rc;
}

/* Writing */

static void write_value(struct rf_json *w, struct rf_str value)
{
    int64_t number;
    if (rf_str_int64(value, &number))
        rf_json_int(w, "value", number);
    else
        rf_json_str(w, "value", value);
}

static void write_fact(struct rf_json *w, const struct rf_learned_fact *f)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "provider", f->provider);
    rf_json_str(w, "model", f->model);
    rf_json_str(w, "fact", f->fact);
    write_value(w, f->value);
    rf_json_str(w, "date", f->date);
    rf_json_str(w, "words", f->words);
    rf_json_str_opt(w, "address", f->address);
    if (f->described)
        rf_json_str(w, "source", RF_STR(DESCRIBED));
    rf_json_end(w);
}

static void write_number(struct rf_json *w, const struct rf_learned_number *n, struct rf_arena *a)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "provider", n->provider);
    rf_json_str(w, "model", n->model);
    rf_json_str(w, "key", n->key);
    rf_json_raw(w, "value", spell(n->value, a));
    rf_json_str(w, "date", n->date);
    rf_json_str_opt(w, "address", n->address);
    rf_json_end(w);
}

struct rf_str rf_learned_format(const struct rf_learned *l)
{
    struct rf_json *w = RF_NEW(l->arena, struct rf_json);
    struct rf_rope rope;
    struct rf_str text;
    rf_rope_init(&rope, l->arena);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    rf_json_int(w, "version", VERSION);
    rf_json_arr(w, "facts");
    for (size_t i = 0; i < l->fact_count; i++)
        write_fact(w, &l->facts[i]);
    rf_json_end(w);
    rf_json_arr(w, "calibration");
    for (size_t i = 0; i < l->number_count; i++)
        write_number(w, &l->numbers[i], l->arena);
    rf_json_end(w);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, l->arena, &text, NULL))
        RF_BUG("what was learned could not be written to memory");
    return rf_str_join(l->arena, text, RF_STR("\n"));
}
