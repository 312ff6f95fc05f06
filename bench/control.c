#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "play/play.h"

/// The control suite: steps with their pictures, and whole steps of agents in the sizes of IAP. The row's name says
/// which.

enum
{
    RUNS = 3,
    STEPS = 300
};

typedef struct scene
{
    sac_policy *policy; // NULL: actions of a fixed pattern
    sac_play play;
} scene;

static void close_scene(scene *s)
{
    sac_play_close(&s->play);
    sac_policy_destroy(s->policy);
}

// The articles' agent on this picture, with freshly drawn parameters.
static sac_status create_policy(scene *s, const sac_env_def *def)
{
    static const sac_setting settings[] = {
        {"attention", "relu"}, {"normalise_tokens", "true"}, {"patch", "2"}, {"stride", "2"}, {"top", "10"}};
    sac_env *env;
    SAC_TRY(sac_env_create(&env, def));
    sac_policy *blank = NULL;
    sac_status status = sac_policy_create_for(&blank, env, "attention-agent", settings, 5);
    sac_env_destroy(env);
    return status == SAC_OK ? bench_draw_policy(&s->policy, blank) : status;
}

static sac_status choose(scene *s, int step)
{
    sac_play *play = &s->play;
    if (s->policy) return sac_play_decide(play);
    for (int i = 0; i < sac_env_get_spec(play->env)->action_size; i++)
        play->action[i] = 0.5f * (float)((step / 7 + i) % 3 - 1);
    return SAC_OK;
}

static sac_status run(scene *s, bench_figure *figure)
{
    SAC_TRY(sac_play_reset(&s->play, 1));
    for (int i = 0; i < RUNS; i++)
    {
        double seconds = 0;
        for (int step = 0; step < STEPS; step++)
        {
            double begin = sac_clock();
            SAC_TRY(choose(s, step));
            SAC_TRY(sac_play_step(&s->play));
            seconds += sac_clock() - begin;
            if (sac_play_ended(&s->play)) SAC_TRY(sac_play_reset(&s->play, SAC_SEED_NEXT));
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
    sac_status status = agent ? create_policy(&s, &def) : SAC_OK;
    if (status == SAC_OK) status = sac_play_open(&s.play, s.policy, &def, SAC_PLAY_SIGHT);
    if (status == SAC_OK) status = run(&s, figure);
    close_scene(&s);
    return status;
}
