/* A session goes through an archive from any engine to any other and is the same afterwards; an archive
 * that is not what it should be is refused, and then the store is as it was. */
#include "store/store.h"

#include "base/base64.h"
#include "store/tar.h"

#include "engines.h"

#define SMALL_TEXT 4000
#define MOST_BLOB 50000

static struct rf_store *open_store(const struct place *p, const char *blobs)
{
    const struct rf_store_options o = {
        .address = p->address,
        .blobs = p->bucket   ? p->bucket
                 : p->schema ? blobs
                             : NULL,
        .bucket = rf_bucket_open,
        .cache = in_folder(p->arena, p->folder, "fetched"),
        .file_bytes = MOST_BLOB,
        .text_bytes = SMALL_TEXT,
    };
    struct rf_store *s;
    struct rf_err err = { 0 };
    if (rf_store_make(&o, &s, &err))
        fail_msg("%s", err.msg);
    return s;
}

static int new_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    return fd;
}

static void must(enum rf_code rc, const struct rf_err *err)
{
    if (rc)
        fail_msg("%s (%s)", err->msg, err->hint);
}

/* The way there and back */

static const unsigned char png[] = {
    0x89, 'P',  'N',  'G',  13,  10,  26,  10,   0,    0,    0,    13,  'I',  'H',  'D',  'R',  0,
    0,    0,    1,    0,    0,   0,   1,   8,    0,    0,    0,    0,   0x3a, 0x7e, 0x9b, 0x55, 0,
    0,    0,    10,   'I',  'D', 'A', 'T', 0x78, 0x9c, 0x63, 0x60, 0,   0,    0,    2,    0,    1,
    0x48, 0xaf, 0xa4, 0x71, 0,   0,   0,   0,    'I',  'E',  'N',  'D', 0xae, 0x42, 0x60, 0x82,
};

static void append(struct rf_session *s, struct rf_arena *a, const char *message)
{
    struct rf_err err = { 0 };
    must(rf_session_append(s, quoted(a, message), &err), &err);
}

/* A session with something of everything. */
static void fill(struct rf_session *s, const struct place *p)
{
    struct rf_arena *a = p->arena;
    struct rf_err err = { 0 };
    char data[200] = "", *words = rf_arena_alloc(a, 3 * SMALL_TEXT + 1);
    rf_base64_encode(png, sizeof png, data);
    memset(words, 'w', 3 * SMALL_TEXT);
    write_file(in_folder(a, p->folder, "notes.txt"), RF_STR("kept for good\n"));
    rf_session_folders(s, p->folder, "");
    must(rf_session_set(s, quoted(a, "{'system':'one','options':{'max_tokens':5}}"), &err), &err);
    append(s, a,
           rf_strf(a,
                   "{'role':'user','content':[{'type':'text','text':'\\u00e4 \\u2028 look'},"
                   "{'type':'image','name':'dot.png','data':'%s'}],'mine':[1.50]}",
                   data)
               .p);
    append(s, a,
           "{'role':'assistant','origin':{'provider':'p','model':'m'},"
           "'usage':{'input_tokens':7,'output_tokens':8},"
           "'content':[{'type':'thinking','thinking':'hm','signature':'c2ln'},"
           "{'type':'tool_call','id':'c1','name':'read','arguments':{'a': 1}}]}");
    append(s, a,
           rf_strf(a,
                   "{'role':'tool','tool_call_id':'c1','name':'read','output':'%s',"
                   "'content_blocks':[{'type':'document','source_path':'notes.txt'},"
                   "{'type':'image','url':'https://example.org/a.png'}]}",
                   words)
               .p);
    must(rf_session_set(s, quoted(a, "{'system':'two'}"), &err), &err);
    append(s, a, "{'role':'user','content':'thanks'}");
    must(rf_session_set_title(s, RF_STR("a title"), &err), &err);
}

