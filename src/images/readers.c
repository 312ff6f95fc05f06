#include "images/readers.h"

#include <limits.h>
#include <string.h>

#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    IDX_BYTES = 0x08, // the type
    IDX_RANK = 4,     // at most
    IDX_HEADER = 4 + 4 * IDX_RANK,
    DEFLATE_RATIO = 1032, // no byte of deflate stands for more
};

static size_t big_endian(const uint8_t *b)
{
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | (size_t)b[3];
}

// the sizes that a header tells; the elements begin at `begin`
static sac_status read_header(sac_idx *out, size_t *begin, const uint8_t *bytes, size_t size, const char *where)
{
    *out = (sac_idx){.sizes = {1, 1, 1, 1}, .count = 1};
    if (size < 4 || bytes[0] != 0 || bytes[1] != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: no IDX file, which begins with two zero bytes", where);
    if (bytes[2] != IDX_BYTES)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: IDX of type 0x%02x, expected bytes (0x08)", where, bytes[2]);
    if (bytes[3] < 1 || bytes[3] > IDX_RANK)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: IDX of rank %d, expected 1 to %d", where, bytes[3], (int)IDX_RANK);
    out->rank = bytes[3];
    *begin = 4 + 4 * (size_t)out->rank;
    if (size < *begin) return sac_fail(SAC_ERROR_FORMAT, "%.400s: the IDX header is cut short", where);
    for (int i = 0; i < out->rank; i++)
    {
        const size_t length = big_endian(bytes + 4 + 4 * i);
        if (length < 1 || length > INT_MAX || out->count > (size_t)INT_MAX / length)
            return sac_fail(SAC_ERROR_FORMAT, "%.400s: IDX size %d is %zu: empty, or more than 2 GiB in all", where,
                            i + 1, length);
        out->sizes[i] = (int)length;
        out->count *= length;
    }
    return SAC_OK;
}

sac_status sac_idx_read(sac_idx *out, const uint8_t *bytes, size_t size, const char *where)
{
    size_t begin = 0;
    SAC_TRY(read_header(out, &begin, bytes, size, where));
    if (size - begin != out->count)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: the IDX header tells of %zu bytes, and there are %zu", where,
                        out->count, size - begin);
    out->data = bytes + begin;
    return SAC_OK;
}

bool sac_is_packed(const uint8_t *bytes, size_t size)
{
    return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

// `size` bytes of the start; false where there are fewer, or where the end is wanted and is elsewhere or damaged. A
// file may be several members, one after another, which are what they hold one after another (RFC 1952, 2.2).
static bool inflate_some(uint8_t *out, size_t *size, const uint8_t *bytes, size_t packed, bool whole)
{
    z_stream stream = {.next_in = (uint8_t *)bytes, .avail_in = (uInt)packed};
    stream.next_out = out;
    stream.avail_out = (uInt)*size;
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return false;
    const int flush = whole ? Z_FINISH : Z_SYNC_FLUSH;
    int result = inflate(&stream, flush);
    while (result == Z_STREAM_END && stream.avail_in > 0 && (whole || stream.avail_out > 0))
        result = inflateReset(&stream) == Z_OK ? inflate(&stream, flush) : Z_STREAM_ERROR;
    inflateEnd(&stream);
    *size -= stream.avail_out;
    if (whole) return result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

sac_status sac_idx_unpack(uint8_t **unpacked, size_t *unpacked_size, const uint8_t *bytes, size_t size,
                          const char *where)
{
    uint8_t header[IDX_HEADER];
    size_t begin = 0, there = sizeof header;
    sac_idx idx;
    *unpacked = NULL;
    *unpacked_size = 0;
    if (size > UINT_MAX) return sac_fail(SAC_ERROR_FORMAT, "%.400s: more than 4 GiB of gzip", where);
    if (!inflate_some(header, &there, bytes, size, false))
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: gzip is damaged", where);
    SAC_TRY(read_header(&idx, &begin, header, there, where));
    const size_t all = begin + idx.count;
    if (all / DEFLATE_RATIO > size)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: the IDX header tells of %zu bytes, more than %zu of gzip can hold",
                        where, all, size);
    uint8_t *out = sac_alloc(all);
    if (!out) return sac_fail_memory(where);
    size_t given = all;
    if (!inflate_some(out, &given, bytes, size, true))
    {
        sac_free(out);
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s: gzip is damaged or cut short, or holds more than the %zu bytes of its IDX header",
                        where, all);
    }
    *unpacked = out;
    *unpacked_size = all;
    return SAC_OK;
}

sac_status sac_cifar_read(int *pictures, const uint8_t *bytes, size_t size, const char *where)
{
    *pictures = 0;
    if (size == 0 || size % SAC_CIFAR_RECORD != 0 || size / SAC_CIFAR_RECORD > INT_MAX)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: %zu bytes, expected pictures of %d bytes each (CIFAR-10, binary)",
                        where, size, (int)SAC_CIFAR_RECORD);
    const int count = (int)(size / SAC_CIFAR_RECORD);
    for (int i = 0; i < count; i++)
        if (bytes[(size_t)i * SAC_CIFAR_RECORD] >= SAC_CIFAR_CLASSES)
            return sac_fail(SAC_ERROR_FORMAT, "%.400s: picture %d has label %d, expected 0 to %d", where, i,
                            bytes[(size_t)i * SAC_CIFAR_RECORD], (int)SAC_CIFAR_CLASSES - 1);
    *pictures = count;
    return SAC_OK;
}
