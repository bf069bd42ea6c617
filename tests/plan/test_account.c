/* As what a file goes and what of it does not, and what strict mode says to that, and when. The workers are played:
 * each ask is answered with a few bytes of the right kind and the facts of the row. */
#include "plan/account.h"
#include "show.h"

#define CLAUDE "anthropic:claude-sonnet-4-5"
#define CHAT "openai-chat:gpt-4o"
#define GROQ "groq:meta-llama/llama-4-scout"
#define GEMINI "google:gemini-2.5-pro"
#define BLIND "openai-chat:gpt-3.5-turbo"
#define MEDIA(type, fields) "{'type':'" type "','id':'f1'," fields "}"
#define SVG MEDIA("image", "'name':'a.svg','data':'$SVG$'")
#define FILM MEDIA("video", "'name':'a.mp4','data':'$FILM$'")
#define BOOK MEDIA("document", "'name':'b.pdf','data':'$PDF$'")
#define PART MEDIA("document", "'name':'b.pdf','data':'$PDF$','page_range':[0,3]")
#define EXAM "op=info weigh=40"

static const struct row {
    const char *name, *model, *block;
    const char *facts; /* that every worker tells */
    const char *want;  /* the form, and what is lost */
    const char
        *strict; /* NULL: it passes; else what was asked for before it was refused, "": nothing */
} rows[] = {
    { "a picture that is taken", CHAT, IMAGE("f1"), "", "original", NULL },
    { "a picture of another type", CHAT, SVG, "", "converted", NULL },
    { "a picture that is too large", CHAT " max_image_bytes=72", IMAGE("f1"), "", "smaller", NULL },
    { "a picture of which part is damaged", CHAT, IMAGE("f1"), "damaged=1",
      "converted: part of it (the file is damaged)", EXAM },
    { "a picture where nothing is seen", BLIND, IMAGE("f1"), "", "recognised_text: the picture",
      "" },
    { "a text file", CHAT, NOTES("f1"), "", "original", NULL },
    { "sound of another type", "openai-chat:gpt-audio audio_user=audio/mpeg", SOUND("f1"), "",
      "converted", NULL },
    { "sound that nobody hears", CHAT, SOUND("f1"), "", "note: all of it", "" },
    { "sound with its transcript", CHAT,
      MEDIA("audio", "'name':'a.wav','data':'$WAV$','transcript':'Hello.'"), "",
      "transcript: the sound", "" },
    { "a film that is taken", GEMINI, FILM, "", "original", NULL },
    { "a film as frames", CLAUDE, FILM, "", "frames: all but 2 frames", "" },
    { "a film with sound as frames", CLAUDE, FILM, "sound=1", "frames: all but 2 frames, sound",
      "" },
    { "a document", CLAUDE, BOOK, "pages=47", "original", NULL },
    { "the pages that a person named", CLAUDE, PART, "pages=47", "pages", NULL },
    { "more pages than may be sent", CLAUDE " context_tokens=1000000", BOOK, "pages=120",
      "pages: pages 101-120", EXAM },
    { "more pages than the window holds", CLAUDE, BOOK, "pages=99", "pages: pages 96-99",
      EXAM ", op=part first=1 last=95" },
    { "pages as pictures, all of them", GROQ, BOOK, "pages=2", "page_images", EXAM },
    { "pages as pictures, some of them", GROQ, PART, "pages=47", "page_images: page 3", EXAM },
    { "the text of all pages", BLIND, BOOK, "pages=2", "text", EXAM },
    { "the text of some pages", BLIND, BOOK, "pages=47", "text: pages 3-47", EXAM },
    { "a document without a worker", BLIND " native_pdf=no", BOOK, "fails", "note: all of it",
      EXAM },
};

static void add_facts(struct rf_job *job, const char *facts, struct rf_arena *a)
{
    struct rf_str rest = rf_str(facts), fact, key;
    while (rf_str_split(&rest, ' ', &fact))
        if (rf_str_split(&fact, '=', &key))
            *RF_PUSH(a, job->facts, job->fact_count, job->fact_cap) = (struct rf_prop){ key, fact };
}

static void add_part(struct rf_job *job, const char *props, struct rf_str bytes, const char *text,
                     struct rf_arena *a)
{
    struct rf_job_part *p = RF_PUSH(a, job->parts, job->part_count, job->part_cap);
    struct rf_str rest = rf_str(props), prop, key;
    while (rf_str_split(&rest, ' ', &prop))
        if (rf_str_split(&prop, '=', &key))
            *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) = (struct rf_prop){ key, prop };
    p->bytes = rf_bytes_memory(bytes);
    p->text = rf_str(text);
}

