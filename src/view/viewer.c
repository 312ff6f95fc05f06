#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "saccade/frame.h"
#include "saccade/overlay.h"
#include "saccade/viewer.h"

struct sac_viewer
{
    sac_env *env;
    sac_policy_state *state; // NULL: no policy
    sac_frame *frame;
    uint8_t *observation;
    float *action;  // the action that the policy decided and that is not done yet
    float *by_hand; // the caller's last action
    bool in_hand;   // whether the last step was the caller's
    double reward, episode_return;
    uint8_t terminated, truncated;
    int steps;
    sac_gaze gaze;
    float *levels;   // [2 N], levels of the patches and room to sort them; NULL: a policy that does not look
    sac_env_row row; // points into the above
};

static bool fits(const sac_policy *policy, const sac_env_spec *spec)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    return def->height == spec->height && def->width == spec->width && def->channels == spec->channels &&
           def->action_size == spec->action_size && def->action_choices == spec->action_choices;
}

static sac_status open_levels(sac_viewer *v)
{
    sac_gaze gaze;
    sac_policy_gaze(v->state, &gaze);
    if (!gaze.importance) return SAC_OK;
    v->levels = SAC_NEW_ARRAY(float, 2 * (size_t)gaze.rows * (size_t)gaze.columns);
    return v->levels ? SAC_OK : sac_fail_memory("a viewer");
}

static sac_status open_parts(sac_viewer *v, const sac_policy *policy, const sac_env_def *env, int width, int height)
{
    SAC_TRY(sac_env_create(&v->env, env));
    const sac_env_spec *spec = sac_env_get_spec(v->env);
    if (policy && !fits(policy, spec))
    {
        const sac_policy_def *def = sac_policy_get_def(policy);
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "the policy takes %d x %d x %d and gives %d actions, but %s has %d x %d x %d and %d",
                        def->height, def->width, def->channels, def->action_size, env->id, spec->height, spec->width,
                        spec->channels, spec->action_size);
    }
    SAC_TRY(sac_frame_create(&v->frame, width, height, spec));
    if (policy) SAC_TRY(sac_policy_state_create(&v->state, policy));
    v->observation = sac_alloc((size_t)spec->height * (size_t)spec->width * (size_t)spec->channels);
    v->action = SAC_NEW_ARRAY(float, (size_t)spec->action_size);
    v->by_hand = SAC_NEW_ARRAY(float, (size_t)spec->action_size);
    if (v->state) SAC_TRY(open_levels(v));
    if (!v->observation || !v->action || !v->by_hand) return sac_fail_memory("a viewer");
    v->row = (sac_env_row){v->action, v->observation, &v->reward, &v->terminated, &v->truncated};
    return SAC_OK;
}

sac_status sac_viewer_create(sac_viewer **out, const sac_policy *policy, const sac_env_def *env, int width, int height)
{
    *out = NULL;
    sac_viewer *viewer = SAC_NEW(sac_viewer);
    if (!viewer) return sac_fail_memory("a viewer");
    sac_status status = open_parts(viewer, policy, env, width, height);
    if (status == SAC_OK)
        *out = viewer;
    else
        sac_viewer_destroy(viewer);
    return status;
}

void sac_viewer_destroy(sac_viewer *viewer)
{
    if (!viewer) return;
    sac_frame_destroy(viewer->frame);
    sac_policy_state_destroy(viewer->state);
    sac_env_destroy(viewer->env);
    sac_free(viewer->observation);
    sac_free(viewer->action);
    sac_free(viewer->by_hand);
    sac_free(viewer->levels);
    sac_free(viewer);
}

// Look at the observation and decide. Without a policy every action is the one nearest to zero.
static void look(sac_viewer *v)
{
    const sac_env_spec *spec = sac_env_get_spec(v->env);
    if (v->state)
    {
        sac_policy_act(v->state, v->observation, v->action);
        sac_policy_gaze(v->state, &v->gaze);
        return;
    }
    for (int i = 0; i < spec->action_size; i++)
    {
        float low = spec->action_choices ? 0 : spec->action_low[i],
              high = spec->action_choices ? 0 : spec->action_high[i];
        v->action[i] = low > 0 ? low : high < 0 ? high : 0;
    }
}

sac_status sac_viewer_reset(sac_viewer *viewer, uint64_t seed)
{
    viewer->episode_return = 0;
    viewer->steps = 0;
    viewer->in_hand = false;
    if (viewer->state) sac_policy_state_reset(viewer->state);
    SAC_TRY(sac_env_reset(viewer->env, seed, &viewer->row));
    look(viewer);
    return SAC_OK;
}

sac_status sac_viewer_step(sac_viewer *viewer, const float *action)
{
    SAC_ASSERT(!sac_viewer_ended(viewer));
    const sac_env_spec *spec = sac_env_get_spec(viewer->env);
    viewer->in_hand = action != NULL;
    if (action)
    {
        memcpy(viewer->action, action, (size_t)spec->action_size * sizeof *action);
        memcpy(viewer->by_hand, action, (size_t)spec->action_size * sizeof *action);
    }
    SAC_TRY(sac_env_step(viewer->env, &viewer->row));
    viewer->episode_return += viewer->reward;
    viewer->steps++;
    look(viewer);
    return SAC_OK;
}

sac_status sac_viewer_draw(sac_viewer *viewer, const char *title, const char *note, const uint8_t **rgb)
{
    int height, width;
    uint8_t *world = sac_frame_world(viewer->frame, &height, &width);
    SAC_TRY(sac_env_picture(viewer->env, world, height, width));
    const sac_env_spec *spec = sac_env_get_spec(viewer->env);
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    sac_frame_content content = {.observation = viewer->observation,
                                 .gaze = gaze,
                                 .overlay_world = spec->picture_same_view || !sac_env_get_ops(viewer->env)->picture,
                                 .action = viewer->in_hand ? viewer->by_hand : viewer->action,
                                 .episode_return = viewer->episode_return,
                                 .step = viewer->steps,
                                 .title = title,
                                 .note = note};
    if (gaze && gaze->importance && viewer->levels)
    {
        int count = gaze->rows * gaze->columns;
        content.levels = viewer->levels;
        content.best_share = sac_heat_levels(viewer->levels, viewer->levels + count, gaze->importance, count);
    }
    *rgb = sac_frame_draw(viewer->frame, &content);
    return SAC_OK;
}

bool sac_viewer_ended(const sac_viewer *viewer)
{
    return viewer->terminated || viewer->truncated;
}
int sac_viewer_steps(const sac_viewer *viewer)
{
    return viewer->steps;
}
double sac_viewer_return(const sac_viewer *viewer)
{
    return viewer->episode_return;
}
const sac_env_spec *sac_viewer_spec(const sac_viewer *viewer)
{
    return sac_env_get_spec(viewer->env);
}

bool sac_viewer_patch(const sac_viewer *viewer, int index, float *pixels)
{
    return viewer->state && sac_policy_patch(viewer->state, index, pixels);
}

const sac_gaze *sac_viewer_gaze(const sac_viewer *viewer)
{
    return viewer->state && viewer->gaze.top ? &viewer->gaze : NULL;
}
