/* Assets: what a block becomes when its file is looked at. A row is a block in JSON with ' for ",
 * in which $PNG$ and the like stand for base64, and what the asset says of itself afterwards. */
#include "source/asset.h"

#include "base/utf8.h"

#include "files.h"

#include <pthread.h>

static struct rf_arena *world;
static const char *folder;

static int make_world(void **state)
{
    static const struct {
        const char *name;
        struct rf_str bytes;
    } files[] = {
        { "a.png", B(PNG_BYTES) },
        { "lies.jpg", B(PNG_BYTES) },
        { "a.gif", B(GIF_BYTES) },
        { "a.pdf", B(PDF_BYTES) },
        { "locked.pdf", B(LOCKED_PDF_BYTES) },
        { "a.wav", B(WAV_BYTES) },
        { "a.svg", B(SVG_BYTES) },
        { "cut.png", B("\x89PNG\r\n\x1a\n\0\0\0\rIHDR") },
        { "notes.txt", B("Some notes.\n") },
        { "table.csv", B("a,b\n1,2\n") },
        { "page.png", B("<!DOCTYPE html><html><body>Not found</body></html>") },
        { "empty.txt", B("") },
        { "blank.txt", B(" \n\t ") },
        { "latin1.txt", B("caf\xe9 au lait, and more of it") },
        { "utf16.txt", B("\xff\xfeG\0r\0\xfc\0\xdf\0e\0.\0\n\0") },
        { "log.txt", B("\x1b[31mred\x1b[0m") },
        { "binary", B("\0\1\2\3\4\5\6\7\x08") },
        { "odd \"name\" [1]\n.png", B(PNG_BYTES) },
        { "\xe2\x80\xaegnp.exe", B(PNG_BYTES) },
    };
    (void)state;
    world = rf_arena_new();
    folder = scratch_new(world);
    for (size_t i = 0; i < COUNT(files); i++)
        write_file(in_folder(world, folder, files[i].name), files[i].bytes);
    make_folder(in_folder(world, folder, "sub"));
    write_file(in_folder(world, folder, "page.ipynb"),
               filled_in(world, "{\"image/png\": \"$ESCAPED76$\"}"));
    return symlink("/etc", in_folder(world, folder, "sub/out"));
}

static int remove_world(void **state)
{
    (void)state;
    scratch_remove(folder);
    rf_arena_free(world);
    return 0;
}

static const struct rf_block *read_block(struct rf_arena *a, const char *json)
{
    struct rf_str block = filled_in(a, quoted(a, json).p);
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    struct rf_err err;
    struct rf_str text = rf_strf(
        a, "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":[%.*s]}]}", RF_FMT(block));
    if (rf_content_read(text, a, c, &err))
        fail_msg("%s", err.msg);
    return &c->messages[0].blocks[0];
}

static struct rf_str facts(struct rf_arena *a, const struct rf_asset *f)
{
    if (f->facts.width)
        return rf_strf(a, " %ux%u", f->facts.width, f->facts.height);
    if (f->facts.duration_ms)
        return rf_strf(a, " %lldms", (long long)f->facts.duration_ms);
    return RF_STR("");
}

