/* refract sessions show: a session as people read it, or as a neutral document.
 *
 * Files are named with what the store knows of them. Long results and thoughts are cut, words of
 * people and models never are. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "sessions.h"
#include "text.h"

#define INDENT 2
#define RESULT_LINES 20 /* of a result or a thought, without --full */

/* What the store knows of a file; `hash` first, which it is found by. */
struct file {
    char *hash, *id, *name;
    int64_t bytes, width, height, duration_ms;
    bool dropped;
};

struct showing {
    struct file *files; /* by hash */
    size_t count, cap;
    int columns;
    size_t result_lines;
    size_t message; /* that is being shown, from 1 */
};

static void gather(void *ctx, const struct rf_session_file *f)
{
    struct showing *w = ctx;
    if (w->count == w->cap) {
        w->cap = w->cap ? w->cap * 2 : 64;
        w->files = reallocarray(w->files, w->cap, sizeof *w->files);
        if (!w->files)
            abort();
    }
    w->files[w->count++] = (struct file){ rf_text_copy(f->hash),
                                          rf_text_copy(f->id),
                                          rf_text_copy(f->name),
                                          f->bytes,
                                          f->width,
                                          f->height,
                                          f->duration_ms,
                                          f->dropped };
}

static int by_hash(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->hash, ((const struct file *)b)->hash);
}

static const struct file *file_of(const struct showing *w, struct rf_str source)
{
    struct file key = { .hash = rf_text_copy(source) };
    const struct file *found =
        w->count ? bsearch(&key, w->files, w->count, sizeof key, by_hash) : NULL;
    free(key.hash);
    return found;
}

static void release(struct showing *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->files[i].hash);
        free(w->files[i].id);
        free(w->files[i].name);
    }
    free(w->files);
}

/* The head. */

static void print_model(struct rf_str provider, struct rf_str model)
{
    rf_print_text(stdout, provider);
    putchar(':');
    rf_print_text(stdout, model);
}

struct head {
    const char *id;
    bool found;
};

static void print_head(void *ctx, const struct rf_session_info *i)
{
    struct head *h = ctx;
    char created[RF_SHORT_TEXT], updated[RF_SHORT_TEXT];
    if (h->found || i->id.n != strlen(h->id) || memcmp(i->id.p, h->id, i->id.n) != 0)
        return;
    h->found = true;
    rf_print_text(stdout, i->title);
    printf("\n%s: %" PRId64 " message%s, %" PRId64 " file%s", h->id, i->messages,
           i->messages == 1 ? "" : "s", i->files, i->files == 1 ? "" : "s");
    printf("; begun %s, changed %s\n", rf_time_text(i->created_ms, created),
           rf_time_text(i->updated_ms, updated));
    if (i->model.n) {
        fputs("last answer by ", stdout);
        print_model(i->provider, i->model);
        printf("; %" PRId64 " tokens in, %" PRId64 " out, in all\n", i->input_tokens,
               i->output_tokens);
    }
    if (i->parent.n && i->parent_messages)
        printf("forked from %.*s after %" PRId64 " message%s\n", RF_FMT(i->parent),
               i->parent_messages, i->parent_messages == 1 ? "" : "s");
    else if (i->parent.n)
        printf("goes on from %.*s\n", RF_FMT(i->parent));
    if (i->owner.n) {
        fputs("in use by ", stdout);
        rf_print_text(stdout, i->owner);
        putchar('\n');
    }
}

/* What was said. */

static void print_role(struct showing *w, const struct rf_saying *s)
{
    printf("\n%zu %s", s->message + 1, s->role);
    if (s->tool.n && strcmp(s->role, "tool") == 0) {
        putchar(' ');
        rf_print_text(stdout, s->tool);
    }
    if (s->model.n) {
        fputs(" (", stdout);
        print_model(s->provider, s->model);
        putchar(')');
    }
    putchar('\n');
    w->message = s->message + 1;
}

