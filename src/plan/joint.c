/* Making room, in one pass over the history.
 *
 * Messages are taken in one after the other. Each adds what it and its files cost to the sums, of
 * which there is one for each limit. Before every answer, and at the end, a request was sent: there
 * each sum is checked against its limit. Where it is over the limit, steps are taken until it is
 * not:
 *
 *   1. Old files, those before the last two exchanges, go down the levels: of tools before those of
 *      people, old before new. Where less of a file helps (bytes, tokens, pages), all of them
 *      become smaller before one of them becomes text, and all of them text before one becomes a
 *      note. Where files are counted, the oldest goes at once. A quarter of the limit becomes free.
 *   2. Tokens: the oldest results become a line each, then the oldest exchanges are left out. Again
 *      a quarter becomes free.
 *   3. New files share, those of the last exchange after those of the one before: see
 *      make_group_smaller. They give what is needed and no more.
 *   4. Bytes, of text or of all: what step 2 does for tokens.
 *   5. Texts that are still whole are cut, the oldest first.
 *
 * When all sums are within their limits, files that no request had before get back what fits: the
 * limit that took it may be slack now, because another one took more.
 *
 * An example with a window of 1000 tokens. Long ago a person attached a picture (a, 300; small 50)
 * and a tool returned one (b, 400; small 100, as a note 20). Now a document comes (c, 10 pages of
 * 60 each). Words aside, 300 + 400 + 600 = 1300 is over 1000, and 750 is to be reached:
 *
 *     b small   1000
 *     b a note   920    tools' files go all the way before a person's are touched
 *     a small    670    enough: c goes whole, and the next 330 tokens change nothing
 *
 * Without that quarter every further message would push out a file, and with it all that a provider
 * has cached of the prompt from there on.
 *
 * How new documents share: three of 4, 30 and 50 pages, 10 tokens a page, room for 400. Each keeps
 * at most n pages, n the largest number for which all fit: 4 + 18 + 18. The first needs fewer than
 * its share and leaves the rest to the others. n is found by halving.
 *
 * An old file goes down at most three times, but for the pages of a document, and every message
 * changes its fate at most once, each found by an index that only moves forward: the pass is
 * linear. */
#include "plan/joint.h"

#define KEPT_EXCHANGES 2 /* that make room last */
#define HEAD_ROOM 4      /* a batch frees one part in so many of the limit */
/* Of a text, what is left when it is cut. */
#define LEAST_TOKENS 200
#define LEAST_BYTES 800
/* The line that stands for a text, for the rest of one, or for all messages that are gone. */
#define LINE_TOKENS 60
#define LINE_BYTES 400

/* The limits in the order in which they are checked. Tokens come after those that put text in the
 * place of a file, which costs some, and text comes last: less of it costs nothing. */
enum measure { IMAGES, DOCUMENTS, PAGES, BYTES, TOKENS, TEXT, MEASURE_COUNT };

static const char *const limit_names[] = {
    [IMAGES] = "max_images",    [DOCUMENTS] = "max_documents", [PAGES] = "max_pdf_pages",
    [BYTES] = "max_body_bytes", [TOKENS] = "context_tokens",   [TEXT] = "max_text_bytes",
};

struct pass {
    struct rf_joint_message *messages;
    struct rf_share *shares;
    int64_t limits[MEASURE_COUNT], sums[MEASURE_COUNT];
    size_t share_count;               /* that have arrived */
    size_t first_unsent;              /* the first that no request held yet */
    size_t first_share;               /* the first that is not gone */
    size_t first_new;                 /* the first of the exchanges that make room last */
    size_t exchanges[KEPT_EXCHANGES]; /* where the last ones begin, the newest first */
    /* For each limit, the first files of people and of tools that may go below a level. */
    size_t first[MEASURE_COUNT][2][RF_LEVEL_COUNT];
    /* The first message that is not silent, for each limit, and the first that is not gone. */
    size_t first_loud[MEASURE_COUNT], first_kept;
};

static bool has_pages(const struct rf_share *s)
{
    return s->pages > 1;
}

