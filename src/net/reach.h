/* How near to this machine an address is: what nearer servers answer is less for strangers to ask
 * for. Who is in one ring may lead us no further in.
 *
 *     if (rf_ring_of(address) > ring_of_who_named_it) …refuse
 */
#ifndef RF_NET_REACH_H
#define RF_NET_REACH_H

enum rf_ring {
    RF_RING_OUTSIDE, /* everybody could reach it from anywhere */
    RF_RING_PRIVATE, /* a private network, or what is reserved */
    RF_RING_HERE,    /* this machine, and what answers for it alone: a cloud's metadata */
};

/* `address` is a struct sockaddr; one of another kind than IP is here. */
enum rf_ring rf_ring_of(const void *address);

#endif
