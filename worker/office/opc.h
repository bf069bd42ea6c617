/* Open Packaging Conventions: how the parts of a docx, pptx or xlsx find each other.
 *
 *     struct rf_rels rels;
 *     rf_rels_load(&rels, zip, RF_STR("word/document.xml"));
 *     const struct rf_rel *styles = rf_rels_first(&rels, "styles");
 *     int64_t member = rf_rels_member(zip, styles);
 *
 * A part has relationships, in a member of their own beside it: each with an id, a type and a
 * target. Types are told by their last word, which is the same in the transitional and the
 * strict form of the standard. Whatever is damaged or missing is simply not there. */
#ifndef RF_OFFICE_OPC_H
#define RF_OFFICE_OPC_H

#include "worker/frame.h"
#include "worker/office/unzip.h"

#define RF_MAX_RELS 65536

struct rf_rel {
    struct rf_str id;
    struct rf_str type;   /* its last word: "styles" */
    struct rf_str target; /* a member's name, or a URL where it is external */
    bool external;
};

struct rf_rels {
    struct rf_rel *items;
    size_t n, cap;
    size_t last; /* where the last look-up ended */
};

/* The relationships of `part`; those of the package where it is empty. In the archive's arena. */
void rf_rels_load(struct rf_rels *rels, struct rf_unzip *zip, struct rf_str part);
/* NULL where there is none. */
const struct rf_rel *rf_rels_find(struct rf_rels *rels, struct rf_str id);
const struct rf_rel *rf_rels_first(const struct rf_rels *rels, const char *type);
/* The member it leads to; -1 for NULL, for what is external and for what is missing. */
int64_t rf_rels_member(struct rf_unzip *zip, const struct rf_rel *rel);
/* The last piece of a target: "image1.png". */
struct rf_str rf_rel_name(const struct rf_rel *rel);

/* The member that is the document itself, and its name; -1 where this is not such a package. */
int64_t rf_opc_main(struct rf_unzip *zip, struct rf_str *part);
/* What it is, by its root element: "document", "presentation", "workbook", or "binary" where it
 * is not XML. In the archive's arena. Fails as rf_sax_member does. */
enum rf_code rf_opc_kind(struct rf_unzip *zip, int64_t main, const char **kind, struct rf_err *err);

/* Send the facts `title` and `author`, where the document has them. */
void rf_opc_properties(struct rf_unzip *zip, struct rf_answer *to);

#endif
