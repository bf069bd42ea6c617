#include "sim/strict.h"

#include "base/arena.h"

/* One of the members that a text describes. */
struct member {
    struct rf_str name;
    unsigned types;
    bool required;
};

static unsigned type_of(char letter)
{
    static const struct {
        char letter;
        unsigned types;
    } letters[] = {
        { 's', RF_SIM_STRING }, { 'n', RF_SIM_NUMBER }, { 'b', RF_SIM_BOOL },
        { 'a', RF_SIM_ARRAY },  { 'o', RF_SIM_OBJECT }, { '*', RF_SIM_ANY },
    };
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter)
            return letters[i].types;
    RF_BUG("a letter that is not a type");
}

/* The next one of `rest`; false at its end. */
static bool next_member(struct rf_str *rest, struct member *out)
{
    struct rf_str types;
    if (!rf_str_split(rest, ' ', &types))
        return false;
    *out = (struct member){ 0 };
    rf_str_split(&types, ':', &out->name);
    out->required = rf_str_ends(types, "!");
    for (size_t i = 0; i < types.n - out->required; i++)
        out->types |= type_of(types.p[i]);
    if (!out->required)
        out->types |= RF_SIM_NULL;
    return true;
}

static bool find(const char *members, struct rf_str name, struct member *out)
{
    struct rf_str rest = rf_str(members);
    while (next_member(&rest, out))
        if (rf_str_eq(out->name, name))
            return true;
    return false;
}

struct rf_sim_wrong rf_sim_members(const struct rf_jval *object, const char *members,
                                   struct rf_arena *a)
{
    struct rf_sim_wrong unknown = { 0 };
    struct rf_str rest = rf_str(members);
    struct member m;
    while (next_member(&rest, &m))
        if (m.required && !rf_jval_get(object, rf_cstr(a, m.name)))
            return (struct rf_sim_wrong){ .fault = RF_SIM_MISSING, .name = m.name };
    const struct rf_jval *key = rf_jval_first(object);
    for (; key; key = rf_jval_next(object, key + 1)) {
        struct rf_str name = rf_jval_text(key, a);
        bool known = find(members, name, &m);
        if (known && !(m.types & 1u << key[1].type))
            return (struct rf_sim_wrong){ RF_SIM_WRONG_TYPE, name, m.types, key[1].type };
        if (!known && !unknown.fault)
            unknown = (struct rf_sim_wrong){ .fault = RF_SIM_UNKNOWN, .name = name };
    }
    return unknown;
}

struct rf_str rf_sim_text(const struct rf_sim_request *r, const struct rf_jval *v)
{
    return v && v->type == RF_JSTRING ? rf_jval_text(v, r->arena) : RF_STR("");
}

struct rf_str rf_sim_get(const struct rf_sim_request *r, const struct rf_jval *object,
                         const char *name)
{
    return rf_sim_text(r, rf_jval_get(object, name));
}

bool rf_sim_one_of(struct rf_str v, const char *words)
{
    struct rf_str rest = rf_str(words), word;
    while (rf_str_split(&rest, ' ', &word))
        if (rf_str_eq(word, v))
            return true;
    return false;
}

/* URLs */

bool rf_sim_data_url(struct rf_str url, struct rf_str *mime, struct rf_str *base64)
{
    if (!rf_str_starts(url, "data:"))
        return false;
    const char *comma = memchr(url.p, ',', url.n);
    if (!comma)
        return false;
    struct rf_str head = { url.p + 5, (size_t)(comma - url.p) - 5 };
    if (!rf_str_ends(head, ";base64"))
        return false;
    head.n -= strlen(";base64");
    const char *semicolon = memchr(head.p, ';', head.n);
    *mime = (struct rf_str){ head.p, semicolon ? (size_t)(semicolon - head.p) : head.n };
    *base64 = (struct rf_str){ comma + 1, (size_t)(url.p + url.n - comma) - 1 };
    return true;
}

bool rf_sim_is_web_url(struct rf_str url)
{
    return rf_str_starts(url, "https://") || rf_str_starts(url, "http://");
}

/* Names of models */

#define GEMINI_WORDS                                                                            \
    "gemini pro flash lite nano ultra image preview exp latest thinking live tts native audio " \
    "dialog computer use customtools embedding"
#define GPT_WORDS                                                                        \
    "gpt mini nano pro chat latest codex max turbo audio search preview image realtime " \
    "transcribe tts instruct vision oss deep research sol luna terra"

static const struct {
    const char *provider;
    const char *like;  /* names of the vendor's own */
    const char *words; /* of which they are made; numbers always are */
    bool closed;       /* there is no other model but the catalogue's families */
} vendors[] = {
    { "google", "gemini-*", GEMINI_WORDS, false },
    { "vertex", "gemini-*", GEMINI_WORDS, false },
    { "openai", "gpt-*", GPT_WORDS, false },
    { "openai-chat", "gpt-*", GPT_WORDS, false },
    { "groq", "llama-*", "llama versatile instant specdec vision preview guard prompt", true },
};

/* Words of a name are what stands between its hyphens; one that begins with a digit, or with a
 * letter and a digit ("4o", "o3", "v2"), is a version. */
static bool is_version(struct rf_str word)
{
    return (word.n > 0 && rf_is_digit(word.p[0])) || (word.n > 1 && rf_is_digit(word.p[1]));
}

static bool made_of(struct rf_str name, const char *words)
{
    struct rf_str word;
    while (rf_str_split(&name, '-', &word))
        if (!is_version(word) && !rf_sim_one_of(word, words))
            return false;
    return true;
}

/* Hosts of open models that no family of the catalogue names. */
static bool is_hosted(struct rf_str name)
{
    static const char *const like[] = { "*/*",       "compound*", "deepseek-*", "gemma*",
                                        "mistral-*", "whisper-*", "allam-*",    "playai-*" };
    for (size_t i = 0; i < sizeof like / sizeof *like; i++)
        if (rf_glob(rf_str(like[i]), name))
            return true;
    return false;
}

bool rf_sim_model_exists(const struct rf_model *m)
{
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        if (!rf_str_is(m->provider, vendors[i].provider))
            continue;
        if (rf_glob(rf_str(vendors[i].like), m->name))
            return made_of(m->name, vendors[i].words);
        return !vendors[i].closed || m->known || is_hosted(m->name);
    }
    return rf_sim_knows(m);
}

/* Pictures */

enum rf_sim_picture rf_sim_picture(const struct rf_caps *caps, struct rf_str bytes,
                                   const struct rf_format *format, struct rf_facts *facts)
{
    if (!format || !rf_mime_in(caps->user[RF_KIND_IMAGE], rf_str(format->mime)))
        return RF_SIM_PICTURE_FORMAT;
    if (!rf_sim_facts(bytes, format, facts))
        return RF_SIM_PICTURE_BROKEN;
    if (caps->max_image_bytes && bytes.n > (uint64_t)caps->max_image_bytes)
        return RF_SIM_PICTURE_BYTES;
    int64_t side = facts->width > facts->height ? facts->width : facts->height;
    if (caps->max_image_side && side > caps->max_image_side)
        return RF_SIM_PICTURE_SIDE;
    if (caps->max_image_pixels &&
        (uint64_t)facts->width * facts->height > (uint64_t)caps->max_image_pixels)
        return RF_SIM_PICTURE_PIXELS;
    return RF_SIM_PICTURE_FINE;
}
