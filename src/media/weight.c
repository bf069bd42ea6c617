/* Vocabularies cut a text at the same places first (words, numbers, punctuation, white space) and
 * differ in how they cut the pieces. So one pass finds the pieces and adds up what each costs in a
 * large vocabulary of today, in hundredths of a token.
 *
 * Vocabularies know English words whole, and cut those of other languages. A text is taken for
 * another language where it reads as one (words with spaces after them) and has hardly any of
 * the small words that every English text is full of; then its words are summed apart.
 *
 * The pass reads each byte once or twice, allocates nothing, and takes any bytes: what is not UTF-8
 * costs as much as rare symbols. */
#include "media/weight.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

#define DENSE_LEAST 20 /* letters and digits in a row that may be base64 or a hash */

/* When a text is in another language than English. */
#define LEAST_WORDS 40    /* from which on it can be told */
#define READ_PERCENT 85   /* of the words have a space after them: it is neither code nor data */
#define ENGLISH_PERCENT 4 /* of the words are small English ones, in any English text */
#define MOST_WEIGHT ((int64_t)1 << 40) /* of a number that is read */

/* Hundredths of a token. */
enum {
    SHORT_WORD = RF_MOST_FOREIGN, /* up to SHORT_LETTERS */
    LONGER_LETTER = 9,            /* each letter more, up to LONG_LETTERS */
    LONG_LETTER = 25,             /* each letter more */
    CAPITAL_LETTER = 27,          /* of words in capitals, a word at least */
    ACCENT = 25,                  /* a Latin letter that is not ASCII, over a plain one */
    SPACES = 100,                 /* a line feed, or several spaces */
    PUNCTUATION = 100,
    MORE_PUNCTUATION = 35,    /* each further different one of a run */
    SAME_PUNCTUATION = 5,     /* each further equal one: rules, dots */
    LEADING_PUNCTUATION = 60, /* one right before a word is often one token with it */
    DENSE_BYTE = 70,          /* of base64: capitals, letters and digits at random */
    HASH_BYTE = 55,           /* of hexadecimal digits */
    SYMBOL = 120,
    RARE = RF_MOST_PLAIN, /* pictographs, and what is not text */
    SHORT_LETTERS = 7,
    LONG_LETTERS = 12,
};

enum byte_class { OTHER, LOWER, UPPER, DIGIT, SPACE, NEWLINE, HIGH };
enum { CLASS = 7, DENSE = 8, HASH = 16 }; /* a mask; may stand in base64, in hexadecimal digits */

/* What each ASCII character is. */
enum {
    OT = OTHER,
    BA = OTHER | DENSE,
    DI = DIGIT | DENSE | HASH,
    LH = LOWER | DENSE | HASH,
    LO = LOWER | DENSE,
    UH = UPPER | DENSE | HASH,
    UP = UPPER | DENSE,
    SP = SPACE,
    NL = NEWLINE,
};
static const unsigned char traits[128] = {
    OT, OT, OT, OT, OT, OT, OT, OT, OT, SP, NL, OT, OT, NL, OT, OT, /* tab, line feed, return */
    OT, OT, OT, OT, OT, OT, OT, OT, OT, OT, OT, OT, OT, OT, OT, OT,
    SP, OT, OT, OT, OT, OT, OT, OT, OT, OT, OT, BA, OT, BA, OT, BA, /* space, + - / */
    DI, DI, DI, DI, DI, DI, DI, DI, DI, DI, OT, OT, OT, BA, OT, OT, /* = */
    OT, UH, UH, UH, UH, UH, UH, UP, UP, UP, UP, UP, UP, UP, UP, UP,
    UP, UP, UP, UP, UP, UP, UP, UP, UP, UP, UP, OT, OT, OT, OT, BA, /* _ */
    OT, LH, LH, LH, LH, LH, LH, LO, LO, LO, LO, LO, LO, LO, LO, LO,
    LO, LO, LO, LO, LO, LO, LO, LO, LO, LO, LO, OT, OT, OT, OT, OT,
};

struct scan {
    const unsigned char *p, *end;
    struct rf_text_weight *sum;
    int64_t words, price;  /* in small letters */
    int64_t read, english; /* of them: with a space after, and small English ones */
};

static unsigned traits_of(unsigned char c)
{
    return c < 128 ? traits[c] : HIGH;
}

static enum byte_class class_of(unsigned char c)
{
    return (enum byte_class)(traits_of(c) & CLASS);
}

static bool is_letter(enum byte_class c)
{
    return c == LOWER || c == UPPER;
}

static const unsigned char *run_end(const unsigned char *p, const unsigned char *end,
                                    enum byte_class class)
{
    while (p < end && class_of(*p) == class)
        p++;
    return p;
}

/* Most differ in their first letter. */
static bool is_word(const char *word, const unsigned char *p, int64_t n)
{
    return (unsigned char)*word == *p && memcmp(word, p, (size_t)n) == 0;
}

