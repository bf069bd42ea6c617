#include "agent/probe_files.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/crc32.h"
#include "base/error.h"

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>

/* Digits are lines that a round pen draws, in tenths of a unit: 100 x 160. */
#define DIGIT_WIDTH 100
#define DIGIT_HEIGHT 160
#define MARGIN 80
#define GAP 40
#define PEN 20
#define WIDTH (2 * MARGIN + RF_PROBE_DIGITS * DIGIT_WIDTH + (RF_PROBE_DIGITS - 1) * GAP)
#define HEIGHT (2 * MARGIN + DIGIT_HEIGHT)
#define UNIT 10
#define PIXELS 4 /* of the picture, a unit */
#define POINTS 2 /* of the page, a unit */
#define COLUMNS (WIDTH * PIXELS / UNIT)
#define ROWS (HEIGHT * PIXELS / UNIT)
#define MOST_POINTS 30
#define RATE 8000 /* samples a second */
#define TONE_MS 250
#define PAUSE_MS 150
#define LOUDNESS 9000.0

struct point {
    int16_t x, y; /* y downwards */
};
#define LIFT  \
    {         \
        -1, 0 \
    } /* the pen goes on elsewhere */
#define END   \
    {         \
        -1, 1 \
    }

static const struct point digits[10][MOST_POINTS] = {
    { { 50, 8 },
      { 66, 13 },
      { 79, 29 },
      { 88, 52 },
      { 91, 80 },
      { 88, 108 },
      { 79, 131 },
      { 66, 147 },
      { 50, 152 },
      { 34, 147 },
      { 21, 131 },
      { 12, 108 },
      { 9, 80 },
      { 12, 52 },
      { 21, 29 },
      { 34, 13 },
      { 50, 8 },
      END },
    { { 20, 40 }, { 55, 10 }, { 55, 152 }, END },
    { { 10, 45 },
      { 16, 25 },
      { 32, 11 },
      { 50, 8 },
      { 68, 11 },
      { 83, 24 },
      { 88, 44 },
      { 83, 64 },
      { 65, 88 },
      { 10, 151 },
      { 90, 151 },
      END },
    { { 12, 30 },  { 26, 14 },  { 50, 8 },   { 74, 15 },  { 84, 32 },  { 83, 50 }, { 72, 66 },
      { 50, 74 },  { 38, 74 },  LIFT,        { 50, 74 },  { 76, 82 },  { 89, 98 }, { 90, 116 },
      { 82, 136 }, { 66, 148 }, { 48, 152 }, { 26, 146 }, { 10, 128 }, END },
    { { 70, 152 }, { 70, 8 }, { 10, 108 }, { 92, 108 }, END },
    { { 84, 9 },
      { 22, 9 },
      { 16, 74 },
      { 30, 63 },
      { 50, 58 },
      { 72, 65 },
      { 87, 84 },
      { 89, 106 },
      { 82, 130 },
      { 66, 146 },
      { 46, 152 },
      { 24, 146 },
      { 10, 128 },
      END },
    { { 83, 29 },
      { 70, 13 },
      { 52, 8 },
      { 32, 16 },
      { 18, 39 },
      { 12, 70 },
      { 11, 100 },
      { 17, 130 },
      { 32, 148 },
      { 51, 152 },
      { 70, 147 },
      { 85, 130 },
      { 89, 108 },
      { 84, 84 },
      { 70, 68 },
      { 51, 63 },
      { 32, 68 },
      { 16, 86 },
      END },
    { { 10, 9 }, { 90, 9 }, { 66, 45 }, { 48, 90 }, { 40, 152 }, END },
    { { 50, 8 },   { 67, 13 },  { 79, 25 },  { 84, 42 },  { 79, 59 },  { 67, 71 },
      { 50, 76 },  { 33, 71 },  { 21, 59 },  { 16, 42 },  { 21, 25 },  { 33, 13 },
      { 50, 8 },   LIFT,        { 50, 76 },  { 67, 80 },  { 81, 90 },  { 89, 106 },
      { 89, 122 }, { 81, 138 }, { 67, 148 }, { 50, 152 }, { 33, 148 }, { 19, 138 },
      { 11, 122 }, { 11, 106 }, { 19, 90 },  { 33, 80 },  { 50, 76 },  END },
    { { 17, 131 },
      { 30, 147 },
      { 48, 152 },
      { 68, 144 },
      { 82, 121 },
      { 88, 90 },
      { 89, 60 },
      { 83, 30 },
      { 68, 12 },
      { 49, 8 },
      { 30, 13 },
      { 15, 30 },
      { 11, 52 },
      { 16, 76 },
      { 30, 92 },
      { 49, 97 },
      { 68, 92 },
      { 84, 74 },
      END },
};

