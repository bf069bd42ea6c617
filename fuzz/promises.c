/* What is checked here is checked with other means than the library's own, as far as that is short:
 * an own base64 decoder that forgives more, an own search for data URLs, and the body as seen.h
 * reads it. What a format is, is left to the library. */
#include "promises.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "plan/account.h"
#include "plan/joint.h"
#include "plan/words.h"
#include "seen.h"
#include "source/lift.h"

#include <strings.h>

#define NOTHING "1, never nothing"
#define NO_BASE64 "2, never base64 as text"
#define PAIRS "3, pairs"
#define LABEL "5, the label is the bytes"
#define STRICT "strict mode"

struct check {
    struct rf_request *request;
    struct rf_arena *arena;
    struct seen_list seen;
    struct rf_str words; /* all texts of the body and all strings and spellings of its values */
};

/* Bytes. */

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c == '-' ? '+' : c == '_' ? '/' : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool is_skipped(char c)
{
    return c == '=' || c == ' ' || (c >= '\t' && c <= '\r');
}

/* Base64 of any sort; what is left over behind the last whole byte is ignored. */
static bool decode(struct rf_str text, struct rf_arena *a, struct rf_str *out)
{
    char *p = rf_arena_alloc(a, text.n / 4 * 3 + 4);
    unsigned bits = 0, have = 0;
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        int d = digit(text.p[i]);
        if (d < 0 && !is_skipped(text.p[i]))
            return false;
        if (d < 0)
            continue;
        bits = bits << 6 | (unsigned)d;
        have += 6;
        if (have >= 8)
            p[n++] = (char)(bits >> (have -= 8));
    }
    *out = (struct rf_str){ p, n };
    return true;
}

static const struct rf_format *format_of(struct rf_str file, bool whole)
{
    struct rf_bytes bytes = rf_bytes_memory(file);
    struct rf_reader r;
    struct rf_facts facts;
    if (rf_reader_open(&r, &bytes, NULL))
        return NULL;
    const struct rf_format *f = rf_sniff(&r);
    return f && whole && rf_probe(&r, f, &facts, NULL) ? NULL : f;
}

/* The bytes that a block with base64 or a data URL means. A text in another encoding goes as UTF-8,
 * and one in which files hide without them. */
static struct rf_str bytes_of(const struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_str text = rf_str_trim(asset->block->media.source.ref), head = RF_STR(""), bytes;
    if (text.n > 5 && strncasecmp(text.p, "data:", 5) == 0)
        rf_str_split(&text, ',', &head);
    if (head.n && (head.n < 7 || strncasecmp(head.p + head.n - 7, ";base64", 7) != 0))
        return asset->bytes.text; /* percent-encoded */
    if (!decode(text, a, &bytes))
        broken(NOTHING, "a file is sent whose base64 is none");
    bool changed = asset->kind == RF_KIND_TEXT &&
                   (rf_utf8_valid(bytes) < bytes.n || rf_lift_away(bytes, a).p != bytes.p);
    return changed ? asset->bytes.text : bytes;
}

/* Words. */

static void add_words(struct rf_buf *b, struct rf_str text)
{
    rf_buf_add(b, text);
    rf_buf_addc(b, '\n');
}

static struct rf_str all_words(const struct seen_list *s)
{
    struct rf_buf b;
    struct rf_str out = { 0 };
    rf_buf_init(&b, s->arena, SIZE_MAX);
    for (size_t i = 0; i < s->count; i++) {
        const struct seen *e = &s->list[i];
        if (e->kind == SEEN_TEXT)
            add_words(&b, e->text);
        if (e->kind != SEEN_VALUE)
            continue;
        add_words(&b, e->value->raw);
        for (uint32_t j = 0; j < e->value->span; j++)
            if (e->value[j].type == RF_JSTRING)
                add_words(&b, rf_jval_text(&e->value[j], s->arena));
    }
    if (rf_buf_finish(&b, &out, NULL))
        broken("the shape of the body", "too many words");
    return out;
}

