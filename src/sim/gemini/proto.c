#include "sim/gemini/proto.h"

#include "base/arena.h"

#include <stdio.h>

#define MAX_DEPTH 64       /* of messages inside messages */
#define MAX_NAME_BYTES 128 /* of a field */
#define VALUE_SHOWN 60     /* bytes of a value in a message */

enum kind { STRING, BYTES, NUMBER, BOOL, ANY, STRUCT, MESSAGE, MAP };

struct field {
    const char *name; /* camelCase */
    enum kind kind;
    const struct message *message; /* MESSAGE, and what a MAP maps to */
    bool repeated;
};

struct message {
    const struct field *fields;
    size_t count;
};

#define MESSAGE_OF(name, ...)                                    \
    static const struct field name##_fields[] = { __VA_ARGS__ }; \
    static const struct message name = { name##_fields,          \
                                         sizeof name##_fields / sizeof *name##_fields }

static const struct message schema;
static const struct field schema_fields[] = {
    { "type", ANY, NULL, false },
    { "format", STRING, NULL, false },
    { "title", STRING, NULL, false },
    { "description", STRING, NULL, false },
    { "nullable", BOOL, NULL, false },
    { "enum", STRING, NULL, true },
    { "items", MESSAGE, &schema, false },
    { "maxItems", NUMBER, NULL, false },
    { "minItems", NUMBER, NULL, false },
    { "properties", MAP, &schema, false },
    { "required", STRING, NULL, true },
    { "propertyOrdering", STRING, NULL, true },
    { "minProperties", NUMBER, NULL, false },
    { "maxProperties", NUMBER, NULL, false },
    { "minLength", NUMBER, NULL, false },
    { "maxLength", NUMBER, NULL, false },
    { "pattern", STRING, NULL, false },
    { "example", ANY, NULL, false },
    { "anyOf", MESSAGE, &schema, true },
    { "default", ANY, NULL, false },
    { "minimum", NUMBER, NULL, false },
    { "maximum", NUMBER, NULL, false },
};
static const struct message schema = { schema_fields,
                                       sizeof schema_fields / sizeof *schema_fields };

MESSAGE_OF(blob, { "mimeType", STRING, NULL, false }, { "data", BYTES, NULL, false },
           { "displayName", STRING, NULL, false });
MESSAGE_OF(file_data, { "mimeType", STRING, NULL, false }, { "fileUri", STRING, NULL, false },
           { "displayName", STRING, NULL, false });
MESSAGE_OF(function_call, { "id", STRING, NULL, false }, { "name", STRING, NULL, false },
           { "args", STRUCT, NULL, false }, { "partialArgs", ANY, NULL, true },
           { "willContinue", BOOL, NULL, false });
MESSAGE_OF(response_part, { "inlineData", MESSAGE, &blob, false },
           { "fileData", MESSAGE, &file_data, false }, { "mediaProcessing", STRING, NULL, false });
MESSAGE_OF(function_response, { "id", STRING, NULL, false }, { "name", STRING, NULL, false },
           { "response", STRUCT, NULL, false }, { "parts", MESSAGE, &response_part, true },
           { "willContinue", BOOL, NULL, false }, { "scheduling", STRING, NULL, false });
MESSAGE_OF(part, { "text", STRING, NULL, false }, { "inlineData", MESSAGE, &blob, false },
           { "fileData", MESSAGE, &file_data, false },
           { "functionCall", MESSAGE, &function_call, false },
           { "functionResponse", MESSAGE, &function_response, false },
           { "executableCode", STRUCT, NULL, false },
           { "codeExecutionResult", STRUCT, NULL, false }, { "toolCall", STRUCT, NULL, false },
           { "toolResponse", STRUCT, NULL, false }, { "thought", BOOL, NULL, false },
           { "thoughtSignature", BYTES, NULL, false }, { "videoMetadata", STRUCT, NULL, false },
           { "mediaResolution", STRUCT, NULL, false }, { "mediaProcessing", STRING, NULL, false },
           { "partMetadata", STRUCT, NULL, false });
MESSAGE_OF(content, { "role", STRING, NULL, false }, { "parts", MESSAGE, &part, true });

MESSAGE_OF(declaration, { "name", STRING, NULL, false }, { "description", STRING, NULL, false },
           { "parameters", MESSAGE, &schema, false }, { "parametersJsonSchema", ANY, NULL, false },
           { "response", MESSAGE, &schema, false }, { "responseJsonSchema", ANY, NULL, false },
           { "behavior", STRING, NULL, false });
MESSAGE_OF(tool, { "functionDeclarations", MESSAGE, &declaration, true },
           { "googleSearch", STRUCT, NULL, false },
           { "googleSearchRetrieval", STRUCT, NULL, false },
           { "codeExecution", STRUCT, NULL, false }, { "urlContext", STRUCT, NULL, false },
           { "fileSearch", STRUCT, NULL, false }, { "computerUse", STRUCT, NULL, false },
           { "googleMaps", STRUCT, NULL, false }, { "retrieval", STRUCT, NULL, false },
           { "enterpriseWebSearch", STRUCT, NULL, false }, { "mcpServers", ANY, NULL, true });
MESSAGE_OF(calling, { "mode", STRING, NULL, false }, { "allowedFunctionNames", STRING, NULL, true },
           { "streamFunctionCallArguments", BOOL, NULL, false });
MESSAGE_OF(tool_config, { "functionCallingConfig", MESSAGE, &calling, false },
           { "retrievalConfig", STRUCT, NULL, false },
           { "includeServerSideToolInvocations", BOOL, NULL, false });
MESSAGE_OF(thinking, { "includeThoughts", BOOL, NULL, false },
           { "thinkingBudget", NUMBER, NULL, false }, { "thinkingLevel", STRING, NULL, false });
MESSAGE_OF(generation, { "temperature", NUMBER, NULL, false }, { "topP", NUMBER, NULL, false },
           { "topK", NUMBER, NULL, false }, { "candidateCount", NUMBER, NULL, false },
           { "maxOutputTokens", NUMBER, NULL, false }, { "stopSequences", STRING, NULL, true },
           { "responseMimeType", STRING, NULL, false },
           { "responseSchema", MESSAGE, &schema, false },
           { "responseJsonSchema", ANY, NULL, false }, { "presencePenalty", NUMBER, NULL, false },
           { "frequencyPenalty", NUMBER, NULL, false }, { "seed", NUMBER, NULL, false },
           { "responseLogprobs", BOOL, NULL, false }, { "logprobs", NUMBER, NULL, false },
           { "responseModalities", STRING, NULL, true }, { "speechConfig", STRUCT, NULL, false },
           { "thinkingConfig", MESSAGE, &thinking, false },
           { "mediaResolution", STRING, NULL, false }, { "imageConfig", STRUCT, NULL, false },
           { "enableEnhancedCivicAnswers", BOOL, NULL, false },
           { "audioTimestamp", BOOL, NULL, false }, { "routingConfig", STRUCT, NULL, false },
           { "modelSelectionConfig", STRUCT, NULL, false },
           { "enableAffectiveDialog", BOOL, NULL, false });
MESSAGE_OF(safety, { "category", STRING, NULL, false }, { "threshold", STRING, NULL, false },
           { "method", STRING, NULL, false });
MESSAGE_OF(request, { "model", STRING, NULL, false }, { "contents", MESSAGE, &content, true },
           { "systemInstruction", MESSAGE, &content, false }, { "tools", MESSAGE, &tool, true },
           { "toolConfig", MESSAGE, &tool_config, false },
           { "generationConfig", MESSAGE, &generation, false },
           { "safetySettings", MESSAGE, &safety, true }, { "cachedContent", STRING, NULL, false },
           { "labels", STRUCT, NULL, false }, { "serviceTier", STRING, NULL, false },
           { "continuationToken", STRING, NULL, false }, { "store", BOOL, NULL, false },
           { "modelArmorConfig", STRUCT, NULL, false }, { "outputConfig", STRUCT, NULL, false });

/* Spelling */

static char upper(char ch)
{
    return ch >= 'a' && ch <= 'z' ? (char)(ch - 'a' + 'A') : ch;
}

/* Is `name` the camelCase `camel`, or the same in snake_case? */
static bool is_name(struct rf_str name, const char *camel)
{
    size_t i = 0;
    for (; *camel && i < name.n; camel++, i++) {
        bool under = name.p[i] == '_' && i + 1 < name.n;
        char ch = under ? upper(name.p[++i]) : name.p[i];
        if (ch != *camel)
            return false;
    }
    return !*camel && i == name.n;
}

static const char *snake(struct rf_arena *a, const char *camel)
{
    char *out = rf_arena_alloc(a, 2 * strlen(camel) + 1);
    size_t n = 0;
    for (; *camel; camel++) {
        if (*camel >= 'A' && *camel <= 'Z') {
            out[n++] = '_';
            out[n++] = (char)(*camel - 'A' + 'a');
        } else {
            out[n++] = *camel;
        }
    }
    return out;
}

const struct rf_jval *rf_sim_gemini_get(const struct rf_jval *message, const char *name)
{
    if (!message || message->type != RF_JOBJECT)
        return NULL;
    const struct rf_jval *key = rf_jval_first(message);
    for (; key; key = rf_jval_next(message, key + 1))
        if (is_name(key->raw, name) && key[1].type != RF_JNULL)
            return key + 1;
    return NULL;
}

bool rf_sim_gemini_decode(struct rf_sim_request *r, struct rf_str base64, struct rf_str *bytes,
                          const struct rf_format **format)
{
    char *p = rf_arena_alloc(r->arena, base64.n + 4);
    for (size_t i = 0; i < base64.n; i++)
        p[i] = base64.p[i] == '-' ? '+' : base64.p[i] == '_' ? '/' : base64.p[i];
    size_t n = base64.n;
    while (n % 4)
        p[n++] = '=';
    return rf_sim_decode(r, (struct rf_str){ p, n }, bytes, format);
}

/* Checking */

struct checking {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    unsigned depth;
};

static const char *const type_names[] = {
    [STRING] = "TYPE_STRING",   [BYTES] = "TYPE_BYTES", [NUMBER] = "TYPE_INT32",
    [BOOL] = "TYPE_BOOL",       [ANY] = "TYPE_MESSAGE", [STRUCT] = "TYPE_MESSAGE",
    [MESSAGE] = "TYPE_MESSAGE", [MAP] = "TYPE_MESSAGE",
};

static bool refuse_value(struct checking *c, const struct rf_jpath *at, const struct field *f,
                         const struct rf_jval *v)
{
    char path[256];
    rf_jpath_format(at, path, sizeof path);
    int shown = (int)(v->raw.n < VALUE_SHOWN ? v->raw.n : VALUE_SHOWN);
    return rf_sim_refuse(c->r, c->out, 400, "Invalid value at '%s' (%s), %.*s", path,
                         type_names[f->kind], shown, v->raw.p);
}

static bool fits(const struct field *f, const struct rf_jval *v)
{
    bool text = v->type == RF_JSTRING;
    switch (f->kind) {
    case STRING:
        return text;
    case BYTES:
        return text;
    case NUMBER:
        return text || v->type == RF_JNUMBER;
    case BOOL:
        return v->type == RF_JTRUE || v->type == RF_JFALSE;
    case ANY:
        return true;
    case STRUCT:
    case MESSAGE:
    case MAP:
        return v->type == RF_JOBJECT;
    }
    return false;
}

static bool check_message(struct checking *c, const struct message *m, const struct rf_jval *v,
                          const struct rf_jpath *at);

static bool check_map(struct checking *c, const struct message *m, const struct rf_jval *v,
                      const struct rf_jpath *at)
{
    const struct rf_jval *key = rf_jval_first(v);
    for (size_t i = 0; key; key = rf_jval_next(v, key + 1), i++) {
        struct rf_jpath item = { at, NULL, i }, below = { &item, "value", 0 };
        if (key[1].type != RF_JOBJECT)
            return rf_sim_refuse(c->r, c->out, 400,
                                 "Proto field is not repeating, cannot start list.");
        if (!check_message(c, m, key + 1, &below))
            return false;
    }
    return true;
}

static bool check_value(struct checking *c, const struct field *f, const struct rf_jval *v,
                        const struct rf_jpath *at)
{
    if (v->type == RF_JNULL)
        return true;
    if (!fits(f, v))
        return refuse_value(c, at, f, v);
    if (f->kind == MESSAGE)
        return check_message(c, f->message, v, at);
    return f->kind != MAP || check_map(c, f->message, v, at);
}

/* A repeated field may be one value without its list. */
static bool check_field(struct checking *c, const struct field *f, const struct rf_jval *v,
                        const struct rf_jpath *at)
{
    if (!f->repeated || v->type != RF_JARRAY)
        return check_value(c, f, v, at);
    struct rf_jpath item = { at, NULL, 0 };
    const struct rf_jval *e = rf_jval_first(v);
    for (; e; e = rf_jval_next(v, e), item.index++)
        if (!check_value(c, f, e, &item))
            return false;
    return true;
}

static const struct field *find(const struct message *m, struct rf_str name)
{
    for (size_t i = 0; i < m->count; i++)
        if (is_name(name, m->fields[i].name))
            return &m->fields[i];
    return NULL;
}

static bool refuse_unknown(struct checking *c, struct rf_str name, const struct rf_jpath *at)
{
    char path[256] = "";
    rf_jpath_format(at, path, sizeof path);
    int shown = (int)(name.n < MAX_NAME_BYTES ? name.n : MAX_NAME_BYTES);
    /* source: recorded */
    return rf_sim_refuse(
        c->r, c->out, 400,
        "Invalid JSON payload received. Unknown name \"%.*s\"%s%s%s: Cannot find field.", shown,
        name.p, at ? " at '" : "", path, at ? "'" : "");
}

static bool check_message(struct checking *c, const struct message *m, const struct rf_jval *v,
                          const struct rf_jpath *at)
{
    if (++c->depth > MAX_DEPTH)
        return rf_sim_refuse(c->r, c->out, 400,
                             "Message too deep. Max recursion depth reached for key 'schema'");
    const struct rf_jval *key = rf_jval_first(v);
    for (; key; key = rf_jval_next(v, key + 1)) {
        struct rf_str name = rf_jval_text(key, c->r->arena);
        const struct field *f = find(m, name);
        if (!f)
            return refuse_unknown(c, name, at);
        struct rf_jpath below = { at, snake(c->r->arena, f->name), 0 };
        if (!check_field(c, f, key + 1, &below))
            return false;
    }
    c->depth--;
    return true;
}

bool rf_sim_gemini_proto(struct rf_sim_request *r, const struct rf_jval *body,
                         struct rf_sim_refusal *out)
{
    struct checking c = { .r = r, .out = out };
    return check_message(&c, &request, body, NULL);
}
