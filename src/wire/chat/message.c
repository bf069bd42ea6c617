/* The message of a chat completion, or a fragment of it.
 *
 *     on the wire                                     block
 *     reasoning_content, reasoning                    thinking
 *     reasoning_details[], thinking_blocks[]          thinking, one each; then not the plain text
 *     content: a string, parts                        text, thinking, images
 *     refusal                                         text with extra.refusal
 *     annotations[], parts reference                  citations of the text
 *     images[], audio                                 image, audio
 *     executed_tools[], other parts, annotations      opaque
 *     tool_calls[], function_call                     see calls.c
 *
 * Fragments of thoughts are found again by kind and index. */
#include "base/arena.h"
#include "base/base64.h"
#include "wire/chat/reply.h"

static struct rf_str text_at(struct rf_reply *r, const struct rf_jval *v, const char *name)
{
    return rf_reply_text(r, rf_jval_get(v, name));
}

static void each(struct rf_reply *r, const struct rf_jval *v,
                 void (*take)(struct rf_reply *r, const struct rf_jval *element))
{
    const struct rf_jval *list = rf_completion_list(v);
    for (const struct rf_jval *e = rf_jval_first(list); e; e = rf_jval_next(list, e))
        take(r, e);
}

/* `in` is the list that it is an element of; NULL: the content. */
static void opaque(struct rf_reply *r, int64_t number, const struct rf_jval *v, const char *in)
{
    struct rf_str json = rf_jval_compact(v, r->scratch);
    struct rf_draft *d = rf_reply_block(r, number, RF_BLOCK_OPAQUE);
    if (d->type != RF_BLOCK_OPAQUE || json.n <= d->opaque.n)
        return;
    if (in && !d->extra.n)
        rf_reply_keep(r, d, "in", rf_jval_string(rf_str(in), r->scratch));
    d->opaque = rf_str_dup(r->arena, json);
}

/* The number that the wire gives, or the next one of our own. */
static int64_t number_of(int64_t range, const struct rf_jval *v, int64_t *count)
{
    int64_t index = rf_reply_count(rf_jval_get(v, "index"));
    return range +
           (index >= 0 && index < RF_COMPLETION_RANGE ? index : RF_COMPLETION_RANGE + (*count)++);
}

static void opaque_next(struct rf_reply *r, const struct rf_jval *v, const char *in)
{
    opaque(r, RF_COMPLETION_OPAQUE + RF_COMPLETION_RANGE + rf_completion_state(r)->opaque_count++,
           v, in);
}

/* Thoughts. */

/* What is counted goes on in any case: a signature may come after the first words of the answer. */
static bool goes_on(const struct rf_completion_state *c, size_t i, enum rf_thought_kind kind,
                    int64_t index)
{
    const struct rf_completion_thought *t = &c->thoughts[i];
    if (t->kind != kind || t->index != index)
        return false;
    return index >= 0 ||
           (t->draft->open &&
            (kind == RF_THOUGHT_PLAIN || (i + 1 == c->thought_count && !t->draft->signature.n)));
}

static struct rf_draft *new_thought(struct rf_reply *r, enum rf_thought_kind kind, int64_t index,
                                    enum rf_block_type type)
{
    struct rf_completion_state *c = rf_completion_state(r);
    int64_t number = RF_COMPLETION_THOUGHTS + (int64_t)c->thought_count;
    struct rf_draft *d = rf_reply_block(r, number, type);
    *RF_PUSH(r->arena, c->thoughts, c->thought_count, c->thought_cap) =
        (struct rf_completion_thought){ kind, index, d };
    return d;
}

/* The thought that a fragment goes on with, or a new one. */
static struct rf_draft *thought(struct rf_reply *r, enum rf_thought_kind kind, int64_t index)
{
    const struct rf_completion_state *c = rf_completion_state(r);
    bool pieces = !c->whole || kind == RF_THOUGHT_PLAIN || kind == RF_THOUGHT_PART;
    if (pieces && kind != RF_THOUGHT_SEALED)
        for (size_t i = c->thought_count; i-- > 0;)
            if (goes_on(c, i, kind, index))
                return c->thoughts[i].draft;
    return new_thought(r, kind, index, RF_BLOCK_THINKING);
}

