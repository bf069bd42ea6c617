#include "source/survey.h"

#include "base/arena.h"
#include "source/lift.h"

/* Said after a text that was cut, where the tool that it names is not offered. */
#define NOT_AT_HAND \
    "[read_attachment is not at hand here: ask a person for the part that is needed.]"

/* Said in the place of blocks that a tool meant for the person. */
#define FOR_THE_PERSON "[For the person alone, and not sent to you: %zu %s of this result.]"

struct walk {
    struct rf_survey *survey;
    struct rf_surveyed *message;
    struct rf_str home; /* the dialect that all of it is for; or empty */
    const struct rf_asset_place *place;
    struct rf_asset_place theirs; /* of the message at hand */
    struct rf_arena *arena;
    bool reads_on; /* the tool for texts that were cut is offered */
    long block_index;
};

static struct rf_part *add(struct walk *w, enum rf_part_kind kind)
{
    struct rf_surveyed *m = w->message;
    struct rf_part *p = RF_PUSH(w->arena, m->parts, m->count, m->cap);
    p->kind = kind;
    p->block_index = w->block_index;
    return p;
}

static void add_text(struct walk *w, struct rf_str text)
{
    if (!rf_str_blank(text))
        add(w, RF_PART_TEXT)->text = text;
}

/* A person's message in our own format names a file by its path: it is the person's, unless a
 * worker made it or it was fetched. What a message carries, what is in a store, and all of tools
 * and other APIs may come from anywhere. */
static bool is_own(const struct walk *w, const struct rf_asset *asset)
{
    const struct rf_message *m = w->message->message;
    bool named = asset->block->media.source.kind == RF_SOURCE_PATH &&
                 asset->bytes.kind == RF_BYTES_FILE && asset->bytes.path;
    return named && !asset->block->media.source.foreign && m->role == RF_ROLE_USER &&
           !w->survey->conversation->dialect.n && !rf_is_kept(w->place->kept, asset->bytes.path);
}

static struct rf_asset *add_media(struct walk *w, const struct rf_block *block,
                                  const char *found_in)
{
    struct rf_part *p = add(w, RF_PART_MEDIA);
    p->block = block;
    p->found_in = found_in;
    p->asset = RF_NEW(w->arena, struct rf_asset);
    rf_asset_init(p->asset, block, &w->theirs, w->arena);
    p->asset->bytes.own = is_own(w, p->asset);
    w->survey->asset_count++;
    return p->asset;
}

static void add_lifted(struct walk *w, const struct rf_lifted *lifted, const char *found_in)
{
    for (size_t i = 0; i < lifted->count; i++)
        add_media(w, lifted->blocks[i], found_in);
}

/* What hides in a text file comes after it. */
static void add_file(struct walk *w, const struct rf_block *block)
{
    struct rf_lifted lifted = { 0 };
    struct rf_asset *file = add_media(w, block, NULL);
    if (!file->text_with_files.n || w->message->message->role == RF_ROLE_ASSISTANT)
        return;
    rf_asset_lift(file, &lifted, w->arena);
    add_lifted(w, &lifted, "document");
}

/* Text of a tool or a person: hidden files become parts in their places. */
static void add_searched_text(struct walk *w, struct rf_str text, const char *found_in)
{
    struct rf_lifted lifted = { 0 };
    struct rf_str before, after, json;
    struct rf_block found;
    if (rf_lift_json_text(text, w->arena, &json, &lifted)) {
        add_text(w, json);
        add_lifted(w, &lifted, found_in);
        return;
    }
    while (rf_lift_text(text, w->arena, &before, &found, &after)) {
        struct rf_block *block = RF_NEW(w->arena, struct rf_block);
        *block = found;
        add_text(w, before);
        add_media(w, block, found_in);
        text = after;
    }
    add_text(w, text);
}

/* A text of which `blob` holds all, or an empty one where it is whole. */
static void add_cut_text(struct walk *w, struct rf_str text, struct rf_str blob,
                         const char *found_in)
{
    add_searched_text(w, text, found_in);
    if (blob.n && !w->reads_on)
        add_text(w, RF_STR(NOT_AT_HAND));
}

static void add_json(struct walk *w, const struct rf_jval *value, const char *found_in)
{
    struct rf_lifted lifted = { 0 };
    add(w, RF_PART_JSON)->text = rf_lift_json(value, w->arena, &lifted);
    add_lifted(w, &lifted, found_in);
}

