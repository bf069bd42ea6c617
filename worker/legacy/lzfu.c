/* LZ77 over a ring of 4096 bytes that begins filled with what RTF begins with. */
#include "worker/legacy/lzfu.h"

#include "base/buf.h"
#include "worker/legacy/compound.h"

#define RING 4096
#define HEADER 16
#define PACKED 0x75465a4cu
#define PLAIN 0x414c454du

static const char preset[] =
    "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    "\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    "\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

struct unpacker {
    char ring[RING];
    size_t at; /* where the next byte goes */
    struct rf_buf out;
};

static void emit(struct unpacker *u, char c)
{
    u->ring[u->at] = c;
    u->at = (u->at + 1) % RING;
    rf_buf_addc(&u->out, c);
}

/* Two bytes: 12 bits of where, 4 of how many. False at the end, which is a reference to the
 * next. */
static bool copy(struct unpacker *u, uint32_t reference)
{
    size_t from = reference >> 4, n = (reference & 15) + 2;

    if (from == u->at)
        return false;
    for (size_t i = 0; i < n; i++)
        emit(u, u->ring[(from + i) % RING]);
    return true;
}

struct rf_str rf_lzfu(struct rf_arena *a, struct rf_str packed)
{
    uint32_t magic = rf_at32(packed, 8);
    struct unpacker u = { .at = sizeof preset - 1 };
    size_t at = HEADER;
    bool more = magic == PACKED;

    if (magic == PLAIN)
        return rf_at(packed, HEADER, rf_at32(packed, 4));
    rf_buf_init(&u.out, a, RF_LZFU_MAX);
    memcpy(u.ring, preset, sizeof preset - 1);
    while (more && at < packed.n && !u.out.full) {
        unsigned flags = (unsigned char)packed.p[at++];
        for (int bit = 0; bit < 8 && more && at < packed.n; bit++, flags >>= 1) {
            if (flags & 1) {
                const unsigned char *p = (const unsigned char *)packed.p + at;
                more = at + 2 <= packed.n && copy(&u, (uint32_t)p[0] << 8 | p[1]);
                at += 2;
            } else {
                emit(&u, packed.p[at++]);
            }
        }
    }
    return (struct rf_str){ u.out.n ? u.out.p : "", u.out.n };
}
