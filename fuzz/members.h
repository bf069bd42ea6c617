/* The members of a container out of one text: "NAME\n…" each, parted by "\n--\n". */
#ifndef FUZZ_MEMBERS_H
#define FUZZ_MEMBERS_H

#include "base/arena.h"
#include "base/utf8.h"

#include "../tests/worker/packing.h"

#define MAX_MEMBERS 24
#define MAX_OLE_BYTES 40000 /* more does not fit into what ole_of makes */

static inline size_t split_members(struct rf_str text, struct member members[MAX_MEMBERS],
                                   struct rf_arena *a)
{
    size_t count = 0;

    while (text.n && count < MAX_MEMBERS) {
        const char *end = memmem(text.p, text.n, "\n--\n", 4);
        size_t n = end ? (size_t)(end - text.p) : text.n;
        struct rf_str name = RF_STR(""), bytes = { text.p, n };
        rf_str_split(&bytes, '\n', &name);
        members[count++] = (struct member){ rf_cstr(a, rf_utf8_cut(name, 300)), bytes };
        n += end ? 4 : 0;
        text = (struct rf_str){ text.p + n, text.n - n };
    }
    return count;
}

#endif
