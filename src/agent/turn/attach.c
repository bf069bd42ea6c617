/* Files that a person gives along with a question. A whole file goes as itself, by its path, and
 * is examined before anything is asked, so that one that is beyond repair is told to the person
 * and not to the model. So do pages of a PDF, which the plan cuts out of it. Another part, a
 * folder and bytes of no known format go as what read_file makes of them. */
#include "agent/agent.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "config/config.h"
#include "source/asset.h"
#include "source/examine.h"
#include "source/part.h"
#include "source/read.h"
#include "store/store.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* A block that is being written. */
struct draft {
    struct rf_rope rope;
    struct rf_json w;
};

static struct rf_json *begin(struct rf_agent *a, struct draft *d, const char *type)
{
    rf_rope_init(&d->rope, a->arena);
    rf_json_init(&d->w, &d->rope);
    rf_json_obj(&d->w, NULL);
    rf_json_str(&d->w, "type", rf_str(type));
    return &d->w;
}

static void finish(struct rf_agent *a, struct draft *d)
{
    struct rf_str text;
    rf_json_end(&d->w);
    if (rf_json_finish(&d->w, NULL) || rf_rope_flatten(&d->rope, SIZE_MAX, a->arena, &text, NULL))
        RF_BUG("a block in memory could not be written");
    *RF_PUSH(a->arena, a->attached.items, a->attached.count, a->attached.cap) = text;
}

/* A page that was saved as a picture is still meant as one: the request says what became of it. */
static enum rf_kind meant(const char *path, const struct rf_inspection *look)
{
    const struct rf_format *named = rf_format_by_name(rf_str(path));
    enum rf_kind kind = named ? named->kind : look->format->kind;
    bool media = kind == RF_KIND_IMAGE || kind == RF_KIND_PDF || kind == RF_KIND_AUDIO ||
                 kind == RF_KIND_VIDEO;
    return media && look->format->kind == RF_KIND_TEXT ? kind : look->format->kind;
}

static void attach_whole(struct rf_agent *a, const char *path, enum rf_block_type type,
                         int64_t pages)
{
    struct draft d;
    struct rf_json *w = begin(a, &d, rf_block_type_name(type));
    rf_json_str(w, "source_path", rf_str(path));
    rf_json_str(w, "name", rf_str_behind(rf_str(path), '/'));
    if (pages > 0)
        rf_json_int(w, "page_count", pages);
    finish(a, &d);
}

static struct rf_str last_step(struct rf_str path)
{
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    return rf_str_behind(path, '/');
}

/* A folder, an archive, bytes that nobody knows: what is told of them stands for them. */
static void attach_told(struct rf_agent *a, const char *path, const struct rf_tool_result *told)
{
    struct draft d;
    struct rf_json *w = begin(a, &d, "document");
    bool folder = strcmp(told->mime, RF_MIME_FOLDER) == 0;
    struct rf_str name = last_step(rf_str(path)), file = rf_str(path);
    if (access(path, F_OK) != 0) /* a part of it */
        file.n = rf_part_mark(file);
    rf_json_str(w, "source_path", file);
    rf_json_str(w, "name", folder ? rf_str_join(a->question, name, RF_STR("/")) : name);
    rf_json_str(w, "media_type", rf_str(told->mime));
    if (told->count)
        rf_json_int(w, "page_count", told->count);
    rf_json_str(w, "extracted_text", told->message.output);
    finish(a, &d);
}

/* A piece of a text is a text of its own, under the name that asked for it. */
static void attach_text(struct rf_agent *a, const char *path, struct rf_str text)
{
    struct draft d;
    struct rf_json *w = begin(a, &d, "document");
    struct rf_bytes bytes = rf_bytes_memory(text);
    rf_json_base64(w, "data", &bytes);
    rf_json_str(w, "media_type", RF_STR("text/plain"));
    rf_json_str(w, "name", rf_str_behind(rf_str(path), '/'));
    finish(a, &d);
}

