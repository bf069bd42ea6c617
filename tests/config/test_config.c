/* The configuration: what is refused and with which words, how two files become one, and what a
 * model is after it. Every case writes its files into a folder of its own. */
#include "base/arena.h"
#include "base/nearest.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/names.h"
#include "model/model.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <refract/refract.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define USER_FILE "config/refract/config.yaml"
#define PROJECT_FILE ".refract.yaml"
#define TRUST_FILE "data/refract/trusted.json"

static char folder[] = P_tmpdir "/refract-config-XXXXXX"; /* the working folder of all tests */

static void write_text(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* NULL: no such file. */
static void set_files(const char *user, const char *project)
{
    unlink(USER_FILE);
    unlink(PROJECT_FILE);
    if (user)
        write_text(USER_FILE, user, strlen(user));
    if (project)
        write_text(PROJECT_FILE, project, strlen(project));
}

static int set_up(void **state)
{
    char config[sizeof folder + 16], data[sizeof folder + 16], cache[sizeof folder + 16];
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) || mkdir("config", 0700) || mkdir("config/refract", 0700))
        return -1;
    snprintf(config, sizeof config, "%s/config", folder);
    snprintf(data, sizeof data, "%s/data", folder);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    return setenv("XDG_CONFIG_HOME", config, 1) || setenv("XDG_DATA_HOME", data, 1) ||
           setenv("XDG_CACHE_HOME", cache, 1);
}

