#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

#define FIRST_BYTES 65536

static enum rf_code failed(const char *path, struct rf_err *err)
{
    enum rf_code code = errno == ENOENT ? RF_ENOTFOUND : RF_EIO;
    rf_say(err, code, "could not read \"%s\": %s", strcmp(path, "-") == 0 ? "standard input" : path,
           strerror(errno));
    rf_err_near_file(err, path);
    return code;
}

int rf_input_open(const char *path, struct rf_err *err)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        failed(path, err);
    return fd;
}

void rf_input_close(int fd)
{
    if (fd > STDIN_FILENO)
        close(fd);
}

struct bytes {
    char *p;
    size_t n, cap;
};

static void make_room(struct bytes *b)
{
    if (b->n < b->cap)
        return;
    b->cap = b->cap ? b->cap * 2 : FIRST_BYTES;
    b->p = realloc(b->p, b->cap);
    if (!b->p)
        abort();
}

static enum rf_code read_all(int fd, const char *path, size_t most, struct bytes *b,
                             struct rf_err *err)
{
    while (b->n <= most) {
        make_room(b);
        ssize_t n = read(fd, b->p + b->n, b->cap - b->n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed(path, err);
        if (n == 0)
            return RF_OK;
        b->n += (size_t)n;
    }
    rf_say(err, RF_ELIMIT, "\"%s\" has over %zu bytes, which is the limit", path, most);
    return RF_ELIMIT;
}

enum rf_code rf_input_take(const char *path, size_t most, struct rf_str *out, struct rf_err *err)
{
    struct bytes b = { 0 };
    int fd = rf_input_open(path, err);
    enum rf_code rc = fd < 0 ? err->code : read_all(fd, path, most, &b, err);
    rf_input_close(fd);
    if (rc)
        free(b.p);
    else
        *out = (struct rf_str){ b.p, b.n };
    return rc;
}

enum rf_code rf_input_conversation(const char *path, struct rf_conversation **out,
                                   struct rf_err *err)
{
    struct rf_err inside;
    enum rf_code rc = rf_conversation_open(path, out, &inside);
    bool stdin_read = strcmp(path, "-") == 0;
    const char *name = stdin_read ? "standard input" : path;
    if (!rc)
        return RF_OK;
    *err = inside;
    if ((rc == RF_EFORMAT || rc == RF_ELIMIT) && !strstr(inside.msg, name))
        snprintf(err->msg, sizeof err->msg, "%.200s: %.300s", name, inside.msg);
    if (strncmp(inside.msg, "line 1, column 1:", 17) == 0 && !stdin_read) /* no JSON at all */
        rf_say_hint(err,
                    "It is read as a conversation, in JSON; \"refract deliveries %s\" says what "
                    "becomes of a file.",
                    path);
    return rc;
}

enum rf_code rf_input_folder(const char *path, const char *option, struct rf_err *err)
{
    struct stat st;
    if (!path || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return RF_OK;
    rf_say(err, RF_ENOTFOUND, "--%s: there is no folder \"%s\"", option, path);
    return RF_ENOTFOUND;
}

char *rf_input_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = !slash ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (!folder)
        abort();
    return folder;
}
