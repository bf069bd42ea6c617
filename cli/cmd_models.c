/* refract models: which models can be used here, which providers and families are known, and all
 * that is known of one model. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "advice.h"
#include "choose.h"
#include "command.h"
#include "project.h"
#include "report.h"
#include "text.h"
#include "usable.h"

enum { REFRESH, KNOWN, FORGET, JSON, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [REFRESH] = { "refresh", 0, NULL, "ask the providers again, however old their lists are" },
    [KNOWN] = { "known", 0, NULL, "list the providers and families of the catalogue instead" },
    [FORGET] = { "forget", 0, "WHAT", "forget what was learned: MODEL, MODEL:FACT or all" },
    [JSON] = { "json", 0, NULL, "print for a program, errors too" },
};

#define LINE_WIDTH 100
#define NARROW 50      /* columns that are too few for a table */
#define LEAST_HELP 12  /* cells that say anything */
#define VALUE_WIDTH 24 /* longer lists are broken at their commas */

static int widest(const char *(*name)(size_t i), size_t count)
{
    size_t width = 0;
    for (size_t i = 0; i < count; i++)
        if (strlen(name(i)) > width)
            width = strlen(name(i));
    return (int)width;
}

static bool is(struct rf_str s, const char *word)
{
    return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

/* As JSON has it: 0, 12, 0.15. */
static bool is_number(struct rf_str s)
{
    size_t point = s.n;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '.' && point == s.n)
            point = i;
        else if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    }
    return point > 0 && point + 1 != s.n && (point == 1 || s.p[0] != '0');
}

static void value_json(struct rf_str value)
{
    if (is(value, "yes") || is(value, "no"))
        printf("%s", is(value, "yes") ? "true" : "false");
    else if (is_number(value))
        printf("%.*s", RF_FMT(value));
    else
        rf_print_json(stdout, value);
}

/* The list of all. */

static int line_width(void)
{
    int columns = isatty(STDOUT_FILENO) ? rf_text_columns() : LINE_WIDTH;
    return columns < LINE_WIDTH ? columns : LINE_WIDTH;
}

/* Words with commas between them, broken before the line is full; `column` is where they start. */
struct words {
    int column, at;
};

static void add_word(struct words *w, struct rf_str word)
{
    if (w->at > w->column) {
        bool breaks = w->at + 2 + (int)word.n + 1 > line_width(); /* and a comma */
        printf(breaks ? ",\n%*s" : ", ", w->column, "");
        w->at = breaks ? w->column : w->at + 2;
    }
    rf_print_text(stdout, word);
    w->at += (int)word.n;
}

static void learned_text(const struct rf_learned *l)
{
    if (!rf_learned_count(l))
        return;
    printf("\nLEARNED\n");
    for (size_t i = 0; i < rf_learned_count(l); i++) {
        const struct rf_str parts[] = { rf_learned_provider(l, i), rf_learned_model(l, i),
                                        rf_learned_fact(l, i), rf_learned_value(l, i),
                                        rf_learned_date(l, i) };
        static const char *const between[] = { ":", "  ", " ", "  ", "" };
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            rf_print_text(stdout, parts[p]);
            fputs(between[p], stdout);
        }
        if (rf_learned_address(l, i).n) {
            fputs("  at ", stdout);
            rf_print_text(stdout, rf_learned_address(l, i));
        }
        putchar('\n');
    }
}

static void ended_text(void)
{
    const char *providers = "";
    struct words w = { 0 };
    printf("\nPAST THEIR END");
    for (size_t i = 0; i < rf_ending_count(); i++) {
        if (!rf_day_is_past(rf_text(rf_ending_day(i))))
            continue;
        if (strcmp(providers, rf_ending_providers(i)) != 0) {
            providers = rf_ending_providers(i);
            printf("\n%s\n  ", providers);
            w = (struct words){ 2, 2 };
        }
        add_word(&w, rf_text(rf_ending_pattern(i)));
    }
    putchar('\n');
}

/* Not asked, but given results: told after those that are. */
static void hosts_text(int width)
{
    struct words w = { width ? width + 2 : 2, width ? width + 2 : 2 };
    printf("\nHOSTS OF MCP TOOLS\n%-*s%s", width, "mcp", width ? "  " : "\n  ");
    for (size_t i = 0; i < rf_host_count(); i++)
        add_word(&w, rf_text(rf_host_name(i)));
    add_word(&w, rf_text("any other"));
    putchar('\n');
}

