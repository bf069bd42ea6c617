/* The lines of calls: "▸ read_file report.pdf → pages 1-20 of 47, native, 190 KB, 0.3 s".
 *
 * A line is whole once the next request says how the files that the call brought are delivered.
 * Until then it stands in the region. A file belongs to a call that names it, or to the only one
 * there is. */
#include "chat/parts.h"

#include <refract/json.h>

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "term/cells.h"
#include "text.h"

#define LEAST_OUTCOME 12 /* cells that are left for an outcome, however long a call is */

/* What came out, in few words. */

/* "[Image: photo.png, 640x480, 10,750 bytes, image/png]" says the name again, and the size in
 * bytes is said with the delivery; what stands between them is news. */
static struct rf_str without_name(struct rf_str s)
{
    const char *comma =
        s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']' ? memchr(s.p, ',', s.n) : NULL;
    const char *colon = comma ? memchr(s.p, ':', (size_t)(comma - s.p)) : NULL;
    if (!colon || comma + 2 >= s.p + s.n)
        return s;
    s = (struct rf_str){ comma + 2, s.n - (size_t)(comma + 2 - s.p) - 1 };
    const char *bytes = memmem(s.p, s.n, " bytes", 6), *end = bytes;
    while (end && end > s.p && strchr("0123456789,", end[-1]))
        end--;
    if (!bytes)
        return s;
    return (struct rf_str){ s.p, end > s.p + 2 ? (size_t)(end - s.p) - 2 : 0 };
}

/* What the model should do next is not for the person. */
static struct rf_str without_advice(struct rf_str s)
{
    const char *end = memmem(s.p, s.n, ". Use ", 6);
    return end ? (struct rf_str){ s.p, (size_t)(end - s.p) } : s;
}

static char *outcome_of(struct rf_str summary, bool failed)
{
    char *words = rf_text_copy(failed ? summary : without_advice(without_name(summary)));
    if (strncmp(words, "Pages ", 6) == 0)
        words[0] = 'p';
    return words;
}

char *rf_chat_member(struct rf_str json, const char *key)
{
    struct rf_jdoc *d;
    if (rf_jdoc_read(json, &d, NULL))
        return NULL;
    const struct rf_jval *v = rf_jval_get(rf_jdoc_root(d), key);
    struct rf_str text = rf_jdoc_text(d, v);
    bool plain = rf_jval_type(v) == RF_JSTRING && !memchr(text.p, '\0', text.n);
    char *copy = plain ? rf_text_copy(text) : NULL;
    rf_jdoc_free(d);
    return copy;
}

/* "pages 1-20 of 47": where /pages goes on. What another tool says of a file is its own
 * business. */
static void remember_pages(struct rf_chat *c, const struct rf_chat_call *call)
{
    long long first, last, all;
    bool reads = strcmp(call->name, "read_file") == 0;
    char *path = reads ? rf_chat_member(rf_text(call->arguments), "file_path") : NULL;
    if (path && !call->failed &&
        sscanf(call->outcome, "pages %lld-%lld of %lld", &first, &last, &all) == 3) {
        free(c->last_document);
        c->last_document = path;
        c->last_page = last;
        c->pages = all;
        return;
    }
    free(path);
}

/* Beginning, end, files */

static struct rf_chat_call **last_of(struct rf_chat_show *s)
{
    struct rf_chat_call **at = &s->calls;
    while (*at)
        at = &(*at)->next;
    return at;
}

void rf_chat_call_begin(struct rf_chat *c, const struct rf_chat_event *e)
{
    struct rf_chat_call *call = calloc(1, sizeof *call);
    if (!call)
        abort();
    if (c->show->sending)
        rf_chat_calls_commit(c, NULL); /* those of the round before */
    c->show->sending = false;
    call->id = rf_text_copy(rf_text(e->call));
    call->name = rf_text_copy(rf_text(e->name));
    call->arguments = rf_text_copy(rf_buffer_view(&e->text));
    call->outcome = rf_text_copy(rf_text(""));
    call->begun_ms = rf_chat_now_ms();
    rf_agent_call_words(rf_buffer_view(&e->text), call->words);
    *last_of(c->show) = call;
}

