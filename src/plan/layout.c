/* Step two: the turns.
 *
 * An assistant message with calls is followed by one user turn that begins with the results of
 * all its calls, in the order of the calls: those that were found, and a line that says so for
 * those that were not. Behind them comes the injected media, then results without a call, then
 * what the user said meanwhile. Where the endpoint wants results alone in their turn, a short
 * assistant turn stands between. */
#include "base/arena.h"
#include "model/tokens.h"
#include "plan/cache.h"
#include "plan/file_tokens.h"
#include "plan/ids.h"
#include "plan/pairing.h"
#include "plan/pieces.h"
#include "plan/plan.h"
#include "plan/room.h"
#include "plan/settings.h"
#include "plan/sight.h"
#include "plan/words.h"
#include "source/lift.h"

/* A run of items on its way into a turn. */
struct items {
    struct rf_item *list;
    size_t count, cap;
};

struct layout {
    struct rf_plan *plan;
    const struct rf_survey *survey;
    const struct rf_caps *caps;
    struct rf_arena *arena;
    struct rf_ids call_ids, tool_ids;
    struct rf_ids tools_by_name; /* a place is the index of the first tool of the name, plus one */
    size_t *first_decision;      /* of each message: decisions come in the order of the parts */
    struct rf_sight sight;
    struct items injected; /* of the turn being built */
    size_t documents;      /* numbered so far */
};

static struct rf_item *add(struct layout *l, struct items *to, enum rf_item_kind kind)
{
    struct rf_item *item = RF_PUSH(l->arena, to->list, to->count, to->cap);
    item->kind = kind;
    return item;
}

static void add_text(struct layout *l, struct items *to, struct rf_str text)
{
    if (!rf_str_blank(text))
        add(l, to, RF_ITEM_TEXT)->text = text;
}

static void add_json(struct layout *l, struct items *to, struct rf_str json)
{
    struct rf_item *item = add(l, to, RF_ITEM_JSON);
    item->text = json;
    item->json_object = json.n && json.p[0] == '{';
}

static struct rf_item *add_media(struct layout *l, struct items *to, const struct rf_asset *asset)
{
    struct rf_item *item = add(l, to, RF_ITEM_MEDIA);
    bool document =
        asset->kind == RF_KIND_PDF || asset->kind == RF_KIND_TEXT || asset->kind == RF_KIND_OFFICE;
    item->asset = asset;
    item->block = asset->block;
    if (document)
        item->label = rf_strf(l->arena, "document %zu", ++l->documents);
    return item;
}

static struct rf_item *add_text_file(struct layout *l, struct items *to,
                                     const struct rf_asset *asset, bool plain)
{
    struct rf_item *item = add(l, to, RF_ITEM_TEXT_FILE);
    item->text = rf_words_heading(asset, l->arena);
    item->asset = asset;
    item->block = asset->block;
    item->plain = plain;
    return item;
}

/* Words that stand for a file; they are what it costs, for whoever asks. */
static void add_words(struct layout *l, struct items *to, struct rf_decision *d,
                      struct rf_str words)
{
    add_text(l, to, words);
    d->words = words;
    d->tokens = -1;
}

/* What was made of a file, each thing behind its caption; or the file itself. */
static void add_sent(struct layout *l, struct items *to, struct rf_decision *d)
{
    d->tokens = 0;
    if (!d->made) {
        d->tokens = rf_item_tokens(l->caps, add_media(l, to, d->part->asset));
        return;
    }
    for (size_t i = 0; i < d->made->count; i++) {
        add_text(l, to, rf_words_caption(d, i, l->arena));
        d->tokens += rf_item_tokens(l->caps, add_media(l, to, &d->made->parts[i].asset));
    }
    add_text(l, to, rf_words_left_out(d, l->arena));
}

static void add_picture(struct layout *l, struct items *to, const struct rf_decision *d,
                        int64_t *tokens)
{
    const struct rf_asset *f =
        d->made && d->made->count ? &d->made->parts[0].asset : d->part->asset;
    *tokens += rf_item_tokens(l->caps, add_media(l, to, f));
}

/* A piece of a text, after what stands before it. */
static void add_piece(struct layout *l, struct items *to, struct rf_str *before,
                      struct rf_str piece, int64_t *tokens)
{
    struct rf_str words = rf_str_join(l->arena, *before, rf_lift_away(piece, l->arena));
    add_text(l, to, words);
    *tokens += rf_text_tokens(l->caps, words);
    *before = RF_STR("");
}

