/* Files read as a model's tool would read them, and what becomes of each at several models side by side.
 *
 *     deliveries FILE... -- MODEL...
 *
 * An example of using the library: public headers only, and every call that a program needs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#define WIDTH 112
#define FORM_WIDTH 15 /* of "recognised_text" */

/* Sums over all models. */
struct totals {
    unsigned models, by_delivery[RF_DELIVERY_ERROR + 1];
    uint64_t bytes;
};

static int fail(const char *what, const struct rf_err *err)
{
    fprintf(stderr, "deliveries: %s: %s\n", what, err->msg);
    if (err->hint[0])
        fprintf(stderr, "hint: %s\n", err->hint);
    return 1;
}

/* "1234567" as "1,234,567". */
static const char *grouped(uint64_t n, char out[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

static uint64_t estimated_tokens(const struct rf_request *r)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < rf_report_count(r); i++)
        if (rf_report_tokens(r, i) > 0)
            sum += (uint64_t)rf_report_tokens(r, i);
    return sum;
}

static void print_heading(const char *model, const struct rf_request *r)
{
    char bytes[32], number[32], tokens[34], sums[96];
    grouped(rf_request_length(r), bytes);
    snprintf(tokens, sizeof tokens, "~%s", grouped(estimated_tokens(r), number));
    int n = snprintf(sums, sizeof sums, "%s bytes  %6s tokens", bytes, tokens);
    printf("%-*s%s\n", WIDTH - n, model, sums);
}

/* The longest of the names, or of what they are sent as. */
static int widest(const struct rf_request *r,
                  struct rf_str (*text)(const struct rf_request *r, size_t i))
{
    size_t width = 0;
    for (size_t i = 0; i < rf_report_count(r); i++)
        if (text(r, i).n > width)
            width = text(r, i).n;
    return (int)(width < WIDTH / 3 ? width : WIDTH / 3);
}

/* A reason starts with the name of the endpoint or the model, which stands above it already. */
static struct rf_str short_reason(const struct rf_request *r, size_t i, const char *model)
{
    struct rf_str reason = rf_report_reason(r, i);
    size_t whole = strlen(model), provider = strcspn(model, ":");
    if (reason.n > whole && memcmp(reason.p, model, whole) == 0)
        return (struct rf_str){ reason.p + whole + 1, reason.n - whole - 1 };
    if (reason.n > provider + 2 && memcmp(reason.p, model, provider) == 0)
        return (struct rf_str){ reason.p + provider + 2, reason.n - provider - 2 };
    return reason;
}

static void print_files(const struct rf_request *r, const char *model)
{
    int name_width = widest(r, rf_report_name), as_width = widest(r, rf_report_as);
    for (size_t i = 0; i < rf_report_count(r); i++) {
        struct rf_str name = rf_report_name(r, i), as = rf_report_as(r, i);
        struct rf_str reason = short_reason(r, i, model);
        int used = printf("  %-*.*s  %-8s  %-*s  %-*.*s", name_width, RF_FMT(name),
                          rf_delivery_name(rf_report_delivery(r, i)), FORM_WIDTH,
                          rf_form_name(rf_report_form(r, i)), as_width,
                          (int)as.n < as_width ? (int)as.n : as_width, as.p);
        int gap = 2, room = WIDTH - used - gap;
        if (reason.n && room > 0)
            printf("%*s%.*s", gap, "", (int)reason.n < room ? (int)reason.n : room, reason.p);
        putchar('\n');
    }
}

static void add_up(struct totals *t, const struct rf_request *r)
{
    t->models++;
    t->bytes += rf_request_length(r);
    for (size_t i = 0; i < rf_report_count(r); i++)
        t->by_delivery[rf_report_delivery(r, i)]++;
}

static int show(const struct rf_conversation *c, const struct rf_config *config, const char *name,
                const struct rf_request_options *options, struct totals *t)
{
    struct rf_model *model = NULL;
    struct rf_request *request = NULL;
    struct rf_err err;
    int status = 0;
    if (rf_model_open(config, name, &model, &err) ||
        rf_request_build(c, model, options, &request, &err)) {
        status = fail(name, &err);
    } else {
        print_heading(name, request);
        print_files(request, name);
        putchar('\n');
        add_up(t, request);
    }
    rf_request_free(request);
    rf_model_close(model);
    return status;
}

