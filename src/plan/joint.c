/* One pass over the history. Every file goes down at most three times and every message changes its
 * fate at most once, each found by an index that only moves forward: the pass is linear. */
#include "plan/joint.h"

#define KEPT_EXCHANGES 2 /* that make room last */
#define HEAD_ROOM 4      /* a batch frees one part in so many of the limit */
#define LEAST_TEXT 200   /* tokens of a text that are left when it is cut */
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
    size_t first_loud, first_kept; /* the first message that is not silent, and not gone */
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

/* Lower files of tools or of people, oldest first, that stand before message `end` and above `level`,
 * until no more than `most` is used. */
static void make_room(struct pass *p, enum measure m, int64_t most, bool of_tool,
                      enum rf_level level, size_t end)
{
    size_t *at = &p->first[m][of_tool][level];
    if (*at < p->first_share)
        *at = p->first_share;
    for (; *at < p->share_count && p->shares[*at].message < end && is_over(p, m, most); ++*at) {
        struct rf_share *s = &p->shares[*at];
        enum rf_level to = below(s, m);
        if (s->of_tool == of_tool && s->level <= level && to != s->level)
            lower(p, s, to, m);
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
            for (size_t i = p->first_new; i < p->share_count && is_over(p, m, most); i++) {
                struct rf_share *s = &p->shares[i];
                enum rf_level to = below(s, m);
                if (s->of_tool == !people && s->level <= level && to != s->level)
                    lower(p, s, to, m);
            }
}

/* The tokens of its text that are sent as things are, and of the line that stands for the rest. */
static int64_t text_now(const struct rf_joint_message *m)
{
    return m->fate != RF_FATE_KEPT ? LINE_TOKENS
           : m->keep_tokens >= 0   ? m->keep_tokens + LINE_TOKENS
                                   : m->text_tokens;
}

static void make_silent(struct pass *p, int64_t most, size_t end)
{
    for (; p->first_loud < end && is_over(p, TOKENS, most); p->first_loud++) {
        struct rf_joint_message *m = &p->messages[p->first_loud];
        if (m->role != RF_ROLE_TOOL || m->fate != RF_FATE_KEPT || text_now(m) <= LINE_TOKENS)
            continue;
        p->sums[TOKENS] -= text_now(m) - LINE_TOKENS;
        p->sums[BYTES] -= m->text_bytes - LINE_BYTES;
        m->fate = RF_FATE_SILENT;
    }
}

static void drop_message(struct pass *p, size_t message)
{
    struct rf_joint_message *m = &p->messages[message];
    bool silent = m->fate == RF_FATE_SILENT;
    p->sums[TOKENS] -= m->tokens - m->text_tokens + text_now(m);
    p->sums[BYTES] -= m->bytes - (silent ? m->text_bytes - LINE_BYTES : 0);
    m->fate = RF_FATE_GONE;
    for (; p->first_share < p->share_count && p->shares[p->first_share].message == message;
         p->first_share++)
        count(p, &p->shares[p->first_share], p->shares[p->first_share].level, -1);
}

/* Leave the oldest exchanges out: an answer with all that follows it, results included. */
static void drop_exchanges(struct pass *p, int64_t most, size_t end)
{
    while (p->first_kept < end && is_over(p, TOKENS, most)) {
        if (p->first_kept == 0) {
            p->sums[TOKENS] += LINE_TOKENS;
            p->sums[BYTES] += LINE_BYTES;
        }
        do
            drop_message(p, p->first_kept++);
        while (p->first_kept < end && p->messages[p->first_kept].role != RF_ROLE_ASSISTANT);
    }
}

/* What is left is too much by itself: results that are still whole are cut, the oldest first. */
static void cut_texts(struct pass *p, size_t begin, size_t end)
{
    for (size_t i = begin; i < end && is_over(p, TOKENS, p->limits[TOKENS]); i++) {
        struct rf_joint_message *m = &p->messages[i];
        int64_t now = text_now(m);
        int64_t most = now - (p->sums[TOKENS] - p->limits[TOKENS]) - LINE_TOKENS;
        if (m->role == RF_ROLE_ASSISTANT || m->fate != RF_FATE_KEPT ||
            now <= LEAST_TEXT + LINE_TOKENS)
            continue;
        m->keep_tokens = most > LEAST_TEXT ? most : LEAST_TEXT;
        p->sums[TOKENS] -= now - text_now(m);
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
    if (m == TOKENS) {
        make_silent(p, batch, old);
        drop_exchanges(p, batch, old);
    }
    make_last_files_smaller(p, m, limit);
    if (m == TOKENS)
        cut_texts(p, old, now + 1);
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
        messages[i].keep_tokens = -1;
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
