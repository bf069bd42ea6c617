/* Media that hides in text: what is lifted out, and what looks like it and stays. In the texts
 * $PNG$ and the like stand for base64, see files.h; what came out is shown as text, a file in it as
 * <TYPE BYTES>. */
#include "source/lift.h"

#include "files.h"

#include <sys/resource.h>

static struct rf_str show(struct rf_arena *a, const struct rf_block *b)
{
    return rf_strf(a, "<%s %.*s %lld>", rf_block_type_name(b->type), RF_FMT(b->media.media_type),
                   (long long)b->media.size_bytes);
}

/* All of the text with its files shown. */
static struct rf_str lifted_text(struct rf_arena *a, struct rf_str text)
{
    struct rf_str before, after, out = RF_STR("");
    struct rf_block block;
    while (rf_lift_text(text, a, &before, &block, &after)) {
        assert_int_equal(block.media.source.kind, RF_SOURCE_DATA);
        out = rf_strf(a, "%.*s%.*s%.*s", RF_FMT(out), RF_FMT(before), RF_FMT(show(a, &block)));
        text = after;
    }
    return rf_strf(a, "%.*s%.*s", RF_FMT(out), RF_FMT(text));
}

#define URL(word) "data:image/png;base64,$" word "$"
#define P73 "<image image/png 73>"
#define P75 "<image image/png 75>"
#define P3073 "<image image/png 3073>"

static const struct row {
    const char *name, *text;
    const char *want; /* NULL: as it was */
} lifts[] = {
    { "a data URL alone", URL("PNG"), P73 },
    { "a data URL in a sentence", "See " URL("PNG") ". It is red.", "See " P73 ". It is red." },
    { "a data URL in Markdown", "![a](" URL("PNG") ")\n", "![a](" P73 ")\n" },
    { "a data URL in HTML", "<img src='" URL("PNG") "' alt=x>", "<img src='" P73 "' alt=x>" },
    { "two data URLs", URL("PNG") " and " URL("LARGE") "!", P73 " and " P3073 "!" },
    { "two data URLs on a line each", URL("PNG") "\n" URL("PNG"), P73 "\n" P73 },
    { "a data URL with parameters", "x data:image/png;name=a.png;charset=x;base64,$PNG$",
      "x " P73 },
    { "a data URL without a type", "x data:;base64,$PNG$ x", "x " P73 " x" },
    { "a data URL in capitals", "x DATA:IMAGE/PNG;BASE64,$PNG$ x", "x " P73 " x" },
    { "a data URL that lies about its type", "x data:text/plain;base64,$PNG$ x", "x " P73 " x" },
    { "a data URL without padding, then words", URL("BARE") " and more", P73 " and more" },
    { "a data URL, then words of letters alone", URL("PNG") " this matters", P73 " this matters" },
    { "a data URL, then a line of letters alone", URL("BARE") "\nthanks", P73 "\nthanks" },
    { "a data URL in the URL alphabet", "x " URL("URLSAFE") " x", "x " P3073 " x" },
    { "a data URL as an address spells it",
      "x data:image/png;base64,"
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk%2BM9QDwADhgGAWjR9awAAAABJRU5E"
      "rkJggg%3d%3D x",
      "x <image image/png 70> x" },
    { "a data URL in lines of 76", "x " URL("WRAP76") "behind it.", "x " P3073 "\nbehind it." },
    { "a data URL in lines of 64", "x " URL("WRAP64") "\r\nThe end.",
      "x " P3073 "\r\n\r\nThe end." },
    { "a data URL in indented lines of 60", "- " URL("WRAP60") "", "- " P3073 "\n  " },
    { "a data URL that is cut off", "x " URL("CUT") " [truncated]",
      "x <image image/png 750> [truncated]" },
    { "a data URL without padding, then a word", URL("EVEN") " thanks", P75 " thanks" },
    { "a data URL without padding, then a line of one word", URL("EVEN") "\nthanks",
      P75 "\nthanks" },
    { "base64 without padding, then a line of one word", "It is $EVEN$\nthanks\n",
      "It is " P75 "\nthanks\n" },
    { "base64 alone", "$PNG$", P73 },
    { "base64 alone with space around it", " \n\t$PNG$\n", " \n\t" P73 "\n" },
    { "base64 in lines of 76", "$WRAP76$", P3073 "\n" },
    { "base64 in lines of 64", "$WRAP64$", P3073 "\r\n" },
    { "base64 in lines of 60", "$WRAP60$", P3073 "\n  " },
    { "base64 in the URL alphabet", "$URLSAFE$", P3073 },
    { "base64 without padding", "$BARE$", P73 },
    { "base64, then words", "$PNG$ is the picture", P73 " is the picture" },
    { "base64 after words", "Screenshot taken: $PNG$", "Screenshot taken: " P73 },
    { "base64 after a line", "Here it is:\n$LARGE$\nDone.", "Here it is:\n" P3073 "\nDone." },
    { "base64 in lines after a line", "Here it is:\n$WRAP76$Done.",
      "Here it is:\n" P3073 "\nDone." },
    { "base64 in a program's text", "x = \"$PNG$\"\ny = 'b'", "x = \"" P73 "\"\ny = 'b'" },
    { "base64 in a notebook's lines", "{\"image/png\": \"$ESCAPED76$\"},",
      "{\"image/png\": \"" P3073 "\\n\"}," },
    { "base64 after an assignment", "IMAGE=$LARGE$;", "IMAGE=" P3073 ";" },
    { "a JPEG", "x data:image/jpeg;base64,$JPEG$ x", "x <image image/jpeg 66> x" },
    { "a PDF", "$PDF$", "<document application/pdf 130>" },
    { "sound", "$WAV$", "<audio audio/wav 60>" },
    { "SVG as base64", "x data:image/svg+xml;base64,$SVG$", "x <image image/svg+xml 84>" },
    { "an icon with a mark", "data:image/x-icon;base64,$ICO$",
      "<image image/vnd.microsoft.icon 64>" },
};