static void need_words(const struct check *c, struct rf_str words, size_t message, const char *what)
{
    if (!rf_str_contains(c->words, words))
        broken(NOTHING, "messages[%zu]: %s is not in the body: %.*s", message, what, RF_FMT(words));
}

/* 1: one entry a media block, in order; files that are sent are there, the others are told of. */

static void check_entries(const struct check *c)
{
    const struct rf_plan *p = &c->request->plan;
    size_t d = 0;
    for (size_t i = 0; i < p->conversation->message_count; i++) {
        const struct rf_message *m = &p->conversation->messages[i];
        for (size_t j = 0; j < m->block_count; j++) {
            while (d < p->decision_count && p->decisions[d].part->found_in)
                d++;
            if (!rf_block_is_media(m->blocks[j].type))
                continue;
            if (d == p->decision_count || p->decisions[d++].part->block != &m->blocks[j])
                broken(NOTHING, "messages[%zu], block %zu: no entry in its place", i, j);
        }
    }
    while (d < p->decision_count && p->decisions[d].part->found_in)
        d++;
    if (d != p->decision_count)
        broken(NOTHING, "entry %zu is of no block", d);
}

static void check_report(struct check *c)
{
    const struct rf_jval *v;
    for (size_t i = 0; i < rf_report_count(c->request); i++) {
        if (!rf_report_id(c->request, i).n)
            broken(NOTHING, "entry %zu has no id", i);
        if (rf_jval_parse(rf_report_json(c->request, i), c->arena, &v, NULL))
            broken(NOTHING, "entry %zu is not JSON", i);
    }
}

static const struct rf_joint_message *fate_of(const struct check *c, size_t message)
{
    return &c->request->plan.messages[message];
}

/* A text file that goes as itself where the API wants the text of it. */
static bool is_written_out(const struct check *c, const struct rf_decision *d)
{
    const struct rf_asset *f = d->part->asset;
    bool as_text = c->request->plan.model->caps.text_documents && f->kind == RF_KIND_TEXT &&
                   f->state == RF_ASSET_BYTES;
    return d->inlined ||
           (as_text && d->delivery != RF_DELIVERY_TEXT && d->delivery != RF_DELIVERY_OMITTED);
}

static bool is_sent(const struct rf_decision *d)
{
    return d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK;
}

static bool is_end_of(struct rf_str s, struct rf_str end)
{
    return s.n >= end.n && rf_str_eq((struct rf_str){ s.p + s.n - end.n, end.n }, end);
}

/* Take bytes, or what ends in `ref`, out of what was seen, so that the next of the same finds
 * another. */
static bool take_bytes(struct check *c, struct rf_str want)
{
    struct rf_str bytes;
    for (size_t i = 0; i < c->seen.count; i++) {
        struct seen *e = &c->seen.list[i];
        if (e->kind != SEEN_BASE64 || !e->text.p || e->text.n / 4 != (want.n + 2) / 3 ||
            !decode(e->text, c->arena, &bytes) || !rf_str_eq(bytes, want))
            continue;
        e->text = (struct rf_str){ 0 };
        return true;
    }
    return false;
}

static bool take_ref(struct check *c, struct rf_str ref)
{
    for (size_t i = 0; i < c->seen.count; i++) {
        struct seen *e = &c->seen.list[i];
        if (e->kind != SEEN_REF || !e->text.p || !is_end_of(e->text, ref))
            continue;
        e->text = (struct rf_str){ 0 };
        return true;
    }
    return false;
}

/* The file, or all that was made of it, which is in memory. */
static bool take_file(struct check *c, const struct rf_decision *d)
{
    const struct rf_asset *f = d->part->asset;
    bool all = d->made && d->made->count > 0;
    for (size_t i = 0; all && i < d->made->count; i++)
        all = take_bytes(c, d->made->parts[i].asset.bytes.text);
    if (d->made)
        return all;
    return f->state == RF_ASSET_BYTES ? take_bytes(c, bytes_of(f, c->arena)) : take_ref(c, f->ref);
}

