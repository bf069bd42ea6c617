/* Leads a conversation through survey, plan, workers and wire. It decides and formats nothing. */
#include "request/request.h"

#include "base/arena.h"
#include "config/config.h"
#include "config/model_cache.h"
#include "plan/sight.h"
#include "request/make.h"
#include "request/pass.h"
#include "request/transcribe.h"
#include "request/withhold.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_ROUNDS 12          /* of planning and converting; each takes a file one rung down */
#define MOST_ORIGINS 8          /* models that answered before, whose sight is looked up */
#define OCR_PAGES 20            /* scanned pages of one document that are recognised */
#define PIPE_SIZE (1024 * 1024) /* asked for, so that a reader is woken less often */

struct rf_request_options *rf_request_options_new(void)
{
    struct rf_request_options *o = calloc(1, sizeof *o);
    if (!o)
        RF_NO_MEMORY();
    return o;
}

void rf_request_options_free(struct rf_request_options *o)
{
    if (!o)
        return;
    free((void *)o->base);
    free((void *)o->root);
    free((void *)o->cache);
    free(o);
}

static void set_string(const char **at, const char *value)
{
    free((void *)*at);
    *at = strdup(value);
    if (!*at)
        RF_NO_MEMORY();
}

void rf_request_options_base(struct rf_request_options *o, const char *folder)
{
    set_string(&o->base, folder);
}

void rf_request_options_root(struct rf_request_options *o, const char *folder)
{
    set_string(&o->root, folder);
}

void rf_request_options_as_is(struct rf_request_options *o)
{
    o->as_is = true;
}

void rf_request_options_no_media(struct rf_request_options *o)
{
    o->no_media = true;
}

void rf_request_options_cache(struct rf_request_options *o, const char *folder)
{
    set_string(&o->cache, folder);
}

void rf_request_options_configure(struct rf_request_options *o, const struct rf_config *c)
{
    const struct rf_config_limit *limits = c->limits;
    o->config = c;
    o->picture_bytes = limits[RF_LIMIT_PICTURE_BYTES].value;
    o->picture_side = limits[RF_LIMIT_PICTURE_SIDE].value;
    o->pages = limits[RF_LIMIT_PAGES].value;
    o->cache_bytes = limits[RF_LIMIT_CACHE_BYTES].value;
    if (limits[RF_LIMIT_OCR_PAGES].place.file)
        o->ocr_pages = limits[RF_LIMIT_OCR_PAGES].value ? limits[RF_LIMIT_OCR_PAGES].value : -1;
}

void rf_request_options_strict(struct rf_request_options *o)
{
    o->strict = true;
}

void rf_request_options_stream(struct rf_request_options *o)
{
    o->stream = true;
}

/* Ids cost a pass over the file, so only what a text will name gets one before it is written. A
 * file that went meanwhile is `lost`. */
static enum rf_code identify(struct rf_request *r, bool *lost, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < r->plan.decision_count; i++) {
        struct rf_asset *f = r->plan.decisions[i].part->asset;
        bool sound = f->state != RF_ASSET_BROKEN;
        if (rf_decision_names_file(&r->plan.decisions[i]))
            rc = rf_asset_identify(f, r->arena, err);
        *lost |= sound && f->state == RF_ASSET_BROKEN;
    }
    return rc;
}

/* Blobs that go out as they are: verified, so that a damaged one is a note, not half a request. */
static bool open_blobs(struct rf_request *r)
{
    bool lost = false;
    for (size_t i = 0; i < r->plan.decision_count; i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        struct rf_asset *f = d->part->asset;
        bool sent = d->delivery == RF_DELIVERY_NATIVE || d->delivery == RF_DELIVERY_FALLBACK;
        if (f->unopened && ((sent && !d->recipe.make) || d->inlined)) {
            rf_asset_open(f, r->arena);
            lost |= f->state == RF_ASSET_BROKEN;
        }
    }
    return lost;
}

/* The plan says what it needs, the workers make it, and it is made again with what came back. */
static enum rf_code decide_and_make(struct rf_request *r, const struct rf_model *m,
                                    const struct rf_plan_options *how, struct rf_err *err)
{
    struct rf_plan_options last = *how;
    enum rf_code rc = RF_OK;
    for (int round = 0; !rc && round <= MOST_ROUNDS; round++) {
        last.convert = how->convert && round < MOST_ROUNDS;
        do
            rc = rf_plan_decide(&r->survey, m, &last, r->arena, &r->plan, err);
        while (!rc && open_blobs(r));
        size_t made = 0;
        if (!rc)
            rc = rf_request_make(r, &made, err);
        if (!made)
            break;
    }
    return rc;
}

