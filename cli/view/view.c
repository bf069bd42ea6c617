/* The viewer's loop, and what each key does. */
#include "view/viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "report.h"
#include "term/cells.h"

#define MOST_ZOOM 1600
#define ANSWER_MS 100
#define CTRL(c) ((c)&0x1f)

void rf_view_go(struct rf_viewer *v, size_t page)
{
    size_t count = rf_preview_count(v->preview);
    v->page = page < count ? page : count - 1;
    v->top = 0;
    rf_view_forget_text(v);
    v->stale = true;
}

static void go_by(struct rf_viewer *v, int step)
{
    size_t count = rf_preview_count(v->preview);
    if (step > 0 && v->page + 1 == count)
        snprintf(v->message, sizeof v->message, "this is the last %s", rf_preview_word(v->preview));
    else if (step < 0 && v->page == 0)
        snprintf(v->message, sizeof v->message, "this is the first %s",
                 rf_preview_word(v->preview));
    else
        rf_view_go(v, step > 0 ? v->page + 1 : v->page - 1);
}

/* Scrolling and zooming */

static void scroll(struct rf_viewer *v, long rows)
{
    size_t by = (size_t)labs(rows), height = (size_t)rf_view_height(v);
    size_t last = v->row_count > height ? v->row_count - height : 0;
    if (rows < 0)
        v->top = v->top > by ? v->top - by : 0;
    else
        v->top = v->top + by < last ? v->top + by : last;
    v->stale = true;
}

/* What is shown stays inside of the page. */
static int clamp(int middle, int zoom)
{
    int half = 50000 / zoom;
    return middle < half ? half : middle > 1000 - half ? 1000 - half : middle;
}

static void look_at(struct rf_viewer *v, int zoom, int x, int y)
{
    v->zoom = zoom < 100 ? 100 : zoom > MOST_ZOOM ? MOST_ZOOM : zoom;
    v->x = clamp(x, v->zoom);
    v->y = clamp(y, v->zoom);
    v->stale = true;
}

/* A page further in a long text; to the next page at its end. */
static void page_by(struct rf_viewer *v, int step)
{
    size_t height = (size_t)rf_view_height(v);
    bool more = step > 0 ? v->top + height < v->row_count : v->top > 0;
    if (v->as_text && more)
        scroll(v, step * (long)(height > 2 ? height - 2 : 1));
    else
        go_by(v, step);
}

static void move_by(struct rf_viewer *v, int dx, int dy)
{
    int side = 20000 / v->zoom; /* a fifth of what is seen */
    if (v->as_text && dy)
        scroll(v, dy);
    else if (!v->as_text && v->zoom > 100)
        look_at(v, v->zoom, v->x + dx * side, v->y + dy * side);
    else if (dx || !v->as_text)
        go_by(v, dx + dy);
}

/* Typing at the bottom */

static void begin_input(struct rf_viewer *v, int what)
{
    v->input = (enum rf_view_input)what;
    v->typed_count = 0;
}

static void jump(struct rf_viewer *v)
{
    char *end;
    unsigned long page = strtoul(v->typed, &end, 10);
    if (page && !*end && page <= rf_preview_count(v->preview))
        rf_view_go(v, page - 1);
    else
        snprintf(v->message, sizeof v->message, "there is no %s \"%s\": they are 1 to %zu",
                 rf_preview_word(v->preview), v->typed, rf_preview_count(v->preview));
}

static void end_input(struct rf_viewer *v)
{
    enum rf_view_input what = v->input;
    v->input = RF_VIEW_NO_INPUT;
    v->typed[v->typed_count] = '\0';
    if (!v->typed_count)
        return;
    if (what == RF_VIEW_JUMP) {
        jump(v);
        return;
    }
    memcpy(v->query, v->typed, v->typed_count + 1);
    v->found = (size_t)-1;
    rf_view_find(v, 1);
}