/* Those that are hardest to take for another one. */
void rf_probing_code(char code[RF_PROBE_DIGITS + 1])
{
    static const char clear[8] = { '0', '1', '2', '3', '4', '6', '8', '9' };
    uint8_t bytes[RF_PROBE_DIGITS];
    ssize_t got;
    do
        got = getrandom(bytes, sizeof bytes, 0);
    while (got < 0 && errno == EINTR);
    if (got != sizeof bytes)
        RF_BUG("no random numbers");
    for (size_t i = 0; i < RF_PROBE_DIGITS; i++)
        code[i] = clear[bytes[i] % sizeof clear];
    code[RF_PROBE_DIGITS] = '\0';
}

/* Is a point within the pen's reach of the line from `p` to `q`? */
static bool is_near(struct point p, struct point q, int x, int y)
{
    int64_t dx = q.x - p.x, dy = q.y - p.y, px = x - p.x, py = y - p.y;
    int64_t length = dx * dx + dy * dy, along = px * dx + py * dy;
    if (along < 0 || !length)
        return px * px + py * py <= PEN * PEN / 4;
    if (along > length)
        return (x - q.x) * (x - q.x) + (y - q.y) * (y - q.y) <= PEN * PEN / 4;
    int64_t aside = px * dy - py * dx;
    return aside * aside <= PEN * PEN / 4 * length;
}

static bool is_in_digit(const struct point *p, int x, int y)
{
    for (; p[1].x >= 0 || p[1].y == 0; p++)
        if (p[0].x >= 0 && p[1].x >= 0 && is_near(p[0], p[1], x, y))
            return true;
    return false;
}

/* Is there ink in this place? */
static bool is_dark(const char *code, int x, int y)
{
    int digit = (x - MARGIN + GAP / 2) / (DIGIT_WIDTH + GAP);
    int left = MARGIN + digit * (DIGIT_WIDTH + GAP);
    if (x < MARGIN - GAP / 2 || digit >= RF_PROBE_DIGITS)
        return false;
    return is_in_digit(digits[code[digit] - '0'], x - left, y - MARGIN);
}

static void add_big(struct rf_buf *b, uint32_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        rf_buf_addc(b, (char)(n >> shift & 0xff));
}

static void add_little(struct rf_buf *b, uint32_t n, int bytes)
{
    for (int i = 0; i < bytes; i++)
        rf_buf_addc(b, (char)(n >> 8 * i & 0xff));
}

static struct rf_str finish(struct rf_buf *b)
{
    struct rf_str out;
    if (rf_buf_finish(b, &out, NULL))
        RF_BUG("a probe's file in memory could not be written");
    return out;
}

/* Picture */

static void add_chunk(struct rf_buf *b, const char *type, struct rf_str data)
{
    size_t begin;
    add_big(b, (uint32_t)data.n);
    begin = b->n;
    rf_buf_add(b, rf_str(type));
    rf_buf_add(b, data);
    add_big(b, rf_crc32(b->p + begin, b->n - begin));
}

static uint32_t adler(struct rf_str s)
{
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < s.n; i++) {
        low = (low + (uint8_t)s.p[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

/* One bit a pixel, the first of a byte the highest; 0 is black. */
static struct rf_str draw(const char *code, struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    for (int y = 0; y < ROWS; y++) {
        rf_buf_addc(&b, 0); /* no filter */
        for (int x = 0; x < COLUMNS; x += 8) {
            unsigned byte = 0;
            for (int bit = 0; bit < 8; bit++)
                byte = byte << 1 | !is_dark(code, (x + bit) * UNIT / PIXELS, y * UNIT / PIXELS);
            rf_buf_addc(&b, (char)byte);
        }
    }
    return finish(&b);
}

/* As zlib has it, in one block that is not compressed: it is below 64 KiB. */
static struct rf_str packed(struct rf_str rows, struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, RF_STR("\x78\x01\x01"));
    add_little(&b, (uint32_t)rows.n, 2);
    add_little(&b, ~(uint32_t)rows.n & 0xffff, 2);
    rf_buf_add(&b, rows);
    add_big(&b, adler(rows));
    return finish(&b);
}

struct rf_str rf_probing_picture(const char *code, struct rf_arena *a)
{
    struct rf_buf b, header;
    _Static_assert(COLUMNS % 8 == 0 && (COLUMNS / 8 + 1) * ROWS < 65536, "more than one block");
    rf_buf_init(&header, a, SIZE_MAX);
    add_big(&header, COLUMNS);
    add_big(&header, ROWS);
    rf_buf_add(&header, RF_STR("\x01\0\0\0\0")); /* one bit, grey */
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, RF_STR("\x89PNG\r\n\x1a\n"));
    add_chunk(&b, "IHDR", finish(&header));
    add_chunk(&b, "IDAT", packed(draw(code, a), a));
    add_chunk(&b, "IEND", RF_STR(""));
    return finish(&b);
}

/* PDF */

static void add_lines(struct rf_buf *b, const struct point *p, int left)
{
    bool down = false;
    for (; p->x >= 0 || p->y == 0; p++) {
        if (p->x >= 0)
            rf_buf_addf(b, "%d %d %c\n", left + p->x, HEIGHT - MARGIN - p->y, down ? 'l' : 'm');
        down = p->x >= 0;
    }
}

static struct rf_str page(const char *code, struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "0.%d 0 0 0.%d 0 0 cm\n%d w 1 J 1 j\n", POINTS, POINTS, PEN);
    for (int i = 0; i < RF_PROBE_DIGITS; i++)
        add_lines(&b, digits[code[i] - '0'], MARGIN + i * (DIGIT_WIDTH + GAP));
    rf_buf_addf(&b, "S\n");
    return finish(&b);
}

