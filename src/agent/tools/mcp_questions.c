/* What a server asks while one of its tools runs: the model something, which the person has to
 * agree to, or the person to fill in a form. Both are done in the agent's own thread. Where no tool
 * runs, as when a login is needed to start it, the model is not asked, and the person where this is
 * that thread. */
#include "agent/tools/servers.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/message.h"
#include "content/result.h"
#include "mcp/client/form.h"
#include "mcp/result.h"
#include "source/asset.h"

#include <refract/agent.h>

#define MOST_SHOWN ((size_t)32 << 10) /* bytes of a question that the person is shown */

/* The model */

static struct rf_str text_of(const struct rf_jval *v, struct rf_arena *a)
{
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

/* A block, or several, as the content of a result has them. */
struct rf_message rf_served_message(const struct rf_jval *v, struct rf_arena *a)
{
    const struct rf_jval *content = rf_jval_get(v, "content");
    struct rf_str text = content ? rf_jval_compact(content, a) : RF_STR("[]");
    bool list = content && content->type == RF_JARRAY;
    const struct rf_jval *wrapped;
    struct rf_message m = { 0 };
    if (rf_jval_parse(
            rf_strf(a, "{\"content\":%s%.*s%s}", list ? "" : "[", RF_FMT(text), list ? "" : "]"), a,
            &wrapped, NULL))
        RF_BUG("JSON that was read cannot be read again");
    rf_mcp_result_read(wrapped, NULL, a, &m);
    return (struct rf_message){
        .role = rf_jval_is(rf_jval_get(v, "role"), "assistant") ? RF_ROLE_ASSISTANT : RF_ROLE_USER,
        .blocks = m.blocks,
        .block_count = m.block_count,
    };
}

/* A line of a text cannot be taken for the next message: it is indented. */
static void add_lines(struct rf_buf *b, struct rf_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        rf_buf_addc(b, text.p[i]);
        if (text.p[i] == '\n')
            rf_buf_addf(b, "    ");
    }
}

static void add_message(struct rf_buf *b, const struct rf_message *m)
{
    rf_buf_addf(b, "%s%s:", b->n ? "\n" : "", m->role == RF_ROLE_ASSISTANT ? "assistant" : "user");
    for (size_t i = 0; i < m->block_count; i++) {
        const struct rf_block *block = &m->blocks[i];
        rf_buf_addf(b, "%s", i ? "\n    " : " ");
        if (rf_block_is_media(block->type))
            rf_buf_addf(b, "[%s, %.*s]", rf_block_type_name(block->type),
                        RF_FMT(rf_clean_name(block->media.media_type, b->arena)));
        else
            add_lines(b, block->text);
    }
}

/* All that the model would be asked, for the person: what is not shown is not agreed to. */
static bool shown(const struct rf_jval *params, struct rf_arena *a, struct rf_str *out)
{
    const struct rf_jval *messages = rf_jval_get(params, "messages");
    struct rf_str system = text_of(rf_jval_get(params, "systemPrompt"), a);
    struct rf_buf b;
    rf_buf_init(&b, a, MOST_SHOWN);
    if (system.n) {
        rf_buf_addf(&b, "system: ");
        add_lines(&b, system);
    }
    for (const struct rf_jval *v = rf_jval_first(messages); v; v = rf_jval_next(messages, v)) {
        const struct rf_message m = rf_served_message(v, a);
        add_message(&b, &m);
    }
    return !rf_buf_finish(&b, out, NULL);
}

struct sampling {
    struct rf_run *run;
    const struct rf_jval *params;
    struct rf_arena *arena;
    struct rf_str *result;
    struct rf_err *err;
    enum rf_code rc;
};

static void sample(void *ctx)
{
    struct sampling *s = ctx;
    struct rf_toolbox *t = s->run->box;
    s->rc = t->sample(t->sample_ctx, s->params, s->arena, s->result, s->err);
}

enum rf_code rf_served_ask_model(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                                 struct rf_str *result, struct rf_err *err)
{
    struct rf_run *r = ((struct rf_asker *)ctx)->run;
    struct sampling s = { r, q->params, a, result, err, RF_OK };
    struct rf_str name = rf_strf(a, "%s%.*s", RF_PERMIT_SAMPLING, RF_FMT(q->server_name)), about;
    if (!shown(q->params, a, &about))
        return rf_fail(err, RF_ELIMIT, "the question has more than %zu bytes", MOST_SHOWN);
    if (!r || !rf_run_ask(r, name, about))
        return rf_fail(err, RF_EPERMISSION, "the user did not agree to this question");
    rf_run_own(r, sample, &s);
    return s.rc;
}

/* The person */

