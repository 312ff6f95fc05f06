#pragma once

#include "base/error.h"
#include "saccade/play.h"

#include "train_scene.h"

/// A tiny world of the shape that robots with legs have: a picture in colours, a depth picture and numbers of the body.
/// Action 0 shall be where a bar stands, which the pictures alone show, and action 1 what the body feels, which the
/// numbers alone say; the other actions do nothing. A step earns 1 - |a - bar| / 2 - |b - felt| / 2. Both are uniform
/// in -1..1, from which any constant is at least 1/2 away on average (0 is): who sees the bar or the numbers alone
/// earns 3/4 a step at best, who sees neither 1/2, and who sees both 1.

enum
{
    COURSE_SIDE = 32,   // of the camera, pixels
    COURSE_DEPTH = 16,  // of the depth picture
    COURSE_STATE = 18,  // an inertial sensor's 4 numbers, 12 angles, 2 of a phase
    COURSE_ACTIONS = 19 // 12 residuals and 7 numbers of a gait
};

typedef struct course_config
{
    int actions;
    int max_steps;
} course_config;

typedef struct course
{
    course_config config;
    float bar, felt;
    int step;
    uint64_t seed;
} course;

static int course_cameras; // pictures of the camera that were drawn, by all worlds

static inline sac_status course_create(void **self, const void *config, const char *variant)
{
    (void)variant;
    course *c = calloc(1, sizeof *c);
    if (!c) return SAC_ERROR_MEMORY;
    c->config = *(const course_config *)config;
    *self = c;
    return SAC_OK;
}

static inline void course_spec(const void *self, sac_env_spec *spec)
{
    static const float near = 0.5f, far = 4;
    static const sac_space parts[] = {
        {.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {COURSE_SIDE, COURSE_SIDE, 3}},
        {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {COURSE_DEPTH, COURSE_DEPTH}, .low = &near, .high = &far},
        {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {COURSE_STATE}},
        {.name = "truth", .kind = SAC_SPACE_VECTOR, .shape = {2}, .privileged = true},
    };
    static float low[COURSE_ACTIONS], high[COURSE_ACTIONS];
    for (int i = 0; i < COURSE_ACTIONS; i++) low[i] = -1, high[i] = 1;
    const course *c = self;
    spec->observations = parts;
    spec->observation_count = 4;
    spec->action_size = c->config.actions;
    spec->action_low = low;
    spec->action_high = high;
    spec->max_steps = c->config.max_steps;
}

// whether the bar covers this column of a picture so wide: a quarter of it, from one edge to the other
static inline bool course_bar(const course *c, int column, int width)
{
    const float middle = ((float)column + 0.5f) / (float)width, left = 0.375f * (c->bar + 1);
    return middle >= left && middle < left + 0.25f;
}

static inline void course_show(const course *c, const sac_env_row *row)
{
    uint8_t *camera = row->parts[0];
    course_cameras += camera != NULL;
    float *depth = row->parts[1], *state = row->parts[2], *truth = row->parts[3];
    for (int i = 0; camera && i < COURSE_SIDE * COURSE_SIDE; i++)
    {
        const bool bar = course_bar(c, i % COURSE_SIDE, COURSE_SIDE);
        camera[3 * i] = bar ? 220 : 40, camera[3 * i + 1] = (uint8_t)(30 + c->step), camera[3 * i + 2] = bar ? 10 : 90;
    }
    for (int i = 0; depth && i < COURSE_DEPTH * COURSE_DEPTH; i++)
        depth[i] = course_bar(c, i % COURSE_DEPTH, COURSE_DEPTH) ? 1 : 3.5f;
    for (int i = 0; state && i < COURSE_STATE; i++)
        state[i] = i == 0 ? c->felt : (float)((c->step * (i + 3)) % 7) / 7 - 0.5f;
    if (truth) truth[0] = c->bar, truth[1] = c->felt;
}

static inline sac_status course_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    course *c = self;
    c->seed = seed == SAC_SEED_NEXT ? c->seed + 1 : seed;
    sac_stream stream = sac_stream_create(c->seed, 78, 0);
    c->bar = (float)sac_stream_uniform(&stream, -1, 1);
    c->felt = (float)sac_stream_uniform(&stream, -1, 1);
    c->step = 0;
    course_show(c, row);
    return SAC_OK;
}

static inline sac_status course_step(void *self, const sac_env_row *row)
{
    course *c = self;
    c->step++;
    *row->reward = 1 - fabs((double)(row->action[0] - c->bar)) / 2 - fabs((double)(row->action[1] - c->felt)) / 2;
    course_show(c, row);
    return SAC_OK;
}

static inline void course_destroy(void *self)
{
    free(self);
}

static inline void course_register(void)
{
    static const sac_option options[] = {
        {"actions", SAC_OPTION_INT, offsetof(course_config, actions), "19", 2, COURSE_ACTIONS, NULL, "numbers"},
        {"max_steps", SAC_OPTION_INT, offsetof(course_config, max_steps), "12", 1, 100000, NULL, "of an episode"},
        {0},
    };
    static const sac_env_ops ops = {.name = "course",
                                    .options = options,
                                    .config_size = sizeof(course_config),
                                    .create = course_create,
                                    .spec = course_spec,
                                    .reset = course_reset,
                                    .step = course_step,
                                    .destroy = course_destroy};
    static bool done;
    if (!done) assert_ok(sac_env_register(&ops));
    done = true;
}

/// A policy of this world by the settings of a task, with all parameters zero.
static inline sac_policy *course_policy(const sac_task *task)
{
    sac_env *env;
    sac_policy *policy;
    const sac_env_def def = sac_task_env_def(task);
    assert_ok(sac_env_create(&env, &def));
    assert_ok(
        sac_policy_create_for(&policy, env, task->policy, task->policy_settings.settings, task->policy_settings.count));
    sac_env_destroy(env);
    return policy;
}

/// How many numbers the policy of a task has, by the task's path from the project's folder.
static inline int course_count(const char *task_path)
{
    char path[512];
    sac_task *task;
    snprintf(path, sizeof path, "%s/%s", SAC_SOURCE_DIR, task_path);
    assert_ok(sac_task_load(&task, path, NULL, 0));
    sac_policy *policy = course_policy(task);
    const int count = sac_policy_parameter_count(policy);
    sac_policy_destroy(policy);
    sac_task_destroy(task);
    return count;
}
