/* Finding an endpoint: address, key, headers. What the configuration says counts first, then the
 * variables that the vendors' own SDKs read, then the row. */
#include "net/endpoint.h"

#include "base/arena.h"
#include "config/moved.h"
#include "net/address.h"
#include "net/credentials.h"
#include "net/proxy.h"

#include <stdlib.h>

#define IN_PROCESS "sim:"

/* An endpoint while it is found. */
struct finding {
    const struct rf_config *config; /* or NULL */
    const struct rf_provider_row *row;
    const struct rf_config_provider *said; /* or NULL */
    struct rf_arena *arena;
    const char *list;               /* path of the list of models that is asked for; or NULL */
    const struct rf_api_path *path; /* that is asked for; or NULL. Without either, the model is */
    bool shows;                     /* what the command prints is not known */
    struct rf_key_choice key;
    struct rf_endpoint *out;
    struct rf_err *err;
};

/* Keys. */

/* A key is visible ASCII; anything else could end its header. */
static enum rf_code check_key(struct finding *f, struct rf_str key, const char *from)
{
    for (size_t i = 0; i < key.n; i++) {
        if (key.p[i] > 0x20 && key.p[i] < 0x7f)
            continue;
        rf_fail(f->err, RF_ECONFIG,
                "what %s holds is not a key: byte %zu of it cannot stand in one", from, i + 1);
        rf_hint(f->err, "Copy the key again, without quotes and white space.");
        return RF_ECONFIG;
    }
    return RF_OK;
}

static enum rf_code set_key(struct finding *f, struct rf_str key, const char *from)
{
    enum rf_code rc = check_key(f, key, from);
    if (!rc) {
        f->out->key = key;
        f->out->key_from = from;
    }
    return rc;
}

/* What the configuration says about the key; nothing is found where it says nothing. */
static enum rf_code configured_key(struct finding *f)
{
    const struct rf_config_key *how = rf_config_key(f->said, f->key.index);
    if (!how)
        return RF_OK;
    if (how->command_count && f->shows) {
        f->out->key_from = "key_command";
        return RF_OK;
    }
    if (how->command_count)
        return set_key(f, f->key.printed, "key_command");
    const char *from = NULL;
    struct rf_str key = rf_variable_of(rf_cstr(f->arena, how->variable), f->arena, &from);
    if (key.n)
        return set_key(f, key, from);
    rf_fail(f->err, RF_ECONFIG,
            "the variable \"%.*s\", which the key of \"%s\" should be in, is not set",
            RF_FMT(how->variable), f->row->provider);
    rf_advise(f->err, RF_REASON_NO_KEY, "Set it, or change \"key\" in the configuration.");
    return RF_ECONFIG;
}

static void add_other_key(struct finding *f, struct rf_str key)
{
    struct rf_endpoint *e = f->out;
    *RF_PUSH(f->arena, e->other_keys, e->other_key_count, e->other_key_cap) = key;
}

/* A server may repeat a key that it was asked with before. No command is run for them. */
static void find_other_keys(struct finding *f)
{
    for (size_t i = 0; i < rf_config_key_count(f->said); i++) {
        const struct rf_config_key *how = rf_config_key(f->said, i);
        const struct rf_key_command command = { how->command, how->command_count };
        struct rf_str *printed;
        const char *from;
        size_t count = command.count ? rf_key_command_printed(&command, f->arena, &printed) : 0;
        for (size_t k = 0; k < count; k++)
            add_other_key(f, printed[k]);
        if (!command.count && i != f->key.index)
            add_other_key(f, rf_variable_of(rf_cstr(f->arena, how->variable), f->arena, &from));
    }
}

static enum rf_code key_of_variables(struct finding *f, const char *variables)
{
    const char *from = NULL;
    struct rf_str key = rf_variable_of(variables, f->arena, &from);
    return key.n ? set_key(f, key, from) : RF_OK;
}

static bool has_key(const struct finding *f)
{
    return f->out->key_from != NULL;
}

