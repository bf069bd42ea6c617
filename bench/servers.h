/* The gateways that are measured: processes of their own in front of the same upstream. */
#ifndef REFRACT_BENCH_SERVERS_H
#define REFRACT_BENCH_SERVERS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define MOST_SERVERS 8

struct server {
    char name[40];
    int port;
    pid_t pid;
    bool ours;       /* goals are for it */
    char folder[40]; /* of its own, which goes with it; "" where somebody else has started it */
};

/* One process that passes requests on, with settings that suit it: servers.c has them. */
struct server server_nginx(const char *program, int upstream);
/* `refract serve`, with nothing configured but where the provider is. */
struct server server_refract(const char *program, int upstream);
/* One that runs: "NAME,PORT,PID". */
struct server server_running(const char *words);
void server_stop(struct server *s);

/* Seconds that its process took so far, its threads and the kernel for it included. */
double server_cpu(const struct server *s);
/* A row of its memory, in MiB: "VmRSS:", or "VmHWM:", which is its most since it was forgotten. */
double server_memory(const struct server *s, const char *row);
void server_forget_peak(const struct server *s);

#endif
