/* libnghttp2, loaded with dlopen when a server is started. The names are the library's without
 * their nghttp2_. */
#ifndef RF_SIM_NGHTTP2_H
#define RF_SIM_NGHTTP2_H

#include "base/error.h"

#include <nghttp2/nghttp2.h>

struct rf_ng {
    __typeof__(nghttp2_session_callbacks_del) *session_callbacks_del;
    __typeof__(nghttp2_session_callbacks_new) *session_callbacks_new;
    __typeof__(nghttp2_session_callbacks_set_on_begin_headers_callback)
        *session_callbacks_set_on_begin_headers_callback;
    __typeof__(nghttp2_session_callbacks_set_on_data_chunk_recv_callback)
        *session_callbacks_set_on_data_chunk_recv_callback;
    __typeof__(nghttp2_session_callbacks_set_on_frame_recv_callback)
        *session_callbacks_set_on_frame_recv_callback;
    __typeof__(nghttp2_session_callbacks_set_on_header_callback)
        *session_callbacks_set_on_header_callback;
    __typeof__(nghttp2_session_callbacks_set_on_stream_close_callback)
        *session_callbacks_set_on_stream_close_callback;
    __typeof__(nghttp2_session_del) *session_del;
    __typeof__(nghttp2_session_mem_recv) *session_mem_recv;
    __typeof__(nghttp2_session_mem_send) *session_mem_send;
    __typeof__(nghttp2_session_resume_data) *session_resume_data;
    __typeof__(nghttp2_session_server_new) *session_server_new;
    __typeof__(nghttp2_session_want_read) *session_want_read;
    __typeof__(nghttp2_session_want_write) *session_want_write;
    __typeof__(nghttp2_submit_response) *submit_response;
    __typeof__(nghttp2_submit_settings) *submit_settings;
};

/* Filled by rf_ng_load, once; then it does not change. */
extern struct rf_ng rf_ng;

/* Fails with RF_ECONFIG where the library is not there. */
RF_MUST enum rf_code rf_ng_load(struct rf_err *err);

#endif