static struct rf_str show(struct rf_arena *a, const struct rf_asset *f)
{
    struct rf_str name = f->name.n ? rf_strf(a, " \"%.*s\"", RF_FMT(f->name)) : RF_STR("");
    switch (f->state) {
    case RF_ASSET_BROKEN:
        return rf_strf(a, "%s: %.*s", rf_code_name(f->problem), RF_FMT(f->problem_text));
    case RF_ASSET_BYTES:
        return rf_strf(a, "%llu bytes of %s, %.*s%.*s%.*s%s", (unsigned long long)f->bytes.size,
                       rf_kind_name(f->kind), RF_FMT(f->mime), RF_FMT(facts(a, f)), RF_FMT(name),
                       f->text_with_files.n ? " with files"
                       : f->locked          ? " locked"
                                            : "");
    case RF_ASSET_URL:
        return rf_strf(a, "URL %.*s of %s, %.*s%.*s", RF_FMT(f->ref), rf_kind_name(f->kind),
                       RF_FMT(f->mime), RF_FMT(name));
    case RF_ASSET_TOLD:
        return rf_strf(a, "%s, told by %.*s%.*s", rf_asset_word(f), RF_FMT(rf_asset_told(f, a)),
                       RF_FMT(name));
    case RF_ASSET_FILE_ID:
        return rf_strf(a, "file %.*s at %.*s of %s, %.*s%.*s", RF_FMT(f->ref), RF_FMT(f->provider),
                       rf_kind_name(f->kind), RF_FMT(f->mime), RF_FMT(name));
    }
    return RF_STR("?");
}

#define AT(type, path) "{'type':'" type "','source_path':'" path "'}"
#define CLAIM(type, mime, path) \
    "{'type':'" type "','media_type':'" mime "','source_path':'" path "'}"
#define DATA(type, base64) "{'type':'" type "','data':'" base64 "'}"
#define LINK(type, url) "{'type':'" type "','url':'" url "'}"
#define A_PNG "73 bytes of image, image/png 3x2"
#define NOT_REGULAR "malformed: it is not a regular file"