static void check_files(struct check *c)
{
    const struct rf_plan *p = &c->request->plan;
    for (size_t i = 0; i < p->decision_count; i++) {
        const struct rf_decision *d = &p->decisions[i];
        const struct rf_asset *f = d->part->asset;
        if (fate_of(c, d->message->index)->fate == RF_FATE_GONE) {
            if (is_sent(d) || d->inlined)
                broken(NOTHING, "entry %zu is sent, and its message is left out", i);
            continue;
        }
        if (is_written_out(c, d) && !f->text_with_files.n)
            need_words(c, bytes_of(f, c->arena), d->message->index, "the text of a file");
        else if (is_sent(d) && !take_file(c, d))
            broken(NOTHING, "entry %zu is not in the body", i);
        else if (!is_sent(d) && !d->inlined)
            need_words(c, f->id, d->message->index, "the id of a file");
        if (d->delivery == RF_DELIVERY_FALLBACK)
            need_words(c, rf_strf(c->arena, "See file %.*s.", RF_FMT(f->id)), d->message->index,
                       "the reference");
    }
    for (size_t i = 0; i < c->seen.count; i++) {
        const struct seen *e = &c->seen.list[i];
        if ((e->kind == SEEN_BASE64 || e->kind == SEEN_REF) && e->text.p)
            broken(NOTHING, "a file in the body is in no entry: %.*s", RF_FMT(e->text));
    }
}

static bool was_lifted(const struct rf_surveyed *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->parts[i].found_in)
            return true;
    return false;
}

/* Base64 that a model said is left out. */
static bool is_shortened(const struct rf_message *m, struct rf_str text, struct rf_arena *a)
{
    return m->role == RF_ROLE_ASSISTANT && rf_lift_away(text, a).p != text.p;
}

static bool is_home(const struct check *c, const struct rf_block *opaque)
{
    return rf_str_eq(opaque->dialect, c->request->plan.model->caps.dialect);
}

static bool has_words(const struct rf_surveyed *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->parts[i].kind == RF_PART_TEXT && !rf_str_blank(m->parts[i].text))
            return true;
    return false;
}

/* Text that made room is told of in its place. */
static bool made_room(const struct check *c, const struct rf_surveyed *m)
{
    const struct rf_joint_message *joint = fate_of(c, m->index);
    bool cut = rf_joint_is_cut(joint);
    if (joint->fate == RF_FATE_GONE)
        need_words(c, RF_STR("were left out" RF_WORDS_TO_FIT), m->index, "a line");
    if (joint->fate == RF_FATE_SILENT && has_words(m))
        need_words(c, RF_STR("was left out" RF_WORDS_TO_FIT), m->index, "a line");
    if (cut)
        need_words(c, RF_STR("[Cut" RF_WORDS_TO_FIT), m->index, "a line");
    return cut || joint->fate != RF_FATE_KEPT;
}

static void check_texts(const struct check *c)
{
    const struct rf_survey *s = &c->request->survey;
    for (size_t i = 0; i < s->count; i++) {
        const struct rf_message *m = s->messages[i].message;
        if (made_room(c, &s->messages[i]) || was_lifted(&s->messages[i]))
            continue;
        if (!rf_str_blank(m->output))
            need_words(c, m->output, i, "the output");
        if (m->failed && !rf_str_blank(m->error))
            need_words(c, m->error, i, "the error");
        for (size_t j = 0; j < m->block_count; j++)
            if (m->blocks[j].type == RF_BLOCK_TEXT && !rf_str_blank(m->blocks[j].text) &&
                !is_shortened(m, m->blocks[j].text, c->arena))
                need_words(c, m->blocks[j].text, i, "a text");
        for (size_t j = 0; j < s->messages[i].count; j++) {
            const struct rf_part *p = &s->messages[i].parts[j];
            if (p->kind == RF_PART_JSON)
                need_words(c, p->text, i, "a value");
            if (p->kind == RF_PART_OPAQUE && !is_home(c, p->block) && !rf_str_blank(p->text))
                need_words(c, p->text, i, "what another API was told");
        }
    }
}

