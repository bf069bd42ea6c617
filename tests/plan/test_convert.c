/* The rungs that need a worker: what is asked for, for whom, and what the plan does with the outcome.
 * The workers are played here: each recipe is followed with a few bytes of the right kind, or fails.
 */
#include "show.h"

#define CLAUDE "anthropic:claude-sonnet-4-5"
#define CHAT "openai-chat:gpt-4o"
#define GROQ "groq:meta-llama/llama-4-scout"
#define SMALL_BODY " max_images=100 max_body_bytes=1048576"
#define BLIND "openai-chat:gpt-3.5-turbo"
#define MEDIA(type, fields) "{'type':'" type "','id':'f1'," fields "}"
#define PAGES "47" /* that every PDF has, says its worker, which makes two of those it is asked for */
#define SVG MEDIA("image", "'name':'a.svg','data':'$SVG$'")
#define BOOK MEDIA("document", "'name':'b.pdf','data':'$PDF$','page_count':47,'page_range':[0,20]")
#define WHOLE MEDIA("document", "'name':'b.pdf','data':'$PDF$'")

static const struct row {
    const char *name, *model, *block;
    const char
        *asked; /* every recipe that was followed, "family op" and what matters, a line each */
    const char *want;  /* the turn that results */
    const char *fails; /* a family whose asks fail, or NULL */
} rows[] = {
    { "a type that nobody takes becomes one that is taken", CHAT, SVG,
      "image op=convert mime=image/svg+xml types=image/png,image/jpeg max_side=2048 "
      "max_bytes=204800",
      "user: \"[\"a.svg\": 8 x 4 pixels, shown at 3 x 2]\" <image/png>", NULL },
    { "nothing is converted that goes as it is", CHAT, IMAGE("f1"), "image op=info weigh=40",
      "user: <image/png>", NULL },
    { "the pages that were read, as a PDF", CLAUDE, BOOK, "pdf op=info weigh=40\npdf op=part first=1 last=20",
      "user: \"[Pages 1-20 of 47 of \"b.pdf\"]\" <application/pdf as document 1>", NULL },
    { "pages as pictures where no PDF is taken, as many as may be sent", GROQ, BOOK,
      "pdf op=info weigh=40\npdf op=render first=1 last=5 dpi=150 types=image/png,image/jpeg max_side=2048 "
      "max_pixels=33177600 max_bytes=409600",
      "user: \"[Page 1 of 47 of \"b.pdf\" as a picture]\" <image/png> \"[Page 2 of 47 of \"b.pdf\" as "
      "a picture]\" <image/png> \"[Not sent of \"b.pdf\": pages 3-20 (max_images: 5). More can be "
      "read from page_start=2 on.]\"",
      NULL },
    { "a small body makes pages smaller, and not fewer", GROQ SMALL_BODY, BOOK,
      "pdf op=info weigh=40\npdf op=render first=1 last=20 dpi=150 types=image/png,image/jpeg "
      "max_side=2048 max_pixels=33177600 max_bytes=36864",
      "user: \"[Page 1 of 47 of \"b.pdf\" as a picture]\" <image/png> \"[Page 2 of 47 of "
      "\"b.pdf\" as "
      "a picture]\" <image/png> \"[Not sent of \"b.pdf\": pages 3-20. More can be read from "
      "page_start=2 on.]\"",
      NULL },
    { "fewer pages where they must have so many bytes", GROQ SMALL_BODY " min_page_base64=131072",
      BOOK,
      "pdf op=info weigh=40\npdf op=render first=1 last=7 dpi=150 types=image/png,image/jpeg "
      "max_side=2048 max_pixels=33177600 max_bytes=105324",
      "user: \"[Page 1 of 47 of \"b.pdf\" as a picture]\" <image/png> \"[Page 2 of 47 of "
      "\"b.pdf\" as "
      "a picture]\" <image/png> \"[Not sent of \"b.pdf\": pages 3-20 (max_body_bytes: 1048576). "
      "More "
      "can be read from page_start=2 on.]\"",
      NULL },
    { "pages are counted, and where they fit all go", CLAUDE, WHOLE, "pdf op=info weigh=40",
      "user: <application/pdf as document 1>", NULL },
    { "the text where nothing can be seen", BLIND, BOOK,
      "pdf op=info weigh=40\npdf op=text mime=application/pdf first=1 last=20",
      "user: \"[File f1: \"b.pdf\" (application/pdf, 130 bytes) was not sent: "
      "openai-chat:gpt-3.5-turbo takes no application/pdf. This model takes text only. Its text "
      "follows. Not in it: pages 3-20.]\n--- Page 1 ---\none\n\n--- Page 2 ---\ntwo\"",
      NULL },
    { "a text that was extracted before is not extracted again", BLIND,
      MEDIA("document", "'name':'b.pdf','data':'$PDF$','extracted_text':'Old.'"), "pdf op=info weigh=40",
      "user: \"[File f1: \"b.pdf\" (application/pdf, 130 bytes) was not sent: "
      "openai-chat:gpt-3.5-turbo takes no application/pdf. This model takes text only. Its text "
      "follows.]\nOld.\"",
      NULL },
    { "a worker that fails leaves the next rung", CHAT, SVG,
      "image op=convert mime=image/svg+xml types=image/png,image/jpeg max_side=2048 "
      "max_bytes=204800\nocr op=text mime=image/svg+xml first=1 last=0",
      "user: \"[File f1: \"a.svg\" (image/svg+xml, 84 bytes) was not sent: openai-chat:gpt-4o takes "
      "no image/svg+xml. This model takes images (png, jpeg, gif, webp), PDF and text. Its text "
      "was recognised by a machine and may be wrong. It follows.]\none two\"",
      "image" },
    { "sound of a type that is taken", "openai-chat:gpt-audio audio_user=audio/mpeg", SOUND("f1"),
      "av op=sound mime=audio/mpeg max_bytes=39272448", "user: <audio/wav>", NULL },
    { "a file that is taken as it is goes whole where no worker can help", CLAUDE, BOOK,
      "pdf op=info weigh=40\npdf op=part first=1 last=20\npdf op=render first=1 last=20 dpi=150 types=image/png,image/jpeg "
      "max_side=2000 max_bytes=409600",
      "user: <application/pdf as document 1>", "pdf" },
};

