/* Token estimates for media, by the formula in a model's facts. */
#ifndef RF_MODEL_TOKENS_H
#define RF_MODEL_TOKENS_H

#include "model/model.h"

/* Formulas (numbers in decimal):
 *   patches/SIDE/EDGE/CAP[/PERCENT]  squares of SIDE px after the fit to EDGE (0: none), at most CAP,
 *                                    times PERCENT / 100
 *   tiles/SIDE/TOKENS/SMALL          TOKENS a tile of SIDE px; one tile up to SMALL x SMALL
 *   openai/BASE/TILE                 BASE and TILE a 512-px tile, after the fit to 2048 and 768
 *   fixed/TOKENS
 * Tokens of a picture, or -1 where the formula or the size is not known. */
int64_t rf_image_tokens(struct rf_str formula, int64_t width, int64_t height);

/* Is it one of the formulas? */
bool rf_image_formula_valid(struct rf_str formula);

#endif
