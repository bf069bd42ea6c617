/* What refusals teach: the words of providers and of servers, as they were seen, and the fact. */
#include "testing.h"

#include "base/file.h"
#include "model/facts.h"
#include "wire/lesson.h"
#include "wire/wire.h"

/* `fact` NULL: nothing. The name of a row is the message. */
static const struct {
    const char *words, *fact, *value;
} rows[] = {
    /* pictures in a request */
    { "Image count 5 exceeds limit 4 per request.", "max_images", "4" },
    { "At most 1 image(s) may be provided in one request.", "max_images", "1" },
    { "At most 5 image(s) may be provided in one prompt.", "max_images", "5" },
    { "Unrecognized request argument supplied: stream_options", "stream_usage", "no" },
    { "Unknown parameter: 'stream_options.include_usage'.", "stream_usage", "no" },
    { "Unsupported parameter: 'temperature' is not supported with this model.", "sampling", "no" },
    { "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) "
      "value is supported.",
      "sampling", "no" },
    { "This model does not support assistant message prefill. The conversation must end with a user "
      "message.",
      "prefill", "no" },
    { "This model does not support response format `json_schema`.", "answer_schema", "no" },
    { "This response_format type is unavailable now", "answer_schema", "no" },
    { "Invalid schema for response_format 'answer': 'additionalProperties' is required", NULL, "" },
    { "At most 0 image(s) may be provided in one prompt.", "vision", "no" },
    { "Unable to submit request because the model supports at most 6 image parts per input "
      "instance, but 7 were provided. Learn more: https://cloud.google.com/vertex-ai",
      "max_images", "6" },
    { "Too much media: 0 document pages + 104 images > 100", "max_images", "100" },
    { "Too much media: 120 document pages + 30 images > 100", "max_images", "100" },
    { "too many images and documents: 19 + 5 > 20", "max_images", "20" },
    { "The model returned the following errors: messages: too many images: image_count > 20",
      "max_images", "20" },
    { "Too many images in request. Max is 10.", "max_images", "10" },
    { "Too many images in request: 11 images provided, but the model supports a maximum of 10 "
      "images.",
      "max_images", "10" },
    { "too many images in the message, max allowed is 16", "max_images", "16" },
    { "request contains 54 images, exceeding the maximum of 50 allowed per request", "max_images",
      "50" },
    { "Please use fewer than 16 images in your request to models/gemini-pro-vision", "max_images",
      "15" },
    { "Too many images provided. This model supports up to 5 images", "max_images", "5" },
    { "vision model only supports a single image per message", "max_images", "1" },

    /* bytes of one picture */
    { "messages.0.content.0.image.source.base64.data: image exceeds 5 MB maximum: 7153196 bytes > "
      "5242880 bytes",
      "max_image_base64", "5242880" },
    { "image exceeds 5 MB maximum", "max_image_base64", "5242880" },
    { "image exceeds 10MB maximum", "max_image_base64", "10485760" },
    { "Invalid 'messages[0].content[1].image_url.url': string too long. Expected a string with "
      "maximum length 20971520, but got a string with length 21000000 instead.",
      "max_image_base64", "20971456" },
    { "Image size is 25.1MB, which exceeds the allowed limit of 20.0MB for vision.",
      "max_image_bytes", "20971520" },
    { "The image size exceeds the maximum of 3.75 MB", "max_image_bytes", "3932160" },
    { "image too large: 12 MB (max 10 MiB)", "max_image_bytes", "10485760" },

    /* pixels */
    { "messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed "
      "max allowed size: 8000 pixels",
      "max_image_side", "8000" },
    { "messages.19.content.27.image.source.base64.data: At least one of the image dimensions "
      "exceed max allowed size for many-image requests: 2000 pixels",
      "many_image_side", "2000" },
    { "image dimensions 9000x100 exceed the maximum of 8000x8000", "max_image_side", "8000" },
    { "image exceeds the maximum of 33177600 pixels", "max_image_pixels", "33177600" },
    { "image exceeds the maximum of 4096 pixels", "max_image_side", "4096" },
    { "The image exceeds 33 megapixels", "max_image_pixels", "33000000" },

    /* the body */
    { "Request payload size exceeds the limit: 20971520 bytes.", "max_body_bytes", "20971520" },
    { "Maximum content size limit (26214400) exceeded (27000000 bytes read)", "max_body_bytes",
      "26214400" },
    { "Request exceeds the maximum allowed number of bytes. The maximum request size is 32 MB.",
      "max_body_bytes", "33554432" },
    { "Request too large (max 32MB). Try with a smaller file.", "max_body_bytes", "33554432" },

    /* pages and documents */
    { "A maximum of 100 PDF pages may be provided.", "max_pdf_pages", "100" },
    { "The document contains 1,234 pages which exceeds the supported page limit of 1,000.",
      "max_pdf_pages", "1000" },
    { "The number of documents (6) exceeds the maximum (5)", "max_documents", "5" },
    { "a request takes at most 5 documents", "max_documents", "5" },
    { "The document exceeds the maximum size of 4.5 MB", "max_document_bytes", "4718592" },
    { "The file exceeds the limit of 50 MB", "max_document_bytes", "52428800" },

    /* the window */
    { "prompt is too long: 210000 tokens > 200000 maximum", "context_tokens", "200000" },
    { "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input "
      "length or `max_tokens` and try again",
      "context_tokens", "200000" },
    { "This model's maximum context length is 128000 tokens. However, your messages resulted in "
      "130012 tokens. Please reduce the length of the messages.",
      "context_tokens", "128000" },
    { "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
      "(4000 in the messages, 1000 in the completion).",
      "context_tokens", "4096" },
    { "This endpoint's maximum context length is 131,072 tokens. However, you requested about "
      "140,000 tokens (139,000 of text input).",
      "context_tokens", "131072" },
    { "maximum context length is 128000 tokens", "context_tokens", "128000" },
    { "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      "context_tokens", "131072" },
    { "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
      "context_tokens", "1048575" },
    { "The input token count exceeds the maximum number of tokens allowed 1048576.",
      "context_tokens", "1048576" },
    { "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 "
      "tokens. Please reduce the length of the messages.",
      "context_tokens", "272000" },
    { "Prompt contains 130000 tokens and 0 draft tokens, too large for model with 128000 maximum "
      "context length",
      "context_tokens", "128000" },
    { "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure "
      "that `max_model_len` is no smaller",
      "context_tokens", "4096" },
    { "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
      "context_tokens", "4096" },
    { "Trying to keep the first 5000 tokens when context the overflows. However, the model is "
      "loaded with context length of only 4096 tokens, which is not enough.",
      "context_tokens", "4096" },
    { "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
      "context_tokens", "4096" },
    { "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 "
      "`max_new_tokens`",
      "context_tokens", "4096" },
    { "Range of input length should be [1, 129024]", "context_tokens", "129024" },
    { "prompt token count of 70000 exceeds the limit of 64000", "context_tokens", "64000" },
    { "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
      "context_tokens", "262144" },

    /* the answer */
    { "too many tokens: max tokens must be less than or equal to 4096, the maximum output for this "
      "model - received 8192.",
      "max_output_tokens", "4096" },
    { "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try "
      "using a shorter prompt, or enabling prompt truncating.",
      "context_tokens", "4081" },
    { "invalid request: too many images, the maximum is 20", "max_images", "20" },
    { "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for "
      "claude-sonnet-4-5",
      "max_output_tokens", "64000" },
    { "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, "
      "whereas you provided 100000.",
      "max_output_tokens", "16384" },
    { "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but "
      "got 20000 instead.",
      "max_output_tokens", "16384" },
    { "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported "
      "range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
      "max_output_tokens", "65536" },
    { "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum "
      "tokens value that is lower than 4096.",
      "max_output_tokens", "4096" },
    { "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is "
      "less than the `context_window` for this model",
      "max_output_tokens", "8192" },
    { "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "max_output_tokens",
      "8192" },
    { "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
      "max_output_tokens", "8192" },

    /* nothing: about an account, absurd, or no limit */
    { "Rate limit reached for model in organization on tokens per minute (TPM): Limit 6000, "
      "Requested 7000. maximum context length is 6000 tokens",
      NULL, NULL },
    { "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, "
      "but can only afford 1234. at most 1234 output tokens",
      NULL, NULL },
    { "invalid params, context window exceeds limit (2013)", NULL, NULL },
    { "prompt is too long: 100 tokens > 200000 maximum", NULL, NULL },
    { "This model's maximum context length is 9000 tokens. However, you requested 5000 tokens",
      NULL, NULL },
    { "Image count 4 exceeds limit 4 per request.", NULL, NULL },
    { "prompt is too long: 9 tokens > 5 maximum", NULL, NULL },
    { "At most 4000000 image(s) may be provided in one request.", NULL, NULL },
    { "maximum context length is 99999999999999999999999 tokens", NULL, NULL },
    { "image exceeds 1 KB maximum", NULL, NULL },
    { "A maximum of 0 PDF pages may be provided.", NULL, NULL },
    { "Input is too long for requested model.", NULL, NULL },
    { "Your input exceeds the context window of this model.", NULL, NULL },
    { "`max_tokens` must be greater than `thinking.budget_tokens`.", NULL, NULL },
    { "at most", NULL, NULL },
    { "", NULL, NULL },
};

static bool lesson_of(struct rf_str words, enum rf_error_kind kind, struct rf_lesson *out)
{
    return rf_lesson_from(kind, words, out);
}

static void words_teach(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_lesson lesson = { "nothing", "" };
        bool taught = lesson_of(rf_str(rows[i].words), RF_ERROR_OTHER, &lesson);
        if (taught != (rows[i].fact != NULL) ||
            (taught && (strcmp(lesson.fact, rows[i].fact) || strcmp(lesson.value, rows[i].value))))
            fail_msg("\"%s\" taught %s=%s", rows[i].words, lesson.fact, lesson.value);
    }
}