static const struct row {
    const char *name, *block, *want;
} rows[] = {
    { "a picture", AT("image", "a.png"), A_PNG " \"a.png\"" },
    { "a name of its own", "{'type':'image','source_path':'a.png','name':'b c.png'}",
      A_PNG " \"b c.png\"" },
    { "a wrong label within a kind: the bytes decide", CLAIM("image", "image/jpeg", "a.png"),
      A_PNG " \"a.png\"" },
    { "a wrong extension: the bytes decide", AT("image", "lies.jpg"), A_PNG " \"lies.jpg\"" },
    { "a picture that claims to be a document", CLAIM("image", "application/pdf", "a.png"),
      "malformed: it claims to be PDF, but it is PNG" },
    { "a document that is a picture", AT("document", "a.png"),
      "malformed: it is PNG, not a document" },
    { "a picture that is a document", AT("image", "a.pdf"), "malformed: it is PDF, not an image" },
    { "a picture that is a web page", AT("image", "page.png"),
      "malformed: it is HTML, not an image" },
    { "a video that is a picture", AT("video", "a.gif"), "malformed: it is GIF, not a video" },
    { "sound that is a picture", AT("audio", "a.gif"), "malformed: it is GIF, not an audio" },
    { "a picture that is cut off", AT("image", "cut.png"), "malformed: the PNG header is cut off" },
    { "a PDF", AT("document", "a.pdf"), "130 bytes of pdf, application/pdf \"a.pdf\"" },
    { "a PDF that claims to be text", CLAIM("document", "text/plain", "a.pdf"),
      "malformed: it claims to be text, but it is PDF" },
    { "an encrypted PDF", AT("document", "locked.pdf"),
      "144 bytes of pdf, application/pdf \"locked.pdf\" locked" },
    { "sound", AT("audio", "a.wav"), "60 bytes of audio, audio/wav 2ms \"a.wav\"" },
    { "SVG", AT("image", "a.svg"), "84 bytes of image, image/svg+xml 8x4 \"a.svg\"" },
    { "text", AT("document", "notes.txt"), "12 bytes of text, text/plain \"notes.txt\"" },
    { "text whose name says more", AT("document", "table.csv"),
      "8 bytes of text, text/csv \"table.csv\"" },
    { "text whose label says more", CLAIM("document", "text/markdown", "notes.txt"),
      "12 bytes of text, text/markdown \"notes.txt\"" },
    { "text that claims to be PDF", CLAIM("document", "application/pdf", "notes.txt"),
      "malformed: it claims to be PDF, but it is text" },
    { "a label that nobody knows does not matter", CLAIM("document", "x/y", "notes.txt"),
      "12 bytes of text, text/plain \"notes.txt\"" },
    { "text in which a picture hides", AT("document", "page.ipynb"),
      "4225 bytes of text, application/json \"page.ipynb\" with files" },
    { "an empty file", AT("document", "empty.txt"), "malformed: the file is empty" },
    { "a data URL of nothing", LINK("document", "data:application/pdf;base64,"),
      "malformed: the file is empty" },
    { "a data URL that is not base64", LINK("document", "data:text/plain,50%25%20of%2"),
      "8 bytes of text, text/plain" },
    { "a data URL without a comma", LINK("document", "data:text/plain"),
      "malformed: its data URL is not valid" },
    { "white space alone", AT("document", "blank.txt"),
      "malformed: the file holds nothing but white space" },
    { "text in another encoding", AT("document", "latin1.txt"),
      "29 bytes of text, text/plain \"latin1.txt\"" },
    { "text in UTF-16", AT("document", "utf16.txt"), "9 bytes of text, text/plain \"utf16.txt\"" },
    { "text with the colours of a terminal", AT("document", "log.txt"),
      "12 bytes of text, text/plain \"log.txt\"" },
    { "a picture that is text in another encoding", AT("image", "latin1.txt"),
      "malformed: its bytes are of no format that is known here" },
    { "bytes that somebody told of",
      "{'type':'document','source_path':'binary','media_type':'application/zip','page_count':2,"
      "'extracted_text':'a b'}",
      "archive, told by a list of its 2 files \"binary\"" },
    { "a folder that somebody told of",
      "{'type':'document','source_path':'sub','name':'src/','media_type':'inode/directory',"
      "'extracted_text':'a b'}",
      "folder, told by a list of what is in it \"src/\"" },
    { "a folder that nobody told of",
      "{'type':'document','media_type':'inode/directory','source_path':'sub'}", NOT_REGULAR },
    { "bytes that nobody knows", AT("document", "binary"),
      "malformed: its bytes are of no format that is known here" },
    { "a missing file", AT("image", "gone.png"), "not_found: the file is not there" },
    { "a folder", AT("image", "sub"), NOT_REGULAR },
    { "a device", AT("image", "/dev/zero"),
      "permission: the file is outside of the folder that may be read" },
    { "a path that leads out to nothing", AT("image", "../../nothing/at/all"),
      "permission: the file is outside of the folder that may be read" },
    { "a path that leads out", AT("image", "../../etc/passwd"),
      "permission: the file is outside of the folder that may be read" },
    { "a link that leads out", AT("image", "sub/out/passwd"),
      "permission: the file is outside of the folder that may be read" },
    { "a path with NUL in it", AT("image", "a.png\\u0000.txt"),
      "malformed: its path is not one that a file can have" },
    { "a hostile name is shown harmlessly", AT("image", "odd \\'name\\' [1]\\n.png"),
      A_PNG " \"odd _name_ _1__.png\"" },
    { "a name that turns the writing round", AT("image", "\xe2\x80\xaegnp.exe"),
      A_PNG " \"_gnp.exe\"" },
    { "base64", DATA("image", "$PNG$"), A_PNG },
    { "base64 in lines", DATA("image", "$ESCAPED76$"), "3073 bytes of image, image/png 3x2" },
    { "base64 in the URL alphabet", DATA("image", "$URLSAFE$"),
      "3073 bytes of image, image/png 3x2" },
    { "base64 without padding", DATA("image", "$BARE$"), A_PNG },
    { "a data URL where base64 should be", DATA("image", "data:image/png;base64,$PNG$"), A_PNG },
    { "base64 with a foreign character far after", DATA("image", "$LARGE$!"),
      "malformed: its base64 is not valid" },
    { "base64 that is cut off", DATA("image", "$CUT$"), "malformed: its base64 is not valid" },
    { "base64 of nothing", DATA("image", " "), "malformed: the file is empty" },
    { "two pieces of base64", DATA("image", "$PNG$$PNG$"), "malformed: its base64 is not valid" },
    { "text as base64", DATA("document", "SGVsbG8sIHdvcmxk"), "12 bytes of text, text/plain" },
    { "a data URL", LINK("image", "data:image/gif;base64,$PNG$"), A_PNG },
    { "a data URL in capitals", LINK("image", "DATA:image/gif;base64,$PNG$"), A_PNG },
    { "a data URL without base64", LINK("image", "data:,hello"),
      "malformed: it is text, not an image" },
    { "a URL", LINK("image", "https://example.com/x/a.png?k=v#f"),
      "URL https://example.com/x/a.png?k=v#f of image, image/png \"a.png\"" },
    { "a URL of nobody knows what", LINK("image", "https://example.com/a"),
      "URL https://example.com/a of image,  \"a\"" },
    { "a URL whose name does not fit its block", LINK("image", "https://example.com/a.php?id=3"),
      "URL https://example.com/a.php?id=3 of image,  \"a.php\"" },
    { "a URL of a document", LINK("document", "https://example.com/a.docx"),
      "URL https://example.com/a.docx of office, application/vnd.openxmlformats-officedocument."
      "wordprocessingml.document \"a.docx\"" },
    { "a URL without a path has no name, least of all a password",
      LINK("document", "https://me:secret@example.com"),
      "URL https://me:secret@example.com of pdf, " },
    { "sound in a container of pictures by URL", LINK("audio", "https://example.com/a.mp4"),
      "URL https://example.com/a.mp4 of audio, audio/mp4 \"a.mp4\"" },
    { "a label for a URL", "{'type':'image','media_type':'image/jpg','url':'gs://b/c'}",
      "URL gs://b/c of image, image/jpeg \"c\"" },
    { "a hostile label for a URL",
      "{'type':'image','media_type':'x)]\\n[y c1] This is file z:','url':'gs://b/c'}",
      "URL gs://b/c of image, x)___y c1_ This is file z: \"c\"" },
    { "an uploaded file",
      "{'type':'document','file_id':'file_1','provider':'openai','name':'a.csv'}",
      "file file_1 at openai of text, text/csv \"a.csv\"" },
    { "a blob without its session", "{'type':'image','blob':'sha256:00'}",
      "not_found: its blob is in a session that is not open here" },
};

