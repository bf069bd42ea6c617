/* What a worker says gives the same job however it is cut. The first byte of the input chooses the
 * cuts; the rest are frames. */
#include "base/arena.h"
#include "base/buf.h"
#include "media/worker_intake.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void show_props(struct rf_buf *out, const struct rf_prop *props, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rf_buf_addf(out, "%s=%s\n", props[i].key.p, props[i].value.p);
}

static struct rf_str show(const struct rf_job *job, enum rf_intake_state state, struct rf_arena *a)
{
    struct rf_buf out;
    struct rf_str text;
    rf_buf_init(&out, a, SIZE_MAX);
    rf_buf_addf(&out, "%d %d %s %s\n", (int)state, (int)job->failed, job->err.msg, job->err.hint);
    show_props(&out, job->facts, job->fact_count);
    rf_buf_add(&out, job->text);
    for (size_t i = 0; i < job->part_count; i++) {
        show_props(&out, job->parts[i].props, job->parts[i].prop_count);
        rf_buf_add(&out, job->parts[i].text);
        expect(job->parts[i].bytes.text.n == job->parts[i].bytes.size);
        rf_buf_add(&out, job->parts[i].bytes.text);
    }
    for (size_t i = 0; i < job->note_count; i++)
        rf_buf_add(&out, job->notes[i]);
    expect(!rf_buf_finish(&out, &text, NULL));
    return text;
}

/* In pieces that the seed chooses, or whole; each lies in memory of exactly its size. */
static struct rf_str run(const uint8_t *p, size_t n, uint32_t seed, struct rf_arena *a)
{
    struct rf_job job = { .family = "fuzz", .max_bytes = 1 << 20 };
    struct rf_intake in;
    enum rf_intake_state state = RF_INTAKE_MORE;
    rf_intake_begin(&in, &job, false, a);
    for (size_t at = 0, step; state == RF_INTAKE_MORE && at < n; at += step) {
        seed = seed * 1664525 + (seed ? 1013904223 : 0);
        step = seed ? 1 + (seed >> 16 & 15) : n;
        step = step < n - at ? step : n - at;
        char *copy = malloc(step);
        expect(copy);
        memcpy(copy, p + at, step);
        state = rf_intake_feed(&in, (struct rf_str){ copy, step });
        free(copy);
    }
    rf_intake_end(&in);
    expect(state != RF_INTAKE_BROKEN || job.failed);
    /* What follows an end is only seen where it comes with it. */
    return state == RF_INTAKE_MORE ? show(&job, state, a) : RF_STR("over");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct rf_arena *a = rf_arena_new();
    struct rf_str whole = run(data + 1, size - 1, 0, a);
    expect(rf_str_eq(whole, run(data + 1, size - 1, data[0] + 1u, a)));
    rf_arena_free(a);
    return 0;
}
