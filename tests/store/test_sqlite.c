/* SQLite: its files, what is wrong with them in our words, and databases that mean no good. */
#include "asking.h"

#include "store/locks.h"

#include <sched.h>
#include <sys/mount.h>

static void lock_keys_differ(void **state)
{
    (void)state;
    assert_true(rf_lock_key(RF_STR("session 1")) != rf_lock_key(RF_STR("session 2")));
    assert_true(rf_lock_key(RF_STR("")) >= 0);
    for (char c = 'a'; c <= 'z'; c++)
        assert_true(rf_lock_key((struct rf_str){ &c, 1 }) >= 0);
}

static char *database_file(struct place *p)
{
    return (char *)(uintptr_t)in_folder(p->arena, p->address, "sessions.db");
}

static void expect_mode(const char *path, mode_t want)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, want);
}

static void files_are_for_their_owner_alone(void **state)
{
    static const mode_t masks[] = { 0, 022, 0277 };
    (void)state;
    for (size_t i = 0; i < COUNT(masks); i++) {
        struct place *p = place_new("sqlite");
        make_folder(p->address);
        mode_t old = umask(masks[i]);
        struct rf_sql *sql = place_open(p);
        make_things(sql);
        assert_true(lock(sql, "a", false));
        umask(old);
        expect_mode(database_file(p), 0600);
        expect_mode(in_folder(p->arena, p->address, "sessions.db-wal"), 0600);
        expect_mode(in_folder(p->arena, p->address, "sessions.db-shm"), 0600);
        expect_mode(in_folder(p->arena, p->address, "sessions.lock"), 0600);
        rf_sql_close(sql);
        place_free(p);
    }
}

static void it_is_as_durable_as_it_says(void **state)
{
    struct place *p = place_new("sqlite");
    struct rf_sql *sql = place_open(p);
    (void)state;
    assert_int_equal(number_of(sql, "PRAGMA synchronous"), 2);
    assert_int_equal(number_of(sql, "PRAGMA busy_timeout"), 10000);
    assert_int_equal(number_of(sql, "PRAGMA trusted_schema"), 0);
    assert_int_equal(
        number_of(sql, "SELECT COUNT(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
    rf_sql_close(sql);
    place_free(p);
}

static void one_that_is_not_there_is_not_made(void **state)
{
    struct place *p = place_new("sqlite");
    struct rf_sql *sql = NULL;
    struct rf_err err;
    (void)state;
    make_folder(p->address);
    assert_int_equal(rf_sqlite_open(database_file(p), false, &sql, &err), RF_ENOTFOUND);
    assert_int_equal(access(database_file(p), F_OK), -1);
    assert_int_equal(
        rf_sqlite_open(in_folder(p->arena, p->address, "no/where.db"), true, &sql, &err), RF_EIO);
    assert_non_null(strstr(err.msg, "no/where.db"));
    assert_true(err.hint[0] != '\0');
    rf_sql_close(place_open(p));
    expect_ok(rf_sqlite_open(database_file(p), false, &sql, &err), &err);
    rf_sql_close(sql);
    place_free(p);
}

/* SQLite takes some names for something else than a file. */
static void every_name_is_a_file(void **state)
{
    static const char *const names[] = { ":memory:", "file:x?mode=memory", "a b;c'\"" };
    struct place *p = place_new("sqlite");
    struct rf_sql *sql;
    struct rf_err err;
    char before[4096];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(p->folder), 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        expect_ok(rf_sqlite_open(names[i], true, &sql, &err), &err);
        make_things(sql);
        rf_sql_close(sql);
        expect_ok(rf_sqlite_open(names[i], false, &sql, &err), &err);
        assert_int_equal(number_of(sql, HOW_MANY), 0);
        rf_sql_close(sql);
    }
    assert_int_equal(chdir(before), 0);
    place_free(p);
}

/* Bytes of a database file, changed from outside. */
static const struct damage {
    const char *name;
    long at;
    const char *bytes;
    size_t size;
    enum rf_code code;
    const char *says;
} damages[] = {
    { "a file that is not a database is refused", 0, "Dear Anna, this is a letter.", 28, RF_EFORMAT,
      "it is not a database of SQLite" },
    { "a page of nonsense is damage", 4096, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12,
      RF_EFORMAT, "the database is damaged" },
    { "a schema of nonsense is damage", 100, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, RF_EFORMAT,
      "the database is damaged" },
};

static void damage_is_named(void **state)
{
    const struct damage *d = *state;
    struct place *p = place_new("sqlite");
    struct rf_sql *sql = place_open(p);
    struct rf_err err = { 0 };
    make_things(sql);
    expect_ok(add(sql, 1, RF_STR("x"), &err), &err);
    rf_sql_close(sql);
    int fd = open(database_file(p), O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, d->bytes, d->size, d->at), d->size);
    close(fd);
    enum rf_code rc = place_try(p, &sql, &err);
    if (!rc) {
        rc = rf_sql_run(sql, "SELECT words FROM things", NULL, 0, NULL, NULL, &err);
        rf_sql_close(sql);
    }
    assert_int_equal(rc, d->code);
    assert_non_null(strstr(err.msg, d->says));
    assert_non_null(strstr(err.msg, "sessions.db"));
    assert_true(err.hint[0] != '\0');
    place_free(p);
}

