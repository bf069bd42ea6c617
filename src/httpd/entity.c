/* The body of a request as it comes: so many bytes, or chunks (RFC 9112, 7.1). Extensions of chunks
 * and fields after the last one are passed over; spaces, signs and lines without CR are not. */
#include "httpd/inside.h"

#define MOST_DIGITS 15           /* of a chunk's size */
#define MOST_LINE ((size_t)4096) /* bytes of an extension, and of all fields at the end */

void rf_entity_begin(struct rf_entity *b, const struct rf_head *h)
{
    *b = (struct rf_entity){ .left = h->length, .chunked = h->chunked };
    if (h->chunked)
        b->state = RF_ENTITY_SIZE;
    else
        b->state = h->length ? RF_ENTITY_BYTES : RF_ENTITY_DONE;
}

static void take_digit(struct rf_entity *b, char c)
{
    int digit = rf_hex_digit(c);
    if (digit >= 0 && b->line++ < MOST_DIGITS)
        b->left = b->left * 16 + (uint64_t)digit;
    else if (digit < 0 && b->line && (c == ';' || c == '\r'))
        b->state = c == ';' ? RF_ENTITY_EXTENSION : RF_ENTITY_SIZE_END;
    else
        b->state = RF_ENTITY_WRONG;
}

static void expect(struct rf_entity *b, char c, char wanted, enum rf_entity_state then)
{
    b->state = c == wanted ? then : RF_ENTITY_WRONG;
    b->line = 0;
}

/* Of a line that means nothing to us. */
static void pass_over(struct rf_entity *b, char c, enum rf_entity_state at_end)
{
    if (c == '\r')
        b->state = at_end;
    else if (c == '\n' || ++b->line > MOST_LINE)
        b->state = RF_ENTITY_WRONG;
}

static void take_mark(struct rf_entity *b, char c)
{
    switch (b->state) {
    case RF_ENTITY_SIZE:
        take_digit(b, c);
        break;
    case RF_ENTITY_EXTENSION:
        pass_over(b, c, RF_ENTITY_SIZE_END);
        break;
    case RF_ENTITY_SIZE_END:
        expect(b, c, '\n', b->left ? RF_ENTITY_BYTES : RF_ENTITY_FIELD);
        break;
    case RF_ENTITY_CHUNK_CR:
        expect(b, c, '\r', RF_ENTITY_CHUNK_LF);
        break;
    case RF_ENTITY_CHUNK_LF:
        expect(b, c, '\n', RF_ENTITY_SIZE);
        break;
    case RF_ENTITY_FIELD:
        b->state = RF_ENTITY_FIELD_REST;
        pass_over(b, c, RF_ENTITY_LAST_LF);
        break;
    case RF_ENTITY_FIELD_REST:
        pass_over(b, c, RF_ENTITY_FIELD_LF);
        break;
    case RF_ENTITY_FIELD_LF:
        b->state = c == '\n' ? RF_ENTITY_FIELD : RF_ENTITY_WRONG;
        break;
    case RF_ENTITY_LAST_LF:
        expect(b, c, '\n', RF_ENTITY_DONE);
        break;
    case RF_ENTITY_BYTES:
    case RF_ENTITY_DONE:
    case RF_ENTITY_WRONG:
        RF_BUG("this is not between two chunks");
    }
}

void rf_entity_took(struct rf_entity *b, uint64_t n)
{
    b->left -= n;
    if (!b->left)
        b->state = b->chunked ? RF_ENTITY_CHUNK_CR : RF_ENTITY_DONE;
}

size_t rf_entity_take(struct rf_entity *b, struct rf_str bytes, struct rf_str *piece)
{
    size_t at = 0;
    *piece = RF_STR("");
    while (at < bytes.n && b->state < RF_ENTITY_DONE) {
        if (b->state == RF_ENTITY_BYTES) {
            size_t n = bytes.n - at < b->left ? bytes.n - at : (size_t)b->left;
            *piece = (struct rf_str){ bytes.p + at, n };
            rf_entity_took(b, n);
            return at + n;
        }
        take_mark(b, bytes.p[at++]);
    }
    return at;
}
