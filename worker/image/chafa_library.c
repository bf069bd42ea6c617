/* libchafa is looked for by name, so that a system without it still shows pictures in terminals
 * that take PNG.
 *
 * It does not decide what goes to a terminal: the escape sequences are set here, one by one, and
 * only characters of two ranges. The caller checks what comes out against the same grammar
 * again. */
#include "worker/image/chafa_library.h"

#include <chafa.h>
#include <dlfcn.h>

#define LIBRARY "libchafa.so.0"

/* The functions that are used. */
#define CALLS(call)                              \
    call(chafa_canvas_config_new);               \
    call(chafa_canvas_config_unref);             \
    call(chafa_canvas_config_set_geometry);      \
    call(chafa_canvas_config_set_cell_geometry); \
    call(chafa_canvas_config_set_canvas_mode);   \
    call(chafa_canvas_config_set_pixel_mode);    \
    call(chafa_canvas_config_set_symbol_map);    \
    call(chafa_canvas_config_set_optimizations); \
    call(chafa_canvas_new);                      \
    call(chafa_canvas_unref);                    \
    call(chafa_canvas_draw_all_pixels);          \
    call(chafa_canvas_print);                    \
    call(chafa_symbol_map_new);                  \
    call(chafa_symbol_map_unref);                \
    call(chafa_symbol_map_add_by_range);         \
    call(chafa_term_info_new);                   \
    call(chafa_term_info_unref);                 \
    call(chafa_term_info_set_seq)

#define DECLARE(name) __typeof__(name) *name##_

static struct {
    bool found;
    CALLS(DECLARE);
} library;

static bool look_up(void *handle)
{
    bool all = true;
#define LOOK_UP(name)                                                    \
    *(void **)(&library.name##_) = handle ? dlsym(handle, #name) : NULL; \
    all = all && library.name##_
    CALLS(LOOK_UP);
    return all;
}

void rf_chafa_load(void)
{
    library.found = look_up(dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL));
}

static enum rf_code missing(struct rf_err *err)
{
    rf_fail(err, RF_ECONFIG,
            "\"" LIBRARY "\", which draws pictures with characters, is not installed");
    rf_hint(err, "Install chafa 1.8 or later (Debian: libchafa0t64 or libchafa0).");
    return RF_ECONFIG;
}

/* All that may be written besides characters. */
static ChafaTermInfo *new_terminal(void)
{
    static const struct {
        ChafaTermSeq seq;
        const char *text;
    } rows[] = {
        { CHAFA_TERM_SEQ_RESET_ATTRIBUTES, "\033[0m" },
        { CHAFA_TERM_SEQ_INVERT_COLORS, "\033[7m" },
        { CHAFA_TERM_SEQ_SET_COLOR_FG_DIRECT, "\033[38;2;%1;%2;%3m" },
        { CHAFA_TERM_SEQ_SET_COLOR_BG_DIRECT, "\033[48;2;%1;%2;%3m" },
        { CHAFA_TERM_SEQ_SET_COLOR_FGBG_DIRECT, "\033[38;2;%1;%2;%3;48;2;%4;%5;%6m" },
        { CHAFA_TERM_SEQ_SET_COLOR_FG_256, "\033[38;5;%1m" },
        { CHAFA_TERM_SEQ_SET_COLOR_BG_256, "\033[48;5;%1m" },
        { CHAFA_TERM_SEQ_SET_COLOR_FGBG_256, "\033[38;5;%1;48;5;%2m" },
        { CHAFA_TERM_SEQ_SET_COLOR_FG_16, "\033[%1m" },
        { CHAFA_TERM_SEQ_SET_COLOR_BG_16, "\033[%1m" },
        { CHAFA_TERM_SEQ_SET_COLOR_FGBG_16, "\033[%1;%2m" },
        { CHAFA_TERM_SEQ_BEGIN_SIXELS, "\033P%1;%2;%3q" },
        { CHAFA_TERM_SEQ_END_SIXELS, "\033\\" },
    };
    ChafaTermInfo *info = library.chafa_term_info_new_();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        library.chafa_term_info_set_seq_(info, rows[i].seq, rows[i].text, NULL);
    return info;
}

static ChafaCanvasMode mode_of(const struct rf_chafa_wish *wish)
{
    return wish->sixel || wish->colours > 256 ? CHAFA_CANVAS_MODE_TRUECOLOR
           : wish->colours == 256             ? CHAFA_CANVAS_MODE_INDEXED_240
           : wish->colours >= 16              ? CHAFA_CANVAS_MODE_INDEXED_16
                                              : CHAFA_CANVAS_MODE_FGBG;
}

/* Characters that every font has, without the shades, which look different in each. */
static ChafaSymbolMap *new_characters(bool ascii)
{
    ChafaSymbolMap *map = library.chafa_symbol_map_new_();

    library.chafa_symbol_map_add_by_range_(map, 0x20, ascii ? 0x7e : 0x20);
    if (!ascii) {
        library.chafa_symbol_map_add_by_range_(map, 0x2580, 0x2590);
        library.chafa_symbol_map_add_by_range_(map, 0x2594, 0x259f);
    }
    return map;
}

static ChafaCanvas *new_canvas(const struct rf_chafa_wish *wish)
{
    ChafaCanvasConfig *config = library.chafa_canvas_config_new_();
    ChafaSymbolMap *map = new_characters(wish->ascii);
    ChafaCanvas *canvas;

    library.chafa_canvas_config_set_geometry_(config, wish->columns, wish->rows);
    library.chafa_canvas_config_set_cell_geometry_(config, wish->cell_width, wish->cell_height);
    library.chafa_canvas_config_set_canvas_mode_(config, mode_of(wish));
    library.chafa_canvas_config_set_pixel_mode_(config, wish->sixel ? CHAFA_PIXEL_MODE_SIXELS
                                                                    : CHAFA_PIXEL_MODE_SYMBOLS);
    library.chafa_canvas_config_set_symbol_map_(config, map);
    library.chafa_canvas_config_set_optimizations_(config, CHAFA_OPTIMIZATION_REUSE_ATTRIBUTES);
    canvas = library.chafa_canvas_new_(config);
    library.chafa_symbol_map_unref_(map);
    library.chafa_canvas_config_unref_(config);
    return canvas;
}

enum rf_code rf_chafa_draw(const struct rf_chafa_wish *wish, const guint8 *pixels, GString **out,
                           struct rf_err *err)
{
    if (!library.found)
        return missing(err);
    int width = wish->columns * wish->cell_width, height = wish->rows * wish->cell_height;
    ChafaTermInfo *terminal = new_terminal();
    ChafaCanvas *canvas = new_canvas(wish);
    library.chafa_canvas_draw_all_pixels_(canvas, CHAFA_PIXEL_RGBA8_UNASSOCIATED, pixels, width,
                                          height, width * 4);
    *out = library.chafa_canvas_print_(canvas, terminal);
    library.chafa_canvas_unref_(canvas);
    library.chafa_term_info_unref_(terminal);
    return *out ? RF_OK : rf_fail(err, RF_EINTERNAL, "the picture could not be drawn");
}