/* What `n` pages of so many cost when all cost `sum`. */
static int64_t some_of(int64_t sum, size_t n, size_t of)
{
    int64_t product;
    return __builtin_mul_overflow(sum, (int64_t)n, &product) ? sum / (int64_t)of * (int64_t)n
                                                             : product / (int64_t)of;
}

/* What its pages from `kept` on cost. */
static struct rf_demand rest_of(const struct rf_share *s, size_t kept)
{
    size_t n = s->pages - kept, of = s->pages;
    const struct rf_demand *p = &s->paged;
    if (!s->upto)
        return (struct rf_demand){ some_of(p->images, n, of), some_of(p->documents, n, of),
                                   some_of(p->pages, n, of),  some_of(p->bytes, n, of),
                                   some_of(p->text, n, of),   some_of(p->tokens, n, of) };
    return rf_demand_plus(s->upto[s->pages], -1, s->upto[kept]);
}

struct rf_demand rf_demand_plus(struct rf_demand a, int64_t times, struct rf_demand b)
{
    return (struct rf_demand){ a.images + times * b.images, a.documents + times * b.documents,
                               a.pages + times * b.pages,   a.bytes + times * b.bytes,
                               a.text + times * b.text,     a.tokens + times * b.tokens };
}

struct rf_demand rf_share_demand(const struct rf_share *s, enum rf_level level, size_t kept)
{
    if (level != RF_LEVEL_SMALL || !has_pages(s))
        return s->costs[level];
    return rf_demand_plus(s->costs[RF_LEVEL_FULL], -1, rest_of(s, kept));
}

static int64_t measured(const struct rf_demand *c, enum measure m)
{
    switch (m) {
    case IMAGES:
        return c->images;
    case DOCUMENTS:
        return c->documents;
    case PAGES:
        return c->pages;
    case BYTES:
        return c->bytes;
    case TEXT:
        return c->text;
    case TOKENS:
        return c->tokens;
    case MEASURE_COUNT:
        break;
    }
    RF_BUG("cost of no kind");
}

static int64_t cost(const struct rf_share *s, enum rf_level level, size_t kept, enum measure m)
{
    struct rf_demand c = rf_share_demand(s, level, kept);
    return measured(&c, m);
}

static void count(struct pass *p, const struct rf_share *s, int sign)
{
    struct rf_demand c = rf_share_demand(s, s->level, s->kept);
    for (enum measure m = IMAGES; m < MEASURE_COUNT; m++)
        p->sums[m] += sign * measured(&c, m);
}

static bool is_over(const struct pass *p, enum measure m, int64_t most)
{
    return p->limits[m] && p->sums[m] > most;
}

static bool is_over_any(const struct pass *p)
{
    for (enum measure m = IMAGES; m < MEASURE_COUNT; m++)
        if (is_over(p, m, p->limits[m]))
            return true;
    return false;
}

/* Does another level cost less of this, and pass no limit by what it costs more of? Notes always
 * may. */
static bool is_less(const struct pass *p, const struct rf_share *s, enum rf_level to, size_t kept,
                    enum measure m)
{
    for (enum measure other = IMAGES; to != RF_LEVEL_NOTE && other < MEASURE_COUNT; other++) {
        int64_t more = cost(s, to, kept, other) - cost(s, s->level, s->kept, other);
        if (more > 0 && is_over(p, other, p->limits[other] - more))
            return false;
    }
    return cost(s, to, kept, m) < cost(s, s->level, s->kept, m);
}

static bool is_unsent(const struct pass *p, const struct rf_share *s)
{
    return s >= p->shares + p->first_unsent;
}

/* Pages are not a level to step to, and some texts are only for new files. */
static bool has_level(const struct pass *p, const struct rf_share *s, enum rf_level level)
{
    return !(level == RF_LEVEL_SMALL && has_pages(s)) &&
           !(level == RF_LEVEL_TEXT && s->text_when_new && !is_unsent(p, s));
}

static void put(struct pass *p, struct rf_share *s, enum rf_level level, size_t kept)
{
    count(p, s, -1);
    s->level = level;
    s->kept = kept;
    count(p, s, 1);
}

static void lower(struct pass *p, struct rf_share *s, enum rf_level level, size_t kept,
                  enum measure m)
{
    put(p, s, level, kept);
    s->limit_name = limit_names[m];
    s->limit = p->limits[m];
    s->never_sent = level >= RF_LEVEL_TEXT && is_unsent(p, s);
}

