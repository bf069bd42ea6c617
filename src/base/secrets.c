/* Each form of a secret is a string; the spellings of its characters are not, since any of them may
 * be escaped in any way. So the text is followed by traces: one for each place where a form may
 * have begun and each way to read what came since. Few are alive at a time: most end with the next
 * character, and where there is none the text is only looked through for a byte that begins a
 * form. */
#include "base/secrets.h"

#include "base/arena.h"
#include "base/base64.h"

#define LEAST_BYTES 8   /* shorter "secrets" are words that may stand anywhere */
#define MOST_SPELLED 20 /* characters for one of a form; more is not followed */

struct rf_secret_form {
    struct rf_str text;
    bool base64; /* of the standard alphabet; the other one is the same */
};

/* 10 KB, which a request without a secret is not to clear. */
struct rf_secret_begins {
    uint64_t with_byte[256];   /* which forms may: bit n is for the forms n, n + 64, … */
    uint8_t with_two[1 << 13]; /* may any with these two bytes? A bit for each */
};

/* What of an escape has been seen. */
enum reading {
    PLAIN,
    PERCENT, /* "%" */
    PERCENT_DIGIT,
    BACKSLASH, /* "\" */
    U,         /* "\u" */
    U_DIGIT,
    U_DIGITS,
    U_MOST,
};

struct rf_secret_trace {
    size_t begin; /* in what is held */
    size_t form, matched;
    enum reading reading;
    unsigned value; /* of the digits so far */
};

/* The forms */

static bool is_character(const struct rf_secret_form *f, size_t at, char c)
{
    char want = f->text.p[at];
    if (f->base64)
        c = c == '-' ? '+' : c == '_' ? '/' : c;
    return c == want || (c == '+' && want == ' ');
}

/* Of the form that was added last. */
static void add_beginning(struct rf_secrets *s, unsigned first, unsigned second)
{
    s->begins->with_byte[first] |= (uint64_t)1 << (s->count - 1) % 64;
    s->begins->with_two[first << 5 | second >> 3] |= (uint8_t)(1u << (second & 7));
}

/* "%" or "\\" as the first byte. After a backslash another one does not count: the form may begin
 * with that. */
static void add_escaped_beginnings(struct rf_secrets *s, unsigned first)
{
    static const char upper[] = "0123456789ABCDEF", lower[] = "0123456789abcdef";
    add_beginning(s, '%', (unsigned char)upper[first >> 4]);
    add_beginning(s, '%', (unsigned char)lower[first >> 4]);
    add_beginning(s, '%', '2'); /* %25, which is "%" */
    add_beginning(s, '%', '5'); /* %5C, which is "\\" */
    add_beginning(s, '\\', 'u');
    add_beginning(s, '\\', '%');
    add_beginning(s, '\\', first);
}

static void add_form(struct rf_secrets *s, struct rf_str text, bool base64)
{
    const struct rf_secret_form f = { text, base64 };
    *RF_PUSH(s->arena, s->forms, s->count, s->cap) = f;
    for (unsigned first = 0; first < 256; first++) {
        if (!is_character(&f, 0, (char)first))
            continue;
        for (unsigned second = 0; second < 256; second++)
            if (is_character(&f, 1, (char)second) || second == '%' || second == '\\' ||
                (base64 && (second == '\n' || second == '\r')))
                add_beginning(s, first, second);
        add_escaped_beginnings(s, first);
    }
}

/* The characters of base64 that depend on the secret alone, `before` bytes of something else
 * standing before it: each stands for six bits. */
static void add_base64(struct rf_secrets *s, struct rf_str secret, size_t before)
{
    size_t n = before + secret.n;
    char *bytes = rf_arena_alloc(s->arena, n + 1);
    char *text = rf_arena_alloc(s->arena, (size_t)rf_base64_length(n) + 1);
    memcpy(bytes + before, secret.p, secret.n);
    rf_base64_encode(bytes, n, text);
    size_t first = (before * 8 + 5) / 6, end = n * 8 / 6;
    add_form(s, (struct rf_str){ text + first, end - first }, true);
}

void rf_secrets_init(struct rf_secrets *s, struct rf_arena *a)
{
    *s = (struct rf_secrets){ .arena = a };
}

