/* Ten thousand random conversations for random models with small limits, the same every time: what is
 * sent keeps every limit of the row and every promise, the same input gives the same bytes, and a
 * longer history begins like a shorter one unless something had to make room in between.
 *
 * Half of them are sent as they are, half with what workers make of them, which are played; some in
 * strict mode, some to a model that counts otherwise than we do. No file is opened: all are base64 in
 * the conversation, addresses or file ids. test_joint.c does the same with numbers alone. */
#include <refract/refract.h>

#include "base/buf.h"
#include "plan/joint.h"

#include "../../fuzz/promises.h"
#include "limits.h"
#include "played.h"

#define HISTORIES 10000
#define MOST_MESSAGES 30
#define NOTE_SLACK 500    /* bytes by which one note may be longer than another of the same file */
#define LEAST_WINDOW 8000 /* tokens in which notes and cut texts of two exchanges always fit */

static uint64_t seed;
static uint64_t number;    /* of the history */
static struct rf_str json; /* of the same */
static const char *facts;  /* the model and its limits */
static bool as_is, strict; /* how it is sent */

static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % n;
}

static bool one_in(size_t n)
{
    return random_below(n) == 0;
}

/* A promise that is broken aborts: say of which history. */
static void tell(int signal)
{
    (void)signal;
    fprintf(stderr, "history %llu, %s:\n%.*s\n", (unsigned long long)number, facts, RF_FMT(json));
}

__attribute__((format(printf, 1, 2))) static void wrong(const char *fmt, ...)
{
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    fail_msg("history %llu, %s: %s\n%.*s", (unsigned long long)number, facts, what, RF_FMT(json));
}

/* Conversations. */

struct talk {
    struct rf_arena *arena;
    struct rf_buf text;
    struct rf_str provider, model; /* that it will be sent to */
    size_t count;                  /* of messages */
    size_t ids;
};

__attribute__((format(printf, 2, 3))) static void say(struct talk *t, const char *fmt, ...)
{
    char piece[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(piece, sizeof piece, fmt, ap);
    va_end(ap);
    rf_buf_add(&t->text, quoted(t->arena, piece));
}

/* A string of so many words. */
static void say_words(struct talk *t, size_t n)
{
    static const char *const words[] = { "the ",        "picture ",    "shows ",      "42,195 ",
                                         "{ x = 1; } ", "\\n\\n",      "\\\"so\\\" ", "für ",
                                         "日本語",      "refactoring " };
    rf_buf_addc(&t->text, '"');
    for (size_t i = 0; i <= n; i++)
        rf_buf_add(&t->text, rf_str(words[i ? random_below(COUNT(words)) : 0]));
    rf_buf_addc(&t->text, '"');
}

/* Few words mostly, many at times. */
static size_t some(size_t usual, size_t most)
{
    return random_below(one_in(6) ? most : usual);
}

static struct rf_str random_picture(struct talk *t)
{
    static const uint32_t sizes[][2] = { { 3, 2 },       { 640, 480 },   { 1024, 768 },
                                         { 2560, 1440 }, { 4032, 3024 }, { 900, 9000 } };
    const uint32_t *size = sizes[random_below(COUNT(sizes))];
    return played_png(t->arena, size[0], size[1], 100 + some(100, 6000));
}

/* Lines, few or more than a window has room for. */
static struct rf_str random_text(struct talk *t)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, t->arena, SIZE_MAX);
    for (size_t i = 0, n = 1 + some(4, 1000); i < n; i++)
        rf_buf_addf(&b, "%zu,\"line\",für %zu\n", i, random_below(100000));
    assert_int_equal(rf_buf_finish(&b, &out, NULL), RF_OK);
    return out;
}

