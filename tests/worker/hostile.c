/* A family whose asks do what a hostile file would have a worker do. An attempt answers with the
 * fact went=through or refused=ERRNO; what must be ended from outside does not return. */
#include "worker/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Attempts: each returns less than 0 with errno, or 0 when it went through. */

static int open_socket(const struct rf_ask *ask)
{
    (void)ask;
    return socket(AF_INET, SOCK_STREAM, 0);
}

/* Nobody listens there: where there is a network, that is what it says. */
static int call_loopback(const struct rf_ask *ask)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(1) };
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = open_socket(ask);
    return fd < 0 ? fd : connect(fd, (const struct sockaddr *)&to, sizeof to);
}

static int open_unix_socket(const struct rf_ask *ask)
{
    (void)ask;
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int make_pair(const struct rf_ask *ask)
{
    int pair[2];
    (void)ask;
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

static int read_passwords(const struct rf_ask *ask)
{
    (void)ask;
    return open("/etc/passwd", O_RDONLY);
}

static int read_by_openat2(const struct rf_ask *ask)
{
    uint64_t how[3] = { O_RDONLY, 0, 0 };
    (void)ask;
    return (int)syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how);
}

static int read_own_memory(const struct rf_ask *ask)
{
    (void)ask;
    return open("/proc/self/mem", O_RDONLY);
}

static int write_own_memory(const struct rf_ask *ask)
{
    (void)ask;
    return open("/proc/self/mem", O_RDWR);
}

static int list_folder(const struct rf_ask *ask)
{
    (void)ask;
    return open("/", O_RDONLY | O_DIRECTORY);
}

static int list_readable_folder(const struct rf_ask *ask)
{
    (void)ask;
    return open("/usr/share", O_RDONLY | O_DIRECTORY);
}

static int write_new_file(const struct rf_ask *ask)
{
    const char *path = rf_cstr(ask->arena, rf_ask_str(ask, "path"));
    return open(path, O_WRONLY | O_CREAT, 0600);
}

static int write_unnamed_file(const struct rf_ask *ask)
{
    (void)ask;
    return open("/tmp", O_RDWR | O_TMPFILE, 0600);
}

static int write_input(const struct rf_ask *ask)
{
    return (int)pwrite(ask->fd, "x", 1, 0);
}

static int truncate_input(const struct rf_ask *ask)
{
    return ftruncate(ask->fd, 0);
}

static int remove_file(const struct rf_ask *ask)
{
    return unlink(rf_cstr(ask->arena, rf_ask_str(ask, "path")));
}

static int make_folder(const struct rf_ask *ask)
{
    return mkdir(rf_cstr(ask->arena, rf_ask_str(ask, "path")), 0700);
}

static int change_mode(const struct rf_ask *ask)
{
    return fchmod(ask->fd, 0777);
}

static int ended(pid_t child)
{
    if (child == 0)
        _exit(0);
    return child < 0 ? -1 : 0;
}

static int start_process(const struct rf_ask *ask)
{
    (void)ask;
    return ended(fork());
}

static int start_vfork(const struct rf_ask *ask)
{
    (void)ask;
    return ended((pid_t)syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, 0));
}

static int new_namespace(const struct rf_ask *ask)
{
    (void)ask;
    return unshare(CLONE_NEWUSER);
}

static int run_program(const struct rf_ask *ask)
{
    char *argv[] = { "true", NULL };
    (void)ask;
    return execv("/bin/true", argv);
}

static int run_descriptor(const struct rf_ask *ask)
{
    char *argv[] = { "true", NULL };
    return fexecve(ask->fd, argv, argv + 1);
}