/* 2 */

static bool is_media(struct rf_str base64, bool marked, struct rf_arena *a)
{
    static const char *const weak[] = { "audio/mpeg", "audio/aac", "image/bmp", "image/x-icon",
                                        "video/mpeg" };
    struct rf_str bytes;
    if (base64.n < RF_MIN_LIFT_BASE64 || !decode(base64, a, &bytes))
        return false;
    const struct rf_format *f = format_of(bytes, true);
    if (!f || f->kind == RF_KIND_TEXT)
        return false;
    for (size_t i = 0; !marked && i < sizeof weak / sizeof *weak; i++)
        if (strcmp(f->mime, weak[i]) == 0)
            return false;
    return true;
}

static struct rf_str digits_of(struct rf_str s)
{
    size_t n = 0;
    while (n < s.n && digit(s.p[n]) >= 0)
        n++;
    return (struct rf_str){ s.p, n };
}

/* What stands after `;base64,` of the data URL at `at`, up to the first foreign character. */
static struct rf_str data_url(struct rf_str at)
{
    struct rf_str head = { at.p, at.n < 205 ? at.n : 205 };
    const char *comma = memchr(head.p, ',', head.n);
    if (!comma || comma - head.p < 12 || strncasecmp(comma - 7, ";base64", 7) != 0)
        return RF_STR("");
    return digits_of((struct rf_str){ comma + 1, (size_t)(at.p + at.n - comma - 1) });
}

static bool holds_media(struct rf_str text, struct rf_arena *a)
{
    if (is_media(digits_of(rf_str_trim(text)), false, a))
        return true;
    for (size_t i = 0; i + 5 < text.n; i++) {
        struct rf_str at = { text.p + i, text.n - i };
        if (strncasecmp(at.p, "data:", 5) == 0 && is_media(data_url(at), true, a))
            return true;
    }
    return false;
}

static void check_value(const struct rf_jval *v, struct rf_arena *a)
{
    for (uint32_t i = 0; i < v->span; i++)
        if (v[i].type == RF_JSTRING && holds_media(rf_jval_text(&v[i], a), a))
            broken(NO_BASE64, "in a value: %.*s", RF_FMT(v[i].raw));
}

/* What one API was told goes back to it to the letter, also where a result is a value or a text. */
static bool came_with_media(const struct check *c)
{
    const struct rf_conversation *from = c->request->plan.conversation;
    for (size_t i = 0; i < from->message_count; i++) {
        const struct rf_message *m = &from->messages[i];
        for (size_t j = 0; j < m->block_count; j++) {
            const struct rf_block *b = &m->blocks[j];
            if (b->type != RF_BLOCK_OPAQUE || !is_home(c, b))
                continue;
            for (uint32_t k = 0; k < b->value->span; k++)
                if (b->value[k].type == RF_JSTRING &&
                    holds_media(rf_jval_text(&b->value[k], c->arena), c->arena))
                    return true;
        }
    }
    return false;
}

static void check_no_base64(const struct check *c)
{
    if (came_with_media(c))
        return;
    for (size_t i = 0; i < c->seen.count; i++) {
        const struct seen *e = &c->seen.list[i];
        const struct rf_jval *v;
        if (e->kind == SEEN_VALUE)
            check_value(e->value, c->arena);
        if (e->kind != SEEN_TEXT)
            continue;
        if (holds_media(e->text, c->arena))
            broken(NO_BASE64, "in a text: %.*s", RF_FMT(e->text));
        if (!rf_jval_parse(e->text, c->arena, &v, NULL))
            check_value(v, c->arena);
    }
}

/* 3: after a turn with calls come their results, each once, and then anything else. */

struct pairs {
    struct rf_str *ids; /* all calls so far; those from `open` on have no result yet */
    size_t count, cap, open;
};

