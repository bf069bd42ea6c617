/* Results as MCP servers return them: whatever an object holds becomes a neutral result that can be
 * written and read again, and in which every file has a source. */
#include "mcp/result.h"

#include "base/arena.h"
#include "base/limits.h"
#include "content/message.h"

#include <stdlib.h>

#define ROOM_ABOVE ((size_t)RF_MAX_JSON_DEPTH - 10) /* a result stands in a conversation */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void write_and_read(const struct rf_message *m, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text = RF_STR_INIT("");
    const struct rf_jval *root;
    struct rf_message again;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_message_write(m, &w);
    expect(!rf_json_finish(&w, NULL) && !rf_rope_flatten(&rope, SIZE_MAX, a, &text, NULL));
    expect(!rf_jval_parse(text, a, &root, NULL));
    expect(!rf_message_read(root, NULL, a, &again, NULL));
    expect(again.block_count == m->block_count && again.failed == m->failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rf_mcp_links links = { RF_STR_INIT("read_resource"), RF_STR_INIT("s") };
    struct rf_arena *a = rf_arena_new();
    struct rf_message m = { .role = RF_ROLE_TOOL, .tool_call_id = RF_STR("c") };
    const struct rf_jval *object;
    if (!rf_jval_parse((struct rf_str){ (const char *)data, size }, a, &object, NULL)) {
        rf_mcp_result_read(object, size % 2 ? &links : NULL, a, &m);
        for (size_t i = 0; i < m.block_count; i++)
            expect(!rf_block_is_media(m.blocks[i].type) || m.blocks[i].media.source.ref.n);
        expect(!m.data || !rf_jval_deeper(m.data, ROOM_ABOVE));
        write_and_read(&m, a);
    }
    rf_arena_free(a);
    return 0;
}
