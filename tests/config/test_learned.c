/* The file of what was learned: both ways, what is refused, who wins, and many at once. Every test
 * has a data folder of its own. */
#include "testing.h"

#include "base/file.h"
#include "config/learned.h"
#include "content/refusal.h"
#include "model/model.h"
#include "request/request.h"

#include <refract/refract.h>

#define MODEL "groq:some-model"
#define MOVING "GROQ_BASE_URL"
#define ENTRY(model, fact, value)                                                           \
    "{\"provider\":\"groq\",\"model\":\"" model "\",\"fact\":\"" fact "\",\"value\":" value \
    ",\"date\":\"2026-01-02\",\"words\":\"no\"}"
#define DOCUMENT(entries) "{\"version\":1,\"facts\":[" entries "],\"calibration\":[]}"

static char folder[64];
static char file[128], broken[160];
static struct rf_config *config;

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/refract-learned-XXXXXX", P_tmpdir);
    if (!mkdtemp(folder) || chdir(folder))
        return -1;
    snprintf(file, sizeof file, "%s/refract/learned.json", folder);
    snprintf(broken, sizeof broken, "%s.broken", file);
    setenv("XDG_CONFIG_HOME", folder, 1);
    return setenv("XDG_DATA_HOME", folder, 1) || rf_config_open(&config, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    rf_config_close(config);
    scratch_remove(folder);
    return chdir("/");
}

static void write_learned(const char *text)
{
    char above[128];
    snprintf(above, sizeof above, "%s/refract", folder);
    mkdir(above, 0700);
    write_file(file, rf_str(text));
}

static size_t index_of(const char *name)
{
    size_t i = 0;
    while (i < rf_fact_count() && strcmp(rf_fact_name(i), name) != 0)
        i++;
    assert_true(i < rf_fact_count());
    return i;
}

static void expect_fact(const char *model, const char *name, const char *value,
                        enum rf_fact_source source)
{
    struct rf_model *m;
    assert_int_equal(rf_model_open(config, model, &m, NULL), RF_OK);
    assert_str(rf_model_fact(m, index_of(name)), value);
    assert_int_equal(rf_model_fact_source(m, index_of(name)), source);
    rf_model_close(m);
}

static enum rf_code refuse(const char *model, const char *words, size_t *fact, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model *m;
    struct rf_str reply =
        rf_strf(a, "{\"error\":{\"kind\":\"too_large\",\"message\":\"%s\"}}", words);
    assert_int_equal(rf_model_open(config, model, &m, NULL), RF_OK);
    enum rf_code rc = rf_model_learn(m, config, reply, fact, err);
    rf_model_close(m);
    rf_arena_free(a);
    return rc;
}

static void teach(const char *model, const char *words)
{
    size_t fact;
    assert_int_equal(refuse(model, words, &fact, NULL), RF_OK);
    assert_true(fact < rf_fact_count());
}

static size_t forget(const char *what)
{
    size_t count = 99;
    assert_int_equal(rf_learned_forget(config, what, &count, NULL), RF_OK);
    return count;
}

static void nothing_is_written_where_nothing_is_learned(void **state)
{
    size_t fact;
    (void)state;
    assert_int_equal(refuse(MODEL, "no", &fact, NULL), RF_OK);
    assert_int_equal(fact, rf_fact_count());
    expect_fact(MODEL, "max_images", "5", RF_FACT_BUILTIN);
    assert_int_not_equal(access(file, F_OK), 0);
}

static void a_refusal_teaches_its_model_only(void **state)
{
    struct rf_model *m;
    (void)state;
    teach(MODEL, "Image count 5 exceeds limit 4 per request.");
    expect_fact(MODEL, "max_images", "4", RF_FACT_LEARNED);
    expect_fact("groq:other", "max_images", "5", RF_FACT_BUILTIN);
    assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
    assert_str(rf_model_fact_words(m, index_of("max_images")),
               "Image count 5 exceeds limit 4 per request.");
    assert_int_equal(rf_model_fact_date(m, index_of("max_images")).n, 10);
    assert_str(rf_model_fact_date(m, index_of("max_pdf_pages")), "");
    rf_model_close(m);
    assert_int_equal(rf_model_open(NULL, MODEL, &m, NULL), RF_OK);
    assert_int_equal(rf_model_fact_source(m, index_of("max_images")), RF_FACT_BUILTIN);
    rf_model_close(m);
}

