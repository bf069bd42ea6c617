/* Tokens, written: marks that matched are styles, links show where they go, and what matched
 * nothing is itself. On a terminal without styles the marks stay, and code keeps its backticks
 * where it has no colour.
 */
#include <string.h>

#include "term/markdown_tokens.h"

struct writer {
    struct parse *p;
    struct rf_md_rows *out;
    unsigned styles;      /* of the block */
    unsigned depth[WAYS]; /* of emphasis, here */
    const struct token *link, *image;
};

static unsigned styles_here(const struct writer *w)
{
    unsigned styles = w->styles;
    styles |= w->depth[EMPHASIS] ? RF_MD_STYLE(EMPHASIS) : 0;
    styles |= w->depth[STRONG] ? RF_MD_STYLE(STRONG) : 0;
    styles |= w->depth[STRIKE] ? RF_MD_STYLE(STRIKE) : 0;
    return styles;
}

static struct rf_str url_here(const struct writer *w)
{
    const struct token *t = w->link ? w->link : w->image;
    return t && rf_md_is_web(t->url) ? t->url : RF_LIT("");
}

static void write_text(struct writer *w, struct rf_str text, unsigned more)
{
    struct rf_str url = url_here(w);
    rf_md_rows_add(w->out, text, styles_here(w) | more | (url.n ? RF_MD_STYLE(LINK) : 0), url);
}

static void write_space(struct writer *w)
{
    struct rf_str url = url_here(w);
    rf_md_rows_space(w->out, styles_here(w) | (url.n ? RF_MD_STYLE(LINK) : 0), url);
}

/* Words of any text, with one space for what is between them. */
static void write_words(struct writer *w, struct rf_str text, unsigned more)
{
    size_t from = 0;
    for (size_t i = 0; i <= text.n; i++) {
        if (i < text.n && text.p[i] != '\n')
            continue;
        write_text(w, (struct rf_str){ text.p + from, i - from }, more);
        if (i < text.n)
            write_space(w);
        from = i + 1;
    }
}

/* Where styles do not show, marks do. */
static void write_mark(struct writer *w, const struct token *t)
{
    bool is_kept = w->p->in->theme->plain;
    for (int i = 0; i < WAYS; i++)
        w->depth[i] -= t->off[i];
    write_text(w, (struct rf_str){ t->shown.p, is_kept ? t->count : t->left }, 0);
    for (int i = 0; i < WAYS; i++)
        w->depth[i] += t->on[i];
}

static void write_code(struct writer *w, const struct token *t)
{
    bool is_kept = w->p->in->theme->plain || !w->p->in->theme->colours;
    struct rf_str whole = { w->p->s.p + t->from, t->to - t->from };
    write_words(w, is_kept ? whole : t->shown, RF_MD_STYLE(CODE));
}

static bool is_same(struct rf_str a, struct rf_str b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* Does the text of a link say where it goes? */
static bool says_address(const struct writer *w, const struct token *on, const struct token *off)
{
    struct rf_str text = { w->p->s.p + on->to, off->from - on->to }, url = off->shown;
    if (is_same(text, url))
        return true;
    size_t scheme = !rf_md_is_web(url) ? 0 : url.p[4] == ':' ? 7 : 8;
    return scheme && is_same(text, rf_md_from(url, scheme));
}

static void write_link_end(struct writer *w, const struct token *t)
{
    const struct token *on = t->is_image ? w->image : w->link;
    if (t->is_image)
        write_text(w, RF_LIT("]"), 0);
    bool is_said = !t->is_image && on && says_address(w, on, t);
    struct rf_str url = rf_md_is_web(t->url) ? t->url : RF_LIT("");
    if (!is_said && t->shown.n) {
        rf_md_rows_space(w->out, styles_here(w), RF_LIT(""));
        rf_md_rows_add(w->out, RF_LIT("("), styles_here(w) | RF_MD_STYLE(DIM), RF_LIT(""));
        size_t from = 0;
        for (size_t i = 0; i <= t->shown.n; i++)
            if (i == t->shown.n || t->shown.p[i] == '\n') {
                struct rf_str piece = { t->shown.p + from, i - from };
                rf_md_rows_add(w->out, piece, styles_here(w) | RF_MD_STYLE(DIM), url);
                from = i + 1;
            }
        rf_md_rows_add(w->out, RF_LIT(")"), styles_here(w) | RF_MD_STYLE(DIM), RF_LIT(""));
    }
    if (t->is_image)
        w->image = NULL;
    else
        w->link = NULL;
}

static void write_token(struct writer *w, const struct token *t)
{
    switch (t->kind) {
    case WORD:
    case BRACKET:
        write_words(w, t->shown, 0);
        break;
    case SPACE:
    case SOFT:
        write_space(w);
        break;
    case HARD:
        rf_md_rows_break(w->out);
        break;
    case CODE:
        write_code(w, t);
        break;
    case MARK:
        write_mark(w, t);
        break;
    case LINK_ON:
        if (t->is_image) {
            w->image = t;
            write_text(w, RF_LIT("[image: "), 0);
        } else
            w->link = t;
        break;
    case LINK_OFF:
        write_link_end(w, t);
        break;
    case ADDRESS:
        w->image = w->link || w->image ? w->image : t;
        write_text(w, t->shown, 0);
        w->image = w->image == t ? NULL : w->image;
        break;
    }
}

void rf_md_write(struct parse *p, int count, unsigned styles, struct rf_md_rows *out)
{
    struct writer w = { .p = p, .out = out, .styles = styles };
    for (int i = 0; i < count; i++)
        write_token(&w, token_at(p, i));
}