static enum rf_code plain_key(struct finding *f)
{
    enum rf_code rc = configured_key(f);
    return rc || has_key(f) ? rc : key_of_variables(f, f->row->key_variables);
}

/* A token is sent as it is; keys sign. */
static enum rf_code aws_key(struct finding *f)
{
    enum rf_code rc = plain_key(f);
    if (rc || has_key(f)) {
        f->out->auth = RF_AUTH_BEARER;
        return rc;
    }
    rc = rf_aws_keys_find(f->arena, &f->out->aws, f->err);
    if (!rc && f->out->aws)
        f->out->key_from = f->out->aws->from;
    return rc;
}

/* Google's keys begin in one of these ways; all else that is configured is an access token. */
static void tell_token_from_key(struct finding *f)
{
    bool key = rf_str_starts(f->out->key, "AIza") || rf_str_starts(f->out->key, "AQ.");
    f->out->auth = key ? RF_AUTH_HEADER : RF_AUTH_BEARER;
}

static enum rf_code google_account(struct finding *f, enum rf_google_place place)
{
    enum rf_code rc = rf_google_account_find(place, f->arena, &f->out->google, f->err);
    if (!rc && f->out->google)
        f->out->key_from = f->out->google->from;
    return rc;
}

static bool names_project(const struct finding *f)
{
    const char *from;
    return (f->said && f->said->project.n) ||
           rf_variable_of(f->row->project_variables, f->arena, &from).n;
}

/* A token, the account that a variable names, a key, and the account that gcloud keeps: that one
 * goes before a key where a project is named, since keys belong to a project of their own. */
static enum rf_code google_key(struct finding *f)
{
    enum rf_code rc = configured_key(f);
    if (rc || has_key(f)) {
        tell_token_from_key(f);
        return rc;
    }
    if ((rc = key_of_variables(f, f->row->token_variables)) || has_key(f)) {
        f->out->auth = RF_AUTH_BEARER;
        return rc;
    }
    if ((rc = google_account(f, RF_GOOGLE_NAMED)) || has_key(f))
        return rc;
    if (names_project(f) && ((rc = google_account(f, RF_GOOGLE_DEFAULT)) || has_key(f)))
        return rc;
    if ((rc = key_of_variables(f, f->row->key_variables)) || has_key(f)) {
        f->out->auth = RF_AUTH_HEADER;
        return rc;
    }
    return google_account(f, RF_GOOGLE_DEFAULT);
}

static enum rf_code find_key(struct finding *f)
{
    f->out->auth = f->row->auth;
    switch (f->row->auth) {
    case RF_AUTH_NONE:
        return RF_OK;
    case RF_AUTH_BEARER:
    case RF_AUTH_HEADER:
        return plain_key(f);
    case RF_AUTH_AWS:
        return aws_key(f);
    case RF_AUTH_GOOGLE:
        return google_key(f);
    }
    RF_BUG("no such way to authenticate");
}

/* What else there is where a key is not the only way. */
static const char *other_ways(enum rf_auth auth)
{
    switch (auth) {
    case RF_AUTH_AWS:
        return ", AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE";
    case RF_AUTH_GOOGLE:
        return " or GOOGLE_APPLICATION_CREDENTIALS, or run "
               "\"gcloud auth application-default login\"";
    case RF_AUTH_NONE:
    case RF_AUTH_BEARER:
    case RF_AUTH_HEADER:
        return "";
    }
    RF_BUG("no such way to authenticate");
}

static enum rf_code no_key(struct finding *f)
{
    const char *variables = f->row->key_variables ? f->row->key_variables : "";
    rf_fail(f->err, RF_ECONFIG, "there is no key for \"%s\"", f->row->provider);
    rf_advise(f->err, RF_REASON_NO_KEY, "Set %.*s%s, or name a key_command in the configuration.",
              (int)strcspn(variables, ","), variables, other_ways(f->row->auth));
    return RF_ECONFIG;
}

/* The address. */