static void take_typed(struct rf_viewer *v, int key)
{
    if (key == '\r' || key == '\n')
        end_input(v);
    else if (key == RF_KEY_ESCAPE || key == CTRL('C'))
        v->input = RF_VIEW_NO_INPUT;
    else if (key == 0x7f || key == CTRL('H'))
        while (v->typed_count && (v->typed[--v->typed_count] & 0xc0) == 0x80)
            ;
    else if (key >= ' ' && key < 256 && v->typed_count + 1 < sizeof v->typed)
        v->typed[v->typed_count++] = (char)key;
    rf_view_draw_status(v);
}

/* Keys */

static void toggle_text(struct rf_viewer *v, int unused)
{
    (void)unused;
    if (v->has_picture) {
        v->as_text = !v->as_text;
    } else if (rf_preview_is_markdown(v->preview)) {
        v->is_source = !v->is_source;
        rf_view_forget_text(v);
    } else
        snprintf(v->message, sizeof v->message, "it has no picture");
    v->stale = true;
}

static void find_again(struct rf_viewer *v, int step)
{
    if (v->query[0])
        rf_view_find(v, step);
    else
        go_by(v, step);
}

static void suspend(struct rf_viewer *v, int unused)
{
    (void)unused;
    rf_tty_main_screen(v->tty);
    rf_tty_suspend(v->tty);
    rf_tty_alternate(v->tty);
    v->stale = true;
}

static void quit(struct rf_viewer *v, int unused)
{
    (void)unused;
    v->leaves = true;
}

static void zoom_in(struct rf_viewer *v, int step)
{
    look_at(v, step > 0 ? v->zoom * 3 / 2 : v->zoom * 2 / 3, v->x, v->y);
}

static void show_all(struct rf_viewer *v, int unused)
{
    (void)unused;
    look_at(v, 100, 500, 500);
}

static void move_right(struct rf_viewer *v, int step)
{
    move_by(v, step, 0);
}

static void move_down(struct rf_viewer *v, int step)
{
    move_by(v, 0, step);
}

static void go_to_end(struct rf_viewer *v, int step)
{
    rf_view_go(v, step > 0 ? rf_preview_count(v->preview) - 1 : 0);
}

static void show_help(struct rf_viewer *v, int unused)
{
    (void)unused;
    v->shows_help = v->stale = true;
}

static void draw_anew(struct rf_viewer *v, int unused)
{
    (void)unused;
    v->stale = true;
}

static const struct {
    int key;
    void (*act)(struct rf_viewer *v, int which);
    int which;
} keys[] = {
    { RF_KEY_ESCAPE, quit, 0 },
    { RF_KEY_GONE, quit, 0 },
    { 'q', quit, 0 },
    { CTRL('C'), quit, 0 },
    { CTRL('D'), quit, 0 },
    { RF_KEY_PAGE_DOWN, page_by, 1 },
    { ' ', page_by, 1 },
    { 'f', page_by, 1 },
    { RF_KEY_PAGE_UP, page_by, -1 },
    { 'b', page_by, -1 },
    { RF_KEY_HOME, go_to_end, -1 },
    { RF_KEY_END, go_to_end, 1 },
    { 'n', find_again, 1 },
    { 'N', find_again, -1 },
    { 'p', find_again, -1 },
    { '+', zoom_in, 1 },
    { '=', zoom_in, 1 },
    { '-', zoom_in, -1 },
    { '0', show_all, 0 },
    { RF_KEY_LEFT, move_right, -1 },
    { 'h', move_right, -1 },
    { RF_KEY_RIGHT, move_right, 1 },
    { 'l', move_right, 1 },
    { RF_KEY_DOWN, move_down, 1 },
    { 'j', move_down, 1 },
    { RF_KEY_UP, move_down, -1 },
    { 'k', move_down, -1 },
    { 'g', begin_input, RF_VIEW_JUMP },
    { '/', begin_input, RF_VIEW_SEARCH },
    { 't', toggle_text, 0 },
    { '\t', toggle_text, 0 },
    { '?', show_help, 0 },
    { CTRL('L'), draw_anew, 0 },
    { CTRL('Z'), suspend, 0 },
};

