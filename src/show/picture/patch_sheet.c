#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "files/pictures/png.h"
#include "saccade/attention_plots.h"
#include "saccade/viewer.h"
#include "show/picture/canvas.h"

enum
{
    BANDS = 3,
    TEN = 10,
    EXAMPLES = 16, // of each band
    SIDE = 56,     // pixels of a patch on the sheet
    GAP = 8,
    LABEL = 28,
    WIDTH = GAP + EXAMPLES * (SIDE + GAP),
    HEIGHT = GAP + BANDS * (LABEL + SIDE + GAP)
};

/// Ranks from which examples are drawn at random. Of all patches that had such a rank in any frame, each has the same
/// chance to be kept (reservoir sampling).
typedef struct band
{
    const char *name;
    int first, count; // ranks
    uint64_t seen;    // patches seen so far
} band;

struct sac_patch_sheet
{
    band bands[BANDS];
    int patches, patch, channels;
    sac_stream random;
    int *order;        // [patches], the most important first
    float *pixels;     // [patch, patch, channels]
    uint8_t *examples; // [BANDS, EXAMPLES, patch, patch, channels]
};

sac_status sac_patch_sheet_create(sac_patch_sheet **out, const sac_gaze *gaze, int channels)
{
    *out = NULL;
    sac_patch_sheet *s = SAC_NEW(sac_patch_sheet);
    if (!s) return sac_fail_memory("a sheet of patches");
    int n = gaze->rows * gaze->columns, twentieth = n / 20;
    const band won =
        gaze->kept > 0 ? (band){"kept", 0, gaze->kept, 0} : (band){"the ten most important", 0, n < TEN ? n : TEN, 0};
    size_t size = (size_t)gaze->patch * (size_t)gaze->patch * (size_t)channels;
    *s = (sac_patch_sheet){.bands = {won,
                                     {"around the best twentieth", twentieth > 2 ? twentieth - 2 : 0, n > 4 ? 5 : n, 0},
                                     {"the less important half", n / 2, n - n / 2, 0}},
                           .patches = n,
                           .patch = gaze->patch,
                           .channels = channels,
                           .random = sac_stream_create(1, 0, 0),
                           .order = SAC_NEW_ARRAY(int, (size_t)n),
                           .pixels = SAC_NEW_ARRAY(float, size),
                           .examples = SAC_NEW_ARRAY(uint8_t, BANDS * EXAMPLES * size)};
    if (s->order && s->pixels && s->examples)
    {
        *out = s;
        return SAC_OK;
    }
    sac_patch_sheet_destroy(s);
    return sac_fail_memory("a sheet of patches");
}

void sac_patch_sheet_destroy(sac_patch_sheet *sheet)
{
    if (!sheet) return;
    sac_free(sheet->order);
    sac_free(sheet->pixels);
    sac_free(sheet->examples);
    sac_free(sheet);
}

static int falling(const void *a, const void *b, void *importance)
{
    const float *value = importance;
    int i = *(const int *)a, j = *(const int *)b;
    if (value[i] != value[j]) return value[i] < value[j] ? 1 : -1;
    return i - j;
}

// Keep a patch in a place of its band.
static void keep(sac_patch_sheet *s, const sac_viewer *viewer, int index, int place, int which)
{
    size_t size = (size_t)s->patch * (size_t)s->patch * (size_t)s->channels;
    if (!sac_viewer_patch(viewer, index, s->pixels)) return;
    uint8_t *example = s->examples + (size_t)(which * EXAMPLES + place) * size;
    for (size_t i = 0; i < size; i++) example[i] = (uint8_t)(s->pixels[i] * 255 + 0.5f);
}

void sac_patch_sheet_add(sac_patch_sheet *s, const sac_viewer *viewer)
{
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    for (int i = 0; i < s->patches; i++) s->order[i] = i;
    qsort_r(s->order, (size_t)s->patches, sizeof *s->order, falling, (void *)sac_gaze_shown(gaze));
    for (int b = 0; b < BANDS; b++)
    {
        band *ranks = &s->bands[b];
        for (int i = 0; i < ranks->count; i++)
        {
            uint64_t place = ranks->seen < EXAMPLES
                                 ? ranks->seen
                                 : (uint64_t)sac_stream_uniform(&s->random, 0, (double)(ranks->seen + 1));
            ranks->seen++;
            if (place < EXAMPLES) keep(s, viewer, s->order[ranks->first + i], (int)place, b);
        }
    }
}

sac_status sac_patch_sheet_write(const sac_patch_sheet *s, const char *path)
{
    static const ink paper = {24, 24, 28}, letters = {220, 220, 220};
    canvas sheet = {sac_alloc((size_t)WIDTH * HEIGHT * 3), HEIGHT, WIDTH};
    if (!sheet.rgb) return sac_fail_memory("a sheet of patches");
    sac_canvas_fill(&sheet, (box){0, 0, WIDTH, HEIGHT}, paper, 1);
    size_t size = (size_t)s->patch * (size_t)s->patch * (size_t)s->channels;
    for (int b = 0; b < BANDS; b++)
    {
        int y = GAP + b * (LABEL + SIDE + GAP);
        sac_canvas_text(&sheet, GAP, y + LABEL - 10, 13, letters, s->bands[b].name);
        for (int i = 0; i < EXAMPLES && (uint64_t)i < s->bands[b].seen; i++)
            sac_canvas_image(&sheet, (box){GAP + i * (SIDE + GAP), y + LABEL, SIDE, SIDE},
                             s->examples + (size_t)(b * EXAMPLES + i) * size, s->patch, s->patch, s->channels);
    }
    sac_status status = sac_png_write(path, sheet.rgb, HEIGHT, WIDTH);
    sac_free(sheet.rgb);
    return status;
}
