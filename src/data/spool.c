#include "data/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "files/atomic.h"

static sac_status fail_spool(const char *what)
{
    return sac_fail(SAC_ERROR_FILE, "what is recorded %s: %s", what, strerror(errno));
}

sac_status sac_spool_open(sac_spool *spool, const char *beside, size_t block)
{
    spool->descriptor = 0;
    spool->block = block;
    atomic_store(&spool->count, 0);
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_check_path(beside));
    const char *slash = strrchr(beside, '/');
    int length = snprintf(path, sizeof path, "%.*s.saccade-XXXXXX", slash ? (int)(slash + 1 - beside) : 0, beside);
    if (length >= (int)sizeof path) return sac_fail(SAC_ERROR_ARGUMENT, "%.80s...: the path is too long", beside);
    int descriptor = mkstemp(path);
    if (descriptor < 0) return sac_fail(SAC_ERROR_FILE, "%.400s: cannot be written: %s", path, strerror(errno));
    unlink(path);
    (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC); // worker processes of worlds do not inherit it
    spool->descriptor = descriptor + 1;
    return SAC_OK;
}

void sac_spool_close(sac_spool *spool)
{
    if (spool->descriptor) close(spool->descriptor - 1);
    spool->descriptor = 0;
}

sac_status sac_spool_add(sac_spool *spool, const void *bytes, long long *number)
{
    *number = atomic_fetch_add(&spool->count, 1);
    const char *at = bytes;
    off_t offset = (off_t)*number * (off_t)spool->block;
    for (size_t left = spool->block; left > 0;)
    {
        ssize_t written = pwrite(spool->descriptor - 1, at, left, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail_spool("cannot be written");
        at += written;
        offset += written;
        left -= (size_t)written;
    }
    return SAC_OK;
}

sac_status sac_spool_get(const sac_spool *spool, long long number, void *bytes)
{
    char *at = bytes;
    off_t offset = (off_t)number * (off_t)spool->block;
    for (size_t left = spool->block; left > 0;)
    {
        ssize_t got = pread(spool->descriptor - 1, at, left, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_spool("cannot be read back");
        if (got == 0)
            return sac_fail(SAC_ERROR_FILE, "what is recorded cannot be read back: it is shorter than it was");
        at += got;
        offset += got;
        left -= (size_t)got;
    }
    return SAC_OK;
}

sac_status sac_spool_clear(sac_spool *spool)
{
    atomic_store(&spool->count, 0);
    return ftruncate(spool->descriptor - 1, 0) == 0 ? SAC_OK : fail_spool("cannot be forgotten");
}
