/* Random histories of documents, the same every time, for every endpoint of the catalogue: one page to two
 * thousand, scans, some pages of one, several to a message, pictures among them, windows from eight
 * thousand tokens to two million. What is sent keeps every limit; every new file has at least its words, and
 * none gets everything while another is left to a note; no fewer pages go than would fit; what the report
 * says was lost is what the wire does not hold; and its tokens are those of the request.
 *
 * The workers are played: what they make tells which pages of which document it is. */
#include <refract/refract.h>

#include "base/buf.h"
#include "model/tokens.h"
#include "plan/pieces.h"

#include "limits.h"
#include "played.h"

#define HISTORIES 3000
#define MOST_DOCUMENTS 64
#define MOST_PAGES 2000
#define MOST_DOCUMENT 8000000 /* bytes */
#define LEAST_WINDOW 8000
#define MOST_WINDOW 2000000
#define LEAST_BODY 3500000 /* bytes, less than any row has */
#define MOST_BODY 20000000

/* A document of the history, what was asked of it, and what the wire holds. */
struct document {
    struct played_document is;
    int64_t first, end; /* counted from 0 */
    bool went[MOST_PAGES];
};

static uint64_t seed;
static uint64_t number;   /* of the history */
static const char *facts; /* the model and its limits */
static struct document documents[MOST_DOCUMENTS];
static size_t document_count;
static bool as_is;

static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % n;
}

static bool one_in(size_t n)
{
    return random_below(n) == 0;
}

