/* libmicrohttpd, loaded with dlopen when a server is started. The names are the library's without
 * their MHD_. */
#ifndef RF_SIM_MICROHTTPD_H
#define RF_SIM_MICROHTTPD_H

#include "base/error.h"

#include <microhttpd.h>

struct rf_mhd {
    __typeof__(MHD_add_connection) *add_connection;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_create_response_from_callback) *create_response_from_callback;
    __typeof__(MHD_destroy_response) *destroy_response;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_get_connection_values_n) *get_connection_values_n;
    __typeof__(MHD_get_daemon_info) *get_daemon_info;
    __typeof__(MHD_get_timeout) *get_timeout;
    __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_resume_connection) *resume_connection;
    __typeof__(MHD_run) *run;
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_suspend_connection) *suspend_connection;
};

/* Filled by rf_mhd_load, once; then it does not change. */
extern struct rf_mhd rf_mhd;

/* Fails with RF_ECONFIG where the library is not there. */
RF_MUST enum rf_code rf_mhd_load(struct rf_err *err);

#endif
