/* refract doctor: what works here, and what to do about the rest. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "advice.h"
#include "choose.h"
#include "command.h"
#include "progress.h"
#include "project.h"
#include "report.h"
#include "sim_library.h"
#include "stored.h"
#include "text.h"

enum { MODEL, PROBE, JSON, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [MODEL] = { "model", 'm', "MODEL", "look at this model's provider alone" },
    [PROBE] = { "probe", 0, NULL, "find out what the model sees, by asking it" },
    [JSON] = { "json", 0, NULL, "print for a program: a JSON line for each thing" },
};

#define AREA_WIDTH 8
#define NAME_WIDTH 10
#define MOST_NAME 512
#define LESS_SAFE 1      /* exit status: all works, and less guards it than should */
#define ANY_WIDTH 100000 /* outside of a terminal a thing is a line */

/* What is printed, and providers that have no key, for one line at the end. */
struct telling {
    bool json;
    bool reduced; /* some worker lacks some of its sandbox, and reads files */
    char *keyless;
    size_t size;
    FILE *names;                 /* writes to keyless; NULL: each has a line of its own */
    struct rf_progress progress; /* between two lines */
};

static void say(const struct rf_finding *f)
{
    static const char *const marks[] = {
        [RF_HEALTH_GOOD] = "+",
        [RF_HEALTH_PARTLY] = "!",
        [RF_HEALTH_MISSING] = "x",
    };
    int width = isatty(STDOUT_FILENO) ? rf_text_columns() : ANY_WIDTH;
    char name[MOST_NAME];
    snprintf(name, sizeof name, "%s %-*s %-*s ", marks[f->health], AREA_WIDTH, f->area, NAME_WIDTH,
             f->name);
    int used = rf_text_cells(rf_text(name)), column = AREA_WIDTH + NAME_WIDTH + 4;
    rf_print_beside(stdout, name, rf_text(f->what), used > column ? used : column, width);
    if (f->layers && f->layers[0]) {
        char layers[MOST_NAME];
        snprintf(layers, sizeof layers, "confined by %s", f->layers);
        rf_print_beside(stdout, "", rf_text(layers), column, width);
    }
    if (f->hint[0])
        rf_print_beside(stdout, "", rf_text(f->hint), column, width);
}

/* Words with ", " between them, as a list. */
static void say_layers(const char *layers)
{
    printf(",\"layers\":[");
    for (const char *at = layers; *at;) {
        size_t n = strcspn(at, ",");
        fputs(at > layers ? "," : "", stdout);
        rf_print_json(stdout, (struct rf_str){ at, n });
        at += n + strspn(at + n, ", ");
    }
    putchar(']');
}

static void say_json(const struct rf_finding *f)
{
    const char *names[] = { "area", "name", "health", "what", "hint" };
    const char *values[] = { f->area, f->name, rf_health_name(f->health), f->what, f->hint };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        printf("%s\"%s\":", i ? "," : "{", names[i]);
        rf_print_json(stdout, rf_text(values[i]));
    }
    if (f->layers)
        say_layers(f->layers);
    printf("}\n");
}

static void tell(struct telling *t, const struct rf_finding *f)
{
    bool keyless = strcmp(f->area, "provider") == 0 && f->health == RF_HEALTH_MISSING;
    t->reduced |= strcmp(f->area, "worker") == 0 && f->health == RF_HEALTH_PARTLY;
    if (t->json)
        say_json(f);
    else if (keyless && t->names)
        fprintf(t->names, "%s%s", ftell(t->names) > 0 ? ", " : "", f->name);
    else
        say(f);
}

static void found(void *context, const struct rf_finding *f)
{
    struct telling *t = context;
    rf_progress_end(&t->progress);
    tell(t, f);
    fflush(stdout);
    rf_progress_begin(&t->progress, "looking", -1);
}

static void count(void *context, const struct rf_session_info *info)
{
    (void)info;
    ++*(int64_t *)context;
}

/* Can sessions be kept? Opening the store makes it, where it is not there yet. */
static bool check_store(const struct rf_config *config, struct telling *t)
{
    struct rf_stored s = { 0 };
    struct rf_err err = { 0 };
    struct rf_finding f = { .area = "store", .name = "sessions", .hint = "" };
    char sessions[64], hint[RF_ADVICE];
    int64_t all = 0;
    bool good = !rf_store_open(config, &s.store, &err);
    if (s.store)
        f.name = rf_store_place(s.store);
    good = good && !rf_store_list(s.store, 0, count, &all, &err);
    snprintf(sessions, sizeof sessions, "%" PRId64 " session%s", all, all == 1 ? "" : "s");
    f.health = good ? RF_HEALTH_GOOD : RF_HEALTH_MISSING;
    f.what = good ? sessions : err.msg;
    f.hint = good ? "" : rf_advice(&err, hint);
    found(t, &f);
    rf_stored_close(&s);
    return good;
}

