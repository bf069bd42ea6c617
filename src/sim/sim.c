#include "sim/sim.h"

#include "base/arena.h"
#include "sim/endpoints.h"
#include "sim/files.h"
#include "sim/replay.h"
#include "sim/route.h"
#include "sim/script.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>

#define MAX_LOG_LINE 400

struct rf_sim {
    struct rf_sim_options options;
    struct rf_arena *arena;
    struct rf_sim_script *script; /* or NULL */
    struct rf_sim_replay *replay; /* or NULL */
    struct rf_sim_files *files;
    pthread_mutex_t lock;
    int64_t requests; /* so far */
    uint64_t salt;    /* of ids, where they are new each time */
};

/* The provider of that name, else the first that speaks a dialect of that name. */
static enum rf_code find_provider(const char *name, struct rf_arena *a, const char **out,
                                  struct rf_err *err)
{
    struct rf_model m;
    for (int by_dialect = 0; name && by_dialect < 2; by_dialect++)
        for (size_t i = 0; i < rf_provider_count(); i++) {
            const char *provider = rf_provider_name(i);
            if (by_dialect && rf_model_init(&m, rf_str(provider), RF_STR(""), a, err))
                return err->code;
            if (strcmp(provider, name) == 0 || (by_dialect && rf_str_is(m.caps.dialect, name))) {
                *out = provider;
                return RF_OK;
            }
        }
    if (!name)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "no provider and no dialect is called \"%s\"", name);
    return RF_EUSAGE;
}

enum rf_code rf_sim_new(const struct rf_sim_options *o, struct rf_sim **out, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_sim *s = RF_NEW(a, struct rf_sim);
    s->arena = a;
    s->options = *o;
    if (getrandom(&s->salt, sizeof s->salt, 0) != sizeof s->salt)
        RF_BUG("there are no random numbers");
    enum rf_code rc = find_provider(o->provider, a, &s->options.provider, err);
    if (!rc && o->script)
        rc = rf_sim_script_open(rf_cstr(a, rf_str(o->script)), a, &s->script, err);
    if (!rc && o->replay)
        rc = rf_sim_replay_open(rf_cstr(a, rf_str(o->replay)), a, &s->replay, err);
    if (rc) {
        rf_sim_script_close(s->script);
        rf_arena_free(a);
        return rc;
    }
    s->files = rf_sim_files_new();
    pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return RF_OK;
}

void rf_sim_free(struct rf_sim *s)
{
    if (!s)
        return;
    rf_sim_script_close(s->script);
    rf_sim_files_free(s->files);
    pthread_mutex_destroy(&s->lock);
    rf_arena_free(s->arena);
}

/* A reply in no dialect. */
static void plain(struct rf_sim_reply *out, struct rf_arena *a, int status, const char *text)
{
    out->status = status;
    out->content_type = "text/plain; charset=utf-8";
    rf_sim_chunk(out, a, rf_strf(a, "%s\n", text));
}

/* The model of the catalogue that is asked. */
static const struct rf_model *find_model(struct rf_arena *a, struct rf_str provider,
                                         struct rf_str name)
{
    struct rf_model *m = RF_NEW(a, struct rf_model);
    struct rf_err err;
    if (rf_model_init(m, provider, name, a, &err))
        RF_BUG("a provider of the catalogue is not in it");
    return m;
}

static void write_log(struct rf_sim *s, char *line)
{
    rf_clean_controls(line);
    pthread_mutex_lock(&s->lock);
    s->options.log(s->options.ctx, line);
    pthread_mutex_unlock(&s->lock);
}

static void log_line(struct rf_sim *s, const struct rf_sim_request *r,
                     const struct rf_sim_refusal *refusal, const struct rf_sim_said *said)
{
    char line[MAX_LOG_LINE];
    size_t files = 0;
    if (!s->options.log)
        return;
    for (size_t i = 0; i < r->count; i++)
        files += r->seen[i].kind == RF_SIM_FILE;
    if (refusal->status)
        snprintf(line, sizeof line, "%.*s:%.*s %d %.*s", RF_FMT(r->model->provider),
                 RF_FMT(r->model->name), refusal->status, RF_FMT(refusal->message));
    else
        snprintf(line, sizeof line, "%.*s:%.*s 200 %zu files in, %zu calls out%s",
                 RF_FMT(r->model->provider), RF_FMT(r->model->name), files, said->call_count,
                 r->stream ? ", streamed" : "");
    write_log(s, line);
}

static void log_endpoint(struct rf_sim *s, const struct rf_sim_request *r, int status)
{
    char line[MAX_LOG_LINE];
    if (!s->options.log)
        return;
    snprintf(line, sizeof line, "%s %.*s %d", r->call->method, (int)strcspn(r->call->path, "?"),
             r->call->path, status);
    write_log(s, line);
}

/* Is the call one that this server would read, key and all? */
static bool admit(const struct rf_sim *s, struct rf_sim_request *r, const struct rf_err *broken,
                  struct rf_sim_refusal *refusal)
{
    if (!s->options.any_key && !rf_sim_admit(r, refusal))
        return false;
    if (r->body)
        return true;
    return rf_sim_refuse(r, refusal, 400, "The request body is not valid JSON: %s", broken->msg);
}

