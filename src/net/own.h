/* Addresses of this machine: loopback, link-local, and those of every interface as they are at the
 * moment.
 *
 *     if (rf_own_address(bytes, 4)) …
 */
#ifndef RF_NET_OWN_H
#define RF_NET_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `n` is 4 or 16: an address of IPv4 or IPv6 as it is on the wire. One of IPv4 inside one of IPv6
 * (mapped) counts as that. An address is also ours where the interfaces cannot be listed. */
bool rf_own_address(const uint8_t *address, size_t n);

#endif
