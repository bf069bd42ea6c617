/* Files that a person gives along with a question. A whole file goes as itself, by its path, and
 * is examined before anything is asked, so that one that is beyond repair is told to the person
 * and not to the model. So do pages of a PDF, which the plan cuts out of it. Another part, a
 * folder and bytes of no known format go as what read_file makes of them.
 *
 * A web address is fetched, because the person named it, into a folder that goes with the agent; a
 * page that stands in the place of a file is refused, since it would be taken for that.
 *
 * An encrypted file is opened with the password that was given, if any: a PDF goes without its
 * encryption, of another document its text and pictures go. */
#include "agent/agent.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "content/block.h"
#include "media/recipe.h"
#include "net/fetch.h"
#include "source/asset.h"
#include "source/examine.h"
#include "source/part.h"
#include "source/read.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Strings of an attached block live as long as the agent. */
static struct rf_block *add(struct rf_agent *a, enum rf_block_type type, struct rf_source source,
                            struct rf_str name)
{
    struct rf_attached *all = &a->attached;
    struct rf_block *b = RF_PUSH(a->arena, all->blocks, all->count, all->cap);
    *b = (struct rf_block){ .type = type };
    b->media.source = source;
    b->media.name = rf_clean_name(name, a->arena);
    return b;
}

static struct rf_source path_source(struct rf_agent *a, struct rf_str path)
{
    return (struct rf_source){
        .kind = RF_SOURCE_PATH,
        .ref = rf_str_dup(a->arena, path),
        .foreign = a->attached.foreign,
    };
}

