/* What the configuration says of the gateway:
 *
 *     serve:
 *       listen: 127.0.0.1:8484
 *       max_body: 64MiB              # of one request
 *       max_in_flight: 512MiB        # of all requests that are being worked on
 *       rules: [{match: "claude-*", model: sonnet}]
 *       log: /var/log/refract.jsonl  # "-": standard error
 *       tls: {certificate: /etc/refract/cert.pem, key: /etc/refract/key.pem}
 *       plan: needed                 # or always
 *       first_byte_seconds: 600      # that a provider may take to begin, and between bytes
 *       idle_seconds: 300
 *       traces: http://127.0.0.1:4318
 *       keep_requests_days: 30
 *
 * Only the person's own file can say any of it. */
#include "config/merge.h"

#include "base/arena.h"
#include "base/listen_address.h"

#include <inttypes.h>
#include <unistd.h>

#define MOST_RULES 1000
#define DAY_S 86400

const struct rf_limit_row rf_serve_rows[RF_SERVE_NUMBER_COUNT] = {
    [RF_SERVE_MAX_BODY] = { "max_body", "bytes of one request", (int64_t)64 << 20, 1024,
                            (int64_t)4 << 30 },
    [RF_SERVE_MAX_IN_FLIGHT] = { "max_in_flight", "bytes of all requests under way",
                                 (int64_t)512 << 20, 1024, (int64_t)1 << 40 },
    [RF_SERVE_FIRST_BYTE_SECONDS] = { "first_byte_seconds", "until an answer begins", 600, 1,
                                      DAY_S },
    [RF_SERVE_IDLE_SECONDS] = { "idle_seconds", "between two bytes of an answer", 300, 1, DAY_S },
    [RF_SERVE_KEEP_REQUESTS_DAYS] = { "keep_requests_days", "that the request log goes back", 30, 0,
                                      36500 },
};

int64_t rf_config_serve_number(const struct rf_config *c, enum rf_serve_number which)
{
    const struct rf_config_limit *said = c ? &c->serve.numbers[which] : NULL;
    return said && said->place.file ? said->value : rf_serve_rows[which].usual;
}

struct rf_str rf_config_serve_usual(struct rf_str key, struct rf_arena *a)
{
    static const struct {
        const char *key, *value;
    } texts[] = { { "listen", RF_USUAL_LISTEN }, { "log", "-" }, { "plan", "needed" } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (rf_str_is(key, texts[i].key))
            return rf_str(texts[i].value);
    for (size_t i = 0; i < RF_SERVE_NUMBER_COUNT; i++)
        if (rf_str_is(key, rf_serve_rows[i].name))
            return rf_strf(a, "%" PRId64, rf_serve_rows[i].usual);
    return RF_STR("");
}

static void problem(struct rf_merge *r, size_t line, const char *what, const char *hint)
{
    struct rf_err e;
    rf_merge_problem(&e, r, line, "\"serve\": %s", what);
    rf_hint(&e, "%s", hint);
    rf_problem_add(r->problems, &e);
}

/* Numbers. */

/* "64MiB", or the bytes as a number. */
static bool read_size(struct rf_str text, int64_t *out)
{
    static const struct {
        const char *unit;
        int shift;
    } units[] = { { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!rf_str_ends(text, units[i].unit))
            continue;
        struct rf_str count = rf_str_trim((struct rf_str){ text.p, text.n - 3 });
        if (!rf_str_int64(count, out) || *out < 0 || *out > INT64_MAX >> units[i].shift)
            return false;
        *out <<= units[i].shift;
        return true;
    }
    return rf_str_int64(text, out);
}

static bool is_size(enum rf_serve_number which)
{
    return which == RF_SERVE_MAX_BODY || which == RF_SERVE_MAX_IN_FLIGHT;
}

static void read_number(struct rf_merge *r, const struct rf_yaml *v, enum rf_serve_number which)
{
    const struct rf_limit_row *row = &rf_serve_rows[which];
    bool size = is_size(which);
    int64_t value;
    struct rf_err e;
    if (v->kind == RF_YAML_TEXT &&
        (size ? read_size(v->text, &value) : rf_str_int64(v->text, &value)) &&
        value >= row->least && value <= row->most) {
        r->c->serve.numbers[which] = (struct rf_config_limit){ value, { r->file, v->line } };
        return;
    }
    rf_merge_problem(&e, r, v->line, "\"%s\": expected a number from %" PRId64 " to %" PRId64,
                     row->name, row->least, row->most);
    if (size)
        rf_hint(&e, "Bytes, or with a unit as in 64MiB.");
    rf_problem_add(r->problems, &e);
}

static void read_max_body(struct rf_merge *r, const struct rf_yaml *v)
{
    read_number(r, v, RF_SERVE_MAX_BODY);
}

static void read_max_in_flight(struct rf_merge *r, const struct rf_yaml *v)
{
    read_number(r, v, RF_SERVE_MAX_IN_FLIGHT);
}

static void read_first_byte(struct rf_merge *r, const struct rf_yaml *v)
{
    read_number(r, v, RF_SERVE_FIRST_BYTE_SECONDS);
}

static void read_idle(struct rf_merge *r, const struct rf_yaml *v)
{
    read_number(r, v, RF_SERVE_IDLE_SECONDS);
}

static void read_days(struct rf_merge *r, const struct rf_yaml *v)
{
    read_number(r, v, RF_SERVE_KEEP_REQUESTS_DAYS);
}

/* Texts. */

static void read_listen(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_listen_address address;
    struct rf_err why;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"listen\""))
        return;
    if (rf_listen_address_read(v->text, &address, &why))
        problem(r, v->line, rf_strf(r->c->arena, "\"listen\": %s", why.msg).p, why.hint);
    else
        r->c->serve.listen = rf_str(rf_cstr(r->c->arena, v->text));
}

