/* An answer that has to fit a schema: taken out of the code block that some models put around it,
 * checked, and asked for once more, with what is wrong with it.
 *
 * It refuses to mend an answer: what is returned is what the model wrote. */
#include "agent/agent.h"

#include "base/arena.h"
#include "content/message.h"

#define FENCE "```"

/* What stands between the fences, where the whole answer is one code block. */
static struct rf_str without_fence(struct rf_str text)
{
    struct rf_str s = rf_str_trim(text), line;
    size_t n = sizeof FENCE - 1;
    if (s.n < 2 * n || memcmp(s.p, FENCE, n) != 0 || memcmp(s.p + s.n - n, FENCE, n) != 0)
        return s;
    struct rf_str inside = { s.p, s.n - n };
    rf_str_split(&inside, '\n', &line);
    return rf_str_trim(inside);
}

enum rf_code rf_agent_check_answer(struct rf_agent *a, struct rf_str text, struct rf_str *answer,
                                   struct rf_err *err)
{
    const struct rf_request *r = a->asking.last.request;
    if (r->plan.conversation->options.schema)
        text = without_fence(text);
    *answer = rf_str_dup(a->asking.arena, text);
    return rf_request_check_answer(r, text, err);
}

enum rf_code rf_agent_ask_again(struct rf_agent *a, const char *why, struct rf_err *err)
{
    struct rf_block block;
    struct rf_str words =
        rf_strf(a->asking.arena,
                RF_NOT_ACCEPTED "%s. Answer again, with JSON alone that fits the schema.]", why);
    struct rf_message message = rf_user_message(words, &block);
    rf_listener_note(&a->listener, "%s; it is asked for once more", why);
    a->asking.answers_only = true;
    return rf_history_append(&a->history, &message, 1, err);
}
