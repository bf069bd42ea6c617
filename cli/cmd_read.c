/* refract read: the tool read_file by hand. What a model would get as text goes to standard
 * output, or the whole result as JSON. */
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <refract/refract.h>

#include "advice.h"
#include "command.h"
#include "password.h"
#include "piped.h"
#include "progress.h"
#include "project.h"
#include "report.h"

enum {
    PAGES,
    PAGE_START,
    PAGE_END,
    OFFSET,
    LIMIT,
    BYTE_OFFSET,
    BYTE_LIMIT,
    LINE_NUMBERS,
    ROOT,
    PASSWORD_FILE,
    NO_CACHE,
    OCR,
    JSON,
    OPTION_COUNT,
};

static const struct rf_option options[OPTION_COUNT] = {
    [PAGES] = { "pages", 0, "RANGE", "pages, slides or sheets from 1, such as 3-5,8" },
    [PAGE_START] = { "page-start", 0, "N", "the first page, counted from 0" },
    [PAGE_END] = { "page-end", 0, "N", "the page to stop before, counted from 0" },
    [OFFSET] = { "offset", 0, "N", "the first line of a text, counted from 1" },
    [LIMIT] = { "limit", 0, "N", "how many lines of a text" },
    [BYTE_OFFSET] = { "byte-offset", 0, "N", "the first byte of a text, counted from 0" },
    [BYTE_LIMIT] = { "byte-limit", 0, "N", "how many bytes of a text; characters are never split" },
    [LINE_NUMBERS] = { "line-numbers", 'n', NULL, "put its number before each line" },
    [ROOT] = { "root", 0, "DIR", "refuse files outside this folder (default: none is refused)" },
    [PASSWORD_FILE] = { "password-file", 0, "FILE", RF_PASSWORD_HELP },
    [NO_CACHE] = { "no-cache", 0, NULL, "keep nothing, and take nothing that was kept" },
    [OCR] = { "ocr", 0, NULL, "recognise the text in pictures, also with --json" },
    [JSON] = { "json", 0, NULL, "print the whole tool result" },
};

static bool take_step(void *progress, int64_t done, int64_t of)
{
    rf_progress_at(progress, done, of);
    return true;
}

static enum rf_code wrong_number(const char *option, const char *value, struct rf_err *err)
{
    rf_say(err, RF_EUSAGE, "--%s: \"%s\" is not a number", option, value);
    return RF_EUSAGE;
}

/* The arguments as a model would write them. */
static enum rf_code add_number(FILE *out, const struct rf_args *args, int option, const char *name,
                               struct rf_err *err)
{
    const char *value = args->values[option];
    if (!value)
        return RF_OK;
    size_t n = strlen(value);
    if (!n || n > 9 || strspn(value, "0123456789") != n)
        return wrong_number(options[option].name, value, err);
    fprintf(out, ",\"%s\":%ld", name, strtol(value, NULL, 10));
    return RF_OK;
}

static enum rf_code add_numbers(FILE *out, const struct rf_args *args, struct rf_err *err)
{
    static const struct {
        int option;
        const char *name;
    } numbers[] = {
        { PAGE_START, "page_start" }, { PAGE_END, "page_end" },       { OFFSET, "offset" },
        { LIMIT, "limit" },           { BYTE_OFFSET, "byte_offset" }, { BYTE_LIMIT, "byte_limit" },
    };
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < sizeof numbers / sizeof *numbers; i++)
        rc = add_number(out, args, numbers[i].option, numbers[i].name, err);
    return rc;
}

/* "3-5,8": said here, since who wrote it did not write "#p=". */
static enum rf_code check_pages(const char *pages, struct rf_err *err)
{
    bool good = true;
    for (const char *p = pages; good && p;) {
        char *end = NULL;
        long first = isdigit((unsigned char)*p) ? strtol(p, &end, 10) : 0, last = first;
        if (first && *end == '-')
            last = isdigit((unsigned char)end[1]) ? strtol(end + 1, &end, 10) : (end++, LONG_MAX);
        good = first > 0 && last >= first && (*end == ',' || *end == '\0');
        p = good && *end == ',' ? end + 1 : NULL;
    }
    if (good)
        return RF_OK;
    rf_say(err, RF_EUSAGE, "--pages: \"%s\" names no pages", pages);
    rf_say_hint(err, "They are counted from 1, as in --pages 3-5,8 or --pages 21-.");
    return RF_EUSAGE;
}

/* Standard input is a file in memory. */
static enum rf_code hold_input(struct rf_tools *tools, const struct rf_args *args,
                               struct rf_err *err)
{
    struct rf_str bytes = { 0 };
    const char *password = args->values[PASSWORD_FILE];
    if (!rf_piped_is_meant(args->words[0]))
        return RF_OK;
    if (password && strcmp(password, "-") == 0) {
        rf_say(err, RF_EUSAGE, "standard input is either the file or the password");
        return RF_EUSAGE;
    }
    enum rf_code rc = rf_piped_read(&bytes, err);
    if (!rc)
        rc = rf_tools_hold(tools, RF_PIPED_NAME, bytes, err);
    free((char *)(uintptr_t)bytes.p);
    return rc;
}

