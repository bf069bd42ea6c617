/* A request touches no blob of a file that it does not send. What it would not send is taken away, and the
 * request must come out the same: a blob that anybody looked for would become a note about a lost file. */
#include "base/base64.h"

#include "sessions.h"

#define PICTURES 150 /* more than any endpoint takes */
#define MOST_BODY ((size_t)1 << 20)

static struct rf_str picture(struct rf_arena *a, int number)
{
    unsigned char png[] =
        "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x08\x08\2\0\0\0\x4b\x6d\x29\xdc\0\0\0\x04IDAT"
        "....~~~~\0\0\0\0IEND\xae\x42\x60\x82";
    char *text = rf_arena_alloc(a, rf_base64_length(sizeof png));
    png[41] = (unsigned char)(number & 255);
    return (struct rf_str){ text, rf_base64_encode(png, sizeof png - 1, text) };
}

static void add_pictures(const struct place *p, char id[RF_SESSION_ID_SIZE])
{
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(rf_session_begin(s, &test_err));
    for (int i = 0; i < PICTURES; i++)
        good(append(s, rf_strf(p->arena,
                               "{'role':'user','content':[{'type':'text','text':'Picture %d'},"
                               "{'type':'image','data':'%.*s'}]}",
                               i, RF_FMT(picture(p->arena, i)))
                           .p));
    good(rf_session_commit(s, &test_err));
    snprintf(id, RF_SESSION_ID_SIZE, "%s", rf_session_id(s));
    rf_session_close(s);
    rf_store_close(store);
}

/* The body for a model, in a process that knows nothing yet; and the ids of what is in it. */
static struct rf_str body_for(const struct place *p, const char *id, const char *model,
                              struct rf_str sent[PICTURES], size_t *count)
{
    struct rf_store *store = store_at(p);
    struct rf_session *s = reopen(store, id, false);
    struct rf_request_options *o = rf_request_options_new();
    struct rf_conversation *c;
    struct rf_request *r;
    struct rf_model *m;
    char *body = rf_arena_alloc(p->arena, MOST_BODY);
    FILE *f = tmpfile();
    assert_non_null(f);
    rf_request_options_as_is(o);
    good(rf_model_open(NULL, model, &m, &test_err));
    good(rf_session_conversation(s, &c, &test_err));
    good(rf_request_build(c, m, o, &r, &test_err));
    assert_int_equal(rf_report_count(r), PICTURES);
    *count = 0;
    for (size_t i = 0; i < PICTURES; i++)
        if (rf_report_delivery(r, i) == RF_DELIVERY_NATIVE)
            sent[(*count)++] = rf_str_dup(p->arena, rf_report_id(r, i));
    good(rf_request_write(r, fileno(f), &test_err));
    rewind(f);
    size_t n = fread(body, 1, MOST_BODY, f);
    assert_int_equal(n, rf_request_length(r));
    fclose(f);
    rf_request_free(r);
    rf_conversation_free(c);
    rf_model_close(m);
    rf_request_options_free(o);
    rf_session_close(s);
    rf_store_close(store);
    return (struct rf_str){ body, n };
}

struct taking {
    struct rf_store *store;
    const struct rf_str *sent; /* ids: "att_" and the beginning of the hash */
    size_t count, taken;
};

static enum rf_code take_away(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct taking *t = ctx;
    struct rf_str hash = columns[0].text;
    (void)count;
    for (size_t i = 0; i < t->count; i++)
        if (memcmp(t->sent[i].p + 4, hash.p, 12) == 0)
            return RF_OK;
    struct rf_hash name;
    assert_true(rf_hash_read_hex(hash, &name));
    assert_true(rf_blobs_has(t->store->blobs, &name, 0));
    assert_int_equal(rf_blobs_remove(t->store->blobs, &name, 0, err), RF_OK);
    t->taken++;
    return RF_OK;
}

static void check_model(const struct place *p, const char *model, size_t least, size_t most)
{
    char id[RF_SESSION_ID_SIZE];
    struct rf_str sent[PICTURES];
    struct taking t = { .sent = sent };
    size_t again;
    add_pictures(p, id);
    struct rf_str before = body_for(p, id, model, sent, &t.count);
    assert_in_range(t.count, least, most);
    struct rf_store *store = store_at(p);
    t.store = store;
    good(rf_sql_run(store->sql, "SELECT hash FROM blobs", NULL, 0, take_away, &t, &test_err));
    rf_store_close(store);
    assert_int_equal(t.taken, PICTURES - t.count);
    assert_true(rf_str_eq(body_for(p, id, model, sent, &again), before));
    assert_int_equal(again, t.count);
}

static void what_does_not_fit_is_not_touched(void **state)
{
    check_model(*state, "anthropic:claude-sonnet-4-5", 1, PICTURES - 1);
}

static void nothing_is_touched_for_a_model_that_sees_nothing(void **state)
{
    check_model(*state, "ollama:llama3.1", 0, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_not_touched),
        cmocka_unit_test(nothing_is_touched_for_a_model_that_sees_nothing),
    };
    struct CMUnitTest all[ENGINES * COUNT(tests)];
    over_engines(tests, COUNT(tests), all);
    return cmocka_run_group_tests(all, NULL, NULL);
}
