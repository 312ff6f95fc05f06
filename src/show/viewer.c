#include <math.h>
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
    int rows;      // of the cloud of points that is seen; 0: no cloud is
    float *points; // [rows, 3] its points, without rows that are none
    float *shares; // [rows] their importance, where the policy says it
    int point_count;
    // while a step is started: what was before it
    bool started;
    int steps;
    double episode_return;
    uint8_t *seen; // [height, width, channels]; NULL: no picture is seen, or no moments can be drawn
};

static sac_status open_levels(sac_viewer *v)
{
    sac_gaze gaze;
    sac_policy_gaze(v->play.state, &gaze);
    if (!sac_gaze_shown(&gaze)) return SAC_OK;
    v->levels = SAC_NEW_ARRAY(float, 2 * (size_t)gaze.rows * (size_t)gaze.columns);
    return v->levels ? SAC_OK : sac_fail_memory("a viewer");
}

// The frame shows what the policy looks at, which need not be the world's first picture. Points are drawn at any size.
static sac_status open_sight(sac_viewer *v, sac_env_spec *shown)
{
    if (!sac_play_sight(&v->play, &shown->height, &shown->width, &shown->channels)) shown->height = shown->width = 0;
    if (shown->height == 0) return SAC_OK;
    if (!sac_play_cloud(&v->play, &v->rows))
    {
        const size_t size = (size_t)shown->height * (size_t)shown->width * (size_t)shown->channels;
        if (sac_env_get_ops(v->play.env)->moments) v->seen = sac_alloc(size);
        return v->seen || !sac_env_get_ops(v->play.env)->moments ? SAC_OK : sac_fail_memory("a viewer");
    }
    shown->height = shown->width = 1;
    v->points = SAC_NEW_ARRAY(float, 3 * (size_t)v->rows);
    v->shares = SAC_NEW_ARRAY(float, (size_t)v->rows);
    return v->points && v->shares ? SAC_OK : sac_fail_memory("a viewer");
}

static sac_status open_parts(sac_viewer *v, const sac_policy *policy, const sac_env_def *env, int width, int height)
{
    SAC_TRY(sac_play_open(&v->play, policy, env, SAC_PLAY_SIGHT));
    sac_env_spec shown = *sac_env_get_spec(v->play.env);
    if (shown.picture_aspect <= 0 && shown.height > 0) shown.picture_aspect = (float)shown.width / (float)shown.height;
    SAC_TRY(open_sight(v, &shown));
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
    sac_free(viewer->points);
    sac_free(viewer->shares);
    sac_free(viewer->seen);
    sac_free(viewer);
}

// Keep the points that were looked at, and what the policy says of each: the next step overwrites the cloud.
static void take_points(sac_viewer *v)
{
    const float *cloud = sac_play_cloud(&v->play, &v->rows);
    const bool told = v->play.state && v->gaze.rows == v->rows && v->gaze.patch == 0 && sac_gaze_shown(&v->gaze);
    v->point_count = 0;
    for (int i = 0; i < v->rows; i++)
    {
        const float *p = cloud + (ptrdiff_t)3 * i;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) continue;
        memcpy(v->points + (ptrdiff_t)3 * v->point_count, p, 3 * sizeof *p);
        v->shares[v->point_count++] = told ? sac_gaze_shown(&v->gaze)[i] : 0;
    }
}

// Look at the observation and decide. Without a policy every action is the one nearest to zero.
static sac_status look(sac_viewer *v)
{
    SAC_TRY(sac_play_decide(&v->play));
    if (v->play.state) sac_policy_gaze(v->play.state, &v->gaze);
    if (v->rows > 0) take_points(v);
    return SAC_OK;
}

sac_status sac_viewer_reset(sac_viewer *viewer, uint64_t seed)
{
    viewer->in_hand = viewer->started = false;
    SAC_TRY(sac_play_reset(&viewer->play, seed));
    return look(viewer);
}

sac_status sac_viewer_step(sac_viewer *viewer, const float *action)
{
    SAC_TRY(sac_viewer_start(viewer, action));
    return sac_viewer_finish(viewer);
}

