/* refract doctor: what works here, and what to do about the rest. */
#include <inttypes.h>

#include <refract/refract.h>

#include "command.h"
#include "report.h"
#include "stored.h"

enum { JSON, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [JSON] = { "json", 0, NULL, "print for a program: a JSON line for each thing" },
};

#define AREA_WIDTH 8
#define NAME_WIDTH 10

static void say(void *context, const struct rf_finding *f)
{
    static const char *const marks[] = {
        [RF_HEALTH_GOOD] = "+",
        [RF_HEALTH_PARTLY] = "!",
        [RF_HEALTH_MISSING] = "x",
    };
    (void)context;
    printf("%s %-*s %-*s ", marks[f->health], AREA_WIDTH, f->area, NAME_WIDTH, f->name);
    rf_print_text(stdout, rf_text(f->what));
    putchar('\n');
    if (f->hint[0]) {
        printf("%*s", AREA_WIDTH + NAME_WIDTH + 4, "");
        rf_print_text(stdout, rf_text(f->hint));
        putchar('\n');
    }
}

static void say_json(void *context, const struct rf_finding *f)
{
    (void)context;
    const char *names[] = { "area", "name", "health", "what", "hint" };
    const char *values[] = { f->area, f->name, rf_health_name(f->health), f->what, f->hint };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        printf("%s\"%s\":", i ? "," : "{", names[i]);
        rf_print_json(stdout, rf_text(values[i]));
    }
    printf("}\n");
}

static void count(void *context, const struct rf_session_info *info)
{
    (void)info;
    ++*(int64_t *)context;
}

/* Can sessions be kept? Opening the store makes it, where it is not there yet. */
static bool check_store(const struct rf_config *config,
                        void (*found)(void *context, const struct rf_finding *f))
{
    struct rf_stored s = { 0 };
    struct rf_err err = { 0 };
    struct rf_finding f = { .area = "store", .name = "sessions", .hint = "" };
    char sessions[64];
    int64_t all = 0;
    bool good = !rf_stored_open(&s, config, &err);
    if (s.store)
        f.name = rf_store_place(s.store);
    good = good && !rf_store_list(s.store, 0, count, &all, &err);
    snprintf(sessions, sizeof sessions, "%" PRId64 " session%s", all, all == 1 ? "" : "s");
    f.health = good ? RF_HEALTH_GOOD : RF_HEALTH_MISSING;
    f.what = good ? sessions : err.msg;
    f.hint = good ? "" : err.hint;
    found(NULL, &f);
    rf_stored_close(&s);
    return good;
}

static int run(const struct rf_args *args)
{
    void (*found)(void *context, const struct rf_finding *f) = args->json ? say_json : say;
    struct rf_config *config;
    struct rf_err err;
    if (rf_config_open(&config, &err))
        return args->json ? rf_report_as_json(&err) : rf_report(&err);
    size_t missing = rf_doctor(rf_config_cache_folder(config), found, NULL);
    bool kept = check_store(config, found);
    rf_config_close(config);
    return missing || !kept ? rf_code_exit(RF_ECONFIG) : 0;
}

const struct rf_command rf_cmd_doctor = {
    .name = "doctor",
    .synopsis = "refract doctor [--json]",
    .summary = "show what works here, and what is missing",
    .about = "Starts each of the programs that read files, in its sandbox, opens the store of the\n"
             "sessions, and says what is missing. The exit status is 8 when one does not work.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
