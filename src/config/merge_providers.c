/* What the configuration says of providers: where one is, and how its key is found.
 *
 *     providers:
 *       openai:
 *         base_url: https://gateway.example/v1
 *         key: $GATEWAY_KEY            # the name of a variable; keys do not belong in files
 *         key_command: [pass, show, gateway]
 *         headers: {X-Team: tools}
 *       anthropic: {keys: [$FIRST_KEY, {command: [pass, show, second]}]}   # the gateway's
 *         plain_proxy: yes             # requests by plain http:// may go through a proxy
 *       vertex: {project: my-project, location: europe-west4}
 *
 * None of it is for a project's file to say. */
#include "config/merge.h"

#include "base/arena.h"
#include "base/limits.h"

#define MAX_HEADERS 32
#define MAX_ARGUMENTS 64

struct rf_str rf_merge_authority(struct rf_str url)
{
    struct rf_str rest = url, host = { 0 };
    size_t scheme = rf_str_starts(url, "https://") ? 8 : rf_str_starts(url, "http://") ? 7 : url.n;
    rest.p += scheme;
    rest.n -= scheme;
    rf_str_split(&rest, '/', &host);
    return host;
}

static void read_base_url(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"base_url\""))
        return;
    struct rf_str host = rf_merge_authority(v->text);
    if (!host.n) {
        rf_merge_problem(&e, r, v->line, "\"base_url\": this is not a web address");
        rf_hint(&e, "It starts with https:// or http:// and names a host.");
    } else if (memchr(host.p, '@', host.n)) {
        rf_merge_problem(&e, r, v->line, "\"base_url\": the URL holds a user name or a password");
        rf_hint(&e, "Keys come from the environment: leave out what is before the \"@\".");
    } else {
        r->provider->base_url = v->text;
        return;
    }
    rf_problem_add(r->problems, &e);
}

/* What stands at the key "NAME", for messages. */
static bool is_text(struct rf_merge *r, const struct rf_yaml *v, const char *name)
{
    return rf_merge_is_kind(r, v, RF_YAML_TEXT, rf_strf(r->c->arena, "\"%s\"", name).p);
}

bool rf_merge_is_variable(struct rf_str s)
{
    if (s.n < 2 || s.p[0] != '$' || rf_is_digit(s.p[1]))
        return false;
    for (size_t i = 1; i < s.n; i++)
        if (!rf_is_letter(s.p[i]) && !rf_is_digit(s.p[i]) && s.p[i] != '_')
            return false;
    return true;
}

/* Neither the value nor a piece of it is repeated: it may be a key. */
static void read_key(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e;
    if (!is_text(r, v, "key"))
        return;
    if (!rf_merge_is_variable(v->text)) {
        rf_merge_problem(&e, r, v->line, "\"key\": keys do not belong in files");
        rf_hint(&e, "Name a variable, as in key: $MY_KEY, or a command that prints the key, with "
                    "key_command.");
        rf_problem_add(r->problems, &e);
    } else {
        r->provider->key.variable = (struct rf_str){ v->text.p + 1, v->text.n - 1 };
    }
}

static void add_argument(struct rf_merge *r, struct rf_str text)
{
    struct rf_config_key *k = r->key;
    *RF_PUSH(r->c->arena, k->command, k->command_count, k->command_cap) = text;
}

/* Into r->key: a list is run as it is, a text by the shell. */
static void read_key_program(struct rf_merge *r, const struct rf_yaml *v, const char *name)
{
    struct rf_err e;
    bool list = v->kind == RF_YAML_LIST;
    if (!list && !is_text(r, v, name))
        return;
    for (size_t i = 0; list && i < v->count; i++)
        if (!is_text(r, &v->items[i], name))
            return;
    if (list ? !v->count || v->count > MAX_ARGUMENTS || !v->items[0].text.n : !v->text.n) {
        rf_merge_problem(&e, r, v->line, "\"%s\": expected a program and its arguments", name);
        rf_hint(&e, "Such as [pass, show, my-key], or a line for the shell.");
        rf_problem_add(r->problems, &e);
        return;
    }
    r->key->command_count = 0;
    if (!list) {
        add_argument(r, RF_STR("/bin/sh"));
        add_argument(r, RF_STR("-c"));
        add_argument(r, v->text);
    }
    for (size_t i = 0; list && i < v->count; i++)
        add_argument(r, v->items[i].text);
}

