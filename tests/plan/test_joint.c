/* Limits that files share. Ten thousand random histories, the same every time: no limit is passed where
 * there is a way not to; what went down stays down; a longer history begins like a shorter one unless a
 * limit was passed in between; the newest files are the last to go, and share what there is. Then a few by hand.
 */
#include "plan/joint.h"

#include "base/arena.h"

#include "../testing.h"

#define HISTORIES 10000
#define MOST_MESSAGES 120
#define MOST_FILES 200
#define MOST_PAGES 30

struct history {
    struct rf_joint_message messages[MOST_MESSAGES];
    struct rf_share shares[MOST_FILES];
    struct rf_demand upto[MOST_FILES][MOST_PAGES + 1]; /* of texts */
    size_t message_count, share_count;
    struct rf_joint_limits limits;
    int64_t fixed;
};

static uint64_t seed;

static int64_t random_below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

static struct rf_demand less(struct rf_demand c, int64_t part)
{
    return (struct rf_demand){ c.images, c.documents, c.pages / part, c.bytes / part,
                             c.text / part, c.tokens / part };
}

static struct rf_demand random_cost(void)
{
    bool document = random_below(4) == 0;
    return (struct rf_demand){
        .images = document ? 0 : 1 + random_below(3),
        .documents = document,
        .pages = document ? 1 + random_below(MOST_PAGES) : 0,
        .bytes = 1000 + random_below(1000000),
        .tokens = 100 + random_below(5000),
    };
}

/* Pages that all cost the same, or those of a text. */
static void add_pages(struct history *h, struct rf_share *s)
{
    struct rf_demand *full = &s->costs[RF_LEVEL_FULL], *upto = h->upto[s - h->shares];
    s->pages = (size_t)full->pages;
    if (random_below(2)) {
        s->paged = (struct rf_demand){ .pages = full->pages,
                                     .bytes = full->bytes * 3 / 4,
                                     .tokens = full->tokens * 3 / 4 };
        return;
    }
    *full = (struct rf_demand){ .bytes = 500, .text = 500, .tokens = 90 };
    upto[0] = (struct rf_demand){ 0 };
    for (size_t i = 0; i < s->pages; i++) {
        upto[i + 1].bytes = upto[i + 1].text = upto[i].bytes + 1 + random_below(5000);
        upto[i + 1].tokens = upto[i].tokens + 1 + random_below(800);
    }
    full->bytes += upto[s->pages].bytes;
    full->text += upto[s->pages].text;
    full->tokens += upto[s->pages].tokens;
    s->upto = upto;
}

static void add_file(struct history *h, size_t message, bool of_tool)
{
    struct rf_share *s = &h->shares[h->share_count++];
    struct rf_demand full = random_cost(), note = { .bytes = 400, .text = 400, .tokens = 80 };
    bool has_text = random_below(2), has_small = random_below(2);
    struct rf_demand text = { .bytes = 2000, .text = 2000, .tokens = 80 + random_below(2000) };
    *s = (struct rf_share){ .message = message, .of_tool = of_tool };
    s->costs[RF_LEVEL_FULL] = full;
    s->costs[RF_LEVEL_SMALL] = has_small ? less(full, 4) : full;
    s->costs[RF_LEVEL_TEXT] = has_text ? text : note;
    s->costs[RF_LEVEL_NOTE] = note;
    s->text_when_new = has_text && random_below(2);
    if (full.pages > 1)
        add_pages(h, s);
}

static void add_message(struct history *h, enum rf_role role)
{
    int64_t tokens = random_below(role == RF_ROLE_TOOL ? 3000 : 300);
    bool saved = role != RF_ROLE_ASSISTANT;
    size_t at = h->message_count++;
    h->messages[at] = (struct rf_joint_message){
        .role = role,
        .tokens = tokens + 10,
        .bytes = tokens * 4 + 200,
        .text_tokens = saved ? tokens : 0,
        .text_bytes = saved ? tokens * 4 : 0,
    };
    for (int64_t n = random_below(3); role != RF_ROLE_ASSISTANT && n > 0; n--)
        if (h->share_count < MOST_FILES)
            add_file(h, at, role == RF_ROLE_TOOL);
}

