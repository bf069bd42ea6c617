/* refract keys: the keys of the gateway's clients. A key is shown once, when it is made. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#include "command.h"
#include "cost.h"
#include "project.h"
#include "report.h"
#include "text.h"

#define DIGITS_MOST 10

enum { MODELS, RPM, TPM, CONCURRENT, BUDGET, ADMIN, JSON, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [MODELS] = { "models", 0, "GLOBS", "add: only these models: \"claude-*,openai:gpt-4o\"" },
    [RPM] = { "rpm", 0, "N", "add: at most N requests a minute" },
    [TPM] = { "tpm", 0, "N", "add: at most N tokens a minute" },
    [CONCURRENT] = { "concurrent", 0, "N", "add: at most N requests at once" },
    [BUDGET] = { "budget", 0, "USD", "add: at most so many US dollars, for all time" },
    [ADMIN] = { "admin", 0, NULL, "add: it may look at the gateway's web page" },
    [JSON] = { "json", 0, NULL, "print for a program, errors too" },
};

enum { ADD, LIST, REVOKE, ACTION_COUNT };

static const struct rf_action actions[ACTION_COUNT] = {
    [ADD] = { "add", "NAME", "make a key and print it: it is not shown again" },
    [LIST] = { "list", NULL, "all keys, with their limits and what they have used (the default)" },
    [REVOKE] = { "revoke", "NAME", "take a key back" },
};

/* Adding and revoking */

/* A limit is at least 1; one that is not given is 0. */
static enum rf_code read_limit(const struct rf_args *args, int option, int64_t *out,
                               struct rf_err *err)
{
    const char *value = args->values[option];
    *out = 0;
    if (!value)
        return RF_OK;
    size_t n = strlen(value);
    if (n && n <= DIGITS_MOST && strspn(value, "0123456789") == n)
        *out = strtoll(value, NULL, 10);
    if (*out)
        return RF_OK;
    rf_say(err, RF_EUSAGE, "--%s: \"%s\" is not a whole number, at least 1", options[option].name,
           value);
    return RF_EUSAGE;
}

static void print_key(const char *name, const char *key, bool json)
{
    if (!json) {
        printf("%s\n", key);
        return;
    }
    fputs("{\"name\":", stdout);
    rf_print_json(stdout, rf_text(name));
    printf(",\"key\":\"%s\"}\n", key);
}

static enum rf_code add(struct rf_store *store, const struct rf_args *args, struct rf_err *err)
{
    struct rf_client_key_limits limits = { .size = sizeof limits,
                                           .models = args->values[MODELS],
                                           .budget = args->values[BUDGET],
                                           .admin = args->values[ADMIN] != NULL };
    char key[RF_CLIENT_KEY_SIZE];
    enum rf_code rc = read_limit(args, RPM, &limits.requests_per_minute, err);
    if (!rc)
        rc = read_limit(args, TPM, &limits.tokens_per_minute, err);
    if (!rc)
        rc = read_limit(args, CONCURRENT, &limits.concurrent, err);
    if (!rc)
        rc = rf_client_key_add(store, args->words[1], &limits, key, err);
    if (rc)
        return rc;
    print_key(args->words[1], key, args->json);
    if (!args->json)
        fputs("note: it is not shown again; clients send it as their API key\n", stderr);
    return RF_OK;
}

static enum rf_code revoke(struct rf_store *store, const struct rf_args *args, struct rf_err *err)
{
    enum rf_code rc = rf_client_key_revoke(store, args->words[1], err);
    if (rc == RF_ENOTFOUND)
        rf_say_hint(err, "\"refract keys list\" shows the keys that there are.");
    return rc;
}

/* Listing */

static void member_text(const char *name, struct rf_str text)
{
    printf(",\"%s\":", name);
    if (text.n)
        rf_print_json(stdout, text);
    else
        fputs("null", stdout);
}

static void member_limit(const char *name, int64_t n)
{
    if (n)
        printf(",\"%s\":%" PRId64, name, n);
    else
        printf(",\"%s\":null", name);
}

