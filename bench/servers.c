#include "servers.h"

#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One process without a master. Bodies go on as they come, through a buffer that holds the small
 * ones whole; connections to the upstream are kept. */
#define NGINX_SETTINGS                                           \
    "daemon off;\nmaster_process off;\nerror_log stderr crit;\n" \
    "pid nginx.pid;\nworker_rlimit_nofile 20000;\n"              \
    "events { worker_connections 10000; }\n"                     \
    "http {\n"                                                   \
    "  access_log /dev/null;\n"                                  \
    "  keepalive_requests 1000000;\n"                            \
    "  client_max_body_size 64m;\n"                              \
    "  client_body_buffer_size 128k;\n"                          \
    "  client_body_temp_path body;\n"                            \
    "  proxy_temp_path proxy;\n"                                 \
    "  fastcgi_temp_path fastcgi;\n"                             \
    "  uwsgi_temp_path uwsgi;\n"                                 \
    "  scgi_temp_path scgi;\n"                                   \
    "  upstream provider { server 127.0.0.1:%d; keepalive 64;\n" \
    "    keepalive_requests 1000000; }\n"                        \
    "  server { listen 127.0.0.1:%d;\n"                          \
    "    location / {\n"                                         \
    "      proxy_pass http://provider;\n"                        \
    "      proxy_http_version 1.1;\n"                            \
    "      proxy_set_header Connection \"\";\n"                  \
    "      proxy_request_buffering off;\n"                       \
    "      proxy_buffering off;\n"                               \
    "    }\n"                                                    \
    "  }\n"                                                      \
    "}\n"

_Noreturn static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int free_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) ||
        getsockname(fd, (struct sockaddr *)&at, &n))
        die("socket");
    close(fd);
    return ntohs(at.sin_port);
}

static void wait_until_it_listens(int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
    for (int i = 0; i < 1000; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bool listens = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
        close(fd);
        if (listens)
            return;
        nanosleep(&pause, NULL);
    }
    fprintf(stderr, "bench: a server does not start\n");
    exit(1);
}

/* A server has one core, where nginx has one process and the gateway one loop. */
static void stay_on_one_core(void)
{
    cpu_set_t all, one;
    size_t core = 0;
    if (sched_getaffinity(0, sizeof all, &all))
        return;
    while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static pid_t start(char *const *argv, const char *folder)
{
    fflush(stdout); /* what waits there is not the child's to write */
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    stay_on_one_core();
    if (chdir(folder) || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        _exit(1);
    execv(argv[0], argv);
    _exit(127);
}

static struct server server_new(const char *name)
{
    struct server s = { .folder = "/tmp/refract-bench-XXXXXX", .port = free_port() };
    snprintf(s.name, sizeof s.name, "%s", name);
    if (!mkdtemp(s.folder))
        die(s.folder);
    return s;
}

struct server server_nginx(const char *program, int upstream)
{
    struct server s = server_new("nginx");
    char path[80], prefix[60];
    snprintf(prefix, sizeof prefix, "%s/", s.folder);
    snprintf(path, sizeof path, "%snginx.conf", prefix);
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, NGINX_SETTINGS, upstream, s.port) < 0 || fclose(f))
        die(path);
    char *const argv[] = { (char *)(uintptr_t)program, "-p", prefix, "-c", path, NULL };
    s.pid = start(argv, s.folder);
    wait_until_it_listens(s.port);
    return s;
}

struct server server_refract(const char *program, int upstream)
{
    struct server s = server_new("refract");
    char address[40], url[60];
    s.ours = true;
    snprintf(address, sizeof address, "127.0.0.1:%d", s.port);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", upstream);
    setenv("HOME", s.folder, 1);
    setenv("XDG_CONFIG_HOME", s.folder, 1);
    setenv("OPENAI_BASE_URL", url, 1);
    setenv("OPENAI_API_KEY", "none", 1);
    char *const argv[] = { (char *)(uintptr_t)program, "serve", "--listen", address, NULL };
    s.pid = start(argv, s.folder);
    wait_until_it_listens(s.port);
    return s;
}

struct server server_running(const char *words)
{
    struct server s = { 0 };
    int pid;
    if (sscanf(words, "%39[^,],%d,%d", s.name, &s.port, &pid) != 3) {
        fprintf(stderr, "bench: \"%s\" is not NAME,PORT,PID\n", words);
        exit(2);
    }
    s.pid = pid;
    return s;
}

static void remove_folder(const char *folder)
{
    char *const argv[] = { "/bin/rm", "-rf", (char *)(uintptr_t)folder, NULL };
    waitpid(start(argv, "/"), NULL, 0);
}

void server_stop(struct server *s)
{
    kill(s->pid, SIGTERM);
    waitpid(s->pid, NULL, 0);
    remove_folder(s->folder);
}

double server_cpu(const struct server *s)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(s->pid, &clock) || clock_gettime(clock, &t))
        die("the time of a process");
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double server_memory(const struct server *s, const char *row)
{
    char path[40], line[200];
    double kib = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, row, strlen(row)) == 0)
            kib = strtod(line + strlen(row), NULL);
    if (!f || fclose(f) || kib < 0)
        die(path);
    return kib / 1024;
}

void server_forget_peak(const struct server *s)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/clear_refs", (int)s->pid);
    FILE *f = fopen(path, "w");
    if (!f || fputs("5", f) < 0 || fclose(f))
        die(path);
}
