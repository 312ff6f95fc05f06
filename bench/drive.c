#include "base/clock.h"
#include "base/error.h"
#include "bench.h"
#include "play/play.h"

// Worlds without a policy, side by side: only their steps are timed, as the peers do it.

enum
{
    MOST = 16
};

typedef struct lanes
{
    int count;
    sac_play plays[MOST];
    // The arrays of the plays, as sac_env_step_batch wants them.
    sac_env *envs[MOST];
    sac_env_row rows[MOST];
} lanes;

static sac_status step_all(lanes *l)
{
    if (l->count == 1) return sac_play_step(&l->plays[0]);
    SAC_TRY(sac_env_step_batch(l->envs, l->rows, l->count));
    for (int i = 0; i < l->count; i++) sac_play_count(&l->plays[i]);
    return SAC_OK;
}

static sac_status drive(lanes *l, const bench_drive *d, double *seconds)
{
    *seconds = 0;
    for (int i = 0; i < l->count; i++) SAC_TRY(sac_play_reset(&l->plays[i], (uint64_t)i + 1));
    for (int step = 0; step < d->steps; step++)
    {
        for (int i = 0; i < l->count; i++) d->act(step, l->plays[i].action);
        double begin = sac_clock();
        SAC_TRY(step_all(l));
        *seconds += sac_clock() - begin;
        for (int i = 0; i < l->count; i++)
            if (sac_play_ended(&l->plays[i])) SAC_TRY(sac_play_reset(&l->plays[i], SAC_SEED_NEXT));
    }
    return SAC_OK;
}

sac_status bench_measure_drive(const bench_drive *d, int count, bench_figure *figure)
{
    lanes l = {0};
    sac_status status = SAC_OK;
    for (; status == SAC_OK && l.count < count && l.count < MOST; l.count++)
    {
        sac_play *play = &l.plays[l.count];
        status = sac_play_open_def(play, &(sac_play_def){.env = d->env, .parts = 1}); // its picture
        l.envs[l.count] = play->env;
        l.rows[l.count] = play->row;
    }
    for (int run = 0; status == SAC_OK && run < d->runs; run++)
    {
        double seconds;
        status = drive(&l, d, &seconds);
        if (status == SAC_OK) bench_keep(figure, d->steps * l.count / seconds, true);
    }
    for (int i = 0; i < l.count; i++) sac_play_close(&l.plays[i]);
    return status;
}

void bench_steer(int step, float action[3])
{
    action[0] = 0.3f * (float)(step / 20 % 3 - 1);
    action[1] = 0.3f;
    action[2] = 0;
}
