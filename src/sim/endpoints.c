#include "sim/endpoints.h"

#include "base/arena.h"
#include "sim/route.h"

static const struct rf_sim_endpoint endpoints[] = {
    { "ollama", "POST", "*/api/show", NULL, NULL, rf_sim_ollama_show },
    { "ollama", "GET", "*/api/tags", NULL, NULL, rf_sim_ollama_tags },
    { "ollama", "GET", "*/api/version", NULL, NULL, rf_sim_ollama_version },
};

const struct rf_sim_endpoint *rf_sim_endpoint(struct rf_str provider, const char *method,
                                              struct rf_str path, struct rf_arena *a,
                                              struct rf_str *name)
{
    for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++) {
        const struct rf_sim_endpoint *e = &endpoints[i];
        if (strcmp(method, e->method) != 0 || !rf_glob(rf_str(e->provider), provider) ||
            !rf_glob(rf_str(e->path), path))
            continue;
        *name = e->before ? rf_sim_path_name(path, e->before, e->after, a) : RF_STR("");
        return e;
    }
    return NULL;
}

void rf_sim_asked_refuse(struct rf_sim_asked *asked, int status, const char *fmt, ...)
{
    struct rf_sim_refusal refusal = { .status = status };
    va_list ap;
    va_start(ap, fmt);
    refusal.message = rf_strfv(asked->r->arena, fmt, ap);
    va_end(ap);
    asked->r->dialect->refuse(asked->r, &refusal, asked->out);
}
