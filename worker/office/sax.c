/* Two ways to read XML. Plain UTF-8 without a DOCTYPE, which is nearly every part of every
 * document, is cut into tags and texts here, in place and in one pass: expat would take more
 * than half of a document's time. Whatever is not plain goes to expat (sax_expat.c).
 *
 * Our own way checks that tags pair and that references are known; it does not check names,
 * doubled attributes or UTF-8, which no reader here depends on.
 *
 * Names are looked up once an element, in a small hash table of the grammar's words, and the ids
 * of the open elements are kept, so that an end needs no second look. */
#include "worker/office/sax.h"

#include "base/utf8.h"
#include "worker/office/sax_inner.h"

#include <stdlib.h>
#include <strings.h>

#define WINDOW ((size_t)256 << 10)   /* bytes of a stream that are looked at together */
#define MAX_TOKEN ((size_t)16 << 20) /* a tag or a comment */
#define MAX_REFERENCE 12             /* bytes of "&#x10FFFF;" and the like */
#define FRONT ((size_t)4 << 10)      /* bytes of a stream that are looked at first */
#define LOOK 1024                    /* bytes in which the root element must begin, to be plain */
#define HASH_START 2166136261u
#define HASH_STEP 16777619u

static inline uint32_t mix(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * HASH_STEP;
}

uint32_t rf_sax_hash(const char *name)
{
    uint32_t hash = HASH_START;
    for (; *name; name++)
        hash = mix(hash, *name);
    return hash;
}

static unsigned slot_of(uint32_t hash)
{
    return (hash ^ hash >> 15) % RF_SAX_SLOTS;
}

static void learn(struct rf_sax *x, const struct rf_sax_grammar *g)
{
    if (g->n_words > RF_SAX_MAX_WORDS)
        RF_BUG("a grammar with too many words");
    for (size_t i = 0; i < g->n_words; i++) {
        unsigned at = slot_of(rf_sax_hash(g->words[i].name));
        while (x->slots[at])
            at = (at + 1) % RF_SAX_SLOTS;
        x->slots[at] = &g->words[i];
    }
}

static int look_up(const struct rf_sax *x, const char *local, uint32_t hash)
{
    for (unsigned at = slot_of(hash); x->slots[at]; at = (at + 1) % RF_SAX_SLOTS)
        if (strcmp(x->slots[at]->name, local) == 0)
            return x->slots[at]->id;
    return 0;
}

/* Events. */

void rf_sax_refuse(struct rf_sax *x, const char *why)
{
    if (!x->rc)
        x->rc = rf_fail(x->err, RF_EFORMAT, "%s", why);
}

void rf_sax_begin(struct rf_sax *x, const char *local, uint32_t hash)
{
    unsigned depth = x->depth++;

    if (depth >= RF_SAX_HARD_DEPTH) {
        rf_sax_refuse(x, "the XML is nested too deeply");
    } else if (depth < RF_SAX_MAX_DEPTH && !x->stopped) {
        x->open[depth] = look_up(x, local, hash);
        x->grammar->start(x->state, x->open[depth], x);
    }
}

void rf_sax_finish(struct rf_sax *x)
{
    if (x->depth <= RF_SAX_MAX_DEPTH && !x->stopped)
        x->grammar->end(x->state, x->open[x->depth - 1], x);
    x->depth--;
}

void rf_sax_say(struct rf_sax *x, struct rf_str text)
{
    if (text.n && x->grammar->text && x->depth && x->depth <= RF_SAX_MAX_DEPTH && !x->stopped)
        x->grammar->text(x->state, text);
}

/* References and line ends. */

static uint32_t numeric_reference(const char *p, size_t n)
{
    uint32_t code = 0;
    bool hex = n > 1 && p[0] == 'x';
    for (size_t i = hex; i < n; i++) {
        char c = p[i];
        uint32_t digit = rf_is_digit(c) ? (uint32_t)(c - '0')
                         : hex && (c | 32) >= 'a' && (c | 32) <= 'f'
                             ? (uint32_t)((c | 32) - 'a' + 10)
                             : 99;
        if (digit == 99 || code > 0x10FFFF)
            return 0;
        code = code * (hex ? 16 : 10) + digit;
    }
    return code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0 : code;
}

