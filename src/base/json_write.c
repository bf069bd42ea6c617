#include "base/json_write.h"

#include "base/arena.h"
#include "base/json_escape.h"
#include "base/num.h"

#define MOST_LEVELS (RF_MAX_JSON_DEPTH + 16)
#define SHORT_TEXT ((size_t)512) /* written in place, which takes room for the worst case */

void rf_json_init(struct rf_json *w, struct rf_rope *rope)
{
    *w = (struct rf_json){ .rope = rope };
}

struct rf_err *rf_json_error(struct rf_json *w)
{
    return RF_ERR_IN(w->rope->arena, w->err);
}

enum rf_code rf_json_finish(struct rf_json *w, struct rf_err *err)
{
    rf_rope_seal(w->rope);
    if (w->failed) {
        if (err)
            *err = *w->err;
        return w->failed;
    }
    if (w->depth || w->in_string)
        RF_BUG("JSON was left open");
    return RF_OK;
}

/* The rope borrows what is long. */
static void put(struct rf_json *w, struct rf_str s)
{
    if (s.n > SHORT_TEXT) {
        rf_rope_text(w->rope, s);
        return;
    }
    if (s.n)
        memcpy(rf_rope_room(w->rope, s.n), s.p, s.n);
    rf_rope_filled(w->rope, s.n);
}

static void put_char(struct rf_json *w, char c)
{
    *rf_rope_room(w->rope, 1) = c;
    rf_rope_filled(w->rope, 1);
}

/* Plain text is left to the rope, which borrows it where it is long; other text is escaped where it
 * will stand, a part at a time. */
static void put_escaped(struct rf_json *w, struct rf_str s)
{
    if (s.n > SHORT_TEXT && rf_json_plain(s) == s.n) {
        put(w, s);
        return;
    }
    while (s.n) {
        struct rf_str part = { s.p, s.n < SHORT_TEXT ? s.n : SHORT_TEXT };
        char *room = rf_rope_room(w->rope, part.n * RF_JSON_MOST_ESCAPED);
        rf_rope_filled(w->rope, rf_json_escape(part, room));
        s = (struct rf_str){ s.p + part.n, s.n - part.n };
    }
}

static void put_string(struct rf_json *w, struct rf_str s)
{
    if (s.n > SHORT_TEXT) {
        put_char(w, '"');
        put_escaped(w, s);
        put_char(w, '"');
        return;
    }
    char *room = rf_rope_room(w->rope, s.n * RF_JSON_MOST_ESCAPED + 2);
    size_t n = rf_json_escape(s, room + 1);
    room[0] = room[n + 1] = '"';
    rf_rope_filled(w->rope, n + 2);
}

static const struct rf_json_name no_name;

static void put_comma(struct rf_json *w)
{
    if (w->need_comma)
        put_char(w, ',');
}

static void put_key(struct rf_json *w, struct rf_json_name name)
{
    w->key = (struct rf_str){ name.key, name.n };
    if (!name.literal) {
        put_comma(w);
        put_string(w, w->key);
        put_char(w, ':');
        return;
    }
    char *at = rf_rope_room(w->rope, name.n + 4);
    *at = ',';
    at += w->need_comma;
    *at++ = '"';
    memcpy(at, name.key, name.n);
    at[name.n] = '"';
    at[name.n + 1] = ':';
    rf_rope_filled(w->rope, name.n + 3 + w->need_comma);
}

/* What stands before a value: a comma, and the key in an object. */
static void before(struct rf_json *w, struct rf_json_name name)
{
    struct rf_json_level *in = w->depth ? &w->levels[w->depth - 1] : NULL;
    bool object = in && in->is_object;
    int names = (name.key != NULL) + w->key_given;
    if (w->in_string || names != object || (!in && w->need_comma))
        RF_BUG("JSON written out of place");
    if (name.key)
        put_key(w, name);
    else
        put_comma(w);
    if (in && !object)
        in->step.index++;
    w->key_given = false;
    w->need_comma = true;
}

void rf_json_key(struct rf_json *w, struct rf_str key)
{
    if (!w->depth || !w->levels[w->depth - 1].is_object || w->in_string || w->key_given)
        RF_BUG("JSON key written out of place");
    put_comma(w);
    put_string(w, key);
    put_char(w, ':');
    w->key = key;
    w->need_comma = false;
    w->key_given = true;
}

static void note_depth(struct rf_json *w, unsigned depth)
{
    if (w->deepest < depth)
        w->deepest = depth;
}

void rf_json_put_open(struct rf_json *w, struct rf_json_name name, bool object)
{
    before(w, name);
    if (w->depth == MOST_LEVELS)
        RF_BUG("JSON nested too deep");
    w->levels =
        rf_arena_room(w->rope->arena, w->levels, w->depth, &w->level_cap, sizeof *w->levels);
    struct rf_json_level *up = w->depth ? &w->levels[w->depth - 1] : NULL;
    w->levels[w->depth++] = (struct rf_json_level){
        .is_object = object,
        .step = { up && !up->is_object ? up->step.list : w->key, SIZE_MAX }, /* before the first */
    };
    note_depth(w, w->depth);
    put_char(w, object ? '{' : '[');
    w->need_comma = false;
}

void rf_json_end(struct rf_json *w)
{
    if (!w->depth || w->in_string || w->key_given)
        RF_BUG("JSON closed out of place");
    put_char(w, w->levels[--w->depth].is_object ? '}' : ']');
    w->need_comma = true;
}