static bool is_path(struct rf_str s)
{
    return rf_str_starts(s, "/") || rf_str_starts(s, "~/");
}

static void read_path(struct rf_merge *r, const struct rf_yaml *v, const char *name,
                      struct rf_str *out)
{
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, rf_strf(r->c->arena, "\"%s\"", name).p))
        return;
    if (is_path(v->text))
        *out = rf_str(rf_store_folder(v->text, r->c->arena));
    else
        problem(r, v->line, rf_strf(r->c->arena, "\"%s\" is not a whole path", name).p,
                "Begin it with / or ~/.");
}

static void read_log(struct rf_merge *r, const struct rf_yaml *v)
{
    if (v->kind == RF_YAML_TEXT && rf_str_is(v->text, "-"))
        r->c->serve.log = v->text;
    else
        read_path(r, v, "log", &r->c->serve.log);
}

static void read_plan(struct rf_merge *r, const struct rf_yaml *v)
{
    if (v->kind == RF_YAML_TEXT && rf_str_is(v->text, "always"))
        r->c->serve.plan = RF_PLAN_ALWAYS;
    else if (v->kind == RF_YAML_TEXT && rf_str_is(v->text, "needed"))
        r->c->serve.plan = RF_PLAN_NEEDED;
    else
        problem(r, v->line, "\"plan\" is neither always nor needed",
                "With needed, a request of the model's own API passes as it is unless a file in it "
                "needs help.");
}

static void read_traces(struct rf_merge *r, const struct rf_yaml *v)
{
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"traces\""))
        return;
    struct rf_str host = rf_merge_authority(v->text);
    if (!host.n)
        problem(r, v->line, "\"traces\" is not a web address",
                "It starts with https:// or http:// and names a host.");
    else if (memchr(host.p, '@', host.n))
        problem(r, v->line, "\"traces\" holds a user name or a password",
                "Leave out what is before the \"@\".");
    else
        r->c->serve.traces = rf_str(rf_cstr(r->c->arena, v->text));
}

/* The certificate. */

static void read_certificate(struct rf_merge *r, const struct rf_yaml *v)
{
    read_path(r, v, "certificate", &r->c->serve.certificate);
}

static void read_certificate_key(struct rf_merge *r, const struct rf_yaml *v)
{
    read_path(r, v, "key", &r->c->serve.certificate_key);
}

static void read_tls(struct rf_merge *r, const struct rf_yaml *v)
{
    static const struct rf_merge_key keys[] = {
        { "certificate", read_certificate },
        { "key", read_certificate_key },
    };
    const struct rf_config_serve *s = &r->c->serve;
    size_t problems = r->problems->count;
    if (!rf_merge_is_map(r, v, "\"tls\""))
        return;
    rf_merge_keys(r, v, "serve.tls", keys, sizeof keys / sizeof *keys);
    if (r->problems->count == problems && (!s->certificate.n || !s->certificate_key.n))
        problem(r, v->line, "\"tls\" needs both \"certificate\" and \"key\"",
                "Name the two PEM files, or leave \"tls\" out.");
}

/* Rules. */

static void read_match(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"match\""))
        r->rule->match = v->text;
}

static void read_model(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"model\""))
        r->rule->model = v->text;
}

