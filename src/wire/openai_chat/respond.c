/* OpenAI Chat Completions, and everybody who speaks it with an accent: writing responses, streams
 * and errors.
 *
 *     block                           on the wire
 *     text                            content; its citations: annotations
 *     text with extra.refusal         refusal, also where the Responses API said it
 *     thinking                        where it came: reasoning_content, reasoning,
 *                                     reasoning_details, thinking_blocks, a part of the content
 *     thinking from elsewhere         reasoning_content, and reasoning_details where it is signed
 *                                     or sealed, and in streams, where that is not known yet
 *     image, sound                    images, audio
 *     call                            tool_calls
 *     opaque                          where it came: extra.in
 *
 * Lists of thoughts go with their words as one string, for clients that read only those. */
#include "wire/chat/respond.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "wire/wire.h"

#define AUDIO_LIVES_S 3600 /* that a sound may be named by its id: said where none was told */

/* What a block is here */

static bool came_as(const struct rf_answer *a, const struct rf_block *b, const char *field)
{
    return a->own && b->type == RF_BLOCK_THINKING && rf_str_is(b->thinking.field, field);
}

/* An opaque block keeps the list that it was in. */
static bool came_in(const struct rf_answer *a, const struct rf_block *b, const char *list)
{
    const struct rf_jval *in = b->type == RF_BLOCK_OPAQUE ? rf_answer_kept(a, b, "in") : NULL;
    return in && rf_jval_is(in, list);
}

static bool is_text(const struct rf_answer *a, const struct rf_block *b)
{
    (void)a;
    return b->type == RF_BLOCK_TEXT && !rf_answer_refuses(b);
}

static const struct rf_jval *annotation_after(const struct rf_answer *a, const struct rf_block *b,
                                              const struct rf_jval *last)
{
    const struct rf_jval *list = b->type == RF_BLOCK_TEXT ? b->citations : NULL, *c = NULL;
    if (list && list->type == RF_JARRAY)
        c = last ? rf_jval_next(list, last) : rf_jval_first(list);
    while (c && rf_completion_is_reference(a, c))
        c = rf_jval_next(list, c);
    return c;
}

/* The list of the message that it has a place in, or NULL. */
static const char *list_of(const struct rf_answer *a, const struct rf_block *b)
{
    static const char *const lists[] = { "reasoning_details", "thinking_blocks", "executed_tools",
                                         "annotations" };
    if (b->type == RF_BLOCK_THINKING && !a->own)
        return "reasoning_details";
    if (annotation_after(a, b, NULL))
        return "annotations";
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (came_as(a, b, lists[i]) || came_in(a, b, lists[i]))
            return lists[i];
    return NULL;
}

static bool is_part(const struct rf_answer *a, const struct rf_block *b)
{
    return came_as(a, b, "") || (b->type == RF_BLOCK_OPAQUE && !list_of(a, b));
}

/* The member for the words of a thought alone; NULL where it is a part of the content. */
static const char *plain_member(const struct rf_answer *a, const struct rf_block *b)
{
    if (b->type != RF_BLOCK_THINKING || came_as(a, b, ""))
        return NULL;
    bool reasoning = came_as(a, b, "reasoning") || came_as(a, b, "reasoning_details");
    return reasoning ? "reasoning" : "reasoning_content";
}

/* Elements of lists. `place` is that of the block in the answer. */

static void str_or_empty(struct rf_json *w, const char *name, const struct rf_jval *v)
{
    if (v && v->type == RF_JSTRING)
        rf_json_value(w, name, v);
    else
        rf_json_str(w, name, RF_STR(""));
}

/* Left out where it was not told, or is beyond all numbers. */
static void position(struct rf_json *w, const char *name, int64_t from, int64_t n)
{
    int64_t sum;
    if (n >= 0 && !__builtin_add_overflow(from, n, &sum))
        rf_json_int(w, name, sum);
}

/* Texts are one here, so that those before count. */
static void positions(struct rf_json *w, const struct rf_answer *a, size_t place,
                      const struct rf_jval *c)
{
    int64_t from = 0, start = rf_reply_count(rf_jval_get(c, "start")),
            end = rf_reply_count(rf_jval_get(c, "end"));
    for (size_t i = 0; i < place; i++)
        from += is_text(a, &a->blocks[i]) ? rf_utf8_count(a->blocks[i].text) : 0;
    if (!a->own)
        rf_answer_cited(a, a->blocks[place].text, c, &start, &end);
    position(w, "start_index", from, start);
    position(w, "end_index", from, end);
}