/* The character that a reference stands for; 0 where it is not known. */
static uint32_t reference(const char *p, size_t n)
{
    static const struct {
        const char *name;
        char c;
    } known[] = { { "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' }, { "apos", '\'' } };

    if (n > 1 && p[0] == '#')
        return numeric_reference(p + 1, n - 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rf_str_is((struct rf_str){ p, n }, known[i].name))
            return (unsigned char)known[i].c;
    return 0;
}

/* Replace references and line ends by what they mean, in place; returns the length. */
static size_t resolve(struct rf_sax *x, char *p, size_t n)
{
    size_t to = 0;
    if (!n || (!memchr(p, '&', n) && !memchr(p, '\r', n)))
        return n;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\r') {
            if (i + 1 == n || p[i + 1] != '\n')
                p[to++] = '\n';
            continue;
        }
        if (p[i] != '&') {
            p[to++] = p[i];
            continue;
        }
        size_t most = n - i < MAX_REFERENCE ? n - i : MAX_REFERENCE;
        const char *end = memchr(p + i, ';', most);
        uint32_t code = end ? reference(p + i + 1, (size_t)(end - p) - i - 1) : 0;
        if (!code) {
            rf_sax_refuse(x, "the XML has a reference that means nothing");
            return to;
        }
        to += rf_utf8_put(code, p + to);
        i = (size_t)(end - p);
    }
    return to;
}

static void say_text(struct rf_sax *x, char *p, char *end)
{
    if (x->grammar->text && x->depth && x->depth <= RF_SAX_MAX_DEPTH)
        rf_sax_say(x, (struct rf_str){ p, resolve(x, p, (size_t)(end - p)) });
}

/* Tags. Each function takes the token at `p` and returns where it ends, or NULL where the end is
 * not there yet. */

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The '>' of a tag; one in quotes is not it. */
static char *tag_end(char *p, char *end)
{
    for (; p < end; p++) {
        if (*p == '>')
            return p;
        if (*p == '"' || *p == '\'') {
            p = memchr(p + 1, *p, (size_t)(end - p - 1));
            if (!p)
                return NULL;
        }
    }
    return NULL;
}

static char *take_start(struct rf_sax *x, char *p, char *end)
{
    uint32_t full = HASH_START, part = HASH_START;
    char *local = p + 1, *q = p + 1;

    for (; q < end && !is_space(*q) && *q != '/' && *q != '>'; q++) {
        full = mix(full, *q);
        part = mix(part, *q);
        if (*q == ':') {
            local = q + 1;
            part = HASH_START;
        }
    }
    char *close = tag_end(q, end);
    if (!close)
        return NULL;
    if (q == p + 1 || (!x->depth && x->root_seen)) {
        rf_sax_refuse(x, "the XML is damaged");
        return close + 1;
    }
    bool empty = close[-1] == '/';
    x->root_seen = true;
    x->name = p + 1;
    x->raw = q < close ? q + 1 : q;
    x->raw_end = empty ? close - 1 : close;
    if (x->raw > x->raw_end)
        x->raw = x->raw_end;
    x->attributes = NULL;
    *q = '\0';
    if (x->depth < RF_SAX_HARD_DEPTH)
        x->names[x->depth] = full;
    rf_sax_begin(x, local, part);
    x->raw = x->raw_end = NULL;
    x->attributes = NULL;
    if (empty && !x->rc)
        rf_sax_finish(x);
    return close + 1;
}

static char *take_end(struct rf_sax *x, char *p, char *end)
{
    uint32_t full = HASH_START;
    char *q = p + 2;

    for (; q < end && !is_space(*q) && *q != '>'; q++)
        full = mix(full, *q);
    char *close = q < end ? memchr(q, '>', (size_t)(end - q)) : NULL;
    if (!close)
        return NULL;
    *q = '\0';
    x->name = p + 2;
    if (!x->depth || x->names[x->depth - 1] != full)
        rf_sax_refuse(x, "the XML is damaged: its tags do not pair");
    else
        rf_sax_finish(x);
    return close + 1;
}

static char *skip_to(char *p, char *end, const char *mark, size_t n)
{
    char *found = memmem(p, (size_t)(end - p), mark, n);
    return found ? found + n : NULL;
}

/* A comment, a CDATA section; a DOCTYPE has no place here. */
static char *take_mark(struct rf_sax *x, char *p, char *end)
{
    size_t n = (size_t)(end - p);
    if (n < 9)
        return NULL;
    if (memcmp(p, "<!--", 4) == 0)
        return skip_to(p + 4, end, "-->", 3);
    if (memcmp(p, "<![CDATA[", 9) == 0) {
        char *after = skip_to(p + 9, end, "]]>", 3);
        if (after)
            rf_sax_say(x, (struct rf_str){ p + 9, (size_t)(after - p) - 12 });
        return after;
    }
    rf_sax_refuse(x, "the XML is damaged");
    return end;
}

static char *take_tag(struct rf_sax *x, char *p, char *end)
{
    if (end - p < 3)
        return NULL;
    switch (p[1]) {
    case '/':
        return take_end(x, p, end);
    case '!':
        return take_mark(x, p, end);
    case '?':
        return skip_to(p + 2, end, "?>", 2);
    default:
        return take_start(x, p, end);
    }
}

