/* The form of an elicitation: what a server asks for, read from its flat JSON schema, and the
 * answer written. A property that is not of a known kind makes the whole form one that cannot be
 * shown.
 *
 *     if (!rf_mcp_form_read(params, a, &form, err)) …
 *     rf_mcp_form_answer(&form, values, a)
 *
 * Pure: no I/O. It asks nobody: that is the caller's. */
#ifndef RF_MCP_CLIENT_FORM_H
#define RF_MCP_CLIENT_FORM_H

#include "base/error.h"
#include "base/json_read.h"
#include "base/str.h"

struct rf_arena;

enum rf_mcp_field_kind {
    RF_MCP_FIELD_TEXT,
    RF_MCP_FIELD_NUMBER,
    RF_MCP_FIELD_INTEGER,
    RF_MCP_FIELD_BOOLEAN,
    RF_MCP_FIELD_CHOICE,  /* one of the options */
    RF_MCP_FIELD_CHOICES, /* some of them */
};

struct rf_mcp_option {
    struct rf_str value, title; /* the title is the value where none is said */
};

struct rf_mcp_field {
    enum rf_mcp_field_kind kind;
    struct rf_str name, title, description; /* the title is the name where none is said */
    struct rf_str format; /* TEXT: "email", "uri", "date", "date-time"; or empty */
    bool required;
    struct rf_str initial; /* the default, as a person would type it; or empty */
    bool has_initial;
    bool has_least, has_most; /* TEXT: characters; numbers: the value; CHOICES: how many */
    double least, most;
    struct rf_mcp_option *options;
    size_t option_count;
};

struct rf_mcp_form {
    struct rf_str message; /* the server's, for the person */
    struct rf_mcp_field *fields;
    size_t count;
};

/* Fails with RF_EFORMAT where the schema is not one of a form, RF_ELIMIT where it has too many
 * fields or options. */
RF_MUST enum rf_code rf_mcp_form_read(const struct rf_jval *params, struct rf_arena *a,
                                      struct rf_mcp_form *out, struct rf_err *err);

/* Is this a value of the field, as a person typed it? Choices are values or titles, several with
 * commas between them; yes and no, true and false are boolean. An empty text leaves the field
 * out. Fails with RF_EFORMAT, saying what is wrong. */
RF_MUST enum rf_code rf_mcp_field_check(const struct rf_mcp_field *f, struct rf_str typed,
                                        struct rf_err *err);

/* form_format.c: what a text of that format is, as in "a date, such as …"; NULL for one that is any
 * text. */
const char *rf_mcp_format_words(struct rf_str format);
bool rf_mcp_format_fits(struct rf_str format, struct rf_str text);

/* The result that accepts the form, with what was typed for each field, in their order: what is
 * empty is left out. All of them were checked. */
struct rf_str rf_mcp_form_answer(const struct rf_mcp_form *f, const struct rf_str *typed,
                                 struct rf_arena *a);

/* A result of elicitation/create with the defaults of its schema added where it accepts and leaves
 * them out; itself where there is nothing to add. */
struct rf_str rf_mcp_form_complete(const struct rf_jval *params, struct rf_str result,
                                   struct rf_arena *a);

#endif