static void annotation(struct rf_json *w, const struct rf_answer *a, size_t place,
                       const struct rf_jval *c)
{
    const struct rf_jval *source = rf_jval_get(c, "source"), *text = rf_jval_get(c, "text");
    const struct rf_jval *original = a->own ? rf_jval_get(c, "extra") : NULL;
    bool document = a->own && source && !rf_jval_get(c, "url") && !rf_jval_get(c, "title");
    const char *type = document ? "document_citation" : "url_citation";
    if (original) {
        rf_json_value(w, NULL, original);
        return;
    }
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(type));
    rf_json_obj(w, type);
    if (!document) {
        str_or_empty(w, "url", rf_jval_get(c, "url"));
        str_or_empty(w, "title", rf_jval_get(c, "title"));
    }
    positions(w, a, place, c);
    if (source)
        rf_json_value(w, "document_id", source);
    if (text)
        rf_json_value(w, "content", text);
    rf_json_end(w);
    rf_json_end(w);
}

static bool has_words(const struct rf_thinking *t)
{
    return t->text.n || t->signature.n || (!t->redacted.n && !t->encrypted.n);
}

/* Which detail is the first of the thought at `place`, of those from elsewhere? */
static size_t first_detail(const struct rf_answer *a, size_t place)
{
    size_t n = 0;
    for (size_t i = 0; i < place; i++) {
        const struct rf_thinking *t = &a->blocks[i].thinking;
        if (a->blocks[i].type == RF_BLOCK_THINKING)
            n += has_words(t) + (size_t)(t->redacted.n > 0) + (t->encrypted.n > 0);
    }
    return n;
}

static void numbered_detail(struct rf_json *w, const struct rf_answer *a, size_t index,
                            const struct rf_thinking *t)
{
    const struct rf_jval *extra;
    struct rf_str json = rf_strf(a->arena, "{\"index\":%zu}", index);
    if (rf_jval_parse(json, a->arena, &extra, NULL))
        RF_BUG("an index could not be read");
    rf_completion_details(w, t, extra);
}

/* Clients put together what has the same index, so that each kind of detail has its own. The words
 * may have been said before. */
static void foreign_details(struct rf_json *w, const struct rf_answer *a, size_t place,
                            const struct rf_thinking *said)
{
    const struct rf_thinking *all = place < a->count ? &a->blocks[place].thinking : said;
    size_t index = first_detail(a, place);
    struct rf_thinking words = *said;
    words.redacted = words.encrypted = RF_STR("");
    if (has_words(said))
        numbered_detail(w, a, index, &words);
    index += has_words(all);
    if (said->redacted.n)
        numbered_detail(w, a, index++,
                        &(struct rf_thinking){ .redacted = said->redacted, .id = all->id });
    if (said->encrypted.n)
        numbered_detail(w, a, index,
                        &(struct rf_thinking){ .encrypted = said->encrypted, .id = all->id });
}

static void thought(struct rf_json *w, const struct rf_answer *a, size_t place,
                    const struct rf_block *b, const struct rf_thinking *said)
{
    if (came_as(a, b, "thinking_blocks"))
        rf_completion_thinking_block(w, said);
    else if (a->own)
        rf_completion_details(w, said, rf_answer_aside(a, b));
    else
        foreign_details(w, a, place, said);
}

static void elements(struct rf_json *w, const struct rf_answer *a, size_t place)
{
    const struct rf_block *b = &a->blocks[place];
    if (b->type == RF_BLOCK_THINKING)
        thought(w, a, place, b, &b->thinking);
    else if (b->type == RF_BLOCK_OPAQUE)
        rf_json_value(w, NULL, b->value);
    else
        for (const struct rf_jval *c = annotation_after(a, b, NULL); c;
             c = annotation_after(a, b, c))
            annotation(w, a, place, c);
}

/* Other members of a message */

static void audio(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    rf_json_obj(w, "audio");
    if (a->own) {
        rf_json_members(w, rf_answer_aside(a, b), NULL);
    } else {
        rf_json_str(w, "id", rf_answer_new_id(a, "audio_"));
        rf_json_int(w, "expires_at", a->created_s + AUDIO_LIVES_S);
    }
    rf_json_str(w, "data", b->media.source.ref);
    rf_json_str(w, "transcript", b->media.transcript);
    rf_json_end(w);
}

