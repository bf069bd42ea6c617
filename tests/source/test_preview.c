/* Previews with workers that are played: labels, pages, names, text, and what is asked of whom. The image worker also
 * plays one that lies, and nothing of what it says gets out. */
#include "source/preview.h"

#include "../testing.h"
#include "../worker/packing.h"
#include "files.h"

#include <inttypes.h>

#define E "\033"
#define SHEET_MIME "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

static struct rf_arena *arena;
static const char *folder;
static struct rf_tools *tools;

/* What the workers are told to say. */
static struct {
    int64_t pages, duration_ms; /* of documents, of recordings */
    const char *lie;            /* the image worker draws this */
    size_t lie_length;
    const char *lie_props;
    bool none;             /* there are no workers */
    bool sound;            /* recordings have no pictures */
    struct rf_str last[8]; /* asks, the newest first, of the family in front */
} played;

static struct rf_prop *props_of(struct rf_arena *a, const char *lines, size_t *count)
{
    struct rf_str rest = rf_str(lines), line;
    struct rf_prop *props = RF_ARRAY(a, struct rf_prop, 16);
    *count = 0;
    while (rf_str_split(&rest, '\n', &line)) {
        struct rf_str value = line, key;
        rf_str_split(&value, '=', &key);
        props[(*count)++] = (struct rf_prop){ rf_str_dup(a, key), rf_str_dup(a, value) };
    }
    return props;
}

static void say_facts(struct rf_job *job, struct rf_str lines, struct rf_arena *a)
{
    job->facts = props_of(a, rf_cstr(a, lines), &job->fact_count);
}

static struct rf_job_part *add_part(struct rf_job *job, struct rf_str lines, struct rf_arena *a)
{
    struct rf_job_part *part = RF_PUSH(a, job->parts, job->part_count, job->part_cap);
    *part = (struct rf_job_part){ 0 };
    part->props = props_of(a, rf_cstr(a, lines), &part->prop_count);
    return part;
}

static int64_t number(const struct rf_job *job, const char *key)
{
    int64_t n;
    return rf_str_int64(rf_ask_value(job->ask, key), &n) ? n : 0;
}

static void play_text(struct rf_job *job, struct rf_arena *a)
{
    int64_t first = number(job, "first"), last = number(job, "last");
    say_facts(job, rf_strf(a, "pages=%" PRId64, played.pages), a);
    for (int64_t i = first ? first : 1; i <= played.pages && (!last || i <= last); i++) {
        struct rf_job_part *part =
            add_part(job, rf_strf(a, "kind=text\npage=%" PRId64 "\ntitle=T%" PRId64, i, i), a);
        part->text = rf_strf(a, " text %" PRId64 "\n", i);
    }
}

static void play_draw(struct rf_job *job, struct rf_arena *a)
{
    bool blocks = rf_str_is(rf_ask_value(job->ask, "way"), "blocks");
    struct rf_str bytes = blocks ? RF_STR("\xe2\x96\x80\xe2\x96\x80") : RF_STR(PNG_BYTES);
    const char *props = "kind=drawing\ncolumns=2\nrows=1\nwidth=3\nheight=2";
    if (played.lie_props)
        props = played.lie_props;
    if (played.lie)
        bytes = (struct rf_str){ played.lie, played.lie_length };
    say_facts(job, RF_STR("width=640\nheight=480"), a);
    add_part(job, rf_str(props), a)->bytes = rf_bytes_memory(bytes);
}

