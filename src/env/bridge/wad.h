#pragma once

#include "saccade/base.h"

/// Doom's WAD files: a directory of named lumps.

enum
{
    SAC_WAD_NAME = 8,
    SAC_WAD_MAX_LUMPS = 65536,
};

typedef struct sac_wad_lump
{
    char name[SAC_WAD_NAME + 1];
    const uint8_t *bytes; ///< in the file that was read, or the caller's
    size_t size;
} sac_wad_lump;

typedef struct sac_wad
{
    char kind[5];        ///< "PWAD" or "IWAD"
    sac_wad_lump *lumps; ///< released by sac_wad_clear
    int count;
} sac_wad;

/// Read a directory; the lumps point into `bytes`, which must stay.
/// @param where  names the source in errors
/// @return SAC_ERROR_FORMAT or SAC_ERROR_MEMORY; then `wad` is empty
SAC_CHECKED sac_status sac_wad_read(sac_wad *wad, const void *bytes, size_t size, const char *where);

/// Write a file: the lumps in order, then the directory.
/// @param[out] bytes  released by sac_free; NULL on failure
SAC_CHECKED sac_status sac_wad_write(uint8_t **bytes, size_t *size, const sac_wad *wad);

void sac_wad_clear(sac_wad *wad);

/// The first lump of that name; NULL: there is none.
sac_wad_lump *sac_wad_find(const sac_wad *wad, const char *name);

/// A lump's text with every `from` replaced by `to`.
/// @param[out] text   released by sac_free; NULL on failure
/// @param[out] count  replacements
SAC_CHECKED sac_status sac_wad_replace(uint8_t **text, size_t *size, int *count, const sac_wad_lump *lump,
                                       const char *from, const char *to);
