/* The items of one message. Files stand where their decisions put them: in their place, after all
 * results with an introduction, or as words. Texts are cut to the room that joint.c left them. Of
 * an answer, what only the model that gave it understands (thoughts, signatures) goes back to that
 * model alone. It does not know in which turn its items will be. */
#include "plan/items.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/call_id.h"
#include "model/tokens.h"
#include "plan/cache.h"
#include "plan/file_tokens.h"
#include "plan/pieces.h"
#include "plan/room.h"
#include "plan/words.h"

static struct rf_item *add(struct rf_layout *l, struct rf_items *to, enum rf_item_kind kind)
{
    struct rf_item *item = RF_PUSH(l->arena, to->list, to->count, to->cap);
    item->kind = kind;
    item->of = l->of;
    return item;
}

void rf_items_add_text(struct rf_layout *l, struct rf_items *to, struct rf_str text)
{
    if (!rf_str_blank(text))
        add(l, to, RF_ITEM_TEXT)->text = text;
}

static void add_json(struct rf_layout *l, struct rf_items *to, struct rf_str json)
{
    struct rf_item *item = add(l, to, RF_ITEM_JSON);
    item->text = json;
    item->json_object = json.n && json.p[0] == '{';
}

static struct rf_item *add_media(struct rf_layout *l, struct rf_items *to,
                                 const struct rf_asset *asset)
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

