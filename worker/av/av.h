/* Sound and video through the FFmpeg libraries: how long it is and what is in it, pictures out of
 * a video, sound as wav or mp3.
 *
 *     op=info      facts duration_ms, container, audio, video, width, height, cover, tag.NAME
 *     op=frames    count, max_side, max_bytes, types: parts of kind image with time_ms
 *     op=sound     mime, max_bytes, start_ms, end_ms: a part of kind audio
 *
 * The file comes as bytes in memory. It refuses to open anything else: no protocol, no file that a
 * file refers to, no container and no codec that is not on its lists (input.c).
 */
#ifndef RF_WORKER_AV_H
#define RF_WORKER_AV_H

#include "worker/frame.h"

/* Silences FFmpeg and bounds what it allocates. Returns NULL: it needs nothing that may be
 * missing. */
const char *rf_av_start(void);
void rf_av_answer(const struct rf_ask *ask, struct rf_answer *to);

#endif
