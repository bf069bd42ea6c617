/* The calls of a chat's core, played: what is said becomes lines of a text, and work is done at once. */
#include "played.h"

#include "chat/parts.h"
#include "view/view.h"

#include <refract/sim.h>

static struct stage *stage_of(struct rf_chat *c)
{
    return (struct stage *)c;
}

static void check(enum rf_code rc, const struct rf_err *err)
{
    if (rc)
        fail_msg("%s", err->msg);
}

/* Saying */

static void add_line(struct rf_buffer *b, struct rf_str line)
{
    rf_buffer_str(b, line);
    rf_buffer_text(b, "\n");
}

void rf_chat_say(struct rf_chat *c, enum rf_style style, const char *fmt, ...)
{
    char *text;
    va_list ap;
    (void)style;
    va_start(ap, fmt);
    assert_true(vasprintf(&text, fmt, ap) >= 0);
    va_end(ap);
    add_line(&stage_of(c)->said, rf_str(text));
    free(text);
}

void rf_chat_say_text(struct rf_chat *c, enum rf_style style, struct rf_str text)
{
    (void)style;
    add_line(&stage_of(c)->said, text);
}

void rf_chat_say_pair(struct rf_chat *c, int width, struct rf_str word, struct rf_str meaning)
{
    assert_true(width > 0);
    rf_buffer_str(&stage_of(c)->said, word);
    rf_buffer_text(&stage_of(c)->said, "  ");
    add_line(&stage_of(c)->said, meaning);
}

void rf_chat_say_markdown(struct rf_chat *c, struct rf_str text)
{
    add_line(&stage_of(c)->said, text);
}

void rf_chat_error(struct rf_chat *c, const struct rf_err *err)
{
    rf_chat_say(c, RF_STYLE_BAD, "x %s", err->msg);
    if (err->hint[0])
        rf_chat_say(c, RF_STYLE_DIM, "hint: %s", err->hint);
}

/* Files */

bool rf_chat_preview(struct rf_chat *c, const char *path)
{
    add_line(&stage_of(c)->viewed, rf_str(path));
    return true;
}

bool rf_chat_preview_attachment(struct rf_chat *c, const char *id, const char *name)
{
    (void)name;
    return rf_chat_preview(c, id);
}

bool rf_chat_attach(struct rf_chat *c, const char *path)
{
    add_line(&stage_of(c)->attached, rf_str(path));
    return !stage_of(c)->attach_fails;
}

struct rf_tools *rf_chat_tools(struct rf_chat *c)
{
    return c->tools;
}

int rf_view_run(struct rf_tty *tty, struct rf_tools *tools, const char *path_or_id,
                const struct rf_view_options *options)
{
    (void)tty, (void)tools, (void)path_or_id, (void)options;
    fail_msg("there is no terminal to view on");
    return 0;
}

void rf_region_clear(struct rf_region *r)
{
    (void)r;
    fail_msg("there is no region");
}

enum rf_chat_copied rf_chat_copy(struct rf_chat *c, struct rf_str text)
{
    struct rf_buffer *copied = &stage_of(c)->copied;
    rf_buffer_reset(copied);
    rf_buffer_str(copied, text);
    return RF_CHAT_COPIED;
}

/* Work */

void rf_chat_edit(struct rf_chat *c, struct rf_str text)
{
    (void)c, (void)text;
    fail_msg("there is no terminal to edit on");
}

void rf_chat_retry(struct rf_chat *c, const char *prompt)
{
    struct rf_str answer;
    assert_non_null(prompt);
    check(rf_agent_retry(c->agent, &answer, &stage_of(c)->err), &stage_of(c)->err);
    rf_chat_say_markdown(c, answer);
}

bool rf_chat_is_busy(const struct rf_chat *c)
{
    return stage_of((struct rf_chat *)(uintptr_t)c)->busy;
}

bool rf_chat_goes_on(void *ctx)
{
    (void)ctx;
    return true;
}

/* Nobody is there to choose. */
bool rf_chat_pick_ask(struct rf_chat *c, struct rf_chat_pick *p)
{
    (void)c;
    return p->chosen[0];
}

void rf_chat_wait_line(struct rf_chat *c, struct rf_str line, const char *origins)
{
    (void)origins;
    rf_chat_say_text(c, RF_STYLE_PLAIN, line);
}

