/* Messages as they are stored. A row is a message in JSON with ' for ", in which $PNG$ and the like
 * stand for base64, what its body becomes (or NULL: something with a blob), and the files that are
 * listed with it. */
#include "content/message.h"
#include "source/read.h"
#include "store/store.h"

#include "../source/files.h"
#include "engines.h"

#define TEXT_BYTES 2000
#define FILE_BYTES 3000
#define PNG "sha256:ba13c0b379b96e4ff2635f55423e445e8a03b6afab30b8177f37b852a0691c4f"
#define NO_BLOB "sha256:1111111111111111111111111111111111111111111111111111111111111111"
#define A_PNG "att_ba13c0b379b9 image image/png 3x2 73"
#define BLOB "{'type':'image','blob':'" PNG "'}"
#define USER(blocks) "{'role':'user','content':[" blocks "]}"
#define TOOL(fields) "{'role':'tool','tool_call_id':'c'," fields "}"
#define LIFTED "'blob':'" PNG "','media_type':'image/png','size_bytes':73"

static struct rf_store *open_store(const struct place *p, bool leave_files)
{
    struct rf_store *s = NULL;
    struct rf_err err = { 0 };
    const struct rf_store_options options = {
        .address = p->address,
        .blobs = p->bucket   ? p->bucket
                 : p->schema ? in_folder(p->arena, p->folder, "blobs")
                             : NULL,
        .cache = in_folder(p->arena, p->folder, "cache"),
        .bucket = rf_bucket_open,
        .leave_files = leave_files,
        .file_bytes = FILE_BYTES,
        .text_bytes = TEXT_BYTES,
    };
    if (rf_store_make(&options, &s, &err))
        fail_msg("%s", err.msg);
    return s;
}

/* The one session that is open in it. */
static struct rf_session *session_of(struct rf_store *s)
{
    struct rf_session *made;
    struct rf_err err;
    if (!s->writers && rf_session_new(s, &made, &err))
        fail_msg("%s", err.msg);
    return s->writers;
}

static void close_store(struct rf_store *s)
{
    rf_session_close(s->writers);
    rf_store_close(s);
}

static struct rf_message read_message(struct rf_arena *a, struct rf_str text)
{
    const struct rf_jval *v;
    struct rf_message m = { 0 };
    struct rf_err err;
    if (rf_jval_parse(text, a, &v, &err) || rf_message_read(v, NULL, a, &m, &err))
        fail_msg("%s: %s", rf_cstr(a, text), err.msg);
    return m;
}

static struct rf_kept keep(struct rf_store *s, const char *folder, struct rf_arena *a,
                           struct rf_str message)
{
    const struct rf_asset_place place = { .base = folder, .root = folder };
    struct rf_message m = read_message(a, message);
    struct rf_kept kept = { 0 };
    struct rf_err err;
    if (rf_keep_message(session_of(s), &m, &place, a, &kept, &err))
        fail_msg("%s: %s", rf_cstr(a, message), err.msg);
    return kept;
}

/* One a line: id, kind, type, size in pixels, bytes, name. */
static struct rf_str show_files(const struct rf_kept *k, struct rf_arena *a)
{
    struct rf_str out = RF_STR("");
    for (size_t i = 0; i < k->count; i++) {
        const struct rf_kept_file *f = &k->files[i];
        struct rf_inspection look;
        assert_true(rf_inspection_read(f->row.look, a, &look));
        out = rf_strf(a, "%.*s%s%.*s %.*s %.*s %dx%d %d%s%.*s", RF_FMT(out), i ? "; " : "",
                      RF_FMT(f->id), RF_FMT(f->kind), RF_FMT(f->mime), (int)f->width,
                      (int)f->height, (int)f->row.size, f->name.n ? " " : "", RF_FMT(f->name));
    }
    return out;
}

