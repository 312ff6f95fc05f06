#include "dash/player.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "dash/stage.h"
#include "files/pictures/png.h"
#include "saccade/show.h"

sac_status sac_player_open(sac_player *s, const char *run_dir, const char *name)
{
    *s = (sac_player){0};
    return sac_join_path(s->path, run_dir, name);
}

static void clear(sac_player *s)
{
    sac_play_close(&s->play);
    sac_policy_destroy(s->policy);
    sac_policy_info_clear(&s->info);
    s->policy = NULL;
    s->info = (sac_policy_info){0};
    s->stamp = 0;
}

void sac_player_close(sac_player *s)
{
    clear(s);
}

// The time of the file as it is now; 0: there is no file.
static int64_t stamp_of(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return 0;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

static sac_status take_policy(sac_player *s)
{
    SAC_TRY(sac_policy_load(&s->policy, &s->info, s->path));
    const sac_env_def def = {.id = s->info.environment,
                             .variant = s->info.variant[0] ? s->info.variant : NULL,
                             .settings = s->info.settings,
                             .setting_count = s->info.setting_count};
    sac_status status = sac_play_open(&s->play, s->policy, &def, SAC_PLAY_SIGHT);
    return status == SAC_OK ? SAC_OK : sac_fail_in(status, "%s", s->path);
}

sac_status sac_player_begin(sac_player *s, bool *there)
{
    int64_t stamp = stamp_of(s->path);
    *there = stamp != 0;
    if (!*there) return SAC_OK;
    if (stamp != s->stamp)
    {
        clear(s);
        sac_status status = take_policy(s);
        if (status != SAC_OK)
        {
            clear(s);
            return status;
        }
        s->stamp = stamp;
    }
    SAC_TRY(sac_play_reset(&s->play, s->seed));
    return sac_play_decide(&s->play);
}

sac_status sac_player_step(sac_player *s, bool *there)
{
    *there = true;
    bool ended = s->stamp && sac_play_ended(&s->play);
    if (ended) s->seed = (s->seed + 1) % 1000;
    if (!s->stamp || ended) return sac_player_begin(s, there);
    SAC_TRY(sac_play_step(&s->play));
    return sac_play_decide(&s->play);
}

enum
{
    BLIND_SIDE = 240, // of the people's picture where a policy is told numbers alone
    CLOUD_SIDE = 240  // of a picture of points
};

// Points in space, in the colours of their importance where the policy says that.
static uint8_t *draw_cloud(const sac_player *s, const float *cloud, int rows)
{
    uint8_t *rgb = sac_alloc((size_t)3 * CLOUD_SIDE * CLOUD_SIDE);
    float *levels = SAC_NEW_ARRAY(float, 2 * (size_t)rows);
    sac_gaze gaze;
    sac_policy_gaze(s->play.state, &gaze);
    const bool told = levels && gaze.patch == 0 && gaze.rows == rows && sac_gaze_shown(&gaze);
    if (told) sac_heat_levels(levels, levels + rows, sac_gaze_shown(&gaze), rows);
    if (rgb) sac_overlay_points(rgb, CLOUD_SIDE, CLOUD_SIDE, cloud, rows, told ? levels : NULL);
    sac_free(levels);
    return rgb;
}

// Returns what the policy looks at as RGB, released by sac_free, or the people's picture where it looks at nothing.
// NULL: there is neither.
static uint8_t *draw_sight(sac_player *s, int *height, int *width)
{
    int channels, rows;
    const float *cloud = sac_play_cloud(&s->play, &rows);
    if (cloud)
    {
        *height = *width = CLOUD_SIDE;
        return draw_cloud(s, cloud, rows);
    }
    const uint8_t *seen = sac_play_sight(&s->play, height, width, &channels);
    if (!seen) *height = *width = BLIND_SIDE;
    size_t pixels = (size_t)*height * (size_t)*width;
    uint8_t *rgb = sac_alloc(3 * pixels);
    if (!rgb) return NULL;
    if (!seen && sac_env_picture(s->play.env, rgb, *height, *width) != SAC_OK)
    {
        sac_free(rgb);
        return NULL;
    }
    for (size_t i = 0; seen && i < 3 * pixels; i++)
        rgb[i] = seen[i / 3 * (size_t)channels + (channels >= 3 ? i % 3 : 0)];
    return rgb;
}

static void tell_picture(const uint8_t *rgb, int height, int width, sac_growing *text)
{
    size_t size = 0;
    uint8_t *png = NULL;
    if (rgb && sac_png_encode(&png, &size, rgb, height, width) == SAC_OK)
    {
        sac_grow_text(text, ",\"png\":\"");
        sac_grow_base64(text, png, size);
        sac_grow_text(text, "\"");
    }
    sac_free(png);
}

// Write the levels of all patches as bytes (see sac_heat_levels), and the share that the ranks do not show.
static void tell_levels(const sac_gaze *gaze, sac_growing *text)
{
    size_t count = (size_t)gaze->rows * (size_t)gaze->columns;
    float *levels = SAC_NEW_ARRAY(float, 2 * count);
    uint8_t *bytes = sac_alloc(count);
    if (levels && bytes)
    {
        double share = sac_heat_levels(levels, levels + count, sac_gaze_shown(gaze), (int)count);
        for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)lrintf(255 * levels[i]);
        sac_grow_text(text, ",\"levels\":\"");
        sac_grow_base64(text, bytes, count);
        sac_grow_text(text, isfinite(share) ? "\",\"share\":%.4f" : "\",\"share\":null", share);
    }
    sac_free(levels);
    sac_free(bytes);
}

