#include "rollout/returns.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/checksum.h"

enum
{
    FILE_LIMIT = 1 << 30
};

/// One round in the file, before its results.
typedef struct record
{
    uint32_t checksum; // of what follows
    uint32_t count;    // results, or as long as these: two numbers of what was seen stand in the place of one
    uint64_t fingerprint;
    double seconds;
} record;

typedef struct result
{
    double episode_return;
    int64_t steps;
} result;

struct sac_returns
{
    uint8_t *bytes; // whole records
    size_t size;
    int count, file; // file: -1 for none
    char path[SAC_PATH_SIZE];
};

static sac_status path_of(char path[SAC_PATH_SIZE], const char *run_dir)
{
    return sac_join_path(path, run_dir, "checkpoints/returns.bin");
}

sac_status sac_returns_load(const char *run_dir, uint8_t **bytes, size_t *size)
{
    char path[SAC_PATH_SIZE];
    *bytes = NULL;
    *size = 0;
    SAC_TRY(path_of(path, run_dir));
    return access(path, F_OK) == 0 ? sac_read_file(bytes, size, path, FILE_LIMIT) : SAC_OK;
}

static size_t length_of(const record *r)
{
    return sizeof *r + (size_t)r->count * sizeof(result);
}

static uint32_t checksum_of(const uint8_t *bytes, size_t length)
{
    return sac_crc32c(0, bytes + sizeof(uint32_t), length - sizeof(uint32_t));
}

// Reads the record at the beginning of the bytes; false when it is not whole.
static bool read_record(record *r, const uint8_t *bytes, size_t size)
{
    if (size < sizeof *r) return false;
    memcpy(r, bytes, sizeof *r);
    return r->count <= (size - sizeof *r) / sizeof(result) && r->checksum == checksum_of(bytes, length_of(r));
}

static sac_status fail_file(const char *path)
{
    return sac_fail(SAC_ERROR_FILE, "%s: %s", path, strerror(errno));
}

static sac_status open_file(sac_returns *k, const char *run_dir)
{
    SAC_TRY(path_of(k->path, run_dir));
    k->file = open(k->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return k->file < 0 || ftruncate(k->file, (off_t)k->size) != 0 ? fail_file(k->path) : SAC_OK;
}

sac_status sac_returns_open(sac_returns **out, const char *run_dir, const uint8_t *bytes, size_t size)
{
    *out = NULL;
    sac_returns *k = SAC_NEW(sac_returns);
    if (!k) return sac_fail_memory("known returns");
    k->file = -1;
    // A record that a crash cut short ends the list.
    record r;
    for (; read_record(&r, bytes + k->size, size - k->size); k->count++) k->size += length_of(&r);
    sac_status status = SAC_OK;
    k->bytes = sac_alloc(k->size);
    if (!k->bytes)
        status = sac_fail_memory("known returns");
    else if (k->size)
        memcpy(k->bytes, bytes, k->size);
    if (status == SAC_OK && run_dir) status = open_file(k, run_dir);
    if (status != SAC_OK)
    {
        sac_returns_close(k);
        return status;
    }
    *out = k;
    return SAC_OK;
}

void sac_returns_close(sac_returns *k)
{
    if (!k) return;
    if (k->file >= 0) close(k->file);
    sac_free(k->bytes);
    sac_free(k);
}

int sac_returns_count(const sac_returns *k)
{
    return k->count;
}

// Counts the bytes of what the normalisers have seen, which lies behind the results.
static size_t seen_bytes(const sac_results *results)
{
    return results->seen ? (size_t)results->count * (size_t)results->seen_size * sizeof(double) : 0;
}

static uint32_t slots_of(const sac_results *results)
{
    return (uint32_t)((size_t)results->count + seen_bytes(results) / sizeof(result));
}

bool sac_returns_find(const sac_returns *k, uint64_t fingerprint, const sac_results *results, double *seconds)
{
    record r;
    for (size_t at = 0; at < k->size; at += length_of(&r))
    {
        memcpy(&r, k->bytes + at, sizeof r);
        if (r.fingerprint != fingerprint || r.count != slots_of(results)) continue;
        const uint8_t *from = k->bytes + at + sizeof r;
        for (int i = 0; i < results->count; i++, from += sizeof(result))
        {
            result given;
            memcpy(&given, from, sizeof given);
            results->units[i].episode_return = given.episode_return;
            results->units[i].steps = (int)given.steps;
        }
        if (results->seen) memcpy(results->seen, from, seen_bytes(results));
        *seconds = r.seconds;
        return true;
    }
    return false;
}

static bool write_all(int file, const uint8_t *bytes, size_t size)
{
    while (size > 0)
    {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) bytes += written, size -= (size_t)written;
    }
    return true;
}

sac_status sac_returns_add(sac_returns *k, uint64_t fingerprint, const sac_results *results, double seconds)
{
    if (k->file < 0) return SAC_OK;
    record r = {.count = slots_of(results), .fingerprint = fingerprint, .seconds = seconds};
    uint8_t *bytes = sac_alloc(length_of(&r));
    if (!bytes) return sac_fail_memory("known returns");
    uint8_t *to = bytes + sizeof r;
    for (int i = 0; i < results->count; i++, to += sizeof(result))
    {
        result given = {results->units[i].episode_return, results->units[i].steps};
        memcpy(to, &given, sizeof given);
    }
    if (results->seen) memcpy(to, results->seen, seen_bytes(results));
    memcpy(bytes, &r, sizeof r);
    r.checksum = checksum_of(bytes, length_of(&r));
    memcpy(bytes, &r, sizeof r);
    bool written = write_all(k->file, bytes, length_of(&r));
    sac_free(bytes);
    return written ? SAC_OK : fail_file(k->path);
}

sac_status sac_returns_clear(sac_returns *k)
{
    k->size = 0;
    return k->file < 0 || ftruncate(k->file, 0) == 0 ? SAC_OK : fail_file(k->path);
}
