/* refract sessions media: the files of a session, how each was sent last, and whether it is sent
 * again. */
#include <inttypes.h>
#include <string.h>

#include "report.h"
#include "sessions.h"
#include "text.h"

#define ID_CELLS 16 /* "att_" and 12 digits */
#define KIND_CELLS 8
#define SIZE_CELLS 7
#define NAME_CELLS 28

static bool is(struct rf_str s, const char *word)
{
    return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

/* For programs. */

static void member(const char *name, struct rf_str text)
{
    printf("%s\"%s\":", strcmp(name, "id") == 0 ? "{" : ",", name);
    if (text.n)
        rf_print_json(stdout, text);
    else
        fputs("null", stdout);
}

static void number(const char *name, int64_t value)
{
    if (value)
        printf(",\"%s\":%" PRId64, name, value);
    else
        printf(",\"%s\":null", name);
}

static void moment(const char *name, int64_t ms)
{
    char text[RF_SHORT_TEXT];
    member(name, ms ? rf_text(rf_time_json(ms, text)) : (struct rf_str){ "", 0 });
}

/* A list of what has "; " between. */
static void print_lost(struct rf_str lost)
{
    fputs(",\"lost\":[", stdout);
    while (lost.n) {
        const char *end = memmem(lost.p, lost.n, "; ", 2);
        size_t n = end ? (size_t)(end - lost.p) : lost.n, used = end ? n + 2 : n;
        rf_print_json(stdout, (struct rf_str){ lost.p, n });
        lost = (struct rf_str){ lost.p + used, lost.n - used };
        fputs(lost.n ? "," : "", stdout);
    }
    putchar(']');
}

static void print_json(const struct rf_session_file *f)
{
    member("id", f->id);
    member("hash", f->hash);
    member("kind", f->kind);
    member("name", f->name);
    member("media_type", f->mime);
    printf(",\"message\":%" PRId64 ",\"bytes\":%" PRId64, f->message, f->bytes);
    number("width", f->width);
    number("height", f->height);
    number("duration_ms", f->duration_ms);
    printf(",\"dropped\":%s", f->dropped ? "true" : "false");
    member("delivery", f->delivery);
    member("form", f->form);
    member("as", f->as);
    print_lost(f->lost);
    member("provider", f->provider);
    member("model", f->model);
    moment("sent", f->sent_ms);
    member("refused_by", f->refused_by);
    member("refusal", f->refusal);
    moment("refused", f->refused_ms);
    printf(",\"remade\":%s", f->remade ? "true" : "false");
    fputs("}\n", stdout);
}

/* For people. */

static void cell(struct rf_str text, int width)
{
    int used = rf_print_cut(stdout, text, width);
    printf("%*s", width - used + 2, "");
}

/* "converted as image/jpeg, anthropic:claude-sonnet-5, 5 min; lost: animation" */
static void print_sent(const struct rf_session_file *f)
{
    char age[RF_SHORT_TEXT], words[RF_SENT_WORDS];
    if (!f->sent_ms) {
        fputs("never", stdout);
        return;
    }
    rf_print_text(stdout, rf_text(rf_sent_words(f->delivery, f->form, f->as, words)));
    fputs(", ", stdout);
    rf_print_text(stdout, f->provider);
    putchar(':');
    rf_print_text(stdout, f->model);
    printf(", %s", rf_age_text(f->sent_ms, age));
    if (f->lost.n && !is(f->form, rf_form_name(RF_FORM_NOTE))) {
        fputs("; lost: ", stdout);
        rf_print_text(stdout, f->lost);
    }
}

static void print_marks(const struct rf_session_file *f)
{
    char when[RF_SHORT_TEXT];
    if (f->dropped)
        fputs("; dropped", stdout);
    if (!f->refused_by.n)
        return;
    fputs("; refused by ", stdout);
    rf_print_text(stdout, f->refused_by);
    printf(" on %.10s: ", rf_time_text(f->refused_ms, when));
    rf_print_text(stdout, f->refusal);
    if (f->remade)
        fputs("; what is made of it is sent instead", stdout);
}

static void print_row(const struct rf_session_file *f)
{
    char size[RF_SHORT_TEXT];
    cell(f->id, ID_CELLS);
    cell(f->kind, KIND_CELLS);
    cell(rf_text(rf_size_text(f->bytes, size)), SIZE_CELLS);
    cell(f->name.n ? f->name : rf_text("-"), NAME_CELLS);
    print_sent(f);
    print_marks(f);
    putchar('\n');
}

static void print_heads(void)
{
    cell(rf_text("ID"), ID_CELLS);
    cell(rf_text("KIND"), KIND_CELLS);
    cell(rf_text("SIZE"), SIZE_CELLS);
    cell(rf_text("NAME"), NAME_CELLS);
    puts("LAST SENT");
}

struct listing {
    bool json;
    const char *only; /* this id or hash, or NULL: all */
    size_t count;
};

static void print_file(void *ctx, const struct rf_session_file *f)
{
    struct listing *l = ctx;
    if (l->only && !is(f->id, l->only) && !is(f->hash, l->only))
        return;
    if (!l->json && !l->count)
        print_heads();
    l->count++;
    (l->json ? print_json : print_row)(f);
}

/* What can be done with one. */

static enum rf_code lift(struct rf_session *s, const char *file, const struct rf_args *args,
                         struct rf_err *err)
{
    return rf_session_lift(s, file, args->values[RF_SESSIONS_PROVIDER], err);
}

static enum rf_code drop(struct rf_session *s, const char *file, const struct rf_args *args,
                         struct rf_err *err)
{
    (void)args;
    return rf_session_drop(s, file, err);
}

static enum rf_code keep(struct rf_session *s, const char *file, const struct rf_args *args,
                         struct rf_err *err)
{
    (void)args;
    return rf_session_keep(s, file, err);
}

static const struct {
    const char *name, *done;
    enum rf_code (*run)(struct rf_session *s, const char *file, const struct rf_args *args,
                        struct rf_err *err);
} changes[] = {
    { "drop", "is left out of later requests", drop },
    { "keep", "is sent again", keep },
    { "lift", "is sent again to who refused it", lift },
};

#define CHANGE_COUNT (sizeof changes / sizeof *changes)

static enum rf_code find_change(const struct rf_args *args, size_t *found, struct rf_err *err)
{
    for (*found = 0; *found < CHANGE_COUNT; ++*found)
        if (strcmp(args->words[2], changes[*found].name) == 0)
            break;
    if (*found == CHANGE_COUNT)
        rf_say(err, RF_EUSAGE, "sessions media does not know \"%s\"", args->words[2]);
    else if (args->word_count < 4)
        rf_say(err, RF_EUSAGE, "sessions media %s needs to know which file", args->words[2]);
    else if (args->values[RF_SESSIONS_PROVIDER] && strcmp(args->words[2], "lift") != 0)
        rf_say(err, RF_EUSAGE, "sessions media %s does not take --provider", args->words[2]);
    else
        return RF_OK;
    rf_say_hint(err, "Usage: refract sessions media ID [drop|keep|lift FILE]");
    return RF_EUSAGE;
}

static enum rf_code change(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    const char *file = args->words[3];
    struct listing l = { .json = true, .only = file };
    size_t which;
    enum rf_code rc;
    if ((rc = find_change(args, &which, err)) || (rc = rf_stored_write(s, args->words[1], err)))
        return rc;
    rc = changes[which].run(s->session, file, args, err);
    if (rc == RF_ENOTFOUND)
        rf_say_hint(err, "\"refract sessions media %s\" lists the files of this session.",
                    rf_session_id(s->session));
    if (rc || args->json)
        return rc ? rc : rf_session_files(s->session, print_file, &l, err);
    fputs("note: ", stderr);
    rf_print_text(stderr, rf_text(file));
    fprintf(stderr, " %s\n", changes[which].done);
    return RF_OK;
}

enum rf_code rf_sessions_media(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    struct listing l = { .json = args->json };
    enum rf_code rc;
    if (args->word_count > 2)
        return change(s, args, err);
    if (args->values[RF_SESSIONS_PROVIDER]) {
        rf_say(err, RF_EUSAGE, "--provider says for whom a file is lifted, and none is");
        rf_say_hint(err, "Usage: refract sessions media ID lift FILE --provider NAME");
        return RF_EUSAGE;
    }
    if ((rc = rf_stored_read(s, args->words[1], err)) ||
        (rc = rf_session_files(s->session, print_file, &l, err)))
        return rc;
    if (!l.count && !l.json)
        fputs("note: there are no files in this session\n", stderr);
    return RF_OK;
}
