/* Another API's request as a conversation. */
#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "config/names.h"
#include "request/fold.h"
#include "request/request.h"
#include "wire/wire.h"

#define MOST_DIALECTS 16

enum rf_code rf_conversation_take(const struct rf_dialect *d, const struct rf_jval *body,
                                  struct rf_arena *a, struct rf_conversation *out,
                                  struct rf_err *err)
{
    struct rf_builder b;
    rf_builder_init(&b, out, a, d->name);
    enum rf_code rc = d->parse(body, &b, err);
    if (!rc)
        rf_fold_injected(out, a);
    return rc;
}

static enum rf_code parse(const struct rf_dialect *d, struct rf_str text, const char *place,
                          struct rf_arena *a, struct rf_conversation *c, struct rf_err *err)
{
    const struct rf_jval *body;
    enum rf_code rc = rf_jval_parse(text, a, &body, err);
    if (rc && place)
        rf_err_at(err, place);
    return rc ? rc : rf_conversation_take(d, body, a, c, err);
}

enum rf_code rf_dialect_named(const char *name, const struct rf_dialect **out, struct rf_err *err)
{
    struct rf_str given = rf_str(name);
    const char *names[MOST_DIALECTS];
    size_t count = 0;
    *out = rf_dialect_find(given);
    if (*out && (*out)->parse)
        return RF_OK;
    while (count < MOST_DIALECTS && (names[count] = rf_dialect_name(count)))
        count++;
    rf_fail(err, RF_EUSAGE, "there is no dialect \"%.*s\"", RF_FMT(given));
    rf_hint_key(err, given, names, count);
    return RF_EUSAGE;
}

/* `text` lies in `a`, which the conversation takes, also when this fails; `place` is where it came
 * from, or NULL. */
static enum rf_code parse_owned(const struct rf_dialect *d, struct rf_str text, const char *place,
                                struct rf_arena *a, struct rf_conversation **out,
                                struct rf_err *err)
{
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    enum rf_code rc = parse(d, text, place, a, c, err);
    if (rc)
        rf_arena_free(a);
    else
        *out = c;
    return rc;
}

enum rf_code rf_conversation_parse(const char *dialect, struct rf_str text,
                                   struct rf_conversation **out, struct rf_err *err)
{
    const struct rf_dialect *d;
    enum rf_code rc = rf_dialect_named(dialect, &d, err);
    if (rc)
        return rc;
    if (text.n > RF_MAX_DOCUMENT_BYTES)
        return rf_fail(err, RF_ELIMIT, "the request has %zu bytes, limit is %zu", text.n,
                       RF_MAX_DOCUMENT_BYTES);
    struct rf_arena *a = rf_arena_new();
    return parse_owned(d, rf_str_dup(a, text), NULL, a, out, err);
}

enum rf_code rf_conversation_import(const char *dialect, const char *path,
                                    struct rf_conversation **out, struct rf_err *err)
{
    const struct rf_dialect *d;
    struct rf_str text;
    enum rf_code rc = rf_dialect_named(dialect, &d, err);
    if (rc)
        return rc;
    struct rf_arena *a = rf_arena_new();
    rc = rf_input_read(path, RF_MAX_DOCUMENT_BYTES, a, &text, err);
    if (!rc)
        return parse_owned(d, text, strcmp(path, "-") == 0 ? "standard input" : path, a, out, err);
    rf_err_near_file(err, path);
    rf_arena_free(a);
    return rc;
}
