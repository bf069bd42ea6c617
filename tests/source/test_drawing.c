/* Drawings against their grammars: what a sound worker gives comes out as it should, and nothing that a lying one
 * might slip in does. Every sound drawing is also cut at each byte, and spoiled at each byte. */
#include "source/drawing.h"

#include "../testing.h"
#include "files.h"

#define E "\033"
#define RED E "[38;2;255;0;0m"
#define PLAIN E "[0m"
#define UPPER "\xe2\x96\x80" /* U+2580 */
#define FULL "\xe2\x96\x88"  /* U+2588 */
#define SIXEL(body) E "P0;1;0q" body E "\\"

static const struct row {
    const char *name;
    enum rf_graphics graphics;
    struct rf_str made;
    struct rf_drawing size;
    const char *want; /* NULL: refused */
} rows[] = {
    /* Blocks. */
    { "blocks with colours",
      RF_GRAPHICS_BLOCKS,
      B(PLAIN RED UPPER E "[48;5;17m" FULL PLAIN),
      { 2, 1, 0, 0, 0 },
      PLAIN RED UPPER E "[48;5;17m" FULL PLAIN },
    { "each row is ended plain",
      RF_GRAPHICS_BLOCKS,
      B(RED UPPER "\n" E "[7m" UPPER),
      { 1, 2, 0, 0, 0 },
      RED UPPER PLAIN "\n" E "[7m" UPPER PLAIN },
    { "sixteen colours, both at once",
      RF_GRAPHICS_BLOCKS,
      B(E "[91;107m" UPPER E "[39;49m "),
      { 2, 1, 0, 0, 0 },
      E "[91;107m" UPPER E "[39;49m " PLAIN },
    { "both colours in full",
      RF_GRAPHICS_BLOCKS,
      B(E "[38;2;1;2;3;48;2;4;5;255m" UPPER),
      { 1, 1, 0, 0, 0 },
      E "[38;2;1;2;3;48;2;4;5;255m" UPPER PLAIN },
    { "a row that is narrower", RF_GRAPHICS_BLOCKS, B(UPPER), { 5, 1, 0, 0, 0 }, UPPER PLAIN },
    { "ASCII", RF_GRAPHICS_BLOCKS, B("@#~ "), { 4, 1, 0, 0, 1 }, "@#~ " PLAIN },
    { "ASCII where blocks were asked for", RF_GRAPHICS_BLOCKS, B("@"), { 4, 1, 0, 0, 0 }, NULL },
    { "blocks where ASCII was asked for", RF_GRAPHICS_BLOCKS, B(UPPER), { 4, 1, 0, 0, 1 }, NULL },
    { "a row that is too wide", RF_GRAPHICS_BLOCKS, B(UPPER UPPER UPPER), { 2, 1, 0, 0, 0 }, NULL },
    { "a row too many", RF_GRAPHICS_BLOCKS, B(UPPER "\n" UPPER), { 1, 1, 0, 0, 0 }, NULL },
    { "a row too few", RF_GRAPHICS_BLOCKS, B(UPPER), { 1, 2, 0, 0, 0 }, NULL },
    { "nothing", RF_GRAPHICS_BLOCKS, B(""), { 1, 1, 0, 0, 0 }, NULL },
    { "a carriage return", RF_GRAPHICS_BLOCKS, B(UPPER "\r"), { 2, 1, 0, 0, 0 }, NULL },
    { "a tab", RF_GRAPHICS_BLOCKS, B("\t"), { 9, 1, 0, 0, 0 }, NULL },
    { "a NUL", RF_GRAPHICS_BLOCKS, B(" \0 "), { 9, 1, 0, 0, 0 }, NULL },
    { "DEL", RF_GRAPHICS_BLOCKS, B("\x7f"), { 9, 1, 0, 0, 1 }, NULL },
    { "a C1 control in UTF-8",
      RF_GRAPHICS_BLOCKS,
      B("\xc2\x9b"
        "2J"),
      { 9, 1, 0, 0, 1 },
      NULL },
    { "a C1 control as a byte",
      RF_GRAPHICS_BLOCKS,
      B("\x9b"
        "2J"),
      { 9, 1, 0, 0, 1 },
      NULL },
    { "a character next to the blocks",
      RF_GRAPHICS_BLOCKS,
      B("\xe2\x96\xa0"),
      { 9, 1, 0, 0, 0 },
      NULL },
    { "one of two columns", RF_GRAPHICS_BLOCKS, B("\xe4\xb8\xad"), { 9, 1, 0, 0, 0 }, NULL },
    { "a character that is cut off", RF_GRAPHICS_BLOCKS, B("\xe2\x96"), { 9, 1, 0, 0, 0 }, NULL },
    { "the cursor moved", RF_GRAPHICS_BLOCKS, B(E "[2A" UPPER), { 9, 1, 0, 0, 0 }, NULL },
    { "the screen wiped", RF_GRAPHICS_BLOCKS, B(E "[2J"), { 9, 1, 0, 0, 0 }, NULL },
    { "the title set", RF_GRAPHICS_BLOCKS, B(E "]0;owned\a"), { 9, 1, 0, 0, 0 }, NULL },
    { "a link", RF_GRAPHICS_BLOCKS, B(E "]8;;file:///etc" E "\\"), { 9, 1, 0, 0, 0 }, NULL },
    { "a question", RF_GRAPHICS_BLOCKS, B(E "[6n"), { 9, 1, 0, 0, 0 }, NULL },
    { "a private mode", RF_GRAPHICS_BLOCKS, B(E "[?1049h"), { 9, 1, 0, 0, 0 }, NULL },
    { "a style that is not a colour", RF_GRAPHICS_BLOCKS, B(E "[5m "), { 9, 1, 0, 0, 0 }, NULL },
    { "hidden text", RF_GRAPHICS_BLOCKS, B(E "[8m "), { 9, 1, 0, 0, 0 }, NULL },
    { "a colour that is cut off", RF_GRAPHICS_BLOCKS, B(E "[38;2;1;2m "), { 9, 1, 0, 0, 0 }, NULL },
    { "a colour over 255", RF_GRAPHICS_BLOCKS, B(E "[38;5;256m "), { 9, 1, 0, 0, 0 }, NULL },
    { "a number without end",
      RF_GRAPHICS_BLOCKS,
      B(E "[99999999999999999999m "),
      { 9, 1, 0, 0, 0 },
      NULL },
    { "a style without numbers", RF_GRAPHICS_BLOCKS, B(E "[m "), { 9, 1, 0, 0, 0 }, NULL },
    { "too many numbers",
      RF_GRAPHICS_BLOCKS,
      B(E "[0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0m "),
      { 9, 1, 0, 0, 0 },
      NULL },
    { "an escape at the end", RF_GRAPHICS_BLOCKS, B(" " E), { 9, 1, 0, 0, 0 }, NULL },
    /* Sixels. */
    { "sixels",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("\"1;1;4;12#0;2;100;0;0#0!4~$#1?@-~~")),
      { 1, 1, 4, 12, 0 },
      E "7" SIXEL("\"1;1;4;12#0;2;100;0;0#0!4~$#1?@-~~") E "8" },
    { "sixels that end with a new line",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("~-")),
      { 1, 1, 1, 6, 0 },
      E "7" SIXEL("~-") E "8" },
    { "the last rows of a band may be clear",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("B")),
      { 1, 1, 1, 2, 0 },
      E "7" SIXEL("B") E "8" },
    { "sixels below the frame", RF_GRAPHICS_SIXEL, B(SIXEL("F")), { 1, 1, 1, 2, 0 }, NULL },
    { "bands below the frame", RF_GRAPHICS_SIXEL, B(SIXEL("~-~")), { 1, 1, 1, 6, 0 }, NULL },
    { "new lines below the frame", RF_GRAPHICS_SIXEL, B(SIXEL("~--")), { 1, 1, 1, 6, 0 }, NULL },
    { "sixels beside the frame", RF_GRAPHICS_SIXEL, B(SIXEL("~~")), { 1, 1, 1, 6, 0 }, NULL },
    { "a repeat beside the frame", RF_GRAPHICS_SIXEL, B(SIXEL("!5~")), { 1, 1, 4, 6, 0 }, NULL },
    { "a repeat without end",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("!99999999999~")),
      { 1, 1, 4, 6, 0 },
      NULL },
    { "a repeat of nothing", RF_GRAPHICS_SIXEL, B(SIXEL("!3")), { 1, 1, 4, 6, 0 }, NULL },
    { "a size that is larger than the frame",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("\"1;1;5;6~")),
      { 1, 1, 4, 6, 0 },
      NULL },
    { "a colour over a hundred",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("#0;2;101;0;0~")),
      { 1, 1, 4, 6, 0 },
      NULL },
    { "a colour in other words",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("#0;1;10;0;0~")),
      { 1, 1, 4, 6, 0 },
      NULL },
    { "a register without end", RF_GRAPHICS_SIXEL, B(SIXEL("#99999~")), { 1, 1, 4, 6, 0 }, NULL },
    { "another string than sixels",
      RF_GRAPHICS_SIXEL,
      B(E "P$q\"p" E "\\"),
      { 1, 1, 4, 6, 0 },
      NULL },
    { "keys of a terminal",
      RF_GRAPHICS_SIXEL,
      B(E "P1;1|17/54657374" E "\\"),
      { 1, 1, 4, 6, 0 },
      NULL },
    { "something after the end",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("~") E "[2J"),
      { 1, 1, 4, 6, 0 },
      NULL },
    { "a second picture", RF_GRAPHICS_SIXEL, B(SIXEL("~") SIXEL("~")), { 1, 1, 4, 6, 0 }, NULL },
    { "no end", RF_GRAPHICS_SIXEL, B(E "P0;1;0q~"), { 1, 1, 4, 6, 0 }, NULL },
    { "an escape within", RF_GRAPHICS_SIXEL, B(SIXEL("~" E "[2J~")), { 1, 1, 4, 6, 0 }, NULL },
    { "cancelled within", RF_GRAPHICS_SIXEL, B(SIXEL("~\x18[2J~")), { 1, 1, 4, 6, 0 }, NULL },
    { "a C1 end within",
      RF_GRAPHICS_SIXEL,
      B(SIXEL("~\x9c"
              "2J~")),
      { 1, 1, 4, 6, 0 },
      NULL },
    { "a line feed within", RF_GRAPHICS_SIXEL, B(SIXEL("~\n~")), { 1, 1, 4, 6, 0 }, NULL },
    { "sixels where blocks were asked for",
      RF_GRAPHICS_BLOCKS,
      B(SIXEL("~")),
      { 1, 1, 4, 6, 0 },
      NULL },
    /* PNG. */
    { "kitty",
      RF_GRAPHICS_KITTY,
      B(PNG_BYTES),
      { 2, 1, 3, 2, 0 },
      E "_Ga=T,f=100,q=2,C=1,c=2,r=1,m=0;"
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mP4z8AAQQxwFgBB0gX7b/"
        "EWxwAAAABJRU5ErkJggg==" E "\\" },
    { "iTerm2",
      RF_GRAPHICS_ITERM,
      B(PNG_BYTES),
      { 2, 1, 3, 2, 0 },
      E "7" E "]1337;File=inline=1;size=73;width=2;height=1;preserveAspectRatio=1:"
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mP4z8AAQQxwFgBB0gX7b/"
        "EWxwAAAABJRU5ErkJggg==\a" E "8" },
    { "a PNG of another size", RF_GRAPHICS_KITTY, B(PNG_BYTES), { 2, 1, 4, 2, 0 }, NULL },
    { "more after a PNG", RF_GRAPHICS_KITTY, B(PNG_BYTES "\a" E "[2J"), { 2, 1, 3, 2, 0 }, NULL },
    { "a PNG after a PNG", RF_GRAPHICS_ITERM, B(PNG_BYTES PNG_BYTES), { 2, 1, 3, 2, 0 }, NULL },
    { "a GIF", RF_GRAPHICS_KITTY, B(GIF_BYTES), { 2, 1, 1, 1, 0 }, NULL },
    { "text", RF_GRAPHICS_ITERM, B("\a" E "[2J"), { 2, 1, 1, 1, 0 }, NULL },
    { "no bytes", RF_GRAPHICS_ITERM, B(""), { 2, 1, 1, 1, 0 }, NULL },
    { "no way to draw", RF_GRAPHICS_NONE, B(" "), { 2, 1, 1, 1, 0 }, NULL },
};