static const struct row stays[] = {
    { "nothing", "", NULL },
    { "a short text", "See data:image/png;base64,", NULL },
    { "a data URL that is short", "x data:image/gif;base64,$GIF$ x", NULL },
    { "short base64", "$GIF$", NULL },
    { "a web token",
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiw"
      "iaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
      NULL },
    { "a hash in hexadecimal",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d28"
      "77eec2f63b931bd47417a81a538327af927da3e",
      NULL },
    { "a picture in hexadecimal",
      "89504e470d0a1a0a0000000d49484452000000030000000208020000001216f14d000000104944415478da63f8",
      NULL },
    { "objects of git",
      "tree 9f2c41d07ab39f2c41d07ab39f2c41d07ab39f2c\n"
      "parent 9f2c41d07ab39f2c41d07ab39f2c41d07ab39f2d\n",
      NULL },
    { "base64 of a text",
      "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQgcnVucyBhd2F5IHRoZW4u",
      NULL },
    { "a data URL of a text",
      "data:text/"
      "plain;base64,VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQgcnVucw==",
      NULL },
    { "a public key",
      "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDDe9q0w3mAbW4c1uJ2Vw6dVw3Rk8bQqk7f0m1t"
      "AAAAB3NzaC1yc2EAAAADAQABAAABAQDDe9q0w3mAbW4c1uJ2 me@here",
      NULL },
    { "a certificate",
      "-----BEGIN CERTIFICATE-----\n"
      "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n"
      "RTESMBAGA1UEChMJQmFsdGltb3JlMRMwEQYDVQQLEwpDeWJlclRydXN0MSIwIAYD\n"
      "-----END CERTIFICATE-----\n",
      NULL },
    { "SVG as text in a data URL",
      "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' width='8' height='4'></svg>",
      NULL },
    { "a data URL of nothing that is known",
      "data:image/png;base64,AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEy",
      NULL },
    { "bytes of nothing that is known",
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw==",
      NULL },
    { "an icon without a mark, whose few bytes mean nothing", "$ICO$", NULL },
    { "sound without a mark, whose few bytes mean nothing",
      "//sYwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA//"
      "sYwAAAAAAA",
      NULL },
    { "a picture whose size is nonsense",
      "x data:image/"
      "png;base64,iVBORw0KGgoAAAANSUhEUgAAAAAAAAAACCAIAAAASFvFNAAAAEElEQVR42mP4z8AAQQxwFgBB0",
      NULL },
    { "words without a point",
      "The quick brown fox jumps over the lazy dog and then it runs and runs and runs away from it "
      "and nobody has ever seen it again in this forest or in any other",
      NULL },
    { "a long path",
      "/usr/share/doc/packages/somewhere/very/deep/inside/of/a/tree/that/nobody/reads", NULL },
    { "a long line of dashes",
      "--------------------------------------------------------------------------------", NULL },
    { "a long line of one letter",
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      "A",
      NULL },
    { "metadata: and nothing after it that is base64",
      "metadata:image/png;base64,this is not what it says, and there is more than enough of it "
      "here",
      NULL },
};

