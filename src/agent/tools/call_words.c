/* A call in a few words for a person: "q3.pdf page_start=3 page_end=4". What names a file comes
 * first and without its name. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "base/utf8.h"

#include <refract/agent.h>

#include <string.h>

#define MOST_VALUE 60 /* bytes of one argument that are shown */
#define MOST_WORDS 400

static bool names_file(struct rf_str key)
{
    return rf_str_is(key, "file_path") || rf_str_is(key, "path");
}

static void add_value(struct rf_buf *b, const struct rf_jval *v, struct rf_arena *a)
{
    struct rf_str text = v->type == RF_JSTRING ? rf_jval_text(v, a) : rf_jval_compact(v, a);
    struct rf_str shown = rf_utf8_cut(text, MOST_VALUE);
    rf_buf_add(b, shown);
    if (shown.n < text.n)
        rf_buf_add(b, RF_STR("…"));
}

static void add_members(struct rf_buf *b, const struct rf_jval *object, bool files,
                        struct rf_arena *a)
{
    for (const struct rf_jval *k = rf_jval_first(object); k && b->n < MOST_WORDS;
         k = rf_jval_next(object, k + 1)) {
        struct rf_str key = rf_jval_text(k, a);
        if (names_file(key) != files)
            continue;
        if (b->n)
            rf_buf_addc(b, ' ');
        if (!files)
            rf_buf_addf(b, "%.*s=", RF_FMT(rf_utf8_cut(key, MOST_VALUE)));
        add_value(b, k + 1, a);
    }
}

void rf_agent_call_words(struct rf_str arguments, char out[RF_CALL_WORDS])
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *root;
    struct rf_str words = RF_STR("");
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    if (!rf_jval_parse(arguments, a, &root, NULL) && root->type == RF_JOBJECT) {
        add_members(&b, root, true, a);
        add_members(&b, root, false, a);
        if (!rf_buf_finish(&b, &words, NULL))
            words = rf_utf8_cut(words, RF_CALL_WORDS - 1);
    }
    memcpy(out, words.p, words.n);
    out[words.n] = '\0';
    rf_arena_free(a);
}
