/* The commands of a chat, over a store and the model that says what it was given. */
#include "played.h"

#include <refract/refract.h>

#include "cost.h"

/* Lines, and a piece of what is said then. */
static const struct row {
    const char *name, *line, *want;
} rows[] = {
    { "an unknown command", "/nothing", "there is no command \"/nothing\"" },
    { "one that is nearly there", "/modle x", "Did you mean /model?" },
    { "a path is none", "/usr/share/x.png", "/attach" },
    { "the slash alone", "/", "/help lists them all" },
    { "one that takes nothing", "/quit now", "takes nothing after it" },
    { "help", "/help", "/pages [A-B] [FILE]" },
    { "models: the one in force", "/model", "the model is offline" },
    { "models: of the configuration", "/model", "eyes  ollama:llava:13b; images" },
    { "models: one that cannot see", "/model", "words  ollama:phi4; text alone" },
    { "models: providers", "/model", "anthropic  " },
    { "a model that is nearly there", "/model eyse", "Did you mean" },
    { "media without a session", "/media", "nothing was said in this session yet" },
    { "session without one", "/session", "a session begins with the first question" },
    { "session and nonsense", "/session name x", "takes nothing, or title" },
    { "explain before anything was sent", "/explain", "nothing was sent to this model yet" },
    { "compact before anything was said", "/compact", "nothing was said yet" },
    { "export before anything was said", "/export", "nothing was said in this session yet" },
    { "resume without sessions", "/resume", "there are no sessions yet" },
    { "resume one that is not there", "/resume 20200101-aaaaaa", "x " },
    { "attach without a file", "/attach", "needs a file" },
    { "pages without a document", "/pages 1-3", "no document was read yet" },
    { "pages that are none", "/pages x-3", "are not pages" },
    { "pages from 0", "/pages 0-3", "are not pages" },
    { "pages that do not end", "/pages 3-", "are not pages" },
    { "a number that is too large", "/pages 99999999999999999999", "are not pages" },
    { "view with nothing there", "/view", "there is nothing to look at yet" },
    { "thoughts", "/thinking show", "are shown in full" },
    { "thoughts and nonsense", "/thinking loud", "takes show or hide" },
    { "tokens", "/tokens", "total" },
    { "cost before anything was answered", "/cost", "nothing was answered in this session yet" },
    { "copy before anything was answered", "/copy", "there is no answer yet to copy" },
    { "copy and nonsense", "/copy all", "/copy takes nothing, or the number of a code block" },
    { "retry before anything was asked", "/retry", "nothing was asked yet" },
    { "edit without a terminal", "/edit", "/edit needs a terminal" },
    { "no system prompt", "/system", "there is no system prompt" },
    { "a system prompt that is not there is taken away", "/system -",
      "there was no system prompt" },
    { "new where nothing was said", "/new", "this session is new already" },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct stage stage, *s = &stage;
    stage_open(s);
    run(s, row->line);
    assert_has(said(s), row->want);
    stage_close(s);
}

static void every_command_has_its_help(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    run(s, "/help");
    struct rf_str help = said(s);
    for (size_t i = 0; i < rf_chat_command_count; i++)
        assert_has(help, rf_chat_commands[i].help);
    run(s, "/quit");
    assert_true(s->chat.quits);
    stage_close(s);
}

static void add_picture(struct stage *s, const char *name)
{
    const char *source = getenv("REFRACT_SOURCE");
    assert_non_null(source);
    FILE *in = fopen(in_folder(s->arena, source, "tests/fixtures/red.png"), "rb");
    char bytes[4096];
    assert_non_null(in);
    size_t n = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    write_file(in_folder(s->arena, s->folder, name), (struct rf_str){ bytes, n });
}

static void files_of_a_session_are_listed_dropped_and_kept(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    add_picture(s, "p.png");
    assert_int_equal(rf_agent_attach(s->chat.agent, "p.png", &s->err), RF_OK);
    stage_ask(s, "What is it?");
    run(s, "/media");
    struct rf_str list = said(s);
    assert_has(list, "p.png");
    assert_has(list, "image, 8x8");
    assert_has(list, "native as PNG image to offline:offline, now");
    run(s, "/explain");
    struct rf_str explained = said(s);
    assert_has(explained, "the last request to offline");
    assert_has(explained, "+ p.png");
    assert_has(explained, ": native as PNG image");
    run(s, "/media drop 1");
    assert_has(said(s), "is left out of later requests");
    run(s, "/media");
    assert_has(said(s), "; dropped");
    run(s, "/media keep 1");
    assert_has(said(s), "is sent again");
    run(s, "/media drop 2");
    assert_has(said(s), "there is no file \"2\"");
    run(s, "/media drop");
    assert_has(said(s), "/media takes nothing, or drop or keep");
    run(s, "/view 1");
    assert_has(rf_buffer_view(&s->viewed), "att_");
    run(s, "/view");
    run(s, "/tokens");
    struct rf_str tokens = said(s);
    assert_has(tokens, "user");
    assert_has(tokens, "files");
    stage_close(s);
}

