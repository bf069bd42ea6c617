/* Frames of lines are gathered and then read; text and bytes go where they belong as they come,
 * so that what a worker says is never held twice. Bytes go to a file of their own where the job
 * has a spool folder: made anew, never one that was there, and readable by nobody else. */
#include "media/worker_intake.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_LINES ((uint32_t)64 << 10) /* bytes of a frame of lines */
#define MAX_FACTS 1000
#define MAX_NOTES 1000
#define MAX_PARTS 20000
#define MAX_PROPS 64    /* of one part */
#define MAX_CHARACTER 4 /* bytes of UTF-8 */
#define USUAL_MAX_BYTES ((uint64_t)256 << 20)
#define USUAL_MAX_TEXT ((uint64_t)17 << 20) /* what the workers hold themselves to, and a little */

static enum rf_intake_state broken(struct rf_intake *in)
{
    return in->state = RF_INTAKE_BROKEN;
}

static enum rf_intake_state nonsense(struct rf_intake *in)
{
    in->job->failed =
        rf_fail(&in->job->err, RF_EIO, "the worker \"%s\" gave an answer that makes no sense",
                in->job->family);
    return broken(in);
}

static enum rf_intake_state too_much(struct rf_intake *in, const char *what, uint64_t max)
{
    in->job->failed = rf_fail(&in->job->err, RF_ELIMIT, "the file gives more than %llu %s",
                              (unsigned long long)max, what);
    return broken(in);
}

void rf_job_reset(struct rf_job *job)
{
    *job = (struct rf_job){
        .family = job->family,
        .ask = job->ask,
        .input = job->input,
        .sha256 = job->sha256,
        .spool = job->spool,
        .timeout_ms = job->timeout_ms,
        .cancel_fd = job->cancel_fd,
        .max_bytes = job->max_bytes,
        .max_text = job->max_text,
        .step = job->step,
        .context = job->context,
    };
}

static bool is_member(const struct rf_job *job)
{
    static const char *const holders[] = { "office", "legacy", "archive" };
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
        if (strcmp(job->family, holders[i]) == 0)
            return true;
    return false;
}

void rf_job_inherit(struct rf_job *job, struct rf_arena *a)
{
    const struct rf_bytes *from = job->input;
    bool own = from && from->own && !is_member(job);
    struct rf_str source = from && from->made_of.n ? from->made_of : job->sha256;
    if (!own && job->part_count)
        source = rf_str_dup(a, source);
    for (size_t i = 0; i < job->part_count; i++) {
        job->parts[i].bytes.own = own;
        job->parts[i].bytes.made_of = own ? RF_STR("") : source;
    }
}

void rf_intake_begin(struct rf_intake *in, struct rf_job *job, bool ready, struct rf_arena *a)
{
    *in = (struct rf_intake){
        .job = job,
        .arena = a,
        .max_bytes = job->max_bytes ? job->max_bytes : USUAL_MAX_BYTES,
        .text_left = job->max_text ? job->max_text : USUAL_MAX_TEXT,
        .spool = -1,
        .ready = ready,
    };
}

/* Parts and their bytes */

static struct rf_job_part *last_part(struct rf_intake *in)
{
    return in->job->part_count ? &in->job->parts[in->job->part_count - 1] : NULL;
}

static enum rf_intake_state spool_failed(struct rf_intake *in)
{
    in->job->failed =
        rf_fail_errno(&in->job->err, "could not write to the folder \"%s\"", in->job->spool);
    return broken(in);
}

/* The part's bytes are all there. */
static enum rf_intake_state close_part(struct rf_intake *in)
{
    struct rf_job_part *part = last_part(in);
    in->bytes_cap = 0;
    if (in->spool < 0)
        return in->state;
    int closed = close(in->spool);
    in->spool = -1;
    if (closed != 0)
        return spool_failed(in);
    if (rf_bytes_file("", part->bytes.path, &part->bytes, &in->job->err)) {
        in->job->failed = in->job->err.code;
        return broken(in);
    }
    return in->state;
}

