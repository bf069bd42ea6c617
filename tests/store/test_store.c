/* Sessions over every engine: what is kept, who may write, what a crash or a broken connection leaves. */
#include "store/ids.h"

#include "sessions.h"

#define HELLO "{'role':'user','content':'Hello'}"
#define HELLO_KEPT "{'role':'user','content':[{'type':'text','text':'Hello'}]}"
#define ANSWER                                                                  \
    "{'role':'assistant','origin':{'provider':'anthropic','model':'claude-x'}," \
    "'content':[{'type':'text','text':'Hi'}],'usage':{'input_tokens':12,'output_tokens':5}}"

/* Keeping */

static void a_message_is_there_after_a_restart(void **state)
{
    const struct place *p = *state;
    char id[RF_SESSION_ID_SIZE];
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    good(append(s, ANSWER));
    snprintf(id, sizeof id, "%s", rf_session_id(s));
    rf_session_close(s);
    rf_store_close(store);

    store = store_at(p);
    s = reopen(store, id, false);
    assert_int_equal(rf_session_count(s), 2);
    assert_str(rf_session_title(s), "Hello");
    assert_document(p, s, "{'refract':1,'messages':[" HELLO_KEPT "," ANSWER "]}");
    rf_session_close(s);
    rf_store_close(store);
}

static void a_session_without_a_message_is_not_kept(void **state)
{
    const struct place *p = *state;
    char ids[200] = "";
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(rf_session_set(s, RF_STR("{\"system\":\"Be brief.\"}"), &test_err));
    good(rf_session_set_title(s, RF_STR("Named"), &test_err));
    rf_session_close(s);
    good(rf_store_list(store, 0, add_id, ids, &test_err));
    assert_string_equal(ids, "");
    bad(rf_store_find(store, "last", ids, &test_err), RF_ENOTFOUND, "no session yet");
    rf_store_close(store);
}

static void what_waits_comes_with_the_first_message(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(rf_session_set(s, RF_STR("{\"system\":\"Be brief.\"}"), &test_err));
    good(rf_session_set_title(s, RF_STR("Named"), &test_err));
    good(append(s, HELLO));
    assert_document(p, s, "{'refract':1,'system':'Be brief.','messages':[" HELLO_KEPT "]}");
    struct rf_session *read = reopen(store, rf_session_id(s), false);
    assert_str(rf_session_title(read), "Named");
    assert_document(p, read, "{'refract':1,'system':'Be brief.','messages':[" HELLO_KEPT "]}");
    rf_session_close(read);
    rf_session_close(s);
    rf_store_close(store);
}

static const struct {
    const char *name, *message, *words;
} no_messages[] = {
    { "no JSON", "{'role':", "the message: line 1" },
    { "no role", "{'content':'x'}", "the message: role" },
    { "unknown role", "{'role':'robot','content':'x'}", "unknown role" },
    { "a list", "[]", "the message" },
    { "nothing", "", "the message" },
    { "unknown block", "{'role':'user','content':[{'type':'imagee'}]}", "imagee" },
};

static void what_is_no_message_changes_nothing(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    for (size_t i = 0; i < COUNT(no_messages); i++)
        bad(append(s, no_messages[i].message), RF_EFORMAT, no_messages[i].words);
    assert_int_equal(rf_session_count(s), 1);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 1);
    good(append(s, ANSWER));
    assert_document(p, s, "{'refract':1,'messages':[" HELLO_KEPT "," ANSWER "]}");
    rf_session_close(s);
    rf_store_close(store);
}

static void a_reader_cannot_write(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    struct rf_session *read = reopen(store, rf_session_id(s), false);
    bad(append(read, HELLO), RF_EPERMISSION, "opened to be read");
    bad(rf_session_set(read, RF_STR("{}"), &test_err), RF_EPERMISSION, "opened to be read");
    good(append(s, ANSWER));
    assert_document(p, read, "{'refract':1,'messages':[" HELLO_KEPT "," ANSWER "]}");
    assert_int_equal(rf_session_count(read), 2);
    rf_session_close(read);
    rf_session_close(s);
    rf_store_close(store);
}

/* Settings */