void rf_chat_work(struct rf_chat *c, const char *what, void (*work)(struct rf_chat *c, void *ctx),
                  void (*done)(struct rf_chat *c, void *ctx), void *ctx)
{
    assert_non_null(what);
    work(c, ctx);
    done(c, ctx);
    free(ctx);
}

void rf_chat_work_of_agent(struct rf_chat *c, const char *what,
                           void (*work)(struct rf_chat *c, void *ctx),
                           void (*done)(struct rf_chat *c, void *ctx), void *ctx)
{
    rf_chat_work(c, what, work, done, ctx);
}

bool rf_chat_take_model(struct rf_chat *c, const char *name)
{
    struct rf_err err;
    if (rf_agent_model(c->agent, name, &err)) {
        rf_chat_error(c, &err);
        return false;
    }
    snprintf(c->model, sizeof c->model, "%s", name);
    return true;
}

bool rf_chat_take_session(struct rf_chat *c, const char *id)
{
    struct rf_err err;
    if (!rf_agent_resume(c->agent, id, &err))
        return true;
    rf_chat_error(c, &err);
    return false;
}

void rf_chat_recap(struct rf_chat *c)
{
    rf_chat_say(c, RF_STYLE_DIM, "(recap)");
}

void rf_chat_count(struct rf_chat *c)
{
    (void)c;
}

/* The stage */

void stage_open(struct stage *s)
{
    memset(s, 0, sizeof *s);
    s->arena = rf_arena_new();
    s->folder = scratch_new(s->arena);
    setenv("XDG_DATA_HOME", in_folder(s->arena, s->folder, ".data"), 1);
    setenv("XDG_CONFIG_HOME", in_folder(s->arena, s->folder, ".config"), 1);
    setenv("XDG_CACHE_HOME", in_folder(s->arena, s->folder, ".cache"), 1);
    setenv("HOME", s->folder, 1);
    assert_int_equal(chdir(s->folder), 0);
    make_folder(".config");
    make_folder(".config/refract");
    write_file(".config/refract/config.yaml",
               RF_STR("models:\n"
                      "  eyes: {provider: ollama, model: \"llava:13b\"}\n"
                      "  words: {provider: ollama, model: phi4}\n"));
    struct rf_chat *c = &s->chat;
    check(rf_config_open(&c->config, &s->err), &s->err);
    check(rf_store_open(c->config, &c->stored.store, &s->err), &s->err);
    check(rf_agent_new(c->config, c->stored.store, &c->agent, &s->err), &s->err);
    rf_agent_offline(c->agent, rf_simulator_offline());
    check(rf_agent_model(c->agent, "offline", &s->err), &s->err);
    snprintf(c->model, sizeof c->model, "offline");
    c->tools = rf_tools_new();
    c->plain = true;
}

void stage_close(struct stage *s)
{
    struct rf_chat *c = &s->chat;
    rf_agent_free(c->agent);
    rf_tools_free(c->tools);
    rf_stored_close(&c->stored);
    rf_config_close(c->config);
    rf_buffer_release(&c->completed);
    rf_buffer_release(&s->said);
    rf_buffer_release(&s->attached);
    rf_buffer_release(&s->viewed);
    rf_buffer_release(&s->copied);
    free(c->last_document);
    assert_int_equal(chdir("/"), 0);
    scratch_remove(s->folder);
    rf_arena_free(s->arena);
}

void stage_file(struct stage *s, const char *name, const char *text)
{
    write_file(in_folder(s->arena, s->folder, name), rf_str(text));
}

void stage_ask(struct stage *s, const char *prompt)
{
    struct rf_str answer;
    check(rf_agent_ask(s->chat.agent, rf_str(prompt), &answer, &s->err), &s->err);
}

struct rf_str said(struct stage *s)
{
    struct rf_str text = rf_str_dup(s->arena, rf_buffer_view(&s->said));
    rf_buffer_reset(&s->said);
    return text;
}

void run(struct stage *s, const char *line)
{
    rf_chat_command_run(&s->chat, line);
}

void check_has(struct rf_str text, const char *words, bool wanted, const char *file, int line)
{
    if (rf_str_contains(text, rf_str(words)) == wanted)
        return;
    print_error("%s:%d: \"%s\" is %s in: %.*s\n", file, line, words, wanted ? "not" : "",
                (int)text.n, text.p);
    _fail(file, line);
}