static void put_env(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static int tear_down(void **state)
{
    (void)state;
    return chdir("/") || nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Fails the test and names the row where `text` does not hold `part`. */
static void expect_part(const char *row, const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s: \"%s\" does not hold \"%s\"", row, text, part);
}

static void expect_failure(const char *row, const char *msg, const char *hint)
{
    struct rf_config *c = NULL;
    struct rf_err err;
    if (rf_config_open(&c, &err) != RF_ECONFIG)
        fail_msg("%s: it was taken", row);
    assert_null(c);
    assert_int_equal(err.code, RF_ECONFIG);
    expect_part(row, err.msg, msg);
    expect_part(row, err.hint, hint);
}

#define LLAVA "models:\n  llava: {provider: ollama, model: \"llava:13b\"}\n"

static const struct {
    const char *name, *text, *msg, *hint; /* parts that must be there; the line above all */
} refused[] = {
    { "a key nobody knows", "model: {}\n", ".yaml:1: unknown key \"model\"",
      "Did you mean models? Known here: models, providers, limits, store" },
    { "a key of a model nobody knows", "models:\n  a:\n    provder: ollama\n",
      ".yaml:3: unknown key \"provder\"", "Did you mean provider?" },
    { "a key of a provider nobody knows", "providers:\n  ollama:\n    url: http://x\n",
      ".yaml:3: unknown key \"url\"",
      "Known here: base_url, key, key_command, region, project, location, headers, "
      "plain_proxy and keys." },
    { "a limit nobody knows", "limits:\n  page: 3\n", ".yaml:2: there is no limit \"page\"",
      "Did you mean pages" },
    { "a limit out of its range", "limits: {pages: 0}\n",
      ".yaml:1: limit \"pages\": expected a number from 1 to 10000", "" },
    { "a limit of the store out of its range", "limits: {history_text_bytes: 1}\n",
      ".yaml:1: limit \"history_text_bytes\": expected a number from 4096 to", "" },
    { "an answer without time", "limits: {answer_seconds: 0}\n",
      ".yaml:1: limit \"answer_seconds\": expected a number from 1 to 604800", "" },
    { "a key of the store nobody knows", "store:\n  adress: /x\n",
      ".yaml:2: unknown key \"adress\"", "Did you mean address?" },
    { "blobs that are not in a bucket", "store: {blobs: \"s3://x/a b\"}\n",
      ".yaml:1: \"blobs\": \"s3://x/a b\" is not the address of a bucket", "s3://BUCKET" },
    { "a list for the store", "store: [a]\n", ".yaml:1: \"store\": expected a map", "" },
    { "an empty store", "store: \"\"\n", ".yaml:1: \"store\": the address of the store is empty",
      "postgres://" },
    { "a database of another kind", "store: \"mysql://host/x\"\n",
      ".yaml:1: \"store\": there is no storage \"mysql:\"", "postgres://HOST/NAME" },
    { "a file of another kind", "store: {address: \"sqlite:x\"}\n",
      ".yaml:1: \"store\": there is no storage \"sqlite:\"", "a folder, or" },
    { "a bucket of another kind", "store:\n  blobs: \"gs://bucket/x\"\n",
      ".yaml:2: \"blobs\": there is no storage \"gs:\"", "s3://BUCKET/PREFIX" },
    { "a password for the store", "store: \"postgres://a:b@host/x\"\n",
      ".yaml:1: \"store\": the address holds a password", ".pgpass" },
    { "a password that holds signs", "store: \"postgresql://a:b/c?d@host/x\"\n",
      ".yaml:1: \"store\": the address holds a password", ".pgpass" },
    { "a password among parameters", "store: {address: \"postgres:///x?sslpassword=b\"}\n",
      ".yaml:1: \"store\": the address holds a password", ".pgpass" },
    { "a key of the references nobody knows", "references:\n  enable: yes\n",
      ".yaml:2: unknown key \"enable\"", "Did you mean enabled?" },
    { "references that are neither on nor off", "references: {enabled: perhaps}\n",
      ".yaml:1: \"enabled\": expected true or false", "" },
    { "models of references that are not a list", "references: {model_requirements: gpt}\n",
      ".yaml:1: \"model_requirements\": expected a list", "" },
    { "a model of references that is empty", "references:\n  model_requirements:\n    - \"\"\n",
      ".yaml:3: \"model_requirements\": a pattern is empty", "claude-*" },
    { "a fetch that is neither on nor off", "fetch: ask\n",
      ".yaml:1: \"fetch\": expected true or false", "" },
    { "a key of fetch nobody knows", "fetch: {host: []}\n", ".yaml:1: unknown key \"host\"",
      "Did you mean hosts?" },
    { "hosts that are not a list", "fetch: {hosts: example.org}\n",
      ".yaml:1: \"hosts\": expected a list", "" },
    { "a host that is an address", "fetch:\n  hosts:\n    - https://example.org/\n",
      ".yaml:3: \"hosts\": this is not the name of a host", "*.example.org" },
    { "a host with a star inside", "fetch: {hosts: [\"a.*.org\"]}\n",
      ".yaml:1: \"hosts\": this is not the name of a host", "*.example.org" },
    { "a server without a program", "mcp_servers: {s: {args: [a]}}\n",
      ".yaml:1: server \"s\": there is neither a \"command\" nor a \"url\"", "program" },
    { "a server at two places", "mcp_servers: {s: {command: a, url: \"http://b\"}}\n",
      ".yaml:1: server \"s\": there are both", "" },
    { "a server with a key nobody knows", "mcp_servers:\n  s:\n    comand: a\n",
      ".yaml:3: unknown key \"comand\"", "Did you mean command?" },
    { "an address of a server that is none", "mcp_servers: {s: {url: b}}\n",
      ".yaml:1: server \"s\": \"url\" is not a web address", "https://" },
    { "a password in the address of a server", "mcp_servers: {s: {url: \"http://u:p@b/\"}}\n",
      ".yaml:1: server \"s\": \"url\" holds a user name", "header" },
    { "a key among the headers of a server",
      "mcp_servers: {s: {url: \"http://b/\", headers: {Authorization: abc}}}\n",
      ".yaml:1: server \"s\": keys do not belong in files", "variable" },
    { "a variable of a server that cannot be one",
      "mcp_servers: {s: {command: a, env: {\"A-B\": c}}}\n",
      ".yaml:1: server \"s\": \"A-B\" is not the name of a variable", "" },
    { "a type nobody knows", "mcp_servers: {s: {command: a, type: ws}}\n",
      ".yaml:1: server \"s\": \"type\" cannot be \"ws\"", "http" },
    { "a line as a program", "mcp_servers: {s: {command: npx -y foo}}\n",
      ".yaml:1: server \"s\": \"command\" is more than a program: \"npx -y foo\"",
      "command: npx and args: [-y, foo]" },
    { "a secret of a server in a file",
      "mcp_servers: {s: {url: \"http://b/\", oauth: {client_secret: abc}}}\n",
      ".yaml:1: server \"s\": \"oauth\" cannot say this of \"client_secret\"", "variable" },
    { "an issuer that is no address",
      "mcp_servers: {s: {url: \"http://b/\", oauth: {issuer: me}}}\n",
      ".yaml:1: server \"s\": \"oauth\" cannot say this of \"issuer\"", "issuer (an address)" },
    { "a port of no server", "mcp_servers: {s: {url: \"http://b/\", oauth: {callback_port: 0}}}\n",
      ".yaml:1: server \"s\": \"oauth\" cannot say this of \"callback_port\"", "" },
    { "a server none of whose tools is chosen", "mcp_servers: {s: {command: a, tools: []}}\n",
      ".yaml:1: server \"s\": \"tools\" names none", "disable" },
    { "no time for a server", "mcp_servers: {s: {command: a, timeout_s: 0}}\n",
      ".yaml:1: server \"s\": \"timeout_s\" is not a number", "" },
    { "a sandbox nobody knows", "sandbox: none\n",
      ".yaml:1: \"sandbox\": expected whole or reduced", "" },
    { "a sandbox that is a list", "sandbox: [reduced]\n", ".yaml:1: \"sandbox\": expected a", "" },
    { "a switch that is none", "store: {keep_files: perhaps}\n",
      ".yaml:1: \"keep_files\": expected true or false", "" },
    { "a provider nobody knows", "models:\n  a:\n    provider: olama\n    model: x\n",
      ".yaml:3: unknown provider \"olama\"", "Did you mean ollama? Providers are anthropic," },
    { "a moved provider nobody knows", "providers:\n\n  antropic: {base_url: https://x}\n",
      ".yaml:3: unknown provider \"antropic\"", "Did you mean anthropic?" },
    { "a provider in a name with a colon", "models: {\"olama:x\": {}}\n",
      ".yaml:1: unknown provider \"olama\"", "Did you mean ollama?" },
    { "a model without a provider", "models:\n  a:\n    model: x\n",
      ".yaml:2: model \"a\" has no \"provider\"", "provider: ollama" },
    { "a model without a model", "models:\n  a:\n    provider: ollama\n",
      ".yaml:2: model \"a\" has no \"model\"", "model: \"llava:13b\"" },
    { "a fact that does not exist", LLAVA "  b:\n    capabilities: {visoin: yes}\n",
      ".yaml:4: there is no fact \"visoin\"", "Did you mean vision?" },
    { "a value that does not fit a switch",
      "models:\n  a:\n    provider: groq\n    model: x\n    capabilities:\n      vision: perhaps\n",
      ".yaml:6: \"perhaps\" is not a value for \"vision\"", "yes or no" },
    { "a value that is not a number",
      "models:\n  a: {provider: ollama, model: x, limits: {max_images: many}}\n",
      ".yaml:2: \"many\" is not a value for \"max_images\"", "number" },
    { "a number below zero",
      "models: {a: {provider: ollama, model: x, limits: {max_images: -1}}}\n",
      ".yaml:1: \"-1\" is not a value for \"max_images\"", "number" },
    { "a temperature that is too high", "models:\n  \"groq:x\":\n    temperature: 9\n",
      ".yaml:3: \"9\" is not a value for \"temperature\"", "a number from 0 to 2" },
    { "no number of tokens", "models:\n  \"groq:x\":\n    max_tokens: many\n",
      ".yaml:3: \"many\" is not a value for \"max_tokens\"", "whole number above 0" },
    { "a level that does not exist", "models: {\"groq:x\": {thinking: \"m\\\"ost\"}}\n",
      ".yaml:1: \"m\"ost\" is not a value for \"thinking\"", "number of tokens" },
    { "a list for a system prompt", "models: {\"groq:x\": {system: [a]}}\n",
      ".yaml:1: \"system\": expected a text, found a list", "" },
    { "a fact in both sections",
      "models:\n  a:\n    provider: ollama\n    model: x\n    capabilities: {vision: yes}\n"
      "    limits: {vision: yes}\n",
      ".yaml:6: \"vision\" is given twice", "line 5" },
    { "a key given twice", LLAVA "  llava: {}\n", ".yaml:3: \"llava\" is given twice", "line 2" },
    { "a list for a map", "models: [a]\n", ".yaml:1: \"models\": expected a map, found a list",
      "" },
    { "a text for a map", "limits: 5\n", ".yaml:1: \"limits\": expected a map, found a text", "" },
    { "a list for the file", "- a\n", ".yaml:1: the file: expected a map, found a list", "" },
    { "a map for a text", "models: {a: {provider: {b: c}}}\n",
      ".yaml:1: \"provider\": expected a text, found a map", "" },
    { "nothing for a text", "models: {a: {provider: ollama, model: }}\n",
      ".yaml:1: \"model\": expected a text, found nothing", "" },
    { "a map for a fact", "models: {a: {capabilities: {vision: {}}}}\n",
      ".yaml:1: \"vision\": expected a text, found a map", "" },
    { "a list in the list of a fact", "models: {a: {capabilities: {image_user: [[a]]}}}\n",
      ".yaml:1: \"image_user\": expected a text, found a list", "" },
    { "a base_url that is not a URL", "providers: {ollama: {base_url: \"localhost:11434\"}}\n",
      ".yaml:1: \"base_url\": this is not a web address", "https://" },
    { "a base_url without a host", "providers: {ollama: {base_url: \"http:///v1\"}}\n",
      ".yaml:1: \"base_url\": this is not a web address", "names a host" },
    { "a base_url with a password", "providers: {ollama: {base_url: \"http://u:p@host/\"}}\n",
      ".yaml:1: \"base_url\": the URL holds a user name or a password", "environment" },
    { "a key in a file", "providers: {openai: {key: sk-abc}}\n",
      ".yaml:1: \"key\": keys do not belong in files", "key: $MY_KEY" },
    { "a variable that is none", "providers: {openai: {key: \"$1A\"}}\n",
      ".yaml:1: \"key\": keys do not belong in files", "key_command" },
    { "a command of nothing", "providers: {openai: {key_command: []}}\n",
      ".yaml:1: \"key_command\": expected a program", "pass" },
    { "a command that is a map", "providers: {openai: {key_command: {a: b}}}\n",
      ".yaml:1: \"key_command\": expected a text", "" },
    { "a key in a list of keys", "providers: {openai: {keys: [$A, sk-abc]}}\n",
      ".yaml:1: \"keys\": keys do not belong in files", "{command:" },
    { "no key in a list of keys", "providers: {openai: {keys: []}}\n",
      ".yaml:1: \"keys\": expected from one to 64 keys", "" },
    { "keys that are one", "providers: {openai: {keys: $A}}\n",
      ".yaml:1: \"keys\": expected a list", "" },
    { "a key in a list that is an empty map", "providers: {openai: {keys: [{}]}}\n",
      ".yaml:1: \"keys\": keys do not belong in files", "" },
    { "a key in a list found in another way", "providers: {openai: {keys: [{file: /x}]}}\n",
      ".yaml:1: unknown key \"file\"", "Known here: command." },
    { "a command of a list that is nothing",
      "providers:\n  openai:\n    keys:\n      - command: []\n",
      ".yaml:4: \"command\": expected a program", "pass" },
    { "keys beside a key", "providers:\n  openai:\n    key: $A\n    keys: [$B]\n",
      ".yaml:4: \"keys\" stands beside a single key", "leave \"key\"" },
    { "a fallback that is a text", "models: {a: {provider: groq, model: x, fallback: b}}\n",
      ".yaml:1: \"fallback\" is not a list of models", "openai:gpt-5.4" },
    { "an empty fallback", "models: {a: {provider: groq, model: x, fallback: []}}\n",
      ".yaml:1: \"fallback\" is not a list of models", "" },
    { "a fallback to nothing",
      "models:\n  a:\n    provider: groq\n    model: x\n    fallback: [b]\n",
      ".yaml:5: \"fallback\": there is no model \"b\"", "PROVIDER:MODEL" },
    { "a fallback to itself", "models: {a: {provider: groq, model: x, fallback: [a]}}\n",
      ".yaml:1: \"fallback\" of \"a\" is itself", "another model" },
    { "a fallback to nobody", "models: {a: {provider: groq, model: x, fallback: [\"grok:b\"]}}\n",
      ".yaml:1: unknown provider \"grok\"", "Did you mean groq?" },
    { "a weight of nothing", "models: {a: {provider: groq, model: x, weight: 0}}\n",
      ".yaml:1: \"weight\": expected a number from 1 to 1000000", "three times" },
    { "a choice that is a model", "models: {a: {any: [\"groq:x\"], provider: groq}}\n",
      ".yaml:1: model \"a\" has \"any\", and is a model of its own", "Leave all but" },
    { "a choice between choices",
      "models:\n  a: {any: [\"groq:x\"]}\n  b:\n    any: [\"groq:y\", a]\n",
      ".yaml:4: \"any\": \"a\" has an \"any\", too", "Name its models" },
    { "a key of the gateway nobody knows", "serve:\n  liste: x\n", ".yaml:2: unknown key \"liste\"",
      "Did you mean listen?" },
    { "an address without a port", "serve: {listen: localhost}\n",
      ".yaml:1: \"serve\": \"listen\": \"localhost\" is not an address to listen on",
      "127.0.0.1:PORT" },
    { "a port that is none", "serve: {listen: \"127.0.0.1:99999\"}\n",
      ".yaml:1: \"serve\": \"listen\": \"127.0.0.1:99999\" is not an address", "" },
    { "an address without brackets", "serve:\n  listen: \"::1:8484\"\n",
      ".yaml:2: \"serve\": \"listen\": \"::1:8484\" is not an address", "[::1]:PORT" },
    { "a host that is none", "serve: {listen: \"http://a:80\"}\n",
      ".yaml:1: \"serve\": \"listen\": \"http://a:80\" is not an address", "" },
    { "descriptors in disorder", "serve: {listen: \"fd:4-3\"}\n",
      ".yaml:1: \"serve\": \"listen\": \"fd:4-3\" is not an address", "fd:3-4" },
    { "a body without a unit that is known", "serve: {max_body: 64MB}\n",
      ".yaml:1: \"max_body\": expected a number from 1024 to", "64MiB" },
    { "a body that is too large to count", "serve: {max_in_flight: 9999999999999GiB}\n",
      ".yaml:1: \"max_in_flight\": expected a number from 1024 to", "64MiB" },
    { "a time that is none", "serve: {idle_seconds: 0}\n",
      ".yaml:1: \"idle_seconds\": expected a number from 1 to 86400", "" },
    { "a log that is a relative path", "serve: {log: log.txt}\n",
      ".yaml:1: \"serve\": \"log\" is not a whole path", "~/" },
    { "a certificate without its key", "serve: {tls: {certificate: /c.pem}}\n",
      ".yaml:1: \"serve\": \"tls\" needs both", "PEM" },
    { "a plan that is none", "serve: {plan: never}\n",
      ".yaml:1: \"serve\": \"plan\" is neither always nor needed", "" },
    { "traces that go nowhere", "serve: {traces: \"localhost:4318\"}\n",
      ".yaml:1: \"serve\": \"traces\" is not a web address", "https://" },
    { "traces with a password", "serve: {traces: \"http://u:p@host\"}\n",
      ".yaml:1: \"serve\": \"traces\" holds a user name or a password", "" },
    { "a rule that leads nowhere", "serve:\n  rules:\n    - {match: \"a*\"}\n",
      ".yaml:3: \"serve\": a rule needs both", "claude-*" },
    { "a rule that leads to nothing",
      "serve:\n  rules:\n    - {match: \"a*\", model: \"groq:x\"}\n    - {match: b, model: c}\n",
      ".yaml:4: \"rules\": there is no model \"c\"", "PROVIDER:MODEL" },
    { "rules that are a map", "serve: {rules: {a: b}}\n", ".yaml:1: \"rules\": expected a list",
      "" },
    { "a region that leads to another host", "providers: {bedrock: {region: \"a.example/\"}}\n",
      ".yaml:1: \"region\": this is not the name of one", "hyphens" },
    { "a location that leads to another host", "providers: {vertex: {location: \"x.y\"}}\n",
      ".yaml:1: \"location\": this is not the name of one", "hyphens" },
    { "a project that is a path", "providers: {vertex: {project: \"a/b\"}}\n",
      ".yaml:1: \"project\": this is not the name of one", "hyphens" },
    { "a header that frames messages", "providers: {openai: {headers: {Host: x}}}\n",
      ".yaml:1: \"headers\": \"Host\" cannot be set", "frame" },
    { "a header's name that ends it", "providers: {openai: {headers: {\"a: b\": x}}}\n",
      ".yaml:1: \"headers\": \"a: b\" cannot be set", "letters" },
    { "a key among the headers", "providers: {openai: {headers: {Authorization: abc}}}\n",
      ".yaml:1: \"headers\": keys do not belong in files", "$MY_HEADER" },
    { "a key that is a list", "? [a]\n: b\n", ".yaml:1: a key is a list", "names" },
    { "an empty key", "~: b\n", ".yaml:1: a key is nothing", "names" },
    { "an anchor", "models: &a {}\n", ".yaml:1: anchors and aliases are not read here", "out" },
    { "an alias", "models:\n  a: *b\n", ".yaml:2: anchors and aliases are not read here", "out" },
    { "a tag", "models: !!map {}\n", ".yaml:1: tags are not read here", "" },
    { "a directive", "%YAML 1.1\n---\nmodels: {}\n", ".yaml:1: directives are not read here", "" },
    { "a second document", "models: {}\n---\nmodels: {}\n", ".yaml:2: a second document", "one" },
    { "something left open", "models: {a: {\n", ".yaml:2: ", "close what is open" },
    { "a tab as indent", "models:\n\ta: b\n", ".yaml:2: ", "spaces" },
    { "text that is not UTF-8", "models:\n  \"\xff\": {}\n", ".yaml:2: ", "UTF-8" },
    { "a raw control character", "models:\n\n  \"\x01\": {}\n", ".yaml:3: ", "UTF-8" },
    { "an escaped control character", "models:\n  \"\\e[31m\": {}\n",
      ".yaml:2: a text holds a control character", "escapes" },
    { "an escaped C1 character", "models:\n  \"\\x9b31m\": {}\n",
      ".yaml:2: a text holds a control character", "escapes" },
    { "nesting that is too deep",
      "models: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
      ".yaml:1: this is nested too deep", "" },
};

/* What a project cannot say is not looked at any further there. */
static bool is_persons(const char *text)
{
    static const char *const parts[] = { "store:",    "fetch:",       "enabled:",  "base_url:",
                                         "key:",      "key_command:", "region:",   "project:",
                                         "location:", "headers:",     "sandbox:",  "keys:",
                                         "serve:",    "any:",         "fallback:", "weight:" };
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strstr(text, parts[i]))
            return true;
    return false;
}

