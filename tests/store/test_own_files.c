/* What a session may see: its own files and those of the sessions that it was forked from. What
 * another session has, named by its id or by its hash, is answered as what there never was. */
#include "source/read.h"

#include "sessions.h"

#define PAY "salary,4711\n"
#define OWN "own words\n"
#define NO_ID "att_000000000000"
#define NO_HASH "sha256:0000000000000000000000000000000000000000000000000000000000000000"

/* A text as a file of the session: its "sha256:…". */
static struct rf_str add_text(const struct place *p, struct rf_session *s, const char *text)
{
    struct rf_arena *a = p->arena;
    const char *path = in_folder(a, p->folder, "file.txt");
    write_file(path, rf_str(text));
    good(append(
        s,
        rf_strf(a, "{'role':'user','content':[{'type':'document','source_path':'%s'}]}", path).p));
    const struct rf_bytes bytes = rf_bytes_memory(rf_str(text));
    uint8_t digest[32];
    good(rf_bytes_sha256(&bytes, digest, &test_err));
    struct rf_str hash = RF_STR("sha256:");
    for (size_t i = 0; i < sizeof digest; i++)
        hash = rf_strf(a, "%.*s%02x", RF_FMT(hash), digest[i]);
    return hash;
}

static struct rf_str id_of(struct rf_str hash, struct rf_arena *a)
{
    return rf_strf(a, "att_%.12s", hash.p + 7);
}

/* All that read_attachment answers. */
static struct rf_str look_at(struct rf_session *s, struct rf_str id, struct rf_arena *a)
{
    struct rf_tools *t = rf_tools_new();
    struct rf_result *result;
    struct rf_str json;
    rf_tools_session(t, s);
    good(rf_tools_run(t, "read_attachment", rf_strf(a, "{\"id\":\"%.*s\"}", RF_FMT(id)).p, &result,
                      &test_err));
    good(rf_result_json(result, RF_WITH_FILES, &json, &test_err));
    json = rf_str_dup(a, json);
    rf_result_free(result);
    rf_tools_free(t);
    return json;
}

/* The same answer, but for the id that was asked for. */
static void assert_unknown(struct rf_session *s, struct rf_str id, const char *unknown,
                           struct rf_arena *a)
{
    struct rf_str got = look_at(s, id, a), want = look_at(s, rf_str(unknown), a);
    const char *at = memmem(want.p, want.n, unknown, strlen(unknown));
    struct rf_str front = { want.p, at ? (size_t)(at - want.p) : want.n };
    struct rf_str back = at ? rf_str(at + strlen(unknown)) : RF_STR("");
    assert_str(got,
               at ? rf_strf(a, "%.*s%.*s%.*s", RF_FMT(front), RF_FMT(id), RF_FMT(back)).p : want.p);
    assert_true(rf_str_contains(got, RF_STR("there is no attachment of this id")));
}

static void assert_seen(struct rf_session *s, struct rf_str id, const char *words,
                        struct rf_arena *a)
{
    struct rf_str json = look_at(s, id, a);
    if (!rf_str_contains(json, rf_str(words)))
        fail_msg("%.*s", RF_FMT(json));
}

static void another_sessions_file_is_not_there(void **state)
{
    const struct place *p = *state;
    struct rf_arena *a = p->arena;
    struct rf_store *store = store_at(p);
    struct rf_session *theirs = session_at(store), *ours = session_at(store);
    struct rf_str pay = add_text(p, theirs, PAY), own = add_text(p, ours, OWN);
    assert_seen(theirs, pay, "salary", a);
    assert_seen(theirs, id_of(pay, a), "salary", a);
    assert_seen(ours, own, "own words", a);
    assert_unknown(ours, id_of(pay, a), NO_ID, a);
    assert_unknown(ours, pay, NO_HASH, a);
    assert_unknown(theirs, id_of(own, a), NO_ID, a);
    struct rf_session *fresh = session_at(store); /* that nothing is kept of yet */
    assert_unknown(fresh, id_of(pay, a), NO_ID, a);
    rf_session_close(fresh);
    rf_session_close(ours);
    rf_session_close(theirs);
    rf_store_close(store);
}

static void a_fork_sees_its_parents_and_they_not_it(void **state)
{
    const struct place *p = *state;
    struct rf_arena *a = p->arena;
    struct rf_store *store = store_at(p);
    struct rf_session *first = session_at(store), *second, *third;
    struct rf_str pay = add_text(p, first, PAY);
    good(rf_session_fork(store, first->id, 0, &second, &test_err));
    good(say(second, "summed up"));
    good(rf_session_fork(store, second->id, -1, &third, &test_err));
    struct rf_str own = add_text(p, third, OWN);
    assert_seen(second, id_of(pay, a), "salary", a);
    assert_seen(third, id_of(pay, a), "salary", a);
    assert_seen(third, pay, "salary", a);
    assert_unknown(first, id_of(own, a), NO_ID, a);
    assert_unknown(second, own, NO_HASH, a);
    rf_session_close(third);
    rf_session_close(second);
    rf_session_close(first);
    rf_store_close(store);
}