static void settings_hold_from_now_on(void **state)
{
    const struct place *p = *state;
    struct rf_session *fork;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    good(rf_session_set(s, RF_STR("{\"refract\":1,\"system\":\"One\",\"mine\":[1]}"), &test_err));
    good(append(s, ANSWER));
    good(rf_session_set(s, RF_STR("{\"system\":\"Two\",\"messages\":[]}"), &test_err));
    assert_document(p, s, "{'refract':1,'system':'Two','messages':[" HELLO_KEPT "," ANSWER "]}");
    good(rf_session_fork(store, rf_session_id(s), 1, &fork, &test_err));
    assert_document(p, fork, "{'refract':1,'system':'One','messages':[" HELLO_KEPT "],'mine':[1]}");
    rf_session_close(fork);
    rf_session_close(s);
    rf_store_close(store);
}

static const struct {
    const char *name, *settings, *words;
} no_settings[] = {
    { "no JSON", "{", "the settings" },
    { "no object", "[]", "expected an object" },
    { "another version", "{'refract':2}", "unknown version" },
    { "messages", "{'messages':[" HELLO "]}", "settings hold none" },
    { "wrong type", "{'system':7}", "system: expected a string" },
    { "unknown choice", "{'tool_choice':'perhaps'}", "tool_choice" },
};

static void what_no_conversation_could_have_is_refused(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    for (size_t i = 0; i < COUNT(no_settings); i++)
        bad(rf_session_set(s, quoted(p->arena, no_settings[i].settings), &test_err), RF_EFORMAT,
            no_settings[i].words);
    assert_document(p, s, "{'refract':1,'messages':[" HELLO_KEPT "]}");
    rf_session_close(s);
    rf_store_close(store);
}

static void a_whole_conversation_is_added_at_once(void **state)
{
    static const char text[] =
        "{'refract':1,'system':'S','options':{'max_tokens':9},'messages':[" HELLO_KEPT "," ANSWER
        "],'note':1}";
    const struct place *p = *state;
    struct rf_conversation *c;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(rf_conversation_read(quoted(p->arena, text), &c, &test_err));
    good(rf_session_add(s, c, &test_err));
    rf_conversation_free(c);
    assert_int_equal(rf_session_count(s), 2);
    assert_document(p, s, text);
    rf_session_close(s);
    rf_store_close(store);
}

/* Batches */

static void a_batch_is_all_or_nothing(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(rf_session_begin(s, &test_err));
    good(say(s, "one"));
    good(say(s, "two"));
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 0);
    rf_session_rollback(s);
    assert_int_equal(rf_session_count(s), 0);
    bad(rf_session_commit(s, &test_err), RF_EUSAGE, "no batch");

    good(rf_session_begin(s, &test_err));
    bad(rf_session_begin(s, &test_err), RF_EUSAGE, "begun already");
    good(say(s, "three"));
    bad(append(s, "{'role':'robot'}"), RF_EFORMAT, "robot");
    good(say(s, "four"));
    good(rf_session_commit(s, &test_err));
    assert_int_equal(rf_session_count(s), 2);
    assert_str(rf_session_title(s), "three");
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 2);
    rf_session_close(s);
    rf_store_close(store);
}

static void a_batch_that_is_closed_is_dropped(void **state)
{
    const struct place *p = *state;
    struct rf_gc gc;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(rf_session_begin(s, &test_err));
    good(say(s, "one"));
    bad(rf_store_gc(store, 0, &gc, &test_err), RF_ELIMIT, "busy");
    rf_session_close(s);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 0);
    good(rf_store_gc(store, 0, &gc, &test_err)); /* nothing is held any more */
    rf_store_close(store);
}

/* Titles */

static const struct {
    const char *name, *words, *title;
} titles[] = {
    { "as it is", "Look at this", "Look at this" },
    { "tabs are spaces", "  two\\t\\twords ", "two words" },
    { "the first line", "\\n  one\\n\\ttwo ", "one" },
    { "cut after a word",
      "What would have to be true for a question of this length to be shown as a whole, which it is "
      "not, in a list?",
      "What would have to be true for a question of this length to be shown as a whole, which it is not,…" },
    { "no escapes reach a terminal", "a\\u001b[31mb\\u0000c\\u009bd", "a [31mb c d" },
    { "cut between characters", "ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé",
      "éééééééééééééééééééééééééééééééééééééééééééééééé…" },
};

static void the_first_words_are_the_title(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    for (size_t i = 0; i < COUNT(titles); i++) {
        struct rf_session *s = session_at(store);
        good(append(s, ANSWER));
        assert_str(rf_session_title(s), "");
        good(say(s, titles[i].words));
        good(say(s, "later"));
        assert_str(rf_session_title(s), titles[i].title);
        struct rf_session *read = reopen(store, rf_session_id(s), false);
        assert_str(rf_session_title(read), titles[i].title);
        rf_session_close(read);
        rf_session_close(s);
    }
    rf_store_close(store);
}