static void member_money(const char *name, int64_t micros)
{
    printf(",\"%s\":", name);
    rf_cost_json(stdout, micros);
}

static void member_time(const char *name, int64_t ms)
{
    char time[RF_SHORT_TEXT];
    if (ms)
        printf(",\"%s\":\"%s\"", name, rf_time_json(ms, time));
    else
        printf(",\"%s\":null", name);
}

static void print_as_json(void *ctx, const struct rf_client_key_info *k)
{
    (void)ctx;
    fputs("{\"name\":", stdout);
    rf_print_json(stdout, k->name);
    member_text("models", k->models);
    member_limit("rpm", k->requests_per_minute);
    member_limit("tpm", k->tokens_per_minute);
    member_limit("concurrent", k->concurrent);
    member_money("budget", k->budget_micros ? k->budget_micros : -1);
    member_money("spent", k->spent_micros);
    member_money("estimated", k->estimated_micros);
    printf(",\"requests\":%" PRId64 ",\"tokens\":%" PRId64 ",\"running\":%" PRId64, k->requests,
           k->tokens, k->running);
    printf(",\"admin\":%s", k->admin ? "true" : "false");
    member_time("created", k->created_ms);
    member_time("used", k->used_ms);
    member_time("revoked", k->revoked_ms);
    fputs("}\n", stdout);
}

enum { NAME, USED, REQUESTS, SPENT, MONEY, A_MINUTE, TOKENS, AT_ONCE, ALLOWED, COLUMNS };

struct row {
    char *cells[COLUMNS];
};

struct table {
    struct row *rows;
    size_t count, cap;
};

static const char *const heads[COLUMNS] = { "NAME", "USED", "REQUESTS", "SPENT", "BUDGET",
                                            "RPM",  "TPM",  "AT ONCE",  "MODELS" };

static char *keep(const char *text)
{
    return rf_text_copy(rf_text(text));
}

static char *limit_text(int64_t n)
{
    char number[RF_SHORT_TEXT];
    return keep(n ? rf_number_text(n, number) : "-");
}

static char *money_text(int64_t micros, const char *none)
{
    char money[RF_COST_MONEY];
    return keep(micros ? rf_cost_money(micros, money) : none);
}

static struct row *row_new(struct table *t)
{
    if (t->count == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 16;
        t->rows = reallocarray(t->rows, t->cap, sizeof *t->rows);
        if (!t->rows)
            abort();
    }
    return &t->rows[t->count++];
}

/* "anna (admin)" */
static char *name_text(const struct rf_client_key_info *k)
{
    char *name = NULL;
    if (!k->admin)
        return rf_text_copy(k->name);
    if (asprintf(&name, "%.*s (admin)", RF_FMT(k->name)) < 0)
        abort();
    return name;
}

static void gather(void *ctx, const struct rf_client_key_info *k)
{
    char short_text[RF_SHORT_TEXT];
    *row_new(ctx) = (struct row){ {
        [NAME] = name_text(k),
        [USED] = keep(k->revoked_ms ? "revoked"
                      : k->used_ms  ? rf_age_text(k->used_ms, short_text)
                                    : "never"),
        [REQUESTS] = keep(rf_number_text(k->requests, short_text)),
        [SPENT] = money_text(k->spent_micros, "$0"),
        [MONEY] = money_text(k->budget_micros, "-"),
        [A_MINUTE] = limit_text(k->requests_per_minute),
        [TOKENS] = limit_text(k->tokens_per_minute),
        [AT_ONCE] = limit_text(k->concurrent),
        [ALLOWED] = k->models.n ? rf_text_copy(k->models) : keep("all"),
    } };
}