__attribute__((format(printf, 1, 2))) static void wrong(const char *fmt, ...)
{
    char what[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    fail_msg("history %llu, %s: %s", (unsigned long long)number, facts, what);
}

/* Conversations. */

/* Each of these sizes as often as the others: a page, a letter, a report, a book. */
static size_t random_pages(void)
{
    static const size_t most[] = { 1, 5, 20, 120, 400, MOST_PAGES };
    return 1 + random_below(most[random_below(COUNT(most))]);
}

static void say_document(struct rf_buf *b, struct document *d)
{
    rf_buf_addf(b, "{\"type\":\"document\",\"name\":\"document %zu\",\"data\":\"", d->is.number);
    rf_buf_add(b, to_base64(b->arena, played_document(b->arena, &d->is)));
    rf_buf_addc(b, '"');
    if (d->first || d->end != (int64_t)d->is.pages)
        rf_buf_addf(b, ",\"page_range\":[%lld,%lld]", (long long)d->first, (long long)d->end);
    rf_buf_addc(b, '}');
}

static struct document *add_document(size_t pages)
{
    struct document *d = &documents[document_count];
    *d = (struct document){ .is = { .number = document_count, .pages = pages } };
    d->end = (int64_t)pages;
    document_count++;
    return d;
}

static void say_random_document(struct rf_buf *b)
{
    struct document *d = add_document(random_pages());
    d->is.words = one_in(4) ? 0 : 1 + random_below(one_in(4) ? 400 : 40);
    d->is.page_bytes = random_below(one_in(25) ? MOST_DOCUMENT : 40000) / d->is.pages;
    if (one_in(4)) {
        d->first = (int64_t)random_below(d->is.pages);
        d->end = d->first + 1 + (int64_t)random_below(d->is.pages - (size_t)d->first);
    }
    say_document(b, d);
}

static void say_picture(struct rf_buf *b, uint32_t width, uint32_t height, size_t bytes)
{
    rf_buf_addf(b, "{\"type\":\"image\",\"name\":\"picture\",\"data\":\"");
    rf_buf_add(b, to_base64(b->arena, played_png(b->arena, width, height, bytes)));
    rf_buf_addf(b, "\"}");
}

static void say_files(struct rf_buf *b)
{
    for (size_t i = 0, n = 1 + random_below(one_in(3) ? 5 : 2); i < n; i++) {
        rf_buf_addf(b, "%s", i ? "," : "");
        if (one_in(4) || document_count == MOST_DOCUMENTS)
            say_picture(b, 500 + (uint32_t)random_below(2000), 500 + (uint32_t)random_below(2000),
                        200 + random_below(20000));
        else
            say_random_document(b);
    }
}

static void say_user(struct rf_buf *b, bool files)
{
    rf_buf_addf(b, "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"What is it?\"}");
    if (files) {
        rf_buf_addc(b, ',');
        say_files(b);
    }
    rf_buf_addf(b, "]}");
}

/* An answer that calls tools, and their results with files. */
static void say_results(struct rf_buf *b, size_t round)
{
    size_t calls = 1 + random_below(3);
    rf_buf_addf(b, ",{\"role\":\"assistant\",\"content\":[");
    for (size_t i = 0; i < calls; i++)
        rf_buf_addf(b,
                    "%s{\"type\":\"tool_call\",\"id\":\"c%zu\",\"name\":\"look\",\"arguments\":{}}",
                    i ? "," : "", 10 * round + i);
    rf_buf_addf(b, "]}");
    for (size_t i = 0; i < calls; i++) {
        rf_buf_addf(
            b,
            ",{\"role\":\"tool\",\"tool_call_id\":\"c%zu\",\"name\":\"look\",\"output\":\"Here.\","
            "\"content_blocks\":[",
            10 * round + i);
        say_files(b);
        rf_buf_addf(b, "]}");
    }
}

static void say_answer(struct rf_buf *b, bool files)
{
    rf_buf_addf(b,
                ",{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"I see.\"}]},");
    say_user(b, files);
}

static void begin_talk(struct rf_buf *b)
{
    document_count = 0;
    rf_buf_addf(b,
                "{\"refract\":1,\"tools\":[{\"name\":\"look\"}],\"options\":{\"max_tokens\":%zu},"
                "\"messages\":[",
                500 + random_below(1000));
}

static struct rf_str finish(struct rf_buf *b)
{
    struct rf_str out;
    assert_int_equal(rf_buf_finish(b, &out, NULL), RF_OK);
    return out;
}

/* The newest message has files. */
static struct rf_str random_talk(struct rf_arena *a)
{
    struct rf_buf b;
    size_t rounds = one_in(2) ? 0 : 1 + random_below(5);
    rf_buf_init(&b, a, SIZE_MAX);
    begin_talk(&b);
    say_user(&b, !rounds || one_in(2));
    for (size_t i = 1; i <= rounds; i++)
        if (one_in(2))
            say_results(&b, i);
        else
            say_answer(&b, i == rounds || one_in(2));
    rf_buf_addf(&b, "]}");
    return finish(&b);
}

/* Models. */

static void set(struct rf_model *m, struct rf_arena *a, const char *fact, size_t value)
{
    struct rf_err err;
    if (rf_model_set(m, rf_str(fact), rf_strf(a, "%zu", value), RF_FACT_OVERRIDE, &err))
        fail_msg("%s", err.msg);
    facts = rf_strf(a, "%s %s=%zu", facts, fact, value).p;
}

static void open_model(struct rf_model *m, const char *provider, struct rf_str name,
                       struct rf_arena *a)
{
    struct rf_err err;
    facts = rf_strf(a, "%s:%.*s", provider, RF_FMT(name)).p;
    if (rf_model_init(m, rf_str(provider), name, a, &err))
        fail_msg("%s", err.msg);
}

/* A name that the pattern of the family matches. */
static struct rf_str name_for(const char *pattern, struct rf_arena *a)
{
    struct rf_str name = rf_str_dup(a, rf_str(pattern));
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '*')
            ((char *)name.p)[i] = '1'; /* the arena's own memory */
    return name;
}

static void random_model(struct rf_model *m, struct rf_arena *a)
{
    size_t which = random_below(rf_family_count() + rf_provider_count());
    if (which < rf_family_count())
        open_model(m, rf_family_provider(which), name_for(rf_family_pattern(which), a), a);
    else
        open_model(m, rf_provider_name(which - rf_family_count()), RF_STR("nobody-knows"), a);
    if (one_in(3))
        set(m, a, "max_images", 1 + random_below(one_in(2) ? 8 : 200));
    if (one_in(4))
        set(m, a, "max_documents", 1 + random_below(5));
    if (one_in(4))
        set(m, a, "max_pdf_pages", 1 + random_below(one_in(2) ? 20 : 1000));
    if (one_in(3))
        set(m, a, "max_body_bytes", LEAST_BODY + random_below(MOST_BODY - LEAST_BODY));
    if (one_in(2))
        set(m, a, "context_tokens",
            LEAST_WINDOW + random_below(one_in(2) ? 60000 : MOST_WINDOW - LEAST_WINDOW));
    if (as_is)
        facts = rf_strf(a, "%s as-is", facts).p;
}