static int64_t count_request(struct rf_sim *s)
{
    pthread_mutex_lock(&s->lock);
    int64_t number = ++s->requests;
    pthread_mutex_unlock(&s->lock);
    return number;
}

/* Where no seed was given, each reply has one of its own. */
static void set_seed(const struct rf_sim *s, struct rf_sim_request *r, int64_t number)
{
    r->counted = s->options.seed != 0;
    r->seed = r->counted ? s->options.seed : rf_sim_mix(s->salt, (uint64_t)number);
}

/* What was uploaded is seen as if it were in the request. */
static void fetch_references(struct rf_sim *s, struct rf_sim_request *r)
{
    struct rf_sim_file file;
    for (size_t i = 0; i < r->count; i++) {
        struct rf_sim_seen *seen = &r->seen[i];
        if (seen->kind != RF_SIM_FILE || seen->reference.n == 0 ||
            !rf_sim_files_meant(s->files, r->model->provider, seen->reference, r->arena, &file))
            continue;
        seen->bytes = file.bytes;
        seen->mime = file.mime;
        seen->format = rf_sim_sniff(file.bytes);
        seen->reference = RF_STR("");
    }
}

/* Check, think, say; a script may have a word in each. */
static void exchange(struct rf_sim *s, struct rf_sim_request *r, const struct rf_err *broken,
                     struct rf_sim_reply *out)
{
    const struct rf_sim_dialect *d = r->dialect;
    struct rf_sim_refusal refusal = { 0 };
    struct rf_sim_said said = { 0 };
    struct rf_sim_step step;
    int64_t number = count_request(s);
    set_seed(s, r, number);
    if (!d) {
        plain(out, r->arena, 501, "the simulator does not speak this provider's dialect");
        return;
    }
    bool good = admit(s, r, broken, &refusal);
    if (good && s->replay && rf_sim_replay_answer(s->replay, r, out)) {
        log_line(s, r, &refusal, &said);
        return;
    }
    good = good && d->check(r, r->body, &refusal);
    fetch_references(s, r);
    bool scripted = good && s->script && rf_sim_script_next(s->script, r, number, &step);
    if (!good || (scripted && rf_sim_step_refuses(&step, r, &refusal))) {
        d->refuse(r, &refusal, out);
    } else {
        if (!scripted || !rf_sim_step_says(&step, r, &said))
            rf_sim_think(r, &s->options, &said);
        d->say(r, &said, out);
    }
    if (scripted)
        rf_sim_step_spoil(&step, r->arena, out);
    log_line(s, r, &refusal, &said);
}

static struct rf_str body_model(const struct rf_jval *body, struct rf_arena *a)
{
    const struct rf_jval *v = body ? rf_jval_get(body, "model") : NULL;
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

/* An endpoint that is not a conversation; false where the path is none. */
static bool answer_endpoint(struct rf_sim *s, struct rf_sim_request *r, struct rf_sim_reply *out)
{
    struct rf_str path, name;
    struct rf_str provider = rf_sim_path_provider(r->call->path, s->options.provider, &path);
    const struct rf_sim_endpoint *e =
        rf_sim_endpoint(provider, r->call->method, path, r->arena, &name);
    struct rf_sim_refusal refusal = { 0 };
    struct rf_err broken;
    if (!e)
        return false;
    if (rf_jval_parse(r->call->body, r->arena, &r->body, &broken))
        r->body = NULL;
    r->model = find_model(r->arena, provider, name.n > 0 ? name : body_model(r->body, r->arena));
    struct rf_sim_asked asked = { .r = r, .name = name, .files = s->files, .out = out };
    r->dialect = e->dialect ? e->dialect : rf_sim_dialect(r->model->caps.dialect);
    set_seed(s, r, count_request(s));
    if (!s->options.any_key && !rf_sim_admit(r, &refusal))
        r->dialect->refuse(r, &refusal, out);
    else
        e->answer(&asked);
    log_endpoint(s, r, out->status);
    return true;
}

void rf_sim_answer(struct rf_sim *s, const struct rf_sim_call *call, struct rf_arena *a,
                   struct rf_sim_reply *out)
{
    struct rf_sim_route route;
    struct rf_sim_request r = { .arena = a, .call = call };
    struct rf_err broken = { 0 };
    *out = (struct rf_sim_reply){ 0 };
    if (answer_endpoint(s, &r, out))
        return;
    if (!rf_sim_find_route(call->path, s->options.provider, a, &route)) {
        plain(out, a, 404, "refract sim: no provider is asked with this path; see refract-sim(1)");
        return;
    }
    if (strcmp(call->method, "POST") != 0) {
        plain(out, a, 405, "refract sim: this path takes POST");
        return;
    }
    if (rf_jval_parse(call->body, a, &r.body, &broken))
        r.body = NULL;
    r.stream = route.stream;
    r.model =
        find_model(a, route.provider, route.model.n > 0 ? route.model : body_model(r.body, a));
    r.dialect = route.dialect ? route.dialect : rf_sim_dialect(r.model->caps.dialect);
    exchange(s, &r, &broken, out);
}