void rf_completion_end_thoughts(struct rf_reply *r)
{
    struct rf_completion_state *c = rf_completion_state(r);
    for (; c->ended_thoughts < c->thought_count; c->ended_thoughts++)
        rf_draft_close(r, c->thoughts[c->ended_thoughts].draft);
}

static void think(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *text,
                  const struct rf_jval *signature)
{
    rf_draft_text(r, d, rf_reply_text(r, text));
    rf_draft_signature(r, d, rf_reply_text(r, signature));
}

static const struct {
    const char *type, *member;
    enum rf_thought_kind kind;
} details[] = {
    { "reasoning.text", "text", RF_THOUGHT_TEXT },
    { "reasoning.summary", "summary", RF_THOUGHT_SUMMARY },
    { "reasoning.encrypted", "data", RF_THOUGHT_SEALED },
    { "thinking", "thinking", RF_THOUGHT_BLOCK },
    { "redacted_thinking", "data", RF_THOUGHT_SEALED },
};

#define DETAIL_COUNT (sizeof details / sizeof *details)

static size_t detail_type(const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type");
    size_t i = 0;
    while (i < DETAIL_COUNT && !(type && rf_jval_is(type, details[i].type)))
        i++;
    return i;
}

/* Has the draft a place for it? A summary is told from a text by its type. */
static bool has_place(const struct rf_jval *key, const struct rf_jval *v, const char *member)
{
    return rf_jval_is(key, member) || rf_jval_is(key, "signature") || rf_jval_is(key, "id") ||
           (rf_jval_is(key, "type") && !rf_jval_is(v, "reasoning.summary"));
}

/* What the encoder needs to write the detail as it came. */
static void keep_detail(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *v,
                        const char *member)
{
    if (!d->id.n)
        d->id = rf_reply_copy(r, rf_jval_get(v, "id"));
    if (d->extra.n)
        return;
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
        if (!has_place(k, k + 1, member))
            rf_reply_keep(r, d, rf_cstr(r->scratch, k->raw), k + 1);
}

static void detail(struct rf_reply *r, const struct rf_jval *v)
{
    size_t i = detail_type(v);
    if (i == DETAIL_COUNT) {
        struct rf_draft *d = new_thought(r, RF_THOUGHT_SEALED, -1, RF_BLOCK_OPAQUE);
        opaque(r, d->number, v,
               rf_cstr(r->scratch, rf_completion_thought_list(text_at(r, v, "type"))));
        return;
    }
    const struct rf_jval *said = rf_jval_get(v, details[i].member);
    int64_t index = rf_reply_count(rf_jval_get(v, "index"));
    struct rf_draft *d = thought(r, details[i].kind, index < 0 ? -1 : index);
    d->field = rf_completion_thought_list(rf_str(details[i].type));
    keep_detail(r, d, v, details[i].member);
    if (details[i].kind != RF_THOUGHT_SEALED)
        think(r, d, said, rf_jval_get(v, "signature"));
    else if (rf_str_is(rf_str(details[i].type), "redacted_thinking"))
        d->redacted = rf_reply_copy(r, said);
    else
        d->encrypted = rf_reply_copy(r, said);
}

/* Does the list hold words, and not sealed thoughts alone? */
static bool spells_out(const struct rf_jval *list)
{
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        size_t i = detail_type(v);
        if (i == DETAIL_COUNT || details[i].kind == RF_THOUGHT_SEALED)
            continue;
        const struct rf_jval *said = rf_jval_get(v, details[i].member);
        if (said && said->type == RF_JSTRING && said->raw.n)
            return true;
    }
    return false;
}

