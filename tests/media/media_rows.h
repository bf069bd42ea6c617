/* What the tests of this folder share: byte strings as table rows, and readers over them. */
#ifndef TESTS_MEDIA_ROWS_H
#define TESTS_MEDIA_ROWS_H

#include "base/base64.h"
#include "media/media.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* clang-format off */
#define B(lit) { "" lit, sizeof(lit) - 1 }
/* clang-format on */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Zeros, for headers with room in them. */
#define Z4 "\0\0\0\0"
#define Z8 Z4 Z4
#define Z16 Z8 Z8
#define Z32 Z16 Z16

/* A ZIP member without data: `length` is that of its name, as a byte in a literal. */
#define ZIP_LOCAL(length, name) "PK\3\4\x14\0" Z8 Z8 Z4 length "\0\0\0" name

static inline const char *mime_of(const struct rf_format *format)
{
    return format ? format->mime : "nothing";
}

static inline const struct rf_format *sniff_memory(struct rf_str bytes)
{
    struct rf_bytes b = rf_bytes_memory(bytes);
    struct rf_reader r;

    assert_int_equal(rf_reader_open(&r, &b, NULL), RF_OK);
    return rf_sniff(&r);
}

/* The same bytes as base64; the caller frees the text. */
static inline char *as_base64(struct rf_str bytes, struct rf_bytes *out)
{
    char *text = malloc(rf_base64_length(bytes.n) + 1);

    assert_non_null(text);
    size_t n = rf_base64_encode(bytes.p, bytes.n, text);
    assert_int_equal(rf_bytes_base64((struct rf_str){ text, n }, out, NULL), RF_OK);
    return text;
}

#endif
