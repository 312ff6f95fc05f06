// A world and a kind of policy of one's own in a shared object, for the whole command:
//
//     cc -O2 -shared -fPIC $(pkg-config --cflags saccade) plugin.c -o catch.so -lm
//     saccade envs --plugin ./catch.so
//
// The world: a ball falls over a dark picture, again and again; the action moves a paddle below it, and a caught ball
// is a reward of 1. It has no end of its own: saccade ends its episodes after spec.max_steps. The policy: how bright
// each column is, times a matrix. docs/plugins.md goes on from here.
#include <math.h>
#include <saccade/plugin.h>
#include <stdlib.h>
#include <string.h>

// ---- the world

enum
{
    BALL = 3,
    PADDLE = 5,
    STEPS = 120
};

typedef struct catch_config
{
    int size;
    double speed;
} catch_config;

static const sac_option catch_options[] = {
    {"size", SAC_OPTION_INT, offsetof(catch_config, size), "24", 16, 128, NULL, "side of the picture in pixels"},
    {"speed", SAC_OPTION_REAL, offsetof(catch_config, speed), "1", 0.1, 4, NULL, "pixels that the ball falls a step"},
    {0},
};

typedef struct catch
{
    catch_config config;
    uint64_t random;
    double ball_row, ball_column, paddle; // upper left corners, in pixels
}
catch;

// all that is random comes from the seed of the episode
static double draw_number(catch *c)
{
    c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(c->random >> 11) / 9007199254740992.0;
}

static void drop_ball(catch *c)
{
    c->ball_row = 0;
    c->ball_column = floor(draw_number(c) * (c->config.size - BALL + 1));
}

static sac_status catch_create(void **self, const void *config, const char *variant)
{
    if (strcmp(variant, "original") != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "catch: unknown variant '%s', it has none", variant);
    catch *c = calloc(1, sizeof *c);
    if (!c) return sac_fail(SAC_ERROR_MEMORY, "catch: no memory for a ball");
    c->config = *(const catch_config *)config;
    *self = c;
    return SAC_OK;
}

static void catch_spec(const void *self, sac_env_spec *spec)
{
    static const float low[] = {-1}, high[] = {1};
    static const char *const names[] = {"paddle"};
    const catch *c = self;
    *spec = (sac_env_spec){.height = c->config.size,
                           .width = c->config.size,
                           .channels = 1,
                           .action_size = 1,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = STEPS,
                           .action_names = names};
}

static void draw_block(const catch *c, uint8_t *image, int row, int column, int height, int width, int shade)
{
    for (int y = row; y < row + height; y++) memset(image + y * c->config.size + column, shade, (size_t)width);
}

static void draw_picture(const catch *c, uint8_t *image)
{
    int size = c->config.size;
    memset(image, 0, (size_t)size * (size_t)size);
    draw_block(c, image, size - 1, (int)c->paddle, 1, PADDLE, 90);
    draw_block(c, image, (int)c->ball_row, (int)c->ball_column, BALL, BALL, 255);
}

static sac_status catch_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    catch *c = self;
    if (seed != SAC_SEED_NEXT) c->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    c->paddle = (c->config.size - PADDLE) / 2;
    drop_ball(c);
    draw_picture(c, row->parts[0]);
    return SAC_OK;
}

static sac_status catch_step(void *self, const sac_env_row *row)
{
    catch *c = self;
    // -1 is the left edge, 1 the right one; it goes there by two pixels a step
    double aim = (c->config.size - PADDLE) * (1 + (double)*row->action) / 2;
    c->paddle += fmin(fmax(aim - c->paddle, -2), 2);
    c->ball_row += c->config.speed;
    if (c->ball_row > c->config.size - BALL - 1)
    {
        double apart = c->ball_column + BALL / 2.0 - (c->paddle + PADDLE / 2.0);
        *row->reward = fabs(apart) < (BALL + PADDLE) / 2.0;
        drop_ball(c);
    }
    draw_picture(c, row->parts[0]);
    return SAC_OK;
}

static void catch_destroy(void *self)
{
    free(self);
}

static const sac_env_ops catch_ops = {.name = "catch",
                                      .summary = "a ball falls, catch it (examples/plugin.c)",
                                      .options = catch_options,
                                      .config_size = sizeof(catch_config),
                                      .create = catch_create,
                                      .spec = catch_spec,
                                      .reset = catch_reset,
                                      .step = catch_step,
                                      .destroy = catch_destroy};

// ---- the kind of policy

typedef struct columns_config
{
    int bins;
} columns_config;