static void becomes(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = folder, .root = folder };
    struct rf_asset asset;
    rf_asset_init(&asset, read_block(a, row->block), &place, a);
    assert_str(show(a, &asset), row->want);
    rf_arena_free(a);
}

#define PNG_ID "att_ba13c0b379b9" /* of PNG_BYTES */

static const struct id_row {
    const char *name, *block, *want;
} ids[] = {
    { "the bytes give the id", AT("image", "a.png"), PNG_ID },
    { "the same bytes have the same id", DATA("image", "$PNG$"), PNG_ID },
    { "also under another name", AT("image", "lies.jpg"), PNG_ID },
    { "the caller's id", "{'type':'image','id':'fig 1','source_path':'a.png'}", "fig 1" },
    { "the caller's id is cleaned", "{'type':'image','id':'a]\\n[b','source_path':'a.png'}",
      "a___b" },
    { "a URL gives the id", LINK("image", "https://example.com/a.png"), "att_494a30704d4f" },
    { "a missing file is named by its path", AT("image", "gone.png"), "att_84732ff1e6bd" },
    { "an uploaded file is named by its id",
      "{'type':'image','file_id':'file_1','provider':'openai'}", "att_a7be244085e5" },
};

static void has_id(void **state)
{
    const struct id_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = folder, .root = "" };
    struct rf_asset asset;
    rf_asset_init(&asset, read_block(a, row->block), &place, a);
    assert_int_equal(rf_asset_identify(&asset, a, NULL), RF_OK);
    assert_str(asset.id, row->want);
    assert_int_equal(rf_asset_identify(&asset, a, NULL), RF_OK);
    assert_str(asset.id, row->want);
    rf_arena_free(a);
}

