/* /explain and /tokens: what the last request sent, and what the next one would take. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "report.h"
#include "text.h"

/* /explain */

static bool contains(struct rf_str text, struct rf_str part)
{
    return !part.n || (text.n >= part.n && memmem(text.p, text.n, part.p, part.n));
}

/* ", 412 KB sent of 3.1 MB"; what was made of a file may be larger than it. */
static void add_sizes(struct rf_buffer *b, int64_t bytes, int64_t sent)
{
    char size[RF_SHORT_TEXT];
    if (sent > 0)
        rf_buffer_print(b, ", %s sent", rf_size_text(sent, size));
    if (bytes >= 0 && bytes != sent)
        rf_buffer_print(b, "%s%s",
                        sent > bytes ? ", made of "
                        : sent > 0   ? " of "
                                     : ", it has ",
                        rf_size_text(bytes, size));
}

/* "  att_9f2c41d07ab3: converted as JPEG image, 412 KB sent of 3.1 MB, ~2500 tokens; limit:
 * max_images: 20". What was lost is in the line. */
static void say_details(struct rf_chat *c, struct rf_request *r, size_t i, struct rf_str line)
{
    struct rf_buffer b = { 0 };
    struct rf_str limit = rf_report_limit(r, i);
    struct rf_str id = rf_report_id(r, i);
    int64_t tokens = rf_report_tokens(r, i);
    char words[RF_SENT_WORDS], *reason = rf_text_types(rf_report_reason(r, i));
    rf_sent_words(rf_text(rf_delivery_name(rf_report_delivery(r, i))),
                  rf_text(rf_form_name(rf_report_form(r, i))), rf_report_as(r, i), words);
    rf_buffer_print(&b, "  %.*s: %s", RF_FMT(id), words);
    add_sizes(&b, rf_report_bytes(r, i), rf_report_sent_bytes(r, i));
    if (tokens >= 0)
        rf_buffer_print(&b, ", ~%" PRId64 " token%s", tokens, tokens == 1 ? "" : "s");
    if (limit.n)
        rf_buffer_print(&b, "; limit: %.*s", RF_FMT(limit));
    if (!contains(line, rf_text(reason)))
        rf_buffer_print(&b, "; %s", reason);
    rf_chat_say_text(c, RF_STYLE_DIM, rf_buffer_view(&b));
    rf_buffer_release(&b);
    free(reason);
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* What is not a file and made room. */
static void say_left_out(struct rf_chat *c, const struct rf_tokens *t)
{
    size_t gone = rf_tokens_gone(t), silent = rf_tokens_silent(t), cut = rf_tokens_cut(t);
    if (silent)
        rf_chat_say(c, RF_STYLE_WARN, "! the text of %zu result%s is left out", silent,
                    plural(silent));
    if (cut)
        rf_chat_say(c, RF_STYLE_WARN, "! the text of %zu message%s is cut", cut, plural(cut));
    if (gone)
        rf_chat_say(c, RF_STYLE_WARN, "! the first %zu message%s are left out; /compact makes room",
                    gone, plural(gone));
}

void rf_chat_run_explain(struct rf_chat *c, struct rf_str argument)
{
    struct rf_request *r = rf_agent_last_request(c->agent);
    char size[RF_SHORT_TEXT];
    (void)argument;
    if (!r) {
        rf_chat_say(c, RF_STYLE_DIM, "nothing was sent to this model yet");
        return;
    }
    size_t files = rf_report_count(r);
    struct rf_tokens *t = rf_request_tokens(r);
    rf_chat_say(c, RF_STYLE_PLAIN,
                "the last request to %s: %s, ~%" PRId64 " tokens, %zu message%s, %zu file%s",
                c->model, rf_size_text((int64_t)rf_request_length(r), size), rf_tokens_total(t),
                rf_tokens_count(t), plural(rf_tokens_count(t)), files, plural(files));
    for (size_t i = 0; i < files; i++) {
        struct rf_str line = rf_report_line(r, i);
        rf_chat_say_text(c, rf_theme_line_style(line), line);
        say_details(c, r, i, line);
    }
    say_left_out(c, t);
    for (size_t i = 0; i < rf_notice_count(r); i++)
        rf_chat_say(c, RF_STYLE_WARN, "note: %.*s", RF_FMT(rf_notice(r, i)));
    rf_tokens_free(t);
}

/* /tokens. Building a request may have files converted: the other thread does it. */

struct counting {
    struct rf_tokens *tokens;
    struct rf_err err;
};

static void count(struct rf_chat *c, void *ctx)
{
    struct counting *w = ctx;
    struct rf_request *r;
    if (!rf_agent_plan_next(c->agent, &r, &w->err))
        w->tokens = rf_request_tokens(r);
}

static void say_row(struct rf_chat *c, const char *what, int64_t tokens, const char *more)
{
    char number[RF_SHORT_TEXT];
    rf_chat_say(c, RF_STYLE_PLAIN, "%-12s %10s%s", what, rf_number_text(tokens, number), more);
}

static void say_messages(struct rf_chat *c, const struct rf_tokens *t)
{
    static const char *const roles[] = { "user", "assistant", "tool", "system", "developer" };
    int64_t media = 0;
    size_t files = 0;
    char more[64];
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++) {
        int64_t text = 0;
        size_t messages = 0;
        for (size_t i = 0; i < rf_tokens_count(t); i++)
            if (strcmp(rf_tokens_role(t, i), roles[k]) == 0) {
                text += rf_tokens_text(t, i);
                messages++;
            }
        snprintf(more, sizeof more, "  %zu message%s", messages, plural(messages));
        if (messages)
            say_row(c, roles[k], text, more);
    }
    for (size_t i = 0; i < rf_tokens_count(t); i++) {
        media += rf_tokens_media(t, i);
        files += rf_tokens_files(t, i);
    }
    snprintf(more, sizeof more, "  %zu sent as themselves", files);
    if (files)
        say_row(c, "files", media, more);
}