static void refusal_member(struct rf_json *w, const struct rf_answer *a)
{
    bool open = false;
    for (size_t i = 0; i < a->count; i++) {
        if (!rf_answer_refuses(&a->blocks[i]))
            continue;
        if (!open)
            rf_json_str_open(w, "refusal");
        open = true;
        rf_json_part(w, a->blocks[i].text);
    }
    if (open)
        rf_json_str_close(w);
    else
        rf_json_null(w, "refusal");
}

/* Words of several thoughts have a blank line between them. */
static void plain_thoughts(struct rf_json *w, const struct rf_answer *a, const char *member)
{
    bool open = false;
    for (size_t i = 0; i < a->count; i++) {
        const struct rf_block *b = &a->blocks[i];
        const char *plain = plain_member(a, b);
        if (!plain || strcmp(plain, member) != 0 || !b->thinking.text.n)
            continue;
        if (!open)
            rf_json_str_open(w, member);
        rf_json_part(w, open ? RF_STR("\n\n") : RF_STR(""));
        rf_json_part(w, b->thinking.text);
        open = true;
    }
    if (open)
        rf_json_str_close(w);
}

/* Thoughts from elsewhere need no list where their words say it all. */
static bool needs_details(const struct rf_answer *a)
{
    bool sealed = a->own;
    for (size_t i = 0; i < a->count; i++) {
        const struct rf_thinking *t = &a->blocks[i].thinking;
        sealed |= t->signature.n || t->redacted.n || t->encrypted.n;
    }
    return sealed;
}

static void list(struct rf_json *w, const struct rf_answer *a, const char *name)
{
    bool open = false;
    for (size_t i = 0; i < a->count; i++) {
        const char *of = list_of(a, &a->blocks[i]);
        if (!of || strcmp(of, name) != 0)
            continue;
        if (!open)
            rf_json_arr(w, name);
        open = true;
        elements(w, a, i);
    }
    if (open)
        rf_json_end(w);
}

static void media(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_block *sound = NULL;
    bool open = false;
    for (size_t i = 0; i < a->count; i++) {
        const struct rf_block *b = &a->blocks[i];
        sound = b->type == RF_BLOCK_AUDIO ? b : sound;
        if (b->type != RF_BLOCK_IMAGE)
            continue;
        if (!open)
            rf_json_arr(w, "images");
        open = true;
        rf_completion_image(w, &b->media);
    }
    if (open)
        rf_json_end(w);
    if (sound)
        audio(w, a, sound);
}

static void choice(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_completion_content(w, a, is_text, is_part);
    refusal_member(w, a);
    plain_thoughts(w, a, "reasoning_content");
    plain_thoughts(w, a, "reasoning");
    if (needs_details(a))
        list(w, a, "reasoning_details");
    list(w, a, "thinking_blocks");
    list(w, a, "executed_tools");
    list(w, a, "annotations");
    media(w, a);
    rf_completion_tool_calls(w, a);
    rf_json_end(w);
    rf_json_null(w, "logprobs");
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    rf_completion_response(a, w, choice);
    rf_json_null(w, "system_fingerprint");
}

static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_obj(w, "error");
    rf_completion_error(w, a);
    rf_json_end(w);
}

/* Streams */

static void open(struct rf_telling *t, const struct rf_block *b)
{
    t->state = (void *)b;
    t->next = 0; /* pieces of it */
    if (b->type == RF_BLOCK_TOOL_CALL)
        rf_completion_open_call(t, b);
}

static bool thought_before(const struct rf_answer *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (plain_member(a, &a->blocks[i]) && a->blocks[i].thinking.text.n)
            return true;
    return false;
}

static void thought_piece(struct rf_telling *t, struct rf_str text)
{
    const struct rf_answer *a = &t->answer;
    const struct rf_block *b = rf_completion_open_block(t);
    bool first = t->next++ == 0, apart = first && thought_before(a);
    const struct rf_thinking said = { .text = text, .id = first ? b->thinking.id : RF_STR("") };
    const char *list = list_of(a, b);
    if (came_as(a, b, "")) {
        rf_completion_think(t, text, RF_STR(""));
        return;
    }
    struct rf_json *w = rf_completion_delta(t);
    rf_json_str_open(w, plain_member(a, b));
    rf_json_part(w, apart ? RF_STR("\n\n") : RF_STR(""));
    rf_json_part(w, text);
    rf_json_str_close(w);
    if (list) {
        rf_json_arr(w, list);
        thought(w, a, a->count, b, &said);
        rf_json_end(w);
    }
    rf_completion_delta_end(t);
}