/* The hash of the first file, with room for it. */
static void take_first(void *ctx, const struct rf_session_file *f)
{
    char *hash = ctx;
    if (!*hash)
        snprintf(hash, 80, "%.*s", RF_FMT(f->hash));
}

static void use_first_file(struct rf_session *s)
{
    char hash[80] = "";
    struct rf_err err = { 0 };
    must(rf_session_files(s, take_first, hash, &err), &err);
    must(rf_session_drop(s, hash, &err), &err);
    const struct rf_sent_way way = {
        RF_STR("native"),    RF_STR("converted"), RF_STR("image/png"),
        RF_STR("animation"), RF_STR("anywhere"),  RF_STR("some-model")
    };
    must(rf_session_note_sent(s, rf_str(hash), &way, &err), &err);
    must(rf_session_remade(s, hash, "anywhere", RF_STR("not so"), &err), &err);
    must(rf_session_quarantine(s, hash, "elsewhere", RF_STR("never"), &err), &err);
}

static void export_to(struct rf_store *store, const char *id, const char *path)
{
    struct rf_session *s;
    struct rf_err err = { 0 };
    int fd = new_file(path);
    must(rf_session_open(store, id, false, &s, &err), &err);
    must(rf_session_export(s, fd, &err), &err);
    rf_session_close(s);
    close(fd);
}

static enum rf_code import_from(struct rf_store *store, const char *path,
                                char id[RF_SESSION_ID_SIZE], struct rf_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    enum rf_code rc = rf_store_import(store, fd, id, err);
    close(fd);
    return rc;
}

/* A text without the value of a field, which is a number. */
static struct rf_str without(struct rf_arena *a, struct rf_str text, const char *field)
{
    const char *p = memmem(text.p, text.n, field, strlen(field));
    assert_non_null(p);
    size_t n = (size_t)(p - text.p) + strlen(field);
    size_t digits = strspn(text.p + n, "0123456789");
    assert_true(digits > 0);
    return rf_str_join(a, (struct rf_str){ text.p, n },
                       (struct rf_str){ text.p + n + digits, text.n - n - digits });
}

/* Names and bytes of all files, but for the time of the last change. */
static struct rf_str contents(struct rf_arena *a, const char *path)
{
    struct rf_tar_in t;
    struct rf_tar_file f;
    struct rf_err err = { 0 };
    struct rf_str all = RF_STR("");
    bool more = true;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    rf_tar_in_init(&t, fd, 1000000, 100);
    for (;;) {
        must(rf_tar_in_next(&t, &f, &more, &err), &err);
        if (!more)
            break;
        size_t got;
        char *p = rf_arena_alloc(a, f.size + 1);
        must(rf_tar_in_read(&t, p, f.size, &got, &err), &err);
        struct rf_str bytes = { p, got };
        if (strcmp(f.name, "session.jsonl") == 0)
            bytes = without(a, bytes, "\"updated\":");
        all = rf_str_join(a, all, rf_strf(a, "%s\n", f.name));
        all = rf_str_join(a, all, bytes);
    }
    close(fd);
    return all;
}

static const struct trip {
    const char *name, *from, *to, *blobs; /* where PostgreSQL has them */
} trips[] = {
    { "SQLite to SQLite", "sqlite", "sqlite", NULL },
    { "SQLite to PostgreSQL", "sqlite", "postgres", "database" },
    { "PostgreSQL to SQLite", "postgres", "sqlite", "database" },
    { "PostgreSQL to PostgreSQL", "postgres", "postgres", "database" },
    { "PostgreSQL with its blobs in a folder", "postgres", "postgres", "folder" },
};

static bool is_there(const struct trip *t)
{
    bool wants_server = !strcmp(t->from, "postgres") || !strcmp(t->to, "postgres");
    if (wants_server && !server_address())
        print_message("skipped: REFRACT_TEST_POSTGRES is not set\n");
    return !wants_server || server_address();
}

static const char *blobs_of(const struct trip *t, const struct place *p)
{
    return t->blobs && !strcmp(t->blobs, "folder") ? in_folder(p->arena, p->folder, "blobs")
                                                   : t->blobs;
}

