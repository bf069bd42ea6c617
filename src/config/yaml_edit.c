/* The places of an entry come from the tree, the change is made in the text, and the outcome is read
 * again: what is not the old tree with this one entry changed is refused, so no unusual spelling can
 * make it damage a file. */
#include "config/yaml_edit.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_escape.h"
#include "base/limits.h"

#define INDENT 2

struct edit {
    struct rf_str text;
    const char *file, *eol;
    const struct rf_str *path;
    size_t count;
    struct rf_arena *arena;
    struct rf_err *err;
    struct rf_str value;       /* as it is written */
    struct rf_yaml root, node; /* of the text; of the value */
    struct rf_str out;
};

/* Places in the text */

static size_t line_begin(const struct edit *e, size_t at)
{
    while (at > 0 && e->text.p[at - 1] != '\n')
        at--;
    return at;
}

/* The line feed that ends the line, or the carriage return before it; or the end of the text. */
static size_t line_end(const struct edit *e, size_t at)
{
    const char *feed = at < e->text.n ? memchr(e->text.p + at, '\n', e->text.n - at) : NULL;
    size_t end = feed ? (size_t)(feed - e->text.p) : e->text.n;
    return feed && end > at && e->text.p[end - 1] == '\r' ? end - 1 : end;
}

static size_t next_line(const struct edit *e, size_t at)
{
    const char *feed = at < e->text.n ? memchr(e->text.p + at, '\n', e->text.n - at) : NULL;
    return feed ? (size_t)(feed - e->text.p) + 1 : e->text.n;
}

/* The end of a value without the line feeds that a block of text ends with. */
static size_t end_of(const struct edit *e, const struct rf_yaml *v)
{
    size_t end = v->end;
    while (end > v->begin && rf_is_space(e->text.p[end - 1]))
        end--;
    return end;
}

/* After the colon of a key; 0 where there is none. */
static size_t after_colon(const struct edit *e, const struct rf_yaml *key)
{
    size_t at = key->end;
    while (at < e->text.n && e->text.p[at] == ' ')
        at++;
    return at < e->text.n && e->text.p[at] == ':' ? at + 1 : 0;
}

static size_t column(const struct edit *e, const struct rf_yaml *v)
{
    size_t begin = line_begin(e, v->begin);
    bool mark =
        rf_str_starts((struct rf_str){ e->text.p + begin, v->begin - begin }, "\xef\xbb\xbf");
    return v->begin - begin - (mark ? 3 : 0);
}

static void splice(struct edit *e, size_t from, size_t to, struct rf_str with)
{
    struct rf_str head = { e->text.p, from }, tail = { e->text.p + to, e->text.n - to };
    e->out = rf_str_join(e->arena, rf_str_join(e->arena, head, with), tail);
}

/* Spelling */

static bool is_plain(struct rf_str s)
{
    if (!s.n || rf_str_ieq(s, RF_STR("null")) || rf_is_space(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool inner = i > 0 && i + 1 < s.n && c && strchr("_-./:+", c);
        bool edge = c == '_' || (i == 0 && c == '$') || (i == 0 && c == '/') ||
                    (i > 0 && c && strchr("-./", c));
        if (!rf_is_alnum(c) && !inner && !edge)
            return false;
    }
    return true;
}

static struct rf_str spelled(struct rf_str s, struct rf_arena *a)
{
    if (is_plain(s))
        return s;
    char *escaped = rf_arena_alloc(a, rf_json_escaped_length(s) + 1);
    size_t n = rf_json_escape(s, escaped);
    return rf_strf(a, "\"%.*s\"", (int)n, escaped);
}

/* The entry from key `from` of the path on, in brackets: "limits: {pages: 5}". */
static struct rf_str in_flow(const struct edit *e, size_t from)
{
    struct rf_buf b;
    struct rf_str out = RF_STR("");
    rf_buf_init(&b, e->arena, RF_MAX_CONFIG_BYTES);
    for (size_t i = from; i < e->count; i++)
        rf_buf_addf(&b, "%s%.*s: ", i > from ? "{" : "", RF_FMT(spelled(e->path[i], e->arena)));
    rf_buf_add(&b, e->value);
    for (size_t i = from + 1; i < e->count; i++)
        rf_buf_addc(&b, '}');
    return rf_buf_finish(&b, &out, NULL) ? RF_STR("") : out;
}

/* The same in lines, each with a line feed before it. */
static struct rf_str in_lines(const struct edit *e, size_t from, size_t indent)
{
    struct rf_buf b;
    struct rf_str out = RF_STR("");
    rf_buf_init(&b, e->arena, RF_MAX_CONFIG_BYTES);
    for (size_t i = from; i < e->count; i++)
        rf_buf_addf(&b, "%s%*s%.*s:", e->eol, (int)(indent + INDENT * (i - from)), "",
                    RF_FMT(spelled(e->path[i], e->arena)));
    rf_buf_addc(&b, ' ');
    rf_buf_add(&b, e->value);
    return rf_buf_finish(&b, &out, NULL) ? RF_STR("") : out;
}

/* The tree */

static struct rf_yaml *entry(const struct rf_yaml *map, struct rf_str name)
{
    for (size_t i = 0; map->kind == RF_YAML_MAP && i < map->count; i += 2)
        if (rf_str_eq(map->items[i].text, name))
            return &map->items[i];
    return NULL;
}

const struct rf_yaml *rf_yaml_at(const struct rf_yaml *root, const struct rf_str *path,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rf_yaml *key = entry(root, path[i]);
        if (!key)
            return NULL;
        root = key + 1;
    }
    return root;
}