static void a_given_title_stays(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, ANSWER));
    good(rf_session_set_title(s, RF_STR(" Mine\x1b \n"), &test_err));
    bad(rf_session_set_title(s, RF_STR(" \n"), &test_err), RF_EUSAGE, "empty");
    good(say(s, "Words"));
    assert_str(rf_session_title(s), "Mine");
    struct rf_session *read = reopen(store, rf_session_id(s), false);
    assert_str(rf_session_title(read), "Mine");
    rf_session_close(read);
    rf_session_close(s);
    rf_store_close(store);
}

/* Listing and finding */

static void first_info(void *ctx, const struct rf_session_info *i)
{
    struct rf_session_info *out = ctx;
    if (!out->id.n) {
        *out = *i;
        assert_str(i->title, "Hello");
        assert_str(i->provider, "anthropic");
        assert_str(i->model, "claude-x");
        assert_str(i->parent, "");
        assert_non_null(strstr(i->owner.p, "process"));
    }
}

static void a_list_tells_what_is_known(void **state)
{
    const struct place *p = *state;
    struct rf_session_info i = { 0 };
    int64_t before = rf_epoch_ms();
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    good(append(s, ANSWER));
    good(append(s, ANSWER));
    good(say(s, "more"));
    good(rf_store_list(store, 0, first_info, &i, &test_err));
    assert_int_equal(i.messages, 4);
    assert_int_equal(i.files, 0);
    assert_int_equal(i.input_tokens, 24);
    assert_int_equal(i.output_tokens, 10);
    assert_true(before <= i.created_ms && i.created_ms <= i.updated_ms);
    assert_true(i.updated_ms <= rf_epoch_ms());
    rf_session_close(s);
    rf_store_close(store);
}

static void absurd_numbers_of_tokens_do_no_harm(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    for (int i = 0; i < 3; i++)
        good(append(s, "{'role':'assistant','content':'x','usage':{'input_tokens':"
                       "9223372036854775807,'output_tokens':-5,'cached_tokens':'x'}}"));
    assert_int_equal(ask_number(store, "SELECT input_tokens FROM sessions"), 3000000000000);
    assert_int_equal(ask_number(store, "SELECT output_tokens FROM sessions"), 0);
    rf_session_close(s);
    rf_store_close(store);
}

static void the_last_that_changed_is_first(void **state)
{
    const struct place *p = *state;
    char ids[200] = "", want[200], found[RF_SESSION_ID_SIZE];
    struct rf_store *store = store_at(p);
    struct rf_session *s[3];
    for (size_t i = 0; i < 3; i++) {
        s[i] = session_at(store);
        good(append(s[i], HELLO));
    }
    good(append(s[0], ANSWER));
    good(rf_store_list(store, 0, add_id, ids, &test_err));
    snprintf(want, sizeof want, "%s %s %s ", s[0]->id, s[2]->id, s[1]->id);
    assert_string_equal(ids, want);
    *ids = '\0';
    good(rf_store_list(store, 1, add_id, ids, &test_err));
    snprintf(want, sizeof want, "%s ", s[0]->id);
    assert_string_equal(ids, want);
    good(rf_store_find(store, "last", found, &test_err));
    assert_string_equal(found, s[0]->id);
    for (size_t i = 0; i < 3; i++)
        rf_session_close(s[i]);
    rf_store_close(store);
}

static void the_last_is_the_last_whatever_the_clock_said(void **state)
{
    const struct place *p = *state;
    char found[RF_SESSION_ID_SIZE];
    struct rf_store *store = store_at(p);
    struct rf_session *future = session_at(store), *now = session_at(store);
    good(append(future, HELLO));
    good(rf_sql_run(store->sql,
                    "UPDATE sessions SET updated = 4102444800000, created = 4102444800000", NULL, 0,
                    NULL, NULL, &test_err));
    good(append(now, HELLO));
    good(rf_store_find(store, "last", found, &test_err));
    assert_string_equal(found, now->id);
    good(append(future, ANSWER)); /* used again, by a clock that was set right */
    good(rf_store_find(store, "last", found, &test_err));
    assert_string_equal(found, future->id);
    good(append(now, ANSWER)); /* by a clock that begins in 1970 */
    good(rf_sql_run(store->sql, "UPDATE sessions SET updated = 1 WHERE messages = 2", NULL, 0, NULL,
                    NULL, &test_err));
    good(rf_store_find(store, "last", found, &test_err));
    assert_string_equal(found, now->id);
    rf_session_close(future);
    rf_session_close(now);
    rf_store_close(store);
}