static void see_session(void *ctx, const struct rf_session_info *i)
{
    struct rf_session_info *out = ctx;
    out->messages += i->messages;
    out->files += i->files;
    out->input_tokens += i->input_tokens;
    out->output_tokens += i->output_tokens;
    out->parent_messages++; /* so many sessions */
}

static struct rf_session_info sum_of(struct rf_store *s)
{
    struct rf_session_info sum = { 0 };
    struct rf_err err = { 0 };
    must(rf_store_list(s, 0, see_session, &sum, &err), &err);
    return sum;
}

static void check_trip(void **state)
{
    const struct trip *t = *state;
    struct rf_session *session;
    struct rf_err err = { 0 };
    char id[RF_SESSION_ID_SIZE], again[RF_SESSION_ID_SIZE];
    if (!is_there(t))
        skip();
    struct place *from = place_new(t->from), *to = place_new(t->to);
    struct rf_store *first = open_store(from, blobs_of(t, from));
    struct rf_store *second = open_store(to, blobs_of(t, to));
    const char *there = in_folder(from->arena, from->folder, "there.tar");
    const char *back = in_folder(from->arena, from->folder, "back.tar");
    const char *twice = in_folder(from->arena, from->folder, "twice.tar");

    must(rf_session_new(first, &session, &err), &err);
    fill(session, from);
    use_first_file(session);
    export_to(first, rf_session_id(session), there);
    must(import_from(second, there, id, &err), &err);
    assert_string_equal(id, rf_session_id(session)); /* nobody had it */
    export_to(second, id, back);
    struct rf_str was = contents(from->arena, there);
    assert_true(rf_str_contains(was, RF_STR("\"dropped\":[\"sha256:")));
    assert_true(rf_str_contains(was, RF_STR("\"model\":\"some-model\"")));
    assert_true(rf_str_contains(was, RF_STR("\"provider\":\"anywhere\",\"reason\":\"not so\"")));
    assert_false(rf_str_contains(was, RF_STR("elsewhere"))); /* it takes no file away there */
    assert_true(rf_str_contains(was, RF_STR("kept for good")));
    assert_false(rf_str_contains(was, RF_STR("source_path")));
    assert_str(contents(from->arena, back), rf_cstr(from->arena, was));

    struct rf_session_info one = sum_of(first), two = sum_of(second);
    assert_int_equal(two.messages, 4);
    assert_int_equal(two.files, one.files);
    assert_int_equal(two.files, 3); /* the picture, the notes, the long text */
    assert_int_equal(two.input_tokens, 7);
    assert_int_equal(two.output_tokens, 8);

    must(import_from(second, there, again, &err), &err);
    assert_string_not_equal(again, id); /* now somebody has it */
    export_to(second, again, twice);
    assert_int_equal(sum_of(second).parent_messages, 2);
    rf_session_close(session);
    rf_store_close(first);
    rf_store_close(second);
    place_free(to);
    place_free(from);
}

static void through_a_pipe(void **state)
{
    struct place *p = *state;
    struct rf_store *store = open_store(p, "database");
    struct rf_session *session;
    struct rf_err err = { 0 };
    char id[RF_SESSION_ID_SIZE];
    int ends[2], status;
    must(rf_session_new(store, &session, &err), &err);
    fill(session, p);
    const char *name = rf_cstr(p->arena, rf_str(rf_session_id(session)));
    rf_session_close(session);
    rf_store_close(store);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        store = open_store(p, "database");
        must(rf_session_open(store, name, false, &session, &err), &err);
        enum rf_code rc = rf_session_export(session, ends[1], &err);
        rf_session_close(session);
        rf_store_close(store);
        _exit(rc ? 1 : 0);
    }
    close(ends[1]);
    store = open_store(p, "database");
    must(rf_store_import(store, ends[0], id, &err), &err);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(sum_of(store).parent_messages, 2);
    rf_store_close(store);
}