static const struct row {
    const char *name, *message, *want, *files;
} rows[] = {
    { "words", "{'role':'user','content':'Hello'}", USER("{'type':'text','text':'Hello'}"), "" },
    { "fields that nobody knows stay",
      "{'role':'user','content':[{'type':'text','text':'x','mine':[1]}],'my':2}",
      "{'role':'user','content':[{'type':'text','text':'x','mine':[1]}],'my':2}", "" },
    { "a file by its path", USER("{'type':'image','source_path':'a.png'}"),
      USER("{'type':'image','blob':'" PNG "','name':'a.png'}"), A_PNG " a.png" },
    { "its own name and id win",
      USER("{'type':'image','id':'fig','source_path':'a.png','name':'b'}"),
      USER("{'type':'image','id':'fig','blob':'" PNG "','name':'b'}"),
      "fig image image/png 3x2 73 b" },
    { "a file that is not there stays a path", USER("{'type':'image','source_path':'gone.png'}"),
      USER("{'type':'image','source_path':'gone.png'}"), "" },
    { "one outside of the root too", USER("{'type':'document','source_path':'/etc/passwd'}"),
      USER("{'type':'document','source_path':'/etc/passwd'}"), "" },
    { "one over the limit too", USER("{'type':'image','source_path':'large.png'}"),
      USER("{'type':'image','source_path':'large.png'}"), "" },
    { "one that is broken is kept all the same", USER("{'type':'image','source_path':'cut.png'}"),
      NULL, "att_ image image/png 0x0 16 cut.png" },
    { "base64", USER("{'type':'image','data':'$PNG$'}"), USER(BLOB), A_PNG },
    { "a data URL", USER("{'type':'image','url':'data:image/png;base64,$PNG$'}"), USER(BLOB),
      A_PNG },
    { "base64 over the limit of files", USER("{'type':'image','data':'$LARGE$'}"), NULL,
      "att_ image image/png 3x2 3073" },
    { "another URL", USER("{'type':'image','url':'https://a/b.png'}"),
      USER("{'type':'image','url':'https://a/b.png'}"), "" },
    { "a few characters that are not base64", USER("{'type':'image','data':'@@'}"),
      USER("{'type':'image','data':'@@'}"), "" },
    { "base64 that was cut off is the text that it is", USER("{'type':'image','data':'$CUT$'}"),
      NULL, "att_ text text/plain 0x0 1001" },
    { "a blob that the session has", USER(BLOB), USER(BLOB), A_PNG },
    { "one that it has not", USER("{'type':'image','blob':'" NO_BLOB "'}"),
      USER("{'type':'image','blob':'" NO_BLOB "'}"), "" },
    { "no blob at all", USER("{'type':'image','blob':'../../etc/passwd'}"),
      USER("{'type':'image','blob':'../../etc/passwd'}"), "" },
    { "an uploaded file with its blob",
      USER("{'type':'image','blob':'" PNG "','file_id':'f','provider':'p'}"),
      USER("{'type':'image','blob':'" PNG "','file_id':'f','provider':'p'}"), A_PNG },
    { "files that hide in words", USER("{'type':'text','text':'a data:image/png;base64,$PNG$ b'}"),
      USER("{'type':'text','text':'a '},{'type':'image'," LIFTED "},{'type':'text','text':' b'}"),
      A_PNG },
    { "nothing but a file", USER("{'type':'text','text':'$PNG$','mine':1}"),
      USER("{'type':'image'," LIFTED "}"), A_PNG },
    { "in an answer too",
      "{'role':'assistant','content':[{'type':'text','text':'see $PNG$','citations':[]}]}",
      "{'role':'assistant','content':[{'type':'text','text':'see ','citations':[]},{'type':'image'," LIFTED
      "}]}",
      A_PNG },
    { "in JSON", USER("{'type':'json','value':{'a':'$PNG$'}}"),
      USER(
          "{'type':'json','value':{'a':'[image/png, 73 bytes: taken out of this JSON, see below]'}}"
          ",{'type':'image'," LIFTED "}"),
      A_PNG },
    { "in what a tool says", TOOL("'output':'x $PNG$ y'"),
      TOOL("'output':'x [image/png, 73 bytes: see the file below] y','content_blocks':["
           "{'type':'image'," LIFTED "}]"),
      A_PNG },
    { "a tool that says nothing but a file", TOOL("'output':' data:image/png;base64,$PNG$'"),
      TOOL("'content_blocks':[{'type':'image'," LIFTED "}]"), A_PNG },
    { "in its data, before its blocks",
      TOOL("'data':['$PNG$'],'content_blocks':[{'type':'text','text':'t'}]"),
      TOOL("'data':['[image/png, 73 bytes: taken out of this JSON, see below]'],"
           "'content_blocks':[{'type':'image'," LIFTED "},{'type':'text','text':'t'}]"),
      A_PNG },
    { "what hides in words for the person is for the person",
      TOOL("'content_blocks':[{'type':'text','text':'a $PNG$ b','audience':'user'}]"),
      TOOL("'content_blocks':[{'type':'text','text':'a ','audience':'user'},{'type':'image'," LIFTED
           ",'audience':'user'},{'type':'text','text':' b','audience':'user'}]"),
      A_PNG },
    { "in its error", TOOL("'success':false,'error':'e $PNG$'"),
      TOOL("'success':false,'error':'e [image/png, 73 bytes: see the file below]',"
           "'content_blocks':[{'type':'image'," LIFTED "}]"),
      A_PNG },
    { "in the text of a document",
      USER("{'type':'document','url':'u','extracted_text':'x $PNG$','text_fallback':'$PNG$'}"),
      USER("{'type':'document','url':'u','extracted_text':'x [image/png, 73 bytes: see the file "
           "below]'},{'type':'image'," LIFTED "},{'type':'image'," LIFTED "}"),
      A_PNG "; " A_PNG },
    { "what a model said to itself stays, byte for byte",
      "{'role':'assistant','content':[{'type':'thinking','thinking':'$PNG$','signature':'$PNG$'},"
      "{'type':'tool_call','id':'1','name':'n','arguments':{'a':'$PNG$'}},"
      "{'type':'opaque','dialect':'d','value':'$PNG$'}]}",
      "{'role':'assistant','content':[{'type':'thinking','thinking':'$PNG$','signature':'$PNG$'},"
      "{'type':'tool_call','id':'1','name':'n','arguments':{'a':'$PNG$'}},"
      "{'type':'opaque','dialect':'d','value':'$PNG$'}]}",
      "" },
    { "text that was cut before refers to its blob",
      USER("{'type':'text','text':'t','full_text':'" PNG "'}"),
      USER("{'type':'text','text':'t','full_text':'" PNG "'}"), A_PNG },
};