static void play(struct rf_job *job, struct rf_arena *a)
{
    struct rf_str op = rf_ask_value(job->ask, "op");
    if (rf_str_is(op, "draw"))
        play_draw(job, a);
    else if (rf_str_is(op, "text"))
        play_text(job, a);
    else if (rf_str_is(op, "media"))
        for (int64_t i = 0; i < played.pages; i++)
            add_part(job, rf_strf(a, "kind=image\nname=p%" PRId64 ".png", i), a)->bytes =
                rf_bytes_memory(RF_STR(PNG_BYTES));
    else if (rf_str_is(op, "render") || rf_str_is(op, "frames") || rf_str_is(op, "convert"))
        add_part(job, RF_STR("kind=image\nmime=image/png\ntime_ms=21000"), a)->bytes =
            rf_bytes_memory(RF_STR(PNG_BYTES));
    else if (strcmp(job->family, "av") == 0 && played.sound)
        say_facts(job, rf_strf(a, "duration_ms=%" PRId64 "\naudio=mp3", played.duration_ms), a);
    else if (strcmp(job->family, "av") == 0)
        say_facts(job,
                  rf_strf(a, "duration_ms=%" PRId64 "\nwidth=1280\nheight=720\nvideo=h264",
                          played.duration_ms),
                  a);
    else if (strcmp(job->family, "image") == 0)
        say_facts(job, rf_strf(a, "width=12\nheight=34\nframes=%" PRId64, played.pages), a);
    else
        say_facts(job, rf_strf(a, "pages=%" PRId64, played.pages), a);
}

void __wrap_rf_cache_run(struct rf_cache *c, struct rf_workers *w, struct rf_job *jobs,
                         size_t count, struct rf_arena *a);
void __wrap_rf_cache_run(struct rf_cache *c, struct rf_workers *w, struct rf_job *jobs,
                         size_t count, struct rf_arena *a)
{
    (void)c;
    (void)w;
    for (size_t i = 0; i < count; i++) {
        memmove(played.last + 1, played.last, sizeof played.last - sizeof *played.last);
        played.last[0] = rf_strf(arena, "%s %.*s", jobs[i].family, RF_FMT(jobs[i].ask));
        if (played.none)
            jobs[i].failed = rf_fail(&jobs[i].err, RF_ECONFIG, "there is no worker");
        else
            play(&jobs[i], a);
    }
}

/* Files. */

#define MP4_BYTES \
    "\0\0\0\x18"  \
    "ftypisom\0\0\0\1isommp42\0\0\0\x08mdat"
#define TGA_BYTES "\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x18\0\1\2\3"

static struct rf_str sheets(void)
{
    return zip_of(arena,
                  (const struct member[]){
                      { "[Content_Types].xml",
                        B("<Types><Override PartName=\"/xl/workbook.xml\" ContentType=\"" SHEET_MIME
                          ".main+xml\"/></Types>") },
                      { "xl/workbook.xml", B("<workbook/>") } },
                  2);
}

/* A picture of two frames, of which each is a pixel. */
#define GIF_FRAME ",\0\0\0\0\1\0\1\0\0\2\2D\1\0"
#define MOVING_BYTES "GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" GIF_FRAME GIF_FRAME ";"