/* Limits that the last exchanges can always be made to keep. */
static void make_history(struct history *h, uint64_t number)
{
    seed = number * 2654435761u + 1;
    *h = (struct history){ .fixed = random_below(500) };
    h->limits = (struct rf_joint_limits){
        .images = random_below(4) ? 4 + random_below(20) : 0,
        .documents = random_below(4) ? 2 + random_below(5) : 0,
        .pages = random_below(4) ? 40 + random_below(100) : 0,
        .text = random_below(2) ? 0 : 40000 + random_below(40000),
        .bytes = random_below(4) ? 40000 + random_below(random_below(2) ? 40000 : 4000000) : 0,
        .tokens = random_below(4) ? 8000 + random_below(30000) : 0,
    };
    size_t most = 3 + (size_t)random_below(MOST_MESSAGES - 8);
    add_message(h, RF_ROLE_USER);
    while (h->message_count < most) {
        add_message(h, RF_ROLE_ASSISTANT);
        for (int64_t n = random_below(3); n > 0; n--)
            add_message(h, RF_ROLE_TOOL);
        if (random_below(3) == 0 || h->messages[h->message_count - 1].role == RF_ROLE_ASSISTANT)
            add_message(h, RF_ROLE_USER);
    }
}

static void run(struct history *h)
{
    rf_joint(&h->limits, h->fixed, h->messages, h->message_count, h->shares, h->share_count);
}

/* The sums, counted anew. */
static struct rf_demand sums_of(const struct history *h)
{
    struct rf_demand sum = { .tokens = h->fixed };
    for (size_t i = 0; i < h->message_count; i++) {
        const struct rf_joint_message *m = &h->messages[i];
        if (m->fate == RF_FATE_GONE)
            continue;
        sum.tokens += m->tokens;
        sum.bytes += m->bytes;
        sum.text += m->text_bytes;
        if (m->fate == RF_FATE_SILENT) {
            sum.tokens -= m->text_tokens;
            sum.bytes -= m->text_bytes;
            sum.text -= m->text_bytes;
        } else {
            sum.tokens -= m->keep_tokens < 0 ? 0 : m->text_tokens - m->keep_tokens;
            sum.bytes -= m->keep_bytes < 0 ? 0 : m->text_bytes - m->keep_bytes;
            sum.text -= m->keep_bytes < 0 ? 0 : m->text_bytes - m->keep_bytes;
        }
    }
    for (size_t i = 0; i < h->share_count; i++) {
        const struct rf_share *s = &h->shares[i];
        struct rf_demand c = rf_share_demand(s, s->level, s->kept);
        if (h->messages[s->message].fate == RF_FATE_GONE)
            continue;
        sum.images += c.images;
        sum.documents += c.documents;
        sum.pages += c.pages;
        sum.bytes += c.bytes;
        sum.text += c.text;
        sum.tokens += c.tokens;
    }
    return sum;
}

static void holds(uint64_t number, const char *name, int64_t sum, int64_t limit)
{
    if (limit && sum > limit)
        fail_msg("history %llu: %s is %lld, over %lld", (unsigned long long)number, name,
                 (long long)sum, (long long)limit);
}

static void limits_hold(void **state)
{
    struct history *h = malloc(sizeof *h);
    (void)state;
    assert_non_null(h);
    for (uint64_t n = 0; n < HISTORIES; n++) {
        make_history(h, n);
        run(h);
        struct rf_demand sum = sums_of(h);
        holds(n, "images", sum.images, h->limits.images);
        holds(n, "documents", sum.documents, h->limits.documents);
        holds(n, "pages", sum.pages, h->limits.pages);
        holds(n, "bytes", sum.bytes, h->limits.bytes);
        holds(n, "text", sum.text, h->limits.text);
        holds(n, "tokens", sum.tokens, h->limits.tokens);
    }
    free(h);
}

static bool is_sent_after(const struct history *h, size_t message)
{
    return message + 1 == h->message_count || (h->messages[message].role != RF_ROLE_ASSISTANT &&
                                               h->messages[message + 1].role == RF_ROLE_ASSISTANT);
}

static size_t pages_of(const struct rf_share *s)
{
    return s->level == RF_LEVEL_FULL ? s->pages : s->level == RF_LEVEL_SMALL ? s->kept : 0;
}

