/* refract view: a file as a picture in the terminal, page by page; where there is none, its
 * text. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "command.h"
#include "images.h"
#include "password.h"
#include "project.h"
#include "report.h"
#include "view/view.h"

enum {
    PAGE,
    IMAGES,
    ROOT,
    PASSWORD_FILE,
    OPTION_COUNT,
};

static const struct rf_option options[OPTION_COUNT] = {
    [PAGE] = { "page", 'p', "N", "begin with this page, slide or frame, counted from 1" },
    [IMAGES] = { "images", 0, "MODE", RF_IMAGES_HELP },
    [ROOT] = { "root", 0, "DIR", "refuse files outside this folder (default: none is refused)" },
    [PASSWORD_FILE] = { "password-file", 0, "FILE", RF_PASSWORD_HELP },
};

struct viewing {
    struct rf_tools *tools;
    struct rf_preview *preview;
    struct rf_view_options options;
    bool page_given;
};

static enum rf_code take_page(struct viewing *v, const char *value, struct rf_err *err)
{
    size_t n = value ? strlen(value) : 0, count = rf_preview_count(v->preview);
    if (!value)
        return RF_OK;
    unsigned long page =
        n && n <= 9 && strspn(value, "0123456789") == n ? strtoul(value, NULL, 10) : 0;
    if (page && page <= count) {
        v->page_given = true;
        v->options.page = page - 1;
        return RF_OK;
    }
    rf_say(err, RF_EUSAGE, "--page: there is no %s \"%s\"", rf_preview_word(v->preview), value);
    rf_say_hint(err, "It has %zu.", count);
    return RF_EUSAGE;
}

static enum rf_code set_up(struct viewing *v, const struct rf_args *args, struct rf_err *err)
{
    struct rf_config *config;
    enum rf_code rc;
    if (!args->word_count) {
        rf_say(err, RF_EUSAGE, "view needs to know which file");
        rf_say_hint(err, "As in refract view report.pdf.");
        return RF_EUSAGE;
    }
    if ((rc = rf_images_take(args->values[IMAGES], &v->options.graphics_chosen,
                             &v->options.graphics, err)) ||
        (rc = rf_project_open(&config, RF_PROJECT_READ, err)))
        return rc;
    rf_tools_configure(v->tools, config);
    if (rf_config_cache_folder(config))
        rf_tools_cache(v->tools, rf_config_cache_folder(config));
    rf_config_close(config);
    rf_tools_root(v->tools, args->values[ROOT] ? args->values[ROOT] : "");
    if (args->values[PASSWORD_FILE] &&
        (rc = rf_password_take(v->tools, args->values[PASSWORD_FILE], err)))
        return rc;
    if ((rc = rf_preview_open(v->tools, args->words[0], &v->preview, err)))
        return rc;
    return take_page(v, args->values[PAGE], err);
}

/* What a person who cannot be shown a picture gets: the line, and the text. */
static enum rf_code print_page(struct viewing *v, size_t page, struct rf_err *err)
{
    struct rf_str text;
    enum rf_code rc = rf_preview_text(v->preview, page, &text, err);
    if (!rc)
        rf_print_lines(stdout, text);
    return rc;
}

static enum rf_code print(struct viewing *v, struct rf_err *err)
{
    size_t count = rf_preview_count(v->preview);
    size_t end = v->page_given ? v->options.page + 1 : count;
    enum rf_code rc = RF_OK;
    struct rf_str label = rf_preview_label(v->preview);
    printf("%.*s\n", RF_FMT(label));
    for (size_t page = v->options.page; !rc && page < end; page++)
        rc = print_page(v, page, err);
    return rc;
}

static int show(struct viewing *v, const char *path)
{
    struct rf_tty tty = { 0 };
    struct rf_err err;
    if (rf_tty_open(&tty, &err))
        return rf_report(&err);
    rf_tty_raw(&tty);
    rf_tty_ask(&tty);
    int status = rf_view_run(&tty, v->tools, path, &v->options);
    rf_tty_close(&tty);
    return status;
}

static bool can_draw(void)
{
    const char *term = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
           strcmp(term, "dumb") != 0;
}

static int run(const struct rf_args *args)
{
    struct viewing v = { .tools = rf_tools_new() };
    struct rf_err err;
    int status = 0;
    if (set_up(&v, args, &err) || (!can_draw() && print(&v, &err)))
        status = rf_report(&err);
    else if (can_draw())
        status = show(&v, args->words[0]);
    rf_preview_close(v.preview);
    rf_tools_free(v.tools);
    return status;
}

const struct rf_command rf_cmd_view = {
    .name = "view",
    .synopsis = "refract view [-p N] [--images MODE] [--root DIR] [--password-file FILE] FILE",
    .summary = "look at a file in the terminal, page by page",
    .about =
        "Shows a picture, the pages of a document or the frames of a video in the terminal, with\n"
        "keys to go on, zoom, jump and search; \"?\" lists them. Office documents, web pages,\n"
        "Markdown and mail have their headings, tables and pictures. Where nothing can be drawn,\n"
        "it shows the text. A part may be named: report.pdf#p=3-5.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "FILE",
    .run = run,
};
