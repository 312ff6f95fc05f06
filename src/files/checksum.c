#include "files/checksum.h"

uint64_t sac_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint32_t sac_crc32c(uint32_t crc, const void *bytes, size_t size)
{
    // The table of the reflected polynomial 0x82f63b78, for four bits at a time.
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                       0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    const uint8_t *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++)
    {
        crc ^= at[i];
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}