static struct rf_request *build(const struct rf_conversation *c, const struct rf_model *m)
{
    struct rf_request_options *o = rf_request_options_new();
    struct rf_request *r = NULL;
    struct rf_err err;
    if (as_is)
        rf_request_options_as_is(o);
    if (rf_request_build(c, m, o, &r, &err))
        wrong("%s", err.msg);
    rf_request_options_free(o);
    return r;
}

/* What the wire holds. */

static void mark(const struct played_pages *p)
{
    for (int64_t page = p->first; page < p->end; page++)
        documents[p->number].went[page] = true;
}

static void read_items(const struct rf_item *items, size_t n)
{
    struct played_pages pages;
    for (size_t i = 0; i < n; i++) {
        struct rf_str text = items[i].text;
        if (items[i].kind == RF_ITEM_MEDIA && played_read(&items[i].asset->bytes, &pages))
            mark(&pages);
        while (items[i].kind == RF_ITEM_TEXT && played_read_text(&text, &pages))
            mark(&pages);
        read_items(items[i].items, items[i].count);
    }
}

static void read_wire(const struct rf_request *r)
{
    for (size_t i = 0; i < r->plan.turn_count; i++)
        read_items(r->plan.turns[i].items, r->plan.turns[i].count);
}

static bool is_sent(const struct rf_decision *d)
{
    return d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK;
}

/* NULL where the file is not a document. */
static const struct document *document_of(const struct rf_decision *d)
{
    struct rf_str name = d->part->asset->name, word;
    int64_t which;
    if (!rf_str_split(&name, ' ', &word) || !rf_str_int64(name, &which))
        return NULL;
    return &documents[which];
}

static int64_t count_went(const struct document *d)
{
    int64_t count = 0;
    for (int64_t page = d->first; page < d->end; page++)
        count += d->went[page];
    return count;
}

/* Loss. */

/* Does "pages 3, 21-120" name this page? Counted from 1. */
static bool names(struct rf_str list, int64_t page)
{
    struct rf_str word, from;
    int64_t first, last;
    while (rf_str_split(&list, ' ', &word)) {
        word.n -= word.n && word.p[word.n - 1] == ',';
        if (!rf_str_split(&word, '-', &from) || !rf_str_int64(from, &first))
            continue;
        if (!word.n || !rf_str_int64(word, &last))
            last = first;
        if (first <= page && page <= last)
            return true;
    }
    return false;
}

/* The words that tell of pages, or none. */
static struct rf_str lost_pages(const struct rf_request *r, size_t i)
{
    for (size_t k = 0; k < rf_report_lost_count(r, i); k++)
        if (rf_str_starts(rf_report_lost(r, i, k), "page"))
            return rf_report_lost(r, i, k);
    return RF_STR("");
}

static void check_lost(const struct rf_request *r, size_t i)
{
    const struct rf_decision *d = &r->plan.decisions[i];
    const struct document *is = document_of(d);
    if (!is) {
        if (!d->lost_count != (is_sent(d) && d->form != RF_FORM_FRAMES))
            wrong("file %zu lost %zu things", i, d->lost_count);
        return;
    }
    int64_t went = count_went(is), all = is->end - is->first;
    struct rf_str list = lost_pages(r, i);
    if (d->form == RF_FORM_NOTE) {
        if (went || !d->lost_count)
            wrong("file %zu is a note, and %lld pages went", i, (long long)went);
        return;
    }
    if (!is->is.words && !is_sent(d))
        return; /* pages without text */
    if (d->kept && all == 1) { /* the front of its only page */
        if (!d->lost_count)
            wrong("file %zu lost nothing, and its text is cut", i);
        return;
    }
    if ((went == all) != (d->lost_count == 0))
        wrong("of file %zu %lld pages of %lld went, and \"%.*s\" is lost", i, (long long)went,
              (long long)all, RF_FMT(d->lost_count ? d->lost[0] : RF_STR("nothing")));
    for (int64_t page = is->first; page < is->end; page++)
        if (names(list, page + 1) == is->went[page])
            wrong("of file %zu page %lld %s, and lost are %.*s", i, (long long)page + 1,
                  is->went[page] ? "went" : "did not go", RF_FMT(list));
}

/* The files of the newest message. */

