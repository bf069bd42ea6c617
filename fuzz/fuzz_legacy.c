/* Office 97 to 2003 documents and Outlook messages. The first byte chooses what the rest is: the
 * file, its streams ("NAME\n…" each, parted by "\n--\n"), or the one stream of a workbook. */
#include "answering.h"
#include "members.h"

#include "worker/legacy/legacy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_streams(const char *ask, struct rf_str text)
{
    struct rf_arena *a = rf_arena_new();
    struct member members[MAX_MEMBERS];
    size_t count = split_members(text, members, a);

    for (size_t i = 0; i < count; i++)
        members[i].name = rf_cstr(a, rf_utf8_cut(rf_str(members[i].name), 31));
    answer_in_process(rf_legacy_answer, ask, ole_of(a, members, count));
    rf_arena_free(a);
}

static void workbook(const struct rf_ask *ask, struct rf_answer *to)
{
    rf_legacy_xls(ask, ask->bytes, to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const asks[] = {
        "op=text\npictures=9\n",
        "op=text\nfirst=2\nlast=2\nsheet=Old\nmax_text=100\n",
        "op=text\npassword=secret\n",
    };
    struct rf_str body = { (const char *)data + 1, size - 1 };

    if (size == 0)
        return 0;
    const char *ask = asks[data[0] / 3 % (sizeof asks / sizeof *asks)];
    if (data[0] % 3 == 0)
        answer_in_process(rf_legacy_answer, ask, body);
    else if (data[0] % 3 == 1)
        answer_in_process(workbook, ask, body);
    else if (size < MAX_OLE_BYTES)
        ask_streams(ask, body);
    return 0;
}