static const sac_option columns_options[] = {
    {"bins", SAC_OPTION_INT, offsetof(columns_config, bins), "12", 1, 64, NULL, "numbers that a picture becomes"},
    {0},
};

typedef struct columns
{
    const sac_policy *policy;
    int bins, height, width, channels, outputs;
    size_t weight, bias; // where they begin in the vector
} columns;

typedef struct columns_state
{
    const columns *kind;
    float *parameters, *bins;
} columns_state;

static sac_status columns_create(void **self, sac_policy *policy, const void *config)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    columns made = {.policy = policy,
                    .bins = ((const columns_config *)config)->bins,
                    .height = def->height,
                    .width = def->width,
                    .channels = def->channels,
                    .outputs = def->action_size};
    if (def->input_count != 1 || def->height == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "columns: it takes one picture and nothing else");
    if (def->action_choices > 0) return sac_fail(SAC_ERROR_ARGUMENT, "columns: the action is a choice, expected a box");
    if (made.bins > def->width)
        return sac_fail(SAC_ERROR_ARGUMENT, "columns: bins is %d, expected at most the %d columns of the picture",
                        made.bins, def->width);
    sac_status status =
        sac_policy_add_tensor(policy, "weight", 1 / sqrt(made.bins), 2, (int[]){made.outputs, made.bins}, &made.weight);
    if (status == SAC_OK) status = sac_policy_add_tensor(policy, "bias", 0.1, 1, (int[]){made.outputs}, &made.bias);
    if (status != SAC_OK) return status;
    *self = malloc(sizeof made);
    if (!*self) return sac_fail(SAC_ERROR_MEMORY, "columns: no memory");
    memcpy(*self, &made, sizeof made);
    return SAC_OK;
}

static void columns_destroy(void *self)
{
    free(self);
}

static void columns_state_destroy(void *state)
{
    columns_state *s = state;
    free(s->parameters);
    free(s->bins);
    free(s);
}

static sac_status columns_state_create(void **state, const void *self)
{
    const columns *kind = self;
    columns_state *s = calloc(1, sizeof *s);
    if (!s) return sac_fail(SAC_ERROR_MEMORY, "columns: no memory");
    s->kind = kind;
    s->parameters = malloc(sizeof(float) * (size_t)sac_policy_parameter_count(kind->policy));
    s->bins = malloc(sizeof(float) * (size_t)kind->bins);
    if (!s->parameters || !s->bins)
    {
        columns_state_destroy(s);
        return sac_fail(SAC_ERROR_MEMORY, "columns: no memory");
    }
    *state = s;
    return SAC_OK;
}

static void columns_set_parameters(void *state, const float *parameters)
{
    columns_state *s = state;
    memcpy(s->parameters, parameters, sizeof(float) * (size_t)sac_policy_parameter_count(s->kind->policy));
}

// the mean of each bin's columns, 0..1
static void read_bins(columns_state *s, const uint8_t *observation)
{
    const columns *k = s->kind;
    for (int b = 0; b < k->bins; b++)
    {
        int first = b * k->width / k->bins, end = (b + 1) * k->width / k->bins, sum = 0;
        for (int y = 0; y < k->height; y++)
            for (int x = first * k->channels; x < end * k->channels; x++)
                sum += observation[y * k->width * k->channels + x];
        s->bins[b] = (float)sum / (255.0f * (float)((end - first) * k->channels * k->height));
    }
}

static void columns_act(void *state, const void *const *inputs, float *action)
{
    columns_state *s = state;
    const columns *k = s->kind;
    read_bins(s, inputs[0]);
    for (int i = 0; i < k->outputs; i++)
    {
        float sum = s->parameters[k->bias + (size_t)i];
        for (int b = 0; b < k->bins; b++) sum += 10 * s->parameters[k->weight + (size_t)(i * k->bins + b)] * s->bins[b];
        action[i] = sum; // saccade keeps it within the bounds
    }
}

static const sac_policy_kind_ops columns_ops = {.name = "columns",
                                                .options = columns_options,
                                                .config_size = sizeof(columns_config),
                                                .create = columns_create,
                                                .destroy = columns_destroy,
                                                .state_create = columns_state_create,
                                                .state_destroy = columns_state_destroy,
                                                .set_parameters = columns_set_parameters,
                                                .act = columns_act};

// ---- what this shared object offers

static const sac_env_ops *const worlds[] = {&catch_ops, NULL};
static const sac_policy_kind_ops *const kinds[] = {&columns_ops, NULL};
SAC_PLUGIN(worlds, kinds)
