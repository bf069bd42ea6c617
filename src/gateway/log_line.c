#include "gateway/log.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "base/thread.h"
#include "base/utf8.h"

#include <refract/request.h>

#include <inttypes.h>
#include <time.h>

#define MOST_WORDS 200 /* bytes of somebody else's words */
#define MOST_FILES 50  /* that a line lists; the rest is a number */

/* Characters that change how others are shown: DEL, C1 controls, and those that turn a text
 * around. The JSON writer has escapes for what is below a space. */
static bool is_steering(uint32_t c)
{
    return c == 0x7f || (c >= 0x80 && c <= 0x9f) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static uint32_t character(const unsigned char *p, unsigned n)
{
    static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t c = p[0] & first[n];
    for (unsigned i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3f);
    return c;
}

static bool is_plain(struct rf_str s)
{
    size_t i = 0;
    while (i < s.n && s.p[i] >= ' ' && s.p[i] < 0x7f)
        i++;
    return i == s.n;
}

struct rf_str rf_log_words(struct rf_str s, struct rf_arena *a)
{
    struct rf_str cut = { s.p, s.n < MOST_WORDS ? s.n : MOST_WORDS };
    if (is_plain(cut))
        return cut;
    char *out = rf_arena_alloc(a, cut.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < cut.n;) {
        const unsigned char *p = (const unsigned char *)cut.p + i;
        unsigned length = rf_utf8_char(p, cut.n - i);
        if (!length || is_steering(character(p, length))) {
            out[n++] = '?';
        } else {
            memcpy(out + n, p, length);
            n += length;
        }
        i += length ? length : 1;
    }
    return (struct rf_str){ out, n };
}

static void write_time(struct rf_json *w, int64_t ms)
{
    static RF_THREAD_LOCAL struct {
        time_t at;
        char text[48];
        size_t n;
    } last; /* a busy gateway writes many lines in a second */
    time_t at = (time_t)(ms / 1000);
    struct tm utc;
    if (!last.n || last.at != at) {
        last.n =
            strftime(last.text, sizeof last.text, "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&at, &utc));
        last.at = at;
    }
    for (int64_t left = ms % 1000, i = 2; i < 5; left /= 10, i++)
        last.text[last.n - (size_t)i] = (char)('0' + left % 10);
    rf_json_str(w, "time", (struct rf_str){ last.text, last.n });
}

static void write_count(struct rf_json *w, const char *key, int64_t n)
{
    if (n >= 0)
        rf_json_int(w, key, n);
}

static void write_us(struct rf_json *w, const char *key, int64_t from_us, int64_t to_us)
{
    if (to_us)
        rf_json_int(w, key, to_us - from_us);
}

/* What is in them is the client's: of a file there are a hash, which is its id, and its size. */
static void write_files(struct rf_json *w, struct rf_request *r)
{
    size_t count = r ? rf_report_count(r) : 0;
    if (!count)
        return;
    rf_json_int(w, "file_count", (int64_t)count);
    rf_json_arr(w, "files");
    for (size_t i = 0; i < count && i < MOST_FILES; i++) {
        rf_json_obj(w, NULL);
        rf_json_str_opt(w, "id", rf_report_id(r, i));
        write_count(w, "bytes", rf_report_bytes(r, i));
        rf_json_str(w, "delivery", rf_str(rf_delivery_name(rf_report_delivery(r, i))));
        rf_json_str(w, "form", rf_str(rf_form_name(rf_report_form(r, i))));
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void write_upstream(struct rf_json *w, const struct rf_record *r, struct rf_arena *a)
{
    if (r->provider.n)
        rf_json_str(w, "upstream",
                    rf_log_words(RF_JOINED(a, r->provider, RF_STR(":"), r->model), a));
    if (r->attempts)
        rf_json_int(w, "attempts", r->attempts);
    if (r->failed.n)
        rf_json_str(w, "failed", rf_log_words(r->failed, a));
    if (r->heals)
        rf_json_int(w, "heals", r->heals);
}

static void write_numbers(struct rf_json *w, const struct rf_record *r)
{
    write_count(w, "input_tokens", r->usage.input);
    write_count(w, "output_tokens", r->usage.output);
    write_count(w, "cached_tokens", r->usage.cached);
    rf_json_int(w, "bytes_in", (int64_t)r->bytes_in);
    rf_json_int(w, "bytes_out", (int64_t)r->bytes_out);
    write_us(w, "duration_us", r->began_us, r->ended_us);
    write_us(w, "first_byte_us", r->began_us, r->first_us);
    rf_json_int(w, "overhead_us", r->own_us);
}

struct rf_str rf_log_line(const struct rf_record *r, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    write_time(&w, r->began_ms);
    rf_json_str(&w, "id", rf_str(r->id));
    rf_json_str_opt(&w, "client", rf_str(r->dialect));
    rf_json_str_opt(&w, "key", rf_log_words(rf_str(r->client_key), a));
    rf_json_str_opt(&w, "model", rf_log_words(r->asked, a));
    rf_json_str_opt(&w, "path", rf_log_words(r->path, a));
    write_upstream(&w, r, a);
    rf_json_int(&w, "status", r->status);
    if (r->error && !r->refused.n)
        rf_json_str(&w, "error", rf_str(rf_record_error_name(r->error, r->attempts)));
    rf_json_str_opt(&w, "refused", rf_log_words(r->refused, a));
    if (r->streamed)
        rf_json_bool(&w, "stream", true);
    if (r->gone)
        rf_json_bool(&w, "gone", true);
    if (r->stopped)
        rf_json_bool(&w, "stopped", true);
    write_numbers(&w, r);
    write_files(&w, r->request);
    rf_json_end(&w);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, RF_LOG_MOST, a, &out, NULL))
        return RF_STR("{\"error\":\"a line is too long\"}");
    return out;
}