/* A file that is not here: at an address, or uploaded to somebody. */
static void say_remote(struct talk *t, const char *type)
{
    static const char *const providers[] = { "anthropic", "google", "openai", "bedrock" };
    bool picture = type[0] == 'i';
    if (one_in(2))
        say(t, "{'type':'%s','url':'https://example.com/%zu.%s'", type, t->ids,
            picture ? "png" : "pdf");
    else
        say(t, "{'type':'%s','file_id':'file-%zu','provider':'%s','media_type':'%s'", type, t->ids,
            providers[random_below(COUNT(providers))], picture ? "image/png" : "application/pdf");
}

static void say_file(struct talk *t)
{
    static const char *const types[] = { "image", "image", "document", "document", "audio" };
    size_t which = random_below(COUNT(types));
    struct rf_str bytes = which < 2    ? random_picture(t)
                          : which == 4 ? RF_STR(WAV_BYTES)
                          : one_in(4)  ? random_text(t)
                                       : played_pdf(t->arena, 1 + some(5, 40));
    if (which < 4 && one_in(10)) {
        say_remote(t, types[which]);
    } else {
        say(t, "{'type':'%s','data':'", types[which]);
        rf_buf_add(&t->text, to_base64(t->arena, bytes));
        say(t, "'");
    }
    if (!one_in(4))
        say(t, ",'id':'f%zu'", t->ids++);
    if (one_in(2))
        say(t, ",'name':'file %zu'", random_below(20));
    if (bytes.p[0] == '%' && one_in(2))
        say(t, ",'page_count':%zu", 1 + some(5, 40)); /* which may be wrong */
    if (one_in(3)) {
        say(t, ",'%s':", which == 4 ? "transcript" : "extracted_text");
        say_words(t, some(30, 400));
    }
    if (one_in(6)) {
        say(t, ",'text_fallback':");
        say_words(t, 5);
    }
    say(t, "}");
}

static void say_files(struct talk *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        say(t, "%s", i ? "," : "");
        say_file(t);
    }
}

static void begin_message(struct talk *t, const char *role)
{
    say(t, "%s{'role':'%s'", t->count++ ? "," : "", role);
}

static void say_user(struct talk *t)
{
    begin_message(t, "user");
    if (one_in(12))
        say(t, ",'speaker':'%s'", one_in(2) ? "system" : "developer");
    say(t, ",'content':[{'type':'text','text':");
    say_words(t, some(20, 600));
    say(t, "}");
    if (one_in(3)) {
        say(t, ",");
        say_files(t, 1 + random_below(2));
    }
    say(t, "]}");
}

static void say_result(struct talk *t, size_t call)
{
    begin_message(t, "tool");
    say(t, ",'tool_call_id':'c%zu','name':'look'", call);
    if (!one_in(4)) {
        say(t, ",'output':");
        say_words(t, some(30, 3000));
    }
    if (one_in(6)) {
        say(t, ",'success':false");
        if (one_in(2)) {
            say(t, ",'error':");
            say_words(t, 5);
        }
    }
    if (one_in(5)) {
        say(t, ",'data':{'rows':[%zu,{'of':", random_below(1000));
        say_words(t, some(10, 200));
        say(t, "}]}");
    }
    if (one_in(2)) {
        say(t, ",'content_blocks':[");
        say_files(t, 1 + random_below(2));
        say(t, "]");
    }
    say(t, "}");
}

/* Thoughts of this model or of another, and what only one API can say. */
static void say_sealed(struct talk *t)
{
    static const char *const dialects[] = { "anthropic", "gemini", "openai-responses" };
    if (one_in(3)) {
        say(t, "{'type':'thinking','thinking':");
        say_words(t, some(20, 300));
        say(t, ",'signature':'c2lnbmVk%zu','id':'rs_%zu','encrypted':'ZW5j'},", t->ids, t->ids);
    }
    if (one_in(10))
        say(t, "{'type':'opaque','dialect':'%s','value':{'type':'x','n':%zu}},",
            dialects[random_below(COUNT(dialects))], t->ids);
}

