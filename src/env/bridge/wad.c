#include "env/bridge/wad.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    HEAD = 12,  // kind, number of lumps, where the directory is
    ENTRY = 16, // where a lump is, its size, its name
};

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_u32(uint8_t *at, size_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static sac_status read_lumps(sac_wad *wad, const uint8_t *file, size_t size, size_t directory, const char *where)
{
    for (int i = 0; i < wad->count; i++)
    {
        const uint8_t *entry = file + directory + (size_t)i * ENTRY;
        sac_wad_lump *lump = &wad->lumps[i];
        uint32_t at = get_u32(entry), length = get_u32(entry + 4);
        if (length > size || at > size - length)
            return sac_fail(SAC_ERROR_FORMAT, "%s: lump %d reaches past the end", where, i);
        // Entries without content may have any position.
        lump->bytes = length ? file + at : file;
        lump->size = length;
        memcpy(lump->name, entry + 8, SAC_WAD_NAME);
    }
    return SAC_OK;
}

sac_status sac_wad_read(sac_wad *wad, const void *bytes, size_t size, const char *where)
{
    const uint8_t *file = bytes;
    *wad = (sac_wad){0};
    if (size < HEAD || (memcmp(file, "PWAD", 4) != 0 && memcmp(file, "IWAD", 4) != 0))
        return sac_fail(SAC_ERROR_FORMAT, "%s: no WAD file", where);
    uint32_t count = get_u32(file + 4), directory = get_u32(file + 8);
    if (count > SAC_WAD_MAX_LUMPS || directory > size || (size - directory) / ENTRY < count)
        return sac_fail(SAC_ERROR_FORMAT, "%s: the directory of %u lumps reaches past the end", where, count);
    memcpy(wad->kind, file, 4);
    wad->lumps = SAC_NEW_ARRAY(sac_wad_lump, count);
    if (!wad->lumps) return sac_fail_memory("a WAD file");
    wad->count = (int)count;
    sac_status status = read_lumps(wad, file, size, directory, where);
    if (status != SAC_OK) sac_wad_clear(wad);
    return status;
}

sac_status sac_wad_write(uint8_t **bytes, size_t *size, const sac_wad *wad)
{
    *bytes = NULL;
    size_t directory = HEAD;
    for (int i = 0; i < wad->count; i++) directory += wad->lumps[i].size;
    *size = directory + (size_t)wad->count * ENTRY;
    if (*size > INT32_MAX)
        return sac_fail(SAC_ERROR_ARGUMENT, "a WAD file of %zu bytes, expected less than 2 GiB", *size);
    uint8_t *file = sac_alloc(*size);
    if (!file) return sac_fail_memory("a WAD file");

    memcpy(file, wad->kind, 4);
    put_u32(file + 4, (size_t)wad->count);
    put_u32(file + 8, directory);
    size_t at = HEAD;
    for (int i = 0; i < wad->count; i++)
    {
        const sac_wad_lump *lump = &wad->lumps[i];
        uint8_t *entry = file + directory + (size_t)i * ENTRY;
        put_u32(entry, at);
        put_u32(entry + 4, lump->size);
        memcpy(entry + 8, lump->name, SAC_WAD_NAME);
        if (lump->size) memcpy(file + at, lump->bytes, lump->size);
        at += lump->size;
    }
    *bytes = file;
    return SAC_OK;
}

void sac_wad_clear(sac_wad *wad)
{
    sac_free(wad->lumps);
    *wad = (sac_wad){0};
}

sac_wad_lump *sac_wad_find(const sac_wad *wad, const char *name)
{
    for (int i = 0; i < wad->count; i++)
        if (strcmp(wad->lumps[i].name, name) == 0) return &wad->lumps[i];
    return NULL;
}

// Tells whether `word` stands at this place.
static bool stands(const uint8_t *bytes, size_t left, const char *word, size_t length)
{
    return left >= length && memcmp(bytes, word, length) == 0;
}

static uint8_t *append(uint8_t *out, const void *bytes, size_t size)
{
    memcpy(out, bytes, size);
    return out + size;
}

sac_status sac_wad_replace(uint8_t **text, size_t *size, int *count, const sac_wad_lump *lump, const char *from,
                           const char *to)
{
    const uint8_t *in = lump->bytes;
    size_t old = strlen(from), new = strlen(to), length = lump->size; // `size` may be the lump's own
    SAC_ASSERT(old > 0);
    *count = 0;
    for (size_t at = 0; at < length; at++)
        if (stands(in + at, length - at, from, old)) (*count)++, at += old - 1;
    *size = length - (size_t)*count * old + (size_t)*count * new;
    uint8_t *out = *text = sac_alloc(*size);
    if (!out) return sac_fail_memory("a lump");
    for (size_t at = 0; at < length;)
        if (stands(in + at, length - at, from, old))
        {
            out = append(out, to, new);
            at += old;
        }
        else
            *out++ = in[at++];
    return SAC_OK;
}
