/* Blobs as large objects: no object without a row, none twice, however many put the same bytes at once,
 * and what is read is verified. */
#include "store/blobs.h"

#include "base/sha256.h"
#include "store/schema.h"

#include "engines.h"

#define MIB ((size_t)1 << 20)
#define MOST UINT64_MAX

struct world {
    struct place *place;
    struct rf_sql *sql;
    struct rf_blobs *blobs;
};

static struct world world;

/* A database for these tests alone, since large objects are in no schema, and they are counted here. */

static char database[64];

static int make_database(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const char *base = server_address();
    (void)state;
    snprintf(database, sizeof database, "test_blobs_%ld", (long)getpid());
    tell_server(a, "CREATE DATABASE", database, "");
    const char *address =
        rf_strf(a, "%s%cdbname=%s", base, strchr(base, '?') ? '&' : '?', database).p;
    setenv("OUTER_TEST_POSTGRES", base, 1);
    setenv("REFRACT_TEST_POSTGRES", address, 1);
    rf_arena_free(a);
    return 0;
}

static int drop_database(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    setenv("REFRACT_TEST_POSTGRES", getenv("OUTER_TEST_POSTGRES"), 1);
    tell_server(a, "DROP DATABASE", database, "");
    rf_arena_free(a);
    return 0;
}

static struct rf_blobs *open_blobs(struct rf_sql *sql)
{
    return rf_blobs_database(sql, in_folder(world.place->arena, world.place->folder, "fetched"));
}

static int make_world(void **state)
{
    struct rf_err err = { 0 };
    (void)state;
    world.place = place_new("postgres");
    world.sql = place_open(world.place);
    if (rf_schema_ready(world.sql, &err))
        fail_msg("%s", err.msg);
    world.blobs = open_blobs(world.sql);
    return 0;
}

static int remove_world(void **state)
{
    (void)state;
    rf_blobs_free(world.blobs);
    rf_sql_close(world.sql);
    place_free(world.place);
    return 0;
}

/* Helpers */

static void must(enum rf_code rc, const struct rf_err *err)
{
    if (rc)
        fail_msg("%s (%s)", err->msg, err->hint);
}

static struct rf_str some_bytes(size_t n)
{
    char *p = rf_arena_alloc(world.place->arena, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(i * 31 + i / 251 + n);
    return (struct rf_str){ p, n };
}

static struct rf_hash put(struct rf_str bytes, int64_t *object)
{
    struct rf_bytes source = rf_bytes_memory(bytes);
    struct rf_hash hash;
    struct rf_err err = { 0 };
    must(rf_blobs_put(world.blobs, &source, MOST, &hash, object, &err), &err);
    assert_true(*object > 0);
    return hash;
}

static enum rf_code get(const struct rf_hash *hash, int64_t object, struct rf_err *err)
{
    struct rf_bytes out;
    uint8_t digest[32];
    char hex[65];
    enum rf_code rc = rf_blobs_get(world.blobs, hash, object, world.place->arena, &out, err);
    if (rc)
        return rc;
    assert_int_equal(rf_bytes_sha256(&out, digest, NULL), RF_OK);
    rf_sha256_hex(digest, hex);
    assert_string_equal(hex, hash->hex);
    return RF_OK;
}

static enum rf_code see_number(void *ctx, const struct rf_sql_value *columns, size_t count,
                               struct rf_err *err)
{
    (void)count, (void)err;
    *(int64_t *)ctx = columns[0].number;
    return RF_OK;
}

static int64_t ask(const char *statement)
{
    int64_t n = 0;
    struct rf_err err = { 0 };
    must(rf_sql_run(world.sql, statement, NULL, 0, see_number, &n, &err), &err);
    return n;
}

static int64_t count_rows(void)
{
    return ask("SELECT COUNT(*) FROM blobs");
}

/* Those that other tests left are among them. */
static int64_t count_objects(void)
{
    return ask("SELECT COUNT(*) FROM pg_largeobject_metadata");
}

static void forget_fetched(void)
{
    scratch_remove(in_folder(world.place->arena, world.place->folder, "fetched"));
}

/* Putting and getting */

static void all_sizes(void **state)
{
    static const size_t sizes[] = { 0, 1, MIB, MIB + 1, 3 * MIB - 7 };
    int64_t before = count_objects();
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        int64_t object, again;
        struct rf_err err = { 0 };
        struct rf_hash hash = put(some_bytes(sizes[i]), &object);
        must(get(&hash, object, &err), &err);
        must(get(&hash, object, &err), &err); /* this time from the folder */
        forget_fetched();
        must(get(&hash, object, &err), &err);
        put(some_bytes(sizes[i]), &again);
        assert_int_equal(object, again);
        assert_true(rf_blobs_has(world.blobs, &hash, object));
    }
    assert_int_equal(count_rows(), COUNT(sizes));
    assert_int_equal(count_objects() - before, COUNT(sizes));
}

static void inside_of_a_transaction(void **state)
{
    int64_t object;
    struct rf_err err = { 0 };
    int64_t before = count_objects();
    (void)state;
    must(rf_sql_begin(world.sql, &err), &err);
    struct rf_hash hash = put(some_bytes(10), &object);
    rf_sql_rollback(world.sql);
    assert_int_equal(count_rows(), 0); /* it is undone with everything else */
    assert_int_equal(count_objects(), before);
    assert_int_equal(get(&hash, object, &err), RF_ENOTFOUND);
    assert_non_null(strstr(err.msg, "is not in the database"));
}