static void the_model_in_hand_learns_too(void **state)
{
    const struct rf_str reply = RF_STR(
        "{\"error\":{\"kind\":\"too_large\",\"message\":\"Image count 5 exceeds limit 4\"}}");
    struct rf_model *m;
    size_t fact;
    (void)state;
    assert_int_equal(rf_model_open(NULL, MODEL, &m, NULL), RF_OK);
    assert_int_equal(rf_model_learn(m, NULL, reply, &fact, NULL), RF_OK);
    assert_int_equal(fact, index_of("max_images"));
    assert_str(rf_model_fact(m, fact), "4");
    assert_int_not_equal(access(file, F_OK), 0);
    rf_model_close(m);
}

/* A router may name its own limit, and repeat what the endpoint behind it said. */
static void the_outer_words_teach_first(void **state)
{
    static const struct {
        const char *words, *value, *quote;
    } rows[] = {
        { "Image count 5 exceeds limit 3", "3", "Image count 5 exceeds limit 3" },
        { "Image count 5 exceeds limit 3: Image count 6 exceeds limit 4", "3",
          "Image count 5 exceeds limit 3" },
        { "Provider returned error: Image count 6 exceeds limit 4", "4",
          "Image count 6 exceeds limit 4" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rf_refusal refusal = { .kind = RF_ERROR_TOO_LARGE,
                                            .words = rf_str(rows[i].words),
                                            .inner = RF_STR("Image count 6 exceeds limit 4") };
        struct rf_model *m;
        size_t fact;
        assert_int_equal(rf_model_open(NULL, MODEL, &m, NULL), RF_OK);
        assert_int_equal(rf_refusal_learn(&refusal, m, NULL, &fact, NULL), RF_OK);
        assert_str(rf_model_fact(m, fact), rows[i].value);
        assert_str(rf_model_fact_words(m, fact), rows[i].quote);
        rf_model_close(m);
    }
}

static void the_last_lesson_counts(void **state)
{
    struct rf_learned *l;
    (void)state;
    teach(MODEL, "Image count 5 exceeds limit 4 per request.");
    teach(MODEL, "Image count 4 exceeds limit 3 per request.");
    expect_fact(MODEL, "max_images", "3", RF_FACT_LEARNED);
    assert_int_equal(rf_learned_open(config, &l, NULL), RF_OK);
    assert_int_equal(rf_learned_count(l), 1);
    assert_str(rf_learned_value(l, 0), "3");
    assert_str(rf_learned_provider(l, 9), "");
    rf_learned_close(l);
}

static void the_configuration_wins(void **state)
{
    (void)state;
    mkdir("refract", 0700);
    write_file("refract/config.yaml", RF_STR("models: {mine: {provider: groq, model: some-model, "
                                             "limits: {max_images: 2}}}\n"));
    rf_config_close(config);
    assert_int_equal(rf_config_open(&config, NULL), RF_OK);
    teach("mine", "Image count 5 exceeds limit 4 per request.");
    teach("mine", "maximum context length is 9000 tokens");
    expect_fact("mine", "max_images", "2", RF_FACT_OVERRIDE);
    expect_fact(MODEL, "context_tokens", "9000", RF_FACT_LEARNED);
    assert_int_equal(forget("mine:max_images"), 1);
    assert_int_equal(forget("mine"), 1);
}

static void forgetting(void **state)
{
    struct rf_err err;
    size_t count;
    (void)state;
    assert_int_equal(forget("all"), 0);
    teach(MODEL, "Image count 5 exceeds limit 4 per request.");
    teach(MODEL, "maximum context length is 9000 tokens");
    teach("ollama:llava:13b", "At most 1 image(s) may be provided in one request.");
    assert_int_equal(forget(MODEL ":max_pdf_pages"), 0);
    assert_int_equal(forget(MODEL ":max_images"), 1);
    expect_fact(MODEL, "max_images", "5", RF_FACT_BUILTIN);
    expect_fact(MODEL, "context_tokens", "9000", RF_FACT_LEARNED);
    assert_int_equal(forget("ollama:llava:13b:calibration"), 0);
    assert_int_equal(forget("ollama:llava:13b"), 1);
    assert_int_equal(forget("all"), 1);
    assert_int_equal(rf_learned_forget(config, "nobody:x", &count, &err), RF_EUSAGE);
}

static const struct {
    const char *name, *text;
    enum rf_code code;
    const char *words; /* in the message */
} documents[] = {
    { "an empty file", "", RF_EFORMAT, "learned.json" },
    { "no JSON", "{", RF_EFORMAT, "learned.json" },
    { "no object", "[]", RF_EFORMAT, "not a JSON object" },
    { "no version", "{\"facts\":[]}", RF_EFORMAT, "no version" },
    { "a version that is not a number", "{\"version\":\"1\"}", RF_EFORMAT, "version" },
    { "facts that are not a list", "{\"version\":1,\"facts\":{}}", RF_EFORMAT, "facts" },
    { "a fact that is not an object", DOCUMENT("1"), RF_EFORMAT, "facts[0]" },
    { "a fact without a model", DOCUMENT("{\"provider\":\"x\"}"), RF_EFORMAT, "facts[0]" },
    { "a value that is a list", DOCUMENT(ENTRY("m", "max_images", "[]")), RF_EFORMAT, "facts[0]" },
    { "a calibration that is text",
      "{\"version\":1,\"calibration\":[{\"provider\":\"p\",\"model\":\"m\",\"key\":\"k\","
      "\"value\":\"1\"}]}",
      RF_EFORMAT, "calibration[0]" },
    { "a newer version", "{\"version\":2,\"facts\":7}", RF_ECONFIG, "version 2" },
    { "the least that is right", "{\"version\":1}", RF_OK, NULL },
    { "facts of other versions are passed over",
      DOCUMENT(
          ENTRY("some-model", "no_such_fact", "1") "," ENTRY("some-model", "max_images", "\"x\"")),
      RF_OK, NULL },
};

static void wrong_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(documents); i++) {
        struct rf_model *m = NULL;
        struct rf_err err;
        bool newer = documents[i].code == RF_ECONFIG, corrupt = documents[i].code == RF_EFORMAT;
        unlink(broken);
        write_learned(documents[i].text);
        enum rf_code rc = rf_model_open(config, MODEL, &m, &err);
        const struct rf_err *problem = newer ? &err : m ? rf_model_problem(m) : NULL;
        if (rc != (newer ? RF_ECONFIG : RF_OK) || (problem != NULL) != (newer || corrupt))
            fail_msg("%s: code %d, problem \"%s\"", documents[i].name, (int)rc,
                     problem ? problem->msg : "");
        if (problem && !strstr(problem->msg, documents[i].words))
            fail_msg("%s: \"%s\"", documents[i].name, problem->msg);
        assert_int_equal(access(broken, F_OK) == 0, corrupt);
        assert_int_equal(access(file, F_OK) == 0, !corrupt);
        if (m)
            assert_int_equal(rf_model_fact_source(m, index_of("max_images")), RF_FACT_BUILTIN);
        rf_model_close(m);
    }
}

