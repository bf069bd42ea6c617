#include "usable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include <refract/refract.h>

#include "choose.h"
#include "report.h"
#include "term/buffer.h"

#define MOST_PURPOSES 16
#define GAP 2
#define LEAST_TAKES 12 /* cells that say anything */

/* Words */

static bool holds(struct rf_str name, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= name.n; i++)
        if (strncasecmp(name.p + i, word, n) == 0)
            return true;
    return false;
}

bool rf_usable_fits(struct rf_str name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!holds(name, words[i]))
            return false;
    return true;
}

const char *rf_window_text(int64_t tokens, char out[RF_SHORT_TEXT])
{
    int64_t tenths = (tokens + 50000) / 100000;
    if (tokens <= 0)
        out[0] = '\0';
    else if (tokens < 1000)
        snprintf(out, RF_SHORT_TEXT, "%" PRId64, tokens);
    else if (tokens < 1000000)
        snprintf(out, RF_SHORT_TEXT, "%" PRId64 "k", (tokens + 500) / 1000);
    else if (tenths % 10)
        snprintf(out, RF_SHORT_TEXT, "%" PRId64 ".%" PRId64 "M", tenths / 10, tenths % 10);
    else
        snprintf(out, RF_SHORT_TEXT, "%" PRId64 "M", tenths / 10);
    return out;
}

const char *rf_dollars_text(int64_t micros, char out[RF_SHORT_TEXT])
{
    out[0] = '\0';
    if (micros <= 0)
        return out;
    size_t n = (size_t)snprintf(out, RF_SHORT_TEXT, "%" PRId64 ".%06" PRId64, micros / 1000000,
                                micros % 1000000);
    while (out[n - 1] == '0')
        n--;
    n -= out[n - 1] == '.';
    out[n] = '\0';
    return out;
}

static const struct {
    enum rf_takes bit;
    const char *word, *name; /* for people, and for programs */
} senses[] = {
    { RF_TAKES_IMAGES, "images", "images" }, { RF_TAKES_PDF, "PDF", "pdf" },
    { RF_TAKES_OFFICE, "office", "office" }, { RF_TAKES_AUDIO, "sound", "audio" },
    { RF_TAKES_VIDEO, "video", "video" },    { RF_TAKES_TOOLS, "tools", "tools" },
};
#define SENSES (sizeof senses / sizeof *senses)

const char *rf_takes_text(unsigned takes, char out[RF_TAKES_TEXT])
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < SENSES; i++)
        if (takes & senses[i].bit)
            n +=
                (size_t)snprintf(out + n, RF_TAKES_TEXT - n, "%s%s", n ? ", " : "", senses[i].word);
    return n ? out : "text alone";
}

const char *rf_usable_about(const struct rf_usable *m, char out[RF_ABOUT_TEXT])
{
    char window[RF_SHORT_TEXT], in[RF_SHORT_TEXT], price[RF_SHORT_TEXT], takes[RF_TAKES_TEXT];
    rf_window_text(m->context_tokens, window);
    rf_dollars_text(m->price_input, in);
    rf_dollars_text(m->price_output, price);
    snprintf(out, RF_ABOUT_TEXT, "%s%s%s%s%s%s%s%s%s%s%.*s", window, *window ? " window, " : "",
             *in ? "$" : "", in, *in ? " in, $" : "", *in ? price : "", *in ? " out, " : "",
             rf_takes_text(m->takes, takes), m->ends.n ? ", " : "",
             !m->ends.n                ? ""
             : rf_day_is_past(m->ends) ? "ended on "
                                       : "ends on ",
             RF_FMT(m->ends));
    return out;
}

/* Days of this form are in order as texts are. */
bool rf_day_is_past(struct rf_str day)
{
    char now[RF_SHORT_TEXT];
    return memcmp(day.p, rf_time_text((int64_t)time(NULL) * 1000, now), day.n) < 0;
}

/* What fits */

struct shown {
    const struct rf_usable **models; /* that converse */
    size_t count;
    struct {
        struct rf_str purpose;
        size_t count;
    } others[MOST_PURPOSES]; /* that do not */
    size_t purposes, other_count;
    int name_width, window_width, in_width, out_width;
};

static void count_other(struct shown *s, struct rf_str purpose)
{
    size_t i = 0;
    while (i < s->purposes && (s->others[i].purpose.n != purpose.n ||
                               memcmp(s->others[i].purpose.p, purpose.p, purpose.n) != 0))
        i++;
    s->other_count++;
    if (i == MOST_PURPOSES)
        return;
    s->purposes += i == s->purposes;
    s->others[i].purpose = purpose;
    s->others[i].count++;
}