static void a_beginning_will_do_where_it_is_clear(void **state)
{
    const struct place *p = *state;
    char found[RF_SESSION_ID_SIZE], part[RF_SESSION_ID_SIZE];
    struct rf_store *store = store_at(p);
    struct rf_session *one = session_at(store), *two = session_at(store);
    good(append(one, HELLO));
    good(append(two, HELLO));
    good(rf_store_find(store, one->id, found, &test_err));
    assert_string_equal(found, one->id);
    size_t same = 0;
    while (one->id[same] == two->id[same])
        same++;
    snprintf(part, sizeof part, "%.*s", (int)same + 1, one->id);
    good(rf_store_find(store, part, found, &test_err));
    assert_string_equal(found, one->id);
    part[same] = '\0';
    bad(rf_store_find(store, part, found, &test_err), RF_EUSAGE, "several");
    bad(rf_store_find(store, "1999", found, &test_err), RF_ENOTFOUND, "no session \"1999\"");
    rf_session_close(one);
    rf_session_close(two);
    rf_store_close(store);
}

static void nothing_else_is_taken_for_an_id(void **state)
{
    static const char *const ids[] = {
        "",      "../../etc",
        "2026%", "2026_",
        "A",     "a b",
        "a\nb",  "\x1b[31m",
        "ä",     "a/b",
        "LAST",  "'",
        "x'--",  "2026111500000000-00000000000000000000000000000000"
    };
    const struct place *p = *state;
    char found[RF_SESSION_ID_SIZE];
    struct rf_session *s;
    struct rf_store *store = store_at(p);
    for (size_t i = 0; i < COUNT(ids); i++) {
        bad(rf_store_find(store, ids[i], found, &test_err), RF_EUSAGE, "is not the id");
        bad(rf_session_open(store, ids[i], true, &s, &test_err), RF_EUSAGE, "is not the id");
        bad(rf_store_remove(store, ids[i], NULL, &test_err), RF_EUSAGE, "is not the id");
    }
    rf_store_close(store);
}

static void ids_are_a_day_and_letters(void **state)
{
    char id[RF_SESSION_ID_SIZE], mark[RF_MARK_SIZE], other[RF_MARK_SIZE];
    (void)state;
    for (int i = 0; i < 1000; i++) {
        good(rf_id_make(id, &test_err));
        assert_int_equal(strlen(id), 15);
        assert_int_equal(strspn(id, "0123456789"), 8);
        assert_int_equal(id[8], '-');
        assert_int_equal(strspn(id + 9, "23456789abcdefghjkmnpqrstuvwxyz"), 6);
        assert_true(rf_id_check(id));
    }
    good(rf_mark_make(mark, &test_err));
    good(rf_mark_make(other, &test_err));
    assert_int_equal(strspn(mark, "0123456789abcdef"), 32);
    assert_string_not_equal(mark, other);
}

/* Writers */

static void a_session_has_one_writer(void **state)
{
    const struct place *p = *state;
    struct rf_session *other;
    struct rf_store *store = store_at(p), *second = store_at(p);
    struct rf_session *s = session_at(store);
    char id[RF_SESSION_ID_SIZE], me[40];
    good(append(s, HELLO));
    snprintf(id, sizeof id, "%s", s->id);
    snprintf(me, sizeof me, "process %ld", (long)getpid());
    bad(rf_session_open(store, id, true, &other, &test_err), RF_EPERMISSION, me);
    bad(rf_session_open(second, id, true, &other, &test_err), RF_EPERMISSION, me);
    bad(rf_store_remove(second, id, NULL, &test_err), RF_EPERMISSION, me);
    bad(rf_store_remove(store, id, NULL, &test_err), RF_EPERMISSION, me);
    rf_session_close(reopen(second, id, false));
    rf_session_close(s);
    s = reopen(second, id, true);
    good(append(s, ANSWER));
    rf_session_close(s);
    rf_store_close(second);
    rf_store_close(store);
}

static void no_owner(void *ctx, const struct rf_session_info *i)
{
    assert_str(i->owner, "");
    ++*(int *)ctx;
}

static void count_owned(void *ctx, const struct rf_session_info *i)
{
    *(int *)ctx += i->owner.n > 0;
}

