#pragma once

#include "base/error.h"
#include "saccade/train.h"

#include "train_scene.h"

/// A tiny world for the tests of learning by reward: a point on a line that shall be at a target. It is told both, and
/// a critic may be told a third number. What it earns is 1 less its distance: over the 20 steps of an episode 18.7 at
/// best, on average over episodes (the distance d is 2/3 on average and its square, too; the way costs d^2 / 0.4 - d /
/// 2), and 6.7 by doing nothing.

typedef struct line_config
{
    bool choices;    // left, stay, right; else a push within -1..1
    bool terminates; // an episode ends by itself at its 20th step; else by its time limit
    int bad_after;   // from this step on the reward is no number; 0: never
    int fail_after;  // from this step on it cannot go on; 0: never
} line_config;

typedef struct line
{
    line_config config;
    float place, target;
    int step;
    uint64_t seed;
} line;

enum
{
    LINE_STEPS = 20
};

static inline sac_status line_create(void **self, const void *config, const char *variant)
{
    (void)variant;
    line *l = calloc(1, sizeof *l);
    if (!l) return SAC_ERROR_MEMORY;
    l->config = *(const line_config *)config;
    *self = l;
    return SAC_OK;
}

static inline void line_spec(const void *self, sac_env_spec *spec)
{
    static const sac_space parts[] = {
        {.name = "places", .kind = SAC_SPACE_VECTOR, .shape = {2}},
        {.name = "truth", .kind = SAC_SPACE_VECTOR, .shape = {3}, .privileged = true},
    };
    static const float low[] = {-1}, high[] = {1};
    static const sac_env_column columns[] = {{"step", SAC_COLUMN_FLOAT}, {"place", SAC_COLUMN_FLOAT}};
    const line *l = self;
    spec->columns = columns;
    spec->column_count = 2;
    spec->observations = parts;
    spec->observation_count = 2;
    spec->action_size = 1;
    spec->action_choices = l->config.choices ? 3 : 0;
    spec->action_low = l->config.choices ? NULL : low;
    spec->action_high = l->config.choices ? NULL : high;
    spec->max_steps = LINE_STEPS;
}

static inline void line_show(const line *l, const sac_env_row *row)
{
    float *places = row->parts[0], *truth = row->parts[1];
    if (places) places[0] = l->place, places[1] = l->target;
    if (truth) truth[0] = l->place, truth[1] = l->target, truth[2] = (float)l->step;
}

static inline sac_status line_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    line *l = self;
    l->seed = seed == SAC_SEED_NEXT ? l->seed + 1 : seed;
    sac_stream stream = sac_stream_create(l->seed, 77, 0);
    l->place = (float)sac_stream_uniform(&stream, -1, 1);
    l->target = (float)sac_stream_uniform(&stream, -1, 1);
    l->step = 0;
    line_show(l, row);
    return SAC_OK;
}

/// Steps of all worlds until somebody wants the run to stop, for tests with one thread.
static struct
{
    int steps_left;
    volatile int *flag; // NULL: nobody does
} line_stop;

static inline sac_status line_step(void *self, const sac_env_row *row)
{
    static const float moves[] = {-0.2f, 0, 0.2f};
    line *l = self;
    l->step++;
    if (line_stop.flag && --line_stop.steps_left == 0) *line_stop.flag = 1;
    if (l->config.fail_after && l->step >= l->config.fail_after)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "line: it is torn");
    l->place += l->config.choices ? moves[(int)row->action[0]] : 0.2f * row->action[0];
    *row->reward = 1 - fabs((double)(l->place - l->target));
    if (l->config.bad_after && l->step >= l->config.bad_after) *row->reward = NAN;
    *row->terminated = l->config.terminates && l->step == LINE_STEPS;
    line_show(l, row);
    return SAC_OK;
}

static inline void line_state(const void *self, double *values)
{
    const line *l = self;
    values[0] = l->step;
    values[1] = (double)l->place;
}

static inline void line_destroy(void *self)
{
    free(self);
}

static inline void line_register(void)
{
    static const sac_option options[] = {
        {"choices", SAC_OPTION_BOOL, offsetof(line_config, choices), "false", 0, 0, NULL, "left, stay, right"},
        {"terminates", SAC_OPTION_BOOL, offsetof(line_config, terminates), "false", 0, 0, NULL, "by itself"},
        {"bad_after", SAC_OPTION_INT, offsetof(line_config, bad_after), "0", 0, 100, NULL, "step"},
        {"fail_after", SAC_OPTION_INT, offsetof(line_config, fail_after), "0", 0, 100, NULL, "step"},
        {0},
    };
    static const sac_env_ops ops = {.name = "line",
                                    .options = options,
                                    .config_size = sizeof(line_config),
                                    .create = line_create,
                                    .spec = line_spec,
                                    .reset = line_reset,
                                    .step = line_step,
                                    .state = line_state,
                                    .destroy = line_destroy};
    static bool done;
    if (!done) assert_ok(sac_env_register(&ops));
    done = true;
}

/// A task in this world, and a run of it: what the best evaluation was.

static const char line_text[] = "env:\n  id: line\n"
                                "policy:\n  kind: mlp\n  hidden: 8\n  activation: none\n"
                                "search:\n  method: ppo\n  worlds: 20\n  steps: 16\n  minibatch: 64\n  rate: 3e-3\n"
                                "train:\n  generations: 9\n  checkpoint_every: 2\n"
                                "evaluation:\n  every: 3\n  episodes: 6\n";

static inline sac_task *line_task(const char *const *settings)
{
    sac_setting list[16];
    int count = 0;
    line_register();
    for (; settings && settings[2 * count]; count++)
        list[count] = (sac_setting){settings[2 * count], settings[2 * count + 1]};
    return load_task(line_text, list, count);
}

static inline double score_of(const char *run)
{
    char path[512];
    sac_run_summary summary;
    path_in(path, run);
    assert_ok(sac_run_summarise(&summary, path));
    return summary.best.mean;
}

static inline double trained(const char *run, const char *const *settings)
{
    sac_task *task = line_task(settings);
    assert_ok(train(task, run, 1, false, &(watcher){0}));
    sac_task_destroy(task);
    return score_of(run);
}
