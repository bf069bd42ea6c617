/* SHA-256: the vectors of FIPS 180-2, in one piece and in many, from many threads at once. */
#include "base/sha256.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct {
    const char *name, *text;
    size_t times;
    const char *want;
} cases[] = {
    { "nothing", "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "one block", "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "two full blocks",
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
      "lmnopqrsmnopqrstnopqrstu",
      1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
    { "a million times a", "a", 1000000,
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};

/* Hash `text` given `times`, in pieces of `piece` bytes. */
static void hash(const char *text, size_t times, size_t piece, char hex[65])
{
    struct rf_sha256 *h = NULL;
    struct rf_err err;
    uint8_t digest[32];
    size_t n = strlen(text) * times;
    char *all = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        all[i] = text[i % strlen(text)];
    assert_int_equal(rf_sha256_new(&h, &err), RF_OK);
    for (size_t i = 0; i < n; i += piece)
        rf_sha256_add(h, all + i, n - i < piece ? n - i : piece);
    rf_sha256_finish(h, digest);
    rf_sha256_free(h);
    rf_sha256_hex(digest, hex);
    free(all);
}

/* In a process of its own, where no file can be opened any more. */
static void fail_to_load(void)
{
    struct rlimit none = { 0, 0 };
    struct rf_sha256 *h = NULL;
    struct rf_err err = { 0 };
    bool right = setrlimit(RLIMIT_NOFILE, &none) == 0 && rf_sha256_new(&h, &err) == RF_EINTERNAL &&
                 err.code == RF_EINTERNAL && !h &&
                 strncmp(err.msg, "could not load libcrypto: ", 26) == 0 && err.hint[0];
    _exit(right ? 0 : 1);
}

/* Runs first: once loaded, the library stays. */
static void a_missing_libcrypto_is_an_error(void **state)
{
    int status = 0;
    (void)state;
    if (dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_NOLOAD)) {
        print_message("skipped: libcrypto is linked to this program\n");
        return;
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        fail_to_load();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

struct run {
    pthread_t thread;
    uint8_t digest[32];
    enum rf_code rc;
};

static void *hash_abc(void *arg)
{
    struct run *r = arg;
    struct rf_sha256 *h = NULL;
    r->rc = rf_sha256_new(&h, NULL);
    if (r->rc)
        return NULL;
    rf_sha256_add(h, "abc", 3);
    rf_sha256_finish(h, r->digest);
    rf_sha256_free(h);
    return NULL;
}

/* Runs before any other hash, so that the threads race to load the library. */
static void threads_may_hash_first_at_the_same_time(void **state)
{
    struct run runs[8] = { 0 };
    char hex[65];
    (void)state;
    for (size_t i = 0; i < COUNT(runs); i++)
        assert_int_equal(pthread_create(&runs[i].thread, NULL, hash_abc, &runs[i]), 0);
    for (size_t i = 0; i < COUNT(runs); i++) {
        pthread_join(runs[i].thread, NULL);
        assert_int_equal(runs[i].rc, RF_OK);
        rf_sha256_hex(runs[i].digest, hex);
        assert_string_equal(hex, cases[1].want);
    }
}

static void vectors_of_fips_180(void **state)
{
    static const size_t pieces[] = { 1, 3, 63, 64, 65, 1000, 2000000 };
    char hex[65];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < COUNT(pieces); k++) {
            hash(cases[i].text, cases[i].times, pieces[k], hex);
            if (strcmp(hex, cases[i].want) != 0)
                fail_msg("%s in pieces of %zu: %s", cases[i].name, pieces[k], hex);
        }
}

static void two_hashes_under_way_do_not_meet(void **state)
{
    struct rf_sha256 *a = NULL, *b = NULL;
    uint8_t digest[32];
    char hex[65];
    (void)state;
    assert_int_equal(rf_sha256_new(&a, NULL), RF_OK);
    assert_int_equal(rf_sha256_new(&b, NULL), RF_OK);
    rf_sha256_add(a, "ab", 2);
    rf_sha256_add(b, "other", 5);
    rf_sha256_add(a, "c", 1);
    rf_sha256_finish(a, digest);
    rf_sha256_hex(digest, hex);
    assert_string_equal(hex, cases[1].want);
    rf_sha256_free(a);
    rf_sha256_free(b);
    rf_sha256_free(NULL);
}

static void a_hash_is_read_as_it_is_written(void **state)
{
    static const char *const wrong[] = {
        "", "ba78", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ag",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0"
    };
    uint8_t digest[32], back[32];
    char hex[65];
    (void)state;
    for (size_t i = 0; i < 32; i++)
        digest[i] = (uint8_t)(i * 83);
    rf_sha256_hex(digest, hex);
    assert_true(rf_sha256_read(rf_str(hex), back));
    assert_memory_equal(back, digest, sizeof digest);
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_false(rf_sha256_read(rf_str(wrong[i]), back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_libcrypto_is_an_error),
        cmocka_unit_test(threads_may_hash_first_at_the_same_time),
        cmocka_unit_test(a_hash_is_read_as_it_is_written),
        cmocka_unit_test(vectors_of_fips_180),
        cmocka_unit_test(two_hashes_under_way_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