/* Exports that fail */

static void export_fails(void **state)
{
    struct place *p = *state;
    struct rf_store *store = open_store(p, "database");
    struct rf_session *session;
    struct rf_err err = { 0 };
    char text[80] = "";
    struct rf_hash hash;
    struct rf_blob_row row;
    const char *path = in_folder(p->arena, p->folder, "out.tar");
    int fd = new_file(path), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    must(rf_session_new(store, &session, &err), &err);
    assert_int_equal(rf_session_export(session, fd, &err), RF_ENOTFOUND); /* nothing is in it */
    fill(session, p);
    assert_int_equal(rf_session_export(session, full, &err), RF_EIO);
    assert_string_equal(err.msg, "could not write the archive: No space left on device");
    must(rf_session_files(session, take_first, text, &err), &err);
    assert_true(rf_hash_read(rf_str(text), &hash));
    must(rf_store_find_blob(store, &hash, p->arena, &row, &err), &err);
    must(rf_blobs_remove(store->blobs, &hash, row.object, &err), &err);
    assert_int_equal(rf_session_export(session, fd, &err), RF_ENOTFOUND);
    assert_non_null(strstr(err.msg, "is not in the store any more"));
    assert_int_equal(lseek(fd, 0, SEEK_END), 0); /* nothing was written */
    close(fd);
    close(full);
    rf_session_close(session);
    rf_store_close(store);
}

/* Hostile archives. ' stands for " in the lines. */

#define HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define HEAD(more) "{'refract_session':1,'id':'20260101-abcdef','messages':1" more "}\n"
#define LINE "{'created':5,'message':{'role':'user','content':'x'}}\n"
#define ONE HEAD("") LINE
#define WITH_HELLO HEAD(",'blobs':[{'blob':'sha256:" HELLO "','size':5}]") LINE
#define SETTINGS(list) HEAD(",'settings':[" list "]") LINE

struct entry {
    const char *name, *bytes;
    char type;        /* '0' where it is not given */
    const char *size; /* another than that of the bytes, as 11 digits */
};

#define PLAIN(name, bytes)   \
    {                        \
        name, bytes, 0, NULL \
    }
#define TYPED(name, bytes, type) \
    {                            \
        name, bytes, type, NULL  \
    }
#define BLOB(hash, bytes) PLAIN("blobs/" hash, bytes)

enum flaw {
    NONE,
    CUT,      /* the last 1000 bytes are missing */
    NO_END,   /* the two blocks of zeros are missing */
    MORE,     /* something stands after the end */
    CHECKSUM, /* a byte of the first header is another */
    PADDED,   /* with zeros, as tar does */
};

