#include <zlib.h>

#include "base/memory.h"
#include "images/readers.h"

#include "fuzz.h"

// what a header tells is there, to the last byte
static void read_plain(const uint8_t *data, size_t size)
{
    sac_idx idx;
    const sac_status status = sac_idx_read(&idx, data, size, "input");
    fuzz_check_result(status, status == SAC_OK ? idx.data : NULL);
    if (status != SAC_OK) return;
    size_t count = 1;
    for (int i = 0; i < 4; i++)
    {
        fuzz_require(idx.sizes[i] >= 1 && (i < idx.rank || idx.sizes[i] == 1));
        count *= (size_t)idx.sizes[i];
    }
    fuzz_require(count == idx.count && idx.data >= data && idx.data + count == data + size);
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += idx.data[i];
    fuzz_require(sum <= 255 * count);
}

static void read_packed(const uint8_t *data, size_t size)
{
    uint8_t *unpacked;
    size_t unpacked_size;
    const sac_status status = sac_idx_unpack(&unpacked, &unpacked_size, data, size, "input");
    fuzz_check_result(status, unpacked);
    if (status == SAC_OK) read_plain(unpacked, unpacked_size);
    sac_free(unpacked);
}

// the same bytes under gzip, so that changes get past its checksum
static void pack(const uint8_t *data, size_t size)
{
    z_stream stream = {.next_in = (uint8_t *)data, .avail_in = (uInt)size};
    fuzz_require(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    const size_t room = deflateBound(&stream, (uLong)size);
    uint8_t *packed = malloc(room);
    fuzz_require(packed);
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    fuzz_require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    fuzz_require(sac_is_packed(packed, room - stream.avail_out));
    read_packed(packed, room - stream.avail_out);
    deflateEnd(&stream);
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // a copy of just this size, so that the sanitizer sees a step beyond it
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy);
    if (size) memcpy(copy, data, size);
    read_plain(copy, size);
    read_packed(copy, size);
    pack(copy, size);
    free(copy);
    return 0;
}
