#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "saccade/env.h"

/// toy: a bright square drifts over a dark picture; the action moves a sight, and the reward is how near the two are.
/// It needs nothing, steps in a microsecond, and is solved by an agent that looks at the square.

typedef struct toy_config
{
    int size;
    int max_steps;
} toy_config;

static const sac_option options[] = {
    {"size", SAC_OPTION_INT, offsetof(toy_config, size), "32", 16, 256, NULL, "side of the picture in pixels"},
    {"max_steps", SAC_OPTION_INT, offsetof(toy_config, max_steps), "50", 1, 100000, NULL, "steps in an episode"},
    {0},
};

static const char *const variants[] = {"original", "noise", NULL};

static const sac_env_column columns[] = {
    {"square_row", SAC_COLUMN_FLOAT},
    {"square_column", SAC_COLUMN_FLOAT},
    {"sight_row", SAC_COLUMN_FLOAT},
    {"sight_column", SAC_COLUMN_FLOAT},
};

enum
{
    SQUARE = 6
};

typedef struct toy
{
    toy_config config;
    bool noise;
    sac_stream random;
    uint64_t next_seed;
    float square[2], drift[2], sight[2]; // row and column in 0..1
    int step;
} toy;

static sac_status toy_create(void **self, const void *config, const char *variant)
{
    bool noise = strcmp(variant, "noise") == 0;
    if (!noise && strcmp(variant, "original") != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "toy: unknown variant '%.80s', expected original or noise", variant);
    toy *t = SAC_NEW(toy);
    if (!t) return sac_fail_memory("toy");
    t->config = *(const toy_config *)config;
    t->noise = noise;
    *self = t;
    return SAC_OK;
}

static void toy_spec(const void *self, sac_env_spec *spec)
{
    static const float low[] = {-1, -1}, high[] = {1, 1};
    static const char *const names[] = {"row", "column"};
    const toy *t = self;
    *spec = (sac_env_spec){.height = t->config.size,
                           .width = t->config.size,
                           .channels = 3,
                           .action_size = 2,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = t->config.max_steps,
                           .columns = columns,
                           .column_count = sizeof columns / sizeof *columns,
                           .action_names = names};
}

static void draw(toy *t, uint8_t *image)
{
    int size = t->config.size;
    for (int i = 0; i < size * size * 3; i++) image[i] = t->noise ? (uint8_t)(sac_stream_u32(&t->random) & 63) : 20;
    int row = (int)(t->square[0] * (float)(size - SQUARE)), column = (int)(t->square[1] * (float)(size - SQUARE));
    for (int y = row; y < row + SQUARE; y++)
        for (int x = column; x < column + SQUARE; x++)
        {
            uint8_t *pixel = image + (y * size + x) * 3;
            pixel[0] = 230;
            pixel[1] = (uint8_t)(60 + 20 * (y - row));
            pixel[2] = 40;
        }
}

static sac_status toy_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    toy *t = self;
    if (seed == SAC_SEED_NEXT) seed = t->next_seed;
    t->next_seed = sac_mix_seed(seed, 0, 1);
    t->random = sac_stream_create(seed, 0, 0);
    for (int i = 0; i < 2; i++)
    {
        t->square[i] = (float)sac_stream_uniform(&t->random, 0, 1);
        t->drift[i] = (float)sac_stream_uniform(&t->random, -0.02, 0.02);
        t->sight[i] = 0.5f;
    }
    t->step = 0;
    draw(t, row->observation);
    return SAC_OK;
}

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

static sac_status toy_step(void *self, const sac_env_row *row)
{
    toy *t = self;
    float distance = 0;
    for (int i = 0; i < 2; i++)
    {
        t->square[i] += t->drift[i];
        if (t->square[i] < 0 || t->square[i] > 1) t->drift[i] = -t->drift[i];
        t->square[i] = clamp(t->square[i], 0, 1);
        t->sight[i] = clamp(0.5f + 0.5f * row->action[i], 0, 1);
        distance += fabsf(t->square[i] - t->sight[i]);
    }
    t->step++;
    draw(t, row->observation);
    *row->reward = 1 - (double)distance;
    *row->terminated = 0;
    *row->truncated = t->step >= t->config.max_steps;
    return SAC_OK;
}

static void toy_state(const void *self, double *values)
{
    const toy *t = self;
    values[0] = t->square[0], values[1] = t->square[1];
    values[2] = t->sight[0], values[3] = t->sight[1];
}

static sac_status toy_snapshot(void *self, sac_snapshot *snapshot)
{
    sac_snapshot_part(snapshot, self, sizeof(toy)); // plain data, and its options are those of its def
    return SAC_OK;
}

static void toy_destroy(void *self)
{
    sac_free(self);
}

const sac_env_ops sac_toy_ops = {
    .name = "toy",
    .summary = "keep the sight on a drifting square; needs nothing, for tests",
    .options = options,
    .config_size = sizeof(toy_config),
    .variants = variants,
    .create = toy_create,
    .spec = toy_spec,
    .reset = toy_reset,
    .step = toy_step,
    .state = toy_state,
    .snapshot = toy_snapshot,
    .destroy = toy_destroy,
};