static void tell_gaze(const sac_player *s, sac_growing *text)
{
    sac_gaze gaze;
    sac_policy_gaze(s->play.state, &gaze);
    if (!sac_gaze_shown(&gaze) || gaze.rows * gaze.columns == 0 || gaze.patch == 0) return; // points have no patches
    sac_grow_text(
        text,
        ",\"rows\":%d,\"columns\":%d,\"patch\":%d,\"stride\":%d,\"sides\":[%d,%d],\"above\":%.3f,\"beneath\":%.3f",
        gaze.rows, gaze.columns, gaze.patch, gaze.stride, gaze.height, gaze.width, (double)gaze.above,
        (double)gaze.beneath);
    tell_levels(&gaze, text);
    if (gaze.contribution) sac_grow_text(text, ",\"contributes\":true");
    if (gaze.held > 0) sac_grow_text(text, ",\"age\":%d,\"held\":%d", gaze.age, gaze.held);
    sac_grow_text(text, ",\"top\":[");
    for (int i = 0; i < gaze.kept; i++) sac_grow_text(text, "%s%d", i ? "," : "", gaze.top[i]);
    sac_grow_text(text, "]");
}

void sac_player_tell(sac_player *s, sac_growing *text)
{
    const sac_play *play = &s->play;
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    int height = 0, width = 0;
    uint8_t *rgb = draw_sight(s, &height, &width);
    sac_grow_text(text, "{\"seed\":%llu,\"step\":%d,\"return\":%.6g,\"generation\":%d,\"height\":%d,\"width\":%d",
                  (unsigned long long)s->seed, play->steps, isfinite(play->episode_return) ? play->episode_return : 0,
                  s->info.generation, height, width);
    sac_grow_text(text, ",\"action\":[");
    for (int i = 0; i < spec->action_size && i < 16; i++)
        sac_grow_text(text, "%s%.3f", i ? "," : "", (double)play->action[i]);
    sac_grow_text(text, "]");
    tell_gaze(s, text);
    tell_picture(rgb, height, width, text);
    sac_grow_text(text, "}");
    sac_free(rgb);
}

// --- as a stage -------------------------------------------------------------------------------------------------

static sac_status create(void **out, const char *dir)
{
    sac_player *s = SAC_NEW(sac_player);
    *out = s;
    if (!s) return sac_fail_memory("the live page");
    sac_status status = sac_player_open(s, dir, "mean.safetensors");
    if (status == SAC_OK) return SAC_OK;
    sac_free(s);
    *out = NULL;
    return status;
}

static void show(void *stage, const void *feed, sac_growing *text)
{
    (void)feed;
    bool there;
    sac_status status = sac_player_step(stage, &there);
    if (status != SAC_OK || !there) return;
    sac_grow_text(text, "event: frame\ndata: ");
    sac_player_tell(stage, text);
    sac_grow_text(text, "\n\n");
}

static void destroy(void *stage)
{
    if (stage) sac_player_close(stage);
    sac_free(stage);
}

const sac_stage_calls sac_run_stage = {create, show, destroy};
