#include "system.h"

#include <stdint.h>
#include <stdlib.h>

#include "input.h"
#include "report.h"

#define MOST_BYTES ((size_t)4 << 20)

enum rf_code rf_system_take(struct rf_agent *agent, const char *given, struct rf_err *err)
{
    struct rf_str text;
    if (given && given[0] != '@')
        rf_agent_system(agent, rf_text(given));
    if (!given || given[0] != '@')
        return RF_OK;
    if (!given[1]) {
        rf_say(err, RF_EUSAGE, "--system: a file is named after the @");
        rf_say_hint(err, "As in --system @prompt.txt.");
        return RF_EUSAGE;
    }
    enum rf_code rc = rf_input_take(given + 1, MOST_BYTES, &text, err);
    if (rc)
        return rc;
    rf_agent_system(agent, text);
    free((char *)(uintptr_t)text.p);
    return RF_OK;
}