/* How many of its pages a document has now; 0: it has none that could be taken away. */
static size_t pages_now(const struct rf_share *s)
{
    if (!has_pages(s) || s->level > RF_LEVEL_SMALL)
        return 0;
    return s->level == RF_LEVEL_FULL ? s->pages : s->kept;
}

/* The most pages, up to `most_pages`, with which no more than `most` is used; at least one. */
static size_t pages_that_fit(const struct pass *p, const struct rf_share *s, enum measure m,
                             int64_t most, size_t most_pages)
{
    int64_t others = p->sums[m] - cost(s, s->level, s->kept, m);
    size_t fits = 1, over = most_pages + 1;
    while (over - fits > 1) {
        size_t half = fits + (over - fits) / 2;
        if (others + cost(s, RF_LEVEL_SMALL, half, m) <= most)
            fits = half;
        else
            over = half;
    }
    return fits;
}

/* Take a step down: fewer pages, or the next level that costs less. False where there is none. */
static bool step_down(struct pass *p, struct rf_share *s, enum measure m, int64_t most)
{
    size_t now = pages_now(s);
    size_t fewer = now > 1 ? pages_that_fit(p, s, m, most, now - 1) : 0;
    if (fewer && is_less(p, s, RF_LEVEL_SMALL, fewer, m)) {
        lower(p, s, RF_LEVEL_SMALL, fewer, m);
        return true;
    }
    for (enum rf_level level = s->level + 1; level <= RF_LEVEL_NOTE; level++)
        if (has_level(p, s, level) && is_less(p, s, level, 0, m)) {
            lower(p, s, level, 0, m);
            return true;
        }
    return false;
}

/* Lower one file that stands above `level` or at it, as far as is needed and no further. */
static void lower_from(struct pass *p, struct rf_share *s, enum measure m, int64_t most,
                       enum rf_level level)
{
    while (s->level <= level && is_over(p, m, most) && step_down(p, s, m, most))
        ;
}

/* Lower files of tools or of people, oldest first, that stand before message `end`, until no
 * more than `most` is used. The one that was enough may have more to give the next time. */
static void make_room(struct pass *p, enum measure m, int64_t most, bool of_tool,
                      enum rf_level level, size_t end)
{
    size_t *at = &p->first[m][of_tool][level];
    if (*at < p->first_share)
        *at = p->first_share;
    while (*at < p->share_count && p->shares[*at].message < end && is_over(p, m, most)) {
        if (p->shares[*at].of_tool == of_tool)
            lower_from(p, &p->shares[*at], m, most, level);
        *at += is_over(p, m, most);
    }
}

/* Where less of a file helps: first a little of many, then all of some. Where files are counted:
 * the oldest, whatever is left of it. */
static enum rf_level first_level(enum measure m)
{
    return m == IMAGES || m == DOCUMENTS ? RF_LEVEL_TEXT : RF_LEVEL_FULL;
}

static void make_files_smaller(struct pass *p, enum measure m, int64_t most, size_t end)
{
    for (int people = 0; people < 2; people++)
        for (enum rf_level level = first_level(m); level < RF_LEVEL_NOTE; level++)
            make_room(p, m, most, !people, level, end);
}

/* The files of the last exchanges: [begin, end) of the shares. */
struct group {
    size_t begin, end;
};

static bool shrinks(const struct pass *p, const struct rf_share *s, enum measure m)
{
    return s->level == RF_LEVEL_FULL && !has_pages(s) && is_less(p, s, RF_LEVEL_SMALL, 0, m);
}

/* Smaller pictures and fewer frames, those of tools and the oldest first, where that is enough. */
static bool shrink_pictures(struct pass *p, struct group g, enum measure m, int64_t most)
{
    int64_t saved = 0;
    for (size_t i = g.begin; i < g.end; i++)
        if (shrinks(p, &p->shares[i], m))
            saved += cost(&p->shares[i], RF_LEVEL_FULL, 0, m) -
                     cost(&p->shares[i], RF_LEVEL_SMALL, 0, m);
    if (p->sums[m] - saved > most)
        return false;
    for (int people = 0; people < 2; people++)
        for (size_t i = g.begin; i < g.end && is_over(p, m, most); i++)
            if (p->shares[i].of_tool == !people && shrinks(p, &p->shares[i], m))
                lower(p, &p->shares[i], RF_LEVEL_SMALL, 0, m);
    return !is_over(p, m, most);
}