static struct rf_str said_or_set(const struct finding *f, struct rf_str said, const char *variables)
{
    const char *from;
    return said.n ? said : rf_variable_of(variables, f->arena, &from);
}

static struct rf_address_parts parts_of(const struct finding *f, const struct rf_model *m)
{
    static const struct rf_config_provider nothing;
    const struct rf_config_provider *said = f->said ? f->said : &nothing;
    const struct rf_endpoint *e = f->out;
    struct rf_address_parts p = {
        .region = said_or_set(f, said->region, f->row->region_variables),
        .project = said_or_set(f, said->project, f->row->project_variables),
        .location = said_or_set(f, said->location, f->row->location_variables),
    };
    if (m)
        p.model = m->name;
    if (!p.region.n && f->row->region_variables)
        p.region = rf_aws_profile_region(f->arena);
    if (!p.project.n && e->google)
        p.project = e->google->project;
    if (!p.location.n)
        p.location = rf_str(f->row->location);
    p.whole = e->auth != RF_AUTH_HEADER;
    return p;
}

static enum rf_code no_address(struct finding *f)
{
    const char *moving = rf_moving_variables(rf_str(f->row->provider));
    const char *variables = moving ? moving : "";
    rf_fail(f->err, RF_ECONFIG, "the address of \"%s\" is unknown", f->row->provider);
    rf_advise(f->err, RF_REASON_NO_KEY,
              "Set %.*s, or base_url under providers, %s, in the configuration.",
              (int)strcspn(variables, ","), variables, f->row->provider);
    return RF_ECONFIG;
}

/* Lists may be at another address; where the provider was moved, so were they. */
static enum rf_code list_base(struct finding *f, const struct rf_address_parts *parts)
{
    if (!f->row->list_base || rf_moved_to(f->config, rf_str(f->row->provider), f->arena).n)
        return RF_OK;
    return rf_address_fill(f->row, f->row->list_base, parts, f->arena, &f->out->base, f->err);
}

static enum rf_code find_base(struct finding *f, struct rf_address_parts *parts)
{
    enum rf_code rc = rf_address_base(f->row, f->said, parts, f->arena, &f->out->base, f->err);
    if (!rc && f->list)
        rc = list_base(f, parts);
    if (rc)
        return rc;
    if (!f->out->base)
        return no_address(f);
    /* One that was moved is signed for somewhere, too. */
    if (!parts->region.n && f->row->auth == RF_AUTH_AWS)
        parts->region = RF_STR("us-east-1");
    f->out->region = parts->region;
    return RF_OK;
}

static enum rf_code find_url(struct finding *f, const struct rf_model *m, bool stream)
{
    struct rf_address_parts parts = parts_of(f, m);
    const char *template = f->list                         ? f->list
                           : f->path                       ? f->path->root
                           : stream && f->row->stream_path ? f->row->stream_path
                                                           : f->row->path,
               *path;
    enum rf_code rc = find_base(f, &parts);
    if (!rc)
        rc = rf_address_fill(f->row, template, &parts, f->arena, &path, f->err);
    if (!rc && f->path)
        path = rf_strf(f->arena, "%s%.*s", path, RF_FMT(f->path->rest)).p;
    if (!rc)
        f->out->url = rf_address_join(f->out->base, path, f->arena);
    return rc;
}

/* Headers. */

/* "$NAME" is the variable's value. */
static struct rf_str header_value(struct finding *f, struct rf_str value)
{
    struct rf_endpoint *e = f->out;
    const char *from;
    if (!rf_str_starts(value, "$"))
        return value;
    value = rf_variable_of(rf_cstr(f->arena, (struct rf_str){ value.p + 1, value.n - 1 }), f->arena,
                           &from);
    *RF_PUSH(f->arena, e->header_secrets, e->header_secret_count, e->header_secret_cap) = value;
    return value;
}

static bool is_visible(struct rf_str value)
{
    for (size_t i = 0; i < value.n; i++)
        if ((unsigned char)value.p[i] < 0x20 || value.p[i] == 0x7f)
            return false;
    return true;
}