// Keep what a frame of the step's moments shows beside the world.
static void keep(sac_viewer *v)
{
    int sides[3];
    const uint8_t *sight = v->seen ? sac_play_sight(&v->play, &sides[0], &sides[1], &sides[2]) : NULL;
    if (sight) memcpy(v->seen, sight, (size_t)sides[0] * (size_t)sides[1] * (size_t)sides[2]);
    v->steps = v->play.steps;
    v->episode_return = v->play.episode_return;
}

sac_status sac_viewer_start(sac_viewer *viewer, const float *action)
{
    SAC_TRY(sac_viewer_finish(viewer)); // of the step before, where its end was not waited for
    SAC_ASSERT(!sac_viewer_ended(viewer));
    keep(viewer);
    const sac_env_spec *spec = sac_env_get_spec(viewer->play.env);
    viewer->in_hand = action != NULL;
    if (action)
    {
        memcpy(viewer->play.action, action, (size_t)spec->action_size * sizeof *action);
        memcpy(viewer->by_hand, action, (size_t)spec->action_size * sizeof *action);
    }
    SAC_TRY(sac_play_step(&viewer->play));
    viewer->started = true;
    return SAC_OK;
}

sac_status sac_viewer_finish(sac_viewer *viewer)
{
    if (!viewer->started) return SAC_OK;
    viewer->started = false;
    return look(viewer);
}

int sac_viewer_moments(const sac_viewer *viewer)
{
    return viewer->started ? sac_env_moments(viewer->play.env) : 0;
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

// Compose a frame; the world's picture is in its place.
static const uint8_t *compose(sac_viewer *v, const uint8_t *sight, const char *title, const char *note)
{
    const sac_gaze *gaze = sac_viewer_gaze(v);
    sac_frame_content content = {.observation = sight,
                                 .views = views_of(v),
                                 .gaze = gaze,
                                 .points = v->points,
                                 .point_count = v->point_count,
                                 .overlay_world = is_same_view(v),
                                 .action = v->in_hand ? v->by_hand : v->play.action,
                                 .episode_return = v->started ? v->episode_return : v->play.episode_return,
                                 .step = v->started ? v->steps : v->play.steps,
                                 .title = title,
                                 .note = note};
    const int count = v->points ? v->point_count : gaze ? gaze->rows * gaze->columns : 0;
    if (gaze && sac_gaze_shown(gaze) && v->levels && count > 0)
    {
        const float *shown = v->points ? v->shares : sac_gaze_shown(gaze);
        content.levels = v->levels;
        content.best_share = sac_heat_levels(v->levels, v->levels + count, shown, count);
    }
    return sac_frame_draw(v->frame, &content);
}

sac_status sac_viewer_draw(sac_viewer *viewer, const char *title, const char *note, const uint8_t **rgb)
{
    int height, width, sight[3];
    uint8_t *world = sac_frame_world(viewer->frame, &height, &width);
    SAC_TRY(sac_env_picture(viewer->play.env, world, height, width));
    const uint8_t *seen = viewer->rows > 0 ? NULL : sac_play_sight(&viewer->play, &sight[0], &sight[1], &sight[2]);
    *rgb = compose(viewer, seen, title, note);
    return SAC_OK;
}

sac_status sac_viewer_draw_moment(sac_viewer *viewer, int moment, const char *title, const char *note,
                                  const uint8_t **rgb)
{
    int height, width;
    SAC_ASSERT(moment >= 0 && moment < sac_viewer_moments(viewer));
    uint8_t *world = sac_frame_world(viewer->frame, &height, &width);
    SAC_TRY(sac_env_picture_at(viewer->play.env, moment, world, height, width));
    *rgb = compose(viewer, viewer->seen, title, note);
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
    const sac_gaze *gaze = &viewer->gaze;
    const bool of_points = viewer->rows > 0 && gaze->patch == 0 && sac_gaze_shown(gaze);
    return viewer->play.state && (gaze->top || of_points) ? gaze : NULL;
}
