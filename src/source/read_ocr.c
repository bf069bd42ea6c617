/* Text in pictures, for models that cannot see them. Nothing here is worth failing for: a picture
 * that nobody can read is a picture without text. */
#include "source/read.h"

#include "base/arena.h"
#include "base/utf8.h"

#define MAX_PICTURES 64 /* at a time */
#define MAX_TEXT ((size_t)20 * 1024)
#define TIMEOUT_MS 20000

void rf_read_ocr(struct rf_read *r, const struct rf_bytes *const *pictures, size_t count,
                 struct rf_str *texts)
{
    struct rf_job jobs[MAX_PICTURES];
    size_t which[MAX_PICTURES], n = 0;
    for (size_t i = 0; i < count; i++) {
        texts[i] = RF_STR("");
        if (!pictures[i] || !pictures[i]->size || n == MAX_PICTURES)
            continue;
        which[n] = i;
        jobs[n++] = (struct rf_job){
            .family = "ocr",
            .ask = RF_STR("op=text\n"),
            .input = pictures[i],
            .timeout_ms = TIMEOUT_MS,
        };
    }
    if (n)
        rf_read_ask(r, jobs, n);
    for (size_t i = 0; i < n; i++) {
        r->tools->no_ocr |= jobs[i].failed == RF_ECONFIG;
        if (!jobs[i].failed && jobs[i].part_count)
            texts[which[i]] = rf_utf8_cut(rf_str_trim(jobs[i].parts[0].text), MAX_TEXT);
    }
}