static void play(struct rf_job *job, const struct row *row, struct rf_arena *a)
{
    struct rf_str op = rf_ask_value(job->ask, "op");
    if (strcmp(row->facts, "fails") == 0) {
        job->failed = rf_fail(&job->err, RF_EIO, "there is no worker");
        return;
    }
    add_facts(job, row->facts, a);
    if (rf_str_is(op, "convert")) {
        add_part(job, "kind=image", RF_STR(PNG_BYTES), "", a);
    } else if (rf_str_is(op, "render") || rf_str_is(op, "frames")) {
        add_part(job, rf_str_is(op, "render") ? "kind=image page=1" : "kind=image",
                 RF_STR(PNG_BYTES), "", a);
        add_part(job, rf_str_is(op, "render") ? "kind=image page=2" : "kind=image",
                 RF_STR(PNG_BYTES), "", a);
    } else if (rf_str_is(op, "part")) {
        add_part(job,
                 rf_strf(a, "kind=document first=%.*s last=%.*s",
                         RF_FMT(rf_ask_value(job->ask, "first")),
                         RF_FMT(rf_ask_value(job->ask, "last")))
                     .p,
                 RF_STR(PDF_BYTES), "", a);
    } else if (rf_str_is(op, "sound")) {
        add_part(job, "kind=audio", RF_STR(WAV_BYTES), "", a);
    } else if (rf_str_is(op, "text") && strcmp(job->family, "pdf") == 0) {
        add_part(job, "kind=text page=1", RF_STR(""), "one", a);
        add_part(job, "kind=text page=2", RF_STR(""), "two", a);
    } else if (rf_str_is(op, "text")) {
        add_part(job, "kind=text confidence=90", RF_STR(""), "one two", a);
    }
}

static struct rf_str on_one_line(struct rf_str ask, struct rf_arena *a)
{
    struct rf_str line, out = RF_STR("");
    while (rf_str_split(&ask, '\n', &line))
        if (line.n)
            out = rf_strf(a, "%.*s%s%.*s", RF_FMT(out), out.n ? " " : "", RF_FMT(line));
    return out;
}

/* Decide and follow what is asked for until nothing is, or it fails. Returns what was asked for. */
static struct rf_str decide(struct shown *s, const struct row *row, bool strict, struct rf_arena *a)
{
    const struct rf_plan_options options = { .convert = true, .strict = strict };
    struct rf_str asked = RF_STR("");
    for (int round = 0; round < 8; round++) {
        s->rc = rf_plan_decide(&s->survey, &s->model, &options, a, &s->plan, &s->err);
        if (s->rc)
            return asked;
        const struct rf_decision *d = &s->plan.decisions[0];
        if (!d->examine && (!d->recipe.make || d->made))
            return asked;
        struct rf_job job = asked_job(d, a);
        asked = rf_strf(a, "%.*s%s%.*s", RF_FMT(asked), asked.n ? ", " : "",
                        RF_FMT(on_one_line(job.ask, a)));
        play(&job, row, a);
        if (d->examine)
            rf_asset_examined(d->part->asset, &job, a);
        else
            rf_asset_add_made(d->part->asset, &d->recipe, &job, a);
    }
    return RF_STR("it never ends");
}

static const char *document_of(const struct row *row, struct rf_arena *a)
{
    return rf_strf(a, "{'refract':1,'messages':[" USER_OF("%s") "]}", row->block).p;
}

static void is_told(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct shown *s = show_plan(a, row->model, document_of(row, a), false);
    decide(s, row, false, a);
    assert_int_equal(s->rc, RF_OK);
    const struct rf_decision *d = &s->plan.decisions[0];
    struct rf_str lost = rf_account_lost(d, a);
    assert_str(rf_strf(a, "%s%s%.*s", rf_form_name(d->form), lost.n ? ": " : "", RF_FMT(lost)),
               row->want);
    assert_int_equal(rf_account_is_faithful(d), row->strict == NULL);
    rf_arena_free(a);
}

/* Strict mode refuses what is not faithful, and has nothing made for nothing. */
static void is_held(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct shown *s = show_plan(a, row->model, document_of(row, a), false);
    struct rf_str asked = decide(s, row, true, a);
    if (row->strict) {
        assert_true(s->rc);
        assert_str(asked, row->strict);
    } else {
        assert_int_equal(s->rc, RF_OK);
    }
    rf_arena_free(a);
}

/* Of two files of a message one does not fit. */
static void files_that_share_are_held_together(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct shown *s =
        show_plan(a, CHAT " max_images=1", DOC(USER_OF(IMAGE("f1") "," IMAGE("f2"))), false);
    const struct rf_plan_options as_is = { .strict = true };
    (void)state;
    s->rc = rf_plan_decide(&s->survey, &s->model, &as_is, a, &s->plan, &s->err);
    assert_int_equal(s->rc, RF_EUNSUPPORTED);
    rf_arena_free(a);
}

/* A model is named that takes it there. */
static void a_model_is_named_for_the_place(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct shown *s = show_plan(
        a, CHAT, DOC(USER("hi") "," ASSISTANT(CALL("c1", "look")) "," BLOCKS("c1", FILM)), true);
    (void)state;
    assert_int_equal(s->rc, RF_EUNSUPPORTED);
    assert_string_equal(s->err.path, "messages[2].content_blocks[0]");
    assert_non_null(strstr(s->err.hint, "bedrock:us.amazon.nova-pro-v1:0 takes it."));
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(files_that_share_are_held_together),
        cmocka_unit_test(a_model_is_named_for_the_place),
    };
    struct CMUnitTest tests[2 * COUNT(rows) + COUNT(others)];
    name_rows(tests, is_told, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), is_held, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + 2 * COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