/* The text of a document with its pictures in their places; after all results where no picture
 * may stand inside of one. */
static void add_with_pictures(struct layout *l, struct items *to, struct rf_decision *d,
                              const struct rf_item *call)
{
    struct rf_str before = rf_words_before_text(d, l->plan->model, l->arena);
    struct rf_str text = rf_decision_text(d);
    size_t at = 0;
    bool introduced = false;
    d->tokens = 0;
    for (size_t i = 0; i < d->pictures_kept; i++) {
        const struct rf_decision *p = &d->pictures[i];
        size_t end = d->made->parts[i].text_end;
        if (p->delivery == RF_DELIVERY_NATIVE) {
            add_piece(l, to, &before, (struct rf_str){ text.p + at, end - at }, &d->tokens);
            add_picture(l, to, p, &d->tokens);
            at = end;
        } else if (rf_decision_is_sent(p)) {
            if (!introduced)
                add_text(l, &l->injected,
                         rf_words_introduction(d->part->asset, call->name, call->id, l->arena));
            introduced = true;
            add_text(l, &l->injected, rf_words_picture(p, d->part->asset, l->arena));
            add_picture(l, &l->injected, p, &d->tokens);
        }
    }
    add_piece(l, to, &before, (struct rf_str){ text.p + at, text.n - at }, &d->tokens);
}

/* A file in its place. `call` is the result it is part of, or NULL. */
static void add_file(struct layout *l, struct items *to, struct rf_decision *d,
                     const struct rf_item *call)
{
    const struct rf_asset *asset = d->part->asset;
    if (d->delivery == RF_DELIVERY_NATIVE) {
        add_sent(l, to, d);
    } else if (d->delivery == RF_DELIVERY_FALLBACK) {
        add_text(l, to, rf_words_reference(asset, l->arena));
        add_text(l, &l->injected, rf_words_introduction(asset, call->name, call->id, l->arena));
        add_sent(l, &l->injected, d);
    } else if (d->inlined && asset->text_with_files.n) {
        add_words(l, to, d, rf_words_text_file(asset, l->arena));
    } else if (d->inlined) {
        bool plain = call && call->failed && l->caps->error_text_only;
        d->tokens = rf_item_tokens(l->caps, add_text_file(l, to, asset, plain));
    } else if (d->delivery == RF_DELIVERY_TEXT && d->pictures_kept) {
        add_with_pictures(l, to, d, call);
    } else {
        add_words(l, to, d, rf_words_instead(d, l->plan->model, l->arena));
    }
}

/* A failure that no mark tells, on this wire or outside of a result, is told in words. */
static bool is_marked(const struct layout *l, const struct rf_item *call)
{
    return call && l->caps->result_status;
}

static void add_error(struct layout *l, struct items *to, struct rf_str text,
                      const struct rf_item *call)
{
    add_text(l, to, is_marked(l, call) ? text : rf_str_join(l->arena, RF_STR("Error: "), text));
}

/* A failed result whose error is in no place of its own: what it says first is the error. */
static bool fails_in_output(const struct rf_surveyed *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->parts[i].is_error)
            return false;
    return m->message->role == RF_ROLE_TOOL && m->message->failed;
}

static bool is_home(const struct layout *l, struct rf_str dialect)
{
    return rf_str_eq(dialect, l->caps->dialect);
}

static void add_kept(struct layout *l, struct items *to, const struct rf_part *part)
{
    struct rf_item *item = add(l, to, RF_ITEM_OPAQUE);
    item->block = part->block;
    item->text = part->text;
}

/* What only one API can say goes back there; elsewhere its words are read. */
static void add_opaque(struct layout *l, struct items *to, const struct rf_part *part)
{
    if (is_home(l, part->block->dialect))
        add_kept(l, to, part);
    else
        add_text(l, to, part->text);
}

static size_t text_bytes(const struct rf_surveyed *m)
{
    size_t sum = 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->parts[i].kind == RF_PART_TEXT || m->parts[i].kind == RF_PART_JSON)
            sum += m->parts[i].text.n;
    return sum;
}

