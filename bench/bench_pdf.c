/* PDF: text beside pypdf, PyMuPDF and pypdfium2, of a document of 50 pages and of a long real one
 * where it is there, and 20 pages as pictures beside pdftoppm, most of whose time goes into
 * compression, so that it is also measured without any. Ours are split over two workers, as
 * requests have it done; beside the same two libraries, which take one core, it is one worker.
 * Everybody is started for it, and writes files. */
#include "media.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PDFTOPPM "/usr/bin/pdftoppm"
#define LONG_ONE "corpus/pdf/pdfjs__freeculture.pdf" /* below $REFRACT_SHARED */
#define LONG_HALF "176"                              /* of its pages */
#define OTHER_HALF "177"                             /* begins there */

struct words {
    const char *text, *split, *process, *render; /* names of rows; NULL: not measured */
    double text_goal, split_goal;                /* 0: none */
};

/* By one worker that waits, and by two that take a half each, as requests have it done. */
static void measure_text(struct bench *b, struct media *m, char *path, const struct words *w)
{
    struct errand one = { .family = "pdf", .asks = { "op=text\n" } };
    struct errand two = { .family = "pdf",
                          .asks = { "op=text\nlast=" LONG_HALF "\n",
                                    "op=text\nfirst=" OTHER_HALF "\n" } };
    struct program peer = { .argv = { PEER("pypdf_text"), "--serve", path } };
    if (!media_has(m, "pdf", path) || !media_peer(&peer, "python3-pypdf"))
        return;
    errand_open(&one, m, path);
    errand_open(&two, m, path);
    struct bench_case warm[] = { { .run = program_ask, .arg = &peer, .times = 1 },
                                 { .run = errand_run, .arg = &one, .times = 1 },
                                 { .run = errand_run, .arg = &two, .times = 1 } };
    bench_run(b, warm, w->split ? 3 : 2);
    program_close(&peer);
    media_row(b, w->text, &warm[1], &warm[0], "pypdf", w->text_goal);
    if (w->split)
        media_row(b, w->split, &warm[2], &warm[0], "pypdf", w->split_goal);
}

/* The two that are written in C: no goal, since what a text is differs. */
static const struct {
    const char *name, *script;
} engines[] = { { "PyMuPDF", PEERS_IN "/pymupdf_pages.py" },
                { "pypdfium2", PEERS_IN "/pdfium_pages.py" } };

static void measure_text_engines(struct bench *b, struct media *m, char *path, const char *row)
{
    struct errand ours = { .family = "pdf", .asks = { "op=text\n" } };
    if (!media_has(m, "pdf", path))
        return;
    errand_open(&ours, m, path);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct program peer = { .argv = { PYTHON, (char *)engines[i].script, "--serve", "text",
                                          path } };
        if (!media_peer(&peer, engines[i].name))
            continue;
        struct bench_case cases[] = { { .run = program_ask, .arg = &peer, .times = 1 },
                                      { .run = errand_run, .arg = &ours, .times = 1 } };
        bench_run(b, cases, 2);
        program_close(&peer);
        media_row(b, row, &cases[1], &cases[0], engines[i].name, 0);
    }
}

static void measure_text_process(struct bench *b, struct media *m, char *path,
                                 const struct words *w)
{
    struct program ours = { .argv = { m->refract, "read", "--no-cache", path } };
    struct program served = { .argv = { PEER("pypdf_text"), "--serve", path } };
    struct program peer = { .argv = { PEER("pypdf_text"), path } };
    if (!media_has(m, "pdf", path) || !media_peer(&served, "python3-pypdf"))
        return;
    program_close(&served);
    struct bench_case cold[] = { { .run = program_run, .arg = &ours, .times = 1 },
                                 { .run = program_run, .arg = &peer, .times = 1 } };
    bench_run(b, cold, 2);
    media_row(b, w->process, &cold[0], &cold[1], "a process with pypdf", w->text_goal);
}