static void read_key_command(struct rf_merge *r, const struct rf_yaml *v)
{
    r->key = &r->provider->key;
    read_key_program(r, v, "key_command");
}

/* Several keys. */

static void read_command(struct rf_merge *r, const struct rf_yaml *v)
{
    read_key_program(r, v, "command");
}

/* "$NAME" or {command: …}; as with one key, the value is not repeated. */
static void read_one_key(struct rf_merge *r, const struct rf_yaml *v)
{
    static const struct rf_merge_key keys[] = { { "command", read_command } };
    struct rf_config_provider *p = r->provider;
    struct rf_err e;
    r->key = RF_PUSH(r->c->arena, p->keys, p->key_count, p->key_cap);
    *r->key = (struct rf_config_key){ 0 };
    if (v->kind == RF_YAML_MAP && v->count) {
        rf_merge_keys(r, v, "providers.*.keys", keys, 1);
    } else if (v->kind == RF_YAML_TEXT && rf_merge_is_variable(v->text)) {
        r->key->variable = (struct rf_str){ v->text.p + 1, v->text.n - 1 };
    } else {
        rf_merge_problem(&e, r, v->line, "\"keys\": keys do not belong in files");
        rf_hint(&e, "Name variables, or commands that print a key, as in [$MY_KEY, {command: "
                    "[pass, show, other]}].");
        rf_problem_add(r->problems, &e);
    }
}

static void read_keys(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_config_provider *p = r->provider;
    struct rf_err e;
    if (!rf_merge_is_kind(r, v, RF_YAML_LIST, "\"keys\""))
        return;
    if (!v->count || v->count > RF_MAX_KEYS) {
        rf_merge_problem(&e, r, v->line, "\"keys\": expected from one to %d keys", RF_MAX_KEYS);
        rf_problem_add(r->problems, &e);
        return;
    }
    p->key_count = 0;
    p->keys_place = (struct rf_place){ r->file, v->line };
    for (size_t i = 0; i < v->count; i++)
        read_one_key(r, &v->items[i]);
}

/* Which of them counted would be a guess. */
static void check_keys(struct rf_merge *r)
{
    const struct rf_config_provider *p = r->provider;
    struct rf_err e;
    if (!p->key_count || !(p->key.variable.n || p->key.command_count))
        return;
    rf_merge_problem(&e, r, p->keys_place.line, "\"keys\" stands beside a single key");
    rf_hint(&e, "Move it into the list, and leave \"key\" and \"key_command\" out.");
    rf_problem_add(r->problems, &e);
}

/* Names of places become part of an address, so they are held to what such names are made of. */
static void read_place(struct rf_merge *r, const struct rf_yaml *v, const char *name,
                       const char *also, struct rf_str *out)
{
    struct rf_err e;
    if (!is_text(r, v, name))
        return;
    bool fits = v->text.n > 0 && v->text.n <= 100;
    for (size_t i = 0; i < v->text.n; i++) {
        char c = v->text.p[i];
        fits &= (c >= 'a' && c <= 'z') || rf_is_digit(c) || (c && strchr(also, c));
    }
    if (fits) {
        *out = v->text;
        return;
    }
    rf_merge_problem(&e, r, v->line, "\"%s\": this is not the name of one", name);
    rf_hint(&e, "It is made of lower-case letters, digits and hyphens, such as europe-west4.");
    rf_problem_add(r->problems, &e);
}

static void read_region(struct rf_merge *r, const struct rf_yaml *v)
{
    read_place(r, v, "region", "-", &r->provider->region);
}

static void read_location(struct rf_merge *r, const struct rf_yaml *v)
{
    read_place(r, v, "location", "-", &r->provider->location);
}

static void read_project(struct rf_merge *r, const struct rf_yaml *v)
{
    read_place(r, v, "project", "-.:", &r->provider->project);
}

bool rf_merge_is_header(struct rf_str s)
{
    /* Those that say how a message is framed, or where it goes. */
    static const char *const ours[] = { "host",       "content-length", "transfer-encoding",
                                        "connection", "expect",         "te" };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (rf_str_ieq(s, rf_str(ours[i])))
            return false;
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_letter(s.p[i]) && !rf_is_digit(s.p[i]) && s.p[i] != '-' && s.p[i] != '_')
            return false;
    return s.n > 0;
}

