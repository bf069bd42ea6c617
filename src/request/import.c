/* Another API's request as a conversation. */
#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "config/names.h"
#include "request/fold.h"
#include "wire/wire.h"

#define MOST_DIALECTS 16

static enum rf_code import(const struct rf_dialect *d, const char *path, struct rf_arena *a,
                           struct rf_conversation *c, struct rf_err *err)
{
    const struct rf_jval *body;
    struct rf_builder b;
    struct rf_str text;
    enum rf_code rc = rf_input_read(path, RF_MAX_DOCUMENT_BYTES, a, &text, err);
    if (rc) {
        rf_err_near_file(err, path);
        return rc;
    }
    rc = rf_jval_parse(text, a, &body, err);
    if (rc) {
        rf_err_at(err, strcmp(path, "-") == 0 ? "standard input" : path);
        return rc;
    }
    rf_builder_init(&b, c, a, d->name);
    rc = d->parse(body, &b, err);
    if (!rc)
        rf_fold_injected(c, a);
    return rc;
}

static enum rf_code fail_no_dialect(struct rf_str given, struct rf_err *err)
{
    const char *names[MOST_DIALECTS];
    size_t count = 0;
    while (count < MOST_DIALECTS && (names[count] = rf_dialect_name(count)))
        count++;
    rf_fail(err, RF_EUSAGE, "there is no dialect \"%.*s\"", RF_FMT(given));
    rf_hint_key(err, given, names, count);
    return RF_EUSAGE;
}

enum rf_code rf_conversation_import(const char *dialect, const char *path,
                                    struct rf_conversation **out, struct rf_err *err)
{
    struct rf_str given = rf_str(dialect);
    const struct rf_dialect *d = rf_dialect_find(given);
    if (!d)
        return fail_no_dialect(given, err);
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    enum rf_code rc = import(d, path, a, c, err);
    if (rc)
        rf_arena_free(a);
    else
        *out = c;
    return rc;
}
