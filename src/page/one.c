/* One request: what is kept of it but for its reply, in JSON. */
#include "page/page.h"

#include "page/kept.h"
#include "page/view.h"
#include "request/request.h"
#include "wire/wire.h"

#define MOST_PLANNED ((size_t)4 << 20) /* bytes beside the files of the request */

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

/* What was planned stays for the next look, unless there will be better, or it is large. */
void rf_page_done(struct rf_kept_exchange *k)
{
    if (k->planned && (k->over || rf_arena_size(k->planned->arena) > MOST_PLANNED))
        rf_kept_forget_plan(k);
    pthread_mutex_unlock(&k->lock);
    rf_kept_drop(k);
}

/* Was it made for the model that is asked, as far as that was told? */
static bool is_for(const struct rf_translation *t, const struct rf_ring_entry *e)
{
    return t->request && rf_str_starts(t->model->provider, e->names->provider) &&
           rf_str_starts(t->model->name, e->names->model);
}

static struct rf_translation *plan(struct rf_page_visit *v, const struct rf_kept_exchange *k,
                                   const struct rf_ring_entry *e)
{
    static const struct rf_fault nobody = { .kind = RF_ERROR_NOT_FOUND };
    struct rf_arena *a = rf_arena_new();
    struct rf_translation *t = RF_NEW(a, struct rf_translation);
    *t = (struct rf_translation){
        .setup = k->setup,
        .front = k->front,
        .body = k->text,
        .key = k->client.key,
        .counted = k->client.key != NULL,
        .arena = a,
    };
    rf_translate(t, v->stop_fd);
    while (t->request && !is_for(t, e))
        rf_translate_next(t, &nobody, v->stop_fd);
    return t;
}

const struct rf_translation *rf_page_translation(struct rf_page_visit *v,
                                                 struct rf_kept_exchange *k,
                                                 const struct rf_ring_entry *e)
{
    bool over = k->over;
    if (k->planned && (over || !is_for(k->planned, e)))
        rf_kept_forget_plan(k);
    if (over)
        return &k->translation;
    if (!k->planned)
        k->planned = plan(v, k, e);
    return k->planned;
}

/* A body that was passed on unread is read here. */
const struct rf_conversation *rf_page_conversation(struct rf_page_visit *v,
                                                   const struct rf_translation *t)
{
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

static void refusals(struct rf_page_visit *v, struct rf_json *w, struct rf_seen *s)
{
    size_t count;
    const struct rf_seen_refusal *all = rf_seen_refusals(s, v->arena, &count);
    rf_json_arr(w, "refusals");
    for (const struct rf_seen_refusal *r = all; r < all + count; r++) {
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

/* Whose place the one took that was asked last. */
static void route(struct rf_json *w, const struct rf_translation *t)
{
    if (t->route.at && t->route.at < t->route.count)
        rf_json_str(w, "instead_of", t->route.names[0]);
}

static void conversations(struct rf_page_visit *v, struct rf_json *w,
                          const struct rf_translation *t)
{
    struct rf_request *r = t->request;
    const struct rf_conversation *c = rf_page_conversation(v, t);
    if (c)
        rf_view_client(w, "client", c, r && r->survey.count == c->message_count ? r : NULL,
                       v->arena);
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
        const struct rf_translation *t = rf_page_translation(v, e.kept, &e);
        route(w, t);
        conversations(v, w, t);
        refusals(v, w, e.kept->seen);
    }
    rf_json_end(w);
    rf_json_end(w);
    rf_page_json_end(v, w);
    if (e.kept)
        rf_page_done(e.kept);
}
