/* What is written is what can be read again: the same frames, in the order that a worker may say
 * them. */
#include "media/cache_entry.h"

#include "base/arena.h"
#include "base/crc32.h"
#include "base/file.h"
#include "base/utf8.h"
#include "media/worker_intake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAGIC "refract-cache 1 "
#define HEAD_BYTES (sizeof MAGIC - 1 + 8 + 1) /* the checksum in hex, and a line feed */
#define MAX_INDEX_BYTES ((size_t)512 << 20)
#define FILE_KEY "@file" /* properties that are ours: no worker's name begins so */
#define SIZE_KEY "@size"

/* Writing */

static void put(FILE *f, enum rf_frame_kind kind, struct rf_str s)
{
    struct rf_frame_head head = { (uint32_t)kind, (uint32_t)s.n };
    fwrite(&head, sizeof head, 1, f);
    fwrite(s.p, 1, s.n, f);
}

static void put_text(FILE *f, struct rf_str text)
{
    while (text.n) {
        struct rf_str piece = rf_utf8_cut(text, RF_MAX_FRAME_LENGTH);
        put(f, RF_FRAME_TEXT, piece);
        text = (struct rf_str){ text.p + piece.n, text.n - piece.n };
    }
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_part(FILE *f, const struct rf_job_part *part, struct rf_arena *a)
{
    struct rf_str lines = RF_STR("");
    for (size_t i = 0; i < part->prop_count; i++)
        lines = rf_strf(a, "%s%s=%s\n", lines.p, part->props[i].key.p, part->props[i].value.p);
    if (part->bytes.kind == RF_BYTES_FILE)
        lines = rf_strf(a, "%s%s=%s\n%s=%llu\n", lines.p, FILE_KEY, last_name(part->bytes.path),
                        SIZE_KEY, (unsigned long long)part->bytes.size);
    put(f, RF_FRAME_PART, lines);
    put_text(f, part->text);
}

static void put_job(FILE *f, const struct rf_job *job, struct rf_arena *a)
{
    for (size_t i = 0; i < job->fact_count; i++)
        put(f, RF_FRAME_FACT, rf_strf(a, "%s=%s", job->facts[i].key.p, job->facts[i].value.p));
    put_text(f, job->text);
    for (size_t i = 0; i < job->part_count; i++)
        put_part(f, &job->parts[i], a);
    for (size_t i = 0; i < job->note_count; i++)
        put(f, RF_FRAME_NOTE, job->notes[i]);
    if (job->failed)
        put(f, RF_FRAME_FAIL,
            rf_strf(a, "%s\n%s\n%s\n", rf_code_name(job->failed), job->err.msg, job->err.hint));
    else
        put(f, RF_FRAME_DONE, RF_STR(""));
}

static bool write_index(int fd, struct rf_str frames)
{
    char head[HEAD_BYTES + 1];
    snprintf(head, sizeof head, MAGIC "%08x\n", rf_crc32(frames.p, frames.n));
    FILE *f = fdopen(fd, "wb");
    if (!f) {
        close(fd);
        return false;
    }
    bool written = fwrite(head, 1, HEAD_BYTES, f) == HEAD_BYTES &&
                   fwrite(frames.p, 1, frames.n, f) == frames.n;
    return fclose(f) == 0 && written;
}

static bool has_memory_bytes(const struct rf_job *job)
{
    for (size_t i = 0; i < job->part_count; i++)
        if (job->parts[i].bytes.kind != RF_BYTES_FILE && job->parts[i].bytes.size)
            return true;
    return false;
}

bool rf_cache_entry_write(const char *folder, const struct rf_job *job)
{
    char *frames = NULL;
    size_t n = 0;
    struct rf_arena *a = rf_arena_new();
    FILE *memory = has_memory_bytes(job) ? NULL : open_memstream(&frames, &n);
    bool written = memory;
    if (memory) {
        put_job(memory, job, a);
        written = !ferror(memory);
        written &= fclose(memory) == 0;
    }
    if (written) {
        int fd =
            open(rf_strf(a, "%s/index", folder).p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        written = fd >= 0 && write_index(fd, (struct rf_str){ frames, n });
    }
    free(frames);
    rf_arena_free(a);
    return written;
}

/* Reading */

static bool check_head(struct rf_str index, struct rf_str *frames)
{
    char head[HEAD_BYTES + 1];
    if (index.n < HEAD_BYTES)
        return false;
    *frames = (struct rf_str){ index.p + HEAD_BYTES, index.n - HEAD_BYTES };
    snprintf(head, sizeof head, MAGIC "%08x\n", rf_crc32(frames->p, frames->n));
    return memcmp(head, index.p, HEAD_BYTES) == 0;
}

static bool is_plain_name(struct rf_str name)
{
    return rf_str_starts(name, "part-") && !memchr(name.p, '/', name.n);
}

/* Give the part the file that its last two properties name. */
static bool attach(const char *folder, struct rf_job_part *part, struct rf_arena *a)
{
    struct rf_str name = rf_prop_str(part->props, part->prop_count, FILE_KEY);
    int64_t size = rf_prop_int(part->props, part->prop_count, SIZE_KEY);
    if (!name.n)
        return true;
    if (!is_plain_name(name) || part->prop_count < 2)
        return false;
    const char *path = rf_strf(a, "%s/%s", folder, name.p).p;
    part->prop_count -= 2;
    return !rf_bytes_file("", path, &part->bytes, NULL) && part->bytes.size == (uint64_t)size;
}

static bool take(const char *folder, struct rf_str frames, struct rf_job *job, struct rf_arena *a)
{
    struct rf_intake in;
    rf_intake_begin(&in, job, true, a);
    in.max_bytes = MAX_INDEX_BYTES;
    if (rf_intake_feed(&in, frames) != RF_INTAKE_OVER)
        return false;
    for (size_t i = 0; i < job->part_count; i++)
        if (!attach(folder, &job->parts[i], a))
            return false;
    return true;
}

bool rf_cache_entry_read(const char *folder, struct rf_job *job, struct rf_arena *a)
{
    struct rf_str index, frames;
    struct rf_job before = *job;
    struct rf_arena *own = rf_arena_new();
    const char *path = rf_strf(own, "%s/index", folder).p;
    rf_job_reset(job);
    job->step = NULL;
    bool whole = !rf_file_read(path, MAX_INDEX_BYTES, own, &index, NULL) &&
                 check_head(index, &frames) && take(folder, frames, job, a);
    if (!whole)
        *job = before;
    job->step = before.step;
    rf_arena_free(own);
    return whole;
}

void rf_cache_entry_remove(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
}
