/* What becomes of an answer once it is whole: --code takes its first code block, -o writes a file.
 *
 * It refuses to write over a file that was not named to be replaced: before anything is sent, so
 * that no answer is paid for and lost. */
#include "ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code_block.h"
#include "permission.h"
#include "report.h"
#include "whole_file.h"

static enum rf_code fail_there(const char *path, struct rf_err *err)
{
    rf_say(err, RF_EPERMISSION, "\"%s\" is there already, and was not written", path);
    rf_say_hint(err, "Name another file, or replace it with --force.");
    return RF_EPERMISSION;
}

/* What would fail after an answer fails before it. */
static enum rf_code try_writing(const char *path, struct rf_err *err)
{
    struct rf_whole_file f;
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        rf_say(err, RF_EIO, "could not write \"%s\": it is a folder", path);
    else if (!rf_whole_file_open(&f, path, RF_WHOLE_FILE_NEW, 0600, err))
        return rf_whole_file_close(&f, RF_EIO, NULL), RF_OK;
    rf_say_hint(err, "Nothing was asked. Name a file in a folder where you may write.");
    return RF_EIO;
}

enum rf_code rf_ask_result_check(struct rf_ask_result *r, struct rf_err *err)
{
    struct rf_buffer question = { 0 };
    struct stat st;
    enum rf_code rc = r->path ? try_writing(r->path, err) : RF_OK;
    if (rc || !r->path || r->replaces || stat(r->path, &st) != 0)
        return rc;
    r->replaces = !S_ISREG(st.st_mode); /* a pipe, a device */
    if (r->replaces)
        return RF_OK;
    int tty = rf_permission_open();
    if (tty < 0)
        return fail_there(r->path, err);
    rf_buffer_print(&question, "? replace %s (y: yes, n: no) ", r->path);
    r->replaces = rf_permission_letter(tty, rf_buffer_view(&question)) == 'y';
    rf_buffer_release(&question);
    close(tty);
    return r->replaces ? RF_OK : fail_there(r->path, err);
}

static enum rf_code take_code(struct rf_ask_result *r, struct rf_str *answer, struct rf_err *err)
{
    if (!rf_code_block(*answer, &r->block)) {
        rf_say(err, RF_EPROVIDER, "the answer has no code block");
        rf_say_hint(err, "Ask for code, or leave --code out.");
        return RF_EPROVIDER;
    }
    *answer = rf_buffer_view(&r->block);
    return RF_OK;
}

/* With the end of its last line, as files have it. */
static enum rf_code write_file(const struct rf_ask_result *r, struct rf_str answer,
                               struct rf_err *err)
{
    struct rf_buffer text = { 0 };
    rf_buffer_str(&text, answer);
    if (answer.n && answer.p[answer.n - 1] != '\n')
        rf_buffer_text(&text, "\n");
    enum rf_code rc =
        rf_whole_file_write(r->path, rf_buffer_view(&text),
                            r->replaces ? RF_WHOLE_FILE_REPLACE : RF_WHOLE_FILE_NEW, err);
    bool appeared = rc && errno == EEXIST;
    rf_buffer_release(&text);
    return appeared ? fail_there(r->path, err) : rc;
}

enum rf_code rf_ask_result_take(struct rf_ask_result *r, struct rf_str *answer, struct rf_err *err)
{
    enum rf_code rc = r->code ? take_code(r, answer, err) : RF_OK;
    return rc || !r->path ? rc : write_file(r, *answer, err);
}