static size_t first_new(const struct rf_request *r)
{
    const struct rf_conversation *c = r->plan.conversation;
    size_t message = c->message_count, i = r->plan.decision_count;
    while (message > 0 && c->messages[message - 1].role != RF_ROLE_ASSISTANT)
        message--;
    while (i > 0 && r->plan.decisions[i - 1].message->index >= message)
        i--;
    return i;
}

/* Pages or pieces of text that a file has on the wire. */
static int64_t kept_pages(const struct rf_decision *d)
{
    const struct document *is = document_of(d);
    return is ? count_went(is) : 0;
}

/* Is less of the pages of this one less of what is limited? */
static bool eases(const struct rf_decision *d, const struct rf_caps *c, const char *limit)
{
    if (strcmp(limit, "max_images") == 0)
        return d->form == RF_FORM_PAGE_IMAGES || (is_sent(d) && c->pages_are_images);
    return strcmp(limit, "max_documents") != 0 &&
           (is_sent(d) || strcmp(limit, "max_pdf_pages") != 0);
}

/* None is left to a note while another has more than a page of what there is too little of. */
static void check_sharing(const struct rf_request *r, size_t from)
{
    const struct rf_plan *p = &r->plan;
    for (size_t i = from; i < p->decision_count; i++) {
        const struct rf_decision *d = &p->decisions[i];
        if (p->messages[d->message->index].fate == RF_FATE_GONE)
            wrong("file %zu is new, and its message is gone", i);
        for (size_t k = from; d->evicted && k < p->decision_count; k++)
            if (kept_pages(&p->decisions[k]) > 1 && !p->decisions[k].evicted &&
                eases(&p->decisions[k], &p->model->caps, d->limit_name))
                wrong("file %zu is left out (%s: %lld), and file %zu has %lld pages", i,
                      d->limit_name, (long long)d->limit, k,
                      (long long)kept_pages(&p->decisions[k]));
    }
}

/* Would more fit? Limits are held with some room for the words about each file. */

#define SPARE_TOKENS 250
#define SPARE_BYTES 1500
/* Before each picture of several. */
#define SPARE_CAPTION 500 /* bytes */
#define SPARE_CAPTION_TOKENS 24

static int64_t at_least_one(int64_t n)
{
    return n > 0 ? n : 1;
}

/* Bytes that what was made of a file may have had more. */
static int64_t spare_bytes(const struct rf_decision *d)
{
    int64_t most = d->recipe.max_bytes, sum = 0;
    if (!is_sent(d) || !d->made || !most)
        return 0;
    for (size_t i = 0; i < d->made->count; i++)
        sum += SPARE_CAPTION + (int64_t)rf_base64_length((uint64_t)most) -
               (int64_t)rf_base64_length(d->made->parts[i].asset.bytes.size);
    return sum;
}

/* Tokens of the captions, which a plan counts as long as they may be. */
static int64_t spare_tokens(const struct rf_decision *d)
{
    return is_sent(d) && d->made ? SPARE_CAPTION_TOKENS * (int64_t)d->made->count : 0;
}

/* What one more page costs. */
static struct rf_demand page_cost(const struct rf_request *r, const struct rf_decision *d)
{
    const struct document *is = document_of(d);
    int64_t kept = at_least_one(kept_pages(d));
    int64_t tokens = rf_report_tokens(r, (size_t)(d - r->plan.decisions));
    struct rf_demand c = { .tokens = at_least_one(tokens / kept), .bytes = 1 };
    if (d->form == RF_FORM_PAGE_IMAGES) {
        c.images = 1;
        c.bytes = (int64_t)rf_base64_length((uint64_t)d->recipe.max_bytes);
    } else if (is_sent(d)) {
        c.images = r->plan.model->caps.pages_are_images;
        c.pages = 1;
        c.bytes = (int64_t)rf_base64_length(is->is.page_bytes);
    } else {
        c.bytes = (int64_t)rf_decision_text(d).n / kept;
    }
    return c;
}

static void fits(int64_t held, int64_t each, int64_t limit, int64_t *most)
{
    int64_t n = limit && each ? (limit - held) / each : INT64_MAX;
    if (n < *most)
        *most = n > 0 ? n : 0;
}

/* The most pages of one document that the endpoint takes, whatever else is sent. */
static int64_t most_pages(const struct rf_caps *c, const struct rf_decision *d)
{
    bool pictures = d->form == RF_FORM_PAGE_IMAGES;
    if (!is_sent(d))
        return c->context_tokens ? INT64_MAX : RF_PAGES;
    if (pictures)
        return c->max_images ? c->max_images : RF_PAGES;
    return c->max_pdf_pages ? c->max_pdf_pages : INT64_MAX;
}

