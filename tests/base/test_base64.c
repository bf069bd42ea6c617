/* Base64: every kernel that this processor has, against published vectors and against a plain
 * implementation. Buffers end (or start) at a page that must not be touched. */
#include "base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define ROOM ((size_t)1 << 20) /* bytes between the guards */
#define UNTOUCHED 0xa5

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ROOM bytes with a page on either side that cannot be read or written. */
static uint8_t *guarded_new(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + page, ROOM, PROT_READ | PROT_WRITE), 0);
    return p + page;
}

static void guarded_free(uint8_t *p)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(p - page, ROOM + 2 * page);
}

enum side { AT_START, AT_END };

/* A place for `n` bytes that touches the guard; the 64 bytes on its other side must stay as they
 * are, see check_untouched. */
static uint8_t *place(uint8_t *room, size_t n, enum side side)
{
    uint8_t *p = side == AT_END ? room + ROOM - n : room;
    memset(side == AT_END ? p - 64 : p + n, UNTOUCHED, 64);
    return p;
}

static void check_untouched(const uint8_t *p, size_t n, enum side side)
{
    const uint8_t *beside = side == AT_END ? p - 64 : p + n;
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(beside[i], UNTOUCHED);
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void random_fill(uint8_t *p, size_t n)
{
    uint64_t seed = 0x9e3779b97f4a7c15u + n;
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(random_next(&seed) >> 32);
}

/* Bit by bit, as the RFC tells it. */
static size_t naive_encode(const uint8_t *in, size_t n, char *out)
{
    size_t o = 0;
    for (size_t bit = 0; bit < n * 8; bit += 6) {
        unsigned v = 0;
        for (size_t b = bit; b < bit + 6; b++)
            v = v << 1 | (b < n * 8 && in[b / 8] >> (7 - b % 8) & 1);
        out[o++] = alphabet[v];
    }
    while (o % 4)
        out[o++] = '=';
    return o;
}

/* Characters of the alphabet only, and whole groups. */
static void naive_decode(const char *in, size_t n, uint8_t *out)
{
    memset(out, 0, n / 4 * 3);
    for (size_t bit = 0; bit < n * 6; bit++) {
        size_t v = (size_t)(strchr(alphabet, in[bit / 6]) - alphabet);
        if (v >> (5 - bit % 6) & 1)
            out[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
    }
}

static bool in_alphabet(int c)
{
    return c != 0 && strchr(alphabet, c) != NULL;
}

/* Do `check` once with each usable kernel in place. */
static void with_each_kernel(void (*check)(const struct rf_base64_kernel *k))
{
    size_t used = 0;
    for (const struct rf_base64_kernel *const *k = rf_base64_kernels(); *k; k++) {
        if (!(*k)->usable())
            continue;
        rf_base64_use(*k);
        check(*k);
        used++;
    }
    rf_base64_use(NULL);
    assert_true(used >= 1);
}

static const struct {
    const char *bytes, *text;
} vectors[] = {
    { "", "" },
    { "f", "Zg==" },
    { "fo", "Zm8=" },
    { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" },
    { "fooba", "Zm9vYmE=" },
    { "foobar", "Zm9vYmFy" },
};

static void check_vectors(const struct rf_base64_kernel *k)
{
    (void)k;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        size_t n = strlen(vectors[i].bytes), m = strlen(vectors[i].text), size;
        char text[16], bytes[16];
        assert_int_equal(rf_base64_encode(vectors[i].bytes, n, text), m);
        assert_memory_equal(text, vectors[i].text, m);
        assert_true(rf_base64_decoded_length(vectors[i].text, m, &size));
        assert_int_equal(size, n);
        assert_true(rf_base64_decode(vectors[i].text, m, bytes));
        assert_memory_equal(bytes, vectors[i].bytes, n);
    }
}

static void vectors_of_rfc_4648(void **state)
{
    (void)state;
    with_each_kernel(check_vectors);
}

static void nothing_needs_no_buffers(void **state)
{
    (void)state;
    assert_int_equal(rf_base64_encode(NULL, 0, NULL), 0);
    assert_true(rf_base64_decode(NULL, 0, NULL));
}

/* All buffers of one length, there and back. */
static void check_length(uint8_t *in_room, uint8_t *out_room, size_t n, enum side side)
{
    size_t m = (size_t)rf_base64_length(n), size;
    char *want = malloc(m + 1);
    uint8_t *bytes = place(in_room, n, side);
    random_fill(bytes, n);
    assert_int_equal(naive_encode(bytes, n, want), m);

    uint8_t *text = place(out_room, m, side);
    assert_int_equal(rf_base64_encode(bytes, n, (char *)text), m);
    assert_memory_equal(text, want, m);
    check_untouched(text, m, side);

    uint8_t *again = place(in_room, n, side);
    memset(again, 0, n);
    assert_true(rf_base64_decoded_length((const char *)text, m, &size));
    assert_int_equal(size, n);
    assert_true(rf_base64_decode((const char *)text, m, again));
    check_untouched(again, n, side);
    naive_encode(again, n, (char *)text);
    assert_memory_equal(text, want, m);
    free(want);
}

static void check_lengths(const struct rf_base64_kernel *k)
{
    uint8_t *a = guarded_new(), *b = guarded_new();
    uint64_t seed = 42;
    (void)k;
    for (size_t n = 0; n <= 300; n++) {
        check_length(a, b, n, AT_START);
        check_length(a, b, n, AT_END);
    }
    for (int i = 0; i < 40; i++)
        check_length(a, b, random_next(&seed) % 20000, i % 2 ? AT_START : AT_END);
    guarded_free(a);
    guarded_free(b);
}

static void every_length_there_and_back_inside_the_buffers(void **state)
{
    (void)state;
    with_each_kernel(check_lengths);
}

static void check_block(size_t n)
{
    size_t m = (size_t)rf_base64_length(n);
    uint8_t *bytes = calloc(n, 1), *again = calloc(n, 1);
    char *text = malloc(m);
    random_fill(bytes, n);
    assert_int_equal(rf_base64_encode(bytes, n, text), m);
    assert_true(rf_base64_decode(text, m, again));
    assert_true(n == 0 || memcmp(bytes, again, n) == 0);
    free(bytes);
    free(again);
    free(text);
}

/* A sanitizer sees what a guard page cannot: what goes too far at both ends. */
static void check_heap(const struct rf_base64_kernel *k)
{
    uint64_t seed = 43;
    (void)k;
    for (size_t n = 0; n <= 300; n++)
        check_block(n);
    for (int i = 0; i < 200; i++)
        check_block(random_next(&seed) % 100000);
}

static void every_length_in_exact_blocks_of_the_heap(void **state)
{
    (void)state;
    with_each_kernel(check_heap);
}

/* A kernel may do less than all, but what it does is the portable kernel's, in whole groups. */
static void check_against_portable(const struct rf_base64_kernel *k)
{
    const struct rf_base64_kernel *portable = rf_base64_kernels()[0];
    uint8_t bytes[300], got[300];
    char want[400], text[400];
    for (size_t n = 0; n <= sizeof bytes; n++) {
        random_fill(bytes, n);
        assert_int_equal(portable->encode(bytes, n, want), n / 3 * 3);
        size_t done = k->encode(bytes, n, text);
        assert_int_equal(done % 3, 0);
        assert_true(done <= n && (n < 64 || done > n / 2));
        assert_memory_equal(text, want, done / 3 * 4);

        size_t m = n / 3 * 4;
        assert_int_equal(portable->decode(want, m, got, n / 3 * 3), m);
        assert_memory_equal(got, bytes, n / 3 * 3);
        done = k->decode(want, m, got, n / 3 * 3);
        assert_int_equal(done % 4, 0);
        assert_true(done <= m && (m < 128 || done > m / 2));
        assert_memory_equal(got, bytes, done / 4 * 3);
        done = k->check(want, m);
        assert_true(done <= m && (m < 256 || done > m / 2));
    }
}

static void every_kernel_agrees_with_the_portable_one(void **state)
{
    (void)state;
    assert_string_equal(rf_base64_kernels()[0]->name, "portable");
    with_each_kernel(check_against_portable);
}

/* Every character at every place of the 64 from `from` on, in a text of 192 characters. */
static void check_characters(size_t from)
{
    char text[192];
    uint8_t got[144], want[144];
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = alphabet[random_next(&seed) >> 58];
    for (size_t at = from; at < from + 64; at++) {
        char was = text[at];
        for (int c = 0; c < 256; c++) {
            text[at] = (char)c;
            bool padding = c == '=' && at == sizeof text - 1;
            if (!padding && rf_base64_decode(text, sizeof text, got) != in_alphabet(c))
                fail_msg("character %d at %zu is %s", c, at, in_alphabet(c) ? "refused" : "taken");
            if (!padding && rf_base64_is_valid(text, sizeof text) != in_alphabet(c))
                fail_msg("character %d at %zu is %s", c, at, in_alphabet(c) ? "bad" : "good");
            if (!in_alphabet(c))
                continue;
            naive_decode(text, sizeof text, want);
            assert_memory_equal(got, want, sizeof want);
        }
        text[at] = was;
    }
}

static void check_all_characters(const struct rf_base64_kernel *k)
{
    (void)k;
    check_characters(0);
    check_characters(64);
    check_characters(128);
}

static void every_foreign_character_is_refused_everywhere(void **state)
{
    (void)state;
    with_each_kernel(check_all_characters);
}

static const struct {
    const char *name, *text;
    int length; /* decoded; -1 when rf_base64_decoded_length refuses */
    bool valid;
} paddings[] = {
    { "nothing is fine", "", 0, true },
    { "no padding is fine where none is due", "AAAA", 3, true },
    { "one sign for two bytes", "AAA=", 2, true },
    { "two signs for one byte", "AA==", 1, true },
    { "padding after whole groups", "AAAAAA==", 4, true },
    { "three signs are too many", "A===", -1, false },
    { "four signs are not a group", "====", -1, false },
    { "a group of signs after a whole one", "AAAA====", -1, false },
    { "one character is not a group", "A", -1, false },
    { "two characters without their padding", "AA", -1, false },
    { "three characters without their padding", "AAA", -1, false },
    { "one sign where two are due", "AA=", -1, false },
    { "one sign too many", "AAA==", -1, false },
    { "a sign before a character", "AA=A", 3, false },
    { "a sign at the front", "=AAA", 3, false },
    { "signs around a character", "A=A=", 2, false },
    { "padding in the middle", "AA==AAAA", 6, false },
    { "short padding in the middle", "AAA=AAAA", 6, false },
    { "the URL alphabet", "AA-_", 3, false },
    { "a line break", "AAA\n", 3, false },
    { "a line break after all", "AAAA\n", -1, false },
    { "spaces", "A A ", 3, false },
};

static void padding_is_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(paddings); i++) {
        const char *text = paddings[i].text;
        size_t n = strlen(text), size = 999;
        uint8_t out[16];
        bool known = rf_base64_decoded_length(text, n, &size);
        bool valid = rf_base64_decode(text, n, out);
        if (known != (paddings[i].length >= 0) || (known && size != (size_t)paddings[i].length))
            fail_msg("%s: length", paddings[i].name);
        if (valid != paddings[i].valid)
            fail_msg("%s: %s", paddings[i].name, valid ? "taken" : "refused");
    }
}