static const struct row {
    const char *name, *path;
    int64_t pages, duration_ms;
    bool sound;
    const char *label; /* "!" and the beginning of what is wrong */
    size_t count;
    const char *word, *first_name;
    bool picture;
    const char *text; /* of the last page */
} rows[] = {
    { "a picture", "photo.png", 1, 0, 0, "[Image: photo.png, 3x2]", 1, "frame", "", 1, "" },
    { "a picture that moves", "moving.gif", 2, 0, 0, "[Image: moving.gif, 12x34, 2 frames]", 2,
      "frame", "", 1, "" },
    { "a piece of a picture", "photo.png#xywh=1,1,2,1", 1, 0, 0,
      "[Image: photo.png, 3x2, 2x1 at 1,1]", 1, "frame", "", 1, "" },
    { "a piece outside", "photo.png#xywh=3,0,1,1", 1, 0, 0, "!photo.png: the piece lies outside", 0,
      0, 0, 0, 0 },
    { "a drawing is text too", "figure.svg", 1, 0, 0, "[Image: figure.svg, 8x4]", 1, "frame", "", 1,
      SVG_BYTES "\n" },
    { "a picture that no endpoint takes", "old.tga", 1, 0, 0, "[Image: old.tga, 12x34]", 1, "frame",
      "", 1, "" },
    { "a PDF", "report.pdf", 47, 0, 0, "[PDF: report.pdf, 47 pages]", 47, "page", "", 1,
      "text 47" },
    { "a PDF of one page", "report.pdf", 1, 0, 0, "[PDF: report.pdf, 1 page]", 1, "page", "", 1,
      "text 1" },
    { "a PDF without any", "report.pdf", 0, 0, 0, "!report.pdf: the document has no pages", 0, 0, 0,
      0, 0 },
    { "pages of a PDF", "report.pdf#p=21-40", 47, 0, 0, "[PDF: report.pdf, pages 21-40 of 47]", 20,
      "page", "21", 1, "text 40" },
    { "pages to the end, and one", "report.pdf#p=46-,3", 47, 0, 0,
      "[PDF: report.pdf, pages 46-47,3 of 47]", 3, "page", "46", 1, "text 3" },
    { "a page", "report.pdf#p=7", 47, 0, 0, "[PDF: report.pdf, page 7 of 47]", 1, "page", "7", 1,
      "text 7" },
    { "a page that is not there", "report.pdf#p=48", 47, 0, 0,
      "!report.pdf: there is no page 48: the last is 47", 0, 0, 0, 0, 0 },
    { "more pages than there can be", "report.pdf", INT64_MAX, 0, 0,
      "!report.pdf: these are more than 100000 pages", 0, 0, 0, 0, 0 },
    { "sheets", "book.xlsx", 3, 0, 0, "[Sheets: book.xlsx, 3 sheets]", 3, "sheet", "T1", 0,
      "text 3" },
    { "a sheet", "book.xlsx", 1, 0, 0, "[Sheets: book.xlsx, 1 sheet]", 1, "sheet", "T1", 0,
      "text 1\n" },
    { "pictures inside of it", "book.xlsx#pictures", 2, 0, 0, "[Pictures: book.xlsx, 2 pictures]",
      2, "picture", "p0.png", 1, "" },
    { "no pictures inside of it", "book.xlsx#pictures", 0, 0, 0,
      "!book.xlsx: there are no pictures in it", 0, 0, 0, 0, 0 },
    { "a video", "talk.mp4", 0, 125000, 0, "[Video: talk.mp4, 1280x720, 2:05]", 25, "frame", "0:03",
      1, "" },
    { "a long video", "talk.mp4", 0, 7200000, 0, "[Video: talk.mp4, 1280x720, 2:00:00]", 100,
      "frame", "0:36", 1, "" },
    { "a stretch of a video", "talk.mp4#t=10-20", 0, 125000, 0, "[Video: talk.mp4, 1280x720, 0:10]",
      4, "frame", "0:11", 1, "" },
    { "a video that is over at once", "talk.mp4", 0, 1, 0, "[Video: talk.mp4, 1280x720, 0:00]", 1,
      "frame", "0:00", 1, "[Video: talk.mp4, 0.0 s, h264, 32 bytes, video/mp4]" },
    { "sound", "tone.wav", 0, 3000, 1, "[Audio: tone.wav, 0:03]", 1, "page", "", 0,
      "[Audio: tone.wav, 3.0 s, mp3, 60 bytes, audio/wav]" },
    { "bytes of a text", "notes.txt#bytes=2-5", 0, 0, 0, "[Text: notes.txt, 8 bytes]", 1, "page",
      "", 0, "e\ntw" },
    { "bytes of the text of a document", "book.xlsx#bytes=0-8", 1, 0, 0,
      "[File: book.xlsx, 396 bytes]", 1, "page", "", 0, "--- Sheet" },
    { "text", "notes.txt", 0, 0, 0, "[Text: notes.txt, 8 bytes]", 1, "page", "", 0, "one\ntwo\n" },
    { "text with escapes is what it is", "log", 0, 0, 0, "[Text: log, 6 bytes]", 1, "page", "", 0,
      "a" E "[2J\n" },
    { "bytes", "core", 0, 0, 0, "[File: core, 2.0 KB]", 1, "page", "", 0, NULL },
    { "an empty file", "empty", 0, 0, 0, "[File: empty, 0 bytes]", 1, "page", "", 0,
      "[The file empty is empty.]" },
    { "a name that would write on the screen", "\033]0;x\a\n.png", 1, 0, 0,
      "[Image: __0;x__.png, 3x2]", 1, "frame", "", 1, "" },
    { "a file that is not there", "none.png", 0, 0, 0, "!none.png: there is no such file", 0, 0, 0,
      0, 0 },
    { "a picture by its name only", "lie.png", 0, 0, 0, "!lie.png: it is text, not a PNG", 0, 0, 0,
      0, 0 },
    { "a folder", ".", 0, 0, 0, "!.: it is a folder", 0, 0, 0, 0, 0 },
    { "a file outside of the root", "/etc/passwd", 0, 0, 0, "!passwd: the file is outside", 0, 0, 0,
      0, 0 },
};

