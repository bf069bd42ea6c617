/* A list of tools, as a server sends it page by page. A tool that cannot be called is left out, and
 * why is said; all others stay, whatever they are called: making names legal is the agent's. */
#include "mcp/client/hub.h"

#include <stdarg.h>

#define MOST_PROBLEMS 20
#define MOST_NAME 256
#define SLOTS ((size_t)32768) /* for RF_MCP_MAX_TOOLS, with room between them */

struct rf_mcp_listing *rf_mcp_listing_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_listing *g = RF_NEW(a, struct rf_mcp_listing);
    g->arena = a;
    g->slots = RF_ARRAY(a, uint16_t, SLOTS);
    return g;
}

void rf_mcp_listing_free(struct rf_mcp_listing *g)
{
    if (g)
        rf_arena_free(g->arena);
}

void rf_mcp_listing_problem(struct rf_mcp_listing *g, const char *fmt, ...)
{
    va_list ap;
    if (g->problem_count >= MOST_PROBLEMS)
        return;
    va_start(ap, fmt);
    *RF_PUSH(g->arena, g->problems, g->problem_count, g->problem_cap) = rf_strfv(g->arena, fmt, ap);
    va_end(ap);
}

static bool has_problem(const struct rf_mcp_listing *g, struct rf_str problem)
{
    for (size_t i = 0; i < g->problem_count; i++)
        if (rf_str_eq(g->problems[i], problem))
            return true;
    return false;
}

bool rf_mcp_listing_blame(struct rf_mcp_listing *g, const struct rf_mcp_listing *other)
{
    size_t before = g->problem_count;
    for (size_t i = 0; i < other->problem_count; i++)
        if (!has_problem(g, other->problems[i]))
            rf_mcp_listing_problem(g, "%.*s", RF_FMT(other->problems[i]));
    return g->problem_count > before;
}

static bool is_same_tool(const struct rf_mcp_tool *x, const struct rf_mcp_tool *y)
{
    return rf_str_eq(x->name, y->name) && rf_str_eq(x->title, y->title) &&
           rf_str_eq(x->description, y->description) && rf_str_eq(x->schema, y->schema) &&
           rf_str_eq(x->output_schema, y->output_schema) && x->read_only == y->read_only &&
           x->destructive == y->destructive && x->idempotent == y->idempotent &&
           x->open_world == y->open_world;
}

bool rf_mcp_listing_same(const struct rf_mcp_listing *one, const struct rf_mcp_listing *other)
{
    bool same = one->count == other->count && one->problem_count == other->problem_count;
    for (size_t i = 0; same && i < one->problem_count; i++)
        same = rf_str_eq(one->problems[i], other->problems[i]);
    for (size_t i = 0; same && i < one->count; i++)
        same = is_same_tool(&one->tools[i].tool, &other->tools[i].tool);
    return same;
}

/* Reading */

struct rf_str rf_mcp_text(const struct rf_jval *object, const char *name, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(object, name);
    return v && v->type == RF_JSTRING ? rf_str_dup(a, rf_jval_text(v, a)) : (struct rf_str){ 0 };
}

static bool hint(const struct rf_jval *annotations, const char *name, bool otherwise)
{
    const struct rf_jval *v = rf_jval_get(annotations, name);
    return v && (v->type == RF_JTRUE || v->type == RF_JFALSE) ? v->type == RF_JTRUE : otherwise;
}

static void read_tool(const struct rf_jval *v, struct rf_arena *a, struct rf_mcp_tool *t)
{
    const struct rf_jval *notes = rf_jval_get(v, "annotations");
    const struct rf_jval *schema = rf_jval_get(v, "inputSchema");
    const struct rf_jval *output = rf_jval_get(v, "outputSchema");
    *t = (struct rf_mcp_tool){
        .name = rf_mcp_text(v, "name", a),
        .title = rf_mcp_text(v, "title", a),
        .description = rf_mcp_text(v, "description", a),
        .schema = schema ? rf_jval_compact(schema, a) : RF_STR("{\"type\":\"object\"}"),
        .read_only = hint(notes, "readOnlyHint", false),
        .destructive = hint(notes, "destructiveHint", true),
        .idempotent = hint(notes, "idempotentHint", false),
        .open_world = hint(notes, "openWorldHint", true),
    };
    if (output && output->type == RF_JOBJECT)
        t->output_schema = rf_jval_compact(output, a);
    if (!t->title.n)
        t->title = rf_mcp_text(notes, "title", a);
}

/* Where a tool of this name is in the table, or is to be. */
static uint16_t *slot_of(const struct rf_mcp_listing *g, struct rf_str name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < name.n; i++)
        hash = (hash ^ (unsigned char)name.p[i]) * 16777619u;
    size_t at = hash % SLOTS;
    while (g->slots[at] && !rf_str_eq(g->tools[g->slots[at] - 1].tool.name, name))
        at = (at + 1) % SLOTS;
    return &g->slots[at];
}

