/* A tool that is a command: the arguments of the call go in as JSON, and whatever comes out becomes
 * a result that says what happened.
 *
 *     exit status 0, and an object
 *       with "content" and what else MCP has    an MCP result
 *       with output, error, content_blocks …    a neutral tool result
 *       anything else                           text
 *     text                                      text
 *     a picture, a PDF, a sound, a video        that file
 *     other bytes, a failure, no end, too much  a failed result with the words for it
 *
 * What a command prints may come from anywhere. So a path in it leads nowhere but below the
 * root. */
#include "agent/tools/tools.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/child.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "content/message.h"
#include "mcp/result.h"
#include "source/asset.h"
#include "source/inspect.h"

#include <inttypes.h>
#include <string.h>

#define USUAL_TIMEOUT_S 120
#define MOST_OUTPUT ((size_t)32 << 20) /* bytes; one that writes more is ended */
#define MOST_FAILED ((size_t)16 << 10) /* of what a command wrote before it failed */

/* Text */

/* UTF-8, with U+FFFD for each byte that is none, at most `most` bytes. */
static struct rf_str readable(struct rf_str s, size_t most, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, s.n * 3 + 1);
    while (s.n && b.n < most) {
        size_t good = rf_utf8_valid(s);
        rf_buf_add(&b, (struct rf_str){ s.p, good });
        s = (struct rf_str){ s.p + good, s.n - good };
        if (s.n) {
            rf_buf_add(&b, RF_STR("\xef\xbf\xbd"));
            s = (struct rf_str){ s.p + 1, s.n - 1 };
        }
    }
    if (rf_buf_finish(&b, &text, NULL))
        RF_BUG("a text over its limit");
    return rf_utf8_cut(text, most);
}

static bool is_text(struct rf_str s)
{
    return !memchr(s.n ? s.p : "x", '\0', s.n) && rf_utf8_valid(s) == s.n;
}

/* Files */

/* A path that leads out of the root, or nowhere, becomes words. */
static void vet_block(const struct rf_run *r, struct rf_block *b)
{
    const struct rf_workspace *w = r->box->workspace;
    const struct rf_source *source = &b->media.source;
    struct rf_bytes bytes;
    struct rf_err err;
    if (!rf_block_is_media(b->type) || source->kind != RF_SOURCE_PATH)
        return;
    bool relative = source->ref.n && source->ref.p[0] != '/' && w->base && *w->base;
    const char *path = relative ? rf_strf(r->arena, "%s/%.*s", w->base, RF_FMT(source->ref)).p
                                : rf_cstr(r->arena, source->ref);
    enum rf_code rc = memchr(source->ref.p, '\0', source->ref.n)
                          ? rf_fail(&err, RF_EFORMAT, "this is not a path that a file can have")
                          : rf_bytes_file(w->root ? w->root : ".", path, &bytes, &err);
    if (!rc)
        return;
    struct rf_str said = b->text_fallback;
    struct rf_str words =
        rf_strf(r->arena, "[The tool names a file that cannot be taken: %s]%s%.*s", err.msg,
                said.n ? "\n" : "", RF_FMT(said));
    *b = (struct rf_block){ .type = RF_BLOCK_TEXT, .text = words };
}

/* Bytes that are a file which a model may be shown. */
static bool take_file(struct rf_run *r, struct rf_str output, struct rf_message *out)
{
    struct rf_bytes bytes = rf_bytes_memory(output);
    struct rf_inspection look;
    if (rf_inspect(&bytes, r->arena, &look, NULL) || !look.format || look.problem ||
        look.format->kind == RF_KIND_TEXT || look.format->kind == RF_KIND_UNKNOWN)
        return false;
    out->blocks = RF_NEW(r->arena, struct rf_block);
    out->block_count = 1;
    out->blocks[0].type = rf_block_type_for(look.format->kind);
    out->blocks[0].media.source = (struct rf_source){ .kind = RF_SOURCE_BYTES, .ref = output };
    out->blocks[0].media.media_type = rf_str(look.format->mime);
    out->output = rf_strf(r->arena, "[%s, %zu bytes]", look.format->label, output.n);
    return true;
}

/* Results */

/* One that the command wrote in our own format. */
static bool take_neutral(struct rf_run *r, const struct rf_jval *object, struct rf_message *out)
{
    static const char *const ours[] = { "output", "error", "success", "content_blocks", "content" };
    bool any = false;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        any = any || rf_jval_get(object, ours[i]);
    return any && !rf_tool_message_read(object, r->arena, out, NULL);
}