static void test_row(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_err err;
    struct rf_str out = RF_STR("untouched");
    enum rf_code rc = rf_drawing_make(row->graphics, row->made, &row->size, a, &out, &err);
    assert_int_equal(rc, row->want ? RF_OK : RF_EIO);
    assert_str(out, row->want ? row->want : "untouched");
    rf_arena_free(a);
}

/* Does it hold anything that a terminal would act on, besides what drawings are made of? Told in another way than the
 * reader does: by what may stand after an escape. */
static bool is_harmless(enum rf_graphics g, struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        char next = i + 1 < s.n ? s.p[i + 1] : 0;
        if (c == 0x1b && g == RF_GRAPHICS_SIXEL && !strchr("78P\\", next))
            return false;
        if (c == 0x1b && g == RF_GRAPHICS_BLOCKS &&
            (next != '[' || s.p[i + 2 + strspn(s.p + i + 2, "0123456789;")] != 'm'))
            return false;
        if (c < 0x20 && c != 0x1b && (c != '\n' || g != RF_GRAPHICS_BLOCKS))
            return false;
        if (c == 0x7f || (c >= 0x80 && g == RF_GRAPHICS_SIXEL))
            return false;
    }
    return true;
}

static void try(const struct row *row, struct rf_str made, struct rf_arena *a)
{
    struct rf_str out;
    if (!rf_drawing_make(row->graphics, made, &row->size, a, &out, NULL))
        assert_true(is_harmless(row->graphics, out));
}

