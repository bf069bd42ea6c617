#include "mcp_doctor.h"

#include <stdlib.h>
#include <string.h>

#include "deliver.h"
#include "delivery_table.h"
#include "file_calls.h"
#include "report.h"
#include "text.h"

#define NUMBER_CELLS 9

/* The blocks of one result. */
struct blocks {
    struct rf_jdoc *body;
    size_t count;
    int64_t text; /* bytes of it */
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

static struct rf_str member(struct blocks *b, const struct rf_jval *object, const char *name)
{
    const struct rf_jval *v = rf_jval_get(object, name);
    return rf_jval_type(v) == RF_JSTRING ? rf_jdoc_text(b->body, v) : rf_text("");
}

static struct rf_str first_line(struct rf_str text)
{
    const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;
    return (struct rf_str){ text.p, end ? (size_t)(end - text.p) : text.n };
}

/* "  2  image       24,056 bytes  image/png" */
static void print_block(struct blocks *b, const struct rf_jval *block)
{
    const struct rf_jval *inner = rf_jval_get(block, "resource");
    struct rf_str type = member(b, block, "type"), text = member(b, block, "text");
    struct rf_str data = inner ? member(b, inner, "blob") : member(b, block, "data");
    struct rf_str mime = member(b, inner ? inner : block, "mimeType");
    char number[RF_SHORT_TEXT];
    printf("    %2zu  %-8.*s  %*s bytes  ", ++b->count, RF_FMT(type), NUMBER_CELLS,
           rf_number_text((int64_t)(text.n ? text.n : data.n), number));
    rf_print_cut(stdout, text.n ? first_line(text) : mime, rf_text_columns() - 34);
    putchar('\n');
    b->text += (int64_t)text.n;
}

/* "  32,118 bytes, at most 921,600; 1,204 bytes of text, at most 40,960" */
static void print_sum(struct rf_model *m, const struct rf_request *r, const struct blocks *b)
{
    char has[RF_SHORT_TEXT], most[RF_SHORT_TEXT];
    printf("  %s bytes, at most %s;", rf_number_text((int64_t)rf_request_length(r), has),
           rf_number_text(limit_of(m, "max_body_bytes"), most));
    printf(" %s bytes of text, at most %s\n", rf_number_text(b->text, has),
           rf_number_text(limit_of(m, "max_text_bytes"), most));
}

static enum rf_code read_body(const struct rf_request *r, struct rf_jdoc **out, struct rf_err *err)
{
    struct rf_request_reader *reader = rf_request_reader_new(r);
    size_t size = (size_t)rf_request_length(r), n = 0, got = 1;
    char *text = malloc(size + 1);
    enum rf_code rc = RF_OK;
    if (!text)
        abort();
    while (!rc && got && n < size) {
        rc = rf_request_reader_read(reader, text + n, size - n, &got, err);
        n += rc ? 0 : got;
    }
    if (!rc)
        rc = rf_jdoc_read((struct rf_str){ text, n }, out, err);
    rf_request_reader_free(reader);
    free(text);
    return rc;
}

static enum rf_code show_result(const char *name, struct rf_model *m, const struct rf_request *r,
                                struct rf_err *err)
{
    struct blocks b = { 0 };
    enum rf_code rc = read_body(r, &b.body, err);
    if (rc)
        return rc;
    const struct rf_jval *content = rf_jval_get(rf_jdoc_root(b.body), "content");
    rf_delivery_table(name, m, r);
    puts("  the blocks of the result:");
    for (const struct rf_jval *v = rf_jval_first(content); v; v = rf_jval_next(content, v))
        print_block(&b, v);
    print_sum(m, r, &b);
    rf_jdoc_free(b.body);
    return RF_OK;
}

static enum rf_code show_file(const struct rf_config *config, const char *name, struct rf_model *m,
                              const struct rf_request_options *options, const char *const *file,
                              struct rf_err *err)
{
    struct rf_conversation *c = NULL;
    struct rf_request *r = NULL;
    enum rf_code rc = rf_file_calls(config, m, file, 1, &c, err);
    if (!rc)
        rc = rf_deliver_build(c, m, options, &r, err);
    if (!rc)
        rc = show_result(name, m, r, err);
    rf_request_free(r);
    rf_conversation_free(c);
    return rc;
}

static void note_unknown(const char *host)
{
    struct rf_err note;
    rf_say(&note, RF_OK, "nothing is known of a host \"%s\": this is what any other gets", host);
    rf_say_hint(&note, "refract models --known lists the hosts that are known.");
    rf_report_note(&note);
}

enum rf_code rf_mcp_doctor(const struct rf_config *config, const char *host,
                           const char *const *files, size_t count, struct rf_err *err)
{
    char name[RF_SHORT_TEXT + 64];
    struct rf_model *m = NULL;
    struct rf_request_options *options = rf_request_options_new();
    snprintf(name, sizeof name, "mcp:%s", host);
    rf_request_options_configure(options, config);
    rf_request_options_root(options, "");
    if (rf_config_cache_folder(config))
        rf_request_options_cache(options, rf_config_cache_folder(config));
    enum rf_code rc = rf_model_open(config, name, &m, err);
    if (!rc && !rf_model_family(m).n)
        note_unknown(host);
    for (size_t i = 0; !rc && i < count; i++) {
        fputs(i ? "\n" : "", stdout);
        rc = show_file(config, name, m, options, &files[i], err);
    }
    rf_request_options_free(options);
    rf_model_close(m);
    return rc;
}
