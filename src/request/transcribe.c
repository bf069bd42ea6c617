#include "request/transcribe.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/child.h"
#include "base/utf8.h"
#include "config/config.h"

#include <refract/temporary.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#define USUAL_TIMEOUT_S 600
#define MOST_OUTPUT ((size_t)1 << 20)
#define MOST_WHY 200
#define PIECE ((size_t)64 << 10)
#define ARROW " --> "

static int64_t timeout_of(const struct rf_config_transcribe *t)
{
    return t->timeout_s ? t->timeout_s : USUAL_TIMEOUT_S;
}

struct rf_str rf_transcribe_words(const struct rf_config *c, struct rf_arena *a)
{
    struct rf_str words = RF_STR("");
    if (!c || !c->transcribe.count)
        return words;
    for (size_t i = 0; i < c->transcribe.count; i++)
        words = rf_strf(a, "%.*s%.*s ", RF_FMT(words), RF_FMT(c->transcribe.arguments[i]));
    return rf_strf(a, "%.*stimeout_s=%" PRId64, RF_FMT(words), timeout_of(&c->transcribe));
}

/* Subtitles */

/* "00:01:02,345" or "01:02.345": seconds. */
static bool read_time(struct rf_str text, int64_t *seconds)
{
    struct rf_str part;
    int64_t sum = 0, n;
    size_t end = 0;
    while (end < text.n && !strchr(",. ", text.p[end]))
        end++;
    text.n = end;
    while (rf_str_split(&text, ':', &part)) {
        if (!rf_str_int64(part, &n) || n < 0 || n > 9999)
            return false;
        sum = sum * 60 + n;
    }
    *seconds = sum;
    return true;
}

static bool is_number(struct rf_str line)
{
    int64_t n;
    return rf_str_int64(line, &n);
}

/* The lines under a time until the next blank one. */
static void add_cue(struct rf_buf *b, int64_t s, struct rf_str *rest)
{
    struct rf_str line;
    rf_buf_addf(b, "[%" PRId64 ":%02" PRId64 "]", s / 60, s % 60);
    while (rf_str_split(rest, '\n', &line) && rf_str_trim(line).n)
        rf_buf_addf(b, " %.*s", RF_FMT(rf_str_trim(line)));
    rf_buf_addc(b, '\n');
}

struct rf_str rf_transcript_text(struct rf_str printed, struct rf_arena *a)
{
    struct rf_str rest = printed, line, out;
    struct rf_buf b;
    if (!rf_str_contains(printed, RF_STR(ARROW)))
        return rf_str_trim(printed);
    rf_buf_init(&b, a, SIZE_MAX);
    while (rf_str_split(&rest, '\n', &line)) {
        int64_t seconds;
        line = rf_str_trim(line);
        if (rf_str_contains(line, RF_STR(ARROW)) && read_time(line, &seconds))
            add_cue(&b, seconds, &rest);
        else if (line.n && !is_number(line) && !rf_str_starts(line, "WEBVTT"))
            rf_buf_addf(&b, "%.*s\n", RF_FMT(line));
    }
    return rf_buf_finish(&b, &out, NULL) ? RF_STR("") : rf_str_trim(out);
}

/* Running it */

static enum rf_code copy_to(const struct rf_bytes *from, const char *path, struct rf_err *err)
{
    struct rf_reader r = { .fd = -1 };
    char piece[PIECE];
    enum rf_code rc = rf_reader_open(&r, from, err);
    int fd = rc ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (!rc && fd < 0)
        rc = rf_fail_errno(err, "could not copy the file");
    for (uint64_t at = 0; !rc && at < from->size;) {
        size_t got = 0;
        rc = rf_reader_read(&r, at, piece, sizeof piece, &got, err);
        if (!rc && (!got || write(fd, piece, got) != (ssize_t)got))
            rc = rf_fail_errno(err, "could not copy the file");
        at += got;
    }
    if (fd >= 0)
        close(fd);
    rf_reader_close(&r);
    return rc;
}

static const char *last_line(struct rf_str text, struct rf_arena *a)
{
    struct rf_str line = rf_str_behind(rf_str_trim(text), '\n');
    line = rf_utf8_cut(line, MOST_WHY);
    for (size_t i = 0; i < line.n; i++)
        if ((unsigned char)line.p[i] < ' ')
            return "";
    return rf_cstr(a, line);
}

/* Why it gave nothing; empty where it did. */
static struct rf_str why(const struct rf_child_end *end, int64_t timeout_s, struct rf_arena *a)
{
    const char *said = last_line(end->errors, a);
    switch (end->fate) {
    case RF_CHILD_NOT_STARTED:
        return rf_str_dup(a, rf_str(end->err.msg));
    case RF_CHILD_TOO_SLOW:
        return rf_strf(a, "it took longer than %" PRId64 " seconds", timeout_s);
    case RF_CHILD_TOO_LONG:
        return RF_STR("it printed more than 1 MiB");
    case RF_CHILD_STOPPED:
        return RF_STR("it was stopped");
    case RF_CHILD_ENDED:
        break;
    }
    if (end->signal)
        return rf_strf(a, "it was ended by signal %d", end->signal);
    if (end->status)
        return rf_strf(a, "it failed with status %d%s%s", end->status, *said ? ": " : "", said);
    if (rf_utf8_valid(end->output) < end->output.n)
        return RF_STR("what it printed is not UTF-8");
    return rf_str_trim(end->output).n ? RF_STR("") : RF_STR("it printed nothing");
}

static enum rf_code code_of(enum rf_child_fate fate)
{
    return fate == RF_CHILD_STOPPED    ? RF_EINTERRUPTED
           : fate == RF_CHILD_TOO_SLOW ? RF_ELIMIT
                                       : RF_EIO;
}

static void run(const struct rf_config_transcribe *t, const char *path, struct rf_job *job,
                struct rf_arena *a)
{
    const char **argv = RF_ARRAY(a, const char *, t->count + 2);
    int64_t timeout_s = timeout_of(t);
    struct rf_child_end end;
    for (size_t i = 0; i < t->count; i++)
        argv[i] = rf_cstr(a, t->arguments[i]);
    argv[t->count] = path;
    rf_child_run(&(struct rf_child){ .argv = argv,
                                     .timeout_ms = timeout_s * 1000,
                                     .most_output = MOST_OUTPUT,
                                     .stop_fd = job->cancel_fd ? job->cancel_fd : -1 },
                 a, &end);
    struct rf_str failed = why(&end, timeout_s, a);
    job->judged = end.fate == RF_CHILD_TOO_SLOW; /* not waited for again with each request */
    if (failed.n)
        job->failed = rf_fail(&job->err, code_of(end.fate), "%.*s", RF_FMT(failed));
    else
        job->text = rf_transcript_text(end.output, a);
}

void rf_transcribe(const struct rf_config *c, const struct rf_format *format, struct rf_job *job,
                   struct rf_arena *a)
{
    struct rf_temporary folder = { 0 };
    job->failed = rf_temporary_make(&folder, &job->err);
    if (job->failed)
        return;
    const char *path = rf_strf(a, "%s/recording%s%s", folder.path, format ? "." : "",
                               format ? format->extension : "")
                           .p;
    job->failed = copy_to(job->input, path, &job->err);
    if (!job->failed)
        run(&c->transcribe, path, job, a);
    rf_temporary_remove(&folder);
}
