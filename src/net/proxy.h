/* Through which proxy a call goes: the one that the environment names, in the spellings that
 * libcurl reads (http_proxy; https_proxy, HTTPS_PROXY; all_proxy, ALL_PROXY), and none for
 *
 *   - this machine: loopback and link-local addresses (a cloud's metadata among them), those of its
 *     interfaces, `localhost`, `*.localhost` and names that /etc/hosts gives to loopback;
 *   - what no_proxy or NO_PROXY names: hosts with all below them, addresses, networks
 *     ("10.0.0.0/8"), "*".
 *
 * What goes through a proxy by plain HTTP is read there.
 */
#ifndef RF_NET_PROXY_H
#define RF_NET_PROXY_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

/* The proxy for this URL, or NULL. */
const char *rf_proxy_of(const char *url, struct rf_arena *a);

/* Fails with RF_ECONFIG where the URL is plain HTTP and goes through a proxy. */
RF_MUST enum rf_code rf_proxy_check_plain(const char *url, struct rf_arena *a, struct rf_err *err);

#endif