/* Files that another provider has are sent as bytes, where those are known. */
static void take_bytes(struct rf_request *r, const struct rf_model *m)
{
    for (size_t i = 0; i < r->survey.count; i++)
        for (size_t j = 0; j < r->survey.messages[i].count; j++) {
            struct rf_asset *f = r->survey.messages[i].parts[j].asset;
            if (f && f->state == RF_ASSET_FILE_ID && !rf_str_eq(f->provider, m->provider))
                rf_asset_as_blob(f, r->arena);
        }
}

/* What was lost is decided anew, and all the rest comes out the same. */
static enum rf_code decide(struct rf_request *r, const struct rf_model *m,
                           const struct rf_plan_options *how, struct rf_err *err)
{
    bool lost = false;
    enum rf_code rc = decide_and_make(r, m, how, err);
    if (!rc)
        rc = identify(r, &lost, err);
    if (!rc && lost)
        rc = decide_and_make(r, m, how, err);
    return rc;
}

static struct rf_model *open_origin(const struct rf_request_options *o, const char *name)
{
    struct rf_model *m = o->origins ? rf_model_recall(o->origins, rf_str(name)) : NULL;
    if (m)
        return m;
    if (rf_model_open(o->config, name, &m, NULL))
        return NULL;
    return o->origins ? rf_model_keep(o->origins, rf_str(name), m) : m;
}

/* What a model that answered before could not be shown, by all that is known of it. */
static unsigned blind_of(struct rf_str provider, struct rf_str model, const struct rf_model *now,
                         const struct rf_request_options *o, struct rf_arena *a)
{
    if ((o->own || rf_str_eq(provider, now->provider)) && rf_str_eq(model, now->name))
        return rf_sight_blind(&now->caps);
    const char *name = rf_strf(a, "%.*s:%.*s", RF_FMT(provider), RF_FMT(model)).p;
    struct rf_model *m = provider.n && model.n ? open_origin(o, name) : NULL;
    unsigned blind = m ? rf_sight_blind(&m->caps) : 0;
    rf_model_close(m);
    return blind;
}

static bool is_listed(const struct rf_plan_options *how, const struct rf_message *m)
{
    for (size_t i = 0; i < how->origin_count; i++)
        if (rf_str_eq(how->origins[i].provider, m->origin_provider) &&
            rf_str_eq(how->origins[i].model, m->origin_model))
            return true;
    return false;
}

/* The last ones: whoever writes a conversation can name as many as it has messages. */
static void list_origins(struct rf_plan_options *how, const struct rf_conversation *c,
                         const struct rf_model *now, const struct rf_request_options *o,
                         struct rf_arena *a)
{
    struct rf_plan_origin *origins = NULL;
    size_t cap = 0;
    for (size_t i = c->message_count; i-- > 0 && how->origin_count < MOST_ORIGINS;) {
        const struct rf_message *m = &c->messages[i];
        if (m->role != RF_ROLE_ASSISTANT || is_listed(how, m))
            continue;
        *RF_PUSH(a, origins, how->origin_count, cap) = (struct rf_plan_origin){
            m->origin_provider,
            m->origin_model,
            blind_of(m->origin_provider, m->origin_model, now, o, a),
        };
        how->origins = origins;
    }
}

static enum rf_code encode(struct rf_request *r, struct rf_err *err)
{
    const struct rf_dialect *dialect = rf_dialect_find(r->plan.model->caps.dialect);
    if (!dialect)
        return rf_fail(err, RF_ECONFIG, "there is no dialect \"%.*s\"",
                       RF_FMT(r->plan.model->caps.dialect));
    struct rf_json *w = RF_NEW(r->arena, struct rf_json);
    if (dialect->asks_window)
        r->plan.window = rf_request_window(r);
    rf_rope_init(&r->body, r->arena);
    rf_json_init(w, &r->body);
    dialect->encode(&r->plan, w);
    r->marks = w->marks;
    r->mark_count = w->mark_count;
    return rf_json_finish(w, err);
}

static void set_cache(struct rf_request *r, const struct rf_request_options *o, const char *folder)
{
    int64_t usual = rf_limit_rows[RF_LIMIT_CACHE_BYTES].usual;
    r->cache_folder = o->as_is ? NULL : folder;
    r->cache_bytes = (uint64_t)(o->cache_bytes ? o->cache_bytes : usual);
}