static void take_output(struct rf_run *r, struct rf_str output, struct rf_message *out)
{
    struct rf_str text = rf_str_trim(output);
    const struct rf_jval *root;
    const struct rf_message plain = *out;
    if (!is_text(output)) {
        if (take_file(r, output, out))
            return;
        out->failed = true;
        out->error = rf_strf(r->arena,
                             "the tool wrote %zu bytes that are neither text nor a file of a "
                             "known kind",
                             output.n);
        return;
    }
    bool object = text.n && text.p[0] == '{' && !rf_jval_parse(text, r->arena, &root, NULL) &&
                  root->type == RF_JOBJECT;
    if (object && rf_mcp_result_is(root)) {
        rf_mcp_result_read(root, NULL, r->arena, out);
        return;
    }
    if (object && take_neutral(r, root, out))
        return;
    *out = plain;
    out->output = output;
}

/* Words for how it ended; empty where that was well. */
static struct rf_str what_went_wrong(const struct rf_run *r, const struct rf_child_end *end,
                                     int64_t timeout_s)
{
    struct rf_arena *a = r->arena;
    switch (end->fate) {
    case RF_CHILD_NOT_STARTED:
        return rf_str(end->err.msg);
    case RF_CHILD_TOO_SLOW:
        return rf_strf(a, "the tool had not ended after %" PRId64 " seconds, and was ended",
                       timeout_s);
    case RF_CHILD_TOO_LONG:
        return rf_strf(a, "the tool wrote more than %zu bytes, and was ended", MOST_OUTPUT);
    case RF_CHILD_STOPPED:
        return rf_strf(a, "the tool was ended before it was done: %s", rf_halt_words(r->box->halt));
    case RF_CHILD_ENDED:
        break;
    }
    if (end->signal)
        return rf_strf(a, "the tool was killed by signal %d (%s)", end->signal,
                       strsignal(end->signal));
    return end->status ? rf_strf(a, "the tool failed with exit status %d", end->status)
                       : RF_STR("");
}

static void take_failure(struct rf_run *r, const struct rf_child_end *end, struct rf_str why,
                         struct rf_message *out)
{
    struct rf_str errors = readable(rf_str_trim(end->errors), MOST_FAILED, r->arena);
    out->failed = true;
    out->error = errors.n ? rf_strf(r->arena, "%.*s: %.*s", RF_FMT(why), RF_FMT(errors)) : why;
    if (is_text(rf_utf8_cut(end->output, MOST_FAILED)))
        out->output = rf_utf8_cut(end->output, MOST_FAILED);
    if (out->output.n < end->output.n)
        out->error = rf_strf(r->arena, "%.*s (of %zu bytes of output the first %zu are shown)",
                             RF_FMT(out->error), end->output.n, out->output.n);
}

static void finish(struct rf_run *r, struct rf_message *m)
{
    for (size_t i = 0; i < m->block_count; i++)
        vet_block(r, &m->blocks[i]);
    rf_run_bound(r, m);
    rf_run_result(r, m);
}

/* Running */

static const char *const *arguments_of(const struct rf_config_tool *t, struct rf_arena *a)
{
    const char **argv = RF_ARRAY(a, const char *, t->argument_count + 4);
    size_t n = 0;
    if (t->shell.n) {
        argv[n++] = "/bin/sh";
        argv[n++] = "-c";
        argv[n++] = rf_cstr(a, t->shell);
    }
    for (size_t i = 0; i < t->argument_count; i++)
        argv[n++] = rf_cstr(a, t->arguments[i]);
    return argv;
}

void rf_command_run(struct rf_run *r, const struct rf_config_tool *tool)
{
    int64_t timeout_s = tool->timeout_s ? tool->timeout_s : USUAL_TIMEOUT_S;
    struct rf_child command = {
        .argv = arguments_of(tool, r->arena),
        .folder = r->box->workspace->base,
        .input = rf_str_join(r->arena, r->call->text, RF_STR("\n")),
        .timeout_ms = timeout_s * 1000,
        .most_output = MOST_OUTPUT,
        .variables = tool->variables,
        .variable_count = tool->variable_count,
        .stop_fd = r->box->halt->fd,
    };
    struct rf_child_end end;
    struct rf_message m = { .role = RF_ROLE_TOOL };
    rf_child_run(&command, r->arena, &end);
    struct rf_str why = what_went_wrong(r, &end, timeout_s);
    if (why.n)
        take_failure(r, &end, why, &m);
    else
        take_output(r, end.output, &m);
    finish(r, &m);
}
