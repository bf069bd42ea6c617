/* What programs get: a line of JSON for each event, or one object at the end. */
#include "ask.h"

#include <inttypes.h>
#include <stdlib.h>

#include <refract/content.h>
#include <refract/json.h>

#include "advice.h"
#include "report.h"
#include "said.h"

static const char *const type_names[] = {
    [RF_AGENT_TEXT] = "text",         [RF_AGENT_THINKING] = "thinking",
    [RF_AGENT_SENDING] = "sending",   [RF_AGENT_FILE] = "file",
    [RF_AGENT_CALL] = "call",         [RF_AGENT_RESULT] = "result",
    [RF_AGENT_NOTE] = "note",         [RF_AGENT_WAITING] = "waiting",
    [RF_AGENT_USAGE] = "usage",       [RF_AGENT_REFERENCE] = "reference",
    [RF_AGENT_PROGRESS] = "progress", [RF_AGENT_CHANGED] = "changed",
};

void rf_ask_json_begin(struct rf_ask_json *j)
{
    FILE **lists[] = { &j->files, &j->calls, &j->notes, &j->made, &j->citations };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!(*lists[i] = open_memstream(&j->texts[i], &j->sizes[i])))
            abort();
}

static void print_member(FILE *out, const char *name, struct rf_str value)
{
    fprintf(out, ",\"%s\":", name);
    rf_print_json(out, value);
}

static void print_request(FILE *out, const struct rf_request *r)
{
    fprintf(out, ",\"bytes\":%" PRIu64 ",\"files\":%zu", rf_request_length(r), rf_report_count(r));
    fputs(",\"notices\":[", out);
    for (size_t i = 0; i < rf_notice_count(r); i++) {
        fputs(i ? "," : "", out);
        rf_print_json(out, rf_notice(r, i));
    }
    fputc(']', out);
}

static void print_members(FILE *out, const struct rf_agent_event *e)
{
    switch (e->type) {
    case RF_AGENT_TEXT:
    case RF_AGENT_THINKING:
    case RF_AGENT_NOTE:
        print_member(out, "text", e->text);
        break;
    case RF_AGENT_SENDING:
        print_request(out, e->request);
        break;
    case RF_AGENT_FILE:
        fputs(",\"file\":", out);
        rf_print_json_line(out, rf_report_json(e->request, e->file));
        break;
    case RF_AGENT_CALL:
        print_member(out, "name", e->name);
        print_member(out, "call", e->call);
        fputs(",\"arguments\":", out);
        rf_print_json_line(out, e->text.n ? e->text : rf_text("{}"));
        break;
    case RF_AGENT_RESULT:
        print_member(out, "name", e->name);
        print_member(out, "call", e->call);
        print_member(out, "text", e->text);
        fprintf(out, ",\"success\":%s,\"ms\":%" PRId64, e->failed ? "false" : "true", e->ms);
        break;
    case RF_AGENT_WAITING:
        print_member(out, "text", e->text);
        fprintf(out, ",\"ms\":%" PRId64, e->ms);
        break;
    case RF_AGENT_USAGE:
        fprintf(out, ",\"input_tokens\":%" PRId64 ",\"output_tokens\":%" PRId64 ",\"cost_usd\":",
                e->input_tokens, e->output_tokens);
        rf_cost_json(out, e->cost_micros);
        break;
    case RF_AGENT_REFERENCE:
        print_member(out, "path", e->name);
        print_member(out, "text", e->text);
        break;
    case RF_AGENT_CHANGED:
        print_member(out, "name", e->name);
        print_member(out, "call", e->call);
        fputs(",\"files\":", out);
        rf_print_json_line(out, e->text);
        break;
    case RF_AGENT_PROGRESS:
        print_member(out, "name", e->name);
        print_member(out, "call", e->call);
        print_member(out, "text", e->text);
        fprintf(out, ",\"done\":%" PRId64 ",\"of\":%" PRId64, e->done, e->of);
        break;
    case RF_AGENT_FOR_PERSON: /* comes as a file that was saved */
        break;
    }
}

static void print_event(FILE *out, const struct rf_agent_event *e)
{
    fprintf(out, "{\"type\":\"%s\"", type_names[e->type]);
    print_members(out, e);
    fputc('}', out);
}

/* The list of the one object that an event goes to, or NULL. */
static FILE *list_of(const struct rf_ask_json *j, const struct rf_agent_event *e)
{
    switch (e->type) {
    case RF_AGENT_FILE:
    case RF_AGENT_REFERENCE:
        return j->files;
    case RF_AGENT_CALL:
    case RF_AGENT_RESULT:
    case RF_AGENT_CHANGED:
        return j->calls;
    case RF_AGENT_NOTE:
    case RF_AGENT_WAITING:
        return j->notes;
    case RF_AGENT_TEXT:
    case RF_AGENT_THINKING:
    case RF_AGENT_SENDING:
    case RF_AGENT_USAGE:
    case RF_AGENT_PROGRESS:
    case RF_AGENT_FOR_PERSON:
        break;
    }
    return NULL;
}

