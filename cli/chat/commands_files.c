/* /attach, /media, /pages, /view: the files of a conversation. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chat/commands.h"
#include "report.h"
#include "text.h"
#include "view/view.h"

#define PAGES_AT_ONCE 20 /* that /pages reads on, where it is not said how many */
#define MOST_RANGE 256   /* bytes of "3-5,8" */

static struct rf_session *session_of(struct rf_chat *c)
{
    struct rf_session *s = rf_agent_session(c->agent);
    if (!s)
        rf_chat_say(c, RF_STYLE_DIM, "%s",
                    c->stored.store ? "nothing was said in this session yet"
                                    : "nothing is kept: there is no session");
    return s;
}

/* /media: the list */

static const char *facts_of(const struct rf_session_file *f, char out[64])
{
    char size[RF_SHORT_TEXT];
    rf_size_text(f->bytes, size);
    if (f->width && f->height)
        snprintf(out, 64, "%" PRId64 "x%" PRId64 ", %s", f->width, f->height, size);
    else if (f->duration_ms)
        snprintf(out, 64, "%.1f s, %s", (double)f->duration_ms / 1000, size);
    else
        snprintf(out, 64, "%s", size);
    return out;
}

/* "converted as image/jpeg to anthropic:claude-sonnet-5, 5 min; lost: animation" */
static void add_sent(struct rf_buffer *b, const struct rf_session_file *f)
{
    char age[RF_SHORT_TEXT], words[RF_SENT_WORDS];
    if (!f->sent_ms) {
        rf_buffer_text(b, "never sent");
        return;
    }
    rf_buffer_text(b, rf_sent_words(f->delivery, f->form, f->as, words));
    rf_buffer_print(b, " to %.*s:%.*s, %s", RF_FMT(f->provider), RF_FMT(f->model),
                    rf_age_text(f->sent_ms, age));
    if (f->lost.n && strncmp(words, rf_form_words(RF_FORM_NOTE), strlen(words)) != 0)
        rf_buffer_print(b, "; lost: %.*s", RF_FMT(f->lost));
}

struct listing {
    struct rf_chat *chat;
    size_t count;
};

static void say_file(void *ctx, const struct rf_session_file *f)
{
    struct listing *l = ctx;
    struct rf_buffer b = { 0 };
    char number[24], facts[64];
    snprintf(number, sizeof number, "%zu", ++l->count);
    rf_buffer_print(&b, "%.*s: %.*s, %s, %.*s; ", RF_FMT(f->name), RF_FMT(f->kind),
                    facts_of(f, facts), RF_FMT(f->id));
    add_sent(&b, f);
    if (f->dropped)
        rf_buffer_text(&b, "; dropped");
    if (f->refused_by.n)
        rf_buffer_print(&b, "; refused by %.*s: %.*s", RF_FMT(f->refused_by), RF_FMT(f->refusal));
    rf_chat_say_pair(l->chat, 3, rf_text(number), rf_buffer_view(&b));
    rf_buffer_release(&b);
}

static void say_files(struct rf_chat *c, struct rf_session *s)
{
    struct listing l = { c, 0 };
    struct rf_err err;
    if (rf_session_files(s, say_file, &l, &err))
        rf_chat_error(c, &err);
    else if (!l.count)
        rf_chat_say(c, RF_STYLE_DIM, "there are no files in this session");
    else
        rf_chat_say(c, RF_STYLE_DIM,
                    "/media drop 1 leaves the first one out of requests, /media keep 1 sends it "
                    "again, /view 1 shows it");
}

/* A file of the list, by its number or its id. */

struct finding {
    struct rf_str wanted;
    int64_t number, at; /* number 0: by its id */
    char *id, *name;
};

static void find(void *ctx, const struct rf_session_file *f)
{
    struct finding *w = ctx;
    bool same = f->id.n == w->wanted.n && memcmp(f->id.p, w->wanted.p, f->id.n) == 0;
    bool same_hash = f->hash.n == w->wanted.n && memcmp(f->hash.p, w->wanted.p, f->hash.n) == 0;
    w->at++;
    if (w->id || !(w->number ? w->at == w->number : same || same_hash))
        return;
    w->id = rf_text_copy(f->id);
    w->name = rf_text_copy(f->name);
}

/* False where there is none, or that could not be found out: `err` says it. */
static bool find_file(struct rf_session *s, struct rf_str wanted, struct finding *out,
                      struct rf_err *err)
{
    *out = (struct finding){ .wanted = wanted };
    rf_chat_number(wanted, &out->number);
    if (rf_session_files(s, find, out, err))
        return false;
    if (out->id)
        return true;
    rf_say(err, RF_ENOTFOUND, "there is no file \"%.*s\" in this session", RF_FMT(wanted));
    rf_say_hint(err, "/media lists the files with their numbers.");
    return false;
}

static void release(struct finding *f)
{
    free(f->id);
    free(f->name);
}

/* /media drop, keep */