/* The text that reading it gave, where there is some or nothing else, and the blocks. */
static enum rf_code take_result(struct rf_agent *a, const char *path, struct rf_tool_result *result,
                                struct rf_err *err)
{
    const struct rf_jval *root;
    struct rf_str json;
    if (!result->message.block_count && result->mime)
        attach_told(a, path, result);
    else if (!result->message.block_count || result->has_text)
        attach_text(a, path, result->message.output);
    if (!result->message.block_count)
        return RF_OK;
    struct rf_arena *scratch = rf_arena_new();
    enum rf_code rc = rf_tool_result_json(result, &json, err);
    if (!rc)
        rc = rf_jval_parse(json, scratch, &root, err);
    const struct rf_jval *blocks = rc ? NULL : rf_jval_get(root, "content_blocks");
    for (const struct rf_jval *b = blocks ? rf_jval_first(blocks) : NULL; b;
         b = rf_jval_next(blocks, b))
        *RF_PUSH(a->arena, a->attached.items, a->attached.count, a->attached.cap) =
            rf_jval_compact(b, a->arena);
    rf_arena_free(scratch);
    return rc;
}

static struct rf_str arguments_of(const char *path, struct rf_arena *arena)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    rf_rope_init(&rope, arena);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str(&w, "file_path", rf_str(path));
    rf_json_end(&w);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, arena, &text, NULL))
        RF_BUG("arguments in memory could not be written");
    return text;
}

/* There may be no session yet: those that were kept are told to it with the message that names
 * them. */
static enum rf_code keep(void *ctx, const struct rf_bytes *bytes, struct rf_arena *arena,
                         struct rf_str *blob, struct rf_err *err)
{
    struct rf_agent *a = ctx;
    struct rf_hash hash;
    enum rf_code rc = rf_store_keep(a->store, bytes, arena, &hash, err);
    if (rc)
        return rc;
    *blob = rf_hash_write(&hash, arena);
    rf_agent_list_add(a, &a->kept, *blob);
    return RF_OK;
}

/* Tools that read what a person names, wherever it is. */
static struct rf_tools *open_tools(struct rf_agent *a)
{
    struct rf_tools *tools = rf_tools_new();
    rf_tools_root(tools, "");
    if (a->cache)
        rf_tools_cache(tools, a->cache);
    if (a->config)
        rf_tools_configure(tools, a->config);
    if (a->store)
        tools->attachments = (struct rf_attachments){ .ctx = a, .keep = keep };
    return tools;
}

static enum rf_code attach_read(struct rf_agent *a, const char *path, struct rf_err *err)
{
    struct rf_tools *tools = open_tools(a);
    struct rf_tool_result *result = NULL;
    enum rf_code rc =
        rf_tools_run(tools, "read_file", arguments_of(path, a->question).p, &result, err);
    if (!rc && rf_tool_result_code(result)) {
        rc = rf_tool_result_code(result);
        if (err)
            *err = *rf_tool_result_error(result);
    } else if (!rc) {
        rc = take_result(a, path, result, err);
    }
    rf_tool_result_free(result);
    rf_tools_free(tools);
    return rc;
}

static enum rf_code examine(struct rf_agent *a, const struct rf_bytes *bytes,
                            struct rf_inspection *out, struct rf_err *err)
{
    const struct rf_config_limit *said =
        a->config ? &a->config->limits[RF_LIMIT_CACHE_BYTES] : NULL;
    int64_t most = said && said->value ? said->value : rf_limit_rows[RF_LIMIT_CACHE_BYTES].usual;
    struct rf_cache *cache = a->cache ? rf_cache_new(a->cache, (uint64_t)most) : NULL;
    enum rf_code rc = rf_examine(bytes, cache, a->question, out, err);
    rf_cache_free(cache);
    return rc;
}

/* Pages of a PDF */

