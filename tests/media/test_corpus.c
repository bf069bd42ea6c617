/* Real files: every row of the shared corpus' list, against what other tools measured.
 *
 * Each file that is good must be recognised by its bytes alone, with the right size, turned the
 * right way; what needs a password must say so; nothing may crash on what is broken. Where we
 * differ on purpose, the table below says why. Needs REFRACT_SHARED, and says so
 * where it is not set. */
#include "media_rows.h"

#include <stdbool.h>
#include <string.h>

#define MAX_LINE 65536

/* One row of the list; the strings point into the line. */
struct row {
    const char *path, *expect, *truth;
};

/* Rows whose type, size or facts are not what the list says, by the end of their path or by
 * "format=" in their truth. */
static const struct {
    const char *what, *why;
} exceptions[] = {
    { "format=DDS", "not in our table of formats" },
    { "format=qoi", "not in our table of formats" },
    { "format=ICNS", "not in our table of formats" },
    { "format=PCX", "not in our table of formats" },
    { "format=PBM", "not in our table of formats" },
    { "format=PGM", "not in our table of formats" },
    { "format=PPM", "not in our table of formats" },
    { "format=TGA", "has no signature" },
    { "format=DIB", "a BMP without its file header has no signature" },
    { ".svgz", "compressed: nothing is unpacked here" },
    { ".msg", "mail is not in our table of formats" },
    { "testEXCEL_4.xls", "Excel 4 wrote no compound file" },
    { "testWordPerfect_42.doc", "WordPerfect is not in our table of formats" },
    { "testODTStyles3.odt", "its member \"mimetype\" is packed, against the rules" },
    { "no_cursors.cur", "a list of no pictures is not a picture" },
    { "00r1_graya_la.jp2", "its header says 32 x 32; its code stream is odd" },
    { "split_fdat.png", "its picture for old viewers is a frame to some tools, and none to us" },
    { "example.opus", "starts in the middle: its last position is not its length" },
    { "bad-xing.mp3", "has a false count of frames" },
};

struct counts {
    unsigned files, right, excepted, broken, refused, wrong;
    unsigned used[COUNT(exceptions)];
};

static bool is_excepted(const struct row *row, struct counts *c)
{
    for (size_t i = 0; i < COUNT(exceptions); i++) {
        if (rf_str_ends(rf_str(row->path), exceptions[i].what) ||
            rf_str_starts(rf_str(row->truth), exceptions[i].what)) {
            c->used[i]++;
            return true;
        }
    }
    return false;
}

/* The value of "KEY=" in "a=1; b=2", cut at the next semicolon. */
static bool truth(const struct row *row, const char *key, char *out, size_t size)
{
    struct rf_str rest = rf_str(row->truth), piece;

    while (rf_str_split(&rest, ';', &piece)) {
        piece = rf_str_trim(piece);
        if (piece.n <= strlen(key) || !rf_str_starts(piece, key) || piece.p[strlen(key)] != '=')
            continue;
        snprintf(out, size, "%.*s", (int)(piece.n - strlen(key) - 1), piece.p + strlen(key) + 1);
        return true;
    }
    return false;
}

/* What a file must be, by what the other tools call it ... */
static const struct {
    const char *key, *value, *mime;
} by_truth[] = {
    { "container", "OLE", "application/encrypted" },
    { "format", "PNG", "image/png" },
    { "format", "JPEG", "image/jpeg" },
    { "format", "GIF", "image/gif" },
    { "format", "WEBP", "image/webp" },
    { "format", "BMP", "image/bmp" },
    { "format", "BMP2", "image/bmp" },
    { "format", "BMP3", "image/bmp" },
    { "format", "TIFF", "image/tiff" },
    { "format", "TIFF64", "image/tiff" },
    { "format", "ICO", "image/vnd.microsoft.icon" },
    { "format", "CUR", "image/vnd.microsoft.icon" },
    { "format", "SVG", "image/svg+xml" },
    { "format", "svg", "image/svg+xml" },
    { "format", "JP2", "image/jp2" },
    { "format", "J2K", "image/jp2" },
    { "format", "jpegxl", "image/jxl" },
    { "format", "PSD", "image/vnd.adobe.photoshop" },
    { "container", "mp3", "audio/mpeg" },
    { "container", "wav", "audio/wav" },
    { "container", "flac", "audio/flac" },
    { "container", "aac", "audio/aac" },
    { "container", "aiff", "audio/aiff" },
    { "container", "amr", "audio/amr" },
    { "container", "flv", "video/x-flv" },
    { "container", "avi", "video/x-msvideo" },
};

/* ... or, where that is not enough, by its name, which tells the truth outside of derived/. */
static const struct {
    const char *end, *mime;
} by_name[] = {
    { "small__mp4-with-audio.mp4", "audio/mp4" },
    { ".heif", "image/heic" },
    { ".eml", "text/plain" },
    { "-pdf", "application/pdf" },
    { "really-a-pdf.docx", "application/pdf" },
};

static const char *wanted_mime(const struct row *row)
{
    char value[64];

    for (size_t i = 0; i < COUNT(by_truth); i++) {
        if (truth(row, by_truth[i].key, value, sizeof value) &&
            strcmp(value, by_truth[i].value) == 0)
            return by_truth[i].mime;
    }
    for (size_t i = 0; i < COUNT(by_name); i++) {
        if (rf_str_ends(rf_str(row->path), by_name[i].end))
            return by_name[i].mime;
    }
    return mime_of(rf_format_by_name(rf_str(row->path)));
}

/* What we found, in the words of the list. */
struct found {
    const struct rf_format *format;
    struct rf_facts facts;
    enum rf_code rc;
    struct rf_err err;
};

