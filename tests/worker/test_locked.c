/* Documents that need a password: each kind of encryption opens with the right one, and says what
 * is wrong otherwise. All of them are made here. */
#include "locking.h"

#include <refract/tools.h>

#define PASSWORD "S\xc3\xa9" /* in UTF-16 it is what `wide` makes of LATIN */
#define LATIN "S\xe9"
#define CLOSED "!encrypted: the document is encrypted"
#define WRONG "!encrypted: the password does not open the document"
#define FOREIGN "!encrypted: the document is encrypted in a way that is not supported"

static struct rf_arena *arena;

static int set_up(void **state)
{
    arena = rf_arena_new();
    return use_built_workers(state);
}

static int tear_down(void **state)
{
    rf_arena_free(arena);
    return stop_workers(state);
}

/* The first line of the first part, or "!" and the error. */
static struct rf_str told(const struct rf_job *job)
{
    struct rf_str line = RF_STR(""), rest = job->part_count ? job->parts[0].text : RF_STR("");
    if (job->failed)
        return rf_strf(arena, "!%s: %s", rf_code_name(job->failed), job->err.msg);
    rf_str_split(&rest, '\n', &line);
    return line;
}

static struct rf_job ask(const char *family, const char *password, struct rf_str document)
{
    struct rf_str lines =
        rf_strf(arena, "op=text\n%s%s\n", password ? "password=" : "", password ? password : "");
    return ask_worker(arena, family, lines.p, document);
}

/* It opens with the password, and with no other. */
static void check_opens(const char *family, struct rf_str document, const char *want)
{
    struct rf_job job = ask(family, PASSWORD, document);
    assert_str(told(&job), want);
    assert_int_equal(job.note_count, 0);
    job = ask(family, "other", document);
    assert_str(told(&job), WRONG);
    assert_int_equal(job.err.reason, RF_REASON_PASSWORD);
    job = ask(family, NULL, document);
    assert_str(told(&job), CLOSED);
    assert_int_equal(job.err.reason, RF_REASON_PASSWORD);
}

/* Office Open XML. */

#define REL_NAMES "http://schemas.openxmlformats.org/package/2006/relationships"
#define REL_TYPE \
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"

/* A docx of more than one segment. */
static struct rf_str letter(void)
{
    struct rf_str filling = fitted(arena, RF_STR(""), 9000, 'x');
    struct rf_str text =
        rf_strf(arena,
                "<w:document xmlns:w=\"w\"><w:body><w:p><w:r><w:t>Secret</w:t></w:r>"
                "</w:p><w:p><w:r><w:t>%.*s</w:t></w:r></w:p></w:body></w:document>",
                RF_FMT(filling));
    const struct member members[] = {
        { "_rels/.rels",
          B("<Relationships xmlns=\"" REL_NAMES "\"><Relationship Id=\"r\" Type=\"" REL_TYPE
            "\" Target=\"word/document.xml\"/></Relationships>") },
        { "word/document.xml", text },
    };
    return zip_of(arena, members, COUNT(members));
}

static const struct agile_row {
    const char *name;
    struct agile how;
    const char *want; /* NULL: it opens */
} agiles[] = {
    { "agile: SHA-512 and AES-256", { "SHA512", 256, 1000, LATIN, NULL, false }, NULL },
    { "agile: SHA-384 and AES-192", { "SHA384", 192, 10, LATIN, NULL, false }, NULL },
    { "agile: SHA-256 and AES-128", { "SHA256", 128, 10, LATIN, NULL, false }, NULL },
    { "agile: SHA-1, whose hash is short of a key", { "SHA1", 256, 10, LATIN, NULL, false }, NULL },
    { "agile: a password that is not hashed again", { "SHA1", 128, 0, LATIN, NULL, false }, NULL },
    { "agile: another mode", { "SHA512", 256, 1, LATIN, "ChainingModeCFB", false }, FOREIGN },
    { "agile: another hash", { "SHA224", 256, 1, LATIN, NULL, false }, FOREIGN },
};