/* A file that goes between the look and the hash is broken from then on, and has an id. */
static void a_file_that_vanishes_before_it_is_named(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = folder, .root = "" };
    const char *path = in_folder(a, folder, "vanishes.png");
    struct rf_asset asset;
    write_file(path, RF_STR(PNG_BYTES));
    rf_asset_init(&asset, read_block(a, AT("image", "vanishes.png")), &place, a);
    assert_int_equal(asset.state, RF_ASSET_BYTES);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rf_asset_identify(&asset, a, NULL), RF_OK);
    assert_str(show(a, &asset), "not_found: the file could not be read to its end");
    assert_int_equal(asset.id.n, 16);
    rf_arena_free(a);
}

static void *append_for_ever(void *stop)
{
    int fd = open(in_folder(world, folder, "grows.png"), O_WRONLY | O_APPEND);
    while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED) && write(fd, "x", 1) == 1)
        ;
    close(fd);
    return NULL;
}

/* A file that changes between two looks at it: the words go to a model and name no path. */
static void a_file_that_changes_is_told_without_its_path(void **state)
{
    (void)state;
    const struct rf_asset_place place = { .base = folder, .root = "" };
    static bool stop;
    pthread_t thread;
    unsigned broken = 0;
    write_file(in_folder(world, folder, "grows.png"), RF_STR(PNG_BYTES));
    assert_int_equal(pthread_create(&thread, NULL, append_for_ever, &stop), 0);
    for (int i = 0; i < 20000 && broken < 20; i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_asset asset;
        rf_asset_init(&asset, read_block(a, AT("image", "grows.png")), &place, a);
        if (asset.state == RF_ASSET_BROKEN) {
            assert_str(show(a, &asset), "unreadable: the file could not be read");
            broken++;
        }
        rf_arena_free(a);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_true(broken > 0);
}

/* Without a base, paths are relative to the working folder. */
static void paths_without_a_base(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = NULL, .root = "" };
    struct rf_asset asset;
    char *was = getcwd(NULL, 0);
    assert_int_equal(chdir(folder), 0);
    rf_asset_init(&asset, read_block(a, AT("image", "a.png")), &place, a);
    assert_int_equal(chdir(was), 0);
    free(was);
    assert_str(show(a, &asset), A_PNG " \"a.png\"");
    rf_arena_free(a);
}

/* Base64, a character of several bytes and an invalid byte at the seams of what is read at once. */
static void long_text_files_are_looked_at_to_their_end(void **state)
{
    static const struct {
        const char *end, *want;
    } ends[] = {
        { "\xe2\x82\xac\xf0\x9f\x98\x80 ok", "bytes of text, text/plain" },
        { "$LARGE$", "with files" },
        { "\n$WRAP76$", "with files" },
        { "\xff", "bytes of text, text/plain" },
        { "\xe2\x82", "bytes of text, text/plain" },
    };
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = folder, .root = "" };
    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        for (size_t front = 131072 - 70; front <= 131072 + 1; front += front < 131066 ? 13 : 1) {
            struct rf_str end = filled_in(a, ends[i].end);
            char *text = rf_arena_alloc(a, front + end.n);
            struct rf_asset asset;
            memset(text, '.', front);
            memcpy(text + front, end.p, end.n);
            write_file(in_folder(a, folder, "long.txt"), (struct rf_str){ text, front + end.n });
            rf_asset_init(&asset, read_block(a, AT("document", "long.txt")), &place, a);
            if (!rf_str_contains(show(a, &asset), rf_str(ends[i].want)))
                fail_msg("%zu, %zu: %s", i, front, rf_cstr(a, show(a, &asset)));
        }
    }
    rf_arena_free(a);
}

/* Blobs of a store that counts how often it was opened. */