static struct rf_source memory_source(struct rf_agent *a, struct rf_str bytes)
{
    return (struct rf_source){ .kind = RF_SOURCE_BYTES, .ref = rf_str_dup(a->arena, bytes) };
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

/* What was found in the file goes along. */
static struct rf_block *attach_whole(struct rf_agent *a, const char *path,
                                     const struct rf_bytes *bytes, enum rf_block_type type,
                                     const struct rf_looked *looked)
{
    bool memory = bytes->kind == RF_BYTES_MEMORY;
    struct rf_str whole = rf_str(path);
    struct rf_block *b =
        add(a, type, memory ? memory_source(a, bytes->text) : path_source(a, whole),
            rf_str_behind(whole, '/'));
    b->media.source.looked = memory ? NULL : looked;
    if (type == RF_BLOCK_DOCUMENT)
        b->media.page_count = looked->look.facts.pages;
    return b;
}

/* A folder, an archive, unknown bytes: what is told of them stands for them. */
static void attach_told(struct rf_agent *a, const char *path, struct rf_str memory,
                        const struct rf_read_about *told, struct rf_str text)
{
    bool folder = strcmp(told->mime, RF_MIME_FOLDER) == 0;
    struct rf_str name = rf_part_last(rf_str(path)), file = rf_str(path);
    const char *archive = memory.n ? NULL : rf_archive_in("", path, a->asking.arena);
    if (archive) /* a folder of it */
        file = rf_str(archive);
    else if (!memory.n && access(path, F_OK) != 0) /* a part of it */
        file.n = rf_part_mark(file);
    struct rf_block *b =
        add(a, RF_BLOCK_DOCUMENT, memory.n ? memory_source(a, memory) : path_source(a, file),
            folder ? rf_str_join(a->asking.arena, name, RF_STR("/")) : name);
    b->media.media_type = rf_str(told->mime);
    b->media.page_count = told->count;
    b->media.extracted_text = rf_str_dup(a->arena, text);
}

/* A piece of a text is a text of its own, under the name that asked for it. */
static void attach_text(struct rf_agent *a, const char *path, struct rf_str text)
{
    struct rf_str name = rf_str_behind(rf_str(path), '/');
    add(a, RF_BLOCK_DOCUMENT, memory_source(a, text), name)->media.media_type =
        RF_STR("text/plain");
}

/* The text that reading it gave, where there is some or nothing else, and the blocks. */
static void take_result(struct rf_agent *a, const char *path, struct rf_str memory,
                        const struct rf_read_about *told, const struct rf_message *m)
{
    struct rf_attached *all = &a->attached;
    if (!m->block_count && told->mime)
        attach_told(a, path, memory, told, m->output);
    else if (!m->block_count || told->has_text)
        attach_text(a, path, m->output);
    for (size_t i = 0; i < m->block_count; i++)
        if (all->sealed && m->blocks[i].media.extracted_text.n)
            attach_text(a, path, m->blocks[i].media.extracted_text);
        else
            *RF_PUSH(a->arena, all->blocks, all->count, all->cap) =
                rf_block_copy(&m->blocks[i], a->arena);
}

/* There may be no session yet: those that were kept are told to it with the message that names
 * them. */
static enum rf_code keep(void *ctx, const struct rf_bytes *bytes, struct rf_arena *arena,
                         struct rf_str *blob, struct rf_err *err)
{
    return rf_history_keep(ctx, bytes, arena, blob, err);
}

/* Tools that read what a person names, wherever it is. */
static struct rf_tools *open_tools(struct rf_agent *a)
{
    struct rf_tools *tools = rf_tools_new();
    rf_tools_root(tools, "");
    tools->cancel_fd = a->halt.fd;
    tools->foreign = a->attached.foreign;
    if (a->workspace.cache)
        rf_tools_cache(tools, a->workspace.cache);
    if (a->workspace.config)
        rf_tools_configure(tools, a->workspace.config);
    if (a->attached.unlocking && rf_tools_password(tools, rf_str(a->workspace.password), NULL))
        RF_BUG("a password that was checked");
    if (a->attached.sealed) { /* all of it; what is too much is for the request to say */
        tools->limits[RF_LIMIT_PAGES] = rf_limit_rows[RF_LIMIT_PAGES].most;
        tools->limits[RF_LIMIT_DOCUMENT_TEXT_BYTES] =
            rf_limit_rows[RF_LIMIT_DOCUMENT_TEXT_BYTES].most;
    }
    if (a->history.store)
        tools->attachments = (struct rf_attachments){ .ctx = &a->history, .keep = keep };
    return tools;
}

static enum rf_code attach_opened(struct rf_agent *a, const char *path, const char *real,
                                  const struct rf_bytes *bytes, struct rf_err *err);

/* A text out of an archive goes as the file that it is. */
static enum rf_code attach_unpacked(struct rf_agent *a, const struct rf_read_about *told,
                                    struct rf_err *err)
{
    const struct rf_bytes bytes = rf_bytes_memory(told->unpacked);
    const char *name = rf_cstr(a->asking.arena, told->name);
    return attach_opened(a, name, name, &bytes, err);
}

/* What read_file makes of a file: of `memory`, where that is not empty, under this name. */
static enum rf_code attach_read(struct rf_agent *a, const char *path, struct rf_str memory,
                                struct rf_err *err)
{
    struct rf_arena *arena = a->asking.arena;
    const struct rf_jmember named = { "file_path", rf_jval_string(rf_str(path), arena) };
    struct rf_tools *tools = open_tools(a);
    struct rf_result *result = NULL;
    struct rf_read_about told = { 0 };
    enum rf_code rc = memory.n ? rf_tools_hold(tools, path, memory, err) : RF_OK;
    if (!rc)
        rc = rf_tools_call(tools, RF_STR("read_file"), rf_jval_object(&named, 1, arena), RF_STR(""),
                           &told, &result, err);
    if (!rc && result->err.code) {
        rc = result->err.code;
        if (err)
            *err = result->err;
    } else if (!rc && told.name.n) {
        rc = attach_unpacked(a, &told, err);
    } else if (!rc) {
        take_result(a, path, memory, &told, &result->message);
    }
    rf_result_free(result);
    rf_tools_free(tools);
    return rc;
}

/* An office file that is encrypted: some open without a password, the worker says. */
static enum rf_code attach_sealed(struct rf_agent *a, const char *path, struct rf_str memory,
                                  struct rf_err *err)
{
    a->attached.sealed = true;
    enum rf_code rc = attach_read(a, path, memory, err);
    a->attached.sealed = false;
    return rc;
}

/* `*out` lives as long as the agent. */
static enum rf_code examine(struct rf_agent *a, const struct rf_bytes *bytes,
                            const struct rf_looked **out, struct rf_err *err)
{
    struct rf_looked *looked = RF_NEW(a->arena, struct rf_looked);
    const struct rf_config_limit *said =
        a->workspace.config ? &a->workspace.config->limits[RF_LIMIT_CACHE_BYTES] : NULL;
    int64_t most = said && said->value ? said->value : rf_limit_rows[RF_LIMIT_CACHE_BYTES].usual;
    struct rf_cache *cache =
        a->workspace.cache ? rf_cache_new(a->workspace.cache, (uint64_t)most) : NULL;
    enum rf_code rc = rf_examine(bytes, cache, a->halt.fd, a->arena, looked, err);
    rf_cache_free(cache);
    *out = looked;
    return rc;
}

/* These pages of a PDF, without its encryption. */
static enum rf_code attach_unlocked(struct rf_agent *a, const char *path, const char *real,
                                    const struct rf_bytes *bytes, const struct rf_pages *pages,
                                    size_t count, struct rf_err *err)
{
    struct rf_arena *arena = a->asking.arena;
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < count; i++) {
        struct rf_job job = {
            .family = "pdf",
            .ask = RF_ASK(arena, .make = RF_MAKE_PAGES, .pages = pages[i],
                          .password = a->workspace.password),
            .input = bytes,
            .cancel_fd = a->halt.fd,
        };
        rf_cache_run(NULL, rf_workers_shared(), &job, 1, arena);
        if (!job.failed && job.part_count)
            rc = attach_opened(a, path, real, &job.parts[0].bytes, err);
        else
            rc = rf_fail(err, job.failed ? job.failed : RF_EFORMAT, "%s: %s", path,
                         job.failed ? job.err.msg : "it has no such pages");
    }
    return rc;
}