static void a_newer_file_is_left_alone(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model *m;
    struct rf_str text;
    struct rf_err err;
    size_t count;
    (void)state;
    assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
    write_learned("{\"version\":2}");
    assert_int_equal(rf_learned_forget(config, "all", &count, &err), RF_ECONFIG);
    assert_int_equal(rf_model_calibrate(m, config, 5000, 0, 6000, &err), RF_ECONFIG);
    assert_true(strlen(err.hint) > 0);
    assert_int_equal(rf_file_read(file, 1000, a, &text, NULL), RF_OK);
    assert_str(text, "{\"version\":2}");
    rf_model_close(m);
    rf_arena_free(a);
}

static void a_corrupt_file_does_not_stop_learning(void **state)
{
    struct rf_model *m;
    size_t fact;
    (void)state;
    assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
    write_learned("{\"version\":1,\"facts\":[");
    assert_int_equal(
        rf_model_learn(m, config,
                       RF_STR("{\"error\":{\"kind\":\"other\",\"message\":\"at most 3 images\"}}"),
                       &fact, NULL),
        RF_OK);
    assert_non_null(rf_model_problem(m));
    assert_int_equal(access(broken, F_OK), 0);
    expect_fact(MODEL, "max_images", "3", RF_FACT_LEARNED);
    rf_model_close(m);
}

static void a_folder_that_cannot_be_written(void **state)
{
    struct rf_err err;
    struct rf_model *m;
    size_t fact;
    (void)state;
    setenv("XDG_DATA_HOME", "/dev/null", 1);
    assert_int_equal(refuse(MODEL, "Image count 5 exceeds limit 4", &fact, &err), RF_EIO);
    assert_int_equal(fact, index_of("max_images"));
    assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
    assert_null(rf_model_problem(m));
    rf_model_close(m);
    setenv("XDG_DATA_HOME", "relative", 1);
    unsetenv("HOME");
    assert_int_equal(refuse(MODEL, "Image count 5 exceeds limit 4", &fact, &err), RF_OK);
    setenv("XDG_DATA_HOME", folder, 1);
}

