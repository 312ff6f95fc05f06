#include "base/memory.h"
#include "env/bridge/wad.h"

#include "fuzz.h"

enum
{
    WRITE_LIMIT = 1 << 22 // lumps may overlap: a small file can hold large ones many times
};

// what was written reads as what was read
static void round_trip(const sac_wad *wad)
{
    uint8_t *bytes;
    size_t size;
    sac_status status = sac_wad_write(&bytes, &size, wad);
    fuzz_check_result(status, bytes);
    if (status != SAC_OK) return;
    sac_wad again;
    fuzz_require(sac_wad_read(&again, bytes, size, "again") == SAC_OK);
    fuzz_require(again.count == wad->count);
    for (int i = 0; i < wad->count; i++)
    {
        const sac_wad_lump *a = &wad->lumps[i], *b = &again.lumps[i];
        fuzz_require(strcmp(a->name, b->name) == 0 && a->size == b->size);
        fuzz_require(a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
    }
    sac_wad_clear(&again);
    sac_free(bytes);
}

static void replace(const sac_wad_lump *lump)
{
    uint8_t *text;
    size_t size;
    int count;
    sac_status status = sac_wad_replace(&text, &size, &count, lump, "= 104", "= 40400");
    fuzz_check_result(status, text);
    fuzz_require(size == lump->size + 2 * (size_t)count);
    sac_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // a copy of just this size, so that the sanitizer sees a step beyond it
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy);
    if (size) memcpy(copy, data, size);
    sac_wad wad;
    sac_status status = sac_wad_read(&wad, copy, size, "input");
    fuzz_check_result(status, wad.lumps);
    size_t all = 0;
    for (int i = 0; i < wad.count; i++) all += wad.lumps[i].size;
    if (status == SAC_OK && all <= WRITE_LIMIT) round_trip(&wad);
    for (int i = 0; i < wad.count && i < 16; i++) replace(&wad.lumps[i]);
    sac_wad_clear(&wad);
    free(copy);
    return 0;
}
