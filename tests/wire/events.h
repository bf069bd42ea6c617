/* Events by hand: what responses.h makes streams of. */
#ifndef TESTS_WIRE_EVENTS_H
#define TESTS_WIRE_EVENTS_H

#include "responses.h"

#define REPLY EVENT_OF(RF_EVENT_BEGIN, 0, NULL, .id = RF_STR_INIT("r1"))
#define STARTS(number, what) EVENT_OF(RF_EVENT_BLOCK_START, number, what, .done = NULL)
#define CALLS(number, call)                                                      \
    EVENT_OF(RF_EVENT_BLOCK_START, number, "tool_call", .id = RF_STR_INIT(call), \
             .name = RF_STR_INIT("look"))
#define PIECE(which, number, what, words) \
    EVENT_OF(RF_EVENT_##which, number, what, .text = RF_STR_INIT(words))
#define WORDS(number, words) PIECE(TEXT, number, "text", words)
#define THINKS(number, words) PIECE(THINKING, number, "thinking", words)
#define SIGNS(number, what, mark) PIECE(SIGNATURE, number, what, mark)
#define ASKS(number, json) PIECE(ARGUMENTS, number, "tool_call", json)
#define ENDS(number, what) EVENT_OF(RF_EVENT_BLOCK_END, number, what, .done = NULL)
#define ENDS_AS(number, what, block) EVENT_OF(RF_EVENT_BLOCK_END, number, what, .done = &(block))
#define FAILS(how, words) \
    EVENT_OF(RF_EVENT_ERROR, 0, NULL, .error = how, .text = RF_STR_INIT(words))
#define OVER EVENT_OF(RF_EVENT_DONE, 0, NULL, .reply = NULL)

#endif
