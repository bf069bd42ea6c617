/* The honest model. It is given what a dialect has seen in a request, and says that: which files,
 * how large, with which hash, and where they stood; and the texts. What it was asked to read it
 * reads first. The same request gets the same answer.
 *
 * It sees no more than the real one would: kinds that an endpoint takes inside a tool result and
 * never shows to its model are not seen here either.
 */
#include "base/arena.h"
#include "base/utf8.h"
#include "sim/mind.h"

#define MAX_FILES 100    /* that are looked at, the newest ones */
#define MAX_TEXTS 20     /* that are quoted */
#define MAX_QUOTE 600    /* bytes of one: a note and the first lines after it */
#define MAX_ANSWER 65536 /* bytes */
#define BYTES_PER_TOKEN 4

/* The question: what a person said last. Notes and what was put after tool results begin
 * with a bracket. */

static bool is_said(const struct rf_sim_seen *s)
{
    return s->kind == RF_SIM_TEXT && s->call.n == 0 && strcmp(s->role, "user") == 0;
}

static const struct rf_sim_seen *last_said(const struct rf_sim_request *r)
{
    const struct rf_sim_seen *any = NULL;
    for (size_t i = r->count; i-- > 0;) {
        if (!is_said(&r->seen[i]))
            continue;
        if (!rf_str_starts(rf_str_trim(r->seen[i].text), "["))
            return &r->seen[i];
        any = any ? any : &r->seen[i];
    }
    return any;
}

static bool asks_for_code(struct rf_str text)
{
    static const char *const words[] = { "*what code*", "*which code*", "*what is the code*",
                                         "*read the code*" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rf_glob(rf_str(words[i]), text))
            return true;
    return false;
}

void rf_sim_find_question(const struct rf_sim_request *r, struct rf_sim_question *out)
{
    const struct rf_sim_seen *said = last_said(r);
    *out = (struct rf_sim_question){ 0 };
    if (!said)
        return;
    out->turn = said->turn;
    out->text = said->text;
    out->asks_for_code = asks_for_code(said->text);
    out->start = (size_t)(said - r->seen);
    while (out->start > 0 && r->seen[out->start - 1].turn == said->turn &&
           strcmp(r->seen[out->start - 1].role, "system") != 0)
        out->start--;
    for (size_t i = out->start; i < r->count; i++) {
        out->called |= r->seen[i].kind == RF_SIM_CALL;
        out->has_files |= r->seen[i].kind == RF_SIM_FILE && r->seen[i].turn == said->turn;
    }
}

/* What it sees. */

static bool is_visible(const struct rf_sim_request *r, const struct rf_sim_options *o,
                       const struct rf_sim_seen *s)
{
    if (s->kind != RF_SIM_FILE || s->call.n == 0)
        return s->kind == RF_SIM_FILE;
    const struct rf_format *f = rf_format_by_mime(s->mime);
    enum rf_kind kind = f ? f->kind : RF_KIND_UNKNOWN;
    return !(r->model->caps.unseen_inside & 1u << kind) &&
           !(o->ignore_images && kind == RF_KIND_IMAGE);
}

struct answer {
    const struct rf_sim_request *r;
    const struct rf_sim_question *q;
    struct rf_sim_sight *sights;
    size_t sight_count;
    struct rf_buf b;
    size_t parts; /* of the list that is being said */
    size_t texts; /* of those */
};

static void look(struct answer *s, const struct rf_sim_options *o)
{
    const struct rf_sim_request *r = s->r;
    size_t visible = 0, skip;
    for (size_t i = 0; i < r->count; i++)
        visible += is_visible(r, o, &r->seen[i]);
    skip = visible > MAX_FILES ? visible - MAX_FILES : 0;
    s->sights = RF_ARRAY(r->arena, struct rf_sim_sight, visible - skip);
    for (size_t i = 0; i < r->count; i++) {
        if (!is_visible(r, o, &r->seen[i]))
            continue;
        if (skip > 0)
            skip--;
        else
            s->sights[s->sight_count++].seen = &r->seen[i];
    }
    rf_sim_look(r, o, s->sights, s->sight_count, s->q->asks_for_code);
}

/* What it says. */

static void begin_part(struct answer *s)
{
    rf_buf_add(&s->b, s->parts++ ? RF_STR(", ") : RF_STR(""));
}

static void add_place(struct answer *s, const struct rf_sim_seen *seen)
{
    if (seen->call.n > 0)
        rf_buf_addf(&s->b, " inside the result of %.*s%s%.*s", RF_FMT(seen->name),
                    seen->name.n > 0 ? " " : "", RF_FMT(seen->call));
}

static void say_file(struct answer *s, const struct rf_sim_sight *sight)
{
    begin_part(s);
    if (sight->seen->reference.n > 0)
        rf_buf_addf(&s->b, "a reference to %.*s, which I do not follow",
                    RF_FMT(rf_utf8_cut(sight->seen->reference, MAX_QUOTE)));
    else
        rf_buf_add(&s->b, sight->words);
    add_place(s, sight->seen);
}