static void what_is_wrong_is_named_with_file_and_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        char in_user_file[256];
        snprintf(in_user_file, sizeof in_user_file, "%s/config/refract/config%s", folder,
                 refused[i].msg);
        set_files(refused[i].text, NULL);
        expect_failure(refused[i].name, in_user_file, refused[i].hint);
        char in_project_file[256];
        snprintf(in_project_file, sizeof in_project_file, "./.refract%s", refused[i].msg);
        set_files(NULL, refused[i].text);
        if (is_persons(refused[i].text))
            expect_failure(refused[i].name, "./.refract.yaml:", "");
        else
            expect_failure(refused[i].name, in_project_file, refused[i].hint);
    }
}

/* A name may be another one's in the user's file alone. */
static const struct {
    const char *name, *text, *msg, *hint;
} wrong_names[] = {
    { "a provider for a model", "models:\n  a: ollama\n",
      "config.yaml:2: model \"a\": there is no model \"ollama\"", "as in ollama:MODEL" },
    { "a name of a name", "models: {a: b, b: c, c: \"anthropic:x\"}\n",
      "config.yaml:1: model \"a\": there is no model \"b\"", "" },
    { "a provider that does not exist", "models: {a: \"anthropc:x\"}\n",
      "config.yaml:1: unknown provider \"anthropc\"", "Did you mean anthropic?" },
};

static void a_name_for_a_name_is_checked(void **state)
{
    char in_user_file[256];
    (void)state;
    for (size_t i = 0; i < COUNT(wrong_names); i++) {
        snprintf(in_user_file, sizeof in_user_file, "%s/config/refract/%s", folder,
                 wrong_names[i].msg);
        set_files(wrong_names[i].text, NULL);
        expect_failure(wrong_names[i].name, in_user_file, wrong_names[i].hint);
    }
    set_files(NULL, "models: {a: \"anthropic:x\"}\n");
    expect_failure("a project's", "./.refract.yaml:1: model \"a\": expected a map, found a text",
                   "");
}

static const struct {
    const char *name, *text;
} taken[] = {
    { "an empty file", "" },
    { "comments alone", "# nothing yet\n" },
    { "an empty document", "---\n" },
    { "blank maps", "models:\nproviders:\n" },
    { "blank sections", "models:\n  a:\n    provider: ollama\n    model: x\n    capabilities:\n" },
    { "null in capitals", "models: NULL\nproviders: ~\n" },
    { "a byte order mark", "\xef\xbb\xbfmodels: {}\nfetch: no\n" },
    { "line ends of another system", "models:\r\n  a: {provider: ollama, model: x}\r\n" },
};

static void these_files_are_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(taken); i++) {
        struct rf_config *c;
        struct rf_err err;
        for (int project = 0; project < 2; project++) {
            set_files(project ? NULL : taken[i].text, project ? taken[i].text : NULL);
            if (rf_config_open(&c, &err))
                fail_msg("%s: %s", taken[i].name, err.msg);
            rf_config_close(c);
        }
    }
}

static void expect_fact(struct rf_model *m, const char *fact, const char *value,
                        enum rf_fact_source source)
{
    size_t i = 0;
    while (i < rf_fact_count() && strcmp(rf_fact_name(i), fact) != 0)
        i++;
    assert_true(i < rf_fact_count());
    struct rf_str found = rf_model_fact(m, i);
    if (found.n != strlen(value) || memcmp(found.p, value, found.n) != 0)
        fail_msg("%s is %.*s instead of %s", fact, RF_FMT(found), value);
    assert_int_equal(rf_model_fact_source(m, i), source);
}

static struct rf_model *open_model(const struct rf_config *c, const char *name)
{
    struct rf_model *m;
    struct rf_err err;
    if (rf_model_open(c, name, &m, &err))
        fail_msg("%s: %s", name, err.msg);
    return m;
}

static struct rf_config *open_config(void)
{
    struct rf_config *c;
    struct rf_err err;
    if (rf_config_open(&c, &err))
        fail_msg("%s", err.msg);
    return c;
}

static void a_model_has_the_facts_that_are_set(void **state)
{
    (void)state;
    set_files(
        "models:\n"
        "  mine: {provider: ollama, model: first, capabilities: {vision: yes, thinking: false},\n"
        "         limits: {max_images: 3}}\n"
        "  other: {provider: groq, model: second}\n",
        NULL);
    struct rf_config *c = open_config();
    assert_int_equal(rf_config_model_count(c), 2);
    struct rf_model *m = open_model(c, "mine");
    assert_memory_equal(rf_model_provider(m).p, "ollama", 7);
    assert_memory_equal(rf_model_name(m).p, "first", 6);
    expect_fact(m, "vision", "yes", RF_FACT_OVERRIDE);
    expect_fact(m, "thinking", "no", RF_FACT_OVERRIDE);
    expect_fact(m, "max_images", "3", RF_FACT_OVERRIDE);
    expect_fact(m, "dialect", "ollama", RF_FACT_BUILTIN);
    rf_model_close(m);
    rf_config_close(c);
}

