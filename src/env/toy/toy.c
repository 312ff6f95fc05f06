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
    sac_space parts[2]; // camera and state
} toy;

enum
{
    CAMERA,
    STATE,
    NUMBERS = 6 // of the state: square, drift, sight
};

static sac_status toy_create(void **self, const void *config, const char *variant)
{
    bool noise = strcmp(variant, "noise") == 0;
    if (!noise && strcmp(variant, "original") != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "toy: unknown variant '%.80s', expected original or noise", variant);
    toy *t = SAC_NEW(toy);
    if (!t) return sac_fail_memory("toy");
    t->config = *(const toy_config *)config;
    t->noise = noise;
    int size = t->config.size;
    t->parts[CAMERA] = (sac_space){.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {size, size, 3}};
    t->parts[STATE] = (sac_space){.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {NUMBERS}, .privileged = true};
    *self = t;
    return SAC_OK;
}

static void toy_spec(const void *self, sac_env_spec *spec)
{
    static const float low[] = {-1, -1}, high[] = {1, 1};
    static const char *const names[] = {"row", "column"};
    const toy *t = self;
    *spec = (sac_env_spec){.observations = t->parts,
                           .observation_count = 2,
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

// The noise is drawn whether anyone looks or not, so that the choice of parts changes no state.
static void show(toy *t, const sac_env_row *row)
{
    if (row->parts[CAMERA])
        draw(t, row->parts[CAMERA]);
    else if (t->noise)
        for (int i = 0; i < t->config.size * t->config.size * 3; i++) sac_stream_u32(&t->random);
    float *state = row->parts[STATE];
    for (int i = 0; state && i < 2; i++)
    {
        state[i] = t->square[i];
        state[2 + i] = t->drift[i];
        state[4 + i] = t->sight[i];
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
    show(t, row);
    return SAC_OK;
}

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

// The square drifts and bounces off the edges; the sight goes where the action says at once.
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
    show(t, row);
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
    // The world is plain data up to its parts, and these and the options come from its def.
    sac_snapshot_part(snapshot, self, offsetof(toy, parts));
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
    .same_world = (const char *const[]){"size", NULL},
    .create = toy_create,
    .spec = toy_spec,
    .reset = toy_reset,
    .step = toy_step,
    .state = toy_state,
    .snapshot = toy_snapshot,
    .destroy = toy_destroy,
};
