#include "files/arrays/npz.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/arrays/npy.h"
#include "files/arrays/tensors.h"
#include "files/atomic.h"

// PKWARE's APPNOTE: members, then the central directory that lists them, then its end record. Sizes are taken from the
// central directory; archives above 4 GiB (zip64) are refused.

enum
{
    END_SIZE = 22,
    CENTRAL_SIZE = 46,
    LOCAL_SIZE = 30,
    MAX_COMMENT = 65535,
    MAX_MEMBERS = 1024,
    NAME_SIZE = 256
};
enum
{
    STORED = 0,
    DEFLATED = 8
};

/// The archive, and how many bytes its members may still unpack to.
typedef struct archive
{
    const uint8_t *bytes;
    size_t size, left;
    const char *where;
} archive;

/// What the central directory says about a member.
typedef struct member
{
    char name[NAME_SIZE];
    uint32_t crc, packed, unpacked, offset;
    int method;
} member;

static uint32_t u16(const uint8_t *at)
{
    return (uint32_t)(at[0] | at[1] << 8);
}

static uint32_t u32(const uint8_t *at)
{
    return u16(at) | u16(at + 2) << 16;
}

static sac_status fail_zip(const archive *zip, const char *what)
{
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: zip: %s", zip->where, what);
}

// Find the end record, from the end of the file because a comment may follow it.
static const uint8_t *find_end(const archive *zip)
{
    if (zip->size < END_SIZE) return NULL;
    size_t last = zip->size - END_SIZE, first = last > MAX_COMMENT ? last - MAX_COMMENT : 0;
    for (size_t at = last + 1; at-- > first;)
        if (memcmp(zip->bytes + at, "PK\5\6", 4) == 0 && u16(zip->bytes + at + 20) == last - at) return zip->bytes + at;
    return NULL;
}

static sac_status read_entry(const archive *zip, size_t *at, size_t end, member *m)
{
    const uint8_t *entry = zip->bytes + *at;
    if (end - *at < CENTRAL_SIZE || memcmp(entry, "PK\1\2", 4) != 0)
        return fail_zip(zip, "the directory is damaged or cut short");
    size_t name = u16(entry + 28), length = CENTRAL_SIZE + name + u16(entry + 30) + u16(entry + 32);
    if (length > end - *at) return fail_zip(zip, "the directory is cut short");
    if (name >= NAME_SIZE || memchr(entry + CENTRAL_SIZE, 0, name))
        return fail_zip(zip, "a member's name is too long or holds a zero byte");
    memcpy(m->name, entry + CENTRAL_SIZE, name);
    m->name[name] = 0;
    m->method = (int)u16(entry + 10);
    m->crc = u32(entry + 16);
    m->packed = u32(entry + 20);
    m->unpacked = u32(entry + 24);
    m->offset = u32(entry + 42);
    if (u16(entry + 8) & 1) return fail_zip(zip, "a member is encrypted");
    if (m->packed == UINT32_MAX || m->unpacked == UINT32_MAX || m->offset == UINT32_MAX)
        return fail_zip(zip, "a member of 4 GiB or more");
    *at += length;
    return SAC_OK;
}

static bool inflate_all(uint8_t *out, const member *m, const uint8_t *packed)
{
    z_stream stream = {.next_in = (uint8_t *)packed, .avail_in = m->packed};
    stream.next_out = out;
    stream.avail_out = m->unpacked;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
    int result = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
}

static sac_status unpack(const archive *zip, const member *m, const uint8_t **data, uint8_t **owned)
{
    if (zip->size < LOCAL_SIZE || m->offset > zip->size - LOCAL_SIZE ||
        memcmp(zip->bytes + m->offset, "PK\3\4", 4) != 0)
        return fail_zip(zip, "a member is not where the directory says");
    const uint8_t *local = zip->bytes + m->offset;
    size_t start = (size_t)m->offset + LOCAL_SIZE + u16(local + 26) + u16(local + 28);
    if (start > zip->size || m->packed > zip->size - start) return fail_zip(zip, "a member is cut short");
    *data = zip->bytes + start;
    if (m->method == STORED && m->packed != m->unpacked) return fail_zip(zip, "a stored member with two sizes");
    if (m->method != STORED && m->method != DEFLATED)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: zip: compression %d, expected stored or deflated", zip->where,
                        m->method);
    if (m->method == DEFLATED)
    {
        *owned = sac_alloc(m->unpacked);
        if (!*owned) return sac_fail_memory(zip->where);
        if (!inflate_all(*owned, m, *data)) return fail_zip(zip, "a member cannot be inflated to its size");
        *data = *owned;
    }
    return crc32(0, *data, m->unpacked) == m->crc ? SAC_OK : fail_zip(zip, "a member's checksum differs");
}

static sac_status read_member(archive *zip, const member *m, sac_tensors *tensors)
{
    char name[NAME_SIZE];
    size_t length = strlen(m->name);
    if (length < 5 || strcmp(m->name + length - 4, ".npy") != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: member '%.80s', expected NAME.npy", zip->where, m->name);
    snprintf(name, sizeof name, "%.*s", (int)length - 4, m->name);
    if (sac_tensors_find(tensors, name))
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: array '%.80s' comes twice", zip->where, name);
    if (m->unpacked > zip->left)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: the arrays hold more than %zu bytes", zip->where, SAC_NPZ_LIMIT);
    zip->left -= m->unpacked;

    char where[512];
    snprintf(where, sizeof where, "%.400s: array '%.80s'", zip->where, name);
    const uint8_t *data = NULL;
    uint8_t *owned = NULL;
    sac_tensor tensor = {.name = name};
    sac_status status = unpack(&(archive){zip->bytes, zip->size, 0, where}, m, &data, &owned);
    if (status == SAC_OK) status = sac_npy_read(&tensor, data, m->unpacked, where);
    if (status == SAC_OK) status = sac_tensors_add(tensors, &tensor);
    sac_free(owned);
    return status;
}

sac_status sac_npz_read(sac_tensors **out, const void *bytes, size_t size, const char *where)
{
    *out = NULL;
    archive zip = {bytes, size, SAC_NPZ_LIMIT, where};
    const uint8_t *record = find_end(&zip);
    if (!record) return fail_zip(&zip, "no npz file, or cut short");
    size_t count = u16(record + 10), length = u32(record + 12), at = u32(record + 16);
    size_t end = (size_t)(record - zip.bytes);
    if (u32(record + 4) != 0 || u16(record + 8) != count || count > MAX_MEMBERS)
        return fail_zip(&zip, "several volumes or more than 1024 members");
    if (at > end || length != end - at) return fail_zip(&zip, "the directory is not where the end record says");

    sac_tensors *tensors;
    SAC_TRY(sac_tensors_create(&tensors, where, (int)count, 0));
    sac_status status = SAC_OK;
    for (size_t i = 0; status == SAC_OK && i < count; i++)
    {
        member m;
        status = read_entry(&zip, &at, end, &m);
        if (status == SAC_OK) status = read_member(&zip, &m, tensors);
    }
    if (status == SAC_OK && at != end) status = fail_zip(&zip, "the directory holds more than its members");
    if (status == SAC_OK)
        *out = tensors;
    else
        sac_tensors_destroy(tensors);
    return status;
}

sac_status sac_npz_load(sac_tensors **out, const char *path)
{
    *out = NULL;
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, SAC_NPZ_LIMIT));
    sac_status status = sac_npz_read(out, bytes, size, path);
    sac_free(bytes);
    return status;
}
