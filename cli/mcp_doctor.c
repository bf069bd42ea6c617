#include "mcp_doctor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivery_table.h"
#include "progress.h"
#include "report.h"
#include "text.h"

#define LINES_SHOWN 6 /* of a text */
#define INDENT 6

/* One file: its result, and the limits of the host that it is for. */
struct shown {
    const char *file, *client;
    struct rf_model *model;
    struct rf_mcp_trial *trial;
    int64_t most, most_text;
};

static int64_t limit_of(struct rf_model *m, const char *name)
{
    for (size_t i = 0; i < rf_fact_count(); i++)
        if (strcmp(rf_fact_name(i), name) == 0) {
            char *value = rf_text_copy(rf_model_fact(m, i));
            int64_t most = strtoll(value, NULL, 10);
            free(value);
            return most;
        }
    return 0;
}

static struct rf_mcp_block block_at(const struct shown *s, size_t i)
{
    struct rf_mcp_block b = { .size = sizeof b };
    struct rf_err err;
    if (rf_mcp_trial_block(s->trial, i, &b, &err))
        abort();
    return b;
}

static int64_t text_bytes(const struct shown *s)
{
    int64_t sum = 0;
    for (size_t i = 0; i < rf_mcp_trial_count(s->trial); i++)
        sum += (int64_t)block_at(s, i).text.n;
    return sum;
}

static size_t files_in(const struct shown *s)
{
    const struct rf_request *r = rf_mcp_trial_request(s->trial);
    return r ? rf_report_count(r) : 0;
}

/* For people */

/* "   5  image  image/png, 1224x1584 pixels, 110,334 bytes", and the lines of a text below it. */
static void print_block(const struct shown *s, size_t i)
{
    struct rf_mcp_block b = block_at(s, i);
    char number[RF_SHORT_TEXT];
    printf("  %2zu  ", i + 1);
    rf_print_text(stdout, b.type);
    fputs("  ", stdout);
    rf_print_text(stdout, b.media_type);
    fputs(b.media_type.n ? ", " : "", stdout);
    if (b.width)
        printf("%lldx%lld pixels, ", (long long)b.width, (long long)b.height);
    printf("%s bytes\n", rf_number_text(b.bytes, number));
    struct rf_str words = b.text.n ? b.text : b.uri;
    if (words.n)
        rf_print_wrapped(stdout, words, INDENT, rf_text_columns(), LINES_SHOWN);
}

/* "  32,118 bytes, at most 921,600; 1,204 bytes of text, at most 40,960" */
static void print_sum(const struct shown *s)
{
    char has[RF_SHORT_TEXT], most[RF_SHORT_TEXT];
    printf("  %s bytes, at most %s;", rf_number_text((int64_t)rf_mcp_trial_bytes(s->trial), has),
           rf_number_text(s->most, most));
    printf(" %s bytes of text, at most %s\n", rf_number_text(text_bytes(s), has),
           rf_number_text(s->most_text, most));
}

static void print_file(const struct shown *s)
{
    rf_print_text(stdout, rf_text(s->file));
    fputs(" for ", stdout);
    rf_print_text(stdout, rf_text(s->client));
    puts(rf_mcp_trial_failed(s->trial) ? ": the tool read_file fails" : ":");
    if (files_in(s))
        rf_delivery_rows(s->model, rf_mcp_trial_request(s->trial));
    for (size_t i = 0; i < rf_mcp_trial_count(s->trial); i++)
        print_block(s, i);
    print_sum(s);
}

/* For programs */

static void print_member(const char *name, struct rf_str text)
{
    if (!text.n)
        return;
    printf(",\"%s\":", name);
    rf_print_json(stdout, text);
}

static void print_block_json(const struct shown *s, size_t i)
{
    struct rf_mcp_block b = block_at(s, i);
    printf("%s{\"type\":", i ? "," : "");
    rf_print_json(stdout, b.type);
    print_member("media_type", b.media_type);
    print_member("uri", b.uri);
    printf(",\"bytes\":%lld", (long long)b.bytes);
    if (b.width)
        printf(",\"width\":%lld,\"height\":%lld", (long long)b.width, (long long)b.height);
    print_member("text", b.text);
    putchar('}');
}

