/* Requests that are not in memory any more: the log that the gateway keeps in its store, where that
 * is configured, the newest first. Summaries like those of events.c, as far as the log has them. */
#include "config/config.h"
#include "page/page.h"
#include "store/store.h"

#define MOST_ROWS 500

/* "native/original=2" as two files of which no more is known. */
static void write_files(struct rf_json *w, struct rf_str deliveries)
{
    struct rf_str one, delivery, form;
    int64_t count;
    rf_json_arr(w, "files");
    while (rf_str_split(&deliveries, ',', &one)) {
        one = rf_str_trim(one);
        bool good = rf_str_split(&one, '/', &delivery) && rf_str_split(&one, '=', &form) &&
                    rf_str_int64(one, &count);
        for (int64_t i = 0; good && i < count && i < 8; i++) {
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
    }
    rf_json_end(w);
}

static const char *const texts[] = { "id", "key", "dialect", "asked", "provider", "model" };
static const char *const numbers[] = { "began_ms",    "status",   "input",     "output",
                                       "cost_micros", "bytes_in", "bytes_out", "total_us",
                                       "first_us",    "attempts", "heals" };
#define TEXTS (sizeof texts / sizeof *texts)
#define NUMBERS (sizeof numbers / sizeof *numbers)

static enum rf_code write_row(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct rf_json *w = ctx;
    (void)count, (void)err;
    rf_json_obj(w, NULL);
    for (size_t i = 0; i < TEXTS; i++)
        rf_json_str(w, texts[i], columns[i].text);
    for (size_t i = 0; i < NUMBERS; i++)
        rf_json_int(w, numbers[i], columns[TEXTS + i].number);
    write_files(w, columns[TEXTS + NUMBERS].text);
    rf_json_end(w);
    return RF_OK;
}

static enum rf_code write_rows(struct rf_page_visit *v, const struct rf_config *config,
                               struct rf_json *w, struct rf_err *err)
{
    struct rf_store *store = NULL;
    int64_t before = INT64_MAX;
    (void)!rf_str_int64(rf_page_field(v, "before"), &before);
    if (!rf_store_is_there(config))
        return RF_OK;
    enum rf_code rc = rf_store_open(config, &store, err);
    if (!rc)
        rc = rf_store_query(store,
                            "SELECT id, key_name, dialect, asked, provider, model, at, status, "
                            "input_tokens, output_tokens, cost, bytes_in, bytes_out, duration_us, "
                            "first_byte_us, attempts, heals, deliveries FROM requests "
                            "WHERE at < $1 ORDER BY at DESC LIMIT $2",
                            RF_VALUES(rf_sql_number(before), rf_sql_number(MOST_ROWS)), write_row,
                            w, err);
    rf_store_close(store);
    return rc;
}

/* Those that began before "before", in milliseconds since 1970. */
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