static void list_text(const struct rf_config *c, const struct rf_learned *l)
{
    int width = widest(rf_provider_name, rf_provider_count());
    bool narrow = line_width() < NARROW;
    printf("%-*s%s%s\n", narrow ? 0 : width, "PROVIDER", narrow ? ", " : "  ", "FAMILIES");
    for (size_t i = 0; i < rf_provider_count(); i++) {
        const char *provider = rf_provider_name(i);
        struct words w = { narrow ? 2 : width + 2, narrow ? 2 : width + 2 };
        printf("%-*s%s", narrow ? 0 : width, provider, narrow ? "\n  " : "  ");
        for (size_t f = 0; f < rf_family_count(); f++)
            if (strcmp(rf_family_provider(f), provider) == 0)
                add_word(&w, rf_text(rf_family_pattern(f)));
        add_word(&w, rf_text("any other"));
        putchar('\n');
    }
    hosts_text(narrow ? 0 : width);
    if (rf_config_model_count(c)) {
        struct words w = { 0 };
        printf("\nNAMES OF THE CONFIGURATION\n");
        for (size_t i = 0; i < rf_config_model_count(c); i++)
            add_word(&w, rf_config_model_name(c, i));
        putchar('\n');
    }
    ended_text();
    learned_text(l);
}

static void member(const char *name, struct rf_str text)
{
    printf("%s\"%s\":", strcmp(name, "provider") == 0 ? "{" : ",", name);
    rf_print_json(stdout, text);
}

static void learned_json(const struct rf_learned *l)
{
    printf("\"learned\":[");
    for (size_t i = 0; i < rf_learned_count(l); i++) {
        printf("%s", i ? "," : "");
        member("provider", rf_learned_provider(l, i));
        member("model", rf_learned_model(l, i));
        member("fact", rf_learned_fact(l, i));
        printf(",\"value\":");
        value_json(rf_learned_value(l, i));
        member("date", rf_learned_date(l, i));
        member("words", rf_learned_words(l, i));
        member("address", rf_learned_address(l, i));
        member("source", rf_text(rf_fact_source_name(rf_learned_source(l, i))));
        putchar('}');
    }
    printf("]");
}

static void list_json(const struct rf_config *c, const struct rf_learned *l)
{
    printf("{\"providers\":[");
    for (size_t i = 0; i < rf_provider_count(); i++) {
        const char *provider = rf_provider_name(i), *comma = "";
        printf("%s{\"name\":", i ? "," : "");
        rf_print_json(stdout, rf_text(provider));
        printf(",\"families\":[");
        for (size_t f = 0; f < rf_family_count(); f++) {
            if (strcmp(rf_family_provider(f), provider) != 0)
                continue;
            printf("%s", comma);
            rf_print_json(stdout, rf_text(rf_family_pattern(f)));
            comma = ",";
        }
        printf("]}");
    }
    printf("],\"hosts\":[");
    for (size_t i = 0; i < rf_host_count(); i++) {
        printf("%s", i ? "," : "");
        rf_print_json(stdout, rf_text(rf_host_name(i)));
    }
    printf("],\"configured\":[");
    for (size_t i = 0; i < rf_config_model_count(c); i++) {
        printf("%s", i ? "," : "");
        rf_print_json(stdout, rf_config_model_name(c, i));
    }
    printf("],\"ending\":[");
    for (size_t i = 0; i < rf_ending_count(); i++)
        printf("%s{\"providers\":\"%s\",\"models\":\"%s\",\"day\":\"%s\"}", i ? "," : "",
               rf_ending_providers(i), rf_ending_pattern(i), rf_ending_day(i));
    printf("],");
    learned_json(l);
    printf("}\n");
}

/* One model. */

static struct rf_str cut_item(struct rf_str *list)
{
    const char *comma = memchr(list->p, ',', list->n);
    struct rf_str item = { list->p, comma ? (size_t)(comma - list->p) + 1 : list->n };
    list->p += item.n;
    list->n -= item.n;
    return item;
}

static void pad(size_t used, int width)
{
    printf("%*s", used < (size_t)width ? width - (int)used : 0, "");
}

/* "catalogue", "learned 2026-11-15". Returns the width. */
static int source_text(const struct rf_model *m, size_t i)
{
    const char *source = rf_fact_source_name(rf_model_fact_source(m, i));
    struct rf_str date = rf_model_fact_date(m, i);
    fputs(source, stdout);
    if (!date.n)
        return (int)strlen(source);
    putchar(' ');
    rf_print_text(stdout, date);
    return (int)(strlen(source) + 1 + date.n);
}