/* Some APIs want ids that differ in all turns; others in the one that is waited for. */
static void take_call(const struct check *c, struct pairs *p, struct rf_str id)
{
    enum rf_id_rule rule = c->request->plan.model->caps.call_ids;
    bool all = rule == RF_IDS_WORD64 || rule == RF_IDS_ALNUM9 || rule == RF_IDS_ANY64;
    for (size_t i = all ? 0 : p->open; i < p->count; i++)
        if (rf_str_eq(p->ids[i], id))
            broken(PAIRS, "two calls have the id \"%.*s\"", RF_FMT(id));
    *RF_PUSH(c->arena, p->ids, p->count, p->cap) = id;
}

static void take_result(struct pairs *p, struct rf_str id)
{
    for (size_t i = p->open; i < p->count; i++) {
        if (!rf_str_eq(p->ids[i], id))
            continue;
        p->ids[i] = p->ids[p->open];
        p->ids[p->open++] = id;
        return;
    }
    broken(PAIRS, "a result of \"%.*s\", which is not waited for", RF_FMT(id));
}

static void check_turn(const struct check *c, const struct seen *e, struct rf_str before,
                       const struct pairs *p)
{
    const struct rf_caps *caps = &c->request->plan.model->caps;
    bool user = rf_str_is(e->text, "user");
    bool imported = c->request->plan.conversation->dialect.n > 0;
    bool again = before.n ? rf_str_eq(before, e->text) : !user && !imported;
    /* A system's own turn, where the API was told so; Gemini has no role for it. */
    bool other = !e->assistant && (!user || (imported && rf_str_is(caps->dialect, "gemini")));
    bool injected = caps->after == RF_AFTER_NEXT_TURN && user && p->count;
    if (caps->merge_turns && again && !injected && !other)
        broken(PAIRS, "turns do not alternate at %zu", (size_t)(e - c->seen.list));
    bool strict = rf_str_is(caps->dialect, "mistral") || rf_str_is(caps->dialect, "cohere");
    if (strict && user && rf_str_is(before, "tool"))
        broken(PAIRS, "a user message right after a tool message");
    bool apart = rf_str_is(caps->dialect, "openai-responses");
    if (e->assistant && p->open < p->count && !(apart && e[-1].assistant))
        broken(PAIRS, "a call has no result before the next turn");
}

static void check_pairs(const struct check *c)
{
    struct pairs p = { 0 };
    struct rf_str before = { 0 };
    for (size_t i = 0; i < c->seen.count; i++) {
        const struct seen *e = &c->seen.list[i];
        if (e->kind == SEEN_TURN) {
            check_turn(c, e, before, &p);
            before = e->text;
        } else if (e->kind == SEEN_CALL) {
            take_call(c, &p, e->text);
        } else if (e->kind == SEEN_RESULT) {
            take_result(&p, e->text);
        } else if (!e->assistant && !e->inside && p.open < p.count) {
            broken(PAIRS, "something stands before the result of \"%.*s\"", RF_FMT(p.ids[p.open]));
        }
    }
    if (p.open < p.count)
        broken(PAIRS, "the call \"%.*s\" has no result", RF_FMT(p.ids[p.open]));
}

/* 5 */

static bool is_one_of(struct rf_str s, const char *list)
{
    struct rf_str rest = rf_str(list), one;
    while (rf_str_split(&rest, ' ', &one))
        if (rf_str_eq(one, s))
            return true;
    return false;
}