/* Every prefix, and every byte replaced by some that could do harm. */
static void spoiled_drawings_are_harmless(void **state)
{
    static const char bad[] = "\033\0\a\n\r\x18\x7f\x90\x9b\x9c[]P\\m0;!#-~ ";
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        if (!row->want || row->graphics > RF_GRAPHICS_SIXEL)
            continue;
        struct rf_arena *a = rf_arena_new();
        for (size_t n = 0; n < row->made.n; n++)
            try(row, (struct rf_str){ row->made.p, n }, a);
        for (size_t n = 0; n < row->made.n * (sizeof bad - 1); n++) {
            struct rf_str copy = rf_str_dup(a, row->made);
            ((char *)(uintptr_t)copy.p)[n / (sizeof bad - 1)] = bad[n % (sizeof bad - 1)];
            try(row, copy, a);
        }
        rf_arena_free(a);
    }
}

/* A PNG with a chunk of noughts after its head. */
static struct rf_str padded_png(struct rf_arena *a, uint16_t more)
{
    static const size_t head = 33, chunk = 12;
    struct rf_str png = RF_STR(PNG_BYTES);
    char *p = rf_arena_alloc(a, png.n + chunk + more);
    memset(p, 0, png.n + chunk + more);
    memcpy(p, png.p, head);
    p[head + 2] = (char)(more >> 8);
    p[head + 3] = (char)(more & 255);
    memcpy(p + head + 4, "noNe", 4);
    memcpy(p + head + chunk + more, png.p + head, png.n - head);
    return (struct rf_str){ p, png.n + chunk + more };
}

