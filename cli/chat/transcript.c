/* A conversation as a Markdown file: who said what, which tools were called and what they said,
 * which files were there.
 *
 * Words of people and models are Markdown already and stay as they are; what tools say stands in
 * fences that nothing inside can close. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "chat/commands.h"
#include "report.h"
#include "safe_output.h"
#include "text.h"

#define LEAST_FENCE 3

struct writing {
    FILE *out;
    size_t message; /* that is being written, from 1 */
};

static void print_text(FILE *out, struct rf_str text)
{
    struct rf_safe_output a = { .out = out };
    rf_safe_output_add(&a, text);
    rf_safe_output_end(&a);
}

/* One backtick more than stand in a row anywhere in it. */
static int fence_of(struct rf_str text)
{
    int longest = LEAST_FENCE - 1, run = 0;
    for (size_t i = 0; i < text.n; i++) {
        run = text.p[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest + 1;
}

static void print_fenced(FILE *out, struct rf_str text, const char *language)
{
    int fence = fence_of(text);
    for (int i = 0; i < fence; i++)
        fputc('`', out);
    fprintf(out, "%s\n", language);
    print_text(out, text);
    for (int i = 0; i < fence; i++)
        fputc('`', out);
    fputs("\n", out);
}

static void print_role(struct writing *w, const struct rf_saying *s)
{
    fprintf(w->out, "\n## %zu %s", s->message + 1, s->role);
    if (s->tool.n && strcmp(s->role, "tool") == 0) {
        fputc(' ', w->out);
        rf_print_text(w->out, s->tool);
    }
    if (s->model.n) {
        fputs(" (", w->out);
        rf_print_text(w->out, s->provider);
        fputc(':', w->out);
        rf_print_text(w->out, s->model);
        fputc(')', w->out);
    }
    fputc('\n', w->out);
    w->message = s->message + 1;
}

/* "[Image: plan.png, 1200x800, 412 KB, att_9f2c41d07ab3]" */
static void print_media(FILE *out, const struct rf_saying *s)
{
    char size[RF_SHORT_TEXT];
    fprintf(out, "[%c%s: ", toupper((unsigned char)s->type[0]), s->type + 1);
    rf_print_text(out, s->name.n ? s->name : rf_text("without a name"));
    if (s->width && s->height)
        fprintf(out, ", %" PRId64 "x%" PRId64, s->width, s->height);
    if (s->pages)
        fprintf(out, ", %" PRId64 " page%s", s->pages, s->pages == 1 ? "" : "s");
    if (s->bytes)
        fprintf(out, ", %s", rf_size_text(s->bytes, size));
    if (s->id.n) {
        fputs(", ", out);
        rf_print_text(out, s->id);
    }
    fputs("]\n", out);
}

static bool is(const struct rf_saying *s, const char *type)
{
    return strcmp(s->type, type) == 0;
}

static void print_labelled(FILE *out, const char *label, struct rf_str name, struct rf_str text,
                           const char *language)
{
    fprintf(out, "*%s", label);
    rf_print_text(out, name);
    fputs("*\n\n", out);
    print_fenced(out, text, language);
}

static bool print_saying(void *ctx, const struct rf_saying *s)
{
    struct writing *w = ctx;
    const struct rf_str nothing = { "", 0 };
    bool result = strcmp(s->role, "tool") == 0;
    if (s->message + 1 != w->message)
        print_role(w, s);
    fputc('\n', w->out);
    if (!s->type)
        fputs("*(nothing)*\n", w->out);
    else if (is(s, "tool_call"))
        print_labelled(w->out, "calls ", s->tool, s->text, "json");
    else if (is(s, "thinking"))
        print_labelled(w->out, "thinks", nothing, s->text, "");
    else if (is(s, "error"))
        print_labelled(w->out, "failed", nothing, s->text, "");
    else if (is(s, "opaque"))
        fputs("*(something for one API only)*\n", w->out);
    else if (is(s, "json") || (is(s, "text") && result))
        print_fenced(w->out, s->text, is(s, "json") ? "json" : "");
    else if (is(s, "text"))
        print_text(w->out, s->text);
    else
        print_media(w->out, s);
    return true;
}

void rf_chat_transcript(FILE *out, const struct rf_conversation *conversation)
{
    struct writing w = { .out = out };
    rf_conversation_sayings(conversation, print_saying, &w);
}
