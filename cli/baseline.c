#include "baseline.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

const char *cli_baseline_name(cli_baseline baseline)
{
    return baseline == CLI_BASELINE_IDLE ? "idle" : "random";
}

static void rest(const sac_env_spec *spec, float *action)
{
    for (int i = 0; i < spec->action_size; i++)
        action[i] = spec->action_choices > 0 ? 0.0f : fminf(fmaxf(0.0f, spec->action_low[i]), spec->action_high[i]);
}

// uniform within the bounds, or any of the choices
static sac_status draw_action(const sac_env_spec *spec, sac_stream *stream, float *action)
{
    for (int i = 0; i < spec->action_size; i++)
    {
        double low = (double)spec->action_low[i], high = (double)spec->action_high[i];
        if (spec->action_choices > 0)
            action[i] = (float)sac_stream_below(stream, (uint32_t)spec->action_choices);
        else if (isfinite(low) && isfinite(high))
            action[i] = (float)sac_stream_uniform(stream, low, high);
        else
            return sac_fail(SAC_ERROR_ARGUMENT, "--random: action %d has no bounds to draw within", i);
    }
    return SAC_OK;
}

static sac_status drive_one(cli_baseline baseline, sac_env *env, float *action, uint8_t *observation,
                            sac_episode *episode)
{
    double reward;
    uint8_t terminated = 0, truncated = 0;
    const sac_env_row row = {action, observation, &reward, &terminated, &truncated};
    sac_stream stream = sac_stream_create(episode->seed, 0x72616e646f6d, 0); // apart from the worlds' streams
    rest(sac_env_get_spec(env), action);
    SAC_TRY(sac_env_reset(env, episode->seed, &row));
    while (!terminated && !truncated)
    {
        if (baseline == CLI_BASELINE_RANDOM) SAC_TRY(draw_action(sac_env_get_spec(env), &stream, action));
        SAC_TRY(sac_env_step(env, &row));
        episode->episode_return += reward;
        episode->steps++;
    }
    return SAC_OK;
}

sac_status cli_drive_baseline(cli_baseline baseline, const sac_env_def *def, uint64_t first, int count,
                              sac_episode *episodes)
{
    sac_env *env;
    SAC_TRY(sac_env_create(&env, def));
    const sac_env_spec *spec = sac_env_get_spec(env);
    float *action = calloc((size_t)spec->action_size, sizeof *action);
    uint8_t *observation = calloc((size_t)spec->height * (size_t)spec->width, (size_t)spec->channels);
    sac_status status = action && observation ? SAC_OK : sac_fail_memory("episodes");
    for (int i = 0; status == SAC_OK && i < count; i++)
    {
        episodes[i] = (sac_episode){.seed = first + (uint64_t)i};
        status = drive_one(baseline, env, action, observation, &episodes[i]);
    }
    free(action);
    free(observation);
    sac_env_destroy(env);
    return status;
}
