/* Paths are spelled in many ways, and all of them are lists with their indices:
 *
 *     messages.2.content.0.tool_result.content.1.image.source.base64.data     Anthropic, Bedrock
 *     messages[3].content[1].image_url.url                                    OpenAI
 *     input[3].output[0].file_data                                            OpenAI Responses
 *     contents[1].parts[0].inline_data.data                                   Gemini
 *     #/messages/2/content/0                                                  Bedrock
 *     ["body","messages",2,"user","content",1,"image_url"]                    Mistral
 *
 * What stands between two lists are tags. So an index belongs to a list of the body where one of
 * the names before it is the list's, and a path leads to a file where all its indices do. */
#include "agent/heal/candidates.h"

#include "base/arena.h"
#include "wire/phrases.h"

#define MOST_NAMES 8 /* between two indices */

/* Words */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_at(struct rf_str text, size_t i, const char *word)
{
    size_t n = strlen(word);
    return n <= text.n - i &&
           rf_str_ieq((struct rf_str){ text.p + i, n }, (struct rf_str){ word, n });
}

/* The next whole word from `*at` on: letters and underscores. */
static bool next_word(struct rf_str text, size_t *at, struct rf_str *word)
{
    size_t start = *at, end;
    while (start < text.n && !is_name_char(text.p[start]))
        start++;
    for (end = start; end < text.n && (is_name_char(text.p[end]) || rf_is_digit(text.p[end]));
         end++)
        ;
    *word = (struct rf_str){ text.p + start, end - start };
    *at = end;
    return word->n > 0;
}

/* The kinds of file that a text speaks of: those that it names, else any, where it speaks of
 * files at all. A name such as "view_image" is another word. */
static unsigned files_in(struct rf_str text)
{
    unsigned named = 0, any = 0;
    struct rf_str word;
    for (size_t at = 0; next_word(text, &at, &word);) {
        const struct rf_phrase *p = rf_phrase_is(RF_PHRASE_FILES, word);
        any |= p ? RF_FILES_ANY : 0;
        named |= p && p->files != RF_FILES_ANY ? p->files : 0;
    }
    return named ? named : any;
}

/* An address that could not be read is a file's, or that of the request. */
static bool speaks_of_address(struct rf_str text)
{
    struct rf_str word;
    for (size_t at = 0; next_word(text, &at, &word);)
        if (rf_str_ieq(word, RF_STR("url")) || rf_str_ieq(word, RF_STR("urls")))
            return true;
    return false;
}

/* Paths */

struct index {
    struct rf_str names[MOST_NAMES]; /* before it, since the last one */
    size_t name_count, value;
};

struct path {
    struct index steps[RF_JSON_STEPS];
    size_t count;
    bool marks; /* it ends at a mark of the part, and not at its content */
};

static bool is_separator(struct rf_str text, size_t i)
{
    return strchr(".[]/'\"`,", text.p[i]) || (text.p[i] == ' ' && i > 0 && text.p[i - 1] == ',');
}

static size_t take_number(struct rf_str text, size_t *at)
{
    size_t n = 0;
    for (; *at < text.n && rf_is_digit(text.p[*at]); (*at)++)
        n = n < 1000000 ? n * 10 + (size_t)(text.p[*at] - '0') : n;
    return n;
}

/* The path that begins at `at`; it ends after it. */
static void read_path(struct rf_str text, size_t at, struct path *out)
{
    struct index next = { 0 };
    *out = (struct path){ 0 };
    while (at < text.n && text.p[at] && out->count < RF_JSON_STEPS) {
        size_t start = at;
        if (is_name_char(text.p[at])) {
            while (at < text.n && (is_name_char(text.p[at]) || rf_is_digit(text.p[at])))
                at++;
            struct rf_str name = { text.p + start, at - start };
            if (next.name_count < MOST_NAMES)
                next.names[next.name_count++] = name;
            out->marks |= rf_str_is(name, "cache_control") || rf_str_is(name, "cachePoint");
        } else if (rf_is_digit(text.p[at])) {
            if (!next.name_count)
                return;
            next.value = take_number(text, &at);
            out->steps[out->count++] = next;
            next = (struct index){ 0 };
        } else if (is_separator(text, at)) {
            at++;
        } else {
            return;
        }
    }
}

static bool fits(const struct index *i, const struct rf_json_step *step)
{
    bool named = false;
    for (size_t k = 0; k < i->name_count; k++)
        named |= rf_str_ieq(i->names[k], step->list);
    return named && i->value == step->index;
}

/* Does the path lead to the file, or to something that it is in? */
static bool leads_to(const struct path *path, const struct rf_json_mark *place)
{
    size_t n = path->count < place->count ? path->count : place->count;
    for (size_t i = 0; i < n; i++)
        if (!fits(&path->steps[i], &place->steps[i]))
            return false;
    return n > 0;
}

struct search {
    struct rf_str words;
    const struct rf_request *request;
    struct rf_arena *arena;
    bool named;  /* a place was named, whether or not a file is there */
    bool marked; /* and it was a mark of it */
    bool deep;   /* it led to a file itself, not only to what holds it */
};

static const struct rf_asset *asset_at(const struct search *s, size_t mark)
{
    return s->request->marks[mark].what;
}