static void read_rule(struct rf_merge *r, const struct rf_yaml *v)
{
    static const struct rf_merge_key keys[] = { { "match", read_match }, { "model", read_model } };
    struct rf_config_serve *s = &r->c->serve;
    struct rf_config_rule rule = { .place = { r->file, v->line } };
    size_t problems = r->problems->count;
    if (!rf_merge_is_kind(r, v, RF_YAML_MAP, "a rule"))
        return;
    r->rule = &rule;
    rf_merge_keys(r, v, "serve.rules", keys, sizeof keys / sizeof *keys);
    if (r->problems->count > problems)
        return;
    if (rule.match.n && rule.model.n)
        *RF_PUSH(r->c->arena, s->rules, s->rule_count, s->rule_cap) = rule;
    else
        problem(r, v->line, "a rule needs both \"match\" and \"model\"",
                "Such as {match: \"claude-*\", model: openai:gpt-5.4}.");
}

static void read_rules(struct rf_merge *r, const struct rf_yaml *v)
{
    if (!rf_merge_is_kind(r, v, RF_YAML_LIST, "\"rules\""))
        return;
    if (v->count > MOST_RULES) {
        problem(r, v->line, "there are more than 1000 \"rules\"", "Use stars in their patterns.");
        return;
    }
    r->c->serve.rule_count = 0;
    for (size_t i = 0; i < v->count; i++)
        read_rule(r, &v->items[i]);
}

/* All of it. */

static const struct rf_merge_key keys[] = {
    { "listen", read_listen },
    { "max_body", read_max_body },
    { "max_in_flight", read_max_in_flight },
    { "rules", read_rules },
    { "log", read_log },
    { "tls", read_tls },
    { "plan", read_plan },
    { "first_byte_seconds", read_first_byte },
    { "idle_seconds", read_idle },
    { "traces", read_traces },
    { "keep_requests_days", read_days },
};

void rf_merge_serve(struct rf_merge *r, const struct rf_yaml *v)
{
    if (!rf_merge_is_map(r, v, "\"serve\""))
        return;
    rf_merge_keys(r, v, "serve", keys, sizeof keys / sizeof *keys);
    r->c->serve.place = (struct rf_place){ r->file, v->line };
}

/* The service may have what whoever checks does not: it is a note. */
static void note_missing(struct rf_merge *r, const char *name, struct rf_str path)
{
    struct rf_err e;
    if (!path.n || access(path.p, F_OK) == 0)
        return;
    rf_merge_problem(&e, r, r->c->serve.place.line,
                     "\"tls\": the file of \"%s\", \"%.*s\", is not there", name, RF_FMT(path));
    rf_hint(&e, "refract serve does not start without it.");
    rf_problem_note(r->problems, &e);
}

static void note_log(struct rf_merge *r, struct rf_str path)
{
    struct rf_err e;
    struct rf_str folder = { path.p, path.n - rf_str_behind(path, '/').n };
    if (!folder.n || access(rf_cstr(r->c->arena, folder), F_OK) == 0)
        return;
    rf_merge_problem(&e, r, r->c->serve.place.line,
                     "\"log\": the folder of \"%.*s\" is not there", RF_FMT(path));
    rf_hint(&e, "refract serve does not start without it.");
    rf_problem_note(r->problems, &e);
}

static void note_room(struct rf_merge *r)
{
    struct rf_err e;
    int64_t one = rf_config_serve_number(r->c, RF_SERVE_MAX_BODY);
    int64_t all = rf_config_serve_number(r->c, RF_SERVE_MAX_IN_FLIGHT);
    if (one <= all)
        return;
    rf_merge_problem(&e, r, r->c->serve.place.line,
                     "\"max_in_flight\" (%" PRId64 ") is less than \"max_body\" (%" PRId64 ")", all,
                     one);
    rf_hint(&e, "A body between the two is always refused as one too many.");
    rf_problem_note(r->problems, &e);
}

void rf_merge_settle_serve(struct rf_merge *r)
{
    const struct rf_config_serve *s = &r->c->serve;
    if (s->place.file) {
        r->file = s->place.file;
        note_room(r);
        note_missing(r, "certificate", s->certificate);
        note_missing(r, "key", s->certificate_key);
        if (!rf_str_is(s->log, "-"))
            note_log(r, s->log);
    }
    for (size_t i = 0; i < s->rule_count; i++) {
        r->file = s->rules[i].place.file;
        rf_merge_model_exists(r, s->rules[i].model, s->rules[i].place.line, "rules");
    }
}