static void an_entry_counts_for_the_whole_name_too(void **state)
{
    (void)state;
    set_files("models:\n"
              "  a: {provider: ollama, model: \"x:1\", capabilities: {vision: yes}}\n"
              "  \"groq:y\": {capabilities: {vision: on, image_user: [image/png, image/webp]}}\n"
              "  \"groq:z\": {capabilities: {image_user: []}}\n",
              NULL);
    struct rf_config *c = open_config();
    struct rf_model *m = open_model(c, "ollama:x:1");
    expect_fact(m, "vision", "yes", RF_FACT_OVERRIDE);
    rf_model_close(m);
    m = open_model(c, "ollama:x");
    expect_fact(m, "vision", "no", RF_FACT_UNKNOWN);
    rf_model_close(m);
    m = open_model(c, "groq:y");
    assert_memory_equal(rf_model_name(m).p, "y", 2);
    expect_fact(m, "vision", "yes", RF_FACT_OVERRIDE);
    expect_fact(m, "image_user", "image/png,image/webp", RF_FACT_OVERRIDE);
    rf_model_close(m);
    m = open_model(c, "groq:z");
    expect_fact(m, "image_user", "-", RF_FACT_OVERRIDE);
    rf_model_close(m);
    rf_config_close(c);
}

static const struct {
    const char *name, *msg, *hint;
} unknown[] = {
    { "claude-sonet", "unknown model \"claude-sonet\"",
      "Did you mean anthropic:claude-sonnet-5 or anthropic:claude-sonnet-4*? Models are named" },
    { "mien", "unknown model \"mien\"", "Did you mean mine?" },
    { "gpt4o", "unknown model \"gpt4o\"", "Did you mean openai:gpt-4o" },
    { "claude", "\"claude\" could be one of several models",
      "Say which: anthropic:claude-opus-5, anthropic:claude-sonnet-5, anthropic:claude-haiku-4-5." },
    { "anthropic", "unknown model \"anthropic\"", "as in anthropic:MODEL." },
    { "", "unknown model \"\"", "Models are named PROVIDER:MODEL" },
    { "antropic:x", "unknown provider \"antropic\"", "Did you mean anthropic? Providers are " },
    { ":x", "unknown provider \"\"", "Providers are anthropic," },
    { "ollama:", "\"ollama:\" names no model", "after the colon" },
    { "bedrock:..", "\"bedrock:..\" names no model", "after the colon" },
    { "bedrock:.", "\"bedrock:.\" names no model", "after the colon" },
    { "ollama:\x1b[31m", "UTF-8 without control characters", "" },
    { "ollama:\xff", "UTF-8 without control characters", "" },
};

/* Without a list, by the names that are known. */
static const struct {
    const char *name, *whole;
} parts[] = {
    { "sonnet", "anthropic:claude-sonnet-5" },
    { "Haiku", "anthropic:claude-haiku-4-5" },
    { "opus-4", "anthropic:claude-opus-4-8" },
    { "claude-sonnet-4-6", "anthropic:claude-sonnet-4-6" },
    { "gpt-5-mini", "openai:gpt-5-mini" },
    { "gpt", "openai:gpt-5.4" },
    { "flash", "google:gemini-3.5-flash" },
    { "flash-lite", "google:gemini-2.5-flash-lite" },
    { "gpt-oss-120b", "groq:openai/gpt-oss-120b" },
};

static void a_part_of_a_name_is_enough(void **state)
{
    (void)state;
    set_files("models: {gpt: {provider: ollama, model: x}}\n", NULL);
    struct rf_config *c = open_config();
    for (size_t i = 0; i < COUNT(parts); i++) {
        struct rf_model *m = NULL;
        char whole[128];
        bool configured = strcmp(parts[i].name, "gpt") == 0;
        assert_int_equal(rf_model_open(configured ? NULL : c, parts[i].name, &m, NULL), RF_OK);
        snprintf(whole, sizeof whole, "%.*s:%.*s", RF_FMT(rf_model_provider(m)),
                 RF_FMT(rf_model_name(m)));
        assert_string_equal(whole, parts[i].whole);
        assert_true(rf_model_was_short(m));
        rf_model_close(m);
    }
    struct rf_model *m;
    assert_int_equal(rf_model_open(c, "gpt", &m, NULL), RF_OK);
    assert_false(rf_model_was_short(m)); /* a name of one's own goes before */
    rf_model_close(m);
    rf_config_close(c);
}

static void a_name_that_is_none_gets_the_nearest_ones(void **state)
{
    (void)state;
    set_files("models: {mine: {provider: ollama, model: x}}\n", NULL);
    struct rf_config *c = open_config();
    for (size_t i = 0; i < COUNT(unknown); i++) {
        struct rf_model *m = NULL;
        struct rf_err err;
        assert_int_equal(rf_model_open(c, unknown[i].name, &m, &err), RF_EUSAGE);
        assert_null(m);
        expect_part(unknown[i].name, err.msg, unknown[i].msg);
        expect_part(unknown[i].name, err.hint, unknown[i].hint);
    }
    rf_config_close(c);
}

static void a_model_needs_no_configuration(void **state)
{
    (void)state;
    struct rf_model *m = open_model(NULL, "ollama:llava:13b");
    assert_memory_equal(rf_model_name(m).p, "llava:13b", 10);
    rf_model_close(m);
    rf_model_close(NULL);
    rf_config_close(NULL);
}

#define LINES_ROOM 100

/* Gathers the lines of the problems, as in "2 4 ". */
static void add_line(void *ctx, const struct rf_err *problem)
{
    char *lines = ctx;
    size_t n = strlen(lines);
    const char *at = strstr(problem->msg, ".yaml:");
    assert_non_null(at);
    snprintf(lines + n, LINES_ROOM - n, "%ld ", strtol(at + strlen(".yaml:"), NULL, 10));
}

static void check_lists_every_problem(void **state)
{
    char lines[LINES_ROOM] = "";
    (void)state;
    set_files("models:\n"
              "  a: {provider: olama, model: x}\n"
              "  b: {model: x}\n"
              "  c: {provider: ollama, model: x, capabilities: {visoin: yes, vision: perhaps}}\n"
              "modles: {}\n",
              "providers:\n\n\n\n\n  ollama: {base_url: x}\n");
    assert_int_equal(rf_config_check(add_line, lines), 6);
    assert_string_equal(lines, "2 4 5 6 3 4 ");
    set_files(LLAVA, NULL);
    assert_int_equal(rf_config_check(NULL, NULL), 0);
}

/* A file for each row of the table: one that asks for as much as the key can, and one that asks for
 * less. */
