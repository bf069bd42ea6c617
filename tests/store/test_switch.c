/* One session, several models: each request is made anew from the same messages. A model gets its own
 * thoughts back byte for byte and nobody else does; pictures become notes where nobody sees and come
 * back where somebody does; files that another provider has go out as bytes; what was dropped or refused
 * stays away. The store is the same after all of it, to the byte. */
#include "base/buf.h"

#include "sessions.h"

#include "../source/files.h"

#define FIRST "anthropic:claude-sonnet-4-5"
#define SECOND "anthropic:claude-opus-4-1"
#define BLIND "ollama:llama3.1"
#define GEMINI "google:gemini-3-pro"
#define THOUGHT "{'type':'thinking','thinking':'A red one, I think.','signature':'c2lnbmF0dXJl'}"
#define BACK "[To be seen now, and not by the model that answered before: \\\"photo.png\\\"]"

static struct rf_model *model_of(const char *name)
{
    struct rf_model *m;
    good(rf_model_open(NULL, name, &m, &test_err));
    return m;
}

/* What `model` would be sent now: a process of its own would see the same. */
static struct rf_str body_for(const struct place *p, const char *id, const char *model)
{
    struct rf_store *store = store_at(p);
    struct rf_session *s = reopen(store, id, false);
    struct rf_request_options *o = rf_request_options_new();
    struct rf_model *m = model_of(model);
    struct rf_conversation *c;
    struct rf_request *r;
    FILE *f = tmpfile();
    assert_non_null(f);
    rf_request_options_as_is(o);
    good(rf_session_conversation(s, &c, &test_err));
    good(rf_request_build(c, m, o, &r, &test_err));
    good(rf_request_write(r, fileno(f), &test_err));
    size_t n = (size_t)rf_request_length(r);
    char *text = rf_arena_alloc(p->arena, n + 1);
    rewind(f);
    assert_int_equal(fread(text, 1, n, f), n);
    fclose(f);
    rf_request_free(r);
    rf_conversation_free(c);
    rf_model_close(m);
    rf_request_options_free(o);
    rf_session_close(s);
    rf_store_close(store);
    return (struct rf_str){ text, n };
}

static bool has(struct rf_str body, const char *words)
{
    return rf_str_contains(body, rf_str(words));
}

static void assert_has(struct rf_str body, const char *words, bool wanted)
{
    if (has(body, words) != wanted)
        fail_msg("%s: %s\n%.*s", wanted ? "not there" : "there", words,
                 (int)(body.n < 3000 ? body.n : 3000), body.p);
}

static struct rf_str base64_of(const struct place *p)
{
    return to_base64(p->arena, RF_STR(PNG_BYTES));
}

static void answer(struct rf_session *s, struct rf_arena *a, const char *provider,
                   const char *model, const char *blocks)
{
    good(append(
        s, rf_strf(a, "{'role':'assistant','origin':{'provider':'%s','model':'%s'},'content':[%s]}",
                   provider, model, blocks)
               .p));
}

#define SAID(words) "{'type':'text','text':'" words "'}"

/* A picture is read, its file goes, and a model with thoughts has seen it. */
static const char *first_turns(const struct place *p, struct rf_store *store)
{
    struct rf_session *s = session_at(store);
    const char *photo = in_folder(p->arena, p->folder, "photo.png");
    write_file(photo, RF_STR(PNG_BYTES));
    rf_session_folders(s, p->folder, p->folder);
    good(say(s, "What is on photo.png?"));
    answer(s, p->arena, "anthropic", "claude-sonnet-4-5",
           THOUGHT
           ",{'type':'tool_call','id':'c1','name':'view_image','arguments':{'path':'photo.png'}}");
    good(append(s, "{'role':'tool','tool_call_id':'c1','name':'view_image','output':'here',"
                   "'content_blocks':[{'type':'image','source_path':'photo.png'}]}"));
    unlink(photo);
    const char *id = rf_cstr(p->arena, rf_str(rf_session_id(s)));
    rf_session_close(s);
    return id;
}

static void go_on(struct rf_store *store, const char *id, struct rf_arena *a, const char *provider,
                  const char *model, const char *words, const char *reply)
{
    struct rf_session *s = reopen(store, id, true);
    answer(s, a, provider, model, words);
    good(say(s, reply));
    rf_session_close(s);
}

static enum rf_code add_row(void *ctx, const struct rf_sql_value *columns, size_t count,
                            struct rf_err *err)
{
    struct rf_buf *b = ctx;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        rf_buf_addf(b, "%lld|", (long long)columns[i].number);
        rf_buf_add(b, columns[i].text);
    }
    rf_buf_addc(b, '\n');
    return RF_OK;
}

