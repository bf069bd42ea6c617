/* One ask at a time: a head, lines and a descriptor come in by one recvmsg; frames go out. Small
 * frames are held until there are 64 KiB of them or the answer ends, so that a short answer is
 * one system call and wakes the caller once.
 *
 * It never opens a file, and does not try to survive one: no signal is caught but the one that
 * says that the caller died. */
#include "worker/frame.h"

#include "base/utf8.h"
#include "media/worker.h"
#include "worker/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define HELD_BYTES ((size_t)64 << 10)
#define MAX_LINES ((size_t)8 << 10) /* of a fact, a part, a note, a failure */
#define MAX_LINE_NAME ((size_t)500)
#define CLEAN_CHUNK ((size_t)16 << 10)

/* Sending */

/* All of it, or the caller is gone. */
static void send_all(struct rf_answer *to, struct iovec *iov, size_t count)
{
    struct msghdr message = { .msg_iov = iov, .msg_iovlen = count };

    while (message.msg_iovlen && !to->gone) {
        ssize_t sent = sendmsg(to->socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            to->gone = true;
        for (size_t left = sent > 0 ? (size_t)sent : 0; message.msg_iovlen;) {
            struct iovec *first = message.msg_iov;
            if (left < first->iov_len) {
                first->iov_base = (char *)first->iov_base + left;
                first->iov_len -= left;
                break;
            }
            left -= first->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
    }
}

static void flush(struct rf_answer *to)
{
    struct iovec iov = { to->held, to->held_n };
    if (to->held_n)
        send_all(to, &iov, 1);
    to->held_n = 0;
}

static void put(struct rf_answer *to, enum rf_frame_kind kind, const void *p, size_t n)
{
    struct rf_frame_head head = { (uint32_t)kind, (uint32_t)n };

    if (to->socket < 0 || to->gone)
        return;
    if (to->held && sizeof head + n > HELD_BYTES - to->held_n)
        flush(to);
    if (to->held && sizeof head + n <= HELD_BYTES) {
        memcpy(to->held + to->held_n, &head, sizeof head);
        if (n)
            memcpy(to->held + to->held_n + sizeof head, p, n);
        to->held_n += sizeof head + n;
        return;
    }
    struct iovec iov[] = { { &head, sizeof head }, { (void *)(uintptr_t)p, n } };
    send_all(to, iov, 2);
}

/* A frame of an answer, checked against the limit of all that may be said. */
static void say(struct rf_answer *to, enum rf_frame_kind kind, const void *p, size_t n)
{
    if (rf_answer_over(to))
        return;
    if (to->max_bytes && n > to->max_bytes - to->sent) {
        rf_answer_fail(to, RF_ELIMIT, "", "what the file holds is over the limit of %llu bytes",
                       (unsigned long long)to->max_bytes);
        return;
    }
    to->sent += n;
    put(to, kind, p, n);
}

bool rf_answer_over(const struct rf_answer *to)
{
    return to->gone || to->ended;
}

/* Text that is UTF-8 */

/* Copy the characters of `text` that fit; what is not a character becomes U+FFFD. Returns the bytes
 * written, and cuts what was read off `text`. */
static size_t clean(struct rf_str *text, char *out, size_t room)
{
    size_t n = 0;
    while (text->n && room - n >= 4) {
        unsigned length = rf_utf8_char((const unsigned char *)text->p, text->n);
        if (length)
            memcpy(out + n, text->p, length);
        else
            memcpy(out + n, "\xef\xbf\xbd", 3);
        n += length ? length : 3;
        text->p += length ? length : 1;
        text->n -= length ? length : 1;
    }
    return n;
}

static void say_clean(struct rf_answer *to, struct rf_str text)
{
    char chunk[CLEAN_CHUNK];
    while (text.n && !rf_answer_over(to)) {
        size_t n = clean(&text, chunk, sizeof chunk);
        say(to, RF_FRAME_TEXT, chunk, n);
    }
}

void rf_answer_text(struct rf_answer *to, struct rf_str text)
{
    if (rf_utf8_valid(text) != text.n) {
        say_clean(to, text);
        return;
    }
    while (text.n && !rf_answer_over(to)) {
        struct rf_str piece = rf_utf8_cut(text, RF_MAX_FRAME_LENGTH);
        say(to, RF_FRAME_TEXT, piece.p, piece.n);
        text = (struct rf_str){ text.p + piece.n, text.n - piece.n };
    }
}

void rf_answer_bytes(struct rf_answer *to, const void *p, size_t n)
{
    const char *at = p;
    while (n && !rf_answer_over(to)) {
        size_t take = n < RF_MAX_FRAME_LENGTH ? n : RF_MAX_FRAME_LENGTH;
        say(to, RF_FRAME_BYTES, at, take);
        at += take;
        n -= take;
    }
}

/* Control characters as spaces, but for line feeds where `keep` is one. */
static void flatten(char *p, size_t n, char keep)
{
    for (size_t i = 0; i < n; i++)
        if (((unsigned char)p[i] < 0x20 || p[i] == 0x7f) && p[i] != keep)
            p[i] = ' ';
}

/* Formatted, UTF-8 and without control characters. `keep` is '\n' where there may be several
 * lines. */
static struct rf_str lines(char out[MAX_LINES], char keep, const char *fmt, va_list ap)
{
    char raw[MAX_LINES];
    int n = vsnprintf(raw, sizeof raw, fmt, ap);
    struct rf_str text = { raw, n < 0 ? 0 : (size_t)n < sizeof raw ? (size_t)n : sizeof raw - 1 };
    size_t kept = clean(&text, out, MAX_LINES);
    flatten(out, kept, keep);
    return (struct rf_str){ out, kept };
}

void rf_answer_fact(struct rf_answer *to, const char *key, const char *fmt, ...)
{
    char value[MAX_LINES], line[MAX_LINES];
    va_list ap;
    va_start(ap, fmt);
    struct rf_str v = rf_utf8_cut(lines(value, 0, fmt, ap), MAX_LINES / 2);
    va_end(ap);
    int n = snprintf(line, sizeof line, "%.100s=%.*s", key, (int)v.n, v.p);
    say(to, RF_FRAME_FACT, line, (size_t)n);
}

void rf_answer_part(struct rf_answer *to, const char *fmt, ...)
{
    char out[MAX_LINES];
    va_list ap;
    va_start(ap, fmt);
    struct rf_str text = lines(out, '\n', fmt, ap);
    va_end(ap);
    say(to, RF_FRAME_PART, text.p, text.n);
}

void rf_answer_note(struct rf_answer *to, const char *fmt, ...)
{
    char out[MAX_LINES];
    va_list ap;
    va_start(ap, fmt);
    struct rf_str text = rf_utf8_cut(lines(out, 0, fmt, ap), MAX_LINE_NAME);
    va_end(ap);
    say(to, RF_FRAME_NOTE, text.p, text.n);
}

void rf_answer_step(struct rf_answer *to, int64_t done, int64_t of)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%lld/%lld", (long long)done, (long long)of);
    say(to, RF_FRAME_STEP, line, (size_t)n);
    flush(to);
}

void rf_answer_fail(struct rf_answer *to, enum rf_code code, const char *hint, const char *fmt, ...)
{
    char words[MAX_LINES], line[MAX_LINES];
    va_list ap;
    if (rf_answer_over(to))
        return;
    va_start(ap, fmt);
    struct rf_str what = rf_utf8_cut(lines(words, 0, fmt, ap), MAX_LINE_NAME);
    va_end(ap);
    int n = snprintf(line, sizeof line, "%s\n%.*s\n%.250s\n", rf_code_name(code), (int)what.n,
                     what.p, hint);
    put(to, RF_FRAME_FAIL, line, (size_t)n);
    flush(to);
    to->ended = true;
}

const char *rf_line(const struct rf_ask *ask, struct rf_str name)
{
    char *out = rf_arena_alloc(ask->arena, MAX_LINE_NAME + 4);
    size_t n = clean(&name, out, MAX_LINE_NAME);
    flatten(out, n, 0);
    out[n] = '\0';
    return out;
}

/* The ask */

struct rf_str rf_ask_str(const struct rf_ask *ask, const char *key)
{
    return rf_ask_value(ask->text, key);
}

int64_t rf_ask_int(const struct rf_ask *ask, const char *key, int64_t otherwise)
{
    int64_t value;
    return rf_str_int64(rf_ask_str(ask, key), &value) ? value : otherwise;
}

bool rf_ask_is(const struct rf_ask *ask, const char *key, const char *value)
{
    return rf_str_is(rf_ask_str(ask, key), value);
}

bool rf_ask_map(const struct rf_ask *ask, struct rf_str *bytes, struct rf_answer *to)
{
    *bytes = ask->bytes;
    if (bytes->p)
        return true;
    rf_answer_fail(to, RF_EIO, "", "the file could not be mapped into memory");
    return false;
}

/* The loop */

struct worker {
    const struct rf_family *family;
    struct rf_arena *arena;
    struct rf_sandbox_state sandbox;
    char text[RF_MAX_ASK_LENGTH];
    char held[HELD_BYTES];
};

static int descriptor_of(struct msghdr *message)
{
    int fd = -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(message);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

/* The next ask; false when the caller is gone or makes no sense. */
static bool receive(struct worker *w, struct rf_ask *ask)
{
    struct rf_frame_head head;
    struct iovec iov[] = { { &head, sizeof head }, { w->text, sizeof w->text } };
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct msghdr message = {
        .msg_iov = iov,
        .msg_iovlen = 2,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    ssize_t got;
    do
        got = recvmsg(RF_WORKER_SOCKET, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < (ssize_t)sizeof head || head.kind != RF_FRAME_ASK || head.length > sizeof w->text)
        return false;
    ask->fd = descriptor_of(&message);
    for (size_t have = (size_t)got - sizeof head; have < head.length; have += (size_t)got) {
        got = recv(RF_WORKER_SOCKET, w->text + have, head.length - have, MSG_WAITALL);
        if (got <= 0)
            return false;
    }
    ask->text = (struct rf_str){ w->text, head.length };
    return true;
}

/* Map the file. A file that cannot be mapped is left to rf_ask_map to complain about. */
static void map(struct rf_ask *ask)
{
    struct stat st;
    int64_t size = rf_ask_int(ask, "size", 0);
    if (ask->fd < 0 || fstat(ask->fd, &st) != 0 || size < 0 || size > st.st_size)
        return;
    ask->size = (uint64_t)size;
    ask->bytes = RF_STR("");
    if (!size)
        return;
    void *p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, ask->fd, 0);
    ask->bytes = p == MAP_FAILED ? (struct rf_str){ 0 } : (struct rf_str){ p, (size_t)size };
}

static void unmap(struct rf_ask *ask)
{
    if (ask->bytes.n)
        munmap((void *)(uintptr_t)ask->bytes.p, ask->bytes.n);
    if (ask->fd >= 0)
        close(ask->fd);
}

static void say_sandbox(const struct rf_sandbox_state *s, struct rf_answer *to)
{
    rf_answer_fact(to, "layers", "%s", s->layers);
    rf_answer_fact(to, "missing", "%s", s->missing);
}

static void answer(struct worker *w, const struct rf_ask *ask, struct rf_answer *to)
{
    if (rf_ask_is(ask, "op", "check"))
        say_sandbox(&w->sandbox, to);
    else
        w->family->answer(ask, to);
    if (!rf_answer_over(to))
        put(to, RF_FRAME_DONE, NULL, 0);
    flush(to);
}

static bool serve_one(struct worker *w)
{
    struct rf_ask ask = { .arena = w->arena, .fd = -1 };
    if (!receive(w, &ask))
        return false;
    int64_t max = rf_ask_int(&ask, "max_answer", 0), size = rf_ask_int(&ask, "size", 0);
    struct rf_answer to = {
        .socket = RF_WORKER_SOCKET,
        .max_bytes = max > 0 ? (uint64_t)max : 0,
        .held = w->held,
    };
    rf_sandbox_arm(w->family, size > 0 ? (uint64_t)size : 0);
    map(&ask);
    answer(w, &ask, &to);
    unmap(&ask);
    rf_arena_reset(w->arena);
    return !to.gone;
}

/* When the thread that started us ends, the kernel says so; we end when its process is gone,
 * too. */
static pid_t caller;

static void caller_died(int number)
{
    (void)number;
    if (getppid() == caller)
        return;
    kill(0, SIGKILL); /* a program that we run, too; where there can be none it is forbidden */
    _exit(0);
}

static void follow_caller(void)
{
    struct sigaction action = { .sa_handler = caller_died, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    caller = getppid();
    sigaction(SIGUSR1, &action, NULL);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
}

static bool is_socket(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* No file is read in a sandbox that is less than whole, unless the caller permits it. */
static void refuse(const struct worker *w, struct rf_answer *to)
{
    say_sandbox(&w->sandbox, to);
    rf_answer_fail(to, RF_ESANDBOX,
                   "A container's seccomp profile must allow landlock_create_ruleset, "
                   "landlock_add_rule, landlock_restrict_self and seccomp; \"sandbox: reduced\" in "
                   "your own configuration permits less.",
                   "the worker \"%s\" reads no files without %s", w->family->name,
                   w->sandbox.missing);
}

int rf_worker_main(const struct rf_family *family, int argc, char **argv)
{
    static struct worker w;
    struct rf_answer hello = { .socket = RF_WORKER_SOCKET };
    bool reduced = argc == 2 && strcmp(argv[1], RF_WORKER_REDUCED) == 0;

    if (argc > 1 + reduced || !is_socket(RF_WORKER_SOCKET)) {
        fprintf(stderr, "%s: this program is started by refract, to read files for it\n",
                argc ? argv[0] : family->name);
        return 2;
    }
    mallopt(M_ARENA_MAX, 2); /* each arena takes 64 MB of the address space that is allowed */
    follow_caller();
    const char *why = family->start ? family->start() : NULL;
    if (why) {
        rf_answer_fail(&hello, RF_ECONFIG, "", "%s", why);
        return 1;
    }
    w.family = family;
    w.arena = rf_arena_new();
    rf_sandbox_enter(family, &w.sandbox);
    if (*w.sandbox.missing && !reduced) {
        refuse(&w, &hello);
        return 1;
    }
    put(&hello, RF_FRAME_READY, NULL, 0);
    while (serve_one(&w))
        ;
    _exit(0); /* libraries that tidy up have nothing to tidy, and files that they may not open */
}