static int trace_parent(const struct rf_ask *ask)
{
    (void)ask;
    return (int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}

static int read_parent(const struct rf_ask *ask)
{
    char byte;
    struct iovec here = { &byte, 1 }, there = { (void *)(uintptr_t)&byte, 1 };
    (void)ask;
    return (int)process_vm_readv(getppid(), &here, 1, &there, 1, 0);
}

static int kill_parent(const struct rf_ask *ask)
{
    (void)ask;
    return kill(getppid(), SIGTERM);
}

static int kill_parent_thread(const struct rf_ask *ask)
{
    (void)ask;
    return (int)syscall(SYS_tgkill, getppid(), getppid(), SIGTERM);
}

static int signal_parent_by_socket(const struct rf_ask *ask)
{
    (void)ask;
    return fcntl(RF_WORKER_SOCKET, F_SETOWN, getppid());
}

static int raise_limit(const struct rf_ask *ask)
{
    struct rlimit all = { 1 << 20, 1 << 20 };
    (void)ask;
    return setrlimit(RLIMIT_FSIZE, &all);
}

static int raise_hard_memory(const struct rf_ask *ask)
{
    struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
    (void)ask;
    return setrlimit(RLIMIT_AS, &all);
}

static int limit_of_parent(const struct rf_ask *ask)
{
    struct rlimit none = { 0, 0 };
    (void)ask;
    return prlimit(getppid(), RLIMIT_CPU, &none, NULL);
}

static int become_dumpable(const struct rf_ask *ask)
{
    (void)ask;
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static int forget_parent(const struct rf_ask *ask)
{
    (void)ask;
    return prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
}

static int make_memory_file(const struct rf_ask *ask)
{
    (void)ask;
    return memfd_create("x", 0);
}

static int set_up_ring(const struct rf_ask *ask)
{
    char params[256] = { 0 };
    (void)ask;
    return (int)syscall(SYS_io_uring_setup, 4, params);
}

static int load_filter(const struct rf_ask *ask)
{
    (void)ask;
    return (int)syscall(SYS_bpf, 0, NULL, 0);
}

static int become_other(const struct rf_ask *ask)
{
    (void)ask;
    return setuid(1);
}

static int allocate_much(const struct rf_ask *ask)
{
    (void)ask;
    void *volatile p = malloc((size_t)16 << 30);
    return p ? 0 : -1;
}

/* Things that work: a thread, time, memory, chance. */

static void *add(void *arg)
{
    (*(int *)arg)++;
    return NULL;
}

static void behave(const struct rf_ask *ask, struct rf_answer *to)
{
    pthread_t thread;
    int n = 0;
    struct rf_str bytes;
    if (!rf_ask_map(ask, &bytes, to))
        return;
    if (pthread_create(&thread, NULL, add, &n) != 0 || pthread_join(thread, NULL) != 0 || n != 1) {
        rf_answer_fail(to, RF_EINTERNAL, "", "no thread");
        return;
    }
    rf_answer_fact(to, "bytes", "%zu", bytes.n);
    rf_answer_part(to, "kind=text\npage=1\n");
    rf_answer_text(to, bytes);
    rf_answer_part(to, "kind=image\npage=2\nmime=image/png\n");
    rf_answer_bytes(to, bytes.p, bytes.n);
    rf_answer_note(to, "all %d is well", n);
    rf_answer_step(to, 1, 2);
}

/* A file that says so takes the process over. */
static void obey(const struct rf_ask *ask, struct rf_answer *to)
{
    static bool taken;
    struct rf_str bytes;
    if (!rf_ask_map(ask, &bytes, to))
        return;
    rf_answer_fact(to, "said", "%s", taken ? "a lie" : "the truth");
    rf_answer_fact(to, "pid", "%d", getpid());
    taken = taken || rf_str_is(bytes, "take over");
}

/* What does not come back. */

static void burn(const struct rf_ask *ask, struct rf_answer *to)
{
    (void)ask;
    (void)to;
    for (volatile unsigned long i = 0;; i++)
        ;
}

static void hang(const struct rf_ask *ask, struct rf_answer *to)
{
    (void)ask;
    (void)to;
    for (;;)
        pause();
}

static void nap(const struct rf_ask *ask, struct rf_answer *to)
{
    struct timespec t = { 0, rf_ask_int(ask, "ms", 100) * 1000000 };
    (void)to;
    nanosleep(&t, NULL);
}

static void crash(const struct rf_ask *ask, struct rf_answer *to)
{
    (void)ask;
    (void)to;
    raise(SIGSEGV);
}

static void give_up(const struct rf_ask *ask, struct rf_answer *to)
{
    (void)ask;
    (void)to;
    abort();
}

static void leave(const struct rf_ask *ask, struct rf_answer *to)
{
    (void)ask;
    (void)to;
    _exit(0);
}

static void eat(const struct rf_ask *ask, struct rf_answer *to)
{
    (void)to;
    for (;;)
        rf_arena_alloc(ask->arena, (size_t)1 << 20);
}

static void flood(const struct rf_ask *ask, struct rf_answer *to)
{
    static char zeros[1 << 20];
    bool honest = !rf_ask_int(ask, "lie", 0);
    if (!honest)
        to->max_bytes = 0;
    rf_answer_part(to, "kind=image\n");
    while (!rf_answer_over(to))
        rf_answer_bytes(to, zeros, sizeof zeros);
}

/* Much text, of characters that can be cut in the middle. */
static void talk(const struct rf_ask *ask, struct rf_answer *to)
{
    (void)ask;
    rf_answer_part(to, "kind=text\n");
    for (int i = 0; i < 100000; i++)
        rf_answer_text(to, RF_STR("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"));
    rf_answer_part(to, "kind=text\n");
    rf_answer_text(to, RF_STR("behind"));
}

static void touch_slowly(const struct rf_ask *ask, struct rf_answer *to)
{
    struct timespec t = { 0, 1000000 };
    struct rf_str bytes;
    unsigned sum = 0;
    rf_answer_step(to, 0, 1);
    if (rf_ask_map(ask, &bytes, to))
        for (int round = 0; round < 5000; round++) {
            sum += (unsigned char)bytes.p[bytes.n - 1];
            nanosleep(&t, NULL);
        }
    rf_answer_fact(to, "sum", "%u", sum);
}

/* Bytes as they are: what a worker that was taken over could send. */
static void speak(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_str bytes;
    if (rf_ask_map(ask, &bytes, to) && send(to->socket, bytes.p, bytes.n, MSG_NOSIGNAL) < 0)
        _exit(9);
    to->ended = true;
}

static void orphan(const struct rf_ask *ask, struct rf_answer *to)
{
    shutdown(to->socket, SHUT_RDWR);
    close(to->socket);
    hang(ask, to);
}

static const struct {
    const char *name;
    int (*attempt)(const struct rf_ask *ask);
} attempts[] = {
    { "socket", open_socket },
    { "call loopback", call_loopback },
    { "unix socket", open_unix_socket },
    { "socketpair", make_pair },
    { "read /etc/passwd", read_passwords },
    { "openat2", read_by_openat2 },
    { "read /proc/self/mem", read_own_memory },
    { "write /proc/self/mem", write_own_memory },
    { "list a folder", list_folder },
    { "list a folder that may be read", list_readable_folder },
    { "write a new file", write_new_file },
    { "write an unnamed file", write_unnamed_file },
    { "write to the input", write_input },
    { "truncate the input", truncate_input },
    { "remove a file", remove_file },
    { "make a folder", make_folder },
    { "change a mode", change_mode },
    { "fork", start_process },
    { "vfork", start_vfork },
    { "unshare", new_namespace },
    { "execve", run_program },
    { "fexecve", run_descriptor },
    { "ptrace", trace_parent },
    { "process_vm_readv", read_parent },
    { "kill the parent", kill_parent },
    { "tgkill the parent", kill_parent_thread },
    { "signal the parent by a socket", signal_parent_by_socket },
    { "raise a limit", raise_limit },
    { "raise the hard limit", raise_hard_memory },
    { "limit the parent", limit_of_parent },
    { "become dumpable", become_dumpable },
    { "forget the parent", forget_parent },
    { "memfd_create", make_memory_file },
    { "io_uring", set_up_ring },
    { "bpf", load_filter },
    { "setuid", become_other },
    { "allocate 16 GB", allocate_much },
};

static const struct {
    const char *name;
    void (*run)(const struct rf_ask *ask, struct rf_answer *to);
} deeds[] = {
    { "behave", behave }, { "burn", burn },     { "hang", hang },          { "nap", nap },
    { "crash", crash },   { "abort", give_up }, { "leave", leave },        { "eat", eat },
    { "talk", talk },     { "flood", flood },   { "touch", touch_slowly }, { "speak", speak },
    { "orphan", orphan }, { "obey", obey },
};

static void attempt(const struct rf_ask *ask, struct rf_answer *to, size_t i)
{
    errno = 0;
    int went = attempts[i].attempt(ask);
    if (went >= 0)
        rf_answer_fact(to, "went", "through");
    else
        rf_answer_fact(to, "refused", "%d", errno);
}

static void answer(const struct rf_ask *ask, struct rf_answer *to)
{
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (rf_ask_is(ask, "try", attempts[i].name))
            attempt(ask, to, i);
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        if (rf_ask_is(ask, "op", deeds[i].name))
            deeds[i].run(ask, to);
}

/* In a build with the address sanitizer: a crash is a crash. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_sigbus=0:handle_abort=0";
}

int main(int argc, char **argv)
{
    static const char *const readable[] = { "/usr/share", NULL };
    static const struct rf_family family = {
        .name = "hostile",
        .answer = answer,
        .readable = readable,
        .memory_bytes = (size_t)256 << 20,
        .cpu_seconds = 1,
    };
    return rf_worker_main(&family, argc, argv);
}