static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    if (type == RF_EVENT_ARGUMENTS)
        rf_completion_call_piece(t, text);
    else if (type == RF_EVENT_THINKING)
        thought_piece(t, text);
    else if (rf_answer_refuses(rf_completion_open_block(t)))
        rf_completion_delta_str(t, "refusal", text);
    else
        rf_completion_text_piece(t, text);
}

/* What a thought has besides its words; and a thought that has none. */
static void close_thought(struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_answer *a = &t->answer;
    const struct rf_block *opened = rf_completion_open_block(t);
    struct rf_thinking rest = b->thinking;
    const char *list = list_of(a, opened);
    rest.text = RF_STR("");
    if (b->thinking.text.n)
        rest.id = RF_STR(""); /* it was told: clients add up what each piece has of it */
    if (b->thinking.text.n && !rest.signature.n && !rest.redacted.n && !rest.encrypted.n)
        return;
    if (came_as(a, opened, "")) {
        rf_completion_think(t, RF_STR(""), rest.signature);
    } else if (list) {
        struct rf_json *w = rf_completion_delta(t);
        rf_json_arr(w, list);
        thought(w, a, a->count - 1, opened, &rest);
        rf_json_end(w);
        rf_completion_delta_end(t);
    }
}

static void close_listed(struct rf_telling *t, const struct rf_block *b)
{
    const char *list = list_of(&t->answer, b);
    if (!list)
        return;
    rf_json_arr(rf_completion_delta(t), list);
    elements(&t->json, &t->answer, t->answer.count - 1);
    rf_json_end(&t->json);
    rf_completion_delta_end(t);
}

static void cite(struct rf_telling *t, size_t place, const struct rf_jval *c)
{
    rf_json_arr(rf_completion_delta(t), "annotations");
    annotation(&t->json, &t->answer, place, c);
    rf_json_end(&t->json);
    rf_completion_delta_end(t);
}

static void close_media(struct rf_telling *t, const struct rf_block *b)
{
    struct rf_json *w = rf_completion_delta(t);
    if (b->type == RF_BLOCK_AUDIO) {
        audio(w, &t->answer, b);
    } else {
        rf_json_arr(w, "images");
        rf_completion_image(w, &b->media);
        rf_json_end(w);
    }
    rf_completion_delta_end(t);
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    if (b->type == RF_BLOCK_TOOL_CALL)
        rf_completion_close_call(t, b);
    else if (b->type == RF_BLOCK_THINKING)
        close_thought(t, b);
    else if (rf_block_is_media(b->type))
        close_media(t, b);
    else if (is_part(&t->answer, b))
        rf_completion_delta_part(t, b);
    else {
        if (is_text(&t->answer, b))
            rf_completion_close_text(t, b);
        close_listed(t, b);
    }
}

static void fail(struct rf_telling *t)
{
    refusal(&t->answer, rf_tell_open(t));
    rf_tell_close(t, NULL);
}

/* Pictures may have an address. */
static bool is_sayable(const struct rf_media *m)
{
    return m->source.kind == RF_SOURCE_DATA || !rf_str_starts(m->media_type, "audio/");
}

const struct rf_replies rf_openai_chat_replies = {
    .id = "chatcmpl-",
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_IMAGE] = true,
              [RF_BLOCK_AUDIO] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true,
              [RF_BLOCK_OPAQUE] = true },
    .says_citations = true,
    .says_file = is_sayable,
    .says_one_sound = true,
    .signs_thoughts = true,
    .signs_calls = true,
    .marks_ids = true,
    .seals = RF_SEALS_ALL,
    .says_redacted = true,
    .says_encrypted = true,
    .usage_on_demand = true,
    .fails_on = { [RF_STOP_MALFORMED] = true, [RF_STOP_ERROR] = true },
    .body = body,
    .refusal = refusal,
    .errors = rf_completion_errors,
    .begin = rf_completion_begin,
    .open = open,
    .piece = piece,
    .close = close,
    .cite = cite,
    .end = rf_completion_end,
    .fail = fail,
};
