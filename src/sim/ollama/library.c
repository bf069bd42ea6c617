#include "sim/ollama/library.h"

#include "base/arena.h"

#define TEXT RF_SIM_CAN_COMPLETE
#define SEE RF_SIM_CAN_SEE
#define HEAR RF_SIM_CAN_HEAR
#define CALL RF_SIM_CAN_CALL
#define THINK RF_SIM_CAN_THINK

/* As the library has them, but for the last: a text model with a name like a vision model's. */
static const struct rf_sim_ollama_model models[] = {
    { "llama3.2:latest", "llama", "3.2B", 3212749888, 131072, 3072, TEXT | CALL },
    { "llama3.1:8b", "llama", "8.0B", 8030261312, 131072, 4096, TEXT | CALL },
    { "llama3:8b", "llama", "8.0B", 8030261248, 8192, 4096, TEXT },
    { "llama3.2-vision:11b", "mllama", "10.7B", 10670220835, 131072, 4096, TEXT | SEE },
    { "llava:13b", "llama", "13B", 13015866880, 4096, 5120, TEXT | SEE },
    { "gemma3:4b", "gemma3", "4.3B", 4299915632, 131072, 2560, TEXT | SEE },
    { "gemma4:12b", "gemma4", "12B", 12000000000, 262144, 3840, TEXT | SEE | HEAR | CALL | THINK },
    { "mistral-small3.2:24b", "mistral3", "24.0B", 24011361280, 131072, 5120, TEXT | SEE | CALL },
    { "qwen2.5vl:7b", "qwen25vl", "8.3B", 8292166656, 128000, 3584, TEXT | SEE },
    { "qwen3-vl:8b", "qwen3vl", "8.8B", 8767123696, 262144, 4096, TEXT | SEE | CALL | THINK },
    { "qwen3:8b", "qwen3", "8.2B", 8190735360, 40960, 4096, TEXT | CALL | THINK },
    { "deepseek-r1:8b", "qwen3", "8.2B", 8190735360, 131072, 4096, TEXT | CALL | THINK },
    { "gpt-oss:20b", "gptoss", "20.9B", 20914757184, 131072, 2880, TEXT | CALL | THINK },
    { "phi4:14b", "phi3", "14.7B", 14659507200, 16384, 5120, TEXT },
    { "nomic-embed-text:latest", "nomic-bert", "137M", 136727040, 2048, 768, RF_SIM_CAN_EMBED },
    { "llava-tiny:latest", "llama", "8.3M", 8300000, 4096, 64, TEXT },
};

#define UNLISTED_CONTEXT 131072

const struct rf_sim_ollama_model *rf_sim_ollama_listed(size_t i)
{
    return i < sizeof models / sizeof *models ? &models[i] : NULL;
}

static struct rf_str untagged(struct rf_str name)
{
    struct rf_str base = name;
    rf_str_split(&name, ':', &base);
    return base;
}

struct rf_str rf_sim_ollama_tagged(struct rf_str name, struct rf_arena *a)
{
    return memchr(name.p, ':', name.n) ? name : rf_strf(a, "%.*s:latest", RF_FMT(name));
}

struct rf_sim_ollama_model rf_sim_ollama_find(const struct rf_model *m, struct rf_arena *a)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (rf_str_eq(untagged(rf_str(models[i].name)), untagged(m->name)))
            return models[i];
    const struct rf_caps *caps = &m->caps;
    return (struct rf_sim_ollama_model){
        .name = rf_cstr(a, rf_sim_ollama_tagged(m->name, a)),
        .architecture = "llama",
        .size = "8.0B",
        .parameters = 8030261248,
        .context_tokens = caps->context_tokens ? caps->context_tokens : UNLISTED_CONTEXT,
        .embedding_length = 4096,
        .can = TEXT | CALL | (caps->takes[RF_KIND_IMAGE] ? SEE : 0) |
               (caps->takes[RF_KIND_AUDIO] ? HEAR : 0) |
               (rf_caps_thinks_when_asked(caps) ? THINK : 0),
    };
}
