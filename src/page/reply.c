/* The reply of one request as server-sent events: all that has come of it, then what comes, and
 * that it is over.
 *
 *     event: reply
 *     id: SENT.SAID
 *     data: {"sent": [[after, text], …], "said": [[after, text, kind, block], …], "goes_on":
 *            whether the first text of "sent" goes on with the last one of the event before}
 *
 *     event: end
 *     data: {"cut": [whether there was more said, and sent, than is kept]}
 *
 * A text of "said" may go on too, with the same kind and block. A browser that was disconnected
 * sends the last id, and gets what it missed. A reply that is over comes the same way, so a viewer
 * cannot tell them apart but by their end. */
#include "page/page.h"

#include "base/utf8.h"

#define EVERY_MS 100             /* between two looks at what has come */
#define BATCH ((size_t)64 << 10) /* bytes of one event: other exchanges of this loop wait */

/* A character that is not whole waits for the rest. */
static bool waits(struct rf_str s, bool last)
{
    return !s.n || (!last && rf_utf8_partial((const unsigned char *)s.p, s.n));
}

/* Each byte that is not UTF-8, as in a reply that is sound, becomes U+FFFD. Returns how many bytes
 * were written. */
static size_t write_words(struct rf_json *w, struct rf_str s, bool last)
{
    struct rf_str rest = s;
    rf_json_str_open(w, NULL);
    while (!waits(rest, last)) {
        size_t n = rf_utf8_valid(rest), bad = !n;
        rf_json_part(w, bad ? RF_STR("\xef\xbf\xbd") : (struct rf_str){ rest.p, n });
        rest = (struct rf_str){ rest.p + n + bad, rest.n - n - bad };
    }
    rf_json_str_close(w);
    return s.n - rest.n;
}

/* Pieces may end within a character. `last`: nothing comes after them. Returns how many bytes were
 * written. */
static size_t write_text(struct rf_json *w, const char *key, const struct rf_seen_text *t,
                         bool last)
{
    size_t from = 0;
    rf_json_arr(w, key);
    for (size_t i = 0; i < t->piece_count; i++) {
        const struct rf_seen_piece *piece = &t->pieces[i];
        const struct rf_str words = { t->p + from, piece->end - from };
        bool ends = last && i + 1 == t->piece_count;
        if (waits(words, ends))
            continue;
        rf_json_arr(w, NULL);
        rf_json_int(w, NULL, piece->after_us);
        from += write_words(w, words, ends);
        if (piece->kind) {
            rf_json_str(w, NULL, rf_str(piece->kind));
            rf_json_int(w, NULL, (int64_t)piece->block);
        }
        rf_json_end(w);
    }
    rf_json_end(w);
    return from;
}

/* What comes after the visit's place, which goes on; false: there is nothing. */
static bool write_news(struct rf_page_visit *v, const struct rf_seen_text *sent,
                       const struct rf_seen_text *said, bool over, struct rf_arena *a)
{
    const struct rf_reply_place before = v->place;
    struct rf_json *w = RF_NEW(a, struct rf_json);
    struct rf_str json;
    struct rf_rope rope;
    rf_rope_init(&rope, a);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    v->place.sent += write_text(w, "sent", sent, over && sent->n < BATCH);
    v->place.said += write_text(w, "said", said, over && said->n < BATCH);
    rf_json_bool(w, "goes_on", sent->goes_on);
    rf_json_bool(w, "late", v->kept->seen->late);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &json, NULL))
        RF_BUG("a text in memory could not be written");
    if (v->place.sent == before.sent && v->place.said == before.said)
        return false;
    rf_page_write(v, rf_strf(a, "event: reply\nid: %zu.%zu\ndata: %.*s\n\n", v->place.sent,
                             v->place.said, RF_FMT(json)));
    return true;
}

static void write_end(struct rf_page_visit *v, bool said_cut, bool sent_cut)
{
    rf_page_write(v, rf_strf(v->arena, "event: end\ndata: {\"cut\":[%s,%s]}\n\n",
                             said_cut ? "true" : "false", sent_cut ? "true" : "false"));
    rf_httpd_finish(v->request);
}

/* Called by the timer. */
static void look(void *ctx)
{
    struct rf_page_visit *v = ctx;
    struct rf_seen *s = v->kept->seen;
    bool over = v->kept->over; /* before what came last is read */
    if (!rf_page_goes_on(v))
        return;
    if (v->full) {
        rf_page_look_again(v, EVERY_MS);
        return;
    }
    struct rf_arena *a = rf_arena_new();
    struct rf_seen_text sent = rf_seen_since(s, &s->sent, v->place.sent, BATCH, a);
    struct rf_seen_text said = rf_seen_since(s, &s->said, v->place.said, BATCH, a);
    bool more = write_news(v, &sent, &said, over, a) && (sent.n == BATCH || said.n == BATCH);
    if (over && !more)
        write_end(v, said.cut, sent.cut);
    else
        rf_page_look_again(v, more ? 0 : EVERY_MS);
    rf_arena_free(a);
}

/* What the browser has of it; nothing, where it does not say. */
static struct rf_reply_place place_of(struct rf_page_visit *v)
{
    struct rf_str id = rf_page_last_event(v), sent;
    int64_t a, b;
    bool good = rf_str_split(&id, '.', &sent) && rf_str_int64(sent, &a) && rf_str_int64(id, &b) &&
                a >= 0 && b >= 0;
    return good ? (struct rf_reply_place){ (size_t)a, (size_t)b } : (struct rf_reply_place){ 0, 0 };
}

void rf_page_reply(struct rf_page_visit *v)
{
    struct rf_ring_entry e = { .kept = NULL };
    (void)!rf_ring_find(v->page->ring, v->words[0], v->arena, &e);
    if (!e.kept) {
        write_end(v, false, false);
        return;
    }
    v->kept = e.kept;
    v->place = place_of(v);
    v->timer = (struct rf_timer){ .due = look, .ctx = v };
    look(v);
}
