/* One request: what was kept of it, in JSON. */
#include "page/page.h"

#include "base/utf8.h"
#include "page/kept.h"
#include "page/view.h"
#include "request/request.h"
#include "wire/wire.h"

struct rf_kept_exchange *rf_page_kept(struct rf_page_visit *v, struct rf_ring_entry *e)
{
    if (!rf_ring_find(v->page->ring, v->words[0], v->arena, e))
        rf_page_refuse(v, 404, RF_STR("this request is not there any more"));
    else if (!e->kept)
        rf_page_refuse(v, 410,
                       RF_STR("nothing but its summary is kept: nobody looked when it came, or too "
                              "much came with it or since"));
    else
        pthread_mutex_lock(&e->kept->lock);
    return v->type ? NULL : e->kept;
}

void rf_page_done(struct rf_kept_exchange *k)
{
    pthread_mutex_unlock(&k->lock);
    rf_kept_drop(k);
}

/* A body that was passed on unread is read here. */
const struct rf_conversation *rf_page_conversation(struct rf_page_visit *v,
                                                   const struct rf_kept_exchange *k)
{
    const struct rf_translation *t = &k->translation;
    const struct rf_jval *body;
    struct rf_conversation *c = RF_NEW(v->arena, struct rf_conversation);
    if (t->conversation)
        return t->conversation;
    return rf_jval_parse(t->body, v->arena, &body, NULL) || body->type != RF_JOBJECT ||
                   rf_conversation_take(rf_dialect_find(rf_str(t->front.dialect)), body, v->arena,
                                        c, NULL)
               ? NULL
               : c;
}

static void refusals(struct rf_json *w, const struct rf_seen *s)
{
    rf_json_arr(w, "refusals");
    for (size_t i = 0; i < s->refusal_count; i++) {
        const struct rf_seen_refusal *r = &s->refusals[i];
        rf_json_obj(w, NULL);
        rf_json_int(w, "after_us", r->after_us);
        rf_json_str(w, "provider", r->provider);
        rf_json_str(w, "model", r->model);
        rf_json_int(w, "status", r->status);
        rf_json_str(w, "error", rf_str(rf_error_kind_name(r->kind)));
        rf_json_str(w, "words", r->words);
        rf_json_bool(w, "again", r->again);
        rf_json_str_opt(w, "healed", r->healed);
        rf_json_end(w);
    }
    rf_json_end(w);
}

/* Pieces as they were written: [[after, text], …]. A piece may end within a character. */
static void reply(struct rf_json *w, const struct rf_seen *s)
{
    size_t from = 0;
    rf_json_obj(w, "reply");
    rf_json_arr(w, "pieces");
    for (size_t i = 0; i < s->piece_count; i++) {
        struct rf_str all = { s->reply + from, s->pieces[i].end - from };
        all.n = i + 1 < s->piece_count ? rf_utf8_valid(all) : all.n;
        from += all.n;
        rf_json_arr(w, NULL);
        rf_json_int(w, NULL, s->pieces[i].after_us);
        rf_json_str(w, NULL, (struct rf_str){ all.p, rf_utf8_valid(all) });
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_bool(w, "cut", s->cut);
    if (s->message.n)
        rf_json_raw(w, "message", s->message);
    rf_json_end(w);
}

static void conversations(struct rf_page_visit *v, struct rf_json *w,
                          const struct rf_kept_exchange *k)
{
    struct rf_request *r = k->translation.request;
    const struct rf_conversation *c = rf_page_conversation(v, k);
    if (c)
        rf_view_client(w, "client", c, r && r->plan.conversation == c ? r : NULL, v->arena);
    if (r && r->plan.turn_count)
        rf_view_model(w, "model", r, v->arena);
    if (r)
        rf_view_files(w, r);
}

void rf_page_request(struct rf_page_visit *v)
{
    struct rf_ring_entry e;
    if (!rf_ring_find(v->page->ring, v->words[0], v->arena, &e)) {
        rf_page_refuse(v, 404, RF_STR("this request is not there any more"));
        return;
    }
    struct rf_json *w = rf_page_json(v);
    rf_json_arr(w, NULL);
    rf_page_entry_write(w, &e);
    rf_json_obj(w, NULL);
    if (e.kept) {
        pthread_mutex_lock(&e.kept->lock);
        conversations(v, w, e.kept);
        refusals(w, e.kept->seen);
        reply(w, e.kept->seen);
    }
    rf_json_end(w);
    rf_json_end(w);
    rf_page_json_end(v, w);
    if (e.kept)
        rf_page_done(e.kept);
}
