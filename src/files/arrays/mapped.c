#include "files/arrays/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "files/atomic.h"

static sac_status fail_file(const char *path)
{
    return sac_fail(SAC_ERROR_FILE, "%.400s: cannot be read: %s", path, strerror(errno));
}

static sac_status map_open_file(sac_mapped *out, int descriptor, const char *path)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0) return fail_file(path);
    if (!S_ISREG(info.st_mode)) return sac_fail_not_a_file(path);
    if (info.st_size == 0) return sac_fail(SAC_ERROR_FORMAT, "%.400s: the file is empty", path);
    void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED) return fail_file(path);
    *out = (sac_mapped){bytes, (size_t)info.st_size};
    return SAC_OK;
}

sac_status sac_map_file(sac_mapped *out, const char *path)
{
    *out = (sac_mapped){0};
    SAC_TRY(sac_check_path(path));
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return fail_file(path);
    sac_status status = map_open_file(out, descriptor, path);
    close(descriptor);
    return status;
}

void sac_unmap(sac_mapped *mapped)
{
    if (mapped->bytes) munmap((void *)mapped->bytes, mapped->size);
    *mapped = (sac_mapped){0};
}