static void check_agile(void **state)
{
    const struct agile_row *row = *state;
    struct rf_str document = lock_agile(arena, letter(), &row->how);
    if (!row->want) {
        check_opens("office", document, "Secret");
        return;
    }
    struct rf_job job = ask("office", PASSWORD, document);
    assert_str(told(&job), row->want);
}

static void tells_what_is_inside(void **state)
{
    (void)state;
    struct agile how = { "SHA512", 256, 1, LATIN, NULL, false };
    struct rf_job job = ask("office", PASSWORD, lock_agile(arena, letter(), &how));
    assert_str(fact_of(&job, "mime"),
               "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
}

static void notes_that_it_was_changed(void **state)
{
    (void)state;
    struct agile how = { "SHA512", 256, 1, LATIN, NULL, true };
    struct rf_job job = ask("office", PASSWORD, lock_agile(arena, letter(), &how));
    assert_true(is_noted(&job, "was changed after it was encrypted"));
}

/* Names and numbers of the XML that would cost much, or lead nowhere. */
static void refuses_odd_numbers(void **state)
{
    static const char *const infos[] = {
        "<encryption><keyData blockSize=\"16\" keyBits=\"128\" cipherAlgorithm=\"AES\" "
        "cipherChaining=\"ChainingModeCBC\" hashAlgorithm=\"SHA1\"/><encryptedKey "
        "spinCount=\"%s\" blockSize=\"16\" keyBits=\"128\" cipherAlgorithm=\"AES\" "
        "cipherChaining=\"ChainingModeCBC\" hashAlgorithm=\"SHA1\"/></encryption>",
    };
    static const char *const spins[] = { "10000001", "4294967297", "-1", "x" };
    (void)state;
    for (size_t i = 0; i < COUNT(spins); i++) {
        struct rf_str xml = rf_strf(arena, "%s", infos[0]), head = { xml.p, 0 };
        head.n = (size_t)(strstr(xml.p, "%s") - xml.p);
        xml = rf_str_join(arena, rf_str_join(arena, head, rf_str(spins[i])),
                          rf_str(xml.p + head.n + 2));
        struct member streams[] = {
            { "EncryptionInfo", rf_str_join(arena, RF_STR("\4\0\4\0\x40\0\0\0"), xml) },
            { "EncryptedPackage", RF_STR("12345678abc") },
        };
        struct rf_job job = ask("office", PASSWORD, ole_of(arena, streams, 2));
        assert_str(told(&job), FOREIGN);
    }
}

static void opens_office_2007(void **state)
{
    (void)state;
    check_opens("office", lock_standard(arena, letter(), LATIN, 128), "Secret");
    check_opens("office", lock_standard(arena, letter(), LATIN, 256), "Secret");
}

static void refuses_other_containers(void **state)
{
    (void)state;
    struct member streams[] = { { "EncryptedPackage", RF_STR("12345678") },
                                { "EncryptionInfo", RF_STR("\4\0\4\0\x40\0\0\0<encryption") } };
    struct rf_job job = ask("office", PASSWORD, ole_of(arena, streams, 1));
    assert_str(told(&job), FOREIGN);
    job = ask("office", PASSWORD, ole_of(arena, streams, 2));
    assert_int_equal(job.failed, RF_EFORMAT);
    streams[1].bytes = RF_STR("\4\0\2\0");
    job = ask("office", PASSWORD, ole_of(arena, streams, 2));
    assert_str(told(&job), FOREIGN);
}

/* Office 97 to 2003. */

static const struct rc4_row {
    const char *name;
    enum rc4_kind kind;
} rc4s[] = {
    { "RC4 of Office 97", RC4_97 },
    { "RC4 of CryptoAPI, 40 bits", RC4_40 },
    { "RC4 of CryptoAPI, 128 bits", RC4_128 },
};

static void put_record(struct rf_buf *b, unsigned id, struct rf_str body)
{
    put16(b, id);
    put16(b, (unsigned)body.n);
    rf_buf_add(b, body);
}

/* A workbook of one sheet and one text; its records' heads, and some bodies, are not encrypted. */
static struct rf_str workbook(enum rc4_kind kind, const char *password)
{
    struct rf_buf b;
    rf_buf_init(&b, arena, (size_t)1 << 16);
    put_record(&b, 0x0809, RF_STR("\0\6\5\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    put_record(&b, 0x002f, rf_str_join(arena, RF_STR("\1\0"), rc4_info(arena, kind, password)));
    put_record(&b, 0x005c, fitted(arena, RF_STR(""), 3000, ' ')); /* who wrote it */
    size_t place = b.n + 4;
    put_record(&b, 0x0085, RF_STR("\0\0\0\0\0\0\3\0Old"));
    put_record(&b, 0x000a, RF_STR(""));
    for (size_t i = 0; i < 4; i++)
        b.p[place + i] = (char)(b.n >> 8 * i & 0xff);
    put_record(&b, 0x0809, RF_STR("\0\6\20\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    put_record(&b, 0x0204, RF_STR("\0\0\0\0\0\0\6\0\0Secret"));
    put_record(&b, 0x000a, RF_STR(""));
    struct rf_str plain = packed(&b), locked = rc4_stream(arena, kind, password, 1024, plain);
    char *out = (char *)(uintptr_t)locked.p;
    for (size_t at = 0, n; at < plain.n; at += n) {
        const unsigned char *head = (const unsigned char *)plain.p + at;
        unsigned id = head[0] | (unsigned)head[1] << 8, size = head[2] | (unsigned)head[3] << 8;
        n = 4 + size;
        memcpy(out + at, plain.p + at, id == 0x0809 || id == 0x002f ? n : id == 0x0085 ? 8 : 4);
    }
    return ole_of(arena, &(struct member){ "Workbook", locked }, 1);
}

static void check_workbook(void **state)
{
    const struct rc4_row *row = *state;
    check_opens("legacy", workbook(row->kind, LATIN), "| Secret |");
}

/* Excel's own password, where only the structure is protected. */
static void opens_a_protected_workbook(void **state)
{
    (void)state;
    struct rf_job job = ask("legacy", NULL, workbook(RC4_97, "VelvetSweatshop"));
    assert_str(told(&job), "| Secret |");
    job = ask("legacy", "other", workbook(RC4_128, "VelvetSweatshop"));
    assert_str(told(&job), "| Secret |");
}

/* One piece in 8 bits, after 2000 bytes of nothing. */
static struct rf_str word(enum rc4_kind kind)
{
    struct rf_str info = rc4_info(arena, kind, LATIN);
    struct rf_buf b, table;
    rf_buf_init(&b, arena, (size_t)1 << 16);
    rf_buf_init(&table, arena, 4096);
    put16(&b, 0xa5ec);
    put16(&b, 0x00c1);
    put_zeros(&b, 6);
    put16(&b, 0x0300);
    put16(&b, 0);
    put32(&b, (uint32_t)info.n);
    put_zeros(&b, 0x4c - b.n);
    put32(&b, 7);
    put_zeros(&b, 0x1a2 - b.n);
    put32(&b, (uint32_t)info.n);
    put32(&b, 21);
    put_zeros(&b, 2000 - b.n);
    rf_buf_add(&b, RF_STR("Secret\r"));
    rf_buf_add(&table, info);
    rf_buf_addc(&table, 2);
    put32(&table, 16);
    put32(&table, 0);
    put32(&table, 7);
    put16(&table, 0);
    put32(&table, 2000 * 2 | 0x40000000u);
    put16(&table, 0);
    struct rf_str main = rc4_stream(arena, kind, LATIN, 512, packed(&b));
    struct rf_str list = rc4_stream(arena, kind, LATIN, 512, packed(&table));
    memcpy((char *)(uintptr_t)main.p, b.p, 68);
    memcpy((char *)(uintptr_t)list.p, table.p, info.n);
    struct member streams[] = { { "WordDocument", main }, { "1Table", list } };
    return ole_of(arena, streams, 2);
}

static void check_word(void **state)
{
    const struct rc4_row *row = *state;
    check_opens("legacy", word(row->kind), "Secret");
}

static struct rf_str slide_record(unsigned head, unsigned type, struct rf_str body)
{
    struct rf_buf b;
    rf_buf_init(&b, arena, 1 << 16);
    put16(&b, head);
    put16(&b, type);
    put32(&b, (uint32_t)body.n);
    rf_buf_add(&b, body);
    return packed(&b);
}

static struct rf_str joined(struct rf_str first, struct rf_str second)
{
    return rf_str_join(arena, first, second);
}

/* Object 1 is the document, 2 its slide, 3 says how they are encrypted; then come the directory and
 * the edit that leads to it. */
static struct rf_str presentation(enum rc4_kind kind)
{
    struct rf_str persist =
        slide_record(0, 0x03f3, RF_STR("\2\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0"));
    struct rf_str text = joined(slide_record(0, 0x0f9f, RF_STR("\4\0\0\0")),
                                slide_record(0, 0x0fa8, RF_STR("Secret")));
    struct rf_str objects[] = {
        slide_record(15, 0x03e8, slide_record(15, 0x0ff0, persist)),
        slide_record(15, 0x03ee, slide_record(15, 0xf00d, text)),
        slide_record(15, 0x2f14, rc4_info(arena, kind, LATIN)),
    };
    struct rf_str stream = RF_STR("filling."), directory = number(arena, 1 | COUNT(objects) << 20);
    for (uint32_t i = 0; i < COUNT(objects); i++) {
        directory = joined(directory, number(arena, (uint32_t)stream.n));
        stream = joined(stream, i < 2 ? rc4(arena, rc4_key(arena, kind, LATIN, i + 1), objects[i])
                                      : objects[i]);
    }
    struct rf_str edit =
        joined(fitted(arena, RF_STR(""), 12, 0), number(arena, (uint32_t)stream.n));
    stream = joined(stream, slide_record(0, 0x1772, directory));
    edit = joined(joined(edit, number(arena, 1)), fitted(arena, RF_STR(""), 8, 0));
    edit = joined(edit, number(arena, 3));
    struct rf_str user =
        joined(RF_STR("\x14\0\0\0\xdf\xc4\xd1\xf3"),
               joined(number(arena, (uint32_t)stream.n), RF_STR("\0\0\xf4\3\3\0\0\0\x08\0\0\0")));
    struct member streams[] = {
        { "PowerPoint Document", joined(stream, slide_record(0, 0x0ff5, edit)) },
        { "Current User", slide_record(0, 0x0ff6, user) },
    };
    return ole_of(arena, streams, 2);
}

static void check_presentation(void **state)
{
    const struct rc4_row *row = *state;
    if (row->kind != RC4_97) /* which PowerPoint never wrote */
        check_opens("legacy", presentation(row->kind), "Secret");
}

/* OpenDocument. */

#define MANIFEST                                                                                   \
    "<m:manifest xmlns:m=\"m\"><m:file-entry m:full-path=\"content.xml\" m:size=\"%zu\">"          \
    "<m:encryption-data m:checksum-type=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#"     \
    "sha256-1k\" m:checksum=\"%.*s\"><m:algorithm m:algorithm-name="                               \
    "\"http://www.w3.org/2001/04/xmlenc#%s\" m:initialisation-vector=\"%.*s\"/><m:key-derivation " \
    "m:key-derivation-name=\"PBKDF2\" m:key-size=\"32\" m:iteration-count=\"100\" "                \
    "m:salt=\"%.*s\"/><m:start-key-generation m:start-key-generation-name="                        \
    "\"http://www.w3.org/2000/09/xmldsig#sha256\" m:key-size=\"32\"/></m:encryption-data>"         \
    "</m:file-entry></m:manifest>"

/* Packed in one block that is stored, filled to whole blocks, encrypted. */
static struct rf_str letter_odt(const char *cipher)
{
    struct rf_str text =
        RF_STR("<office:document-content xmlns:office='o' xmlns:text='t'><office:body>"
               "<office:text><text:p>Secret</text:p></office:text></office:body>"
               "</office:document-content>");
    struct rf_str start = hash_of(arena, "SHA256", RF_STR(PASSWORD), RF_STR(""));
    struct rf_buf b;
    char key[32];
    rf_buf_init(&b, arena, 4096);
    rf_buf_addc(&b, 1);
    put16(&b, (unsigned)text.n);
    put16(&b, (unsigned)~text.n & 0xffff);
    rf_buf_add(&b, text);
    struct rf_str plain = packed(&b);
    struct rf_str sum = base64_of(arena, hash_of(arena, "SHA256", plain, RF_STR("")));
    struct rf_str filled = fitted(arena, plain, plain.n / 16 * 16 + 16, (int)(16 - plain.n % 16));
    assert_true(PKCS5_PBKDF2_HMAC(start.p, (int)start.n, (const unsigned char *)SALT, 16, 100,
                                  EVP_sha1(), sizeof key, (unsigned char *)key));
    struct rf_str salts[] = { base64_of(arena, RF_STR(OTHER_SALT)),
                              base64_of(arena, RF_STR(SALT)) };
    struct member members[] = {
        { "mimetype", B("application/vnd.oasis.opendocument.text") },
        { "META-INF/manifest.xml", rf_strf(arena, MANIFEST, text.n, RF_FMT(sum), cipher,
                                           RF_FMT(salts[0]), RF_FMT(salts[1])) },
        { "content.xml", aes(arena, (struct rf_str){ key, 32 }, RF_STR(OTHER_SALT), filled) },
    };
    return zip_of(arena, members, COUNT(members));
}

static void opens_open_document(void **state)
{
    (void)state;
    check_opens("office", letter_odt("aes256-cbc"), "Secret");
    struct rf_job job = ask("office", PASSWORD, letter_odt("blowfish"));
    assert_str(told(&job), FOREIGN);
}

/* As the tool gives it, which keeps nothing of it. */
static void is_read_by_the_tool(void **state)
{
    const char *folder = scratch_new(arena), *kept = in_folder(arena, folder, "kept");
    struct agile how = { "SHA256", 128, 1, LATIN, NULL, false };
    struct rf_tools *tools = rf_tools_new();
    struct rf_result *result;
    struct rf_str json;
    struct rf_err err;
    (void)state;
    write_file(in_folder(arena, folder, "letter"), lock_agile(arena, letter(), &how));
    make_folder(kept);
    rf_tools_root(tools, folder);
    rf_tools_base(tools, folder);
    rf_tools_cache(tools, kept);
    assert_int_equal(rf_tools_password(tools, RF_STR(PASSWORD), &err), RF_OK);
    assert_int_equal(rf_tools_run(tools, "read_file", "{\"file_path\":\"letter\"}", &result, &err),
                     RF_OK);
    assert_int_equal(rf_result_json(result, RF_WITH_FILES, &json, &err), RF_OK);
    assert_true(rf_str_contains(json, RF_STR("[Word: letter, ")));
    assert_true(rf_str_contains(json, RF_STR("wordprocessingml.document")));
    assert_true(rf_str_contains(json, RF_STR("Secret")));
    assert_int_equal(rmdir(kept), 0);
    rf_result_free(result);
    rf_tools_free(tools);
    scratch_remove(folder);
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(tells_what_is_inside),     cmocka_unit_test(notes_that_it_was_changed),
        cmocka_unit_test(refuses_odd_numbers),      cmocka_unit_test(opens_office_2007),
        cmocka_unit_test(refuses_other_containers), cmocka_unit_test(opens_a_protected_workbook),
        cmocka_unit_test(opens_open_document),      cmocka_unit_test(is_read_by_the_tool),
    };
    struct CMUnitTest tests[COUNT(agiles) + 3 * COUNT(rc4s) + COUNT(others)], *next = tests;

    name_rows(next, check_agile, agiles, COUNT(agiles), sizeof *agiles);
    name_rows(next += COUNT(agiles), check_workbook, rc4s, COUNT(rc4s), sizeof *rc4s);
    name_rows(next += COUNT(rc4s), check_word, rc4s, COUNT(rc4s), sizeof *rc4s);
    name_rows(next += COUNT(rc4s), check_presentation, rc4s, COUNT(rc4s), sizeof *rc4s);
    memcpy(next + COUNT(rc4s), others, sizeof others);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
