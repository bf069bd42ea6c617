/* Where a bucket is, and what little of XML its answers have. */
#include "bucket/place.h"
#include "bucket/xml.h"

#include "../testing.h"

static const struct {
    const char *name, *address, *endpoint, *region;
    const char *want; /* the address of the object "k"; or "!" and words of the error */
} places[] = {
    { "Amazon's, by its host", "s3://media", "", "eu-central-1",
      "https://media.s3.eu-central-1.amazonaws.com/k?q" },
    { "a dot has no certificate", "s3://me.dia/x", "", "eu-central-1",
      "https://s3.eu-central-1.amazonaws.com/me.dia/k?q" },
    { "China", "s3://media", "", "cn-north-1", "https://media.s3.cn-north-1.amazonaws.com.cn/k?q" },
    { "without a region", "s3://media/", "", "", "https://media.s3.us-east-1.amazonaws.com/k?q" },
    { "an endpoint", "s3://media/a/b", "http://127.0.0.1:9000/", "",
      "http://127.0.0.1:9000/media/k?q" },
    { "an endpoint below a path", "s3://media", "https://h/s3", "x", "https://h/s3/media/k?q" },
    { "no bucket", "s3://", "", "", "!not the address of a bucket" },
    { "a short name", "s3://ab/c", "", "", "!not the address of a bucket" },
    { "a name of dots", "s3://.../c", "", "", "!not the address of a bucket" },
    { "a space in a prefix", "s3://media/a b", "", "", "!not the address of a bucket" },
    { "a prefix that leads up", "s3://media/a/../b", "", "", "!not the address of a bucket" },
    { "an empty name in a prefix", "s3://media/a//b", "", "", "!not the address of a bucket" },
    { "a query", "s3://media/a?b", "", "", "!not the address of a bucket" },
    { "an endpoint with a password", "s3://media", "https://a:b@h", "", "!not a web address" },
    { "an endpoint without a scheme", "s3://media", "h:9000", "", "!not a web address" },
    { "another scheme", "s3://media", "ftp://h", "", "!not a web address" },
    { "a region that would be a host", "s3://media", "", "evil.example/", "!not a region" },
};

static void check_place(void **state)
{
    size_t i = *(size_t *)*state;
    struct rf_arena *a = rf_arena_new();
    struct rf_bucket_place p;
    struct rf_err err = { 0 };
    setenv("AWS_ENDPOINT_URL_S3", places[i].endpoint, 1);
    setenv("AWS_REGION", places[i].region, 1);
    enum rf_code rc = rf_bucket_place_find(places[i].address, a, &p, &err);
    if (places[i].want[0] == '!') {
        assert_int_equal(rc, RF_ECONFIG);
        if (!strstr(err.msg, places[i].want + 1))
            fail_msg("%s", err.msg);
    } else {
        assert_int_equal(rc, RF_OK);
        assert_string_equal(rf_bucket_place_url(&p, RF_STR("k"), RF_STR("q"), a), places[i].want);
    }
    rf_arena_free(a);
}

static void a_server_moves_it_to_regions_alone(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_bucket_place p = { .region = RF_STR("us-east-1") };
    (void)state;
    assert_false(rf_bucket_place_move(&p, RF_STR("us-east-1"), a));
    assert_false(rf_bucket_place_move(&p, RF_STR(""), a));
    assert_false(rf_bucket_place_move(&p, RF_STR("evil.example/"), a));
    assert_true(rf_bucket_place_move(&p, RF_STR("eu-west-1"), a));
    assert_true(rf_str_is(p.region, "eu-west-1"));
    rf_arena_free(a);
}

static const struct {
    const char *name, *text, *element, *want;
} elements[] = {
    { "a text", "<A><B>x</B></A>", "B", "x" },
    { "the first of them", "<B>x</B><B>y</B>", "B", "x" },
    { "an attribute", "<B xmlns=\"u\">x</B>", "B", "x" },
    { "an empty one", "<B/>", "B", "" },
    { "a longer name is another", "<BC>x</BC><B>y</B>", "B", "y" },
    { "an end tag of a longer name", "<B>x</BC></B>", "B", "x</BC>" },
    { "entities", "<B>&quot;&lt;&amp;&gt;&apos;&#65;&#x42;</B>", "B", "\"<&>'AB" },
    { "what is not an entity", "<B>&x;&#0;&#99999999999;&#</B>", "B", "&x;&#0;&#99999999999;&#" },
    { "none", "<A>x</A>", "B", "" },
    { "not closed", "<B>x", "B", "" },
    { "cut in the tag", "<B", "B", "" },
    { "cut in the end tag", "<B>x</B", "B", "" },
    { "nothing", "", "B", "" },
};

static void check_element(void **state)
{
    size_t i = *(size_t *)*state;
    struct rf_arena *a = rf_arena_new();
    assert_str(rf_xml_get(rf_str(elements[i].text), elements[i].element, a), elements[i].want);
    rf_arena_free(a);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(places) + COUNT(elements) + 1];
    static size_t rows[COUNT(places) + COUNT(elements)];
    unsetenv("AWS_ENDPOINT_URL");
    unsetenv("AWS_DEFAULT_REGION");
    setenv("AWS_CONFIG_FILE", "/dev/null", 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null", 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool place = i < COUNT(places);
        rows[i] = place ? i : i - COUNT(places);
        tests[i] = (struct CMUnitTest){ .name = place ? places[i].name : elements[rows[i]].name,
                                        .test_func = place ? check_place : check_element,
                                        .initial_state = &rows[i] };
    }
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(a_server_moves_it_to_regions_alone);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