bool rf_merge_is_secret(struct rf_str name)
{
    static const char *const words[] = { "*auth*", "*key*", "*token*", "*secret*", "*cookie*" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rf_glob(rf_str(words[i]), name))
            return true;
    return false;
}

static void set_header(struct rf_merge *r, struct rf_str name, struct rf_str value)
{
    struct rf_config_provider *p = r->provider;
    size_t i = 0;
    while (i < p->header_count && !rf_str_ieq(p->headers[i].name, name))
        i++;
    if (i == p->header_count)
        RF_PUSH(r->c->arena, p->headers, p->header_count, p->header_cap);
    p->headers[i] = (struct rf_config_header){ name, value };
}

static void read_header(struct rf_merge *r, const struct rf_yaml *key)
{
    struct rf_err e;
    if (!is_text(r, key + 1, "headers"))
        return;
    if (!rf_merge_is_header(key->text) || r->provider->header_count >= MAX_HEADERS) {
        rf_merge_problem(&e, r, key->line, "\"headers\": \"%.*s\" cannot be set",
                         RF_FMT(key->text));
        rf_hint(&e,
                "Headers are named with letters, digits and hyphens, at most %d of them; those "
                "that frame a message are not for a file to set.",
                MAX_HEADERS);
    } else if (rf_merge_is_secret(key->text) && !rf_merge_is_variable(key[1].text)) {
        rf_merge_problem(&e, r, key->line, "\"headers\": keys do not belong in files");
        rf_hint(&e, "Name a variable that holds the value of \"%.*s\", as in $MY_HEADER.",
                RF_FMT(key->text));
    } else {
        set_header(r, key->text, key[1].text);
        return;
    }
    rf_problem_add(r->problems, &e);
}

static void read_headers(struct rf_merge *r, const struct rf_yaml *v)
{
    if (!rf_merge_is_map(r, v, "\"headers\""))
        return;
    for (size_t i = 0; i < v->count; i += 2)
        read_header(r, &v->items[i]);
}

static void read_plain_proxy(struct rf_merge *r, const struct rf_yaml *v)
{
    bool yes;
    if (rf_merge_switch(r, v, "\"plain_proxy\"", &yes))
        r->provider->plain_proxy = yes;
}

static const struct rf_merge_key provider_keys[] = {
    { "base_url", read_base_url },
    { "key", read_key },
    { "key_command", read_key_command },
    { "region", read_region },
    { "project", read_project },
    { "location", read_location },
    { "headers", read_headers },
    { "plain_proxy", read_plain_proxy },
    { "keys", read_keys },
};

size_t rf_config_key_count(const struct rf_config_provider *p)
{
    bool one = p && (p->key.variable.n || p->key.command_count);
    return p && p->key_count ? p->key_count : one;
}

const struct rf_config_key *rf_config_key(const struct rf_config_provider *p, size_t i)
{
    if (i >= rf_config_key_count(p))
        return NULL;
    return p->key_count ? &p->keys[i] : &p->key;
}

const struct rf_config_provider *rf_config_provider(const struct rf_config *c, struct rf_str name)
{
    for (size_t i = 0; c && i < c->provider_count; i++)
        if (rf_str_eq(c->providers[i].name, name))
            return &c->providers[i];
    return NULL;
}

static struct rf_config_provider *provider_of(struct rf_config *c, struct rf_str name)
{
    const struct rf_config_provider *found = rf_config_provider(c, name);
    if (found)
        return &c->providers[found - c->providers];
    struct rf_config_provider *p =
        RF_PUSH(c->arena, c->providers, c->provider_count, c->provider_cap);
    *p = (struct rf_config_provider){ .name = name };
    return p;
}

void rf_merge_providers(struct rf_merge *r, const struct rf_yaml *map)
{
    if (!rf_merge_is_map(r, map, "\"providers\""))
        return;
    for (size_t i = 0; i < map->count; i += 2) {
        const struct rf_yaml *key = &map->items[i];
        const char *what = rf_strf(r->c->arena, "provider \"%.*s\"", RF_FMT(key->text)).p;
        if (!rf_merge_provider_exists(r, key->text, key->line) ||
            !rf_merge_is_map(r, key + 1, what))
            continue;
        r->entry = key->text;
        r->provider = provider_of(r->c, key->text);
        rf_merge_keys(r, key + 1, "providers.*", provider_keys,
                      sizeof provider_keys / sizeof *provider_keys);
        check_keys(r);
    }
}