static int source_width_of(const struct rf_model *m)
{
    int width = (int)strlen(rf_fact_source_name(RF_FACT_CATALOGUE));
    for (size_t i = 0; i < rf_fact_count(); i++) {
        size_t date = rf_model_fact_date(m, i).n;
        size_t needed = strlen(rf_fact_source_name(rf_model_fact_source(m, i))) + 1 + date;
        if (date && needed > (size_t)width)
            width = (int)needed;
    }
    return width;
}

/* The words that taught it, below the table. */
static void lessons_text(const struct rf_model *m)
{
    bool first = true;
    for (size_t i = 0; i < rf_fact_count(); i++) {
        struct rf_str words = rf_model_fact_words(m, i);
        if (!words.n)
            continue;
        printf("%s%s was learned from: ", first ? "\n" : "", rf_fact_name(i));
        rf_print_text(stdout, words);
        putchar('\n');
        first = false;
    }
}

/* On a terminal, cells that a line has left; 0 where they are too few for anything. */
static int line_left(int used)
{
    int left = isatty(STDOUT_FILENO) ? rf_text_columns() - used : LINE_WIDTH;
    return left < LEAST_HELP ? 0 : left;
}

/* The value for people: a 0 that says that nothing is known does not read as none allowed. */
static struct rf_str shown_value(struct rf_model *m, size_t i)
{
    struct rf_str value = rf_model_fact(m, i);
    if (value.n != 1 || value.p[0] != '0')
        return value;
    if (rf_model_fact_source(m, i) == RF_FACT_UNKNOWN)
        return rf_text("not known");
    return strncmp(rf_fact_name(i), "max_", 4) == 0 ? rf_text("no limit") : value;
}

/* A terminal that has no room for columns. */
static void fact_narrow(struct rf_model *m, size_t i)
{
    printf("%s: ", rf_fact_name(i));
    rf_print_text(stdout, shown_value(m, i));
    fputs(" (", stdout);
    source_text(m, i);
    fputs(")\n", stdout);
}

/* A value that does not fit its column goes on below it, an item a line. */
static void fact_text(struct rf_model *m, size_t i, int name_width, int source_width)
{
    struct rf_str rest = shown_value(m, i), first = { "", 0 };
    if (rest.n <= VALUE_WIDTH) {
        first = rest;
        rest.n = 0;
    } else {
        struct rf_str peek = rest, item = cut_item(&peek);
        if (item.n <= VALUE_WIDTH) {
            first = item;
            rest = peek;
        }
    }
    printf("%-*s  ", name_width, rf_fact_name(i));
    rf_print_text(stdout, first);
    pad(first.n, VALUE_WIDTH);
    fputs("  ", stdout);
    pad((size_t)source_text(m, i), source_width);
    int left = line_left(name_width + VALUE_WIDTH + source_width + 3 * 2);
    if (left) {
        fputs("  ", stdout);
        rf_print_cut(stdout, rf_text(rf_fact_help(i)), left);
    }
    putchar('\n');
    while (rest.n) {
        printf("%*s  ", name_width, "");
        rf_print_text(stdout, cut_item(&rest));
        putchar('\n');
    }
}

static void model_text(struct rf_model *m)
{
    int name_width = widest(rf_fact_name, rf_fact_count());
    int source_width = source_width_of(m);
    struct rf_str family = rf_model_family(m);
    rf_print_text(stdout, rf_model_provider(m));
    putchar(':');
    rf_print_text(stdout, rf_model_name(m));
    if (family.n)
        printf(", of the family %.*s\n\n", RF_FMT(family));
    else
        printf(", which no family of the catalogue matches\n\n");
    bool narrow = line_width() < name_width + VALUE_WIDTH + source_width + 2 * 2;
    if (!narrow)
        printf("%-*s  %-*s  %-*s%s\n", name_width, "FACT", VALUE_WIDTH, "VALUE", source_width,
               "SOURCE",
               line_left(name_width + VALUE_WIDTH + source_width + 3 * 2) ? "  WHAT IT SAYS" : "");
    for (size_t i = 0; i < rf_fact_count(); i++)
        if (narrow)
            fact_narrow(m, i);
        else
            fact_text(m, i, name_width, source_width);
    lessons_text(m);
}

