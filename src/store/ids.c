#include "store/ids.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#define LETTERS 6

/* Without those that look like another: 0 and o, 1, i and l. */
static const char alphabet[] = "23456789abcdefghjkmnpqrstuvwxyz";
#define ALPHABET (sizeof alphabet - 1)

enum rf_code rf_random(void *bytes, size_t n, struct rf_err *err)
{
    if (getrandom(bytes, n, 0) == (ssize_t)n) /* so few bytes come all at once */
        return RF_OK;
    return rf_fail(err, RF_EINTERNAL, "the system gives no random numbers");
}

enum rf_code rf_id_make(char id[RF_SESSION_ID_SIZE], struct rf_err *err)
{
    uint64_t number;
    char letters[LETTERS + 1] = "";
    time_t now = time(NULL);
    struct tm tm;
    enum rf_code rc = rf_random(&number, sizeof number, err);
    if (rc)
        return rc;
    if (!gmtime_r(&now, &tm))
        return rf_fail(err, RF_EINTERNAL, "the system's clock shows no date");
    for (size_t i = 0; i < LETTERS; i++, number /= ALPHABET)
        letters[i] = alphabet[number % ALPHABET];
    snprintf(id, RF_SESSION_ID_SIZE, "%04d%02d%02d-%s", (tm.tm_year + 1900) % 10000, tm.tm_mon + 1,
             tm.tm_mday, letters);
    return RF_OK;
}

bool rf_id_check(const char *id)
{
    size_t n = strlen(id);
    return n > 0 && n < RF_SESSION_ID_SIZE && id[0] != '-' &&
           strspn(id, "0123456789abcdefghijklmnopqrstuvwxyz-") == n;
}

enum rf_code rf_mark_make(char mark[RF_MARK_SIZE], struct rf_err *err)
{
    uint64_t numbers[2];
    enum rf_code rc = rf_random(numbers, sizeof numbers, err);
    if (!rc)
        snprintf(mark, RF_MARK_SIZE, "%016" PRIx64 "%016" PRIx64, numbers[0], numbers[1]);
    return rc;
}
