/* Which of our folders others can get into. They are made for their owner alone; somebody may have
 * opened them since, or put another one there. What is in a folder that nobody else can enter need
 * not be looked at, but for whose it is.
 *
 * Conversations and what was made of files are nobody else's to read. The configuration says which
 * programs are run and where data goes: nobody else may change it, while it holds nothing that is
 * secret. */
#include "base/arena.h"
#include "config/config.h"
#include "store/bucket_address.h"

#include <refract/doctor.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_OR_WRITE 077
#define WRITE 022

struct looking {
    struct rf_arena *arena;
    void (*found)(void *context, const struct rf_finding *f);
    void *context;
    size_t open;
};

struct place {
    const char *what, *path; /* NULL: there is none */
    mode_t forbidden;
};

static void tell(struct looking *l, const char *path, struct rf_str what, struct rf_str hint)
{
    const struct rf_finding f = {
        .area = "folder",
        .name = path,
        .health = RF_HEALTH_PARTLY,
        .what = what.p,
        .hint = hint.p,
    };
    l->found(l->context, &f);
    l->open++;
}

static void tell_owner(struct looking *l, const struct place *p, const char *path, uid_t owner)
{
    tell(l, path,
         rf_strf(l->arena, "%s: it belongs to another user (%lu), who can change it", p->what,
                 (unsigned long)owner),
         RF_STR("Move it away, or have it made yours with chown."));
}

static void tell_mode(struct looking *l, const struct place *p, mode_t mode)
{
    const char *can = !(mode & 022) ? "read" : !(mode & 055) ? "write to" : "read and write to";
    tell(l, p->path,
         rf_strf(l->arena, "%s: others can %s it (mode %04o)", p->what, can,
                 (unsigned)(mode & 07777)),
         rf_strf(l->arena, "chmod 700 %s", p->path));
}

/* A file of somebody else is one that they can change, wherever it lies. */
static void look_inside(struct looking *l, const struct place *p)
{
    DIR *d = opendir(p->path);
    size_t before = l->open;
    struct stat st;
    for (struct dirent *e; d && l->open == before && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_uid == geteuid())
            continue;
        tell_owner(l, p, rf_strf(l->arena, "%s/%s", p->path, e->d_name).p, st.st_uid);
    }
    if (d)
        closedir(d);
}

static void look(struct looking *l, const struct place *p)
{
    struct stat st;
    if (!p->path || stat(p->path, &st) != 0)
        return;
    if (st.st_uid != geteuid())
        tell_owner(l, p, p->path, st.st_uid);
    else if (st.st_mode & p->forbidden)
        tell_mode(l, p, st.st_mode);
    else
        look_inside(l, p);
}

/* The folder of the user's own file, or NULL. */
static const char *config_folder(const struct rf_config *c, struct rf_arena *a)
{
    const char *path = c->file_count && !c->files[0].of_project ? c->files[0].path : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? rf_cstr(a, (struct rf_str){ path, (size_t)(slash - path) }) : NULL;
}

size_t rf_doctor_folders(const struct rf_config *config,
                         void (*found)(void *context, const struct rf_finding *f), void *context)
{
    struct looking l = { .arena = rf_arena_new(), .found = found, .context = context };
    const struct rf_config_store *s = &config->store;
    const struct place places[] = {
        { "the data", rf_folder_data(l.arena), READ_OR_WRITE },
        { "the sessions", rf_config_is_shared(config) ? NULL : rf_store_folder(s->address, l.arena),
          READ_OR_WRITE },
        { "the files of sessions",
          rf_bucket_is_address(s->blobs) ? NULL : rf_store_folder(s->blobs, l.arena),
          READ_OR_WRITE },
        { "the cache", rf_folder_cache(l.arena), READ_OR_WRITE },
        { "the configuration", config_folder(config, l.arena), WRITE },
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        look(&l, &places[i]);
    rf_arena_free(l.arena);
    return l.open;
}