static bool open_spool(struct rf_intake *in, struct rf_job_part *part)
{
    struct rf_str name = rf_strf(in->arena, "%s/part-XXXXXX", in->job->spool);
    in->spool = mkostemp((char *)(uintptr_t)name.p, O_CLOEXEC);
    if (in->spool < 0)
        return false;
    part->bytes = (struct rf_bytes){ .kind = RF_BYTES_FILE, .root = "", .path = name.p };
    return true;
}

static bool write_all(int fd, struct rf_str s)
{
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        s = (struct rf_str){ s.p + n, s.n - (size_t)n };
    }
    return true;
}

/* Append to a text in the arena whose room is `cap`. */
static void append(struct rf_intake *in, struct rf_str *to, size_t *cap, struct rf_str s)
{
    if (s.n > *cap - to->n) {
        size_t grown = *cap * 2 > to->n + s.n ? *cap * 2 : to->n + s.n;
        to->p = rf_arena_grow(in->arena, *cap ? (void *)(uintptr_t)to->p : NULL, *cap, grown);
        *cap = grown;
    }
    memcpy((char *)(uintptr_t)to->p + to->n, s.p, s.n);
    to->n += s.n;
}

static enum rf_intake_state take_bytes(struct rf_intake *in, struct rf_str s)
{
    struct rf_job_part *part = last_part(in);
    if (!part)
        return nonsense(in);
    if (in->job->spool) {
        if ((in->spool < 0 && !open_spool(in, part)) || !write_all(in->spool, s))
            return spool_failed(in);
    } else {
        append(in, &part->bytes.text, &in->bytes_cap, s);
    }
    part->bytes.size += s.n;
    return in->state;
}

static struct rf_str *current_text(struct rf_intake *in)
{
    struct rf_job_part *part = last_part(in);
    return part ? &part->text : &in->job->text;
}

static enum rf_intake_state end_text(struct rf_intake *in)
{
    struct rf_str *text = current_text(in);
    size_t n = text->n - in->text_from;
    struct rf_str piece = { n ? text->p + in->text_from : "", n };
    size_t broken_off = n - rf_utf8_valid(piece);
    if (broken_off && (!in->cut_text || broken_off >= MAX_CHARACTER))
        return nonsense(in);
    text->n -= broken_off;
    in->text_from = text->n;
    return in->state;
}

/* Lines */

/* A copy that is UTF-8 and holds no control characters; false where it is not UTF-8. */
static bool take_words(struct rf_intake *in, struct rf_str s, struct rf_str *out)
{
    if (rf_utf8_valid(s) != s.n || (s.n && memchr(s.p, '\0', s.n)))
        return false;
    *out = rf_str_dup(in->arena, s);
    rf_clean_controls((char *)(uintptr_t)out->p);
    out->n = strlen(out->p);
    return true;
}

static bool take_prop(struct rf_intake *in, struct rf_str line, struct rf_prop *out)
{
    struct rf_str key, value = line;
    return rf_str_split(&value, '=', &key) && key.n && key.n < line.n &&
           take_words(in, key, &out->key) && take_words(in, value, &out->value);
}

static enum rf_intake_state take_fact(struct rf_intake *in, struct rf_str line)
{
    struct rf_job *job = in->job;
    struct rf_prop prop;
    if (job->fact_count == MAX_FACTS)
        return too_much(in, "facts", MAX_FACTS);
    if (!take_prop(in, line, &prop))
        return nonsense(in);
    *RF_PUSH(in->arena, job->facts, job->fact_count, job->fact_cap) = prop;
    return in->state;
}

static enum rf_intake_state take_part(struct rf_intake *in, struct rf_str lines)
{
    struct rf_job *job = in->job;
    struct rf_job_part part = { .bytes = rf_bytes_memory(RF_STR("")) };
    struct rf_str line;
    if (close_part(in) != RF_INTAKE_MORE)
        return in->state;
    if (job->part_count == MAX_PARTS)
        return too_much(in, "parts", MAX_PARTS);
    while (rf_str_split(&lines, '\n', &line)) {
        struct rf_prop prop;
        if (!line.n)
            continue;
        if (part.prop_count == MAX_PROPS || !take_prop(in, line, &prop))
            return nonsense(in);
        *RF_PUSH(in->arena, part.props, part.prop_count, part.prop_cap) = prop;
    }
    *RF_PUSH(in->arena, job->parts, job->part_count, job->part_cap) = part;
    in->text_cap = in->text_from = 0;
    return in->state;
}

