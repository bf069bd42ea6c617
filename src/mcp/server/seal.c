/* What a client keeps for us between two rounds (requestState): the text and a seal over it, as
 * base64. The key is made anew by every server and leaves it never; the seal covers the method and
 * the name that was called, so what one tool kept is nothing to another. */
#include "mcp/server/inside.h"

#include "base/base64.h"
#include "net/crypto.h"

#define SEAL ((size_t)32)
#define MOST_KEPT ((size_t)64 << 10)

static enum rf_code seal_of(struct rf_mcp_call *c, struct rf_str text, uint8_t out[32],
                            struct rf_err *err)
{
    struct rf_str name = rf_mcp_call_text(c, "name"), uri = rf_mcp_call_text(c, "uri");
    struct rf_str head = rf_strf(c->arena, "%.*s\n%zu %zu\n%.*s%.*s\n", RF_FMT(c->rpc.method),
                                 name.n, uri.n, RF_FMT(name), RF_FMT(uri));
    struct rf_str key = { (const char *)c->server->seal, sizeof c->server->seal };
    return rf_hmac_sha256(key, rf_str_join(c->arena, head, text), out, err);
}

enum rf_code rf_mcp_seal(struct rf_mcp_call *c, struct rf_str text, struct rf_str *out,
                         struct rf_err *err)
{
    uint8_t *plain = rf_arena_alloc(c->arena, SEAL + text.n);
    enum rf_code rc = seal_of(c, text, plain, err);
    if (rc)
        return rc;
    memcpy(plain + SEAL, text.p, text.n);
    char *coded = rf_arena_alloc(c->arena, (size_t)rf_base64_length(SEAL + text.n));
    *out = (struct rf_str){ coded, rf_base64_encode(plain, SEAL + text.n, coded) };
    return RF_OK;
}

/* In a time that says nothing about where they differ. */
static bool same(const uint8_t *a, const uint8_t *b)
{
    uint8_t different = 0;
    for (size_t i = 0; i < SEAL; i++)
        different |= a[i] ^ b[i];
    return !different;
}

enum rf_code rf_mcp_unseal(struct rf_mcp_call *c, struct rf_str sealed, struct rf_str *out,
                           struct rf_err *err)
{
    size_t n;
    uint8_t seal[SEAL];
    if (sealed.n > MOST_KEPT || !rf_base64_decoded_length(sealed.p, sealed.n, &n) || n < SEAL)
        return rf_fail(err, RF_EFORMAT, "requestState is not one of this server");
    uint8_t *plain = rf_arena_alloc(c->arena, n);
    if (!rf_base64_decode(sealed.p, sealed.n, plain))
        return rf_fail(err, RF_EFORMAT, "requestState is not one of this server");
    struct rf_str text = { (const char *)plain + SEAL, n - SEAL };
    enum rf_code rc = seal_of(c, text, seal, err);
    if (rc)
        return rc;
    if (!same(seal, plain))
        return rf_fail(err, RF_EFORMAT, "requestState was changed, or is of another request");
    *out = text;
    return RF_OK;
}