static void check_no_fewer(const struct rf_request *r, size_t from)
{
    const struct rf_caps *c = &r->plan.model->caps;
    struct rf_demand held = held_by(r);
    for (size_t i = 0; i < r->plan.decision_count; i++) {
        held.tokens += SPARE_TOKENS + spare_tokens(&r->plan.decisions[i]);
        held.bytes += SPARE_BYTES + spare_bytes(&r->plan.decisions[i]);
    }
    for (size_t i = from; i < r->plan.decision_count; i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        const struct document *is = document_of(d);
        int64_t kept = is ? kept_pages(d) : 0;
        if (!kept || kept == is->end - is->first || d->evicted)
            continue;
        struct rf_demand each = page_cost(r, d);
        int64_t more = is->end - is->first - kept;
        fits(kept, 1, most_pages(c, d), &more);
        fits(held.images, each.images, c->max_images, &more);
        fits(held.pages, each.pages, c->max_pdf_pages, &more);
        fits(held.bytes, each.bytes, c->max_body_bytes, &more);
        fits(held.tokens, each.tokens, c->context_tokens, &more);
        if (more > (kept + more) / 20)
            wrong("%lld pages of file %zu go, and %lld more would fit (%s: %lld)", (long long)kept,
                  i, (long long)more, d->limit_name ? d->limit_name : "no limit",
                  (long long)d->limit);
    }
}

/* Sums. */

static int64_t media_tokens(const struct rf_request *r)
{
    struct rf_tokens *t = rf_request_tokens(r);
    int64_t sum = 0;
    for (size_t i = 0; i < rf_tokens_count(t); i++)
        sum += rf_tokens_media(t, i);
    rf_tokens_free(t);
    return sum;
}

static int64_t words_tokens(const struct rf_caps *c, const struct rf_item *items, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (items[i].kind == RF_ITEM_TEXT && rf_str_starts(items[i].text, "[File "))
            sum += rf_text_tokens(c, items[i].text);
        sum += words_tokens(c, items[i].items, items[i].count);
    }
    return sum;
}

/* Files that are sent are the media of the request, and those that are not are what is said of them. */
static void check_sums(const struct rf_request *r)
{
    const struct rf_plan *p = &r->plan;
    int64_t media = 0, words = 0, want = 0;
    for (size_t i = 0; i < p->decision_count; i++)
        *(is_sent(&p->decisions[i]) ? &media : &words) += rf_report_tokens(r, i);
    for (size_t i = 0; i < p->turn_count; i++)
        want += words_tokens(&p->model->caps, p->turns[i].items, p->turns[i].count);
    if (media != media_tokens(r) || words != want)
        wrong("the report has %lld tokens of files and %lld of words, the request %lld and %lld",
              (long long)media, (long long)words, (long long)media_tokens(r), (long long)want);
}

/* What was seen, so that the histories are worth something. */
static struct {
    size_t fewer, whole, evicted, pictures, text;
} seen;

static void count_cases(const struct rf_request *r, size_t from)
{
    for (size_t i = from; i < r->plan.decision_count; i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        seen.fewer += document_of(d) && is_sent(d) && d->lost_count;
        seen.whole += document_of(d) && is_sent(d) && !d->lost_count;
        seen.evicted += d->evicted;
        seen.pictures += d->form == RF_FORM_PAGE_IMAGES;
        seen.text += d->form == RF_FORM_TEXT;
    }
}

static void check_history(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation *c;
    struct rf_model m;
    struct rf_err err;
    seed = number * 2654435761u + 1;
    as_is = one_in(8);
    struct rf_str json = random_talk(a);
    random_model(&m, a);
    if (rf_conversation_read(json, &c, &err))
        fail_msg("%s", err.msg);
    struct rf_request *r = build(c, &m);
    size_t from = first_new(r);
    const char *passed = passed_limit(r, a);
    if (passed)
        wrong("%s", passed);
    read_wire(r);
    for (size_t i = 0; !as_is && i < r->plan.decision_count; i++)
        check_lost(r, i);
    check_sums(r);
    if (!as_is) {
        check_sharing(r, from);
        check_no_fewer(r, from);
    }
    count_cases(r, from);
    rf_request_free(r);
    rf_conversation_free(c);
    rf_arena_free(a);
}