static void make_files(const char *folder, struct rf_arena *a)
{
    write_file(in_folder(a, folder, "a.png"), RF_STR(PNG_BYTES));
    write_file(in_folder(a, folder, "large.png"), long_png(a, FILE_BYTES));
    write_file(in_folder(a, folder, "cut.png"), RF_STR("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
}

static void put(struct rf_store *s, struct rf_str bytes)
{
    const struct rf_bytes b = rf_bytes_memory(bytes);
    struct rf_arena *a = rf_arena_new();
    struct rf_blob_row row = { .size = (int64_t)bytes.n };
    struct rf_inspection look;
    struct rf_err err;
    if (rf_inspect(&b, a, &look, &err) ||
        rf_blobs_put(s->blobs, &b, UINT64_MAX, &row.hash, &row.object, &err))
        fail_msg("%s", err.msg);
    row.look = rf_inspection_write(&look, a);
    if (rf_store_enter_blob(s, &row, &err))
        fail_msg("%s", err.msg);
    rf_session_took(session_of(s), &row.hash);
    rf_arena_free(a);
}

/* The files, where "att_ " stands for any id. */
static bool files_are(struct rf_str got, const char *want)
{
    struct rf_str w = rf_str(want);
    if (!rf_str_starts(w, "att_ "))
        return rf_str_eq(got, w);
    return got.n == w.n + 12 && rf_str_ends(got, want + 4);
}

static void messages_are_kept(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    make_files(p->folder, p->arena);
    put(s, RF_STR(PNG_BYTES));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_kept kept = keep(s, p->folder, a, filled_in(a, quoted(a, rows[i].message).p));
        struct rf_str files = show_files(&kept, a);
        if (rows[i].want && !rf_str_eq(kept.body, filled_in(a, quoted(a, rows[i].want).p)))
            fail_msg("%s: %s", rows[i].name, rf_cstr(a, kept.body));
        if (!files_are(files, rows[i].files))
            fail_msg("%s: files %s", rows[i].name, rf_cstr(a, files));
        if (!rows[i].want && !rf_str_contains(kept.body, RF_STR("\"blob\":\"sha256:")))
            fail_msg("%s: %s", rows[i].name, rf_cstr(a, kept.body));
        rf_arena_free(a);
    }
    close_store(s);
}

/* What was kept is kept as it is: the same body, the same files. */
static void keeping_twice_changes_nothing(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    make_files(p->folder, p->arena);
    put(s, RF_STR(PNG_BYTES));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_kept once = keep(s, p->folder, a, filled_in(a, quoted(a, rows[i].message).p));
        struct rf_kept twice = keep(s, p->folder, a, once.body);
        if (!rf_str_eq(once.body, twice.body) ||
            !rf_str_eq(show_files(&once, a), show_files(&twice, a)))
            fail_msg("%s: %s", rows[i].name, rf_cstr(a, twice.body));
        rf_arena_free(a);
    }
    close_store(s);
}