/* `*text` is for the caller to free. */
static enum rf_code write_arguments(const struct rf_args *args, char **text, struct rf_err *err)
{
    size_t n = 0;
    if (args->values[PAGES] && check_pages(args->values[PAGES], err))
        return RF_EUSAGE;
    FILE *out = open_memstream(text, &n);
    if (!out)
        abort();
    const char *file = args->words[0], *pages = args->values[PAGES];
    bool piped = rf_piped_is_meant(file);
    char *path;
    if (asprintf(&path, "%s%s%s%s", piped ? RF_PIPED_NAME : "", file + piped, pages ? "#p=" : "",
                 pages ? pages : "") < 0)
        abort();
    fputs("{\"file_path\":", out);
    rf_print_json(out, rf_text(path));
    enum rf_code rc = add_numbers(out, args, err);
    fputs("}", out);
    if (fclose(out) != 0)
        abort();
    free(path);
    return rc;
}

static enum rf_code set_up(struct rf_tools *tools, const struct rf_args *args,
                           struct rf_progress *progress, struct rf_err *err)
{
    struct rf_config *config;
    struct stat st;
    const char *root = args->values[ROOT];
    enum rf_code rc = rf_project_open(&config, RF_PROJECT_READ, err);
    if (rc)
        return rc;
    rf_tools_configure(tools, config);
    if (!args->values[NO_CACHE] && rf_config_cache_folder(config))
        rf_tools_cache(tools, rf_config_cache_folder(config));
    rf_config_close(config);
    if (root && (stat(root, &st) != 0 || !S_ISDIR(st.st_mode))) {
        rf_say(err, RF_ENOTFOUND, "--root: there is no folder \"%s\"", root);
        return RF_ENOTFOUND;
    }
    rf_tools_root(tools, root ? root : ""); /* a person named it */
    if (args->values[LINE_NUMBERS])
        rf_tools_line_numbers(tools);
    if (args->values[OCR] || !args->values[JSON])
        rf_tools_ocr(tools);
    rf_tools_progress(tools, take_step, progress);
    return args->values[PASSWORD_FILE] ? rf_password_take(tools, args->values[PASSWORD_FILE], err)
                                       : RF_OK;
}

static int print_result(struct rf_result *result, const struct rf_args *args)
{
    struct rf_str text;
    struct rf_err err;
    enum rf_code code = rf_result_error(result)->code;
    if (!args->json && code) {
        struct rf_err shown = *rf_result_error(result);
        if (code == RF_EPERMISSION && !shown.hint[0])
            rf_say_hint(&shown, "Name a folder that it lies in with --root.");
        return rf_report(&shown);
    }
    if ((args->json ? rf_result_json : rf_result_text)(result, RF_WITH_FILES, &text, &err))
        return rf_report(&err);
    if (args->json)
        rf_print_document(stdout, text);
    else
        rf_print_lines(stdout, text);
    return rf_exit_status(code);
}

static enum rf_code read_it(struct rf_tools *tools, const struct rf_args *args,
                            struct rf_progress *progress, char **arguments,
                            struct rf_result **result, struct rf_err *err)
{
    enum rf_code rc = set_up(tools, args, progress, err);
    if (!rc)
        rc = hold_input(tools, args, err);
    if (!rc)
        rc = write_arguments(args, arguments, err);
    return rc ? rc : rf_tools_run(tools, "read_file", *arguments, result, err);
}

static int run(const struct rf_args *args)
{
    struct rf_tools *tools = rf_tools_new();
    struct rf_result *result = NULL;
    struct rf_progress progress = { 0 };
    char *arguments = NULL;
    struct rf_err err;
    int status;
    if (!args->word_count) {
        rf_say(&err, RF_EUSAGE, "read needs to know which file");
        rf_say_hint(&err, "As in refract read report.pdf.");
        status = args->json ? rf_report_as_json(&err) : rf_report(&err);
    } else {
        rf_progress_begin(&progress, "reading", -1);
        enum rf_code rc = read_it(tools, args, &progress, &arguments, &result, &err);
        rf_progress_end(&progress);
        status = !rc          ? print_result(result, args)
                 : args->json ? rf_report_as_json(&err)
                              : rf_report(&err);
    }
    rf_result_free(result);
    rf_tools_free(tools);
    free(arguments);
    return status;
}

const struct rf_command rf_cmd_read = {
    .name = "read",
    .synopsis = "refract read [OPTION]... FILE",
    .summary = "read a file as a model would get it",
    .about =
        "Prints the text that a model gets of FILE: a text, a PDF, a document, a picture, sound,\n"
        "video, an archive or a folder. A part may be named after it: report.pdf#p=3-5,\n"
        "book.xlsx#sheet=Q3, shot.png#xywh=0,0,800,600, talk.mp3#t=10-20, hello.py#L10-40,\n"
        "data.json#bytes=0-4095, letter.docx#pictures, page.html#source. A file in an archive:\n"
        "bundle.zip/docs/a.pdf or bundle.zip#docs/a.pdf. - is standard input, -#p=3-5 a part of it.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "FILE",
    .run = run,
};
