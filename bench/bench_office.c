/* The text of a letter and of a sheet beside python-docx and openpyxl: by a worker that waits,
 * beside a library that is loaded, and as processes from start to end. */
#include "media.h"

#include <stdlib.h>

struct kind {
    char *path, *script;
    const char *package, *library, *warm, *cold;
};

static void measure(struct bench *b, struct media *m, const struct kind *k)
{
    struct errand warm = { .family = "office", .asks = { "op=text\n" } };
    struct program cold = { .argv = { m->refract, "read", "--no-cache", k->path } };
    struct program served = { .argv = { PYTHON, k->script, "--serve", k->path } };
    struct program peer = { .argv = { PYTHON, k->script, k->path } };
    if (!media_has(m, "office", k->path) || !media_peer(&served, k->package))
        return;
    errand_open(&warm, m, k->path);
    struct bench_case cases[] = { { .run = errand_run, .arg = &warm, .times = 1 },
                                  { .run = program_ask, .arg = &served, .times = 1 },
                                  { .run = program_run, .arg = &cold, .times = 1 },
                                  { .run = program_run, .arg = &peer, .times = 1 } };
    bench_run(b, cases, 4);
    program_close(&served);
    media_row(b, k->warm, &cases[0], &cases[1], k->library, 10);
    media_row(b, k->cold, &cases[2], &cases[3], "a process with it", 10);
}

int main(int argc, char **argv)
{
    static const struct kind kinds[] = {
        { "letter.docx", PEERS_IN "/docx_text.py", "python3-docx", "python-docx", "text of a docx",
          "text of a docx, as a process" },
        { "book.xlsx", PEERS_IN "/xlsx_text.py", "python3-openpyxl", "openpyxl", "text of an xlsx",
          "text of an xlsx, as a process" },
    };
    struct bench b;
    struct media m;
    bench_open(&b, argc, argv);
    media_open(&m, argv[0]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        measure(&b, &m, &kinds[i]);
    media_close(&m);
    return bench_close(&b);
}
