/* Why an MCP server is not there: a project's file that names it is not trusted, or is in a folder
 * above. */
#include "mcp_client.h"

#include <string.h>

#include "project.h"
#include "report.h"
#include "text.h"

#define ENTRY "mcp_servers."

/* Is a server left out that has this name, or where `name` is NULL, any? */
static bool is_withheld(const struct rf_config *c, const char *name)
{
    enum rf_trust trust = rf_config_trust(c);
    size_t front = strlen(ENTRY), n = name ? strlen(name) : 0;
    if (trust != RF_TRUST_UNASKED && trust != RF_TRUST_DENIED)
        return false;
    for (size_t i = 0; i < rf_config_asked_count(c); i++) {
        struct rf_str entry = rf_config_asked(c, i).entry;
        if (entry.n > front && memcmp(entry.p, ENTRY, front) == 0 &&
            (!name || (entry.n == front + n && memcmp(entry.p + front, name, n) == 0)))
            return true;
    }
    return false;
}

static void hint_configure(struct rf_err *err)
{
    if (!rf_project_hint_above(err))
        rf_say_hint(err,
                    "Name them in the configuration, as in mcp_servers: {files: {command: npx, "
                    "args: [...]}}; see refract-config(5).");
}

void rf_mcp_note_none(const struct rf_config *c)
{
    struct rf_err note;
    if (is_withheld(c, NULL))
        return; /* which was said when it was opened */
    rf_say(&note, RF_OK, "no MCP servers are configured");
    hint_configure(&note);
    rf_report_note(&note);
}

static void add_names(struct rf_buffer *out, struct rf_agent *agent)
{
    struct rf_agent_server s = { .size = sizeof s };
    for (size_t i = 0; !rf_agent_server(agent, i, &s, NULL); i++)
        rf_buffer_print(out, "%s%.*s", i ? ", " : "", RF_FMT(s.name));
}

enum rf_code rf_mcp_fail_missing(const struct rf_config *c, struct rf_agent *agent,
                                 const char *name, struct rf_err *err)
{
    struct rf_buffer text = { 0 };
    if (is_withheld(c, name)) {
        rf_project_files(&text, c, "is", "are");
        rf_say(err, RF_EPERMISSION, "the MCP server \"%s\" is left out: %.*s not trusted", name,
               RF_FMT(rf_buffer_view(&text)));
        rf_say_hint(err, "refract trust shows what would be run, and trusts it.");
    } else {
        rf_say(err, RF_EUSAGE, "there is no MCP server \"%s\"", name);
        add_names(&text, agent);
        if (text.n)
            rf_say_hint(err, "There are: %.*s.", RF_FMT(rf_buffer_view(&text)));
        else
            hint_configure(err);
    }
    rf_buffer_release(&text);
    return err->code;
}
