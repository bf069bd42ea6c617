/* What the page knows of exchanges: a summary of each of the last ten thousand, and all of those
 * that were seen while somebody looked, from their beginning.
 *
 * Both are limited: the summaries by their number and by the bytes of what they say about files,
 * whole exchanges by their bytes and by their rate: of a thousand a second, each would push out an
 * earlier one before a person could open it. The lock is held while one summary, or a batch of them
 * for a viewer, is copied.
 *
 * Every change has a growing number, the entry's version. A viewer asks for all that changed after
 * the last version that it has seen. */
#ifndef RF_PAGE_RING_H
#define RF_PAGE_RING_H

#include "gateway/page.h"
#include "page/names.h"

#define RF_RING_ENTRIES ((size_t)10000)
#define RF_RING_FILES_BYTES ((size_t)16 << 20) /* what all entries say about files */
#define RF_RING_KEPT_BYTES ((size_t)64 << 20)  /* exchanges that are kept whole */
#define RF_RING_KEPT_EVERY_MS 100              /* one in so long, on average */
#define RF_RING_KEPT_AT_ONCE 250               /* of those that come together */
#define RF_RING_WATCHED_MS 600000              /* after the last look */

struct rf_ring_entry {
    uint64_t number, version; /* number 0: there is none here */
    enum rf_page_stage stage;
    char id[RF_GATEWAY_ID];
    const char *dialect;
    const struct rf_names *names;
    enum rf_error_kind error;
    struct rf_str error_words; /* allocated, or empty */
    int status;
    bool streamed, gone;
    int64_t input, output, cached; /* tokens; -1: not told */
    int64_t cost_micros;           /* -1: not known */
    unsigned attempts, heals;
    uint64_t bytes_in, bytes_out;
    int64_t began_ms;              /* since 1970 */
    int64_t first_us, total_us;    /* since it began; 0: not yet */
    int64_t own_us;                /* of that, in the gateway itself */
    struct rf_str files;           /* what became of each: a JSON array, or empty */
    struct rf_kept_exchange *kept; /* or NULL */
    size_t kept_bytes;             /* that it has of RF_RING_KEPT_BYTES */
};

struct rf_ring;

struct rf_ring *rf_ring_new(void);
void rf_ring_free(struct rf_ring *r);

/* Somebody looks. */
void rf_ring_look(struct rf_ring *r);
bool rf_ring_is_watched(const struct rf_ring *r);
/* Is the exchange that begins now to be kept whole? It counts as one that is. */
bool rf_ring_wants_whole(struct rf_ring *r);

/* As in struct rf_page_table. */
void rf_ring_tell(struct rf_ring *r, const struct rf_record *record, enum rf_page_stage stage,
                  struct rf_kept_exchange *k, uint64_t *number);

/* The next changes after `*version`, which becomes that of the last: at most `most`, in no order.
 * How many; 0: there are none. The strings are copied to `a`; `kept` says only whether it is. */
size_t rf_ring_changes(struct rf_ring *r, uint64_t *version, size_t most, struct rf_arena *a,
                       struct rf_ring_entry **out);
/* One by its id, with what was kept of it, to be dropped. False: it is not there any more. */
bool rf_ring_find(struct rf_ring *r, struct rf_str id, struct rf_arena *a,
                  struct rf_ring_entry *out);

#endif