void rf_chat_call_end(struct rf_chat *c, const struct rf_chat_event *e)
{
    struct rf_chat_call *call = c->show->calls;
    while (call && (call->done || strcmp(call->id, e->call) != 0))
        call = call->next;
    if (!call)
        return;
    free(call->outcome);
    call->outcome = outcome_of(rf_buffer_view(&e->text), e->agent.failed);
    call->done = true;
    call->failed = e->agent.failed;
    call->locked = e->agent.failed && e->agent.reason == RF_REASON_PASSWORD;
    call->ms = e->agent.ms;
    remember_pages(c, call);
}

static bool is_open(const struct rf_chat_call *call)
{
    return call->done && !call->committed;
}

static struct rf_chat_call *call_of(struct rf_chat *c, const struct rf_chat_file *f)
{
    struct rf_chat_call *only = NULL, *named = NULL;
    size_t count = 0;
    for (struct rf_chat_call *call = c->show->calls; call; call = call->next) {
        if (!is_open(call) || call->failed)
            continue;
        count++;
        only = call;
        bool names = (*f->name && strstr(call->arguments, f->name)) ||
                     (*f->id && strstr(call->arguments, f->id));
        if (names && (!named || (named->files && !call->files)))
            named = call;
    }
    return named ? named : count == 1 ? only : NULL;
}

/* "native, 190 KB", "converted to frames, 190 KB; lost: sound", "as extracted text: this model
 * takes no documents", "not sent: …" */
static void describe(const struct rf_chat_file *f, char *out, size_t size)
{
    char bytes[RF_SHORT_TEXT];
    if (f->sent)
        snprintf(out, size, "%s, %s%s%s", f->words, rf_size_text(f->bytes, bytes),
                 *f->lost ? "; lost: " : "", f->lost);
    else if (f->line[0] == '!')
        snprintf(out, size, "as %s%s%s", f->as, *f->reason ? ": " : "", f->reason);
    else
        snprintf(out, size, "not sent%s%s", *f->reason ? ": " : "", f->reason);
}

bool rf_chat_call_file(struct rf_chat *c, const struct rf_chat_file *f)
{
    struct rf_chat_call *call = f->is_new ? call_of(c, f) : NULL;
    if (!call)
        return false;
    call->lossy |= f->line[0] != '+';
    if (call->files++)
        snprintf(call->delivery, sizeof call->delivery, "%zu files", call->files);
    else
        describe(f, call->delivery, sizeof call->delivery);
    return true;
}

/* Rows */

/* Add what fits, the last cell "…" where it is cut. Returns the cells that were used. */
static int add_cut(const struct rf_chat *c, struct rf_buffer *out, struct rf_str text, int cells)
{
    struct rf_buffer clean = { 0 };
    int used = 0;
    rf_cells_clean(&clean, text);
    struct rf_str s = rf_buffer_view(&clean);
    if (cells > 0 && rf_cells(s) <= cells) {
        rf_buffer_str(out, s);
        used = rf_cells(s);
    } else if (cells > 0) {
        rf_buffer_add(out, s.p, rf_cells_fit(s, cells - 1, &used));
        rf_buffer_text(out, c->theme.unicode ? "…" : ".");
        used++;
    }
    rf_buffer_release(&clean);
    return used;
}

static void add_head(const struct rf_chat_call *call, struct rf_buffer *out)
{
    rf_buffer_text(out, call->name);
    if (call->words[0])
        rf_buffer_print(out, " %s", call->words);
}

#define COMMA ", "