static bool is_new(const struct answer *s, const struct rf_sim_seen *seen)
{
    return (size_t)(seen - s->r->seen) >= s->q->start;
}

static void say_text(struct answer *s, const struct rf_sim_seen *seen)
{
    struct rf_str text = rf_str_trim(seen->text), cut = rf_utf8_cut(text, MAX_QUOTE);
    begin_part(s);
    rf_buf_addf(&s->b, "%sthe text \"%.*s%s\"", s->parts > 1 && s->texts == 1 ? "and " : "",
                RF_FMT(cut), cut.n < text.n ? "…" : "");
    add_place(s, seen);
}

static void say_failure(struct answer *s, const struct rf_sim_seen *seen)
{
    begin_part(s);
    rf_buf_addf(&s->b, "a failure of %.*s %.*s", RF_FMT(seen->name), RF_FMT(seen->call));
}

static void say_given(struct answer *s)
{
    rf_buf_add(&s->b, RF_STR("I was given "));
    for (size_t i = 0; i < s->sight_count; i++)
        if (is_new(s, s->sights[i].seen))
            say_file(s, &s->sights[i]);
    for (size_t i = s->q->start; i < s->r->count; i++) {
        const struct rf_sim_seen *seen = &s->r->seen[i];
        if (seen->kind == RF_SIM_RESULT && seen->failed)
            say_failure(s, seen);
        if (seen->kind == RF_SIM_TEXT && strcmp(seen->role, "system") != 0 &&
            strcmp(seen->role, "assistant") != 0 && s->texts++ < MAX_TEXTS)
            say_text(s, seen);
    }
    rf_buf_add(&s->b, s->parts ? RF_STR(".") : RF_STR("nothing."));
    if (s->texts > MAX_TEXTS)
        rf_buf_addf(&s->b, " There were %zu more texts.", s->texts - MAX_TEXTS);
}

static void say_earlier(struct answer *s)
{
    s->parts = 0;
    for (size_t i = 0; i < s->sight_count; i++) {
        if (is_new(s, s->sights[i].seen))
            continue;
        if (s->parts == 0)
            rf_buf_add(&s->b, RF_STR(" Earlier in this conversation: "));
        say_file(s, &s->sights[i]);
    }
    rf_buf_add(&s->b, s->parts ? RF_STR(".") : RF_STR(""));
}

static void say_codes(struct answer *s)
{
    size_t found = 0;
    for (size_t i = 0; i < s->sight_count; i++)
        if (is_new(s, s->sights[i].seen) && s->sights[i].code.n > 0)
            rf_buf_addf(&s->b, "%s%.*s", found++ ? " and " : "The code is ",
                        RF_FMT(s->sights[i].code));
    rf_buf_add(&s->b, found ? RF_STR(".") : RF_STR("I see no code."));
}

static struct rf_str answer(const struct rf_sim_request *r, const struct rf_sim_options *o,
                            const struct rf_sim_question *q)
{
    struct answer s = { .r = r, .q = q };
    struct rf_str text;
    struct rf_err err;
    rf_buf_init(&s.b, r->arena, MAX_ANSWER);
    look(&s, o);
    if (q->asks_for_code) {
        say_codes(&s); /* and no other digits */
    } else {
        say_given(&s);
        say_earlier(&s);
    }
    if (rf_buf_finish(&s.b, &text, &err))
        return rf_strf(r->arena, "I was given %zu files, and more than I can say.", s.sight_count);
    return text;
}

/* As far as the request lets it go on. */
static void cut(const struct rf_sim_request *r, struct rf_sim_said *out)
{
    int64_t most = r->max_tokens;
    out->output_tokens = (int64_t)((out->text.n + out->thinking.n) / BYTES_PER_TOKEN) + 1;
    for (size_t i = 0; i < out->call_count; i++)
        out->output_tokens += (int64_t)(out->calls[i].arguments.n / BYTES_PER_TOKEN) + 10;
    if (most <= 0 || out->output_tokens <= most || out->call_count > 0)
        return;
    out->text = rf_utf8_cut(out->text, (size_t)most * BYTES_PER_TOKEN);
    out->output_tokens = most;
    out->cut_by_length = true;
}

void rf_sim_think(const struct rf_sim_request *r, const struct rf_sim_options *o,
                  struct rf_sim_said *out)
{
    struct rf_sim_question q;
    rf_sim_find_question(r, &q);
    *out = (struct rf_sim_said){ .input_tokens = rf_sim_input_tokens(r) };
    if (!q.called && !r->must_not_call)
        rf_sim_want(r, &q, out);
    if (r->must_call && out->call_count == 0)
        rf_sim_call_anyway(r, &q, out);
    if (out->call_count == 0)
        out->text = rf_sim_fit(r, answer(r, o, &q));
    if (r->thinks)
        out->thinking = out->call_count > 0 ? RF_STR("I should look at what was named first.")
                                            : RF_STR("I say what I was given.");
    cut(r, out);
}
