#include "baseline.h"

#include <math.h>

#include "base/error.h"
#include "base/random.h"
#include "play/play.h"

const char *cli_baseline_name(cli_baseline baseline)
{
    return baseline == CLI_BASELINE_IDLE ? "idle" : "random";
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

static sac_status drive_one(cli_baseline baseline, sac_play *play, sac_episode *episode)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    sac_stream stream = sac_stream_create(episode->seed, 0x72616e646f6d, 0); // apart from the worlds' streams
    SAC_TRY(sac_play_reset(play, episode->seed));
    while (!sac_play_ended(play))
    {
        if (baseline == CLI_BASELINE_RANDOM) SAC_TRY(draw_action(spec, &stream, play->action));
        SAC_TRY(sac_play_step(play));
    }
    episode->episode_return = play->episode_return;
    episode->steps = play->steps;
    return SAC_OK;
}

sac_status cli_drive_baseline(cli_baseline baseline, const sac_env_def *def, uint64_t first, int count,
                              sac_episode *episodes)
{
    sac_play play;
    sac_status status = sac_play_open(&play, NULL, def, SAC_PLAY_INPUTS);
    for (int i = 0; status == SAC_OK && i < count; i++)
    {
        episodes[i] = (sac_episode){.seed = first + (uint64_t)i};
        status = drive_one(baseline, &play, &episodes[i]);
    }
    sac_play_close(&play);
    return status;
}
