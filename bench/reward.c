#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "ppo/ppo.h"
#include "saccade/play.h"

/// Learning by reward: whole iterations of PPO on cheetah-run from state, worlds and updates included, one thread.

enum
{
    RUNS = 5
};

typedef struct scene
{
    sac_policy *policy;
    float *start;
    sac_comm *comm;
    sac_ppo *ppo;
    sac_normaliser normaliser;
} scene;

static sac_status create(scene *s)
{
    static const sac_setting repeat = {"action_repeat", "2"};
    static const sac_setting settings[] = {{"inputs", "state"}, {"teacher", "true"}, {"activation", "none"}};
    const sac_env_def def = {.id = "cheetah-run", .settings = &repeat, .setting_count = 1};
    sac_env *env;
    SAC_TRY(sac_env_create(&env, &def));
    sac_status status = sac_policy_create_for(&s->policy, env, "mlp", settings, 3);
    sac_env_destroy(env);
    SAC_TRY(status);
    s->start = SAC_NEW_ARRAY(float, (size_t)sac_policy_parameter_count(s->policy));
    if (!s->start) return sac_fail_memory("parameters");
    sac_policy_draw(s->policy, 1, s->start);
    SAC_TRY(sac_normaliser_create(&s->normaliser, s->policy));
    SAC_TRY(sac_comm_create_self(&s->comm));
    SAC_TRY(sac_ppo_create(&s->ppo, &(sac_ppo_def){.policy = s->policy,
                                                   .env = &def,
                                                   .start = s->start,
                                                   .fresh = true,
                                                   .seed = 1,
                                                   .iterations = 1000,
                                                   .comm = s->comm,
                                                   .threads = 1}));
    return sac_ppo_begin(s->ppo);
}

static void destroy(scene *s)
{
    sac_ppo_destroy(s->ppo);
    sac_comm_close(s->comm, SAC_OK);
    sac_normaliser_clear(&s->normaliser);
    sac_free(s->start);
    sac_policy_destroy(s->policy);
}

// the first iteration only measures
static sac_status run(scene *s, bench_figure *figure)
{
    for (uint64_t i = 0; i <= RUNS; i++)
    {
        sac_ppo_report report;
        const double begin = sac_clock();
        SAC_TRY(sac_ppo_iterate(s->ppo, i, &s->normaliser, &report));
        if (i > 0) bench_keep(figure, (double)report.steps / (sac_clock() - begin), true);
    }
    return SAC_OK;
}

sac_status bench_ppo(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place, (void)own_peer;
    scene s = {0};
    sac_status status = create(&s);
    if (status == SAC_OK) status = run(&s, figure);
    destroy(&s);
    return status;
}