bool rf_json_is_empty(const struct rf_json *w)
{
    return !w->need_comma;
}

void rf_json_put_raw(struct rf_json *w, struct rf_json_name name, struct rf_str json)
{
    before(w, name);
    put(w, json);
}

void rf_json_put_str(struct rf_json *w, struct rf_json_name name, struct rf_str s)
{
    before(w, name);
    put_string(w, s);
}

void rf_json_put_int(struct rf_json *w, struct rf_json_name name, int64_t n)
{
    char room[RF_NUM_ROOM];
    struct rf_str text = rf_num_text(n < 0 ? 0 - (uint64_t)n : (uint64_t)n, room);
    if (n < 0) {
        char *sign = room + sizeof room - text.n - 1;
        *sign = '-';
        text = (struct rf_str){ sign, text.n + 1 };
    }
    rf_json_put_raw(w, name, text);
}

/* A string as it was spelled, but for lone surrogates: there are readers that refuse a whole
 * request over one. */
static void put_spelled(struct rf_json *w, struct rf_str raw)
{
    for (;;) {
        size_t paired = rf_jval_paired(raw);
        put(w, (struct rf_str){ raw.p, paired });
        if (paired == raw.n)
            break;
        put(w, RF_STR("\\ufffd"));
        raw = (struct rf_str){ raw.p + paired + 6, raw.n - paired - 6 };
    }
}

/* One value without its children: containers only open here. */
static void write_scalar(struct rf_json *w, struct rf_json_name name, const struct rf_jval *v)
{
    if (v->type != RF_JSTRING) {
        rf_json_put_raw(w, name, v->raw);
        return;
    }
    before(w, name);
    put_char(w, '"');
    put_spelled(w, v->raw);
    put_char(w, '"');
}

/* A raw key keeps its escapes, as the value does. */
static void write_raw_key(struct rf_json *w, const struct rf_jval *key)
{
    put(w, w->need_comma ? RF_STR(",\"") : RF_STR("\""));
    put_spelled(w, key->raw);
    put(w, RF_STR("\":"));
    w->need_comma = false;
    w->key_given = true;
}

/* What was spelled compactly is written as it is. Recursion is bounded by the reader's depth
 * limit. */
void rf_json_put_value(struct rf_json *w, struct rf_json_name name, const struct rf_jval *v)
{
    if (v->type != RF_JARRAY && v->type != RF_JOBJECT) {
        write_scalar(w, name, v);
        return;
    }
    if (v->compact) {
        note_depth(w, w->depth + v->depth);
        rf_json_put_raw(w, name, v->raw);
        return;
    }
    rf_json_put_open(w, name, v->type == RF_JOBJECT);
    for (const struct rf_jval *c = rf_jval_first(v); c; c = rf_jval_next(v, c)) {
        if (v->type == RF_JOBJECT)
            write_raw_key(w, c++);
        rf_json_put_value(w, no_name, c);
    }
    rf_json_end(w);
}

void rf_json_member(struct rf_json *w, const struct rf_jval *key)
{
    rf_json_key(w, rf_jval_text(key, w->rope->arena));
    rf_json_value(w, NULL, key + 1);
}

void rf_json_members(struct rf_json *w, const struct rf_jval *object, const char *const *but)
{
    if (!object || object->type != RF_JOBJECT)
        return;
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1))
        if (!but || !rf_jval_is_any(k, but))
            rf_json_member(w, k);
}

void rf_json_base64(struct rf_json *w, const char *key, const struct rf_bytes *bytes)
{
    rf_json_str_open(w, key);
    rf_json_part_base64(w, bytes);
    rf_json_str_close(w);
}

void rf_json_put_quote(struct rf_json *w, struct rf_json_name name)
{
    before(w, name);
    put_char(w, '"');
    w->in_string = true;
}

static void check_in_string(const struct rf_json *w)
{
    if (!w->in_string)
        RF_BUG("part of a JSON string written outside of one");
}

void rf_json_part(struct rf_json *w, struct rf_str s)
{
    check_in_string(w);
    put_escaped(w, s);
}

void rf_json_part_value(struct rf_json *w, const struct rf_jval *v)
{
    rf_json_part(w, v->compact ? v->raw : rf_jval_compact(v, w->rope->arena));
}

void rf_json_part_base64(struct rf_json *w, const struct rf_bytes *bytes)
{
    check_in_string(w);
    rf_rope_base64(w->rope, bytes);
}

void rf_json_part_bytes(struct rf_json *w, const struct rf_bytes *bytes)
{
    check_in_string(w);
    if (!w->failed)
        w->failed = rf_rope_escaped(w->rope, bytes, rf_json_error(w));
}

void rf_json_str_close(struct rf_json *w)
{
    check_in_string(w);
    put_char(w, '"');
    w->in_string = false;
}

void rf_json_mark(struct rf_json *w, const void *what)
{
    struct rf_json_mark *mark = RF_PUSH(w->rope->arena, w->marks, w->mark_count, w->mark_cap);
    *mark = (struct rf_json_mark){ .what = what };
    for (unsigned i = 0; i < w->depth && mark->count < RF_JSON_STEPS; i++)
        if (!w->levels[i].is_object)
            mark->steps[mark->count++] = w->levels[i].step;
}

struct rf_str rf_jval_compact(const struct rf_jval *v, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out;
    if (v->compact)
        return rf_str_dup(a, v->raw);
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_value(&w, NULL, v);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &out, NULL))
        RF_BUG("a JSON value in memory could not be written");
    return out;
}
