/* Skipping what may stand before a root element: a byte order mark, white space, the declaration,
 * processing instructions, comments, a document type with its inner declarations.
 *
 * Looks at the first 64 KiB and no further. Entities are left as they stand. */
#include "media/xml.h"

#include <string.h>

#define MAX_FRONT ((uint64_t)64 * 1024)

static int byte_at(struct rf_look *k, uint64_t at)
{
    return at < MAX_FRONT ? rf_look_byte(k, at) : -1;
}

static bool is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool starts_name(int c)
{
    c = lower(c);
    return (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
}

static bool is_in_name(int c)
{
    return starts_name(c) || rf_is_digit(c) || c == ':' || c == '-' || c == '.';
}

static uint64_t skip_space(struct rf_look *k, uint64_t at)
{
    while (is_space(byte_at(k, at)))
        at++;
    return at;
}

/* Copy a name, cut to fit, and move past it. */
static uint64_t take_name(struct rf_look *k, uint64_t at, char *out, size_t size)
{
    size_t n = 0;
    int c;

    for (; is_in_name(c = byte_at(k, at)); at++) {
        if (n + 1 < size)
            out[n++] = (char)c;
    }
    out[n] = '\0';
    return at;
}

static void lower_name(char *name, const char **local)
{
    *local = name;
    for (char *p = name; *p; p++) {
        *p = (char)lower((unsigned char)*p);
        if (*p == ':')
            *local = p + 1;
    }
}

/* After the '>' that ends a document type: brackets and quotes hide others. */
static uint64_t skip_doctype(struct rf_look *k, uint64_t at)
{
    int quote = 0, depth = 0, c;

    for (; (c = byte_at(k, at)) >= 0; at++) {
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '[' || c == ']')
            depth += c == '[' ? 1 : -1;
        else if (c == '>' && depth <= 0)
            return at + 1;
    }
    return MAX_FRONT;
}

static uint64_t skip_past(struct rf_look *k, uint64_t at, const char *end)
{
    uint64_t hit;

    return rf_look_find(k, at, MAX_FRONT, end, &hit) ? hit + strlen(end) : MAX_FRONT;
}

static bool is_doctype(struct rf_look *k, uint64_t at)
{
    const uint8_t *p = rf_look(k, at, 10);

    if (!p || p[9] > ' ')
        return false;
    for (size_t i = 0; i < 9; i++) {
        if (lower(p[i]) != "<!doctype"[i])
            return false;
    }
    return true;
}

/* Skip one thing that is not the root; false when the root, or no markup, stands there. */
static bool skip_one(struct rf_look *k, uint64_t *at, struct rf_xml_root *out)
{
    const char *local;

    if (RF_SEES(k, *at, "<?")) {
        out->declared = out->declared || RF_SEES(k, *at, "<?xml");
        *at = skip_past(k, *at, "?>");
        return true;
    }
    if (RF_SEES(k, *at, "<!--")) {
        *at = skip_past(k, *at + 4, "-->");
        return true;
    }
    if (!is_doctype(k, *at))
        return false;
    *at = take_name(k, skip_space(k, *at + 9), out->doctype, sizeof out->doctype);
    lower_name(out->doctype, &local);
    *at = skip_doctype(k, *at);
    return true;
}

/* A tag's name is followed by space or ends the tag: "<me@here>" is none. */
static bool ends_name(int c)
{
    return c < 0 || is_space(c) || c == '>' || c == '/';
}

bool rf_xml_root(struct rf_look *k, struct rf_xml_root *out)
{
    uint64_t at = skip_space(k, RF_SEES(k, 0, "\xef\xbb\xbf") ? 3 : 0);
    char name[64];
    const char *local;

    *out = (struct rf_xml_root){ 0 };
    if (byte_at(k, at) != '<')
        return false;
    while (at < MAX_FRONT && skip_one(k, &at, out))
        at = skip_space(k, at);
    if (at >= MAX_FRONT || byte_at(k, at) != '<' || !starts_name(byte_at(k, at + 1)))
        return out->declared || out->doctype[0];
    out->attributes = take_name(k, at + 1, name, sizeof name);
    if (!ends_name(byte_at(k, out->attributes)))
        return out->declared || out->doctype[0];
    lower_name(name, &local);
    if (strlen(local) < sizeof out->name)
        memcpy(out->name, local, strlen(local) + 1);
    return true;
}

static uint64_t take_value(struct rf_look *k, uint64_t at, char *out, size_t size)
{
    int quote = byte_at(k, at), c = 0;
    size_t n = 0;

    out[0] = '\0';
    if (quote != '"' && quote != '\'')
        return at;
    for (at++; (c = byte_at(k, at)) >= 0 && c != quote; at++) {
        if (n + 1 < size)
            out[n++] = (char)c;
    }
    out[n] = '\0';
    return c == quote ? at + 1 : at;
}

bool rf_xml_attribute(struct rf_look *k, uint64_t *at, struct rf_xml_attribute *out)
{
    uint64_t here = skip_space(k, *at), name = here;

    here = take_name(k, here, out->name, sizeof out->name);
    if (here == name)
        return false;
    here = skip_space(k, here);
    out->value[0] = '\0';
    if (byte_at(k, here) == '=')
        here = take_value(k, skip_space(k, here + 1), out->value, sizeof out->value);
    *at = here;
    return true;
}