static bool is_same(const struct rf_yaml *a, const struct rf_yaml *b)
{
    if (a->kind != b->kind || a->count != b->count || !rf_str_eq(a->text, b->text))
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!is_same(&a->items[i], &b->items[i]))
            return false;
    return true;
}

/* The value in the tree, where the text should have it. */
static void put(struct edit *e, struct rf_yaml *at, size_t from)
{
    if (from == e->count) {
        *at = e->node;
        return;
    }
    struct rf_yaml *key = entry(at, e->path[from]);
    if (!key) {
        at->kind = RF_YAML_MAP;
        RF_PUSH(e->arena, at->items, at->count, at->cap);
        RF_PUSH(e->arena, at->items, at->count, at->cap);
        key = &at->items[at->count - 2];
        key[0] = (struct rf_yaml){ .kind = RF_YAML_TEXT, .text = e->path[from] };
        key[1] = (struct rf_yaml){ 0 };
    }
    put(e, key + 1, from + 1);
}

static void take_out(struct rf_yaml *map, const struct rf_yaml *key)
{
    size_t i = (size_t)(key - map->items);
    memmove(&map->items[i], &map->items[i + 2], (map->count - i - 2) * sizeof *map->items);
    map->count -= 2;
    if (!map->count && !map->flow)
        map->kind = RF_YAML_NULL;
}

static enum rf_code fail_spelling(struct edit *e, size_t line)
{
    rf_fail(e->err, RF_ECONFIG, "%s:%zu: this is written in a way that cannot be changed from here",
            e->file, line);
    rf_hint(e->err, "Change it in the file.");
    return RF_ECONFIG;
}

/* Is what was made the tree that was meant? */
static enum rf_code check(struct edit *e, size_t line)
{
    struct rf_yaml made;
    struct rf_err unseen;
    if (!e->out.p || rf_yaml_read(e->out, e->file, e->arena, &made, &unseen) ||
        !is_same(&made, &e->root))
        return fail_spelling(e, line);
    return RF_OK;
}

/* Setting */

static void replace(struct edit *e, const struct rf_yaml *key)
{
    const struct rf_yaml *old = key + 1;
    bool block = (old->kind == RF_YAML_MAP || old->kind == RF_YAML_LIST) && !old->flow;
    size_t colon = after_colon(e, key);
    if (!block && old->begin < old->end) {
        splice(e, old->begin, end_of(e, old), e->value);
    } else if (colon) {
        size_t rest = line_end(e, colon);
        struct rf_str kept = { e->text.p + colon, rest - colon };
        splice(e, colon, block ? end_of(e, old) : rest,
               rf_strf(e->arena, " %.*s%.*s", RF_FMT(e->value), RF_FMT(kept)));
    }
}

/* Into a map that has entries, or brackets. */
static void add_to_map(struct edit *e, const struct rf_yaml *map, size_t from)
{
    if (map->flow && !map->count) {
        splice(e, map->begin + 1, map->begin + 1, in_flow(e, from));
    } else if (map->flow) {
        size_t at = end_of(e, &map->items[map->count - 1]);
        splice(e, at, at, rf_strf(e->arena, ", %.*s", RF_FMT(in_flow(e, from))));
    } else {
        size_t at = line_end(e, end_of(e, map));
        splice(e, at, at, in_lines(e, from, column(e, &map->items[0])));
    }
}

/* Below a key that has no value, or "null". */
static void add_below(struct edit *e, const struct rf_yaml *key, const struct rf_yaml *map,
                      size_t from)
{
    const struct rf_yaml *old = key + 1;
    struct rf_str flow = rf_strf(e->arena, "{%.*s}", RF_FMT(in_flow(e, from)));
    size_t at = line_end(e, key->end);
    if (old->begin < old->end)
        splice(e, old->begin, old->end, flow);
    else if (map->flow)
        splice(e, old->begin, old->begin, rf_str_join(e->arena, RF_STR(" "), flow));
    else
        splice(e, at, at, in_lines(e, from, column(e, key) + INDENT));
}

/* Into a text without any entry, after whatever comments there are. */
static void add_first(struct edit *e)
{
    struct rf_str lines = in_lines(e, 0, 0), eol = rf_str(e->eol);
    size_t n = e->text.n;
    if (!n || e->text.p[n - 1] == '\n')
        lines = (struct rf_str){ lines.p + eol.n, lines.n - eol.n };
    splice(e, n, n, rf_str_join(e->arena, lines, eol));
}