/* What is said last stays whole: how it was delivered and how long it took. */
static void add_tail(const struct rf_chat_call *call, struct rf_buffer *out)
{
    if (call->delivery[0])
        rf_buffer_print(out, COMMA "%s", call->delivery);
    rf_buffer_print(out, COMMA "%.1f s", (double)call->ms / 1e3);
}

static const char *outcome_text(const struct rf_chat_call *call)
{
    return call->outcome[0] ? call->outcome : call->failed ? "failed" : "done";
}

void rf_chat_call_row(const struct rf_chat *c, const struct rf_chat_call *call,
                      struct rf_buffer *out)
{
    struct rf_buffer head = { 0 }, tail = { 0 };
    bool unicode = c->theme.unicode;
    const char *arrow = unicode ? " → " : " -> ";
    enum rf_style mark = call->failed ? RF_STYLE_BAD : call->lossy ? RF_STYLE_WARN : RF_STYLE_GOOD;
    add_head(call, &head);
    add_tail(call, &tail);
    int room = rf_chat_columns(c) - 2 - rf_cells(rf_text(arrow));
    int after = rf_cells(rf_buffer_view(&tail)), outcome = rf_cells(rf_text(outcome_text(call)));
    int wanted = outcome + after < room / 2 ? outcome + after : room / 2;
    wanted = wanted < LEAST_OUTCOME ? LEAST_OUTCOME : wanted;
    rf_theme_on(&c->theme, mark, out);
    rf_buffer_text(out, unicode ? "▸ " : "> ");
    rf_theme_off(&c->theme, mark, out);
    room -= add_cut(c, out, rf_buffer_view(&head), room - wanted);
    rf_theme_on(&c->theme, RF_STYLE_DIM, out);
    rf_buffer_text(out, arrow);
    int shown = add_cut(c, out, rf_text(outcome_text(call)),
                        outcome + after <= room ? outcome : room - after);
    struct rf_str last = rf_buffer_view(&tail);
    size_t skipped = shown ? 0 : strlen(COMMA); /* nothing is there for it to come after */
    add_cut(c, out, (struct rf_str){ last.p + skipped, last.n - skipped }, room - shown);
    rf_theme_off(&c->theme, RF_STYLE_DIM, out);
    rf_buffer_release(&head);
    rf_buffer_release(&tail);
}

/* Before the password is typed to the model. */
static void say_what_unlocks(struct rf_chat *c, const struct rf_chat_call *call)
{
    bool reads = strcmp(call->name, "view_image") != 0;
    char *path = rf_chat_member(rf_text(call->arguments), reads ? "file_path" : "path");
    rf_chat_say(c, RF_STYLE_DIM, "hint: " RF_CHAT_UNLOCKS, path ? path : "FILE");
    free(path);
}

void rf_chat_calls_commit(struct rf_chat *c, const char *until)
{
    struct rf_buffer row = { 0 };
    for (struct rf_chat_call *call = c->show->calls; call; call = call->next) {
        if (!is_open(call))
            continue;
        rf_chat_show_part(c, RF_CHAT_LINES);
        rf_buffer_reset(&row);
        rf_chat_call_row(c, call, &row);
        rf_region_commit(&c->region, rf_buffer_view(&row));
        call->committed = true;
        if (call->locked)
            say_what_unlocks(c, call);
        if (c->show_thoughts)
            rf_chat_show_arguments(c, call);
        if (until && strstr(call->arguments, until))
            break;
    }
    rf_buffer_release(&row);
}

bool rf_chat_calls_wait(const struct rf_chat *c)
{
    for (const struct rf_chat_call *call = c->show->calls; call; call = call->next)
        if (is_open(call))
            return true;
    return false;
}

void rf_chat_calls_forget(struct rf_chat *c)
{
    while (c->show->calls) {
        struct rf_chat_call *gone = c->show->calls;
        c->show->calls = gone->next;
        free(gone->id);
        free(gone->name);
        free(gone->arguments);
        free(gone->outcome);
        free(gone);
    }
}