static void model_json(struct rf_model *m)
{
    struct rf_str family = rf_model_family(m);
    printf("{\"provider\":");
    rf_print_json(stdout, rf_model_provider(m));
    printf(",\"model\":");
    rf_print_json(stdout, rf_model_name(m));
    printf(",\"family\":");
    rf_print_json(stdout, family);
    if (rf_model_ends(m).n)
        member("ends", rf_model_ends(m));
    printf(",\"known\":%s,\"facts\":{", family.n ? "true" : "false");
    for (size_t i = 0; i < rf_fact_count(); i++) {
        printf("%s", i ? "," : "");
        rf_print_json(stdout, rf_text(rf_fact_name(i)));
        printf(":{\"value\":");
        value_json(rf_model_fact(m, i));
        printf(",\"source\":");
        rf_print_json(stdout, rf_text(rf_fact_source_name(rf_model_fact_source(m, i))));
        if (rf_model_fact_date(m, i).n) {
            member("date", rf_model_fact_date(m, i));
            member("words", rf_model_fact_words(m, i));
        }
        printf("}");
    }
    printf("}}\n");
}

/* `shown` is the name that the user knows it by. */
static void warn_of_end(const struct rf_model *m, struct rf_str shown)
{
    struct rf_str day = rf_model_ends(m);
    if (!day.n)
        return;
    fprintf(stderr, "%s: ", rf_day_is_past(day) ? "warning" : "note");
    rf_print_text(stderr, shown);
    fprintf(stderr, " %s on %.*s, as its vendor says\n", rf_day_is_past(day) ? "ended" : "ends",
            RF_FMT(day));
}

static enum rf_code print_model(const struct rf_args *args, const struct rf_config *c,
                                struct rf_err *err)
{
    struct rf_model *m;
    enum rf_code rc = rf_model_open(c, args->words[0], &m, err);
    if (rc)
        return rc;
    rf_warn(rf_model_problem(m));
    rf_choose_tell(m);
    if (rf_model_meant_name(m).n) {
        fputs("note: the catalogue does not know this model; did you mean ", stderr);
        rf_print_text(stderr, rf_model_meant_name(m));
        fputs("?\n", stderr);
    }
    warn_of_end(m, rf_text(args->words[0]));
    (args->json ? model_json : model_text)(m);
    rf_model_close(m);
    return RF_OK;
}

static enum rf_code print_known(const struct rf_args *args, const struct rf_config *c,
                                struct rf_err *err)
{
    struct rf_learned *l;
    if (args->word_count) {
        rf_say(err, RF_EUSAGE, "--known lists all, and \"%s\" is one word more", args->words[0]);
        return RF_EUSAGE;
    }
    enum rf_code rc = rf_learned_open(c, &l, err);
    if (rc)
        return rc;
    rf_warn(rf_learned_problem(l));
    for (size_t i = 0; i < rf_config_model_count(c); i++) {
        struct rf_model *m;
        if (rf_model_open(c, rf_config_model_name(c, i).p, &m, NULL))
            continue; /* whoever uses it is told */
        warn_of_end(m, rf_config_model_name(c, i));
        rf_model_close(m);
    }
    (args->json ? list_json : list_text)(c, l);
    rf_learned_close(l);
    return RF_OK;
}

/* A whole name, one of the configuration, or a provider that is its own model; the rest are words
 * to look for. */
static bool is_name(const struct rf_config *c, const char *word)
{
    bool named = strchr(word, ':') || rf_choose_is_model(word);
    for (size_t i = 0; !named && i < rf_config_model_count(c); i++)
        named = is(rf_config_model_name(c, i), word);
    return named;
}

/* All of a model's own name, without its provider: as listed, or where nothing is, as known. */
static bool is_own_name(const struct rf_models *models, const struct rf_config *c, const char *word)
{
    struct rf_model *m;
    for (size_t i = 0; i < rf_models_count(models); i++)
        if (is(rf_models_get(models, i)->model, word))
            return true;
    if (rf_model_open(c, word, &m, NULL))
        return false;
    bool own = is(rf_model_name(m), word);
    rf_model_close(m);
    return own;
}

