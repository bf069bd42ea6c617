/* What was used over time, which upstreams fail, and what was learned from refusals. */
#include "page/page.h"

#include "base/clock.h"
#include "gateway/health.h"

#include <refract/learned.h>

static void write_ill(void *ctx, const char *name, const struct rf_illness *what)
{
    struct rf_json *w = ctx;
    int64_t left = what->until_ms - rf_now_ms();
    rf_json_obj(w, NULL);
    rf_json_str(w, "name", rf_str(name));
    rf_json_str(w, "error", rf_str(rf_error_kind_name(what->kind)));
    rf_json_str(w, "words", rf_str(what->words));
    rf_json_int(w, "out_ms", left > 0 ? left : 0);
    rf_json_end(w);
}

static void write_health(struct rf_page_visit *v, struct rf_json *w)
{
    rf_json_arr(w, "ill");
    if (v->page->host->health)
        rf_health_list(v->page->host->health, write_ill, w);
    rf_json_end(w);
}

static void write_lesson(struct rf_json *w, const struct rf_learned *l, size_t i)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "provider", rf_learned_provider(l, i));
    rf_json_str(w, "model", rf_learned_model(l, i));
    rf_json_str(w, "fact", rf_learned_fact(l, i));
    rf_json_str(w, "value", rf_learned_value(l, i));
    rf_json_str(w, "date", rf_learned_date(l, i));
    rf_json_str(w, "words", rf_learned_words(l, i));
    rf_json_bool(w, "refused", rf_learned_source(l, i) == RF_FACT_LEARNED);
    rf_json_end(w);
}

static void write_learned(struct rf_page_visit *v, struct rf_json *w)
{
    struct rf_setup *setup = rf_setup_take(v->page->host->setups);
    struct rf_learned *l = NULL;
    rf_json_arr(w, "learned");
    if (!rf_learned_open(setup->config, &l, NULL))
        for (size_t i = 0; i < rf_learned_count(l); i++)
            write_lesson(w, l, i);
    rf_json_end(w);
    rf_learned_close(l);
    rf_setup_drop(setup);
}

/* Of the time after "since", in milliseconds since 1970. */
void rf_page_overview(struct rf_page_visit *v)
{
    int64_t since = 0;
    (void)!rf_str_int64(rf_page_field(v, "since"), &since);
    struct rf_json *w = rf_page_json(v);
    rf_json_obj(w, NULL);
    rf_json_int(w, "kept_since", rf_tally_kept_since(v->page->tally));
    rf_tally_write(v->page->tally, since, v->arena, w, "rows");
    write_health(v, w);
    write_learned(v, w);
    rf_json_end(w);
    rf_page_json_end(v, w);
}