static void sessions_are_named_listed_and_resumed(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    stage_ask(s, "Hello there");
    const char *id = rf_strf(s->arena, "%s", rf_session_id(rf_agent_session(s->chat.agent))).p;
    run(s, "/session");
    assert_has(said(s), "Hello there");
    run(s, "/session title  Greetings, all ");
    assert_has(said(s), ": Greetings, all\n");
    run(s, "/resume");
    assert_has(said(s), "Greetings, all (this one)");
    run(s, rf_strf(s->arena, "/resume %s", id).p);
    assert_has(said(s), "already");
    run(s, "/compact what counts");
    assert_has(said(s), "which stays whole");
    run(s, "/session");
    assert_has(said(s), rf_strf(s->arena, "goes on from %s", id).p);
    run(s, "/resume 2");
    assert_has(said(s), "(recap)");
    assert_string_equal(rf_session_id(rf_agent_session(s->chat.agent)), id);
    stage_close(s);
}

static const char *session_of(struct stage *s)
{
    return rf_strf(s->arena, "%s", rf_session_id(rf_agent_session(s->chat.agent))).p;
}

static void a_question_is_asked_again_in_a_fork(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    stage_ask(s, "One\nand more");
    stage_ask(s, "Two");
    const char *before = session_of(s);
    said(s);
    run(s, "/retry");
    struct rf_str words = said(s);
    assert_has(words, "once more: Two\n");
    assert_has(words, "I was given the text \"Two\"");
    assert_string_not_equal(session_of(s), before);
    run(s, "/session");
    assert_has(said(s), rf_strf(s->arena, "forked from %s after 3 messages", before).p);
    run(s, rf_strf(s->arena, "/resume %s", before).p);
    run(s, "/session");
    assert_has(said(s), "4 messages");
    stage_close(s);
}

static void a_summary_is_not_asked_again(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    stage_ask(s, "One");
    run(s, "/compact");
    said(s);
    run(s, "/retry");
    assert_has(said(s), "nothing was asked yet");
    stage_ask(s, "Two");
    said(s);
    run(s, "/retry");
    assert_has(said(s), "once more: Two\n");
    stage_close(s);
}

static void a_new_session_keeps_the_old_one(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    run(s, "/system Be brief.");
    stage_ask(s, "First");
    const char *before = session_of(s);
    said(s);
    run(s, "/new");
    assert_has(said(s), rf_strf(s->arena, "%s (First) is kept, /resume %s", before, before).p);
    assert_null(rf_agent_session(s->chat.agent));
    run(s, "/system");
    assert_has(said(s), "there is no system prompt");
    stage_ask(s, "Second");
    assert_string_not_equal(session_of(s), before);
    run(s, rf_strf(s->arena, "/resume %s", before).p);
    said(s);
    run(s, "/system");
    assert_has(said(s), "Be brief.");
    stage_close(s);
}

static void the_last_answer_is_copied(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    stage_ask(s, "First");
    stage_ask(s, "Second");
    run(s, "/copy");
    assert_has(said(s), "+ copied the last answer: 1 line, ");
    assert_str(rf_buffer_view(&s->copied), "I was given the text \"Second\".");
    run(s, "/copy 1");
    assert_has(said(s), "x the last answer has 0 code blocks");
    stage_close(s);
}

static struct rf_str read_back(struct stage *s, const char *name)
{
    FILE *in = fopen(in_folder(s->arena, s->folder, name), "rb");
    char *text = rf_arena_alloc(s->arena, 1 << 16);
    assert_non_null(in);
    size_t n = fread(text, 1, 1 << 16, in);
    fclose(in);
    return (struct rf_str){ text, n };
}

static void a_session_is_exported(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    add_picture(s, "p.png");
    assert_int_equal(rf_agent_attach(s->chat.agent, "p.png", &s->err), RF_OK);
    stage_ask(s, "Say ``` and \033]0;x\007 again");
    run(s, "/export");
    struct rf_str words = said(s);
    assert_has(words, "+ refract-");
    const char *name =
        rf_strf(s->arena, "refract-%s.md", rf_session_id(rf_agent_session(s->chat.agent))).p;
    struct rf_str text = read_back(s, name);
    assert_has(text, "## 1 user");
    assert_has(text, "## 2 assistant (offline:offline)");
    assert_has(text, "[Image: p.png]");
    assert_has(text, ": p.png, image, 8x8, ");
    assert_has(text, "Say ``` and ?]0;x? again");
    assert_lacks(text, "\033");
    run(s, "/export");
    assert_has(said(s), "Nothing was written: name another file");
    assert_true(rf_str_eq(text, read_back(s, name)));
    run(s, "/export all.json");
    assert_has(read_back(s, "all.json"), "\"refract\":1");
    run(s, "/export all.tar");
    assert_has(read_back(s, "all.tar"), "session.jsonl");
    said(s);
    run(s, "/export all.doc");
    assert_has(said(s), "does not say what to write");
    run(s, "/export none/all.md");
    assert_has(said(s), "could not write");
    stage_close(s);
}

