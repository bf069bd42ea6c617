/* The tools as a model calls them: their schemas, reading the arguments, running. What is wrong
 * with arguments is told to the model, who can do better next time; so is that there are no
 * attachments where there is no store. */
#include "source/read.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/loop.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/fields.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_ARGUMENTS ((size_t)1 << 20)

struct arguments {
    struct rf_str path, id, pointer, search;
    int64_t offset, limit, byte_offset, byte_limit, page_start, page_end;
    bool line_numbers;
};

#define AT(member) offsetof(struct arguments, member)

static const struct rf_jfield read_fields[] = {
    { "file_path", RF_FIELD_STR, AT(path), true },
    { "offset", RF_FIELD_INT, AT(offset), false },
    { "limit", RF_FIELD_INT, AT(limit), false },
    { "byte_offset", RF_FIELD_INT, AT(byte_offset), false },
    { "byte_limit", RF_FIELD_INT, AT(byte_limit), false },
    { "page_start", RF_FIELD_INT, AT(page_start), false },
    { "page_end", RF_FIELD_INT, AT(page_end), false },
    { "line_numbers", RF_FIELD_BOOL, AT(line_numbers), false },
};

static const struct rf_jfield view_fields[] = {
    { "path", RF_FIELD_STR, AT(path), true },
};

static const struct rf_jfield attachment_fields[] = {
    { "id", RF_FIELD_STR, AT(id), true },
    { "offset", RF_FIELD_INT, AT(offset), false },
    { "limit", RF_FIELD_INT, AT(limit), false },
    { "pointer", RF_FIELD_STR, AT(pointer), false },
    { "search", RF_FIELD_STR, AT(search), false },
    { "page_start", RF_FIELD_INT, AT(page_start), false },
    { "page_end", RF_FIELD_INT, AT(page_end), false },
};

static const struct tool {
    const char *name, *description, *schema;
    const struct rf_jfield *fields;
    size_t field_count;
    bool view;
    enum rf_code (*run)(struct rf_read *r, struct rf_err *err);
} tools[] = {
    { "read_file",
      "Read a file or list a folder. Text and code come as lines; PDFs, office documents, e-books "
      "and mail as their text, page by page; pictures, sound and video as themselves where the "
      "model takes them, with their facts; archives as a list of what is in them. Long files come "
      "in pieces: the first line of the result says how to go on.",
      "{\"type\":\"object\",\"properties\":{"
      "\"file_path\":{\"type\":\"string\",\"description\":\"Path of the file or folder. A part may "
      "be named after it: report.pdf#p=3-5,8 (pages or slides, counted from 1), "
      "book.xlsx#sheet=Q3, shot.png#xywh=0,0,800,600, talk.mp3#t=10-20 (seconds), "
      "hello.py#L10-40 (lines), data.json#bytes=0-4095, letter.docx#pictures=3-5, "
      "page.html#source. A file in an archive: bundle.zip/docs/a.pdf.\"},"
      "\"offset\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"For text: the first line "
      "to read, counted from 1.\"},"
      "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"For text: how many lines to "
      "read.\"},"
      "\"byte_offset\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Instead of offset, "
      "for lines that are cut: the byte of the text to begin at, counted from 0. The text comes as "
      "it is; characters are never split.\"},"
      "\"byte_limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Instead of limit: how "
      "many bytes to read.\"},"
      "\"page_start\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"For documents: the "
      "first page, slide or sheet to read, counted from 0.\"},"
      "\"page_end\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"For documents: the page "
      "to stop before, counted from 0. At most 20 pages are read at once.\"}},"
      "\"required\":[\"file_path\"]}",
      RF_ROWS(read_fields), false, rf_read_run },
    { "view_image", "Look at a picture: PNG, JPEG, GIF, WebP, BMP, TIFF, ICO, SVG, HEIC or AVIF.",
      "{\"type\":\"object\",\"properties\":{"
      "\"path\":{\"type\":\"string\",\"description\":\"Path of the picture. A piece of it may be "
      "named after it: shot.png#xywh=0,0,800,600.\"}},"
      "\"required\":[\"path\"]}",
      RF_ROWS(view_fields), true, rf_read_run },
    { "read_attachment",
      "Look into an attachment of this conversation by its id (att_...): a long text that was cut, "
      "or a file that was shown before. Text comes in pieces; of JSON one value by its pointer; or "
      "the places where some words stand. The first line of the result says how to go on.",
      "{\"type\":\"object\",\"properties\":{"
      "\"id\":{\"type\":\"string\",\"description\":\"The id, as in att_9f2c41d07ab3.\"},"
      "\"offset\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"For text: the byte to "
      "begin at, counted from 0; also where a search begins. Characters are never split.\"},"
      "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"For text: how many bytes to "
      "read.\"},"
      "\"pointer\":{\"type\":\"string\",\"description\":\"For JSON: a JSON Pointer to the value to "
      "read, as in /users/0/name; the empty one is all of it.\"},"
      "\"search\":{\"type\":\"string\",\"description\":\"For text: words to find, exactly as they "
      "stand there.\"},"
      "\"page_start\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"For documents: the "
      "first page, slide or sheet to read, counted from 0.\"},"
      "\"page_end\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"For documents: the page "
      "to stop before, counted from 0.\"}},"
      "\"required\":[\"id\"]}",
      RF_ROWS(attachment_fields), false, rf_read_attachment },
};

