#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "looks/looks.h"
#include "play/play.h"

/// The time of one look at a cloud of points, at growing numbers of points.

enum
{
    MIN_POINTS = 4,
    MAX_POINTS = 8192,
    REPEATS = 5
};

static const double enough = 0.02; // seconds of one measurement

// The policy for clouds of more points: no tensor depends on their number.
static sac_status enlarge_policy(sac_policy **out, const sac_policy *policy, int points)
{
    sac_policy_def def = *sac_policy_get_def(policy);
    sac_space *inputs = sac_space_copy_parts(def.inputs, def.input_count);
    sac_policy *shape;
    if (!inputs) return sac_fail_memory("a policy");
    for (int i = 0; i < def.input_count; i++)
        if (sac_space_is_floats(&inputs[i])) inputs[i].shape[0] = points;
    def.inputs = inputs;
    def.height = points;
    sac_status status = sac_policy_create(&shape, &def);
    sac_space_free_parts(inputs);
    if (status != SAC_OK) return status;
    status = sac_policy_create_with(out, shape, sac_policy_parameters(policy));
    sac_policy_destroy(shape);
    return status;
}

// The points that were seen, again and again, each a millimetre aside at most.
static void enlarge_cloud(float *out, int points, const float *cloud, int count)
{
    sac_stream stream = sac_stream_create(1, 0, 0);
    for (int i = 0; i < points; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = cloud[3 * (i % count) + k] + (float)sac_stream_uniform(&stream, -0.001, 0.001);
}

static double time_of(sac_policy_state *state, const void *const *inputs, float *action)
{
    double begin = sac_clock(), now;
    int looks = 0;
    do
    {
        sac_policy_act_on(state, inputs, action);
        looks++;
        now = sac_clock();
    } while (now - begin < enough);
    return (now - begin) / looks;
}

// The two take turns, so that other load on the machine slows both alike, and the best of each counts.
static sac_status time_policies(sac_policy *const policies[2], const void *const *inputs, double seconds[2])
{
    sac_policy_state *states[2] = {0};
    float *action = calloc((size_t)sac_policy_get_def(policies[0])->action_size, sizeof *action);
    sac_status status = action ? SAC_OK : sac_fail_memory("an action");
    for (int i = 0; status == SAC_OK && i < 2; i++) status = sac_policy_state_create(&states[i], policies[i]);
    seconds[0] = seconds[1] = INFINITY;
    for (int i = 0; status == SAC_OK && i < 2 * REPEATS; i++)
        seconds[i % 2] = fmin(seconds[i % 2], time_of(states[i % 2], inputs, action));
    for (int i = 0; i < 2; i++) sac_policy_state_destroy(states[i]);
    free(action);
    return status;
}

static sac_status time_cloud(const sac_policy *const policies[2], const sac_play *play, int points, cli_look *look)
{
    const sac_policy_def *def = sac_policy_get_def(policies[0]);
    const void *inputs[SAC_MAX_PARTS];
    sac_policy *large[2] = {0};
    float *cloud = malloc((size_t)points * 3 * sizeof *cloud);
    sac_status status = cloud ? SAC_OK : sac_fail_memory("a cloud");
    for (int i = 0; i < def->input_count; i++)
    {
        inputs[i] = play->inputs[i];
        if (!cloud || !sac_space_is_floats(&def->inputs[i])) continue;
        const float *seen = play->inputs[i];
        int count = 0;
        while (count < def->height && isfinite(seen[3 * count])) count++;
        enlarge_cloud(cloud, points, seen, count > 0 ? count : 1);
        inputs[i] = cloud;
    }
    for (int i = 0; status == SAC_OK && i < 2; i++) status = enlarge_policy(&large[i], policies[i], points);
    if (status == SAC_OK) status = time_policies(large, inputs, look->seconds);
    for (int i = 0; i < 2; i++) sac_policy_destroy(large[i]);
    free(cloud);
    return status;
}

sac_status cli_time_clouds(const sac_policy *first, const sac_policy *second, const sac_env_def *env, cli_look *looks,
                           int *count)
{
    const sac_policy *const policies[2] = {first, second};
    sac_play play = {0};
    *count = 0;
    sac_status status = sac_play_open(&play, first, env, SAC_PLAY_INPUTS);
    if (status == SAC_OK) status = sac_play_reset(&play, 0);
    const int own = sac_policy_get_def(first)->height;
    int halvings = 0;
    while (own >> (halvings + 1) >= MIN_POINTS) halvings++;
    for (int k = -halvings; status == SAC_OK && *count < CLI_MAX_LOOKS; k++, ++*count)
    {
        const int n = k < 0 ? own >> -k : own << k;
        if (n > MAX_POINTS) break;
        looks[*count] = (cli_look){.patches = n, .noisy = true};
        status = time_cloud(policies, &play, n, &looks[*count]);
    }
    sac_play_close(&play);
    return status;
}