/* A row of the time when blobs were kept in a folder gets its object. */
static void row_without_an_object(void **state)
{
    int64_t object;
    struct rf_err err = { 0 };
    (void)state;
    struct rf_hash hash = put(some_bytes(10), &object);
    must(rf_blobs_remove(world.blobs, &hash, object, &err), &err);
    ask("UPDATE blobs SET object = 0 RETURNING size");
    assert_int_equal(get(&hash, 0, &err), RF_ENOTFOUND);
    put(some_bytes(10), &object);
    must(get(&hash, object, &err), &err);
    assert_int_equal(count_rows(), 1);
}

static void removing(void **state)
{
    int64_t object, before = count_objects();
    struct rf_err err = { 0 };
    (void)state;
    struct rf_hash hash = put(some_bytes(10), &object);
    must(get(&hash, object, &err), &err);
    for (int i = 0; i < 2; i++)
        must(rf_blobs_remove(world.blobs, &hash, object, &err), &err);
    assert_false(rf_blobs_has(world.blobs, &hash, object));
    assert_int_equal(count_objects(), before);
    assert_int_not_equal(get(&hash, object, &err), RF_OK); /* not even from the folder */
}

/* Damage */

static void damage(const char *how)
{
    ask(how);
    forget_fetched();
    rf_blobs_free(world.blobs);
    world.blobs = open_blobs(world.sql);
}

static void damaged_objects(void **state)
{
    int64_t object;
    struct rf_err err = { 0 };
    (void)state;
    struct rf_hash hash = put(some_bytes(MIB + 10), &object);
    damage("SELECT COUNT(lo_put(object::oid, 5, 'x'::bytea)) FROM blobs");
    assert_int_equal(get(&hash, object, &err), RF_EFORMAT);
    assert_non_null(strstr(err.msg, "is damaged: its large object"));
    damage("UPDATE blobs SET size = size + 1 RETURNING size");
    assert_int_equal(get(&hash, object, &err), RF_EFORMAT);
    damage("SELECT lo_unlink(object::oid) FROM blobs");
    assert_int_not_equal(get(&hash, object, &err), RF_OK);
}

/* What was fetched is not believed either. */
static void damaged_copy(void **state)
{
    int64_t object;
    struct rf_err err = { 0 };
    struct rf_bytes out;
    (void)state;
    struct rf_hash hash = put(some_bytes(10), &object);
    must(rf_blobs_get(world.blobs, &hash, object, world.place->arena, &out, &err), &err);
    assert_int_equal(unlink(out.path), 0);
    write_file(out.path, RF_STR("0123456789"));
    must(get(&hash, object, &err), &err); /* fetched again */
}

struct feed {
    struct rf_str left;
};

static enum rf_code feed_all(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    struct feed *f = ctx;
    (void)err;
    *got = f->left.n < n ? f->left.n : n;
    memcpy(buf, f->left.p, *got);
    f->left.p += *got;
    f->left.n -= *got;
    return RF_OK;
}

static void wrong_bytes(void **state)
{
    struct feed f = { some_bytes(MIB + 5) };
    const struct rf_blob_stream stream = { .ctx = &f, .read = feed_all };
    struct rf_hash hash;
    int64_t object, before = count_objects();
    struct rf_err err = { 0 };
    (void)state;
    memset(hash.hex, 'a', RF_HASH_HEX);
    hash.hex[RF_HASH_HEX] = '\0';
    assert_int_equal(rf_blobs_take(world.blobs, &hash, MIB + 5, &stream, &object, &err),
                     RF_EFORMAT);
    assert_int_equal(count_rows(), 0);
    assert_int_equal(count_objects(), before);
}

/* Eight at once */

static int put_shared(void)
{
    struct rf_sql *sql;
    struct rf_bytes source = rf_bytes_memory(some_bytes(MIB + 5));
    struct rf_hash hash;
    int64_t object;
    if (place_try(world.place, &sql, NULL))
        return 1;
    struct rf_blobs *b = open_blobs(sql);
    for (int i = 0; i < 3; i++)
        if (rf_blobs_put(b, &source, MOST, &hash, &object, NULL))
            return 2;
    rf_blobs_free(b);
    rf_sql_close(sql);
    return 0;
}

static void eight_processes(void **state)
{
    pid_t children[8];
    int status;
    int64_t object, before = count_objects();
    struct rf_err err = { 0 };
    (void)state;
    fflush(NULL);
    for (size_t i = 0; i < COUNT(children); i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(put_shared());
    }
    for (size_t i = 0; i < COUNT(children); i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_rows(), 1);
    assert_int_equal(count_objects() - before, 1);
    struct rf_hash hash = put(some_bytes(MIB + 5), &object);
    must(get(&hash, object, &err), &err);
}

#define SINGLE(test) cmocka_unit_test_setup_teardown(test, make_world, remove_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SINGLE(all_sizes),   SINGLE(inside_of_a_transaction), SINGLE(row_without_an_object),
        SINGLE(removing),    SINGLE(damaged_objects),         SINGLE(damaged_copy),
        SINGLE(wrong_bytes), SINGLE(eight_processes),
    };
    const struct CMUnitTest none[] = { cmocka_unit_test(skip_engine) };
    return server_address() ? cmocka_run_group_tests(tests, make_database, drop_database)
                            : cmocka_run_group_tests(none, NULL, NULL);
}
