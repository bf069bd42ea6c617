/* The arguments of a tool in a line for a person: "  path string, [limit integer]". Those that may
 * be left out stand in brackets; what a schema says beyond names and kinds, it leaves out. */
#include <string.h>

#include <refract/json.h>

#include "mcp_client.h"
#include "term/buffer.h"

static bool is_required(struct rf_jdoc *d, struct rf_str name)
{
    const struct rf_jval *list = rf_jval_get(rf_jdoc_root(d), "required");
    for (size_t i = 0; i < rf_jval_count(list); i++) {
        struct rf_str one = rf_jdoc_text(d, rf_jval_at(list, i));
        if (one.n == name.n && memcmp(one.p, name.p, one.n) == 0)
            return true;
    }
    return false;
}

void rf_mcp_arguments(struct rf_buffer *out, struct rf_str schema)
{
    struct rf_jdoc *d = NULL;
    struct rf_err unseen;
    if (!schema.n || rf_jdoc_read(schema, &d, &unseen))
        return;
    const struct rf_jval *all = rf_jval_get(rf_jdoc_root(d), "properties");
    const char *before = "  ";
    for (const struct rf_jval *k = rf_jval_first(all); k; k = rf_jval_next(all, rf_jval_value(k))) {
        struct rf_str name = rf_jdoc_text(d, k);
        struct rf_str kind = rf_jdoc_text(d, rf_jval_get(rf_jval_value(k), "type"));
        bool required = is_required(d, name);
        rf_buffer_print(out, "%s%s%.*s%s%.*s%s", before, required ? "" : "[", RF_FMT(name),
                        kind.n ? " " : "", RF_FMT(kind), required ? "" : "]");
        before = ", ";
    }
    rf_jdoc_free(d);
}
