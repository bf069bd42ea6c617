/* The order matters: what cannot be undone comes last, and seccomp last of all, since it forbids
 * the calls that set up the others. Landlock and seccomp are tried once they are entered: a system
 * that says yes and does nothing counts as one without them.
 *
 * Calls that are not on the list fail with EPERM instead of ending the worker: libraries probe
 * for things that they can do without. There is no limit on processes, since it would count the
 * threads and the other programs of the user; new processes are forbidden by the kind of clone. */
#include "worker/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define USUAL_MEMORY ((uint64_t)1 << 30)
#define USUAL_CPU_SECONDS 30
#define MAX_ASKS 1000 /* that the processor time of a worker's life is enough for */
#define MAX_DESCRIPTORS 64
#define STACK_BYTES ((rlim_t)64 << 20) /* libraries recurse as deep as a file is nested */
#define OPENS_TO_WRITE (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

/* Of a layer that could not be had, in place of an errno: it was entered, and changed nothing. */
#define WITHOUT_EFFECT (-1)

/* What every Linux has was refused. */
static _Noreturn void refused(void)
{
    _exit(RF_WORKER_SANDBOX_REFUSED);
}

static void must(bool done)
{
    if (!done)
        refused();
}

/* Limits */

static rlim_t
    usual_memory; /* address space: what was taken at the start, and what a file may cost */

static void limit(int what, rlim_t soft, rlim_t hard)
{
    struct rlimit now;
    must(getrlimit((__rlimit_resource_t)what, &now) == 0);
    hard = hard < now.rlim_max ? hard : now.rlim_max;
    struct rlimit wanted = { soft < hard ? soft : hard, hard };
    must(setrlimit((__rlimit_resource_t)what, &wanted) == 0);
}

/* Address space in use. Without /proc, a guess that is large enough. */
static uint64_t address_space(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    bool read = f && fscanf(f, "%llu", &pages) == 1;
    if (f)
        fclose(f);
    return read ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : USUAL_MEMORY;
}

static rlim_t cpu_seconds(const struct rf_family *family)
{
    return (rlim_t)(family->cpu_seconds > 0 ? family->cpu_seconds : USUAL_CPU_SECONDS);
}

static void enter_limits(const struct rf_family *family)
{
    usual_memory = address_space() + (family->memory_bytes ? family->memory_bytes : USUAL_MEMORY);
    limit(RLIMIT_AS, usual_memory, usual_memory + RF_MAX_WORKER_INPUT);
    limit(RLIMIT_CPU, cpu_seconds(family), cpu_seconds(family) * MAX_ASKS);
    limit(RLIMIT_FSIZE, 0, 0);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_NOFILE, MAX_DESCRIPTORS, MAX_DESCRIPTORS);
    limit(RLIMIT_STACK, STACK_BYTES, STACK_BYTES);
    signal(SIGXFSZ, SIG_IGN); /* a write fails; it need not end us */
}

void rf_sandbox_arm(const struct rf_family *family, uint64_t file_bytes)
{
    struct timespec used;
    struct rlimit now;
    if (file_bytes > RF_MAX_WORKER_INPUT)
        file_bytes = RF_MAX_WORKER_INPUT;
    if (getrlimit(RLIMIT_AS, &now) == 0) {
        now.rlim_cur = usual_memory + file_bytes;
        now.rlim_cur = now.rlim_cur < now.rlim_max ? now.rlim_cur : now.rlim_max;
        setrlimit(RLIMIT_AS, &now);
    }
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && getrlimit(RLIMIT_CPU, &now) == 0) {
        now.rlim_cur = (rlim_t)used.tv_sec + 1 + cpu_seconds(family);
        now.rlim_cur = now.rlim_cur < now.rlim_max ? now.rlim_cur : now.rlim_max;
        setrlimit(RLIMIT_CPU, &now);
    }
}

/* Namespaces: an extra layer, where the system permits it. A network of its own and an empty root
 * would only repeat what Landlock and seccomp do, and take longer than both to make, so they are
 * for where one of those is missing. */

