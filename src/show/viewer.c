#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "play/play.h"
#include "saccade/frame.h"
#include "saccade/overlay.h"
#include "saccade/viewer.h"

struct sac_viewer
{
    sac_play play; // the policy has decided its action, which is not done yet
    sac_frame *frame;
    float *by_hand; // the caller's last action
    bool in_hand;   // whether the last step was the caller's
    sac_gaze gaze;
    float *levels; // [2 N], levels of the patches and room to sort them; NULL: a policy that does not look
};

static sac_status open_levels(sac_viewer *v)
{
    sac_gaze gaze;
    sac_policy_gaze(v->play.state, &gaze);
    if (!sac_gaze_shown(&gaze)) return SAC_OK;
    v->levels = SAC_NEW_ARRAY(float, 2 * (size_t)gaze.rows * (size_t)gaze.columns);
    return v->levels ? SAC_OK : sac_fail_memory("a viewer");
}

static sac_status open_parts(sac_viewer *v, const sac_policy *policy, const sac_env_def *env, int width, int height)
{
    SAC_TRY(sac_play_open(&v->play, policy, env, SAC_PLAY_SIGHT));
    // the frame shows what the policy looks at, which need not be the world's first picture
    sac_env_spec shown = *sac_env_get_spec(v->play.env);
    if (shown.picture_aspect <= 0 && shown.height > 0) shown.picture_aspect = (float)shown.width / (float)shown.height;
    if (!sac_play_sight(&v->play, &shown.height, &shown.width, &shown.channels)) shown.height = shown.width = 0;
    SAC_TRY(sac_frame_create(&v->frame, width, height, &shown));
    v->by_hand = SAC_NEW_ARRAY(float, (size_t)shown.action_size);
    if (v->play.state) SAC_TRY(open_levels(v));
    return v->by_hand ? SAC_OK : sac_fail_memory("a viewer");
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
    sac_play_close(&viewer->play);
    sac_free(viewer->by_hand);
    sac_free(viewer->levels);
    sac_free(viewer);
}

// Look at the observation and decide. Without a policy every action is the one nearest to zero.
static sac_status look(sac_viewer *v)
{
    SAC_TRY(sac_play_decide(&v->play));
    if (v->play.state) sac_policy_gaze(v->play.state, &v->gaze);
    return SAC_OK;
}

sac_status sac_viewer_reset(sac_viewer *viewer, uint64_t seed)
{
    viewer->in_hand = false;
    SAC_TRY(sac_play_reset(&viewer->play, seed));
    return look(viewer);
}

sac_status sac_viewer_step(sac_viewer *viewer, const float *action)
{
    SAC_ASSERT(!sac_viewer_ended(viewer));
    const sac_env_spec *spec = sac_env_get_spec(viewer->play.env);
    viewer->in_hand = action != NULL;
    if (action)
    {
        memcpy(viewer->play.action, action, (size_t)spec->action_size * sizeof *action);
        memcpy(viewer->by_hand, action, (size_t)spec->action_size * sizeof *action);
    }
    SAC_TRY(sac_play_step(&viewer->play));
    return look(viewer);
}

// Tells whether what the policy looks at shows the same as the people's picture
static bool is_same_view(const sac_viewer *viewer)
{
    const sac_env_spec *spec = sac_env_get_spec(viewer->play.env);
    bool first = viewer->play.sight == sac_space_find_image(spec->observations, spec->observation_count);
    return first && (spec->picture_same_view || !sac_env_get_ops(viewer->play.env)->picture);
}

// the names of the pictures that what the policy looks at is made of; NULL: it is one
static const char *const *views_of(const sac_viewer *viewer)
{
    const sac_env_spec *spec = sac_env_get_spec(viewer->play.env);
    const int sight = viewer->play.sight;
    return sight >= 0 && spec->observations[sight].kind == SAC_SPACE_DEPTH ? spec->depth_views : NULL;
}

sac_status sac_viewer_draw(sac_viewer *viewer, const char *title, const char *note, const uint8_t **rgb)
{
    int height, width, sight[3];
    uint8_t *world = sac_frame_world(viewer->frame, &height, &width);
    SAC_TRY(sac_env_picture(viewer->play.env, world, height, width));
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    sac_frame_content content = {.observation = sac_play_sight(&viewer->play, &sight[0], &sight[1], &sight[2]),
                                 .views = views_of(viewer),
                                 .gaze = gaze,
                                 .overlay_world = is_same_view(viewer),
                                 .action = viewer->in_hand ? viewer->by_hand : viewer->play.action,
                                 .episode_return = viewer->play.episode_return,
                                 .step = viewer->play.steps,
                                 .title = title,
                                 .note = note};
    if (gaze && sac_gaze_shown(gaze) && viewer->levels)
    {
        int count = gaze->rows * gaze->columns;
        content.levels = viewer->levels;
        content.best_share = sac_heat_levels(viewer->levels, viewer->levels + count, sac_gaze_shown(gaze), count);
    }
    *rgb = sac_frame_draw(viewer->frame, &content);
    return SAC_OK;
}

bool sac_viewer_ended(const sac_viewer *viewer)
{
    return sac_play_ended(&viewer->play);
}
int sac_viewer_steps(const sac_viewer *viewer)
{
    return viewer->play.steps;
}
double sac_viewer_return(const sac_viewer *viewer)
{
    return viewer->play.episode_return;
}
const sac_env_spec *sac_viewer_spec(const sac_viewer *viewer)
{
    return sac_env_get_spec(viewer->play.env);
}

bool sac_viewer_patch(const sac_viewer *viewer, int index, float *pixels)
{
    return viewer->play.state && sac_policy_patch(viewer->play.state, index, pixels);
}

const sac_gaze *sac_viewer_gaze(const sac_viewer *viewer)
{
    return viewer->play.state && viewer->gaze.top ? &viewer->gaze : NULL;
}