static const struct {
    const char *path, *more, *less;
} samples[] = {
    { "models", "models: {}\n", NULL },
    { "models.*", "models: {a: {provider: ollama, model: x}}\n", NULL },
    { "models.default", "models: {default: {provider: ollama, model: x}}\n", NULL },
    { "models.*.provider", "models: {a: {provider: ollama, model: x}}\n", NULL },
    { "models.*.model", "models: {a: {provider: ollama, model: x}}\n", NULL },
    { "models.*.capabilities", "models: {\"groq:y\": {capabilities: {vision: yes}}}\n", NULL },
    { "models.*.limits", "models: {\"groq:y\": {limits: {max_images: 1}}}\n", NULL },
    { "models.*.max_tokens", "models: {\"groq:y\": {max_tokens: 1}}\n", NULL },
    { "models.*.temperature", "models: {\"groq:y\": {temperature: 1}}\n", NULL },
    { "models.*.thinking", "models: {\"groq:y\": {thinking: low}}\n", NULL },
    { "models.*.system", "models: {\"groq:y\": {system: Obey.}}\n", NULL },
    { "models.*.any", "models: {a: {any: [\"groq:y\"]}}\n", NULL },
    { "models.*.fallback", "models: {\"groq:y\": {fallback: [\"groq:z\"]}}\n", NULL },
    { "models.*.weight", "models: {\"groq:y\": {weight: 2}}\n", NULL },
    { "providers", "providers: {}\n", NULL },
    { "providers.*", "providers: {openai: {}}\n", NULL },
    { "providers.*.base_url", "providers: {openai: {base_url: \"https://evil.example\"}}\n", NULL },
    { "providers.*.key", "providers: {openai: {key: $OTHER}}\n", NULL },
    { "providers.*.key_command", "providers: {openai: {key_command: [rm]}}\n", NULL },
    { "providers.*.region", "providers: {bedrock: {region: eu-west-1}}\n", NULL },
    { "providers.*.project", "providers: {vertex: {project: a-1}}\n", NULL },
    { "providers.*.location", "providers: {vertex: {location: us-east5}}\n", NULL },
    { "providers.*.headers", "providers: {openai: {headers: {a: b}}}\n", NULL },
    { "providers.*.plain_proxy", "providers: {openai: {plain_proxy: yes}}\n", NULL },
    { "providers.*.keys", "providers: {openai: {keys: [$OTHER]}}\n", NULL },
    { "providers.*.keys.command", "providers: {openai: {keys: [{command: [rm]}]}}\n", NULL },
    { "limits", "limits: {}\n", NULL },
    { "limits.cache_bytes", "limits: {cache_bytes: 1000000}\n", NULL },
    { "limits.kept_file_bytes", "limits: {kept_file_bytes: 0}\n", NULL },
    { "limits.history_text_bytes", "limits: {history_text_bytes: 4096}\n", NULL },
    { "limits.*", "limits: {pages: 21}\n", "limits: {pages: 19, entries: 5}\n" },
    { "store", "store: /elsewhere\n", NULL },
    { "store.address", "store: {address: /elsewhere}\n", NULL },
    { "store.blobs", "store: {blobs: /elsewhere}\n", NULL },
    { "store.keep_files", "store: {keep_files: yes}\n", NULL },
    { "fetch", "fetch: yes\n", "fetch: no\n" },
    { "fetch.hosts", "fetch: {hosts: [example.org]}\n", NULL },
    { "sandbox", "sandbox: reduced\n", NULL },
    { "transcribe", "transcribe: {command: [hear]}\n", NULL },
    { "transcribe.command", "transcribe: {command: [hear, -x]}\n", NULL },
    { "transcribe.timeout_s", "transcribe: {timeout_s: 5, command: [hear]}\n", NULL },
    { "serve", "serve: {}\n", NULL },
    { "serve.listen", "serve: {listen: \"0.0.0.0:80\"}\n", NULL },
    { "serve.max_body", "serve: {max_body: 1GiB}\n", NULL },
    { "serve.max_in_flight", "serve: {max_in_flight: 1GiB}\n", NULL },
    { "serve.rules", "serve: {rules: []}\n", NULL },
    { "serve.rules.match", "serve: {rules: [{match: a, model: \"groq:x\"}]}\n", NULL },
    { "serve.rules.model", "serve: {rules: [{match: a, model: \"groq:x\"}]}\n", NULL },
    { "serve.log", "serve: {log: /x}\n", NULL },
    { "serve.tls", "serve: {tls: {certificate: /a, key: /b}}\n", NULL },
    { "serve.tls.certificate", "serve: {tls: {certificate: /a, key: /b}}\n", NULL },
    { "serve.tls.key", "serve: {tls: {certificate: /a, key: /b}}\n", NULL },
    { "serve.plan", "serve: {plan: always}\n", NULL },
    { "serve.first_byte_seconds", "serve: {first_byte_seconds: 5}\n", NULL },
    { "serve.idle_seconds", "serve: {idle_seconds: 5}\n", NULL },
    { "serve.traces", "serve: {traces: \"https://evil.example\"}\n", NULL },
    { "serve.keep_requests_days", "serve: {keep_requests_days: 5}\n", NULL },
    { "references", "references: {}\n", NULL },
    { "references.enabled", "references: {enabled: true}\n", "references: {enabled: false}\n" },
    { "references.model_requirements", "references: {model_requirements: [a]}\n", NULL },
    { "references.base_path", "references: {base_path: /elsewhere}\n", NULL },
    { "tools", "tools: {}\n", NULL },
    { "tools.*", "tools: {t: {command: x}}\n", NULL },
    { "tools.*.command", "tools: {t: {command: [x, y]}}\n", NULL },
    { "tools.*.description", "tools: {t: {command: x, description: d}}\n", NULL },
    { "tools.*.input_schema", "tools: {t: {command: x, input_schema: {type: object}}}\n", NULL },
    { "tools.*.read_only", "tools: {t: {command: x, read_only: yes}}\n", NULL },
    { "tools.*.timeout_s", "tools: {t: {command: x, timeout_s: 5}}\n", NULL },
    { "tools.*.allow", "tools: {t: {command: x, allow: yes}}\n", NULL },
    { "tools.*.env", "tools: {t: {command: x, env: [A]}}\n", NULL },
    { "mcp_servers", "mcp_servers: {}\n", NULL },
    { "mcp_servers.*", "mcp_servers: {s: {command: x}}\n", NULL },
    { "mcp_servers.*.type", "mcp_servers: {s: {command: x, type: stdio}}\n", NULL },
    { "mcp_servers.*.command", "mcp_servers: {s: {command: [x, y]}}\n", NULL },
    { "mcp_servers.*.args", "mcp_servers: {s: {command: x, args: [y]}}\n", NULL },
    { "mcp_servers.*.env", "mcp_servers: {s: {command: x, env: {A: $B}}}\n", NULL },
    { "mcp_servers.*.cwd", "mcp_servers: {s: {command: x, cwd: /tmp}}\n", NULL },
    { "mcp_servers.*.url", "mcp_servers: {s: {url: \"https://a.example/mcp\"}}\n", NULL },
    { "mcp_servers.*.headers",
      "mcp_servers: {s: {url: \"https://a.example\", headers: {X-A: \"${B:-c}\"}}}\n", NULL },
    { "mcp_servers.*.oauth",
      "mcp_servers: {s: {url: \"https://a.example\", oauth: {client_id: me, client_secret: $X, "
      "issuer: \"https://b.example\", callback_port: 8123}}}\n",
      NULL },
    { "mcp_servers.*.timeout_s", "mcp_servers: {s: {command: x, timeout_s: 5}}\n", NULL },
    { "mcp_servers.*.tools", "mcp_servers: {s: {command: x, tools: [t, \"a*\"]}}\n", NULL },
    { "mcp_servers.*.disabled", "mcp_servers: {s: {command: x, disabled: yes}}\n", NULL },
    { "mcp_servers.*.allow", "mcp_servers: {s: {command: x, allow: [t]}}\n", NULL },
    { "mcp_servers.*.read_only", "mcp_servers: {s: {command: x, read_only: [t]}}\n", NULL },
};

/* What is in force, without the comments that name the files. */
static char *in_force(const char *row)
{
    struct rf_config *c;
    struct rf_err err;
    struct rf_str yaml;
    if (rf_config_open(&c, &err) || rf_config_show(c, &yaml, &err))
        fail_msg("%s: %s", row, err.msg);
    const char *text = yaml.p;
    while (*text == '#')
        text = strchr(text, '\n') + 1;
    char *copy = strdup(text);
    rf_config_close(c);
    return copy;
}

/* The project's file says what the user's would, or what an empty one would. */
static void expect_applied(const char *row, const char *text, bool applied)
{
    set_files(applied ? text : NULL, NULL);
    char *want = in_force(row);
    set_files(NULL, text);
    char *found = in_force(row);
    if (strcmp(found, want) != 0)
        fail_msg("%s: it is in force:\n%s\ninstead of:\n%s", row, found, want);
    free(found);
    free(want);
}

static void answer(enum rf_trust answer)
{
    struct rf_config *c = open_config();
    struct rf_err err;
    if (rf_config_keep_trust(c, answer, &err))
        fail_msg("%s", err.msg);
    rf_config_close(c);
}

static size_t revoke_trust(void)
{
    struct rf_err err;
    size_t count = 99;
    if (rf_trust_revoke(".", &count, &err))
        fail_msg("%s", err.msg);
    return count;
}

static void walk_key(const struct rf_key *row)
{
    size_t i = 0;
    while (i < COUNT(samples) && strcmp(samples[i].path, row->path) != 0)
        i++;
    if (i == COUNT(samples))
        fail_msg("%s: who may set it is not tested", row->path);
    set_files(samples[i].more, NULL);
    free(in_force(row->path));
    switch (row->setter) {
    case RF_SETTER_PERSON:
        set_files(NULL, samples[i].more);
        expect_failure(row->path, row->what, "your own configuration");
        break;
    case RF_SETTER_TRUSTED:
        expect_applied(row->path, samples[i].more, false);
        answer(RF_TRUST_GIVEN);
        expect_applied(row->path, samples[i].more, true);
        answer(RF_TRUST_DENIED);
        expect_applied(row->path, samples[i].more, false);
        revoke_trust();
        break;
    case RF_SETTER_PARTS:
        expect_applied(row->path, samples[i].more, true);
        break;
    }
    if (samples[i].less)
        expect_applied(row->path, samples[i].less, true);
}

static void every_key_is_set_by_whom_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < rf_key_count; i++)
        walk_key(&rf_keys[i]);
    assert_int_equal(COUNT(samples), rf_key_count);
}

static const struct {
    const char *name, *project, *what;
} taken_names[] = {
    { "the default", "models: {default: {provider: ollama, model: x}}\n", "which model is asked" },
    { "facts of the default", "models: {default: {capabilities: {vision: no}}}\n",
      "which model is asked" },
    { "a name of the user's", "models: {mine: {model: y}}\n", "your own models" },
    { "facts of a name of the user's", "models: {mine: {limits: {max_images: 1}}}\n",
      "your own models" },
    { "facts of a model that the user has under another name",
      "models: {\"groq:y\": {limits: {max_images: 1}}}\n", "your own models" },
    { "a provider's model", "models: {\"openai:gpt-5\": {provider: groq}}\n", "where a model" },
    { "another model at a provider", "models: {\"openai:gpt-5\": {model: o3}}\n", "where a model" },
    { "the model in the program", "models: {offline: {provider: groq, model: x}}\n",
      "where a model" },
    { "a provider", "models: {openai: {provider: groq, model: x}}\n", "where a model" },
    { "a model of the catalogue", "models: {claude-opus-4: {provider: groq, model: x}}\n",
      "where a model" },
    { "one that is well known", "models: {gpt-5-mini: {provider: groq, model: x}}\n",
      "where a model" },
    { "a part of one that is well known", "models: {sonnet: {provider: groq, model: x}}\n",
      "where a model" },
    { "a part of several", "models: {Claude: {provider: groq, model: x}}\n", "where a model" },
    { "one's name without its vendor", "models: {gpt-oss-20b: {provider: groq, model: x}}\n",
      "where a model" },
    { "one of the user's tools", "tools: {own: {command: evil}}\n", "your own tools" },
};

