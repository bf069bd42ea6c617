/* Names for the tools of servers that every API takes. */
#include "agent/tools/servers.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/sha256.h"

#define MOST_NAME 64
#define DIGITS 8
#define MOST_ROUNDS 16            /* to find digits that make a name its own */
#define MOST_GIVEN ((size_t)1000) /* names that are remembered */

/* Each character that an API would not take becomes '_'. */
static void add_legal(struct rf_buf *b, struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (rf_is_alnum(s.p[i]) || s.p[i] == '-' || s.p[i] == '_')
            rf_buf_addc(b, s.p[i]);
        else if (((unsigned char)s.p[i] & 0xc0) != 0x80)
            rf_buf_addc(b, '_');
}

static struct rf_str plain_name(struct rf_str server, struct rf_str tool, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str name;
    rf_buf_init(&b, a, server.n + tool.n + 4);
    if (server.n && !rf_is_letter(server.p[0]) && server.p[0] != '_')
        rf_buf_addc(&b, '_');
    add_legal(&b, server);
    rf_buf_addf(&b, "__");
    add_legal(&b, tool);
    if (rf_buf_finish(&b, &name, NULL))
        RF_BUG("a name is longer than its parts");
    return name;
}

/* Without hashes names that are alike stay so, and the first one of them is called. */
static struct rf_str digits_of(struct rf_str server, struct rf_str tool, unsigned round,
                               struct rf_arena *a)
{
    struct rf_sha256 *h;
    uint8_t digest[32];
    char hex[65];
    if (rf_sha256_new(&h, NULL))
        return RF_STR("00000000");
    rf_sha256_add(h, server.p, server.n);
    rf_sha256_add(h, "", 1);
    rf_sha256_add(h, tool.p, tool.n);
    for (unsigned i = 0; i < round; i++)
        rf_sha256_add(h, "", 1);
    rf_sha256_finish(h, digest);
    rf_sha256_free(h);
    rf_sha256_hex(digest, hex);
    return rf_str_dup(a, (struct rf_str){ hex, DIGITS });
}

/* Is a name that of another than number `i`? */
static bool is_others(const struct rf_str *names, size_t count, size_t i, struct rf_str name)
{
    for (size_t k = 0; k < count; k++)
        if (k != i && rf_str_eq(names[k], name))
            return true;
    return false;
}

/* The name that a tool was given before; empty: none. */
static struct rf_str given_to(const struct rf_servers *s, const struct rf_served_tool *t)
{
    for (size_t i = 0; i < s->given_count; i++)
        if (s->given[i].server == t->server && rf_str_eq(s->given[i].tool, t->tool))
            return s->given[i].name;
    return (struct rf_str){ 0 };
}

const struct rf_given_name *rf_served_given(const struct rf_servers *s, struct rf_str name)
{
    for (size_t i = 0; s && i < s->given_count; i++)
        if (rf_str_eq(s->given[i].name, name))
            return &s->given[i];
    return NULL;
}

/* A conversation has calls by the names of before: a name stays its tool's. */
static void remember(struct rf_servers *s, const struct rf_served_tool *t)
{
    if (s->given_count < MOST_GIVEN && !given_to(s, t).n)
        *RF_PUSH(s->kept, s->given, s->given_count, s->given_cap) = (struct rf_given_name){
            .name = rf_str_dup(s->kept, t->name),
            .tool = rf_str_dup(s->kept, t->tool),
            .server = t->server,
        };
}

void rf_served_name_all(struct rf_servers *s, bool (*taken)(const void *ctx, struct rf_str name),
                        const void *ctx)
{
    struct rf_served_tool *tools = s->tools;
    struct rf_arena *a = s->arena;
    size_t count = s->tool_count;
    struct rf_str *plain = RF_ARRAY(a, struct rf_str, count);
    for (size_t i = 0; i < count; i++)
        plain[i] = plain_name(s->all[tools[i].server].config->name, tools[i].tool, a);
    struct rf_str *given = RF_ARRAY(a, struct rf_str, count);
    for (size_t i = 0; i < count; i++) {
        struct rf_str name = plain[i], front = { name.p, MOST_NAME - DIGITS - 1 };
        struct rf_str before = given_to(s, &tools[i]);
        front.n = name.n < front.n ? name.n : front.n;
        for (unsigned round = 0;
             !before.n && round < MOST_ROUNDS &&
             (name.n > MOST_NAME || is_others(plain, count, i, name) ||
              is_others(given, i, i, name) || rf_served_given(s, name) || taken(ctx, name));
             round++)
            name = rf_strf(
                a, "%.*s_%.*s", RF_FMT(front),
                RF_FMT(digits_of(s->all[tools[i].server].config->name, tools[i].tool, round, a)));
        tools[i].name = given[i] = before.n ? before : name;
    }
    for (size_t i = 0; i < count; i++)
        remember(s, &tools[i]);
}
