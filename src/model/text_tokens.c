/* How many tokens a text is, without the vocabulary that says so exactly: what it consists of
 * (media/weight.h) at the prices of the model's family. What a family does otherwise (how many
 * digits are a token, what scripts other than Latin cost, a percentage for all the rest) is
 * facts of the model. Prices were fitted to the usage that providers reported for recorded
 * requests. */
#include "model/tokens.h"

static int64_t or_usual(int64_t fact, int64_t usual)
{
    return fact > 0 && fact < 10000 ? fact : usual;
}

/* Hundredths of a token. */
static int64_t price(const struct rf_caps *c, const struct rf_text_weight *w)
{
    int64_t digits = or_usual(c->token_digits, 3);
    if (digits > RF_MOST_DIGITS)
        digits = RF_MOST_DIGITS;
    int64_t words = w->plain + w->foreign * or_usual(c->language_percent, 150) / 100;
    return words * or_usual(c->text_percent, 110) / 100 + w->numbers[digits - 1] * 100 +
           w->cjk * or_usual(c->cjk_percent, 100) + w->scripts * or_usual(c->script_percent, 45);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Characters of East Asia have three bytes and more, those of other scripts two. In JSON, a mark
 * stands for a byte of its own beside those of a value. */
int64_t rf_most_tokens(const struct rf_caps *c, size_t bytes)
{
    int64_t word = RF_MOST_FOREIGN * or_usual(c->language_percent, 150) / 100;
    int64_t plain = larger(word, RF_MOST_PLAIN) * or_usual(c->text_percent, 110) / 100;
    int64_t script = larger(or_usual(c->cjk_percent, 100) / 3, or_usual(c->script_percent, 45) / 2);
    return ((int64_t)bytes * larger(larger(plain, script) + 1, 100) + 99) / 100;
}

static int64_t text_cost(const struct rf_caps *c, struct rf_str text)
{
    struct rf_text_weight w = { 0 };
    rf_text_weigh(text, &w);
    return price(c, &w);
}

int64_t rf_weight_tokens(const struct rf_caps *c, const struct rf_text_weight *w)
{
    return (price(c, w) + 99) / 100;
}

int64_t rf_text_tokens(const struct rf_caps *c, struct rf_str text)
{
    return text.n ? (text_cost(c, text) + 99) / 100 : 0;
}

int64_t rf_json_tokens(const struct rf_caps *c, const struct rf_jval *v)
{
    int64_t cost = 0, marks = 0;
    for (uint32_t i = 0; v && i < v->span; i++) {
        marks++;
        if (v[i].type != RF_JARRAY && v[i].type != RF_JOBJECT)
            cost += text_cost(c, v[i].raw);
    }
    return (cost + marks * or_usual(c->text_percent, 110) + 99) / 100;
}
