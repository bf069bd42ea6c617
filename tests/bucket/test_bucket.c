/* Blobs in a bucket, beside a server that checks every signature and hash and fails in every way: what
 * is put is there once and whole, or not at all; what is read is what was put, or an error in words. */
#include "bucket/bucket.h"

#include "base/arena.h"
#include "base/sha256.h"
#include "bucket/upload.h"
#include "store/blobs_kind.h"

#include "server.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define MIB ((size_t)1 << 20)
#define MOST UINT64_MAX
#define LONG_BYTES (2 * RF_S3_PART + 12345) /* three parts */

struct world {
    struct rf_arena *arena;
    const char *folder, *address, *prefix;
    struct rf_blobs *blobs;
    int caches;
};

static struct world world;

/* Blobs with a cache of their own: another machine. */
static struct rf_blobs *open_elsewhere(void)
{
    struct rf_blobs *b;
    struct rf_err err = { 0 };
    const char *cache = rf_strf(world.arena, "%s/cache%d", world.folder, world.caches++).p;
    if (rf_bucket_open(world.address, cache, &b, &err))
        fail_msg("%s", err.msg);
    return b;
}

static int make_world(void **state)
{
    static int made;
    (void)state;
    struct rf_arena *a = rf_arena_new();
    world = (struct world){ .arena = a, .folder = scratch_new(a) };
    world.prefix = rf_strf(a, "test/%d", made++).p;
    world.address = rf_strf(a, "%s/%s", getenv("REFRACT_TEST_S3"), world.prefix).p;
    s3_control(a, "{'reset':true}");
    world.blobs = open_elsewhere();
    return 0;
}

/* Whatever a test did, the server had nothing to object to. */
static int remove_world(void **state)
{
    (void)state;
    const char *said = s3_control(world.arena, "{}");
    bool objects = !strstr(said, "\"wrong\": []");
    if (objects)
        print_error("%s\n", strstr(said, "\"wrong\""));
    rf_blobs_free(world.blobs);
    scratch_remove(world.folder);
    rf_arena_free(world.arena);
    return objects;
}

/* Helpers */

/* Bytes that no other test has. */
static struct rf_str some_bytes(size_t n)
{
    static unsigned next;
    unsigned seed = ++next;
    char *p = rf_arena_alloc(world.arena, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(i * 31 + i / 251 + (i < 4 ? seed >> (8 * i) : 0));
    return (struct rf_str){ p, n };
}

static struct rf_hash hash_of(struct rf_str bytes)
{
    struct rf_bytes b = rf_bytes_memory(bytes);
    uint8_t digest[32];
    struct rf_hash hash;
    assert_int_equal(rf_bytes_sha256(&b, digest, NULL), RF_OK);
    rf_sha256_hex(digest, hash.hex);
    return hash;
}

static enum rf_code put(struct rf_str bytes, struct rf_err *err)
{
    struct rf_bytes source = rf_bytes_memory(bytes);
    struct rf_hash hash;
    int64_t object;
    return rf_blobs_put(world.blobs, &source, MOST, &hash, &object, err);
}

/* As another machine. */
static enum rf_code get(struct rf_str bytes, struct rf_err *err)
{
    struct rf_blobs *b = open_elsewhere();
    struct rf_hash hash = hash_of(bytes);
    struct rf_bytes out;
    struct rf_str got;
    enum rf_code rc = rf_blobs_get(b, &hash, 0, world.arena, &out, err);
    if (!rc) {
        assert_int_equal(rf_bytes_all(&out, world.arena, &got, NULL), RF_OK);
        assert_true(rf_str_eq(got, bytes));
    }
    rf_blobs_free(b);
    return rc;
}

static void good(enum rf_code rc, const struct rf_err *err)
{
    if (rc)
        fail_msg("%s: %s", rf_code_name(rc), err->msg);
}

static bool has(struct rf_str bytes)
{
    struct rf_hash hash = hash_of(bytes);
    return rf_blobs_has(world.blobs, &hash, 0);
}

static size_t count_in(const char *what, const char *part)
{
    const char *said = s3_control(world.arena, "{}");
    return s3_count(strstr(said, what), part);
}

static int64_t count_uploads(void)
{
    const char *at = strstr(s3_control(world.arena, "{}"), "\"uploads\": ");
    return strtol(at + strlen("\"uploads\": "), NULL, 10);
}

/* What is put is there */

static void what_is_put_is_there_for_others(void **state)
{
    const size_t sizes[] = { 0, 1, 1000, MIB + 1, RF_S3_PART, RF_S3_PART + 1, LONG_BYTES };
    struct rf_err err;
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct rf_str bytes = some_bytes(sizes[i]);
        if (bytes.n)
            assert_false(has(bytes));
        good(put(bytes, &err), &err);
        assert_true(has(bytes));
        good(get(bytes, &err), &err);
        struct rf_hash hash = hash_of(bytes);
        good(rf_blobs_remove(world.blobs, &hash, 0, &err), &err);
        good(rf_blobs_remove(world.blobs, &hash, 0, &err), &err);
        assert_false(has(bytes));
        assert_int_equal(get(bytes, &err), RF_ENOTFOUND);
    }
    assert_int_equal(count_uploads(), 0);
}