static void widen(int *width, size_t n)
{
    *width = (int)n > *width ? (int)n : *width;
}

static void show(struct shown *s, const struct rf_usable *m)
{
    char text[RF_SHORT_TEXT];
    s->models[s->count++] = m;
    widen(&s->name_width, m->name.n);
    widen(&s->window_width, strlen(rf_window_text(m->context_tokens, text)));
    widen(&s->in_width, strlen(rf_dollars_text(m->price_input, text)));
    widen(&s->out_width, strlen(rf_dollars_text(m->price_output, text)));
}

static struct shown fitting(const struct rf_models *models, const char *const *words, size_t count)
{
    struct shown s = { .name_width = 5, .window_width = 6, .in_width = 4, .out_width = 5 };
    s.models = calloc(rf_models_count(models) + 1, sizeof(struct rf_usable *));
    for (size_t i = 0; s.models && i < rf_models_count(models); i++) {
        const struct rf_usable *m = rf_models_get(models, i);
        if (!rf_usable_fits(m->name, words, count))
            continue;
        if (m->purpose.n)
            count_other(&s, m->purpose);
        else
            show(&s, m);
    }
    return s;
}

/* For people */

#define WIDEST 10000 /* cells of a line that no terminal ends */

static int line_width(void)
{
    return isatty(STDOUT_FILENO) ? rf_text_columns() : WIDEST;
}

static void add_ending(struct rf_buffer *b, const struct rf_usable *m)
{
    if (m->ends.n)
        rf_buffer_print(b, "; %s on %.*s", rf_day_is_past(m->ends) ? "ended" : "ends",
                        RF_FMT(m->ends));
}

/* Cells before what it takes. */
static int columns_of(const struct shown *s)
{
    return s->name_width + s->window_width + s->in_width + s->out_width + 4 * GAP;
}

static bool is_narrow(const struct shown *s)
{
    return line_width() < columns_of(s) + LEAST_TAKES;
}

static void row_text(const struct shown *s, const struct rf_usable *m)
{
    char window[RF_SHORT_TEXT], in[RF_SHORT_TEXT], out[RF_SHORT_TEXT], takes[RF_TAKES_TEXT];
    struct rf_buffer b = { 0 };
    rf_print_text(stdout, m->name);
    printf("%*s%*s  %*s  %*s  ", s->name_width - (int)m->name.n + GAP, "", s->window_width,
           rf_window_text(m->context_tokens, window), s->in_width,
           rf_dollars_text(m->price_input, in), s->out_width,
           rf_dollars_text(m->price_output, out));
    rf_buffer_text(&b, rf_takes_text(m->takes, takes));
    add_ending(&b, m);
    rf_print_cut(stdout, rf_buffer_view(&b), line_width() - columns_of(s));
    putchar('\n');
    rf_buffer_release(&b);
}

/* A terminal that has no room for columns. */
static void row_narrow(const struct rf_usable *m)
{
    char text[RF_SHORT_TEXT], takes[RF_TAKES_TEXT];
    struct rf_buffer b = { 0 };
    rf_print_text(stdout, m->name);
    putchar('\n');
    rf_buffer_text(&b, rf_takes_text(m->takes, takes));
    if (m->context_tokens > 0)
        rf_buffer_print(&b, "; window %s", rf_window_text(m->context_tokens, text));
    if (m->price_input > 0)
        rf_buffer_print(&b, "; $%s in", rf_dollars_text(m->price_input, text));
    if (m->price_output > 0)
        rf_buffer_print(&b, "; $%s out", rf_dollars_text(m->price_output, text));
    add_ending(&b, m);
    rf_print_wrapped(stdout, rf_buffer_view(&b), GAP, line_width(), 0);
    rf_buffer_release(&b);
}

static void others_text(const struct shown *s)
{
    struct rf_buffer b = { 0 };
    if (!s->other_count)
        return;
    rf_buffer_print(&b, "%zu more %s left out, since %s not converse: ", s->other_count,
                    s->other_count == 1 ? "is" : "are",
                    s->other_count == 1 ? "it does" : "they do");
    for (size_t i = 0; i < s->purposes; i++)
        rf_buffer_print(&b, "%s%zu %.*s", i ? ", " : "", s->others[i].count,
                        RF_FMT(s->others[i].purpose));
    rf_print_wrapped(stdout, rf_buffer_view(&b), 0, line_width(), 0);
    rf_buffer_release(&b);
}