static void a_trigger_in_the_file_does_not_run(void **state)
{
    struct place *p = place_new("sqlite");
    struct rf_sql *sql = place_open(p);
    struct rf_err err;
    (void)state;
    make_things(sql);
    run(sql, "CREATE TRIGGER evil AFTER INSERT ON things BEGIN DELETE FROM things; END");
    expect_ok(add(sql, 1, RF_STR("x"), &err), &err);
    assert_int_equal(number_of(sql, HOW_MANY), 1);
    rf_sql_close(sql);
    place_free(p);
}

static void a_foreign_database_stays_as_it_is(void **state)
{
    struct place *p = place_new("sqlite");
    struct rf_sql *sql;
    (void)state;
    make_folder(p->address);
    /* One row in the old way, without a write-ahead log, as other programs have it. */
    sql = place_open(p);
    make_things(sql);
    run(sql, "PRAGMA journal_mode = DELETE");
    rf_sql_close(sql);
    sql = place_open(p);
    assert_int_equal(
        number_of(sql, "SELECT COUNT(*) FROM pragma_journal_mode WHERE journal_mode = 'delete'"),
        1);
    rf_sql_close(sql);
    place_free(p);
}

/* A disk of its own, which only some may mount: in a child, with namespaces of its own. */
#define NOT_ALLOWED 77

static int mount_small(const char *folder, const char *options)
{
    if (unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)) != 0 ||
        mount("none", "/", "none", MS_REC | MS_PRIVATE, "") != 0 ||
        mount("small", folder, "tmpfs", 0, options) != 0)
        return -1;
    return 0;
}

static int fill_disk(struct place *p)
{
    struct rf_sql *sql;
    struct rf_err err = { 0 };
    enum rf_code rc = RF_OK;
    int64_t kept = 0;
    char words[4000];
    memset(words, 'x', sizeof words);
    if (mount_small(p->address, "size=512k") != 0)
        return NOT_ALLOWED;
    if (place_try(p, &sql, &err))
        return 1;
    if (rf_sql_run(sql, "CREATE TABLE things (id BIGINT NOT NULL PRIMARY KEY, words TEXT)", NULL, 0,
                   NULL, NULL, &err))
        return 2;
    while (!rc && kept < 1000) {
        rc = rf_sql_begin(sql, &err);
        if (!rc)
            rc = add(sql, kept, (struct rf_str){ words, sizeof words }, &err);
        if (!rc)
            rc = rf_sql_commit(sql, &err);
        else
            rf_sql_rollback(sql);
        kept += !rc;
    }
    bool said = rc == RF_EIO && strstr(err.msg, "the disk is full") && err.hint[0];
    bool whole = number_of(sql, HOW_MANY) == kept && kept >= 5;
    rf_sql_close(sql);
    return said ? whole ? 0 : 4 : 3;
}

static int write_protect(struct place *p)
{
    struct rf_sql *sql;
    struct rf_err err = { 0 };
    if (mount_small(p->address, "size=4m") != 0)
        return NOT_ALLOWED;
    if (place_try(p, &sql, &err))
        return 1;
    make_things(sql);
    rf_sql_close(sql);
    if (mount("none", p->address, "none", MS_REMOUNT | MS_RDONLY, "") != 0)
        return 2;
    if (place_try(p, &sql, &err) || number_of(sql, HOW_MANY) != 0)
        return 3;
    if (add(sql, 1, RF_STR("x"), &err) != RF_EIO || !strstr(err.msg, "sessions.db") || !err.hint[0])
        return 4;
    bool taken = false;
    if (sql->engine->lock(sql, RF_STR("x"), false, &taken, &err) != RF_EIO || taken ||
        !lock(sql, "x", true))
        return 5;
    rf_sql_close(sql);
    return 0;
}

static void on_small_disk(int (*work)(struct place *))
{
    struct place *p = place_new("sqlite");
    int status = -1;
    make_folder(p->address);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        _exit(work(p));
    assert_int_equal(waitpid(child, &status, 0), child);
    place_free(p);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_ALLOWED) {
        print_message("skipped: this user may not mount a small disk\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void a_full_disk_loses_nothing(void **state)
{
    (void)state;
    on_small_disk(fill_disk);
}

static void a_read_only_disk_can_be_read(void **state)
{
    (void)state;
    on_small_disk(write_protect);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_keys_differ),
        cmocka_unit_test(files_are_for_their_owner_alone),
        cmocka_unit_test(it_is_as_durable_as_it_says),
        cmocka_unit_test(one_that_is_not_there_is_not_made),
        cmocka_unit_test(every_name_is_a_file),
        cmocka_unit_test(a_trigger_in_the_file_does_not_run),
        cmocka_unit_test(a_foreign_database_stays_as_it_is),
        cmocka_unit_test(a_full_disk_loses_nothing),
        cmocka_unit_test(a_read_only_disk_can_be_read),
    };
    struct CMUnitTest damaged[COUNT(damages)];
    name_rows(damaged, damage_is_named, damages, COUNT(damages), sizeof *damages);
    return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(damaged, NULL, NULL);
}
