#include "store/postgres_values.h"

#include "base/utf8.h"

/* Of the server's table pg_type; they never change. */
enum {
    TYPE_BOOL = 16,
    TYPE_BYTES = 17,
    TYPE_NAME = 19,
    TYPE_INT8 = 20,
    TYPE_INT2 = 21,
    TYPE_INT4 = 23,
    TYPE_TEXT = 25,
    TYPE_OID = 26,
    TYPE_VARCHAR = 1043,
};

static void bind_number(int64_t number, struct rf_pg_values *out, int at)
{
    for (int i = 0; i < 8; i++)
        out->numbers[at][i] = (unsigned char)((uint64_t)number >> (56 - 8 * i));
    out->types[at] = TYPE_INT8;
    out->values[at] = (const char *)out->numbers[at];
    out->lengths[at] = 8;
}

static enum rf_code bind_text(const struct rf_sql_value *v, struct rf_pg_values *out, int at,
                              struct rf_err *err)
{
    struct rf_str t = v->text;
    if (t.n > INT32_MAX)
        return rf_fail(err, RF_ELIMIT, "a text of %zu bytes is too long for the store", t.n);
    if (v->type == RF_SQL_TEXT && t.n && (memchr(t.p, 0, t.n) || rf_utf8_valid(t) != t.n))
        return rf_fail(err, RF_EFORMAT, "a text for the store is not UTF-8, or has a NUL in it");
    out->types[at] = v->type == RF_SQL_TEXT ? TYPE_TEXT : TYPE_BYTES;
    out->values[at] = t.n ? t.p : "";
    out->lengths[at] = (int)t.n;
    return RF_OK;
}

enum rf_code rf_pg_bind(const struct rf_sql_value *values, size_t count, struct rf_pg_values *out,
                        struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    if (count > RF_PG_MOST_VALUES)
        RF_BUG("a statement has too many values");
    out->count = (int)count;
    for (int i = 0; !rc && i < out->count; i++) {
        out->formats[i] = 1;
        switch (values[i].type) {
        case RF_SQL_NULL:
            out->types[i] = 0;
            out->values[i] = NULL;
            out->lengths[i] = 0;
            break;
        case RF_SQL_NUMBER:
            bind_number(values[i].number, out, i);
            break;
        case RF_SQL_TEXT:
        case RF_SQL_BYTES:
            rc = bind_text(&values[i], out, i, err);
            break;
        }
    }
    return rc;
}

static int64_t read_number(const char *p, int n)
{
    uint64_t value = n > 0 && (p[0] & 0x80) ? UINT64_MAX : 0; /* the sign */
    for (int i = 0; i < n; i++)
        value = value << 8 | (unsigned char)p[i];
    return (int64_t)value;
}

enum rf_code rf_pg_column(const PGresult *r, int at, struct rf_sql_value *out, struct rf_err *err)
{
    const char *p = rf_pq.getvalue(r, 0, at);
    int n = rf_pq.getlength(r, 0, at);
    Oid type = rf_pq.ftype(r, at);
    *out = (struct rf_sql_value){ .text = RF_STR("") };
    if (rf_pq.getisnull(r, 0, at))
        return RF_OK;
    switch (type) {
    case TYPE_BOOL:
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_INT8:
        *out = rf_sql_number(read_number(p, n));
        out->text = RF_STR("");
        return RF_OK;
    case TYPE_OID:
        *out = rf_sql_number(read_number(p, n) & UINT32_MAX);
        out->text = RF_STR("");
        return RF_OK;
    case TYPE_TEXT:
    case TYPE_NAME:
    case TYPE_VARCHAR:
    case TYPE_BYTES:
        *out = rf_sql_text((struct rf_str){ p, (size_t)n });
        return RF_OK;
    default: /* numbers of the server's own, not an enum of ours */
        return rf_fail(err, RF_EFORMAT, "column %d of an answer has a type (%u) that no store has",
                       at + 1, (unsigned)type);
    }
}
