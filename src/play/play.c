#include "play/play.h"

#include "base/error.h"
#include "base/memory.h"
#include "policy/kind.h"

// Finds the image that the policy looks at: -1 for a policy of numbers alone, and without a policy the first picture.
static int choose_sight(const sac_play *play, const sac_policy *policy, const int *inputs)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    for (int i = 0; policy && i < sac_policy_get_def(policy)->input_count; i++)
        if (sac_space_is_image(&spec->observations[inputs[i]])) return inputs[i];
    return policy ? -1 : sac_space_find_image(spec->observations, spec->observation_count);
}

static int input_count(const sac_policy *policy)
{
    return policy ? sac_policy_get_def(policy)->input_count : 0;
}

// Which parts a policy takes, as numbers that fit a play.
static sac_status take_parts(sac_play *play, const sac_policy *policy, int who, int taken[SAC_MAX_PARTS])
{
    if (policy) SAC_TRY(sac_policy_fits(policy, play->env, taken));
    for (int i = 0; i < input_count(policy); i++)
    {
        play->taken[who][i] = (int8_t)taken[i];
        play->observed |= UINT32_C(1) << taken[i];
    }
    return SAC_OK;
}

// Decides which parts are observed: what the policies take and what else is asked for.
static sac_status choose_parts(sac_play *play, const sac_play_def *def)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    int inputs[SAC_MAX_PARTS], advised[SAC_MAX_PARTS];
    SAC_TRY(take_parts(play, def->policy, 0, inputs));
    SAC_TRY(take_parts(play, def->adviser, 1, advised));
    play->sight = choose_sight(play, def->policy, inputs);
    // A world without a picture for people shows its first one instead, and a world that has one may draw on the first.
    bool drawn = play->sight >= 0 && sac_env_get_ops(play->env)->picture;
    int shown = drawn ? play->sight : sac_space_find_image(spec->observations, spec->observation_count);
    for (int i = 0; i < spec->observation_count; i++)
        if ((def->extra == SAC_PLAY_SEEN && !spec->observations[i].privileged) ||
            (def->extra == SAC_PLAY_SIGHT && (i == play->sight || i == shown)) || (def->parts >> i & 1) != 0)
            play->observed |= UINT32_C(1) << i;
    return SAC_OK;
}

static bool is_observed(const sac_play *play, int part)
{
    return (play->observed >> part & 1) != 0;
}

// A picture of floats is shown as bytes.
static size_t painted_size(const sac_play *play)
{
    if (play->sight < 0 || !is_observed(play, play->sight)) return 0;
    const sac_space *space = &sac_env_get_spec(play->env)->observations[play->sight];
    return sac_space_is_floats(space) ? sac_space_size(space) : 0;
}

bool sac_play_plans(const sac_policy *policy)
{
    return policy && (policy->ops->plan || policy->ops->search);
}

// A planner tries actions out in a copy of the world.
static sac_status copy_world(sac_play *play, const sac_play_def *def)
{
    const sac_policy *planner = sac_play_plans(def->policy) ? def->policy : def->adviser;
    if (!sac_play_plans(planner)) return SAC_OK;
    play->now_size = sac_env_snapshot_size(play->env);
    if (play->now_size == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s tries actions out in a copy of the world, and %s cannot be saved",
                        sac_policy_kind(planner), def->env->id);
    return sac_env_create(&play->copy, def->env);
}

sac_status sac_play_begin(sac_play *play, const sac_play_def *def)
{
    SAC_ASSERT(!def->aimed || (!def->policy && !def->adviser));
    *play = (sac_play){.policy = def->policy, .policy_advising = def->adviser, .aimed = def->aimed};
    SAC_TRY(sac_env_create(&play->env, def->env));
    SAC_TRY(copy_world(play, def));
    return choose_parts(play, def);
}

void sac_play_place(sac_play *play, sac_workspace *workspace)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    const size_t action = (size_t)spec->action_size, painted = painted_size(play);
    const sac_policy *adviser = play->policy_advising;
    play->action = sac_take(workspace, action, sizeof(float));
    if (adviser) play->advice = sac_take(workspace, action, sizeof(float));
    if (play->now_size > 0) play->now = sac_take(workspace, play->now_size, 1);
    if (painted > 0) play->painted = sac_take(workspace, painted, 1);
    for (int i = 0; i < spec->observation_count && !play->aimed; i++)
        if (is_observed(play, i)) play->parts[i] = sac_take(workspace, sac_space_bytes(&spec->observations[i]), 1);
    if (adviser) play->adviser = sac_policy_state_take(adviser, workspace);
    if (play->policy) play->state = sac_policy_state_take(play->policy, workspace);
    play->row = (sac_env_row){play->action, play->parts, &play->reward, &play->terminated, &play->truncated};
    for (int i = 0; i < input_count(play->policy); i++) play->inputs[i] = play->parts[play->taken[0][i]];
    if (play->policy && play->sight >= 0) play->picture = play->parts[play->sight];
    for (int i = 0; i < input_count(adviser); i++) play->adviser_inputs[i] = play->parts[play->taken[1][i]];
}

