/* FOLDER/KEY is an entry (cache_entry.h), KEY being 64 hex digits; FOLDER/new-RRRRRR-XXXXXX is one
 * that is being made, or taken away: entries come and go by a rename. The time of the last use is
 * that of the index.
 *
 * FOLDER/.run-RRRRRR is a file that whoever makes them has locked (flock). Where it is not locked,
 * its process was killed, and the next one removes what it left. A folder whose files somebody may
 * still read although they are not kept has a file ".used", and stays for an hour.
 *
 * Results of documents that were opened with a password are not kept, since they would lie here
 * without it. A folder that is somebody else's, or that others may write to, is not used. */
#include "media/cache.h"

#include "base/arena.h"
#include "base/sha256.h"
#include "media/cache_entry.h"
#include <refract/version.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEPT_SECONDS 3600   /* after its last use nothing is taken away */
#define TOUCH_SECONDS 60    /* a use is noted when the last was longer ago */
#define MAX_ENTRIES 1000000 /* that one look at the folder goes through */
#define KEY_LENGTH 64
#define LETTERS 6   /* that mkstemp makes of its Xs */
#define RUN_TRIES 4 /* to lock a new file before somebody removes it as left over */
#define NEW "new-"
#define RUN ".run-"
#define USED ".used"

struct rf_cache {
    char *folder;
    uint64_t max_bytes;
    pthread_mutex_t lock;
    uint64_t unseen; /* bytes that were put in since the last look at the folder */
    bool looked;
    char run[LETTERS + 1]; /* of the file that is locked; "" until something is made */
    int run_lock;
};

/* A job and its place. */
struct lookup {
    const char *folder; /* of the entry, or NULL: it is not kept */
    const char *made;   /* the folder that the entry is made in, or NULL */
    size_t job;
};