/* Text that goes on after what there is: up to a reference that may be cut in two. */
static char *take_cut_text(struct rf_sax *x, char *p, char *end)
{
    char *keep = (size_t)(end - p) > MAX_REFERENCE ? end - MAX_REFERENCE : p;
    char *cut = memchr(keep, '&', (size_t)(end - keep));
    if (!cut)
        cut = end[-1] == '\r' ? end - 1 : end;
    say_text(x, p, cut);
    return cut;
}

/* Report all that is whole between `p` and `end`; returns where what is not begins. */
static char *run(struct rf_sax *x, char *p, char *end, bool last)
{
    while (p < end && !x->stopped && !x->rc) {
        if (*p != '<') {
            char *tag = memchr(p, '<', (size_t)(end - p));
            if (!tag && !last)
                return take_cut_text(x, p, end);
            say_text(x, p, tag ? tag : end);
            p = tag ? tag : end;
            continue;
        }
        char *after = take_tag(x, p, end);
        if (!after)
            return p;
        p = after;
    }
    return p;
}

static enum rf_code outcome(struct rf_sax *x, bool at_end)
{
    if (x->rc || x->stopped)
        return x->stopped ? RF_OK : x->rc;
    if (!at_end || x->depth || !x->root_seen)
        return rf_fail(x->err, RF_EFORMAT, "the XML is cut off");
    return RF_OK;
}

/* Is it what our own way can read? By the front of it: what comes before the root element. */
static bool is_plain(struct rf_str s)
{
    if (rf_str_starts(s, "\xef\xbb\xbf"))
        s = (struct rf_str){ s.p + 3, s.n - 3 };
    s.n = s.n < LOOK ? s.n : LOOK;
    while (s.n > 1) {
        size_t skip = 1;
        if (s.p[0] == '<' && s.p[1] != '?' && s.p[1] != '!')
            return (unsigned char)s.p[1] > ' ';
        if (s.p[0] == '<') {
            bool comment = rf_str_starts(s, "<!--");
            const char *mark = comment ? "-->" : "?>";
            const char *end = memmem(s.p, s.n, mark, strlen(mark));
            if (!end || (!comment && s.p[1] != '?'))
                return false;
            skip = (size_t)(end - s.p) + strlen(mark);
            const char *encoding = memmem(s.p, skip, "encoding=", 9);
            if (!comment && encoding && strncasecmp(encoding + 10, "utf-8", 5) != 0 &&
                strncasecmp(encoding + 10, "us-ascii", 8) != 0)
                return false;
        } else if (!is_space(s.p[0])) {
            return false;
        }
        s = (struct rf_str){ s.p + skip, s.n - skip };
    }
    return false;
}

static void prepare(struct rf_sax *x)
{
    x->names = malloc(RF_SAX_HARD_DEPTH * sizeof *x->names);
    if (!x->names)
        RF_BUG("out of memory");
}

/* All of it, in memory that may be changed. */
static enum rf_code read_whole(struct rf_sax *x, char *p, size_t n)
{
    if (!is_plain((struct rf_str){ p, n }))
        return rf_sax_expat(x, (struct rf_sax_source){ NULL, { p, n } });
    prepare(x);
    char *end = run(x, p, p + n, true);
    return outcome(x, end == p + n);
}

struct window {
    char *p;
    size_t n, room;
};

/* Make room after what is held; false where a single token would need too much. */
static bool widen(struct window *w)
{
    if (w->room - w->n >= WINDOW / 2)
        return true;
    if (w->room >= MAX_TOKEN)
        return false;
    w->room *= 2;
    w->p = realloc(w->p, w->room);
    if (!w->p)
        RF_BUG("out of memory");
    return true;
}

static enum rf_code read_window(struct rf_sax *x, struct rf_unzip_stream *s, struct window *w)
{
    size_t step = 2 * FRONT;
    for (size_t got = 1; got && !x->stopped && !x->rc;) {
        char *from = run(x, w->p, w->p + w->n, false);
        w->n -= (size_t)(from - w->p);
        memmove(w->p, from, w->n);
        if (!widen(w)) {
            rf_sax_refuse(x, "the XML is damaged: it has a tag without an end");
            break;
        }
        enum rf_code rc = rf_unzip_stream_read(
            s, w->p + w->n, step < w->room - w->n ? step : w->room - w->n, &got, x->err);
        step = step < WINDOW ? step * 2 : step;
        if (rc)
            return rc;
        w->n += got;
    }
    char *from = run(x, w->p, w->p + w->n, true);
    return outcome(x, from == w->p + w->n);
}

static enum rf_code read_stream(struct rf_sax *x, struct rf_unzip_stream *s)
{
    struct window w = { malloc(WINDOW), 0, WINDOW };
    enum rf_code rc = RF_OK;