static void test_row(void **state)
{
    const struct row *row = *state;
    struct rf_preview *p = NULL;
    struct rf_err err = { 0 };
    struct rf_str text;
    memset(&played, 0, sizeof played);
    played.pages = row->pages;
    played.duration_ms = row->duration_ms;
    played.sound = row->sound;
    enum rf_code rc = rf_preview_open(tools, row->path, &p, &err);
    if (row->label[0] == '!') {
        assert_true(rc);
        if (!rf_str_starts(rf_str(err.msg), row->label + 1))
            assert_string_equal(err.msg, row->label + 1);
        return;
    }
    if (rc)
        fail_msg("%s", err.msg);
    assert_str(rf_preview_label(p), row->label);
    assert_int_equal(rf_preview_count(p), row->count);
    assert_string_equal(rf_preview_word(p), row->word);
    assert_str(rf_preview_page_name(p, 0), row->first_name);
    assert_int_equal(rf_preview_has_picture(p), row->picture);
    assert_int_equal(rf_preview_text(p, row->count - 1, &text, &err), RF_OK);
    if (row->text)
        assert_str(text, row->text);
    assert_int_equal(rf_preview_text(p, row->count, &text, &err), RF_EUSAGE);
    rf_preview_close(p);
}

/* Drawing. */

static struct rf_preview *opened(const char *path)
{
    struct rf_preview *p = NULL;
    struct rf_err err;
    if (rf_preview_open(tools, path, &p, &err))
        fail_msg("%s", err.msg);
    return p;
}

static bool was_asked(size_t back, const char *words)
{
    return rf_str_contains(played.last[back], rf_str(words));
}

static void pages_are_rendered_as_large_as_they_are_seen(void **state)
{
    struct rf_preview_frame f = {
        .size = sizeof f, .graphics = RF_GRAPHICS_KITTY, .columns = 40, .rows = 20
    };
    struct rf_preview_drawing d = { .size = sizeof d };
    struct rf_err err;
    (void)state;
    memset(&played, 0, sizeof played);
    played.pages = 47;
    struct rf_preview *p = opened("report.pdf#p=21-40");
    assert_int_equal(rf_preview_draw(p, 2, &f, &d, &err), RF_OK);
    assert_true(was_asked(1, "pdf op=render\nfirst=23\nlast=23\n"));
    assert_true(was_asked(1, "\nmax_side=1024\n"));
    assert_true(was_asked(0, "image op=draw\nway=png\ncolumns=40\nrows=20\ncell_width=10\n"));
    assert_int_equal(d.columns, 2);
    assert_int_equal(d.width, 640);
    f = (struct rf_preview_frame){ .size = sizeof f,
                                   .graphics = RF_GRAPHICS_KITTY,
                                   .columns = 80,
                                   .rows = 24,
                                   .left = 500,
                                   .top = 500,
                                   .width = 500,
                                   .height = 250 };
    assert_int_equal(rf_preview_draw(p, 2, &f, &d, &err), RF_OK);
    assert_true(was_asked(1, "\nmax_side=4096\n"));
    assert_true(was_asked(0, "\npiece=500,500,500,250\n"));
    rf_preview_close(p);
}

static void a_frame_of_a_video_tells_its_time(void **state)
{
    struct rf_preview_frame f = {
        .size = sizeof f, .graphics = RF_GRAPHICS_BLOCKS, .columns = 40, .rows = 20, .colours = 256
    };
    struct rf_preview_drawing d = { .size = sizeof d };
    struct rf_err err;
    (void)state;
    memset(&played, 0, sizeof played);
    played.duration_ms = 125000;
    struct rf_preview *p = opened("talk.mp4");
    assert_str(rf_preview_page_name(p, 4), "0:23");
    assert_int_equal(rf_preview_draw(p, 4, &f, &d, &err), RF_OK);
    assert_true(was_asked(1, "\ncount=1\nstart_ms=20000\nend_ms=25000\n"));
    assert_true(was_asked(0, "\nway=blocks\n") && was_asked(0, "\ncolours=256\n"));
    assert_str(rf_preview_page_name(p, 4), "0:21");
    rf_preview_close(p);
}

