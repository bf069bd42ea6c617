/* What strangers say while we log in: a WWW-Authenticate, the query that a browser comes back with, and addresses, one a
 * line. Whatever is read is within what came, an encoded text is read as it was, and no address is that of another host. */
#include "mcp/client/challenge.h"
#include "mcp/client/oauth_metadata.h"
#include "net/form.h"

#include "base/arena.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void read_challenge(struct rf_str text, struct rf_arena *a)
{
    struct rf_challenge c;
    rf_challenge_read(text, a, &c);
    expect(c.bearer || !(c.metadata.n || c.scope.n || c.error.n || c.description.n));
    expect(c.metadata.n + c.scope.n <= text.n);
}

static void read_query(struct rf_str text, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str form;
    const struct rf_str *state = rf_form_get(text, "state", a);
    expect(!state || state->n <= text.n);
    rf_buf_init(&b, a, SIZE_MAX / 2);
    rf_form_field(&b, "text", text);
    expect(!rf_buf_finish(&b, &form, NULL) && rf_str_eq(*rf_form_get(form, "text", a), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str rest = { (const char *)data, size }, line;
    while (rf_str_split(&rest, '\n', &line)) {
        read_challenge(line, a);
        read_query(line, a);
        expect(!rf_oauth_is_resource(line, RF_STR("https://a.example/mcp")) ||
               rf_str_ieq((struct rf_str){ line.p, 17 }, RF_STR("https://a.example")));
    }
    rf_arena_free(a);
    return 0;
}
