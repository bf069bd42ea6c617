/* Planning long histories: decisions, the limits that files share, the window, and the turns. A
 * tenth of the messages hold a picture each. What a thousand messages cost, a hundred times as
 * many may cost a hundred times: the plan is one pass. Twice that is allowed for what memory
 * costs when it is much. */
#include "bench.h"

#include "base/arena.h"
#include "plan/plan.h"

#include <stdlib.h>

/* 3 x 2 pixels. */
#define PICTURE                                                                                   \
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mP4z8AAQQxwFgBB0gX7b/EWxwAAAABJRU5" \
    "ErkJggg=="

struct history {
    struct rf_arena *arena;
    struct rf_conversation conversation;
    struct rf_survey survey;
    struct rf_model model;
};

static void make_message(struct rf_arena *a, size_t i, struct rf_message *m)
{
    bool answer = i % 2, picture = i % 10 == 0;
    m->role = answer ? RF_ROLE_ASSISTANT : RF_ROLE_USER;
    m->blocks = RF_ARRAY(a, struct rf_block, 2);
    m->block_count = 1 + picture;
    m->blocks[0].text =
        rf_strf(a, "This is message %zu of a long talk about pictures and screens.", i);
    if (!picture)
        return;
    m->blocks[1].type = RF_BLOCK_IMAGE;
    m->blocks[1].media.id = rf_strf(a, "p%zu", i);
    m->blocks[1].media.source =
        (struct rf_source){ .kind = RF_SOURCE_DATA, .ref = RF_STR(PICTURE) };
}

static struct history *make_history(size_t messages)
{
    struct rf_arena *a = rf_arena_new();
    struct history *h = RF_NEW(a, struct history);
    const struct rf_asset_place place = { .root = "" };
    h->arena = a;
    h->conversation = (struct rf_conversation){
        .arena = a,
        .messages = RF_ARRAY(a, struct rf_message, messages),
        .message_count = messages,
    };
    for (size_t i = 0; i < messages; i++)
        make_message(a, i, &h->conversation.messages[i]);
    if (rf_model_init(&h->model, RF_STR("anthropic"), RF_STR("claude-sonnet-4-5"), a, NULL))
        abort();
    rf_survey_init(&h->survey, &h->conversation, h->model.caps.dialect, &place, a);
    return h;
}

static void plan(void *arg)
{
    const struct history *h = arg;
    const struct rf_plan_options options = { .convert = true };
    struct rf_arena *a = rf_arena_new();
    struct rf_plan p;
    if (rf_plan_decide(&h->survey, &h->model, &options, a, &p, NULL) ||
        rf_plan_lay_out(&p, &h->survey, a, NULL))
        abort();
    bench_keep(p.turns);
    rf_arena_free(a);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = { 1000, 10000, 100000 };
    static const char *const names[] = { "plan 1,000 messages", "plan 10,000 messages",
                                         "plan 100,000 messages" };
    struct history *histories[3];
    struct bench_case cases[3] = { 0 };
    struct bench b;
    bench_open(&b, argc, argv);
    for (size_t i = 0; i < 3; i++) {
        histories[i] = make_history(sizes[i]);
        cases[i] = (struct bench_case){ .run = plan, .arg = histories[i] };
    }
    bench_run(&b, cases, 3);
    bench_row(&b, &(struct bench_row){ names[0], cases[0].best_s * 1e3, "ms", 0, NULL,
                                       BENCH_NO_GOAL, 0 });
    bench_row(&b, &(struct bench_row){ names[1], cases[1].best_s * 1e3, "ms",
                                       cases[1].best_s / 0.010, "10 ms", BENCH_AT_MOST, 1 });
    bench_row(&b, &(struct bench_row){ names[2], cases[2].best_s * 1e3, "ms",
                                       cases[2].best_s / cases[1].best_s / 10, "ten times 10,000",
                                       BENCH_AT_MOST, 2 });
    for (size_t i = 0; i < 3; i++)
        rf_arena_free(histories[i]->arena);
    return bench_close(&b);
}
