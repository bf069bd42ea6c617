/* One header is 512 bytes of fixed fields, numbers being octal text; a file's bytes follow, filled
 * up with zeros to the next 512; two blocks of zeros end the archive. Extensions (long names, sizes
 * over 8 GiB, sparse files) are not written and not understood: who reads less can be deceived
 * less. */
#include "store/tar.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define BLOCK 512
#define MOST_PADDING ((size_t)1 << 20) /* zeros after the end: tar fills up to its record size */

struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], time[12], checksum[8], type[1], link[100],
        magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], fill[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

/* The sum of all bytes, the field of the sum taken for spaces. */
static unsigned checksum_of(const struct header *h)
{
    const unsigned char *p = (const unsigned char *)h;
    unsigned sum = 8 * ' ';
    for (size_t i = 0; i < BLOCK; i++)
        sum += p[i];
    for (size_t i = 0; i < sizeof h->checksum; i++)
        sum -= (unsigned char)h->checksum[i];
    return sum;
}

static unsigned fill_of(uint64_t size)
{
    return (unsigned)((BLOCK - size % BLOCK) % BLOCK);
}

/* Writing */

void rf_tar_out_init(struct rf_tar_out *t, int fd)
{
    *t = (struct rf_tar_out){ .fd = fd };
}

static enum rf_code write_all(int fd, const void *bytes, size_t n, struct rf_err *err)
{
    const char *p = bytes;
    while (n) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            bool full = errno == ENOSPC || errno == EDQUOT;
            rf_fail_errno(err, "could not write the archive");
            rf_hint(err, full ? "Free some space on that disk and try again."
                              : "Write it somewhere else; the session is still in its store.");
            return RF_EIO;
        }
        p += done;
        n -= (size_t)done;
    }
    return RF_OK;
}

static enum rf_code fill_up(struct rf_tar_out *t, struct rf_err *err)
{
    static const char zeros[BLOCK];
    if (t->left)
        RF_BUG("a file of an archive has fewer bytes than its header says");
    unsigned n = t->fill;
    t->fill = 0;
    return write_all(t->fd, zeros, n, err);
}

static void octal(char *field, size_t size, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%0*llo", (int)size - 1, (unsigned long long)value);
    memcpy(field, digits, size);
}

enum rf_code rf_tar_out_next(struct rf_tar_out *t, const char *name, uint64_t size, int64_t time_s,
                             struct rf_err *err)
{
    struct header h = { .type = { '0' } };
    const uint64_t most_time = ((uint64_t)1 << 33) - 1;
    if (strlen(name) > sizeof h.name)
        RF_BUG("a name is too long for an archive");
    if (size > RF_TAR_MOST_BYTES)
        return rf_fail(err, RF_ELIMIT, "\"%s\" has %llu bytes, an archive takes %llu", name,
                       (unsigned long long)size, (unsigned long long)RF_TAR_MOST_BYTES);
    enum rf_code rc = fill_up(t, err);
    if (rc)
        return rc;
    memcpy(h.name, name, strlen(name));
    octal(h.mode, sizeof h.mode, 0600);
    octal(h.uid, sizeof h.uid, 0);
    octal(h.gid, sizeof h.gid, 0);
    octal(h.size, sizeof h.size, size);
    octal(h.time, sizeof h.time,
          time_s < 0                     ? 0
          : (uint64_t)time_s < most_time ? (uint64_t)time_s
                                         : most_time);
    memcpy(h.magic, "ustar", sizeof h.magic);
    memset(h.version, '0', sizeof h.version);
    octal(h.checksum, sizeof h.checksum - 1, checksum_of(&h));
    h.checksum[7] = ' ';
    t->left = size;
    t->fill = fill_of(size);
    return write_all(t->fd, &h, sizeof h, err);
}

enum rf_code rf_tar_out_bytes(struct rf_tar_out *t, struct rf_str bytes, struct rf_err *err)
{
    if (bytes.n > t->left)
        RF_BUG("a file of an archive has more bytes than its header says");
    t->left -= bytes.n;
    return write_all(t->fd, bytes.p, bytes.n, err);
}

enum rf_code rf_tar_out_finish(struct rf_tar_out *t, struct rf_err *err)
{
    static const char end[2 * BLOCK];
    enum rf_code rc = fill_up(t, err);
    return rc ? rc : write_all(t->fd, end, sizeof end, err);
}

/* Reading */

void rf_tar_in_init(struct rf_tar_in *t, int fd, uint64_t most_bytes, uint64_t most_files)
{
    *t = (struct rf_tar_in){ .fd = fd, .most_bytes = most_bytes, .most_files = most_files };
}

static enum rf_code bad(struct rf_err *err, const char *why)
{
    enum rf_code rc = rf_fail(err, RF_EFORMAT, "the archive %s", why);
    rf_hint(err, "Only an export of a session can be imported, as it was written.");
    return rc;
}

/* Less than `n` only at the end of the archive. */
static enum rf_code read_some(int fd, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    *got = 0;
    while (*got < n) {
        ssize_t done = read(fd, (char *)buf + *got, n - *got);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            rf_fail_errno(err, "could not read the archive");
            return RF_EIO;
        }
        if (done == 0)
            break;
        *got += (size_t)done;
    }
    return RF_OK;
}

static enum rf_code read_all(int fd, void *buf, size_t n, struct rf_err *err)
{
    size_t got;
    enum rf_code rc = read_some(fd, buf, n, &got, err);
    return rc ? rc : got < n ? bad(err, "is cut off") : RF_OK;
}