/* A process that opens a session to write, says its id, and is killed. */
static void write_and_die(const struct place *p, char id[RF_SESSION_ID_SIZE])
{
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rf_session *s = session_at(store_at(p));
        good(append(s, HELLO));
        good(rf_session_begin(s, &test_err));
        good(say(s, "lost"));
        if (write(pipes[1], s->id, RF_SESSION_ID_SIZE) != RF_SESSION_ID_SIZE)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(pipes[0], id, RF_SESSION_ID_SIZE), RF_SESSION_ID_SIZE);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(pipes[0]);
    close(pipes[1]);
}

static void the_lock_dies_with_its_owner(void **state)
{
    const struct place *p = *state;
    char id[RF_SESSION_ID_SIZE];
    int count = 0;
    rf_store_close(store_at(p)); /* the tables */
    write_and_die(p, id);
    struct rf_store *store = store_at(p);
    struct rf_session *s = NULL;
    for (; !s; usleep(10000)) /* a server has to notice first */
        if (rf_session_open(store, id, true, &s, &test_err))
            assert_int_equal(test_err.code, RF_EPERMISSION);
    assert_document(p, s, "{'refract':1,'messages':[" HELLO_KEPT "]}");
    good(append(s, ANSWER));
    rf_session_close(s);
    good(rf_store_list(store, 0, no_owner, &count, &test_err));
    assert_int_equal(count, 1);
    rf_store_close(store);
}

static void a_dead_owner_is_not_listed(void **state)
{
    const struct place *p = *state;
    char id[RF_SESSION_ID_SIZE];
    int count = 0;
    rf_store_close(store_at(p));
    write_and_die(p, id);
    struct rf_store *store = store_at(p);
    for (int owned = 1; owned; usleep(10000)) { /* a server has to notice first */
        owned = 0;
        good(rf_store_list(store, 0, count_owned, &owned, &test_err));
    }
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM sessions WHERE owner <> ''"), 1);
    good(rf_store_list(store, 0, no_owner, &count, &test_err));
    assert_int_equal(count, 1);
    rf_store_close(store);
}

static void nothing_is_written_over(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p), *second = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    good(rf_sql_run(second->sql, "UPDATE sessions SET messages = 2", NULL, 0, NULL, NULL,
                    &test_err));
    bad(append(s, ANSWER), RF_EPERMISSION, "not what it was");
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 1);
    good(rf_sql_run(second->sql, "UPDATE sessions SET messages = 1", NULL, 0, NULL, NULL,
                    &test_err));
    good(append(s, ANSWER));
    rf_session_close(s);
    rf_store_close(second);
    rf_store_close(store);
}

#define WRITERS 4
#define EACH 25

static void write_many(const struct place *p)
{
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    for (int i = 0; i < EACH; i++) {
        good(say(s, "words"));
        struct rf_conversation *c;
        good(rf_session_conversation(s, &c, &test_err));
        assert_int_equal(c->message_count, i + 1);
        rf_conversation_free(c);
    }
    rf_session_close(s);
    rf_store_close(store);
}

static void many_write_at_once(void **state)
{
    const struct place *p = *state;
    pid_t children[WRITERS];
    int status;
    rf_store_close(store_at(p));
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            write_many(p);
            _exit(0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    struct rf_store *store = store_at(p);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), WRITERS * EACH);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM sessions WHERE messages = 25"),
                     WRITERS);
    rf_store_close(store);
}

/* Forks */

static void parent_info(void *ctx, const struct rf_session_info *i)
{
    struct rf_session_info *out = ctx;
    if (!out->id.n) {
        *out = *i;
        assert_str(i->provider, "anthropic");
        assert_str(i->title, "Hello");
        assert_int_equal(i->parent.n, 15);
    }
}

static void a_fork_goes_its_own_way(void **state)
{
    const struct place *p = *state;
    struct rf_session_info i = { 0 };
    struct rf_session *fork;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    good(append(s, ANSWER));
    good(say(s, "left"));
    usleep(2000);
    good(rf_session_fork(store, s->id, 2, &fork, &test_err));
    assert_int_equal(rf_session_count(fork), 2);
    assert_document(p, fork, "{'refract':1,'messages':[" HELLO_KEPT "," ANSWER "]}");
    good(rf_store_list(store, 1, parent_info, &i, &test_err));
    assert_int_equal(i.messages, 2);
    assert_int_equal(i.parent_messages, 2);
    assert_int_equal(i.input_tokens, 12);
    good(say(fork, "right"));
    assert_int_equal(rf_session_count(fork), 3);
    assert_int_equal(rf_session_count(s), 3);
    rf_session_close(fork);

    bad(rf_session_fork(store, s->id, 4, &fork, &test_err), RF_EUSAGE, "has 3 messages, not 4");
    good(rf_session_fork(store, s->id, -1, &fork, &test_err));
    assert_int_equal(rf_session_count(fork), 3);
    rf_session_close(fork);
    good(rf_session_fork(store, s->id, 0, &fork, &test_err));
    assert_int_equal(rf_session_count(fork), 0);
    good(say(fork, "New words"));
    assert_str(rf_session_title(fork), "New words");
    rf_session_close(fork);
    rf_session_close(s);
    rf_store_close(store);
}