/* Do the project's files have what they ask for? */
static void check_project(const struct rf_config *config, struct telling *t)
{
    static const char *const answers[] = {
        [RF_TRUST_UNASKED] = "not trusted",
        [RF_TRUST_DENIED] = "not trusted, as you said",
        [RF_TRUST_GIVEN] = "trusted, as it is now",
    };
    const struct rf_err *problem = rf_config_trust_problem(config);
    enum rf_trust trust = rf_config_trust(config);
    struct rf_finding f = { .area = "project", .hint = "" };
    struct rf_buffer names = { 0 }, files = { 0 };
    if (trust == RF_TRUST_UNNEEDED)
        return;
    rf_project_files(&files, config, "", "");
    files.p[files.n - 1] = '\0';
    f.name = files.p;
    rf_buffer_print(&names, "%s%s%s: ", problem ? problem->msg : "", problem ? "; " : "",
                    answers[trust]);
    rf_project_names(&names, config);
    rf_buffer_add(&names, "", 1);
    f.what = names.p;
    f.health = trust == RF_TRUST_GIVEN ? RF_HEALTH_GOOD : RF_HEALTH_PARTLY;
    if (trust != RF_TRUST_GIVEN)
        f.hint = "refract trust lists what it asks for, and trusts it.";
    found(t, &f);
    rf_buffer_release(&names);
    rf_buffer_release(&files);
}

/* The libraries that the program and its simulator load when they are needed. */
static void check_libraries(struct telling *t)
{
    static const struct {
        const char *name, *file, *what, *missing, *hint;
    } libraries[] = {
        { "microhttpd", "libmicrohttpd.so.12", "refract sim as a server",
          "not there: `refract sim` cannot listen", "Install libmicrohttpd12." },
        { "libedit", "libedit.so.2", "refract chat on a terminal",
          "not there: `refract chat` cannot edit what is typed", "Install libedit2." },
        { "chafa", "libchafa.so.0", "pictures on terminals that show characters or sixels",
          "not there: only Kitty's and iTerm2's ways of showing pictures work",
          "Install libchafa0." },
        { "ghostscript", "libgs.so.10", "PostScript and EPS",
          "not there: PostScript is not read, and of EPS only the preview, where it has one",
          "Install libgs10." },
    };
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i].file, RTLD_LAZY | RTLD_LOCAL);
        struct rf_finding f = {
            .area = "library",
            .name = libraries[i].name,
            .health = library ? RF_HEALTH_GOOD : RF_HEALTH_PARTLY,
            .what = library ? libraries[i].what : libraries[i].missing,
            .hint = library ? "" : libraries[i].hint,
        };
        found(t, &f);
        if (library)
            dlclose(library);
    }
}

/* Keys and endpoints: of all, or of one model's provider. */
static size_t check_providers(const struct rf_config *config, const char *provider,
                              struct telling *t)
{
    struct rf_finding others = {
        .area = "provider",
        .name = "others",
        .health = RF_HEALTH_PARTLY,
        .hint = "refract doctor -m PROVIDER:MODEL says what to set; -m offline needs no key.",
    };
    char what[512];
    if (!t->json && !provider && !(t->names = open_memstream(&t->keyless, &t->size)))
        abort();
    size_t bad = rf_doctor_providers(config, provider, found, t);
    if (!t->names)
        return bad;
    fclose(t->names);
    t->names = NULL;
    snprintf(what, sizeof what, "no key or no address for %s", t->keyless);
    others.what = what;
    if (t->size)
        found(t, &others);
    free(t->keyless);
    return bad;
}

/* Probing: a line for each kind of file and each place. */

static void say_probed(const struct rf_probed *p)
{
    static const char marks[] = {
        [RF_SIGHT_SEEN] = '+',
        [RF_SIGHT_UNSEEN] = 'x',
        [RF_SIGHT_REFUSED] = 'x',
        [RF_SIGHT_NOT_TAKEN] = '-',
    };
    printf("%c %-*s %-*s %s %s", marks[p->sight], AREA_WIDTH, "probe", NAME_WIDTH, p->kind,
           rf_sight_name(p->sight), p->place);
    if (p->said.n && p->sight != RF_SIGHT_SEEN) {
        fputs(": ", stdout);
        rf_print_text(stdout, p->said);
    }
    putchar('\n');
    if (p->learned.n) {
        printf("%*slearned: ", AREA_WIDTH + NAME_WIDTH + 4, "");
        rf_print_text(stdout, p->learned);
        putchar('\n');
    }
}

static void say_probed_json(const struct rf_probed *p)
{
    printf("{\"area\":\"probe\",\"kind\":\"%s\",\"place\":\"%s\",\"sight\":\"%s\",\"said\":",
           p->kind, p->place, rf_sight_name(p->sight));
    rf_print_json(stdout, p->said);
    fputs(",\"learned\":", stdout);
    rf_print_json(stdout, p->learned);
    fputs("}\n", stdout);
}

