/* What a person is told of files that a question names: announced, and not loaded.
 *
 *     ~ book.pdf       pdf    2.6 MB: announced; the model may read it
 *     ~ docs/          folder announced; the model may read it
 *     ~ notes.txt      text   6 B: named in the text, not by you; the model may read it */
#include "agent/agent.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "source/inspect.h"
#include "source/part.h"

#include <inttypes.h>
#include <sys/stat.h>

#define NAME_WIDTH 14
#define KIND_WIDTH 6

static void add_facts(struct rf_buf *b, const char *path, bool folder, struct rf_arena *arena)
{
    struct rf_inspection look = { 0 };
    struct rf_bytes bytes = { 0 };
    if (folder) {
        rf_buf_addf(b, "%-*s ", KIND_WIDTH, "folder");
        return;
    }
    bool known = !rf_bytes_file("", path, &bytes, NULL) && !rf_inspect(&bytes, arena, &look, NULL);
    const char *kind = known && look.format ? rf_kind_name(look.format->kind) : "file";
    rf_buf_addf(b, "%-*s ", KIND_WIDTH, kind);
    if (!known)
        return;
    if (look.facts.width)
        rf_buf_addf(b, "%" PRIu32 "x%" PRIu32 ", ", look.facts.width, look.facts.height);
    if (bytes.size < 1000)
        rf_buf_addf(b, "%" PRIu64 " B: ", (uint64_t)bytes.size);
    else if (bytes.size < 1000000)
        rf_buf_addf(b, "%" PRIu64 " KB: ", (uint64_t)(bytes.size + 500) / 1000);
    else
        rf_buf_addf(b, "%.1f MB: ", (double)bytes.size / 1e6);
}

void rf_agent_announce(struct rf_agent *a, const struct rf_reference *r)
{
    struct rf_arena *scratch = rf_arena_new();
    const char *path = r->path;
    struct stat st;
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    struct rf_str name = rf_part_last(rf_str(path));
    struct rf_agent_event e = { .type = RF_AGENT_REFERENCE, .name = rf_str(path) };
    struct rf_buf b;
    rf_buf_init(&b, scratch, SIZE_MAX);
    name = rf_strf(scratch, "%.*s%s", RF_FMT(name), folder ? "/" : "");
    rf_buf_addf(&b, "~ %-*s ", NAME_WIDTH, name.p);
    add_facts(&b, path, folder, scratch);
    rf_buf_addf(&b, r->origin == RF_ORIGIN_TYPED
                        ? "announced; the model may read it"
                        : "named in the text, not by you; the model may read it");
    if (!rf_buf_finish(&b, &e.text, NULL))
        rf_listener_tell(&a->listener, &e);
    rf_arena_free(scratch);
}