static void print_table(const struct table *t)
{
    int widths[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++) {
        widths[c] = (int)strlen(heads[c]);
        for (size_t i = 0; i < t->count; i++) {
            int cells = rf_text_cells(rf_text(t->rows[i].cells[c]));
            widths[c] = cells > widths[c] ? cells : widths[c];
        }
    }
    for (size_t i = 0; i <= t->count; i++)
        for (size_t c = 0; c < COLUMNS; c++) {
            const char *cell = i ? t->rows[i - 1].cells[c] : heads[c];
            bool last = c + 1 == COLUMNS;
            rf_print_text(stdout, rf_text(cell));
            printf("%*s%s", last ? 0 : widths[c] - rf_text_cells(rf_text(cell)) + 2, "",
                   last ? "\n" : "");
        }
}

static void release(struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            free(t->rows[i].cells[c]);
    free(t->rows);
}

static enum rf_code list(struct rf_store *store, const struct rf_args *args, struct rf_err *err)
{
    struct table t = { 0 };
    enum rf_code rc = rf_client_key_list(store, args->json ? print_as_json : gather, &t, err);
    if (!rc && t.count)
        print_table(&t);
    else if (!rc && !args->json)
        fputs("note: there are no keys yet\n", stderr);
    release(&t);
    return rc;
}

/* The command */

#define TAKES(option) (1u << (option))

static const struct {
    size_t words; /* after it */
    unsigned options;
    enum rf_code (*run)(struct rf_store *store, const struct rf_args *args, struct rf_err *err);
} takes[ACTION_COUNT] = {
    [ADD] = { 1,
              TAKES(MODELS) | TAKES(RPM) | TAKES(TPM) | TAKES(CONCURRENT) | TAKES(BUDGET) |
                  TAKES(ADMIN) | TAKES(JSON),
              add },
    [LIST] = { 0, TAKES(JSON), list },
    [REVOKE] = { 1, TAKES(JSON), revoke },
};

static enum rf_code check(int action, const struct rf_args *args, struct rf_err *err)
{
    size_t words = args->word_count ? args->word_count - 1 : 0;
    const struct rf_action *a = &actions[action];
    if (words != takes[action].words) {
        if (words < takes[action].words)
            rf_say(err, RF_EUSAGE, "keys %s needs a name", a->name);
        else
            rf_say(err, RF_EUSAGE, "unexpected argument \"%s\"",
                   args->words[takes[action].words + 1]);
        rf_say_hint(err, "Usage: refract keys %s%s%s", a->name, a->arg ? " " : "",
                    a->arg ? a->arg : "");
        return RF_EUSAGE;
    }
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        if (!args->values[i] || (takes[action].options & TAKES(i)))
            continue;
        rf_say(err, RF_EUSAGE, "keys %s does not take --%s", a->name, options[i].name);
        rf_say_hint(err, "\"refract keys --help\" says what takes it.");
        return RF_EUSAGE;
    }
    return RF_OK;
}

static enum rf_code act(const struct rf_args *args, struct rf_err *err)
{
    struct rf_config *config = NULL;
    struct rf_store *store = NULL;
    int action = args->word_count ? rf_action_find(&rf_cmd_keys, args->words[0], err) : LIST;
    if (action < 0)
        return err->code;
    enum rf_code rc = check(action, args, err);
    if (!rc && !(rc = rf_project_open(&config, RF_PROJECT_NOTE, err)) &&
        !(rc = rf_store_open(config, &store, err)))
        rc = takes[action].run(store, args, err);
    rf_store_close(store);
    rf_config_close(config);
    return rc;
}

static int run(const struct rf_args *args)
{
    struct rf_err err;
    if (!act(args, &err))
        return 0;
    return args->json ? rf_report_as_json(&err) : rf_report(&err);
}

const struct rf_command rf_cmd_keys = {
    .name = "keys",
    .synopsis = "refract keys [ACTION [NAME]] [OPTION]...",
    .summary = "manage the keys of the gateway's clients",
    .about = "From the first key on, \"refract serve\" answers nobody without one. Each can be\n"
             "limited: in its models, in requests and tokens a minute, in requests at once and in\n"
             "money. Keys are kept in the store as hashes, and a gateway that runs sees a change\n"
             "within a second or so.\n",
    .actions = actions,
    .action_count = ACTION_COUNT,
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 2,
    .run = run,
};