/* No one else's shared memory, and capabilities that are worth nothing outside. */
static bool leave_users(void)
{
    return unshare(CLONE_NEWUSER | CLONE_NEWIPC) == 0;
}

static bool leave_network(void)
{
    return unshare(CLONE_NEWNET) == 0;
}

/* The new root is put upon the old one, which is then taken from below it. */
static bool leave_files(void)
{
    unsigned long how = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/tmp", "tmpfs", how, "size=4k") == 0 &&
           chdir("/tmp") == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
           umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

/* A worker that was started by root keeps none of its powers. */
static void drop_capabilities(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2] = { { 0 }, { 0 } };
    must(syscall(SYS_capset, &head, none) == 0);
}

/* Landlock: by its calls, since the C library has none, with the constants of kernels that are
 * newer than the header. */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
    LANDLOCK_VERSION = 1,
    LANDLOCK_RULE_BENEATH = 1,
    FS_EXECUTE = 1 << 0,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_OF_ABI_1 = (1 << 13) - 1,
    FS_REFER = 1 << 13,     /* ABI 2 */
    FS_TRUNCATE = 1 << 14,  /* ABI 3 */
    FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
    NET_ALL = 3,            /* ABI 4: bind, connect */
    SCOPE_ALL = 3,          /* ABI 6: abstract sockets, signals */
};

struct ruleset {
    uint64_t files, net, scope;
};

struct rule_beneath {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

static struct ruleset ruleset_of(long abi)
{
    struct ruleset r = { .files = FS_OF_ABI_1 };
    r.files |= abi >= 2 ? FS_REFER : 0;
    r.files |= abi >= 3 ? FS_TRUNCATE : 0;
    r.files |= abi >= 5 ? FS_IOCTL_DEV : 0;
    r.net = abi >= 4 ? NET_ALL : 0;
    r.scope = abi >= 6 ? SCOPE_ALL : 0;
    return r;
}

/* The kernel refuses a struct that is longer than the one it knows, unless the rest is zero. */
static size_t ruleset_size(long abi)
{
    return abi >= 6 ? sizeof(struct ruleset) : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

/* What is not there needs no leave. 0, or an errno. */
static int allow_path(int rules, const char *path, uint64_t what)
{
    struct stat st;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return 0;
    must(fstat(fd, &st) == 0);
    if (!S_ISDIR(st.st_mode))
        what &= ~(uint64_t)FS_READ_DIR;
    struct rule_beneath rule = { what, fd };
    int why = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_BENEATH, &rule, 0) ? errno : 0;
    close(fd);
    return why;
}

static int allow_paths(int rules, const char *const *paths, uint64_t what)
{
    int why = 0;
    for (size_t i = 0; !why && paths && paths[i]; i++)
        why = allow_path(rules, paths[i], what);
    return why;
}

/* A program needs its loader, which is started like one, and its libraries. */
static int allow_programs(int rules, const char *const *programs)
{
    static const char *const loaders[] = { "/lib", "/lib64", "/usr/lib", "/usr/lib64", NULL };
    int why = allow_paths(rules, programs, FS_EXECUTE | FS_READ_FILE);
    if (!why)
        why = allow_paths(rules, loaders, FS_EXECUTE | FS_READ_FILE | FS_READ_DIR);
    return why ? why : allow_path(rules, "/etc/ld.so.cache", FS_READ_FILE);
}

static int allow_files(int rules, const struct rf_family *family)
{
    int why = allow_paths(rules, family->readable, FS_READ_FILE | FS_READ_DIR);
    if (!why && family->runnable)
        why = allow_programs(rules, family->runnable);
    return why;
}

static bool opens_root(void)
{
    int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || (errno != EACCES && errno != EPERM);
}

/* 0, or why it cannot be had. */
static int enter_landlock(const struct rf_family *family)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    if (abi < 1)
        return abi < 0 ? errno : ENOSYS;
    struct ruleset wanted = ruleset_of(abi);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &wanted, ruleset_size(abi), 0);
    if (rules < 0)
        return errno;
    int why = allow_files(rules, family);
    if (!why && syscall(SYS_landlock_restrict_self, rules, 0) != 0)
        why = errno;
    close(rules);
    return !why && opens_root() ? WITHOUT_EFFECT : why;
}