/* Damage */

static void a_missing_message_is_noticed(void **state)
{
    const struct place *p = *state;
    struct rf_conversation *c;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    for (int i = 0; i < 3; i++)
        good(append(s, HELLO));
    good(rf_sql_run(store->sql, "DELETE FROM messages WHERE number = 1", NULL, 0, NULL, NULL,
                    &test_err));
    bad(rf_session_conversation(s, &c, &test_err), RF_EFORMAT, "message 1 of session");
    good(rf_sql_run(store->sql, "DELETE FROM messages WHERE number > 0", NULL, 0, NULL, NULL,
                    &test_err));
    bad(rf_session_conversation(s, &c, &test_err), RF_EFORMAT, "has 1 messages and had 3");
    rf_session_close(s);
    rf_store_close(store);
}

static void a_damaged_message_is_named(void **state)
{
    const struct place *p = *state;
    struct rf_conversation *c;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    good(append(s, HELLO));
    good(rf_sql_run(store->sql, "UPDATE messages SET body = '{}' WHERE number = 1", NULL, 0, NULL,
                    NULL, &test_err));
    bad(rf_session_conversation(s, &c, &test_err), RF_EFORMAT, "messages[1].role");
    assert_non_null(strstr(test_err.msg, s->id));
    rf_session_close(s);
    rf_store_close(store);
}

/* Connections that break: an engine that loses the answer to a commit. */

static const struct rf_sql_engine *real;
static int losses;   /* commits that are to be lost */
static bool is_done; /* before the answer is lost */

static enum rf_code lose_commit(struct rf_sql *sql, struct rf_err *err)
{
    if (!losses)
        return real->commit(sql, err);
    losses--;
    if (!is_done)
        real->rollback(sql);
    else
        good(real->commit(sql, err));
    sql->lost = true;
    return rf_fail(err, RF_EIO, "the connection broke");
}

/* SQLite has no connection that could be opened anew. */
static enum rf_code find_it_open(struct rf_sql *sql, struct rf_err *err)
{
    if (strcmp(sql->engine->name, "sqlite") == 0)
        sql->lost = false;
    return real->begin(sql, err);
}

static struct rf_sql_engine lossy;

static void make_lossy(struct rf_store *s)
{
    real = s->sql->engine;
    lossy = *real;
    lossy.commit = lose_commit;
    lossy.begin = find_it_open;
    s->sql->engine = &lossy;
}

static void a_lost_answer_doubles_nothing(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    make_lossy(store);
    for (int round = 0; round < 2; round++) {
        is_done = round == 0;
        losses = 1;
        good(say(s, "once"));
        assert_int_equal(losses, 0);
        good(rf_session_begin(s, &test_err));
        good(say(s, "two"));
        good(say(s, "three"));
        losses = 1;
        good(rf_session_commit(s, &test_err));
        assert_int_equal(rf_session_count(s), 3 * (round + 1));
    }
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 6);
    assert_int_equal(ask_number(store, "SELECT messages FROM sessions"), 6);
    losses = 1;
    is_done = true;
    struct rf_session *fork;
    good(rf_session_fork(store, s->id, -1, &fork, &test_err));
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 12);
    rf_session_close(fork);
    rf_session_close(s);
    rf_store_close(store);
}

static void what_nobody_knows_is_said(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(append(s, HELLO));
    make_lossy(store);
    losses = 2;
    is_done = false;
    bad(say(s, "lost"), RF_EIO, "the connection broke");
    assert_non_null(strstr(test_err.hint, "not known whether this was kept"));
    good(say(s, "again"));
    assert_int_equal(rf_session_count(s), 2);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 2);
    rf_session_close(s);
    rf_store_close(store);
}

static void break_connections(const struct place *p)
{
    struct rf_sql *sql;
    good(rf_postgres_open(p->address, &sql, &test_err));
    good(rf_sql_run(sql,
                    "SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND datname = current_database() "
                    "AND application_name LIKE 'refract%'",
                    NULL, 0, NULL, NULL, &test_err));
    rf_sql_close(sql);
}