/* What keeps it from being called; NULL: nothing. */
static const char *fault_of(const struct rf_mcp_listing *g, const struct rf_jval *v,
                            struct rf_arena *a)
{
    const struct rf_jval *schema = rf_jval_get(v, "inputSchema");
    struct rf_str name = rf_mcp_text(v, "name", a);
    if (!name.n)
        return "has no name";
    if (name.n > MOST_NAME)
        return "has a name that is too long";
    if (schema && schema->type != RF_JOBJECT)
        return "has a schema that is not an object";
    if (rf_jval_is(rf_jval_get(rf_jval_get(v, "execution"), "taskSupport"), "required"))
        return "runs as a task only, which is not supported";
    return rf_mcp_listing_find(g, name) ? "is listed twice" : NULL;
}

static void add_tool(struct rf_mcp_listing *g, const struct rf_jval *v, bool mirrors)
{
    struct rf_mcp_listed one = { 0 };
    char why[200] = "";
    const char *fault = fault_of(g, v, g->arena);
    struct rf_str shown = rf_mcp_text(v, "name", g->arena);
    if (!fault && mirrors &&
        !rf_mcp_mirrors_read(rf_jval_get(v, "inputSchema"), g->arena, &one, why))
        fault = why;
    if (fault) {
        shown.n = shown.n < 64 ? shown.n : 64;
        if (g->problem_count < MOST_PROBLEMS - 1) /* what is said of the whole list has room */
            rf_mcp_listing_problem(g, "tool \"%.*s\" %s", RF_FMT(shown), fault);
        return;
    }
    read_tool(v, g->arena, &one.tool);
    *slot_of(g, one.tool.name) = (uint16_t)(g->count + 1);
    *RF_PUSH(g->arena, g->tools, g->count, g->cap) = one;
}

bool rf_mcp_listing_add(struct rf_mcp_listing *g, const struct rf_jval *result, bool mirrors)
{
    const struct rf_jval *list = rf_jval_get(result, "tools");
    const struct rf_jval *next = rf_jval_get(result, "nextCursor");
    if (!list || list->type != RF_JARRAY) {
        rf_mcp_listing_problem(g, "it answered tools/list without a list");
        g->failed = true;
        return false;
    }
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        if (g->seen++ < RF_MCP_MAX_TOOLS)
            add_tool(g, v, mirrors);
    if (g->seen > RF_MCP_MAX_TOOLS) {
        rf_mcp_listing_problem(g, "it lists more tools than the %zu that are looked at",
                               RF_MCP_MAX_TOOLS);
        return false;
    }
    if (!next || next->type != RF_JSTRING)
        return false;
    struct rf_str cursor = rf_str_dup(g->arena, rf_jval_text(next, g->arena));
    bool same = g->pages && rf_str_eq(cursor, g->cursor); /* it would go round for ever */
    g->cursor = cursor;
    return !same;
}

const struct rf_mcp_listed *rf_mcp_listing_find(const struct rf_mcp_listing *g, struct rf_str name)
{
    uint16_t number = g ? *slot_of(g, name) : 0;
    return number ? &g->tools[number - 1] : NULL;
}

/* Handing out */

static struct rf_mcp_tool copy_tool(const struct rf_mcp_tool *t, struct rf_arena *a)
{
    struct rf_mcp_tool copy = *t;
    copy.name = rf_str_dup(a, t->name);
    copy.title = rf_str_dup(a, t->title);
    copy.description = rf_str_dup(a, t->description);
    copy.schema = rf_str_dup(a, t->schema);
    copy.output_schema = rf_str_dup(a, t->output_schema);
    return copy;
}

void rf_mcp_listing_copy(const struct rf_mcp_link *l, struct rf_arena *a, struct rf_mcp_tools *out)
{
    const struct rf_mcp_listing *g = l->tools;
    *out = (struct rf_mcp_tools){ .instructions = rf_str_dup(a, l->instructions) };
    if (!g)
        return;
    out->list = RF_ARRAY(a, struct rf_mcp_tool, g->count);
    out->problems = RF_ARRAY(a, struct rf_str, g->problem_count + 1);
    while (out->count < g->count) {
        out->list[out->count] = copy_tool(&g->tools[out->count].tool, a);
        out->count++;
    }
    while (out->problem_count < g->problem_count) {
        out->problems[out->problem_count] = rf_str_dup(a, g->problems[out->problem_count]);
        out->problem_count++;
    }
    if (l->first_stray[0])
        out->problems[out->problem_count++] = rf_str_dup(a, rf_str(l->first_stray));
}
