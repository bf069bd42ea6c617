/* Tokens of text with marks: markdown_inline.c makes and matches them, markdown_write.c writes
 * them. For no one else. */
#ifndef RF_CLI_TERM_MARKDOWN_TOKENS_H
#define RF_CLI_TERM_MARKDOWN_TOKENS_H

#include "term/markdown_inside.h"

enum kind { WORD, SPACE, SOFT, HARD, CODE, MARK, BRACKET, LINK_ON, LINK_OFF, ADDRESS };
enum { EMPHASIS, STRONG, STRIKE, WAYS };

struct token {
    enum kind kind;
    size_t from, to;        /* in the text */
    struct rf_str shown;    /* WORD, CODE; the inside of a link's parentheses */
    struct rf_str url;      /* LINK_ON, LINK_OFF, ADDRESS */
    bool is_image, is_dead; /* BRACKET: a link cannot begin here any more */
    bool is_open;           /* what follows may still change it */
    bool can_open, can_close;
    size_t count, left; /* MARK: characters, and those that matched nothing */
    unsigned on[WAYS], off[WAYS];
    int previous, next; /* MARK: in the list; BRACKET: the one before it */
};

struct parse {
    struct rf_str s;
    size_t at;
    struct rf_md_inline *in;
    int last_mark, last_bracket;
};

static inline int count_tokens(const struct parse *p)
{
    return (int)(p->in->tokens.n / sizeof(struct token));
}

static inline struct token *token_at(const struct parse *p, int i)
{
    return (struct token *)(void *)p->in->tokens.p + i;
}

/* Write the first `count` of them: what matched as styles, what did not as itself. */
void rf_md_write(struct parse *p, int count, unsigned styles, struct rf_md_rows *out);

#endif