static void print_file_json(const struct shown *s)
{
    fputs("{\"file\":", stdout);
    rf_print_json(stdout, rf_text(s->file));
    fputs(",\"host\":", stdout);
    rf_print_json(stdout, rf_text(s->client));
    printf(",\"failed\":%s,\"bytes\":%llu,\"max_bytes\":%lld,\"text_bytes\":%lld,"
           "\"max_text_bytes\":%lld,\"deliveries\":[",
           rf_mcp_trial_failed(s->trial) ? "true" : "false",
           (unsigned long long)rf_mcp_trial_bytes(s->trial), (long long)s->most,
           (long long)text_bytes(s), (long long)s->most_text);
    for (size_t i = 0; i < files_in(s); i++) {
        fputs(i ? "," : "", stdout);
        rf_print_json_line(stdout, rf_report_json(rf_mcp_trial_request(s->trial), i));
    }
    fputs("],\"blocks\":[", stdout);
    for (size_t i = 0; i < rf_mcp_trial_count(s->trial); i++)
        print_block_json(s, i);
    puts("]}");
}

/* The calls */

/* A name on the command line is relative to the working folder, whatever the roots are. */
static char *arguments_for(const char *file)
{
    char folder[PATH_MAX] = "", *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    bool relative = *file != '/' && strncmp(file, "file://", 7) != 0 && getcwd(folder, PATH_MAX);
    char *path = NULL;
    if (!out || asprintf(&path, "%s%s%s", relative ? folder : "", relative ? "/" : "", file) < 0)
        abort();
    fputs("{\"file_path\":", out);
    rf_print_json(out, rf_text(path));
    fputs("}", out);
    if (fclose(out) != 0)
        abort();
    free(path);
    return text;
}

static enum rf_code try(const struct rf_mcp_doctor *d, const char *file, struct rf_mcp_trial **out,
                        struct rf_err *err)
{
    struct rf_progress progress;
    char *arguments = arguments_for(file);
    rf_progress_begin(&progress, "reading", -1);
    enum rf_code rc =
        rf_mcp_trial_new(d->server, d->client, "read_file", rf_text(arguments), out, err);
    rf_progress_end(&progress);
    free(arguments);
    return rc;
}

static enum rf_code show(const struct rf_mcp_doctor *d, struct shown *s, bool *failed,
                         struct rf_err *err)
{
    enum rf_code rc = try(d, s->file, &s->trial, err);
    if (rc)
        return rc;
    *failed |= rf_mcp_trial_failed(s->trial);
    (d->json ? print_file_json : print_file)(s);
    rf_mcp_trial_free(s->trial);
    return RF_OK;
}

static void note_unknown(const char *client)
{
    struct rf_err note;
    if (!rf_host_check(client, &note))
        return;
    struct rf_err said;
    rf_say(&said, RF_OK, "nothing is known of a host \"%s\": this is what any other gets", client);
    rf_say_hint(&said, "%s", note.hint);
    rf_report_note(&said);
}

int rf_mcp_doctor(const struct rf_mcp_doctor *d, const char *const *files, size_t count)
{
    char name[RF_SHORT_TEXT + 64];
    struct shown s = { .client = d->client };
    struct rf_err err;
    bool failed = false;
    snprintf(name, sizeof name, "mcp:%s", d->host ? d->host : d->client);
    enum rf_code rc = rf_model_open(d->config, name, &s.model, &err);
    if (!rc) {
        s.most = limit_of(s.model, "max_body_bytes");
        s.most_text = limit_of(s.model, "max_text_bytes");
        if (!d->host)
            note_unknown(d->client);
    }
    for (size_t i = 0; !rc && i < count; i++) {
        fputs(i && !d->json ? "\n" : "", stdout);
        s.file = files[i];
        rc = show(d, &s, &failed, &err);
    }
    rf_model_close(s.model);
    if (rc)
        return d->json ? rf_report_as_json(&err) : rf_report(&err);
    return failed ? 1 : 0;
}