static void documents_get_what_there_is(void **state)
{
    (void)state;
    for (number = 0; number < HISTORIES; number++)
        check_history();
    print_message("fewer %zu, whole %zu, evicted %zu, as pictures %zu, as text %zu, %zu jobs\n",
                  seen.fewer, seen.whole, seen.evicted, seen.pictures, seen.text, played_jobs);
    assert_true(seen.fewer > HISTORIES / 10 && seen.whole > HISTORIES / 10);
    assert_true(seen.evicted > HISTORIES / 50);
    assert_true(seen.pictures > HISTORIES / 10 && seen.text > HISTORIES / 20);
}

/* By hand. */

enum place { MESSAGE, RESULT, RESULTS }; /* of a person; of one tool; of one each */
#define PICTURE 0                        /* among numbers of pages */
#define MOST_FILES 6

static void say_file(struct rf_buf *b, size_t pages, const struct played_document *like)
{
    if (pages == PICTURE) {
        say_picture(b, 1500, 1500, 3000);
    } else {
        struct document *d = add_document(pages);
        d->is.words = like->words;
        d->is.page_bytes = like->page_bytes;
        say_document(b, d);
    }
}

static void say_call(struct rf_buf *b, size_t i)
{
    rf_buf_addf(b, "%s{\"type\":\"tool_call\",\"id\":\"c%zu\",\"name\":\"look\",\"arguments\":{}}",
                i ? "," : "", i);
}

static struct rf_str talk_with(enum place place, const size_t *files, size_t count,
                               const struct played_document *like, struct rf_arena *a)
{
    struct rf_buf b;
    size_t results = place == MESSAGE ? 0 : place == RESULT ? 1 : count;
    rf_buf_init(&b, a, SIZE_MAX);
    seed = 1;
    begin_talk(&b);
    if (results) {
        say_user(&b, false);
        rf_buf_addf(&b, ",{\"role\":\"assistant\",\"content\":[");
        for (size_t i = 0; i < results; i++)
            say_call(&b, i);
        rf_buf_addf(&b, "]}");
    } else {
        rf_buf_addf(&b, "{\"role\":\"user\",\"content\":[");
    }
    for (size_t i = 0; i < count; i++) {
        if (place == RESULTS || (place == RESULT && i == 0))
            rf_buf_addf(&b, "%s,{\"role\":\"tool\",\"tool_call_id\":\"c%zu\",\"content_blocks\":[",
                        i ? "]}" : "", i);
        else
            rf_buf_addf(&b, "%s", i ? "," : "");
        say_file(&b, files[i], like);
    }
    rf_buf_addf(&b, "]}]}");
    return finish(&b);
}

static struct rf_request *request_for(const char *provider, const char *name, size_t window,
                                      struct rf_str json, struct rf_conversation **c,
                                      struct rf_arena *a)
{
    struct rf_model *m = RF_NEW(a, struct rf_model);
    struct rf_err err;
    as_is = false;
    played_well = true;
    open_model(m, provider, rf_str(name), a);
    if (window)
        set(m, a, "context_tokens", window);
    if (rf_conversation_read(json, c, &err))
        fail_msg("%s", err.msg);
    struct rf_request *r = build(*c, m);
    played_well = false;
    assert_null(passed_limit(r, a));
    read_wire(r);
    return r;
}

#define CLAUDE "anthropic", "claude-sonnet-4-5"
#define GROQ "groq", "meta-llama/llama-4-scout"
#define PROSE        \
    {                \
        .words = 400 \
    }
#define SCAN                  \
    {                         \
        .page_bytes = 5000000 \
    }