static struct rf_item *add_text_file(struct rf_layout *l, struct rf_items *to,
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
static void add_words(struct rf_layout *l, struct rf_items *to, struct rf_decision *d,
                      struct rf_str words)
{
    rf_items_add_text(l, to, words);
    d->words = words;
    d->tokens = -1;
}

/* The same picture among those that are shown so far, counted from 1; 0: there is none. A digest
 * that cannot be made is like no other. */
static size_t shown_before(const struct rf_items *to, const struct rf_asset *asset, size_t *count)
{
    uint8_t ours[32], theirs[32];
    size_t same = 0;
    *count = 0;
    for (size_t i = 0; i < to->count; i++) {
        const struct rf_asset *other = to->list[i].asset;
        if (to->list[i].kind != RF_ITEM_MEDIA || other->kind != RF_KIND_IMAGE)
            continue;
        ++*count;
        if (!same && other->bytes.size == asset->bytes.size &&
            !rf_bytes_sha256(&asset->bytes, ours, NULL) &&
            !rf_bytes_sha256(&other->bytes, theirs, NULL) && !memcmp(ours, theirs, sizeof ours))
            same = *count;
    }
    return same;
}

/* A file or a thing that was made of one, after its caption. A host shows nobody the name of a
 * picture: it is told how large each is, and the same one is not shown twice. */
static void add_captioned(struct rf_layout *l, struct rf_items *to, const struct rf_asset *asset,
                          struct rf_str caption, int64_t *tokens)
{
    size_t count, same = 0;
    if (l->caps->told_first && asset->kind == RF_KIND_IMAGE && caption.n) {
        same = shown_before(to, asset, &count);
        caption = rf_words_shown(caption, asset, count + 1, same, l->arena);
    }
    rf_items_add_text(l, to, caption);
    if (!same)
        *tokens += rf_item_tokens(l->caps, add_media(l, to, asset));
}

/* What was made of a file, each thing after its caption; or the file itself. */
static void add_sent(struct rf_layout *l, struct rf_items *to, struct rf_decision *d)
{
    d->tokens = 0;
    struct rf_str own = l->caps->told_first ? rf_words_own(d, l->arena) : RF_STR("");
    if (!d->made) {
        add_captioned(l, to, d->part->asset, own, &d->tokens);
        return;
    }
    struct rf_str said = rf_words_said(d, l->arena);
    d->tokens = rf_text_tokens(l->caps, said);
    if (l->caps->told_first) {
        rf_items_add_text(l, to, rf_words_ahead(d, l->arena));
        rf_items_add_text(l, to, said);
    }
    rf_items_add_text(l, to, rf_words_along(rf_text_along(d, l->plan), d, l->arena));
    for (size_t i = 0; i < d->made->count; i++) {
        struct rf_str caption = rf_words_caption(d, i, l->arena);
        if (own.n)
            caption =
                caption.n ? rf_strf(l->arena, "%.*s\n%.*s", RF_FMT(own), RF_FMT(caption)) : own;
        add_captioned(l, to, &d->made->parts[i].asset, caption, &d->tokens);
    }
    if (l->caps->told_first)
        return;
    rf_items_add_text(l, to, said);
    rf_items_add_text(l, to, rf_words_left_out(d, l->arena));
}

static void add_picture(struct rf_layout *l, struct rf_items *to, const struct rf_decision *d,
                        struct rf_str caption, int64_t *tokens)
{
    const struct rf_asset *f =
        d->made && d->made->count ? &d->made->parts[0].asset : d->part->asset;
    add_captioned(l, to, f, caption, tokens);
}

/* A piece of a text, after what stands before it. */
static void add_piece(struct rf_layout *l, struct rf_items *to, const struct rf_asset *asset,
                      struct rf_str *before, struct rf_str piece, int64_t *tokens)
{
    struct rf_str words = rf_str_join(l->arena, *before, rf_words_of_file(piece, asset, l->arena));
    rf_items_add_text(l, to, words);
    *tokens += rf_text_tokens(l->caps, words);
    *before = RF_STR("");
}

/* The text of a document with its pictures in their places; after all results where no picture
 * may stand inside of one. */
static void add_with_pictures(struct rf_layout *l, struct rf_items *to, struct rf_decision *d,
                              const struct rf_item *call)
{
    struct rf_str before = rf_words_before_text(d, l->plan->model, l->arena);
    struct rf_str text = rf_decision_text(d);
    text = text.n ? text : RF_STR(""); /* it may be nothing but pictures */
    size_t at = 0;
    bool introduced = false;
    d->tokens = 0;
    for (size_t i = 0; i < d->pictures_kept; i++) {
        const struct rf_decision *p = &d->pictures[i];
        struct rf_str caption = rf_words_picture(p, d->part->asset, l->arena);
        size_t end = d->made->parts[i].text_end;
        if (p->delivery == RF_DELIVERY_NATIVE) {
            add_piece(l, to, d->part->asset, &before, (struct rf_str){ text.p + at, end - at },
                      &d->tokens);
            add_picture(l, to, p, l->caps->told_first ? caption : RF_STR(""), &d->tokens);
            at = end;
        } else if (rf_decision_is_sent(p)) {
            if (!introduced)
                rf_items_add_text(
                    l, &l->injected,
                    rf_words_introduction(d->part->asset, call->name, call->id, l->arena));
            introduced = true;
            add_picture(l, &l->injected, p, caption, &d->tokens);
        }
    }
    add_piece(l, to, d->part->asset, &before, (struct rf_str){ text.p + at, text.n - at },
              &d->tokens);
}

/* The context of a document, where its API has one, and the model is not told of it there. */
static struct rf_str lost_context(const struct rf_layout *l, const struct rf_decision *d)
{
    const struct rf_jval *asides = rf_jval_get(d->part->block->extra, "extra");
    bool whole = d->inlined || d->delivery == RF_DELIVERY_NATIVE;
    if (whole && l->caps->document_wishes)
        return RF_STR("");
    if (!asides || asides->type != RF_JOBJECT)
        return RF_STR("");
    for (const struct rf_jval *k = rf_jval_first(asides); k; k = rf_jval_next(asides, k + 1)) {
        const struct rf_jval *context = rf_jval_get(k + 1, "context");
        bool home = l->own && rf_jval_is(k, l->own);
        if (context && context->type == RF_JSTRING && !(home && whole))
            return rf_jval_text(context, l->arena);
    }
    return RF_STR("");
}

/* Is the title that another API's client gave a document one that nobody would read? */
static bool loses_title(const struct rf_layout *l, const struct rf_decision *d)
{
    const struct rf_asset *asset = d->part->asset;
    struct rf_str from = l->plan->conversation->dialect;
    return asset->block->type == RF_BLOCK_DOCUMENT && asset->block->media.name.n && from.n &&
           !rf_layout_is_home(l, from) && d->delivery == RF_DELIVERY_NATIVE && !d->made &&
           !l->caps->document_names && !l->caps->told_first;
}

/* What a client of another API said of a file in members that this one does not have. */
static void add_beside(struct rf_layout *l, struct rf_items *to, const struct rf_decision *d)
{
    struct rf_str context = lost_context(l, d);
    if (!rf_str_blank(context) || loses_title(l, d))
        rf_items_add_text(l, to, rf_words_beside(d->part->asset, context, l->arena));
}

/* A file in its place. `call` is the result it is part of, or NULL. */
static void add_file(struct rf_layout *l, struct rf_items *to, struct rf_decision *d,
                     const struct rf_item *call)
{
    const struct rf_asset *asset = d->part->asset;
    add_beside(l, to, d);
    if (d->delivery == RF_DELIVERY_NATIVE) {
        add_sent(l, to, d);
    } else if (d->delivery == RF_DELIVERY_FALLBACK) {
        rf_items_add_text(l, to, rf_words_reference(asset, l->arena));
        rf_items_add_text(l, &l->injected,
                          rf_words_introduction(asset, call->name, call->id, l->arena));
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
static bool is_marked(const struct rf_layout *l, const struct rf_item *call)
{
    return call && l->caps->result_status;
}

static void add_error(struct rf_layout *l, struct rf_items *to, struct rf_str text,
                      const struct rf_item *call)
{
    rf_items_add_text(l, to,
                      is_marked(l, call) ? text : rf_str_join(l->arena, RF_STR("Error: "), text));
}

/* A failed result whose error is in no place of its own: what it says first is the error. */
static bool fails_in_output(const struct rf_surveyed *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->parts[i].is_error)
            return false;
    return m->message->role == RF_ROLE_TOOL && m->message->failed;
}

bool rf_layout_is_home(const struct rf_layout *l, struct rf_str dialect)
{
    return rf_str_eq(dialect, l->caps->dialect);
}

const struct rf_jval *rf_layout_own(const struct rf_layout *l, const struct rf_jval *extra)
{
    return l->own ? rf_jval_get(rf_jval_get(extra, "extra"), l->own) : NULL;
}

/* Is an item the part itself, or one of its kind that was made of it, and not words about it? */
static bool is_part(const struct rf_item *item, const struct rf_part *part,
                    const struct rf_block *block)
{
    switch (item->kind) {
    case RF_ITEM_TEXT:
        return part->kind == RF_PART_TEXT && rf_str_eq(item->text, block->text);
    case RF_ITEM_MEDIA:
    case RF_ITEM_TEXT_FILE:
        return part->kind == RF_PART_MEDIA && !part->found_in &&
               item->asset->kind == part->asset->kind;
    case RF_ITEM_JSON:
    case RF_ITEM_CALL:
    case RF_ITEM_THINKING:
        return true;
    case RF_ITEM_OPAQUE: /* it has all of it */
    case RF_ITEM_RESULT:
        return false;
    }
    return false;
}

void rf_items_mark(const struct rf_layout *l, struct rf_item *item, const struct rf_jval *mark)
{
    item->mark = mark;
    item->cache = mark && l->caps->cache_marks;
}

/* What its own client said of a block besides goes with the item that it became, where `whole`; its
 * mark in any case, at the end of what stands for it. Items of the block begin at `first`. */
static void keep_own(struct rf_layout *l, struct rf_items *items, size_t first,
                     const struct rf_surveyed *m, const struct rf_part *part, bool whole)
{
    bool more = part + 1 < m->parts + m->count && part[1].block_index == part->block_index;
    if (part->block_index < 0 || items->count == first)
        return;
    const struct rf_block *block = &m->message->blocks[part->block_index];
    const struct rf_jval *own = rf_layout_own(l, block->extra);
    const struct rf_jval *mark = rf_cache_mark(block->extra);
    if ((!own && !mark) || items->list[items->count - 1].kind == RF_ITEM_OPAQUE)
        return;
    struct rf_item *item = NULL;
    for (size_t i = first; i < items->count && !item; i++)
        item = is_part(&items->list[i], part, block) ? &items->list[i] : NULL;
    if (item && whole)
        item->own = own;
    if (!more)
        rf_items_mark(l, item ? item : &items->list[items->count - 1], mark);
}

/* What only one API can say goes back there; elsewhere its words are read. */
static void add_opaque(struct rf_layout *l, struct rf_items *to, const struct rf_part *part)
{
    if (!rf_layout_is_home(l, part->block->dialect)) {
        rf_items_add_text(l, to, part->text);
        return;
    }
    struct rf_item *item = add(l, to, RF_ITEM_OPAQUE);
    item->block = part->block;
    item->text = part->text;
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
static void cut_text(struct rf_layout *l, struct rf_items *to, const struct rf_surveyed *m,
                     struct rf_str text, struct rf_room *room, bool *told)
{
    bool silent = l->plan->messages[m->index].fate == RF_FATE_SILENT;
    size_t all = text_bytes(m);
    if (*told)
        return;
    struct rf_str head = rf_room_front(room, l->caps, text);
    rf_items_add_text(l, to, head);
    rf_items_add_text(l, to,
                      silent ? rf_words_silent(m->message, all, l->plan->model, l->arena)
                             : rf_words_cut(room->used + head.n, all, l->plan->model, l->arena));
    *told = true;
}

/* The parts of a user message, of a result, or of a result without a call. */
void rf_items_add_parts(struct rf_layout *l, struct rf_items *to, const struct rf_surveyed *m,
                        const struct rf_item *call)
{
    struct rf_decision *d = &l->plan->decisions[l->first_decision[m->index]];
    bool said = false, told = false, in_output = fails_in_output(m);
    struct rf_room room = rf_room_of(&l->plan->messages[m->index]);
    for (size_t i = 0; i < m->count; i++) {
        const struct rf_part *part = &m->parts[i];
        bool is_error = part->is_error || in_output, whole;
        size_t first = to->count;
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
                rf_items_add_text(l, to, part->text);
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
        keep_own(l, to, first, m, part, true);
    }
    bool silent = m->message->role == RF_ROLE_TOOL && m->message->failed && !said;
    if (silent && (to->count == 0 || !is_marked(l, call)))
        add_error(l, to, RF_STR(RF_WORDS_FAILED), call);
}

bool rf_items_marked(const struct rf_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        if (items->list[i].cache)
            return true;
    return false;
}

/* A result may have a mark, and nothing in it. */
static void lift_marks(struct rf_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        items->list[i].cache = false;
        items->list[i].mark = NULL;
    }
}

struct rf_item rf_items_result(struct rf_layout *l, const struct rf_item *call,
                               const struct rf_surveyed *m)
{
    struct rf_item result = {
        .kind = RF_ITEM_RESULT,
        .block = call->block,
        .id = call->id,
        .name = call->name,
        .call_own = call->own,
        .of = l->of,
    };
    struct rf_items items = { 0 };
    if (m) {
        result.failed = m->message->failed;
        rf_items_add_parts(l, &items, m, &result);
        result.own = rf_layout_own(l, m->message->extra);
        lift_marks(&items);
        rf_items_mark(l, &result, rf_cache_mark_of(m->message));
        if (!items.count)
            rf_items_add_text(l, &items, RF_STR(RF_WORDS_NO_OUTPUT));
    } else {
        result.failed = true;
        add_error(l, &items, RF_STR(RF_WORDS_NO_RESULT), call);
    }
    result.items = items.list;
    result.count = items.count;
    result.cap = items.cap;
    return result;
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
bool rf_plan_came_from_here(const struct rf_plan *p, const struct rf_message *m)
{
    const struct rf_model *model = p->model;
    bool same = rf_str_eq(without_date(m->origin_model), without_date(model->name));
    if (!m->sealed && rf_str_eq(p->conversation->dialect, model->caps.dialect))
        return same || !m->origin_model.n;
    return same && rf_str_eq(m->origin_provider, model->provider);
}

/* Did this server make the ids, whichever of its models called? An imported request does not say,
 * unless in a seal. */
static struct rf_str call_id(struct rf_layout *l, const struct rf_surveyed *m,
                             const struct rf_tool_call *call, size_t number)
{
    struct rf_str maker = m->message->origin_provider;
    enum rf_id_rule rule = l->caps->call_ids;
    if (!m->message->sealed && rf_layout_is_home(l, l->plan->conversation->dialect))
        return rf_ids_call_brought(&l->call_ids, rule, call->id, m->index, number);
    if (rf_str_eq(maker, l->plan->model->provider))
        return rf_ids_call_back(&l->call_ids, rule, call->id, m->index, number);
    return rf_ids_call(&l->call_ids, rule, call->id, m->index, number);
}

bool rf_plan_is_stored(const struct rf_plan *p)
{
    const struct rf_jval *store = rf_jval_get(p->kept, "store");
    return p->kept && !(store && store->type == RF_JFALSE);
}

/* What its own API was told of it besides, by this name. */
static const struct rf_jval *own_member(const struct rf_plan *p, const struct rf_block *b,
                                        const char *name)
{
    const struct rf_jval *asides = rf_jval_get(b->extra, "extra");
    bool any = asides && asides->type == RF_JOBJECT;
    const struct rf_jval *k = any ? rf_jval_first(asides) : NULL;
    for (; k; k = rf_jval_next(asides, k + 1))
        if (rf_str_eq(k->raw, p->model->caps.dialect))
            return rf_jval_get(k + 1, name);
    return NULL;
}

/* A model of open weights tells its thoughts in full, and its server takes them by that. */
static bool is_told(const struct rf_plan *p, const struct rf_block *b)
{
    const struct rf_jval *content = own_member(p, b, "content");
    return content && content->type == RF_JARRAY && content->count;
}

/* An encrypted thought has to be known by its id; its own client says what else will do. One that
 * is stored is found by its id alone. */
static bool encrypted_goes_back(const struct rf_plan *p, const struct rf_block *b)
{
    const struct rf_thinking *t = &b->thinking;
    if (t->encrypted.n)
        return t->id.n || p->kept;
    return p->kept && (!t->id.n || rf_plan_is_stored(p) || is_told(p, b));
}

bool rf_plan_thought_goes_back(const struct rf_plan *p, const struct rf_message *m,
                               const struct rf_block *b)
{
    const struct rf_thinking *t = &b->thinking;
    if (!rf_plan_came_from_here(p, m))
        return false;
    switch (rf_caps_replay(&p->model->caps)) {
    case RF_REPLAY_NONE:
        return false;
    case RF_REPLAY_SIGNED:
        return t->redacted.n || t->signature.n;
    case RF_REPLAY_ENCRYPTED:
        return encrypted_goes_back(p, b);
    case RF_REPLAY_TEXT:
        return true;
    }
    return false;
}

static struct rf_str tool_name(struct rf_layout *l, struct rf_str name)
{
    size_t place = rf_ids_slot(&l->tools_by_name, name)->place;
    return place ? l->plan->tools[place - 1].name : rf_legal_tool_name(name, l->arena);
}

static void add_call(struct rf_layout *l, struct rf_items *to, const struct rf_surveyed *m,
                     const struct rf_block *block, size_t number)
{
    if (!l->caps->tools) {
        rf_items_add_text(l, to, rf_words_call(&block->call, l->arena));
        return;
    }
    struct rf_item *item = add(l, to, RF_ITEM_CALL);
    item->block = block;
    item->name = tool_name(l, block->call.name);
    item->id = call_id(l, m, &block->call, number);
}

/* Where answers are stored, a text that has lost its id is not what a thought led to. */
static bool is_led_to(const struct rf_layout *l, const struct rf_item *thought,
                      const struct rf_item *next)
{
    bool stored = rf_plan_is_stored(l->plan) && thought->block->thinking.id.n;
    return next->kind != RF_ITEM_TEXT || !stored ||
           rf_jval_get(rf_jval_get(next->own, "message"), "id");
}

/* Thoughts that led to nothing are refused where they must stand before what they led to. Returns
 * whether something else stands where one was. */
static bool drop_idle_thoughts(const struct rf_layout *l, struct rf_items *items)
{
    bool lost = false;
    for (size_t i = items->count; i-- > 0;) {
        struct rf_item *item = &items->list[i];
        bool last = i + 1 == items->count;
        if (item->kind != RF_ITEM_THINKING || (!last && is_led_to(l, item, item + 1)))
            continue;
        items->count--;
        memmove(item, item + 1, (items->count - i) * sizeof *item);
        lost |= !last;
    }
    return lost;
}

static void sign_calls(const struct rf_layout *l, struct rf_items *items, bool own)
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
        if (!item->signature.n && l->caps->call_signature.n)
            item->signature = rf_call_id_mark(item->block->call.id, l->arena);
        is_signed |= item->signature.n > 0;
    }
    if (first && !is_signed)
        first->signature = l->caps->call_signature;
}

/* A stream may end a signed answer with a text of nothing else. */
static bool is_signed(const struct rf_layout *l, const struct rf_block *block)
{
    return l->caps->signed_texts && block && block->extra;
}

static void add_said(struct rf_layout *l, struct rf_items *to, const struct rf_part *part, bool own)
{
    struct rf_item *item = NULL;
    if (!rf_str_blank(part->text) || (own && is_signed(l, part->block)))
        item = add(l, to, RF_ITEM_TEXT);
    if (item)
        item->text = part->text;
    if (item && own)
        item->block = part->block;
}

/* Calls that the client ran have words, and what came of them is a user's, who may say it to any
 * model of the API: they stay with it. All else is of use to the model alone that made it. */
static bool opaque_goes(const struct rf_layout *l, const struct rf_part *part, bool own)
{
    return !rf_str_blank(part->text) || (own && rf_layout_is_home(l, part->block->dialect));
}

/* By its type; where the API has members in the place of types, by the first. */
static void lose_opaque(struct rf_layout *l, const struct rf_block *block)
{
    const struct rf_jval *v = block->value, *type = rf_jval_get(v, "type");
    if (!type && v && v->type == RF_JOBJECT)
        type = rf_jval_first(v);
    struct rf_str name = type && type->type == RF_JSTRING ? rf_jval_text(type, l->arena)
                                                          : RF_STR("one without a type");
    name = rf_utf8_cut(name, RF_MAX_NAME_SHOWN);
    if (rf_ids_new(&l->lost_types, name))
        rf_buf_addf(&l->lost, "%s%.*s", l->lost.n ? ", " : "", RF_FMT(name));
}

static void note_unread(struct rf_layout *l, const struct rf_block *call)
{
    if (!rf_call_is_malformed(call))
        return;
    if (!l->unread_count++)
        l->unread = &call->call;
}

struct rf_items rf_items_of_answer(struct rf_layout *l, const struct rf_surveyed *m)
{
    struct rf_decision *d = &l->plan->decisions[l->first_decision[m->index]];
    bool own = rf_plan_came_from_here(l->plan, m->message);
    bool thoughtless = false;
    struct rf_items items = { 0 };
    size_t number = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct rf_part *part = &m->parts[i];
        size_t first = items.count;
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
            if (rf_plan_thought_goes_back(l->plan, m->message, part->block))
                add(l, &items, RF_ITEM_THINKING)->block = part->block;
            else
                thoughtless = true;
            l->lost_thoughts |= thoughtless;
            break;
        case RF_PART_CALL:
            add_call(l, &items, m, part->block, number++);
            note_unread(l, part->block);
            break;
        case RF_PART_OPAQUE:
            if (opaque_goes(l, part, own))
                add_opaque(l, &items, part);
            else
                lose_opaque(l, part->block);
            break;
        }
        keep_own(l, &items, first, m, part, own);
    }
    sign_calls(l, &items, own);
    if (rf_caps_replay(l->caps) == RF_REPLAY_ENCRYPTED)
        thoughtless |= drop_idle_thoughts(l, &items);
    for (size_t i = 0; i < items.count; i++)
        items.list[i].thoughtless = thoughtless;
    return items;
}