static void text_row(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = filled_in(a, row->text);
    assert_str(lifted_text(a, text), row->want ? row->want : rf_cstr(a, text));
    rf_arena_free(a);
}

#define OUT(what) "[" what ": taken out of this JSON, see below]"
#define OUT73 OUT("image/png, 73 bytes")

static const struct json_row {
    const char *name, *json; /* with ' for " */
    const char *want;        /* the JSON, then the files; NULL: nothing is lifted */
} jsons[] = {
    { "a string of base64", "{'image':'$PNG$','n':1.50}", "{'image':'" OUT73 "','n':1.50}" P73 },
    { "a data URL", "['" URL("PNG") "']", "['" OUT73 "']" P73 },
    { "a data URL within a string", "{'md':'![x](" URL("PNG") ") ok'}",
      "{'md':'![x](" OUT73 ") ok'}" P73 },
    { "several, in order", "[['$PNG$'],{'a':'$PDF$'}]",
      "[['" OUT73 "'],{'a':'" OUT("application/pdf, 130 bytes") "'}]" P73
                                                                "<document application/pdf 130>" },
    { "two in one string", "['" URL("PNG") " " URL("PNG") "']", "['" OUT73 " " OUT73 "']" P73 P73 },
    { "slashes with a backslash, as some write them", "['data:image\\/png;base64,$PNG$ \\/']",
      "['" OUT73 " /']" P73 },
    { "escaped letters", "['\\u0064ata:image\\/png;base64,$PNG$']", "['" OUT73 "']" P73 },
    { "lines in a string", "['$ESCAPED76$']", "['" OUT("image/png, 3073 bytes") "\\n']" P3073 },
    { "a name that holds one", "{'$PNG$':1,'x':2}", "{'" OUT73 "':1,'x':2}" P73 },
    { "numbers, escapes and doubles stay as they are",
      "{'a':'\\u00e9\\/','a':1E400,'p':'$PNG$','z':[null,true,{}]}",
      "{'a':'\\u00e9\\/','a':1E400,'p':'" OUT73 "','z':[null,true,{}]}" P73 },
    { "nothing hides",
      "{'a':['some text that is long enough to be looked at, but holds no files']}", NULL },
    { "short strings", "['$GIF$','$GIF$']", NULL },
    { "no JSON at all", "{'a':'$PNG$', oops}", NULL },
    { "a string alone is not a container", "'$PNG$'", NULL },
};

static void json_row(void **state)
{
    const struct json_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_lifted lifted = { 0 };
    struct rf_str text = filled_in(a, quoted(a, row->json).p), json;
    bool found = rf_lift_json_text(text, a, &json, &lifted);
    assert_int_equal(found, row->want != NULL);
    if (found) {
        const struct rf_jval *v;
        assert_int_equal(rf_jval_parse(json, a, &v, NULL), RF_OK);
        for (size_t i = 0; i < lifted.count; i++)
            json = rf_strf(a, "%.*s%.*s", RF_FMT(json), RF_FMT(show(a, lifted.blocks[i])));
        assert_str(json, quoted(a, row->want).p);
    }
    rf_arena_free(a);
}