sac_status sac_play_finish(sac_play *play)
{
    if (play->adviser) SAC_TRY(sac_policy_state_open(play->adviser));
    return play->state ? sac_policy_state_open(play->state) : SAC_OK;
}

sac_status sac_play_open_def(sac_play *play, const sac_play_def *def)
{
    SAC_TRY(sac_play_begin(play, def));
    sac_workspace room = {0};
    sac_play_place(play, &room);
    play->block = sac_alloc(room.used);
    if (!play->block) return sac_fail_memory("an episode");
    sac_play_place(play, &(sac_workspace){.memory = play->block});
    return sac_play_finish(play);
}

sac_status sac_play_open(sac_play *play, const sac_policy *policy, const sac_env_def *env, sac_play_extra extra)
{
    return sac_play_open_def(play, &(sac_play_def){.policy = policy, .env = env, .extra = extra});
}

void sac_play_close(sac_play *play)
{
    sac_policy_state_close(play->state);
    sac_policy_state_close(play->adviser);
    sac_env_destroy(play->env);
    sac_env_destroy(play->copy);
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
    if (play->picture) play->parts[play->sight] = play->picture; // where it was spared last
    return sac_env_reset(play->env, seed, &play->row);
}

// Actions in the copy, which is put back to the world as it stands before them. Nothing of it is drawn.
static sac_status try_actions(void *self, const float *actions, int steps, double *reward)
{
    const sac_play *play = self;
    const size_t width = (size_t)sac_env_get_spec(play->copy)->action_size;
    uint8_t terminated = 0, truncated = 0;
    void *unwanted[SAC_MAX_PARTS] = {NULL};
    *reward = 0;
    SAC_TRY(sac_env_restore(play->copy, play->now, play->now_size));
    for (int i = 0; i < steps && !terminated && !truncated; i++)
    {
        double paid;
        const sac_env_row row = {actions + (size_t)i * width, unwanted, &paid, &terminated, &truncated};
        SAC_TRY(sac_env_step(play->copy, &row));
        *reward += paid;
    }
    return SAC_OK;
}

static sac_status decide(const sac_play *play, const sac_policy *policy, sac_policy_state *state,
                         const void *const *inputs, float *action)
{
    if (!sac_play_plans(policy))
    {
        sac_policy_act_on(state, inputs, action);
        return SAC_OK;
    }
    if (sac_play_ended(play)) return SAC_OK; // nothing can be tried any more
    SAC_TRY(sac_env_save(play->env, play->now));
    if (policy->ops->search) return policy->ops->search(state, &(sac_trial){(void *)play, try_actions}, inputs, action);
    return policy->ops->plan(state, play->copy, play->now, play->now_size, inputs, action);
}

sac_status sac_play_decide(sac_play *play)
{
    if (play->state) return decide(play, play->policy, play->state, play->inputs, play->action);
    sac_play_idle(sac_env_get_spec(play->env), play->action);
    return SAC_OK;
}

sac_status sac_play_advise(sac_play *play)
{
    return decide(play, play->policy_advising, play->adviser, play->adviser_inputs, play->advice);
}

bool sac_play_says_costs(const sac_policy *policy)
{
    return policy && policy->ops->costs;
}

const float *sac_play_costs(const sac_play *play)
{
    return sac_play_says_costs(play->policy_advising) ? play->policy_advising->ops->costs(play->adviser) : NULL;
}

void sac_play_spare(sac_play *play)
{
    if (!play->picture || !play->policy->ops->looks) return;
    play->parts[play->sight] = play->policy->ops->looks(play->state) ? play->picture : NULL;
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

const float *sac_play_cloud(const sac_play *play, int *rows)
{
    *rows = 0;
    if (play->sight < 0 || !play->parts[play->sight]) return NULL;
    const sac_space *space = &sac_env_get_spec(play->env)->observations[play->sight];
    if (space->kind != SAC_SPACE_DEPTH || space->shape[1] != 3 || space->low || space->high) return NULL;
    *rows = space->shape[0];
    return play->parts[play->sight];
}