struct rf_inquiry {
    struct rf_str server, url;
    struct rf_mcp_form form;
    struct rf_str *typed; /* one a field */
    struct rf_arena *arena;
};

struct rf_str rf_inquiry_server(const struct rf_inquiry *f)
{
    return f->server;
}

struct rf_str rf_inquiry_message(const struct rf_inquiry *f)
{
    return f->form.message;
}

struct rf_str rf_inquiry_url(const struct rf_inquiry *f)
{
    return f->url;
}

size_t rf_inquiry_count(const struct rf_inquiry *f)
{
    return f->form.count;
}

static enum rf_code fail_field(struct rf_err *err)
{
    return rf_fail(err, RF_EUSAGE, "the form has no such field");
}

enum rf_code rf_inquiry_field(const struct rf_inquiry *f, size_t i, struct rf_inquiry_field *out,
                              struct rf_err *err)
{
    static const enum rf_inquiry_kind kinds[] = {
        [RF_MCP_FIELD_TEXT] = RF_INQUIRY_TEXT,       [RF_MCP_FIELD_NUMBER] = RF_INQUIRY_NUMBER,
        [RF_MCP_FIELD_INTEGER] = RF_INQUIRY_INTEGER, [RF_MCP_FIELD_BOOLEAN] = RF_INQUIRY_SWITCH,
        [RF_MCP_FIELD_CHOICE] = RF_INQUIRY_CHOICE,   [RF_MCP_FIELD_CHOICES] = RF_INQUIRY_CHOICES,
    };
    if (i >= f->form.count)
        return fail_field(err);
    const struct rf_mcp_field *field = &f->form.fields[i];
    const struct rf_inquiry_field found = {
        .kind = kinds[field->kind],
        .title = field->title,
        .description = field->description,
        .initial = field->has_initial ? field->initial : RF_STR(""),
        .required = field->required,
        .options = field->option_count,
        .format = rf_mcp_format_words(field->format),
    };
    return rf_struct_give(&found, RF_SIZES(rf_inquiry_field, options), out, err);
}

struct rf_str rf_inquiry_option(const struct rf_inquiry *f, size_t i, size_t option)
{
    return i < f->form.count && option < f->form.fields[i].option_count
               ? f->form.fields[i].options[option].title
               : RF_STR("");
}

enum rf_code rf_inquiry_fill(struct rf_inquiry *f, size_t i, struct rf_str typed,
                             struct rf_err *err)
{
    if (i >= f->form.count)
        return fail_field(err);
    enum rf_code rc = typed.n ? rf_mcp_field_check(&f->form.fields[i], typed, err) : RF_OK;
    if (!rc)
        f->typed[i] = rf_str_dup(f->arena, typed);
    return rc;
}

/* What nobody typed is what it was at first; a field that is required and has neither is not
 * answered. */
static bool is_whole(struct rf_inquiry *f)
{
    for (size_t i = 0; i < f->form.count; i++) {
        if (!f->typed[i].n && f->form.fields[i].has_initial)
            f->typed[i] = f->form.fields[i].initial;
        if (!f->typed[i].n && f->form.fields[i].required)
            return false;
    }
    return true;
}

struct filling {
    struct rf_toolbox *box;
    struct rf_inquiry *form;
    enum rf_inquiry_answer answer;
};

static void fill(void *ctx)
{
    struct filling *f = ctx;
    f->answer = f->box->fill(f->box->fill_ctx, f->form);
}

enum rf_code rf_served_ask_person(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                                  struct rf_str *result, struct rf_err *err)
{
    struct rf_inquiry form = { .server = q->server_name, .arena = a };
    const struct rf_asker *asker = ctx;
    struct filling f = { .box = asker->box, .form = &form };
    if (q->kind == RF_MCP_ASKS_VISIT) {
        form.url = text_of(rf_jval_get(q->params, "url"), a);
        form.form.message = text_of(rf_jval_get(q->params, "message"), a);
    } else {
        enum rf_code rc = rf_mcp_form_read(q->params, a, &form.form, err);
        if (rc)
            return rc;
    }
    form.typed = RF_ARRAY(a, struct rf_str, form.form.count);
    if (asker->run)
        rf_run_own(asker->run, fill, &f);
    else if (pthread_equal(pthread_self(), asker->box->servers->own))
        fill(&f);
    if (f.answer != RF_INQUIRY_ACCEPTED || !is_whole(&form))
        *result = f.answer == RF_INQUIRY_DECLINED ? RF_STR("{\"action\":\"decline\"}")
                                                  : RF_STR("{\"action\":\"cancel\"}");
    else if (form.url.n)
        *result = RF_STR("{\"action\":\"accept\"}");
    else
        *result = rf_mcp_form_answer(&form.form, form.typed, a);
    return RF_OK;
}
