/* A file for the eyes of the person: a thumbnail and its line; of documents the line, the first
 * lines of their text and how to go on. It is worked out in the other thread, and comes over as
 * events. */
#include "chat/parts.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "term/cells.h"
#include "text.h"

#define COLUMNS 40 /* of a thumbnail, at most */
#define ROWS 12
#define TEXT_LINES 3 /* of a document */
#define MOST_LINE 1000
#define MOST_COUNTED ((size_t)1 << 20) /* bytes whose lines are counted */
#define PAGES 20                       /* that are read at once */

struct rf_preview_frame rf_chat_frame(const struct rf_chat *c)
{
    int columns = c->tty.columns - 2, rows = c->tty.rows / 2;
    return (struct rf_preview_frame){
        .size = sizeof(struct rf_preview_frame),
        .graphics = c->graphics_chosen ? c->graphics : rf_tty_graphics(&c->tty),
        .columns = columns < 1         ? 1
                   : columns < COLUMNS ? columns
                                       : COLUMNS,
        .rows = rows < 1      ? 1
                : rows < ROWS ? rows
                              : ROWS,
        .cell_width = c->tty.cell_width,
        .cell_height = c->tty.cell_height,
        .colours = c->theme.colours,
        .ascii = !c->theme.unicode,
    };
}

/* What is told */

static void post(struct rf_chat *c, enum rf_chat_event_type type, struct rf_str text, int number)
{
    struct rf_chat_event *e = rf_chat_event_new(type);
    e->style = RF_STYLE_DIM;
    e->number = number;
    rf_buffer_str(&e->text, text);
    rf_chat_post(c, e);
}

static void say(struct rf_chat *c, struct rf_str text)
{
    if (c->plain)
        rf_chat_say_text(c, RF_STYLE_DIM, text);
    else
        post(c, RF_CHAT_SAID, text, 0);
}

static void post_blocks(struct rf_chat *c, struct rf_str rows)
{
    while (rows.n) {
        const char *end = memchr(rows.p, '\n', rows.n);
        size_t n = end ? (size_t)(end - rows.p) : rows.n, used = end ? n + 1 : n;
        post(c, RF_CHAT_PICTURE, (struct rf_str){ rows.p, n }, 0);
        rows = (struct rf_str){ rows.p + used, rows.n - used };
    }
}

static void tell_picture(struct rf_chat *c, struct rf_preview *p)
{
    struct rf_preview_drawing d = { .size = sizeof d };
    struct rf_err unseen;
    if (c->plain || c->turn->frame.graphics == RF_GRAPHICS_NONE || !rf_preview_has_picture(p))
        return;
    if (rf_preview_draw(p, 0, &c->turn->frame, &d, &unseen))
        return; /* the line says what it is */
    if (c->turn->frame.graphics == RF_GRAPHICS_BLOCKS)
        post_blocks(c, d.bytes);
    else
        post(c, RF_CHAT_PICTURE, d.bytes, d.rows);
}

/* Documents */

static bool is_blank(struct rf_str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (!strchr(" \t\r\f", line.p[i]))
            return false;
    return true;
}

/* Say the first lines. Returns how many come after them. */
static size_t tell_lines(struct rf_chat *c, struct rf_str text)
{
    size_t shown = 0, more = 0;
    text.n = text.n < MOST_COUNTED ? text.n : MOST_COUNTED;
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        struct rf_str line = { text.p, end ? (size_t)(end - text.p) : text.n };
        text = (struct rf_str){ text.p + line.n + !!end, text.n - line.n - !!end };
        if (is_blank(line))
            continue;
        if (shown++ >= TEXT_LINES) {
            more++;
            continue;
        }
        struct rf_buffer row = { 0 };
        rf_buffer_text(&row, "  ");
        rf_cells_clean(&row, (struct rf_str){ line.p, line.n < MOST_LINE ? line.n : MOST_LINE });
        struct rf_str s = rf_buffer_view(&row);
        s.n = c->plain ? s.n : rf_cells_fit(s, rf_chat_columns(c), NULL);
        say(c, s);
        rf_buffer_release(&row);
    }
    return more;
}

/* "[PDF: report.pdf, pages 1-20 of 47]": the pages that come after those. */
static void add_next_pages(const struct rf_preview *p, struct rf_buffer *out)
{
    char *label = rf_text_copy(rf_preview_label(p)), *at = strrchr(label, ',');
    long long first, last, all;
    if (at && sscanf(at, ", pages %lld-%lld of %lld", &first, &last, &all) == 3 && last < all)
        rf_buffer_print(out, ", /pages %lld-%lld", last + 1,
                        last + PAGES < all ? last + PAGES : all);
    free(label);
}

static void tell_document(struct rf_chat *c, struct rf_preview *p)
{
    struct rf_buffer hint = { 0 };
    struct rf_str text;
    struct rf_err err;
    if (rf_preview_text(p, 0, &text, &err)) {
        say(c, rf_text(err.msg));
        return;
    }
    size_t more = tell_lines(c, text), pages = rf_preview_count(p);
    bool unicode = !c->plain && !c->turn->frame.ascii; /* `look` is the main thread's */
    const char *dots = unicode ? "…" : "...";
    rf_buffer_print(&hint, "  %s %zu more line%s", dots, more, more == 1 ? "" : "s");
    if (pages > 1)
        rf_buffer_print(&hint, " on this %s, %zu more %s%s", rf_preview_word(p), pages - 1,
                        rf_preview_word(p), pages == 2 ? "" : "s");
    rf_buffer_text(&hint, " (/view");
    add_next_pages(p, &hint);
    rf_buffer_text(&hint, ")");
    if (more || pages > 1)
        say(c, rf_buffer_view(&hint));
    rf_buffer_release(&hint);
}

