/* PostScript through the worker, where Ghostscript is installed; and previews, as they are given
 * where it is not: in this process, which never loads it. */
#include "asking.h"
#include "packing.h"

#include "worker/postscript/postscript.h"

#include <sys/socket.h>

static struct rf_arena *arena;
static bool has_ghostscript;

static struct rf_job print(struct rf_str program)
{
    return ask_worker(arena, "postscript", "op=part\n", program);
}

#define PAGE "/Helvetica findfont 24 scalefont setfont 72 700 moveto (one) show showpage\n"

static const struct {
    const char *name, *program;
    enum rf_code code;
    const char *words; /* of the error, or of a note */
} programs[] = {
    { "pages", "%!PS\n" PAGE PAGE, RF_OK, "" },
    { "after a mark of a printer", "\4%!PS\n" PAGE, RF_OK, "" },
    { "EPS that does not say showpage",
      "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n0 0 9 9 rectfill\n", RF_OK,
      "" },
    { "one that stops after a page", "%!PS\n" PAGE "nonsense\n", RF_OK,
      "stops with the error \"undefined\": what was printed before is here" },
    { "one that stops before", "%!PS\nnonsense\n", RF_EFORMAT, "stops with the error" },
    { "one that is cut off", "%!PS-Adobe-3.0\n/a { 1 2 add", RF_EFORMAT, "stops with the error" },
    { "one that reads a file", "%!PS\n(/etc/passwd) (r) file pop " PAGE, RF_EFORMAT,
      "wants to open a file, which it may not" },
    { "one that writes a file", "%!PS\n(/etc/x) (w) file pop " PAGE, RF_EFORMAT,
      "wants to open a file, which it may not" },
    { "one that starts a program", "%!PS\n(%pipe%id) (r) file pop " PAGE, RF_EFORMAT,
      "wants to open a file, which it may not" },
};

static void programs_are_printed(void **state)
{
    (void)state;
    if (!has_ghostscript)
        skip();
    for (size_t i = 0; i < COUNT(programs); i++) {
        struct rf_job job = print(rf_str(programs[i].program));
        print_message("%s: %s\n", programs[i].name, job.failed ? job.err.msg : "printed");
        assert_int_equal(job.failed, programs[i].code);
        if (job.failed) {
            assert_non_null(strstr(job.err.msg, programs[i].words));
            continue;
        }
        assert_str(prop_of(&job, 0, "mime"), "application/pdf");
        assert_true(rf_str_starts(job.parts[0].bytes.text, "%PDF-1.7"));
        assert_true(!*programs[i].words || is_noted(&job, programs[i].words));
        struct rf_job again = print(rf_str(programs[i].program));
        assert_true(rf_str_eq(job.parts[0].bytes.text, again.parts[0].bytes.text));
    }
}

static void a_program_without_end_is_ended(void **state)
{
    struct rf_bytes bytes = rf_bytes_memory(RF_STR("%!PS\n{} loop\n"));
    struct rf_job job = {
        .family = "postscript", .ask = RF_STR("op=part\n"), .input = &bytes, .timeout_ms = 500
    };

    (void)state;
    if (!has_ghostscript)
        skip();
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_ELIMIT);
}

/* A DOS file: where the program, a WMF and a TIFF are. */
static struct rf_str dos(const uint32_t places[6], const char *rest)
{
    struct rf_buf b;

    rf_buf_init(&b, arena, 1000);
    put32(&b, 0xc6d3d0c5);
    for (size_t i = 0; i < 6; i++)
        put32(&b, places[i]);
    put16(&b, 0xffff);
    rf_buf_add(&b, rf_str(rest));
    return packed(&b);
}

/* All frames of an answer that is given in this process, one a line: kind, then bytes. */
static struct rf_str answered(struct rf_str bytes)
{
    struct rf_ask ask = { .arena = arena, .text = RF_STR("op=part\n"), .fd = -1, .bytes = bytes };
    struct rf_frame_head head;
    struct rf_buf b;
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    struct rf_answer to = { .socket = pair[1] };
    rf_postscript_answer(&ask, &to);
    close(pair[1]);
    rf_buf_init(&b, arena, 100000);
    while (read(pair[0], &head, sizeof head) == sizeof head) {
        char *text = rf_arena_alloc(arena, head.length + 1);
        assert_int_equal(read(pair[0], text, head.length), (ssize_t)head.length);
        rf_buf_addf(&b, "%u:", head.kind);
        rf_buf_add(&b, (struct rf_str){ text, head.length });
        rf_buf_addc(&b, '\n');
    }
    close(pair[0]);
    return packed(&b);
}

#define SAID_TO_BE_PREVIEW \
    "7:Ghostscript is not installed here, so this is the small preview that the file carries\n"
#define FILE_PART(bytes) "4:kind=file\nmime=application/octet-stream\n\n6:" bytes "\n"
#define EPSI(size, digits) \
    "%!PS-Adobe-3.0 EPSF-3.0\n%%BeginPreview: " size "\n" digits "%%EndPreview\nshowpage\n"
#define NEEDED                                                           \
    "9:unsupported\nit is PostScript, for which Ghostscript is needed\n" \
    "Install Ghostscript (libgs10) to have it read.\n\n"

static void previews_are_given(void **state)
{
    const struct {
        const char *name;
        struct rf_str file;
        const char *want;
    } rows[] = {
        { "the TIFF of a DOS file", dos((const uint32_t[]){ 30, 5, 35, 3, 38, 4 }, "%!PS\nwmfTIFF"),
          SAID_TO_BE_PREVIEW FILE_PART("TIFF") },
        { "its WMF", dos((const uint32_t[]){ 30, 5, 35, 3, 0, 0 }, "%!PS\nwmf"),
          SAID_TO_BE_PREVIEW FILE_PART("wmf") },
        { "places outside of the file",
          dos((const uint32_t[]){ 90, 5, 35, 0xffffffff, 0xffffffff, 4 }, "%!PS\n"),
          "9:malformed\nthe EPS file is cut off\n\n\n" },
        { "bits in comments", rf_str(EPSI("4 2 1 2", "% A0\n%50\n")),
          SAID_TO_BE_PREVIEW FILE_PART("P5\n4 2 255\n@ @  @ @") },
        { "bits that are too few", rf_str(EPSI("40 20 1 2", "% A0\n%50\n")), NEEDED },
        { "bits of an impossible size", rf_str(EPSI("99999999 99999999 8 2", "%A0\n")), NEEDED },
        { "a program alone", RF_STR("%!PS\nshowpage\n"), NEEDED },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_str found = answered(rows[i].file);
        char *p = (char *)(uintptr_t)found.p;
        for (size_t k = 0; k < found.n; k++) /* black and white, to be read */
            p[k] = (char)(p[k] == 0 ? '@' : (unsigned char)p[k] == 255 ? ' ' : p[k]);
        print_message("%s\n", rows[i].name);
        assert_str(found, rows[i].want);
    }
}

static int set_up(void **state)
{
    arena = rf_arena_new();
    int rc = use_built_workers(state);
    has_ghostscript = !print(RF_STR("%!PS\nshowpage\n")).failed;
    return rc;
}

static int tear_down(void **state)
{
    rf_arena_free(arena);
    return stop_workers(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(previews_are_given),
        cmocka_unit_test(programs_are_printed),
        cmocka_unit_test(a_program_without_end_is_ended),
    };

    return cmocka_run_group_tests_name("postscript", tests, set_up, tear_down);
}
