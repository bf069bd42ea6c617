/* What an answer brings besides words: the numbers of its sources and the sources below it; files
 * that the model made, or a tool returned for the person, which are saved and shown. Heard in the
 * other thread. */
#include "chat/parts.h"

#include "report.h"

static void post_marks(struct rf_chat *c, const struct rf_block *b)
{
    struct rf_chat_event *e = rf_chat_event_new(RF_CHAT_AGENT);
    e->agent.type = RF_AGENT_TEXT;
    rf_sources_marks(&c->turn->sources, b, &e->text);
    if (e->text.n)
        rf_chat_post(c, e);
    else
        rf_chat_event_free(e);
}

static void say_sources(struct rf_chat *c)
{
    struct rf_sources *s = &c->turn->sources;
    for (size_t i = 0; i < s->count; i++) {
        struct rf_buffer line = { 0 };
        rf_sources_line(s, i, &line);
        rf_chat_say_text(c, RF_STYLE_DIM, rf_buffer_view(&line));
        rf_buffer_release(&line);
    }
    rf_sources_release(s);
}

bool rf_chat_save_made(struct rf_chat *c, const struct rf_block *b, struct rf_str tool,
                       struct rf_made_file *out)
{
    struct rf_session *session = rf_agent_session(c->agent);
    struct rf_err err;
    if (!b || !rf_made_is(b))
        return false;
    if (rf_made_take(&c->made, b, session ? rf_session_id(session) : NULL, out, &err)) {
        rf_chat_error(c, &err);
        return false;
    }
    snprintf(out->tool, sizeof out->tool, "%.*s", RF_FMT(tool));
    return true;
}

void rf_chat_keep_made(struct rf_chat *c, const struct rf_block *b, struct rf_str tool)
{
    struct rf_buffer line = { 0 };
    struct rf_made_file f;
    if (!rf_chat_save_made(c, b, tool, &f))
        return;
    rf_made_line(&f, &line);
    rf_chat_say_text(c, RF_STYLE_DIM, rf_buffer_view(&line));
    rf_buffer_release(&line);
    if (!f.is_elsewhere)
        rf_chat_preview_shortly(c, f.path.p);
    rf_made_file_release(&f);
}

bool rf_chat_heard_stream(void *ctx, const struct rf_event *e)
{
    struct rf_chat *c = ctx;
    rf_sources_hear(&c->turn->sources, e);
    if (e->type == RF_EVENT_BLOCK_END) {
        post_marks(c, e->done);
        rf_chat_keep_made(c, e->done, rf_text(""));
    }
    if (e->type == RF_EVENT_DONE)
        say_sources(c);
    return true;
}
