/* The reader of archives against any bytes: whatever it takes for a file has a plain name, lies
 * where its header says, within the limits, and is written again as the same archive.
 *
 * Right checksums would never be hit upon, so the first byte of the input chooses whether
 * headers get the checksum that fits them; the second chooses the pieces in which files are
 * read. */
#include "store/tar.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOCK = 512, CHECKSUM = 148, MOST_BYTES = 100000, MOST_FILES = 50 };

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* Give every block the checksum that it would have as a header, where it looks like one. */
static void repair(uint8_t *p, size_t n)
{
    for (; n >= BLOCK; p += BLOCK, n -= BLOCK) {
        unsigned sum = 0;
        char text[8];
        if (memcmp(p + 257, "ustar", 5) != 0)
            continue;
        memset(p + CHECKSUM, ' ', 8);
        for (size_t i = 0; i < BLOCK; i++)
            sum += p[i];
        snprintf(text, sizeof text, "%06o", sum);
        memcpy(p + CHECKSUM, text, 7);
    }
}

static int file_of(const uint8_t *p, size_t n)
{
    int fd = memfd_create("archive", MFD_CLOEXEC);
    expect(fd >= 0 && (!n || write(fd, p, n) == (ssize_t)n) && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static void check_name(const char *name)
{
    struct rf_str rest = rf_str(name), step;
    expect(rest.n > 0 && rest.n <= RF_TAR_NAME && name[0] != '/' && name[rest.n - 1] != '/');
    for (size_t i = 0; i < rest.n; i++)
        expect(name[i] > ' ' && name[i] <= '~' && name[i] != '\\');
    while (rf_str_split(&rest, '/', &step))
        expect(step.n && !rf_str_is(step, ".") && !rf_str_is(step, ".."));
}

/* The bytes of a file, read in pieces, are those after its header; they go to `out`. */
static enum rf_code check_file(struct rf_tar_in *in, const struct rf_tar_file *f, uint8_t step,
                               const uint8_t *bytes, size_t n, struct rf_tar_out *out)
{
    char buf[256];
    off_t at = lseek(in->fd, 0, SEEK_CUR);
    size_t got = 1;
    struct rf_err err;
    enum rf_code rc = rf_tar_out_next(out, f->name, f->size, 0, &err);
    expect(!rc && at >= BLOCK);
    uint64_t all = 0;
    while (!rc && got) {
        rc = rf_tar_in_read(in, buf, (size_t)step + 1, &got, &err);
        if (rc || !got)
            break;
        expect((uint64_t)at + all + got <= n);
        expect(memcmp(buf, bytes + (size_t)at + all, got) == 0);
        all += got;
        expect(!rf_tar_out_bytes(out, (struct rf_str){ buf, got }, &err));
    }
    expect(rc ? rc == RF_EFORMAT : all == f->size);
    return rc;
}

/* What was written of a good archive is read as the same files. */
static void check_again(int fd, unsigned files, uint64_t bytes)
{
    struct rf_tar_in in;
    struct rf_tar_file f;
    bool more = true;
    expect(lseek(fd, 0, SEEK_SET) == 0);
    rf_tar_in_init(&in, fd, bytes, files);
    while (more) {
        expect(!rf_tar_in_next(&in, &f, &more, NULL));
        if (more) {
            files--;
            bytes -= f.size;
        }
    }
    expect(!files && !bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_tar_in in;
    struct rf_tar_out out;
    struct rf_tar_file f;
    struct rf_err err = { 0 };
    bool more = true;
    unsigned files = 0;
    uint64_t bytes = 0;
    if (size < 2)
        return 0;
    uint8_t *copy = malloc(size);
    expect(copy);
    memcpy(copy, data + 2, size - 2);
    if (data[0] % 2)
        repair(copy, size - 2);
    int fd = file_of(copy, size - 2), written = file_of(NULL, 0);
    rf_tar_in_init(&in, fd, MOST_BYTES, MOST_FILES);
    rf_tar_out_init(&out, written);
    enum rf_code rc = RF_OK;
    while (!rc && more) {
        rc = rf_tar_in_next(&in, &f, &more, &err);
        if (rc || !more)
            break;
        check_name(f.name);
        bytes += f.size;
        expect(++files <= MOST_FILES && bytes <= MOST_BYTES);
        rc = check_file(&in, &f, data[1], copy, size - 2, &out);
    }
    expect(rc == RF_OK || rc == RF_EFORMAT || rc == RF_ELIMIT);
    if (!rc) {
        expect(!rf_tar_out_finish(&out, &err));
        check_again(written, files, bytes);
    }
    close(fd);
    close(written);
    free(copy);
    return 0;
}
