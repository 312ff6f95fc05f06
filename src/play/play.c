#include "play/play.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"

// Finds the image that the policy looks at: -1 for a policy of numbers alone, and without a policy the first picture.
static int choose_sight(const sac_play *play, const sac_policy *policy, const int *inputs)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    for (int i = 0; policy && i < sac_policy_get_def(policy)->input_count; i++)
        if (sac_space_is_image(&spec->observations[inputs[i]])) return inputs[i];
    return policy ? -1 : sac_space_find_image(spec->observations, spec->observation_count);
}

/// The world's parts that the two policies take.
typedef struct taken
{
    int inputs[SAC_MAX_PARTS], adviser[SAC_MAX_PARTS];
} taken;

static int input_count(const sac_policy *policy)
{
    return policy ? sac_policy_get_def(policy)->input_count : 0;
}

// Decides which parts are observed: what the policies take and what else is asked for.
static sac_status choose_parts(sac_play *play, const sac_play_def *def, taken *t, bool *wanted)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    if (def->policy) SAC_TRY(sac_policy_fits(def->policy, play->env, t->inputs));
    if (def->adviser) SAC_TRY(sac_policy_fits(def->adviser, play->env, t->adviser));
    play->sight = choose_sight(play, def->policy, t->inputs);
    // A world without a picture for people shows its first one instead, and a world that has one may draw on the first.
    bool drawn = play->sight >= 0 && sac_env_get_ops(play->env)->picture;
    int shown = drawn ? play->sight : sac_space_find_image(spec->observations, spec->observation_count);
    for (int i = 0; i < spec->observation_count; i++)
        wanted[i] = (def->extra == SAC_PLAY_SEEN && !spec->observations[i].privileged) ||
                    (def->extra == SAC_PLAY_SIGHT && (i == play->sight || i == shown)) || (def->parts >> i & 1) != 0;
    for (int i = 0; i < input_count(def->policy); i++) wanted[t->inputs[i]] = true;
    for (int i = 0; i < input_count(def->adviser); i++) wanted[t->adviser[i]] = true;
    return SAC_OK;
}

// Cuts the arrays from a workspace, first to measure them. A picture of floats is shown as bytes.
static void cut(sac_play *play, const bool *wanted, bool advised, sac_workspace *workspace)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    const sac_space *sight = play->sight >= 0 && wanted[play->sight] ? &spec->observations[play->sight] : NULL;
    play->action = sac_take(workspace, (size_t)spec->action_size, sizeof(float));
    if (advised) play->advice = sac_take(workspace, (size_t)spec->action_size, sizeof(float));
    if (sight && sac_space_is_floats(sight)) play->painted = sac_take(workspace, sac_space_size(sight), 1);
    for (int i = 0; i < spec->observation_count; i++)
        if (wanted[i]) play->parts[i] = sac_take(workspace, sac_space_bytes(&spec->observations[i]), 1);
}

static sac_status place_parts(sac_play *play, const bool *wanted, bool advised)
{
    sac_workspace workspace = {0};
    cut(play, wanted, advised, &workspace);
    workspace = (sac_workspace){.memory = play->block = sac_alloc(workspace.used)};
    if (!play->block) return sac_fail_memory("an observation");
    cut(play, wanted, advised, &workspace);
    return SAC_OK;
}

sac_status sac_play_open_def(sac_play *play, const sac_play_def *def)
{
    *play = (sac_play){0};
    taken t;
    bool wanted[SAC_MAX_PARTS];
    SAC_TRY(sac_env_create(&play->env, def->env));
    SAC_TRY(choose_parts(play, def, &t, wanted));
    SAC_TRY(place_parts(play, wanted, def->adviser != NULL));
    play->row = (sac_env_row){play->action, play->parts, &play->reward, &play->terminated, &play->truncated};
    for (int i = 0; i < input_count(def->policy); i++) play->inputs[i] = play->parts[t.inputs[i]];
    for (int i = 0; i < input_count(def->adviser); i++) play->adviser_inputs[i] = play->parts[t.adviser[i]];
    if (def->adviser) SAC_TRY(sac_policy_state_create(&play->adviser, def->adviser));
    return def->policy ? sac_policy_state_create(&play->state, def->policy) : SAC_OK;
}

sac_status sac_play_open(sac_play *play, const sac_policy *policy, const sac_env_def *env, sac_play_extra extra)
{
    return sac_play_open_def(play, &(sac_play_def){.policy = policy, .env = env, .extra = extra});
}

void sac_play_close(sac_play *play)
{
    sac_policy_state_destroy(play->state);
    sac_policy_state_destroy(play->adviser);
    sac_env_destroy(play->env);
    sac_free(play->block);
    *play = (sac_play){0};
}

void sac_play_idle(const sac_env_spec *spec, float *action)
{
    for (int i = 0; i < spec->action_size; i++)
    {
        float low = spec->action_choices ? 0 : spec->action_low[i],
              high = spec->action_choices ? 0 : spec->action_high[i];
        action[i] = low > 0 ? low : high < 0 ? high : 0;
    }
}

sac_status sac_play_reset(sac_play *play, uint64_t seed)
{
    play->episode_return = 0;
    play->steps = 0;
    if (play->state) sac_policy_state_reset(play->state);
    if (play->adviser) sac_policy_state_reset(play->adviser);
    sac_play_idle(sac_env_get_spec(play->env), play->action);
    if (play->adviser) sac_play_idle(sac_env_get_spec(play->env), play->advice);
    return sac_env_reset(play->env, seed, &play->row);
}

void sac_play_decide(sac_play *play)
{
    if (play->state)
        sac_policy_act_on(play->state, play->inputs, play->action);
    else
        sac_play_idle(sac_env_get_spec(play->env), play->action);
}

void sac_play_count(sac_play *play)
{
    play->episode_return += play->reward;
    play->steps++;
}

sac_status sac_play_step(sac_play *play)
{
    SAC_TRY(sac_env_step(play->env, &play->row));
    sac_play_count(play);
    return SAC_OK;
}

const uint8_t *sac_play_sight(sac_play *play, int *height, int *width, int *channels)
{
    if (play->sight < 0 || !play->parts[play->sight]) return NULL;
    const sac_space *space = &sac_env_get_spec(play->env)->observations[play->sight];
    *height = space->shape[0];
    *width = space->shape[1];
    *channels = space->shape[2] > 0 ? space->shape[2] : 1;
    if (!play->painted) return play->parts[play->sight];
    sac_space_paint(space, play->parts[play->sight], play->painted);
    return play->painted;
}