enum rf_code rf_request_build(const struct rf_conversation *c, const struct rf_model *m,
                              const struct rf_request_options *options, struct rf_request **out,
                              struct rf_err *err)
{
    static const struct rf_request_options plain;
    const struct rf_request_options *o = options ? options : &plain;
    struct rf_arena *a = rf_arena_new();
    struct rf_request *r = RF_NEW(a, struct rf_request);
    struct rf_plan_options how = {
        .strict = o->strict,
        .stream = o->stream,
        .convert = !o->as_is && !o->no_media,
        .no_media = o->no_media,
        .own_fields = o->own_fields,
        .picture_side = o->picture_side,
        .picture_bytes = o->picture_bytes,
        .pages = o->pages,
        .transcribe = rf_transcribe_words(o->config, a),
    };
    struct rf_asset_place place = {
        .base = o->base ? rf_cstr(a, rf_str(o->base)) : NULL,
        .root = o->root ? rf_cstr(a, rf_str(o->root)) : NULL,
        .tool_root = o->tool_root ? rf_cstr(a, rf_str(o->tool_root)) : NULL,
        .granted = o->granted,
        .granted_count = o->granted_count,
        .kept = o->cache ? rf_cstr(a, rf_str(o->cache)) : NULL,
        .blobs = c->blobs,
        .quick_ids = o->quick_ids,
        .by_headers = o->by_headers,
    };
    r->arena = a;
    set_cache(r, o, place.kept);
    r->cancel_fd = o->cancel_fd;
    r->at_once = o->at_once;
    r->config = o->config;
    r->ocr_pages = o->ocr_pages < 0 ? 0 : o->ocr_pages ? o->ocr_pages : OCR_PAGES;
    rf_survey_init(&r->survey, c, m->caps.dialect, &place, a);
    list_origins(&how, c, m, o, a);
    take_bytes(r, m);
    rf_withhold(&r->survey, o->withheld, o->withheld_count, a);
    enum rf_code rc = decide(r, m, &how, err);
    if (!rc)
        rc = rf_plan_lay_out(&r->plan, &r->survey, a, err);
    if (!rc && o->given && rf_pass_fits(r))
        rf_pass_write(r, o->given);
    else if (!rc)
        rc = encode(r, err);
    if (rc)
        rf_request_free(r);
    else
        *out = r;
    return rc;
}

void rf_request_free(struct rf_request *r)
{
    if (!r)
        return;
    rf_cache_free(r->cache);
    rf_arena_free(r->arena);
}

uint64_t rf_request_length(const struct rf_request *r)
{
    return r->body.length;
}

static enum rf_code write_all(int fd, struct rf_str run, struct rf_err *err)
{
    while (run.n) {
        ssize_t n = write(fd, run.p, run.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return rf_fail_errno(err, "could not write the request");
        run = (struct rf_str){ run.p + n, run.n - (size_t)n };
    }
    return RF_OK;
}

enum rf_code rf_request_write(const struct rf_request *r, int fd, struct rf_err *err)
{
    struct rf_rope_reader reader;
    struct rf_str run;
    enum rf_code rc;
#ifdef F_SETPIPE_SZ
    if (r->body.length > PIPE_SIZE)
        fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE); /* fails where it is not a pipe: then nothing is lost */
#endif
    rf_rope_reader_init(&reader, &r->body);
    do {
        rc = rf_rope_next(&reader, &run, err);
        if (!rc)
            rc = write_all(fd, run, err);
    } while (!rc && run.n);
    rf_rope_reader_release(&reader);
    return rc;
}

struct rf_request_reader {
    struct rf_rope_reader rope;
};

struct rf_request_reader *rf_request_reader_new(const struct rf_request *r)
{
    struct rf_request_reader *reader = malloc(sizeof *reader);
    if (!reader)
        RF_NO_MEMORY();
    rf_rope_reader_init(&reader->rope, &r->body);
    return reader;
}

enum rf_code rf_request_reader_read(struct rf_request_reader *reader, char *buf, size_t size,
                                    size_t *got, struct rf_err *err)
{
    return rf_rope_read(&reader->rope, buf, size, got, err);
}

void rf_request_reader_free(struct rf_request_reader *reader)
{
    if (!reader)
        return;
    rf_rope_reader_release(&reader->rope);
    free(reader);
}

static bool sends(const struct rf_decision *d, const struct rf_asset *asset)
{
    bool found = d->part->asset == asset;
    for (size_t i = 0; !found && d->made && i < d->made->count; i++)
        found = &d->made->parts[i].asset == asset;
    for (size_t i = 0; !found && i < d->pictures_kept; i++)
        found = sends(&d->pictures[i], asset);
    return found;
}

size_t rf_request_decision(const struct rf_request *r, const struct rf_asset *asset)
{
    size_t i = 0;
    while (i < r->plan.decision_count && !sends(&r->plan.decisions[i], asset))
        i++;
    return i;
}

struct rf_str rf_request_tool(const struct rf_request *r, struct rf_str name)
{
    const struct rf_conversation *c = r->plan.conversation;
    for (size_t i = 0; !r->given && i < c->tool_count && i < r->plan.tool_count; i++)
        if (rf_str_eq(r->plan.tools[i].name, name))
            return c->tools[i].name;
    return name;
}

size_t rf_notice_count(const struct rf_request *r)
{
    return r->given ? 0 : r->plan.notice_count;
}

struct rf_str rf_notice(const struct rf_request *r, size_t i)
{
    return i < r->plan.notice_count ? r->plan.notices[i] : RF_STR("");
}