/* Texts that are too long. */

static struct rf_str repeated(struct rf_arena *a, const char *line, size_t count)
{
    struct rf_str out;
    struct rf_buf b;
    rf_buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < count; i++)
        rf_buf_add(&b, rf_str(line));
    assert_int_equal(rf_buf_finish(&b, &out, NULL), RF_OK);
    return out;
}

static struct rf_str all_of(struct rf_store *s, const struct rf_kept_file *f, struct rf_arena *a)
{
    struct rf_bytes bytes;
    struct rf_reader r;
    struct rf_err err;
    size_t got;
    if (rf_blobs_get(s->blobs, &f->row.hash, f->row.object, a, &bytes, &err))
        fail_msg("%s", err.msg);
    char *p = rf_arena_alloc(a, (size_t)bytes.size + 1);
    assert_int_equal(rf_reader_open(&r, &bytes, &err), RF_OK);
    assert_int_equal(rf_reader_read(&r, 0, p, (size_t)bytes.size, &got, &err), RF_OK);
    rf_reader_close(&r);
    return (struct rf_str){ p, got };
}

static const struct long_row {
    const char *name;
    const char *before, *after; /* what stands around the text in the message */
    const char *piece;          /* of the text, so many times */
    size_t count;
    const char *field;   /* that names the blob; NULL: all of it stays */
    const char *says[3]; /* in the body; with ' for " */
} long_rows[] = {
    { "what fits stays",
      "{'role':'user','content':[{'type':'text','text':'",
      "'}]}",
      "1234567 ",
      250,
      NULL,
      { "1234567 '}]}" } },
    { "one byte more",
      "{'role':'user','content':[{'type':'text','text':'x",
      "'}]}",
      "1234567 ",
      250,
      "full_text",
      { "'text':'x1234567 ", "[The first 1,000 of 2,001 bytes. The rest is in att_",
        "search.]'" } },
    { "first lines",
      "{'role':'user','content':[{'type':'text','text':'",
      "'}]}",
      "a line of text\\n",
      1000,
      "full_text",
      { "'text':'a line of text\\na line", "text\\n[The first 990 of 15,000 bytes. The rest is in ",
        "read_attachment(id, offset=990, limit), or with search.]" } },
    { "a long line is cut between characters",
      "{'role':'user','content':[{'type':'text','text':'",
      "'}]}",
      "\xe2\x82\xac",
      1000,
      "full_text",
      { "\xe2\x82\xac\\n[The first 999 of 3,000 bytes.", "offset=999" } },
    { "JSON has an outline",
      "{'role':'user','content':[{'type':'text','text':'[",
      "0]'}]}",
      "{\\\"k\\\":1},",
      300,
      "full_text",
      { "'text':'(all): array, 301 elements\\n/0: object, 1 key\\n/0/k: number\\n[The outline of "
        "JSON of 2,403 bytes. All of it is in att_",
        "read_attachment(id, pointer)" } },
    { "a JSON block becomes text",
      "{'role':'user','content':[{'type':'json','mine':7,'text_fallback':'f','value':[",
      "0]}]}",
      "1, ",
      1000,
      "full_text",
      { "{'type':'text','text':'(all): array, 1,001 elements\\n", "'text_fallback':'f'",
        "'mine':7" } },
    { "the output of a tool",
      "{'role':'tool','tool_call_id':'c','output':'",
      "'}",
      "out ",
      1000,
      "full_output",
      { "'output':'out out", "[The first 1,000 of 4,000 bytes." } },
    { "its error",
      "{'role':'tool','tool_call_id':'c','success':false,'error':'",
      "'}",
      "err ",
      1000,
      "full_error",
      { "'error':'err err", "[The first 1,000 of 4,000 bytes." } },
    { "its data become a block before the others",
      "{'role':'tool','tool_call_id':'c','data':{'a':[",
      "0]},'content_blocks':[{'type':'text','text':'t'}]}",
      "1,",
      1000,
      "full_text",
      { "'content_blocks':[{'type':'text','text':'(all): object, 1 key\\n/a: array, 1,001 elements\\n",
        "{'type':'text','text':'t'}]}" } },
    { "the text of a document",
      "{'role':'user','content':[{'type':'document','url':'u','extracted_text':'",
      "'}]}",
      "page ",
      1000,
      "full_text",
      { "'extracted_text':'page page", "[The first 1,000 of 5,000 bytes." } },
    { "the words of a recording",
      "{'role':'user','content':[{'type':'audio','url':'u','transcript':'",
      "'}]}",
      "word ",
      1000,
      "full_text",
      { "'transcript':'word word" } },
};

