/* One pass over the history. Every file goes down at most three times and every message changes its
 * fate at most once, each found by an index that only moves forward: the pass is linear. */
#include "plan/joint.h"

#define KEPT_EXCHANGES 2 /* that make room last */
#define HEAD_ROOM 4      /* a batch frees one part in so many of the limit */
/* Of a text, what is left when it is cut. */
#define LEAST_TOKENS 200
#define LEAST_BYTES 800
/* The line that stands for a text, for the rest of one, or for all messages that are gone. */
#define LINE_TOKENS 60
#define LINE_BYTES 400

/* The limits in the order they are held in. Tokens come last: text that stands for a file costs some. */
enum measure { IMAGES, DOCUMENTS, PAGES, BYTES, TOKENS, MEASURE_COUNT };

static const char *const limit_names[] = {
    [IMAGES] = "max_images",    [DOCUMENTS] = "max_documents", [PAGES] = "max_pdf_pages",
    [BYTES] = "max_body_bytes", [TOKENS] = "context_tokens",
};

struct pass {
    struct rf_joint_message *messages;
    struct rf_share *shares;
    int64_t limits[MEASURE_COUNT], sums[MEASURE_COUNT];
    size_t share_count;               /* that have arrived */
    size_t first_share;               /* the first that is not gone */
    size_t first_new;                 /* the first of the exchanges that make room last */
    size_t exchanges[KEPT_EXCHANGES]; /* where the last ones begin, the newest first */
    /* For each limit, the first files of people and of tools that may go below a level. */
    size_t first[MEASURE_COUNT][2][RF_LEVEL_COUNT];
    /* The first message that is not silent, for each limit, and the first that is not gone. */
    size_t first_loud[MEASURE_COUNT], first_kept;
};

static int64_t cost(const struct rf_share *s, enum rf_level level, enum measure m)
{
    const struct rf_cost *c = &s->costs[level];
    switch (m) {
    case IMAGES:
        return c->images;
    case DOCUMENTS:
        return c->documents;
    case PAGES:
        return c->pages;
    case BYTES:
        return c->bytes;
    case TOKENS:
        return c->tokens;
    case MEASURE_COUNT:
        break;
    }
    RF_BUG("cost of no kind");
}

static void count(struct pass *p, const struct rf_share *s, enum rf_level level, int sign)
{
    for (enum measure m = IMAGES; m < MEASURE_COUNT; m++)
        p->sums[m] += sign * cost(s, level, m);
}

static bool is_over(const struct pass *p, enum measure m, int64_t most)
{
    return p->limits[m] && p->sums[m] > most;
}

/* Does another level cost less of this, and not more of anything else? Notes always may. */
static bool is_less(const struct rf_share *s, enum rf_level from, enum rf_level to, enum measure m)
{
    for (enum measure other = IMAGES; other < MEASURE_COUNT; other++)
        if (to != RF_LEVEL_NOTE && cost(s, to, other) > cost(s, from, other))
            return false;
    return cost(s, to, m) < cost(s, from, m);
}

/* The next level below its own that costs less; its own where none does. */
static enum rf_level below(const struct rf_share *s, enum measure m)
{
    for (enum rf_level level = s->level + 1; level <= RF_LEVEL_NOTE; level++)
        if (is_less(s, s->level, level, m))
            return level;
    return s->level;
}

static void lower(struct pass *p, struct rf_share *s, enum rf_level level, enum measure m)
{
    count(p, s, s->level, -1);
    s->level = level;
    s->limit_name = limit_names[m];
    s->limit = p->limits[m];
    count(p, s, s->level, 1);
}

/* Lower one file that stands above `level` or at it, as far as is needed and no further. */
static void lower_from(struct pass *p, struct rf_share *s, enum measure m, int64_t most,
                       enum rf_level level)
{
    for (enum rf_level to; s->level <= level && is_over(p, m, most); lower(p, s, to, m))
        if ((to = below(s, m)) == s->level)
            return;
}

/* Lower files of tools or of people, oldest first, that stand before message `end`, until no more than
 * `most` is used. The one that was enough may have more to give the next time. */
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

/* Where less of a file helps: first a little of many, then all of some. Where files are counted: the
 * oldest, whatever is left of it. */
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

/* The newest files too, those of tools and the oldest first; here each may be the last that is left. */
static void make_last_files_smaller(struct pass *p, enum measure m, int64_t most)
{
    for (int people = 0; people < 2; people++)
        for (enum rf_level level = first_level(m); level < RF_LEVEL_NOTE; level++)
            for (size_t i = p->first_new; i < p->share_count && is_over(p, m, most); i++)
                if (p->shares[i].of_tool == !people)
                    lower_from(p, &p->shares[i], m, most, level);
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
        count(p, &p->shares[p->first_share], p->shares[p->first_share].level, -1);
}

/* Leave the oldest exchanges out: an answer with all that follows it, results included. */
static void drop_exchanges(struct pass *p, enum measure measure, int64_t most, size_t end)
{
    while (p->first_kept < end && is_over(p, measure, most)) {
        if (p->first_kept == 0) {
            p->sums[TOKENS] += LINE_TOKENS;
            p->sums[BYTES] += LINE_BYTES;
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

/* A request is sent here: hold everything up to now against one limit. */
static void hold(struct pass *p, enum measure m, size_t now)
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
    if (m == BYTES && is_over(p, m, limit))
        make_texts_shorter(p, m, batch, old);
    if (m == TOKENS || m == BYTES)
        cut_texts(p, m, old, now + 1);
}

static void send(struct pass *p, size_t now)
{
    for (enum measure m = IMAGES; m < MEASURE_COUNT; m++)
        hold(p, m, now);
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
        .limits = { limits->images, limits->documents, limits->pages, limits->bytes,
                    limits->tokens },
        .sums = { [BYTES] = limits->fixed_bytes, [TOKENS] = fixed_tokens },
    };
    for (size_t i = 0; i < message_count; i++) {
        if (messages[i].role == RF_ROLE_ASSISTANT)
            begin_exchange(&p, i);
        messages[i].keep_tokens = messages[i].keep_bytes = -1;
        p.sums[TOKENS] += messages[i].tokens;
        p.sums[BYTES] += messages[i].bytes;
        for (; p.share_count < share_count && shares[p.share_count].message == i; p.share_count++)
            count(&p, &shares[p.share_count], shares[p.share_count].level, 1);
        bool last = i + 1 == message_count;
        if (last ||
            (messages[i].role != RF_ROLE_ASSISTANT && messages[i + 1].role == RF_ROLE_ASSISTANT))
            send(&p, i);
    }
}
