#include "files/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

sac_status sac_fail_file(const char *path, const char *what)
{
    return sac_fail(SAC_ERROR_FILE, "%.400s: %s: %s", path, what, strerror(errno));
}

sac_status sac_check_path(const char *path)
{
    if (!path[0]) return sac_fail(SAC_ERROR_ARGUMENT, "a path is empty");
    if (strlen(path) < SAC_PATH_SIZE) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "%.80s...: the path is longer than %d bytes", path, SAC_PATH_SIZE - 1);
}

sac_status sac_join_path(char path[SAC_PATH_SIZE], const char *folder, const char *name)
{
    path[0] = 0;
    SAC_TRY(sac_check_path(folder));
    int length = snprintf(path, SAC_PATH_SIZE, "%s/%s", folder, name);
    if (length < SAC_PATH_SIZE) return SAC_OK;
    path[0] = 0;
    return sac_fail(SAC_ERROR_ARGUMENT, "%.80s...: the path is longer than %d bytes", folder, SAC_PATH_SIZE - 1);
}

sac_status sac_make_folders(const char *path)
{
    char part[SAC_PATH_SIZE];
    SAC_TRY(sac_check_path(path));
    for (size_t i = 0; path[i]; i++)
    {
        part[i] = path[i];
        bool end = path[i] != '/' && (path[i + 1] == '/' || !path[i + 1]);
        if (!end) continue;
        part[i + 1] = 0;
        if (mkdir(part, 0777) == 0 || errno == EEXIST) continue;
        return sac_fail_file(part, "the folder cannot be made");
    }
    struct stat info;
    if (stat(path, &info) != 0) return sac_fail_file(path, "the folder cannot be made");
    return S_ISDIR(info.st_mode) ? SAC_OK : sac_fail(SAC_ERROR_FILE, "%.400s: expected a folder", path);
}

sac_status sac_flush_folder(const char *path)
{
    char folder[SAC_PATH_SIZE];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash)
        strcpy(folder, ".");
    else
        slash[slash == folder] = 0;
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return sac_fail_file(folder, "the folder cannot be opened");
    // Some file systems cannot flush a folder and report it. That is not a failure of the write.
    int result = fsync(descriptor);
    sac_status status = result == 0 || errno == EINVAL ? SAC_OK : sac_fail_file(folder, "the folder cannot be flushed");
    close(descriptor);
    return status;
}

// Open the file beside the path and lock it, so that two processes never mix their bytes. If the file has been renamed
// into place before the lock was obtained, the lock is useless, so try again.
static int open_aside(const char *aside)
{
    for (;;)
    {
        int descriptor = open(aside, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666); // a mapping reads, too
        if (descriptor < 0) return -1;
        struct stat ours, named;
        bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
        bool same = locked && fstat(descriptor, &ours) == 0 && stat(aside, &named) == 0 && ours.st_ino == named.st_ino;
        if (same && ftruncate(descriptor, 0) == 0) return descriptor;
        int error = errno;
        close(descriptor);
        errno = error;
        if (!locked || same) return -1;
    }
}

