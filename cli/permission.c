#include "permission.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <refract/refract.h>

#include "report.h"
#include "text.h"

#define MOST_LINE 4096

static bool matches(const char *pattern, struct rf_str s)
{
    if (*pattern != '*')
        return s.n && *pattern == s.p[0] ? matches(pattern + 1, (struct rf_str){ s.p + 1, s.n - 1 })
                                         : !*pattern && !s.n;
    while (pattern[1] == '*')
        pattern++;
    for (size_t i = 0; i <= s.n; i++)
        if (matches(pattern + 1, (struct rf_str){ s.p + i, s.n - i }))
            return true;
    return false;
}

/* Whom data goes to is named, and no pattern. */
static bool names(const char *given, struct rf_str tool)
{
    if (rf_permission_is_tool(tool) && rf_permission_is_tool(rf_text(given)))
        return matches(given, tool);
    return strlen(given) == tool.n && memcmp(given, tool.p, tool.n) == 0;
}

bool rf_permission_is_given(const struct rf_args *args, size_t option, struct rf_str tool)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == option && names(args->given[i].value, tool))
            return true;
    return false;
}

static bool is_tool(struct rf_agent *agent, const char *name)
{
    for (size_t i = 0; i < rf_tools_count(); i++)
        if (strcmp(rf_tools_name(i), name) == 0)
            return true;
    if (strchr(name, '*'))
        return true;
    /* Which tools a server has is known when it runs. */
    bool served = strstr(name, "__") && rf_agent_server_count(agent);
    return served || rf_agent_tool_words(agent, rf_text(name)).n ||
           !rf_permission_is_tool(rf_text(name));
}

/* "build, test": the tools of the configuration, with a comma after each. */
static void print_commands(struct rf_config *config)
{
    struct rf_str json, place;
    struct rf_err unseen;
    struct rf_jdoc *doc;
    if (rf_config_get(config, "tools", &json, &place, &unseen) || rf_jdoc_read(json, &doc, &unseen))
        return;
    const struct rf_jval *all = rf_jdoc_root(doc), *key = rf_jval_first(all);
    for (; key; key = rf_jval_next(all, rf_jval_value(key))) {
        rf_print_text(stderr, rf_jdoc_text(doc, key));
        fputs(", ", stderr);
    }
    rf_jdoc_free(doc);
}

static void say_no_tool(const char *name, struct rf_config *config)
{
    fputs("note: --allow ", stderr);
    rf_print_text(stderr, rf_text(name));
    fputs(": there is no tool of that name; there are ", stderr);
    print_commands(config);
    for (size_t i = 0; i < rf_tools_count(); i++)
        fprintf(stderr, "%s, ", rf_tools_name(i));
    fputs("SERVER__TOOL and " RF_PERMIT_FETCH "HOST\n", stderr);
}

void rf_permission_check(const struct rf_args *args, size_t option, struct rf_agent *agent,
                         struct rf_config *config)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == option && !is_tool(agent, args->given[i].value))
            say_no_tool(args->given[i].value, config);
}

bool rf_permission_is_readable(struct rf_str tool, struct rf_str arguments, struct rf_err *err)
{
    if (arguments.n <= RF_PERMISSION_MOST)
        return true;
    rf_say(err, RF_ELIMIT,
           "%.*s was not run: the %zu bytes that it was called with are too many to read",
           RF_FMT(tool), arguments.n);
    rf_say_hint(err, "At most %d bytes are asked about; --allow %.*s runs it without a question.",
                RF_PERMISSION_MOST, RF_FMT(tool));
    return false;
}