static void take_key(struct rf_viewer *v, int key)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == key)
            keys[i].act(v, keys[i].which);
}

static void step(struct rf_viewer *v)
{
    int key = rf_view_key(v);
    if (key == RF_KEY_NONE)
        return;
    if (v->input != RF_VIEW_NO_INPUT && key != RF_KEY_GONE) {
        take_typed(v, key);
        return;
    }
    if (v->shows_help) {
        v->shows_help = false;
        v->stale = true;
        if (key != RF_KEY_GONE)
            return;
    }
    v->message[0] = '\0';
    take_key(v, key);
    if (!v->stale)
        rf_view_draw_status(v);
}

/* Opening */

static bool is_id(const char *name)
{
    return strncmp(name, "att_", 4) == 0 || strncmp(name, "sha256:", 7) == 0;
}

static enum rf_code open_preview(struct rf_tools *tools, const char *name, struct rf_preview **out,
                                 struct rf_err *err)
{
    return is_id(name) ? rf_preview_attachment(tools, name, NULL, out, err)
                       : rf_preview_open(tools, name, out, err);
}

/* Say what went wrong until a key is pressed. */
static int refuse(struct rf_viewer *v, const struct rf_err *err)
{
    struct rf_buffer *out = &v->out;
    char hint[RF_ADVICE];
    rf_buffer_text(out, "\033[H\033[2J");
    rf_theme_on(&v->tty->theme, RF_STYLE_BAD, out);
    rf_cells_clean(out, rf_text(err->msg));
    rf_theme_off(&v->tty->theme, RF_STYLE_BAD, out);
    rf_buffer_text(out, "\r\n");
    rf_cells_clean(out, rf_text(rf_advice(err, hint)));
    rf_buffer_text(out, "\r\n\r\n(any key)");
    rf_tty_write(v->tty, rf_buffer_view(out));
    while (rf_view_key(v) == RF_KEY_NONE)
        ;
    return rf_exit_status(err->code);
}

/* A terminal that says what it can do does so at once. */
static void settle(struct rf_viewer *v)
{
    while (!v->options.graphics_chosen && !v->tty->answered)
        if (rf_tty_wait(v->tty, ANSWER_MS) != RF_TTY_ANSWERED)
            return;
}

static void look_through(struct rf_viewer *v)
{
    settle(v);
    v->has_picture = rf_preview_has_picture(v->preview);
    v->as_text = !v->has_picture;
    look_at(v, 100, 500, 500);
    rf_view_go(v, v->options.page);
    while (!v->leaves) {
        if (v->stale)
            rf_view_draw(v);
        step(v);
    }
}

static void leave(struct rf_viewer *v)
{
    rf_buffer_reset(&v->out);
    rf_view_wipe(v);
    rf_buffer_text(&v->out, "\033[?25h");
    rf_tty_write(v->tty, rf_buffer_view(&v->out));
    rf_tty_main_screen(v->tty);
    rf_buffer_release(&v->out);
    rf_buffer_release(&v->shown);
    rf_buffer_release(&v->styled);
    rf_preview_close(v->pictures);
    free(v->rows);
}

int rf_view_run(struct rf_tty *tty, struct rf_tools *tools, const char *path_or_id,
                const struct rf_view_options *options)
{
    struct rf_viewer v = { .tty = tty,
                           .tools = tools,
                           .path = path_or_id,
                           .options = options ? *options : (struct rf_view_options){ 0 } };
    struct rf_err err;
    int status = 0;
    rf_tty_alternate(tty);
    if (open_preview(tools, path_or_id, &v.preview, &err))
        status = refuse(&v, &err);
    else
        look_through(&v);
    leave(&v);
    rf_preview_close(v.preview);
    return status;
}