/* Naming it in a message does not give it away either. */
static const char *const messages[] = {
    "{'role':'tool','tool_call_id':'c','content_blocks':[{'type':'document','blob':'%.*s'}]}",
    "{'role':'user','content':[{'type':'document','blob':'%.*s'}]}",
    "{'role':'tool','tool_call_id':'c','output':'x','full_output':'%.*s'}",
    "{'role':'user','content':[{'type':'text','text':'x','full_text':'%.*s'}]}",
    "{'role':'user','content':[{'type':'document','file_id':'f','provider':'p','blob':'%.*s'}]}",
};

static void count(void *ctx, const struct rf_session_file *f)
{
    (void)f;
    ++*(size_t *)ctx;
}

static void a_message_cannot_take_another_sessions_file(void **state)
{
    const struct place *p = *state;
    struct rf_arena *a = p->arena;
    struct rf_store *store = store_at(p);
    struct rf_session *theirs = session_at(store), *ours = session_at(store);
    struct rf_str pay = add_text(p, theirs, PAY);
    size_t files = 0;
    for (size_t i = 0; i < COUNT(messages); i++) {
        struct rf_arena *scratch = rf_arena_new();
        size_t cut = (size_t)(strstr(messages[i], "%.*s") - messages[i]);
        good(append(ours, rf_strf(scratch, "%.*s%.*s%s", (int)cut, messages[i], RF_FMT(pay),
                                  messages[i] + cut + 4)
                              .p));
        rf_arena_free(scratch);
    }
    good(rf_session_files(ours, count, &files, &test_err));
    assert_int_equal(files, 0);
    assert_unknown(ours, pay, NO_HASH, a);
    struct rf_conversation *c;
    struct rf_blob_known known;
    good(rf_session_conversation(ours, &c, &test_err));
    assert_false(c->blobs->known(c->blobs->ctx, pay, &known));
    rf_conversation_free(c);
    rf_session_close(ours);
    rf_session_close(theirs);
    rf_store_close(store);
}

static void what_a_tool_read_for_a_session_may_be_named_in_it_alone(void **state)
{
    const struct place *p = *state;
    struct rf_arena *a = p->arena;
    struct rf_store *store = store_at(p);
    struct rf_session *theirs = session_at(store), *ours = session_at(store);
    struct rf_tools *t = rf_tools_new();
    struct rf_result *result;
    struct rf_str pay = add_text(p, theirs, PAY), hash;
    size_t files = 0;
    (void)pay;
    write_file(in_folder(a, p->folder, "read.pdf"), RF_STR("%PDF-1.4\n%%EOF\n"));
    rf_tools_root(t, p->folder);
    rf_tools_base(t, p->folder);
    rf_tools_session(t, ours);
    good(rf_tools_run(t, "read_file", "{\"file_path\":\"read.pdf\"}", &result, &test_err));
    rf_result_free(result);
    const struct rf_bytes bytes = rf_bytes_memory(RF_STR(OWN));
    good(t->attachments.keep(t->attachments.ctx, &bytes, a, &hash, &test_err));
    assert_seen(ours, hash, "own words", a);
    assert_unknown(theirs, hash, NO_HASH, a);
    const char *message =
        rf_strf(a, "{'role':'user','content':[{'type':'document','blob':'%.*s'}]}", RF_FMT(hash)).p;
    good(append(theirs, message));
    assert_unknown(theirs, hash, NO_HASH, a);
    good(append(ours, message));
    good(rf_session_files(ours, count, &files, &test_err));
    assert_int_equal(files, 1);
    rf_tools_free(t);
    rf_session_close(ours);
    rf_session_close(theirs);
    rf_store_close(store);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_sessions_file_is_not_there),
        cmocka_unit_test(a_fork_sees_its_parents_and_they_not_it),
        cmocka_unit_test(a_message_cannot_take_another_sessions_file),
        cmocka_unit_test(what_a_tool_read_for_a_session_may_be_named_in_it_alone),
    };
    static struct CMUnitTest all[ENGINES * COUNT(tests)];
    over_engines(tests, COUNT(tests), all);
    return cmocka_run_group_tests_name("reach", all, NULL, NULL);
}