/* What a history began with, decided when it was sent, is never better later. */
static void what_went_down_stays_down(void **state)
{
    struct history *whole = malloc(sizeof *whole), *part = malloc(sizeof *part);
    (void)state;
    assert_true(whole && part);
    for (uint64_t n = 0; n < HISTORIES; n++) {
        make_history(whole, n);
        make_history(part, n);
        size_t cut = (size_t)random_below((int64_t)whole->message_count);
        while (!is_sent_after(whole, cut))
            cut++;
        part->message_count = cut + 1;
        while (part->share_count && part->shares[part->share_count - 1].message > cut)
            part->share_count--;
        run(whole);
        run(part);
        for (size_t i = 0; i < part->share_count; i++)
            if (whole->shares[i].level < part->shares[i].level ||
                pages_of(&whole->shares[i]) > pages_of(&part->shares[i]))
                fail_msg("history %llu: file %zu came back", (unsigned long long)n, i);
        for (size_t i = 0; i < part->message_count; i++)
            if (whole->messages[i].fate < part->messages[i].fate)
                fail_msg("history %llu: message %zu came back", (unsigned long long)n, i);
    }
    free(whole);
    free(part);
}

/* One message of a few documents: every way to share is tried. */

#define MOST_SHARED 4
#define MOST_SHARED_PAGES 7

static void make_message(struct history *h, uint64_t number)
{
    seed = number * 2654435761u + 1;
    *h = (struct history){ .message_count = 1,
                           .share_count = 1 + (size_t)random_below(MOST_SHARED) };
    h->messages[0] = (struct rf_joint_message){ .role = RF_ROLE_USER, .tokens = 20, .bytes = 200 };
    for (size_t i = 0; i < h->share_count; i++) {
        struct rf_share *s = &h->shares[i];
        int64_t pages = 1 + random_below(MOST_SHARED_PAGES), each = 1 + random_below(50);
        s->pages = (size_t)pages;
        s->paged = (struct rf_demand){ .images = pages, .pages = pages, .tokens = pages * each };
        s->costs[RF_LEVEL_FULL] = s->paged;
        s->costs[RF_LEVEL_FULL].tokens += 10;
        s->costs[RF_LEVEL_SMALL] = s->costs[RF_LEVEL_FULL];
        s->costs[RF_LEVEL_TEXT] = s->costs[RF_LEVEL_NOTE] = (struct rf_demand){ .tokens = 5 };
    }
    h->limits = (struct rf_joint_limits){
        .images = random_below(2) ? 1 + random_below(20) : 0,
        .pages = random_below(2) ? 1 + random_below(20) : 0,
        .tokens = random_below(2) ? 40 + random_below(600) : 0,
    };
}

static bool fits(const struct history *h)
{
    struct rf_demand sum = sums_of(h);
    return (!h->limits.images || sum.images <= h->limits.images) &&
           (!h->limits.pages || sum.pages <= h->limits.pages) &&
           (!h->limits.tokens || sum.tokens <= h->limits.tokens);
}

static void keep(struct rf_share *s, size_t pages)
{
    s->level = pages == s->pages ? RF_LEVEL_FULL : pages ? RF_LEVEL_SMALL : RF_LEVEL_NOTE;
    s->kept = pages;
}

/* The fewest pages that a document has which has not all. */
static size_t fewest(const struct history *h)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < h->share_count; i++)
        if (pages_of(&h->shares[i]) < h->shares[i].pages && pages_of(&h->shares[i]) < least)
            least = pages_of(&h->shares[i]);
    return least;
}

/* The most that the fewest can be, of all ways that fit. */
static size_t most_fewest(struct history *h, size_t at)
{
    size_t best = 0;
    if (at == h->share_count)
        return fits(h) ? fewest(h) : 0;
    for (size_t pages = 0; pages <= h->shares[at].pages; pages++) {
        keep(&h->shares[at], pages);
        size_t least = most_fewest(h, at + 1);
        best = least > best ? least : best;
    }
    return best;
}

static void pages_are_shared_as_well_as_can_be(void **state)
{
    struct history *h = malloc(sizeof *h);
    (void)state;
    assert_non_null(h);
    for (uint64_t n = 0; n < HISTORIES / 10; n++) {
        make_message(h, n);
        run(h);
        size_t least = fewest(h);
        for (size_t i = 0; i < h->share_count; i++) {
            const struct rf_share was = h->shares[i];
            size_t pages = pages_of(&was);
            if (pages == was.pages)
                continue;
            keep(&h->shares[i], pages + 1);
            if (fits(h))
                fail_msg("history %llu: file %zu has room for a page more", (unsigned long long)n,
                         i);
            h->shares[i] = was;
        }
        size_t best = most_fewest(h, 0);
        if (least < best)
            fail_msg("history %llu: a file has %zu pages, and could have %zu",
                     (unsigned long long)n, least, best);
    }
    free(h);
}

