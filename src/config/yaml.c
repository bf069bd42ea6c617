/* libyaml's events, made into a tree.
 *
 * Events and not libyaml's own documents, because a configuration may lie in a folder that somebody
 * else filled: here anchors, aliases, tags and directives are refused when they are met, and so are
 * maps that are too deep or too long, so that no small file can stand for much work. Keys that are
 * given twice, keys that are not text, control characters and second documents are refused too. */
#include "config/yaml.h"

#include "base/arena.h"
#include "base/limits.h"
#include "config/yaml_library.h"

struct reading {
    yaml_parser_t parser;
    struct rf_str text;
    const char *file;
    struct rf_arena *arena;
    struct rf_err *err;
    void (*doubled)(void *ctx, const struct rf_err *problem); /* or NULL: that ends it */
    void *ctx;
    bool lines;  /* texts may have several */
    size_t mark; /* bytes of the byte order mark at the beginning, which is passed over */
    size_t character, byte; /* of a place in the text that was asked for last */
};

const char *rf_yaml_kind_name(enum rf_yaml_kind kind)
{
    static const char *const names[] = {
        [RF_YAML_NULL] = "nothing",
        [RF_YAML_TEXT] = "a text",
        [RF_YAML_LIST] = "a list",
        [RF_YAML_MAP] = "a map",
    };
    return names[kind];
}

static enum rf_code refuse(struct reading *r, size_t line, const char *what, const char *hint)
{
    rf_fail(r->err, RF_ECONFIG, "%s:%zu: %s", r->file, line, what);
    rf_hint(r->err, "%s", hint);
    return RF_ECONFIG;
}

/* libyaml gives a byte instead of a line where the text is not UTF-8 or has control characters. */
static size_t line_of_byte(struct rf_str text, size_t byte)
{
    size_t line = 1;
    for (size_t i = 0; i < text.n && i < byte; i++)
        line += text.p[i] == '\n';
    return line;
}

static enum rf_code next(struct reading *r, yaml_event_t *event)
{
    const yaml_parser_t *p = &r->parser;
    if (rf_libyaml.parser_parse(&r->parser, event))
        return RF_OK;
    const char *what = p->problem ? p->problem : "this is not YAML";
    if (p->error == YAML_READER_ERROR)
        return refuse(r, line_of_byte(r->text, p->problem_offset), what,
                      "The file has to be UTF-8 text.");
    return refuse(r, p->problem_mark.line + 1, what,
                  "Indent with spaces, put a space after each colon, and close what is open.");
}

static bool is_null(struct rf_str s)
{
    return s.n == 0 || rf_str_is(s, "~") || rf_str_is(s, "null") || rf_str_is(s, "Null") ||
           rf_str_is(s, "NULL");
}

static bool has_controls(struct rf_str s, bool lines)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool c1 = c == 0xc2 && i + 1 < s.n && (unsigned char)s.p[i + 1] < 0xa0;
        if (lines && (c == '\n' || c == '\t'))
            continue;
        if (c < 0x20 || c == 0x7f || c1)
            return true;
    }
    return false;
}

static enum rf_code read_scalar(struct reading *r, const yaml_event_t *event, struct rf_yaml *out)
{
    struct rf_str text = { (const char *)event->data.scalar.value, event->data.scalar.length };
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && is_null(text))
        return RF_OK;
    if (has_controls(text, r->lines))
        return refuse(r, out->line, "a text holds a control character",
                      "Write it in one line, without escapes.");
    out->kind = RF_YAML_TEXT;
    out->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    out->text = rf_str_dup(r->arena, text);
    return RF_OK;
}

/* `*drop` is set for a key that is there already, where somebody hears of it. */
static enum rf_code check_key(struct reading *r, const struct rf_yaml *map,
                              const struct rf_yaml *key, bool *drop)
{
    struct rf_err e;
    if (key->kind != RF_YAML_TEXT) {
        rf_fail(r->err, RF_ECONFIG, "%s:%zu: a key is %s", r->file, key->line,
                rf_yaml_kind_name(key->kind));
        rf_hint(r->err, "Keys are names; put quotes around one that is special in YAML.");
        return RF_ECONFIG;
    }
    for (size_t i = 0; i < map->count; i += 2) {
        if (!rf_str_eq(map->items[i].text, key->text))
            continue;
        rf_fail(&e, RF_ECONFIG, "%s:%zu: \"%.*s\" is given twice", r->file, key->line,
                RF_FMT(key->text));
        rf_hint(&e, "It is in line %zu already; keep one of them.", map->items[i].line);
        if (!r->doubled) {
            if (r->err)
                *r->err = e;
            return RF_ECONFIG;
        }
        r->doubled(r->ctx, &e);
        *drop = true;
        return RF_OK;
    }
    return RF_OK;
}

static enum rf_code read_node(struct reading *r, yaml_event_t *event, unsigned depth,
                              struct rf_yaml *out);

/* Where a mark of libyaml is: it counts characters. */
static size_t byte_at(struct reading *r, const yaml_mark_t *mark)
{
    if (mark->index < r->character || r->byte < r->mark) {
        r->character = 0;
        r->byte = r->mark;
    }
    for (; r->character < mark->index && r->byte < r->text.n; r->character++)
        do
            r->byte++;
        while (r->byte < r->text.n && ((unsigned char)r->text.p[r->byte] & 0xc0) == 0x80);
    return r->byte;
}