static bool is_unlocked(const struct rf_agent *a, const struct rf_inspection *look)
{
    return a->attached.unlocking && look->problem == RF_EENCRYPTED && look->format &&
           look->format->kind == RF_KIND_PDF;
}

/* Is it an office file that is encrypted? Of OpenDocument only its worker can tell. */
static bool is_sealed(struct rf_agent *a, const struct rf_bytes *bytes,
                      const struct rf_inspection *look)
{
    struct rf_str mime = rf_str(look->format->mime);
    bool office = look->format->kind == RF_KIND_OFFICE;
    if (!office || !rf_str_starts(mime, "application/vnd.oasis.opendocument."))
        return office && look->facts.encrypted;
    struct rf_job job = {
        .family = look->format->family,
        .ask = RF_ASK(a->asking.arena, .make = RF_MAKE_TEXT, .mime = mime, .pages = { 1, 1 },
                      .max_text = 1),
        .input = bytes,
        .cancel_fd = a->halt.fd,
    };
    rf_cache_run(NULL, rf_workers_shared(), &job, 1, a->asking.arena);
    return job.failed == RF_EENCRYPTED;
}

/* Pages of a PDF. RF_ECONFIG where it is not one. */
static enum rf_code attach_pages(struct rf_agent *a, const char *path, const struct rf_bytes *bytes,
                                 const struct rf_file_part *part, struct rf_err *err)
{
    const struct rf_looked *looked;
    const char *name = rf_str_behind(rf_str(path), '/').p;
    enum rf_code rc = examine(a, bytes, &looked, err);
    const struct rf_inspection *look = &looked->look;
    if (rc != RF_ESANDBOX && (!look->format || look->format->kind != RF_KIND_PDF))
        return RF_ECONFIG;
    if (!rc && is_unlocked(a, look))
        return attach_unlocked(a, name, path, bytes, part->ranges, part->range_count, err);
    if (!rc && look->problem)
        rc = rf_fail(err, look->problem, "%s: %.*s", name, RF_FMT(look->problem_text));
    int64_t all = rc ? 0 : look->facts.pages;
    for (size_t i = 0; !rc && i < part->range_count; i++)
        if (all && part->ranges[i].first > all)
            rc = rf_fail(err, RF_EUSAGE, "%s: there is no page %" PRId64 ": the last is %" PRId64,
                         name, part->ranges[i].first, all);
    for (size_t i = 0; !rc && i < part->range_count; i++)
        attach_whole(a, path, bytes, RF_BLOCK_DOCUMENT, looked)->media.pages =
            rf_pages_within(part->ranges[i], all);
    return rc;
}