static void change_file(struct rf_chat *c, struct rf_session *s, bool drops, struct rf_str wanted)
{
    struct finding f = { 0 };
    struct rf_err err;
    if (!find_file(s, wanted, &f, &err) ||
        (drops ? rf_session_drop : rf_session_keep)(s, f.id, &err))
        rf_chat_error(c, &err);
    else
        rf_chat_say(c, RF_STYLE_DIM, "%s (%s) %s", f.name[0] ? f.name : "a file without a name",
                    f.id, drops ? "is left out of later requests" : "is sent again");
    release(&f);
    rf_chat_count(c);
}

void rf_chat_run_media(struct rf_chat *c, struct rf_str argument)
{
    struct rf_str rest = argument, word = rf_chat_first_word(&rest);
    bool drops = rf_chat_is(word, "drop");
    struct rf_session *s = session_of(c);
    if (!s)
        return;
    if (!argument.n)
        say_files(c, s);
    else if ((drops || rf_chat_is(word, "keep")) && rest.n)
        change_file(c, s, drops, rest);
    else
        rf_chat_say(c, RF_STYLE_BAD,
                    "/media takes nothing, or drop or keep with a number of the list or an id");
}

/* /pages */

/* A page number at the beginning of `s`, which then begins after it; 0 where there is none. */
static int64_t cut_page(struct rf_str *s)
{
    int64_t n = 0;
    for (; s->n && s->p[0] >= '0' && s->p[0] <= '9'; *s = (struct rf_str){ s->p + 1, s->n - 1 }) {
        n = n * 10 + (s->p[0] - '0');
        if (n > INT32_MAX)
            return 0;
    }
    return n;
}

/* "3-5,8" and nothing else: pages from 1 on. The last of them that is named. */
static bool read_range(struct rf_str s, int64_t *last)
{
    if (s.n >= MOST_RANGE)
        return false;
    for (;;) {
        *last = cut_page(&s);
        if (!*last)
            return false;
        if (!s.n)
            return true;
        if (s.p[0] != '-' && s.p[0] != ',')
            return false;
        s = (struct rf_str){ s.p + 1, s.n - 1 };
    }
}

/* Pages of a document after those that were read last. */
static bool next_range(struct rf_chat *c, char out[MOST_RANGE])
{
    int64_t first = c->last_page + 1, last = c->last_page + PAGES_AT_ONCE;
    if (c->pages > 0 && first > c->pages) {
        rf_chat_say(c, RF_STYLE_DIM, "that was the last page: %s has %" PRId64, c->last_document,
                    c->pages);
        return false;
    }
    if (c->pages > 0 && last > c->pages)
        last = c->pages;
    snprintf(out, MOST_RANGE, "%" PRId64 "-%" PRId64, first, last);
    return true;
}

/* How many pages it has; 0 where it has none, or that cannot be found out. */
static int64_t pages_of(struct rf_chat *c, const char *document)
{
    struct rf_preview *p;
    struct rf_err unseen;
    int64_t pages = 0;
    if (rf_preview_open(c->tools, document, &p, &unseen))
        return 0;
    if (strcmp(rf_preview_word(p), "page") == 0 || strcmp(rf_preview_word(p), "slide") == 0)
        pages = (int64_t)rf_preview_count(p);
    rf_preview_close(p);
    return pages;
}

/* From here /pages reads on. `last` is the last page that was read; 0: all were. */
static void remember_document(struct rf_chat *c, const char *document, int64_t last)
{
    bool same = c->last_document && strcmp(c->last_document, document) == 0;
    if (!same || c->pages <= 0)
        c->pages = pages_of(c, document);
    if (!same) {
        free(c->last_document);
        c->last_document = rf_text_copy(rf_text(document));
    }
    c->last_page = !last || (c->pages > 0 && last > c->pages) ? c->pages : last;
}

static void attach_pages(struct rf_chat *c, const char *document, const char *range)
{
    int64_t last;
    char *part;
    if (asprintf(&part, "%s#p=%s", document, range) < 0)
        abort();
    if (rf_chat_attach(c, part) && read_range(rf_text(range), &last))
        remember_document(c, document, last);
    free(part);
}

void rf_chat_pages_sent(struct rf_chat *c, const char *name, const char *line)
{
    long long first, last, all;
    const char *slash = c->last_document ? strrchr(c->last_document, '/') : NULL;
    const char *ours = slash ? slash + 1 : c->last_document, *pages = strstr(line, " pages ");
    if (ours && strcmp(ours, name) == 0 && pages &&
        sscanf(pages, " pages %lld-%lld of %lld", &first, &last, &all) == 3)
        c->last_page = last;
}

void rf_chat_run_pages(struct rf_chat *c, struct rf_str argument)
{
    struct rf_str rest = argument, word = rf_chat_first_word(&rest);
    int64_t last;
    char range[MOST_RANGE];
    if (word.n && !read_range(word, &last)) {
        rf_chat_say(c, RF_STYLE_BAD,
                    "\"%.*s\" are not pages: write them as 21-40, or 3-5,8; a file may come after "
                    "them",
                    RF_FMT(word));
        return;
    }
    if (!rest.n && !c->last_document) {
        rf_chat_say(c, RF_STYLE_BAD, "no document was read yet: name one, as in /pages 1-20 a.pdf");
        return;
    }
    if (!word.n && !next_range(c, range))
        return;
    if (word.n)
        snprintf(range, sizeof range, "%.*s", RF_FMT(word));
    char *document = rest.n ? rf_chat_path(rest) : rf_text_copy(rf_text(c->last_document));
    attach_pages(c, document, range);
    free(document);
}

