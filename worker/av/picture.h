/* A frame of a video as a PNG or JPEG: turned as shown, scaled, in square pixels. */
#ifndef RF_WORKER_AV_PICTURE_H
#define RF_WORKER_AV_PICTURE_H

#include "worker/frame.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

struct rf_av_picture_wish {
    int max_side;     /* 0: as large as it is */
    size_t max_bytes; /* 0: as many as it takes */
    bool png;         /* else JPEG */
};

struct rf_av_picture {
    AVPacket *packet; /* the file; free it with av_packet_free */
    int width, height;
};

/* How large a frame of these pixels is shown: turned, and with pixels made square. */
void rf_av_shown_size(const AVStream *s, int width, int height, int *shown_width,
                      int *shown_height);

/* False where it cannot be made, or not within `max_bytes`. */
bool rf_av_picture(const AVStream *s, const AVFrame *frame, const struct rf_av_picture_wish *wish,
                   struct rf_av_picture *out);

#endif
