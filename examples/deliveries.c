/* What becomes of each file of a conversation, for several models side by side.
 *
 *     deliveries CONVERSATION MODEL...
 *
 * An example of using the library: public headers only, and every call that a program needs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#define WIDTH 100

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

/* A reason starts with the endpoint's name, which stands above it already. */
static struct rf_str short_reason(const struct rf_request *r, size_t i, struct rf_str provider)
{
    struct rf_str reason = rf_report_reason(r, i);
    size_t n = provider.n + 2;
    if (reason.n > n && memcmp(reason.p, provider.p, provider.n) == 0 &&
        memcmp(reason.p + provider.n, ": ", 2) == 0)
        return (struct rf_str){ reason.p + n, reason.n - n };
    return reason;
}

static void print_files(const struct rf_request *r, struct rf_str provider)
{
    int name_width = widest(r, rf_report_name), as_width = widest(r, rf_report_as);
    for (size_t i = 0; i < rf_report_count(r); i++) {
        struct rf_str name = rf_report_name(r, i), as = rf_report_as(r, i);
        struct rf_str reason = short_reason(r, i, provider);
        int used = printf("  %-*.*s  %-8s  %.*s", name_width, RF_FMT(name),
                          rf_delivery_name(rf_report_delivery(r, i)), RF_FMT(as));
        int gap = as_width - (int)as.n + 2, room = WIDTH - used - gap;
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
        print_files(request, rf_model_provider(model));
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

/* Files that a conversation names are beside it. */
static struct rf_request_options *beside(const char *path)
{
    struct rf_request_options *o = rf_request_options_new();
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) {
        slash[slash == folder] = '\0';
        rf_request_options_base(o, folder);
    }
    free(folder);
    return o;
}

int main(int argc, char **argv)
{
    struct rf_config *config = NULL;
    struct rf_conversation *conversation = NULL;
    struct totals totals = { 0 };
    struct rf_err err;
    int status = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: %s CONVERSATION MODEL...\n", argv[0]);
        return 2;
    }
    if (rf_config_open(&config, &err))
        return fail("configuration", &err);
    if (rf_conversation_open(argv[1], &conversation, &err)) {
        rf_config_close(config);
        return fail(argv[1], &err);
    }
    struct rf_request_options *options = beside(argv[1]);
    for (int i = 2; i < argc; i++)
        status |= show(conversation, config, argv[i], options, &totals);
    print_totals(&totals);
    rf_request_options_free(options);
    rf_conversation_free(conversation);
    rf_config_close(config);
    return status;
}