/* /attach */

/* A document that was given along, or pages of one, is the one that /pages goes on in. */
static void remember_attached(struct rf_chat *c, char *path)
{
    int64_t last = 0;
    char *part = access(path, F_OK) == 0 ? NULL : strstr(path, "#p=");
    if (part && !read_range(rf_text(part + 3), &last))
        return;
    if (part)
        *part = '\0';
    if (part || pages_of(c, path) > 0)
        remember_document(c, path, last);
}

void rf_chat_run_attach(struct rf_chat *c, struct rf_str argument)
{
    if (!argument.n) {
        rf_chat_say(c, RF_STYLE_BAD, "/attach needs a file, as in /attach photo.jpg");
        return;
    }
    char *path = rf_chat_path(argument);
    if (rf_chat_attach(c, path))
        remember_attached(c, path);
    free(path);
}

/* /view */

static bool is_attachment(struct rf_str s)
{
    return (s.n > 4 && memcmp(s.p, "att_", 4) == 0) || (s.n > 7 && memcmp(s.p, "sha256:", 7) == 0);
}

/* What cannot be shown is said here, before the screen changes. */
static bool can_be_shown(struct rf_chat *c, const char *what)
{
    struct rf_preview *p;
    struct rf_err err;
    enum rf_code rc = is_attachment(rf_text(what))
                          ? rf_preview_attachment(rf_chat_tools(c), what, NULL, &p, &err)
                          : rf_preview_open(c->tools, what, &p, &err);
    if (rc)
        rf_chat_error(c, &err);
    else
        rf_preview_close(p);
    return !rc;
}

/* `name` is that of an attachment, or NULL. */
static void view(struct rf_chat *c, const char *what, const char *name)
{
    if (c->plain) {
        if (is_attachment(rf_text(what)))
            rf_chat_preview_attachment(c, what, name);
        else
            rf_chat_preview(c, what);
        return;
    }
    if (!can_be_shown(c, what))
        return;
    const struct rf_view_options options = { .graphics_chosen = c->graphics_chosen,
                                             .graphics = c->graphics };
    rf_region_clear(&c->region);
    rf_view_run(&c->tty, rf_chat_tools(c), what, &options);
}

static void view_listed(struct rf_chat *c, struct rf_str wanted)
{
    struct finding f = { 0 };
    struct rf_err err;
    struct rf_session *s = session_of(c);
    if (s && !find_file(s, wanted, &f, &err))
        rf_chat_error(c, &err);
    if (f.id)
        view(c, f.id, f.name[0] ? f.name : NULL);
    release(&f);
}

/* The last file of the session, or none. */
static char *last_file(struct rf_chat *c)
{
    struct rf_session *s = rf_agent_session(c->agent);
    struct finding f = { .number = INT64_MAX };
    struct rf_err unseen;
    if (!s || rf_session_files(s, find, &f, &unseen) || !f.at)
        return NULL;
    f.number = f.at;
    f.at = 0;
    return rf_session_files(s, find, &f, &unseen) ? NULL : (free(f.name), f.id);
}

void rf_chat_run_view(struct rf_chat *c, struct rf_str argument)
{
    int64_t number;
    char *what;
    if (rf_chat_number(argument, &number)) {
        view_listed(c, argument);
        return;
    }
    what = argument.n         ? rf_chat_path(argument)
           : c->last_document ? rf_text_copy(rf_text(c->last_document))
                              : last_file(c);
    if (what)
        view(c, what, NULL);
    else
        rf_chat_say(c, RF_STYLE_BAD, "there is nothing to look at yet: name a file");
    free(what);
}

/* Tab */

static void add_id(void *ctx, const struct rf_session_file *f)
{
    rf_chat_words_add(ctx, f->id);
}

static void add_ids(struct rf_chat *c, struct rf_chat_words *out)
{
    struct rf_session *s = rf_chat_is_busy(c) ? NULL : rf_agent_session(c->agent);
    struct rf_err unseen;
    if (s && rf_session_files(s, add_id, out, &unseen))
        return;
}

void rf_chat_words_media(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out)
{
    struct rf_str rest = begun, word = rf_chat_first_word(&rest);
    if (rf_chat_is(word, "drop") || rf_chat_is(word, "keep")) {
        add_ids(c, out);
        return;
    }
    rf_chat_words_add(out, rf_text("drop"));
    rf_chat_words_add(out, rf_text("keep"));
}

/* Ids only where one was begun: else they would stand between the names of files. */
void rf_chat_words_view(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out)
{
    if (begun.n && strncmp(begun.p, "att_", begun.n < 4 ? begun.n : 4) == 0)
        add_ids(c, out);
}