static void a_project_does_not_say_what_a_name_means_that_means_something(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(taken_names); i++) {
        set_files("models: {mine: {provider: groq, model: y}}\ntools: {own: {command: x}}\n",
                  taken_names[i].project);
        expect_failure(taken_names[i].name, taken_names[i].what, "your own configuration");
    }
}

#define ASKING "tools: {build: {command: [make, \"a b\"], description: Builds.}}\n"

static void expect_trust(const char *row, enum rf_trust want)
{
    struct rf_config *c = open_config();
    bool applied = rf_config_tool(c, RF_STR("build"));
    if (rf_config_trust(c) != want || applied != (want == RF_TRUST_GIVEN))
        fail_msg("%s: trust %d, %s", row, (int)rf_config_trust(c),
                 applied ? "applied" : "withheld");
    rf_config_close(c);
}

static void trust_is_of_these_bytes_in_this_folder(void **state)
{
    struct stat st;
    (void)state;
    set_files(NULL, NULL);
    expect_trust("without a file", RF_TRUST_UNNEEDED);
    set_files(NULL, "limits: {pages: 1}\nfetch: no\n");
    expect_trust("a file that asks for less", RF_TRUST_UNNEEDED);
    set_files(NULL, ASKING);
    expect_trust("at first", RF_TRUST_UNASKED);
    answer(RF_TRUST_GIVEN);
    expect_trust("as it was", RF_TRUST_GIVEN);
    assert_int_equal(stat(TRUST_FILE, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    struct rf_config *shown = open_config();
    set_files(NULL, ASKING "#");
    expect_trust("with one more byte", RF_TRUST_UNASKED);
    assert_int_equal(rf_config_keep_trust(shown, RF_TRUST_GIVEN, NULL), RF_OK);
    rf_config_close(shown);
    expect_trust("changed while it was shown", RF_TRUST_UNASKED);
    answer(RF_TRUST_DENIED);
    expect_trust("denied", RF_TRUST_DENIED);
    set_files(NULL, ASKING);
    expect_trust("as it was again", RF_TRUST_GIVEN);
    assert_int_equal(mkdir("other", 0700) || chdir("other"), 0);
    write_text(PROJECT_FILE, ASKING, strlen(ASKING));
    expect_trust("in another folder", RF_TRUST_UNASKED);
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(rename("other", "moved"), 0);
    assert_int_equal(revoke_trust(), 1);
    expect_trust("revoked", RF_TRUST_UNASKED);
    assert_int_equal(revoke_trust(), 0);
}

static void what_is_asked_for_is_listed_whole(void **state)
{
    (void)state;
    set_files(
        "limits: {pages: 30}\nproviders: {openai-compatible: {base_url: \"http://localhost:1\"}}\n",
        ASKING "models: {quick: {provider: openai-compatible, model: x}}\n"
               "limits: {pages: 31, entries: 2}\n");
    static const char *const want[][3] = {
        { "tools.build", "command", "[\"make\",\"a b\"]" },
        { "tools.build", "description", "Builds." },
        { "models.quick", "provider", "openai-compatible, at http://localhost:1" },
        { "models.quick", "model", "x" },
        { "limits.pages", "", "31" },
    };
    struct rf_config *c = open_config();
    assert_int_equal(rf_config_asked_count(c), COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        struct rf_asked asked = rf_config_asked(c, i);
        assert_true(rf_str_is(asked.entry, want[i][0]) && rf_str_is(asked.key, want[i][1]));
        if (!rf_str_is(asked.value, want[i][2]))
            fail_msg("%s: %.*s", want[i][0], RF_FMT(asked.value));
    }
    struct rf_model *m;
    struct rf_err err;
    assert_int_equal(rf_model_open(c, "quick", &m, &err), RF_EUSAGE);
    expect_part("a name that is withheld", err.msg, "./.refract.yaml, which is not trusted");
    rf_config_close(c);
}

/* A name of a project is taken where it is written out, and nowhere else. */
static void a_projects_names_are_used_only_when_they_are_named(void **state)
{
    struct rf_model *m;
    struct rf_err err;
    (void)state;
    set_files("models: {mine: {provider: groq, model: y, limits: {max_images: 3}}}\n",
              "models:\n"
              "  quick: {provider: groq, model: y, limits: {max_images: 1}}\n"
              "  \"groq:z\": {limits: {max_images: 2}}\n");
    answer(RF_TRUST_GIVEN);
    struct rf_config *c = open_config();
    m = open_model(c, "quick");
    expect_fact(m, "max_images", "1", RF_FACT_OVERRIDE);
    rf_model_close(m);
    m = open_model(c, "groq:y");
    expect_fact(m, "max_images", "3", RF_FACT_OVERRIDE);
    rf_model_close(m);
    m = open_model(c, "groq:z");
    expect_fact(m, "max_images", "2", RF_FACT_OVERRIDE);
    rf_model_close(m);
    assert_int_equal(rf_model_open(c, "quik", &m, &err), RF_EUSAGE);
    assert_null(strstr(err.hint, "quick"));
    rf_config_close(c);
    revoke_trust();
}

static const struct {
    const char *name, *text;
    mode_t mode;
    const char *problem;
    bool replaced; /* by the next answer */
} damaged[] = {
    { "not JSON", "{", 0600, "trusted.json: ", true },
    { "empty", "", 0600, "trusted.json: ", true },
    { "a list", "[]", 0600, "trusted.json: ", true },
    { "no version", "{\"answers\":[]}", 0600, "version", true },
    { "half an answer", "{\"version\":1,\"answers\":[{\"folder\":\"/\"}]}", 0600, "answers[0]",
      true },
    { "a newer version", "{\"version\":2}", 0600, "version 2", false },
    { "one that all may write to", NULL, 0602, "others may write", true },
    { "one that a group may write to", NULL, 0620, "others may write", true },
};

static void what_is_damaged_trusts_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(damaged); i++) {
        set_files(NULL, ASKING);
        unlink(TRUST_FILE);
        answer(RF_TRUST_GIVEN);
        if (damaged[i].text)
            write_text(TRUST_FILE, damaged[i].text, strlen(damaged[i].text));
        assert_int_equal(chmod(TRUST_FILE, damaged[i].mode), 0);
        expect_trust(damaged[i].name, RF_TRUST_UNASKED);
        struct rf_config *c = open_config();
        struct rf_err err;
        assert_non_null(rf_config_trust_problem(c));
        expect_part(damaged[i].name, rf_config_trust_problem(c)->msg, damaged[i].problem);
        enum rf_code rc = rf_config_keep_trust(c, RF_TRUST_GIVEN, &err);
        rf_config_close(c);
        if (rc != (damaged[i].replaced ? RF_OK : RF_ECONFIG))
            fail_msg("%s: code %d", damaged[i].name, (int)rc);
        expect_trust(damaged[i].name, damaged[i].replaced ? RF_TRUST_GIVEN : RF_TRUST_UNASKED);
    }
    unlink(TRUST_FILE);
}

static void without_a_place_for_it_nothing_is_trusted(void **state)
{
    struct rf_err err;
    char data[256];
    (void)state;
    snprintf(data, sizeof data, "%s", getenv("XDG_DATA_HOME"));
    put_env("XDG_DATA_HOME", NULL);
    put_env("HOME", NULL);
    set_files(NULL, ASKING);
    expect_trust("no folder", RF_TRUST_UNASKED);
    struct rf_config *c = open_config();
    assert_int_equal(rf_config_keep_trust(c, RF_TRUST_GIVEN, &err), RF_ECONFIG);
    expect_part("no folder", err.hint, "XDG_DATA_HOME");
    rf_config_close(c);
    put_env("XDG_DATA_HOME", data);
}

static void check_does_not_guess_what_a_broken_file_says(void **state)
{
    char lines[LINES_ROOM] = "";
    (void)state;
    set_files("models: {a: {provider: ollama, model: x}\n", "models:\n  a: {limits: {}}\n");
    assert_int_equal(rf_config_check(add_line, lines), 1);
}