static void a_file_that_cannot_be_read(void **state)
{
    struct rf_model *m;
    (void)state;
    write_learned("");
    unlink(file);
    assert_int_equal(mkdir(file, 0700), 0);
    assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
    assert_non_null(rf_model_problem(m));
    rf_model_close(m);
    assert_int_equal(access(file, F_OK), 0);
}

static void words_are_kept_fit_to_be_shown(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_learned l;
    struct rf_str words = RF_STR("a\x1b[31m\n\xc3\xa9");
    (void)state;
    assert_int_equal(rf_learned_lock(file, a, &l, NULL), RF_OK);
    while (words.n < 10000)
        words = rf_str_join(a, words, words);
    const struct rf_learned_fact f = { RF_STR("p"), RF_STR("m\"\\"), RF_STR("f"), RF_STR("x y"),
                                       RF_STR(""),  words,           RF_STR(""),  false };
    rf_learned_teach(&l, &f);
    assert_int_equal(rf_learned_save(&l, NULL), RF_OK);
    assert_int_equal(rf_learned_read(file, a, &l, NULL), RF_OK);
    assert_int_equal(l.fact_count, 1);
    assert_str(l.facts[0].model, "m\"\\");
    assert_str(l.facts[0].value, "x y");
    assert_true(l.facts[0].words.n <= 300);
    for (size_t i = 0; i < l.facts[0].words.n; i++)
        assert_true((unsigned char)l.facts[0].words.p[i] >= ' ');
    rf_arena_free(a);
}

static void the_file_is_bounded(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_learned l;
    struct stat st;
    (void)state;
    assert_int_equal(rf_learned_lock(file, a, &l, NULL), RF_OK);
    for (int i = 0; i < 3000; i++) {
        struct rf_str name = rf_strf(a, "%d%0190d", i, 0);
        const struct rf_learned_fact f = { name, name, name, name, RF_STR(""), name, name, false };
        rf_learned_teach(&l, &f);
        const struct rf_model m = { .provider = name, .name = name, .address = name };
        rf_learned_set_number(&l, &m, name, i);
    }
    struct rf_str last = l.facts[l.fact_count - 1].provider;
    assert_true(rf_str_starts(last, "2999"));
    assert_int_equal(rf_learned_save(&l, NULL), RF_OK);
    assert_int_equal(stat(file, &st), 0);
    assert_true(st.st_size < 2 << 20);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(rf_learned_read(file, a, &l, NULL), RF_OK);
    assert_int_equal(l.fact_count, 500);
    struct rf_str long_name = rf_strf(a, "%0201d", 0);
    const struct rf_learned_fact f = { long_name, last, last, last, last, last, last, false };
    rf_learned_teach(&l, &f);
    assert_int_equal(l.fact_count, 500);
    rf_arena_free(a);
}

static const struct {
    const char *name;
    double in, out;
} numbers[] = {
    { "a factor", 1.0451234, 1.045123 }, { "zero", 0, 0 },
    { "a count", 123456789, 123456789 }, { "less than zero", -0.25, -0.25 },
    { "too large", 1e30, 1e12 },         { "no number", 0.0 / 0.0, -1e12 },
};

static void numbers_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct rf_arena *a = rf_arena_new();
        const struct rf_model m = { .provider = RF_STR("p"), .name = RF_STR("m") };
        const struct rf_str k = RF_STR("k");
        struct rf_learned l;
        assert_int_equal(rf_learned_lock(file, a, &l, NULL), RF_OK);
        rf_learned_set_number(&l, &m, k, numbers[i].in);
        assert_int_equal(rf_learned_save(&l, NULL), RF_OK);
        assert_int_equal(rf_learned_read(file, a, &l, NULL), RF_OK);
        double got = rf_learned_number(&l, &m, k, 7), off = got - numbers[i].out;
        if (!(off < 1e-7 && off > -1e-7))
            fail_msg("%s: %f", numbers[i].name, got);
        assert_true(rf_learned_number(&l, &m, RF_STR("other"), 7) == 7);
        assert_int_equal(l.number_count, 1);
        rf_arena_free(a);
    }
}

