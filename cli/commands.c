/* The table of the commands: the list that help shows, and what completion offers. */
#include "command.h"

#include <limits.h>
#include <string.h>

#include "misspelt.h"
#include "options.h"
#include "report.h"

static const struct rf_command *const talking[] = { &rf_cmd_chat, &rf_cmd_ask, &rf_cmd_sessions,
                                                    NULL };
static const struct rf_command *const looking[] = { &rf_cmd_view, &rf_cmd_read, &rf_cmd_deliveries,
                                                    &rf_cmd_mcp, NULL };
static const struct rf_command *const requests[] = {
    &rf_cmd_encode, &rf_cmd_decode, &rf_cmd_convert, &rf_cmd_parse, &rf_cmd_respond,
    &rf_cmd_tokens, &rf_cmd_serve,  &rf_cmd_keys,    NULL,
};
static const struct rf_command *const setting_up[] = {
    &rf_cmd_models,     &rf_cmd_config, &rf_cmd_trust, &rf_cmd_doctor,
    &rf_cmd_completion, &rf_cmd_sim,    NULL,
};

const struct rf_command_group rf_command_groups[] = {
    { "Talk to a model", talking },
    { "Look at files", looking },
    { "Requests and replies", requests },
    { "Set up and try out", setting_up },
};

const size_t rf_command_group_count = sizeof rf_command_groups / sizeof *rf_command_groups;

const struct rf_command *rf_command_named(const char *name)
{
    for (size_t g = 0; g < rf_command_group_count; g++)
        for (const struct rf_command *const *c = rf_command_groups[g].commands; *c; c++)
            if (strcmp((*c)->name, name) == 0)
                return *c;
    return NULL;
}

/* "Did you mean check? It takes path, show or check." */
static void hint_actions(const struct rf_command *cmd, const char *near, struct rf_err *err)
{
    char names[sizeof err->hint / 2] = "";
    size_t used = 0;
    for (size_t i = 0; i < cmd->action_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 !i                          ? ""
                                 : i + 1 < cmd->action_count ? ", "
                                                             : " or ",
                                 cmd->actions[i].name);
    rf_say_hint(err, "%s%s%sIt takes %s.", near ? "Did you mean " : "", near ? near : "",
                near ? "? " : "", names);
}

int rf_action_find(const struct rf_command *cmd, const char *name, struct rf_err *err)
{
    size_t best = 0;
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < cmd->action_count; i++) {
        unsigned distance = rf_name_distance(name, cmd->actions[i].name);
        if (distance == 0)
            return (int)i;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    rf_say(err, RF_EUSAGE, "%s does not know \"%s\"", cmd->name, name);
    hint_actions(cmd, rf_name_near(name, least) ? cmd->actions[best].name : NULL, err);
    return -1;
}