static void it_is_put_once_and_not_fetched_back(void **state)
{
    struct rf_str bytes = some_bytes(5000);
    struct rf_hash hash = hash_of(bytes);
    struct rf_bytes out;
    struct rf_err err;
    (void)state;
    good(put(bytes, &err), &err);
    good(put(bytes, &err), &err);
    good(rf_blobs_get(world.blobs, &hash, 0, world.arena, &out, &err), &err);
    assert_int_equal(count_in("\"requests\"", "HEAD "), 2);
    assert_int_equal(count_in("\"requests\"", "PUT "), 1);
    assert_int_equal(count_in("\"requests\"", "GET "), 0);
}

static void its_key_is_the_path_that_a_folder_has(void **state)
{
    struct rf_str bytes = some_bytes(100);
    struct rf_hash hash = hash_of(bytes);
    struct rf_err err;
    (void)state;
    good(put(bytes, &err), &err);
    const char *key =
        rf_strf(world.arena, "\"%s/%.2s/%s\"", world.prefix, hash.hex, hash.hex + 2).p;
    assert_int_equal(count_in("\"objects\"", key), 1);
}

/* A stream that is not what its name says. */
struct stream {
    struct rf_str bytes;
    size_t at, dies_at; /* 0: it does not */
};

static enum rf_code read_stream(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    struct stream *s = ctx;
    (void)err;
    if (s->dies_at && s->at >= s->dies_at)
        raise(SIGKILL);
    *got = s->bytes.n - s->at < n ? s->bytes.n - s->at : n;
    memcpy(buf, s->bytes.p + s->at, *got);
    s->at += *got;
    return RF_OK;
}

static void other_bytes_than_its_name_says_do_not_appear(void **state)
{
    const size_t sizes[] = { 1000, LONG_BYTES };
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct rf_str bytes = some_bytes(sizes[i]), others = some_bytes(sizes[i]);
        struct rf_hash hash = hash_of(others);
        struct stream s = { .bytes = bytes };
        const struct rf_blob_stream stream = { .ctx = &s, .read = read_stream };
        int64_t object;
        struct rf_err err;
        assert_int_equal(rf_blobs_take(world.blobs, &hash, bytes.n, &stream, &object, &err),
                         RF_EFORMAT);
        assert_false(has(others));
    }
    assert_int_equal(count_uploads(), 0);
}

/* Failures that pass */

