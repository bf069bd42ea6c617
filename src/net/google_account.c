/* Google's accounts: the JSON file of a service account, or the one that gcloud writes when
 * somebody logs in. Other kinds (workload identity and the like) are told apart and explained. */
#include "net/credentials.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/json_read.h"

#include <stdlib.h>

#define MAX_ACCOUNT ((size_t)64 << 10)
#define TOKEN_URI "https://oauth2.googleapis.com/token"
#define DEFAULT_FILE "application_default_credentials.json"

struct fields {
    struct rf_str type, project, quota_project, email, key_id, private_key, token_uri;
    struct rf_str client, secret, refresh;
};

#define AT(field) offsetof(struct fields, field)

static const struct rf_jfield fields[] = {
    { "type", RF_FIELD_STR, AT(type), true },
    { "project_id", RF_FIELD_STR, AT(project), false },
    { "quota_project_id", RF_FIELD_STR, AT(quota_project), false },
    { "client_email", RF_FIELD_STR, AT(email), false },
    { "private_key_id", RF_FIELD_STR, AT(key_id), false },
    { "private_key", RF_FIELD_STR, AT(private_key), false },
    { "token_uri", RF_FIELD_STR, AT(token_uri), false },
    { "client_id", RF_FIELD_STR, AT(client), false },
    { "client_secret", RF_FIELD_STR, AT(secret), false },
    { "refresh_token", RF_FIELD_STR, AT(refresh), false },
};

static const char *path_of(enum rf_google_place place, struct rf_arena *a)
{
    const char *named = getenv("GOOGLE_APPLICATION_CREDENTIALS");
    const char *folder = getenv("CLOUDSDK_CONFIG"), *home = getenv("HOME");
    if (place == RF_GOOGLE_NAMED)
        return named && *named ? named : NULL;
    if (folder && *folder)
        return rf_strf(a, "%s/" DEFAULT_FILE, folder).p;
    return home && *home ? rf_strf(a, "%s/.config/gcloud/" DEFAULT_FILE, home).p : NULL;
}

/* The file holds a private key: no word of it goes into a message. */
static enum rf_code bad_file(struct rf_err *err, const char *path, const char *why)
{
    rf_fail(err, RF_ECONFIG, "%s: %s", path, why);
    rf_hint(err, "Make the key file again, or run \"gcloud auth application-default login\"; a "
                 "key_command that prints a token works, too.");
    return RF_ECONFIG;
}

/* A proof of who we are goes there: in the clear on this machine only. */
static bool is_safe(struct rf_str uri)
{
    static const char *const here[] = { "http://127.0.0.1:", "http://[::1]:", "http://localhost:" };
    for (size_t i = 0; i < uri.n; i++)
        if (uri.p[i] <= 0x20 || uri.p[i] >= 0x7f || uri.p[i] == '@')
            return false;
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        if (rf_str_starts(uri, here[i]))
            return true;
    return rf_str_starts(uri, "https://");
}

static const char *wrong_with(const struct fields *f)
{
    bool service = rf_str_is(f->type, "service_account");
    if (!service && !rf_str_is(f->type, "authorized_user"))
        return "accounts of this type are not supported";
    if (service && (!f->email.n || !f->private_key.n))
        return "the service account has no \"client_email\" or no \"private_key\"";
    if (!service && (!f->client.n || !f->refresh.n))
        return "the login has no \"client_id\" or no \"refresh_token\"";
    if (f->token_uri.n && !is_safe(f->token_uri))
        return "\"token_uri\" is not an https address";
    return NULL;
}

static struct rf_google_account *account_of(const struct fields *f, const char *path,
                                            struct rf_arena *a)
{
    struct rf_google_account *g = RF_NEW(a, struct rf_google_account);
    bool service = rf_str_is(f->type, "service_account");
    *g = (struct rf_google_account){
        .arena = a,
        .kind = service ? RF_GOOGLE_SERVICE : RF_GOOGLE_USER,
        .from = rf_str_dup(a, rf_str(path)).p,
        .project = f->project.n ? f->project : f->quota_project,
        .email = f->email,
        .key_id = f->key_id,
        .private_key = f->private_key,
        .client = f->client,
        .secret = f->secret,
        .refresh = f->refresh,
        .token_uri = f->token_uri.n ? f->token_uri : RF_STR(TOKEN_URI),
    };
    return g;
}

enum rf_code rf_google_account_find(enum rf_google_place place, struct rf_arena *a,
                                    struct rf_google_account **out, struct rf_err *err)
{
    const char *path = path_of(place, a);
    const struct rf_jval *root;
    struct rf_str text;
    struct fields f = { 0 };
    *out = NULL;
    enum rf_code rc = path ? rf_file_read(path, MAX_ACCOUNT, a, &text, err) : RF_ENOTFOUND;
    if (rc == RF_ENOTFOUND && (!path || place == RF_GOOGLE_DEFAULT))
        return RF_OK;
    if (rc)
        return bad_file(err, path,
                        rc == RF_ENOTFOUND ? "there is no such file, which "
                                             "GOOGLE_APPLICATION_CREDENTIALS names"
                                           : "the file cannot be read");
    if (rf_jval_parse(text, a, &root, NULL) ||
        rf_jval_fields(root, NULL, fields, sizeof fields / sizeof *fields, a, &f, NULL))
        return bad_file(err, path, "this is not the JSON of an account");
    const char *wrong = wrong_with(&f);
    if (wrong)
        return bad_file(err, path, wrong);
    *out = account_of(&f, path, a);
    return RF_OK;
}