/* What the group would save if each document kept at most so many pages. */
static int64_t saved_by(const struct pass *p, struct group g, enum measure m, size_t pages)
{
    int64_t saved = 0;
    for (size_t i = g.begin; i < g.end; i++) {
        const struct rf_share *s = &p->shares[i];
        if (pages_now(s) > pages)
            saved += cost(s, s->level, s->kept, m) - cost(s, RF_LEVEL_SMALL, pages, m);
    }
    return saved;
}

static size_t longest(const struct pass *p, struct group g)
{
    size_t most = 0;
    for (size_t i = g.begin; i < g.end; i++)
        if (pages_now(&p->shares[i]) > most)
            most = pages_now(&p->shares[i]);
    return most;
}

/* Every document keeps at most the same number of pages, as many as fit; false where not even one
 * each does. */
static bool share_pages(struct pass *p, struct group g, enum measure m, int64_t most)
{
    size_t fits = 1, over = longest(p, g);
    if (over < 2 || p->sums[m] - saved_by(p, g, m, 1) > most)
        return false;
    while (over - fits > 1) {
        size_t half = fits + (over - fits) / 2;
        if (p->sums[m] - saved_by(p, g, m, half) <= most)
            fits = half;
        else
            over = half;
    }
    for (size_t i = g.begin; i < g.end; i++)
        if (pages_now(&p->shares[i]) > fits)
            lower(p, &p->shares[i], RF_LEVEL_SMALL, fits, m);
    return true;
}

/* What is left when pictures are small and documents have one page each is still too much: text
 * and notes, for those of tools and the oldest first, until the rest has room. */
static void give_up_files(struct pass *p, struct group g, enum measure m, int64_t most)
{
    int64_t saved = saved_by(p, g, m, 1);
    for (int people = 0; people < 2; people++)
        for (size_t i = g.begin; i < g.end && p->sums[m] - saved > most; i++) {
            struct rf_share *s = &p->shares[i];
            if (s->of_tool != !people)
                continue;
            saved -= saved_by(p, (struct group){ i, i + 1 }, m, 1);
            for (enum rf_level level = RF_LEVEL_TEXT; level <= RF_LEVEL_NOTE; level++)
                if (level > s->level && p->sums[m] - saved > most && has_level(p, s, level) &&
                    is_less(p, s, level, 0, m))
                    lower(p, s, level, 0, m);
            saved += saved_by(p, (struct group){ i, i + 1 }, m, 1);
        }
}

/* Smaller pictures where they are enough, else fewer pages of each document; then both. Where that
 * is still too much some files are given up, and the pages are shared anew among the rest. */
static void make_group_smaller(struct pass *p, struct group g, enum measure m, int64_t most)
{
    if (!is_over(p, m, most) || shrink_pictures(p, g, m, most) || share_pages(p, g, m, most))
        return;
    for (size_t i = g.begin; i < g.end; i++)
        if (shrinks(p, &p->shares[i], m))
            lower(p, &p->shares[i], RF_LEVEL_SMALL, 0, m);
    if (share_pages(p, g, m, most))
        return;
    give_up_files(p, g, m, most);
    share_pages(p, g, m, most);
}

static size_t first_share_of(const struct pass *p, size_t message)
{
    size_t i = p->share_count;
    while (i > p->first_new && p->shares[i - 1].message >= message)
        i--;
    return i;
}

/* Those of the last exchange come after those of the one before. */
static void make_last_files_smaller(struct pass *p, enum measure m, int64_t most)
{
    size_t newest = first_share_of(p, p->exchanges[0]);
    make_group_smaller(p, (struct group){ p->first_new, newest }, m, most);
    make_group_smaller(p, (struct group){ newest, p->share_count }, m, most);
}

/* What is given back, to files that no request had yet: one limit may have made room in another. */