static enum rf_code add_header(struct finding *f, struct rf_str name, struct rf_str value,
                               size_t *cap)
{
    struct rf_endpoint *e = f->out;
    size_t i = 0;
    value = header_value(f, value);
    if (!value.n)
        return RF_OK;
    if (!is_visible(value)) {
        rf_fail(f->err, RF_ECONFIG, "the header \"%.*s\" has a value that cannot be sent",
                RF_FMT(name));
        rf_hint(f->err, "It is one line of text: look at the variable that it comes from.");
        return RF_ECONFIG;
    }
    while (i < e->header_count && !rf_str_ieq(e->headers[i].name, name))
        i++;
    if (i == e->header_count)
        RF_PUSH(f->arena, e->headers, e->header_count, *cap);
    e->headers[i] = (struct rf_header){ name, value };
    return RF_OK;
}

/* A client's word for its body is not one of ours, which may name a variable. */
static void take_content_type(struct finding *f)
{
    struct rf_endpoint *e = f->out;
    if (!f->path || !f->path->content_type.n || !is_visible(f->path->content_type))
        return;
    for (size_t i = 0; i < e->header_count; i++)
        if (rf_str_ieq(e->headers[i].name, RF_STR("content-type")))
            e->headers[i].value = f->path->content_type;
}

static enum rf_code find_headers(struct finding *f)
{
    struct rf_str lines = rf_str(f->row->headers), line, name;
    size_t cap = 0;
    enum rf_code rc = add_header(f, RF_STR("content-type"), RF_STR("application/json"), &cap);
    take_content_type(f);
    while (!rc && rf_str_split(&lines, '\n', &line)) {
        rf_str_split(&line, ':', &name);
        rc = add_header(f, name, rf_str_trim(line), &cap);
    }
    for (size_t i = 0; !rc && f->said && i < f->said->header_count; i++)
        rc = add_header(f, f->said->headers[i].name, f->said->headers[i].value, &cap);
    return rc;
}

/* All of it. */

static bool has_command(const struct finding *f)
{
    for (size_t i = 0; i < rf_config_key_count(f->said); i++)
        if (rf_config_key(f->said, i)->command_count)
            return true;
    return false;
}

/* By a proxy on the way. */
static bool may_be_read(const struct finding *f)
{
    return (f->said && f->said->plain_proxy) || (!has_key(f) && !f->out->header_secret_count);
}

static bool is_in_process(const struct rf_provider_row *row)
{
    return row->base_url && strcmp(row->base_url, IN_PROCESS) == 0;
}

static enum rf_code fail_host(struct finding *f, const struct rf_model *m)
{
    rf_fail(f->err, RF_EUSAGE,
            "\"%.*s:%.*s\" is a host: it is given the results of tools, and cannot be asked",
            RF_FMT(m->provider), RF_FMT(m->name));
    rf_hint(f->err, "Name a model that answers, such as anthropic:claude-sonnet-5.");
    return RF_EUSAGE;
}

static enum rf_code find(struct finding *f, const struct rf_model *m, bool stream)
{
    if (f->row->host)
        return fail_host(f, m);
    enum rf_code rc = find_headers(f);
    if (rc)
        return rc;
    if (is_in_process(f->row)) {
        f->out->base = IN_PROCESS;
        return RF_OK;
    }
    if ((rc = find_key(f)))
        return rc;
    find_other_keys(f);
    if (!has_key(f) && !f->row->key_optional)
        return no_key(f);
    rc = find_url(f, m, stream);
    f->out->plain_proxy = may_be_read(f);
    f->out->lasting = !f->out->aws && !f->out->google && !has_command(f);
    return rc || f->out->plain_proxy ? rc : rf_proxy_check_plain(f->out->url, f->arena, f->err);
}