/* Does nothing of an answer go: is it of another API's own things and thoughts alone? */
static bool is_silent(const struct rf_layout *l, const struct rf_surveyed *m)
{
    bool own = rf_plan_came_from_here(l->plan, m->message);
    for (size_t i = 0; i < m->count; i++) {
        const struct rf_part *part = &m->parts[i];
        bool said = part->kind == RF_PART_OPAQUE ? opaque_goes(l, part, own)
                    : part->kind == RF_PART_TEXT ? !rf_str_blank(part->text)
                                                 : part->kind != RF_PART_THINKING;
        if (said)
            return false;
    }
    return true;
}

/* They are another model's, or were made without thinking. */
bool rf_items_lack_thoughts(const struct rf_layout *l)
{
    size_t i = l->survey->count;
    while (i > 0 && (l->survey->messages[i - 1].message->role != RF_ROLE_ASSISTANT ||
                     is_silent(l, &l->survey->messages[i - 1])))
        i--;
    const struct rf_surveyed *m = i ? &l->survey->messages[i - 1] : NULL;
    bool called = false, thought = false;
    for (size_t k = 0; m && k < m->count && !thought; k++) {
        called |= m->parts[k].kind == RF_PART_CALL;
        thought = m->parts[k].kind == RF_PART_THINKING &&
                  rf_plan_thought_goes_back(l->plan, m->message, m->parts[k].block);
    }
    return called && !thought;
}
