/* A main() for a fuzz target without a fuzzer: feeds it every file of the folders and every file
 * that it is given, in order of their names, and the empty input. It decides nothing: a target that
 * finds a fault aborts. Seeds and the inputs of past bugs are replayed by this in `make test`. */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static _Noreturn void fail(const char *path)
{
    perror(path);
    exit(1);
}

static void replay_file(const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    /* Of exactly its size, so that a read after the end is seen by the sanitizers. */
    uint8_t *data = malloc(size ? size : 1);

    if (!f || !data || fread(data, 1, size, f) != size)
        fail(path);
    fclose(f);
    printf("%s\n", path);
    fflush(stdout); /* a fault ends the program, and this is then the last line */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static size_t replay(const char *path)
{
    struct dirent **entries;
    struct stat st;
    size_t done = 0;

    if (stat(path, &st))
        fail(path);
    if (!S_ISDIR(st.st_mode)) {
        replay_file(path, (size_t)st.st_size);
        return 1;
    }
    int n = scandir(path, &entries, visible, alphasort);
    if (n < 0)
        fail(path);
    for (int i = 0; i < n; i++) {
        char *child;
        if (asprintf(&child, "%s/%s", path, entries[i]->d_name) < 0)
            fail(path);
        done += replay(child);
        free(child);
        free(entries[i]);
    }
    free(entries);
    return done;
}

int main(int argc, char **argv)
{
    size_t done = 0;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        done += replay(argv[i]);
    printf("%zu inputs replayed\n", done);
    return 0;
}
