/* One instance a file: what a program does to its interpreter ends with it. The program comes by
 * the callback for standard input, what it says goes to those for output, and the PDF to the C
 * stream that is standard output when the instance is made.
 *
 * -dSAFER has no file opened that the interpreter does not need itself; the sandbox would not have
 * it either. */
#include "worker/postscript/ghostscript.h"

#include "worker/postscript/scratch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libgs.so.10"
#define ARGUMENTS_ARE_UTF8 1
#define MAX_SAID ((size_t)4096)
#define BLANK_STREAM 24 /* bytes */

typedef int say_fn(void *handle, const char *p, int n);

static struct {
    int (*new_instance)(void **instance, void *handle);
    int (*set_arg_encoding)(void *instance, int encoding);
    int (*set_stdio)(void *instance, int (*in)(void *handle, char *p, int n), say_fn *out,
                     say_fn *err);
    int (*init_with_args)(void *instance, int argc, char **argv);
    int (*end)(void *instance);
    void (*delete_instance)(void *instance);
    bool loaded;
} gs;

static const struct {
    const char *name;
    void *function;
} functions[] = {
    { "gsapi_new_instance", &gs.new_instance },
    { "gsapi_set_arg_encoding", &gs.set_arg_encoding },
    { "gsapi_set_stdio", &gs.set_stdio },
    { "gsapi_init_with_args", &gs.init_with_args },
    { "gsapi_exit", &gs.end },
    { "gsapi_delete_instance", &gs.delete_instance },
};

bool rf_ghostscript_load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

    gs.loaded = library;
    for (size_t i = 0; gs.loaded && i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        memcpy(functions[i].function, &found, sizeof found);
        gs.loaded = found;
    }
    return gs.loaded;
}

bool rf_ghostscript_is_here(void)
{
    return gs.loaded;
}

/* One run */

struct run {
    struct rf_str rest; /* of the program */
    char said[MAX_SAID];
    size_t said_n;
};

static int take_input(void *handle, char *to, int n)
{
    struct run *r = handle;
    size_t take = r->rest.n < (size_t)n ? r->rest.n : (size_t)n;

    memcpy(to, r->rest.p, take);
    r->rest = (struct rf_str){ r->rest.p + take, r->rest.n - take };
    return (int)take;
}

static int hear(void *handle, const char *p, int n)
{
    struct run *r = handle;
    size_t room = sizeof r->said - 1 - r->said_n, take = (size_t)n < room ? (size_t)n : room;

    memcpy(r->said + r->said_n, p, take);
    r->said_n += take;
    return n;
}

static int run(struct run *r)
{
    static const char *const arguments[] = {
        "gs",
        "-q",
        "-dSAFER",
        "-dBATCH",
        "-dNOPAUSE",
        "-dEPSCrop",
        "-dNOPLATFONTS",
        "-dAutoRotatePages=/None",
        "-dOmitInfoDate=true",
        "-dOmitID=true",
        "-dOmitXMP=true",
        "-sDEVICE=pdfwrite",
        "-sOutputFile=-",
        "-",
    };
    char *argv[sizeof arguments / sizeof *arguments];
    void *instance = NULL;
    int rc = gs.new_instance(&instance, r);

    if (rc < 0)
        return rc;
    memcpy(argv, arguments, sizeof argv);
    gs.set_arg_encoding(instance, ARGUMENTS_ARE_UTF8);
    gs.set_stdio(instance, take_input, hear, hear);
    rc = gs.init_with_args(instance, (int)(sizeof argv / sizeof *argv), argv);
    int ended = gs.end(instance);
    gs.delete_instance(instance);
    return rc < 0 && rc != -101 /* it called quit */ ? rc : ended;
}

/* "invalidfileaccess" of "Error: /invalidfileaccess in --file--" */
static void name_of_error(const struct run *r, char *out, size_t room)
{
    const char *at = strstr(r->said, "Error: /");
    size_t n = at ? strcspn(at + 8, " \n") : 0;

    snprintf(out, room, "%.*s", (int)n, at ? at + 8 : "");
}

static enum rf_code refuse(const char *name, struct rf_err *err)
{
    if (strcmp(name, "invalidfileaccess") == 0)
        return rf_fail(err, RF_EFORMAT,
                       "the PostScript program wants to open a file, which it may not");
    if (strcmp(name, "VMerror") == 0)
        return rf_fail(err, RF_ELIMIT, "the PostScript program needs more memory than it may have");
    if (*name)
        return rf_fail(err, RF_EFORMAT, "the PostScript program stops with the error \"%.60s\"",
                       name);
    return rf_fail(err, RF_EFORMAT, "the PostScript program prints nothing");
}

/* Where nothing was printed, there is one page with nothing on it: its stream sets a scale and no
 * more. */
static bool is_blank(struct rf_str pdf)
{
    static const char before[] = "endstream\nendobj\n6 0 obj\n";
    const char *at = memmem(pdf.p, pdf.n, before, strlen(before));

    return at && strtol(at + strlen(before), NULL, 10) <= BLANK_STREAM &&
           rf_str_contains(pdf, RF_STR("/Count 1\n"));
}

static bool has_pages(struct rf_str pdf)
{
    return rf_str_contains(pdf, RF_STR("/Type/Page/")) && rf_str_contains(pdf, RF_STR("%%EOF"));
}

enum rf_code rf_ghostscript_print(struct rf_str program, struct rf_printed *out, struct rf_err *err)
{
    static struct rf_scratch pdf;
    struct run r = { .rest = program };
    FILE *usual = stdout;
    char name[64];

    rf_scratch_reset(&pdf);
    *out = (struct rf_printed){ 0 };
    stdout = rf_scratch_open(&pdf);
    if (!stdout) {
        stdout = usual;
        return rf_fail(err, RF_ELIMIT, "there is no memory to print to");
    }
    int rc = run(&r);
    fclose(stdout);
    stdout = usual;
    out->pdf = (struct rf_str){ pdf.p, pdf.n };
    name_of_error(&r, name, sizeof name);
    if (!has_pages(out->pdf) || (rc < 0 && is_blank(out->pdf)))
        return refuse(name, err);
    if (rc < 0)
        snprintf(out->broken, sizeof out->broken, "%s", *name ? name : "unknown");
    return RF_OK;
}