/* Words that no English page is without, and that are rare elsewhere. */
static bool is_english(const unsigned char *p, int64_t n)
{
    static const char *const words[] = { "", "", "of to", "the and you are",
                                         "with this that from" };
    if (n < 2 || n > 4)
        return false;
    const char *word = words[n];
    while (!is_word(word, p, n) && word[n])
        word += n + 1;
    return is_word(word, p, n);
}

static int64_t word_price(int64_t letters)
{
    if (letters <= SHORT_LETTERS)
        return SHORT_WORD;
    if (letters <= LONG_LETTERS)
        return SHORT_WORD + (letters - SHORT_LETTERS) * LONGER_LETTER;
    return SHORT_WORD + (LONG_LETTERS - SHORT_LETTERS) * LONGER_LETTER +
           (letters - LONG_LETTERS) * LONG_LETTER;
}

/* Does a space, a mark and a space, or the end follow, as after a word that somebody reads? */
static bool ends_word(const struct scan *s)
{
    const unsigned char *p = s->p < s->end && class_of(*s->p) == OTHER ? s->p + 1 : s->p;
    return p >= s->end || class_of(*p) == SPACE || class_of(*p) == NEWLINE || class_of(*p) == HIGH;
}

/* Letters of one case, or one capital and small letters: "Http", "SERVER". */
static void take_word(struct scan *s)
{
    const unsigned char *start = s->p;
    s->p = run_end(s->p, s->end, UPPER);
    int64_t capitals = s->p - start;
    if (capitals > 1) {
        if (s->p < s->end && class_of(*s->p) == LOWER)
            s->p--; /* the last one begins the next word */
        capitals = s->p - start;
        s->sum->plain +=
            capitals * CAPITAL_LETTER > SHORT_WORD ? capitals * CAPITAL_LETTER : SHORT_WORD;
        return;
    }
    s->p = run_end(s->p, s->end, LOWER);
    int64_t letters = s->p - start, price = word_price(letters);
    s->sum->plain += price;
    s->price += price;
    s->words++;
    s->read += ends_word(s);
    s->english += is_english(start, letters);
}

static void take_digits(struct scan *s)
{
    const unsigned char *start = s->p;
    s->p = run_end(s->p, s->end, DIGIT);
    for (int64_t most = 1; most <= RF_MOST_DIGITS; most++)
        s->sum->numbers[most - 1] += (s->p - start + most - 1) / most;
}

/* One space belongs to the word after it, not to a number. */
static void take_spaces(struct scan *s)
{
    const unsigned char *start = s->p;
    s->p = run_end(s->p, s->end, SPACE);
    if (s->p - start > 1 || (s->p < s->end && class_of(*s->p) == DIGIT))
        s->sum->plain += SPACES;
}

static void take_lines(struct scan *s)
{
    s->p = run_end(s->p, s->end, NEWLINE);
    s->sum->plain += SPACES;
}

static void take_punctuation(struct scan *s)
{
    const unsigned char *start = s->p;
    s->p = run_end(s->p, s->end, OTHER);
    bool leads = s->p - start == 1 && s->p < s->end && is_letter(class_of(*s->p));
    s->sum->plain += leads ? LEADING_PUNCTUATION : PUNCTUATION;
    for (const unsigned char *p = start + 1; p < s->p; p++)
        s->sum->plain += *p == p[-1] ? SAME_PUNCTUATION : MORE_PUNCTUATION;
}

static uint32_t code_point(const unsigned char *p, unsigned n)
{
    uint32_t c = n == 2 ? p[0] & 0x1fu : n == 3 ? p[0] & 0x0fu : p[0] & 0x07u;
    for (unsigned i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3fu);
    return c;
}

static bool is_cjk(uint32_t c)
{
    return (c >= 0x1100 && c <= 0x11ff) || (c >= 0x2e80 && c <= 0xa4cf) ||
           (c >= 0xac00 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0xff00 && c <= 0xffef) || (c >= 0x20000 && c <= 0x3ffff);
}

static void take_high(struct scan *s)
{
    unsigned n = rf_utf8_char(s->p, (size_t)(s->end - s->p));
    uint32_t c = n ? code_point(s->p, n) : 0;
    s->p += n ? n : 1;
    if (!n)
        s->sum->plain += RARE;
    else if (is_cjk(c))
        s->sum->cjk++;
    else if (c >= 0xc0 && c < 0x250)
        s->sum->plain += ACCENT;
    else if (c < 0xc0 || (c >= 0x2000 && c < 0x2e80))
        s->sum->plain += SYMBOL;
    else if (c >= 0xe000)
        s->sum->plain += RARE;
    else
        s->sum->scripts++;
}

/* A word may begin with a capital, and a path or a name has marks between its words. */
static bool is_change(enum byte_class before, enum byte_class now)
{
    return before != now && before != OTHER && now != OTHER && !(before == UPPER && now == LOWER);
}

/* Most words end soon: a few looks ahead tell that no long run begins here, and up to where none
 * does. */
