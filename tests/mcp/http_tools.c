/* An MCP server over HTTP with tools that take their time; test_http_calls.py is its client. It
 * takes the arguments of `refract mcp`, of which it looks at --http and --root, and writes a line
 * when a tool was cancelled. */
#include "mcp/server/server.h"

#include <refract/mcp.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int stop[2];

/* Until somebody has enough. */
static void run_wait(struct rf_mcp_call *c)
{
    printf("waiting\n");
    while (rf_mcp_call_sleep(c, 60000))
        continue;
    printf("cancelled\n");
}

/* A result after `ms`. */
static void run_slow(struct rf_mcp_call *c)
{
    int64_t ms = 0;
    rf_jval_int64(rf_jval_get(rf_mcp_call_arguments(c), "ms"), &ms);
    if (rf_mcp_call_sleep(c, ms))
        rf_mcp_call_fail(c, RF_STR("at last"));
}

static void run_steps(struct rf_mcp_call *c)
{
    for (int64_t i = 1; i <= 3; i++)
        rf_mcp_call_progress(c, i, 3, RF_STR("a step"));
    rf_mcp_call_log(c, rf_mcp_log_level(NULL) + 2, RF_STR("a line"));
    rf_mcp_call_fail(c, RF_STR("all steps"));
}

/* More and more, until somebody has enough. */
static void run_flood(struct rf_mcp_call *c)
{
    static char text[64 << 10];
    memset(text, 'x', sizeof text);
    for (int64_t i = 1; rf_mcp_call_sleep(c, 1); i++)
        rf_mcp_call_progress(c, i, 0, (struct rf_str){ text, sizeof text });
    printf("cancelled\n");
}

#define SCHEMA "{\"type\":\"object\"}"

static const struct rf_mcp_tool tools[] = {
    { "wait", "wait", "wait", SCHEMA, NULL, NULL, run_wait },
    { "slow", "slow", "slow", SCHEMA, NULL, NULL, run_slow },
    { "steps", "steps", "steps", SCHEMA, NULL, NULL, run_steps },
    { "flood", "flood", "flood", SCHEMA, NULL, NULL, run_flood },
};

static void say_listening(void *ctx, const char *url)
{
    (void)ctx;
    fprintf(stderr, "MCP at %s\n", url);
}

static void on_signal(int number)
{
    (void)number;
    if (write(stop[1], "", 1) < 0)
        abort();
}

int main(int argc, char **argv)
{
    static const struct rf_mcp_offer offer = { .tools = tools,
                                               .tool_count = sizeof tools / sizeof *tools };
    struct rf_mcp_http_options http = { .size = sizeof http, .listening = say_listening };
    struct rf_mcp_options *o = rf_mcp_options_new();
    struct rf_mcp_server *server = NULL;
    struct rf_err err;
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--http") == 0)
            http.address = argv[i + 1];
        if (strcmp(argv[i], "--root") == 0)
            rf_mcp_options_root(o, argv[i + 1]);
    }
    if (!http.address || pipe2(stop, O_CLOEXEC))
        return 2;
    http.stop_fd = stop[0];
    sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_signal }, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    enum rf_code rc = rf_mcp_server_new(o, &server, &err);
    if (!rc) {
        rf_mcp_server_offer(server, &offer);
        rc = rf_mcp_serve_http(server, &http, &err);
    }
    if (rc)
        fprintf(stderr, "%s\n", err.msg);
    rf_mcp_server_free(server);
    rf_mcp_options_free(o);
    return rc != 0;
}