static enum rf_code open_named(const struct rf_agent *a, const char *path, struct rf_bytes *out,
                               struct rf_err *err)
{
    enum rf_code rc = rf_bytes_file("", path, out, err);
    out->own = !rc && !a->attached.foreign;
    return rc;
}

/* Is it nothing but pages that are asked for? Then `real` is the file. */
static bool names_pages(const struct rf_agent *a, const char *path, char real[PATH_MAX],
                        struct rf_bytes *bytes, struct rf_file_part *part)
{
    struct rf_str whole = rf_str(path);
    size_t mark = rf_part_mark(whole);
    if (mark + 1 >= whole.n ||
        rf_part_read((struct rf_str){ path + mark + 1, whole.n - mark - 1 }, part, NULL))
        return false;
    bool more = part->sheet.n || part->has_crop || part->has_time || part->has_bytes ||
                part->has_lines || part->pictures || part->source;
    if (!part->range_count || more)
        return false;
    return realpath(rf_cstr(a->asking.arena, (struct rf_str){ path, mark }), real) &&
           !open_named(a, real, bytes, NULL);
}

/* Grants the file without its part, and the archive that it is in; the path may name a folder. */
static void grant(struct rf_agent *a, const char *path)
{
    struct rf_str whole = rf_str(path);
    const char *archive = rf_archive_in("", path, a->asking.arena);
    if (archive)
        rf_toolbox_grant(&a->tools, archive);
    rf_toolbox_grant(&a->tools, path);
    rf_toolbox_grant(&a->tools,
                     rf_cstr(a->asking.arena, (struct rf_str){ path, rf_part_mark(whole) }));
}

/* A text in another encoding is a text, and so is an empty file, unless its name says something
 * else; of the rest read_file tells. */
static enum rf_code attach_unknown(struct rf_agent *a, const char *path,
                                   const struct rf_bytes *bytes, const struct rf_looked *looked,
                                   struct rf_err *err)
{
    struct rf_reader r = { .fd = -1 };
    struct rf_text_kind kind;
    struct rf_str name = rf_str_behind(rf_str(path), '/');
    const struct rf_format *claimed = rf_format_by_name(name);
    enum rf_code rc = rf_reader_open(&r, bytes, err);
    if (rc)
        return rc;
    bool text = bytes->size ? rf_read_as_text(&r, name, &kind) != NULL
                            : !claimed || claimed->kind == RF_KIND_TEXT;
    rf_reader_close(&r);
    if (!text || bytes->size > RF_MAX_INLINE_TEXT || rf_other_text(name))
        return attach_read(a, path, bytes->text, err);
    attach_whole(a, path, bytes, RF_BLOCK_DOCUMENT, looked);
    return RF_OK;
}

/* `path` is what the person knows the file by, `real` where it is, or its name in memory. */
static enum rf_code attach_opened(struct rf_agent *a, const char *path, const char *real,
                                  const struct rf_bytes *bytes, struct rf_err *err)
{
    const struct rf_looked *looked;
    enum rf_code rc = examine(a, bytes, &looked, err);
    const struct rf_inspection *look = &looked->look;
    if (rc)
        return rc;
    if (!look->format)
        return attach_unknown(a, real, bytes, looked, err);
    if (is_unlocked(a, look))
        return attach_unlocked(a, path, real, bytes, &(struct rf_pages){ 1, 0 }, 1, err);
    if (is_sealed(a, bytes, look))
        return attach_sealed(a, real, bytes->text, err);
    if (look->problem)
        return rf_fail(err, look->problem, "%s: %.*s", path, RF_FMT(look->problem_text));
    if (look->format->kind == RF_KIND_TEXT && rf_other_text(rf_str(real)))
        return attach_read(a, real, bytes->text, err); /* as it reads, with the pictures in it */
    attach_whole(a, real, bytes, rf_block_type_for(meant(real, look)), looked);
    return RF_OK;
}

static enum rf_code attach(struct rf_agent *a, const char *path, struct rf_err *err)
{
    struct rf_bytes bytes;
    struct rf_file_part part;
    char real[PATH_MAX];
    bool relative = path[0] != '/' && a->workspace.base && *a->workspace.base;
    const char *full =
        relative ? rf_strf(a->asking.arena, "%s/%s", a->workspace.base, path).p : path;
    grant(a, full);
    bool found = realpath(full, real);
    if (!found && names_pages(a, full, real, &bytes, &part)) {
        enum rf_code rc = attach_pages(a, real, &bytes, &part, err);
        if (rc != RF_ECONFIG)
            return rc;
    }
    if (!found || open_named(a, real, &bytes, err))
        return attach_read(a, full, RF_STR(""),
                           err); /* a part, a folder, or something that says what is wrong */
    return attach_opened(a, path, real, &bytes, err);
}