/* The sound of a container for both has the label of the sound. */
static const char *sound_label(const struct rf_format *f)
{
    static const char *const pairs[][2] = {
        { "video/mp4", "audio/mp4 m4a" },       { "video/quicktime", "audio/mp4 m4a" },
        { "video/webm", "audio/webm webm" },    { "video/x-matroska", "audio/x-matroska mka" },
        { "video/3gpp", "audio/3gpp" },         { "video/ogg", "audio/ogg ogg" },
        { "video/x-ms-wmv", "audio/x-ms-wma" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(pairs[i][0], f->mime) == 0)
            return pairs[i][1];
    return "";
}

static bool fits(struct rf_str label, const struct rf_format *f)
{
    const struct rf_format *told = rf_format_by_mime(label);
    if (!label.n)
        return f->kind == RF_KIND_IMAGE || f->kind == RF_KIND_AUDIO || *sound_label(f);
    if (f->kind == RF_KIND_TEXT)
        return (told && told->kind == RF_KIND_TEXT) || is_one_of(label, "txt csv html md");
    return rf_str_is(label, f->mime) || rf_str_is(label, f->extension) ||
           is_one_of(label, sound_label(f)) ||
           (rf_str_is(label, "jpeg") && strcmp(f->extension, "jpg") == 0) ||
           (rf_str_is(label, "three_gp") && strcmp(f->mime, "video/3gpp") == 0) ||
           (rf_str_is(label, "mpeg") && strcmp(f->mime, "video/mpeg") == 0);
}

static void check_labels(const struct check *c)
{
    for (size_t i = 0; i < c->seen.count; i++) {
        const struct seen *e = &c->seen.list[i];
        struct rf_str bytes = RF_STR("\xff");
        if (e->kind != SEEN_BASE64)
            continue;
        const struct rf_format *f =
            decode(e->text, c->arena, &bytes) ? format_of(bytes, false) : NULL;
        if (!f && rf_utf8_valid(bytes) == bytes.n) /* decoded, whatever characters are in it */
            f = rf_format_by_mime(RF_STR("text/plain"));
        if (!f || !fits(e->label, f))
            broken(LABEL, "\"%.*s\" is %s", RF_FMT(e->label), f ? f->mime : "nothing known");
    }
}

/* Strict mode: all of it as the same kind of thing, or nothing. What a model said before is not
 * asked for. */

static void check_strict(const struct check *c)
{
    for (size_t i = 0; i < c->request->plan.decision_count; i++) {
        const struct rf_decision *d = &c->request->plan.decisions[i];
        bool said = d->message->message->role == RF_ROLE_ASSISTANT;
        if (!said && ((!is_sent(d) && !d->inlined) || !rf_account_is_faithful(d)))
            broken(STRICT, "entry %zu became %s", i, rf_form_name(d->form));
    }
}

static bool has_content(const struct rf_conversation *c)
{
    for (size_t i = 0; i < c->message_count; i++) {
        const struct rf_message *m = &c->messages[i];
        if (m->role == RF_ROLE_TOOL)
            return true;
        for (size_t j = 0; j < m->block_count; j++) {
            enum rf_block_type type = m->blocks[j].type;
            bool text = type == RF_BLOCK_TEXT && !rf_str_blank(m->blocks[j].text);
            text |= type == RF_BLOCK_OPAQUE && m->role == RF_ROLE_USER;
            if (text || rf_block_is_media(type) || type == RF_BLOCK_TOOL_CALL)
                return true;
        }
    }
    return false;
}

void promises_check_refusal(const struct rf_conversation *c, const struct rf_err *err, bool strict)
{
    if (strncmp(err->msg, "messages", 8) != 0)
        broken(STRICT, "a refusal without a place: %s", err->msg);
    if (!strict && has_content(c))
        broken(NOTHING, "no request: %s", err->msg);
}

void promises_check(struct rf_request *r, struct rf_str body, bool strict, struct rf_arena *a)
{
    struct check c = { .request = r, .arena = a };
    const struct rf_jval *root;
    struct rf_err err;
    if (rf_request_length(r) != body.n)
        broken("8, flat memory", "the length is not the length");
    enum rf_code rc = rf_jval_parse(body, a, &root, &err);
    if (rc == RF_ELIMIT) /* values that were nested almost too deep are deeper here */
        return;
    if (rc)
        broken("the shape of the body", "%s", err.msg);
    seen_read(r->plan.model->caps.dialect, root, r->plan.conversation, a, &c.seen);
    c.words = all_words(&c.seen);
    check_entries(&c);
    check_report(&c);
    check_no_base64(&c);
    check_pairs(&c);
    check_labels(&c);
    check_texts(&c);
    if (strict)
        check_strict(&c);
    check_files(&c);
}