static enum rf_code fail_not_map(struct edit *e, size_t depth, const struct rf_yaml *found)
{
    rf_fail(e->err, RF_ECONFIG, "%s:%zu: \"%.*s\" is %s here, and has no \"%.*s\"", e->file,
            found->line, RF_FMT(e->path[depth - 1]), rf_yaml_kind_name(found->kind),
            RF_FMT(e->path[depth]));
    rf_hint(e->err, "Unset \"%.*s\" first, to set what is in it.", RF_FMT(e->path[depth - 1]));
    return RF_ECONFIG;
}

static enum rf_code set(struct edit *e)
{
    const struct rf_yaml *map = NULL, *key = NULL, *at = &e->root;
    size_t i = 0;
    for (; i < e->count && at->kind == RF_YAML_MAP; i++) {
        const struct rf_yaml *next = entry(at, e->path[i]);
        map = at;
        if (!next)
            break;
        key = next;
        at = key + 1;
    }
    if (i == e->count)
        replace(e, key);
    else if (at->kind == RF_YAML_MAP)
        add_to_map(e, at, i);
    else if (at->kind != RF_YAML_NULL && i)
        return fail_not_map(e, i, at);
    else if (i)
        add_below(e, key, map, i);
    else if (at->kind == RF_YAML_NULL && at->begin == at->end)
        add_first(e);
    size_t line = key ? key->line : 1;
    put(e, &e->root, 0);
    return check(e, line);
}

/* Reading the value */

static enum rf_code read_value(struct edit *e, struct rf_str given)
{
    if (rf_str_starts(given, "[") || rf_str_starts(given, "{")) {
        e->value = given;
        return rf_yaml_read(given, "the value", e->arena, &e->node, e->err);
    }
    e->value = spelled(given, e->arena);
    e->node = (struct rf_yaml){ .kind = RF_YAML_TEXT, .text = given };
    for (size_t i = 0; i < given.n; i++)
        if ((unsigned char)given.p[i] < 0x20 || given.p[i] == 0x7f)
            return rf_fail(e->err, RF_ECONFIG, "the value holds a control character");
    return RF_OK;
}

static enum rf_code begin(struct edit *e)
{
    const char *feed = memchr(e->text.p ? e->text.p : "", '\n', e->text.n);
    e->eol = feed && feed > e->text.p && feed[-1] == '\r' ? "\r\n" : "\n";
    return rf_yaml_read(e->text, e->file, e->arena, &e->root, e->err);
}

enum rf_code rf_yaml_set(struct rf_str text, const char *file, const struct rf_str *path,
                         size_t count, struct rf_str value, struct rf_arena *a, struct rf_str *out,
                         struct rf_err *err)
{
    struct edit e = {
        .text = text, .file = file, .path = path, .count = count, .arena = a, .err = err
    };
    enum rf_code rc = begin(&e);
    if (!rc)
        rc = read_value(&e, value);
    if (!rc)
        rc = set(&e);
    if (!rc)
        *out = e.out;
    return rc;
}

/* Removing */

static void remove_from_flow(struct edit *e, const struct rf_yaml *map, const struct rf_yaml *key)
{
    size_t i = (size_t)(key - map->items);
    if (i + 2 < map->count)
        splice(e, key->begin, key[2].begin, RF_STR(""));
    else if (i)
        splice(e, end_of(e, key - 1), end_of(e, key + 1), RF_STR(""));
    else
        splice(e, key->begin, end_of(e, key + 1), RF_STR(""));
}

/* Its lines; what is said about it above them stays. */
static void remove_lines(struct edit *e, const struct rf_yaml *key)
{
    size_t end = end_of(e, key + 1);
    end = end > key->end ? end : key->end;
    splice(e, key->begin - column(e, key), next_line(e, end), RF_STR(""));
}

static enum rf_code unset(struct edit *e)
{
    struct rf_yaml *map = NULL, *key = NULL, *at = &e->root;
    for (size_t i = 0; i < e->count; i++) {
        struct rf_yaml *next = entry(at, e->path[i]);
        if (!next) {
            rf_fail(e->err, RF_ECONFIG, "%s does not set this key", e->file);
            return RF_ECONFIG;
        }
        if (!key || at->count > 2) { /* else it goes with the map that it is all of */
            map = at;
            key = next;
        }
        at = next + 1;
    }
    size_t line = key->line;
    if (map->flow)
        remove_from_flow(e, map, key);
    else
        remove_lines(e, key);
    take_out(map, key);
    return check(e, line);
}

enum rf_code rf_yaml_unset(struct rf_str text, const char *file, const struct rf_str *path,
                           size_t count, struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    struct edit e = {
        .text = text, .file = file, .path = path, .count = count, .arena = a, .err = err
    };
    enum rf_code rc = begin(&e);
    if (!rc)
        rc = unset(&e);
    if (!rc)
        *out = e.out;
    return rc;
}
