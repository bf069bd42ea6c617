/* Ctrl-V: the picture in the clipboard becomes a private file that lives as long as the chat; the
 * session keeps its own copy once it was sent. */
#include "chat/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clipboard.h"
#include "report.h"

/* Keeping */

static bool write_file(const char *path, const struct rf_buffer *b)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    while (fd >= 0 && done < b->n) {
        ssize_t n = write(fd, b->p + done, b->n - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    return fd >= 0 && close(fd) == 0 && done == b->n;
}

static void file_name(const struct rf_chat *c, size_t number, struct rf_buffer *out)
{
    rf_buffer_reset(out);
    rf_buffer_print(out, "%s/clipboard-%zu.png", c->clipboard.path, number);
    rf_buffer_add(out, "", 1);
}

struct pasting {
    struct rf_buffer bytes;
    bool asked;
};

static void paste(struct rf_chat *c, void *ctx)
{
    struct pasting *p = ctx;
    (void)c;
    p->asked = rf_clipboard_take(RF_CLIPBOARD_PICTURE, &p->bytes);
}

static bool make_file(struct rf_chat *c, const struct rf_buffer *bytes, struct rf_buffer *path,
                      struct rf_err *err)
{
    if (!c->clipboard.path[0] && rf_temporary_make(&c->clipboard, err))
        return false;
    file_name(c, c->clipboard_count + 1, path);
    if (write_file(path->p, bytes))
        return true;
    rf_say(err, RF_EIO, "could not keep the picture: %s", strerror(errno));
    rf_say_hint(err, "Set TMPDIR to a folder that has room for it.");
    return false;
}

static void keep(struct rf_chat *c, const struct rf_buffer *bytes)
{
    struct rf_buffer path = { 0 };
    struct rf_err err;
    if (make_file(c, bytes, &path, &err)) {
        c->clipboard_count++;
        rf_chat_attach(c, path.p);
    } else {
        rf_chat_error(c, &err);
    }
    rf_buffer_release(&path);
}

void rf_chat_paste_picture(struct rf_chat *c)
{
    struct pasting p = { .asked = false };
    if (rf_chat_is_busy(c)) {
        rf_chat_say(c, RF_STYLE_DIM, "the clipboard can be taken when this is done");
        return;
    }
    rf_chat_work_here(c, "asking for the clipboard", paste, &p);
    if (p.bytes.n)
        keep(c, &p.bytes);
    else if (p.asked)
        rf_chat_say(c, RF_STYLE_DIM, "there is no picture in the clipboard");
    else
        rf_chat_say(c, RF_STYLE_DIM,
                    "no program gives the clipboard here: install " RF_CLIPBOARD_PROGRAMS);
    rf_buffer_release(&p.bytes);
}

void rf_chat_clipboard_close(struct rf_chat *c)
{
    rf_temporary_remove(&c->clipboard);
}