static const struct row aways[] = {
    { "a picture in a text", "See " URL("PNG") ".", "See (base64 left out)." },
    { "a picture in JSON", "{ \"a\": \"$PNG$\", \"b\": 1.50 }",
      "{\"a\":\"(base64 left out)\",\"b\":1.50}" },
    { "a picture in a notebook's lines", "{\"image/png\": [\"$ESCAPED76$\"]}",
      "{\"image/png\":[\"(base64 left out)\\n\"]}" },
    { "nothing in a text", "Nothing hides here, and this is long enough to look for it. Really.",
      NULL },
    { "nothing in JSON, which keeps its spaces",
      "{ \"a\": \"nothing hides here, and this is long enough to look\" }", NULL },
    { "nothing", "", NULL },
};

static void away_row(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = filled_in(a, row->text), got = rf_lift_away(text, a);
    assert_str(got, row->want ? row->want : rf_cstr(a, text));
    assert_int_equal(got.p == text.p, row->want == NULL);
    rf_arena_free(a);
}

/* A value that is a string alone is lifted too, and becomes words. */
static void a_json_string_alone(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_lifted lifted = { 0 };
    const struct rf_jval *v;
    assert_int_equal(rf_jval_parse(filled_in(a, "\"$PNG$\""), a, &v, NULL), RF_OK);
    assert_str(rf_lift_json(v, a, &lifted), "\"" OUT73 "\"");
    assert_int_equal(lifted.count, 1);
    rf_arena_free(a);
}

/* What is lifted decodes to the file, byte by byte. */
static void what_is_lifted_is_the_file(void **state)
{
    static const char *const texts[] = { "x " URL("LARGE"), "$WRAP60$", "a: $URLSAFE$",
                                         "{\"a\":\"$ESCAPED76$\"" };
    struct rf_arena *a = rf_arena_new();
    struct rf_str png = long_png(a, 3000), before, after;
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct rf_block block;
        assert_true(rf_lift_text(filled_in(a, texts[i]), a, &before, &block, &after));
        struct rf_str ref = block.media.source.ref;
        char *digits = rf_arena_alloc(a, ref.n + 4), *bytes = rf_arena_alloc(a, ref.n);
        size_t n = 0;
        for (size_t j = 0; j < ref.n; j++) {
            char c = ref.p[j] == '-' ? '+' : ref.p[j] == '_' ? '/' : ref.p[j];
            if (c == '\\')
                j++;
            else if (!strchr(" \r\n\t=", c))
                digits[n++] = c;
        }
        while (n % 4)
            digits[n++] = '=';
        assert_true(rf_base64_decode(digits, n, bytes));
        assert_memory_equal(bytes, png.p, png.n);
    }
    rf_arena_free(a);
}

/* Many files in one text: memory must not grow with their number times their size. */
static void lift_many(const void *arg)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str one = filled_in(a, arg), before, after;
    size_t count = 4000, found = 0;
    char *text = rf_arena_alloc(a, one.n * count);
    struct rf_block block;
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * one.n, one.p, one.n);
    struct rf_str rest = { text, one.n * count };
    struct rusage usage;
    for (; rf_lift_text(rest, a, &before, &block, &after); found++)
        rest = after;
    getrusage(RUSAGE_SELF, &usage);
    if (found != count || usage.ru_maxrss > 256 * 1024)
        abort();
}

static void many_files_take_little_memory_and_time(void **state)
{
    (void)state;
    assert_false(aborts(lift_many, "\n" URL("PNG") " and\n"));
    assert_false(aborts(lift_many, "\n" URL("BARE") ",\n"));
    assert_false(aborts(lift_many, "\"$BARE$\",\n"));
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_json_string_alone),
        cmocka_unit_test(what_is_lifted_is_the_file),
        cmocka_unit_test(many_files_take_little_memory_and_time),
    };
    struct CMUnitTest
        tests[COUNT(lifts) + COUNT(stays) + COUNT(jsons) + COUNT(aways) + COUNT(others)];
    struct CMUnitTest *at = tests;
    name_rows(at, text_row, lifts, COUNT(lifts), sizeof *lifts);
    name_rows(at += COUNT(lifts), text_row, stays, COUNT(stays), sizeof *stays);
    name_rows(at += COUNT(stays), json_row, jsons, COUNT(jsons), sizeof *jsons);
    name_rows(at += COUNT(jsons), away_row, aways, COUNT(aways), sizeof *aways);
    memcpy(at + COUNT(aways), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