/* An answer with up to three calls, and their results, of which one may be missing or another's. */
static void say_answer(struct talk *t)
{
    size_t calls = one_in(4) ? 0 : 1 + random_below(3), first = t->ids;
    begin_message(t, "assistant");
    if (one_in(2))
        say(t, ",'origin':{'provider':'%.*s','model':'%.*s'}", RF_FMT(t->provider),
            RF_FMT(t->model));
    say(t, ",'content':[");
    say_sealed(t);
    say(t, "{'type':'text','text':");
    say_words(t, random_below(20));
    say(t, "}");
    for (size_t i = 0; i < calls; i++) {
        say(t, ",{'type':'tool_call','id':'c%zu','name':'%s','arguments':{'at':", t->ids++,
            one_in(5) ? "fs.read" : "look");
        say_words(t, 2);
        say(t, "}}");
    }
    say(t, "]}");
    for (size_t i = 0; i < calls; i++)
        if (!one_in(12))
            say_result(t, first + i);
    if (one_in(12))
        say_result(t, one_in(2) && first ? first - 1 : 9999);
    if (!calls || one_in(5))
        say_user(t);
}

static struct rf_str random_conversation(const struct rf_model *m, struct rf_arena *a)
{
    struct talk t = { .arena = a, .provider = m->provider, .model = m->name };
    struct rf_str out;
    size_t most = 1 + random_below(MOST_MESSAGES);
    rf_buf_init(&t.text, a, SIZE_MAX);
    say(&t, "{'refract':1,'system':");
    say_words(&t, some(10, 100));
    say(&t, ",'tools':[{'name':'look','description':");
    say_words(&t, 10);
    say(&t,
        ",'input_schema':{'type':'object','properties':{'at':{'type':'string'}}}},"
        "{'name':'fs.read'}],'options':{'max_tokens':%zu},'messages':[",
        500 + random_below(1000));
    say_user(&t);
    while (t.count < most)
        say_answer(&t);
    say(&t, "]}");
    assert_int_equal(rf_buf_finish(&t.text, &out, NULL), RF_OK);
    return out;
}

/* Models. */

static const char *const models[] = {
    "anthropic:claude-sonnet-4-5",
    "anthropic:claude-2.1",
    "bedrock:anthropic.claude-sonnet-4",
    "bedrock:amazon.nova-pro-v1:0",
    "bedrock:meta.llama4-maverick",
    "bedrock:mistral.pixtral-large",
    "bedrock:nobody.knows",
    "google:gemini-3-pro",
    "google:gemini-2.5-flash",
    "vertex:gemini-3-pro",
    "openai:gpt-5",
    "openai-chat:gpt-4o",
    "openai-chat:gpt-4o-audio-preview",
    "xai:grok-4",
    "xai-chat:grok-3-mini",
    "groq:meta-llama/llama-4-scout",
    "openrouter:google/gemini-3-pro",
    "mistral:mistral-medium-latest",
    "cohere:command-a-vision-07-2025",
    "ollama:gemma4",
    "litellm:claude-sonnet-4-5",
    "openai-compatible:nobody-knows",
};

static void set(struct rf_model *m, struct rf_arena *a, const char *fact, size_t value)
{
    struct rf_err err;
    if (rf_model_set(m, rf_str(fact), rf_strf(a, "%zu", value), RF_FACT_OVERRIDE, &err))
        fail_msg("%s", err.msg);
    facts = rf_strf(a, "%s %s=%zu", facts, fact, value).p;
}

static void limit_files(struct rf_model *m, struct rf_arena *a)
{
    if (one_in(2))
        set(m, a, "max_images", 1 + random_below(8));
    if (one_in(2))
        set(m, a, "max_documents", 1 + random_below(5));
    if (one_in(2))
        set(m, a, "max_pdf_pages", 10 + random_below(40));
}

static void limit_tokens(struct rf_model *m, struct rf_arena *a)
{
    if (one_in(2))
        set(m, a, "context_tokens", LEAST_WINDOW + random_below(8000));
}