static void explain(const struct rf_agent_event *e)
{
    rf_print_document(stderr, rf_report_json(e->request, e->file));
}

/* What a request says of itself, once. */
static void note_notices(struct rf_ask_json *j, const struct rf_request *r)
{
    for (size_t i = 0; i < rf_notice_count(r); i++) {
        const struct rf_agent_event note = { .type = RF_AGENT_NOTE, .text = rf_notice(r, i) };
        if (!rf_was_said(&j->notices, note.text))
            rf_ask_json_event(j, &note);
    }
}

bool rf_ask_json_event(void *ctx, const struct rf_agent_event *e)
{
    struct rf_ask_json *j = ctx;
    if (e->type == RF_AGENT_USAGE) {
        j->input_tokens += e->input_tokens > 0 ? e->input_tokens : 0;
        j->output_tokens += e->output_tokens > 0 ? e->output_tokens : 0;
        rf_cost_add(&j->cost, e->cost_micros);
    }
    if (e->type == RF_AGENT_FILE && j->explain)
        explain(e);
    if (e->type == RF_AGENT_SENDING && !j->lines)
        note_notices(j, e->request);
    FILE *out = j->lines ? stdout : list_of(j, e);
    if (!out)
        return true;
    if (!j->lines && ftell(out) > 0)
        fputc(',', out);
    print_event(out, e);
    if (j->lines) {
        fputc('\n', out);
        fflush(out);
    }
    return true;
}

/* One more entry: of a list, or a line with its type and, under `name`, what it is. */

static FILE *begin_entry(struct rf_ask_json *j, FILE *list, const char *type)
{
    if (j->lines)
        printf("{\"type\":\"%s\",\"%s\":", type, type);
    else if (ftell(list) > 0)
        fputc(',', list);
    return j->lines ? stdout : list;
}

static void end_entry(struct rf_ask_json *j)
{
    if (!j->lines)
        return;
    fputs("}\n", stdout);
    fflush(stdout);
}

void rf_ask_json_made(struct rf_ask_json *j, const struct rf_made_file *f)
{
    FILE *out = begin_entry(j, j->made, "made");
    rf_made_json(out, f);
    end_entry(j);
}

static void print_citations(struct rf_ask_json *j, const struct rf_block *b)
{
    struct rf_jdoc *d = rf_block_type_of(b) == RF_BLOCK_TEXT ? rf_block_value(b) : NULL;
    const struct rf_jval *list = d ? rf_jdoc_root(d) : NULL;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        FILE *out = begin_entry(j, j->citations, "citation");
        rf_print_json_line(out, rf_jdoc_write(d, v));
        end_entry(j);
    }
    rf_jdoc_free(d);
}

/* Some come with the end of a reply only, so all are taken from there. */
void rf_ask_json_stream(struct rf_ask_json *j, const struct rf_event *e)
{
    for (size_t i = 0; e->type == RF_EVENT_DONE && e->reply && i < rf_message_count(e->reply); i++)
        print_citations(j, rf_message_block(e->reply, i));
}

void rf_ask_json_end(struct rf_ask_json *j, struct rf_str answer, const char *model,
                     const char *session)
{
    fputs(j->lines ? "{\"type\":\"answer\",\"answer\":" : "{\"answer\":", stdout);
    rf_print_json(stdout, answer);
    print_member(stdout, "model", rf_text(model));
    fputs(",\"session\":", stdout);
    if (session)
        rf_print_json(stdout, rf_text(session));
    else
        fputs("null", stdout);
    printf(",\"usage\":{\"input_tokens\":%" PRId64 ",\"output_tokens\":%" PRId64 ",\"cost_usd\":",
           j->input_tokens, j->output_tokens);
    rf_cost_json(stdout, rf_cost_sum(&j->cost));
    putchar('}');
    static const char *const names[] = { "files", "calls", "notes", "made", "citations" };
    FILE *lists[] = { j->files, j->calls, j->notes, j->made, j->citations };
    for (size_t i = 0; !j->lines && i < sizeof lists / sizeof *lists; i++) {
        fflush(lists[i]);
        printf(",\"%s\":[%s]", names[i], j->texts[i]);
    }
    fputs("}\n", stdout);
}

int rf_ask_json_fail(struct rf_ask_json *j, const struct rf_err *err)
{
    if (!j->lines)
        return rf_report_as_json(err);
    fputs("{\"type\":\"error\",\"error\":", stdout);
    rf_print_error(stdout, err);
    fputs("}\n", stdout);
    return rf_exit_status(err->code);
}

void rf_ask_json_release(struct rf_ask_json *j)
{
    FILE *lists[] = { j->files, j->calls, j->notes, j->made, j->citations };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (lists[i])
            fclose(lists[i]);
        free(j->texts[i]);
    }
    rf_said_forget(&j->notices);
}