/* Characters that take no place, or look like a space: they are not seen in a word. */
static bool is_unseen(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } unseen[] = {
        { 0xa0, 0xa0 },     { 0xad, 0xad },       { 0x34f, 0x34f },     { 0x61c, 0x61c },
        { 0x115f, 0x1160 }, { 0x1680, 0x1680 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
        { 0x2000, 0x200f }, { 0x2028, 0x202f },   { 0x205f, 0x206f },   { 0x2800, 0x2800 },
        { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
        { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
    };
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (c >= unseen[i].first && c <= unseen[i].last)
            return true;
    return false;
}

static void add_seen(struct rf_buffer *out, struct rf_str s, bool one_line)
{
    for (size_t at = 0, n; at < s.n; at += n) {
        n = rf_character((struct rf_str){ s.p + at, s.n - at });
        uint32_t c = n > 1 ? (unsigned char)s.p[at] & (0xffu >> (n + 1)) : 0;
        for (size_t i = 1; i < n; i++)
            c = c << 6 | ((unsigned char)s.p[at + i] & 0x3f);
        n = n ? n : 1;
        if (one_line && (unsigned char)s.p[at] < ' ')
            c = (unsigned char)s.p[at];
        if (is_unseen(c) || (c && c < ' '))
            rf_buffer_print(out, "\\u%04x", (unsigned)c);
        else
            rf_buffer_add(out, s.p + at, n);
    }
}

void rf_permission_seen(struct rf_buffer *out, struct rf_str s)
{
    add_seen(out, s, false);
}

void rf_permission_line(struct rf_buffer *out, struct rf_str s)
{
    add_seen(out, s, true);
}

/* What is asked about besides tools: PREFIX and whom it is about. */
static const struct {
    const char *prefix, *deed, *which, *always; /* `always` NULL: each time */
    bool lines;                                 /* it is more than an address */
} others[] = {
    { RF_PERMIT_FETCH, "fetch", "which tells all of this address to ", "always from ", false },
    { RF_PERMIT_SAMPLING, "have the model answer",
      "which is what the MCP server asks: ", "always for ", true },
    { RF_PERMIT_RESOURCE, "read", "which tells this address to the MCP server ", "always of ",
      false },
    { RF_PERMISSION_FORM, "send", "which goes to the MCP server ", NULL, true },
    { RF_PERMISSION_AGREE, "agree", "which is what the MCP server asks: ", NULL, true },
    { RF_PERMISSION_VISIT, "go on: open this page in your browser:",
      "for which you are asked by the MCP server ", NULL, false },
};
#define OTHERS (sizeof others / sizeof *others)

/* Which of them it is, and about whom; OTHERS: it is a tool. */
static size_t find_other(struct rf_str tool, struct rf_str *whom)
{
    for (size_t i = 0; i < OTHERS; i++) {
        size_t n = strlen(others[i].prefix);
        *whom = (struct rf_str){ tool.p + n, tool.n - n };
        if (tool.n > n && memcmp(tool.p, others[i].prefix, n) == 0)
            return i;
    }
    *whom = rf_text("");
    return OTHERS;
}

struct rf_str rf_permission_host(struct rf_str tool)
{
    struct rf_str whom;
    size_t i = find_other(tool, &whom);
    return i < OTHERS && strcmp(others[i].prefix, RF_PERMIT_FETCH) == 0 ? whom : rf_text("");
}

bool rf_permission_is_tool(struct rf_str tool)
{
    struct rf_str whom;
    return find_other(tool, &whom) == OTHERS;
}

void rf_permission_deed(struct rf_buffer *out, struct rf_str tool)
{
    struct rf_str whom;
    size_t i = find_other(tool, &whom);
    rf_buffer_text(out, i < OTHERS ? others[i].deed : "run ");
    if (i == OTHERS)
        rf_permission_seen(out, tool);
}

void rf_permission_always(struct rf_buffer *out, struct rf_str tool)
{
    struct rf_str whom;
    size_t i = find_other(tool, &whom);
    if (i < OTHERS && !others[i].always)
        return;
    rf_buffer_text(out, i < OTHERS ? others[i].always : "always ");
    rf_permission_seen(out, i < OTHERS ? whom : tool);
    rf_buffer_text(out, i < OTHERS ? "" : ", with any arguments");
}

void rf_permission_text(struct rf_buffer *out, struct rf_str tool, struct rf_str arguments,
                        struct rf_str words)
{
    struct rf_str whom;
    size_t i = find_other(tool, &whom);
    rf_permission_deed(out, tool);
    rf_buffer_text(out, " ");
    add_seen(out, arguments, i < OTHERS && !others[i].lines);
    rf_buffer_text(out, i < OTHERS || words.n ? "\n" : "");
    rf_buffer_text(out, i < OTHERS ? others[i].which : words.n ? "which is " : "");
    rf_permission_seen(out, i < OTHERS ? whom : words);
}

void rf_permission_print(struct rf_str tool, struct rf_str arguments, struct rf_str words)
{
    struct rf_buffer text = { 0 };
    rf_permission_text(&text, tool, arguments, words);
    struct rf_str rest = rf_buffer_view(&text);
    for (const char *mark = "? "; rest.n; mark = "  ") {
        const char *feed = memchr(rest.p, '\n', rest.n);
        size_t n = feed ? (size_t)(feed - rest.p) : rest.n, used = n + (feed != NULL);
        fputs(mark, stderr);
        rf_print_text(stderr, (struct rf_str){ rest.p, n });
        fputc('\n', stderr);
        rest = (struct rf_str){ rest.p + used, rest.n - used };
    }
    rf_buffer_release(&text);
}

int rf_permission_open(void)
{
    return isatty(STDERR_FILENO) ? open("/dev/tty", O_RDONLY | O_CLOEXEC) : -1;
}

char *rf_permission_ask_line(int tty, struct rf_str question)
{
    char line[MOST_LINE];
    size_t n = 0;
    ssize_t got;
    tcflush(tty, TCIFLUSH);
    rf_print_text(stderr, question);
    fflush(stderr);
    while ((got = read(tty, line + n, 1)) == 1 && line[n] != '\n' && n < sizeof line - 1)
        n++;
    return got == 1 ? rf_text_copy((struct rf_str){ line, n }) : NULL;
}

char rf_permission_letter(int tty, struct rf_str question)
{
    char *line = rf_permission_ask_line(tty, question), first = line ? line[0] : '\0';
    free(line);
    return first >= 'A' && first <= 'Z' ? (char)(first - 'A' + 'a') : first;
}

static enum rf_permission read_answer(int tty, struct rf_str tool)
{
    struct rf_buffer question = { 0 }, always = { 0 };
    rf_permission_always(&always, tool);
    rf_buffer_text(&question, "  (y: yes, n: no");
    rf_buffer_text(&question, always.n ? ", a: " : "");
    rf_buffer_str(&question, rf_buffer_view(&always));
    rf_buffer_text(&question, ") ");
    rf_buffer_release(&always);
    char letter = rf_permission_letter(tty, rf_buffer_view(&question));
    rf_buffer_release(&question);
    switch (letter) {
    case 'y':
        return RF_PERMIT_ONCE;
    case 'a':
        return RF_PERMIT_ALWAYS;
    default:
        return RF_PERMIT_NO;
    }
}

enum rf_permission rf_permission_ask(struct rf_agent *agent, struct rf_str tool,
                                     struct rf_str arguments, bool *unasked)
{
    struct rf_err refusal;
    int tty = rf_permission_open();
    if (unasked)
        *unasked = tty < 0;
    if (tty < 0)
        return RF_PERMIT_NO;
    if (!rf_permission_is_readable(tool, arguments, &refusal)) {
        rf_report_note(&refusal);
        close(tty);
        return RF_PERMIT_NO;
    }
    rf_permission_print(tool, arguments, rf_agent_tool_words(agent, tool));
    enum rf_permission p = read_answer(tty, tool);
    close(tty);
    return p;
}
