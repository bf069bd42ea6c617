/* Where the program is in a file, and the preview.
 *
 *     DOS EPS  | c5 d0 d3 c6 | program: offset 4, length 4 | WMF: 4, 4 | TIFF: 4, 4 | sum 2 | …
 *     EPSI     %%BeginPreview: width height depth lines, then "%" and hex digits, %%EndPreview */
#include "worker/postscript/postscript.h"

#include "base/buf.h"
#include "media/look.h"
#include "worker/postscript/ghostscript.h"

#include <stdlib.h>

#define DOS_HEADER 30
#define MAX_PREVIEW_SIDE 16384
#define MAX_HEADER ((size_t)64 << 10) /* where a preview begins, if there is one */

struct file {
    struct rf_str program, preview;
};

const char *rf_postscript_start(void)
{
    unsetenv("GS_OPTIONS");
    unsetenv("GS_LIB");
    rf_ghostscript_load(); /* where it is not, there are previews */
    return NULL;
}

static struct rf_str piece(struct rf_str bytes, const uint8_t *fields)
{
    uint32_t at = rf_le32(fields), n = rf_le32(fields + 4);

    if (!n || at > bytes.n || n > bytes.n - at)
        return (struct rf_str){ 0 };
    return (struct rf_str){ bytes.p + at, n };
}

static void open_dos(struct rf_str bytes, struct file *f)
{
    const uint8_t *p = (const uint8_t *)bytes.p;

    if (bytes.n < DOS_HEADER)
        return;
    f->program = piece(bytes, p + 4);
    f->preview = piece(bytes, p + 20);
    if (!f->preview.n)
        f->preview = piece(bytes, p + 12);
}

/* The preview of EPSI */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct bits {
    struct rf_str rest;
};

/* The next byte of the hex digits; -1 where they end. */
static int next_byte(struct bits *b)
{
    int value = 0, digits = 0;

    while (b->rest.n && digits < 2) {
        int v = hex_digit(b->rest.p[0]);
        if (v < 0 && !strchr("% \t\r\n", b->rest.p[0]))
            return -1;
        b->rest = (struct rf_str){ b->rest.p + 1, b->rest.n - 1 };
        value = v < 0 ? value : value << 4 | v;
        digits += v >= 0;
    }
    return digits == 2 ? value : -1;
}

/* Rows of grey values, each from a whole byte on; 0 is white. */
static bool read_bits(struct bits *b, const int64_t size[3], struct rf_buf *out)
{
    int64_t depth = size[2], most = (1 << depth) - 1;

    for (int64_t y = 0; y < size[1]; y++) {
        int held = 0, value = 0;
        for (int64_t x = 0; x < size[0]; x++) {
            if (held == 0 && (value = next_byte(b)) < 0)
                return false;
            held = (held ? held : 8) - (int)depth;
            rf_buf_addc(out, (char)(255 - (value >> held & most) * 255 / most));
        }
    }
    return true;
}

static bool read_size(struct rf_str line, int64_t size[3])
{
    struct rf_str word;

    for (int i = 0; i < 3;) {
        if (!rf_str_split(&line, ' ', &word))
            return false;
        if (word.n && !rf_str_int64(word, &size[i++]))
            return false;
    }
    return size[0] > 0 && size[0] <= MAX_PREVIEW_SIDE && size[1] > 0 &&
           size[1] <= MAX_PREVIEW_SIDE &&
           (size[2] == 1 || size[2] == 2 || size[2] == 4 || size[2] == 8);
}

static struct rf_str epsi_preview(struct rf_str program, struct rf_arena *a)
{
    struct rf_str head = { program.p, program.n < MAX_HEADER ? program.n : MAX_HEADER }, line, out;
    int64_t size[3] = { 0 };
    struct rf_buf pixels;

    while (rf_str_split(&head, '\n', &line)) {
        if (!rf_str_starts(line, "%%BeginPreview:"))
            continue;
        line = rf_str_trim((struct rf_str){ line.p + 15, line.n - 15 });
        struct bits bits = { { head.p, program.n - (size_t)(head.p - program.p) } };
        if (!read_size(line, size))
            break;
        rf_buf_init(&pixels, a, (size_t)size[0] * (size_t)size[1] + 64);
        rf_buf_addf(&pixels, "P5\n%lld %lld 255\n", (long long)size[0], (long long)size[1]);
        if (read_bits(&bits, size, &pixels) && !rf_buf_finish(&pixels, &out, NULL))
            return out;
        break;
    }
    return (struct rf_str){ 0 };
}

/* Answers */

static void open_file(struct rf_str bytes, struct rf_arena *a, struct file *f)
{
    *f = (struct file){ .program = bytes };
    if (rf_str_starts(bytes, "\xc5\xd0\xd3\xc6"))
        open_dos(bytes, f);
    if (!f->preview.n && f->program.n)
        f->preview = epsi_preview(f->program, a);
}

static void give(struct rf_answer *to, const char *mime, struct rf_str bytes)
{
    rf_answer_part(to, "kind=file\nmime=%s\n", mime);
    rf_answer_bytes(to, bytes.p, bytes.n);
}

static void give_preview(const struct file *f, const char *why, struct rf_answer *to)
{
    rf_answer_note(to, "%s, so this is the small preview that the file carries", why);
    give(to, "application/octet-stream", f->preview);
}

static void print(const struct file *f, struct rf_answer *to)
{
    struct rf_printed printed;
    struct rf_err err = { 0 };

    if (!rf_ghostscript_print(f->program, &printed, &err)) {
        if (*printed.broken)
            rf_answer_note(to,
                           "the PostScript program stops with the error \"%s\": what was "
                           "printed before is here",
                           printed.broken);
        give(to, "application/pdf", printed.pdf);
    } else if (f->preview.n) {
        give_preview(f, err.msg, to);
    } else {
        rf_answer_fail(to, err.code, err.hint, "%s", err.msg);
    }
}

void rf_postscript_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_str bytes;
    struct file f;

    if (!rf_ask_is(ask, "op", "part")) {
        rf_answer_fail(to, RF_EUSAGE, "", "the PostScript worker knows part");
        return;
    }
    if (!rf_ask_map(ask, &bytes, to))
        return;
    open_file(bytes, ask->arena, &f);
    if (!f.program.n && !f.preview.n)
        rf_answer_fail(to, RF_EFORMAT, "", "the EPS file is cut off");
    else if (rf_ghostscript_is_here() && f.program.n)
        print(&f, to);
    else if (f.preview.n)
        give_preview(&f, "Ghostscript is not installed here", to);
    else
        rf_answer_fail(to, RF_EUNSUPPORTED, "Install Ghostscript (libgs10) to have it read.",
                       "it is PostScript, for which Ghostscript is needed");
}
