#include "file_calls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "progress.h"
#include "report.h"
#include "text.h"

static char *arguments_of(const char *file)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        abort();
    fputs("{\"file_path\":", out);
    rf_print_json(out, rf_text(file));
    fputs("}", out);
    if (fclose(out) != 0)
        abort();
    return text;
}

static enum rf_code add_call(struct rf_content *said, const char *id, const char *file,
                             struct rf_err *err)
{
    char *arguments = arguments_of(file);
    const struct rf_call call = { .size = sizeof call,
                                  .id = rf_text(id),
                                  .name = rf_text("read_file"),
                                  .arguments = rf_text(arguments) };
    enum rf_code rc = rf_content_call(said, &call, err);
    free(arguments);
    return rc;
}

static bool is_empty(const char *file)
{
    struct stat st;
    return stat(file, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size;
}

/* Of a folder a list goes, and nothing of what is in it. */
static void name_of(const char *file, char out[PATH_MAX])
{
    struct stat st;
    size_t n = strlen(file);
    while (n > 1 && file[n - 1] == '/')
        n--;
    const char *slash = memrchr(file, '/', n - 1);
    const char *name = slash ? slash + 1 : file;
    bool folder = stat(file, &st) == 0 && S_ISDIR(st.st_mode);
    snprintf(out, PATH_MAX, "%.*s%s", (int)(file + n - name), name, folder ? "/ (a listing)" : "");
}

/* An archive, an empty file, unknown bytes: the words about it are not its text. */
static bool is_only_told(struct rf_tools *tools, const char *file)
{
    struct rf_preview *p = NULL;
    struct rf_err unseen;
    struct stat st;
    if (stat(file, &st) != 0 || !S_ISREG(st.st_mode) || rf_preview_open(tools, file, &p, &unseen))
        return false; /* a part of one */
    struct rf_str mime = rf_preview_mime(p), bytes = rf_text("application/octet-stream");
    bool told = mime.n == bytes.n && memcmp(mime.p, bytes.p, bytes.n) == 0;
    rf_preview_close(p);
    return told;
}

/* What is only text has a line in the report too where it is a file. */
static enum rf_code add_text(struct rf_tools *tools, struct rf_conversation *c, const char *id,
                             const char *file, const struct rf_result *read, struct rf_err *err)
{
    char name[PATH_MAX];
    name_of(file, name);
    struct rf_file text = { .size = sizeof text, .name = rf_text(name) };
    struct rf_str output = rf_message_output(rf_result_message(read));
    if (is_only_told(tools, file)) {
        text.type = RF_BLOCK_DOCUMENT;
        text.path = rf_text(file);
        text.extracted_text = is_empty(file) ? rf_text("") : output;
    } else {
        text.bytes = output;
        text.media_type = rf_text("text/plain");
    }
    struct rf_result *whole = rf_result_new();
    enum rf_code rc = rf_content_file(rf_result_content(whole), &text, err);
    if (!rc)
        rc = rf_conversation_result(c, rf_text(id), rf_text("read_file"), whole, err);
    rf_result_free(whole);
    return rc;
}

static enum rf_code add_result(struct rf_tools *tools, struct rf_conversation *c, const char *id,
                               const char *file, struct rf_err *err)
{
    struct rf_result *read = NULL;
    char *arguments = arguments_of(file);
    enum rf_code rc = rf_tools_run(tools, "read_file", arguments, &read, err);
    free(arguments);
    if (!rc && rf_result_error(read)->code) {
        *err = *rf_result_error(read);
        rc = err->code;
    }
    if (!rc && !rf_message_file(rf_result_message(read), NULL))
        rc = add_text(tools, c, id, file, read, err);
    else if (!rc)
        rc = rf_conversation_result(c, rf_text(id), rf_text("read_file"), read, err);
    rf_result_free(read);
    return rc;
}

static enum rf_code talk(struct rf_tools *tools, const char *const *files, size_t count,
                         struct rf_conversation *c, struct rf_err *err)
{
    struct rf_content *asked, *said;
    char id[32];
    enum rf_code rc = rf_conversation_user(c, RF_SPEAKER_USER, &asked, err);
    if (!rc)
        rc = rf_content_text(asked, rf_text("What do these say?"), err);
    if (!rc)
        rc = rf_conversation_assistant(c, rf_text(""), rf_text(""), &said, err);
    for (size_t i = 0; !rc && i < count; i++) {
        snprintf(id, sizeof id, "call_%zu", i + 1);
        rc = add_call(said, id, files[i], err);
    }
    for (size_t i = 0; !rc && i < count; i++) {
        snprintf(id, sizeof id, "call_%zu", i + 1);
        rc = add_result(tools, c, id, files[i], err);
    }
    return rc;
}

enum rf_code rf_file_calls(const struct rf_config *config, const struct rf_model *reader,
                           const char *const *files, size_t count, struct rf_conversation **out,
                           struct rf_err *err)
{
    struct rf_tools *tools = rf_tools_new();
    struct rf_conversation *c = rf_conversation_new();
    struct rf_progress progress;
    rf_tools_configure(tools, config);
    if (reader)
        rf_tools_fit(tools, reader);
    rf_tools_root(tools, ""); /* a person named them */
    if (rf_config_cache_folder(config))
        rf_tools_cache(tools, rf_config_cache_folder(config));
    rf_progress_begin(&progress, "reading", -1);
    enum rf_code rc = talk(tools, files, count, c, err);
    rf_progress_end(&progress);
    rf_tools_free(tools);
    if (rc)
        rf_conversation_free(c);
    else
        *out = c;
    return rc;
}
