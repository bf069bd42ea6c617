/* Amazon's keys, as its own tools find them: the environment, then a profile of ~/.aws. Profiles
 * whose keys come from somewhere else (a role, a login in the browser, a program) are told apart
 * and explained: what runs a program here is key_command alone. */
#include "net/credentials.h"

#include "base/arena.h"
#include "base/file.h"

#include <stdlib.h>

#define MAX_PROFILES ((size_t)1 << 20) /* bytes of a file of them */

struct profile {
    struct rf_str name;
    struct rf_str id, secret, session, region;
    struct rf_str elsewhere; /* the setting that says where its keys come from */
    bool exists;
};

static struct rf_str variable(const char *name)
{
    return rf_str_trim(rf_str(getenv(name)));
}

static const char *file_of(const char *name, const char *below_home, struct rf_arena *a)
{
    struct rf_str named = variable(name);
    const char *home = getenv("HOME");
    if (named.n)
        return rf_cstr(a, named);
    return home && *home ? rf_strf(a, "%s/%s", home, below_home).p : NULL;
}

static void take_setting(struct profile *p, struct rf_str name, struct rf_str value)
{
    static const char *const elsewhere[] = { "credential_process",      "sso_session",
                                             "sso_start_url",           "role_arn",
                                             "web_identity_token_file", "login_session" };
    const struct {
        const char *name;
        struct rf_str *at;
    } known[] = {
        { "aws_access_key_id", &p->id },
        { "aws_secret_access_key", &p->secret },
        { "aws_session_token", &p->session },
        { "region", &p->region },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rf_str_ieq(name, rf_str(known[i].name)) && !known[i].at->n)
            *known[i].at = value;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (rf_str_ieq(name, rf_str(elsewhere[i])))
            p->elsewhere = rf_str(elsewhere[i]);
}

/* "[NAME]", and in the file of settings "[profile NAME]". */
static bool is_section(struct rf_str line, struct rf_str name)
{
    line = rf_str_trim(line);
    if (line.n < 2 || line.p[line.n - 1] != ']')
        return false;
    line = rf_str_trim((struct rf_str){ line.p + 1, line.n - 2 });
    if (rf_str_starts(line, "profile "))
        line = rf_str_trim((struct rf_str){ line.p + 8, line.n - 8 });
    return rf_str_eq(line, name);
}

static void read_profile(struct profile *p, struct rf_str text)
{
    struct rf_str line, name;
    bool in = false;
    while (rf_str_split(&text, '\n', &line)) {
        if (!line.n || strchr("#; \t\r", line.p[0]))
            continue; /* what is indented belongs to a setting of another service */
        if (line.p[0] == '[') {
            in = is_section(line, p->name);
            p->exists |= in;
        } else if (in) {
            rf_str_split(&line, '=', &name);
            take_setting(p, rf_str_trim(name), rf_str_trim(line));
        }
    }
}

/* Both files; one that is not there or cannot be read says nothing. */
static struct profile load_profile(struct rf_arena *a)
{
    const char *files[] = {
        file_of("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", a),
        file_of("AWS_CONFIG_FILE", ".aws/config", a),
    };
    struct rf_str named = variable("AWS_PROFILE");
    struct profile p = { .name = named.n ? rf_str_dup(a, named) : RF_STR("default") };
    for (size_t i = 0; i < 2; i++) {
        struct rf_str text;
        if (files[i] && !rf_file_read(files[i], MAX_PROFILES, a, &text, NULL))
            read_profile(&p, text);
    }
    return p;
}

struct rf_str rf_aws_profile_region(struct rf_arena *a)
{
    return load_profile(a).region;
}

static bool is_visible(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= 0x20 || s.p[i] >= 0x7f)
            return false;
    return true;
}

static enum rf_code take(struct rf_aws_keys keys, struct rf_arena *a, struct rf_aws_keys **out,
                         struct rf_err *err)
{
    if (!is_visible(keys.id) || !is_visible(keys.secret) || !is_visible(keys.session)) {
        rf_fail(err, RF_ECONFIG, "the AWS keys of %s hold characters that no key has", keys.from);
        rf_hint(err, "Copy them again, without quotes and white space.");
        return RF_ECONFIG;
    }
    *out = RF_NEW(a, struct rf_aws_keys);
    **out = keys;
    return RF_OK;
}

/* Only a profile that somebody named has to be good; otherwise there are no keys. */
static enum rf_code no_keys(const struct profile *p, struct rf_err *err)
{
    if (!variable("AWS_PROFILE").n && !p->elsewhere.n)
        return RF_OK;
    if (p->elsewhere.n) {
        rf_fail(err, RF_ECONFIG,
                "the AWS profile \"%.*s\" gets its keys by \"%.*s\", which is not supported",
                RF_FMT(p->name), RF_FMT(p->elsewhere));
        rf_hint(err, "Run: eval \"$(aws configure export-credentials --format env)\", or set "
                     "AWS_BEARER_TOKEN_BEDROCK.");
    } else {
        rf_fail(err, RF_ECONFIG,
                p->exists ? "the AWS profile \"%.*s\" holds no keys"
                          : "there is no AWS profile \"%.*s\"",
                RF_FMT(p->name));
        rf_hint(err, "AWS_PROFILE names it: change that, or run \"aws configure\".");
    }
    return RF_ECONFIG;
}

enum rf_code rf_aws_keys_find(struct rf_arena *a, struct rf_aws_keys **out, struct rf_err *err)
{
    struct rf_aws_keys keys = {
        .id = rf_str_dup(a, variable("AWS_ACCESS_KEY_ID")),
        .secret = rf_str_dup(a, variable("AWS_SECRET_ACCESS_KEY")),
        .session = rf_str_dup(a, variable("AWS_SESSION_TOKEN")),
        .from = "AWS_ACCESS_KEY_ID",
    };
    *out = NULL;
    if (keys.id.n && keys.secret.n)
        return take(keys, a, out, err);
    struct profile p = load_profile(a);
    if (!p.id.n || !p.secret.n)
        return no_keys(&p, err);
    keys = (struct rf_aws_keys){
        .id = p.id,
        .secret = p.secret,
        .session = p.session,
        .from = rf_strf(a, "profile %.*s", RF_FMT(p.name)).p,
    };
    return take(keys, a, out, err);
}