static void show_is_yaml_that_reads_back_as_the_same(void **state)
{
    struct rf_str first, second;
    struct rf_err err;
    (void)state;
    set_files(
        "models:\n"
        "  \"a: b\": {provider: ollama, model: \"x \\\"#\\\\\", capabilities: {vision: on}}\n"
        "  plain: {provider: openai, model: \"null\", limits: {max_images: 4},\n"
        "          thinking: low, system: \"Be brief: do.\",\n"
        "          capabilities: {image_user: \"image/*\", vision: no}}\n"
        "store: {address: \"postgres://anna@host:5/x\", blobs: /shared, keep_files: no}\n"
        "providers:\n"
        "  ollama: {base_url: \"http://localhost:1\", key: $A, headers: {X-A: b, X-Key: $C}}\n"
        "  openai: {key_command: [pass, show, \"a b\"], plain_proxy: yes}\n"
        "  vertex: {key_command: echo x, project: p-1, location: us-east5}\n"
        "  bedrock: {region: eu-west-1}\n"
        "fetch: {hosts: [example.org, \"*.example.com\"]}\n"
        "sandbox: whole\n"
        "references: {model_requirements: [\"gemini-3-pro*\", gpt-5], base_path: /papers}\n"
        "transcribe: {command: [hear, --srt], timeout_s: 9}\n"
        "limits: {kept_file_bytes: 5}\n",
        "limits: {answer_seconds: 9, pages: 3}\n"
        "references: {enabled: no}\n");
    struct rf_config *c = open_config();
    assert_int_equal(rf_config_show(c, &first, &err), RF_OK);
    const char *body = strstr(first.p, "models:");
    assert_string_equal(body, "models:\n"
                              "  \"a: b\":\n"
                              "    provider: ollama\n"
                              "    model: \"x \\\"#\\\\\"\n"
                              "    capabilities:\n"
                              "      vision: on\n"
                              "  plain:\n"
                              "    provider: openai\n"
                              "    model: \"null\"\n"
                              "    thinking: low\n"
                              "    system: \"Be brief: do.\"\n"
                              "    capabilities:\n"
                              "      image_user: \"image/*\"\n"
                              "      vision: no\n"
                              "    limits:\n"
                              "      max_images: 4\n"
                              "providers:\n"
                              "  ollama:\n"
                              "    base_url: \"http://localhost:1\"\n"
                              "    key: \"$A\"\n"
                              "    headers:\n"
                              "      X-A: b\n"
                              "      X-Key: \"$C\"\n"
                              "  openai:\n"
                              "    key_command:\n"
                              "      - pass\n"
                              "      - show\n"
                              "      - \"a b\"\n"
                              "    plain_proxy: yes\n"
                              "  vertex:\n"
                              "    key_command:\n"
                              "      - \"/bin/sh\"\n"
                              "      - \"-c\"\n"
                              "      - \"echo x\"\n"
                              "    project: p-1\n"
                              "    location: us-east5\n"
                              "  bedrock:\n"
                              "    region: eu-west-1\n"
                              "limits:\n"
                              "  pages: 3\n"
                              "  kept_file_bytes: 5\n"
                              "  answer_seconds: 9\n"
                              "store:\n"
                              "  address: \"postgres://anna@host:5/x\"\n"
                              "  blobs: \"/shared\"\n"
                              "  keep_files: no\n"
                              "fetch:\n"
                              "  hosts:\n"
                              "    - example.org\n"
                              "    - \"*.example.com\"\n"
                              "sandbox: whole\n"
                              "references:\n"
                              "  enabled: no\n"
                              "  model_requirements:\n"
                              "    - \"gemini-3-pro*\"\n"
                              "    - gpt-5\n"
                              "  base_path: \"/papers\"\n"
                              "transcribe:\n"
                              "  command:\n"
                              "      - hear\n"
                              "      - \"--srt\"\n"
                              "  timeout_s: 9\n");
    set_files(first.p, NULL);
    struct rf_config *again = open_config();
    assert_int_equal(rf_config_show(again, &second, &err), RF_OK);
    assert_string_equal(strstr(second.p, "models:"), body);
    rf_config_close(again);
    rf_config_close(c);
}

#define GATEWAY                                \
    "models:\n"                                \
    "  main:\n"                                \
    "    provider: groq\n"                     \
    "    model: x\n"                           \
    "    fallback:\n"                          \
    "      - fast\n"                           \
    "      - \"openai:gpt-5.4\"\n"             \
    "    weight: 3\n"                          \
    "  fast:\n"                                \
    "    any:\n"                               \
    "      - main\n"                           \
    "      - \"xai:y\"\n"                      \
    "  default: fast\n"                        \
    "providers:\n"                             \
    "  groq:\n"                                \
    "    keys:\n"                              \
    "      - \"$A\"\n"                         \
    "      - command: [pass, show, \"b c\"]\n" \
    "serve:\n"                                 \
    "  listen: \"127.0.0.1:9\"\n"              \
    "  max_body: 65536\n"                      \
    "  max_in_flight: 2147483648\n"            \
    "  first_byte_seconds: 7\n"                \
    "  idle_seconds: 8\n"                      \
    "  keep_requests_days: 0\n"                \
    "  rules:\n"                               \
    "    - match: \"claude-*\"\n"              \
    "      model: fast\n"                      \
    "    - match: \"*\"\n"                     \
    "      model: \"groq:z\"\n"                \
    "  log: \"-\"\n"                           \
    "  tls:\n"                                 \
    "    certificate: \"/c.pem\"\n"            \
    "    key: \"/k.pem\"\n"                    \
    "  plan: always\n"                         \
    "  traces: \"http://127.0.0.1:4318\"\n"

static void what_the_gateway_is_told_is_shown_as_it_reads_back(void **state)
{
    struct rf_str shown;
    struct rf_err err;
    (void)state;
    set_files(GATEWAY, NULL);
    struct rf_config *c = open_config();
    assert_int_equal(rf_config_show(c, &shown, &err), RF_OK);
    assert_string_equal(strstr(shown.p, "models:"), GATEWAY);
    assert_int_equal(rf_config_key_count(rf_config_provider(c, RF_STR("groq"))), 2);
    assert_int_equal(rf_config_serve_number(c, RF_SERVE_IDLE_SECONDS), 8);
    rf_config_close(c);
    set_files("serve: {max_body: 64KiB, max_in_flight: 2GiB}\n", NULL);
    c = open_config();
    assert_int_equal(rf_config_serve_number(c, RF_SERVE_MAX_BODY), 65536);
    assert_int_equal(rf_config_serve_number(c, RF_SERVE_MAX_IN_FLIGHT), (int64_t)2 << 30);
    assert_int_equal(rf_config_serve_number(c, RF_SERVE_IDLE_SECONDS), 300);
    assert_int_equal(rf_config_serve_number(NULL, RF_SERVE_FIRST_BYTE_SECONDS), 600);
    rf_config_close(c);
}

static void a_choice_is_its_first_model_where_one_is_opened(void **state)
{
    static const char *const names[] = { "fast", "default", "main" };
    struct rf_err err;
    struct rf_model *m;
    (void)state;
    set_files(GATEWAY, NULL);
    struct rf_config *c = open_config();
    for (size_t i = 0; i < COUNT(names); i++) {
        if (rf_model_open(c, names[i], &m, &err))
            fail_msg("%s: %s", names[i], err.msg);
        assert_true(rf_str_is(m->provider, "groq"));
        assert_true(rf_str_is(m->name, "x"));
        rf_model_close(m);
    }
    rf_config_close(c);
}

static void show_of_nothing_names_the_files_and_is_an_empty_map(void **state)
{
    struct rf_str yaml;
    struct rf_err err;
    char want[256];
    (void)state;
    set_files(NULL, "");
    struct rf_config *c = open_config();
    assert_int_equal(rf_config_show(c, &yaml, &err), RF_OK);
    snprintf(want, sizeof want, "# %s/" USER_FILE " (not there)\n# ./" PROJECT_FILE "\n{}\n",
             folder);
    assert_string_equal(yaml.p, want);
    rf_config_close(c);
}

static const struct {
    const char *name, *xdg, *home, *want; /* want NULL: the project's file alone */
} places[] = {
    { "XDG_CONFIG_HOME counts", "/x", "/h", "/x/refract/config.yaml" },
    { "HOME counts without it", NULL, "/h", "/h/.config/refract/config.yaml" },
    { "a relative XDG_CONFIG_HOME does not count", "x", "/h", "/h/.config/refract/config.yaml" },
    { "an empty XDG_CONFIG_HOME does not count", "", "/h", "/h/.config/refract/config.yaml" },
    { "without either there is no user's file", NULL, NULL, NULL },
    { "a relative HOME does not count", NULL, "h", NULL },
};

static void files_are_looked_for_where_xdg_says(void **state)
{
    char xdg[256];
    (void)state;
    snprintf(xdg, sizeof xdg, "%s", getenv("XDG_CONFIG_HOME"));
    set_files(NULL, "");
    for (size_t i = 0; i < COUNT(places); i++) {
        put_env("XDG_CONFIG_HOME", places[i].xdg);
        put_env("HOME", places[i].home);
        struct rf_config *c = open_config();
        int exists = -1;
        size_t count = rf_config_path_count(c);
        assert_int_equal(count, places[i].want ? 2 : 1);
        if (places[i].want)
            assert_string_equal(rf_config_path(c, 0, &exists), places[i].want);
        assert_int_equal(exists, places[i].want ? 0 : -1);
        assert_string_equal(rf_config_path(c, count - 1, &exists), "./.refract.yaml");
        assert_int_equal(exists, 1);
        assert_null(rf_config_path(c, count, NULL));
        rf_config_close(c);
    }
    put_env("XDG_CONFIG_HOME", xdg);
}