static const struct row {
    const char *name, *provider, *model;
    enum place place;
    struct played_document like;
    size_t count, files[MOST_FILES];
    int64_t want[MOST_FILES]; /* pages; 1 of a picture */
} rows[] = {
    { "two documents share the pictures of a request",
      CLAUDE,
      MESSAGE,
      PROSE,
      2,
      { 60, 96 },
      { 50, 49 } },
    { "three documents share them", CLAUDE, MESSAGE, PROSE, 3, { 60, 60, 60 }, { 33, 33, 33 } },
    { "a short one leaves the rest to the others",
      CLAUDE,
      MESSAGE,
      PROSE,
      3,
      { 10, 200, 60 },
      { 10, 45, 44 } },
    { "a page costs one picture", GROQ, MESSAGE, PROSE, 2, { PICTURE, 1 }, { 1, 1 } },
    { "pages have what a picture leaves", GROQ, MESSAGE, PROSE, 2, { PICTURE, 10 }, { 1, 4 } },
    { "files of one result share", GROQ, RESULT, PROSE, 2, { PICTURE, 1 }, { 1, 1 } },
    { "pages of a result have what its picture leaves",
      GROQ,
      RESULT,
      PROSE,
      2,
      { PICTURE, 10 },
      { 1, 4 } },
    { "results of one turn share", GROQ, RESULTS, PROSE, 3, { 10, PICTURE, 10 }, { 2, 1, 2 } },
    { "all that fits of 101 pages", CLAUDE, MESSAGE, PROSE, 1, { 101 }, { 99 } },
    { "all that fits of 110 pages", CLAUDE, MESSAGE, PROSE, 1, { 110 }, { 99 } },
    { "all that fits of 120 pages", CLAUDE, MESSAGE, PROSE, 1, { 120 }, { 99 } },
    { "all that fits of 200 pages", CLAUDE, MESSAGE, PROSE, 1, { 200 }, { 99 } },
    { "all that fits of 250 pages", CLAUDE, MESSAGE, PROSE, 1, { 250 }, { 99 } },
    { "all that fits of 700 pages", CLAUDE, MESSAGE, PROSE, 1, { 700 }, { 99 } },
    { "one document too many goes as its text",
      "bedrock",
      "anthropic.claude-sonnet-4",
      MESSAGE,
      PROSE,
      6,
      { 3, 3, 3, 3, 3, 3 },
      { 3, 3, 3, 3, 3, 3 } },
    { "one picture too many goes as its text",
      GROQ,
      MESSAGE,
      PROSE,
      6,
      { 3, 3, 3, 3, 3, 3 },
      { 3, 1, 1, 1, 1, 1 } },
    { "a scan is counted by its pages", CLAUDE, MESSAGE, SCAN, 1, { 3 }, { 3 } },
    { "a scan for another model", "openai-chat", "gpt-4o", MESSAGE, SCAN, 1, { 3 }, { 3 } },
};

static void files_share(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation *c;
    struct rf_str json = talk_with(row->place, row->files, row->count, &row->like, a);
    struct rf_request *r = request_for(row->provider, row->model, 0, json, &c, a);
    for (size_t i = 0; i < row->count; i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        int64_t went = row->files[i] == PICTURE ? is_sent(d) : kept_pages(d);
        if (went != row->want[i])
            fail_msg("%lld pages went: %.*s", (long long)went, RF_FMT(rf_report_line(r, i)));
        check_lost(r, i);
    }
    rf_request_free(r);
    rf_conversation_free(c);
    rf_arena_free(a);
}

/* Six pictures in a window that is a twentieth too small: all go, and no more of them are smaller than have to be. */
static void pictures_keep_what_fits(void **state)
{
    static const size_t pictures[MOST_FILES] = { PICTURE };
    static const struct played_document none;
    (void)state;
    for (enum place place = MESSAGE; place <= RESULTS; place++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_conversation *c, *again;
        struct rf_str json = talk_with(place, pictures, MOST_FILES, &none, a);
        struct rf_request *all = request_for(CLAUDE, MOST_WINDOW, json, &c, a);
        int64_t window = held_by(all).tokens * 95 / 100, least = INT64_MAX, most = 0;
        struct rf_request *r = request_for(CLAUDE, (size_t)window, json, &again, a);
        for (size_t i = 0; i < MOST_FILES; i++) {
            int64_t tokens = rf_report_tokens(r, i);
            assert_true(is_sent(&r->plan.decisions[i]));
            least = tokens < least ? tokens : least;
            most = tokens > most ? tokens : most;
        }
        assert_true(least < most && held_by(r).tokens > window - (most - least));
        rf_request_free(r);
        rf_request_free(all);
        rf_conversation_free(again);
        rf_conversation_free(c);
        rf_arena_free(a);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 2] = {
        [COUNT(rows)] = cmocka_unit_test(pictures_keep_what_fits),
        [COUNT(rows) + 1] = cmocka_unit_test(documents_get_what_there_is),
    };
    name_rows(tests, files_share, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