static enum rf_intake_state take_note(struct rf_intake *in, struct rf_str words)
{
    struct rf_job *job = in->job;
    struct rf_str note;
    if (job->note_count == MAX_NOTES)
        return in->state; /* a thousand are enough */
    if (!take_words(in, words, &note))
        return nonsense(in);
    *RF_PUSH(in->arena, job->notes, job->note_count, job->note_cap) = note;
    return in->state;
}

static enum rf_intake_state take_step(struct rf_intake *in, struct rf_str of)
{
    struct rf_str done;
    int64_t a, b;
    if (!rf_str_split(&of, '/', &done) || !rf_str_int64(done, &a) || !rf_str_int64(of, &b))
        return nonsense(in);
    if (in->job->step && !in->job->step(in->job->context, a, b))
        rf_job_cancel(in->job);
    return in->state;
}

/* A worker may blame the file or its own installation and, before a file could speak through it,
 * its sandbox; nothing else. */
static enum rf_code code_of(struct rf_str name, bool ready)
{
    static const enum rf_code known[] = { RF_EFORMAT, RF_EENCRYPTED,   RF_ELIMIT, RF_ECONFIG,
                                          RF_EUSAGE,  RF_EUNSUPPORTED, RF_EIO,    RF_EINTERNAL };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rf_str_is(name, rf_code_name(known[i])))
            return known[i];
    return !ready && rf_str_is(name, rf_code_name(RF_ESANDBOX)) ? RF_ESANDBOX : RF_EFORMAT;
}

static enum rf_intake_state take_fail(struct rf_intake *in, struct rf_str lines)
{
    struct rf_job *job = in->job;
    struct rf_str name = { 0 }, what = { 0 }, hint = { 0 };
    rf_str_split(&lines, '\n', &name);
    rf_str_split(&lines, '\n', &what);
    rf_str_split(&lines, '\n', &hint);
    if (!take_words(in, what, &what) || !take_words(in, hint, &hint) || !what.n)
        return nonsense(in);
    job->failed = rf_fail(&job->err, code_of(name, in->ready), "%s", what.p);
    if (hint.n)
        rf_advise(&job->err,
                  rf_str_is(hint, RF_WORKER_WANTS_PASSWORD) ? RF_REASON_PASSWORD : RF_REASON_OTHER,
                  "%s", hint.p);
    job->judged = in->ready;
    in->state = in->ready ? RF_INTAKE_OVER : RF_INTAKE_BROKEN;
    return in->state;
}

/* Frames */

static enum rf_intake_state take_frame(struct rf_intake *in)
{
    struct rf_str lines = { in->words, in->have };
    switch ((enum rf_frame_kind)in->head.kind) {
    case RF_FRAME_READY:
        in->ready = true;
        return in->state;
    case RF_FRAME_FACT:
        return take_fact(in, lines);
    case RF_FRAME_PART:
        return take_part(in, lines);
    case RF_FRAME_NOTE:
        return take_note(in, lines);
    case RF_FRAME_STEP:
        return take_step(in, lines);
    case RF_FRAME_FAIL:
        return take_fail(in, lines);
    case RF_FRAME_TEXT:
        return end_text(in);
    case RF_FRAME_BYTES:
        return in->state;
    case RF_FRAME_DONE:
        if (close_part(in) == RF_INTAKE_MORE)
            in->state = RF_INTAKE_OVER;
        return in->state;
    case RF_FRAME_ASK:
        break;
    }
    return nonsense(in);
}

static bool is_stream(const struct rf_intake *in)
{
    return in->head.kind == RF_FRAME_TEXT || in->head.kind == RF_FRAME_BYTES;
}

/* May such a frame come now, and be that long? The first word is READY or FAIL, perhaps with facts
 * before it, and READY is said once. */
