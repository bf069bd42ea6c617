#include "store/spare.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* For the log of a transaction that deletes thousands of rows: their pages are freed, not
 * written. */
#define SPARE_BYTES ((off_t)512 << 10)

/* Where a file may not get that long, the attempt would end the process. */
static bool may_be_that_long(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= (rlim_t)SPARE_BYTES;
}

void rf_spare_keep(const char *path)
{
    struct stat st;
    if (!may_be_that_long())
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    bool whole =
        fstat(fd, &st) == 0 && st.st_size >= SPARE_BYTES; /* who made it may have been killed */
    if (!whole && posix_fallocate(fd, 0, SPARE_BYTES) != 0)
        unlink(path);
    close(fd);
}

bool rf_spare_give(const char *path)
{
    return path && unlink(path) == 0;
}