static const struct hostile {
    const char *name;
    struct entry entries[4];
    enum flaw flaw;
    enum rf_code want;
    const char *words; /* of the message */
} hostiles[] = {
    { "a good one", { PLAIN("session.jsonl", ONE) }, NONE, RF_OK, "" },
    { "a good one with padding", { PLAIN("session.jsonl", ONE) }, PADDED, RF_OK, "" },
    { "a good one with a blob",
      { PLAIN("session.jsonl", WITH_HELLO), BLOB(HELLO, "hello") },
      NONE,
      RF_OK,
      "" },
    { "other bytes than its hash",
      { PLAIN("session.jsonl", WITH_HELLO), BLOB(HELLO, "jello") },
      NONE,
      RF_EFORMAT,
      "are not those of its name" },
    { "a blob that is not announced",
      { PLAIN("session.jsonl", ONE), BLOB(HELLO, "hello") },
      NONE,
      RF_EFORMAT,
      "that it does not announce" },
    { "another blob than announced",
      { PLAIN("session.jsonl", WITH_HELLO), BLOB(ABC, "abc") },
      NONE,
      RF_EFORMAT,
      "that it does not announce" },
    { "a blob twice",
      { PLAIN("session.jsonl", WITH_HELLO), BLOB(HELLO, "hello"), BLOB(HELLO, "hello") },
      NONE,
      RF_EFORMAT,
      "twice" },
    { "a blob is missing",
      { PLAIN("session.jsonl", WITH_HELLO) },
      NONE,
      RF_EFORMAT,
      "it lacks a blob" },
    { "a blob of another size",
      { PLAIN("session.jsonl", WITH_HELLO), BLOB(HELLO, "hello!") },
      NONE,
      RF_EFORMAT,
      "another size" },
    { "a blob is announced twice",
      { PLAIN("session.jsonl", HEAD(",'blobs':[{'blob':'sha256:" HELLO "','size':5},"
                                    "{'blob':'sha256:" HELLO "','size':5}]") LINE),
        BLOB(HELLO, "hello") },
      NONE,
      RF_EFORMAT,
      "announces a blob twice" },
    { "a blob over the limit",
      { PLAIN("session.jsonl", HEAD(",'blobs':[{'blob':'sha256:" HELLO "','size':50001}]") LINE) },
      NONE,
      RF_ELIMIT,
      "has 50001 bytes, limit is 50000" },
    { "a blob whose name is a path",
      { PLAIN("session.jsonl", HEAD(",'blobs':[{'blob':'../../x','size':5}]") LINE) },
      NONE,
      RF_EFORMAT,
      "blobs[0]: this is not the name of a blob" },
    { "the session is not first",
      { BLOB(HELLO, "hello"), PLAIN("session.jsonl", WITH_HELLO) },
      NONE,
      RF_EFORMAT,
      "its first file is not session.jsonl" },
    { "a session twice",
      { PLAIN("session.jsonl", ONE), PLAIN("session.jsonl", ONE) },
      NONE,
      RF_EFORMAT,
      "that it does not announce" },
    { "a file of another name",
      { PLAIN("session.jsonl", ONE), PLAIN("notes.txt", "x") },
      NONE,
      RF_EFORMAT,
      "that it does not announce" },
    { "a name that leads up",
      { PLAIN("session.jsonl", WITH_HELLO), PLAIN("blobs/../../" HELLO, "hello") },
      NONE,
      RF_EFORMAT,
      "which is refused" },
    { "an absolute name", { PLAIN("/session.jsonl", ONE) }, NONE, RF_EFORMAT, "which is refused" },
    { "a name with an escape",
      { PLAIN("session\033[31m.jsonl", ONE) },
      NONE,
      RF_EFORMAT,
      "\"session?[31m.jsonl\", which is refused" },
    { "a symbolic link",
      { TYPED("session.jsonl", "", '2') },
      NONE,
      RF_EFORMAT,
      "holds a symbolic link, \"session.jsonl\"" },
    { "a hard link", { TYPED("session.jsonl", "", '1') }, NONE, RF_EFORMAT, "holds a hard link" },
    { "a device", { TYPED("session.jsonl", "", '3') }, NONE, RF_EFORMAT, "holds a device" },
    { "a folder", { TYPED("blobs", "", '5') }, NONE, RF_EFORMAT, "holds a folder" },
    { "a pipe", { TYPED("session.jsonl", "", '6') }, NONE, RF_EFORMAT, "holds a pipe" },
    { "a long name", { TYPED("././@LongLink", "x", 'L') }, NONE, RF_EFORMAT, "which is refused" },
    { "an extended header", { TYPED("head", "x", 'x') }, NONE, RF_EFORMAT, "not a plain file" },
    { "a size that promises too much",
      { { "session.jsonl", ONE, '0', "77777777777" } },
      NONE,
      RF_ELIMIT,
      "session.jsonl has 8589934591 bytes" },
    { "a size that is not a number",
      { { "session.jsonl", ONE, '0', "0000000009x" } },
      NONE,
      RF_EFORMAT,
      "a size that is none" },
    { "a size in another notation",
      { { "session.jsonl", ONE, '0', "\200\1\1\1\1\1\1\1\1\1\1" } },
      NONE,
      RF_EFORMAT,
      "a size that is none" },
    { "cut off",
      { PLAIN("session.jsonl", WITH_HELLO), BLOB(HELLO, "hello") },
      CUT,
      RF_EFORMAT,
      "is cut off" },
    { "without an end", { PLAIN("session.jsonl", ONE) }, NO_END, RF_EFORMAT, "is cut off" },
    { "with something after it",
      { PLAIN("session.jsonl", ONE) },
      MORE,
      RF_EFORMAT,
      "goes on after" },
    { "a wrong checksum",
      { PLAIN("session.jsonl", ONE) },
      CHECKSUM,
      RF_EFORMAT,
      "a checksum is wrong" },
    { "an archive of nothing", { PLAIN(NULL, NULL) }, NONE, RF_EFORMAT, "its first file is not" },
    { "an empty session",
      { PLAIN("session.jsonl", "") },
      NONE,
      RF_EFORMAT,
      "session.jsonl is empty" },
    { "a line that is not JSON",
      { PLAIN("session.jsonl", HEAD("") "nonsense\n") },
      NONE,
      RF_EFORMAT,
      "session.jsonl, line 2: " },
    { "a line that is not an object",
      { PLAIN("session.jsonl", HEAD("") "[1]\n") },
      NONE,
      RF_EFORMAT,
      "session.jsonl, line 2: expected an object" },
    { "a message that is none",
      { PLAIN("session.jsonl", HEAD("") "{'message':{'role':'king','content':'x'}}\n") },
      NONE,
      RF_EFORMAT,
      "session.jsonl, line 2: message.role" },
    { "a message without one",
      { PLAIN("session.jsonl", HEAD("") "{'created':1}\n") },
      NONE,
      RF_EFORMAT,
      "session.jsonl, line 2: " },
    { "a newer version",
      { PLAIN("session.jsonl",
              "{'refract_session':2,'id':'20260101-abcdef','messages':1}\n" LINE) },
      NONE,
      RF_EFORMAT,
      "has version 2" },
    { "a conversation instead",
      { PLAIN("session.jsonl", "{'refract':1,'messages':[]}\n") },
      NONE,
      RF_EFORMAT,
      "session.jsonl, line 1: " },
    { "no messages",
      { PLAIN("session.jsonl", "{'refract_session':1,'id':'20260101-abcdef','messages':0}\n") },
      NONE,
      RF_EFORMAT,
      "it has no messages" },
    { "fewer messages", { PLAIN("session.jsonl", HEAD("")) }, NONE, RF_EFORMAT, "fewer messages" },
    { "more messages", { PLAIN("session.jsonl", ONE LINE) }, NONE, RF_EFORMAT, "more messages" },
    { "an id that is a path",
      { PLAIN("session.jsonl", "{'refract_session':1,'id':'../../x','messages':1}\n" LINE) },
      NONE,
      RF_EFORMAT,
      "id: this is not one" },
    { "an id that is a word",
      { PLAIN("session.jsonl", "{'refract_session':1,'id':'last','messages':1}\n" LINE) },
      NONE,
      RF_EFORMAT,
      "id: this is not one" },
    { "an id that is an option",
      { PLAIN("session.jsonl", "{'refract_session':1,'id':'--json','messages':1}\n" LINE) },
      NONE,
      RF_EFORMAT,
      "id: this is not one" },
    { "an id with a NUL",
      { PLAIN("session.jsonl", "{'refract_session':1,'id':'a-b\\u0000c','messages':1}\n" LINE) },
      NONE,
      RF_EFORMAT,
      "id: this is not one" },
    { "settings that are none",
      { PLAIN("session.jsonl", SETTINGS("{'from':0,'body':{'tools':7}}")) },
      NONE,
      RF_EFORMAT,
      "the settings: " },
    { "settings out of order",
      { PLAIN("session.jsonl", SETTINGS("{'from':1,'body':{}},{'from':0,'body':{}}")) },
      NONE,
      RF_EFORMAT,
      "settings[1]: from: " },
    { "settings after the end",
      { PLAIN("session.jsonl", SETTINGS("{'from':2,'body':{}}")) },
      NONE,
      RF_EFORMAT,
      "settings after its last message" },
    { "settings of another shape",
      { PLAIN("session.jsonl", SETTINGS("7")) },
      NONE,
      RF_EFORMAT,
      "settings[0]: expected an object" },
};

