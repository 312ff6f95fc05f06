#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench.h"

/// The control suite: steps with their pictures, and whole steps of agents in the sizes of IAP. The row's name says
/// which.

enum
{
    RUNS = 3,
    STEPS = 300
};

typedef struct scene
{
    sac_env *env;
    sac_policy *policy;
    sac_policy_state *state;
    uint8_t *picture;
    float action[32];
    double reward;
    uint8_t terminated, truncated;
    sac_env_row row;
} scene;

static void close_scene(scene *s)
{
    sac_policy_state_destroy(s->state);
    sac_policy_destroy(s->policy);
    sac_env_destroy(s->env);
    sac_free(s->picture);
}

static sac_status open_env(scene *s, const sac_env_def *def)
{
    SAC_TRY(sac_env_create(&s->env, def));
    const sac_env_spec *spec = sac_env_get_spec(s->env);
    s->picture = sac_alloc_array((size_t)spec->height * (size_t)spec->width, (size_t)spec->channels);
    if (!s->picture) return sac_fail_memory("a picture");
    s->row = (sac_env_row){s->action, s->picture, &s->reward, &s->terminated, &s->truncated};
    return SAC_OK;
}

// The articles' agent on this picture, with freshly drawn parameters.
static sac_status open_policy(scene *s)
{
    static const sac_setting settings[] = {
        {"attention", "relu"}, {"normalize", "true"}, {"patch", "2"}, {"stride", "2"}, {"top", "10"}};
    const sac_env_spec *spec = sac_env_get_spec(s->env);
    sac_policy_def def = {.kind = "attention-agent",
                          .settings = settings,
                          .setting_count = 5,
                          .height = spec->height,
                          .width = spec->width,
                          .channels = spec->channels,
                          .action_size = spec->action_size,
                          .action_choices = spec->action_choices,
                          .action_low = spec->action_low,
                          .action_high = spec->action_high};
    SAC_TRY(sac_policy_create(&s->policy, &def));
    SAC_TRY(sac_policy_state_create(&s->state, s->policy));
    float *parameters = SAC_NEW_ARRAY(float, (size_t)sac_policy_parameter_count(s->policy));
    if (!parameters) return sac_fail_memory("parameters");
    sac_policy_draw(s->policy, 1, parameters);
    sac_policy_state_set_parameters(s->state, parameters);
    sac_free(parameters);
    return SAC_OK;
}

static void choose(scene *s, int step)
{
    if (s->state)
        sac_policy_act(s->state, s->picture, s->action);
    else
        for (int i = 0; i < sac_env_get_spec(s->env)->action_size; i++)
            s->action[i] = 0.5f * (float)((step / 7 + i) % 3 - 1);
}

static sac_status run(scene *s, bench_figure *figure)
{
    SAC_TRY(sac_env_reset(s->env, 1, &s->row));
    for (int i = 0; i < RUNS; i++)
    {
        double seconds = 0;
        for (int step = 0; step < STEPS; step++)
        {
            double begin = sac_clock();
            choose(s, step);
            SAC_TRY(sac_env_step(s->env, &s->row));
            seconds += sac_clock() - begin;
            if (s->terminated || s->truncated) SAC_TRY(sac_env_reset(s->env, SAC_SEED_NEXT, &s->row));
        }
        bench_keep(figure, STEPS / seconds, true);
    }
    return SAC_OK;
}

// "control-100-cheetah-run", "control-240-cheetah-run", "iap-cheetah-run", "iap-distracted-cheetah-run"
sac_status bench_control(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    const char *name = place->row->name;
    bool agent = strncmp(name, "iap-", 4) == 0, distracted = strstr(name, "-distracted-") != NULL;
    bool large = agent || strstr(name, "-240-") != NULL;
    const char *id = name + strcspn(name, "-") + 1;
    if (distracted || !agent) id += strcspn(id, "-") + 1;
    const sac_setting settings[] = {
        {"height", large ? "240" : "100"}, {"width", large ? "320" : "100"}, {"action_repeat", "1"}};
    sac_env_def def = {.id = id,
                       .variant = distracted ? "camera:medium+color:medium+background:medium:dynamic" : NULL,
                       .settings = settings,
                       .setting_count = agent ? 2 : 3};
    scene s = {0};
    sac_status status = open_env(&s, &def);
    if (status == SAC_OK && agent) status = open_policy(&s);
    if (status == SAC_OK) status = run(&s, figure);
    close_scene(&s);
    return status;
}