/* Other tests of the suite may be using the server: this one has a database of its own. */
static struct place *place_alone(void)
{
    struct place *p = place_new("postgres");
    const char *base = server_address(), *query = strchr(base, '?');
    const char *name = rf_strf(p->arena, "alone_%ld", (long)getpid()).p;
    tell_server(p->arena, "DROP DATABASE IF EXISTS", name, "");
    tell_server(p->arena, "CREATE DATABASE", name, "");
    p->address = rf_strf(p->arena, "postgresql:///%s%s", name, query ? query : "").p;
    return p;
}

static void a_writer_goes_on_in_a_new_connection(void **state)
{
    (void)state;
    if (!server_address())
        skip();
    struct place *p = place_alone();
    struct rf_store *store = store_at(p), *second = store_at(p);
    struct rf_session *s = session_at(store), *other;
    good(append(s, HELLO));
    break_connections(p);
    assert_document(p, s, "{'refract':1,'messages':[" HELLO_KEPT "]}");
    break_connections(p);
    good(append(s, ANSWER));
    break_connections(p);
    good(rf_session_begin(s, &test_err));
    good(say(s, "more"));
    break_connections(p);
    good(rf_session_commit(s, &test_err));
    assert_int_equal(rf_session_count(s), 3);
    bad(rf_session_open(second, s->id, true, &other, &test_err), RF_EPERMISSION,
        "is being written");
    rf_session_close(s);
    rf_store_close(second);
    rf_store_close(store);
    tell_server(p->arena, "DROP DATABASE", rf_strf(p->arena, "alone_%ld", (long)getpid()).p,
                " WITH (FORCE)");
    place_free(p);
}

/* Documents */

static void a_document_is_replaced_by_whoever_read_it_last(void **state)
{
    const struct place *p = *state;
    struct rf_str body;
    int64_t version = -1;
    bool replaced;
    struct rf_store *store = store_at(p);
    good(rf_store_document_read(store, "x", p->arena, &version, &body, &test_err));
    assert_int_equal(version, 0);
    assert_str(body, "");
    good(rf_store_document_replace(store, "x", 0, RF_STR("one"), &replaced, &test_err));
    assert_true(replaced);
    good(rf_store_document_replace(store, "x", 0, RF_STR("other"), &replaced, &test_err));
    assert_false(replaced);
    good(rf_store_document_read(store, "x", p->arena, &version, &body, &test_err));
    assert_str(body, "one");
    good(rf_store_document_replace(store, "x", version, RF_STR("two"), &replaced, &test_err));
    assert_true(replaced);
    good(rf_store_document_replace(store, "x", version, RF_STR("other"), &replaced, &test_err));
    assert_false(replaced);
    good(rf_store_document_read(store, "x", p->arena, &version, &body, &test_err));
    assert_str(body, "two");
    assert_int_equal(version, 2);
    rf_store_close(store);
}

/* Opening */

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void folders_are_made_for_nobody_else(void **state)
{
    struct place *p = place_new("sqlite");
    const char *folder = in_folder(p->arena, p->folder, "a/b");
    struct rf_store *store;
    mode_t umask_was = umask(0);
    (void)state;
    good(rf_store_open_at(folder, &store, &test_err));
    umask(umask_was);
    assert_string_equal(rf_store_place(store), folder);
    assert_int_equal(mode_of(in_folder(p->arena, p->folder, "a")), 0700);
    assert_int_equal(mode_of(folder), 0700);
    assert_int_equal(mode_of(in_folder(p->arena, folder, "sessions.db")), 0600);
    rf_store_close(store);
    place_free(p);
}

static void a_place_that_cannot_be_is_named(void **state)
{
    struct place *p = place_new("sqlite");
    struct rf_store *store;
    (void)state;
    write_file(in_folder(p->arena, p->folder, "file"), RF_STR("x"));
    bad(rf_store_open_at(in_folder(p->arena, p->folder, "file/store"), &store, &test_err), RF_EIO,
        "file/store");
    bad(rf_store_open_at("", &store, &test_err), RF_EUSAGE, "empty");
    const struct rf_store_options options = { .address = p->address, .blobs = "database" };
    bad(rf_store_make(&options, &store, &test_err), RF_ECONFIG, "in the database");
    place_free(p);
}