/* As much of a text as there is room for; what takes its place is said once, where it ends. */
static void cut_text(struct layout *l, struct items *to, const struct rf_surveyed *m,
                     struct rf_str text, struct rf_room *room, bool *told)
{
    bool silent = l->plan->messages[m->index].fate == RF_FATE_SILENT;
    size_t all = text_bytes(m);
    if (*told)
        return;
    struct rf_str head = rf_room_front(room, l->caps, text);
    add_text(l, to, head);
    add_text(l, to,
             silent ? rf_words_silent(m->message, all, l->arena)
                    : rf_words_cut(room->used + head.n, all, l->arena));
    *told = true;
}

/* The parts of a user message, of a result, or of a result without a call. */
static void add_parts(struct layout *l, struct items *to, const struct rf_surveyed *m,
                      const struct rf_item *call)
{
    struct rf_decision *d = &l->plan->decisions[l->first_decision[m->index]];
    bool said = false, told = false, in_output = fails_in_output(m);
    struct rf_room room = rf_room_of(&l->plan->messages[m->index]);
    for (size_t i = 0; i < m->count; i++) {
        const struct rf_part *part = &m->parts[i];
        bool is_error = part->is_error || in_output, whole;
        switch (part->kind) {
        case RF_PART_TEXT:
        case RF_PART_JSON:
            whole = rf_room_take(&room, l->caps, part->text);
            if (!whole)
                cut_text(l, to, m, part->text, &room, &told);
            else if (part->kind == RF_PART_JSON)
                add_json(l, to, part->text);
            else if (is_error && !said)
                add_error(l, to, part->text, call);
            else
                add_text(l, to, part->text);
            said |= is_error && part->kind == RF_PART_TEXT && whole;
            break;
        case RF_PART_MEDIA:
            add_file(l, to, d++, call);
            break;
        case RF_PART_OPAQUE:
            add_opaque(l, to, part);
            break;
        case RF_PART_THINKING:
        case RF_PART_CALL:
            break;
        }
    }
    bool silent = m->message->role == RF_ROLE_TOOL && m->message->failed && !said;
    if (silent && (to->count == 0 || !is_marked(l, call)))
        add_error(l, to, RF_STR(RF_WORDS_FAILED), call);
}

static struct rf_turn *new_turn(struct layout *l, enum rf_role role)
{
    struct rf_plan *p = l->plan;
    struct rf_turn *t = RF_PUSH(l->arena, p->turns, p->turn_count, p->turn_cap);
    t->role = role;
    return t;
}

static struct rf_turn *last_turn(const struct layout *l)
{
    return l->plan->turn_count ? &l->plan->turns[l->plan->turn_count - 1] : NULL;
}

static bool holds_results(const struct rf_turn *t)
{
    return t->count && t->items[0].kind == RF_ITEM_RESULT;
}

/* `from` is not used any more behind this. */
static void append(struct layout *l, struct rf_turn *t, const struct items *from)
{
    if (!t->count) {
        t->items = from->list;
        t->count = from->count;
        t->cap = from->cap;
        return;
    }
    for (size_t i = 0; i < from->count; i++)
        *RF_PUSH(l->arena, t->items, t->count, t->cap) = from->list[i];
}

static bool all_beside(const struct layout *l, const struct items *items)
{
    for (size_t i = 0; i < items->count; i++)
        if (items->list[i].kind == RF_ITEM_MEDIA &&
            !(l->caps->beside & 1u << items->list[i].asset->kind))
            return false;
    return true;
}

static void separate(struct layout *l)
{
    struct items words = { 0 };
    add_text(l, &words, RF_STR(RF_WORDS_SEPARATOR));
    append(l, new_turn(l, RF_ROLE_ASSISTANT), &words);
}

static bool needs_words(const struct layout *l, const struct rf_turn *t)
{
    bool document = false;
    for (size_t i = 0; i < t->count; i++) {
        if (t->items[i].kind != RF_ITEM_MEDIA)
            return false;
        document |= t->items[i].label.n > 0;
    }
    return document && l->caps->document_needs_text;
}

