/* refract-media-office: the text and the pictures of documents.
 *
 * rf_office_answer maps the file, tells its format from the bytes and hands it to the one reader
 * that knows it. Each reader is one file and one function of the shape below; it sends parts (a
 * text for each slide, sheet or chapter), or ends with rf_answer_fail. Nothing here renders,
 * calculates formulas, runs macros, follows a link or writes a file.
 *
 * What a reader sends for op=text: the facts `pages` (slides, sheets, chapters; 1 where a
 * document has none), `tables`; then for every page from `first` to `last` one
 * part "kind=text\npage=N\ntitle=…\n" with its text as Markdown; last `pictures` and
 * `pictures_given`. Pictures go out between the text, or instead of it, as figures.h says: a
 * reader only names them.
 *
 * Further keys that all readers honour: `max_text`, the bytes of text after which it is cut,
 * with a note (at most RF_OFFICE_MAX_TEXT). */
#ifndef RF_OFFICE_OFFICE_H
#define RF_OFFICE_OFFICE_H

#include "worker/frame.h"

#define RF_OFFICE_MAX_TEXT ((int64_t)16 << 20)

void rf_office_answer(const struct rf_ask *ask, struct rf_answer *to);

struct rf_unzip;

/* The formats that are archives: the archive is open already. */
void rf_office_docx(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);
void rf_office_pptx(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);
void rf_office_xlsx(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);
void rf_office_odf(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);
void rf_office_epub(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);

/* The formats that are not. */
void rf_office_rtf(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to);
void rf_office_flat_odf(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to);
void rf_office_eml(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to);
void rf_office_html(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to);

/* The range of pages that the ask wants, of `count`, as an array counts them: first <= end <=
 * count. False after rf_answer_fail, where the first that is wanted is after the last. */
struct rf_office_range {
    int64_t first, end;
};
bool rf_office_range(const struct rf_ask *ask, int64_t count, struct rf_office_range *out,
                     struct rf_answer *to);

/* The same for the sheet that the ask names, of those that are called so; where it names none, for
 * a range of them. False after rf_answer_fail, which says what there is. */
bool rf_office_sheets(const struct rf_ask *ask, const struct rf_str *names, size_t count,
                      struct rf_office_range *out, struct rf_answer *to);

/* How many bytes of text may go out. */
int64_t rf_office_max_text(const struct rf_ask *ask);

/* Begin a part of text, where text is wanted; `title` may be empty and may hold anything. */
struct rf_figures;
void rf_office_page(struct rf_figures *pictures, int64_t page, struct rf_str title);

/* rf_answer_fail with what a struct rf_err says. */
void rf_office_fail(struct rf_answer *to, const struct rf_err *err);

#endif