static bool begins(struct rf_str s, const char *with)
{
    return s.n >= strlen(with) && memcmp(s.p, with, strlen(with)) == 0;
}

static void tell(struct rf_chat *c, struct rf_preview *p)
{
    struct rf_str mime = rf_preview_mime(p);
    bool seen = begins(mime, "image/") || begins(mime, "video/");
    if (seen)
        tell_picture(c, p);
    say(c, rf_preview_label(p));
    if (!seen && !begins(mime, "audio/"))
        tell_document(c, p);
}

struct rf_tools *rf_chat_tools(struct rf_chat *c)
{
    rf_tools_session(c->tools, rf_agent_session(c->agent));
    return c->tools;
}

/* What a person names */

struct looking {
    const char *path, *id, *name;
    bool opened;
    struct rf_err err;
};

static void look(struct rf_chat *c, void *ctx)
{
    struct looking *l = ctx;
    struct rf_preview *p;
    enum rf_code rc = l->path
                          ? rf_preview_open(c->tools, l->path, &p, &l->err)
                          : rf_preview_attachment(rf_chat_tools(c), l->id, l->name, &p, &l->err);
    l->opened = !rc;
    if (rc)
        return;
    tell(c, p);
    rf_preview_close(p);
}

static bool look_here(struct rf_chat *c, struct looking *l)
{
    if (c->plain || rf_chat_is_over_there(c))
        look(c, l);
    else
        rf_chat_work_here(c, "looking", look, l);
    if (!l->opened)
        rf_chat_error(c, &l->err);
    return l->opened;
}

void rf_chat_preview_shortly(struct rf_chat *c, const char *path)
{
    struct looking l = { .path = path };
    look(c, &l);
}

bool rf_chat_preview(struct rf_chat *c, const char *path)
{
    return look_here(c, &(struct looking){ .path = path });
}

bool rf_chat_preview_attachment(struct rf_chat *c, const char *id, const char *name)
{
    return look_here(c, &(struct looking){ .id = id, .name = name });
}

/* What tools bring */

struct rf_chat_read {
    struct rf_chat_read *next;
    char *call, *path;
    long long first, last; /* pages; 0: not a part of one that has some */
    bool ended, shown;
};

void rf_chat_read_begin(struct rf_chat *c, const struct rf_agent_event *e)
{
    char *path = rf_chat_member(e->text, "file_path");
    path = path ? path : rf_chat_member(e->text, "path");
    if (!path)
        return;
    struct rf_chat_read *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    *r = (struct rf_chat_read){ .next = c->turn->reads,
                                .call = rf_text_copy(e->call),
                                .path = path };
    c->turn->reads = r;
}

void rf_chat_read_end(struct rf_chat *c, const struct rf_agent_event *e)
{
    c->turn->rounds = true;
    for (struct rf_chat_read *r = c->turn->reads; r; r = r->next) {
        if (strlen(r->call) != e->call.n || memcmp(r->call, e->call.p, e->call.n) != 0)
            continue;
        char *text = rf_text_copy(e->text);
        if (sscanf(text, "Pages %lld-%lld of", &r->first, &r->last) != 2)
            r->first = r->last = 0;
        r->ended = !e->failed;
        free(text);
        return;
    }
}

void rf_chat_reads_forget(struct rf_chat *c)
{
    while (c->turn->reads) {
        struct rf_chat_read *gone = c->turn->reads;
        c->turn->reads = gone->next;
        free(gone->call);
        free(gone->path);
        free(gone);
    }
}

/* The first one that brought this file and was not shown yet: files come in the order of their
 * calls. */
static struct rf_chat_read *read_of(struct rf_chat *c, const char *name)
{
    struct rf_chat_read *first = NULL;
    for (struct rf_chat_read *r = c->turn->reads; r; r = r->next) {
        const char *slash = strrchr(r->path, '/');
        if (r->ended && !r->shown && strcmp(slash ? slash + 1 : r->path, name) == 0)
            first = r; /* the list has the last one first */
    }
    if (first)
        first->shown = true;
    return first;
}

/* The line of the call that brought it goes up before it. */
static void announce(struct rf_chat *c, const char *name)
{
    struct rf_chat_event *e = c->plain ? NULL : rf_chat_event_new(RF_CHAT_BROUGHT);
    if (!e)
        return;
    e->extra = rf_text_copy(rf_text(name));
    rf_chat_post(c, e);
}

/* Pages that were read are looked at in the file; anything else as it was kept. */
void rf_chat_preview_result(struct rf_chat *c, const char *id, const char *name)
{
    const struct rf_chat_read *r = read_of(c, name);
    struct rf_buffer part = { 0 };
    struct rf_preview *p = NULL;
    struct rf_err unseen;
    enum rf_code rc = RF_ENOTFOUND;
    announce(c, name);
    if (r) {
        rf_buffer_text(&part, r->path);
        if (r->first)
            rf_buffer_print(&part, "#p=%lld-%lld", r->first, r->last);
        rf_buffer_add(&part, "", 1);
    }
    if (r && (r->first || !c->stored.store))
        rc = rf_preview_open(c->tools, part.p, &p, &unseen);
    else if (c->stored.store && *id)
        rc = rf_preview_attachment(rf_chat_tools(c), id, name, &p, &unseen);
    rf_buffer_release(&part);
    if (rc)
        return; /* the line of the call says what there is to say */
    tell(c, p);
    rf_preview_close(p);
}