static void say_verdict(struct rf_chat *c, const struct rf_tokens *t)
{
    int64_t window = rf_tokens_context(t), reserve = rf_tokens_reserve(t);
    int64_t used = rf_tokens_total(t) + reserve;
    if (rf_tokens_total(t) != rf_tokens_estimate(t))
        say_row(c, "estimate", rf_tokens_estimate(t),
                "  before what this model reported is counted in");
    say_row(c, "total", rf_tokens_total(t), "");
    if (reserve)
        say_row(c, "answer", reserve, "  kept free for it");
    if (!window) {
        rf_chat_say(c, RF_STYLE_WARN, "how large the window of %s is, is unknown", c->model);
        return;
    }
    say_row(c, "window", window, "");
    rf_chat_say(c, used <= window ? RF_STYLE_GOOD : RF_STYLE_BAD, "%s: %d%% of the window",
                used <= window ? "it fits" : "it does not fit",
                rf_percent(rf_tokens_total(t), window));
}

static void say_tokens(struct rf_chat *c, void *ctx)
{
    struct counting *w = ctx;
    const struct rf_tokens *t = w->tokens;
    if (!t) {
        rf_chat_error(c, &w->err);
        return;
    }
    rf_chat_say(c, RF_STYLE_PLAIN, "the next request to %s, without your words:", c->model);
    if (rf_tokens_system(t))
        say_row(c, "system", rf_tokens_system(t), "");
    if (rf_tokens_tools(t))
        say_row(c, "tools", rf_tokens_tools(t), "");
    if (rf_tokens_request(t))
        say_row(c, "frame", rf_tokens_request(t), "");
    say_messages(c, t);
    say_verdict(c, t);
    say_left_out(c, t);
    rf_tokens_free(w->tokens);
}

void rf_chat_run_tokens(struct rf_chat *c, struct rf_str argument)
{
    struct counting *w = calloc(1, sizeof *w);
    (void)argument;
    if (!w)
        abort();
    rf_chat_work(c, "counting", count, say_tokens, w);
}