static void add_answer(struct walk *w, const struct rf_block *block)
{
    struct rf_str text = rf_lift_away(block->text, w->arena);
    if (rf_str_blank(text) && !block->extra) /* a mark may hang on it */
        return;
    struct rf_part *p = add(w, RF_PART_TEXT);
    p->text = text;
    p->block = block;
}

/* A model's own go to no other API; those of users and tools are read as JSON there, beside the
 * files in them. At home they go whole, and so do the files. */
static void add_opaque(struct walk *w, const struct rf_block *block)
{
    struct rf_lifted lifted = { .dropped = rf_str_eq(block->dialect, w->home) };
    struct rf_part *p = add(w, RF_PART_OPAQUE);
    p->block = block;
    p->text = rf_lift_away(block->text_fallback, w->arena);
    if (!rf_str_blank(p->text) || w->message->message->role == RF_ROLE_ASSISTANT)
        return;
    p->text = rf_lift_json(block->value, w->arena, &lifted);
    if (!lifted.dropped)
        add_lifted(w, &lifted, "opaque");
}

static void add_block(struct walk *w, const struct rf_block *block)
{
    switch (block->type) {
    case RF_BLOCK_TEXT:
        if (w->message->message->role == RF_ROLE_ASSISTANT) /* answers go back as text */
            add_answer(w, block);
        else
            add_cut_text(w, block->text, block->full_text, "text");
        break;
    case RF_BLOCK_JSON:
        if (block->value)
            add_json(w, block->value, "json");
        break;
    case RF_BLOCK_IMAGE:
    case RF_BLOCK_DOCUMENT:
    case RF_BLOCK_AUDIO:
    case RF_BLOCK_VIDEO:
        add_file(w, block);
        break;
    case RF_BLOCK_THINKING:
        add(w, RF_PART_THINKING)->block = block;
        break;
    case RF_BLOCK_TOOL_CALL:
        add(w, RF_PART_CALL)->block = block;
        break;
    case RF_BLOCK_OPAQUE:
        add_opaque(w, block);
        break;
    }
}

static void add_result_head(struct walk *w, const struct rf_message *m)
{
    w->block_index = -1;
    add_cut_text(w, m->output, m->full_output, "output");
    if (m->failed) {
        size_t first = w->message->count;
        add_cut_text(w, m->error, m->full_error, "error");
        for (size_t i = first; i < w->message->count; i++)
            w->message->parts[i].is_error = w->message->parts[i].kind == RF_PART_TEXT;
    }
    if (m->data)
        add_json(w, m->data, "data");
}

static bool is_offered(const struct rf_conversation *c, const char *tool)
{
    for (size_t i = 0; i < c->tool_count; i++)
        if (rf_str_is(c->tools[i].name, tool))
            return true;
    return false;
}

static void add_blocks(struct walk *w, const struct rf_message *m)
{
    size_t kept_back = 0;
    for (size_t i = 0; i < m->block_count; i++) {
        w->block_index = (long)i;
        if (m->role == RF_ROLE_TOOL && rf_block_is_for_person(&m->blocks[i]))
            kept_back++;
        else
            add_block(w, &m->blocks[i]);
    }
    if (kept_back)
        add_text(w,
                 rf_strf(w->arena, FOR_THE_PERSON, kept_back, kept_back == 1 ? "part" : "parts"));
}

void rf_survey_init(struct rf_survey *s, const struct rf_conversation *c, struct rf_str home,
                    const struct rf_asset_place *place, struct rf_arena *a)
{
    struct walk w = {
        .survey = s,
        .home = home,
        .place = place,
        .arena = a,
        .reads_on = is_offered(c, "read_attachment"),
    };
    *s = (struct rf_survey){
        .conversation = c,
        .messages = RF_ARRAY(a, struct rf_surveyed, c->message_count),
        .count = c->message_count,
    };
    for (size_t i = 0; i < s->count; i++) {
        const struct rf_message *m = &c->messages[i];
        w.message = &s->messages[i];
        w.theirs = rf_asset_place_for(w.place, m->role);
        *w.message = (struct rf_surveyed){ .message = m, .index = i };
        if (m->role == RF_ROLE_TOOL)
            add_result_head(&w, m);
        add_blocks(&w, m);
    }
}