static void unused_bits_must_be_zero(void **state)
{
    (void)state;
    for (size_t v = 0; v < 64; v++) {
        char one[4] = { 'A', alphabet[v], '=', '=' }, two[4] = { 'A', 'A', alphabet[v], '=' };
        uint8_t out[2];
        assert_int_equal(rf_base64_decode(one, 4, out), v % 16 == 0);
        assert_int_equal(rf_base64_decode(two, 4, out), v % 4 == 0);
    }
}

static void check_validity(const struct rf_base64_kernel *k)
{
    static char text[20000], decoded[sizeof text];
    static const size_t places[] = { 0, 127, 128, 8191, 8192, 19967, 19968, 19995, 19998, 19999 };
    static const char said[] = "A=-\n";
    (void)k;
    memset(text, 'A', sizeof text);
    for (size_t i = 0; i < COUNT(places); i++)
        for (const char *c = said; *c; c++) {
            text[places[i]] = *c;
            assert_int_equal(rf_base64_is_valid(text, sizeof text),
                             rf_base64_decode(text, sizeof text, decoded));
            text[places[i]] = 'A';
        }
    assert_true(rf_base64_is_valid("", 0) && rf_base64_is_valid("QQ==", 4));
    assert_false(rf_base64_is_valid("QQ=", 3));
}

