/* The model "offline": one that answers in this process, without a network and without a key.
 *
 * The library knows how to ask it and does not have it. librefract-sim has one that says what it
 * was given (rf_simulator_offline in refract/sim.h), and a test of one's own can be another:
 *
 *     static void answer(void *ctx, const struct rf_offline_call *call)
 *     {
 *         call->reply(call->to, 200, RF_LIT("{\"type\":\"message\", …}"), 0);
 *     }
 *     …
 *     rf_agent_offline(agent, (struct rf_offline){ .answer = answer });
 *     if (rf_agent_model(agent, "offline", &err)) …
 */
#ifndef REFRACT_OFFLINE_H
#define REFRACT_OFFLINE_H

#include <stdbool.h>
#include <stdint.h>

#include <refract/str.h>

/* One request. It is written as Anthropic's Messages API has it, and so is the answer: one message,
 * or the events of a stream where the body asks for that. All of it lives until `answer`
 * returns. */
struct rf_offline_call {
    const char *path;    /* "/offline/v1/messages" */
    const char *headers; /* "name: value", a line each */
    struct rf_str body;
    /* Hand over the next piece of the answer, after so many milliseconds. Where the status is not
     * 200, the pieces are the words of a refusal. False where no more is wanted: then return. */
    bool (*reply)(void *to, int status, struct rf_str bytes, int64_t delay_ms);
    void *to;
    /* Becomes readable when no answer is wanted any more, for whoever works at one for long; it is
     * not to be read. -1: that never happens. */
    int stop_fd;
};

/* Without a function there is no such model, and whoever asks it gets RF_ECONFIG. `ctx` must
 * outlive what it is given to. */
struct rf_offline {
    void (*answer)(void *ctx, const struct rf_offline_call *call);
    void *ctx;
};

#endif