static const struct {
    const char *name, *faults;
    size_t size;
} passing[] = {
    { "503 to a put", "{'method':'PUT','times':2,'do':'503'}", 1000 },
    { "500 to a put", "{'method':'PUT','times':2,'do':'500'}", 1000 },
    { "slow down", "{'method':'PUT','times':3,'do':'slowdown'}", 1000 },
    { "503 to looking", "{'method':'HEAD','times':2,'do':'503'}", 1000 },
    { "a reset before the answer", "{'method':'PUT','times':2,'do':'reset'}", 1000 },
    { "a reset in the middle of a body", "{'method':'PUT','times':2,'do':'reset-body'}", MIB },
    { "the answer to a put gets lost", "{'method':'PUT','times':1,'do':'lost-answer'}", 1000 },
    { "503 to the beginning", "{'method':'POST','in':'uploads','times':1,'do':'503'}", LONG_BYTES },
    { "503 to a part", "{'in':'partNumber=2','times':2,'do':'slowdown'}", LONG_BYTES },
    { "a reset in a part", "{'in':'partNumber=2','times':2,'do':'reset-body'}", LONG_BYTES },
    { "a reset in the last part", "{'in':'partNumber=3','times':1,'do':'reset'}", LONG_BYTES },
    { "503 to the end", "{'method':'POST','in':'uploadId','times':2,'do':'503'}", LONG_BYTES },
    { "a late error to the end", "{'method':'POST','in':'uploadId','times':2,'do':'late-error'}",
      LONG_BYTES },
    { "the answer to the end gets lost",
      "{'method':'POST','in':'uploadId','times':1,'do':'lost-answer'}", LONG_BYTES },
    { "503 to a get", "{'method':'GET','times':2,'do':'503'}", 1000 },
    { "a reset in place of an object", "{'method':'GET','times':2,'do':'reset'}", 1000 },
    { "a truncated object", "{'method':'GET','times':1,'do':'truncate'}", 3 * MIB },
    { "an object that was changed on its way", "{'method':'GET','times':1,'do':'corrupt'}", MIB },
    { "a slow object", "{'method':'GET','times':1,'do':'slow'}", MIB },
};

static void it_passes(void **state)
{
    size_t row = *(size_t *)*state;
    struct rf_err err;
    make_world(NULL);
    struct rf_str bytes = some_bytes(passing[row].size);
    s3_control(world.arena, rf_strf(world.arena, "{'faults':[%s]}", passing[row].faults).p);
    good(put(bytes, &err), &err);
    assert_true(has(bytes));
    good(get(bytes, &err), &err);
    assert_int_equal(count_uploads(), 0);
    assert_int_equal(remove_world(NULL), 0);
}

/* Failures that do not */

static const struct {
    const char *name, *faults;
    size_t size;
    enum rf_code code;
    const char *words, *hint;
} lasting[] = {
    { "503 each time", "{'method':'PUT','times':99,'do':'slowdown'}", 1000, RF_EIO, "SlowDown",
      "Try again" },
    { "resets each time", "{'method':'PUT','times':99,'do':'reset'}", 1000, RF_EIO, "127.0.0.1",
      "Try again" },
    { "denied", "{'times':99,'do':'403'}", 1000, RF_ECONFIG, "may not do that", "s3:PutObject" },
    { "denied to put alone", "{'method':'PUT','times':99,'do':'403'}", 1000, RF_ECONFIG,
      "may not do that (PUT 403)", "s3:PutObject" },
    { "a clock that is wrong", "{'times':99,'do':'skew'}", 1000, RF_ECONFIG, "the clock",
      "Set the clock" },
    { "keys that have expired", "{'times':99,'do':'expired'}", 1000, RF_ECONFIG, "have expired",
      "Log in again" },
    { "a wrong secret", "{'times':99,'do':'401'}", 1000, RF_ECONFIG, "secret",
      "AWS_SECRET_ACCESS_KEY" },
    { "its own words", "{'method':'PUT','times':99,'do':'400'}", 1000, RF_EIO,
      "InvalidRequest, You asked for <it> & got it.", "" },
    { "denied in the middle", "{'in':'partNumber=2','times':99,'do':'403'}", LONG_BYTES, RF_ECONFIG,
      "may not do that", "" },
    { "late errors each time", "{'method':'POST','in':'uploadId','times':99,'do':'late-error'}",
      LONG_BYTES, RF_EIO, "InternalError", "" },
};

