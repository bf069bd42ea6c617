/* Token estimates: of text and JSON, and of media by the formula in a model's facts.
 *
 * They are for the budget: pure, fast, within some percent. What a provider reports back corrects
 * them, as one factor a model: calibration.h.
 */
#ifndef RF_MODEL_TOKENS_H
#define RF_MODEL_TOKENS_H

#include "base/json_read.h"
#include "media/weight.h"
#include "model/model.h"

/* Tokens of a text, by the pieces that vocabularies cut it into; linear, some 5 ms a megabyte. */
int64_t rf_text_tokens(const struct rf_caps *c, struct rf_str text);

/* What any text of so many bytes has at most, and any JSON value that is spelled with them. */
int64_t rf_most_tokens(const struct rf_caps *c, size_t bytes);

/* Tokens of a text that was weighed before. */
int64_t rf_weight_tokens(const struct rf_caps *c, const struct rf_text_weight *w);

/* Tokens of a JSON value in its shortest spelling; NULL has none. */
int64_t rf_json_tokens(const struct rf_caps *c, const struct rf_jval *v);

/* Formulas (numbers in decimal):
 *   patches/SIDE/EDGE/CAP[/PERCENT]  squares of SIDE px after the fit to EDGE (0: none), at most
 *                                    CAP, times PERCENT / 100
 *   tiles/SIDE/TOKENS/SMALL          TOKENS a tile of SIDE px; one tile up to SMALL x SMALL
 *   openai/BASE/TILE                 BASE and TILE a 512-px tile, after the fit to 2048 and 768
 *   fixed/TOKENS
 * Tokens of a picture, or -1 where the formula or the size is not known. */
int64_t rf_image_tokens(struct rf_str formula, int64_t width, int64_t height);

/* What is known of a file that is sent as itself; 0 is unknown. */
struct rf_measure {
    enum rf_kind kind;
    int64_t width, height, pages, duration_ms;
    int64_t bytes;
    int64_t text_tokens; /* of a text, or of the text of its pages where it was extracted */
    bool knows_text;     /* `text_tokens` are those of the pages, also where they are 0 */
};

/* Tokens of such a file, never unknown: what was not measured is guessed from its bytes, or taken
 * for something of the usual size. */
int64_t rf_media_tokens(const struct rf_caps *c, const struct rf_measure *m);

/* Is it one of the formulas? */
bool rf_image_formula_valid(struct rf_str formula);

#endif