static void plain_thought(struct rf_reply *r, const struct rf_jval *message)
{
    static const char *const fields[] = { "reasoning_content", "reasoning" };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct rf_str said = text_at(r, message, fields[i]);
        if (!said.n)
            continue;
        struct rf_draft *d = thought(r, RF_THOUGHT_PLAIN, -1);
        d->field = rf_str(fields[i]);
        rf_draft_text(r, d, said);
        return;
    }
}

static void thoughts(struct rf_reply *r, const struct rf_jval *message)
{
    struct rf_completion_state *c = rf_completion_state(r);
    const struct rf_jval *lists[] = { rf_completion_list(rf_jval_get(message, "reasoning_details")),
                                      rf_completion_list(rf_jval_get(message, "thinking_blocks")) };
    /* One of the two is enough: routers send both. */
    const struct rf_jval *list = lists[0]->count ? lists[0] : lists[1];
    c->spelled_out = c->spelled_out || spells_out(list);
    if (!c->spelled_out)
        plain_thought(r, message);
    each(r, list, detail);
}

/* Citations. */

struct citation {
    struct rf_str source, title, url, text;
    int64_t start, end;             /* -1: not told */
    const struct rf_jval *original; /* where it has more to say, or NULL */
};

static void cite(struct rf_reply *r, const struct citation *c)
{
    struct rf_rope rope;
    struct rf_str json;
    struct rf_json *w = RF_NEW(r->scratch, struct rf_json);
    rf_rope_init(&rope, r->scratch);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    rf_json_str_opt(w, "source", c->source);
    rf_json_str_opt(w, "title", c->title);
    rf_json_str_opt(w, "url", c->url);
    if (c->start >= 0)
        rf_json_int(w, "start", c->start);
    if (c->end >= 0)
        rf_json_int(w, "end", c->end);
    rf_json_str_opt(w, "text", c->text);
    if (c->original)
        rf_json_value(w, "extra", c->original);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, r->scratch, &json, NULL))
        RF_BUG("a citation in memory could not be written");
    rf_draft_citation(r, rf_reply_block(r, RF_COMPLETION_TEXT, RF_BLOCK_TEXT), json);
}

/* Members that end up in a citation. */
static bool has_more(const struct rf_jval *v)
{
    static const char *const known[] = {
        "type", "title", "url", "content", "start_index", "end_index", "document_id", NULL,
    };
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
        if (!rf_jval_is_any(k, known))
            return true;
    return false;
}

/* {"type":"url_citation","url_citation":{…}}; what is not a citation is kept as it is. */
static void annotation(struct rf_reply *r, const struct rf_jval *v)
{
    struct rf_str type = text_at(r, v, "type");
    const struct rf_jval *in = rf_jval_get(v, rf_cstr(r->scratch, type));
    if (!rf_str_ends(type, "_citation") || !in || in->type != RF_JOBJECT) {
        opaque_next(r, v, "annotations");
        return;
    }
    struct citation c = {
        .source = text_at(r, in, "document_id"),
        .title = text_at(r, in, "title"),
        .url = text_at(r, in, "url"),
        .text = text_at(r, in, "content"),
        .start = rf_reply_count(rf_jval_get(in, "start_index")),
        .end = rf_reply_count(rf_jval_get(in, "end_index")),
        .original = has_more(in) ? v : NULL,
    };
    if (!c.source.n)
        c.source = text_at(r, in, "tool_call_id");
    cite(r, &c);
}

/* Characters of the text so far. */
static int64_t position(struct rf_reply *r)
{
    struct rf_completion_state *c = rf_completion_state(r);
    const struct rf_draft *d = rf_reply_find(r, RF_COMPLETION_TEXT);
    for (; d && c->counted < d->text.n; c->counted++)
        c->characters += ((unsigned char)d->text.p[c->counted] & 0xc0) != 0x80;
    return c->characters;
}

/* Parts of the content. */