/* Two hundred turns of one picture: between two batches nothing that was sent changes. */
static void changes_come_in_batches(void **state)
{
    enum { TURNS = 200 };
    struct rf_joint_message messages[2 * TURNS];
    struct rf_share shares[TURNS];
    enum rf_level before[TURNS] = { 0 };
    const struct rf_joint_limits limits = { .images = 20 };
    unsigned changes = 0;
    (void)state;
    for (size_t turns = 1; turns <= TURNS; turns++) {
        bool changed = false;
        size_t sent = 0;
        for (size_t i = 0; i < turns; i++) {
            messages[2 * i] = (struct rf_joint_message){ .role = RF_ROLE_ASSISTANT };
            messages[2 * i + 1] = (struct rf_joint_message){ .role = RF_ROLE_TOOL };
            shares[i] = (struct rf_share){ .message = 2 * i + 1,
                                           .of_tool = true,
                                           .costs[RF_LEVEL_FULL].images = 1,
                                           .costs[RF_LEVEL_SMALL].images = 1 };
        }
        rf_joint(&limits, 0, messages, 2 * turns, shares, turns);
        for (size_t i = 0; i < turns; i++) {
            changed |= i + 1 < turns && shares[i].level != before[i];
            before[i] = shares[i].level;
            sent += shares[i].level == RF_LEVEL_FULL;
        }
        assert_true(sent <= 20 && sent >= (turns < 15 ? turns : 15));
        assert_int_equal(shares[turns - 1].level, RF_LEVEL_FULL);
        changes += changed;
    }
    assert_true(changes >= 25 && changes <= 40); /* one in six */
}

static void people_are_served_before_tools(void **state)
{
    struct rf_joint_message messages[] = {
        { .role = RF_ROLE_USER },      { .role = RF_ROLE_ASSISTANT }, { .role = RF_ROLE_TOOL },
        { .role = RF_ROLE_ASSISTANT }, { .role = RF_ROLE_TOOL },      { .role = RF_ROLE_ASSISTANT },
        { .role = RF_ROLE_TOOL },
    };
    struct rf_share shares[4];
    const size_t at[] = { 0, 2, 4, 6 };
    const struct rf_joint_limits limits = { .images = 3 };
    (void)state;
    for (size_t i = 0; i < 4; i++)
        shares[i] = (struct rf_share){ .message = at[i],
                                       .of_tool = i > 0,
                                       .costs[RF_LEVEL_FULL].images = 1,
                                       .costs[RF_LEVEL_SMALL].images = 1 };
    rf_joint(&limits, 0, messages, COUNT(messages), shares, 4);
    assert_int_equal(shares[0].level, RF_LEVEL_FULL);
    assert_true(shares[1].level >= RF_LEVEL_TEXT);
    assert_string_equal(shares[1].limit_name, "max_images");
    assert_int_equal(shares[3].level, RF_LEVEL_FULL);
}