static bool probed(void *context, const struct rf_probed *p)
{
    struct telling *t = context;
    rf_progress_end(&t->progress);
    if (t->json)
        say_probed_json(p);
    else
        say_probed(p);
    fflush(stdout);
    rf_progress_begin(&t->progress, "asking the model", -1);
    return true;
}

static enum rf_code check_options(const struct rf_args *args, struct rf_err *err)
{
    if (!args->values[PROBE] || args->values[MODEL])
        return RF_OK;
    rf_say(err, RF_EUSAGE, "--probe needs to know which model");
    rf_say_hint(err, "As in refract doctor --probe -m anthropic:claude-sonnet-5.");
    return RF_EUSAGE;
}

static void found_problem(void *context, const struct rf_err *problem)
{
    char hint[RF_ADVICE];
    const struct rf_finding f = {
        .area = "config",
        .name = "",
        .health = problem->code ? RF_HEALTH_MISSING : RF_HEALTH_PARTLY,
        .what = problem->msg,
        .hint = rf_advice(problem, hint),
    };
    found(context, &f);
}

/* What is wrong in a file that is passed over: a project's .mcp.json. */
static void found_wrong(void *context, const struct rf_err *problem)
{
    if (problem->code)
        found_problem(context, problem);
}

/* All that is looked at; the exit status. */
static int look(const struct rf_config *config, const char *provider, struct telling *t)
{
    size_t missing = provider ? 0 : rf_doctor(rf_config_cache_folder(config), found, t);
    bool kept = provider || check_store(config, t);
    size_t open = provider ? 0 : rf_doctor_folders(config, found, t);
    if (!provider)
        check_project(config, t);
    size_t wrong = provider ? 0 : rf_config_check(found_wrong, t);
    check_libraries(t);
    size_t bad = wrong + check_providers(config, provider, t);
    bool less_safe = open || t->reduced;
    return missing || !kept || bad ? rf_exit_status(RF_ECONFIG) : less_safe ? LESS_SAFE : 0;
}

static enum rf_code examine(const struct rf_args *args, const struct rf_config *config, int *status,
                            struct rf_err *err)
{
    struct telling t = { .json = args->json };
    const char *name = args->values[MODEL];
    struct rf_model *model = NULL;
    char provider[64] = "";
    enum rf_code rc = name ? rf_model_open(config, name, &model, err) : RF_OK;
    if (rc)
        return rc;
    if (model) {
        rf_choose_tell(model);
        snprintf(provider, sizeof provider, "%.*s", RF_FMT(rf_model_provider(model)));
    }
    rf_model_close(model);
    rf_progress_begin(&t.progress, "looking", -1);
    *status = look(config, name ? provider : NULL, &t);
    rf_progress_end(&t.progress);
    if (!args->values[PROBE] || *status)
        return RF_OK;
    rf_progress_begin(&t.progress, "asking the model", -1);
    rc = rf_model_probe(config, name, rf_libsim_offline(), probed, &t, err);
    rf_progress_end(&t.progress);
    return rc;
}

/* A configuration that is wrong: all that is, and what works without any. */

static int look_without_config(const struct rf_args *args)
{
    struct telling t = { .json = args->json };
    rf_progress_begin(&t.progress, "looking", -1);
    rf_config_check(found_problem, &t);
    rf_doctor(NULL, found, &t);
    check_libraries(&t);
    rf_progress_end(&t.progress);
    return rf_exit_status(RF_ECONFIG);
}

static int run(const struct rf_args *args)
{
    struct rf_config *config = NULL;
    struct rf_err err;
    int status = 0;
    enum rf_code rc = check_options(args, &err);
    if (!rc && (rc = rf_config_open(&config, &err)) == RF_ECONFIG)
        return look_without_config(args);
    if (rc || examine(args, config, &status, &err))
        status = args->json ? rf_report_as_json(&err) : rf_report(&err);
    rf_config_close(config);
    return status;
}

const struct rf_command rf_cmd_doctor = {
    .name = "doctor",
    .synopsis = "refract doctor [OPTION]...",
    .summary = "show what works here, and what is missing",
    .about =
        "Starts each of the programs that read files, in its sandbox, opens the store of the\n"
        "sessions, looks for keys, which are never shown, calls the endpoints that have one or\n"
        "need none, and says what is missing, all that is wrong in the configuration, and which\n"
        "folders others can get into. The exit status is 8 when something does not work, 1 when\n"
        "only such a folder was found, or when files are read in a reduced sandbox.\n"
        "--probe has a tool return a picture, a PDF and a sound that carry a fresh code, asks\n"
        "the model for the code, and keeps what it truly saw.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