static const struct frame_row {
    const char *name;
    const char *path;
    size_t page;
    struct rf_preview_frame frame;
    enum rf_code want;
} frames[] = {
    { "no way to draw", "photo.png", 0, { .columns = 9, .rows = 9 }, RF_EUSAGE },
    { "no room", "photo.png", 0, { .graphics = RF_GRAPHICS_KITTY, .rows = 9 }, RF_EUSAGE },
    { "a page that is not there",
      "photo.png",
      1,
      { .graphics = RF_GRAPHICS_KITTY, .columns = 9, .rows = 9 },
      RF_EUSAGE },
    { "a piece of nothing",
      "photo.png",
      0,
      { .graphics = RF_GRAPHICS_KITTY, .columns = 9, .rows = 9, .left = 5 },
      RF_EUSAGE },
    { "a piece outside",
      "photo.png",
      0,
      { .graphics = RF_GRAPHICS_KITTY,
        .columns = 9,
        .rows = 9,
        .left = 1,
        .width = 1000,
        .height = 9 },
      RF_EUSAGE },
    { "a piece that overflows",
      "photo.png",
      0,
      { .graphics = RF_GRAPHICS_KITTY,
        .columns = 9,
        .rows = 9,
        .left = 1,
        .width = INT32_MAX,
        .height = 9 },
      RF_EUSAGE },
    { "a frame of any size",
      "photo.png",
      0,
      { .graphics = RF_GRAPHICS_KITTY,
        .columns = INT32_MAX,
        .rows = INT32_MAX,
        .cell_width = INT32_MAX,
        .cell_height = INT32_MAX },
      RF_OK },
    { "text",
      "notes.txt",
      0,
      { .graphics = RF_GRAPHICS_KITTY, .columns = 9, .rows = 9 },
      RF_EUNSUPPORTED },
};

static void test_frame(void **state)
{
    const struct frame_row *row = *state;
    struct rf_preview_frame f = row->frame;
    struct rf_preview_drawing d = { .size = sizeof d };
    struct rf_err err;
    memset(&played, 0, sizeof played);
    struct rf_preview *p = opened(row->path);
    f.size = sizeof f;
    assert_int_equal(rf_preview_draw(p, row->page, &f, &d, &err), row->want);
    rf_preview_close(p);
}

static void sizes_are_told(void **state)
{
    const struct rf_preview_frame sized = {
        .size = sizeof sized, .graphics = RF_GRAPHICS_KITTY, .columns = 40, .rows = 20
    };
    struct rf_preview_frame unsized = sized, later = sized;
    struct rf_preview_drawing d = { .size = sizeof d }, none = { 0 };
    struct rf_err err;
    (void)state;
    unsized.size = 0;
    later.size++;
    memset(&played, 0, sizeof played);
    struct rf_preview *p = opened("photo.png");
    assert_int_equal(rf_preview_draw(p, 0, &unsized, &d, &err), RF_EUSAGE);
    assert_string_equal(err.path, "size");
    assert_int_equal(rf_preview_draw(p, 0, &later, &d, &err), RF_EUSAGE);
    assert_int_equal(rf_preview_draw(p, 0, &sized, &none, &err), RF_EUSAGE);
    assert_int_equal(rf_preview_draw(p, 0, &sized, &d, &err), RF_OK);
    assert_int_equal(d.size, sizeof d);
    rf_preview_close(p);
}

/* Lies: the bytes, and what they are said to be. */

#define SAID "kind=drawing\ncolumns=2\nrows=1\nwidth=3\nheight=2"