/* The turn that user content goes to, behind whatever stands there now. */
static struct rf_turn *user_turn(struct layout *l, const struct items *items)
{
    struct rf_turn *last = last_turn(l);
    if (!last || last->role != RF_ROLE_USER || last->speaker != RF_SPEAKER_USER)
        return new_turn(l, RF_ROLE_USER);
    if (!holds_results(last))
        return l->caps->merge_turns ? last : new_turn(l, RF_ROLE_USER);
    if (l->caps->after == RF_AFTER_SAME_TURN && all_beside(l, items))
        return last;
    if (l->caps->after != RF_AFTER_NEXT_TURN)
        separate(l);
    return new_turn(l, RF_ROLE_USER);
}

static void put_user_items(struct layout *l, const struct items *items)
{
    if (!items->count)
        return;
    struct rf_turn *t = user_turn(l, items);
    append(l, t, items);
    if (needs_words(l, t)) {
        struct items words = { 0 };
        add_text(l, &words, RF_STR(RF_WORDS_DOCUMENT));
        append(l, t, &words);
    }
}

/* Where its message was marked as worth caching, the last item is. */
static void mark_last(const struct layout *l, struct items *items, const struct rf_surveyed *m)
{
    if (items->count && l->caps->cache_marks)
        items->list[items->count - 1].cache = rf_cache_marked(m->message);
}

/* Words of a system or a developer among the others are a turn of their own where the endpoint is
 * known to take that, or took it when the request was another's. */
static bool keeps_speaker(const struct layout *l, const struct rf_message *m)
{
    return m->speaker != RF_SPEAKER_USER &&
           (l->caps->system_turns || is_home(l, l->plan->conversation->dialect));
}

static void put_user_message(struct layout *l, const struct rf_surveyed *m)
{
    struct items items = { 0 };
    add_text(l, &items, rf_sight_line(&l->sight, l->plan, m->index, l->arena));
    add_parts(l, &items, m, NULL);
    mark_last(l, &items, m);
    if (!keeps_speaker(l, m->message)) {
        put_user_items(l, &items);
    } else if (items.count) {
        struct rf_turn *t = new_turn(l, RF_ROLE_USER);
        t->speaker = m->message->speaker;
        append(l, t, &items);
    }
}

static void put_orphan(struct layout *l, const struct rf_surveyed *m)
{
    struct items items = { 0 };
    add_text(l, &items, rf_sight_line(&l->sight, l->plan, m->index, l->arena));
    add_text(l, &items, rf_words_orphan(m->message, l->arena));
    size_t empty = items.count;
    add_parts(l, &items, m, NULL);
    if (items.count == empty)
        add_text(l, &items, RF_STR(RF_WORDS_NO_OUTPUT));
    put_user_items(l, &items);
}

/* "claude-sonnet-4-5-20250929" is "claude-sonnet-4-5": the same model under its dated name. */
static struct rf_str without_date(struct rf_str name)
{
    size_t digits = 0;
    while (digits < name.n && name.p[name.n - 1 - digits] >= '0' &&
           name.p[name.n - 1 - digits] <= '9')
        digits++;
    bool dated = digits == 8 && name.n > 9 && name.p[name.n - 9] == '-';
    return dated ? (struct rf_str){ name.p, name.n - 9 } : name;
}

/* An imported request does not say whose endpoint it was for, and some APIs have the model in the
 * address: the same API and no other model will do then. */
static bool came_from_here(const struct layout *l, const struct rf_message *m)
{
    const struct rf_model *model = l->plan->model;
    struct rf_str imported = l->plan->conversation->dialect;
    bool same = rf_str_eq(without_date(m->origin_model), without_date(model->name));
    if (is_home(l, imported))
        return same || !m->origin_model.n;
    return same && rf_str_eq(m->origin_provider, model->provider);
}

static bool goes_back(const struct layout *l, const struct rf_thinking *t)
{
    switch (rf_caps_replay(l->caps)) {
    case RF_REPLAY_NONE:
        return false;
    case RF_REPLAY_SIGNED:
        return t->redacted.n || t->signature.n;
    case RF_REPLAY_ENCRYPTED:
        return t->encrypted.n && t->id.n;
    case RF_REPLAY_TEXT:
        return t->text.n || t->signature.n || t->encrypted.n || t->redacted.n;
    }
    return false;
}

static struct rf_str tool_name(struct layout *l, struct rf_str name)
{
    size_t place = rf_ids_slot(&l->tools_by_name, name)->place;
    return place ? l->plan->tools[place - 1].name : rf_legal_tool_name(name, l->arena);
}

