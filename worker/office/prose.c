/* What is due before the next word, and who ends what. */
#include "worker/office/prose.h"

#include "worker/office/office.h"

#include <stdio.h>

#define MAX_LINES 2 /* one empty line at most */

void rf_prose_begin(struct rf_prose *p, struct rf_figures *pictures, int64_t page,
                    struct rf_str title)
{
    rf_office_page(pictures, page, title);
    *p = (struct rf_prose){ .fresh = true };
    rf_markup_init(&p->md, pictures);
}

/* Words, with what is due before them. */
static void put(struct rf_prose *p, struct rf_str s)
{
    static const char feeds[] = "\n\n";

    if (!s.n)
        return;
    if (!p->fresh && p->lines)
        rf_markup_text(&p->md, (struct rf_str){ feeds, p->lines });
    else if (!p->fresh && p->space)
        rf_markup_text(&p->md, RF_STR(" "));
    if (p->fresh && p->linked)
        rf_markup_link(&p->md);
    p->fresh = p->space = false;
    p->lines = 0;
    rf_markup_text(&p->md, s);
}

void rf_prose_text(struct rf_prose *p, struct rf_str s)
{
    for (size_t i = 0; i < s.n && !rf_markup_over(&p->md);) {
        size_t from = i;
        while (i < s.n && rf_is_space(s.p[i]))
            i++;
        if (i > from)
            p->space = true;
        from = i;
        while (i < s.n && !rf_is_space(s.p[i]))
            i++;
        put(p, (struct rf_str){ s.p + from, i - from });
    }
}

void rf_prose_exact(struct rf_prose *p, struct rf_str s)
{
    for (size_t i = 0; i < s.n && !rf_markup_over(&p->md); i++) {
        size_t from = i;
        while (i < s.n && s.p[i] != '\n' && s.p[i] != '\r')
            i++;
        put(p, (struct rf_str){ s.p + from, i - from });
        if (i + 1 < s.n && s.p[i] == '\r' && s.p[i + 1] == '\n')
            i++;
        if (i < s.n)
            rf_prose_line(p);
    }
}

void rf_prose_line(struct rf_prose *p)
{
    p->lines += p->lines < MAX_LINES;
    p->space = false;
}

void rf_prose_block(struct rf_prose *p)
{
    if (p->linked)
        rf_markup_link_end(&p->md, p->link);
    if (!p->fresh) {
        rf_markup_paragraph(&p->md, p->style);
        p->style = (struct rf_markup_style){ 0 };
    }
    p->fresh = true;
    p->space = false;
    p->lines = 0;
}

void rf_prose_plain(struct rf_prose *p)
{
    rf_prose_block(p);
    p->style = (struct rf_markup_style){ 0 };
}

void rf_prose_heading(struct rf_prose *p, unsigned level)
{
    rf_prose_block(p);
    p->style = (struct rf_markup_style){ .kind = RF_MARKUP_HEADING, .level = (int)level };
}

void rf_prose_item(struct rf_prose *p, unsigned depth, unsigned number)
{
    rf_prose_block(p);
    snprintf(p->label, sizeof p->label, number ? "%u." : "-", number);
    p->style = (struct rf_markup_style){ .kind = RF_MARKUP_ITEM,
                                         .level = (int)depth,
                                         .label = rf_str(p->label) };
}

void rf_prose_link(struct rf_prose *p, struct rf_str url)
{
    if (p->linked)
        rf_prose_link_end(p);
    if (!p->fresh && p->space)
        rf_markup_text(&p->md, RF_STR(" "));
    p->space = p->space && p->fresh;
    p->linked = true;
    p->link = url;
    if (!p->fresh)
        rf_markup_link(&p->md);
}

void rf_prose_link_end(struct rf_prose *p)
{
    if (p->linked && !p->fresh)
        rf_markup_link_end(&p->md, p->link);
    p->linked = false;
}

void rf_prose_table(struct rf_prose *p)
{
    rf_prose_plain(p);
    if (p->too_many || p->tables == RF_PROSE_MAX_TABLES) {
        p->too_many++;
        return;
    }
    rf_markup_table(&p->md);
    p->table[p->tables].row = p->table[p->tables].cell = false;
    p->tables++;
}

static void end_cell(struct rf_prose *p)
{
    rf_prose_plain(p);
    if (p->tables && p->table[p->tables - 1].cell)
        rf_markup_cell_end(&p->md);
    if (p->tables)
        p->table[p->tables - 1].cell = false;
}

static void end_row(struct rf_prose *p)
{
    end_cell(p);
    if (p->tables && p->table[p->tables - 1].row)
        rf_markup_row_end(&p->md);
    if (p->tables)
        p->table[p->tables - 1].row = false;
}

void rf_prose_row(struct rf_prose *p)
{
    if (p->too_many || !p->tables) {
        rf_prose_plain(p);
        return;
    }
    end_row(p);
    rf_markup_row(&p->md);
    p->table[p->tables - 1].row = true;
}

void rf_prose_cell(struct rf_prose *p)
{
    if (p->too_many || !p->tables) {
        rf_prose_plain(p);
        return;
    }
    if (!p->table[p->tables - 1].row)
        rf_prose_row(p);
    end_cell(p);
    rf_markup_cell(&p->md);
    p->table[p->tables - 1].cell = true;
}

void rf_prose_table_end(struct rf_prose *p)
{
    if (p->too_many) {
        rf_prose_plain(p);
        p->too_many--;
    } else if (p->tables) {
        end_row(p);
        rf_markup_table_end(&p->md);
        p->tables--;
    }
}

void rf_prose_end(struct rf_prose *p)
{
    p->too_many = 0;
    while (p->tables)
        rf_prose_table_end(p);
    rf_prose_plain(p);
    rf_markup_finish(&p->md);
}