static void calibration_is_kept_and_forgotten(void **state)
{
    struct rf_model *m;
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
        assert_int_equal(m->calibration.samples, i);
        assert_int_equal(rf_model_calibrate(m, config, 10000, 0, 12000, NULL), RF_OK);
        assert_int_equal(m->calibration.samples, i + 1);
        rf_model_close(m);
    }
    assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
    assert_true(m->calibration.factor > 1.15 && m->calibration.factor < 1.25);
    rf_model_close(m);
    assert_int_equal(forget(MODEL ":max_images"), 0);
    assert_int_equal(forget(MODEL ":calibration"), 2);
}

/* A simulator or a proxy, at another address, teaches nobody but itself. */
static void an_address_teaches_itself(void **state)
{
    static const char *const places[] = { "http://127.0.0.1:1/x",
                                          "http://u:secret@127.0.0.1:2/?k=secret", NULL };
    struct rf_arena *a = rf_arena_new();
    struct rf_model *m;
    struct rf_str text;
    size_t fact;
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        if (places[i])
            setenv(MOVING, places[i], 1);
        assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
        assert_int_equal(m->calibration.samples, 0);
        assert_int_equal(m->caps.max_images, 5);
        if (places[i]) {
            assert_int_equal(rf_model_calibrate(m, config, 10000, 0, 20000, NULL), RF_OK);
            assert_int_equal(
                refuse(MODEL, "Image count 5 exceeds limit 4 per request.", &fact, NULL), RF_OK);
        }
        rf_model_close(m);
        if (places[i]) {
            assert_int_equal(rf_model_open(config, MODEL, &m, NULL), RF_OK);
            assert_int_equal(m->calibration.samples, 1);
            assert_int_equal(m->caps.max_images, 4);
            rf_model_close(m);
        }
        unsetenv(MOVING);
    }
    assert_int_equal(rf_file_read(file, 1 << 20, a, &text, NULL), RF_OK);
    assert_true(rf_str_contains(text, RF_STR("\"address\":\"127.0.0.1:2\"")));
    assert_false(rf_str_contains(text, RF_STR("secret")));
    assert_int_equal(forget(MODEL), 6); /* wherever it was learned */
    rf_arena_free(a);
}

/* Each of many processes teaches a model of its own: nothing gets lost. */
static void many_at_once(void **state)
{
    enum { CHILDREN = 20, LESSONS = 5 };
    struct rf_learned *l;
    (void)state;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child)
            continue;
        for (int k = 0; k < LESSONS; k++) {
            char name[64];
            size_t fact;
            snprintf(name, sizeof name, "groq:m%d-%d", i, k);
            if (refuse(name, "Image count 5 exceeds limit 4", &fact, NULL))
                _exit(1);
        }
        _exit(0);
    }
    for (int i = 0, status; i < CHILDREN; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(rf_learned_open(config, &l, NULL), RF_OK);
    assert_int_equal(rf_learned_count(l), CHILDREN * LESSONS);
    rf_learned_close(l);
}

static void teach_for_ever(void)
{
    for (int k = 0;; k++) {
        char name[64];
        size_t fact;
        snprintf(name, sizeof name, "groq:m%d", k % 400);
        if (refuse(name, "Image count 5 exceeds limit 4", &fact, NULL))
            _exit(1);
    }
}

/* Killed at any time, a writer leaves a file that reads, and no lock. */
static void killed_writers(void **state)
{
    struct rf_learned *l;
    (void)state;
    teach(MODEL, "Image count 5 exceeds limit 4 per request.");
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
            teach_for_ever();
        usleep((useconds_t)(i * 150));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(rf_learned_open(config, &l, NULL), RF_OK);
        assert_null(rf_learned_problem(l));
        assert_true(rf_learned_count(l) >= 1);
        rf_learned_close(l);
    }
    teach(MODEL, "Image count 4 exceeds limit 3 per request.");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_written_where_nothing_is_learned),
        TEST(a_refusal_teaches_its_model_only),
        TEST(the_model_in_hand_learns_too),
        TEST(the_outer_words_teach_first),
        TEST(the_last_lesson_counts),
        TEST(the_configuration_wins),
        TEST(forgetting),
        TEST(wrong_documents),
        TEST(a_newer_file_is_left_alone),
        TEST(a_corrupt_file_does_not_stop_learning),
        TEST(a_folder_that_cannot_be_written),
        TEST(a_file_that_cannot_be_read),
        TEST(words_are_kept_fit_to_be_shown),
        TEST(the_file_is_bounded),
        TEST(numbers_come_back),
        TEST(calibration_is_kept_and_forgotten),
        TEST(an_address_teaches_itself),
        TEST(many_at_once),
        TEST(killed_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