static const char *configured_as(const struct rf_config *c, struct rf_str name, char *out,
                                 size_t size)
{
    struct rf_model *m;
    struct rf_err unseen;
    char *copy = rf_text_copy(name);
    out[0] = '\0';
    if (!rf_model_open(c, copy, &m, &unseen)) {
        rf_choose_name(rf_model_provider(m), rf_model_name(m), out, size);
        rf_model_close(m);
    }
    free(copy);
    return out;
}

/* `model` is what stands behind it. */
static bool configured_fits(struct rf_str name, const char *model, const char *const *words,
                            size_t count)
{
    return rf_usable_fits(name, words, count) || rf_usable_fits(rf_text(model), words, count);
}

bool rf_usable_any(const struct rf_config *c, const struct rf_models *models,
                   const char *const *words, size_t count)
{
    char model[512];
    for (size_t i = 0; i < rf_models_count(models); i++)
        if (rf_usable_fits(rf_models_get(models, i)->name, words, count))
            return true;
    for (size_t i = 0; i < rf_config_model_count(c); i++) {
        struct rf_str name = rf_config_model_name(c, i);
        if (configured_fits(name, configured_as(c, name, model, sizeof model), words, count))
            return true;
    }
    return false;
}

/* The names of the configuration, with the model behind each. */
static void configured_text(const struct rf_config *c, const char *const *words, size_t count)
{
    char model[512];
    size_t shown = 0;
    for (size_t i = 0; i < rf_config_model_count(c); i++) {
        struct rf_str name = rf_config_model_name(c, i);
        configured_as(c, name, model, sizeof model);
        if (strcmp(model, name.p) == 0 || !configured_fits(name, model, words, count))
            continue;
        rf_print_text(stdout, name);
        printf(" is ");
        rf_print_text(stdout, rf_text(*model ? model : "a name that cannot be used"));
        putchar('\n');
        shown++;
    }
    if (shown)
        putchar('\n');
}

static void say_missing(const struct rf_listed_provider *p, int width)
{
    char *name = rf_text_copy(p->provider), day[RF_SHORT_TEXT];
    struct rf_buffer b = { 0 };
    bool unset = p->state == RF_LIST_NO_KEY && *p->why->hint;
    rf_buffer_print(&b, "%s%s", unset ? "not set up: " : "", unset ? p->why->hint : p->why->msg);
    if (p->fetched && p->state == RF_LIST_FAILED)
        rf_buffer_print(&b, "; the list above is of %.10s", rf_time_text(p->fetched * 1000, day));
    rf_print_beside(stdout, name, rf_buffer_view(&b), width + GAP, line_width());
    rf_buffer_release(&b);
    free(name);
}

/* Is it said that a provider is not listed? Whoever looked for words and found some wants to know
 * of a list that failed to come, and of a provider that they name. */
static bool is_missed(const struct rf_listed_provider *p, const char *const *words, size_t count)
{
    bool named = !count || p->state == RF_LIST_FAILED;
    for (size_t i = 0; i < count; i++)
        named |= holds(p->provider, words[i]);
    return p->why && named;
}

static void missing_text(const struct rf_models *models, const char *const *words, size_t count)
{
    int width = 0;
    for (size_t i = 0; i < rf_models_provider_count(models); i++)
        if (is_missed(rf_models_provider(models, i), words, count))
            widen(&width, rf_models_provider(models, i)->provider.n);
    if (!width)
        return;
    rf_print_wrapped(stdout, rf_text("NOT LISTED, OR NOT ALL OF IT"), 0, line_width(), 0);
    for (size_t i = 0; i < rf_models_provider_count(models); i++)
        if (is_missed(rf_models_provider(models, i), words, count))
            say_missing(rf_models_provider(models, i), width);
}

static void list_text(const struct rf_config *config, const struct rf_models *models,
                      const struct shown *s, const char *const *words, size_t count)
{
    bool narrow = is_narrow(s);
    configured_text(config, words, count);
    if (s->count && !narrow)
        printf("%-*s  %*s  %*s  %*s  %s\n", s->name_width, "MODEL", s->window_width, "WINDOW",
               s->in_width, "$ IN", s->out_width, "$ OUT", "TAKES");
    for (size_t i = 0; i < s->count; i++)
        if (narrow)
            row_narrow(s->models[i]);
        else
            row_text(s, s->models[i]);
    others_text(s);
    if (s->count || s->other_count)
        putchar('\n');
    missing_text(models, words, rf_usable_any(config, models, words, count) ? count : 0);
}