static void check_long(struct rf_store *s, const char *folder, const struct long_row *row)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str middle = repeated(a, row->piece, row->count);
    struct rf_str message =
        rf_strf(a, "%s%.*s%s", quoted(a, row->before).p, RF_FMT(middle), quoted(a, row->after).p);
    struct rf_kept kept = keep(s, folder, a, message);
    for (size_t i = 0; i < COUNT(row->says) && row->says[i]; i++)
        if (!rf_str_contains(kept.body, quoted(a, row->says[i])))
            fail_msg("%s: no %s in %s", row->name, row->says[i], rf_cstr(a, kept.body));
    assert_int_equal(kept.count, row->field != NULL);
    if (row->field) {
        struct rf_str named =
            rf_strf(a, "\"%s\":\"sha256:%s\"", row->field, kept.files[0].row.hash.hex);
        if (!rf_str_contains(kept.body, named))
            fail_msg("%s: no %s in %s", row->name, named.p, rf_cstr(a, kept.body));
        assert_true(rf_str_contains(kept.body, kept.files[0].id));
        assert_str(kept.files[0].kind, "text");
        assert_true(kept.body.n < 4096);
    }
    struct rf_kept again = keep(s, folder, a, kept.body);
    if (!rf_str_eq(kept.body, again.body))
        fail_msg("%s: then %s", row->name, rf_cstr(a, again.body));
    rf_arena_free(a);
}

static void long_texts_become_blobs(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    for (size_t i = 0; i < COUNT(long_rows); i++)
        check_long(s, p->folder, &long_rows[i]);
    close_store(s);
}

/* All of it is in the blob, and without the file that hid in it. */
static void nothing_of_a_long_text_is_lost(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    struct rf_arena *a = rf_arena_new();
    struct rf_str words = repeated(a, "some words; ", 200), png = to_base64(a, RF_STR(PNG_BYTES));
    struct rf_str message =
        rf_strf(a, "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"output\":\"%.*s%.*s\"}",
                RF_FMT(words), RF_FMT(png));
    struct rf_kept kept = keep(s, p->folder, a, message);
    assert_int_equal(kept.count, 2);
    struct rf_str want = rf_str_join(a, words, RF_STR("[image/png, 73 bytes: see the file below]"));
    assert_true(rf_str_eq(all_of(s, &kept.files[0], a), want));
    assert_true(rf_str_eq(all_of(s, &kept.files[1], a), RF_STR(PNG_BYTES)));
    assert_false(rf_str_contains(kept.body, png));
    rf_arena_free(a);
    close_store(s);
}

/* The file changes and goes: what was kept stays. */
static void the_past_stays_what_it_was(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    struct rf_arena *a = rf_arena_new();
    make_files(p->folder, a);
    struct rf_kept kept =
        keep(s, p->folder, a, quoted(a, USER("{'type':'image','source_path':'a.png'}")));
    write_file(in_folder(a, p->folder, "a.png"), RF_STR(GIF_BYTES));
    assert_true(rf_str_eq(all_of(s, &kept.files[0], a), RF_STR(PNG_BYTES)));
    rf_arena_free(a);
    close_store(s);
}