static bool may_be_dense(const struct scan *s, const unsigned char **end)
{
    static const unsigned char ahead[] = { 7, 13, DENSE_LEAST - 1 };
    if (s->end - s->p < DENSE_LEAST) {
        *end = s->end;
        return false;
    }
    for (size_t i = 0; i < sizeof ahead; i++)
        if (!(traits_of(s->p[ahead[i]]) & DENSE)) {
            *end = s->p + ahead[i] + 1;
            return false;
        }
    return true;
}

/* A long run in which small letters, capitals and digits change all the time is not a word:
 * base64, a hash, an opaque id. Paths and long names change seldom. */
static bool take_dense(struct scan *s, const unsigned char **end)
{
    const unsigned char *p = s->p;
    unsigned before = traits_of(*p), all = before, now;
    int64_t changes = 0;
    while (++p < s->end && (now = traits_of(*p)) & DENSE) {
        changes += is_change((enum byte_class)(before & CLASS), (enum byte_class)(now & CLASS));
        all &= now;
        before = now;
    }
    int64_t bytes = p - s->p;
    *end = p;
    if (bytes < DENSE_LEAST || changes * 4 < bytes)
        return false;
    s->sum->plain += bytes * (all & HASH ? HASH_BYTE : DENSE_BYTE);
    s->p = p;
    return true;
}

static void scan(struct scan *s)
{
    const unsigned char *looked = s->p; /* up to here no dense run begins */
    while (s->p < s->end) {
        enum byte_class class = class_of(*s->p);
        if ((is_letter(class) || class == DIGIT) && s->p >= looked) {
            if (may_be_dense(s, &looked) && take_dense(s, &looked))
                continue;
        }
        switch (class) {
        case LOWER:
        case UPPER:
            take_word(s);
            break;
        case DIGIT:
            take_digits(s);
            break;
        case SPACE:
            take_spaces(s);
            break;
        case NEWLINE:
            take_lines(s);
            break;
        case HIGH:
            take_high(s);
            break;
        case OTHER:
            take_punctuation(s);
            break;
        }
    }
}

static bool is_foreign(const struct rf_weighing *w)
{
    return w->words >= LEAST_WORDS && w->read * 100 >= w->words * READ_PERCENT &&
           w->english * 100 < w->words * ENGLISH_PERCENT;
}

void rf_weighing_add(struct rf_weighing *w, struct rf_str piece)
{
    struct scan s = {
        .p = (const unsigned char *)piece.p,
        .end = (const unsigned char *)piece.p + piece.n,
        .sum = &w->sum,
    };
    scan(&s);
    w->words += s.words;
    w->price += s.price;
    w->read += s.read;
    w->english += s.english;
}

struct rf_text_weight rf_weighing_now(const struct rf_weighing *w)
{
    struct rf_text_weight now = w->sum;
    if (is_foreign(w)) {
        now.plain -= w->price;
        now.foreign += w->price;
    }
    return now;
}

void rf_text_weigh(struct rf_str text, struct rf_text_weight *sum)
{
    struct rf_weighing w = { .sum = *sum };
    rf_weighing_add(&w, text);
    *sum = rf_weighing_now(&w);
}

/* Its numbers in the order in which they are written. */
#define NUMBERS (RF_MOST_DIGITS + 4)

static void list_numbers(struct rf_text_weight *w, int64_t *out[NUMBERS])
{
    size_t n = 0;
    out[n++] = &w->plain;
    for (size_t i = 0; i < RF_MOST_DIGITS; i++)
        out[n++] = &w->numbers[i];
    out[n++] = &w->cjk;
    out[n++] = &w->scripts;
    out[n] = &w->foreign;
}

void rf_text_weight_scale(struct rf_text_weight *w, int64_t n, int64_t of)
{
    int64_t *numbers[NUMBERS];
    list_numbers(w, numbers);
    for (size_t i = 0; i < NUMBERS; i++)
        *numbers[i] = (int64_t)((double)*numbers[i] * (double)n / (double)of + 0.5);
}

void rf_text_weight_write(const struct rf_text_weight *w, char out[RF_WEIGHT_TEXT])
{
    struct rf_text_weight copy = *w;
    int64_t *numbers[NUMBERS];
    size_t at = 0;
    list_numbers(&copy, numbers);
    for (size_t i = 0; i < (w->foreign ? NUMBERS : NUMBERS - 1); i++)
        at += (size_t)snprintf(out + at, RF_WEIGHT_TEXT - at, "%s%" PRId64, i ? "," : "",
                               *numbers[i]);
}

bool rf_text_weight_read(struct rf_str text, struct rf_text_weight *out)
{
    struct rf_text_weight w = { 0 };
    int64_t *numbers[NUMBERS];
    struct rf_str word;
    list_numbers(&w, numbers);
    for (size_t i = 0; i < NUMBERS - 1 || (i < NUMBERS && text.n); i++)
        if (!rf_str_split(&text, ',', &word) || !rf_str_int64(word, numbers[i]) ||
            *numbers[i] < 0 || *numbers[i] > MOST_WEIGHT)
            return false;
    if (text.n)
        return false;
    *out = w;
    return true;
}
