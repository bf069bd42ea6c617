/* Walks over the pieces of the body. Text is followed as JSON as far as lists and keys go; a piece that is a file's
 * bytes is met there, and a string that is its URL, its id or its base64 is too. */
#include "request/places.h"

#include "base/arena.h"
#include "base/json_escape.h"
#include "base/limits.h"

#define MOST_STRING 8192 /* bytes of a string that are looked at: a URL, an id, a key */
#define MOST_HEAD 256    /* of those, before the base64 of a data URL */
#define MOST_DEPTH (RF_MAX_JSON_DEPTH + 16)

/* A file that may be met. */
struct wanted {
    size_t decision;
    const struct rf_asset *asset;
    struct rf_str reference; /* as it is spelled in JSON; empty: it is met as a piece */
    bool met;
};

struct level {
    bool is_list;
    size_t index;
    struct rf_str key; /* of a list: its own; of an object: the last one read */
};

struct walk {
    struct rf_arena *arena;
    struct wanted *wanted;
    size_t wanted_count, wanted_cap;
    struct level levels[MOST_DEPTH];
    size_t depth;
    bool in_string, escaped, is_key;
    char string[MOST_STRING];
    size_t string_n; /* MOST_STRING + 1: longer than is looked at */
    struct rf_body_place *places;
    size_t count, cap;
};

static struct rf_str escaped(struct rf_str s, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, rf_json_escaped_length(s) + 1);
    return (struct rf_str){ out, rf_json_escape(s, out) };
}

static void want(struct walk *w, size_t decision, const struct rf_asset *f)
{
    bool remote = f->state == RF_ASSET_URL || f->state == RF_ASSET_FILE_ID;
    bool base64 = f->bytes.kind == RF_BYTES_BASE64 && f->bytes.text.n < MOST_STRING - MOST_HEAD;
    *RF_PUSH(w->arena, w->wanted, w->wanted_count, w->wanted_cap) = (struct wanted){
        .decision = decision,
        .asset = f,
        .reference = remote   ? escaped(f->ref, w->arena)
                     : base64 ? f->bytes.text
                              : RF_STR(""),
    };
}

static void gather(struct walk *w, const struct rf_plan *p)
{
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_decision *d = &p->decisions[i];
        if (d->delivery != RF_DELIVERY_NATIVE && d->delivery != RF_DELIVERY_FALLBACK)
            continue;
        if (!d->made)
            want(w, i, d->part->asset);
        for (size_t k = 0; d->made && k < d->made->count; k++)
            want(w, i, &d->made->parts[k].asset);
    }
}

static void meet(struct walk *w, struct wanted *file)
{
    struct rf_body_place *place = RF_PUSH(w->arena, w->places, w->count, w->cap);
    *place = (struct rf_body_place){ .decision = file->decision, .asset = file->asset };
    for (size_t i = 0; i < w->depth && place->count < RF_MOST_STEPS; i++)
        if (w->levels[i].is_list)
            place->steps[place->count++] =
                (struct rf_place_step){ w->levels[i].key, w->levels[i].index };
    file->met = true;
}

/* A piece that is all of a file's bytes, or of its base64. */
static bool meet_piece(struct walk *w, const struct rf_piece *piece)
{
    for (size_t i = 0; i < w->wanted_count; i++) {
        const struct rf_bytes *bytes = &w->wanted[i].asset->bytes;
        bool text = bytes->kind == RF_BYTES_BASE64 && piece->kind == RF_PIECE_TEXT &&
                    piece->text.p == bytes->text.p;
        if (w->wanted[i].met || (piece->bytes != bytes && !text))
            continue;
        meet(w, &w->wanted[i]);
        return true;
    }
    return false;
}

/* "data:image/png;base64,iVBO…" and "iVBO…" */
static bool is_spelled(struct rf_str text, struct rf_str reference)
{
    if (!reference.n || reference.n > text.n)
        return false;
    size_t head = text.n - reference.n;
    bool is_url = head && text.p[head - 1] == ',' && rf_str_starts(text, "data:");
    return (!head || is_url) && rf_str_eq((struct rf_str){ text.p + head, reference.n }, reference);
}

/* The same file may be sent twice: each time it is met, it is the next of those. */
static void meet_string(struct walk *w, struct rf_str text)
{
    for (size_t i = 0; text.n && i < w->wanted_count; i++)
        if (!w->wanted[i].met && is_spelled(text, w->wanted[i].reference)) {
            meet(w, &w->wanted[i]);
            return;
        }
}

static void open_level(struct walk *w, bool is_list)
{
    struct level *up = w->depth ? &w->levels[w->depth - 1] : NULL;
    if (w->depth == MOST_DEPTH)
        RF_BUG("a body deeper than its writer");
    w->levels[w->depth++] = (struct level){ is_list, 0, up ? up->key : RF_STR("") };
    w->is_key = !is_list;
}

static void close_level(struct walk *w)
{
    w->depth -= w->depth > 0;
    w->is_key = false;
}

static void end_string(struct walk *w)
{
    struct rf_str text = { w->string, w->string_n <= MOST_STRING ? w->string_n : 0 };
    w->in_string = false;
    if (w->is_key && w->depth)
        w->levels[w->depth - 1].key = rf_str_dup(w->arena, text);
    else
        meet_string(w, text);
}

static void take_outside(struct walk *w, char c)
{
    struct level *top = w->depth ? &w->levels[w->depth - 1] : NULL;
    switch (c) {
    case '"':
        w->in_string = true;
        w->string_n = 0;
        break;
    case '{':
    case '[':
        open_level(w, c == '[');
        break;
    case '}':
    case ']':
        close_level(w);
        break;
    case ':':
        w->is_key = false;
        break;
    case ',':
        if (top && top->is_list)
            top->index++;
        w->is_key = top && !top->is_list;
        break;
    default:
        break;
    }
}

static void take(struct walk *w, char c)
{
    if (!w->in_string) {
        take_outside(w, c);
    } else if (c == '"' && !w->escaped) {
        end_string(w);
    } else {
        w->escaped = c == '\\' && !w->escaped;
        if (w->string_n < MOST_STRING)
            w->string[w->string_n++] = c;
        else
            w->string_n = MOST_STRING + 1;
    }
}

void rf_request_places(const struct rf_request *r, struct rf_arena *a, struct rf_body_place **out,
                       size_t *count)
{
    struct walk *w = RF_NEW(a, struct walk);
    w->arena = a;
    gather(w, &r->plan);
    for (size_t i = 0; i < r->body.count; i++) {
        const struct rf_piece *piece = &r->body.pieces[i];
        bool met = meet_piece(w, piece);
        for (size_t k = 0; !met && piece->kind == RF_PIECE_TEXT && k < piece->text.n; k++)
            take(w, piece->text.p[k]);
        if (met || piece->kind != RF_PIECE_TEXT)
            w->string_n = MOST_STRING + 1; /* this string is looked at no more */
    }
    *out = w->places;
    *count = w->count;
}
