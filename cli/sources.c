#include "sources.h"

#include <stdlib.h>
#include <string.h>

#include <refract/content.h>
#include <refract/json.h>

#include "text.h"

#define MOST_SOURCES 500
#define MOST_PASSAGE 120 /* bytes of what is cited that are shown */

static struct rf_str member(struct rf_jdoc *d, const struct rf_jval *citation, const char *name)
{
    return rf_jdoc_text(d, rf_jval_get(citation, name));
}

/* The first bytes of a passage, in one line. */
static void add_passage(struct rf_buffer *out, struct rf_str text)
{
    bool cut = text.n > MOST_PASSAGE;
    text.n = cut ? MOST_PASSAGE : text.n;
    while (cut && text.n && ((unsigned char)text.p[text.n] & 0xc0) == 0x80)
        text.n--;
    for (size_t i = 0; i < text.n; i++)
        rf_buffer_add(out, text.p[i] == '\n' ? " " : text.p + i, 1);
    rf_buffer_text(out, cut ? "..." : "");
}

/* "Title, https://…", or of a document "invoice.pdf: "the total is 99.50"" */
static void add_words(struct rf_jdoc *d, const struct rf_jval *citation, struct rf_buffer *out)
{
    struct rf_str title = member(d, citation, "title"), url = member(d, citation, "url");
    struct rf_str source = member(d, citation, "source"), text = member(d, citation, "text");
    struct rf_str name = title.n ? title : url.n ? url : source;
    rf_buffer_str(out, name.n ? name : (struct rf_str){ "a source without a name", 23 });
    if (title.n && url.n) {
        rf_buffer_text(out, ", ");
        rf_buffer_str(out, url);
    }
    if (!url.n && text.n) {
        rf_buffer_text(out, ": \"");
        add_passage(out, text);
        rf_buffer_text(out, "\"");
    }
}

static struct rf_source *source_of(struct rf_sources *s, struct rf_str key)
{
    for (size_t i = 0; i < s->count; i++)
        if (strlen(s->list[i].key) == key.n && memcmp(s->list[i].key, key.p, key.n) == 0)
            return &s->list[i];
    if (s->count == MOST_SOURCES)
        return NULL;
    if (s->count == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 16;
        s->list = realloc(s->list, s->cap * sizeof *s->list);
        if (!s->list)
            abort();
    }
    s->list[s->count] = (struct rf_source){ .key = rf_text_copy(key) };
    return &s->list[s->count++];
}

static void cite(struct rf_sources *s, struct rf_jdoc *d, const struct rf_jval *citation)
{
    struct rf_buffer words = { 0 };
    struct rf_str url = member(d, citation, "url");
    if (rf_jval_type(citation) != RF_JOBJECT)
        return;
    add_words(d, citation, &words);
    struct rf_source *source = source_of(s, url.n ? url : rf_buffer_view(&words));
    if (source) {
        source->is_due = true;
        if (!source->words)
            source->words = rf_text_copy(rf_buffer_view(&words));
    }
    rf_buffer_release(&words);
}

/* What came too late for a mark is a source all the same. */
static void hear_end(struct rf_sources *s, const struct rf_message *reply)
{
    for (size_t i = 0; i < rf_message_count(reply); i++) {
        const struct rf_block *b = rf_message_block(reply, i);
        struct rf_jdoc *d = rf_block_type_of(b) == RF_BLOCK_TEXT ? rf_block_value(b) : NULL;
        const struct rf_jval *list = d ? rf_jdoc_root(d) : NULL;
        for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
            cite(s, d, v);
        rf_jdoc_free(d);
    }
    for (size_t i = 0; i < s->count; i++)
        s->list[i].is_due = false;
}

void rf_sources_hear(struct rf_sources *s, const struct rf_event *e)
{
    struct rf_jdoc *d;
    if (e->type == RF_EVENT_DONE && e->reply)
        hear_end(s, e->reply);
    if (e->type != RF_EVENT_CITATION || rf_jdoc_read(e->text, &d, NULL))
        return;
    cite(s, d, rf_jdoc_root(d));
    rf_jdoc_free(d);
}

/* Would a mark after it be taken for a part of a fence or of a table? */
static bool ends_in_block(struct rf_str text)
{
    size_t begin = text.n;
    while (begin && text.p[begin - 1] != '\n')
        begin--;
    while (begin < text.n && text.p[begin] == ' ')
        begin++;
    return begin < text.n && strchr("`~|", text.p[begin]);
}

void rf_sources_marks(struct rf_sources *s, const struct rf_block *b, struct rf_buffer *out)
{
    bool is_text = b && rf_block_type_of(b) == RF_BLOCK_TEXT;
    const char *before = is_text && ends_in_block(rf_block_text(b)) ? "\n\n" : " ";
    for (size_t i = 0; i < s->count; i++) {
        if (!s->list[i].is_due)
            continue;
        rf_buffer_print(out, "%s[%zu]", before, i + 1);
        s->list[i].is_due = false;
        before = "";
    }
}

void rf_sources_line(const struct rf_sources *s, size_t i, struct rf_buffer *out)
{
    rf_buffer_print(out, "[%zu] %s", i + 1, s->list[i].words);
}

void rf_sources_release(struct rf_sources *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->list[i].key);
        free(s->list[i].words);
    }
    free(s->list);
    *s = (struct rf_sources){ 0 };
}