static void it_fails(void **state)
{
    size_t row = *(size_t *)*state;
    struct rf_err err = { 0 };
    make_world(NULL);
    struct rf_str bytes = some_bytes(lasting[row].size);
    s3_control(world.arena, rf_strf(world.arena, "{'faults':[%s]}", lasting[row].faults).p);
    assert_int_equal(put(bytes, &err), lasting[row].code);
    if (!strstr(err.msg, lasting[row].words) || !strstr(err.hint, lasting[row].hint))
        fail_msg("%s\n%s", err.msg, err.hint);
    assert_null(strstr(err.msg, getenv("AWS_SECRET_ACCESS_KEY")));
    s3_control(world.arena, "{'faults':[]}");
    assert_false(has(bytes));
    assert_int_equal(count_uploads(), 0);
    assert_int_equal(remove_world(NULL), 0);
}

static void a_damaged_object_is_an_error(void **state)
{
    struct rf_str bytes = some_bytes(MIB);
    struct rf_err err;
    (void)state;
    good(put(bytes, &err), &err);
    s3_control(world.arena, "{'faults':[{'method':'GET','times':99,'do':'corrupt'}]}");
    assert_int_equal(get(bytes, &err), RF_EFORMAT);
    assert_non_null(strstr(err.msg, "is damaged"));
    assert_non_null(strstr(err.msg, world.prefix));
}

static void a_bucket_that_is_missing_is_said(void **state)
{
    struct rf_str bytes = some_bytes(10);
    struct rf_err err;
    (void)state;
    world.address = "s3://nowhere/x";
    rf_blobs_free(world.blobs);
    world.blobs = open_elsewhere();
    assert_int_equal(put(bytes, &err), RF_ECONFIG);
    assert_non_null(strstr(err.msg, "\"nowhere\" cannot be used: there is no such bucket"));
    assert_int_equal(get(bytes, &err), RF_ECONFIG);
}

/* Keys and regions */

static void a_region_that_the_server_names_is_used(void **state)
{
    const char *before = rf_cstr(world.arena, rf_str(getenv("AWS_REGION")));
    struct rf_str bytes = some_bytes(1000);
    struct rf_err err;
    (void)state;
    s3_control(world.arena, "{'region':'eu-west-7'}");
    good(put(bytes, &err), &err);
    good(put(some_bytes(1000), &err), &err);
    good(get(bytes, &err), &err);
    assert_int_equal(count_in("\"wrong\"", "AuthorizationHeaderMalformed"), 2); /* each once */
    assert_string_equal(getenv("AWS_REGION"), before);
    s3_control(world.arena, "{'reset':true}");
}