static enum rf_code attach_either_way(struct rf_agent *a, const char *path, struct rf_err *err)
{
    enum rf_code rc = attach(a, path, err);
    a->attached.unlocking = rf_workspace_unlocks(&a->workspace, rc);
    if (a->attached.unlocking)
        rc = attach(a, path, err);
    a->attached.unlocking = false;
    if (rc == RF_EENCRYPTED && err)
        err->reason = RF_REASON_PASSWORD;
    return rc;
}

/* Web addresses */

/* A login page has the address of the file that it stands before. */
static enum rf_code check_fetched(const char *path, struct rf_str name, struct rf_err *err)
{
    const struct rf_format *claimed = rf_format_by_name(name), *found = NULL;
    struct rf_reader r = { .fd = -1 };
    struct rf_bytes bytes;
    enum rf_code rc = rf_bytes_file("", path, &bytes, err);
    if (!rc)
        rc = rf_reader_open(&r, &bytes, err);
    if (!rc)
        found = rf_sniff(&r);
    rf_reader_close(&r);
    if (rc || !claimed || claimed->kind == RF_KIND_TEXT || !found || found->kind != RF_KIND_TEXT)
        return rc;
    rf_fail(err, RF_EPROVIDER, "the server sent %s, and no %s as the address says", found->label,
            claimed->label);
    rf_hint(err, "What needs a login cannot be fetched: download it in a browser, and name the "
                 "file.");
    return RF_EPROVIDER;
}

/* What stands after "#" is a part of the file, or a place in a page, which does not matter. */
static struct rf_str part_of(struct rf_str url, struct rf_str *address)
{
    struct rf_file_part part;
    size_t mark = rf_part_mark(url);
    struct rf_str rest = { url.p + mark, url.n - mark };
    *address = (struct rf_str){ url.p, mark };
    return rest.n > 1 && !rf_part_read((struct rf_str){ rest.p + 1, rest.n - 1 }, &part, NULL)
               ? rest
               : RF_STR("");
}

static enum rf_code fetch(struct rf_agent *a, struct rf_str address, const char **path,
                          struct rf_err *err)
{
    struct rf_toolbox *t = &a->tools;
    struct rf_temporary folder = { 0 };
    struct rf_fetched got;
    enum rf_code rc = rf_temporary_make(&folder, err);
    if (rc)
        return rc;
    *RF_PUSH(t->arena, t->fetched, t->fetched_count, t->fetched_cap) = folder;
    const struct rf_fetching fetching = {
        .config = a->workspace.config,
        .named = true,
        .url = address,
        .folder = folder.path,
        .cancel_fd = a->halt.fd,
    };
    struct rf_net *net = rf_net_new();
    rc = rf_fetch(net, &fetching, a->asking.arena, &got, err);
    rf_net_free(net);
    if (rc)
        return rc;
    *path = rf_strf(a->asking.arena, "%s/%.*s", folder.path, RF_FMT(got.name)).p;
    if (rename(got.path, *path) != 0)
        return rf_fail_errno(err, "could not keep what was fetched");
    return check_fetched(*path, got.name, err);
}

static enum rf_code attach_address(struct rf_agent *a, struct rf_str url, struct rf_err *err)
{
    struct rf_arena *arena = a->asking.arena;
    struct rf_str address, part = part_of(url, &address);
    const char *path = NULL;
    enum rf_code rc = fetch(a, address, &path, err);
    if (rc) {
        rf_err_at(err, rf_cstr(arena, rf_clean_url(address, arena)));
        return rc;
    }
    a->attached.foreign = true;
    rc = attach_either_way(a, rf_str_join(arena, rf_str(path), part).p, err);
    a->attached.foreign = false;
    return rc;
}

