/* What MCP servers say, such that a model takes it for their words: named as theirs, bounded,
 * without control characters, and never like a note of ours. What they say in questions to a
 * person is not for this file. */
#include "agent/tools/servers.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "content/unforged.h"
#include "source/asset.h"

#define MOST_DESCRIPTION ((size_t)2048) /* bytes of what a server says of a tool */

/* No notes of ours */

/* Values lie in the order of the document, names among them. */
static bool is_forged(const struct rf_jval *v, struct rf_arena *a)
{
    for (uint32_t i = 0; i < v->span; i++) {
        struct rf_str text = v[i].type == RF_JSTRING ? rf_jval_text(&v[i], a) : RF_STR("");
        if (rf_unforged(text, a).p != text.p)
            return true;
    }
    return false;
}

static void write_said(struct rf_json *w, const struct rf_jval *v, struct rf_arena *a)
{
    bool object = v->type == RF_JOBJECT;
    if (v->type == RF_JSTRING) {
        rf_json_str(w, NULL, rf_unforged(rf_jval_text(v, a), a));
        return;
    }
    if (!object && v->type != RF_JARRAY) {
        rf_json_value(w, NULL, v);
        return;
    }
    if (object)
        rf_json_obj(w, NULL);
    else
        rf_json_arr(w, NULL);
    for (const struct rf_jval *e = rf_jval_first(v), *in; e; e = rf_jval_next(v, in)) {
        in = object ? rf_jval_value(e) : e;
        if (object)
            rf_json_key(w, rf_unforged(rf_jval_text(e, a), a));
        write_said(w, in, a);
    }
    rf_json_end(w);
}

const struct rf_jval *rf_served_say_json(const struct rf_jval *v, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    const struct rf_jval *made;
    if (!v || !is_forged(v, a))
        return v;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    write_said(&w, v, a);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &text, NULL) ||
        rf_jval_parse(text, a, &made, NULL))
        RF_BUG("JSON that was read cannot be written");
    return made;
}

/* A text is read as one where it arrives as a file, too. Most encodings have these letters as ASCII
 * has them and are kept; others are not. */
void rf_served_say_file(struct rf_media *m, struct rf_arena *a)
{
    struct rf_bytes bytes;
    struct rf_str raw, said, text;
    if (rf_source_bytes(&m->source, NULL, a, &bytes, NULL) || rf_bytes_all(&bytes, a, &raw, NULL))
        return;
    said = rf_unforged(raw, a);
    bytes = rf_bytes_memory(said);
    if (!rf_bytes_are_text(&bytes, m->name, a, &text))
        return;
    if (rf_unforged(text, a).p != text.p)
        said = rf_declare_utf8(rf_unforged(text, a), a);
    if (said.p != raw.p)
        m->source = (struct rf_source){ .kind = RF_SOURCE_BYTES, .ref = said };
}

/* Of tools */

static struct rf_str without_controls(struct rf_str s, struct rf_arena *a)
{
    char *text = rf_arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++) {
        bool control = (unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f;
        text[i] = control && s.p[i] != '\n' && s.p[i] != '\t' ? ' ' : s.p[i];
    }
    return (struct rf_str){ text, s.n };
}

struct rf_str rf_served_description(const struct rf_server *s, const struct rf_mcp_tool *tool,
                                    struct rf_arena *a)
{
    struct rf_str said = tool->description.n ? tool->description : tool->title;
    struct rf_str cut = rf_unforged(rf_utf8_cut(said, MOST_DESCRIPTION), a);
    return rf_strf(a, RF_SERVED_FRONT "%.*s%s", RF_FMT(rf_clean_name(s->config->name, a)),
                   RF_FMT(without_controls(cut, a)),
                   cut.n < said.n ? " (cut)"
                   : cut.n        ? ""
                                  : RF_SERVED_NOTHING);
}

/* Of themselves */

struct rf_str rf_served_instructions(const struct rf_server *s, struct rf_arena *a)
{
    struct rf_str rest = without_controls(rf_unforged(s->instructions, a), a), line, quoted;
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "The MCP server \"%.*s\" says how it is used:",
                RF_FMT(rf_clean_name(s->config->name, a)));
    while (rf_str_split(&rest, '\n', &line))
        rf_buf_addf(&b, "\n> %.*s", RF_FMT(line));
    if (rf_buf_finish(&b, &quoted, NULL))
        RF_BUG("words in memory are too long");
    return quoted;
}