static bool right_size(const struct row *row, const struct found *found)
{
    char want[64], width[32], height[32], got[64], other[256];

    if (!truth(row, "width", width, sizeof width) || !truth(row, "height", height, sizeof height))
        return true;
    snprintf(want, sizeof want, "%sx%s", width, height);
    truth(row, "display", want, sizeof want);
    snprintf(got, sizeof got, "%ux%u", found->facts.width, found->facts.height);
    if (strcmp(want, got) == 0)
        return true;
    return truth(row, "dims_other", other, sizeof other) && strstr(other, got);
}

/* Moving pictures, where we say so or say the opposite. */
static bool right_frames(const struct row *row, const struct found *found)
{
    char frames[32];

    if (found->facts.frames == 0 || !truth(row, "frames", frames, sizeof frames))
        return true;
    return (strtol(frames, NULL, 10) > 1) == (found->facts.frames > 1);
}

/* Within 3 % and a tenth of a second; what the header does not tell is not a mistake. */
static bool right_duration(const struct row *row, const struct found *found)
{
    char seconds[32];

    if (found->facts.duration_ms == 0 || !truth(row, "duration_s", seconds, sizeof seconds))
        return true;
    double want = strtod(seconds, NULL) * 1000, got = (double)found->facts.duration_ms;
    return got > want * 0.97 - 100 && got < want * 1.03 + 100;
}

static bool right_password(const struct row *row, const struct found *found)
{
    char encrypted[64] = "";

    if (strcmp(row->expect, "password") == 0)
        return found->facts.encrypted;
    if (!truth(row, "encrypted", encrypted, sizeof encrypted))
        return true;
    return rf_str_starts(rf_str(encrypted), "yes") == found->facts.encrypted;
}

/* What is wrong with what we found, or NULL. */
static const char *complaint(const struct row *row, const struct found *found)
{
    if (!found->format || strcmp(found->format->mime, wanted_mime(row)) != 0)
        return "type";
    if (found->rc)
        return "refused";
    if (!right_size(row, found))
        return "size";
    if (!right_frames(row, found))
        return "frames";
    if (!right_duration(row, found))
        return "duration";
    return right_password(row, found) ? NULL : "password";
}

static bool look_at(const char *folder, const struct row *row, struct found *out)
{
    char path[4096];
    struct rf_bytes bytes;
    struct rf_reader r;

    *out = (struct found){ 0 };
    snprintf(path, sizeof path, "%s/corpus/%s", folder, row->path);
    if (rf_bytes_file("", path, &bytes, &out->err) || rf_reader_open(&r, &bytes, &out->err))
        return false;
    out->format = rf_sniff(&r);
    out->rc = rf_probe(&r, out->format, &out->facts, &out->err);
    rf_reader_close(&r);
    return true;
}

static bool read_row(char *line, struct row *out)
{
    const char *fields[9] = { "" };
    size_t n = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *p = line; p && n < COUNT(fields); n++) {
        fields[n] = p;
        p = strchr(p, '\t');
        if (p)
            *p++ = '\0';
    }
    *out = (struct row){ fields[0], fields[6], fields[7] };
    return n >= 8 && strcmp(fields[0], "path") != 0;
}

/* Broken, hostile and disputed files: refused or not, but never a crash. */
static void check_broken(const struct found *found, struct counts *c)
{
    c->broken++;
    if (found->rc) {
        c->refused++;
        assert_true(found->err.msg[0] != '\0');
    } else if (!found->format) {
        c->refused++;
    }
}

static void check_row(const char *folder, const struct row *row, struct counts *c)
{
    struct found found;

    c->files++;
    if (!look_at(folder, row, &found)) {
        print_error("%s: %s\n", row->path, found.err.msg);
        c->wrong++;
        return;
    }
    if (strcmp(row->expect, "ok") != 0 && strcmp(row->expect, "password") != 0) {
        check_broken(&found, c);
        return;
    }
    const char *wrong = complaint(row, &found);
    if (wrong && is_excepted(row, c)) {
        c->excepted++;
    } else if (wrong) {
        print_error("%s: %s: %s %ux%u %lld ms %s; %s\n", row->path, wrong, mime_of(found.format),
                    found.facts.width, found.facts.height, (long long)found.facts.duration_ms,
                    found.rc ? found.err.msg : "", row->truth);
        c->wrong++;
    } else {
        c->right++;
    }
}

/* An exception that nothing needs hides the next mistake. */
static void check_exceptions(const struct counts *c)
{
    for (size_t i = 0; i < COUNT(exceptions); i++) {
        print_message("  excepted %2u: %s (%s)\n", c->used[i], exceptions[i].what,
                      exceptions[i].why);
        assert_true(c->used[i] > 0);
    }
}

static void test_corpus(void **state)
{
    const char *folder = getenv("REFRACT_SHARED");
    char path[4096], *line = malloc(MAX_LINE);
    struct counts c = { 0 };
    struct row row;

    (void)state;
    if (!folder) {
        print_message("skipped: REFRACT_SHARED is not set\n");
        free(line);
        return;
    }
    snprintf(path, sizeof path, "%s/corpus/MANIFEST.tsv", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, MAX_LINE, f)) {
        if (read_row(line, &row))
            check_row(folder, &row, &c);
    }
    fclose(f);
    free(line);
    print_message("%u files: %u right, %u excepted, %u broken (%u refused), %u wrong\n", c.files,
                  c.right, c.excepted, c.broken, c.refused, c.wrong);
    assert_true(c.right > 0);
    assert_int_equal(c.wrong, 0);
    check_exceptions(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_corpus) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
