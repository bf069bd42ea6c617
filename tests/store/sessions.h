/* Sessions for tests: stores at a place of engines.h, messages in short, calls that must succeed. */
#ifndef TESTS_STORE_SESSIONS_H
#define TESTS_STORE_SESSIONS_H

#include "store/store.h"

#include "engines.h"

/* Succeeds, or says why not. */
#define good(call) check_good(call, &test_err, __FILE__, __LINE__)
/* Fails with this code, and says words like these. */
#define bad(call, code, words) check_bad(call, code, words, &test_err, __FILE__, __LINE__)

static struct rf_err test_err;

static inline void check_good(enum rf_code rc, const struct rf_err *err, const char *file, int line)
{
    if (rc)
        print_error("%s:%d: %s: %s\n", file, line, rf_code_name(rc), err->msg);
    _assert_int_equal(rc, RF_OK, file, line);
}

static inline void check_bad(enum rf_code rc, enum rf_code want, const char *words,
                             const struct rf_err *err, const char *file, int line)
{
    _assert_int_equal(rc, want, file, line);
    if (!strstr(err->msg, words)) {
        print_error("%s:%d: \"%s\" is not in: %s\n", file, line, words, err->msg);
        _fail(file, line);
    }
}

/* The folder of the blobs, for either engine, unless they are in a bucket. */
static inline const char *blobs_of(const struct place *p)
{
    return p->schema ? in_folder(p->arena, p->folder, "blobs")
                     : in_folder(p->arena, p->address, "blobs");
}

static inline struct rf_store *store_at(const struct place *p)
{
    const struct rf_store_options options = {
        .address = p->address,
        .blobs = p->bucket ? p->bucket : blobs_of(p),
        .bucket = rf_bucket_open,
        .cache = in_folder(p->arena, p->folder, "cache"),
        .file_bytes = RF_STORE_FILE_BYTES,
        .text_bytes = RF_STORE_TEXT_BYTES,
    };
    struct rf_store *s;
    good(rf_store_make(&options, &s, &test_err));
    return s;
}

static inline struct rf_session *session_at(struct rf_store *store)
{
    struct rf_session *s;
    good(rf_session_new(store, &s, &test_err));
    return s;
}

static inline struct rf_session *reopen(struct rf_store *store, const char *id, bool to_write)
{
    struct rf_session *s;
    good(rf_session_open(store, id, to_write, &s, &test_err));
    return s;
}

/* A message of JSON with ' for ". */
static inline enum rf_code append(struct rf_session *s, const char *message)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = rf_session_append(s, quoted(a, message), &test_err);
    rf_arena_free(a);
    return rc;
}

static inline enum rf_code say(struct rf_session *s, const char *words)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = append(s, rf_strf(a, "{'role':'user','content':'%s'}", words).p);
    rf_arena_free(a);
    return rc;
}

/* All of the session as a neutral document, in the arena of the place. */
static inline struct rf_str document_of(const struct place *p, struct rf_session *s)
{
    struct rf_conversation *c;
    struct rf_str text;
    good(rf_session_conversation(s, &c, &test_err));
    good(rf_conversation_write(c, &text, &test_err));
    text = rf_str_dup(p->arena, text);
    rf_conversation_free(c);
    return text;
}

static inline void assert_document(const struct place *p, struct rf_session *s, const char *want)
{
    assert_str(document_of(p, s), rf_cstr(p->arena, quoted(p->arena, want)));
}

static inline enum rf_code take_count(void *ctx, const struct rf_sql_value *columns, size_t count,
                                      struct rf_err *err)
{
    (void)count, (void)err;
    *(int64_t *)ctx = columns[0].number;
    return RF_OK;
}

/* The number that a statement without values gives. */
static inline int64_t ask_number(struct rf_store *s, const char *statement)
{
    int64_t n = -1;
    good(rf_sql_run(s->sql, statement, NULL, 0, take_count, &n, &test_err));
    return n;
}

/* The sessions as they are listed: "ID ID ". */
static inline void add_id(void *ctx, const struct rf_session_info *i)
{
    char *out = ctx;
    size_t n = strlen(out);
    snprintf(out + n, 200 - n, "%.*s ", RF_FMT(i->id));
}

#endif