static void random_model(struct rf_model *m, struct rf_arena *a)
{
    struct rf_str name, provider;
    struct rf_err err;
    facts = models[random_below(COUNT(models))];
    name = rf_str(facts);
    rf_str_split(&name, ':', &provider);
    if (rf_model_init(m, provider, name, a, &err))
        fail_msg("%s", err.msg);
    if (one_in(4)) {
        m->calibration = (struct rf_calibration){ 0.7 + (double)random_below(70) / 100, 10 };
        facts = rf_strf(a, "%s counting %.2f", facts, m->calibration.factor).p;
    }
}

static void random_manner(struct rf_arena *a)
{
    as_is = one_in(2);
    strict = one_in(8);
    facts = rf_strf(a, "%s%s%s", facts, as_is ? " as-is" : "", strict ? " strict" : "").p;
}

/* Requests. */

/* NULL where strict mode refuses, as it must say. */
static struct rf_request *build(const struct rf_conversation *c, const struct rf_model *m,
                                bool no_media)
{
    struct rf_request_options *o = rf_request_options_new();
    struct rf_request *r = NULL;
    struct rf_err err;
    if (as_is)
        rf_request_options_as_is(o);
    if (no_media)
        rf_request_options_no_media(o);
    else if (strict)
        rf_request_options_strict(o);
    if (rf_request_build(c, m, o, &r, &err)) {
        if (!strict || no_media)
            wrong("%s", err.msg);
        promises_check_refusal(c, &err, strict);
    }
    rf_request_options_free(o);
    return r;
}

static struct rf_str body_of(const struct rf_request *r, struct rf_arena *a)
{
    struct rf_str body;
    assert_int_equal(rf_rope_flatten(&r->body, SIZE_MAX, a, &body, NULL), RF_OK);
    return body;
}

static void check_limits(const struct rf_request *r, struct rf_arena *a)
{
    const char *passed = passed_limit(r, a);
    if (passed)
        wrong("%s", passed);
}

/* Half of the time a limit of the bytes: what notes for all files take, and something. */
static void limit_bytes(const struct rf_conversation *c, struct rf_model *m, struct rf_arena *a)
{
    if (one_in(2))
        return;
    struct rf_request *r = build(c, m, true);
    set(m, a, "max_body_bytes",
        (size_t)rf_request_length(r) + NOTE_SLACK * r->plan.decision_count +
            random_below(one_in(2) ? 3000 : 30000));
    rf_request_free(r);
}

/* Prefixes. */

static int rank(const struct rf_decision *d)
{
    return d->inlined || d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK
               ? 0
           : d->delivery == RF_DELIVERY_TEXT ? 1
                                             : 2;
}

static bool same_decision(const struct rf_decision *x, const struct rf_decision *y)
{
    return x->delivery == y->delivery && x->inlined == y->inlined && x->evicted == y->evicted &&
           x->limit_name == y->limit_name && x->limit == y->limit && x->kept == y->kept &&
           x->never_sent == y->never_sent &&
           rf_recipe_eq(&x->recipe, &y->recipe);
}

static int64_t left(int64_t kept)
{
    return kept < 0 ? INT64_MAX : kept;
}

static bool came_back(const struct rf_joint_message *was, const struct rf_joint_message *is)
{
    return is->fate < was->fate ||
           (is->fate == RF_FATE_KEPT && (left(is->keep_tokens) > left(was->keep_tokens) ||
                                         left(is->keep_bytes) > left(was->keep_bytes)));
}