static void write_checksum(unsigned char *header)
{
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++)
        sum += header[i];
    snprintf((char *)header + 148, 8, "%06o", sum);
}

/* Write the header that stands at `at` again, as the row has it. */
static void forge(int fd, off_t at, const struct entry *e)
{
    unsigned char header[512];
    assert_int_equal(pread(fd, header, sizeof header, at), sizeof header);
    if (e->type)
        header[156] = (unsigned char)e->type;
    if (e->size)
        memcpy(header + 124, e->size, 11);
    write_checksum(header);
    assert_int_equal(pwrite(fd, header, sizeof header, at), sizeof header);
}

static void spoil(int fd, enum flaw flaw)
{
    off_t end = lseek(fd, 0, SEEK_END);
    switch (flaw) {
    case NONE:
        break;
    case CUT:
        assert_int_equal(ftruncate(fd, end - 1100), 0);
        break;
    case NO_END:
        assert_int_equal(ftruncate(fd, end - 1024), 0);
        break;
    case MORE:
        assert_int_equal(write(fd, "\0\0more", 6), 6);
        break;
    case CHECKSUM:
        assert_int_equal(pwrite(fd, "X", 1, 3), 1);
        break;
    case PADDED:
        assert_int_equal(ftruncate(fd, 10240), 0);
        break;
    }
}