/* What was to be stopped has stopped: the next question is asked. */
static enum rf_code fail_stopped(struct rf_agent *a, struct rf_err *err)
{
    enum rf_code rc = rf_halt_fail(&a->halt, err);
    rf_halt_calm(&a->halt);
    return rc;
}

/* All of what is named goes along or nothing, and what does not may not be read by the model
 * either. */
enum rf_code rf_agent_attach(struct rf_agent *a, const char *path, struct rf_err *err)
{
    size_t granted = rf_toolbox_granted(&a->tools), count = a->attached.count;
    if (!count)
        a->attached.granted_before = granted;
    enum rf_code rc = rf_web_is_address(rf_str(path)) ? attach_address(a, rf_str(path), err)
                                                      : attach_either_way(a, path, err);
    if (rc) {
        rf_toolbox_revoke(&a->tools, granted);
        a->attached.count = count;
    }
    return rc == RF_EINTERRUPTED ? fail_stopped(a, err) : rc;
}

enum rf_code rf_agent_attach_bytes(struct rf_agent *a, struct rf_str bytes, const char *name,
                                   struct rf_err *err)
{
    const struct rf_bytes memory = rf_bytes_memory(bytes);
    if (!name || !*name)
        return rf_fail(err, RF_EUSAGE, "a file in memory needs a name");
    if (!bytes.n || !bytes.p)
        return rf_fail(err, RF_EFORMAT, "%s: the file is empty", name);
    if (bytes.n > RF_MAX_FILE_BYTES)
        return rf_fail(err, RF_ELIMIT, "%s: the file has %zu bytes, limit is %llu", name, bytes.n,
                       RF_MAX_FILE_BYTES);
    if (!a->attached.count)
        a->attached.granted_before = rf_toolbox_granted(&a->tools);
    enum rf_code rc = attach_opened(a, name, name, &memory, err);
    return rc == RF_EINTERRUPTED ? fail_stopped(a, err) : rc;
}

/* Is it a file, one in an archive, or a folder inside of the folder? */
static enum rf_code check_inside(const struct rf_agent *a, const char *path, struct rf_err *err)
{
    const char *base = a->workspace.base && *a->workspace.base ? a->workspace.base : ".";
    const char *root = a->workspace.root && *a->workspace.root ? a->workspace.root : base;
    const char *full = path[0] != '/' ? rf_strf(a->asking.arena, "%s/%s", base, path).p : path;
    struct rf_bytes bytes;
    int fd;
    enum rf_code rc = rf_bytes_file(root, full, &bytes, err);
    if (rc == RF_ENOTFOUND && rf_archive_in(root, full, a->asking.arena))
        return RF_OK;
    if (rc != RF_EFORMAT || rf_folder_open(root, full, &fd, NULL))
        return rc;
    close(fd);
    return RF_OK;
}

enum rf_code rf_agent_attach_named(struct rf_agent *a, const char *path, struct rf_err *err)
{
    if (rf_web_is_address(rf_str(path))) {
        rf_fail(err, RF_EPERMISSION, "%s: a web address is fetched where a person types it", path);
        return RF_EPERMISSION;
    }
    enum rf_code rc = check_inside(a, path, err);
    size_t mark = rf_part_mark(rf_str(path));
    if (rc == RF_ENOTFOUND && path[mark])
        rc = check_inside(a, rf_cstr(a->asking.arena, (struct rf_str){ path, mark }), err);
    return rc ? rc : rf_agent_attach(a, path, err);
}

void rf_agent_detach(struct rf_agent *a)
{
    if (a->attached.count)
        rf_toolbox_revoke(&a->tools, a->attached.granted_before);
    a->attached.count = 0;
}

struct rf_message rf_agent_user_message(struct rf_agent *a, const struct rf_enriched *said)
{
    const struct rf_attached *files = &a->attached;
    const struct rf_str words[] = { said->text, said->note };
    struct rf_message m = {
        .role = RF_ROLE_USER,
        .blocks = RF_ARRAY(a->asking.arena, struct rf_block, files->count + 2),
    };
    for (size_t i = 0; i < files->count; i++)
        m.blocks[m.block_count++] = files->blocks[i];
    for (size_t i = 0; i < 2; i++)
        if (words[i].n)
            m.blocks[m.block_count++] =
                (struct rf_block){ .type = RF_BLOCK_TEXT, .text = words[i] };
    return m;
}