static void print_totals(const struct totals *t)
{
    char bytes[32];
    const char *separator = ": ";
    printf("%u models, %s bytes", t->models, grouped(t->bytes, bytes));
    for (unsigned d = 0; d <= RF_DELIVERY_ERROR; d++) {
        if (!t->by_delivery[d])
            continue;
        printf("%s%u %s", separator, t->by_delivery[d], rf_delivery_name((enum rf_delivery)d));
        separator = ", ";
    }
    putchar('\n');
}

/* A conversation in which a model asked for the files, all at once, and got them. */
struct script {
    char *text;
    size_t n;
    FILE *to;
};

static int is_plain(const char *name)
{
    for (const char *p = name; *p; p++)
        if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ')
            return 0;
    return 1;
}

static void write_calls(struct script *s, char **files, int count)
{
    fputs("{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":\"What do these say?\"},"
          "{\"role\":\"assistant\",\"content\":[",
          s->to);
    for (int i = 0; i < count; i++)
        fprintf(s->to,
                "%s{\"type\":\"tool_call\",\"id\":\"c%d\",\"name\":\"read_file\","
                "\"arguments\":{\"file_path\":\"%s\"}}",
                i ? "," : "", i + 1, files[i]);
    fputs("]}", s->to);
}

/* What the tool returned, as the message that answers the call. */
static int write_result(struct script *s, struct rf_tools *tools, const char *file, int call)
{
    struct rf_result *result = NULL;
    struct rf_str json;
    struct rf_err err;
    char arguments[4200];
    int status = 0;
    snprintf(arguments, sizeof arguments, "{\"file_path\":\"%s\"}", file);
    if (rf_tools_run(tools, "read_file", arguments, &result, &err) ||
        rf_result_json(result, RF_WITH_FILES, &json, &err))
        status = fail(file, &err);
    else
        fprintf(s->to, ",{\"role\":\"tool\",\"tool_call_id\":\"c%d\",%.*s", call,
                RF_FMT(((struct rf_str){ json.p + 1, json.n - 1 })));
    rf_result_free(result);
    return status;
}

static int write_script(struct script *s, char **files, int count)
{
    struct rf_tools *tools = rf_tools_new();
    int status = 0;
    s->to = open_memstream(&s->text, &s->n);
    if (!s->to)
        abort();
    write_calls(s, files, count);
    for (int i = 0; i < count && !status; i++)
        status = write_result(s, tools, files[i], i + 1);
    fputs("]}", s->to);
    fclose(s->to);
    rf_tools_free(tools);
    return status;
}

static int show_all(const struct rf_conversation *c, char **models, int count)
{
    struct rf_config *config = NULL;
    struct totals totals = { 0 };
    struct rf_err err;
    int status = 0;
    if (rf_config_open(&config, &err))
        return fail("configuration", &err);
    for (int i = 0; i < count; i++)
        status |= show(c, config, models[i], NULL, &totals);
    print_totals(&totals);
    rf_config_close(config);
    return status;
}

int main(int argc, char **argv)
{
    struct rf_conversation *conversation = NULL;
    struct script script = { 0 };
    struct rf_err err;
    int files = 0, status = 0;
    while (files + 1 < argc && strcmp(argv[files + 1], "--") != 0)
        files++;
    if (!files || files + 2 >= argc) {
        fprintf(stderr, "usage: %s FILE... -- MODEL...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i <= files; i++)
        if (!is_plain(argv[i]) || strlen(argv[i]) > 4000) {
            fprintf(stderr, "deliveries: a name with quotes in it, or a very long one\n");
            return 2;
        }
    status = write_script(&script, argv + 1, files);
    if (!status &&
        rf_conversation_read((struct rf_str){ script.text, script.n }, &conversation, &err))
        status = fail("what the tool returned", &err);
    if (!status)
        status = show_all(conversation, argv + files + 2, argc - files - 2);
    rf_conversation_free(conversation);
    free(script.text);
    return status;
}
