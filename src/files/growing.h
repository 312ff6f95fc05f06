#pragma once

#include "saccade/base.h"

/// A text or file that grows. Starts as {0}; a lack of memory is kept until the end.
typedef struct sac_growing
{
    char *bytes;
    size_t size, room;
    bool failed;
} sac_growing;

void sac_grow(sac_growing *text, const void *bytes, size_t size);
void sac_grow_text(sac_growing *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Bytes as base64 with padding.
void sac_grow_base64(sac_growing *text, const uint8_t *bytes, size_t size);

/// Write what has grown into a file and release it.
/// @param what  names it where memory has run out
SAC_CHECKED sac_status sac_grow_into_file(sac_growing *text, const char *path, const char *what);
void sac_grow_clear(sac_growing *text);