static void print_facts(const struct rf_saying *s, const struct file *f)
{
    int64_t width = f && f->width ? f->width : s->width, bytes = f ? f->bytes : s->bytes;
    int64_t height = f && f->height ? f->height : s->height;
    int64_t duration = f && f->duration_ms ? f->duration_ms : s->duration_ms;
    char size[RF_SHORT_TEXT];
    if (width && height)
        printf(", %" PRId64 "x%" PRId64, width, height);
    if (s->pages)
        printf(", %" PRId64 " page%s", s->pages, s->pages == 1 ? "" : "s");
    if (duration)
        printf(", %.1f s", (double)duration / 1000);
    if (bytes)
        printf(", %s", rf_size_text(bytes, size));
}

/* "[Image: plan.png, 1200x800, 412 KB, att_9f2c41d07ab3]" */
static void print_media(const struct showing *w, const struct rf_saying *s)
{
    const struct file *f = file_of(w, s->source);
    struct rf_str name = s->name.n ? s->name : f ? rf_text(f->name) : s->source;
    struct rf_str id = s->id.n ? s->id : f ? rf_text(f->id) : (struct rf_str){ "", 0 };
    printf("%*s[%c%s: ", INDENT, "", toupper((unsigned char)s->type[0]), s->type + 1);
    if (name.n)
        rf_print_text(stdout, name);
    else
        fputs("without a name", stdout);
    print_facts(s, f);
    if (id.n) {
        fputs(", ", stdout);
        rf_print_text(stdout, id);
    }
    puts(f && f->dropped ? ", dropped]" : "]");
}

static void print_after(const struct showing *w, const char *mark, struct rf_str head,
                        struct rf_str text)
{
    printf("%*s%s", INDENT, "", mark);
    rf_print_text(stdout, head);
    putchar('\n');
    rf_print_wrapped(stdout, text, 2 * INDENT, w->columns, w->result_lines);
}

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool print_saying(void *ctx, const struct rf_saying *s)
{
    struct showing *w = ctx;
    bool result = is(s->role, "tool");
    if (s->message + 1 != w->message)
        print_role(w, s);
    if (!s->type)
        printf("%*s(nothing)\n", INDENT, "");
    else if (is(s->type, "tool_call"))
        print_after(w, "> ", s->tool, s->text);
    else if (is(s->type, "thinking"))
        print_after(w, "", rf_text("(thinking)"), s->text);
    else if (is(s->type, "error"))
        print_after(w, "! ", rf_text("failed"), s->text);
    else if (is(s->type, "opaque"))
        print_after(w, "", rf_text("(for one API only)"), s->text);
    else if (is(s->type, "text") || is(s->type, "json"))
        rf_print_wrapped(stdout, s->text, INDENT, w->columns, result ? w->result_lines : 0);
    else
        print_media(w, s);
    return true;
}

static enum rf_code show_text(struct rf_stored *s, const struct rf_conversation *c,
                              const struct rf_args *args, struct rf_err *err)
{
    struct showing w = { .columns = rf_text_columns() };
    struct head head = { .id = rf_session_id(s->session) };
    enum rf_code rc;
    w.result_lines = args->values[RF_SESSIONS_FULL] ? 0 : RESULT_LINES;
    if (!(rc = rf_session_files(s->session, gather, &w, err)) &&
        !(rc = rf_store_list(s->store, 0, print_head, &head, err))) {
        if (w.count)
            qsort(w.files, w.count, sizeof *w.files, by_hash);
        rf_conversation_sayings(c, print_saying, &w);
    }
    release(&w);
    return rc;
}

static enum rf_code show_json(struct rf_conversation *c, struct rf_err *err)
{
    struct rf_str json;
    enum rf_code rc = rf_conversation_write(c, &json, err);
    if (rc)
        return rc;
    rf_print_document(stdout, json);
    return RF_OK;
}

enum rf_code rf_sessions_show(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    struct rf_conversation *c;
    enum rf_code rc;
    if ((rc = rf_stored_read(s, args->words[1], err)) ||
        (rc = rf_session_conversation(s->session, &c, err)))
        return rc;
    rc = args->json ? show_json(c, err) : show_text(s, c, args, err);
    rf_conversation_free(c);
    return rc;
}