    if (!w.p)
        RF_BUG("out of memory");
    for (size_t got = 1; got && !rc && w.n < LOOK; w.n += got)
        rc = rf_unzip_stream_read(s, w.p + w.n, FRONT - w.n, &got, x->err);
    struct rf_str front = { w.p, w.n };
    if (!rc && !is_plain(front))
        rc = rf_sax_expat(x, (struct rf_sax_source){ s, front });
    else if (!rc) {
        prepare(x);
        rc = read_window(x, s, &w);
    }
    free(w.p);
    return rc;
}

enum rf_code rf_sax_front(const struct rf_sax_grammar *g, void *state, struct rf_unzip *zip,
                          int64_t index, struct rf_err *err)
{
    struct rf_sax x = { .grammar = g, .state = state, .err = err };
    struct rf_unzip_stream *s = NULL;
    enum rf_code rc = rf_unzip_stream_open(zip, index, &s, err);

    if (rc)
        return rc;
    learn(&x, g);
    rc = read_stream(&x, s);
    rf_unzip_stream_close(s);
    free(x.names);
    return rc;
}

enum rf_code rf_sax_member(const struct rf_sax_grammar *g, void *state, struct rf_unzip *zip,
                           int64_t index, struct rf_err *err)
{
    struct rf_sax x = { .grammar = g, .state = state, .err = err };
    char *whole;
    size_t n;

    if (!rf_unzip_whole(zip, index, &whole, &n))
        return rf_sax_front(g, state, zip, index, err);
    learn(&x, g);
    enum rf_code rc = read_whole(&x, whole, n);
    free(whole);
    free(x.names);
    return rc;
}

enum rf_code rf_sax_bytes(const struct rf_sax_grammar *g, void *state, struct rf_str bytes,
                          struct rf_err *err)
{
    struct rf_sax x = { .grammar = g, .state = state, .err = err };
    char *copy = malloc(bytes.n + 1);

    if (!copy)
        RF_BUG("out of memory");
    if (bytes.n)
        memcpy(copy, bytes.p, bytes.n);
    copy[bytes.n] = '\0';
    learn(&x, g);
    enum rf_code rc = read_whole(&x, copy, bytes.n);
    free(copy);
    free(x.names);
    return rc;
}

/* What a handler may ask. */

static char *skip_spaces(char *p, const char *end)
{
    while (p < end && is_space(*p))
        p++;
    return p;
}

/* Cut the tag's text into names and values. */
static void parse_attributes(struct rf_sax *x)
{
    size_t n = 0;
    char *p = x->raw, *end = x->raw_end;

    x->attributes = x->list;
    while (n < RF_SAX_MAX_ATTRIBUTES) {
        p = skip_spaces(p, end);
        char *name = p;
        while (p < end && *p != '=' && !is_space(*p))
            p++;
        char *name_end = p;
        p = skip_spaces(p, end);
        if (p >= end || *p != '=')
            break;
        p = skip_spaces(p + 1, end);
        char *close =
            p < end && (*p == '"' || *p == '\'') ? memchr(p + 1, *p, (size_t)(end - p - 1)) : NULL;
        if (!close)
            break;
        *name_end = '\0';
        p[1 + resolve(x, p + 1, (size_t)(close - p - 1))] = '\0';
        x->list[2 * n] = name;
        x->list[2 * n + 1] = p + 1;
        n++;
        p = close + 1;
    }
    x->list[2 * n] = NULL;
}

const char *rf_sax_attribute(const struct rf_sax *x, const char *name)
{
    bool prefixed = name[0] == ':';
    const char *wanted = name + prefixed;

    if (!x->attributes && x->raw)
        parse_attributes((struct rf_sax *)(uintptr_t)x); /* they are a cache */
    for (const char **at = x->attributes; at && at[0]; at += 2) {
        const char *colon = strchr(at[0], ':'), *local = colon ? colon + 1 : at[0];
        if ((!prefixed || colon) && strcmp(local, wanted) == 0)
            return at[1];
    }
    return NULL;
}

struct rf_str rf_sax_str(const struct rf_sax *x, const char *name)
{
    return rf_str(rf_sax_attribute(x, name));
}

int64_t rf_sax_int(const struct rf_sax *x, const char *name, int64_t otherwise)
{
    int64_t value;
    return rf_str_int64(rf_sax_str(x, name), &value) ? value : otherwise;
}

const char *rf_sax_name(const struct rf_sax *x)
{
    return x->name;
}

int rf_sax_parent(const struct rf_sax *x, unsigned up)
{
    return up < x->depth && x->depth <= RF_SAX_MAX_DEPTH ? x->open[x->depth - 1 - up] : 0;
}

unsigned rf_sax_depth(const struct rf_sax *x)
{
    return x->depth;
}

void rf_sax_stop(struct rf_sax *x)
{
    x->stopped = true;
}
