/* A tool in C: the model asks for a chart, and gets words, a picture that was drawn in memory, and
 * the numbers as JSON, whichever provider it is behind. What became of the picture is on standard
 * error.
 *
 *     cc tool.c $(pkg-config --cflags --libs refract-sim) -o tool
 *     ./tool anthropic:claude-sonnet-5 "How were sales in the last four quarters?"
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <refract/refract.h>
#include <refract/sim.h>

enum {
    WIDTH = 96,
    HEIGHT = 48,
    ROWS = HEIGHT * (WIDTH + 1), /* bytes: each row begins with how it is filtered */
    MOST = 12,                   /* bars */
};

/* A picture: black bars on white, as a PNG that is not compressed. */

static unsigned char *put32(unsigned char *p, uint32_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *p++ = (unsigned char)(n >> shift);
    return p;
}

static uint32_t crc(const unsigned char *p, size_t n)
{
    uint32_t c = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
    }
    return ~c;
}

static unsigned char *put_chunk(unsigned char *p, const char *type, const void *data, size_t n)
{
    unsigned char *start = p = put32(p, (uint32_t)n);
    memcpy(p, type, 4);
    memcpy(p + 4, data, n);
    p += n + 4;
    return put32(p, crc(start, n + 4));
}

static void draw(unsigned char rows[ROWS], const int64_t *values, size_t count)
{
    memset(rows, 0xff, ROWS);
    for (int y = 0; y < HEIGHT; y++) {
        rows[y * (WIDTH + 1)] = 0;
        for (size_t i = 0; i < count; i++)
            if (HEIGHT - y <= values[i] * HEIGHT / 100)
                memset(&rows[(size_t)y * (WIDTH + 1) + 3 + i * WIDTH / count], 0,
                       WIDTH / count - 3);
    }
}

static size_t write_png(unsigned char out[ROWS + 128], const int64_t *values, size_t count)
{
    static const unsigned char head[13] = { 0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 8 };
    unsigned char data[ROWS + 16] = {
        0x78, 1, 1, ROWS & 255, ROWS >> 8, ~ROWS & 255, ~ROWS >> 8 & 255
    };
    uint32_t a = 1, b = 0;
    draw(data + 7, values, count);
    for (size_t i = 0; i < ROWS; i++) {
        a = (a + data[7 + i]) % 65521;
        b = (b + a) % 65521;
    }
    put32(data + 7 + ROWS, b << 16 | a);
    memcpy(out, "\x89PNG\r\n\x1a\n", 8);
    unsigned char *p = put_chunk(out + 8, "IHDR", head, sizeof head);
    p = put_chunk(p, "IDAT", data, 7 + ROWS + 4);
    return (size_t)(put_chunk(p, "IEND", "", 0) - out);
}

/* The tool */

static enum rf_code chart(void *context, struct rf_running *call, struct rf_result *result,
                          struct rf_err *err)
{
    const struct rf_jval *list = rf_jval_get(rf_jdoc_root(rf_running_json(call)), "values"), *v;
    struct rf_content *content = rf_result_content(result);
    unsigned char png[ROWS + 128];
    int64_t values[MOST] = { 0 };
    size_t count = 0;
    enum rf_code rc;
    (void)context;
    for (v = rf_jval_first(list); v && count < MOST; v = rf_jval_next(list, v))
        rf_jval_int64(v, &values[count++]);
    const struct rf_file file = {
        .size = sizeof file,
        .bytes = { (const char *)png, write_png(png, values, count) },
        .name = RF_LIT("chart.png"),
    };
    rf_running_progress(call, 1, 1, RF_LIT("drawn"));
    if ((rc = rf_content_text(content, RF_LIT("The chart of the values:"), err)) ||
        (rc = rf_content_file(content, &file, err)))
        return rc;
    return rf_content_json(content, rf_running_arguments(call), err);
}

static const char schema[] =
    "{\"type\": \"object\", \"required\": [\"values\"], \"properties\": {\"values\": {"
    "\"type\": \"array\", \"minItems\": 1, \"maxItems\": 12, \"items\": {\"type\": \"integer\", "
    "\"minimum\": 0, \"maximum\": 100}}}}";

static bool show(void *context, const struct rf_agent_event *e)
{
    (void)context;
    struct rf_str line = e->type == RF_AGENT_FILE ? rf_report_json(e->request, e->file) : e->text;
    if (e->type == RF_AGENT_FILE || e->type == RF_AGENT_PROGRESS)
        fprintf(stderr, "%.*s\n", RF_FMT(line));
    return true;
}

int main(int argc, char **argv)
{
    const struct rf_agent_tool tool = {
        .size = sizeof tool,
        .name = RF_LIT("chart"),
        .description = RF_LIT("Draws up to 12 values from 0 to 100 as bars."),
        .schema = { schema, sizeof schema - 1 },
        .permission = RF_TOOL_READ_ONLY,
        .run = chart,
    };
    struct rf_agent *agent = NULL;
    struct rf_str answer;
    struct rf_err err;
    if (argc != 3)
        return fputs("usage: tool MODEL QUESTION\n", stderr), 2;
    if (rf_agent_new(NULL, NULL, &agent, &err) || rf_agent_tool(agent, &tool, &err) ||
        rf_agent_model(agent, argv[1], &err) ||
        rf_agent_option(agent, "max_tokens", RF_LIT("2000"), &err))
        return fprintf(stderr, "%s\n%s\n", err.msg, err.hint), 1;
    rf_agent_only_own_tools(agent);
    rf_agent_offline(agent, rf_simulator_offline());
    rf_agent_listen(agent, show, NULL);
    const struct rf_str question = { argv[2], strlen(argv[2]) };
    enum rf_code rc = rf_agent_ask(agent, question, &answer, &err);
    if (rc)
        fprintf(stderr, "%s\n%s\n", err.msg, err.hint);
    else
        printf("%.*s\n", RF_FMT(answer));
    rf_agent_free(agent);
    return rc != RF_OK;
}