static void lessons_fit_their_facts(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_caps caps = { 0 };
        struct rf_lesson lesson;
        if (!lesson_of(rf_str(rows[i].words), RF_ERROR_TOO_LARGE, &lesson))
            continue;
        const struct rf_fact *fact = rf_fact_find(rf_str(lesson.fact));
        assert_non_null(fact);
        assert_int_equal(rf_fact_store(fact, rf_str(lesson.value), a, &caps, NULL), RF_OK);
    }
    rf_arena_free(a);
}

static void only_refusals_of_a_request_teach(void **state)
{
    static const enum rf_error_kind no[] = { RF_ERROR_NONE,       RF_ERROR_AUTHENTICATION,
                                             RF_ERROR_PERMISSION, RF_ERROR_RATE_LIMIT,
                                             RF_ERROR_OVERLOADED, RF_ERROR_NOT_FOUND };
    static const enum rf_error_kind yes[] = { RF_ERROR_CONTEXT_TOO_LONG, RF_ERROR_TOO_LARGE,
                                              RF_ERROR_BAD_MEDIA, RF_ERROR_UNSUPPORTED,
                                              RF_ERROR_OTHER };
    struct rf_lesson lesson;
    (void)state;
    for (size_t i = 0; i < COUNT(no); i++)
        assert_false(lesson_of(rf_str(rows[0].words), no[i], &lesson));
    for (size_t i = 0; i < COUNT(yes); i++)
        assert_true(lesson_of(rf_str(rows[0].words), yes[i], &lesson));
}

