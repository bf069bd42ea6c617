/* The password goes to a file that needs it and that is the person's, and to no other: one that a
 * model had fetched stays locked. 127.0.0.2 is outside here. */
#include "net/fetch.h"

#include "../net/server.h"
#include "scripted.h"

#include "media/worker.h"
#include "net/reach.h"

enum rf_ring rf_ring_of(const void *address)
{
    bool outside = ((const struct sockaddr_in *)address)->sin_addr.s_addr == htonl(0x7f000002);
    return outside ? RF_RING_OUTSIDE : RF_RING_HERE;
}

/* A page that says it, as locked_pdf of media_fixtures.py makes it. */
static const char locked[] =
    "%PDF-1.3\n"
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>\n"
    "endobj\n"
    "2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>\n"
    "endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<<"
    "/F1 5 0 R>>>>>>\n"
    "endobj\n"
    "4 0 obj<</Length 54>>stream\n"
    "\271\371\316i\177\274:\342*\360\252\354\211\344V\247x\262^\344jW\011\007\373\001_\225"
    "\242\345\342\264\305\220\011\215'm\251\236\256\335\\Z\345@\371\267_x(\362w\243\n"
    "endstream\n"
    "endobj\n"
    "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\n"
    "endobj\n"
    "6 0 obj<</Filter/Standard/V 1/R 2/O<295815096290d89f881ad8500840bca77fab9e9027621d1b0af4"
    "a6d622a6f9af>/U<1f377311100518f1eccb323092fef185c2c923fe5d69f881588764aa67c7d83b>/P -4>>"
    "\n"
    "endobj\n"
    "xref\n"
    "0 7\n"
    "0000000000 65535 f \n"
    "0000000009 00000 n \n"
    "0000000053 00000 n \n"
    "0000000103 00000 n \n"
    "0000000214 00000 n \n"
    "0000000314 00000 n \n"
    "0000000376 00000 n \n"
    "trailer<</Size 7/Root 1 0 R/Encrypt 6 0 R/ID[<72656672616374207265667261637421><72656672"
    "616374207265667261637421>]>>\n"
    "startxref\n"
    "560\n"
    "%%EOF\n";

/* What a model reads in the file that it names so. */
static void check_read(const char *name, const char *seen, const char *unseen)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    struct rf_arena *a = rf_arena_new();
    const struct step steps[] = {
        { .reply =
              rf_strf(a, START CALL(0, "c1", "read_file", "{\\'file_path\\':\\'%s\\'}") CALLS_END,
                      name)
                  .p },
        { .reply = ANSWER("Done") },
    };
    scene_open(s, IN_MEMORY, "fetch: {hosts: [127.0.0.2]}", steps, COUNT(steps));
    write_file(in_folder(s->arena, s->folder, "locked.pdf"), rf_str(locked));
    good(rf_agent_password(s->agent, RF_STR("open sesame"), &s->err));
    good(ask(s, "Read it", &answer));
    assert_has(s->bodies[1], seen);
    assert_lacks(s->bodies[1], unseen);
    scene_close(s);
    rf_arena_free(a);
}

static void the_persons_file_is_opened(void **state)
{
    (void)state;
    check_read("locked.pdf", "{\"type\":\"document\",", "\"is_error\":true");
}

static void a_fetched_file_stays_locked(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct answer answer = {
        rf_strf(a, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(locked), locked).p,
        KEEP
    };
    struct server *server = server_start("127.0.0.2", &answer, 1);
    (void)state;
    check_read(rf_strf(a, "http://127.0.0.2:%d/locked.pdf", server->port).p,
               "locked.pdf: the document is encrypted", "{\"type\":\"document\",");
    assert_int_equal(server_requests(server), 1);
    server_stop(server);
    rf_arena_free(a);
}

static int stop_workers(void **state)
{
    (void)state;
    rf_workers_stop(rf_workers_shared());
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_persons_file_is_opened),
        cmocka_unit_test(a_fetched_file_stays_locked),
    };
    return cmocka_run_group_tests_name("password", tests, NULL, stop_workers);
}