/* For programs */

static void text_member(const char *name, struct rf_str text)
{
    printf("\"%s\":", name);
    rf_print_json(stdout, text);
}

static void number_member(const char *name, int64_t n)
{
    if (n > 0)
        printf(",\"%s\":%" PRId64, name, n);
}

static void price_member(const char *name, int64_t micros)
{
    char text[RF_SHORT_TEXT];
    if (micros > 0)
        printf(",\"%s\":%s", name, rf_dollars_text(micros, text));
}

static void model_json(const struct rf_usable *m, bool first)
{
    const char *comma = "";
    printf("%s{", first ? "" : ",");
    text_member("name", m->name);
    putchar(',');
    text_member("provider", m->provider);
    putchar(',');
    text_member("model", m->model);
    printf(",\"takes\":[");
    for (size_t i = 0; i < SENSES; i++)
        if (m->takes & senses[i].bit) {
            printf("%s\"%s\"", comma, senses[i].name);
            comma = ",";
        }
    putchar(']');
    number_member("context_tokens", m->context_tokens);
    price_member("price_input", m->price_input);
    price_member("price_output", m->price_output);
    number_member("created", m->created);
    if (m->purpose.n) {
        putchar(',');
        text_member("purpose", m->purpose);
    }
    if (m->ends.n) {
        putchar(',');
        text_member("ends", m->ends);
    }
    putchar('}');
}

static void list_json(const struct rf_config *config, const struct rf_models *models,
                      const char *const *words, size_t count, const struct rf_err *failed)
{
    static const char *const states[] = {
        [RF_LIST_FETCHED] = "fetched",       [RF_LIST_KEPT] = "kept",
        [RF_LIST_NO_KEY] = "no_key",         [RF_LIST_NO_SERVER] = "no_server",
        [RF_LIST_WELL_KNOWN] = "well_known", [RF_LIST_FAILED] = "failed"
    };
    bool first = true;
    printf("{\"models\":[");
    for (size_t i = 0; i < rf_models_count(models); i++) {
        const struct rf_usable *m = rf_models_get(models, i);
        if (!rf_usable_fits(m->name, words, count))
            continue;
        model_json(m, first);
        first = false;
    }
    printf("],\"configured\":[");
    for (size_t i = 0; i < rf_config_model_count(config); i++) {
        char model[512];
        struct rf_str name = rf_config_model_name(config, i);
        printf("%s{", i ? "," : "");
        text_member("name", name);
        putchar(',');
        text_member("model", rf_text(configured_as(config, name, model, sizeof model)));
        putchar('}');
    }
    printf("],\"providers\":[");
    for (size_t i = 0; i < rf_models_provider_count(models); i++) {
        const struct rf_listed_provider *p = rf_models_provider(models, i);
        printf("%s{", i ? "," : "");
        text_member("name", p->provider);
        printf(",\"state\":\"%s\"", states[p->state]);
        number_member("fetched", p->fetched);
        if (p->why) {
            printf(",\"error\":");
            rf_print_error(stdout, p->why);
        }
        putchar('}');
    }
    putchar(']');
    if (failed) {
        printf(",\"error\":");
        rf_print_error(stdout, failed);
    }
    printf("}\n");
}

/* Did all that were asked fail? The first failure then. */
static const struct rf_err *why_none_came(const struct rf_models *models)
{
    const struct rf_err *why = NULL;
    for (size_t i = 0; i < rf_models_provider_count(models); i++) {
        const struct rf_listed_provider *p = rf_models_provider(models, i);
        if (p->fetched)
            return NULL;
        if (p->state == RF_LIST_FAILED && !why)
            why = p->why;
    }
    return why;
}

enum rf_code rf_usable_print(const struct rf_config *config, const struct rf_models *models,
                             const char *const *words, size_t word_count, bool json,
                             const struct rf_err *none, struct rf_err *err)
{
    struct shown s = fitting(models, words, word_count);
    const struct rf_err *why = why_none_came(models);
    why = why ? why : none;
    if (json)
        list_json(config, models, words, word_count, why);
    else
        list_text(config, models, &s, words, word_count);
    free(s.models);
    if (!why)
        return RF_OK;
    *err = *why;
    return why->code;
}