static void attach_run(struct rf_agent *a, const char *path, struct rf_pages run, int64_t all)
{
    struct draft d;
    struct rf_json *w = begin(a, &d, "document");
    rf_json_str(w, "source_path", rf_str(path));
    rf_json_str(w, "name", rf_str_behind(rf_str(path), '/'));
    if (all)
        rf_json_int(w, "page_count", all);
    rf_json_arr(w, "page_range");
    rf_json_int(w, NULL, run.first - 1);
    rf_json_int(w, NULL, run.last ? run.last : INT64_MAX);
    rf_json_end(w);
    finish(a, &d);
}

static enum rf_code attach_pages(struct rf_agent *a, const char *path, const struct rf_bytes *bytes,
                                 const struct rf_file_part *part, struct rf_err *err)
{
    struct rf_inspection look;
    const char *name = rf_str_behind(rf_str(path), '/').p;
    enum rf_code rc = examine(a, bytes, &look, err);
    if (!rc && look.problem)
        rc = rf_fail(err, look.problem, "%s: %.*s", name, RF_FMT(look.problem_text));
    int64_t all = rc ? 0 : look.facts.pages;
    for (size_t i = 0; !rc && i < part->range_count; i++)
        if (all && part->ranges[i].first > all)
            rc = rf_fail(err, RF_EUSAGE, "%s: there is no page %" PRId64 ": the last is %" PRId64,
                         name, part->ranges[i].first, all);
    for (size_t i = 0; !rc && i < part->range_count; i++)
        attach_run(a, path, rf_pages_within(part->ranges[i], all), all);
    return rc;
}

static enum rf_code open_named(const char *path, struct rf_bytes *out, struct rf_err *err)
{
    enum rf_code rc = rf_bytes_file("", path, out, err);
    out->own = !rc;
    return rc;
}

/* Is it nothing but pages that are asked for, of a PDF? Then `real` is the PDF. */
static bool names_pages(const char *path, struct rf_arena *arena, char real[PATH_MAX],
                        struct rf_bytes *bytes, struct rf_file_part *part)
{
    struct rf_str whole = rf_str(path);
    size_t mark = rf_part_mark(whole);
    struct rf_inspection look;
    if (mark + 1 >= whole.n ||
        rf_part_read((struct rf_str){ path + mark + 1, whole.n - mark - 1 }, part, NULL))
        return false;
    bool more = part->sheet.n || part->has_crop || part->has_time || part->has_bytes ||
                part->pictures || part->source;
    if (!part->range_count || more)
        return false;
    return realpath(rf_cstr(arena, (struct rf_str){ path, mark }), real) &&
           !open_named(real, bytes, NULL) && !rf_inspect(bytes, arena, &look, NULL) &&
           look.format && look.format->kind == RF_KIND_PDF;
}

/* Grants the file without its part; the path may name a folder. */
static void grant(struct rf_agent *a, const char *path)
{
    struct rf_str whole = rf_str(path);
    rf_agent_grant(a, path);
    rf_agent_grant(a, rf_cstr(a->question, (struct rf_str){ path, rf_part_mark(whole) }));
}

/* A text in another encoding is a text, and so is an empty file, unless its name says something
 * else; of the rest read_file tells. */
static enum rf_code attach_unknown(struct rf_agent *a, const char *path,
                                   const struct rf_bytes *bytes, struct rf_err *err)
{
    struct rf_reader r = { .fd = -1 };
    struct rf_text_kind kind;
    struct rf_str name = rf_str_behind(rf_str(path), '/');
    const struct rf_format *claimed = rf_format_by_name(name);
    enum rf_code rc = rf_reader_open(&r, bytes, err);
    if (rc)
        return rc;
    bool text =
        bytes->size ? rf_read_is_text(&r, name, &kind) : !claimed || claimed->kind == RF_KIND_TEXT;
    rf_reader_close(&r);
    if (!text || bytes->size > RF_MAX_INLINE_TEXT)
        return attach_read(a, path, err);
    attach_whole(a, path, RF_BLOCK_DOCUMENT, 0);
    return RF_OK;
}

