#include "password.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

#define MAX_PASSWORD 1024

/* `line` is for the caller to wipe. */
static enum rf_code read_line(const char *path, char line[MAX_PASSWORD + 2], struct rf_err *err)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (!in) {
        rf_say(err, errno == ENOENT ? RF_ENOTFOUND : RF_EIO,
               "--password-file: could not open \"%s\": %s", path, strerror(errno));
        rf_err_near_file(err, path);
        return err->code;
    }
    bool got = fgets(line, MAX_PASSWORD + 2, in);
    if (in != stdin)
        fclose(in);
    line[got ? strcspn(line, "\r\n") : 0] = '\0';
    return RF_OK;
}

enum rf_code rf_password_take(struct rf_tools *tools, const char *path, struct rf_err *err)
{
    char line[MAX_PASSWORD + 2] = "";
    enum rf_code rc = read_line(path, line, err);
    if (!rc)
        rc = rf_tools_password(tools, rf_text(line), err);
    explicit_bzero(line, sizeof line);
    return rc;
}

enum rf_code rf_password_give(struct rf_agent *agent, const char *path, struct rf_err *err)
{
    char line[MAX_PASSWORD + 2] = "";
    enum rf_code rc = read_line(path, line, err);
    if (!rc)
        rc = rf_agent_password(agent, rf_text(line), err);
    explicit_bzero(line, sizeof line);
    return rc;
}