static void pages_are_read_on(void **state)
{
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    run(s, "/pages 1-20 ~/my file.pdf");
    assert_str(rf_buffer_view(&s->attached),
               rf_strf(s->arena, "%s/my file.pdf#p=1-20\n", s->folder).p);
    rf_buffer_reset(&s->attached);
    s->chat.pages = 47;
    run(s, "/pages");
    run(s, "/pages");
    assert_int_equal(s->chat.last_page, 47);
    run(s, "/pages 3-5,8");
    assert_int_equal(s->chat.last_page, 8);
    run(s, "/pages 47");
    said(s);
    run(s, "/pages");
    assert_has(said(s), "that was the last page");
    s->attach_fails = true;
    run(s, "/pages 9");
    assert_int_equal(s->chat.last_page, 47);
    s->attach_fails = false;
    run(s, "/attach other.pdf#p=4-6");
    assert_string_equal(s->chat.last_document, "other.pdf");
    assert_int_equal(s->chat.last_page, 6);
    rf_chat_pages_sent(&s->chat, "my file.pdf", "+ my file.pdf    pdf    pages 1-3 of 9, 2 KB");
    assert_int_equal(s->chat.last_page, 6);
    rf_chat_pages_sent(&s->chat, "other.pdf", "! other.pdf      pdf    pages 4-5 of 9, 2 KB");
    assert_int_equal(s->chat.last_page, 5);
    const char *f = s->folder;
    assert_str(rf_buffer_view(&s->attached),
               rf_strf(s->arena,
                       "%s/my file.pdf#p=21-40\n%s/my file.pdf#p=41-47\n%s/my file.pdf#p=3-5,8\n"
                       "%s/my file.pdf#p=47\n%s/my file.pdf#p=9\n"
                       "other.pdf#p=4-6\n",
                       f, f, f, f, f)
                   .p);
    stage_close(s);
}

/* Paths as people and terminals write them. */
static void paths_are_understood(void **state)
{
    static const struct {
        const char *written, *want;
    } cases[] = {
        { "a.png", "a.png" },
        { "  a.png  ", "a.png" },
        { "@a.png", "a.png" },
        { "'my file'", "my file" },
        { "\"my file\"", "my file" },
        { "my file", "my file" },
        { "my\\ file", "my file" },
        { "odd\\name", "odd\\name" }, /* there is one */
        { "'a\\b'", "a\\b" },
        { "\"open", "\"open" },
        { "\\", "\\" },
        { "~", "~" },
    };
    struct stage stage, *s = &stage;
    (void)state;
    stage_open(s);
    stage_file(s, "odd\\name", "x");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *path = rf_chat_path(rf_str(cases[i].written));
        assert_string_equal(path, cases[i].want);
        free(path);
    }
    char *home = rf_chat_path(RF_STR("~/x"));
    assert_string_equal(home, rf_strf(s->arena, "%s/x", s->folder).p);
    free(home);
    stage_close(s);
}

static void costs_are_written(void **state)
{
    static const struct {
        int64_t micros;
        const char *want;
    } cases[] = {
        { 0, "$0" },          { 1, "<$0.0001" },      { 99, "<$0.0001" },
        { 100, "$0.0001" },   { 3100, "$0.0031" },    { 999949, "$0.9999" },
        { 1000000, "$1.00" }, { 12400000, "$12.40" }, { INT64_MAX, "$9223372036854.78" },
    };
    char out[RF_COST_MONEY];
    struct rf_cost c = { 0 };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(rf_cost_money(cases[i].micros, out), cases[i].want);
    assert_int_equal(rf_cost_sum(&c), -1);
    rf_cost_add(&c, 5);
    rf_cost_add(&c, 7);
    assert_int_equal(rf_cost_sum(&c), 12);
    rf_cost_add(&c, -1);
    rf_cost_add(&c, 7);
    assert_int_equal(rf_cost_sum(&c), -1);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(every_command_has_its_help),
        cmocka_unit_test(files_of_a_session_are_listed_dropped_and_kept),
        cmocka_unit_test(sessions_are_named_listed_and_resumed),
        cmocka_unit_test(a_question_is_asked_again_in_a_fork),
        cmocka_unit_test(a_summary_is_not_asked_again),
        cmocka_unit_test(a_new_session_keeps_the_old_one),
        cmocka_unit_test(the_last_answer_is_copied),
        cmocka_unit_test(a_session_is_exported),
        cmocka_unit_test(pages_are_read_on),
        cmocka_unit_test(paths_are_understood),
        cmocka_unit_test(costs_are_written),
    };
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