static const struct lie {
    const char *name;
    enum rf_graphics graphics;
    struct rf_str bytes;
    const char *props;
} lies[] = {
    { "a title for blocks", RF_GRAPHICS_BLOCKS, B(E "]0;owned\a"), SAID },
    { "a wiped screen for blocks", RF_GRAPHICS_BLOCKS, B(E "[2J  "), SAID },
    { "a clipboard for sixels", RF_GRAPHICS_SIXEL, B(E "]52;c;cm0gLXJm\a"), SAID },
    { "a program's keys for sixels", RF_GRAPHICS_SIXEL, B(E "P0;1;0q~" E "\\\nrm -rf\n"), SAID },
    { "escapes for kitty", RF_GRAPHICS_KITTY, B(E "_Ga=d" E "\\"), SAID },
    { "escapes for iTerm2", RF_GRAPHICS_ITERM, B("\a" E "[2J"), SAID },
    { "a drawing that is wider than its frame", RF_GRAPHICS_BLOCKS, B("  "),
      "columns=10\nrows=1\nwidth=3\nheight=2" },
    { "a drawing that is higher than its frame", RF_GRAPHICS_BLOCKS, B("  "),
      "columns=2\nrows=10\nwidth=3\nheight=2" },
    { "a drawing of no size", RF_GRAPHICS_BLOCKS, B("  "), "kind=drawing" },
    { "pixels beside the cells", RF_GRAPHICS_KITTY, B(PNG_BYTES),
      "columns=2\nrows=1\nwidth=21\nheight=2" },
    { "pixels without end", RF_GRAPHICS_SIXEL, B(E "P0;1;0q!9~" E "\\"),
      "columns=2\nrows=1\nwidth=9223372036854775807\nheight=6" },
};

static void test_lie(void **state)
{
    const struct lie *lie = *state;
    struct rf_preview_frame f = {
        .size = sizeof f, .graphics = lie->graphics, .columns = 9, .rows = 9
    };
    struct rf_preview_drawing d = { .size = sizeof d, .bytes = RF_STR_INIT("untouched") };
    struct rf_err err;
    memset(&played, 0, sizeof played);
    played.lie = lie->bytes.p;
    played.lie_length = lie->bytes.n;
    played.lie_props = lie->props;
    struct rf_preview *p = opened("photo.png");
    assert_int_equal(rf_preview_draw(p, 0, &f, &d, &err), RF_EIO);
    assert_str(d.bytes, "untouched");
    assert_null(strchr(err.msg, '\033'));
    rf_preview_close(p);
}

static void without_workers_there_is_the_label(void **state)
{
    struct rf_preview_frame f = {
        .size = sizeof f, .graphics = RF_GRAPHICS_KITTY, .columns = 9, .rows = 9
    };
    struct rf_preview_drawing d = { .size = sizeof d };
    struct rf_err err;
    (void)state;
    memset(&played, 0, sizeof played);
    played.none = true;
    struct rf_preview *p = opened("photo.png");
    assert_str(rf_preview_label(p), "[Image: photo.png, 3x2]");
    assert_int_equal(rf_preview_draw(p, 0, &f, &d, &err), RF_ECONFIG);
    rf_preview_close(p);
}

/* What was kept, by its id. */

static enum rf_code find_kept(void *ctx, struct rf_str id, struct rf_arena *a, struct rf_bytes *out,
                              struct rf_str *blob, struct rf_err *err)
{
    (void)ctx;
    (void)a;
    if (!rf_str_is(id, "att_000000000001"))
        return rf_fail(err, RF_ENOTFOUND, "no such blob");
    *out = rf_bytes_memory(RF_STR(PNG_BYTES));
    *blob = RF_STR("sha256:00");
    return RF_OK;
}

static void attachments_are_shown_under_a_name(void **state)
{
    struct rf_preview *p;
    struct rf_err err;
    (void)state;
    memset(&played, 0, sizeof played);
    assert_int_equal(rf_preview_attachment(tools, "att_000000000001", NULL, &p, &err), RF_EUSAGE);
    tools->attachments.find = find_kept;
    assert_int_equal(rf_preview_attachment(tools, "att_000000000001", "shot" E "[2J.png", &p, &err),
                     RF_OK);
    assert_str(rf_preview_label(p), "[Image: shot__2J.png, 3x2]");
    rf_preview_close(p);
    assert_int_equal(rf_preview_attachment(tools, "att_2", NULL, &p, &err), RF_ENOTFOUND);
    tools->attachments.find = NULL;
}

