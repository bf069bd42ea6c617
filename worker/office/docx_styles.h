/* What a paragraph of a Word document is: its style says heading or list, its numbering says which
 * number it bears. Both are read before the text. */
#ifndef RF_OFFICE_DOCX_STYLES_H
#define RF_OFFICE_DOCX_STYLES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "worker/office/unzip.h"

#define RF_DOCX_LEVELS 9

struct rf_docx_style {
    struct rf_str id, based_on;
    bool is_default;           /* of paragraphs */
    int heading;               /* 1 to 9; 0: none; -1: not said here */
    int64_t num_id, num_level; /* -1: not said here */
};

struct rf_docx_level {
    struct rf_str format, text, style; /* "decimal", "%1.", a style that means this level */
    int64_t start;
};

struct rf_docx_abstract {
    int64_t id;
    struct rf_str style_link; /* the numbering is that of this style */
    struct rf_docx_level levels[RF_DOCX_LEVELS];
    int64_t counters[RF_DOCX_LEVELS];
    bool begun[RF_DOCX_LEVELS];
};

struct rf_docx_num {
    int64_t id, abstract_id;
    int64_t start[RF_DOCX_LEVELS]; /* -1: not overridden */
    bool used[RF_DOCX_LEVELS];
};

struct rf_docx_styles {
    struct rf_arena *arena;
    struct rf_docx_style *styles;
    struct rf_docx_abstract *abstracts;
    struct rf_docx_num *nums;
    size_t n_styles, cap_styles, n_abstracts, cap_abstracts, n_nums, cap_nums;
    size_t last;         /* the style that was found last */
    struct rf_buf label; /* of the last paragraph */
};

/* Read both parts; a member of -1 is not there. Damage ends a part early and is not a failure. */
void rf_docx_styles_read(struct rf_docx_styles *s, struct rf_unzip *zip, int64_t styles,
                         int64_t numbering);

/* What the style says, and where it does not, those that it is based on. */
struct rf_docx_meaning {
    int heading; /* 0: none */
    int64_t num_id, num_level;
};
struct rf_docx_meaning rf_docx_style_meaning(struct rf_docx_styles *s, struct rf_str id);

/* The label of the next paragraph with this numbering: "-", "2.", "1.3.a"; empty for none. Lives
 * until the next one. */
struct rf_str rf_docx_next_label(struct rf_docx_styles *s, int64_t num_id, int64_t level);

#endif
