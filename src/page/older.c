/* Requests that are not in memory any more: the log that the gateway keeps in its store, where that
 * is configured, the newest first. Summaries like those of events.c, as far as the log has them. */
#include "config/config.h"
#include "page/page.h"
#include "store/accounts.h"

#define MOST_ROWS 500

#define MOST_FILES 8 /* of one way and form, as in the summaries of events.c */

/* "native/original=2" as two files, of which nothing else is known. */
static void write_files(struct rf_json *w, struct rf_str deliveries)
{
    struct rf_str one, delivery, form;
    int64_t count, more = 0;
    rf_json_arr(w, "files");
    while (rf_str_split(&deliveries, ',', &one)) {
        one = rf_str_trim(one);
        bool good = rf_str_split(&one, '/', &delivery) && rf_str_split(&one, '=', &form) &&
                    rf_str_int64(one, &count);
        for (int64_t i = 0; good && i < count && i < MOST_FILES; i++) {
            rf_json_obj(w, NULL);
            rf_json_str(w, "name", RF_STR(""));
            rf_json_str(w, "kind", RF_STR("file"));
            rf_json_str(w, "type", RF_STR(""));
            rf_json_str(w, "delivery", delivery);
            rf_json_str(w, "form", form);
            rf_json_str(w, "words", RF_STR(""));
            rf_json_arr(w, "lost");
            rf_json_end(w);
            rf_json_end(w);
        }
        more += good && count > MOST_FILES ? count - MOST_FILES : 0;
    }
    if (more) {
        rf_json_obj(w, NULL);
        rf_json_int(w, "more", more);
        rf_json_end(w);
    }
    rf_json_end(w);
}

/* Zero of these says that it is not known: a log has no other word for that. */
static void write_known(struct rf_json *w, const char *key, int64_t n)
{
    if (n > 0)
        rf_json_int(w, key, n);
}

static void write_row(void *ctx, const struct rf_settlement *e)
{
    struct rf_json *w = ctx;
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", rf_str(e->request));
    rf_json_str(w, "key", rf_str(e->key_name));
    rf_json_str(w, "dialect", e->dialect);
    rf_json_str(w, "asked", e->asked);
    rf_json_str(w, "provider", e->provider);
    rf_json_str(w, "model", e->model);
    write_known(w, "began_ms", e->at_ms);
    write_known(w, "status", e->status);
    write_known(w, "input", e->input_tokens);
    write_known(w, "output", e->output_tokens);
    write_known(w, "cost_micros", e->cost);
    write_known(w, "bytes_in", e->bytes_in);
    write_known(w, "bytes_out", e->bytes_out);
    write_known(w, "total_us", e->duration_us);
    write_known(w, "first_us", e->first_byte_us);
    write_known(w, "attempts", e->attempts);
    write_known(w, "heals", e->heals);
    rf_json_str_opt(w, "error", e->error);
    if (e->gone)
        rf_json_bool(w, "gone", true);
    rf_json_str_opt(w, "operation", e->operation);
    write_files(w, e->deliveries);
    rf_json_end(w);
}

static enum rf_code write_rows(struct rf_page_visit *v, const struct rf_config *config,
                               struct rf_json *w, struct rf_err *err)
{
    struct rf_store *store = NULL;
    const struct rf_str one = rf_page_field(v, "request");
    struct rf_accounts_before before = { INT64_MAX, rf_page_field(v, "id") };
    (void)!rf_str_int64(rf_page_field(v, "before"), &before.at_ms);
    if (!rf_store_is_there(config))
        return RF_OK;
    enum rf_code rc = rf_store_open(config, &store, err);
    if (!rc && one.n)
        rc = rf_accounts_find(store, one, write_row, w, err);
    else if (!rc)
        rc = rf_accounts_log(store, &before, MOST_ROWS, write_row, w, err);
    rf_store_close(store);
    return rc;
}

/* Those that began before "before", in milliseconds since 1970; and those of that millisecond whose
 * ids are before "id". Or the one whose id is "request". */
void rf_page_older(struct rf_page_visit *v)
{
    struct rf_setup *setup = rf_setup_take(v->page->host->setups);
    struct rf_err err = { 0 };
    struct rf_json *w = rf_page_json(v);
    rf_json_arr(w, NULL);
    enum rf_code rc = write_rows(v, setup->config, w, &err);
    if (rc) {
        rf_page_fail(v, &err);
    } else {
        rf_json_end(w);
        rf_page_json_end(v, w);
    }
    rf_setup_drop(setup);
}
