#define _GNU_SOURCE
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "play/play.h"
#include "saccade/play.h"

void bench_pin(const bench_place *place, bool one_core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (!one_core || i == place->core) CPU_SET((size_t)i, &cores);
    sched_setaffinity(0, sizeof cores, &cores); // this may fail, and then figures are only noisier
}

static sac_status write_raw(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0) good = false;
    return good ? SAC_OK : sac_fail(SAC_ERROR_FILE, "bench: %s cannot be written", path);
}

// Frames of a drive that the agent might see: one frame in ten, after the zoom at the start.
static sac_status make_frames(uint8_t *frames)
{
    enum
    {
        ZOOM = 60
    };
    sac_play play;
    sac_status status =
        sac_play_open_def(&play, &(sac_play_def){.env = &(sac_env_def){.id = "car-racing"}, .parts = 1});
    if (status == SAC_OK) status = sac_play_reset(&play, 1);
    for (int step = 0; status == SAC_OK && step < ZOOM + 10 * BENCH_FRAMES; step++)
    {
        bench_steer(step, play.action);
        status = sac_play_step(&play);
        int frame = (step - ZOOM) / 10;
        if (step >= ZOOM) memcpy(frames + frame * BENCH_FRAME_BYTES, play.parts[0], BENCH_FRAME_BYTES);
    }
    sac_play_close(&play);
    return status;
}

static sac_status create_agent(sac_policy **out, const char *attention, const float *parameters)
{
    sac_env *env;
    SAC_TRY(sac_env_create(&env, &(sac_env_def){.id = "car-racing"}));
    sac_setting setting = {"attention", attention};
    sac_policy *blank = NULL;
    sac_status status = sac_policy_create_for(&blank, env, "attention-agent", &setting, 1);
    if (status == SAC_OK) status = sac_policy_create_with(out, blank, parameters);
    sac_policy_destroy(blank);
    sac_env_destroy(env);
    return status;
}

enum
{
    PARAMETERS = 3667
};

// Take the parameters of a policy file, or freshly drawn ones.
static sac_status find_parameters(const char *policy_path, float *parameters)
{
    sac_policy *policy;
    if (policy_path)
    {
        SAC_TRY(sac_policy_load(&policy, NULL, policy_path));
        if (sac_policy_parameter_count(policy) != PARAMETERS)
        {
            sac_policy_destroy(policy);
            return sac_fail(SAC_ERROR_ARGUMENT, "%s: expected a car-racing agent of %d parameters", policy_path,
                            PARAMETERS);
        }
        memcpy(parameters, sac_policy_parameters(policy), PARAMETERS * sizeof *parameters);
    }
    else
    {
        const float zeros[PARAMETERS] = {0};
        SAC_TRY(create_agent(&policy, "softmax", zeros));
        sac_policy_draw(policy, 1, parameters);
    }
    sac_policy_destroy(policy);
    return SAC_OK;
}

sac_status bench_draw_policy(sac_policy **out, sac_policy *blank)
{
    float *drawn = SAC_NEW_ARRAY(float, (size_t)sac_policy_parameter_count(blank));
    if (drawn) sac_policy_draw(blank, 1, drawn);
    const sac_status status = drawn ? sac_policy_create_with(out, blank, drawn) : sac_fail_memory("parameters");
    sac_policy_destroy(blank);
    sac_free(drawn);
    return status;
}

sac_status bench_place_create(bench_place *place, const char *policy_path)
{
    *place = (bench_place){.core = sched_getcpu(), .first_seed = 1, .last_seed = 1};
    const char *temporary = getenv("TMPDIR");
    if (!temporary || strlen(temporary) > 40) temporary = "/tmp";
    snprintf(place->folder, sizeof place->folder, "%s/saccade-XXXXXX", temporary);
    if (!mkdtemp(place->folder))
    {
        place->folder[0] = 0;
        return sac_fail(SAC_ERROR_FILE, "bench: no folder can be made in %s", temporary);
    }
    snprintf(place->parameters_path, sizeof place->parameters_path, "%s/parameters", place->folder);
    snprintf(place->frames_path, sizeof place->frames_path, "%s/frames", place->folder);

    float parameters[PARAMETERS];
    SAC_TRY(find_parameters(policy_path, parameters));
    SAC_TRY(create_agent(&place->softmax, "softmax", parameters));
    SAC_TRY(create_agent(&place->relu, "relu", parameters));
    SAC_TRY(write_raw(place->parameters_path, parameters, sizeof parameters));
    size_t bytes = (size_t)BENCH_FRAMES * BENCH_FRAME_BYTES;
    place->frames = sac_alloc(bytes);
    if (!place->frames) return sac_fail_memory("frames");
    SAC_TRY(make_frames(place->frames));
    return write_raw(place->frames_path, place->frames, bytes);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

void bench_place_destroy(bench_place *place)
{
    sac_policy_destroy(place->softmax);
    sac_policy_destroy(place->relu);
    sac_free(place->frames);
    if (!place->folder[0]) return;
    nftw(place->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
