/* What Ollama says of its models: /api/show, /api/tags, /api/version. */
#include "base/arena.h"
#include "sim/endpoints.h"
#include "sim/ollama/library.h"
#include "sim/strict.h"

#define VERSION "0.17.4" /* whose source the shapes are from */
#define MODIFIED "2026-01-01T00:00:00Z"
#define BITS_PER_WEIGHT 5 /* of Q4_K_M, about */

static const struct {
    enum rf_sim_ollama_can can;
    const char *word;
} capabilities[] = {
    { RF_SIM_CAN_COMPLETE, "completion" }, { RF_SIM_CAN_EMBED, "embedding" },
    { RF_SIM_CAN_SEE, "vision" },          { RF_SIM_CAN_HEAR, "audio" },
    { RF_SIM_CAN_CALL, "tools" },          { RF_SIM_CAN_THINK, "thinking" },
};

static void write_details(struct rf_json *w, const struct rf_sim_ollama_model *m)
{
    rf_json_obj(w, "details");
    rf_json_str(w, "parent_model", RF_STR(""));
    rf_json_str(w, "format", RF_STR("gguf"));
    rf_json_str(w, "family", rf_str(m->architecture));
    rf_json_arr(w, "families");
    rf_json_str(w, NULL, rf_str(m->architecture));
    rf_json_end(w);
    rf_json_str(w, "parameter_size", rf_str(m->size));
    rf_json_str(w, "quantization_level", RF_STR("Q4_K_M"));
    rf_json_end(w);
}

static void write_info(struct rf_json *w, const struct rf_sim_ollama_model *m, struct rf_arena *a)
{
    rf_json_obj(w, "model_info");
    rf_json_str(w, "general.architecture", rf_str(m->architecture));
    rf_json_int(w, "general.parameter_count", m->parameters);
    rf_json_int(w, rf_strf(a, "%s.context_length", m->architecture).p, m->context_tokens);
    rf_json_int(w, rf_strf(a, "%s.embedding_length", m->architecture).p, m->embedding_length);
    rf_json_end(w);
}

void rf_sim_ollama_show(struct rf_sim_asked *asked)
{
    struct rf_sim_request *r = asked->r;
    struct rf_sim_writer writer;
    if (r->model->name.n == 0) {
        rf_sim_asked_refuse(asked, 400, "model is required");
        return;
    }
    if (!rf_sim_model_exists(r->model)) {
        rf_sim_asked_refuse(asked, 404, "model '%.*s' not found", RF_FMT(r->model->name));
        return;
    }
    struct rf_sim_ollama_model m = rf_sim_ollama_find(r->model, r->arena);
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "modelfile", rf_strf(r->arena, "FROM %s\n", m.name));
    rf_json_str(w, "parameters", RF_STR(""));
    rf_json_str(w, "template", RF_STR("{{ .Prompt }}"));
    write_details(w, &m);
    write_info(w, &m, r->arena);
    rf_json_arr(w, "capabilities");
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if (m.can & capabilities[i].can)
            rf_json_str(w, NULL, rf_str(capabilities[i].word));
    rf_json_end(w);
    rf_json_str(w, "modified_at", RF_STR(MODIFIED));
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

void rf_sim_ollama_tags(struct rf_sim_asked *asked)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    const struct rf_sim_ollama_model *m;
    rf_json_obj(w, NULL);
    rf_json_arr(w, "models");
    for (size_t i = 0; (m = rf_sim_ollama_listed(i)); i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "name", rf_str(m->name));
        rf_json_str(w, "model", rf_str(m->name));
        rf_json_str(w, "modified_at", RF_STR(MODIFIED));
        rf_json_int(w, "size", m->parameters * BITS_PER_WEIGHT / 8);
        rf_json_str(w, "digest", rf_sim_hex(asked->r->arena, 64, rf_sim_hash(rf_str(m->name))));
        write_details(w, m);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

void rf_sim_ollama_version(struct rf_sim_asked *asked)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "version", RF_STR(VERSION));
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}