static void files_stay_where_they_are_if_told_so(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, true);
    struct rf_arena *a = rf_arena_new();
    const char *path = USER("{'type':'image','source_path':'a.png'}");
    make_files(p->folder, a);
    struct rf_kept kept = keep(s, p->folder, a, quoted(a, path));
    assert_true(rf_str_eq(kept.body, quoted(a, path)));
    kept =
        keep(s, p->folder, a, filled_in(a, quoted(a, USER("{'type':'image','data':'$PNG$'}")).p));
    assert_true(rf_str_eq(kept.body, quoted(a, USER(BLOB))));
    rf_arena_free(a);
    close_store(s);
}

/* A store that cannot be written is a failure, not a message with a path in it. */
static void a_blob_that_cannot_be_written_is_a_failure(void **state)
{
    const struct place *p = *state;
    if (p->bucket) /* one that refuses: tests/bucket */
        skip();
    struct rf_store *s = open_store(p, false);
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = p->folder, .root = p->folder };
    struct rf_kept kept = { .count = 77 };
    struct rf_err err;
    make_files(p->folder, a);
    struct rf_message m =
        read_message(a, quoted(a, USER("{'type':'image','source_path':'a.png'}")));
    const char *blobs = in_folder(a, p->schema ? p->folder : p->address, "blobs");
    scratch_remove(blobs);
    write_file(blobs, RF_STR("in the way"));
    assert_int_not_equal(rf_keep_message(session_of(s), &m, &place, a, &kept, &err), RF_OK);
    assert_int_equal(kept.count, 77);
    rf_arena_free(a);
    close_store(s);
}

static void what_is_nested_too_deep_to_be_read_again_is_not_kept(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    struct rf_arena *a = rf_arena_new();
    const struct rf_asset_place place = { .base = p->folder, .root = p->folder };
    const size_t fits = RF_MAX_JSON_DEPTH - 3; /* inside of a block, the list of them, a message */
    char *deep = rf_arena_alloc(a, 2 * fits + 2);
    struct rf_block block = { .type = RF_BLOCK_OPAQUE, .dialect = RF_STR("x") };
    struct rf_kept kept;
    struct rf_err err;
    for (size_t n = fits; n <= fits + 1; n++) {
        struct rf_message m = { .role = RF_ROLE_ASSISTANT, .blocks = &block, .block_count = 1 };
        memset(deep, '[', n);
        memset(deep + n, ']', n);
        assert_int_equal(rf_jval_parse((struct rf_str){ deep, 2 * n }, a, &block.value, &err), 0);
        assert_int_equal(rf_keep_message(session_of(s), &m, &place, a, &kept, &err),
                         n == fits ? RF_OK : RF_ELIMIT);
        assert_int_equal(rf_jval_parse(kept.body, a, &block.value, &err), RF_OK);
    }
    rf_arena_free(a);
    close_store(s);
}

static void first_words_are_a_persons(void **state)
{
    static const struct {
        const char *message, *want;
    } cases[] = {
        { "{'role':'user','content':'  Hello \\n'}", "Hello" },
        { USER("{'type':'image','url':'u'},{'type':'text','text':' '},{'type':'text','text':'b'}"),
          "b" },
        { USER(""), "" },
        { "{'role':'user','speaker':'system','content':'rules'}", "" },
        { "{'role':'assistant','content':'Hello'}", "" },
        { TOOL("'output':'x'"), "" },
    };
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        assert_str(keep(s, p->folder, a, quoted(a, cases[i].message)).first_words, cases[i].want);
        rf_arena_free(a);
    }
    close_store(s);
}

/* The tools with the store after them. */

static struct rf_str run(struct rf_tools *t, struct rf_arena *a, const char *tool,
                         struct rf_str arguments)
{
    struct rf_result *result;
    struct rf_str json;
    struct rf_err err;
    assert_int_equal(rf_tools_run(t, tool, rf_cstr(a, arguments), &result, &err), RF_OK);
    assert_int_equal(rf_result_json(result, RF_WITH_FILES, &json, &err), RF_OK);
    json = rf_str_dup(a, json);
    rf_result_free(result);
    return json;
}