struct rf_cache *rf_cache_new(const char *folder, uint64_t max_bytes)
{
    struct rf_cache *c = calloc(1, sizeof *c);
    char *name = strdup(folder);
    if (!c || !name)
        RF_NO_MEMORY();
    c->folder = name;
    c->max_bytes = max_bytes;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

static void close_run(struct rf_cache *c)
{
    struct rf_arena *a = rf_arena_new();
    if (c->run[0]) {
        unlink(rf_strf(a, "%s/" RUN "%s", c->folder, c->run).p);
        close(c->run_lock);
    }
    rf_arena_free(a);
}

void rf_cache_free(struct rf_cache *c)
{
    if (!c)
        return;
    close_run(c);
    pthread_mutex_destroy(&c->lock);
    free(c->folder);
    free(c);
}

/* Places */

/* The job knows the hash from then on. */
static bool hash_input(struct rf_job *job, struct rf_arena *a)
{
    struct rf_bytes input = *job->input;
    if (job->sha256.n)
        return true;
    if (rf_bytes_hash(&input, a, NULL))
        return false;
    job->sha256 = input.sha256;
    return true;
}

/* The name of the entry: what is asked, by which version, about which bytes. */
static bool make_key(struct rf_job *job, char key[KEY_LENGTH + 1], struct rf_arena *a)
{
    struct rf_sha256 *h;
    uint8_t digest[32];
    if (!job->input || rf_ask_value(job->ask, "password").n || !hash_input(job, a) ||
        rf_sha256_new(&h, NULL))
        return false;
    rf_sha256_add(h, RF_VERSION, sizeof RF_VERSION);
    rf_sha256_add(h, job->family, strlen(job->family) + 1);
    rf_sha256_add(h, &job->max_bytes, sizeof job->max_bytes);
    rf_sha256_add(h, job->sha256.p, job->sha256.n);
    rf_sha256_add(h, job->ask.p, job->ask.n);
    rf_sha256_finish(h, digest);
    rf_sha256_free(h);
    rf_sha256_hex(digest, key);
    return true;
}

/* Make the folder and those above it. */
static void make_folders(const char *folder)
{
    char *path = strdup(folder);
    if (!path)
        RF_NO_MEMORY();
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
    free(path);
}

static bool is_safe(const char *folder)
{
    struct stat st;
    return stat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Whether the file of a run is locked by us from now on, and still there. */
static bool lock_run(int fd)
{
    struct stat st;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 && st.st_nlink > 0;
}

/* Make the file of this run, where there is none yet. Without locks, or without a descriptor, it
 * has none. */
static void open_run(struct rf_cache *c, struct rf_arena *a)
{
    pthread_mutex_lock(&c->lock);
    for (int tried = 0; !c->run[0] && tried < RUN_TRIES; tried++) {
        struct rf_str name = rf_strf(a, "%s/" RUN "XXXXXX", c->folder);
        int fd = mkostemp((char *)(uintptr_t)name.p, O_CLOEXEC);
        if (fd >= 0 && lock_run(fd)) {
            memcpy(c->run, name.p + name.n - LETTERS, LETTERS);
            c->run_lock = fd;
        } else if (fd >= 0) {
            unlink(name.p);
            close(fd);
        } else if (errno == ENOENT) {
            make_folders(c->folder);
        }
    }
    pthread_mutex_unlock(&c->lock);
}

/* A new folder for an entry, or NULL. */
static const char *make_new(struct rf_cache *c, struct rf_arena *a)
{
    open_run(c, a);
    struct rf_str name =
        rf_strf(a, "%s/" NEW "%s%sXXXXXX", c->folder, c->run, c->run[0] ? "-" : "");
    return mkdtemp((char *)(uintptr_t)name.p);
}

/* Looking up */

static void touch(const char *folder, struct rf_arena *a)
{
    struct stat st;
    const char *index = rf_strf(a, "%s/index", folder).p;
    if (stat(index, &st) == 0 && time(NULL) - st.st_mtim.tv_sec > TOUCH_SECONDS)
        utimensat(AT_FDCWD, index, NULL, 0);
}

static bool find(const char *folder, struct rf_job *job, struct rf_arena *a)
{
    touch(folder, a); /* first, so that it is not removed meanwhile */
    if (!rf_cache_entry_read(folder, job, a))
        return false;
    rf_job_inherit(job, a);
    return true;
}

/* Putting in */

static bool is_kept(const struct rf_job *job)
{
    return !job->failed ||
           (job->judged && (job->failed == RF_EFORMAT || job->failed == RF_EENCRYPTED ||
                            job->failed == RF_ELIMIT));
}

/* Take an entry away: it disappears at once, and its files then. */
static void take_away(struct rf_cache *c, const char *folder, struct rf_arena *a)
{
    const char *away = make_new(c, a);
    if (!away)
        return;
    rename(folder, away); /* or another process did */
    rf_cache_entry_remove(away);
}

/* The folder has its final name: so have the files in it. */
static void rename_parts(struct rf_job *job, const char *folder, struct rf_arena *a)
{
    for (size_t i = 0; i < job->part_count; i++) {
        struct rf_bytes *b = &job->parts[i].bytes;
        if (b->kind == RF_BYTES_FILE)
            b->path = rf_strf(a, "%s%s", folder, strrchr(b->path, '/')).p;
    }
}

static uint64_t size_of_job(const struct rf_job *job)
{
    uint64_t size = job->text.n + 4096;
    for (size_t i = 0; i < job->part_count; i++)
        size += job->parts[i].text.n + job->parts[i].bytes.size;
    return size;
}

static bool has_files(const struct rf_job *job)
{
    for (size_t i = 0; i < job->part_count; i++)
        if (job->parts[i].bytes.kind == RF_BYTES_FILE)
            return true;
    return false;
}

/* Put the entry where it belongs, or read the one that another process put there first. One that
 * is there but is not whole is replaced. */
static void publish(struct rf_cache *c, const struct lookup *l, struct rf_job *job,
                    struct rf_arena *a)
{
    struct rf_job theirs = *job;
    bool done = rename(l->made, l->folder) == 0;
    if (!done && find(l->folder, &theirs, a)) {
        rf_cache_entry_remove(l->made);
        *job = theirs;
        return;
    }
    if (!done) {
        take_away(c, l->folder, a);
        done = rename(l->made, l->folder) == 0;
    }
    if (done)
        rename_parts(job, l->folder, a);
    pthread_mutex_lock(&c->lock);
    c->unseen += size_of_job(job);
    pthread_mutex_unlock(&c->lock);
}

static void mark_used(const char *folder, struct rf_arena *a)
{
    int fd = open(rf_strf(a, "%s/" USED, folder).p, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

/* What is not kept goes; but where its files are in use, they stay until the hour is over. */
static void keep(struct rf_cache *c, const struct lookup *l, struct rf_job *job, struct rf_arena *a)
{
    if (is_kept(job) && rf_cache_entry_write(l->made, job))
        publish(c, l, job, a);
    else if (!has_files(job))
        rf_cache_entry_remove(l->made);
    else
        mark_used(l->made, a);
}

/* The bound */

struct entry {
    const char *name;
    time_t used;
    uint64_t size;
};

static bool is_key(const char *name)
{
    return strlen(name) == KEY_LENGTH && strspn(name, "0123456789abcdef") == KEY_LENGTH;
}

/* Size of all files in a folder of the cache, and when it was used last; false where it is gone. */
static bool measure(const char *folder, struct entry *out)
{
    struct stat st;
    DIR *d = opendir(folder);
    if (!d)
        return false;
    if (fstat(dirfd(d), &st) == 0)
        out->used = st.st_mtim.tv_sec;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        out->size += (uint64_t)st.st_size + 4096; /* a block on average is lost */
        if (st.st_mtim.tv_sec > out->used)
            out->used = st.st_mtim.tv_sec;
    }
    closedir(d);
    return true;
}

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

/* What a process that was killed has left */

static bool is_named(const char *name, const char *head, size_t rest)
{
    size_t n = strlen(head);
    return strncmp(name, head, n) == 0 && strlen(name) == n + rest;
}

/* Is that run over, so that its lock is free? Then its file goes. */
static bool sweep_run(int cache, const char *letters)
{
    char name[sizeof RUN + LETTERS];
    snprintf(name, sizeof name, RUN "%.*s", LETTERS, letters);
    int fd = openat(cache, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool over = fd < 0 ? errno == ENOENT : flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (over && fd >= 0)
        unlinkat(cache, name, 0);
    if (fd >= 0)
        close(fd);
    return over;
}

/* Is it a folder of a run that is over, and not being read? Then it goes. */
static bool sweep_new(int cache, const char *name, const char *folder, struct rf_arena *a)
{
    if (!is_named(name, NEW, LETTERS + 1 + LETTERS) ||
        access(rf_strf(a, "%s/" USED, folder).p, F_OK) == 0 ||
        !sweep_run(cache, name + sizeof NEW - 1))
        return false;
    rf_cache_entry_remove(folder);
    return true;
}

/* All folders of the cache, those that were left half made among them. */
static struct entry *list(struct rf_cache *c, struct rf_arena *a, size_t *count, uint64_t *total)
{
    struct entry *entries = NULL;
    size_t cap = 0;
    DIR *d = opendir(c->folder);
    *count = 0;
    *total = 0;
    for (struct dirent *e; d && *count < MAX_ENTRIES && (e = readdir(d));) {
        if (is_named(e->d_name, RUN, LETTERS))
            sweep_run(dirfd(d), e->d_name + sizeof RUN - 1);
        if (!is_key(e->d_name) && strncmp(e->d_name, NEW, sizeof NEW - 1) != 0)
            continue;
        struct entry one = { .name = rf_strf(a, "%s/%s", c->folder, e->d_name).p };
        if (sweep_new(dirfd(d), e->d_name, one.name, a) || !measure(one.name, &one))
            continue;
        *total += one.size;
        *RF_PUSH(a, entries, *count, cap) = one;
    }
    if (d)
        closedir(d);
    return entries;
}

static void remove_oldest(struct rf_cache *c)
{
    struct rf_arena *a = rf_arena_new();
    size_t count;
    uint64_t total;
    struct entry *entries = list(c, a, &count, &total);
    time_t now = time(NULL);
    if (count)
        qsort(entries, count, sizeof *entries, by_use);
    for (size_t i = 0; i < count && now - entries[i].used > KEPT_SECONDS; i++) {
        struct entry again = { 0 };
        bool half_made = !is_key(strrchr(entries[i].name, '/') + 1);
        if (!half_made && total <= c->max_bytes - c->max_bytes / 10)
            continue;
        if (half_made)
            rf_cache_entry_remove(entries[i].name);
        else if (measure(entries[i].name, &again) && again.used == entries[i].used)
            take_away(c, entries[i].name, a);
        total -= entries[i].size;
    }
    rf_arena_free(a);
}

/* Look at the folder now and then: at the first use, and when a sixteenth of what may be there
 * is new. */
static void hold_bound(struct rf_cache *c)
{
    pthread_mutex_lock(&c->lock);
    bool due = !c->looked || c->unseen > c->max_bytes / 16;
    c->looked = true;
    if (due)
        c->unseen = 0;
    pthread_mutex_unlock(&c->lock);
    if (due)
        remove_oldest(c);
}

/* Running */

static void look_up(struct rf_cache *c, struct rf_job *job, struct lookup *l, struct rf_arena *a)
{
    char key[KEY_LENGTH + 1];
    job->spool = NULL;
    if (!c || !make_key(job, key, a))
        return;
    l->folder = rf_strf(a, "%s/%s", c->folder, key).p;
}

static void prepare(struct rf_cache *c, struct rf_job *job, struct lookup *l, struct rf_arena *a)
{
    l->made = l->folder ? make_new(c, a) : NULL;
    if (l->made && !is_safe(c->folder)) {
        rmdir(l->made);
        l->made = NULL;
    }
    job->spool = l->made;
}

static void run_here(struct rf_cache *c, struct rf_job *job, const struct lookup *l,
                     struct rf_arena *a)
{
    job->run(job, a);
    if (l->made)
        keep(c, l, job, a);
    job->spool = NULL;
}

void rf_cache_run(struct rf_cache *c, struct rf_workers *w, struct rf_job *jobs, size_t count,
                  struct rf_arena *a)
{
    struct rf_job *rest = RF_ARRAY(a, struct rf_job, count);
    struct lookup *lookups = RF_ARRAY(a, struct lookup, count);
    bool usable = c && is_safe(c->folder);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        struct lookup l = { .job = i };
        look_up(c, &jobs[i], &l, a);
        if (usable && l.folder && find(l.folder, &jobs[i], a))
            continue;
        if (jobs[i].ready && !jobs[i].ready(&jobs[i]))
            continue;
        prepare(c, &jobs[i], &l, a);
        if (jobs[i].run) {
            run_here(c, &jobs[i], &l, a);
            continue;
        }
        lookups[n] = l;
        rest[n++] = jobs[i];
    }
    rf_workers_run(w, rest, n, a);
    for (size_t i = 0; i < n; i++) {
        if (lookups[i].made)
            keep(c, &lookups[i], &rest[i], a);
        jobs[lookups[i].job] = rest[i];
        jobs[lookups[i].job].spool = NULL;
    }
    if (c && n)
        hold_bound(c);
}