#define TOOL_COUNT (sizeof tools / sizeof *tools)

size_t rf_tools_count(void)
{
    return TOOL_COUNT;
}

const char *rf_tools_name(size_t tool)
{
    return tool < TOOL_COUNT ? tools[tool].name : NULL;
}

const char *rf_tools_description(size_t tool)
{
    return tool < TOOL_COUNT ? tools[tool].description : NULL;
}

const char *rf_tools_schema(size_t tool)
{
    return tool < TOOL_COUNT ? tools[tool].schema : NULL;
}

/* Settings. */

struct rf_tools *rf_tools_new(void)
{
    struct rf_tools *t = calloc(1, sizeof *t);
    if (!t)
        RF_NO_MEMORY();
    for (size_t i = 0; i < RF_LIMIT_COUNT; i++)
        t->limits[i] = rf_limit_rows[i].usual;
    t->no_ocr = true;
    return t;
}

static void forget_password(struct rf_tools *t)
{
    if (t->password)
        explicit_bzero(t->password, strlen(t->password));
    free(t->password);
    t->password = NULL;
}

static void free_held(struct rf_held *h)
{
    free(h->name);
    free(h->bytes);
    free(h);
}

void rf_tools_free(struct rf_tools *t)
{
    if (!t)
        return;
    while (t->held) {
        struct rf_held *gone = t->held;
        t->held = gone->next;
        free_held(gone);
    }
    rf_cache_free(t->cache);
    forget_password(t);
    free(t->root);
    free(t->base);
    free(t->cache_folder);
    free(t);
}

static void set_string(char **at, const char *value)
{
    free(*at);
    *at = strdup(value);
    if (!*at)
        RF_NO_MEMORY();
}

void rf_tools_root(struct rf_tools *t, const char *folder)
{
    set_string(&t->root, folder);
}

void rf_tools_base(struct rf_tools *t, const char *folder)
{
    set_string(&t->base, folder);
}

enum rf_code rf_tools_hold(struct rf_tools *t, const char *name, struct rf_str bytes,
                           struct rf_err *err)
{
    struct rf_held **at = &t->held, *h;
    if (!name || !*name)
        return rf_fail(err, RF_EUSAGE, "a file in memory needs a name");
    if (bytes.n > RF_MAX_FILE_BYTES)
        return rf_fail(err, RF_ELIMIT, "the file has %zu bytes, limit is %llu", bytes.n,
                       RF_MAX_FILE_BYTES);
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (!*at && !(*at = calloc(1, sizeof **at)))
        RF_NO_MEMORY();
    h = *at;
    set_string(&h->name, name);
    free(h->bytes);
    h->bytes = malloc(bytes.n + 1);
    if (!h->bytes)
        RF_NO_MEMORY();
    if (bytes.n)
        memcpy(h->bytes, bytes.p, bytes.n);
    h->size = bytes.n;
    return RF_OK;
}

enum rf_code rf_tools_password(struct rf_tools *t, struct rf_str password, struct rf_err *err)
{
    if (memchr(password.p, '\n', password.n) || memchr(password.p, '\0', password.n))
        return rf_fail(err, RF_EUSAGE, "a password is one line");
    forget_password(t);
    t->password = strndup(password.p, password.n);
    if (!t->password)
        RF_NO_MEMORY();
    return RF_OK;
}

void rf_tools_cache(struct rf_tools *t, const char *folder)
{
    rf_cache_free(t->cache);
    t->cache = NULL;
    set_string(&t->cache_folder, folder);
}

void rf_tools_ocr(struct rf_tools *t)
{
    t->no_ocr = false;
}