/* Seccomp */

/* For all: reading what is open, memory, threads, time, and talking to the caller. */
static const char usual_calls[] =
    "read readv pread64 preadv write writev lseek _llseek close fstat fstat64 stat lstat "
    "stat64 lstat64 newfstatat fstatat64 statx statfs fstatfs access faccessat faccessat2 "
    "readlink readlinkat getdents64 getcwd dup fadvise64 poll ppoll select "
    "pselect6 eventfd2 recvmsg recvfrom sendmsg sendto mmap mmap2 munmap mremap mprotect "
    "madvise brk membarrier get_mempolicy mincore futex futex_time64 set_robust_list "
    "get_robust_list rseq set_tid_address sched_yield sched_getaffinity sched_getparam "
    "sched_getscheduler sched_get_priority_max sched_get_priority_min getpriority getcpu "
    "gettid getpid getppid getpgrp getuid geteuid getgid getegid getresuid getresgid "
    "getgroups rt_sigaction rt_sigprocmask rt_sigreturn rt_sigtimedwait rt_sigsuspend "
    "sigaltstack restart_syscall exit exit_group clock_gettime clock_gettime64 clock_getres "
    "clock_nanosleep nanosleep gettimeofday time times getrusage getrlimit ugetrlimit uname "
    "sysinfo umask getrandom";

/* For those that run a program; Landlock says which. */
static const char program_calls[] =
    "execve fork vfork wait4 waitid pipe pipe2 dup2 dup3 arch_prctl close_range chdir fchdir";

static void allow(scmp_filter_ctx filter, const char *names)
{
    struct rf_str rest = rf_str(names), name;
    while (rf_str_split(&rest, ' ', &name)) {
        char copy[32];
        snprintf(copy, sizeof copy, "%.*s", (int)name.n, name.p);
        int call = seccomp_syscall_resolve_name(copy);
        if (call == __NR_SCMP_ERROR)
            continue; /* it cannot be made either */
        int rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
        must(rc == 0 || rc == -EDOM); /* a call that this architecture does not have */
    }
}

static struct scmp_arg_cmp equals(unsigned n, uint64_t value)
{
    return (struct scmp_arg_cmp){ .arg = n, .op = SCMP_CMP_EQ, .datum_a = value };
}

/* The call with one more condition: its argument `n`, masked, has this value. */
static void allow_if(scmp_filter_ctx filter, int call, unsigned n, uint64_t mask, uint64_t value)
{
    struct scmp_arg_cmp condition = SCMP_CMP(n, SCMP_CMP_MASKED_EQ, mask, value);
    int rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &condition);
    must(rc == 0 || rc == -EDOM);
}

static void allow_limits(scmp_filter_ctx filter)
{
    static const unsigned own[] = { RLIMIT_AS, RLIMIT_CPU };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        struct scmp_arg_cmp set[] = { equals(0, 0), equals(1, own[i]) };
        must(seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, set) == 0);
        allow_if(filter, SCMP_SYS(setrlimit), 0, UINT32_MAX, own[i]);
    }
    struct scmp_arg_cmp get[] = { equals(0, 0), equals(2, 0) };
    must(seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, get) == 0);
}

/* Not F_SETOWN and F_SETSIG, by which a descriptor sends signals to others. */
static void allow_fcntl(scmp_filter_ctx filter)
{
    static const int commands[] = { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        allow_if(filter, SCMP_SYS(fcntl), 1, UINT32_MAX, (uint64_t)commands[i]);
        allow_if(filter, SCMP_SYS(fcntl64), 1, UINT32_MAX, (uint64_t)commands[i]);
    }
}

