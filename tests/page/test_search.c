/* The search through the sessions of a store, called as a thread of the pool calls it. */
#include "page/page.h"

#include "../testing.h"
#include "config/config.h"
#include "store/store.h"

#include <unistd.h>

struct fixture {
    struct rf_arena *arena;
    const char *folder;
    struct rf_setups setups;
    struct rf_page_host host;
    struct rf_page page;
    int stop[2];
};

static void say(struct rf_session *s, const char *message)
{
    struct rf_err err = { 0 };
    if (rf_session_append(s, rf_str(message), &err))
        fail_msg("%s", err.msg);
}

static void make_session(void)
{
    struct rf_store *store = NULL;
    struct rf_session *s = NULL;
    assert_int_equal(rf_store_open(NULL, &store, NULL), RF_OK);
    assert_int_equal(rf_session_new(store, &s, NULL), RF_OK);
    say(s, "{\"role\":\"user\",\"content\":\"Hello\"}");
    say(s, "{\"role\":\"assistant\",\"content\":\"The needle is here\"}");
    rf_session_close(s);
    rf_store_close(store);
}

static int set_up(void **state)
{
    const struct rf_gateway_options o = { .size = sizeof o };
    struct rf_arena *a = rf_arena_new();
    struct fixture *f = RF_NEW(a, struct fixture);
    f->arena = a;
    f->folder = scratch_new(a);
    setenv("XDG_DATA_HOME", f->folder, 1);
    make_session();
    rf_setups_init(&f->setups, &o);
    f->host.setups = &f->setups;
    f->page.host = &f->host;
    *state = f;
    return pipe(f->stop);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    close(f->stop[0]);
    close(f->stop[1]);
    rf_setups_release(&f->setups);
    scratch_remove(f->folder);
    rf_arena_free(f->arena);
    return 0;
}

static struct rf_str search(struct fixture *f, const char *query)
{
    struct rf_page_visit v = {
        .page = &f->page, .arena = f->arena, .query = rf_str(query), .stop_fd = f->stop[0]
    };
    rf_page_sessions(&v);
    assert_int_equal(v.status, 0);
    return v.out;
}

static void words_are_found_in_what_was_said(void **state)
{
    assert_true(rf_str_is(search(*state, "q=no+such+words"), "[]"));
    assert_false(rf_str_is(search(*state, "q=needle"), "[]"));
}

static void a_search_that_was_stopped_opens_no_more_sessions(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(write(f->stop[1], "", 1), 1);
    assert_true(rf_str_is(search(f, "q=needle"), "[]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_are_found_in_what_was_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_search_that_was_stopped_opens_no_more_sessions, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