void rf_secrets_add(struct rf_secrets *s, struct rf_str secret)
{
    if (secret.n < LEAST_BYTES)
        return;
    if (!s->begins)
        s->begins = RF_NEW(s->arena, struct rf_secret_begins);
    add_form(s, secret, false);
    for (size_t before = 0; before < 3; before++)
        add_base64(s, secret, before);
}

/* Following them */

static void found(struct rf_redaction *r, size_t begin, size_t end)
{
    bool shown = false;
    while (r->found_count && r->found[r->found_count - 1].end > begin) {
        const struct rf_redacted *last = &r->found[--r->found_count];
        begin = last->begin < begin ? last->begin : begin;
        shown = last->shown;
    }
    *RF_PUSH(r->arena, r->found, r->found_count, r->found_cap) =
        (struct rf_redacted){ begin, end, shown };
    r->changed = true;
}

static void go_on(struct rf_redaction *r, struct rf_secret_trace t, enum reading reading,
                  unsigned value)
{
    t.reading = reading;
    t.value = value;
    *RF_PUSH(r->arena, r->next, r->next_count, r->next_cap) = t;
}

/* One character, whichever way it was spelled; it may begin another spelling. */
static void take(struct rf_redaction *r, struct rf_secret_trace t, char c, size_t at)
{
    const struct rf_secret_form *f = &r->secrets->forms[t.form];
    if (is_character(f, t.matched, c)) {
        struct rf_secret_trace further = t;
        if (++further.matched == f->text.n)
            found(r, t.begin, at + 1);
        else
            go_on(r, further, PLAIN, 0);
    }
    if (c == '%')
        go_on(r, t, PERCENT, 0);
    else if (c == '\\')
        go_on(r, t, BACKSLASH, 0);
    else if (f->base64 && t.matched && (c == '\n' || c == '\r'))
        go_on(r, t, PLAIN, 0);
}

static void take_digit(struct rf_redaction *r, struct rf_secret_trace t, char c, size_t at)
{
    int d = rf_hex_digit(c);
    if (d < 0)
        return;
    unsigned value = t.value << 4 | (unsigned)d;
    if (t.reading != PERCENT_DIGIT && t.reading != U_MOST)
        go_on(r, t, t.reading + 1, value);
    else if (value < 256)
        take(r, t, (char)value, at);
}

static void take_escaped(struct rf_redaction *r, struct rf_secret_trace t, char c, size_t at)
{
    bool is_break = c == 'n' || c == 'r';
    if (c == 'u')
        go_on(r, t, U, 0);
    if (c == '\\' && !t.matched)
        return; /* the form may begin with this one instead */
    take(r, t, c, at);
    if (is_break && r->secrets->forms[t.form].base64 && t.matched)
        go_on(r, t, PLAIN, 0);
}

static void step(struct rf_redaction *r, struct rf_secret_trace t, char c, size_t at)
{
    if (at - t.begin >= r->secrets->forms[t.form].text.n * MOST_SPELLED)
        return;
    switch (t.reading) {
    case PLAIN:
        take(r, t, c, at);
        return;
    case BACKSLASH:
        take_escaped(r, t, c, at);
        return;
    case PERCENT:
    case PERCENT_DIGIT:
    case U:
    case U_DIGIT:
    case U_DIGITS:
    case U_MOST:
        take_digit(r, t, c, at);
        return;
    }
}

static bool may_begin(const struct rf_secrets *s, struct rf_str text, size_t at)
{
    unsigned first = (unsigned char)text.p[at];
    if (at + 1 == text.n)
        return s->begins->with_byte[first];
    unsigned second = (unsigned char)text.p[at + 1];
    return s->begins->with_two[first << 5 | second >> 3] >> (second & 7) & 1;
}

static void begin(struct rf_redaction *r, char c, size_t at)
{
    const struct rf_secrets *s = r->secrets;
    for (uint64_t left = s->begins->with_byte[(unsigned char)c]; left; left &= left - 1)
        for (size_t i = (size_t)__builtin_ctzll(left); i < s->count; i += 64)
            take(r, (struct rf_secret_trace){ .begin = at, .form = i }, c, at);
}

