/* Who may look: where clients need no key, whoever asks from this machine, by its own name; where
 * they do, whoever has an admin's key. Requests that another site's page makes are refused.
 *
 * A key is sent once. The browser gets a cookie for it that no script can read and that is not sent
 * for other sites: random digits, which only this process knows. It ends after half a day, and at
 * once when its key is revoked. What changes something also needs a token, which only this page
 * can have read. */
#ifndef RF_PAGE_LOGINS_H
#define RF_PAGE_LOGINS_H

#include "store/client_keys.h"

#include <pthread.h>

struct rf_page_visit;

#define RF_PAGE_MOST_LOGINS 64 /* at once; the oldest goes first */
#define RF_PAGE_SECRET 65      /* hexadecimal digits of 256 random bits */

struct rf_page_logins {
    pthread_mutex_t lock;
    struct rf_login {
        char secret[RF_PAGE_SECRET];
        uint8_t key[RF_CLIENT_KEY_DIGEST]; /* whose it is */
        int64_t until_ms;                  /* on rf_now_ms's clock; 0: none */
    } items[RF_PAGE_MOST_LOGINS];
    char token[RF_PAGE_SECRET];
};

void rf_page_logins_init(struct rf_page_logins *l);
void rf_page_logins_release(struct rf_page_logins *l);

/* May it come in, to where it wants? False: it was refused, and the reply says why. */
bool rf_page_admits(struct rf_page_visit *v);
/* Is that so later, too? Keys are revoked. */
bool rf_page_still_admits(struct rf_page_visit *v);

#endif