static enum rf_code attach(struct rf_agent *a, const char *path, struct rf_err *err)
{
    struct rf_inspection look;
    struct rf_bytes bytes;
    struct rf_file_part part;
    char real[PATH_MAX];
    bool relative = path[0] != '/' && a->base && *a->base;
    const char *full = relative ? rf_strf(a->question, "%s/%s", a->base, path).p : path;
    grant(a, full);
    bool found = realpath(full, real);
    if (!found && names_pages(full, a->question, real, &bytes, &part)) {
        enum rf_code rc = attach_pages(a, real, &bytes, &part, err);
        if (rc != RF_ECONFIG) /* else nobody here knows its pages */
            return rc;
    }
    if (!found || open_named(real, &bytes, err))
        return attach_read(a, full,
                           err); /* a part, a folder, or something that says what is wrong */
    enum rf_code rc = examine(a, &bytes, &look, err);
    if (rc)
        return rc;
    if (!look.format)
        return attach_unknown(a, real, &bytes, err);
    if (look.problem)
        return rf_fail(err, look.problem, "%s: %.*s", path, RF_FMT(look.problem_text));
    if (look.format->kind == RF_KIND_TEXT && rf_other_text(rf_str(real)))
        return attach_read(a, real, err); /* as it reads, with the pictures that hang on it */
    attach_whole(a, real, rf_block_type_for(meant(real, &look)), look.facts.pages);
    return RF_OK;
}

/* What does not go along may not be read by the model either. */
enum rf_code rf_agent_attach(struct rf_agent *a, const char *path, struct rf_err *err)
{
    size_t granted = a->granted.count;
    if (!a->attached.count)
        a->granted_before = granted;
    enum rf_code rc = attach(a, path, err);
    if (rc)
        a->granted.count = granted;
    return rc;
}

/* Is it a file or a folder inside of the folder? */
static enum rf_code check_inside(const struct rf_agent *a, const char *path, struct rf_err *err)
{
    const char *base = a->base && *a->base ? a->base : ".";
    const char *root = a->root && *a->root ? a->root : base;
    const char *full = path[0] != '/' ? rf_strf(a->question, "%s/%s", base, path).p : path;
    struct rf_bytes bytes;
    int fd;
    enum rf_code rc = rf_bytes_file(root, full, &bytes, err);
    if (rc != RF_EFORMAT || rf_folder_open(root, full, &fd, NULL))
        return rc;
    close(fd);
    return RF_OK;
}

enum rf_code rf_agent_attach_named(struct rf_agent *a, const char *path, struct rf_err *err)
{
    enum rf_code rc = check_inside(a, path, err);
    size_t mark = rf_part_mark(rf_str(path));
    if (rc == RF_ENOTFOUND && path[mark])
        rc = check_inside(a, rf_cstr(a->question, (struct rf_str){ path, mark }), err);
    return rc ? rc : rf_agent_attach(a, path, err);
}

void rf_agent_detach(struct rf_agent *a)
{
    if (a->attached.count)
        a->granted.count = a->granted_before;
    a->attached.count = 0;
}

static void write_text(struct rf_json *w, struct rf_str text)
{
    if (!text.n)
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", text);
    rf_json_end(w);
}

struct rf_str rf_agent_user_message(struct rf_agent *a, const struct rf_enriched *said,
                                    struct rf_arena *arena)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(arena, struct rf_json);
    struct rf_str text;
    rf_rope_init(&rope, arena);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("user"));
    rf_json_arr(w, "content");
    for (size_t i = 0; i < a->attached.count; i++)
        rf_json_raw(w, NULL, a->attached.items[i]);
    write_text(w, said->text);
    write_text(w, said->note);
    rf_json_end(w);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, arena, &text, NULL))
        RF_BUG("a message in memory could not be written");
    return text;
}
