/* Styles as the escape sequences of ECMA-48, from one table.
 *
 * Each style begins with attributes and a colour and ends exactly those: 22 for bold and dim, 23,
 * 24, 27, 29, and 39 for the colour. Two styles that share one (bold inside of bold) are the
 * writer's to begin again. Colours are of the sixteen, but for those that are unreadable on one of
 * the backgrounds: there the table has the better neighbour, and one of 256 where there are so
 * many. Backgrounds are never set.
 */
#include "term/theme.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LONGEST_LINK 2048

struct row {
    const char *on;  /* attributes, without a colour */
    const char *off; /* that end them */
    const char *dark,
        *light; /* colours of the sixteen, for that background; NULL: the text's own */
    const char *dark256, *light256; /* better ones, where there are 256 */
};

static const struct row rows[RF_STYLE_COUNT] = {
    [RF_STYLE_PLAIN] = { 0 },
    [RF_STYLE_STRONG] = { .on = "1", .off = "22" },
    [RF_STYLE_EMPHASIS] = { .on = "3", .off = "23" },
    [RF_STYLE_STRIKE] = { .on = "9", .off = "29" },
    [RF_STYLE_CODE] = { .dark = "36", .light = "35", .dark256 = "38;5;116", .light256 = "38;5;90" },
    [RF_STYLE_KEYWORD] = { .dark = "35",
                           .light = "34",
                           .dark256 = "38;5;176",
                           .light256 = "38;5;25" },
    [RF_STYLE_STRING] = { .dark = "32",
                          .light = "32",
                          .dark256 = "38;5;150",
                          .light256 = "38;5;22" },
    [RF_STYLE_COMMENT] = { .on = "2", .off = "22" },
    [RF_STYLE_NUMBER] = { .dark = "33",
                          .light = "31",
                          .dark256 = "38;5;215",
                          .light256 = "38;5;130" },
    [RF_STYLE_ADDED] = { .dark = "32", .light = "32", .light256 = "38;5;22" },
    [RF_STYLE_REMOVED] = { .dark = "31", .light = "31", .dark256 = "38;5;210" },
    [RF_STYLE_HEADING] = { .on = "1", .off = "22", .dark = "36", .light = "34" },
    [RF_STYLE_QUOTE] = { .on = "3",
                         .off = "23",
                         .dark = "32",
                         .light = "32",
                         .light256 = "38;5;22" },
    [RF_STYLE_LINK] = { .on = "4",
                        .off = "24",
                        .dark = "94",
                        .light = "34",
                        .dark256 = "38;5;111" },
    [RF_STYLE_DIM] = { .on = "2", .off = "22" },
    [RF_STYLE_PROMPT] = { .on = "1", .off = "22", .dark = "36", .light = "34" },
    [RF_STYLE_GOOD] = { .dark = "32", .light = "32", .light256 = "38;5;22" },
    [RF_STYLE_WARN] = { .dark = "33", .light = "31", .light256 = "38;5;130" },
    [RF_STYLE_BAD] = { .on = "1", .off = "22", .dark = "91", .light = "31" },
    [RF_STYLE_SELECTED] = { .on = "7", .off = "27" },
};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* Of the variables that say it, the first that says anything. */
static bool is_unicode(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = variable(names[i]);
        if (*value)
            return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
    }
    return false;
}

/* COLORFGBG is "15;0" or "0;default;15": the last of them is the background. */
static bool is_light(void)
{
    const char *value = variable("COLORFGBG"), *last = strrchr(value, ';');
    return last && (strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0);
}

static int count_colours(void)
{
    const char *term = variable("TERM"), *more = variable("COLORTERM");
    if (*variable("NO_COLOR"))
        return 0;
    if (strcmp(more, "truecolor") == 0 || strcmp(more, "24bit") == 0 || strstr(term, "direct"))
        return 1 << 24;
    static const char *const have_256[] = { "256color", "kitty",   "alacritty",
                                            "foot",     "ghostty", "wezterm" };
    for (size_t i = 0; i < sizeof have_256 / sizeof *have_256; i++)
        if (strstr(term, have_256[i]))
            return 256;
    return strncmp(term, "vt", 2) == 0 ? 0 : 16;
}

void rf_theme_detect(struct rf_theme *l, int fd)
{
    const char *term = variable("TERM");
    *l = (struct rf_theme){ .unicode = is_unicode() };
    l->plain = !isatty(fd) || !*term || strcmp(term, "dumb") == 0;
    if (l->plain)
        return;
    l->colours = count_colours();
    l->light = is_light();
    l->links = strcmp(term, "linux") != 0 && strncmp(term, "vt", 2) != 0;
}

enum rf_style rf_theme_line_style(struct rf_str line)
{
    char mark = line.n ? line.p[0] : '\0';
    return mark == '+'                  ? RF_STYLE_GOOD
           : mark == 'x'                ? RF_STYLE_BAD
           : mark == '>' || mark == '=' ? RF_STYLE_DIM
                                        : RF_STYLE_WARN;
}

static const char *colour_of(const struct rf_theme *l, const struct row *r)
{
    const char *few = l->light ? r->light : r->dark, *many = l->light ? r->light256 : r->dark256;
    return l->colours >= 256 && many ? many : l->colours ? few : NULL;
}

/* Both, or one of them, as one sequence. */
static void add_sequence(struct rf_buffer *out, const char *attribute, const char *colour)
{
    if (attribute || colour)
        rf_buffer_print(out, "\033[%s%s%sm", attribute ? attribute : "",
                        attribute && colour ? ";" : "", colour ? colour : "");
}

void rf_theme_on(const struct rf_theme *l, enum rf_style style, struct rf_buffer *out)
{
    if (!l->plain)
        add_sequence(out, rows[style].on, colour_of(l, &rows[style]));
}

void rf_theme_off(const struct rf_theme *l, enum rf_style style, struct rf_buffer *out)
{
    if (!l->plain)
        add_sequence(out, rows[style].off, colour_of(l, &rows[style]) ? "39" : NULL);
}

/* http:// or https:// and something after it, of printable ASCII: others have to be escaped in an
 * address. */
static bool is_web_address(struct rf_str url)
{
    size_t scheme = url.n > 7 && strncasecmp(url.p, "http://", 7) == 0    ? 7
                    : url.n > 8 && strncasecmp(url.p, "https://", 8) == 0 ? 8
                                                                          : 0;
    if (!scheme || url.n > LONGEST_LINK)
        return false;
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] > '~')
            return false;
    return true;
}

bool rf_theme_link(const struct rf_theme *l, struct rf_str url, struct rf_buffer *out)
{
    if (l->plain || !l->links || !is_web_address(url))
        return false;
    rf_buffer_text(out, "\033]8;;");
    rf_buffer_str(out, url);
    rf_buffer_text(out, "\033\\");
    return true;
}

void rf_theme_link_end(const struct rf_theme *l, struct rf_buffer *out)
{
    if (!l->plain && l->links)
        rf_buffer_text(out, "\033]8;;\033\\");
}