void rf_tools_line_numbers(struct rf_tools *t)
{
    t->line_numbers = true;
}

void rf_tools_progress(struct rf_tools *t, bool (*step)(void *context, int64_t done, int64_t of),
                       void *context)
{
    t->step = step;
    t->context = context;
}

void rf_tools_bytes(struct rf_tools *t)
{
    t->with_bytes = true;
}

void rf_tools_stop_at(struct rf_tools *t, int fd)
{
    t->cancel_fd = fd < 0 ? 0 : fd;
}

int64_t rf_tools_limit(const struct rf_tools *t, size_t limit)
{
    return limit < RF_LIMIT_COUNT ? t->limits[limit] : 0;
}

enum rf_code rf_tools_set_limit(struct rf_tools *t, const char *name, int64_t value,
                                struct rf_err *err)
{
    size_t i = rf_limit_find(rf_str(name));
    if (i == RF_LIMIT_COUNT)
        return rf_fail(err, RF_EUSAGE, "there is no limit \"%s\"", name);
    const struct rf_limit_row *row = &rf_limit_rows[i];
    if (value < row->least || value > row->most)
        return rf_fail(err, RF_EUSAGE, "limit \"%s\" must be from %" PRId64 " to %" PRId64, name,
                       row->least, row->most);
    t->limits[i] = value;
    return RF_OK;
}

/* Running. */

/* Tools count pages from 0 and name the first that is not read; nothing after this does. */
static struct rf_pages pages_of(int64_t start, int64_t end)
{
    struct rf_pages p = { 0 };
    if (start < 0 && end < 0)
        return p;
    p.first = start < 0 ? 1 : start < INT32_MAX ? start + 1 : INT32_MAX;
    p.last = end < 0 ? 0 : end < p.first ? -1 : end;
    return p;
}

static enum rf_code read_arguments(const struct tool *tool, const struct rf_jval *arguments,
                                   struct rf_str path, struct rf_read *r, struct rf_err *err)
{
    struct arguments in = { .offset = -1,
                            .limit = -1,
                            .byte_offset = -1,
                            .byte_limit = -1,
                            .page_start = -1,
                            .page_end = -1,
                            .line_numbers = r->tools->line_numbers };
    size_t known = path.n && tool->fields[0].offset == AT(path); /* that field is not looked at */
    if (rf_jval_fields(arguments, NULL, tool->fields + known, tool->field_count - known, r->arena,
                       &in, err)) {
        if (strncmp(err->msg, "page_", 5) == 0)
            rf_hint(err, "Pages count from 0, and page_end is the first that is not read.");
        rf_err_at(err, "arguments");
        return err->code = RF_EUSAGE;
    }
    r->call = (struct rf_read_call){
        .path = path.n ? path : in.path,
        .offset = in.offset,
        .limit = in.limit,
        .byte_offset = in.byte_offset,
        .byte_limit = in.byte_limit,
        .pages = pages_of(in.page_start, in.page_end),
        .line_numbers = in.line_numbers,
        .view = tool->view,
        .id = in.id,
        .pointer = in.pointer,
        .search = in.search,
        .has_pointer = in.pointer.p != NULL,
    };
    return RF_OK;
}

static struct rf_str join(struct rf_read *r)
{
    struct rf_str head, body;
    if (rf_buf_finish(&r->head, &head, NULL) || rf_buf_finish(&r->body, &body, NULL))
        RF_BUG("an output over its limits");
    if (!body.n && head.n)
        head.n--;
    return !head.n ? body : !body.n ? head : rf_str_join(r->arena, head, body);
}

/* In a line of its own, since the first one is also shown. */
struct rf_str rf_read_words(const struct rf_err *failed, struct rf_arena *a)
{
    if (failed->reason == RF_REASON_PASSWORD)
        return rf_strf(a, "%s.\n" RF_NO_PASSWORDS, failed->msg);
    return *failed->hint ? rf_strf(a, "%s. %s", failed->msg, failed->hint)
                         : rf_str_dup(a, rf_str(failed->msg));
}

/* The model reads which file it was, what is wrong with it and what to do about it. */
static void fail(struct rf_result *result, struct rf_str name, const struct rf_err *err)
{
    struct rf_arena *a = result->arena;
    result->err = *err;
    if (err->code == RF_EUNSUPPORTED) /* by a worker; here it is about no model */
        result->err.code = RF_EFORMAT;
    if (name.n)
        rf_err_at(&result->err, rf_cstr(a, name));
    result->message.failed = true;
    result->message.blocks = NULL;
    result->message.block_count = 0;
    result->message.error = rf_read_words(&result->err, a);
}