/* Files of results, then their text, then whole exchanges; the last two are only cut. */
static void the_window_takes_in_this_order(void **state)
{
    static const struct {
        int64_t tokens;
        enum rf_level file;
        enum rf_fate text, exchange;
        bool cut;
    } rows[] = {
        { 10000, RF_LEVEL_FULL, RF_FATE_KEPT, RF_FATE_KEPT, false },
        { 5500, RF_LEVEL_TEXT, RF_FATE_KEPT, RF_FATE_KEPT, false },
        { 5000, RF_LEVEL_TEXT, RF_FATE_SILENT, RF_FATE_KEPT, false },
        { 1000, RF_LEVEL_TEXT, RF_FATE_GONE, RF_FATE_GONE, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_joint_message messages[9] = { { .role = RF_ROLE_USER, .tokens = 10 } };
        struct rf_share share = { .message = 2,
                                  .of_tool = true,
                                  .costs[RF_LEVEL_FULL].tokens = 1500,
                                  .costs[RF_LEVEL_SMALL].tokens = 1500 };
        const struct rf_joint_limits limits = { .tokens = rows[i].tokens };
        for (size_t k = 1; k < 9; k += 2) {
            messages[k] = (struct rf_joint_message){ .role = RF_ROLE_ASSISTANT, .tokens = 20 };
            messages[k + 1] = (struct rf_joint_message){ .role = RF_ROLE_TOOL,
                                                         .tokens = 1000,
                                                         .text_tokens = 1000 };
        }
        rf_joint(&limits, 0, messages, COUNT(messages), &share, 1);
        assert_int_equal(share.level, rows[i].file);
        assert_int_equal(messages[2].fate, rows[i].text);
        assert_int_equal(messages[1].fate == RF_FATE_GONE, rows[i].exchange == RF_FATE_GONE);
        assert_int_equal(messages[8].fate, RF_FATE_KEPT);
        assert_int_equal(messages[6].keep_tokens >= 0 || messages[8].keep_tokens >= 0, rows[i].cut);
    }
}

/* Where no window is known, the bytes are: files first, the newest too, then text as for the window. */
static void bytes_take_files_before_text(void **state)
{
    static const struct {
        int64_t bytes;
        enum rf_level file;
        enum rf_fate text, exchange;
        bool cut;
    } rows[] = {
        { 100000, RF_LEVEL_FULL, RF_FATE_KEPT, RF_FATE_KEPT, false },
        { 40000, RF_LEVEL_TEXT, RF_FATE_KEPT, RF_FATE_KEPT, false },
        { 25000, RF_LEVEL_TEXT, RF_FATE_SILENT, RF_FATE_KEPT, false },
        { 6000, RF_LEVEL_TEXT, RF_FATE_GONE, RF_FATE_GONE, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_joint_message messages[9] = { { .role = RF_ROLE_USER, .bytes = 100 } };
        struct rf_share share = { .message = 8, /* in the last exchange */
                                  .of_tool = true,
                                  .costs[RF_LEVEL_FULL].bytes = 40000,
                                  .costs[RF_LEVEL_SMALL].bytes = 40000 };
        const struct rf_joint_limits limits = { .bytes = rows[i].bytes };
        for (size_t k = 1; k < 9; k += 2) {
            messages[k] = (struct rf_joint_message){ .role = RF_ROLE_ASSISTANT, .bytes = 200 };
            messages[k + 1] = (struct rf_joint_message){ .role = RF_ROLE_TOOL,
                                                         .bytes = 8000,
                                                         .text_bytes = 7800 };
        }
        rf_joint(&limits, 0, messages, COUNT(messages), &share, 1);
        assert_int_equal(share.level, rows[i].file);
        assert_int_equal(messages[2].fate, rows[i].text);
        assert_int_equal(messages[1].fate == RF_FATE_GONE, rows[i].exchange == RF_FATE_GONE);
        assert_int_equal(messages[8].fate, RF_FATE_KEPT);
        assert_int_equal(messages[6].keep_bytes >= 0 || messages[8].keep_bytes >= 0, rows[i].cut);
        if (messages[2].fate != RF_FATE_KEPT)
            assert_string_equal(messages[2].limit_name, "max_body_bytes");
    }
}

/* A picture costs no text, and stays; what is left of a text is said by which limit. */
static void text_has_a_limit_of_its_own(void **state)
{
    (void)state;
    struct rf_joint_message messages[3] = {
        { .role = RF_ROLE_USER, .bytes = 100, .text_bytes = 20 },
        { .role = RF_ROLE_ASSISTANT, .bytes = 200 },
        { .role = RF_ROLE_TOOL, .bytes = 90000, .text_bytes = 89800 },
    };
    struct rf_share picture = { .message = 2,
                                .of_tool = true,
                                .costs[RF_LEVEL_FULL] = { .images = 1, .bytes = 500000 },
                                .costs[RF_LEVEL_SMALL] = { .images = 1, .bytes = 500000 },
                                .costs[RF_LEVEL_TEXT] = { .bytes = 700, .text = 700 },
                                .costs[RF_LEVEL_NOTE] = { .bytes = 700, .text = 700 } };
    const struct rf_joint_limits limits = { .bytes = 900000, .text = 40000 };
    rf_joint(&limits, 0, messages, COUNT(messages), &picture, 1);
    assert_int_equal(picture.level, RF_LEVEL_FULL);
    assert_int_equal(messages[2].fate, RF_FATE_KEPT);
    assert_true(messages[2].keep_bytes > 38000 && messages[2].keep_bytes < 40000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(what_went_down_stays_down),
        cmocka_unit_test(pages_are_shared_as_well_as_can_be),
        cmocka_unit_test(changes_come_in_batches),
        cmocka_unit_test(people_are_served_before_tools),
        cmocka_unit_test(the_window_takes_in_this_order),
        cmocka_unit_test(bytes_take_files_before_text),
        cmocka_unit_test(text_has_a_limit_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
