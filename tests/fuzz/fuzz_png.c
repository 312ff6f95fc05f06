#include <zlib.h>

#include "base/memory.h"
#include "files/pictures/png.h"

#include "fuzz.h"

enum
{
    PIXEL_LIMIT = 1 << 16,
    START = 8,
    CHUNK_SIZE = 12
};

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// make every chunk's checksum right, so that changes get past it
static void mend(uint8_t *bytes, size_t size)
{
    for (size_t at = START; size - at >= CHUNK_SIZE && at < size;)
    {
        size_t length = u32(bytes + at);
        if (length > size - at - CHUNK_SIZE) return;
        uint32_t crc = (uint32_t)crc32(0, bytes + at + 4, (uInt)length + 4);
        for (int i = 0; i < 4; i++) bytes[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        at += CHUNK_SIZE + length;
    }
}

static void decode(const uint8_t *data, size_t size)
{
    uint8_t *rgb;
    int height, width;
    sac_status status = sac_png_decode(&rgb, &height, &width, data, size, PIXEL_LIMIT, "input");
    fuzz_check_result(status, rgb);
    if (status == SAC_OK) fuzz_require(height > 0 && width > 0 && (size_t)height * (size_t)width <= PIXEL_LIMIT);
    uint32_t sum = 0;
    for (size_t i = 0; i < (size_t)height * (size_t)width * 3; i++) sum += rgb[i];
    volatile uint32_t keep = sum;
    (void)keep;
    sac_free(rgb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode(data, size);
    if (size < START) return 0;
    uint8_t *copy = malloc(size);
    fuzz_require(copy);
    memcpy(copy, data, size);
    mend(copy, size);
    decode(copy, size);
    free(copy);
    return 0;
}