sac_status sac_atomic_begin(sac_atomic *file, const char *path)
{
    bool fast = file->fast;
    *file = (sac_atomic){.fast = fast};
    SAC_TRY(sac_check_path(path));
    if (strlen(path) + sizeof ".tmp" > SAC_PATH_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.80s...: the path is longer than %d bytes", path, SAC_PATH_SIZE - 5);
    snprintf(file->path, sizeof file->path, "%s", path);

    struct stat info;
    bool direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    if (!direct) snprintf(file->aside, sizeof file->aside, "%.*s.tmp", SAC_PATH_SIZE - 5, path);
    int descriptor = direct ? open(path, O_WRONLY | O_CLOEXEC) : open_aside(file->aside);
    if (descriptor < 0 && errno == EWOULDBLOCK)
        return sac_fail(SAC_ERROR_FILE, "%.400s: another process is writing it", path);
    if (descriptor < 0) return sac_fail_file(path, "cannot be written");
    file->descriptor = descriptor + 1;
    return SAC_OK;
}

sac_status sac_atomic_write(sac_atomic *file, const void *bytes, size_t size)
{
    SAC_ASSERT(file->descriptor);
    const char *at = bytes;
    while (size > 0)
    {
        ssize_t written = write(file->descriptor - 1, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return sac_fail_file(file->path, "cannot be written");
        at += written;
        size -= (size_t)written;
    }
    return SAC_OK;
}

sac_status sac_atomic_map(sac_atomic *file, size_t size, uint8_t **bytes)
{
    SAC_ASSERT(file->descriptor);
    *bytes = NULL;
    if (!file->aside[0]) return sac_fail(SAC_ERROR_FILE, "%.400s: expected a place for an ordinary file", file->path);
    // the blocks are taken now, because a write into a mapping cannot fail in an orderly way
    errno = posix_fallocate(file->descriptor - 1, 0, (off_t)size);
    if (errno != 0) return sac_fail_file(file->path, "cannot be written");
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor - 1, 0);
    if (map == MAP_FAILED) return sac_fail_file(file->path, "cannot be written");
    *bytes = map;
    return SAC_OK;
}

sac_status sac_atomic_commit(sac_atomic *file)
{
    SAC_ASSERT(file->descriptor);
    sac_status status = SAC_OK;
    if (file->aside[0] && !file->fast && fsync(file->descriptor - 1) != 0)
        status = sac_fail_file(file->path, "cannot be flushed");
    if (status == SAC_OK && file->aside[0] && rename(file->aside, file->path) != 0)
        status = sac_fail_file(file->path, "cannot be put in its place");
    if (status != SAC_OK)
    {
        sac_atomic_abort(file);
        return status;
    }
    close(file->descriptor - 1);
    file->descriptor = 0;
    return file->aside[0] && !file->fast ? sac_flush_folder(file->path) : SAC_OK;
}

void sac_atomic_abort(sac_atomic *file)
{
    if (!file->descriptor) return;
    if (file->aside[0]) unlink(file->aside);
    close(file->descriptor - 1);
    file->descriptor = 0;
}

sac_status sac_check_target(const char *path)
{
    sac_atomic file = {0};
    struct stat facts;
    SAC_TRY(sac_check_path(path));
    // A pipe is not opened, because its reader would take the close for the end.
    if (stat(path, &facts) == 0 && S_ISFIFO(facts.st_mode)) return SAC_OK;
    SAC_TRY(sac_atomic_begin(&file, path));
    sac_atomic_abort(&file);
    return SAC_OK;
}

sac_status sac_write_file(const char *path, const void *bytes, size_t size)
{
    sac_atomic file = {0};
    SAC_TRY(sac_atomic_begin(&file, path));
    sac_status status = sac_atomic_write(&file, bytes, size);
    if (status == SAC_OK) return sac_atomic_commit(&file);
    sac_atomic_abort(&file);
    return status;
}

sac_status sac_fail_not_a_file(const char *path)
{
    static const char *const names[] = {"best.safetensors", "net.safetensors"}; // of runs
    for (int i = 0; sac_is_folder(path) && i < 2; i++)
    {
        char inside[SAC_PATH_SIZE];
        if (sac_join_path(inside, path, names[i]) == SAC_OK && access(inside, F_OK) == 0)
            return sac_fail(SAC_ERROR_FILE, "%.400s is a folder, did you mean '%.400s'?", path, inside);
    }
    return sac_fail(SAC_ERROR_FILE, "%.400s: expected an ordinary file", path);
}

static sac_status read_open_file(int descriptor, uint8_t **bytes, size_t *size, const char *path, size_t limit)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0) return sac_fail_file(path, "cannot be read");
    if (!S_ISREG(info.st_mode)) return sac_fail_not_a_file(path);
    size_t length = (size_t)info.st_size;
    if (length > limit)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: %zu bytes, expected at most %zu", path, length, limit);
    uint8_t *data = sac_alloc(length + 1);
    if (!data) return sac_fail_memory(path);
    size_t got = 0;
    while (got < length)
    {
        ssize_t part = read(descriptor, data + got, length - got);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0)
        {
            sac_free(data);
            return part < 0 ? sac_fail_file(path, "cannot be read")
                            : sac_fail(SAC_ERROR_FILE, "%.400s: became shorter while it was read", path);
        }
        got += (size_t)part;
    }
    *bytes = data;
    *size = length;
    return SAC_OK;
}

sac_status sac_read_file(uint8_t **bytes, size_t *size, const char *path, size_t limit)
{
    *bytes = NULL;
    *size = 0;
    SAC_TRY(sac_check_path(path));
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return sac_fail_file(path, "cannot be read");
    sac_status status = read_open_file(descriptor, bytes, size, path, limit);
    close(descriptor);
    return status;
}

bool sac_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}
