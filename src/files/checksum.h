#pragma once

#include "saccade/base.h"

/// Checksums against damage, not against malice.

/// FNV-1a, 64 bits: start with SAC_HASH_START and feed the result back to go on.
#define SAC_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t sac_hash_bytes(uint64_t hash, const void *bytes, size_t size);

/// CRC-32C (Castagnoli), start with 0 and feed the result back to go on.
uint32_t sac_crc32c(uint32_t crc, const void *bytes, size_t size);
