#include "short_schema.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define MOST_FIELDS 200

struct field {
    struct rf_str name, type, about;
    bool list;
};

static const struct {
    const char *name, *json;
} types[] = {
    { "string", "\"type\":\"string\"" },
    { "str", "\"type\":\"string\"" },
    { "int", "\"type\":\"integer\"" },
    { "number", "\"type\":\"number\"" },
    { "float", "\"type\":\"number\"" },
    { "bool", "\"type\":\"boolean\"" },
    { "date", "\"type\":\"string\",\"format\":\"date\"" },
};

static struct rf_str trim(struct rf_str s)
{
    while (s.n && isspace((unsigned char)s.p[0]))
        s = (struct rf_str){ s.p + 1, s.n - 1 };
    while (s.n && isspace((unsigned char)s.p[s.n - 1]))
        s.n--;
    return s;
}

/* What comes before `mark`; what comes after it is left in `s`. */
static struct rf_str cut(struct rf_str *s, char mark)
{
    const char *at = s->n ? memchr(s->p, mark, s->n) : NULL;
    struct rf_str before = { s->p, at ? (size_t)(at - s->p) : s->n };
    size_t used = before.n + (at != NULL);
    *s = (struct rf_str){ s->p + used, s->n - used };
    return before;
}

static bool is_list(struct rf_str *word)
{
    if (word->n < 2 || memcmp(word->p + word->n - 2, "[]", 2) != 0)
        return false;
    word->n -= 2;
    return true;
}

static bool is_name(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (!isalnum(c) && c != '_' && c != '-' && c < 0x80)
            return false;
    }
    return s.n > 0;
}

static const char *json_of(struct rf_str type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == type.n && memcmp(types[i].name, type.p, type.n) == 0)
            return types[i].json;
    return NULL;
}

static enum rf_code read_field(struct rf_str text, struct field *out, struct rf_err *err)
{
    struct rf_str words = trim(cut(&text, ':')), whole = words;
    *out = (struct field){ .about = trim(text), .name = cut(&words, ' '), .type = trim(words) };
    bool named = is_list(&out->name), typed = is_list(&out->type); /* both take the mark off */
    out->list = named || typed;
    if (!out->type.n)
        out->type = rf_text("string");
    if (!is_name(out->name))
        rf_say(err, RF_EUSAGE, "--schema: \"%.*s\" is not a field's name", RF_FMT(whole));
    else if (!json_of(out->type))
        rf_say(err, RF_EUSAGE, "--schema: \"%.*s\" of \"%.*s\" is not a type", RF_FMT(out->type),
               RF_FMT(out->name));
    else
        return RF_OK;
    rf_say_hint(err, "Fields are as in \"vendor, due date, total number, items[]\"; types are "
                     "string, int, number, bool and date.");
    return RF_EUSAGE;
}

static void print_field(FILE *out, const struct field *f)
{
    const char *type = json_of(f->type);
    rf_print_json(out, f->name);
    fputs(":{", out);
    if (f->about.n) {
        fputs("\"description\":", out);
        rf_print_json(out, f->about);
        fputc(',', out);
    }
    fprintf(out, f->list ? "\"type\":\"array\",\"items\":{%s}}" : "%s}", type);
}

static void print_schema(FILE *out, const struct field *fields, size_t count)
{
    fputs("{\"type\":\"object\",\"properties\":{", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        print_field(out, &fields[i]);
    }
    fputs("},\"required\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        rf_print_json(out, fields[i].name);
    }
    fputs("],\"additionalProperties\":false}", out);
}

static bool is_there(const struct field *fields, size_t count, struct rf_str name)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].name.n == name.n && memcmp(fields[i].name.p, name.p, name.n) == 0)
            return true;
    return false;
}

static enum rf_code read_fields(struct rf_str rest, struct field *fields, size_t *count,
                                struct rf_err *err)
{
    char between = memchr(rest.p, '\n', rest.n) ? '\n' : ',';
    while (rest.n) {
        struct rf_str text = trim(cut(&rest, between));
        if (!text.n)
            continue;
        if (*count == MOST_FIELDS) {
            rf_say(err, RF_EUSAGE, "--schema: there are over %d fields", MOST_FIELDS);
            return RF_EUSAGE;
        }
        enum rf_code rc = read_field(text, &fields[*count], err);
        if (rc)
            return rc;
        if (is_there(fields, *count, fields[*count].name)) {
            rf_say(err, RF_EUSAGE, "--schema: the field \"%.*s\" is there twice",
                   RF_FMT(fields[*count].name));
            return RF_EUSAGE;
        }
        ++*count;
    }
    if (*count)
        return RF_OK;
    rf_say(err, RF_EUSAGE, "--schema: there is no field");
    return RF_EUSAGE;
}

enum rf_code rf_short_schema(const char *text, struct rf_str *out, struct rf_err *err)
{
    struct field fields[MOST_FIELDS];
    size_t count = 0, size = 0;
    char *json = NULL;
    enum rf_code rc = read_fields(rf_text(text), fields, &count, err);
    FILE *memory = rc ? NULL : open_memstream(&json, &size);
    if (rc)
        return rc;
    if (!memory)
        abort();
    print_schema(memory, fields, count);
    fclose(memory);
    *out = (struct rf_str){ json, size };
    return RF_OK;
}
