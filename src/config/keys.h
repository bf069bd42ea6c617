/* The one table of the configuration's keys, which says for each who may set it. A key that has no
 * row is unknown, so that nothing is read for which that is not decided.
 *
 *     row = rf_key_find("models.*", RF_STR("provider"));
 *     if (row->setter == RF_SETTER_PERSON) …
 */
#ifndef RF_CONFIG_KEYS_H
#define RF_CONFIG_KEYS_H

#include "base/str.h"

enum rf_setter {
    /* In the file of their own: where something is sent, with which key, what runs unasked. */
    RF_SETTER_PERSON,
    RF_SETTER_TRUSTED, /* a project's file too, once the person trusts it */
    RF_SETTER_PARTS,   /* a map: the keys in it have rows of their own */
};

/* What anyone may say, since less is asked for than before. */
enum rf_lessening {
    RF_LESS_NOTHING,
    RF_LESS_NO,    /* a switch that is off */
    RF_LESS_LOWER, /* a number below the one in force */
};

struct rf_key {
    const char *path; /* names with dots between them; "*" is a name that the file gives */
    enum rf_setter setter;
    enum rf_lessening less;
    const char *what; /* "a project's file cannot say …", where it cannot */
};

extern const struct rf_key rf_keys[];
extern const size_t rf_key_count;

/* The row of a key in the map at `section`, which is "" for the file itself; or NULL. */
const struct rf_key *rf_key_find(const char *section, struct rf_str name);

/* The row of an entry that the file names: one of that name, or else that of all names. */
const struct rf_key *rf_key_entry(const char *section, struct rf_str name);

/* Has it no parts with rows of their own? */
bool rf_key_is_leaf(const struct rf_key *row);

/* What the row's key is called in that map; NULL where it stands in another. */
const char *rf_key_name(const struct rf_key *row, const char *section);

#endif