/* No name that is listed holds the words: which one a single word would stand for, or is near. */
static void say_none_fits(const struct rf_config *c, const struct rf_args *args, struct rf_err *err)
{
    struct rf_err open = { 0 };
    struct rf_model *m;
    char name[512], words[512] = "";
    for (size_t i = 0, n = 0; i < args->word_count && n < sizeof words; i++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s\"%s\"", i ? " and " : "",
                              args->words[i]);
    rf_say(err, RF_EUSAGE, "no model that is listed has %s in its name", words);
    if (args->word_count > 1)
        return;
    if (rf_model_open(c, args->words[0], &m, &open)) {
        rf_say_hint(err, "%s", open.hint);
        return;
    }
    rf_choose_name(rf_model_provider(m), rf_model_name(m), name, sizeof name);
    rf_say_hint(err, "\"refract models %s\" shows what is known of that one.", name);
    rf_model_close(m);
}

/* `*told`: the list says what failed. */
static enum rf_code print_usable(const struct rf_args *args, const struct rf_config *c, bool *told,
                                 struct rf_err *err)
{
    const struct rf_models_options what = { .size = sizeof what,
                                            .config = c,
                                            .refresh = args->values[REFRESH] != NULL };
    struct rf_network *network = rf_network_new();
    struct rf_models *models = NULL;
    enum rf_code rc = rf_models_fetch(network, &what, &models, err);
    rf_network_free(network);
    if (!rc && args->word_count == 1 && is_own_name(models, c, args->words[0])) {
        rc = print_model(args, c, err);
    } else if (!rc) {
        struct rf_err none;
        bool fits = !args->word_count || rf_usable_any(c, models, args->words, args->word_count);
        if (!fits)
            say_none_fits(c, args, &none);
        rc = rf_usable_print(c, models, args->words, args->word_count, args->json,
                             fits ? NULL : &none, err);
        *told = args->json;
    }
    rf_models_close(models);
    return rc;
}

static enum rf_code forget(const struct rf_args *args, const struct rf_config *c,
                           struct rf_err *err)
{
    struct rf_learned *l = NULL;
    size_t count;
    if (args->word_count) {
        rf_say(err, RF_EUSAGE, "--forget takes the model, and \"%s\" is one more", args->words[0]);
        return RF_EUSAGE;
    }
    enum rf_code rc = rf_learned_open(c, &l, err);
    if (!rc)
        rf_warn(rf_learned_problem(l));
    if (!rc)
        rc = rf_learned_forget(c, args->values[FORGET], &count, err);
    rf_learned_close(l);
    if (rc)
        return rc;
    if (args->json)
        printf("{\"forgotten\":%zu}\n", count);
    else if (!count)
        fputs("note: there is nothing to forget\n", stderr);
    else
        fprintf(stderr, "note: %zu learned fact%s forgotten\n", count, count == 1 ? "" : "s");
    return RF_OK;
}

static int run(const struct rf_args *args)
{
    struct rf_config *c = NULL;
    struct rf_err err;
    bool told = false;
    enum rf_code rc = rf_project_open(&c, RF_PROJECT_NOTE, &err);
    if (!rc)
        rc = args->values[FORGET]  ? forget(args, c, &err)
             : args->values[KNOWN] ? print_known(args, c, &err)
             : args->word_count == 1 && is_name(c, args->words[0])
                 ? print_model(args, c, &err)
                 : print_usable(args, c, &told, &err);
    int status = !rc          ? 0
                 : told       ? rf_exit_status(rc)
                 : args->json ? rf_report_as_json(&err)
                              : rf_report(&err);
    rf_config_close(c);
    return status;
}

const struct rf_command rf_cmd_models = {
    .name = "models",
    .synopsis = "refract models [MODEL | WORD...] [--refresh] [--known] [--forget WHAT] [--json]",
    .summary = "list the models that can be used here, and what is known of one",
    .about =
        "Lists the models that can be used here: of every provider that a key is set for, and\n"
        "of an Ollama or LiteLLM that answers, with the window, the prices in dollars for a\n"
        "million tokens, and what each takes. With WORDs, those whose name holds all of them.\n"
        "Lists are kept for a day. What has no key or cannot be reached is told below.\n"
        "\n"
        "With MODEL, every fact about it: what the configuration overrides, what was learned,\n"
        "what the provider's list, the catalogue and the provider's defaults say, and what is\n"
        "unknown. What was learned from refusals is shown with its date, and can be forgotten.\n"
        "Models that their vendors have ended, or will end, are told.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = RF_ANY_WORDS,
    .arg = "MODEL",
    .run = run,
};