/* The first message of the part that became something else in the whole; what did went down. */
static size_t first_change(const struct rf_plan *part, const struct rf_plan *whole)
{
    size_t first = part->conversation->message_count;
    for (size_t i = part->decision_count; i-- > 0;) {
        const struct rf_decision *x = &part->decisions[i], *y = &whole->decisions[i];
        bool more = rank(x) == rank(y) && x->kept && (!y->kept || y->kept > x->kept);
        if (rank(y) < rank(x) || more || (rank(x) == 0 && rank(y) == 0 && y->pages > x->pages))
            wrong("file %zu came back", i);
        if (!same_decision(x, y) && x->message->index < first)
            first = x->message->index;
    }
    for (size_t i = part->conversation->message_count; i-- > 0;) {
        const struct rf_joint_message *x = &part->messages[i], *y = &whole->messages[i];
        if (came_back(x, y))
            wrong("message %zu came back", i);
        bool same = x->fate == y->fate && x->keep_tokens == y->keep_tokens &&
                    x->keep_bytes == y->keep_bytes;
        if (!same && i < first)
            first = i;
    }
    return first;
}

/* The list of turns in a body, under whatever name. */
static const struct rf_jval *turns_of(struct rf_str body, struct rf_arena *a)
{
    static const char *const names[] = { "messages", "contents", "input" };
    const struct rf_jval *v, *turns = NULL;
    assert_int_equal(rf_jval_parse(body, a, &v, NULL), RF_OK);
    for (size_t i = 0; !turns && i < COUNT(names); i++)
        turns = rf_jval_get(v, names[i]);
    assert_non_null(turns);
    return turns;
}

/* Up to the end of its last turn, without the brackets that close it. */
static struct rf_str up_to_last_turn(struct rf_str body, struct rf_arena *a)
{
    const struct rf_jval *turns = turns_of(body, a);
    body.n = (size_t)(turns->raw.p + turns->raw.n - body.p);
    while (strchr("]}", body.p[body.n - 1]))
        body.n--;
    return body;
}

/* Where the last exchange begins that ends before this message: nothing there waits for a result. */
static size_t exchange_before(const struct rf_conversation *c, size_t message)
{
    while (message > 0 && c->messages[message].role != RF_ROLE_ASSISTANT)
        message--;
    return message;
}

/* How many turns the first messages make: all but the last of them stand as they are, since more may
 * be said in that. */
static size_t settled_turns(const struct rf_conversation *c, size_t messages,
                            const struct rf_model *m, struct rf_arena *a)
{
    struct rf_conversation part = *c;
    part.message_count = messages;
    if (!messages)
        return 0;
    struct rf_request *r = build(&part, m, true);
    size_t count = turns_of(body_of(r, a), a)->count;
    rf_request_free(r);
    return count - 1;
}

/* What stands before the first change is the same, byte for byte. */
static void check_before_change(const struct rf_request *part, struct rf_str part_body,
                                struct rf_str body, size_t change, struct rf_arena *a)
{
    const struct rf_conversation *c = part->plan.conversation;
    const struct rf_jval *x = turns_of(part_body, a), *y = turns_of(body, a);
    size_t turns = settled_turns(c, exchange_before(c, change), part->plan.model, a);
    const struct rf_jval *last_x, *last_y;
    bool gone = part->plan.messages[0].fate == RF_FATE_GONE;
    if (!turns || gone || turns > x->count || turns > y->count)
        return;
    last_x = rf_jval_at(x, turns - 1);
    last_y = rf_jval_at(y, turns - 1);
    struct rf_str front_x = { part_body.p, (size_t)(last_x->raw.p + last_x->raw.n - part_body.p) };
    struct rf_str front_y = { body.p, (size_t)(last_y->raw.p + last_y->raw.n - body.p) };
    if (!rf_str_eq(front_x, front_y))
        wrong("message %zu changed, and something before it did too", change);
}

static bool is_sent_after(const struct rf_conversation *c, size_t message)
{
    return c->messages[message].role != RF_ROLE_ASSISTANT &&
           c->messages[message + 1].role == RF_ROLE_ASSISTANT;
}

