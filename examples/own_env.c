// An environment of one's own: a ball falls, the action says where it will land. It registers itself beside the
// built-in ones, and everything that takes an environment by name (policies, training, evaluation) can use it.
#include <saccade/env.h>
#include <saccade/play.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SIDE = 32,
    BALL = 4
};

typedef struct fall
{
    uint64_t random;
    int column, row, drift;
} fall;

static sac_status fall_create(void **self, const void *config, const char *variant)
{
    (void)config, (void)variant;
    *self = calloc(1, sizeof(fall));
    return *self ? SAC_OK : sac_fail(SAC_ERROR_MEMORY, "fall: no memory for a ball");
}

static void fall_spec(const void *self, sac_env_spec *spec)
{
    static const float low[] = {0}, high[] = {SIDE - BALL};
    (void)self;
    *spec = (sac_env_spec){.height = SIDE,
                           .width = SIDE,
                           .channels = 3,
                           .action_size = 1,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = SIDE};
}

static void draw(const fall *f, uint8_t *image)
{
    memset(image, 30, SIDE * SIDE * 3);
    for (int y = f->row; y < f->row + BALL; y++) memset(image + (y * SIDE + f->column) * 3, 220, BALL * 3);
}

static sac_status fall_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    fall *f = self;
    // all that is random comes from the seed of the episode
    if (seed == SAC_SEED_NEXT) seed = f->random;
    f->random = (seed + 1) * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    *f = (fall){
        .random = f->random, .column = (int)(f->random >> 40) % (SIDE - BALL), .drift = f->random >> 63 ? 1 : -1};
    draw(f, row->parts[0]);
    return SAC_OK;
}

static sac_status fall_step(void *self, const sac_env_row *row)
{
    fall *f = self;
    if (f->column + f->drift < 0 || f->column + f->drift > SIDE - BALL) f->drift = -f->drift;
    f->column += f->drift;
    f->row++;
    *row->terminated = f->row == SIDE - BALL;
    *row->truncated = 0;
    double miss = *row->action - (double)f->column;
    *row->reward = *row->terminated ? 1 - (miss < 0 ? -miss : miss) / SIDE : 0;
    draw(f, row->parts[0]);
    return SAC_OK;
}

static void fall_destroy(void *self)
{
    free(self);
}

static const sac_env_ops fall_ops = {.name = "fall",
                                     .summary = "say where the ball will land",
                                     .create = fall_create,
                                     .spec = fall_spec,
                                     .reset = fall_reset,
                                     .step = fall_step,
                                     .destroy = fall_destroy};

static int fail(void)
{
    fprintf(stderr, "own_env: %s\n", sac_last_error());
    return 1;
}

int main(void)
{
    sac_env *env;
    sac_policy *policy;
    sac_policy_state *state;
    if (sac_env_register(&fall_ops) || sac_env_create(&env, &(sac_env_def){.id = "fall"})) return fail();

    const sac_setting settings[] = {{"patch", "4"}, {"top", "3"}, {"attention", "relu"}};
    if (sac_policy_create_for(&policy, env, "attention-agent", settings, 3)) return fail();
    float *parameters = malloc((size_t)sac_policy_parameter_count(policy) * sizeof *parameters);
    if (!parameters || sac_policy_state_create(&state, policy)) return fail();

    // the best of 200 drawn vectors over 8 episodes each: a search at its simplest
    static uint8_t image[SIDE * SIDE * 3], terminated, truncated;
    float action;
    double reward, first = 0, best = -1;
    sac_env_row row = {&action, (void *const[]){image}, &reward, &terminated, &truncated};
    for (uint64_t draw_seed = 0; draw_seed < 200; draw_seed++)
    {
        double sum = 0;
        sac_policy_draw(policy, draw_seed, parameters);
        for (uint64_t episode = 0; episode < 8; episode++)
        {
            sac_policy_state_set_parameters(state, parameters);
            if (sac_env_reset(env, episode, &row)) return fail();
            while (!terminated && !truncated)
            {
                sac_policy_act(state, image, &action);
                if (sac_env_step(env, &row)) return fail();
                sum += reward;
            }
        }
        if (draw_seed == 0) first = sum / 8;
        if (sum / 8 > best) best = sum / 8;
    }
    printf("first draw %.3f, best of 200 %.3f\n", first, best);
    free(parameters);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
    sac_env_destroy(env);
    return best > first ? 0 : 1;
}
