/* What differs between the releases of FFmpeg that we build with: 5.1 (Debian 12) to 7.1. */
#ifndef RF_WORKER_AV_FFMPEG_H
#define RF_WORKER_AV_FFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#define RF_MATRIX_BYTES (9 * sizeof(int32_t))

/* How the pictures of the stream are to be turned: nine numbers, or NULL. */
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
#include <libavcodec/packet.h>
static inline const int32_t *rf_stream_matrix(const AVStream *s)
{
    const AVPacketSideData *side = av_packet_side_data_get(
        s->codecpar->coded_side_data, s->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return side && side->size >= RF_MATRIX_BYTES ? (const int32_t *)(const void *)side->data : NULL;
}
#else
static inline const int32_t *rf_stream_matrix(const AVStream *s)
{
    size_t size = 0;
    const void *data = av_stream_get_side_data(s, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return size >= RF_MATRIX_BYTES ? data : NULL;
}
#endif

#endif