static enum rf_code read_items(struct reading *r, unsigned depth, struct rf_yaml *out)
{
    bool is_map = out->kind == RF_YAML_MAP, is_key = is_map, drop = false;
    size_t most = RF_MAX_CONFIG_ENTRIES * (is_map ? 2u : 1u);
    for (size_t seen = 0;; seen++) {
        yaml_event_t event;
        enum rf_code rc = next(r, &event);
        if (rc)
            return rc;
        if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT) {
            if (out->flow)
                out->end = byte_at(r, &event.end_mark);
            rf_libyaml.event_delete(&event);
            return RF_OK;
        }
        struct rf_yaml item;
        rc = read_node(r, &event, depth, &item);
        if (!rc && is_key)
            rc = check_key(r, out, &item, &drop);
        if (!rc && seen >= most)
            rc = refuse(r, item.line, "there are too many entries", "Keep those that are needed.");
        if (rc)
            return rc;
        out->end = item.end;
        if (!drop)
            *RF_PUSH(r->arena, out->items, out->count, out->cap) = item;
        drop = drop && is_key; /* and what follows it */
        is_key = is_map && !is_key;
    }
}

/* The anchor of a node that may have one; its tag likewise. */
static const void *anchor_of(const yaml_event_t *e)
{
    return e->type == YAML_SCALAR_EVENT           ? e->data.scalar.anchor
           : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.anchor
           : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.anchor
                                                  : NULL;
}

static const void *tag_of(const yaml_event_t *e)
{
    return e->type == YAML_SCALAR_EVENT           ? e->data.scalar.tag
           : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.tag
           : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.tag
                                                  : NULL;
}

static void begin_items(const yaml_event_t *e, struct rf_yaml *out)
{
    bool map = e->type == YAML_MAPPING_START_EVENT;
    out->kind = map ? RF_YAML_MAP : RF_YAML_LIST;
    out->flow = map ? e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                    : e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
}

/* Takes the event. */
static enum rf_code read_node(struct reading *r, yaml_event_t *event, unsigned depth,
                              struct rf_yaml *out)
{
    enum rf_code rc = RF_OK;
    *out = (struct rf_yaml){ .line = event->start_mark.line + 1 };
    out->begin = byte_at(r, &event->start_mark);
    out->end = byte_at(r, &event->end_mark);
    if (event->type == YAML_ALIAS_EVENT || anchor_of(event))
        rc = refuse(r, out->line, "anchors and aliases are not read here",
                    "Write the entry out where it is used.");
    else if (tag_of(event))
        rc = refuse(r, out->line, "tags are not read here", "Leave the tag out.");
    else if (event->type == YAML_SCALAR_EVENT)
        rc = read_scalar(r, event, out);
    else
        begin_items(event, out);
    rf_libyaml.event_delete(event);
    if (rc || out->kind == RF_YAML_NULL || out->kind == RF_YAML_TEXT)
        return rc;
    if (depth >= RF_MAX_CONFIG_DEPTH)
        return refuse(r, out->line, "this is nested too deep", "Four levels are enough.");
    return read_items(r, depth + 1, out);
}

/* Directives are looked for before libyaml sees them: it holds each against all before it. */
static enum rf_code refuse_directives(struct reading *r)
{
    struct rf_str rest = r->text, line;
    for (size_t number = 1; rf_str_split(&rest, '\n', &line); number++)
        if (rf_str_starts(line, "%"))
            return refuse(r, number, "directives are not read here", "Leave the line out.");
    return RF_OK;
}

/* Each event of the stream that is not inside a document. */
static enum rf_code read_stream(struct reading *r, struct rf_yaml *out)
{
    size_t documents = 0;
    for (;;) {
        yaml_event_t event;
        enum rf_code rc = next(r, &event);
        if (rc)
            return rc;
        bool start = event.type == YAML_DOCUMENT_START_EVENT;
        bool end = event.type == YAML_STREAM_END_EVENT;
        size_t line = event.start_mark.line + 1;
        rf_libyaml.event_delete(&event);
        if (end)
            return RF_OK;
        if (!start)
            continue;
        if (documents++)
            return refuse(r, line, "a second document starts here", "Keep one document a file.");
        rc = next(r, &event);
        if (!rc)
            rc = read_node(r, &event, 0, out);
        if (rc)
            return rc;
    }
}

static enum rf_code read_all(struct reading *r, struct rf_yaml *out)
{
    enum rf_code rc = rf_libyaml_load(r->err);
    if (rc)
        return rc;
    if (!rf_libyaml.parser_initialize(&r->parser))
        RF_NO_MEMORY();
    rf_libyaml.parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    r->mark = rf_str_starts(r->text, "\xef\xbb\xbf") ? 3 : 0;
    rf_libyaml.parser_set_input_string(&r->parser, (const unsigned char *)r->text.p + r->mark,
                                       r->text.n - r->mark);
    struct rf_yaml root = { .line = 1 };
    rc = refuse_directives(r);
    if (!rc)
        rc = read_stream(r, &root);
    rf_libyaml.parser_delete(&r->parser);
    if (!rc)
        *out = root;
    return rc;
}

enum rf_code rf_yaml_read(struct rf_str text, const char *file, struct rf_arena *a,
                          struct rf_yaml *out, struct rf_err *err)
{
    return rf_yaml_read_on(text, file, a, NULL, NULL, out, err);
}

enum rf_code rf_yaml_read_lines(struct rf_str text, const char *file, struct rf_arena *a,
                                struct rf_yaml *out, struct rf_err *err)
{
    struct reading r = { .text = text, .file = file, .arena = a, .err = err, .lines = true };
    return read_all(&r, out);
}

enum rf_code rf_yaml_read_on(struct rf_str text, const char *file, struct rf_arena *a,
                             void (*doubled)(void *ctx, const struct rf_err *problem), void *ctx,
                             struct rf_yaml *out, struct rf_err *err)
{
    struct reading r = {
        .text = text, .file = file, .arena = a, .err = err, .doubled = doubled, .ctx = ctx
    };
    return read_all(&r, out);
}