static void a_file_that_cannot_be_read_is_an_error(void **state)
{
    struct rf_config *c;
    struct rf_err err;
    (void)state;
    set_files(NULL, NULL);
    assert_int_equal(mkdir(PROJECT_FILE, 0700), 0);
    enum rf_code rc = rf_config_open(&c, &err);
    assert_int_equal(rmdir(PROJECT_FILE), 0);
    assert_int_equal(rc, RF_EIO);
    expect_part("a folder", err.msg, "is a folder");
    expect_part("a folder", err.hint, "readable");
}

static char *repeated(const char *head, const char *fmt, size_t times, size_t *n)
{
    size_t cap = strlen(head) + times * (strlen(fmt) + 12) + 1;
    char *text = malloc(cap);
    assert_non_null(text);
    *n = (size_t)snprintf(text, cap, "%s", head);
    for (size_t i = 0; i < times; i++) {
        char item[64];
        int length = snprintf(item, sizeof item, fmt, i);
        memcpy(text + *n, item, (size_t)length);
        *n += (size_t)length;
    }
    return text;
}

static const struct {
    const char *name, *head, *item;
    size_t times;
    const char *msg;
} large[] = {
    { "a file over the limit", "", "# a comment, number %zu\n", 60000,
      "longer than 1048576 bytes" },
    { "too many models", "models:\n", "  m%zu: {}\n", 1001, ":1002: there are too many entries" },
    { "too many items", "models: {a: {capabilities: {image_user: [", "a%zu,\n", 1001,
      ":1001: there are too many entries" },
    { "very deep nesting", "models: ", "[\n", 100000, ": this is nested too deep" },
    { "very many anchors", "models:\n", "- &a%zu\n", 60000, ":2: anchors and aliases" },
    { "very many directives", "", "%%TAG !a%zu! x\n", 50000, ":1: directives" },
};

static void large_files_are_refused_early(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(large); i++) {
        size_t n;
        char *text = repeated(large[i].head, large[i].item, large[i].times, &n);
        set_files(NULL, NULL);
        write_text(PROJECT_FILE, text, n);
        free(text);
        expect_failure(large[i].name, large[i].msg, "");
    }
}

static const struct {
    const char *name, *given, *want;
    const char *names[4];
} near[] = {
    { "a letter left out", "visin", "Did you mean vision? ", { "audio", "vision" } },
    { "two letters swapped", "visoin", "Did you mean vision? ", { "vision", "version" } },
    { "the other case", "VISION", "Did you mean vision? ", { "vision" } },
    { "the beginning of a name", "vis", "Did you mean vision? ", { "vision" } },
    { "names that are equally near",
      "cats",
      "Did you mean bats, hats or rats? ",
      { "bats", "hats", "rats", "mats" } },
    { "three letters are near their own beginnings only", "foo", "", { "google", "fob" } },
    { "a nearer one alone", "bats", "Did you mean bat? ", { "bat", "boots" } },
    { "a whole name before beginnings",
      "max_imags",
      "Did you mean max_images? ",
      { "max_image_side", "max_images", "max_image_bytes" } },
    { "nothing near", "elephant", "", { "vision", "audio" } },
    { "nothing given", "", "", { "vision" } },
    { "one letter is near nothing else", "x", "", { "a", "bc" } },
};

static void the_nearest_names_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(near); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_nearest n;
        rf_nearest_init(&n, rf_str(near[i].given));
        for (size_t k = 0; k < COUNT(near[i].names) && near[i].names[k]; k++)
            rf_nearest_offer(&n, rf_str(near[i].names[k]));
        const char *question = rf_nearest_question(&n, a);
        if (strcmp(question, near[i].want) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", near[i].name, question, near[i].want);
        rf_arena_free(a);
    }
}

static const struct {
    const char *provider, *model, *meant;
} spellings[] = {
    { "anthropic", "claude-sonet-4-5", "claude-sonnet-4-5" },
    { "anthropic", "cluade-sonnet-4-5", "claude-sonnet-4-5" },
    { "anthropic", "claude-hiaku-4-5", "claude-haiku-4-5" },
    { "anthropic", "clade-3-opus", "claude-3-opus" },
    { "google", "gemni-3-pro", "gemini-3-pro" },
    { "mistral", "mistal-large", "mistral-large" },
    { "ollama", "gema3:4b", "gemma3:4b" },
    { "openrouter", "antropic/claude-x", "anthropic/claude-x" },
    /* Known, new versions, and names that only look alike. */
    { "anthropic", "claude-sonnet-4-5", "" },
    { "anthropic", "claude-opus-5", "" },
    { "anthropic", "claude-fable-5", "" },
    { "google", "gemini-5-pro", "" },
    { "mistral", "mistral-large-latest", "" },
    { "ollama", "gemma3:4b", "" },
    { "ollama", "gemma2", "" },
    { "ollama", "qwen2.5:7b", "" },
    { "ollama", "mistral", "" },
    { "openai", "gpt-5-mini", "" },
    { "anthropic", "", "" },
    { "ollama", "x", "" },
};

static void a_misspelled_model_is_recognised_and_a_new_one_is_none(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < COUNT(spellings); i++) {
        struct rf_str meant =
            rf_model_meant(rf_str(spellings[i].provider), rf_str(spellings[i].model), a);
        if (!rf_str_is(meant, spellings[i].meant))
            fail_msg("%s: \"%.*s\" instead of \"%s\"", spellings[i].model, RF_FMT(meant),
                     spellings[i].meant);
    }
    rf_arena_free(a);
}

static void a_name_of_the_configuration_is_no_misspelling(void **state)
{
    (void)state;
    set_files("models: {mine: {provider: anthropic, model: claude-sonet-4-5}}\n", NULL);
    struct rf_config *c = open_config();
    struct rf_model *mine = open_model(c, "anthropic:claude-sonet-4-5");
    struct rf_model *other = open_model(c, "anthropic:claude-sonet-4-6");
    assert_int_equal(rf_model_meant_name(mine).n, 0);
    assert_true(rf_str_is(rf_model_meant_name(other), "claude-sonnet-4-6"));
    rf_model_close(other);
    rf_model_close(mine);
    rf_config_close(c);
}

static void a_model_with_the_name_of_its_provider_needs_no_colon(void **state)
{
    (void)state;
    set_files(NULL, NULL);
    struct rf_config *c = open_config();
    struct rf_model *m = open_model(c, "offline"), *whole = open_model(c, "offline:offline");
    struct rf_model *none;
    struct rf_err err;
    assert_true(rf_str_is(rf_model_provider(m), "offline") &&
                rf_str_is(rf_model_name(m), "offline"));
    assert_true(rf_str_is(rf_model_name(whole), "offline"));
    expect_fact(m, "vision", "yes", RF_FACT_BUILTIN);
    assert_int_equal(rf_model_open(c, "anthropic", &none, &err), RF_EUSAGE);
    expect_part("a provider of many", err.hint, "name one of its models");
    assert_int_equal(rf_model_open(c, "ofline", &none, &err), RF_EUSAGE);
    expect_part("misspelt", err.hint, "Did you mean offline?");
    rf_model_close(whole);
    rf_model_close(m);
    rf_config_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_with_the_name_of_its_provider_needs_no_colon),
        cmocka_unit_test(what_is_wrong_is_named_with_file_and_line),
        cmocka_unit_test(a_name_for_a_name_is_checked),
        cmocka_unit_test(these_files_are_taken),
        cmocka_unit_test(a_model_has_the_facts_that_are_set),
        cmocka_unit_test(an_entry_counts_for_the_whole_name_too),
        cmocka_unit_test(a_part_of_a_name_is_enough),
        cmocka_unit_test(a_name_that_is_none_gets_the_nearest_ones),
        cmocka_unit_test(a_model_needs_no_configuration),
        cmocka_unit_test(check_lists_every_problem),
        cmocka_unit_test(every_key_is_set_by_whom_the_table_says),
        cmocka_unit_test(trust_is_of_these_bytes_in_this_folder),
        cmocka_unit_test(what_is_asked_for_is_listed_whole),
        cmocka_unit_test(a_projects_names_are_used_only_when_they_are_named),
        cmocka_unit_test(what_is_damaged_trusts_nothing),
        cmocka_unit_test(without_a_place_for_it_nothing_is_trusted),
        cmocka_unit_test(a_project_does_not_say_what_a_name_means_that_means_something),
        cmocka_unit_test(check_does_not_guess_what_a_broken_file_says),
        cmocka_unit_test(show_is_yaml_that_reads_back_as_the_same),
        cmocka_unit_test(what_the_gateway_is_told_is_shown_as_it_reads_back),
        cmocka_unit_test(a_choice_is_its_first_model_where_one_is_opened),
        cmocka_unit_test(show_of_nothing_names_the_files_and_is_an_empty_map),
        cmocka_unit_test(files_are_looked_for_where_xdg_says),
        cmocka_unit_test(a_file_that_cannot_be_read_is_an_error),
        cmocka_unit_test(large_files_are_refused_early),
        cmocka_unit_test(the_nearest_names_are_found),
        cmocka_unit_test(a_misspelled_model_is_recognised_and_a_new_one_is_none),
        cmocka_unit_test(a_name_of_the_configuration_is_no_misspelling),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