/* All that a projection must not change. */
static struct rf_str dump(const struct place *p, struct rf_store *store)
{
    static const char *const statements[] = {
        "SELECT * FROM sessions ORDER BY id",
        "SELECT * FROM messages ORDER BY session, number",
        "SELECT * FROM settings ORDER BY session, number",
        "SELECT * FROM media ORDER BY session, number, place",
        "SELECT * FROM blobs ORDER BY hash",
        "SELECT * FROM dropped",
        "SELECT * FROM refused",
        "SELECT * FROM sent",
    };
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, p->arena, SIZE_MAX);
    for (size_t i = 0; i < COUNT(statements); i++)
        good(rf_sql_run(store->sql, statements[i], NULL, 0, add_row, &b, &test_err));
    good(rf_buf_finish(&b, &out, &test_err));
    return out;
}

/* Up to where the two begin to differ. */
static size_t common(struct rf_str x, struct rf_str y)
{
    size_t n = 0;
    while (n < x.n && n < y.n && x.p[n] == y.p[n])
        n++;
    return n;
}

static void five_models(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    const char *id = first_turns(p, store), *png = base64_of(p).p;
    struct rf_str first = body_for(p, id, FIRST), body;
    assert_has(first, png, true);
    assert_has(first, "\"signature\":\"c2lnbmF0dXJl\"", true);

    go_on(store, id, p->arena, "anthropic", "claude-sonnet-4-5", SAID("A red square."),
          "Are you sure?");
    body = body_for(p, id, BLIND);
    assert_has(body, png, false);
    assert_has(body, "was not sent: ollama:llama3.1 takes no image/png", true);
    assert_has(body, "c2lnbmF0dXJl", false);
    assert_has(body, "A red one, I think.", false);

    go_on(store, id, p->arena, "ollama", "llama3.1", SAID("I cannot see it."), "Then you, please.");
    struct rf_str before = dump(p, store);
    body = body_for(p, id, SECOND);
    assert_has(body, png, true);
    assert_has(body, BACK, true);
    assert_has(body, "c2lnbmF0dXJl", false);

    go_on(store, id, p->arena, "anthropic", "claude-opus-4-1", SAID("It is red."), "And you?");
    body = body_for(p, id, GEMINI);
    assert_has(body, png, true);
    assert_has(body, "c2lnbmF0dXJl", false);
    assert_has(body, BACK, true); /* where it was said first, and nowhere else */

    go_on(store, id, p->arena, "google", "gemini-3-pro", SAID("Red."), "Thank you.");
    before = dump(p, store);
    body = body_for(p, id, FIRST);
    assert_has(body, png, true);
    assert_has(body,
               "{\"type\":\"thinking\",\"thinking\":\"A red one, I think.\","
               "\"signature\":\"c2lnbmF0dXJl\"}",
               true);
    const char *end = memmem(first.p, first.n, png, strlen(png)); /* in its last message */
    assert_true(common(first, body) >= (size_t)(end - first.p) + strlen(png));
    assert_str(body_for(p, id, FIRST), rf_cstr(p->arena, body));
    assert_str(dump(p, store), rf_cstr(p->arena, before));
    rf_store_close(store);
}

/* The line stands where sight came back, and a model that is blind itself is told nothing. */
static void nobody_is_told_too_much(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    const char *id = first_turns(p, store);
    assert_has(body_for(p, id, FIRST), "To be seen now", false);
    go_on(store, id, p->arena, "ollama", "llama3.1", SAID("No."), "Again?");
    assert_has(body_for(p, id, BLIND), "To be seen now", false);
    assert_has(body_for(p, id, FIRST), BACK, true);
    go_on(store, id, p->arena, "ollama", "llama3.1", SAID("No."), "And you?");
    struct rf_str body = body_for(p, id, FIRST);
    const char *at = memmem(body.p, body.n, BACK, strlen(BACK));
    const char *said = memmem(body.p, body.n, "And you?", 8);
    const char *again = memmem(body.p, body.n, "Again?", 6);
    assert_true(at && said && again && again < at && at < said);
    rf_store_close(store);
}

static void take_id(void *ctx, const struct rf_session_file *f)
{
    snprintf(ctx, 64, "%.*s", RF_FMT(f->id));
}