static void write_profile(const char *token)
{
    const char *path = in_folder(world.arena, world.folder, "credentials");
    write_file(path, rf_strf(world.arena,
                             "[default]\naws_access_key_id = %s\naws_secret_access_key = "
                             "%s\naws_session_token = %s\n",
                             "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token));
    setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
}

/* A process that runs for days has its keys renewed in the file of the profile. */
static void keys_that_were_renewed_are_found(void **state)
{
    const char *id = rf_cstr(world.arena, rf_str(getenv("AWS_ACCESS_KEY_ID")));
    struct rf_str bytes = some_bytes(1000);
    struct rf_err err;
    (void)state;
    unsetenv("AWS_ACCESS_KEY_ID");
    write_profile("first");
    s3_control(world.arena, "{'token':'first'}");
    good(put(bytes, &err), &err);
    write_profile("second");
    s3_control(world.arena, "{'token':'second'}");
    good(put(some_bytes(1000), &err), &err);
    good(put(some_bytes(1000), &err), &err);
    s3_control(world.arena, "{'token':'third'}");
    assert_int_equal(put(some_bytes(1000), &err), RF_ECONFIG);
    assert_non_null(strstr(err.msg, "have expired"));
    unsetenv("AWS_SHARED_CREDENTIALS_FILE");
    setenv("AWS_ACCESS_KEY_ID", id, 1);
    s3_control(world.arena, "{'reset':true}");
}

static void without_keys_it_says_what_to_set(void **state)
{
    const char *id = rf_cstr(world.arena, rf_str(getenv("AWS_ACCESS_KEY_ID")));
    struct rf_err err;
    (void)state;
    unsetenv("AWS_ACCESS_KEY_ID");
    setenv("HOME", world.folder, 1);
    assert_int_equal(put(some_bytes(10), &err), RF_ECONFIG);
    assert_non_null(strstr(err.msg, "no keys for the bucket"));
    assert_non_null(strstr(err.hint, "AWS_ACCESS_KEY_ID"));
    setenv("AWS_ACCESS_KEY_ID", id, 1);
}

/* Scanning */

struct seen {
    size_t blobs, others;
    uint64_t bytes;
    char paths[8][256];
};

static enum rf_code see(void *ctx, const char *path, const struct rf_hash *hash, uint64_t size,
                        struct rf_err *err)
{
    struct seen *s = ctx;
    (void)err;
    if (hash)
        s->blobs++;
    else
        snprintf(s->paths[s->others++], sizeof s->paths[0], "%s", path);
    s->bytes += size;
    return RF_OK;
}

static struct seen scan(int64_t before_s)
{
    struct seen s = { 0 };
    struct rf_err err;
    good(rf_blobs_scan(world.blobs, before_s, see, &s, &err), &err);
    return s;
}

static void all_pages_are_scanned_and_nothing_of_others(void **state)
{
    struct rf_err err;
    (void)state;
    for (size_t i = 0; i < 10; i++)
        good(put(some_bytes(100), &err), &err);
    const char *address = world.address;
    world.address = rf_strf(world.arena, "%s/deeper", address).p;
    struct rf_blobs *ours = world.blobs;
    world.blobs = open_elsewhere();
    good(put(some_bytes(100), &err), &err);
    assert_int_equal(scan(INT64_MAX).blobs, 1);
    rf_blobs_free(world.blobs);
    world.blobs = ours;
    s3_control(world.arena, "{'page':3}");
    struct seen s = scan(INT64_MAX);
    assert_int_equal(s.blobs, 10);
    assert_int_equal(s.others, 0);
    assert_int_equal(s.bytes, 1000);
    assert_int_equal(count_in("\"requests\"", "continuation-token="), 3);
}

static void only_what_is_old_is_told(void **state)
{
    struct rf_err err;
    (void)state;
    good(put(some_bytes(100), &err), &err);
    s3_control(world.arena, "{'age':7200}");
    good(put(some_bytes(100), &err), &err);
    assert_int_equal(scan((int64_t)time(NULL) - 3600).blobs, 1);
    assert_int_equal(scan(0).blobs, 0);
}

/* Killed in the middle of an upload: nothing is to be seen of it, and gc takes it away. */
static void die_in_the_middle(struct rf_str bytes)
{
    struct rf_hash hash = hash_of(bytes);
    struct stream s = { .bytes = bytes, .dies_at = RF_S3_PART + MIB };
    const struct rf_blob_stream stream = { .ctx = &s, .read = read_stream };
    int64_t object;
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)!rf_blobs_take(world.blobs, &hash, bytes.n, &stream, &object, NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void what_was_killed_in_the_middle_is_not_seen(void **state)
{
    struct rf_str bytes = some_bytes(LONG_BYTES);
    struct rf_err err;
    (void)state;
    for (int i = 0; i < 5; i++)
        die_in_the_middle(bytes);
    assert_false(has(bytes));
    assert_int_equal(get(bytes, &err), RF_ENOTFOUND);
    assert_int_equal(count_uploads(), 5);
    s3_control(world.arena, "{'page':2}");
    assert_int_equal(scan((int64_t)time(NULL) - 3600).others, 0);
    struct seen s = scan(INT64_MAX);
    assert_int_equal(s.blobs, 0);
    assert_int_equal(s.others, 5);
    for (size_t i = 0; i < s.others; i++)
        good(rf_blobs_discard(world.blobs, s.paths[i], &err), &err);
    good(rf_blobs_discard(world.blobs, s.paths[0], &err), &err); /* another was faster */
    assert_int_equal(count_uploads(), 0);
    good(put(bytes, &err), &err);
    good(get(bytes, &err), &err);
}

static void a_list_without_end_is_an_error(void **state)
{
    struct rf_err err;
    struct seen s = { 0 };
    (void)state;
    for (int i = 0; i < 2; i++)
        die_in_the_middle(some_bytes(LONG_BYTES));
    s3_control(world.arena, "{'page':1,'stuck':true}");
    assert_int_equal(rf_blobs_scan(world.blobs, INT64_MAX, see, &s, &err), RF_EIO);
    assert_string_equal(err.msg, "the server of the bucket does not end its list");
    for (int i = 0; i < 2; i++)
        good(put(some_bytes(100), &err), &err);
    assert_int_equal(rf_blobs_scan(world.blobs, INT64_MAX, see, &s, &err), RF_EIO);
    assert_string_equal(err.msg, "the server of the bucket does not end its list");
    s3_control(world.arena, "{'stuck':false}");
    s = scan(INT64_MAX);
    for (size_t i = 0; i < s.others; i++)
        good(rf_blobs_discard(world.blobs, s.paths[i], &err), &err);
    assert_int_equal(count_uploads(), 0);
}

static void a_server_that_lists_no_uploads_has_none(void **state)
{
    struct rf_err err;
    (void)state;
    good(put(some_bytes(100), &err), &err);
    s3_control(world.arena, "{'faults':[{'in':'uploads','times':99,'do':'501'}]}");
    struct seen s = scan(INT64_MAX);
    assert_int_equal(s.blobs, 1);
    assert_int_equal(s.others, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, remove_world)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(what_is_put_is_there_for_others),
        TEST(it_is_put_once_and_not_fetched_back),
        TEST(its_key_is_the_path_that_a_folder_has),
        TEST(other_bytes_than_its_name_says_do_not_appear),
        TEST(a_damaged_object_is_an_error),
        TEST(a_bucket_that_is_missing_is_said),
        TEST(a_region_that_the_server_names_is_used),
        TEST(keys_that_were_renewed_are_found),
        TEST(without_keys_it_says_what_to_set),
        TEST(all_pages_are_scanned_and_nothing_of_others),
        TEST(only_what_is_old_is_told),
        TEST(what_was_killed_in_the_middle_is_not_seen),
        TEST(a_list_without_end_is_an_error),
        TEST(a_server_that_lists_no_uploads_has_none),
    };
    static struct CMUnitTest rows[COUNT(passing) + COUNT(lasting)];
    static size_t numbers[COUNT(passing) + COUNT(lasting)];
    if (!s3_is_there()) {
        puts("skipped: REFRACT_TEST_S3 is not set (tests/store/s3_server.py sets it)");
        return 77;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool passes = i < COUNT(passing);
        numbers[i] = passes ? i : i - COUNT(passing);
        rows[i] = (struct CMUnitTest){ .name = passes ? passing[i].name : lasting[numbers[i]].name,
                                       .test_func = passes ? it_passes : it_fails,
                                       .initial_state = &numbers[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(rows, NULL, NULL);
}