static void say(struct rf_reply *r, const struct rf_jval *v)
{
    struct rf_str text = rf_reply_text(r, v);
    if (!text.n)
        return;
    rf_completion_end_thoughts(r);
    rf_draft_text(r, rf_reply_block(r, RF_COMPLETION_TEXT, RF_BLOCK_TEXT), text);
}

static void text_part(struct rf_reply *r, const struct rf_jval *part)
{
    say(r, rf_jval_get(part, "text"));
}

static void refusal(struct rf_reply *r, const struct rf_jval *v)
{
    static const struct rf_jval yes = { .type = RF_JTRUE, .span = 1, .raw = RF_STR_INIT("true") };
    struct rf_str text = rf_reply_text(r, v);
    if (!text.n)
        return;
    rf_completion_end_thoughts(r);
    struct rf_draft *d = rf_reply_block(r, RF_COMPLETION_REFUSAL, RF_BLOCK_TEXT);
    if (!d->extra.n)
        rf_reply_keep(r, d, "refusal", &yes);
    rf_draft_text(r, d, text);
    rf_completion_state(r)->refused = true;
}

static void refusal_part(struct rf_reply *r, const struct rf_jval *part)
{
    refusal(r, rf_jval_get(part, "refusal"));
}

/* A thought is a string, or parts again. */
static void thinking_part(struct rf_reply *r, const struct rf_jval *part)
{
    const struct rf_jval *said = rf_jval_get(part, "thinking"), *list = rf_completion_list(said);
    struct rf_draft *d = thought(r, RF_THOUGHT_PART, -1);
    think(r, d, said, NULL);
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        think(r, d, rf_jval_get(v, "text"), NULL);
    rf_draft_signature(r, d, text_at(r, part, "signature"));
}

/* {"type":"reference","reference_ids":[…]}: after the words that it speaks of. */
static void reference_part(struct rf_reply *r, const struct rf_jval *part)
{
    const struct rf_jval *ids = rf_completion_list(rf_jval_get(part, "reference_ids"));
    struct citation c = { .start = -1, .end = position(r) };
    for (const struct rf_jval *v = rf_jval_first(ids); v; v = rf_jval_next(ids, v)) {
        c.source = v->type == RF_JNUMBER ? v->raw : rf_reply_text(r, v);
        cite(r, &c);
    }
}

static void tool_reference_part(struct rf_reply *r, const struct rf_jval *part)
{
    struct citation c = {
        .source = text_at(r, part, "tool"),
        .title = text_at(r, part, "title"),
        .url = text_at(r, part, "url"),
        .text = text_at(r, part, "description"),
        .start = -1,
        .end = position(r),
    };
    cite(r, &c);
}

/* Media. */

/* data:MIME;base64,… as its type and its data; any other URL as it is. */
static void set_url(struct rf_reply *r, struct rf_draft *d, struct rf_str url)
{
    struct rf_str data = url, head, type;
    bool inside = rf_str_starts(url, "data:") && rf_str_split(&data, ',', &head) &&
                  rf_str_ends(head, ";base64");
    if (!inside) {
        d->url = rf_str_dup(r->arena, url);
        return;
    }
    head = (struct rf_str){ head.p + strlen("data:"), head.n - strlen("data:") };
    rf_str_split(&head, ';', &type);
    d->media_type = rf_str_dup(r->arena, type);
    rf_draft_media(r, d, data);
}

/* {"type":"image_url","image_url":{"url":…}}, or the URL alone. */
static void image(struct rf_reply *r, const struct rf_jval *v)
{
    const struct rf_jval *at = rf_jval_get(v, "image_url");
    struct rf_str url = rf_reply_text(r, at);
    if (!url.n)
        url = text_at(r, at, "url");
    if (!url.n) {
        opaque_next(r, v, NULL);
        return;
    }
    int64_t number = number_of(RF_COMPLETION_MEDIA, v, &rf_completion_state(r)->media_count);
    if (!rf_reply_find(r, number))
        set_url(r, rf_reply_block(r, number, RF_BLOCK_IMAGE), url);
}

