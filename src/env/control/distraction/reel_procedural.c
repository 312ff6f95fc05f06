#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "env/control/distraction/reel.h"

/// Moving textures: two layers of cloudy patches in a few colours drift over one another. Noise on grids of 4 to 32
/// cells (value noise) is summed, spread, and read as a place on a palette; everything repeats after REEL_SIDE pixels.

enum
{
    OCTAVES = 4,
    COARSEST = 4, // cells on a side
    PALETTE = 5
};

static float smooth(float x)
{
    return x * x * (3 - 2 * x);
}

// Adds one octave of value noise: random numbers at the corners of a grid, smooth in between.
static void add_octave(float *noise, int cells, float weight, sac_stream *stream)
{
    float corners[COARSEST << OCTAVES][COARSEST << OCTAVES] = {{0}};
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++) corners[i][j] = (float)sac_stream_uniform(stream, -1, 1);
    int width = REEL_SIDE / cells;
    for (int y = 0; y < REEL_SIDE; y++)
        for (int x = 0; x < REEL_SIDE; x++)
        {
            int i = y / width, j = x / width, k = (i + 1) % cells, l = (j + 1) % cells;
            float v = smooth((float)(y % width) / (float)width), u = smooth((float)(x % width) / (float)width);
            float above = corners[i][j] + u * (corners[i][l] - corners[i][j]);
            float below = corners[k][j] + u * (corners[k][l] - corners[k][j]);
            noise[y * REEL_SIDE + x] += weight * (above + v * (below - above));
        }
}

static void colour(uint32_t *layer, const float *noise, sac_stream *stream)
{
    float palette[PALETTE][3];
    for (int i = 0; i < PALETTE; i++)
        for (int c = 0; c < 3; c++) palette[i][c] = (float)sac_stream_uniform(stream, 0, 255);
    for (int i = 0; i < REEL_SIDE * REEL_SIDE; i++)
    {
        float place = (0.5f + 0.6f * noise[i]) * (PALETTE - 1);
        place = place < 0 ? 0 : place > PALETTE - 1.001f ? PALETTE - 1.001f : place;
        int left = (int)place;
        float part = place - (float)left;
        layer[i] = 0;
        for (int c = 0; c < 3; c++)
            layer[i] |= (uint32_t)(palette[left][c] + part * (palette[left + 1][c] - palette[left][c])) << (8 * c);
    }
}

sac_status sac_reel_draw(control_reel *reel, int set, int index)
{
    const size_t pixels = REEL_SIDE * REEL_SIDE;
    reel->layers = SAC_NEW_ARRAY(uint32_t, 2 * pixels);
    float *noise = SAC_NEW_ARRAY(float, pixels);
    if (!reel->layers || !noise)
    {
        sac_free(noise);
        return sac_fail_memory("a moving texture");
    }
    sac_stream stream = sac_stream_create(0x7265656c, (uint64_t)index, (uint64_t)set);
    for (int l = 0; l < 2; l++)
    {
        for (size_t i = 0; i < pixels; i++) noise[i] = 0;
        for (int o = 0; o < OCTAVES; o++) add_octave(noise, COARSEST << o, 1 / (float)(1 << o), &stream);
        colour(reel->layers + (size_t)l * pixels, noise, &stream);
        for (int axis = 0; axis < 2; axis++) reel->drift[l][axis] = (int)sac_stream_below(&stream, 7) - 3;
    }
    reel->count = REEL_LOOP;
    sac_free(noise);
    return SAC_OK;
}