static void clear(const char *folder)
{
    char path[PATH_MAX];
    for (int page = 1; page <= 20; page++)
        for (int digits = 1; digits <= 3; digits++) {
            snprintf(path, sizeof path, "%s/page-%0*d.png", folder, digits, page);
            unlink(path);
            snprintf(path, sizeof path, "%s/page-%0*d.ppm", folder, digits, page);
            unlink(path);
        }
    rmdir(folder);
}

static void measure_render_engine(struct bench *b, struct errand *ours, char *path, char *prefix,
                                  size_t engine)
{
    char *script = (char *)engines[engine].script;
    struct program served = { .argv = { PYTHON, script, "--serve", "png", path, prefix } };
    struct program peer = { .argv = { PYTHON, script, "png", path, prefix } };
    if (!media_peer(&served, engines[engine].name))
        return;
    program_close(&served);
    struct bench_case cases[] = { { .run = errand_run, .arg = ours, .times = 1 },
                                  { .run = program_run, .arg = &peer, .times = 1 } };
    bench_run(b, cases, 2);
    media_row(b, "the same, one worker", &cases[0], &cases[1], engines[engine].name, 0);
}

static void measure_render(struct bench *b, struct media *m, char *path, const struct words *w)
{
    char folder[] = "/tmp/refract-bench-XXXXXX", prefix[PATH_MAX];
    struct errand ours = { .family = "pdf",
                           .cold = true,
                           .spool = folder,
                           .asks = { "op=render\nlast=10\ndpi=150\ntypes=image/png\n",
                                     "op=render\nfirst=11\nlast=20\ndpi=150\ntypes=image/png\n" } };
    struct errand alone = { .family = "pdf",
                            .cold = true,
                            .spool = folder,
                            .asks = { "op=render\nlast=20\ndpi=150\ntypes=image/png\n" } };
    struct program peer = { .argv = { PDFTOPPM, "-png", "-r", "150", "-l", "20", path, prefix } };
    struct program plain = { .argv = { PDFTOPPM, "-r", "150", "-l", "20", path, prefix } };
    if (access(PDFTOPPM, X_OK) != 0) {
        puts("left out: poppler-utils is not installed");
        return;
    }
    if (!media_has(m, "pdf", path) || !mkdtemp(folder))
        return;
    snprintf(prefix, sizeof prefix, "%s/page", folder);
    errand_open(&ours, m, path);
    errand_open(&alone, m, path);
    struct bench_case cases[] = { { .run = errand_run, .arg = &ours, .times = 1 },
                                  { .run = program_run, .arg = &peer, .times = 1 },
                                  { .run = program_run, .arg = &plain, .times = 1 } };
    bench_run(b, cases, 3);
    media_row(b, w->render, &cases[0], &cases[1], "pdftoppm -png", 1.5);
    media_row(b, "the same", &cases[0], &cases[2], "pdftoppm, uncompressed", 0);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        measure_render_engine(b, &alone, path, prefix, i);
    clear(folder);
}

int main(int argc, char **argv)
{
    static const struct words made = { .text = "text of 50 pages",
                                       .process = "text of 50 pages, as a process",
                                       .render = "20 pages as pictures, two workers",
                                       .text_goal = 3 };
    static const struct words real = { .text = "text of 352 real pages",
                                       .split = "the same by two workers",
                                       .render = "20 real pages as pictures, two workers",
                                       .split_goal = 5 };
    struct bench b;
    struct media m;
    char path[PATH_MAX];
    const char *shared = getenv("REFRACT_SHARED");
    bench_open(&b, argc, argv);
    media_open(&m, argv[0]);
    measure_text(&b, &m, "report.pdf", &made);
    measure_text_engines(&b, &m, "report.pdf", made.text);
    measure_text_process(&b, &m, "report.pdf", &made);
    measure_render(&b, &m, "report.pdf", &made);
    snprintf(path, sizeof path, "%s/" LONG_ONE, shared ? shared : "");
    if (shared && access(path, R_OK) == 0) {
        measure_text(&b, &m, path, &real);
        measure_text_engines(&b, &m, path, real.text);
        measure_render(&b, &m, path, &real);
    } else {
        puts("left out: a long real document; $REFRACT_SHARED has none");
    }
    media_close(&m);
    return bench_close(&b);
}