#define BLOB(n) "sha256:" n "000000000000000000000000000000000000000000000000000000000000000"
#define BLOB_ID(n) "att_" n "00000000000"
#define IN(type, n) "{'type':'" type "','blob':'" BLOB(n) "'}"
#define UPLOADED(n)                                                                              \
    "{'type':'image','file_id':'f','provider':'openai','media_type':'image/jpeg','blob':'" BLOB( \
        n) "'}"

static struct {
    unsigned opened;
} counted;

static const struct kept_row {
    const char *blob;
    struct rf_str bytes;
    const char *look; /* that was kept; NULL: nobody looked */
    enum rf_code fails;
} kept_rows[] = {
    { BLOB("1"), B(PNG_BYTES), "look3 image/png 30 20 1 0 0 0.0 - ok", RF_OK },
    { BLOB("2"), B(PNG_BYTES), NULL, RF_OK },
    { BLOB("3"), B(PNG_BYTES), "look3 image/png 30 20 1 0 0 0.0 - ok", RF_EFORMAT },
    { BLOB("4"), B(PNG_BYTES), "look3 image/png 30 20 1 0 0 0.0 - ok", RF_ENOTFOUND },
    { BLOB("5"), B(PNG_BYTES), "look3 image/png 0 0 0 0 0 0.0 x malformed it is cut off", RF_OK },
    { BLOB("6"), B(LOCKED_PDF_BYTES), "look3 application/pdf 0 0 0 0 0 1.4 e ok", RF_OK },
    { BLOB("7"), B("words"), "look3 text/plain 0 0 0 0 0 0.0 - ok", RF_OK },
    { BLOB("8"), B(""), "look3 - 0 0 0 0 0 0.0 - malformed the file is empty", RF_OK },
    { BLOB("9"), B(PNG_BYTES), NULL, RF_EIO },
};
static const struct rf_withheld refused[] = { { .provider = B("openai"), .reason = B("broken") } };

static const struct kept_row *find_kept(struct rf_str blob)
{
    for (size_t i = 0; i < COUNT(kept_rows); i++)
        if (rf_str_is(blob, kept_rows[i].blob))
            return &kept_rows[i];
    return NULL;
}

static bool is_known(void *ctx, struct rf_str blob, struct rf_blob_known *out)
{
    const struct kept_row *row = find_kept(blob);
    (void)ctx;
    if (!row)
        return false;
    *out = (struct rf_blob_known){ .size = row->bytes.n,
                                   .dropped = row == kept_rows,
                                   .withheld = refused,
                                   .withheld_count = row == kept_rows };
    if (row->look)
        assert_true(rf_inspection_read(rf_str(row->look), world, &out->look));
    return true;
}

static enum rf_code open_kept(void *ctx, struct rf_str blob, struct rf_arena *a,
                              struct rf_bytes *out, struct rf_err *err)
{
    const struct kept_row *row = find_kept(blob);
    (void)ctx, (void)a;
    counted.opened++;
    if (row->fails)
        return rf_fail(err, row->fails, "somewhere in /a/path");
    *out = rf_bytes_memory(row->bytes);
    return RF_OK;
}

static const struct rf_blob_source kept_source = { .known = is_known, .open = open_kept };