static struct finding finding_of(const struct rf_config *c, struct rf_str provider,
                                 struct rf_arena *a, struct rf_endpoint *out, struct rf_err *err)
{
    const struct rf_provider_row *row = rf_provider_row(provider);
    if (!row)
        RF_BUG("a provider of the catalogue without an address");
    *out = (struct rf_endpoint){ .row = row, .key = RF_STR("") };
    return (struct finding){
        .config = c,
        .row = row,
        .said = rf_config_provider(c, provider),
        .arena = a,
        .out = out,
        .err = err,
    };
}

struct rf_key_command rf_endpoint_command(const struct rf_config *c, const struct rf_model *m,
                                          size_t key)
{
    const struct rf_provider_row *row = rf_provider_row(m->provider);
    const struct rf_config_provider *said = rf_config_provider(c, m->provider);
    const struct rf_config_key *how = rf_config_key(said, key);
    if (!row || row->auth == RF_AUTH_NONE || is_in_process(row) || !how)
        return (struct rf_key_command){ 0 };
    return (struct rf_key_command){ how->command, how->command_count };
}

enum rf_code rf_endpoint_find(const struct rf_config *c, const struct rf_model *m, bool stream,
                              struct rf_key_choice key, struct rf_arena *a, struct rf_endpoint *out,
                              struct rf_err *err)
{
    struct rf_endpoint e;
    struct finding f = finding_of(c, m->provider, a, &e, err);
    f.key = key;
    enum rf_code rc = find(&f, m, stream);
    if (!rc)
        *out = e;
    return rc;
}

enum rf_code rf_endpoint_find_list(const struct rf_config *c, const struct rf_model *m,
                                   const char *path, struct rf_key_choice key, struct rf_arena *a,
                                   struct rf_endpoint *out, struct rf_err *err)
{
    struct rf_endpoint e;
    struct finding f = finding_of(c, m->provider, a, &e, err);
    f.key = key;
    f.list = path;
    enum rf_code rc = find(&f, m, false);
    e.method = "GET";
    if (!rc)
        *out = e;
    return rc;
}

enum rf_code rf_endpoint_find_path(const struct rf_config *c, const struct rf_model *m,
                                   const struct rf_api_path *path, struct rf_key_choice key,
                                   struct rf_arena *a, struct rf_endpoint *out, struct rf_err *err)
{
    struct rf_endpoint e;
    struct finding f = finding_of(c, m->provider, a, &e, err);
    f.key = key;
    f.path = path;
    enum rf_code rc = find(&f, m, false);
    e.method = path->method;
    if (!rc)
        *out = e;
    return rc;
}

enum rf_code rf_endpoint_check(const struct rf_config *c, const struct rf_model *m,
                               struct rf_arena *a, struct rf_err *err)
{
    struct rf_endpoint e;
    struct finding f = finding_of(c, m->provider, a, &e, err);
    f.shows = true;
    return find(&f, m, false);
}

/* The address of an endpoint that has no key, as far as it is known. */
static const char *base_alone(struct finding *f, const struct rf_model *m)
{
    struct rf_address_parts parts = parts_of(f, m);
    const char *base = NULL;
    return rf_address_base(f->row, f->said, &parts, f->arena, &base, NULL) ? NULL : base;
}

void rf_endpoint_status(const struct rf_config *c, size_t provider, struct rf_arena *a,
                        struct rf_endpoint_status *out)
{
    const struct rf_model any = { .provider = rf_str(rf_provider_name(provider)),
                                  .name = RF_STR("model") };
    struct rf_endpoint e;
    struct rf_err err = { 0 };
    struct finding f = finding_of(c, any.provider, a, &e, &err);
    f.shows = true;
    enum rf_code rc = find(&f, &any, false);
    *out = (struct rf_endpoint_status){
        .provider = e.row->provider,
        .found = has_key(&f) || e.row->key_optional,
        .key_from = e.key_from,
        .base = e.base ? e.base : base_alone(&f, &any),
        .plain_proxy = e.plain_proxy,
        .hint = rc ? rf_cstr(a, rf_str(*err.hint ? err.hint : err.msg)) : "",
    };
}