static void add_part(struct rf_job *job, struct rf_arena *a, const char *kind, int page,
                     struct rf_str bytes, const char *text)
{
    struct rf_job_part *p = RF_PUSH(a, job->parts, job->part_count, job->part_cap);
    *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) =
        (struct rf_prop){ RF_STR("kind"), rf_str(kind) };
    if (page)
        *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) =
            (struct rf_prop){ RF_STR("page"), rf_strf(a, "%d", page) };
    p->bytes = rf_bytes_memory(bytes);
    p->text = rf_str(text);
}

/* A part of a document says which pages it is. */
static void add_range(struct rf_job_part *p, struct rf_arena *a, struct rf_str ask)
{
    struct rf_str line, key;
    while (rf_str_split(&ask, '\n', &line))
        if (rf_str_split(&line, '=', &key) && !rf_str_is(key, "op"))
            *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) = (struct rf_prop){ key, line };
}

static void play(struct rf_job *job, struct rf_arena *a)
{
    if (rf_str_starts(job->ask, "op=convert")) {
        add_part(job, a, "image", 0, RF_STR(PNG_BYTES), "");
    } else if (rf_str_starts(job->ask, "op=render")) {
        add_part(job, a, "image", 1, RF_STR(PNG_BYTES), "");
        add_part(job, a, "image", 2, RF_STR(PNG_BYTES), "");
    } else if (rf_str_starts(job->ask, "op=part")) {
        add_part(job, a, "document", 0, RF_STR(PDF_BYTES), "");
        add_range(&job->parts[0], a, job->ask);
    } else if (rf_str_starts(job->ask, "op=sound")) {
        add_part(job, a, "audio", 0, RF_STR(WAV_BYTES), "");
    } else if (rf_str_starts(job->ask, "op=text") && strcmp(job->family, "pdf") == 0) {
        add_part(job, a, "text", 1, RF_STR(""), "one");
        add_part(job, a, "text", 2, RF_STR(""), "two");
    } else if (rf_str_starts(job->ask, "op=text")) {
        add_part(job, a, "text", 0, RF_STR(""), "one two");
    }
    if (rf_str_starts(job->ask, "op=part"))
        return;
    *RF_PUSH(a, job->facts, job->fact_count, job->fact_cap) =
        (struct rf_prop){ RF_STR("pages"), RF_STR(PAGES) };
}

