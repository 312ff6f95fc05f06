#include "files/append.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "files/atomic.h"

enum
{
    BUFFER_SIZE = 16384,
    TEXT_SIZE = 4096
};

struct sac_append
{
    char *path;
    int descriptor;
    uint64_t size;
    size_t pending;
    uint8_t buffer[BUFFER_SIZE];
};

static sac_status cut(sac_append *file, uint64_t keep)
{
    struct stat info;
    if (fstat(file->descriptor, &info) != 0) return sac_fail_file(file->path, "cannot be read");
    if (!S_ISREG(info.st_mode)) return sac_fail(SAC_ERROR_FILE, "%.400s: expected an ordinary file", file->path);
    if ((uint64_t)info.st_size < keep)
        return sac_fail(SAC_ERROR_FILE, "%.400s: %lld bytes, expected at least %" PRIu64, file->path,
                        (long long)info.st_size, keep);
    if (ftruncate(file->descriptor, (off_t)keep) != 0) return sac_fail_file(file->path, "cannot be cut");
    file->size = keep;
    return SAC_OK;
}

sac_status sac_append_open(sac_append **out, const char *path, uint64_t keep)
{
    *out = NULL;
    SAC_TRY(sac_check_path(path));
    sac_append *file = SAC_NEW(sac_append);
    char *name = sac_copy_text(path);
    if (!file || !name)
    {
        sac_free(file);
        sac_free(name);
        return sac_fail_memory(path);
    }
    file->path = name;
    file->descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | (keep ? 0 : O_CREAT), 0666);
    sac_status status = file->descriptor < 0 ? sac_fail_file(path, "cannot be opened") : cut(file, keep);
    if (status == SAC_OK && keep == 0) status = sac_flush_folder(path);
    if (status == SAC_OK)
        *out = file;
    else
        sac_append_close(file);
    return status;
}

static sac_status write_all(sac_append *file, const uint8_t *bytes, size_t size)
{
    while (size > 0)
    {
        ssize_t written = write(file->descriptor, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return sac_fail_file(file->path, "cannot be written");
        bytes += written;
        size -= (size_t)written;
    }
    return SAC_OK;
}

static sac_status drain(sac_append *file)
{
    size_t pending = file->pending;
    file->pending = 0;
    return write_all(file, file->buffer, pending);
}

sac_status sac_append_bytes(sac_append *file, const void *bytes, size_t size)
{
    if (size > BUFFER_SIZE - file->pending) SAC_TRY(drain(file));
    file->size += size;
    if (size > BUFFER_SIZE) return write_all(file, bytes, size);
    memcpy(file->buffer + file->pending, bytes, size);
    file->pending += size;
    return SAC_OK;
}

sac_status sac_append_print(sac_append *file, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    void *locale = sac_enter_c_locale();
    int length = vsnprintf(text, sizeof text, format, arguments);
    sac_leave_c_locale(locale);
    va_end(arguments);
    if (length < 0 || length >= TEXT_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.400s: a text of more than %d bytes", file->path, TEXT_SIZE - 1);
    return sac_append_bytes(file, text, (size_t)length);
}

sac_status sac_append_flush(sac_append *file)
{
    SAC_TRY(drain(file));
    return fsync(file->descriptor) == 0 ? SAC_OK : sac_fail_file(file->path, "cannot be flushed");
}

uint64_t sac_append_size(const sac_append *file)
{
    return file->size;
}

sac_status sac_append_close(sac_append *file)
{
    if (!file) return SAC_OK;
    sac_status status = file->descriptor < 0 ? SAC_OK : sac_append_flush(file);
    if (file->descriptor >= 0) close(file->descriptor);
    sac_free(file->path);
    sac_free(file);
    return status;
}
