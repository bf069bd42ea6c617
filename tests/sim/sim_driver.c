/* Asks the simulator in this process, for tests/recordings/sim.py.
 *
 * On standard input, any number of times: a line "PROVIDER PATH LENGTH", then LENGTH bytes of body.
 * For each, on standard output: a line "STATUS LENGTH", then the reply. No key is asked for, and no
 * worker is started. */
#include "base/arena.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_LINE 4096
#define MAX_BODY ((size_t)256 << 20)

static const char *no_header(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return NULL;
}

static void print_reply(const struct rf_sim_reply *reply)
{
    size_t n = 0;
    for (size_t i = 0; i < reply->count; i++)
        n += reply->chunks[i].bytes.n;
    printf("%d %zu\n", reply->status, n);
    for (size_t i = 0; i < reply->count; i++)
        fwrite(reply->chunks[i].bytes.p, 1, reply->chunks[i].bytes.n, stdout);
    fflush(stdout);
}

static int answer(const char *provider, const char *path, struct rf_str body)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_sim_options options = { .provider = provider, .any_key = true, .no_worker = true };
    struct rf_sim_call call = { .method = "POST", .path = path, .header = no_header, .body = body };
    struct rf_sim_reply reply;
    struct rf_sim *sim = NULL;
    struct rf_err err;
    int failed = rf_sim_new(&options, &sim, &err) != RF_OK;
    if (failed) {
        fprintf(stderr, "sim_driver: %s\n", err.msg);
    } else {
        rf_sim_answer(sim, &call, a, &reply);
        print_reply(&reply);
    }
    rf_sim_free(sim);
    rf_arena_free(a);
    return failed;
}

int main(void)
{
    char line[MAX_LINE], provider[64], path[MAX_LINE];
    size_t length;
    int failed = 0;
    while (!failed && fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%63s %4095s %zu", provider, path, &length) != 3 || length > MAX_BODY)
            return EXIT_FAILURE;
        char *body = malloc(length + 1);
        failed = !body || fread(body, 1, length, stdin) != length ||
                 answer(provider, path, (struct rf_str){ body, length });
        free(body);
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