/* Readers do with less where a worker fails, which is not what is wanted here. */
static enum rf_code was_stopped(const struct rf_tools *t, struct rf_err *err)
{
    if (t->cancel_fd && rf_fd_readable(t->cancel_fd))
        return rf_fail(err, RF_EINTERRUPTED, "reading the file was stopped");
    return RF_OK;
}

/* Was a text unpacked, and all of it asked for? */
static bool is_unpacked_text(const struct rf_read *r)
{
    const struct rf_file_part *part = &r->call.part;
    bool text = !r->bytes.size ||
                (r->format && r->format->kind == RF_KIND_TEXT && !rf_read_is_odd_picture(r->name));
    return r->unpacked && text && r->bytes.size <= RF_MAX_INLINE_TEXT && !part->has_bytes &&
           !part->has_lines && !part->source && !part->pictures;
}

static void tell(struct rf_read *r, struct rf_read_about *about)
{
    *about = (struct rf_read_about){ r->mime, r->count, r->body.n > 0, RF_STR(""), RF_STR("") };
    if (is_unpacked_text(r) && !rf_bytes_all(&r->bytes, r->arena, &about->unpacked, NULL))
        about->name = r->name;
}

static void run(struct rf_tools *t, const struct tool *tool, const struct rf_jval *arguments,
                struct rf_str path, struct rf_read_about *about, struct rf_result *result)
{
    struct rf_read r = { .tools = t, .arena = result->arena, .message = &result->message };
    struct rf_err err = { 0 };
    t->stopped = false;
    rf_read_init(&r);
    if (read_arguments(tool, arguments, path, &r, &err) || tool->run(&r, &err) ||
        was_stopped(t, &err))
        fail(result, r.name, &err);
    else
        result->message.output = join(&r);
    if (about && !result->err.code)
        tell(&r, about);
}

/* An empty result; NULL where there is no such tool. */
static struct rf_result *begin(struct rf_str name, const struct tool **tool, struct rf_err *err)
{
    size_t i = 0;
    while (i < TOOL_COUNT && !rf_str_is(name, tools[i].name))
        i++;
    if (i == TOOL_COUNT) {
        rf_fail(err, RF_EUSAGE, "there is no tool \"%.*s\"", RF_FMT(name));
        rf_hint(err, "The tools are read_file, view_image and read_attachment.");
        return NULL;
    }
    struct rf_result *result = rf_result_new();
    *tool = &tools[i];
    result->message.name = rf_str(tools[i].name);
    return result;
}

static enum rf_code end(const struct rf_tools *t, struct rf_result *result, struct rf_result **out,
                        struct rf_err *err)
{
    if (t->stopped) {
        rf_result_free(result);
        return rf_fail(err, RF_EINTERRUPTED, "reading was stopped");
    }
    *out = result;
    return RF_OK;
}

enum rf_code rf_tools_call(struct rf_tools *t, struct rf_str name, const struct rf_jval *arguments,
                           struct rf_str path, struct rf_read_about *about, struct rf_result **out,
                           struct rf_err *err)
{
    const struct tool *tool;
    struct rf_result *result = begin(name, &tool, err);
    if (!result)
        return RF_EUSAGE;
    run(t, tool, arguments, path, about, result);
    return end(t, result, out, err);
}

static enum rf_code parse_arguments(struct rf_str text, struct rf_arena *a,
                                    const struct rf_jval **out, struct rf_err *err)
{
    if (text.n > MAX_ARGUMENTS)
        return rf_fail(err, RF_EUSAGE, "the arguments are too long");
    if (!rf_jval_parse(rf_str_dup(a, text), a, out, err))
        return RF_OK;
    rf_err_at(err, "arguments");
    return err->code = RF_EUSAGE;
}

enum rf_code rf_tools_run(struct rf_tools *t, const char *name, const char *arguments,
                          struct rf_result **out, struct rf_err *err)
{
    const struct tool *tool;
    const struct rf_jval *root;
    struct rf_err problem = { 0 };
    struct rf_result *result = begin(rf_str(name), &tool, err);
    if (!result)
        return RF_EUSAGE;
    if (parse_arguments(rf_str(arguments), result->arena, &root, &problem))
        fail(result, RF_STR(""), &problem);
    else
        run(t, tool, root, RF_STR(""), NULL, result);
    t->stopped |= result->err.code == RF_EINTERRUPTED;
    return end(t, result, out, err);
}
