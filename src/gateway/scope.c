#include "gateway/scope.h"

#include "base/arena.h"
#include "request/pass.h"
#include "store/client_keys.h"

/* What a conversation is made of, and what has members of the client's own choice. No API looks for
 * a model there. */
static const char *const conversation[] = { "messages",
                                            "contents",
                                            "input",
                                            "system",
                                            "instructions",
                                            "metadata",
                                            "systemInstruction",
                                            "system_instruction",
                                            "labels",
                                            "client_metadata",
                                            NULL };
static const char *const free_form[] = { "parameters",
                                         "parametersJsonSchema",
                                         "parameters_json_schema",
                                         "input_schema",
                                         "input_examples",
                                         "schema",
                                         "response",
                                         "responseSchema",
                                         "responseJsonSchema",
                                         "response_schema",
                                         "response_json_schema",
                                         "variables",
                                         "chat_template_kwargs",
                                         NULL };

/* "models", "fallback_models", "modelName": new ones appear, and are called like this too. */
static const char *const naming[] = { "*model*", "*fallback*", "preset" };

/* Some servers do not tell upper case from lower case in names of members. */
static bool is_naming(struct rf_str member, struct rf_arena *a)
{
    char *lower = rf_arena_alloc(a, member.n + 1);
    for (size_t i = 0; i < member.n; i++)
        lower[i] = rf_lower(member.p[i]);
    for (size_t i = 0; i < sizeof naming / sizeof *naming; i++)
        if (rf_glob(rf_str(naming[i]), (struct rf_str){ lower, member.n }))
            return true;
    return false;
}

/* A number or a flag names nothing. */
static bool can_name(const struct rf_jval *v)
{
    return v->type == RF_JSTRING ? v->raw.n > 0
                                 : (v->type == RF_JARRAY || v->type == RF_JOBJECT) && v->count;
}

static bool find_naming(const struct rf_jval *v, struct rf_arena *a, struct rf_str *member)
{
    if (v->type == RF_JARRAY) {
        for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
            if (find_naming(e, a, member))
                return true;
        return false;
    }
    if (v->type != RF_JOBJECT)
        return false;
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
        *member = rf_jval_text(k, a);
        if (can_name(k + 1) && is_naming(*member, a))
            return true;
        if (!rf_jval_is_any(k, free_form) && find_naming(k + 1, a, member))
            return true;
    }
    return false;
}

/* The model itself is replaced by the one that answers. */
static bool names_others(const struct rf_jval *body, struct rf_arena *a, struct rf_str *member)
{
    for (const struct rf_jval *k = rf_jval_first(body); k; k = rf_jval_next(body, k + 1)) {
        if (rf_jval_is(k, "model") || rf_jval_is_any(k, conversation) ||
            rf_jval_is_any(k, free_form))
            continue;
        *member = rf_jval_text(k, a);
        if ((can_name(k + 1) && is_naming(*member, a)) || find_naming(k + 1, a, member))
            return true;
    }
    return false;
}

/* What is worked on after the reply is told to nobody here. */
static bool goes_on(const struct rf_jval *body)
{
    const struct rf_jval *background = rf_jval_get(body, "background");
    return background && background->type == RF_JTRUE;
}

static struct rf_str fault_of(const struct rf_client_key *k, struct rf_str member,
                              struct rf_arena *a)
{
    return rf_strf(a, "the key \"%s\" may not name further models, as \"%.*s\" does", k->name,
                   RF_FMT(member));
}

/* There may be a million of them, and they are in order. */
static bool is_named(const struct rf_pass_named *named, const struct rf_jval *v)
{
    size_t low = 0, high = named->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (named->values[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < named->count && named->values[low] == v;
}

static bool find_other(const struct rf_jval *v, const struct rf_pass_named *named,
                       struct rf_arena *a, struct rf_str *member)
{
    if (v->type == RF_JARRAY)
        for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
            if (find_other(e, named, a, member))
                return true;
    if (v->type != RF_JOBJECT)
        return false;
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
        *member = rf_jval_text(k, a);
        if (!is_named(named, k + 1) &&
            ((can_name(k + 1) && is_naming(*member, a)) || find_other(k + 1, named, a, member)))
            return true;
    }
    return false;
}

struct rf_str rf_scope_other_fault(const struct rf_client_key *k, const struct rf_jval *body,
                                   const struct rf_pass_named *named, struct rf_arena *a)
{
    struct rf_str member;
    return k->models.n && find_other(body, named, a, &member) ? fault_of(k, member, a) : RF_STR("");
}

struct rf_str rf_scope_fault(const struct rf_client_key *k, const struct rf_jval *body,
                             struct rf_arena *a)
{
    struct rf_str member;
    if ((k->models.n || k->budget_micros) && names_others(body, a, &member))
        return fault_of(k, member, a);
    if ((k->tpm || k->budget_micros) && goes_on(body))
        return rf_strf(a,
                       "the key \"%s\" has a limit of tokens or money, so \"background\" is not "
                       "taken",
                       k->name);
    return RF_STR("");
}
