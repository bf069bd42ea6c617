/* Any bytes as keys, in emacs and in vi: the line holds no control characters but tabs and line
 * feeds and no broken UTF-8, the cursor is at a character in it, and libedit's memory stays its
 * own (which is what it is fuzzed for: libedit's vi has commands that write before an empty
 * line). The first byte says which keys; of the others, those that no text has do what else may
 * happen: 0xff a pause, 0xfe leaving, 0xfd text put in, 0xfc an emptied line. */
#include "base/utf8.h"
#include "term/edit.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_READ ((size_t)1 << 20) /* bytes of text; few keys make a long line */

struct keys {
    struct rf_edit *edit;
    const uint8_t *data;
    size_t size, read;
};

static size_t check_text(struct rf_edit *e)
{
    struct rf_str text = rf_edit_text(e);
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            abort();
    }
    if (rf_utf8_valid(text) != text.n)
        abort();
    size_t cursor = rf_edit_cursor(e);
    text = rf_edit_text(e);
    if (cursor > text.n || (cursor < text.n && ((unsigned char)text.p[cursor] & 0xc0) == 0x80))
        abort();
    return text.n;
}

static int next(void *ctx)
{
    struct keys *k = ctx;
    for (;;) {
        k->read += check_text(k->edit);
        if (k->read > MOST_READ)
            k->size = 0;
        if (!k->size)
            return -1;
        int c = *k->data++;
        k->size--;
        if (c == 0xfd)
            rf_edit_insert(k->edit, RF_LIT("put\r\n\033in \xc3\xa9"), RF_EDIT_PASTED);
        else if (c == 0xfc)
            rf_edit_empty(k->edit);
        else
            return c == 0xff ? -3 : c == 0xfe ? -2 : c;
    }
}

static void complete(void *ctx, struct rf_str text, size_t cursor, struct rf_edit_completion *out)
{
    (void)ctx;
    if (cursor && text.p[cursor - 1] == 'a')
        *out = (struct rf_edit_completion){ cursor - 1, "apple" };
}

static struct rf_str paste(void *ctx, struct rf_str text)
{
    (void)ctx;
    return text.n && text.p[0] == '/' ? RF_LIT("[file] ") : text;
}

static void key(void *ctx, int key)
{
    struct keys *k = ctx;
    if (key == 3)
        rf_edit_empty(k->edit);
    else if (key == 15)
        rf_edit_insert(k->edit, RF_LIT("o"), RF_EDIT_PASTED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool prepared;
    if (!prepared) {
        setenv("EDITRC", "/nonexistent", 1);
        setenv("TERM", "dumb", 1);
        prepared = true;
    }
    if (!size)
        return 0;
    struct keys k = { .data = data + 1, .size = size - 1 };
    const struct rf_edit_calls calls = { &k, next, complete, paste, key };
    struct rf_err err;
    if (rf_edit_open(&k.edit, &calls, NULL, &err))
        abort();
    if (data[0] & 1)
        rf_edit_vi(k.edit);
    while (rf_edit_read(k.edit) || rf_edit_left(k.edit) || k.size)
        ;
    rf_edit_close(k.edit);
    return 0;
}
