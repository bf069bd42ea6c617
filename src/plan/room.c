#include "plan/room.h"

#include "base/json_escape.h"
#include "base/utf8.h"
#include "model/tokens.h"

struct rf_room rf_room_of(const struct rf_joint_message *m)
{
    if (m->fate == RF_FATE_SILENT)
        return (struct rf_room){ 0 };
    return (struct rf_room){
        .tokens = m->keep_tokens < 0 ? INT64_MAX : m->keep_tokens,
        .bytes = m->keep_bytes < 0 ? INT64_MAX : m->keep_bytes,
    };
}

bool rf_room_take(struct rf_room *r, const struct rf_caps *c, struct rf_str text)
{
    if (r->tokens == INT64_MAX && r->bytes == INT64_MAX)
        return true;
    int64_t tokens = rf_text_tokens(c, text), bytes = (int64_t)rf_json_escaped_length(text);
    if (tokens > r->tokens || bytes > r->bytes)
        return false;
    r->tokens -= r->tokens == INT64_MAX ? 0 : tokens;
    r->bytes -= r->bytes == INT64_MAX ? 0 : bytes;
    r->used += text.n;
    return true;
}

/* A guess by the measure that is the tighter one, and less where the front is denser than the
 * rest. */
struct rf_str rf_room_front(struct rf_room *r, const struct rf_caps *c, struct rf_str text)
{
    double tokens = (double)r->tokens / (double)rf_text_tokens(c, text);
    double bytes = (double)r->bytes / (double)rf_json_escaped_length(text);
    double part = tokens < bytes ? tokens : bytes;
    size_t n = part < 1 ? (size_t)((double)text.n * part) : text.n;
    struct rf_str head = rf_utf8_cut(text, n);
    while (head.n && (rf_text_tokens(c, head) > r->tokens ||
                      (int64_t)rf_json_escaped_length(head) > r->bytes))
        head = rf_utf8_cut(text, n -= n / 16 + 1);
    r->tokens = r->bytes = 0;
    return head;
}