/* A file that was left out goes up to the best level that fits, a document with one page. */
static void take_file_back(struct pass *p, struct rf_share *s)
{
    const struct rf_share was = *s;
    for (enum rf_level level = RF_LEVEL_FULL; level < was.level; level++) {
        bool some = level == RF_LEVEL_SMALL && has_pages(s);
        put(p, s, level, some);
        if (!is_over_any(p)) {
            s->never_sent = level >= RF_LEVEL_TEXT;
            s->limit_name = level == RF_LEVEL_FULL ? NULL : was.limit_name;
            return;
        }
    }
    put(p, s, was.level, was.kept);
}

/* Equal shares leave a rest: a document takes as many of its pages as fit. */
static void take_pages_back(struct pass *p, struct rf_share *s)
{
    size_t fits = s->kept, over = s->pages + 1;
    while (over - fits > 1) {
        size_t half = fits + (over - fits) / 2;
        put(p, s, RF_LEVEL_SMALL, half);
        if (is_over_any(p))
            over = half;
        else
            fits = half;
    }
    put(p, s, fits == s->pages ? RF_LEVEL_FULL : RF_LEVEL_SMALL, fits);
    s->limit_name = fits == s->pages ? NULL : s->limit_name;
}

static void give_back(struct pass *p)
{
    for (struct rf_share *s = p->shares + p->first_unsent; s < p->shares + p->share_count; s++)
        if (s->level > RF_LEVEL_SMALL && s->limit_name)
            take_file_back(p, s);
    for (struct rf_share *s = p->shares + p->first_unsent; s < p->shares + p->share_count; s++)
        if (s->level == RF_LEVEL_SMALL && has_pages(s))
            take_pages_back(p, s);
}

/* What of its text is sent as things are, with the line that stands for the rest. */
static int64_t text_now(const struct rf_joint_message *m, enum measure measure)
{
    int64_t line = measure == TOKENS ? LINE_TOKENS : LINE_BYTES;
    int64_t all = measure == TOKENS ? m->text_tokens : m->text_bytes;
    int64_t kept = measure == TOKENS ? m->keep_tokens : m->keep_bytes;
    if (m->fate != RF_FATE_KEPT)
        return line;
    if (m->keep_tokens < 0 && m->keep_bytes < 0)
        return all;
    return (kept < 0 ? all : kept) + line;
}

static void count_text(struct pass *p, const struct rf_joint_message *m, int sign)
{
    p->sums[TOKENS] += sign * text_now(m, TOKENS);
    p->sums[BYTES] += sign * text_now(m, BYTES);
    p->sums[TEXT] += sign * text_now(m, TEXT);
}

static void change_fate(struct pass *p, struct rf_joint_message *m, enum rf_fate fate,
                        enum measure measure)
{
    m->fate = fate;
    m->limit_name = limit_names[measure];
    m->limit = p->limits[measure];
}

static void make_silent(struct pass *p, enum measure measure, int64_t most, size_t end)
{
    int64_t line = measure == TOKENS ? LINE_TOKENS : LINE_BYTES;
    for (size_t *at = &p->first_loud[measure]; *at < end && is_over(p, measure, most); ++*at) {
        struct rf_joint_message *m = &p->messages[*at];
        if (m->role != RF_ROLE_TOOL || m->fate != RF_FATE_KEPT || text_now(m, measure) <= line)
            continue;
        count_text(p, m, -1);
        change_fate(p, m, RF_FATE_SILENT, measure);
        count_text(p, m, 1);
    }
}

static void drop_message(struct pass *p, enum measure measure, size_t message)
{
    struct rf_joint_message *m = &p->messages[message];
    p->sums[TOKENS] -= m->tokens - m->text_tokens;
    p->sums[BYTES] -= m->bytes - m->text_bytes;
    count_text(p, m, -1);
    change_fate(p, m, RF_FATE_GONE, measure);
    for (; p->first_share < p->share_count && p->shares[p->first_share].message == message;
         p->first_share++)
        count(p, &p->shares[p->first_share], -1);
}