/* A text that is written out is not a candidate: only media are refused for what they are. */
static void add(const struct search *s, size_t mark, struct rf_candidates *out)
{
    const struct rf_plan *plan = &s->request->plan;
    size_t decision = rf_request_decision(s->request, asset_at(s, mark));
    if (decision == plan->decision_count || plan->decisions[decision].inlined)
        return;
    for (size_t i = 0; i < out->count; i++)
        if (out->decisions[i] == decision)
            return;
    *RF_PUSH(s->arena, out->decisions, out->count, out->cap) = decision;
}

/* All files that the first path leads to that leads to any. */
static void by_path(struct search *s, struct rf_candidates *out)
{
    const struct rf_json_mark *marks = s->request->marks;
    struct rf_str root = marks[0].steps[0].list;
    const char *name = rf_cstr(s->arena, root);
    for (size_t i = 0; root.n && i + root.n < s->words.n && !out->count; i++) {
        struct path path;
        if (!is_at(s->words, i, name) || (i && is_name_char(s->words.p[i - 1])))
            continue;
        read_path(s->words, i, &path);
        s->named |= path.count > 0;
        s->marked |= path.marks;
        for (size_t k = 0; path.count && k < s->request->mark_count; k++)
            if (leads_to(&path, &marks[k])) {
                add(s, k, out);
                s->deep |= path.count >= marks[k].count;
            }
    }
}

/* A path to where no files are: "tools.0.custom.name", "system[1]". */
static bool names_elsewhere(struct rf_str words)
{
    struct rf_str word;
    for (size_t at = 0; next_word(words, &at, &word);)
        if (at + 1 < words.n && strchr(".[/", words.p[at]) &&
            (rf_is_digit(words.p[at + 1]) || is_name_char(words.p[at + 1])) &&
            rf_phrase_is(RF_PHRASE_ELSEWHERE, word))
            return true;
    return false;
}

static void by_reference(const struct search *s, struct rf_candidates *out)
{
    for (size_t i = 0; i < s->request->mark_count; i++) {
        const struct rf_asset *f = asset_at(s, i);
        bool remote = f->state == RF_ASSET_URL || f->state == RF_ASSET_FILE_ID;
        if (remote && f->ref.n && rf_str_contains(s->words, f->ref))
            add(s, i, out);
    }
}

static void by_kind(const struct search *s, unsigned kinds, struct rf_candidates *out)
{
    for (size_t i = 0; i < s->request->mark_count; i++)
        if (kinds & 1u << asset_at(s, i)->kind)
            add(s, i, out);
}

static void by_address(const struct search *s, struct rf_candidates *out)
{
    for (size_t i = 0; i < s->request->mark_count; i++)
        if (asset_at(s, i)->state == RF_ASSET_URL)
            add(s, i, out);
}

/* What the provider itself says that it is about decides where the words alone could mean
 * something else. */
static bool is_about_files(const struct rf_refusal *refusal, unsigned kinds)
{
    switch (refusal->kind) {
    case RF_ERROR_BAD_MEDIA:
        return true;
    case RF_ERROR_TOO_LARGE:
    case RF_ERROR_UNSUPPORTED:
        return kinds != 0;
    case RF_ERROR_OTHER:
        return kinds && rf_phrase_in(RF_PHRASE_FAULT, refusal->words);
    case RF_ERROR_NONE:
    case RF_ERROR_AUTHENTICATION:
    case RF_ERROR_PERMISSION:
    case RF_ERROR_RATE_LIMIT:
    case RF_ERROR_OVERLOADED:
    case RF_ERROR_CONTEXT_TOO_LONG:
    case RF_ERROR_NOT_FOUND:
        break;
    }
    return false;
}

void rf_candidates_find(const struct rf_request *r, const struct rf_refusal *refusal,
                        struct rf_arena *a, struct rf_candidates *out)
{
    struct search s = { .words = refusal->words, .request = r, .arena = a };
    unsigned kinds = files_in(refusal->words);
    *out = (struct rf_candidates){ 0 };
    if (!r->mark_count)
        return;
    by_reference(&s, out);
    if (!out->count)
        by_path(&s, out);
    if (out->count) {
        bool about = !s.named || is_about_files(refusal, kinds) || (s.deep && kinds);
        out->by = about && !s.marked ? RF_CANDIDATES_PLACE : RF_CANDIDATES_NONE;
        return;
    }
    if (rf_str_blank(refusal->words) ||
        rf_phrase_is(RF_PHRASE_VAGUE, rf_str_trim(refusal->words))) {
        by_kind(&s, RF_FILES_ANY, out);
        out->by = RF_CANDIDATES_VAGUE;
        return;
    }
    /* A router counts as the endpoint behind it does: only words that can mean nothing else
     * count then. */
    bool other =
        names_elsewhere(refusal->words) || (s.named && refusal->kind != RF_ERROR_BAD_MEDIA);
    bool address = !kinds && speaks_of_address(refusal->words);
    if (other || !is_about_files(refusal, address ? RF_FILES_ANY : kinds))
        return;
    if (address)
        by_address(&s, out);
    if (!out->count && (!address || refusal->kind == RF_ERROR_BAD_MEDIA))
        by_kind(&s, kinds ? kinds : RF_FILES_ANY, out);
    if (out->count)
        out->by = RF_CANDIDATES_KIND;
}