/* Base64 of more than one chunk: each a sequence of its own, of at most 4096 characters, the last marked. */
static void kitty_gets_chunks(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str made = padded_png(a, 10000), out;
    struct rf_drawing size = { 2, 1, 3, 2, 0 };
    size_t chunks = 0, longest = 0;
    (void)state;
    assert_int_equal(rf_drawing_make(RF_GRAPHICS_KITTY, made, &size, a, &out, NULL), RF_OK);
    assert_true(rf_str_starts(out, E "_Ga=T,f=100,q=2,C=1,c=2,r=1,m=1;"));
    for (const char *p = out.p; (p = memmem(p, out.n - (size_t)(p - out.p), E "_G", 3)); chunks++) {
        const char *data = memchr(p, ';', out.n - (size_t)(p - out.p));
        const char *end = memchr(data, '\033', out.n - (size_t)(data - out.p));
        size_t n = (size_t)(end - data) - 1;
        bool last = end + 2 == out.p + out.n;
        assert_int_equal(data[-1], last ? '0' : '1');
        assert_true(last || n == 4096);
        longest = n > longest ? n : longest;
        p = end;
    }
    assert_int_equal(chunks, (rf_base64_length(made.n) + 4095) / 4096);
    assert_int_equal(longest, 4096);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    const struct CMUnitTest more[] = {
        cmocka_unit_test(spoiled_drawings_are_harmless),
        cmocka_unit_test(kitty_gets_chunks),
    };
    name_rows(tests, test_row, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests_name("grammars", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("drawings", more, NULL, NULL);
}