static void dropped_and_kept(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    const char *id = first_turns(p, store), *png = base64_of(p).p;
    struct rf_session *s = reopen(store, id, true);
    bad(rf_session_drop(s, "att_000000000000", &test_err), RF_ENOTFOUND, "att_000000000000");
    char file[64] = "";
    good(rf_session_files(s, take_id, file, &test_err));
    good(rf_session_drop(s, file, &test_err));
    rf_session_close(s);
    struct rf_str body = body_for(p, id, FIRST);
    assert_has(body, png, false);
    assert_has(body, "was not sent: it was taken out of this session.]", true);
    s = reopen(store, id, true);
    good(rf_session_keep(s, file, &test_err));
    rf_session_close(s);
    assert_has(body_for(p, id, FIRST), png, true);
    rf_store_close(store);
}

/* A provider that took it for broken gets a note from then on, and nobody else does. */
static void refused_and_lifted(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    const char *id = first_turns(p, store), *png = base64_of(p).p;
    struct rf_session *s = reopen(store, id, true);
    char file[64] = "";
    good(rf_session_files(s, take_id, file, &test_err));
    good(rf_session_quarantine(s, file, "anthropic", RF_STR("Could not process image"), &test_err));
    rf_session_close(s);
    struct rf_str body = body_for(p, id, FIRST);
    assert_has(body, png, false);
    assert_has(body, "was not sent: anthropic refused it (Could not process image).]", true);
    assert_has(body_for(p, id, GEMINI), png, true);
    s = reopen(store, id, true);
    good(rf_session_lift(s, file, NULL, &test_err));
    rf_session_close(s);
    assert_has(body_for(p, id, FIRST), png, true);
    rf_store_close(store);
}

/* A file that one provider has is sent to another as the bytes that were kept of it. */
static void a_file_id_for_one_and_bytes_for_others(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    const char *png = base64_of(p).p, *id = rf_cstr(p->arena, rf_str(rf_session_id(s)));
    good(append(s, rf_strf(p->arena,
                           "{'role':'user','content':[{'type':'text','text':'first'},"
                           "{'type':'image','data':'%s'}]}",
                           png)
                       .p));
    struct rf_str document = document_of(p, s), rest, hash;
    const char *at = memmem(document.p, document.n, "sha256:", 7);
    assert_non_null(at);
    rest = (struct rf_str){ at, (size_t)(document.p + document.n - at) };
    rf_str_split(&rest, '"', &hash);
    answer(s, p->arena, "anthropic", "claude-sonnet-4-5", SAID("Yes."));
    good(append(s, rf_strf(p->arena,
                           "{'role':'user','content':[{'type':'text','text':'now this'},"
                           "{'type':'image','file_id':'file_42','provider':'anthropic',"
                           "'media_type':'image/png','blob':'%.*s'}]}",
                           RF_FMT(hash))
                       .p));
    rf_session_close(s);
    struct rf_str body = body_for(p, id, FIRST), other = body_for(p, id, GEMINI);
    assert_has(body, "file_42", true);
    assert_has(other, "file_42", false);
    const char *once = memmem(other.p, other.n, png, strlen(png));
    assert_non_null(once);
    once += 1;
    assert_non_null(memmem(once, (size_t)(other.p + other.n - once), png, strlen(png)));
    rf_store_close(store);
}

/* A blob that was damaged on the disk is a note, and the rest of the request is made. */
static void a_damaged_blob_is_a_note(void **state)
{
    const struct place *p = *state;
    if (p->bucket) /* damaged there: tests/bucket */
        skip();
    struct rf_store *store = store_at(p);
    const char *id = first_turns(p, store), *png = base64_of(p).p;
    struct rf_str damage = { rf_arena_alloc(p->arena, sizeof PNG_BYTES - 1), sizeof PNG_BYTES - 1 };
    memset((char *)(uintptr_t)damage.p, 'x', damage.n);
    const char *command = rf_strf(p->arena, "find '%s' -type f", blobs_of(p)).p;
    FILE *found = popen(command, "r");
    char path[500] = "";
    assert_non_null(found);
    assert_non_null(fgets(path, sizeof path, found));
    pclose(found);
    path[strcspn(path, "\n")] = '\0';
    chmod(path, 0600);
    write_file(path, damage);
    struct rf_str body = body_for(p, id, FIRST);
    assert_has(body, png, false);
    assert_has(body, "the file that was kept of it is damaged", true);
    rf_store_close(store);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_models),
        cmocka_unit_test(nobody_is_told_too_much),
        cmocka_unit_test(dropped_and_kept),
        cmocka_unit_test(refused_and_lifted),
        cmocka_unit_test(a_file_id_for_one_and_bytes_for_others),
        cmocka_unit_test(a_damaged_blob_is_a_note),
    };
    struct CMUnitTest all[ENGINES * COUNT(tests)];
    over_engines(tests, COUNT(tests), all);
    return cmocka_run_group_tests(all, NULL, NULL);
}