/* What a new store does not know it would take for leftovers. */
static void a_new_store_does_not_take_the_blobs_of_another(void **state)
{
    struct place *p = place_new("sqlite");
    const char *blobs = in_folder(p->arena, p->folder, "blobs");
    struct rf_store_options options = {
        .address = p->address,
        .blobs = blobs,
        .file_bytes = RF_STORE_FILE_BYTES,
        .text_bytes = RF_STORE_TEXT_BYTES,
    };
    struct rf_store *store, *again;
    (void)state;
    good(rf_store_make(&options, &store, &test_err));
    struct rf_session *s = session_at(store);
    good(append(s, "{'role':'user','content':[{'type':'image','data':'R0lGODlhAQABAAAAACw='}]}"));
    rf_session_close(s);
    good(rf_store_make(&options, &again, &test_err));
    rf_store_close(again);
    options.address = in_folder(p->arena, p->folder, "second");
    bad(rf_store_make(&options, &again, &test_err), RF_EFORMAT, "the database is empty");
    assert_non_null(strstr(test_err.msg, blobs));
    bad(rf_store_make(&options, &again, &test_err), RF_EFORMAT, "the database is empty");
    options.blobs = NULL;
    good(rf_store_make(&options, &again, &test_err));
    rf_store_close(again);
    rf_store_close(store);
    place_free(p);
}

static const struct {
    const char *name, *address;
} secrets[] = {
    { "a password", "postgres://anna:geheim@/x" },
    { "one with signs", "postgres://anna:ge@geheim/im@/x" },
    { "among the parameters", "postgres:///x?password=geheim" },
};

static void no_password_is_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(secrets); i++) {
        struct rf_store *store;
        const struct rf_store_options options = { .address = secrets[i].address, .blobs = "/x" };
        assert_int_not_equal(rf_store_make(&options, &store, &test_err), RF_OK);
        assert_null(strstr(test_err.msg, "geheim"));
        assert_null(strstr(test_err.hint, "geheim"));
    }
}

int main(void)
{
    static const struct CMUnitTest both[] = {
        cmocka_unit_test(a_message_is_there_after_a_restart),
        cmocka_unit_test(a_session_without_a_message_is_not_kept),
        cmocka_unit_test(what_waits_comes_with_the_first_message),
        cmocka_unit_test(what_is_no_message_changes_nothing),
        cmocka_unit_test(a_reader_cannot_write),
        cmocka_unit_test(settings_hold_from_now_on),
        cmocka_unit_test(what_no_conversation_could_have_is_refused),
        cmocka_unit_test(a_whole_conversation_is_added_at_once),
        cmocka_unit_test(a_batch_is_all_or_nothing),
        cmocka_unit_test(a_batch_that_is_closed_is_dropped),
        cmocka_unit_test(the_first_words_are_the_title),
        cmocka_unit_test(a_given_title_stays),
        cmocka_unit_test(a_list_tells_what_is_known),
        cmocka_unit_test(absurd_numbers_of_tokens_do_no_harm),
        cmocka_unit_test(the_last_that_changed_is_first),
        cmocka_unit_test(the_last_is_the_last_whatever_the_clock_said),
        cmocka_unit_test(a_beginning_will_do_where_it_is_clear),
        cmocka_unit_test(nothing_else_is_taken_for_an_id),
        cmocka_unit_test(a_session_has_one_writer),
        cmocka_unit_test(the_lock_dies_with_its_owner),
        cmocka_unit_test(a_dead_owner_is_not_listed),
        cmocka_unit_test(nothing_is_written_over),
        cmocka_unit_test(many_write_at_once),
        cmocka_unit_test(a_fork_goes_its_own_way),
        cmocka_unit_test(a_missing_message_is_noticed),
        cmocka_unit_test(a_damaged_message_is_named),
        cmocka_unit_test(a_lost_answer_doubles_nothing),
        cmocka_unit_test(what_nobody_knows_is_said),
        cmocka_unit_test(a_document_is_replaced_by_whoever_read_it_last),
    };
    static const struct CMUnitTest rest[] = {
        cmocka_unit_test(ids_are_a_day_and_letters),
        cmocka_unit_test(a_writer_goes_on_in_a_new_connection),
        cmocka_unit_test(folders_are_made_for_nobody_else),
        cmocka_unit_test(a_place_that_cannot_be_is_named),
        cmocka_unit_test(a_new_store_does_not_take_the_blobs_of_another),
        cmocka_unit_test(no_password_is_shown),
    };
    struct CMUnitTest all[ENGINES * COUNT(both)];
    over_engines(both, COUNT(both), all);
    return cmocka_run_group_tests(all, NULL, NULL) + cmocka_run_group_tests(rest, NULL, NULL);
}