static struct rf_item *add_call(struct layout *l, struct items *to, const struct rf_block *block,
                                size_t message, size_t number)
{
    struct rf_item *item = add(l, to, RF_ITEM_CALL);
    item->block = block;
    item->name = tool_name(l, block->call.name);
    item->id = rf_ids_call(&l->call_ids, l->caps->call_ids, block->call.id, message, number);
    return item;
}

/* Thoughts that led to nothing are refused where they must stand before what they led to. */
static void drop_trailing_thoughts(const struct layout *l, struct items *items)
{
    if (rf_caps_replay(l->caps) == RF_REPLAY_ENCRYPTED)
        while (items->count && items->list[items->count - 1].kind == RF_ITEM_THINKING)
            items->count--;
}

static void sign_calls(const struct layout *l, struct items *items, bool own)
{
    struct rf_item *first = NULL;
    bool is_signed = false;
    for (size_t i = 0; i < items->count; i++) {
        struct rf_item *item = &items->list[i];
        if (item->kind != RF_ITEM_CALL)
            continue;
        first = first ? first : item;
        if (own)
            item->signature = item->block->call.signature;
        is_signed |= item->signature.n > 0;
    }
    if (first && !is_signed)
        first->signature = l->caps->call_signature;
}

static void add_said(struct layout *l, struct items *to, const struct rf_part *part, bool own)
{
    size_t before = to->count;
    add_text(l, to, part->text);
    if (own && to->count > before)
        to->list[before].block = part->block;
}

static struct items assistant_items(struct layout *l, const struct rf_surveyed *m)
{
    struct rf_decision *d = &l->plan->decisions[l->first_decision[m->index]];
    bool own = came_from_here(l, m->message);
    struct items items = { 0 };
    size_t number = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct rf_part *part = &m->parts[i];
        switch (part->kind) {
        case RF_PART_TEXT:
            add_said(l, &items, part, own);
            break;
        case RF_PART_JSON:
            add_json(l, &items, part->text);
            break;
        case RF_PART_MEDIA:
            add_file(l, &items, d++, NULL);
            break;
        case RF_PART_THINKING:
            if (own && goes_back(l, &part->block->thinking))
                add(l, &items, RF_ITEM_THINKING)->block = part->block;
            break;
        case RF_PART_CALL:
            add_call(l, &items, part->block, m->index, number++);
            break;
        case RF_PART_OPAQUE:
            if (own || !is_home(l, part->block->dialect))
                add_opaque(l, &items, part);
            break;
        }
    }
    sign_calls(l, &items, own);
    drop_trailing_thoughts(l, &items);
    return items;
}

static struct rf_item result_of(struct layout *l, const struct rf_item *call,
                                const struct rf_surveyed *m)
{
    struct rf_item result = { .kind = RF_ITEM_RESULT, .id = call->id, .name = call->name };
    struct items items = { 0 };
    if (m) {
        result.failed = m->message->failed;
        result.cache = l->caps->cache_marks && rf_cache_marked(m->message);
        add_parts(l, &items, m, &result);
        if (!items.count)
            add_text(l, &items, RF_STR(RF_WORDS_NO_OUTPUT));
    } else {
        result.failed = true;
        add_error(l, &items, RF_STR(RF_WORDS_NO_RESULT), call);
    }
    result.items = items.list;
    result.count = items.count;
    result.cap = items.cap;
    return result;
}

/* The results of all calls of one assistant message, in the order of the calls. */
static void put_results(struct layout *l, const struct items *assistant,
                        const struct rf_paired *paired)
{
    struct items results = { 0 };
    size_t number = 0;
    l->injected = (struct items){ 0 };
    for (size_t i = 0; i < assistant->count; i++) {
        const struct rf_item *call = &assistant->list[i];
        if (call->kind != RF_ITEM_CALL)
            continue;
        long at = paired->results[number++];
        struct rf_item result = result_of(l, call, at < 0 ? NULL : &l->survey->messages[at]);
        *RF_PUSH(l->arena, results.list, results.count, results.cap) = result;
        if (at >= 0)
            add_text(l, &l->injected, rf_sight_line(&l->sight, l->plan, (size_t)at, l->arena));
    }
    if (!results.count)
        return;
    append(l, new_turn(l, RF_ROLE_USER), &results);
    put_user_items(l, &l->injected);
}

