/* The whole command: how long a small conversation takes beside a program that does nothing, how
 * long a 32 MiB attachment takes beside `cat`, with how much memory, and how much memory a request
 * with a picture takes beyond itself on its way from one API to another.
 *
 * The programs are those of this build, found beside this one. Everything they write goes through
 * a pipe to us and is thrown away. */
#include "base/base64.h"
#include "bench.h"
#include "program.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE ((size_t)32 << 20)
#define SMALL ((size_t)1024)
#define PICTURE ((size_t)3750000) /* bytes: 5 MB of base64 in a request */

static const char document[] =
    "{\"refract\":1,\"options\":{\"max_tokens\":1024},\"messages\":["
    "{\"role\":\"user\",\"content\":\"Read it.\"},"
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"read\","
    "\"arguments\":{}}]},"
    "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"output\":\"Here:\",\"content_blocks\":["
    "{\"type\":\"document\",\"source_path\":\"%s\"}]}]}";

static void die(const char *what)
{
    fprintf(stderr, "bench_command: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* A file that is a PDF at both ends and noise between, and a conversation that holds it. */
static void make_files(const char *folder, const char *name, size_t size)
{
    char path[PATH_MAX], pdf[64], block[4096];
    unsigned state = 1;
    snprintf(pdf, sizeof pdf, "%s.pdf", name);
    snprintf(path, sizeof path, "%s/%s", folder, pdf);
    FILE *f = fopen(path, "w");
    if (!f)
        die(path);
    fputs("%PDF-1.7\n", f);
    for (size_t done = 0; done < size; done += sizeof block) {
        for (size_t i = 0; i < sizeof block; i++)
            block[i] = (char)((state = state * 1664525u + 1013904223u) >> 24);
        size_t n = size - done < sizeof block ? size - done : sizeof block;
        if (fwrite(block, 1, n, f) != n)
            die(path);
    }
    fputs("\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n", f);
    fclose(f);
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    f = fopen(path, "w");
    if (!f)
        die(path);
    fprintf(f, document, pdf);
    fclose(f);
}

static size_t put_number(unsigned char *at, size_t n)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(n >> (24 - 8 * i));
    return 4;
}

/* A PNG of 8 x 8 pixels whose data chunk is as long as is asked for. */
static size_t make_picture(unsigned char *p, size_t size)
{
    static const unsigned char head[] = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x08\x08\2"
                                        "\0\0\0\x4b\x6d\x29\xdc";
    static const unsigned char tail[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    size_t n = sizeof head - 1;
    memcpy(p, head, n);
    n += put_number(p + n, size);
    memcpy(p + n, "IDAT", 4);
    memset(p + n + 4, 0, size + 4); /* and a checksum that nobody looks at */
    n += size + 8;
    memcpy(p + n, tail, sizeof tail - 1);
    return n + sizeof tail - 1;
}

static void make_request(const char *folder, const char *name, size_t size)
{
    char path[PATH_MAX], *base64 = malloc(size * 2 + 1000);
    unsigned char *picture = malloc(size + 500);
    snprintf(path, sizeof path, "%s/%s.request", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || !base64 || !picture)
        die(path);
    size_t n = rf_base64_encode(picture, make_picture(picture, size), base64);
    fputs(
        "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
        "\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"",
        f);
    fwrite(base64, 1, n, f);
    fputs("\"}}]}]}", f);
    fclose(f);
    free(picture);
    free(base64);
}

static char *joined(const char *a, const char *b)
{
    size_t n = strlen(a) + strlen(b) + 2;
    char *s = malloc(n);
    if (!s)
        die("malloc");
    snprintf(s, n, "%s/%s", a, b);
    return s;
}

static void remove_files(const char *folder)
{
    static const char *const names[] = { "large.pdf",  "large.json",    "small.pdf",
                                         "small.json", "large.request", "small.request" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = joined(folder, names[i]);
        unlink(path);
        free(path);
    }
    rmdir(folder);
}

static void measure(struct bench *b, const char *bin, const char *folder)
{
    char *refract = joined(bin, "../refract"), *model = "openai:gpt-5-mini";
    struct program empty = { .argv = { joined(bin, "empty") } };
    /* As it is: the way of the bytes alone, without the examination, which has to hash them. */
    struct program small = { .argv = { refract, "encode", "--as-is", "-m", model,
                                       joined(folder, "small.json") } };
    struct program large = { .argv = { refract, "encode", "--as-is", "-m", model,
                                       joined(folder, "large.json") } };
    struct program cat = { .argv = { "/bin/cat", joined(folder, "large.pdf") } };
    struct bench_case starts[] = { { program_run, &empty, 1, 0 }, { program_run, &small, 1, 0 } };
    struct bench_case streams[] = { { program_run, &cat, 1, 0 }, { program_run, &large, 1, 0 } };
    bench_run(b, starts, 2);
    bench_run(b, streams, 2);
    bench_row(b, &(struct bench_row){ "encode a small conversation", starts[1].best_s * 1e3, "ms",
                                      starts[1].best_s / starts[0].best_s, "an empty program",
                                      BENCH_AT_MOST, 4 });
    bench_row(b, &(struct bench_row){ "encode a 32 MiB PDF to a pipe", streams[1].best_s * 1e3,
                                      "ms", streams[1].best_s / streams[0].best_s,
                                      "cat of the file", BENCH_AT_MOST, 2 });
    double extra = (double)(large.peak_kb - small.peak_kb) / 1024;
    bench_row(b, &(struct bench_row){ "peak memory with it", (double)large.peak_kb / 1024, "MiB",
                                      extra / 4, "4 MiB over a 1 KiB file", BENCH_AT_MOST, 1 });
    free(refract);
    free(empty.argv[0]);
    free(small.argv[5]);
    free(large.argv[5]);
    free(cat.argv[1]);
}

/* Memory beyond the input: what the large request takes over the small one, less its length. */
static void measure_convert(struct bench *b, const char *bin, const char *folder)
{
    char *refract = joined(bin, "../refract"), *model = "openai-chat:gpt-4o";
    struct program small = { .argv = { refract, "convert", "--from", "anthropic", "-m", model,
                                       joined(folder, "small.request") } };
    struct program large = small;
    large.argv[6] = joined(folder, "large.request");
    struct bench_case cases[] = { { program_run, &small, 1, 0 }, { program_run, &large, 1, 0 } };
    bench_run(b, cases, 2);
    double base64 = (double)rf_base64_length(PICTURE - SMALL) / 1024;
    double extra = ((double)(large.peak_kb - small.peak_kb) - base64) / 1024;
    bench_row(b,
              &(struct bench_row){ "convert a request with a 5 MB picture", cases[1].best_s * 1e3,
                                   "ms", extra, "1 MiB of memory over its own", BENCH_AT_MOST, 1 });
    free(refract);
    free(small.argv[6]);
    free(large.argv[6]);
}

int main(int argc, char **argv)
{
    struct bench b;
    char bin[PATH_MAX], folder[] = "/tmp/refract-bench-XXXXXX";
    snprintf(bin, sizeof bin, "%s", argv[0]);
    char *slash = strrchr(bin, '/');
    if (slash)
        *slash = '\0';
    bench_open(&b, argc, argv);
    if (!mkdtemp(folder))
        die(folder);
    make_files(folder, "large", LARGE);
    make_files(folder, "small", SMALL);
    make_request(folder, "large", PICTURE);
    make_request(folder, "small", SMALL);
    measure(&b, slash ? bin : ".", folder);
    measure_convert(&b, slash ? bin : ".", folder);
    remove_files(folder);
    return bench_close(&b);
}