static bool is_own(struct rf_preview *p)
{
    bool own = p->read.bytes.own;
    rf_preview_close(p);
    return own;
}

static void what_came_from_elsewhere_is_foreign(void **state)
{
    struct rf_preview *p;
    struct rf_err err;
    (void)state;
    memset(&played, 0, sizeof played);
    assert_true(is_own(opened("photo.png")));
    tools->foreign = true;
    assert_false(is_own(opened("photo.png")));
    tools->foreign = false;
    rf_tools_cache(tools, folder);
    assert_false(is_own(opened("photo.png"))); /* a worker made it */
    rf_tools_cache(tools, "/nowhere");
    tools->attachments.find = find_kept;
    assert_int_equal(rf_preview_attachment(tools, "att_000000000001", NULL, &p, &err), RF_OK);
    assert_false(is_own(p));
    tools->attachments.find = NULL;
    assert_true(is_own(opened("photo.png")));
}

static void ways_have_names(void **state)
{
    (void)state;
    assert_string_equal(rf_graphics_name(RF_GRAPHICS_NONE), "none");
    assert_string_equal(rf_graphics_name(RF_GRAPHICS_BLOCKS), "blocks");
    assert_string_equal(rf_graphics_name(RF_GRAPHICS_SIXEL), "sixel");
    assert_string_equal(rf_graphics_name(RF_GRAPHICS_ITERM), "iterm");
    assert_string_equal(rf_graphics_name(RF_GRAPHICS_KITTY), "kitty");
}

static void write_all(void)
{
    static const struct {
        const char *name;
        struct rf_str bytes;
    } files[] = {
        { "photo.png", B(PNG_BYTES) },  { "moving.gif", B(MOVING_BYTES) },
        { "figure.svg", B(SVG_BYTES) }, { "old.tga", B(TGA_BYTES) },
        { "report.pdf", B(PDF_BYTES) }, { "talk.mp4", B(MP4_BYTES) },
        { "tone.wav", B(WAV_BYTES) },   { "notes.txt", B("one\ntwo\n") },
        { "log", B("a" E "[2J\n") },    { "empty", B("") },
        { "lie.png", B("text\n") },     { "\033]0;x\a\n.png", B(PNG_BYTES) },
    };
    char *core = rf_arena_alloc(arena, 2048);
    memset(core, 1, 2048);
    for (size_t i = 0; i < COUNT(files); i++)
        write_file(in_folder(arena, folder, files[i].name), files[i].bytes);
    write_file(in_folder(arena, folder, "core"), (struct rf_str){ core, 2048 });
    write_file(in_folder(arena, folder, "book.xlsx"), sheets());
}

static int set_up(void **state)
{
    (void)state;
    arena = rf_arena_new();
    folder = scratch_new(arena);
    write_all();
    tools = rf_tools_new();
    rf_tools_root(tools, folder);
    rf_tools_base(tools, folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rf_tools_free(tools);
    scratch_remove(folder);
    rf_arena_free(arena);
    return 0;
}

int main(void)
{
    struct CMUnitTest open_rows[COUNT(rows)], frame_rows[COUNT(frames)], lie_rows[COUNT(lies)];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_rendered_as_large_as_they_are_seen),
        cmocka_unit_test(a_frame_of_a_video_tells_its_time),
        cmocka_unit_test(sizes_are_told),
        cmocka_unit_test(without_workers_there_is_the_label),
        cmocka_unit_test(attachments_are_shown_under_a_name),
        cmocka_unit_test(what_came_from_elsewhere_is_foreign),
        cmocka_unit_test(ways_have_names),
    };
    name_rows(open_rows, test_row, rows, COUNT(rows), sizeof *rows);
    name_rows(frame_rows, test_frame, frames, COUNT(frames), sizeof *frames);
    name_rows(lie_rows, test_lie, lies, COUNT(lies), sizeof *lies);
    int failed = cmocka_run_group_tests_name("opening", open_rows, set_up, NULL);
    failed += cmocka_run_group_tests_name("frames", frame_rows, NULL, NULL);
    failed += cmocka_run_group_tests_name("lies", lie_rows, NULL, NULL);
    return failed + cmocka_run_group_tests_name("drawing", tests, NULL, tear_down);
}