static bool is_zero(const void *bytes, size_t n)
{
    const char *p = bytes;
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

enum rf_code rf_tar_in_read(struct rf_tar_in *t, void *buf, size_t n, size_t *got,
                            struct rf_err *err)
{
    size_t take = t->left < n ? (size_t)t->left : n;
    enum rf_code rc = read_all(t->fd, buf, take, err);
    if (rc)
        return rc;
    t->left -= take;
    *got = take;
    return RF_OK;
}

static enum rf_code skip_rest(struct rf_tar_in *t, struct rf_err *err)
{
    char buf[BLOCK * 16];
    enum rf_code rc = RF_OK;
    size_t got;
    while (!rc && t->left)
        rc = rf_tar_in_read(t, buf, sizeof buf, &got, err);
    if (!rc)
        rc = read_all(t->fd, buf, t->fill, err);
    t->fill = 0;
    return rc;
}

/* A block of zeros was read: a second one, and nothing but zeros after it. */
static enum rf_code read_end(struct rf_tar_in *t, struct rf_err *err)
{
    char buf[BLOCK * 16];
    size_t got, all = 0;
    enum rf_code rc = read_all(t->fd, buf, BLOCK, err);
    if (!rc && !is_zero(buf, BLOCK))
        rc = bad(err, "goes on after its end");
    while (!rc) {
        rc = read_some(t->fd, buf, sizeof buf, &got, err);
        if (rc || got == 0)
            break;
        all += got;
        if (!is_zero(buf, got) || all > MOST_PADDING)
            rc = bad(err, "goes on after its end");
    }
    return rc;
}

/* Spaces, digits, and then nothing but spaces and NULs. */
static bool octal_value(const char *field, size_t size, uint64_t *out)
{
    size_t i = 0, digits = 0;
    *out = 0;
    while (i < size && field[i] == ' ')
        i++;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++, digits++)
        *out = *out << 3 | (uint64_t)(field[i] - '0'); /* at most 12 digits: 36 bits */
    while (i < size && (field[i] == ' ' || field[i] == '\0'))
        i++;
    return digits && i == size;
}

/* Relative, of printable ASCII, without an empty or dotted step: it leads nowhere on any system. */
static bool is_plain_name(struct rf_str name)
{
    struct rf_str rest = name, step;
    if (!name.n || name.p[0] == '/' || name.p[name.n - 1] == '/')
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] <= ' ' || name.p[i] > '~' || name.p[i] == '\\' || name.p[i] == ':')
            return false;
    while (rf_str_split(&rest, '/', &step))
        if (!step.n || rf_str_is(step, ".") || rf_str_is(step, ".."))
            return false;
    return true;
}

static enum rf_code read_name(const struct header *h, struct rf_tar_file *out, struct rf_err *err)
{
    size_t n = strnlen(h->name, sizeof h->name);
    memcpy(out->name, h->name, n);
    out->name[n] = '\0';
    if (!is_plain_name((struct rf_str){ out->name, n }) || h->prefix[0]) {
        rf_fail(err, RF_EFORMAT, "the archive names a file \"%s\", which is refused", out->name);
        rf_hint(err, "Names must be plain: no \"..\", nothing absolute, no long ones.");
        return RF_EFORMAT;
    }
    return RF_OK;
}

static const char *type_name(char type)
{
    switch (type) {
    case '1':
        return "a hard link";
    case '2':
        return "a symbolic link";
    case '3':
    case '4':
        return "a device";
    case '5':
        return "a folder";
    case '6':
        return "a pipe";
    default:
        return "something that is not a plain file";
    }
}

static enum rf_code read_header(const struct header *h, struct rf_tar_file *out, struct rf_err *err)
{
    uint64_t sum;
    if (memcmp(h->magic, "ustar", 5) != 0)
        return bad(err, "is not a tar file, or damaged");
    if (!octal_value(h->checksum, sizeof h->checksum, &sum) || sum != checksum_of(h))
        return bad(err, "is damaged: a checksum is wrong");
    enum rf_code rc = read_name(h, out, err);
    if (rc)
        return rc;
    if (h->type[0] != '0' && h->type[0] != '\0') {
        rf_fail(err, RF_EFORMAT, "the archive holds %s, \"%s\"", type_name(h->type[0]), out->name);
        rf_hint(err, "Only plain files are imported.");
        return RF_EFORMAT;
    }
    return octal_value(h->size, sizeof h->size, &out->size) ? RF_OK
                                                            : bad(err, "has a size that is none");
}

static enum rf_code hold_to_limits(struct rf_tar_in *t, const struct rf_tar_file *f,
                                   struct rf_err *err)
{
    if (!t->most_files)
        return rf_fail(err, RF_ELIMIT, "the archive has more files than may be imported");
    if (f->size > t->most_bytes)
        return rf_fail(err, RF_ELIMIT, "the archive has more bytes than may be imported, at \"%s\"",
                       f->name);
    t->most_files--;
    t->most_bytes -= f->size;
    return RF_OK;
}

enum rf_code rf_tar_in_next(struct rf_tar_in *t, struct rf_tar_file *out, bool *more,
                            struct rf_err *err)
{
    struct header h;
    struct rf_tar_file f;
    enum rf_code rc = skip_rest(t, err);
    if (!rc)
        rc = read_all(t->fd, &h, sizeof h, err);
    if (rc)
        return rc;
    if (is_zero(&h, sizeof h)) {
        *more = false;
        return read_end(t, err);
    }
    rc = read_header(&h, &f, err);
    if (!rc)
        rc = hold_to_limits(t, &f, err);
    if (rc)
        return rc;
    t->left = f.size;
    t->fill = fill_of(f.size);
    *out = f;
    *more = true;
    return RF_OK;
}