static void put_assistant(struct layout *l, const struct rf_surveyed *m)
{
    struct items items = assistant_items(l, m);
    struct rf_turn *last = last_turn(l);
    mark_last(l, &items, m);
    if (!items.count)
        return;
    if (!last && l->caps->merge_turns && !is_home(l, l->plan->conversation->dialect)) {
        struct items words = { 0 };
        add_text(l, &words, RF_STR(RF_WORDS_BEGIN));
        append(l, new_turn(l, RF_ROLE_USER), &words);
    }
    bool merge = last && last->role == RF_ROLE_ASSISTANT && l->caps->merge_turns;
    append(l, merge ? last : new_turn(l, RF_ROLE_ASSISTANT), &items);
    put_results(l, &items, &l->plan->pairing->messages[m->index]);
}

static void number_decisions(struct layout *l)
{
    size_t next = 0;
    l->first_decision = RF_ARRAY(l->arena, size_t, l->survey->count + 1);
    for (size_t i = 0; i < l->survey->count; i++) {
        l->first_decision[i] = next;
        for (size_t j = 0; j < l->survey->messages[i].count; j++)
            next += l->survey->messages[i].parts[j].kind == RF_PART_MEDIA;
    }
}

static const struct rf_jval *kept_for(const struct layout *l, const struct rf_jval *extra)
{
    return rf_jval_get(rf_jval_get(extra, "extra"), rf_cstr(l->arena, l->caps->dialect));
}

/* What was kept aside when the request was read goes back to where it came from. */
static void send_kept(const struct layout *l)
{
    static const struct rf_jval nothing = { .type = RF_JOBJECT, .span = 1 };
    struct rf_plan *p = l->plan;
    const struct rf_conversation *c = p->conversation;
    if (!l->caps->own_fields || !is_home(l, c->dialect))
        return;
    p->kept = kept_for(l, c->extra) ? kept_for(l, c->extra) : &nothing;
    p->kept_options = kept_for(l, c->options.extra);
    const struct rf_jval *list = rf_jval_get(p->kept, "tools");
    p->server_tools = list && list->type == RF_JARRAY && list->count ? list : NULL;
}

/* Tools that the API of the request runs or knows itself are lost elsewhere. */
static void note_lost_tools(const struct layout *l)
{
    struct rf_plan *p = l->plan;
    const struct rf_conversation *c = p->conversation;
    const struct rf_jval *said = rf_jval_get(c->extra, "extra");
    const struct rf_jval *list =
        rf_jval_get(rf_jval_get(said, rf_cstr(l->arena, c->dialect)), "tools");
    if (p->server_tools || !list || list->type != RF_JARRAY || !list->count)
        return;
    *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
        rf_strf(l->arena, "tools of %.*s alone were left out: %.*s:%.*s is not known to have them",
                RF_FMT(c->dialect), RF_FMT(p->model->provider), RF_FMT(p->model->name));
}

static void name_tools(struct layout *l)
{
    struct rf_plan *p = l->plan;
    const struct rf_conversation *c = p->conversation;
    p->tool_count = p->offers_tools ? c->tool_count : 0;
    p->tools = RF_ARRAY(l->arena, struct rf_tool, c->tool_count);
    for (size_t i = 0; i < c->tool_count; i++) {
        p->tools[i] = c->tools[i];
        p->tools[i].name = rf_ids_tool(&l->tool_ids, c->tools[i].name);
        struct rf_id_slot *slot = rf_ids_slot(&l->tools_by_name, c->tools[i].name);
        slot->place = slot->place ? slot->place : i + 1;
        if (p->tool_choice == RF_CHOICE_TOOL && rf_str_eq(c->tools[i].name, c->tool_choice_name))
            p->tool_choice_name = p->tools[i].name;
    }
}

/* Does one of the API's own tools, which goes back as it came, have this name? */
static bool is_served(const struct layout *l, struct rf_str name)
{
    const struct rf_jval *list = l->plan->server_tools;
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v;
         v = rf_jval_next(list, v)) {
        const struct rf_jval *served = rf_jval_get(rf_jval_get(v, "value"), "name");
        if (served && served->type == RF_JSTRING && rf_str_eq(rf_jval_text(served, l->arena), name))
            return true;
    }
    return false;
}