static void validity_is_that_of_decoding(void **state)
{
    (void)state;
    with_each_kernel(check_validity);
}

static void lengths_of_encodings(void **state)
{
    (void)state;
    assert_int_equal(rf_base64_length(0), 0);
    assert_int_equal(rf_base64_length(1), 4);
    assert_int_equal(rf_base64_length(3), 4);
    assert_int_equal(rf_base64_length(4), 8);
    assert_int_equal(rf_base64_length((uint64_t)6 << 40), (uint64_t)8 << 40);
}

static int say_what_is_skipped(void **state)
{
    (void)state;
    for (const struct rf_base64_kernel *const *k = rf_base64_kernels(); *k; k++)
        if (!(*k)->usable())
            print_message("skipped: this processor has no %s\n", (*k)->name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_rfc_4648),
        cmocka_unit_test(nothing_needs_no_buffers),
        cmocka_unit_test(every_length_there_and_back_inside_the_buffers),
        cmocka_unit_test(every_length_in_exact_blocks_of_the_heap),
        cmocka_unit_test(every_kernel_agrees_with_the_portable_one),
        cmocka_unit_test(every_foreign_character_is_refused_everywhere),
        cmocka_unit_test(padding_is_exact),
        cmocka_unit_test(unused_bits_must_be_zero),
        cmocka_unit_test(validity_is_that_of_decoding),
        cmocka_unit_test(lengths_of_encodings),
    };
    return cmocka_run_group_tests(tests, say_what_is_skipped, NULL);
}