static const char *write_archive(struct place *p, const struct entry *entries, enum flaw flaw)
{
    const char *path = in_folder(p->arena, p->folder, "hostile.tar");
    int fd = new_file(path);
    struct rf_tar_out t;
    struct rf_err err = { 0 };
    rf_tar_out_init(&t, fd);
    for (size_t i = 0; i < 4 && entries[i].name; i++) {
        struct rf_str bytes = quoted(p->arena, entries[i].bytes);
        off_t at = lseek(fd, 0, SEEK_CUR) + (off_t)t.fill;
        must(rf_tar_out_next(&t, entries[i].name, bytes.n, 0, &err), &err);
        must(rf_tar_out_bytes(&t, bytes, &err), &err);
        if (entries[i].type || entries[i].size)
            forge(fd, at, &entries[i]);
    }
    must(rf_tar_out_finish(&t, &err), &err);
    spoil(fd, flaw);
    close(fd);
    return path;
}

static enum rf_code see_number(void *ctx, const struct rf_sql_value *columns, size_t count,
                               struct rf_err *err)
{
    (void)count, (void)err;
    *(int64_t *)ctx = columns[0].number;
    return RF_OK;
}

/* Rows in all tables that a session has something in, and blobs that a gc leaves. */
static int64_t count_rows(struct rf_store *s)
{
    static const char *const statements[] = {
        "SELECT COUNT(*) FROM sessions", "SELECT COUNT(*) FROM messages",
        "SELECT COUNT(*) FROM settings", "SELECT COUNT(*) FROM media",
        "SELECT COUNT(*) FROM dropped",  "SELECT COUNT(*) FROM sent",
        "SELECT COUNT(*) FROM blobs",    "SELECT COUNT(*) FROM refused",
    };
    struct rf_gc gc;
    struct rf_err err = { 0 };
    int64_t all = 0, n;
    must(rf_store_gc(s, 0, &gc, &err), &err);
    for (size_t i = 0; i < COUNT(statements); i++) {
        must(rf_sql_run(s->sql, statements[i], NULL, 0, see_number, &n, &err), &err);
        all += n;
    }
    return all;
}