static struct rf_str on_one_line(struct rf_str ask, struct rf_arena *a)
{
    struct rf_str line, out = RF_STR("");
    while (rf_str_split(&ask, '\n', &line))
        if (line.n)
            out = rf_strf(a, "%.*s %.*s", RF_FMT(out), RF_FMT(line));
    return out;
}

/* Decide, follow what is asked for, and decide again, until nothing is. */
static struct rf_str decide(struct shown *s, const struct row *row, struct rf_arena *a)
{
    const struct rf_plan_options options = { .convert = true };
    struct rf_str asked = RF_STR("");
    for (int round = 0; round < 5; round++) {
        bool waits = false;
        s->rc = rf_plan_decide(&s->survey, &s->model, &options, a, &s->plan, &s->err);
        for (size_t i = 0; !s->rc && i < s->plan.decision_count; i++) {
            const struct rf_decision *d = &s->plan.decisions[i];
            if (!d->examine && (!d->recipe.make || d->made))
                continue;
            struct rf_job job = asked_job(d, a);
            asked = rf_strf(a, "%.*s%s%s%.*s", RF_FMT(asked), asked.n ? "\n" : "", job.family,
                            RF_FMT(on_one_line(job.ask, a)));
            if (row->fails && strcmp(row->fails, job.family) == 0)
                job.failed = rf_fail(&job.err, RF_EFORMAT, "the file is broken");
            else
                play(&job, a);
            if (d->examine)
                rf_asset_examined(d->part->asset, &job, a);
            else
                rf_asset_add_made(d->part->asset, &d->recipe, &job, a);
            waits = true;
        }
        if (!waits)
            return asked;
    }
    return RF_STR("it never ends");
}

static void is_made(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const char *doc =
        rf_strf(a, "{'refract':1,'messages':[{'role':'user','content':[%s]}]}", row->block).p;
    struct shown *s = show_plan(a, row->model, doc, false);
    assert_str(decide(s, row, a), row->asked);
    assert_int_equal(rf_plan_lay_out(&s->plan, &s->survey, a, &s->err), RF_OK);
    assert_str(show_turns(a, s), row->want);
    rf_arena_free(a);
}

/* Inside a result where that is taken, after all results elsewhere, with one introduction. */
static void results_get_pages_too(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct row none = { 0 };
    struct shown *s = show_plan(
        a, CHAT,
        DOC(USER("hi") "," ASSISTANT(CALL("c1", "look")) "," BLOCKS("c1", TEXT("see") "," SVG)),
        false);
    (void)state;
    decide(s, &none, a);
    assert_int_equal(rf_plan_lay_out(&s->plan, &s->survey, a, &s->err), RF_OK);
    assert_str(
        show_turns(a, s),
        "user: \"hi\"\nassistant: call(c1 look)\nuser: result(c1 look: \"see\" \"See file "
        "f1.\")\nuser: \"[look c1: \"a.svg\"] This is file f1:\" \"[\"a.svg\": 8 x 4 pixels, "
        "shown at 3 x 2]\" <image/png>");
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = { cmocka_unit_test(results_get_pages_too) };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, is_made, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