/* Tools that the history called and nobody describes any more, where an endpoint insists. */
static void add_missing_tools(struct layout *l)
{
    struct rf_plan *p = l->plan;
    size_t cap = p->tool_count;
    if (p->tool_count || !l->caps->tools_required)
        return;
    struct rf_ids seen;
    rf_ids_init(&seen, l->arena);
    for (size_t t = 0; t < p->turn_count; t++) {
        for (size_t i = 0; i < p->turns[t].count; i++) {
            const struct rf_item *item = &p->turns[t].items[i];
            if (item->kind == RF_ITEM_CALL && rf_ids_new(&seen, item->name) &&
                !is_served(l, item->name))
                RF_PUSH(l->arena, p->tools, p->tool_count, cap)->name = item->name;
        }
    }
}

static const struct rf_surveyed *last_answer(const struct layout *l)
{
    for (size_t i = l->survey->count; i > 0; i--)
        if (l->survey->messages[i - 1].message->role == RF_ROLE_ASSISTANT)
            return &l->survey->messages[i - 1];
    return NULL;
}

/* Are the last calls without the thoughts that led to them? They are another model's, or were made
 * without thinking. */
static bool is_mid_turn(const struct layout *l)
{
    const struct rf_surveyed *m = last_answer(l);
    bool called = false, thought = false;
    for (size_t i = 0; m && i < m->count && !thought; i++) {
        called |= m->parts[i].kind == RF_PART_CALL;
        thought = m->parts[i].kind == RF_PART_THINKING && came_from_here(l, m->message) &&
                  goes_back(l, &m->parts[i].block->thinking);
    }
    return called && !thought;
}

/* A line for the messages that are left out. */
static void put_gone(struct layout *l)
{
    struct items items = { 0 };
    size_t count = 0;
    while (count < l->survey->count && l->plan->messages[count].fate == RF_FATE_GONE)
        count++;
    if (!count)
        return;
    add_text(l, &items, rf_words_gone(count, l->arena));
    put_user_items(l, &items);
}

/* Instructions alone are a request where the endpoint takes them; elsewhere a short user turn
 * stands behind them. */
static enum rf_code put_something(struct layout *l, struct rf_err *err)
{
    struct rf_plan *p = l->plan;
    struct items words = { 0 };
    if (p->turn_count)
        return RF_OK;
    if (rf_str_blank(p->conversation->system))
        return rf_fail(err, RF_EFORMAT, "messages: there is nothing to send");
    if (l->caps->system_alone)
        return RF_OK;
    add_text(l, &words, RF_STR(RF_WORDS_INSTRUCTIONS));
    put_user_items(l, &words);
    *RF_PUSH(l->arena, p->notices, p->notice_count, p->notice_cap) =
        rf_strf(l->arena,
                "a short user message was added: %.*s:%.*s is not known to take instructions alone",
                RF_FMT(p->model->provider), RF_FMT(p->model->name));
    return RF_OK;
}

enum rf_code rf_plan_lay_out(struct rf_plan *p, const struct rf_survey *s, struct rf_arena *a,
                             struct rf_err *err)
{
    struct layout l = { .plan = p, .survey = s, .caps = &p->model->caps, .arena = a };
    rf_ids_init(&l.call_ids, a);
    rf_ids_init(&l.tool_ids, a);
    rf_ids_init(&l.tools_by_name, a);
    p->mid_turn = is_mid_turn(&l);
    rf_plan_settings(p, a);
    name_tools(&l);
    send_kept(&l);
    note_lost_tools(&l);
    number_decisions(&l);
    rf_sight_init(&l.sight, p, a);
    put_gone(&l);
    for (size_t i = 0; i < s->count; i++) {
        const struct rf_surveyed *m = &s->messages[i];
        if (p->messages[i].fate == RF_FATE_GONE)
            continue;
        switch (m->message->role) {
        case RF_ROLE_USER:
            put_user_message(&l, m);
            break;
        case RF_ROLE_ASSISTANT:
            put_assistant(&l, m);
            break;
        case RF_ROLE_TOOL:
            if (p->pairing->messages[i].orphan)
                put_orphan(&l, m);
            break;
        }
    }
    add_missing_tools(&l);
    enum rf_code rc = put_something(&l, err);
    rf_plan_cache(p);
    return rc;
}