struct rf_str rf_probing_pdf(const char *code, struct rf_arena *a)
{
    struct rf_str drawing = page(code, a);
    const struct rf_str objects[] = {
        RF_STR("<< /Type /Catalog /Pages 2 0 R >>"),
        RF_STR("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
        rf_strf(a,
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R "
                "/Resources << >> >>",
                WIDTH * POINTS / UNIT, HEIGHT * POINTS / UNIT),
        rf_strf(a, "<< /Length %zu >>\nstream\n%.*sendstream", drawing.n, RF_FMT(drawing)),
    };
    size_t offsets[sizeof objects / sizeof *objects], count = sizeof objects / sizeof *objects;
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, RF_STR("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"));
    for (size_t i = 0; i < count; i++) {
        offsets[i] = b.n;
        rf_buf_addf(&b, "%zu 0 obj\n%.*s\nendobj\n", i + 1, RF_FMT(objects[i]));
    }
    size_t table = b.n;
    rf_buf_addf(&b, "xref\n0 %zu\n0000000000 65535 f \n", count + 1);
    for (size_t i = 0; i < count; i++)
        rf_buf_addf(&b, "%010zu 00000 n \n", offsets[i]);
    rf_buf_addf(&b, "trailer\n<< /Size %zu /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n", count + 1,
                table);
    return finish(&b);
}

/* Sound */

/* A tone, made by turning on from its last two samples. */
struct tone {
    double turn; /* twice the cosine of the angle between two samples, */
    double step; /* and its sine */
    double last, before;
};

/* Two tones a digit: that of its row (697, 770, 852, 941 Hz) and of its column (1209, 1336, 1477
 * Hz) on the keys of a telephone. */
static const struct tone row_tones[] = { { 1.7077378093, 0.5204881302, 0, 0 },
                                         { 1.6452810360, 0.5685618507, 0, 0 },
                                         { 1.5686869839, 0.6203267580, 0, 0 },
                                         { 1.4782045682, 0.6735932108, 0, 0 } },
                         column_tones[] = { { 1.1641040230, 0.8131515578, 0, 0 },
                                            { 0.9963702107, 0.8670707012, 0, 0 },
                                            { 0.7986183892, 0.9168163214, 0, 0 } };

static double next(struct tone *t)
{
    double now = t->last;
    t->last = t->turn * now - t->before;
    t->before = now;
    return now;
}

static void add_digit(struct rf_buf *b, char digit, int samples, int pause)
{
    int key = digit == '0' ? 10 : digit - '1';
    struct tone low = row_tones[key / 3], high = column_tones[key % 3];
    low.before = -low.step; /* the sine begins with 0 */
    high.before = -high.step;
    for (int i = 0; i < samples; i++)
        add_little(b, (uint16_t)(int16_t)(LOUDNESS * (next(&low) + next(&high))), 2);
    for (int i = 0; i < pause; i++)
        add_little(b, 0, 2);
}

struct rf_str rf_probing_sound(const char *code, struct rf_arena *a)
{
    const int tone = RATE * TONE_MS / 1000, pause = RATE * PAUSE_MS / 1000;
    uint32_t bytes = (uint32_t)(RF_PROBE_DIGITS * (tone + pause)) * 2;
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, RF_STR("RIFF"));
    add_little(&b, 36 + bytes, 4);
    rf_buf_add(&b, RF_STR("WAVEfmt "));
    add_little(&b, 16, 4);
    add_little(&b, 1, 2); /* PCM */
    add_little(&b, 1, 2); /* mono */
    add_little(&b, RATE, 4);
    add_little(&b, RATE * 2, 4);
    add_little(&b, 2, 2);
    add_little(&b, 16, 2);
    rf_buf_add(&b, RF_STR("data"));
    add_little(&b, bytes, 4);
    for (int digit = 0; digit < RF_PROBE_DIGITS; digit++)
        add_digit(&b, code[digit], tone, pause);
    return finish(&b);
}