static const struct blob_row {
    const char *name, *block, *want;
    unsigned opened; /* when it was looked at, and when it was opened */
    const char *later;
    unsigned opened_later;
} blob_rows[] = {
    { "what is known of a blob is believed", IN("image", "1"), "73 bytes of image, image/png 30x20",
      0, "73 bytes of image, image/png 30x20", 1 },
    { "a blob that nobody looked at is opened", IN("image", "2"), A_PNG, 1, A_PNG, 1 },
    { "a damaged blob is found when it is opened", IN("image", "3"),
      "73 bytes of image, image/png 30x20", 0, "malformed: the file that was kept of it is damaged",
      1 },
    { "one that is gone too", IN("image", "4"), "73 bytes of image, image/png 30x20", 0,
      "not_found: the file that was kept of it is not there any more", 1 },
    { "a broken file stays closed", IN("image", "5"), "malformed: it is cut off", 0,
      "malformed: it is cut off", 0 },
    { "a locked document", IN("document", "6"), "144 bytes of pdf, application/pdf locked", 0,
      "144 bytes of pdf, application/pdf locked", 1 },
    { "a blob is checked against what the block claims", IN("document", "1"),
      "malformed: it is PNG, not a document", 0, "malformed: it is PNG, not a document", 0 },
    { "a text by its name", "{'type':'document','name':'a.csv','blob':'" BLOB("7") "'}",
      "5 bytes of text, text/csv \"a.csv\"", 0, "5 bytes of text, text/csv \"a.csv\"", 1 },
    { "an empty one", IN("document", "8"), "malformed: the file is empty", 0,
      "malformed: the file is empty", 0 },
    { "one that cannot be read when it must be looked at", IN("image", "9"),
      "unreadable: the file could not be read", 1, "unreadable: the file could not be read", 1 },
    { "a blob that the session does not have", IN("image", "f"),
      "not_found: its blob is not in the session", 0, "not_found: its blob is not in the session",
      0 },
    { "an uploaded file is its provider's", UPLOADED("1"), "file f at openai of image, image/jpeg",
      0, "file f at openai of image, image/jpeg", 0 },
};

static void is_kept(void **state)
{
    const struct blob_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = folder, .root = "", .blobs = &kept_source };
    struct rf_asset asset;
    counted.opened = 0;
    rf_asset_init(&asset, read_block(a, row->block), &place, a);
    assert_str(show(a, &asset), row->want);
    assert_int_equal(counted.opened, row->opened);
    for (int twice = 0; twice < 2; twice++) {
        rf_asset_open(&asset, a);
        assert_str(show(a, &asset), row->later);
        assert_int_equal(counted.opened, row->opened_later);
        assert_false(asset.unopened);
    }
    rf_arena_free(a);
}

static const struct id_row kept_ids[] = {
    { "a blob is named by its hash", IN("image", "1"), BLOB_ID("1") },
    { "also one that is gone", IN("image", "f"), BLOB_ID("f") },
    { "and a file that was uploaded", UPLOADED("1"), BLOB_ID("1") },
    { "not by what is not a hash", "{'type':'image','blob':'sha256:00'}", "att_f39161b5be13" },
    { "the caller's id wins", "{'type':'image','id':'x','blob':'" BLOB("1") "'}", "x" },
};

static void has_kept_id(void **state)
{
    const struct id_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = folder, .root = "", .blobs = &kept_source };
    struct rf_asset asset;
    counted.opened = 0;
    rf_asset_init(&asset, read_block(a, row->block), &place, a);
    assert_int_equal(rf_asset_identify(&asset, a, NULL), RF_OK);
    assert_str(asset.id, row->want);
    assert_int_equal(counted.opened, 0);
    rf_arena_free(a);
}

static void what_a_person_or_a_provider_said_of_a_blob(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = folder, .root = "", .blobs = &kept_source };
    struct rf_asset asset;
    (void)state;
    rf_asset_init(&asset, read_block(a, IN("image", "1")), &place, a);
    assert_true(asset.unopened && asset.dropped);
    assert_int_equal(asset.withheld_count, 1);
    assert_str(asset.withheld[0].provider, "openai");
    rf_arena_free(a);
}

static void an_uploaded_file_for_others(void **state)
{
    static const struct {
        const char *block, *want; /* want NULL: it stays what it is */
    } cases[] = {
        { UPLOADED("1"), "73 bytes of image, image/png 30x20" },
        { UPLOADED("5"), "malformed: it is cut off" },
        { UPLOADED("7"), "malformed: it is text, not an image" },
        { UPLOADED("f"), NULL },
        { "{'type':'image','file_id':'f','provider':'openai'}", NULL },
        { IN("image", "1"), NULL },
        { AT("image", "a.png"), NULL },
    };
    const struct rf_asset_place place = { .base = folder, .root = "", .blobs = &kept_source };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_asset asset;
        rf_asset_init(&asset, read_block(a, cases[i].block), &place, a);
        struct rf_str was = show(a, &asset);
        assert_int_equal(rf_asset_as_blob(&asset, a), cases[i].want != NULL);
        assert_str(show(a, &asset), cases[i].want ? cases[i].want : rf_cstr(a, was));
        rf_arena_free(a);
    }
}

