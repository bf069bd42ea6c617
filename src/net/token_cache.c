#include "net/token_cache.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/json_write.h"
#include "config/config.h"
#include "store/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT 8
#define MAX_FILE 65536

/* In memory. */

static struct {
    pthread_mutex_t lock;
    struct {
        char *name, *token;
        int64_t expires;
    } entries[KEPT];
    size_t next;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool recall_here(const char *name, int64_t now, struct rf_arena *a, struct rf_str *token)
{
    bool found = false;
    pthread_mutex_lock(&kept.lock);
    for (size_t i = 0; i < KEPT && !found; i++) {
        found = kept.entries[i].name && strcmp(kept.entries[i].name, name) == 0 &&
                kept.entries[i].expires > now;
        if (found)
            *token = rf_str_dup(a, rf_str(kept.entries[i].token));
    }
    pthread_mutex_unlock(&kept.lock);
    return found;
}

static void keep_here(const char *name, struct rf_str token, int64_t expires)
{
    pthread_mutex_lock(&kept.lock);
    size_t i = 0;
    while (i < KEPT && !(kept.entries[i].name && strcmp(kept.entries[i].name, name) == 0))
        i++;
    if (i == KEPT)
        i = kept.next++ % KEPT;
    if (kept.entries[i].token)
        explicit_bzero(kept.entries[i].token, strlen(kept.entries[i].token));
    free(kept.entries[i].name);
    free(kept.entries[i].token);
    kept.entries[i].name = strdup(name);
    kept.entries[i].token = strndup(token.p, token.n);
    if (!kept.entries[i].name || !kept.entries[i].token)
        RF_NO_MEMORY();
    kept.entries[i].expires = expires;
    pthread_mutex_unlock(&kept.lock);
}

/* In a file. */

static const char *path_of(const char *name, struct rf_arena *a)
{
    const char *folder = rf_folder_cache(a);
    return folder ? rf_strf(a, "%s/tokens/%s.json", folder, name).p : NULL;
}

static bool read_own(const char *path, char *buf, size_t *n)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = -1;
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        (st.st_mode & 077) == 0)
        got = read(fd, buf, MAX_FILE);
    close(fd);
    *n = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static bool is_token(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= 0x20 || s.p[i] >= 0x7f)
            return false;
    return s.n > 0;
}

bool rf_token_file_read(const char *name, struct rf_arena *a, struct rf_str *text)
{
    const char *path = path_of(name, a);
    char *buf = rf_arena_alloc(a, MAX_FILE);
    size_t n;
    if (!path || !read_own(path, buf, &n))
        return false;
    *text = (struct rf_str){ buf, n };
    return true;
}

static bool recall_file(const char *name, int64_t now, struct rf_arena *a, struct rf_str *token)
{
    const struct rf_jval *root, *expires, *text;
    struct rf_str file;
    int64_t end;
    if (!rf_token_file_read(name, a, &file) || rf_jval_parse(file, a, &root, NULL))
        return false;
    expires = rf_jval_get(root, "expires");
    text = rf_jval_get(root, "token");
    if (!expires || !rf_jval_int64(expires, &end) || end <= now || !text ||
        text->type != RF_JSTRING)
        return false;
    *token = rf_jval_text(text, a);
    if (!is_token(*token))
        return false;
    keep_here(name, *token, end);
    return true;
}

static bool format(struct rf_str token, int64_t expires, struct rf_arena *a, struct rf_str *out)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str(&w, "token", token);
    rf_json_int(&w, "expires", expires);
    rf_json_end(&w);
    return !rf_json_finish(&w, NULL) && !rf_rope_flatten(&rope, MAX_FILE, a, out, NULL);
}

/* Writers take turns by a lock on the folder; -1 where another one has it, or there can be none. */
static int lock_folder(const char *path, struct rf_arena *a)
{
    const char *folder = rf_cstr(a, (struct rf_str){ path, (size_t)(strrchr(path, '/') - path) });
    if (rf_folders_make(folder, NULL))
        return -1;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    close(fd);
    return -1;
}

/* What cannot be kept is asked for again: nothing here fails. */
void rf_token_file_write(const char *name, struct rf_str text)
{
    struct rf_arena *a = rf_arena_new();
    const char *path = path_of(name, a);
    int lock = path && text.n <= MAX_FILE ? lock_folder(path, a) : -1;
    if (lock >= 0) {
        (void)!rf_file_replace(path, text, a, NULL);
        close(lock);
    }
    rf_arena_free(a);
}

static void keep_file(const char *name, struct rf_str token, int64_t expires)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str text;
    if (format(token, expires, a, &text))
        rf_token_file_write(name, text);
    rf_arena_free(a);
}

bool rf_token_recall(const char *name, int64_t now, struct rf_arena *a, struct rf_str *token)
{
    return recall_here(name, now, a, token) || recall_file(name, now, a, token);
}

void rf_token_hold(const char *name, struct rf_str token, int64_t expires)
{
    keep_here(name, token, expires);
}

void rf_token_keep(const char *name, struct rf_str token, int64_t expires)
{
    keep_here(name, token, expires);
    keep_file(name, token, expires);
}
