/* A photo of 12 megapixels made small enough for a model, 1568 pixels, beside sharp, and beside
 * Pillow: in its fastest way, in which the decoder leaves out what is not needed, and as it is
 * usually written.
 * Then the same from nothing: `refract encode`, which starts a worker, beside a Python process. */
#include "media.h"

#include <unistd.h>

#define NODE "/usr/bin/node"
#define PHOTO "photo.jpg"
#define ASK "op=convert\ntypes=image/png,image/jpeg\nmax_side=1568\n"
#define PILLOW(...) PEER("pillow_shrink"), __VA_ARGS__, "1568", PHOTO

enum { DRAFT, THUMBNAIL, RESIZE, MODES };

static void measure_warm(struct bench *b, struct media *m)
{
    struct errand ours = { .family = "image", .asks = { ASK } };
    struct program peers[MODES] = { [DRAFT] = { .argv = { PILLOW("--serve", "draft") } },
                                    [THUMBNAIL] = { .argv = { PILLOW("--serve", "thumbnail") } },
                                    [RESIZE] = { .argv = { PILLOW("--serve", "resize") } } };
    struct bench_case cases[1 + MODES] = { { .run = errand_run, .arg = &ours, .times = 1 } };
    errand_open(&ours, m, PHOTO);
    for (size_t i = 0; i < MODES; i++) {
        program_open(&peers[i]);
        cases[1 + i] = (struct bench_case){ .run = program_ask, .arg = &peers[i], .times = 1 };
    }
    bench_run(b, cases, 1 + MODES);
    media_row(b, "12 MP JPEG to 1568 px", &cases[0], &cases[1 + DRAFT], "Pillow, draft", 1);
    media_row(b, "the same", &cases[0], &cases[1 + THUMBNAIL], "Pillow, thumbnail", 1.5);
    media_row(b, "the same", &cases[0], &cases[1 + RESIZE], "Pillow, resize", 1.5);
    for (size_t i = 0; i < MODES; i++)
        program_close(&peers[i]);
}

static void measure_sharp(struct bench *b, struct media *m)
{
    struct errand ours = { .family = "image", .asks = { ASK } };
    struct program peer = { .argv = { NODE, PEERS_IN "/sharp_shrink.cjs", "--serve", "1568",
                                      PHOTO } };
    if (access(NODE, X_OK) != 0 || !program_open(&peer)) {
        puts("left out: sharp is not installed");
        return;
    }
    errand_open(&ours, m, PHOTO);
    struct bench_case cases[] = { { .run = errand_run, .arg = &ours, .times = 1 },
                                  { .run = program_ask, .arg = &peer, .times = 1 } };
    bench_run(b, cases, 2);
    media_row(b, "12 MP JPEG to 1568 px", &cases[0], &cases[1], "sharp", 0);
    program_close(&peer);
}

static void measure_cold(struct bench *b, struct media *m)
{
    struct program ours = { .argv = { m->refract, "encode", "-m", "eyes", "photo.json" } };
    struct program peers[MODES] = { [DRAFT] = { .argv = { PILLOW("draft") } },
                                    [THUMBNAIL] = { .argv = { PILLOW("thumbnail") } },
                                    [RESIZE] = { .argv = { PILLOW("resize") } } };
    struct bench_case cases[1 + MODES] = { { .run = program_run, .arg = &ours, .times = 1 } };
    for (size_t i = 0; i < MODES; i++)
        cases[1 + i] = (struct bench_case){ .run = program_run, .arg = &peers[i], .times = 1 };
    bench_run(b, cases, 1 + MODES);
    media_row(b, "12 MP JPEG to 1568 px, refract encode", &cases[0], &cases[1 + DRAFT],
              "a process, draft", 0);
    media_row(b, "the same", &cases[0], &cases[1 + THUMBNAIL], "a process, thumbnail", 1.5);
    media_row(b, "the same", &cases[0], &cases[1 + RESIZE], "a process, resize", 1.5);
}

int main(int argc, char **argv)
{
    struct program probe = { .argv = { PILLOW("--serve", "draft") } };
    struct bench b;
    struct media m;
    bench_open(&b, argc, argv);
    media_open(&m, argv[0]);
    bool there = media_has(&m, "image", PHOTO);
    if (there)
        measure_sharp(&b, &m);
    if (there && media_peer(&probe, "python3-pil")) {
        program_close(&probe);
        measure_warm(&b, &m);
        measure_cold(&b, &m);
    }
    media_close(&m);
    return bench_close(&b);
}