/* Leave the oldest exchanges out: an answer with all that follows it, results included. */
static void drop_exchanges(struct pass *p, enum measure measure, int64_t most, size_t end)
{
    while (p->first_kept < end && is_over(p, measure, most)) {
        if (p->first_kept == 0) {
            p->sums[TOKENS] += LINE_TOKENS;
            p->sums[BYTES] += LINE_BYTES;
            p->sums[TEXT] += LINE_BYTES;
        }
        do
            drop_message(p, measure, p->first_kept++);
        while (p->first_kept < end && p->messages[p->first_kept].role != RF_ROLE_ASSISTANT);
    }
}

static void make_texts_shorter(struct pass *p, enum measure measure, int64_t most, size_t end)
{
    make_silent(p, measure, most, end);
    drop_exchanges(p, measure, most, end);
}

/* What is left is too much by itself: texts that are still whole are cut, the oldest first. */
static void cut_texts(struct pass *p, enum measure measure, size_t begin, size_t end)
{
    int64_t line = measure == TOKENS ? LINE_TOKENS : LINE_BYTES;
    int64_t least = measure == TOKENS ? LEAST_TOKENS : LEAST_BYTES;
    for (size_t i = begin; i < end && is_over(p, measure, p->limits[measure]); i++) {
        struct rf_joint_message *m = &p->messages[i];
        int64_t now = text_now(m, measure);
        int64_t most = now - (p->sums[measure] - p->limits[measure]) - line;
        if (m->role == RF_ROLE_ASSISTANT || m->fate != RF_FATE_KEPT || now <= least + line)
            continue;
        count_text(p, m, -1);
        *(measure == TOKENS ? &m->keep_tokens : &m->keep_bytes) = most > least ? most : least;
        count_text(p, m, 1);
    }
}

/* A request is sent here: everything up to now is checked against one limit. */
static void check(struct pass *p, enum measure m, size_t now)
{
    int64_t limit = p->limits[m], batch = limit - limit / HEAD_ROOM;
    size_t old = p->exchanges[KEPT_EXCHANGES - 1];
    if (!is_over(p, m, limit))
        return;
    while (p->first_new < p->share_count && p->shares[p->first_new].message < old)
        p->first_new++;
    make_files_smaller(p, m, batch, old);
    if (m == TOKENS)
        make_texts_shorter(p, m, batch, old);
    make_last_files_smaller(p, m, limit);
    if ((m == BYTES || m == TEXT) && is_over(p, m, limit))
        make_texts_shorter(p, m, batch, old);
    if (m == TOKENS || m == BYTES || m == TEXT)
        cut_texts(p, m, old, now + 1);
}

static void send(struct pass *p, size_t now)
{
    bool over = is_over_any(p);
    for (enum measure m = IMAGES; m < MEASURE_COUNT; m++)
        check(p, m, now);
    if (over && !is_over_any(p))
        give_back(p);
    p->first_unsent = p->share_count;
}

static void begin_exchange(struct pass *p, size_t message)
{
    for (size_t i = KEPT_EXCHANGES - 1; i > 0; i--)
        p->exchanges[i] = p->exchanges[i - 1];
    p->exchanges[0] = message;
}

void rf_joint(const struct rf_joint_limits *limits, int64_t fixed_tokens,
              struct rf_joint_message *messages, size_t message_count, struct rf_share *shares,
              size_t share_count)
{
    struct pass p = {
        .messages = messages,
        .shares = shares,
        .limits = { limits->images, limits->documents, limits->pages, limits->bytes, limits->tokens,
                    limits->text },
        .sums = { [BYTES] = limits->fixed_bytes, [TOKENS] = fixed_tokens },
    };
    for (size_t i = 0; i < message_count; i++) {
        if (messages[i].role == RF_ROLE_ASSISTANT)
            begin_exchange(&p, i);
        messages[i].keep_tokens = messages[i].keep_bytes = -1;
        p.sums[TOKENS] += messages[i].tokens;
        p.sums[BYTES] += messages[i].bytes;
        p.sums[TEXT] += messages[i].text_bytes;
        for (; p.share_count < share_count && shares[p.share_count].message == i; p.share_count++)
            count(&p, &shares[p.share_count], 1);
        bool last = i + 1 == message_count;
        if (last ||
            (messages[i].role != RF_ROLE_ASSISTANT && messages[i + 1].role == RF_ROLE_ASSISTANT))
            send(&p, i);
    }
}
