#include "dash/player.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/pictures/png.h"
#include "saccade/view.h"

sac_status sac_player_open(sac_player *s, const char *run_dir, const char *name)
{
    *s = (sac_player){0};
    return sac_join_path(s->path, run_dir, name);
}

static void clear(sac_player *s)
{
    sac_policy_state_destroy(s->state);
    sac_env_destroy(s->env);
    sac_policy_destroy(s->policy);
    sac_policy_info_clear(&s->info);
    sac_free(s->observation);
    sac_free(s->action);
    s->state = NULL, s->env = NULL, s->policy = NULL, s->observation = NULL, s->action = NULL;
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
    SAC_TRY(sac_policy_state_create(&s->state, s->policy));
    if (!s->env)
    {
        const sac_env_def def = {.id = s->info.environment,
                                 .variant = s->info.variant[0] ? s->info.variant : NULL,
                                 .settings = s->info.settings,
                                 .setting_count = s->info.setting_count};
        SAC_TRY(sac_env_create(&s->env, &def));
    }
    const sac_env_spec *spec = sac_env_get_spec(s->env);
    const sac_policy_def *def = sac_policy_get_def(s->policy);
    if (def->height != spec->height || def->width != spec->width || def->channels != spec->channels ||
        def->action_size != spec->action_size)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s does not fit its environment", s->path);
    s->observation = sac_alloc((size_t)spec->height * (size_t)spec->width * (size_t)spec->channels);
    s->action = SAC_NEW_ARRAY(float, (size_t)spec->action_size);
    if (!s->observation || !s->action) return sac_fail_memory("a player");
    s->row = (sac_env_row){s->action, s->observation, &s->reward, &s->terminated, &s->truncated};
    return SAC_OK;
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
    sac_policy_state_reset(s->state);
    SAC_TRY(sac_env_reset(s->env, s->seed, &s->row));
    s->episode_return = 0;
    s->steps = 0;
    sac_policy_act(s->state, s->observation, s->action);
    return SAC_OK;
}

sac_status sac_player_step(sac_player *s, bool *there)
{
    *there = true;
    bool ended = s->stamp && (s->terminated || s->truncated);
    if (ended) s->seed = (s->seed + 1) % 1000;
    if (!s->stamp || ended) return sac_player_begin(s, there);
    SAC_TRY(sac_env_step(s->env, &s->row));
    s->episode_return += s->reward;
    s->steps++;
    sac_policy_act(s->state, s->observation, s->action);
    return SAC_OK;
}

static void tell_picture(const sac_player *s, sac_growing *text)
{
    const sac_env_spec *spec = sac_env_get_spec(s->env);
    size_t pixels = (size_t)spec->height * (size_t)spec->width, size = 0;
    uint8_t *rgb = sac_alloc(3 * pixels), *png = NULL;
    size_t channels = (size_t)spec->channels;
    for (size_t i = 0; rgb && i < 3 * pixels; i++)
        rgb[i] = s->observation[i / 3 * channels + (channels >= 3 ? i % 3 : 0)];
    if (rgb && sac_png_encode(&png, &size, rgb, spec->height, spec->width) == SAC_OK)
    {
        sac_grow_text(text, ",\"png\":\"");
        sac_grow_base64(text, png, size);
        sac_grow_text(text, "\"");
    }
    sac_free(png);
    sac_free(rgb);
}

// Write the levels of all patches as bytes (see sac_heat_levels), and the share that the ranks do not show.
static void tell_levels(const sac_gaze *gaze, sac_growing *text)
{
    size_t count = (size_t)gaze->rows * (size_t)gaze->columns;
    float *levels = SAC_NEW_ARRAY(float, 2 * count);
    uint8_t *bytes = sac_alloc(count);
    if (levels && bytes)
    {
        double share = sac_heat_levels(levels, levels + count, gaze->importance, (int)count);
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
    sac_policy_gaze(s->state, &gaze);
    if (!gaze.importance || gaze.rows * gaze.columns == 0) return;
    sac_grow_text(text, ",\"rows\":%d,\"columns\":%d,\"patch\":%d,\"stride\":%d,\"sides\":[%d,%d]", gaze.rows,
                  gaze.columns, gaze.patch, gaze.stride, gaze.height, gaze.width);
    tell_levels(&gaze, text);
    sac_grow_text(text, ",\"top\":[");
    for (int i = 0; i < gaze.kept; i++) sac_grow_text(text, "%s%d", i ? "," : "", gaze.top[i]);
    sac_grow_text(text, "]");
}

void sac_player_tell(sac_player *s, sac_growing *text)
{
    const sac_env_spec *spec = sac_env_get_spec(s->env);
    sac_grow_text(text, "{\"seed\":%llu,\"step\":%d,\"return\":%.6g,\"generation\":%d,\"height\":%d,\"width\":%d",
                  (unsigned long long)s->seed, s->steps, isfinite(s->episode_return) ? s->episode_return : 0,
                  s->info.generation, spec->height, spec->width);
    sac_grow_text(text, ",\"action\":[");
    for (int i = 0; i < spec->action_size && i < 16; i++)
        sac_grow_text(text, "%s%.3f", i ? "," : "", (double)s->action[i]);
    sac_grow_text(text, "]");
    tell_gaze(s, text);
    tell_picture(s, text);
    sac_grow_text(text, "}");
}