static void tools_keep_what_they_read(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    struct rf_arena *a = rf_arena_new();
    struct rf_tools *t = rf_tools_new();
    make_files(p->folder, a);
    rf_tools_root(t, p->folder);
    rf_tools_base(t, p->folder);
    rf_tools_session(t, session_of(s));
    struct rf_str json = run(t, a, "read_file", RF_STR("{\"file_path\":\"a.png\"}"));
    assert_true(rf_str_contains(json, RF_STR("\"blob\":\"" PNG "\"")));
    assert_false(rf_str_contains(json, RF_STR("source_path")));
    assert_int_equal(unlink(in_folder(a, p->folder, "a.png")), 0);
    struct rf_kept kept = keep(s, p->folder, a, quoted(a, USER(BLOB)));
    assert_str(show_files(&kept, a), A_PNG);
    static const char *const ids[] = { "att_ba13c0b379b9", PNG };
    for (size_t i = 0; i < COUNT(ids); i++) {
        json = run(t, a, "read_attachment", rf_strf(a, "{\"id\":\"%s\"}", ids[i]));
        assert_true(rf_str_contains(json, RF_STR("\"blob\":\"" PNG "\"")));
    }
    json = run(t, a, "read_file", RF_STR("{\"file_path\":\"large.png\"}"));
    assert_true(rf_str_contains(json, RF_STR("\"source_path\":\"large.png\"")));
    rf_tools_free(t);
    rf_arena_free(a);
    close_store(s);
}

static void a_long_text_can_be_read_on(void **state)
{
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    struct rf_arena *a = rf_arena_new();
    struct rf_tools *t = rf_tools_new();
    struct rf_str words = repeated(a, "0123456789abcde\\n", 300);
    struct rf_kept kept =
        keep(s, p->folder, a,
             rf_strf(a, "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"output\":\"%.*s\"}",
                     RF_FMT(words)));
    struct rf_err err;
    if (rf_store_enter_blob(s, &kept.files[0].row, &err))
        fail_msg("%s", err.msg);
    rf_tools_session(t, session_of(s));
    struct rf_str json =
        run(t, a, "read_attachment",
            rf_strf(a, "{\"id\":\"%.*s\",\"offset\":4784}", RF_FMT(kept.files[0].id)));
    assert_true(rf_str_contains(
        json, RF_STR("\"output\":\"Bytes 4784-4799 of 4,800.\\n0123456789abcde\\n\"")));
    rf_tools_free(t);
    rf_arena_free(a);
    close_store(s);
}

static void ids_that_lead_nowhere(void **state)
{
    static const char *const ids[] = { "",
                                       "att_",
                                       "att_BA13C0B379B9",
                                       "att_ba13c0b379b",
                                       "att_ffffffffffff",
                                       "%",
                                       "att_ba13c0b379b9' OR 1=1",
                                       NO_BLOB,
                                       "../../etc/passwd",
                                       "fig" };
    const struct place *p = *state;
    struct rf_store *s = open_store(p, false);
    struct rf_arena *a = rf_arena_new();
    struct rf_tools *t = rf_tools_new();
    put(s, RF_STR(PNG_BYTES));
    rf_tools_session(t, session_of(s));
    for (size_t i = 0; i < COUNT(ids); i++) {
        struct rf_str json = run(t, a, "read_attachment", rf_strf(a, "{\"id\":\"%s\"}", ids[i]));
        if (!rf_str_contains(json, RF_STR("there is no attachment of this id")))
            fail_msg("%s: %s", ids[i], rf_cstr(a, json));
    }
    rf_tools_free(t);
    rf_arena_free(a);
    close_store(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_kept),
        cmocka_unit_test(keeping_twice_changes_nothing),
        cmocka_unit_test(long_texts_become_blobs),
        cmocka_unit_test(nothing_of_a_long_text_is_lost),
        cmocka_unit_test(the_past_stays_what_it_was),
        cmocka_unit_test(files_stay_where_they_are_if_told_so),
        cmocka_unit_test(a_blob_that_cannot_be_written_is_a_failure),
        cmocka_unit_test(what_is_nested_too_deep_to_be_read_again_is_not_kept),
        cmocka_unit_test(first_words_are_a_persons),
        cmocka_unit_test(tools_keep_what_they_read),
        cmocka_unit_test(a_long_text_can_be_read_on),
        cmocka_unit_test(ids_that_lead_nowhere),
    };
    static struct CMUnitTest all[ENGINES * COUNT(tests)];
    over_engines(tests, COUNT(tests), all);
    return cmocka_run_group_tests(all, NULL, NULL);
}