static enum rf_intake_state take_head(struct rf_intake *in)
{
    struct rf_frame_head h = in->head;
    bool first = h.kind == RF_FRAME_READY || h.kind == RF_FRAME_FACT || h.kind == RF_FRAME_FAIL;
    bool known = h.kind >= RF_FRAME_READY && h.kind <= RF_FRAME_DONE;
    if (!known || h.length > (is_stream(in) ? RF_MAX_FRAME_LENGTH : MAX_LINES) ||
        (in->ready ? h.kind == RF_FRAME_READY : !first))
        return nonsense(in);
    if (h.length > in->max_bytes - in->taken)
        return too_much(in, "bytes", in->max_bytes);
    in->taken += h.length;
    in->have = 0;
    return in->state;
}

static void take_words_piece(struct rf_intake *in, struct rf_str s)
{
    if (in->have + s.n > in->words_cap) {
        in->words = rf_arena_grow(in->arena, in->words, in->words_cap, in->head.length);
        in->words_cap = in->head.length;
    }
    memcpy(in->words + in->have, s.p, s.n);
}

/* The part says so too: what is missing is its end, or all of it. */
static void mark_cut(struct rf_job *job, struct rf_arena *a)
{
    struct rf_job_part *p = job->part_count ? &job->parts[job->part_count - 1] : NULL;
    if (p && !rf_prop_int(p->props, p->prop_count, "cut"))
        *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) =
            (struct rf_prop){ RF_STR("cut"), RF_STR("1") };
}

/* What is too much is passed over: what is kept is a beginning. */
static void take_text(struct rf_intake *in, struct rf_str s)
{
    size_t keep = s.n < in->text_left ? s.n : (size_t)in->text_left;
    if (keep < s.n && !in->cut_text) {
        in->cut_text = true;
        take_note(in, RF_STR("the text is longer than the limit and was cut"));
    }
    if (keep < s.n)
        mark_cut(in->job, in->arena);
    in->text_left -= keep;
    if (keep)
        append(in, current_text(in), &in->text_cap, (struct rf_str){ s.p, keep });
}

static enum rf_intake_state take_piece(struct rf_intake *in, struct rf_str s)
{
    if (!s.n)
        return in->state;
    if (in->head.kind == RF_FRAME_BYTES)
        take_bytes(in, s);
    else if (in->head.kind == RF_FRAME_TEXT)
        take_text(in, s);
    else
        take_words_piece(in, s);
    in->have += (uint32_t)s.n;
    return in->state;
}

static struct rf_str cut(struct rf_str *from, size_t n)
{
    struct rf_str piece = { from->p, n < from->n ? n : from->n };
    *from = (struct rf_str){ from->p + piece.n, from->n - piece.n };
    return piece;
}

enum rf_intake_state rf_intake_feed(struct rf_intake *in, struct rf_str bytes)
{
    while (bytes.n && in->state == RF_INTAKE_MORE) {
        if (in->head_n < sizeof in->head) {
            struct rf_str piece = cut(&bytes, sizeof in->head - in->head_n);
            memcpy((char *)&in->head + in->head_n, piece.p, piece.n);
            in->head_n += piece.n;
            if (in->head_n < sizeof in->head || take_head(in) != RF_INTAKE_MORE)
                continue;
        }
        struct rf_str piece = cut(&bytes, in->head.length - in->have);
        if (take_piece(in, piece) == RF_INTAKE_MORE && in->have == in->head.length) {
            in->head_n = 0;
            take_frame(in);
        }
    }
    /* What follows the end of an answer was not asked for. */
    return bytes.n && in->state == RF_INTAKE_OVER ? nonsense(in) : in->state;
}

void rf_intake_end(struct rf_intake *in)
{
    struct rf_job *job = in->job;
    if (in->spool >= 0)
        close(in->spool);
    in->spool = -1;
    for (size_t i = 0; job->failed && i < job->part_count; i++) {
        if (job->parts[i].bytes.kind == RF_BYTES_FILE)
            unlink(job->parts[i].bytes.path);
        job->parts[i].bytes = rf_bytes_memory(RF_STR(""));
    }
}
