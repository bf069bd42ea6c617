/* Strictness that several dialects share: which members an object may have, what a data URL says,
 * whether a model of that name exists, and whether a picture is one that it takes. The words of a
 * refusal are the dialects'. */
#ifndef RF_SIM_STRICT_H
#define RF_SIM_STRICT_H

#include "sim/sim.h"

enum {
    RF_SIM_NULL = 1 << RF_JNULL,
    RF_SIM_BOOL = 1 << RF_JTRUE | 1 << RF_JFALSE,
    RF_SIM_NUMBER = 1 << RF_JNUMBER,
    RF_SIM_STRING = 1 << RF_JSTRING,
    RF_SIM_ARRAY = 1 << RF_JARRAY,
    RF_SIM_OBJECT = 1 << RF_JOBJECT,
    RF_SIM_ANY = 0xff,
};

enum rf_sim_fault { RF_SIM_FINE, RF_SIM_UNKNOWN, RF_SIM_MISSING, RF_SIM_WRONG_TYPE };

struct rf_sim_wrong {
    enum rf_sim_fault fault;
    struct rf_str name;
    unsigned want; /* WRONG_TYPE */
    enum rf_jtype got;
};

/* The first thing that is wrong with an object: what is missing, then what has a wrong type, then
 * what is unknown. `members` describes it: "role:s! content:sa! name:s" are the names, the types
 * that each may have (string, number, bool, array, object, * any), and ! where it must be there;
 * null is fine too where it need not. */
struct rf_sim_wrong rf_sim_members(const struct rf_jval *object, const char *members,
                                   struct rf_arena *a);

/* The text of a string, or "" where `v` is none. */
struct rf_str rf_sim_text(const struct rf_sim_request *r, const struct rf_jval *v);
/* The text of a member. */
struct rf_str rf_sim_get(const struct rf_sim_request *r, const struct rf_jval *object,
                         const char *name);
/* Is the string `v` one of these words, which spaces separate? */
bool rf_sim_one_of(struct rf_str v, const char *words);

/* "data:MIME;base64,DATA" taken apart; false where it is not one. */
bool rf_sim_data_url(struct rf_str url, struct rf_str *mime, struct rf_str *base64);
bool rf_sim_is_web_url(struct rf_str url);

/* Names that look like a vendor's and hold a word which none of its models has are taken for typing
 * errors; some vendors have no model but those of the catalogue's families, and the rest is for
 * rf_sim_knows. */
bool rf_sim_model_exists(const struct rf_model *m);

/* What is wrong with a picture's bytes for this model, in the order in which it is looked at. */
enum rf_sim_picture {
    RF_SIM_PICTURE_FINE,
    RF_SIM_PICTURE_FORMAT, /* none that the model takes */
    RF_SIM_PICTURE_BROKEN, /* its header is nonsense */
    RF_SIM_PICTURE_BYTES,  /* over max_image_bytes */
    RF_SIM_PICTURE_SIDE,   /* over max_image_side */
    RF_SIM_PICTURE_PIXELS, /* over max_image_pixels */
};
enum rf_sim_picture rf_sim_picture(const struct rf_caps *caps, struct rf_str bytes,
                                   const struct rf_format *format, struct rf_facts *facts);

#endif