static void allow_special(scmp_filter_ctx filter)
{
    allow_if(filter, SCMP_SYS(clone), 0, CLONE_THREAD, CLONE_THREAD);
    /* clone3 hides its flags from us; on ENOSYS the C library takes clone. */
    must(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0);
    allow_if(filter, SCMP_SYS(tgkill), 0, UINT32_MAX, (uint64_t)getpid()); /* abort() */
    allow_if(filter, SCMP_SYS(prctl), 0, UINT32_MAX, PR_SET_NAME);
    allow_limits(filter);
    allow_fcntl(filter);
}

static void allow_opening(scmp_filter_ctx filter)
{
    allow_if(filter, SCMP_SYS(open), 1, OPENS_TO_WRITE, O_RDONLY);
    allow_if(filter, SCMP_SYS(openat), 2, OPENS_TO_WRITE, O_RDONLY);
}

static void allow_starting(scmp_filter_ctx filter)
{
    uint64_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                      CLONE_NEWPID | CLONE_NEWNET | CLONE_THREAD;
    allow(filter, program_calls);
    allow_if(filter, SCMP_SYS(clone), 0, spaces, 0);
    allow_if(filter, SCMP_SYS(kill), 0, UINT32_MAX, 0); /* its own group: those that it started */
}

static bool makes_sockets(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno != EPERM;
}

static int ask_for_seccomp(void)
{
    bool refused = prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, NULL) != 0;
    return refused && errno != EFAULT ? errno : 0;
}

/* 0, or why it cannot be had. Without Landlock nothing may be opened or started. */
static int enter_seccomp(const struct rf_family *family, bool landlock)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    must(filter);
    must(seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 1) == 0);
    must(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0);
    must(seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1) == 0);
    allow(filter, usual_calls);
    allow_special(filter);
    if (landlock)
        allow_opening(filter);
    if (landlock && family->runnable)
        allow_starting(filter);
    int why = -seccomp_load(filter);
    seccomp_release(filter);
    return !why && (makes_sockets() || (!landlock && opens_root())) ? WITHOUT_EFFECT : why;
}

/* Landlock and seccomp bind the calling thread; one that runs already would stay free. */
static bool is_alone(void)
{
    struct stat st;
    return stat("/proc/self/task", &st) != 0 || st.st_nlink == 3;
}

/* What is in force, and what is not */

static const char *reason(int why)
{
    switch (why) {
    case WITHOUT_EFFECT:
        return "without effect here";
    case ENOSYS:
    case EINVAL:
        return "not in this kernel";
    case EOPNOTSUPP:
        return "switched off in this kernel";
    default:
        return "refused by the system";
    }
}

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t room, const char *fmt, ...)
{
    size_t n = strlen(text);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text + n, room - n, fmt, ap);
    va_end(ap);
}

static void tell(struct rf_sandbox_state *s, const char *layer, int why)
{
    if (!why)
        add(s->layers, sizeof s->layers, ", %s", layer);
    else
        add(s->missing, sizeof s->missing, "%s%s (%s)", *s->missing ? " and " : "", layer,
            reason(why));
}

void rf_sandbox_enter(const struct rf_family *family, struct rf_sandbox_state *out)
{
    must(is_alone());
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    must(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
    *out = (struct rf_sandbox_state){ .layers = "limits" };
    bool namespaces = leave_users();
    if (namespaces)
        tell(out, "namespaces", 0);
    enter_limits(family);
    int landlock = enter_landlock(family), seccomp = ask_for_seccomp();
    if (namespaces && seccomp && leave_network())
        tell(out, "no network", 0);
    if (namespaces && landlock && leave_files())
        tell(out, "empty root", 0);
    drop_capabilities();
    if (!seccomp)
        seccomp = enter_seccomp(family, !landlock);
    tell(out, "Landlock", landlock);
    tell(out, "seccomp", seccomp);
}