static void swap_traces(struct rf_redaction *r)
{
    struct rf_secret_trace *spare = r->traces;
    size_t spare_cap = r->trace_cap;
    r->traces = r->next;
    r->trace_cap = r->next_cap;
    r->trace_count = r->next_count;
    r->next = spare;
    r->next_cap = spare_cap;
    r->next_count = 0;
}

static void follow(struct rf_redaction *r, struct rf_str text, size_t at)
{
    const struct rf_secrets *s = r->secrets;
    for (; s->begins && at < text.n; at++) {
        bool begins = may_begin(s, text, at);
        if (!begins && !r->trace_count)
            continue;
        for (size_t i = 0; i < r->trace_count; i++)
            step(r, r->traces[i], text.p[at], at);
        if (begins)
            begin(r, text.p[at], at);
        swap_traces(r);
    }
}

/* What comes out */

/* The first `n` bytes, without what was found in them. */
static struct rf_str without_found(struct rf_redaction *r, struct rf_str text, size_t n)
{
    size_t at = 0;
    if (!r->found_count || r->found[0].begin >= n)
        return (struct rf_str){ text.p, n };
    r->out.n = 0;
    for (size_t i = 0; i < r->found_count && r->found[i].begin < n; i++) {
        struct rf_redacted *f = &r->found[i];
        rf_buf_add(&r->out, (struct rf_str){ text.p + at, f->begin - at });
        if (!f->shown)
            rf_buf_add(&r->out, RF_STR(RF_REDACTED));
        f->shown = true;
        at = f->end < n ? f->end : n;
    }
    rf_buf_add(&r->out, (struct rf_str){ text.p + at, n - at });
    return (struct rf_str){ r->out.p, r->out.n };
}

static void shift(struct rf_redaction *r, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->trace_count; i++)
        r->traces[i].begin -= n;
    for (size_t i = 0; i < r->found_count; i++)
        if (r->found[i].end > n)
            r->found[kept++] = (struct rf_redacted){
                r->found[i].begin > n ? r->found[i].begin - n : 0,
                r->found[i].end - n,
                r->found[i].shown,
            };
    r->found_count = kept;
}

void rf_redaction_init(struct rf_redaction *r, const struct rf_secrets *s, struct rf_arena *a)
{
    *r = (struct rf_redaction){ .secrets = s, .arena = a };
    rf_buf_init(&r->held, a, SIZE_MAX / 4);
    rf_buf_init(&r->window, a, SIZE_MAX / 4);
    rf_buf_init(&r->out, a, SIZE_MAX / 4);
}

struct rf_str rf_redaction_feed(struct rf_redaction *r, struct rf_str text)
{
    size_t at = r->held.n;
    if (!text.n)
        return text;
    if (at) {
        r->window.n = 0;
        rf_buf_add(&r->window, (struct rf_str){ r->held.p, at });
        rf_buf_add(&r->window, text);
        text = (struct rf_str){ r->window.p, r->window.n };
    }
    follow(r, text, at);
    size_t done = text.n;
    for (size_t i = 0; i < r->trace_count; i++)
        done = r->traces[i].begin < done ? r->traces[i].begin : done;
    struct rf_str out = without_found(r, text, done);
    r->held.n = 0;
    rf_buf_add(&r->held, (struct rf_str){ text.p + done, text.n - done });
    shift(r, done);
    return out;
}

struct rf_str rf_redaction_end(struct rf_redaction *r)
{
    struct rf_str held = { r->held.n ? r->held.p : "", r->held.n };
    struct rf_str out = without_found(r, held, held.n);
    r->held.n = r->trace_count = r->found_count = 0;
    return out;
}

struct rf_str rf_secrets_redact(const struct rf_secrets *s, struct rf_str text, struct rf_arena *a)
{
    struct rf_redaction r;
    if (!s->count)
        return text;
    rf_redaction_init(&r, s, a);
    struct rf_str first = rf_redaction_feed(&r, text);
    if (!r.changed)
        return text;
    first = rf_str_dup(a, first);
    return rf_str_join(a, first, rf_redaction_end(&r));
}

bool rf_secret_eq(struct rf_str sent, struct rf_str secret)
{
    volatile unsigned char differs = 0;
    if (sent.n != secret.n)
        return false;
    for (size_t i = 0; i < secret.n; i++)
        differs |= (unsigned char)(sent.p[i] ^ secret.p[i]);
    return !differs;
}