/* Sound comes in pieces that are encoded each for itself: padding in the middle is undone. */
static void add_sound(struct rf_reply *r, struct rf_draft *d, struct rf_str piece)
{
    struct rf_buf *b = &d->media;
    size_t head, tail;
    bool padded = b->n >= 4 && b->p[b->n - 1] == '=' && piece.n;
    if (!padded || !rf_base64_decoded_length(b->p + b->n - 4, 4, &head) ||
        !rf_base64_decoded_length(piece.p, piece.n, &tail)) {
        rf_draft_media(r, d, piece);
        return;
    }
    char *bytes = rf_arena_alloc(r->scratch, head + tail);
    char *again = rf_arena_alloc(r->scratch, (size_t)rf_base64_length(head + tail));
    if (!rf_base64_decode(b->p + b->n - 4, 4, bytes) ||
        !rf_base64_decode(piece.p, piece.n, bytes + head)) {
        rf_draft_media(r, d, piece);
        return;
    }
    b->n -= 4;
    rf_draft_media(r, d, (struct rf_str){ again, rf_base64_encode(bytes, head + tail, again) });
}

static void keep_once(struct rf_reply *r, struct rf_draft *d, bool *kept, const char *name,
                      const struct rf_jval *v)
{
    if (*kept || !v || v->type == RF_JNULL)
        return;
    *kept = true;
    rf_reply_keep(r, d, name, v);
}

/* The transcript is the text of the block. */
static void audio(struct rf_reply *r, const struct rf_jval *v)
{
    struct rf_completion_state *c = rf_completion_state(r);
    struct rf_str id = text_at(r, v, "id"), data = text_at(r, v, "data");
    struct rf_str transcript = text_at(r, v, "transcript");
    if (!rf_reply_find(r, RF_COMPLETION_AUDIO) && !id.n && !data.n && !transcript.n)
        return;
    struct rf_draft *d = rf_reply_block(r, RF_COMPLETION_AUDIO, RF_BLOCK_AUDIO);
    add_sound(r, d, data);
    rf_draft_text(r, d, transcript);
    if (id.n)
        keep_once(r, d, &c->audio_named, "id", rf_jval_get(v, "id"));
    keep_once(r, d, &c->audio_dated, "expires_at", rf_jval_get(v, "expires_at"));
}

/* Content. */

static void part(struct rf_reply *r, const struct rf_jval *v)
{
    static const struct {
        const char *type;
        void (*take)(struct rf_reply *r, const struct rf_jval *part);
    } parts[] = {
        { "image_url", image },
        { "output_text", text_part },
        { "reference", reference_part },
        { "refusal", refusal_part },
        { "text", text_part },
        { "thinking", thinking_part },
        { "tool_reference", tool_reference_part },
    };
    const struct rf_jval *type = rf_jval_get(v, "type");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (type && rf_jval_is(type, parts[i].type)) {
            parts[i].take(r, v);
            return;
        }
    opaque_next(r, v, NULL);
}

static void content(struct rf_reply *r, const struct rf_jval *v)
{
    say(r, v);
    each(r, v, part);
}

/* What the server did by itself; a stream sends it again when it is done. */
static void executed_tool(struct rf_reply *r, const struct rf_jval *v)
{
    opaque(r, number_of(RF_COMPLETION_OPAQUE, v, &rf_completion_state(r)->opaque_count), v,
           "executed_tools");
}

void rf_completion_message(struct rf_reply *r, const struct rf_jval *message)
{
    thoughts(r, message);
    each(r, rf_jval_get(message, "executed_tools"), executed_tool);
    content(r, rf_jval_get(message, "content"));
    refusal(r, rf_jval_get(message, "refusal"));
    each(r, rf_jval_get(message, "annotations"), annotation);
    each(r, rf_jval_get(message, "images"), image);
    audio(r, rf_jval_get(message, "audio"));
    rf_completion_calls(r, message);
}