/* Each cut of each message, and one that repeats what patterns begin with: none reads past the end
 * or takes long. */
static void cut_and_long_messages(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_lesson lesson;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t n = 0; n < strlen(rows[i].words); n++) {
            char *cut = malloc(n ? n : 1);
            assert_non_null(cut);
            memcpy(cut, rows[i].words, n);
            lesson_of((struct rf_str){ cut, n }, RF_ERROR_OTHER, &lesson);
            free(cut);
        }
    struct rf_str text = RF_STR("image exceeds request too large max 5 file pixel ");
    while (text.n < 1 << 20)
        text = rf_str_join(a, text, text);
    lesson_of(text, RF_ERROR_OTHER, &lesson);
    rf_arena_free(a);
}

/* Of what was recorded, one refusal is about a limit, and others about a temperature. */
static void what_real_servers_said(void **state)
{
    const char *shared = getenv("REFRACT_SHARED");
    char path[4096];
    struct rf_arena *a = rf_arena_new();
    struct rf_str text, line, field[3];
    struct rf_lesson lesson;
    size_t limits = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/spec/provider-errors.tsv", shared ? shared : "");
    if (!shared || rf_file_read(path, 1 << 20, a, &text, NULL)) {
        print_message("skipped: REFRACT_SHARED is not set, or has no provider-errors.tsv\n");
        rf_arena_free(a);
        skip();
    }
    while (rf_str_split(&text, '\n', &line)) {
        int64_t status = 0;
        for (size_t i = 0; i < 3; i++)
            rf_str_split(&line, '\t', &field[i]);
        rf_str_int64(field[1], &status);
        enum rf_error_kind kind = rf_wire_error_kind((int)status, RF_STR(""), field[2]);
        if (!lesson_of(field[2], kind, &lesson))
            continue;
        bool limit = rf_str_contains(field[2], RF_STR("at most 6 image parts"));
        const char *want = limit ? "max_images" : "sampling";
        if (strcmp(lesson.fact, want) != 0 ||
            (!limit && !rf_str_contains(field[2], RF_STR("'temperature' "))))
            fail_msg("%s=%s from: %.*s", lesson.fact, lesson.value, RF_FMT(field[2]));
        limits += limit;
    }
    assert_int_equal(limits, 1);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_teach),
        cmocka_unit_test(lessons_fit_their_facts),
        cmocka_unit_test(only_refusals_of_a_request_teach),
        cmocka_unit_test(cut_and_long_messages),
        cmocka_unit_test(what_real_servers_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
