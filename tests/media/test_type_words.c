/* Types in a sentence, as people call them. */
#include "base/arena.h"
#include "media/type_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <refract/request.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct {
    const char *text, *want;
} rows[] = {
    { "groq takes no image/png", "groq takes no PNG images" },
    { "openai takes no application/pdf.", "openai takes no PDF." },
    { "\"a.wav\" (audio/wav) cannot be sent", "\"a.wav\" (WAV sound) cannot be sent" },
    { "image/jpeg x 3 frames", "JPEG image x 3 frames" },
    { "xai takes no image/png by the URL https://e.com/image/png here",
      "xai takes no PNG images by the URL https://e.com/image/png here" },
    { "video/mp4, image/svg+xml", "MP4 video, SVG image" },
    { "text/x-nobody and and/or", "text/x-nobody and and/or" },
    { "", "" },
};

static void types_become_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char out[200];
        assert_string_equal(rf_types_in_words(rf_str(rows[i].text), out, sizeof out), rows[i].want);
    }
}

static void what_does_not_fit_is_cut(void **state)
{
    char out[8];
    (void)state;
    assert_string_equal(rf_types_in_words(RF_STR("no image/png"), out, sizeof out), "no PNG ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_become_words),
        cmocka_unit_test(what_does_not_fit_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