/* All rows are checked against one store an engine: a refused archive leaves it as it was. */
static void refuses_hostile_archives(void **state)
{
    struct place *p = *state;
    struct rf_store *store = open_store(p, "database");
    char id[RF_SESSION_ID_SIZE];
    for (size_t i = 0; i < COUNT(hostiles); i++) {
        const struct hostile *row = &hostiles[i];
        struct rf_err err = { 0 };
        const char *path = write_archive(p, row->entries, row->flaw);
        enum rf_code rc = import_from(store, path, id, &err);
        if (rc != row->want || !strstr(err.msg, row->words))
            fail_msg("%s: %s: %s", row->name, rf_code_name(rc), rc ? err.msg : id);
        if (!rc)
            must(rf_store_remove(store, id, NULL, &err), &err);
        if (count_rows(store) != 0)
            fail_msg("%s: something was left behind", row->name);
    }
    rf_store_close(store);
}

/* What leads out of the archive */

static struct rf_str document_of(struct rf_store *store, const char *id, struct rf_arena *a)
{
    struct rf_session *s;
    struct rf_conversation *c;
    struct rf_str json;
    struct rf_err err = { 0 };
    must(rf_session_open(store, id, false, &s, &err), &err);
    must(rf_session_conversation(s, &c, &err), &err);
    must(rf_conversation_write(c, &json, &err), &err);
    json = rf_str_dup(a, json);
    rf_conversation_free(c);
    rf_session_close(s);
    return json;
}

static void an_archive_reaches_nothing(void **state)
{
    struct place *p = *state;
    struct rf_store *store = open_store(p, "database");
    struct rf_session *victim;
    struct rf_err err = { 0 };
    char id[RF_SESSION_ID_SIZE];
    const char *secret = in_folder(p->arena, p->folder, "secret.txt");
    write_file(secret, RF_STR("abc"));
    must(rf_session_new(store, &victim, &err), &err);
    append(victim, p->arena, "{'role':'user','content':[{'type':'document','data':'YWJj'}]}");
    struct entry entries[4] = { PLAIN("session.jsonl", NULL) };
    entries[0].bytes = rf_strf(p->arena,
                               HEAD("") "{'message':{'role':'tool','tool_call_id':'c','name':'n',"
                                        "'output':'o','full_output':'sha256:" ABC "',"
                                        "'content_blocks':["
                                        "{'type':'document','source_path':'%s',"
                                        "'text_fallback':'words for it'},"
                                        "{'type':'image','name':'other','blob':'sha256:" ABC "'},"
                                        "{'type':'image','file_id':'f','provider':'p',"
                                        "'blob':'sha256:" ABC "'},"
                                        "{'type':'text','text':'t','full_text':'sha256:" ABC "'}"
                                        "]}}\n",
                               secret)
                           .p;
    must(import_from(store, write_archive(p, entries, NONE), id, &err), &err);
    struct rf_str json = document_of(store, id, p->arena);
    assert_false(rf_str_contains(json, RF_STR(ABC)));
    assert_false(rf_str_contains(json, RF_STR("source_path")));
    assert_true(rf_str_contains(json, RF_STR("the session was imported without it")));
    assert_true(rf_str_contains(json, RF_STR("words for it")));
    assert_true(rf_str_contains(json, RF_STR("\"file_id\":\"f\"")));
    assert_int_equal(sum_of(store).files, 1); /* the other session's own */
    rf_session_close(victim);
    rf_store_close(store);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_a_pipe),
        cmocka_unit_test(export_fails),
        cmocka_unit_test(refuses_hostile_archives),
        cmocka_unit_test(an_archive_reaches_nothing),
    };
    static struct CMUnitTest all[COUNT(trips) + ENGINES * COUNT(tests)];
    name_rows(all, check_trip, trips, COUNT(trips), sizeof *trips);
    over_engines(tests, COUNT(tests), all + COUNT(trips));
    return cmocka_run_group_tests(all, NULL, NULL);
}