static void check_prefix(const struct rf_request *whole, struct rf_str body, struct rf_arena *a,
                         size_t *same)
{
    struct rf_conversation part = *whole->plan.conversation;
    size_t cut = random_below(part.message_count);
    while (cut + 1 < part.message_count && !is_sent_after(&part, cut))
        cut++;
    part.message_count = cut + 1;
    struct rf_request *r = build(&part, whole->plan.model, false);
    if (!r)
        wrong("the first %zu messages are refused, and all are not", cut + 1);
    struct rf_str part_body = body_of(r, a), begin = up_to_last_turn(part_body, a);
    size_t change = first_change(&r->plan, &whole->plan);
    check_limits(r, a);
    if (change <= cut) {
        check_before_change(r, part_body, body, change, a);
    } else {
        if (!rf_str_starts(body, rf_cstr(a, begin)))
            wrong("the first %zu messages begin otherwise", cut + 1);
        ++*same;
    }
    rf_request_free(r);
}

/* In how many histories the beginning stayed the same, and something made room. */
struct seen_cases {
    size_t same, refused, smaller, begun, evicted, silent, gone, cut;
};

static void count_cases(const struct rf_request *r, struct seen_cases *seen)
{
    struct rf_tokens *t = rf_request_tokens(r);
    bool evicted = false, smaller = false, begun = false;
    for (size_t i = 0; i < r->plan.decision_count; i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        evicted |= d->evicted;
        smaller |= d->made && d->limit_name && !d->evicted;
        begun |= d->evicted && d->delivery == RF_DELIVERY_TEXT && d->made;
    }
    seen->evicted += evicted;
    seen->smaller += smaller;
    seen->begun += begun;
    seen->silent += rf_tokens_silent(t) > 0;
    seen->gone += rf_tokens_gone(t) > 0;
    seen->cut += rf_tokens_cut(t) > 0;
    rf_tokens_free(t);
}

static void check_request(const struct rf_conversation *c, const struct rf_model *m,
                          struct seen_cases *seen, struct rf_arena *a)
{
    struct rf_request *r = build(c, m, false), *again = build(c, m, false);
    if (!r || !again) {
        seen->refused++;
        if (r || again)
            wrong("built twice, and refused once");
        return;
    }
    struct rf_str body = body_of(r, a);
    if (!rf_str_eq(body, body_of(again, a)))
        wrong("built twice, the bytes differ");
    check_limits(r, a);
    promises_check(r, body, strict, a);
    check_prefix(r, body, a, &seen->same);
    count_cases(r, seen);
    rf_request_free(again);
    rf_request_free(r);
}

static void check_history(struct seen_cases *seen)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation *c;
    struct rf_model m;
    struct rf_err err;
    seed = number * 2654435761u + 1;
    random_model(&m, a);
    random_manner(a);
    json = random_conversation(&m, a);
    if (rf_conversation_read(json, &c, &err))
        fail_msg("%s\n%.*s", err.msg, RF_FMT(json));
    limit_files(&m, a);
    limit_bytes(c, &m, a);
    limit_tokens(&m, a);
    check_request(c, &m, seen, a);
    rf_conversation_free(c);
    rf_arena_free(a);
}

static void whatever_happened_it_fits(void **state)
{
    struct seen_cases seen = { 0 };
    (void)state;
    signal(SIGABRT, tell);
    for (number = 0; number < HISTORIES; number++)
        check_history(&seen);
    signal(SIGABRT, SIG_DFL);
    print_message(
        "the same %zu, refused %zu, smaller %zu, begun %zu, evicted %zu, silent %zu, gone %zu, "
        "cut %zu, %zu jobs\n",
        seen.same, seen.refused, seen.smaller, seen.begun, seen.evicted, seen.silent, seen.gone,
        seen.cut, played_jobs);
    /* The histories are worth something only where there is something to do. */
    assert_true(seen.same > HISTORIES / 3 && seen.evicted > HISTORIES / 4);
    assert_true(seen.silent > HISTORIES / 25 && seen.gone > HISTORIES / 20);
    assert_true(seen.cut > HISTORIES / 200 && seen.smaller > HISTORIES / 50);
    assert_true(seen.begun > HISTORIES / 500);
    assert_true(seen.refused > HISTORIES / 50 && played_jobs > HISTORIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_happened_it_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