static const struct name_row {
    const char *name;
    struct rf_str text;
    const char *want;
} names[] = {
    { "a plain name", B("report (final) v2.pdf"), "report (final) v2.pdf" },
    { "letters of the world", B("\xc3\xa9t\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac.png"),
      "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac.png" },
    { "quotes, brackets and the like", B("\"a\" [b] <c> `d` \\e"), "_a_ _b_ _c_ _d_ _e" },
    { "line breaks and escapes", B("a\nb\r\tc\x1b[31m"), "a_b__c__31m" },
    { "NUL and DEL", B("a\0b\x7f"), "a_b_" },
    { "C1 controls",
      B("a\xc2\x9b"
        "b\xc2\x85"),
      "a_b_" },
    { "separators of lines and turns of the writing",
      B("a\xe2\x80\xa8"
        "b\xe2\x80\xae"
        "c\xe2\x81\xa6"
        "d"),
      "a_b_c_d" },
    { "invalid UTF-8", B("a\xff\xc3"), "a__" },
    { "nothing", B(""), "" },
    { "eighty bytes",
      B("01234567890123456789012345678901234567890123456789012345678901234567890123456789"),
      "01234567890123456789012345678901234567890123456789012345678901234567890123456789" },
    { "more than eighty: both ends stay",
      B("0123456789012345678901234567890123456789MIDDLE0123456789012345678901234567890123456789."
        "pdf"),
      "0123456789012345678901234567890123456789...789012345678901234567890123456789.pdf" },
};

static void is_clean(void **state)
{
    const struct name_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    assert_str(rf_clean_name(row->text, a), row->want);
    rf_arena_free(a);
}

static void long_names_are_cut_between_characters(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    for (size_t shift = 0; shift < 3; shift++) {
        struct rf_str name = rf_strf(a, "%.*s", (int)shift, "ab");
        for (size_t i = 0; i < 60; i++)
            name = rf_strf(a, "%.*s\xe2\x82\xac", RF_FMT(name));
        struct rf_str clean = rf_clean_name(name, a);
        assert_true(clean.n <= 80 && clean.n > 70);
        assert_int_equal(rf_utf8_valid(clean), clean.n);
    }
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_file_that_vanishes_before_it_is_named),
        cmocka_unit_test(a_file_that_changes_is_told_without_its_path),
        cmocka_unit_test(paths_without_a_base),
        cmocka_unit_test(long_text_files_are_looked_at_to_their_end),
        cmocka_unit_test(long_names_are_cut_between_characters),
        cmocka_unit_test(what_a_person_or_a_provider_said_of_a_blob),
        cmocka_unit_test(an_uploaded_file_for_others),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(ids) + COUNT(names) + COUNT(blob_rows) +
                            COUNT(kept_ids) + COUNT(others)],
        *at = tests;
    name_rows(at, becomes, rows, COUNT(rows), sizeof *rows);
    name_rows(at += COUNT(rows), has_id, ids, COUNT(ids), sizeof *ids);
    name_rows(at += COUNT(ids), is_clean, names, COUNT(names), sizeof *names);
    name_rows(at += COUNT(names), is_kept, blob_rows, COUNT(blob_rows), sizeof *blob_rows);
    name_rows(at += COUNT(blob_rows), has_kept_id, kept_ids, COUNT(kept_ids), sizeof *kept_ids);
    memcpy(at + COUNT(kept_ids), others, sizeof others);
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
